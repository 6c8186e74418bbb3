//! The files that an aggregator names on the command line.

use std::path::{Path, PathBuf};

use shoal::Error;
use shoal::consortium::{ConsortiumError, Pool, Pooled};
use shoal_files::Source;

use crate::arguments::Shown;
use crate::arguments::consortium::codes::CodesArgs;
use crate::failure::Failure;
use crate::library::failed;
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::consortium::columns::{OUT_OF_OWN, without_columns};
use crate::table;

/// Codes, perhaps an own table, and the paths of both.
pub struct Given {
    codes: Vec<Source>,
    own: Option<Source>,
    inputs: Vec<PathBuf>,
}

impl Given {
    pub fn new(args: &CodesArgs, shown: &Shown) -> Self {
        let codes: Vec<Source> = args.files.iter().map(|file| table::source(file, shown)).collect();
        let own = args.own.as_deref().map(|data| table::source(data, shown));
        let path = |source: &Source| match source {
            Source::Path(path) => Some(path.clone()),
            _ => None,
        };
        let inputs = codes.iter().chain(&own).filter_map(path).collect();
        Self { codes, own, inputs }
    }

    /// Claims a place for a result, which must not replace what is read.
    pub fn claim(&self, out: Option<&Path>) -> Result<Option<ClaimedPlace>, Failure> {
        let inputs: Vec<_> = self.inputs.iter().map(PathBuf::as_path).collect();
        out.map(|path| ClaimedPlace::new(path, &inputs)).transpose()
    }

    /// Reads all of it.
    pub fn read(self, args: &CodesArgs, shown: &Shown) -> Result<Pooled, Failure> {
        let mut pool = Pool::new().watch(Bars::new(shown));
        if let Some(consistency) = args.consistency {
            pool = pool.consistency(consistency);
        }
        if let Some(memory) = args.memory {
            pool = pool.memory(memory as u64);
        }
        if let (Some(own), Some(bounds)) = (self.own, &args.own_bounds) {
            pool = pool.own(own, bounds, args.id.as_deref()).map_err(failed)?;
        }
        pool.read(self.codes).map_err(|error| match error {
            Error::Consortium(ConsortiumError::OwnTable(error)) => without_columns(failed(*error), OUT_OF_OWN),
            error => failed(error),
        })
    }
}
