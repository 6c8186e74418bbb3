//! Reading a body within its limits: bytes, time, and the room that all bodies share.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::refusal::Refusal;
use crate::server::Limits;

/// A body with the room that it takes until the value is dropped.
pub(super) struct Held {
    pub bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

/// Reads a body.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
    room: &std::sync::Arc<Semaphore>,
) -> Result<Held, Refusal> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|declared| declared > limits.body) {
        return Err(Refusal::TooLarge);
    }
    timeout(limits.read, gather(body, limits.body, room)).await.map_err(|_| Refusal::TooSlow)?
}

async fn gather(mut body: Body, most: usize, room: &std::sync::Arc<Semaphore>) -> Result<Held, Refusal> {
    let mut held = Held { bytes: Vec::new(), _room: None };
    while let Some(frame) = body.frame().await {
        let Ok(chunk) = frame.map_err(|_| Refusal::CutOff)?.into_data() else { continue };
        if held.bytes.len() + chunk.len() > most {
            return Err(Refusal::TooLarge);
        }
        let length = u32::try_from(chunk.len()).map_err(|_| Refusal::TooLarge)?;
        let permit = room.clone().try_acquire_many_owned(length).map_err(|_| Refusal::Busy)?;
        match &mut held._room {
            Some(room) => room.merge(permit),
            none => *none = Some(permit),
        }
        held.bytes.extend_from_slice(&chunk);
    }
    Ok(held)
}
