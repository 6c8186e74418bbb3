//! Bounded Euclidean noise on the lattice it is made for: distances, share inside the ball and directions, for the
//! exact sampler and for the one through doubles.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{DiscreteGaussian, EuclideanLaplace, EuclideanLaplaceDoubles, NoiseSource, uniform};
use statrs::function::gamma::{gamma_lr, ln_gamma};

const SIDE: u64 = 65_534;
const N: usize = 40_000;
const DIMENSIONS: [usize; 6] = [1, 2, 3, 8, 16, 50];
const EPSILON: f64 = 4.0;

/// Either sampler.
enum Law {
    Exact(EuclideanLaplace),
    Doubles(EuclideanLaplaceDoubles),
}

impl Law {
    fn both(epsilon: f64, dims: usize, radius: u64) -> [Self; 2] {
        let decay = RBig::try_from(epsilon).unwrap() / RBig::from(SIDE);
        [
            Self::Exact(EuclideanLaplace::new(decay.clone(), dims, SIDE, radius).unwrap()),
            Self::Doubles(EuclideanLaplaceDoubles::new(decay, dims, SIDE, radius).unwrap()),
        ]
    }

    fn name(&self) -> &str {
        match self {
            Self::Exact(_) => "exact",
            Self::Doubles(_) => "doubles",
        }
    }

    /// Differences of reports from their records.
    fn moves(&self, s: &mut dyn NoiseSource, dims: usize) -> Vec<Vec<f64>> {
        (0..N)
            .map(|_| {
                let record: Vec<i64> = (0..dims).map(|_| uniform::below(s, SIDE + 1) as i64).collect();
                let mut x = vec![0; dims];
                match self {
                    Self::Exact(law) => law.sample(s, &record, &mut x),
                    Self::Doubles(law) => law.sample(s, &record, &mut x),
                }
                x.iter().zip(&record).map(|(x, v)| (x - v) as f64).collect()
            })
            .collect()
    }
}

fn norm(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum::<f64>().sqrt()
}

/// A two-sided normal p-value of a mean whose terms have mean `mean` and variance `variance`.
fn z_test(values: impl Iterator<Item = f64>, mean: f64, variance: f64) -> f64 {
    let (mut n, mut sum) = (0.0, 0.0);
    values.for_each(|v| {
        n += 1.0;
        sum += v - mean;
    });
    libm::erfc(sum.abs() / (2.0 * n * variance).sqrt())
}

/// Kolmogorov and Smirnov: the largest gap between the draws and their distribution function.
fn ks(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    draws.sort_by(f64::total_cmp);
    let n = draws.len() as f64;
    let gap = draws
        .iter()
        .enumerate()
        .map(|(i, &r)| {
            let p = cdf(r);
            (p - i as f64 / n).abs().max((p - (i + 1) as f64 / n).abs())
        })
        .fold(0.0, f64::max);
    let x = gap * n.sqrt();
    if x < 0.3 {
        return 1.0;
    }
    (1..100).map(f64::from).map(|k| if k % 2.0 == 1.0 { 2.0 } else { -2.0 } * (-2.0 * k * k * x * x).exp()).sum()
}

/// p_L, the mass inside the ball, from the formula of the mechanism's paper with the lattice's box.
fn inside_share(epsilon: f64, dims: usize, radius: u64) -> f64 {
    let (d, k, l) = (dims as f64, epsilon, radius as f64 / SIDE as f64);
    let width = (SIDE + 1 + 2 * radius) as f64 / SIDE as f64;
    let ln_volume = d / 2.0 * std::f64::consts::PI.ln() - ln_gamma(d / 2.0 + 1.0);
    // S_d = d V_d.
    let ball = (ln_volume + d.ln() + ln_gamma(d) - d * k.ln()).exp() * gamma_lr(d, k * l);
    let outside = (-k * l).exp() * (width.powf(d) - ln_volume.exp() * l.powf(d));
    ball / (ball + outside)
}

/// The three tests of a set of moves: share inside, distances inside, directions inside.
fn tests(zs: &[Vec<f64>], dims: usize, radius: u64) -> [(&'static str, f64); 3] {
    let (d, k, l) = (dims as f64, EPSILON, radius as f64);
    let share = inside_share(k, dims, radius);
    let p_inside = z_test(zs.iter().map(|z| f64::from(u8::from(norm(z) <= l))), share, share * (1.0 - share));
    let inside: Vec<&Vec<f64>> = zs.iter().filter(|z| norm(z) <= l).collect();
    let whole = gamma_lr(d, k * l / SIDE as f64);
    let p_radius =
        ks(inside.iter().map(|z| norm(z)).collect(), |r| gamma_lr(d, (k * r / SIDE as f64).max(1e-9)) / whole);
    [("inside", p_inside), ("radius", p_radius), ("direction", directions(&inside, dims))]
}

/// First, second and fourth moments of every coordinate of the direction, the product of every two neighbours, signs;
/// the worst of them, corrected for looking at all.
fn directions(inside: &[&Vec<f64>], dims: usize) -> f64 {
    let d = dims as f64;
    let units: Vec<Vec<f64>> = inside
        .iter()
        .filter(|z| norm(z) > 0.0)
        .map(|z| {
            let r = norm(z);
            z.iter().map(|z| z / r).collect()
        })
        .collect();
    let mut ps = Vec::new();
    let fourth = 3.0 / (d * (d + 2.0));
    let eighth = 105.0 / (d * (d + 2.0) * (d + 4.0) * (d + 6.0));
    for i in 0..dims {
        if inside.iter().all(|z| z[i] == 0.0) {
            return 0.0;
        }
        let column = || units.iter().map(move |u| u[i]);
        ps.push(z_test(column(), 0.0, 1.0 / d));
        ps.push(symmetry(&inside.iter().map(|z| z[i] as i64).collect::<Vec<_>>()));
        if dims > 1 {
            ps.push(z_test(column().map(|u| u * u), 1.0 / d, fourth - 1.0 / (d * d)));
            ps.push(z_test(column().map(|u| u.powi(4)), fourth, eighth - fourth * fourth));
            let next = (i + 1) % dims;
            ps.push(z_test(units.iter().map(|u| u[i] * u[next]), 0.0, 1.0 / (d * (d + 2.0))));
        }
    }
    ps.iter().copied().fold(1.0, f64::min) * ps.len() as f64
}

/// The radius with four fifths of the reports inside of the ball.
fn radius_for(dims: usize) -> u64 {
    let (mut few, mut many) = (1, 500 * SIDE);
    while many - few > 1 {
        let middle = few + (many - few) / 2;
        if inside_share(EPSILON, dims, middle) < 0.8 { few = middle } else { many = middle }
    }
    many
}

#[test]
fn distances_shares_and_directions() {
    let mut s = source(81);
    let s = &mut *s;
    for dims in DIMENSIONS {
        let radius = radius_for(dims);
        for law in Law::both(EPSILON, dims, radius) {
            for (what, p) in tests(&law.moves(s, dims), dims, radius) {
                accept(&format!("{}, d = {dims}, {what}", law.name()), p);
            }
        }
        for epsilon in [EPSILON * 1.1, EPSILON * 0.9] {
            for law in Law::both(epsilon, dims, radius) {
                let worst = tests(&law.moves(s, dims), dims, radius);
                reject(&format!("{}, d = {dims}, ε = {epsilon}", law.name()), worst[0].1.min(worst[1].1));
            }
        }
        for law in Law::both(EPSILON, dims + 1, radius) {
            let zs: Vec<Vec<f64>> = law.moves(s, dims + 1).iter().map(|z| z[..dims].to_vec()).collect();
            let worst = tests(&zs, dims, radius);
            reject(&format!("{}, d = {dims}, a dimension more", law.name()), worst[0].1.min(worst[1].1));
        }
    }
}

/// With a radius that nearly no report leaves, the distance has the whole gamma distribution.
#[test]
fn a_huge_radius_is_laplace_noise_in_space() {
    let mut s = source(82);
    for (dims, radius) in [(1_usize, SIDE * 10_000_000), (3, SIDE * 10_000_000), (20, SIDE * 1000)] {
        for law in Law::both(EPSILON, dims, radius) {
            let zs = law.moves(&mut *s, dims);
            assert!(zs.iter().all(|z| norm(z) < radius as f64));
            let radii = |zs: &[Vec<f64>]| zs.iter().map(|z| norm(z) * EPSILON / SIDE as f64).collect::<Vec<f64>>();
            accept(law.name(), ks(radii(&zs), |r| gamma_lr(dims as f64, r.max(1e-9))));
            reject("a dimension more", ks(radii(&zs), |r| gamma_lr(dims as f64 + 1.0, r.max(1e-9))));
            reject("rate x 1.1", ks(radii(&zs), |r| gamma_lr(dims as f64, (r * 1.1).max(1e-9))));
        }
    }
}

/// Wrong directions with right distances.
#[test]
fn wrong_directions_are_rejected() {
    let mut s = source(83);
    let s = &mut *s;
    for dims in DIMENSIONS.into_iter().skip(1) {
        let radius = radius_for(dims);
        let [law, _] = Law::both(EPSILON, dims, radius);
        let zs = law.moves(s, dims);
        let mut p = |change: &mut dyn FnMut(&mut dyn NoiseSource, &mut Vec<f64>)| {
            let mut wrong = zs.clone();
            for z in &mut wrong {
                let r = norm(z);
                change(s, z);
                let stretch = r / norm(z).max(1e-9);
                z.iter_mut().for_each(|z| *z *= stretch);
            }
            tests(&wrong, dims, radius)[2].1
        };
        let name = |what: &str| format!("d = {dims}, {what}");
        let gauss = DiscreteGaussian::new(RBig::from(1_u64 << 40)).unwrap();
        let fresh = p(&mut |s, z| z.iter_mut().for_each(|z| *z = gauss.sample(s) as f64));
        accept(&name("fresh normals"), fresh);
        let cube = p(&mut |s, z| z.iter_mut().for_each(|z| *z = 2.0 * uniform::unit_f64(s) - 1.0));
        reject(&name("a cube"), cube);
        reject(&name("a coordinate in the clear"), p(&mut |_, z| z[1] = 0.0));
        reject(&name("a coordinate scaled by 0.9"), p(&mut |_, z| z[0] *= 0.9));
        reject(&name("equal coordinates"), p(&mut |_, z| z[0] = z[1]));
        reject(&name("missing sign"), p(&mut |_, z| z[dims - 1] = z[dims - 1].abs()));
    }
}
