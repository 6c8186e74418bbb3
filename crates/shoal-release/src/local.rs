//! Steps released where one party holds all rows.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Assumption, ChargeError, Claim, Released, Sensitive};
use shoal_scan::{Scan, ScanError};

use crate::mechanisms::row_mechanism::noisy;
use crate::prepared::Prepared;
use crate::step::Exact;
use crate::{ReleaseError, Releaser, RowMechanism, ScaledSums, Step};

/// What a party that holds all rows releases with.
pub struct Local<'a> {
    /// The table.
    pub scan: &'a dyn Scan,
    /// What pays for every query.
    pub accountant: &'a mut Accountant,
    /// Where noise comes from.
    pub noise: &'a mut dyn NoiseSource,
}

/// Releases steps from a scan: an accountant charges each of them, and noise is added where the rows are.
pub struct LocalReleaser<'a> {
    scan: &'a dyn Scan,
    accountant: &'a mut Accountant,
    noise: &'a mut dyn NoiseSource,
    copies: u32,
}

impl<'a> LocalReleaser<'a> {
    /// Steps are charged to `accountant`; `noise` gives both noise and [`Releaser::randomness`].
    pub fn new(scan: &'a dyn Scan, accountant: &'a mut Accountant, noise: &'a mut dyn NoiseSource) -> Self {
        Self { scan, accountant, noise, copies: 1 }
    }

    /// Adds the whole noise of a step so many times: as where several parties each add theirs. The promise stays that of one.
    #[must_use]
    pub fn with_copies(self, copies: u32) -> Self {
        Self { copies: copies.max(1), ..self }
    }

    /// One noise, charged.
    fn once(&mut self, step: &Step, mechanism: &Prepared) -> Result<Released<Vec<i64>>, ReleaseError> {
        let exact = step.ask(self.scan)?;
        let accountant = &mut *self.accountant;
        let noise = &mut *self.noise;
        let wrong = || ScanError::WrongAnswer { question: step.question().name() };
        let flat = |released: ScaledSums| {
            let ScaledSums { sums, counts, .. } = released;
            sums.into_iter().chain(counts.unwrap_or_default()).collect::<Vec<_>>()
        };
        Ok(match (mechanism, exact) {
            (Prepared::Counts(it), Exact::Counts(exact)) => accountant.release(exact, it.with(noise))?,
            (Prepared::GaussianCounts(it), Exact::Counts(exact)) => accountant.release(exact, it.with(noise))?,
            (Prepared::Columns(it), Exact::Columns(exact)) => {
                accountant.release(exact, it.with(noise))?.map(|columns| columns.concat())
            }
            (Prepared::Cost(it), Exact::Cost(exact)) => {
                accountant.release(exact, it.with(noise))?.map(|cost| vec![cost])
            }
            (Prepared::Cubes(it), Exact::Sums(exact)) => accountant.release(exact, it.with(noise))?.map(flat),
            (Prepared::GaussianSums(it), Exact::Sums(exact)) => accountant.release(exact, it.with(noise))?.map(flat),
            _ => return Err(wrong().into()),
        })
    }
}

impl Releaser for LocalReleaser<'_> {
    fn dims(&self) -> usize {
        self.scan.dims()
    }

    fn copies(&self) -> u32 {
        self.copies
    }

    fn release(&mut self, step: &Step) -> Result<Released<Vec<i64>>, ReleaseError> {
        let prepared = step.prepare()?;
        let released = self.once(step, &prepared.mechanism)?;
        if self.copies == 1 {
            return Ok(released);
        }
        let mut more = vec![0_i128; step.numbers()];
        for _ in 1..self.copies {
            more.iter_mut().zip(prepared.draw_wide(self.noise)).for_each(|(sum, drawn)| *sum += drawn);
        }
        Ok(released.map(|numbers| {
            let in_range = |sum: i128| sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            numbers.into_iter().zip(more).map(|(number, more)| noisy(number, in_range(more))).collect()
        }))
    }

    fn randomness(&mut self) -> &mut dyn NoiseSource {
        self.noise
    }

    fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError> {
        self.accountant.rely_on(assumption)
    }

    fn promised(&self) -> Claim {
        self.accountant.promised()
    }

    fn spent(&self) -> Claim {
        self.accountant.spent().clone()
    }

    fn is_seeded(&self) -> bool {
        self.noise.is_seeded()
    }

    fn local(&mut self) -> Option<Local<'_>> {
        Some(Local { scan: self.scan, accountant: &mut *self.accountant, noise: &mut *self.noise })
    }
}

impl Local<'_> {
    /// Releases what is no step.
    pub fn release<M: RowMechanism>(
        &mut self,
        exact: Sensitive<M::Input>,
        mechanism: &M,
    ) -> Result<M::Output, ChargeError> {
        Ok(self.accountant.release(exact, mechanism.with(self.noise))?.into_inner())
    }
}
