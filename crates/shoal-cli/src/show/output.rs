//! What goes to standard output.

use std::fmt;
use std::io::{IsTerminal, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints to standard output. A reader that went away (`| head`) is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::refused(format!("cannot write to standard output ({error})")))
        }
        _ => Ok(()),
    }
}

/// Width of a line on a terminal: what people read with ease, whatever the window.
const LINE: usize = 100;

/// Text with its long lines broken between words, for a terminal; as it is for a pipe. Tables are left alone: their
/// lines start with spaces.
pub fn wrapped(text: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return text.into();
    }
    text.split_inclusive('\n').map(|line| if line.starts_with(' ') { line.into() } else { broken(line) }).collect()
}

fn broken(line: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in line.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if width > 0 && width + length > LINE {
            out.truncate(out.trim_end().len());
            out.push('\n');
            width = 0;
        }
        out.push_str(word);
        width += word.chars().count();
    }
    out
}

/// Prints a value as JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<(), Failure> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// A number to one digit below the leading digit of `step`, its uncertainty.
pub fn number(value: f64, step: f64) -> String {
    if step <= 0.0 || !step.is_finite() {
        return value.to_string();
    }
    let decimals = (1.0 - step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.decimals$}")
}

/// Most things that a line names.
const MOST_LISTED: usize = 12;

/// Texts in a line, the first few of many.
pub struct Listed(pub Vec<String>);

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = &self.0[..self.0.len().min(MOST_LISTED)];
        f.write_str(&named.iter().map(|name| printable(name)).collect::<Vec<_>>().join(", "))?;
        match self.0.len() - named.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Text without control characters, which could do anything to a screen.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Columns of text, aligned.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading.
    pub fn new<S: ToString>(heading: &[S]) -> Self {
        Self { rows: vec![heading.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub fn row<S: ToString>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..columns).map(width).collect();
        let looks_numeric = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        let numeric: Vec<bool> = (0..columns)
            .map(|c| self.rows.len() > 1 && self.rows[1..].iter().filter_map(|r| r.get(c)).all(|s| looks_numeric(s)))
            .collect();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let gap = " ".repeat(widths[c] - cell.chars().count());
                let (before, after) = if numeric[c] { (gap.as_str(), "") } else { ("", gap.as_str()) };
                line.push_str(&format!("  {before}{cell}{after}"));
            }
            writeln!(f, "{}", line.trim_end())?;
            if number == 0 {
                let rule: String = widths.iter().map(|w| format!("  {}", "─".repeat(*w))).collect();
                writeln!(f, "{rule}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_lose_none() {
        let long = "word ".repeat(60) + "end\n";
        let broken = broken(&long);
        assert!(
            broken.lines().all(|line| line.chars().count() <= LINE && !line.ends_with(' '))
                && broken.lines().count() == 4
        );
        assert_eq!(broken.split_whitespace().count(), 61);
        assert!(broken.ends_with("end\n"));
    }

    #[test]
    fn digits_follow_the_noise() {
        assert_eq!(number(24.0123, 0.24), "24.01");
        assert_eq!(number(178_557.3, 10_390.0), "178557");
        assert_eq!(number(0.2059, 0.2059), "0.21");
        assert_eq!(number(1.5, 0.0), "1.5");
    }
}
