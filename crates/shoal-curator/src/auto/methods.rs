//! `auto` and its routes in the catalogue.

use shoal_privacy::MethodInfo;

use crate::catalogue::SCL16;
use crate::plan::Forecast;
use crate::{Auto, AutoParams, FitError, Method, Route, Settings, System};

/// What they have in common.
const AUTO: MethodInfo = MethodInfo {
    paper: "Shoal",
    published: "Not in a paper; docs/auto.md describes it",
    guarantee: "pure ε, or (ε, δ) by zCDP where a δ is allowed and makes the noise smaller; add or remove one row, exact; needs public bounds; the row count is known from elsewhere or bought within ε",
    status: "of Shoal; docs/auto.md",
    options: &["inits", "iterations", "score-share", "count-share"],
    delta: true,
    plus_minus: "two standard deviations of the error from privacy noise, and with a grid from the width of the cells",
    ..SCL16
};

/// Those that release cells.
const CELLS: MethodInfo = MethodInfo { synopsis: true, chooses_k: true, ..AUTO };

/// `auto` first, then its routes from the finest.
pub(crate) const METHODS: &[Method] = &[
    Method {
        info: MethodInfo {
            name: "auto",
            summary: "the best of refined-tree, fixed-tree, grid, directions and mean for these numbers of rows, columns and clusters and this ε; it reports why",
            ..CELLS
        },
        build: |settings, dims| build(settings, None, dims),
        forecast: Forecast::Routes(None),
    },
    Method {
        info: MethodInfo {
            name: "refined-tree",
            summary: "k-means on a private tree of boxes cut where the data vary, then rounds that move the centres to their rows",
            ..CELLS
        },
        build: |settings, dims| build(settings, Some(Route::RefinedTree), dims),
        forecast: Forecast::Routes(Some(Route::RefinedTree)),
    },
    Method {
        info: MethodInfo {
            name: "looks",
            summary: "as refined-tree, with a tree cut by released counts in two or three looks: nothing is compared in secret, so rows may be in several places",
            ..CELLS
        },
        build: |settings, dims| build(settings, Some(Route::Looks), dims),
        forecast: Forecast::Routes(Some(Route::Looks)),
    },
    Method {
        info: MethodInfo {
            name: "fixed-tree",
            summary: "k-means on a tree of fixed depth cut where the data vary, all boxes counted at once, then rounds; three to thirteen columns",
            ..CELLS
        },
        build: |settings, dims| build(settings, Some(Route::FixedTree), dims),
        forecast: Forecast::Routes(Some(Route::FixedTree)),
    },
    Method {
        info: MethodInfo {
            name: "grid",
            summary: "k-means on a grid with cells chosen for k-means and counts cleaned of noise; few columns, few rows",
            ..CELLS
        },
        build: |settings, dims| build(settings, Some(Route::Grid), dims),
        forecast: Forecast::Routes(Some(Route::Grid)),
    },
    Method {
        info: MethodInfo {
            name: "directions",
            summary: "a noisy mean and one round in random directions from it, cleaned of noise; few rows, many columns",
            ..AUTO
        },
        build: |settings, dims| build(settings, Some(Route::Directions), dims),
        forecast: Forecast::Routes(Some(Route::Directions)),
    },
    Method {
        info: MethodInfo {
            name: "mean",
            summary: "one noisy mean, pulled to the columns' common mean and to the middle: for tables in which noise hides anything finer",
            ..AUTO
        },
        build: |settings, dims| build(settings, Some(Route::Mean), dims),
        forecast: Forecast::Routes(Some(Route::Mean)),
    },
];

fn build(settings: &Settings, route: Option<Route>, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let params = AutoParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    let params = AutoParams {
        delta: settings.delta.clone(),
        choose_up_to: settings.choose_k.then_some(settings.k),
        score_share: knobs.score_share.clone().unwrap_or(params.score_share),
        kmeans: knobs.on_cells(params.kmeans),
        route,
        keep_cells: settings.keep_cells,
        ..params
    };
    Ok(Box::new(Auto::new(params, dims)?))
}

#[cfg(test)]
mod tests {
    use super::METHODS;
    use crate::Route;

    #[test]
    fn every_route_has_its_row() {
        let names: Vec<_> = METHODS.iter().skip(1).rev().map(|method| method.info.name).collect();
        assert_eq!(names, Route::ALL.map(Route::name));
    }
}
