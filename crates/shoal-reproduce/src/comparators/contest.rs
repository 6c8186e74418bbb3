//! Table III of SZY19 on any records: each way to cluster them, from one start and from the best of several.

use shoal_noise::{NoiseError, NoiseSource, SeededNoise};
use shoal_privacy::Epsilon;

use crate::comparators::Rows;
use crate::comparators::additive_perturbation;
use crate::comparators::random_subspace_projection;
use crate::comparators::{distances, kmeans_labels};
use shoal_consortium::aggregator::{AggregatorError, HammingSum, Horizontal};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Flips, Scale, Terms, TermsError};
use shoal_kernel::{Condensed, KCluster, KClusterError, OwnRecord, WithOwn};

/// Most iterations of kCluster.
const ITERATIONS: usize = 100;

/// One way to cluster, as in Table III.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// k-means on the records as they are.
    KMeans,
    /// k-means after a projection that keeps this share of the dimensions.
    Rsp(f64),
    /// k-means after noise of this standard deviation.
    Adp(f64),
    /// kCluster on the records as they are.
    PlainKCluster,
    /// kCluster on codes without noise (BV).
    Bv,
    /// kCluster on codes with this ε per bit.
    Dpbv(Epsilon),
}

/// How the distances of codes are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeMetric {
    /// Eq. 19: the root of the sum of squared decoded distances.
    #[default]
    Eq19,
    /// Eq. 16, the paper's estimate for kCluster: linear in the Hamming distance of the whole code.
    Eq16,
}

/// Records, and how they are coded and clustered. Not private.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The attributes with their ranges and windows.
    pub attributes: Vec<Attribute>,
    /// Bits of each attribute's code.
    pub bits: u32,
    /// The records as the comparators see them.
    pub rows: Rows,
    /// The same records on the lattice, row by row.
    pub steps: Vec<i32>,
    /// Number of clusters.
    pub k: usize,
    /// Starts of which the best is taken.
    pub starts: usize,
    /// Whether kCluster counts a record in the average of its own cluster.
    pub own: OwnRecord,
    /// How distances of codes are estimated; those of records as they are are Euclidean.
    pub metric: CodeMetric,
}

/// Clusters of one start, and of the start of several with the lowest objective, which needs no groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contested {
    /// Of one start.
    pub single: Vec<u32>,
    /// Of the best of several.
    pub best: Vec<u32>,
}

/// Why records could not be clustered.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ContestError {
    /// Terms that cannot be agreed on.
    Terms(#[from] TermsError),
    /// Codes that were not made.
    Noise(#[from] NoiseError),
    /// Codes that do not fit the terms.
    Codes(#[from] AggregatorError),
    /// Clusters that do not fit the records.
    Clusters(#[from] KClusterError),
}

impl Contest {
    /// The terms of the codes of a way; for ways without codes, those of codes without noise.
    pub fn terms(&self, way: &Way) -> Result<Terms, TermsError> {
        let flips = match way {
            Way::Dpbv(epsilon) => Flips::PerBit(epsilon.clone()),
            _ => Flips::None,
        };
        Terms::new(self.attributes.clone(), self.bits, flips, Scale::Own)
    }

    /// The distances of all pairs, as a way sees them.
    pub fn distances(&self, way: &Way, random: &mut SeededNoise) -> Result<Condensed, ContestError> {
        Ok(self.seen(way, random)?.0)
    }

    /// The same, and what the distance of a record to itself is taken for.
    fn seen(&self, way: &Way, random: &mut SeededNoise) -> Result<(Condensed, f64), ContestError> {
        if !matches!(way, Way::Bv | Way::Dpbv(_)) {
            return Ok((distances(&self.rows), 0.0));
        }
        let agreement = Agreement::new(self.terms(way)?, AnchorSecret::from_seed(random.next_u64()));
        let encoder = Dpbv::new(&agreement)?;
        let codes = encoder.encode_all(agreement.terms(), &self.steps, random);
        Ok(match self.metric {
            CodeMetric::Eq19 => {
                let seen = Horizontal::new(agreement.terms(), &codes)?;
                (seen.condensed(), seen.own_distance())
            }
            CodeMetric::Eq16 => {
                let seen = HammingSum::new(agreement.terms(), &codes)?;
                (seen.condensed(), seen.own_distance())
            }
        })
    }

    /// kCluster from so many starts.
    fn kcluster(&self, starts: usize) -> KCluster {
        KCluster { k: self.k, own: self.own, iterations: ITERATIONS, starts }
    }

    /// Clusters of one start of kCluster, whatever the way does to the distances; cheaper than [`Self::clustered`].
    pub fn kclustered_once(&self, way: &Way, random: &mut SeededNoise) -> Result<Vec<u32>, ContestError> {
        let (distances, own) = self.seen(way, random)?;
        Ok(self.kcluster(1).run(&WithOwn { distances: &distances, own }, random)?.labels)
    }

    /// Clusters the records one way.
    pub fn clustered(&self, way: &Way, random: &mut SeededNoise) -> Result<Contested, ContestError> {
        let kmeans = |rows: &Rows, random: &mut SeededNoise| Contested {
            single: kmeans_labels(rows, self.k, 1, random),
            best: kmeans_labels(rows, self.k, self.starts, random),
        };
        match way {
            Way::KMeans => Ok(kmeans(&self.rows, random)),
            Way::Rsp(kept) => {
                let kept = ((kept * self.rows.dims() as f64).round() as usize).max(1);
                Ok(kmeans(&random_subspace_projection(&self.rows, kept, random), random))
            }
            Way::Adp(sigma) => Ok(kmeans(&additive_perturbation(&self.rows, *sigma, random), random)),
            Way::PlainKCluster | Way::Bv | Way::Dpbv(_) => {
                let (distances, own) = self.seen(way, random)?;
                let records = WithOwn { distances: &distances, own };
                let single = self.kcluster(1).run(&records, random)?.labels;
                Ok(Contested { single, best: self.kcluster(self.starts).run(&records, random)?.labels })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_lattice::Interval;
    use shoal_lattice::STEPS;

    /// Every way finds two groups that are far apart, but for codes with next to no ε.
    #[test]
    fn every_way_finds_groups_that_are_far_apart() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i % 2) * 40.0 + f64::from(i) / 10.0).collect();
        let steps = values.iter().map(|x| (x / 50.0 * STEPS as f64).round() as i32).collect();
        let attribute = Attribute::new("x", Interval::new(0.0, 50.0).unwrap(), 25.0).unwrap();
        let rows = Rows::new(1, values);
        let own = OwnRecord::LeftOut;
        let metric = CodeMetric::Eq19;
        let contest = Contest { attributes: vec![attribute], bits: 500, rows, steps, k: 2, starts: 5, own, metric };
        let found = |way: Way| {
            let labels = contest.clustered(&way, &mut SeededNoise::new(3)).unwrap().best;
            labels.iter().enumerate().all(|(i, label)| (*label == labels[0]) == (i % 2 == 0))
        };
        let dpbv = |epsilon: &str| Way::Dpbv(epsilon.parse().unwrap());
        for way in [Way::KMeans, Way::Rsp(1.0), Way::Adp(1.0), Way::PlainKCluster, Way::Bv, dpbv("2")] {
            assert!(found(way.clone()), "{way:?}");
        }
        assert!(!found(dpbv("0.001")), "nothing is left in such bits");
        // With one attribute both metrics are the same up to what is squared and rooted, so that they agree here.
        let sums = Contest { metric: CodeMetric::Eq16, ..contest.clone() };
        let labels = sums.clustered(&dpbv("2"), &mut SeededNoise::new(3)).unwrap().best;
        assert!(labels.iter().enumerate().all(|(i, label)| (*label == labels[0]) == (i % 2 == 0)));
        let once = |contest: &Contest, epsilon: &str| {
            contest.kclustered_once(&dpbv(epsilon), &mut SeededNoise::new(3)).unwrap()
        };
        let single = contest.clustered(&dpbv("2"), &mut SeededNoise::new(3)).unwrap().single;
        assert_eq!(once(&contest, "2"), single, "the one start is the same");
        let printed = Contest { own: OwnRecord::AsPrinted, ..contest.clone() };
        assert_ne!(once(&printed, "0.5"), once(&contest, "0.5"), "a record's own code tells on the average");
    }
}
