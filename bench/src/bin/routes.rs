//! `auto` against each of its routes, and against the best of all other software at the same ε and at twice that.
//!
//! `routes [FOLDER] [--runs 20] [--quick] [--sets shared,calibration,held-back] [--data NAME,…] [--epsilon 0.1,…]
//! [--most-rows N] [--peers FILE] [--results FILE]`, from the repository's root. FOLDER holds the tables of
//! `bench/peers.csv`; without it `SHOAL_DATA` names it, and without either the shared tables are left out. Made-up tables are
//! those of `bench/src/route_families.rs`: *calibration* set the rules of `auto`, *held-back* did not.
//!
//! Bounds are a table's own limits and the number of rows is public: right for measuring, wrong for releasing. Seeds are the
//! numbers of the runs. The route that `auto` takes is run `--runs` times and the others half as often; that `auto` is
//! its route, number by number, is checked once in every cell. `--quick` is 4 runs, three budgets and every third table.
//!
//! A route is *clearly better* when its mean is lower by more than 5 % and by more than two standard errors of the
//! difference. The best other software is that of `bench/src/bar.rs`.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use shoal_bench::{
    Bar, CALIBRATION_SIZES, CuratorTable, Failure, HELD_BACK_SIZES, MadeUp, Measured, Peer, RouteFamily, mean,
    measured, peers, read,
};
use shoal_curator::{Auto, AutoParams, DesignSize, Knobs, Route};
use shoal_noise::SeededNoise;

const BUDGETS: [&str; 6] = ["0.05", "0.1", "0.25", "0.5", "1", "2"];

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut report = Report::default();
    println!("set,table,rows,dims,k,epsilon,taken,nicv,nicv_se,best,ratio,{}", header());
    if let (true, Some(folder)) = (options.wants_set("shared"), &options.folder) {
        options.shared(folder, &mut report)?;
    }
    for (set, families, sizes) in [
        ("calibration", RouteFamily::CALIBRATION, CALIBRATION_SIZES),
        ("held-back", RouteFamily::HELD_BACK, HELD_BACK_SIZES),
    ] {
        if !options.wants_set(set) {
            continue;
        }
        let tables = MadeUp::all(&families, sizes);
        let step = if options.quick { 3 } else { 1 };
        for made_up in tables.iter().step_by(step).filter(|table| table.rows <= options.most_rows) {
            if options.data.as_ref().is_some_and(|names| !names.iter().any(|name| made_up.name().contains(name))) {
                continue;
            }
            let table = CuratorTable::new(made_up.table());
            for epsilon in options.budgets() {
                let cell = options.measure(&table, made_up.k, epsilon)?;
                println!("{}", cell.line(set, &made_up.name()));
                report.add(set, &made_up.name(), cell);
            }
        }
    }
    report.print();
    Ok(())
}

struct Options {
    folder: Option<PathBuf>,
    runs: u64,
    quick: bool,
    sets: Option<Vec<String>>,
    data: Option<Vec<String>>,
    epsilon: Option<Vec<String>>,
    most_rows: usize,
    peers: String,
    results: String,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self {
            folder: std::env::var_os("SHOAL_DATA").map(PathBuf::from),
            runs: 20,
            quick: false,
            sets: None,
            data: None,
            epsilon: None,
            most_rows: usize::MAX,
            peers: "bench/peers.csv".into(),
            results: "bench/results/methods.csv".into(),
        };
        let mut runs = None;
        while let Some(arg) = args.next() {
            if arg == "--quick" {
                options.quick = true;
                continue;
            }
            if !arg.starts_with("--") {
                options.folder = Some(arg.into());
                continue;
            }
            let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
            let list = || Some(value.split(',').map(str::to_string).collect());
            match arg.as_str() {
                "--runs" => runs = Some(value.parse()?),
                "--sets" => options.sets = list(),
                "--data" => options.data = list(),
                "--epsilon" => options.epsilon = list(),
                "--most-rows" => options.most_rows = value.parse()?,
                "--peers" => options.peers = value,
                "--results" => options.results = value,
                _ => return Err(format!("there is no option {arg}").into()),
            }
        }
        options.runs = runs.unwrap_or(if options.quick { 4 } else { 20 });
        if options.runs < 2 {
            return Err("--runs needs 2 or more: standard errors come from them".into());
        }
        Ok(options)
    }

    fn wants_set(&self, set: &str) -> bool {
        self.sets.as_ref().is_none_or(|sets| sets.iter().any(|wanted| wanted == set))
    }

    fn budgets(&self) -> Vec<&str> {
        match &self.epsilon {
            Some(budgets) => budgets.iter().map(String::as_str).collect(),
            None if self.quick => vec!["0.1", "0.5", "1"],
            None => BUDGETS.to_vec(),
        }
    }

    fn shared(&self, folder: &Path, report: &mut Report) -> Result<(), Failure> {
        let of_papers = measured(&self.results)?;
        let all = peers(&self.peers)?;
        let mut names: Vec<&str> = all.iter().map(|peer| peer.data.as_str()).collect();
        names.dedup();
        for name in names {
            let wanted = self.data.as_ref().is_none_or(|names| names.iter().any(|wanted| name == wanted));
            let path = ["csv", "csv.gz"].map(|ending| folder.join(format!("{name}.{ending}")));
            let Some(path) = path.into_iter().find(|path| path.exists()).filter(|_| wanted) else {
                if wanted {
                    report.missing.push(name.into());
                }
                continue;
            };
            let table = CuratorTable::new(read(&path.to_string_lossy())?);
            if table.rows() > self.most_rows {
                continue;
            }
            let of_table: Vec<&Peer> = all.iter().filter(|peer| peer.data == name).collect();
            for epsilon in self.budgets() {
                let cell = self.measure(&table, of_table[0].k, epsilon)?;
                println!("{}", cell.line("shared", name));
                report.compare(name, &cell, &of_table, &of_papers);
                report.add("shared", name, cell);
            }
        }
        Ok(())
    }

    fn measure(&self, table: &CuratorTable, k: usize, epsilon: &str) -> Result<Cell, Failure> {
        let (rows, dims) = (table.rows(), table.points().dims());
        let budget = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let auto = Auto::new(AutoParams::new(k, budget, DesignSize::Public(rows as u64)), dims)?;
        let taken = auto.choice(rows as f64).route;
        let run = |method: &str, seed: u64| {
            Ok::<f64, Failure>(table.run(method, k, epsilon, Knobs::default(), &mut SeededNoise::new(seed))?.squared)
        };
        let mut routes = Vec::new();
        for route in Route::ALL {
            let runs = if route == taken { self.runs } else { (self.runs / 2).max(2) };
            let found: Result<Vec<f64>, Failure> =
                (0..runs).into_par_iter().map(|seed| run(route.name(), seed)).collect();
            let found = found?;
            if route == taken && run("auto", 0)? != found[0] {
                return Err(format!("auto is not its route {} at ε = {epsilon}", route.name()).into());
            }
            let (nicv, nicv_se) = mean(found.into_iter());
            routes.push(Measurement { route, nicv, nicv_se });
        }
        Ok(Cell { rows, dims, k, epsilon: epsilon.into(), taken, routes })
    }
}

#[derive(Clone, Copy)]
struct Measurement {
    route: Route,
    nicv: f64,
    nicv_se: f64,
}

struct Cell {
    rows: usize,
    dims: usize,
    k: usize,
    epsilon: String,
    taken: Route,
    routes: Vec<Measurement>,
}

fn header() -> String {
    Route::ALL.map(|route| format!("{0},{0}_se", route.name())).join(",")
}

impl Cell {
    fn auto(&self) -> Measurement {
        // The taken route is one of all.
        self.routes.iter().find(|of| of.route == self.taken).copied().unwrap_or(self.routes[0])
    }

    fn best(&self) -> Measurement {
        self.routes.iter().copied().min_by(|a, b| a.nicv.total_cmp(&b.nicv)).unwrap_or(self.routes[0])
    }

    fn ratio(&self) -> f64 {
        self.auto().nicv / self.best().nicv
    }

    /// Another route is clearly better.
    fn is_behind(&self) -> bool {
        let (auto, best) = (self.auto(), self.best());
        self.ratio() > 1.05 && auto.nicv - best.nicv > 2.0 * auto.nicv_se.hypot(best.nicv_se)
    }

    fn line(&self, set: &str, name: &str) -> String {
        let Self { rows, dims, k, epsilon, taken, .. } = self;
        let auto = self.auto();
        let routes: Vec<String> = self.routes.iter().map(|of| format!("{:.5},{:.5}", of.nicv, of.nicv_se)).collect();
        format!(
            "{set},{name},{rows},{dims},{k},{epsilon},{},{:.5},{:.5},{},{:.3},{}",
            taken.name(),
            auto.nicv,
            auto.nicv_se,
            self.best().route.name(),
            self.ratio(),
            routes.join(",")
        )
    }
}

#[derive(Default)]
struct Report {
    /// By set: logarithms of auto against its best route, cells, and what is behind.
    sets: Vec<(String, Vec<f64>, Vec<String>)>,
    /// Against the best other at ε: below, within two standard errors, behind.
    equal: Verdicts,
    /// `auto` against the best other at 2ε, for each 2ε.
    doubled: Vec<(String, Verdicts)>,
    missing: Vec<String>,
}

#[derive(Default)]
struct Verdicts {
    below: usize,
    within: Vec<String>,
    behind: Vec<String>,
}

impl Verdicts {
    fn add(&mut self, verdict: &str, what: String) {
        match verdict {
            "below" => self.below += 1,
            "within 2 se" => self.within.push(what),
            _ => self.behind.push(what),
        }
    }

    fn print(&self, title: &str) {
        let all = self.below + self.within.len() + self.behind.len();
        println!(
            "{title}: {} of {all} below, {} within 2 se, {} behind",
            self.below,
            self.within.len(),
            self.behind.len()
        );
        self.within.iter().for_each(|what| println!("  within 2 se: {what}"));
        self.behind.iter().for_each(|what| println!("  behind: {what}"));
    }
}

impl Report {
    fn add(&mut self, set: &str, name: &str, cell: Cell) {
        if self.sets.last().is_none_or(|(last, ..)| last != set) {
            self.sets.push((set.into(), Vec::new(), Vec::new()));
        }
        // Unwrap safety: there is one now.
        let (_, logs, behind) = self.sets.last_mut().unwrap();
        logs.push(cell.ratio().ln());
        if cell.is_behind() {
            let (auto, best) = (cell.auto(), cell.best());
            behind.push(format!(
                "{name} at ε = {}: {} {:.4} ± {:.4}, {} {:.4} ± {:.4}, ratio {:.2}",
                cell.epsilon,
                auto.route.name(),
                auto.nicv,
                auto.nicv_se,
                best.route.name(),
                best.nicv,
                best.nicv_se,
                cell.ratio()
            ));
        }
    }

    fn compare(&mut self, name: &str, cell: &Cell, of_table: &[&Peer], of_papers: &[Measured]) {
        let auto = cell.auto();
        for peer in of_table {
            let (ours, theirs) = (number(&cell.epsilon), number(&peer.epsilon));
            let bar = Bar::of(peer, of_papers);
            let what = format!(
                "{name}, auto at {} {:.4} ± {:.4}, {} at {} {:.4} ± {:.4}",
                cell.epsilon, auto.nicv, auto.nicv_se, bar.by, peer.epsilon, bar.nicv, bar.nicv_se
            );
            let verdict = bar.verdict(auto.nicv, auto.nicv_se);
            if ours == theirs {
                self.equal.add(verdict, what);
            } else if 2.0 * ours == theirs {
                let place = self.doubled.iter().position(|(epsilon, _)| *epsilon == peer.epsilon);
                let place = place.unwrap_or_else(|| {
                    self.doubled.push((peer.epsilon.clone(), Verdicts::default()));
                    self.doubled.len() - 1
                });
                self.doubled[place].1.add(verdict, what);
            }
        }
    }

    fn print(&self) {
        println!();
        for (set, logs, behind) in &self.sets {
            let (mean_log, error) = mean(logs.iter().copied());
            println!(
                "{set}: {} cells, auto {:.3} ± {:.3} times its best route (geometric mean); clearly behind it in {}",
                logs.len(),
                mean_log.exp(),
                error,
                behind.len()
            );
            behind.iter().for_each(|what| println!("  {what}"));
        }
        if self.sets.iter().any(|(set, ..)| set == "shared") {
            self.equal.print("auto against the best other at the same ε");
            for (epsilon, verdicts) in &self.doubled {
                verdicts.print(&format!("auto at half of ε against the best other at ε = {epsilon}"));
            }
        }
        if !self.missing.is_empty() {
            println!("No table for {}", self.missing.join(", "));
        }
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}
