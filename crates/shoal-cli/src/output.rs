//! What goes to standard output and to files.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

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

/// A place for a file, found to be writable before any budget is spent.
pub struct ClaimedPlace {
    path: PathBuf,
    mode: u32,
}

impl ClaimedPlace {
    /// A place for a file that may be handed on. `inputs` are files that must not be replaced: data, model, ledger.
    pub fn new(path: &Path, inputs: &[&Path]) -> Result<Self, Failure> {
        Self::claim(path, inputs, 0o666)
    }

    /// A place for a file that tells about single rows and is its owner's alone.
    pub fn secret(path: &Path, inputs: &[&Path]) -> Result<Self, Failure> {
        Self::claim(path, inputs, 0o600)
    }

    fn claim(path: &Path, inputs: &[&Path], mode: u32) -> Result<Self, Failure> {
        let place = Self { path: path.into(), mode };
        if path == Path::new("-") {
            return Err(Failure::usage(
                "- is not a file; leave the option out to print, with --format json for programs",
            ));
        }
        if path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(place.cannot(&"it is a folder"));
        }
        // A name too long, or a folder that is none, shows here and not when the result is paid for.
        match path.symlink_metadata() {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(place.cannot(&error)),
            _ => {}
        }
        if path.exists() && !path.is_file() {
            return Err(place.cannot(&"it is not an ordinary file"));
        }
        if !place.folder().is_dir() {
            return Err(place.cannot(&format!("there is no folder {}", place.folder().display())));
        }
        if let Some(input) = inputs.iter().find(|input| is_same_file(path, input)) {
            return Err(place.cannot(&format!("it would replace {}, which this command reads", input.display())));
        }
        // Made and removed at once: what lies around for the length of a fit may stay when someone stops the program.
        drop(place.temporary()?);
        Ok(place)
    }

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    fn temporary(&self) -> Result<NamedTempFile, Failure> {
        let file = temporary(self.mode).tempfile_in(self.folder()).map_err(|error| self.cannot(&error.kind()))?;
        if let Ok(replaced) = self.path.metadata() {
            file.as_file().set_permissions(replaced.permissions()).map_err(|error| self.cannot(&error))?;
        }
        Ok(file)
    }

    fn cannot(&self, why: &dyn fmt::Display) -> Failure {
        Failure::refused(format!("cannot write {} ({why}); choose another place for it", self.path.display()))
    }

    /// Starts writing.
    pub fn open(self) -> Result<PendingFile, Failure> {
        let file = self.temporary()?;
        // A link stays a link: what it points to is replaced.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        Ok(PendingFile { shown: self.path, path, file })
    }

    /// Writes everything and puts the file in its place.
    pub fn write(self, bytes: &[u8]) -> Result<PathBuf, Failure> {
        self.write_with(|out| out.write_all(bytes))
    }

    /// Lets `fill` write and puts the file in its place.
    pub fn write_with(self, fill: impl FnOnce(&mut NamedTempFile) -> std::io::Result<()>) -> Result<PathBuf, Failure> {
        let mut file = self.open()?;
        let written = fill(&mut file.file);
        written.map_err(|error| Failure::refused(format!("cannot write {} ({error})", file.shown.display())))?;
        file.finish()
    }
}

/// A file that appears whole or not at all.
pub struct PendingFile {
    shown: PathBuf,
    path: PathBuf,
    file: NamedTempFile,
}

impl PendingFile {
    /// Where the bytes go meanwhile.
    pub fn writer(&mut self) -> &mut impl Write {
        &mut self.file
    }

    /// Puts the file in its place, durably.
    pub fn finish(self) -> Result<PathBuf, Failure> {
        let shown = self.shown;
        let cannot = |error: &dyn fmt::Display| Failure::refused(format!("cannot write {} ({error})", shown.display()));
        self.file.as_file().sync_all().map_err(|e| cannot(&e))?;
        self.file.persist(&self.path).map_err(|e| cannot(&e.error))?;
        Ok(shown)
    }
}

/// True when both paths lead to the same file, by whatever way.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// True when a file written to either path would be the same, whether it is there already or not.
pub fn is_same_place(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    a == b || is_same_file(a, b) || place(a).is_some_and(|a| place(b) == Some(a))
}

/// A temporary file with these permissions, less what the user's umask takes away.
#[cfg(unix)]
fn temporary(mode: u32) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".shoal-");
    builder.permissions(std::fs::Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn temporary(_: u32) -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
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
