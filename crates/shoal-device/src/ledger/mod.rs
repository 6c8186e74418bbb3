//! What a device keeps about the reports it has sent, so that repeated reports never reveal more than the person allows.
//!
//! *Privacy*: the losses of a person's reports add up, whatever collections they were for and whether the record changed in
//! between. [`DeviceLedger::answer`] returns a report only after its loss was added, and refuses when the sum would exceed the
//! person's total. Losses are exact fractions, in memory and in JSON.
//!
//! *Assumes*: the app stores [`DeviceLedger::to_json`] before it sends what [`DeviceLedger::answer`] returned, and never goes
//! back to an older state. Who restores an old backup forgets what was sent since. A ledger is about one person: two
//! devices of one person have two ledgers, whose losses add up, too.
//!
//! A collection is known by the identifier of its design, or by the digest where it has none. Under one identifier a design
//! with another digest is refused: a collector that asks the same people again under new conditions needs a new identifier, and
//! their consent.

mod json;

use std::collections::BTreeMap;

use shoal_noise::NoiseSource;
use shoal_privacy::{Claim, Epsilon, Loss, Neighbours};

use crate::wire::{Day, Envelope};
use crate::{Device, DeviceError, Promises};

/// What to do when a collection was answered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeat {
    /// Refuse.
    Once,
    /// Send the same report again, with its identifier: the collector counts it once, and it reveals nothing new. A record
    /// that has changed since is not reported.
    SameReport,
    /// Make a new report, until there are this many. Each costs the ε of the design again.
    Fresh {
        /// Reports for this collection, at most.
        most: u32,
    },
}

/// The reports that one person's device has sent: plain data that the app stores.
///
/// ```
/// use shoal_device::wire::Day;
/// use shoal_device::{Design, Device, DeviceLedger, Mechanism, Repeat};
/// use shoal_lattice::{Bounds, Interval};
///
/// let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
/// let design = Design::new(Mechanism::Laplace, "2".parse()?, bounds)?.with_identifier("ages")?;
/// let mut device = Device::new(&design)?;
/// let mut ledger = DeviceLedger::with_total("3".parse()?);
/// let sent = ledger.answer(&mut device, &[34.0], Repeat::Once, Day(20_500))?;
/// let stored = ledger.to_json(); // store this, then send the report
/// let mut ledger = DeviceLedger::from_json(&stored)?;
/// assert_eq!(ledger.answer(&mut device, &[34.0], Repeat::SameReport, Day(20_501))?, sent);
/// let refused = ledger.answer(&mut device, &[34.0], Repeat::Fresh { most: 2 }, Day(20_501));
/// assert_eq!(refused.unwrap_err().code(), "over-total"); // 2 + 2 is more than 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceLedger {
    total: Option<Epsilon>,
    collections: BTreeMap<String, Answered>,
}

/// A collection that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answered {
    /// Of its design.
    digest: String,
    /// What one report guarantees between any two records.
    claim: Claim,
    reports: u32,
    /// The last one.
    sent: Envelope,
}

impl DeviceLedger {
    /// An empty ledger without a total: each design is still held to its own [`Limit`](crate::Limit).
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty ledger of a person who allows this ε between any two records, over all reports together.
    pub fn with_total(total: Epsilon) -> Self {
        Self { total: Some(total), ..Self::default() }
    }

    /// The same with another total, or none. One that is already exceeded refuses every new report.
    #[must_use]
    pub fn and_total(self, total: Option<Epsilon>) -> Self {
        Self { total, ..self }
    }

    /// A report of one record, or the earlier one: see [`Repeat`]. Store the ledger before sending what is returned.
    ///
    /// # Errors
    /// When the values are no record, the collection was answered before or has another design now, the mechanism
    /// guarantees nothing, or the sum of all losses would exceed the total. Nothing is spent or drawn then.
    pub fn answer<N: NoiseSource>(
        &mut self,
        device: &mut Device<N>,
        values: &[f64],
        repeat: Repeat,
        day: Day,
    ) -> Result<Envelope, DeviceError> {
        self.answer_with(device, values, &[], repeat, day)
    }

    /// [`Self::answer`] for a design with columns of words: see [`Device::report_with`].
    ///
    /// # Errors
    /// As [`Self::answer`], and when there are more or fewer words than columns of words.
    pub fn answer_with<N: NoiseSource>(
        &mut self,
        device: &mut Device<N>,
        values: &[f64],
        words: &[Option<&str>],
        repeat: Repeat,
        day: Day,
    ) -> Result<Envelope, DeviceError> {
        let record = device.record(values, words)?;
        let collection = device.collection().to_owned();
        let before = self.collections.get(&collection);
        let reports = before.map_or(0, |before| before.reports);
        if let Some(before) = before {
            if before.digest != device.digest() {
                let (expected, found) = (before.digest.clone(), device.digest().to_owned());
                return Err(DeviceError::DesignChanged { collection, expected, found });
            }
            match repeat {
                Repeat::SameReport => return Ok(before.sent.clone()),
                Repeat::Fresh { most } if reports < most => {}
                Repeat::Once | Repeat::Fresh { .. } => {
                    return Err(DeviceError::AlreadyAnswered { collection, reports });
                }
            }
        } else if repeat == (Repeat::Fresh { most: 0 }) {
            return Err(DeviceError::AlreadyAnswered { collection, reports });
        }
        let promises = device.promises_of_true_noise();
        let no_guarantee = || DeviceError::NoGuarantee { mechanism: device.mechanism_name() };
        let claim = any_two(&promises).ok_or_else(no_guarantee)?.clone();
        let epsilon = pure(&claim).ok_or_else(no_guarantee)?;
        let (spent, digest) = (self.spent(), device.digest().to_owned());
        if let Some(total) = &self.total
            && spent.plus(epsilon) > *total
        {
            let (spent, design, total) = (spent.into(), epsilon.clone().into(), total.clone().into());
            return Err(DeviceError::OverTotal { spent, design, total });
        }
        let sent = device.sealed(&record, day)?;
        self.collections.insert(collection, Answered { digest, claim, reports: reports + 1, sent: sent.clone() });
        Ok(sent)
    }

    /// ε between any two records, of all reports together.
    pub fn spent(&self) -> Epsilon {
        self.collections.values().fold(Epsilon::ZERO, |sum, answered| {
            let each = pure(&answered.claim).cloned().unwrap_or(Epsilon::ZERO);
            sum.plus(&each.times(&shoal_privacy::Amount::ratio(answered.reports.into(), 1)))
        })
    }

    /// The ε that a person allows over all reports.
    pub fn total(&self) -> Option<&Epsilon> {
        self.total.as_ref()
    }

    /// How many reports were made for a collection.
    pub fn reports(&self, collection: &str) -> u32 {
        self.collections.get(collection).map_or(0, |answered| answered.reports)
    }

    /// The last report for a collection, to be sent again when it may not have arrived.
    pub fn sent(&self, collection: &str) -> Option<&Envelope> {
        self.collections.get(collection).map(|answered| &answered.sent)
    }

    /// The collections that were answered.
    pub fn collections(&self) -> impl Iterator<Item = &str> {
        self.collections.keys().map(String::as_str)
    }

    /// What all reports together guarantee; `None` before the first.
    pub fn promise(&self) -> Option<Claim> {
        let of_all = |answered: &Answered| crate::promises::of_reports(&answered.claim, answered.reports);
        let mut claims = self.collections.values().map(of_all);
        let first = claims.next()?;
        // All are about any two records at a pure ε, which compose.
        claims.try_fold(first, |sum, claim| sum.then(&claim).ok())
    }
}

/// The claim about any two records.
fn any_two(promises: &Promises) -> Option<&Claim> {
    promises.claims().find(|claim| claim.neighbours == Neighbours::AnyTwoInputs && pure(claim).is_some())
}

fn pure(claim: &Claim) -> Option<&Epsilon> {
    match &claim.loss {
        Loss::Pure(epsilon) => Some(epsilon),
        _ => None,
    }
}
