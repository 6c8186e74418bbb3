//! The embedded store by itself: what it has seen, in memory and in files, over restarts and lost files.

use std::path::Path;

use shoal_collector::store::{Appended, Forgotten, Gathered, Group, SqliteStore, Store};
use shoal_device::wire::ReportId;
use shoal_noise::SeededNoise;

/// Enough for several files of identifiers.
const MANY: usize = 450_000;
const AT_A_TIME: usize = 9_000;

fn ids(seed: u64, count: usize) -> Vec<ReportId> {
    let mut noise = SeededNoise::new(seed);
    (0..count).map(|_| ReportId::random(&mut noise)).collect()
}

fn group(number: i64, arrived: u32, ids: &[ReportId]) -> Group {
    let steps = ids.iter().flat_map(|id| [i64::from(id.0[0]), -70_000]).collect();
    Group { number, dims: 2, arrived, ids: ids.to_vec(), steps, token: None }
}

fn send(store: &mut SqliteStore, number: i64, ids: &[ReportId]) -> Appended {
    let mut all = Appended::default();
    for some in ids.chunks(AT_A_TIME) {
        let groups: Vec<Group> = some.chunks(1_000).map(|some| group(number, 7, some)).collect();
        for appended in store.append(&groups).unwrap() {
            all.accepted += appended.accepted;
            all.repeated += appended.repeated;
        }
    }
    all
}

fn files(path: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(path.with_extension("ids")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_store_knows_what_it_has_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.sqlite");
    let mut store = SqliteStore::open(&path).unwrap();
    let (one, other) = (store.create("one", "{}", 1).unwrap(), store.create("other", "{}", 1).unwrap());
    let sent = ids(1, MANY);
    let new = |accepted: usize, repeated: usize| {
        let (accepted, repeated) = (accepted as u64, repeated as u64);
        Appended { accepted, repeated, spent: 0 }
    };
    assert_eq!(send(&mut store, one, &sent), new(MANY, 0));
    assert!(files(&path).len() >= 3, "most identifiers are in files");
    // Again; half again, half new; and in another collection, where they are new.
    assert_eq!(send(&mut store, one, &sent), new(0, MANY));
    let mixed = [&sent[..5_000], &ids(2, 5_000)].concat();
    assert_eq!(send(&mut store, one, &mixed), new(5_000, 5_000));
    assert_eq!(send(&mut store, other, &sent[..100]), new(100, 0));
    // A group with the same report twice.
    let twice = [ids(3, 1), ids(3, 1)].concat();
    assert_eq!(send(&mut store, one, &twice), new(1, 1));
    drop(store);

    // Opened again, with files lost or damaged, or with files that are nobody's.
    std::fs::write(path.with_extension("ids").join("99.ids"), "nobody's").unwrap();
    for (what, damage) in [("nothing", None), ("a lost file", Some(0)), ("a file cut short", Some(1000))] {
        if let Some(length) = damage {
            let file = files(&path).into_iter().next().unwrap();
            match length {
                0 => std::fs::remove_file(file).unwrap(),
                length => std::fs::File::options().write(true).open(file).unwrap().set_len(length).unwrap(),
            }
        }
        let mut store = SqliteStore::open(&path).unwrap();
        assert_eq!(send(&mut store, one, &sent), new(0, MANY), "{what}");
        let columns = store.reader().unwrap().reports(one, 2).unwrap();
        assert_eq!(columns[1], vec![-70_000; MANY + 5_001], "{what}");
        assert!(!files(&path).iter().any(|file| file.ends_with("99.ids")), "{what}");
    }

    // What is deleted goes with its files.
    let mut store = SqliteStore::open(&path).unwrap();
    store.delete(one).unwrap();
    assert_eq!(files(&path), Vec::<std::path::PathBuf>::new());
    assert_eq!(send(&mut store, other, &sent[..200]), new(100, 100));
    assert_eq!(store.collections().unwrap().len(), 1);
}

#[test]
fn old_reports_leave_no_identifiers_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.sqlite");
    let mut store = SqliteStore::open(&path).unwrap();
    let number = store.create("one", "{}", 1).unwrap();
    let old = ids(1, 200_000);
    send(&mut store, number, &old);
    let new = ids(2, 300);
    store.append(&[group(number, 20, &new)]).unwrap();
    let before = store.reader().unwrap().gather(number, 2, 0, true).unwrap();
    assert_eq!(before.batches, [200_000, 300]);
    let after = store.reader().unwrap().gather(number, 2, before.end - 1, true).unwrap();
    assert_eq!(after, Gathered { batches: vec![300], ..before.clone() });
    assert!(store.reader().unwrap().gather(number, 2, before.end, false).unwrap().batches.is_empty());
    assert_eq!(store.reader().unwrap().fresh(number, before.end - 1).unwrap(), 300);
    let gone = store.forget_before(number, 20, before.end - 2).unwrap();
    assert_eq!(gone, Forgotten { reports: 200_000, fresh: 200_000 % AT_A_TIME as u64 });
    assert_eq!(store.reader().unwrap().days(number).unwrap(), [(20, 300)]);
    // More come before the next start.
    let more = ids(3, 200_000);
    send(&mut store, number, &more);
    drop(store);
    let mut store = SqliteStore::open(&path).unwrap();
    assert_eq!(send(&mut store, number, &more).repeated, 200_000);
    assert_eq!(send(&mut store, number, &new).repeated, 300);
    assert_eq!(
        send(&mut store, number, &old).accepted,
        200_000,
        "nothing remembers them; their day refuses them before"
    );
}

#[test]
fn a_store_without_tokens_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reports.sqlite");
    let mut store = SqliteStore::open(&path).unwrap();
    let number = store.create("one", "{}", 1).unwrap();
    let sent = ids(1, 10);
    send(&mut store, number, &sent);
    drop(store);
    // As the version before wrote it.
    let old = "DROP TABLE spent; PRAGMA user_version = 1;";
    rusqlite::Connection::open(&path).unwrap().execute_batch(old).unwrap();
    let mut store = SqliteStore::open(&path).unwrap();
    assert_eq!(send(&mut store, number, &sent).repeated, 10);
    let with = |id: ReportId| Group { token: Some([7; 32]), ..group(number, 7, &[id]) };
    let new = ids(2, 2);
    let appended = store.append(&[with(new[0]), with(new[1])]).unwrap();
    assert_eq!((appended[0].accepted, appended[1].spent), (1, 1));
    // A report that was refused for its token is not remembered as stored.
    assert_eq!(send(&mut store, number, &new), Appended { accepted: 1, repeated: 1, spent: 0 });
    drop(store);
    let later = "PRAGMA user_version = 3;";
    rusqlite::Connection::open(&path).unwrap().execute_batch(later).unwrap();
    assert_eq!(SqliteStore::open(&path).err().map(|error| error.code()), Some("store-version"));
}
