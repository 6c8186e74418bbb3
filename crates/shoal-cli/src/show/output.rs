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

/// Most letters of a line of prose: what people read with ease, however wide the window.
const LINE: usize = 100;

/// The narrowest window that text is fitted to.
const NARROW: usize = 30;

/// How many letters fit into a line: what `COLUMNS` asks for, or the width of the terminal. In a pipe, lines have no end.
pub fn width() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse::<usize>().ok());
    let terminal = || std::io::stdout().is_terminal().then(textwrap::termwidth);
    asked.filter(|width| *width > 0).or_else(terminal).map(|width| width.max(NARROW))
}

/// Text with its long lines broken between words, where there is an end of the line. Tables are left alone: their lines
/// start with spaces, and they fit themselves.
pub fn wrapped(text: &str) -> String {
    let Some(width) = width() else { return text.into() };
    let width = width.min(LINE);
    text.split_inclusive('\n')
        .map(|line| if line.starts_with(' ') { line.into() } else { broken(line, width, "") })
        .collect()
}

/// A paragraph below a heading, set in from the left.
pub fn set_in(text: &str) -> String {
    let (indent, width) = ("    ", width().unwrap_or(usize::MAX).min(LINE));
    broken(&format!("{indent}{text}"), width, indent)
}

/// Lines of at most this width: of letters that take two places, fewer.
fn broken(line: &str, width: usize, indent: &str) -> String {
    // A hyphen is no place to break: options such as --max-epsilon stay whole.
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    // A number and its sign stay on one line.
    let held = line.replace(" %", "\u{a0}%").replace(" = ", "\u{a0}=\u{a0}");
    let lines = textwrap::fill(&held, options);
    if line.contains('\u{a0}') { lines } else { lines.replace('\u{a0}', " ") }
}

/// A word that must not be overlooked, in colour where a terminal shows colours.
pub fn loud(word: &str) -> String {
    coloured(word, "1;31")
}

/// The same for what matters less.
pub fn mild(word: &str) -> String {
    coloured(word, "1;33")
}

fn coloured(word: &str, code: &str) -> String {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain || !std::io::stdout().is_terminal() { word.into() } else { format!("\u{1b}[{code}m{word}\u{1b}[0m") }
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
        f.write_str(&self.fitted(width()))
    }
}

/// Letters that the last column of a table keeps at least, when its text is broken.
const LEAST_TEXT: usize = 24;

impl Table {
    /// The table within a width: text in its last column is broken, and columns that do not fit follow below, with the
    /// first column again.
    fn fitted(&self, width: Option<usize>) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(|c| self.widest(c)).collect();
        let all: Vec<usize> = (0..columns).collect();
        let Some(width) = width.filter(|width| taken(&widths, &all) > *width) else {
            return self.lines(&all, &widths);
        };
        let last = columns.saturating_sub(1);
        let room = |others: &[usize]| width.saturating_sub(taken(&widths, others) + 2);
        if columns > 1 && !self.is_numeric(last) && room(&all[..last]) >= LEAST_TEXT.min(widths[last]) {
            return self.with_broken(last, room(&all[..last])).lines_of(&all);
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for c in 1..columns {
            match blocks.last_mut() {
                Some(block) if taken(&widths, block) + 2 + widths[c] <= width => block.push(c),
                _ => blocks.push(vec![0, c]),
            }
        }
        let block = |block: &Vec<usize>| match block.split_last() {
            Some((&c, others)) if taken(&widths, block) > width && !self.is_numeric(c) => {
                self.with_broken(c, room(others).max(NARROW / 2)).lines_of(block)
            }
            _ => self.lines(block, &widths),
        };
        blocks.iter().map(block).collect::<Vec<_>>().join("\n")
    }

    fn widest(&self, c: usize) -> usize {
        self.rows
            .iter()
            .filter_map(|row| row.get(c))
            .flat_map(|cell| cell.lines())
            .map(display_width)
            .max()
            .unwrap_or(0)
    }

    fn is_numeric(&self, c: usize) -> bool {
        let signed = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || "-+−±".contains(c));
        let looks_numeric = |text: &str| text == "–" || signed(text) && !text.contains(": ");
        self.rows.len() > 1 && self.rows[1..].iter().filter_map(|row| row.get(c)).all(|cell| looks_numeric(cell))
    }

    /// The same table with the text of a column on several lines.
    fn with_broken(&self, c: usize, room: usize) -> Self {
        let mut rows = self.rows.clone();
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(c)) {
            *cell = broken(cell, room, "");
        }
        Self { rows }
    }

    fn lines_of(&self, columns: &[usize]) -> String {
        let most = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        self.lines(columns, &(0..most).map(|c| self.widest(c)).collect::<Vec<_>>())
    }

    /// These columns, aligned. A cell of several lines is in the last of them.
    fn lines(&self, columns: &[usize], widths: &[usize]) -> String {
        let numeric: Vec<bool> = (0..widths.len()).map(|c| self.is_numeric(c)).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let (mut line, mut below) = (String::new(), Vec::new());
            for &c in columns {
                let Some(cell) = row.get(c) else { continue };
                let mut parts = cell.lines();
                let cell = parts.next().unwrap_or_default();
                let start = " ".repeat(display_width(&line) + 2);
                below.extend(parts.map(|part| format!("{start}{part}\n")));
                let gap = " ".repeat(widths[c] - display_width(cell));
                let (before, after) = if numeric[c] { (gap.as_str(), "") } else { ("", gap.as_str()) };
                line.push_str(&format!("  {before}{cell}{after}"));
            }
            text.push_str(&format!("{}\n{}", line.trim_end(), below.concat()));
            if number == 0 {
                let rule: String = columns.iter().map(|c| format!("  {}", "─".repeat(widths[*c]))).collect();
                text.push_str(&format!("{rule}\n"));
            }
        }
        text
    }
}

/// Letters that columns take, with the gaps before them.
fn taken(widths: &[usize], columns: &[usize]) -> usize {
    columns.iter().map(|c| widths[*c] + 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_lose_none() {
        let long = "word ".repeat(60) + "end\n";
        let broken = broken(&long, LINE, "");
        assert!(
            broken.lines().all(|line| line.chars().count() <= LINE && !line.ends_with(' '))
                && broken.lines().count() == 4
        );
        assert_eq!(broken.split_whitespace().count(), 61);
        assert!(broken.ends_with("end\n"));
    }

    #[test]
    fn wide_letters_count_twice() {
        let lines = broken(&"年齢と時間 ".repeat(20), LINE, "");
        assert!(lines.lines().all(|line| display_width(line) <= LINE) && lines.lines().count() == 3, "{lines}");
        let mut table = Table::new(&["name", "size"]);
        table.row(["年齢", "1"]);
        table.row(["age", "20"]);
        let widths: Vec<usize> = table.fitted(None).lines().map(display_width).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    }

    #[test]
    fn tables_fit_into_narrow_windows() {
        let mut table = Table::new(&["cluster", "age", "hours", "income", "weight", "what stands out"]);
        table.row(["1", "30.1 ± 0.2", "10.0 ± 0.3", "31,000 ± 700", "71.2 ± 0.4", "much higher age than average"]);
        table.row([
            "2",
            "72.1 ± 0.3",
            "20.0 ± 0.3",
            "24,000 ± 900",
            "65.2 ± 0.4",
            "lower income, lower hours than average",
        ]);
        let wide = table.fitted(None);
        assert_eq!(wide.lines().count(), 4);
        for width in [30, 45, 60, 80, 100] {
            let text = table.fitted(Some(width));
            assert!(text.lines().all(|line| display_width(line) <= width), "{width}\n{text}");
            for word in wide.split_whitespace().filter(|word| !word.contains('─')) {
                assert!(text.contains(word), "{word} is lost\n{text}");
            }
            // Every block names the clusters again.
            assert_eq!(text.matches("cluster").count(), text.split("\n\n").count(), "{text}");
        }
    }
}
