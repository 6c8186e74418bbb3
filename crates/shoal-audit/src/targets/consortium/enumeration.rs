//! The exact distribution of codes of few bits: all outcomes of all values.

use shoal_consortium::Anchors;
use shoal_lattice::STEPS;

use crate::exact::{FiniteLaws, Law};
use crate::{Allowed, Measure, RunFailure};

/// All clean codes that some value has, and the distribution of the code that is sent for each.
pub struct CodeLaw {
    clean: Vec<usize>,
    laws: FiniteLaws,
}

impl CodeLaw {
    /// The distribution for one attribute's anchors, few of them, and this ε per bit.
    ///
    /// # Errors
    /// When the probabilities do not sum to one.
    pub fn new(anchors: &Anchors, epsilon: f64) -> Result<Self, RunFailure> {
        let bits = anchors.len() as u32;
        let flip = 1.0 / (1.0 + epsilon.exp());
        let (ln_flip, ln_keep) = (flip.ln(), (1.0 - flip).ln());
        let mut clean: Vec<usize> = Vec::new();
        let mut laws = Vec::new();
        for x in 0..=STEPS as i32 {
            let code = (0..anchors.len()).filter(|&i| anchors.bit(i, x)).fold(0, |code, i| code | 1 << i);
            if clean.last() != Some(&code) {
                let ln_probability = |sent: usize| {
                    let flipped = (code ^ sent).count_ones();
                    f64::from(flipped) * ln_flip + f64::from(bits - flipped) * ln_keep
                };
                clean.push(code);
                laws.push(Law::new(format!("{x} of {STEPS}"), (0..1 << bits).map(ln_probability).collect()));
            }
        }
        let laws = FiniteLaws::new(laws, move |sent| format!("{sent:0width$b}", width = bits as usize))?;
        Ok(Self { clean, laws })
    }

    /// The exact δ at an ε between two clean codes; none where no value has them.
    #[must_use]
    pub fn delta_at(&self, first: usize, second: usize, epsilon: f64) -> Option<f64> {
        let place = |code: usize| self.clean.iter().position(|clean| *clean == code);
        Some(self.laws.delta_at(place(first)?, place(second)?, epsilon))
    }

    /// The loss of the worst pair of values, next to what is allowed between any two.
    #[must_use]
    pub fn measure(&self, allowed: &Allowed) -> Measure {
        self.laws.audit(|_, _| Some(allowed.clone()))
    }
}
