//! Targets: codes of a consortium, against what is stated of them and against what is published, which is another thing.

mod enumeration;

use shoal_consortium::Promise;
use shoal_consortium::promise::published as szy19;
use shoal_lattice::STEPS;
use shoal_privacy::Epsilon;

use super::curator::seen;
use crate::allowed::short;
use crate::pairs::consortium::{CodePairs, agreement, over_the_draw, published, terms};
use crate::pairs::pair_scalars::{promise_of_two, scalars_of_pairs};
use crate::runs::{RunFailure, draw};
use crate::statistical::Experiment;
use crate::statistical::search::PairSpace;
use crate::{Allowed, Expected, Line, Measure, Plan, Target, TargetInfo};
pub use enumeration::CodeLaw;

/// Bits of the codes that are drawn.
const DRAWN: [u32; 4] = [3, 5, 8, 20];
/// Bits of the codes whose outcomes are all gone through.
const ENUMERATED: [u32; 3] = [3, 5, 8];
/// How far apart values are whose anchors are drawn anew: a twentieth of the range.
const APART: i32 = STEPS as i32 / 20;
/// Bits of a pair's scalars.
const PAIR_BITS: u32 = 4;

/// Published δ above this are left alone.
const MOST_DELTA: f64 = 0.9;

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    vec![Box::new(Dpbv), Box::new(DpbvPairs)]
}

/// Codes of values.
struct Dpbv;

impl Dpbv {
    /// The codes of both ends of the range, drawn once and held against three claims.
    fn drawn(bits: u32, per_bit: &Epsilon, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let codes = CodePairs::new(&agreement(bits, per_bit)?)?;
        let randomness = plan.randomness.for_part(&format!("dpbv {bits} bits"));
        let experiment = Experiment { runs: runs_of(plan), alpha: plan.alpha, randomness };
        let ends = codes.catalogue()[0];
        let mut pair = codes.pair(&ends)?;
        let first = draw(&*pair.first, experiment.runs, randomness, 1, plan.watch)?;
        let second = draw(&*pair.second, experiment.runs, randomness, 2, plan.watch)?;
        let setting = format!("s = {bits} bits, ε = {} per bit", short(per_bit.to_f64_up()));
        let true_published = if szy19::holds(bits) { Expected::Kept } else { Expected::Broken };
        let stated =
            |what: &str| format!("{what} for {} bits that differ, any two values", codes.promise.differing.bits);
        let mut promises = vec![
            (pair.allowed.clone(), stated(&pair.allowed.symbols()), Expected::Kept),
            (codes.stated_curve(), stated("stated curve over δ"), Expected::Kept),
        ];
        // At any other ε than its own, runs may be too few to refute what is published; the exact distribution is not.
        if plan.epsilon.is_none() {
            promises.push((published(per_bit, bits), worded(&codes.promise), true_published));
        }
        let mut lines = Vec::new();
        for (allowed, promise, expected) in promises {
            pair.allowed = allowed;
            let finding = experiment.judge(&pair, &first, &second);
            let remark = seen(&finding);
            let line = Line::new("dpbv", setting.clone(), promise, expected, Measure::Events(finding));
            lines.push(line.with_remark(remark));
        }
        Ok(lines)
    }

    /// All outcomes of all values.
    fn enumerated(bits: u32, per_bit: &Epsilon) -> Result<Vec<Line>, RunFailure> {
        let agreement = agreement(bits, per_bit)?;
        let codes = CodePairs::new(&agreement)?;
        let law = CodeLaw::new(&agreement.anchors()[0], per_bit.to_f64_up())?;
        let setting = format!("s = {bits} bits, ε = {} per bit, all values", short(per_bit.to_f64_up()));
        let stated = codes.pair(&codes.catalogue()[0])?.allowed;
        let symbols = format!("{} for {} bits that differ", stated.symbols(), codes.promise.differing.bits);
        let of_paper = if szy19::holds(bits) { Expected::Kept } else { Expected::Broken };
        let mut lines = vec![(symbols, stated, Expected::Kept)];
        let published = published(per_bit, bits);
        // A δ of nearly one claims nothing that could be refuted.
        if published.tested_at().iter().all(|delta| *delta < MOST_DELTA) {
            lines.push((worded(&codes.promise), published, of_paper));
        }
        let line = |(promise, allowed, expected): (String, Allowed, Expected)| {
            Line::new("dpbv", setting.clone(), promise, expected, law.measure(&allowed))
        };
        Ok(lines.into_iter().map(line).collect())
    }
}

/// The published claim in words.
fn worded(promise: &Promise) -> String {
    let claim = promise.published.as_ref().map_or(String::new(), |claim| claim.text.clone());
    format!("published by SZY19: {claim}")
}

fn runs_of(plan: &Plan<'_>) -> usize {
    plan.runs(20_000, 400_000)
}

fn runs_with_new_anchors(plan: &Plan<'_>) -> usize {
    plan.runs(5_000, 100_000)
}

impl Target for Dpbv {
    fn info(&self) -> TargetInfo {
        let what =
            "noisy bit vectors of values, drawn and enumerated, against the stated guarantee and the published one";
        TargetInfo { name: "dpbv", group: "consortium", what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        2 * DRAWN.len() * runs_of(plan) + 2 * runs_with_new_anchors(plan)
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let per_bit = plan.exact_epsilon(1.0)?;
        let mut lines = Vec::new();
        for bits in DRAWN {
            lines.extend(Self::drawn(bits, &per_bit, plan)?);
        }
        let terms = terms(20, &per_bit)?;
        let pair = over_the_draw(&terms, APART)?;
        let randomness = plan.randomness.for_part("dpbv over the draw");
        let experiment = Experiment { runs: runs_with_new_anchors(plan), alpha: plan.alpha, randomness };
        let finding = experiment.audit(&pair, plan.watch)?;
        let setting = format!("s = 20 bits, ε = {} per bit, anchors drawn anew", short(per_bit.to_f64_up()));
        let promise = "stated curve over δ and the draw of the anchors, two values a twentieth of the range apart";
        lines.push(Line::new("dpbv", setting, promise, Expected::Kept, Measure::Events(finding)));
        for bits in ENUMERATED {
            lines.extend(Self::enumerated(bits, &per_bit)?);
        }
        Ok(lines)
    }
}

/// Codes of the scalars of pairs.
struct DpbvPairs;

impl Target for DpbvPairs {
    fn info(&self) -> TargetInfo {
        let what = "noisy bit vectors of the two scalars of each pair of records, written to a file and read again";
        TargetInfo { name: "dpbv-pairs", group: "consortium", what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        2 * plan.runs(1_500, 30_000)
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let per_bit = plan.exact_epsilon(1.0)?;
        let agreement = agreement(PAIR_BITS, &per_bit)?;
        let promise = promise_of_two(&agreement)?;
        let pair = scalars_of_pairs(&agreement, &promise)?;
        let randomness = plan.randomness.for_part("dpbv pairs");
        let experiment = Experiment { runs: plan.runs(1_500, 30_000), alpha: plan.alpha, randomness };
        let finding = experiment.audit(&pair, plan.watch)?;
        let setting = format!("2 records, s = {PAIR_BITS} bits, ε = {} per bit", short(per_bit.to_f64_up()));
        let symbols = format!("{}, any two records", pair.allowed.symbols());
        let remark = seen(&finding);
        let line = Line::new("dpbv-pairs", setting, symbols, Expected::Kept, Measure::Events(finding));
        Ok(vec![line.with_remark(remark)])
    }
}
