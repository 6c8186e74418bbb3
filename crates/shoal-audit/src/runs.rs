//! What many runs release, and how they are drawn in parallel.

use rayon::prelude::*;
use shoal_noise::{NoiseError, NoiseSource};

use crate::Randomness;

/// The numbers that each of many runs releases. Runs need not release equally many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    numbers: Vec<f64>,
    ends: Vec<usize>,
}

impl Runs {
    /// Adds a number to the current run.
    #[inline]
    pub fn tell(&mut self, number: f64) {
        self.numbers.push(number);
    }

    /// Adds numbers to the current run.
    pub fn tell_all(&mut self, numbers: impl IntoIterator<Item = f64>) {
        self.numbers.extend(numbers);
    }

    /// Ends the current run.
    #[inline]
    pub fn end_run(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// How many runs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What run `i` released.
    #[must_use]
    pub fn run(&self, i: usize) -> &[f64] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.numbers[from..self.ends[i]]
    }

    fn append(&mut self, other: &Self) {
        let before = self.numbers.len();
        self.numbers.extend_from_slice(&other.numbers);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

/// A mechanism on one input, ready to be run any number of times.
pub trait Side: Send + Sync {
    /// Runs it `runs` times.
    fn draw(&self, runs: usize, noise: &mut dyn NoiseSource, out: &mut Runs) -> Result<(), RunFailure>;

    /// How many runs are best asked for at a time.
    fn at_a_time(&self) -> usize {
        512
    }
}

/// A function that adds the numbers of one run.
pub struct Each<F>(pub F);

impl<F> Side for Each<F>
where
    F: Fn(&mut dyn NoiseSource, &mut Runs) -> Result<(), RunFailure> + Send + Sync,
{
    fn draw(&self, runs: usize, noise: &mut dyn NoiseSource, out: &mut Runs) -> Result<(), RunFailure> {
        for _ in 0..runs {
            (self.0)(noise, out)?;
            out.end_run();
        }
        Ok(())
    }
}

/// A mechanism that does not fail, as a [`Side`].
pub fn each<F>(run: F) -> Box<dyn Side>
where
    F: Fn(&mut dyn NoiseSource, &mut Runs) + Send + Sync + 'static,
{
    Box::new(Each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
        run(noise, out);
        Ok(())
    }))
}

/// Why a mechanism could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// No randomness.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// A fit was refused or failed.
    #[error(transparent)]
    Fit(#[from] shoal_curator::FitError),
    /// Something else, in full.
    #[error("{0}")]
    Other(String),
}

/// Called with a number of runs that have been made since the last call, from any thread.
pub type Watch<'a> = &'a (dyn Fn(usize) + Sync);

/// Runs a side `runs` times on all threads. `part` keeps the draws of different calls apart.
pub fn draw(
    side: &dyn Side,
    runs: usize,
    randomness: Randomness,
    part: u32,
    watch: Watch<'_>,
) -> Result<Runs, RunFailure> {
    let each = side.at_a_time().max(1);
    let batches = runs.div_ceil(each);
    let parts: Vec<Runs> = (0..batches)
        .into_par_iter()
        .map(|i| {
            let wanted = each.min(runs - i * each);
            let mut noise = randomness.stream(u64::from(part) << 40 | i as u64)?;
            let mut out = Runs::default();
            side.draw(wanted, &mut *noise, &mut out)?;
            watch(wanted);
            Ok(out)
        })
        .collect::<Result<_, RunFailure>>()?;
    let mut all = Runs::default();
    all.numbers.reserve_exact(parts.iter().map(|part| part.numbers.len()).sum());
    all.ends.reserve_exact(runs);
    parts.iter().for_each(|part| all.append(part));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_whatever_the_threads() {
        let side = each(|noise, out| out.tell(noise.next_u64() as f64));
        let of = |seed, part| draw(&*side, 2000, Randomness::Seeded(seed), part, &|_| ()).unwrap();
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(of(1, 0), one_thread.install(|| of(1, 0)));
        assert_ne!(of(1, 0), of(1, 1));
        assert_ne!(of(1, 0), of(2, 0));
        assert_eq!(of(1, 0).len(), 2000);
        let first: std::collections::BTreeSet<_> = (0..2000).map(|i| of(1, 0).run(i)[0].to_bits()).collect();
        assert_eq!(first.len(), 2000, "no batch repeats another");
    }

    #[test]
    fn runs_may_differ_in_length() {
        let mut runs = Runs::default();
        runs.end_run();
        runs.tell_all([1.0, 2.0]);
        runs.end_run();
        assert_eq!((runs.run(0), runs.run(1)), (&[][..], &[1.0, 2.0][..]));
    }
}
