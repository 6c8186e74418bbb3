//! In what two files of reports differ, in words that follow "holds reports".

use crate::report_file::description::Description;
use shoal_device::{BpgmForm, Ending, Mechanism, Sampler};
use shoal_files::sealed::Difference;
use shoal_lattice::STEPS;
use shoal_lattice::names::listed;

/// How each was made, in the first point where they differ; nothing when their reports can be put together.
pub(super) fn difference(a: &Description, b: &Description) -> Option<Difference> {
    point(a, b).map(|(one, other)| Difference { one, other, advice: "cluster them apart" })
}

fn point(a: &Description, b: &Description) -> Option<(String, String)> {
    if (a.mechanism.name(), &a.epsilon) != (b.mechanism.name(), &b.epsilon) {
        let words = |x: &Description| format!("by {} with ε = {}", x.mechanism.name(), x.epsilon);
        return Some((words(a), words(b)));
    }
    if a.mechanism != b.mechanism {
        return Some((mechanism(&a.mechanism), mechanism(&b.mechanism)));
    }
    if a.sampler != b.sampler {
        return Some((sampler(a.sampler).into(), sampler(b.sampler).into()));
    }
    if a.columns != b.columns {
        let words = |x: &Description| format!("of the columns {}", listed(&x.columns));
        return Some((words(a), words(b)));
    }
    if let Some(i) = (0..a.columns.len()).find(|&i| a.bounds.get(i) != b.bounds.get(i)) {
        let words = |x: &Description| match x.bounds.get(i) {
            Some(bounds) => format!("with {} from {} to {}", x.columns[i], bounds.lo(), bounds.hi()),
            None => format!("without bounds for {}", x.columns[i]),
        };
        return Some((words(a), words(b)));
    }
    if a.categories != b.categories {
        let words = |x: &Description| match &x.categories[..] {
            [] => "without columns of words".into(),
            some => {
                let names: Vec<String> = some.iter().map(|category| category.column().to_string()).collect();
                format!("with other levels or weights of {}", listed(&names))
            }
        };
        return Some((words(a), words(b)));
    }
    if a.seeded != b.seeded {
        let words = |x: &Description| if x.seeded { "with noise from a seed" } else { "with true noise" };
        return Some((words(a).into(), words(b).into()));
    }
    None
}

fn mechanism(mechanism: &Mechanism) -> String {
    let widths = |steps: u64| steps as f64 / STEPS as f64;
    match mechanism {
        Mechanism::Laplace | Mechanism::LaplaceMetric => format!("by {}", mechanism.name()),
        Mechanism::Bpm { radius_steps } => format!("by bpm with L = {} widths", widths(*radius_steps)),
        Mechanism::NdLaplace { radius_steps, ending } => {
            let ending = match ending {
                Ending::Raw => "raw".to_string(),
                Ending::Clamped => "clamped".to_string(),
                Ending::Grid { cells } => format!("on a grid of {cells} cells per attribute"),
            };
            format!("by nd-laplace, {ending}, with noise up to {} widths", widths(*radius_steps))
        }
        Mechanism::Bpgm { bound, form } => {
            let form = match form {
                BpgmForm::Adam => "adam",
                BpgmForm::ClosedForm => "closed-form",
                BpgmForm::AsPrinted => "as-printed",
            };
            format!("by bpgm ({form}) with noise up to {bound} widths")
        }
    }
}

fn sampler(sampler: Sampler) -> &'static str {
    match sampler {
        Sampler::Exact => "drawn exactly",
        Sampler::Doubles => "drawn through doubles",
    }
}
