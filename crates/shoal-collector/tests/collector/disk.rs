//! A disk of its own that is read-only, or has no room.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use shoal_collector::{Clock, Server};
use shoal_device::wire::{Envelope, encode};

use crate::faults::{make_collection, stored_ids, today};
use crate::place::{BINARY, crowd, design, exchange, settings, taken};

/// A small disk of its own, where this user may have one.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let disk = mount(&["-t", "tmpfs", "-o", "size=16m", "shoal-test"], folder.path());
        disk.then(|| Self(folder))
    }

    fn remount(&self, how: &str) {
        assert!(mount(&["-o", &format!("remount,{how}")], self.0.path()), "{how}");
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let (out, error) = (Stdio::null(), Stdio::null());
    Command::new("mount")
        .args(arguments)
        .arg(folder)
        .stdout(out)
        .stderr(error)
        .status()
        .is_ok_and(|ended| ended.success())
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_read_only_disk_is_refused_and_a_disk_that_fills_up_survived() {
    let Some(disk) = Disk::mount() else {
        println!("this user may not mount a disk: a read-only one was not tried");
        return;
    };
    let folder = disk.0.path().join("data");
    make_collection(&folder);
    disk.remount("ro");
    let refused = Server::start(settings(&folder, &Clock::System)).err().map(|error| error.code());
    assert_eq!(refused, Some("store-folder"));
    disk.remount("rw");
    // No room at all, and no way to write as much as a log line.
    let server = Server::start(settings(&folder, &Clock::System)).unwrap();
    let send = |reports: &[Envelope]| {
        let path = "/v1/collections/survey/reports";
        exchange(server.public_address(), "POST", path, &[("content-type", BINARY)], &encode(reports)).unwrap()
    };
    let reports = crowd(&design("4", 2), 5, today(), 4000);
    assert_eq!(send(&reports[..1000]).json(), taken(1000, 0));
    let ballast = disk.0.path().join("ballast");
    let mut file = std::fs::File::create(&ballast).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    drop(file);
    let statuses: Vec<u16> = reports.chunks(1000).map(|some| send(some).status).collect();
    assert!(
        statuses[1..].contains(&503) && !statuses.iter().any(|status| ![200, 503].contains(status)),
        "{statuses:?}"
    );
    std::fs::remove_file(&ballast).unwrap();
    // With room again it goes on by itself, and nothing counts twice.
    reports.chunks(1000).for_each(|some| assert_eq!(send(some).status, 200));
    assert_eq!(server.service().registry.get("survey").unwrap().reports(), 4000);
    server.stop();
    let ids = stored_ids(&folder);
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (4000, 4000));
}
