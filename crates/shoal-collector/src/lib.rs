//! The collection service: reports of devices in, clusters out. It can only ever hold reports, whose noise was added on
//! the device, and it keeps nothing about who sent them.
//!
//! ```no_run
//! use shoal_collector::{Server, Settings};
//!
//! let server = Server::start(Settings::new("collector-data"))?;
//! println!("reports go to http://{}", server.public_address());
//! # std::thread::park();
//! server.stop();
//! # Ok::<(), shoal_collector::CollectorError>(())
//! ```
//!
//! - A [`Collection`] is a public design with what the operator decides: when it opens and closes, how many reports there
//!   must be before anything is clustered, how long reports are kept.
//! - A report is taken once, however often it is sent, and the answer is sent when it is on disk ([`Writer`]).
//! - Clustering happens in the background through [`shoal::Cluster`], never below the minimum number.
//! - The operator has a port of their own, on this machine only unless they decide otherwise, behind a key.

pub mod admin;
mod clock;
mod collection;
mod error;
mod folder;
mod forecast;
mod http;
mod intake;
mod key;
mod live;
mod metrics;
mod modeller;
mod published;
mod refusal;
mod server;
mod service;
pub mod store;
mod tls;
mod token;
mod writer;

pub use clock::Clock;
pub use collection::{Checked, Collection, LEAST_MINIMUM, State, time_text};
pub use error::CollectorError;
pub use folder::Folder;
pub use http::OPENAPI;
pub use intake::{Form, Rejected};
pub use key::KeyHash;
pub use live::{Live, Registry};
pub use published::Published;
pub use refusal::Refusal;
pub use server::{Limits, Server, Settings};
pub use service::Service;
pub use tls::TlsFiles;
pub use token::{Token, TokenKey};
pub use writer::{Writer, WriterState};
