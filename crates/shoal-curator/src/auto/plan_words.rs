//! How a route will divide the budget, in words, before anything is spent.
//!
//! *Privacy.* A function of public numbers, as [`crate::auto::plan`].

use shoal_privacy::Amount;

use crate::Auto;
use crate::Route;
use crate::auto::plan::Choice;
use crate::auto::route_directions::MEAN;
use crate::auto::route_tree::{Division, percent};

impl Auto {
    /// What the budget goes to along the chosen route, for about `rows` rows.
    pub(crate) fn division_words(&self, choice: &Choice, rows: f64) -> String {
        let score = self.score_thousandths(choice, rows);
        let scored = match score {
            0 => String::new(),
            some => format!("{} % for an estimate of the result's quality, and of the rest ", percent(some)),
        };
        let route = match choice.route {
            Route::Mean => "100 % for the mean".to_string(),
            Route::Directions => {
                format!("{} % for the mean, {} % for one round around it", percent(MEAN), percent(1000 - MEAN))
            }
            Route::Grid => "100 % for the counts of the cells".into(),
            Route::RefinedTree => {
                let budget = choice.budget.times(&Amount::ratio(1000 - score, 1000));
                let Division { moments, tree, refinement } = Division::plan(rows, self.dims, &budget);
                format!(
                    "{} % for means and variances, {} % for the tree, {} % for rounds on the rows",
                    percent(moments),
                    percent(tree),
                    percent(refinement)
                )
            }
        };
        format!("Planned budget: {scored}{route}.")
    }
}
