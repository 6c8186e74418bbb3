//! What to expect of a fit, before anything is read or spent.

mod crowd;
mod target;
mod text;

use serde::Serialize;
use shoal_curator::{
    Accuracy, Auto, AutoParams, DataGuess, Decision, DesignSize, MOST_CHOSEN, MOST_DIMS, Prediction, Route, System,
    find_method, predict_accuracy, predictions,
};
use shoal_files::{BoundsSpec, PerPerson};
use shoal_lattice::{Bounds, BoundsError, BoxPosition, Category, Interval, LatticeMap, Scale, Scaling, Widths};
use shoal_privacy::{Delta, Epsilon, budget_of_a_row};

pub use crowd::{CrowdCell, CrowdNeeded, CrowdPlan, PlanCrowd};
pub use target::{Needed, PlanTarget, Targeted, TargetedCell, Wanted};

use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::k::IntoK;
use crate::{Error, K};

/// A question about the error to expect. Reads nothing and spends nothing.
///
/// ```
/// let plan = shoal::Plan::new(30_000, 3, 4, "1")?.bounds("age=0:110,visits=0:50,income=0:200000")?.run()?;
/// println!("{plan}");
/// assert_eq!(plan.accuracy.found.round(), 4.0);
/// assert!(plan.columns[0].plus_minus < 5.0, "years");
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    rows: u64,
    epsilon: Epsilon,
    per_person: PerPerson,
    asked: Asked,
}

/// What is to be expected of a fit with `auto`, compared with the same clustering without privacy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned {
    /// About how many rows the table has.
    pub rows: u64,
    /// How many columns it has, every level of a category among them.
    pub dims: usize,
    /// How many of these are levels of categories.
    pub levels: usize,
    /// The number of clusters that is planned for.
    pub k: usize,
    /// What was asked for: that number, or that it be chosen.
    pub asked: K,
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
    /// The route that `auto` would take.
    pub route: Route,
    /// Why, and how it would divide the budget.
    pub decisions: Vec<Decision>,
    /// How many clusters can be found, and how far privacy moves their centres and sizes.
    pub accuracy: Accuracy,
    /// The same in the units of the columns whose bounds are known.
    pub columns: Vec<ColumnError>,
    /// Some columns weigh more than others: errors as a part of the range are those of the heaviest.
    pub weighted: bool,
    /// What was assumed about the data.
    pub guess: DataGuess,
    /// Every method with the mean squared distance that it is expected to reach, the best first.
    pub predictions: Vec<Prediction>,
}

/// How far privacy moves a centre along one column, in the column's units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnError {
    /// The column.
    pub column: String,
    /// Root mean square.
    pub typical: f64,
    /// About nine of ten moves are smaller than this.
    pub plus_minus: f64,
    /// The centre that both are for, where the column is stretched: for a logarithm, errors grow with the centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<f64>,
}

impl Plan {
    /// A plan for about this many rows and columns, `k` clusters (or `auto`), and ε.
    pub fn new(rows: u64, dims: usize, k: impl IntoK, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        if rows == 0 {
            return Err(Error::Rows);
        }
        let (epsilon, per_person) = (epsilon.into_epsilon()?, PerPerson::default());
        Ok(Self { rows, epsilon, per_person, asked: Asked::new(dims, k.into_k()?)? })
    }

    /// δ: the probability with which the guarantee may fail.
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.asked = self.asked.delta(delta)?;
        Ok(self)
    }

    /// A guess about the data: the standard deviation of the rows of a cluster, in each column, as a part of the
    /// column's range.
    pub fn spread(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.spread(share)?;
        Ok(self)
    }

    /// A guess about the data: the share of rows that lie between clusters, in the middle third of the way from one
    /// centre to the next.
    pub fn overlap(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.overlap(share)?;
        Ok(self)
    }

    /// A guess about the data: the share of all rows that the smallest cluster has.
    pub fn smallest(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.smallest(share)?;
        Ok(self)
    }

    /// Bounds of some or all columns, such as `age=0:110`: errors are then stated in their units, too.
    pub fn bounds(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.bounds(text)?;
        Ok(self)
    }

    /// Scales of columns with bounds, as for [`Fit::scale`](crate::Fit::scale).
    pub fn scale(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.scale(text)?;
        Ok(self)
    }

    /// Weights of columns with bounds, as for [`Fit::weight`](crate::Fit::weight).
    pub fn weight(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.weight(text)?;
        Ok(self)
    }

    /// Categories beside the columns of numbers, as for [`Fit::categories`](crate::Fit::categories): every level is a
    /// coordinate with noise of its own.
    pub fn categories(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.categories(text)?;
        Ok(self)
    }

    /// Which rows of a person would count, as for [`Fit::per_person`](crate::Fit::per_person). With `up-to:M` the rows of a person
    /// share ε; they are all counted among the rows of the plan.
    pub fn per_person(mut self, way: &str) -> Result<Self, Error> {
        self.per_person = way.parse()?;
        Ok(self)
    }

    /// Predicts.
    pub fn run(&self) -> Result<Planned, Error> {
        let rows = self.rows as f64;
        let most = self.per_person.most_rows();
        let of_row = budget_of_a_row(&self.epsilon, &self.asked.delta, most);
        let (epsilon, delta) = of_row.ok_or(Error::DeltaOfSeveralRows { most })?;
        let asked = &Asked { delta, ..self.asked.clone() };
        let columns = asked.in_units()?;
        let auto = asked.auto(self.rows, &epsilon)?;
        let (k, accuracy) = (asked.planned_k(&auto, rows), asked.accuracy(&auto, rows));
        let weighted = columns.first().is_some_and(|column| column.least_width() < Widths(1.0));
        Ok(Planned {
            weighted,
            rows: self.rows,
            dims: asked.dims(),
            levels: asked.levels(),
            k,
            asked: asked.k,
            epsilon: self.epsilon.clone(),
            delta: self.asked.delta.clone(),
            route: auto.choice(rows).route,
            decisions: auto.plan(rows),
            columns: columns.iter().map(|column| column.error(&accuracy)).collect(),
            accuracy,
            guess: asked.guess,
            predictions: predictions(rows, asked.dims(), k, &epsilon, &asked.delta),
        })
    }
}

/// Stands for the columns whose bounds are not known; no such column can be asked about.
const OTHERS: &str = "other columns";

/// What a forecast needs to know beside rows and ε.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Columns of numbers.
    numbers: usize,
    categories: Vec<Category>,
    k: K,
    pub delta: Delta,
    pub guess: DataGuess,
    columns: Vec<(String, Interval)>,
    scaling: Scaling,
}

/// A column whose bounds are known, with the map to its units.
#[derive(Clone, Debug)]
pub(crate) struct PlannedColumn {
    name: String,
    place: usize,
    interval: Interval,
    map: LatticeMap,
    stretched: bool,
}

impl PlannedColumn {
    /// A length in the box, in the column's units: around the middle of its stretched bounds.
    fn in_user(&self, length: Widths) -> f64 {
        self.map.length_in_user(self.place, BoxPosition(0.0), length.in_box())
    }

    /// A length in the column's units, around the same middle, in the box.
    fn in_widths(&self, length: f64) -> Widths {
        self.map.length_in_box(self.place, BoxPosition(0.0), length).in_widths()
    }

    /// How much of the box its bounds take up: less than all of it where it weighs less than another.
    fn width(&self) -> Widths {
        self.map.part(self.place)
    }

    /// The same for the lightest column of all.
    fn least_width(&self) -> Widths {
        (0..self.map.dims()).map(|i| self.map.part(i)).fold(Widths(1.0), Widths::at_most)
    }

    fn around(&self) -> Option<f64> {
        self.stretched.then(|| self.map.to_user(self.place, BoxPosition(0.0)))
    }

    /// The moves of centres along it.
    pub fn error(&self, accuracy: &Accuracy) -> ColumnError {
        ColumnError {
            column: self.name.clone(),
            typical: self.in_user(accuracy.centre),
            plus_minus: self.in_user(accuracy.centre_plus_minus()),
            around: self.around(),
        }
    }
}

impl Asked {
    pub fn new(dims: usize, k: K) -> Result<Self, Error> {
        if dims > MOST_DIMS {
            return Err(Error::Dimensions { most: MOST_DIMS });
        }
        Ok(Self {
            numbers: dims,
            categories: Vec::new(),
            k,
            delta: Delta::ZERO,
            guess: DataGuess::default(),
            columns: Vec::new(),
            scaling: Scaling::default(),
        })
    }

    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.delta = delta.into_delta()?;
        if let Some(auto) = find_method("auto") {
            auto.check_delta(&self.delta)?;
        }
        Ok(self)
    }

    pub fn spread(mut self, share: f64) -> Result<Self, Error> {
        if !(share > 0.0 && share <= DataGuess::WIDEST.0) {
            return Err(Error::Guess { what: "spread", given: share, wanted: "above 0 % and at most 30 %" });
        }
        self.guess.spread = Widths(share);
        Ok(self)
    }

    pub fn overlap(mut self, share: f64) -> Result<Self, Error> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Guess { what: "overlap", given: share, wanted: "from 0 % to 100 %" });
        }
        self.guess.overlap = share;
        Ok(self)
    }

    pub fn smallest(mut self, share: f64) -> Result<Self, Error> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::Guess { what: "smallest", given: share, wanted: "above 0 % and at most 100 %" });
        }
        self.guess.smallest = Some(share);
        Ok(self)
    }

    pub fn bounds(mut self, text: &str) -> Result<Self, Error> {
        self.columns = match BoundsSpec::parse(text).map_err(Error::BoundsText)? {
            BoundsSpec::Named(pairs) => pairs,
            // The same interval for all columns has no names to report it under.
            BoundsSpec::All(interval) => vec![("each column".into(), interval)],
        };
        if self.columns.len() > self.numbers {
            return Err(Error::MoreBoundsThanColumns { bounds: self.columns.len(), columns: self.numbers });
        }
        Ok(self)
    }

    fn scale(mut self, text: &str) -> Result<Self, Error> {
        self.scaling = self.scaling.scales(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    fn weight(mut self, text: &str) -> Result<Self, Error> {
        self.scaling = self.scaling.weights(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    fn categories(mut self, text: &str) -> Result<Self, Error> {
        self.categories = shoal_files::categories(text).map_err(Error::BoundsText)?;
        Ok(self)
    }

    fn levels(&self) -> usize {
        self.categories.iter().map(Category::size).sum()
    }

    /// Coordinates of the lattice.
    pub fn dims(&self) -> usize {
        self.numbers + self.levels()
    }

    /// The columns whose bounds are known, and the categories.
    pub fn in_units(&self) -> Result<Vec<PlannedColumn>, Error> {
        let (mut names, mut intervals): (Vec<String>, Vec<Interval>) = self.columns.iter().cloned().unzip();
        if !(1..=MOST_DIMS).contains(&self.dims()) {
            return Err(Error::Dimensions { most: MOST_DIMS });
        }
        let known = names.len();
        // A column without bounds has weight 1, beside which others may be lighter.
        if known < self.numbers {
            names.push(OTHERS.into());
            intervals.push(Interval::new(0.0, 1.0).map_err(Error::BoundsText)?);
        }
        let bounds: Result<Bounds, BoundsError> =
            Bounds::new(names, intervals).and_then(|bounds| self.scaling.apply_with(bounds, &self.categories));
        let bounds = bounds.map_err(Error::BoundsText)?;
        let map = LatticeMap::new(&bounds);
        let column = |place: usize, name: String| PlannedColumn {
            name,
            place,
            interval: bounds.intervals()[place],
            map: map.clone(),
            stretched: bounds.scales()[place] != Scale::Linear,
        };
        let mut columns: Vec<PlannedColumn> = (0..known).map(|i| column(i, bounds.columns()[i].clone())).collect();
        // All shares of a category have the same error.
        let mut place = bounds.numbers();
        for category in bounds.categories() {
            columns.push(column(place, format!("shares of {}", category.column())));
            place += category.size();
        }
        Ok(columns)
    }

    /// The number of clusters that `auto` plans for, which it reports with its choice of a route.
    fn planned_k(&self, auto: &Auto, rows: f64) -> usize {
        let reported = auto.plan(rows).into_iter().find_map(|decision| match decision {
            Decision::ChoseRoute { k, .. } => Some(k),
            _ => None,
        });
        reported.unwrap_or_else(|| self.k.most(MOST_CHOSEN))
    }

    fn auto(&self, rows: u64, epsilon: &Epsilon) -> Result<Auto, Error> {
        let most = self.k.most(MOST_CHOSEN);
        let params = AutoParams::new(most, epsilon.clone(), DesignSize::Public(rows));
        let choose_up_to = self.k.is_auto().then_some(most);
        Ok(Auto::new(AutoParams { delta: self.delta.clone(), choose_up_to, ..params }, self.dims())?)
    }

    fn accuracy(&self, auto: &Auto, rows: f64) -> Accuracy {
        predict_accuracy(&auto.choice(rows), rows, self.dims(), self.planned_k(auto, rows), &self.guess)
    }

    /// The accuracy for these rows and this ε.
    pub fn at(&self, rows: u64, epsilon: &Epsilon) -> Result<Accuracy, Error> {
        Ok(self.accuracy(&self.auto(rows, epsilon)?, rows as f64))
    }
}
