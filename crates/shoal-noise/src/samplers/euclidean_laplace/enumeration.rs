//! One pass of the algorithm, summed over every pick and every proposal on small lattices.

use super::*;

/// Probability, up to a common factor, that a pass ends with each point of the box, from the very numbers the sampler
/// uses: its shares, rates and coins. `edge` leaves the second coin in place.
fn one_pass(law: &EuclideanLaplace, record: &[i64], edge: bool) -> Vec<f64> {
    let weights = in_common(&law.weights(700), 600);
    let picks: Vec<f64> =
        weights.iter().map(|w| approx_f64(&RBig::from_parts(w.low.clone().into(), UBig::ONE << w.bits))).collect();
    let total: f64 = picks.iter().sum();
    let mut passed = 0.0;
    for (pick, &low) in picks.iter().zip(&law.share_low) {
        passed += pick / total;
        assert!((passed - low as f64 / (1_u64 << 63) as f64).abs() < 1e-14, "shares do not follow the weights");
    }
    let points = points(law);
    points
        .iter()
        .map(|x| {
            let square: u128 = x.iter().zip(record).map(|(x, v)| u128::from(x.abs_diff(*v)).pow(2)).sum();
            let mut chance = picks[law.bands.len()] / points.len() as f64;
            for (band, pick) in law.bands.iter().zip(&picks) {
                if square >= u128::from(band.inner).pow(2) && square < u128::from(band.outer).pow(2) {
                    let t = band.rate_f64();
                    let theta: f64 = 1.0 + 2.0 * (1..2000).map(|k| (-t * f64::from(k * k)).exp()).sum::<f64>();
                    let proposed = (-t * square as f64).exp() / theta.powi(law.parameters.dims as i32);
                    let kept = (-band.estimate(square)).exp() * if edge { law.edge_chance(square) } else { 1.0 };
                    chance += pick * proposed * kept;
                }
            }
            chance
        })
        .collect()
}

/// Every point of the box.
fn points(law: &EuclideanLaplace) -> Vec<Vec<i64>> {
    lattice(
        law.parameters.dims,
        -law.parameters.radius.cast_signed(),
        (law.parameters.side + law.parameters.radius).cast_signed(),
    )
}

fn lattice(dims: usize, from: i64, to: i64) -> Vec<Vec<i64>> {
    (0..dims).fold(vec![vec![]], |all, _| {
        all.iter().flat_map(|x| (from..=to).map(|z| x.iter().copied().chain([z]).collect::<Vec<_>>())).collect()
    })
}

fn distance_between(x: &[i64], v: &[i64]) -> f64 {
    x.iter().zip(v).map(|(x, v)| ((x - v) * (x - v)) as f64).sum::<f64>().sqrt()
}

fn normalised(mut weights: Vec<f64>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    weights
}

fn laws() -> Vec<EuclideanLaplace> {
    let mut laws = Vec::new();
    for (top, bottom) in [(1_u64, 20_u64), (1, 2), (1, 1), (5, 2), (30, 1)] {
        for (dims, side, radius) in [(1, 4, 8), (1, 1, 1), (2, 3, 8), (2, 1, 2), (2, 2, 5), (3, 1, 4), (3, 2, 3)] {
            let decay = RBig::from_parts(top.into(), bottom.into());
            laws.push(EuclideanLaplace::new(decay, dims, side, radius).unwrap());
        }
    }
    laws
}

#[test]
fn a_pass_has_the_law() {
    let mut bands = 0;
    for law in laws() {
        bands = bands.max(law.bands());
        let name = format!(
            "d = {}, m = {}, radius {}, decay {}",
            law.parameters.dims, law.parameters.side, law.parameters.radius, law.parameters.decay
        );
        for record in lattice(law.parameters.dims, 0, law.parameters.side.cast_signed()) {
            let cut = law.parameters.radius as f64;
            let target: Vec<f64> =
                points(&law).iter().map(|x| (-law.decay_f64 * distance_between(x, &record).min(cut)).exp()).collect();
            let target = normalised(target);
            let worst =
                |pass: Vec<f64>| normalised(pass).iter().zip(&target).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
            let off = worst(one_pass(&law, &record, true));
            assert!(off < 1e-12, "{name}, record {record:?}: off by {off:e}");
            if law.decay_f64 * cut < 20.0 {
                assert!(worst(one_pass(&law, &record, false)) > 1e-9, "{name}: the second coin is never missed");
            }
        }
    }
    assert!(bands > 2, "no lattice was cut into bands");
}

/// The loss of every pair of records is at most their distance times the decay, and close to it where both fit.
#[test]
fn loss_over_all_records_and_reports() {
    for law in laws() {
        let records = lattice(law.parameters.dims, 0, law.parameters.side.cast_signed());
        let passes: Vec<Vec<f64>> = records.iter().map(|v| normalised(one_pass(&law, v, true))).collect();
        for (v, p) in records.iter().zip(&passes) {
            for (w, q) in records.iter().zip(&passes).filter(|(w, _)| *w != v) {
                let promised = law.decay_f64 * distance_between(v, w).min(law.parameters.radius as f64);
                let worst = p.iter().zip(q).map(|(p, q)| (p / q).ln()).fold(f64::MIN, f64::max);
                assert!(worst <= promised + 1e-12 * promised.max(1.0), "{v:?} and {w:?}: {worst} above {promised}");
                // The report x = v itself attains it.
                assert!(worst >= 0.999 * promised, "{v:?} and {w:?}: {worst} far below {promised}");
            }
        }
    }
}
