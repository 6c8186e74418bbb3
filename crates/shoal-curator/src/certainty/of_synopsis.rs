//! How certain clusters of a synopsis are, for every method that releases cells and for those who cluster a file of cells.
//!
//! The simulated table has rows as the noisy counts suggest, evenly spread within their cells. A rerun counts its rows in the
//! same cells, draws fresh noise of the same size on the counts, and clusters them; where the method takes a noisy step
//! from there, it takes that step on the simulated rows with noise as large as that of the release.
//!
//! *Privacy.* See [`super::of_cells`]: the inputs are released, and the noise that is drawn here hides nothing.

use shoal_kernel::{LatticeCentres, SearchCentres, sums_and_counts};
use shoal_lattice::{BoxPosition, HALF_WIDTH, Widths};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;

use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::certainty::Certainty;
use crate::certainty::evidence::decay_of;
use crate::certainty::explained::of_rerun;
use crate::certainty::of_cells::OnCells;
use crate::certainty::reruns::{Rerun, public_random};
use crate::certainty::simulated_table::SimulatedTable;
use crate::{Synopsis, SynopsisKMeans};

/// Fresh initialisations on the cells of a rerun.
const STARTS: usize = 4;

/// Cells at most: with more, reruns take seconds.
const MOST_CELLS: usize = 1 << 16;

/// Clusters that rest on a synopsis.
pub struct OfSynopsis<'a> {
    /// The cells and their noisy counts.
    pub synopsis: &'a Synopsis,
    /// How they were clustered.
    pub how: &'a SynopsisKMeans,
    /// The released centres.
    pub centres: &'a [Vec<BoxPosition>],
    /// Standard deviation of the error of each coordinate.
    pub noise: &'a [Vec<Widths>],
    /// Released sizes.
    pub sizes: &'a [f64],
    /// Standard deviation of the noise on each size.
    pub size_noise: &'a [f64],
    /// The centres come from one noisy step of Lloyd's algorithm after the cells.
    pub with_step: bool,
}

impl OfSynopsis<'_> {
    /// The intervals; those of the noise alone where there are too many cells, or too few rows.
    pub fn certainty(&self) -> Certainty {
        let plain = || Certainty::from_noise(self.centres, self.noise).with_size_noise(self.sizes, self.size_noise);
        if self.how.reruns == 0 || self.synopsis.counts.len() > MOST_CELLS {
            return plain();
        }
        self.by_reruns().unwrap_or_else(plain)
    }

    fn by_reruns(&self) -> Option<Certainty> {
        let boxes = self.synopsis.cells.boxes();
        let dims = self.centres.first()?.len();
        let laws = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
        let weights =
            posterior_counts(&self.synopsis.counts, CountNoise::laplace(decay_of(self.synopsis.count_noise), 1));
        let counts = NoisyCells::new(&weights, self.synopsis.count_noise);
        let placed = PlacedCells::of_boxes(&boxes, &laws, weights);
        let centres = BoxPosition::numbers(&self.centres.concat());
        let sd: Vec<f64> = self.noise.iter().flatten().map(|sd| sd.in_box().0).collect();
        let on_cells = OnCells {
            boxes: &boxes,
            laws: &laws,
            cells: &placed,
            count_noise: self.synopsis.count_noise,
            centres: &centres,
            noise: &sd,
            sizes: self.sizes,
            size_noise: self.size_noise,
            nicv: None,
            last_round: None,
            reruns: self.how.reruns,
        };
        on_cells.certainty(|table, starts, noise| {
            let synopsis = Synopsis { counts: counts.again(noise), ..self.synopsis.clone() };
            let how = SynopsisKMeans { inits: STARTS.min(self.how.inits), ..*self.how };
            let from: Vec<_> = starts.iter().map(|centres| LatticeCentres::from_unit(dims, centres)).collect();
            let fresh = synopsis.cluster(&how, &mut public_random(shoal_noise::NoiseSource::next_u64(noise)));
            let mut found = BoxPosition::numbers(&fresh.centres.concat());
            let mut cost = synopsis.kmeans_from(&[LatticeCentres::from_unit(dims, &found)], 0)[0].cost;
            for known in synopsis.kmeans_from(&from, self.how.rounds) {
                if known.cost < cost {
                    (cost, found) = (known.cost, known.centres);
                }
            }
            let mut sizes = synopsis.describe(&BoxPosition::list(&found)).sizes;
            let mut on_cells = Vec::new();
            if self.with_step {
                on_cells.clone_from(&found);
                (found, sizes) = step(table, &found, &sd, self.size_noise, noise);
            }
            let sizes = if self.sizes.is_empty() { Vec::new() } else { sizes };
            // Sizes are counted in rows of the release here.
            let sizes = sizes.iter().map(|size| size / table.scale).collect();
            Some(Rerun { explained: Some(of_rerun(&placed, &found, table)), centres: found, on_cells, sizes })
        })
    }
}

/// One step of Lloyd's algorithm on the simulated rows, with noise of the given standard deviations.
fn step(
    table: &SimulatedTable,
    from: &[f64],
    sd: &[f64],
    size_noise: &[f64],
    noise: &mut SeededNoise,
) -> (Vec<f64>, Vec<f64>) {
    let dims = table.points.dims();
    let search = SearchCentres::new(&LatticeCentres::from_unit(dims, from));
    let sums = sums_and_counts(&table.points, 0..table.points.tiles(), &search);
    let mean = |i: usize| {
        let (j, axis) = (i / dims, i % dims);
        let rows = sums.counts[j];
        if rows > 0 { sums.sum(j)[axis] as f64 / rows as f64 / f64::from(HALF_WIDTH) } else { from[i] }
    };
    let means: Vec<f64> = (0..from.len()).map(mean).collect();
    let centres = means.iter().zip(sd).map(|(x, sd)| (x + sd * standard_laplace(noise)).clamp(-1.0, 1.0)).collect();
    let rows = |j: usize| sums.counts[j] as f64 * table.scale;
    let sizes = (0..sums.counts.len())
        .map(|j| (rows(j) + size_noise.get(j).unwrap_or(&0.0) * standard_laplace(noise)).max(0.0))
        .collect();
    (centres, sizes)
}

/// Cells with whole numbers of rows, whose counts get noise again and again.
pub struct NoisyCells {
    rows: Vec<i64>,
    /// Standard deviation of the noise on a count.
    pub sd: f64,
}

impl NoisyCells {
    /// Cells with these expected rows.
    pub fn new(weights: &[f64], sd: f64) -> Self {
        Self { rows: whole(weights), sd }
    }

    /// The counts with fresh noise.
    pub fn again(&self, noise: &mut SeededNoise) -> Vec<i64> {
        self.rows.iter().map(|&rows| rows + laplace(self.sd, noise)).collect()
    }
}

/// Noise of standard deviation `sd` on a count, to the next whole number.
fn laplace(sd: f64, noise: &mut SeededNoise) -> i64 {
    (sd * standard_laplace(noise)).round() as i64
}

/// A Laplace variable of standard deviation 1.
pub fn standard_laplace(noise: &mut SeededNoise) -> f64 {
    let u = unit_f64(noise) - 0.5;
    -(1.0 - 2.0 * u.abs()).max(f64::MIN_POSITIVE).ln() * std::f64::consts::FRAC_1_SQRT_2 * u.signum()
}

/// Whole numbers of rows that add up as the expected ones do.
fn whole(weights: &[f64]) -> Vec<i64> {
    let mut sum = 0.0;
    let count = |weight: &f64| {
        let before = f64::round(sum);
        sum += weight;
        (sum.round() - before) as i64
    };
    weights.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_counts_add_up() {
        assert_eq!(whole(&[0.4, 0.4, 0.4, 3.0]), [0, 1, 0, 3]);
    }

    #[test]
    fn noise_has_the_standard_deviation_asked_for() {
        let random = &mut public_random(3);
        let square = (0..40_000).map(|_| standard_laplace(random).powi(2)).sum::<f64>() / 40_000.0;
        assert!((square - 1.0).abs() < 0.05, "{square}");
    }
}
