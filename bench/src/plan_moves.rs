//! How far privacy moves centres and sizes away from those of the same clustering without it.

use shoal_curator::{DesignSize, Outcome, Settings, find_method};
use shoal_kernel::{LatticeCentres, Restarts, assign_min_cost, kmeans_from, kmeans_restarts};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::Allowance;

use crate::{CuratorTable, Failure, squared};

/// Restarts of k-means without privacy.
const RESTARTS: usize = 10;

/// The clustering without privacy, and what a forecast may be given of the data.
pub struct Reference {
    /// Centres in box units.
    pub centres: Vec<Vec<f64>>,
    /// Rows of each cluster.
    pub sizes: Vec<f64>,
    /// Mean squared distance from the nearest centre, box units.
    pub nicv: f64,
    /// Standard deviation within clusters, per column, in parts of the range.
    pub spread: f64,
    /// The share of rows in the middle third of the way between two centres.
    pub overlap: f64,
    /// The share of rows in the smallest cluster.
    pub smallest: f64,
}

/// What one run did, compared with the reference.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Clusters found: a released centre is nearer than half the way to the next centre of the reference.
    pub found: usize,
    /// Root mean square move of the centres that were found, per column, in parts of the range; weighted by rows.
    pub centre: Option<f64>,
    /// Root mean square error of their sizes, in parts of the average size; weighted by rows.
    pub size: Option<f64>,
    /// Every move along a column of a centre that was found.
    pub each: Vec<f64>,
    /// Mean squared distance of the rows from the released centres.
    pub nicv: f64,
}

impl Reference {
    /// The best k-means of several starts, those in `also` (box units) among them.
    pub fn new(points: &LatticePoints, k: usize, also: Option<&[f64]>, seed: u64) -> Result<Self, Failure> {
        let dims = points.dims();
        let random = &mut SeededNoise::new(seed);
        let options = Restarts { clusters: k, restarts: RESTARTS, iterations: 300 };
        let mut runs = vec![kmeans_restarts(points, None, &options, &mut || random.next_u64())];
        if let Some(also) = also {
            runs.extend(kmeans_from(points, None, &[LatticeCentres::from_unit(dims, also)], 300));
        }
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).ok_or("there is no start")?;
        let centres: Vec<Vec<f64>> = best.centres.chunks_exact(dims).map(<[f64]>::to_vec).collect();
        let mut sizes = vec![0.0; k];
        let (mut cost, mut between) = (0.0, 0.0);
        let mut row = vec![0; dims];
        for r in 0..points.rows() {
            points.copy_row(r, &mut row);
            let place: Vec<f64> = row.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect();
            let ((j, near), next) = two_nearest(&centres, &place);
            sizes[j] += 1.0;
            cost += near;
            if let Some((other, far)) = next {
                // Distance from the border of both is (far − near)/2D; a third of the way is D/6 on either side.
                let apart = squared(&centres[j], &centres[other]);
                between += f64::from(u8::from(far - near < apart / 3.0));
            }
        }
        let rows = points.rows() as f64;
        let spread = 0.5 * (cost / rows / dims as f64).sqrt();
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min).max(1.0) / rows;
        Ok(Self { centres, sizes, nicv: cost / rows, spread, overlap: between / rows, smallest })
    }

    /// Half the way to the nearest other centre, squared.
    fn own(&self, j: usize) -> f64 {
        let others = (0..self.centres.len()).filter(|&i| i != j);
        others.map(|i| 0.25 * squared(&self.centres[i], &self.centres[j])).fold(f64::INFINITY, f64::min)
    }

    /// Compares a release.
    pub fn moved(&self, table: &CuratorTable, outcome: &Outcome) -> Result<Moved, Failure> {
        let released: Vec<Vec<f64>> = outcome.centres.iter().map(|centre| BoxPosition::numbers(centre)).collect();
        let costs: Vec<f64> =
            self.centres.iter().flat_map(|centre| released.iter().map(|other| squared(centre, other))).collect();
        let matched = assign_min_cost(self.centres.len(), released.len(), &costs).column_of;
        let (mut found, mut weight, mut centre, mut size, mut each) = (0, 0.0, 0.0, 0.0, Vec::new());
        let average = self.sizes.iter().sum::<f64>() / self.sizes.len() as f64;
        for (j, place) in matched.iter().enumerate() {
            let Some(place) = *place else { continue };
            let far = squared(&self.centres[j], &released[place]);
            if far >= self.own(j) {
                continue;
            }
            found += 1;
            weight += self.sizes[j];
            // A part of the range is half as much in the box.
            centre += self.sizes[j] * 0.25 * far / self.centres[j].len() as f64;
            each.extend(self.centres[j].iter().zip(&released[place]).map(|(a, b)| 0.5 * (a - b).abs()));
            if let Some(released) = outcome.sizes.get(place) {
                size += self.sizes[j] * ((released - self.sizes[j]) / average).powi(2);
            }
        }
        let root = |sum: f64| (found > 0).then(|| (sum / weight).sqrt());
        let nicv = table.score(&released.concat())?.squared;
        Ok(Moved { found, centre: root(centre), size: root(size).filter(|_| !outcome.sizes.is_empty()), each, nicv })
    }
}

/// A run of `auto` with a public number of rows.
pub fn run_auto(table: &CuratorTable, k: usize, epsilon: &str, seed: u64) -> Result<Outcome, Failure> {
    let method = find_method("auto").ok_or("there is no method auto")?;
    let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    let settings = Settings::new(k, epsilon, DesignSize::Public(table.rows() as u64));
    let system = method.build(&settings, table.points().dims())?;
    let allowance = Allowance::without_ledger(system.claim());
    Ok(system.run(table.scan(), allowance, &mut SeededNoise::new(seed))?)
}

type Place = (usize, f64);

/// The two nearest centres with their squared distances.
fn two_nearest(centres: &[Vec<f64>], place: &[f64]) -> (Place, Option<Place>) {
    let (mut best, mut next) = ((0, f64::INFINITY), None::<Place>);
    for (j, centre) in centres.iter().enumerate() {
        let far = squared(centre, place);
        if far < best.1 {
            next = best.1.is_finite().then_some(best);
            best = (j, far);
        } else if next.is_none_or(|(_, second)| far < second) {
            next = Some((j, far));
        }
    }
    (best, next)
}
