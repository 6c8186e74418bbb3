//! Load for a collector on this machine, and a check that nothing acknowledged is lost. `bench/collector.sh` runs it.
//!
//! ```sh
//! load send   FOLDER ADDRESS COLLECTION CONNECTIONS BATCH SECONDS [RATE]    # requests per second in all, if limited
//! load kills  FOLDER KILLS SEED -- SERVER…                  # starts and kills the server again and again under load
//! load serve  FOLDER ADDRESS OPERATOR                       # the server by itself, without the program around it
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program that talks to people")]

use std::collections::HashSet;
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use shoal_collector::admin::Admin;
use shoal_collector::store::{Database, PostgresStore, SqliteStore, Store, StoreError};
use shoal_collector::{Clock, Collection, Server, Settings};
use shoal_device::wire::{Envelope, ReportId, encode};
use shoal_device::{Design, Device, Mechanism};
use shoal_lattice::{Bounds, Interval};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};

type Anything = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Anything> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["send", folder, address, collection, connections, batch, seconds, rate @ ..] => {
            let load = Load {
                address: address.parse()?,
                collection: (*collection).into(),
                connections: connections.parse()?,
                batch: batch.parse()?,
                time: Duration::from_secs(seconds.parse()?),
                rate: rate.first().map(|rate| rate.parse()).transpose()?,
            };
            ensure(folder, collection)?;
            load.run(&design(collection)?)
        }
        ["serve", folder, address, operator] => serve(folder, address.parse()?, operator.parse()?),
        ["kills", folder, kills, seed, "--", server @ ..] => kills_under_load(folder, kills.parse()?, seed.parse()?, server),
        _ => Err("load send FOLDER ADDRESS COLLECTION CONNECTIONS BATCH SECONDS [RATE] | load kills FOLDER KILLS SEED -- SERVER… | load serve FOLDER ADDRESS OPERATOR".into()),
    }
}

/// Serves until somebody ends the process. With `SHOAL_DATABASE`, reports are kept there.
fn serve(folder: &str, listen: SocketAddr, operator: SocketAddr) -> Result<(), Anything> {
    let database = database()?;
    let settings = Settings { listen, operator: Some(operator), database, ..Settings::new(folder) };
    // A database notices a moment later that a server was killed.
    let began = Instant::now();
    let server = loop {
        match Server::start(settings.clone()) {
            Err(error) if error.code() == "store-in-use" && began.elapsed() < Duration::from_secs(10) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            started => break started?,
        }
    };
    eprintln!("reports go to http://{}", server.public_address());
    loop {
        std::thread::park();
    }
}

/// The database that the environment names.
fn database() -> Result<Option<Database>, Anything> {
    let address = std::env::var("SHOAL_DATABASE").ok();
    Ok(address.map(|address| Database::new(&address, None, None)).transpose()?)
}

/// Four columns, as in most surveys.
fn design(name: &str) -> Result<Design, Anything> {
    let names = ["age", "hours", "distance", "cost"].map(String::from).to_vec();
    let bounds = Bounds::new(names, vec![Interval::new(0.0, 100.0)?; 4])?;
    let mechanism = Mechanism::Bpm { radius_steps: shoal_lattice::STEPS };
    Ok(Design::new(mechanism, "4".parse()?, bounds)?.with_identifier(name)?)
}

/// Makes the collection if it is not there.
fn ensure(folder: &str, name: &str) -> Result<(), Anything> {
    let admin = Admin::of(folder).with_database(database()?);
    if admin.show(name).is_err() {
        // So many that no clustering takes part of the machine.
        admin.create(Collection { minimum: 1 << 40, ..Collection::new(&design(name)?) })?;
    }
    Ok(())
}

fn crowd(design: &Design, count: usize) -> Result<Vec<Envelope>, Anything> {
    let mut noise = OsNoise::new()?;
    let mut device = Device::new(design)?;
    let today = Clock::System.day();
    let mut made = Vec::with_capacity(count);
    for _ in 0..count {
        let report = device.report(&[30.0, 40.0, 50.0, 60.0])?;
        made.push(Envelope::new(&report, ReportId::random(&mut noise), today)?);
    }
    Ok(made)
}

struct Load {
    address: SocketAddr,
    collection: String,
    connections: usize,
    batch: usize,
    time: Duration,
    rate: Option<f64>,
}

/// A request whose identifiers can be renewed in place.
struct Request {
    bytes: Vec<u8>,
    ids: Vec<usize>,
}

impl Request {
    fn new(load: &Load, design: &Design) -> Result<Self, Anything> {
        let reports = crowd(design, load.batch)?;
        let body = encode(&reports);
        let head = format!(
            "POST /v1/collections/{}/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/vnd.shoal.reports\r\ncontent-length: {}\r\n\r\n",
            load.collection,
            body.len()
        );
        let bytes = [head.as_bytes(), &body].concat();
        let place = |id: &ReportId| bytes.windows(16).position(|window| window == id.0);
        let ids = reports
            .iter()
            .map(|report| place(&report.id).ok_or("an identifier is missing"))
            .collect::<Result<_, _>>()?;
        Ok(Self { bytes, ids })
    }

    fn renew(&mut self, noise: &mut SeededNoise) {
        for at in &self.ids {
            noise.fill_bytes(&mut self.bytes[*at..at + 16]);
        }
    }
}

impl Load {
    fn run(&self, design: &Design) -> Result<(), Anything> {
        let (accepted, refused) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let began = Instant::now();
        let mut seeds = OsNoise::new()?;
        let threads: Vec<_> = (0..self.connections)
            .map(|number| {
                let request = Request::new(self, design)?;
                let noise = SeededNoise::new(seeds.next_u64());
                let (accepted, refused) = (accepted.clone(), refused.clone());
                let between = self.rate.map(|rate| Duration::from_secs_f64(self.connections as f64 / rate));
                let offset =
                    between.map_or(Duration::ZERO, |between| between * number as u32 / self.connections as u32);
                let (address, end) = (self.address, began + self.time);
                let work = Sender { address, request, noise, next: began + offset, between, end };
                Ok(std::thread::spawn(move || work.run(&accepted, &refused)))
            })
            .collect::<Result<_, Anything>>()?;
        let mut times = Vec::new();
        for thread in threads {
            times.extend(thread.join().map_err(|_| "a sender ended by a fault")??);
        }
        let seconds = began.elapsed().as_secs_f64();
        times.sort_unstable();
        let at = |share: f64| {
            times
                .get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
                .map_or(0.0, |t: &Duration| t.as_secs_f64() * 1e3)
        };
        let accepted = accepted.load(Ordering::Relaxed);
        println!(
            "{} connections, {} a request: {:.0} requests/s, {:.0} reports/s accepted, {} refused; ms: p50 {:.2}, p99 {:.2}, p99.9 {:.2}, most {:.2}",
            self.connections,
            self.batch,
            times.len() as f64 / seconds,
            accepted as f64 / seconds,
            refused.load(Ordering::Relaxed),
            at(0.5),
            at(0.99),
            at(0.999),
            at(1.0)
        );
        Ok(())
    }
}

struct Sender {
    address: SocketAddr,
    request: Request,
    noise: SeededNoise,
    next: Instant,
    between: Option<Duration>,
    end: Instant,
}

impl Sender {
    fn run(mut self, accepted: &AtomicU64, refused: &AtomicU64) -> Result<Vec<Duration>, Anything> {
        let mut connection = Connection::open(self.address)?;
        let mut times = Vec::new();
        while Instant::now() < self.end {
            // With a given rate, waiting behind a slow answer counts: time runs from when the request was due.
            let mut began = Instant::now();
            if let Some(between) = self.between {
                if self.next > began {
                    std::thread::sleep(self.next - began);
                }
                began = self.next;
                self.next += between;
            }
            self.request.renew(&mut self.noise);
            let (status, body) = connection.send(&self.request.bytes)?;
            times.push(began.elapsed());
            let value: serde_json::Value = serde_json::from_slice(&body)?;
            match status {
                200 => accepted.fetch_add(value["accepted"].as_u64().unwrap_or(0), Ordering::Relaxed),
                _ => refused.fetch_add(1, Ordering::Relaxed),
            };
        }
        Ok(times)
    }
}

struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    fn open(address: SocketAddr) -> Result<Self, Anything> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Self { stream, read: Vec::new() })
    }

    fn send(&mut self, request: &[u8]) -> Result<(u16, Vec<u8>), Anything> {
        self.stream.write_all(request)?;
        self.read.clear();
        let mut some = [0; 4096];
        loop {
            let count = self.stream.read(&mut some)?;
            if count == 0 {
                return Err("the connection was closed".into());
            }
            self.read.extend_from_slice(&some[..count]);
            let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.read[..end])?;
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).ok_or("no length")?;
            let length: usize = length.trim().parse()?;
            if self.read.len() >= end + 4 + length {
                let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
                return Ok((status, self.read[end + 4..end + 4 + length].to_vec()));
            }
        }
    }
}

/// Starts the server, sends from several connections, kills it at a random moment; again and again. In the end the store
/// must have every report that was acknowledged, and none twice.
fn kills_under_load(folder: &str, kills: usize, seed: u64, server: &[&str]) -> Result<(), Anything> {
    const NAME: &str = "killed";
    ensure(folder, NAME)?;
    let design = design(NAME)?;
    let mut random = SeededNoise::new(seed);
    let mut acknowledged: HashSet<ReportId> = HashSet::new();
    let mut unsure: Vec<Envelope> = Vec::new();
    for kill in 0..kills {
        let mut process = Process::start(server)?;
        let (address, stop) = (process.address, Arc::new(AtomicBool::new(false)));
        let senders: Vec<_> = (0..6)
            .map(|_| {
                // What nobody answered is sent again: it must not count twice.
                let again = unsure.split_off(unsure.len().saturating_sub(unsure.len() / 6 + 1));
                let fresh = crowd(&design, 400)?;
                let stop = stop.clone();
                Ok(std::thread::spawn(move || send_until_gone(address, again, fresh, &stop)))
            })
            .collect::<Result<_, Anything>>()?;
        std::thread::sleep(Duration::from_millis(20 + random.next_u64() % 300));
        process.kill()?;
        stop.store(true, Ordering::Relaxed);
        for sender in senders {
            let (known, open) = sender.join().map_err(|_| "a sender ended by a fault")?;
            acknowledged.extend(known);
            unsure.extend(open);
        }
        if (kill + 1) % 20 == 0 {
            println!("{} kills, {} reports acknowledged", kill + 1, acknowledged.len());
        }
    }
    let mut store: Box<dyn Store> = match database()? {
        Some(database) => Box::new(opened(&database)?),
        None => Box::new(SqliteStore::open(&Path::new(folder).join("reports.sqlite"))?),
    };
    let number =
        store.collections()?.iter().find(|kept| kept.description.contains(NAME)).ok_or("no collection")?.number;
    let ids = store.reader()?.ids(number)?;
    let distinct: HashSet<ReportId> = ids.iter().copied().collect();
    let lost = acknowledged.difference(&distinct).count();
    println!(
        "{kills} kills: {} reports acknowledged, {lost} of them lost; {} stored, {} of them twice",
        acknowledged.len(),
        ids.len(),
        ids.len() - distinct.len()
    );
    if lost > 0 || ids.len() > distinct.len() { Err("reports were lost or counted twice".into()) } else { Ok(()) }
}

/// The store in a database, as soon as that has noticed that the killed server is gone.
fn opened(database: &Database) -> Result<PostgresStore, Anything> {
    let began = Instant::now();
    loop {
        match PostgresStore::open(database.clone()) {
            Err(StoreError::InUse { .. }) if began.elapsed() < Duration::from_secs(10) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return Ok(other?),
        }
    }
}

/// Sends until the server is gone; returns what was acknowledged, and what may or may not have arrived.
fn send_until_gone(
    address: SocketAddr,
    again: Vec<Envelope>,
    fresh: Vec<Envelope>,
    stop: &AtomicBool,
) -> (Vec<ReportId>, Vec<Envelope>) {
    let (mut known, mut open) = (Vec::new(), Vec::new());
    let mut connection = Connection::open(address).ok();
    for some in again.chunks(7).chain(fresh.chunks(2)) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let body = encode(some);
        let head = format!(
            "POST /v1/collections/killed/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/vnd.shoal.reports\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let sent = connection.as_mut().map(|connection| connection.send(&[head.as_bytes(), &body].concat()));
        match sent {
            Some(Ok((200, _))) => known.extend(some.iter().map(|report| report.id)),
            _ => {
                open.extend(some.iter().cloned());
                break;
            }
        }
    }
    (known, open)
}

struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(server: &[&str]) -> Result<Self, Anything> {
        let (program, arguments) = server.split_first().ok_or("give the command of the server after --")?;
        let mut child = Command::new(program).args(arguments).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no log")?).lines();
        let address = loop {
            let line = lines.next().ok_or("the server did not start")??;
            if let Some(address) = line.strip_prefix("reports go to http://") {
                break address.trim().parse()?;
            }
        };
        // The log is read on, or the server would wait for a reader.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Self { child, address })
    }

    fn kill(&mut self) -> Result<(), Anything> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}
