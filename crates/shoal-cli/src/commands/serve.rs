//! `shoal serve`: the collection service, until somebody ends it.

use std::net::SocketAddr;

use shoal_collector::store::Database;
use shoal_collector::{CollectorError, Limits, Server, Settings, TlsFiles, admin};

use crate::arguments::serve::DatabaseArgs;
use crate::arguments::{ServeArgs, Shown};
use crate::failure::Failure;
use crate::log;

/// Serves until SIGINT or SIGTERM.
pub fn run(args: &ServeArgs, shown: &Shown) -> Result<(), Failure> {
    if !shown.log {
        log::start_serving(args.log_json);
    }
    let usual = Settings::new(&args.data);
    let settings = Settings {
        database: database(&args.database)?,
        listen: args.listen,
        tls: match (&args.tls_cert, &args.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }),
            _ => None,
        },
        operator: Some(args.operator),
        limits: Limits {
            body: usize::try_from(args.most_bytes).unwrap_or(usize::MAX),
            connections: args.connections as usize,
            ..Limits::default()
        },
        threads: shown.threads.map_or(usual.threads, usize::from),
        ..usual
    };
    let ended = listen_for_the_end()?;
    let server = Server::start(settings).map_err(|error| failed(&error))?;
    if !shown.quiet {
        let operator = server.operator_address().map(|address| {
            format!("operator:   http://{address}/   (key in {})\n", admin::key_file(&args.data).display())
        });
        let scheme = if args.tls_cert.is_some() { "https" } else { "http" };
        eprint!("reports go to {scheme}://{}\n{}", server.public_address(), operator.unwrap_or_default());
        if args.tls_cert.is_none() && !server.public_address().ip().is_loopback() {
            eprintln!("{}", no_tls(server.public_address()));
        }
    }
    // An error would mean that nobody can end it; then it ends now.
    let _ = ended.recv();
    server.stop();
    Ok(())
}

/// The database that the command line names. Its password is in the environment, where other users do not see it.
pub fn database(args: &DatabaseArgs) -> Result<Option<Database>, Failure> {
    let Some(address) = &args.address else { return Ok(None) };
    let password = std::env::var("PGPASSWORD").ok();
    let database = Database::new(address, password.as_deref(), args.database_ca.as_deref());
    database.map(Some).map_err(|error| failed(&error.into()))
}

fn no_tls(address: SocketAddr) -> String {
    format!(
        "note: {address} speaks plain HTTP. Give --tls-cert and --tls-key, or put a proxy with TLS in front of it: reports are private by themselves, but whoever listens on the way sees who sends one"
    )
}

/// A failure of the collector, with its code.
pub fn failed(error: &CollectorError) -> Failure {
    match error {
        CollectorError::Library(library) if library.is_usage() => Failure::usage(error).with_code(error.code()),
        CollectorError::Setting { .. } => Failure::usage(error).with_code(error.code()),
        error => Failure::refused(error).with_code(error.code()),
    }
}

/// Something arrives when the program is asked to end.
#[cfg(unix)]
fn listen_for_the_end() -> Result<std::sync::mpsc::Receiver<()>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let (send, receive) = std::sync::mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| Failure::refused(format!("signals cannot be listened for ({error}); try again")))?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            // The server may have ended by itself.
            let _ = send.send(());
        }
        // A second signal ends the program at once; what was acknowledged is on disk.
        if let Some(signal) = signals.forever().next() {
            std::process::exit(128 + signal);
        }
    });
    Ok(receive)
}

/// Other systems end the program in their own way; what was acknowledged is on disk.
#[cfg(not(unix))]
fn listen_for_the_end() -> Result<std::sync::mpsc::Receiver<()>, Failure> {
    let (send, receive) = std::sync::mpsc::channel();
    // Kept for as long as the program runs.
    std::mem::forget(send);
    Ok(receive)
}
