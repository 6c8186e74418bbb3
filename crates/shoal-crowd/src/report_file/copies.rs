//! Reports that were counted twice: a copied file, a copied part of one, or one report sent again and again.
//!
//! Two devices hardly ever make the same report: with d attributes there are 65,534^d positions in the box alone. How many
//! equal pairs there may be follows from the mechanism. Whatever the records, two reports are equal with a probability of
//! at most p, the largest probability of any report, so the expected number of equal pairs among n reports is at most
//! E = p·n(n−1)/2. Files are refused when as many pairs as they have would happen with a probability below
//! 1e-12 (Chernoff's bound for a Poisson number, P(N ≥ m) ≤ e^(m − E)·(E/m)^m). With one attribute and many
//! reports equal rows are normal, and pass.
//!
//! Reports that were moved into the bounds or onto a grid are often equal, and their mechanism sets no bound on how often. So
//! whole files are compared as well, for every mechanism: two files with the same rows in the same order are refused
//! unless their rows are so alike that this may happen, judged by how often two rows of one file are equal.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use shoal_device::NoiseLaw;
use shoal_lattice::STEPS;

use crate::report_file::error::ReportFileError;

/// The logarithm of a probability, 1e-12: what is less likely did not happen by itself.
const LN_IMPOSSIBLE: f64 = -27.6;

/// How far the largest probability on the lattice may be above the density at its peak.
const LATTICE: f64 = 2.0;

/// A file and its rows among all.
pub(super) struct Rows {
    pub name: String,
    pub rows: Range<usize>,
}

/// Refuses reports that were counted twice. The first `numbers` columns are numbers, the others words.
pub(super) fn refuse_copies(
    columns: &[Vec<i64>],
    numbers: usize,
    files: &[Rows],
    law: Option<NoiseLaw>,
) -> Result<(), ReportFileError> {
    let rows = columns.first().map_or(0, Vec::len);
    let mut keyed: Vec<(u64, usize)> = (0..rows).into_par_iter().map(|row| (hash(columns, row), row)).collect();
    if files.len() > 1 {
        equal_files(files, &keyed)?;
    }
    let Some(law) = law else { return Ok(()) };
    keyed.par_sort_unstable();
    equal_rows(columns, numbers, files, &keyed, law)
}

fn equal_rows(
    columns: &[Vec<i64>],
    numbers: usize,
    files: &[Rows],
    keyed: &[(u64, usize)],
    law: NoiseLaw,
) -> Result<(), ReportFileError> {
    let (mut pairs, mut repeated) = (0_u64, 0_u64);
    // The files of equal rows, each pair of files with how often it occurs.
    let mut between: HashMap<(usize, usize), u64> = HashMap::new();
    for group in keyed.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let same = |a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
        if !group.windows(2).all(|pair| same(pair[0].1, pair[1].1)) {
            continue;
        }
        let count = group.len() as u64;
        pairs += count * (count - 1) / 2;
        repeated += count - 1;
        for pair in group.windows(2) {
            *between.entry((file_of(files, pair[0].1), file_of(files, pair[1].1))).or_default() += 1;
        }
    }
    let expected = expected_pairs(law, numbers, keyed.len());
    if pairs == 0 || ln_at_least(pairs as f64, expected) > LN_IMPOSSIBLE {
        return Ok(());
    }
    // Unwrap safety: there is an equal pair.
    let (&(one, other), _) = between.iter().max_by_key(|&(&files, &count)| (count, std::cmp::Reverse(files))).unwrap();
    let (one, other) = (one.min(other), one.max(other));
    let (first, second) = (files[one].name.clone(), files[other].name.clone());
    let second = (first != second).then_some(second);
    Err(ReportFileError::Copied { first, second, repeated, expected })
}

fn equal_files(files: &[Rows], keyed: &[(u64, usize)]) -> Result<(), ReportFileError> {
    let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        let hashes: Vec<u64> = keyed[file.rows.clone()].iter().map(|&(hash, _)| hash).collect();
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        let rows = hashes.len() as f64;
        let equal: f64 =
            sorted.chunk_by(|a, b| a == b).map(|group| group.len() as f64 * (group.len() as f64 - 1.0)).sum();
        // How often two rows are equal, a little more than was seen.
        let often = (equal + rows.sqrt() + 1.0) / (rows * (rows - 1.0)).max(1.0);
        if let Some(&other) = seen.get(&hashes)
            && rows * often.min(1.0).ln() < LN_IMPOSSIBLE
        {
            let (first, second) = (files[other].name.clone(), Some(file.name.clone()));
            return Err(ReportFileError::Copied { first, second, repeated: hashes.len() as u64, expected: 0.0 });
        }
        seen.insert(hashes, number);
    }
    Ok(())
}

fn file_of(files: &[Rows], row: usize) -> usize {
    files.partition_point(|file| file.rows.end <= row)
}

/// How many equal pairs there are on average, at most.
fn expected_pairs(law: NoiseLaw, dims: usize, rows: usize) -> f64 {
    let (n, d) = (rows as f64, dims as f64);
    // The logarithm of the density at its peak, in widths. The even part of a bounded density only lowers it.
    let ln_peak = match law {
        // The area of a sphere times ∫ r^(d−1) e^(−kr) dr = Γ(d)/k^d.
        NoiseLaw::Radial { rate, .. } => {
            let ln_sphere = libm::log(2.0) + 0.5 * d * libm::log(std::f64::consts::PI) - libm::lgamma(0.5 * d);
            d * libm::log(rate) - ln_sphere - libm::lgamma(d)
        }
        NoiseLaw::PerAttribute { scale } => -d * libm::log(2.0 * scale),
    };
    let largest = LATTICE * libm::exp(ln_peak - d * libm::log(STEPS as f64));
    0.5 * n * (n - 1.0) * largest.min(1.0)
}

/// The logarithm of a bound on the probability of at least `count` where `expected` are expected.
fn ln_at_least(count: f64, expected: f64) -> f64 {
    if count <= expected { 0.0 } else { count - expected + count * libm::log(expected.max(1e-300) / count) }
}

/// A number for a row that others hardly ever share.
fn hash(columns: &[Vec<i64>], row: usize) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for column in columns {
        hash = (hash ^ column[row] as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_above_the_poisson_tail() {
        // P(N ≥ 5) for mean 1 is 0.00366; P(N ≥ 1) for mean 1e-6 is 1e-6.
        assert!(ln_at_least(5.0, 1.0) >= 0.00366_f64.ln() && ln_at_least(5.0, 1.0) < 0.05_f64.ln());
        assert!(ln_at_least(1.0, 1e-6) >= 1e-6_f64.ln() && ln_at_least(1.0, 1e-6) < 1e-5_f64.ln());
        assert_eq!(ln_at_least(3.0, 4.0), 0.0);
    }

    #[test]
    fn few_pairs_are_expected_with_many_attributes_and_many_with_one() {
        let radial = |rate: f64| NoiseLaw::Radial { rate, radius: 4.0 };
        assert!(expected_pairs(radial(8.0), 1, 10_000) > 1_000.0);
        assert!(expected_pairs(radial(8.0), 4, 10_000) < 1e-6);
        assert!(expected_pairs(NoiseLaw::PerAttribute { scale: 0.25 }, 2, 1_000) < 1.0);
    }
}
