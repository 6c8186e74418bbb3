//! Clusters out: never below the minimum, versioned, with the guarantee of the reports.

use serde_json::json;
use shoal_files::Source;

use crate::place::{Place, crowd, wait_for};

#[test]
fn clusters_appear_from_the_minimum_on_and_not_before() {
    let mut place = Place::new();
    let design = place.create(|collection| collection.minimum = 2000);
    let reports = crowd(&design, 1, place.today(), 4000);
    place.send("survey", &reports[..1999]);
    std::thread::sleep(std::time::Duration::from_millis(700));
    let model = || place.public("GET", "/v1/collections/survey/model", "", b"");
    assert_eq!((model().status, model().code().as_str()), (404, "no-model-yet"));
    let refit = place.operator("POST", "/v1/collections/survey/refit", b"");
    assert_eq!((refit.status, refit.code().as_str()), (404, "no-model-yet"), "not even when asked for");

    place.send("survey", &reports[1999..2000]);
    wait_for("the first model", || model().status == 200);
    let found = model().json();
    assert_eq!((&found["version"], &found["reports"]), (&json!(1), &json!(2000)));
    let centers: Vec<Vec<f64>> = serde_json::from_value(found["centers"].clone()).unwrap();
    let mut first: Vec<f64> = centers.iter().map(|center| center[0]).collect();
    first.sort_by(f64::total_cmp);
    assert!((first[0] - 20.0).abs() < 8.0 && (first[1] - 80.0).abs() < 8.0, "{first:?}");
    for cluster in found["clusters"].as_array().unwrap() {
        let [low, high] = serde_json::from_value::<[f64; 2]>(cluster["intervals"][0].clone()).unwrap();
        assert!(low < high && low < cluster["center"][0].as_f64().unwrap());
    }
    assert!(
        found["promise"]["text"].as_str().unwrap().contains("each person sends one report"),
        "{}",
        found["promise"]
    );

    // More reports, another version; the clusters keep their numbers.
    place.send("survey", &reports[2000..]);
    wait_for("the second model", || model().json()["version"] == 2);
    let second = model().json();
    for (one, two) in found["clusters"].as_array().unwrap().iter().zip(second["clusters"].as_array().unwrap()) {
        assert_eq!(one["number"], two["number"]);
        assert!((one["center"][0].as_f64().unwrap() - two["center"][0].as_f64().unwrap()).abs() < 10.0);
    }
    let models = place.operator("GET", "/v1/collections/survey/models", b"").json();
    assert_eq!(models["models"].as_array().unwrap().len(), 2);
    let status = place.operator("GET", "/v1/collections/survey", b"").json();
    assert!(status["model"]["plus_minus"].as_f64().unwrap() > 0.0);
    assert_eq!(status["forecast"]["waiting_for"], "precision");

    // All of it is there after a restart.
    place.restart();
    let again = place.public("GET", "/v1/collections/survey/model", "", b"").json();
    assert_eq!(again, second);
}

#[test]
fn models_reports_and_pages_can_be_downloaded() {
    let place = Place::new();
    let design = place.create(|collection| collection.minimum = 1000);
    let reports = crowd(&design, 3, place.today(), 1000);
    place.send("survey", &reports);
    let get = |path: &str| place.operator("GET", &format!("/v1/collections/survey/{path}"), b"");
    wait_for("a model", || get("models/newest").status == 200);
    let model = shoal::Model::from_json(std::str::from_utf8(&get("models/newest").body).unwrap()).unwrap();
    assert_eq!((model.k(), model.from_reports.as_ref().unwrap().reports), (2, 1000));
    assert_eq!(get("models/1").body, get("models/newest").body);
    assert_eq!((get("models/2").status, get("models/x").status), (404, 404));
    let page = get("models/newest/report");
    assert!(String::from_utf8_lossy(&page.body).contains("What was found"));

    // The file of reports is what `shoal cluster` reads, and its model has the same guarantee.
    let file = get("reports.parquet");
    assert_eq!(file.status, 200);
    let again = shoal::Cluster::new(2).unwrap().run([Source::Memory(file.body)]).unwrap();
    assert_eq!(again.guarantee, model.guarantee);
    assert_eq!(again.from_reports.unwrap().reports, 1000);
}

#[test]
fn a_refit_is_made_when_it_is_asked_for() {
    let place = Place::new();
    let design = place.create(|collection| collection.minimum = 500);
    place.send("survey", &crowd(&design, 3, place.today(), 500));
    let version = || place.operator("GET", "/v1/collections/survey", b"").json()["model"]["version"].clone();
    wait_for("a model", || version() == 1);
    let refit = || assert_eq!(place.operator("POST", "/v1/collections/survey/refit", b"").status, 202);
    refit();
    wait_for("another model of the same reports", || version() == 2);
    // A few more reports are no reason, nor may they be in a model by themselves, whoever asks.
    place.send("survey", &crowd(&design, 4, place.today(), 5));
    refit();
    std::thread::sleep(std::time::Duration::from_millis(600));
    assert_eq!(version(), 2);
    place.send("survey", &crowd(&design, 5, place.today(), 495));
    wait_for("a model with enough of them", || version() == 3);
}

#[test]
fn a_robust_collection_leaves_out_what_is_too_many_in_one_place() {
    for robust in [false, true] {
        let place = Place::new();
        let design = place.create(|collection| (collection.robust, collection.minimum) = (robust, 1000));
        let mut reports = crowd(&design, 1, place.today(), 1000);
        reports[..300].iter_mut().for_each(|report| report.steps = vec![shoal_lattice::Steps(0); 2]);
        assert_eq!(place.send("survey", &reports).status, 200);
        wait_for("a model", || place.public("GET", "/v1/collections/survey/model", "", b"").status == 200);
        let status = place.operator("GET", "/v1/collections/survey", b"").json();
        let left_out = status["left_out"].as_u64().unwrap();
        assert_eq!((status["reports"].as_u64(), status["robust"].as_bool()), (Some(1000), Some(robust)));
        assert!(if robust { (200..300).contains(&left_out) } else { left_out == 0 }, "{left_out}");
    }
}
