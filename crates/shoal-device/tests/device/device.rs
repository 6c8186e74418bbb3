//! Devices: values in the user's units in, reports out, limits kept.

use shoal_device::{BpgmForm, Client, Design, Device, DeviceError, Ending, Limit, Mechanism, Report, Sampler};
use shoal_lattice::{Bounds, Interval, LatticeMap, STEPS, Steps};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Assumption, Guarantee, NoGuarantee};

fn people(mechanism: Mechanism, epsilon: &str) -> Design {
    let intervals = vec![Interval::new(17.0, 90.0).unwrap(), Interval::new(1.0, 99.0).unwrap()];
    let bounds = Bounds::new(vec!["age".into(), "hours".into()], intervals).unwrap();
    Design::new(mechanism, epsilon.parse().unwrap(), bounds).unwrap()
}

fn bpm() -> Mechanism {
    Mechanism::Bpm { radius_steps: 2 * STEPS }
}

fn bpgm() -> Mechanism {
    Mechanism::Bpgm { bound: "1".parse().unwrap(), form: BpgmForm::Adam }
}

/// A device draws what a client draws, bit for bit, so that every test of a client's distribution is one of the device's.
#[test]
fn a_device_reports_what_the_client_does() {
    let nd_laplace = |ending| Mechanism::NdLaplace { radius_steps: 100 * STEPS, ending };
    for mechanism in [
        bpm(),
        bpgm(),
        Mechanism::Laplace,
        Mechanism::LaplaceMetric,
        nd_laplace(Ending::Raw),
        nd_laplace(Ending::Clamped),
        nd_laplace(Ending::Grid { cells: 10 }),
    ] {
        for sampler in [Sampler::Exact, Sampler::Doubles] {
            let design = people(mechanism.clone(), "3").with_sampler(sampler).with_identifier("people").unwrap();
            let mut device = Device::accepting_unsound_with_noise(&design, SeededNoise::new(5)).unwrap();
            let (client, map) = (Client::accepting_unsound(&design).unwrap(), LatticeMap::new(design.bounds()));
            let mut noise = SeededNoise::new(5);
            for i in 0..200 {
                // Some are outside the bounds.
                let values = [f64::from(i) * 0.7 - 5.0, 120.0 - f64::from(i)];
                let report = device.report(&values).unwrap();
                let record = [map.to_steps(0, values[0]).unwrap().0, map.to_steps(1, values[1]).unwrap().0];
                let mut expected = vec![0; 2];
                client.report(&record, &mut noise, &mut expected);
                assert_eq!(
                    report,
                    Report {
                        design: design.digest(),
                        identifier: Some("people".into()),
                        steps: Steps::list(&expected)
                    }
                );
                assert!(report.steps.iter().all(|x| client.may_report(x.0)));
            }
        }
    }
}

#[test]
fn values_that_are_no_record_are_refused_by_column_and_draw_nothing() {
    let design = people(bpm(), "3");
    let mut device = Device::with_noise(&design, SeededNoise::new(1)).unwrap();
    for (values, code, word) in [
        (&[][..], "wrong-length", "0 values for 2 columns (age, hours)"),
        (&[1.0], "wrong-length", "1 values"),
        (&[1.0, 2.0, 3.0], "wrong-length", "3 values"),
        (&[f64::NAN, 2.0], "not-a-number", "`age`"),
        (&[1.0, -f64::NAN], "not-a-number", "`hours`"),
        (&[f64::INFINITY, 2.0], "infinite", "`age`"),
        (&[1.0, f64::NEG_INFINITY], "infinite", "`hours`"),
    ] {
        let error = device.report(values).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(word), "{error}");
    }
    let first = device.report(&[30.0, 40.0]).unwrap();
    assert_eq!(first, Device::with_noise(&design, SeededNoise::new(1)).unwrap().report(&[30.0, 40.0]).unwrap());
    // Beyond the bounds is at the bounds.
    let at = |values: &[f64]| Device::with_noise(&design, SeededNoise::new(2)).unwrap().report(values).unwrap();
    assert_eq!(at(&[-1e308, 1e308]), at(&[17.0, 99.0]));
}

#[test]
fn only_true_randomness_guarantees_anything() {
    let design = people(bpm(), "3");
    let mut device = Device::new(&design).unwrap();
    let claim = device.promises().guarantee.claim().unwrap().clone();
    assert!(claim.assumes.contains(&Assumption::OneReportPerPerson));
    assert_eq!(device.promises(), design.promises().unwrap());
    assert!(!device.noise().is_seeded());
    assert_ne!(device.report(&[30.0, 40.0]).unwrap(), device.report(&[30.0, 40.0]).unwrap());
    let seeded = Device::with_noise(&design, SeededNoise::new(1)).unwrap().promises();
    assert_eq!(seeded.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
    assert_eq!(seeded.also, []);
    let other = Device::with_noise(&design, OsNoise::new().unwrap()).unwrap();
    assert_eq!(other.promises(), design.promises().unwrap());
}

#[test]
fn an_unsound_mechanism_must_be_asked_for() {
    let design = people(bpgm(), "3");
    assert_eq!(Device::new(&design).err().unwrap().code(), "unsound-mechanism");
    assert_eq!(Device::with_noise(&design, SeededNoise::new(1)).err().unwrap().code(), "unsound-mechanism");
    let device = Device::accepting_unsound(&design).unwrap();
    assert_eq!(device.promises().guarantee, Guarantee::Void { none: NoGuarantee::Unsound });
    // No limit is wide enough for it.
    let wide = Limit::any_two_records("1e9".parse().unwrap());
    for limit in [wide.clone(), Limit::design_with(design.digest()), Limit::default()] {
        assert_eq!(Device::within(&design, &limit).err().unwrap().code(), "no-guarantee");
        assert_eq!(design.check_limit(&limit).unwrap_err().code(), "no-guarantee");
    }
}

/// ε per unit of distance, and between any two records, of each kind of design; to the fifteen digits that √2 is enclosed
/// to.
#[test]
fn limits_are_kept() {
    // The diagonal of two columns is √2; a radius below it bounds the loss of any two records.
    let root = "1.414213562373096";
    let below = "1.414213562373095";
    let metric = |epsilon: &str| epsilon.parse().unwrap();
    let nd_laplace = Mechanism::NdLaplace { radius_steps: 100 * STEPS, ending: Ending::Raw };
    for (mechanism, per_distance, just_below, any_two, any_two_below) in [
        (nd_laplace, "1", "0.999999999", root, below),
        (Mechanism::Bpm { radius_steps: STEPS / 2 }, "1", "0.999999999", "0.5", "0.499999999"),
        (Mechanism::LaplaceMetric, "1", "0.999999999", root, "1.41421356"),
        (Mechanism::Laplace, "0.707106781186548", "0.70710678", "1", "0.999999999"),
    ] {
        let design = people(mechanism.clone(), "1");
        for limit in [
            Limit::unit_of_distance(metric(per_distance)),
            Limit::any_two_records(metric(any_two)),
            Limit::any_two_records(metric(any_two)).and_unit_of_distance(metric(per_distance)).and_exact_noise(),
            Limit::unit_of_distance(metric(per_distance)).and_any_two_records(metric(any_two)),
            Limit::design_with(design.digest().to_uppercase()).and_exact_noise(),
        ] {
            design.check_limit(&limit).unwrap_or_else(|error| panic!("{mechanism:?}, {limit:?}: {error}"));
            Device::within(&design, &limit).unwrap().report(&[30.0, 40.0]).unwrap();
        }
        for limit in [
            Limit::unit_of_distance(metric(just_below)),
            Limit::any_two_records(metric(any_two_below)),
            Limit::unit_of_distance(metric(per_distance)).and_any_two_records(metric(any_two_below)),
            Limit::any_two_records(metric(any_two)).and_unit_of_distance(metric(just_below)),
        ] {
            let error = Device::within(&design, &limit).err().unwrap_or_else(|| panic!("{mechanism:?}, {limit:?}"));
            assert!(matches!(error, DeviceError::OverLimit { .. }), "{error}");
            assert!(error.to_string().contains("raise your limit"), "{error}");
        }
        let other = Limit::design_with(people(mechanism, "1").with_identifier("other").unwrap().digest());
        assert_eq!(Device::within(&design, &other).err().unwrap().code(), "other-design");
    }
    let doubles = people(bpm(), "1").with_sampler(Sampler::Doubles);
    let wide = Limit::any_two_records(metric("9"));
    doubles.check_limit(&wide).unwrap();
    assert_eq!(doubles.check_limit(&wide.and_exact_noise()).unwrap_err().code(), "not-exact");
}

#[test]
fn reports_are_plain_data_and_shown_under_their_own_design_only() {
    let design = people(bpm(), "3").with_identifier("people").unwrap();
    let report =
        Report { design: design.digest(), identifier: Some("people".into()), steps: Steps::list(&[0, 65_534]) };
    assert_eq!(report.to_user(&design).unwrap(), [17.0, 99.0]);
    let beyond = Report { steps: Steps::list(&[-65_534, 98_301]), ..report.clone() };
    assert_eq!(beyond.to_user(&design).unwrap(), [17.0 - 73.0, 99.0 + 49.0]);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(json, format!(r#"{{"design":"{}","identifier":"people","steps":[0,65534]}}"#, design.digest()));
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    assert!(serde_json::from_str::<Report>(&json.replace("people\"", "people\",\"age\":30")).is_err());
    assert_eq!(report.to_user(&people(bpm(), "3")).unwrap_err().code(), "other-design");
    let short = Report { steps: vec![Steps(1)], ..report };
    assert_eq!(short.to_user(&design).unwrap_err().code(), "wrong-length");
}
