//! Which reports are there already, by their identifiers, in little memory.
//!
//! The newest identifiers are a set in memory. When there are many of them, they become a [`Run`] on disk, and several runs
//! of about the same size become one, in a thread of its own. An identifier that was never seen is found to be new without
//! a look at the disk, nearly always, by the filters of the runs.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use shoal_device::wire::ReportId;

use super::run::Run;

/// Identifiers that become a run.
const SEAL: usize = 1 << 17;

/// Runs of about the same size that become one.
const FAN: usize = 8;

/// A run as the store records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    /// The name of its file.
    pub name: String,
    /// The last batch whose identifiers are in it or in a run before it.
    pub last: i64,
}

/// A change of runs that is to be recorded before it is made.
pub(super) struct Change {
    run: Run,
    /// What is recorded.
    pub added: Recorded,
    /// What is no longer recorded.
    pub gone: Vec<String>,
}

/// The identifiers of all reports that are kept, by collection.
pub(super) struct Seen {
    folder: PathBuf,
    /// For names of files.
    next: u64,
    of: HashMap<i64, Known>,
}

#[derive(Default)]
struct Known {
    recent: HashSet<ReportId>,
    runs: Vec<(Run, i64)>,
    merging: Option<Merging>,
}

struct Merging {
    done: Receiver<io::Result<Run>>,
    names: Vec<String>,
    last: i64,
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_string())
}

impl Seen {
    /// An empty memory whose runs are in a folder.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, next: 0, of: HashMap::new() })
    }

    /// Opens the runs of a collection. If one of them cannot be used, none is, and this is false.
    pub(super) fn open(&mut self, number: i64, recorded: &[Recorded]) -> bool {
        let open = |one: &Recorded| Run::open(&self.folder.join(&one.name)).map(|run| (run, one.last));
        match recorded.iter().map(open).collect::<io::Result<Vec<_>>>() {
            Ok(runs) => {
                self.of.entry(number).or_default().runs = runs;
                true
            }
            Err(error) => {
                tracing::warn!(%error, "identifiers are read from the reports again");
                false
            }
        }
    }

    /// Removes files that are no runs of any collection.
    pub(super) fn sweep(&mut self) -> io::Result<()> {
        let known: HashSet<String> =
            self.of.values().flat_map(|known| known.runs.iter().map(|(run, _)| name_of(run.path()))).collect();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().to_string();
            let number = name.strip_suffix(".ids").and_then(|name| name.parse::<u64>().ok());
            self.next = self.next.max(number.map_or(0, |number| number + 1));
            if !known.contains(&name) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Remembers an identifier; false if it was there.
    pub(super) fn insert(&mut self, number: i64, id: ReportId) -> io::Result<bool> {
        let known = self.of.entry(number).or_default();
        if known.recent.contains(&id) {
            return Ok(false);
        }
        for (run, _) in &mut known.runs {
            if run.has(&id)? {
                return Ok(false);
            }
        }
        Ok(known.recent.insert(id))
    }

    /// Takes back what was remembered for a commit that failed.
    pub(super) fn remove(&mut self, number: i64, id: &ReportId) {
        if let Some(known) = self.of.get_mut(&number) {
            known.recent.remove(id);
        }
    }

    /// Forgets a collection.
    pub(super) fn forget(&mut self, number: i64) {
        if let Some(known) = self.of.remove(&number) {
            known.runs.into_iter().for_each(|(run, _)| run.remove());
        }
    }

    fn path(&mut self) -> PathBuf {
        self.next += 1;
        self.folder.join(format!("{}.ids", self.next - 1))
    }

    /// A change that it is time for, after a commit whose last batch is `last`: a new run, or several that have become one.
    /// The caller records it and then calls [`Self::settle`].
    pub(super) fn change(&mut self, number: i64, last: i64) -> io::Result<Option<Change>> {
        let full = self.of.get(&number).is_some_and(|known| known.recent.len() >= SEAL);
        if full {
            let path = self.path();
            let ids: Vec<ReportId> =
                self.of.get(&number).map(|known| known.recent.iter().copied().collect()).unwrap_or_default();
            let run = Run::write(&path, ids)?;
            return Ok(Some(Change { added: Recorded { name: name_of(&path), last }, run, gone: Vec::new() }));
        }
        let Some(known) = self.of.get_mut(&number) else { return Ok(None) };
        let Some(merging) = &known.merging else { return Ok(None) };
        match merging.done.try_recv() {
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => {
                known.merging = None;
                Ok(None)
            }
            Ok(merged) => {
                let (names, last) = (merging.names.clone(), merging.last);
                known.merging = None;
                let run = merged?;
                Ok(Some(Change { added: Recorded { name: name_of(run.path()), last }, run, gone: names }))
            }
        }
    }

    /// Makes a change that is recorded, and begins another merge if there are many runs of one size.
    pub(super) fn settle(&mut self, number: i64, change: Change) {
        let Some(known) = self.of.get_mut(&number) else { return change.run.remove() };
        if change.gone.is_empty() {
            known.recent.clear();
        }
        let (gone, kept) = std::mem::take(&mut known.runs)
            .into_iter()
            .partition::<Vec<_>, _>(|(run, _)| change.gone.contains(&name_of(run.path())));
        known.runs = kept;
        gone.into_iter().for_each(|(run, _)| run.remove());
        known.runs.push((change.run, change.added.last));
        self.merge(number);
    }

    /// Drops a change that could not be recorded.
    pub(super) fn drop_change(change: Change) {
        change.run.remove();
    }

    /// Begins to merge the smallest runs, if there are many of about their size.
    fn merge(&mut self, number: i64) {
        let size = |run: &Run| run.count().div_ceil(SEAL).ilog2() / FAN.ilog2();
        let Some(known) = self.of.get(&number).filter(|known| known.merging.is_none()) else { return };
        let sizes: Vec<u32> = known.runs.iter().map(|(run, _)| size(run)).collect();
        let many = (0..=sizes.iter().copied().max().unwrap_or(0))
            .find(|level| sizes.iter().filter(|size| *size == level).count() >= FAN);
        let Some(level) = many else { return };
        let chosen: Vec<&(Run, i64)> = known.runs.iter().filter(|(run, _)| size(run) == level).collect();
        let paths: Vec<PathBuf> = chosen.iter().map(|(run, _)| run.path().to_path_buf()).collect();
        let last = chosen.iter().map(|(_, last)| *last).max().unwrap_or(0);
        let (send, done) = channel();
        let (names, path) = (paths.iter().map(|path| name_of(path)).collect(), self.path());
        let work = move || {
            // Whoever waited may have gone.
            let _ = send.send(Run::merge(&path, &paths));
        };
        if std::thread::Builder::new().name("shoal-merge".into()).spawn(work).is_ok()
            && let Some(known) = self.of.get_mut(&number)
        {
            known.merging = Some(Merging { done, names, last });
        }
    }
}
