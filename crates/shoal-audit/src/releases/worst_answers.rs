//! The largest change that one row can make to an answer, put into the answer itself.
//!
//! What a row changes in a query's answer is bounded by the table on the front page of `shoal-scan`. A row that reaches the
//! bound in every coordinate may not exist for given centres, so these answers are changed directly: by the most that
//! the query allows. Counts, row counts and moments need no such help: a row in a corner reaches their bound.

use shoal_kernel::ClusterSums;
use shoal_lattice::HALF_WIDTH;
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, Question, Scan, ScanError};

use super::tables::{HIGH, LOW};

/// Which of two neighbouring answers is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// That without the row.
    Without,
    /// That with a row which goes to the centre or block of this number, counted round.
    With(usize),
}

/// A scan of two neighbouring tables that gives the largest change where rows do not reach it.
pub struct WorstAnswers<'a> {
    /// The smaller table.
    pub without: &'a dyn Scan,
    /// The larger one, with a row in a corner.
    pub with: &'a dyn Scan,
    /// Which one is asked about.
    pub side: Side,
}

impl Scan for WorstAnswers<'_> {
    fn dims(&self) -> usize {
        self.without.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        let changes_directly = matches!(
            question,
            Question::SumsAndCounts { .. }
                | Question::ClippedSums { .. }
                | Question::Costs { .. }
                | Question::CappedCost { .. }
                | Question::Blocks { .. }
        );
        match self.side {
            Side::With(_) if !changes_directly => self.with.ask(question),
            side => Ok(self.without.ask(question)?.map(|answer| changed(answer, question, side))),
        }
    }
}

fn changed(answer: Answer, question: &Question, side: Side) -> Answer {
    let number = match side {
        Side::Without => None,
        Side::With(number) => Some(number),
    };
    match (answer, question, number) {
        // One block is whatever its rows make it: at one end of the box, and at the other.
        (Answer::Blocks(mut blocks), ..) => {
            if let Some(block) = blocks.first_mut() {
                block.fill(if number.is_some() { HIGH } else { LOW });
            }
            Answer::Blocks(blocks)
        }
        (Answer::SumsAndCounts(mut sums), _, Some(number)) => {
            let most = vec![HALF_WIDTH as u32; sums.dims()];
            add(&mut sums, number, &most);
            Answer::SumsAndCounts(sums)
        }
        (Answer::ClippedSums(mut sums), Question::ClippedSums { reach, .. }, Some(number)) => {
            add(&mut sums, number, reach.half_widths(number % reach.count()));
            Answer::ClippedSums(sums)
        }
        (Answer::Costs(mut costs), Question::Costs { candidates }, Some(number)) => {
            // The row is a centre of one set, and a diagonal of the box away from all centres of the others.
            let diagonal = question.dims().unwrap_or(0) as u128 * (2 * HALF_WIDTH as u128).pow(2);
            let own = number % candidates.len().max(1);
            costs.iter_mut().enumerate().filter(|(set, _)| *set != own).for_each(|(_, cost)| *cost += diagonal);
            Answer::Costs(costs)
        }
        (Answer::CappedCost(cost), Question::CappedCost { cap, .. }, Some(_)) => {
            Answer::CappedCost(cost + u128::from(cap.most))
        }
        (answer, ..) => answer,
    }
}

/// Adds to the sums of one centre, alternately up and down, and one to its count.
fn add(sums: &mut ClusterSums, number: usize, most: &[u32]) {
    let (dims, centre) = (sums.dims(), number % sums.counts.len().max(1));
    for (axis, most) in most.iter().enumerate() {
        let sign = if (axis + number).is_multiple_of(2) { 1 } else { -1 };
        sums.sums[centre * dims + axis] += sign * i64::from(*most);
    }
    if let Some(count) = sums.counts.get_mut(centre) {
        *count += 1;
    }
}
