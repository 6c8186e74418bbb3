//! Words that all papers' figures need.

use std::sync::Arc;

use shoal_page::text::{Rounding, compact, plural, significant};

use crate::data::Records;
use crate::measure::tally::Tally;
use crate::statistics::Summary;
use crate::{Places, Statement, Verdict};

/// A number with three significant digits; from ten thousand on the others are zeros, in groups of three.
pub(crate) fn short(x: f64) -> String {
    if x.is_finite() && x.abs() >= 1e4 {
        let unit = 10f64.powi(x.abs().log10().floor() as i32 - 2);
        return compact((x / unit).round() * unit);
    }
    significant(x, 3, Rounding::Nearest)
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

/// A mean with its standard error.
pub(crate) fn with_error(summary: &Summary) -> String {
    if summary.runs > 1 {
        format!("{} ± {}", short(summary.mean), short(summary.error()))
    } else {
        short(summary.mean)
    }
}

/// A statement about most places: it holds when it is clear in more than `share` of them ([`Places::in_most`]).
pub(super) fn in_most(says: &str, share: f64, places: impl Into<Places>, found: String) -> Statement {
    Statement::judged(says, places.into().in_most(share), found)
}

/// A statement that was tried in several places and means them by a stated margin: it holds where it is never contradicted
/// and the margin is reached in more than half of the places, and in part where there is a difference and no such margin.
pub(super) fn by_much(says: &str, tally: &Tally, found: String) -> Statement {
    let plain = Statement::over(says, tally.into(), found);
    let verdict = match plain.verdict {
        Verdict::Holds if 2 * tally.much_lower() <= tally.places() => Verdict::Partly,
        verdict => verdict,
    };
    Statement { verdict, ..plain }
}

/// A statement about data sets by name, of which these could not be tried: it holds in part at most.
pub(super) fn without(statement: Statement, untried: &[&str]) -> Statement {
    if untried.is_empty() || statement.verdict == Verdict::Untried {
        return statement;
    }
    let verdict = if statement.verdict == Verdict::Holds { Verdict::Partly } else { statement.verdict };
    let found = format!("{}; not tried on {}", statement.found, untried.join(", "));
    Statement { verdict, found, ..statement }
}

/// So many hold.
pub(super) fn hold(count: usize) -> String {
    if count == 1 { "1 holds".into() } else { format!("{count} hold") }
}

/// How many of the paper's statements hold. Remarks of ours do not count.
pub(super) fn verdicts(statements: &[Statement]) -> String {
    let of_paper = || statements.iter().filter(|statement| !statement.ours);
    let count = |verdict| of_paper().filter(|statement| statement.verdict == verdict).count();
    let also = |count: usize, words: &str| if count > 0 { format!(", {count} {words}") } else { String::new() };
    let all = of_paper().count();
    format!(
        "Of {} {} here, {} in part and {} not{}{}.",
        plural(all, "statement"),
        hold(count(Verdict::Holds)),
        count(Verdict::Partly),
        count(Verdict::Fails),
        also(count(Verdict::Undecided), "undecided for want of runs"),
        also(count(Verdict::Untried), "could not be tried")
    )
}

/// What must be stated about the data: which are substitutes, and what is missing.
pub(super) fn data_caveats<'a>(there: impl Iterator<Item = &'a Arc<Records>>, missing: &[String]) -> Vec<String> {
    let notes = there.filter_map(|records| records.note().map(|n| format!("{}: {n}", records.set.title)));
    notes.chain(missing.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        assert_eq!(
            [0.5, 12.345, 1234.4, 123_456.0, 1_743_629.0].map(short),
            ["0.500", "12.3", "1234", "123,000", "1,740,000"]
        );
        assert_eq!([0.5, 0.999_7].map(percent), ["50.0 %", "100 %"]);
    }

    #[test]
    fn much_is_a_margin_in_most_places() {
        let exact = |mean: f64| Summary::of(&[mean]);
        let verdict = |firsts: &[f64]| {
            let mut tally = Tally::default();
            firsts.iter().for_each(|first| tally.add("", &exact(*first), &exact(1.0)));
            by_much("", &tally, String::new()).verdict
        };
        assert_eq!(verdict(&[0.5, 0.9]), Verdict::Holds);
        assert_eq!(verdict(&[0.5, 0.95]), Verdict::Partly);
        assert_eq!(verdict(&[0.5, 1.0, 1.1]), Verdict::Partly);
        assert_eq!(verdict(&[1.0, 1.1]), Verdict::Fails);
        assert_eq!(verdict(&[1.0, 1.0]), Verdict::Undecided);
    }

    #[test]
    fn what_was_not_tried_everywhere_holds_in_part() {
        let of = |held, untried: &[&str]| without(Statement::counted("", held, 1, "found"), untried);
        assert_eq!((of(1, &[]).verdict, of(1, &["S1"]).verdict), (Verdict::Holds, Verdict::Partly));
        assert_eq!(of(0, &["S1", "Image"]).found, "found; not tried on S1, Image");
        let statements = [of(1, &[]), of(0, &[]).ours()];
        assert_eq!(verdicts(&statements), "Of 1 statement 1 holds here, 0 in part and 0 not.");
    }
}
