//! Bounds estimated from a table under differential privacy.

use std::path::Path;

use shoal_curator::{ColumnBounds, ColumnInterval, Decision, EstimatedBounds, PrivateBounds};
use shoal_files::{BoundsSpec, Missing, TableFormat};
use shoal_lattice::Bounds;
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Assumption, Delta, Epsilon, Guarantee, Spent};
use shoal_scan::{Question, Scan, ValueBuckets};

use crate::Error;
use crate::engine::{Engine, read_through};
use crate::epsilon::IntoEpsilon;
use crate::fit::noise;
use crate::input::{Input, Reading};
use crate::ledger::{Account, BegunEntry, Left, OpenAccount, allow};
use crate::persons::{Persons, for_rows, promised};
use crate::watch::{Notice, Phase, Watch, Watcher};

/// An estimate of bounds that is set up and waits for its table.
///
/// A fit within the bounds it finds is a release of its own, whose ε adds to this one.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let table = folder.path().join("people.csv");
/// # std::fs::write(&table, "age\n".to_string() + &"41\n".repeat(5000))?;
/// let found = shoal::EstimateBounds::new("0.1")?.run(&table)?;
/// assert!(found.bounds.intervals()[0].hi() >= 41.0);
/// println!("{}", found.guarantee);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct EstimateBounds {
    epsilon: Epsilon,
    account: Option<Account>,
    finish_later: bool,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

/// Bounds that were found, and what that gave away.
#[non_exhaustive]
pub struct FoundBounds {
    /// An interval for each column.
    pub bounds: Bounds,
    /// How sure each interval is.
    pub estimate: EstimatedBounds,
    /// What is guaranteed, on all conditions.
    pub guarantee: Guarantee,
    /// What it cost; nothing when the noise was seeded, since no budget can pay for that.
    pub spent: Option<Spent>,
    /// The data set and what is left of its budget, where a ledger keeps one.
    pub left: Left,
    begun: Option<BegunEntry>,
}

impl FoundBounds {
    /// Marks the ledger's entry as finished, after [`EstimateBounds::finish_later`]: call it when the bounds are written.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.begun.take().map_or(Ok(()), BegunEntry::finish)
    }

    /// The intervals in the form in which a fit takes them.
    pub fn spec(&self) -> BoundsSpec {
        let pairs = self.bounds.columns().iter().cloned().zip(self.bounds.intervals().iter().copied());
        BoundsSpec::Named(pairs.collect())
    }
}

impl EstimateBounds {
    /// An estimate for ε.
    pub fn new(epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        Ok(Self {
            epsilon: epsilon.into_epsilon()?,
            account: None,
            finish_later: false,
            seed: None,
            reading: Reading::of_release(),
            watch: Watcher::default(),
        })
    }

    /// Debits the budget that this ledger keeps for a data set.
    pub fn ledger(mut self, path: impl AsRef<Path>, dataset: &str) -> Result<Self, Error> {
        self.account = Some(Account::new(path.as_ref(), dataset)?);
        Ok(self)
    }

    /// [`EstimateBounds::ledger`] for a budget that several tables of the same people share.
    pub fn population(mut self, path: impl AsRef<Path>, name: &str) -> Result<Self, Error> {
        self.account = Some(Account::new(path.as_ref(), name)?.of_population());
        Ok(self)
    }

    /// The columns that together say whose row it is, as for [`Fit::person`](crate::Fit::person).
    #[must_use]
    pub fn person<N: Into<String>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.reading.persons.columns = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Which rows of a person count, as for [`Fit::per_person`](crate::Fit::per_person). A mean is that of the values as they
    /// are: there are no bounds yet that they could be moved into.
    pub fn per_person(mut self, way: &str) -> Result<Self, Error> {
        self.reading.persons.per_person = Some(way.parse()?);
        Ok(self)
    }

    /// Leaves the ledger's entry unfinished until [`FoundBounds::finish`] is called, for callers that write the bounds
    /// somewhere. By default an entry is finished when the bounds are handed over.
    #[must_use]
    pub fn finish_later(mut self) -> Self {
        self.finish_later = true;
        self
    }

    /// Draws the noise from a seed, for tests: there is NO PRIVACY then, and the claim is void.
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

    /// Bytes of memory for a stream that cannot be read twice; a longer one goes to a temporary file without a name.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.reading.memory = bytes;
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// [`EstimateBounds::run`] on rows of a query engine, which stay where they are. Every row is read once before anything is
    /// paid. Rows cannot be grouped by person.
    pub fn run_engine(&self, engine: &dyn Engine) -> Result<FoundBounds, Error> {
        self.check()?;
        if !self.reading.persons.columns.is_empty() {
            return Err(Error::PersonsOfEngine);
        }
        let mut account = OpenAccount::open(self.account.as_ref())?;
        let names = self.reading.numbers_of(engine, self.reading.columns.clone())?;
        self.reading.announce_keys_among(engine.columns(), &names, &self.watch);
        let scan = engine.raw_scan(&names, self.reading.missing)?;
        let everything = Question::Buckets { lists: vec![ValueBuckets::Magnitudes; names.len()] };
        read_through(&*scan, &everything, &self.watch)?;
        let estimate = PrivateBounds::new(&self.epsilon, names.len())?;
        let paid = self.pay(&estimate, names.len(), &mut account, None)?;
        let finding = self.watch.phase(Phase::FindingBounds);
        let (accountant, found, noise) = paid.look(&estimate, &*scan)?;
        drop(finding);
        self.found(account, &accountant, found, &*noise, &names, engine.conditions())
    }

    fn check(&self) -> Result<(), Error> {
        if self.seed.is_some() && self.account.is_some() {
            return Err(Error::SeededWithLedger);
        }
        self.reading.persons.check(false)
    }

    /// Checks, reads, pays, and only then lets anything out.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>) -> Result<FoundBounds, Error> {
        self.check()?;
        let persons = &self.reading.persons;
        let mut account = OpenAccount::open(self.account.as_ref())?;
        let opened = self.reading.open(input.into())?;
        let names = opened.columns().to_vec();
        self.reading.announce_keys(&opened, &self.watch);
        let (epsilon, _) = persons.budget_of_a_row(&self.epsilon, &Delta::ZERO)?;
        let estimate = PrivateBounds::new(&epsilon, names.len())?;
        let table = account.as_ref().map(|_| opened.content_hash()).transpose()?;
        let (raw, _) = self.reading.read_through(&opened, Persons::key(self.seed)?, &self.watch)?;
        let paid = self.pay(&estimate, names.len(), &mut account, table)?;
        let finding = self.watch.phase(Phase::FindingBounds);
        let (accountant, found, noise) = paid.look(&estimate, &raw.scan(&opened, &finding))?;
        drop(finding);
        self.found(account, &accountant, found, &*noise, &names, Vec::new())
    }

    /// Debits the claim of an estimate. Whatever can still fail comes before.
    fn pay(
        &self,
        estimate: &PrivateBounds,
        columns: usize,
        account: &mut Option<OpenAccount>,
        table: Option<[u8; 32]>,
    ) -> Result<Paid, Error> {
        let unit = self.reading.persons.unit();
        let promise = promised(&unit, &estimate.claim())?;
        if self.seed.is_some() {
            self.watch.notice(&Notice::Seeded);
        }
        let noise = noise(self.seed)?;
        let plural = if columns == 1 { "" } else { "s" };
        let purpose = format!("bounds of {columns} column{plural}");
        let allowance = allow(account, &purpose, promise, table, &self.watch)?;
        Ok(Paid { accountant: Accountant::new(for_rows(allowance, estimate.claim(), &unit)?), noise })
    }

    /// The bounds of columns, with all conditions of the claim.
    fn found(
        &self,
        account: Option<OpenAccount>,
        accountant: &Accountant,
        found: EstimatedBounds,
        noise: &dyn NoiseSource,
        names: &[String],
        conditions: Vec<Assumption>,
    ) -> Result<FoundBounds, Error> {
        let mut claim = promised(&self.reading.persons.unit(), accountant.spent())?;
        claim.assumes.extend(self.reading.conditions(false).into_iter().chain(conditions));
        let loss = claim.loss.clone();
        let guarantee = Guarantee::of(claim, noise.is_seeded());
        let (left, begun) = OpenAccount::settle(account, self.finish_later);
        Ok(FoundBounds {
            bounds: found.bounds(names)?,
            estimate: found,
            spent: Spent::unless_seeded(&guarantee, &loss),
            guarantee,
            left,
            begun,
        })
    }
}

/// An estimate that is paid for.
struct Paid {
    accountant: Accountant,
    noise: Box<dyn NoiseSource>,
}

impl Paid {
    /// Asks both questions about the rows.
    fn look(
        mut self,
        estimate: &PrivateBounds,
        scan: &dyn Scan,
    ) -> Result<(Accountant, EstimatedBounds, Box<dyn NoiseSource>), Error> {
        let counted = estimate.count(scan)?;
        let found = estimate.run(counted, scan, &mut self.accountant, &mut *self.noise)?;
        Ok((self.accountant, found, self.noise))
    }
}

/// What a fit within bought bounds reports about them.
pub(crate) fn decisions(found: &EstimatedBounds, names: &[String], epsilon: &Epsilon) -> Vec<Decision> {
    let of_column =
        |(name, column): (&String, &ColumnBounds)| ColumnInterval { column: name.clone(), interval: column.interval };
    let bounds = names.iter().zip(&found.columns).map(of_column).collect();
    let mut decisions = vec![Decision::BoughtBounds { epsilon: epsilon.clone(), bounds }];
    let columns: Vec<String> = found.guesses(names).into_iter().map(Into::into).collect();
    if !columns.is_empty() {
        decisions.push(Decision::GuessedBounds { columns });
    }
    decisions
}
