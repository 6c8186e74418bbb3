//! What the cuts of a tree lose between two tables.
//!
//! One row lies in one box of each depth, and those boxes have one row more on one table; no other box changes. That is
//! checked on the boxes that were decided about. The loss is then at most the largest over all sequences of counts along a
//! path (docs/private-tree.md, steps 1 to 4), which is computed here by dynamic programming over depth and count, from the
//! decay, threshold, bias and floor of the mechanism. The mechanism itself bounds it by a series.

use shoal_curator::internals::Drawn;
use shoal_noise::RBig;

use super::loss::{Losses, StepLoss};

/// Depth at most: limits of trees are public and no larger.
const DEEPEST: u64 = 128;

/// Cuts whose terms together are below e^−NEGLIGIBLE are left out.
const NEGLIGIBLE: f64 = 36.0;

/// Computed in doubles, the largest sum may be off by this part.
const ROUNDING: f64 = 1e-9;

/// The honest loss, and that of the same cuts with half the noise.
pub(super) fn between(first: &Drawn, second: &Drawn, charge: &StepLoss) -> Result<Losses, String> {
    let (
        Drawn::Splits { decay, threshold, bias, floor, boxes },
        Drawn::Splits { decay: decay2, threshold: threshold2, bias: bias2, floor: floor2, boxes: boxes2 },
    ) = (first, second)
    else {
        return Err("a tree on one table only".into());
    };
    if (decay, threshold, bias, floor) != (decay2, threshold2, bias2, floor2) {
        return Err("the noise of the cuts depends on the table".into());
    }
    let changes = one_path(boxes, boxes2)?;
    let of = |decay: f64| -> Result<f64, String> {
        if !changes {
            return Ok(0.0);
        }
        let largest = largest(decay, *threshold, *bias, *floor) * (1.0 - ROUNDING);
        let largest = RBig::try_from(largest).map_err(|_| "the loss of the cuts is not finite".to_string())?;
        StepLoss::Pure(largest).over(charge)
    };
    let decay = decay.to_f64().value();
    Ok(Losses { honest: of(decay)?, mutants: vec![("cuts", of(2.0 * decay)?)] })
}

/// Whether any box differs; an error when they differ otherwise than by one row that is in one box of each depth.
fn one_path(first: &[(u64, u32)], second: &[(u64, u32)]) -> Result<bool, String> {
    if first.len() != second.len() || first.iter().zip(second).any(|(a, b)| a.1 != b.1) {
        return Err("which boxes are decided about depends on the table".into());
    }
    let changed: Vec<(i128, u32)> = first
        .iter()
        .zip(second)
        .map(|(a, b)| (i128::from(b.0) - i128::from(a.0), a.1))
        .filter(|(change, _)| *change != 0)
        .collect();
    let one_row = changed.iter().all(|(change, _)| change.abs() == 1 && *change == changed[0].0);
    let one_box = changed.windows(2).all(|two| two[0].1 < two[1].1);
    if one_row && one_box { Ok(!changed.is_empty()) } else { Err("one row changes more than one path of boxes".into()) }
}

/// The largest |ln| of a ratio of probabilities of any tree, over all counts along a path.
#[must_use]
pub fn largest(decay: f64, threshold: i64, bias: u64, floor: u64) -> f64 {
    let levels = ((NEGLIGIBLE / (decay * bias as f64)).ceil() as u64 + floor / bias + 2).min(DEEPEST);
    // The most rows for which the last of these levels is above the floor, and at least one.
    let most = (i128::from(threshold) + i128::from(levels) * i128::from(bias)).max(1) as u64;
    // best[c − 1]: the largest sum from this level on, for boxes of at most c rows.
    let mut best = vec![0.0; most as usize];
    for level in (0..levels).rev() {
        let mut so_far: f64 = 0.0;
        for (below, best) in best.iter_mut().enumerate() {
            let score = below as i128 + 1 - i128::from(level) * i128::from(bias) - i128::from(threshold);
            so_far = so_far.max(gain(decay, score, floor) + *best);
            *best = so_far;
        }
    }
    // A box that is not cut loses at most the decay, with the row on the other table.
    best.last().copied().unwrap_or(0.0).max(decay)
}

/// ln S(x)/S(x − 1) for a box whose score is x above the threshold, S(x) = P(Z ≥ 1 − x); nothing at the floor.
fn gain(decay: f64, score: i128, floor: u64) -> f64 {
    if score <= -i128::from(floor) {
        return 0.0;
    }
    if score <= 1 {
        return decay;
    }
    let power = libm::exp(-decay * (score - 1) as f64);
    let alpha = libm::exp(-decay);
    libm::log1p(power * -libm::expm1(-decay) / (1.0 + alpha - power))
}
