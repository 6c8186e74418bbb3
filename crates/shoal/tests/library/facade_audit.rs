//! The library under attack: what `Fit` releases about neighbouring tables, against the claim that comes with it.
//!
//! `shoal audit` tests methods on rows that are on the lattice already. Here text is read, gaps are left out, row counts are
//! public or bounds are bought, as a user has it, and the claim is the one in the model.

use shoal::{Fit, Model};
use shoal_audit::runs::{Each, RunFailure, Runs};
use shoal_audit::statistical::{Experiment, Finding};
use shoal_audit::{Allowed, Pair, Randomness, Side};
use shoal_curator::Knobs;
use shoal_files::{Missing, Source};
use shoal_noise::NoiseSource;
use shoal_privacy::Neighbours;

/// So many lines, then one more.
fn table(line: &str, times: usize, last: &str) -> String {
    format!("x\n{}{last}", format!("{line}\n").repeat(times))
}

fn fit(epsilon: &str) -> Fit {
    let knobs = Knobs { iterations: Some(1), ..Knobs::default() };
    Fit::new(1, epsilon).unwrap().method("dplloyd").unwrap().knobs(knobs).bounds("x=-1:1").unwrap()
}

fn model(fit: &Fit, text: &str) -> Model {
    fit.run(Source::Memory(text.into())).unwrap()
}

/// A table and a fit, each run with noise of the operating system: a seed would void the claim.
fn side(fit: Fit, text: String) -> Box<dyn Side> {
    Box::new(Each(move |_: &mut dyn NoiseSource, out: &mut Runs| {
        let model =
            fit.run(Source::Memory(text.clone().into())).map_err(|error| RunFailure::Other(error.to_string()))?;
        for interval in &model.bounds {
            out.tell_all([interval.lo(), interval.hi()]);
        }
        out.tell_all(model.centres.iter().flatten().copied());
        out.tell_all(model.sizes.iter().chain(&model.size_sd).copied());
        out.tell_all(model.centre_sd.iter().flatten().copied());
        Ok::<(), RunFailure>(())
    }))
}

fn audit(of: impl Fn(&str) -> Fit, epsilon: &str, tables: [&str; 2], allowed: &Allowed, runs: usize) -> Finding {
    let [first, second] = tables.map(|text| side(of(epsilon), text.into()));
    let pair = Pair::new("two tables", first, second, allowed.clone());
    Experiment { runs, alpha: 1e-6, randomness: Randomness::Seeded(1) }.audit(&pair, &|_| ()).unwrap()
}

/// No alarm for ε = 1, and one for a fit that spends `mutant` and claims what the honest one claims.
fn only_the_mutant_is_caught(
    of: impl Fn(&str) -> Fit + Copy,
    tables: [&str; 2],
    neighbours: &Neighbours,
    mutant: &str,
) {
    let claim = model(&of("1"), tables[0]).guarantee.claim().unwrap().clone();
    assert_eq!(claim.neighbours, *neighbours);
    let allowed = Allowed::of(&claim.loss, 1.0);
    let honest = audit(of, "1", tables, &allowed, 6_000);
    assert!(!honest.is_broken(), "{honest:#?}");
    let caught = audit(of, mutant, tables, &allowed, 6_000);
    assert!(caught.is_broken(), "{caught:#?}");
}

#[test]
fn a_fit_within_public_bounds_keeps_its_claim() {
    let tables = [table("-1", 12, "1\n"), table("-1", 12, "")];
    only_the_mutant_is_caught(fit, [&tables[0], &tables[1]], &Neighbours::AddRemoveOne, "4");
}

#[test]
fn a_fit_with_a_public_row_count_keeps_its_claim_about_replacing_a_row() {
    let tables = [table("-1", 12, "1\n"), table("-1", 12, "-1\n")];
    let of = |epsilon: &str| fit(epsilon).rows_public();
    only_the_mutant_is_caught(of, [&tables[0], &tables[1]], &Neighbours::ReplaceOne, "8");
}

#[test]
fn a_fit_that_leaves_gaps_out_keeps_its_claim() {
    let tables = [table("NA", 12, "-1\n1\n"), table("NA", 12, "-1\n")];
    let of = |epsilon: &str| fit(epsilon).missing(Missing::Drop);
    only_the_mutant_is_caught(of, [&tables[0], &tables[1]], &Neighbours::AddRemoveOne, "4");
}

/// The two purchases share ε and hide each other, so a mutant would need many more runs: `shoal audit exact-private-bounds`
/// checks both histograms exactly.
#[test]
fn a_fit_within_bought_bounds_is_not_caught() {
    let of = |epsilon: &str| {
        let knobs = Knobs { iterations: Some(1), ..Knobs::default() };
        Fit::new(1, epsilon).unwrap().method("dplloyd").unwrap().knobs(knobs).buy_bounds("1/2").unwrap()
    };
    let tables = [table("0", 60, "5000\n"), table("0", 60, "")];
    let allowed = Allowed::of(&model(&of("4"), &tables[0]).guarantee.claim().unwrap().loss, 1.0);
    let honest = audit(of, "4", [&tables[0], &tables[1]], &allowed, 3_000);
    assert!(!honest.is_broken(), "{honest:#?}");
}
