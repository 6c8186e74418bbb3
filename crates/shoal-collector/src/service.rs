//! What the ports, the modeller and the operator share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::collection::Collection;
use crate::error::CollectorError;
use crate::key::KeyHash;
use crate::live::{Live, Registry};
use crate::published::Published;
use crate::refusal::{KINDS, Refusal};
use crate::server::Limits;
use crate::store::{Kept, KeptModel, Store, StoreReader};
use crate::writer::Writer;

/// Models of a collection that are kept.
const MODELS_KEPT: u64 = 100;

/// A running service, apart from its ports.
pub struct Service {
    /// All collections.
    pub registry: Registry,
    /// The way to the store.
    pub writer: Writer,
    /// The time of day.
    pub clock: Clock,
    /// What a request may take.
    pub limits: Limits,
    /// Bytes of bodies that may be in hand, as permits.
    pub(crate) room: Arc<Semaphore>,
    /// Connections that may be open, as permits.
    pub(crate) connections: Arc<Semaphore>,
    /// Refused requests that belong to no collection.
    refused: [AtomicU64; KINDS.len()],
    /// The operator's key, hashed.
    key: KeyHash,
    pub(crate) began: Instant,
    /// Where the public port is, as far as this machine knows.
    pub(crate) public: OnceLock<String>,
}

impl Service {
    /// A service on a store whose collections are read.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub(crate) fn new(writer: Writer, key: &str, clock: Clock, limits: Limits) -> Result<Self, CollectorError> {
        let service = Self {
            registry: Registry::default(),
            writer,
            clock,
            room: Arc::new(Semaphore::new(limits.bytes_in_hand)),
            connections: Arc::new(Semaphore::new(limits.connections)),
            limits,
            refused: std::array::from_fn(|_| AtomicU64::new(0)),
            key: KeyHash::of(key),
            began: Instant::now(),
            public: OnceLock::new(),
        };
        let (kept, mut reader) = service.writer.with_store(|store| Ok((store.collections()?, store.reader()?)))?;
        for kept in kept {
            let live = service.registry.add(Live::of(&kept)?);
            let newest = reader.newest_model(live.number)?;
            live.count_fresh(reader.fresh(live.number, newest.as_ref().map_or(0, |model| model.end))?);
            if let Some(model) = newest {
                live.publish(Published::of(&live, &model)?);
            }
        }
        Ok(service)
    }

    /// A reader of the store. Blocks.
    pub(crate) fn reader(&self) -> Result<Box<dyn StoreReader>, CollectorError> {
        Ok(self.writer.with_store(|store| store.reader())?)
    }

    /// Where people answer, as seen from this machine.
    pub(crate) fn survey_address(&self, id: &str) -> Option<String> {
        self.public.get().map(|public| format!("{public}/collect/{id}"))
    }

    /// Whether this is the operator's key.
    pub(crate) fn is_key(&self, given: &str) -> bool {
        self.key.is_of(given)
    }

    /// Counts a request that was refused and belongs to no collection.
    pub(crate) fn count_refused(&self, refusal: &Refusal) {
        self.refused[refusal.kind()].fetch_add(1, Ordering::Relaxed);
    }

    /// Requests that were refused and belong to no collection, by kind.
    pub(crate) fn refused(&self) -> impl Iterator<Item = (&'static str, u64)> {
        KINDS.iter().zip(&self.refused).map(|(kind, count)| (*kind, count.load(Ordering::Relaxed)))
    }

    /// Adds a collection. Blocks.
    ///
    /// # Errors
    /// Settings that make no sense, a name that is taken, a store that fails.
    pub fn create(&self, collection: Collection) -> Result<Arc<Live>, CollectorError> {
        let checked = collection.check()?;
        let (id, now) = (checked.collection.id.clone(), self.clock.seconds());
        // Unwrap safety: texts and numbers under fixed names.
        let description = serde_json::to_string(&checked.collection).unwrap();
        let name = id.clone();
        let create = move |store: &mut dyn Store| {
            let taken = store.collections()?.iter().any(|kept| described_id(kept).as_deref() == Some(&*name));
            if taken {
                return Ok(None);
            }
            let number = store.create(&name, &description, now)?;
            Ok(Some((number, description)))
        };
        let (number, description) =
            self.writer.with_store(create)?.ok_or_else(|| CollectorError::Exists { id: id.clone() })?;
        let (closed, reports, counted) = (None, 0, Vec::new());
        let live = Live::of(&Kept { number, description, created: now, closed, reports, counted })?;
        tracing::info!(collection = id, "collection created");
        Ok(self.registry.add(live))
    }

    /// One collection.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn collection(&self, id: &str) -> Result<Arc<Live>, CollectorError> {
        self.registry.get(id).ok_or_else(|| CollectorError::Unknown { id: shown(id) })
    }

    /// Closes a collection for good. Blocks.
    ///
    /// # Errors
    /// No such collection, or a store that fails.
    pub fn close(&self, id: &str) -> Result<Arc<Live>, CollectorError> {
        let (live, now) = (self.collection(id)?, self.clock.seconds());
        let number = live.number;
        self.writer.with_store(move |store| store.close(number, now))?;
        live.close(now);
        tracing::info!(collection = id, reports = live.reports(), "collection closed");
        Ok(live)
    }

    /// Deletes a collection with its reports and models. Blocks.
    ///
    /// # Errors
    /// No such collection, or a store that fails.
    pub fn delete(&self, id: &str) -> Result<(), CollectorError> {
        let live = self.collection(id)?;
        let number = live.number;
        // Closed first, so that nothing is taken for it any more.
        live.close(self.clock.seconds());
        self.registry.remove(id);
        self.writer.with_store(move |store| store.delete(number))?;
        tracing::info!(collection = id, "collection deleted");
        Ok(())
    }

    /// Keeps a model and shows it. Blocks.
    pub(crate) fn keep_model(&self, live: &Live, kept: KeptModel) -> Result<(), CollectorError> {
        let published = Published::of(live, &kept)?;
        let number = live.number;
        self.writer.with_store(move |store| store.keep_model(number, &kept, MODELS_KEPT))?;
        live.publish(published);
        Ok(())
    }
}

fn described_id(kept: &Kept) -> Option<String> {
    Collection::from_json(kept.description.as_bytes()).ok()?.check().ok().map(|checked| checked.collection.id)
}

/// A name as it may be shown.
pub(crate) fn shown(id: &str) -> String {
    id.chars().filter(|c| !c.is_control()).take(80).collect()
}
