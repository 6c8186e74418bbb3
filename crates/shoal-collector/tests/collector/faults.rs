//! What goes wrong: slow and half-open connections, bodies cut off, no room, a server killed at any moment, a full disk.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use shoal_collector::store::{SqliteStore, Store};
use shoal_collector::{Clock, Collection, Server, Settings};
use shoal_device::wire::{Envelope, ReportId, encode};

use crate::place::{Answer, BINARY, Place, crowd, design, exchange, read_answer, settings, taken, wait_for};

const HEAD: &str =
    "POST /v1/collections/survey/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/vnd.shoal.reports\r\n";

/// How long it takes until the server ends a connection, and what it wrote.
fn until_closed(mut stream: TcpStream) -> (Duration, String) {
    let began = Instant::now();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut text = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut text);
    (began.elapsed(), String::from_utf8_lossy(&text).to_string())
}

#[test]
fn slow_and_half_open_connections_are_shown_out() {
    let place = Place::with(|settings| {
        settings.limits.head = Duration::from_millis(400);
        settings.limits.read = Duration::from_millis(400);
        settings.limits.connections = 6;
    });
    let design = place.create(|_| ());
    let address = place.server().public_address();
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let silent = connect("");
    let half_a_head = connect("GET /healthz HTTP/1.1\r\nhost:");
    let half_a_body = connect(&format!("{HEAD}content-length: 100\r\n\r\nhalf"));
    let idle = connect("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    for (what, stream) in [("silent", silent), ("half a head", half_a_head), ("idle", idle)] {
        let (time, _) = until_closed(stream);
        assert!(time < Duration::from_secs(5), "{what} was kept for {time:?}");
    }
    let (_, text) = until_closed(half_a_body);
    assert!(text.starts_with("HTTP/1.1 408") && text.contains("too-slow"), "{text}");
    // More silent connections than there may be: whoever comes after them waits a little and is served.
    let silent: Vec<_> = (0..12).map(|_| connect("")).collect();
    let reports = crowd(&design, 1, place.today(), 3);
    assert_eq!(place.send("survey", &reports).json(), taken(3, 0));
    drop(silent);
    assert_eq!(place.refused("survey", "too-slow"), 1);
}

#[test]
fn bodies_that_are_cut_off_count_for_nothing() {
    let place = Place::new();
    let design = place.create(|_| ());
    let body = encode(&crowd(&design, 1, place.today(), 20));
    let address = place.server().public_address();
    for length in [0, 1, body.len() / 2, body.len() - 1] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(format!("{HEAD}content-length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
        stream.write_all(&body[..length]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let _ = until_closed(stream);
    }
    // Chunks that end too early.
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{HEAD}transfer-encoding: chunked\r\n\r\n10\r\nshort").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let _ = until_closed(stream);
    wait_for("the refusals to be counted", || place.refused("survey", "cut-off") == 5);
    assert_eq!(place.count("survey"), 0);
    let answer = place.public("POST", "/v1/collections/survey/reports", BINARY, &body);
    assert_eq!(answer.json(), taken(20, 0));
}

#[test]
fn what_is_not_http_is_survived() {
    let place = Place::new();
    let address = place.server().public_address();
    let long = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(100_000));
    let headers = format!("GET /healthz HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(5000));
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..], b"\0\0\0\0", b"GET\r\n\r\n", long.as_bytes(), headers.as_bytes()]
    {
        let mut stream = TcpStream::connect(address).unwrap();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let (_, text) = until_closed(stream);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    assert_eq!(exchange(address, "GET", "/healthz", &[], b"").unwrap().status, 200);
    assert_eq!(exchange(address, "PATCH", "/healthz", &[], b"").unwrap().status, 405);
}

#[test]
fn without_room_reports_are_sent_back_and_not_lost() {
    let place = Place::with(|settings| {
        settings.limits.waiting = 2;
        settings.limits.bytes_in_hand = 3000;
    });
    let design = place.create(|_| ());
    let reports = crowd(&design, 1, place.today(), 200);
    // The store is busy until it is let go.
    let (go, wait) = channel::<()>();
    let (begun, has_begun) = channel();
    let service = place.server().service().clone();
    let blocked = std::thread::spawn(move || {
        service
            .writer
            .with_store(move |_| {
                begun.send(()).unwrap();
                wait.recv().unwrap();
                Ok(())
            })
            .unwrap();
    });
    has_begun.recv().unwrap();
    let address = place.server().public_address();
    let sending: Vec<_> = reports[..8]
        .iter()
        .map(|report| {
            let body = encode(std::slice::from_ref(report));
            std::thread::spawn(move || {
                let headers = [("content-type", BINARY)];
                exchange(address, "POST", "/v1/collections/survey/reports", &headers, &body).unwrap()
            })
        })
        .collect();
    wait_for("six to be sent back", || place_refused(&place, "busy") == 6);
    // Nor is there room for large bodies, whoever waits.
    let large = place.send("survey", &reports);
    assert_eq!((large.status, large.code().as_str()), (503, "busy"));
    assert!(large.head.to_lowercase().contains("retry-after: 1"), "{}", large.head);
    go.send(()).unwrap();
    blocked.join().unwrap();
    let answers: Vec<Answer> = sending.into_iter().map(|thread| thread.join().unwrap()).collect();
    let taken_in = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(taken_in, 2);
    assert_eq!(place.count("survey"), 2);
    // Sent again, all are there.
    reports[..8].chunks(4).for_each(|some| assert_eq!(place.send("survey", some).status, 200));
    assert_eq!(place.count("survey"), 8);
    let metrics = exchange(place.server().operator_address().unwrap(), "GET", "/metrics", &[], b"").unwrap();
    let metrics = String::from_utf8(metrics.body).unwrap();
    assert!(metrics.contains("shoal_refused_total{collection=\"survey\",code=\"busy\"} 7"), "{metrics}");
    assert!(metrics.contains("shoal_bytes_in_hand 0\n"), "{metrics}");
}

/// Counted without the store, which is busy.
fn place_refused(place: &Place, code: &str) -> u64 {
    let live = place.server().service().registry.get("survey").unwrap();
    live.refused().find(|(kind, _)| *kind == code).map_or(0, |(_, count)| count)
}

#[test]
fn an_ending_server_answers_what_it_has_taken() {
    let mut place = Place::new();
    let design = place.create(|_| ());
    let reports = crowd(&design, 1, place.today(), 2000);
    let address = place.server().public_address();
    let sending: Vec<_> = reports
        .chunks(100)
        .map(|some| {
            let (body, count) = (encode(some), some.len() as u64);
            std::thread::spawn(move || {
                let headers = [("content-type", BINARY)];
                let answer = exchange(address, "POST", "/v1/collections/survey/reports", &headers, &body);
                match answer {
                    Ok(answer) if answer.status == 200 => count,
                    _ => 0,
                }
            })
        })
        .collect();
    place.stop();
    let acknowledged: u64 = sending.into_iter().map(|thread| thread.join().unwrap()).sum();
    place.restart();
    assert!(place.count("survey") >= acknowledged, "{acknowledged} were acknowledged");
}

// ---- A server in a process of its own, which can be killed -----------------------------------------------------------

/// Not a test by itself: the process that the tests below start and kill.
#[test]
fn server_process() {
    let Some(folder) = std::env::var_os("SHOAL_TEST_SERVER") else { return };
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let usual = Settings::new(Path::new(&folder));
    let server = Server::start(Settings { listen: any, operator: Some(any), ..usual }).unwrap();
    println!("listening {}", server.public_address());
    std::thread::park();
}

struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    /// Starts the server; `limit` is the largest file it may write, in blocks of 512 bytes.
    fn start(folder: &Path, limit: Option<u32>) -> Self {
        let this = std::env::current_exe().unwrap();
        let mut command = match limit {
            None => Command::new(&this),
            Some(blocks) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]).arg(&this);
                shell
            }
        };
        let child = command
            .args(["faults::server_process", "--exact", "--nocapture"])
            .env("SHOAL_TEST_SERVER", folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut process = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let out = process.child.stdout.take().unwrap();
        for line in BufReader::new(out).lines() {
            let line = line.unwrap();
            if let Some((_, address)) = line.split_once("listening ") {
                process.address = address.trim().parse().unwrap();
                break;
            }
        }
        assert!(process.address.port() > 0, "the server did not start");
        process
    }

    fn kill(self) {}
}

/// A process that a failed test leaves behind would go on for ever.
impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn today() -> shoal_device::wire::Day {
    Clock::System.day()
}

/// Sends single reports, one after the other on connections of their own, until the server is gone. Returns the reports
/// that were acknowledged.
fn send_until_gone(address: SocketAddr, reports: Vec<Envelope>) -> Vec<ReportId> {
    let mut acknowledged = Vec::new();
    for some in reports.chunks(3) {
        let headers = [("content-type", BINARY)];
        match exchange(address, "POST", "/v1/collections/survey/reports", &headers, &encode(some)) {
            Ok(answer) if answer.status == 200 => acknowledged.extend(some.iter().map(|report| report.id)),
            _ => break,
        }
    }
    acknowledged
}

pub fn make_collection(folder: &Path) {
    let server = Server::start(settings(folder, &Clock::System)).unwrap();
    // So many that nothing is clustered.
    let collection = Collection { minimum: 1 << 40, ..Collection::new(&design("4", 2)) };
    server.service().create(collection).unwrap();
    server.stop();
}

#[test]
fn a_killed_server_loses_no_acknowledged_report_and_counts_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    make_collection(folder.path());
    let design = design("4", 2);
    let mut acknowledged: HashSet<ReportId> = HashSet::new();
    let mut all: Vec<Envelope> = Vec::new();
    for round in 0..12 {
        let process = Process::start(folder.path(), None);
        let address = process.address;
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let mut reports = crowd(&design, 100 * round + sender, today(), 20_000);
                // Some that were sent before come again.
                let again: Vec<_> = all.iter().skip(sender as usize).step_by(7).take(30).cloned().collect();
                reports.splice(0..0, again);
                let sent = reports.clone();
                (std::thread::spawn(move || send_until_gone(address, reports)), sent)
            })
            .collect();
        std::thread::sleep(Duration::from_millis(40 + 53 * round));
        process.kill();
        for (thread, sent) in senders {
            acknowledged.extend(thread.join().unwrap());
            all.extend(sent.into_iter().take(2000));
        }
    }
    assert!(acknowledged.len() > 200, "{}", acknowledged.len());
    // What the store has, one by one.
    let server = Server::start(settings(folder.path(), &Clock::System)).unwrap();
    let kept = server.service().registry.get("survey").unwrap().reports();
    assert!(kept >= acknowledged.len() as u64, "{kept} of {}", acknowledged.len());
    server.stop();
    let ids = stored_ids(folder.path());
    let distinct: HashSet<_> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "none twice");
    assert_eq!(ids.len() as u64, kept);
    assert!(acknowledged.is_subset(&distinct), "none lost");
}

#[test]
fn a_full_disk_is_reported_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    make_collection(folder.path());
    let design = design("4", 2);
    let process = Process::start(folder.path(), Some(1500));
    let headers = [("content-type", BINARY)];
    let (mut acknowledged, mut refused) = (HashSet::new(), 0);
    let reports = crowd(&design, 5, today(), 80_000);
    for some in reports.chunks(1000) {
        let path = "/v1/collections/survey/reports";
        let answer = exchange(process.address, "POST", path, &headers, &encode(some)).unwrap();
        match answer.status {
            200 => acknowledged.extend(some.iter().map(|report| report.id)),
            _ => {
                assert_eq!((answer.status, answer.code().as_str()), (503, "storage"));
                refused += 1;
            }
        }
    }
    assert!(refused > 5 && acknowledged.len() > 5000, "{refused} refused, {} taken", acknowledged.len());
    assert_eq!(exchange(process.address, "GET", "/readyz", &[], b"").unwrap().status, 503);
    process.kill();
    let ids = stored_ids(folder.path());
    let distinct: HashSet<_> = ids.iter().copied().collect();
    assert_eq!((ids.len(), distinct.len()), (acknowledged.len(), acknowledged.len()));
    assert_eq!(distinct, acknowledged);
    // With room again, the rest is taken.
    let process = Process::start(folder.path(), None);
    let sent: u64 = reports
        .chunks(1000)
        .map(|some| {
            let path = "/v1/collections/survey/reports";
            let answer = exchange(process.address, "POST", path, &headers, &encode(some)).unwrap().json();
            answer["accepted"].as_u64().unwrap()
        })
        .sum();
    assert_eq!(sent as usize, reports.len() - acknowledged.len());
    process.kill();
}

/// The identifiers in a store that nobody uses.
pub fn stored_ids(folder: &Path) -> Vec<ReportId> {
    let mut store = SqliteStore::open(&folder.join("reports.sqlite")).unwrap();
    let number = store.collections().unwrap()[0].number;
    store.reader().unwrap().ids(number).unwrap()
}

#[test]
fn an_answer_is_whole_or_none() {
    // A connection that is gone before the answer is written does no harm.
    let place = Place::new();
    let design = place.create(|_| ());
    for report in crowd(&design, 1, place.today(), 30) {
        let body = encode(&[report]);
        let mut stream = TcpStream::connect(place.server().public_address()).unwrap();
        stream.write_all(format!("{HEAD}content-length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        drop(stream);
    }
    let stream = TcpStream::connect(place.server().public_address()).unwrap();
    (&stream).write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    assert_eq!(read_answer(stream).unwrap().status, 200);
    assert!(place.count("survey") <= 30);
}
