//! Answers: JSON, with the code of a refusal where there is one.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use crate::error::CollectorError;
use crate::refusal::Refusal;

pub(super) type Answer = Response<Body>;

/// Seconds after which a request that found no room may come again.
const RETRY_AFTER: &str = "1";

/// A text of a media type.
pub(super) fn text(media_type: &'static str, text: impl Into<Body>) -> Answer {
    let mut answer = Response::new(text.into());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    answer
}

/// JSON that nobody keeps.
pub(super) fn json_text(json: impl Into<Body>) -> Answer {
    let mut answer = text("application/json", json);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// A value as JSON.
pub(super) fn json_value(value: &Value) -> Answer {
    json_text(value.to_string())
}

fn refused(status: u16, code: &str, message: &str) -> Answer {
    let mut answer = json_value(&json!({ "error": { "code": code, "message": message } }));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if status == 503 {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
    }
    if status == 401 {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Answer {
        refused(self.status(), self.code(), &self.to_string())
    }
}

impl IntoResponse for CollectorError {
    fn into_response(self) -> Answer {
        let status = match &self {
            Self::Exists { .. } => 409,
            Self::Unknown { .. } | Self::TooFewReports { .. } => 404,
            Self::Store(_) | Self::Folder { .. } => 503,
            _ => 400,
        };
        refused(status, self.code(), &self.to_string())
    }
}
