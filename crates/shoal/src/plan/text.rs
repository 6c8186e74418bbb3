//! Plans in words that an analyst can use.

use std::fmt;

use shoal_curator::{Accuracy, DataGuess, Found};
use shoal_privacy::{Delta, Epsilon, Parameter};

use super::target::Unit;
use super::{Needed, Planned, Targeted, Wanted};
use crate::K;

/// What ± means, and how much it is worth.
const PLUS_MINUS: &str = "± is how far privacy moves a cluster that is found, compared with the same clustering without \
    privacy; most move less (8 of 10 on real tables). The forecast can be off by a factor of two if the guesses below are right, and by \
    more if they are not.";

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = separated(self.rows);
        let budget = budget(&self.epsilon, &self.delta);
        writeln!(
            f,
            "Expected error for {} and {}, about {rows} rows, {budget}. Nothing is read and nothing is spent.\n",
            clusters(self.k, self.asked),
            columns(self.dims - self.levels, self.levels),
        )?;
        let found = self.accuracy.verdict();
        writeln!(f, "  clusters  {}", found_in_words(&self.accuracy))?;
        if found == Found::TooNoisy {
            writeln!(f, "  centres   mostly noise")?;
            writeln!(f, "  sizes     mostly noise")?;
        } else {
            let whose = if self.weighted { "the heaviest column's range" } else { "a column's range" };
            writeln!(f, "  centres   ± {} of {whose}", percent(self.accuracy.centre_plus_minus().0))?;
            for column in &self.columns {
                let around =
                    column.around.map_or(String::new(), |around| format!(" for a centre at {}", short(around)));
                writeln!(f, "            {} ± {}{around}", column.column, short(column.plus_minus))?;
            }
            if self.columns.iter().any(|column| column.around.is_some()) {
                writeln!(
                    f,
                    "            (of a stretched column: the middle of its bounds; elsewhere the error is another)"
                )?;
            }
            let average = separated((self.rows as f64 / self.k as f64).round() as u64);
            match size(&self.accuracy) {
                Some(size) => writeln!(f, "  sizes     ± {size} of about {average} rows in an average cluster")?,
                None => writeln!(f, "  sizes     not released on this route")?,
            }
        }
        writeln!(f, "\n{PLUS_MINUS} {}", assumed(&self.guess))?;
        if found != Found::All {
            writeln!(
                f,
                "WARNING: {} Use more rows, fewer columns, fewer clusters or a larger ε; {} finds how much of them.",
                match found {
                    Found::TooNoisy => "this budget is too small to find the clusters of such a table.",
                    _ => "some of the clusters will be missed or merged.",
                },
                Parameter::new("target")
            )?;
        }
        if self.asked.is_auto() {
            writeln!(
                f,
                "The number of clusters is not known yet: {} is the number that the budget is planned for.",
                self.k
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Targeted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted: Vec<String> = self.wanted.iter().map(wanted_in_words).collect();
        let of = format!("{} in {}", plural(self.k, "cluster"), plural(self.dims, "column"));
        let wanted = wanted.join(" and ");
        if let (Some(rows), Some(needed)) = (self.rows_given, &self.epsilon) {
            let rows = separated(rows);
            match needed {
                Needed::AtLeast(e) => writeln!(f, "For {wanted}, {of} of about {rows} rows need ε = {e} or more.")?,
                Needed::Any(e) => writeln!(f, "For {wanted}, ε = {e} is enough for {of} of about {rows} rows.")?,
                Needed::MoreThan(e) => {
                    writeln!(f, "{of} of about {rows} rows do not give {wanted} with any ε up to {e}: use more rows.")?;
                }
            }
        }
        for (epsilon, needed) in &self.rows {
            match needed {
                Needed::AtLeast(rows) => {
                    writeln!(f, "For {wanted}, {of} need about {} rows at ε = {epsilon}.", separated(*rows))?;
                }
                Needed::Any(rows) => {
                    writeln!(f, "For {wanted}, {} rows are enough for {of} at ε = {epsilon}.", separated(*rows))?;
                }
                Needed::MoreThan(rows) => {
                    writeln!(
                        f,
                        "{of} do not give {wanted} at ε = {epsilon} with up to {} rows: use a larger ε.",
                        separated(*rows)
                    )?;
                }
            }
        }
        writeln!(f)?;
        if self.rows_given.is_none() && self.epsilon_given.is_none() {
            self.grid(f)?;
        } else {
            self.list(f)?;
        }
        writeln!(f, "\n✓ meets the target. {PLUS_MINUS} {}", assumed(&self.guess))
    }
}

impl Targeted {
    /// One line for each cell.
    fn list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["", "rows", "ε", "clusters found", self.unit.heading(), "size of a cluster"];
        let mut lines = vec![heading.map(str::to_string).to_vec()];
        for cell in &self.around {
            let noisy = cell.accuracy.verdict() == Found::TooNoisy;
            let or_noise = |text: String| if noisy { "too noisy".into() } else { text };
            lines.push(vec![
                if cell.met { "✓".into() } else { String::new() },
                separated(cell.rows),
                cell.epsilon.to_string(),
                format!("{:.0} of {}", cell.accuracy.found, self.k),
                or_noise(format!("± {}", self.unit.show(&cell.accuracy))),
                or_noise(size(&cell.accuracy).map_or("not released".into(), |size| format!("± {size}"))),
            ]);
        }
        aligned(f, &lines)
    }

    /// Rows down, ε across.
    fn grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<Vec<String>> = Vec::new();
        for cell in &self.around {
            let rows = separated(cell.rows);
            if lines.last().is_none_or(|line| line[0] != rows) {
                lines.push(vec![rows]);
            }
            let shown = match cell.accuracy.verdict() {
                Found::TooNoisy => "too noisy".into(),
                _ => format!("± {}{}", self.unit.show(&cell.accuracy), if cell.met { " ✓" } else { "" }),
            };
            if let Some(line) = lines.last_mut() {
                line.push(shown);
            }
        }
        let across = self.rows.iter().map(|(epsilon, _)| format!("ε = {epsilon}"));
        lines.insert(0, std::iter::once("rows".to_string()).chain(across).collect());
        aligned(f, &lines)
    }
}

impl Unit {
    fn heading(&self) -> &str {
        self.column.as_ref().map_or("centre, part of the range", |column| &column.name)
    }

    fn show(&self, accuracy: &Accuracy) -> String {
        match &self.column {
            Some(column) => short(column.in_user(accuracy.centre_plus_minus())),
            None => percent(accuracy.centre_plus_minus().0),
        }
    }
}

/// The error of a size, to two digits.
fn size(accuracy: &Accuracy) -> Option<String> {
    accuracy.size_plus_minus().map(|size| short(size.ceil()))
}

fn clusters(k: usize, asked: K) -> String {
    if asked.is_auto() { format!("about {}", plural(k, "cluster")) } else { plural(k, "cluster") }
}

fn found_in_words(accuracy: &Accuracy) -> String {
    let (k, about) = (accuracy.k, accuracy.found.round().max(1.0) as usize);
    match accuracy.verdict() {
        Found::All if k == 1 => "the centre of all rows can be found".into(),
        Found::All => format!("all {k} can be found"),
        Found::Some => format!("expect to find about {about} of {k}"),
        _ => format!("too noisy to find {}: expect about {about}", plural(k, "cluster")),
    }
}

fn wanted_in_words(wanted: &Wanted) -> String {
    match wanted {
        Wanted::Column { column, plus_minus } => format!("{column} ± {plus_minus}"),
        Wanted::Range { plus_minus } => format!("centres ± {} of the range", percent(plus_minus.0)),
        Wanted::Size { plus_minus } => format!("sizes ± {plus_minus}"),
        Wanted::SizeShare { plus_minus } => format!("sizes ± {} of the average", percent(*plus_minus)),
    }
}

/// What was assumed, and how to assume something else.
fn assumed(guess: &DataGuess) -> String {
    format!(
        "Assumed about the data: within a cluster, rows spread by {} of a column's range ({}), {} of the rows lie \
         between clusters ({}), and the smallest cluster has {} ({}).",
        percent(guess.spread.0),
        Parameter::new("spread"),
        percent(guess.overlap),
        Parameter::new("overlap"),
        guess.smallest.map_or("half of the average".into(), |share| format!("{} of the rows", percent(share))),
        Parameter::new("smallest"),
    )
}

fn budget(epsilon: &Epsilon, delta: &Delta) -> String {
    if delta.amount().is_zero() { format!("ε = {epsilon}") } else { format!("ε = {epsilon}, δ = {delta}") }
}

fn columns(numbers: usize, levels: usize) -> String {
    match (numbers, levels) {
        (numbers, 0) => plural(numbers, "column"),
        (0, levels) => format!("{} of categories", plural(levels, "level")),
        (numbers, levels) => format!("{} and {} of categories", plural(numbers, "column"), plural(levels, "level")),
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// 30,000.
fn separated(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share to two digits.
fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

/// Two digits that mean something.
fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return "0".into();
    }
    let digits = 1 - value.log10().floor() as i32;
    if digits <= 0 {
        let step = 10f64.powi(-digits);
        return separated(((value / step).round() * step) as u64);
    }
    let text = format!("{value:.*}", digits.min(9) as usize);
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// Columns of text, the first line a heading.
fn aligned(f: &mut fmt::Formatter<'_>, lines: &[Vec<String>]) -> fmt::Result {
    let width =
        |c: usize| lines.iter().filter_map(|line| line.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    for line in lines {
        let mut text = String::new();
        for (c, cell) in line.iter().enumerate() {
            let gap = " ".repeat(width(c) - cell.chars().count());
            text.push_str(&format!("  {cell}{gap}"));
        }
        writeln!(f, "{}", text.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.012_34, 0.5, 4.0, 12.7, 123.4, 54_321.0].map(short),
            ["0", "0.012", "0.5", "4", "13", "120", "54,000"]
        );
        assert_eq!([0, 999, 1_000, 1_234_567].map(separated), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(percent(0.0031), "0.31 %");
    }
}
