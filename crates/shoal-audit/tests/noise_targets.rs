//! Every building block keeps its promises at a quick audit, each in every way that applies.

use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_audit::targets::noise;
use shoal_audit::{Effort, Measure, Plan, Randomness};

#[test]
fn no_promise_is_broken_and_the_work_is_told_beforehand() {
    for target in noise::targets() {
        let made = AtomicUsize::new(0);
        let watch = |runs| {
            made.fetch_add(runs, Ordering::Relaxed);
        };
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(12_000),
            epsilon: None,
            alpha: 1e-6,
            randomness: Randomness::Seeded(1),
            watch: &watch,
        };
        let name = target.info().name;
        let lines = target.audit(&plan).unwrap();
        assert_eq!(made.load(Ordering::Relaxed), target.work(&plan), "{name}");
        for line in &lines {
            assert!(line.as_expected(), "{line:#?}");
            // Exact laws come close to their promise: a looser one would hide mistakes.
            if let Measure::Enumeration { allowed, worst, .. } | Measure::DensityRatio { allowed, worst, .. } =
                &line.measure
            {
                assert!(*worst > 0.7 * allowed, "{name}, {}: {worst} of {allowed}", line.setting);
            }
        }
        let has = |kind: fn(&Measure) -> bool| lines.iter().any(|line| kind(&line.measure));
        assert!(has(|m| matches!(m, Measure::Events(_))), "{name}");
        assert!(has(|m| matches!(m, Measure::Lattice { .. })), "{name}");
    }
}

#[test]
fn any_epsilon_is_audited_or_refused_in_words() {
    for target in noise::targets() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
            let plan = plan(epsilon);
            let refusal = target.audit(&plan).map(|lines| lines.len());
            if epsilon <= 0.0 || !epsilon.is_finite() {
                assert!(refusal.is_err(), "{}, ε = {epsilon}", target.info().name);
            }
            // Never a panic.
            target.work(&plan);
        }
        for epsilon in [0.05, 7.3, 40.0] {
            let lines = target.audit(&plan(epsilon)).unwrap();
            for line in lines {
                assert!(line.as_expected(), "ε = {epsilon}: {line:#?}");
            }
        }
    }
}

fn plan(epsilon: f64) -> Plan<'static> {
    Plan {
        effort: Effort::Quick,
        runs: Some(500),
        epsilon: Some(epsilon),
        alpha: 1e-6,
        randomness: Randomness::Seeded(2),
        watch: &|_| (),
    }
}
