//! A column of words with public levels, as coordinates of the lattice: one indicator for each level.
//!
//! # Coordinates
//! A category with levels a, b and c takes three coordinates. A row has 1 in the coordinate of its level and 0 in the others; a
//! row whose cell is no level, called *other* here, has 0 in all of them. So the mean of an indicator over the rows of a
//! cluster is the share of its level there, and what the shares leave of 1 is the share of other rows. Where gaps are to be a
//! level of their own, they have a further indicator, `missing`. Each indicator is an ordinary column with bounds 0 and 1,
//! called `gender=F`: methods, scans, shards and questions know nothing about categories.
//!
//! # Weight
//! Let w be the weight of the category ([`Category::DEFAULT_WEIGHT`] unless another is given). Two rows of different levels are
//! then as far from each other as two rows that differ by the part w of the range of a column of weight 1. They differ in two
//! indicators, so each indicator has the weight w/√2. A row of a level and an *other* row differ in one indicator and are
//! nearer to each other, by the factor 1/√2. A category of one indicator has nothing but such pairs: its weight is w.
//!
//! # Sensitivity
//! On the lattice an indicator is at −p·H or p·H, with H = `HALF_WIDTH` and p ≤ 1 its part ([`LatticeMap::part`]): 0 is the lower
//! end of its interval and 1 the upper one. Of the L indicators of a category at most one is at p·H, whatever the cell holds.
//! Let v be the change of the sums of a cluster over these L coordinates.
//!
//! | neighbours | largest coordinate of v | Σ\|v_i\| | in counts of rows per level, with the number of rows |
//! |---|---|---|---|
//! | one row more or less | p·H | L·p·H | one count by 1, the number of rows by 1 |
//! | one row replaced | 2p·H, in two coordinates | 4p·H | two counts by 1 |
//!
//! The mechanisms of the curator are calibrated for any change within a box: every coordinate by at most H, or by the
//! half-width to which distances were clipped, all at once. Every row of the table above is in that box, so their losses hold
//! as they are, with no new proof. They are larger than they would have to be by two facts that are not used: that an
//! indicator of low weight moves by p·H only (clipped sums, which `auto` refines with, are fitted to the cluster's own width
//! and so do use it), and the last column, that a row moves one count of a level only. A K-norm for the hull of the changes,
//! the cube of the numbers times a cross-polytope for each category, would use the latter; its exact sampler does not exist
//! here. Trees and grids count rows in boxes. There one row changes one count by 1, with or without categories.
//!
//! Rows of persons are means of rows. The mean of points of a box lies in the box, and indicators of a mean are the shares of
//! a person's rows.
//!
//! [`LatticeMap::part`]: crate::LatticeMap::part

use serde::{Deserialize, Serialize};

use crate::bounds::BoundsError;

/// A column of words and its public levels.
///
/// ```
/// use shoal_lattice::Category;
///
/// let gender = Category::new("gender", ["F", "M", "X"])?;
/// assert_eq!(gender.coordinates().collect::<Vec<_>>(), ["gender=F", "gender=M", "gender=X"]);
/// assert_eq!(gender.size(), 3);
/// assert!(Category::new("gender", ["F", "F"]).is_err());
/// # Ok::<(), shoal_lattice::BoundsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Plain", into = "Plain")]
pub struct Category {
    column: String,
    levels: Vec<String>,
    counts_gaps: bool,
    weight: f64,
}

/// The fields as a file has them, before they are checked.
#[derive(Clone, Serialize, Deserialize)]
struct Plain {
    column: String,
    levels: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    counts_gaps: bool,
    weight: f64,
}

impl Category {
    /// The weight of a category where none is given: a mismatch counts like half of the range of a column.
    pub const DEFAULT_WEIGHT: f64 = 0.5;

    /// The most levels of a category.
    pub const MOST_LEVELS: usize = 500;

    /// What a row without a level of the list counts as.
    pub const OTHER: &'static str = "other";

    /// What a gap counts as, where gaps are a level of their own.
    pub const MISSING: &'static str = "missing";

    /// The longest level, in bytes.
    const LONGEST: usize = 200;

    /// A category with these levels.
    ///
    /// # Errors
    /// No level, more than [`Self::MOST_LEVELS`], one that is empty, repeated, too long, or has blanks around it or characters
    /// that cannot be printed, and one called `other`.
    pub fn new<L: Into<String>>(
        column: impl Into<String>,
        levels: impl IntoIterator<Item = L>,
    ) -> Result<Self, BoundsError> {
        let column = column.into();
        let levels: Vec<String> = levels.into_iter().map(Into::into).collect();
        let refuse = |why: String| Err(BoundsError::Levels { column: column.clone(), why });
        if column.is_empty() {
            return refuse("a category needs the name of its column".into());
        }
        if levels.is_empty() {
            return refuse("it has no levels; list them, as in gender=F|M|X".into());
        }
        if levels.len() > Self::MOST_LEVELS {
            return refuse(format!(
                "{} levels are more than {}; every level is a coordinate with noise of its own. List the frequent ones, or \
                 coarser ones; all others count as `other`",
                levels.len(),
                Self::MOST_LEVELS
            ));
        }
        let mut seen = std::collections::BTreeSet::new();
        for (i, level) in levels.iter().enumerate() {
            let nth = i + 1;
            if level.is_empty() {
                return refuse(format!("level {nth} is empty; a gap is no level (give `category` for missing values)"));
            }
            if level.trim() != level || level.chars().any(shoal_privacy::is_unprintable) {
                return refuse(format!(
                    "level {nth} has blanks around it, or characters that cannot be printed; take them away"
                ));
            }
            if level.len() > Self::LONGEST {
                return refuse(format!("level {nth} is longer than {} bytes; is this the right file?", Self::LONGEST));
            }
            if level == Self::OTHER {
                return refuse(format!("`{level}` is what all other values count as; leave it out of the list"));
            }
            if !seen.insert(level) {
                return refuse(format!("the level `{level}` is listed twice; keep one of them"));
            }
        }
        Ok(Self { column, levels, counts_gaps: false, weight: Self::DEFAULT_WEIGHT })
    }

    /// The same with gaps as a level of their own, `missing`.
    ///
    /// # Errors
    /// A level of the list has that name.
    pub fn counting_gaps(self) -> Result<Self, BoundsError> {
        if self.levels.iter().any(|level| level == Self::MISSING) {
            let why = format!("`{}` is what gaps count as; leave it out of the list", Self::MISSING);
            return Err(BoundsError::Levels { column: self.column, why });
        }
        Ok(Self { counts_gaps: true, ..self })
    }

    /// The same with this weight.
    ///
    /// # Errors
    /// A weight that is no number above zero.
    pub fn weighing(self, weight: f64) -> Result<Self, BoundsError> {
        crate::scaling::checked(&self.column, Some(weight))?;
        Ok(Self { weight, ..self })
    }

    /// The same for a column that is called otherwise.
    #[must_use]
    pub fn called(&self, column: &str) -> Self {
        Self { column: column.into(), ..self.clone() }
    }

    /// The column.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The levels that were listed.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// Whether gaps are a level of their own.
    pub fn counts_gaps(&self) -> bool {
        self.counts_gaps
    }

    /// Its weight: how much a mismatch counts, as a part of the range of a column of weight 1.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Number of indicators.
    pub fn size(&self) -> usize {
        self.levels.len() + usize::from(self.counts_gaps)
    }

    /// The place of a word among [`Self::shown_levels`], or one beyond them where it counts as *other*. Blanks around it do not
    /// count. A gap is an *other* value, unless gaps are a level.
    pub fn outcome(&self, word: Option<&str>) -> usize {
        match word.map(str::trim).filter(|word| !word.is_empty()) {
            Some(word) => self.levels.iter().position(|level| level == word).unwrap_or(self.size()),
            None if self.counts_gaps => self.levels.len(),
            None => self.size(),
        }
    }

    /// What the indicators stand for, in order: the levels, and `missing` where gaps are one.
    pub fn shown_levels(&self) -> impl Iterator<Item = &str> {
        let missing = self.counts_gaps.then_some(Self::MISSING);
        self.levels.iter().map(String::as_str).chain(missing)
    }

    /// The names of the coordinates, in order.
    pub fn coordinates(&self) -> impl Iterator<Item = String> + '_ {
        self.shown_levels().map(|level| format!("{}={level}", self.column))
    }

    /// The weight of each indicator.
    pub(crate) fn indicator_weight(&self) -> f64 {
        if self.size() == 1 { self.weight } else { self.weight * std::f64::consts::FRAC_1_SQRT_2 }
    }
}

impl From<Category> for Plain {
    fn from(Category { column, levels, counts_gaps, weight }: Category) -> Self {
        Self { column, levels, counts_gaps, weight }
    }
}

impl TryFrom<Plain> for Category {
    type Error = BoundsError;

    fn try_from(Plain { column, levels, counts_gaps, weight }: Plain) -> Result<Self, BoundsError> {
        let category = Self::new(column, levels)?.weighing(weight)?;
        if counts_gaps { category.counting_gaps() } else { Ok(category) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(levels: &[&str]) -> String {
        Category::new("region", levels.iter().copied()).map_or_else(|error| error.to_string(), |_| "accepted".into())
    }

    #[test]
    fn lists_that_make_no_sense_are_refused_with_the_fix() {
        assert!(refused(&[]).contains("no levels"));
        assert!(refused(&["a", ""]).contains("level 2 is empty"));
        assert!(refused(&["a", "b", "a"]).contains("`a` is listed twice"));
        assert!(refused(&["a", " b"]).contains("blanks"));
        assert!(refused(&["a", "b\u{7}"]).contains("cannot be printed") && refused(&["a\u{202e}"]).contains("printed"));
        assert!(refused(&["a", "other"]).contains("leave it out"));
        assert!(refused(&[&"x".repeat(201)]).contains("longer"));
        assert_eq!(refused(&["a", "b", "ä ö", "0", "NA"]), "accepted");
        let many: Vec<String> = (0..5000).map(|i| i.to_string()).collect();
        let error = Category::new("zip", many).unwrap_err().to_string();
        assert!(error.contains("5000 levels") && error.contains("`zip`"), "{error}");
        assert!(Category::new("x", ["missing"]).unwrap().counting_gaps().is_err());
        assert!(Category::new("x", ["a"]).unwrap().weighing(0.0).is_err());
    }

    #[test]
    fn a_category_is_written_and_read_back_checked() {
        let one = Category::new("x", ["a", "b"]).unwrap().weighing(2.0).unwrap();
        for category in [one.clone(), one.counting_gaps().unwrap()] {
            let json = serde_json::to_string(&category).unwrap();
            assert_eq!(serde_json::from_str::<Category>(&json).unwrap(), category);
            assert!(serde_json::from_str::<Category>(&json.replace("\"b\"", "\"a\"")).is_err());
        }
    }

    #[test]
    fn mismatches_are_as_far_apart_as_the_weight_states() {
        let single = Category::new("x", ["a"]).unwrap().weighing(0.3).unwrap();
        assert_eq!(single.indicator_weight(), 0.3);
        let three = Category::new("x", ["a", "b", "c"]).unwrap();
        assert!((three.indicator_weight() * 2f64.sqrt() - 0.5).abs() < 1e-15);
    }
}
