//! BPGM, the bounded perturbation generation mechanism of CLZ25 (Section 4.1). **It guarantees nothing**: research use
//! only.
//!
//! *Privacy*: none, see [`reason`]. The proof of Theorem 1 takes eq. (5) for the density of the report, but it is that
//! of its *distance* from the record; the density in space is ∝ e^(−ερ)/ρ^(d−1), singular at the record. And its
//! support, a ball around the record, moves with the record, which voids the claim at d = 1 as well.
//!
//! *Distribution*: a distance d̂ from ε·e^(−ερ)/(1 − e^(−εℓ)) on [0, ℓ] (eq. (5)) by inversion; a start uniform in [0, 1]^d;
//! then a record at the distance d̂ from the true one, found from the start in one of two ways:
//! - [`BpgmForm::Adam`], the published loop (Algorithm 2);
//! - [`BpgmForm::ClosedForm`], the start moved along its line to the record. A different mechanism: Adam's end point
//!   lies in another direction, by a median of 12 degrees at d = 4 and d̂ = ½;
//! - [`BpgmForm::AsPrinted`], Algorithm 2 to the letter, which does not get to d̂ at all: `bpgm_as_printed.rs`.
//!
//! *Utility*: E ‖X − v‖² does not grow with d, as that of nD-Laplace does. Not unbiased (Theorem 2): the direction
//! comes from a start in the box, so records near its border are moved inwards; at d = 1 the record 0 only ever moves
//! up.
//!
//! *Runtime*: up to [`MOST_ITERATIONS`] rounds of O(d).
//!
//! *Paper*: CLZ25, eqs (5) and (6), Algorithm 2.
//!
//! *Deviations* (of `Adam`): the loss is the absolute difference |‖r − r̂‖ − d̂| and the loop ends when it is at most δ. As printed
//! (eq. (6) without the absolute value, and line 12 leaving the loop while E > δ), a start inside the radius is
//! returned untouched and every other one after a single step. α, β₁, β₂, δ and e are not in the paper: see the
//! constants. The correction of the bias is applied twice (lines 7 and 8, and again line 9) as printed; lines 7 to 10
//! call the same values t and t + 1. A loop that has not ended after [`MOST_ITERATIONS`] rounds is finished by the
//! closed form from where it is. Reports are rounded to the lattice.

use shoal_noise::{NoiseSource, uniform};
use shoal_privacy::{Amount, Epsilon, Guarantee, NoGuarantee, Published};

use shoal_lattice::STEPS;

use super::bpgm_as_printed;
use crate::bpm_law::ln_sphere_area;
use crate::{BpgmForm, DesignError, Promises, Space};

/// Adam's learning rate α, in widths.
pub const LEARNING_RATE: f64 = 0.01;
/// Adam's decay β₁ of the first moment: its authors' default.
pub const FIRST_DECAY: f64 = 0.9;
/// Adam's decay β₂ of the second moment: its authors' default.
pub const SECOND_DECAY: f64 = 0.999;
/// The e under the root of line 10: the default of Adam's authors, who add it after the root.
pub const UNDER_ROOT: f64 = 1e-8;
/// The threshold δ of the loop, in widths.
pub const THRESHOLD: f64 = 1e-3;
/// Rounds after which the loop is given up.
pub const MOST_ITERATIONS: u32 = 20_000;

/// Largest bound ℓ, in widths.
const MOST_BOUND: f64 = 1e6;

/// Why BPGM is refused unless it is asked for by name, and what to use instead.
pub fn reason(form: BpgmForm) -> &'static str {
    if form == BpgmForm::AsPrinted {
        return bpgm_as_printed::REASON;
    }
    "BPGM does not keep the ε·d_χ-privacy that was published for it, nor any other promise. It draws the distance of a \
     report from the record with density ∝ e^(-ερ), so its density in space is ∝ e^(-ερ)/ρ^(d-1), which has no bound \
     near the record; and as reports lie in a ball around the record, those near its rim rule other records out with \
     certainty, for every d. Nor is it unbiased: the direction of the noise depends on the record. Use bpm, or \
     nd-laplace with the ending clamped: both have bounded reports and keep the promise at the same ε."
}

/// The bounded perturbation generation mechanism.
#[derive(Clone, Debug)]
pub struct Bpgm {
    epsilon: f64,
    bound: f64,
    dims: usize,
    form: BpgmForm,
}

impl Bpgm {
    /// BPGM with the bound ℓ in widths.
    pub fn new(epsilon: &Epsilon, dims: usize, bound: &Amount, form: BpgmForm) -> Result<Self, DesignError> {
        let parameter =
            |what, given: String, advice: &str| DesignError::Parameter { what, given, advice: advice.into() };
        let (rate, bound) = (epsilon.to_f64_up(), bound.to_f64_up());
        if !(1e-9..=1e9).contains(&rate) {
            return Err(parameter("epsilon", epsilon.to_string(), "give 1e-9 to 1e9"));
        }
        if !(THRESHOLD..=MOST_BOUND).contains(&bound) {
            return Err(parameter("the bound on the noise", bound.to_string(), "give 0.001 to 1e6 widths"));
        }
        if dims == 0 {
            return Err(parameter("the number of attributes", "0".into(), "give at least one"));
        }
        Ok(Self { epsilon: rate, bound, dims, form })
    }

    /// No guarantee.
    pub fn promises(&self) -> Promises {
        Promises {
            guarantee: Guarantee::Void { none: NoGuarantee::Unsound },
            also: Vec::new(),
            published: Published::new("ε·d_χ-privacy, unbiased", "CLZ25, Theorems 1 and 2"),
        }
    }

    /// Reports lie within the bound of the box, give or take the threshold of the loop and the rounding; as printed, within
    /// a step of it.
    pub fn space(&self) -> Space {
        let farthest = match self.form {
            BpgmForm::Adam | BpgmForm::ClosedForm => self.bound + THRESHOLD,
            // From inside the box at most a step beyond the record.
            BpgmForm::AsPrinted => bpgm_as_printed::STEP,
        };
        let beyond = (farthest * STEPS as f64).ceil() as i64 + 1;
        Space { low: -beyond, high: STEPS as i64 + beyond }
    }

    /// A distance from eq. (5), in widths, by inversion.
    pub fn distance(&self, source: &mut (impl NoiseSource + ?Sized)) -> f64 {
        let reached = -(-self.epsilon * self.bound).exp_m1();
        // (0, 1), so that a report is never the record itself for want of bits.
        let u = uniform::unit_f64(source) + f64::EPSILON / 4.0;
        (-(-u * reached).ln_1p() / self.epsilon).min(self.bound)
    }

    /// ln of the density at this distance, in widths, from the record, if directions were uniform:
    /// e^(−ερ)/(S_d·ρ^(d−1)) over the sum on [0, ℓ]; −∞ beyond the bound.
    pub fn ln_density_of_idealisation(&self, distance: f64) -> f64 {
        if distance > self.bound {
            return f64::NEG_INFINITY;
        }
        self.epsilon.ln()
            - (-(-self.epsilon * self.bound).exp_m1()).ln()
            - self.epsilon * distance
            - ln_sphere_area(self.dims)
            - (self.dims as f64 - 1.0) * distance.ln()
    }

    /// A record, in widths, in place of the start that `report` holds: at the drawn distance from `record`, but for
    /// [`BpgmForm::AsPrinted`].
    fn generate(&self, record: &[f64], distance: f64, report: &mut [f64]) {
        match self.form {
            BpgmForm::AsPrinted => bpgm_as_printed::generate(record, distance, report),
            BpgmForm::Adam if pulled_by_adam(record, distance, report) => {}
            BpgmForm::Adam | BpgmForm::ClosedForm => project(record, distance, report),
        }
    }

    /// One report.
    ///
    /// # Panics
    /// When a slice has another length than there are attributes, or the record is outside the box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        assert_eq!((record.len(), report.len()), (self.dims, self.dims), "one coordinate per attribute");
        assert!(record.iter().all(|v| (0..=STEPS as i64).contains(v)), "the record is inside its bounds");
        let widths: Vec<f64> = record.iter().map(|&v| v as f64 / STEPS as f64).collect();
        let distance = self.distance(noise);
        // Algorithm 2, line 2.
        let mut generated: Vec<f64> = (0..self.dims).map(|_| uniform::unit_f64(noise)).collect();
        self.generate(&widths, distance, &mut generated);
        for (x, &g) in report.iter_mut().zip(&generated) {
            *x = (g * STEPS as f64).round() as i64;
        }
    }
}

/// Algorithm 2, lines 3 to 16. False when the loop did not end in time.
fn pulled_by_adam(record: &[f64], distance: f64, report: &mut [f64]) -> bool {
    let (mut m, mut v) = (vec![0.0; record.len()], vec![0.0; record.len()]);
    // β₁^t and β₂^t.
    let (mut first, mut second) = (1.0, 1.0);
    for _ in 0..MOST_ITERATIONS {
        let now = away(record, report);
        // Line 4, with eq. (6) made absolute.
        if (now - distance).abs() <= THRESHOLD {
            return true;
        }
        first *= FIRST_DECAY;
        second *= SECOND_DECAY;
        // Line 9.
        let rate = LEARNING_RATE * (1.0_f64 - second).sqrt() / (1.0 - first);
        let sign = if now > distance { 1.0 } else { -1.0 };
        for (i, (x, &r)) in report.iter_mut().zip(record).enumerate() {
            // ∇|‖r − r̂‖ − d̂|; at the record itself there is none, and any direction will do.
            let slope = if now > 0.0 { sign * (*x - r) / now } else { -1.0 };
            m[i] = FIRST_DECAY * m[i] + (1.0 - FIRST_DECAY) * slope; // line 5
            v[i] = SECOND_DECAY * v[i] + (1.0 - SECOND_DECAY) * slope * slope; // line 6
            let (m_hat, v_hat) = (m[i] / (1.0 - first), v[i] / (1.0 - second)); // lines 7 and 8
            *x -= rate * m_hat / (v_hat + UNDER_ROOT).sqrt(); // line 10
        }
    }
    false
}

/// Moves the report along its line to the record until it is at the distance.
fn project(record: &[f64], distance: f64, report: &mut [f64]) {
    let now = away(record, report);
    let count = report.len() as f64;
    for (x, &r) in report.iter_mut().zip(record) {
        // A start on the record has no line to it: any direction will do.
        *x = if now > 0.0 { r + (*x - r) * (distance / now) } else { r + distance / count.sqrt() };
    }
}

pub(super) fn away(record: &[f64], report: &[f64]) -> f64 {
    record.iter().zip(report).map(|(r, x)| (r - x) * (r - x)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use shoal_noise::SeededNoise;

    use super::*;

    fn point(dims: usize, noise: &mut SeededNoise) -> Vec<f64> {
        (0..dims).map(|_| uniform::unit_f64(noise)).collect()
    }

    #[test]
    fn both_forms_end_at_the_drawn_distance() {
        let mut noise = SeededNoise::new(7);
        for dims in [1, 2, 4, 30, 1000] {
            let mut given_up = 0;
            for trial in 0..40 {
                let (record, start) = (point(dims, &mut noise), point(dims, &mut noise));
                let distance = f64::from(trial) * 0.05;
                given_up += u32::from(!pulled_by_adam(&record, distance, &mut start.clone()));
                for (form, off) in [(BpgmForm::Adam, THRESHOLD), (BpgmForm::ClosedForm, 1e-9)] {
                    let bpgm = Bpgm { epsilon: 1.0, bound: 2.0, dims, form };
                    let mut report = start.clone();
                    bpgm.generate(&record, distance, &mut report);
                    assert!((away(&record, &report) - distance).abs() <= off, "{form:?}, d = {dims}, {distance}");
                }
            }
            assert!(given_up <= 4, "{given_up} of 40 loops did not end at d = {dims}");
        }
    }

    #[test]
    fn a_start_on_the_record_still_gets_away() {
        let record = [0.25; 3];
        for form in [BpgmForm::Adam, BpgmForm::ClosedForm] {
            let mut report = record;
            Bpgm { epsilon: 1.0, bound: 2.0, dims: 3, form }.generate(&record, 0.5, &mut report);
            assert!((away(&record, &report) - 0.5).abs() <= THRESHOLD, "{form:?}: {report:?}");
        }
    }

    #[test]
    fn adam_ends_elsewhere_than_the_closed_form() {
        let mut noise = SeededNoise::new(8);
        let mut angles: Vec<f64> = (0..401)
            .map(|_| {
                let (record, start) = (point(4, &mut noise), point(4, &mut noise));
                let mut adam = start.clone();
                pulled_by_adam(&record, 0.5, &mut adam);
                let dot: f64 = (0..4).map(|i| (adam[i] - record[i]) * (start[i] - record[i])).sum();
                (dot / (away(&record, &adam) * away(&record, &start))).clamp(-1.0, 1.0).acos().to_degrees()
            })
            .collect();
        angles.sort_by(f64::total_cmp);
        assert!(angles[200] > 3.0, "median {} degrees", angles[200]);
    }
}
