//! Charters: what is refused, and that the fingerprint covers everything.

use shoal_split::{Charter, CharterError, CharterText, Party};

use super::parts::*;

#[test]
fn a_charter_comes_back_from_its_file() {
    let charter = charter(3, 2);
    let again = Charter::from_toml(&charter.to_toml()).unwrap();
    assert_eq!(again.fingerprint(), charter.fingerprint());
    assert_eq!(again, *charter);
    assert_eq!(charter.describe(Party::Helper(1)), "helper helper-1");
    assert_eq!(charter.party_of(charter.key_of(Party::Driver(0)).unwrap()), Some(DRIVER));
    assert_eq!(charter.spoken_fingerprint().len(), 8 * 4 + 7);
}

/// R1: every field is in the fingerprint.
#[test]
fn every_change_changes_the_fingerprint() {
    let changes: [fn(&mut CharterText); 12] = [
        |it| it.least_custodians = 3,
        |it| it.max_epsilon = "1".into(),
        |it| it.fallback = "4".into(),
        |it| it.round_seconds = 61,
        |it| it.columns[0].name = "y".into(),
        |it| it.columns[1].highest = 2.0,
        |it| it.columns.swap(0, 1),
        |it| it.custodians[2].key = key(50),
        |it| it.helpers[0].operator = "Another".into(),
        |it| it.helpers[0].at = "elsewhere.example:7443".into(),
        |it| it.custodians.swap(0, 1),
        |it| it.drivers[0].name = "other".into(),
    ];
    let before = charter(3, 2).fingerprint();
    let mut seen = vec![before];
    for change in changes {
        let mut text = charter_text(3, 2);
        change(&mut text);
        let fingerprint = Charter::new(text).unwrap().fingerprint();
        assert!(!seen.contains(&fingerprint));
        seen.push(fingerprint);
    }
}

/// R1, R14: members, limits, keys and operators that split no trust are refused.
#[test]
fn what_splits_no_trust_is_refused() {
    let refused = |change: fn(&mut CharterText)| {
        let mut text = charter_text(3, 2);
        change(&mut text);
        Charter::new(text).unwrap_err()
    };
    use CharterError as E;
    assert!(matches!(refused(|it| it.version = 2), E::Version { found: 2 }));
    assert!(matches!(refused(|it| it.least_custodians = 4), E::FewCustodians { there: 3, least: 4 }));
    assert!(matches!(refused(|it| it.custodians.truncate(1)), E::FewCustodians { .. }));
    assert!(matches!(refused(|it| it.helpers.truncate(1)), E::Helpers { .. }));
    assert!(matches!(refused(|it| it.drivers.clear()), E::Drivers { .. }));
    assert!(matches!(refused(|it| it.max_epsilon = "0".into()), E::Epsilon { .. }));
    assert!(matches!(refused(|it| it.max_epsilon = "-1".into()), E::Epsilon { .. }));
    assert!(matches!(refused(|it| it.fallback = "0.5".into()), E::Fallback { .. }));
    assert!(matches!(refused(|it| it.round_seconds = 0), E::RoundSeconds { .. }));
    assert!(matches!(refused(|it| it.custodians[0].name = "a b".into()), E::Name { .. }));
    assert!(matches!(refused(|it| it.drivers[0].name = "helper-0".into()), E::SameName { .. }));
    assert!(matches!(refused(|it| it.columns.clear()), E::Columns { .. }));
    assert!(matches!(refused(|it| it.columns[0].name = "x1".into()), E::SameColumn { .. }));
    assert!(matches!(refused(|it| it.columns[0].lowest = f64::NAN), E::Bounds(_)));
    assert!(matches!(refused(|it| it.columns[0].lowest = 5.0), E::Bounds(_)));
    assert!(matches!(refused(|it| it.custodians[0].key = "ed25519:12".into()), E::Key { .. }));
    // Two helpers with one key, and a helper that is a custodian under another name.
    assert!(matches!(refused(|it| it.helpers[1].key = it.helpers[0].key.clone()), E::SameKey { .. }));
    assert!(matches!(refused(|it| it.helpers[1].key = it.custodians[0].key.clone()), E::SameKey { .. }));
    assert!(matches!(refused(|it| it.helpers[1].operator = "operator 0 ".into()), E::SameOperator { .. }));
    assert!(matches!(refused(|it| it.helpers[1].operator = " ".into()), E::Operator { .. }));
    assert!(matches!(refused(|it| it.helpers[1].at = "nowhere".into()), E::At { .. }));
    assert!(matches!(refused(|it| it.helpers[1].at = it.helpers[0].at.clone()), E::SameAt { .. }));
}

#[test]
fn files_that_are_no_charter_are_refused_with_their_line() {
    let text = charter(3, 2).to_toml();
    let with = |from: &str, to: &str| Charter::from_toml(&text.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(with("version = 1", "version = \"x\"").contains("line 1"), "{}", with("version = 1", "version = \"x\""));
    assert!(with("least_custodians", "least_members").contains("cannot be read"));
    assert!(Charter::from_toml("").is_err() && Charter::from_toml("\u{0}").is_err());
}

#[test]
fn one_host_for_two_helpers_is_a_warning() {
    let mut text = charter_text(2, 2);
    text.helpers[1].at = "helper0.example:7444".into();
    let warnings = Charter::new(text).unwrap().warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(charter(3, 2).warnings().is_empty());
}
