//! Designs as JSON: they come back as they were, and whatever is wrong with one is named.

use proptest::prelude::*;
use shoal_device::{BpgmForm, Design, DesignError, Ending, Mechanism, Sampler};
use shoal_lattice::{Bounds, Interval};
use shoal_privacy::{Amount, Epsilon};

fn commute() -> Design {
    let intervals = vec![Interval::new(17.0, 90.0).unwrap(), Interval::new(-0.0025, 99.5).unwrap()];
    let bounds = Bounds::new(vec!["age".into(), "h\"ours\\ ✓".into()], intervals).unwrap();
    let mechanism = Mechanism::Bpm { radius_steps: 131_068 };
    Design::new(mechanism, "1/3".parse().unwrap(), bounds).unwrap().with_identifier("commute-2026").unwrap()
}

/// Other programs compute the digest, too: this one never changes while the version is 1.
#[test]
fn canonical_form_and_digest_are_fixed() {
    assert_eq!(
        commute().canonical_form(),
        r#"{"version":1,"identifier":"commute-2026","mechanism":{"name":"bpm","radius_steps":131068},"epsilon":"1/3","sampler":"exact","columns":["age","h\"ours\\ ✓"],"bounds":[["1.7e1","9e1"],["-2.5e-3","9.95e1"]],"steps":65534}"#
    );
    assert_eq!(commute().digest(), "cb73600f898d0364072f9a6b6c53505472f6c7200ec1a137cfa890cbfb64c566");
}

#[test]
fn equal_designs_have_one_digest_however_they_are_written() {
    let design = |epsilon: &str, lo: f64| {
        let bounds = Bounds::new(vec!["x".into()], vec![Interval::new(lo, 1e300).unwrap()]).unwrap();
        Design::new(Mechanism::Laplace, epsilon.parse().unwrap(), bounds).unwrap()
    };
    assert_eq!(design("0.5", 0.0).digest(), design("5e-1", -0.0).digest());
    assert_eq!(design("0.5", 0.0).digest(), design("2/4", 0.0).digest());
    assert_ne!(design("0.5", 0.0).digest(), design("0.5", 5e-324).digest());
    let design = design("0.5", 0.0);
    assert_ne!(design.digest(), design.clone().with_identifier("x").unwrap().digest());
    let terse = r#"{"sampler":"exact","steps":65534,"bounds":[[0,1e300]],"columns":["x"],
                    "mechanism":{"name":"laplace"},"epsilon":"5e-1","version":1}"#;
    assert_eq!(Design::from_json(terse).unwrap(), design);
    assert!(!design.to_json().contains("1/2"), "a decimal number where that is exact");
    assert!(commute().to_json().contains(r#""epsilon": "1/3""#), "otherwise the fraction");
}

/// What is changed in the design above, and the code of the error and a word in it.
#[test]
fn every_fault_is_named() {
    let text = commute().to_json();
    let digest = commute().digest();
    let faults = [
        ("\"version\": 1", "\"version\": 2", "design-version", "update the program"),
        ("\"version\": 1", "\"version\": \"1\"", "design-unreadable", "expected u64"),
        ("\"version\": 1,", "", "design-unreadable", "version"),
        ("\"version\": 1", "\"version\": 1, \"beyond\": 3", "design-unreadable", "beyond"),
        ("\"version\": 1", "\"version\": 1, \"epsilon\": \"100\"", "design-unreadable", "duplicate"),
        ("\"1/3\"", "0.5", "design-unreadable", "string"),
        ("\"1/3\"", "\"one\"", "design-unreadable", "number"),
        ("\"1/3\"", "\"-1\"", "design-unreadable", "negative"),
        ("\"1/3\"", "\"0\"", "parameter", "epsilon"),
        ("\"1/3\"", "\"0.33\"", "design-digest", "changed"),
        ("131068", "131069", "design-digest", "changed"),
        ("131068", "0", "parameter", "radius"),
        ("131068", "-1", "design-unreadable", "integer"),
        ("131068", "1e400", "design-unreadable", "range"),
        ("\"bpm\"", "\"magic\"", "design-unreadable", "magic"),
        ("131068", "131068, \"extra\": true", "design-unreadable", "extra"),
        ("\"exact\"", "\"doubles\"", "design-digest", "changed"),
        ("\"exact\"", "\"fast\"", "design-unreadable", "fast"),
        ("\"age\"", "\"h\\\"ours\\\\ ✓\"", "duplicate-column", "rename"),
        ("\"age\"", "\"a\\u0007ge\"", "control-characters", "leave them out"),
        ("\"age\",", "", "bounds", "1 columns but 2 intervals"),
        ("90.0", "NaN", "design-unreadable", "expected"),
        ("90.0", "16.0", "bounds", "reversed"),
        ("90.0", "17.0", "bounds", "single value"),
        ("65534", "65536", "parameter", "lattice steps"),
        ("commute-2026", "commute-2027", "design-digest", "changed"),
        ("commute-2026", "", "parameter", "identifier"),
        (digest.as_str(), "", "design-digest", "changed"),
        ("{", "", "design-unreadable", "design"),
    ];
    for (from, to, code, word) in faults {
        assert!(text.contains(from), "{from}");
        let error = Design::from_json(&text.replacen(from, to, 1)).expect_err(to);
        assert_eq!(error.code(), code, "{to}: {error}");
        assert!(error.to_string().contains(word), "{to}: {error}");
    }
    for text in ["", "null", "[]", "{}", "7", "\u{0}"] {
        assert!(matches!(Design::from_json(text), Err(DesignError::Json { .. })), "{text}");
    }
    let none = r#"{"version":1,"mechanism":{"name":"laplace"},"epsilon":"1","sampler":"exact","columns":[],"bounds":[],"steps":65534}"#;
    assert!(matches!(Design::from_json(none), Err(DesignError::NoColumns)));
    let doubles = none.replace("exact", "doubles").replace("[],\"bounds\":[]", "[\"x\"],\"bounds\":[[0,1]]");
    assert!(Design::from_json(&doubles).unwrap_err().to_string().contains("sampler"));
    assert!(commute().with_identifier("x".repeat(201)).is_err());
    assert!(commute().with_identifier("x".repeat(200)).is_ok());
}

fn mechanisms() -> impl Strategy<Value = Mechanism> {
    let radius = || 1..=1_u64 << 52;
    let ending = prop_oneof![
        Just(Ending::Raw),
        Just(Ending::Clamped),
        (1..=65_535_u32).prop_map(|cells| Ending::Grid { cells })
    ];
    let form = prop_oneof![Just(BpgmForm::Adam), Just(BpgmForm::ClosedForm), Just(BpgmForm::AsPrinted)];
    let bound = (1..10_000_u64, 1..9_u64).prop_map(|(top, bottom)| Amount::ratio(top, bottom));
    prop_oneof![
        radius().prop_map(|radius_steps| Mechanism::Bpm { radius_steps }),
        (radius(), ending).prop_map(|(radius_steps, ending)| Mechanism::NdLaplace { radius_steps, ending }),
        Just(Mechanism::Laplace),
        Just(Mechanism::LaplaceMetric),
        (bound, form).prop_map(|(bound, form)| Mechanism::Bpgm { bound, form }),
    ]
}

fn intervals() -> impl Strategy<Value = Interval> {
    let number = prop_oneof![any::<f64>(), -1e6..1e6, any::<i32>().prop_map(f64::from)];
    (number.clone(), number).prop_filter_map("no interval", |(a, b)| Interval::new(a.min(b), a.max(b)).ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn designs_come_back_as_they_were(
        mechanism in mechanisms(),
        (top, bottom) in (1..u64::from(u32::MAX), 1..u64::from(u32::MAX)),
        columns in prop::collection::btree_map("[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]{1,12}", intervals(), 1..6),
        doubles in any::<bool>(),
        identifier in prop::option::of("[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]{1,40}"),
    ) {
        let (names, intervals) = columns.into_iter().unzip();
        let bounds = Bounds::new(names, intervals).unwrap();
        let sampler = if doubles { Sampler::Doubles } else { Sampler::Exact };
        let design = Design::new(mechanism, Epsilon::new(Amount::ratio(top, bottom)), bounds).unwrap();
        let design = design.with_sampler(sampler);
        let design = match identifier {
            Some(name) => design.with_identifier(name).unwrap(),
            None => design,
        };
        let read = Design::from_json(&design.to_json()).unwrap();
        prop_assert_eq!(&read, &design);
        prop_assert_eq!(read.digest(), design.digest());
        // As a part of something else, too, and the canonical form is itself JSON.
        let nested = serde_json::to_string(&vec![&design]).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Vec<Design>>(&nested).unwrap()[0], &design);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&design.canonical_form()).is_ok());
    }
}
