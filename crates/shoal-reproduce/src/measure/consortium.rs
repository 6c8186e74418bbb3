//! Codes of a consortium as SZY19 makes them, and codes that keep the (ε, δ) that it claims.

use shoal_consortium::aggregator::{Decoder, HammingSum, Horizontal, consistency, vertical};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::price::largest_per_bit;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Limit, Partition, Promise, Scale, Terms};
use shoal_kernel::{KCluster, OwnRecord, WithOwn};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_noise::{NoiseSource, SeededNoise, uniform};
use shoal_privacy::Epsilon;

use crate::Failure;

/// The δ at which a claimed ε is kept for real. The paper claims far less, such as 8.9e-137, which would leave less still.
pub const DELTA: &str = "1e-6";

/// What is done to bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing (BV).
    Clean,
    /// Each bit has this ε (DPBV as published).
    PerBit(&'static str),
    /// A whole record has this ε, at [`DELTA`]: what the paper claims, kept for real.
    Kept(&'static str),
}

impl Level {
    /// In keys.
    #[must_use]
    pub fn key(self) -> String {
        match self {
            Self::Clean => "none".into(),
            Self::PerBit(epsilon) => format!("{epsilon} per bit"),
            Self::Kept(epsilon) => format!("{epsilon} in total at {DELTA}"),
        }
    }

    /// In legends.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Clean => "no noise".into(),
            Self::PerBit(epsilon) => format!("ε = {epsilon} per bit"),
            Self::Kept(epsilon) => format!("claimed ε = {epsilon} kept for real"),
        }
    }

    /// The flips, where codes of two records can differ in so many bits.
    pub fn flips(self, differing: u64) -> Result<Flips, Failure> {
        Ok(match self {
            Self::Clean => Flips::None,
            Self::PerBit(epsilon) => Flips::PerBit(parsed(epsilon)?),
            Self::Kept(epsilon) => Flips::PerBit(kept(epsilon, differing)?),
        })
    }
}

/// The largest ε per bit with which so many differing bits keep a total ε at [`DELTA`].
pub fn kept(total: &str, differing: u64) -> Result<Epsilon, Failure> {
    let found = largest_per_bit(&limit(total)?, differing);
    found.ok_or_else(|| format!("{differing} bits cannot keep ε = {total}").into())
}

/// A total ε at [`DELTA`].
pub fn limit(total: &str) -> Result<Limit, Failure> {
    let delta = DELTA.parse().map_err(|error| format!("{DELTA}: {error}"))?;
    Ok(Limit { epsilon: parsed(total)?, delta: Some(delta) })
}

/// An ε.
pub fn parsed(epsilon: &str) -> Result<Epsilon, Failure> {
    epsilon.parse().map_err(|error| format!("{epsilon}: {error}").into())
}

/// Attributes that all have the range [0, `high`] and the window `t`, and the bits of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// How many attributes.
    pub dims: usize,
    /// The upper end of the range.
    pub high: f64,
    /// Half the width of the window.
    pub t: f64,
    /// Bits of each attribute.
    pub bits: u32,
}

/// The paper's demonstration: [0, 50], t = 25, 1000 bits.
pub const DEMONSTRATION: Setting = Setting { dims: 1, high: 50.0, t: 25.0, bits: 1000 };

impl Setting {
    /// The attributes.
    pub fn attributes(&self) -> Result<Vec<Attribute>, Failure> {
        let range = Interval::new(0.0, self.high)?;
        (0..self.dims).map(|i| Ok(Attribute::new(format!("c{i}"), range, self.t)?)).collect()
    }

    /// The terms.
    pub fn terms(&self, flips: Flips) -> Result<Terms, Failure> {
        Ok(Terms::new(self.attributes()?, self.bits, flips, Scale::Own)?)
    }

    /// An agreement with anchors of its own. A total is kept for the bits in which these anchors can differ.
    pub fn agreement(&self, level: Level, noise: &mut SeededNoise) -> Result<Agreement, Failure> {
        let secret = AnchorSecret::from_seed(noise.next_u64());
        let clean = Agreement::new(self.terms(Flips::None)?, secret.clone());
        if level == Level::Clean {
            return Ok(clean);
        }
        let differing = match level {
            Level::Kept(_) => Promise::of_agreement(&clean, Partition::Records, None)?.differing.bits,
            _ => 0,
        };
        Ok(Agreement::new(self.terms(level.flips(differing)?)?, secret))
    }

    /// A value of the first attribute in lattice steps.
    #[must_use]
    pub fn steps(&self, value: f64) -> i32 {
        (value / self.high * STEPS as f64).round() as i32
    }
}

/// Records uniform on the lattice, one after the other.
pub fn uniform_records(rows: usize, dims: usize, noise: &mut SeededNoise) -> Vec<i32> {
    (0..rows * dims).map(|_| uniform::below(noise, STEPS + 1) as i32).collect()
}

/// The codes of records in lattice steps.
pub fn encoded(agreement: &Agreement, records: &[i32], noise: &mut SeededNoise) -> Result<Codes, Failure> {
    Ok(Dpbv::new(agreement)?.encode_all(agreement.terms(), records, noise))
}

/// The ε per bit of an agreement or of terms; nothing without noise.
#[must_use]
pub fn per_bit(flips: &Flips) -> Option<f64> {
    match flips {
        Flips::None => None,
        Flips::PerBit(epsilon) => Some(epsilon.to_f64_up()),
    }
}

/// What an aggregator makes of a few codes in each of the ways that figures use: for the version of their runs.
pub(crate) fn fingerprint() -> Result<Vec<f64>, Failure> {
    let (rows, noise) = (30, &mut SeededNoise::new(5));
    let setting = Setting { dims: 2, bits: 120, ..DEMONSTRATION };
    let agreement = setting.agreement(Level::PerBit("2"), noise)?;
    let terms = agreement.terms();
    let codes = encoded(&agreement, &uniform_records(rows, setting.dims, noise), noise)?;
    let (eq19, eq16) = (Horizontal::new(terms, &codes)?, HammingSum::new(terms, &codes)?);
    let (raw, decoder) = (eq19.attribute(0)?, Decoder::of(terms, 0));
    let kept = setting.agreement(Level::Kept("5"), noise)?;
    let all = [
        eq19.condensed(),
        eq16.condensed(),
        consistency::layered(&raw, &decoder, consistency::DEFAULT_SHARE)?,
        consistency::corrected(&raw, &decoder, consistency::DEFAULT_SHARE)?,
        consistency::as_printed(&raw),
        vertical::as_printed(terms, &codes)?,
        vertical::attribute_wise(terms, &codes, true)?,
    ];
    let mut values: Vec<f64> = all.iter().flat_map(|found| found.as_slice().iter().copied()).collect();
    for own in [OwnRecord::LeftOut, OwnRecord::AsPrinted] {
        let clusters = KCluster { k: 3, own, iterations: 20, starts: 2 };
        let records = WithOwn { distances: &all[0], own: eq19.own_distance() };
        values.extend(clusters.run(&records, noise)?.labels.into_iter().map(f64::from));
    }
    values.extend(per_bit(kept.terms().flips()));
    Ok(values)
}
