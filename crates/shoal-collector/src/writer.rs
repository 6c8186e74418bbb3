//! The one thread that writes: it takes whatever waits, commits it at once, and answers when the commit is on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::live::Live;
use crate::refusal::Refusal;
use crate::store::{Appended, Group, Store, StoreError};

/// Requests of one commit, and their reports, at most.
const MOST_REQUESTS: usize = 4096;
const MOST_REPORTS: usize = 65_536;

/// What somebody does with the store, on the thread that writes.
type OnStore = Box<dyn FnOnce(&mut dyn Store) + Send>;

/// Something to be done with the store.
enum Work {
    /// Reports of a request.
    Append { live: Arc<Live>, group: Group, answer: oneshot::Sender<Result<Appended, Refusal>> },
    /// Anything else.
    Do(OnStore),
}

/// The way to the thread that writes.
#[derive(Clone)]
pub struct Writer {
    queue: SyncSender<Work>,
    state: Arc<WriterState>,
}

/// What is known about the thread that writes.
#[derive(Debug, Default)]
pub struct WriterState {
    /// The last commit of reports failed.
    failing: AtomicBool,
    /// Commits of reports.
    commits: AtomicU64,
}

impl WriterState {
    /// Whether the last commit was stored.
    pub fn is_well(&self) -> bool {
        !self.failing.load(Ordering::Relaxed)
    }

    /// Commits of reports so far.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

impl Writer {
    /// Starts the thread. It ends when all writers are gone and everything that waited is done.
    pub fn start(mut store: Box<dyn Store>, waiting: usize) -> (Self, JoinHandle<()>) {
        let (queue, work) = sync_channel(waiting);
        let state = Arc::new(WriterState::default());
        let its_state = state.clone();
        let thread = std::thread::Builder::new()
            .name("shoal-writer".into())
            .spawn(move || run(&mut *store, &work, &its_state))
            // Unwrap safety: a machine that cannot start one thread cannot serve; this is before anything is taken.
            .unwrap();
        (Self { queue, state }, thread)
    }

    /// Stores reports. The answer comes after they are on disk.
    ///
    /// # Errors
    /// When too much waits already, or the store fails.
    pub async fn append(&self, live: Arc<Live>, group: Group) -> Result<Appended, Refusal> {
        let (answer, answered) = oneshot::channel();
        match self.queue.try_send(Work::Append { live, group, answer }) {
            Ok(()) => answered.await.unwrap_or(Err(Refusal::Storage)),
            Err(TrySendError::Full(_)) => Err(Refusal::Busy),
            Err(TrySendError::Disconnected(_)) => Err(Refusal::Storage),
        }
    }

    /// Does something with the store, after what waits already. Blocks.
    ///
    /// # Errors
    /// What the store answers; also when the server is ending.
    pub fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let ending = || StoreError::Failed { doing: "waiting for the store", why: "the server is ending".into() };
        let (answer, answered) = sync_channel(1);
        let work = move |store: &mut dyn Store| {
            // Whoever asked may have gone.
            let _ = answer.send(work(store));
        };
        self.queue.send(Work::Do(Box::new(work))).map_err(|_| ending())?;
        answered.recv().map_err(|_| ending())?
    }

    /// What is known about the thread.
    pub fn state(&self) -> &WriterState {
        &self.state
    }
}

fn run(store: &mut dyn Store, work: &Receiver<Work>, state: &WriterState) {
    let (mut groups, mut waiting) = (Vec::new(), Vec::new());
    while let Ok(first) = work.recv() {
        let (mut next, mut reports) = (Some(first), 0);
        let mut other = None;
        while let Some(taken) = next.take() {
            match taken {
                Work::Append { live, group, answer } => {
                    reports += group.ids.len();
                    groups.push(group);
                    waiting.push((live, answer));
                }
                // Everything before it comes first.
                Work::Do(work) => {
                    other = Some(work);
                    break;
                }
            }
            if groups.len() < MOST_REQUESTS && reports < MOST_REPORTS {
                next = work.try_recv().ok();
            }
        }
        if !groups.is_empty() {
            let appended = store.append(&groups);
            groups.clear();
            settle(appended, &mut waiting, state);
        }
        if let Some(work) = other {
            work(store);
        }
    }
}

type Waiting = Vec<(Arc<Live>, oneshot::Sender<Result<Appended, Refusal>>)>;

/// Counts what was stored and answers.
fn settle(appended: Result<Vec<Appended>, StoreError>, waiting: &mut Waiting, state: &WriterState) {
    state.failing.store(appended.is_err(), Ordering::Relaxed);
    match appended {
        Ok(appended) => {
            state.commits.fetch_add(1, Ordering::Relaxed);
            for ((live, answer), appended) in waiting.drain(..).zip(appended) {
                live.count_stored(appended.accepted, appended.repeated);
                // Whoever asked may have gone; the reports are stored all the same.
                let _ = answer.send(Ok(appended));
            }
        }
        Err(error) => {
            tracing::error!(code = error.code(), %error, requests = waiting.len(), "reports were not stored");
            for (_, answer) in waiting.drain(..) {
                let _ = answer.send(Err(Refusal::Storage));
            }
        }
    }
}
