//! Target: bounds of columns that are estimated under differential privacy.

use std::sync::Arc;
use std::time::Instant;

use shoal_curator::PrivateBounds;
use shoal_files::{Matrix, Silent};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Amount, Claim, Epsilon};
use shoal_scan::TableScan;

use super::seen;
use crate::allowed::{promise, short};
use crate::runs::{RunFailure, Runs, Side};
use crate::statistical::Experiment;
use crate::statistical::search::{PairSpace, Search, search_and_audit};
use crate::{Allowed, Effort, Expected, Line, Measure, Pair, Plan, Target, TargetInfo};

const QUICK: usize = 1_500;
const FULL: usize = 60_000;
const SEARCH: Search = Search { pilot_runs: 2_000, variations: 8 };
const NAME: &str = "private-bounds";

/// The bounds of one column.
pub struct PrivateBoundsTarget;

impl PrivateBoundsTarget {
    fn space(plan: &Plan<'_>) -> Result<BoundsPairs, RunFailure> {
        let epsilon = Amount::from_shortest_decimal(plan.epsilon(1.0));
        let epsilon = Epsilon::new(epsilon.map_err(|error| RunFailure::Other(format!("ε: {error}")))?);
        BoundsPairs::new(&epsilon)
    }
}

impl Target for PrivateBoundsTarget {
    fn info(&self) -> TargetInfo {
        let what = "an interval for each column of which no limits are known; whole runs on neighbouring columns";
        TargetInfo { name: NAME, group: "curator", what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        let catalogue = Self::space(plan).map_or(0, |space| space.catalogue().len());
        let search = if plan.effort == Effort::Full { SEARCH.runs(catalogue) } else { 0 };
        search + 2 * plan.runs(QUICK, FULL)
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let started = Instant::now();
        let space = Self::space(plan)?;
        let randomness = plan.randomness.for_part(NAME);
        let experiment = Experiment { runs: plan.runs(QUICK, FULL), alpha: plan.alpha, randomness };
        let finding = match plan.effort {
            Effort::Quick => experiment.audit(&space.pair(&space.catalogue()[0])?, plan.watch)?,
            Effort::Full => search_and_audit(&space, SEARCH, &experiment, plan.watch)?.1,
        };
        let (setting, remark) = (format!("d = 1, ε = {}", short(plan.epsilon(1.0))), seen(&finding));
        let promise = promise(&space.claim());
        let mut line = Line::new(NAME, setting, promise, Expected::Kept, Measure::Events(finding));
        line.seconds = started.elapsed().as_secs_f64();
        Ok(vec![line.with_remark(remark)])
    }
}

/// Neighbouring columns of raw values: values that repeat, and one more.
pub struct BoundsPairs {
    bounds: Arc<PrivateBounds>,
    allowed: Allowed,
    /// Rows that noise of this ε can hide, about: those of its scale.
    hidden: usize,
}

impl BoundsPairs {
    /// For bounds bought with `epsilon`.
    pub fn new(epsilon: &Epsilon) -> Result<Self, RunFailure> {
        let bounds = PrivateBounds::new(epsilon, 1)?;
        let hidden = (2.0 / epsilon.to_f64_up()).ceil().min(1e9) as usize;
        Ok(Self { allowed: Allowed::of(&bounds.claim().loss, 1.0), bounds: bounds.into(), hidden })
    }

    /// The same held against another claim.
    #[must_use]
    pub fn promising(self, allowed: Allowed) -> Self {
        Self { allowed, ..self }
    }

    /// What is claimed.
    #[must_use]
    pub fn claim(&self) -> Claim {
        self.bounds.claim()
    }
}

/// So many rows at zero, so many at another value, and one more there.
#[derive(Clone, Debug)]
pub struct Column {
    zeros: usize,
    value: f64,
    rows: usize,
}

impl PairSpace for BoundsPairs {
    type Spec = Column;

    /// Around the number of rows from which on they are seen through the noise, one row decides whether the interval reaches
    /// out to them.
    fn catalogue(&self) -> Vec<Column> {
        let of = |rows| Column { zeros: 400 * self.hidden, value: 5.0, rows: rows * self.hidden };
        let near = [10, 8, 14, 11, 12, 13, 9].into_iter().map(of);
        near.chain([Column { zeros: 1, value: 5.0, rows: 0 }]).collect()
    }

    fn vary(&self, from: &Column, noise: &mut dyn NoiseSource) -> Column {
        let mut below = |end: usize| (noise.next_u64() % end as u64) as usize;
        let mut column = from.clone();
        match below(4) {
            0 => column.zeros = [0, 40, 400, 4_000][below(4)] * self.hidden,
            1 => column.value = [5.0, -5.0, 1e-3, 5e3, 1e300][below(5)],
            _ => column.rows = (column.rows + below(2 * self.hidden + 1)).saturating_sub(self.hidden),
        }
        // A reader may refuse a table without a row.
        if column.rows == 0 {
            column.zeros = column.zeros.max(1);
        }
        column
    }

    fn pair(&self, column: &Column) -> Result<Pair, RunFailure> {
        let side = |one_more| -> Box<dyn Side> {
            Box::new(Estimates { bounds: self.bounds.clone(), column: column.clone(), one_more })
        };
        let Column { zeros, value, rows } = column;
        let words = format!("{zeros} rows at 0, {rows} rows at {value}; one more at {value}");
        Ok(Pair::new(words, side(true), side(false), self.allowed.clone()))
    }
}

struct Estimates {
    bounds: Arc<PrivateBounds>,
    column: Column,
    one_more: bool,
}

impl Side for Estimates {
    fn draw(&self, runs: usize, noise: &mut dyn NoiseSource, out: &mut Runs) -> Result<(), RunFailure> {
        let Column { zeros, value, rows } = self.column;
        let values = [vec![0.0; zeros], vec![value; rows + usize::from(self.one_more)]].concat();
        let table = Matrix::from_rows(&["x"], &values).map_err(|error| RunFailure::Other(error.to_string()))?;
        // Raw values as the program reads them, twice in each run.
        let scan = TableScan::new(&table, &Silent);
        for _ in 0..runs {
            let mut accountant = Accountant::new(Allowance::without_ledger(self.bounds.claim()));
            let counted = self.bounds.count(&scan).map_err(shoal_curator::FitError::from)?;
            let found = self.bounds.run(counted, &scan, &mut accountant, noise)?;
            for column in &found.columns {
                let outside = column.rows_outside.map_or([-1.0; 2], |rows| rows.map(|rows| rows as f64));
                let (lo, hi) = (column.interval.lo(), column.interval.hi());
                out.tell_all([lo, hi, outside[0], outside[1]]);
            }
            out.end_run();
        }
        Ok(())
    }
}
