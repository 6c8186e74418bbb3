//! The settings in which each method is audited: they follow from what its entry in the list says it can do.

use shoal_curator::{
    DesignSize, FitError, Knobs, Method, Settings, SynopsisKMeans, System, Tree, TreeLimits, TreeParams,
    TreeReleaseParams,
};
use shoal_privacy::{Amount, Delta, Epsilon, MethodInfo};

use super::maker;
use crate::Plan;
use crate::allowed::short;
use crate::pairs::curator::Make;
use crate::runs::RunFailure;

/// The largest δ that a method takes: the larger, the more of a promise can be seen in so few runs.
const DELTA: (u64, u64) = (1, 100);
/// Rows that shapes are designed for: enough for half of ε to buy an estimate of the NICV.
const DESIGNED_FOR: u64 = 100;
/// Rows for which every method takes all its steps.
const MANY: u64 = 1_000_000_000;
/// Attributes for which a δ buys less noise in every method that takes one.
const MANY_ATTRIBUTES: usize = 16;
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
        ..Knobs::default()
    };
    let least = Case { k: 1, dims: 1, delta: Delta::ZERO, size, knobs, choose_k: false, what: "" };
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
    if has("count-share") {
        let size = DesignSize::Bought { share: Amount::ratio(1, 2) };
        cases.push(Case { size, what: ", half of ε buys the number of rows", ..least.clone() });
    }
    if info.delta {
        // Unwrap safety: a chance between zero and one.
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
        cases.push(Case { knobs, what: ", half of ε buys the NICV", ..least });
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

    /// The system in this setting, told to spend `epsilon`.
    #[must_use]
    pub fn make_with(&self, method: &'static Method, epsilon: Epsilon) -> Make {
        let Self { k, dims, choose_k, .. } = *self;
        let (delta, knobs) = (self.delta.clone(), self.knobs.clone());
        let settings = Settings { delta, knobs, choose_k, ..Settings::new(k, epsilon, self.size.clone()) };
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

/// Few runs show a difference in odds of so much at the least, so where runs take long more is promised.
fn usual_epsilon(info: &MethodInfo) -> f64 {
    if matches!(info.name, "gkm" | "gkm-3k" | "refined-tree") { 4.0 } else { 1.0 }
}

/// The method `tree` with looks that suit a tiny table.
fn small_tree(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let usual = TreeParams::new(settings.k, settings.epsilon.clone(), dims);
    let limits = TreeLimits { boxes_per_look: BOXES_PER_LOOK, ..usual.release.limits };
    let structure_share = settings.knobs.structure_share.clone().unwrap_or(usual.release.structure_share);
    let release = TreeReleaseParams { limits, structure_share, ..usual.release };
    let kmeans = SynopsisKMeans { k: settings.k, inits: 1, rounds: 1 };
    Ok(Box::new(Tree::new(TreeParams { release, kmeans, ..usual }, dims)?))
}
