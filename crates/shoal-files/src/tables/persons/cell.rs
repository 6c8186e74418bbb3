//! What a value is while rows are grouped: a coordinate of the lattice, or a number before there are bounds.

/// A value of a row.
pub(crate) trait Cell: Copy + Default + Send + Sync + 'static {
    /// Bytes on disk.
    const BYTES: usize;
    /// The sum of a person's values.
    type Sum: Copy + Default + Send;

    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
    fn add(sum: &mut Self::Sum, value: Self);
    fn mean(sum: Self::Sum, count: u64) -> Self;
    /// An order in which no two different values are equal.
    fn before(self, other: Self) -> std::cmp::Ordering;
}

/// A coordinate of the lattice. Sums are exact: 2^15 times 2^47 rows of one person would fit.
impl Cell for i16 {
    const BYTES: usize = 2;
    type Sum = i64;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        Self::from_le_bytes([bytes[0], bytes[1]])
    }

    fn add(sum: &mut i64, value: i16) {
        *sum += i64::from(value);
    }

    /// The nearest coordinate; a half is rounded up. A mean of coordinates lies between them, so it is one.
    fn mean(sum: i64, count: u64) -> i16 {
        let (sum, count) = (i128::from(sum), i128::from(count.max(1)));
        (2 * sum + count).div_euclid(2 * count) as i16
    }

    fn before(self, other: i16) -> std::cmp::Ordering {
        self.cmp(&other)
    }
}

/// A number in the user's units, for finding bounds. Sums are rounded, in the order of the person's rows, and so follow from
/// these alone, too.
impl Cell for f64 {
    const BYTES: usize = 8;
    type Sum = f64;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Self {
        let mut own = [0; 8];
        own.copy_from_slice(&bytes[..8]);
        Self::from_le_bytes(own)
    }

    /// Kept finite: two infinities of opposite signs would make no number.
    fn add(sum: &mut f64, value: f64) {
        *sum = (*sum + value).clamp(f64::MIN, f64::MAX);
    }

    fn mean(sum: f64, count: u64) -> f64 {
        sum / count.max(1) as f64
    }

    fn before(self, other: f64) -> std::cmp::Ordering {
        self.total_cmp(&other)
    }
}
