//! Pages for people: one for each figure, which needs no other file, and an index that shows the pictures beside it.

mod figure;
mod index;

pub use figure::figure;
pub use index::index;

use crate::figure::{Status, Verdict};

const STYLE: &str = include_str!("style.css");

/// A page with this title, body and script.
fn page(title: &str, body: &str, script: &str) -> String {
    let title = crate::chart::escape(title);
    format!(
        r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
{body}
<footer><p>Measured on public data with seeded noise, between the data’s own limits: right for measuring, wrong for releasing. Nothing here carries a promise. <span>shoal {version}</span></p></footer>
<script>
{script}</script>
</body>
</html>
"#,
        version = env!("CARGO_PKG_VERSION")
    )
}

/// A chip for a status.
fn status_chip(status: Status) -> String {
    let (class, words) = match status {
        Status::Reproduced => ("good", "reproduced"),
        Status::Partly => ("warn", "partly reproduced"),
        Status::Not => ("bad", "not reproduced"),
    };
    format!(r#"<span class="chip {class}">{words}</span>"#)
}

/// A chip for a verdict.
fn verdict_chip(verdict: Verdict) -> String {
    let (class, words) = match verdict {
        Verdict::Holds => ("good", "holds"),
        Verdict::Partly => ("warn", "partly"),
        Verdict::Fails => ("bad", "does not hold"),
        Verdict::Untried => ("none", "not tried"),
    };
    format!(r#"<span class="chip {class}">{words}</span>"#)
}
