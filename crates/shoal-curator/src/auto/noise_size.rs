//! How large noise is, in a formula: for plans, before any sampler is set up.

use shoal_privacy::Amount;

use crate::StepBudget;

/// Standard deviation of each of D numbers under cube noise of half-width 1 and the given ε.
pub fn cube_sd(numbers: usize, epsilon: f64) -> f64 {
    let d = numbers as f64;
    ((d + 1.0) * (d + 2.0) / 3.0).sqrt() / epsilon
}

/// Standard deviation of each of D numbers of half-width 1 under `share` of a budget.
pub fn step_sd(numbers: usize, budget: &StepBudget, share: f64) -> f64 {
    match budget {
        StepBudget::Pure(epsilon) => cube_sd(numbers, share * epsilon.to_f64_up()),
        StepBudget::Concentrated(rho) => (numbers as f64 / (2.0 * share * rho.to_f64_up())).sqrt(),
    }
}

/// The budget whose noise, drawn once, has the standard deviation of `copies` noises of this budget: ε/√h, or ρ/h.
pub fn felt(budget: &StepBudget, copies: u32) -> StepBudget {
    match (copies, budget) {
        (0 | 1, _) => budget.clone(),
        (_, StepBudget::Concentrated(_)) => budget.split(copies.into()),
        (_, StepBudget::Pure(_)) => {
            // For formulas only: a double is exact enough.
            let share = Amount::from_shortest_decimal(f64::from(copies).sqrt().recip()).unwrap_or(Amount::ONE);
            budget.times(&share)
        }
    }
}

/// The ε whose pure loss costs no more than `share` of a budget.
pub fn pure_part(budget: &StepBudget, share: f64) -> f64 {
    match budget {
        StepBudget::Pure(epsilon) => share * epsilon.to_f64_up(),
        StepBudget::Concentrated(rho) => (2.0 * share * rho.to_f64_up()).sqrt(),
    }
}
