//! Codes for tests, bit by bit as eqs 1 and 7 have them.

use shoal_noise::{NoiseSource, uniform};

use crate::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal_lattice::Interval;

/// Terms for equal attributes of one range from 0.
pub(super) fn terms(dims: usize, width: f64, t: f64, bits: u32, epsilon: Option<&str>) -> Terms {
    let attribute = |a| Attribute::new(format!("x{a}"), Interval::new(0.0, width).unwrap(), t).unwrap();
    let flips = epsilon.map_or(Flips::None, |epsilon| Flips::PerBit(epsilon.parse().unwrap()));
    Terms::new((0..dims).map(attribute).collect(), bits, flips, Scale::Own).unwrap()
}

/// The codes of records given in lattice steps, record after record.
pub(super) fn encode(terms: &Terms, secret: u64, steps: &[i32], source: &mut impl NoiseSource) -> Codes {
    let anchors = Agreement::new(terms.clone(), AnchorSecret::from_seed(secret)).anchors();
    let flipped = match terms.flips() {
        Flips::None => 0.0,
        Flips::PerBit(epsilon) => 1.0 / (1.0 + epsilon.amount().to_f64_up().exp()),
    };
    let mut codes = Codes::new(terms);
    for record in steps.chunks(terms.dims()) {
        let mut words = vec![0u64; terms.dims() * terms.words()];
        for (a, &x) in record.iter().enumerate() {
            for bit in 0..anchors[a].len() {
                // A draw per bit also where nothing is flipped, so that the source stays in step.
                let flip = uniform::unit_f64(source) < flipped;
                words[a * terms.words() + bit / 64] |= u64::from(anchors[a].bit(bit, x) != flip) << (bit % 64);
            }
        }
        codes.extend(&words);
    }
    codes
}
