//! Reported words: what the server knows of their noise, and how it estimates shares from them.
//!
//! A column of words with n outcomes is reported by k-ary randomised response ([`WordResponse`]): the true outcome with
//! probability p, every other one with q. If a cluster's records have outcome o with probability θ_o, its reports have it with
//!
//!   f_o = q + (p − q)·θ_o,
//!
//! and, given the cluster, columns are taken to be independent of each other and of the numbers. So a report's density about a
//! cluster is that of its numbers times f_o for each column of words.
//!
//! EM: of the reports of cluster j with outcome o, the part q·θ_o'/f_o (p·θ_o/f_o for o' = o) is expected to be of records
//! with outcome o'. Each cluster is taken to have two records beside its own, with the shares that all reports show together.
//!
//! *Errors*: f_o is a mean, so θ_o is known to √(f_o(1 − f_o)·g)/(p − q), where g is the diagonal of the inverse of Σ r·rᵀ over
//! the reports' memberships r: 1/n for n reports whose cluster is certain, more where clusters are confused with each other.

use std::sync::Arc;

use shoal_device::{Client, Design, WordResponse};

/// Records that each cluster is taken to have beside its own.
const PRIOR: f64 = 2.0;

/// No share is taken to be smaller than this, so that logarithms exist.
const LEAST: f64 = 1e-6;

/// The noise on one column of words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordLaw {
    /// Number of outcomes.
    pub outcomes: usize,
    /// The probability of the true outcome.
    pub kept: f64,
    /// That of each other one.
    pub changed: f64,
}

impl WordLaw {
    fn new(epsilon: f64, outcomes: usize) -> Self {
        // e^-ε, so that nothing overflows.
        let other = libm::exp(-epsilon);
        let kept = 1.0 / (1.0 + (outcomes - 1) as f64 * other);
        Self { outcomes, kept, changed: kept * other }
    }

    /// The columns of words of a client.
    pub fn of_client(client: &Client) -> Vec<Self> {
        let law = |words: &WordResponse| Self::new(words.epsilon().to_f64_up(), words.outcomes());
        client.words().iter().map(law).collect()
    }

    /// The columns of words of a design.
    pub fn of_design(design: &Design) -> Vec<Self> {
        let epsilon = |category| design.epsilon_of_words(category).to_f64_up();
        design.categories().iter().map(|category| Self::new(epsilon(category), category.size() + 1)).collect()
    }

    fn gain(&self) -> f64 {
        self.kept - self.changed
    }
}

/// The reported words of some reports.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    laws: Arc<[WordLaw]>,
    /// Where the outcomes of each column begin among those of all columns.
    offsets: Arc<[usize]>,
    /// Per column: the reported outcomes.
    columns: Vec<Vec<u16>>,
    /// The share of each outcome among all records, as all reports show it.
    overall: Arc<[f64]>,
}

impl Words {
    /// Reported outcomes, a list for each column; nothing where there is no column.
    pub fn new(columns: &[Vec<i64>], laws: &[WordLaw]) -> Option<Self> {
        assert_eq!(columns.len(), laws.len(), "the noise of every column is known");
        if columns.is_empty() {
            return None;
        }
        let narrow = |column: &Vec<i64>| column.iter().map(|&outcome| outcome as u16).collect::<Vec<u16>>();
        let columns: Vec<Vec<u16>> = columns.iter().map(narrow).collect();
        let mut all = 0;
        let mut offset = |law: &WordLaw| {
            all += law.outcomes;
            all - law.outcomes
        };
        let offsets = laws.iter().map(&mut offset).collect();
        let overall = columns.iter().zip(laws).flat_map(|(column, law)| overall(column, law)).collect();
        Some(Self { laws: laws.into(), offsets, columns, overall })
    }

    /// Outcomes of all columns together.
    pub fn outcomes(&self) -> usize {
        self.overall.len()
    }

    /// The share of each outcome among all records.
    pub fn overall(&self) -> &[f64] {
        &self.overall
    }

    /// Those of some of the reports; the shares of all records stay what they are.
    pub fn some(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect();
        Self { columns, ..self.clone() }
    }

    /// The places, among the outcomes of all columns, of those of one report.
    pub fn of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().zip(&*self.offsets).map(move |(column, offset)| offset + usize::from(column[row]))
    }

    /// Of each column: its outcomes among those of all columns, and its noise.
    fn parts(&self) -> impl Iterator<Item = (std::ops::Range<usize>, WordLaw)> + '_ {
        self.offsets.iter().zip(&*self.laws).map(|(&offset, &law)| (offset..offset + law.outcomes, law))
    }

    /// The probability of each reported outcome for records with these shares: one cluster or several.
    pub fn reported(&self, levels: &[f64]) -> Vec<f64> {
        let mut reported = Vec::with_capacity(levels.len());
        for of_cluster in levels.chunks_exact(self.outcomes()) {
            for (part, law) in self.parts() {
                reported.extend(of_cluster[part].iter().map(|share| law.changed + law.gain() * share));
            }
        }
        reported
    }

    /// The logarithms of these.
    pub fn logs(&self, levels: &[f64]) -> Vec<f64> {
        self.reported(levels).into_iter().map(libm::log).collect()
    }

    /// The logarithm of the probability of a report's words under each cluster, added up from these logarithms.
    pub fn add_logs(&self, row: usize, logs: &[f64], to: &mut [f64]) {
        for (of_cluster, to) in logs.chunks_exact(self.outcomes()).zip(to) {
            *to = self.of(row).map(|at| of_cluster[at]).sum();
        }
    }

    /// The shares that do best against the bound at the present ones, from how many reports of each cluster have each outcome.
    pub fn step(&self, counts: &[f64], levels: &[f64]) -> Vec<f64> {
        let reported = self.reported(levels);
        let mut next = Vec::with_capacity(levels.len());
        let size = self.outcomes();
        for from in (0..levels.len()).step_by(size) {
            for (part, law) in self.parts() {
                let of = |list: &'_ [f64]| list[from + part.start..from + part.end].to_vec();
                let (counts, shares, reported) = (of(counts), of(levels), of(&reported));
                // Of each report a record is expected: the changed ones first, the same for every outcome.
                let changed: f64 = counts.iter().zip(&reported).map(|(n, f)| law.changed * n / f).sum();
                let prior = &self.overall[part.clone()];
                let expected =
                    |o: usize| shares[o] * (changed + law.gain() * counts[o] / reported[o]) + PRIOR * prior[o];
                let expected: Vec<f64> = (0..law.outcomes).map(expected).collect();
                next.extend(normalised(&expected));
            }
        }
        next
    }

    /// Shares that are positive and add up to one in each column, from logarithms.
    pub fn of_logs(&self, logs: impl Iterator<Item = f64>) -> Vec<f64> {
        let raw: Vec<f64> = logs.map(|log| libm::exp(log.clamp(-30.0, 0.0))).collect();
        let mut levels = Vec::with_capacity(raw.len());
        for of_cluster in raw.chunks_exact(self.outcomes()) {
            for (part, _) in self.parts() {
                levels.extend(normalised(&of_cluster[part]));
            }
        }
        levels
    }

    /// The logarithm of what is assumed about the shares, up to a constant.
    pub fn ln_prior(&self, levels: &[f64]) -> f64 {
        let of = |of_cluster: &[f64]| {
            of_cluster.iter().zip(&*self.overall).map(|(share, prior)| PRIOR * prior * libm::log(*share)).sum::<f64>()
        };
        levels.chunks_exact(self.outcomes()).map(of).sum()
    }

    /// The error of each share, by the variance of a cluster's mean of an indicator of its reports.
    pub fn errors(&self, levels: &[f64], variances: &[f64]) -> Vec<f64> {
        let reported = self.reported(levels);
        let mut errors = Vec::with_capacity(levels.len());
        for (of_cluster, variance) in reported.chunks_exact(self.outcomes()).zip(variances) {
            for (part, law) in self.parts() {
                let error = |f: &f64| (f * (1.0 - f) * variance).sqrt() / law.gain();
                errors.extend(of_cluster[part].iter().map(|f| error(f).min(0.5)));
            }
        }
        errors
    }

    /// What the shares add to the logarithm of the evidence, with every list of shares equally likely before: Laplace's
    /// approximation, and nothing for columns about which reports carry no information.
    pub fn ln_evidence(&self, levels: &[f64], variances: &[f64]) -> f64 {
        let reported = self.reported(levels);
        let mut sum = 0.0;
        for (of_cluster, variance) in reported.chunks_exact(self.outcomes()).zip(variances) {
            for (part, law) in self.parts() {
                let (n, free) = (law.outcomes as f64, law.outcomes as f64 - 1.0);
                // The determinant of the covariance of all shares but one.
                let ln_f: f64 = of_cluster[part].iter().map(|f| libm::log(*f)).sum();
                let ln_determinant = ln_f + free * libm::log(variance / law.gain().powi(2));
                let ln_volume = 0.5 * (free * libm::log(std::f64::consts::TAU) + ln_determinant);
                sum += (libm::lgamma(n) + ln_volume).min(0.0);
            }
        }
        sum
    }

    /// Numbers that are free to be fitted, in each cluster.
    pub fn free(&self) -> usize {
        self.outcomes() - self.laws.len()
    }
}

/// The share of each outcome among the records of all reports together.
fn overall(column: &[u16], law: &WordLaw) -> Vec<f64> {
    let mut counts = vec![0.0; law.outcomes];
    column.iter().for_each(|&outcome| counts[usize::from(outcome)] += 1.0);
    let share = |count: &f64| (count / column.len().max(1) as f64 - law.changed) / law.gain();
    // A share below zero is noise; none is taken to be smaller than a hundredth of an even one.
    let least = 0.01 / law.outcomes as f64;
    normalised(&counts.iter().map(|count| share(count).clamp(least, 1.0)).collect::<Vec<f64>>())
}

fn normalised(parts: &[f64]) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    let raised: Vec<f64> = parts.iter().map(|part| (part / total).max(LEAST)).collect();
    let total: f64 = raised.iter().sum();
    raised.into_iter().map(|part| part / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> WordLaw {
        WordLaw::new(1.0, 3)
    }

    #[test]
    fn probabilities_are_those_of_randomised_response() {
        let WordLaw { kept, changed, .. } = law();
        assert!((kept + 2.0 * changed - 1.0).abs() < 1e-15 && (kept / changed - 1f64.exp()).abs() < 1e-14);
        let huge = WordLaw::new(5000.0, 4);
        assert_eq!((huge.kept, huge.changed), (1.0, 0.0));
    }

    /// EM finds the shares under which the counts are most likely, and never makes them less likely.
    #[test]
    fn iterations_find_the_shares() {
        let truth = [0.6, 0.3, 0.1];
        let counts: Vec<f64> = truth.iter().map(|t| 1e6 * (law().changed + law().gain() * t)).collect();
        let column: Vec<i64> = (0..1000).map(|i| i % 3).collect();
        let words = Words::new(&[column], &[law()]).unwrap();
        let mut levels = vec![0.2, 0.2, 0.6];
        let score = |levels: &[f64]| -> f64 {
            words.ln_prior(levels) + words.logs(levels).iter().zip(&counts).map(|(log, n)| n * log).sum::<f64>()
        };
        for _ in 0..2000 {
            let next = words.step(&counts, &levels);
            assert!(score(&next) >= score(&levels) - 1e-6);
            levels = next;
        }
        assert!(levels.iter().zip(truth).all(|(found, truth)| (found - truth).abs() < 1e-4), "{levels:?}");
    }

    #[test]
    fn errors_are_those_of_a_share_without_noise_where_there_is_none() {
        let certain = WordLaw::new(60.0, 2);
        let words = Words::new(&[vec![0, 1, 1, 1]], &[certain]).unwrap();
        let errors = words.errors(&[0.25, 0.75], &[1.0 / 400.0]);
        assert!((errors[0] - (0.25_f64 * 0.75 / 400.0).sqrt()).abs() < 1e-12);
    }
}
