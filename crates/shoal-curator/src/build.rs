//! From a method's name and its knobs to the system that runs.

use shoal_privacy::{Amount, Delta, Epsilon};

use crate::{
    Auto, AutoParams, Blocks, DesignSize, DpLloyd, DpLloydParams, Eugkm, EugkmParams, Gkm, GkmParams, GridRule, Hybrid,
    HybridParams, KNormLloyd, KNormLloydParams, Kccm, KccmParams, Matching, Pgkm, PgkmParams, Rounds, Route, Shares,
    Start, SynopsisKMeans, Tree, TreeParams, TreeReleaseParams,
};
use crate::{CuratorMethod, FitError, System};
use shoal_privacy::MethodInfo;

/// What every method needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of clusters; the most, when it is to be chosen.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// The δ that may be used beside it; zero for a pure ε, which most methods keep anyway.
    pub delta: Delta,
    /// For how many rows the method is designed, if it is.
    pub size: DesignSize,
    /// What differs from the paper.
    pub knobs: Knobs,
}

/// The knobs of the papers. `None` is the paper's value; each method looks only at those listed in its
/// [`MethodInfo::options`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knobs {
    /// Steps of Lloyd, rounds of the genetic search, or rounds on cells and in blocks at most.
    pub iterations: Option<u32>,
    /// θ of SCL16 eq. (4).
    pub theta: Option<f64>,
    /// Starts on the cells, or in each block.
    pub inits: Option<usize>,
    /// Most cells of a grid.
    pub max_cells: Option<usize>,
    /// ρ of SCL16 eq. (6).
    pub rho: Option<f64>,
    /// The synopsis' share of ε in Hybrid.
    pub synopsis_share: Option<Amount>,
    /// The share of ε that decides the shape of a tree.
    pub structure_share: Option<Amount>,
    /// Blocks of GkM.
    pub blocks: Option<u32>,
    /// How GkM tells the centres of different blocks apart.
    pub matching: Option<Matching>,
    /// The output range's share of ε in GkM.
    pub range_share: Option<Amount>,
    /// Candidate sets of PGkM.
    pub population: Option<usize>,
    /// Sets that PGkM picks in a round.
    pub picks: Option<usize>,
    /// How far PGkM's mutations move a coordinate, in interval widths.
    pub mutation: Option<f64>,
    /// n of NQC21: centres before merging, per cluster.
    pub n: Option<usize>,
    /// The number of clusters is chosen on released cells, up to the given one, by methods that can.
    pub choose_k: bool,
    /// Released cells are to be kept, so `auto` takes only routes that release some.
    pub keep_cells: bool,
    /// The share of ε that buys an estimate of the result's quality.
    pub score_share: Option<Amount>,
    /// Proportions of the steps' budgets.
    pub shares: Option<Vec<Amount>>,
}

/// From a row of the catalogue to a system.
pub trait Build {
    /// The system with this name for a table of `dims` attributes.
    ///
    /// ```
    /// use shoal_curator::{Build, DesignSize, Knobs, Settings, find_method};
    /// use shoal_privacy::Delta;
    ///
    /// let size = DesignSize::Public(50_000);
    /// let settings = Settings { k: 5, epsilon: "1".parse()?, delta: Delta::ZERO, size, knobs: Knobs::default() };
    /// let hybrid = find_method("hybrid").unwrap().build(&settings, 6)?;
    /// assert_eq!(hybrid.claim().loss.symbols(), "ε = 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn build(&self, settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError>;
}

impl Build for MethodInfo {
    fn build(&self, settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
        self.check_delta(&settings.delta)?;
        let kccm = |n, shares| Kccm::new(kccm(settings, n, shares), dims);
        Ok(match self.name {
            "dplloyd" => Box::new(DpLloyd::new(dplloyd(settings, Start::Uniform), dims)?),
            "dplloyd-impr" => Box::new(DpLloyd::new(dplloyd(settings, Start::SpherePacking), dims)?),
            "gkm" => Box::new(Gkm::new(gkm(settings, Blocks::Power), dims)?),
            "gkm-3k" => Box::new(Gkm::new(gkm(settings, Blocks::PerCluster), dims)?),
            "pgkm" => Box::new(Pgkm::new(pgkm(settings), dims)?),
            "eugkm" => Box::new(Eugkm::new(eugkm(settings), dims)?),
            "hybrid" => Box::new(Hybrid::new(hybrid(settings), dims)?),
            "kccm" | "allocation-nk" => Box::new(kccm(3, Shares::Growing)?),
            "average-nk" => Box::new(kccm(3, Shares::Equal)?),
            "allocation-k" => Box::new(kccm(1, Shares::Growing)?),
            "auto" => Box::new(Auto::new(auto(settings, None), dims)?),
            "mean" | "directions" | "grid" | "refined-tree" => {
                Box::new(Auto::new(auto(settings, Route::named(self.name)), dims)?)
            }
            "tree" => Box::new(Tree::new(tree(settings, dims), dims)?),
            "average-k" => Box::new(kccm(1, Shares::Equal)?),
            "knorm-lloyd" => Box::new(KNormLloyd::new(knorm_lloyd(settings), dims)?),
            other => unreachable!("{other} is in the list of methods and not built here"),
        })
    }
}

fn dplloyd(settings: &Settings, start: Start) -> DpLloydParams {
    let params = DpLloydParams::new(settings.k, settings.epsilon.clone());
    DpLloydParams { iterations: settings.knobs.iterations.unwrap_or(params.iterations), start, ..params }
}

fn gkm(settings: &Settings, blocks: Blocks) -> GkmParams {
    let knobs = &settings.knobs;
    let blocks = knobs.blocks.map_or(blocks, Blocks::Given);
    let params = GkmParams::new(settings.k, settings.epsilon.clone(), settings.size.clone(), blocks);
    GkmParams {
        range_share: knobs.range_share.clone().unwrap_or(params.range_share),
        matching: knobs.matching.unwrap_or(params.matching),
        inits: knobs.inits.unwrap_or(params.inits),
        rounds: knobs.iterations.map_or(params.rounds, |rounds| rounds as usize),
        ..params
    }
}

fn pgkm(settings: &Settings) -> PgkmParams {
    let knobs = &settings.knobs;
    let params = PgkmParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    PgkmParams {
        population: knobs.population.unwrap_or(params.population),
        picks: knobs.picks.unwrap_or(params.picks),
        rounds: knobs.iterations.map_or(params.rounds, Rounds::Given),
        mutation: knobs.mutation.unwrap_or(params.mutation),
        ..params
    }
}

fn eugkm(settings: &Settings) -> EugkmParams {
    let knobs = &settings.knobs;
    let params = EugkmParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    let grid = GridRule {
        theta: knobs.theta.unwrap_or(params.grid.theta),
        most_cells: knobs.max_cells.unwrap_or(params.grid.most_cells),
    };
    EugkmParams { grid, kmeans: cells_kmeans(knobs, params.kmeans), ..params }
}

fn hybrid(settings: &Settings) -> HybridParams {
    let params = HybridParams::new(eugkm(settings));
    HybridParams {
        rho: settings.knobs.rho.unwrap_or(params.rho),
        synopsis_share: settings.knobs.synopsis_share.clone().unwrap_or(params.synopsis_share),
        ..params
    }
}

fn auto(settings: &Settings, route: Option<Route>) -> AutoParams {
    let knobs = &settings.knobs;
    let params = AutoParams::new(settings.k, settings.epsilon.clone(), settings.size.clone());
    AutoParams {
        delta: settings.delta.clone(),
        choose_up_to: knobs.choose_k.then_some(settings.k),
        score_share: knobs.score_share.clone().unwrap_or(params.score_share),
        kmeans: SynopsisKMeans {
            inits: knobs.inits.unwrap_or(params.kmeans.inits),
            rounds: knobs.iterations.map_or(params.kmeans.rounds, |rounds| rounds as usize),
            ..params.kmeans
        },
        route,
        keep_cells: knobs.keep_cells,
        ..params
    }
}

fn tree(settings: &Settings, dims: usize) -> TreeParams {
    let knobs = &settings.knobs;
    let params = TreeParams::new(settings.k, settings.epsilon.clone(), dims);
    let release = TreeReleaseParams {
        structure_share: knobs.structure_share.clone().unwrap_or(params.release.structure_share),
        ..params.release
    };
    TreeParams { release, kmeans: cells_kmeans(knobs, params.kmeans), ..params }
}

/// How cells are clustered.
fn cells_kmeans(knobs: &Knobs, usual: SynopsisKMeans) -> SynopsisKMeans {
    SynopsisKMeans {
        inits: knobs.inits.unwrap_or(usual.inits),
        rounds: knobs.iterations.map_or(usual.rounds, |rounds| rounds as usize),
        ..usual
    }
}

fn kccm(settings: &Settings, n: usize, shares: Shares) -> KccmParams {
    let params = KccmParams::new(settings.k, settings.epsilon.clone());
    KccmParams {
        n: settings.knobs.n.unwrap_or(n),
        iterations: settings.knobs.iterations.unwrap_or(params.iterations),
        shares: settings.knobs.shares.clone().map_or(shares, Shares::Given),
        ..params
    }
}

fn knorm_lloyd(settings: &Settings) -> KNormLloydParams {
    let params = KNormLloydParams::new(settings.k, settings.epsilon.clone());
    KNormLloydParams {
        delta: settings.delta.clone(),
        iterations: settings.knobs.iterations.unwrap_or(params.iterations),
        ..params
    }
}

#[cfg(test)]
mod tests {
    use shoal_privacy::Loss;

    use super::*;
    use crate::METHODS;

    #[test]
    fn a_delta_is_used_or_refused() {
        let settings = |delta: &str| Settings {
            k: 3,
            epsilon: "1".parse().unwrap(),
            delta: delta.parse().unwrap(),
            size: DesignSize::Public(5000),
            knobs: Knobs::default(),
        };
        for method in METHODS {
            let small = method.build(&settings("1e-6"), 2);
            if method.delta {
                let expected = Loss::Approximate { epsilon: "1".parse().unwrap(), delta: "1e-6".parse().unwrap() };
                assert_eq!(small.map(|system| system.claim().loss).unwrap(), expected, "{}", method.name);
            } else {
                assert!(small.err().unwrap().to_string().contains("knorm-lloyd"), "{}", method.name);
            }
            assert!(matches!(method.build(&settings("0.02"), 2), Err(FitError::Parameter { what: "δ", .. })));
        }
    }

    #[test]
    fn every_listed_method_can_be_built_and_costs_exactly_its_budget() {
        for method in METHODS {
            for size in [DesignSize::Public(5000), DesignSize::bought()] {
                for epsilon in ["1", "0.1", "0.7", "1/3"] {
                    for dims in [1, 2, 6] {
                        let epsilon: Epsilon = epsilon.parse().unwrap();
                        let (delta, size, knobs) = (Delta::ZERO, size.clone(), Knobs::default());
                        let settings = Settings { k: 3, epsilon: epsilon.clone(), delta, size, knobs };
                        let claim = method.build(&settings, dims).unwrap().claim();
                        assert_eq!(claim.loss, shoal_privacy::Loss::Pure(epsilon), "{}, d = {dims}", method.name);
                    }
                }
            }
        }
    }
}
