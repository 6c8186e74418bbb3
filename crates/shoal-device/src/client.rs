//! A mechanism, ready to perturb records that are already on the lattice: what [`Device`](crate::Device) and whoever
//! simulates many devices at once build on.

use shoal_lattice::LatticeMap;
use shoal_noise::NoiseSource;

use crate::mechanisms::{Bpgm, Bpm, LaplacePerAttribute, NdLaplace, WordResponse, bpgm};
use crate::{BpmLaw, Design, DesignError, Mechanism, NoiseLaw, Promises, Space};

/// A mechanism, ready to perturb records on the lattice.
#[derive(Clone)]
pub struct Client {
    drawn_by: Drawn,
    numbers: usize,
    words: Vec<WordResponse>,
    /// How much of the box each coordinate of a centre takes up: 1 for numbers, less for indicators of low weight.
    parts: Vec<f64>,
    promises: Promises,
    space: Space,
    noise_law: Option<NoiseLaw>,
}

#[derive(Clone)]
enum Drawn {
    Laplace(LaplacePerAttribute),
    Bpm(Bpm),
    NdLaplace(NdLaplace),
    Bpgm(Bpgm),
}

impl Client {
    /// Sets up the mechanism of a design. Refuses one without any guarantee: see [`Self::accepting_unsound`].
    pub fn new(design: &Design) -> Result<Self, DesignError> {
        match design.mechanism() {
            Mechanism::Bpgm { form, .. } => Err(DesignError::Unsound { reason: bpgm::reason(*form).into() }),
            _ => Self::accepting_unsound(design),
        }
    }

    /// Sets up the mechanism of a design, even one whose reports protect nobody.
    pub fn accepting_unsound(design: &Design) -> Result<Self, DesignError> {
        let (epsilon, dims, sampler) = (&design.epsilon_of_numbers(), design.bounds().dims(), design.sampler());
        // Everything but the drawing is computed once, from the noise itself.
        let (promises, space, noise_law, drawn_by) = match design.mechanism() {
            mechanism @ (Mechanism::Laplace | Mechanism::LaplaceMetric) => {
                let noise = match mechanism {
                    Mechanism::Laplace => LaplacePerAttribute::ldp(epsilon, dims)?,
                    _ => LaplacePerAttribute::metric(epsilon, dims)?,
                };
                (noise.promises(), noise.space(), Some(noise.noise_law()), Drawn::Laplace(noise))
            }
            Mechanism::Bpm { radius_steps } => {
                let noise = Bpm::new(epsilon, dims, *radius_steps, sampler)?;
                (noise.promises(), noise.space(), Some(noise.noise_law()), Drawn::Bpm(noise))
            }
            Mechanism::NdLaplace { radius_steps, ending } => {
                let noise = NdLaplace::new(epsilon, dims, *radius_steps, *ending, sampler)?;
                (noise.promises(), noise.space(), noise.noise_law(), Drawn::NdLaplace(noise))
            }
            Mechanism::Bpgm { bound, form } => {
                let noise = Bpgm::new(epsilon, dims, bound, *form)?;
                (noise.promises(), noise.space(), None, Drawn::Bpgm(noise))
            }
        };
        let (mut words, mut of_words) = (Vec::new(), Vec::new());
        for category in design.categories() {
            let response = WordResponse::new(&design.epsilon_of_words(category), category)?;
            let distance = Design::distance_of_mismatch(category);
            of_words.push((category.column().to_owned(), response.epsilon().clone(), distance));
            words.push(response);
        }
        let map = LatticeMap::new(&design.coordinates());
        let parts = (0..map.dims()).map(|i| map.part(i).0).collect();
        let promises = promises.with_words(&of_words);
        Ok(Self { drawn_by, numbers: dims, words, parts, promises, space, noise_law })
    }

    /// Number of values of a report: one for each column of numbers, then one for each column of words.
    pub fn dims(&self) -> usize {
        self.numbers + self.words.len()
    }

    /// Number of columns of numbers.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// How each column of words is reported.
    pub fn words(&self) -> &[WordResponse] {
        &self.words
    }

    /// How much of the box each coordinate of a centre takes up: see [`LatticeMap::part`].
    pub fn parts(&self) -> &[f64] {
        &self.parts
    }

    /// What a report guarantees, computed from the noise that is added.
    pub fn promises(&self) -> Promises {
        self.promises.clone()
    }

    /// Where reports can lie.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Whether a number of a report can have this value.
    pub fn may_report(&self, value: i64) -> bool {
        let on_grid = match &self.drawn_by {
            Drawn::NdLaplace(mechanism) => mechanism.may_end_at(value),
            _ => true,
        };
        (self.space.low..=self.space.high).contains(&value) && on_grid
    }

    /// Whether a column of a report can have this value: one that [`Self::may_report`], or the number of an outcome for words.
    pub fn may_report_in(&self, column: usize, value: i64) -> bool {
        match column.checked_sub(self.numbers).map(|word| &self.words[word]) {
            None => self.may_report(value),
            Some(word) => (0..word.outcomes() as i64).contains(&value),
        }
    }

    /// Whether the mechanism can have made this report: one value for each column, each of them one that it
    /// [may have](Self::may_report_in).
    pub fn could_have_made(&self, report: &[i64]) -> bool {
        report.len() == self.dims()
            && report.iter().enumerate().all(|(column, &value)| self.may_report_in(column, value))
    }

    /// The distribution of the noise on the numbers of a report, where it has a density that a server can use.
    pub fn noise_law(&self) -> Option<NoiseLaw> {
        self.noise_law
    }

    /// The squared distance between the numbers of report and record, in widths², on average over reports and over all records of the
    /// box. `None` where it is not known.
    pub fn expected_squared_error(&self) -> Option<f64> {
        self.noise_law.map(|law| match law {
            NoiseLaw::PerAttribute { scale } => 2.0 * self.numbers as f64 * scale * scale,
            // That is d(d + 1)/ε² for nD-Laplace.
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: self.numbers, rate, radius }.zeta(),
        })
    }

    /// Fisher information about each coordinate of the record in one report, in 1/widths²: one over the smallest
    /// variance that an unbiased estimate from it can have. `None` where it is not known.
    pub fn information_per_report(&self) -> Option<f64> {
        self.noise_law.map(|law| match law {
            NoiseLaw::PerAttribute { scale } => 1.0 / (scale * scale),
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: self.numbers, rate, radius }.information(),
        })
    }

    /// Turns a record, in lattice steps from the lower bounds (`0..=STEPS`), then one outcome for each column of words, into a
    /// report of the same form. Numbers are drawn first.
    ///
    /// # Panics
    /// When record or report do not have one value per column, a coordinate of the record is outside the box, or a word
    /// is no outcome.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        assert_eq!((record.len(), report.len()), (self.dims(), self.dims()), "one value per column");
        let ((numbers, words), (noisy, noisy_words)) =
            (record.split_at(self.numbers), report.split_at_mut(self.numbers));
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.report(numbers, noise, noisy),
            Drawn::Bpm(mechanism) => mechanism.report(numbers, noise, noisy),
            Drawn::NdLaplace(mechanism) => mechanism.report(numbers, noise, noisy),
            Drawn::Bpgm(mechanism) => mechanism.report(numbers, noise, noisy),
        }
        for ((response, &truth), to) in self.words.iter().zip(words).zip(noisy_words) {
            *to = response.report(truth, noise);
        }
    }
}
