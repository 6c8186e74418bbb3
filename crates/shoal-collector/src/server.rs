//! Starting and ending a server: its folder, its threads, its ports.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::error::CollectorError;
use crate::folder::Folder;
use crate::http;
use crate::modeller::Modeller;
use crate::service::Service;
use crate::store::{Database, PostgresStore, SqliteStore, Store};
use crate::tls::TlsFiles;
use crate::writer::Writer;

/// What a request and a connection may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a body.
    pub body: usize,
    /// Reports of a request.
    pub reports: usize,
    /// Bytes of all bodies that have arrived and are not answered yet.
    pub bytes_in_hand: usize,
    /// Requests that may wait for the store.
    pub waiting: usize,
    /// Connections that may be open.
    pub connections: usize,
    /// Time for the head of a request, and for the next request on an open connection.
    pub head: Duration,
    /// Time for the body of a request.
    pub read: Duration,
    /// The longest that a connection is kept.
    pub connection: Duration,
    /// Time that requests have to end when the server does.
    pub ending: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 1 << 20,
            reports: 20_000,
            bytes_in_hand: 64 << 20,
            waiting: 8192,
            connections: 1024,
            head: Duration::from_secs(15),
            read: Duration::from_secs(15),
            connection: Duration::from_secs(600),
            ending: Duration::from_secs(10),
        }
    }
}

/// How a server is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the store and the operator's key.
    pub data: PathBuf,
    /// The public port.
    pub listen: SocketAddr,
    /// A Postgres database for the reports, instead of a file in the folder.
    pub database: Option<Database>,
    /// TLS on the public port.
    pub tls: Option<TlsFiles>,
    /// The operator's port; none without one.
    pub operator: Option<SocketAddr>,
    /// What a request and a connection may take.
    pub limits: Limits,
    /// Threads that cluster.
    pub threads: usize,
    /// The time of day.
    pub clock: Clock,
}

impl Settings {
    /// The usual settings: both ports on this machine only.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            data: data.into(),
            database: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tls: None,
            operator: Some(SocketAddr::from(([127, 0, 0, 1], 8081))),
            limits: Limits::default(),
            threads: (cores / 2).max(1),
            clock: Clock::System,
        }
    }
}

/// A running server.
pub struct Server {
    service: Arc<Service>,
    public: SocketAddr,
    operator: Option<SocketAddr>,
    folder: Folder,
    ending: watch::Sender<bool>,
    runtime: Runtime,
    modeller: Modeller,
    writer: JoinHandle<()>,
}

impl Server {
    /// Starts a server. It serves when this returns.
    ///
    /// # Errors
    /// A folder that cannot be used or is in use, a store that cannot be read, an address that cannot be listened on.
    pub fn start(settings: Settings) -> Result<Self, CollectorError> {
        let tls = settings.tls.as_ref().map(TlsFiles::acceptor).transpose()?;
        let folder = Folder::take(&settings.data)?;
        let key = folder.key()?;
        let store: Box<dyn Store> = match settings.database {
            Some(database) => Box::new(PostgresStore::open(database)?),
            None => Box::new(SqliteStore::open(&folder.store())?),
        };
        let (writer, thread) = Writer::start(store, settings.limits.waiting);
        let service = Arc::new(Service::new(writer, &key, settings.clock, settings.limits)?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("shoal-http")
            .build()
            .map_err(|source| CollectorError::Listen { address: "any address".into(), source })?;
        let (ending, ended) = watch::channel(false);
        let listen = |address: SocketAddr| {
            let listening = runtime.block_on(TcpListener::bind(address)).and_then(|listener| {
                let address = listener.local_addr()?;
                Ok((listener, address))
            });
            listening.map_err(|source| CollectorError::Listen { address: address.to_string(), source })
        };
        let (public, public_address) = listen(settings.listen)?;
        let operator = settings.operator.map(listen).transpose()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        // It is set here and nowhere else.
        let _ = service.public.set(format!("{scheme}://{public_address}"));
        let operator_address = operator.as_ref().map(|(_, address)| *address);
        runtime.spawn(http::serve(public, tls, http::public(service.clone()), service.clone(), ended.clone()));
        if let Some((listener, _)) = operator {
            runtime.spawn(http::serve(listener, None, http::operator(service.clone()), service.clone(), ended));
        }
        folder.announce(operator_address);
        let modeller = Modeller::start(service.clone(), settings.threads);
        tracing::info!(collections = service.registry.all().len(), "serving");
        let public = public_address;
        Ok(Self { service, public, operator: operator_address, folder, ending, runtime, modeller, writer: thread })
    }

    /// Where reports go.
    pub fn public_address(&self) -> SocketAddr {
        self.public
    }

    /// The operator's port.
    pub fn operator_address(&self) -> Option<SocketAddr> {
        self.operator
    }

    /// What the ports share.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// Ends: no new connections, open requests are answered, everything that was taken is stored.
    pub fn stop(self) {
        tracing::info!("ending");
        // Nobody listens if there are no connections.
        let _ = self.ending.send(true);
        let (connections, all) = (self.service.connections.clone(), self.service.limits.connections);
        let wait = self.service.limits.ending;
        self.runtime.block_on(async {
            // All permits are back when the last connection is gone.
            let _ = tokio::time::timeout(wait, connections.acquire_many(all as u32)).await;
        });
        self.runtime.shutdown_timeout(Duration::from_secs(1));
        self.folder.announce(None);
        let modelled = self.modeller.stop(wait);
        // Comes after everything that waits for the store.
        if let Err(error) = self.service.writer.with_store(|store| store.tidy()) {
            tracing::warn!(code = error.code(), %error, "the store was not tidied");
        }
        // The last way to the writer goes, so that it ends. A clustering that takes longer is left: nothing depends on it.
        drop(self.service);
        if modelled && self.writer.join().is_err() {
            tracing::error!("the writer ended by a fault");
        }
        tracing::info!("ended");
    }
}
