//! `shoal cluster`: clusters what has been released already, so it asks for no budget and no records.

use std::path::{Path, PathBuf};

use shoal::{Cluster, Labelled};
use shoal_files::{Form, Source};

use super::predict::read_model;
use crate::arguments::{ClusterArgs, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::outputs::{Asked, OutputFiles, Release};
use crate::place::{ClaimedPlace, is_same_place};
use crate::show::bars::Bars;
use crate::table;

/// Clusters released files.
pub fn run(args: &ClusterArgs, shown: &Shown) -> Result<(), Failure> {
    if args.files.len() > 1 && args.files.iter().any(|file| file == "-") {
        return Err(Failure::usage("standard input (-) cannot be joined with files; give it alone"));
    }
    let sources: Vec<Source> = args.files.iter().map(|file| table::source(file, shown)).collect();
    let inputs: Vec<PathBuf> = sources.iter().filter_map(path_of).chain(args.earlier.clone()).collect();
    let inputs: Vec<_> = inputs.iter().map(PathBuf::as_path).collect();
    let asked = Asked { out: args.out.as_deref(), report: args.report.as_deref(), synopsis: None };
    let files = OutputFiles::claim(&asked, &inputs)?;
    let labels = args.labels.as_deref().map(|path| LabelsFile::claim(path, &asked, &inputs)).transpose()?;
    let mut job = set_up(args, shown).map_err(failed)?;
    if args.sampling {
        job = job.sampling();
    }
    if let Some(path) = &args.earlier {
        job = job.match_with(read_model(path)?);
    }
    let (model, labelled) = match labels {
        None => (job.run(sources).map_err(failed)?, None),
        Some(file) => {
            let labelled = job.run_labelled(sources).map_err(failed)?;
            (labelled.model.clone(), Some((file, labelled)))
        }
    };
    let name = match args.files.as_slice() {
        [file] => table::short_name(file),
        files => format!("{} files", files.len()),
    };
    let released = files.release(&Release { model: &model, synopsis: None, source: &name, balance: None }, shown);
    if let Some((file, labelled)) = labelled {
        file.write(&labelled, shown)?;
    }
    released
}

/// The file of the labels, its place claimed and its form known before anything is read.
struct LabelsFile {
    place: ClaimedPlace,
    form: Form,
}

impl LabelsFile {
    fn claim(path: &Path, asked: &Asked<'_>, inputs: &[&Path]) -> Result<Self, Failure> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        if !matches!(ending.as_deref(), Some("csv" | "parquet")) {
            return Err(Failure::usage(format!(
                "labels are written as text to a name that ends in .csv, and as Parquet to one that ends in .parquet; {} ends in neither",
                path.display()
            )));
        }
        for (option, other) in [("--out", asked.out), ("--report", asked.report)] {
            if other.is_some_and(|other| is_same_place(path, other)) {
                return Err(Failure::usage(format!("{option} and --labels name the same file; give each its own")));
            }
        }
        // About single people, as the reports are: for the owner of these.
        Ok(Self { place: ClaimedPlace::secret(path, inputs)?, form: Form::of(path) })
    }

    fn write(self, labelled: &Labelled, shown: &Shown) -> Result<(), Failure> {
        let path = self.place.write_with(|out| labelled.write(out, self.form))?;
        if !shown.quiet {
            eprintln!("written: {}", path.display());
            eprintln!(
                "Labels have the guarantee of the reports and no other: each reveals as much of its sender as the report does."
            );
        }
        Ok(())
    }
}

/// The clustering that the command line asks for.
fn set_up(args: &ClusterArgs, shown: &Shown) -> Result<Cluster, shoal::Error> {
    let mut job = Cluster::new(args.k)?.watch(Bars::new(shown));
    if let Some(method) = args.method {
        job = job.method(method);
    }
    if let Some(restarts) = args.inits {
        job = job.restarts(restarts as usize);
    }
    if let Some(iterations) = args.iterations {
        job = job.iterations(iterations as usize);
    }
    if let Some(width) = args.knobs.width {
        job = job.width(width);
    }
    if let Some(prior) = args.knobs.prior {
        job = job.prior(prior);
    }
    if let Some(most) = args.knobs.most_clusters {
        job = job.most_clusters(most);
    }
    if let Some(criterion) = args.knobs.criterion {
        job = job.criterion(criterion);
    }
    if let Some(estimate) = args.knobs.estimate {
        job = job.estimate(estimate);
    }
    if let Some(kappa) = args.knobs.kappa {
        job = job.kappa(kappa);
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    Ok(job)
}

fn path_of(source: &Source) -> Option<PathBuf> {
    match source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    }
}
