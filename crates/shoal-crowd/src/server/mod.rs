//! The server's side: reports in, clusters out. Whatever is computed here keeps the guarantee of the reports.
//!
//! - [`NoiseAware`]: maximum likelihood under the known distribution of the noise; the default.
//! - [`tk_means`]: CLZ25's mixture of Student t distributions.
//! - [`kmeans_on_reports`]: YTL22's DKdP, k-means as if there were no noise.

mod certainty;
mod crowding;
mod decision;
pub(crate) mod kmeans;
mod labels;
pub mod noise_aware;
mod plausible;
mod points;
mod simulated_error;
pub mod tk_means;
mod words;

pub use certainty::{Certainty, ErrorModel, Explained};
pub use crowding::Crowding;
pub use decision::Decision;
pub use kmeans::kmeans_on_reports;
pub use labels::{LABELS_KEY, ReportLabel, labels, nearest_labels, write_labels};
pub use noise_aware::{ChosenK, Criterion, Estimate, NoiseAware, Prior, TriedK, Width, choose_k};
pub use plausible::{NEVER, Plausible};
pub use points::ReportPoints;
pub use simulated_error::with_simulated_error;
pub use tk_means::TkMeans;
pub use words::WordLaw;

use shoal_device::Client;
use shoal_lattice::{UnitPosition, Widths};

/// Clusters of reports. Every attribute is scaled to a width of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    /// The centres.
    pub centres: Vec<Vec<UnitPosition>>,
    /// The share of the reports that each cluster has.
    pub shares: Vec<f64>,
    /// Standard error of each coordinate of each centre; empty when the method knows none.
    pub centre_errors: Vec<Vec<Widths>>,
    /// Standard error of each share; empty when the method knows none.
    pub share_errors: Vec<f64>,
    /// Standard deviation of the records of each cluster in each attribute; empty when the method knows none.
    pub widths: Vec<Vec<Widths>>,
    /// Of columns of words: the share of each outcome in each cluster, column after column, *other* last in each. Empty where
    /// reports have none.
    pub levels: Vec<Vec<f64>>,
    /// The standard errors of these; empty when the method knows none.
    pub level_errors: Vec<Vec<f64>>,
    /// Degrees of freedom of a mixture of t distributions.
    pub degrees_of_freedom: Option<f64>,
    /// Logarithm of the likelihood, up to a constant that depends on the reports and not on the clusters.
    pub ln_likelihood: Option<f64>,
    /// The objective after each iteration: it never falls. Empty when the method maximises none.
    pub objectives: Vec<f64>,
    /// Draws from the posterior distribution that the centres were pooled from; nothing where they are the most likely ones.
    pub pooled_from: Option<usize>,
}

impl Clusters {
    /// The same with a coordinate for each level, after the numbers, in the box that a model with these categories has: columns
    /// of low weight take up a part of it only. Nothing changes where there are no words.
    #[must_use]
    pub fn with_indicators(&self, client: &Client) -> Self {
        if client.words().is_empty() {
            return self.clone();
        }
        let (parts, numbers) = (client.parts(), client.numbers());
        // Places of the levels among all outcomes: all but the last one of each column.
        let mut levels = Vec::with_capacity(parts.len() - numbers);
        let mut first = 0;
        for words in client.words() {
            levels.extend(first..first + words.outcomes() - 1);
            first += words.outcomes();
        }
        let place = |x: f64, i: usize| UnitPosition(0.5 + (x - 0.5) * parts[i]);
        let all = |of: &[f64], shares: &[f64]| -> Vec<f64> {
            of.iter().copied().chain(levels.iter().map(|&at| shares[at])).collect()
        };
        let lengths = |of: &[Widths], shares: &[f64]| -> Vec<Widths> {
            all(&Widths::numbers(of), shares).iter().zip(parts).map(|(x, part)| Widths(x * part)).collect()
        };
        let spread =
            |shares: &Vec<f64>| shares.iter().map(|share| (share * (1.0 - share)).sqrt()).collect::<Vec<f64>>();
        let centre = |(centre, shares): (&Vec<UnitPosition>, &Vec<f64>)| {
            all(&UnitPosition::numbers(centre), shares).iter().enumerate().map(|(i, &x)| place(x, i)).collect()
        };
        Self {
            centres: self.centres.iter().zip(&self.levels).map(centre).collect(),
            centre_errors: self.centre_errors.iter().zip(&self.level_errors).map(|(a, b)| lengths(a, b)).collect(),
            widths: self.widths.iter().zip(&self.levels).map(|(a, b)| lengths(a, &spread(b))).collect(),
            ..self.clone()
        }
    }

    /// True when the error of the centres is as large as the distances between them: then they show nothing.
    pub fn drowned(&self) -> bool {
        let (k, dims) = (self.centres.len() as f64, self.centres[0].len());
        if self.centre_errors.is_empty() || k < 2.0 {
            return false;
        }
        let middle: Vec<f64> = (0..dims).map(|i| self.centres.iter().map(|c| c[i].0).sum::<f64>() / k).collect();
        let away = |centre: &Vec<UnitPosition>| centre.iter().zip(&middle).map(|(x, m)| (x.0 - m).powi(2)).sum::<f64>();
        let spread: f64 = self.centres.iter().map(away).sum();
        let error: f64 = self.centre_errors.iter().flatten().map(|Widths(error)| error * error).sum();
        error >= spread
    }
}
