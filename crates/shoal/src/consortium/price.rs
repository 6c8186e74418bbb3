//! What codes would guarantee and cost, from public numbers alone.

use serde::Serialize;
use shoal_consortium::price::{Afford, CrowdComparison, Price as PriceOfCodes, afford};
use shoal_consortium::promise::{AtDistance, at_distance};
use shoal_consortium::{Agreement, AgreementFile, Attribute, Flips, Limit, Partition, Scale, Terms};
use shoal_files::BoundsSpec;
use shoal_lattice::{Interval, STEPS};
use shoal_privacy::{Delta, Epsilon};

use super::columns::{attribute, check_window};
use super::{ConsortiumError, DEFAULT_BITS, DEFAULT_DELTA, DEFAULT_WINDOW};
use crate::Error;
use crate::epsilon::{IntoDelta, IntoEpsilon};

/// Distances for which the loss is listed, as shares of the range.
pub const SHARES: [f64; 4] = [0.001, 0.01, 0.1, 1.0];

/// A price, set up. Reads no data.
///
/// ```
/// use shoal::consortium::Price;
///
/// let priced = Price::of_range("0:50", 64)?.epsilon("1")?.run()?; // SZY19's own setting: 1,000 bits, t half the range
/// assert_eq!(priced.price.promise.pure, Some("64000".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Price {
    subject: Subject,
    bits: Option<u32>,
    epsilon: Option<Epsilon>,
    window: f64,
    scale: Option<Scale>,
    delta: Option<Delta>,
    partition: Partition,
}

/// What is priced.
#[derive(Clone, Debug)]
enum Subject {
    /// An agreement that is made already, with its anchors.
    Agreement(Box<Agreement>),
    /// Attributes with a range each, and the scale unless one is given.
    Attributes(Vec<(String, Interval)>, Scale),
}

/// What codes of given terms cost.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Priced {
    /// The terms.
    pub terms: Terms,
    /// Whether the bits of agreed anchors were counted; otherwise the price is for the worst anchors there can be.
    pub agreed: bool,
    /// How records are coded.
    pub partition: Partition,
    /// The δ at which losses are listed next to the pure ones.
    pub delta: Option<Delta>,
    /// Guarantee and accuracy.
    pub price: PriceOfCodes,
    /// What one attribute gives away, for the distances of [`SHARES`]. Empty for pairs.
    pub one_attribute: Vec<AtDistance>,
    /// The same for records so far apart in all attributes, where there are several.
    pub whole_record: Vec<AtDistance>,
    /// The same job done by reports of a crowd.
    pub comparison: CrowdComparison,
}

/// What a total affords.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Affordable {
    /// The total for any two records.
    pub total: Limit,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// Their unit.
    pub scale: Scale,
    /// How records are coded.
    pub partition: Partition,
    /// Numbers of bits, each with the ε per bit that fits; at least one.
    #[serde(flatten)]
    pub found: Afford,
    /// The best of them next to reports of a crowd.
    pub comparison: CrowdComparison,
}

impl Price {
    fn of(subject: Subject) -> Self {
        Self {
            subject,
            bits: None,
            epsilon: None,
            window: DEFAULT_WINDOW,
            scale: None,
            // Unwrap safety: a constant that parses.
            delta: Some(DEFAULT_DELTA.parse().unwrap()),
            partition: Partition::Records,
        }
    }

    /// The price of an agreement that is made already, with its very anchors.
    pub fn of_agreement(file: &AgreementFile) -> Self {
        Self::of(Subject::Agreement(Box::new(file.agreement.clone())))
    }

    /// The price of so many attributes with one public range, `LO:HI`. They count in their own units.
    pub fn of_range(range: &str, attributes: usize) -> Result<Self, Error> {
        match BoundsSpec::parse(range).map_err(Error::BoundsText)? {
            BoundsSpec::All(range) => {
                let attributes = (1..=attributes).map(|i| (format!("c{i}"), range)).collect();
                Ok(Self::of(Subject::Attributes(attributes, Scale::Own)))
            }
            BoundsSpec::Named(_) => Err(ConsortiumError::OneRange.into()),
        }
    }

    /// The price of attributes with public bounds of their own: `NAME=LO:HI,…`, or a file. They count in widths of their
    /// ranges.
    pub fn of_bounds(bounds: &str) -> Result<Self, Error> {
        match BoundsSpec::parse(bounds).map_err(Error::BoundsText)? {
            BoundsSpec::Named(pairs) => Ok(Self::of(Subject::Attributes(pairs, Scale::Range))),
            BoundsSpec::All(_) => Err(ConsortiumError::EachNamed.into()),
        }
    }

    /// Bits of each attribute's code; for [`afford`](Self::afford), one more number of bits to try.
    #[must_use]
    pub fn bits(mut self, bits: u32) -> Self {
        self.bits = Some(bits);
        self
    }

    /// ε of each bit.
    pub fn epsilon(mut self, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        self.epsilon = Some(epsilon.into_epsilon()?);
        Ok(self)
    }

    /// Half the width t of the window, as a share of each range.
    pub fn window(mut self, share: f64) -> Result<Self, Error> {
        self.window = check_window(share)?;
        Ok(self)
    }

    /// How attributes count in a distance.
    #[must_use]
    pub fn scale(mut self, scale: Scale) -> Self {
        self.scale = Some(scale);
        self
    }

    /// The δ at which ε is listed next to the pure one; 0 for none.
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.delta = Some(delta.into_delta()?).filter(|delta| !delta.amount().is_zero());
        Ok(self)
    }

    /// Prices codes of all pairs of so many records, whose losses add up, instead of codes of records.
    #[must_use]
    pub fn pairs_of(mut self, records: u64) -> Self {
        self.partition = Partition::Pairs { records };
        self
    }

    /// The price of these codes.
    pub fn run(&self) -> Result<Priced, Error> {
        match &self.subject {
            Subject::Agreement(agreement) => {
                self.check_agreement(agreement)?;
                self.priced(agreement.terms().clone(), Some(agreement))
            }
            Subject::Attributes(..) => {
                let (attributes, scale) = self.attributes()?;
                let epsilon = self.epsilon.clone().ok_or(ConsortiumError::EpsilonNeeded)?;
                let bits = self.bits.unwrap_or(DEFAULT_BITS);
                let terms = Terms::new(attributes, bits, Flips::PerBit(epsilon), scale);
                self.priced(terms.map_err(ConsortiumError::Terms)?, None)
            }
        }
    }

    /// The bits and the ε per bit that fit a total for any two records, at the δ if there is one.
    pub fn afford(&self, total: impl IntoEpsilon) -> Result<Affordable, Error> {
        let total = Limit { epsilon: total.into_epsilon()?, delta: self.delta.clone() };
        let (attributes, scale) = self.attributes()?;
        let found = afford(&total, &attributes, scale, self.partition, self.bits).map_err(ConsortiumError::Terms)?;
        let best = found.rows.get(found.best);
        let best = best.ok_or_else(|| ConsortiumError::NothingAffordable { total: total.loss().symbols() })?;
        let flips = Flips::PerBit(best.epsilon_per_bit.clone());
        let terms = Terms::new(attributes.clone(), best.bits, flips, scale).map_err(ConsortiumError::Terms)?;
        let comparison =
            CrowdComparison::new(&terms, self.partition, &total.epsilon).map_err(ConsortiumError::Terms)?;
        Ok(Affordable { total, attributes, scale, partition: self.partition, found, comparison })
    }

    fn check_agreement(&self, agreement: &Agreement) -> Result<(), Error> {
        let given =
            [("bits", self.bits.is_some()), ("epsilon", self.epsilon.is_some()), ("scale", self.scale.is_some())];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            return Err(ConsortiumError::AgreedAlready { option }.into());
        }
        if *agreement.terms().flips() == Flips::None {
            return Err(ConsortiumError::NothingToPrice.into());
        }
        Ok(())
    }

    fn attributes(&self) -> Result<(Vec<Attribute>, Scale), Error> {
        match &self.subject {
            Subject::Agreement(_) => Err(ConsortiumError::AgreedAlready { option: "afford" }.into()),
            Subject::Attributes(pairs, scale) => {
                let attributes: Result<_, _> =
                    pairs.iter().map(|(name, range)| attribute(name, *range, self.window)).collect();
                Ok((attributes?, self.scale.unwrap_or(*scale)))
            }
        }
    }

    fn priced(&self, terms: Terms, agreement: Option<&Agreement>) -> Result<Priced, Error> {
        let (partition, delta) = (self.partition, self.delta.as_ref());
        let price = match agreement {
            Some(agreement) => PriceOfCodes::of_agreement(agreement, partition, delta),
            None => PriceOfCodes::of_terms(&terms, partition, delta),
        };
        let price = price.map_err(ConsortiumError::Terms)?;
        let total = price.loss_at(delta);
        let comparison = CrowdComparison::new(&terms, partition, &total).map_err(ConsortiumError::Terms)?;
        let rows = |whole_record| {
            let row = |share: &f64| {
                at_distance(&terms, agreement, (share * STEPS as f64).round() as u64, whole_record, delta)
            };
            if partition == Partition::Records { SHARES.iter().filter_map(row).collect() } else { Vec::new() }
        };
        let (one_attribute, whole_record) = (rows(false), if terms.dims() > 1 { rows(true) } else { Vec::new() });
        let agreed = agreement.is_some();
        let delta = self.delta.clone();
        Ok(Priced { terms, agreed, partition, delta, price, one_attribute, whole_record, comparison })
    }
}
