//! How often intervals cover what they are about.
//!
//! `coverage [FOLDER] [--fits 12] [--epsilon 0.3,1,3] [--only NAME,…] [--group calibration|held-out|real] [--method auto]
//! [--first 0]`.
//! Prints a table with a line for each family of made-up tables and each budget, and for each real table that FOLDER holds.
//! The bounds of a real table are its own minima and maxima, and the number of rows is public: right for measuring, wrong
//! for releasing. Constants of the library were adjusted on the *calibration* families alone.
//!
//! The optimum is the best of 25 initialisations of k-means without privacy, matched to the released centres by the
//! smallest sum of squared distances. Two fits share a table, and made-up tables are drawn anew for every two fits.
//! `--first 100` takes other tables and other noise than `--first 0`.
//!
//! | column | |
//! |---|---|
//! | stable | per cent of the coordinates of clusters with stability ≥ 0.9 whose interval covers the optimum |
//! | all | the same for all clusters |
//! | sizes | per cent of sizes of stable clusters whose interval covers that of the optimum's cluster |
//! | rerun | per cent of the coordinates of stable clusters within the rerun distance of the other fit |
//! | width | median half-width in units of the ideal one, 1.96 standard deviations of the error as its median shows it; stable clusters |
//! | clusters | share of clusters that are stable |
//! | given, seen | mean stability; share of clusters that reappear in the other fit |
//! | explained | per cent of fits whose interval covers the true share of variance explained |
//! | ≥ | intervals are marked as lower bounds |

use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::families::{CALIBRATION, Family, HELD_OUT};
use shoal_bench::{Failure, read, squared};
use shoal_curator::certainty::STABLE;
use shoal_curator::{Certainty, DesignSize, Outcome, Settings, find_method};
use shoal_files::PointStore;
use shoal_kernel::{LatticeCentres, Restarts, SearchCentres, assign, assign_min_cost, kmeans_restarts};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::Allowance;
use shoal_scan::LocalScan;

/// Real tables with the number of clusters that is asked for.
const REAL: &[(&str, usize)] = &[
    ("iris", 3),
    ("seeds", 3),
    ("s1", 15),
    ("aggregation", 7),
    ("blood_transfusion", 4),
    ("tiger_surrogate_wa_nm", 2),
    ("road3d_first5000", 4),
    ("house_rgb_sipi_unique", 3),
    ("adult_num", 5),
    ("travel_reviews", 4),
    ("lifesci", 3),
    ("electrical_grid", 5),
    ("wine", 3),
    ("credit_card_default", 5),
    ("google_review_ratings", 4),
    ("wdbc", 2),
];

/// Initialisations that find the optimum.
const STARTS: usize = 25;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    println!(
        "| group | table | d | k | ε | stable | all | sizes | rerun | width | clusters | given, seen | explained | ≥ | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (group, families) in [("calibration", CALIBRATION), ("held-out", HELD_OUT)] {
        for family in families.iter().filter(|family| options.wants(group, family.name)) {
            options.measure(group, family.name, family.k, &Tables::Made(family))?;
        }
    }
    for &(name, k) in REAL.iter().filter(|(name, _)| options.wants("real", name)) {
        let path = options.folder.as_ref().and_then(|folder| find_table(folder, name));
        match path {
            Some(path) => {
                let table = Table::new(read(&path.to_string_lossy())?, k);
                options.measure("real", name, k, &Tables::One(Box::new(table)))?;
            }
            None => eprintln!("no table {name}: name the folder that holds it"),
        }
    }
    Ok(())
}

struct Options {
    folder: Option<PathBuf>,
    fits: u64,
    epsilon: Vec<String>,
    only: Option<Vec<String>>,
    group: Option<String>,
    method: String,
    first: u64,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let epsilon = ["0.3", "1", "3"].map(String::from).to_vec();
        let mut options =
            Self { folder: None, fits: 12, epsilon, only: None, group: None, method: "auto".into(), first: 0 };
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                options.folder = Some(arg.into());
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            let list = || value.split(',').map(str::to_string).collect::<Vec<_>>();
            match arg.as_str() {
                "--fits" => options.fits = value.parse()?,
                "--epsilon" => options.epsilon = list(),
                "--only" => options.only = Some(list()),
                "--group" => options.group = Some(value),
                "--method" => options.method = value,
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

    /// Prints a line for each budget.
    fn measure(&self, group: &str, name: &str, k: usize, tables: &Tables<'_>) -> Result<(), Failure> {
        for epsilon in &self.epsilon {
            let pairs: Result<Vec<Tally>, Failure> = (self.first..self.first + self.fits.div_ceil(2))
                .into_par_iter()
                .map(|pair| tables.with(pair, |table| self.pair(table, k, epsilon, pair)))
                .collect();
            let mut all = Tally::default();
            pairs?.into_iter().for_each(|pair| all.add(pair));
            println!("| {group} | {name} | {} | {k} | {epsilon} | {} |", all.dims, all.line());
        }
        Ok(())
    }

    fn pair(&self, table: &Table, k: usize, epsilon: &str, pair: u64) -> Result<Tally, Failure> {
        let method = find_method(&self.method).ok_or_else(|| format!("there is no method {}", self.method))?;
        let budget = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let settings = Settings::new(k, budget, DesignSize::Public(table.points.rows() as u64));
        let system = method.build(&settings, table.points.dims())?;
        let mut tally = Tally { dims: table.points.dims(), ..Tally::default() };
        let fits: Result<Vec<Outcome>, Failure> = (0..2)
            .map(|i| {
                let start = Instant::now();
                let allowance = Allowance::without_ledger(system.claim());
                let found = system.run(&table.scan, allowance, &mut SeededNoise::new(2 * pair + i))?;
                tally.seconds.push(start.elapsed().as_secs_f64());
                Ok(found)
            })
            .collect();
        let fits = fits?;
        for (fit, other) in [(&fits[0], &fits[1]), (&fits[1], &fits[0])] {
            tally.count(table, fit, other);
        }
        Ok(tally)
    }
}

fn find_table(folder: &Path, name: &str) -> Option<PathBuf> {
    ["csv", "csv.gz"].map(|ending| folder.join(format!("{name}.{ending}"))).into_iter().find(|path| path.exists())
}

enum Tables<'a> {
    Made(&'a Family),
    One(Box<Table>),
}

impl Tables<'_> {
    fn with<T>(&self, pair: u64, then: impl FnOnce(&Table) -> T) -> T {
        match self {
            Self::Made(family) => then(&Table::new(family.draw(pair), family.k)),
            Self::One(table) => then(table),
        }
    }
}

/// Rows and the best clustering of them without privacy.
struct Table {
    points: LatticePoints,
    scan: LocalScan,
    centres: Vec<f64>,
    sizes: Vec<f64>,
    variance: f64,
}

impl Table {
    fn new(points: LatticePoints, k: usize) -> Self {
        let random = &mut SeededNoise::new(7);
        let options = |clusters, restarts| Restarts { clusters, restarts, iterations: 200 };
        let best = kmeans_restarts(&points, None, &options(k, STARTS), &mut || random.next_u64());
        let one = kmeans_restarts(&points, None, &options(1, 1), &mut || random.next_u64());
        let mut scanned = LatticePoints::with_capacity(points.dims(), points.rows());
        let mut row = vec![0; points.dims()];
        for i in 0..points.rows() {
            points.copy_row(i, &mut row);
            scanned.push_row(&row);
        }
        let scan = LocalScan::new(PointStore::InMemory(scanned));
        let mut table = Self { scan, centres: best.centres, sizes: best.weights, variance: 0.0, points };
        table.variance = table.nicv(&one.centres);
        table
    }

    fn nicv(&self, centres: &[f64]) -> f64 {
        let dims = self.points.dims();
        let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
        let mut labels = vec![0; self.points.rows()];
        assign(&self.points, 0..self.points.tiles(), &search, &mut labels);
        let (mut row, mut sum) = (vec![0; dims], 0.0);
        for (i, &label) in labels.iter().enumerate() {
            self.points.copy_row(i, &mut row);
            let unit: Vec<f64> = row.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect();
            sum += squared(&unit, &centres[label as usize * dims..][..dims]);
        }
        sum / self.points.rows() as f64
    }
}

/// The centre of `from` for each centre of `to`.
fn matched(to: &[f64], from: &[f64], dims: usize) -> Vec<Option<usize>> {
    let (a, b) = (to.len() / dims, from.len() / dims);
    let cost = |i: usize| squared(&to[i / b * dims..][..dims], &from[i % b * dims..][..dims]);
    assign_min_cost(a, b, &(0..a * b).map(cost).collect::<Vec<_>>()).column_of
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
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

    fn per_cent(self) -> String {
        if self.1 > 0.0 { format!("{:.0}", 100.0 * self.0 / self.1) } else { "–".into() }
    }

    fn mean(self) -> String {
        if self.1 > 0.0 { format!("{:.2}", self.0 / self.1) } else { "–".into() }
    }
}

#[derive(Clone, Default)]
struct Tally {
    dims: usize,
    stable: Share,
    all: Share,
    sizes: Share,
    rerun: Share,
    clusters: Share,
    given: Share,
    seen: Share,
    explained: Share,
    at_least: Share,
    half_widths: Vec<f64>,
    errors: Vec<f64>,
    seconds: Vec<f64>,
}

impl Tally {
    fn count(&mut self, table: &Table, fit: &Outcome, other: &Outcome) {
        let dims = self.dims;
        let Some(certainty) = &fit.certainty else { return };
        let centres = BoxPosition::numbers(&fit.centres.concat());
        let others = BoxPosition::numbers(&other.centres.concat());
        let (truth, again) = (matched(&centres, &table.centres, dims), matched(&centres, &others, dims));
        self.at_least.see(certainty.at_least);
        for j in 0..fit.centres.len() {
            let stable = certainty.stability.get(j).is_none_or(|&share| share >= STABLE);
            self.clusters.see(stable);
            if let Some(&share) = certainty.stability.get(j) {
                self.given.add(Share(share, 1.0));
            }
            let own = &centres[j * dims..][..dims];
            if let Some(true_one) = truth[j] {
                let optimum = &table.centres[true_one * dims..][..dims];
                self.coordinates(certainty, j, own, optimum, stable);
                if let (Some(range), true) = (certainty.sizes.get(j), stable) {
                    let rows = table.sizes[true_one];
                    self.sizes.see(range.low <= rows && rows <= range.high);
                }
            }
            if let Some(again) = again[j] {
                let later = &others[again * dims..][..dims];
                for (i, distance) in certainty.rerun[j].iter().enumerate().filter(|_| stable) {
                    self.rerun.see((own[i] - later[i]).abs() <= distance.0);
                }
                let apart = |other: &[f64]| squared(own, other).sqrt();
                let nearest = (0..fit.centres.len()).filter(|&o| o != j).map(|o| apart(&centres[o * dims..][..dims]));
                self.seen.see(apart(later) < 0.5 * nearest.fold(f64::INFINITY, f64::min));
            }
        }
        if let Some(explained) = certainty.explained {
            let share = 1.0 - table.nicv(&centres) / table.variance;
            self.explained.see(explained.low <= share && share <= explained.high);
        }
    }

    fn coordinates(&mut self, certainty: &Certainty, j: usize, own: &[f64], optimum: &[f64], stable: bool) {
        for (i, range) in certainty.centres[j].iter().enumerate() {
            let covered = range.low.0 <= optimum[i] && optimum[i] <= range.high.0;
            self.all.see(covered);
            if stable {
                self.stable.see(covered);
                self.half_widths.push(0.5 * (range.high.0 - range.low.0));
                self.errors.push((own[i] - optimum[i]).abs());
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.dims = other.dims;
        let all = [
            (&mut self.stable, other.stable),
            (&mut self.all, other.all),
            (&mut self.sizes, other.sizes),
            (&mut self.rerun, other.rerun),
            (&mut self.clusters, other.clusters),
            (&mut self.given, other.given),
            (&mut self.seen, other.seen),
            (&mut self.explained, other.explained),
            (&mut self.at_least, other.at_least),
        ];
        all.into_iter().for_each(|(share, more)| share.add(more));
        self.half_widths.extend(other.half_widths);
        self.errors.extend(other.errors);
        self.seconds.extend(other.seconds);
    }

    fn line(&self) -> String {
        // Half of a normal variable's draws are within 0.6745 standard deviations.
        let width = median(&self.half_widths) / (1.96 * median(&self.errors) / 0.6745);
        let width = if width.is_finite() { format!("{width:.1}") } else { "–".into() };
        let seconds = self.seconds.iter().sum::<f64>() / self.seconds.len() as f64;
        format!(
            "{} | {} | {} | {} | {width} | {} | {}, {} | {} | {} | {seconds:.2}",
            self.stable.per_cent(),
            self.all.per_cent(),
            self.sizes.per_cent(),
            self.rerun.per_cent(),
            self.clusters.mean(),
            self.given.mean(),
            self.seen.mean(),
            self.explained.per_cent(),
            if self.at_least.0 > 0.0 { "≥" } else { "" },
        )
    }
}
