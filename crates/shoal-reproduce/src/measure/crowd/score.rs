//! How good a server's clusters of reports are.

use shoal_kernel::assign_min_cost;
use shoal_kernel::score::{Contingency, Normalizer, SameMembers, adjusted_rand_index, normalized_mutual_information};

use super::Crowd;
use crate::Failure;

/// What a run reports, in the order of [`Score::values`].
pub const MEASURES: &[&str] = &["re", "re_matched", "centres", "sse", "nicv", "ari", "nmi"];

/// The measures of the crowd papers. Every attribute has a width of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// RE over the members of each true cluster: their records against their reports.
    pub re: f64,
    /// RE over matched clusters, to the letter: sums are subtracted, and the sum of an empty cluster is zero.
    pub re_matched: f64,
    /// Distances between the true clusters' means and the server's centres matched with them, added up.
    pub centres: f64,
    /// Squared distances of the records from the centre that their report belongs to, added up. On k-means centres this
    /// is YTL22's SSE, whose centres are the means of the reports.
    pub sse: f64,
    /// Mean squared distance of the records from the nearest centre, whatever their reports say.
    pub nicv: f64,
    /// Agreement of the reports' clusters with the true ones.
    pub ari: f64,
    /// Shared information of the two.
    pub nmi: f64,
}

impl Score {
    /// As a record of a cell with [`MEASURES`].
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        vec![self.re, self.re_matched, self.centres, self.sse, self.nicv, self.ari, self.nmi]
    }
}

impl Crowd {
    /// Holds reports and the centres that a server found in them against the records.
    pub fn score(&self, reports: &[f64], centres: &[f64]) -> Result<Score, Failure> {
        let (dims, k) = (self.dims, self.k);
        let mut same_members = SameMembers::new(k, dims)?;
        let mut groups = Contingency::default();
        let (mut of_records, mut of_reports) = (Sums::new(k, dims), Sums::new(k, dims));
        let (mut sse, mut nearest_of_all) = (0.0, 0.0);
        for ((record, report), &label) in
            self.records.chunks_exact(dims).zip(reports.chunks_exact(dims)).zip(&self.truth)
        {
            let (found, _) = nearest(centres, report);
            same_members.add_row(record, report, label)?;
            groups.add(&found, &label);
            of_records.add(record, label);
            of_reports.add(report, found);
            sse += squared(&centres[found * dims..(found + 1) * dims], record);
            nearest_of_all += nearest(centres, record).1;
        }
        let means: Vec<f64> = (0..k).flat_map(|at| of_records.mean(at)).collect();
        let pairs = || (0..k * k).map(|at| (at / k, at % k));
        let row = |all: &[f64], at: usize| all[at * dims..(at + 1) * dims].to_vec();
        let costs: Vec<f64> = pairs().map(|(i, j)| squared(&row(&means, i), &row(centres, j)).sqrt()).collect();
        let matching = assign_min_cost(k, k, &costs);
        let partners = matching.column_of.iter().enumerate().filter_map(|(i, j)| j.map(|j| (i, j)));
        let to_the_letter = |(i, j): (usize, usize)| {
            squared(&row(&of_records.sums, i), &row(&of_reports.sums, j)).sqrt() / of_records.counts[i].max(1.0)
        };
        Ok(Score {
            re: same_members.value()?,
            re_matched: partners.map(to_the_letter).sum(),
            centres: matching.cost,
            sse,
            nicv: nearest_of_all / self.rows() as f64,
            ari: adjusted_rand_index(&groups)?,
            nmi: normalized_mutual_information(&groups, Normalizer::Arithmetic)?,
        })
    }
}

/// What the members of each cluster add up to.
struct Sums {
    dims: usize,
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Sums {
    fn new(k: usize, dims: usize) -> Self {
        Self { dims, sums: vec![0.0; k * dims], counts: vec![0.0; k] }
    }

    fn add(&mut self, row: &[f64], label: usize) {
        let sums = &mut self.sums[label * self.dims..(label + 1) * self.dims];
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        self.counts[label] += 1.0;
    }

    fn mean(&self, label: usize) -> Vec<f64> {
        let sums = &self.sums[label * self.dims..(label + 1) * self.dims];
        sums.iter().map(|sum| sum / self.counts[label].max(1.0)).collect()
    }
}

/// The nearest centre, the first on a tie, and its squared distance.
pub(super) fn nearest(centres: &[f64], x: &[f64]) -> (usize, f64) {
    let distances = centres.chunks_exact(x.len()).map(|centre| squared(centre, x));
    distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY))
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use shoal_kernel::score::report_scores;

    use super::*;

    #[test]
    fn scores_of_a_small_crowd_are_those_of_the_library() {
        let crowd = Crowd::new(1, &[0.0, 0.2, 0.8, 1.0], 2, Some(vec![0, 0, 1, 1]));
        let reports = [0.1, 0.5, 0.4, 1.1];
        // The means of the reports of their members, so that SSE has one reading.
        let centres = [1.0 / 3.0, 1.1];
        let score = crowd.score(&reports, &centres).unwrap();
        let theirs = report_scores(1, &crowd.records, &reports, &centres, &crowd.truth).unwrap();
        for (ours, theirs) in [
            (score.re, theirs.re_same_members),
            (score.re_matched, theirs.re_matched.unwrap()),
            (score.centres, theirs.centre_distance.unwrap()),
            (score.sse, theirs.sse),
            (score.ari, theirs.ari),
            (score.nmi, theirs.nmi),
        ] {
            assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
        }
        // Nearest centres: 1/3 for 0 and 0.2, 1.1 for 0.8 and 1.
        let nicv = ((1.0_f64 / 9.0) + (1.0_f64 / 3.0 - 0.2).powi(2) + 0.09 + 0.01) / 4.0;
        assert!((score.nicv - nicv).abs() < 1e-4, "{} {nicv}", score.nicv);
    }

    #[test]
    fn a_cluster_without_reports_adds_up_to_nothing() {
        let crowd = Crowd::new(1, &[0.0, 1.0], 2, Some(vec![0, 1]));
        // Both reports belong to the first centre, which is matched with the first record.
        let score = crowd.score(&[0.0, 0.5], &[0.25, 9.0]).unwrap();
        assert!((score.re_matched - (0.5 + 1.0)).abs() < 1e-12, "{}", score.re_matched);
    }
}
