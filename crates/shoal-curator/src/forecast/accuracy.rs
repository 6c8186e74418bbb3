//! How many clusters will be found, and how far privacy moves their centres and sizes.
//!
//! Let m = n·ε/k be the rows of an average cluster times ε, b the size of the smallest cluster in parts of the average, c the
//! standard deviation of d numbers under K-norm noise of half-width 1 and ε = 1, and o the share of rows between clusters.
//! With M = m·b^β, an error in parts of a cluster's spread (centres) or of its size (sizes) is
//!
//! x/(1 + x·s), x² = (A·c^α/M)² + (B·c^γ·(o + 0.005)^η·k^κ/M^q)² + clipping²,
//!
//! The first part is the noise of the rounds on the rows, which falls as 1/M. The second is the error of the cells on which
//! the clusters are found, which falls more slowly and which the rounds do not repair where clusters overlap. The third is
//! what clipping costs where clusters are not Gaussian. x/(1 + x·s) ends where a centre is no longer found.
//!
//! The share of clusters that are found is logistic in ln m, ln b, ln c, ln(o + 0.005), ln k and ln of the spread: cells have
//! a width in parts of the range, so clusters that are close together are hard to separate, however narrow they are.
//!
//! All constants were set by least absolute error on made-up Gaussian mixtures (`bench/src/families.rs`), at ε from 0.01 to 4.

use serde::Serialize;
use shoal_lattice::{BoxLength, Widths};

use super::DataGuess;
use crate::Route;
use crate::auto::noise_size::{cube_sd, pure_part, step_sd};
use crate::auto::plan::Choice;
use crate::expected_error::{HOPELESS, SWAMPED};

/// About nine of ten moves are smaller than this many predicted root mean squares: fewer than of a normal distribution, since
/// clusters differ and forecasts are off.
const MOST_MOVES: f64 = 2.2;

/// Moves are predicted so much larger than the formula has them: on the made-up tables, forecasts are then too small by more
/// than a factor of two as rarely as they are too large by more than that.
const CAUTION: f64 = 1.2;

/// Smaller moves than this are not distinguished: what is left then depends on shapes that no guess covers.
const SMALLEST_MOVE: Widths = Widths(0.0005);

/// The same for sizes, in parts of the average size.
const SMALLEST_SIZE: f64 = 0.002;

/// What clipping costs, in parts of a cluster's spread.
const CLIPPING: f64 = 0.003;

/// Shares of clusters found below which a forecast is called too noisy, and from which on all count as found.
const TOO_NOISY: f64 = 0.65;
const ALL_FOUND: f64 = 0.85;

/// What a missed cluster adds to the NICV, in parts of that without privacy, per share of clusters that are missed.
const MISSED: f64 = 1.0;

/// What privacy is expected to do to a clustering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The number of clusters that is planned for.
    pub k: usize,
    /// How many of them are expected to be found: a released centre is nearer than half the way to the next cluster.
    pub found: f64,
    /// Root mean square move of the centre of a cluster that is found, in each column, in parts of the column's range.
    pub centre: Widths,
    /// Root mean square error of the size of such a cluster, in rows; `None` when the route releases no sizes.
    pub size: Option<f64>,
    /// NICV divided by that of the same clustering without privacy.
    pub nicv_ratio: f64,
}

/// Whether clusters can be found at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Found {
    /// All or nearly all of them.
    All,
    /// Some are missed or merged with others.
    Some,
    /// The noise hides them.
    TooNoisy,
}

impl Accuracy {
    /// Whether clusters can be found at all.
    pub fn verdict(&self) -> Found {
        match self.found / self.k as f64 {
            share if share >= ALL_FOUND => Found::All,
            share if share >= TOO_NOISY => Found::Some,
            _ => Found::TooNoisy,
        }
    }

    /// About nine of ten centres move less than this along a column.
    pub fn centre_plus_minus(&self) -> Widths {
        Widths(MOST_MOVES * self.centre.0)
    }

    /// About nine of ten sizes are nearer than this, in rows.
    pub fn size_plus_minus(&self) -> Option<f64> {
        self.size.map(|size| MOST_MOVES * size)
    }

    /// Nothing but noise.
    fn hopeless(k: usize, found: f64) -> Self {
        Self { k, found, centre: HOPELESS, size: None, nicv_ratio: 1.0 + MISSED * (1.0 - found / k as f64) }
    }
}

/// The constants of one error.
struct Constants {
    /// A and α.
    rounds: (f64, f64),
    /// B, γ, η, κ and q.
    cells: (f64, f64, f64, f64, f64),
    /// s.
    most: f64,
    /// β.
    balance: f64,
}

const TREE_CENTRE: Constants =
    Constants { rounds: (8.74, 1.068), cells: (93.6, 0.801, 1.717, 0.0, 0.824), most: 0.465, balance: 0.541 };

const TREE_SIZE: Constants =
    Constants { rounds: (19.9, 0.122), cells: (1.192, 1.115, 0.301, 0.237, 0.561), most: 0.776, balance: 0.541 };

const GRID_CENTRE: Constants =
    Constants { rounds: (5.5, 1.571), cells: (1.155, -0.697, 1.797, 0.0, 2.356), most: 0.666, balance: 0.143 };

const GRID_SIZE: Constants =
    Constants { rounds: (1.91, 1.122), cells: (0.252, 1.172, 0.157, 0.468, 0.517), most: 1.353, balance: 0.0 };

impl Constants {
    /// The error in parts of the spread or of the size.
    fn error(&self, table: &Table, clipping: f64) -> f64 {
        let &Table { rows_epsilon, noise, columns, overlap, k, balance, .. } = table;
        let (a, alpha) = self.rounds;
        let (b, gamma, eta, kappa, q) = self.cells;
        let balance = balance.powf(self.balance);
        // `noise` has ε and the kind of noise in it; `columns` is the same for K-norm noise and ε = 1.
        let of_rounds = a * noise * columns.powf(alpha - 1.0) / balance;
        let of_cells = b * columns.powf(gamma) * (overlap + LEAST_OVERLAP).powf(eta) * k.powf(kappa)
            / (rows_epsilon * balance).powf(q);
        let x = (of_rounds * of_rounds + of_cells * of_cells + clipping * clipping).sqrt();
        x / (1.0 + x * self.most)
    }
}

/// Added to the share of rows between clusters, which is never quite zero.
const LEAST_OVERLAP: f64 = 0.005;

/// Constants of the share of clusters found: 1, ln m, ln c, ln(o + 0.005), ln k, ln b, ln spread, ln spread · ln c.
const TREE_FOUND: [f64; 8] = [1.476, 0.956, -2.215, -0.925, -0.307, 0.993, 1.323, -0.129];
const GRID_FOUND: [f64; 8] = [3.329, 1.039, -0.406, -1.127, 1.324, 1.009, 1.853, 1.897];

/// A table in the numbers that the formulas use.
struct Table {
    /// m, with the ε of the steps that count.
    rows_epsilon: f64,
    /// Noise on one sum of half-width 1, in parts of the rows of an average cluster.
    noise: f64,
    /// c.
    columns: f64,
    overlap: f64,
    k: f64,
    /// b.
    balance: f64,
    spread: f64,
}

impl Table {
    fn found(&self, of: &[f64; 8]) -> f64 {
        let (columns, spread) = (self.columns.ln(), self.spread.ln());
        let terms = [
            1.0,
            self.rows_epsilon.ln(),
            columns,
            (self.overlap + LEAST_OVERLAP).ln(),
            self.k.ln(),
            self.balance.ln(),
            spread,
            spread * columns,
        ];
        let z: f64 = of.iter().zip(terms).map(|(constant, term)| constant * term).sum();
        1.0 / (1.0 + (-z).exp())
    }
}

/// The accuracy to expect along the route that `auto` chose for about `rows` rows of `dims` columns.
pub fn predict_accuracy(choice: &Choice, rows: f64, dims: usize, k: usize, guess: &DataGuess) -> Accuracy {
    let rows = rows.max(1.0);
    let per_cluster = rows / k as f64;
    let noise = step_sd(dims, &choice.budget, 1.0) / per_cluster;
    let (centre, size, found) = match choice.route {
        // One centre is found when it is not all noise; of several it is none.
        Route::Mean if k == 1 => {
            let centre = BoxLength(noise).in_widths().at_most(HOPELESS);
            let found = if centre > SWAMPED { 0.0 } else { 1.0 };
            let nicv_ratio = 1.0 + (centre.0 / guess.spread.0).powi(2);
            return Accuracy { k, found, centre: Widths(centre.0.max(SMALLEST_MOVE.0)), size: None, nicv_ratio };
        }
        Route::Mean | Route::Directions => return Accuracy::hopeless(k, 1.0f64.min(0.5 * k as f64)),
        Route::Grid => (&GRID_CENTRE, &GRID_SIZE, &GRID_FOUND),
        Route::FixedTree | Route::Looks | Route::RefinedTree => (&TREE_CENTRE, &TREE_SIZE, &TREE_FOUND),
    };
    let table = Table {
        rows_epsilon: per_cluster * pure_part(&choice.budget, 1.0),
        noise,
        columns: cube_sd(dims, 1.0),
        overlap: if k == 1 { 0.0 } else { guess.overlap },
        k: k as f64,
        balance: guess.balance(k),
        spread: guess.spread.0,
    };
    let found = table.found(found);
    let moved = CAUTION * centre.error(&table, CLIPPING);
    let size = per_cluster * size.error(&table, 0.0).max(SMALLEST_SIZE);
    Accuracy {
        k,
        found: found * k as f64,
        centre: Widths((moved * guess.spread.0).max(SMALLEST_MOVE.0)).at_most(HOPELESS),
        size: Some(size.max(1.0)),
        nicv_ratio: 1.0 + moved * moved + MISSED * (1.0 - found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepBudget;
    use crate::auto::plan::choose;

    fn at(rows: f64, dims: usize, k: usize, epsilon: &str, guess: &DataGuess) -> Accuracy {
        let budget = StepBudget::Pure(epsilon.parse().unwrap());
        let choice = choose(rows, dims, k, &[budget], |_| true).unwrap();
        predict_accuracy(&choice, rows, dims, k, guess)
    }

    #[test]
    fn more_rows_and_more_budget_never_predict_more_error_on_one_route() {
        let guess = DataGuess::default();
        for route in [Route::Grid, Route::FixedTree, Route::RefinedTree] {
            for (dims, k) in [(1, 2), (2, 5), (6, 3), (20, 20)] {
                let one = |rows: f64, epsilon: &str| {
                    let budget = StepBudget::Pure(epsilon.parse().unwrap());
                    let choice = choose(rows, dims, k, &[budget], |other| other == route).unwrap();
                    predict_accuracy(&choice, rows, dims, k, &guess)
                };
                let better = |more: Accuracy, less: Accuracy| {
                    more.centre <= less.centre
                        && more.size.unwrap() / more.k as f64 <= less.size.unwrap() * 10.0 / less.k as f64
                        && more.found >= less.found
                };
                for epsilon in ["0.01", "0.1", "1"] {
                    assert!(better(one(3e4, epsilon), one(3e3, epsilon)), "{route:?} {dims} {k} {epsilon}");
                }
                assert!(better(one(1e4, "1"), one(1e4, "0.1")) && better(one(1e4, "0.1"), one(1e4, "0.01")));
            }
        }
    }

    #[test]
    fn verdicts_follow_the_budget() {
        let guess = DataGuess::default();
        assert_eq!(at(30_000.0, 3, 4, "1", &guess).verdict(), Found::All);
        assert_eq!(at(300.0, 10, 8, "0.1", &guess).verdict(), Found::TooNoisy);
        assert_eq!(at(100.0, 40, 3, "0.01", &guess).verdict(), Found::TooNoisy);
        assert_eq!(at(30_000.0, 3, 1, "1", &guess).verdict(), Found::All);
        assert_eq!(at(10.0, 3, 1, "0.001", &guess).verdict(), Found::TooNoisy);
    }

    #[test]
    fn odd_numbers_stay_numbers() {
        for (rows, dims, k, epsilon) in
            [(1.0, 1, 1, "0.000001"), (1.8e19, 1000, 10_000, "1000000"), (0.0, 2, 3, "1"), (5.0, 1, 10_000, "1")]
        {
            for (spread, overlap) in [(0.001, 0.0), (0.08, 0.1), (0.3, 1.0)] {
                let guess = DataGuess { spread: Widths(spread), overlap, ..DataGuess::default() };
                let found = at(rows, dims, k, epsilon, &guess);
                assert!(found.centre.0.is_finite() && found.centre.0 > 0.0 && found.centre <= HOPELESS);
                assert!((0.0..=k as f64).contains(&found.found) && found.nicv_ratio >= 1.0, "{found:?}");
                assert!(found.size.is_none_or(|size| size.is_finite() && size >= 1.0));
            }
        }
    }
}
