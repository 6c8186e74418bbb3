//! Fig. 7: pictures of clusterings with and without protection.

use std::sync::{Arc, OnceLock};

use crate::comparators::Rows;
use crate::comparators::{CodeMetric, Contest, Way};
use shoal_kernel::score::{Contingency, Normalizer, normalized_mutual_information};
use shoal_kernel::{Condensed, Dbscan, KCluster, OwnRecord, assign_min_cost};
use shoal_lattice::STEPS;

use shoal_noise::SeededNoise;

use super::claim::Claim;
use super::info;
use crate::chart::{Body, Chart, Panel, Scatter, ScatterPoint};
use crate::data::Records;
use crate::measure::consortium::{DELTA, DEMONSTRATION, Level, Setting, kept, parsed};
use crate::papers::words::{data_caveats, short};
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Results, Run, Statement};

/// A data set with its number of groups, and what DBSCAN needs to find them on a range of 50: reach and neighbours.
struct Shape {
    data: &'static str,
    k: usize,
    reach: f64,
    neighbours: usize,
}

const SHAPES: [Shape; 3] = [
    Shape { data: "aggregation", k: 7, reach: 2.5, neighbours: 9 },
    Shape { data: "pathbased", k: 3, reach: 3.5, neighbours: 9 },
    Shape { data: "two-moons", k: 2, reach: 3.0, neighbours: 6 },
];
const ALGORITHMS: [&str; 2] = ["kCluster", "DBSCAN"];
/// The paper does not give ε.
const NOISY: &str = "5";
const LEVELS: [(Option<Level>, &str); 4] = [
    (None, "records"),
    (Some(Level::Clean), "BV"),
    (Some(Level::PerBit(NOISY)), "DPBV, ε = 5 per bit"),
    (Some(Level::Kept("1")), "ε = 1 kept for real"),
];
/// ε per bit whose clusterings are scored beside those of the pictures.
const ALSO: [Level; 2] = [Level::PerBit("2"), Level::PerBit("1")];
/// NMI in % from which two clusterings are hardly different.
const ALIKE: f64 = 80.0;
/// DBSCAN's class of records that are in no cluster.
const NOISE: f64 = -1.0;

struct Task {
    contest: Contest,
    groups: Vec<usize>,
    shape: &'static Shape,
    starts: usize,
    /// What each algorithm finds in the records as they are.
    plain: [OnceLock<Vec<f64>>; 2],
}

impl Task {
    fn new(shape: &'static Shape, records: &Records, starts: usize) -> Result<Self, Failure> {
        let setting = Setting { dims: records.dims(), ..DEMONSTRATION };
        let unit = records.unit();
        let contest = Contest {
            attributes: setting.attributes()?,
            bits: setting.bits,
            steps: unit.iter().map(|x| (x * STEPS as f64).round() as i32).collect(),
            rows: Rows::new(records.dims(), unit.iter().map(|x| x * setting.high).collect()),
            k: shape.k,
            starts,
            own: OwnRecord::LeftOut,
            metric: CodeMetric::Eq19,
        };
        let groups = records.labels.clone().ok_or("the data have no column `label`")?;
        Ok(Self { contest, groups, shape, starts, plain: Default::default() })
    }

    /// What an algorithm finds in the records as they are, from starts that are always the same.
    fn plain(&self, algorithm: &str) -> Result<&[f64], Failure> {
        let slot = &self.plain[usize::from(algorithm != ALGORITHMS[0])];
        if slot.get().is_none() {
            let found = self.clustered(algorithm, None, &mut SeededNoise::new(0))?;
            // Another thread may have been first, with the same result.
            let _ = slot.set(found);
        }
        slot.get().map(Vec::as_slice).ok_or_else(|| "nothing was found".into())
    }

    /// The class of each record, by one algorithm.
    fn clustered(&self, algorithm: &str, level: Option<Level>, noise: &mut SeededNoise) -> Result<Vec<f64>, Failure> {
        let bits = self.contest.rows.dims() as u64 * u64::from(self.contest.bits);
        let way = match level {
            None => Way::PlainKCluster,
            Some(Level::Clean) => Way::Bv,
            Some(Level::PerBit(epsilon)) => Way::Dpbv(parsed(epsilon)?),
            Some(Level::Kept(total)) => Way::Dpbv(kept(total, bits)?),
        };
        let distances: Condensed = self.contest.distances(&way, noise)?;
        if algorithm == ALGORITHMS[0] {
            let how = KCluster { k: self.shape.k, own: OwnRecord::LeftOut, iterations: 100, starts: self.starts };
            return Ok(how.run(&distances, noise)?.labels.into_iter().map(f64::from).collect());
        }
        let how = Dbscan { epsilon: self.shape.reach, min_points: self.shape.neighbours };
        let labels = how.run(&distances)?.labels;
        Ok(labels.into_iter().map(|label| label.map_or(NOISE, f64::from)).collect())
    }
}

/// NMI in %. Records in no cluster are a class of their own.
fn alike(a: &[f64], b: &[f64]) -> Result<f64, Failure> {
    let whole = |x: &[f64]| x.iter().map(|x| *x as i64).collect::<Vec<_>>();
    let mut table = Contingency::default();
    table.add_all(&whole(a), &whole(b))?;
    Ok(100.0 * normalized_mutual_information(&table, Normalizer::Arithmetic)?)
}

fn key(records: &Records, starts: usize, experiment: &'static str, algorithm: &str, level: Option<Level>) -> Key {
    let level = level.map_or("records".into(), Level::key);
    // DBSCAN has no starts, but its parameters are this file's own.
    let dbscan = SHAPES.iter().find(|shape| shape.data == records.set.name);
    let dbscan = dbscan.map_or(String::new(), |shape| format!("{} {}", shape.reach, shape.neighbours));
    records
        .key(experiment)
        .with("starts", starts)
        .with("dbscan", dbscan)
        .with("algorithm", algorithm)
        .with("level", level)
}

/// Starts of kCluster.
fn starts(lab: &Lab) -> usize {
    lab.effort.pick(20, 3)
}

pub struct Fig7;

impl Figure for Fig7 {
    fn info(&self) -> Info {
        info(
            "sun19-fig7",
            "Fig. 7",
            "Pictures of clusterings with and without protection",
            "Aggregation, Pathbased and two moons on [0, 50], 1000 bits, t = 25, kCluster (best of 20 starts) and DBSCAN. The paper \
             gives neither ε nor DBSCAN's parameters: here 5 per bit, and parameters that suit the records as they are. One run is \
             drawn, 20 are scored. NMI is normalised by the mean of both entropies, and kCluster leaves a record out of the average \
             of its own cluster, both ours: the paper names no normaliser and counts the record",
            "2 runs are scored, kCluster has 3 starts",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(20, 2);
        let mut cells = Vec::new();
        let (there, missing) = available(lab);
        for (shape, records) in &there {
            let task = Arc::new(Task::new(shape, records, starts(lab))?);
            for algorithm in ALGORITHMS {
                for (level, _) in LEVELS {
                    let of_cell = task.clone();
                    let measure = move |run: &mut Run| {
                        let labels = of_cell.clustered(algorithm, level, &mut run.noise)?;
                        let rows = &of_cell.contest.rows;
                        Ok((0..rows.len()).flat_map(|i| [rows.row(i)[0], rows.row(i)[1], labels[i]]).collect())
                    };
                    let key = key(records, starts(lab), "szy19-picture", algorithm, level);
                    cells.push(Cell::new(key, &["x", "y", "class"], 1, measure).costing(100.0));
                }
                for level in LEVELS.into_iter().map(|(level, _)| level).chain(ALSO.map(Some)) {
                    let of_cell = task.clone();
                    let measure = move |run: &mut Run| {
                        let found = of_cell.clustered(algorithm, level, &mut run.noise)?;
                        let groups: Vec<f64> = of_cell.groups.iter().map(|group| *group as f64).collect();
                        Ok(vec![alike(&found, &groups)?, alike(&found, of_cell.plain(algorithm)?)?])
                    };
                    let key = key(records, starts(lab), "szy19-picture-score", algorithm, level);
                    cells.push(Cell::new(key, &["nmi", "as_without"], runs, measure).costing(150.0));
                }
            }
        }
        if cells.is_empty() {
            return Err(missing.join("; ").into());
        }
        cells.push(Claim::of_points(NOISY).cell());
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (there, missing) = available(lab);
        let claim = Claim::of_points(NOISY);
        let mut panels = Vec::new();
        let (mut rows, mut kept_rows) = (Vec::new(), Vec::new());
        let (mut near, mut noisy_near, mut tried) = (0, 0, 0);
        for (_, records) in &there {
            for algorithm in ALGORITHMS {
                let plain = classes(results, &key(records, starts(lab), "szy19-picture", algorithm, None))?;
                for (level, name) in LEVELS {
                    let cell = results.get(&key(records, starts(lab), "szy19-picture", algorithm, level))?;
                    let found = matched(&classes(results, &cell.key)?, &plain);
                    let point = |(record, class): (&[f64], &Option<usize>)| ScatterPoint {
                        x: record[0],
                        y: record[1],
                        class: *class,
                    };
                    let points = cell.records(0).zip(&found).map(point).collect();
                    let (star, own_note) = match level {
                        Some(Level::PerBit(_)) => (claim.star(results)?, claim.note(results)?),
                        Some(Level::Kept(total)) => ("", Some(format!("({total}, {DELTA}) for a record"))),
                        _ => ("", None),
                    };
                    let title = format!("{algorithm} on {name}{star}");
                    let scatter = Scatter { x: format!("{}, x", records.set.title), y: "y".into(), points };
                    let notes: Vec<String> = records.note().into_iter().chain(own_note).collect();
                    let note = (!notes.is_empty()).then(|| notes.join("; "));
                    panels.push(Panel { title, note, body: Body::Scatter(scatter) });
                }
                let of = |level| {
                    results.summary(&key(records, starts(lab), "szy19-picture-score", algorithm, level), "as_without")
                };
                let same = |level| of(level).map(|summary| summary.mean);
                tried += 1;
                near += usize::from(same(Some(Level::Clean))? >= ALIKE);
                noisy_near += usize::from(same(Some(Level::PerBit(NOISY)))? >= ALIKE);
                rows.push(format!(
                    "{} by {algorithm} {} (BV), {}, {}, {} (ε = 5, 2, 1 per bit)",
                    records.set.title,
                    short(same(Some(Level::Clean))?),
                    short(same(Some(Level::PerBit(NOISY)))?),
                    short(same(Some(ALSO[0]))?),
                    short(same(Some(ALSO[1]))?)
                ));
                kept_rows.push(same(Some(Level::Kept("1")))?);
            }
        }
        let rows = rows.join("; ");
        let most = kept_rows.iter().copied().fold(0.0, f64::max);
        let kept_near = kept_rows.iter().filter(|same| **same >= ALIKE).count();
        let statements = vec![
            Statement::counted(
                "Clusterings of codes without noise are hardly different",
                near,
                tried,
                format!("NMI with the clustering of the records is {ALIKE} % or more in {near} of {tried}: {rows}"),
            ),
            Statement::counted(
                "Clusterings of codes with noise are hardly different",
                noisy_near,
                tried,
                format!(
                    "NMI with the clustering of the records is {ALIKE} % or more in {noisy_near} of {tried} at ε = {NOISY} per bit"
                ),
            ),
            Statement::counted(
                "Clusterings with the claimed ε kept for real are hardly different",
                kept_near,
                tried,
                format!(
                    "with (1, {DELTA}) kept for a record the NMI with the clustering of the records is {} % at most",
                    short(most)
                ),
            )
            .ours(),
        ];
        let paragraph = format!(
            "How alike clusterings of codes and of the records are, as NMI in %: {rows}. The paper does not say at which ε its pictures \
             were drawn; with {NOISY} per bit a record has ε = {} at δ = {DELTA}. With ε = 1 kept for a whole record for real it is \
             {} % at most.",
            claim.of_record(results)?,
            short(most)
        );
        let caveats = data_caveats(there.iter().map(|(_, records)| records), &missing);
        Ok(Drawing { chart: Chart { panels, columns: LEVELS.len() }, statements, paragraph, caveats })
    }
}

fn available(lab: &Lab) -> (Vec<(&'static Shape, Arc<Records>)>, Vec<String>) {
    let names = SHAPES.each_ref().map(|shape| shape.data);
    let (there, missing) = lab.data.available(&names);
    let shape = |records: Arc<Records>| {
        let own = SHAPES.iter().find(|shape| shape.data == records.set.name);
        own.map(|shape| (shape, records))
    };
    (there.into_iter().filter_map(shape).collect(), missing)
}

/// The classes of a picture, none for records in no cluster.
fn classes(results: &Results, key: &Key) -> Result<Vec<Option<usize>>, Failure> {
    Ok(results.get(key)?.records(0).map(|record| (record[2] != NOISE).then_some(record[2] as usize)).collect())
}

/// The same classes under the numbers that fit others best, so that pictures have the same colours.
fn matched(found: &[Option<usize>], others: &[Option<usize>]) -> Vec<Option<usize>> {
    let most = |classes: &[Option<usize>]| classes.iter().flatten().map(|class| class + 1).max().unwrap_or(0);
    let size = most(found).max(most(others));
    let mut apart = vec![0.0; size * size];
    for (a, b) in found.iter().zip(others) {
        if let (Some(a), Some(b)) = (a, b) {
            apart[a * size + b] -= 1.0;
        }
    }
    let renamed = assign_min_cost(size, size, &apart);
    found.iter().map(|class| class.and_then(|class| renamed.column_of[class])).collect()
}
