//! Computes everything again that a transcript claims: charges, hashes, and what was released (R15).

use shoal_privacy::{Claim, Epsilon, Loss};
use shoal_release::Step;

use crate::admission::{Budget, claim};
use crate::chain::{Chain, answer_digest};
use crate::charter::Charter;
use crate::message::RunId;
use crate::shares::{add, signed};
use crate::transcript::Transcript;

/// What a transcript was found to say.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The run.
    pub run: RunId,
    /// ε that the run was allowed.
    pub limit: Epsilon,
    /// ε of all rounds, computed from the steps.
    pub spent: Epsilon,
    /// What the settings of the order say.
    pub settings: String,
    /// Each step with the numbers that it released.
    pub rounds: Vec<(Step, Vec<i64>)>,
    /// What initial centres were drawn from.
    pub randomness: [u8; 32],
    /// How many full noises are in each number.
    pub helpers: usize,
}

impl Verified {
    /// What everything released in the run promises.
    pub fn claim(&self) -> Claim {
        claim(Loss::Pure(self.spent.clone()))
    }
}

/// Why a transcript was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotVerified {
    /// Another charter.
    #[error("the transcript is of a run under another charter")]
    OtherCharter,
    /// A part of the beginning does not fit the charter.
    #[error("the beginning of the transcript does not fit the charter: {0}")]
    Beginning(&'static str),
    /// A round is not what the protocol allows.
    #[error("round {round} of the transcript does not hold: {why}")]
    Round {
        /// The round, from 1.
        round: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The chain ends elsewhere.
    #[error("the hash at the end of the transcript is not that of what stands before it")]
    End,
}

/// Recomputes charges and the chain.
pub fn verify(charter: &Charter, transcript: &Transcript) -> Result<Verified, NotVerified> {
    let begun = &transcript.begun;
    let wrong = |why| Err(NotVerified::Beginning(why));
    if begun.charter != charter.fingerprint() {
        return Err(NotVerified::OtherCharter);
    }
    if usize::from(begun.driver) >= charter.drivers() {
        return wrong("there is no such driver");
    }
    if begun.order.incarnations.len() != charter.helpers() || begun.contributions.len() != charter.custodians() {
        return wrong("it does not have all parties");
    }
    let Ok(mut budget) = Budget::of(charter, &begun.order) else {
        return wrong("its ε is none, or above the charter's");
    };
    let mut chain = Chain::start(charter, &begun.order, &begun.contributions);
    let (run, randomness) = (chain.run, chain.public_randomness());
    let mut rounds = Vec::new();
    for (i, round) in transcript.rounds.iter().enumerate() {
        let wrong = |why| NotVerified::Round { round: i + 1, why };
        let bound = chain.bound(&round.step);
        if round.round != chain.round || round.bound != bound {
            return Err(wrong("its hash is not that of the step and of everything before it"));
        }
        let admitted = budget.admit(charter, &round.step).map_err(|why| wrong(why.words()))?;
        budget.book(&admitted.epsilon);
        let numbers = admitted.step.numbers();
        if round.answers.len() != charter.helpers() || round.answers.iter().any(|answer| answer.len() != numbers) {
            return Err(wrong("it does not have an answer of each helper"));
        }
        let mut total = vec![0; numbers];
        round.answers.iter().for_each(|answer| add(&mut total, answer));
        let digests: Vec<_> = round.answers.iter().map(|answer| answer_digest(answer)).collect();
        chain = chain.after(&bound, &digests);
        rounds.push((admitted.step, signed(&total)));
    }
    if transcript.end.is_some_and(|end| end != chain.state) {
        return Err(NotVerified::End);
    }
    Ok(Verified {
        run,
        limit: budget.limit().clone(),
        spent: budget.spent().clone(),
        settings: begun.order.settings.clone(),
        rounds,
        randomness,
        helpers: charter.helpers(),
    })
}
