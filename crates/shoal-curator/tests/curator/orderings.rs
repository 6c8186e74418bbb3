//! Which method does better where: the orderings that the papers report, at fixed seeds, on generated tables of the same
//! kind as the papers' and, where `SHOAL_DATA` names their folder, on the papers' own. What does not come out as printed
//! is in papers/, with figures.

use crate::utility_support::Rows;

/// The methods, each clearly better than the next.
fn in_order(rows: &Rows, k: usize, epsilon: &str, seeds: u64, methods: &[&str]) {
    let scores: Vec<f64> = methods.iter().map(|method| rows.mean_nicv(method, k, epsilon, seeds)).collect();
    for (pair, names) in scores.windows(2).zip(methods.windows(2)) {
        assert!(pair[0] < pair[1], "ε = {epsilon}: {names:?} have {pair:?}");
    }
}

/// SCL16 §5.1: few attributes, small ε. GkM is worst, blocks of 3k rows make it far better.
#[test]
fn few_attributes_and_many_clusters_suit_the_grid() {
    let generated = Rows::groups(5000, 2, 15, 0.06);
    for rows in [Some(generated), Rows::from_shared("s1_su_processed.csv")].into_iter().flatten() {
        for epsilon in ["0.1", "0.2"] {
            in_order(&rows, 15, epsilon, 6, &["eugkm", "dplloyd-impr", "gkm"]);
            let [gkm, gkm_3k] = ["gkm", "gkm-3k"].map(|method| rows.mean_nicv(method, 15, epsilon, 6));
            assert!(gkm_3k < 0.8 * gkm, "ε = {epsilon}: {gkm_3k} for blocks of 3k rows, {gkm} for fewer blocks");
        }
    }
}

/// The mutant of the test above: it can fail.
#[test]
#[should_panic(expected = "have")]
fn the_reverse_order_would_be_noticed() {
    in_order(&Rows::groups(5000, 2, 15, 0.06), 15, "0.1", 2, &["gkm", "eugkm"]);
}

/// SCL16 §5.1, the image set.
#[test]
fn three_attributes_suit_the_grid_at_small_budgets() {
    let generated = Rows::groups(34_112, 3, 3, 0.25);
    for rows in [Some(generated), Rows::from_shared("house_rgb_sipi_unique.csv")].into_iter().flatten() {
        in_order(&rows, 3, "0.05", 6, &["eugkm", "dplloyd-impr", "gkm"]);
    }
}

/// SCL16 §5.1 and §6.4, Adult and Lifesci: more attributes.
#[test]
fn many_attributes_suit_lloyd_and_hybrid() {
    in_order(&Rows::groups(26_733, 10, 3, 0.3), 3, "0.5", 3, &["dplloyd-impr", "eugkm", "gkm"]);
    if let Some(adult) = Rows::from_shared("adult_num.csv") {
        in_order(&adult, 5, "0.1", 8, &["hybrid", "eugkm", "gkm"]);
        in_order(&adult, 5, "0.2", 8, &["dplloyd-impr", "eugkm", "gkm"]);
    }
    if let Some(lifesci) = Rows::from_shared("lifesci.csv") {
        in_order(&lifesci, 3, "0.5", 4, &["dplloyd-impr", "eugkm", "gkm"]);
    }
}

/// SCL16 §6.3: below its threshold Hybrid is EUGkM; above, it is no worse than the better of EUGkM and DPLloyd.
#[test]
fn hybrid_falls_back_or_refines() {
    let small = Rows::groups(5000, 2, 15, 0.06);
    assert_eq!(small.mean_nicv("hybrid", 15, "1", 3), small.mean_nicv("eugkm", 15, "1", 3));
    let check = |rows: &Rows, k: usize, epsilon: &str, seeds: u64| {
        let [hybrid, eugkm, dplloyd] =
            ["hybrid", "eugkm", "dplloyd-impr"].map(|method| rows.mean_nicv(method, k, epsilon, seeds));
        // Runs spread by a few percent.
        assert!(hybrid <= 1.05 * eugkm.min(dplloyd), "ε = {epsilon}: hybrid {hybrid}, {eugkm}, {dplloyd}");
    };
    check(&Rows::groups(30_000, 3, 3, 0.2), 3, "1", 4);
    if let Some(adult) = Rows::from_shared("adult_num.csv") {
        check(&adult, 5, "0.2", 8);
    }
    if let Some(image) = Rows::from_shared("house_rgb_sipi_unique.csv") {
        check(&image, 3, "0.5", 8);
    }
}
