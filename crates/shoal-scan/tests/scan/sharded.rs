//! A table split over shards that share nothing but bytes: the second implementation of [`Scan`].
//!
//! Every question and every partial answer goes through bytes, shards answer in a shuffled order and some of them twice,
//! and blocks are asked for in two goes. Used by the tests of this crate and by those of the curator's methods.

// Each test program uses its share.
#![allow(dead_code)]

use std::sync::Mutex;

use shoal_lattice::LatticePoints;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::below;
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, Gathering, MergeError, Partial, Question, Scan, ScanError};

/// What an engine gets wrong, so that tests can see that they would notice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The last shard is forgotten.
    Drops,
    /// The last shard is counted twice, under another name.
    Doubles,
    /// The last shard does not answer.
    Loses,
    /// Shards do not know the place of their first row.
    ForgetsPlaces,
    /// Rows may not leave their shard.
    KeepsRows,
}

/// Rows of a shard, and the place of the first of them.
struct Shard {
    first_row: u64,
    rows: LatticePoints,
}

/// A table in shards.
pub struct ShardedScan {
    dims: usize,
    shards: Vec<Shard>,
    fault: Fault,
    random: Mutex<SeededNoise>,
}

impl ShardedScan {
    /// Rows split into `shards` runs of random lengths, with an empty one among them if there are three or more.
    pub fn new(dims: usize, rows: &[Vec<i16>], shards: usize, fault: Fault) -> Self {
        let mut random = SeededNoise::new(shards as u64);
        let mut cuts: Vec<usize> = (1..shards).map(|_| below(&mut random, rows.len() as u64 + 1) as usize).collect();
        if shards > 2 {
            cuts[1] = cuts[0];
        }
        cuts.extend([0, rows.len()]);
        cuts.sort_unstable();
        let shard = |ends: &[usize]| {
            let mut points = LatticePoints::new(dims);
            rows[ends[0]..ends[1]].iter().for_each(|row| points.push_row(row));
            let first_row = if fault == Fault::ForgetsPlaces { 0 } else { ends[0] as u64 };
            Shard { first_row, rows: points }
        };
        Self { dims, shards: cuts.windows(2).map(shard).collect(), fault, random: Mutex::new(random) }
    }

    /// The numbers of shards that are asked, in a new order, some of them twice.
    fn order(&self) -> Vec<usize> {
        let mut random = self.random.lock().unwrap();
        let asked = self.shards.len() - usize::from(matches!(self.fault, Fault::Drops | Fault::Loses));
        let mut order: Vec<usize> = (0..asked).chain((0..asked).filter(|shard| shard % 2 == 0)).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut *random, last as u64 + 1) as usize);
        }
        order
    }

    fn gather(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        let sent = question.to_bytes();
        let named = self.shards.len() - usize::from(self.fault == Fault::Drops);
        let mut workers: Vec<String> = (0..named).map(|shard| format!("shard {shard}")).collect();
        workers.extend((self.fault == Fault::Doubles).then(|| "the same again".into()));
        let mut gathering = Gathering::new(question, workers)?;
        for number in self.order() {
            let answer = answer(&sent, &self.shards[number])?;
            gathering.take_bytes(&format!("shard {number}"), &answer)?;
            if self.fault == Fault::Doubles && number == self.shards.len() - 1 {
                gathering.take_bytes("the same again", &answer)?;
            }
        }
        gathering.finish()
    }
}

/// What a worker does: bytes in, bytes out.
fn answer(sent: &[u8], shard: &Shard) -> Result<Vec<u8>, ScanError> {
    let question = Question::from_bytes(sent)?;
    let partial = Partial::of_shard(&question, &shard.rows, shard.first_row)?;
    Ok(if question.moves_rows() { partial.to_bytes_with_rows() } else { partial.to_bytes()? })
}

impl Scan for ShardedScan {
    fn dims(&self) -> usize {
        self.dims
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        question.check_for(self.dims)?;
        let Question::Blocks { draw, wanted, work } = question else { return self.gather(question) };
        if self.fault == Fault::KeepsRows {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        // As a driver does that has no room for the rows of all blocks.
        let middle = wanted.start + (wanted.end - wanted.start) / 3;
        let part = |wanted| self.gather(&Question::Blocks { draw: draw.clone(), wanted, work: work.clone() });
        let both = part(wanted.start..middle)?.zip(part(middle..wanted.end)?);
        both.try_map(|both| match both {
            (Answer::Blocks(some), Answer::Blocks(more)) => Ok(Answer::Blocks([some, more].concat())),
            _ => Err(MergeError::OtherQuestion.into()),
        })
    }
}
