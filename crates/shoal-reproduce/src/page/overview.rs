//! One page about the five papers: what they claim, what holds, what does not, with a picture each.

use maud::{Markup, PreEscaped, html};
use shoal_page::html::command;

use super::{page, told_pill};
use crate::figure::Paper;
use crate::recorded::Recorded;
use crate::verdict::{Tone, tone};

/// What is known of a paper in a sentence or two, and the figure that shows it.
struct Summary {
    paper: Paper,
    /// What it proposes and claims.
    claims: &'static str,
    /// What the figures here show of that.
    found: &'static str,
    /// Whether its guarantee holds.
    privacy: &'static str,
    /// The figure that is shown.
    shown: &'static str,
}

const PAPERS: [Summary; 5] = [
    Summary {
        paper: Paper::Scl16,
        claims: "A trusted holder clusters a table. Publishing noisy counts of grid cells once (EUGkM) beats methods that query the rows again and again in few dimensions; iterating (DPLloyd) wins in many; Hybrid takes the better of both.",
        found: "EUGkM beats DPLloyd on small budgets in few dimensions, DPLloyd wins in many, and the authors' own run on S1 comes out digit by digit. GkM, the method of an older system, is measured with its output range found as the paper describes it.",
        privacy: "The guarantees hold. One comparator, as its authors programmed it, did not keep its own; a sound form is measured.",
        shown: "su16-fig1",
    },
    Summary {
        paper: Paper::Nqc21,
        claims: "Start with three times as many centres, merge the nearest ones, and give later steps more of the budget (DP-KCCM): better than equal shares without merging (average_k).",
        found: "Growing shares help clusters that are merged, and nowhere harm them. DP-KCCM beats average_k on Tripadvisor (10 of 10 places) and Review-ratings (6 of 7), and not on the other four tables: an honest non-reproduction. Four ways of handling small counts give the same order.",
        privacy: "The guarantee holds.",
        shown: "ni21-fig4",
    },
    Summary {
        paper: Paper::Ytl22,
        claims: "Everybody adds bounded noise on their own device (BPM), and a server clusters the reports: less error than Laplace noise at the same ε.",
        found: "It does in nearly all settings. The two ε do not promise the same, though: the baseline's holds for any two records, BPM's for records one width apart.",
        privacy: "The guarantee holds, and a stronger one with it.",
        shown: "yang22-fig1",
    },
    Summary {
        paper: Paper::Clz25,
        claims: "Noise whose distance falls exponentially (BPGM) with clustering by Student's t (TK-means) improves on BPM and nD-Laplace.",
        found: "It does, by far more than the paper prints. The distances have the published distribution.",
        privacy: "The claim is false: reports crowd around the record without any bound on what they give away. Where ε is kept, the advantage is gone.",
        shown: "chen25-fig6",
    },
    Summary {
        paper: Paper::Szy19,
        claims: "Custodians send bit codes with flipped bits, from which an aggregator estimates distances and clusters, with (ε, δ) local differential privacy.",
        found: "Distances and clusters come out. Consistency of distances (Algorithm 1) works with the paper's flag matrix, up to moderate noise. The order of Fig. 6 appears only with eq. 20 as printed, without a square, so it is probably an artefact of the misprint.",
        privacy: "The claim is false: ε counts for each bit, and a record has 64,000 of them. Where it is kept for a record, nothing is left to cluster.",
        shown: "sun19-fig5",
    },
];

/// The page, from the record and the pictures of the figures that are shown.
#[must_use]
pub fn overview(recorded: &[Recorded], picture: impl Fn(&str) -> Option<String>) -> String {
    let of = |paper: Paper| recorded.iter().filter(move |it| it.figure.starts_with(&format!("{}-", paper.prefix())));
    let count = |wanted: Tone| {
        let papers = recorded.iter().filter(|it| !it.figure.starts_with(Paper::Shoal.prefix()));
        papers.filter(|it| tone(&it.verdict) == wanted).count()
    };
    let body = html! {
        header {
            h1 { "Five papers on private clustering, measured again" }
            p.facts-line {
                "What they claim, what holds and what does not. Of 40 figures and tables " (count(Tone::Good))
                " are reproduced, of " (count(Tone::Mixed)) " the headline holds at least in part, of " (count(Tone::Bad))
                " it does not, and " (count(Tone::Open)) " are not judged yet, open for want of runs, or have nothing to measure."
            }
        }
        main {
            @for summary in &PAPERS {
                section.paper {
                    h2 { (summary.paper.key()) }
                    p.facts-line { (summary.paper.citation()) }
                    ul {
                        li { b { "Claims. " } (summary.claims) }
                        li { b { "Found here. " } (summary.found) }
                        li { b { "Privacy. " } (summary.privacy) }
                    }
                    @if let Some(svg) = picture(summary.shown) {
                        figure.chart { (PreEscaped(svg)) }
                        p.legend { code { "shoal reproduce " (summary.shown) } " measures this figure again." }
                    }
                    (verdicts(&of(summary.paper).collect::<Vec<_>>()))
                }
            }
            section {
                h2 { "How to check" }
                p { "Every figure can be measured again, on made-up tables where the papers' data are not at hand:" }
                (command("shoal reproduce --all --quick"))
                p { "A difference counts beyond three standard errors, for statements, curves and printed values alike; ties are ties. How each statement is judged is in docs/reproducing.md, where the data come from in docs/data.md." }
            }
        }
    };
    page("Five papers on private clustering, measured again", &body, "")
}

fn verdicts(all: &[&Recorded]) -> Markup {
    let table = html! {
        table.words.verdicts {
            thead { tr { th { "figure" } th { "verdict" } th { "statements" } th { "data" } th { "protocol" } } }
            tbody {
                @for record in all {
                    tr {
                        td { (record.figure) }
                        td { (told_pill(&record.verdict)) }
                        td { (record.counted()) }
                        td { (record.data) }
                        td { (record.protocol) }
                    }
                }
            }
        }
    };
    shoal_page::html::scrolling("Verdicts", &table)
}
