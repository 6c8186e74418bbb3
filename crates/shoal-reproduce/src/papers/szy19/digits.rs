//! Table III and Fig. 8: the digits, clustered in each of the ways that the paper compares.

use std::sync::Arc;

use crate::comparators::Rows;
use crate::comparators::{CodeMetric, Contest, Way};
use shoal_consortium::price::afford;
use shoal_consortium::{Partition, Scale};
use shoal_kernel::OwnRecord;
use shoal_kernel::score::{Contingency, Normalizer, normalized_mutual_information};
use shoal_lattice::STEPS;

use crate::data::Records;
use crate::measure::consortium::{DEMONSTRATION, Level, Setting, kept, limit, parsed};
use crate::papers::words::data_caveats;
use crate::{Cell, Failure, Key, Lab, Run};

/// Groups of the digits.
const K: usize = 10;
/// Pixels are 0 to 16.
const PIXEL: f64 = 16.0;
/// NMI in %: from one start, and from the best of several.
pub(super) const MEASURES: &[&str] = &["single", "best"];

/// What the records are turned into before they are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    KMeans,
    Rsp(f64),
    Adp(f64),
    KCluster,
    /// Codes by eq. 19.
    Dpbv(Level, u32),
    /// Codes by eq. 16.
    DpbvSums(Level, u32),
}

impl Method {
    /// In keys: the method and its level.
    pub(super) fn words(self) -> (&'static str, String) {
        match self {
            Self::KMeans => ("k-means", "none".into()),
            Self::Rsp(kept) => ("RSP + k-means", format!("{} %", 100.0 * kept)),
            Self::Adp(sigma) => ("ADP + k-means", format!("sigma {sigma}")),
            Self::KCluster => ("kCluster", "none".into()),
            Self::Dpbv(level, _) => ("DPBV + kCluster", level.key()),
            Self::DpbvSums(level, _) => ("DPBV + kCluster by eq. 16", level.key()),
        }
    }
}

/// What the protocols of both say of the digits.
pub(super) const READINGS: &str = "Distances of codes are estimated by eq. 16, the paper's for kCluster, and by eq. 19, the one for \
                                   records of several attributes. NMI is normalised by the mean of both entropies, and kCluster \
                                   leaves a record out of the average of its own cluster, both ours: the paper names no \
                                   normaliser and counts the record";

/// The digits, ready to be coded.
pub(super) struct Digits {
    records: Arc<Records>,
    groups: Vec<usize>,
    starts: usize,
    /// Codes without information converge slowly and show nothing, so few starts will do.
    starts_of_kept: usize,
}

impl Digits {
    pub(super) fn new(lab: &Lab) -> Result<Self, Failure> {
        let records = lab.data.get("digits")?;
        let groups = records.labels.clone().ok_or("the digits have no column `label`")?;
        Ok(Self { records, groups, starts: lab.effort.pick(20, 2), starts_of_kept: lab.effort.pick(3, 1) })
    }

    /// What must be stated about the file.
    pub(super) fn caveats(&self) -> Vec<String> {
        data_caveats([&self.records].into_iter(), &[])
    }

    /// Starts of which the best is taken.
    pub(super) fn starts(&self) -> usize {
        self.starts
    }

    /// The same where ε is kept for real.
    pub(super) fn starts_of_kept(&self) -> usize {
        self.starts_of_kept
    }

    fn starts_of(&self, method: Method) -> usize {
        if matches!(method, Method::Dpbv(Level::Kept(_), _)) { self.starts_of_kept } else { self.starts }
    }

    pub(super) fn key(&self, method: Method) -> Key {
        let (name, level) = method.words();
        let key = self.records.key("szy19-clustering").with("k", K).with("starts", self.starts_of(method));
        let key = key.with("method", name).with("level", level);
        match method {
            Method::Dpbv(_, bits) | Method::DpbvSums(_, bits) => key.with("bits", bits),
            _ => key,
        }
    }

    /// The key of kCluster as printed, from one start: on codes with this ε per bit, or on the records.
    pub(super) fn as_printed_key(&self, epsilon: Option<&'static str>, metric: CodeMetric) -> Key {
        let key = self.records.key("szy19-clustering-as-printed").with("k", K).with("own", "counted");
        let method = match metric {
            CodeMetric::Eq19 => "DPBV + kCluster",
            CodeMetric::Eq16 => "DPBV + kCluster by eq. 16",
        };
        match epsilon {
            None => key.with("method", "kCluster").with("level", "none"),
            Some(epsilon) => {
                let key = key.with("method", method).with("level", Level::PerBit(epsilon).key());
                key.with("bits", DEMONSTRATION.bits)
            }
        }
    }

    /// A cell of NMI in % of kCluster as printed.
    pub(super) fn as_printed_cell(
        &self,
        epsilon: Option<&'static str>,
        metric: CodeMetric,
        runs: usize,
    ) -> Result<Cell, Failure> {
        let (bits, way) = match epsilon {
            None => (1, Way::PlainKCluster),
            Some(epsilon) => (DEMONSTRATION.bits, Way::Dpbv(parsed(epsilon)?)),
        };
        let contest = Contest { own: OwnRecord::AsPrinted, metric, ..self.contest(bits, 1)? };
        let groups = self.groups.clone();
        let measure = move |run: &mut Run| Ok(vec![score(&contest.kclustered_once(&way, &mut run.noise)?, &groups)?]);
        Ok(Cell::new(self.as_printed_key(epsilon, metric), &MEASURES[..1], runs, measure)
            .costing(f64::from(bits) + 400.0))
    }

    /// The number of bits with the smallest predicted error of distances when this total is kept.
    pub(super) fn best_bits(&self, total: &str) -> Result<u32, Failure> {
        let attributes = Setting { dims: self.records.dims(), ..DEMONSTRATION }.attributes()?;
        let found = afford(&limit(total)?, &attributes, Scale::Own, Partition::Records, None)?;
        Ok(found.rows.get(found.best).ok_or("no number of bits keeps the total")?.bits)
    }

    /// The ε per bit that keeps a total.
    pub(super) fn kept(&self, total: &str, bits: u32) -> Result<f64, Failure> {
        Ok(kept(total, self.records.dims() as u64 * u64::from(bits))?.to_f64_up())
    }

    fn contest(&self, bits: u32, starts: usize) -> Result<Contest, Failure> {
        let (dims, values) = (self.records.dims(), self.records.values.clone());
        Ok(Contest {
            attributes: Setting { dims, ..DEMONSTRATION }.attributes()?,
            bits,
            steps: values.iter().map(|x| (x / PIXEL * STEPS as f64).round() as i32).collect(),
            rows: Rows::new(dims, values),
            k: K,
            starts,
            own: OwnRecord::LeftOut,
            metric: CodeMetric::Eq19,
        })
    }

    /// A cell of NMI in %.
    pub(super) fn cell(&self, method: Method, runs: usize) -> Result<Cell, Failure> {
        let dims = self.records.dims();
        let (bits, way) = match method {
            Method::KMeans => (1, Way::KMeans),
            Method::Rsp(kept) => (1, Way::Rsp(kept)),
            Method::Adp(sigma) => (1, Way::Adp(sigma)),
            Method::KCluster => (1, Way::PlainKCluster),
            Method::Dpbv(level, bits) | Method::DpbvSums(level, bits) => match level {
                Level::Clean => (bits, Way::Bv),
                Level::PerBit(epsilon) => (bits, Way::Dpbv(parsed(epsilon)?)),
                Level::Kept(total) => (bits, Way::Dpbv(kept(total, dims as u64 * u64::from(bits))?)),
            },
        };
        let metric = if matches!(method, Method::DpbvSums(..)) { CodeMetric::Eq16 } else { CodeMetric::Eq19 };
        let contest = Contest { metric, ..self.contest(bits, self.starts_of(method))? };
        let groups = self.groups.clone();
        let measure = move |run: &mut Run| {
            let found = contest.clustered(&way, &mut run.noise)?;
            Ok(vec![score(&found.single, &groups)?, score(&found.best, &groups)?])
        };
        let cost = match method {
            Method::Dpbv(Level::Kept(_), bits) => f64::from(bits) + 1300.0 * (1 + self.starts_of(method)) as f64,
            Method::Dpbv(_, bits) | Method::DpbvSums(_, bits) => f64::from(bits) + 200.0 * (1 + self.starts) as f64,
            Method::KCluster => 200.0 * (1 + self.starts) as f64,
            _ => 20.0 * (1 + self.starts) as f64,
        };
        Ok(Cell::new(self.key(method), MEASURES, runs, measure).costing(cost))
    }
}

/// NMI in %.
fn score(labels: &[u32], groups: &[usize]) -> Result<f64, Failure> {
    let mut table = Contingency::default();
    table.add_all(labels, groups)?;
    Ok(100.0 * normalized_mutual_information(&table, Normalizer::Arithmetic)?)
}
