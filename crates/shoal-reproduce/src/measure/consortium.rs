//! Codes of a consortium as SZY19 makes them, and codes that keep the (ε, δ) that it claims.

use shoal_consortium::custodian::Dpbv;
use shoal_consortium::price::largest_per_bit;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Limit, Partition, Promise, Scale, Terms};
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
