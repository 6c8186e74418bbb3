//! The folder of a server: the store, the lock, the operator's key.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use shoal_noise::{NoiseSource, OsNoise};

use crate::error::CollectorError;

/// A folder that this process alone may use, until the value is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held for as long as the folder is used.
    _lock: File,
}

impl Folder {
    /// Takes a folder, which is made if it is not there.
    ///
    /// # Errors
    /// A folder that cannot be written to, or that another process uses.
    pub fn take(path: &Path) -> Result<Self, CollectorError> {
        let unusable = |source: io::Error| CollectorError::Folder { path: path.into(), source };
        fs::create_dir_all(path).map_err(unusable)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).read(true);
        let lock = options.open(path.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.into(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(CollectorError::InUse { path: path.into() }),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// Where the embedded store is.
    pub fn store(&self) -> PathBuf {
        self.path.join("reports.sqlite")
    }

    /// The operator's key; a fresh one if there is none.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn key(&self) -> Result<String, CollectorError> {
        if let Ok(key) = key_in(&self.path) {
            return Ok(key);
        }
        let path = self.path.join(KEY);
        let unusable = |source: io::Error| CollectorError::Folder { path: path.clone(), source };
        let mut bytes = [0; 32];
        OsNoise::new().map_err(|error| unusable(io::Error::other(error.to_string())))?.fill_bytes(&mut bytes);
        let key: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(unusable)?;
        file.write_all(format!("{key}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(unusable)?;
        Ok(key)
    }

    /// Leaves the address of the operator's port for programs on this machine.
    pub(crate) fn announce(&self, address: Option<SocketAddr>) {
        let path = self.path.join(ADDRESS);
        // A convenience: whoever misses it can give the address.
        let _ = match address {
            Some(address) => fs::write(path, format!("{address}\n")),
            None => fs::remove_file(path),
        };
    }
}

const KEY: &str = "operator.key";
const ADDRESS: &str = "operator.address";

/// The operator's key of the server that uses a folder.
pub(crate) fn key_in(folder: &Path) -> io::Result<String> {
    first_line(&folder.join(KEY))
}

/// The operator's port of the server that uses a folder.
pub(crate) fn address_in(folder: &Path) -> io::Result<String> {
    first_line(&folder.join(ADDRESS))
}

fn first_line(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(1000).read_to_string(&mut text)?;
    match text.trim() {
        "" => Err(io::ErrorKind::InvalidData.into()),
        line => Ok(line.to_string()),
    }
}
