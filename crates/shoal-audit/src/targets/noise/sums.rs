//! Independent noise on sums and counts.

use std::sync::Arc;

use shoal_curator::RowMechanism;
use shoal_curator::internals::{
    BlockSumsMechanism, GaussianSumsMechanism, NoisySums, NoisySumsMechanism, OutputRange, ScaledSums,
};
use shoal_kernel::{ClusterSums, LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_noise::{DiscreteLaplace, RBig};
use shoal_privacy::Rho;

use super::counts::window;
use super::{independent, reach, same_noise, side};
use crate::allowed::{promise, short};
use crate::exact::{FiniteLaws, Part, product};
use crate::runs::{RunFailure, Runs};
use crate::targets::subject::Subject;
use crate::{Allowed, Pair, Plan, Score};

/// A centre's numbers: sums, then the count.
pub(super) fn numbers(sums: &[i64], rows: i64) -> ClusterSums {
    let mut numbers = ClusterSums::zero(1, sums.len());
    numbers.sums.copy_from_slice(sums);
    numbers.counts[0] = rows;
    numbers
}

pub(super) fn noisy_sums(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mut subjects = Vec::new();
    for dims in [1_usize, 3] {
        let mechanism = NoisySumsMechanism::per_step(dims, &epsilon)?;
        let allowed = Allowed::of(&mechanism.loss(), 1.0);
        let half = i64::from(HALF_WIDTH);
        // The distribution of the paper's noise, as the mechanism documents it.
        let count_decay = epsilon.amount().as_rational() / RBig::from(dims as u64 + 1);
        let sum_law = DiscreteLaplace::new(&count_decay / RBig::from(HALF_WIDTH))?;
        let count_law = DiscreteLaplace::new(count_decay)?;
        same_noise(mechanism.count_variance(), count_law.variance())?;
        same_noise(mechanism.sum_variance() * f64::from(HALF_WIDTH).powi(2), sum_law.variance())?;
        let tell = |released: NoisySums, out: &mut Runs| {
            out.tell_all(released.sums.into_iter().chain(released.counts).map(|x| x as f64));
        };
        let of = |sum: i64, rows: i64| side(&mechanism, &numbers(&vec![sum; dims], rows), tell);
        let laws = std::iter::repeat_n(&sum_law, dims).chain([&count_law]).cloned();
        let ln_pmf =
            laws.map(|law| Arc::new(move |z| law.ln_pmf(z)) as Arc<dyn Fn(i64) -> f64 + Send + Sync>).collect();
        let ends = |sum: i64, rows: i64| [vec![sum; dims], vec![rows]].concat();
        let pair = Pair::new("no row and one at a corner of the box", of(0, 0), of(half, 1), allowed.clone())
            .with_score(independent(ends(0, 0), ends(half, 1), ln_pmf));
        let setting = format!("d = {dims}, ε = {epsilon}, 1 step");
        let subject = Subject::new("noisy-sums", setting, promise(&mechanism.claim()))
            .with_exact(move || {
                let laws = |law: &DiscreteLaplace, moved: i64| {
                    FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, moved], reach(law.decay()))
                };
                let (sum, count) = (laws(&sum_law, half)?, laws(&count_law, 1)?);
                let sums = (0..dims).map(|i| Part::new(format!("sum {}", i + 1), &sum, 0, 1));
                let parts: Vec<Part> = sums.chain([Part::new("count", &count, 0, 1)]).collect();
                Ok(product::audit("no row and one at a corner", &parts, allowed.epsilon_at(0.0)))
            })
            .with_pair(pair);
        subjects.push(subject);
    }
    Ok(subjects)
}

/// A reach of one centre in the middle of the box.
pub(super) fn reach_of(half_widths: &[u32]) -> Reach {
    Reach::new(LatticeCentres::new(half_widths.len(), vec![0; half_widths.len()]), half_widths.to_vec())
}

pub(super) fn tell_scaled(released: ScaledSums, out: &mut Runs) {
    out.tell_all(released.sums.into_iter().chain(released.counts.into_iter().flatten()).map(|x| x as f64));
}

pub(super) fn gaussian_sums(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(0.5)?;
    let rho = Rho::new(epsilon.amount().times(epsilon.amount()));
    let widths = [2_u32, 5];
    let mechanism = GaussianSumsMechanism::new(&reach_of(&widths), &rho)?;
    let allowed = Allowed::of(&mechanism.loss(), 1.0);
    let refused = || RunFailure::Other("the promise of Gaussian sums is not a concentrated one".into());
    let count_law = mechanism.count_law().ok_or_else(refused)?;
    let laws = [mechanism.sum_law(0, 0), mechanism.sum_law(0, 1), count_law].map(Clone::clone);
    let moved = [2, 5, 1];
    let ln_pmf = |i: usize| -> Arc<dyn Fn(i64) -> f64 + Send + Sync> {
        let law = laws[i].clone();
        Arc::new(move |z| law.ln_pmf(z))
    };
    let of = |sums: &[i64], rows| side(&mechanism, &numbers(sums, rows), tell_scaled);
    let pair = Pair::new("no row and one at a corner of its reach", of(&[0, 0], 0), of(&[2, 5], 1), allowed.clone())
        .with_score(independent(vec![0; 3], moved.into(), vec![ln_pmf(0), ln_pmf(1), ln_pmf(2)]));
    let setting = format!("half-widths 2 and 5, ρ = {}, 1 step", short(rho.to_f64_up()));
    let subject = Subject::new("gaussian-sums", setting, promise(&mechanism.claim()))
        .with_exact(move || {
            let Allowed::Zcdp(rho) = allowed else { return Err(refused()) };
            let windows: Vec<FiniteLaws> =
                laws.iter().zip(moved).map(|(law, moved)| window(law, &[0, moved])).collect::<Result<_, _>>()?;
            let parts: Vec<&FiniteLaws> = windows.iter().collect();
            Ok(product::audit_concentrated("no row and one at a corner", &parts, 0, 1, rho))
        })
        .with_pair(pair);
    Ok(vec![subject])
}

pub(super) fn block_sums(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let (low, high) = (-50_i16, 50);
    let ranges = vec![OutputRange::between(low, high), OutputRange::FULL];
    let mechanism = BlockSumsMechanism::per_attribute(1, &epsilon, &ranges)?;
    let half = HALF_WIDTH as i16;
    // Blocks that hand in what they like: one is at the farthest corner, and beyond it before the clamp.
    let tell = |sums: Vec<i64>, out: &mut Runs| out.tell_all(sums.into_iter().map(|x| x as f64));
    let of = |changed: [i16; 2]| side(&mechanism, &vec![vec![0, 0], changed.to_vec()], tell);
    let ends = [(f64::from(low), f64::from(high)), (-f64::from(half), f64::from(half))];
    // Of the log-likelihood ratio, up to a factor.
    let score = Score::new("distance from one sum less that from the other", move |run| {
        let one = |(x, (low, high)): (&f64, &(f64, f64))| ((x - high).abs() - (x - low).abs()) / (high - low);
        run.iter().zip(&ends).map(one).sum()
    });
    let words = "one block at one end of the range and at the other";
    let pair = Pair::new(words, of([-half, -half]), of([half, half]), Allowed::of(&mechanism.loss(), 1.0));
    let setting = format!("k = 1, d = 2, ε = {epsilon}, 2 blocks");
    Ok(vec![Subject::new("block-sums", setting, promise(&mechanism.claim())).with_pair(pair.with_score(score))])
}
