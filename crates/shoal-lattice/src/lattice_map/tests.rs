use super::*;
use crate::Interval;
use proptest::prelude::*;

fn map(lo: f64, hi: f64) -> LatticeMap {
    LatticeMap::new(&Bounds::new(vec!["x".into()], vec![Interval::new(lo, hi).unwrap()]).unwrap())
}

#[test]
fn awkward_numbers_land_where_they_should() {
    let unit = map(-1.0, 1.0);
    assert_eq!(unit.to_lattice(0, -0.0), unit.to_lattice(0, 0.0));
    assert_eq!(unit.to_lattice(0, 0.0), Some(Lattice(0)));
    assert_eq!(unit.to_lattice(0, 5e-324), Some(Lattice(0)));
    assert_eq!(unit.to_lattice(0, 1e308), Some(Lattice(32_767)));
    assert_eq!(unit.to_lattice(0, -f64::MAX), Some(Lattice(-32_767)));
    for missing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(unit.to_lattice(0, missing), None);
    }
    let wide = map(0.0, f64::MAX);
    assert_eq!(wide.to_lattice(0, 1e308), Some(Lattice((65_534.0 * (1e308 / f64::MAX) - 32_767.0_f64).round() as i16)));
    let narrow = map(0.0, 5e-324);
    assert_eq!(
        (narrow.to_lattice(0, 0.0), narrow.to_lattice(0, 5e-324)),
        (Some(Lattice(-32_767)), Some(Lattice(32_767)))
    );
}

#[test]
fn a_tie_goes_to_the_even_step() {
    let whole = map(0.0, 65_534.0);
    assert_eq!(whole.to_lattice(0, 0.5), Some(Lattice(-32_767)));
    assert_eq!(whole.to_lattice(0, 1.5), Some(Lattice(-32_765)));
    assert_eq!(whole.to_lattice(0, 2.5), Some(Lattice(-32_765)));
}

#[test]
fn a_column_stops_at_the_first_missing_value() {
    let unit = map(-1.0, 1.0);
    let mut out = [0; 3];
    assert_eq!(unit.column_to_lattice(0, &[0.0, f64::NAN, f64::INFINITY], &mut out), Err(1));
    assert_eq!(unit.column_to_lattice(0, &[-1.0, 0.0, 1.0], &mut out), Ok(()));
    assert_eq!(out, [-32_767, 0, 32_767]);
}

fn interval() -> impl Strategy<Value = (f64, f64)> {
    (any::<f64>(), any::<f64>())
        .prop_map(|(a, b)| (a.min(b), a.max(b)))
        .prop_filter("an interval", |(lo, hi)| Interval::new(*lo, *hi).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn ends_are_exact_and_nothing_leaves_the_box((lo, hi) in interval(), x in any::<f64>()) {
        let map = map(lo, hi);
        prop_assert_eq!(map.to_lattice(0, lo), Some(Lattice(-32_767)));
        prop_assert_eq!(map.to_lattice(0, hi), Some(Lattice(32_767)));
        prop_assert_eq!(map.from_lattice(0, Lattice(-32_767)), lo);
        prop_assert_eq!(map.from_lattice(0, Lattice(32_767)), hi);
        if x.is_finite() {
            prop_assert!(map.to_lattice(0, x).unwrap() > Lattice(i16::MIN));
        }
    }

    #[test]
    fn larger_values_never_map_lower((lo, hi) in interval(), s in 0.0..=1.0f64, t in 0.0..=1.0f64) {
        let map = map(lo, hi);
        let at = |s: f64| lo + s * (hi - lo);
        let (a, b) = (at(s.min(t)), at(s.max(t)));
        prop_assert!(a > b || map.to_lattice(0, a).unwrap() <= map.to_lattice(0, b).unwrap());
        prop_assert!(map.to_lattice(0, a).unwrap() <= map.to_lattice(0, a.next_up().min(f64::MAX)).unwrap());
    }

    #[test]
    fn a_round_trip_moves_a_value_by_half_a_step_at_most((lo, hi) in interval(), s in 0.0..=1.0f64) {
        let map = map(lo, hi);
        let x = (lo + s * (hi - lo)).clamp(lo, hi);
        let back = map.from_lattice(0, map.to_lattice(0, x).unwrap());
        let last_digit = 4.0 * f64::EPSILON * lo.abs().max(hi.abs()) + 1e-322;
        prop_assert!((back - x).abs() <= (hi - lo) / STEPS * 0.5 * (1.0 + 1e-9) + last_digit);
    }

    #[test]
    fn box_units_agree_with_the_lattice((lo, hi) in interval(), s in 0.0..=1.0f64) {
        let map = map(lo, hi);
        let x = (lo + s * (hi - lo)).clamp(lo, hi);
        let coordinate = f64::from(map.to_lattice(0, x).unwrap().0);
        prop_assert!((map.to_box(0, x).0 * 32_767.0 - coordinate).abs() <= 0.5 + 1e-6);
    }

    #[test]
    fn a_column_maps_as_its_values_do((lo, hi) in interval(), values in prop::collection::vec(-1e9..1e9f64, 0..70)) {
        let map = map(lo, hi);
        let mut out = vec![0; values.len()];
        prop_assert_eq!(map.column_to_lattice(0, &values, &mut out), Ok(()));
        for (x, coordinate) in values.iter().zip(out) {
            prop_assert_eq!(map.to_lattice(0, *x), Some(Lattice(coordinate)));
        }
    }
}

/// A stretched or weighted column beside a plain one.
fn curved(lo: f64, hi: f64, scale: &str, weights: [f64; 2]) -> LatticeMap {
    let intervals = vec![Interval::new(lo, hi).unwrap(), Interval::new(0.0, 1.0).unwrap()];
    let bounds = Bounds::new(vec!["x".into(), "y".into()], intervals).unwrap();
    LatticeMap::new(&bounds.scaled(vec![scale.parse().unwrap(), Scale::Linear], weights.to_vec()).unwrap())
}

fn any_curve() -> impl Strategy<Value = (f64, f64, String)> {
    prop_oneof![
        (1e-3..1e3f64, 1e-3..1e6f64).prop_map(|(lo, width)| (lo, lo + width, "log".into())),
        (-0.999..1e3f64, 1e-3..1e6f64).prop_map(|(lo, width)| (lo, lo + width, "log1p".into())),
        (0.0..1e3f64, 1e-3..1e6f64).prop_map(|(lo, width)| (lo, lo + width, "sqrt".into())),
        (-1e3..1e3f64, 1e-3..1e6f64).prop_map(|(lo, width)| (lo, lo + width, "linear".into())),
        prop::collection::vec(1e-2..1e4f64, 1..8).prop_map(|parts| {
            let mut knots = vec![-5.0];
            parts.iter().for_each(|part| knots.push(knots[knots.len() - 1] + part));
            let scale = Scale::Rank(knots.clone());
            (knots[0], knots[knots.len() - 1], scale.to_string())
        }),
    ]
}

#[test]
fn scales_stretch_as_they_say() {
    let log = curved(1.0, 10_000.0, "log", [1.0, 1.0]);
    assert_eq!(log.to_lattice(0, 100.0), Some(Lattice(0)));
    assert!((log.to_user(0, BoxPosition(0.0)) - 100.0).abs() < 1e-9, "a geometric mean");
    assert_eq!(log.to_lattice(0, -3.0), Some(Lattice(-32_767)), "clamped before its logarithm is taken");
    assert_eq!(curved(0.0, 100.0, "sqrt", [1.0, 1.0]).to_lattice(0, 25.0), Some(Lattice(0)));
    let rank = curved(0.0, 250.0, "rank:0,10,30,80,250", [1.0, 1.0]);
    assert_eq!(rank.to_lattice(0, 30.0), Some(Lattice(0)));
    assert_eq!(rank.to_box(0, 20.0), BoxPosition(-0.25));
    assert_eq!(rank.to_user(0, BoxPosition(0.5)), 80.0);
    // Half the weight is half of the lattice, and the heavier column is as it was.
    let half = curved(0.0, 10.0, "linear", [1.0, 2.0]);
    assert_eq!(half.to_box(0, 10.0), BoxPosition(0.5));
    assert_eq!((half.to_user(0, BoxPosition(-0.25)), half.to_user(0, BoxPosition(0.9))), (2.5, 10.0));
    assert_eq!(half.to_box(1, 1.0), BoxPosition(1.0));
    // The same weight everywhere is none.
    assert!(curved(0.0, 10.0, "linear", [3.0, 3.0]).is_plain());
}

#[test]
fn what_makes_no_sense_is_refused_with_the_fix() {
    let bounds = |lo: f64| Bounds::new(vec!["x".into()], vec![Interval::new(lo, 9.0).unwrap()]).unwrap();
    let refused = |lo: f64, scale: &str| {
        let scaled = bounds(lo).scaled(vec![scale.parse().unwrap()], vec![1.0]);
        scaled.map_or_else(|error| error.to_string(), |_| "accepted".into())
    };
    assert!(refused(0.0, "log").contains("log1p") && refused(0.0, "log").contains("`x`"));
    assert!(refused(-1.0, "log1p").contains("above -1"));
    assert!(refused(-1.0, "sqrt").contains("0 or more"));
    assert!(refused(-1.0, "rank:0,9").contains("from 0 to 9"));
    for (lo, scale) in [(0.0, "log1p"), (0.1, "log"), (0.0, "sqrt"), (0.0, "rank:-1,3,9"), (0.0, "linear")] {
        assert_eq!(refused(lo, scale), "accepted", "{scale}");
    }
    for text in ["ln", "", "rank", "rank:", "rank:1", "rank:1,1", "rank:2,1", "rank:0,inf", "rank:0,x"] {
        assert!(text.parse::<Scale>().is_err(), "{text}");
    }
    assert!(bounds(0.0).scaled(vec![Scale::Linear], vec![0.0]).is_err());
    assert!(bounds(0.0).scaled(vec![Scale::Linear], vec![f64::NAN]).is_err());
    assert!(bounds(0.0).scaled(vec![], vec![1.0]).is_err());
    let two = Bounds::new(vec!["x".into(), "y".into()], vec![Interval::new(0.0, 1.0).unwrap(); 2]).unwrap();
    assert!(two.scaled(vec![Scale::Linear; 2], vec![1.0, 2000.0]).is_err());
}

#[test]
fn specifications_are_read_by_column() {
    let scaling = crate::Scaling::default().scales("a=log, b=rank:0,1,5,c=sqrt").unwrap().weights("a=2").unwrap();
    let bounds = Bounds::new(
        ["a", "b", "c"].map(String::from).to_vec(),
        [(1.0, 2.0), (0.0, 5.0), (0.0, 1.0)].map(|(lo, hi)| Interval::new(lo, hi).unwrap()).to_vec(),
    );
    let bounds = scaling.apply(bounds.unwrap()).unwrap();
    assert_eq!(bounds.scales()[1], Scale::Rank(vec![0.0, 1.0, 5.0]));
    assert_eq!((bounds.weights(), bounds.is_plain()), (&[2.0, 1.0, 1.0][..], false));
    for scale in bounds.scales() {
        let json = serde_json::to_string(scale).unwrap();
        assert_eq!(&serde_json::from_str::<Scale>(&json).unwrap(), scale);
    }
    assert!(serde_json::from_str::<Scale>("\"rank:3,1\"").is_err());
    for text in ["", "a", "=log", "a=ln", "a=log,a=sqrt", "1,2"] {
        assert!(crate::Scaling::default().scales(text).is_err(), "{text}");
    }
    for text in ["", "a", "a=0", "a=-1", "a=x", "a=inf", "a=1,a=2"] {
        assert!(crate::Scaling::default().weights(text).is_err(), "{text}");
    }
    assert!(scaling.check(&["a".into(), "b".into()]).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// What the claims rest on: whatever a row holds, it lies on the lattice, so that two tables that differ in it
    /// differ by no more than without a scale.
    #[test]
    fn no_value_leaves_the_lattice((lo, hi, scale) in any_curve(), weight in 0.01..50.0f64, x in any::<f64>()) {
        let map = curved(lo, hi, &scale, [weight, 1.0]);
        let part = weight / weight.max(1.0);
        for x in [x, lo, hi, 0.0, -0.0, -1.0, 5e-324, f64::MAX, f64::MIN] {
            if let Some(Lattice(at)) = map.to_lattice(0, x) {
                prop_assert!(f64::from(at.unsigned_abs()) <= (32_767.0 * part).ceil(), "{} at {}", x, at);
            }
            let mut out = [0];
            if x.is_finite() {
                map.column_to_lattice(0, &[x], &mut out).unwrap();
                prop_assert_eq!(Some(Lattice(out[0])), map.to_lattice(0, x));
            }
        }
        prop_assert_eq!((map.to_user(0, BoxPosition(-part)), map.to_user(0, BoxPosition(part))), (lo, hi));
    }

    #[test]
    fn a_stretched_value_comes_back_within_half_a_step((lo, hi, scale) in any_curve(), s in 0.0..=1.0f64, weight in 0.1..5.0f64) {
        let map = curved(lo, hi, &scale, [weight, 1.0]);
        let x = (lo + s * (hi - lo)).clamp(lo, hi);
        let at = map.to_lattice(0, x).unwrap();
        let back = map.from_lattice(0, at);
        prop_assert!((lo..=hi).contains(&back));
        prop_assert!((map.to_box(0, back).0 - map.to_box(0, x).0).abs() <= 0.5001 / 32_767.0);
        // Lengths come back, too.
        let length = map.length_in_user(0, at.in_box(), BoxLength(0.01));
        prop_assert!(length > 0.0 && length.is_finite());
        prop_assert!((map.length_in_box(0, at.in_box(), length).0 - 0.01).abs() < 1e-9);
    }

    #[test]
    fn stretching_keeps_the_order((lo, hi, scale) in any_curve(), s in 0.0..=1.0f64, t in 0.0..=1.0f64) {
        let map = curved(lo, hi, &scale, [1.0, 1.0]);
        let at = |s: f64| (lo + s * (hi - lo)).clamp(lo, hi);
        prop_assert!(map.to_lattice(0, at(s.min(t))).unwrap() <= map.to_lattice(0, at(s.max(t))).unwrap());
    }
}
