//! `shoal audit`

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use shoal_audit::command::{Program, TableSpace};
use shoal_audit::statistical::Experiment;
use shoal_audit::statistical::search::{PairSpace, Search, search_and_audit};
use shoal_audit::{
    Allowed, AuditReport, Effort, Expected, Line, Measure, Pair, Plan, Randomness, Target, Verdict, targets,
};
use shoal_page::text::{plural, printable};
use shoal_privacy::Epsilon;

use crate::arguments::audit::{AuditArgs, ProgramArgs};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::place::{ClaimedPlace, is_same_place};
use crate::show::audit_page;
use crate::show::clock;
use crate::show::output::{self, Table};
use crate::show::progress::Bar;
use crate::show::summary::command_line;

/// Runs on each input of a program that is not known.
const PROGRAM_RUNS: usize = 2000;

/// Audits what was asked for, prints what was found, and fails when a claim is refuted.
pub fn run(args: &AuditArgs, shown: &Shown) -> Result<(), Failure> {
    if args.list {
        return list(shown);
    }
    let places = Places::claim(args)?;
    crate::threads::start(shown)?;
    let randomness = args.seed.map_or(Randomness::System, Randomness::Seeded);
    let lines = match &args.command {
        Some(command) => vec![program(command, args, randomness, shown)?],
        None => named(args, randomness, shown)?,
    };
    let report = AuditReport {
        shoal: env!("CARGO_PKG_VERSION"),
        date: clock::day(),
        command: command_line(),
        seed: args.seed,
        alpha: args.alpha,
        lines,
    };
    places.write(&report)?;
    match shown.format {
        Format::Json => output::json(&report)?,
        Format::Table => output::print(&output::wrapped(&findings(&report, shown)))?,
    }
    verdict(&report)
}

/// Where files go, found to be writable before an hour is spent.
struct Places {
    out: Option<ClaimedPlace>,
    reports: Vec<ClaimedPlace>,
}

impl Places {
    fn claim(args: &AuditArgs) -> Result<Self, Failure> {
        let all: Vec<&Path> = args.out.iter().chain(&args.report).map(|path| &**path).collect();
        for (i, path) in all.iter().enumerate() {
            if all[..i].iter().any(|other| is_same_place(path, other)) {
                let name = path.display();
                return Err(Failure::usage(format!(
                    "{name} is to be written twice; give --out and --report different names"
                )));
            }
        }
        let inputs: Vec<&Path> =
            [&args.program.first, &args.program.second].into_iter().flatten().map(|path| &**path).collect();
        let claim = |path: &PathBuf| ClaimedPlace::new(path, &inputs);
        let reports = args.report.iter().map(claim).collect::<Result<_, _>>()?;
        Ok(Self { out: args.out.as_ref().map(claim).transpose()?, reports })
    }

    fn write(self, report: &AuditReport) -> Result<(), Failure> {
        if let Some(place) = self.out {
            place.write((serde_json::to_string_pretty(report)? + "\n").as_bytes())?;
        }
        for place in self.reports {
            let markdown = place.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
            let page = if markdown { audit_page::markdown(report) } else { audit_page::render(report) };
            place.write(page.as_bytes())?;
        }
        Ok(())
    }
}

/// What can be audited.
fn list(shown: &Shown) -> Result<(), Failure> {
    let all = targets::all();
    if shown.format == Format::Json {
        return output::json(&all.iter().map(|target| target.info()).collect::<Vec<_>>());
    }
    let mut table = Table::new(&["mechanism", "group", "how it is audited"]);
    for target in &all {
        let info = target.info();
        table.row([info.name, info.group, info.what]);
    }
    output::print(&table.to_string())
}

/// Audits targets by name, by group, or all.
fn named(args: &AuditArgs, randomness: Randomness, shown: &Shown) -> Result<Vec<Line>, Failure> {
    let chosen = chosen(args)?;
    let bar = Bar::runs(shown);
    let watch = |runs: usize| bar.made(runs as f64);
    let plan = |target: &dyn Target| {
        // A known-bad mechanism has its own ε and runs, at which its fault shows.
        let own = target.info().group == KNOWN_BAD;
        Plan {
            effort: if args.quick { Effort::Quick } else { Effort::Full },
            runs: args.runs.filter(|_| !own),
            epsilon: args.epsilon.as_ref().filter(|_| !own).map(Epsilon::to_f64_up),
            alpha: args.alpha,
            randomness,
            watch: &watch,
        }
    };
    bar.expect(chosen.iter().map(|target| target.work(&plan(&**target))).sum::<usize>() as f64);
    // Side by side: parts of an audit, such as a classifier, have use for one thread only.
    let lines: Vec<Vec<Line>> = chosen
        .par_iter()
        .map(|target| {
            let name = target.info().name;
            bar.at(name);
            target.lines(&plan(&**target)).map_err(|error| Failure::refused(format!("{name}: {error}")))
        })
        .collect::<Result<_, _>>()?;
    Ok(lines.concat())
}

/// The group of what must be caught.
const KNOWN_BAD: &str = "known-bad";

/// The targets that were asked for, each once.
fn chosen(args: &AuditArgs) -> Result<Vec<Box<dyn Target>>, Failure> {
    let all = targets::all();
    if args.all {
        return Ok(all);
    }
    let asked = |target: &dyn Target| {
        args.names.iter().any(|name| [target.info().name, target.info().group].contains(&&**name))
    };
    for name in &args.names {
        if !all.iter().any(|target| [target.info().name, target.info().group].contains(&&**name)) {
            return Err(unknown(name, &all));
        }
    }
    let found: Vec<_> = all.into_iter().filter(|target| asked(&**target)).collect();
    if found.iter().all(|target| target.info().group == KNOWN_BAD) && (args.epsilon.is_some() || args.runs.is_some()) {
        return Err(Failure::usage(
            "a known-bad mechanism is audited with its own ε and number of runs, at which its fault shows; leave --epsilon and --runs out",
        ));
    }
    Ok(found)
}

/// An error with names that look alike.
fn unknown(name: &str, all: &[Box<dyn Target>]) -> Failure {
    let asked = name.to_lowercase();
    let alike = |known: &str| {
        let shared = known.chars().zip(asked.chars()).take_while(|(a, b)| a == b).count();
        shared >= 3 || known.contains(&*asked) || asked.contains(known)
    };
    let near: Vec<_> = all.iter().map(|target| target.info().name).filter(|known| alike(known)).take(5).collect();
    let hint = if near.is_empty() { String::new() } else { format!(" (perhaps {})", near.join(", ")) };
    Failure::usage(format!("there is nothing called {} to audit{hint}; see `shoal audit --list`", printable(name)))
}

/// Audits a program of which only the command is known.
fn program(command: &str, args: &AuditArgs, randomness: Randomness, shown: &Shown) -> Result<Line, Failure> {
    let ProgramArgs { delta, columns, rows, bounds, first, second, runs_per_call } = &args.program;
    let epsilon = args.epsilon.as_ref().map_or(0.0, Epsilon::to_f64_up);
    let allowed = match delta {
        Some(delta) if !delta.amount().is_zero() => Allowed::Approximate { epsilon, delta: delta.amount().to_f64_up() },
        _ => Allowed::Pure(epsilon),
    };
    let program = Arc::new(Program { command: command.into(), runs_per_call: runs_per_call.unwrap_or(1) });
    let runs = args.runs.unwrap_or(PROGRAM_RUNS);
    let experiment = Experiment { runs, alpha: args.alpha, randomness };
    let bar = Bar::runs(shown);
    let watch = |runs: usize| bar.made(runs as f64);
    let started = std::time::Instant::now();
    let (finding, setting) = match (first, second) {
        (Some(first), Some(second)) => {
            let (with, without) = (read(first)?, read(second)?);
            check_neighbours(&with, &without)?;
            announce(2 * runs, &program, &bar, shown);
            let words = format!("{} and {}", file_name(first), file_name(second));
            let pair = Pair::new(words, program.on(with), program.on(without), allowed.clone());
            (experiment.audit(&pair, &watch)?, "a pair of data sets given by the user".to_string())
        }
        _ => {
            let (columns, rows) = (columns.unwrap_or(2), rows.unwrap_or(20));
            let space =
                TableSpace { program, columns, rows, bounds: bounds.unwrap_or((0.0, 1.0)), allowed: allowed.clone() };
            let search = Search { pilot_runs: (runs / 10).clamp(100, 2000), variations: 4 };
            announce(search.runs(space.catalogue().len()) + 2 * runs, &space.program, &bar, shown);
            let (_, finding) = search_and_audit(&space, search, &experiment, &watch)?;
            (finding, format!("{}, {}", plural(columns, "column"), plural(rows, "row")))
        }
    };
    let promise = format!("{}, add or remove one row", allowed.symbols());
    let mut line = Line::new(printable(command), setting, promise, Expected::Kept, Measure::Events(finding));
    line.group = "program".into();
    line.seconds = started.elapsed().as_secs_f64();
    Ok(line)
}

/// Prints how much work is ahead.
fn announce(runs: usize, program: &Program, bar: &Bar, shown: &Shown) {
    bar.expect(runs as f64);
    bar.at("the program");
    if shown.quiet {
        return;
    }
    let calls = runs.div_ceil(program.runs_per_call);
    let hint = match program.runs_per_call {
        1 => "; a program that is slow to start can make many runs per call (--runs-per-call)",
        _ => "",
    };
    eprintln!("The program makes about {runs} runs in {calls} calls{hint}.");
}

/// Refuses two data sets that do not differ in exactly one row: the claim says nothing about them.
fn check_neighbours(first: &str, second: &str) -> Result<(), Failure> {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    first.lines().for_each(|row| *counts.entry(row.trim_end()).or_default() += 1);
    second.lines().for_each(|row| *counts.entry(row.trim_end()).or_default() -= 1);
    let differing: i64 = counts.values().map(|count| count.abs()).sum();
    if differing == 1 {
        return Ok(());
    }
    let how = if differing == 0 { "are the same".into() } else { format!("differ in {differing} rows") };
    Err(Failure::refused(format!(
        "--first and --second {how}; one must be the other with one row more, since the claim is about such pairs"
    )))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::refused(format!("cannot read {} ({error})", path.display())))
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| printable(&name.to_string_lossy()))
}

/// The findings as a table, and what to make of them.
fn findings(report: &AuditReport, shown: &Shown) -> String {
    if let [line] = &report.lines[..] {
        return audit_page::in_words(line);
    }
    let names: BTreeSet<&str> = report.lines.iter().map(|line| &*line.name).collect();
    let few = names.len() <= MOST_REMARKED;
    // With few mechanisms there is room for the claim of each line.
    let heading = ["", "mechanism", "setting", "lower bound", "claimed", "how", "claim"];
    let mut table = Table::new(&heading[..if few { 7 } else { 6 }]);
    let mut before = "";
    for line in &report.lines {
        let row = audit_page::Row::of(line);
        let name = if line.name == before { "" } else { &line.name };
        let cells = [row.mark, name, &line.setting, &row.lost, &row.promised, row.how, &line.promise];
        table.row(&cells[..if few { 7 } else { 6 }]);
        before = &line.name;
    }
    let mut text = table.to_string();
    if few {
        text.push_str(&remarks(&report.lines));
    }
    text.push_str(&format!("\n{}\n", audit_page::summary(report)));
    if !shown.quiet {
        text.push_str(&format!("{}\n", audit_page::LEGEND));
    }
    text
}

/// Most mechanisms whose remarks stand under the table; the page has all.
const MOST_REMARKED: usize = 3;

/// The remarks on the lines of few mechanisms, each once.
fn remarks(lines: &[Line]) -> String {
    let mut remarks: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !line.remark.is_empty()) {
        let remark = format!("\n{}: {}\n", line.name, line.remark);
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks.concat()
}

/// Most lines that an error names.
const MOST_NAMED: usize = 8;

/// An error if a line did not come out as it should.
fn verdict(report: &AuditReport) -> Result<(), Failure> {
    let wrong: Vec<&Line> = report.lines.iter().filter(|line| !line.as_expected()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let what = |line: &&Line| match line.verdict {
        Verdict::Broken => format!("{} ({}) loses more than it claims: {}", line.name, line.setting, line.promise),
        Verdict::NotBroken => format!("{} ({}) is known to be bad and was not caught", line.name, line.setting),
    };
    let mut named: Vec<String> = wrong.iter().take(MOST_NAMED).map(what).collect();
    if wrong.len() > MOST_NAMED {
        named.push(format!("and {} more", wrong.len() - MOST_NAMED));
    }
    Err(Failure::refused(named.join("\n       ")))
}
