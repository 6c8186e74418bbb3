//! What to expect of each way to cluster the tables of several custodians, before anybody reads or spends anything.
//!
//! | way | who is trusted | forecast |
//! |---|---|---|
//! | merge | each custodian with its own rows | `auto` at the custodian's own rows; errors average out over the custodians |
//! | own noise in rounds | the same | `auto` on all rows with noise of m times the variance: ε/√m |
//! | split trust | one of two helpers | `auto` on all rows with noise of twice the variance: ε/√2 |
//! | codes (SZY19) | nobody with records, everybody with ε per bit | the error of a distance at a true total of ε |
//! | one table | one holder of all rows | `auto` on all rows, for reference |
//!
//! The forecasts are those of [`crate::Plan`], with its guesses about the data. For merging, m custodians with n/m rows each
//! have local centres that are off by c; centres of custodians who found the same clusters are averaged, so that c/√m is
//! left. A cluster is found by merging where enough custodians find it; those who do not are outvoted by weight. bench/src/bin/merge.rs compares both
//! with what was measured (docs/consortium.md).

use serde::Serialize;
use shoal_curator::{Accuracy, DataGuess, Found};
use shoal_lattice::Widths;
use shoal_privacy::{Amount, Delta, Epsilon};

use super::{ConsortiumError, Price};
use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::k::IntoK;
use crate::plan::{Asked, PlannedColumn};
use crate::{ColumnError, Error};

/// The most custodians that are planned for.
const MOST_CUSTODIANS: u64 = 10_000;

/// A way is as good as another one if its mean squared distance is no more than this much larger.
const AS_GOOD: f64 = 1.1;

/// Smaller moves than this are not distinguished, as in a forecast for one table.
const SMALLEST_MOVE: f64 = 0.0005;

/// A question about the error to expect of each way. Reads nothing and spends nothing.
///
/// ```
/// use shoal::consortium::{Plan, Way};
///
/// let planned = Plan::new(50_000, 4, 2, 5, "1")?.bounds("age=17:90,hours=1:99")?.run()?;
/// assert_eq!(planned.recommended, Some(Way::Merge));
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    rows: u64,
    custodians: u64,
    epsilon: Epsilon,
    asked: Asked,
}

/// A way to cluster the tables of several custodians.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Way {
    /// One holder of all rows, for reference.
    OneTable,
    /// Each custodian fits alone, and the releases are merged.
    Merge,
    /// Rounds in which each custodian adds the whole noise.
    OwnNoise,
    /// Rounds in which two helpers add shares of the custodians' sums, and each the whole noise.
    SplitTrust,
    /// Codes of records by SZY19, at a true total of ε.
    Codes,
}

impl Way {
    /// Whether this version of the program can go that way.
    pub fn exists(self) -> bool {
        matches!(self, Self::OneTable | Self::Merge | Self::Codes)
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneTable => "one table",
            Self::Merge => "merge",
            Self::OwnNoise => "own noise in rounds",
            Self::SplitTrust => "split trust, two helpers",
            Self::Codes => "codes (SZY19)",
        }
    }

    /// Who is trusted with what.
    pub fn trusted(self) -> &'static str {
        match self {
            Self::OneTable => "one party, with all rows",
            Self::Merge | Self::OwnNoise => "nobody but each custodian, with its own rows",
            Self::SplitTrust => "one of the two helpers",
            Self::Codes => "nobody with records; codes of single records leave",
        }
    }
}

/// What is to be expected of one way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedWay {
    /// The way.
    pub way: Way,
    /// Whether this version of the program can go it.
    pub exists: bool,
    /// What privacy does to the clustering; none for codes, which give distances and no centres.
    pub accuracy: Option<Accuracy>,
    /// How many clusters can be found, in a word.
    pub found: Option<Found>,
    /// The ε at which one table would have the same noise; none for merging and for codes.
    pub like_epsilon: Option<f64>,
    /// The error in the units of the columns whose bounds are known.
    pub columns: Vec<ColumnError>,
    /// For codes: the mean error of a distance, in parts of the error of answering the same distance for every pair.
    pub distance_error: Option<f64>,
}

/// What is to be expected of all ways.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PlannedConsortium {
    /// About how many rows all custodians have together.
    pub rows: u64,
    /// How many custodians there are.
    pub custodians: u64,
    /// How many columns the tables have.
    pub dims: usize,
    /// The number of clusters that is planned for.
    pub k: usize,
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
    /// Each way.
    pub ways: Vec<PlannedWay>,
    /// The way that this version of the program should go; none where none of its ways finds the clusters.
    pub recommended: Option<Way>,
    /// A way that would be better by more than a tenth and is not in this version.
    pub better_later: Option<Way>,
    /// What was assumed about the data.
    pub assumed: DataGuess,
}

impl Plan {
    /// A plan for about this many rows in all, held by so many custodians in tables of `dims` columns, `k` clusters, and an
    /// ε for each person.
    pub fn new(
        rows: u64,
        custodians: u64,
        dims: usize,
        k: impl IntoK,
        epsilon: impl IntoEpsilon,
    ) -> Result<Self, Error> {
        if rows == 0 {
            return Err(Error::Rows);
        }
        if !(2..=MOST_CUSTODIANS).contains(&custodians) {
            return Err(ConsortiumError::Custodians { given: custodians, most: MOST_CUSTODIANS }.into());
        }
        if rows < custodians {
            return Err(ConsortiumError::FewerRowsThanCustodians { rows, custodians }.into());
        }
        Ok(Self { rows, custodians, epsilon: epsilon.into_epsilon()?, asked: Asked::new(dims, k.into_k()?)? })
    }

    /// δ: the probability with which the guarantee may fail.
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.asked = self.asked.delta(delta)?;
        Ok(self)
    }

    /// A guess about the data, as for [`crate::Plan::spread`].
    pub fn spread(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.spread(share)?;
        Ok(self)
    }

    /// A guess about the data, as for [`crate::Plan::overlap`].
    pub fn overlap(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.overlap(share)?;
        Ok(self)
    }

    /// A guess about the data, as for [`crate::Plan::smallest`].
    pub fn smallest(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.smallest(share)?;
        Ok(self)
    }

    /// Bounds of some or all columns, such as `age=0:110`: errors are then stated in their units, too.
    pub fn bounds(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.bounds(text)?;
        Ok(self)
    }

    /// Predicts.
    pub fn run(&self) -> Result<PlannedConsortium, Error> {
        let columns = self.asked.in_units()?;
        let epsilon = self.epsilon.to_f64_up();
        let m = self.custodians as f64;
        let central = |share: f64| self.asked.at(self.rows, &about(epsilon * share));
        let of = |way: Way, accuracy: Accuracy, like: Option<f64>| way_of(&columns, way, Some(accuracy), like);
        let (rounds, split) = (1.0 / m.sqrt(), 0.5f64.sqrt());
        let ways = vec![
            of(Way::Merge, self.merged()?, None),
            of(Way::OwnNoise, central(rounds)?, Some(epsilon * rounds)),
            of(Way::SplitTrust, central(split)?, Some(epsilon * split)),
            PlannedWay { distance_error: self.codes()?, ..way_of(&columns, Way::Codes, None, None) },
            of(Way::OneTable, self.asked.at(self.rows, &self.epsilon)?, Some(epsilon)),
        ];
        let ratio = |way: Way| ways.iter().find(|it| it.way == way).and_then(|it| it.accuracy).map(|it| it.nicv_ratio);
        let finds =
            |way: Way| ways.iter().any(|it| it.way == way && it.found.is_some_and(|found| found != Found::TooNoisy));
        let better = |way: &Way| {
            let (own, merge) = (ratio(*way).unwrap_or(f64::INFINITY), ratio(Way::Merge).unwrap_or(f64::INFINITY));
            finds(*way) && own * AS_GOOD < merge
        };
        // Without helpers is better than with them, if it is as good.
        let better_later = [Way::OwnNoise, Way::SplitTrust].into_iter().filter(better).min_by(|a, b| {
            let of = |way: &Way| ratio(*way).unwrap_or(f64::INFINITY);
            let clearly = of(b) * AS_GOOD < of(a);
            if clearly { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
        });
        Ok(PlannedConsortium {
            rows: self.rows,
            custodians: self.custodians,
            dims: self.asked.dims(),
            k: ways[0].accuracy.map_or(1, |accuracy| accuracy.k),
            epsilon: self.epsilon.clone(),
            delta: self.asked.delta.clone(),
            recommended: finds(Way::Merge).then_some(Way::Merge),
            better_later,
            ways,
            assumed: self.asked.guess,
        })
    }

    /// What merging is expected to reach, where every custodian has as many rows. A custodian whose own centres move further
    /// than the rows of a cluster spread cannot show which of them belong together, however many are merged.
    fn merged(&self) -> Result<Accuracy, Error> {
        let m = self.custodians as f64;
        let mut own = self.asked.at(self.rows / self.custodians, &self.epsilon)?;
        if own.centre.0 > self.asked.guess.spread.0 {
            own.found = 0.0;
        }
        let share = own.found / own.k as f64;
        let centre = Widths((own.centre.0 / m.sqrt()).max(SMALLEST_MOVE));
        let moved = centre.0 / self.asked.guess.spread.0;
        Ok(Accuracy {
            centre,
            size: own.size.map(|size| size * m.sqrt()),
            nicv_ratio: 1.0 + moved * moved + (1.0 - share),
            ..own
        })
    }

    /// The error of distances that codes give at a true total of ε, in parts of that of a blind answer; none where no code
    /// fits it.
    fn codes(&self) -> Result<Option<f64>, Error> {
        let dims = self.asked.dims();
        match Price::of_range("0:1", dims)?.delta(&self.asked.delta)?.afford(&self.epsilon) {
            Ok(found) => Ok(Some(found.comparison.codes / found.comparison.blind)),
            Err(Error::Consortium(ConsortiumError::NothingAffordable { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn way_of(columns: &[PlannedColumn], way: Way, accuracy: Option<Accuracy>, like_epsilon: Option<f64>) -> PlannedWay {
    let in_units = |accuracy: Accuracy| columns.iter().map(|column| column.error(&accuracy)).collect();
    PlannedWay {
        way,
        exists: way.exists(),
        accuracy,
        found: accuracy.map(|accuracy| accuracy.verdict()),
        like_epsilon,
        columns: accuracy.map_or_else(Vec::new, in_units),
        distance_error: None,
    }
}

/// An ε for a forecast.
fn about(epsilon: f64) -> Epsilon {
    Amount::from_shortest_decimal(epsilon).map_or(Epsilon::ZERO, Epsilon::new)
}

impl PlannedConsortium {
    /// A way's forecast.
    pub fn of(&self, way: Way) -> Option<&PlannedWay> {
        self.ways.iter().find(|it| it.way == way)
    }
}
