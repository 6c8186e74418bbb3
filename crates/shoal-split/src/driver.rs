//! The driver: it asks, adds the helpers' answers, and computes with what was released. It is trusted with nothing.

use std::sync::Arc;

use shoal_noise::NoiseSource;
use shoal_privacy::Epsilon;
use shoal_release::Step;

use crate::admission::{Budget, exact_text};
use crate::chain::{Chain, answer_digest, joining, order_hash};
use crate::charter::Charter;
use crate::hash::Hash;
use crate::message::{Body, Contribution, Incarnation, LONGEST_SETTINGS, Message, Order};
use crate::party::{Party, Post};
use crate::shares::{add, signed};
use crate::transcript::{Begun, RoundRecord};
use crate::why::{Ended, Why};

/// A driver in one run.
#[derive(Clone)]
pub struct Driver {
    charter: Arc<Charter>,
    me: u8,
    nonce: [u8; 16],
    epsilon: Epsilon,
    settings: String,
    incarnations: Vec<Option<Incarnation>>,
    order: Option<Order>,
    joined: Vec<Option<Vec<Contribution>>>,
    chain: Option<Chain>,
    budget: Option<Budget>,
    /// The round that is open or was answered last.
    round: Option<Round>,
    ended: Option<Ended>,
    closed: bool,
}

#[derive(Clone, Hash)]
struct Round {
    ask: Vec<u8>,
    step: Vec<u8>,
    numbers: usize,
    chain: Chain,
    bound: Hash,
    answers: Vec<Option<Vec<u64>>>,
}

impl Driver {
    /// Driver number `me` of a charter, for one run of at most `epsilon`. `settings` says what it is for, and is shown to
    /// custodians.
    ///
    /// # Errors
    /// When the charter does not allow the ε, or the settings are too long.
    pub fn new(
        charter: Arc<Charter>,
        me: u8,
        epsilon: &Epsilon,
        settings: &str,
        noise: &mut dyn NoiseSource,
    ) -> Result<Self, Why> {
        if *epsilon > *charter.max_epsilon() || *epsilon == Epsilon::ZERO {
            return Err(Why::Budget);
        }
        if settings.len() > LONGEST_SETTINGS {
            return Err(Why::Malformed);
        }
        let mut nonce = [0; 16];
        noise.fill_bytes(&mut nonce);
        let helpers = charter.helpers();
        Ok(Self {
            charter,
            me,
            nonce,
            epsilon: epsilon.clone(),
            settings: settings.into(),
            incarnations: vec![None; helpers],
            order: None,
            joined: vec![None; helpers],
            chain: None,
            budget: None,
            round: None,
            ended: None,
            closed: false,
        })
    }

    /// Its place in the charter.
    pub fn myself(&self) -> Party {
        Party::Driver(self.me)
    }

    /// The charter.
    pub fn charter(&self) -> &Arc<Charter> {
        &self.charter
    }

    /// How the run ended, if it did so before its result.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// A hash of everything that changes in a run. For model checks.
    #[doc(hidden)]
    pub fn state_key(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher};
        let mut hasher = DefaultHasher::new();
        (&self.incarnations, &self.order, &self.joined, &self.chain, &self.round, self.ended, self.closed)
            .hash(&mut hasher);
        hasher.finish()
    }

    /// Whether all custodians take part, so that questions can be asked.
    pub fn is_ready(&self) -> bool {
        self.chain.is_some()
    }

    /// How the run began, for the transcript.
    pub fn begun(&self) -> Option<Begun> {
        let order = self.order.clone()?;
        let contributions = self.joined.first()?.clone()?;
        Some(Begun { charter: self.charter.fingerprint(), driver: self.me, order, contributions })
    }

    /// 256 bits for initial centres, fixed when the run began.
    pub fn public_randomness(&self) -> Option<[u8; 32]> {
        let begun = self.begun()?;
        Some(Chain::start(&self.charter, &begun.order, &begun.contributions).public_randomness())
    }

    /// Which helpers have not sent what is waited for.
    pub fn waits_for(&self) -> Vec<Party> {
        let missing = |heard: Vec<bool>| {
            self.charter.all_helpers().zip(heard).filter(|(_, heard)| !heard).map(|(party, _)| party).collect()
        };
        match (&self.round, &self.chain, &self.order) {
            (Some(round), ..) => missing(round.answers.iter().map(Option::is_some).collect()),
            (None, None, Some(_)) => missing(self.joined.iter().map(Option::is_some).collect()),
            (None, None, None) => missing(self.incarnations.iter().map(Option::is_some).collect()),
            _ => Vec::new(),
        }
    }

    /// Asks a step in the next round.
    ///
    /// # Errors
    /// When custodians would refuse it.
    pub fn ask(&mut self, step: &Step) -> Result<Vec<Post>, Why> {
        let digests = self.digests()?;
        let (Some(before), Some(budget)) = (&self.chain, &mut self.budget) else { return Err(Why::OutOfOrder) };
        let chain = match &self.round {
            None => *before,
            Some(round) => round.chain.after(&round.bound, &digests),
        };
        let step = step.to_bytes();
        let admitted = budget.admit(&self.charter, &step)?;
        budget.book(&admitted.epsilon);
        let bound = chain.bound(&step);
        let body = Body::Ask { answers: digests, step: step.clone() };
        let ask = Message { header: chain.header(&self.charter, bound), body }.to_bytes();
        let answers = vec![None; self.charter.helpers()];
        self.round = Some(Round { ask, step, numbers: admitted.step.numbers(), chain, bound, answers });
        Ok(self.repeat())
    }

    /// What is to be sent to a helper again whose connection was lost, or to all of them the first time.
    pub fn repeat(&self) -> Vec<Post> {
        let Some(round) = &self.round else { return Vec::new() };
        let missing = self.charter.all_helpers().zip(&round.answers).filter(|(_, answer)| answer.is_none());
        missing.map(|(to, _)| Post { to, bytes: round.ask.clone() }).collect()
    }

    /// What the open round released, when all helpers have answered: the sum of their answers, as signed numbers.
    pub fn released(&self) -> Option<Vec<i64>> {
        let round = self.round.as_ref()?;
        let mut total = vec![0; round.numbers];
        for answer in &round.answers {
            add(&mut total, answer.as_ref()?);
        }
        Some(signed(&total))
    }

    /// The open round for the transcript, when all helpers have answered.
    pub fn record(&self) -> Option<RoundRecord> {
        let round = self.round.as_ref()?;
        let answers = round.answers.iter().cloned().collect::<Option<Vec<_>>>()?;
        Some(RoundRecord { round: round.chain.round, step: round.step.clone(), bound: round.bound, answers })
    }

    /// Ends a run that went well: custodians and helpers learn that there are no more questions.
    pub fn close(&mut self) -> Result<Vec<Post>, Why> {
        let digests = self.digests()?;
        let Some(before) = &self.chain else { return Err(Why::OutOfOrder) };
        let chain = match &self.round {
            None => *before,
            Some(round) => round.chain.after(&round.bound, &digests),
        };
        let message = Message { header: chain.header(&self.charter, chain.state), body: Body::Close(digests) };
        self.closed = true;
        let bytes = message.to_bytes();
        Ok(self.charter.all_helpers().map(|to| Post { to, bytes: bytes.clone() }).collect())
    }

    /// The state of the chain after the last round: what everyone's transcript ends with.
    pub fn final_state(&self) -> Option<Hash> {
        let digests = self.digests().ok()?;
        match &self.round {
            None => self.chain.map(|chain| chain.state),
            Some(round) => Some(round.chain.after(&round.bound, &digests).state),
        }
    }

    /// Ends the run without a result.
    pub fn stop(&mut self, by: Party, why: Why) -> Vec<Post> {
        if self.closed || self.ended.is_some() {
            return Vec::new();
        }
        self.ended = Some(Ended { by, why });
        let body = Body::End { by: self.myself(), why };
        let bytes = Message { header: joining(&self.charter, Hash::default()), body }.to_bytes();
        self.charter.all_helpers().map(|to| Post { to, bytes: bytes.clone() }).collect()
    }

    /// Takes a message of a helper that the channel authenticated, and returns what is to be sent.
    pub fn take(&mut self, from: Party, bytes: &[u8]) -> Vec<Post> {
        if self.ended.is_some() || self.closed {
            return Vec::new();
        }
        match self.taken(from, bytes) {
            Ok(posts) => posts,
            Err(why) => self.stop(self.myself(), why),
        }
    }

    fn taken(&mut self, from: Party, bytes: &[u8]) -> Result<Vec<Post>, Why> {
        let Party::Helper(helper) = from else { return Err(Why::Malformed) };
        let helper = usize::from(helper);
        let message = Message::from_bytes(bytes).map_err(|_| Why::Malformed)?;
        if message.header.charter != self.charter.fingerprint() {
            return Err(Why::Mismatch);
        }
        match message.body {
            Body::Hello(incarnation) => {
                // R6: another incarnation has forgotten which rounds it answered.
                match &mut self.incarnations[helper] {
                    Some(before) if *before != incarnation => return Err(Why::Restarted),
                    place => *place = Some(incarnation),
                }
                self.order_when_all_are_there(helper)
            }
            Body::Joined(contributions) => {
                let Some(order) = &self.order else { return Err(Why::OutOfOrder) };
                let header = joining(&self.charter, order_hash(&self.charter, order));
                if message.header != header || contributions.len() != self.charter.custodians() {
                    return Err(Why::Mismatch);
                }
                if self.joined.iter().flatten().any(|before| *before != contributions) {
                    return Err(Why::TwoVersions);
                }
                self.joined[helper] = Some(contributions.clone());
                if self.chain.is_none() && self.joined.iter().all(Option::is_some) {
                    self.budget = Some(Budget::of(&self.charter, order)?);
                    self.chain = Some(Chain::start(&self.charter, order, &contributions));
                }
                Ok(Vec::new())
            }
            Body::Answer(words) => {
                let Some(round) = &mut self.round else { return Err(Why::OutOfOrder) };
                if message.header.run == round.chain.run && message.header.round < round.chain.round {
                    return Ok(Vec::new());
                }
                if message.header != round.chain.header(&self.charter, round.bound) || words.len() != round.numbers {
                    return Err(Why::Mismatch);
                }
                match &mut round.answers[helper] {
                    Some(before) if *before != words => Err(Why::TwoVersions),
                    place => {
                        *place = Some(words);
                        Ok(Vec::new())
                    }
                }
            }
            Body::End { by, why } => {
                self.ended = Some(Ended { by, why });
                // The other helpers learn it from the driver, too.
                let bytes = Message {
                    header: joining(&self.charter, Hash::default()),
                    body: Body::End { by: self.myself(), why },
                };
                let bytes = bytes.to_bytes();
                let others = self.charter.all_helpers().filter(|to| *to != from);
                Ok(others.map(|to| Post { to, bytes: bytes.clone() }).collect())
            }
            _ => Err(Why::Malformed),
        }
    }

    fn order_when_all_are_there(&mut self, helper: usize) -> Result<Vec<Post>, Why> {
        let header = joining(&self.charter, Hash::default());
        let post = |to: Party, order: &Order| Post {
            to,
            bytes: Message { header, body: Body::Order(order.clone()) }.to_bytes(),
        };
        if let Some(order) = &self.order {
            // A helper that connected again may have missed it.
            return Ok(match self.joined[helper] {
                None => vec![post(Party::Helper(helper as u8), order)],
                Some(_) => self.repeat().into_iter().filter(|it| it.to == Party::Helper(helper as u8)).collect(),
            });
        }
        let Some(incarnations) = self.incarnations.iter().copied().collect::<Option<Vec<_>>>() else {
            return Ok(Vec::new());
        };
        let (epsilon, settings) = (exact_text(&self.epsilon), self.settings.clone());
        let order = Order { incarnations, nonce: self.nonce, epsilon, settings };
        let posts = self.charter.all_helpers().map(|to| post(to, &order)).collect();
        self.order = Some(order);
        Ok(posts)
    }

    fn digests(&self) -> Result<Vec<Hash>, Why> {
        let Some(round) = &self.round else { return Ok(Vec::new()) };
        let digest = |answer: &Option<Vec<u64>>| answer.as_ref().map(|words| answer_digest(words));
        round.answers.iter().map(digest).collect::<Option<Vec<_>>>().ok_or(Why::OutOfOrder)
    }
}
