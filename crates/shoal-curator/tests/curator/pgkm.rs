//! PGkM keeps its promise, adds up to what it was given, and clusters.

use crate::curator_support::{groups, run_seeded, table};
use std::collections::HashMap;

use dashu_ratio::RBig;
use proptest::prelude::*;
use shoal_curator::internals::{MOST_PUBLISHED_ROUNDS, SelectByCostMechanism};
use shoal_curator::{Decision, DesignSize, FitError, Outcome, Pgkm, PgkmParams, Rounds, RowMechanism, System};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{BoxPosition, HALF_WIDTH};
use shoal_noise::{ExponentialMechanism, ScoreKind, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Loss, Neighbours, Numerics, Sensitive, ThisIsNotPrivate};
use shoal_scan::{LocalScan, ScanExt};

const M: i16 = HALF_WIDTH as i16;

fn params(k: usize, epsilon: &str) -> PgkmParams {
    PgkmParams::new(k, epsilon.parse().unwrap(), DesignSize::Public(1000))
}

fn scan(rows: &[Vec<i16>], dims: usize) -> LocalScan {
    table(dims, rows)
}

fn run(params: PgkmParams, rows: &[Vec<i16>], dims: usize, seed: u64) -> Outcome {
    run_seeded(&Pgkm::new(params, dims).unwrap(), &scan(rows, dims), seed)
}

fn costs(rows: &[Vec<i16>], sets: &[LatticeCentres]) -> Vec<u128> {
    scan(rows, sets[0].dims()).costs(sets).unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

#[test]
fn the_claim_is_exactly_the_budget() {
    for epsilon in ["1", "0.1", "0.7", "1/3", "100", "0.000001"] {
        for rounds in [Rounds::Published, Rounds::Given(1), Rounds::Given(2), Rounds::Given(7), Rounds::Given(13)] {
            for (picks, population) in [(1, 2), (3, 200), (10, 200), (7, 7)] {
                for size in [DesignSize::Public(1), DesignSize::Public(3_000_000), DesignSize::bought()] {
                    let given = PgkmParams { rounds, picks, population, size, ..params(4, epsilon) };
                    let claim = Pgkm::new(given.clone(), 3).unwrap().claim();
                    assert_eq!(claim.loss, Loss::Pure(epsilon.parse().unwrap()), "{given:?}");
                    assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
                }
            }
        }
    }
}

#[test]
fn the_run_spends_what_was_claimed_and_no_step_goes_uncharged() {
    let rows = groups(&[[-0.5, -0.5], [0.5, 0.5]], 100);
    for rounds in [Rounds::Published, Rounds::Given(1), Rounds::Given(3)] {
        for size in [DesignSize::Public(200), DesignSize::bought()] {
            let given = PgkmParams { rounds, size, ..params(2, "0.7") };
            let outcome = run(given.clone(), &rows, 2, 1);
            assert_eq!(outcome.charged, Loss::Pure("0.7".parse().unwrap()));
            assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise");

            let fit = Pgkm::new(given, 2).unwrap();
            let mut short = fit.claim();
            short.loss = Loss::Pure("0.69999".parse().unwrap());
            let refused = fit.run(&scan(&rows, 2), Allowance::without_ledger(short), &mut SeededNoise::new(1));
            assert!(matches!(refused, Err(FitError::Charge(_))));
        }
    }
}

/// ln P of every ordered list of `picks` out of the candidates, by the distribution of a pick on what is left.
fn law(mechanism: &ExponentialMechanism, scores: &[i128], picks: usize) -> HashMap<Vec<usize>, f64> {
    let mut lists = HashMap::from([(Vec::new(), 0.0)]);
    for _ in 0..picks {
        let mut longer = HashMap::new();
        for (list, ln_p) in lists {
            let left: Vec<usize> = (0..scores.len()).filter(|i| !list.contains(i)).collect();
            let choice = mechanism.prepare(&left.iter().map(|&i| scores[i]).collect::<Vec<_>>()).unwrap();
            for (at, &i) in left.iter().enumerate() {
                longer.insert([&list[..], &[i]].concat(), ln_p + choice.ln_pmf(at));
            }
        }
        lists = longer;
    }
    lists
}

fn worst_log_ratio(mechanism: &ExponentialMechanism, with: &[i128], without: &[i128], picks: usize) -> f64 {
    let (with, without) = (law(mechanism, with, picks), law(mechanism, without, picks));
    with.iter().map(|(list, ln_p)| (ln_p - without[list]).abs()).fold(0.0, f64::max)
}

/// The law with decay `times` that of a selection, to compute with.
fn same_decay(selection: &SelectByCostMechanism, times: u8) -> ExponentialMechanism {
    ExponentialMechanism::new(&(selection.decay() * RBig::from(times)), &RBig::ONE, ScoreKind::Monotone).unwrap()
}

/// Tables, a row that comes, and candidate sets, over two attributes: corners, and places between.
fn neighbouring_costs() -> Vec<(Vec<i128>, Vec<i128>)> {
    let corner = [M, M];
    let far = [-M, -M];
    let sets: Vec<Vec<[i16; 2]>> = vec![
        vec![corner],
        vec![corner],
        vec![far],
        vec![far],
        vec![far, [-M, M]],
        vec![[0, 0], [-20_000, 7]],
        vec![corner, far],
    ];
    let sets: Vec<_> = sets.into_iter().map(|set| LatticeCentres::new(2, set.concat())).collect();
    let mut pairs = Vec::new();
    for heavy in [far, corner, [0, 5], [-M, M]] {
        for number in [0, 1, 3, 1000] {
            let rows = vec![heavy.to_vec(); number];
            for extra in [corner, far, [M, -M], [0, 0], [12_345, -321]] {
                let more = [rows.clone(), vec![extra.to_vec()]].concat();
                let scores = |rows: &[Vec<i16>]| costs(rows, &sets).iter().map(|&c| -(c as i128)).collect();
                pairs.push((scores(&more), scores(&rows)));
            }
        }
    }
    pairs
}

#[test]
fn the_whole_list_of_picks_loses_no_more_than_its_claim_and_nearly_all_of_it() {
    let pairs = neighbouring_costs();
    for (epsilon, picks) in [("0.3", 1), ("0.6", 2), ("3", 2), ("6", 3), ("0.03", 3)] {
        let selection = SelectByCostMechanism::new(2, picks, &epsilon.parse().unwrap()).unwrap();
        let Loss::Pure(claimed) = selection.claim().loss else { panic!("a pure loss") };
        assert_eq!(claimed, epsilon.parse().unwrap());
        let claimed = claimed.to_f64_up();
        let worst = |times, picks| {
            let law = same_decay(&selection, times);
            pairs.iter().map(|(with, without)| worst_log_ratio(&law, with, without, picks)).fold(0.0, f64::max)
        };
        let loss = worst(1, picks);
        assert!(loss <= claimed * (1.0 + 1e-9), "ε = {epsilon}, {picks} picks: {loss}");
        // Two sets lie at the corner, so up to two picks can each lose all they may; one that went uncharged would
        // show.
        assert!(picks > 2 || loss > 0.9 * claimed, "ε = {epsilon}, {picks} picks: only {loss}");
        // Mutant: half the sensitivity.
        assert!(worst(2, picks) > claimed, "half the sensitivity passed at ε = {epsilon}, {picks} picks");
    }
}

#[test]
fn scores_that_do_not_move_together_would_lose_more() {
    // Mutant: costs measured from the table's own mean cost, which move up for some sets and down for others.
    let selection = SelectByCostMechanism::new(1, 1, &"1".parse().unwrap()).unwrap();
    let widest = (2 * i128::from(M)).pow(2);
    let law = same_decay(&selection, 1);
    let together = worst_log_ratio(&law, &[0, -widest, -widest], &[0, 0, 0], 1);
    let apart = worst_log_ratio(&law, &[widest - 40 * widest, -widest], &[-40 * widest, 0], 1);
    assert!(together <= 1.0 && apart > 1.9, "{together} and {apart}");
}

/// How far the frequencies of ordered lists are from the law, in chi-square standard deviations.
fn misfit(
    selection: &SelectByCostMechanism,
    drawn_by: &[i128],
    expected: &ExponentialMechanism,
    scores: &[i128],
) -> f64 {
    let (runs, mut noise) = (40_000, SeededNoise::new(5));
    let costs: Vec<u128> = drawn_by.iter().map(|q| q.unsigned_abs()).collect();
    let mut seen: HashMap<Vec<usize>, f64> = HashMap::new();
    for _ in 0..runs {
        let mut accountant = Accountant::new(Allowance::without_ledger(selection.claim()));
        let picked = accountant.release(Sensitive::new(costs.clone()), selection.with(&mut noise)).unwrap();
        *seen.entry(picked.into_inner()).or_default() += 1.0;
    }
    let law = law(expected, scores, 2);
    let cells = law.len() as f64 - 1.0;
    let square = law.iter().map(|(list, ln_p)| {
        let mean = ln_p.exp() * f64::from(runs);
        (seen.get(list).copied().unwrap_or(0.0) - mean).powi(2) / mean
    });
    (square.sum::<f64>() - cells) / (2.0 * cells).sqrt()
}

#[test]
fn picks_follow_the_law() {
    let widest = 2 * (2 * i128::from(M)).pow(2);
    let scores = [-3 * widest, -widest, 0, -2 * widest, -widest / 2];
    let selection = SelectByCostMechanism::new(2, 2, &"1".parse().unwrap()).unwrap();
    let law = same_decay(&selection, 1);
    let fit = misfit(&selection, &scores, &law, &scores);
    assert!(fit < 5.0, "{fit}");
    // Mutants: picks with another decay than the one that is charged, and picks that prefer the dear ones.
    let doubled = SelectByCostMechanism::new(2, 2, &"2".parse().unwrap()).unwrap();
    assert!(misfit(&doubled, &scores, &law, &scores) > 5.0);
    let turned = scores.map(|q| -3 * widest - q);
    assert!(misfit(&selection, &turned, &law, &scores) > 5.0);
}

#[test]
#[should_panic(expected = "at least as many")]
fn more_picks_than_sets_are_refused() {
    let selection = SelectByCostMechanism::new(2, 3, &"1".parse().unwrap()).unwrap();
    let mut accountant = Accountant::new(Allowance::without_ledger(selection.claim()));
    let _ = accountant.release(Sensitive::new(vec![1, 2]), selection.with(&mut SeededNoise::new(1)));
}

fn coordinate() -> impl Strategy<Value = i16> {
    prop_oneof![Just(-M), Just(M), Just(0), -M..=M]
}

/// True when all costs rise, or all fall, by no more than `most`.
fn moves_together(with: &[u128], without: &[u128], most: u128) -> bool {
    with.iter().zip(without).all(|(with, without)| with >= without && with - without <= most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn one_row_raises_every_cost_by_no_more_than_the_squared_diagonal(
        rows in prop::collection::vec(prop::collection::vec(coordinate(), 3), 0..20),
        extra in prop::collection::vec(coordinate(), 3),
        sets in prop::collection::vec((1..4usize).prop_flat_map(|k| prop::collection::vec(coordinate(), 3 * k)), 1..6),
    ) {
        let mut sets: Vec<_> = sets.into_iter().map(|set| LatticeCentres::new(3, set)).collect();
        // The opposite corner of the row's own octant: the farthest centre there is, if the row is a corner.
        sets.push(LatticeCentres::new(3, extra.iter().map(|&x| if x > 0 { -M } else { M }).collect()));
        let (with, without) = (costs(&[rows.clone(), vec![extra.clone()]].concat(), &sets), costs(&rows, &sets));
        let most = 3 * (2 * M as u128).pow(2);
        prop_assert!(moves_together(&with, &without, most));
        if extra.iter().all(|x| x.abs() == M) {
            prop_assert!(!moves_together(&with, &without, most - 1), "the bound is tight at the corners");
        }
    }
}

#[test]
fn any_table_and_any_budget_give_centres_in_the_box() {
    let tables = [vec![], vec![vec![M, -M]], vec![vec![5, 7]; 3]];
    for rows in &tables {
        for epsilon in ["0.000001", "1", "100"] {
            for (k, dims) in [(5, 2), (1, 2), (1, 1)] {
                let rows: Vec<Vec<i16>> = rows.iter().map(|row: &Vec<i16>| row[..dims].to_vec()).collect();
                for size in [DesignSize::Public(0), DesignSize::bought()] {
                    let outcome = run(PgkmParams { size, ..params(k, epsilon) }, &rows, dims, 3);
                    assert_eq!(outcome.centres.len(), k);
                    assert!(outcome.centres.iter().all(|c| c.len() == dims));
                    assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)));
                    assert!(outcome.noise_per_centre.iter().flatten().all(|sd| sd.0 > 0.0 && sd.0 <= 0.41));
                    assert!(outcome.sizes.is_empty() && outcome.size_noise.is_empty());
                }
            }
        }
    }
}

#[test]
fn senseless_parameters_are_refused() {
    let refused = |params: PgkmParams, dims| Pgkm::new(params, dims).err().expect("refused");
    assert!(matches!(refused(params(0, "1"), 2), FitError::NoCentres));
    assert!(matches!(refused(params(2, "0"), 2), FitError::NoBudget));
    assert!(matches!(refused(params(2, "1"), 0), FitError::NoAttributes));
    assert!(matches!(refused(PgkmParams { rounds: Rounds::Given(0), ..params(2, "1") }, 2), FitError::NoIterations));
    for wrong in [
        PgkmParams { picks: 201, ..params(2, "1") },
        PgkmParams { picks: 0, ..params(2, "1") },
        PgkmParams { population: 1, picks: 1, ..params(2, "1") },
        PgkmParams { population: 1_000_000, ..params(2, "1") },
        PgkmParams { rounds: Rounds::Given(u32::MAX), ..params(2, "1") },
        PgkmParams { mutation: f64::NAN, ..params(2, "1") },
        PgkmParams { mutation: 1.5, ..params(2, "1") },
        PgkmParams { mutation: 0.0, ..params(2, "1") },
    ] {
        assert!(matches!(refused(wrong.clone(), 2), FitError::Parameter { .. }), "{wrong:?}");
    }
}

fn sentence(decisions: &[Decision]) -> String {
    decisions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn rounds_are_those_of_the_paper_and_end() {
    let stated = |rows: u64, epsilon: &str| {
        let size = DesignSize::Public(rows);
        let outcome = run(PgkmParams { size, population: 12, ..params(1, epsilon) }, &[vec![3]], 1, 1);
        sentence(&outcome.decisions)
    };
    let usual = "8 rounds on 12 candidate sets: 7 with 10 picks at ε = 0.0125 each, \
                 then a last one that picks the result at ε = 0.125.";
    assert_eq!(stated(48_842, "1"), usual);
    // 1.25e-3 · 48,842 · 2 / 10 = 12.2.
    assert!(stated(48_842, "2").starts_with("12 rounds"));
    let capped = stated(u64::MAX, "1");
    assert!(capped.starts_with(&format!("{MOST_PUBLISHED_ROUNDS} rounds")) && capped.contains("asks for"), "{capped}");
    let single = run(PgkmParams { rounds: Rounds::Given(1), ..params(1, "1") }, &[vec![3]], 1, 1);
    assert_eq!(sentence(&single.decisions), "1 round on 200 candidate sets, which picks the result at ε = 1.");
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&[[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]], 6001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    let with = |rows: &[Vec<i16>]| run(params(3, "1"), rows, 2, 5);
    let expected = with(&rows);
    assert_eq!(with(&reversed), expected);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| with(&rows)), expected);
    }
}

#[test]
fn separated_groups_are_found_better_than_by_a_random_set() {
    let rows = groups(&[[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]], 5000);
    let mean_cost = |given: &PgkmParams| {
        let sets: Vec<_> = (0..20)
            .map(|seed| run(given.clone(), &rows, 2, seed).centres.concat())
            .map(|centres| LatticeCentres::from_unit(2, &BoxPosition::numbers(&centres)))
            .collect();
        let total: f64 = costs(&rows, &sets).iter().map(|&cost| cost as f64).sum();
        total / (20.0 * rows.len() as f64 * f64::from(HALF_WIDTH).powi(2))
    };
    let found = mean_cost(&params(3, "2"));
    // At this budget every pick is blind.
    let random = mean_cost(&params(3, "0.000001"));
    assert!(found < 0.25 * random, "{found} per row, {random} for random sets");
}

#[test]
fn the_expected_error_falls_with_rows_and_budget_and_never_passes_a_blind_guess() {
    let error = |epsilon: &str, rows: f64| Pgkm::new(params(3, epsilon), 2).unwrap().expected_error(rows).center_rmse.0;
    // √(ln(200) · 8 / (ε · rows)).
    assert!((error("1", 10_000.0) - (200f64.ln() * 8.0 / 10_000.0).sqrt()).abs() < 1e-12);
    assert!(error("2", 10_000.0) < error("1", 10_000.0) && error("1", 20_000.0) < error("1", 10_000.0));
    for (epsilon, rows) in [("0.000001", 10.0), ("1", 0.0), ("1", f64::NAN)] {
        assert!((0.40..0.41).contains(&error(epsilon, rows)));
    }
}
