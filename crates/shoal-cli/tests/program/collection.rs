//! `shoal serve` and `shoal collection`.
#![cfg(feature = "collector")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::Value;

use crate::common::Place;

const CREATE: [&str; 12] = [
    "collection",
    "create",
    "--data",
    "data",
    "--name",
    "commute",
    "--bounds",
    "age=17:90,hours=1:99",
    "--epsilon",
    "4",
    "--minimum",
    "500",
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn collections_are_managed_without_a_server() {
    let place = Place::new();
    let run = place.run(&CREATE);
    assert_eq!(run.code(), 0, "{}", run.err());
    let text = run.out();
    assert!(text.contains("commute: open, 0 reports") && text.contains("columns: age, hours"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Promised to everyone who reports, towards the collector: If someone"), "{text}");
    assert!(text.contains("who sees only the clusters, each report hiding among 500 or more"), "{text}");
    place.run(&CREATE).fails(1, &["there is a collection `commute` already"]);
    let data = ["--data", "data"];
    let all = place.run(&[&["collection", "list", "--format", "json"][..], &data].concat());
    assert_eq!(json(&all.out())["collections"][0]["id"], "commute");
    let shown = json(&place.run(&[&["collection", "show", "commute", "--format", "json"][..], &data].concat()).out());
    assert_eq!((&shown["minimum"], &shown["state"]), (&500.into(), &"open".into()));
    // What a device would get.
    place.write("design.json", shown["design"].to_string());
    let again = ["collection", "create", "--name", "again", "--design", "design.json"];
    assert_eq!(place.run(&[&again[..], &data].concat()).code(), 0);
    place.run(&[&["collection", "delete", "again"][..], &data].concat()).fails(2, &["--yes"]);
    assert_eq!(place.run(&[&["collection", "delete", "again", "--yes"][..], &data].concat()).code(), 0);
    place.run(&[&["collection", "show", "again"][..], &data].concat()).fails(1, &["no collection `again`"]);
    let closed = place.run(&[&["collection", "close", "commute"][..], &data].concat());
    assert!(closed.out().contains("commute: closed"), "{}", closed.out());
}

#[test]
fn bad_collections_are_refused_by_name() {
    let place = Place::new();
    let with = |more: &[&str]| place.run(&[&CREATE[..10], more].concat());
    with(&["--minimum", "3"]).fails(2, &["minimum", "20"]);
    with(&["--closes", "tomorrow"]).fails(2, &["2026-03-01T00:00:00Z"]);
    with(&["--retention-days", "2"]).fails(2, &["retention"]);
    let all = ["collection", "create", "--data", "data", "--name", "A B", "--bounds", "x=0:1", "--epsilon", "1"];
    place.run(&all).fails(2, &["lower-case letters"]);
    let nameless = ["collection", "create", "--data", "data", "--name", "a", "--bounds", "0,1", "--epsilon", "1"];
    place.run(&nameless).fails(2, &["age=17:90"]);
    place.write("short.key", "1234\n");
    with(&["--relay-key", "short.key"]).fails(1, &["16 characters"]);
}

#[cfg(unix)]
#[test]
fn a_server_serves_until_it_is_asked_to_end() {
    let place = Place::new();
    assert_eq!(place.run(&CREATE).code(), 0);
    let serve = ["serve", "--data", "data", "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0", "--log-json"];
    let mut child = place.command(&serve).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next().expect("the server starts").unwrap();
        if let Some(address) = line.strip_prefix("reports go to http://") {
            break address.to_string();
        }
    };
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /v1/collections/commute HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"state\":\"open\""), "{answer}");
    // Commands go through the running server; a second one is refused.
    let closed = place.run(&["collection", "close", "commute", "--data", "data", "--format", "json"]);
    assert_eq!(json(&closed.out())["state"], "closed", "{}", closed.err());
    place.run(&serve).fails(1, &["another server uses"]);
    // SAFETY: a signal to a process that this test started.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let log: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success(), "{log:?}");
    let events: Vec<Value> = log.iter().filter(|line| line.starts_with('{')).map(|line| json(line)).collect();
    assert!(events.iter().any(|event| event["message"] == "collection closed"), "{log:?}");
    assert!(events.iter().any(|event| event["message"] == "ended"), "{log:?}");
    assert!(!log.iter().any(|line| line.contains("Bearer")), "{log:?}");
}
