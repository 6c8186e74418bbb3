//! Pages and their parts, which are built into the program.

use axum::extract::Path;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse;

use super::answer::{Answer, text};
use crate::refusal::Refusal;

/// What a page may do: load its own parts and talk to the server it came from.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of `assets/`: name, media type, content.
const PARTS: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/parts.rs"));

fn find(name: &str) -> Option<&'static (&'static str, &'static str, &'static [u8])> {
    PARTS.iter().find(|(part, ..)| *part == name)
}

/// A part of a page.
pub(super) async fn part(Path(name): Path<String>) -> Answer {
    match find(&name) {
        Some((_, media_type, content)) if !name.ends_with(".html") => protected(text(media_type, *content)),
        _ => Refusal::NotFound.into_response(),
    }
}

/// The survey page for people, which finds out by itself which collection it is for.
pub(super) fn survey_page() -> Option<Answer> {
    find("survey.html").map(|(_, _, content)| page(*content))
}

/// The operator's page.
pub(super) async fn operator_page() -> Answer {
    find("operator.html").map_or_else(|| Refusal::NotFound.into_response(), |(_, _, content)| page(*content))
}

/// A page under its policy.
pub(super) fn page(html: impl Into<axum::body::Body>) -> Answer {
    let mut answer = protected(text("text/html; charset=utf-8", html));
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}

fn protected(mut answer: Answer) -> Answer {
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
