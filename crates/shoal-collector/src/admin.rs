//! The operator's commands: on the folder of a server that is not running, or through the port of one that is.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::collection::Collection;
use crate::collection::time_text;
use crate::error::CollectorError;
use crate::folder::{Folder, address_in, key_in};
use crate::live::Live;
use crate::store::{Database, PostgresStore, SqliteStore, Store};

/// How long the running server may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest answer that is read.
const LONGEST: u64 = 64 << 20;

/// Collections of a folder, whether its server runs or not.
#[derive(Clone, Debug)]
pub struct Admin {
    folder: PathBuf,
    database: Option<Database>,
}

impl Admin {
    /// The collections of the server that uses this folder.
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), database: None }
    }

    /// The same, for a server that keeps reports in a database.
    pub fn with_database(self, database: Option<Database>) -> Self {
        Self { database, ..self }
    }

    /// Adds a collection.
    ///
    /// # Errors
    /// Settings that make no sense, a name that is taken, a store or a server that cannot be reached.
    pub fn create(&self, collection: Collection) -> Result<Value, CollectorError> {
        let checked = collection.check()?;
        match self.take()? {
            Some(mut store) => {
                let id = &checked.collection.id;
                if lives(&mut store)?.iter().any(|live| live.id() == id) {
                    return Err(CollectorError::Exists { id: id.clone() });
                }
                // Unwrap safety: texts and numbers under fixed names.
                let description = serde_json::to_string(&checked.collection).unwrap();
                store.create(id, &description, Clock::System.seconds())?;
                self.found(&mut store, id)
            }
            // Unwrap safety: as above.
            None => self.ask("POST", "/v1/collections", Some(serde_json::to_string(&checked.collection).unwrap())),
        }
    }

    /// All collections.
    ///
    /// # Errors
    /// A store or a server that cannot be reached.
    pub fn list(&self) -> Result<Value, CollectorError> {
        match self.take()? {
            Some(mut store) => {
                let all: Vec<Value> = lives(&mut store)?.iter().map(describe).collect();
                Ok(json!({ "collections": all }))
            }
            None => self.ask("GET", "/v1/collections", None),
        }
    }

    /// One collection.
    ///
    /// # Errors
    /// No such collection, a store or a server that cannot be reached.
    pub fn show(&self, id: &str) -> Result<Value, CollectorError> {
        match self.take()? {
            Some(mut store) => self.found(&mut store, id),
            None => self.ask("GET", &format!("/v1/collections/{}", path_of(id)?), None),
        }
    }

    /// Closes a collection for good.
    ///
    /// # Errors
    /// No such collection, a store or a server that cannot be reached.
    pub fn close(&self, id: &str) -> Result<Value, CollectorError> {
        match self.take()? {
            Some(mut store) => {
                let number = number_of(&mut store, id)?;
                store.close(number, Clock::System.seconds())?;
                self.found(&mut store, id)
            }
            None => self.ask("POST", &format!("/v1/collections/{}/close", path_of(id)?), None),
        }
    }

    /// Deletes a collection with all its reports and models.
    ///
    /// # Errors
    /// No such collection, a store or a server that cannot be reached.
    pub fn delete(&self, id: &str) -> Result<(), CollectorError> {
        match self.take()? {
            Some(mut store) => {
                let number = number_of(&mut store, id)?;
                Ok(store.delete(number)?)
            }
            None => self.ask("DELETE", &format!("/v1/collections/{}", path_of(id)?), None).map(drop),
        }
    }

    /// The store, unless a server uses it.
    fn take(&self) -> Result<Option<Taken>, CollectorError> {
        match Folder::take(&self.folder) {
            Ok(folder) => {
                let store: Box<dyn Store> = match &self.database {
                    Some(database) => Box::new(PostgresStore::open(database.clone())?),
                    None => Box::new(SqliteStore::open(&folder.store())?),
                };
                Ok(Some(Taken { store, _folder: folder }))
            }
            Err(CollectorError::InUse { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn found(&self, store: &mut Taken, id: &str) -> Result<Value, CollectorError> {
        let live = lives(store)?.into_iter().find(|live| live.id() == id);
        live.map(|live| describe(&live)).ok_or_else(|| CollectorError::Unknown { id: crate::service::shown(id) })
    }

    /// Asks the running server.
    fn ask(&self, method: &str, path: &str, body: Option<String>) -> Result<Value, CollectorError> {
        let address = address_in(&self.folder).map_err(|_| CollectorError::InUse { path: self.folder.clone() })?;
        let key =
            key_in(&self.folder).map_err(|source| CollectorError::Folder { path: self.folder.clone(), source })?;
        let unreachable = |why: String| CollectorError::Unreachable { address: address.clone(), why };
        let answer = exchange(&address, &key, method, path, &body.unwrap_or_default())
            .map_err(|error| unreachable(error.to_string()))?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| unreachable("no HTTP".into()))?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).unwrap_or(0);
        if status == 204 {
            return Ok(Value::Null);
        }
        let value: Value = serde_json::from_str(body).map_err(|error| unreachable(error.to_string()))?;
        if (200..300).contains(&status) {
            return Ok(value);
        }
        let text = |field: &str| value["error"][field].as_str().unwrap_or("no reason given").to_string();
        Err(CollectorError::Refused { code: text("code"), message: text("message") })
    }
}

struct Taken {
    store: Box<dyn Store>,
    _folder: Folder,
}

impl std::ops::Deref for Taken {
    type Target = dyn Store;

    fn deref(&self) -> &(dyn Store + 'static) {
        &*self.store
    }
}

impl std::ops::DerefMut for Taken {
    fn deref_mut(&mut self) -> &mut (dyn Store + 'static) {
        &mut *self.store
    }
}

fn lives(store: &mut Taken) -> Result<Vec<Live>, CollectorError> {
    store.collections()?.iter().map(Live::of).collect()
}

fn number_of(store: &mut Taken, id: &str) -> Result<i64, CollectorError> {
    let live = lives(store)?.into_iter().find(|live| live.id() == id);
    live.map(|live| live.number).ok_or_else(|| CollectorError::Unknown { id: crate::service::shown(id) })
}

fn describe(live: &Live) -> Value {
    let settings = &live.checked.collection;
    json!({
        "id": live.id(),
        "design": settings.design,
        "state": live.state(Clock::System.seconds()).word(),
        "created": time_text(live.created),
        "opens": live.checked.opens.map(time_text),
        "closes": live.checked.closes.map(time_text),
        "minimum": settings.minimum,
        "most_per_day": settings.most_per_day,
        "oldest_days": settings.oldest_days,
        "retention_days": settings.retention_days,
        "enrolment": live.checked.enrolment(),
        "token_key": settings.token_key,
        "k": settings.k,
        "reports": live.reports(),
        "promise": live.promise(),
    })
}

/// A name as a part of an address; names of collections need no escaping.
fn path_of(id: &str) -> Result<&str, CollectorError> {
    let plain = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if plain { Ok(id) } else { Err(CollectorError::Unknown { id: crate::service::shown(id) }) }
}

/// One request to a port on this machine.
fn exchange(address: &str, key: &str, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer)?;
    Ok(answer)
}

/// Where the operator's key of a folder is, to be shown to the operator.
pub fn key_file(folder: &Path) -> PathBuf {
    folder.join("operator.key")
}
