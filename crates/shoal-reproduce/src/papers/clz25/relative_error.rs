//! Fig. 5: RE against ε, as lines.

use super::printed;
use super::setting::{
    AS_PRINTED, AWARE, BPGT_1, BPGT_10, BPM, BPM_10, Curve, EPSILONS, ND_LAPLACE, PLANAR, Place, QUICK, SOUND, Seen,
    cells, protocol,
};
use super::statements::{NEAR, short_name};
use crate::Failure;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::figure::{Drawing, Figure, Info, Paper, Places, Statement};
use crate::lab::{Cell, Lab, Results};
use crate::papers::words::{short, with_error};
use crate::statistics::{CLEAR, fall};

/// RE against ε.
pub struct RelativeError;

/// All but K-means without privacy.
const CURVES: [Curve; 9] = [BPGT_1, BPGT_10, AS_PRINTED, BPM, BPM_10, ND_LAPLACE, PLANAR, SOUND, AWARE];

impl Figure for RelativeError {
    fn info(&self) -> Info {
        Info {
            id: "chen25-fig5".into(),
            paper: Paper::Clz25,
            label: "Fig. 5".into(),
            title: "Relative error against ε on four data sets".into(),
            protocol: protocol(
                "The runs of Fig. 3. The paper prints no formula for RE and calls it the difference between perturbed and \
                 original centres: here the distances between the means of the classes and the centres that the server \
                 finds, matched and added up. On the right YTL22's RE, which looks at reports only.",
            ),
            quick: QUICK.into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        cells(lab)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (places, caveats) = Place::all(lab);
        let seen = Seen { places: &places, results, measure: "centres" };
        let reports = Seen { places: &places, results, measure: "re" };
        let mut panels = Vec::new();
        for place in &places {
            panels.push(panel(&seen, place, "centres found", "RE, matched centres (widths)", &CURVES)?);
            // One server's reports are as good as another's.
            panels.push(panel(&reports, place, "reports alone", "RE, same members (widths)", &CURVES[..8])?);
        }
        let mut statements = vec![best(&seen)?, falling(&seen)?];
        if let Some(iris) = places.iter().find(|place| place.name() == "iris") {
            statements.extend([as_printed(&seen, iris)?, behind(&seen, iris)?]);
        }
        statements.extend(seen.headline("RE", &printed::gain("chen25-fig5", "RE")?)?);
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph: paragraph(&seen)?, caveats })
    }
}

fn panel(seen: &Seen<'_>, place: &Place, what: &str, axis: &str, curves: &[Curve]) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for curve in curves {
        let mut points = Vec::new();
        for (epsilon, summary) in EPSILONS.iter().zip(seen.curve(place, curve)?) {
            points.push(Point::mean(epsilon.parse()?, &summary));
        }
        series.push(Series { name: curve.name.into(), style: Style::Marked, points });
    }
    if place.name() == "iris" && seen.measure == "centres" {
        for (curve, name) in [(BPGT_1, "BPGT ℓ = 1"), (BPM, "BPM"), (ND_LAPLACE, "nD-Laplace")] {
            let mut points = Vec::new();
            for (epsilon, value) in printed::errors_on_iris(&curve)? {
                points.push(Point::exact(epsilon.parse()?, value.number()?));
            }
            series.push(Series { name: format!("printed for {name}"), style: Style::Printed, points });
        }
    }
    let x = Axis::linear("privacy budget ε").ticks(&[0.1, 2.0, 4.0, 6.0, 8.0, 10.0]);
    let body = Body::Lines(Lines { x, y: Axis::log(axis), series });
    Ok(Panel { title: format!("{}, {what}", place.title()), note: place.note(), body })
}

fn best(seen: &Seen<'_>) -> Result<Statement, Failure> {
    let mut all = Places::default();
    for place in seen.places {
        for epsilon in EPSILONS {
            let own = seen.of(place, &BPGT_1, epsilon)?;
            for other in [BPGT_10, BPM, ND_LAPLACE] {
                let other = seen.of(place, &other, epsilon)?;
                all += own.below(&other);
            }
        }
    }
    Ok(Statement::over("BPGT ℓ = 1 has the smallest relative error", all, all.to_string()))
}

fn falling(seen: &Seen<'_>) -> Result<Statement, Failure> {
    let (mut all, mut not) = (Places::default(), Vec::new());
    for place in seen.places {
        for curve in [BPGT_1, BPGT_10, BPM, ND_LAPLACE] {
            let places = fall(&seen.curve(place, &curve)?);
            all += places;
            if places.against > 0 {
                not.push(format!("{} on {}", short_name(&curve), place.title()));
            }
        }
    }
    let mut found = format!("a fall without a step up is {all}");
    if !not.is_empty() {
        found += &format!("; not {}", not.join(", "));
    }
    Ok(Statement::over("The relative error drops as ε grows", all, found))
}

fn as_printed(seen: &Seen<'_>, iris: &Place) -> Result<Statement, Failure> {
    let values = printed::errors_on_iris(&BPGT_1)?;
    let (mut held, mut told, mut said) = (0, Vec::new(), Vec::new());
    for (epsilon, value) in &values {
        let measured = seen.of(iris, &BPGT_1, epsilon)?;
        held += usize::from(measured.is_printed(value.number()?, value.rounding()));
        told.push(format!("{} at ε = {epsilon}", with_error(&measured)));
        said.push(format!("{} at ε = {epsilon}", value.value));
    }
    let says = format!("On Iris, the error of BPGT ℓ = 1 is {}", said.join(", "));
    Ok(Statement::counted(says, held, values.len(), told.join(", ")))
}

/// BPM and nD-Laplace at ε = 10 in multiples of the paper's own.
fn behind(seen: &Seen<'_>, iris: &Place) -> Result<Statement, Failure> {
    let own = seen.of(iris, &BPGT_1, "10")?;
    let (bpm, laplace) = (seen.of(iris, &BPM, "10")?, seen.of(iris, &ND_LAPLACE, "10")?);
    let (mut held, mut said) = (0, Vec::new());
    for (curve, other, name) in [(BPM, &bpm, "BPM"), (ND_LAPLACE, &laplace, "nD-Laplace")] {
        let times = printed::times(name)?;
        let (ratio, value) = (other.mean / own.mean, times.number()?);
        let error = ratio * (other.error() / other.mean).hypot(own.error() / own.mean);
        held += usize::from(own.is_clearly_below(other));
        held += usize::from((ratio - value).abs() <= NEAR * value + CLEAR * error);
        for (epsilon, error) in printed::errors_on_iris(&curve)? {
            said.push(format!("{name} has {} at ε = {epsilon}, {} times that of BPGT ℓ = 1", error.value, times.value));
        }
    }
    let found = format!(
        "BPM {} ({} times), nD-Laplace {} ({} times) against {}",
        with_error(&bpm),
        short(bpm.mean / own.mean),
        with_error(&laplace),
        short(laplace.mean / own.mean),
        with_error(&own)
    );
    Ok(Statement::counted(format!("On Iris, {}", said.join(", and ")), held, 4, found))
}

fn paragraph(seen: &Seen<'_>) -> Result<String, Failure> {
    let mut told = Vec::new();
    for place in seen.places {
        let at = |curve: Curve| Ok::<_, Failure>(short(seen.of(place, &curve, "10")?.mean));
        told.push(format!(
            "{}: {} (ℓ = 1), {} (ℓ = 10), {} (BPM), {} (nD-Laplace); where the claim holds {} (TK-means) and {} (ours)",
            place.title(),
            at(BPGT_1)?,
            at(BPGT_10)?,
            at(BPM)?,
            at(ND_LAPLACE)?,
            at(SOUND)?,
            at(AWARE)?,
        ));
    }
    Ok(format!(
        "At ε = 10: {}. The distance of a BPGM report from its record does not grow with the number of attributes, as that \
         of any mechanism must that keeps ε per width; nor is it unbiased, as reports are drawn towards the middle of the \
         box. Over all data sets and budgets the error is {} with BPGT ℓ = 1, \
         which promises nothing, and {} with the same server and {} with ours where ε per width is kept.",
        told.join(". "),
        short(seen.average(&[BPGT_1])?),
        short(seen.average(&[SOUND])?),
        short(seen.average(&[AWARE])?),
    ))
}
