//! Reports in: taken once, refused with a reason.

use serde_json::json;
use shoal_device::wire::{Day, DesignTag, Envelope, encode, encode_json};
use shoal_lattice::Steps;

use crate::place::{BINARY, NOON, Place, crowd, taken};

#[test]
fn reports_are_taken_once_however_often_they_are_sent() {
    let mut place = Place::new();
    let design = place.create(|_| ());
    let reports = crowd(&design, 1, place.today(), 50);
    assert_eq!(place.send("survey", &reports[..1]).json(), taken(1, 0));
    assert_eq!(place.send("survey", &reports).json(), taken(49, 1));
    // JSON is the same report.
    let json = encode_json(&reports[3..5]).unwrap();
    let answer = place.public("POST", "/v1/collections/survey/reports", "application/json", json.as_bytes());
    assert_eq!(answer.json(), taken(0, 2));
    // Twice in one body, and after a restart.
    let again = crowd(&design, 2, place.today(), 1);
    assert_eq!(place.send("survey", &[again[0].clone(), again[0].clone()]).json(), taken(1, 1));
    place.restart();
    assert_eq!(place.send("survey", &reports).json(), taken(0, 50));
    assert_eq!(place.count("survey"), 51);
}

#[test]
fn each_report_is_judged_by_itself() {
    let place = Place::new();
    let design = place.create(|_| ());
    let good = crowd(&design, 1, place.today(), 7);
    let with = |at: usize, change: &dyn Fn(&mut Envelope)| {
        let mut report = good[at].clone();
        change(&mut report);
        report
    };
    let today = place.today().0;
    let sent = [
        good[0].clone(),
        with(1, &|report| report.design = DesignTag([0; 8])),
        with(2, &|report| report.steps.push(Steps(0))),
        // One step beyond what the mechanism can report.
        with(3, &|report| report.steps[0] = Steps(2 * shoal_lattice::STEPS as i64 + 1)),
        with(4, &|report| report.day = Day(today + 2)),
        with(5, &|report| report.day = Day(today - 8)),
        with(6, &|report| report.day = Day(today - 7)),
    ];
    let codes = [
        (1, "other-design-of-report"),
        (2, "other-columns-of-report"),
        (3, "impossible-report"),
        (4, "too-early"),
        (5, "too-old"),
    ];
    let rejected: Vec<_> = codes.iter().map(|(index, code)| json!({ "index": index, "code": code })).collect();
    let answer = place.send("survey", &sent);
    assert_eq!((answer.status, answer.json()), (200, json!({ "accepted": 2, "repeated": 0, "rejected": rejected })));
    for (_, code) in codes {
        assert_eq!(place.refused("survey", code), 1, "{code}");
    }
    assert_eq!(place.count("survey"), 2);
}

#[test]
fn bodies_that_are_no_reports_are_refused_as_a_whole() {
    let place = Place::with(|settings| {
        settings.limits.body = 4000;
        settings.limits.reports = 60;
    });
    let design = place.create(|_| ());
    let reports = crowd(&design, 1, place.today(), 100);
    let body = encode(&reports[..10]);
    let post = |media_type: &str, body: &[u8]| {
        let answer = place.public("POST", "/v1/collections/survey/reports", media_type, body);
        (answer.status, answer.code())
    };
    let refused = |status: u16, code: &str| (status, code.to_string());
    assert_eq!(post(BINARY, b""), refused(400, "body-empty"));
    assert_eq!(post(BINARY, &body[..body.len() - 1]), refused(400, "body-truncated"));
    assert_eq!(post(BINARY, b"age,hours"), refused(400, "body-not-a-batch"));
    assert_eq!(post(BINARY, &[&body[..], b"x"].concat()), refused(400, "body-not-a-batch"));
    assert_eq!(post("application/json", b"{}"), refused(400, "body-json"));
    assert_eq!(post("text/plain", &body), refused(415, "media-type"));
    assert_eq!(post(BINARY, &encode(&reports[..61])), refused(400, "body-too-many"));
    assert_eq!(post(BINARY, &vec![0; 5000]), refused(413, "too-large"));
    assert_eq!(place.send("nobody", &reports[..1]).code(), "no-collection");
    assert_eq!(place.count("survey"), 0);
    assert_eq!(place.refused("survey", "malformed"), 6);
    // The media type may carry parameters, in any case.
    let answer = place.public("POST", "/v1/collections/survey/reports", "Application/Vnd.Shoal.Reports; v=1", &body);
    assert_eq!(answer.json(), taken(10, 0));
}

#[test]
fn a_collection_takes_reports_between_opening_and_closing() {
    let place = Place::new();
    let design = place.create(|collection| {
        collection.opens = Some("2026-03-01T13:00:00Z".into());
        collection.closes = Some("2026-03-02T13:00:00Z".into());
    });
    let reports = crowd(&design, 1, place.today(), 4);
    let state = || place.public("GET", "/v1/collections/survey", "", b"").json()["state"].clone();
    assert_eq!((place.send("survey", &reports[..1]).code().as_str(), state()), ("not-open-yet", "announced".into()));
    place.clock.move_to(NOON + 3600);
    assert_eq!((place.send("survey", &reports[..1]).json(), state()), (taken(1, 0), "open".into()));
    // The clock jumps back and forth: what was taken stays, and only the time of day decides.
    place.clock.move_to(NOON);
    assert_eq!(place.send("survey", &reports[1..2]).code(), "not-open-yet");
    place.clock.move_to(NOON + 25 * 3600 - 1);
    assert_eq!(place.send("survey", &reports[..2]).json(), taken(1, 1));
    place.clock.move_to(NOON + 25 * 3600);
    assert_eq!((place.send("survey", &reports[2..3]).code().as_str(), state()), ("closed", "closed".into()));
    place.clock.move_to(0);
    assert_eq!(place.send("survey", &reports[2..3]).status, 403);
    assert_eq!(place.count("survey"), 2);
}

#[test]
fn old_reports_are_deleted_and_cannot_come_again() {
    let mut place = Place::new();
    let design = place.create(|collection| {
        collection.oldest_days = 2;
        collection.retention_days = Some(4);
    });
    let old = crowd(&design, 1, place.today(), 10);
    assert_eq!(place.send("survey", &old).json(), taken(10, 0));
    place.clock.move_to(NOON + 5 * 86_400);
    let new = crowd(&design, 2, place.today(), 3);
    assert_eq!(place.send("survey", &new).json(), taken(3, 0));
    place.restart();
    crate::place::wait_for("old reports to be deleted", || place.count("survey") == 3);
    let answer = place.send("survey", &old).json();
    assert_eq!((&answer["accepted"], &answer["rejected"][9]["code"]), (&json!(0), &json!("too-old")));
    assert_eq!(place.send("survey", &new).json(), taken(0, 3));
}

#[test]
fn nothing_about_the_sender_is_kept() {
    let mut place = Place::new();
    let design = place.create(|_| ());
    let body = encode(&crowd(&design, 1, place.today(), 3));
    let headers = [("content-type", BINARY), ("user-agent", "Kim-Telephone/7.3"), ("cookie", "who=kim-the-sender")];
    let address = place.server().public_address();
    let answer = crate::place::exchange(address, "POST", "/v1/collections/survey/reports", &headers, &body).unwrap();
    assert_eq!(answer.json(), taken(3, 0));
    place.stop();
    for entry in std::fs::read_dir(place.folder.path()).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        for trace in [&b"Kim-Telephone"[..], b"kim-the-sender", b"127.0.0.1"] {
            let found = bytes.windows(trace.len()).any(|window| window == trace);
            assert!(!found, "{} in {:?}", String::from_utf8_lossy(trace), entry.path());
        }
    }
}
