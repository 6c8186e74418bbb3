//! One-time tokens: a report needs one, a token is spent once and together with its report, and nothing of it is stored that
//! could be spent again. The tokens are those of `vectors/tokens.json`, made by the page's code and signed by OpenSSL.

use std::net::SocketAddr;

use shoal_collector::{Collection, Token, TokenKey};
use shoal_device::wire::{Envelope, encode};

use crate::place::{Answer, BINARY, Place, crowd, design, exchange, taken};

/// An issuer's public key, and tokens that it signed.
struct Issuer {
    key: String,
    tokens: Vec<String>,
}

fn issuers() -> Vec<Issuer> {
    let text = include_str!("../../../../vectors/tokens.json");
    let all: serde_json::Value = serde_json::from_str(text).unwrap();
    let issuer = |one: &serde_json::Value| Issuer {
        key: one["key"].as_str().unwrap().into(),
        tokens: one["tokens"].as_array().unwrap().iter().map(|token| token.as_str().unwrap().into()).collect(),
    };
    all["issuers"].as_array().unwrap().iter().map(issuer).collect()
}

#[test]
fn signatures_of_the_vectors_are_their_issuers() {
    let issuers = issuers();
    for (i, issuer) in issuers.iter().enumerate() {
        let key = TokenKey::from_text(&issuer.key).unwrap();
        for (j, other) in issuers.iter().enumerate() {
            for text in &other.tokens {
                let token = Token::from_text(text).unwrap();
                assert_eq!(token.is_signed_by(&key), i == j);
                // One letter changed, anywhere.
                for at in [0, 20, 43, 60, text.len() - 2] {
                    let letter = if text.as_bytes()[at] == b'A' { 'B' } else { 'A' };
                    let changed = format!("{}{letter}{}", &text[..at], &text[at + 1..]);
                    assert!(!Token::from_text(&changed).is_some_and(|token| token.is_signed_by(&key)), "{at}");
                }
            }
        }
    }
}

fn send(address: SocketAddr, reports: &[Envelope], token: Option<&str>) -> Answer {
    let mut headers = vec![("content-type", BINARY)];
    headers.extend(token.map(|token| ("shoal-token", token)));
    exchange(address, "POST", "/v1/collections/survey/reports", &headers, &encode(reports)).unwrap()
}

fn refusal(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

#[test]
fn a_report_needs_a_token_of_its_own() {
    let [issuer, stranger, _] = issuers().try_into().ok().unwrap();
    let mut place = Place::new();
    let design = place.create(|collection| collection.token_key = Some(issuer.key.clone()));
    let about = place.public("GET", "/v1/collections/survey", "", b"").json();
    assert_eq!((about["enrolment"].as_str(), about["token_key"].as_str()), (Some("tokens"), Some(&*issuer.key)));
    let reports = crowd(&design, 1, place.today(), 6);
    let (one, two) = (&issuer.tokens[0], &issuer.tokens[1]);
    let address = place.server().public_address();
    assert_eq!(refusal(&send(address, &reports[..1], None)), (401, "no-token".into()));
    // Another issuer's, one with a changed bit, and what is no token.
    let strange = &stranger.tokens[0];
    let changed = format!("{}{}", if one.starts_with('A') { "B" } else { "A" }, &one[1..]);
    for wrong in [strange.as_str(), &changed, "token", "", "%%%"] {
        assert_eq!(refusal(&send(address, &reports[..1], Some(wrong))), (401, "wrong-token".into()), "{wrong}");
    }
    // Two reports with one token; a report that is refused spends nothing.
    assert_eq!(refusal(&send(address, &reports[..2], Some(one))), (400, "one-report-each".into()));
    let early = Envelope { day: shoal_device::wire::Day(place.today().0 + 9), ..reports[0].clone() };
    assert_eq!(send(address, &[early], Some(one)).json()["rejected"][0]["code"], "too-early");
    assert_eq!(place.count("survey"), 0);
    // Spent once; the same report again needs no second token, also after a restart.
    assert_eq!(send(address, &reports[..1], Some(one)).json(), taken(1, 0));
    assert_eq!(send(address, &reports[..1], Some(one)).json(), taken(0, 1));
    assert_eq!(refusal(&send(address, &reports[1..2], Some(one))), (403, "spent-token".into()));
    place.restart();
    let address = place.server().public_address();
    assert_eq!(send(address, &reports[..1], Some(one)).json(), taken(0, 1));
    assert_eq!(refusal(&send(address, &reports[1..2], Some(one))), (403, "spent-token".into()));
    assert_eq!(send(address, &reports[1..2], Some(two)).json(), taken(1, 0));
    assert_eq!(place.count("survey"), 2);
    assert_eq!((place.refused("survey", "spent-token"), place.refused("survey", "wrong-token")), (2, 5));
    place.stop();
    // Neither token is anywhere in the folder, in bytes or in text.
    for text in [one, two] {
        let nonce = &text[..40];
        for entry in std::fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_file() {
                let bytes = std::fs::read(&entry).unwrap();
                assert!(!bytes.windows(nonce.len()).any(|window| window == nonce.as_bytes()), "{}", entry.display());
            }
        }
    }
}

#[test]
fn a_token_that_two_requests_spend_at_once_counts_once() {
    let issuer = issuers().remove(0);
    let place = Place::new();
    let design = place.create(|collection| collection.token_key = Some(issuer.key.clone()));
    let reports = crowd(&design, 1, place.today(), 12);
    let (address, text) = (place.server().public_address(), issuer.tokens[0].clone());
    let sending: Vec<_> = reports
        .into_iter()
        .map(|report| {
            let text = text.clone();
            std::thread::spawn(move || send(address, &[report], Some(&text)).status)
        })
        .collect();
    let mut statuses: Vec<u16> = sending.into_iter().map(|thread| thread.join().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![403; 11]].concat());
    assert_eq!(place.count("survey"), 1);
}

#[test]
fn keys_that_make_no_sense_are_refused() {
    let key = issuers().remove(0).key;
    let check = |token_key: &str, relay: Option<&str>| {
        let collection = Collection::new(&design("4", 2));
        let relay_key_sha256 = relay.map(String::from);
        Collection { token_key: Some(token_key.into()), relay_key_sha256, ..collection }
            .check()
            .err()
            .map(|error| error.code())
    };
    assert_eq!(check(&key, None), None);
    assert_eq!(check(&key, Some(&"0".repeat(64))), Some("collection-setting"));
    for wrong in ["", "key", &key[..100], &"A".repeat(3000)] {
        assert_eq!(check(wrong, None), Some("collection-setting"), "{wrong}");
    }
}
