//! The index of all pages.

use super::{page, status_chip};
use crate::chart::escape;
use crate::figure::{Paper, Status};
use crate::lab::Effort;
use crate::outcome::{Failed, Outcome};

/// The index: a card for each figure, paper by paper.
#[must_use]
pub fn index(outcomes: &[Outcome], failed: &[Failed], command: &str) -> String {
    let count = |status: Status| outcomes.iter().filter(|outcome| outcome.told().status == status).count();
    let quick = outcomes.iter().any(|outcome| outcome.effort == Effort::Quick);
    let mut body = format!(
        r#"<header><h1>The papers, measured again</h1>
<p class="facts">{} figures and tables: {} reproduced, {} in part, {} not.</p></header>
<main>{}"#,
        outcomes.len(),
        count(Status::Reproduced),
        count(Status::Partly),
        count(Status::Not),
        if quick {
            r#"<p class="banner">Quick look: fewer runs than the papers made. Each page says what was left out.</p>"#
        } else {
            ""
        }
    );
    for paper in Paper::ALL {
        let cards: String = outcomes.iter().filter(|outcome| outcome.info.paper == paper).map(card).collect();
        if !cards.is_empty() {
            let (key, citation) = (paper.key(), escape(paper.citation()));
            body += &format!(
                r#"<section><h2>{key}</h2><p class="facts">{citation}</p><div class="cards">{cards}</div></section>"#
            );
        }
    }
    if !failed.is_empty() {
        let items: String =
            failed.iter().map(|(figure, why)| format!("<li><b>{}</b>: {}</li>", escape(figure), escape(why))).collect();
        body += &format!("<section><h2>Not measured</h2><ul>{items}</ul></section>");
    }
    body += &format!(
        r#"<section><h2>How it was made</h2><code class="command">{}</code></section></main>"#,
        escape(command)
    );
    page("The papers, measured again", &body, "")
}

fn card(outcome: &Outcome) -> String {
    let (info, told) = (&outcome.info, outcome.told());
    let id = &info.id;
    format!(
        r#"<a class="figure" href="{id}.html"><i class="thumb"><img src="{id}.svg" alt="" loading="lazy"></i><b>{}</b> {}<span>{}</span></a>"#,
        escape(&info.label),
        status_chip(told.status),
        escape(&info.title)
    )
}
