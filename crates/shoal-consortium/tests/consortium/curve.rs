//! The (ε′, δ′) curve of codes against values from another program, and against what must hold of any such curve.

use proptest::prelude::*;
use shoal_consortium::promise::{Curve, Draw};
use shoal_privacy::Epsilon;

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn draws(text: &str) -> Vec<Draw> {
    let one = |part: &str| {
        let (bits, share) = part.split_once(':').unwrap();
        let (telling, positions) = share.split_once('/').unwrap();
        let number = |text: &str| text.parse().unwrap();
        Draw { bits: number(bits), telling: number(telling), positions: number(positions) }
    };
    text.split('+').map(one).collect()
}

struct Row {
    name: String,
    curve: Curve,
    at: f64,
    delta: f64,
}

fn rows() -> Vec<Row> {
    let text = include_str!("../../../../vectors/dpbv_curve.csv");
    let rows: Vec<Row> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Row {
                name: line.into(),
                curve: Curve::over_the_draw(&epsilon(cells[0]), draws(cells[1])),
                at: cells[2].parse().unwrap(),
                delta: cells[3].parse().unwrap(),
            }
        })
        .collect();
    assert!(rows.len() > 50);
    rows
}

/// Never below the truth, and hardly above.
#[test]
fn deltas_are_those_of_another_program_rounded_up() {
    for Row { name, curve, at, delta } in rows() {
        let ours = curve.delta_up(at);
        assert!(curve.is_tight());
        assert!(ours >= delta * (1.0 - 1e-15), "{name}: {ours:e} is below");
        // What rounding may come to grows with the bits, and is added.
        let bits: u64 = draws(name.split(',').nth(1).unwrap()).iter().map(|draw| draw.bits).sum();
        let slack = 1e-9 + 4e-15 * bits as f64;
        assert!(ours <= delta * (1.0 + slack) + 1e-55, "{name}: {ours:e} is far above");
    }
}

#[test]
fn epsilons_are_those_of_another_program_rounded_up() {
    for Row { name, curve, at, delta } in rows().into_iter().filter(|row| row.delta < 0.999 && row.delta > 1e-50) {
        let ours = curve.epsilon_up(delta);
        assert!(ours >= at * (1.0 - 1e-12), "{name}: {ours} is below");
        assert!(ours <= at + 1e-6 * at.max(1.0), "{name}: {ours} is far above");
        assert!(curve.delta_up(ours) <= delta, "{name}: it does not hold at {ours}");
    }
}

/// The figures that are quoted: s = 1000, t = 25 on a range of 50, ε = 1, δ = 1e-6.
#[test]
fn the_papers_setting_costs_what_is_said() {
    let fixed = |bits| Curve::of_bits(&epsilon("1"), bits).epsilon_up(1e-6);
    assert!((fixed(1000) - 591.0).abs() < 1.0, "{}", fixed(1000));
    assert!((fixed(64_000) - 30_600.0).abs() < 100.0, "{}", fixed(64_000));
    for (telling, expected) in [(1, 6.9), (10, 21.0), (100, 94.0)] {
        let curve = Curve::over_the_draw(&epsilon("1"), vec![Draw { bits: 1000, telling, positions: 1000 }]);
        let ours = curve.epsilon_up(1e-6);
        assert!((ours / expected - 1.0).abs() < 0.02, "{telling} in 1000: {ours}");
    }
}

/// The tests above would notice a curve of two bits more.
#[test]
fn wrong_curves_are_told_apart() {
    for Row { name, at, delta, .. } in rows().iter().filter(|row| (1e-40..0.99).contains(&row.delta)) {
        let cells: Vec<&str> = name.split(',').collect();
        let mut more = draws(cells[1]);
        more[0].bits += 2;
        let wrong = Curve::over_the_draw(&epsilon(cells[0]), more).delta_up(*at);
        assert!((wrong / delta - 1.0).abs() > 1e-9, "{name}: two bits more change nothing");
    }
}

/// A bound is used for very many bits; it holds and is not far off.
#[test]
fn many_bits_get_a_bound_that_is_not_far_off() {
    let near = Curve::of_bits(&epsilon("0.001"), 1 << 26);
    let far = Curve::of_bits(&epsilon("0.001"), (1 << 26) + 1);
    assert!(near.is_tight() && !far.is_tight());
    let (tight, bound) = (near.epsilon_up(1e-6), far.epsilon_up(1e-6));
    assert!(tight < bound && bound < 1.2 * tight, "{tight} and {bound}");
    let delta = far.delta_up(bound);
    assert!((1e-7..=1.001e-6).contains(&delta), "{delta}");
    let decomposed = Curve::of_bits(&epsilon("1"), 1 << 40);
    assert!(decomposed.epsilon_up(1e-6) < decomposed.most_up());
}

#[test]
fn the_ends_are_right() {
    let curve = Curve::of_bits(&epsilon("1"), 10);
    assert_eq!(curve.delta_up(10.1), 0.0);
    assert!(curve.epsilon_up(0.0) >= 10.0 && curve.epsilon_up(f64::NAN) >= 10.0 && curve.epsilon_up(1e-300) >= 10.0);
    assert_eq!(curve.epsilon_up(1.0), 0.0);
    let nothing = Curve::over_the_draw(&epsilon("1"), vec![Draw { bits: 1000, telling: 0, positions: 10 }]);
    assert!(nothing.epsilon_up(1e-6) < 1e-300 && nothing.delta_up(0.0) <= 1e-300);
    // One flipped bit: δ(0) is its total variation, tanh(ε/2).
    let one = Curve::of_bits(&epsilon("1"), 1).delta_up(0.0);
    assert!((one - 0.5_f64.tanh()).abs() < 1e-12, "{one}");
    let strong = Curve::of_bits(&epsilon("2000"), 3);
    assert!(strong.delta_up(5000.0) >= 1.0 - 1e-12 && strong.epsilon_up(1e-6) <= 6000.1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// More bits, bits that separate values more often and a larger ε never give away less.
    #[test]
    fn it_is_monotone(bits in 1_u64..200, more in 0_u64..50, telling in 1_u64..=100, oftener in 0_u64..50, at in 0.0..30.0_f64) {
        let curve = |e: &str, bits, telling: u64| {
            Curve::over_the_draw(&epsilon(e), vec![Draw { bits, telling: telling.min(100), positions: 100 }])
        };
        let (less, most) = (curve("0.5", bits, telling), curve("0.6", bits + more, telling + oftener));
        prop_assert!(less.delta_up(at) <= most.delta_up(at) * (1.0 + 1e-9) + 1e-100);
        prop_assert!(less.epsilon_up(1e-5) <= most.epsilon_up(1e-5) * (1.0 + 1e-9) + 1e-12);
        prop_assert!(less.delta_up(at + 0.1) <= less.delta_up(at) * (1.0 + 1e-9));
    }

    /// Joining bits of two kinds that are alike is the same as counting them together.
    #[test]
    fn joining_is_counting(bits in 1_u64..100, others in 1_u64..100, telling in 1_u64..50, at in 0.0..20.0_f64) {
        let kind = |bits, times| Draw { bits, telling: telling * times, positions: 50 * times };
        let joined = Curve::over_the_draw(&epsilon("1"), vec![kind(bits, 1), kind(others, 2)]).delta_up(at);
        let counted = Curve::over_the_draw(&epsilon("1"), vec![kind(bits + others, 1)]).delta_up(at);
        prop_assert!((joined - counted).abs() <= 1e-9 * counted + 1e-50, "{joined} and {counted}");
    }
}
