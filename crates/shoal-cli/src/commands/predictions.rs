//! What every method is expected to do, from public numbers alone.

use serde::Serialize;
use shoal::curator::{Auto, AutoParams, DesignSize, Knobs, METHODS, MethodInfo, Route, Settings};
use shoal_privacy::{Delta, Epsilon};

use super::fit::error_words;

/// NICV per attribute that the clusters themselves have, in a table of which nothing is known: the same for all methods.
const WITHIN: f64 = 0.06;

/// NICV per attribute of a guess anywhere in the box.
const BLIND: f64 = 2.0 / 3.0;

/// What is expected of a method.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// Its name.
    pub method: &'static str,
    /// Mean squared distance of a row from its centre, in box units.
    pub nicv: f64,
    /// In words.
    pub why: String,
}

/// The methods of `shoal fit` for a table of this size, the best first.
pub fn predictions(rows: f64, dims: usize, k: usize, epsilon: &Epsilon, delta: &Delta) -> Vec<Prediction> {
    let of = |method: &'static MethodInfo| {
        let delta = if method.delta { delta.clone() } else { Delta::ZERO };
        let size = DesignSize::Public(rows.max(1.0) as u64);
        let settings = Settings { k, epsilon: epsilon.clone(), delta, size, knobs: Knobs::default() };
        let expected = method.build(&settings, dims).ok()?.expected_error(rows);
        let (nicv, why) = match of_auto(method.name, &settings, dims, rows) {
            Some((nicv, route)) if method.name == "auto" => (nicv, format!("takes {}", route.name())),
            Some((nicv, _)) => (nicv, error_words(&expected)),
            None => {
                let noise = (2.0 * expected.center_rmse).powi(2);
                (dims as f64 * (WITHIN + noise).min(BLIND), error_words(&expected))
            }
        };
        Some(Prediction { method: method.name, nicv, why })
    };
    let mut all: Vec<Prediction> = METHODS.iter().filter_map(of).collect();
    all.sort_by(|a, b| a.nicv.total_cmp(&b.nicv));
    all
}

/// What `auto` or one of its routes expects of itself.
fn of_auto(name: &str, settings: &Settings, dims: usize, rows: f64) -> Option<(f64, Route)> {
    let route = Route::named(name);
    if name != "auto" && route.is_none() {
        return None;
    }
    let params = AutoParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    let choice = Auto::new(AutoParams { delta: settings.delta.clone(), route, ..params }, dims).ok()?.choice(rows);
    Some((choice.predicted_nicv, choice.route))
}
