//! What came out of a figure, in a line: how many of the paper's statements hold, its headline, the data, the protocol, and
//! apart from all that the privacy claim.

use std::fmt;

use serde::Serialize;
use shoal_page::text::compact;

use crate::data::Grade;
use crate::figure::{Statement, Verdict};
use crate::lab::Effort;
use crate::outcome::Outcome;
use crate::printed::Comparison;

/// Whether the privacy claim of the methods in a figure is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Privacy {
    /// It is, by proof and audit.
    True,
    /// It is not.
    False,
    /// The figure makes none.
    NoClaim,
}

impl Privacy {
    /// As a word in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::NoClaim => "none",
        }
    }
}

/// A headline, in a word or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Headline {
    /// It holds.
    Holds,
    /// In some places, and clearly not in others.
    InPart,
    /// It does not.
    Fails,
    /// Too few runs, or no data.
    Undecided,
    /// There is none: nothing in the figure was measured.
    None,
}

impl Headline {
    /// As a word in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InPart => "in part",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
            Self::None => "none",
        }
    }
}

/// How many statements and printed values came out in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// They hold or agree.
    pub hold: usize,
    /// In some places, and clearly not in others.
    pub in_part: usize,
    /// They do not.
    pub fail: usize,
    /// Too few runs, or no data.
    pub undecided: usize,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Holds => &mut self.hold,
            Verdict::Partly => &mut self.in_part,
            Verdict::Fails => &mut self.fail,
            Verdict::Undecided | Verdict::Untried => &mut self.undecided,
        } += 1;
    }

    /// How many there are.
    #[must_use]
    pub fn all(self) -> usize {
        self.hold + self.in_part + self.fail + self.undecided
    }
}

/// What came out of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The name that the command takes.
    pub figure: String,
    /// In a few words, such as `reproduced on substitute data`.
    pub verdict: String,
    /// The paper's statements about utility and the values that it prints.
    pub statements: Counts,
    /// What the figure is there for.
    pub headline: Headline,
    /// How near the data are to the paper's: the farthest of them.
    pub data: Grade,
    /// `whole` or `reduced`.
    pub protocol: &'static str,
    /// Whether the privacy claim is true, apart from utility.
    pub privacy: Privacy,
    /// What does not hold, and why.
    pub why: String,
}

/// How a verdict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Reproduced.
    Good,
    /// Not all of it.
    Mixed,
    /// The headline does not hold.
    Bad,
    /// Nothing can be concluded.
    Open,
}

/// The tone of a verdict's words.
#[must_use]
pub fn tone(verdict: &str) -> Tone {
    match verdict {
        verdict if verdict.starts_with("reproduced") => Tone::Good,
        verdict if verdict.starts_with("headline does not hold") => Tone::Bad,
        verdict if verdict.starts_with("headline") => Tone::Mixed,
        _ => Tone::Open,
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts =
            [(self.hold, "hold"), (self.in_part, "in part"), (self.fail, "fail"), (self.undecided, "undecided")];
        let words: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        f.write_str(if words.is_empty() { "nothing measured" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}

/// The headline among these statements: the one that is marked, or the first one of the paper's about utility.
#[must_use]
pub fn headline(statements: &[Statement]) -> Option<&Statement> {
    let of_paper = || statements.iter().filter(|statement| statement.is_of_paper());
    of_paper().find(|statement| statement.headline).or_else(|| of_paper().next())
}

impl Outcome {
    /// What came out of it.
    #[must_use]
    pub fn told(&self) -> Told {
        let statements = &self.drawing.statements;
        let mut counts = Counts::default();
        let mut open = Vec::new();
        for statement in statements.iter().filter(|statement| statement.is_of_paper()) {
            counts.add(statement.verdict);
            if statement.verdict != Verdict::Holds {
                open.push(format!("{}: {}", statement.says, statement.found));
            }
        }
        // A value of no single cell is judged as a statement, and some values are shown without being judged.
        for comparison in self.comparisons.iter().filter(|comparison| comparison.printed.counts()) {
            let verdict = comparison.verdict();
            counts.add(verdict);
            if verdict != Verdict::Holds {
                open.push(about(comparison));
            }
        }
        let claims: Vec<&Statement> =
            statements.iter().filter(|statement| statement.privacy && !statement.ours).collect();
        open.extend(claims.iter().filter(|s| s.verdict != Verdict::Holds).map(|s| format!("{}: {}", s.says, s.found)));
        let privacy = match claims.iter().find(|statement| statement.verdict != Verdict::Holds) {
            Some(_) => Privacy::False,
            None if !claims.is_empty() => Privacy::True,
            None => self.privacy,
        };
        let headline = match headline(statements).map(|statement| statement.verdict) {
            None => Headline::None,
            Some(Verdict::Holds) => Headline::Holds,
            Some(Verdict::Partly) => Headline::InPart,
            Some(Verdict::Fails) => Headline::Fails,
            Some(Verdict::Undecided | Verdict::Untried) => Headline::Undecided,
        };
        open.extend(self.drawing.caveats.iter().cloned());
        Told {
            figure: self.info.id.clone(),
            verdict: words(headline, counts, self.data, privacy),
            statements: counts,
            headline,
            data: self.data,
            protocol: match self.effort {
                Effort::Paper => "whole",
                Effort::Quick => "reduced",
            },
            privacy,
            why: open.join("; "),
        }
    }
}

/// A printed value that does not agree, with its distance.
fn about(comparison: &Comparison) -> String {
    let (what, value) = (&comparison.printed.what, &comparison.printed.value);
    match (comparison.measured, comparison.standard_errors, comparison.agrees) {
        (Some((mean, _)), Some(errors), Some(_)) => {
            format!("{what}: printed {value}, measured {}, {errors:.1} standard errors apart", compact(mean))
        }
        (Some((mean, _)), _, Some(_)) => format!("{what}: printed {value}, measured {}", compact(mean)),
        (Some(_), ..) => format!("{what}: printed {value}, too few runs to compare"),
        (None, ..) => format!("{what}: printed {value}, not measured"),
    }
}

/// The verdict in a few words.
fn words(headline: Headline, counts: Counts, data: Grade, privacy: Privacy) -> String {
    let what = match headline {
        Headline::None => "nothing to measure",
        Headline::Undecided => "too few runs",
        Headline::Fails => "headline does not hold",
        Headline::InPart => "headline holds in part",
        Headline::Holds if counts.hold == counts.all() => "reproduced",
        Headline::Holds => "headline holds",
    };
    let on = match (headline, data) {
        (Headline::None | Headline::Undecided, _) | (_, Grade::Exact | Grade::Near) => "",
        (_, Grade::Substitute) => " on substitute data",
        (_, Grade::MadeUp) => " on made-up data",
    };
    let claim = if privacy == Privacy::False { "; privacy claim false" } else { "" };
    format!("{what}{on}{claim}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Places;

    #[test]
    fn a_tie_is_a_tie_and_no_failure() {
        let verdict = |held, tied, against| Places { held, tied, against }.verdict();
        assert_eq!(verdict(110, 34, 0), Verdict::Holds, "never contradicted, clear in most");
        assert_eq!(verdict(2, 38, 0), Verdict::Undecided);
        assert_eq!(verdict(0, 5, 0), Verdict::Undecided);
        assert_eq!(verdict(190, 0, 2), Verdict::Partly);
        assert_eq!(verdict(1, 0, 9), Verdict::Fails);
        assert_eq!(verdict(0, 0, 0), Verdict::Untried);
        assert_eq!(Places { held: 6, tied: 0, against: 4 }.in_most(0.5), Verdict::Holds);
        assert_eq!(Places { held: 4, tied: 3, against: 3 }.in_most(0.5), Verdict::Undecided);
        assert_eq!(Places { held: 4, tied: 0, against: 6 }.in_most(0.5), Verdict::Partly);
        assert_eq!(Places { held: 1, tied: 0, against: 9 }.in_most(0.5), Verdict::Fails);
    }

    #[test]
    fn words_say_what_came_out() {
        let all = Counts { hold: 3, ..Counts::default() };
        let some = Counts { hold: 3, fail: 1, ..Counts::default() };
        let of = |headline, counts, data, privacy| words(headline, counts, data, privacy);
        assert_eq!(of(Headline::Holds, all, Grade::Near, Privacy::True), "reproduced");
        assert_eq!(of(Headline::Holds, all, Grade::Substitute, Privacy::True), "reproduced on substitute data");
        assert_eq!(of(Headline::Holds, all, Grade::Exact, Privacy::False), "reproduced; privacy claim false");
        assert_eq!(of(Headline::Holds, some, Grade::Exact, Privacy::NoClaim), "headline holds");
        assert_eq!(of(Headline::Fails, some, Grade::MadeUp, Privacy::True), "headline does not hold on made-up data");
        assert_eq!(of(Headline::Undecided, some, Grade::MadeUp, Privacy::True), "too few runs");
        assert_eq!(of(Headline::None, Counts::default(), Grade::Exact, Privacy::NoClaim), "nothing to measure");
        assert_eq!(tone("reproduced on substitute data; privacy claim false"), Tone::Good);
        assert_eq!(some.to_string(), "3 hold, 1 fail");
    }

    #[test]
    fn the_headline_is_the_one_that_is_marked() {
        let of = |says: &str| Statement::counted(says, 1, 1, "");
        let all = [of("ours").ours(), of("private").privacy(), of("first"), of("second").headline()];
        assert_eq!(headline(&all).unwrap().says, "second");
        assert_eq!(headline(&all[..3]).unwrap().says, "first");
        assert!(headline(&all[..2]).is_none());
    }
}
