//! What is lost between two tables at one release, from the distribution that its mechanism holds.
//!
//! For exact numbers x and x + v, the supremum over outputs of |ln P(output | x) − ln P(output | x + v)| is
//!
//! - Laplace noise: decay·Σ|v_i|;
//! - K-norm noise, P(z) ∝ e^(−decay·N(z)) with N(z) = ⌈max |z_i|/w_i⌉: at most decay·N(v), since N(z + v) ≤ N(z) + N(v);
//! - a choice by score, P(i) ∝ e^(decay·s_i): at most decay·(max v_i − min v_i) for each pick.
//!
//! Gaussian noise has no such bound. Its Rényi divergence of order α is at most α·ρ with ρ = Σ v_i²/(2σ_i²) (Canonne, Kamath,
//! Steinke 2020, Proposition 5), and ρ is compared. Parts of a release are independent, so their losses add.

use shoal_curator::internals::{Drawn, Noise, RecordedPart, RecordedStep};
use shoal_noise::RBig;
use shoal_privacy::Loss;

use super::tree_path;

/// A loss in one of the two units in which mechanisms are charged.
#[derive(Clone, Debug, PartialEq)]
pub enum StepLoss {
    /// ε.
    Pure(RBig),
    /// ρ.
    Concentrated(RBig),
}

impl StepLoss {
    /// What a mechanism is charged.
    ///
    /// # Errors
    /// For a loss in another unit: no mechanism of the curator has one.
    pub fn charged(loss: &Loss) -> Result<Self, String> {
        match loss {
            Loss::Pure(epsilon) => Ok(Self::Pure(epsilon.amount().as_rational().clone())),
            Loss::Zcdp(rho) => Ok(Self::Concentrated(rho.amount().as_rational().clone())),
            other => Err(format!("a charge of {} has no exact check", other.symbols())),
        }
    }

    /// This loss as a multiple of `charge`; above one whenever it is above the charge, however little.
    ///
    /// # Errors
    /// When the two are in different units.
    pub fn over(&self, charge: &Self) -> Result<f64, String> {
        let ((Self::Pure(lost), Self::Pure(charged)) | (Self::Concentrated(lost), Self::Concentrated(charged))) =
            (self, charge)
        else {
            return Err("noise of one kind is charged as if it were of the other".into());
        };
        if *charged == RBig::ZERO {
            return Ok(if *lost == RBig::ZERO { 0.0 } else { f64::INFINITY });
        }
        let ratio = (lost / charged).to_f64().value();
        Ok(if lost > charged { ratio.max(1.0_f64.next_up()) } else { ratio.min(1.0) })
    }
}

/// One part of a release on two tables.
fn part(first: &RecordedPart, second: &RecordedPart) -> Result<StepLoss, String> {
    if first.noise != second.noise || first.exact.len() != second.exact.len() {
        return Err(format!("the noise on {} depends on the table", first.of));
    }
    let moves = || first.exact.iter().zip(&second.exact).map(|(a, b)| b - a);
    let of = |x: u128| RBig::from(x);
    Ok(match &first.noise {
        Noise::Laplace { decay } => StepLoss::Pure(decay * of(moves().map(i128::unsigned_abs).sum())),
        Noise::Gaussian { variance } => {
            let squares: u128 = moves().map(|v| v.unsigned_abs().pow(2)).sum();
            StepLoss::Concentrated(of(squares) / (variance * RBig::from(2)))
        }
        Noise::KNorm { decay, half_widths } => {
            if half_widths.len() != first.exact.len() {
                return Err(format!("the noise on {} has another number of coordinates", first.of));
            }
            let steps = moves().zip(half_widths).map(|(v, &w)| v.unsigned_abs().div_ceil(u128::from(w)));
            StepLoss::Pure(decay * of(steps.max().unwrap_or(0)))
        }
        Noise::Choice { decay, picks } => {
            let (low, high) = moves().fold((i128::MAX, i128::MIN), |(low, high), v| (low.min(v), high.max(v)));
            let range = if low > high { 0 } else { high.abs_diff(low) };
            StepLoss::Pure(decay * of(range) * RBig::from(*picks))
        }
    })
}

/// The same noise at half its scale.
#[must_use]
pub fn halved(noise: &Noise) -> Noise {
    let twice = |decay: &RBig| decay * RBig::from(2);
    match noise {
        Noise::Laplace { decay } => Noise::Laplace { decay: twice(decay) },
        Noise::Gaussian { variance } => Noise::Gaussian { variance: variance / RBig::from(4) },
        Noise::KNorm { decay, half_widths } => Noise::KNorm { decay: twice(decay), half_widths: half_widths.clone() },
        Noise::Choice { decay, picks } => Noise::Choice { decay: twice(decay), picks: *picks },
    }
}

/// What is lost at one release: as it is, and with the noise of each part halved.
pub struct Losses {
    /// As a multiple of the charge.
    pub honest: f64,
    /// With each noise halved in turn, as a multiple of the charge: what the noise is on, and the multiple.
    pub mutants: Vec<(&'static str, f64)>,
}

/// What is lost between two tables at one release.
///
/// # Errors
/// When the release differs in something that the table must not decide, or its mechanism does not describe its noise.
pub fn between(first: &RecordedStep, second: &RecordedStep) -> Result<Losses, String> {
    let name = first.mechanism;
    if (name, &first.charge) != (second.mechanism, &second.charge) {
        return Err(format!("{name}: the mechanism or its charge depends on the table"));
    }
    let charge = StepLoss::charged(&first.charge).map_err(|why| format!("{name}: {why}"))?;
    match (&first.drawn, &second.drawn) {
        (Drawn::Parts(first), Drawn::Parts(second)) => {
            of_parts(first, second, &charge).map_err(|why| format!("{name}: {why}"))
        }
        (Drawn::Splits { .. }, Drawn::Splits { .. }) => {
            tree_path::between(&first.drawn, &second.drawn, &charge).map_err(|why| format!("{name}: {why}"))
        }
        _ => Err(format!("{name} does not describe its noise (RowMechanism::distribution), so nothing can be checked")),
    }
}

fn of_parts(first: &[RecordedPart], second: &[RecordedPart], charge: &StepLoss) -> Result<Losses, String> {
    if first.len() != second.len() {
        return Err("the number of noisy numbers depends on the table".into());
    }
    let pairs = || first.iter().zip(second);
    let each: Vec<StepLoss> = pairs().map(|(a, b)| part(a, b)).collect::<Result<_, _>>()?;
    let honest = sum(&each)?;
    let with = |noise: Noise, of: &RecordedPart| RecordedPart { noise, ..of.clone() };
    let mutant = |(i, (a, b)): (usize, (&RecordedPart, &RecordedPart))| {
        let changed = part(&with(halved(&a.noise), a), &with(halved(&b.noise), b))?;
        Ok((a.of, replaced(&honest, &each[i], &changed)?.over(charge)?))
    };
    let mutants = pairs().enumerate().map(mutant).collect::<Result<_, String>>()?;
    Ok(Losses { honest: honest.over(charge)?, mutants })
}

fn amount(loss: &StepLoss) -> &RBig {
    match loss {
        StepLoss::Pure(amount) | StepLoss::Concentrated(amount) => amount,
    }
}

fn same_unit(a: &StepLoss, b: &StepLoss) -> bool {
    matches!((a, b), (StepLoss::Pure(_), StepLoss::Pure(_)) | (StepLoss::Concentrated(_), StepLoss::Concentrated(_)))
}

fn sum(each: &[StepLoss]) -> Result<StepLoss, String> {
    let Some(first) = each.first() else { return Err("a release without a number".into()) };
    if !each.iter().all(|loss| same_unit(first, loss)) {
        return Err("one release has noise of two kinds".into());
    }
    let total = each.iter().fold(RBig::ZERO, |sum, loss| sum + amount(loss));
    Ok(if matches!(first, StepLoss::Pure(_)) { StepLoss::Pure(total) } else { StepLoss::Concentrated(total) })
}

/// The sum with one of its terms replaced.
fn replaced(sum: &StepLoss, term: &StepLoss, by: &StepLoss) -> Result<StepLoss, String> {
    if !(same_unit(sum, term) && same_unit(sum, by)) {
        return Err("one release has noise of two kinds".into());
    }
    let total = amount(sum) - amount(term) + amount(by);
    Ok(if matches!(sum, StepLoss::Pure(_)) { StepLoss::Pure(total) } else { StepLoss::Concentrated(total) })
}
