//! What codes cost: distance errors against real codes, totals that are kept, and the crowd at the same total.

use shoal_consortium::price::{
    BETA, CrowdComparison, GRID, Price, afford, decoded, largest_per_bit, shrinkage, standard_deviation, theorem_6,
};
use shoal_consortium::{Anchors, Attribute, Flips, Limit, Partition, Promise, Scale, Terms};
use shoal_lattice::Interval;
use shoal_noise::{BitFlips, SeededNoise};
use shoal_privacy::{Amount, Epsilon};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn limit(e: &str, d: Option<&str>) -> Limit {
    Limit { epsilon: epsilon(e), delta: d.map(|d| d.parse().unwrap()) }
}

fn attributes(dims: usize, t: f64) -> Vec<Attribute> {
    let one = |i| Attribute::new(format!("c{i}"), Interval::new(0.0, 50.0).unwrap(), t).unwrap();
    (0..dims).map(one).collect()
}

fn dpbv(dims: usize, bits: u32, per_bit: &str) -> Terms {
    Terms::new(attributes(dims, 25.0), bits, Flips::PerBit(epsilon(per_bit)), Scale::Own).unwrap()
}

/// Distances decoded from real codes, anchors and flips drawn anew each time, in the attribute's unit.
fn decoded_distances(attribute: &Attribute, bits: u32, flips: Option<&BitFlips>, steps: i32, runs: usize) -> Vec<f64> {
    let mut noise = SeededNoise::new(77);
    let tau = flips.map_or(1.0, |f| 1.0 - 2.0 * f.probability());
    let (x, y) = (9_000, 9_000 + steps);
    (0..runs)
        .map(|_| {
            let anchors = Anchors::draw(attribute, bits, &mut noise);
            let mut flip = || flips.is_some_and(|f| f.sample(&mut noise) & 1 == 1);
            let hamming = (0..bits as usize).filter(|&i| (anchors.bit(i, x) ^ flip()) != (anchors.bit(i, y) ^ flip()));
            decoded(attribute, bits, tau, hamming.count() as u64) * attribute.step()
        })
        .collect()
}

#[test]
fn the_error_is_that_of_real_codes() {
    let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 10.0).unwrap();
    let runs = 20_000;
    for (bits, per_bit) in [(5, Some("1")), (50, Some("2")), (50, None)] {
        let flips = per_bit.map(|e| BitFlips::new(epsilon(e).amount().as_rational().clone()).unwrap());
        let tau = shrinkage(&per_bit.map_or(Flips::None, |e| Flips::PerBit(epsilon(e))));
        for steps in [0, 3_000, 2 * attribute.t_steps as i32] {
            let found = decoded_distances(&attribute, bits, flips.as_ref(), steps, runs);
            let mean = found.iter().sum::<f64>() / runs as f64;
            let spread = (found.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / runs as f64).sqrt();
            let sd = standard_deviation(&attribute, bits, tau, steps as u64);
            let truth = f64::from(steps) * attribute.step();
            assert!((mean - truth).abs() <= 5.0 * sd / (runs as f64).sqrt() + 1e-12, "{bits} bits, {steps}: {mean}");
            assert!((spread - sd).abs() <= 0.03 * sd, "{bits} bits, {steps} steps: {spread}, not {sd}");
            // Theorem 6 holds, and a formula with τ in place of τ² would be noticed.
            let bound = theorem_6(&attribute, bits, tau, BETA);
            let outside = found.iter().filter(|d| (*d - truth).abs() > bound).count() as f64 / runs as f64;
            assert!(outside <= BETA, "{bits} bits, {steps} steps: {outside} beyond the bound of Theorem 6");
            if tau < 1.0 {
                assert!((spread - sd * tau).abs() > 0.03 * sd, "a wrong formula passed");
            }
        }
    }
}

#[test]
fn totals_are_kept_and_used_up() {
    for (total, differing) in [
        (limit("1", None), 1000),
        (limit("1", None), 3),
        (limit("1", Some("1e-6")), 1000),
        (limit("20", Some("1e-6")), 4),
        (limit("20", Some("1e-6")), 2000),
        (limit("0.1", Some("1e-9")), 64_000),
        (limit("8", Some("1e-5")), 1),
    ] {
        let found = largest_per_bit(&total, differing).unwrap();
        let bits = u32::try_from(differing).unwrap();
        let kept = |per_bit: &Epsilon| {
            let terms = Terms::new(attributes(1, 25.0), bits, Flips::PerBit(per_bit.clone()), Scale::Own).unwrap();
            Promise::of_terms(&terms, Partition::Records, total.delta.as_ref()).unwrap().within(&total).is_ok()
        };
        assert!(kept(&found), "{total:?} × {differing}: {found} is too much");
        assert!(
            !kept(&found.times(&Amount::ratio(100_002, 100_000))),
            "{total:?} × {differing}: {found} is too little"
        );
        assert!(found.to_string().len() <= 11, "{found}");
    }
}

/// What the paper's bits come to at a sound total, and that few bits are best.
#[test]
fn the_quoted_figures_come_out() {
    let per_bit = largest_per_bit(&limit("1", Some("1e-6")), 64_000).unwrap();
    assert!((per_bit.to_f64_up() / 9.4e-4 - 1.0).abs() < 0.02, "{per_bit}");
    let tau = shrinkage(&Flips::PerBit(per_bit));
    let sd = standard_deviation(&attributes(1, 25.0)[0], 1000, tau, 0);
    assert!((sd / 3.6e6 - 1.0).abs() < 0.02, "{sd}");

    let found =
        afford(&limit("20", Some("1e-6")), &attributes(2, 25.0), Scale::Own, Partition::Records, Some(4)).unwrap();
    let at = |bits| found.rows.iter().find(|row| row.bits == bits).unwrap();
    assert_eq!(found.rows.len(), GRID.len() + 1);
    assert!((at(2).at_zero / 4.2 - 1.0).abs() < 0.02, "{}", at(2).at_zero);
    assert!((at(1000).at_zero / 603.0 - 1.0).abs() < 0.02, "{}", at(1000).at_zero);
    assert!(found.rows[found.best].bits <= 10, "{found:?}");
    assert!(found.rows.iter().all(|row| row.mean_absolute_error >= found.rows[found.best].mean_absolute_error));
    assert!(at(1000).mean_absolute_error > 10.0 * at(2).mean_absolute_error);
    for row in &found.rows {
        let terms = Terms::new(attributes(2, 25.0), row.bits, Flips::PerBit(row.epsilon_per_bit.clone()), Scale::Own);
        let total = limit("20", Some("1e-6"));
        let promise = Promise::of_terms(&terms.unwrap(), Partition::Records, total.delta.as_ref()).unwrap();
        assert!(promise.within(&total).is_ok(), "{row:?}");
    }
}

#[test]
fn a_price_holds_promise_and_error() {
    let price = Price::of_terms(&dpbv(2, 1000, "1"), Partition::Records, None).unwrap();
    assert_eq!(price.promise.pure, Some(epsilon("2000")));
    assert_eq!(price.attributes.len(), 2);
    assert!(price.attributes[0].theorem_6 > price.attributes[0].at_zero);
    assert!(price.mean_absolute_error < price.blind_error, "{price:?}");
    let noisy = Price::of_terms(&dpbv(2, 1000, "0.01"), Partition::Records, None).unwrap();
    assert!(noisy.mean_absolute_error > 10.0 * noisy.blind_error);
    let bare = Terms::new(attributes(2, 25.0), 1000, Flips::None, Scale::Own).unwrap();
    let bare = Price::of_terms(&bare, Partition::Records, None).unwrap();
    assert!(bare.mean_absolute_error < price.mean_absolute_error && bare.promise.pure.is_none());
    let pairs = Price::of_terms(&dpbv(2, 1000, "1"), Partition::Pairs { records: 100 }, None).unwrap();
    assert_eq!(pairs.promise.pure, Some(epsilon("396000")));
    assert!(pairs.attributes.len() == 1 && pairs.mean_absolute_error.is_finite());
    assert_eq!(price, Price::of_terms(&dpbv(2, 1000, "1"), Partition::Records, None).unwrap(), "no fresh randomness");
}

/// Eq. 24's error from the distributions is that of real codes in one attribute.
#[test]
fn the_simulated_error_is_that_of_equal_laws() {
    // |N(0, σ²)| has mean σ√(2/π); far values and many bits make every estimate near normal.
    let terms = Terms::new(attributes(1, 25.0), 1000, Flips::PerBit(epsilon("1")), Scale::Own).unwrap();
    let price = Price::of_terms(&terms, Partition::Records, None).unwrap();
    let sd = price.attributes[0].at_zero;
    // Estimates below zero are squared away, which only small distances feel.
    let expected = sd * (2.0 / std::f64::consts::PI).sqrt();
    assert!((price.mean_absolute_error / expected - 1.0).abs() < 0.15, "{} for {expected}", price.mean_absolute_error);
    assert!((price.mean_absolute_error / (2.0 * expected) - 1.0).abs() > 0.15, "twice the error would pass");
}

#[test]
fn the_crowd_is_held_to_the_same_total() {
    let sound = largest_per_bit(&limit("20", None), 2000).unwrap();
    let terms = Terms::new(attributes(2, 25.0), 1000, Flips::PerBit(sound), Scale::Own).unwrap();
    let against = CrowdComparison::new(&terms, Partition::Records, &epsilon("20")).unwrap();
    let (name, error) = against.crowd().unwrap();
    assert!(error < against.codes, "{against:?}");
    let sentence = against.sentence();
    assert!(sentence.starts_with("Reports serve better") && sentence.contains(name), "{sentence}");
    assert!(sentence.contains("error bars"));
    let bpm = against.bpm.unwrap();
    assert!(bpm.epsilon.to_f64_up() * bpm.radius.min(2_f64.sqrt()) <= 20.0);
    // Laplace at ε = 20 on two attributes has scale 0.1: distances off by about as much.
    assert!((0.03..0.3).contains(&against.laplace.unwrap()), "{:?}", against.laplace);
    let none = CrowdComparison::new(&terms, Partition::Records, &epsilon("1e-30")).unwrap();
    assert!(none.sentence().contains("no report"), "{}", none.sentence());
}

#[test]
fn every_value_of_the_grid_is_refused_or_priced_in_wide_records() {
    let found = afford(&limit("1", None), &attributes(64, 25.0), Scale::Range, Partition::Records, None).unwrap();
    assert_eq!(found.rows.len(), GRID.len());
    let pairs = afford(&limit("1", None), &attributes(4, 25.0), Scale::Range, Partition::Pairs { records: 1000 }, None)
        .unwrap();
    assert!(pairs.rows[0].epsilon_per_bit < epsilon("0.001"));
    assert!(found.rows.iter().all(|row| row.mean_absolute_error.is_finite()));
}
