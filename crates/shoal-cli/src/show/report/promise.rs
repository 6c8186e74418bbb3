//! The privacy guarantee: in one sentence, then piece by piece.

use maud::{Markup, Render, html};
use shoal::model::{Kind, Model};
use shoal_page::html::facts;
use shoal_privacy::rounding::exp_up;
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics};

use crate::show::summary::in_practice;

/// The claim if it holds, and otherwise the reason why it does not. A seed voids whatever the rest says.
pub fn verdict(model: &Model) -> Result<&Claim, NoGuarantee> {
    match &model.guarantee {
        Guarantee::Void { none } => Err(*none),
        Guarantee::Holds(_) if model.seeded => Err(NoGuarantee::Seeded),
        Guarantee::Holds(claim) => Ok(claim),
    }
}

/// The card below the title.
pub fn card(model: &Model) -> Markup {
    match verdict(model) {
        Ok(claim) => html! {
            section.card.holds aria-labelledby="promise-tag" {
                p.tag #promise-tag {
                    span aria-hidden="true" { "✓" } " What was promised to the people in the data "
                    span.symbols { (claim.loss.symbols()) }
                }
                p.sentence { (claim.sentence()) }
                @if let Some(example) = example(claim) { p.gloss { (example) } }
            }
        },
        Err(why) => {
            let sentence = why.sentence();
            html! {
                section.card.void aria-label="No privacy" {
                    p.loud { span aria-hidden="true" { "✕" } " NO PRIVACY" }
                    p.sentence { (capital(sentence.strip_prefix("NO PRIVACY: ").unwrap_or(sentence))) }
                    p { (way_out(why)) }
                }
            }
        }
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// How sure a coin-tossing onlooker can become: a plain reading of a pure loss, rounded up.
fn example(claim: &Claim) -> Option<String> {
    if matches!(claim.loss, Loss::PerDistance(_)) {
        return Some(in_practice(claim).trim_end().into());
    }
    let Loss::Pure(epsilon) = &claim.loss else { return None };
    let question = match &claim.neighbours {
        Neighbours::AddRemoveOne => "whether your row was in the data",
        Neighbours::ReplaceOne => "which of two values your row had",
        Neighbours::AnyTwoInputs => "which of two records was yours",
        Neighbours::PerUnitOf(_) => return None,
    };
    let odds = exp_up(epsilon.to_f64_up());
    let sure = if odds.is_finite() { (1000.0 * odds / (1.0 + odds)).ceil() / 10.0 } else { 100.0 };
    let reading = if sure >= 99.9 {
        "all but certain. That is a very weak promise: consider a smaller ε".to_string()
    } else if sure >= 99.0 {
        format!("at most {sure}\u{a0}% sure. That is a weak promise: consider a smaller ε")
    } else {
        format!("at most {sure}\u{a0}% sure")
    };
    Some(format!("For example, if someone thought it a coin toss {question}, this page can make them {reading}."))
}

fn way_out(why: NoGuarantee) -> Markup {
    html! {
        "Treat this page like the data itself. For a private result "
        @match why {
            NoGuarantee::Seeded => { "fit again without " code { "--seed" } "." }
            NoGuarantee::Unsound => { "choose another method; " code { "shoal methods" } " lists them." }
            NoGuarantee::NotPrivate => { "fit again with a private method; " code { "shoal methods" } " lists them." }
        }
    }
}

/// The section that takes the sentence apart.
pub fn details(model: &Model) -> Markup {
    let published = &model.published;
    html! {
        @match verdict(model) {
            Ok(claim) => { (pieces(model, claim)) (also(&model.also)) (limits(claim)) }
            Err(why) => { p { "Nothing is promised. " (way_out(why)) } }
        }
        aside.paper {
            @if published.paper == "Shoal" {
                h3 { "What is published" }
                p {
                    (published.text)
                    ". The method is Shoal’s own; the guarantee of this release is computed from what the program did."
                }
            } @else {
                h3 { "What the paper says" }
                blockquote { p { (published.text) } }
                p.legend {
                    "The words of the paper behind the method (" (published.paper)
                    "). They are quoted for comparison and are not the guarantee of this release, which is computed from what the program did."
                }
            }
        }
    }
}

fn pieces(model: &Model, claim: &Claim) -> Markup {
    let plain = |words: &dyn Render| html! { p { (words) } };
    let trusted = match model.kind {
        Kind::Curator => {
            "The holder of the table, who ran the program and saw every row. The guarantee is about everyone who sees the result."
        }
        Kind::Crowd => {
            "Nobody. Each person’s record was perturbed before it was sent, so the guarantee is about everyone who sees the reports, the server included."
        }
    };
    let (formula, meaning) = loss(&claim.loss);
    let leak = html! { p.symbols { (claim.loss.symbols()) br; (formula) } p { (meaning) } };
    let mut rows = vec![
        ("Who is trusted", plain(&trusted)),
        ("What is hidden", plain(&neighbours(&claim.neighbours))),
        ("How much may leak", leak),
        ("How exactly", plain(&numerics(claim.numerics))),
    ];
    rows.extend(claim.assumes.iter().map(|assumption| {
        let (words, otherwise) = assumed(*assumption);
        ("On condition", html! { p { (words) " " span.otherwise { strong { "If not:" } " " (otherwise) } } })
    }));
    facts("pieces", rows)
}

fn neighbours(neighbours: &Neighbours) -> &'static str {
    match neighbours {
        Neighbours::AddRemoveOne => {
            "Whether any one row is there at all: D and D′ are the same table with and without that row."
        }
        Neighbours::ReplaceOne => {
            "What any one row says: D and D′ have equally many rows and differ in one. That a row exists is not hidden."
        }
        Neighbours::AnyTwoInputs => {
            "All that one person’s record says: D and D′ are any two records a person might hold."
        }
        Neighbours::PerUnitOf(_) => {
            "Which of two similar records a person holds: the closer D and D′ are, the better they are hidden; very different records can be distinguished."
        }
    }
}

/// The bound as a formula, and what it means.
fn loss(loss: &Loss) -> (Markup, Markup) {
    let factor = || html! { "e" sup { "ε" } };
    let bound = |factor: &Markup| html! { "Pr[M(D) ∈ S] ≤ " (factor) " · Pr[M(D′) ∈ S]" };
    match loss {
        Loss::Pure(_) => (
            bound(&factor()),
            html! {
                "Every possible result is about as likely for D as for D′: the two probabilities differ at most by the factor "
                (factor()) ". The smaller ε, the better the hiding."
            },
        ),
        Loss::Approximate { .. } => (
            html! { (bound(&factor())) " + δ" },
            html! {
                "Every set of results is about as likely in both cases, at most the factor " (factor())
                " apart, except with probability δ, with which the guarantee may fail."
            },
        ),
        Loss::Zcdp(_) => (
            html! { "D" sub { "α" } "(M(D) ‖ M(D′)) ≤ ρ·α for all α > 1" },
            html! {
                "The evidence that a result gives for one case over the other is small on average, and rarely large. The smaller ρ, the better the hiding."
            },
        ),
        Loss::PerDistance(_) => (
            bound(&html! { "e" sup { "ε·d(D, D′)" } }),
            html! {
                "The probabilities of a result differ at most by the factor " (factor())
                " for each unit of distance between the records."
            },
        ),
    }
}

fn numerics(numerics: Numerics) -> &'static str {
    match numerics {
        Numerics::Exact => {
            "The noise is drawn in whole numbers, exactly as the proof demands; rounding in the computer opens no gap."
        }
        Numerics::Lattice => {
            "Results lie on a grid fixed beforehand, but the noise was computed with rounded numbers, so the probabilities may differ from the proof’s in the last digits."
        }
        Numerics::IdealReals => {
            "The proof is about real numbers and the program computes with rounded ones. Someone who knows the program well might learn more than promised from the last digits."
        }
    }
}

/// A condition, and what follows where it is not met.
fn assumed(assumption: Assumption) -> (&'static str, &'static str) {
    match assumption {
        Assumption::BoundsPublic => (
            "The bounds were chosen without looking at the data: from a form, a regulation, common knowledge.",
            "a bound such as the highest salary in the table gives away that person’s value, and nothing protects it.",
        ),
        Assumption::RowCountPublic => (
            "The number of rows is no secret, so whether someone is in the table may be known; what their row says is hidden.",
            "publishing the number gave away that it changed when someone came or went.",
        ),
        Assumption::OneRowPerPerson => (
            "Each person has one row.",
            "someone with several rows is protected less: the odds are multiplied once for each row.",
        ),
        Assumption::OneReportPerPerson => (
            "Each person sends one report and no more, in this collection or another.",
            "the losses of a person’s reports add up, also when they are about the same record.",
        ),
        Assumption::ReportsAsDescribed => (
            "The reports were made as their file describes: whoever clusters them cannot see how they were made.",
            "nothing is known about what they give away.",
        ),
        Assumption::RowsComplete => (
            "No row lacks a value.",
            "a row with a missing value would have stopped the fit, so the existence of a result reveals that there was no such row.",
        ),
        Assumption::RowsReadable => (
            "Every row can be read.",
            "a row that is not numeric would have stopped the fit, so the existence of a result reveals that there was no such row.",
        ),
        Assumption::GapsPublic => (
            "It is no secret which rows lack a value: they were left out, and the number of the others was published.",
            "the number reveals whether someone’s row had a missing value.",
        ),
        Assumption::DesignSizePublic => (
            "The number of rows that the method was set up for came from elsewhere.",
            "it was read off the data, and the number of rows, which one person changes, is given away.",
        ),
    }
}

/// Further guarantees, in other units.
fn also(also: &[Claim]) -> Markup {
    html! {
        @if !also.is_empty() {
            h3 { "What else is guaranteed" }
            ul.points { @for claim in also { li { (claim.sentence()) } } }
        }
    }
}

/// What the sentence does not say.
fn limits(claim: &Claim) -> Markup {
    let local = matches!(claim.neighbours, Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_));
    let unit = if local { "report" } else { "row" };
    html! {
        h3 { "What is not guaranteed" }
        ul.points {
            li {
                strong { "It does not stop general conclusions." }
                " What the result teaches about people like you would be learnt without your " (unit) " as well, and can be applied to you."
            }
            li {
                strong { "It covers this release alone." }
                " Every further release from the same data adds to what may leak: budgets add up."
            }
            li {
                strong { "It covers one " (unit) ", not a group." }
                " Families or teams with similar rows are protected less the larger they are."
            }
            li {
                strong { "It covers what was released, not the data." }
                " The table itself, copies of it and anything else computed from it need their own care."
            }
        }
    }
}
