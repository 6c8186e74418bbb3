//! The privacy guarantee: in words, then piece by piece.

use maud::{Markup, Render, html};
use shoal::facts::Facts;
use shoal::model::{Kind, Model};
use shoal_page::html::facts as list;
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics, Strength};

use super::capital;

/// The claim if it holds, and otherwise the reason why it does not.
pub fn verdict(facts: &Facts) -> Result<&Claim, NoGuarantee> {
    match &facts.guarantee {
        Guarantee::Void { none } => Err(*none),
        Guarantee::Holds(claim) => Ok(claim),
    }
}

/// The card below the title.
pub fn card(facts: &Facts) -> Markup {
    match verdict(facts) {
        Ok(claim) => {
            let statement = claim.statement();
            let (class, sign, tag) = match claim.strength() {
                Strength::Usual => ("card holds", "✓", "What is guaranteed to the people in the data"),
                Strength::Weak => ("card weak", "!", "A weak guarantee to the people in the data"),
                Strength::VeryWeak => ("card weak very", "▲", "Almost no privacy for the people in the data"),
            };
            html! {
                section class=(class) aria-labelledby="promise-tag" {
                    p.tag #promise-tag {
                        span aria-hidden="true" { (sign) } " " (tag) " "
                        span.symbols { (claim.loss.symbols()) }
                    }
                    p.sentence { (statement.plain) }
                    p.gloss { (statement.formal) }
                    @if let Some(conditions) = statement.holds_if() { p.gloss { (conditions) } }
                }
            }
        }
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

/// What may be published: the question that everyone asks.
pub fn publish(facts: &Facts) -> Markup {
    html! {
        section.card.publish aria-labelledby="publish-tag" {
            p.tag #publish-tag { "What may I publish?" }
            @if facts.publish.may.is_empty() {
                p { (facts.publish.sentence()) }
            } @else {
                p { b { "Yes: " } (facts.publish.may.join(", ")) ". They hold released numbers only, under the guarantee above." }
                p { b { "No: " } (facts.publish.keep.join(", ")) ". They hold or reveal single rows, or how the table was used." }
            }
        }
    }
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
pub fn details(model: &Model, facts: &Facts) -> Markup {
    let published = &model.published;
    html! {
        @match verdict(facts) {
            Ok(claim) => { (pieces(model, claim)) (also(&facts.also)) (limits(claim)) }
            Err(why) => { p { "Nothing is guaranteed. " (way_out(why)) } }
        }
        aside.paper {
            @if published.paper == "Shoal" {
                h3 { "Which paper is this from?" }
                p { "None: the method is Shoal’s own. The guarantee of this release is computed from what the program did." }
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
        Kind::Curator if model.merged_from.is_some() => {
            "Each custodian, with the own table alone: the custodians added their noise before they gave anything away. Whoever merged the releases saw them and nothing else, so the guarantee is about everyone, the other custodians included."
        }
        Kind::Curator if model.split.is_some() => {
            "Each custodian, with the own table alone, and one of the helpers: as long as one of them keeps its shares to itself and adds its noise, the others and all other parties together learn no more than is stated here."
        }
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
    list("pieces", rows)
}

fn neighbours(neighbours: &Neighbours) -> &'static str {
    match neighbours {
        Neighbours::AddRemoveOne => {
            "Whether any one row is there at all: D and D′ are the same table with and without that row."
        }
        Neighbours::ReplaceOne => {
            "What any one row says: D and D′ have equally many rows and differ in one. That a row exists is not hidden."
        }
        Neighbours::AddRemovePerson => {
            "Whether any one person is there at all: D and D′ are the same table with and without all rows of that person."
        }
        Neighbours::ReplacePerson => {
            "What any one person’s rows say: D and D′ have the same persons and differ in the rows of one. That a person is there is not hidden."
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
                " apart, plus δ: something that is impossible in one case may happen with probability δ in the other."
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
        Assumption::PersonCountPublic => (
            "The number of people is no secret, so whether someone is in the table may be known; what their rows say is hidden.",
            "publishing the number gave away that it changed when someone came or went.",
        ),
        Assumption::PersonColumn => (
            "The person column identifies people: it is the same in all rows of a person, and different for two persons.",
            "someone who is there under several names is protected less, once for each name; two people under one name share their protection.",
        ),
        Assumption::OneReportPerPerson => (
            "Each person sends one report and no more, in this collection or another.",
            "the losses of a person’s reports add up, also when they are about the same record.",
        ),
        Assumption::NoFurtherReports => (
            "The person sends no further reports than these, in this collection or another.",
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
        Assumption::SomeRow => (
            "It is no secret that the table has a row: without a header, only a row shows how many columns there are.",
            "that there is a result gives away that the table was not empty.",
        ),
        Assumption::GapsPublic => (
            "It is no secret which rows lack a value: they were left out, and the number of the others was published.",
            "the number reveals whether someone’s row had a missing value.",
        ),
        Assumption::DesignSizePublic => (
            "The number of rows that the method was set up for came from elsewhere.",
            "it was read off the data, and the number of rows, which one person changes, is given away.",
        ),
        Assumption::OnlyResultsPublished => (
            "Whoever reads this sees results that do not depend on the order of the reports, and not the reports themselves, their order or who sent them.",
            "a person is protected by their own report alone, with the larger ε of one report.",
        ),
        Assumption::OthersAsDescribed => (
            "The other people’s reports were made as the design says, with noise that nobody else knows.",
            "forged reports, and those of people who work together with the observer, hide nobody.",
        ),
        Assumption::OneCustodianPerPerson => (
            "Nobody is in the tables of two custodians.",
            "for someone who is in several of the tables the losses of these add up; what holds for someone who is in all of them is stated below.",
        ),
        Assumption::OneRowPerTable => (
            "Each person has at most one row in the table of a custodian, in however many of the tables they are.",
            "someone with several rows in a table is protected less: the odds are multiplied once for each row.",
        ),
        Assumption::OneHelperHonest => (
            "One of the helpers keeps its shares to itself and adds its noise.",
            "all helpers together see the exact sums of every custodian; what is left then is stated below where custodians added noise of their own, and nothing otherwise.",
        ),
        Assumption::EncryptionHolds => (
            "The encryption of messages and shares holds.",
            "whoever reads the messages of a custodian to all helpers sees its exact sums.",
        ),
        Assumption::QueryPublic => (
            "The query that chose rows and columns was written without looking at the data.",
            "a condition that was taken from the data gives away what it was taken from.",
        ),
    }
}

/// Further guarantees, in other units.
fn also(also: &[String]) -> Markup {
    html! {
        @if !also.is_empty() {
            h3 { "What else is guaranteed" }
            ul.points { @for sentence in also { li { (sentence) } } }
        }
    }
}

/// What the sentence does not say.
fn limits(claim: &Claim) -> Markup {
    let local = matches!(claim.neighbours, Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_));
    let unit = match &claim.neighbours {
        _ if local => "report",
        Neighbours::AddRemovePerson | Neighbours::ReplacePerson => "person",
        _ => "row",
    };
    html! {
        h3 { "What is not guaranteed" }
        ul.points {
            li {
                strong { "It does not stop general conclusions." }
                " What the result teaches about people like you would be learnt without " (if unit == "person" { "you".to_string() } else { format!("your {unit}") }) " as well, and can be applied to you."
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
