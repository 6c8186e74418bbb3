use serde_json::{Value, json};
use shoal_privacy::Parameter;

use super::*;
use crate::GapOfK;

fn every_kind() -> Vec<Decision> {
    let epsilon = |text: &str| text.parse::<Epsilon>().unwrap();
    let part = |purpose, share| BudgetPart { purpose, share };
    vec![
        Decision::Persons { columns: vec!["pat\u{7}ient".into()], rows: "last:day".into(), most: 1 },
        Decision::Persons { columns: vec!["clinic".into(), "patient".into()], rows: "up-to:3".into(), most: 3 },
        Decision::Persons { columns: vec!["id".into()], rows: "mean".into(), most: 1 },
        Decision::BoughtBounds {
            epsilon: epsilon("1/10"),
            bounds: vec![ColumnInterval { column: "a\u{7}ge".into(), interval: Interval::new(0.0, 90.5).unwrap() }],
        },
        Decision::GuessedBounds { columns: vec!["age".into(), "hours".into()] },
        Decision::BoughtRows { epsilon: epsilon("0.01"), rows: 1234, sd: 141.4 },
        Decision::RowsMostlyNoise,
        Decision::MiddlesForGaps,
        Decision::Route { route: Route::RefinedTree, gaussian: true },
        Decision::ChoseRoute {
            route: Route::Mean,
            gaussian: false,
            rows: 1.0,
            columns: 1,
            k: 3,
            predicted_nicv: 0.25,
            others: vec![PredictedRoute { route: Route::Grid, predicted_nicv: 0.5 }],
        },
        Decision::PlannedBudget { score: 0.02, parts: vec![part(Purpose::Mean, 0.2), part(Purpose::Round, 0.8)] },
        Decision::Budget {
            parts: vec![part(Purpose::Moments, 0.055), part(Purpose::Tree, 0.445), part(Purpose::Refinement, 0.5)],
            rounds: 2,
        },
        Decision::Grid { cells_per_axis: vec![9, 9, 9, 8, 8, 8], asked: Some(1e10) },
        Decision::Grid { cells_per_axis: vec![2, 2, 1], asked: None },
        Decision::Tree { boxes: 7, shape: epsilon("0.5"), counts: epsilon("1/2"), stopped: true },
        Decision::FixedTree { boxes: 256, depth: 8, counts: epsilon("2/5") },
        Decision::FewCells { cells: 4, k: 6 },
        Decision::ChoseK {
            k: 2,
            evidence: Some(Evidence {
                tried: [(1, 0.0), (2, 0.4), (3, 0.3)]
                    .map(|(k, gap)| GapOfK { k, gap, error: 0.01, explained: 0.5 })
                    .to_vec(),
                needed: 0.125,
                supported: 2,
                undecided: vec![],
            }),
            scores: Vec::new(),
        },
        Decision::ChoseK { k: 1, evidence: None, scores: Vec::new() },
        Decision::ChoseK {
            k: 3,
            evidence: None,
            scores: vec![SilhouetteOfK { k: 3, silhouette: 0.9 }, SilhouetteOfK { k: 2, silhouette: 0.5 }],
        },
        Decision::CountedAlong { counts: vec![-3, 40, 5, 38], noise: 4.2, two_heaps: true },
        Decision::OneCentre { rows: 150.0, columns: 4 },
        Decision::Directions { directions: 3, found: 2, asked: 5 },
        Decision::GridAlone { threshold: 0.303 },
        Decision::GridAndStep { threshold: 0.303, grid: epsilon("1/4"), step: epsilon("3/4") },
        Decision::Blocks {
            blocks: 1,
            rows_per_block: 150.0,
            rule: RangeRule::Outputs,
            range: 0.4,
            epsilon: epsilon("0.5"),
        },
        Decision::Rounds {
            rounds: 8,
            population: 200,
            picks: 10,
            pick: epsilon("1/80"),
            last: epsilon("1/8"),
            asked: None,
        },
        Decision::GaussianSteps {
            delta: "1e-6".parse().unwrap(),
            step: Loss::Zcdp("0.01".parse().unwrap()),
            pays: false,
        },
        Decision::Text("A sentence.".into()),
    ]
}

#[test]
fn every_decision_comes_back_from_json_with_its_sentence() {
    for decision in every_kind() {
        let json = serde_json::to_value(&decision).unwrap();
        let kind = json["kind"].as_str().unwrap();
        assert!(kind.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{kind}");
        assert_eq!(json["text"], Value::String(decision.to_string()));
        assert_eq!(serde_json::from_value::<Decision>(json).unwrap(), decision);
    }
}

#[test]
fn sentences_and_kinds_of_later_programs_are_read_as_text() {
    let read = |json: Value| serde_json::from_value::<Decision>(json);
    assert_eq!(read(json!("Grid: 4 cells.")).unwrap(), Decision::Text("Grid: 4 cells.".into()));
    let later = json!({"kind": "guessed-the-weather", "sunny": true, "text": "It will rain."});
    assert_eq!(read(later).unwrap(), Decision::Text("It will rain.".into()));
    // A field that does not fit leaves the sentence, and an object without one is none.
    let odd = json!({"kind": "few-cells", "cells": "four", "k": 6, "text": "Few cells."});
    assert_eq!(read(odd).unwrap(), Decision::Text("Few cells.".into()));
    assert!(read(json!({"kind": "few-cells"})).is_err() && read(json!(7)).is_err());
}

#[test]
fn a_choice_by_silhouettes_is_read_as_it_was_written() {
    let old = json!({"kind": "chose-k", "k": 2, "scores": [{"k": 2, "silhouette": 0.5}], "text": "k = 2 was chosen."});
    let scores = vec![SilhouetteOfK { k: 2, silhouette: 0.5 }];
    let read = serde_json::from_value::<Decision>(old).unwrap();
    assert_eq!(read, Decision::ChoseK { k: 2, evidence: None, scores });
    assert!(read.to_string().contains("mean silhouette of the best: 2: 0.500"), "{read}");
}

#[test]
fn sentences_are_whole_and_fit_for_a_screen() {
    for decision in every_kind() {
        let text = decision.to_string();
        assert!(text.ends_with('.') && !text.contains("--"), "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
    let shown = |decision: &Decision| Parameter::named_by(|it| it.name().to_uppercase(), || decision.to_string());
    let rows = Decision::BoughtRows { epsilon: "0.01".parse().unwrap(), rows: 1234, sd: 141.4 };
    assert_eq!(shown(&rows), "No public number of rows was given (ROWS), so ε = 0.01 bought a noisy one: 1234 ± 283.");
    let grid = Decision::Grid { cells_per_axis: vec![2, 2, 1], asked: None };
    assert_eq!(
        grid.to_string(),
        "Grid: 2×2×1 = 4 cells. 1 of the columns, the last one, has a single cell: nothing is learnt about it. Use fewer (`columns`)."
    );
    let capped = Decision::Grid { cells_per_axis: vec![9, 9, 9, 8, 8, 8], asked: Some(1e10) };
    assert!(shown(&capped).contains("9^3×8^3 = 373248 cells"), "{capped}");
    assert!(shown(&capped).contains("10.0 billion cells were asked for; MAX-CELLS limits them"), "{capped}");
}
