//! How often `-k auto` finds the number of clusters, family by family.
//!
//! `choose_k [--runs 20] [--epsilon 0.5,1] [--most 20] [--only calibration|held-out|new] [--family TEXT] [--check]`. Every run
//! draws a table and fits it. Thresholds were set on the families of the first table; those of the second were looked at
//! once, afterwards, and so were those of the third when rows were counted along lines. `--family` keeps families whose name contains the text. `--check` gives the true number of clusters
//! (3 where there is one) to the fit and reports the number that it supports. Seeds are for measuring, not for releasing.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::{Failure, Shape, table_seed};
use shoal_curator::{Auto, AutoParams, Decision, DesignSize, System};
use shoal_files::PointStore;
use shoal_noise::SeededNoise;
use shoal_privacy::Allowance;
use shoal_scan::LocalScan;

/// A family of tables.
struct Family {
    shape: Shape,
    rows: usize,
    dims: usize,
}

const fn of(shape: Shape, rows: usize, dims: usize) -> Family {
    Family { shape, rows, dims }
}

const fn groups(k: usize, apart: f64, rows: usize, dims: usize) -> Family {
    of(Shape::Groups { k, apart }, rows, dims)
}

/// Families on which thresholds and the division of the budget were set.
const CALIBRATION: &[Family] = &[
    of(Shape::Gaussian, 1_000, 2),
    of(Shape::Gaussian, 30_000, 2),
    of(Shape::Gaussian, 10_000, 10),
    of(Shape::Correlated, 10_000, 4),
    of(Shape::Correlated, 10_000, 6),
    of(Shape::Uniform, 1_000, 2),
    of(Shape::Uniform, 30_000, 2),
    of(Shape::Uniform, 10_000, 5),
    of(Shape::Exponential, 10_000, 2),
    groups(2, 7.0, 3_000, 2),
    groups(3, 7.0, 3_000, 2),
    groups(10, 6.0, 10_000, 2),
    groups(4, 7.0, 10_000, 5),
    groups(2, 7.0, 3_000, 10),
    groups(5, 7.0, 3_000, 10),
    groups(10, 7.0, 10_000, 10),
    groups(4, 3.0, 10_000, 2),
    groups(3, 3.0, 10_000, 5),
];

/// Families that were looked at once, with all of that fixed.
const HELD_OUT: &[Family] = &[
    of(Shape::Gaussian, 1_000, 5),
    of(Shape::Gaussian, 30_000, 4),
    of(Shape::Correlated, 10_000, 10),
    of(Shape::Uniform, 1_000, 4),
    of(Shape::Uniform, 30_000, 3),
    of(Shape::Exponential, 30_000, 4),
    of(Shape::Ball, 10_000, 3),
    of(Shape::Student, 10_000, 3),
    of(Shape::LogNormal, 10_000, 2),
    groups(2, 7.0, 3_000, 6),
    groups(5, 7.0, 3_000, 4),
    groups(7, 6.0, 10_000, 3),
    groups(6, 7.0, 10_000, 8),
    groups(9, 7.0, 3_000, 7),
    groups(10, 7.0, 30_000, 5),
    groups(8, 7.0, 100_000, 10),
    groups(10, 7.0, 100_000, 2),
    of(Shape::Unbalanced { k: 5, apart: 7.0, factor: 0.6 }, 10_000, 3),
    of(Shape::Elongated { k: 4, apart: 6.0 }, 10_000, 3),
    groups(5, 3.0, 30_000, 3),
    groups(3, 2.5, 10_000, 2),
];

/// Families that had not been there before rows were counted along lines. Eight groups in six columns then had a part in the
/// division of the budget.
const NEW: &[Family] = &[
    of(Shape::Uniform, 3_000, 7),
    of(Shape::Correlated, 3_000, 8),
    of(Shape::Student, 3_000, 8),
    of(Shape::Exponential, 3_000, 6),
    groups(2, 7.0, 5_000, 8),
    groups(2, 6.0, 10_000, 10),
    groups(3, 7.0, 3_000, 9),
    groups(4, 7.0, 3_000, 8),
    groups(8, 7.0, 3_000, 6),
    groups(6, 7.0, 3_000, 10),
    of(Shape::Unbalanced { k: 3, apart: 7.0, factor: 0.5 }, 5_000, 9),
    groups(2, 3.0, 10_000, 4),
    groups(4, 3.5, 10_000, 3),
];

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    for (title, families) in [("Calibration", CALIBRATION), ("Held out", HELD_OUT), ("New", NEW)] {
        if options.only.as_ref().is_some_and(|only| *only != title.to_lowercase().replace(' ', "-")) {
            continue;
        }
        println!("\n{title}\n\n| family | truth | ε | chosen k:how often | right | more than the truth | seconds |");
        println!("|---|---|---|---|---|---|---|");
        for family in families {
            let name = family.name();
            if !name.contains(&options.family) {
                continue;
            }
            for epsilon in &options.epsilon {
                println!("{}", family.line(epsilon, &options)?);
            }
        }
    }
    Ok(())
}

impl Family {
    fn name(&self) -> String {
        let Self { shape, rows, dims } = self;
        let what = match shape {
            Shape::Groups { k, apart } => format!("{k} groups, {apart} sd"),
            Shape::Unbalanced { k, apart, factor } => format!("{k} groups, {apart} sd, sizes by {factor}"),
            Shape::Elongated { k, apart } => format!("{k} long groups, {apart} sd"),
            other => format!("{other:?}"),
        };
        format!("{what}, {rows} × {dims}")
    }

    /// Fits as many tables as asked for.
    fn line(&self, epsilon: &str, options: &Options) -> Result<String, Failure> {
        let began = Instant::now();
        let runs: Result<Vec<usize>, Failure> =
            (0..options.runs).into_par_iter().map(|run| self.chosen(epsilon, run, options)).collect();
        let seconds = began.elapsed().as_secs_f64() / options.runs as f64 * rayon::current_num_threads() as f64;
        let truth = self.shape.truth();
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        for k in runs? {
            *times.entry(k).or_default() += 1;
        }
        let right = times.get(&truth).copied().unwrap_or(0);
        let more: usize = times.iter().filter(|(k, _)| **k > truth).map(|(_, times)| times).sum();
        let mut ranked: Vec<(usize, usize)> = times.into_iter().collect();
        ranked.sort_by_key(|&(k, times)| (std::cmp::Reverse(times), k));
        let list: Vec<String> = ranked.iter().map(|(k, times)| format!("{k}:{times}")).collect();
        Ok(format!(
            "| {} | {truth} | {epsilon} | {} | {right}/{} | {more} | {seconds:.2} |",
            self.name(),
            list.join(" "),
            options.runs
        ))
    }

    /// The number of clusters that a fit chooses, or supports where the true one was given.
    fn chosen(&self, epsilon: &str, run: u64, options: &Options) -> Result<usize, Failure> {
        let seed = table_seed(&self.name(), run);
        let table = self.shape.draw(self.rows, self.dims, &mut SeededNoise::new(seed));
        // Where there is one cluster, more are asked for.
        let given = if self.shape.truth() == 1 { 3 } else { self.shape.truth() };
        let k = if options.check { given } else { options.most };
        let epsilon = epsilon.parse().map_err(|error| format!("ε = {epsilon}: {error}"))?;
        let mut params = AutoParams::new(k, epsilon, DesignSize::Public(self.rows as u64));
        params.choose_up_to = (!options.check).then_some(options.most);
        params.keep_cells = true;
        if !options.check {
            // Intervals are another matter.
            params.kmeans.reruns = 0;
        }
        let fit = Auto::new(params, self.dims)?;
        let scan = LocalScan::new(PointStore::InMemory(table));
        let found = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed ^ 1))?;
        let chosen = found.decisions.iter().find_map(|decision| match decision {
            Decision::ChoseK { k, .. } => Some(*k),
            _ => None,
        });
        let supported = || found.certainty.and_then(|known| known.evidence).map(|evidence| evidence.supported);
        Ok(chosen.or_else(supported).ok_or("a route with cells has evidence")?)
    }
}

struct Options {
    runs: u64,
    epsilon: Vec<String>,
    most: usize,
    family: String,
    only: Option<String>,
    check: bool,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self {
            runs: 20,
            epsilon: vec!["0.5".into(), "1".into()],
            most: 15,
            family: String::new(),
            only: None,
            check: false,
        };
        while let Some(arg) = args.next() {
            if arg == "--check" {
                options.check = true;
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            match arg.as_str() {
                "--runs" => options.runs = value.parse()?,
                "--epsilon" => options.epsilon = value.split(',').map(str::to_string).collect(),
                "--most" => options.most = value.parse()?,
                "--only" => options.only = Some(value),
                "--family" => options.family = value,
                _ => return Err(format!("there is no option {arg}").into()),
            }
        }
        if options.runs == 0 {
            return Err("--runs 0 measures nothing; give 1 or more".into());
        }
        Ok(options)
    }
}
