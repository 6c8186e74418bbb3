//! Cube noise on vectors.

use shoal_curator::RowMechanism;
use shoal_curator::internals::KNormSumsMechanism;
use shoal_noise::LInfinityKNorm;
use shoal_privacy::Neighbours;

use super::sums::{numbers, reach_of, tell_scaled};
use super::{claim, log_likelihood_ratio, side};
use crate::allowed::promise;
use crate::exact::{FiniteLaws, Law};
use crate::runs::RunFailure;
use crate::targets::subject::Subject;
use crate::{Allowed, Measure, Pair, Plan, each};

/// The half-widths of the cube.
const HALF_WIDTHS: [u64; 2] = [2, 3];

/// Most shells of the cube that are listed.
const MOST_SHELLS: u64 = 60;

pub(super) fn k_norm(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let law = LInfinityKNorm::with_half_widths(epsilon.amount().as_rational().clone(), &HALF_WIDTHS)?;
    let claim = claim(&epsilon, Neighbours::AddRemoveOne);
    let allowed = Allowed::of(&claim.loss, 1.0);
    let corner = HALF_WIDTHS.map(|w| w as i64);
    let of = |exact: [i64; 2]| {
        let law = law.clone();
        each(move |noise, out| {
            let mut z = [0; 2];
            law.sample(noise, &mut z);
            out.tell_all([0, 1].map(|i| (exact[i] + z[i]) as f64));
        })
    };
    let ln = law.clone();
    let score = log_likelihood_ratio(move |x, of_first| {
        ln.ln_pmf(&if of_first { [x[0], x[1]] } else { [x[0] - corner[0], x[1] - corner[1]] })
    });
    let pair = Pair::new("a vector, and moved to a corner of the cube", of([0; 2]), of(corner), allowed.clone());
    let setting = format!("d = 2, half-widths 2 and 3, ε = {epsilon}");
    let subject = Subject::new("k-norm", setting, promise(&claim))
        .with_exact(move || every_move(&law, &allowed))
        .with_pair(pair.with_score(score));
    Ok(vec![subject])
}

/// Every move within the cube, both ways round.
fn every_move(law: &LInfinityKNorm, allowed: &Allowed) -> Result<Measure, RunFailure> {
    let [a, b] = HALF_WIDTHS.map(|w| w as i64);
    let shells = ((30.0 / law.decay().to_f64().value()).ceil() as u64).clamp(3, MOST_SHELLS) as i64;
    let window: Vec<[i64; 2]> =
        (-shells * a..=shells * a).flat_map(|x| (-shells * b..=shells * b).map(move |y| [x, y])).collect();
    let moves = (-a..=a).flat_map(|x| (-b..=b).map(move |y| [x, y]));
    let laws = [[0, 0]].into_iter().chain(moves.filter(|by| *by != [0, 0])).map(|by| {
        let ln_probabilities: Vec<f64> = window.iter().map(|x| law.ln_pmf(&[x[0] - by[0], x[1] - by[1]])).collect();
        let listed: f64 = ln_probabilities.iter().map(|ln| ln.exp()).sum();
        // A move stays within one shell, so no more is beyond the window than was beyond its last shell but one.
        let rest = (1.0 - listed).max(0.0);
        if rest > law.radius_tail(shells as u64) + 1e-9 {
            return Err(RunFailure::Other(format!("cube noise moved by {by:?} has only {listed} of its probability")));
        }
        Ok(Law { input: format!("({}, {})", by[0], by[1]), ln_probabilities, rest })
    });
    let laws = laws.collect::<Result<Vec<_>, _>>()?;
    let laws = FiniteLaws::new(laws, move |i| format!("({}, {})", window[i][0], window[i][1]))?;
    Ok(laws.audit(|first, second| (first == 0 || second == 0).then(|| allowed.clone())))
}

pub(super) fn knorm_sums(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let widths = [3_u32, 700];
    let mut subjects = Vec::new();
    for with_count in [true, false] {
        let mechanism = KNormSumsMechanism::new(&reach_of(&widths), &epsilon, with_count)?;
        let allowed = Allowed::of(&mechanism.loss(), 1.0);
        let scale = i64::from(mechanism.scale());
        let moved = move |parts: [i64; 3]| -> Vec<i64> {
            let all = [parts[0], parts[1], parts[2]].map(|x| x * scale);
            if with_count { all.into() } else { all[..2].into() }
        };
        let corner = moved([3, 700, 1]);
        let law = mechanism.law(0).clone();
        let (ln, to) = (law.clone(), corner);
        let score = log_likelihood_ratio(move |x, of_first| {
            if of_first {
                return ln.ln_pmf(x);
            }
            ln.ln_pmf(&x.iter().zip(&to).map(|(x, by)| x - by).collect::<Vec<_>>())
        });
        let of = |sums: &[i64], rows| side(&mechanism, &numbers(sums, rows), tell_scaled);
        let words = "no row and one at a corner of its reach";
        let pair = Pair::new(words, of(&[0, 0], 0), of(&[3, 700], 1), allowed.clone()).with_score(score);
        let count = if with_count { "with" } else { "without" };
        let setting = format!("half-widths 3 and 700, {count} count, ε = {epsilon}, 1 step");
        let subject = Subject::new("knorm-sums", setting, promise(&mechanism.claim()))
            .with_exact(move || Ok(spread_out(&law, &moved, scale, allowed.epsilon_at(0.0))))
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

/// The distribution at outputs near and far, between no row and one that pulls by any of some parts of its reach: the cube is too
/// large to list all outputs.
fn spread_out(law: &LInfinityKNorm, moved: &dyn Fn([i64; 3]) -> Vec<i64>, scale: i64, allowed: f64) -> Measure {
    let mut worst = (f64::NEG_INFINITY, String::new());
    let mut compared = 0;
    let pulls = |most: i64| [-most, -most / 2, 0, most / 3, most];
    let places = [-30, -4, -1, 0, 1, 2, 7, 30];
    for x in pulls(3).into_iter().flat_map(|a| pulls(700).map(|b| [a, b, 1])) {
        let by = moved(x);
        let shells = places.iter().flat_map(|a| places.iter().flat_map(move |b| places.map(|c| [*a, *b, c])));
        for shell in shells {
            // At the very corners of cubes around both ends, and one step away from them.
            for (from, step) in [(&vec![0; by.len()], 0), (&by, 0), (&by, 1)] {
                let out: Vec<i64> = moved([3, 700, 1])
                    .iter()
                    .zip(&shell)
                    .zip(from)
                    .map(|((width, shell), from)| width / scale * shell * (scale / 2).max(1) + from + step)
                    .collect();
                let back: Vec<i64> = out.iter().zip(&by).map(|(x, by)| x - by).collect();
                let loss = (law.ln_pmf(&out) - law.ln_pmf(&back)).abs();
                compared += 2;
                if loss > worst.0 {
                    worst = (loss, format!("no row and one that pulls by {x:?}, output {out:?}"));
                }
            }
        }
    }
    Measure::DensityRatio { allowed, worst: worst.0, at: worst.1, compared }
}
