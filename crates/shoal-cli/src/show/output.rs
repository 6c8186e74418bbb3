//! What goes to standard output.

use std::fmt;
use std::io::{IsTerminal, Write};

use serde::Serialize;
use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

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

/// Lines of at most this width: of letters that take two places, fewer.
fn broken(line: &str) -> String {
    // A hyphen is no place to break: options such as --max-epsilon stay whole.
    let options =
        Options::new(LINE).word_separator(WordSeparator::AsciiSpace).word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// Prints a value as JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<(), Failure> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
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
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| display_width(s)).max().unwrap_or(0);
        let widths: Vec<_> = (0..columns).map(width).collect();
        let looks_numeric = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
        let numeric: Vec<bool> = (0..columns)
            .map(|c| self.rows.len() > 1 && self.rows[1..].iter().filter_map(|r| r.get(c)).all(|s| looks_numeric(s)))
            .collect();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let gap = " ".repeat(widths[c] - display_width(cell));
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
    fn wide_letters_count_twice() {
        let lines = broken(&"年齢と時間 ".repeat(20));
        assert!(lines.lines().all(|line| display_width(line) <= LINE) && lines.lines().count() == 3, "{lines}");
        let mut table = Table::new(&["name", "size"]);
        table.row(["年齢", "1"]);
        table.row(["age", "20"]);
        let widths: Vec<usize> = table.to_string().lines().map(display_width).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    }
}
