//! Amplification by shuffling against exact sums, against mechanisms that are enumerated, and against the closed forms.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_privacy::{
    Assumption, Claim, Epsilon, Loss, Neighbours, Numerics, shuffled_delta_up, shuffled_epsilon_closed_form_up,
    shuffled_epsilon_up,
};

fn epsilon(value: f64) -> Epsilon {
    format!("{value:e}").parse().unwrap()
}

/// Cases of `vectors/shuffling.py`.
fn vectors() -> Vec<(String, u64, f64, f64)> {
    let text = include_str!("../../../../vectors/shuffling.csv");
    let case = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].into(), cells[1].parse().unwrap(), cells[2].parse().unwrap(), cells[3].parse().unwrap())
    };
    text.lines().skip(1).map(case).collect()
}

/// Whether a bound is that of the exact sums: never below, and above by no more than its blocks explain.
fn is_the_sum(bound: impl Fn(&Epsilon, u64, f64) -> f64) -> Result<(), String> {
    for (local, reports, at, exact) in vectors() {
        let found = bound(&local.parse().unwrap(), reports, at);
        // The exact value was rounded to a double.
        if found < exact * (1.0 - 1e-15) || found > exact * 1.02 + 1e-30 {
            return Err(format!("ε₀ = {local}, n = {reports}, ε = {at}: {found:e} for {exact:e}"));
        }
    }
    Ok(())
}

#[test]
fn the_bound_is_the_exact_sum_over_clones() {
    assert!(vectors().len() > 100);
    is_the_sum(shuffled_delta_up).unwrap();
}

#[test]
fn a_wrong_number_of_reports_or_a_wrong_epsilon_is_found() {
    let half = |local: &Epsilon| epsilon(0.5 * local.to_f64_up());
    assert!(is_the_sum(|local, n, at| shuffled_delta_up(local, n + 1, at)).is_err());
    assert!(is_the_sum(|local, n, at| shuffled_delta_up(local, n.saturating_sub(1), at)).is_err());
    assert!(is_the_sum(|local, n, at| shuffled_delta_up(&half(local), n, at)).is_err());
    assert!(is_the_sum(|local, n, at| shuffled_delta_up(local, n, at * 1.001)).is_err());
    assert!(is_the_sum(|local, n, at| 0.99 * shuffled_delta_up(local, n, at)).is_err());
}

/// A mechanism with finitely many records and reports: the probability of each report for each record.
type Mechanism = Vec<Vec<f64>>;

/// The ε₀ of a mechanism, a little above.
fn local_epsilon(mechanism: &Mechanism) -> f64 {
    let mut largest = 0.0_f64;
    for one in mechanism {
        for other in mechanism {
            largest = one.iter().zip(other).map(|(p, q)| (p / q).ln()).fold(largest, f64::max);
        }
    }
    largest * (1.0 + 1e-12) + 1e-12
}

/// The distribution of how often each report occurs.
fn shuffled(mechanism: &Mechanism, records: &[usize]) -> BTreeMap<Vec<u8>, f64> {
    let mut all = BTreeMap::from([(vec![0; mechanism[0].len()], 1.0)]);
    for &record in records {
        let mut next = BTreeMap::new();
        for (counts, probability) in &all {
            for (report, p) in mechanism[record].iter().enumerate() {
                let mut counts = counts.clone();
                counts[report] += 1;
                *next.entry(counts).or_insert(0.0) += probability * p;
            }
        }
        all = next;
    }
    all
}

/// The largest δ at ε over two records of the first person and all records of the others.
fn exact_delta(mechanism: &Mechanism, reports: usize, at: f64) -> f64 {
    let inputs = mechanism.len();
    let mut largest = 0.0_f64;
    for others in 0..inputs.pow(reports as u32 - 1) {
        let others: Vec<usize> = (0..reports as u32 - 1).map(|i| others / inputs.pow(i) % inputs).collect();
        if others.windows(2).any(|pair| pair[0] > pair[1]) {
            continue;
        }
        let with = |first: usize| shuffled(mechanism, &[&[first], &others[..]].concat());
        for one in 0..inputs {
            let p = with(one);
            for other in (0..inputs).filter(|&other| other != one) {
                let q = with(other);
                largest = largest.max(p.iter().map(|(counts, p)| (p - at.exp() * q[counts]).max(0.0)).sum());
            }
        }
    }
    largest
}

fn randomised_response(inputs: usize, local: f64) -> Mechanism {
    let all = local.exp() + inputs as f64 - 1.0;
    (0..inputs).map(|x| (0..inputs).map(|y| if x == y { local.exp() / all } else { 1.0 / all }).collect()).collect()
}

#[test]
fn randomised_response_reveals_no_more_than_the_bound() {
    let (mut cases, mut nearest) = (0, f64::INFINITY);
    for (inputs, most) in [(2, 12), (3, 6), (4, 5)] {
        for local in [0.1, 0.7, 1.5, 3.0] {
            let mechanism = randomised_response(inputs, local);
            for reports in 1..=most {
                for at in [0.0, 0.2, 0.5, 0.8].map(|part| part * local) {
                    let exact = exact_delta(&mechanism, reports, at);
                    let bound = shuffled_delta_up(&epsilon(local_epsilon(&mechanism)), reports as u64, at);
                    assert!(bound >= exact * (1.0 - 1e-10), "{inputs} answers, {reports} reports: {bound} < {exact}");
                    nearest = nearest.min(bound / exact);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 300 && nearest < 1.001, "the bound is reached, to {nearest}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_mechanism_reveals_no_more_than_the_bound(
        weights in prop::collection::vec(prop::collection::vec(1.0..8.0_f64, 3), 3),
        reports in 2_usize..5,
        part in 0.0..1.0_f64,
    ) {
        let normal = |row: &Vec<f64>| row.iter().map(|w| w / row.iter().sum::<f64>()).collect();
        let mechanism: Mechanism = weights.iter().map(normal).collect();
        let local = local_epsilon(&mechanism);
        let exact = exact_delta(&mechanism, reports, part * local);
        let bound = shuffled_delta_up(&epsilon(local), reports as u64, part * local);
        prop_assert!(bound >= exact - 1e-12, "{} < {}", bound, exact);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn more_reports_hide_better_and_a_larger_epsilon_worse(local in 0.1..8.0_f64, reports in 2_u64..10_000) {
        let delta = "1e-7".parse().unwrap();
        let here = shuffled_epsilon_up(&epsilon(local), reports, &delta).to_f64_up();
        prop_assert!(here <= local.next_up().next_up());
        prop_assert!(shuffled_epsilon_up(&epsilon(local), 2 * reports, &delta).to_f64_up() <= here * 1.0001);
        prop_assert!(shuffled_epsilon_up(&epsilon(1.1 * local), reports, &delta).to_f64_up() >= here * 0.9999);
    }
}

#[test]
fn the_search_returns_what_it_tried_and_the_closed_forms_are_larger() {
    let mut compared = 0;
    for local in ["0.1", "0.5", "1", "2", "4", "8"] {
        for reports in [1_000, 30_000, 1_000_000] {
            for delta in ["1e-5", "1e-8", "1e-12"] {
                let (local, level) = (local.parse::<Epsilon>().unwrap(), delta.parse().unwrap());
                let found = shuffled_epsilon_up(&local, reports, &level);
                let at = found.amount().to_f64_down();
                assert!(shuffled_delta_up(&local, reports, at) <= delta.parse::<f64>().unwrap() * 1.001);
                let below = shuffled_delta_up(&local, reports, 0.999 * at);
                assert!(found == local || below > delta.parse().unwrap(), "a smaller ε would do");
                // Hiding among the clones (2021), and the sharper paper of 2023.
                let (e0, n, d) = (local.to_f64_up(), reports as f64, delta.parse::<f64>().unwrap());
                if e0 <= (n / (16.0 * (2.0 / d).ln())).ln() {
                    let inner = 8.0 * (e0.exp() * (4.0 / d).ln() / n).sqrt() + 8.0 * e0.exp() / n;
                    assert!(found.to_f64_up() < (1.0 + (e0.exp() - 1.0) / (e0.exp() + 1.0) * inner).ln());
                }
                if let Some(closed) = shuffled_epsilon_closed_form_up(&local, reports, &level) {
                    assert!(found.to_f64_up() < closed, "{local:?}, {reports}: {found} and {closed}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 25, "{compared}");
    let level = "1e-8".parse().unwrap();
    let many = shuffled_epsilon_up(&epsilon(8.0), 100_000_000, &level).to_f64_up();
    assert!(many < shuffled_epsilon_closed_form_up(&epsilon(8.0), 100_000_000, &level).unwrap());
}

#[test]
fn numbers_at_the_edge_promise_nothing_too_good() {
    let (one, level) = (epsilon(1.0), "1e-6".parse().unwrap());
    assert_eq!(shuffled_epsilon_up(&one, 0, &level), one);
    assert_eq!(shuffled_epsilon_up(&one, 1, &level), one);
    assert_eq!(shuffled_epsilon_up(&epsilon(100.0), 1 << 60, &level), epsilon(100.0));
    assert_eq!(shuffled_epsilon_up(&one, 1000, &"0".parse().unwrap()), one);
    assert_eq!(shuffled_delta_up(&one, 1000, 1.0), 0.0);
    assert_eq!(shuffled_delta_up(&one, 1000, f64::NAN), 1.0);
    assert_eq!(shuffled_delta_up(&one, 1000, -0.1), 1.0);
    assert_eq!(shuffled_delta_up(&epsilon(1000.0), 1000, 1.0), 1.0);
    // One report alone: the total variation distance of randomised response at ε = 0.
    let alone = shuffled_delta_up(&one, 1, 0.0);
    assert!((alone - 1.0_f64.exp_m1() / (1.0_f64.exp() + 1.0)).abs() < 1e-12);
    assert!(shuffled_epsilon_up(&one, u64::MAX, &level).to_f64_up() < 0.001);
    assert!(shuffled_epsilon_closed_form_up(&one, 10, &level).is_none());
    assert!(shuffled_epsilon_closed_form_up(&one, 1000, &"0".parse().unwrap()).is_none());
}

#[test]
fn the_claim_towards_the_public_names_its_conditions() {
    let report = Claim {
        neighbours: Neighbours::AnyTwoInputs,
        loss: Loss::Pure(epsilon(2.0)),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into(),
    };
    let level = "1e-6".parse().unwrap();
    let hidden = report.hidden_among(10_000, &level).unwrap();
    let expected = shuffled_epsilon_up(&epsilon(2.0), 10_000, &level);
    assert_eq!(hidden.loss, Loss::Approximate { epsilon: expected, delta: level.clone() });
    assert_eq!(hidden.neighbours, Neighbours::ReplaceOne);
    for condition in [
        Assumption::BoundsPublic,
        Assumption::OneReportPerPerson,
        Assumption::OnlyResultsPublished,
        Assumption::OthersAsDescribed,
    ] {
        assert!(hidden.assumes.contains(&condition), "{condition:?}");
    }
    let words = hidden.sentence();
    assert!(words.contains("which of two records a given person has"), "{words}");
    assert!(words.contains("when one person's record is replaced"), "{words}");
    assert!(words.contains("not the reports, their order or who sent them"), "{words}");
    // Too few to hide among: what holds for the report itself holds for the result, without a δ.
    assert_eq!(report.hidden_among(1, &level).unwrap().loss, Loss::Pure(epsilon(2.0)));
    let far = Claim { loss: Loss::PerDistance(epsilon(2.0)), ..report.clone() };
    assert_eq!(far.hidden_among(10_000, &level), None);
    let table = Claim { neighbours: Neighbours::AddRemoveOne, ..report };
    assert_eq!(table.hidden_among(10_000, &level), None);
}

/// ε at δ = 1e-8 by the same sums in plain doubles, computed by another program: the figures of docs/devices.md, rounded.
#[test]
fn figures_are_those_of_another_program() {
    for (local, reports, expected) in [
        (2.0, 1_000, 0.4977),
        (2.0, 10_000, 0.1461),
        (2.0, 1_000_000, 0.0130),
        (4.0, 1_000, 2.8499),
        (4.0, 10_000, 0.5153),
        (4.0, 1_000_000, 0.0451),
        (8.0, 10_000, 8.0),
        (8.0, 100_000, 1.5477),
        (8.0, 1_000_000, 0.3816),
    ] {
        let found = shuffled_epsilon_up(&epsilon(local), reports, &"1e-8".parse().unwrap()).to_f64_up();
        assert!((found / expected - 1.0).abs() < 0.01, "ε₀ = {local}, n = {reports}: {found} for {expected}");
    }
}
