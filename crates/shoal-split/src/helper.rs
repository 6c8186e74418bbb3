//! A helper: it adds the shares of all custodians and its own full noise, answers each round once, and keeps nothing.
//!
//! A pure state machine: bytes of an authenticated party in, bytes for others out. All of its state is in memory (R6): a
//! helper that is started anew is another incarnation, and the run is over.

use std::sync::Arc;

use shoal_noise::NoiseSource;

use crate::admission::Budget;
use crate::chain::{Chain, answer_digest, joining, order_hash};
use crate::charter::Charter;
use crate::hash::Hash;
use crate::message::{Body, Contribution, Incarnation, Message, Order};
use crate::party::{Party, Post};
use crate::shares::{Share, add};
use crate::why::{Ended, Why};

/// A helper in one run.
#[derive(Clone)]
pub struct Helper<N> {
    charter: Arc<Charter>,
    me: u8,
    incarnation: Incarnation,
    noise: N,
    stage: Stage,
}

#[derive(Clone, Hash)]
enum Stage {
    Waiting,
    Joining { driver: Party, order: Order, bytes: Vec<u8>, joins: Vec<Option<Contribution>> },
    Running(Box<Running>),
    Closed,
    Ended(Ended),
}

#[derive(Clone, Hash)]
struct Running {
    driver: Party,
    order: Vec<u8>,
    joined: Vec<u8>,
    /// Before the next round, or before the open one while there is one.
    chain: Chain,
    budget: Budget,
    round: Option<Round>,
}

/// The round that is open or was answered last.
#[derive(Clone, Hash)]
struct Round {
    ask: Vec<u8>,
    chain: Chain,
    bound: Hash,
    /// Starts with the helper's noise, so an unprotected sum never exists.
    sum: Vec<u64>,
    /// The digest of each custodian's share that is in the sum.
    shares: Vec<Option<Hash>>,
    answer: Option<Answer>,
}

#[derive(Clone, Hash)]
struct Answer {
    bytes: Vec<u8>,
    digest: Hash,
}

impl<N: NoiseSource> Helper<N> {
    /// Helper number `me` of a charter, for one run. The noise also yields the incarnation.
    pub fn new(charter: Arc<Charter>, me: u8, mut noise: N) -> Self {
        let mut incarnation = [0; 16];
        noise.fill_bytes(&mut incarnation);
        Self { charter, me, incarnation, noise, stage: Stage::Waiting }
    }

    fn myself(&self) -> Party {
        Party::Helper(self.me)
    }

    /// What a party that has just connected must know: this incarnation, and whatever still waits for that party.
    pub fn greet(&self, party: Party) -> Vec<Post> {
        let hello = Message { header: joining(&self.charter, Hash::default()), body: Body::Hello(self.incarnation) };
        let mut posts = vec![Post { to: party, bytes: hello.to_bytes() }];
        let mut send = |bytes: &Vec<u8>| posts.push(Post { to: party, bytes: bytes.clone() });
        match (&self.stage, party) {
            (Stage::Joining { bytes, .. }, Party::Custodian(_)) => send(bytes),
            (Stage::Running(running), Party::Custodian(i)) => {
                let round = running.round.as_ref();
                match round {
                    None => send(&running.joined),
                    Some(round) if round.shares[usize::from(i)].is_none() => send(&round.ask),
                    Some(_) => {}
                }
            }
            (Stage::Running(running), driver) if driver == running.driver => {
                match running.round.as_ref().and_then(|round| round.answer.as_ref()) {
                    Some(answer) => send(&answer.bytes),
                    None => send(&running.joined),
                }
            }
            (Stage::Ended(ended), _) => posts.push(self.end_post(party, *ended)),
            _ => {}
        }
        posts
    }

    /// How the run ended, if it did so before its result.
    pub fn ended(&self) -> Option<Ended> {
        if let Stage::Ended(ended) = &self.stage { Some(*ended) } else { None }
    }

    /// A hash of everything but charter and noise: equal states take messages alike. For model checks.
    #[doc(hidden)]
    pub fn state_key(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher};
        let mut hasher = DefaultHasher::new();
        self.stage.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the driver closed the run.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Closed)
    }

    /// Whether a run was ordered.
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Joining { .. } | Stage::Running(_))
    }

    /// The round that is open, and who has not answered in it; while joining, who has not joined.
    pub fn waits_for(&self) -> Option<(Option<u32>, Vec<Party>)> {
        let missing = |there: &mut dyn Iterator<Item = bool>| {
            there
                .zip(self.charter.all_custodians())
                .filter(|(there, _)| !there)
                .map(|(_, party)| party)
                .collect::<Vec<_>>()
        };
        match &self.stage {
            Stage::Joining { joins, .. } => Some((None, missing(&mut joins.iter().map(Option::is_some)))),
            Stage::Running(running) => {
                let round = running.round.as_ref().filter(|round| round.answer.is_none())?;
                Some((Some(round.chain.round), missing(&mut round.shares.iter().map(Option::is_some))))
            }
            _ => None,
        }
    }

    /// The deadline has passed (R7): the run ends, and everyone learns who was late.
    pub fn late(&mut self) -> Vec<Post> {
        let by = match (&self.stage, self.waits_for()) {
            (_, Some((_, missing))) if !missing.is_empty() => missing[0],
            (Stage::Running(running), _) => running.driver,
            _ => return Vec::new(),
        };
        self.end(Ended { by, why: Why::Late })
    }

    /// Ends the run: somebody stopped the program, or a party vanished.
    pub fn stop(&mut self, by: Party, why: Why) -> Vec<Post> {
        if matches!(self.stage, Stage::Closed | Stage::Ended(_)) { Vec::new() } else { self.end(Ended { by, why }) }
    }

    /// Takes a message of a party that the channel authenticated, and returns what is to be sent.
    pub fn take(&mut self, from: Party, bytes: &[u8]) -> Vec<Post> {
        if let Stage::Ended(ended) = self.stage {
            return vec![self.end_post(from, ended)];
        }
        if matches!(self.stage, Stage::Closed) {
            return Vec::new();
        }
        match self.taken(from, bytes) {
            Ok(posts) => posts,
            // R2: any mismatch, and the run is over for this party for good.
            Err(why) => self.end(Ended { by: self.myself(), why }),
        }
    }

    fn taken(&mut self, from: Party, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let message = Message::from_bytes(bytes).map_err(|_| Why::Malformed)?;
        if message.header.charter != self.charter.fingerprint() {
            return Err(Why::Mismatch);
        }
        match (&message.body, from) {
            (Body::Order(order), Party::Driver(_)) => self.order(from, &message, order, bytes),
            (Body::Join(contribution), Party::Custodian(i)) => self.join(i, &message, contribution),
            (Body::Ask { answers, step }, Party::Driver(_)) => self.ask(from, &message, answers, step, bytes),
            (Body::Share(share), Party::Custodian(i)) => self.share(i, &message, share),
            (Body::Close(answers), Party::Driver(_)) => self.close(from, &message, answers, bytes),
            (Body::End { by, why }, Party::Custodian(_) | Party::Driver(_)) => {
                // Nobody speaks for another party.
                if *by != from {
                    return Err(Why::Malformed);
                }
                Ok(self.end(Ended { by: *by, why: *why }))
            }
            _ => Err(Why::Malformed),
        }
    }

    fn order(&mut self, from: Party, message: &Message, order: &Order, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        match &self.stage {
            Stage::Waiting => {}
            Stage::Joining { driver, bytes: before, joins, .. } => {
                return match *driver == from && before == bytes {
                    true => {
                        let missing = self.charter.all_custodians().zip(joins).filter(|(_, join)| join.is_none());
                        Ok(missing.map(|(to, _)| Post { to, bytes: bytes.to_vec() }).collect())
                    }
                    false => Err(Why::TwoVersions),
                };
            }
            Stage::Running(running) if running.driver == from && running.order == bytes => return Ok(Vec::new()),
            _ => return Err(Why::OutOfOrder),
        }
        if message.header != joining(&self.charter, Hash::default()) {
            return Err(Why::Mismatch);
        }
        // R6: the order is for this incarnation.
        let mine = order.incarnations.get(usize::from(self.me));
        if order.incarnations.len() != self.charter.helpers() || mine != Some(&self.incarnation) {
            return Err(Why::Restarted);
        }
        Budget::of(&self.charter, order)?;
        let joins = vec![None; self.charter.custodians()];
        self.stage = Stage::Joining { driver: from, order: order.clone(), bytes: bytes.to_vec(), joins };
        Ok(self.to_custodians(bytes))
    }

    fn join(&mut self, i: u8, message: &Message, contribution: &Contribution) -> Result<Vec<Post>, Why> {
        let Stage::Joining { driver, order, bytes, joins } = &mut self.stage else {
            // A repeat after the run began changes nothing.
            return if matches!(self.stage, Stage::Running(_)) { Ok(Vec::new()) } else { Err(Why::OutOfOrder) };
        };
        if message.header != joining(&self.charter, order_hash(&self.charter, order)) {
            return Err(Why::Mismatch);
        }
        match &mut joins[usize::from(i)] {
            Some(before) if *before != *contribution => return Err(Why::TwoVersions),
            Some(_) => return Ok(Vec::new()),
            join => *join = Some(*contribution),
        }
        // R3: the run begins when every member of the charter is in, and with these alone.
        let Some(all) = joins.iter().copied().collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };
        let header = joining(&self.charter, order_hash(&self.charter, order));
        let joined = Message { header, body: Body::Joined(all.clone()) }.to_bytes();
        let (driver, ordered) = (*driver, bytes.clone());
        let chain = Chain::start(&self.charter, order, &all);
        let budget = Budget::of(&self.charter, order)?;
        let mut posts = self.to_custodians(&joined);
        posts.push(Post { to: driver, bytes: joined.clone() });
        self.stage = Stage::Running(Box::new(Running { driver, order: ordered, joined, chain, budget, round: None }));
        Ok(posts)
    }

    fn ask(
        &mut self,
        from: Party,
        message: &Message,
        answers: &[Hash],
        step: &[u8],
        bytes: &[u8],
    ) -> Result<Vec<Post>, Why> {
        let custodians = self.charter.custodians();
        let Stage::Running(running) = &mut self.stage else { return Err(Why::OutOfOrder) };
        if running.driver != from || message.header.run != running.chain.run {
            return Err(Why::Mismatch);
        }
        let expected = match &running.round {
            None => 0,
            Some(round) => {
                // R5: one answer to a round. The same question again gets the same bytes.
                if message.header.round < round.chain.round {
                    return Ok(Vec::new());
                }
                if message.header.round == round.chain.round {
                    return match (round.ask == bytes, &round.answer) {
                        (false, _) => Err(Why::TwoVersions),
                        (true, Some(answer)) => Ok(vec![Post { to: from, bytes: answer.bytes.clone() }]),
                        (true, None) => {
                            let missing =
                                self.charter.all_custodians().zip(&round.shares).filter(|(_, it)| it.is_none());
                            Ok(missing.map(|(to, _)| Post { to, bytes: bytes.to_vec() }).collect())
                        }
                    };
                }
                round.chain.round + 1
            }
        };
        // R5: rounds come in the order 0, 1, 2, …, and the next one only after this one was answered.
        if message.header.round != expected || running.round.as_ref().is_some_and(|round| round.answer.is_none()) {
            return Err(Why::OutOfOrder);
        }
        let chain = advanced(running, self.me, answers, self.charter.helpers())?;
        // R2: the step and everything before it are in the hash that all parties must have.
        let bound = chain.bound(step);
        if message.header != chain.header(&self.charter, bound) {
            return Err(Why::Mismatch);
        }
        let admitted = running.budget.admit(&self.charter, step)?;
        running.budget.book(&admitted.epsilon);
        running.chain = chain;
        // R9: the whole noise of the step, wrapped; fixed by the hash before it is drawn, and drawn once for a round.
        let sum = admitted.step.draw_wrapped(&mut self.noise).map_err(|_| Why::Question)?;
        running.round =
            Some(Round { ask: bytes.to_vec(), chain, bound, sum, shares: vec![None; custodians], answer: None });
        Ok(self.to_custodians(bytes))
    }

    fn share(&mut self, i: u8, message: &Message, share: &Share) -> Result<Vec<Post>, Why> {
        let Stage::Running(running) = &mut self.stage else { return Err(Why::OutOfOrder) };
        let Some(round) = &mut running.round else { return Err(Why::OutOfOrder) };
        if message.header.run == round.chain.run && message.header.round < round.chain.round {
            // A repeat of an earlier round, which was answered.
            return Ok(Vec::new());
        }
        // R2, R5: shares of another run, round or history are not added.
        if message.header != round.chain.header(&self.charter, round.bound) {
            return Err(Why::Mismatch);
        }
        let digest = share_digest(share);
        match &round.shares[usize::from(i)] {
            Some(before) if *before != digest => return Err(Why::TwoVersions),
            // A repeat is in the sum already.
            Some(_) => return Ok(Vec::new()),
            None => {}
        }
        let numbers = round.sum.len();
        let fits = match share {
            Share::Words(words) => self.me == 0 && words.len() == numbers,
            Share::Seed(_) => self.me != 0,
        };
        if !fits {
            return Err(Why::Malformed);
        }
        round.shares[usize::from(i)] = Some(digest);
        add(&mut round.sum, &share.words(numbers));
        // R3: no answer without all members.
        if round.shares.iter().any(Option::is_none) {
            return Ok(Vec::new());
        }
        let words = std::mem::take(&mut round.sum);
        let digest = answer_digest(&words);
        let header = round.chain.header(&self.charter, round.bound);
        let bytes = Message { header, body: Body::Answer(words) }.to_bytes();
        round.answer = Some(Answer { bytes: bytes.clone(), digest });
        Ok(vec![Post { to: running.driver, bytes }])
    }

    fn close(&mut self, from: Party, message: &Message, answers: &[Hash], bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let Stage::Running(running) = &mut self.stage else { return Err(Why::OutOfOrder) };
        if running.driver != from || running.round.as_ref().is_some_and(|round| round.answer.is_none()) {
            return Err(Why::OutOfOrder);
        }
        let chain = advanced(running, self.me, answers, self.charter.helpers())?;
        if message.header != chain.header(&self.charter, chain.state) {
            return Err(Why::Mismatch);
        }
        let posts = self.to_custodians(bytes);
        self.stage = Stage::Closed;
        Ok(posts)
    }

    fn to_custodians(&self, bytes: &[u8]) -> Vec<Post> {
        self.charter.all_custodians().map(|to| Post { to, bytes: bytes.to_vec() }).collect()
    }

    fn end_post(&self, to: Party, Ended { by, why }: Ended) -> Post {
        let message = Message { header: joining(&self.charter, Hash::default()), body: Body::End { by, why } };
        Post { to, bytes: message.to_bytes() }
    }

    fn end(&mut self, ended: Ended) -> Vec<Post> {
        let driver = match &self.stage {
            Stage::Joining { driver, .. } => Some(*driver),
            Stage::Running(running) => Some(running.driver),
            _ => None,
        };
        self.stage = Stage::Ended(ended);
        self.charter.all_custodians().chain(driver).map(|to| self.end_post(to, ended)).collect()
    }
}

/// The chain after the round that was answered, given the digests that the driver announces.
fn advanced(running: &Running, me: u8, answers: &[Hash], helpers: usize) -> Result<Chain, Why> {
    let Some(Round { chain, bound, answer: Some(answer), .. }) = &running.round else {
        return if answers.is_empty() { Ok(running.chain) } else { Err(Why::Mismatch) };
    };
    // A helper knows its own answer; those of the others are the same for all, or the hashes differ.
    if answers.len() != helpers || answers[usize::from(me)] != answer.digest {
        return Err(Why::Mismatch);
    }
    Ok(chain.after(bound, answers))
}

fn share_digest(share: &Share) -> Hash {
    match share {
        Share::Words(words) => answer_digest(words),
        Share::Seed(seed) => Hash::of("seed", &[&seed.0]),
    }
}
