//! Collections that are being served: their settings, and what is counted about them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use shoal_device::wire::DesignTag;

use crate::collection::{Checked, State};
use crate::error::CollectorError;
use crate::published::{Published, promise};
use crate::refusal::{KINDS, Refusal};
use crate::store::{Forgotten, Kept};

/// The kind under which repeated reports are counted next to the refused ones.
pub(crate) const REPEATED: &str = "repeated";

/// Seconds of one place of the arrival rate, and how many places are kept.
const SLICE: Duration = Duration::from_secs(10);
const SLICES: usize = 360;

/// A collection that is being served.
pub struct Live {
    /// Its number in the store.
    pub number: i64,
    /// Its settings.
    pub checked: Checked,
    /// The short form of its design's digest.
    pub tag: DesignTag,
    /// When it was created, in seconds since 1970 began.
    pub created: u64,
    /// When it was closed by hand; 0 if it was not.
    closed: AtomicU64,
    /// Reports there are.
    reports: AtomicU64,
    /// Reports that are in no model. Below zero for a moment when a model has reports that are not counted yet.
    fresh: AtomicI64,
    repeated: AtomicU64,
    /// Reports that the last clustering left out because too many were in one place.
    left_out: AtomicU64,
    refused: [AtomicU64; KINDS.len()],
    /// What of the counters the store has, repeated first.
    stored: Mutex<Vec<u64>>,
    arrivals: Mutex<Arrivals>,
    newest: RwLock<Option<Arc<Published>>>,
    /// What is promised to whoever reports, found when it is first asked for: the bound takes a moment where many report.
    promise: OnceLock<Value>,
    /// Somebody wants a new model now.
    pub(crate) refit: AtomicBool,
}

/// Reports in the last hour, by slices of ten seconds.
struct Arrivals {
    began: Instant,
    slices: VecDeque<(u64, u64)>,
}

impl Live {
    /// A collection from the store.
    ///
    /// # Errors
    /// A description that can no longer be read.
    pub fn of(kept: &Kept) -> Result<Self, CollectorError> {
        let checked = crate::Collection::from_json(kept.description.as_bytes())?.check()?;
        let at = |name: &str| kept.counted.iter().find(|(kind, _)| kind == name).map_or(0, |(_, count)| *count);
        let stored: Vec<u64> = std::iter::once(REPEATED).chain(KINDS).map(at).collect();
        Ok(Self {
            number: kept.number,
            tag: checked.design.tag(),
            created: kept.created,
            closed: AtomicU64::new(kept.closed.unwrap_or(0)),
            reports: AtomicU64::new(kept.reports),
            fresh: AtomicI64::new(0),
            repeated: AtomicU64::new(stored[0]),
            left_out: AtomicU64::new(0),
            refused: std::array::from_fn(|kind| AtomicU64::new(stored[kind + 1])),
            stored: Mutex::new(stored),
            arrivals: Mutex::new(Arrivals { began: Instant::now(), slices: VecDeque::new() }),
            newest: RwLock::new(None),
            promise: OnceLock::new(),
            refit: AtomicBool::new(false),
            checked,
        })
    }

    /// What is promised to whoever reports.
    pub(crate) fn promise(&self) -> &Value {
        self.promise.get_or_init(|| promise(self))
    }

    /// The newest model.
    pub fn newest(&self) -> Option<Arc<Published>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reports that are in no model yet.
    pub fn fresh(&self) -> u64 {
        self.fresh.load(Ordering::Relaxed).max(0).unsigned_abs()
    }

    /// Counts reports that are in no model: those that are there at the start.
    pub(crate) fn count_fresh(&self, more: u64) {
        self.fresh.fetch_add(signed(more), Ordering::Relaxed);
    }

    /// Counts reports that are in a model now.
    pub(crate) fn count_modelled(&self, reports: u64) {
        self.fresh.fetch_sub(signed(reports), Ordering::Relaxed);
    }

    /// Notes how many reports the last clustering left out.
    pub(crate) fn count_left_out(&self, reports: u64) {
        self.left_out.store(reports, Ordering::Relaxed);
    }

    /// Reports that the last clustering since the start left out.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Shows a model.
    pub(crate) fn publish(&self, model: Published) {
        *self.newest.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(model));
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.checked.collection.id
    }

    /// Whether it takes reports at a time.
    pub fn state(&self, now: u64) -> State {
        match self.closed.load(Ordering::Relaxed) {
            0 => self.checked.state(now),
            _ => State::Closed,
        }
    }

    /// Closes it by hand.
    pub(crate) fn close(&self, now: u64) {
        self.closed.store(now.max(1), Ordering::Relaxed);
    }

    /// Reports there are.
    pub fn reports(&self) -> u64 {
        self.reports.load(Ordering::Relaxed)
    }

    /// Reports that came again.
    pub fn repeated(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// Reports and requests that were refused, by kind.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, u64)> {
        KINDS.iter().zip(&self.refused).map(|(kind, count)| (*kind, count.load(Ordering::Relaxed)))
    }

    /// Counts a refusal.
    pub(crate) fn count_refused(&self, refusal: &Refusal) {
        self.refused[refusal.kind()].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts reports that are on disk.
    pub(crate) fn count_stored(&self, accepted: u64, repeated: u64) {
        self.reports.fetch_add(accepted, Ordering::Relaxed);
        self.count_fresh(accepted);
        self.repeated.fetch_add(repeated, Ordering::Relaxed);
        if accepted > 0 {
            let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            let slice = arrivals.began.elapsed().as_secs() / SLICE.as_secs();
            match arrivals.slices.back_mut() {
                Some((at, count)) if *at == slice => *count += accepted,
                _ => arrivals.slices.push_back((slice, accepted)),
            }
            while arrivals.slices.front().is_some_and(|(at, _)| at + (SLICES as u64) < slice) {
                arrivals.slices.pop_front();
            }
        }
    }

    /// Counts reports that were deleted because they were old.
    pub(crate) fn count_forgotten(&self, gone: Forgotten) {
        self.count_modelled(gone.fresh);
        let less = |reports: u64| Some(reports.saturating_sub(gone.reports));
        // The closure never refuses.
        let _ = self.reports.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Reports in each of the last `places` slices of ten seconds, the newest last.
    pub fn arrivals(&self, places: usize) -> Vec<u64> {
        let arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let now = arrivals.began.elapsed().as_secs() / SLICE.as_secs();
        let mut counts = vec![0; places];
        for (slice, count) in &arrivals.slices {
            if let Some(place) = (places as u64).checked_sub(1 + now.saturating_sub(*slice)) {
                counts[place as usize] += count;
            }
        }
        counts
    }

    /// Reports per second over the last ten minutes, or since the start if that was later.
    pub fn rate(&self) -> f64 {
        let (slices, began) = (60_u64, self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).began);
        let seconds = (slices * SLICE.as_secs()).min(began.elapsed().as_secs().max(SLICE.as_secs()));
        self.arrivals(slices as usize).iter().sum::<u64>() as f64 / seconds as f64
    }

    /// Counters that have grown since they were last stored. The caller stores them.
    pub(crate) fn unstored(&self) -> Vec<(&'static str, u64)> {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let now = std::iter::once((REPEATED, self.repeated())).chain(self.refused());
        let grown = now.zip(stored.iter_mut()).filter_map(|((kind, now), stored)| {
            let more = now - *stored;
            *stored = now;
            (more > 0).then_some((kind, more))
        });
        grown.collect()
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// All collections by name.
#[derive(Default)]
pub struct Registry {
    all: RwLock<BTreeMap<String, Arc<Live>>>,
}

impl Registry {
    /// One collection.
    pub fn get(&self, id: &str) -> Option<Arc<Live>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// All of them, by name.
    pub fn all(&self) -> Vec<Arc<Live>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Adds one.
    pub(crate) fn add(&self, live: Live) -> Arc<Live> {
        let live = Arc::new(live);
        self.all.write().unwrap_or_else(PoisonError::into_inner).insert(live.id().to_string(), live.clone());
        live
    }

    /// Removes one.
    pub(crate) fn remove(&self, id: &str) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}
