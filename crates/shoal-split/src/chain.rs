//! What everyone computes from the messages: the run's name, the chain of hashes over everything so far, and what a step is
//! bound to.
//!
//! ```text
//! run     = first 16 bytes of H("run", charter, order, contributions)
//! T_0     = H("start", run, charter, order, contributions)
//! bound_r = H("ask", run, r, T_r, step_r)                       in every message of round r, and in the seeds of its pads
//! T_(r+1) = H("round", T_r, bound_r, digest of each helper's answer)
//! ```
//!
//! The order holds the helpers' incarnations and the driver's nonce, the charter all keys and limits.

use crate::charter::Charter;
use crate::hash::Hash;
use crate::message::{Body, Contribution, Header, Message, Order, RunId};

/// The state of the chain before a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chain {
    /// The run.
    pub run: RunId,
    /// T_r.
    pub state: Hash,
    /// r.
    pub round: u32,
}

impl Chain {
    /// The chain of a run before its first round.
    pub fn start(charter: &Charter, order: &Order, contributions: &[Contribution]) -> Self {
        let (fingerprint, order) = (charter.fingerprint(), order_hash(charter, order));
        let all = contributions.concat();
        let name = Hash::of("run", &[&fingerprint.0, &order.0, &all]);
        // Unwrap safety: a digest has 32 bytes.
        let run = RunId(name.0[..16].try_into().unwrap());
        Self { run, state: Hash::of("start", &[&run.0, &fingerprint.0, &order.0, &all]), round: 0 }
    }

    /// What everything about this step is bound to in this round.
    pub fn bound(&self, step: &[u8]) -> Hash {
        Hash::of("ask", &[&self.run.0, &self.round.to_le_bytes(), &self.state.0, step])
    }

    /// The chain after a round, whose answers have these digests.
    pub fn after(&self, bound: &Hash, answers: &[Hash]) -> Self {
        let mut parts: Vec<&[u8]> = vec![&self.state.0, &bound.0];
        parts.extend(answers.iter().map(|answer| &answer.0[..]));
        Self { run: self.run, state: Hash::of("round", &parts), round: self.round + 1 }
    }

    /// The header of a message of this round.
    pub fn header(&self, charter: &Charter, bound: Hash) -> Header {
        Header { charter: charter.fingerprint(), run: self.run, round: self.round, bound }
    }

    /// 256 bits that the driver draws initial centres from: nobody chose them, and everyone can compute them again.
    pub fn public_randomness(&self) -> [u8; 32] {
        Hash::of("randomness", &[&self.run.0, &self.state.0]).0
    }
}

/// The digest of a helper's answer.
pub fn answer_digest(words: &[u64]) -> Hash {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Hash::of("answer", &[&bytes])
}

/// The hash of an order.
pub fn order_hash(charter: &Charter, order: &Order) -> Hash {
    let header = joining(charter, Hash::default());
    Hash::of("order", &[&Message { header, body: Body::Order(order.clone()) }.to_bytes()])
}

/// The header of messages before there is a run.
pub fn joining(charter: &Charter, bound: Hash) -> Header {
    Header { charter: charter.fingerprint(), run: RunId::default(), round: 0, bound }
}
