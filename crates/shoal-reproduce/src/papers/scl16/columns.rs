//! The cost of a great many sets of centres, one after the other: a table as columns of 32-bit floats.

use shoal_lattice::{HALF_WIDTH, LatticePoints};

/// Rows that are looked at together, so that distances stay near.
const CHUNK: usize = 1024;

/// A table, attribute after attribute.
pub struct Columns {
    rows: usize,
    columns: Vec<Vec<f32>>,
}

impl Columns {
    /// These rows.
    pub fn new(points: &LatticePoints) -> Self {
        let column = |at| (0..points.rows()).map(|row| f32::from(points.get(row, at))).collect();
        Self { rows: points.rows(), columns: (0..points.dims()).map(column).collect() }
    }

    /// NICV of centres on the lattice, one after the other. Floats round it in the seventh digit, always alike.
    pub fn nicv(&self, centres: &[i16]) -> f64 {
        let (mut nearest, mut reach) = ([0f32; CHUNK], [0f32; CHUNK]);
        let mut sum = 0.0;
        for from in (0..self.rows).step_by(CHUNK) {
            let to = (from + CHUNK).min(self.rows);
            let (nearest, reach) = (&mut nearest[..to - from], &mut reach[..to - from]);
            nearest.fill(f32::INFINITY);
            for centre in centres.chunks_exact(self.columns.len()) {
                reach.fill(0.0);
                for (column, &c) in self.columns.iter().zip(centre) {
                    let c = f32::from(c);
                    for (reach, &x) in reach.iter_mut().zip(&column[from..to]) {
                        *reach += (x - c) * (x - c);
                    }
                }
                for (nearest, &reach) in nearest.iter_mut().zip(reach.iter()) {
                    *nearest = if reach < *nearest { reach } else { *nearest };
                }
            }
            sum += nearest.iter().map(|&x| f64::from(x)).sum::<f64>();
        }
        sum / f64::from(HALF_WIDTH).powi(2) / self.rows as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::gaussians;
    use crate::measure::lloyd::PlainTable;
    use shoal_kernel::LatticeCentres;
    use shoal_noise::SeededNoise;

    #[test]
    fn the_cost_is_that_of_exact_sums() {
        let points = gaussians(2500, 3, 4, &mut SeededNoise::new(1));
        let genome = [100, -3000, 20_000, -15_000, 4, 9, 30_000, -30_000, 1];
        let (plain, centres) = (PlainTable::new(&points), LatticeCentres::new(3, genome.to_vec()));
        let exact = plain.nicv(&centres, &plain.sums(&centres));
        let found = Columns::new(&points).nicv(&genome);
        assert!((found / exact - 1.0).abs() < 1e-6, "{found}, not {exact}");
    }
}
