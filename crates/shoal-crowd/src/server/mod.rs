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
