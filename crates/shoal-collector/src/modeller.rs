//! Clustering in the background, and other work that comes round: counters to the store, old reports out of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use shoal::{Batches, Cluster, PUBLIC_DELTA};
use shoal_crowd::server::Crowding;

use crate::collection::State;
use crate::error::CollectorError;
use crate::live::Live;
use crate::service::Service;
use crate::store::{Forgotten, Gathered, KeptModel};

/// How often it is looked whether there is something to do.
const ROUND: Duration = Duration::from_millis(250);

/// How often counters are stored, and old reports are looked for.
const COUNTERS: Duration = Duration::from_secs(10);
const RETENTION: Duration = Duration::from_secs(600);

/// A new model is made when there are this many more reports, as a share of those in the last one.
const GROWTH: f64 = 0.1;

/// Between two models of a collection there is this many times as much time as the last one took.
const REST: u32 = 3;

/// The thread that clusters.
pub(crate) struct Modeller {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// When a collection was clustered last.
struct Last {
    number: i64,
    ended: Instant,
    took: Duration,
    /// The clustering failed with so many reports; it is tried again with more.
    failed_with: Option<u64>,
}

impl Modeller {
    pub(crate) fn start(service: Arc<Service>, threads: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new()
            .name("shoal-modeller".into())
            .spawn(move || run(&service, threads, &stopped))
            // Unwrap safety: a machine that cannot start one thread cannot serve; this is before anything is taken.
            .unwrap();
        Self { stop, thread }
    }

    /// Ends after what is being done now; false if that takes longer than `wait`.
    pub(crate) fn stop(self, wait: Duration) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        let began = Instant::now();
        while !self.thread.is_finished() {
            if began.elapsed() > wait {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.thread.join().is_err() {
            tracing::error!("the modeller ended by a fault");
        }
        true
    }
}

fn run(service: &Service, threads: usize, stop: &AtomicBool) {
    let mut lasts: Vec<Last> = Vec::new();
    let (mut counted, mut tidied) = (Instant::now(), None::<Instant>);
    while !stop.load(Ordering::Relaxed) {
        for live in service.registry.all() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let at = lasts.iter().position(|last| last.number == live.number);
            if !is_due(service, &live, at.map(|at| &lasts[at])) {
                continue;
            }
            let began = Instant::now();
            let reports = live.reports();
            let made = model(service, &live, threads);
            match &made {
                Ok(true) => live.refit.store(false, Ordering::Relaxed),
                // Somebody came at the last moment: it is looked again.
                Ok(false) => {}
                Err(error) => {
                    live.refit.store(false, Ordering::Relaxed);
                    tracing::warn!(collection = live.id(), code = error.code(), %error, "no model was made");
                }
            }
            let failed_with = made.is_err().then_some(reports);
            let last = Last { number: live.number, ended: Instant::now(), took: began.elapsed(), failed_with };
            match at {
                Some(at) => lasts[at] = last,
                None => lasts.push(last),
            }
        }
        if counted.elapsed() > COUNTERS {
            counted = Instant::now();
            store_counters(service);
        }
        if tidied.is_none_or(|tidied| tidied.elapsed() > RETENTION) {
            tidied = Some(Instant::now());
            forget_old(service);
        }
        std::thread::park_timeout(ROUND);
    }
    store_counters(service);
}

fn is_due(service: &Service, live: &Live, last: Option<&Last>) -> bool {
    let reports = live.reports();
    // Never below the minimum, whoever asks.
    if reports < live.checked.collection.minimum {
        return false;
    }
    if last.is_some_and(|last| last.failed_with.is_some_and(|failed| reports <= failed)) {
        return false;
    }
    let (fresh, refit) = (live.fresh(), live.refit.load(Ordering::Relaxed));
    let Some(newest) = live.newest() else { return true };
    if refit {
        return may_follow(fresh, live);
    }
    if last.is_some_and(|last| last.ended.elapsed() < REST * last.took) {
        return false;
    }
    let over = live.state(service.clock.seconds()) == State::Closed;
    let grown = fresh >= (newest.reports as f64 * GROWTH) as u64;
    fresh > 0 && may_follow(fresh, live) && (grown || over)
}

/// Whether a further model may have so many more reports. Fewer than the minimum would have to hide among themselves: a model
/// has none of them, or all when there are enough.
fn may_follow(fresh: u64, live: &Live) -> bool {
    fresh == 0 || fresh >= live.checked.collection.minimum
}

/// Clusters all reports of a collection and shows the result. False if it may not be shown yet.
///
/// The model follows from the reports as a set, the models before it and its version: not from the order in which reports
/// came, nor from how they were sent.
fn model(service: &Service, live: &Live, threads: usize) -> Result<bool, CollectorError> {
    let checked = &live.checked;
    let newest = live.newest();
    let end = newest.as_ref().map_or(0, |newest| newest.end);
    // Reports are deleted by the day on which they came, so a later model then shows the days of a batch one by one.
    let by_day = checked.collection.retention_days.is_some();
    let Gathered { columns, end, batches } =
        service.reader()?.gather(live.number, checked.client.dims(), end, by_day)?;
    let reports = columns.first().map_or(0, Vec::len) as u64;
    let minimum = checked.collection.minimum;
    if reports < minimum {
        return Err(CollectorError::TooFewReports { id: live.id().into(), reports, minimum });
    }
    let fresh: u64 = batches.iter().sum();
    if newest.is_some() && !may_follow(fresh, live) {
        return Ok(false);
    }
    let (columns, removed) = match Crowding::of(&checked.client, columns.first().map_or(0, Vec::len)) {
        Some(crowding) if checked.collection.robust => crowding.thin(columns),
        _ => (columns, 0),
    };
    live.count_left_out(removed as u64);
    let version = newest.as_ref().map_or(1, |newest| newest.version + 1);
    let before = newest.as_ref().map_or_else(Batches::default, |newest| Batches::of([newest.smallest_batch]));
    let all = before.and(batches);
    // No guarantee rests on where the search for clusters begins.
    let mut job = Cluster::new(checked.k)?.threads(threads).seed(version).published(PUBLIC_DELTA, all.smallest())?;
    if let Some(newest) = &newest {
        job = job.match_with(newest.model.clone());
    }
    let began = Instant::now();
    let model = job.run_collected(&checked.design, columns)?;
    let (made, json) = (service.clock.seconds(), model.to_json());
    let smallest_batch = all.smallest().unwrap_or(reports);
    service.keep_model(live, KeptModel { version, made, reports, end, smallest_batch, json })?;
    live.count_modelled(fresh);
    let milliseconds = began.elapsed().as_millis() as u64;
    tracing::info!(collection = live.id(), version, reports, removed, clusters = model.k(), milliseconds, "model made");
    Ok(true)
}

fn store_counters(service: &Service) {
    for live in service.registry.all() {
        let (grown, number) = (live.unstored(), live.number);
        if grown.is_empty() {
            continue;
        }
        if let Err(error) = service.writer.with_store(move |store| store.count(number, &grown)) {
            tracing::warn!(code = error.code(), %error, "counters were not stored");
        }
    }
}

/// Deletes reports that a collection keeps no longer.
fn forget_old(service: &Service) {
    let today = service.clock.day().0;
    for live in service.registry.all() {
        let Some(days) = live.checked.collection.retention_days else { continue };
        let (number, before) = (live.number, today.saturating_sub(days));
        let end = live.newest().map_or(0, |newest| newest.end);
        match service.writer.with_store(move |store| store.forget_before(number, before, end)) {
            Ok(Forgotten { reports: 0, .. }) => {}
            Ok(gone) => {
                live.count_forgotten(gone);
                tracing::info!(collection = live.id(), reports = gone.reports, "old reports deleted");
            }
            Err(error) => tracing::warn!(code = error.code(), %error, "old reports were not deleted"),
        }
    }
}
