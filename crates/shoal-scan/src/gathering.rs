//! The partial answers of all workers, each counted once.

use std::fmt;

use shoal_privacy::Sensitive;

use crate::{Answer, MergeError, Partial, Question, ScanError};

/// Collects one partial answer from each of a fixed list of workers.
///
/// Engines repeat tasks: a worker that seemed lost may answer after its replacement did. An answer that comes again is
/// ignored when it is equal to the first, and ends the gathering when it is not, because then nobody knows which one is
/// right. Without every worker's answer there is no result: a missing shard would change it by more than the noise hides.
///
/// ```
/// use shoal_lattice::LatticePoints;
/// use shoal_scan::{Gathering, Partial, Question};
///
/// let question = Question::RowCount;
/// let answer = || Partial::of(&question, &LatticePoints::new(3));
/// let mut gathering = Gathering::new(&question, ["north", "south"])?;
/// gathering.take("south", answer()?)?;
/// gathering.take("south", answer()?)?; // again, and ignored
/// assert_eq!(gathering.missing().collect::<Vec<_>>(), ["north"]);
/// assert!(gathering.finish().err().unwrap().to_string().contains("worker north"));
/// # Ok::<(), shoal_scan::ScanError>(())
/// ```
pub struct Gathering<'q> {
    question: &'q Question,
    workers: Vec<Worker>,
    total: Partial,
}

struct Worker {
    name: String,
    state: State,
}

enum State {
    Asked,
    /// With a digest of the answer, from which a small number could be guessed: it stays here.
    Answered([u8; 32]),
    Failed(MergeError),
}

impl fmt::Debug for Gathering<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing = self.missing().count();
        write!(f, "Gathering({}, {} workers, {missing} missing)", self.question.name(), self.workers.len())
    }
}

impl<'q> Gathering<'q> {
    /// Nothing has come yet from any of `workers`, whose names differ.
    pub fn new<N: Into<String>>(
        question: &'q Question,
        workers: impl IntoIterator<Item = N>,
    ) -> Result<Self, ScanError> {
        let mut all: Vec<Worker> = Vec::new();
        for name in workers {
            let name = name.into();
            if all.iter().any(|other| other.name == name) {
                return Err(lost(&name, MergeError::NamedTwice));
            }
            all.push(Worker { name, state: State::Asked });
        }
        Ok(Self { question, workers: all, total: Partial::nothing(question)? })
    }

    /// Takes the answer of a worker.
    ///
    /// # Errors
    /// [`ScanError::Engine`] when the worker was not asked, answers another question, or has answered differently before.
    /// The gathering cannot be finished after the last of these, nor when answers overlap or overflow.
    pub fn take(&mut self, worker: &str, answer: Partial) -> Result<(), ScanError> {
        let Some(entry) = self.workers.iter_mut().find(|entry| entry.name == worker) else {
            return Err(lost(worker, MergeError::Unknown));
        };
        if answer.question() != self.total.question() {
            return Err(lost(worker, MergeError::OtherQuestion));
        }
        let fingerprint = answer.fingerprint();
        match entry.state {
            State::Answered(before) if before == fingerprint => Ok(()),
            State::Asked => match self.total.absorb(answer) {
                Ok(()) => {
                    entry.state = State::Answered(fingerprint);
                    Ok(())
                }
                Err(error) => {
                    entry.state = State::Failed(error);
                    Err(lost(worker, error))
                }
            },
            State::Answered(_) => {
                entry.state = State::Failed(MergeError::Disagrees);
                Err(lost(worker, MergeError::Disagrees))
            }
            State::Failed(error) => Err(lost(worker, error)),
        }
    }

    /// Takes the answer of a worker as it came over the wire. Damaged bytes are refused with a [`ScanError::Engine`] and
    /// leave the gathering as it was.
    pub fn take_bytes(&mut self, worker: &str, bytes: &[u8]) -> Result<(), ScanError> {
        match Partial::from_bytes(self.question, bytes) {
            Ok(answer) => self.take(worker, answer),
            Err(source) => Err(ScanError::Engine { worker: worker.into(), source: Box::new(source) }),
        }
    }

    /// The workers that have not answered yet.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.workers.iter().filter(|worker| matches!(worker.state, State::Asked)).map(|worker| worker.name.as_str())
    }

    /// The answer of all workers together.
    ///
    /// # Errors
    /// [`ScanError::Engine`] with the first worker that did not answer, or whose answer could not be used.
    pub fn finish(self) -> Result<Sensitive<Answer>, ScanError> {
        for worker in &self.workers {
            match worker.state {
                State::Answered(_) => {}
                State::Asked => return Err(lost(&worker.name, MergeError::NoAnswer)),
                State::Failed(error) => return Err(lost(&worker.name, error)),
            }
        }
        self.total.finish(self.question)
    }
}

fn lost(worker: &str, why: MergeError) -> ScanError {
    ScanError::Engine { worker: worker.into(), source: Box::new(why) }
}
