//! The probability that a row belongs to a cluster, where the model knows how its clusters spread.
//!
//! The noise-aware server fits a mixture of Gaussians to the records behind the reports: a share, a centre and a standard
//! deviation in each column. By Bayes' rule a row at x belongs to cluster j with probability
//!
//!   p(j | x) = π_j N(x; m_j, s_j²) / Σ_i π_i N(x; m_i, s_i²).
//!
//! Other methods fit no distribution, and nothing is made up for them.

use shoal_lattice::{BoxPosition, HALF_WIDTH, Interval, Widths};

use crate::Error;
use crate::model::Model;

/// A cluster narrower than half a lattice step looks the same as one that is as wide as that.
const NARROWEST: f64 = 0.5 / HALF_WIDTH as f64;

pub(crate) struct Mixture {
    clusters: Vec<Cluster>,
}

struct Cluster {
    /// ln π_j − Σ ln s_j.
    ln_weight: f64,
    centre: Vec<f64>,
    sd: Vec<f64>,
}

impl Mixture {
    /// The distribution of a model's rows, where it has one.
    pub(crate) fn of(model: &Model) -> Result<Option<Self>, Error> {
        let Some(from) = &model.from_reports else { return Ok(None) };
        let (k, dims) = (model.k(), model.columns.len());
        let total: f64 = model.sizes.iter().sum();
        if from.cluster_sd.len() != k || model.sizes.len() != k || total.is_nan() || total <= 0.0 {
            return Ok(None);
        }
        let centres = BoxPosition::numbers(&model.centres_in_box()?);
        let clusters = from.cluster_sd.iter().zip(&model.sizes).zip(centres.chunks_exact(dims));
        let cluster = |((sds, size), centre): ((&Vec<f64>, &f64), &[f64])| {
            let in_box = |(sd, interval): (&f64, &Interval)| Widths::of_user(*sd, interval).in_box().0.max(NARROWEST);
            let sd: Vec<f64> = sds.iter().zip(&model.bounds).map(in_box).collect();
            let ln_weight = (size.max(0.0) / total).ln() - sd.iter().map(|sd| sd.ln()).sum::<f64>();
            Cluster { ln_weight, centre: centre.to_vec(), sd }
        };
        Ok(Some(Self { clusters: clusters.map(cluster).collect() }))
    }

    /// The probability that a row at this place in the box belongs to cluster `label`.
    pub(crate) fn probability(&self, place: impl Iterator<Item = BoxPosition> + Clone, label: usize) -> f64 {
        let density = |cluster: &Cluster| {
            let terms = place.clone().zip(cluster.centre.iter().zip(&cluster.sd));
            cluster.ln_weight - terms.map(|(x, (m, s))| 0.5 * ((x.0 - m) / s).powi(2)).sum::<f64>()
        };
        let of_label = density(&self.clusters[label]);
        // Relative to the label's own density, so that two far ones do not make 0 / 0.
        1.0 / self.clusters.iter().map(|cluster| (density(cluster) - of_label).exp()).sum::<f64>().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(shares: [f64; 2], sd: f64) -> Mixture {
        let cluster = |share: f64, m: f64| Cluster { ln_weight: share.ln() - sd.ln(), centre: vec![m], sd: vec![sd] };
        Mixture { clusters: vec![cluster(shares[0], -0.5), cluster(shares[1], 0.5)] }
    }

    #[test]
    fn probabilities_follow_bayes_rule() {
        let at = |mixture: &Mixture, x: f64, label| mixture.probability([BoxPosition(x)].into_iter(), label);
        assert_eq!(at(&two([0.5, 0.5], 0.2), 0.0, 0), 0.5);
        assert!((at(&two([0.8, 0.2], 0.2), 0.0, 0) - 0.8).abs() < 1e-12);
        let mixture = two([0.3, 0.7], 0.4);
        for x in [-1.0, -0.3, 0.0, 0.2, 1.0] {
            let both = at(&mixture, x, 0) + at(&mixture, x, 1);
            assert!((both - 1.0).abs() < 1e-12, "{x}: {both}");
        }
        // ln odds = ln(3/7) + ((x − 0.5)² − (x + 0.5)²) / (2·0.16) = ln(3/7) − x / 0.16.
        let odds: f64 = 3.0 / 7.0 * (-0.2f64 / 0.16).exp();
        assert!((at(&mixture, 0.2, 0) - odds / (1.0 + odds)).abs() < 1e-12);
        // Far from both, and with clusters as narrow as they get.
        for x in [-1.0, 1.0] {
            assert!(at(&two([0.5, 0.5], NARROWEST), x, usize::from(x > 0.0)) == 1.0);
        }
    }
}
