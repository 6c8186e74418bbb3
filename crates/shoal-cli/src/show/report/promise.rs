//! The promise: in one sentence, then piece by piece.

use shoal::model::{Kind, Model};
use shoal_privacy::rounding::exp_up;
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics};

use super::text::escape;
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
pub fn card(model: &Model) -> String {
    match verdict(model) {
        Ok(claim) => format!(
            r#"<section class="card holds" aria-labelledby="promise-tag"><p class="tag" id="promise-tag"><span aria-hidden="true">✓</span> What was promised to the people in the data <span class="symbols">{}</span></p><p class="sentence">{}</p>{}</section>"#,
            escape(&claim.loss.symbols()),
            escape(&claim.sentence()),
            example(claim)
        ),
        Err(why) => {
            let sentence = why.sentence();
            format!(
                r#"<section class="card void" aria-label="No privacy"><p class="loud"><span aria-hidden="true">✕</span> NO PRIVACY</p><p class="sentence">{}</p><p>{}</p></section>"#,
                escape(&capital(sentence.strip_prefix("NO PRIVACY: ").unwrap_or(sentence))),
                way_out(why)
            )
        }
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// How sure a coin-tossing onlooker can become: a plain reading of a pure loss, rounded up.
fn example(claim: &Claim) -> String {
    if matches!(claim.loss, Loss::PerDistance(_)) {
        return format!(r#"<p class="gloss">{}</p>"#, escape(in_practice(claim).trim_end()));
    }
    let (Loss::Pure(epsilon), who) = (&claim.loss, &claim.neighbours) else { return String::new() };
    let question = match who {
        Neighbours::AddRemoveOne => "whether your row was in the data",
        Neighbours::ReplaceOne => "which of two values your row had",
        Neighbours::AnyTwoInputs => "which of two records was yours",
        Neighbours::PerUnitOf(_) => return String::new(),
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
    format!(
        r#"<p class="gloss">For example, if someone thought it a coin toss {question}, this page can make them {reading}.</p>"#
    )
}

fn way_out(why: NoGuarantee) -> &'static str {
    match why {
        NoGuarantee::Seeded => {
            "Treat this page like the data itself. For a private result fit again without <code>--seed</code>."
        }
        NoGuarantee::Unsound => {
            "Treat this page like the data itself. For a private result choose another method; <code>shoal methods</code> lists them."
        }
        NoGuarantee::NotPrivate => {
            "Treat this page like the data itself. For a private result fit again with a private method; <code>shoal methods</code> lists them."
        }
    }
}

/// The section that takes the sentence apart.
pub fn details(model: &Model) -> String {
    let body = match verdict(model) {
        Ok(claim) => format!("{}{}{}", pieces(model, claim), besides(&model.also), limits(claim)),
        Err(why) => format!("<p>Nothing is promised. {}</p>", way_out(why)),
    };
    let published = &model.published;
    if published.paper == "Shoal" {
        return format!(
            r#"{body}
<aside class="paper"><h3>What is published</h3><p>{}. The method is Shoal’s own; the promise of this release is computed from what the program did.</p></aside>"#,
            escape(&published.text)
        );
    }
    format!(
        r#"{body}
<aside class="paper"><h3>What the paper says</h3><blockquote><p>{}</p></blockquote><p class="legend">The words of the paper behind the method ({}). They are quoted for comparison and are not the promise of this release, which is computed from what the program did.</p></aside>"#,
        escape(&published.text),
        escape(&published.paper)
    )
}

fn pieces(model: &Model, claim: &Claim) -> String {
    let piece = |term: &str, symbols: &str, words: &str| {
        let symbols = if symbols.is_empty() { String::new() } else { format!("<p class=\"symbols\">{symbols}</p>") };
        format!("<div><dt>{term}</dt><dd>{symbols}<p>{words}</p></dd></div>\n")
    };
    let trusted = match model.kind {
        Kind::Curator => {
            "The holder of the table, who ran the program and saw every row. The promise is about everyone who sees the result."
        }
        Kind::Crowd => {
            "Nobody. Each person’s record was perturbed before it was sent, so the promise is about everyone who sees the reports, the server too."
        }
    };
    let (formula, meaning) = loss(&claim.loss);
    let assumptions: String = claim
        .assumes
        .iter()
        .map(|assumption| {
            let (words, otherwise) = assumed(*assumption);
            piece(
                "On condition",
                "",
                &format!("{words} <span class=\"otherwise\"><strong>If not:</strong> {otherwise}</span>"),
            )
        })
        .collect();
    format!(
        "<dl class=\"pieces\">{}{}{}{}{assumptions}</dl>",
        piece("Who is trusted", "", trusted),
        piece("What is hidden", "", neighbours(&claim.neighbours)),
        piece("How much may leak", &format!("{}<br>{formula}", escape(&claim.loss.symbols())), meaning),
        piece("How exactly", "", numerics(claim.numerics)),
    )
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
            "Which of two similar records a person holds: the closer D and D′ are, the better they are hidden; very different records can be told apart."
        }
    }
}

fn loss(loss: &Loss) -> (&'static str, &'static str) {
    match loss {
        Loss::Pure(_) => (
            "Pr[M(D) ∈ S] ≤ e<sup>ε</sup> · Pr[M(D′) ∈ S]",
            "Every possible result is about as likely for D as for D′: the two chances differ at most by the factor e<sup>ε</sup>. The smaller ε, the better the hiding.",
        ),
        Loss::Approximate { .. } => (
            "Pr[M(D) ∈ S] ≤ e<sup>ε</sup> · Pr[M(D′) ∈ S] + δ",
            "Every set of results is about as likely in both cases, at most the factor e<sup>ε</sup> apart, but for a remainder of chance δ for which nothing is promised.",
        ),
        Loss::Zcdp(_) => (
            "D<sub>α</sub>(M(D) ‖ M(D′)) ≤ ρ·α for all α &gt; 1",
            "The evidence that a result gives for one case over the other is small on average, and rarely large. The smaller ρ, the better the hiding.",
        ),
        Loss::PerDistance(_) => (
            "Pr[M(D) ∈ S] ≤ e<sup>ε·d(D, D′)</sup> · Pr[M(D′) ∈ S]",
            "The chances of a result differ at most by the factor e<sup>ε</sup> for each unit of distance between the records.",
        ),
    }
}

fn numerics(numerics: Numerics) -> &'static str {
    match numerics {
        Numerics::Exact => {
            "The noise is drawn in whole numbers, exactly as the proof demands; rounding in the computer opens no gap."
        }
        Numerics::Lattice => {
            "Results lie on a grid fixed beforehand, but the noise was computed with rounded numbers, so the chances may differ from the proof’s in the last digits."
        }
        Numerics::IdealReals => {
            "The proof is about real numbers and the program computes with rounded ones. Someone who knows the program well might learn more than promised from the last digits."
        }
    }
}

fn assumed(assumption: Assumption) -> (&'static str, &'static str) {
    match assumption {
        Assumption::BoundsPublic => (
            "The bounds were chosen without looking at the data: from a form, a law, common knowledge.",
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
            "The reports were made as their file says: whoever clusters them cannot see how they were made.",
            "nothing is known about what they give away.",
        ),
        Assumption::RowsComplete => (
            "No row lacks a value.",
            "a row with a gap would have stopped it, so that there is a result tells that no row has one.",
        ),
        Assumption::RowsReadable => (
            "Every row can be read.",
            "a row that is no row of numbers would have stopped the fit, so that there is a result tells that there is none.",
        ),
        Assumption::GapsPublic => (
            "It is no secret which rows lack a value: they were left out, and the number of the others was told.",
            "the number tells whether someone’s row had a gap.",
        ),
        Assumption::DesignSizePublic => (
            "The number of rows that the method was set up for came from elsewhere.",
            "it was read off the data, and the number of rows, which one person changes, is given away.",
        ),
    }
}

/// What holds besides, told in another unit.
fn besides(also: &[Claim]) -> String {
    let point = |claim: &Claim| format!("<li>{}</li>", escape(&claim.sentence()));
    if also.is_empty() {
        return String::new();
    }
    format!("<h3>What holds besides</h3><ul class=\"points\">{}</ul>", also.iter().map(point).collect::<String>())
}

/// What the sentence does not say.
fn limits(claim: &Claim) -> String {
    let local = matches!(claim.neighbours, Neighbours::AnyTwoInputs | Neighbours::PerUnitOf(_));
    let unit = if local { "report" } else { "row" };
    format!(
        r#"<h3>What it does not promise</h3>
<ul class="points">
<li><strong>It does not stop general conclusions.</strong> What the result teaches about people like you would be learnt without your {unit} as well, and can be applied to you.</li>
<li><strong>It speaks of this release alone.</strong> Every further release from the same data adds to what may leak: budgets add up.</li>
<li><strong>It covers one {unit}, not a group.</strong> Families or teams with similar rows are protected less the larger they are.</li>
<li><strong>It covers what was released, not the data.</strong> The table itself, copies of it and anything else computed from it need their own care.</li>
</ul>"#
    )
}
