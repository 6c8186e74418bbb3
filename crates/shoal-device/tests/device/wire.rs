//! The form in which reports travel: golden vectors in `vectors/wire/` at the root, and bytes that are no reports.
//!
//! `SHOAL_WRITE_VECTORS=1 cargo test -p shoal-device wire` writes them anew, which is right only when a new version of
//! the format is meant.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use shoal_device::wire::{
    Day, DesignTag, Envelope, MOST_COLUMNS, Reader, ReportId, WireError, decode, decode_json, encode, encode_json,
};
use shoal_device::{Device, Mechanism};
use shoal_lattice::{STEPS, Steps};
use shoal_noise::{SeededNoise, TapeNoise};

use crate::designs;

#[derive(Serialize, Deserialize)]
struct Vectors {
    accepted: Vec<Accepted>,
    refused: Vec<Refused>,
}

/// A body in both forms.
#[derive(Serialize, Deserialize)]
struct Accepted {
    about: String,
    binary: String,
    json: String,
}

/// A body that every reader refuses.
#[derive(Serialize, Deserialize)]
struct Refused {
    about: String,
    binary: String,
    code: String,
}

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/wire/v1.json")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn envelope(number: u8, day: u32, steps: &[i64]) -> Envelope {
    Envelope {
        design: DesignTag([0x87, 0x7d, 0xe0, 0x9d, 0x27, 0xdf, 0x0c, 0xbe]),
        id: ReportId(std::array::from_fn(|i| number.wrapping_mul(37).wrapping_add(i as u8 * 11))),
        day: Day(day),
        steps: Steps::list(steps),
    }
}

fn made() -> Vectors {
    let one = [envelope(1, 20_500, &[-34_247, -44_854, 87_334])];
    let cases = [
        ("one report of three columns", one.to_vec()),
        ("one report of one column, all zeros", vec![Envelope { id: ReportId([0; 16]), ..envelope(0, 0, &[0]) }]),
        ("the ends of every range", vec![envelope(2, u32::MAX, &[i64::MIN, i64::MAX, -1, 1])]),
        ("where a number takes another byte", {
            let at = |x: i64| envelope(3, 127, &[x - 1, x, -x, -x - 1]);
            [64, 8_192, 1 << 20, 1 << 27, 1 << 34].map(at).to_vec()
        }),
        ("several reports", (0..5).map(|i| envelope(i, 20_500 + u32::from(i), &[i64::from(i) * 999, -7])).collect()),
    ];
    let accepted = cases.map(|(about, reports)| Accepted {
        about: about.into(),
        binary: hex(&encode(&reports)),
        json: encode_json(&reports).unwrap(),
    });
    let good = encode(&one);
    let changed = |at: usize, with: &[u8]| [&good[..at], with, &good[at + 1..]].concat();
    let refused = [
        ("nothing", vec![], "body-empty"),
        ("half a report", good[..20].to_vec(), "body-truncated"),
        ("a byte after the last report", [&good[..], &[0]].concat(), "body-not-a-batch"),
        ("a second batch without its rest", [&good[..], &[0x53]].concat(), "body-truncated"),
        ("another first byte", changed(0, &[0x52]), "body-not-a-batch"),
        ("another version", changed(1, &[2]), "body-version"),
        ("no columns", changed(10, &[0]), "body-columns"),
        ("more columns than there may be", changed(10, &[0x81, 0x20]), "body-columns"),
        ("no reports in a batch", changed(11, &[0]), "body-number"),
        ("more reports than bytes", changed(11, &[0xff, 0xff, 0xff, 0xff, 0x0f]), "body-truncated"),
        ("a number longer than it needs to be", changed(11, &[0x81, 0x00]), "body-number"),
        ("a day beyond 32 bits", [&good[..28], &[0x80, 0x80, 0x80, 0x80, 0x10], &good[31..]].concat(), "body-number"),
        ("a value beyond 64 bits", [&good[..31], &[0xff; 9], &[0x02], &good[34..]].concat(), "body-number"),
    ];
    let refused =
        refused.map(|(about, body, code)| Refused { about: about.into(), binary: hex(&body), code: code.into() });
    Vectors { accepted: accepted.into(), refused: refused.into() }
}

#[test]
fn wire_vectors_hold() {
    if std::env::var_os("SHOAL_WRITE_VECTORS").is_some() {
        fs::create_dir_all(place().parent().unwrap()).unwrap();
        fs::write(place(), serde_json::to_string_pretty(&made()).unwrap() + "\n").unwrap();
    }
    let vectors: Vectors = serde_json::from_str(&fs::read_to_string(place()).unwrap()).unwrap();
    let made = made();
    assert_eq!((vectors.accepted.len(), vectors.refused.len()), (made.accepted.len(), made.refused.len()));
    for (case, made) in vectors.accepted.iter().zip(&made.accepted) {
        assert_eq!((&case.binary, &case.json), (&made.binary, &made.json), "{}", case.about);
        let reports = decode(&bytes(&case.binary), 100).unwrap();
        assert_eq!(reports, decode_json(case.json.as_bytes(), 100).unwrap(), "{}", case.about);
        assert_eq!(hex(&encode(&reports)), case.binary, "{}", case.about);
    }
    for case in &vectors.refused {
        let refused = decode(&bytes(&case.binary), 100).expect_err(&case.about);
        assert_eq!(refused.code(), case.code, "{}", case.about);
    }
}

#[test]
fn a_wire_report_of_four_columns_is_under_64_bytes() {
    for epsilon in ["1", "4", "16"] {
        for mechanism in [Mechanism::Bpm { radius_steps: STEPS }, Mechanism::Laplace] {
            let design = designs::try_design(mechanism, epsilon, 4).unwrap().with_identifier("four").unwrap();
            let mut noise = SeededNoise::new(7);
            let mut device = Device::with_noise(&design, SeededNoise::new(8)).unwrap();
            for _ in 0..100 {
                let report = device.report(&[0.0, 1.0, 0.5, 0.2]).unwrap();
                let sent = Envelope::new(&report, ReportId::random(&mut noise), Day(20_500)).unwrap();
                assert_eq!(sent.design, design.tag());
                let bytes = encode(std::slice::from_ref(&sent));
                assert!(bytes.len() < 48, "{} bytes", bytes.len());
                assert_eq!(decode(&bytes, 1).unwrap(), [sent]);
            }
        }
    }
}

#[test]
fn a_wire_identifier_comes_from_the_tape() {
    let tape: Vec<u8> = (0..16).collect();
    let id = ReportId::random(&mut TapeNoise::new(tape));
    assert_eq!(id.to_string(), "000102030405060708090a0b0c0d0e0f");
    assert_eq!(id.to_string().parse::<ReportId>().unwrap(), id);
    for wrong in ["", "00", "000102030405060708090A0B0C0D0E0F", "000102030405060708090a0b0c0d0e0g"] {
        assert!(wrong.parse::<ReportId>().is_err(), "{wrong}");
    }
}

#[test]
fn joined_wire_bodies_are_one_body() {
    let (one, other) = (envelope(1, 1, &[1, 2]), envelope(2, 2, &[3, 4, 5]));
    let joined = [encode(std::slice::from_ref(&one)), encode(std::slice::from_ref(&other))].concat();
    assert_eq!(joined, encode(&[one.clone(), other.clone()]));
    assert_eq!(decode(&joined, 2).unwrap(), [one.clone(), other]);
    assert_eq!(decode(&joined, 1), Err(WireError::TooMany { most: 1 }));
    let elsewhere = Envelope { design: DesignTag([0; 8]), ..one.clone() };
    assert_eq!(encode_json(&[one, elsewhere]), Err(WireError::SeveralDesigns));
}

#[test]
fn wire_json_is_read_strictly() {
    let refused = |text: &str| decode_json(text.as_bytes(), 2).unwrap_err().code();
    let id = "00112233445566778899aabbccddeeff";
    let report = format!(r#"{{"id":"{id}","day":1,"steps":[1]}}"#);
    let body = |reports: &str| format!(r#"{{"version":1,"design":"877de09d27df0cbe","reports":[{reports}]}}"#);
    assert_eq!(decode_json(body(&report).as_bytes(), 2).unwrap().len(), 1);
    let whole = body(&report).replace("877de09d27df0cbe", &format!("877de09d27df0cbe{}", "0".repeat(48)));
    assert_eq!(decode_json(whole.as_bytes(), 2), decode_json(body(&report).as_bytes(), 2));
    assert_eq!(refused(&body("")), "body-empty");
    assert_eq!(refused(&body(&[&*report; 3].join(","))), "body-too-many");
    assert_eq!(refused(&body(&report.replace("[1]", "[]"))), "body-columns");
    assert_eq!(refused(&body(&report.replace("[1]", "[1.5]"))), "body-json");
    assert_eq!(refused(&body(&report.replace("[1]", "[9223372036854775808]"))), "body-json");
    assert_eq!(refused(&body(&report.replace("\"day\":1", "\"day\":1,\"name\":\"Kim\""))), "body-json");
    assert_eq!(refused(&body(&report).replace("\"version\":1", "\"version\":2")), "body-version");
    assert_eq!(refused(&body(&report).replace("877d", "877D")), "body-text");
    assert_eq!(refused("[1"), "body-json");
}

fn any_envelope() -> impl Strategy<Value = Envelope> {
    (0..3_u8, any::<[u8; 16]>(), any::<u32>(), prop::collection::vec(any::<i64>(), 1..6)).prop_map(
        |(design, id, day, steps)| Envelope {
            design: DesignTag([design; 8]),
            id: ReportId(id),
            day: Day(day),
            steps: Steps::list(&steps),
        },
    )
}

proptest! {
    #[test]
    fn wire_reports_come_back(reports in prop::collection::vec(any_envelope(), 1..20)) {
        let bytes = encode(&reports);
        prop_assert_eq!(&decode(&bytes, 100).unwrap(), &reports);
        // Cut anywhere, it is refused, or what is left are whole batches.
        for length in 0..bytes.len() {
            if let Ok(fewer) = decode(&bytes[..length], 100) {
                prop_assert_eq!(&fewer, &reports[..fewer.len()]);
                prop_assert_eq!(encode(&fewer).len(), length);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused_or_wire_reports(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [&[0x53, 1][..], &bytes].concat();
        let mut reader = Reader::new(&bytes);
        let mut steps = Vec::new();
        while let Ok(Some(_)) = reader.read(&mut steps) {
            prop_assert!((1..=MOST_COLUMNS).contains(&steps.len()));
        }
        let _ = decode_json(&bytes, 10);
    }
}
