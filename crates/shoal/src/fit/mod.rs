//! Clustering a table under differential privacy, for its trusted holder.

mod bounds_asked;
mod check;
mod run;

use std::path::Path;
use std::sync::Arc;

use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{Knobs, Method, find_method, methods};
use shoal_files::{BoundsSpec, Missing, TableFormat};
use shoal_lattice::{Bounds, Category, Scaling};
use shoal_privacy::{Amount, Delta, Epsilon};
use shoal_scan::{Scan, ScanError};

pub(crate) use bounds_asked::BoundsAsked;
pub(crate) use run::noise;

use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::input::{Input, Reading};
use crate::k::IntoK;
use crate::ledger::{Account, BegunEntry, Left};
use crate::model::Model;
use crate::watch::{Watch, Watcher};
use crate::{Engine, Error, K};

/// The method of a fit that names none.
pub const DEFAULT_METHOD: &str = "auto";

/// A clustering that is set up and waits for its table.
///
/// [`Fit::run`] checks everything, reads every row, pays, and only then asks about the rows. The model's claim carries
/// every condition it rests on.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let table = folder.path().join("people.csv");
/// # std::fs::write(&table, "age,hours\n".to_string() + &"39,40\n62,5\n".repeat(500))?;
/// let model = shoal::Fit::new(2, "1")?.bounds("age=17:90,hours=1:99")?.run(&table)?;
/// assert_eq!(model.columns, ["age", "hours"]);
/// println!("{model}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Fit {
    k: K,
    epsilon: Epsilon,
    delta: Delta,
    bounds: Option<BoundsAsked>,
    method: &'static Method,
    knobs: Knobs,
    count_share: Option<Amount>,
    rows: Option<u64>,
    rows_public: bool,
    keep_cells: bool,
    account: Option<Account>,
    finish_later: bool,
    earlier: Option<Arc<Model>>,
    sampling: bool,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

/// What a fit leaves behind. All of it is released but nothing more: the model and the noisy cells may be published.
#[non_exhaustive]
pub struct Fitted {
    /// The clusters.
    pub model: Model,
    /// The noisy cells that were released on the way, where the method makes some.
    pub synopsis: Option<SynopsisFile>,
    /// The data set and what is left of its budget, where a ledger keeps one.
    pub left: Left,
    begun: Option<BegunEntry>,
}

impl Fitted {
    /// Marks the ledger's entry as finished, after [`Fit::finish_later`]: call it when the release is written.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.begun.take().map_or(Ok(()), BegunEntry::finish)
    }
}

impl Fit {
    /// A fit of `k` clusters (a number, or `"auto"` to have it chosen on the released cells) for a budget of ε.
    pub fn new(k: impl IntoK, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        Ok(Self {
            k: k.into_k()?,
            epsilon: epsilon.into_epsilon()?,
            delta: Delta::ZERO,
            bounds: None,
            method: find(DEFAULT_METHOD)?,
            knobs: Knobs::default(),
            count_share: None,
            rows: None,
            rows_public: false,
            keep_cells: false,
            account: None,
            finish_later: false,
            earlier: None,
            sampling: false,
            seed: None,
            reading: Reading::of_release(),
            watch: Watcher::default(),
        })
    }

    /// Also states the error of sampling: how far centres of a larger population may be from those of the rows, if these
    /// are a random sample of it. It is no part of the intervals, which are about privacy noise.
    #[must_use]
    pub fn sampling(mut self) -> Self {
        self.sampling = true;
        self
    }

    /// Keeps the numbers of an earlier model of the same columns: clusters that match have the same number.
    #[must_use]
    pub fn match_with(mut self, earlier: Model) -> Self {
        self.earlier = Some(Arc::new(earlier));
        self
    }

    /// Public limits of each column, chosen without looking at the data: `"0,100"` for all columns, `"age=17:90,hours=1:99"`,
    /// or the path of a JSON or TOML file. `"auto:10%"` and `"auto:0.1"` buy them, as [`Fit::buy_bounds`] does.
    ///
    /// Columns that the bounds name are those that are used, unless [`Fit::columns`] names others.
    pub fn bounds(mut self, text: &str) -> Result<Self, Error> {
        self.bounds = Some(BoundsAsked::parse(text)?);
        Ok(self)
    }

    /// Public limits that were parsed or computed before.
    #[must_use]
    pub fn public_bounds(mut self, bounds: BoundsSpec) -> Self {
        self.bounds = Some(BoundsAsked::Public(bounds));
        self
    }

    /// Stretches columns before they are clustered: `"income=log"`, `log1p`, `sqrt`, or `rank:` with public quantiles,
    /// `"income=rank:0,10000,30000,250000"`. Like bounds, a scale is chosen without looking at the data. Centres come back in
    /// the column's own units; that of a logarithm is a geometric mean.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let table = folder.path().join("people.csv");
    /// # std::fs::write(&table, "income\n".to_string() + &"2000\n50000\n".repeat(500))?;
    /// let model = shoal::Fit::new(2, "5")?.bounds("income=1000:1000000")?.scale("income=log")?.run(&table)?;
    /// assert!(model.centres.iter().any(|centre| centre[0] < 5000.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scale(mut self, text: &str) -> Result<Self, Error> {
        self.reading.scaling = self.reading.scaling.scales(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    /// How much columns count: a difference in a column of weight 2 counts twice as much as one that is the same part of the
    /// range in a column of weight 1, which others have. `"age=2,hours=0.5"`.
    ///
    /// Columns are brought to weight by using less of the lattice for the lighter ones, so that noise, relative to their
    /// range, is larger in these.
    pub fn weight(mut self, text: &str) -> Result<Self, Error> {
        self.reading.scaling = self.reading.scaling.weights(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    /// Columns of words with public levels: `"gender=F|M|X,region=regions.txt"`, where a file has one level on each line and a
    /// single level ends with a bar. Whatever is no level counts as *other*. Each level is a coordinate, and its value in a
    /// centre is the share of rows that have it.
    ///
    /// Levels are chosen without looking at the data, like bounds. A mismatch counts like half of the range of a column; another
    /// part can be given with [`Fit::weight`]. A table of categories alone needs no bounds.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let table = folder.path().join("people.csv");
    /// # std::fs::write(&table, "age,gender\n".to_string() + &"20,F\n70,M\n".repeat(500))?;
    /// let model = shoal::Fit::new(2, "5")?.bounds("age=0:100")?.categories("gender=F|M")?.run(&table)?;
    /// assert_eq!(model.columns, ["age", "gender=F", "gender=M"]);
    /// assert!(model.centres.iter().all(|centre| (0.0..=1.0).contains(&centre[1])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn categories(mut self, text: &str) -> Result<Self, Error> {
        for category in shoal_files::categories(text).map_err(Error::BoundsText)? {
            self = self.category(category)?;
        }
        Ok(self)
    }

    /// One category as a value, beside those given before.
    pub fn category(mut self, category: Category) -> Result<Self, Error> {
        self.reading.add_category(category)?;
        Ok(self)
    }

    /// Scales and weights as values, instead of text. Replaces those given before.
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.reading.scaling = scaling;
        self
    }

    /// Estimates the bounds from the data under differential privacy, for a part of the budget: `"10%"` of it, or an ε
    /// such as `"0.1"`.
    pub fn buy_bounds(mut self, price: &str) -> Result<Self, Error> {
        self.bounds = Some(BoundsAsked::price(price)?);
        Ok(self)
    }

    /// δ: the probability with which the guarantee may fail. Keep it well below 1/rows. Some methods add less noise when it
    /// is above zero.
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.delta = delta.into_delta()?;
        Ok(self)
    }

    /// The method by its name; `auto`, the default, takes the one that should do best.
    pub fn method(mut self, name: &str) -> Result<Self, Error> {
        self.method = find(name)?;
        Ok(self)
    }

    /// Parameters of the method that differ from its paper.
    #[must_use]
    pub fn knobs(mut self, knobs: Knobs) -> Self {
        self.knobs = knobs;
        self
    }

    /// The share of ε that buys a noisy number of rows where none is public.
    #[must_use]
    pub fn count_share(mut self, share: Amount) -> Self {
        self.count_share = Some(share);
        self
    }

    /// About how many rows there are, known from elsewhere and not counted in this table. Methods that are designed for a
    /// number of rows use it instead of buying a noisy one.
    #[must_use]
    pub fn rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Treats the true number of rows as public. The guarantee then covers replacing one row instead of adding or removing
    /// one, and ε counts twice.
    #[must_use]
    pub fn rows_public(mut self) -> Self {
        self.rows_public = true;
        self
    }

    /// Keeps the released noisy cells ([`Fitted::synopsis`]), so that they can be clustered again; `auto` then takes only
    /// routes that release some.
    #[must_use]
    pub fn keep_cells(mut self) -> Self {
        self.keep_cells = true;
        self
    }

    /// Debits the budget that this ledger keeps for a data set, and refuses to overspend it. The ledger and the data set in
    /// it must exist.
    pub fn ledger(mut self, path: impl AsRef<Path>, dataset: &str) -> Result<Self, Error> {
        self.account = Some(Account::new(path.as_ref(), dataset)?);
        Ok(self)
    }

    /// [`Fit::ledger`] for a budget that several tables of the same people share: two years, two exports. What is released from
    /// each of them adds up. A table that the ledger knows under another name is refused.
    pub fn population(mut self, path: impl AsRef<Path>, name: &str) -> Result<Self, Error> {
        self.account = Some(Account::new(path.as_ref(), name)?.of_population());
        Ok(self)
    }

    /// The columns that together say whose row it is. The guarantee is then about persons, however many rows they have: which of
    /// their rows count is for [`Fit::per_person`] to say, and the mean of them is one row. These columns are used for nothing
    /// else, and what they hold goes nowhere.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let table = folder.path().join("visits.csv");
    /// # std::fs::write(&table, "patient,age\n".to_string() + &"7,41\n7,42\n8,60\n".repeat(200))?;
    /// let fit = shoal::Fit::new(1, "1")?.bounds("age=17:90")?.person(["patient"]);
    /// let sentence = fit.run(&table)?.guarantee.to_string();
    /// assert!(sentence.contains("when one person, with all their rows, is added or removed"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn person<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.reading.persons.columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which rows of a person count: `mean` (the default), `first:COLUMN`, `last:COLUMN`, or `up-to:M`, by which all rows of a
    /// person share ε.
    pub fn per_person(mut self, way: &str) -> Result<Self, Error> {
        self.reading.persons.per_person = Some(way.parse()?);
        Ok(self)
    }

    /// Leaves the ledger's entry unfinished until [`Fitted::finish`] is called, for callers that write the result somewhere. By
    /// default an entry is finished when the result is handed over.
    #[must_use]
    pub fn finish_later(mut self) -> Self {
        self.finish_later = true;
        self
    }

    /// Draws the noise from a seed, for tests and papers: there is NO PRIVACY then, and the claim is void.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The columns to use, in this order.
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.reading.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What to do with rows in which a value is missing. The default refuses the table.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.reading.missing = missing;
        self
    }

    /// The CSV file has no header; its columns are called c1, c2, and so on.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.reading.no_header = true;
        self
    }

    /// How the table is written, where that has to be declared: separators, decimal commas, dates, a sheet.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = format;
        self
    }

    /// Quoted cells of the CSV file may span lines. Without this a record that does is refused: usually a quote was not closed,
    /// and the rows after it would be lost.
    #[must_use]
    pub fn multiline(mut self) -> Self {
        self.reading.multiline = true;
        self
    }

    /// Bytes of memory for the rows. A larger table is read piece by piece, again for every question; a longer stream goes to
    /// a temporary file without a name.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.reading.memory = bytes;
        self
    }

    /// Threads to use, instead of those of the current rayon pool. The result does not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.reading.threads = Some(threads.max(1));
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// Checks, reads, pays, and clusters.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>) -> Result<Model, Error> {
        let mut fitted = self.run_fully(input)?;
        // A model that is paid for is not lost over a mark.
        let _ = fitted.finish();
        Ok(fitted.model)
    }

    /// [`Fit::run`] with all that it leaves behind.
    pub fn run_fully<'a>(&self, input: impl Into<Input<'a>>) -> Result<Fitted, Error> {
        self.check()?;
        run::on_table(self, input.into())
    }

    /// [`Fit::run_fully`] on rows that an engine answers for: another machine, a cluster, or your own [`Scan`]. The rows are
    /// on the lattice of `bounds` already, so these are the bounds, and none can be bought. The claim rests on the
    /// condition that [`Fit::missing`] describes what the engine did with rows in which a value is missing.
    pub fn run_scan(&self, scan: &dyn Scan, bounds: &Bounds) -> Result<Fitted, Error> {
        self.check_options()?;
        if matches!(self.bounds, Some(BoundsAsked::Bought(_))) {
            return Err(Error::BoundsOfScan);
        }
        if !self.reading.scaling.is_empty() || !self.reading.categories.is_empty() {
            return Err(Error::ScaleOfScan);
        }
        if !self.reading.persons.columns.is_empty() {
            return Err(Error::PersonsOfScan);
        }
        if scan.dims() != bounds.dims() {
            return Err(ScanError::Dimensions { asked: bounds.dims(), has: scan.dims() }.into());
        }
        run::on_scan(self, scan, bounds)
    }

    /// [`Fit::run_fully`] on rows of a query engine, which stay where they are: columns, bounds, scales, weights, categories and
    /// the rule for missing values are those of this fit, and every row is read once before anything is paid. Bounds cannot
    /// be bought, and rows cannot be grouped by person.
    pub fn run_engine(&self, engine: &dyn Engine) -> Result<Fitted, Error> {
        self.check()?;
        if matches!(self.bounds, Some(BoundsAsked::Bought(_))) {
            return Err(Error::BoundsOfEngine);
        }
        if !self.reading.persons.columns.is_empty() {
            return Err(Error::PersonsOfEngine);
        }
        run::on_engine(self, engine)
    }
}

fn find(name: &str) -> Result<&'static Method, Error> {
    find_method(name).ok_or_else(|| Error::UnknownMethod { name: name.into(), known: names(|_| true) })
}

fn names(which: impl Fn(&Method) -> bool) -> Vec<&'static str> {
    methods().filter(|method| which(method)).map(|method| method.info.name).collect()
}
