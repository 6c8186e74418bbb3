//! The public port: designs and models out, reports in.

use std::sync::Arc;

use super::answer::{Answer, json_text, json_value, text};
use super::{OPENAPI, body, pages};
use crate::collection::{State as Phase, time_text};
use crate::intake::{self, Form};
use crate::key::bearer;
use crate::live::Live;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::store::{Appended, TokenMark};
use crate::token::Token;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::{Value, json};

/// The header with the one-time token of a report.
const TOKEN: &str = "shoal-token";

type Shared = State<Arc<Service>>;

/// What the public port has.
pub(crate) fn public(service: Arc<Service>) -> Router {
    common()
        .route("/v1/collections/{id}", get(collection).options(preflight))
        .route("/v1/collections/{id}/model", get(model).options(preflight))
        .route("/v1/collections/{id}/reports", post(reports).options(preflight))
        .layer(from_fn(for_all_origins))
        .route("/collect/{id}", get(survey))
        .method_not_allowed_fallback(async || Refusal::Method)
        .with_state(service)
}

/// What both ports have.
pub(super) fn common() -> Router<Arc<Service>> {
    Router::new()
        .route("/healthz", get(healthy))
        .route("/readyz", get(ready))
        .route("/openapi.json", get(async || json_text(OPENAPI)))
        .route("/assets/{name}", get(pages::part))
        .fallback(async || Refusal::NotFound)
}

/// Pages of any origin may use the public port: it knows no cookies and no passwords.
async fn for_all_origins(request: axum::extract::Request, next: Next) -> Answer {
    let mut answer = next.run(request).await;
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

async fn preflight() -> Answer {
    let mut answer = Answer::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, shoal-token"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

async fn healthy() -> Answer {
    text("text/plain; charset=utf-8", "well\n")
}

/// Ready as long as the store takes reports.
async fn ready(State(service): Shared) -> Answer {
    if service.writer.state().is_well() { healthy().await } else { Refusal::Storage.into_response() }
}

/// What everybody may know about a collection.
pub(super) fn about(service: &Service, live: &Live) -> Value {
    let settings = &live.checked.collection;
    json!({
        "id": live.id(),
        "design": settings.design,
        "opens": live.checked.opens.map(time_text),
        "closes": live.checked.closes.map(time_text),
        "minimum": settings.minimum,
        "most_per_day": settings.most_per_day,
        "oldest_days": settings.oldest_days,
        "retention_days": settings.retention_days,
        "enrolment": live.checked.enrolment(),
        "token_key": settings.token_key,
        "state": live.state(service.clock.seconds()).word(),
        "promise": live.promise(),
    })
}

async fn collection(State(service): Shared, Path(id): Path<String>) -> Result<Answer, Refusal> {
    let live = find(&service, &id)?;
    Ok(json_value(&about(&service, &live)))
}

async fn model(State(service): Shared, Path(id): Path<String>) -> Result<Answer, Refusal> {
    let live = find(&service, &id)?;
    let newest = live.newest().ok_or(Refusal::NoModelYet)?;
    Ok(json_text(newest.json.clone()))
}

/// The survey page of a collection.
async fn survey(State(service): Shared, Path(id): Path<String>) -> Result<Answer, Refusal> {
    find(&service, &id)?;
    pages::survey_page().ok_or(Refusal::NotFound)
}

fn find(service: &Service, id: &str) -> Result<Arc<Live>, Refusal> {
    service.registry.get(id).ok_or(Refusal::NoCollection)
}

/// Takes reports. The answer is sent when they are on disk.
async fn reports(State(service): Shared, Path(id): Path<String>, headers: HeaderMap, body: Body) -> Answer {
    let Some(live) = service.registry.get(&id) else {
        service.count_refused(&Refusal::NoCollection);
        return Refusal::NoCollection.into_response();
    };
    match take(&service, &live, &headers, body).await {
        Ok(answer) => answer,
        Err(refusal) => {
            live.count_refused(&refusal);
            refusal.into_response()
        }
    }
}

/// What stands for the token of a request, where the collection asks for one. Nothing about it is logged.
fn token(live: &Live, headers: &HeaderMap) -> Result<Option<TokenMark>, Refusal> {
    let Some(key) = &live.checked.token_key else { return Ok(None) };
    let given = headers.get(TOKEN).ok_or(Refusal::NoToken)?;
    let token = given.to_str().ok().and_then(Token::from_text).ok_or(Refusal::WrongToken)?;
    if token.is_signed_by(key) { Ok(Some(token.mark())) } else { Err(Refusal::WrongToken) }
}

async fn take(service: &Service, live: &Arc<Live>, headers: &HeaderMap, body: Body) -> Result<Answer, Refusal> {
    match live.state(service.clock.seconds()) {
        Phase::Announced => return Err(Refusal::NotOpenYet),
        Phase::Closed => return Err(Refusal::Closed),
        Phase::Open => {}
    }
    if let Some(key) = &live.checked.relay_key
        && !bearer(headers).is_some_and(|given| key.is_of(given))
    {
        return Err(Refusal::Unauthorised);
    }
    let token = token(live, headers)?;
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|name| name.to_str().ok()).unwrap_or_default();
    let form = Form::of(media_type).ok_or(Refusal::MediaType)?;
    let held = body::read(headers, body, &service.limits, &service.room).await?;
    let (mut group, rejected) = intake::check(live, form, &held.bytes, service.limits.reports, service.clock.day())?;
    if token.is_some() && group.ids.len() + rejected.len() > 1 {
        return Err(Refusal::OneReportEach);
    }
    group.token = token;
    let Appended { accepted, repeated, spent } =
        if group.ids.is_empty() { Appended::default() } else { service.writer.append(live.clone(), group).await? };
    if spent > 0 {
        return Err(Refusal::SpentToken);
    }
    Ok(json_value(&json!({ "accepted": accepted, "repeated": repeated, "rejected": rejected })))
}
