//! The discrete Gaussian sampler has its distribution, and wrong ones do not.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, reference};

/// σ² for σ = 0.3, 1, 7.5, 1000 and 2^20.
fn variances() -> [(&'static str, RBig, f64); 5] {
    [
        ("sigma 0.3", ratio(9, 100), 0.3),
        ("sigma 1", ratio(1, 1), 1.0),
        ("sigma 7.5", ratio(225, 4), 7.5),
        ("sigma 1000", ratio(1_000_000, 1), 1e3),
        ("sigma 2^20", ratio(1 << 40, 1), 1e6),
    ]
}

#[test]
fn law_and_mutants() {
    for (name, variance, sigma) in variances() {
        let law = DiscreteGaussian::new(variance.clone()).unwrap();
        let mut s = source(21);
        let s = &mut *s;
        let p = |zs: &[i64]| fit_tail(zs, |z| law.tail(z), i64::MIN);
        let mut zs = vec![0; DRAWS];
        law.fill(s, &mut zs);
        accept(name, p(&zs));
        accept(name, symmetry(&zs));
        for (what, factor) in [("scale x 1.1", ratio(121, 100)), ("scale x 0.9", ratio(81, 100))] {
            let wrong = DiscreteGaussian::new(&variance * factor).unwrap();
            reject(&format!("{name}, {what}"), p(&draws(DRAWS, || wrong.sample(s))));
        }
        let unsigned = draws(DRAWS, || law.sample(s).abs());
        reject(&format!("{name}, missing sign"), p(&unsigned));
        // Var = 2 / decay².
        let decay = RBig::try_from(2.0_f64.sqrt() / sigma).unwrap();
        let laplace = DiscreteLaplace::new(decay).unwrap();
        reject(&format!("{name}, Laplace"), p(&draws(DRAWS, || laplace.sample(s))));
        if sigma < 10.0 {
            reject(&format!("{name}, off by one"), p(&draws(DRAWS, || law.sample(s) + 1)));
            let doubled = draws(DRAWS, || {
                let z = law.sample(s);
                // A second way to become zero, as when -0 is not drawn again.
                if z != 0 && s.next_u64().is_multiple_of(4) { law.sample(s) } else { z }
            });
            reject(&format!("{name}, zero too often"), p(&doubled));
        }
    }
}

#[test]
fn law_at_awkward_variances() {
    let mut s = source(22);
    for variance in [
        RBig::try_from(0.7_f64).unwrap(),
        ratio(1, 3),
        ratio(4095, 1),
        ratio(4097, 1),
        ratio(1_000_003, 7),
        RBig::from(1_u64 << 52).sqr(),
        RBig::ONE / RBig::from(10_u8).pow(400),
    ] {
        let law = DiscreteGaussian::new(variance.clone()).unwrap();
        let zs = draws(DRAWS, || law.sample(&mut *s));
        if variance < ratio(1, 1000) {
            assert!(zs.iter().all(|z| *z == 0));
        } else {
            accept(&variance.to_string(), fit_tail(&zs, |z| law.tail(z), i64::MIN));
            let wrong = DiscreteGaussian::new(&variance * ratio(81, 100)).unwrap();
            let zs = draws(DRAWS, || wrong.sample(&mut *s));
            reject(&format!("{variance}, scale x 0.9"), fit_tail(&zs, |z| law.tail(z), i64::MIN));
        }
    }
}

#[test]
fn fast_and_reference_share_one_law() {
    let mut s = source(23);
    let s = &mut *s;
    for (name, variance, _) in variances() {
        let law = DiscreteGaussian::new(variance.clone()).unwrap();
        let fast = draws(DRAWS, || law.sample(s));
        let slow = draws(20_000, || i64::try_from(&reference::discrete_gaussian(s, &variance)).unwrap());
        accept(name, same_law(&fast, &slow));
        accept(name, fit_tail(&slow, |z| law.tail(z), i64::MIN));
        let wrong = DiscreteGaussian::new(&variance * ratio(10, 12)).unwrap();
        reject(name, same_law(&draws(DRAWS, || wrong.sample(s)), &slow));
    }
}

#[test]
fn every_bit_is_randomised() {
    let mut s = source(24);
    let s = &mut *s;
    let law = DiscreteGaussian::new(RBig::from(1_u64 << 40).sqr()).unwrap();
    accept("bits", low_bits(&draws(DRAWS, || law.sample(s)), 36));
    reject("a stuck bit", low_bits(&draws(DRAWS, || law.sample(s) | 1), 36));
}
