//! What an aggregator should know about decoded distances before they are believed.

use shoal_consortium::Terms;
use shoal_consortium::aggregator::Decoder;
use shoal_lattice::STEPS;

use super::promised;
use crate::pool::codes::Pool;

/// The warnings that people see on the screen, for programs.
pub fn warnings(pool: &Pool) -> Vec<String> {
    let promise = &pool.file.promise;
    let nothing = promise.guarantee.claim().is_none().then(|| promised::sentence(promise));
    nothing.into_iter().chain(mostly_noise(&pool.file.terms)).collect()
}

/// A warning where a single distance is drowned by noise in every attribute.
pub fn mostly_noise(terms: &Terms) -> Option<String> {
    let times = noise_in_reach(terms).filter(|times| *times >= 1.0)?;
    Some(format!(
        "WARNING: the noise of a single decoded distance is {} times the largest distance that its attribute can tell, or more; what is made of so few bits, or so small an ε, is mostly noise.",
        promised::short(times)
    ))
}

/// The least standard deviation of an attribute's decoded distances, in the largest distances that there can be: the
/// range, or 2t where codes do not tell more.
fn noise_in_reach(terms: &Terms) -> Option<f64> {
    let share = |i: usize| {
        let decoder = Decoder::of(terms, i);
        decoder.sd(0.0) / decoder.saturation().min(terms.step(i) * STEPS as f64)
    };
    (0..terms.dims()).map(share).min_by(f64::total_cmp)
}

/// How many pairs stay as decoded, where distances go through records in between.
pub fn unreached_text(share: Option<f64>) -> Option<String> {
    let share = share?;
    Some(if share > 0.0 {
        format!(
            "{} % of the pairs are connected by no chain of records and stay as decoded, at most what a code tells.\n",
            promised::short(100.0 * share)
        )
    } else {
        "All pairs are connected by chains of records.\n".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_consortium::{Attribute, Flips, Scale};
    use shoal_lattice::Interval;

    /// A noise below the range and above a narrow window is too much.
    #[test]
    fn noise_is_held_against_what_codes_can_tell() {
        let terms = |t: f64| {
            let attribute = Attribute::new("x", Interval::new(0.0, 100.0).unwrap(), t).unwrap();
            Terms::new(vec![attribute], 50, Flips::PerBit("1".parse().unwrap()), Scale::Own).unwrap()
        };
        let sd = Decoder::of(&terms(5.0), 0).sd(0.0);
        assert!(sd > 10.0 && sd < 100.0, "{sd}");
        assert!(mostly_noise(&terms(5.0)).is_some() && mostly_noise(&terms(50.0)).is_none());
    }
}
