//! The answer for some of the rows: what moves between machines.

use std::fmt;

use shoal_lattice::LatticePoints;
use shoal_privacy::Sensitive;

use crate::blocks::BlockRows;
use crate::tally::{Chunks, tally};
use crate::wire::{self, Numbers, PARTIAL};
use crate::{Answer, MergeError, Question, QuestionId, ScanError, WireError};

/// What some of the rows contribute to the answer to a question.
///
/// Partial answers to one question form a commutative monoid: [`Partial::nothing`] is neutral, and [`Partial::merge`]
/// gives the same for every order and grouping, because everything in it is an integer (or, for blocks, a set of rows).
/// A worker computes one with [`Partial::of_shard`], sends it as bytes, and whoever holds the budget merges those of
/// all workers, best with a [`Gathering`](crate::Gathering), which counts each worker once.
///
/// Nothing shows the numbers inside: [`Partial::finish`] makes them a [`Sensitive`] answer, which leaves through a
/// mechanism that the accountant charges for. No noise is in a partial answer, so a worker that is asked twice
/// answers the same. The bytes are as sensitive as the rows, and need a confidential channel that authenticates both
/// ends: the checksum finds damage, not forgery.
///
/// ```
/// use shoal_kernel::LatticeCentres;
/// use shoal_lattice::LatticePoints;
/// use shoal_scan::{Partial, Question};
///
/// let question = Question::SumsAndCounts { centres: LatticeCentres::new(1, vec![-100, 100]) };
/// let shard = |rows: &[i16]| -> Result<Vec<u8>, shoal_scan::ScanError> {
///     let mut points = LatticePoints::new(1);
///     rows.iter().for_each(|&x| points.push_row(&[x]));
///     Ok(Partial::of(&question, &points)?.to_bytes()?)
/// };
/// let (here, there) = (shard(&[-90, 80])?, shard(&[120])?);
/// let all = Partial::from_bytes(&question, &here)?.merge(Partial::from_bytes(&question, &there)?)?;
/// let answer = all.finish(&question)?; // Sensitive: for a mechanism
/// # Ok::<(), shoal_scan::ScanError>(())
/// ```
pub struct Partial {
    question: QuestionId,
    name: &'static str,
    content: Content,
}

enum Content {
    Sum(Answer),
    Rows(BlockRows),
}

impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partial({}, contents hidden)", self.name)
    }
}

impl Partial {
    /// The answer for no rows.
    pub fn nothing(question: &Question) -> Result<Self, ScanError> {
        question.check()?;
        let content = match (Answer::zero(question), question) {
            (Some(zero), _) => Content::Sum(zero),
            (None, _) => Content::Rows(BlockRows::none(question.dims().unwrap_or(0))),
        };
        Ok(Self::with(question, content))
    }

    /// The answer for all rows of a table, or for a shard where the places of rows do not matter: they do for
    /// [`Question::Blocks`] only.
    pub fn of(question: &Question, rows: &LatticePoints) -> Result<Self, ScanError> {
        Self::of_shard(question, rows, 0)
    }

    /// The answer for the rows of a shard whose first row has place `first_row` in the whole table. Runs on the threads
    /// of the current rayon pool.
    pub fn of_shard(question: &Question, rows: &LatticePoints, first_row: u64) -> Result<Self, ScanError> {
        Self::of_chunks(question, rows, first_row)
    }

    /// The answer for columns of raw values, all of one length: to [`Question::Buckets`] only.
    pub fn of_columns<C: AsRef<[f64]>>(question: &Question, columns: &[C]) -> Result<Self, ScanError> {
        question.check_for(columns.len())?;
        let Question::Buckets { lists } = question else {
            let why = "it is about rows on the lattice, and raw values are not there yet";
            return Err(ScanError::Unanswerable { question: question.name(), why });
        };
        let rows = columns.first().map_or(0, |column| column.as_ref().len());
        let broken =
            |column: &C| column.as_ref().len() != rows || !column.as_ref().iter().all(|value| value.is_finite());
        if let Some(column) = columns.iter().position(broken) {
            return Err(ScanError::Columns { column });
        }
        let count = |(list, column): (&crate::ValueBuckets, &C)| {
            let mut counts = vec![0; list.count()];
            list.add_counts(column.as_ref(), &mut counts);
            counts
        };
        Ok(Self::with(question, Content::Sum(Answer::Buckets(lists.iter().zip(columns).map(count).collect()))))
    }

    pub(crate) fn of_chunks(question: &Question, rows: &dyn Chunks, first_row: u64) -> Result<Self, ScanError> {
        question.check_for(rows.dims())?;
        let Question::Blocks { draw, wanted, .. } = question else {
            return Ok(Self::with(question, Content::Sum(tally(question, rows)?)));
        };
        let wanted = wanted.start as usize..wanted.end as usize;
        let mut gathered = BlockRows::none(rows.dims());
        let (mut deal, mut place) = (draw.deal_from(first_row), first_row);
        rows.for_each(&mut |chunk| {
            gathered.gather(chunk, place, &mut deal, &wanted);
            place += chunk.rows() as u64;
        })?;
        Ok(Self::with(question, Content::Rows(gathered)))
    }

    fn with(question: &Question, content: Content) -> Self {
        Self { question: question.id(), name: question.name(), content }
    }

    /// The question that this answers in part.
    pub fn question(&self) -> QuestionId {
        self.question
    }

    /// The answer for the rows of both.
    pub fn merge(mut self, other: Self) -> Result<Self, MergeError> {
        if self.question != other.question {
            return Err(MergeError::OtherQuestion);
        }
        self.absorb(other)?;
        Ok(self)
    }

    /// [`Partial::merge`] in place. After an error the contents mean nothing.
    pub(crate) fn absorb(&mut self, other: Self) -> Result<(), MergeError> {
        match (&mut self.content, other.content) {
            (Content::Sum(total), Content::Sum(more)) => total.add(&more),
            (Content::Rows(some), Content::Rows(more)) => {
                let dims = some.points.dims();
                *some = std::mem::replace(some, BlockRows::none(dims)).merge(more)?;
                Ok(())
            }
            _ => Err(MergeError::OtherQuestion),
        }
    }

    /// The whole answer, when the rows of all shards are in it.
    pub fn finish(self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        if self.question != question.id() {
            return Err(MergeError::OtherQuestion.into());
        }
        match (self.content, question) {
            (Content::Sum(answer), _) => Ok(Sensitive::new(answer)),
            (Content::Rows(rows), Question::Blocks { draw, wanted, work }) => {
                let wanted = wanted.start as usize..wanted.end as usize;
                Ok(Sensitive::new(Answer::Blocks(rows.finish(draw, &wanted, work))))
            }
            _ => Err(MergeError::OtherQuestion.into()),
        }
    }

    /// The partial answer as bytes: versioned, with its length, the question's name and a checksum. The length follows
    /// from the question alone, so it says nothing about the rows.
    ///
    /// # Errors
    /// [`WireError::HoldsRows`] for [`Question::Blocks`]: see [`Partial::to_bytes_with_rows`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        match self.content {
            Content::Sum(_) => Ok(self.to_bytes_with_rows()),
            Content::Rows(_) => Err(WireError::HoldsRows),
        }
    }

    /// [`Partial::to_bytes`] also where rows are inside: for engines whose rows may move to where they are gathered.
    pub fn to_bytes_with_rows(&self) -> Vec<u8> {
        wire::seal(PARTIAL, &[&self.question.0, &self.body()])
    }

    fn body(&self) -> Vec<u8> {
        match &self.content {
            Content::Sum(answer) => answer.to_bytes(),
            Content::Rows(rows) => {
                let mut bytes = (rows.places.len() as u64).to_le_bytes().to_vec();
                bytes.extend(rows.places.iter().flat_map(|place| place.to_le_bytes()));
                let mut row = vec![0i16; rows.points.dims()];
                for r in 0..rows.points.rows() {
                    rows.points.copy_row(r, &mut row);
                    bytes.extend(row.iter().flat_map(|x| x.to_le_bytes()));
                }
                bytes
            }
        }
    }

    /// Distinguishes two answers of one worker.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        wire::digest(&self.body())
    }

    /// A partial answer to `question` from bytes. Bytes of any other length, version or question are refused, and so are
    /// damaged ones, before memory is taken for them.
    pub fn from_bytes(question: &Question, bytes: &[u8]) -> Result<Self, WireError> {
        let body = wire::open(PARTIAL, bytes)?;
        let (id, body) = body.split_first_chunk::<16>().ok_or(WireError::Damaged { what: PARTIAL.what })?;
        if *id != question.id().0 {
            return Err(WireError::OtherQuestion);
        }
        let content = match question {
            Question::Blocks { .. } => Content::Rows(rows_from_bytes(question, body)?),
            _ => {
                expect_length(question.answer_bytes(), body)?;
                let damaged = WireError::Damaged { what: PARTIAL.what };
                Content::Sum(Answer::from_bytes(question, body)?.ok_or(damaged)?)
            }
        };
        Ok(Self { question: QuestionId(*id), name: question.name(), content })
    }
}

fn expect_length(expected: u64, body: &[u8]) -> Result<(), WireError> {
    let found = body.len() as u64;
    if found == expected { Ok(()) } else { Err(WireError::Length { what: PARTIAL.what, expected, found }) }
}

fn rows_from_bytes(question: &Question, body: &[u8]) -> Result<BlockRows, WireError> {
    let damaged = WireError::Damaged { what: PARTIAL.what };
    let Question::Blocks { draw, wanted, work } = question else { return Err(damaged) };
    let mut numbers = Numbers(body);
    let (count, dims) = (numbers.u64s(1)?[0], work.dims());
    expect_length(count.saturating_mul(8 + 2 * dims as u64).saturating_add(8), body)?;
    let places = numbers.u64s(count as usize)?;
    let mut rows = BlockRows { points: LatticePoints::with_capacity(dims, places.len()), places };
    for _ in 0..count {
        let row = numbers.i16s(dims)?;
        if row.contains(&i16::MIN) {
            return Err(damaged);
        }
        rows.points.push_row(&row);
    }
    let wanted = wanted.start as usize..wanted.end as usize;
    if rows.belongs_to(draw, &wanted) { Ok(rows) } else { Err(damaged) }
}
