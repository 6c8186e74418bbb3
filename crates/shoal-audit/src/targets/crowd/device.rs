//! A device with a mechanism, and the audits that it can be put through.

use shoal_device::BpmLaw;
use shoal_device::{BpgmForm, Client, Design, Ending, Mechanism, NoiseLaw, Sampler};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Claim, Epsilon};

use super::pairs::{CrowdPairs, allowed, distance, in_widths, ln_density};
use crate::allowed::{promise, short};
use crate::exact::DensityRatio;
use crate::lattice::LatticeAudit;
use crate::law::{coordinates, inside};
use crate::runs::{RunFailure, draw};
use crate::statistical::Experiment;
use crate::statistical::search::{PairSpace, Search, search_and_audit};
use crate::{Effort, Measure, Plan, each};

/// How far from the records' box reports are looked at where they have no bound of their own.
const BEYOND: f64 = 2.0;

/// What everyone agrees on, in the unit box.
#[derive(Clone)]
pub(super) struct Device {
    pub(super) mechanism: Mechanism,
    pub(super) epsilon: Epsilon,
    pub(super) dims: usize,
    pub(super) sampler: Sampler,
}

/// How a device is audited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The worst pair of records that a search finds, by events.
    Events,
    /// Reports on opposite corners, as lattices.
    Lattice,
    /// The distribution by which reports are claimed to be drawn.
    Density,
    /// Reports on one record against that distribution.
    Law,
}

impl Device {
    pub(super) fn client(&self) -> Result<Client, RunFailure> {
        let refused = |why: String| RunFailure::Other(why);
        let columns = (0..self.dims).map(|i| format!("a{i}")).collect();
        let unit = Interval::new(0.0, 1.0).map_err(|why| refused(why.to_string()))?;
        let bounds = Bounds::new(columns, vec![unit; self.dims]).map_err(|why| refused(why.to_string()))?;
        let (mechanism, epsilon) = (self.mechanism.clone(), self.epsilon.clone());
        let design = Design::new(mechanism, epsilon, bounds).map_err(|why| refused(why.to_string()))?;
        let design = design.with_sampler(self.sampler);
        Client::accepting_unsound(&design).map_err(|why| refused(why.to_string()))
    }

    /// The parameters in words.
    pub(super) fn setting(&self, way: Way) -> String {
        let own = match &self.mechanism {
            Mechanism::Bpm { radius_steps } => format!(", radius {}", short(*radius_steps as f64 / STEPS as f64)),
            Mechanism::NdLaplace { ending: Ending::Raw, .. } => ", raw".into(),
            Mechanism::NdLaplace { ending: Ending::Clamped, .. } => ", clamped".into(),
            Mechanism::NdLaplace { ending: Ending::Grid { cells }, .. } => format!(", grid of {cells}"),
            Mechanism::Bpgm { bound, form } => {
                let form = match (way, form) {
                    (Way::Density, _) => "directions as if uniform",
                    (_, BpgmForm::Adam) => "Adam",
                    (_, BpgmForm::ClosedForm) => "closed form",
                    (_, BpgmForm::AsPrinted) => "as printed",
                };
                format!(", bound {}, {form}", short(bound.to_f64_up()))
            }
            Mechanism::Laplace | Mechanism::LaplaceMetric => String::new(),
        };
        // Only radial noise has two samplers, and a density none.
        let has_two = matches!(self.mechanism, Mechanism::Bpm { .. } | Mechanism::NdLaplace { .. });
        let sampler = match (way, self.sampler) {
            (Way::Density, _) => "",
            _ if !has_two => "",
            (_, Sampler::Exact) => ", exact",
            (_, Sampler::Doubles) => ", doubles",
        };
        format!("d = {}, ε = {}{own}{sampler}", self.dims, self.epsilon)
    }

    /// The claims in words.
    pub(super) fn promise(claims: &[Claim]) -> String {
        claims.iter().map(promise).collect::<Vec<_>>().join("; ")
    }

    /// How many reports an audit takes.
    pub(super) fn work(&self, way: Way, plan: &Plan<'_>, runs: usize) -> usize {
        match way {
            Way::Events => {
                let catalogue = self.client().map_or(0, |client| CrowdPairs::new(client).catalogue().len());
                search(plan, runs).runs(catalogue) + 2 * runs
            }
            Way::Lattice => 2 * runs,
            Way::Density => 0,
            Way::Law => runs,
        }
    }

    /// One audit, against these claims.
    pub(super) fn audit(
        &self,
        way: Way,
        claims: &[Claim],
        plan: &Plan<'_>,
        runs: usize,
        name: &str,
    ) -> Result<Measure, RunFailure> {
        let part = match way {
            Way::Events => "events",
            Way::Lattice => "lattice",
            Way::Density | Way::Law => "law",
        };
        let randomness = plan.randomness.for_part(&format!("{name}, {}, {part}", self.setting(way)));
        let (alpha, watch) = (plan.alpha, plan.watch);
        let client = self.client()?;
        match way {
            Way::Events => {
                let pairs = CrowdPairs::new(client).claiming(claims.to_vec());
                let experiment = Experiment { runs, alpha, randomness };
                let (_, finding) = search_and_audit(&pairs, search(plan, runs), &experiment, watch)?;
                Ok(Measure::Events(finding))
            }
            Way::Lattice => {
                let pairs = CrowdPairs::new(client).claiming(claims.to_vec());
                let corners = pairs.catalogue().swap_remove(0);
                LatticeAudit { runs, alpha, randomness }.audit(&pairs.pair(&corners)?, watch)
            }
            Way::Density => {
                let law = client.noise_law().ok_or_else(no_law)?;
                let beyond = match law {
                    NoiseLaw::Radial { radius, .. } => radius.min(BEYOND),
                    NoiseLaw::PerAttribute { .. } => BEYOND,
                };
                let ratio = DensityRatio {
                    dims: self.dims,
                    beyond,
                    ln_density: &|x, v| ln_density(&law, x, v),
                    allowed: &|v, w| allowed(claims, distance(v, w)),
                };
                Ok(ratio.maximise())
            }
            Way::Law => {
                let law = client.noise_law().ok_or_else(no_law)?;
                // Not the middle, so that a mistake of position shows.
                let record: Vec<i64> = (0..self.dims).map(|i| [0, STEPS / 3, STEPS][i % 3] as i64).collect();
                let (dims, on) = (self.dims, record.clone());
                let side = each(move |noise, out| {
                    let mut report = vec![0; dims];
                    client.report(&on, noise, &mut report);
                    // Spread over the step it stands for: the distribution to compare with is of real numbers, and at a large ε the
                    // steps themselves would pass for a fault.
                    for x in report {
                        out.tell((x as f64 + unit_f64(noise) - 0.5) / STEPS as f64);
                    }
                });
                let drawn = draw(&*side, runs, randomness, 1, watch)?;
                let reports: Vec<Vec<f64>> = (0..runs).map(|i| drawn.run(i).to_vec()).collect();
                let record = in_widths(&record);
                let tests = match law {
                    NoiseLaw::Radial { rate, radius } => {
                        inside::tests(&BpmLaw { dims, rate, radius }, &record, &reports)
                    }
                    NoiseLaw::PerAttribute { scale } => {
                        let moved = |x: &Vec<f64>| x.iter().zip(&record).map(|(x, v)| x - v).collect();
                        coordinates::tests(dims, scale, &reports.iter().map(moved).collect::<Vec<_>>())
                    }
                };
                Ok(Measure::SamplerLaw { tests, runs, alpha })
            }
        }
    }
}

fn no_law() -> RunFailure {
    RunFailure::Other("these reports have no density to compare with".into())
}

/// A tenth of the runs for each pair that is tried.
fn search(plan: &Plan<'_>, runs: usize) -> Search {
    let variations = match plan.effort {
        Effort::Quick => 2,
        Effort::Full => 20,
    };
    Search { pilot_runs: (runs / 10).clamp(1, 20_000), variations }
}
