//! Two promises: towards the collector, who has the reports, and towards the public, who sees models only.

use serde_json::Value;
use shoal::{Batches, PUBLIC_DELTA};
use shoal_device::wire::{Day, Envelope};
use shoal_privacy::{Assumption, Claim};

use crate::place::{Place, crowd, design, wait_for};

fn model(place: &Place) -> Value {
    place.public("GET", "/v1/collections/survey/model", "", b"").json()
}

fn version(place: &Place, version: u64) -> Value {
    wait_for("a model", || model(place)["version"] == version);
    model(place)
}

fn public(promise: &Value) -> Claim {
    serde_json::from_value(promise["promise"]["public"]["claim"].clone()).unwrap()
}

/// What a report of the collection promises the public when it hides among so many.
fn hidden(reports: u64) -> Claim {
    design("4", 2).promises().unwrap().towards_the_public(reports, &PUBLIC_DELTA.parse().unwrap()).unwrap()
}

/// The same in a model, which takes the reports as they came.
fn modelled(reports: u64) -> Claim {
    let mut claim = hidden(reports);
    claim.assumes.insert(Assumption::ReportsAsDescribed);
    claim
}

/// The model, as the public and as the operator get it, when reports come in this way.
fn made_of(batches: &[&[Envelope]]) -> (Vec<u8>, Vec<u8>) {
    let place = Place::new();
    let count: usize = batches.iter().map(|batch| batch.len()).sum();
    place.create(|collection| (collection.minimum, collection.k) = (count as u64, "auto".into()));
    for batch in batches {
        assert_eq!(place.send("survey", batch).status, 200);
    }
    version(&place, 1);
    let public = place.public("GET", "/v1/collections/survey/model", "", b"").body;
    (public, place.operator("GET", "/v1/collections/survey/models/1", b"").body)
}

#[test]
fn neither_the_order_of_reports_nor_how_they_were_sent_changes_a_model() {
    let reports = crowd(&design("4", 2), 1, Day(20_513), 1_500);
    let expected = made_of(&[&reports]);
    let mut reversed = reports.clone();
    reversed.reverse();
    assert_eq!(made_of(&[&reversed]), expected, "the order");
    let (first, rest) = reversed.split_at(3);
    assert_eq!(made_of(&[rest, &first[2..], &first[..2]]), expected, "the batches");
    // Reports that differ make another model: the comparison sees something.
    assert_ne!(made_of(&[&crowd(&design("4", 2), 2, Day(20_513), 1_500)]), expected);
}

#[test]
fn the_public_promise_is_that_of_the_smallest_batch_of_all_versions() {
    let mut place = Place::new();
    let design = place.create(|collection| collection.minimum = 1_000);
    let about = place.public("GET", "/v1/collections/survey", "", b"").json();
    assert_eq!(public(&about), hidden(1_000), "the minimum is what is known beforehand");
    let send = |place: &Place, seed, count| place.send("survey", &crowd(&design, seed, place.today(), count));

    send(&place, 1, 3_000);
    let first = version(&place, 1);
    assert_eq!((&first["promise"]["public"]["hidden_among"], public(&first)), (&3_000.into(), modelled(3_000)));
    assert_ne!(hidden(3_000).loss, hidden(1_000).loss, "it does grow with the batch");
    assert_eq!(first["promise"]["public"]["amplified"], true);
    let conditions = first["promise"]["public"]["conditions"].to_string();
    assert!(conditions.contains("only results are seen") && conditions.contains("the other people's"), "{conditions}");
    assert!(first["promise"]["text"].as_str().unwrap().contains("report"), "the collector's is there, too");

    // Too few new reports enter no further model, also after a restart; enough of them do.
    send(&place, 2, 999);
    place.restart();
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(model(&place)["version"], 1);
    send(&place, 3, 2);
    assert_eq!(public(&version(&place, 2)), modelled(1_001));
    // A large batch afterwards does not make up for a small one.
    send(&place, 4, 2_500);
    assert_eq!(public(&version(&place, 3)), modelled(1_001));
    place.restart();
    assert_eq!(public(&model(&place)), modelled(1_001));

    // The model itself has it, and the report page says it.
    let kept = place.operator("GET", "/v1/collections/survey/models/3", b"");
    let kept = shoal::Model::from_json(std::str::from_utf8(&kept.body).unwrap()).unwrap();
    assert_eq!(kept.towards_the_public(), Some(&modelled(1_001)));
    let page = place.operator("GET", "/v1/collections/survey/models/3/report", b"");
    assert!(String::from_utf8_lossy(&page.body).contains("only results are seen"));
}

#[test]
fn where_reports_are_deleted_by_the_day_each_day_of_a_batch_counts() {
    let place = Place::new();
    let design = place.create(|collection| (collection.minimum, collection.retention_days) = (600, Some(30)));
    let about = place.public("GET", "/v1/collections/survey", "", b"").json();
    assert!(about["promise"]["public"].is_null(), "nobody knows beforehand how many come on a day");
    place.send("survey", &crowd(&design, 1, place.today(), 500));
    place.clock.move_to(crate::place::NOON + 86_400);
    place.send("survey", &crowd(&design, 2, place.today(), 150));
    let first = version(&place, 1);
    assert_eq!((&first["promise"]["public"]["hidden_among"], public(&first)), (&150.into(), modelled(150)));
    assert_eq!(first["promise"]["public"]["amplified"], false, "so few add nothing");
    assert_eq!(Batches::of([500, 150]).claim(&design.promises().unwrap()), Some(hidden(150)));
}
