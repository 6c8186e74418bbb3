//! What is stated of the distribution of BPGM's noise distance, and whether it holds.

use super::{BINS, DIMS, Distances, EPSILONS, REPORTS};
use crate::Failure;
use crate::figure::{Statement, Verdict};
use crate::lab::Results;
use crate::papers::words::short;
use crate::statistics::Summary;
use crate::statistics::fall;

/// Two records, and a report near the first: where the ratio of densities is looked at, in widths.
const APART: f64 = 0.1;
const NEAR: f64 = 0.001;

impl Distances {
    /// Whether the reports follow eq. (5): the mean square of the bins' deviations in standard errors is near one.
    pub(super) fn as_printed(&self, results: &Results) -> Result<Statement, Failure> {
        let bound: f64 = self.bound.parse()?;
        let (mut held, mut told) = (0, Vec::new());
        for epsilon in EPSILONS {
            let rate: f64 = epsilon.parse()?;
            let width = self.width(epsilon)?;
            let below = |x: f64| (-rate * x.min(bound)).exp_m1() / (-rate * bound).exp_m1();
            let mut squares = 0.0;
            for (middle, bin) in self.bins(results, epsilon)? {
                let share = below(middle + 0.5 * width) - below(middle - 0.5 * width);
                // The spread that so many independent reports must have: few runs would estimate it badly.
                let error = (share * (1.0 - share) / (bin.runs * REPORTS) as f64).sqrt();
                squares += ((bin.mean * width - share) / error).powi(2);
            }
            let mean = squares / BINS as f64;
            held += usize::from(mean < 2.0);
            told.push(format!("{} at ε = {epsilon}", short(mean)));
        }
        let found = format!("mean squared deviation of the bins in standard errors: {}", told.join(", "));
        Ok(Statement::counted("The distance has the density of eq. (5)", held, EPSILONS.len(), found))
    }

    fn means(&self, results: &Results, measure: &str) -> Result<Vec<Summary>, Failure> {
        EPSILONS.iter().map(|epsilon| results.summary(&self.moments_key(epsilon), measure)).collect()
    }

    pub(super) fn more_noise(&self, results: &Results) -> Result<Statement, Failure> {
        let means = self.means(results, "mean")?;
        let told: Vec<String> = means.iter().map(|s| short(s.mean)).collect();
        let found = format!("mean distance at ε = {}: {}", EPSILONS.join(", "), told.join(", "));
        Ok(Statement::over("A smaller budget means more noise", fall(&means), found))
    }

    pub(super) fn within(&self, results: &Results) -> Result<Statement, Failure> {
        let bound: f64 = self.bound.parse()?;
        let farthest = self.means(results, "farthest")?.iter().map(|s| s.max).fold(0.0, f64::max);
        // The loop ends within its threshold of the distance that was drawn.
        let held = farthest <= bound + 2.0 * shoal_device::bpgm::THRESHOLD;
        let found = format!("the farthest report is {farthest:.4} widths from its record");
        Ok(Statement::counted(format!("The noise stays within ℓ = {}", self.bound), usize::from(held), 1, found))
    }

    /// The ratio of densities of a report near one of two records, where directions are uniform.
    pub(super) fn promise(&self) -> Result<Statement, Failure> {
        let (mut held, mut told) = (0, Vec::new());
        for epsilon in EPSILONS {
            let bpgm = self.bpgm(epsilon)?;
            let loss = bpgm.ln_density_of_idealisation(NEAR) - bpgm.ln_density_of_idealisation(APART);
            let allowed = epsilon.parse::<f64>()? * APART;
            held += usize::from(loss <= allowed);
            told.push(format!("{} where {} is allowed at ε = {epsilon}", short(loss), short(allowed)));
        }
        let verdict = if held == EPSILONS.len() { Verdict::Holds } else { Verdict::Fails };
        let found = format!(
            "a report {NEAR} from one record and {APART} from another has a log-ratio of {}; beyond ℓ the ratio is infinite",
            told.join(", ")
        );
        Ok(Statement::judged("Noise with this distance keeps ε·d_χ-privacy (Theorem 1)", verdict, found).privacy())
    }

    pub(super) fn paragraph(&self, results: &Results) -> Result<String, Failure> {
        let printed = match self.as_printed(results)?.verdict {
            Verdict::Holds => "The distances follow eq. (5)",
            _ => "The distances do not all follow eq. (5)",
        };
        let means = self.means(results, "mean")?;
        let needed = |epsilon: &str| Ok::<_, Failure>(short(DIMS as f64 / epsilon.parse::<f64>()?));
        Ok(format!(
            "{printed}: {} widths on average at ε = 0.1, {} at ε = 1 and {} at ε = 10. That is the law \
             of a distance, though, and the claim is about the density in space: spread over spheres whose area shrinks \
             with the third power of their radius, it has no bound at the record (lower left). A density in space that \
             falls by e^(−ε) a width (lower right) puts reports in {DIMS} attributes {} widths away on average at ε = 0.1, \
             {} at ε = 1 and {} at ε = 10 (upper right). So noise of this kind is small at \
             small budgets because it protects nothing.",
            short(means[0].mean),
            short(means[2].mean),
            short(means[5].mean),
            needed("0.1")?,
            needed("1")?,
            needed("10")?,
        ))
    }
}
