//! The discrete Laplace and geometric samplers have their distributions, and wrong ones do not.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, Geometric, reference};

/// Decays for the scales 0.3, 1, 7.5, 1000 and 2^20.
fn decays() -> [(&'static str, RBig, f64); 5] {
    [
        ("scale 0.3", ratio(10, 3), 0.3),
        ("scale 1", ratio(1, 1), 1.0),
        ("scale 7.5", ratio(2, 15), 7.5),
        ("scale 1000", ratio(1, 1000), 1e3),
        ("scale 2^20", ratio(1, 1 << 20), 1e6),
    ]
}

#[test]
fn laplace_law_and_mutants() {
    for (name, decay, scale) in decays() {
        let law = DiscreteLaplace::new(decay.clone()).unwrap();
        let mut s = source(11);
        let s = &mut *s;
        let p = |zs: &[i64]| fit_tail(zs, |z| law.tail(z), i64::MIN);
        let mut zs = vec![0; DRAWS];
        law.fill(s, &mut zs);
        accept(name, p(&zs));
        accept(name, symmetry(&zs));

        for (what, factor) in [("scale x 1.1", ratio(10, 11)), ("scale x 0.9", ratio(10, 9))] {
            let wrong = DiscreteLaplace::new(&decay * factor).unwrap();
            reject(&format!("{name}, {what}"), p(&draws(DRAWS, || wrong.sample(s))));
        }
        let unsigned = draws(DRAWS, || law.sample(s).abs());
        reject(&format!("{name}, missing sign"), p(&unsigned));
        reject(&format!("{name}, missing sign"), symmetry(&unsigned));
        let variance = RBig::try_from(law.variance()).unwrap();
        let gaussian = DiscreteGaussian::new(variance).unwrap();
        reject(&format!("{name}, Gaussian"), p(&draws(DRAWS, || gaussian.sample(s))));
        // A single step only shows where single steps carry weight.
        if scale < 10.0 {
            let shifted = draws(DRAWS, || law.sample(s) + 1);
            reject(&format!("{name}, off by one"), p(&shifted));
            let size = Geometric::new(decay.clone()).unwrap();
            let doubled = draws(DRAWS, || {
                let z = size.sample(s);
                if s.next_u64() & 1 == 1 { -z } else { z }
            });
            reject(&format!("{name}, zero counted twice"), p(&doubled));
            let outward = draws(DRAWS, || {
                let z = law.sample(s);
                if z == 0 { law.sample(s).signum() } else { z }
            });
            reject(&format!("{name}, zero missing"), p(&outward));
        }
    }
}

#[test]
fn geometric_law_and_mutants() {
    for (name, decay, scale) in decays() {
        let law = Geometric::new(decay.clone()).unwrap();
        let mut s = source(12);
        let s = &mut *s;
        let p = |zs: &[i64]| fit_tail(zs, |z| law.tail(z), 0);
        let mut zs = vec![0; DRAWS];
        law.fill(s, &mut zs);
        accept(name, p(&zs));
        for (what, factor) in [("scale x 1.1", ratio(10, 11)), ("scale x 0.9", ratio(10, 9))] {
            let wrong = Geometric::new(&decay * factor).unwrap();
            reject(&format!("{name}, {what}"), p(&draws(DRAWS, || wrong.sample(s))));
        }
        let laplace = DiscreteLaplace::new(decay.clone()).unwrap();
        reject(&format!("{name}, signed"), p(&draws(DRAWS, || laplace.sample(s))));
        if scale < 10.0 {
            reject(&format!("{name}, off by one"), p(&draws(DRAWS, || law.sample(s) + 1)));
            // The size of a Laplace draw gives 0 half the weight a geometric gives it.
            let size = draws(DRAWS, || laplace.sample(s).abs());
            reject(&format!("{name}, size of Laplace"), p(&size));
        }
    }
}

/// Block lengths other than powers of two away from the decay, and decays with long fractions.
#[test]
fn law_at_awkward_decays() {
    let decays = [
        RBig::try_from(0.1_f64).unwrap(),
        ratio(1, 8),
        ratio(126, 1000),
        ratio(1, 4),
        ratio(1, 16),
        ratio(7, 1025),
        ratio(1, 1_000_000_000_000_000),
        ratio(1, 1 << 50),
        ratio(20, 1),
        RBig::from(10_u8).pow(400),
    ];
    let mut s = source(13);
    for decay in decays {
        let law = DiscreteLaplace::new(decay.clone()).unwrap();
        let zs = draws(DRAWS, || law.sample(&mut *s));
        if decay > ratio(15, 1) {
            assert!(zs.iter().all(|z| *z == 0), "{decay}: noise where e^-decay is nothing");
        } else {
            accept(&decay.to_string(), fit_tail(&zs, |z| law.tail(z), i64::MIN));
            let wrong = DiscreteLaplace::new(&decay * ratio(10, 9)).unwrap();
            let zs = draws(DRAWS, || wrong.sample(&mut *s));
            reject(&format!("{decay}, scale x 0.9"), fit_tail(&zs, |z| law.tail(z), i64::MIN));
        }
    }
}

#[test]
fn fast_and_reference_share_one_law() {
    let n = 30_000;
    let mut s = source(14);
    let s = &mut *s;
    for (name, decay, _) in decays() {
        let law = DiscreteLaplace::new(decay.clone()).unwrap();
        let fast = draws(DRAWS, || law.sample(s));
        let slow = draws(n, || i64::try_from(&reference::discrete_laplace(s, &decay)).unwrap());
        accept(name, same_law(&fast, &slow));
        accept(name, fit_tail(&slow, |z| law.tail(z), i64::MIN));
        let wrong = DiscreteLaplace::new(&decay * ratio(10, 12)).unwrap();
        reject(name, same_law(&draws(DRAWS, || wrong.sample(s)), &slow));

        let law = Geometric::new(decay.clone()).unwrap();
        let fast = draws(DRAWS, || law.sample(s));
        let slow = draws(n, || i64::try_from(&reference::geometric(s, &decay)).unwrap());
        accept(name, same_law(&fast, &slow));
    }
}

#[test]
fn every_bit_is_randomised() {
    let mut s = source(15);
    let s = &mut *s;
    let law = DiscreteLaplace::new(ratio(1, 1 << 40)).unwrap();
    let zs = draws(DRAWS, || law.sample(s));
    accept("bits", low_bits(&zs, 36));
    for stuck in [0, 1, 20, 35] {
        let zs = draws(DRAWS, || law.sample(s) & !(1 << stuck));
        reject("a stuck bit", low_bits(&zs, 36));
    }
}

#[test]
fn sample_variance_is_the_variance() {
    let mut s = source(16);
    for (name, decay, _) in decays() {
        let law = DiscreteLaplace::new(decay).unwrap();
        let zs = draws(DRAWS, || law.sample(&mut *s));
        let mean_square = zs.iter().map(|&z| (z as f64).powi(2)).sum::<f64>() / DRAWS as f64;
        // The fourth moment of a Laplace distribution is six times the squared variance; more when it is
        // mostly zero.
        let slack = 6.0 * (25.0 / DRAWS as f64).sqrt();
        let fits = |variance: f64| (mean_square / variance - 1.0).abs() < slack;
        assert!(fits(law.variance()), "{name}: {mean_square}");
        assert!(!fits(law.variance() * 1.21) && !fits(law.variance() * 0.81), "{name}: a wrong variance passed");
    }
}
