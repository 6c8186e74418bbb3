//! The store in a real Postgres server, which the tests start for themselves; without one they say so and check nothing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use shoal_collector::store::{Appended, Database, Forgotten, Group, KeptModel, PostgresStore, Store, StoreError};
use shoal_collector::{Clock, Collection, Server, Settings};
use shoal_device::wire::{ReportId, encode};
use shoal_noise::SeededNoise;
use tempfile::TempDir;

use crate::place::{BINARY, NOON, crowd, design, exchange, settings, taken, wait_for};

/// A server of Postgres in a folder, on a socket there and on no port.
struct Postgres {
    folder: TempDir,
    programs: PathBuf,
}

/// Where `initdb` and its kin are: Debian keeps them out of the way.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    places.sort();
    places.reverse();
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let works = |program: PathBuf| {
        let (out, error) = (Stdio::null(), Stdio::null());
        Command::new(program).arg("--version").stdout(out).stderr(error).status().is_ok_and(|ended| ended.success())
    };
    let all = ["initdb", "pg_ctl", "createdb"];
    places.into_iter().find(|place| all.iter().all(|program| works(place.join(program))))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

impl Postgres {
    /// Starts one, or prints why there is none.
    fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            println!("no Postgres on this machine: its store was not tried");
            return None;
        };
        // The server refuses to run as root, and its own user must get to the folder.
        let folder = tempfile::Builder::new().prefix("shoal-pg-").tempdir_in("/tmp").unwrap();
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(folder.path()).status().unwrap();
            assert!(owned.success(), "there is no user postgres");
        }
        let postgres = Self { folder, programs };
        postgres.run("initdb", &["-A", "trust", "-U", "shoal", "-E", "UTF8", "--no-locale", "-D", &postgres.data()]);
        postgres.up();
        Some(postgres)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn up(&self) {
        let socket = self.folder.path().display().to_string();
        let options = format!("-c listen_addresses='' -c unix_socket_directories='{socket}' -c shared_buffers=16MB");
        let log = self.folder.path().join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-t", "60", "-l", &log, "-o", &options, "start"]);
    }

    fn down(&self, how: &str) {
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-m", how, "stop"]);
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&program);
            command
        } else {
            Command::new(&program)
        };
        let out = command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(out.success(), "{} ended with {out}", program.display());
    }

    fn database(&self, name: &str) -> Database {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        Database::new(&format!("postgres://shoal@{socket}/{name}"), None, None).unwrap()
    }

    /// An empty database of its own for a test.
    fn fresh(&self, name: &str) -> Database {
        let socket = self.folder.path().display().to_string();
        self.run("createdb", &["-h", &socket, "-U", "shoal", name]);
        self.database(name)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.down("immediate");
    }
}

fn ids(seed: u64, count: usize) -> Vec<ReportId> {
    let mut noise = SeededNoise::new(seed);
    (0..count).map(|_| ReportId::random(&mut noise)).collect()
}

fn group(number: i64, arrived: u32, ids: &[ReportId]) -> Group {
    let steps = ids.iter().flat_map(|id| [i64::from(id.0[0]), -70_000]).collect();
    Group { number, dims: 2, arrived, ids: ids.to_vec(), steps, token: None }
}

fn new(accepted: u64, repeated: u64) -> Appended {
    Appended { accepted, repeated, spent: 0 }
}

/// Everything on one server, which takes a second to start.
#[test]
fn a_store_in_postgres_keeps_what_the_embedded_one_keeps() {
    let Some(postgres) = Postgres::start() else { return };
    reports_count_once(&postgres);
    one_server_at_a_time(&postgres);
    served_from_reports_to_clusters(&postgres);
    a_database_that_goes_away_loses_nothing(&postgres);
}

fn reports_count_once(postgres: &Postgres) {
    let database = postgres.fresh("once");
    let mut store = PostgresStore::open(database.clone()).unwrap();
    let (one, other) = (store.create("one", "{}", 1).unwrap(), store.create("other", "{}", 2).unwrap());
    let sent = ids(1, 5_000);
    assert_eq!(store.append(&[group(one, 7, &sent)]).unwrap(), [new(5_000, 0)]);
    assert_eq!(store.append(&[group(one, 7, &sent), group(other, 7, &sent[..9])]).unwrap(), [new(0, 5_000), new(9, 0)]);
    // The same report twice in a group, and in two groups of a commit.
    let twice = ids(2, 1);
    let groups = [group(one, 7, &[twice[0], twice[0]]), group(one, 8, &twice)];
    assert_eq!(store.append(&groups).unwrap(), [new(1, 1), new(0, 1)]);
    // Tokens are spent once.
    let some = ids(3, 3);
    let with = |id: &ReportId| Group { token: Some([7; 32]), ..group(one, 9, &[*id]) };
    let spent = Appended { spent: 1, ..Appended::default() };
    assert_eq!(store.append(&[with(&some[0]), with(&some[1])]).unwrap(), [new(1, 0), spent]);
    assert_eq!(store.append(&[with(&some[2]), with(&some[0])]).unwrap(), [spent, new(0, 1)]);
    store.count(one, &[("busy", 2)]).unwrap();
    store.count(one, &[("busy", 3)]).unwrap();
    drop(store);
    let mut store = PostgresStore::open(database).unwrap();
    assert_eq!(store.append(&[group(one, 7, &sent)]).unwrap(), [new(0, 5_000)]);
    let kept = store.collections().unwrap();
    assert_eq!((kept[0].reports, kept[1].reports, kept[0].counted.as_slice()), (5_002, 9, &[("busy".into(), 5)][..]));
    let mut reader = store.reader().unwrap();
    let all: HashSet<ReportId> = reader.ids(one).unwrap().into_iter().collect();
    assert!(all.len() == 5_002 && sent.iter().all(|id| all.contains(id)));
    let columns = reader.reports(one, 2).unwrap();
    assert_eq!(columns[1], vec![-70_000; 5_002]);
    let sum = |ids: &mut dyn Iterator<Item = &ReportId>| ids.map(|id| i64::from(id.0[0])).sum::<i64>();
    assert_eq!(columns[0].iter().sum::<i64>(), sum(&mut all.iter()));
    assert_eq!(reader.days(one).unwrap(), [(7, 5_001), (9, 1)]);
    // Batches by day, and what is deleted by day.
    let gathered = reader.gather(one, 2, 0, true).unwrap();
    assert_eq!(gathered.batches, [5_001, 1]);
    assert_eq!(reader.fresh(one, gathered.end - 1).unwrap(), 1);
    let gone = store.forget_before(one, 8, gathered.end - 1).unwrap();
    assert_eq!(gone, Forgotten { reports: 5_001, fresh: 0 });
    assert_eq!(store.append(&[group(one, 9, &sent[..5])]).unwrap(), [new(5, 0)], "nothing remembers them");
    // Models.
    for version in 1..=4 {
        let (made, reports, end, smallest_batch) = (version, 10 * version, 3, 5);
        let model = KeptModel { version, made, reports, end, smallest_batch, json: format!("{version}") };
        store.keep_model(one, &model, 2).unwrap();
        assert_eq!(reader.newest_model(one).unwrap(), Some(model));
    }
    assert_eq!(reader.models(one).unwrap().iter().map(|model| model.version).collect::<Vec<_>>(), [4, 3]);
    assert_eq!((reader.model(one, 1).unwrap(), reader.model(one, 4).unwrap().unwrap().json), (None, "4".into()));
    store.close(one, 77).unwrap();
    assert_eq!(store.collections().unwrap()[0].closed, Some(77));
    store.delete(one).unwrap();
    assert_eq!(store.collections().unwrap().len(), 1);
    assert_eq!(reader.ids(one).unwrap().len(), 0);
}

fn one_server_at_a_time(postgres: &Postgres) {
    let database = postgres.fresh("alone");
    let first = PostgresStore::open(database.clone()).unwrap();
    let second = PostgresStore::open(database.clone());
    assert_eq!(second.err().map(|error| error.code()), Some("store-in-use"));
    drop(first);
    // The database notices that the first is gone when it hears from the socket.
    wait_for("the lock to be free", || PostgresStore::open(database.clone()).is_ok());
}

fn serve(folder: &Path, database: Database) -> Server {
    let clock = Clock::standing_at(NOON);
    Server::start(Settings { database: Some(database), ..settings(folder, &clock) }).unwrap()
}

fn served_from_reports_to_clusters(postgres: &Postgres) {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), postgres.fresh("served"));
    let design = design("4", 2);
    server.service().create(Collection { minimum: 300, k: "2".into(), ..Collection::new(&design) }).unwrap();
    let reports = crowd(&design, 1, Clock::standing_at(NOON).day(), 300);
    let send = |server: &Server| {
        let path = "/v1/collections/survey/reports";
        exchange(server.public_address(), "POST", path, &[("content-type", BINARY)], &encode(&reports)).unwrap().json()
    };
    assert_eq!(send(&server), taken(300, 0));
    let model =
        |server: &Server| exchange(server.public_address(), "GET", "/v1/collections/survey/model", &[], b"").unwrap();
    wait_for("a model", || model(&server).status == 200);
    let before = model(&server).body;
    server.stop();
    // Another machine with the same database goes on.
    let elsewhere = tempfile::tempdir().unwrap();
    wait_for("the lock to be free", || PostgresStore::open(postgres.database("served")).is_ok());
    let server = serve(elsewhere.path(), postgres.database("served"));
    assert_eq!(model(&server).body, before);
    assert_eq!(send(&server), taken(0, 300));
    assert!(!elsewhere.path().join("reports.sqlite").exists());
    server.stop();
}

fn a_database_that_goes_away_loses_nothing(postgres: &Postgres) {
    let mut store = PostgresStore::open(postgres.fresh("away")).unwrap();
    let number = store.create("one", "{}", 1).unwrap();
    let sent = ids(1, 3_000);
    assert_eq!(store.append(&[group(number, 7, &sent[..1_000])]).unwrap(), [new(1_000, 0)]);
    // As if the machine lost power.
    postgres.down("immediate");
    let failed = store.append(&[group(number, 7, &sent)]);
    assert!(matches!(failed, Err(StoreError::Failed { .. })), "{failed:?}");
    postgres.up();
    assert_eq!(store.append(&[group(number, 7, &sent)]).unwrap(), [new(2_000, 1_000)]);
    assert_eq!(store.reader().unwrap().ids(number).unwrap().len(), 3_000);
}

#[test]
fn addresses_that_would_give_something_away_are_refused() {
    let code = |address: &str| Database::new(address, None, None).err().map(|error| error.to_string());
    assert_eq!(code("postgres://shoal@localhost/shoal"), None);
    assert_eq!(code("postgresql://shoal@127.0.0.1:5433/shoal"), None);
    let refused = [
        ("mysql://localhost/shoal", "postgres://"),
        ("postgres://shoal:hunter2@localhost/shoal", "PGPASSWORD"),
        ("postgres://shoal@db.example.com/shoal", "--database-ca"),
        ("postgres://shoal@localhost,db.example.com/shoal", "--database-ca"),
        ("postgres://shoal@localhost/shoal?hostaddr=192.0.2.1", "--database-ca"),
        ("postgres://[", "cannot be read"),
    ];
    for (address, words) in refused {
        let error = code(address).unwrap_or_default();
        assert!(error.contains(words) && !error.contains("hunter2"), "{address}: {error}");
    }
    let shown = format!("{:?}", Database::new("postgres://shoal@localhost/shoal", Some("hunter2"), None).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}
