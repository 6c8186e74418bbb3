//! The lattice audit passes exact noise and catches noise in plain doubles.

use dashu_ratio::RBig;
use shoal_audit::lattice::LatticeAudit;
use shoal_audit::{Allowed, Measure, Pair, Randomness, Side, each};
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, uniform};

fn exceptions(pair: &Pair, runs: usize) -> Vec<String> {
    let audit = LatticeAudit { runs, alpha: 1e-6, randomness: Randomness::Seeded(3) };
    match audit.audit(pair, &|_| ()).unwrap() {
        Measure::Lattice { exceptions, runs: made } if made == runs => exceptions,
        other => panic!("{other:?}"),
    }
}

fn pair(side: impl Fn(i64) -> Box<dyn Side>, allowed: Allowed) -> Pair {
    Pair::new("no row and one", side(0), side(1), allowed)
}

#[test]
fn exact_noise_has_no_exception() {
    let laplace = |count: i64| {
        let law = DiscreteLaplace::new(RBig::from(1)).unwrap();
        each(move |noise, out| out.tell((count + law.sample(noise)) as f64))
    };
    assert_eq!(exceptions(&pair(laplace, Allowed::Pure(1.0)), 200_000), Vec::<String>::new());
    let gaussian = |count: i64| {
        let law = DiscreteGaussian::new(RBig::from(4)).unwrap();
        // On a lattice of quarters.
        each(move |noise, out| out.tell((4 * count + law.sample(noise)) as f64 / 4.0))
    };
    assert_eq!(exceptions(&pair(gaussian, Allowed::Zcdp(2.0)), 200_000), Vec::<String>::new());
}

/// The textbook's inversion, added to a count in doubles.
fn in_doubles(count: i64) -> Box<dyn Side> {
    each(move |noise, out| {
        let u = uniform::unit_f64(noise) - 0.5;
        out.tell(count as f64 - u.signum() * (1.0 - 2.0 * u.abs()).ln());
    })
}

#[test]
fn noise_in_doubles_is_caught() {
    for runs in [20_000, 100_000] {
        let found = exceptions(&pair(in_doubles, Allowed::Pure(1.0)), runs);
        assert!(found.iter().any(|finding| finding.contains("multiple of 2^-")), "{found:?}");
    }
    // However much it promises to lose.
    assert!(!exceptions(&pair(in_doubles, Allowed::Pure(4.0)), 100_000).is_empty());
}

#[test]
fn residues_and_lattices_that_depend_on_the_input_are_caught() {
    // Noise in steps of three on a count: which residue comes out gives the count away.
    let threes = |count: i64| {
        let law = DiscreteLaplace::new(RBig::from(1)).unwrap();
        each(move |noise, out| out.tell((count + 3 * law.sample(noise)) as f64))
    };
    let found = exceptions(&pair(threes, Allowed::Pure(1.0)), 20_000);
    assert!(found.iter().any(|finding| finding.contains("modulo 3")), "{found:?}");
    // Rounded to halves on one input only.
    let rounded = |count: i64| {
        let law = DiscreteLaplace::new(RBig::from(1)).unwrap();
        each(move |noise, out| {
            let released = count + law.sample(noise);
            out.tell(0.0);
            out.tell(if count == 0 { released as f64 / 2.0 } else { released as f64 });
        })
    };
    let found = exceptions(&pair(rounded, Allowed::Pure(1.0)), 20_000);
    assert!(found.iter().any(|finding| finding.contains("number 2 is an odd multiple of 2^-1")), "{found:?}");
}

#[test]
fn rare_numbers_are_no_exceptions() {
    // An eighth in a thousand runs on one input and never on the other is what ε = 5 may do.
    let rare = |count: i64| {
        each(move |noise, out| {
            let odd = uniform::below(noise, 20_000) < if count == 0 { 20 } else { 1 };
            out.tell(if odd { 0.125 } else { count as f64 });
        })
    };
    let finding = exceptions(&pair(rare, Allowed::Pure(5.0)), 20_000);
    assert!(!finding.iter().any(|finding| finding.contains("odd multiple of 2^-3")), "{finding:?}");
}

#[test]
fn infinities_and_missing_numbers_do_no_harm() {
    let odd = |count: i64| {
        each(move |noise, out| {
            if uniform::below(noise, 2) == 0 {
                out.tell_all([f64::INFINITY, f64::NAN, 1e308, 5e-324]);
            } else {
                out.tell(count as f64);
            }
        })
    };
    exceptions(&pair(odd, Allowed::Pure(1.0)), 1000);
    exceptions(&Pair::new("nothing", each(|_, _| ()), each(|_, _| ()), Allowed::Pure(1.0)), 1000);
}
