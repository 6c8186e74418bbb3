//! Targets: building blocks, each by its exact distribution, by events with the exact log-likelihood ratio, and by its lattice.

mod bits;
mod counts;
mod selection;
mod sums;
mod tree_split;
mod vectors;

use std::sync::Arc;

use shoal_curator::RowMechanism;
use shoal_noise::RBig;
use shoal_privacy::{Assumption, Claim, Epsilon, Loss, Neighbours, Numerics};

use super::subject::Subject;
use crate::runs::{RunFailure, Runs, Side};
use crate::{Line, Plan, Score, Target, TargetInfo, each};

/// Runs on each input, quick and in full.
const RUNS: [usize; 2] = [30_000, 1_000_000];

/// Most outputs to each side of a window that is compared one by one.
const FARTHEST: i64 = 200_000;

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    let blocks = [
        Block {
            name: "discrete-laplace",
            what: "discrete Laplace noise on counts: by enumeration, by events and by its lattice",
            subjects: counts::laplace,
        },
        Block {
            name: "discrete-gaussian",
            what: "discrete Gaussian noise on counts, both samplers: Rényi divergences and (ε, δ) by enumeration, by events \
                   and by its lattice",
            subjects: counts::gaussian,
        },
        Block {
            name: "column-counts",
            what: "a noisy histogram of each column: by enumeration, by events and by its lattice",
            subjects: counts::columns,
        },
        Block {
            name: "k-norm",
            what: "cube noise on a vector: every move by enumeration, by events and by its lattice",
            subjects: vectors::k_norm,
        },
        Block {
            name: "noisy-sums",
            what: "Laplace noise on the sums and counts of a step of Lloyd's: by enumeration, by events and by its lattice",
            subjects: sums::noisy_sums,
        },
        Block {
            name: "knorm-sums",
            what: "cube noise on the clipped sums and counts of a step: by density ratio, by events and by its lattice",
            subjects: vectors::knorm_sums,
        },
        Block {
            name: "gaussian-sums",
            what: "Gaussian noise on the clipped sums and counts of a step: Rényi divergences by enumeration, by events and by \
                   its lattice",
            subjects: sums::gaussian_sums,
        },
        Block {
            name: "block-sums",
            what: "Laplace noise on sums of block results: by events and by its lattice",
            subjects: sums::block_sums,
        },
        Block {
            name: "exponential-mechanism",
            what: "a choice by score: all small scores by enumeration, by events",
            subjects: selection::exponential,
        },
        Block {
            name: "noisy-max",
            what: "the largest noisy score, either noise: all small scores by enumeration, by events",
            subjects: selection::noisy_max,
        },
        Block {
            name: "quantile",
            what: "a quantile by the exponential mechanism: all small tables by enumeration, by events",
            subjects: selection::quantile,
        },
        Block {
            name: "select-by-cost",
            what: "the cheapest sets of centres, one after the other: all small costs by enumeration, by events",
            subjects: selection::by_cost,
        },
        Block {
            name: "tree-split",
            what: "which boxes of a tree are cut: all short paths by enumeration, by events",
            subjects: tree_split::subjects,
        },
    ];
    let blocks = blocks.into_iter().map(|block| Box::new(block) as Box<dyn Target>);
    blocks.chain([Box::new(bits::BitFlipsTarget) as Box<dyn Target>]).collect()
}

/// A target made of subjects that are audited alike.
struct Block {
    name: &'static str,
    what: &'static str,
    subjects: fn(&Plan<'_>) -> Result<Vec<Subject>, RunFailure>,
}

impl Target for Block {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.name, group: "noise", what: self.what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        let subjects = (self.subjects)(plan).unwrap_or_default();
        subjects.iter().map(|subject| subject.work(runs(plan))).sum()
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let mut lines = Vec::new();
        for subject in (self.subjects)(plan)? {
            lines.extend(subject.audit(plan, runs(plan))?);
        }
        Ok(lines)
    }
}

fn runs(plan: &Plan<'_>) -> usize {
    plan.runs(RUNS[0], RUNS[1])
}

/// A mechanism on one table's numbers.
fn side<M>(
    mechanism: &M,
    exact: &M::Input,
    tell: impl Fn(M::Output, &mut Runs) + Send + Sync + 'static,
) -> Box<dyn Side>
where
    M: RowMechanism + Clone + Send + Sync + 'static,
    M::Input: Clone + Send + Sync + 'static,
{
    let (mechanism, exact) = (mechanism.clone(), exact.clone());
    each(move |noise, out| tell(mechanism.draw(exact.clone(), noise), out))
}

/// ln P(output | first)/P(output | second), from ln P of integers up to a constant.
fn log_likelihood_ratio(ln_pmf: impl Fn(&[i64], bool) -> f64 + Send + Sync + 'static) -> Score {
    Score::new("log-likelihood ratio", move |run| {
        let output: Vec<i64> = run.iter().map(|x| *x as i64).collect();
        ln_pmf(&output, true) - ln_pmf(&output, false)
    })
}

/// The score of independent numbers, each with its own noise.
fn independent(first: Vec<i64>, second: Vec<i64>, ln_pmf: Vec<Arc<dyn Fn(i64) -> f64 + Send + Sync>>) -> Score {
    log_likelihood_ratio(move |output, of_first| {
        let exact = if of_first { &first } else { &second };
        output.iter().zip(exact).zip(&ln_pmf).map(|((x, exact), ln_pmf)| ln_pmf(x - exact)).sum()
    })
}

/// What a building block without a claim of its own claims: the ε that it is made for, as its documentation says. Not what
/// follows from its noise, which would excuse too little of it.
fn claim(epsilon: &Epsilon, neighbours: Neighbours) -> Claim {
    Claim {
        neighbours,
        loss: Loss::Pure(epsilon.clone()),
        numerics: Numerics::Exact,
        assumes: [Assumption::OneRowPerPerson].into(),
    }
}

/// How far a window reaches for noise of this decay: forty scales, as far as that can be listed.
fn reach(decay: &RBig) -> i64 {
    ((40.0 / decay.to_f64().value()).ceil() as i64).clamp(50, FARTHEST)
}

/// Refuses to compare a distribution that is not the one a mechanism draws from: both report their variance.
fn same_noise(of_mechanism: f64, of_law: f64) -> Result<(), RunFailure> {
    if (of_mechanism / of_law - 1.0).abs() < 1e-9 {
        return Ok(());
    }
    Err(RunFailure::Other(format!(
        "the mechanism's noise has variance {of_mechanism}, but that of the distribution to compare is {of_law}"
    )))
}
