//! Reports of a bounded density: how many are within the radius of the record, and where the others are.

use shoal_device::BpmLaw;
use shoal_device::bpm_law::ln_ball_volume;
use statrs::function::beta::beta_reg;

use super::radius::length;
use super::{Waiting, binomial, direction, kolmogorov_smirnov, made, radius};
use crate::report::LawTest;

/// All tests of reports on one record, in widths, against the distribution of a density ∝ e^(−k·min(distance, L)).
///
/// # Panics
/// When a report has another number of attributes than the record.
#[must_use]
pub fn tests(law: &BpmLaw, record: &[f64], reports: &[Vec<f64>]) -> Vec<LawTest> {
    let dims = law.dims;
    assert!(record.len() == dims && reports.iter().all(|x| x.len() == dims), "one coordinate per attribute");
    let moves = reports.iter().map(|x| x.iter().zip(record).map(|(x, v)| x - v).collect::<Vec<f64>>());
    let (inside, outside): (Vec<_>, Vec<_>) = moves.partition(|z| length(z) <= law.radius);
    let share = law.p_inside();
    let hits = inside.len();
    let mut waiting: Vec<Waiting<'_>> = vec![
        ("share within the radius".into(), Box::new(move || binomial(hits, reports.len(), share))),
        radius::test(law, &inside),
    ];
    waiting.extend(direction::tests(dims, &inside));
    // Too few reports are outside to show anything.
    if !outside.is_empty() {
        for i in 0..dims {
            let outside = &outside;
            let p_value = move || {
                let coordinates = outside.iter().map(|z| z[i] + record[i]).collect();
                kolmogorov_smirnov(coordinates, |x| outside_cdf(law, record[i], x))
            };
            waiting.push((format!("reports beyond the radius, attribute {}", i + 1), Box::new(p_value)));
        }
    }
    made(waiting)
}

/// The probability that a coordinate of a report beyond the radius is at most `x`, for a record at `v`: what of the box is left
/// below `x` when the ball is taken out, over all that is left.
#[must_use]
pub fn outside_cdf(law: &BpmLaw, v: f64, x: f64) -> f64 {
    let (d, l) = (law.dims as f64, law.radius);
    // In parts of the box, which has a width of 1 + 2L.
    let ball = (ln_ball_volume(law.dims) + d * (l / (1.0 + 2.0 * l)).ln()).exp();
    let of_box = ((x + l) / (1.0 + 2.0 * l)).clamp(0.0, 1.0);
    let u = ((x - v) / l).clamp(-1.0, 1.0);
    let half = 0.5 * beta_reg(0.5, 0.5 * (d + 1.0), u * u);
    let of_ball = if u < 0.0 { 0.5 - half } else { 0.5 + half };
    (of_box - ball * of_ball) / (1.0 - ball)
}
