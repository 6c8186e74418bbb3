//! `auto` against the best of all other software, cell by cell.
//!
//! `auto [FOLDER] [--runs 20] [--method auto] [--data NAME,…] [--epsilon 0.1,…] [--delta n^-1.5] [--peers FILE]
//! [--results FILE]`, from the repository's root. FOLDER holds the tables of `bench/peers.csv`, as `.csv` or `.csv.gz`;
//! without it `SHOAL_DATA` names it. The bounds are a table's own minima and maxima and the number of rows is public, as
//! for the peers: right for measuring, wrong for releasing. Seeds are the numbers of the runs.
//!
//! The bar of a cell is the least of three: the best peer, one centre in the middle of the box (which needs no data),
//! and the systems of the papers as measured in `bench/results/methods.csv`. A cell is *below* the bar when the mean is,
//! *within 2 se* when it is above by no more than twice the standard error of the difference, else *behind*. The ratio is
//! that of the excesses over k-means without privacy.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use shoal_bench::{Bar, CuratorTable, Failure, Measured, Peer, mean, measured, peers, read};
use shoal_curator::Knobs;
use shoal_noise::SeededNoise;
use shoal_privacy::Delta;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let of_papers = measured(&options.results).unwrap_or_else(|error| {
        eprintln!("The papers' systems are not part of the bar: {error}");
        Vec::new()
    });
    let mut tally = Tally::default();
    let mut table: Option<(String, CuratorTable)> = None;
    println!("data,k,epsilon,mean,se,bar,bar_se,bar_by,verdict,excess_ratio,no_data");
    for peer in peers(&options.peers)?.iter().filter(|peer| options.wants(peer)) {
        if table.as_ref().is_none_or(|(name, _)| *name != peer.data) {
            let Some(path) = find_table(&options.folder, &peer.data) else {
                tally.missing.push(format!("{} at ε = {}", peer.data, peer.epsilon));
                continue;
            };
            table = Some((peer.data.clone(), CuratorTable::new(read(&path.to_string_lossy())?)));
        }
        let Some((_, rows)) = &table else { continue };
        let delta = options.delta(rows.rows())?;
        let runs: Result<Vec<f64>, Failure> = (0..options.runs)
            .into_par_iter()
            .map(|seed| {
                let noise = &mut SeededNoise::new(seed);
                Ok(rows.run_at(&options.method, peer.k, &peer.epsilon, &delta, Knobs::default(), noise)?.squared)
            })
            .collect();
        let cell = Cell::new(mean(runs?.into_iter()), peer, &of_papers);
        println!("{}", cell.line(peer));
        tally.add(&cell, peer);
    }
    tally.print();
    Ok(())
}

struct Options {
    folder: PathBuf,
    runs: u64,
    method: String,
    data: Option<Vec<String>>,
    epsilon: Option<Vec<String>>,
    delta: Option<String>,
    peers: String,
    results: String,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut folder = std::env::var_os("SHOAL_DATA").map(PathBuf::from);
        let mut options = Self {
            folder: PathBuf::new(),
            runs: 20,
            method: "auto".into(),
            data: None,
            epsilon: None,
            delta: None,
            peers: "bench/peers.csv".into(),
            results: "bench/results/methods.csv".into(),
        };
        while let Some(arg) = args.next() {
            if !arg.starts_with("--") {
                folder = Some(arg.into());
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            let list = || Some(value.split(',').map(str::to_string).collect());
            match arg.as_str() {
                "--runs" => options.runs = value.parse()?,
                "--method" => options.method = value,
                "--data" => options.data = list(),
                "--epsilon" => options.epsilon = list(),
                "--delta" => options.delta = Some(value),
                "--peers" => options.peers = value,
                "--results" => options.results = value,
                _ => return Err(format!("there is no option {arg}").into()),
            }
        }
        if options.runs == 0 {
            return Err("--runs 0 measures nothing; give 1 or more".into());
        }
        options.folder = folder.ok_or("name the folder of the tables, or set SHOAL_DATA to it")?;
        Ok(options)
    }

    fn wants(&self, peer: &Peer) -> bool {
        self.data.as_ref().is_none_or(|names| names.contains(&peer.data))
            && self.epsilon.as_ref().is_none_or(|budgets| budgets.contains(&peer.epsilon))
    }

    /// A number, or the one that the peers had: rows to the power of −1.5.
    fn delta(&self, rows: usize) -> Result<Delta, Failure> {
        let chosen = match self.delta.as_deref() {
            None => return Ok(Delta::ZERO),
            Some("n^-1.5") => format!("{:.3e}", (rows as f64).powf(-1.5)),
            Some(number) => number.to_string(),
        };
        Ok(chosen.parse().map_err(|error| format!("--delta {chosen}: {error}"))?)
    }
}

fn find_table(folder: &Path, name: &str) -> Option<PathBuf> {
    ["csv", "csv.gz"].map(|ending| folder.join(format!("{name}.{ending}"))).into_iter().find(|path| path.exists())
}

struct Cell<'a> {
    nicv: f64,
    nicv_se: f64,
    bar: Bar<'a>,
    /// Excess over the optimum, as a part of the bar's.
    ratio: f64,
}

impl<'a> Cell<'a> {
    fn new((nicv, nicv_se): (f64, f64), peer: &'a Peer, of_papers: &'a [Measured]) -> Self {
        let bar = Bar::of(peer, of_papers);
        let ratio = (nicv - peer.optimum) / (bar.nicv - peer.optimum);
        Self { nicv, nicv_se, bar, ratio }
    }

    fn verdict(&self) -> &'static str {
        self.bar.verdict(self.nicv, self.nicv_se)
    }

    fn line(&self, peer: &Peer) -> String {
        let Self { nicv, nicv_se, bar, ratio } = self;
        format!(
            "{},{},{},{nicv:.5},{nicv_se:.5},{:.5},{:.5},{}{},{},{ratio:.3},{}",
            peer.data,
            peer.k,
            peer.epsilon,
            bar.nicv,
            bar.nicv_se,
            bar.by,
            if peer.pure || bar.by != peer.name { "" } else { " (with a δ)" },
            self.verdict(),
            peer.no_data
        )
    }
}

#[derive(Default)]
struct Tally {
    cells: usize,
    behind: Vec<String>,
    tenth_better: usize,
    worse_than_blind: Vec<String>,
    missing: Vec<String>,
}

impl Tally {
    fn add(&mut self, cell: &Cell<'_>, peer: &Peer) {
        let name = format!("{} at ε = {}", peer.data, peer.epsilon);
        self.cells += 1;
        self.tenth_better += usize::from(cell.ratio <= 0.9);
        if cell.verdict() == "behind" {
            self.behind.push(name.clone());
        }
        if cell.nicv > peer.no_data {
            self.worse_than_blind.push(name);
        }
    }

    fn print(&self) {
        let list = |names: &[String]| if names.is_empty() { String::new() } else { format!(": {}", names.join("; ")) };
        println!("\n{} cells.", self.cells);
        println!("Behind: {}{}", self.behind.len(), list(&self.behind));
        println!("At least a tenth less excess than the bar: {}", self.tenth_better);
        println!("Worse than an answer without data: {}{}", self.worse_than_blind.len(), list(&self.worse_than_blind));
        if !self.missing.is_empty() {
            println!("No table for {}{}", self.missing.len(), list(&self.missing));
        }
    }
}
