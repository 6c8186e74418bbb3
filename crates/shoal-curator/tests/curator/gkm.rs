//! GkM keeps its promise, adds up to what it was given, and clusters.

mod ranges;
mod runs;

use crate::curator_support::{groups, run_seeded, table as scan};
use dashu_ratio::RBig;
use shoal_curator::internals::{BlockKMeans, BlockSumsMechanism, OutputRange, QuantileMechanism};
use shoal_curator::{
    Blocks, Decision, DesignSize, FitError, Gkm, GkmParams, Matching, Outcome, RangeRule, RowMechanism, System,
};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::below;
use shoal_noise::{ExponentialMechanism, ScoreKind, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Amount, Loss, Neighbours, Numerics, Parameter, Sensitive};
use shoal_scan::{BlockDraw, ScanExt};

fn params(k: usize, epsilon: &str, rows: u64) -> GkmParams {
    GkmParams::new(k, epsilon.parse().unwrap(), DesignSize::Public(rows), Blocks::PerCluster)
}

const RULES: [RangeRule; 3] = [RangeRule::Outputs, RangeRule::Full, RangeRule::Quartiles];

fn points(dims: usize, rows: &[Vec<i16>]) -> LatticePoints {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    points
}

fn run(params: GkmParams, dims: usize, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_seeded(&Gkm::new(params, dims).unwrap(), &scan(dims, rows), seed)
}

#[test]
fn the_number_of_blocks_is_that_of_table_1() {
    for (rows, k, power, per_cluster) in [
        (5_000, 15, 30, 111),
        (107_091, 5, 103, 7_139),
        (16_281, 2, 48, 2_714),
        (34_112, 3, 65, 3_790),
        (48_841, 5, 75, 3_256),
        (26_733, 3, 59, 2_970),
    ] {
        assert_eq!((Blocks::Power.count(rows, k), Blocks::PerCluster.count(rows, k)), (power, per_cluster));
    }
    assert_eq!((Blocks::Power.count(1, 9), Blocks::PerCluster.count(1, 9), Blocks::Given(7).count(1, 9)), (1, 1, 7));
}

#[test]
fn the_claim_is_exactly_the_budget() {
    for epsilon in ["1", "0.1", "0.7", "2", "1/3", "0.05"] {
        for dims in [1, 2, 6, 10] {
            for k in [1, 3, 15] {
                for size in
                    [DesignSize::Public(1000), DesignSize::bought(), DesignSize::Bought { share: Amount::ratio(1, 7) }]
                {
                    for (rule, share) in RULES.iter().flat_map(|&rule| [(rule, 2), (rule, 3)]) {
                        let range_share = Amount::ratio(1, share);
                        let params =
                            GkmParams { size: size.clone(), range: rule, range_share, ..params(k, epsilon, 1) };
                        let claim = Gkm::new(params, dims).unwrap().claim();
                        assert_eq!(
                            claim.loss,
                            Loss::Pure(epsilon.parse().unwrap()),
                            "ε = {epsilon}, d = {dims}, k = {k}, {rule:?}"
                        );
                        assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
                    }
                }
            }
        }
    }
}

#[test]
fn the_run_spends_what_was_claimed_and_no_step_goes_uncharged() {
    let rows = groups(&[&[-0.5, -0.5], &[0.5, 0.5]], 100);
    for (rule, size) in RULES.iter().flat_map(|&rule| [(rule, DesignSize::Public(200)), (rule, DesignSize::bought())]) {
        let params = GkmParams { size, range: rule, ..params(2, "0.7", 1) };
        let outcome = run(params.clone(), 2, &rows, 1);
        assert_eq!(outcome.charged, Loss::Pure("0.7".parse().unwrap()));
        assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise, in the library too");

        // An allowance that is short by any amount stops the run.
        let fit = Gkm::new(params, 2).unwrap();
        let mut short = fit.claim();
        short.loss = Loss::Pure("0.69999".parse().unwrap());
        let refused = fit.run(&scan(2, &rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
        assert!(matches!(refused, Err(FitError::Charge(_))));
    }
}

/// All ways to put up to `most` rows on `positions` positions.
fn all_tables(positions: usize, most: u64) -> Vec<Vec<u64>> {
    let mut tables = vec![vec![]];
    for _ in 0..positions {
        let longer = |table: &Vec<u64>| {
            let left = most - table.iter().sum::<u64>();
            let table = table.clone();
            (0..=left).map(move |count| [table.clone(), vec![count]].concat())
        };
        tables = tables.iter().flat_map(longer).collect();
    }
    tables
}

/// The exact worst log-ratio of a law over all small tables, all rows that can be added and all outputs.
fn worst_quantile_loss<L: Fn(usize) -> f64>(law: impl Fn(&[u64]) -> L) -> f64 {
    let mut worst = 0.0f64;
    for table in all_tables(6, 5).into_iter().chain([many_positions()]) {
        let without = law(&table);
        for added in [0, 1, 2, 3, 4, 5] {
            let mut larger = table.clone();
            larger[added] += 1;
            let with = law(&larger);
            worst = (0..table.len()).map(|c| (without(c) - with(c)).abs()).fold(worst, f64::max);
        }
    }
    worst
}

/// Where the bound is nearly reached: the one position below the rows gains three score steps while all others lose
/// three.
fn many_positions() -> Vec<u64> {
    let mut counts = vec![0; 4000];
    counts[1] = 3;
    counts
}

#[test]
fn the_law_of_a_quantile_loses_no_more_than_it_is_charged() {
    for (part, whole) in [(1, 4), (3, 4), (1, 2), (1, 10)] {
        for epsilon in ["0.05", "1", "3"] {
            let mechanism = QuantileMechanism::new(part, whole, &epsilon.parse().unwrap()).unwrap();
            assert_eq!(mechanism.claim().loss, Loss::Pure(epsilon.parse().unwrap()));
            let charged: f64 = epsilon.parse().unwrap();
            let loss = worst_quantile_loss(|counts| {
                let choice = mechanism.choice(counts).unwrap();
                move |c| choice.ln_pmf(c)
            });
            assert!(loss <= charged * (1.0 + 1e-9), "{part}/{whole} at ε = {epsilon} loses {loss}");
        }
    }
    // The mutants: a sensitivity that is one too small, and GUPT's weights, which lack the half.
    let mechanism = QuantileMechanism::new(1, 4, &"0.05".parse().unwrap()).unwrap();
    let epsilon = RBig::from_parts(1.into(), 20u8.into());
    for (sensitivity, kind) in [(2u8, ScoreKind::General), (4, ScoreKind::Monotone)] {
        let mutant = ExponentialMechanism::new(&epsilon, &RBig::from(sensitivity), kind).unwrap();
        let loss = worst_quantile_loss(|counts| {
            let choice = mutant.prepare(&mechanism.scores(counts)).unwrap();
            move |c| choice.ln_pmf(c)
        });
        assert!(loss > 0.06, "the mutant loses {loss} only");
    }
}

#[test]
fn quantiles_are_where_they_should_be() {
    // Rows 0, 1, ... 999 of one each: the position chosen is the rank.
    let counts = vec![1u64; 1000];
    for (part, whole, rank) in [(1, 4, 250.0), (3, 4, 750.0), (1, 2, 500.0)] {
        let mechanism = QuantileMechanism::new(part, whole, &"1".parse().unwrap()).unwrap();
        let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
        let mut noise = SeededNoise::new(3);
        let found =
            accountant.release(Sensitive::new(counts.clone()), mechanism.with(&mut noise)).unwrap().into_inner();
        assert!((found as f64 - rank).abs() < 30.0, "{part}/{whole}: {found}");
    }
}

/// The sums of a mechanism whose noise is zero but for a chance of e^-1000: no noise to see the clamp through.
fn exact_sums(k: usize, ranges: &[OutputRange], results: &[Vec<i16>]) -> Vec<i64> {
    let loud = BlockSumsMechanism::per_attribute(k, &"10000000000".parse().unwrap(), ranges).unwrap();
    let mut accountant = Accountant::new(Allowance::without_ledger(loud.claim()));
    accountant.release(Sensitive::new(results.to_vec()), loud.with(&mut SeededNoise::new(1))).unwrap().into_inner()
}

/// Most that any sum changes, in widths of its range, when one row joins one block at any place in it.
fn worst_change(sums: impl Fn(usize, &[OutputRange], &[Vec<i16>]) -> Vec<i64>) -> f64 {
    let mut worst = 0.0f64;
    let mut random = SeededNoise::new(5);
    let mut draw = move |n: u64| below(&mut random, n);
    for case in 0..300 {
        let (k, dims, blocks) = (1 + draw(4) as usize, 1 + draw(3) as usize, 1 + draw(5) as usize);
        let matching = if case % 2 == 0 { Matching::Sort } else { Matching::Assign };
        let kmeans = BlockKMeans::new((k, dims), (2, 5), matching, &mut SeededNoise::new(case));
        let mut coordinate = |at_edge: bool| match draw(65_535) {
            x if at_edge => {
                if x % 2 == 0 {
                    -32_767
                } else {
                    32_767
                }
            }
            x => (x as i32 - HALF_WIDTH) as i16,
        };
        let ranges: Vec<_> =
            (0..dims).map(|_| OutputRange::between(coordinate(false) / 4, coordinate(false) / 4)).collect();
        let mut dealt: Vec<Vec<Vec<i16>>> = vec![vec![]; blocks];
        for row in 0..case as usize % 17 {
            dealt[(row * row + case as usize) % blocks].push((0..dims).map(|_| coordinate(case % 3 == 0)).collect());
        }
        let new_row: Vec<i16> = (0..dims).map(|_| coordinate(true)).collect();
        let results = |dealt: &[Vec<Vec<i16>>]| -> Vec<Vec<i16>> {
            dealt.iter().map(|rows| kmeans.centres(&points(dims, rows))).collect()
        };
        let before = sums(k, &ranges, &results(&dealt));
        let block = draw(blocks as u64) as usize;
        let place = draw(dealt[block].len() as u64 + 1) as usize;
        dealt[block].insert(place, new_row);
        let after = sums(k, &ranges, &results(&dealt));
        for (i, (a, b)) in before.iter().zip(&after).enumerate() {
            worst = worst.max(a.abs_diff(*b) as f64 / f64::from(ranges[i % dims].width()));
        }
    }
    worst
}

#[test]
fn one_row_changes_a_sum_by_no_more_than_the_width_of_its_range() {
    let worst = worst_change(exact_sums);
    assert!(worst <= 1.0, "a sum changed by {worst} widths");
    assert!(worst > 0.5, "the cases are too tame to show it: {worst}");
    // The mutant: results that are not clamped into the range.
    let unclamped = |k: usize, ranges: &[OutputRange], results: &[Vec<i16>]| {
        (0..k * ranges.len()).map(|i| results.iter().map(|centres| i64::from(centres[i])).sum()).collect()
    };
    assert!(worst_change(unclamped) > 1.5);
}

#[test]
fn a_row_at_the_end_changes_one_block_of_a_real_deal() {
    let mut rows = groups(&[&[-0.5, 0.1], &[0.5, 0.5]], 60);
    let kmeans = BlockKMeans::new((2, 2), (3, 10), Matching::Sort, &mut SeededNoise::new(2));
    let results = |rows: &[Vec<i16>]| {
        let draw = BlockDraw::new(12, &mut SeededNoise::new(8));
        scan(2, rows).block_results(&draw, &kmeans).unwrap()
    };
    // The test may look: it compares results, and releases none.
    let changed = |a: Sensitive<Vec<Vec<i16>>>, b: Sensitive<Vec<Vec<i16>>>| {
        let both = a.zip(b).map(|(a, b)| a.iter().zip(&b).filter(|(a, b)| a != b).count());
        format!("{}", both.without_privacy().reveal(shoal_privacy::ThisIsNotPrivate))
    };
    let before = results(&rows);
    rows.push(vec![32_767, -32_767]);
    assert_eq!(changed(before, results(&rows)), "1");
    // The mutant is GUPT's: when the row comes first, a deal by row number sends all others elsewhere.
    let before = results(&rows[..120]);
    rows.rotate_right(1);
    assert_ne!(changed(before, results(&rows)), "1");
}

/// Noise on the six sums of three centres over two attributes whose ranges are 1000 and 4000 wide, 40 blocks.
fn noise_added(sums: &BlockSumsMechanism, noise: &mut SeededNoise) -> Vec<i64> {
    let results = vec![vec![100, 200, -300, -400, 500, 600]; 40];
    let mut accountant = Accountant::new(Allowance::without_ledger(sums.claim()));
    let noisy = accountant.release(Sensitive::new(results.clone()), sums.with(noise)).unwrap().into_inner();
    noisy.iter().zip(&results[0]).map(|(noisy, &x)| noisy - 40 * i64::from(x)).collect()
}

fn two_ranges(epsilon: &str) -> BlockSumsMechanism {
    let ranges = [OutputRange::between(600, -400), OutputRange::between(-1000, 3000)];
    BlockSumsMechanism::per_attribute(3, &epsilon.parse().unwrap(), &ranges).unwrap()
}

#[test]
fn every_released_coordinate_is_randomised() {
    let left_in_the_clear = |mut added: Box<dyn FnMut() -> Vec<i64>>| {
        let mut clear = [0; 6];
        for _ in 0..200 {
            added().iter().zip(&mut clear).for_each(|(z, clear)| *clear += usize::from(*z == 0));
        }
        clear
    };
    let sums = two_ranges("1");
    // The scale is 6000 and more: one zero in 200 draws is rare, five have a chance below 1e-9.
    let fair = |seed| {
        let (sums, mut noise) = (sums.clone(), SeededNoise::new(seed));
        move || noise_added(&sums, &mut noise)
    };
    assert!(left_in_the_clear(Box::new(fair(1))).iter().all(|&clear| clear < 5));
    for forgotten in [0, 5] {
        let mut added = fair(2);
        let mutant = move || {
            let mut z = added();
            z[forgotten] = 0;
            z
        };
        assert!(left_in_the_clear(Box::new(mutant)).iter().any(|&clear| clear >= 5));
    }
    // A range without width, where sums cannot change, has noise too.
    let point =
        BlockSumsMechanism::per_attribute(3, &"0.06".parse().unwrap(), &[OutputRange::between(7, 7); 2]).unwrap();
    let mut noise = SeededNoise::new(3);
    assert!((0..200).filter(|_| noise_added(&point, &mut noise)[0] == 40 * (7 - 100)).count() < 40);
}

#[test]
fn the_noise_is_that_of_equation_3() {
    let runs = 20_000;
    // Mean of |z| per attribute, in standard errors from eq. (3) with half of ε = 2·`stated` for the noise.
    let deviations = |drawn: &str, stated: f64| -> Vec<f64> {
        let (sums, mut noise) = (two_ranges(drawn), SeededNoise::new(12));
        let all: Vec<Vec<i64>> = (0..runs).map(|_| noise_added(&sums, &mut noise)).collect();
        let of = |attribute: usize, width: f64| {
            let sizes = all.iter().flat_map(|z| z.iter().skip(attribute).step_by(2)).map(|z| z.unsigned_abs() as f64);
            let mean = sizes.sum::<f64>() / f64::from(3 * runs);
            // Lap(2(max − min)·k·d/(ℓ·ε)) on a mean over ℓ blocks; times ℓ on a sum. |z| has mean and deviation b.
            let b = 2.0 * width * 3.0 * 2.0 / (2.0 * stated);
            (mean - b) / (b / f64::from(3 * runs).sqrt())
        };
        vec![of(0, 1000.0), of(1, 4000.0)]
    };
    let fair = deviations("0.5", 0.5);
    assert!(fair.iter().all(|z| z.abs() < 5.0), "{fair:?} standard errors");
    // Mutants: noise a tenth too small or too large.
    for wrong in ["0.55", "0.45"] {
        let wrong = deviations(wrong, 0.5);
        assert!(wrong.iter().all(|z| z.abs() > 5.0), "{wrong:?} standard errors");
    }
}
