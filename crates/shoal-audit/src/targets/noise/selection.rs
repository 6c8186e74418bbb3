//! Choices by score.

use std::sync::Arc;

use shoal_curator::RowMechanism;
use shoal_curator::internals::{QuantileMechanism, SelectByCostMechanism};
use shoal_noise::{ExponentialMechanism, MaxNoise, NoisyMax, RBig, ScoreKind};
use shoal_privacy::Neighbours;

use super::{claim, side};
use crate::allowed::promise;
use crate::exact::{FiniteLaws, Law};
use crate::runs::RunFailure;
use crate::targets::subject::Subject;
use crate::{Allowed, Pair, Plan, Score, each};

/// All triples of numbers that are small, or as much above `far`: a candidate that is far behind shows most.
fn triples(most: i64, far: i64) -> Vec<[i64; 3]> {
    let mut levels: Vec<i64> = (0..=most).chain(far..=far + most).collect();
    levels.sort_unstable();
    levels.dedup();
    let two = levels.iter().flat_map(|a| levels.iter().map(move |b| [*a, *b]));
    two.flat_map(|[a, b]| levels.iter().map(move |c| [a, b, *c])).collect()
}

/// How many steps of this decay make a weight of about e^−10.
fn far(decay: &RBig) -> i64 {
    (10.0 / decay.to_f64().value()).ceil().min(1e9) as i64
}

/// Whether one row can turn one triple of scores, in units of the sensitivity, into another.
fn are_neighbours(kind: ScoreKind, from: &[i64; 3], to: &[i64; 3]) -> bool {
    let moves = [0, 1, 2].map(|i| to[i] - from[i]);
    let one_way = moves.iter().all(|by| (0..=1).contains(by)) || moves.iter().all(|by| (-1..=0).contains(by));
    match kind {
        ScoreKind::Monotone => one_way,
        ScoreKind::General => moves.iter().all(|by| by.abs() <= 1),
    }
}

fn words(kind: ScoreKind) -> &'static str {
    match kind {
        ScoreKind::Monotone => "scores that move together",
        ScoreKind::General => "scores that move apart",
    }
}

/// A pair that shows much of what can be lost in few runs: one candidate is behind, and falls further back.
fn hard_pair(kind: ScoreKind) -> [[i64; 3]; 2] {
    match kind {
        ScoreKind::Monotone => [[0, 1, 1], [0, 2, 2]],
        ScoreKind::General => [[1, 2, 2], [0, 3, 3]],
    }
}

/// The score of a choice: ln P(choice | first)/P(choice | second).
fn of_choice(first: Vec<f64>, second: Vec<f64>) -> Score {
    Score::new("log-likelihood ratio", move |run| {
        let of = |law: &[f64]| law.get(run[0] as usize).copied().unwrap_or(f64::NEG_INFINITY);
        of(&first) - of(&second)
    })
}

pub(super) fn exponential(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let sensitivity = 2_i64;
    let mut subjects = Vec::new();
    for kind in [ScoreKind::Monotone, ScoreKind::General] {
        let mechanism = ExponentialMechanism::new(epsilon.amount().as_rational(), &RBig::from(sensitivity), kind)?;
        let claim = claim(&epsilon, Neighbours::AddRemoveOne);
        let allowed = Allowed::of(&claim.loss, 1.0);
        let ends = hard_pair(kind).map(|scores| scores.map(|score| score * sensitivity));
        let [first, second] = ends.map(|scores| mechanism.prepare(&scores).map(Arc::new));
        let (first, second) = (first?, second?);
        let side = |choice: &Arc<shoal_noise::ExponentialChoice>| {
            let choice = choice.clone();
            each(move |noise, out| out.tell(choice.sample(noise) as f64))
        };
        let ln = |choice: &shoal_noise::ExponentialChoice| (0..3).map(|i| choice.ln_pmf(i)).collect();
        let pair =
            Pair::new(format!("scores {:?} and {:?}", ends[0], ends[1]), side(&first), side(&second), allowed.clone())
                .with_score(of_choice(ln(&first), ln(&second)));
        let setting = format!("3 candidates, {}, ε = {epsilon}", words(kind));
        let subject = Subject::new("exponential-mechanism", setting, promise(&claim))
            .with_exact(move || {
                let inputs = triples(2, far(&(mechanism.decay() * RBig::from(sensitivity))));
                let law = |scores: &[i64; 3]| {
                    let choice = mechanism.prepare(&scores.map(|score| score * sensitivity))?;
                    Ok(Law::new(format!("{scores:?} × {sensitivity}"), (0..3).map(|i| choice.ln_pmf(i)).collect()))
                };
                let laws = inputs.iter().map(law).collect::<Result<Vec<_>, RunFailure>>()?;
                let laws = FiniteLaws::new(laws, |i| (i + 1).to_string())?;
                Ok(laws.audit(|i, j| are_neighbours(kind, &inputs[i], &inputs[j]).then(|| allowed.clone())))
            })
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

pub(super) fn noisy_max(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    // The distribution is a sum over all values that the largest score can have.
    if epsilon.to_f64_up() < 1e-3 {
        return Err(RunFailure::Other("noisy-max is audited from ε = 0.001 on; give a larger one".into()));
    }
    let mut subjects = Vec::new();
    for (kind, noise) in [
        (ScoreKind::Monotone, MaxNoise::Geometric),
        (ScoreKind::General, MaxNoise::Geometric),
        (ScoreKind::Monotone, MaxNoise::Laplace),
        (ScoreKind::General, MaxNoise::Laplace),
    ] {
        let mechanism = NoisyMax::new(noise, epsilon.amount().as_rational(), &RBig::ONE, kind)?;
        let claim = claim(&epsilon, Neighbours::AddRemoveOne);
        let allowed = Allowed::of(&claim.loss, 1.0);
        let ends = hard_pair(kind);
        let side = |scores: [i64; 3]| {
            let mechanism = mechanism.clone();
            // Unwrap safety: there are three candidates.
            each(move |noise, out| out.tell(mechanism.choose(noise, &scores).unwrap() as f64))
        };
        let ln = |scores: &[i64; 3]| mechanism.law(scores).iter().map(|p| p.ln()).collect::<Vec<f64>>();
        let pair =
            Pair::new(format!("scores {:?} and {:?}", ends[0], ends[1]), side(ends[0]), side(ends[1]), allowed.clone())
                .with_score(of_choice(ln(&ends[0]), ln(&ends[1])));
        let setting = format!("3 candidates, {}, {noise:?} noise, ε = {epsilon}", words(kind));
        let subject = Subject::new("noisy-max", setting, promise(&claim))
            .with_exact(move || {
                let inputs = triples(1, far(mechanism.decay()));
                let law = |scores: &[i64; 3]| Law::of_probabilities(format!("{scores:?}"), &mechanism.law(scores));
                let laws = FiniteLaws::new(inputs.iter().map(law).collect(), |i| (i + 1).to_string())?;
                Ok(laws.audit(|i, j| are_neighbours(kind, &inputs[i], &inputs[j]).then(|| allowed.clone())))
            })
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

pub(super) fn quantile(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mut subjects = Vec::new();
    for (part, whole, first, second) in [(1, 2, vec![1_u64, 0, 2], vec![2, 0, 2]), (1, 4, vec![0, 0, 3], vec![1, 0, 3])]
    {
        let mechanism = QuantileMechanism::new(part, whole, &epsilon)?;
        let allowed = Allowed::of(&mechanism.loss(), 1.0);
        let ln = |counts: &[u64]| -> Result<Vec<f64>, RunFailure> {
            let choice = mechanism.choice(counts)?;
            Ok((0..counts.len()).map(|i| choice.ln_pmf(i)).collect())
        };
        let tell = |position: usize, out: &mut crate::Runs| out.tell(position as f64);
        let words = format!("rows at three positions, {first:?} and {second:?}");
        let pair = Pair::new(words, side(&mechanism, &first, tell), side(&mechanism, &second, tell), allowed.clone())
            .with_score(of_choice(ln(&first)?, ln(&second)?));
        let setting = format!("{part}/{whole} of all rows, 3 positions, ε = {epsilon}");
        // Enough rows to leave a position far behind.
        let rows = (10.0 / epsilon.to_f64_up()).ceil().min(1e9) as i64;
        let subject = Subject::new("quantile", setting, promise(&mechanism.claim()))
            .with_exact(move || {
                let tables = triples(2, rows);
                let law = |table: &[i64; 3]| {
                    let choice = mechanism.choice(&table.map(|rows| rows as u64))?;
                    Ok(Law::new(format!("{table:?}"), (0..3).map(|i| choice.ln_pmf(i)).collect()))
                };
                let laws = tables.iter().map(law).collect::<Result<Vec<_>, RunFailure>>()?;
                let laws = FiniteLaws::new(laws, |i| (i + 1).to_string())?;
                // One row more at one position.
                let apart = |i: usize, j: usize| (0..3).map(|at| tables[i][at].abs_diff(tables[j][at])).sum::<u64>();
                Ok(laws.audit(|i, j| (apart(i, j) == 1).then(|| allowed.clone())))
            })
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

pub(super) fn by_cost(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mechanism = SelectByCostMechanism::new(1, 2, &epsilon)?;
    let allowed = Allowed::of(&mechanism.loss(), 1.0);
    // The most that a row can add to a cost: what one pick loses, over the decay.
    let most = (mechanism.per_pick().amount().as_rational() / mechanism.decay()).to_f64().value().round() as u128;
    let decay = mechanism.decay().to_f64().value();
    // Two picks out of three sets, in halves of the most that a row can add.
    let ln = move |costs: &[i64; 3]| -> Vec<f64> {
        let ln_weight = |i: usize| -decay * costs[i] as f64 * most as f64 / 2.0;
        let ln_sum = |of: &[usize]| {
            let largest = of.iter().map(|i| ln_weight(*i)).fold(f64::NEG_INFINITY, f64::max);
            largest + of.iter().map(|i| (ln_weight(*i) - largest).exp()).sum::<f64>().ln()
        };
        let pick = |(i, j): (usize, usize)| {
            // The sets left for the second pick are j and the third, of numbers that add up to three.
            ln_weight(i) - ln_sum(&[0, 1, 2]) + ln_weight(j) - ln_sum(&[j, 3 - i - j])
        };
        PICKS.into_iter().map(pick).collect()
    };
    let ends = [[0, 6, 6], [0, 8, 8]];
    let of = |costs: [i64; 3]| {
        let costs: Vec<u128> = costs.iter().map(|half| *half as u128 * most / 2).collect();
        side(&mechanism, &costs, |picks: Vec<usize>, out| {
            let order = PICKS.iter().position(|(i, j)| [*i, *j] == picks[..]).unwrap_or(PICKS.len());
            out.tell(order as f64);
        })
    };
    let words = "two dear sets and a cheap one, and the dear ones a row's most dearer";
    let pair =
        Pair::new(words, of(ends[0]), of(ends[1]), allowed.clone()).with_score(of_choice(ln(&ends[0]), ln(&ends[1])));
    let setting = format!("3 sets, 2 picks, d = 1, ε = {epsilon}");
    let subject = Subject::new("select-by-cost", setting, promise(&mechanism.claim()))
        .with_exact(move || {
            let inputs = triples(2, 2 * far(&(mechanism.decay() * RBig::from(most))));
            let law = |costs: &[i64; 3]| Law::new(format!("{costs:?} halves of a row's most"), ln(costs));
            let laws = FiniteLaws::new(inputs.iter().map(law).collect(), |i| format!("{:?}", PICKS[i]))?;
            let raised = |from: &[i64; 3], to: &[i64; 3]| (0..3).all(|at| (0..=2).contains(&(to[at] - from[at])));
            let neighbours = |i: usize, j: usize| raised(&inputs[i], &inputs[j]) || raised(&inputs[j], &inputs[i]);
            Ok(laws.audit(|i, j| neighbours(i, j).then(|| allowed.clone())))
        })
        .with_pair(pair);
    Ok(vec![subject])
}

/// Two of three in order.
const PICKS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
