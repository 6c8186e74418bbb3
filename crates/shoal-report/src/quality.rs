//! How good a result is, as far as what was released shows it.

use std::cmp::Ordering;

use shoal::Facts;
use shoal::model::{Kind, Model};
use shoal_curator::{Evidence, NicvEstimate};
use shoal_page::text::{fixed, percent, to_step};

use crate::measured::share;

/// The share of variance that the clusters explain. Wider bounds do not improve it.
pub fn explained(facts: &Facts) -> Option<String> {
    facts.explained.map(|found| {
        format!(
            "the clusters explain {} of the variance, compared with one centre for all.",
            share(found.share, found.low, found.high)
        )
    })
}

/// The mean squared distance of rows from their centres, for those who compare methods.
pub fn nicv(found: &NicvEstimate) -> String {
    let shown = |value: f64| to_step(value, (found.high - found.low) / 2.0);
    format!(
        "mean squared distance (NICV), columns scaled to [−1, 1]: {} ({:.0}\u{a0}% interval {}–{}); distances are capped at {}. Compare it only with results for the same bounds.",
        shown(found.nicv),
        100.0 * found.confidence,
        shown(found.low),
        shown(found.high),
        to_step(found.capped_at, found.capped_at)
    )
}

/// One line for each number of clusters: how well it fits, and whether so many show.
pub fn evidence_rows(evidence: &Evidence) -> Vec<[String; 4]> {
    let row = |of: &shoal_curator::GapOfK| {
        let shows = match of.k.cmp(&evidence.supported) {
            Ordering::Less | Ordering::Greater if evidence.is_undecided(of.k) => "perhaps",
            Ordering::Less => "more show",
            Ordering::Equal => "yes",
            Ordering::Greater => "no",
        };
        let gap = match (of.k, of.error) {
            (1, _) => "–".into(),
            (_, error) if error > 0.0 => format!("{} ± {}", fixed(of.gap, 2), fixed(2.0 * error, 2)),
            _ => fixed(of.gap, 2),
        };
        [of.k.to_string(), percent(of.explained.clamp(0.0, 1.0)), gap, shows.into()]
    };
    evidence.tried.iter().map(row).collect()
}

/// The headings of these lines.
pub fn evidence_headings(kind: Kind) -> [&'static str; 4] {
    let better = match kind {
        Kind::Curator => "better than an even spread",
        Kind::Crowd => "evidence against one cluster",
    };
    ["k", "variance explained", better, "shows?"]
}

/// What the table shows, in a sentence or two.
pub fn evidence_sentence(evidence: &Evidence, kind: Kind) -> String {
    let answer = match evidence.supported {
        0 | 1 => "no clusters show".into(),
        k if evidence.undecided.is_empty() => format!("{k} clusters show"),
        k => {
            let others: Vec<String> = evidence.undecided.iter().map(ToString::to_string).collect();
            format!("{k} clusters show, and {} would fit about as well", others.join(" or "))
        }
    };
    let needed = fixed(evidence.needed, 2);
    let how = match kind {
        Kind::Curator => format!(
            "“Better than an even spread” compares with rows spread evenly over the same extent, after the same noise (gap statistic); {needed} is needed."
        ),
        Kind::Crowd => format!(
            "The evidence is the logarithm of how much more probable these reports are than with one cluster; a larger number of clusters needs {needed} more."
        ),
    };
    format!("By what was released, {answer}. {how}")
}

/// How far noise moves a centre, where no interval says it better.
pub fn expected_error(model: &Model) -> Option<String> {
    if model.certainty.is_some() {
        return None;
    }
    let share = model.expected_error.center_rmse.0;
    let share = match percent(share) {
        less if less.starts_with("less") => less,
        about => format!("about {about}"),
    };
    Some(match model.kind {
        Kind::Curator => {
            format!(
                "The noise of the last step moves a centre by {share} of each column's range; earlier steps add to it."
            )
        }
        Kind::Crowd => format!("A centre is off by {share} of each column's range."),
    })
}

#[cfg(test)]
mod tests {
    use shoal_curator::{GapOfK, Unit};

    use super::*;

    #[test]
    fn the_nicv_has_its_interval_and_its_caveat() {
        let found =
            NicvEstimate { nicv: 0.08, low: 0.06, high: 0.1, confidence: 0.95, capped_at: 0.64, unit: Unit::Box };
        let words = nicv(&found);
        assert!(words.contains("0.080 (95\u{a0}% interval 0.060–0.100); distances are capped at 0.64"), "{words}");
        assert!(words.contains("same bounds"));
    }

    #[test]
    fn evidence_says_how_many_show() {
        let of = |k, gap| GapOfK { k, gap, error: 0.01, explained: 1.0 - 1.0 / k as f64 };
        let mut evidence =
            Evidence { tried: vec![of(1, 0.0), of(2, 0.4), of(3, 0.05)], needed: 0.1, supported: 2, undecided: vec![] };
        let text = evidence_sentence(&evidence, Kind::Curator) + &evidence_rows(&evidence).concat().join(" ");
        assert!(
            text.contains("2 clusters show") && text.contains("0.40 ± 0.02") && text.contains("50\u{a0}%"),
            "{text}"
        );
        let answers: Vec<String> = evidence_rows(&evidence).into_iter().map(|row| row[3].clone()).collect();
        assert_eq!(answers, ["more show", "yes", "no"]);
        evidence.undecided = vec![3];
        let text = evidence_sentence(&evidence, Kind::Curator);
        assert!(text.contains("2 clusters show, and 3 would fit about as well"), "{text}");
        let answers: Vec<String> = evidence_rows(&evidence).into_iter().map(|row| row[3].clone()).collect();
        assert_eq!(answers, ["more show", "yes", "perhaps"]);
        evidence.undecided.clear();
        evidence.supported = 1;
        assert!(evidence_sentence(&evidence, Kind::Crowd).contains("no clusters show"));
    }
}
