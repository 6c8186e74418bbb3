//! `shoal audit`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shoal_audit::command::{Program, TableSpace};
use shoal_audit::statistical::Experiment;
use shoal_audit::statistical::search::{PairSpace, Search, search_and_audit};
use shoal_audit::{
    Allowed, AuditReport, Effort, Expected, Line, Measure, Pair, Plan, Randomness, Target, Verdict, targets,
};
use shoal_privacy::Epsilon;

use super::fit::start_threads;
use super::summary::{command_line, plural};
use crate::arguments::{Format, Shown};
use crate::audit_arguments::{AuditArgs, ProgramArgs};
use crate::audit_page;
use crate::failure::Failure;
use crate::output::{self, ClaimedPlace, Table, printable};
use crate::progress::RunsBar;

/// Runs on each input of a program that is not known.
const PROGRAM_RUNS: usize = 2000;

/// Audits what was asked for, tells what was found, and fails when a promise does.
pub fn run(args: &AuditArgs, shown: &Shown) -> Result<(), Failure> {
    if args.list {
        return list(shown);
    }
    let places = Places::claim(args)?;
    start_threads(shown)?;
    let randomness = args.seed.map_or(Randomness::System, Randomness::Seeded);
    let lines = match &args.command {
        Some(command) => vec![program(command, args, randomness, shown)?],
        None => named(args, randomness, shown)?,
    };
    let report = AuditReport {
        shoal: env!("CARGO_PKG_VERSION"),
        date: shoal_ledger::utc_now().chars().take(10).collect(),
        command: command_line(),
        seed: args.seed,
        alpha: args.alpha,
        lines,
    };
    places.write(&report)?;
    match shown.format {
        Format::Json => output::json(&report)?,
        Format::Table => output::print(&output::wrapped(&told(&report)))?,
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
            if all[..i].iter().any(|other| output::is_same_place(path, other)) {
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

/// Audits targets by name, or all.
fn named(args: &AuditArgs, randomness: Randomness, shown: &Shown) -> Result<Vec<Line>, Failure> {
    let chosen: Vec<Box<dyn Target>> =
        if args.all { targets::all() } else { args.names.iter().map(|name| found(name)).collect::<Result<_, _>>()? };
    let bar = RunsBar::new(shown);
    let watch = |runs: usize| bar.made(runs);
    let plan = Plan {
        // One mechanism alone need not hurry, unless asked to.
        effort: if args.quick { Effort::Quick } else { Effort::Full },
        runs: args.runs,
        epsilon: args.epsilon.as_ref().map(Epsilon::to_f64_up),
        alpha: args.alpha,
        randomness,
        watch: &watch,
    };
    bar.expect(chosen.iter().map(|target| target.work(&plan)).sum());
    let mut lines = Vec::new();
    for target in &chosen {
        let name = target.info().name;
        bar.at(name);
        lines.extend(target.lines(&plan).map_err(|error| Failure::refused(format!("{name}: {error}")))?);
    }
    Ok(lines)
}

fn found(name: &str) -> Result<Box<dyn Target>, Failure> {
    targets::find(name).ok_or_else(|| {
        let names: Vec<_> = targets::all().iter().map(|target| target.info().name).collect();
        let near = names.iter().filter(|known| known.contains(name) || name.contains(*known)).copied();
        let near: Vec<_> = near.take(5).collect();
        let hint = if near.is_empty() { String::new() } else { format!(" (perhaps {})", near.join(", ")) };
        Failure::usage(format!("there is nothing called {} to audit{hint}; see `shoal audit --list`", printable(name)))
    })
}

/// Audits a program that is known by its command alone.
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
    let bar = RunsBar::new(shown);
    bar.at("the program");
    let watch = |runs: usize| bar.made(runs);
    let started = std::time::Instant::now();
    let (finding, setting) = match (first, second) {
        (Some(first), Some(second)) => {
            bar.expect(2 * runs);
            let (with, without) = (read(first)?, read(second)?);
            let words = format!("{} and {}", file_name(first), file_name(second));
            let pair = Pair::new(words, program.on(with), program.on(without), allowed.clone());
            (experiment.audit(&pair, &watch)?, "a pair of data sets of the user's".to_string())
        }
        _ => {
            let (columns, rows) = (columns.unwrap_or(2), rows.unwrap_or(20));
            let space =
                TableSpace { program, columns, rows, bounds: bounds.unwrap_or((0.0, 1.0)), allowed: allowed.clone() };
            let search = Search { pilot_runs: (runs / 10).clamp(100, 2000), variations: 4 };
            bar.expect(search.runs(space.catalogue().len()) + 2 * runs);
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

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::refused(format!("cannot read {} ({error})", path.display())))
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| printable(&name.to_string_lossy()))
}

/// The findings as a table, and what to make of them.
fn told(report: &AuditReport) -> String {
    let mut text = String::new();
    if let [line] = &report.lines[..] {
        text.push_str(&audit_page::in_words(line));
    } else {
        let mut table = Table::new(&["", "mechanism", "setting", "lost at least", "promised", "how"]);
        let mut before = "";
        for line in &report.lines {
            let row = audit_page::Row::of(line);
            let name = if line.name == before { "" } else { &line.name };
            table.row([row.mark, name, &line.setting, &row.lost, &row.promised, row.how]);
            before = &line.name;
        }
        text.push_str(&table.to_string());
        text.push_str(&remarks(&report.lines));
        text.push_str(&format!("\n{}\n{}\n", audit_page::summary(report), audit_page::LEGEND));
    }
    text
}

/// Most mechanisms whose remarks stand under the table; the page has all.
const MOST_REMARKED: usize = 3;

/// What is said of the lines of few mechanisms, each remark once.
fn remarks(lines: &[Line]) -> String {
    let names: BTreeSet<&str> = lines.iter().map(|line| &*line.name).collect();
    if names.len() > MOST_REMARKED {
        return String::new();
    }
    let mut said: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| !line.remark.is_empty()) {
        let remark = format!("\n{}: {}\n", line.name, line.remark);
        if !said.contains(&remark) {
            said.push(remark);
        }
    }
    said.concat()
}

/// An error where something did not come out as it should.
fn verdict(report: &AuditReport) -> Result<(), Failure> {
    let wrong: Vec<&Line> = report.lines.iter().filter(|line| !line.as_expected()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let what = |line: &&Line| match line.verdict {
        Verdict::Broken => format!("{} ({}) breaks its promise, {}", line.name, line.setting, line.promise),
        Verdict::NotBroken => format!("{} ({}) is known to be bad and was not caught", line.name, line.setting),
    };
    Err(Failure::refused(wrong.iter().map(what).collect::<Vec<_>>().join("; ")))
}
