//! Every order, loss and repetition of messages, and corrupted ones, for two custodians and two helpers over up to four rounds.
//!
//! The network is a bag: a message that was sent may arrive at any time, any number of times, or never. A state is what the
//! five parties are in and what was sent; all that can be reached are visited. Corrupted copies of any message may arrive in
//! its place or beside it, as from the party that sent it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use shoal_scan::LocalScan;
use shoal_split::shares::{Seed, Share};
use shoal_split::{Body, Charter, Custodian, Driver, Helper, Message, Party, RunId};

use super::parts::*;

#[derive(Clone)]
struct World<'a> {
    driver: Driver,
    helpers: Vec<Helper<Words>>,
    custodians: Vec<Custodian<'a, Books, Words>>,
    /// Rounds that the driver still asks about.
    rounds: u32,
    sent: Sent,
    /// What malicious parties sent.
    forged: Sent,
    /// How many corrupted messages may still arrive.
    corruptions: u32,
}

/// Bytes of messages by number.
#[derive(Default)]
struct Letters {
    bytes: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Letters {
    fn number(&mut self, bytes: Vec<u8>) -> u32 {
        let next = self.bytes.len() as u32;
        let bytes_kept = &mut self.bytes;
        *self.numbers.entry(bytes.clone()).or_insert_with(|| {
            bytes_kept.push(bytes);
            next
        })
    }
}

impl<'a> World<'a> {
    fn new(
        charter: &Arc<Charter>,
        tables: &'a [LocalScan],
        rounds: u32,
        corruptions: u32,
        letters: &mut Letters,
    ) -> Self {
        let helpers: Vec<_> = (0..2).map(|i| helper(charter, i)).collect();
        let custodians = (0..2).map(|i| custodian(charter, i, &tables[i], Books::open())).collect();
        let mut sent = BTreeSet::new();
        for (i, helper) in helpers.iter().enumerate() {
            for party in [Party::Custodian(0), Party::Custodian(1), DRIVER] {
                for post in helper.greet(party) {
                    sent.insert((Party::Helper(i as u8), post.to, letters.number(post.bytes)));
                }
            }
        }
        Self { driver: driver(charter, "2"), helpers, custodians, rounds, sent, forged: BTreeSet::new(), corruptions }
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.driver.state_key().hash(&mut hasher);
        self.helpers.iter().for_each(|it| it.state_key().hash(&mut hasher));
        self.custodians.iter().for_each(|it| it.state_key().hash(&mut hasher));
        (self.rounds, self.corruptions, &self.sent, &self.forged).hash(&mut hasher);
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
        for post in posts {
            self.sent.insert((to, post.to, letters.number(post.bytes)));
        }
        // The driver asks as soon as it can.
        let free = self.driver.is_ready() && self.driver.ended().is_none();
        if free && self.rounds > 0 && (self.driver.record().is_some() || self.driver.waits_for().is_empty()) {
            self.rounds -= 1;
            if self.corruptions > 0 {
                // A malicious driver has another question under the same number, with everything else right, for whom it likes.
                for post in self.driver.clone().ask(&count_rows("1/4")).unwrap() {
                    self.sent.insert((DRIVER, post.to, letters.number(post.bytes)));
                }
            }
            for post in self.driver.ask(&count_rows("1/2")).unwrap() {
                self.sent.insert((DRIVER, post.to, letters.number(post.bytes)));
            }
        }
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
        let message = Message::from_bytes(&letters.bytes[letter as usize]).unwrap();
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
        let Message { header, body } = Message::from_bytes(&letters.bytes[letter as usize]).unwrap();
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

/// Copies of a message with something changed, as a malicious sender could make them.
fn corrupted(bytes: &[u8]) -> Vec<Vec<u8>> {
    let message = Message::from_bytes(bytes).unwrap();
    let mut copies = vec![bytes[..bytes.len() - 1].to_vec()];
    let mut changed = |change: &dyn Fn(&mut Message)| {
        let mut copy = message.clone();
        change(&mut copy);
        if copy != message {
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

struct Visited {
    states: usize,
    finished: usize,
    ended: usize,
}

fn explore(rounds: u32, corruptions: u32) -> Visited {
    let charter = charter(2, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])];
    let mut letters = Letters::default();
    let start = World::new(&charter, &tables, rounds, corruptions, &mut letters);
    let mut seen = HashSet::from([start.key()]);
    let mut waiting = vec![start];
    let mut visited = Visited { states: 0, finished: 0, ended: 0 };
    while let Some(world) = waiting.pop() {
        visited.states += 1;
        let all_ended = world.helpers.iter().all(|it| it.ended().is_some());
        visited.ended += usize::from(all_ended);
        visited.finished += usize::from(world.rounds == 0 && world.driver.record().is_some());
        for &(from, to, letter) in &world.sent {
            let bytes = letters.bytes[letter as usize].clone();
            let mut next = world.clone();
            next.deliver(from, to, &bytes, &mut letters);
            let mut reached = vec![next];
            if world.corruptions > 0 {
                for copy in corrupted(&bytes) {
                    let mut next = world.clone();
                    next.corruptions -= 1;
                    if Message::from_bytes(&copy).is_ok() {
                        let number = letters.number(copy.clone());
                        next.forged.insert((from, to, number));
                    }
                    next.deliver(from, to, &copy, &mut letters);
                    reached.push(next);
                }
            }
            for next in reached {
                if seen.insert(next.key()) {
                    check(&next.sent, &next.forged, &letters).unwrap();
                    waiting.push(next);
                }
            }
        }
    }
    visited
}

/// R3, R4, R5: in every order, with every loss and every repetition, a helper answers a round once and with all members, and the
/// run can always still be finished.
#[test]
fn every_order_loss_and_repetition_over_four_rounds() {
    let visited = explore(4, 0);
    assert!(visited.states > 1_000, "{} states", visited.states);
    assert!(visited.finished > 0);
    assert_eq!(visited.ended, 0, "repetitions of honest messages end no run");
}

/// R2: a corrupted message anywhere never leads to two answers, nor to one without all members.
#[test]
#[ignore = "visits too many states for a routine run: not finished after a minute and a half"]
fn every_corrupted_message() {
    let visited = explore(1, 1);
    assert!(visited.states > 1_000, "{} states", visited.states);
    assert!(visited.ended > 0 && visited.finished > 0);
}

/// The check itself finds what must not happen: a helper that answers again after it was started anew with its old state, and
/// one that leaves a member out.
#[test]
fn the_check_finds_two_answers_and_a_missing_member() {
    let charter = charter(2, 2);
    let tables = [scan(&[[1, 2]]), scan(&[[3, 4], [5, 6]])];
    let mut letters = Letters::default();
    let mut world = World::new(&charter, &tables, 1, 0, &mut letters);
    for _ in 0..20 {
        for (from, to, letter) in world.sent.clone() {
            let bytes = letters.bytes[letter as usize].clone();
            world.deliver(from, to, &bytes, &mut letters);
        }
    }
    assert_eq!(check(&world.sent, &Sent::new(), &letters), Ok(()));
    let is_answer = |letters: &Letters, letter: u32| {
        matches!(Message::from_bytes(&letters.bytes[letter as usize]).unwrap().body, Body::Answer(_))
    };
    let (from, to, letter) = *world.sent.iter().find(|it| is_answer(&letters, it.2)).unwrap();
    // Mutant: fresh noise on a repeat.
    let mut message = Message::from_bytes(&letters.bytes[letter as usize]).unwrap();
    let Body::Answer(words) = &mut message.body else { unreachable!() };
    words[0] = words[0].wrapping_add(3);
    let mut fresh = world.sent.clone();
    fresh.insert((from, to, letters.number(message.to_bytes())));
    assert_eq!(check(&fresh, &Sent::new(), &letters), Err("two answers to a round"));
    // Mutant: a membership that shrinks.
    let mut shrunk = world.sent.clone();
    shrunk.retain(|(from, _, letter)| {
        let message = Message::from_bytes(&letters.bytes[*letter as usize]).unwrap();
        !(matches!(message.body, Body::Share(_)) && *from == Party::Custodian(1))
    });
    assert_eq!(check(&shrunk, &Sent::new(), &letters), Err("an answer without a share of every member"));
}
