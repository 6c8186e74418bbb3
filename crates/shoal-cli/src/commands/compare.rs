//! `shoal compare`: two models side by side.

use shoal::{Change, Compare, Pair, Verdict};
use shoal_page::text::{fixed, percent, printable, shortened, with_noise};

use super::predict::read_model;
use crate::arguments::{CompareArgs, Format, Shown};
use crate::failure::{Failure, flagged};
use crate::place::ClaimedPlace;
use crate::show::compare_page;
use crate::show::output::{self, Table};
use crate::table::short_name;

/// Letters of a column's name that are shown.
const MOST_LETTERS: usize = 20;

/// Compares two models.
pub fn run(args: &CompareArgs, shown: &Shown) -> Result<(), Failure> {
    let (first, second) = (read_model(&args.first)?, read_model(&args.second)?);
    let inputs = [args.first.as_path(), args.second.as_path()];
    let report = args.report.as_deref().map(|path| ClaimedPlace::new(path, &inputs)).transpose()?;
    let comparison = flagged(|| Compare::of(&first, &second))?;
    let names = [&args.first, &args.second].map(|path| short_name(&path.to_string_lossy()));
    match shown.format {
        Format::Json => output::json(&comparison)?,
        Format::Table => output::print(&output::wrapped(&text(&comparison, &names, shown)))?,
    }
    if let Some(place) = report {
        let path = place.write(compare_page::render([&first, &second], &comparison, &names).as_bytes())?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    Ok(())
}

/// The comparison for a person at a terminal.
fn text(comparison: &Compare, names: &[String; 2], shown: &Shown) -> String {
    let mut text = format!("{}\n\n", headline(comparison));
    let mut table = Table::new(&["cluster", names[0].as_str(), names[1].as_str(), "difference", "noise", "verdict"]);
    for pair in &comparison.pairs {
        for (name, change) in lines(comparison, pair) {
            let cells = shown_change(&change, name == SIZE && comparison.sizes_as_shares);
            // Where the table is cut in two, each line still says what it is about.
            let label = format!("{}: {}", numbers(pair), shortened(&printable(&name), MOST_LETTERS));
            table.row([label].into_iter().chain(cells).chain([verdict(&change).to_string()]));
        }
    }
    text.push_str(&table.to_string());
    text.push_str("\nNoise: how large a difference the noise of both models explains, with 95 % confidence.\n");
    if !shown.quiet {
        comparison.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text.push_str(&format!("{}\n", comparison.together));
    }
    text
}

/// The line of the size.
pub const SIZE: &str = "size";

/// What is compared of a pair: the size, then each column.
pub fn lines(comparison: &Compare, pair: &Pair) -> Vec<(String, Change)> {
    let size = pair.size.map(|change| (SIZE.to_string(), change));
    size.into_iter().chain(comparison.columns.iter().cloned().zip(pair.columns.iter().copied())).collect()
}

/// `1`, `3 → 2`, `3 → gone`, `new 4`.
pub fn numbers(pair: &Pair) -> String {
    match (pair.first, pair.second) {
        (Some(a), Some(b)) if a == b => a.to_string(),
        (Some(a), Some(b)) => format!("{a} → {b}"),
        (Some(a), None) => format!("{a} → gone"),
        (None, Some(b)) => format!("new {b}"),
        (None, None) => String::new(),
    }
}

/// First, second, difference, and how much of it noise explains.
pub fn shown_change(change: &Change, share: bool) -> [String; 4] {
    let step = change.explained_by_noise.or(change.difference.map(|it| it.abs() / 5.0));
    let number = |value: Option<f64>| match (value, step) {
        (None, _) => "–".into(),
        (Some(value), _) if share => percent(value),
        (Some(value), Some(step)) => with_noise(value, step).0,
        (Some(value), None) => with_noise(value, value.abs() / 100.0).0,
    };
    let signed = |value: f64| {
        let shown = number(Some(value.abs()));
        if shown.chars().all(|c| matches!(c, '0' | '.')) {
            shown
        } else {
            format!("{}{shown}", if value < 0.0 { "−" } else { "+" })
        }
    };
    let noise = match change.explained_by_noise {
        None => "not known".into(),
        Some(noise) if share => format!("± {}", percent(noise)),
        Some(noise) => with_noise(0.0, noise).1.map_or_else(|| fixed(noise, 0), |noise| format!("± {noise}")),
    };
    let noise = if change.difference.is_none() { "–".into() } else { noise };
    [number(change.first), number(change.second), change.difference.map_or_else(|| "–".into(), signed), noise]
}

/// The verdict in words.
pub fn verdict(change: &Change) -> &'static str {
    match (change.verdict, change.first) {
        (Verdict::Changed, _) => "changed",
        (Verdict::WithinNoise, _) => "within noise",
        (Verdict::CannotTell, _) => "cannot tell",
        (Verdict::OneSided, None) => "new",
        (Verdict::OneSided, Some(_)) => "gone",
    }
}

/// What was found, in a sentence.
pub fn headline(comparison: &Compare) -> String {
    let count = |wanted: fn(&Pair) -> bool| comparison.pairs.iter().filter(|pair| wanted(pair)).count();
    let matched = count(|pair| pair.first.is_some() && pair.second.is_some());
    let changed = count(|pair| pair.columns.iter().chain(&pair.size).any(|it| it.verdict == Verdict::Changed));
    let (gone, new) = (count(|pair| pair.second.is_none()), count(|pair| pair.first.is_none()));
    let unknown = count(|pair| pair.columns.iter().any(|it| it.verdict == Verdict::CannotTell));
    let of = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 cluster {one}"),
        count => format!("{count} clusters {many}"),
    };
    let mut parts = vec![of(matched, "matches", "match")];
    parts.push(match (changed, unknown) {
        (0, 0) => "none changed beyond noise".into(),
        (0, _) => "no change is larger than the noise of both".into(),
        (changed, _) => format!("{changed} changed beyond noise"),
    });
    if new > 0 {
        parts.push(format!("{new} new"));
    }
    if gone > 0 {
        parts.push(format!("{gone} gone"));
    }
    format!("{}.", parts.join(", "))
}
