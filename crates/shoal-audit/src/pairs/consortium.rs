//! Pairs of values for the codes of a consortium, and what their bits say.

use std::sync::Arc;

use shoal_consortium::custodian::Dpbv;
use shoal_consortium::promise::{Curve, at_distance};
use shoal_consortium::{Agreement, AnchorSecret, Anchors, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;
use shoal_noise::NoiseSource;
use shoal_privacy::{Amount, Delta, Epsilon};

use crate::runs::{RunFailure, Runs, Side, each};
use crate::statistical::search::PairSpace;
use crate::{Allowed, Pair, Score};

/// δ at which curves are tested, that of a pure loss first.
pub const TESTED_AT: [f64; 6] = [0.0, 1e-3, 0.05, 0.1, 0.2, 0.4];
/// The public range.
const RANGE: f64 = 50.0;

/// Terms for one attribute whose window is half of its range, so that nearly all bits of its ends differ.
pub fn terms(bits: u32, per_bit: &Epsilon) -> Result<Terms, RunFailure> {
    let failure = |error: &dyn std::fmt::Display| RunFailure::Other(error.to_string());
    let range = Interval::new(0.0, RANGE).map_err(|error| failure(&error))?;
    let attribute = Attribute::new("x", range, RANGE / 2.0).map_err(|error| failure(&error))?;
    Terms::new(vec![attribute], bits, Flips::PerBit(per_bit.clone()), Scale::Own).map_err(|error| failure(&error))
}

/// An agreement on [`terms`], the same each time.
pub fn agreement(bits: u32, per_bit: &Epsilon) -> Result<Agreement, RunFailure> {
    Ok(Agreement::new(terms(bits, per_bit)?, AnchorSecret::from_seed(11)))
}

/// Writes the code of a value, in lattice steps.
pub type Sender = Arc<dyn Fn(i32, &mut dyn NoiseSource) -> u64 + Send + Sync>;

/// Pairs of values whose codes are made with the anchors of one agreement.
#[derive(Clone)]
pub struct CodePairs {
    anchors: Anchors,
    send: Sender,
    /// What the agreement claims.
    pub promise: Promise,
    allowed: Allowed,
}

impl CodePairs {
    /// Codes of an agreement on one attribute of up to 64 bits, held against its pure claim.
    pub fn new(agreement: &Agreement) -> Result<Self, RunFailure> {
        let promise = Promise::of_agreement(agreement, Partition::Records, None)
            .map_err(|error| RunFailure::Other(error.to_string()))?;
        let Some(claim) = promise.guarantee.claim() else {
            return Err(RunFailure::Other("bits that are not flipped hide nothing".into()));
        };
        let allowed = Allowed::of(&claim.loss, 1.0);
        let encoder = Dpbv::new(agreement)?;
        let anchors = agreement.anchors().swap_remove(0);
        Ok(Self { send: sender(encoder), anchors, promise, allowed })
    }

    /// The same where somebody else makes the codes: a mutant.
    #[must_use]
    pub fn sent_by(self, send: Sender) -> Self {
        Self { send, ..self }
    }

    /// The same held against another claim.
    #[must_use]
    pub fn promising(self, allowed: Allowed) -> Self {
        Self { allowed, ..self }
    }

    /// What is claimed at each δ.
    #[must_use]
    pub fn stated_curve(&self) -> Allowed {
        let promise = self.promise.clone();
        let epsilon_at = move |delta: f64| {
            let loss = promise.loss_at(delta_of(delta).as_ref());
            loss.and_then(|loss| match Allowed::of(&loss, 1.0) {
                Allowed::Pure(epsilon) | Allowed::Approximate { epsilon, .. } => Some(epsilon),
                _ => None,
            })
            .unwrap_or(f64::INFINITY)
        };
        let words = format!("curve of {} bits that differ", self.promise.differing.bits);
        Allowed::Curve { words, epsilon_at: Arc::new(epsilon_at), tested_at: TESTED_AT.into() }
    }

    /// The code of a value before noise.
    #[must_use]
    pub fn clean(&self, x: i32) -> u64 {
        code(&self.anchors, x)
    }
}

/// Codes made by an encoder of one attribute of up to 64 bits.
#[must_use]
pub fn sender(encoder: Dpbv) -> Sender {
    Arc::new(move |x, noise| {
        let mut words = [0];
        encoder.encode(&[x], noise, &mut words);
        words[0]
    })
}

fn code(anchors: &Anchors, x: i32) -> u64 {
    (0..anchors.len()).filter(|&i| anchors.bit(i, x)).fold(0, |code, i| code | 1 << i)
}

fn delta_of(delta: f64) -> Option<Delta> {
    Amount::from_shortest_decimal(delta).ok().and_then(|delta| Delta::new(delta).ok())
}

impl PairSpace for CodePairs {
    type Spec = (i32, i32);

    fn catalogue(&self) -> Vec<(i32, i32)> {
        let end = STEPS as i32;
        vec![(0, end), (0, end / 2), (end / 4, 3 * (end / 4))]
    }

    fn vary(&self, from: &(i32, i32), noise: &mut dyn NoiseSource) -> (i32, i32) {
        let anywhere = (noise.next_u64() % (STEPS + 1)) as i32;
        if noise.next_u64().is_multiple_of(2) { (anywhere, from.1) } else { (from.0, anywhere) }
    }

    fn pair(&self, &(x, y): &(i32, i32)) -> Result<Pair, RunFailure> {
        let bits = self.anchors.len();
        let side = |x: i32| -> Box<dyn Side> {
            let send = self.send.clone();
            each(move |noise, out: &mut Runs| {
                let code = send(x, noise);
                out.tell_all((0..bits).map(|i| f64::from(u8::from(code >> i & 1 == 1))));
            })
        };
        let value = |x: i32| (f64::from(x) / STEPS as f64 * RANGE * 1e3).round() / 1e3;
        let words = format!("{} and {}", value(x), value(y));
        let (clean, differing) = (self.clean(x), self.clean(x) ^ self.clean(y));
        let places: Vec<(usize, f64)> = (0..bits)
            .filter(|i| differing >> i & 1 == 1)
            .map(|i| (i, f64::from(u8::from(clean >> i & 1 == 1))))
            .collect();
        let votes = move |run: &[f64]| places.iter().filter(|(i, bit)| run[*i] == *bit).count() as f64;
        let pair = Pair::new(words, side(x), side(y), self.allowed.clone());
        Ok(pair.with_score(Score::new("differing bits that speak for the first value", votes)))
    }
}

/// Both ends of `steps`, with anchors drawn anew in each run and seen by everyone, held against what is claimed over that
/// draw.
pub fn over_the_draw(terms: &Terms, steps: i32) -> Result<Pair, RunFailure> {
    let middle = STEPS as i32 / 2;
    let values = (middle - steps / 2, middle - steps / 2 + steps);
    let side = |x: i32| -> Box<dyn Side> {
        let terms = terms.clone();
        Box::new(crate::Each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            let secret = AnchorSecret::from_seed(noise.next_u64());
            let anchors = Agreement::new(terms.clone(), secret).anchors();
            let mut sent = [0];
            Dpbv::of(&anchors, terms.flips())?.encode(&[x], noise, &mut sent);
            let first = code(&anchors[0], values.0);
            let differing = first ^ code(&anchors[0], values.1);
            let votes = (!(sent[0] ^ first) & differing).count_ones();
            // With the anchors in hand, these two are all that a code says about which value it is of.
            out.tell_all([f64::from(votes), f64::from(differing.count_ones())]);
            Ok(())
        }))
    };
    let stated = terms.clone();
    let epsilon_at = move |delta: f64| {
        let at = |delta: Option<&Delta>| at_distance(&stated, None, steps as u64, false, delta);
        match delta_of(delta).filter(|delta| !delta.amount().is_zero()) {
            Some(delta) => at(Some(&delta)).and_then(|known| known.over_the_draw).unwrap_or(f64::INFINITY),
            None => at(None).map_or(f64::INFINITY, |known| known.pure.to_f64_up()),
        }
    };
    let words = "curve over the draw of the anchors".into();
    let allowed = Allowed::Curve { words, epsilon_at: Arc::new(epsilon_at), tested_at: vec![1e-2, 1e-3, 0.05, 0.2] };
    let apart = f64::from(steps) / STEPS as f64 * RANGE;
    let pair =
        Pair::new(format!("two values {apart:.3} apart, anchors drawn anew"), side(values.0), side(values.1), allowed);
    let surplus = |run: &[f64]| 2.0 * run[0] - run[1];
    Ok(pair.with_score(Score::new("differing bits for the first value less those for the other", surplus)))
}

/// What the paper says of codes of so many bits.
#[must_use]
pub fn published(per_bit: &Epsilon, bits: u32) -> Allowed {
    let epsilon = per_bit.to_f64_up();
    let delta = 10_f64.powf(shoal_consortium::promise::published::log10_delta(epsilon, bits));
    Allowed::Approximate { epsilon, delta }
}

/// The δ that is true of so many differing bits at an ε, to be compared with an enumeration.
#[must_use]
pub fn stated_delta(per_bit: &Epsilon, differing: u64, epsilon: f64) -> f64 {
    Curve::of_bits(per_bit, differing).delta_up(epsilon)
}
