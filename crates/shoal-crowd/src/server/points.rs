//! Reports in memory, in the layout that the passes over them read.

use rayon::prelude::*;

use shoal_lattice::STEPS;

use crate::server::words::{WordLaw, Words};

/// Rows per tile: two vectors of eight lanes.
pub(crate) const LANES: usize = 16;

/// Tiles that a thread takes at a time.
const PART: usize = 1024;

/// Reports with every attribute scaled to a width of one, so that records lie in `[0, 1]`.
///
/// Sixteen reports make a tile, stored attribute by attribute; the last tile is filled up with copies of its last report,
/// which passes leave out. Single precision: a report's last digit is below a millionth of the noise on it.
#[derive(Clone, Debug)]
pub struct ReportPoints {
    rows: usize,
    dims: usize,
    cells: Vec<f32>,
    words: Option<Words>,
}

impl ReportPoints {
    /// Reports in lattice steps, one column per attribute. Bare numbers, the inside of a
    /// [`Steps`](shoal_lattice::Steps) each: files of millions of reports are read into such columns.
    ///
    /// # Panics
    /// When there is no column or the columns have different lengths.
    pub fn from_steps(columns: &[Vec<i64>]) -> Self {
        // Multiplied, which may differ from the division of `Steps::in_unit` in the last digit.
        let scale = 1.0 / STEPS as f64;
        Self::from_columns(columns.len(), columns[0].len(), |row, attribute| columns[attribute][row] as f64 * scale)
    }

    /// [`Self::from_steps`] of columns that nobody needs any more: each is freed as soon as it is converted, so that the
    /// reports are not in memory twice.
    ///
    /// # Panics
    /// When there is no column or the columns have different lengths.
    pub fn consuming_steps(columns: Vec<Vec<i64>>) -> Self {
        let scale = 1.0 / STEPS as f64;
        let narrow = |column: Vec<i64>| column.iter().map(|&x| (x as f64 * scale) as f32).collect();
        let columns: Vec<Vec<f32>> = columns.into_iter().map(narrow).collect();
        Self::from_columns(columns.len(), columns[0].len(), |row, attribute| f64::from(columns[attribute][row]))
    }

    /// Reports of a design: columns of numbers, then one of outcomes for each of these laws.
    ///
    /// # Panics
    /// When there is no column of numbers, or the columns have different lengths.
    pub fn of_reports(mut columns: Vec<Vec<i64>>, laws: &[WordLaw]) -> Self {
        let words = Words::new(&columns.split_off(columns.len() - laws.len()), laws);
        Self { words, ..Self::consuming_steps(columns) }
    }

    /// The reported words.
    pub(crate) fn words(&self) -> Option<&Words> {
        self.words.as_ref()
    }

    /// The same words with other numbers.
    pub(crate) fn with_numbers(&self, values: &[f64]) -> Self {
        Self { words: self.words.clone(), ..Self::from_rows(self.dims, values) }
    }

    /// Reports one after the other, every attribute scaled to a width of one: the insides of
    /// [`UnitPosition`](shoal_lattice::UnitPosition)s.
    ///
    /// # Panics
    /// When the values do not make whole reports.
    pub fn from_rows(dims: usize, values: &[f64]) -> Self {
        assert!(dims > 0 && values.len().is_multiple_of(dims), "whole reports are needed");
        Self::from_columns(dims, values.len() / dims, |row, attribute| values[row * dims + attribute])
    }

    fn from_columns(dims: usize, rows: usize, value: impl Fn(usize, usize) -> f64 + Sync) -> Self {
        let tiles = rows.div_ceil(LANES);
        let mut cells = vec![0.0; tiles * dims * LANES];
        let part = PART * dims * LANES;
        cells.par_chunks_mut(part).enumerate().for_each(|(number, cells)| {
            for (at, column) in cells.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let (tile, attribute) = (number * PART + at / dims, at % dims);
                for (lane, cell) in column.iter_mut().enumerate() {
                    *cell = value((tile * LANES + lane).min(rows - 1), attribute) as f32;
                }
            }
        });
        Self { rows, dims, cells, words: None }
    }

    /// What `work` makes of the tiles of each part, in order.
    fn by_parts<T: Send>(&self, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
        let parts = self.tiles().div_ceil(PART);
        (0..parts).into_par_iter().map(|i| work(i * PART..((i + 1) * PART).min(self.tiles()))).collect()
    }

    /// Number of reports.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of attributes that are numbers.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// One coordinate.
    pub fn value(&self, row: usize, attribute: usize) -> f32 {
        self.cells[(row / LANES * self.dims + attribute) * LANES + row % LANES]
    }

    /// One report, copied out.
    pub fn row(&self, row: usize) -> Vec<f64> {
        let mut values = vec![0.0; self.dims];
        self.copy_row(row, &mut values);
        values
    }

    /// One report, copied to `values`.
    pub(crate) fn copy_row(&self, row: usize, values: &mut [f64]) {
        let columns = self.tile(row / LANES).as_chunks::<LANES>().0;
        for (value, column) in values.iter_mut().zip(columns) {
            *value = f64::from(column[row % LANES]);
        }
    }

    /// Number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    /// One tile: sixteen numbers per attribute.
    pub(crate) fn tile(&self, tile: usize) -> &[f32] {
        let len = self.dims * LANES;
        &self.cells[tile * len..(tile + 1) * len]
    }

    /// Several tiles: sixteen numbers for each attribute of each.
    pub(crate) fn tile_lanes(&self, tiles: std::ops::Range<usize>) -> &[[f32; LANES]] {
        let len = self.dims * LANES;
        self.cells[tiles.start * len..tiles.end * len].as_chunks().0
    }

    /// How many reports of a tile are real.
    pub(crate) fn lanes_of(&self, tile: usize) -> usize {
        (self.rows - tile * LANES).min(LANES)
    }

    /// Some of the reports, by their numbers.
    pub(crate) fn some(&self, rows: &[usize]) -> Self {
        let some =
            Self::from_columns(self.dims, rows.len(), |row, attribute| f64::from(self.value(rows[row], attribute)));
        Self { words: self.words.as_ref().map(|words| words.some(rows)), ..some }
    }

    /// The longest distance from any report to any point of the records' box.
    pub(crate) fn reach(&self) -> f64 {
        let longest = self.by_parts(|tiles| {
            let mut longest = 0.0_f64;
            for tile in tiles {
                let mut squared = [0.0_f64; LANES];
                for values in self.tile(tile).as_chunks::<LANES>().0 {
                    for (sum, &x) in squared.iter_mut().zip(values) {
                        let x = f64::from(x);
                        let away = x.abs().max((1.0 - x).abs());
                        *sum += away * away;
                    }
                }
                longest = squared.into_iter().fold(longest, f64::max);
            }
            longest
        });
        longest.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// The mean of all reports.
    pub(crate) fn mean(&self) -> Vec<f64> {
        let sums = self.by_parts(|tiles| {
            let mut sums = vec![0.0; self.dims];
            for tile in tiles {
                let lanes = self.lanes_of(tile);
                for (sum, values) in sums.iter_mut().zip(self.tile(tile).as_chunks::<LANES>().0) {
                    *sum += values[..lanes].iter().map(|&x| f64::from(x)).sum::<f64>();
                }
            }
            sums
        });
        let total = |i: usize| sums.iter().map(|part| part[i]).sum::<f64>();
        (0..self.dims).map(|i| total(i) / self.rows as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consumed_columns_give_the_same_points() {
        let column =
            |i: i64| (0..100).map(|row| (row * 7919 + i * 104_729) % 200_003 - 70_000).chain([1 << 62]).collect();
        let columns: Vec<Vec<i64>> = (0..3).map(column).collect();
        let kept = ReportPoints::from_steps(&columns);
        let consumed = ReportPoints::consuming_steps(columns);
        assert_eq!((kept.rows, kept.dims, kept.cells), (consumed.rows, consumed.dims, consumed.cells));
    }
}
