//! Identifiers of many reports on disk: sorted, with a filter and every 256th of them in memory.
//!
//! The file has the identifiers, then the filter, then every 256th identifier, then a footer: their number, the SHA-256 of
//! filter, fences and number, and a mark. Runs are derived from the reports in the store: one that is missing or damaged is
//! made again.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shoal_device::wire::ReportId;
use shoal_noise::{NoiseSource, OsNoise};

use super::filter::Filter;

const MARK: &[u8; 8] = b"shoalids";

/// Identifiers between two fences: 4 KiB.
const STRIDE: usize = 256;

/// Bytes of the footer.
const FOOTER: usize = 8 + 32 + 8;

/// A sorted file of identifiers.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
    file: File,
    count: usize,
    filter: Filter,
    fences: Vec<ReportId>,
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a file of identifiers as it was written")
}

/// Writes a run, identifier by identifier, in their order.
struct RunWriter {
    path: PathBuf,
    out: BufWriter<File>,
    filter: Filter,
    fences: Vec<ReportId>,
    count: usize,
}

impl RunWriter {
    fn new(path: &Path, most: usize) -> io::Result<Self> {
        let mut key = [0; 16];
        OsNoise::new().map_err(|error| io::Error::other(error.to_string()))?.fill_bytes(&mut key);
        let out = BufWriter::with_capacity(1 << 18, File::create(path)?);
        let (filter, fences) = (Filter::new(most, key), Vec::with_capacity(most / STRIDE + 1));
        Ok(Self { path: path.into(), out, filter, fences, count: 0 })
    }

    fn push(&mut self, id: &ReportId) -> io::Result<()> {
        if self.count.is_multiple_of(STRIDE) {
            self.fences.push(*id);
        }
        self.count += 1;
        self.filter.add(id);
        self.out.write_all(&id.0)
    }

    /// The run is on disk when this returns.
    fn finish(self) -> io::Result<Run> {
        let Self { path, mut out, filter, fences, count } = self;
        let tail = tail(&filter, &fences, count);
        out.write_all(&tail)?;
        out.write_all(&digest_of(&tail))?;
        out.write_all(MARK)?;
        out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        Ok(Run { file: File::open(&path)?, path, count, filter, fences })
    }
}

/// What follows the identifiers and is summed up.
fn tail(filter: &Filter, fences: &[ReportId], count: usize) -> Vec<u8> {
    let mut bytes = filter.to_bytes();
    fences.iter().for_each(|fence| bytes.extend(fence.0));
    bytes.extend((count as u64).to_le_bytes());
    bytes
}

fn digest_of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl Run {
    /// Writes identifiers, which are sorted here.
    pub(super) fn write(path: &Path, mut ids: Vec<ReportId>) -> io::Result<Self> {
        ids.sort_unstable();
        let mut writer = RunWriter::new(path, ids.len())?;
        ids.iter().try_for_each(|id| writer.push(id))?;
        writer.finish()
    }

    /// Opens a run that was written before.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let footer_at = length.checked_sub(FOOTER as u64).ok_or_else(damaged)?;
        let mut footer = [0; FOOTER];
        file.seek(SeekFrom::Start(footer_at))?;
        file.read_exact(&mut footer)?;
        let (number, rest) = footer.split_first_chunk::<8>().ok_or_else(damaged)?;
        let count = usize::try_from(u64::from_le_bytes(*number)).map_err(|_| damaged())?;
        let (digest, mark) = rest.split_at(32);
        let fences = count.div_ceil(STRIDE);
        // A number that the file cannot hold is found before room is made for it.
        let ids_end = (count as u64).checked_mul(16).filter(|end| *end < length).ok_or_else(damaged)?;
        let filter = Filter::length(count);
        if mark != MARK || length != ids_end + (filter + 16 * fences + FOOTER) as u64 {
            return Err(damaged());
        }
        let mut tail = vec![0; filter + 16 * fences + 8];
        file.seek(SeekFrom::Start(ids_end))?;
        file.read_exact(&mut tail)?;
        if digest_of(&tail) != *digest {
            return Err(damaged());
        }
        let fences = tail[filter..filter + 16 * fences].as_chunks::<16>().0.iter().map(|id| ReportId(*id)).collect();
        let filter = Filter::from_bytes(&tail[..filter], count).ok_or_else(damaged)?;
        Ok(Self { path: path.into(), file, count, filter, fences })
    }

    /// Whether an identifier is in it.
    pub(super) fn has(&mut self, id: &ReportId) -> io::Result<bool> {
        if !self.filter.may_have(id) {
            return Ok(false);
        }
        let block = match self.fences.partition_point(|fence| fence <= id) {
            0 => return Ok(false),
            after => after - 1,
        };
        let (from, to) = (block * STRIDE, ((block + 1) * STRIDE).min(self.count));
        let mut bytes = [0; 16 * STRIDE];
        let bytes = &mut bytes[..16 * (to - from)];
        self.file.seek(SeekFrom::Start(16 * from as u64))?;
        self.file.read_exact(bytes)?;
        Ok(bytes.as_chunks::<16>().0.binary_search(&id.0).is_ok())
    }

    /// Several runs as one.
    pub(super) fn merge(path: &Path, runs: &[PathBuf]) -> io::Result<Self> {
        let mut heads = Vec::new();
        let mut all = 0;
        for run in runs {
            let run = Self::open(run)?;
            all += run.count;
            let mut from = BufReader::with_capacity(1 << 18, File::open(&run.path)?);
            if let Some(first) = next(&mut from, 0, run.count)? {
                heads.push((first, from, 1, run.count));
            }
        }
        let mut writer = RunWriter::new(path, all)?;
        while !heads.is_empty() {
            // A handful of runs: looking at all of them is quick enough.
            let at = (0..heads.len()).min_by_key(|at| heads[*at].0).unwrap_or(0);
            let (id, from, read, count) = &mut heads[at];
            writer.push(id)?;
            match next(from, *read, *count)? {
                Some(following) => (*id, *read) = (following, *read + 1),
                None => drop(heads.swap_remove(at)),
            }
        }
        writer.finish()
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Identifiers in it.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Removes its file.
    pub(super) fn remove(self) {
        // One that stays is found and removed at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

fn next(from: &mut impl Read, read: usize, count: usize) -> io::Result<Option<ReportId>> {
    if read == count {
        return Ok(None);
    }
    let mut id = [0; 16];
    from.read_exact(&mut id)?;
    Ok(Some(ReportId(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    fn ids(seed: u64, count: usize) -> Vec<ReportId> {
        let mut noise = SeededNoise::new(seed);
        (0..count).map(|_| ReportId::random(&mut noise)).collect()
    }

    #[test]
    fn runs_and_merged_runs_have_what_was_written_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let parts = [ids(1, 1), ids(2, 255), ids(3, 256), ids(4, 1000)];
        let mut paths = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let path = folder.path().join(format!("{i}"));
            Run::write(&path, part.clone()).unwrap();
            let mut run = Run::open(&path).unwrap();
            assert!(part.iter().all(|id| run.has(id).unwrap()));
            assert_eq!(ids(9, 1000).iter().filter(|id| run.has(id).unwrap()).count(), 0);
            paths.push(path);
        }
        let merged = folder.path().join("merged");
        assert_eq!(Run::merge(&merged, &paths).unwrap().count(), 1512);
        let mut run = Run::open(&merged).unwrap();
        assert!(parts.iter().flatten().all(|id| run.has(id).unwrap()));
        assert!(!run.has(&ReportId([0; 16])).unwrap() && !run.has(&ReportId([255; 16])).unwrap());
    }

    #[test]
    fn a_damaged_run_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        Run::write(&path, ids(1, 700)).unwrap();
        let good = fs::read(&path).unwrap();
        for (at, what) in [(700 * 16 + 3, "filter"), (good.len() - 45, "number"), (good.len() - 1, "mark")] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, bad).unwrap();
            assert!(Run::open(&path).is_err(), "{what}");
        }
        for length in [0, 10, good.len() / 2, good.len() - 1] {
            fs::write(&path, &good[..length]).unwrap();
            assert!(Run::open(&path).is_err(), "{length} bytes");
        }
    }
}
