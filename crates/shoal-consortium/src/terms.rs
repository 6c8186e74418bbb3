//! What custodians and aggregator agree on and need not hide.

use serde::{Deserialize, Serialize};
use shoal_privacy::Epsilon;

use shoal_lattice::Interval;
use shoal_lattice::STEPS;

/// Most bits of one attribute's code.
pub const MOST_BITS: u32 = 1 << 20;

/// Most bits of a record's codes together.
pub const MOST_RECORD_BITS: u64 = 1 << 24;

/// The widest window, in lattice steps: 256 ranges.
const MOST_T_STEPS: u32 = 1 << 24;

/// The public part of an agreement: enough to decode distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawTerms")]
pub struct Terms {
    attributes: Vec<Attribute>,
    bits: u32,
    flips: Flips,
    scale: Scale,
}

/// One attribute as agreed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its public range [L, U]; values outside are moved to the nearest end.
    pub range: Interval,
    /// Half the width t of the window around an anchor, in lattice steps. Distances are kept up to 2t.
    pub t_steps: u32,
}

/// What is done to the bits before they leave a custodian.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flips {
    /// Nothing: the BV encoding, which promises nothing.
    None,
    /// Each is flipped with probability 1/(1+e^ε): the DPBV encoding (eq. 7).
    PerBit(Epsilon),
}

/// The unit in which an attribute counts when distances of several are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Its range: a distance of one is the whole range, so that all attributes count alike.
    Range,
    /// Its own unit, as in the paper.
    Own,
}

/// Terms that cannot be agreed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {given}; {advice}")]
pub struct TermsError {
    what: String,
    given: String,
    advice: String,
}

impl TermsError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        "terms-out-of-range"
    }

    fn new(what: impl Into<String>, given: impl ToString, advice: impl Into<String>) -> Self {
        Self { what: what.into(), given: given.to_string(), advice: advice.into() }
    }
}

impl Attribute {
    /// An attribute with a window given in its own unit, rounded to the lattice.
    ///
    /// ```
    /// use shoal_consortium::Attribute;
    /// use shoal_lattice::Interval;
    /// let age = Attribute::new("age", Interval::new(0.0, 50.0)?, 25.0)?;
    /// assert_eq!(age.t_steps, 32767);
    /// assert!((age.mu() - 100.0).abs() < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, range: Interval, t: f64) -> Result<Self, TermsError> {
        let name = name.into();
        let t_steps = (t / range.width() * STEPS as f64).round();
        if !(1.0..=f64::from(MOST_T_STEPS)).contains(&t_steps) {
            let advice = format!(
                "give a length in the attribute's own unit, for example half its range, {}",
                range.width() / 2.0
            );
            return Err(TermsError::new(format!("the window t of `{name}`"), t, advice));
        }
        Ok(Self { name, range, t_steps: t_steps as u32 })
    }

    /// Half the width of the window in the attribute's unit.
    pub fn t(&self) -> f64 {
        f64::from(self.t_steps) * self.step()
    }

    /// The attribute's unit in a lattice step.
    pub fn step(&self) -> f64 {
        self.range.width() / STEPS as f64
    }

    /// Positions an anchor can have: μ in lattice steps, [L − t, U + t] with both ends.
    pub fn mu_steps(&self) -> u64 {
        STEPS + 2 * u64::from(self.t_steps) + 1
    }

    /// μ in the attribute's unit.
    pub fn mu(&self) -> f64 {
        self.mu_steps() as f64 * self.step()
    }

    /// In how many of the [`mu_steps`](Self::mu_steps) positions an anchor separates two values that are so many steps
    /// from each other: 2Δ, until both windows are apart.
    pub fn telling_positions(&self, steps: u64) -> u64 {
        2 * steps.min(2 * u64::from(self.t_steps) + 1)
    }
}

impl Terms {
    /// Terms for attributes that are coded with so many bits each.
    pub fn new(attributes: Vec<Attribute>, bits: u32, flips: Flips, scale: Scale) -> Result<Self, TermsError> {
        if attributes.is_empty() {
            return Err(TermsError::new("the number of attributes", 0, "name at least one"));
        }
        for (i, attribute) in attributes.iter().enumerate() {
            if attributes[..i].iter().any(|other| other.name == attribute.name) {
                return Err(TermsError::new("an attribute", format!("`{}` twice", attribute.name), "name each once"));
            }
            if !(1..=MOST_T_STEPS).contains(&attribute.t_steps) {
                let what = format!("the window of `{}`", attribute.name);
                let advice = format!("it must be 1 to {MOST_T_STEPS} lattice steps wide");
                return Err(TermsError::new(what, format!("{} steps", attribute.t_steps), advice));
            }
        }
        if !(1..=MOST_BITS).contains(&bits) {
            return Err(TermsError::new("the number of bits", bits, format!("give 1 to {MOST_BITS} per attribute")));
        }
        let together = u64::from(bits) * attributes.len() as u64;
        if together > MOST_RECORD_BITS {
            let advice = format!("a record may have {MOST_RECORD_BITS} bits; give fewer bits or attributes");
            return Err(TermsError::new("the number of bits of all attributes", together, advice));
        }
        if let Flips::PerBit(epsilon) = &flips
            && epsilon.amount().is_zero()
        {
            return Err(TermsError::new("ε per bit", 0, "nothing is left in such bits; give more, for example 0.1"));
        }
        Ok(Self { attributes, bits, flips, scale })
    }

    /// The attributes.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Bits s of each attribute's code.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// What is done to the bits.
    pub fn flips(&self) -> &Flips {
        &self.flips
    }

    /// How attributes are combined.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.attributes.len()
    }

    /// 64-bit words of one attribute's code; the last one is filled up with zeros.
    pub fn words(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// What a lattice step of an attribute counts in combined distances.
    pub fn step(&self, attribute: usize) -> f64 {
        match self.scale {
            Scale::Range => 1.0 / STEPS as f64,
            Scale::Own => self.attributes[attribute].step(),
        }
    }

    /// The terms of the two scalars that stand for a pair of records in a decomposed partition (eqs 21–23): one attribute
    /// [0, M], M = 2·Σ w² for the attributes' widths w, a window that covers the largest Σ(p−q)² = M/2, and the bits of
    /// all attributes together.
    pub fn decomposed(&self) -> Result<Self, TermsError> {
        let width = |a: &Attribute| if self.scale == Scale::Range { 1.0 } else { a.range.width() };
        let most: f64 = self.attributes.iter().map(|a| 2.0 * width(a) * width(a)).sum();
        let range = Interval::new(0.0, most)
            .map_err(|_| TermsError::new("the sum of squared ranges", most, "agree on ranges instead of own units"))?;
        let pair = Attribute::new("pair", range, most / 4.0)?;
        let bits = u64::from(self.bits) * self.attributes.len() as u64;
        let bits = u32::try_from(bits).unwrap_or(u32::MAX);
        Self::new(vec![pair], bits, self.flips.clone(), Scale::Own)
    }
}

/// Terms as they are written, before they are checked.
#[derive(Deserialize)]
struct RawTerms {
    attributes: Vec<Attribute>,
    bits: u32,
    flips: Flips,
    scale: Scale,
}

impl TryFrom<RawTerms> for Terms {
    type Error = TermsError;

    fn try_from(raw: RawTerms) -> Result<Self, TermsError> {
        Self::new(raw.attributes, raw.bits, raw.flips, raw.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fifty() -> Attribute {
        Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap()
    }

    #[test]
    fn the_papers_mu_is_met_to_the_lattice() {
        assert!((fifty().mu() / 100.0 - 1.0).abs() < 2e-5, "{}", fifty().mu());
        assert_eq!(fifty().telling_positions(STEPS), 2 * STEPS);
        let narrow = Attribute::new("x", Interval::new(0.0, 25.0).unwrap(), 3.0).unwrap();
        assert_eq!(narrow.telling_positions(STEPS), 2 * (2 * u64::from(narrow.t_steps) + 1));
    }

    #[test]
    fn terms_that_make_no_sense_are_refused() {
        let terms = |bits, flips| Terms::new(vec![fifty()], bits, flips, Scale::Own);
        assert!(terms(1000, Flips::None).is_ok());
        assert!(terms(0, Flips::None).is_err());
        assert!(terms(MOST_BITS + 1, Flips::None).is_err());
        assert!(terms(10, Flips::PerBit("0".parse().unwrap())).is_err());
        assert!(Terms::new(vec![], 10, Flips::None, Scale::Own).is_err());
        assert!(Terms::new(vec![fifty(), fifty()], 10, Flips::None, Scale::Own).is_err());
        for t in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), t).is_err(), "{t}");
        }
    }

    #[test]
    fn terms_read_back_and_bad_ones_do_not() {
        let terms = Terms::new(vec![fifty()], 1000, Flips::PerBit("1".parse().unwrap()), Scale::Own).unwrap();
        let json = serde_json::to_string(&terms).unwrap();
        assert_eq!(serde_json::from_str::<Terms>(&json).unwrap(), terms);
        assert!(serde_json::from_str::<Terms>(&json.replace("1000", "0")).is_err());
    }

    #[test]
    fn a_decomposed_pair_covers_the_largest_squared_distance() {
        let wide = Attribute::new("y", Interval::new(-10.0, 20.0).unwrap(), 15.0).unwrap();
        let terms = Terms::new(vec![fifty(), wide], 100, Flips::None, Scale::Own).unwrap();
        let pair = terms.decomposed().unwrap();
        assert_eq!(pair.bits(), 200);
        assert_eq!(pair.attributes()[0].range.hi(), 2.0 * (2500.0 + 900.0));
        assert!(2.0 * pair.attributes()[0].t() >= 3400.0 * 0.9999);
    }
}
