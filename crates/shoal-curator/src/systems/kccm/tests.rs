use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;

use super::*;

fn params(shares: Shares, iterations: u32) -> KccmParams {
    KccmParams { iterations, shares, ..KccmParams::new(2, "1".parse().unwrap()) }
}

#[test]
fn growing_shares_are_those_of_the_paper() {
    let budgets = budgets(&params(Shares::Growing, 12)).unwrap();
    let expected = ["1/24", "1/12", "1/8"].iter().flat_map(|share| vec![share.parse::<Epsilon>().unwrap(); 4]);
    assert_eq!(budgets, expected.collect::<Vec<_>>());
}

#[test]
fn shares_add_up_exactly() {
    let given = Shares::Given(["0.1", "3", "1/7"].iter().map(|w| w.parse().unwrap()).collect());
    for shares in [Shares::Equal, Shares::Growing, given] {
        for iterations in [1, 2, 3, 5, 12, 13, 100] {
            let budgets = budgets(&params(shares.clone(), iterations)).unwrap();
            let total = budgets.into_iter().reduce(|a, b| a.plus(&b)).unwrap();
            assert_eq!(total, "1".parse().unwrap(), "{shares:?}, {iterations} steps");
        }
    }
}

#[test]
fn eq_12_is_the_weighted_mean() {
    let (p, q) = (Part::new(&[0.5, -0.5], 30.0, vec![0.01; 2]), Part::new(&[-0.3, 0.1], 10.0, vec![0.01; 2]));
    // As printed: min + |difference| · (count of the larger coordinate's cluster) / total.
    let printed = |i: usize| {
        let (a, b) = (p.centre[i], q.centre[i]);
        let larger = if a >= b { p.size } else { q.size };
        a.min(b) + (a - b).abs() * larger / (p.size + q.size)
    };
    let merged = p.merged(&q);
    assert!((0..2).all(|i| (merged.centre[i] - printed(i)).abs() < 1e-15));
    assert_eq!(merged.size, 40.0);
}

#[test]
fn clusters_without_rows_have_no_say() {
    let (p, none) = (Part::new(&[0.5], 5.0, vec![0.01]), Part::new(&[-0.5], 0.0, vec![0.16]));
    assert_eq!(p.merged(&none).centre, [0.5]);
    assert_eq!(none.merged(&none.clone()).centre, [-0.5]);
    assert!(none.merged(&Part::new(&[0.1], 0.0, vec![0.16])).centre[0].is_finite());
}

#[test]
fn merged_noise_is_that_of_all_rows_together() {
    // 1 and 999 rows, noise of variance 4/n² each: together (4 + 4)/1000², limited or not before merging.
    let part = |at: f64, size: f64| Part::new(&[at], size, vec![4.0 / (size * size)]);
    let merged = part(0.5, 1.0).merged(&part(-0.5, 999.0));
    assert!((merged.variance[0] / (8.0 / 1e6) - 1.0).abs() < 1e-9, "{:?}", merged.variance);
    // Guesses stay guesses, and add nothing to clusters with rows.
    let guess = Part::new(&[0.3], 0.0, vec![HOPELESS.0 * HOPELESS.0]);
    assert_eq!(guess.merged(&guess.clone()).variance, guess.variance);
    assert_eq!(guess.merged(&part(-0.5, 10.0)).variance, part(-0.5, 10.0).variance);
}

#[test]
fn ward_merges_what_is_empty_and_keeps_what_has_rows() {
    // Two groups with rows close together and two empty centres far away.
    let part = |at: f64, count: f64| Part::new(&[at], count, vec![0.01]);
    let parts = vec![part(-0.1, 500.0), part(0.1, 400.0), part(0.9, 0.0), part(-0.9, -3.0)];
    let centres = |rule| -> Vec<f64> {
        let merged = merge(parts.clone(), 2, rule);
        merged.iter().filter(|part| part.size > 0.0).map(|part| part.centre[0]).collect()
    };
    assert_eq!(centres(Merge::Ward), [-0.1, 0.1]);
    assert_eq!(centres(Merge::Nearest).len(), 1, "the paper's merges the two with rows");
}

#[test]
fn merging_is_that_of_the_naive_loop() {
    let naive = |mut parts: Vec<Part>, k: usize, rule: Merge| {
        while parts.len() > k {
            let mut nearest = (f64::INFINITY, 0, 0);
            for i in 0..parts.len() {
                for j in i + 1..parts.len() {
                    let distance = parts[i].cost(&parts[j], rule);
                    if distance < nearest.0 {
                        nearest = (distance, i, j);
                    }
                }
            }
            parts[nearest.1] = parts[nearest.1].merged(&parts[nearest.2]);
            parts.remove(nearest.2);
        }
        parts
    };
    let mut noise = SeededNoise::new(3);
    for round in 0..200 {
        let count = 2 + round % 40;
        // Coarse places make ties.
        let parts: Vec<Part> = (0..count)
            .map(|_| {
                let at: Vec<f64> = (0..2).map(|_| (unit_f64(&mut noise) * 8.0).floor() / 4.0 - 1.0).collect();
                Part::new(&at, (unit_f64(&mut noise) * 5.0).floor(), vec![0.01; 2])
            })
            .collect();
        for k in [1, 2, count / 2 + 1] {
            for rule in [Merge::Nearest, Merge::Ward] {
                assert_eq!(merge(parts.clone(), k, rule), naive(parts.clone(), k, rule), "{rule:?}");
            }
        }
    }
}
