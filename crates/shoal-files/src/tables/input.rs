//! The bytes of a table, readable as often as an algorithm needs.
//!
//! A regular file is opened once and read by position from then on, so every pass sees the same file even when
//! another one takes its name, and passes do not disturb each other. Anything that can be read only once (standard
//! input, a pipe) is held in memory or, when it is longer than that, in a temporary file without a name.

use bytes::Bytes;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::DataError;

/// Bytes of a long stream that are moved to disk at a time.
const SPOOLED: usize = 1 << 18;

/// Where a table comes from.
pub enum Source {
    /// A file, or a pipe with a path.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory. Sensitive: they hold the records.
    Memory(Vec<u8>),
}

impl Source {
    /// The source a command-line argument names: `-` is standard input.
    pub fn from_arg(text: &str) -> Self {
        if text == "-" { Self::Stdin } else { Self::Path(text.into()) }
    }
}

/// An opened source. Sensitive: it gives access to the records.
pub(crate) struct Input {
    name: String,
    content: Content,
    /// Bytes read in the current pass.
    read: Arc<AtomicU64>,
}

enum Content {
    File { file: Arc<File>, stamp: Stamp },
    Memory(Bytes),
}

/// What changes when somebody writes to a file.
#[derive(PartialEq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { len: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl Input {
    /// Opens a source; `stream_limit` is the most memory that a stream may take.
    pub(crate) fn open(source: Source, stream_limit: u64) -> Result<Self, DataError> {
        match source {
            Source::Memory(bytes) => Ok(Self::new("the table in memory".into(), Content::Memory(bytes.into()))),
            Source::Stdin => Self::swallow("standard input".into(), io::stdin().lock(), stream_limit),
            Source::Path(path) => Self::open_path(&path, stream_limit),
        }
    }

    fn open_path(path: &Path, stream_limit: u64) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let failed = |source| DataError::Io { name: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(DataError::Folder { name });
        }
        if !metadata.is_file() {
            return Self::swallow(name, file, stream_limit);
        }
        let stamp = Stamp::of(&metadata);
        Ok(Self::new(name, Content::File { file: Arc::new(file), stamp }))
    }

    /// Keeps a stream: in memory up to `limit` bytes, and otherwise all of it in a temporary file without a name, which only
    /// this process can open and which is gone when it ends, however it ends. Where the limit lies changes nothing else.
    fn swallow(name: String, mut stream: impl Read, limit: u64) -> Result<Self, DataError> {
        let unreadable = |source| DataError::Io { name: name.clone(), source };
        let mut bytes = Vec::new();
        stream.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 <= limit {
            bytes.shrink_to_fit();
            return Ok(Self::new(name, Content::Memory(bytes.into())));
        }
        let unwritable = |source| DataError::Spool { name: name.clone(), source };
        let mut file = tempfile::tempfile().map_err(unwritable)?;
        loop {
            file.write_all(&bytes).map_err(unwritable)?;
            bytes.clear();
            bytes.shrink_to(SPOOLED);
            if stream.by_ref().take(SPOOLED as u64).read_to_end(&mut bytes).map_err(unreadable)? == 0 {
                break;
            }
        }
        let stamp = Stamp::of(&file.metadata().map_err(unwritable)?);
        Ok(Self::new(name, Content::File { file: Arc::new(file), stamp }))
    }

    fn new(name: String, content: Content) -> Self {
        Self { name, content, read: Arc::default() }
    }

    /// The name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the source.
    pub(crate) fn len(&self) -> u64 {
        match &self.content {
            Content::File { stamp, .. } => stamp.len,
            Content::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Refuses when the file was written to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), DataError> {
        let Content::File { file, stamp } = &self.content else { return Ok(()) };
        let now = file.metadata().map_err(|error| self.failed(error))?;
        if Stamp::of(&now) == *stamp { Ok(()) } else { Err(DataError::Changed { name: self.name.clone() }) }
    }

    /// Forgets what earlier passes read.
    pub(crate) fn start_counting(&self) {
        self.read.store(0, Ordering::Relaxed);
    }

    /// Bytes read since [`Self::start_counting`].
    pub(crate) fn counted(&self) -> u64 {
        self.read.load(Ordering::Relaxed).min(self.len())
    }

    /// A reader from byte `start` on, with a position of its own.
    pub(crate) fn reader(&self, start: u64) -> InputReader {
        let content = match &self.content {
            Content::File { file, .. } => ReaderContent::File(Arc::clone(file)),
            Content::Memory(bytes) => ReaderContent::Memory(bytes.clone()),
        };
        InputReader { content, at: start, read: Arc::clone(&self.read) }
    }

    /// Exactly `length` bytes from `start` on; a file that is shorter is an `UnexpectedEof`.
    pub(crate) fn bytes(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        match &self.content {
            Content::Memory(bytes) => {
                self.read.fetch_add(length as u64, Ordering::Relaxed);
                Ok(bytes.slice(start as usize..end as usize))
            }
            Content::File { .. } => {
                let mut buffer = Vec::with_capacity(length);
                self.reader(start).take(length as u64).read_to_end(&mut buffer)?;
                if buffer.len() == length { Ok(buffer.into()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
            }
        }
    }

    /// The first bytes, which show the format; fewer where there are no more.
    pub(crate) fn start(&self) -> Result<Bytes, DataError> {
        self.bytes(0, self.len().min(8) as usize).map_err(|error| self.failed(error))
    }

    /// The error for a failed read.
    pub(crate) fn failed(&self, source: io::Error) -> DataError {
        DataError::Io { name: self.name.clone(), source }
    }
}

/// Reads an [`Input`] from some position on.
pub(crate) struct InputReader {
    content: ReaderContent,
    at: u64,
    read: Arc<AtomicU64>,
}

enum ReaderContent {
    File(Arc<File>),
    Memory(Bytes),
}

impl Read for InputReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &self.content {
            ReaderContent::File(file) => read_at(file, buffer, self.at)?,
            ReaderContent::Memory(bytes) => {
                let at = usize::try_from(self.at).unwrap_or(usize::MAX);
                let rest = bytes.get(at..).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                count
            }
        };
        self.at += count as u64;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// An [`Input`] with a position that can be moved, for decoders of archives.
#[derive(Clone)]
pub(crate) struct SeekInput {
    input: Arc<Input>,
    at: u64,
}

impl SeekInput {
    pub(crate) fn new(input: Arc<Input>) -> Self {
        Self { input, at: 0 }
    }
}

impl Read for SeekInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.reader(self.at).read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for SeekInput {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.input.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
