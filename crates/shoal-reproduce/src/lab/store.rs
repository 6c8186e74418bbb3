//! Runs that were made, in a file for each cell: a killed run continues where it was, and nothing is measured twice.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{Key, version};
use crate::Failure;

/// The first line of each file, after which come the version of what is measured and the key. Another version is measured
/// again ([`super::version`]).
const VERSION: &str = concat!("shoal-reproduce 1, shoal ", env!("CARGO_PKG_VERSION"));

/// How the names of files end.
const ENDING: &str = "runs";

/// A folder of runs.
pub struct Store {
    folder: PathBuf,
    seed: u64,
}

impl Store {
    /// The runs in this folder with this seed. The folder is made if need be.
    pub fn open(folder: &Path, seed: u64) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder: folder.into(), seed })
    }

    /// The seed of all noise.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The runs of a cell that are there already, by their numbers. What a killed run left half written is not.
    pub fn runs(&self, key: &Key) -> Result<BTreeMap<usize, Vec<f64>>, Failure> {
        let path = self.path(key);
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(format!("{}: {error}", path.display()).into()),
        };
        let mut lines = text.split_inclusive('\n');
        if lines.next() != Some(&*head(key)) {
            fs::remove_file(&path)?;
            return Ok(BTreeMap::new());
        }
        Ok(lines.filter_map(run).collect())
    }

    /// Forgets all runs, of every seed. Files that are not of this store stay.
    pub fn forget(&self) -> Result<(), Failure> {
        for file in fs::read_dir(&self.folder)? {
            let path = file?.path();
            if path.extension().is_some_and(|ending| ending == ENDING) {
                fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Keeps a run.
    pub fn keep(&self, key: &Key, index: usize, values: &[f64]) -> Result<(), Failure> {
        let path = self.path(key);
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let mut line = if file.metadata()?.len() == 0 { head(key) } else { String::new() };
        // A line break before as well: what was left half written stays a line of its own.
        line += &format!("\n{index}");
        for value in values {
            line += &format!(" {:016x}", value.to_bits());
        }
        line += &format!(" {}\n", values.len());
        file.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn path(&self, key: &Key) -> PathBuf {
        let name: String = key.digest(self.seed)[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{name}.{ENDING}"))
    }
}

/// What a file must begin with to be about this cell.
fn head(key: &Key) -> String {
    let parameters: Vec<_> = key.parameters().map(|(name, value)| format!("{name}={value:?}")).collect();
    format!("{VERSION}, version {}, {}\n", version::of(key), parameters.join(", "))
}

/// A whole line: the number of the run, its values bit for bit, and how many there are.
fn run(line: &str) -> Option<(usize, Vec<f64>)> {
    let mut words: Vec<&str> = line.strip_suffix('\n')?.split(' ').collect();
    let count: usize = words.pop()?.parse().ok()?;
    let (index, values) = words.split_first()?;
    let values: Option<Vec<f64>> = values
        .iter()
        .map(|word| (word.len() == 16).then(|| u64::from_str_radix(word, 16).ok().map(f64::from_bits)).flatten())
        .collect();
    let values = values.filter(|values| values.len() == count)?;
    Some((index.parse().ok()?, values))
}
