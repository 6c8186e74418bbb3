//! The predictions from which a method is picked: complete, in order, and never worse for more rows or a larger budget.

use shoal_curator::{Prediction, Route, methods, predictions};
use shoal_privacy::Delta;

const TABLES: [(f64, usize, usize); 6] =
    [(150.0, 4, 3), (600.0, 30, 2), (5_000.0, 2, 15), (10_000.0, 10, 5), (50_000.0, 6, 5), (1e6, 64, 20)];

const BUDGETS: [&str; 5] = ["0.05", "0.1", "0.5", "1", "4"];

fn predicted(rows: f64, dims: usize, k: usize, epsilon: &str, delta: &str) -> Vec<Prediction> {
    predictions(rows, dims, k, &epsilon.parse().unwrap(), &delta.parse().unwrap())
}

fn of(predicted: &[Prediction], method: &str) -> f64 {
    predicted.iter().find(|prediction| prediction.method == method).unwrap().nicv
}

#[test]
fn every_method_is_there_once_and_the_best_comes_first() {
    for (rows, dims, k) in TABLES {
        for (epsilon, delta) in [("0.1", "0"), ("1", "0"), ("1", "1e-7")] {
            let predicted = predicted(rows, dims, k, epsilon, delta);
            let mut names: Vec<_> = predicted.iter().map(|prediction| prediction.method).collect();
            let mut all: Vec<_> = methods().map(|method| method.info.name).collect();
            assert!(predicted.is_sorted_by(|a, b| a.nicv <= b.nicv), "{predicted:?}");
            names.sort_unstable();
            all.sort_unstable();
            assert_eq!(names, all);
            for Prediction { method, nicv, why } in predicted {
                assert!(nicv.is_finite() && nicv > 0.0 && !why.is_empty(), "{method}: {nicv}, {why}");
            }
        }
    }
}

#[test]
fn auto_is_as_good_as_its_best_route() {
    for (rows, dims, k) in TABLES {
        for delta in ["0", "1e-7"] {
            for epsilon in BUDGETS {
                let predicted = predicted(rows, dims, k, epsilon, delta);
                let routes = Route::ALL.map(|route| of(&predicted, route.name()));
                assert_eq!(of(&predicted, "auto"), routes.into_iter().fold(f64::INFINITY, f64::min), "{predicted:?}");
            }
        }
    }
}

#[test]
fn more_budget_and_more_rows_never_predict_more_error() {
    for (rows, dims, k) in TABLES {
        let budgets = BUDGETS.map(|epsilon| predicted(rows, dims, k, epsilon, "0"));
        let sizes = [1.0, 10.0, 100.0].map(|times| predicted(times * rows, dims, k, "0.5", "0"));
        for method in methods() {
            let falls = |series: &[Vec<Prediction>]| {
                series.windows(2).all(|pair| of(&pair[1], method.info.name) <= of(&pair[0], method.info.name) * SLACK)
            };
            assert!(falls(&budgets), "{} on {rows} × {dims}, k = {k}, in ε", method.info.name);
            assert!(falls(&sizes), "{} on {rows} × {dims}, k = {k}, in rows", method.info.name);
        }
    }
}

/// Whole numbers of cells, blocks and rounds move in steps: a method may seem this much worse just after one.
const SLACK: f64 = 1.01;

#[test]
fn a_delta_never_predicts_more_error_and_only_where_it_is_used() {
    for (rows, dims, k) in TABLES {
        let (pure, with) = (predicted(rows, dims, k, "0.5", "0"), predicted(rows, dims, k, "0.5", "1e-7"));
        for method in methods() {
            let (pure, with) = (of(&pure, method.info.name), of(&with, method.info.name));
            if method.info.delta && method.info.paper == "Shoal" {
                assert!(with <= pure, "{}", method.info.name);
            } else if !method.info.delta {
                assert_eq!(with, pure, "{}", method.info.name);
            }
        }
    }
}

#[test]
fn what_would_be_refused_is_last_and_says_so() {
    for (rows, dims, k, epsilon) in [(100.0, 2, 0, "1"), (100.0, 2, 3, "0"), (100.0, 0, 3, "1")] {
        let predicted = predicted(rows, dims, k, epsilon, "0");
        assert_eq!(predicted.len(), methods().count());
        assert!(predicted.iter().all(|prediction| prediction.why.contains("it would refuse")), "{predicted:?}");
    }
    let wide = predicted(1e5, 1500, 3, "1", "0");
    let auto = wide.iter().find(|prediction| prediction.method == "auto").unwrap();
    assert!(auto.nicv.is_infinite() && auto.why.contains("at most"), "{auto:?}");
    assert!(wide[0].nicv.is_finite(), "others can");
    for rows in [0.0, -3.0, f64::NAN] {
        let none = predictions(rows, 2, 3, &"1".parse().unwrap(), &Delta::ZERO);
        assert!(none.iter().all(|prediction| !prediction.nicv.is_nan()), "{none:?}");
    }
}
