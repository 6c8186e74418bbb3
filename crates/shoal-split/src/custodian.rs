//! A custodian: it checks every question itself, pays for it, and answers in shares.
//!
//! A pure state machine around a table, a budget and a secret of the run. It never trusts the driver, and a helper only to
//! the point that one of them is honest: what helpers pass on must be the same bytes from all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Claim, Epsilon, Loss, Mechanism};
use shoal_release::Step;
use shoal_scan::Scan;

use crate::admission::{Admitted, Budget, claim};
use crate::chain::{Chain, joining, order_hash};
use crate::charter::Charter;
use crate::hash::Hash;
use crate::message::{Body, Contribution, Incarnation, Message, Order};
use crate::party::{Party, Post};
use crate::purse::Purse;
use crate::shares::{Seed, Share, add, split};
use crate::why::{Ended, Why};

/// What a custodian is asked to agree to.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Asked<'a> {
    /// To take part in a run.
    Run {
        /// The whole order.
        order: &'a Order,
        /// ε of the run.
        epsilon: &'a Epsilon,
    },
    /// To answer a question.
    Question {
        /// The round.
        round: u32,
        /// The step.
        step: &'a Step,
        /// What it costs.
        epsilon: &'a Epsilon,
        /// What was spent in this run before.
        spent: &'a Epsilon,
    },
}

/// Who decides whether the custodian goes on: a person, or a rule.
pub trait Gate {
    /// Whether to agree.
    fn agrees(&self, asked: Asked<'_>) -> bool;
}

/// Agrees to everything that the charter, the order and the budget allow.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgreeToAll;

impl Gate for AgreeToAll {
    fn agrees(&self, _: Asked<'_>) -> bool {
        true
    }
}

/// A custodian in one run.
#[derive(Clone)]
pub struct Custodian<'a, P, N> {
    charter: Arc<Charter>,
    me: u8,
    /// R10: a snapshot, which stays the same for the whole run.
    table: &'a dyn Scan,
    purse: P,
    gate: &'a dyn Gate,
    /// For noise of the custodian's own.
    noise: N,
    /// Fresh for each run: the pads of all shares follow from it.
    secret: [u8; 32],
    contribution: Contribution,
    incarnations: Vec<Option<Incarnation>>,
    /// Messages that must come from all helpers, and who has sent each.
    pending: BTreeMap<Turn, Pending>,
    stage: Stage,
    spent: Epsilon,
    rounds: u32,
    last_state: Option<Hash>,
}

/// Where a message stands in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Turn {
    Order,
    Joined,
    /// The next question, or the close.
    Next,
}

#[derive(Clone, Hash)]
struct Pending {
    bytes: Vec<u8>,
    heard: Vec<bool>,
}

#[derive(Clone, Hash)]
enum Stage {
    Waiting,
    Joining { order: Order, order_bytes: Vec<u8>, join: Vec<u8> },
    Running(Box<Running>),
    Closed,
    Ended(Ended),
}

#[derive(Clone, Hash)]
struct Running {
    order_bytes: Vec<u8>,
    joined: Vec<u8>,
    chain: Chain,
    budget: Budget,
    last: Option<Answered>,
}

/// The round that was answered last.
#[derive(Clone, Hash)]
struct Answered {
    ask: Vec<u8>,
    chain: Chain,
    bound: Hash,
    /// One message for each helper.
    shares: Vec<Vec<u8>>,
}

impl<'a, P: Purse, N: NoiseSource> Custodian<'a, P, N> {
    /// Custodian number `me` of a charter, for one run on one table. `noise` also yields the secret of the run, so it must be
    /// the operating system's.
    pub fn new(charter: Arc<Charter>, me: u8, table: &'a dyn Scan, purse: P, gate: &'a dyn Gate, mut noise: N) -> Self {
        let (mut secret, mut contribution) = ([0; 32], [0; 32]);
        noise.fill_bytes(&mut secret);
        noise.fill_bytes(&mut contribution);
        let incarnations = vec![None; charter.helpers()];
        Self {
            charter,
            me,
            table,
            purse,
            gate,
            noise,
            secret,
            contribution,
            incarnations,
            pending: BTreeMap::new(),
            stage: Stage::Waiting,
            spent: Epsilon::ZERO,
            rounds: 0,
            last_state: None,
        }
    }

    fn myself(&self) -> Party {
        Party::Custodian(self.me)
    }

    /// How the run ended, if it did so before its result.
    pub fn ended(&self) -> Option<Ended> {
        if let Stage::Ended(ended) = &self.stage { Some(*ended) } else { None }
    }

    /// A hash of everything but charter, table, purse and noise: equal states take messages alike. For model checks.
    #[doc(hidden)]
    pub fn state_key(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher};
        let mut hasher = DefaultHasher::new();
        (&self.stage, &self.pending, &self.incarnations, self.rounds).hash(&mut hasher);
        hasher.finish()
    }

    /// The state of the chain at the end, once the driver closed the run: what the transcript must end with.
    pub fn final_state(&self) -> Option<Hash> {
        self.last_state
    }

    /// Whether the driver closed the run.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Closed)
    }

    /// What was debited in this run.
    pub fn spent(&self) -> &Epsilon {
        &self.spent
    }

    /// How many rounds were answered.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Whether the run has begun for this custodian.
    pub fn has_joined(&self) -> bool {
        matches!(self.stage, Stage::Joining { .. } | Stage::Running(_))
    }

    /// The purse.
    pub fn purse(&self) -> &P {
        &self.purse
    }

    /// The deadline has passed, or somebody stopped the program.
    pub fn stop(&mut self, by: Party, why: Why) -> Vec<Post> {
        if matches!(self.stage, Stage::Closed | Stage::Ended(_)) { Vec::new() } else { self.end(Ended { by, why }) }
    }

    /// Takes a message of a helper that the channel authenticated, and returns what is to be sent.
    pub fn take(&mut self, from: Party, bytes: &[u8]) -> Vec<Post> {
        if matches!(self.stage, Stage::Closed | Stage::Ended(_)) {
            return Vec::new();
        }
        match self.taken(from, bytes) {
            Ok(posts) => posts,
            // R2: any mismatch, and the run is over for this party for good.
            Err(why) => self.end(Ended { by: self.myself(), why }),
        }
    }

    fn taken(&mut self, from: Party, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let Party::Helper(helper) = from else { return Err(Why::Malformed) };
        let message = Message::from_bytes(bytes).map_err(|_| Why::Malformed)?;
        if message.header.charter != self.charter.fingerprint() {
            return Err(Why::Mismatch);
        }
        match &message.body {
            Body::Hello(incarnation) => self.hello(helper, &message, incarnation),
            Body::End { by, why } => {
                self.stage = Stage::Ended(Ended { by: *by, why: *why });
                Ok(Vec::new())
            }
            Body::Order(_) | Body::Joined(_) | Body::Ask { .. } | Body::Close(_) => {
                self.heard_from_all(helper, &message, bytes)
            }
            _ => Err(Why::Malformed),
        }
    }

    fn hello(&mut self, helper: u8, message: &Message, incarnation: &Incarnation) -> Result<Vec<Post>, Why> {
        if message.header != joining(&self.charter, Hash::default()) {
            return Err(Why::Mismatch);
        }
        // R6: the first incarnation is pinned for the run.
        match &mut self.incarnations[usize::from(helper)] {
            Some(before) if *before != *incarnation => Err(Why::Restarted),
            place => {
                *place = Some(*incarnation);
                self.go_on()
            }
        }
    }

    /// R2: what helpers pass on counts once all of them have sent the same bytes. What comes early waits for its turn.
    fn heard_from_all(&mut self, helper: u8, message: &Message, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        if let Some(posts) = self.repeated(helper, message, bytes)? {
            return Ok(posts);
        }
        let (Some(turn), helpers) = (self.turn_of(message), self.charter.helpers()) else {
            return Err(Why::OutOfOrder);
        };
        let new = || Pending { bytes: bytes.to_vec(), heard: vec![false; helpers] };
        let pending = self.pending.entry(turn).or_insert_with(new);
        if pending.bytes != bytes {
            return Err(Why::TwoVersions);
        }
        pending.heard[usize::from(helper)] = true;
        self.go_on()
    }

    /// Where a message stands in a run, if it can be waited for now: memory is bounded, and no round is skipped.
    fn turn_of(&self, message: &Message) -> Option<Turn> {
        match (&self.stage, &message.body) {
            (Stage::Waiting, Body::Order(_)) => Some(Turn::Order),
            (Stage::Joining { .. }, Body::Joined(_)) => Some(Turn::Joined),
            (Stage::Joining { .. }, Body::Ask { .. } | Body::Close(_)) if message.header.round == 0 => Some(Turn::Next),
            (Stage::Running(running), Body::Ask { .. } | Body::Close(_)) => {
                let next = running.last.as_ref().map_or(0, |last| last.chain.round + 1);
                (message.header.round == next).then_some(Turn::Next)
            }
            _ => None,
        }
    }

    /// Takes whatever has come from all helpers and whose turn it is.
    fn go_on(&mut self) -> Result<Vec<Post>, Why> {
        let mut posts = Vec::new();
        loop {
            let turn = match &self.stage {
                // R6: an order counts once every helper has introduced itself.
                Stage::Waiting if self.incarnations.iter().all(Option::is_some) => Turn::Order,
                Stage::Joining { .. } => Turn::Joined,
                Stage::Running(_) => Turn::Next,
                _ => return Ok(posts),
            };
            match self.pending.get(&turn) {
                Some(pending) if !pending.heard.contains(&false) => {}
                _ => return Ok(posts),
            }
            let Some(Pending { bytes, .. }) = self.pending.remove(&turn) else { return Ok(posts) };
            let message = Message::from_bytes(&bytes).map_err(|_| Why::Malformed)?;
            posts.extend(match &message.body {
                Body::Order(order) => self.order(&message, order, &bytes)?,
                Body::Joined(contributions) => self.joined(&message, contributions, &bytes)?,
                Body::Ask { answers, step } => self.ask(&message, answers, step, &bytes)?,
                Body::Close(answers) => self.close(&message, answers)?,
                _ => return Err(Why::Malformed),
            });
        }
    }

    /// R4: a repeat of what was answered gets the same bytes again; anything else under the same number ends the run.
    fn repeated(&self, helper: u8, message: &Message, bytes: &[u8]) -> Result<Option<Vec<Post>>, Why> {
        let again = |bytes: &Vec<u8>| Ok(Some(vec![Post { to: Party::Helper(helper), bytes: bytes.clone() }]));
        let same = |before: &[u8]| if before == bytes { Ok(Some(Vec::new())) } else { Err(Why::TwoVersions) };
        match (&self.stage, &message.body) {
            (Stage::Joining { order_bytes, join, .. }, Body::Order(_)) => match order_bytes == bytes {
                true => again(join),
                false => Err(Why::TwoVersions),
            },
            (Stage::Running(running), Body::Order(_)) => same(&running.order_bytes),
            (Stage::Running(running), Body::Joined(_)) => same(&running.joined),
            (Stage::Running(running), Body::Ask { .. }) => match &running.last {
                Some(last) if message.header.run == last.chain.run && message.header.round < last.chain.round => {
                    Ok(Some(Vec::new()))
                }
                Some(last) if message.header.round == last.chain.round => match last.ask == bytes {
                    true => again(&last.shares[usize::from(helper)]),
                    false => Err(Why::TwoVersions),
                },
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn order(&mut self, message: &Message, order: &Order, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        if !matches!(self.stage, Stage::Waiting) {
            return Err(Why::OutOfOrder);
        }
        if message.header != joining(&self.charter, Hash::default()) {
            return Err(Why::Mismatch);
        }
        // R6: the order is for the incarnations that introduced themselves here.
        let pinned = self.incarnations.iter().copied().collect::<Option<Vec<_>>>();
        if pinned.as_ref() != Some(&order.incarnations) {
            return Err(Why::Restarted);
        }
        let budget = Budget::of(&self.charter, order)?;
        // R8: a run whose whole ε is not there is refused before anything is spent.
        self.purse.covers(&claim(Loss::Pure(budget.limit().clone())))?;
        if !self.gate.agrees(Asked::Run { order, epsilon: budget.limit() }) {
            return Err(Why::Stopped);
        }
        let header = joining(&self.charter, order_hash(&self.charter, order));
        let join = Message { header, body: Body::Join(self.contribution) }.to_bytes();
        let posts = self.charter.all_helpers().map(|to| Post { to, bytes: join.clone() }).collect();
        self.stage = Stage::Joining { order: order.clone(), order_bytes: bytes.to_vec(), join };
        Ok(posts)
    }

    fn joined(&mut self, message: &Message, contributions: &[Contribution], bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let Stage::Joining { order, order_bytes, .. } = &self.stage else { return Err(Why::OutOfOrder) };
        if message.header != joining(&self.charter, order_hash(&self.charter, order)) {
            return Err(Why::Mismatch);
        }
        // R3: all members of the charter, and this one's own random bits among them.
        let mine = contributions.get(usize::from(self.me));
        if contributions.len() != self.charter.custodians() || mine != Some(&self.contribution) {
            return Err(Why::Mismatch);
        }
        let chain = Chain::start(&self.charter, order, contributions);
        let budget = Budget::of(&self.charter, order)?;
        let order_bytes = order_bytes.clone();
        self.stage =
            Stage::Running(Box::new(Running { order_bytes, joined: bytes.to_vec(), chain, budget, last: None }));
        Ok(Vec::new())
    }

    fn ask(&mut self, message: &Message, answers: &[Hash], step: &[u8], bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let Stage::Running(running) = &mut self.stage else { return Err(Why::OutOfOrder) };
        let chain = advanced(running, answers, self.charter.helpers())?;
        if message.header.round != chain.round {
            return Err(Why::OutOfOrder);
        }
        // R2: the step, the round and everything before it are in the hash.
        let bound = chain.bound(step);
        if message.header != chain.header(&self.charter, bound) {
            return Err(Why::Mismatch);
        }
        let Admitted { step, epsilon } = running.budget.admit(&self.charter, step)?;
        let asked = Asked::Question { round: chain.round, step: &step, epsilon: &epsilon, spent: &self.spent };
        if !self.gate.agrees(asked) {
            return Err(Why::Stopped);
        }
        // R8: debited durably before anything is computed from the rows.
        let promise = claim(Loss::Pure(epsilon.clone()));
        let purpose =
            format!("split trust, run {}, round {}, {}", chain.run, chain.round + 1, &bound.to_string()[..16]);
        let allowance = self.purse.debit(&promise, &purpose)?;
        running.budget.book(&epsilon);
        self.spent = running.budget.spent().clone();
        // R4: the seeds are bound to the step and to everything before it.
        let seed = |helper: usize| Seed::derived(&self.secret, &chain.run, chain.round, &bound, helper);
        let seeds = (1..self.charter.helpers()).map(seed).collect();
        let own = match self.charter.fallback() {
            None => None,
            Some(times) => {
                let weaker = step.with_noise_divided_by(times).map_err(|_| Why::Question)?;
                Some(weaker.draw_wrapped(&mut self.noise).map_err(|_| Why::Question)?)
            }
        };
        let exact = step.answer_wrapped(self.table).map_err(|_| Why::Table)?;
        let shares = Accountant::new(allowance)
            .release(exact, Sharing { promise, own, seeds })
            .map_err(|_| Why::Budget)?
            .into_inner();
        let header = chain.header(&self.charter, bound);
        let messages = shares.into_iter().map(|share| Message { header, body: Body::Share(share) }.to_bytes());
        let shares: Vec<Vec<u8>> = messages.collect();
        let posts =
            self.charter.all_helpers().zip(&shares).map(|(to, bytes)| Post { to, bytes: bytes.clone() }).collect();
        running.chain = chain;
        running.last = Some(Answered { ask: bytes.to_vec(), chain, bound, shares });
        self.rounds += 1;
        self.purse.answered();
        Ok(posts)
    }

    fn close(&mut self, message: &Message, answers: &[Hash]) -> Result<Vec<Post>, Why> {
        let Stage::Running(running) = &mut self.stage else { return Err(Why::OutOfOrder) };
        let chain = advanced(running, answers, self.charter.helpers())?;
        if message.header != chain.header(&self.charter, chain.state) {
            return Err(Why::Mismatch);
        }
        self.last_state = Some(chain.state);
        self.stage = Stage::Closed;
        Ok(Vec::new())
    }

    fn end(&mut self, ended: Ended) -> Vec<Post> {
        self.stage = Stage::Ended(ended);
        // Others hear whose fault it was only where that is this custodian: nobody speaks for another party.
        let body = Body::End { by: self.myself(), why: ended.why };
        let bytes = Message { header: joining(&self.charter, Hash::default()), body }.to_bytes();
        self.charter.all_helpers().map(|to| Post { to, bytes: bytes.clone() }).collect()
    }
}

/// The chain before the next round, given the digests of all helpers' last answers.
fn advanced(running: &Running, answers: &[Hash], helpers: usize) -> Result<Chain, Why> {
    match &running.last {
        None if answers.is_empty() => Ok(running.chain),
        Some(last) if answers.len() == helpers => Ok(last.chain.after(&last.bound, answers)),
        _ => Err(Why::Mismatch),
    }
}

/// Lets an exact answer out of a custodian's hands: in shares, of which any but all are uniform.
///
/// What it promises is the step's own claim, by the noise of the helper that stays honest; see the theorem in
/// docs/split-trust.md.
struct Sharing {
    promise: Claim,
    /// Noise of the custodian's own.
    own: Option<Vec<u64>>,
    seeds: Vec<Seed>,
}

impl Mechanism for Sharing {
    type Input = Vec<u64>;
    type Output = Vec<Share>;

    fn claim(&self) -> Claim {
        self.promise.clone()
    }

    fn run(self, mut numbers: Vec<u64>) -> Vec<Share> {
        if let Some(own) = &self.own {
            add(&mut numbers, own);
        }
        split(numbers, &self.seeds)
    }
}
