//! The range of the blocks' centres: what it costs, where it lies, and what the clamp takes away.

use super::*;
use shoal_curator::internals::OutputQuartilesMechanism;
use shoal_noise::ExponentialChoice;

/// Seven values that coordinates of blocks may have.
const PLACES: [i16; 7] = [-32_767, -20_000, -9000, 0, 9000, 20_000, 32_767];

/// The exact worst log-ratio between what is chosen for blocks of one coordinate, when one block changes from any value to
/// any other, with a sampler that `law` makes from the scores; over both quartiles.
fn worst_loss(law: impl Fn(&[i128]) -> ExponentialChoice) -> f64 {
    let quartiles = OutputQuartilesMechanism::new(1, &"1".parse().unwrap()).unwrap();
    let mut random = SeededNoise::new(9);
    let mut worst = 0.0f64;
    for case in 0..60 {
        // The worst that there is has its other blocks in the middle: both ends change, one up and the other down.
        let others: Vec<Vec<i16>> = match case {
            0..6 => vec![vec![0]; 3 + 3 * case],
            _ => (0..3 + below(&mut random, 9)).map(|_| vec![PLACES[below(&mut random, 7) as usize]]).collect(),
        };
        for (u, v) in [(0, 6), (1, 5), (0, 3), (3, 6), (2, 4)] {
            let with = |place: usize| [&others[..], &[vec![PLACES[place]]]].concat();
            let [first, second] = [u, v].map(|place| quartiles.scores(&with(place)));
            for (a, b) in first.iter().zip(&second) {
                let (first, second) = (law(a), law(b));
                let ratios = (0..a.len()).map(|c| (first.ln_pmf(c) - second.ln_pmf(c)).abs());
                worst = ratios.fold(worst, f64::max);
            }
        }
    }
    worst
}

#[test]
fn quartiles_of_outputs_lose_no_more_than_they_are_charged() {
    for (epsilon, coordinates) in [("0.05", 1), ("1", 6), ("3", 40)] {
        let mechanism = OutputQuartilesMechanism::new(coordinates, &epsilon.parse().unwrap()).unwrap();
        assert_eq!(mechanism.claim().loss, Loss::Pure(epsilon.parse().unwrap()), "{coordinates} coordinates");
    }
    // One of the two choices of a coordinate gets half of ε.
    let sampler = |sensitivity: u8, kind| {
        let half = RBig::from_parts(1.into(), 2u8.into());
        let law = ExponentialMechanism::new(&half, &RBig::from(sensitivity), kind).unwrap();
        move |scores: &[i128]| law.prepare(scores).unwrap()
    };
    let fair = worst_loss(sampler(4, ScoreKind::General));
    assert!(fair <= 0.5 * (1.0 + 1e-9), "loses {fair}");
    assert!(fair > 0.45, "the cases are too tame: {fair}");
    // The mutants: the sensitivity of a row that is added, one that is half as large, and GUPT's weights.
    for (sensitivity, kind) in [(3, ScoreKind::General), (2, ScoreKind::General), (4, ScoreKind::Monotone)] {
        let mutant = worst_loss(sampler(sensitivity, kind));
        assert!(mutant > 0.55, "the mutant with Δ = {sensitivity} loses {mutant} only");
    }
}

#[test]
fn quartiles_of_outputs_are_where_they_should_be() {
    // Block b hands in 60·b for one coordinate and a narrow range for the other.
    let results: Vec<Vec<i16>> = (0..1000).map(|b| vec![60 * (b - 500), 4000 + b]).collect();
    let mechanism = OutputQuartilesMechanism::new(2, &"8".parse().unwrap()).unwrap();
    let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
    let noisy = accountant.release(Sensitive::new(results), mechanism.with(&mut SeededNoise::new(4))).unwrap();
    let at = |position: usize| position as f64 * 16.0 - f64::from(HALF_WIDTH);
    let found: Vec<f64> = noisy.into_inner().into_iter().map(at).collect();
    let ranks = [(found[0] / 60.0 + 500.0, 250.0), (found[1] / 60.0 + 500.0, 750.0)];
    let most = mechanism.rank_error();
    assert!(most < 60.0 && ranks.iter().all(|(rank, wanted)| (rank - wanted).abs() <= most), "{ranks:?}, {most}");
    assert!((found[2] - 4250.0).abs() <= most + 16.0 && (found[3] - 4750.0).abs() <= most + 16.0, "{found:?}");
}

#[test]
fn a_range_is_that_of_gupt_within_the_bounds() {
    // Quartiles 10 positions of 16 units apart, around 0; 4·8^(13/30) = 9.85, rounded up.
    let range = OutputRange::around([2043, 2052], 8);
    assert_eq!(range.width(), 2 * 10 * 160);
    // In either order, and never beyond the bounds.
    assert_eq!(OutputRange::around([2052, 2043], 8), range);
    for quartiles in [[0, 4095], [4095, 4095], [0, 0], [0, 1]] {
        for blocks in [1, 100, u64::MAX] {
            let range = OutputRange::around(quartiles, blocks);
            assert!(range.width() >= 16 && range.width() <= 2 * HALF_WIDTH as u32, "{quartiles:?}: {range:?}");
        }
    }
    assert_eq!(OutputRange::around([0, 4095], 1), OutputRange::FULL);
}

/// Root mean square over runs of a centre's error, and of what is reported for it, in widths.
fn measured_and_reported(params: &GkmParams, rows: &[Vec<i16>], exact: [f64; 2], runs: u64) -> [f64; 2] {
    let mut squares = [0.0, 0.0];
    for seed in 0..runs {
        let outcome = run(params.clone(), 2, rows, seed);
        for (a, exact) in exact.iter().enumerate() {
            // Interval widths are two box units.
            squares[0] += ((outcome.centres[0][a].0 - exact) / 2.0).powi(2);
            squares[1] += outcome.noise_per_centre[0][a].0.powi(2);
        }
    }
    squares.map(|sum| (sum / (2 * runs) as f64).sqrt())
}

#[test]
fn the_reported_error_is_that_of_the_noise_where_nothing_is_cut_off() {
    // One centre between two groups, and few enough blocks that their own spread does not count.
    let rows = groups(&[&[-0.6, 0.4], &[0.4, -0.6]], 1500);
    let few = |range, epsilon: &str| GkmParams { range, blocks: Blocks::Given(100), ..params(1, epsilon, 3000) };
    let exact = [0, 1].map(|a| rows.iter().map(|row| f64::from(row[a])).sum::<f64>() / f64::from(HALF_WIDTH) / 3000.0);
    for rule in [RangeRule::Full, RangeRule::Outputs] {
        let [measured, reported] = measured_and_reported(&few(rule, "1"), &rows, exact, 200);
        let ratio = measured / reported;
        assert!((0.8..1.2).contains(&ratio), "{rule:?}: measured {measured}, reported {reported}");
        // An error that is reported for another amount of noise is noticed.
        for wrong in ["0.6", "1.6"] {
            let [_, wrong] = measured_and_reported(&few(rule, wrong), &rows, exact, 10);
            assert!(!(0.8..1.2).contains(&(measured / wrong)), "{rule:?}: {wrong} passes for {measured}");
        }
    }
    // The whole range gets all of ε, so its noise is half of that for a range as wide that had to be found.
    let [full, outputs] = [RangeRule::Full, RangeRule::Outputs]
        .map(|rule| Gkm::new(few(rule, "1"), 2).unwrap().expected_error(3000.0).center_rmse.0);
    assert!((full / (2f64.sqrt() * 2.0 / 100.0) - 1.0).abs() < 0.01, "{full}");
    assert!((outputs / full - 2.0).abs() < 0.01, "{outputs}");
}

#[test]
fn the_reported_error_includes_what_the_range_cuts_off() {
    // Nine rows of ten near one place, one at the rim: both quartiles are near the first place.
    let near = |i: i32, at: i32| (at - 500 + i * 7919 % 1000) as i16;
    let rows: Vec<Vec<i16>> = (0..9000)
        .map(|i| if i % 10 == 0 { vec![30_000, 29_000] } else { vec![near(i, -9000), near(i, -8000)] })
        .collect();
    let exact = [0, 1].map(|a| rows.iter().map(|row| f64::from(row[a])).sum::<f64>() / f64::from(HALF_WIDTH) / 9000.0);
    let with = |range| GkmParams { range, blocks: Blocks::Given(900), ..params(1, "4", 9000) };
    let of = |rule| measured_and_reported(&with(rule), &rows, exact, 12);
    let [measured, reported] = of(RangeRule::Quartiles);
    assert!(measured > 0.05, "the clamp costs something: {measured}");
    assert!(reported > 0.8 * measured, "reported {reported}, measured {measured}");
    // The mutant: the noise alone.
    let quartiles = run(with(RangeRule::Quartiles), 2, &rows, 1);
    let Some(Decision::Blocks { range, .. }) = quartiles.decisions.last() else { panic!("no decision about blocks") };
    let noise_alone = 2f64.sqrt() * range * 2.0 / (900.0 * 2.0);
    assert!(noise_alone < 0.1 * measured, "{noise_alone}");
    // What the outputs decide does not cut them off, and neither does the whole range.
    for rule in [RangeRule::Outputs, RangeRule::Full] {
        assert!(of(rule)[0] < 0.02, "{rule:?}: {:?}", of(rule));
    }
    // Before a run quartiles are expected to cost more than the noise.
    let before = |rule| Gkm::new(with(rule), 2).unwrap().expected_error(9000.0).center_rmse.0;
    assert!(before(RangeRule::Quartiles) > 0.1 && before(RangeRule::Full) < 0.01);
}

#[test]
fn the_bias_is_bounded_by_what_was_released() {
    let quarter = OutputRange::between(-16_384, 16_384);
    // In the middle, half of the blocks may lie beyond either end, half a box half-width away.
    let middle = quarter.bias(0.0, 1.0).0;
    assert!((middle - 0.125 / 3f64.sqrt()).abs() < 1e-3, "{middle}");
    // At an end all of them may lie beyond it, and none beyond the other.
    for end in [16_384.0, -16_384.0, 1e9] {
        assert!((quarter.bias(end, 1.0).0 - 0.25 / 3f64.sqrt()).abs() < 1e-3);
        assert!((quarter.bias(end, 0.25).0 - 0.25 * 0.25 / 3f64.sqrt()).abs() < 1e-3);
    }
    assert_eq!(OutputRange::FULL.bias(123.0, 1.0).0, 0.0);
}

#[test]
fn no_share_is_taken_for_a_range_that_costs_nothing() {
    use shoal_curator::{Knobs, Settings, find_method};
    let build = |knobs| {
        let settings = Settings { knobs, ..Settings::new(2, "1".parse().unwrap(), DesignSize::Public(100)) };
        find_method("gkm").unwrap().build(&settings, 2).map(drop)
    };
    let (full, share) = (Some(RangeRule::Full), Some(Amount::ratio(1, 3)));
    let refused = build(Knobs { range: full, range_share: share.clone(), ..Knobs::default() }).unwrap_err();
    assert!(matches!(refused, FitError::Parameter { what: Parameter::RANGE_SHARE, .. }), "{refused}");
    assert!(build(Knobs { range: full, ..Knobs::default() }).is_ok());
    assert!(build(Knobs { range: Some(RangeRule::Quartiles), range_share: share, ..Knobs::default() }).is_ok());
}
