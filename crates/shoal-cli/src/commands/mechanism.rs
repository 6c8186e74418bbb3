//! The mechanism that the command line asks for.

use shoal_device::choose_radius::{ChosenRadius, given, information, nd_laplace, remark_2};
use shoal_device::{BpgmForm, Ending, Mechanism, Sampler};
use shoal_lattice::STEPS;
use shoal_privacy::Amount;

use crate::arguments::perturb::{BpgmFormArg, EndingArg, MechanismArg, PerturbArgs, RadiusRuleArg, SamplerArg};
use crate::show::output::number;

/// A mechanism with its parameters.
pub struct Chosen {
    /// For the library.
    pub mechanism: Mechanism,
    /// For people: its name, its parameters, and what chose them.
    pub how: String,
}

/// Chooses from options, ε and the number of columns: nothing that is about records.
pub fn choose(args: &PerturbArgs, dims: usize) -> Chosen {
    let (knobs, epsilon) = (&args.knobs, &args.epsilon);
    let rate = epsilon.to_f64_up();
    match args.mechanism {
        MechanismArg::Bpm => {
            let (chosen, rule) = match (knobs.radius, knobs.radius_rule) {
                (Some(radius), _) => (given(radius), "as given"),
                (None, Some(RadiusRuleArg::Remark2)) => (remark_2(dims, rate), "chosen by Remark 2 of the paper"),
                (None, _) => (information(dims, rate), "the least that keeps nearly all information of a report"),
            };
            let ChosenRadius { steps, note } = chosen;
            let radius = steps as f64 / STEPS as f64;
            let mut how =
                format!("bpm with ε = {epsilon} per width and L = {} widths ({rule})", number(radius, radius / 10.0));
            if let Some(note) = note {
                how.push_str(&format!(". {}", note.words()));
            }
            Chosen { mechanism: Mechanism::Bpm { radius_steps: steps }, how }
        }
        MechanismArg::Laplace => {
            let how = format!("laplace with ε = {epsilon} in all, the same part of it on each column");
            Chosen { mechanism: Mechanism::Laplace, how }
        }
        MechanismArg::LaplaceMetric => {
            Chosen { mechanism: Mechanism::LaplaceMetric, how: format!("laplace-metric with ε = {epsilon} per width") }
        }
        MechanismArg::NdLaplace => {
            let (ending, words) = match (knobs.ending, knobs.grid_cells) {
                (Some(EndingArg::Grid), Some(cells)) => {
                    (Ending::Grid { cells }, format!("moved to a grid of {cells} cells per column"))
                }
                (Some(EndingArg::Clamped), _) => (Ending::Clamped, "moved into the bounds".into()),
                _ => (Ending::Raw, "raw".into()),
            };
            let how = format!("nd-laplace with ε = {epsilon} per width, {words}");
            Chosen { mechanism: Mechanism::NdLaplace { radius_steps: nd_laplace(dims, rate).steps, ending }, how }
        }
        MechanismArg::Bpgm => {
            let bound = knobs.noise_bound.clone().unwrap_or(Amount::ONE);
            let (form, words) = match knobs.bpgm_form {
                Some(BpgmFormArg::ClosedForm) => (BpgmForm::ClosedForm, "the closed form"),
                _ => (BpgmForm::Adam, "the published loop"),
            };
            let how = format!("bpgm by {words} with ε = {epsilon} and noise up to {bound} widths");
            Chosen { mechanism: Mechanism::Bpgm { bound, form }, how }
        }
    }
}

/// How the noise is drawn: bpgm has nothing but doubles, and the Laplaces nothing but exact noise.
pub fn sampler(args: &PerturbArgs) -> Sampler {
    match (args.mechanism, args.knobs.sampler) {
        (MechanismArg::Bpgm, _) | (_, Some(SamplerArg::Doubles)) => Sampler::Doubles,
        _ => Sampler::Exact,
    }
}
