//! k-means on the noisy cells that several holders of tables released, each on its own.
//!
//! Every cell of every release stands at its middle and weighs what its noisy count shows: the mean of the true count given
//! the noisy one ([`posterior_counts`], release by release, since each has a noise and a size of its own). Rows of all tables
//! then count alike, however they are divided among the holders.
//!
//! *Privacy.* Post-processing of released cells. Whatever is found keeps the guarantees of the releases.
//!
//! *Intervals.* The parametric bootstrap of [`crate::certainty`]: a table that could have led to the cells, and reruns with
//! fresh noise on the counts of every release. An interval is about k-means on all rows together, without noise.

use shoal_lattice::{BoxPosition, Widths};
use shoal_noise::NoiseSource;
use shoal_scan::LeafBoxes;

use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::certainty::evidence::{self, decay_of, placed};
use crate::certainty::{NoisyCells, OnCells, Rerun, of_rerun, public_random, solutions};
use crate::expected_error::HOPELESS;
use crate::{Certainty, Decision, Evidence, Synopsis, SynopsisClusters, SynopsisKMeans, Watch};

/// Cells at most for which reruns are made: with more they take too long.
const MOST_CELLS: usize = 1 << 16;

/// Fresh initialisations on the cells of a rerun.
const STARTS: usize = 4;

/// Releases up to which there are as many reruns as asked for.
const USUAL_RELEASES: usize = 8;

/// Reruns at least.
const FEWEST_RERUNS: usize = 16;

/// Released cells of several tables with the same columns and bounds.
pub struct MergedCells<'a> {
    synopses: Vec<&'a Synopsis>,
    placed: PlacedCells,
}

impl<'a> MergedCells<'a> {
    /// The cells of these releases; none where there is no release.
    ///
    /// # Panics
    /// When the releases have different numbers of columns.
    pub fn new(synopses: Vec<&'a Synopsis>) -> Option<Self> {
        let each = synopses.iter().map(|it| placed(&it.cells, &it.counts, decay_of(it.count_noise)));
        let placed = PlacedCells::joined(each)?;
        Some(Self { synopses, placed })
    }

    /// Number of cells of all releases.
    pub fn count(&self) -> usize {
        self.placed.weights.len()
    }

    /// The number of clusters up to `most` that the cells show, and the decision that reports it. 1 when none show.
    pub fn choose_k(&self, most: usize) -> (usize, Decision) {
        let found = evidence::evidence_of_synopses(&self.synopses, evidence::Effort::to_choose(most));
        let k = found.as_ref().map_or(1, |evidence| evidence.supported);
        (k, Decision::ChoseK { k, evidence: found, scores: Vec::new() })
    }

    /// Whether the cells support a given number of clusters.
    pub fn check_k(&self, k: usize) -> Option<Evidence> {
        evidence::evidence_of_synopses(&self.synopses, evidence::Effort::to_check(k))
    }

    /// The best clustering of several initialisations, for which alone `noise` is used.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource, watch: Watch<'_>) -> SynopsisClusters {
        let best = self.placed.kmeans(how, noise, watch);
        let centres = BoxPosition::list(&best.centres);
        let (noise_per_centre, size_noise) = self.noise_around(&centres, &best.weights);
        let clusters = self.placed.clusters(&best.centres);
        SynopsisClusters {
            centres: best.centres.chunks_exact(self.placed.dims()).map(BoxPosition::list).collect(),
            sizes: best.weights.iter().map(|rows| rows.max(0.0)).collect(),
            size_noise,
            noise_per_centre,
            nicv: Some(clusters.nicv()),
            certainty: None,
        }
    }

    /// Standard deviation of the noise on each centre and on each size: those of the releases, each by its part in the
    /// cluster.
    fn noise_around(&self, centres: &[BoxPosition], rows: &[f64]) -> (Vec<Vec<Widths>>, Vec<f64>) {
        let dims = self.placed.dims();
        let mut places = vec![vec![0.0; dims]; rows.len()];
        let mut sizes = vec![0.0; rows.len()];
        for synopsis in &self.synopses {
            let part = synopsis.describe(centres);
            for (j, all) in rows.iter().enumerate() {
                let share = if *all > 0.0 { (part.sizes[j] / all).min(1.0) } else { 1.0 };
                sizes[j] += part.size_noise[j].powi(2);
                for (sum, sd) in places[j].iter_mut().zip(&part.noise_per_centre[j]) {
                    *sum += (share * sd.0).powi(2);
                }
            }
        }
        let sd = |row: Vec<f64>| row.iter().map(|square| Widths(square.sqrt()).at_most(HOPELESS)).collect();
        (places.into_iter().map(sd).collect(), sizes.iter().map(|square: &f64| square.sqrt()).collect())
    }

    /// The same clusters with intervals. No noise source is used: the same cells and clusters have the same intervals.
    pub fn with_certainty(&self, found: SynopsisClusters, how: &SynopsisKMeans) -> SynopsisClusters {
        let certainty = self.by_reruns(&found, how).unwrap_or_else(|| {
            let plain = Certainty::from_noise(&found.centres, &found.noise_per_centre);
            plain.with_size_noise(&found.sizes, &found.size_noise)
        });
        SynopsisClusters { certainty: Some(certainty), ..found }
    }

    fn by_reruns(&self, found: &SynopsisClusters, how: &SynopsisKMeans) -> Option<Certainty> {
        if how.reruns == 0 || self.count() > MOST_CELLS {
            return None;
        }
        let dims = self.placed.dims();
        let laws = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
        let boxes = self.boxes();
        let centres = BoxPosition::numbers(&found.centres.concat());
        let sd: Vec<f64> = found.noise_per_centre.iter().flatten().map(|sd| sd.in_box().0).collect();
        let noisy: Vec<NoisyCells> =
            self.parts().map(|(it, weights)| NoisyCells::new(weights, it.count_noise)).collect();
        let on_cells = OnCells {
            boxes: &boxes,
            laws: &laws,
            cells: &self.placed,
            count_noise: self.count_noise(),
            centres: &centres,
            noise: &sd,
            sizes: &found.sizes,
            size_noise: &found.size_noise,
            nicv: None,
            last_round: None,
            reruns: (how.reruns * USUAL_RELEASES / self.synopses.len())
                .clamp(FEWEST_RERUNS.min(how.reruns), how.reruns),
        };
        on_cells.certainty(|table, starts, noise| {
            let weights = noisy
                .iter()
                .flat_map(|part| posterior_counts(&part.again(noise), CountNoise::laplace(decay_of(part.sd), 1)));
            let again = self.placed.weighing(weights.collect());
            let found = solutions(&again, starts, STARTS.min(how.inits), &mut public_random(noise.next_u64()));
            let best = found.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?;
            Some(Rerun {
                explained: Some(of_rerun(&self.placed, &best.centres, table)),
                on_cells: Vec::new(),
                // Sizes are counted in rows of the release here.
                sizes: best.weights.iter().map(|rows| rows.max(0.0) / table.scale).collect(),
                centres: best.centres,
            })
        })
    }

    /// Each release with the expected rows of its cells.
    fn parts(&self) -> impl Iterator<Item = (&'a Synopsis, &[f64])> {
        let mut rest = self.placed.weights.as_slice();
        self.synopses.iter().map(move |synopsis| {
            let (own, others) = rest.split_at(synopsis.counts.len());
            rest = others;
            (*synopsis, own)
        })
    }

    /// The boxes of all cells.
    fn boxes(&self) -> LeafBoxes {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for synopsis in &self.synopses {
            let boxes = synopsis.cells.boxes();
            for cell in 0..boxes.count() {
                low.extend(boxes.low(cell));
                high.extend(boxes.high(cell));
            }
        }
        LeafBoxes::new(self.placed.dims(), low, high)
    }

    /// Standard deviation of the noise on a count, root mean square over all cells.
    fn count_noise(&self) -> f64 {
        let squares = self.synopses.iter().map(|it| it.counts.len() as f64 * it.count_noise.powi(2));
        (squares.sum::<f64>() / self.count().max(1) as f64).sqrt()
    }
}
