//! Words that all papers' figures need.

use std::sync::Arc;

use crate::data::Records;
use crate::{Statement, Verdict};

/// A number with three digits that count.
pub(super) fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let decimals = (2 - x.abs().log10().floor() as i32).max(0) as usize;
    format!("{x:.decimals$}")
}

/// A statement about most places: it holds when it held in more than `share` of them, and in part when in some.
pub(super) fn in_most(says: &str, share: f64, held: usize, tried: usize, found: String) -> Statement {
    let verdict = match (held, tried) {
        (_, 0) => Verdict::Untried,
        (0, _) => Verdict::Fails,
        (held, tried) if held as f64 > share * tried as f64 => Verdict::Holds,
        _ => Verdict::Partly,
    };
    Statement { says: says.into(), verdict, found }
}

/// How many of the statements hold.
pub(super) fn verdicts(statements: &[Statement]) -> String {
    let count = |verdict| statements.iter().filter(|statement| statement.verdict == verdict).count();
    let untried = match count(Verdict::Untried) {
        0 => String::new(),
        count => format!(", {count} could not be tried"),
    };
    format!(
        "Of {} statements {} hold here, {} in part and {} not{untried}.",
        statements.len(),
        count(Verdict::Holds),
        count(Verdict::Partly),
        count(Verdict::Fails)
    )
}

/// What must be said about the data: what stands in for what, and what is missing.
pub(super) fn data_caveats<'a>(there: impl Iterator<Item = &'a Arc<Records>>, missing: &[String]) -> Vec<String> {
    let notes = there.filter_map(|records| records.set.standing.note().map(|n| format!("{}: {n}", records.set.title)));
    notes.chain(missing.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let told: Vec<String> = [0.0012345, 0.5, 1.0, 12.345, 1234.5].iter().map(|&x| short(x)).collect();
        assert_eq!(told, ["0.00123", "0.500", "1.00", "12.3", "1234"]);
    }

    #[test]
    fn most_is_more_than_the_share() {
        let verdict = |held, tried| in_most("", 0.5, held, tried, String::new()).verdict;
        assert_eq!(verdict(3, 5), Verdict::Holds);
        assert_eq!(verdict(2, 4), Verdict::Partly);
        assert_eq!(verdict(0, 4), Verdict::Fails);
        assert_eq!(verdict(0, 0), Verdict::Untried);
    }
}
