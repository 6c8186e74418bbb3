//! All roles in one process, on tables that one party has: to try the protocol out. NOT PRIVATE: nobody is kept from anything.

use std::sync::Arc;

use shoal_files::{BoundsSpec, DataError};
use shoal_lattice::Interval;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_split::{
    AgreeToAll, Charter, CharterText, ColumnEntry, Custodian, Delivered, Helper, HelperEntry, Member, NoLedger, Party,
    PublicKey, Rehearsal,
};

use super::{SplitError, SplitFit, SplitFitted, SplitTable};
use crate::Error;
use crate::consortium::ConsortiumError;
use crate::epsilon::IntoEpsilon;
use crate::input::Input;
use crate::k::IntoK;

/// A rehearsal that waits for tables.
///
/// ```
/// use shoal::consortium::SplitRehearsal;
/// use shoal_files::Matrix;
///
/// let ages: Vec<f64> = (0..3000).map(|i| if i % 3 == 0 { 20.0 } else { 70.0 }).collect();
/// let table = |from: usize| Matrix::from_rows(&["age"], &ages[from..][..1000]).unwrap();
/// let rehearsed = SplitRehearsal::new("age=0:100", 3, 2)?
///     .seed(1)
///     .run(2, "1", [table(0), table(1000), table(2000)])?;
/// assert_eq!(rehearsed.fitted.model.k(), 2);
/// assert!(rehearsed.fitted.model.guarantee.is_seeded(), "a rehearsal promises nothing");
/// # Ok::<(), shoal::Error>(())
/// ```
pub struct SplitRehearsal {
    charter: Arc<Charter>,
    rows: Option<u64>,
    seed: Option<u64>,
}

/// What a rehearsal leaves.
pub struct Rehearsed {
    /// The charter that was made up for it.
    pub charter: Arc<Charter>,
    /// Model and transcript.
    pub fitted: SplitFitted,
    /// How many messages were sent, and how many bytes they had.
    pub messages: (usize, usize),
}

/// Columns of a charter from bounds by name.
pub(super) fn columns(bounds: &str) -> Result<Vec<ColumnEntry>, Error> {
    let BoundsSpec::Named(pairs) = BoundsSpec::parse(bounds).map_err(DataError::from)? else {
        return Err(ConsortiumError::ColumnsNeeded.into());
    };
    let entry =
        |(name, interval): (String, Interval)| ColumnEntry { name, lowest: interval.lo(), highest: interval.hi() };
    Ok(pairs.into_iter().map(entry).collect())
}

/// A key that nobody has: a rehearsal has no channels.
fn no_key(number: usize) -> String {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&(number as u64 + 1).to_le_bytes());
    PublicKey(key).to_text()
}

impl SplitRehearsal {
    /// A rehearsal with so many custodians and helpers, for columns with these public bounds: `age=17:90,hours=1:99`.
    pub fn new(bounds: &str, custodians: usize, helpers: usize) -> Result<Self, Error> {
        let columns = columns(bounds)?;
        let custodian = |i: usize| Member { name: format!("custodian-{}", i + 1), key: no_key(i) };
        let helper = |i: usize| HelperEntry {
            name: format!("helper-{}", i + 1),
            operator: format!("rehearsal {}", i + 1),
            at: format!("helper-{}:1", i + 1),
            key: no_key(1000 + i),
        };
        let text = CharterText {
            version: 1,
            least_custodians: 2,
            max_epsilon: "1000".into(),
            fallback: "none".into(),
            round_seconds: 600,
            columns,
            custodians: (0..custodians).map(custodian).collect(),
            helpers: (0..helpers).map(helper).collect(),
            drivers: vec![Member { name: "driver".into(), key: no_key(2000) }],
        };
        let charter = Charter::new(text).map_err(SplitError::from).map_err(ConsortiumError::from)?;
        Ok(Self { charter: Arc::new(charter), rows: None, seed: None })
    }

    /// A rehearsal under a charter that was agreed on: the same bounds and limits.
    pub fn under(charter: Arc<Charter>) -> Self {
        Self { charter, rows: None, seed: None }
    }

    /// About how many rows all custodians have together, known from elsewhere.
    #[must_use]
    pub fn rows(self, rows: u64) -> Self {
        Self { rows: Some(rows), ..self }
    }

    /// Repeatable noise.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Runs all roles.
    pub fn run<'a, I: Into<Input<'a>>>(
        &self,
        k: impl IntoK,
        epsilon: impl IntoEpsilon,
        tables: impl IntoIterator<Item = I>,
    ) -> Result<Rehearsed, Error> {
        let charter = &self.charter;
        let fit = SplitFit::new(charter.clone(), k, epsilon)?;
        let fit = match self.rows {
            Some(rows) => fit.rows(rows)?,
            None => fit,
        };
        let tables: Vec<SplitTable> =
            tables.into_iter().map(|it| SplitTable::open(it, charter)).collect::<Result<_, _>>()?;
        if tables.len() != charter.custodians() {
            let (custodians, tables) = (charter.custodians(), tables.len());
            return Err(ConsortiumError::from(SplitError::Tables { custodians, tables }).into());
        }
        let (mut count, mut bytes) = (0, 0);
        let mut watch = |delivered: &Delivered| {
            count += 1;
            bytes += delivered.post.bytes.len();
        };
        let parties = charter.helpers() + tables.len() + 1;
        let fitted = match self.seed {
            Some(seed) => {
                let mut root = SeededNoise::new(seed);
                let sources = (0..parties).map(|i| root.fork(i as u64)).collect::<Vec<_>>();
                rehearse(&fit, charter, &tables, sources, &mut watch)?
            }
            None => {
                let sources = (0..parties).map(|_| OsNoise::new()).collect::<Result<Vec<_>, _>>()?;
                rehearse(&fit, charter, &tables, sources, &mut watch)?
            }
        };
        Ok(Rehearsed { charter: charter.clone(), fitted, messages: (count, bytes) })
    }
}

/// Everyone with a source of their own: helpers, custodians, the driver.
fn rehearse<N: NoiseSource>(
    fit: &SplitFit,
    charter: &Arc<Charter>,
    tables: &[SplitTable],
    mut sources: Vec<N>,
    watch: &mut dyn FnMut(&Delivered),
) -> Result<SplitFitted, Error> {
    let custodians = sources.split_off(charter.helpers());
    let helpers = (0..).zip(sources).map(|(i, noise)| Helper::new(charter.clone(), i, noise)).collect();
    let mut custodians = custodians.into_iter();
    let mut taking_part = Vec::new();
    for ((i, table), noise) in (0..).zip(tables).zip(&mut custodians) {
        taking_part.push(Custodian::new(charter.clone(), i, table.scan(), NoLedger, &AgreeToAll, noise));
    }
    // Unwrap safety: there is one source more than there are helpers and tables.
    let mut bits = custodians.next().unwrap();
    let rehearsal = Rehearsal::new(helpers, taking_part, Party::Driver(0)).watched(watch);
    // One process holds everything: whatever the noise, nobody is kept from anything.
    fit.run_with(rehearsal, &mut bits, true)
}
