//! Fitting other reports from clusters that were found before, and comparing clusters with none.

use shoal_noise::NoiseSource;

use crate::server::Clusters;
use crate::server::noise_aware::choose_k::ChosenK;
use crate::server::noise_aware::pass::{Density, Mixture};
use crate::server::noise_aware::{Densities, NoiseAware, initialisation};
use crate::server::points::ReportPoints;
use shoal_device::NoiseLaw;
use shoal_lattice::UnitPosition;

/// Fresh initialisations beside the clusters found before.
const FRESH: usize = 2;

/// Passes on one of them, at most, and how little an iteration must gain for EM to end.
const PASSES: usize = 40;
const LEAST_GAIN: f64 = 0.1;

impl NoiseAware {
    /// Clusters of other reports on the same clusters: EM from those found before and from a few fresh initialisations,
    /// the best of which is kept. Standard errors are left out.
    pub fn again(
        &self,
        found: &Clusters,
        points: &ReportPoints,
        law: NoiseLaw,
        random: &mut dyn NoiseSource,
    ) -> Clusters {
        let density = Densities::exact(points, law, self.width);
        let mut starts = initialisation::initialisations(points, self.k, FRESH, &density, random);
        starts.push(mixture_of(found, &density));
        let em = self.em(PASSES.min(self.passes), LEAST_GAIN);
        let tried = starts.into_iter().map(|start| em.from(start, points, &density));
        let best = tried.max_by(|a, b| a.objective.total_cmp(&b.objective));
        // Unwrap safety: the clusters found before are one of them.
        self.clusters_without_errors(&density, &best.unwrap())
    }

    /// Finds the clusters, and how well they do compared with one cluster, that is none.
    ///
    /// # Panics
    /// When there are no reports, clusters or initialisations.
    pub fn cluster_compared(&self, points: &ReportPoints, law: NoiseLaw, random: &mut dyn NoiseSource) -> ChosenK {
        let densities = Densities::new(points, law, self.width);
        let found = self.best(points, &densities, random, &mut |_| ());
        let clusters = self.clusters(points, &densities.density, &found);
        let one = Self { k: 1, starts: 3, ..*self };
        let optimum = one.best(points, &densities, random, &mut |_| ());
        let mut tried = vec![one.tried(points, &densities.density, optimum.best())];
        if self.k > 1 {
            tried.push(self.tried(points, &densities.density, found.best()));
        }
        ChosenK { clusters, tried }
    }
}

/// Clusters as EM has them.
fn mixture_of(found: &Clusters, density: &Density) -> Mixture {
    let dims = found.centres[0].len();
    let centres = found.centres.iter().flat_map(|centre| UnitPosition::numbers(centre)).collect();
    let mut mixture = initialisation::alike(centres, dims, density);
    mixture.ln_weights = found.shares.iter().map(|share| libm::log(share.max(1e-12))).collect();
    let deviation = |at: usize| found.widths.get(at / dims).map_or(0.0, |widths| widths[at % dims].0);
    match density {
        Density::Scales(_) => {
            let least = super::scales::NARROWEST;
            mixture.variances = (0..dims).map(|i| deviation(i).max(least).powi(2)).collect();
        }
        Density::Tables(tables) => {
            let away = |width: usize, at: usize| (tables.widths[width] - deviation(at)).abs();
            let nearest = |at: usize| (0..tables.widths.len()).min_by(|&a, &b| away(a, at).total_cmp(&away(b, at)));
            mixture.widths = (0..mixture.widths.len()).map(|at| nearest(at).unwrap_or(0)).collect();
        }
    }
    mixture.levels = found.levels.concat();
    mixture
}
