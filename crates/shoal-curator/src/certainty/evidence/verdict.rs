//! From fits to a verdict.
//!
//! gap_k = mean_b ln(W*_k/W*_1) − ln(W_k/W_1), with W* those of the B reference tables; gap_1 = 0. From j to k clusters the fit
//! of the data improves by D = ln(W_j/W_k) and that of the references by R = mean_b ln(W*_j/W*_k), with an error
//! s = √(1 + 1/B) standard deviations of ln(W*_j/W*_k) over the references. So D − R = gap_k − gap_j.
//!
//! 1. Clusters show if for some k the gap is at least max(0.12·R, 2s, 0.02) from 1 to k ([`Threshold::SHOWS`]).
//! 2. Then the number of clusters is the smallest k from 2 on from which no larger one is better, by max(0.2·R, 2s, 0.01)
//!    ([`Threshold::BETTER`]).
//! 3. Other numbers are left undecided when the gap between them and that number is less than one threshold away from where
//!    step 2 would have decided otherwise ([`CLOSE`]).
//!
//! Gaps are compared with R, which is what even rows would gain from the same division. In ten attributes that is a tenth of
//! what it is in two, because cells are coarse and centres far apart; a fixed threshold that suits one is wrong for the other.

use crate::{Evidence, GapOfK};

/// How much more than even rows the data must gain.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// As a part of what even rows gain.
    pub part: f64,
    /// In standard errors.
    pub errors: f64,
    /// In natural logarithms, at least.
    pub least: f64,
}

impl Threshold {
    /// For clusters to show at all.
    pub const SHOWS: Self = Self { part: 0.12, errors: 2.0, least: 0.02 };
    /// For more clusters to be better than fewer.
    pub const BETTER: Self = Self { part: 0.2, errors: 2.0, least: 0.01 };
}

/// How near to its threshold a gap between two numbers of clusters may be, in thresholds, for the choice between them to be
/// undecided: a larger number is better than an even spread, though not clearly, or a smaller one is only just worse.
const CLOSE: f64 = 1.0;

/// Evidence, and what it would support if clusters were known to be there.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The evidence.
    pub evidence: Evidence,
    /// The number of clusters by step 2 alone, whether or not step 1 shows any; 1 where nothing can be divided.
    pub if_any: usize,
}

/// The evidence in the fits of the data and of the reference tables; none where these fits do not exist.
pub fn verdict(data: &[f64], references: &[Vec<f64>]) -> Option<Weighed> {
    verdict_by(data, references, Threshold::SHOWS, Threshold::BETTER)
}

/// [`verdict`] by other thresholds.
pub fn verdict_by(data: &[f64], references: &[Vec<f64>], show: Threshold, better: Threshold) -> Option<Weighed> {
    let most = references.iter().map(Vec::len).chain([data.len()]).min().filter(|&most| most > 0)?;
    let fits = Fits::new(data, references, most)?;
    let shows = |k: usize| fits.step(1, k).needed(show);
    let tried: Vec<GapOfK> = (1..=most)
        .map(|k| {
            let step = fits.step(1, k);
            GapOfK { k, gap: step.gap(), error: step.error, explained: 1.0 - (-step.data).exp() }
        })
        .collect();
    // The k whose gap is largest compared with what it needs.
    let ratio = |k: &usize| tried[k - 1].gap / shows(*k);
    let clearest = (2..=most).max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let needed = clearest.map_or(show.least, shows);
    let is_better = |k: usize, than: usize| {
        let step = fits.step(than, k);
        step.gap() >= step.needed(better)
    };
    let if_any = (2..most).find(|&k| (k + 1..=most).all(|more| !is_better(more, k))).unwrap_or(most);
    let shown = clearest.is_some_and(|k| tried[k - 1].gap >= needed);
    let supported = if shown { if_any } else { 1 };
    let close = |k: &usize| {
        let step = fits.step(if_any.min(*k), if_any.max(*k));
        let times = step.gap() / step.needed(better);
        *k != if_any && (times - 1.0).abs() < CLOSE
    };
    let undecided = if shown { (2..=most).filter(close).collect() } else { Vec::new() };
    Some(Weighed { evidence: Evidence { tried, needed, supported, undecided }, if_any })
}

/// Logarithms of fits, from one cluster on.
struct Fits {
    data: Vec<f64>,
    references: Vec<Vec<f64>>,
}

/// What more clusters gain.
struct Gain {
    /// D: for the data.
    data: f64,
    /// R: for even rows.
    even: f64,
    /// s: of the difference.
    error: f64,
}

impl Gain {
    fn gap(&self) -> f64 {
        self.data - self.even
    }

    fn needed(&self, threshold: Threshold) -> f64 {
        let Threshold { part, errors, least } = threshold;
        (part * self.even).max(errors * self.error).max(least)
    }
}

impl Fits {
    /// None where there is nothing to divide.
    fn new(data: &[f64], references: &[Vec<f64>], most: usize) -> Option<Self> {
        if references.is_empty()
            || references.iter().map(|fits| fits[0]).chain([data[0]]).any(|fit| fit.is_nan() || fit <= 0.0)
        {
            return None;
        }
        // Fits of zero (as many clusters as points) have no logarithm; far below the spread of a lattice step they are alike.
        let logs = |fits: &[f64]| fits[..most].iter().map(|fit| fit.max(1e-12).ln()).collect();
        Some(Self { data: logs(data), references: references.iter().map(|fits| logs(fits)).collect() })
    }

    /// From `j` to `k` clusters.
    fn step(&self, j: usize, k: usize) -> Gain {
        let of = |fits: &Vec<f64>| fits[j - 1] - fits[k - 1];
        let tables = self.references.len() as f64;
        let even = self.references.iter().map(of).sum::<f64>() / tables;
        let squares = self.references.iter().map(|fits| (of(fits) - even).powi(2)).sum::<f64>();
        let variance = squares / (tables - 1.0).max(1.0);
        Gain { data: of(&self.data), even, error: ((1.0 + 1.0 / tables) * variance).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fits that fall by the given factors.
    fn falling(factors: &[f64]) -> Vec<f64> {
        let mut fit = 0.3;
        std::iter::once(0.3)
            .chain(factors.iter().map(|factor| {
                fit *= factor;
                fit
            }))
            .collect()
    }

    fn references(factors: &[f64]) -> Vec<Vec<f64>> {
        [0.99, 1.0, 1.01].map(|by| falling(&factors.iter().map(|f| f * by).collect::<Vec<_>>())).into()
    }

    #[test]
    fn the_number_is_where_the_data_stop_gaining_more_than_even_rows() {
        let even = references(&[0.7, 0.75, 0.8, 0.85, 0.9]);
        let three = verdict(&falling(&[0.5, 0.3, 0.95, 0.95, 0.95]), &even).unwrap().evidence;
        assert_eq!((three.supported, three.tried.len()), (3, 6));
        assert!(three.tried[2].gap > three.needed && three.tried[0].gap == 0.0 && three.tried[0].explained == 0.0);
        assert!((three.tried[2].explained - 0.85).abs() < 1e-9);
        let none = verdict(&falling(&[0.71, 0.76, 0.8, 0.85, 0.9]), &even).unwrap();
        assert_eq!((none.evidence.supported, none.if_any), (1, 2));
        // Two clusters may be hidden from k = 2: what counts is the best k.
        let late = verdict(&falling(&[0.7, 0.75, 0.2, 0.97, 0.97]), &even).unwrap();
        assert_eq!(late.evidence.supported, 4);
    }

    #[test]
    fn numbers_that_fit_about_as_well_are_left_undecided() {
        let even = references(&[0.7, 0.75, 0.8, 0.85, 0.9]);
        let found = |factors: &[f64]| {
            let evidence = verdict(&falling(factors), &even).unwrap().evidence;
            (evidence.supported, evidence.undecided)
        };
        assert_eq!(found(&[0.5, 0.3, 0.95, 0.95, 0.95]), (3, vec![]), "a plain case");
        // Four are a little better than an even spread would be, and less than step 2 wants.
        assert_eq!(found(&[0.5, 0.3, 0.785, 0.95, 0.95]), (3, vec![4]));
        // Three only just pass.
        assert_eq!(found(&[0.4, 0.69, 0.95, 0.95, 0.95]), (3, vec![2]));
        assert_eq!(found(&[0.71, 0.76, 0.8, 0.85, 0.9]), (1, vec![]), "no clusters, no doubt about their number");
    }

    #[test]
    fn an_end_in_sight_is_not_a_verdict_of_more() {
        let even = references(&[0.7, 0.75]);
        assert_eq!(verdict(&falling(&[0.4, 0.3]), &even).unwrap().evidence.supported, 3);
    }

    #[test]
    fn odd_fits_give_no_verdict_or_a_modest_one() {
        assert_eq!(verdict(&[], &[vec![0.3]]), None);
        assert_eq!(verdict(&[0.3], &[]), None);
        assert_eq!(verdict(&[0.0, 0.0], &[vec![0.3, 0.2]]), None);
        assert_eq!(verdict(&[0.3, 0.0], &[vec![0.0, 0.0]]), None);
        let one = verdict(&[0.3, 0.1], &[vec![0.3]]).unwrap().evidence;
        assert_eq!((one.supported, one.tried.len()), (1, 1));
        let points = verdict(&[0.3, 0.0, 0.0], &[vec![0.3, 0.2, 0.1], vec![0.3, 0.2, 0.1]]).unwrap();
        assert_eq!(points.evidence.supported, 2);
    }
}
