//! `shoal reproduce`

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::Serialize;
use shoal_page::text::{compact, plural, printable};
use shoal_reproduce::data::DataRoom;
use shoal_reproduce::data::convert::{self, State};
use shoal_reproduce::lab::{Progress, work_left};
use shoal_reproduce::{Effort, Figure, Lab, Outcome, Store, page, papers, recorded, reproduce};

use crate::arguments::reproduce::{ReproduceArgs, ReproduceCommand};
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::show::output::{self, Table};
use crate::show::progress::Bar;
use crate::show::summary::command_line;

/// The folder of runs inside that of the pages.
const RUNS: &str = ".runs";

/// Measures and draws what was asked for.
pub fn run(args: &ReproduceArgs, shown: &Shown) -> Result<(), Failure> {
    if let Some(ReproduceCommand::Data { folder }) = &args.command {
        return data(folder, shown);
    }
    if args.list {
        return list(shown);
    }
    let picture = |id: &str| fs::read_to_string(args.out.join(format!("{id}.svg"))).ok();
    if let Some(path) = &args.overview {
        return fs::write(path, page::overview(&recorded::statuses(), picture)).map_err(|error| cannot(path, &error));
    }
    let figures = chosen(args)?;
    crate::threads::start(shown)?;
    let runs = args.out.join(RUNS);
    let store = Store::open(&runs, args.seed).map_err(Failure::refused)?;
    if args.fresh {
        store.forget().map_err(Failure::refused)?;
    }
    let effort = if args.quick { Effort::Quick } else { Effort::Paper };
    let lab = Lab { data: DataRoom::new(shown.data_dir.clone()), effort };
    let command = command_line();
    // A page of a single figure links the index where an earlier run has made one.
    let indexed = args.all || args.out.join("index.html").exists();
    let bar = Bar::weighted_runs(shown);
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    let mut left = work(&figures, &lab, &store);
    bar.expect(left.iter().map(|work| work.unwrap_or(0.0)).sum());
    for (at, figure) in figures.iter().enumerate() {
        let id = figure.info().id;
        bar.at(&id);
        let watch = |progress: &Progress<'_>| bar.made(progress.cost);
        // Cells that an earlier figure has measured are no longer to be done.
        let expect = |now: f64| {
            left[at] = Some(now);
            bar.again(left[at..].iter().map(|work| work.unwrap_or(0.0)).sum());
        };
        let outcome = reproduce(&**figure, &lab, &store, expect, watch).and_then(|outcome| {
            outcome.write(&args.out, &command, indexed)?;
            Ok(outcome)
        });
        match outcome {
            Ok(outcome) => done.push(outcome),
            // One figure without data does not stop the others.
            Err(error) if args.all => failed.push((id, error.to_string())),
            Err(error) => return Err(Failure::refused(format!("{id}: {error}"))),
        }
    }
    drop(bar);
    let write = |name: &str, text: String| {
        let path = args.out.join(name);
        fs::write(&path, text).map_err(|error| cannot(&path, &error))
    };
    if args.all {
        write("index.html", page::index(&done, &failed, &command))?;
    }
    for (name, new) in
        [("reproduced.csv", recorded::reproduced_csv(&done, &failed)), ("compared.csv", recorded::compared_csv(&done))]
    {
        let old = fs::read_to_string(args.out.join(name)).unwrap_or_default();
        write(name, recorded::renewed(&old, &new))?;
    }
    if args.all {
        let record = fs::read_to_string(args.out.join("reproduced.csv")).unwrap_or_default();
        write("papers.html", page::overview(&recorded::parsed(&record), picture))?;
    }
    tell(&done, &failed, args.all, &args.out, shown)?;
    if done.is_empty() {
        return Err(Failure::refused("nothing could be measured; see above"));
    }
    Ok(())
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::refused(format!("{}: {error}", path.display()))
}

/// What each figure has still to do, counting what figures share once. Nothing for one that cannot be measured.
fn work(figures: &[Box<dyn Figure>], lab: &Lab, store: &Store) -> Vec<Option<f64>> {
    let mut counted = HashMap::new();
    figures.iter().map(|figure| work_left(&figure.cells(lab).ok()?, store, &mut counted).ok()).collect()
}

/// The figures that were asked for, each once.
fn chosen(args: &ReproduceArgs) -> Result<Vec<Box<dyn Figure>>, Failure> {
    if args.all {
        return Ok(papers::all());
    }
    let mut chosen: Vec<Box<dyn Figure>> = Vec::new();
    for name in &args.figures {
        let figure = papers::find(name).ok_or_else(|| unknown(name))?;
        if chosen.iter().all(|other| other.info().id != figure.info().id) {
            chosen.push(figure);
        }
    }
    Ok(chosen)
}

/// An error with names that look alike.
fn unknown(name: &str) -> Failure {
    let asked = name.to_lowercase();
    let letters = |text: &str| text.chars().take_while(char::is_ascii_alphabetic).collect::<String>();
    let near: Vec<String> = papers::all()
        .iter()
        .map(|figure| figure.info().id)
        .filter(|id| !letters(&asked).is_empty() && letters(id) == letters(&asked))
        .collect();
    let hint = if near.is_empty() { String::new() } else { format!(" (there are {})", near.join(", ")) };
    Failure::usage(format!("there is no figure {}{hint}; see `shoal reproduce --list`", printable(name)))
}

/// A figure on the list.
#[derive(Serialize)]
struct Listed {
    paper: &'static str,
    label: String,
    title: String,
    #[serde(flatten)]
    record: recorded::Recorded,
}

/// All figures, with what came out when they were last measured: a line each.
fn list(shown: &Shown) -> Result<(), Failure> {
    let known = recorded::statuses();
    let listed: Vec<Listed> = papers::all()
        .iter()
        .filter_map(|figure| {
            let info = figure.info();
            let record = known.iter().find(|record| record.figure == info.id)?.clone();
            Some(Listed { paper: info.paper.key(), label: info.label, title: info.title, record })
        })
        .collect();
    if shown.format == Format::Json {
        return output::json(&listed);
    }
    let mut table = Table::new(&["figure", "verdict", "+ ± − ?", "data", "runs", "privacy"]);
    for Listed { record, .. } in &listed {
        let recorded::Recorded { figure, verdict, hold, in_part, fail, undecided, data, protocol, privacy, .. } =
            record;
        // The last two columns say the rest.
        let verdict = verdict.split(" on ").next().unwrap_or_default().split(';').next().unwrap_or_default();
        let counts = format!("{hold} {in_part} {fail} {undecided}");
        table.row([&**figure, verdict, &counts, data, protocol, privacy]);
    }
    let text = format!(
        "{table}\n+ ± − ?: statements and printed values of the paper that hold, hold in part, fail, are undecided for want of \
         runs. data: the farthest from the paper's. privacy: whether the claim is true. Reasons: --format json.\n"
    );
    output::print(&output::wrapped(&text))
}

/// Converts downloads and says which tables are there.
fn data(folder: &Path, shown: &Shown) -> Result<(), Failure> {
    let checked = convert::folder(folder).map_err(Failure::refused)?;
    let words = |state: &State| match state {
        State::Right => "the table on record".to_string(),
        State::Converted => "converted; the table on record".to_string(),
        State::Other(why) => format!("ANOTHER TABLE: {why}"),
        State::Absent([]) => "not there; see docs/data.md".to_string(),
        State::Absent(originals) => format!("not there; put {} into the folder", originals.join(" and ")),
    };
    if shown.format == Format::Json {
        let rows: Vec<_> = checked
            .iter()
            .map(|it| serde_json::json!({ "file": it.file, "data_set": it.title, "state": words(&it.state) }))
            .collect();
        return output::json(&rows);
    }
    let mut table = Table::new(&["data set", "file", "state"]);
    for it in &checked {
        table.row([it.title, it.file, &words(&it.state)]);
    }
    output::print(&output::wrapped(&table.to_string()))
}

/// What came out, for a person or a program.
fn tell(done: &[Outcome], failed: &[(String, String)], all: bool, folder: &Path, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        let told: Vec<_> = done
            .iter()
            .map(|outcome| {
                serde_json::json!({
                    "figure": outcome.told(), "paragraph": outcome.drawing.paragraph,
                    "statements": outcome.drawing.statements, "printed": outcome.comparisons,
                    "caveats": outcome.drawing.caveats,
                })
            })
            .collect();
        return output::json(&told);
    }
    let mut text = String::new();
    if let [outcome] = done {
        text += &one(outcome);
    } else {
        let mut table = Table::new(&["figure", "verdict", "statements"]);
        for outcome in done {
            let told = outcome.told();
            table.row([&*outcome.info.id, &*told.verdict, &told.statements.to_string()]);
        }
        text += &table.to_string();
    }
    for (figure, why) in failed {
        text += &format!("{figure} was not measured: {why}\n");
    }
    let pages: Vec<String> = if all {
        vec!["index.html".into()]
    } else {
        done.iter().map(|outcome| format!("{}.html", outcome.info.id)).collect()
    };
    for page in pages {
        text += &format!("\nOpen {}", folder.join(page).display());
    }
    text.push('\n');
    output::print(&output::wrapped(&text))
}

/// A figure in words.
fn one(outcome: &Outcome) -> String {
    let (info, told) = (&outcome.info, outcome.told());
    let mut text = format!("{} {}: {} ({})\n\n", info.paper.key(), info.label, info.title, told.verdict);
    text += &format!(
        "Statements: {}. Headline: {}. Data: {}. Protocol: {}. Privacy claim: {}.\n\n",
        told.statements,
        told.headline.word(),
        told.data.word(),
        told.protocol,
        told.privacy.word()
    );
    if outcome.effort == Effort::Quick {
        text += &format!("Reduced run, not the paper's protocol: {}\n\n", info.quick);
    }
    text += &format!("{}\n", outcome.drawing.paragraph);
    if !outcome.comparisons.is_empty() {
        let mut table = Table::new(&["printed in the paper", "printed", "measured", "standard errors apart", ""]);
        for comparison in &outcome.comparisons {
            let verdict = match comparison.agrees {
                Some(true) => "agrees",
                Some(false) => "differs",
                None if comparison.measured.is_some() => "too few runs",
                None => "not measured",
            };
            let measured = comparison.measured.map_or("–".into(), |(mean, _)| compact(mean));
            let apart = comparison.standard_errors.map_or("–".into(), |errors| format!("{errors:.1}"));
            let printed = &comparison.printed;
            table.row([&*printed.what, &printed.value, &measured, &apart, verdict]);
        }
        text += &format!("\n{table}");
    }
    for caveat in &outcome.drawing.caveats {
        text += &format!("\nNote: {caveat}");
    }
    let runs: usize = outcome.results.cells().map(|cell| cell.runs.len()).sum();
    text + &format!(
        "\n{} in {}, seed {}.\n",
        plural(runs, "run"),
        plural(outcome.results.cells().count(), "cell"),
        outcome.seed
    )
}
