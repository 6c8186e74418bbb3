//! A pass against sums written down in double precision, and against itself on other machines.

use shoal_noise::{NoiseSource, SeededNoise, uniform};

use super::*;
use shoal_device::NoiseLaw;

const LAWS: [NoiseLaw; 2] = [NoiseLaw::Radial { rate: 6.0, radius: 1.5 }, NoiseLaw::PerAttribute { scale: 0.2 }];

/// Reports, a mixture and tables at random.
fn example(law: NoiseLaw, rows: usize, dims: usize, k: usize, random: &mut SeededNoise) -> Example {
    let mut draw = |from: f64, to: f64| from + (to - from) * uniform::unit_f64(random);
    let values: Vec<f64> = (0..rows * dims).map(|_| draw(-1.0, 2.0)).collect();
    let points = ReportPoints::from_rows(dims, &values);
    let tables = Profiles::new(law, dims, points.reach(), vec![0.0, 0.05, 0.2]);
    let weights: Vec<f64> = (0..k).map(|_| draw(0.1, 1.0)).collect();
    let total: f64 = weights.iter().sum();
    let mixture = Mixture {
        dims,
        centres: (0..k * dims).map(|_| draw(0.0, 1.0)).collect(),
        ln_weights: weights.iter().map(|w| (w / total).ln()).collect(),
        widths: (0..k).flat_map(|_| vec![(random.next_u64() % 3) as usize; dims]).collect(),
        variances: Vec::new(),
        levels: Vec::new(),
    };
    Example { points, tables, mixture }
}

struct Example {
    points: ReportPoints,
    tables: Profiles,
    mixture: Mixture,
}

/// What a pass should find, report by report and straight from the values at the knots.
fn naive(example: &Example, by_distance: ByDistance) -> Sums {
    let Example { points, tables, mixture } = example;
    let (k, dims) = (mixture.k(), mixture.dims);
    let mut sums = Sums::new(mixture, tables.per_attribute, by_distance);
    let knot = |i: usize| (i as f64 * tables.spacing).powi(2);
    for row in 0..points.rows() {
        let x = points.row(row);
        let mut logs = mixture.ln_weights.clone();
        let mut places = vec![Vec::new(); k];
        for j in 0..k {
            let squares: Vec<f64> = (0..dims).map(|i| (x[i] - mixture.centres[j * dims + i]).powi(2)).collect();
            let squares = if tables.per_attribute { squares } else { vec![squares.iter().sum()] };
            for squared in squares {
                let piece = ((squared.sqrt() / tables.spacing) as usize).min(PIECES - 1);
                let values = &tables.values[mixture.widths[j * dims]];
                let slope = (values[piece + 1] - values[piece]) / (knot(piece + 1) - knot(piece));
                logs[j] += values[piece] + slope * (squared - knot(piece));
                places[j].push((piece, squared - knot(piece), -2.0 * slope));
            }
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        sums.ln_likelihood += largest + total.ln();
        for j in 0..k {
            let share = (logs[j] - largest).exp() / total;
            sums.shares[j] += share;
            for (number, &(piece, excess, weight)) in places[j].iter().enumerate() {
                sums.pulls[if tables.per_attribute { j * dims + number } else { j }] += share * weight;
                if by_distance == ByDistance::PerCluster {
                    let [shares, into] = &mut sums.by_distance[j * PIECES + piece];
                    *shares += share;
                    *into += share * excess;
                }
            }
            for i in 0..dims {
                let weight = places[j][if tables.per_attribute { i } else { 0 }].2;
                sums.moments[j * dims + i] += share * weight * x[i];
            }
        }
    }
    sums
}

fn close(found: &[f64], truth: &[f64], what: &str) {
    assert_eq!(found.len(), truth.len());
    let size = truth.iter().map(|x| x.abs()).sum::<f64>() / truth.len() as f64;
    for (found, truth) in found.iter().zip(truth) {
        assert!((found - truth).abs() <= 3e-4 * (truth.abs() + size), "{what}: {found}, not {truth}");
    }
}

const SHAPES: [(usize, usize, usize); 6] =
    [(1, 1, 1), (17, 3, 2), (500, 2, 5), (1_000, 10, 10), (333, 4, 70), (4_500, 5, 3)];

#[test]
fn a_pass_agrees_with_its_definition() {
    let mut random = SeededNoise::new(31);
    for law in LAWS {
        for (rows, dims, k) in SHAPES {
            let example = example(law, rows, dims, k, &mut random);
            let Example { points, tables, mixture } = &example;
            let found = table_pass(points, mixture, tables, ByDistance::PerCluster);
            let truth = naive(&example, ByDistance::PerCluster);
            let what = |name: &str| format!("{name} of {rows} x {dims}, k = {k}, {law:?}");
            close(&[found.ln_likelihood], &[truth.ln_likelihood], &what("likelihood"));
            close(&found.shares, &truth.shares, &what("shares"));
            close(&found.pulls, &truth.pulls, &what("pulls"));
            close(&found.moments, &truth.moments, &what("moments"));
            // A report near a knot may be on either side of it, so the knots' scores are compared and not the pieces.
            let score = |sums: &Sums| -> Vec<f64> {
                let scores = |knots: &Vec<f64>| {
                    tables.values.iter().map(|v| v.iter().zip(knots).map(|(v, s)| v * s).sum()).collect::<Vec<f64>>()
                };
                sums.knots(tables.spacing).iter().flat_map(scores).collect()
            };
            close(&score(&found), &score(&truth), &what("scores by distance"));
            let together = table_pass(points, mixture, tables, ByDistance::Together);
            let sum = |sums: &Sums| {
                let all = score(sums);
                (0..3).map(|width| all.iter().skip(width).step_by(3).sum()).collect::<Vec<f64>>()
            };
            close(&sum(&together), &sum(&found), &what("scores of all"));
            assert_eq!((together.ln_likelihood, together.moments), (found.ln_likelihood, found.moments));
        }
    }
}

/// With AVX2 and without, the same bits.
#[test]
fn machines_agree() {
    let mut random = SeededNoise::new(32);
    for law in LAWS {
        for (rows, dims, k) in SHAPES {
            let Example { points, tables, mixture } = example(law, rows, dims, k, &mut random);
            for by_distance in [ByDistance::No, ByDistance::Together, ByDistance::PerCluster] {
                let portable = table_parts(&points, &mixture, &tables, by_distance, part::<Portable>);
                assert_eq!(table_pass(&points, &mixture, &tables, by_distance), portable, "{rows} x {dims}, k = {k}");
            }
        }
    }
}

/// Whatever the number of threads, the same bits, for a pass and for a whole fit.
#[test]
fn thread_counts_agree() {
    use crate::server::noise_aware::prior::Prior;
    use crate::server::noise_aware::{Estimate, NoiseAware, Width};
    let mut random = SeededNoise::new(33);
    for law in LAWS {
        let Example { points, tables, mixture } = example(law, 60_013, 6, 5, &mut random);
        let how = NoiseAware {
            k: 3,
            width: Width::Shared,
            prior: Prior::WEAK,
            starts: 6,
            passes: 10,
            estimate: Estimate::Mode,
        };
        let found = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let sums = table_pass(&points, &mixture, &tables, ByDistance::PerCluster);
                (sums, how.cluster(&points, law, &mut SeededNoise::new(5)))
            })
        });
        assert!(found[0] == found[1] && found[1] == found[2]);
    }
}

/// A pass with one standard deviation per attribute, against the scores of every report in double precision.
#[test]
fn a_pass_over_nodes_agrees_with_its_definition() {
    use crate::server::noise_aware::scores::{ScaleScores, Scores};
    let mut random = SeededNoise::new(34);
    for (law, rows, dims, k) in [
        (LAWS[0], 500, 2, 5),
        (LAWS[0], 333, 4, 3),
        (NoiseLaw::Radial { rate: 8.0, radius: 1e6 }, 1_000, 6, 4),
        (NoiseLaw::Radial { rate: 20.0, radius: 0.4 }, 200, 3, 2),
    ] {
        let Example { points, mixture, .. } = example(law, rows, dims, k, &mut random);
        let variances: Vec<f64> = (0..dims).map(|_| (0.01 + 0.2 * uniform::unit_f64(&mut random)).powi(2)).collect();
        let mixture = Mixture { widths: Vec::new(), variances, ..mixture };
        let scales = Scales::new(law, dims).unwrap();
        let mut truth = vec![0.0; k * dims + k + dims];
        let mut scores = ScaleScores::new(&mixture, &scales);
        for row in 0..rows {
            truth.iter_mut().zip(scores.of(&points.row(row), &[])).for_each(|(sum, score)| *sum += score);
        }
        let density = Density::Scales(scales.clone());
        let sums = pass(&points, &mixture, &density, ByDistance::No);
        let mut found: Vec<f64> =
            (0..k * dims).map(|at| sums.moments[at] - mixture.centres[at] * sums.pulls[at]).collect();
        found.extend((0..k).map(|j| sums.shares[j] - rows as f64 * mixture.ln_weights[j].exp()));
        found.extend((0..dims).map(|i| {
            let of_node = |(q, u): (usize, &f64)| {
                let precision = 1.0 / (u + mixture.variances[i]);
                precision * (sums.squares[q * dims + i] * precision - sums.by_node[q])
            };
            0.5 * mixture.variances[i] * scales.variances.iter().enumerate().map(of_node).sum::<f64>()
        }));
        close(&found, &truth, &format!("scores of {rows} x {dims}, k = {k}"));
        // The scores are the gradient of the logarithm of the likelihood.
        let moved = |at: usize, by: f64| {
            let mut moved = mixture.clone();
            moved.centres[at] += by;
            pass(&points, &moved, &density, ByDistance::No).ln_likelihood
        };
        for at in 0..k * dims {
            if matches!(law, NoiseLaw::Radial { radius, .. } if radius < 1e3) {
                break; // Where the decay ends the density has no slope.
            }
            let slope = (moved(at, 0.01) - moved(at, -0.01)) / 0.02;
            let size = truth.iter().map(|x| x.abs()).sum::<f64>() / truth.len() as f64;
            assert!((slope - truth[at]).abs() < 0.05 * (truth[at].abs() + size) + 0.5, "{slope}, not {}", truth[at]);
        }
    }
}
