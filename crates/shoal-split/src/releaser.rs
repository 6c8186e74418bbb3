//! Steps released by helpers and custodians, and steps released again from a transcript.

use std::collections::VecDeque;

use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{
    Accountant, Allowance, Assumption, ChargeError, Claim, Epsilon, Loss, Mechanism, Released, Sensitive,
};
use shoal_release::{ReleaseError, Releaser, Step};

use crate::admission::claim;
use crate::charter::Charter;
use crate::driver::Driver;
use crate::party::{Party, Post};
use crate::plausible::Plausible;
use crate::transcript::{RoundRecord, Transcript};
use crate::verify::{Verified, verify};
use crate::why::{Ended, Why};

/// Carries a driver's messages to helpers and back: a network, or a rehearsal in one process.
pub trait Courier {
    /// Takes messages for helpers.
    fn send(&mut self, posts: Vec<Post>);

    /// The next message of a helper.
    ///
    /// # Errors
    /// When a helper cannot be reached or nobody answers in time.
    fn receive(&mut self) -> Result<(Party, Vec<u8>), Ended>;

    /// A round begins.
    fn round_begins(&mut self, _round: u32, _step: &Step) {}
}

/// Releases steps by a run of the protocol.
pub struct SplitReleaser<C> {
    driver: Driver,
    courier: C,
    accountant: Accountant,
    randomness: SeededNoise,
    plausible: Plausible,
    rounds: Vec<RoundRecord>,
    seeded: bool,
}

/// The claim of a whole run: what its releases together must keep.
fn allowance(epsilon: &Epsilon) -> Allowance {
    let mut whole = claim(Loss::Pure(epsilon.clone()));
    whole.assumes.insert(Assumption::DesignSizePublic);
    Allowance::without_ledger(whole)
}

impl<C: Courier> SplitReleaser<C> {
    /// Waits until all helpers and custodians take part.
    ///
    /// # Errors
    /// When a party ends the run before it begins.
    pub fn begin(mut driver: Driver, mut courier: C, epsilon: &Epsilon, seeded: bool) -> Result<Self, Ended> {
        while !driver.is_ready() {
            exchange(&mut driver, &mut courier)?;
        }
        // Unwrap safety: a driver is ready when all helpers have sent the contributions of all custodians.
        let randomness = SeededNoise::from_key(driver.public_randomness().unwrap());
        let accountant = Accountant::new(allowance(epsilon));
        let plausible = Plausible::new(copies(driver.charter()));
        Ok(Self { driver, courier, accountant, randomness, plausible, rounds: Vec::new(), seeded })
    }

    fn step(&mut self, step: &Step) -> Result<Vec<i64>, Ended> {
        let posts = match self.driver.ask(step) {
            Ok(posts) => posts,
            Err(why) => return Err(self.stop(why)),
        };
        self.courier.round_begins(self.rounds.len() as u32, step);
        self.courier.send(posts);
        loop {
            if let (Some(numbers), Some(record)) = (self.driver.released(), self.driver.record()) {
                self.rounds.push(record);
                // R12: helpers and custodians can spoil a result; what is grossly wrong is found here.
                if !self.plausible.takes(step, &numbers) {
                    return Err(self.stop(Why::Implausible));
                }
                return Ok(numbers);
            }
            exchange(&mut self.driver, &mut self.courier)?;
        }
    }

    fn stop(&mut self, why: Why) -> Ended {
        let by = self.driver.ended().map_or(self.driver.myself(), |ended| ended.by);
        let posts = self.driver.stop(by, why);
        self.courier.send(posts);
        self.driver.ended().unwrap_or(Ended { by, why })
    }

    /// Ends the run: no more questions. The transcript is complete.
    pub fn close(mut self) -> (Transcript, C) {
        if let Ok(posts) = self.driver.close() {
            self.courier.send(posts);
        }
        let transcript = self.transcript();
        (transcript, self.courier)
    }

    /// Ends the run without a result. The transcript says what was released until then.
    pub fn abandon(mut self, why: Why) -> (Option<Transcript>, C) {
        self.stop(why);
        let transcript = self.driver.begun().map(|begun| Transcript { begun, rounds: self.rounds, end: None });
        (transcript, self.courier)
    }

    /// Everything that was released so far.
    pub fn transcript(&self) -> Transcript {
        // Unwrap safety: `begin` returns when the run has begun.
        let begun = self.driver.begun().unwrap();
        Transcript { begun, rounds: self.rounds.clone(), end: self.driver.final_state() }
    }

    /// How the run ended, if it did so before its result.
    pub fn ended(&self) -> Option<Ended> {
        self.driver.ended()
    }
}

/// How many full noises are in each released number, rounded up: each helper's, and what custodians add of their own.
pub fn copies(charter: &Charter) -> u32 {
    let own = charter.fallback().map_or(0.0, |times| {
        let times = times.to_f64_down();
        charter.custodians() as f64 / (times * times)
    });
    charter.helpers() as u32 + own.ceil() as u32
}

fn exchange<C: Courier>(driver: &mut Driver, courier: &mut C) -> Result<(), Ended> {
    let (from, bytes) = match courier.receive() {
        Ok(message) => message,
        Err(ended) => {
            let posts = driver.stop(ended.by, ended.why);
            courier.send(posts);
            return Err(ended);
        }
    };
    let posts = driver.take(from, &bytes);
    courier.send(posts);
    driver.ended().map_or(Ok(()), Err)
}

/// Numbers that the protocol released, with the claim of their step.
struct ByHelpers(Claim);

impl Mechanism for ByHelpers {
    type Input = Vec<i64>;
    type Output = Vec<i64>;

    fn claim(&self) -> Claim {
        self.0.clone()
    }

    fn run(self, numbers: Vec<i64>) -> Vec<i64> {
        numbers
    }
}

fn charged(accountant: &mut Accountant, step: &Step, numbers: Vec<i64>) -> Result<Released<Vec<i64>>, ReleaseError> {
    let claim = claim(step.claim().loss);
    Ok(accountant.release(Sensitive::new(numbers), ByHelpers(claim))?)
}

fn elsewhere(error: impl std::error::Error + Send + Sync + 'static) -> ReleaseError {
    ReleaseError::Elsewhere(Box::new(error))
}

impl<C: Courier> Releaser for SplitReleaser<C> {
    fn dims(&self) -> usize {
        self.driver.charter().bounds().dims()
    }

    fn copies(&self) -> u32 {
        copies(self.driver.charter())
    }

    fn release(&mut self, step: &Step) -> Result<Released<Vec<i64>>, ReleaseError> {
        let numbers = self.step(step).map_err(elsewhere)?;
        charged(&mut self.accountant, step, numbers)
    }

    fn randomness(&mut self) -> &mut dyn NoiseSource {
        &mut self.randomness
    }

    fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError> {
        self.accountant.rely_on(assumption)
    }

    fn promised(&self) -> Claim {
        self.accountant.promised()
    }

    fn is_seeded(&self) -> bool {
        self.seeded
    }
}

/// Releases the steps of a verified transcript again: the same method with the same settings computes the same model.
pub struct Replay {
    dims: usize,
    copies: u32,
    rounds: VecDeque<(Step, Vec<i64>)>,
    accountant: Accountant,
    randomness: SeededNoise,
    seeded: bool,
}

/// The method asked something else than the transcript holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "with these settings the method asks another question than the transcript has in this place; the model was not computed from it, or with another version of Shoal"
)]
pub struct OtherQuestion;

impl Replay {
    /// Replays what was verified.
    pub fn new(charter: &Charter, verified: &Verified) -> Self {
        Self {
            dims: charter.bounds().dims(),
            copies: copies(charter),
            rounds: verified.rounds.clone().into(),
            accountant: Accountant::new(allowance(&verified.limit)),
            randomness: SeededNoise::from_key(verified.randomness),
            seeded: false,
        }
    }

    /// The run kept nobody from anything, as in a rehearsal: what is computed from it has no guarantee.
    #[must_use]
    pub fn without_guarantee(self) -> Self {
        Self { seeded: true, ..self }
    }

    /// [`verify`] and [`Replay::new`].
    pub fn of(charter: &Charter, transcript: &Transcript) -> Result<(Self, Verified), crate::NotVerified> {
        let verified = verify(charter, transcript)?;
        Ok((Self::new(charter, &verified), verified))
    }

    /// Rounds that nobody asked about.
    pub fn left(&self) -> usize {
        self.rounds.len()
    }
}

impl Releaser for Replay {
    fn dims(&self) -> usize {
        self.dims
    }

    fn copies(&self) -> u32 {
        self.copies
    }

    fn release(&mut self, step: &Step) -> Result<Released<Vec<i64>>, ReleaseError> {
        match self.rounds.pop_front() {
            Some((recorded, numbers)) if recorded == *step => charged(&mut self.accountant, step, numbers),
            _ => Err(elsewhere(OtherQuestion)),
        }
    }

    fn randomness(&mut self) -> &mut dyn NoiseSource {
        &mut self.randomness
    }

    fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError> {
        self.accountant.rely_on(assumption)
    }

    fn promised(&self) -> Claim {
        self.accountant.promised()
    }

    fn is_seeded(&self) -> bool {
        self.seeded
    }
}
