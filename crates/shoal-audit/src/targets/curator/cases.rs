//! The settings in which each method is audited: they follow from what its entry in the list says it can do.

use shoal_curator::{
    DesignSize, FitError, Knobs, Method, RangeRule, Settings, SynopsisKMeans, System, Tree, TreeLimits, TreeParams,
    TreeReleaseParams,
};
use shoal_privacy::{Amount, Delta, Epsilon, MethodInfo};

use super::maker;
use crate::Plan;
use crate::allowed::short;
use crate::pairs::curator::Make;
use crate::releases::tables::Engine;
use crate::runs::RunFailure;

/// The largest δ that a method takes: the larger, the more of a claim can be seen in so few runs.
const DELTA: (u64, u64) = (1, 100);
/// Rows that shapes are designed for: enough for half of ε to buy an estimate of the NICV.
const DESIGNED_FOR: u64 = 100;
/// Rows for which every method takes all its steps.
const MANY: u64 = 1_000_000_000;
/// Attributes for which a δ buys less noise in every method that takes one.
const MANY_ATTRIBUTES: usize = 16;
/// Rows that shapes are designed for where each release is checked exactly.
const FOR_RELEASES: u64 = 3_000;
/// Attributes for which a δ buys less noise also for a refined tree.
const VERY_MANY_ATTRIBUTES: usize = 64;
/// Boxes that one look at a tiny table plans; the usual number takes longer than all else.
const BOXES_PER_LOOK: usize = 64;

/// One setting of a method.
#[derive(Clone, Debug)]
pub struct Case {
    /// Clusters, or the most.
    pub k: usize,
    /// Attributes.
    pub dims: usize,
    delta: Delta,
    size: DesignSize,
    knobs: Knobs,
    choose_k: bool,
    /// How rows are read.
    pub engine: Engine,
    /// Whether the attacker has the synopsis file and nothing else.
    pub file_only: bool,
    what: &'static str,
}

/// All settings of a method.
#[must_use]
pub fn cases(info: &MethodInfo) -> Vec<Case> {
    let has = |option: &str| info.options.contains(&option);
    let size = DesignSize::Public(DESIGNED_FOR);
    let knobs = Knobs {
        iterations: Some(1),
        inits: Some(1),
        max_cells: Some(8),
        blocks: Some(1),
        population: Some(8),
        picks: Some(1),
        score_share: Some(Amount::ZERO),
        // Intervals are computed from what is released, so there is nothing to attack in them.
        reruns: Some(0),
        ..Knobs::default()
    };
    let (engine, file_only) = (Engine::Memory, false);
    let least = Case { k: 1, dims: 1, delta: Delta::ZERO, size, knobs, choose_k: false, engine, file_only, what: "" };
    // Merging hides what is merged, so the first case has nothing to merge.
    let nothing_to_merge = Knobs { n: Some(1), ..least.knobs.clone() };
    let mut cases = vec![Case { knobs: nothing_to_merge, ..least.clone() }, Case { k: 2, dims: 2, ..least.clone() }];
    // A whole run shows most where one step has nearly all of ε: each step gets its turn.
    for (option, shares) in [
        ("structure-share", [", 95 % of ε for the counts", ", 95 % of ε for the shape"]),
        ("range-share", [", 95 % of ε for the centres", ", 95 % of ε for the range"]),
        ("synopsis-share", [", 95 % of ε for the last step", ", 95 % of ε for the cells"]),
    ] {
        for (what, part) in shares.into_iter().zip([1, 19]).filter(|_| has(option)) {
            let share = Some(Amount::ratio(part, 20));
            let (structure_share, range_share, synopsis_share) = (share.clone(), share.clone(), share);
            let knobs = Knobs { structure_share, range_share, synopsis_share, ..least.knobs.clone() };
            // A step after the cells is taken only where rows are many.
            let size = if option == "synopsis-share" { DesignSize::Public(MANY) } else { least.size.clone() };
            cases.push(Case { knobs, size, what, ..least.clone() });
        }
    }
    if has("range") {
        for (rule, what) in [(RangeRule::Full, ", the whole range"), (RangeRule::Quartiles, ", quartiles of the rows")]
        {
            let knobs = Knobs { range: Some(rule), ..least.knobs.clone() };
            cases.push(Case { knobs, what, ..least.clone() });
        }
    }
    if has("count-share") {
        let size = DesignSize::Bought { share: Amount::ratio(1, 2) };
        cases.push(Case { size, what: ", half of ε buys the number of rows", ..least.clone() });
    }
    if info.delta {
        // Unwrap safety: a probability between zero and one.
        let delta = Delta::new(Amount::ratio(DELTA.0, DELTA.1)).unwrap();
        cases.push(Case { delta: delta.clone(), ..least.clone() });
        // Gaussian noise is less only where there are many attributes.
        cases.push(Case { delta, dims: MANY_ATTRIBUTES, ..least.clone() });
    }
    if has("iterations") || has("inits") {
        // Whatever goes from one step to the next, and a choice among several starts.
        let knobs = Knobs { iterations: Some(2), inits: Some(3), ..least.knobs.clone() };
        cases.push(Case { k: 2, knobs, ..least.clone() });
    }
    if info.chooses_k {
        cases.push(Case { k: 3, choose_k: true, what: ", k is chosen", ..least.clone() });
    }
    if info.synopsis && has("score-share") {
        let knobs = Knobs { score_share: Some(Amount::ratio(1, 2)), ..least.knobs.clone() };
        cases.push(Case { knobs, what: ", half of ε buys the NICV", ..least.clone() });
    }
    cases.extend(more(info, &least));
    cases
}

/// Settings for which only the full audit has time: many columns, tables that are read again in each pass, and the synopsis
/// file by itself.
fn more(info: &MethodInfo, least: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    // A choice among 65,535 positions in each of many columns takes too long for thousands of runs.
    if !info.name.starts_with("gkm") {
        for dims in [MANY_ATTRIBUTES, VERY_MANY_ATTRIBUTES] {
            cases.push(Case { dims, ..least.clone() });
        }
    }
    if info.delta {
        // So many that trees are refined with Gaussian noise.
        // Unwrap safety: a probability between zero and one.
        let delta = Delta::new(Amount::ratio(DELTA.0, DELTA.1)).unwrap();
        cases.push(Case { delta, dims: VERY_MANY_ATTRIBUTES, ..least.clone() });
    }
    cases.push(Case { k: 2, dims: 2, engine: Engine::Streamed, what: ", streamed", ..least.clone() });
    if info.synopsis {
        let knobs = Knobs { score_share: Some(Amount::ratio(1, 2)), ..least.knobs.clone() };
        cases.push(Case { knobs, file_only: true, what: ", the synopsis file by its own claim", ..least.clone() });
    }
    cases
}

/// Settings for the exact audit of a method on tables of `dims` columns: they make it take each of its steps.
#[must_use]
pub fn for_releases(info: &MethodInfo, dims: usize) -> Vec<Case> {
    let has = |option: &str| info.options.contains(&option);
    let knobs = Knobs {
        iterations: Some(2),
        inits: Some(2),
        max_cells: Some(64),
        // Enough for a quartile of the blocks to have blocks on both sides.
        blocks: Some(6),
        population: Some(6),
        picks: Some(2),
        ..Knobs::default()
    };
    let rows = if has("synopsis-share") { MANY } else { FOR_RELEASES };
    let size = DesignSize::Public(rows);
    let (engine, file_only) = (Engine::Memory, false);
    let usual = Case { k: 3, dims, delta: Delta::ZERO, size, knobs, choose_k: false, engine, file_only, what: "" };
    let mut cases = vec![usual.clone()];
    if has("range") {
        for (rule, what) in [(RangeRule::Full, ", the whole range"), (RangeRule::Quartiles, ", quartiles of the rows")]
        {
            let knobs = Knobs { range: Some(rule), ..usual.knobs.clone() };
            cases.push(Case { k: 2, knobs, what, ..usual.clone() });
        }
    }
    if has("count-share") {
        let size = DesignSize::Bought { share: Amount::ratio(1, 10) };
        cases.push(Case { k: 2, size, what: ", the number of rows is bought", ..usual.clone() });
    }
    if info.delta {
        // Unwrap safety: a probability between zero and one.
        let delta = Delta::new(Amount::ratio(DELTA.0, DELTA.1)).unwrap();
        cases.push(Case { delta, ..usual.clone() });
    }
    if info.chooses_k {
        cases.push(Case { choose_k: true, what: ", k is chosen", ..usual });
    }
    cases
}

impl Case {
    /// Whether more than a pure loss is allowed.
    #[must_use]
    pub fn has_delta(&self) -> bool {
        !self.delta.amount().is_zero()
    }

    /// The system in this setting, at the plan's ε.
    pub fn make(&self, method: &'static Method, plan: &Plan<'_>) -> Result<Make, RunFailure> {
        let epsilon = Amount::from_shortest_decimal(plan.epsilon(usual_epsilon(&method.info)));
        let epsilon = epsilon.map_err(|error| RunFailure::Other(format!("ε: {error}")))?;
        Ok(self.make_with(method, Epsilon::new(epsilon)))
    }

    /// The system in this setting, with `epsilon` to spend.
    #[must_use]
    pub fn make_with(&self, method: &'static Method, epsilon: Epsilon) -> Make {
        let Self { k, dims, choose_k, .. } = *self;
        let (delta, knobs) = (self.delta.clone(), self.knobs.clone());
        let keep_cells = self.file_only;
        let settings = Settings { delta, knobs, choose_k, keep_cells, ..Settings::new(k, epsilon, self.size.clone()) };
        let is_tree = method.info.name == "tree";
        maker(move || if is_tree { small_tree(&settings, dims) } else { method.build(&settings, dims) })
    }

    /// "k = 2, d = 1, ε = 1, 1 iteration".
    #[must_use]
    pub fn words(&self, info: &MethodInfo, plan: &Plan<'_>) -> String {
        let k = if self.choose_k { format!("k ≤ {}", self.k) } else { format!("k = {}", self.k) };
        let delta = if self.has_delta() { format!(", δ = {}", self.delta) } else { String::new() };
        let rows = match self.size {
            DesignSize::Public(rows) if info.options.contains(&"count-share") => {
                format!(", for {} rows", short(rows as f64))
            }
            _ => String::new(),
        };
        let epsilon = short(plan.epsilon(usual_epsilon(info)));
        let of_knob = |option: &str, what: &str, number: Option<u64>| match number {
            Some(1) if info.options.contains(&option) && option == "iterations" => format!(", 1 {what}"),
            Some(n) if info.options.contains(&option) && n > 1 => format!(", {n} {what}s"),
            _ => String::new(),
        };
        let steps = of_knob("iterations", "iteration", self.knobs.iterations.map(u64::from))
            + &of_knob("inits", "start", self.knobs.inits.map(|inits| inits as u64));
        format!("{k}, d = {}, ε = {epsilon}{delta}{steps}{rows}{}", self.dims, self.what)
    }
}

/// A few runs show only large differences in odds, so methods with slow runs are audited at a larger ε.
fn usual_epsilon(info: &MethodInfo) -> f64 {
    if matches!(info.name, "gkm" | "gkm-3k" | "refined-tree" | "looks" | "fixed-tree") { 4.0 } else { 1.0 }
}

/// The method `tree` with looks that suit a tiny table.
fn small_tree(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let usual = TreeParams::new(settings.k, settings.epsilon.clone(), dims);
    let limits = TreeLimits { boxes_per_look: BOXES_PER_LOOK, ..usual.release.limits };
    let structure_share = settings.knobs.structure_share.clone().unwrap_or(usual.release.structure_share);
    let release = TreeReleaseParams { limits, structure_share, ..usual.release };
    let kmeans = SynopsisKMeans { inits: 1, rounds: 1, reruns: 0, ..SynopsisKMeans::new(settings.k) };
    Ok(Box::new(Tree::new(TreeParams { release, kmeans, ..usual }, dims)?))
}
