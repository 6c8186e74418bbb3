//! Targets: mechanisms on people's own devices.
//!
//! With one or two attributes, events show nearly all that is lost. From four on they show next to nothing, so there the
//! distribution is compared as a density, and the sampler with its distribution.

mod bpgm;
mod device;
pub mod pairs;

use std::time::Instant;

use shoal_device::choose_radius;
use shoal_device::{Ending, Mechanism, Sampler};
use shoal_privacy::Epsilon;

use self::device::{Device, Way};
use self::pairs::CrowdPairs;
use crate::runs::RunFailure;
use crate::{Expected, Line, Plan, Target, TargetInfo};

/// Reports on each record, quick and in full, by the way of the audit.
fn runs(way: Way, plan: &Plan<'_>) -> usize {
    match way {
        Way::Events => plan.runs(12_000, 300_000),
        Way::Lattice => plan.runs(20_000, 1_000_000),
        Way::Law | Way::Density => plan.runs(8_000, 100_000),
    }
}

/// Why samplers for many attributes are not audited between two records.
const NO_POWER: &str = "Events have no power here: with four attributes it takes four million reports on each record to see a \
                        rate that is a tenth too high, and with eight five hundred million. The ratio follows from the distribution, \
                        which is compared as a density, and this compares the sampler with its distribution.";

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    let sound = [
        Sound {
            name: "bpm",
            what: "bounded noise around a record, small and large radius, both samplers: by events, density ratios, lattice \
                   and sampler distribution",
            mechanisms: |dims, epsilon| {
                let small = choose_radius::given(0.25).steps;
                let large = choose_radius::information(dims, epsilon).steps;
                [small, large].map(|radius_steps| Mechanism::Bpm { radius_steps }).into()
            },
            samplers: &[Sampler::Exact, Sampler::Doubles],
        },
        Sound {
            name: "nd-laplace",
            what: "Laplace noise in space, raw, clamped and on a grid, both samplers: by events, density ratios, lattice and \
                   sampler distribution",
            mechanisms: |dims, epsilon| {
                let radius_steps = choose_radius::nd_laplace(dims, epsilon).steps;
                [Ending::Raw, Ending::Clamped, Ending::Grid { cells: 8 }]
                    .map(|ending| Mechanism::NdLaplace { radius_steps, ending })
                    .into()
            },
            samplers: &[Sampler::Exact, Sampler::Doubles],
        },
        Sound {
            name: "laplace",
            what: "Laplace noise on each attribute for any two records: by events, density ratios, lattice and sampler distribution",
            mechanisms: |_, _| vec![Mechanism::Laplace],
            samplers: &[Sampler::Exact],
        },
        Sound {
            name: "laplace-metric",
            what: "Laplace noise on each attribute for distances: by events, density ratios, lattice and sampler distribution",
            mechanisms: |_, _| vec![Mechanism::LaplaceMetric],
            samplers: &[Sampler::Exact],
        },
    ];
    let sound = sound.into_iter().map(|target| Box::new(target) as Box<dyn Target>);
    sound.chain([Box::new(bpgm::BpgmTarget) as Box<dyn Target>]).collect()
}

/// A mechanism that keeps its claim.
struct Sound {
    name: &'static str,
    what: &'static str,
    mechanisms: fn(usize, f64) -> Vec<Mechanism>,
    samplers: &'static [Sampler],
}

impl Sound {
    /// Every device, and how it is audited.
    fn jobs(&self, epsilon: &Epsilon) -> Vec<(Device, Way)> {
        let mut jobs = Vec::new();
        for dims in [1, 2, 4, 8] {
            for mechanism in (self.mechanisms)(dims, epsilon.to_f64_up()) {
                let raw =
                    !matches!(mechanism, Mechanism::NdLaplace { ending: Ending::Clamped | Ending::Grid { .. }, .. });
                let device = |sampler| Device { mechanism: mechanism.clone(), epsilon: epsilon.clone(), dims, sampler };
                for &sampler in self.samplers {
                    match dims {
                        1 | 2 => jobs.push((device(sampler), Way::Events)),
                        _ if raw => jobs.push((device(sampler), Way::Law)),
                        _ => (),
                    }
                }
                if dims == 2 {
                    jobs.push((device(Sampler::Exact), Way::Lattice));
                }
                // A grid of eight attributes is out of reach.
                if raw && dims < 8 {
                    jobs.push((device(Sampler::Exact), Way::Density));
                }
            }
        }
        jobs
    }
}

impl Target for Sound {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.name, group: "crowd", what: self.what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        let jobs = plan.exact_epsilon(4.0).map_or_else(|_| Vec::new(), |epsilon| self.jobs(&epsilon));
        jobs.iter().map(|(device, way)| device.work(*way, plan, runs(*way, plan))).sum()
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let epsilon = plan.exact_epsilon(4.0)?;
        let mut lines = Vec::new();
        for (device, way) in self.jobs(&epsilon) {
            let start = Instant::now();
            let claims = CrowdPairs::new(device.client()?).claims().to_vec();
            // Nothing could break a claim of nothing.
            if claims.is_empty() {
                return Err(RunFailure::Other(format!("{} claims nothing at {}", self.name, device.setting(way))));
            }
            let measure = device.audit(way, &claims, plan, runs(way, plan), self.name)?;
            let mut line = Line::new(self.name, device.setting(way), Device::promise(&claims), Expected::Kept, measure);
            if way == Way::Law {
                line = line.with_remark(NO_POWER);
            }
            line.seconds = start.elapsed().as_secs_f64();
            lines.push(line);
        }
        Ok(lines)
    }
}
