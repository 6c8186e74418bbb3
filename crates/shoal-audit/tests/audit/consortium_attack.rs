//! The attackers of SZY19 §VI do what their files say, and no better than they can.

use shoal_audit::consortium_attack::{KnownPlaintext, KnowsParameters, demonstrate};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_noise::{SeededNoise, uniform};

fn agreement(bits: u32, t: f64, epsilon: Option<&str>) -> Agreement {
    let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), t).unwrap();
    let flips = epsilon.map_or(Flips::None, |epsilon| Flips::PerBit(epsilon.parse().unwrap()));
    let terms = Terms::new(vec![attribute], bits, flips, Scale::Own).unwrap();
    Agreement::new(terms, AnchorSecret::from_seed(5))
}

fn encoded(agreement: &Agreement, values: &[i32], seed: u64) -> Codes {
    let encoder = Dpbv::new(agreement).unwrap();
    let mut noise = SeededNoise::new(seed);
    let mut codes = Codes::new(agreement.terms());
    let mut record = vec![0; codes.record_words()];
    for &x in values {
        encoder.encode(&[x], &mut noise, &mut record);
        codes.extend(&record);
    }
    codes
}

fn uniform_values(n: usize, seed: u64) -> Vec<i32> {
    let mut random = SeededNoise::new(seed);
    (0..n).map(|_| uniform::below(&mut random, STEPS + 1) as i32).collect()
}

/// Bayes by the book: every position, every bit.
#[test]
fn the_posterior_is_that_of_every_position_tried() {
    for (bits, t, epsilon) in [(12, 25.0, Some("1")), (30, 4.0, Some("0.3")), (70, 10.0, Some("2")), (20, 12.0, None)] {
        let agreement = agreement(bits, t, epsilon);
        let anchors = &agreement.anchors()[0];
        let codes = encoded(&agreement, &[31_000], 8);
        let code = codes.code(0, 0);
        let sent = |i: usize| code[i / 64] >> (i % 64) & 1 == 1;
        let weight = |x: i32| {
            let wrong = (0..anchors.len()).filter(|&i| anchors.bit(i, x) != sent(i)).count() as f64;
            match epsilon {
                Some(epsilon) => (-wrong * epsilon.parse::<f64>().unwrap()).exp(),
                None => f64::from(u8::from(wrong == 0.0)),
            }
        };
        let weights: Vec<f64> = (0..=STEPS as i32).map(weight).collect();
        let total: f64 = weights.iter().sum();
        for cell in KnowsParameters::new(anchors, agreement.terms().flips()).posterior(code) {
            let here: f64 = weights[cell.from as usize..=cell.to as usize].iter().sum::<f64>() / total;
            assert!((cell.weight - here).abs() < 1e-9, "{cell:?} has {here}");
        }
    }
}

/// Its 95 % intervals hold 95 % of 2,000 uniform values (five standard errors are 2.4 %); those of an attacker who is too
/// sure of the bits do not.
#[test]
fn intervals_hold_as_often_as_they_say() {
    let agreement = agreement(200, 25.0, Some("0.4"));
    let values = uniform_values(2_000, 1);
    let codes = encoded(&agreement, &values, 2);
    let anchors = agreement.anchors();
    let held_with = |epsilon: &str| {
        let attacker = KnowsParameters::new(&anchors[0], &Flips::PerBit(epsilon.parse().unwrap()));
        let held = |i: &usize| {
            let found = attacker.locate(codes.code(*i, 0));
            (found.low - 0.5..=found.high + 0.5).contains(&f64::from(values[*i]))
        };
        (0..values.len()).filter(held).count() as f64 / values.len() as f64
    };
    assert!((held_with("0.4") - 0.95).abs() < 0.024, "{}", held_with("0.4"));
    assert!((held_with("0.6") - 0.95).abs() > 0.024, "{}", held_with("0.6"));
}

#[test]
fn known_records_place_the_others() {
    let agreement = agreement(4_000, 25.0, None);
    let values = [10_000, 50_000, 60_000, 33_000, 5_000];
    let codes = encoded(&agreement, &values, 3);
    let place = |known: usize, i: usize| {
        let known = (0..known).map(|i| (values[i], codes.code(i, 0))).collect();
        KnownPlaintext::new(agreement.terms(), 0, known).locate(codes.code(i, 0)) / STEPS as f64
    };
    for (i, value) in values.iter().enumerate().skip(3) {
        let truth = f64::from(*value) / STEPS as f64;
        assert!((place(3, i) - truth).abs() < 0.02, "{} for {truth}", place(3, i));
    }
    // With one known record, at 10,000 steps, a value above it and one below it are both at their distance.
    let above = place(1, 3);
    assert!((above - 33_000.0 / STEPS as f64).abs() < 0.02, "the other side is out of the range: {above}");
}

/// What users are shown: with the published parameters everyone is found, with next to nothing in the bits nobody is.
#[test]
fn the_published_parameters_give_people_away_and_tiny_ones_do_not() {
    let values = uniform_values(150, 4);
    let published = agreement(1000, 25.0, Some("1"));
    let shown = demonstrate(&published, 0, &encoded(&published, &values, 5), &values, &[1, 10]);
    assert_eq!(shown.attacks.len(), 4);
    for attack in &shown.attacks {
        let sure = if attack.attacker == "known plaintext" && attack.knows.contains("1 record") { 1.0 } else { 0.5 };
        assert!(attack.mean_error < sure * attack.guess_error, "{attack:?}");
    }
    let owner = &shown.attacks[3];
    assert!(owner.close > 0.9 && owner.interval.unwrap() < 0.15, "{owner:?}");
    let little = agreement(2, 25.0, Some("0.05"));
    let shown = demonstrate(&little, 0, &encoded(&little, &values, 6), &values, &[10]);
    for attack in &shown.attacks {
        // No better than the guess, and attackers know when there is nothing to learn.
        let ratio = attack.mean_error / attack.guess_error;
        assert!((0.9..1.1).contains(&ratio), "{attack:?}");
    }
}
