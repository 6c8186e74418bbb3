//! Table III of SZY19 on any table with known groups, as a job: reads the table, runs every way many times, and measures
//! how well the groups are found again. Computed from raw rows: NOT PRIVATE.

use serde::Serialize;
use shoal_consortium::{Attribute, Partition, Promise, TermsError};
use shoal_files::{BoundsSpec, DataError, FileKind, Missing, Progress, ReadOptions, Source, Table, TableFormat};
use shoal_kernel::OwnRecord;
use shoal_kernel::score::{Contingency, Normalizer, ScoreError, normalized_mutual_information};
use shoal_lattice::{BoundsError, LatticeMap};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Epsilon, NonPrivate, Parameter, Sensitive};

use super::{CodeMetric, Contest, ContestError, Rows, Way};

/// Rows read at a time.
const BATCH: usize = 4096;

/// How the table is read and how the ways are set up. The fields have the defaults of [`Comparison::new`].
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Number of clusters.
    pub k: usize,
    /// The column with the true groups.
    pub labels: String,
    /// Public limits of each column.
    pub bounds: BoundsSpec,
    /// Columns, in this order; those that the bounds name, or all, when none are given.
    pub columns: Option<Vec<String>>,
    /// What to do with missing values.
    pub missing: Missing,
    /// The table has no row of names.
    pub no_header: bool,
    /// Quoted cells of the table may span lines.
    pub multiline: bool,
    /// How the table is written.
    pub format: TableFormat,
    /// Most bytes to hold of a stream that cannot be read twice.
    pub memory: usize,
    /// ε of each bit, one line of the result for each.
    pub epsilon: Vec<Epsilon>,
    /// Bits of each column's code.
    pub bits: u32,
    /// Half the width t of the windows, as a share of each column's range.
    pub window: f64,
    /// Standard deviations of the additive noise (ADP), in the columns' own units.
    pub sigma: Vec<f64>,
    /// Shares of the dimensions that projections keep (RSP).
    pub kept: Vec<f64>,
    /// Runs of everything.
    pub runs: u32,
    /// Starts of which the best is kept.
    pub starts: u32,
    /// Most records, because all pairs are compared.
    pub most_records: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

/// How every way did.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Rows of the table.
    pub rows: usize,
    /// One line for each way.
    pub lines: Vec<ComparedWay>,
}

/// How a way did over all runs.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedWay {
    /// The way's name.
    pub method: &'static str,
    /// What was done to the records.
    pub level: String,
    /// Normalised mutual information from one start.
    pub single: Spread,
    /// The same for the start of several with the lowest objective.
    pub best: Spread,
    /// The ε for any two records as they were clustered; nothing but for DPBV.
    pub epsilon_of_a_record: Option<f64>,
}

/// Normalised mutual information over all runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub sd: f64,
}

/// Why a comparison was refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// The groups are among the columns to cluster.
    #[error("`{label}` has the groups that are to be found again; leave it out of {}", Parameter::COLUMNS)]
    GroupsAmongColumns {
        /// The column.
        label: String,
    },
    /// A released file instead of a table.
    #[error("{} is not a table of people", path.display())]
    NotATable {
        /// The file.
        path: std::path::PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// More rows than pairs of them can be compared.
    #[error(
        "the table has more than {most} rows, and all pairs are compared; give a smaller one, or more time with {}",
        Parameter::new("most-records")
    )]
    TooManyRows {
        /// The limit.
        most: u32,
    },
    /// More clusters than rows.
    #[error("{k} clusters of {rows} records are not possible; give {} 1 to {rows}", Parameter::K)]
    TooManyClusters {
        /// Clusters.
        k: usize,
        /// Rows.
        rows: usize,
    },
    /// Terms that cannot be agreed on.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// The table was refused.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The bounds were refused.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// Records could not be clustered.
    #[error(transparent)]
    Contest(#[from] ContestError),
    /// Labels could not be compared.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

impl ComparisonError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::GroupsAmongColumns { .. } => "groups-among-columns",
            Self::NotATable { .. } => "not-a-table",
            Self::TooManyRows { .. } => "too-many-rows-to-compare",
            Self::TooManyClusters { .. } => "number-of-clusters",
            Self::Terms(error) => error.code(),
            Self::Data(error) => error.code(),
            Self::Bounds(error) => error.code(),
            Self::Contest(_) => "comparison-failed",
            Self::Score(error) => error.code(),
        }
    }

    /// True when the request itself makes no sense.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::GroupsAmongColumns { .. } | Self::TooManyClusters { .. } | Self::Terms(_))
    }
}

impl Comparison {
    /// Runs of everything, unless others are asked for.
    pub const RUNS: u32 = 20;
    /// Starts of which the best is kept.
    pub const STARTS: u32 = 20;
    /// Most records.
    pub const MOST_RECORDS: u32 = 5_000;
    /// ε of each bit.
    pub const EPSILON: &'static str = "1,2";
    /// Standard deviations of the additive noise.
    pub const SIGMA: &'static str = "1,2";
    /// Shares of the dimensions that projections keep.
    pub const KEPT: &'static str = "0.5,0.75";

    /// Every way there is, for `k` clusters of a table whose true groups are in the column `labels`. No ADP, RSP or DPBV
    /// until their levels are given.
    pub fn new(k: usize, labels: &str, bounds: BoundsSpec) -> Self {
        Self {
            k,
            labels: labels.into(),
            bounds,
            columns: None,
            missing: Missing::Refuse,
            no_header: false,
            multiline: false,
            format: TableFormat::default(),
            memory: 4 << 30,
            epsilon: Vec::new(),
            bits: 1000,
            window: 0.5,
            sigma: Vec::new(),
            kept: Vec::new(),
            runs: Self::RUNS,
            starts: Self::STARTS,
            most_records: Self::MOST_RECORDS,
            seed: 0,
        }
    }

    fn ways(&self) -> Vec<Way> {
        [Way::KMeans]
            .into_iter()
            .chain(self.kept.iter().map(|kept| Way::Rsp(*kept)))
            .chain(self.sigma.iter().map(|sigma| Way::Adp(*sigma)))
            .chain([Way::PlainKCluster])
            .chain(self.epsilon.iter().map(|epsilon| Way::Dpbv(epsilon.clone())))
            .collect()
    }

    /// Reads the table and runs every way. `reading` and `step` hear how far it is; `step` gets the runs done and all.
    pub fn run(
        &self,
        source: Source,
        reading: &dyn Progress,
        step: &dyn Fn(usize, usize),
    ) -> Result<NonPrivate<Compared>, ComparisonError> {
        let records = Records::read(self, source, reading)?;
        let rows = records.contest.rows.len();
        if self.k > rows {
            return Err(ComparisonError::TooManyClusters { k: self.k, rows });
        }
        // Bad terms are known before the first run.
        records.contest.terms(&Way::PlainKCluster)?;
        let ways = self.ways();
        let (mut lines, of) = (Vec::new(), ways.len() * self.runs as usize);
        for (number, way) in ways.iter().enumerate() {
            let (mut single, mut best) = (Vec::new(), Vec::new());
            for run in 0..self.runs {
                let mut random = SeededNoise::new(self.seed).fork((number as u64) << 32 | u64::from(run));
                let found = records.contest.clustered(way, &mut random)?;
                single.push(records.score(&found.single)?);
                best.push(records.score(&found.best)?);
                step(number * self.runs as usize + run as usize + 1, of);
            }
            let (method, level) = names(way);
            let (single, best) = (Spread::of(&single), Spread::of(&best));
            lines.push(ComparedWay { method, level, single, best, epsilon_of_a_record: records.promised(way)? });
        }
        Ok(Sensitive::new(Compared { rows, lines }).without_privacy())
    }
}

/// Rows with their groups. Not private.
struct Records {
    contest: Contest,
    groups: Vec<String>,
}

impl Records {
    fn read(how: &Comparison, source: Source, reading: &dyn Progress) -> Result<Self, ComparisonError> {
        let named = match &how.bounds {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        if how.columns.as_ref().is_some_and(|names| names.contains(&how.labels)) {
            return Err(ComparisonError::GroupsAmongColumns { label: how.labels.clone() });
        }
        let table = open(how, source, how.columns.clone().or(named))?;
        let bounds = how.bounds.resolve(table.columns(), table.all_columns())?;
        let (map, dims) = (LatticeMap::new(&bounds), bounds.dims());
        let (mut values, mut steps, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut row = vec![0.0; dims];
        table.for_each_batch(BATCH, reading, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                for (a, x) in row.iter().enumerate() {
                    // Unwrap safety: a settled batch holds finite numbers only.
                    steps.push(map.to_steps(a, *x).unwrap().0 as i32);
                }
                values.extend_from_slice(&row);
                groups.extend(batch.labels().map(|labels| labels[r].clone()));
            }
            match groups.len() > how.most_records as usize {
                true => Err(ComparisonError::TooManyRows { most: how.most_records }),
                false => Ok(()),
            }
        })?;
        let pairs = bounds.columns().iter().zip(bounds.intervals());
        let attributes = pairs.map(|(name, range)| Attribute::new(name, *range, how.window * range.width()));
        let contest = Contest {
            attributes: attributes.collect::<Result<_, _>>()?,
            bits: how.bits,
            rows: Rows::new(dims, values),
            steps,
            k: how.k,
            starts: how.starts as usize,
            own: OwnRecord::LeftOut,
            metric: CodeMetric::Eq19,
        };
        Ok(Self { contest, groups })
    }

    /// The ε of a record of codes, whatever the anchors.
    fn promised(&self, way: &Way) -> Result<Option<f64>, ComparisonError> {
        let promise = Promise::of_terms(&self.contest.terms(way)?, Partition::Records, None)?;
        Ok(promise.pure.map(|epsilon| epsilon.to_f64_up()))
    }

    fn score(&self, labels: &[u32]) -> Result<f64, ComparisonError> {
        let mut table = Contingency::default();
        table.add_all(labels, &self.groups)?;
        Ok(normalized_mutual_information(&table, Normalizer::Arithmetic)?)
    }
}

fn open(how: &Comparison, source: Source, columns: Option<Vec<String>>) -> Result<Table, ComparisonError> {
    let kind = FileKind::of(&source);
    if let (Source::Path(path), FileKind::Reports | FileKind::Codes) = (&source, kind) {
        return Err(ComparisonError::NotATable { path: path.clone(), kind });
    }
    let options = ReadOptions {
        columns,
        label: Some(how.labels.clone()),
        missing: how.missing,
        no_header: how.no_header,
        multiline: how.multiline,
        format: how.format.clone(),
        stream_limit: how.memory as u64,
        ..ReadOptions::default()
    };
    Ok(Table::open(source, &options)?)
}

fn names(way: &Way) -> (&'static str, String) {
    match way {
        Way::KMeans => ("k-means", "as they are".into()),
        Way::Rsp(kept) => ("RSP + k-means", format!("{} % of dimensions", 100.0 * kept)),
        Way::Adp(sigma) => ("ADP + k-means", format!("σ = {sigma}")),
        Way::PlainKCluster => ("kCluster", "as they are".into()),
        Way::Bv => ("BV + kCluster", "bits as they are".into()),
        Way::Dpbv(epsilon) => ("DPBV + kCluster", format!("ε = {epsilon} per bit")),
    }
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { mean, sd: variance.sqrt() }
    }
}
