//! Noise on clipped sums and counts loses what it says, for cubes and for Gaussians, and the tests notice when not.

use crate::curator_support::table;
use dashu_ratio::RBig;
use shoal_curator::internals::{
    ClippedStep, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism, ScaledSums,
};
use shoal_curator::{RowMechanism, StepBudget};
use shoal_kernel::{ClusterSums, LatticeCentres, Reach};
use shoal_noise::{DiscreteGaussian, LInfinityKNorm, NoiseSource, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Amount, Epsilon, Loss, Rho};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

/// Half-widths of one centre, measured from the middle.
fn reach(half_widths: &[u32]) -> Reach {
    Reach::new(LatticeCentres::new(half_widths.len(), vec![0; half_widths.len()]), half_widths.to_vec())
}

/// A number in -most..=most.
fn within(random: &mut SeededNoise, most: i64) -> i64 {
    (random.next_u64() % (2 * most as u64 + 1)) as i64 - most
}

/// The largest log-ratio of the law between outcomes that one row can turn into each other, over random outcomes, with
/// the row at the corners of its reach or anywhere in it.
fn worst_log_ratio(law: &LInfinityKNorm, moves: &[i64]) -> f64 {
    let mut random = SeededNoise::new(7);
    let mut worst = 0.0f64;
    for trial in 0..4000 {
        // Outcomes far and near, also right at the walls between two shells.
        let shells = 1 + random.next_u64() % 400;
        let wall = trial % 2 == 0;
        let z: Vec<i64> = moves
            .iter()
            .map(|&step| {
                let most = (step * shells as i64 / 64).max(1);
                if wall { most } else { within(&mut random, most) }
            })
            .collect();
        let moved: Vec<i64> = z
            .iter()
            .zip(moves)
            .map(|(z, &most)| z + if trial % 4 < 2 { most } else { within(&mut random, most) })
            .collect();
        worst = worst.max((law.ln_pmf(&z) - law.ln_pmf(&moved)).abs());
    }
    worst
}

#[test]
fn cube_noise_loses_exactly_its_loss() {
    for text in ["0.01", "0.3", "1", "7"] {
        for half_widths in [&[1][..], &[1, 2], &[3, 1, 30_000], &[32_767; 5]] {
            for with_count in [true, false] {
                let step = KNormSumsMechanism::new(&reach(half_widths), &epsilon(text), with_count).unwrap();
                assert_eq!(step.loss(), Loss::Pure(epsilon(text)));
                assert_eq!(step.law(0).dimensions(), half_widths.len() + usize::from(with_count));
                let scale = i64::from(step.scale());
                let count = with_count.then_some(scale);
                let moves: Vec<i64> = half_widths.iter().map(|&w| i64::from(w) * scale).chain(count).collect();
                let (loss, worst) = (epsilon(text).to_f64_up(), worst_log_ratio(step.law(0), &moves));
                assert!((worst - loss).abs() < 1e-9 * (1.0 + loss), "{worst} for {half_widths:?} at ε = {text}");

                // Mutants: noise for nine tenths of the reach (where that is less), and noise that falls off too fast.
                let decay = step.law(0).decay();
                let short: Vec<u64> = moves.iter().map(|&m| (m / scale) as u64).map(|w| w - w / 10).collect();
                let widest = half_widths.iter().copied().max().unwrap();
                let mutant = LInfinityKNorm::with_half_widths(decay.clone(), &short).unwrap();
                // A row moves N by whole shells: at g = 1 or 2 a tenth is a whole one.
                assert!(widest < 10 || worst_log_ratio(&mutant, &moves) > loss * 1.05, "{half_widths:?} at ε = {text}");
                let whole: Vec<u64> = moves.iter().map(|&m| (m / scale) as u64).collect();
                let fast = LInfinityKNorm::with_half_widths(decay * RBig::from_parts(11.into(), 10u8.into()), &whole);
                assert!(worst_log_ratio(&fast.unwrap(), &moves) > loss * 1.05);
            }
        }
    }
}

/// Mean square of every released number over its variance, for a centre that is in truth at `exact`.
fn squares_over_variance(draw: impl Fn(ClusterSums, &mut SeededNoise) -> ScaledSums, variances: &[f64]) -> Vec<f64> {
    let dims = variances.len() - 1;
    let mut exact = ClusterSums::zero(1, dims);
    (exact.sums, exact.counts) = ((0..dims as i64).map(|i| 1000 * i - 700).collect(), vec![123]);
    let (mut noise, mut squares, runs) = (SeededNoise::new(11), vec![0.0; dims + 1], 20_000);
    for _ in 0..runs {
        let found = draw(exact.clone(), &mut noise);
        for (axis, square) in squares[..dims].iter_mut().enumerate() {
            *square += (found.sum(0, axis) - exact.sums[axis] as f64).powi(2);
        }
        squares[dims] += (found.count(0).unwrap() - 123.0).powi(2);
    }
    squares.iter().zip(variances).map(|(sum, variance)| sum / f64::from(runs) / variance).collect()
}

fn right(ratios: &[f64]) -> bool {
    ratios.iter().all(|ratio| (0.94..1.06).contains(ratio))
}

#[test]
fn released_numbers_have_the_noise_of_their_law() {
    let half = 32_767f64.powi(2);
    let limits = reach(&[1, 40, 20_000]);
    let stated = |sum: &dyn Fn(usize) -> f64, count: f64| -> Vec<f64> {
        (0..3).map(|axis| sum(axis) * half).chain([count]).collect()
    };
    let cube = |e: &str| KNormSumsMechanism::new(&limits, &epsilon(e), true).unwrap();
    let bell = |rho: &str| GaussianSumsMechanism::new(&limits, &rho.parse().unwrap()).unwrap();
    for (e, wrong) in [("0.8", "0.88"), ("3", "3.3")] {
        let step = cube(e);
        let variances = stated(&|axis| step.sum_variance(0, axis), step.count_variance(0).unwrap());
        // √((D + 1)(D + 2)/3)·w/ε with D = 4.
        let by_hand = 10.0 / epsilon(e).to_f64_up().powi(2);
        assert!(
            (variances[2] / 20_000f64.powi(2) / by_hand - 1.0).abs() < 0.02
                && (variances[3] / by_hand - 1.0).abs() < 0.02
        );
        assert!(right(&squares_over_variance(|exact, noise| step.draw(exact, noise), &variances)));
        // Mutants: less noise than stated, and a count that is let out as it is.
        let less = cube(wrong);
        assert!(!right(&squares_over_variance(|exact, noise| less.draw(exact, noise), &variances)));
        let bare_count = |exact: ClusterSums, noise: &mut SeededNoise| ScaledSums {
            counts: Some(vec![exact.counts[0] * i64::from(step.scale())]),
            ..step.draw(exact, noise)
        };
        assert!(!right(&squares_over_variance(bare_count, &variances)));
    }
    let step = bell("0.1");
    let variances = stated(&|axis| step.sum_variance(0, axis), step.count_variance().unwrap());
    // σ² = w²·(d + 1)/(2ρ).
    assert!((variances[2] / (20_000f64.powi(2) * 20.0) - 1.0).abs() < 1e-6 && (variances[3] / 20.0 - 1.0).abs() < 1e-6);
    assert!(right(&squares_over_variance(|exact, noise| step.draw(exact, noise), &variances)));
    let less = bell("0.12");
    assert!(!right(&squares_over_variance(|exact, noise| less.draw(exact, noise), &variances)));
}

/// Rényi divergence of order α between a law and itself moved, by summation.
fn divergence(law: &DiscreteGaussian, moved: i64, order: f64) -> f64 {
    let far = (14.0 * law.variance().sqrt()) as i64 + 3 * moved.abs() * order as i64 + 10;
    let term = |z: i64| (order * law.ln_pmf(z) + (1.0 - order) * law.ln_pmf(z - moved)).exp();
    (-far..=far).map(term).sum::<f64>().ln() / (order - 1.0)
}

#[test]
fn gaussian_noise_loses_no_more_than_its_loss() {
    for (text, share) in [("0.5", "1/4"), ("0.02", "1/10"), ("3", "1/3"), ("0.1", "0")] {
        let rho: Rho = text.parse().unwrap();
        let share: Amount = share.parse().unwrap();
        let half_widths = [1u32, 2, 7];
        let step = GaussianSumsMechanism::with_count_share(&reach(&half_widths), &rho, &share).unwrap();
        assert_eq!(step.loss(), Loss::Zcdp(rho.clone()), "exactly, and with nothing left over");
        assert_eq!(step.count_law().is_none(), share.is_zero());
        for order in [1.5, 2.0, 5.0, 20.0] {
            let bound = order * rho.to_f64_up() * (1.0 + 1e-9);
            let of_row = |shrunk: f64| {
                let law = |law: &DiscreteGaussian| {
                    let sigma = law.sigma_squared() * RBig::try_from(shrunk).unwrap();
                    DiscreteGaussian::new(sigma).unwrap()
                };
                let sums =
                    half_widths.iter().enumerate().map(|(i, &w)| divergence(&law(step.sum_law(0, i)), w.into(), order));
                sums.sum::<f64>() + step.count_law().map_or(0.0, |count| divergence(&law(count), 1, order))
            };
            assert!(of_row(1.0) <= bound, "order {order} at ρ = {text}: {} > {bound}", of_row(1.0));
            // A mutant with σ nine tenths of what it should be. On a coarse lattice the bound is not tight.
            assert!(rho.to_f64_up() > 1.0 || of_row(0.81) > bound, "order {order} at ρ = {text}");
        }
    }
}

#[test]
fn gaussian_counts_lose_their_rho() {
    for text in ["0.5", "1/3", "0.0001"] {
        let rho: Rho = text.parse().unwrap();
        let step = GaussianCountsMechanism::new(&rho).unwrap();
        assert_eq!(step.loss(), Loss::Zcdp(rho.clone()));
        let bound = 3.0 * rho.to_f64_up();
        assert!(divergence(step.law(), 1, 3.0) <= bound * (1.0 + 1e-9));
        assert!(divergence(step.law(), 2, 3.0) > bound * 1.5, "a row that counts twice is noticed");
        let counts = step.draw(vec![5; 3000], &mut SeededNoise::new(2));
        let square = counts.iter().map(|&n| (n - 5).pow(2) as f64).sum::<f64>() / 3000.0;
        assert!((0.9..1.1).contains(&(square / step.variance())));
    }
    assert!(GaussianCountsMechanism::new(&Rho::ZERO).is_err());
}

#[test]
fn centres_with_their_own_reach_have_their_own_noise() {
    let places = LatticeCentres::new(2, vec![0, 0, 5, 5, 9, 9]);
    let reach = Reach::new(places.clone(), vec![10, 20, 1000, 3, 10, 20]);
    for budget in [StepBudget::Pure(epsilon("0.5")), StepBudget::Concentrated("0.1".parse().unwrap())] {
        let step = ClippedStep::new(&reach, &budget, true).unwrap();
        let sd = |j, axis| step.sum_variance(j, axis).sqrt();
        assert!((sd(1, 0) / sd(0, 0) / 100.0 - 1.0).abs() < 0.01 && (sd(1, 1) / sd(0, 1) / 0.15 - 1.0).abs() < 0.05);
        assert_eq!((sd(0, 0), sd(0, 1)), (sd(2, 0), sd(2, 1)));
        let without = ClippedStep::new(&reach, &budget, false).unwrap();
        assert!(without.sum_variance(0, 0) < step.sum_variance(0, 0) && without.count_variance(0).is_none());

        // Released through the accountant, which stops a second step that was not allowed for.
        let rows: Vec<Vec<i16>> = vec![vec![4, 5]; 7];
        let mut accountant = Accountant::new(Allowance::without_ledger(step.claim()));
        let scan = table(2, &rows);
        let mut noise = SeededNoise::new(5);
        let released = step.release(&scan, &places, &mut accountant, &mut noise).unwrap();
        assert_eq!((released.sums.len(), released.counts.map(|counts| counts.len())), (6, Some(3)));
        assert!(step.release(&scan, &places, &mut accountant, &mut noise).is_err());
        assert_eq!(accountant.spent().loss, step.claim().loss);
    }
}

#[test]
fn budgets_that_cannot_be_drawn_are_refused() {
    let limits = reach(&[32_767, 65_534]);
    assert!(KNormSumsMechanism::new(&limits, &epsilon("0"), true).is_err());
    assert!(KNormSumsMechanism::new(&limits, &epsilon("1e-13"), true).is_err());
    assert!(KNormSumsMechanism::new(&limits, &epsilon("1e-10"), true).is_ok());
    assert!(KNormSumsMechanism::new(&reach(&[1; 1024]), &epsilon("1"), true).is_err());
    assert!(GaussianSumsMechanism::new(&limits, &Rho::ZERO).is_err());
    assert!(GaussianSumsMechanism::with_count_share(&limits, &"1".parse().unwrap(), &Amount::ONE).is_err());
    assert!(GaussianSumsMechanism::new(&limits, &"1e-40".parse().unwrap()).is_err());
}
