//! Fig. 3: ARI against ε, as bars.

use super::printed;
use super::setting::{BPGT_1, Curve, EPSILONS, PROMISED, PUBLISHED, Place, QUICK, Seen, cells, protocol};
use crate::Failure;
use crate::chart::{Axis, Bars, Body, Chart, Panel, Point};
use crate::figure::{Drawing, Figure, Info, Paper, Statement, Verdict};
use crate::lab::{Cell, Lab, Results};
use crate::papers::words::with_error;

/// ARI against ε.
pub struct Agreement;

impl Figure for Agreement {
    fn info(&self) -> Info {
        Info {
            id: "chen25-fig3".into(),
            paper: Paper::Clz25,
            label: "Fig. 3".into(),
            title: "ARI against ε on four data sets".into(),
            protocol: protocol("Left as published, right with a promise that holds."),
            quick: QUICK.into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        cells(lab)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (places, caveats) = Place::all(lab);
        let seen = Seen { places: &places, results, measure: "ari" };
        let mut panels = Vec::new();
        for place in &places {
            panels.push(panel(&seen, place, "as published", &PUBLISHED)?);
            panels.push(panel(&seen, place, "with a promise", &PROMISED)?);
        }
        let says = "At ε = 0.1 all methods do poorly, BPM and nD-Laplace worst";
        let mut statements =
            vec![seen.grows("ARI")?, seen.comparators_are_worst("ARI", &["0.1"], says)?, seen.nearly_plain()?];
        statements.extend(iris(&seen)?);
        statements.extend(seen.headline("ARI", &printed::gain("chen25-fig3", "ARI")?)?);
        let paragraph = format!("{} {}", opening(&seen)?, seen.where_it_holds("ARI")?);
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats })
    }
}

fn panel(seen: &Seen<'_>, place: &Place, what: &str, curves: &[Curve]) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for curve in curves {
        let points = seen.curve(place, curve)?;
        let points = points.iter().enumerate().map(|(at, s)| Some(Point::mean(at as f64, s))).collect();
        series.push((curve.name.to_string(), points));
    }
    let groups = EPSILONS.map(str::to_string).to_vec();
    let body = Body::Bars(Bars { x: "privacy budget ε".into(), y: Axis::linear("ARI"), groups, series });
    Ok(Panel { title: format!("{}, {what}", place.title()), note: place.note(), body })
}

/// The printed value is reached "as ε rises", without a budget: the nearest point of the curve is taken.
fn iris(seen: &Seen<'_>) -> Result<Option<Statement>, Failure> {
    let Some(place) = seen.places.iter().find(|place| place.name() == "iris") else { return Ok(None) };
    let curve = seen.curve(place, &BPGT_1)?;
    let printed = printed::value("chen25-fig3", "ARI of BPGT ℓ = 1 on Iris as ε rises")?;
    let value = printed.number()?;
    let off = |at: &usize| (curve[*at].mean - value).abs();
    let Some(at) = (0..curve.len()).min_by(|a, b| off(a).total_cmp(&off(b))) else { return Ok(None) };
    let holds = curve[at].is_printed(value, printed.rounding());
    let last = &curve[curve.len() - 1];
    let found = format!("{} at ε = {}, and {} at ε = 10", with_error(&curve[at]), EPSILONS[at], with_error(last));
    let says = format!("On Iris, BPGT ℓ = 1 reaches an ARI of {} as ε rises", printed.value);
    Ok(Some(Statement::judged(says, if holds { Verdict::Holds } else { Verdict::Fails }, found)))
}

fn opening(seen: &Seen<'_>) -> Result<String, Failure> {
    let mut told = Vec::new();
    for place in seen.places {
        let (first, last) = (seen.of(place, &BPGT_1, "0.1")?, seen.of(place, &BPGT_1, "10")?);
        told.push(format!("{} on {} to {}", with_error(&first), place.title(), with_error(&last)));
    }
    Ok(format!("From ε = 0.1 to 10 the ARI of BPGT ℓ = 1 goes from {}.", told.join(", from ")))
}
