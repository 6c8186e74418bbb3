//! Files that a command writes: their places are checked before anything is spent, and each appears whole or not at all.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

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

    /// A place for a file about single rows, which is its owner's alone.
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
    pub fn writer(&mut self) -> &mut (impl Write + Send + use<>) {
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
