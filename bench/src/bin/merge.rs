//! Merging what custodians released, against one holder of all rows: error, coverage of the intervals, and the forecast.
//!
//! `merge [FOLDER] [--runs 3] [--epsilon 0.5,1,2] [--custodians 4,16] [--splits even,uneven,by-cluster] [--only NAME,…]
//! [--group calibration|held-out|real] [--first 0]`.
//! Prints a line for each table, ε, number of custodians and way to divide the rows among them. Tables are made-up families
//! (`bench/src/families.rs`), and those of FOLDER. The bounds of a real table are its own minima and maxima, and row
//! counts are public: right for measuring, wrong for releasing.
//!
//! *even*: rows are dealt at random. *uneven*: custodian i gets a share of 1/i. *by-cluster*: nine tenths of the rows of a
//! cluster go to the custodians whose cluster it is, the others to anyone.
//!
//! | column | |
//! |---|---|
//! | optimum | NICV of k-means without privacy on all rows, the best of 25 initialisations |
//! | central | NICV of `auto` on all rows in one table |
//! | models | NICV of merged models of `auto`, each at ε |
//! | synopses | NICV of merged cells of `tree`, each at ε |
//! | forecast | NICV of merging in parts of the optimum as `consortium::Plan` forecasts it, and as measured (models) |
//! | stable, all, sizes | per cent of coordinates of stable clusters, of all clusters, and of sizes of stable clusters whose interval covers that of the optimum; models / synopses |
//! | ≥ | share of merges whose intervals are marked as lower bounds; models / synopses |

use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use shoal::Model;
use shoal::consortium::{Merge, MergeRelease, Plan, Way};
use shoal_bench::families::{CALIBRATION, Family, HELD_OUT};
use shoal_bench::{Failure, mean, read, squared};
use shoal_curator::certainty::STABLE;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{DesignSize, Outcome, Settings, find_method};
use shoal_files::PointStore;
use shoal_kernel::{LatticeCentres, Restarts, SearchCentres, assign, assign_min_cost, kmeans_restarts};
use shoal_lattice::{Bounds, HALF_WIDTH, Interval, LatticePoints};
use shoal_noise::uniform::unit_f64;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Allowance, Published};
use shoal_scan::LocalScan;

/// Real tables with the number of clusters that is asked for.
const REAL: &[(&str, usize)] = &[("adult_num", 5), ("digits", 10), ("s1", 15), ("lifesci", 3), ("gauss_d10_k5", 5)];

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    println!(
        "| table | ε | custodians | split | optimum | central | models | synopses | forecast, measured | stable | all | sizes | ≥ | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (group, families) in [("calibration", CALIBRATION), ("held-out", HELD_OUT)] {
        for family in families.iter().filter(|family| options.wants(group, family.name)) {
            options.measure(family.name, family.k, &|run| Family::draw(family, run))?;
        }
    }
    for &(name, k) in REAL.iter().filter(|(name, _)| options.wants("real", name)) {
        let Some(path) = options.folder.as_ref().and_then(|folder| find_table(folder, name)) else { continue };
        let table = read(&path.to_string_lossy())?;
        options.measure(name, k, &|_| copied(&table))?;
    }
    Ok(())
}

fn find_table(folder: &Path, name: &str) -> Option<PathBuf> {
    ["csv", "csv.gz"].map(|ending| folder.join(format!("{name}.{ending}"))).into_iter().find(|path| path.exists())
}

struct Options {
    folder: Option<PathBuf>,
    runs: u64,
    epsilon: Vec<String>,
    custodians: Vec<usize>,
    splits: Vec<String>,
    only: Option<Vec<String>>,
    group: Option<String>,
    first: u64,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self {
            folder: None,
            runs: 3,
            epsilon: ["0.5", "1", "2"].map(String::from).to_vec(),
            custodians: vec![4, 16],
            splits: ["even", "uneven", "by-cluster"].map(String::from).to_vec(),
            only: None,
            group: None,
            first: 0,
        };
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                options.folder = Some(arg.into());
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            let list = || value.split(',').map(str::to_string).collect::<Vec<_>>();
            match arg.as_str() {
                "--runs" => options.runs = value.parse()?,
                "--epsilon" => options.epsilon = list(),
                "--custodians" => options.custodians = list().iter().map(|m| m.parse()).collect::<Result<_, _>>()?,
                "--splits" => options.splits = list(),
                "--only" => options.only = Some(list()),
                "--group" => options.group = Some(value),
                "--first" => options.first = value.parse()?,
                _ => return Err(format!("there is no option {arg}").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, group: &str, name: &str) -> bool {
        self.only.as_ref().is_none_or(|names| names.iter().any(|only| only == name))
            && self.group.as_ref().is_none_or(|only| only == group)
    }

    /// Prints the lines of a table.
    fn measure(&self, name: &str, k: usize, draw: &dyn Fn(u64) -> LatticePoints) -> Result<(), Failure> {
        let tables: Vec<Table> = (self.first..self.first + self.runs).map(|run| Table::new(draw(run), k)).collect();
        for epsilon in &self.epsilon {
            let central: Result<Vec<f64>, Failure> = tables
                .par_iter()
                .enumerate()
                .map(|(run, table)| {
                    let found = fit("auto", &copied(&table.points), k, epsilon, 1000 + run as u64)?;
                    Ok(table.nicv(&shoal_lattice::BoxPosition::numbers(&found.centres.concat())))
                })
                .collect();
            let central = mean(central?.into_iter()).0;
            for &m in &self.custodians {
                for split in &self.splits {
                    let start = Instant::now();
                    let runs: Result<Vec<Measured>, Failure> = tables
                        .iter()
                        .enumerate()
                        .map(|(run, table)| Measured::of(table, k, epsilon, m, split, self.first + run as u64))
                        .collect();
                    let runs = runs?;
                    let of = |value: fn(&Measured) -> f64| mean(runs.iter().map(value)).0;
                    let optimum = mean(tables.iter().map(|table| table.optimum)).0;
                    let planned = Plan::new(
                        tables[0].points.rows() as u64,
                        m as u64,
                        tables[0].points.dims(),
                        k,
                        epsilon.as_str(),
                    )?;
                    let forecast =
                        planned.run()?.of(Way::Merge).and_then(|way| way.accuracy).map_or(f64::NAN, |a| a.nicv_ratio);
                    let mut tallies = [Tally::default(), Tally::default()];
                    for run in &runs {
                        tallies[0].add(&run.tallies[0]);
                        tallies[1].add(&run.tallies[1]);
                    }
                    let both = |part: fn(&Tally) -> Share| format!("{} / {}", part(&tallies[0]), part(&tallies[1]));
                    println!(
                        "| {name} | {epsilon} | {m} | {split} | {optimum:.4} | {central:.4} | {:.4} | {:.4} | {forecast:.2}, {:.2} | {} | {} | {} | {} | {:.0} |",
                        of(|run| run.models),
                        of(|run| run.synopses),
                        of(|run| run.models) / optimum,
                        both(|tally| tally.stable),
                        both(|tally| tally.all),
                        both(|tally| tally.sizes),
                        both(|tally| tally.at_least),
                        start.elapsed().as_secs_f64(),
                    );
                }
            }
        }
        Ok(())
    }
}

fn copied(points: &LatticePoints) -> LatticePoints {
    let mut copy = LatticePoints::with_capacity(points.dims(), points.rows());
    let mut row = vec![0; points.dims()];
    for i in 0..points.rows() {
        points.copy_row(i, &mut row);
        copy.push_row(&row);
    }
    copy
}

fn fit(method: &str, points: &LatticePoints, k: usize, epsilon: &str, seed: u64) -> Result<Outcome, Failure> {
    let size = DesignSize::Disclosed(points.rows() as u64);
    let settings = Settings { keep_cells: method == "tree", ..Settings::new(k, epsilon.parse()?, size) };
    let system = find_method(method).ok_or("no such method")?.build(&settings, points.dims())?;
    let scan = LocalScan::new(PointStore::InMemory(copied(points)));
    Ok(system.run(&scan, Allowance::without_ledger(system.claim()), &mut SeededNoise::new(seed))?)
}

/// Rows, and the best clustering of them without privacy.
struct Table {
    points: LatticePoints,
    labels: Vec<u32>,
    centres: Vec<f64>,
    sizes: Vec<f64>,
    optimum: f64,
    bounds: Bounds,
}

impl Table {
    fn new(points: LatticePoints, k: usize) -> Self {
        let random = &mut SeededNoise::new(7);
        let options = Restarts { clusters: k, restarts: 25, iterations: 200 };
        let best = kmeans_restarts(&points, None, &options, &mut || random.next_u64());
        let names = (1..=points.dims()).map(|i| format!("c{i}")).collect();
        // Unwrap safety: the limits are in order, and no two names are the same.
        let bounds = Bounds::new(names, vec![Interval::new(-1.0, 1.0).unwrap(); points.dims()]).unwrap();
        let labels = labels(&points, &best.centres);
        let mut table = Self { labels, centres: best.centres, sizes: best.weights, optimum: 0.0, bounds, points };
        table.optimum = table.nicv(&table.centres);
        table
    }

    fn nicv(&self, centres: &[f64]) -> f64 {
        let dims = self.points.dims();
        let (mut row, mut sum) = (vec![0; dims], 0.0);
        for (i, label) in labels(&self.points, centres).into_iter().enumerate() {
            self.points.copy_row(i, &mut row);
            let unit: Vec<f64> = row.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect();
            sum += squared(&unit, &centres[label as usize * dims..][..dims]);
        }
        sum / self.points.rows() as f64
    }

    /// The rows of each custodian.
    fn divided(&self, m: usize, split: &str, k: usize, random: &mut SeededNoise) -> Vec<LatticePoints> {
        let dims = self.points.dims();
        let shares: Vec<f64> = (0..m).map(|i| if split == "uneven" { 1.0 / (1.0 + i as f64) } else { 1.0 }).collect();
        let total: f64 = shares.iter().sum();
        let mut parts: Vec<LatticePoints> = (0..m).map(|_| LatticePoints::new(dims)).collect();
        let mut row = vec![0; dims];
        for (i, &label) in self.labels.iter().enumerate() {
            self.points.copy_row(i, &mut row);
            let owners: Vec<usize> = match split {
                "by-cluster" => (0..m.max(k)).filter(|c| c % k == label as usize % k).map(|c| c % m).collect(),
                _ => Vec::new(),
            };
            let at = if !owners.is_empty() && unit_f64(random) < 0.9 {
                owners[(unit_f64(random) * owners.len() as f64) as usize]
            } else {
                let mut left = unit_f64(random) * total;
                let found = shares.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                found.unwrap_or(m - 1)
            };
            parts[at].push_row(&row);
        }
        parts
    }
}

fn labels(points: &LatticePoints, centres: &[f64]) -> Vec<u32> {
    let search = SearchCentres::new(&LatticeCentres::from_unit(points.dims(), centres));
    let mut labels = vec![0; points.rows()];
    assign(points, 0..points.tiles(), &search, &mut labels);
    labels
}

/// One merge of models and one of synopses.
struct Measured {
    models: f64,
    synopses: f64,
    tallies: [Tally; 2],
}

impl Measured {
    fn of(table: &Table, k: usize, epsilon: &str, m: usize, split: &str, run: u64) -> Result<Self, Failure> {
        let random = &mut SeededNoise::new(0xd1ce + run);
        let parts = table.divided(m, split, k, random);
        let releases = |method: &'static str| -> Result<Vec<(String, MergeRelease)>, Failure> {
            let one = |(i, part): (usize, &LatticePoints)| {
                let outcome = fit(method, part, k, epsilon, 1_000_000 * run + 1000 * m as u64 + i as u64)?;
                let published = Published::new("", "Shoal");
                let release = if method == "tree" {
                    let file = SynopsisFile::of(outcome, &table.bounds, method, published).ok_or("no cells")?;
                    MergeRelease::Synopsis(Box::new(file))
                } else {
                    MergeRelease::Model(Box::new(Model::of(&outcome, &table.bounds, method, published)))
                };
                Ok((format!("custodian {i}"), release))
            };
            parts.par_iter().enumerate().map(one).collect()
        };
        let merge =
            |method| -> Result<Model, Failure> { Ok(Merge::new(k)?.seed(run).run_releases(releases(method)?)?) };
        let (models, synopses) = (merge("auto")?, merge("tree")?);
        let nicv = |model: &Model| table.nicv(&model.centres.concat());
        let tallies = [Tally::of(table, &models), Tally::of(table, &synopses)];
        Ok(Self { models: nicv(&models), synopses: nicv(&synopses), tallies })
    }
}

/// Hits and tries.
#[derive(Clone, Copy, Default)]
struct Share(f64, f64);

impl Share {
    fn see(&mut self, hit: bool) {
        self.0 += f64::from(u8::from(hit));
        self.1 += 1.0;
    }

    fn add(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.1 > 0.0 { write!(f, "{:.0}", 100.0 * self.0 / self.1) } else { f.write_str("–") }
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    stable: Share,
    all: Share,
    sizes: Share,
    at_least: Share,
}

impl Tally {
    fn of(table: &Table, model: &Model) -> Self {
        let mut tally = Self::default();
        let Some(certainty) = &model.certainty else { return tally };
        let dims = table.points.dims();
        tally.at_least.see(certainty.intervals_at_least);
        let (k, other) = (model.k(), table.sizes.len());
        let cost = |i: usize| squared(&model.centres[i / other], &table.centres[i % other * dims..][..dims]);
        let truth = assign_min_cost(k, other, &(0..k * other).map(cost).collect::<Vec<_>>()).column_of;
        for (j, at) in truth.into_iter().enumerate() {
            let Some(at) = at else { continue };
            let stable = certainty.stability.get(j).is_none_or(|&share| share >= STABLE);
            for (a, [low, high]) in certainty.intervals[j].iter().enumerate() {
                let x = table.centres[at * dims + a];
                let covered = *low <= x && x <= *high;
                tally.all.see(covered);
                if stable {
                    tally.stable.see(covered);
                }
            }
            if let (Some([low, high]), true) = (certainty.size_intervals.get(j), stable) {
                tally.sizes.see(*low <= table.sizes[at] && table.sizes[at] <= *high);
            }
        }
        tally
    }

    fn add(&mut self, other: &Self) {
        self.stable.add(other.stable);
        self.all.add(other.all);
        self.sizes.add(other.sizes);
        self.at_least.add(other.at_least);
    }
}
