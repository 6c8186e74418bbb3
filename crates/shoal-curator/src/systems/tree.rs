//! Method `tree`: k-means on a private tree of boxes.
//!
//! Cut boxes in two as long as a noisy, depth-biased count says that there are rows (after PrivTree: Zhang, Xiao, Xie, SIGMOD
//! 2016), count the leaves with noise, release them ([`crate::Synopsis`]), and run k-means on them.
//!
//! *Privacy.* That of [`TreeRelease`]: pure ε-DP for adding or removing one row. Everything after it is post-processing.
//!
//! *Utility.* Boxes are small where rows are many: for more attributes than a grid can bear. No number of rows is needed to
//! set it up.
//!
//! *Runtime.* A few scans, then 30 starts of k-means on the leaves.
//!
//! *Assumes.* Public bounds; one row per person.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Claim, Epsilon, MethodInfo, Parameter};

use crate::Decision;
use crate::ExpectedError;
use crate::SynopsisKMeans;
use crate::catalogue::SCL16;
use crate::plan::{CELL_WIDTH, Forecast};
use crate::system::check_basics;
use crate::{FitError, Method, Outcome, Settings, System, Watch};
use crate::{TreeRelease, TreeReleaseParams};
use shoal_scan::Scan;

/// The one form of `tree`.
pub(crate) const METHODS: &[Method] = &[Method {
    info: MethodInfo {
        name: "tree",
        paper: "Shoal",
        published: "ε-DP for PrivTree (Zhang, Xiao, Xie 2016), on which it rests",
        status: "of Shoal, after PrivTree; docs/private-tree.md",
        summary: "k-means on the noisy counts of a tree of boxes that is finer where rows are many; it keeps a synopsis",
        options: &["iterations", "inits", "negative", "structure-share"],
        synopsis: true,
        plus_minus: "two standard deviations of the error from privacy noise and from the width of the boxes",
        ..SCL16
    },
    build,
    // A box of depth i is cut while it holds more rows than i times the bias, about 4/ε with half of ε for the shape.
    forecast: Forecast::on_cells(0.52, 0.3, CELL_WIDTH, |_, budget| {
        (0..64).take_while(|&i| budget / 2f64.powi(i) > 4.0 * f64::from(i)).count() as f64
    }),
}];

fn build(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let params = TreeParams::new(settings.k, settings.epsilon.clone(), dims);
    let structure_share = knobs.structure_share.clone().unwrap_or(params.release.structure_share);
    let release = TreeReleaseParams { structure_share, ..params.release };
    Ok(Box::new(Tree::new(TreeParams { release, kmeans: knobs.on_cells(params.kmeans), ..params }, dims)?))
}

/// The parameters of `tree`, not yet checked.
#[derive(Clone, Debug)]
pub struct TreeParams {
    /// The whole budget.
    pub epsilon: Epsilon,
    /// How the tree is released.
    pub release: TreeReleaseParams,
    /// How the leaves are clustered.
    pub kmeans: SynopsisKMeans,
}

impl TreeParams {
    /// The usual values for a table of `dims` attributes.
    pub fn new(k: usize, epsilon: Epsilon, dims: usize) -> Self {
        Self { epsilon, release: TreeReleaseParams::new(dims), kmeans: SynopsisKMeans::new(k) }
    }
}

/// Method `tree` with parameters that make sense.
///
/// ```
/// use shoal_curator::{System, Tree, TreeParams};
/// use shoal_lattice::LatticePoints;
/// use shoal_files::PointStore;
/// use shoal_scan::LocalScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::Allowance;
///
/// let mut points = LatticePoints::new(2);
/// for i in 0..10_000 {
///     points.push_row(&if i % 2 == 0 { [-20_000, 9_000] } else { [16_000, 9_000] });
/// }
/// let fit = Tree::new(TreeParams::new(2, "1".parse()?, 2), 2)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// let mut xs: Vec<f64> = outcome.centres.iter().map(|centre| centre[0].0 * 32_767.0).collect();
/// xs.sort_by(f64::total_cmp);
/// assert!((xs[0] + 20_000.0).abs() < 500.0 && (xs[1] - 16_000.0).abs() < 500.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tree {
    kmeans: SynopsisKMeans,
    release: TreeRelease,
}

impl Tree {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: TreeParams, dims: usize) -> Result<Self, FitError> {
        check_basics(params.kmeans.k, &params.epsilon, dims)?;
        for (what, given) in [(Parameter::INITS, params.kmeans.inits), (Parameter::ITERATIONS, params.kmeans.rounds)] {
            if given == 0 {
                return Err(FitError::Parameter { what, given: "0".into(), wanted: "1 or more".into() });
            }
        }
        Ok(Self { release: TreeRelease::new(params.release, &params.epsilon, dims)?, kmeans: params.kmeans })
    }
}

impl System for Tree {
    fn claim(&self) -> Claim {
        self.release.claim()
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        self.release.expected_error(rows, self.kmeans.k)
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let mut decisions = Vec::new();
        let synopsis = self.release.run(scan, &mut accountant, noise, &mut decisions)?;
        let (cells, k) = (synopsis.counts.len(), self.kmeans.k);
        if cells < k {
            decisions.push(Decision::FewCells { cells, k });
        }
        let found = synopsis.cluster_watched(&self.kmeans, noise, watch);
        let outcome = Outcome::new(found.centres, found.noise_per_centre, &accountant, noise)
            .with_sizes(found.sizes, found.size_noise)
            .with_decisions(decisions);
        Ok(outcome.on_cells(synopsis, &self.kmeans, false))
    }
}
