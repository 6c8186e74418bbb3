//! Fig. 4: NMI against ε, as heat maps.

use super::printed;
use super::setting::{ALL, BPGT_1, BPGT_10, EPSILONS, Place, QUICK, Seen, cells, protocol};
use crate::Failure;
use crate::chart::{Body, Chart, HeatMap, Panel, Scale};
use crate::figure::{Drawing, Figure, Info, Paper, Places, Statement};
use crate::lab::{Cell, Lab, Results};
use crate::papers::words::short;

/// NMI against ε.
pub struct Information;

/// Budgets that count as low.
const LOW: [&str; 5] = ["0.1", "0.5", "1", "2", "3"];

/// From this correlation on, NMI mirrors ARI.
const MIRRORS: f64 = 0.9;

impl Figure for Information {
    fn info(&self) -> Info {
        Info {
            id: "chen25-fig4".into(),
            paper: Paper::Clz25,
            label: "Fig. 4".into(),
            title: "NMI against ε on four data sets".into(),
            protocol: protocol("The runs of Fig. 3."),
            quick: QUICK.into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        cells(lab)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (places, caveats) = Place::all(lab);
        let seen = Seen { places: &places, results, measure: "nmi" };
        let panels = places.iter().map(|place| panel(&seen, place)).collect::<Result<Vec<_>, _>>()?;
        let agreement = Seen { places: &places, results, measure: "ari" };
        let mirror = correlation(&seen, &agreement)?;
        let mirrors = Statement::counted(
            "NMI mirrors the trends of ARI",
            usize::from(mirror >= MIRRORS),
            1,
            format!("correlation of the two over all points: {}", short(mirror)),
        );
        let says = "BPGT has a higher NMI than BPM and nD-Laplace";
        let mut statements =
            vec![mirrors, seen.comparators_are_worst("NMI", &EPSILONS, says)?, smaller_bound_is_better(&seen)?];
        statements.extend(seen.headline("NMI", &printed::gain("chen25-fig4", "NMI")?)?);
        let paragraph = format!(
            "{}: their correlation over all points is {}. {}",
            if mirror >= MIRRORS {
                "NMI tells the same as ARI in Fig. 3"
            } else {
                "NMI tells not quite what ARI tells in Fig. 3"
            },
            short(mirror),
            seen.where_it_holds("NMI")?
        );
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats })
    }
}

fn panel(seen: &Seen<'_>, place: &Place) -> Result<Panel, Failure> {
    let mut values = Vec::new();
    for curve in ALL {
        // Two decimals: more would not fit on the colours. The table has all.
        values.push(seen.curve(place, &curve)?.iter().map(|s| (100.0 * s.mean).round() / 100.0).collect());
    }
    let map = HeatMap {
        x: "privacy budget ε".into(),
        y: "method".into(),
        value: "NMI".into(),
        columns: EPSILONS.map(str::to_string).to_vec(),
        rows: ROWS.map(str::to_string).to_vec(),
        values,
        range: Some((0.0, 1.0)),
        scale: Scale::Linear,
    };
    let notes = ["rows with *: the published claim does not hold".to_string()];
    let notes: Vec<String> = notes.into_iter().chain(place.note()).collect();
    Ok(Panel { title: place.title().into(), note: Some(notes.join("; ")), body: Body::HeatMap(map) })
}

/// The rows, in the order of [`ALL`], short enough to stand beside colours.
const ROWS: [&str; 10] = [
    "BPGT ℓ = 1 *",
    "BPGT ℓ = 10 *",
    "as printed *",
    "BPM, L = 2",
    "BPM, L = 10",
    "nD-Laplace",
    "planar radius *",
    "TK-means, sound",
    "Ours, sound",
    "K-means, plain",
];

/// The correlation of two measures over all points.
fn correlation(a: &Seen<'_>, b: &Seen<'_>) -> Result<f64, Failure> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for place in a.places {
        for curve in ALL {
            xs.extend(a.curve(place, &curve)?.iter().map(|s| s.mean));
            ys.extend(b.curve(place, &curve)?.iter().map(|s| s.mean));
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (x0, y0) = (mean(&xs), mean(&ys));
    let product =
        |a: &[f64], a0: f64, b: &[f64], b0: f64| -> f64 { a.iter().zip(b).map(|(x, y)| (x - a0) * (y - b0)).sum() };
    Ok(product(&xs, x0, &ys, y0) / (product(&xs, x0, &xs, x0) * product(&ys, y0, &ys, y0)).sqrt())
}

fn smaller_bound_is_better(seen: &Seen<'_>) -> Result<Statement, Failure> {
    let (mut all, mut told) = (Places::default(), Vec::new());
    for place in seen.places {
        for epsilon in LOW {
            all += seen.of(place, &BPGT_10, epsilon)?.below(&seen.of(place, &BPGT_1, epsilon)?);
        }
        let (one, ten) = (seen.of(place, &BPGT_1, "1")?, seen.of(place, &BPGT_10, "1")?);
        told.push(format!("{} {} against {}", place.title(), short(one.mean), short(ten.mean)));
    }
    let found = format!("up to ε = 3 {all}; at ε = 1: {}", told.join("; "));
    let says = "At small ε, ℓ = 1 clusters better than ℓ = 10, which adds more noise";
    Ok(Statement::over(says, all, found))
}
