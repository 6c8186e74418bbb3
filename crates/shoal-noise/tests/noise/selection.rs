//! The exponential mechanism and noisy max: distributions, mutants, and losses over neighbours.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{
    DiscreteLaplace, ExponentialMechanism, Geometric, MaxNoise, NoiseSource, NoisyMax, ScoreKind, reference, uniform,
};

const KINDS: [ScoreKind; 2] = [ScoreKind::Monotone, ScoreKind::General];
const NOISES: [MaxNoise; 2] = [MaxNoise::Geometric, MaxNoise::Laplace];

fn counts(candidates: usize, mut draw: impl FnMut() -> usize) -> Vec<u64> {
    let mut counts = vec![0; candidates];
    for _ in 0..DRAWS {
        counts[draw()] += 1;
    }
    counts
}

fn exponential(epsilon: RBig) -> ExponentialMechanism {
    ExponentialMechanism::new(&epsilon, &RBig::ONE, ScoreKind::Monotone).unwrap()
}

fn expected(mechanism: &ExponentialMechanism, scores: &[i64]) -> Vec<f64> {
    let choice = mechanism.prepare(scores).unwrap();
    (0..scores.len()).map(|i| DRAWS as f64 * choice.pmf(i)).collect()
}

#[test]
fn exponential_law_and_mutants() {
    let mut s = source(51);
    let s = &mut *s;
    let long: Vec<i64> = (0..500).map(|i| (i * i) % 61 - 30).collect();
    for (epsilon, scores) in [
        (ratio(1, 1), vec![0_i64, 1, 2, 3]),
        (ratio(1, 3), vec![5, 5, 5, -1, 9]),
        (ratio(1, 1000), vec![0, 900, -400, 2000, 1000]),
        (ratio(1, 20), long),
        (ratio(1, 1), vec![i64::MIN, 7, 6, 7]),
    ] {
        let mechanism = exponential(epsilon.clone());
        let want = expected(&mechanism, &scores);
        let choice = mechanism.prepare(&scores).unwrap();
        let name = format!("ε = {epsilon}, {} scores", scores.len());
        accept(&name, fit(&counts(scores.len(), || choice.sample(s)), &want));
        for factor in [ratio(11, 10), ratio(9, 10), ratio(1, 2)] {
            let wrong = exponential(&epsilon * &factor).prepare(&scores).unwrap();
            // Nearly flat lists hide a factor; a list that hides it is no test of it.
            if scores.len() != 4 || scores[0] != i64::MIN {
                let seen = counts(scores.len(), || wrong.sample(s));
                reject(&format!("{name}, ε x {factor}"), fit(&seen, &want));
            }
        }
        let shifted = counts(scores.len(), || (choice.sample(s) + 1) % scores.len());
        reject(&format!("{name}, index off by one"), fit(&shifted, &want));
        let best = (0..scores.len()).max_by_key(|&i| scores[i]).unwrap();
        reject(&format!("{name}, always the best"), fit(&counts(scores.len(), || best), &want));
    }
}

#[test]
fn exponential_fast_and_reference_share_one_law() {
    let mut s = source(52);
    let s = &mut *s;
    let scores = [3_i64, 1, 4, 1, 5, 9, 2, 6];
    let mechanism = exponential(ratio(2, 5));
    let choice = mechanism.prepare(&scores).unwrap();
    let fast = draws(DRAWS, || choice.sample(s) as i64);
    let slow = draws(40_000, || reference::exponential(s, mechanism.decay(), &scores) as i64);
    accept("exponential", same_law(&fast, &slow));
    let wrong = exponential(ratio(1, 2)).prepare(&scores).unwrap();
    reject("exponential", same_law(&draws(DRAWS, || wrong.sample(s) as i64), &slow));
}

#[test]
fn exponential_extremes() {
    let mut s = source(53);
    let s = &mut *s;
    // ε → 0: uniform.
    let flat = exponential(RBig::ONE / RBig::from(10_u8).pow(30));
    let seen = counts(4, || flat.choose(s, &[0_i64, 1000, -1000, 5]).unwrap());
    accept("ε near 0", fit(&seen, &[DRAWS as f64 / 4.0; 4]));
    // ε → ∞, and gaps beyond 64 bits: the best.
    let sharp = exponential(RBig::from(10_u8).pow(400));
    assert!((0..1000).all(|_| sharp.choose(s, &[0_i64, 1, 0]).unwrap() == 1));
    let mechanism = exponential(ratio(1, 1));
    let wide = [i128::MIN, i128::MAX, 0];
    assert!((0..1000).all(|_| mechanism.choose(s, &wide).unwrap() == 1));
    assert_eq!(mechanism.choose(s, &[42_i64]).unwrap(), 0);
}

/// Neighbouring score lists: all moved one way within Δ, or each either way.
fn neighbours(kind: ScoreKind, scores: &[i64], sensitivity: i64, s: &mut dyn NoiseSource) -> Vec<i64> {
    let way = if s.next_u64() & 1 == 1 { 1 } else { -1 };
    scores
        .iter()
        .map(|q| {
            let step = match kind {
                ScoreKind::Monotone => way * uniform::below(s, sensitivity as u64 + 1) as i64,
                ScoreKind::General => uniform::symmetric(s, sensitivity as u128) as i64,
            };
            q + step
        })
        .collect()
}

#[test]
fn exponential_loss_over_neighbours() {
    let mut s = source(54);
    let s = &mut *s;
    let epsilon = 0.7;
    for kind in KINDS {
        let mechanism = ExponentialMechanism::new(&ratio(7, 10), &ratio(3, 1), kind).unwrap();
        let mut worst: f64 = 0.0;
        let mut pairs: Vec<(Vec<i64>, Vec<i64>)> = (0..2000)
            .map(|_| {
                let q: Vec<i64> = (0..5).map(|_| uniform::below(s, 12) as i64).collect();
                let moved = neighbours(kind, &q, 3, s);
                (q, moved)
            })
            .collect();
        // The tight pair: the outsider moves against a far better crowd.
        pairs.push(match kind {
            ScoreKind::Monotone => (vec![0, 100, 100], vec![3, 100, 100]),
            ScoreKind::General => (vec![0, 100, 100], vec![3, 97, 97]),
        });
        for (q, moved) in pairs {
            let (a, b) = (mechanism.prepare(&q).unwrap(), mechanism.prepare(&moved).unwrap());
            for i in 0..q.len() {
                worst = worst.max((a.ln_pmf(i) - b.ln_pmf(i)).abs());
            }
        }
        assert!(worst <= epsilon + 1e-12, "{kind:?}: loss {worst}");
        assert!(worst >= 0.999 * epsilon, "{kind:?}: the guarantee is not tight: {worst}");
    }
}

fn noisy_max(noise: MaxNoise, epsilon: RBig) -> NoisyMax {
    NoisyMax::new(noise, &epsilon, &RBig::ONE, ScoreKind::Monotone).unwrap()
}

#[test]
fn noisy_max_law_and_mutants() {
    let mut s = source(55);
    let s = &mut *s;
    for noise in NOISES {
        for (epsilon, scores) in [
            (ratio(1, 1), vec![0_i64, 1, 2, 2]),
            (ratio(1, 3), vec![5, 5, 5, -1, 9]),
            (ratio(1, 10), vec![0, 0, 3, 20]),
        ] {
            let mechanism = noisy_max(noise, epsilon.clone());
            let law = mechanism.law(&scores);
            assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12, "probabilities sum to 1");
            let want: Vec<f64> = law.iter().map(|p| p * DRAWS as f64).collect();
            let name = format!("{noise:?}, ε = {epsilon}, {scores:?}");
            let n = scores.len();
            let seen = counts(n, || mechanism.choose(s, &scores).unwrap());
            accept(&name, fit(&seen, &want));
            for factor in [ratio(11, 10), ratio(9, 10)] {
                let wrong = noisy_max(noise, &epsilon * factor);
                let seen = counts(n, || wrong.choose(s, &scores).unwrap());
                reject(&format!("{name}, wrong scale"), fit(&seen, &want));
            }
            let other = if noise == MaxNoise::Laplace { MaxNoise::Geometric } else { MaxNoise::Laplace };
            let wrong = noisy_max(other, epsilon.clone());
            let seen = counts(n, || wrong.choose(s, &scores).unwrap());
            reject(&format!("{name}, other noise"), fit(&seen, &want));
            // Ties to the first, where ties are common.
            if epsilon == RBig::ONE {
                let geometric = Geometric::new(epsilon.clone()).unwrap();
                let laplace = DiscreteLaplace::new(epsilon.clone()).unwrap();
                let first = counts(n, || {
                    let mut noisy = scores.clone();
                    for value in &mut noisy {
                        *value += match noise {
                            MaxNoise::Geometric => geometric.sample(s),
                            MaxNoise::Laplace => laplace.sample(s),
                        };
                    }
                    let best = *noisy.iter().max().unwrap();
                    noisy.iter().position(|v| *v == best).unwrap()
                });
                reject(&format!("{name}, ties to the first"), fit(&first, &want));
            }
        }
    }
}

/// Ties included: at most ε over every neighbour tried, and ε is reached.
#[test]
fn noisy_max_loss_over_neighbours() {
    let mut s = source(56);
    let s = &mut *s;
    for noise in NOISES {
        for kind in KINDS {
            let mechanism = NoisyMax::new(noise, &ratio(9, 10), &ratio(2, 1), kind).unwrap();
            let mut worst: f64 = 0.0;
            let mut pairs: Vec<(Vec<i64>, Vec<i64>)> = (0..150)
                .map(|_| {
                    let q: Vec<i64> = (0..4).map(|_| uniform::below(s, 5) as i64).collect();
                    let moved = neighbours(kind, &q, 2, s);
                    (q, moved)
                })
                .collect();
            pairs.push(match kind {
                ScoreKind::Monotone => (vec![0, 100], vec![2, 100]),
                ScoreKind::General => (vec![0, 100], vec![2, 98]),
            });
            for (q, moved) in pairs {
                for (a, b) in mechanism.law(&q).iter().zip(mechanism.law(&moved)) {
                    worst = worst.max((a / b).ln().abs());
                }
            }
            assert!(worst <= 0.9 + 1e-9, "{noise:?}, {kind:?}: loss {worst}");
            // With Laplace noise the loss only tends to ε, as the gap grows.
            let tight = if noise == MaxNoise::Geometric { 0.999 } else { 0.95 };
            assert!(worst >= tight * 0.9, "{noise:?}, {kind:?}: not tight, {worst}");
        }
    }
}

#[test]
fn noisy_max_extremes() {
    let mut s = source(57);
    let s = &mut *s;
    let sharp = noisy_max(MaxNoise::Geometric, RBig::from(1000_u32));
    assert!((0..1000).all(|_| sharp.choose(s, &[0_i64, 1, 0]).unwrap() == 1));
    // All tied: fair.
    let seen = counts(5, || sharp.choose(s, &[3_i64; 5]).unwrap());
    accept("fair ties", fit(&seen, &[DRAWS as f64 / 5.0; 5]));
    // Almost no ε: fair as well.
    let flat = noisy_max(MaxNoise::Laplace, ratio(1, 1 << 40));
    let seen = counts(3, || flat.choose(s, &[0_i64, 100, -100]).unwrap());
    accept("ε near 0", fit(&seen, &[DRAWS as f64 / 3.0; 3]));
}
