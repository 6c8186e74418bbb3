//! Which boxes of a tree are cut in two: noisy counts that are biased against depth (after PrivTree: Zhang, Xiao, Xie,
//! SIGMOD 2016), on the integers.
//!
//! A box of depth i with c rows has the score b = max(c − i·δ, θ − γ) and is cut when b + Z > θ, with fresh noise Z for
//! every box. The bias δ makes scores fall along any path, so that few of them are near θ, and the floor θ − γ makes
//! the boxes below those say nothing at all: the loss does not grow with depth.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row, for the whole tree, with ε = Σ_{j≥0} f(1 − γ + jδ), where f(x) is
//! the decay a for x ≤ 1 and ln((1 + α − α^(m+1))/(1 + α − α^m)) at x = 1 + m, α = e^(−a). The proof for the lattice is
//! in docs/private-tree.md; the sum is the least upper bound, and it is rounded up here.
//!
//! *Law.* P(z) ∝ e^(−a|z|) on the integers, drawn exactly.
//!
//! *Utility.* A box without rows is cut with probability α^(γ+1)/(1 + α) at most, and one with c rows as long as its
//! depth is below (c − θ)/δ or so. Paper: γ = δ = ln 2/a, a = ε/3. The exact loss allows a = ε/2.6 for these; with γ of half δ,
//! which the paper does not have, δ = 2·ln 2/a and a = ε/1.42: the same bias in rows for little more than half the noise.
//!
//! *Runtime.* One draw per box that is reached.
//!
//! *Assumes.* Cuts that follow from public or released values; one row per person.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseSource};
use shoal_privacy::rounding::{add_up, div_up, exp_up, ln_up, mul_up};
use shoal_privacy::{Amount, Epsilon, Loss, Parameter};

use crate::FitError;
use shoal_release::transcript::{HiddenSplits, witnessed_cut};

/// Decays are whole multiples of a part of ε this small.
const DECAY_STEPS: u64 = 1 << 16;

/// The loss is a whole multiple of a part of the decay this small.
const LOSS_STEPS: u64 = 1 << 20;

/// Terms of the sum that are computed; a geometric series bounds the others.
const MOST_TERMS: u64 = 4096;

/// Thresholds beyond say nothing about a table of any size, and sums with them stay small.
const MOST_THRESHOLD: u64 = 1 << 40;

/// How boxes are cut, in units that do not depend on the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitShape {
    /// θ: boxes with more rows than this, beyond what depth takes away, are cut.
    pub threshold: i64,
    /// δ in units of ln 2/a, the way on which the noise's tail halves.
    pub bias: f64,
    /// γ in the same units: a box without rows is cut with probability 2^(−1−γ) or so.
    pub floor: f64,
}

impl Default for SplitShape {
    fn default() -> Self {
        Self { threshold: 0, bias: 2.0, floor: 1.0 }
    }
}

/// Decides about every box of a tree, with the loss of the whole.
#[derive(Clone)]
pub struct TreeSplitMechanism {
    law: DiscreteLaplace,
    threshold: i64,
    bias: u64,
    floor: u64,
    loss: Epsilon,
}

impl TreeSplitMechanism {
    /// The mechanism with noise of the given decay, θ, δ and γ. Its loss follows from them.
    pub fn new(decay: RBig, threshold: i64, bias: u64, floor: u64) -> Result<Self, FitError> {
        let loss = Self::loss_of(&decay, threshold, bias, floor)?;
        Ok(Self { law: DiscreteLaplace::new(decay)?, threshold, bias, floor, loss })
    }

    /// The loss of a mechanism with these parameters. A sampler takes a thousand times as long to set up, so a search for
    /// parameters looks at losses alone.
    fn loss_of(decay: &RBig, threshold: i64, bias: u64, floor: u64) -> Result<Epsilon, FitError> {
        let wrong = |what, given: String, wanted: &str| FitError::Parameter { what, given, wanted: wanted.into() };
        if bias == 0 {
            return Err(wrong(Parameter::TREE_BIAS, "0".into(), "1 or more: without it, every level would cost"));
        }
        if threshold.unsigned_abs() > MOST_THRESHOLD {
            return Err(wrong(Parameter::TREE_THRESHOLD, threshold.to_string(), "a number of rows"));
        }
        let decay = Amount::from_rational(decay.clone())
            .map_err(|error| wrong(Parameter::TREE_DECAY, error.to_string(), "a number above 0"))?;
        let loss = loss_up(&decay, bias, floor).ok_or_else(|| {
            wrong(Parameter::TREE_BIAS, bias.to_string(), "more rows: the loss has no bound in doubles")
        })?;
        Ok(Epsilon::new(loss))
    }

    /// The mechanism with the least noise whose loss is not above `epsilon`.
    pub fn for_epsilon(epsilon: &Epsilon, shape: &SplitShape) -> Result<Self, FitError> {
        for (what, given, least) in
            [(Parameter::TREE_BIAS, shape.bias, 0.25), (Parameter::TREE_FLOOR, shape.floor, 0.0)]
        {
            if !(least..=64.0).contains(&given) {
                let wanted = format!("a number from {least} to 64");
                return Err(FitError::Parameter { what, given: given.to_string(), wanted });
            }
        }
        let decay = |steps: u64| epsilon.times(&Amount::ratio(steps, DECAY_STEPS));
        let in_rows = |steps: u64, multiple: f64| {
            let halving = std::f64::consts::LN_2 / decay(steps).to_f64_up();
            (multiple * halving).round() as u64
        };
        let fits = |steps: u64, bias: u64, floor: u64| -> Result<bool, FitError> {
            Ok(Self::loss_of(decay(steps).amount().as_rational(), shape.threshold, bias, floor)? <= *epsilon)
        };
        let shaped = |steps| (in_rows(steps, shape.bias).max(1), in_rows(steps, shape.floor));
        let (mut low, mut high) = (DECAY_STEPS / 256, DECAY_STEPS + 1);
        let (bias, floor) = shaped(low);
        let mut best = fits(low, bias, floor)?.then_some((bias, floor));
        while high - low > 1 {
            let middle = low.midpoint(high);
            let (bias, floor) = shaped(middle);
            if fits(middle, bias, floor)? { (low, best) = (middle, Some((bias, floor))) } else { high = middle }
        }
        let Some((bias, floor)) = best else {
            let wanted = "a larger number".into();
            return Err(FitError::Parameter { what: Parameter::TREE_BIAS, given: shape.bias.to_string(), wanted });
        };
        // δ and γ are whole, so the loss jumps where they do and may leave some of ε: with both fixed it does not.
        high = DECAY_STEPS + 1;
        while high - low > 1 {
            let middle = low.midpoint(high);
            if fits(middle, bias, floor)? { low = middle } else { high = middle }
        }
        Self::new(decay(low).amount().as_rational().clone(), shape.threshold, bias, floor)
    }

    /// What the whole tree costs.
    pub fn loss(&self) -> Loss {
        Loss::Pure(self.loss.clone())
    }

    /// The same as an amount of ε.
    pub fn epsilon(&self) -> &Epsilon {
        &self.loss
    }

    /// The noise's decay per row.
    pub fn decay(&self) -> &RBig {
        self.law.decay()
    }

    /// θ.
    pub fn threshold(&self) -> i64 {
        self.threshold
    }

    /// δ, in rows per level.
    pub fn bias(&self) -> u64 {
        self.bias
    }

    /// γ, in rows.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// How far the score of a box is above θ, before noise.
    fn excess(&self, rows: u64, depth: u32) -> i128 {
        let biased = i128::from(rows) - i128::from(depth) * i128::from(self.bias) - i128::from(self.threshold);
        biased.max(-i128::from(self.floor))
    }

    /// Draws whether a box is cut.
    pub fn cuts(&self, rows: u64, depth: u32, noise: &mut dyn NoiseSource) -> bool {
        if let Some(cut) = witnessed_cut(self, rows, depth, noise) {
            return cut;
        }
        self.excess(rows, depth) + i128::from(self.law.sample(noise)) > 0
    }

    /// The probability with which it is.
    pub fn cut_probability(&self, rows: u64, depth: u32) -> f64 {
        let needed = 1 - self.excess(rows, depth);
        self.law.tail(needed.clamp(-i128::from(i64::MAX), i128::from(i64::MAX)) as i64)
    }
}

impl HiddenSplits for TreeSplitMechanism {
    fn loss(&self) -> Loss {
        self.loss()
    }

    fn decay(&self) -> &RBig {
        self.decay()
    }

    fn threshold(&self) -> i64 {
        self.threshold()
    }

    fn bias(&self) -> u64 {
        self.bias()
    }

    fn floor(&self) -> u64 {
        self.floor()
    }

    fn cuts(&self, rows: u64, depth: u32, noise: &mut dyn NoiseSource) -> bool {
        self.cuts(rows, depth, noise)
    }
}

/// Σ_{j≥0} f(1 − γ + jδ), never understated; none when doubles cannot tell it from infinity.
///
/// Terms with jδ ≤ γ are exactly a. The others are ln(1 + x) with x = α^m·(1 − α)/(1 + α − α^m) and m = jδ − γ. From any m
/// on, they add up to less than x/(1 − α^δ): the numerators fall by α^δ from one to the next, and the denominators grow.
fn loss_up(decay: &Amount, bias: u64, floor: u64) -> Option<Amount> {
    let (least, most) = (decay.to_f64_down(), decay.to_f64_up());
    // `f64` conversions of integers round to nearest, hence the steps.
    let power_up = |rows: u64| exp_up(-(least * (rows as f64).next_down()).next_down()).min(1.0);
    let alpha_down = (1.0 / exp_up(most)).next_down().max(0.0);
    // 1 − α is also below a, which is the better bound where a is small.
    let step = most.min((1.0 - alpha_down).next_up());
    let x_up = |rows: u64| {
        let power = power_up(rows);
        div_up(mul_up(power, step), ((1.0 + alpha_down).next_down() - power).next_down())
    };
    let whole = (floor / bias).checked_add(1)?;
    let mut sum = 0.0;
    let mut term = whole;
    loop {
        // Unwrap safety (of the subtraction): term·δ is above γ from the first term on.
        let rows = term.checked_mul(bias)? - floor;
        let x = x_up(rows);
        if !(x >= 0.0 && x.is_finite()) {
            return None;
        }
        if term - whole == MOST_TERMS || x <= 1e-9 * least {
            let rest = (1.0 - power_up(bias)).next_down();
            if rest <= 0.0 {
                return None;
            }
            sum = add_up(sum, div_up(x, rest));
            break;
        }
        sum = add_up(sum, x.min(ln_up(add_up(1.0, x))));
        term += 1;
    }
    let parts = mul_up(div_up(sum, least), LOSS_STEPS as f64).ceil();
    // Beyond, a double is no longer every integer, and the bias was meant to be larger.
    if parts > 2f64.powi(52) {
        return None;
    }
    let parts = RBig::from_parts((parts as u64).into(), LOSS_STEPS.into()) + RBig::from(whole);
    Amount::from_rational(decay.as_rational() * parts).ok()
}
