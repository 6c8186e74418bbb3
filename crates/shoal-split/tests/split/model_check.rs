//! Every order, loss and repetition of messages, and corrupted ones, for two custodians and two helpers over up to four rounds.
//!
//! The network is a bag: a message that was sent may arrive at any time, any number of times, or never. A state is what the
//! five parties are in and what was sent; all that can be reached are visited.
//!
//! Corruption is bounded: in a run of one round that is otherwise in order, exactly one corrupted copy arrives, as from the
//! party that sent the original, and the run goes on to its end. Two families of copies are exhaustive within that bound: every
//! change of meaning and every first and last byte of a field, of every message, at every point after it was sent; and every
//! single byte of every message, with three patterns of flipped bits, just before the original arrives.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use shoal_noise::NoiseSource;
use shoal_scan::LocalScan;
use shoal_split::shares::{Seed, Share};
use shoal_split::{Body, Charter, Custodian, Driver, HEADER, Helper, Message, Party, Post, RunId};

use super::parts::*;

mod mutants;

#[derive(Clone)]
struct World<'a, N = Words> {
    driver: Driver,
    helpers: Vec<Helper<N>>,
    custodians: Vec<Custodian<'a, Books, Words>>,
    /// Rounds that the driver still asks about.
    rounds: u32,
    sent: Sent,
    /// What malicious parties sent.
    forged: Sent,
    /// The driver asks helpers two different questions under one number.
    two_questions: bool,
}

/// Messages by number.
#[derive(Default)]
struct Letters {
    bytes: Vec<Vec<u8>>,
    messages: Vec<Message>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Letters {
    fn number(&mut self, bytes: Vec<u8>) -> u32 {
        if let Some(&number) = self.numbers.get(&bytes) {
            return number;
        }
        let next = self.bytes.len() as u32;
        self.messages.push(Message::from_bytes(&bytes).unwrap());
        self.bytes.push(bytes.clone());
        self.numbers.insert(bytes, next);
        next
    }

    fn message(&self, letter: u32) -> &Message {
        &self.messages[letter as usize]
    }

    fn bytes(&self, letter: u32) -> Vec<u8> {
        self.bytes[letter as usize].clone()
    }
}

impl<'a> World<'a> {
    fn new(
        charter: &Arc<Charter>,
        tables: &'a [LocalScan],
        rounds: u32,
        two_questions: bool,
        letters: &mut Letters,
    ) -> Self {
        let helpers = (0..2).map(|i| helper(charter, i)).collect();
        World::of(charter, helpers, tables, rounds, two_questions, letters)
    }
}

impl<'a, N: NoiseSource> World<'a, N> {
    fn of(
        charter: &Arc<Charter>,
        helpers: Vec<Helper<N>>,
        tables: &'a [LocalScan],
        rounds: u32,
        two_questions: bool,
        letters: &mut Letters,
    ) -> Self {
        let custodians = (0..2).map(|i| custodian(charter, i, &tables[i], Books::open())).collect();
        let mut sent = BTreeSet::new();
        for (i, helper) in helpers.iter().enumerate() {
            for party in [Party::Custodian(0), Party::Custodian(1), DRIVER] {
                for post in helper.greet(party) {
                    sent.insert((Party::Helper(i as u8), post.to, letters.number(post.bytes)));
                }
            }
        }
        Self { driver: driver(charter, "2"), helpers, custodians, rounds, sent, forged: BTreeSet::new(), two_questions }
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.driver.state_key().hash(&mut hasher);
        self.helpers.iter().for_each(|it| it.state_key().hash(&mut hasher));
        self.custodians.iter().for_each(|it| it.state_key().hash(&mut hasher));
        (self.rounds, &self.sent, &self.forged).hash(&mut hasher);
        hasher.finish()
    }

    fn deliver(&mut self, from: Party, to: Party, bytes: &[u8], letters: &mut Letters) {
        let posts = match to {
            Party::Helper(i) => self.helpers[usize::from(i)].take(from, bytes),
            Party::Custodian(i) => {
                let custodian = &mut self.custodians[usize::from(i)];
                let (before, debits) = (custodian.rounds(), custodian.purse().debits);
                let posts = custodian.take(from, bytes);
                // R8: whatever is answered was debited, once.
                let answered = custodian.rounds() - before;
                assert!(answered <= 1 && custodian.purse().debits - debits >= answered);
                posts
            }
            Party::Driver(_) => self.driver.take(from, bytes),
        };
        self.sends(to, posts, letters);
        // The driver asks as soon as it can.
        let free = self.driver.is_ready() && self.driver.ended().is_none();
        if free && self.rounds > 0 && (self.driver.record().is_some() || self.driver.waits_for().is_empty()) {
            self.rounds -= 1;
            if self.two_questions {
                // A malicious driver has another question under the same number, with everything else right, for whom it likes.
                let posts = self.driver.clone().ask(&count_rows("1/4")).unwrap();
                self.sends(DRIVER, posts, letters);
            }
            let posts = self.driver.ask(&count_rows("1/2")).unwrap();
            self.sends(DRIVER, posts, letters);
        }
    }

    fn sends(&mut self, from: Party, posts: Vec<Post>, letters: &mut Letters) {
        self.sent.extend(posts.into_iter().map(|post| (from, post.to, letters.number(post.bytes))));
    }
}

type Sent = BTreeSet<(Party, Party, u32)>;

/// From whom, to whom, in which run and round.
type Asked = (Party, Party, RunId, u32);

/// What must hold of everything that was ever sent: honest parties answer once, and an answer needs a share of every member,
/// which a malicious one may have made up.
fn check(sent: &Sent, forged: &Sent, letters: &Letters) -> Result<(), &'static str> {
    let mut answers: HashMap<Asked, (u32, shoal_split::Hash)> = HashMap::new();
    let mut shares: HashMap<Asked, (u32, shoal_split::Hash)> = HashMap::new();
    for &(from, to, letter) in sent {
        let message = letters.message(letter);
        let round = (from, to, message.header.run, message.header.round);
        match message.body {
            Body::Answer(_)
                if answers.insert(round, (letter, message.header.bound)).is_some_and(|it| it.0 != letter) =>
            {
                return Err("two answers to a round");
            }
            Body::Share(_) if shares.insert(round, (letter, message.header.bound)).is_some_and(|it| it.0 != letter) => {
                return Err("two shares of a round");
            }
            _ => {}
        }
    }
    for &(from, to, letter) in forged {
        let Message { header, body } = letters.message(letter);
        if matches!(body, Body::Share(_)) {
            shares.entry((from, to, header.run, header.round)).or_insert((letter, header.bound));
        }
    }
    let different =
        |(one, other): (&Asked, &Asked)| (one.2, one.3) == (other.2, other.3) && answers[one].1 != answers[other].1;
    if answers.keys().flat_map(|one| answers.keys().map(move |other| (one, other))).any(different) {
        return Err("two questions answered under one number");
    }
    for (&(helper, _, run, round), &(_, bound)) in &answers {
        for custodian in [Party::Custodian(0), Party::Custodian(1)] {
            match shares.get(&(custodian, helper, run, round)) {
                Some((_, theirs)) if *theirs == bound => {}
                _ => return Err("an answer without a share of every member"),
            }
        }
    }
    Ok(())
}

/// Copies of a message that mean something else, as a malicious sender could make them, and one that is cut short.
fn other_meanings(message: &Message) -> Vec<Vec<u8>> {
    let bytes = message.to_bytes();
    let mut copies = vec![bytes[..bytes.len() - 1].to_vec()];
    let mut changed = |change: &dyn Fn(&mut Message)| {
        let mut copy = message.clone();
        change(&mut copy);
        if copy != *message {
            copies.push(copy.to_bytes());
        }
    };
    changed(&|it| it.header.round += 1);
    changed(&|it| it.header.run = RunId([9; 16]));
    changed(&|it| it.header.bound.0[0] ^= 1);
    changed(&|it| match &mut it.body {
        Body::Hello(incarnation) => incarnation[0] ^= 1,
        Body::Order(order) => order.epsilon = "1".into(),
        Body::Join(contribution) => contribution[0] ^= 1,
        Body::Joined(all) => all[0][0] ^= 1,
        // Another question under the same number, with everything else right.
        Body::Ask { step, .. } => *step = count_rows("1/4").to_bytes(),
        Body::Share(Share::Words(words)) => words[0] ^= 1,
        Body::Share(Share::Seed(Seed(seed))) => seed[0] ^= 1,
        Body::Answer(words) => words[0] ^= 1,
        Body::Close(answers) => answers.clear(),
        Body::End { .. } => {}
    });
    copies
}

/// The first and the last byte of every field.
fn edges_of_fields(message: &Message) -> BTreeSet<usize> {
    let mut lengths = vec![4, 2, 1, 32, 16, 4, 32, 4];
    assert_eq!(lengths.iter().sum::<usize>(), HEADER);
    match &message.body {
        Body::Order(order) => {
            lengths.push(1);
            lengths.extend(order.incarnations.iter().map(|_| 16));
            lengths.extend([16, 2, order.epsilon.len(), 2, order.settings.len()]);
        }
        Body::Joined(all) => {
            lengths.push(1);
            lengths.extend(all.iter().map(|_| 32));
        }
        Body::Ask { answers, step } => {
            lengths.push(1);
            lengths.extend(answers.iter().map(|_| 32));
            lengths.extend([4, step.len()]);
        }
        Body::Share(Share::Words(words)) => {
            lengths.push(1);
            lengths.extend(words.iter().map(|_| 8));
        }
        Body::Share(Share::Seed(_)) => lengths.extend([1, 32]),
        Body::Hello(_) => lengths.push(16),
        Body::Join(_) => lengths.push(32),
        Body::Answer(words) => lengths.extend(words.iter().map(|_| 8)),
        Body::Close(answers) => {
            lengths.push(1);
            lengths.extend(answers.iter().map(|_| 32));
        }
        Body::End { .. } => lengths.extend([2, 1]),
    }
    assert_eq!(lengths.iter().sum::<usize>(), message.to_bytes().len(), "a field of {:?} is missing", message.body);
    let mut edges = BTreeSet::new();
    let mut at = 0;
    for length in lengths.into_iter().filter(|&length| length > 0) {
        edges.extend([at, at + length - 1]);
        at += length;
    }
    edges
}

fn flipped(bytes: &[u8], at: usize, bits: u8) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    copy[at] ^= bits;
    copy
}

struct Visited {
    states: usize,
    finished: usize,
    ended: usize,
}

fn explore(rounds: u32) -> Visited {
    let charter = charter(2, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])];
    let mut letters = Letters::default();
    let start = World::new(&charter, &tables, rounds, false, &mut letters);
    let mut seen = HashSet::from([start.key()]);
    let mut waiting = vec![start];
    let mut visited = Visited { states: 0, finished: 0, ended: 0 };
    while let Some(world) = waiting.pop() {
        visited.states += 1;
        let all_ended = world.helpers.iter().all(|it| it.ended().is_some());
        visited.ended += usize::from(all_ended);
        visited.finished += usize::from(world.rounds == 0 && world.driver.record().is_some());
        for &(from, to, letter) in &world.sent {
            let bytes = letters.bytes(letter);
            let mut next = world.clone();
            next.deliver(from, to, &bytes, &mut letters);
            if seen.insert(next.key()) {
                check(&next.sent, &next.forged, &letters).unwrap();
                waiting.push(next);
            }
        }
    }
    visited
}

/// The message that is delivered next in a run in order: the one that was sent first.
fn next_in_order(world: &World<'_, impl NoiseSource>, delivered: &Sent) -> Option<(Party, Party, u32)> {
    world.sent.iter().filter(|it| !delivered.contains(it)).min_by_key(|it| it.2).copied()
}

/// Delivers everything once, in the order in which it was sent, and checks whenever something more was sent.
fn finish(world: &mut World<'_, impl NoiseSource>, delivered: &mut Sent, letters: &mut Letters) {
    while let Some((from, to, letter)) = next_in_order(world, delivered) {
        delivered.insert((from, to, letter));
        let bytes = letters.bytes(letter);
        let before = world.sent.len();
        world.deliver(from, to, &bytes, letters);
        if world.sent.len() > before {
            check(&world.sent, &world.forged, letters).unwrap();
        }
    }
}

/// Which corrupted copies arrive.
#[derive(Clone, Copy)]
enum Copies {
    /// Other meanings, and a flipped bit at both ends of every field; at every point after the message was sent.
    AtEveryPoint,
    /// Every byte with three patterns of flipped bits, just before the original arrives.
    OfEveryByte,
}

/// One corrupted copy, and then the rest of the run; all runs within the bound.
fn explore_corrupted(which: Copies, two_questions: bool) -> Visited {
    let charter = charter(2, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])];
    let mut letters = Letters::default();
    let mut world = World::new(&charter, &tables, 1, two_questions, &mut letters);
    let mut delivered = Sent::new();
    let mut visited = Visited { states: 0, finished: 0, ended: 0 };
    loop {
        let in_order = next_in_order(&world, &delivered);
        let sources: Vec<_> = match which {
            Copies::AtEveryPoint => world.sent.iter().copied().collect(),
            Copies::OfEveryByte => in_order.into_iter().collect(),
        };
        for (from, to, letter) in sources {
            let (message, bytes) = (letters.message(letter).clone(), letters.bytes(letter));
            let copies: Vec<Vec<u8>> = match which {
                Copies::AtEveryPoint => {
                    let flips = edges_of_fields(&message).into_iter().map(|at| flipped(&bytes, at, 1));
                    other_meanings(&message).into_iter().chain(flips).collect()
                }
                Copies::OfEveryByte => {
                    (0..bytes.len()).flat_map(|at| [1, 0x80, 0xff].map(|bits| flipped(&bytes, at, bits))).collect()
                }
            };
            for copy in copies {
                let mut next = world.clone();
                if Message::from_bytes(&copy).is_ok() {
                    next.forged.insert((from, to, letters.number(copy.clone())));
                }
                next.deliver(from, to, &copy, &mut letters);
                check(&next.sent, &next.forged, &letters).unwrap();
                finish(&mut next, &mut delivered.clone(), &mut letters);
                visited.states += 1;
                visited.ended += usize::from(next.helpers.iter().all(|it| it.ended().is_some()));
                visited.finished += usize::from(next.rounds == 0 && next.driver.record().is_some());
            }
        }
        let Some((from, to, letter)) = in_order else { return visited };
        delivered.insert((from, to, letter));
        let bytes = letters.bytes(letter);
        world.deliver(from, to, &bytes, &mut letters);
    }
}

/// R3, R4, R5: in every order, with every loss and every repetition, a helper answers a round once and with all members, and the
/// run can always still be finished.
#[test]
fn every_order_loss_and_repetition_over_four_rounds() {
    let visited = explore(4);
    assert!(visited.states > 1_000, "{} states", visited.states);
    assert!(visited.finished > 0);
    assert_eq!(visited.ended, 0, "repetitions of honest messages end no run");
}

/// R2: one corrupted message, whenever it comes, never leads to two answers, nor to one without all members.
#[test]
fn every_corrupted_message_at_every_point() {
    let visited = explore_corrupted(Copies::AtEveryPoint, false);
    assert!(visited.states > 5_000 && visited.ended > 0 && visited.finished > 0, "{} runs", visited.states);
    // The same with a driver that asks helpers two questions under one number.
    let visited = explore_corrupted(Copies::AtEveryPoint, true);
    assert!(visited.states > 5_000 && visited.ended > 0, "{} runs", visited.states);
}

/// R2: nor does any byte of any message.
#[test]
fn every_corrupted_byte() {
    let visited = explore_corrupted(Copies::OfEveryByte, false);
    assert!(visited.states > 5_000 && visited.ended > 0 && visited.finished > 0, "{} runs", visited.states);
}
