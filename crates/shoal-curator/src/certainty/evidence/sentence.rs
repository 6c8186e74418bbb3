//! The evidence in words.

use std::fmt;

use crate::Evidence;

impl Evidence {
    /// What to warn of when `k` clusters were asked for; none where the release supports as many.
    ///
    /// ```
    /// use shoal_curator::{Evidence, GapOfK};
    ///
    /// let of = |k, gap| GapOfK { k, gap, error: 0.01, explained: 0.0 };
    /// let none = Evidence { tried: vec![of(1, 0.0), of(2, -0.1), of(3, -0.2)], needed: 0.1, supported: 1, undecided: vec![] };
    /// assert!(none.warning(3).is_some_and(|text| text.contains("no better than")));
    /// assert_eq!(none.warning(1), None);
    /// ```
    pub fn warning(&self, k: usize) -> Option<String> {
        if k <= 1 || self.supported >= k || self.supported >= self.most_tried() || self.is_undecided(k) {
            return None;
        }
        Some(match self.supported {
            1 => format!(
                "No clusters show: these {k} groups divide the rows no better than they would divide an even spread."
            ),
            m => format!(
                "The release supports only {m} clusters: dividing the rows into {k} is no better than dividing an even spread further."
            ),
        })
    }

    /// Whether `k` is one of several numbers of clusters between which the release does not decide.
    pub fn is_undecided(&self, k: usize) -> bool {
        !self.undecided.is_empty() && (k == self.supported || self.undecided.contains(&k))
    }

    /// The largest number of clusters that was tried.
    pub fn most_tried(&self) -> usize {
        self.tried.last().map_or(1, |last| last.k)
    }

    /// Whether the gaps alone show clusters.
    pub(crate) fn gaps_show(&self) -> bool {
        self.tried.iter().any(|of| of.gap >= self.needed)
    }

    fn gap(&self, k: usize) -> f64 {
        self.tried.iter().find(|of| of.k == k).map_or(0.0, |of| of.gap)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (most, needed) = (self.most_tried(), self.needed);
        let best = self.tried.iter().map(|of| of.gap).fold(0.0, f64::max);
        match self.supported {
            0 | 1 if most <= 1 => f.write_str("No clusters show: there is a single cell."),
            0 | 1 => write!(
                f,
                "No clusters show: no number up to {most} divides the rows clearly better than an even spread (largest gap {best:.2}, needed {needed:.2})."
            ),
            k if !self.gaps_show() => write!(
                f,
                "{k} clusters: rows counted along the line between two halves are in two heaps, though no number up to {most} divides the cells clearly better than an even spread (largest gap {best:.2}, needed {needed:.2})."
            ),
            k => write!(
                f,
                "{k} clusters divide the rows better than an even spread (gap {:.2}, needed {needed:.2}; up to {most} were tried).",
                self.gap(k)
            ),
        }
    }
}
