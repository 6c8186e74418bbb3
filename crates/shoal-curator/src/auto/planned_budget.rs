//! How a route will divide the budget, before anything is spent.
//!
//! *Privacy.* A function of public numbers, as [`crate::auto::plan`].

use shoal_privacy::Amount;

use crate::auto::plan::Choice;
use crate::auto::route_directions::MEAN;
use crate::auto::route_tree::Division;
use crate::auto::{route_fixed_tree, route_looks};
use crate::{Auto, BudgetPart, Decision, Purpose, Route};

impl Auto {
    /// What the budget goes to along the chosen route, for about `rows` rows.
    pub(crate) fn planned_budget(&self, choice: &Choice, rows: f64) -> Decision {
        let score = self.score_thousandths(choice, rows, 1);
        let whole = |purpose| vec![BudgetPart { purpose, share: 1.0 }];
        let parts = match choice.route {
            Route::Mean => whole(Purpose::Mean),
            Route::Directions => [(Purpose::Mean, MEAN), (Purpose::Round, 1000 - MEAN)]
                .map(|(purpose, thousandths)| BudgetPart { purpose, share: thousandths as f64 / 1000.0 })
                .to_vec(),
            Route::Grid => whole(Purpose::Counts),
            Route::FixedTree => route_fixed_tree::Division::plan(rows).parts(),
            Route::Looks => {
                let budget = choice.budget.times(&Amount::ratio(1000 - score, 1000));
                route_looks::Division::plan(rows, self.dims, self.params.choose_up_to.is_some(), &budget).parts()
            }
            Route::RefinedTree => {
                let budget = choice.budget.times(&Amount::ratio(1000 - score, 1000));
                Division::plan(rows, self.dims, self.params.choose_up_to.is_some(), &budget).parts()
            }
        };
        Decision::PlannedBudget { score: score as f64 / 1000.0, parts }
    }
}
