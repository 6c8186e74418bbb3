//! How many rows, or which ε, a wanted accuracy needs: a search on the forecast.

use serde::Serialize;
use shoal_curator::{Accuracy, DataGuess, Found};
use shoal_lattice::Widths;
use shoal_privacy::Epsilon;

use super::{Asked, PlannedColumn};
use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::k::IntoK;
use crate::{Error, K};

/// The ε between which the smallest is looked for. Below, nothing is found; above, little is protected.
const EPSILONS: (f64, f64) = (0.01, 10.0);

/// The rows between which the fewest are looked for.
const ROWS: (f64, f64) = (10.0, 1e10);

/// Places that the search looks at first, evenly spread over the logarithm. A change of route may make the forecast jump,
/// so it is not taken to fall everywhere.
const PLACES: usize = 120;

/// ε of the table that is shown when neither rows nor ε are given.
const USUAL_EPSILONS: [f64; 4] = [0.1, 0.3, 1.0, 3.0];

/// Rows of that table.
const USUAL_ROWS: [u64; 6] = [300, 1_000, 3_000, 10_000, 100_000, 1_000_000];

/// A wanted accuracy, and what is known of the table and the budget.
///
/// ```
/// let answer = shoal::PlanTarget::new(3, 4, "age=1")?
///     .bounds("age=0:110,visits=0:50,income=0:200000")?
///     .rows(30_000)?
///     .run()?;
/// println!("{answer}");
/// assert!(answer.epsilon.is_some());
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanTarget {
    text: String,
    asked: Asked,
    rows: Option<u64>,
    epsilon: Option<Epsilon>,
}

/// One wanted accuracy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wanted {
    /// A column's centres within ± this much, in the column's units.
    Column {
        /// The column.
        column: String,
        /// The error that is wanted.
        plus_minus: f64,
    },
    /// All centres within ± this part of each column's range.
    Range {
        /// The error that is wanted.
        plus_minus: Widths,
    },
    /// The size of a cluster of average size within ± this many rows.
    Size {
        /// The error that is wanted.
        plus_minus: f64,
    },
    /// The same as a part of the average size.
    SizeShare {
        /// The error that is wanted.
        plus_minus: f64,
    },
}

/// What one number of rows and one ε give.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TargetedCell {
    /// About how many rows.
    pub rows: u64,
    /// ε.
    pub epsilon: Epsilon,
    /// What is expected.
    pub accuracy: Accuracy,
    /// Whether that is as accurate as wanted.
    pub met: bool,
}

/// What is needed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Needed<T> {
    /// The least that is enough.
    AtLeast(T),
    /// Even the smallest that is looked at is enough.
    Any(T),
    /// Not even the largest that is looked at is enough.
    MoreThan(T),
}

/// The answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Targeted {
    /// What was wanted, one by one.
    pub wanted: Vec<Wanted>,
    /// The number of clusters that is planned for.
    pub k: usize,
    /// The number of columns.
    pub dims: usize,
    /// Rows, where they were given.
    pub rows_given: Option<u64>,
    /// ε, where it was given.
    pub epsilon_given: Option<Epsilon>,
    /// The smallest ε for the rows that were given.
    pub epsilon: Option<Needed<Epsilon>>,
    /// The fewest rows for the ε that was given; for each usual ε when neither was.
    pub rows: Vec<(Epsilon, Needed<u64>)>,
    /// A table around the answer.
    pub around: Vec<TargetedCell>,
    /// What was assumed about the data.
    pub guess: DataGuess,
    /// The error that the table is about: a column's, or that of the range.
    pub(super) unit: Unit,
}

/// In what errors are shown.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The column, unless errors are shown as parts of the range.
    pub(super) column: Option<PlannedColumn>,
}

impl PlanTarget {
    /// A target for a fit of `k` clusters (or `auto`) in so many columns: `age=1`, in the column's units; `2%` of each
    /// column's range; `size=100` rows or `size=5%` of the average size; or several of them, separated by commas.
    pub fn new(dims: usize, k: impl IntoK, target: &str) -> Result<Self, Error> {
        let k: K = k.into_k()?;
        Ok(Self { text: target.into(), asked: Asked::new(dims, k)?, rows: None, epsilon: None })
    }

    /// About how many rows the table has: the smallest ε is looked for.
    pub fn rows(mut self, rows: u64) -> Result<Self, Error> {
        if rows == 0 {
            return Err(Error::Rows);
        }
        self.rows = Some(rows);
        Ok(self)
    }

    /// ε: the fewest rows are looked for.
    pub fn epsilon(mut self, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        self.epsilon = Some(epsilon.into_epsilon()?);
        Ok(self)
    }

    /// See [`Plan::delta`](super::Plan::delta).
    pub fn delta(mut self, delta: impl IntoDelta) -> Result<Self, Error> {
        self.asked = self.asked.delta(delta)?;
        Ok(self)
    }

    /// See [`Plan::spread`](super::Plan::spread).
    pub fn spread(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.spread(share)?;
        Ok(self)
    }

    /// See [`Plan::overlap`](super::Plan::overlap).
    pub fn overlap(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.overlap(share)?;
        Ok(self)
    }

    /// See [`Plan::smallest`](super::Plan::smallest).
    pub fn smallest(mut self, share: f64) -> Result<Self, Error> {
        self.asked = self.asked.smallest(share)?;
        Ok(self)
    }

    /// See [`Plan::bounds`](super::Plan::bounds). A target in a column's units needs them.
    pub fn bounds(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.bounds(text)?;
        Ok(self)
    }

    /// See [`Plan::scale`](super::Plan::scale). A target for a stretched column is about a centre in the middle of its
    /// stretched bounds.
    pub fn scale(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.scale(text)?;
        Ok(self)
    }

    /// See [`Plan::weight`](super::Plan::weight).
    pub fn weight(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.weight(text)?;
        Ok(self)
    }

    /// See [`Plan::categories`](super::Plan::categories).
    pub fn categories(mut self, text: &str) -> Result<Self, Error> {
        self.asked = self.asked.categories(text)?;
        Ok(self)
    }

    /// Searches.
    pub fn run(&self) -> Result<Targeted, Error> {
        let columns = self.asked.in_units()?;
        let parts = self.text.split(',').map(|part| self.wanted(part.trim(), &columns));
        let wanted = parts.collect::<Result<Vec<_>, _>>()?;
        let in_rows = wanted.iter().any(|wanted| matches!(wanted, Wanted::Size { .. }));
        if self.rows.is_none() && in_rows {
            let why = "an error in rows grows with the table, so it needs a number of rows; give that, or a share of the \
                average size such as size=5%";
            return Err(Error::Target { text: self.text.clone(), why: why.into() });
        }
        let limits = Limits::of(&wanted, &columns);
        // Whatever is wrong with k, columns or δ is found once; after that a forecast does not fail.
        let some = self.rows.unwrap_or(USUAL_ROWS[0]);
        let any = self.epsilon.clone().map_or_else(|| epsilon_of(1.0), Ok)?;
        let auto = self.asked.auto(some, &any)?;
        let k = self.asked.planned_k(&auto, some as f64);
        let cell = |rows: u64, epsilon: &Epsilon| -> Result<TargetedCell, Error> {
            let accuracy = self.asked.at(rows, epsilon)?;
            Ok(TargetedCell { rows, epsilon: epsilon.clone(), met: limits.met(&accuracy, rows), accuracy })
        };
        let least_epsilon = |rows: u64| -> Result<Needed<Epsilon>, Error> {
            let found = least(EPSILONS, |epsilon| Ok(cell(rows, &epsilon_of(epsilon)?)?.met))?;
            Ok(match found {
                Needed::AtLeast(epsilon) => Needed::AtLeast(epsilon_of(epsilon)?),
                Needed::Any(epsilon) => Needed::Any(epsilon_of(epsilon)?),
                Needed::MoreThan(epsilon) => Needed::MoreThan(epsilon_of(epsilon)?),
            })
        };
        let least_rows = |epsilon: &Epsilon| -> Result<Needed<u64>, Error> {
            let found = least((ROWS.0.max(k as f64), ROWS.1), |rows| Ok(cell(rows as u64, epsilon)?.met))?;
            Ok(match found {
                Needed::AtLeast(rows) => Needed::AtLeast(rows as u64),
                Needed::Any(rows) => Needed::Any(rows as u64),
                Needed::MoreThan(rows) => Needed::MoreThan(rows as u64),
            })
        };
        let epsilon = self.rows.map(least_epsilon).transpose()?;
        let epsilons = match (&self.epsilon, self.rows) {
            (Some(epsilon), _) => vec![epsilon.clone()],
            (None, Some(_)) => Vec::new(),
            (None, None) => USUAL_EPSILONS.iter().map(|&epsilon| epsilon_of(epsilon)).collect::<Result<_, _>>()?,
        };
        let rows: Result<Vec<(Epsilon, Needed<u64>)>, Error> =
            epsilons.into_iter().map(|epsilon| least_rows(&epsilon).map(|rows| (epsilon, rows))).collect();
        let rows = rows?;
        let mut around = Vec::new();
        match (self.rows, &self.epsilon, &epsilon) {
            (Some(rows), _, Some(needed)) => {
                for epsilon in neighbours(needed.value().to_f64_up(), EPSILONS) {
                    around.push(cell(rows, &epsilon_of(epsilon)?)?);
                }
            }
            (None, Some(epsilon), _) => {
                for (_, needed) in &rows {
                    for rows in neighbours(*needed.value() as f64, ROWS) {
                        around.push(cell(rows as u64, epsilon)?);
                    }
                }
            }
            _ => {
                for rows in USUAL_ROWS {
                    for epsilon in USUAL_EPSILONS {
                        around.push(cell(rows, &epsilon_of(epsilon)?)?);
                    }
                }
            }
        }
        let of_column = wanted.iter().find_map(|wanted| match wanted {
            Wanted::Column { column, .. } => columns.iter().find(|known| known.name == *column).cloned(),
            _ => None,
        });
        Ok(Targeted {
            k,
            dims: self.asked.dims(),
            rows_given: self.rows,
            epsilon_given: self.epsilon.clone(),
            epsilon,
            rows,
            around,
            unit: Unit { column: of_column },
            guess: self.asked.guess,
            wanted,
        })
    }

    /// One part of the target.
    fn wanted(&self, part: &str, columns: &[PlannedColumn]) -> Result<Wanted, Error> {
        let wrong = |why: String| Error::Target { text: part.into(), why };
        let how = "write age=1 (in the column's units), 2% (of each column's range) or size=100 (rows)";
        let positive = |text: &str| -> Result<f64, Error> {
            let number: f64 = text.trim().parse().map_err(|_| wrong(format!("`{text}` is not a number; {how}")))?;
            if number > 0.0 && number.is_finite() {
                Ok(number)
            } else {
                Err(wrong("an error of 0 or less cannot be reached with privacy; give a number above 0".into()))
            }
        };
        let Some((name, value)) = part.split_once('=') else {
            let Some(share) = part.strip_suffix('%') else {
                return Err(wrong(format!("it names neither a column nor a share of the range; {how}")));
            };
            let share = positive(share)?;
            if share >= 50.0 {
                return Err(wrong("half of the range or more is met by any guess; give a smaller share".into()));
            }
            return Ok(Wanted::Range { plus_minus: Widths(share / 100.0) });
        };
        let (name, value) = (name.trim(), value.trim());
        if let Some(column) = columns.iter().find(|column| column.name == name) {
            let plus_minus = match value.strip_suffix('%') {
                Some(share) => column.in_user(Widths(positive(share)? / 100.0 * column.width().0)),
                None => positive(value)?,
            };
            if column.in_widths(plus_minus).0 >= 0.5 * column.width().0 {
                let width = column.interval.width();
                let column = &column.name;
                let why =
                    format!("the range of {column} is {width} wide, so any guess meets that; give a smaller error");
                return Err(wrong(why));
            }
            return Ok(Wanted::Column { column: column.name.clone(), plus_minus });
        }
        if name == "size" {
            return Ok(match value.strip_suffix('%') {
                Some(share) => Wanted::SizeShare { plus_minus: positive(share)? / 100.0 },
                None => Wanted::Size { plus_minus: positive(value)? },
            });
        }
        if columns.is_empty() {
            return Err(Error::TargetNeedsBounds { column: name.into() });
        }
        let known = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ");
        Err(wrong(format!("there are bounds of {known}, and none of {name}; add {name}=LO:HI to them")))
    }
}

/// What an accuracy has to keep.
struct Limits {
    centre: Option<Widths>,
    size: Option<f64>,
    size_share: Option<f64>,
}

impl Limits {
    fn of(wanted: &[Wanted], columns: &[PlannedColumn]) -> Self {
        let known = |name: &str| columns.iter().find(|column| column.name == name);
        // The range of a lighter column is shorter in the box.
        let lightest = columns.first().map_or(Widths(1.0), PlannedColumn::least_width);
        let least = |of: &dyn Fn(&Wanted) -> Option<f64>| wanted.iter().filter_map(of).reduce(f64::min);
        let centre = least(&|wanted| match wanted {
            Wanted::Column { column, plus_minus } => known(column).map(|column| column.in_widths(*plus_minus).0),
            Wanted::Range { plus_minus } => Some(plus_minus.0 * lightest.0),
            Wanted::Size { .. } | Wanted::SizeShare { .. } => None,
        });
        let size = least(&|wanted| if let Wanted::Size { plus_minus } = wanted { Some(*plus_minus) } else { None });
        let size_share =
            least(&|wanted| if let Wanted::SizeShare { plus_minus } = wanted { Some(*plus_minus) } else { None });
        Self { centre: centre.map(Widths), size, size_share }
    }

    /// The clusters are found, and every limit is kept.
    fn met(&self, accuracy: &Accuracy, rows: u64) -> bool {
        let average = rows as f64 / accuracy.k as f64;
        let size_within = |limit: f64| accuracy.size_plus_minus().is_some_and(|size| size <= limit);
        accuracy.verdict() == Found::All
            && self.centre.is_none_or(|limit| accuracy.centre_plus_minus() <= limit)
            && self.size.is_none_or(size_within)
            && self.size_share.is_none_or(|share| size_within(share * average))
    }
}

impl<T> Needed<T> {
    /// The number itself.
    pub fn value(&self) -> &T {
        match self {
            Self::AtLeast(value) | Self::Any(value) | Self::MoreThan(value) => value,
        }
    }
}

/// The least place from which on all places are good, to two digits and rounded up.
fn least((low, high): (f64, f64), good: impl Fn(f64) -> Result<bool, Error>) -> Result<Needed<f64>, Error> {
    let place = |i: usize| low * (high / low).powf(i as f64 / PLACES as f64);
    if !good(high)? {
        return Ok(Needed::MoreThan(high));
    }
    let mut first = PLACES;
    while first > 0 && good(place(first - 1))? {
        first -= 1;
    }
    if first == 0 {
        return Ok(Needed::Any(low));
    }
    let (mut bad, mut enough) = (place(first - 1), place(first));
    for _ in 0..30 {
        let middle = (bad * enough).sqrt();
        if good(middle)? { enough = middle } else { bad = middle }
    }
    Ok(Needed::AtLeast(two_digits_up(enough).min(high)))
}

/// The next number of two digits.
fn two_digits_up(value: f64) -> f64 {
    let step = 10f64.powi(value.log10().floor() as i32 - 1);
    let rounded = (value / step * (1.0 - 1e-12)).ceil() * step;
    // Free of the last bits of a double: 0.07, not 0.07000000000000001.
    format!("{rounded:.10}").parse().unwrap_or(rounded)
}

/// A quarter, half, once, twice and four times, within limits.
fn neighbours(value: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let times = [0.25, 0.5, 1.0, 2.0, 4.0].map(|factor| two_digits_up(value * factor));
    times.into_iter().filter(|&value| value >= low && value <= high).collect()
}

fn epsilon_of(value: f64) -> Result<Epsilon, Error> {
    value.into_epsilon()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_place_is_found_and_rounded_up() {
        let above = |limit: f64| move |x: f64| Ok(x >= limit);
        assert_eq!(least(EPSILONS, above(0.0731)).unwrap(), Needed::AtLeast(0.074));
        assert_eq!(least(EPSILONS, above(0.001)).unwrap(), Needed::Any(0.01));
        assert_eq!(least(EPSILONS, above(20.0)).unwrap(), Needed::MoreThan(10.0));
        // Where a stretch in between is bad again, the answer lies beyond it.
        let gap = |x: f64| Ok(x > 0.1 && !(0.5..0.895).contains(&x));
        assert_eq!(least(EPSILONS, gap).unwrap(), Needed::AtLeast(0.9));
    }

    #[test]
    fn two_digits_are_enough_and_never_less() {
        assert_eq!([0.0701, 0.07, 123.0, 99.5, 1.0].map(two_digits_up), [0.071, 0.07, 130.0, 100.0, 1.0]);
    }
}
