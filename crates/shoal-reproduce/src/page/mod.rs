//! Pages for people: one for each figure, which needs no other file, and an index that shows the pictures in the same
//! folder.

mod figure;
mod index;
mod overview;

pub use figure::figure;
pub use index::index;
pub use overview::overview;

use maud::{Markup, html};
use shoal_page::html::{Page, footer};

use crate::figure::Verdict;
use crate::verdict::{Tone, tone};

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

fn told_pill(verdict: &str) -> Markup {
    let class = match tone(verdict) {
        Tone::Good => "good",
        Tone::Mixed => "warn",
        Tone::Bad => "bad",
        Tone::Open => "none",
    };
    pill(class, verdict)
}

fn verdict_pill(verdict: Verdict) -> Markup {
    match verdict {
        Verdict::Holds => pill("good", "holds"),
        Verdict::Partly => pill("warn", "in part"),
        Verdict::Fails => pill("bad", "does not hold"),
        Verdict::Undecided => pill("none", "undecided"),
        Verdict::Untried => pill("none", "not tried"),
    }
}
