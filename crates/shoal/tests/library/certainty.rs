//! Intervals in the user's units, and in the JSON of a model.

use shoal::model::Standing;
use shoal::{Fit, Model};
use shoal_files::Matrix;

const BOUNDS: &str = "age=17:90,hours=1:99";

/// Two groups well apart.
fn rows() -> Vec<f64> {
    (0..3000)
        .flat_map(|i| {
            let [x, y] = [f64::from(i % 11), f64::from(i % 7)];
            if i % 3 == 0 { [65.0 + x, 10.0 + y] } else { [25.0 + x, 40.0 + y] }
        })
        .collect()
}

fn model(method: &str) -> Model {
    let fit = Fit::new(2, "1").unwrap().bounds(BOUNDS).unwrap().method(method).unwrap().seed(4);
    fit.run(Matrix::from_rows(&["age", "hours"], &rows()).unwrap()).unwrap()
}

#[test]
fn intervals_are_in_the_units_of_the_columns_and_hold_the_means_of_the_groups() {
    let model = model("auto");
    let certainty = model.certainty.as_ref().unwrap();
    for j in 0..2 {
        let older = model.centres[j][0] > 50.0;
        for (range, truth) in certainty.intervals[j].iter().zip(if older { [70.0, 13.0] } else { [30.0, 43.0] }) {
            assert!(range[0] < truth + 0.2 && truth - 0.2 < range[1], "{range:?} for {truth}");
            assert!(range[1] - range[0] < 8.0, "{range:?} is too wide for groups so far apart");
        }
        let rows = if older { 1000.0 } else { 2000.0 };
        let [low, high] = certainty.size_intervals[j];
        assert!(low < rows && rows < high && high - low < 500.0, "{low} to {high}");
        assert_eq!(certainty.standing(j), Standing::Stable);
    }
    assert!(!certainty.intervals_at_least);
}

#[test]
fn intervals_survive_json_and_sampling_is_there_only_on_request() {
    for method in ["auto", "mean", "eugkm", "dplloyd"] {
        let model = model(method);
        let text = model.to_json();
        // Budgets in decisions are rounded up in JSON; intervals come back as they were.
        assert_eq!(Model::from_json(&text).unwrap().certainty, model.certainty, "{method}");
        assert!(text.contains("\"intervals\"") && !text.contains("sampling_distance"), "{method}");
    }
    let mut model = model("auto");
    model.certainty = model.certainty.map(|known| known.with_sampling(&model.sizes));
    let certainty = model.certainty.as_ref().unwrap();
    let (sd, rows) = (certainty.spread[0][1], model.sizes[0]);
    assert!((certainty.sampling_distance[0][1] - 2.0 * sd / rows.sqrt()).abs() < 1e-9);
    assert_eq!(Model::from_json(&model.to_json()).unwrap().certainty, model.certainty);
    let cut = model.to_json().replacen("\"sampling_distance\": [", "\"sampling_distance\": [[1.0],", 1);
    assert!(Model::from_json(&cut).is_err(), "three rows for two centres");
}
