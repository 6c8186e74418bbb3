//! Which steps may be asked, and what they cost: computed by every custodian and helper from the step itself (R11, R13).

use shoal_privacy::{Assumption, Claim, Epsilon, Loss, Neighbours, Numerics};
use shoal_release::Step;
use shoal_scan::Question;

use crate::charter::Charter;
use crate::message::Order;
use crate::why::Why;

/// The most cells of a grid.
pub const MOST_CELLS: usize = 1 << 18;

/// The most boxes of a look.
pub const MOST_BOXES: usize = 1 << 16;

/// What a run may spend and has spent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    limit: Epsilon,
    spent: Epsilon,
}

/// A step that may be asked, with its loss.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The step.
    pub step: Step,
    /// Its own ε, computed from its noise.
    pub epsilon: Epsilon,
}

impl Budget {
    /// The budget of an order, which the charter must allow.
    pub fn of(charter: &Charter, order: &Order) -> Result<Self, Why> {
        let limit: Epsilon = order.epsilon.parse().map_err(|_| Why::Malformed)?;
        // One spelling for each number, so that equal orders have equal bytes.
        if exact_text(&limit) != order.epsilon || limit == Epsilon::ZERO {
            return Err(Why::Malformed);
        }
        // R1: the charter's own limit.
        if limit > *charter.max_epsilon() { Err(Why::Budget) } else { Ok(Self { limit, spent: Epsilon::ZERO }) }
    }

    /// ε of the whole run.
    pub fn limit(&self) -> &Epsilon {
        &self.limit
    }

    /// ε of the rounds so far.
    pub fn spent(&self) -> &Epsilon {
        &self.spent
    }

    /// Checks a step that arrived as bytes.
    pub fn admit(&self, charter: &Charter, bytes: &[u8]) -> Result<Admitted, Why> {
        // R11: questions are data with a length that follows from them, and are bounded before anything is allocated.
        let step = Step::from_bytes(bytes).map_err(|_| Why::Question)?;
        let fits = match step.question() {
            Question::CellCounts { grid } => grid.cells() <= MOST_CELLS,
            Question::BoxCounts { tree } => tree.leaves() <= MOST_BOXES,
            Question::RowCount
            | Question::Moments { .. }
            | Question::ClippedSums { .. }
            | Question::SumsAndCounts { .. }
            | Question::CappedCost { .. } => true,
            _ => false,
        };
        if !fits || step.question().check_for(charter.bounds().dims()).is_err() {
            return Err(Why::Question);
        }
        // R13: the loss follows from the noise that will be drawn; nobody's word counts.
        let epsilon = match step.claim() {
            Claim {
                neighbours: Neighbours::AddRemoveOne,
                loss: Loss::Pure(epsilon),
                numerics: Numerics::Exact,
                ..
            } => epsilon,
            _ => return Err(Why::Question),
        };
        if self.spent.plus(&epsilon) > self.limit {
            return Err(Why::Budget);
        }
        Ok(Admitted { step, epsilon })
    }

    /// Books a step.
    pub fn book(&mut self, epsilon: &Epsilon) {
        self.spent = self.spent.plus(epsilon);
    }
}

/// An ε as a reduced fraction, which reads back as exactly the same number.
pub fn exact_text(epsilon: &Epsilon) -> String {
    epsilon.amount().as_rational().to_string()
}

/// What a loss promises in this protocol, with all conditions.
///
/// One helper must be honest and the channels must hold; beyond that nothing is assumed of drivers, of other custodians or of
/// the other helpers. Nobody can check from the messages whether a person is in two tables.
pub fn claim(loss: Loss) -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss,
        numerics: Numerics::Exact,
        assumes: [
            Assumption::BoundsPublic,
            Assumption::RowsComplete,
            Assumption::OneRowPerPerson,
            Assumption::OneCustodianPerPerson,
            Assumption::OneHelperHonest,
            Assumption::EncryptionHolds,
        ]
        .into(),
    }
}

/// What holds even if all helpers put their shares together, by the noise that custodians add themselves; nothing without
/// such noise.
pub fn claim_if_all_collude(charter: &Charter, epsilon: &Epsilon) -> Option<Claim> {
    let mut weaker = claim(Loss::Pure(epsilon.times(charter.fallback()?)));
    weaker.assumes.remove(&Assumption::OneHelperHonest);
    Some(weaker)
}
