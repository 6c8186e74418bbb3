//! The number of rows is a secret. What shapes a method is a public number, or one that was paid for; never the table.

use crate::curator_support::table;
use shoal_curator::internals::{NoisyCountsMechanism, Settled, SizeStep};
use shoal_curator::{
    Blocks, Decision, DesignSize, Eugkm, EugkmParams, FitError, Gkm, GkmParams, GridRule, RowMechanism, System,
};
use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance, Amount, Assumption, Epsilon, Loss, ThisIsNotPrivate};
use shoal_scan::{LocalScan, ScanExt};

fn scan(rows: &[Vec<i16>]) -> LocalScan {
    table(2, rows)
}

/// Tables that differ in number and place of their rows.
fn tables() -> [Vec<Vec<i16>>; 4] {
    let spread =
        |n: i32| (0..n).map(|i| vec![(i * 37 % 60_000 - 30_000) as i16, (i * 101 % 50_000) as i16 / 2]).collect();
    [vec![], vec![vec![32_767, -32_767]; 10], spread(3000), spread(20_000)]
}

fn row_count(scan: &LocalScan) -> u64 {
    scan.row_count().unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

const BUDGETS: [&str; 9] = ["1", "0.1", "0.7", "2", "1/3", "7/11", "0.05", "0.000001", "1000"];

fn shares() -> Vec<Amount> {
    ["1/100", "0.01", "1/2", "3/7", "0.999", "1/1000"].iter().map(|share| share.parse().unwrap()).collect()
}

#[test]
fn a_public_size_costs_nothing() {
    for budget in BUDGETS {
        for rows in [0, 1, 1000, u64::MAX] {
            let (step, rest) = DesignSize::Public(rows).split(&epsilon(budget)).unwrap();
            assert_eq!(rest, epsilon(budget));
            let method = NoisyCountsMechanism::new(&rest).unwrap().claim();
            let mut with_condition = method.clone();
            with_condition.assumes.insert(Assumption::DesignSizePublic);
            assert_eq!(step.claim_with(method.clone()), with_condition);
            // Who has not agreed to the condition gets no run.
            let mut strict = Accountant::new(Allowance::without_ledger(method.clone()));
            assert!(step.settle(&scan(&tables()[0]), &mut strict, &mut SeededNoise::new(1)).is_err());
            // An allowance of almost nothing is enough, no noise is drawn, and the table has no say.
            for table in tables() {
                let mut nothing = with_condition.clone();
                nothing.loss = Loss::NONE;
                let mut accountant = Accountant::new(Allowance::without_ledger(nothing));
                let settled = step.settle(&scan(&table), &mut accountant, &mut SeededNoise::new(1)).unwrap();
                assert_eq!(settled, Settled { rows: rows.max(1), noise: 0.0, decision: None });
                assert_eq!(accountant.spent().loss, Loss::NONE);
                assert!(accountant.spent().assumes.contains(&Assumption::DesignSizePublic));
            }
            assert_eq!(step.expected(5e9), rows.max(1));
        }
    }
}

#[test]
fn a_bought_size_costs_exactly_its_share() {
    for budget in BUDGETS {
        for share in shares() {
            let (step, rest) = DesignSize::Bought { share: share.clone() }.split(&epsilon(budget)).unwrap();
            let part = epsilon(budget).times(&share);
            assert_eq!(part.plus(&rest), epsilon(budget), "ε = {budget}, share {share}");
            let method = NoisyCountsMechanism::new(&rest).unwrap().claim();
            let whole = step.claim_with(method);
            assert_eq!(whole.loss, Loss::Pure(epsilon(budget)));
            assert!(!whole.assumes.contains(&Assumption::RowCountPublic), "it is not: that is why it was paid for");

            let mut accountant = Accountant::new(Allowance::without_ledger(whole.clone()));
            let settled = step.settle(&scan(&tables()[2]), &mut accountant, &mut SeededNoise::new(1)).unwrap();
            assert_eq!(accountant.spent().loss, Loss::Pure(part.clone()));
            assert!(settled.rows >= 1 && settled.decision.is_some());

            // Less than the share does not buy it.
            let mut short = whole;
            let (n, d) = (999_990u64, 1_000_000u64);
            short.loss = Loss::Pure(part.times(&Amount::ratio(n, d)));
            let mut accountant = Accountant::new(Allowance::without_ledger(short));
            let refused = step.settle(&scan(&[]), &mut accountant, &mut SeededNoise::new(1));
            assert!(matches!(refused, Err(FitError::Charge(_))));
            assert_eq!(accountant.spent().loss, Loss::NONE);
        }
    }
    assert_eq!(DesignSize::bought(), DesignSize::Bought { share: "0.01".parse().unwrap() }, "one hundredth");
}

#[test]
fn shares_that_leave_nothing_are_refused() {
    for share in ["0", "1", "1.01", "7"] {
        let refused = DesignSize::Bought { share: share.parse().unwrap() }.split(&epsilon("1"));
        assert!(matches!(refused, Err(FitError::Share { .. })), "share {share}");
    }
}

fn bought(step: &SizeStep, table: &LocalScan, noise: &mut SeededNoise) -> Settled {
    let claim = step.claim_with(NoisyCountsMechanism::new(&epsilon("1")).unwrap().claim());
    step.settle(table, &mut Accountant::new(Allowance::without_ledger(claim)), noise).unwrap()
}

#[test]
fn a_bought_size_is_the_row_count_with_the_noise_of_its_share() {
    let table = scan(&tables()[2][..1000]);
    let mut noise = SeededNoise::new(4);
    // Mean of the difference, and of its size, in standard errors, for noise of scale 20 (5 % of ε = 1).
    let mut deviations = |share: &str| {
        let (step, _) = DesignSize::Bought { share: share.parse().unwrap() }.split(&epsilon("1")).unwrap();
        let draws = 8_000;
        let z: Vec<f64> = (0..draws).map(|_| bought(&step, &table, &mut noise).rows as f64 - 1000.0).collect();
        let n = f64::from(draws);
        let (mean, size) = (z.iter().sum::<f64>() / n, z.iter().map(|z| z.abs()).sum::<f64>() / n);
        (mean / (28.3 / n.sqrt()), (size - 20.0) / (20.0 / n.sqrt()))
    };
    let (mean, size) = deviations("0.05");
    assert!(mean.abs() < 5.0 && size.abs() < 5.0, "{mean} and {size} standard errors");
    // Mutants: noise a tenth too small and too large.
    for wrong in ["0.055", "0.045"] {
        assert!(deviations(wrong).1.abs() > 5.0, "{wrong}");
    }
}

#[test]
fn a_noisy_size_is_at_least_one() {
    let table = scan(&[]);
    let (step, _) = DesignSize::bought().split(&epsilon("0.01")).unwrap();
    let mut noise = SeededNoise::new(4);
    let rows: Vec<u64> = (0..50).map(|_| bought(&step, &table, &mut noise).rows).collect();
    assert!(rows.contains(&1) && rows.iter().any(|&rows| rows > 100), "noise on no rows goes either way: {rows:?}");
}

/// True when a shape that is made for a table is the same for all tables.
fn ignores_the_rows<S: PartialEq>(shape: impl Fn(&LocalScan) -> S) -> bool {
    let shapes = tables().map(|table| shape(&scan(&table)));
    shapes.windows(2).all(|pair| pair[0] == pair[1])
}

fn grid_of(size: DesignSize, table: &LocalScan) -> Vec<u32> {
    let fit = Eugkm::new(EugkmParams::new(3, epsilon("1"), size), 2).unwrap();
    let outcome = fit.run(table, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1)).unwrap();
    outcome.synopsis.unwrap().as_grid().unwrap().cells_per_axis().to_vec()
}

fn blocks_of(size: DesignSize, table: &LocalScan) -> String {
    let fit = Gkm::new(GkmParams::new(3, epsilon("1"), size, Blocks::Power), 2).unwrap();
    let outcome = fit.run(table, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1)).unwrap();
    let note = outcome.decisions.iter().find(|it| matches!(it, Decision::Blocks { .. })).unwrap().to_string();
    note.split(" block").next().unwrap().to_string()
}

#[test]
fn the_shape_of_a_grid_and_the_number_of_blocks_ignore_the_rows() {
    assert!(ignores_the_rows(|table| grid_of(DesignSize::Public(5000), table)));
    assert!(ignores_the_rows(|table| blocks_of(DesignSize::Public(5000), table)));
    assert_eq!(grid_of(DesignSize::Public(5000), &scan(&[])), [23, 22], "S1 at ε = 1");
    // The mutants: the paper's own rules, with the true number of rows.
    let published = |table: &LocalScan| DesignSize::Public(row_count(table));
    assert!(!ignores_the_rows(|table| grid_of(published(table), table)));
    assert!(!ignores_the_rows(|table| blocks_of(published(table), table)));
}

#[test]
fn the_shape_follows_the_size_that_was_bought_and_nothing_else() {
    let rule = GridRule::default();
    for table in tables() {
        let fit = Eugkm::new(EugkmParams::new(3, epsilon("1"), DesignSize::bought()), 2).unwrap();
        let allowance = Allowance::without_ledger(fit.claim());
        let outcome = fit.run(&scan(&table), allowance, &mut SeededNoise::new(6)).unwrap();
        // The first draw of a run is that of its count.
        let (step, rest) = DesignSize::bought().split(&epsilon("1")).unwrap();
        let settled = bought(&step, &scan(&table), &mut SeededNoise::new(6));
        assert!(outcome.decisions.contains(&settled.decision.unwrap()));
        let expected = rule.choose(settled.rows, rest.to_f64_up(), 2).unwrap();
        assert_eq!(*outcome.synopsis.unwrap().as_grid().unwrap(), expected.grid);
    }
}
