//! Fig. 4: a drawing of the two ways to divide a table among custodians. What can be tried of it is that both ways give
//! distances.

use shoal_consortium::aggregator::{Horizontal, vertical};
use shoal_kernel::Condensed;

use super::info;
use crate::chart::{Body, Chart, HeatMap, Panel, Scale};
use crate::measure::consortium::{DEMONSTRATION, Level, Setting, encoded, uniform_records};
use crate::papers::words::short;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Privacy, Results, Run, Statement};

const RECORDS: usize = 8;
const ATTRIBUTES: usize = 6;
const PARTITIONS: [&str; 2] = ["horizontal", "vertical"];

/// Why it cannot be more than partly reproduced.
const DRAWING: &str = "the paper's figure is a drawing: nothing in it was measured";

pub struct Fig4;

fn key(partition: &str) -> Key {
    Key::new("szy19-partitions")
        .with("partition", partition)
        .with("records", RECORDS)
        .with("attributes", ATTRIBUTES)
        .with("bits", DEMONSTRATION.bits)
}

/// The mean distance of all pairs, and how far distances from codes without noise are off on average.
fn distances(coded: usize, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let setting = Setting { dims: coded, ..DEMONSTRATION };
    let agreement = setting.agreement(Level::Clean, &mut run.noise)?;
    let terms = agreement.terms();
    let own = ATTRIBUTES - coded;
    let (plain, theirs) =
        (uniform_records(RECORDS, own.max(1), &mut run.noise), uniform_records(RECORDS, coded, &mut run.noise));
    let squared = |values: &[i32], dims: usize, i: usize, j: usize| -> f64 {
        (0..dims)
            .map(|a| f64::from(values[i * dims + a].abs_diff(values[j * dims + a])) * terms.step(0))
            .map(|x| x * x)
            .sum()
    };
    let left = |i: usize, j: usize| if own == 0 { 0.0 } else { squared(&plain, own, i, j) };
    let truth = Condensed::from_fn(RECORDS, |i, j| (left(i, j) + squared(&theirs, coded, i, j)).sqrt());
    let codes = encoded(&agreement, &theirs, &mut run.noise)?;
    let found = if own == 0 {
        Horizontal::new(terms, &codes)?.condensed()
    } else {
        vertical::combine(left, vertical::attribute_wise(terms, &codes, true)?)
    };
    let n = truth.as_slice().len() as f64;
    let error = found.as_slice().iter().zip(truth.as_slice()).map(|(a, b)| (a - b).abs()).sum::<f64>() / n;
    Ok(vec![truth.as_slice().iter().sum::<f64>() / n, error])
}

impl Figure for Fig4 {
    fn info(&self) -> Info {
        info(
            "sun19-fig4",
            "Fig. 4",
            "Tables divided by records and by attributes",
            "A drawing without measurements. Here 20 uniform tables are divided both ways and all distances decoded from codes \
             without noise",
            "5 tables",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(20, 5);
        let cell = |partition: &str, coded: usize| {
            let measure = move |run: &mut Run| distances(coded, run);
            Cell::new(key(partition), &["mean_distance", "error"], runs, measure)
        };
        Ok(vec![cell(PARTITIONS[0], ATTRIBUTES), cell(PARTITIONS[1], ATTRIBUTES / 2)])
    }

    fn privacy(&self) -> Privacy {
        Privacy::NoClaim
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (mut held, mut found) = (0, Vec::new());
        for partition in PARTITIONS {
            let distance = results.summary(&key(partition), "mean_distance")?;
            let error = results.summary(&key(partition), "error")?;
            held += usize::from(error.mean + 2.0 * error.error() < 0.1 * distance.mean);
            found.push(format!(
                "{partition}: mean error {} of distances of {}",
                short(error.mean),
                short(distance.mean)
            ));
        }
        let found = found.join("; ");
        let says = "Distances between records can be had from codes, whichever way the table is divided";
        let by_record = map(|record, _| f64::from(u8::from(record >= RECORDS / 2)));
        let by_attribute = map(|_, attribute| f64::from(u8::from(attribute >= ATTRIBUTES / 2)));
        let statements = vec![Statement::counted(says, held, 2, found.clone()).ours()];
        let paragraph = format!(
            "The paper's figure is a drawing and there is nothing to measure again: Alice and Bob hold different records with the same \
             attributes, or different attributes of the same records. What can be tried is that distances come out of codes \
             without noise either way: {found}."
        );
        let panels = vec![panel("Divided by records", by_record), panel("Divided by attributes", by_attribute)];
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats: vec![DRAWING.into()] })
    }
}

fn map(custodian: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..RECORDS).map(|record| (0..ATTRIBUTES).map(|attribute| custodian(record, attribute)).collect()).collect()
}

fn panel(title: &str, values: Vec<Vec<f64>>) -> Panel {
    let map = HeatMap {
        x: "attribute".into(),
        y: "record".into(),
        value: "custodian (0: Alice, 1: Bob)".into(),
        columns: (1..=ATTRIBUTES).map(|i| i.to_string()).collect(),
        rows: (1..=RECORDS).map(|i| i.to_string()).collect(),
        values,
        range: Some((0.0, 1.0)),
        scale: Scale::Linear,
    };
    Panel { title: title.into(), note: None, body: Body::HeatMap(map) }
}
