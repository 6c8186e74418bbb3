//! Distances between all pairs of records, each pair once.

use rayon::prelude::*;

/// What gives the distances of a record to all records, so that an algorithm need not hold all pairs at once.
pub trait Distances: Sync {
    /// Number of records.
    fn len(&self) -> usize;

    /// True when there is no record.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the distances of record `i` to all records; what is written at `i` itself does not matter.
    ///
    /// # Panics
    /// When `out` does not have one place for each record.
    fn row(&self, i: usize, out: &mut [f64]);
}

/// The upper triangle of a symmetric matrix with a zero diagonal, row after row: (0,1), (0,2), …, (n−2,n−1).
#[derive(Clone, Debug, PartialEq)]
pub struct Condensed {
    n: usize,
    values: Vec<f64>,
}

impl Condensed {
    /// Zeros.
    pub fn new(n: usize) -> Self {
        Self { n, values: vec![0.0; Self::pairs(n)] }
    }

    /// Given distances, row after row; nothing when their number is not n(n−1)/2.
    pub fn from_vec(n: usize, values: Vec<f64>) -> Option<Self> {
        (values.len() == Self::pairs(n)).then_some(Self { n, values })
    }

    /// One distance for each `i < j`, on the threads of the current rayon pool.
    pub fn from_fn(n: usize, distance: impl Fn(usize, usize) -> f64 + Sync) -> Self {
        Self::from_row_groups(n, 1, |i, rows| {
            for (at, to) in rows[0].iter_mut().enumerate() {
                *to = distance(i, i + 1 + at);
            }
        })
    }

    /// Like [`from_fn`](Self::from_fn) for neighbouring rows at a time, so that what they are compared with can be used
    /// for all of them while it is near. `fill` gets the first of the rows and, for each row `i`, the places of
    /// `i + 1 .. n`.
    ///
    /// # Panics
    /// When a group has no rows.
    pub fn from_row_groups(n: usize, group: usize, fill: impl Fn(usize, &mut [&mut [f64]]) + Sync) -> Self {
        assert!(group > 0, "a group has rows");
        let mut all = Self::new(n);
        let mut rest = all.values.as_mut_slice();
        let mut rows = Vec::with_capacity(n);
        for i in 0..n {
            let (row, after) = rest.split_at_mut(n - 1 - i);
            rows.push(row);
            rest = after;
        }
        // Early rows are long and late ones short, so every group is a task of its own.
        rows.par_chunks_mut(group).with_max_len(1).enumerate().for_each(|(g, rows)| fill(g * group, rows));
        all
    }

    /// Bytes that the distances of so many records take.
    ///
    /// ```
    /// // A hundred thousand records are no longer a matter of pairs: 40 GB.
    /// assert_eq!(shoal_kernel::Condensed::bytes_needed(100_000), 39_999_600_000);
    /// ```
    pub fn bytes_needed(n: u64) -> u64 {
        let n = u128::from(n);
        u64::try_from((n * n.saturating_sub(1) / 2).saturating_mul(size_of::<f64>() as u128)).unwrap_or(u64::MAX)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True when there is no record.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The distance of two records, zero of a record to itself.
    ///
    /// # Panics
    /// When there is no such record.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        assert!(i < self.n && j < self.n, "records {i} and {j} of {}", self.n);
        if i == j { 0.0 } else { self.values[self.at(i.min(j), i.max(j))] }
    }

    /// Distances of `i` to the records after it.
    pub fn after(&self, i: usize) -> &[f64] {
        let start = self.at(i, i + 1);
        &self.values[start..start + self.n - 1 - i]
    }

    /// All distances, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// All distances, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// All distances, row after row.
    pub fn into_vec(self) -> Vec<f64> {
        self.values
    }

    /// Place of `i < j`. `j = n` is allowed for the end of the row.
    #[inline]
    fn at(&self, i: usize, j: usize) -> usize {
        i * (2 * self.n - i - 1) / 2 + (j - i - 1)
    }

    fn pairs(n: usize) -> usize {
        n * n.saturating_sub(1) / 2
    }
}

impl Distances for Condensed {
    fn len(&self) -> usize {
        self.n
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        assert_eq!(out.len(), self.n, "one place for each record");
        for (j, to) in out[..i].iter_mut().enumerate() {
            *to = self.values[self.at(j, i)];
        }
        out[i] = 0.0;
        out[i + 1..].copy_from_slice(self.after(i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_place() {
        for n in 0..7 {
            let all = Condensed::from_fn(n, |i, j| (10 * i + j) as f64);
            assert_eq!(all.as_slice().len() as u64 * 8, Condensed::bytes_needed(n as u64));
            let in_order = (0..n).flat_map(|i| (i + 1..n).map(move |j| (10 * i + j) as f64));
            assert!(all.as_slice().iter().copied().eq(in_order));
            for i in 0..n {
                let mut row = vec![f64::NAN; n];
                all.row(i, &mut row);
                for (j, &d) in row.iter().enumerate() {
                    let expected = if i == j { 0 } else { 10 * i.min(j) + i.max(j) };
                    assert_eq!((d, all.get(i, j)), (expected as f64, expected as f64));
                }
            }
            let grouped = Condensed::from_row_groups(n, 3, |first, rows| {
                for (r, row) in rows.iter_mut().enumerate() {
                    let i = first + r;
                    row.iter_mut().enumerate().for_each(|(at, to)| *to = (10 * i + i + 1 + at) as f64);
                }
            });
            assert_eq!(grouped, all);
        }
    }

    #[test]
    fn a_wrong_number_of_distances_is_no_triangle() {
        assert!(Condensed::from_vec(3, vec![1.0; 3]).is_some());
        assert!(Condensed::from_vec(3, vec![1.0; 4]).is_none());
        assert_eq!(Condensed::bytes_needed(u64::MAX), u64::MAX);
    }
}
