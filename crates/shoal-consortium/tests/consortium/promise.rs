//! What codes promise: counted on the anchors, stated, limited; and never what is published.

use proptest::prelude::*;
use shoal_consortium::promise::{AtDistance, Reach, at_distance, published};
use shoal_consortium::{Agreement, AnchorSecret, Anchors, Attribute, Flips, Limit, Partition, Promise, Scale, Terms};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_privacy::{Assumption, Delta, Epsilon, Guarantee, Loss, Neighbours, NoGuarantee, Numerics};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn delta(text: &str) -> Delta {
    text.parse().unwrap()
}

fn terms(dims: usize, bits: u32, flips: Flips, t: f64) -> Terms {
    let attribute = |i| Attribute::new(format!("c{i}"), Interval::new(0.0, 50.0).unwrap(), t).unwrap();
    Terms::new((0..dims).map(attribute).collect(), bits, flips, Scale::Own).unwrap()
}

fn dpbv(dims: usize, bits: u32, per_bit: &str, t: f64) -> Terms {
    terms(dims, bits, Flips::PerBit(epsilon(per_bit)), t)
}

/// All pairs of values at once: one of each stretch of equal codes, with the nearest values of two stretches.
fn by_all_values(anchors: &Anchors, steps: i32) -> u64 {
    let code = |x: i32| (0..anchors.len()).map(|i| anchors.bit(i, x)).collect::<Vec<_>>();
    let mut values: Vec<i32> = vec![0, STEPS as i32];
    for r in anchors.positions() {
        let t = anchors.t_steps() as i32;
        values.extend([r - t - 1, r - t, r + t, r + t + 1]);
    }
    values.retain(|x| (0..=STEPS as i32).contains(x));
    values.sort_unstable();
    values.dedup();
    let codes: Vec<_> = values.iter().map(|&x| code(x)).collect();
    let mut most = 0;
    for (i, x) in values.iter().enumerate() {
        for (j, y) in values.iter().enumerate().skip(i) {
            if y - x <= steps {
                most = most.max(codes[i].iter().zip(&codes[j]).filter(|(a, b)| a != b).count());
            }
        }
    }
    most as u64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The count is that of trying all values, within 2t and beyond, and grows with the distance.
    #[test]
    fn reach_is_what_trying_all_values_gives(
        t in prop_oneof![1_u32..40, 1000_u32..70_000],
        raw in prop::collection::vec(any::<u32>(), 1..12),
        steps in prop_oneof![0_u64..200, 0..=STEPS],
        gathered in any::<bool>(),
    ) {
        let spread = if gathered { 200 } else { STEPS as u32 + 2 * t + 1 };
        let positions: Vec<i32> = raw.iter().map(|r| (r % spread) as i32 - t as i32).collect();
        let anchors = Anchors::from_positions(positions, t);
        let reach = Reach::new(&anchors);
        let found = reach.most_differing(steps);
        prop_assert!(found.exact);
        prop_assert_eq!(found.bits, by_all_values(&anchors, steps as i32));
        prop_assert!(reach.most_differing(steps / 2).bits <= found.bits);
        prop_assert!(found.bits <= anchors.len() as u64);
    }
}

/// With few enough lattice values all of them can be tried, not only those near edges.
#[test]
fn reach_on_every_value_of_a_stretch() {
    let anchors = Anchors::from_positions(vec![10, 14, 15, 40, 41, 60, 30], 5);
    let code = |x: i32| (0..7).map(|i| anchors.bit(i, x)).collect::<Vec<_>>();
    let reach = Reach::new(&anchors);
    for steps in [1, 2, 5, 9, 10, 11, 12, 20, 40, 100] {
        let mut most = 0;
        for x in 0..120 {
            for y in x..=(x + steps).min(120) {
                most = most.max(code(x).iter().zip(&code(y)).filter(|(a, b)| a != b).count() as u64);
            }
        }
        assert_eq!(reach.most_differing(steps as u64).bits, most, "{steps} steps");
    }
}

/// With too many codes to compare, a bound that is not below.
#[test]
fn many_codes_get_a_bound() {
    let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 2.0).unwrap();
    let anchors = Anchors::draw(&attribute, 6000, &mut shoal_noise::SeededNoise::new(3));
    let reach = Reach::new(&anchors);
    let within = reach.most_differing(2 * u64::from(attribute.t_steps));
    let whole = reach.most_differing(STEPS);
    assert!(within.exact && !whole.exact && whole.bits >= within.bits && whole.bits <= 6000);
}

#[test]
fn the_guarantee_counts_the_agreed_anchors() {
    let agreement = Agreement::new(dpbv(2, 100, "0.5", 5.0), AnchorSecret::from_seed(1));
    let promise = Promise::of_agreement(&agreement, Partition::Records, None).unwrap();
    let bits: u64 = agreement.anchors().iter().map(|anchors| by_all_values(anchors, STEPS as i32)).sum();
    assert!(bits < 200, "windows this narrow never make all bits differ: {bits}");
    assert_eq!(promise.differing.bits, bits);
    let claim = promise.guarantee.claim().unwrap();
    let pure = epsilon("0.5").times(&shoal_privacy::Amount::ratio(bits, 1));
    assert_eq!(claim.loss, Loss::Pure(pure.clone()));
    assert_eq!(promise.pure, Some(pure));
    assert_eq!((&claim.neighbours, claim.numerics), (&Neighbours::AnyTwoInputs, Numerics::Exact));
    assert!(
        claim.assumes.contains(&Assumption::BoundsPublic) && claim.assumes.contains(&Assumption::OneReportPerPerson)
    );
    let unknown = Promise::of_terms(agreement.terms(), Partition::Records, None).unwrap();
    assert_eq!(unknown.pure, Some(epsilon("100")));
    let complete = promise.assuming([Assumption::RowsComplete]);
    assert!(complete.guarantee.claim().unwrap().assumes.contains(&Assumption::RowsComplete));
}

#[test]
fn a_delta_helps_or_is_left_out() {
    let terms = dpbv(64, 1000, "1", 25.0);
    let with = Promise::of_terms(&terms, Partition::Records, Some(&delta("1e-6"))).unwrap();
    let Loss::Approximate { epsilon: found, .. } = &with.guarantee.claim().unwrap().loss else { panic!("{with:?}") };
    assert!((found.to_f64_up() - 30_600.0).abs() < 100.0, "{found}");
    assert_eq!(with.pure, Some(epsilon("64000")));
    let few = Promise::of_terms(&dpbv(1, 1, "1", 25.0), Partition::Records, Some(&delta("1e-6"))).unwrap();
    let few = few.loss_at(Some(&delta("0"))).unwrap().into_owned();
    assert_eq!(few, Loss::Pure(epsilon("1")));
}

#[test]
fn pairs_add_up_over_all_other_records() {
    let terms = dpbv(4, 10, "1", 25.0);
    let of = |records| Promise::of_terms(&terms, Partition::Pairs { records }, None).unwrap();
    assert_eq!(of(101).pure, Some(epsilon("8000")), "100 pairs, two codes of 40 bits each");
    assert_eq!(of(1).pure, Some(epsilon("0")), "one record alone is in no pair");
    let agreement = Agreement::new(terms.clone(), AnchorSecret::from_seed(5));
    let agreed = Promise::of_agreement(&agreement, Partition::Pairs { records: 101 }, None).unwrap();
    assert!(agreed.pure.unwrap() <= epsilon("8000"));
}

#[test]
fn unflipped_bits_and_seeds_promise_nothing() {
    let bare = Promise::of_terms(&terms(2, 100, Flips::None, 25.0), Partition::Records, None).unwrap();
    assert_eq!(bare.guarantee, Guarantee::Void { none: NoGuarantee::NotPrivate });
    assert_eq!(bare.clone().with_seeded_noise().guarantee, bare.guarantee);
    let seeded = Promise::of_terms(&dpbv(1, 5, "1", 25.0), Partition::Records, None).unwrap().with_seeded_noise();
    assert_eq!(seeded.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
    let limit = Limit { epsilon: epsilon("1000"), delta: None };
    for nothing in [bare, seeded] {
        assert!(nothing.pure.is_none());
        let error = nothing.within(&limit).unwrap_err().to_string();
        assert!(error.contains("promise nothing"), "{error}");
    }
}

#[test]
fn limits_are_kept_to_the_last_digit() {
    let promise = Promise::of_terms(&dpbv(1, 1000, "1", 25.0), Partition::Records, None).unwrap();
    let limit = |e: &str, d: Option<&str>| Limit { epsilon: epsilon(e), delta: d.map(delta) };
    assert!(promise.within(&limit("1000", None)).is_ok());
    assert!(promise.within(&limit("999.999999", None)).is_err());
    assert!(promise.within(&limit("592", Some("1e-6"))).is_ok());
    let error = promise.within(&limit("590", Some("1e-6"))).unwrap_err().to_string();
    assert!(error.contains("price::afford") && error.contains("the limit is (ε = 590, δ = 1e-6)"), "{error}");
}

/// The published claim is shown beside the guarantee and never as one.
#[test]
fn the_published_claim_is_never_a_guarantee() {
    for (dims, per_bit, bits) in [(1, "1", 1000), (64, "1", 1000), (1, "2", 1000), (1, "1", 5)] {
        let promise = Promise::of_terms(&dpbv(dims, bits, per_bit, 25.0), Partition::Records, None).unwrap();
        let published = promise.published.as_ref().unwrap();
        assert_eq!(published.paper, "SZY19");
        let delta_digits = published.text.split([' ', ')']).nth(1).unwrap();
        for delta in [None, Some(delta("1e-6")), Some(delta("1e-12"))] {
            let promise =
                Promise::of_terms(&dpbv(dims, bits, per_bit, 25.0), Partition::Records, delta.as_ref()).unwrap();
            let json = serde_json::to_string(&promise.guarantee).unwrap();
            let shown = [promise.guarantee.sentence(), promise.guarantee.to_string(), json];
            for text in shown {
                assert!(!text.contains("LDP") && !text.contains(delta_digits), "{text}");
            }
            let loss = &promise.guarantee.claim().unwrap().loss;
            let stated = loss.epsilon_at_up(&"0.000001".parse().unwrap()).unwrap();
            assert!(stated > epsilon(per_bit), "{dims} × {bits}: {stated}");
        }
    }
    assert!(published::claim(&epsilon("1"), 1000, 64).text.contains("per value"));
}

#[test]
fn statements_side_by_side() {
    let terms = dpbv(64, 1000, "1", 25.0);
    let at = |share: f64, whole| {
        at_distance(&terms, None, (share * STEPS as f64).round() as u64, whole, Some(&delta("1e-6"))).unwrap()
    };
    for (share, expected) in [(0.001, 6.9), (0.01, 21.0), (0.1, 94.0)] {
        let AtDistance { over_the_draw, mean_bits, mean_loss, .. } = at(share, false);
        assert!((over_the_draw.unwrap() / expected - 1.0).abs() < 0.03, "{share}: {over_the_draw:?}");
        assert!((mean_bits / (1000.0 * share) - 1.0).abs() < 0.01);
        assert!((mean_loss / (1000.0 * share * 0.5_f64.tanh()) - 1.0).abs() < 0.01);
    }
    let whole = at(1.0, true);
    assert_eq!((whole.attributes, whole.pure), (64, epsilon("64000")));
    assert!((whole.over_the_draw.unwrap() - 30_600.0).abs() < 100.0);
    let agreement = Agreement::new(terms.clone(), AnchorSecret::from_seed(2));
    let near = at_distance(&terms, Some(&agreement), STEPS / 1000, false, None).unwrap();
    assert!(near.pure < epsilon("20") && near.approximate.is_none(), "{near:?}");
    assert!(at_distance(&self::terms(1, 10, Flips::None, 25.0), None, 5, true, None).is_none());
}
