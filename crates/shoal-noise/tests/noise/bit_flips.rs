//! Coins of randomised response have their distribution in every lane, and wrong ones do not.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{BitFlips, NoiseSource, SeededNoise, reference};

const WORDS: usize = 20_000;

/// ε and, from mpmath, 1 / (1 + e^ε).
fn cases() -> [(RBig, f64); 6] {
    [
        (ratio(1, 1000), 0.499_750_000_020_833_3),
        (ratio(1, 10), 0.475_020_812_521_06),
        (ratio(1, 1), 0.268_941_421_369_995_1),
        (ratio(2, 1), 0.119_202_922_022_117_56),
        (ratio(10, 1), 4.539_786_870_243_439_5e-5),
        (ratio(40, 1), 4.248_354_255_291_589e-18),
    ]
}

fn words(flips: &BitFlips, source: &mut (impl NoiseSource + ?Sized), n: usize) -> Vec<u64> {
    let mut mask = vec![0; n];
    flips.fill(source, &mut mask);
    mask
}

/// χ² of successes against an expected share, in a number of trials.
fn share(ones: u64, trials: u64, p: f64) -> f64 {
    let expected = [trials as f64 * p, trials as f64 * (1.0 - p)];
    if expected[0] < 10.0 {
        // Too rare for χ²: fifteen above an expectation below ten come once in 10⁵ lanes, and the seed is fixed.
        return if ones as f64 <= expected[0] + 15.0 { 1.0 } else { 0.0 };
    }
    fit(&[ones, trials - ones], &expected)
}

/// The smallest p-value of the 64 lanes and of all together, corrected for looking 65 times.
fn lanes(mask: &[u64], p: f64) -> f64 {
    let n = mask.len() as u64;
    let ones = |lane: u32| mask.iter().filter(|w| *w >> lane & 1 == 1).count() as u64;
    let all: u64 = (0..64).map(ones).sum();
    let worst = (0..64).map(|lane| share(ones(lane), n, p)).fold(share(all, 64 * n, p), f64::min);
    (65.0 * worst).min(1.0)
}

/// χ² for the four outcomes of each bit and the next one, in words and from word to word.
fn neighbours(mask: &[u64], p: f64) -> f64 {
    let mut counts = [0_u64; 4];
    let bit = |i: usize| mask[i / 64] >> (i % 64) & 1;
    // Pairs that share no bit, so that they are independent.
    for i in (0..mask.len() * 64 - 1).step_by(2) {
        counts[(2 * bit(i) + bit(i + 1)) as usize] += 1;
    }
    let mut across = [0_u64; 4];
    for pair in mask.chunks_exact(2) {
        across[(2 * (pair[0] >> 63) + (pair[1] & 1)) as usize] += 1;
    }
    let q = 1.0 - p;
    let law = [q * q, q * p, p * q, p * p];
    let test = |seen: [u64; 4]| {
        let n: u64 = seen.iter().sum();
        fit(&seen, &law.map(|share| share * n as f64))
    };
    (2.0 * test(counts).min(test(across))).min(1.0)
}

#[test]
fn every_lane_meets_the_law_and_mutants_do_not() {
    let mut s = source(31);
    let s = &mut *s;
    for (epsilon, p) in cases() {
        let name = format!("ε = {epsilon}");
        let flips = BitFlips::new(epsilon.clone()).unwrap();
        assert!((flips.probability() / p - 1.0).abs() < 1e-13, "{name}: {}", flips.probability());
        assert!(
            (flips.ln_pmf(true).exp() / p - 1.0).abs() < 1e-13
                && (flips.pmf(true) + flips.pmf(false) - 1.0).abs() < 1e-15
        );
        let many = if p < 1e-3 { 80 * WORDS } else { WORDS };
        let mask = words(&flips, s, many);
        accept(&name, lanes(&mask, p));
        if p < 1e-10 {
            assert!(mask.iter().all(|w| *w == 0), "{name}: a flip of probability 10⁻¹¹");
            continue;
        }
        let tenth_more = RBig::try_from((1.0 / (1.1 * p) - 1.0).ln()).unwrap_or(RBig::ZERO);
        if tenth_more > RBig::ZERO {
            let wrong = BitFlips::new(tenth_more).unwrap();
            reject(&format!("{name}, p × 1.1"), lanes(&words(&wrong, s, many), p));
        }
        let half = BitFlips::new(&epsilon / RBig::from(2)).unwrap();
        if p < 0.499 {
            reject(&format!("{name}, ε / 2"), lanes(&words(&half, s, many), p));
        }
        for stuck in [0_u32, 31, 63] {
            let cleared: Vec<u64> = words(&flips, s, many).iter().map(|w| w & !(1 << stuck)).collect();
            reject(&format!("{name}, lane {stuck} in the clear"), lanes(&cleared, p));
        }
    }
}

/// At ε = 0.001 the share is so near a half that only very many coins distinguish it from half the ε.
#[test]
fn small_epsilons_are_told_apart_by_enough_coins() {
    let mut s = SeededNoise::new(32);
    let ones = |epsilon: RBig, s: &mut SeededNoise| {
        let flips = BitFlips::new(epsilon).unwrap();
        (0..40_000_000 / 64).map(|_| u64::from(flips.sample(s).count_ones())).sum::<u64>()
    };
    let p = 0.475_020_812_521_06;
    accept("ε = 0.1", share(ones(ratio(1, 10), &mut s), 40_000_000, p));
    reject("ε = 0.09", share(ones(ratio(9, 100), &mut s), 40_000_000, p));
    accept("ε = 0.001", share(ones(ratio(1, 1000), &mut s), 40_000_000, 0.499_750_000_020_833_3));
    reject("ε = 0.004", share(ones(ratio(1, 250), &mut s), 40_000_000, 0.499_750_000_020_833_3));
}

#[test]
fn neighbouring_coins_are_independent() {
    let mut s = source(33);
    let s = &mut *s;
    for (epsilon, p) in &cases()[..4] {
        let flips = BitFlips::new(epsilon.clone()).unwrap();
        let mask = words(&flips, s, WORDS);
        accept("independent", neighbours(&mask, *p));
        let copied: Vec<u64> = mask.iter().map(|w| (w & !2) | (w & 1) << 1).collect();
        reject("bit 1 copies bit 0", neighbours(&copied, *p));
        let mut carried = mask.clone();
        for i in (1..carried.len()).step_by(2) {
            carried[i] = (carried[i] & !1) | carried[i - 1] >> 63;
        }
        reject("the first bit copies the last before it", neighbours(&carried, *p));
    }
}

/// Numbers of ones per word against Bin(64, p) by way of words made of reference coins.
#[test]
fn fast_and_reference_share_one_law() {
    let mut s = source(34);
    let s = &mut *s;
    for (epsilon, _) in &cases()[1..4] {
        let flips = BitFlips::new(epsilon.clone()).unwrap();
        let fast = draws(WORDS, || i64::from(flips.sample(s).count_ones()));
        let slow = draws(1_000, || (0..64).map(|_| i64::from(reference::bit_flip(s, epsilon))).sum());
        accept("reference", same_law(&fast, &slow));
        let wrong = BitFlips::new(epsilon * ratio(7, 10)).unwrap();
        let wrong = draws(WORDS, || i64::from(wrong.sample(s).count_ones()));
        if *epsilon > ratio(1, 2) {
            reject("ε × 0.7", same_law(&wrong, &slow));
        }
    }
}

/// The precomputed digits change no draw.
#[test]
fn exact_only_changes_no_draw() {
    for (epsilon, _) in cases() {
        let fast = BitFlips::new(epsilon).unwrap();
        let slow = fast.clone().exact_only();
        assert_eq!(words(&fast, &mut SeededNoise::new(5), 200), words(&slow, &mut SeededNoise::new(5), 200));
    }
}

/// The test for rare flips has a mutant of its own.
#[test]
fn rare_flips_are_counted() {
    assert_eq!(share(16, 1_000_000, 1e-18), 0.0, "sixteen flips of probability 10⁻¹⁸");
    assert_eq!(share(0, 1_000_000, 1e-18), 1.0);
}
