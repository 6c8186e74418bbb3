//! The index of all pages.

use maud::{Markup, html};
use shoal_page::html::command;

use super::{page, told_pill};
use crate::figure::Paper;
use crate::lab::Effort;
use crate::outcome::{Failed, Outcome};
use crate::verdict::{Told, Tone, tone};

/// The index: a card for each figure, paper by paper.
#[must_use]
pub fn index(outcomes: &[Outcome], failed: &[Failed], made_by: &str) -> String {
    let told: Vec<Told> = outcomes.iter().map(Outcome::told).collect();
    let count = |wanted: Tone| told.iter().filter(|told| tone(&told.verdict) == wanted).count();
    let of = |paper: Paper| outcomes.iter().filter(move |outcome| outcome.info.paper == paper);
    let body = html! {
        header {
            h1 { "The papers, measured again" }
            p.facts-line {
                (outcomes.len()) " figures and tables: " (count(Tone::Good)) " reproduced, of " (count(Tone::Mixed))
                " the headline holds at least in part, of " (count(Tone::Bad)) " it does not, " (count(Tone::Open))
                " are open or have nothing to measure."
            }
        }
        main {
            @if outcomes.iter().any(|outcome| outcome.effort == Effort::Quick) {
                p.banner { "Reduced run: fewer repetitions than the papers made. Each page says what was left out." }
            }
            @for paper in Paper::ALL {
                @if of(paper).next().is_some() {
                    section {
                        h2 { (paper.key()) }
                        p.facts-line { (paper.citation()) }
                        div.cards { @for outcome in of(paper) { (card(outcome)) } }
                    }
                }
            }
            @if !failed.is_empty() {
                section {
                    h2 { "Not measured" }
                    ul { @for (figure, why) in failed { li { b { (figure) } ": " (why) } } }
                }
            }
            section { h2 { "How it was made" } (command(made_by)) }
        }
    };
    page("The papers, measured again", &body, "")
}

fn card(outcome: &Outcome) -> Markup {
    let info = &outcome.info;
    html! {
        a.figure href={ (info.id) ".html" } {
            i.thumb { img src={ (info.id) ".svg" } alt="" loading="lazy"; }
            b { (info.label) } " " (told_pill(&outcome.told().verdict))
            span { (info.title) }
        }
    }
}
