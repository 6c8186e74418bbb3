//! One trial of a mechanism: parameters, neighbouring tables, and the comparisons.

use shoal_curator::RowMechanism;
use shoal_curator::internals::{Part, RecordedStep};
use shoal_kernel::LatticeCentres;
use shoal_noise::SeededNoise;
use shoal_privacy::{Epsilon, Rho, Sensitive, ThisIsNotPrivate};
use shoal_scan::{Scan, ScanError};

use super::Tally;
use super::spread::{self, NUMBERS};
use super::tables::{Engine, HIGH, LOW, Rows};
use super::worst_answers::{Side, WorstAnswers};
use crate::runs::RunFailure;

/// Numbers of columns that come round; every other trial after these takes any number up to 200.
const DIMS: [usize; 12] = [1, 2, 3, 10, 16, 17, 33, 64, 100, 129, 199, 200];

/// Budgets that come round.
const EPSILONS: [&str; 5] = ["1", "0.1", "1/3", "4", "0.01"];

/// The state of one trial.
pub struct Trial {
    /// What has been found.
    pub tally: Tally,
    /// The number of columns.
    pub dims: usize,
    /// The number of the trial.
    pub number: usize,
    pub(super) random: Rows,
    pub(super) rows: Vec<Vec<i16>>,
    /// Mechanisms that this trial has checked: their mutants are not each other's.
    checks: usize,
}

/// Two inputs of a mechanism, whether a row makes the difference, and words for it.
pub(super) type Inputs<T> = Vec<(T, T, bool, String)>;

impl Trial {
    /// Trial number `number` of a mechanism.
    #[must_use]
    pub fn new(number: usize, seed: u64) -> Self {
        let mut random = Rows::new(1, seed ^ (number as u64) << 20);
        let listed = DIMS[number % DIMS.len()];
        let dims = if number > DIMS.len() && number % 2 == 1 { 1 + random.below(200) } else { listed };
        random.dims = dims;
        // No row, one, a part of a tile, several tiles; and so many equal rows that 32 bits do not hold their sum.
        let rows = match number % 7 {
            0 => random.table(40),
            1 => Vec::new(),
            2 => random.table(1),
            3 => random.table(31),
            4 => random.table(170),
            5 if dims <= 3 => vec![vec![HIGH; dims]; 140_000],
            _ => random.table(65),
        };
        Self { tally: Tally::default(), dims, number, random, rows, checks: 0 }
    }

    pub(super) fn epsilon(&mut self) -> Epsilon {
        // Unwrap safety: constants that are numbers.
        EPSILONS[self.random.below(EPSILONS.len())].parse().unwrap()
    }

    pub(super) fn rho(&mut self) -> Rho {
        // Unwrap safety: constants that are numbers.
        ["0.5", "1/50", "0.0003", "2"][self.random.below(4)].parse().unwrap()
    }

    pub(super) fn words(&self) -> String {
        format!("d = {}, {} rows", self.dims, self.rows.len())
    }

    /// Centres, some of them equal or at the bounds.
    pub(super) fn centres(&mut self, k: usize) -> LatticeCentres {
        let mut all: Vec<i16> = (0..k).flat_map(|_| self.random.row()).collect();
        if k > 2 && self.random.below(3) == 0 {
            let (first, second) = all.split_at_mut(self.dims);
            second[..self.dims].copy_from_slice(first);
        }
        LatticeCentres::new(self.dims, all)
    }

    /// The answers on neighbouring tables: with rows of many kinds, and with the largest change that the query allows to
    /// each of `groups` centres or sets.
    pub(super) fn inputs<T>(
        &mut self,
        groups: usize,
        near: &[Vec<i16>],
        ask: impl Fn(&dyn Scan) -> Result<Sensitive<T>, ScanError>,
    ) -> Result<Inputs<T>, RunFailure> {
        let exact = |scan: &dyn Scan| {
            let answer = ask(scan).map_err(shoal_curator::FitError::from)?;
            Ok::<T, RunFailure>(answer.without_privacy().reveal(ThisIsNotPrivate))
        };
        let engine = if self.rows.len() > 1000 { Engine::Memory } else { Engine::ALL[self.number % 3] };
        let dims = self.dims;
        let without = engine.scan(dims, &self.rows)?;
        let mut inputs = Vec::new();
        let mut new_rows = vec![vec![LOW; dims], vec![HIGH; dims], self.random.row(), self.random.row()];
        new_rows.extend(near.iter().cloned());
        for row in new_rows {
            let with = engine.scan(dims, &self.random.with(&self.rows, row))?;
            let words = format!("{}, {}, one more", self.words(), engine.name());
            inputs.push((exact(&*without)?, exact(&*with)?, true, words));
        }
        let corner = Engine::Memory.scan(dims, &self.random.with(&self.rows, vec![HIGH; dims]))?;
        let side = |side| WorstAnswers { without: &*without, with: &*corner, side };
        for group in 0..groups {
            let words = format!("{}, the largest change of group {group}", self.words());
            inputs.push((exact(&side(Side::Without))?, exact(&side(Side::With(group)))?, false, words));
        }
        Ok(inputs)
    }

    /// Compares the distributions for each pair of inputs, and for the first of them what is drawn with what is described.
    pub(super) fn check<M: RowMechanism>(
        &mut self,
        mechanism: &M,
        inputs: &Inputs<M::Input>,
        flat: impl Fn(M::Output) -> Vec<i128>,
    ) where
        M::Input: Clone,
    {
        for (first, second, real, words) in inputs {
            let (a, b) = (RecordedStep::of(mechanism, first), RecordedStep::of(mechanism, second));
            self.tally.compare(self.checks, &a, &b, *real, words);
            self.tally.compare(self.checks, &b, &a, *real, words);
        }
        self.checks += 1;
        if let Some((first, ..)) = inputs.first() {
            self.drawn_as_described(mechanism, first, flat);
        }
    }

    fn drawn_as_described<M: RowMechanism>(
        &mut self,
        mechanism: &M,
        exact: &M::Input,
        flat: impl Fn(M::Output) -> Vec<i128>,
    ) where
        M::Input: Clone,
    {
        let Some(parts) = mechanism.distribution(exact) else { return };
        let seed = self.random.word();
        let mut noise = SeededNoise::new(seed);
        let described: Vec<i128> = parts.iter().flat_map(|part| part.draw(&mut noise)).collect();
        let drawn = flat(mechanism.draw(exact.clone(), &mut SeededNoise::new(seed)));
        if described != drawn {
            self.tally.fault(format!("what is drawn is not what is described ({})", self.words()));
        }
        // A part of the trials has time for the spread.
        let numbers: Vec<_> = parts.into_iter().map(Part::recorded).collect();
        let count: usize = numbers.iter().map(|part| part.exact.len()).sum();
        let smallest = numbers.iter().map(|part| part.exact.len()).min().unwrap_or(1).max(1);
        let draws = NUMBERS.div_ceil(smallest).max(300);
        if count * draws > 400_000 {
            return;
        }
        let variances: Option<Vec<Vec<f64>>> =
            numbers.iter().map(|part| spread::variances(&part.noise, part.exact.len())).collect();
        let Some(variances) = variances else { return };
        let mut squares = vec![0.0; numbers.len()];
        let mut noise = SeededNoise::new(seed ^ 1);
        for _ in 0..draws {
            let drawn = flat(mechanism.draw(exact.clone(), &mut noise));
            let mut drawn = drawn.iter();
            for ((part, variances), sum) in numbers.iter().zip(&variances).zip(&mut squares) {
                let each = part.exact.iter().zip(variances).zip(&mut drawn);
                *sum += each.map(|((exact, variance), drawn)| ((drawn - exact) as f64).powi(2) / variance).sum::<f64>();
            }
        }
        for (part, sum) in numbers.iter().zip(squares) {
            let mean = sum / (draws * part.exact.len().max(1)) as f64;
            if let Some(fault) = spread::fault(part.of, mean) {
                self.tally.fault(format!("{fault} ({})", self.words()));
            }
        }
    }
}
