//! A step with its samplers set up.

use std::sync::Arc;

use shoal_kernel::Reach;
use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::Claim;
use shoal_scan::Question;

use crate::{
    CappedCostMechanism, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism,
    NoisyColumnCountsMechanism, NoisyCountsMechanism, RowMechanism,
};
use crate::{NoiseSpec, Step, Take};

/// A [`Step`] with its samplers set up, for whoever draws its noise.
pub struct PreparedStep {
    step: Step,
    pub(crate) mechanism: Arc<Prepared>,
}

/// The mechanism that releases a step where one party holds all rows.
pub(crate) enum Prepared {
    Counts(NoisyCountsMechanism),
    GaussianCounts(GaussianCountsMechanism),
    Columns(NoisyColumnCountsMechanism),
    Cost(CappedCostMechanism),
    Cubes(KNormSumsMechanism),
    GaussianSums(GaussianSumsMechanism),
}

/// An integer modulo 2^64. Unlike a clamped number, it is a function of any sum that the integer is a part of: it can be
/// added to other such numbers, and the sum is that of the integers modulo 2^64.
pub fn wrapped(number: i128) -> u64 {
    // Two's complement: the low 64 bits are the number modulo 2^64, for negative ones, too.
    number as u64
}

impl PreparedStep {
    pub(crate) fn new(step: Step) -> Result<Self, NoiseError> {
        if let Some(known) = step.samplers.get() {
            let mechanism = known.clone();
            return Ok(Self { step, mechanism });
        }
        let with_count = step.take == Take::SumsAndCounts;
        let reach = || match &step.question {
            Question::ClippedSums { reach, .. } => reach.clone(),
            _ => Reach::whole_box(1, step.numbers()),
        };
        let mechanism = match (&step.noise, &step.question) {
            (NoiseSpec::Laplace { decay }, question) => {
                let decay = decay.as_rational().clone();
                match question {
                    Question::Buckets { lists } => {
                        Prepared::Columns(NoisyColumnCountsMechanism::with_decay(decay, lists.len())?)
                    }
                    Question::CappedCost { cap, .. } => Prepared::Cost(CappedCostMechanism::with_decay(*cap, decay)?),
                    _ => Prepared::Counts(NoisyCountsMechanism::with_decay(decay)?),
                }
            }
            (NoiseSpec::Cube { decay, scale }, _) => {
                let decay = decay.as_rational().clone();
                Prepared::Cubes(KNormSumsMechanism::with_decay(&reach(), decay, *scale, with_count)?)
            }
            (NoiseSpec::Gaussian { variance }, Question::ClippedSums { .. } | Question::Moments { .. }) => {
                Prepared::GaussianSums(GaussianSumsMechanism::with_variance(
                    &reach(),
                    variance.as_rational(),
                    with_count,
                )?)
            }
            (NoiseSpec::Gaussian { variance }, _) => {
                Prepared::GaussianCounts(GaussianCountsMechanism::with_variance(variance.as_rational().clone())?)
            }
        };
        let mechanism = step.samplers.get_or_init(|| Arc::new(mechanism)).clone();
        Ok(Self { step, mechanism })
    }

    /// The step.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// What the mechanism that draws the noise promises. It equals [`Step::claim`], which needs no samplers.
    pub fn claim(&self) -> Claim {
        match &*self.mechanism {
            Prepared::Counts(it) => it.claim(),
            Prepared::GaussianCounts(it) => it.claim(),
            Prepared::Columns(it) => it.claim(),
            Prepared::Cost(it) => it.claim(),
            Prepared::Cubes(it) => it.claim(),
            Prepared::GaussianSums(it) => it.claim(),
        }
    }

    /// Variance of the noise on one number, as it is released: multiplied by [`Step::scale`].
    ///
    /// # Panics
    /// When there is no such number.
    pub fn variance(&self, number: usize) -> f64 {
        assert!(number < self.step.numbers(), "there is no such number");
        let place = |reach: &Reach| {
            let sums = reach.count() * reach.dims();
            if number < sums { (number / reach.dims(), number % reach.dims()) } else { (number - sums, reach.dims()) }
        };
        match &*self.mechanism {
            Prepared::Counts(it) => it.variance(),
            Prepared::GaussianCounts(it) => it.variance(),
            Prepared::Columns(it) => it.law().variance(),
            Prepared::Cost(it) => it.law().variance(),
            Prepared::Cubes(it) => {
                let (j, coordinate) = place(it.reach());
                it.law(j).variance(coordinate)
            }
            Prepared::GaussianSums(it) => {
                let (j, axis) = place(it.reach());
                if axis < it.reach().dims() {
                    it.sum_law(j, axis).variance()
                } else {
                    it.count_variance().unwrap_or(0.0)
                }
            }
        }
    }

    /// The whole noise of the step, exact, in 128 bits and then modulo 2^64.
    ///
    /// Added modulo 2^64 to an answer it gives the noisy numbers modulo 2^64, a function of the exact noisy numbers. Noise
    /// that is saturated at 64 bits before it is added would not: at its end points the answer would show through.
    pub fn draw_wrapped(&self, noise: &mut dyn NoiseSource) -> Vec<u64> {
        self.draw_wide(noise).into_iter().map(wrapped).collect()
    }

    /// The whole noise of the step, exact.
    pub fn draw_wide(&self, noise: &mut dyn NoiseSource) -> Vec<i128> {
        let numbers = self.step.numbers();
        match &*self.mechanism {
            Prepared::Counts(it) => (0..numbers).map(|_| it.law().sample_wide(noise)).collect(),
            Prepared::GaussianCounts(it) => (0..numbers).map(|_| it.law().sample_wide(noise)).collect(),
            Prepared::Columns(it) => (0..numbers).map(|_| it.law().sample_wide(noise)).collect(),
            Prepared::Cost(it) => (0..numbers).map(|_| it.law().sample_wide(noise)).collect(),
            Prepared::Cubes(it) => {
                let (dims, k) = (it.reach().dims(), it.reach().count());
                let (mut sums, mut counts): (Vec<i128>, Vec<i128>) = (Vec::with_capacity(numbers), Vec::new());
                for j in 0..k {
                    let mut vector = vec![0; it.law(j).dimensions()];
                    it.law(j).sample_wide(noise, &mut vector);
                    sums.extend(&vector[..dims]);
                    counts.extend(&vector[dims..]);
                }
                sums.extend(counts);
                sums
            }
            Prepared::GaussianSums(it) => {
                let (dims, k) = (it.reach().dims(), it.reach().count());
                let mut drawn: Vec<i128> = Vec::with_capacity(numbers);
                for j in 0..k {
                    drawn.extend((0..dims).map(|axis| it.sum_law(j, axis).sample_wide(noise)));
                }
                if let Some(law) = it.count_law() {
                    drawn.extend((0..k).map(|_| law.sample_wide(noise)));
                }
                drawn
            }
        }
    }
}
