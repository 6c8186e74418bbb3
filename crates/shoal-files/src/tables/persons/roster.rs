//! The persons that fit in memory, with what is known of each so far.
//!
//! A person takes the same space however many rows they have: sums and a count, one row with its moment, or places for M rows
//! with their lots. Space comes in blocks, so that nothing is ever copied to grow, but for the places of the index.

use std::cmp::Ordering;
use std::io;

use super::PerPerson;
use super::cell::Cell;
use super::keyed_hash::PersonKey;

/// Persons of a block.
const BLOCK: usize = 256;

/// A place of the index without a person.
const NOBODY: u32 = u32::MAX;

/// What is done with a person's rows, without the name of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Mean,
    First,
    Last,
    UpTo(usize),
}

impl Way {
    pub(crate) fn of(per_person: &PerPerson) -> Self {
        match per_person {
            PerPerson::Mean => Self::Mean,
            PerPerson::First(_) => Self::First,
            PerPerson::Last(_) => Self::Last,
            PerPerson::UpTo(most) => Self::UpTo(*most as usize),
        }
    }

    /// Whether rows carry a moment.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Self::First | Self::Last)
    }

    /// Places for rows of a person.
    fn places(self) -> usize {
        match self {
            Self::Mean => 0,
            Self::First | Self::Last => 1,
            Self::UpTo(most) => most,
        }
    }
}

/// Values in blocks, `each` of them for a person.
struct Blocks<T> {
    blocks: Vec<Box<[T]>>,
    each: usize,
}

impl<T: Copy + Default> Blocks<T> {
    fn new(each: usize) -> Self {
        Self { blocks: Vec::new(), each }
    }

    fn of(&self, person: usize) -> &[T] {
        let at = person % BLOCK * self.each;
        &self.blocks[person / BLOCK][at..at + self.each]
    }

    fn of_mut(&mut self, person: usize) -> &mut [T] {
        let at = person % BLOCK * self.each;
        &mut self.blocks[person / BLOCK][at..at + self.each]
    }

    /// Makes room for a person.
    fn reach(&mut self, person: usize) {
        if self.each > 0 && person / BLOCK == self.blocks.len() {
            self.blocks.push(vec![T::default(); BLOCK * self.each].into_boxed_slice());
        }
    }
}

/// Persons in memory.
pub(crate) struct Roster<C: Cell> {
    dims: usize,
    way: Way,
    key: PersonKey,
    most: usize,
    /// Open addressing by the low bits of a hash; at most half of the places are taken.
    index: Vec<u32>,
    persons: usize,
    hashes: Blocks<u128>,
    /// Rows seen of each person.
    counts: Blocks<u64>,
    sums: Blocks<C::Sum>,
    rows: Blocks<C>,
    /// Moments of the rows kept, or their lots.
    ranks: Blocks<i64>,
}

impl<C: Cell> Roster<C> {
    /// Room for as many persons as fit in `memory` bytes, and at least one block.
    pub(crate) fn new(dims: usize, way: Way, key: PersonKey, memory: usize) -> Self {
        let places = way.places();
        let sums = if way == Way::Mean { dims } else { 0 };
        Self {
            dims,
            way,
            key,
            most: (memory / Self::bytes_each(dims, way) / BLOCK).max(1) * BLOCK,
            index: vec![NOBODY; 2 * BLOCK],
            persons: 0,
            hashes: Blocks::new(1),
            counts: Blocks::new(1),
            sums: Blocks::new(sums),
            rows: Blocks::new(places * dims),
            ranks: Blocks::new(places),
        }
    }

    /// Bytes of a person: the hash and the count, up to four places of the index with those of the smaller one that it
    /// replaces, the place in the final order, and the rest.
    pub(crate) fn bytes_each(dims: usize, way: Way) -> usize {
        let places = way.places();
        let sums = if way == Way::Mean { dims * size_of::<C::Sum>() } else { 0 };
        16 + 8 + 24 + 16 + sums + places * (dims * size_of::<C>() + 8)
    }

    /// The least memory with which rows can be grouped at all.
    pub(crate) fn least(dims: usize, way: Way) -> usize {
        Self::bytes_each(dims, way) * BLOCK
    }

    /// Adds a row. False when the person is not known and there is no room for one more; the row is not taken then.
    pub(crate) fn add(&mut self, hash: u128, row: &[C], moment: i64) -> bool {
        let Some(person) = self.find_or_enter(hash) else { return false };
        let count = &mut self.counts.of_mut(person)[0];
        let nth = *count;
        *count += 1;
        match self.way {
            Way::Mean => self.sums.of_mut(person).iter_mut().zip(row).for_each(|(sum, &x)| C::add(sum, x)),
            Way::First | Way::Last => {
                let (rank, kept) = (&mut self.ranks.of_mut(person)[0], self.rows.of_mut(person));
                let order = moment.cmp(rank);
                let order = if self.way == Way::Last { order.reverse() } else { order };
                // Rows of the same moment are ordered by what they hold, so that their order in the file decides nothing.
                if nth == 0 || order.then_with(|| compare(row, kept)) == Ordering::Less {
                    *rank = moment;
                    kept.copy_from_slice(row);
                }
            }
            Way::UpTo(most) => {
                let lot = self.key.lot(hash, nth) as i64;
                let (lots, kept) = (self.ranks.of_mut(person), self.rows.of_mut(person));
                let place = if (nth as usize) < most {
                    nth as usize
                } else {
                    // The largest lot leaves.
                    let (place, &largest) = lots.iter().enumerate().max_by_key(|(_, lot)| **lot).unwrap_or((0, &lot));
                    if lot >= largest {
                        return true;
                    }
                    place
                };
                lots[place] = lot;
                kept[place * self.dims..(place + 1) * self.dims].copy_from_slice(row);
            }
        }
        true
    }

    /// Ends the roster: the persons in the order of their hashes.
    pub(crate) fn sorted(self) -> Sorted<C> {
        let hash = |person: u32| self.hashes.of(person as usize)[0];
        // By the high bits, which lie side by side; the others decide once in 2^64 times.
        let mut order: Vec<(u64, u32)> = (0..self.persons as u32).map(|it| ((hash(it) >> 64) as u64, it)).collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| hash(a.1).cmp(&hash(b.1))));
        Sorted { row: vec![C::default(); self.dims], roster: self, order, next: 0 }
    }

    fn find_or_enter(&mut self, hash: u128) -> Option<usize> {
        let mask = self.index.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.index[at] {
                NOBODY => break,
                person if self.hashes.of(person as usize)[0] == hash => return Some(person as usize),
                _ => at = (at + 1) & mask,
            }
        }
        if self.persons == self.most || self.persons as u32 == NOBODY - 1 {
            return None;
        }
        let person = self.persons;
        self.hashes.reach(person);
        self.counts.reach(person);
        self.sums.reach(person);
        self.rows.reach(person);
        self.ranks.reach(person);
        self.hashes.of_mut(person)[0] = hash;
        self.index[at] = person as u32;
        self.persons += 1;
        if self.persons * 2 > self.index.len() {
            self.widen();
        }
        Some(person)
    }

    fn widen(&mut self) {
        let places = self.index.len() * 2;
        self.index = vec![NOBODY; places];
        for person in 0..self.persons {
            let mut at = self.hashes.of(person)[0] as usize & (places - 1);
            while self.index[at] != NOBODY {
                at = (at + 1) & (places - 1);
            }
            self.index[at] = person as u32;
        }
    }
}

/// A roster that is complete.
pub(crate) struct Sorted<C: Cell> {
    roster: Roster<C>,
    order: Vec<(u64, u32)>,
    next: usize,
    row: Vec<C>,
}

impl<C: Cell> Sorted<C> {
    /// The hash of the next person.
    pub(crate) fn next_hash(&self) -> Option<u128> {
        self.order.get(self.next).map(|&(_, person)| self.roster.hashes.of(person as usize)[0])
    }

    /// Hands the next person to `out`: their rows, one after the other.
    pub(crate) fn hand_over(&mut self, out: &mut dyn FnMut(u128, &[C]) -> io::Result<()>) -> io::Result<()> {
        let Some(&(_, person)) = self.order.get(self.next) else { return Ok(()) };
        self.next += 1;
        let (person, roster) = (person as usize, &self.roster);
        let (hash, count) = (roster.hashes.of(person)[0], roster.counts.of(person)[0]);
        match roster.way {
            Way::Mean => {
                let means = roster.sums.of(person).iter().map(|&sum| C::mean(sum, count));
                self.row.iter_mut().zip(means).for_each(|(x, mean)| *x = mean);
                out(hash, &self.row)
            }
            Way::First | Way::Last => out(hash, roster.rows.of(person)),
            Way::UpTo(most) => out(hash, &roster.rows.of(person)[..most.min(count as usize) * roster.dims]),
        }
    }
}

fn compare<C: Cell>(a: &[C], b: &[C]) -> Ordering {
    a.iter().zip(b).map(|(&x, &y)| x.before(y)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
