//! `shoal cluster`: clusters what has been released already, so it asks for no budget and no records.

use shoal::curator::SynopsisKMeans;
use shoal::data::Source;
use shoal::model::Model;
use shoal::synopsis_file::SynopsisFile;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};

use super::fit::start_threads;
use super::outputs::{Asked, OutputFiles, Release};
use crate::arguments::{ClusterArgs, Shown};
use crate::failure::Failure;
use crate::progress::WorkBar;
use crate::table;

/// What can be clustered, told from the file itself.
enum Released {
    /// Noisy cells of a grid.
    Synopsis(SynopsisFile),
}

impl Released {
    fn read(source: Source) -> Result<Self, Failure> {
        Ok(Self::Synopsis(SynopsisFile::read(source)?))
    }
}

/// Clusters a released file.
pub fn run(args: &ClusterArgs, shown: &Shown) -> Result<(), Failure> {
    let source = table::source(&args.file, shown);
    let input = match &source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    };
    let inputs: Vec<_> = input.as_deref().into_iter().collect();
    let asked = Asked { out: args.out.as_deref(), report: args.report.as_deref(), synopsis: None };
    let files = OutputFiles::claim(&asked, &inputs)?;
    let released = Released::read(source)?;
    start_threads(shown)?;
    // Only starts are drawn: no promise rests on them, so a seed takes none away.
    let mut random: Box<dyn NoiseSource> = match args.seed {
        Some(seed) => Box::new(SeededNoise::new(seed)),
        None => Box::new(OsNoise::new()?),
    };
    let model = match &released {
        Released::Synopsis(file) => {
            let how = SynopsisKMeans { k: args.k, inits: args.inits as usize, rounds: args.iterations as usize };
            let work = WorkBar::new(shown);
            let found = file.synopsis.cluster_watched(&how, &mut *random, &|step| work.show(step));
            Model::of_synopsis(file, &found)
        }
    };
    let name = table::short_name(&args.file);
    files.release(&Release { model: &model, synopsis: None, source: &name, balance: None }, shown)
}
