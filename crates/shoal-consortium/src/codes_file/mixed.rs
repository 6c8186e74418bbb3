//! In what two files of codes differ, in words that follow "holds codes".

use crate::codes_file::Kind;
use crate::codes_file::description::Description;
use crate::{Flips, Scale, Terms};
use shoal_files::sealed::Difference;
use shoal_lattice::names::listed;

const ONE_AGREEMENT: &str =
    "codes can be compared only if all custodians used the same file of `shoal consortium init`";

/// How each was made, in the first point where they differ, and what to do; nothing when their codes go together.
pub(super) fn difference(a: &Description, b: &Description) -> Option<Difference> {
    point(a, b).map(|(one, other, advice)| Difference { one, other, advice })
}

fn point(a: &Description, b: &Description) -> Option<(String, String, &'static str)> {
    if a.kind != b.kind {
        let words = |x: &Description| match x.kind {
            Kind::Records => "of records".to_string(),
            Kind::Pairs => "of pairs of records".to_string(),
        };
        return Some((words(a), words(b), "use them one at a time"));
    }
    if let Some((one, other)) = terms(&a.terms, &b.terms) {
        return Some((one, other, ONE_AGREEMENT));
    }
    if a.fingerprint != b.fingerprint {
        let words = |x: &Description| format!("of the agreement {}", x.fingerprint);
        return Some((words(a), words(b), ONE_AGREEMENT));
    }
    if a.seeded != b.seeded {
        let words = |x: &Description| if x.seeded { "with flips from a seed" } else { "with true randomness" };
        return Some((words(a).into(), words(b).into(), "encode all without a seed"));
    }
    None
}

fn terms(a: &Terms, b: &Terms) -> Option<(String, String)> {
    let names = |x: &Terms| x.attributes().iter().map(|a| a.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        let words = |x: &Terms| format!("of the attributes {}", listed(&names(x)));
        return Some((words(a), words(b)));
    }
    if let Some((one, other)) = a.attributes().iter().zip(b.attributes()).find(|(one, other)| one != other) {
        let words = |x: &super::Attribute| {
            format!("with {} from {} to {} and t = {}", x.name, x.range.lo(), x.range.hi(), x.t())
        };
        return Some((words(one), words(other)));
    }
    if a.bits() != b.bits() {
        let words = |x: &Terms| format!("of {} bits", x.bits());
        return Some((words(a), words(b)));
    }
    if a.flips() != b.flips() {
        let words = |x: &Terms| match x.flips() {
            Flips::None => "without flips".to_string(),
            Flips::PerBit(epsilon) => format!("with ε = {epsilon} per bit"),
        };
        return Some((words(a), words(b)));
    }
    if a.scale() != b.scale() {
        let words = |x: &Terms| match x.scale() {
            Scale::Range => "that count in ranges".to_string(),
            Scale::Own => "that count in their own units".to_string(),
        };
        return Some((words(a), words(b)));
    }
    None
}
