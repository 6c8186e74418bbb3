//! The options of `shoal serve`. The comments here are the help texts.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Devices send noisy reports; the server keeps them and finds their clusters. It never sees a record, and it \
keeps nothing about who sent a report: no address, no user agent, no cookie, in the log neither.

The operator's page is on a port of its own, on this machine only, behind a key that the folder has in \
operator.key. docs/collector.md is the guide.

Examples:
  shoal serve --data collector
  shoal collection create --data collector --name commute --bounds age=17:90,hours=1:99 --epsilon 4
  shoal serve --data collector --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem
  PGPASSWORD=… shoal serve --data collector --database postgres://shoal@localhost/shoal
  shoal serve --data collector --listen 10.0.0.5:8080       # behind a proxy that speaks TLS";

/// Where reports are kept, if not in the folder.
#[derive(Args)]
pub struct DatabaseArgs {
    /// Keep reports in a Postgres database, such as postgres://shoal@localhost/shoal, instead of a file in the folder. Its password
    /// comes from PGPASSWORD
    #[arg(long = "database", id = "database", value_name = "ADDRESS", env = "SHOAL_DATABASE", global = true)]
    pub address: Option<String>,
    /// Certificates of those who vouch for the database, PEM: for one on another machine
    #[arg(long = "database-ca", value_name = "FILE", global = true)]
    pub database_ca: Option<PathBuf>,
}

#[derive(Args)]
pub struct ServeArgs {
    /// The folder of the store and the operator's key; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The public address, where reports go
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Speak TLS on the public address: a PEM file of the certificate and those of its issuers
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// A PEM file of its private key
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// The operator's address. Keep it on this machine or in a network you trust
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    pub operator: SocketAddr,
    /// Bytes that the body of a request may have
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1024..=1 << 30))]
    pub most_bytes: u64,
    /// Connections that may be open at a time
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub connections: u32,
    /// Write the log as JSON, a line each
    #[arg(long)]
    pub log_json: bool,
}
