//! How well `shoal plan` predicts what privacy does to a clustering: predicted and measured moves of centres, errors of sizes
//! and clusters found, for families of made-up tables and for tables of a folder.
//!
//! `plan_accuracy [FOLDER] [--tables 10] [--runs 6] [--data NAME:K,…] [--only GROUP] [--cells FILE]`. Without FOLDER only
//! made-up tables are measured. `--tables` is the number of tables of each family, from 300 to 100,000 rows, 1 to 20 columns,
//! 2 to 20 clusters; each is fitted `--runs` times at ε = 0.01, 0.03, 0.1, 0.3, 1 and 4. `--cells` writes every cell as CSV.
//!
//! The forecast gets the spread, the overlap and the smallest cluster as measured on k-means without privacy: it is judged as
//! a formula, for an analyst who guesses right. The last line of a folder's table gives it nothing but the defaults.
//!
//! A cell counts for centres and sizes when at least 85 % of its clusters are found. Both errors are root mean squares over
//! clusters (weighted by rows) and columns, the median over runs; below 0.05 % of the range, or 0.2 % of the average size,
//! errors are taken to be that much. *Inside ±* is the share of all single moves within the predicted ±, meant to be 90 %.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use rayon::prelude::*;
use shoal_bench::{CuratorTable, Failure, Moved, PlanFamily, Reference, read, run_auto};
use shoal_curator::{Accuracy, Auto, AutoParams, DataGuess, DesignSize, Found, predict_accuracy};
use shoal_lattice::Widths;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;

const EPSILONS: [&str; 6] = ["0.01", "0.03", "0.1", "0.3", "1", "4"];

/// Tables of a folder and numbers of clusters, where `--data` names none.
const TABLES: &str = "gauss_d2_k5:5,gauss_d5_k10:10,gauss_d10_k5:5,s1:15,s2:15,house_rgb_sipi_unique:3,adult_num:5,lifesci:3,\
    blood_transfusion:4,iris:3,seeds:3,wine:3,wdbc:2,travel_reviews:4,gowalla_surrogate_107091:5,tiger_surrogate_wa_nm:2,\
    electrical_grid:5,google_review_ratings:4,credit_card_default:5,road3d_first5000:4";

/// Smaller errors count as equal.
const SMALLEST_MOVE: f64 = 0.0005;
const SMALLEST_SIZE: f64 = 0.002;

/// A cell with fewer clusters than this share has no errors to speak of.
const ENOUGH: f64 = 0.85;

/// Below this share, a fit is hopeless.
const HOPELESS: f64 = 0.5;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut cells = Vec::new();
    let groups: [(&str, &[PlanFamily], usize); 3] = [
        ("calibration", &PlanFamily::CALIBRATION, 0),
        ("checked while it was built", &PlanFamily::CHECKED, 1000),
        ("held out", &PlanFamily::HELD_OUT, 2000),
    ];
    for (name, families, first) in groups.into_iter().filter(|(name, ..)| options.wants(name)) {
        let jobs: Vec<(PlanFamily, usize)> =
            (first..first + options.tables).flat_map(|i| families.iter().map(move |&family| (family, i))).collect();
        let measured: Result<Vec<Vec<Cell>>, Failure> =
            jobs.into_par_iter().map(|(family, i)| made_up(family, i, options.runs)).collect();
        let measured: Vec<Cell> = measured?.into_iter().flatten().collect();
        println!("\n{name}\n{}", summary(&measured, families.iter().map(|family| family.name()), Cell::guessed));
        cells.extend(measured);
    }
    if let Some(folder) = &options.folder {
        let mut measured = Vec::new();
        for entry in options.data.split(',').map(str::trim) {
            let (name, k) = entry.split_once(':').ok_or_else(|| format!("{entry}: write NAME:K"))?;
            let paths = ["csv", "csv.gz"].map(|ending| folder.join(format!("{name}.{ending}")));
            let Some(path) = paths.into_iter().find(|path| path.is_file()) else {
                eprintln!("{name} is not in the folder");
                continue;
            };
            let table = CuratorTable::new(read(&path.to_string_lossy())?);
            measured.extend(measure(name, &table, k.parse()?, None, options.runs)?);
        }
        let names: Vec<String> = measured.iter().map(|cell| cell.family.clone()).collect();
        let mut unique: Vec<&str> = names.iter().map(String::as_str).collect();
        unique.dedup();
        println!("\nshared tables\n{}", summary(&measured, unique.into_iter(), Cell::guessed));
        println!("with the default guesses\n{}", summary(&measured, std::iter::empty(), Cell::unguessed));
        cells.extend(measured);
    }
    if let Some(path) = &options.cells {
        let mut file = std::fs::File::create(path)?;
        writeln!(file, "{}", Cell::HEADING)?;
        for cell in &cells {
            writeln!(file, "{}", cell.line())?;
        }
    }
    Ok(())
}

struct Options {
    folder: Option<PathBuf>,
    tables: usize,
    runs: u64,
    data: String,
    only: Option<String>,
    cells: Option<PathBuf>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self { folder: None, tables: 10, runs: 6, data: TABLES.into(), only: None, cells: None };
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                options.folder = Some(arg.into());
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            match arg.as_str() {
                "--tables" => options.tables = value.parse()?,
                "--runs" => options.runs = value.parse()?,
                "--data" => options.data = value,
                "--only" => options.only = Some(value),
                "--cells" => options.cells = Some(value.into()),
                _ => return Err(format!("there is no option {arg}").into()),
            }
        }
        if options.runs == 0 {
            return Err("--runs 0 measures nothing; give 1 or more".into());
        }
        Ok(options)
    }

    fn wants(&self, group: &str) -> bool {
        self.only.as_ref().is_none_or(|only| group.starts_with(only.as_str()))
    }
}

/// One table at one ε.
struct Cell {
    family: String,
    rows: usize,
    dims: usize,
    k: usize,
    epsilon: &'static str,
    route: &'static str,
    guess: DataGuess,
    /// Mean number of clusters found.
    found: f64,
    /// Medians over runs.
    centre: Option<f64>,
    size: Option<f64>,
    nicv_ratio: f64,
    /// Every move of a run, for the share inside the predicted ±.
    each: Vec<f64>,
    predicted: Accuracy,
    by_default: Accuracy,
}

/// Makes one table and measures it.
fn made_up(family: PlanFamily, number: usize, runs: u64) -> Result<Vec<Cell>, Failure> {
    let random = &mut SeededNoise::new(1000 * number as u64 + family as u64);
    let mut pick = |list: &[f64]| list[(unit_f64(random) * list.len() as f64) as usize];
    let dims = pick(&[1.0, 2.0, 3.0, 4.0, 6.0, 10.0, 15.0, 20.0]) as usize;
    let k = pick(&[2.0, 3.0, 5.0, 8.0, 12.0, 20.0]) as usize;
    let spread = pick(&[0.03, 0.05, 0.08, 0.12]);
    let rows = (300.0 * (100_000.0f64 / 300.0).powf(unit_f64(random))) as usize;
    let k = k.min(rows / 30);
    let (points, truth) = family.table(rows, dims, k, spread, number as u64);
    measure(family.name(), &CuratorTable::new(points), k, Some(&truth), runs)
}

fn measure(name: &str, table: &CuratorTable, k: usize, truth: Option<&[f64]>, runs: u64) -> Result<Vec<Cell>, Failure> {
    let reference = Reference::new(table.points(), k, truth, 5)?;
    let (rows, dims) = (table.rows(), table.points().dims());
    let guess =
        DataGuess { spread: Widths(reference.spread), overlap: reference.overlap, smallest: Some(reference.smallest) };
    let cell = |epsilon: &'static str| -> Result<Cell, Failure> {
        let budget = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let choice = Auto::new(AutoParams::new(k, budget, DesignSize::Public(rows as u64)), dims)?.choice(rows as f64);
        let moved: Result<Vec<Moved>, Failure> =
            (0..runs).into_par_iter().map(|seed| reference.moved(table, &run_auto(table, k, epsilon, seed)?)).collect();
        let moved = moved?;
        let mean = |of: &dyn Fn(&Moved) -> f64| moved.iter().map(of).sum::<f64>() / moved.len() as f64;
        Ok(Cell {
            family: name.into(),
            rows,
            dims,
            k,
            epsilon,
            route: choice.route.name(),
            guess,
            found: mean(&|moved| moved.found as f64),
            centre: median(moved.iter().filter_map(|moved| moved.centre)),
            size: median(moved.iter().filter_map(|moved| moved.size)),
            nicv_ratio: mean(&|moved| moved.nicv) / reference.nicv.max(1e-12),
            each: moved.iter().flat_map(|moved| moved.each.iter().copied()).collect(),
            predicted: predict_accuracy(&choice, rows as f64, dims, k, &guess),
            by_default: predict_accuracy(&choice, rows as f64, dims, k, &DataGuess::default()),
        })
    };
    EPSILONS.into_iter().map(cell).collect()
}

impl Cell {
    const HEADING: &str = "family,rows,columns,k,spread,overlap,smallest,epsilon,route,found,found_predicted,centre,\
        centre_predicted,size,size_predicted,nicv_ratio,nicv_ratio_predicted";

    fn line(&self) -> String {
        let Self { family, rows, dims, k, epsilon, route, guess, found, nicv_ratio, predicted, .. } = self;
        let average = *rows as f64 / *k as f64;
        let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.6}"));
        format!(
            "{family},{rows},{dims},{k},{:.5},{:.5},{:.5},{epsilon},{route},{found:.3},{:.3},{},{:.6},{},{},{nicv_ratio:.4},{:.4}",
            guess.spread.0,
            guess.overlap,
            guess.smallest.unwrap_or(f64::NAN),
            predicted.found,
            number(self.centre),
            predicted.centre.0,
            number(self.size),
            number(predicted.size.map(|size| size / average)),
            predicted.nicv_ratio,
        )
    }

    /// The forecast with the guess that the data deserve.
    fn guessed(&self) -> &Accuracy {
        &self.predicted
    }

    /// The forecast with the default guess.
    fn unguessed(&self) -> &Accuracy {
        &self.by_default
    }

    fn found_share(&self) -> f64 {
        self.found / self.k as f64
    }

    /// Predicted by measured move.
    fn centre_ratio(&self, predicted: &Accuracy) -> Option<f64> {
        let measured = self.centre.filter(|_| self.found_share() >= ENOUGH)?;
        Some(predicted.centre.0.max(SMALLEST_MOVE) / measured.max(SMALLEST_MOVE))
    }

    /// Predicted by measured error of a size.
    fn size_ratio(&self, predicted: &Accuracy) -> Option<f64> {
        let measured = self.size.filter(|_| self.found_share() >= ENOUGH)?;
        let predicted = predicted.size? * self.k as f64 / self.rows as f64;
        Some(predicted.max(SMALLEST_SIZE) / measured.max(SMALLEST_SIZE))
    }
}

/// A line for each family and one for all, then the verdicts.
fn summary<'a>(cells: &[Cell], names: impl Iterator<Item = &'a str>, forecast: fn(&Cell) -> &Accuracy) -> String {
    let mut text =
        format!("  {:<26} {:>6} {:>22} {:>22} {:>10}\n", "", "cells", "centres within 2", "sizes within 2", "inside ±");
    for name in names {
        let of: Vec<&Cell> = cells.iter().filter(|cell| cell.family == name).collect();
        text.push_str(&line(name, &of, forecast));
    }
    let all: Vec<&Cell> = cells.iter().collect();
    text.push_str(&line("all", &all, forecast));
    let hopeless: Vec<&&Cell> = all.iter().filter(|cell| cell.found_share() < HOPELESS).collect();
    let noisy = |cell: &Cell| forecast(cell).verdict() == Found::TooNoisy;
    let caught = hopeless.iter().filter(|cell| noisy(cell)).count();
    let promised = hopeless.iter().filter(|cell| forecast(cell).verdict() == Found::All).count();
    let flagged: Vec<&&Cell> = all.iter().filter(|cell| noisy(cell)).collect();
    let fine = flagged.iter().filter(|cell| cell.found_share() >= ENOUGH).count();
    let _ = writeln!(
        text,
        "  of {} hopeless cells (fewer than half of the clusters found) {caught} were called too noisy and {promised} \
         were promised all clusters; of {} cells called too noisy {fine} found {:.0} % or more",
        hopeless.len(),
        flagged.len(),
        100.0 * ENOUGH
    );
    text
}

fn line(name: &str, cells: &[&Cell], forecast: fn(&Cell) -> &Accuracy) -> String {
    let within = |ratios: Vec<f64>| {
        let good = ratios.iter().filter(|ratio| (0.5..=2.0).contains(*ratio)).count();
        let share = 100.0 * good as f64 / ratios.len().max(1) as f64;
        let middle = median(ratios.iter().copied()).unwrap_or(f64::NAN);
        format!("{good}/{} {share:.0} % ×{middle:.2}", ratios.len())
    };
    let centres = within(cells.iter().filter_map(|cell| cell.centre_ratio(forecast(cell))).collect());
    let sizes = within(cells.iter().filter_map(|cell| cell.size_ratio(forecast(cell))).collect());
    let (mut inside, mut moves) = (0, 0);
    for cell in cells.iter().filter(|cell| cell.found_share() >= ENOUGH) {
        let most = forecast(cell).centre_plus_minus().0;
        inside += cell.each.iter().filter(|&&moved| moved <= most).count();
        moves += cell.each.len();
    }
    let inside = 100.0 * inside as f64 / f64::from(moves.max(1) as u32);
    format!("  {name:<26} {:>6} {centres:>22} {sizes:>22} {inside:>8.1} %\n", cells.len())
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        even if even % 2 == 0 => Some(0.5 * (values[middle - 1] + values[middle])),
        _ => Some(values[middle]),
    }
}
