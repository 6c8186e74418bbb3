//! The releases of custodians: reading them, and refusing what cannot be merged.

use std::io::Read;
use std::path::Path;

use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{Decision, ReleasedCentre, Synopsis};
use shoal_files::{FileKind, Source};
use shoal_lattice::{Bounds, BoxLength, LatticeMap};
use shoal_privacy::{Guarantee, NoGuarantee, Spent};

use crate::Error;
use crate::consortium::ConsortiumError;
use crate::input::first_repeated;
use crate::model::{Custodian, HowRead, Kind, Model};

/// What one custodian released.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Release {
    /// Centres and sizes.
    Model(Box<Model>),
    /// Noisy cells.
    Synopsis(Box<SynopsisFile>),
}

impl Release {
    /// Reads one release of each custodian, with the name of its file.
    pub(super) fn read_all(sources: Vec<Source>) -> Result<Vec<(String, Self)>, Error> {
        if let Some(path) = first_repeated(&sources) {
            return Err(ConsortiumError::ReleaseNamedTwice { path }.into());
        }
        let stdin = sources.iter().filter(|source| matches!(source, Source::Stdin)).count();
        if stdin > 1 {
            return Err(ConsortiumError::OneStdin.into());
        }
        sources.into_iter().enumerate().map(|(i, source)| Self::read(source, i + 1)).collect()
    }

    fn read(source: Source, number: usize) -> Result<(String, Self), Error> {
        let (file, name) = match &source {
            Source::Path(path) => (path.display().to_string(), name_of(path, number)),
            Source::Stdin => ("standard input".to_string(), format!("custodian {number}")),
            Source::Memory(_) => (format!("release {number}"), format!("custodian {number}")),
        };
        let source = at_hand(source)?;
        let release = match FileKind::of(&source) {
            FileKind::Synopsis => Self::Synopsis(Box::new(SynopsisFile::read(source)?)),
            FileKind::Reports | FileKind::Codes => {
                return Err(
                    ConsortiumError::NothingToMerge { name: file, why: "reports or codes of single people" }.into()
                );
            }
            _ => {
                let text = text_of(source).map_err(|error| Error::Read { name: file.clone(), source: error })?;
                let text = text.ok_or(ConsortiumError::NothingToMerge { name: file.clone(), why: "no text" })?;
                let model = Model::from_json(&text);
                Self::Model(Box::new(model.map_err(|source| ConsortiumError::ModelToMerge { name: file, source })?))
            }
        };
        Ok((name, release))
    }
}

/// A source that can be read more than once: what comes through a pipe is kept in memory.
fn at_hand(source: Source) -> Result<Source, Error> {
    match source {
        Source::Path(path) if !path.exists() || path.is_file() || path.is_dir() => Ok(Source::Path(path)),
        Source::Path(path) => match std::fs::read(&path) {
            Ok(bytes) => Ok(Source::Memory(bytes)),
            Err(source) => Err(Error::Read { name: path.display().to_string(), source }),
        },
        Source::Stdin => {
            let mut bytes = Vec::new();
            match std::io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => Ok(Source::Memory(bytes)),
                Err(source) => Err(Error::Read { name: "standard input".into(), source }),
            }
        }
        memory => Ok(memory),
    }
}

/// The text of a file; none where it is no text.
fn text_of(source: Source) -> Result<Option<String>, std::io::Error> {
    let bytes = match source {
        Source::Path(path) => std::fs::read(path)?,
        Source::Memory(bytes) => bytes,
        // What comes through standard input was read before.
        _ => Vec::new(),
    };
    Ok(String::from_utf8(bytes).ok())
}

/// A name for people: that of the file without its ending and without control characters.
fn name_of(path: &Path, number: usize) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String = stem.chars().filter(|letter| !letter.is_control()).collect();
    if name.is_empty() { format!("custodian {number}") } else { name }
}

/// Releases that can be merged: two or more, all of a kind, of the same columns and bounds, each given once.
pub(super) enum Releases {
    Models(Vec<(String, Model)>),
    Synopses(Vec<(String, SynopsisFile)>),
}

impl Releases {
    pub fn checked(releases: Vec<(String, Release)>) -> Result<Self, Error> {
        if releases.len() < 2 {
            return Err(ConsortiumError::TooFewReleases.into());
        }
        let (mut models, mut synopses) = (Vec::new(), Vec::new());
        for (name, release) in releases {
            match release {
                Release::Model(model) => models.push((name, *model)),
                Release::Synopsis(file) => synopses.push((name, *file)),
            }
        }
        let all = match (models.first(), synopses.first()) {
            (Some((model, _)), Some((synopsis, _))) => {
                let (model, synopsis) = (model.clone(), synopsis.clone());
                return Err(ConsortiumError::ModelsAndSynopses { model, synopsis }.into());
            }
            (_, None) => Self::Models(models),
            (None, _) => Self::Synopses(synopses),
        };
        all.check()?;
        Ok(all)
    }

    fn check(&self) -> Result<(), ConsortiumError> {
        if let Self::Models(models) = self {
            for (name, model) in models {
                if model.kind == Kind::Crowd {
                    return Err(ConsortiumError::ModelOfACrowd { name: name.clone() });
                }
                if model.merged_from.is_some() {
                    return Err(ConsortiumError::MergedAlready { name: name.clone() });
                }
            }
        }
        let names = self.names();
        let layouts = self.layouts();
        let (columns, bounds) = &layouts[0];
        for (name, (other_columns, other_bounds)) in names.iter().zip(&layouts).skip(1) {
            let (first, second) = (names[0].clone(), name.clone());
            if columns != other_columns {
                let (of_first, of_second) = (columns.join(", "), other_columns.join(", "));
                return Err(ConsortiumError::ColumnsDiffer { first, second, of_first, of_second });
            }
            if let Some(at) = (0..columns.len()).find(|&at| bounds[at] != other_bounds[at]) {
                let interval = |bounds: &[shoal_lattice::Interval]| format!("{}:{}", bounds[at].lo(), bounds[at].hi());
                return Err(ConsortiumError::BoundsDiffer {
                    first,
                    second,
                    column: columns[at].clone(),
                    of_first: interval(bounds),
                    of_second: interval(other_bounds),
                });
            }
        }
        let all = self.all_bounds()?;
        if let Some(at) = (1..all.len()).find(|&at| all[at] != all[0]) {
            return Err(ConsortiumError::ScalesDiffer { first: names[0].clone(), second: names[at].clone() });
        }
        match self.repeated() {
            Some((first, second)) => {
                Err(ConsortiumError::ReleasedTwice { first: names[first].clone(), second: names[second].clone() })
            }
            None => Ok(()),
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Models(models) => models.iter().map(|(name, _)| name.clone()).collect(),
            Self::Synopses(files) => files.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    fn layouts(&self) -> Vec<(Vec<String>, Vec<shoal_lattice::Interval>)> {
        match self {
            Self::Models(models) => models.iter().map(|(_, it)| (it.columns.clone(), it.bounds.clone())).collect(),
            Self::Synopses(files) => {
                let of = |file: &SynopsisFile| (file.bounds.columns().to_vec(), file.bounds.intervals().to_vec());
                files.iter().map(|(_, file)| of(file)).collect()
            }
        }
    }

    /// The bounds of each release, with scales, weights and categories.
    fn all_bounds(&self) -> Result<Vec<Bounds>, ConsortiumError> {
        match self {
            Self::Models(models) => {
                let refused = |name: &String| {
                    let name = name.clone();
                    move |source| ConsortiumError::ModelToMerge { name, source }
                };
                models.iter().map(|(name, model)| model.to_bounds().map_err(refused(name))).collect()
            }
            Self::Synopses(files) => Ok(files.iter().map(|(_, file)| file.bounds.clone()).collect()),
        }
    }

    /// Two releases that are one and the same, whatever their files are called and whichever cluster comes first.
    fn repeated(&self) -> Option<(usize, usize)> {
        let pairs = |count: usize| (1..count).flat_map(|b| (0..b).map(move |a| (a, b)));
        match self {
            Self::Models(models) => {
                let numbers = |model: &Model| {
                    let mut rows: Vec<Vec<u64>> = (0..model.k())
                        .map(|j| {
                            let size = model.sizes.get(j).map_or(0, |size| size.to_bits());
                            model.centres[j].iter().map(|x| x.to_bits()).chain([size]).collect()
                        })
                        .collect();
                    rows.sort_unstable();
                    rows
                };
                let all: Vec<_> = models.iter().map(|(_, model)| numbers(model)).collect();
                pairs(all.len()).find(|&(a, b)| all[a] == all[b])
            }
            Self::Synopses(files) => pairs(files.len()).find(|&(a, b)| {
                let (a, b) = (&files[a].1.synopsis, &files[b].1.synopsis);
                a.counts == b.counts && a.cells == b.cells
            }),
        }
    }

    /// The guarantee of each release, by its custodian's name.
    pub fn guarantees(&self) -> Vec<(String, Guarantee)> {
        match self {
            Self::Models(models) => {
                let of = |model: &Model| match &model.guarantee {
                    Guarantee::Holds(_) if model.seeded => Guarantee::Void { none: NoGuarantee::Seeded },
                    other => other.clone(),
                };
                models.iter().map(|(name, model)| (name.clone(), of(model))).collect()
            }
            Self::Synopses(files) => {
                files.iter().map(|(name, file)| (name.clone(), file.synopsis.guarantee.clone())).collect()
            }
        }
    }

    /// What the custodians gave, for the merged model.
    pub fn custodians(&self) -> Vec<Custodian> {
        match self {
            Self::Models(models) => {
                let of = |(name, model): &(String, Model)| Custodian {
                    name: name.clone(),
                    method: model.method.clone(),
                    parts: model.k(),
                    rows: (!model.sizes.is_empty()).then(|| model.sizes.iter().map(|size| size.max(0.0)).sum()),
                    // A model of a synopsis was paid for with the synopsis.
                    paid_before: model.paid_before.clone().or_else(|| model.spent.clone()),
                };
                models.iter().map(of).collect()
            }
            Self::Synopses(files) => {
                let of = |(name, file): &(String, SynopsisFile)| Custodian {
                    name: name.clone(),
                    method: file.method.clone(),
                    parts: file.synopsis.counts.len(),
                    rows: Some(file.synopsis.counts.iter().map(|&count| count as f64).sum::<f64>().max(0.0)),
                    paid_before: Spent::unless_seeded(&file.synopsis.guarantee, &file.synopsis.charged),
                };
                files.iter().map(of).collect()
            }
        }
    }

    /// The bounds that all releases have.
    pub fn bounds(&self) -> Result<Bounds, Error> {
        match self {
            Self::Models(models) => Ok(models[0].1.to_bounds()?),
            Self::Synopses(files) => Ok(files[0].1.bounds.clone()),
        }
    }

    /// How the tables were read, where all were read alike.
    pub fn reading(&self) -> HowRead {
        match self {
            Self::Models(models) => {
                let first = &models[0].1.reading;
                let alike = models.iter().all(|(_, model)| model.reading == *first);
                if alike { first.clone() } else { HowRead::default() }
            }
            Self::Synopses(_) => HowRead::default(),
        }
    }

    /// What was decided in the same way for every table: how the rows of a person were counted.
    pub fn decisions(&self) -> Vec<Decision> {
        let of_all: Vec<Vec<Decision>> = match self {
            Self::Models(models) => {
                let own = |decision: &crate::model::Decision| match decision {
                    crate::model::Decision::Curator(decision) => Some(decision.clone()),
                    crate::model::Decision::Crowd(_) => None,
                };
                models.iter().map(|(_, model)| model.decisions.iter().filter_map(own).collect()).collect()
            }
            Self::Synopses(files) => files.iter().map(|(_, file)| file.synopsis.decisions.clone()).collect(),
        };
        let persons = of_all[0].iter().filter(|decision| matches!(decision, Decision::Persons { .. }));
        persons.filter(|decision| of_all.iter().all(|all| all.contains(decision))).cloned().collect()
    }

    /// The noisy cells of all releases.
    pub fn synopses(&self) -> Vec<&Synopsis> {
        match self {
            Self::Models(_) => Vec::new(),
            Self::Synopses(files) => files.iter().map(|(_, file)| &file.synopsis).collect(),
        }
    }

    /// The centres of all releases, in the box.
    pub fn centres(&self) -> Result<Vec<ReleasedCentre>, Error> {
        let Self::Models(models) = self else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for (release, (_, model)) in models.iter().enumerate() {
            let map = LatticeMap::new(&model.to_bounds()?);
            let places = model.centres_in_box()?;
            for (j, place) in places.chunks_exact(model.columns.len()).enumerate() {
                let certainty = model.certainty.as_ref();
                let half: Option<Vec<f64>> = certainty
                    .and_then(|it| it.intervals.get(j))
                    .map(|row| row.iter().map(|[low, high]| 0.5 * (high - low)).collect());
                let spread = certainty.and_then(|it| it.spread.get(j));
                // Lengths are in the user's units around the centre: a logarithm stretches them by where it is.
                let lengths = |row: &[f64]| -> Vec<BoxLength> {
                    row.iter().zip(place).enumerate().map(|(i, (x, at))| map.length_in_box(i, *at, *x)).collect()
                };
                all.push(ReleasedCentre {
                    release,
                    place: place.to_vec(),
                    noise: lengths(&model.centre_sd[j]).iter().map(|length| length.in_widths()).collect(),
                    half_width: half.map(|half| lengths(&half)),
                    spread: spread.map(|spread| lengths(spread)),
                    rows: model.sizes.get(j).copied(),
                    rows_noise: model.size_sd.get(j).copied().unwrap_or(0.0),
                });
            }
        }
        Ok(all)
    }
}
