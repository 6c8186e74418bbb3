//! A server in a folder of its own, and a plain client for it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shoal_collector::{Clock, Collection, Limits, Server, Settings};
use shoal_device::wire::{Day, Envelope, ReportId, encode};
use shoal_device::{Design, Device, Mechanism};
use shoal_lattice::{Bounds, Interval};
use shoal_noise::{NoiseSource, SeededNoise};
use tempfile::TempDir;

/// Noon on 1 March 2026.
pub const NOON: u64 = 1_772_366_400;

pub const BINARY: &str = "application/vnd.shoal.reports";

pub struct Place {
    pub folder: TempDir,
    pub server: Option<Server>,
    pub clock: Clock,
}

/// An answer: its status, its head, its body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The code of a refusal.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_string()
    }
}

pub fn settings(folder: &Path, clock: &Clock) -> Settings {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    Settings {
        listen: any,
        operator: Some(any),
        threads: 2,
        clock: clock.clone(),
        limits: Limits { ending: Duration::from_secs(3), ..Limits::default() },
        ..Settings::new(folder)
    }
}

impl Place {
    pub fn new() -> Self {
        Self::with(|_| ())
    }

    /// A server with other settings.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let (folder, clock) = (tempfile::tempdir().unwrap(), Clock::standing_at(NOON));
        let mut settings = settings(folder.path(), &clock);
        change(&mut settings);
        let server = Server::start(settings).unwrap();
        Self { folder, server: Some(server), clock }
    }

    /// Ends the server and starts it anew on the same folder.
    pub fn restart(&mut self) {
        self.stop();
        self.server = Some(Server::start(settings(self.folder.path(), &self.clock)).unwrap());
    }

    pub fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }

    pub fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    pub fn create(&self, change: impl FnOnce(&mut Collection)) -> Design {
        let design = design("4", 2);
        let mut collection = Collection { minimum: 100, k: "2".into(), ..Collection::new(&design) };
        change(&mut collection);
        self.server().service().create(collection).unwrap();
        design
    }

    pub fn public(&self, method: &str, path: &str, media_type: &str, body: &[u8]) -> Answer {
        exchange(self.server().public_address(), method, path, &[("content-type", media_type)], body).unwrap()
    }

    pub fn send(&self, id: &str, reports: &[Envelope]) -> Answer {
        self.public("POST", &format!("/v1/collections/{id}/reports"), BINARY, &encode(reports))
    }

    pub fn key(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("operator.key")).unwrap().trim().to_string()
    }

    pub fn operator(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let key = format!("Bearer {}", self.key());
        let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
        exchange(self.server().operator_address().unwrap(), method, path, &headers, body).unwrap()
    }

    /// Reports in a collection, as the operator sees it.
    pub fn count(&self, id: &str) -> u64 {
        self.operator("GET", &format!("/v1/collections/{id}"), b"").json()["reports"].as_u64().unwrap()
    }

    /// Refusals of a kind, as the operator sees them.
    pub fn refused(&self, id: &str, code: &str) -> u64 {
        self.operator("GET", &format!("/v1/collections/{id}"), b"").json()["refused"][code].as_u64().unwrap_or(0)
    }

    pub fn today(&self) -> Day {
        self.clock.day()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.stop();
    }
}

pub fn design(epsilon: &str, dims: usize) -> Design {
    let names = (0..dims).map(|i| format!("c{i}")).collect();
    let intervals = vec![Interval::new(0.0, 100.0).unwrap(); dims];
    let mechanism = Mechanism::Bpm { radius_steps: shoal_lattice::STEPS };
    let bounds = Bounds::new(names, intervals).unwrap();
    Design::new(mechanism, epsilon.parse().unwrap(), bounds).unwrap().with_identifier("survey").unwrap()
}

/// A crowd of devices: half of the people are at 20, half at 80, in every column.
pub fn crowd(design: &Design, seed: u64, day: Day, count: usize) -> Vec<Envelope> {
    let mut noise = SeededNoise::new(seed);
    let mut device = Device::with_noise(design, SeededNoise::new(noise.next_u64())).unwrap();
    let dims = design.bounds().dims();
    let made = (0..count).map(|person| {
        let report = device.report(&vec![if person % 2 == 0 { 20.0 } else { 80.0 }; dims]).unwrap();
        Envelope::new(&report, ReportId::random(&mut noise), day).unwrap()
    });
    made.collect()
}

/// One request on a connection of its own.
pub fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    // The server may answer before it has read everything.
    let _ = stream.write_all(body);
    read_answer(stream)
}

pub fn read_answer(mut stream: TcpStream) -> std::io::Result<Answer> {
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else {
        read?;
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_string();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Ok(Answer { status, head, body: bytes[end + 4..].to_vec() })
}

/// Waits until something holds.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn taken(accepted: u64, repeated: u64) -> Value {
    json!({ "accepted": accepted, "repeated": repeated, "rejected": [] })
}
