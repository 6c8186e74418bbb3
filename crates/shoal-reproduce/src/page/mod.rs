//! Pages for people: one for each figure, which needs no other file, and an index that shows the pictures in the same
//! folder.

mod figure;
mod index;

pub use figure::figure;
pub use index::index;

use maud::{Markup, html};
use shoal_page::html::{Page, footer};

use crate::figure::{Status, Verdict};

const NOTE: &str = "Measured on public data with seeded noise, between the data’s own limits: right for measuring, wrong for releasing. Nothing here carries a privacy guarantee.";

/// A page with this title, body and script.
fn page(title: &str, body: &Markup, script: &str) -> String {
    let body = html! { (body) (footer(NOTE, env!("CARGO_PKG_VERSION"))) };
    Page::new(title, body).class("papers").style(include_str!("style.css")).script(script).with_pictures().render()
}

/// A verdict in a word or two.
fn pill(class: &str, words: &str) -> Markup {
    html! { span.pill.(class) { (words) } }
}

fn status_pill(status: Status) -> Markup {
    match status {
        Status::Reproduced => pill("good", "reproduced"),
        Status::Partly => pill("warn", "partly reproduced"),
        Status::Not => pill("bad", "not reproduced"),
    }
}

fn verdict_pill(verdict: Verdict) -> Markup {
    match verdict {
        Verdict::Holds => pill("good", "holds"),
        Verdict::Partly => pill("warn", "partly"),
        Verdict::Fails => pill("bad", "does not hold"),
        Verdict::Untried => pill("none", "not tried"),
    }
}
