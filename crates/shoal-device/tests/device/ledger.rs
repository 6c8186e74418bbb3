//! A device's own ledger: nothing beyond the person's limits, whatever a collector asks for.

use proptest::prelude::*;
use shoal_device::wire::{Day, encode};
use shoal_device::{BpgmForm, Design, Device, DeviceLedger, Mechanism, Repeat};
use shoal_lattice::{Bounds, Interval, STEPS};
use shoal_noise::SeededNoise;
use shoal_privacy::{Amount, Assumption, Epsilon, Guarantee, Loss};

const DAY: Day = Day(20_500);

fn design(name: Option<&str>, epsilon: &str) -> Design {
    let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0).unwrap()]).unwrap();
    let design = Design::new(Mechanism::Laplace, epsilon.parse().unwrap(), bounds).unwrap();
    name.map_or(design.clone(), |name| design.with_identifier(name).unwrap())
}

fn device(design: &Design) -> Device<SeededNoise> {
    Device::with_noise(design, SeededNoise::new(3)).unwrap()
}

fn total(epsilon: &str) -> DeviceLedger {
    DeviceLedger::with_total(epsilon.parse().unwrap())
}

/// As an app does between two reports.
fn stored(ledger: &DeviceLedger) -> DeviceLedger {
    let read = DeviceLedger::from_json(&ledger.to_json()).unwrap();
    assert_eq!(read, *ledger);
    read
}

#[test]
fn a_collection_is_answered_once() {
    let mut device = device(&design(Some("ages"), "2"));
    let mut ledger = DeviceLedger::new();
    let sent = ledger.answer(&mut device, &[34.0], Repeat::Once, DAY).unwrap();
    for _ in 0..3 {
        ledger = stored(&ledger);
        let refused = ledger.answer(&mut device, &[34.0], Repeat::Once, DAY).unwrap_err();
        assert_eq!(refused.code(), "already-answered");
    }
    assert_eq!((ledger.reports("ages"), ledger.sent("ages")), (1, Some(&sent)));
    assert_eq!(ledger.spent(), "2".parse().unwrap());
    // Another collection is another answer.
    ledger.answer(&mut self::device(&design(Some("other"), "1")), &[34.0], Repeat::Once, DAY).unwrap();
    assert_eq!(ledger.spent(), "3".parse().unwrap());
    assert_eq!(ledger.collections().collect::<Vec<_>>(), ["ages", "other"]);
}

#[test]
fn the_same_report_costs_nothing_and_follows_no_change() {
    let mut device = device(&design(Some("ages"), "2"));
    let mut ledger = total("2");
    let sent = ledger.answer(&mut device, &[34.0], Repeat::SameReport, DAY).unwrap();
    let again = stored(&ledger).answer(&mut device, &[90.0], Repeat::SameReport, Day(20_600)).unwrap();
    assert_eq!(encode(&[again]), encode(&[sent]), "byte for byte, identifier and day included");
    assert_eq!((ledger.reports("ages"), ledger.spent()), (1, "2".parse().unwrap()));
}

#[test]
fn fresh_reports_add_up_to_the_total_and_not_beyond() {
    let design = design(Some("ages"), "1/3");
    let mut device = device(&design);
    let mut ledger = total("1");
    for number in 1..=3 {
        let before = ledger.sent("ages").map(|sent| sent.id);
        let sent = ledger.answer(&mut device, &[34.0], Repeat::Fresh { most: 10 }, DAY).unwrap();
        assert_ne!(before, Some(sent.id));
        ledger = stored(&ledger);
        assert_eq!(ledger.reports("ages"), number);
        assert_eq!(ledger.spent(), Epsilon::new(Amount::ratio(number.into(), 3)));
    }
    let before = ledger.clone();
    let refused = ledger.answer(&mut device, &[34.0], Repeat::Fresh { most: 10 }, DAY).unwrap_err();
    assert_eq!(refused.code(), "over-total");
    assert!(refused.to_string().contains("your total is 1"), "{refused}");
    assert_eq!(ledger, before, "nothing was spent");
    // More is allowed, but not more than so many.
    let mut ledger = ledger.and_total(None);
    let refused = ledger.answer(&mut device, &[34.0], Repeat::Fresh { most: 3 }, DAY).unwrap_err();
    assert_eq!(refused.code(), "already-answered");
    ledger.answer(&mut device, &[34.0], Repeat::Fresh { most: 4 }, DAY).unwrap();
    let none = DeviceLedger::new().answer(&mut device, &[34.0], Repeat::Fresh { most: 0 }, DAY).unwrap_err();
    assert_eq!(none.code(), "already-answered");
}

#[test]
fn a_design_that_changed_under_its_name_is_refused() {
    let mut ledger = DeviceLedger::new();
    ledger.answer(&mut device(&design(Some("ages"), "1")), &[34.0], Repeat::Once, DAY).unwrap();
    let mut changed = device(&design(Some("ages"), "1.5"));
    for repeat in [Repeat::Once, Repeat::SameReport, Repeat::Fresh { most: 9 }] {
        let refused = stored(&ledger).answer(&mut changed, &[34.0], repeat, DAY).unwrap_err();
        assert_eq!(refused.code(), "design-changed");
        assert!(refused.to_string().contains("`ages`"), "{refused}");
    }
    // Without a name, the digest is the name: another design is another collection.
    let mut ledger = total("3");
    for epsilon in ["1", "1.5"] {
        ledger.answer(&mut device(&design(None, epsilon)), &[34.0], Repeat::Once, DAY).unwrap();
    }
    assert_eq!(ledger.spent(), "2.5".parse().unwrap());
}

#[test]
fn values_and_mechanisms_that_cannot_be_reported_cost_nothing() {
    let mut ledger = total("9");
    let mut sound = device(&design(Some("ages"), "1"));
    for values in [&[][..], &[f64::NAN], &[1.0, 2.0], &[f64::INFINITY]] {
        ledger.answer(&mut sound, values, Repeat::Once, DAY).unwrap_err();
    }
    let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0).unwrap()]).unwrap();
    let bpgm = Mechanism::Bpgm { bound: "1".parse().unwrap(), form: BpgmForm::Adam };
    let unsound = Design::new(bpgm, "1".parse().unwrap(), bounds).unwrap();
    let mut unsound = Device::accepting_unsound_with_noise(&unsound, SeededNoise::new(1)).unwrap();
    assert_eq!(ledger.answer(&mut unsound, &[34.0], Repeat::Once, DAY).unwrap_err().code(), "no-guarantee");
    assert_eq!(ledger, total("9"));
    assert_eq!(ledger.promise(), None);
}

#[test]
fn the_promise_of_all_reports_is_composed() {
    let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0).unwrap()]).unwrap();
    let bpm = Design::new(Mechanism::Bpm { radius_steps: STEPS / 2 }, "4".parse().unwrap(), bounds).unwrap();
    let mut ledger = DeviceLedger::new();
    let (mut one, mut other) = (device(&design(Some("ages"), "1")), device(&bpm));
    for _ in 0..3 {
        ledger.answer(&mut one, &[34.0], Repeat::Fresh { most: 3 }, DAY).unwrap();
    }
    ledger.answer(&mut other, &[34.0], Repeat::Once, DAY).unwrap();
    let promise = stored(&ledger).promise().unwrap();
    assert_eq!(promise.loss, Loss::Pure("5".parse().unwrap()), "3 · 1 + 4/2");
    assert_eq!(promise.loss, Loss::Pure(ledger.spent()));
    assert!(promise.sentence().contains("the person sends no further reports"), "{promise}");
    // And of m reports of one design, in every unit.
    let promises = bpm.promises().unwrap().of_reports(3);
    let claims: Vec<_> = promises.claims().map(|claim| claim.loss.clone()).collect();
    assert_eq!(claims, [Loss::PerDistance("12".parse().unwrap()), Loss::Pure("6".parse().unwrap())]);
    for claim in promises.claims() {
        assert!(claim.assumes.contains(&Assumption::NoFurtherReports));
        assert!(!claim.assumes.contains(&Assumption::OneReportPerPerson));
    }
    assert_eq!(bpm.promises().unwrap().of_reports(1), bpm.promises().unwrap());
    assert!(matches!(promises.guarantee, Guarantee::Holds(_)));
    let public = bpm.promises().unwrap().towards_the_public(100_000, &"1e-6".parse().unwrap()).unwrap();
    assert!(matches!(public.loss, Loss::Approximate { epsilon, .. } if epsilon.to_f64_up() < 0.1));
}

#[test]
fn a_ledger_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let mut ledger = total("2/3");
    ledger.answer(&mut device(&design(Some("ages"), "1/3")), &[34.0], Repeat::Once, DAY).unwrap();
    let good = ledger.to_json();
    assert!(good.contains("\"2/3\"") && good.contains("\"1/3\""), "{good}");
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"reports\":1", "\"reports\":0"),
        ("\"reports\":1", "\"reports\":-1"),
        ("\"1/3\"", "\"x\""),
        ("\"1/3\"", "0.3333"),
        ("\"sent\":\"53", "\"sent\":\"52"),
        ("\"sent\":\"53", "\"sent\":\"5"),
        ("\"sent\":\"53", "\"sent\":\"zz"),
        ("\"digest\"", "\"design\""),
        ("}", ""),
    ] {
        assert!(good.contains(from), "{from}");
        let refused = DeviceLedger::from_json(&good.replacen(from, to, 1)).unwrap_err();
        assert_eq!(refused.code(), "device-ledger-unreadable", "{from} → {to}");
    }
    assert_eq!(DeviceLedger::from_json(" ").unwrap(), DeviceLedger::new());
}

proptest! {
    /// Whatever is asked in whatever order, and however often the state is stored in between.
    #[test]
    fn no_order_of_reports_exceeds_the_total(asked in prop::collection::vec((0_usize..4, 0_u8..3, any::<bool>()), 0..40)) {
        let designs = ["1/7", "0.3", "1", "2.5"].map(|epsilon| design(Some(epsilon), epsilon));
        let mut devices = designs.map(|design| device(&design));
        let limit: Epsilon = "3".parse().unwrap();
        let (mut ledger, mut fresh) = (total("3"), 0_u32);
        for (which, repeat, store) in asked {
            let repeat = [Repeat::Once, Repeat::SameReport, Repeat::Fresh { most: 5 }][usize::from(repeat)];
            let name = devices[which].collection().to_owned();
            let before = ledger.reports(&name);
            if ledger.answer(&mut devices[which], &[20.0], repeat, DAY).is_ok() {
                fresh += ledger.reports(&name) - before;
            } else {
                prop_assert_eq!(ledger.reports(&name), before);
            }
            if store {
                ledger = stored(&ledger);
            }
            prop_assert!(ledger.spent() <= limit);
        }
        let counted: u32 = ledger.collections().map(|name| ledger.reports(name)).sum();
        prop_assert_eq!(counted, fresh);
    }
}
