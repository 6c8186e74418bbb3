//! Whatever is at the path: a clear word, no panic, and nothing changed.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use shoal_ledger::{FileLedger, LedgerError};
use shoal_privacy::Delta;
use shoal_privacy::ledger::{Debit, Ledger};

fn debit() -> Debit {
    Debit { dataset: "visits".into(), epsilon: "0.1".parse().unwrap(), delta: Delta::ZERO, purpose: "test".into() }
}

/// A ledger with one debit, closed.
fn make(path: &Path) {
    let mut ledger = FileLedger::create_or_open(path).unwrap();
    ledger.init("visits", &"1".parse().unwrap(), &Delta::ZERO).unwrap();
    ledger.debit(&debit()).unwrap();
}

/// Every file of a folder, with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// Both ways of opening refuse with the same words and leave the folder as it was.
fn refused(path: &Path) -> String {
    let before = contents(path.parent().unwrap());
    let message: Vec<String> = [FileLedger::open(path), FileLedger::create_or_open(path)]
        .into_iter()
        .map(|opened| opened.err().expect("was taken for a ledger").to_string())
        .collect();
    assert_eq!(contents(path.parent().unwrap()), before, "{path:?}");
    assert_eq!(message[0], message[1]);
    message[0].clone()
}

#[test]
fn other_files_are_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);

    let mut garbage = vec![0x5a_u8; 8192];
    for (name, bytes) in [
        ("data.csv", b"age,hours\n17,40\n90,1\n".to_vec()),
        ("one-byte", vec![b'S']),
        ("zeros", vec![0; 4096]),
        ("garbage", garbage.clone()),
    ] {
        fs::write(at(name), bytes).unwrap();
        let message = refused(&at(name));
        assert!(message.contains("is not a ledger: it is not a database at all; it was left untouched"), "{message}");
    }
    // The right first words, and nothing behind them.
    garbage[..16].copy_from_slice(b"SQLite format 3\0");
    fs::write(at("pretender"), &garbage).unwrap();
    refused(&at("pretender"));

    let other = rusqlite::Connection::open(at("other.db")).unwrap();
    other.execute_batch("CREATE TABLE datasets (x); INSERT INTO datasets VALUES (1)").unwrap();
    drop(other);
    assert!(refused(&at("other.db")).contains("a database of another program"));

    // Another program's unfinished transaction is for that program to undo.
    let other = rusqlite::Connection::open(at("other.db")).unwrap();
    other.execute_batch("PRAGMA cache_size = 1; BEGIN").unwrap();
    other.execute_batch("CREATE TABLE big AS SELECT randomblob(900) FROM json_each('[1,2,3,4,5,6,7,8,9]')").unwrap();
    other.cache_flush().unwrap();
    for name in ["other.db", "other.db-journal"] {
        fs::copy(at(name), at(&name.replace("other", "crashed"))).unwrap();
    }
    drop(other);
    assert!(refused(&at("crashed.db")).contains("a database of another program"));

    fs::create_dir(at("folder")).unwrap();
    assert!(refused(&at("folder")).contains("it is a folder"));
    assert!(matches!(FileLedger::open("/dev/null"), Err(LedgerError::NotALedger { .. })));
    assert!(FileLedger::create_or_open("").is_err());
}

#[test]
fn a_missing_ledger_is_missing_and_not_made_by_looking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    let message = FileLedger::open(&path).err().unwrap().to_string();
    assert!(message.starts_with("there is no ledger at") && message.contains("shoal ledger init"), "{message}");
    assert!(!path.exists());

    let nowhere = folder.path().join("no/such/folder/books");
    let message = FileLedger::create_or_open(nowhere).err().unwrap().to_string();
    assert!(message.contains("its folder does not exist"), "{message}");

    fs::write(&path, "").unwrap();
    assert!(FileLedger::open(&path).err().unwrap().to_string().contains("an empty file"));
    FileLedger::create_or_open(&path).unwrap();
    FileLedger::open(&path).unwrap();
}

#[test]
fn a_cut_ledger_is_refused_and_a_scratched_one_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    make(&path);
    let whole = fs::read(&path).unwrap();
    let cut = folder.path().join("cut");
    for length in [1, 15, 16, 50, 99, 100, 511, 512, 4095, 4096, 4097, 8192, whole.len() - 4096, whole.len() - 1] {
        fs::write(&cut, &whole[..length]).unwrap();
        refused(&cut);
    }
    // A changed byte here and there: refused or, where it hits a text, taken as it reads; never a panic.
    for position in (0..whole.len()).step_by(97) {
        let mut scratched = whole.clone();
        scratched[position] ^= 0x55;
        fs::write(&cut, &scratched).unwrap();
        if let Ok(mut ledger) = FileLedger::open(&cut) {
            let _ = ledger.balance("visits");
            let _ = ledger.entries("visits");
            let _ = ledger.debit(&debit());
        }
        let _ = fs::remove_file(folder.path().join("cut-journal"));
    }
}

#[test]
fn other_formats_are_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    make(&path);
    let set = |version: i64| {
        rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    set(4);
    assert!(refused(&path).contains("is a ledger of format 4, and this program knows formats up to 3"));
    set(0);
    assert!(refused(&path).contains("damaged (format 0 does not exist)"));
    set(3);
    FileLedger::open(&path).unwrap();
}

#[test]
fn unreadable_amounts_stop_all_spending() {
    for (table, change) in [
        ("entries", "epsilon = 'much'"),
        ("entries", "epsilon = '-1/10'"),
        ("entries", "delta = '3/2'"),
        ("datasets", "epsilon = '1/0'"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("books");
        make(&path);
        let by_hand = rusqlite::Connection::open(&path).unwrap();
        let refusal = by_hand.execute(&format!("UPDATE {table} SET {change}"), []).unwrap_err().to_string();
        assert!(refusal.contains("never changed"), "{refusal}");
        by_hand.execute_batch(&format!("DROP TRIGGER {table}_keep; UPDATE {table} SET {change}")).unwrap();
        let mut ledger = FileLedger::open(&path).unwrap();
        let error = ledger.debit(&debit()).unwrap_err();
        assert!(matches!(error, LedgerError::Damaged { .. }), "{error}");
        assert!(matches!(ledger.balance("visits"), Err(LedgerError::Damaged { .. })));
    }
}

#[test]
fn a_ledger_that_moved_away_takes_no_debits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    make(&path);
    let mut ledger = FileLedger::open(&path).unwrap();
    fs::rename(&path, folder.path().join("elsewhere")).unwrap();
    let error = ledger.debit(&debit()).unwrap_err();
    assert!(matches!(error, LedgerError::Moved { .. }), "{error}");
    make(&path);
    assert!(matches!(ledger.debit(&debit()), Err(LedgerError::Moved { .. })));
    assert_eq!(FileLedger::open(folder.path().join("elsewhere")).unwrap().entries("visits").unwrap().len(), 1);
}

#[test]
fn no_file_name_means_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory", "a%20b#c?d&e", "naïve ledger", "-journal"] {
        let path = folder.path().join(name);
        make(&path);
        assert!(path.is_file(), "{name}");
        assert_eq!(FileLedger::open(&path).unwrap().entries("visits").unwrap().len(), 1);
    }
    symlink(folder.path().join("naïve ledger"), folder.path().join("link")).unwrap();
    FileLedger::open(folder.path().join("link")).unwrap().debit(&debit()).unwrap();
    assert_eq!(FileLedger::open(folder.path().join("naïve ledger")).unwrap().entries("visits").unwrap().len(), 2);
}

#[test]
fn a_debit_is_all_in_the_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    make(&path);
    // Somebody switched the file to a write-ahead log: it is switched back.
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)).unwrap();
    drop(by_hand);
    let mut ledger = FileLedger::open(&path).unwrap();
    ledger.debit(&debit()).unwrap();
    assert_eq!(contents(folder.path()).len(), 1, "nothing lies beside an open ledger");
    let copy = folder.path().join("copy");
    fs::copy(&path, &copy).unwrap();
    assert_eq!(FileLedger::open(&copy).unwrap().entries("visits").unwrap().len(), 2);
}

/// The part of the next test that runs without the right to write; it does nothing unless it is asked to.
#[test]
fn reader_without_rights() {
    let Ok(path) = std::env::var("SHOAL_TEST_READ_ONLY") else { return };
    let message = |result: Result<(), LedgerError>| result.err().map_or("done".into(), |error| error.to_string());
    let message = match FileLedger::open(&path) {
        Ok(mut ledger) => {
            let entries = ledger.entries("visits").unwrap().len();
            format!("{entries} entries, then {}", message(ledger.debit(&debit()).map(drop)))
        }
        Err(error) => error.to_string(),
    };
    writeln!(
        std::io::stdout(),
        "\n{message}\n{}",
        FileLedger::create_or_open(&path).map_or_else(|e| e.to_string(), |_| "opened".into())
    )
    .unwrap();
}

#[test]
fn without_the_right_to_write_a_ledger_can_be_read_and_not_spent() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("books");
    make(&path);
    // The folder of the test program may be closed to others.
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let ask = |path: &Path, file_mode, folder_mode| {
        if path.exists() {
            fs::set_permissions(path, fs::Permissions::from_mode(file_mode)).unwrap();
        }
        fs::set_permissions(&inner, fs::Permissions::from_mode(folder_mode)).unwrap();
        // Permissions do not bind root, so root asks as nobody.
        let is_root = fs::write(inner.join("probe"), "").is_ok() && fs::remove_file(inner.join("probe")).is_ok();
        let mut command = Command::new(&program);
        command.args(["bad_files::reader_without_rights", "--exact", "--nocapture"]).env("SHOAL_TEST_READ_ONLY", path);
        if is_root {
            command.uid(65534).gid(65534);
        }
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        output
    };
    let whole = fs::read(&path).unwrap();
    let message = ask(&path, 0o444, 0o555);
    assert!(message.contains("\n1 entries, then the ledger ") && message.contains("cannot be written"), "{message}");
    assert!(message.contains("nothing was debited") && message.contains("\nopened\n"), "{message}");
    let message = ask(&path, 0o666, 0o555);
    assert!(message.contains("\n1 entries, then the ledger ") && message.contains("its folder"), "{message}");
    let message = ask(&path, 0o000, 0o555);
    assert!(message.contains("could not be used: ") && !message.contains("entries"), "{message}");
    let message = ask(&inner.join("new"), 0o666, 0o555);
    assert!(message.contains("there is no ledger at") && message.contains("could not be used: "), "{message}");
    assert_eq!(fs::read(&path).unwrap(), whole);
    assert_eq!(contents(&inner).len(), 1);
}

#[test]
fn a_debit_cut_off_in_the_middle_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books");
    make(&path);
    let whole = fs::read(&path).unwrap();
    let dying = rusqlite::Connection::open(&path).unwrap();
    dying.execute_batch("BEGIN").unwrap();
    let sql = "INSERT INTO entries (dataset, time, purpose, epsilon, delta, program)
               SELECT 1, 'now', hex(zeroblob(4000)), '1/100', '0/1', '' FROM json_each('[1,2,3,4,5,6,7,8,9]')";
    dying.execute(sql, []).unwrap();
    dying.cache_flush().unwrap();
    let halfway = fs::read(&path).unwrap();
    assert!(halfway.len() > whole.len());
    let crashed = folder.path().join("crashed");
    // Written wholly, and only so far that the first page speaks of pages that are not there yet.
    for length in [halfway.len(), whole.len()] {
        fs::write(&crashed, &halfway[..length]).unwrap();
        fs::copy(folder.path().join("books-journal"), folder.path().join("crashed-journal")).unwrap();
        let mut ledger = FileLedger::open(&crashed).unwrap();
        assert_eq!(fs::read(&crashed).unwrap(), whole);
        assert_eq!(ledger.debit(&debit()).unwrap().entry(), 2);
    }
}
