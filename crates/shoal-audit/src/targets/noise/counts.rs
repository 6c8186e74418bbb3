//! Noise on counts.

use std::sync::Arc;

use shoal_curator::RowMechanism;
use shoal_curator::internals::{GaussianCountsMechanism, NoisyColumnCountsMechanism, NoisyCountsMechanism};
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, TabledGaussian};
use shoal_privacy::{Delta, Rho, largest_rho_down};

use super::{independent, reach, same_noise, side};
use crate::allowed::{promise, short};
use crate::exact::{FiniteLaws, Part, product};
use crate::runs::RunFailure;
use crate::targets::subject::Subject;
use crate::{Allowed, Pair, Plan, each};

/// A row comes to an empty cell.
const WORDS: &str = "no row and one in the second of two cells";

pub(super) fn laplace(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mechanism = NoisyCountsMechanism::new(&epsilon)?;
    let law = DiscreteLaplace::new(epsilon.amount().as_rational().clone())?;
    same_noise(mechanism.variance(), law.variance())?;
    let allowed = Allowed::of(&mechanism.loss(), 1.0);
    let (first, second) = (vec![3_u64, 0], vec![3, 1]);
    let tell = |counts: Vec<i64>, out: &mut crate::Runs| out.tell_all(counts.into_iter().map(|x| x as f64));
    let ln_pmf: Arc<dyn Fn(i64) -> f64 + Send + Sync> = Arc::new({
        let law = law.clone();
        move |z| law.ln_pmf(z)
    });
    let pair = Pair::new(WORDS, side(&mechanism, &first, tell), side(&mechanism, &second, tell), allowed.clone())
        .with_score(independent(vec![3, 0], vec![3, 1], vec![ln_pmf; 2]));
    let subject = Subject::new("discrete-laplace", format!("ε = {epsilon}, counts"), promise(&mechanism.claim()))
        .with_exact(move || {
            let laws = FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, 1, 2], reach(law.decay()))?;
            // Counts two rows apart are two steps.
            Ok(laws.audit(|i, j| (i.abs_diff(j) == 1).then(|| allowed.clone())))
        })
        .with_pair(pair);
    Ok(vec![subject])
}

pub(super) fn gaussian(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let refused = || RunFailure::Other(format!("no ρ above zero is within ε = {epsilon}; give a larger one"));
    // What a run with a δ would use, and a σ so small that the lattice shows.
    let delta: Delta = "1e-6".parse().map_err(|_| refused())?;
    let usual = largest_rho_down(&epsilon, &delta).ok_or_else(refused)?;
    let narrow = Rho::new(epsilon.amount().times(epsilon.amount()));
    let mut subjects = Vec::new();
    for (rho, tabled) in [(&usual, false), (&narrow, false), (&usual, true)] {
        let mechanism = GaussianCountsMechanism::new(rho)?;
        let law = mechanism.law().clone();
        let sigma = law.sigma_squared().to_f64().value().sqrt();
        let allowed = Allowed::of(&mechanism.loss(), 1.0);
        let sampler = if tabled { ", by table" } else { "" };
        let setting = format!("σ = {}, counts{sampler}", short(sigma));
        let mut subject = Subject::new("discrete-gaussian", setting, promise(&mechanism.claim()));
        if !tabled {
            let laws = Arc::new(window(&law, &[0, 1])?);
            let Allowed::Zcdp(rho) = allowed else { return Err(refused()) };
            let (again, allowed) = (laws.clone(), allowed.clone());
            subject = subject
                .with_exact(move || Ok(laws.audit_concentrated(|_, _| Some(rho))))
                .with_exact(move || Ok(again.audit(|_, _| Some(allowed.clone()))));
        }
        let count = |rows: u64| {
            if tabled {
                let law = TabledGaussian::new(mechanism.law().sigma_squared())?;
                return Ok(each(move |noise, out| out.tell((rows as i64 + law.sample(noise)) as f64)));
            }
            Ok::<_, RunFailure>(side(&mechanism, &vec![rows], |counts, out| out.tell(counts[0] as f64)))
        };
        let pair = Pair::new("no row and one", count(0)?, count(1)?, allowed).with_score(independent(
            vec![0],
            vec![1],
            vec![Arc::new(move |z| law.ln_pmf(z))],
        ));
        subjects.push(subject.with_pair(pair));
    }
    Ok(subjects)
}

/// A window wide enough for Rényi divergences up to order 16, whose weight lies up to 16 moves away.
pub(super) fn window(law: &DiscreteGaussian, values: &[i64]) -> Result<FiniteLaws, RunFailure> {
    let widest = values.iter().max().unwrap_or(&0) - values.iter().min().unwrap_or(&0);
    let sigma = law.sigma_squared().to_f64().value().sqrt();
    let reach = (16 * widest + (12.0 * sigma) as i64 + 20).min(super::FARTHEST);
    FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), values, reach)
}

pub(super) fn columns(plan: &Plan<'_>) -> Result<Vec<Subject>, RunFailure> {
    let epsilon = plan.exact_epsilon(1.0)?;
    let mechanism = NoisyColumnCountsMechanism::new(&epsilon, 2)?;
    let law = mechanism.law().clone();
    let allowed = Allowed::of(&mechanism.loss(), 1.0);
    let tell = |columns: Vec<Vec<i64>>, out: &mut crate::Runs| {
        out.tell_all(columns.into_iter().flatten().map(|x| x as f64));
    };
    let (first, second) = (vec![vec![0_u64, 2], vec![0, 0]], vec![vec![1, 2], vec![0, 1]]);
    let ln_pmf: Arc<dyn Fn(i64) -> f64 + Send + Sync> = Arc::new({
        let law = law.clone();
        move |z| law.ln_pmf(z)
    });
    let words = "a row less and a row more in one bucket of each column";
    let pair = Pair::new(words, side(&mechanism, &first, tell), side(&mechanism, &second, tell), allowed.clone())
        .with_score(independent(vec![0, 2, 0, 0], vec![1, 2, 0, 1], vec![ln_pmf; 4]));
    let subject = Subject::new("column-counts", format!("ε = {epsilon}, 2 columns"), promise(&mechanism.claim()))
        .with_exact(move || {
            let laws = FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, 1], reach(law.decay()))?;
            let column = |i| Part::new(format!("column {i}"), &laws, 0, 1);
            Ok(product::audit("no row and one", &[column(1), column(2)], allowed.epsilon_at(0.0)))
        })
        .with_pair(pair);
    Ok(vec![subject])
}
