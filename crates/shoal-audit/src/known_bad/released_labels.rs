//! Private centres together with the label of every training row.
//!
//! *Sold as.* ε-DP for adding or removing one row: two noisy centres. The fitted model also has `labels`, as plain
//! k-means has.
//!
//! *Fault.* Labels are one for each row, and computed from the rows: how many there are and what they say is not hidden.
//!
//! *Repaired.* Centres only.
//!
//! *Audit.* Events on how many numbers come out, and on each of them.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// Centres and labels.
pub struct ReleasedLabels;

/// One noisy step from public centres. A row is in one cluster only: half of the budget is for its sum, half for its count.
fn centres(rows: &[f64], budget: f64, noise: &mut dyn shoal_noise::NoiseSource) -> [f64; 2] {
    let mut centres = [-0.5, 0.5];
    for (j, centre) in centres.iter_mut().enumerate() {
        let members = rows.iter().filter(|x| usize::from(**x > 0.0) == j);
        let sum = members.clone().sum::<f64>() + laplace_f64(2.0 / budget, noise);
        let count = members.count() as f64 + laplace_f64(2.0 / budget, noise);
        *centre = (sum / count.max(1.0)).clamp(-1.0, 1.0);
    }
    centres
}

impl KnownBad for ReleasedLabels {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "released-labels",
            group: "known-bad",
            what: "private centres together with the labels of the training rows; events on length and content",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = |neighbours| sold_as(Loss::Pure(epsilon.clone()), neighbours);
        let budget = epsilon.to_f64_up();
        // Enough rows that the centres are where they should be: labels then say where a row is.
        let model = |own: Option<f64>, budget: f64| {
            let others = (0..40).map(|i| if i % 2 == 0 { -0.5 } else { 0.5 });
            let rows: Vec<f64> = own.into_iter().chain(others).collect();
            each(move |noise, out| {
                let centres = centres(&rows, budget, noise);
                out.tell_all(centres.map(|x| (x * 1e4).round()));
                if version.is_faulty() {
                    let nearer = |x: f64| (x - centres[1]).abs() < (x - centres[0]).abs();
                    out.tell_all(rows.iter().map(|x| f64::from(u8::from(nearer(*x)))));
                }
            })
        };
        let setting = |what: &str| format!("k = 2, d = 1, ε = {epsilon}, {what}");
        let added = (model(Some(0.6), budget), model(None, budget));
        // Replacing a row is removing one and adding another, at half the budget each.
        let replaced = (model(Some(0.9), budget / 2.0), model(Some(-0.9), budget / 2.0));
        Ok(vec![
            by_events(
                setting("a row more"),
                &claim(Neighbours::AddRemoveOne),
                added,
                "41 rows and 40 of them",
                (10_000, 200_000),
                "by events on how many numbers come out",
            ),
            by_events(
                setting("another row"),
                &claim(Neighbours::ReplaceOne),
                replaced,
                "a row at 0.9, or at -0.9",
                (10_000, 200_000),
                "by events on the row's own label",
            ),
        ])
    }
}
