//! Where a Postgres store is, how it is reached, and its tables.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::StoreError;

/// The version of the tables that is written and read.
pub(super) const VERSION: i64 = 1;

/// The lock that the one server that writes holds as long as it is connected: "shol".
pub(super) const LOCK: i64 = 0x7368_6f6c;

/// How long to wait for an answer to the greeting, and for a lock that somebody holds in the tables.
const GREETING: Duration = Duration::from_secs(5);

pub(super) const TABLES: &str = "
CREATE TABLE shoal_store (version BIGINT NOT NULL);
CREATE TABLE shoal_collections (
    number BIGSERIAL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    created BIGINT NOT NULL,
    closed BIGINT
);
CREATE TABLE shoal_batches (
    seq BIGSERIAL PRIMARY KEY,
    collection BIGINT NOT NULL,
    arrived BIGINT NOT NULL,
    count BIGINT NOT NULL,
    steps BYTEA NOT NULL
);
CREATE INDEX shoal_batches_by_day ON shoal_batches (collection, arrived) INCLUDE (count);
CREATE TABLE shoal_ids (
    collection BIGINT NOT NULL,
    id BYTEA NOT NULL,
    arrived BIGINT NOT NULL,
    PRIMARY KEY (collection, id)
);
CREATE TABLE shoal_spent (
    collection BIGINT NOT NULL,
    token BYTEA NOT NULL,
    PRIMARY KEY (collection, token)
);
CREATE TABLE shoal_counted (
    collection BIGINT NOT NULL,
    kind TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (collection, kind)
);
CREATE TABLE shoal_models (
    collection BIGINT NOT NULL,
    version BIGINT NOT NULL,
    made BIGINT NOT NULL,
    reports BIGINT NOT NULL,
    end_seq BIGINT NOT NULL,
    smallest_batch BIGINT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (collection, version)
);
";

/// A Postgres database for a store.
#[derive(Clone)]
pub struct Database {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    shown: String,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Database").field(&self.shown).finish()
    }
}

fn unusable(why: impl Into<String>) -> StoreError {
    StoreError::Unsafe { why: why.into() }
}

impl Database {
    /// A database by its address, such as `postgres://shoal@localhost/shoal`. The password is given apart, so that no list of
    /// processes shows it. A server on another machine needs TLS, and for that the certificates of its issuers, a PEM file.
    ///
    /// # Errors
    /// Another kind of address, a password in it, another machine without TLS, certificates that cannot be read.
    pub fn new(address: &str, password: Option<&str>, issuers: Option<&Path>) -> Result<Self, StoreError> {
        if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
            return Err(unusable("the address of a database looks like postgres://user@host/name"));
        }
        // The error of the parser may repeat the address.
        let parsed = Config::from_str(address);
        let mut config = parsed
            .map_err(|_| unusable("the address of the database cannot be read; give postgres://user@host/name"))?;
        if config.get_password().is_some() {
            return Err(unusable(
                "leave the password out of the database's address, where lists of processes show it; put it in PGPASSWORD",
            ));
        }
        if let Some(password) = password {
            config.password(password);
        }
        let here = |host: &Host| match host {
            Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()),
            #[cfg(unix)]
            Host::Unix(_) => true,
        };
        let elsewhere = config.get_hosts().is_empty()
            || !config.get_hosts().iter().all(here)
            || !config.get_hostaddrs().iter().all(IpAddr::is_loopback);
        let tls = match issuers {
            Some(path) => Some(trusting(path)?),
            None if elsewhere => {
                return Err(unusable(
                    "a database on another machine needs TLS: give the certificates of its issuers with --database-ca, \
                     or use one on this machine",
                ));
            }
            None => None,
        };
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        config.connect_timeout(GREETING).application_name("shoal");
        let host = config.get_hosts().first().map_or_else(String::new, |host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let shown = format!("the database {} at {host}", config.get_dbname().unwrap_or_default());
        Ok(Self { config, tls, shown })
    }

    /// As it is shown: without user and password.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// A connection whose commits are on disk when they are answered.
    pub(super) fn connect(&self) -> Result<Client, StoreError> {
        let failed = failed("connecting to the database");
        let mut client = match &self.tls {
            Some(tls) => self.config.connect(tls.clone()),
            None => self.config.connect(NoTls),
        }
        .map_err(&failed)?;
        client.batch_execute("SET synchronous_commit = on; SET lock_timeout = '5s'").map_err(&failed)?;
        let synced: String = client.query_one("SHOW fsync", &[]).map_err(&failed)?.get(0);
        if synced != "on" {
            return Err(unusable(
                "the database has fsync = off, so that a crash would lose reports that were acknowledged; turn it on",
            ));
        }
        Ok(client)
    }
}

/// Somebody who calls with TLS and trusts the given issuers.
fn trusting(path: &Path) -> Result<MakeRustlsConnect, StoreError> {
    let unreadable = |why: String| unusable(format!("{} has no certificates to trust ({why})", path.display()));
    let text = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unreadable(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(unreadable("none in PEM form".into()));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unreadable(error.to_string()))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

/// The database's own words, without the values that it may name in its details.
pub(super) fn failed(doing: &'static str) -> impl Fn(postgres::Error) -> StoreError {
    move |error| {
        let why = match error.as_db_error() {
            Some(error) => format!("{} ({})", error.message(), error.code().code()),
            None => error.to_string(),
        };
        StoreError::Failed { doing, why }
    }
}
