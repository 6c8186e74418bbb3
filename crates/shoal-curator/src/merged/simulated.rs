//! How certain merged centres are: tables that could have led to the releases, and the whole way again on them.
//!
//! 1. Each release becomes a table: for every centre as many rows as it has, normally distributed with the spread that the
//!    release states. All tables together are the rows whose k-means the intervals are about.
//! 2. The local clusters of each table without noise: k-means from the released centres.
//! 3. A rerun adds noise as large as that of the releases to all local centres and sizes, and merges them.
//!
//! Half-widths, rivals and stability follow as for a single table ([`crate::certainty`]). Where a release does not state
//! how far its rows are spread, all of them are taken to be at the centre: how rows on the border of two clusters are
//! divided is then not in the intervals, and they are marked as lower bounds. So are those of releases whose own intervals
//! are lower bounds.

use shoal_files::PointStore;
use shoal_kernel::{LatticeCentres, kmeans_from, kmeanspp, usual_candidates};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::normal_f64;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_scan::{LeafBoxes, LocalScan};

use super::centres::{MergedCentres, NoisyPoints};
use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::certainty::{Certainty, OnCells, Rerun, SimulatedTable, public_random, standard_laplace};
use crate::{SynopsisClusters, SynopsisKMeans};

/// Rows of all simulated tables together.
const ROWS: f64 = 8000.0;

/// Iterations of k-means within a simulated table.
const LOCAL_ROUNDS: usize = 30;

/// Fresh initialisations of a rerun.
const STARTS: usize = 6;

/// The tables that could have led to the releases.
struct Simulated {
    /// The rows of all tables.
    all: LatticePoints,
    /// The local clusters without noise.
    local: NoisyPoints,
    /// Rows of the releases for each simulated row.
    scale: f64,
}

impl MergedCentres {
    pub(super) fn by_reruns(&self, found: &SynopsisClusters, how: &SynopsisKMeans) -> Option<Certainty> {
        let mut random = public_random(7);
        let simulated = self.simulated(&mut random)?;
        let dims = self.points.dims;
        let cells = self.as_cells();
        let corners: Vec<i16> = self.points.x.iter().map(|x| (x * f64::from(HALF_WIDTH)).round() as i16).collect();
        let boxes = LeafBoxes::new(dims, corners.clone(), corners);
        let laws = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
        let centres = BoxPosition::numbers(&found.centres.concat());
        let sd: Vec<f64> = found.noise_per_centre.iter().flatten().map(|sd| sd.in_box().0).collect();
        let on_cells = OnCells {
            boxes: &boxes,
            laws: &laws,
            cells: &cells,
            count_noise: self.count_noise(),
            centres: &centres,
            noise: &sd,
            sizes: &found.sizes,
            size_noise: &found.size_noise,
            nicv: None,
            last_round: None,
            reruns: how.reruns,
        };
        let Simulated { all, local, scale } = simulated;
        let table = SimulatedTable::of(all, scale);
        let certainty = on_cells.on_table(&table, &mut random, |table, starts, noise| {
            let noisy = self.with_noise(&local, noise);
            let mut from: Vec<_> = starts.iter().map(|centres| LatticeCentres::from_unit(dims, centres)).collect();
            let (lattice, weights, candidates) = (noisy.lattice(), noisy.weights(), usual_candidates(how.k));
            let mut draw = || noise.next_u64();
            from.extend((0..STARTS).map(|_| kmeanspp(&lattice, Some(&weights), how.k, candidates, &mut draw)));
            let groups = noisy.grouped_from(&from, how.rounds)?;
            let sizes = if found.sizes.is_empty() { Vec::new() } else { groups.rows };
            Some(Rerun {
                centres: groups.centres,
                on_cells: Vec::new(),
                sizes: sizes.iter().map(|rows| rows / table.scale).collect(),
                explained: None,
            })
        })?;
        let stated = self.released.iter().all(|centre| centre.spread.is_some() && centre.half_width.is_some());
        Some(Certainty { at_least: certainty.at_least || !stated, ..certainty })
    }

    /// Tables with rows as the releases state; none where they state no rows.
    fn simulated(&self, random: &mut SeededNoise) -> Option<Simulated> {
        let points = &self.points;
        let dims = points.dims;
        let total: f64 = points.rows.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let scale = if self.sized { (total / ROWS).max(1.0) } else { total / ROWS };
        let mut all = LatticePoints::new(dims);
        let mut local = points.clone();
        let releases = self.released.iter().map(|centre| centre.release).max()? + 1;
        // Systematic sampling over all centres, so that the rows add up.
        let (mut sum, mut drawn) = (0.0, 0.0_f64);
        for release in 0..releases {
            let own: Vec<usize> = (0..self.released.len()).filter(|&i| self.released[i].release == release).collect();
            let mut table = LatticePoints::new(dims);
            for &i in &own {
                sum += points.rows[i] / scale;
                while drawn + 0.5 < sum {
                    drawn += 1.0;
                    let row = self.draw_row(i, random);
                    table.push_row(&row);
                    all.push_row(&row);
                }
            }
            if table.rows() < own.len() {
                continue;
            }
            let from: Vec<f64> = own.iter().flat_map(|&i| points.x[i * dims..][..dims].to_vec()).collect();
            let found =
                kmeans_from(&table, None, &[LatticeCentres::from_unit(dims, &from)], LOCAL_ROUNDS).swap_remove(0);
            for (place, &i) in own.iter().enumerate() {
                local.x[i * dims..][..dims].copy_from_slice(&found.centres[place * dims..][..dims]);
                local.rows[i] = found.weights[place] * scale;
            }
        }
        (all.rows() > 0).then_some(Simulated { all, local, scale })
    }

    /// A row of a centre.
    fn draw_row(&self, i: usize, random: &mut SeededNoise) -> Vec<i16> {
        let dims = self.points.dims;
        let spread = self.released[i].spread.as_ref();
        let coordinate = |a: usize| {
            let far = spread.map_or(0.0, |spread| spread[a].0 * normal_f64(random));
            let x = (self.points.x[i * dims + a] + far).clamp(-1.0, 1.0);
            (x * f64::from(HALF_WIDTH)).round() as i16
        };
        (0..dims).map(coordinate).collect()
    }

    /// Local clusters with fresh noise on their centres and sizes.
    fn with_noise(&self, local: &NoisyPoints, noise: &mut SeededNoise) -> NoisyPoints {
        let mut noisy = local.clone();
        let errors = self.released.iter().flat_map(|centre| centre.error());
        for (x, error) in noisy.x.iter_mut().zip(errors) {
            *x = (*x + error * standard_laplace(noise)).clamp(-1.0, 1.0);
        }
        for (rows, sd) in noisy.rows.iter_mut().zip(&local.rows_noise) {
            *rows = (*rows + sd * standard_laplace(noise)).max(0.0);
        }
        noisy
    }

    /// The centres as cells of which each has the spread of its rows.
    fn as_cells(&self) -> PlacedCells {
        let dims = self.points.dims;
        let within = |i: usize| match &self.released[i].spread {
            Some(spread) => spread.iter().map(|sd| sd.0 * sd.0).collect(),
            None => vec![0.0; dims],
        };
        PlacedCells {
            points: self.points.lattice(),
            weights: self.points.rows.clone(),
            within: (0..self.released.len()).flat_map(within).collect(),
        }
    }

    /// Standard deviation of the noise on the rows of a centre, root mean square.
    fn count_noise(&self) -> f64 {
        let squares: f64 = self.points.rows_noise.iter().map(|sd| sd.powi(2)).sum();
        (squares / self.released.len().max(1) as f64).sqrt()
    }
}

impl SimulatedTable {
    fn of(points: LatticePoints, scale: f64) -> Self {
        let mut scanned = LatticePoints::with_capacity(points.dims(), points.rows());
        let mut row = vec![0; points.dims()];
        for i in 0..points.rows() {
            points.copy_row(i, &mut row);
            scanned.push_row(&row);
        }
        Self { points, scan: LocalScan::new(PointStore::InMemory(scanned)), scale }
    }
}
