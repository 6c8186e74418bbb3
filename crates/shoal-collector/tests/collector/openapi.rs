//! The description of the ports, against the ports.

use serde_json::Value;
use shoal_collector::OPENAPI;

use crate::place::{Place, crowd, exchange, wait_for};

#[test]
fn the_document_is_served_as_it_is_checked_in() {
    let place = Place::new();
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json")).unwrap();
    assert_eq!(file, OPENAPI.as_bytes());
    for address in [place.server().public_address(), place.server().operator_address().unwrap()] {
        assert_eq!(exchange(address, "GET", "/openapi.json", &[], b"").unwrap().body, file);
    }
}

#[test]
fn every_operation_is_where_the_document_says_and_answers_with_a_status_it_lists() {
    let document: Value = serde_json::from_str(OPENAPI).unwrap();
    let place = Place::new();
    let design = place.create(|collection| collection.minimum = 300);
    place.send("survey", &crowd(&design, 1, place.today(), 300));
    wait_for("a model", || place.public("GET", "/v1/collections/survey/model", "", b"").status == 200);
    let key = format!("Bearer {}", place.key());
    let ports = [("public", place.server().public_address()), ("operator", place.server().operator_address().unwrap())];
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations += 1;
            let tag = operation["tags"][0].as_str().unwrap();
            let listed = |status: u16| operation["responses"].get(status.to_string()).is_some();
            for (port, address) in ports {
                // A collection that is not there, so that nothing is deleted.
                let id = if method == "delete" { "nobody" } else { "survey" };
                let place = path.replace("{id}", id).replace("{version}", "newest").replace("{name}", "operator.css");
                let body = if method == "post" { &b"{}"[..] } else { b"" };
                let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
                let answer = exchange(address, &method.to_uppercase(), &place, &headers, body).unwrap();
                if tag == "both" || tag == port {
                    assert!(listed(answer.status), "{method} {path} on the {port} port: {}", answer.status);
                    let code = answer.json_code();
                    assert!(
                        code != "not-found" || path == "/collect/{id}",
                        "{method} {path} is not on the {port} port"
                    );
                    assert!(code != "method", "{method} {path} is not on the {port} port");
                } else {
                    assert!([404, 405].contains(&answer.status), "{method} {path} is on the {port} port, too");
                }
            }
        }
    }
    assert!(operations >= 17, "{operations}");
}

impl crate::place::Answer {
    /// The code of a refusal, or nothing.
    fn json_code(&self) -> String {
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        value["error"]["code"].as_str().unwrap_or_default().to_string()
    }
}
