//! Algorithm 2 of CLZ25 to the letter. **It guarantees nothing**, and its reports are of no use either: research only.
//!
//! *Distribution*: eq. (6) is signed, so a start within d̂ of the record has a loss of at most δ, skips the loop of line 4
//! and is the report. Every other start takes one step of Adam: after it either line 12 (E > δ) or line 4 (E ≤ δ) ends the
//! loop. The first step has the same length along every axis, [`STEP`], whatever the gradient. So a report is a point
//! uniform in the box, at most [`STEP`] nearer to the record along each axis.
//!
//! *Privacy*: none that was published, see [`REASON`]. With two attributes or more, starts that are far from the record in
//! one step over it in another, from both sides: where one attribute is within a step of the record's, the density is up to
//! twice that of a record two steps away. And starts farther than ℓ always step inwards, so with ℓ below the diagonal of the
//! box a report in its outermost step rules out every record farther than ℓ.
//!
//! *Paper*: CLZ25, eq. (6), Algorithm 2. Constants, which the paper does not give, are those of [`bpgm`](super::bpgm). Line
//! 10 uses the moments of lines 7 and 8, which the paper calls t + 1 there and t here.

use super::bpgm::{FIRST_DECAY, LEARNING_RATE, SECOND_DECAY, THRESHOLD, UNDER_ROOT, away};

/// A bound on the step along an axis, in widths: α·√(1 − β₂)/(1 − β₁) (line 9 with t = 1), as m̂/√v̂ is at most one.
pub const STEP: f64 = 0.003_162_3;

/// Why Algorithm 2 as printed is refused unless it is asked for by name, and what to use instead.
pub(super) const REASON: &str = "Algorithm 2 of CLZ25 as printed does not keep the ε·d_χ-privacy that was published for it, \
     and no other promise is known for it. Its signed loss and its test in line 12 return a random record of the box, moved by \
     at most one step of Adam towards the true one. Where an attribute is within a step of the true one, reports are up to \
     twice as dense as for a record two steps away, whatever ε; those in the outermost step of the box rule out all records \
     farther than the bound. They are of no use for clustering either. Use bpm, or nd-laplace with the ending clamped: both have bounded reports and keep \
     the promise at the same ε.";

/// Algorithm 2, lines 3 to 16, as printed. `report` holds the start.
pub(super) fn generate(record: &[f64], distance: f64, report: &mut [f64]) {
    let now = away(record, report);
    // Eq. (6), signed; line 4.
    if now - distance <= THRESHOLD {
        return;
    }
    // Line 9 with t = 1.
    let rate = LEARNING_RATE * (1.0 - SECOND_DECAY).sqrt() / (1.0 - FIRST_DECAY);
    for (x, &r) in report.iter_mut().zip(record) {
        let slope = (*x - r) / now;
        // Lines 5 to 8 with t = 1: the corrections of the bias leave the gradient itself.
        let (m_hat, v_hat) = (slope, slope * slope);
        *x -= rate * m_hat / (v_hat + UNDER_ROOT).sqrt(); // line 10
    }
    // Lines 11 to 15: the loop ends here whatever E is.
}

#[cfg(test)]
mod tests {
    use shoal_noise::{SeededNoise, uniform};

    use super::*;

    #[test]
    fn a_start_inside_the_radius_is_the_report_and_any_other_takes_one_step() {
        let mut noise = SeededNoise::new(11);
        let mut point = |dims: usize| -> Vec<f64> { (0..dims).map(|_| uniform::unit_f64(&mut noise)).collect() };
        for dims in [1, 2, 4, 30] {
            let (mut untouched, mut moved) = (0, 0);
            for trial in 0..200 {
                let (record, start) = (point(dims), point(dims));
                let distance = f64::from(trial) * 0.02;
                let mut report = start.clone();
                generate(&record, distance, &mut report);
                if away(&record, &start) <= distance {
                    assert_eq!(report, start);
                    untouched += 1;
                } else if away(&record, &start) > distance + THRESHOLD {
                    for ((x, s), r) in report.iter().zip(&start).zip(&record) {
                        assert!((s - x) * (s - r) > 0.0 && (s - x).abs() <= STEP, "towards the record by one step");
                        // Only where the gradient is as small as √e is the step shorter.
                        assert!((s - x).abs() > 0.99 * STEP || (s - r).abs() < 0.01 * (dims as f64).sqrt());
                    }
                    moved += 1;
                }
            }
            assert!(untouched > 10 && moved > 10, "d = {dims}: {untouched}, {moved}");
        }
    }

    #[test]
    fn the_outermost_step_of_the_box_rules_out_records_farther_than_the_bound() {
        // ℓ = 0.2 and the record 0.9: no start gets below one step. The record 0 itself does.
        let below = |record: f64| {
            (0..=1000).any(|i| {
                let mut report = [f64::from(i) / 1000.0];
                generate(&[record], 0.2, &mut report);
                (0.0..0.99 * STEP).contains(&report[0])
            })
        };
        assert_eq!([below(0.9), below(0.0)], [false, true]);
    }
}
