//! Bounded Euclidean noise on small lattices against its distribution, forced against fast draws, and bad parameters.

use std::collections::BTreeMap;

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{EuclideanLaplace, EuclideanLaplaceDoubles, NoiseError, NoiseSource, SeededNoise, uniform};

/// The box of reports around records of one lattice, and where its points are in a list.
struct Cells {
    dims: usize,
    side: i64,
    radius: i64,
}

impl Cells {
    fn width(&self) -> i64 {
        self.side + 1 + 2 * self.radius
    }

    fn count(&self) -> usize {
        (self.width() as usize).pow(self.dims as u32)
    }

    fn point(&self, mut index: usize) -> Vec<i64> {
        (0..self.dims)
            .map(|_| {
                let digit = index as i64 % self.width() - self.radius;
                index /= self.width() as usize;
                digit
            })
            .collect()
    }

    /// None outside of the box.
    fn index(&self, x: &[i64]) -> Option<usize> {
        x.iter().rev().try_fold(0_usize, |index, &x| {
            let digit = x + self.radius;
            (0..self.width()).contains(&digit).then(|| index * self.width() as usize + digit as usize)
        })
    }

    /// A distribution on the box given by a weight of the squared distance to the record.
    fn law(&self, record: &[i64], weight: impl Fn(f64) -> f64) -> Vec<f64> {
        let raw: Vec<f64> = (0..self.count())
            .map(|i| weight(self.point(i).iter().zip(record).map(|(x, v)| ((x - v) * (x - v)) as f64).sum()))
            .collect();
        let total: f64 = raw.iter().sum();
        raw.iter().map(|w| w / total).collect()
    }

    /// χ² of reports against a distribution, over all points and over all distances from the record, corrected for looking
    /// twice; a report outside of the box settles it.
    fn fit(&self, record: &[i64], reports: &[Vec<i64>], law: &[f64]) -> f64 {
        let mut seen = vec![0_u64; self.count()];
        for x in reports {
            match self.index(x) {
                Some(i) => seen[i] += 1,
                None => return 0.0,
            }
        }
        let expected: Vec<f64> = law.iter().map(|p| p * reports.len() as f64).collect();
        let mut shells: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
        for (i, (&seen, &expected)) in seen.iter().zip(&expected).enumerate() {
            let square = self.point(i).iter().zip(record).map(|(x, v)| (x - v) * (x - v)).sum();
            let shell = shells.entry(square).or_default();
            *shell = (shell.0 + seen, shell.1 + expected);
        }
        let (by_shell, wanted): (Vec<u64>, Vec<f64>) = shells.into_values().unzip();
        2.0 * fit(&seen, &expected).min(fit(&by_shell, &wanted))
    }

    /// Draws from a listed distribution.
    fn draw(&self, s: &mut dyn NoiseSource, law: &[f64]) -> Vec<Vec<i64>> {
        let sums: Vec<f64> = law
            .iter()
            .scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            })
            .collect();
        (0..DRAWS)
            .map(|_| {
                let u = uniform::unit_f64(s);
                self.point(sums.partition_point(|&sum| sum <= u).min(sums.len() - 1))
            })
            .collect()
    }
}

fn reports(law: &EuclideanLaplace, s: &mut dyn NoiseSource, record: &[i64], n: usize) -> Vec<Vec<i64>> {
    (0..n)
        .map(|_| {
            let mut x = vec![0; record.len()];
            law.sample(s, record, &mut x);
            x
        })
        .collect()
}

#[test]
fn small_lattices_are_enumerated() {
    let mut s = source(71);
    let s = &mut *s;
    for (decay, side, radius, record) in [
        (ratio(1, 2), 4_u64, 8_u64, vec![1_i64]),
        (ratio(1, 1), 1, 3, vec![0]),
        (ratio(1, 3), 3, 8, vec![3, 0]),
        (ratio(3, 2), 2, 2, vec![1, 2]),
        (ratio(1, 1), 1, 2, vec![0, 1, 1]),
        (ratio(1, 2), 2, 4, vec![2, 1, 0]),
    ] {
        let dims = record.len();
        let a = decay.to_f64().value();
        let cut = radius as f64;
        let cells = Cells { dims, side: side as i64, radius: radius as i64 };
        let name = format!("decay {decay}, side {side}, radius {radius}, d = {dims}");
        let target = cells.law(&record, |n| (-a * n.sqrt().min(cut)).exp());
        let law = EuclideanLaplace::new(decay.clone(), dims, side, radius).unwrap();
        accept(&name, cells.fit(&record, &reports(&law, s, &record, DRAWS), &target));

        for (what, factor) in [("decay x 1.1", ratio(11, 10)), ("decay x 0.9", ratio(9, 10))] {
            let wrong = EuclideanLaplace::new(&decay * factor, dims, side, radius).unwrap();
            reject(&format!("{name}, {what}"), cells.fit(&record, &reports(&wrong, s, &record, DRAWS), &target));
        }
        for radius in [radius - 1, radius + 1] {
            let wrong = EuclideanLaplace::new(decay.clone(), dims, side, radius).unwrap();
            reject(
                &format!("{name}, radius {radius}"),
                cells.fit(&record, &reports(&wrong, s, &record, DRAWS), &target),
            );
        }
        let base = (-a * cut).exp();
        let ball = |n: f64| n < cut * cut;
        let mutants: [(&str, &dyn Fn(f64) -> f64); 5] = [
            ("no second coin", &|n| base + if ball(n) { (-a * n.sqrt()).exp() } else { 0.0 }),
            ("no chord coin", &|n| {
                base + if ball(n) { (-a * n / cut).exp() * (1.0 - (-a * (cut - n.sqrt())).exp()) } else { 0.0 }
            }),
            ("a Gaussian", &|n| (-(a * a * n / 2.0).min(a * cut)).exp()),
            ("no box", &|n| ((-a * n.sqrt()).exp() - base).max(0.0)),
            ("one step too few", &|n| (-a * n.sqrt().min(cut - 1.0)).exp()),
        ];
        for (what, weight) in mutants {
            let wrong = cells.draw(s, &cells.law(&record, weight));
            reject(&format!("{name}, {what}"), cells.fit(&record, &wrong, &target));
        }
        let mut moved = record.clone();
        moved[0] = if moved[0] == 0 { 1 } else { moved[0] - 1 };
        reject(&format!("{name}, another record"), cells.fit(&record, &reports(&law, s, &moved, DRAWS), &target));
        accept(&format!("{name}, listed"), cells.fit(&record, &cells.draw(s, &target), &target));
    }
}

#[test]
fn forced_draws_equal_fast_draws() {
    for (decay, side, radius, dims, n) in [
        (ratio(4, 65_534), 65_534, 262_136, 1_usize, 300),
        (ratio(1, 65_534_000), 65_534, 262_136, 1, 200),
        (ratio(1, 2), 4, 8, 2, 400),
        (ratio(4, 65_534), 65_534, 267_378, 2, 300),
        (ratio(4, 65_534), 65_534, 560_000, 10, 200),
        (ratio(4, 65_534), 65_534, 655_340_000_000, 10, 100),
    ] {
        let fast = EuclideanLaplace::new(decay.clone(), dims, side, radius).unwrap();
        let slow = fast.clone().exact_only();
        let (mut a, mut b) = (SeededNoise::new(72), SeededNoise::new(72));
        let record: Vec<i64> = (0..dims as i64).map(|i| i * 7919 % (side as i64 + 1)).collect();
        let (mut x, mut y) = (vec![0; dims], vec![0; dims]);
        for _ in 0..n {
            fast.sample(&mut a, &record, &mut x);
            slow.sample(&mut b, &record, &mut y);
            assert_eq!(x, y, "decay {decay}, d = {dims}");
        }
        assert_eq!(a.next_u64(), b.next_u64());
    }
}

/// Every corner of the parameters gives reports inside the box, in reasonable time.
#[test]
fn extremes() {
    let mut s = SeededNoise::new(73);
    for dims in [1_usize, 2, 10, 100, 1000, 1024] {
        for epsilon in [ratio(1, 1000), ratio(1, 1), ratio(4, 1), ratio(100, 1)] {
            for radius in [1_u64, 655, 65_534, 4 * 65_534, 65_534 * 2000, 65_534 * 10_000_000] {
                let side = 65_534_u64;
                let decay = &epsilon / RBig::from(side);
                let law = EuclideanLaplace::new(decay.clone(), dims, side, radius).unwrap();
                let fast = EuclideanLaplaceDoubles::new(decay, dims, side, radius).unwrap();
                let name = format!("d = {dims}, ε = {epsilon}, radius {radius}");
                assert!(law.acceptance() > 0.3, "{name}: {} kept", law.acceptance());
                assert!((0.0..=1.0).contains(&fast.uniform_share()));
                let (record, mut x) = (vec![side as i64; dims], vec![0; dims]);
                for _ in 0..5 {
                    law.sample(&mut s, &record, &mut x);
                    assert!(x.iter().all(|&x| x >= -(radius as i64) && x <= (side + radius) as i64), "{name}");
                    fast.sample(&mut s, &record, &mut x);
                    assert!(x.iter().all(|&x| x >= -(radius as i64) && x <= (side + radius) as i64), "{name}");
                }
            }
        }
    }
    // The largest lattice, the smallest and the largest decay.
    let most = 1_u64 << 52;
    for decay in [ratio(1, most), ratio(1 << 52, 1), RBig::from(10_u8).pow(400)] {
        let law = EuclideanLaplace::new(decay.clone(), 3, most, most).unwrap();
        let mut x = [0; 3];
        law.sample(&mut s, &[0, 5, most as i64], &mut x);
        assert!(decay < RBig::ONE || x == [0, 5, most as i64]);
    }
}

#[test]
fn bad_parameters() {
    type New = fn(RBig, usize, u64, u64) -> Option<NoiseError>;
    let exact: New = |a, d, m, l| EuclideanLaplace::new(a, d, m, l).err();
    let doubles: New = |a, d, m, l| EuclideanLaplaceDoubles::new(a, d, m, l).err();
    for new in [exact, doubles] {
        let a = ratio(1, 10);
        assert!(matches!(new(ratio(0, 1), 2, 5, 5), Some(NoiseError::NonPositiveDecay { .. })));
        assert!(matches!(new(ratio(-1, 3), 2, 5, 5), Some(NoiseError::NonPositiveDecay { .. })));
        assert!(matches!(new(ratio(1, (1 << 52) + 1), 2, 5, 5), Some(NoiseError::ScaleTooLarge { .. })));
        assert_eq!(new(a.clone(), 0, 5, 5), Some(NoiseError::NoDimensions));
        assert_eq!(new(a.clone(), 1025, 5, 5), Some(NoiseError::TooManyDimensions { given: 1025, max: 1024 }));
        assert_eq!(new(a.clone(), 2, 0, 5), Some(NoiseError::ZeroSide));
        assert_eq!(new(a.clone(), 2, 5, 0), Some(NoiseError::ZeroRadius));
        for (side, radius) in [(5, (1 << 52) + 1), ((1 << 52) + 1, 5), (u64::MAX, u64::MAX)] {
            assert!(matches!(new(a.clone(), 2, side, radius), Some(NoiseError::BoxTooLarge { .. })));
        }
        assert_eq!(new(a, 2, 5, 5), None);
    }
}

#[test]
fn bad_records_panic() {
    let law = EuclideanLaplace::new(ratio(1, 2), 2, 4, 3).unwrap();
    let fast = EuclideanLaplaceDoubles::new(ratio(1, 2), 2, 4, 3).unwrap();
    for (record, len) in [(vec![0_i64], 2_usize), (vec![0, 0], 1), (vec![0, 5], 2), (vec![-1, 0], 2), (vec![0; 3], 3)] {
        let exact = std::panic::catch_unwind(|| law.sample(&mut SeededNoise::new(1), &record, &mut vec![0; len]));
        let doubles = std::panic::catch_unwind(|| fast.sample(&mut SeededNoise::new(1), &record, &mut vec![0; len]));
        assert!(exact.is_err() && doubles.is_err(), "{record:?}");
    }
}
