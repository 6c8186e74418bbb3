//! Fig. 4: SSE against ε on the three data sets, for three radii.

use super::setting::{
    AWARE, AWARE_DEFAULT, BASELINE, DEFAULT, DKDP, EPSILONS, LAPLACE, LAPLACE_METRIC, METRIC, Place, RADII, Set, aware,
    dkdp,
};
use crate::Failure;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::figure::{Drawing, Figure, Info, Paper, Places, Statement};
use crate::lab::{Cell, Lab, Results};
use crate::measure::crowd::Way;
use crate::papers::words::{percent, short};
use crate::statistics::{Summary, apart, fall};

/// SSE against ε.
pub struct Sse;

impl Figure for Sse {
    fn info(&self) -> Info {
        Info {
            id: "yang22-fig4".into(),
            paper: Paper::Ytl22,
            label: "Fig. 4".into(),
            title: "Sum of squared errors against ε on three data sets".into(),
            protocol:
                "The runs of Figs 1 to 3: 50 a point, ε = 0.1, 0.5, 1, 2, 4, 8, L = 2, 6, 10. SSE is that of the \
                       true records about the centre that their report belongs to. Bounds are the table's own limits, \
                       taken as public, and on the roads those of the paper's area."
                    .into(),
            quick: "10 runs a point, and 4 of the noise-aware server".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (places, missing) = places(lab);
        if places.is_empty() {
            return Err(missing.join("; ").into());
        }
        let mut cells = Vec::new();
        for place in places {
            let ways = RADII.iter().flat_map(|&radius| [dkdp(radius), aware(radius)]).chain([
                LAPLACE,
                LAPLACE_METRIC,
                DEFAULT,
            ]);
            cells.extend(ways.flat_map(|way| EPSILONS.map(|epsilon| place.cell(lab.effort, way, epsilon))));
        }
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (places, mut caveats) = places(lab);
        let seen = Seen { places: &places, results };
        let mut panels = Vec::new();
        for place in &places {
            for radius in RADII {
                panels.push(seen.panel(place, radius)?);
            }
            caveats.extend(place.caveats());
        }
        let statements = vec![seen.falls()?, seen.below_baseline()?, seen.more_on_travel()?];
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph: seen.paragraph()?, caveats })
    }
}

/// The data sets that are there, and a sentence about each that is not.
fn places(lab: &Lab) -> (Vec<Place>, Vec<String>) {
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for set in Set::ALL {
        match Place::main(lab, set) {
            Ok(place) => there.push(place),
            Err(error) => missing.push(error.to_string()),
        }
    }
    (there, missing)
}

/// What was measured.
struct Seen<'a> {
    places: &'a [Place],
    results: &'a Results,
}

impl Seen<'_> {
    fn of(&self, place: &Place, way: Way, epsilon: &str) -> Result<Summary, Failure> {
        self.results.summary(&place.key(&way, epsilon), "sse")
    }

    fn panel(&self, place: &Place, radius: f64) -> Result<Panel, Failure> {
        let mut series = Vec::new();
        let ways = [
            (DKDP, dkdp(radius)),
            (BASELINE, LAPLACE),
            (METRIC, LAPLACE_METRIC),
            (AWARE, aware(radius)),
            (AWARE_DEFAULT, DEFAULT),
        ];
        for (name, way) in ways {
            let point = |epsilon: &str| -> Result<Point, Failure> {
                Ok(Point::mean(epsilon.parse()?, &self.of(place, way, epsilon)?))
            };
            let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
            series.push(Series { name: name.into(), style: Style::Marked, points });
        }
        let blind = place.crowd.blind_sse();
        let points = [0.1, 8.0].map(|x| Point::exact(x, blind)).to_vec();
        series.push(Series { name: "one centre in the middle".into(), style: Style::Dashed, points });
        let x = Axis::log("privacy budget ε").ticks(&[0.1, 0.5, 1.0, 2.0, 4.0, 8.0]);
        let body = Body::Lines(Lines { x, y: Axis::log("SSE (widths²)"), series });
        Ok(Panel { title: format!("{}, L = {radius}", place.title()), note: place.note(), body })
    }

    fn falls(&self) -> Result<Statement, Failure> {
        let (mut all, mut not) = (Places::default(), Vec::new());
        for place in self.places {
            for radius in RADII {
                let curve = EPSILONS.map(|epsilon| self.of(place, dkdp(radius), epsilon));
                let curve = curve.into_iter().collect::<Result<Vec<_>, _>>()?;
                let places = fall(&curve);
                all += places;
                if places.held == 0 {
                    let (first, last) = (curve[0].mean, curve[curve.len() - 1].mean);
                    not.push(format!("{}, L = {radius}: {} to {}", place.title(), short(first), short(last)));
                }
            }
        }
        let mut found = format!("a fall without a step up is {all}");
        if !not.is_empty() {
            found += &format!("; not in {}", not.join(", "));
        }
        Ok(Statement::over("The SSE of DKdP improves as ε grows", all, found))
    }

    fn below_baseline(&self) -> Result<Statement, Failure> {
        let mut all = Places::default();
        for (place, radius, epsilon) in self.settings() {
            let (ours, base) = (self.of(place, dkdp(radius), epsilon)?, self.of(place, LAPLACE, epsilon)?);
            all += ours.below(&base);
        }
        let says = "The SSE of DKdP is smaller than the baseline's in all cases";
        Ok(Statement::over(says, all, all.to_string()).headline())
    }

    /// The advantage is the ratio of the mean SSEs.
    fn more_on_travel(&self) -> Result<Statement, Failure> {
        let (mut all, mut told) = (Places::default(), Vec::new());
        if let Some(travel) = self.places.iter().find(|place| place.set == Set::Travel) {
            for other in self.places.iter().filter(|place| place.set != Set::Travel) {
                let before = all.held;
                for radius in RADII {
                    for epsilon in EPSILONS {
                        let (here, error) = self.advantage(travel, radius, epsilon)?;
                        let (there, other_error) = self.advantage(other, radius, epsilon)?;
                        all += apart(here - there, error.hypot(other_error));
                    }
                }
                told.push(format!(
                    "{} of {} against {}",
                    all.held - before,
                    RADII.len() * EPSILONS.len(),
                    other.title()
                ));
            }
        }
        let found = format!("baseline's SSE over DKdP's is larger on Travel Review in {}", told.join(" and "));
        let says = "The advantage is more noticeable on Travel Review, which has most attributes";
        Ok(Statement::over(says, all, found))
    }

    fn advantage(&self, place: &Place, radius: f64, epsilon: &str) -> Result<(f64, f64), Failure> {
        let (ours, base) = (self.of(place, dkdp(radius), epsilon)?, self.of(place, LAPLACE, epsilon)?);
        let ratio = base.mean / ours.mean;
        Ok((ratio, ratio * (base.error() / base.mean).hypot(ours.error() / ours.mean)))
    }

    fn settings(&self) -> impl Iterator<Item = (&Place, f64, &'static str)> {
        let of_place = |place| RADII.iter().flat_map(move |&radius| EPSILONS.map(|epsilon| (place, radius, epsilon)));
        self.places.iter().flat_map(of_place)
    }

    fn paragraph(&self) -> Result<String, Failure> {
        let (mut worse, mut aware_worse, mut default_worse, mut tried) = (0, 0, 0, 0);
        for (place, radius, epsilon) in self.settings() {
            let blind = place.crowd.blind_sse();
            let idle = |way| Ok::<_, Failure>(usize::from(self.of(place, way, epsilon)?.mean >= blind));
            tried += 1;
            worse += idle(dkdp(radius))?;
            aware_worse += idle(aware(radius))?;
            default_worse += idle(DEFAULT)?;
        }
        let mut told = Vec::new();
        for place in self.places {
            told.push(format!(
                "{}: {} for DKdP, {} for the baseline, {} for one centre in the middle of the box ({} of the reports \
                 depend on the record)",
                place.title(),
                short(self.of(place, dkdp(6.0), "1")?.mean),
                short(self.of(place, LAPLACE, "1")?.mean),
                short(place.crowd.blind_sse()),
                percent(place.telling(6.0, "1")?),
            ));
        }
        Ok(format!(
            "SSE at L = 6 and ε = 1: {}. The baseline's reports have no bound, and BPM's end L beyond the box. \
             In {worse} of {tried} settings DKdP is no better than a single centre in the middle of the box, \
             which needs no reports. The noise-aware server on the same reports is no better than that in {aware_worse}, \
             and with the default radius in {default_worse}: part of its SSE is that reports, and so the clusters that \
             people are put into, remain noisy however good the centres are.",
            told.join("; ")
        ))
    }
}
