//! Decisions along the paths of a tree.

use shoal_curator::internals::{SplitShape, TreeSplitMechanism};
use shoal_noise::DiscreteLaplace;
use shoal_privacy::{Assumption, Claim, Neighbours, Numerics};

use crate::allowed::promise;
use crate::exact::{FiniteLaws, Law};
use crate::runs::RunFailure;
use crate::targets::subject::Subject;
use crate::{Allowed, Pair, Plan, Score, each};

/// Boxes on a path.
const LENGTH: usize = 4;
/// Most rows in its first box.
const MOST_ROWS: u64 = 7;

pub(super) fn subjects(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mut subjects = Vec::new();
    for shape in [SplitShape::default(), SplitShape { threshold: 2, bias: 1.0, floor: 1.0 }] {
        let mechanism = TreeSplitMechanism::for_epsilon(&epsilon, &shape)?;
        // A tree's release is charged with the loss of its cuts; the rest of its claim is that of every row mechanism.
        let claim = Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss: mechanism.loss(),
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
        };
        let allowed = Allowed::of(&claim.loss, 1.0);
        // The row that comes or goes is in every box of the path.
        let with = [3, 2, 1, 1];
        let without = with.map(|rows| rows - 1);
        let side = |path: [u64; LENGTH]| {
            let mechanism = mechanism.clone();
            each(move |noise, out| {
                let kept = (0..LENGTH).find(|depth| !mechanism.cuts(path[*depth], *depth as u32, noise));
                out.tell(kept.unwrap_or(LENGTH) as f64);
            })
        };
        let (first, second) = (law(&mechanism, &without)?, law(&mechanism, &with)?);
        let score = Score::new("log-likelihood ratio", move |run| {
            let depth = run[0] as usize;
            first.ln_probabilities[depth] - second.ln_probabilities[depth]
        });
        let words = format!("boxes of {without:?} and of {with:?} rows");
        let pair = Pair::new(words, side(without), side(with), allowed.clone()).with_score(score);
        let (threshold, bias, floor) = (mechanism.threshold(), mechanism.bias(), mechanism.floor());
        let setting = format!("threshold {threshold}, bias {bias}, floor {floor}, ε = {epsilon}");
        let subject = Subject::new("tree-split", setting, promise(&claim))
            .with_exact(move || {
                let paths = paths();
                let laws = paths.iter().flat_map(|with| [with.map(|rows| rows - 1), *with]);
                let laws = laws.map(|path| law(&mechanism, &path)).collect::<Result<Vec<Law>, _>>()?;
                let laws = FiniteLaws::new(laws, |depth| format!("the box at depth {depth} is not cut"))?;
                Ok(laws.audit(|i, j| (i / 2 == j / 2).then(|| allowed.clone())))
            })
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The distribution of the depth at which a path ends; the whole length for a path that is cut all along.
fn law(mechanism: &TreeSplitMechanism, path: &[u64; LENGTH]) -> Result<Law, RunFailure> {
    let noise = DiscreteLaplace::new(mechanism.decay().clone())?;
    let mut cut = 0.0;
    let mut ln_probabilities = Vec::new();
    for (depth, rows) in path.iter().enumerate() {
        let chance = mechanism.cut_probability(*rows, depth as u32);
        // The probability of no cut as a sum of its own: what is left of a probability near one has no digits.
        let score = i128::from(*rows) - depth as i128 * i128::from(mechanism.bias());
        let excess = (score - i128::from(mechanism.threshold())).max(-i128::from(mechanism.floor()));
        let kept = noise.tail(excess as i64);
        if (kept + chance - 1.0).abs() > 1e-12 {
            return Err(RunFailure::Other(format!(
                "{rows} rows at depth {depth} are cut with probability {chance} and not with {kept}"
            )));
        }
        ln_probabilities.push(cut + kept.ln());
        cut += chance.ln();
    }
    ln_probabilities.push(cut);
    Ok(Law::new(format!("{path:?}"), ln_probabilities))
}

/// Every path on which boxes hold fewer and fewer rows, at least one.
fn paths() -> Vec<[u64; LENGTH]> {
    let all = (0..MOST_ROWS.pow(LENGTH as u32)).map(|index| {
        let digit = |place: u32| 1 + index / MOST_ROWS.pow(place) % MOST_ROWS;
        [digit(3), digit(2), digit(1), digit(0)]
    });
    all.filter(|path| path.windows(2).all(|two| two[0] >= two[1])).collect()
}
