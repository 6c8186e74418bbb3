//! Clustering in the background, and other work that comes round: counters to the store, old reports out of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use shoal::Cluster;

use crate::collection::State;
use crate::error::CollectorError;
use crate::live::Live;
use crate::service::Service;
use crate::store::KeptModel;

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
            live.refit.store(false, Ordering::Relaxed);
            let made = model(service, &live, threads);
            if let Err(error) = &made {
                tracing::warn!(collection = live.id(), code = error.code(), %error, "no model was made");
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
    if live.refit.load(Ordering::Relaxed) {
        return true;
    }
    if last.is_some_and(|last| last.ended.elapsed() < REST * last.took) {
        return false;
    }
    let Some(newest) = live.newest() else { return true };
    let over = live.state(service.clock.seconds()) == State::Closed;
    let grown = newest.reports + ((newest.reports as f64 * GROWTH) as u64).max(1);
    reports >= grown || (over && reports > newest.reports)
}

/// Clusters all reports of a collection and shows the result.
fn model(service: &Service, live: &Live, threads: usize) -> Result<(), CollectorError> {
    let checked = &live.checked;
    let columns = service.reader()?.reports(live.number, checked.client.dims())?;
    let reports = columns.first().map_or(0, Vec::len) as u64;
    let minimum = checked.collection.minimum;
    if reports < minimum {
        return Err(CollectorError::TooFewReports { id: live.id().into(), reports, minimum });
    }
    let mut job = Cluster::new(checked.k)?.threads(threads);
    let newest = live.newest();
    if let Some(newest) = &newest {
        job = job.match_with(newest.model.clone());
    }
    let began = Instant::now();
    let model = job.run_collected(&checked.design, columns)?;
    let version = newest.map_or(1, |newest| newest.version + 1);
    let (made, json) = (service.clock.seconds(), model.to_json());
    service.keep_model(live, KeptModel { version, made, reports, json })?;
    let milliseconds = began.elapsed().as_millis() as u64;
    tracing::info!(collection = live.id(), version, reports, clusters = model.k(), milliseconds, "model made");
    Ok(())
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
        match service.writer.with_store(move |store| store.forget_before(number, before)) {
            Ok(0) => {}
            Ok(gone) => {
                live.count_forgotten(gone);
                tracing::info!(collection = live.id(), reports = gone, "old reports deleted");
            }
            Err(error) => tracing::warn!(code = error.code(), %error, "old reports were not deleted"),
        }
    }
}
