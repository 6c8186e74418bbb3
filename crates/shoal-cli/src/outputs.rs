//! The files that a clustering leaves behind, and what is printed about it.

use std::path::{Path, PathBuf};

use shoal::model::Model;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_privacy::ledger::Balance;

use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::place::{ClaimedPlace, is_same_place};
use crate::show::output;
use crate::show::summary;

/// Where the user wants the files.
#[derive(Default)]
pub struct Asked<'a> {
    /// The model.
    pub out: Option<&'a Path>,
    /// The page.
    pub report: Option<&'a Path>,
    /// The noisy cells.
    pub synopsis: Option<&'a Path>,
}

/// The files to write, their places claimed before anything is spent.
pub struct OutputFiles {
    model: Option<ClaimedPlace>,
    report: Option<ClaimedPlace>,
    synopsis: Option<ClaimedPlace>,
}

impl OutputFiles {
    /// Claims the places; `inputs` are files that must not be replaced.
    pub fn claim(asked: &Asked<'_>, inputs: &[&Path]) -> Result<Self, Failure> {
        let named = [("--out", asked.out), ("--report", asked.report), ("--synopsis", asked.synopsis)];
        let named: Vec<_> = named.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
        for (i, (option, path)) in named.iter().enumerate() {
            if let Some((other, _)) = named[..i].iter().find(|(_, other)| is_same_place(path, other)) {
                return Err(Failure::usage(format!("{other} and {option} name the same file; give each its own")));
            }
        }
        let claim = |path: Option<&Path>| path.map(|path| ClaimedPlace::new(path, inputs)).transpose();
        Ok(Self { model: claim(asked.out)?, report: claim(asked.report)?, synopsis: claim(asked.synopsis)? })
    }

    /// Writes the files and shows the result. One that cannot be written keeps back neither the others nor what is shown:
    /// a budget may have paid for them.
    pub fn release(self, result: &Release<'_>, shown: &Shown) -> Result<(), Failure> {
        let Release { model, synopsis, source, balance } = *result;
        let written = [
            self.model.map(|file| file.write(model.to_json().as_bytes())),
            self.report.map(|file| file.write(summary::page(model, source, balance).as_bytes())),
            self.synopsis.zip(synopsis).map(|(file, synopsis)| file.write_with(|out| synopsis.write(out))),
        ];
        if shown.format == Format::Json {
            output::print(&model.to_json())?;
        } else {
            output::print(&output::wrapped(&summary::text(model, source, balance, shown)))?;
        }
        for path in written.into_iter().flatten().collect::<Result<Vec<PathBuf>, _>>()? {
            if !shown.quiet {
                eprintln!("written: {}", path.display());
            }
        }
        Ok(())
    }
}

/// What goes out.
pub struct Release<'a> {
    /// The clusters.
    pub model: &'a Model,
    /// The noisy cells, where the method makes some.
    pub synopsis: Option<&'a SynopsisFile>,
    /// The name of what was clustered.
    pub source: &'a str,
    /// The budget of the data set, where a ledger keeps it.
    pub balance: Option<&'a (String, Balance)>,
}
