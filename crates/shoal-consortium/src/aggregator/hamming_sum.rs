//! The metric `hamming-sum`: decoded distances of attributes (eq. 11), simply added up.
//!
//! It estimates the L1 distance as eq. 19 does the Euclidean one, and needs no pairs: how far a record is from a
//! cluster in all (eq. 16) follows from how many members have each bit set,
//! Σ_{p′∈C} d_H(p, p′) = Σ_bits (p has it ? |C| − ones : ones). These are integers for each attribute; slopes and offsets
//! come last, in the order of attributes, so no thread count changes a bit of the result.
//!
//! *Runtime*: for each iteration n·k·d·s/4 table look-ups, 32 at a time, and one count of all bits. Memory: the codes,
//! some tables of 1024·k·d·s/64 bytes at most, and little else.

use rayon::prelude::*;

use crate::aggregator::estimate::Decoder;
use crate::aggregator::hamming::{Combine, Kernel};
use crate::aggregator::horizontal::all_pairs;
use crate::aggregator::ones::count;
use crate::aggregator::tables::{RECORDS, Tables, split};
use crate::aggregator::{AggregatorError, check};
use crate::{Codes, Terms};
use shoal_kernel::{Condensed, Distances, Members, ToClusters};

/// Records that share a look at the tables of an attribute.
const CHUNK: usize = 16 * RECORDS;

/// Codes, seen through sums of their attributes' distances.
#[derive(Clone, Debug)]
pub struct HammingSum<'a> {
    codes: &'a Codes,
    slopes: Vec<f64>,
    /// The offsets of all attributes together.
    offset: f64,
    how: Combine,
}

/// A cluster, ready for sums.
struct Cluster {
    size: usize,
    tables: Tables,
    /// Ones of all members, by attribute.
    ones: Vec<u64>,
}

impl<'a> HammingSum<'a> {
    /// The codes of these terms.
    pub fn new(terms: &Terms, codes: &'a Codes) -> Result<Self, AggregatorError> {
        check(terms, codes)?;
        if codes.rows() as u64 > u64::from(u32::MAX / terms.bits()) {
            return Err(AggregatorError::TooMany { records: codes.rows(), bits: terms.bits() });
        }
        let decoders: Vec<Decoder> = (0..terms.dims()).map(|a| Decoder::of(terms, a)).collect();
        Ok(Self {
            codes,
            slopes: decoders.iter().map(Decoder::slope).collect(),
            offset: decoders.iter().map(Decoder::offset).sum(),
            how: Combine::new(&decoders, terms.words(), false),
        })
    }

    /// With another kernel than the fastest; nothing when this machine cannot run it.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Option<Self> {
        self.how.kernel = kernel;
        kernel.available().then_some(self)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.codes.rows()
    }

    /// True when there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distance of two records.
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        let mut out = [0.0];
        self.how.against::<false>(self.codes.record(i), self.codes.record(j), &mut out);
        out[0]
    }

    /// What the distance of a record to itself is estimated as: zero or, under noise, far below.
    pub fn own_distance(&self) -> f64 {
        -self.offset
    }

    /// The distances of all pairs, on the threads of the current rayon pool.
    pub fn condensed(&self) -> Condensed {
        all_pairs::<false>(self.codes, &self.how, |sum| sum)
    }

    fn clusters(&self, labels: &[u32], k: usize) -> Vec<Cluster> {
        let members = Members::of(labels, k);
        let ones = count(self.codes, &members, self.how.kernel);
        let of_cluster = |(cluster, ones): (usize, &[u32])| {
            let size = members.cluster(cluster).len();
            let of_attribute = |ones: &[u32]| ones.iter().map(|&ones| u64::from(ones)).sum();
            Cluster {
                size,
                tables: Tables::of(ones, size),
                ones: ones.chunks_exact(self.codes.words() * 64).map(of_attribute).collect(),
            }
        };
        ones.par_chunks_exact(self.codes.record_words() * 64).enumerate().map(of_cluster).collect()
    }

    /// The sums of records `first..` to all clusters, record after record, each record itself left out.
    fn sums(&self, clusters: &[Cluster], labels: &[u32], first: usize, records: usize) -> Vec<f64> {
        let (k, words) = (clusters.len(), self.codes.words());
        let mut sums = vec![0.0; records * k];
        let mut halves = vec![[0; RECORDS]; words * 16];
        for (a, slope) in self.slopes.iter().enumerate() {
            for (block, sums) in sums.chunks_mut(RECORDS * k).enumerate() {
                let start = first + block * RECORDS;
                let codes = || (start..start + sums.len() / k).map(|record| self.codes.code(record, a));
                split(codes(), &mut halves);
                let set: Vec<u64> = codes().map(|code| code.iter().map(|w| u64::from(w.count_ones())).sum()).collect();
                for (c, cluster) in clusters.iter().enumerate() {
                    let common = cluster.tables.sums(self.how.kernel, a * words, &halves);
                    for ((sums, set), common) in sums.chunks_exact_mut(k).zip(&set).zip(common) {
                        let hamming = cluster.ones[a] + set * cluster.size as u64 - 2 * u64::from(common);
                        sums[c] += slope * hamming as f64;
                    }
                }
            }
        }
        for (sums, &label) in sums.chunks_exact_mut(k).zip(&labels[first..]) {
            for (c, (sum, cluster)) in sums.iter_mut().zip(clusters).enumerate() {
                let others = cluster.size - usize::from(label as usize == c);
                *sum -= self.offset * others as f64;
            }
        }
        sums
    }
}

impl ToClusters for HammingSum<'_> {
    fn len(&self) -> usize {
        self.codes.rows()
    }

    fn own_distance(&self) -> f64 {
        -self.offset
    }

    fn map_sums<R: Send>(&self, labels: &[u32], k: usize, each: impl Fn(usize, &[f64]) -> R + Sync) -> Vec<R> {
        let n = self.codes.rows();
        assert_eq!(labels.len(), n, "one label for each record");
        if k == 0 {
            return (0..n).map(|record| each(record, &[])).collect();
        }
        let clusters = self.clusters(labels, k);
        let chunk = |chunk: usize| {
            let first = chunk * CHUNK;
            let sums = self.sums(&clusters, labels, first, CHUNK.min(n - first));
            sums.chunks_exact(k).enumerate().map(|(r, sums)| each(first + r, sums)).collect::<Vec<R>>()
        };
        let answers: Vec<Vec<R>> = (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
        answers.into_iter().flatten().collect()
    }
}

impl Distances for HammingSum<'_> {
    fn len(&self) -> usize {
        self.codes.rows()
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        self.how.against::<false>(self.codes.record(i), self.codes.as_words(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregator::hamming::distance;
    use crate::aggregator::naive_encoder::terms;
    use proptest::prelude::*;
    use shoal_noise::{NoiseSource, SeededNoise, uniform};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn sums_are_those_of_all_pairs(
            (dims, bits) in prop_oneof![(1usize..4, 1u32..300), Just((1, 1100))],
            rows in prop_oneof![1usize..80, 300usize..700],
            k in 1usize..4, seed: u64, noisy: bool,
        ) {
            let terms = terms(dims, 20.0, 7.0, bits, noisy.then_some("1"));
            let mut source = SeededNoise::new(seed);
            let mut codes = Codes::new(&terms);
            let filled = if bits % 64 == 0 { u64::MAX } else { (1 << (bits % 64)) - 1 };
            let words = terms.words();
            let mut word = |at| source.next_u64() & if at % words == words - 1 { filled } else { u64::MAX };
            let all: Vec<u64> = (0..rows * codes.record_words()).map(&mut word).collect();
            codes.extend(&all);
            let labels: Vec<u32> = (0..rows).map(|_| uniform::below(&mut source, k as u64 + 1) as u32).collect();
            let sums = HammingSum::new(&terms, &codes).unwrap();
            let found = sums.map_sums(&labels, k, |_, sums| sums.to_vec());
            for kernel in Kernel::ALL {
                if let Some(other) = HammingSum::new(&terms, &codes).unwrap().with_kernel(kernel) {
                    prop_assert_eq!(&other.map_sums(&labels, k, |_, sums| sums.to_vec()), &found);
                }
            }
            for (i, found) in found.iter().enumerate().step_by(7) {
                for (c, &found) in found.iter().enumerate() {
                    let others = || (0..rows).filter(|&j| j != i && labels[j] as usize == c);
                    let mut exact = 0.0;
                    for a in 0..dims {
                        let hamming: u64 =
                            others().map(|j| u64::from(distance(codes.code(i, a), codes.code(j, a)))).sum();
                        exact += Decoder::of(&terms, a).slope() * hamming as f64;
                    }
                    exact -= -sums.own_distance() * others().count() as f64;
                    prop_assert_eq!(found, exact);
                    let pairs: f64 = others().map(|j| sums.pair(i, j)).sum();
                    prop_assert!((found - pairs).abs() <= 1e-9 * (1.0 + pairs.abs()) * rows as f64);
                }
            }
        }
    }

    #[test]
    fn large_clusters_use_wide_sums() {
        // Counters of 1, 2 and 3 bytes.
        for size in [60, 300, 17_000] {
            let terms = terms(1, 20.0, 7.0, 70, None);
            let mut codes = Codes::new(&terms);
            let mut source = SeededNoise::new(size);
            for _ in 0..size {
                codes.extend(&[source.next_u64() | 0xffff, source.next_u64() & 63]);
            }
            let sums = HammingSum::new(&terms, &codes).unwrap();
            let labels = vec![0; size as usize];
            let found = sums.map_sums(&labels, 1, |_, sums| sums[0]);
            for i in [0, size as usize - 1] {
                let hamming: u64 =
                    (0..size as usize).map(|j| u64::from(distance(codes.record(i), codes.record(j)))).sum();
                assert_eq!(found[i], Decoder::of(&terms, 0).slope() * hamming as f64);
            }
        }
    }
}
