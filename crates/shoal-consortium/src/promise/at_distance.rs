//! The statements side by side, for values some way apart.

use serde::Serialize;
use shoal_privacy::{Delta, Epsilon};

use crate::Agreement;
use crate::promise::curve::Curve;
use crate::promise::divergence::divergence;
use crate::promise::loss_law::Draw;
use crate::promise::reach::Reach;
use crate::promise::{loss_of_bits, pure_of_bits};
use crate::{Flips, Terms};

/// What codes promise to values at most so far apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtDistance {
    /// The distance in lattice steps, in every attribute that counts.
    pub steps: u64,
    /// Attributes that count: one, or all of a record.
    pub attributes: usize,
    /// Bits that differ on average over the draw of the anchors.
    pub mean_bits: f64,
    /// (a) The pure ε: of the agreed anchors, or of the worst there can be.
    pub pure: Epsilon,
    /// (a) at a δ: the curve for that many bits.
    pub approximate: Option<f64>,
    /// (b) ε′ at a δ over the draw of the anchors, for values fixed before it.
    pub over_the_draw: Option<f64>,
    /// (c) The mean loss in nats over the draw of the anchors; no guarantee.
    pub mean_loss: f64,
}

/// The statements for values at most `steps` apart in one attribute, the one that gives most away, or, for a whole record,
/// in every attribute. With an agreement, (a) counts its very anchors. `None` where bits are not flipped.
pub fn at_distance(
    terms: &Terms,
    agreement: Option<&Agreement>,
    steps: u64,
    whole_record: bool,
    delta: Option<&Delta>,
) -> Option<AtDistance> {
    let Flips::PerBit(epsilon) = terms.flips() else { return None };
    let all: Vec<Draw> = terms
        .attributes()
        .iter()
        .map(|attribute| Draw {
            bits: terms.bits().into(),
            telling: attribute.telling_positions(steps),
            positions: attribute.mu_steps(),
        })
        .collect();
    let draws = if whole_record {
        all
    } else {
        all.into_iter().max_by(|a, b| a.share().total_cmp(&b.share())).into_iter().collect()
    };
    let bits = match agreement {
        Some(agreement) => {
            let anchors = agreement.anchors();
            let reach = anchors.iter().map(|anchors| Reach::new(anchors).most_differing(steps).bits);
            if whole_record { reach.sum() } else { reach.max().unwrap_or(0) }
        }
        None if steps == 0 => 0,
        None => draws.iter().map(|draw| draw.bits).sum(),
    };
    let at = delta.map(|delta| delta.amount().to_f64_down());
    Some(AtDistance {
        steps,
        attributes: draws.len(),
        mean_bits: draws.iter().map(|draw| draw.bits as f64 * draw.share()).sum(),
        pure: pure_of_bits(epsilon, bits),
        approximate: delta.and_then(|delta| {
            loss_of_bits(epsilon, bits, Some(delta)).epsilon_at_up(delta).map(|epsilon| epsilon.to_f64_up())
        }),
        mean_loss: divergence(epsilon.to_f64_up(), &draws),
        over_the_draw: at.map(|delta| Curve::over_the_draw(epsilon, draws).epsilon_up(delta)),
    })
}
