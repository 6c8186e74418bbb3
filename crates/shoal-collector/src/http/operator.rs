//! The operator's port: collections, counters, models, downloads. Everything but the page itself needs the key, which is
//! sent in a header and never in an address; there are no cookies, so no other page can make a browser use it.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::{Value, json};
use shoal_crowd::report_file::{Form, ReportWriter, Reports};
use shoal_report::About;

use super::answer::{Answer, json_text, json_value, text};
use super::public::{about, common};
use super::{body, pages};
use crate::collection::{Collection, time_text};
use crate::error::CollectorError;
use crate::forecast::forecast;
use crate::key::bearer;
use crate::live::Live;
use crate::metrics::metrics;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::store::KeptModel;

type Shared = State<Arc<Service>>;

/// Places of ten seconds in the arrival rate: the last hour.
const PLACES: usize = 360;

/// What the operator's port has.
pub(crate) fn operator(service: Arc<Service>) -> Router {
    let guarded = Router::new()
        .route("/v1/collections", get(list).post(create))
        .route("/v1/collections/{id}", get(show).delete(delete))
        .route("/v1/collections/{id}/close", post(close))
        .route("/v1/collections/{id}/refit", post(refit))
        .route("/v1/collections/{id}/model", get(newest))
        .route("/v1/collections/{id}/models", get(models))
        .route("/v1/collections/{id}/models/{version}", get(model))
        .route("/v1/collections/{id}/models/{version}/report", get(report))
        .route("/v1/collections/{id}/reports.parquet", get(parquet))
        .method_not_allowed_fallback(async || Refusal::Method)
        .layer(from_fn_with_state(service.clone(), with_key));
    common()
        .route("/", get(pages::operator_page))
        .route("/metrics", get(counters))
        .method_not_allowed_fallback(async || Refusal::Method)
        .merge(guarded)
        .layer(from_fn(by_its_name))
        .with_state(service)
}

/// Refuses names that only a foreign name server can have given this port.
async fn by_its_name(request: Request, next: Next) -> Answer {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    if bare.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost") {
        next.run(request).await
    } else {
        Refusal::OtherHost.into_response()
    }
}

async fn with_key(State(service): Shared, request: Request, next: Next) -> Answer {
    if bearer(request.headers()).is_some_and(|key| service.is_key(key)) {
        next.run(request).await
    } else {
        service.count_refused(&Refusal::Unauthorised);
        Refusal::Unauthorised.into_response()
    }
}

/// Runs what may block on a thread for that.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectorError> + Send + 'static,
) -> Result<T, CollectorError> {
    let why = "the work ended by a fault".to_string();
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or(Err(crate::store::StoreError::Failed { doing: "answering the operator", why }.into()))
}

async fn counters(State(service): Shared) -> Answer {
    text("text/plain; version=0.0.4; charset=utf-8", metrics(&service))
}

/// All that the operator sees of a collection.
fn status(service: &Service, live: &Live) -> Value {
    let mut status = about(service, live);
    let newest = live.newest();
    let refused: serde_json::Map<String, Value> =
        live.refused().filter(|(_, count)| *count > 0).map(|(code, count)| (code.into(), count.into())).collect();
    let model = newest.as_ref().map(|model| {
        json!({
            "version": model.version,
            "made": time_text(model.made),
            "reports": model.reports,
            "plus_minus": model.widest(),
            "promise": model.promise,
        })
    });
    let more = json!({
        "k": live.checked.collection.k,
        "survey": service.survey_address(live.id()),
        "created": time_text(live.created),
        "reports": live.reports(),
        "fresh": live.fresh(),
        "robust": live.checked.collection.robust,
        "left_out": live.left_out(),
        "repeated": live.repeated(),
        "refused": refused,
        "rate": live.rate(),
        "arrivals": { "seconds": 10, "counts": live.arrivals(PLACES) },
        "model": model,
        "forecast": forecast(live, service.clock.seconds()),
        "information_per_report": live.checked.client.information_per_report(),
    });
    if let (Value::Object(status), Value::Object(more)) = (&mut status, more) {
        status.extend(more);
    }
    status
}

async fn list(State(service): Shared) -> Answer {
    let all: Vec<Value> = service.registry.all().iter().map(|live| status(&service, live)).collect();
    json_value(&json!({ "collections": all }))
}

async fn create(State(service): Shared, headers: HeaderMap, body: Body) -> Answer {
    let held = match body::read(&headers, body, &service.limits, &service.room).await {
        Ok(held) => held,
        Err(refusal) => return refusal.into_response(),
    };
    let its = service.clone();
    match blocking(move || its.create(Collection::from_json(&held.bytes)?)).await {
        Ok(live) => {
            let mut answer = json_value(&status(&service, &live));
            *answer.status_mut() = StatusCode::CREATED;
            answer
        }
        Err(error) => error.into_response(),
    }
}

async fn show(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    let live = service.collection(&id)?;
    Ok(json_value(&status(&service, &live)))
}

async fn delete(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    blocking(move || service.delete(&id)).await?;
    let mut answer = Answer::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    Ok(answer)
}

async fn close(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    let its = service.clone();
    let live = blocking(move || its.close(&id)).await?;
    Ok(json_value(&status(&service, &live)))
}

/// Asks for a new model from all reports.
async fn refit(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    let live = service.collection(&id)?;
    let (reports, minimum) = (live.reports(), live.checked.collection.minimum);
    if reports < minimum {
        return Err(CollectorError::TooFewReports { id: live.id().into(), reports, minimum });
    }
    live.refit.store(true, Ordering::Relaxed);
    let mut answer = json_value(&status(&service, &live));
    *answer.status_mut() = StatusCode::ACCEPTED;
    Ok(answer)
}

/// The newest model as the public sees it.
async fn newest(State(service): Shared, Path(id): Path<String>) -> Result<Answer, Refusal> {
    let live = service.registry.get(&id).ok_or(Refusal::NoCollection)?;
    let newest = live.newest().ok_or(Refusal::NoModelYet)?;
    Ok(json_text(newest.json.clone()))
}

async fn models(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    let live = service.collection(&id)?;
    let models = blocking(move || Ok(service.reader()?.models(live.number)?)).await?;
    let models = models
        .iter()
        .map(|model| json!({ "version": model.version, "made": time_text(model.made), "reports": model.reports }));
    Ok(json_value(&json!({ "models": models.collect::<Vec<_>>() })))
}

/// One model by its version, or the newest by the word `newest`.
async fn find_model(
    service: Arc<Service>,
    id: &str,
    version: String,
) -> Result<(Arc<Live>, KeptModel), CollectorError> {
    let live = service.collection(id)?;
    let its = live.clone();
    let kept = blocking(move || {
        let mut reader = service.reader()?;
        Ok(match version.as_str() {
            "newest" => reader.newest_model(its.number)?,
            version => match version.parse() {
                Ok(version) => reader.model(its.number, version)?,
                Err(_) => None,
            },
        })
    });
    let (reports, minimum) = (live.reports(), live.checked.collection.minimum);
    let none = || CollectorError::TooFewReports { id: live.id().into(), reports, minimum };
    let kept = kept.await?.ok_or_else(none)?;
    Ok((live, kept))
}

async fn model(State(service): Shared, Path((id, version)): Path<(String, String)>) -> Result<Answer, CollectorError> {
    let (_, kept) = find_model(service, &id, version).await?;
    Ok(json_text(kept.json))
}

/// The report of a model, one page.
async fn report(State(service): Shared, Path((id, version)): Path<(String, String)>) -> Result<Answer, CollectorError> {
    let (live, kept) = find_model(service, &id, version).await?;
    let model = shoal::Model::from_json(&kept.json).map_err(|error| CollectorError::Library(error.into()))?;
    let about = About {
        source: live.id(),
        command: "shoal serve",
        written_at: &time_text(kept.made),
        method_summary: &model.summary(),
        budget: None,
    };
    let mut answer = text("text/html; charset=utf-8", shoal_report::render(&model, &about));
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// All reports as a Parquet file that `shoal cluster` reads. They are in no order that means anything.
async fn parquet(State(service): Shared, Path(id): Path<String>) -> Result<Answer, CollectorError> {
    let live = service.collection(&id)?;
    let file = blocking(move || {
        let mut columns = service.reader()?.reports(live.number, live.checked.client.dims())?;
        sort_rows(&mut columns);
        let reports = Reports::collected(live.checked.design.clone(), columns).map_err(shoal::Error::from)?;
        let written = |source: std::io::Error| shoal::Error::WriteReports { source };
        let mut file = Vec::new();
        let mut out =
            ReportWriter::new(&mut file, &reports.design, &reports.promises, false, Form::Parquet).map_err(written)?;
        out.append(&reports.columns).map_err(written)?;
        out.finish().map_err(written)?;
        Ok(file)
    });
    let mut answer = text("application/vnd.apache.parquet", file.await?);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// Puts reports in the order of their values: no trace is left of the order in which they came.
fn sort_rows(columns: &mut [Vec<i64>]) {
    let rows = columns.first().map_or(0, Vec::len);
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_unstable_by(|&a, &b| columns.iter().map(|c| c[a]).cmp(columns.iter().map(|c| c[b])));
    for column in columns {
        *column = order.iter().map(|&row| column[row]).collect();
    }
}
