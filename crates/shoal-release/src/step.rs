//! A question with the noise on its answer.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use dashu_ratio::RBig;
use shoal_kernel::ClusterSums;
use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Neighbours, Numerics, Sensitive};
use shoal_scan::{Question, Scan, ScanError, ScanExt};

use crate::mechanisms::knorm_sums::scale;
use crate::mechanisms::row_mechanism::{concentrated, pure};
use crate::prepared::{Prepared, wrapped};
use crate::{NoiseSpec, PreparedStep, StepBudget, StepError, Take};

/// A question, which of the numbers in its answer leave, and the noise on them: plain data.
///
/// Every value of this type was checked: its noise hides what one row can change in these numbers, and
/// [`Step::claim`] states at what loss.
///
/// In binary form ([`Step::to_bytes`]) equal steps have equal bytes. As JSON:
/// `{"format_version": 1, "question": …, "take": "whole", "noise": {"laplace": {"decay": "1/3"}}}`.
#[derive(Clone)]
pub struct Step {
    pub(crate) question: Question,
    pub(crate) take: Take,
    pub(crate) noise: NoiseSpec,
    /// Samplers, once somebody has set them up: copies of a step share them.
    pub(crate) samplers: Arc<OnceLock<Arc<Prepared>>>,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        (&self.question, self.take, &self.noise) == (&other.question, other.take, &other.noise)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("question", &self.question)
            .field("take", &self.take)
            .field("noise", &self.noise)
            .finish()
    }
}

/// Exact numbers, in the form in which the mechanism takes them.
pub(crate) enum Exact {
    Counts(Sensitive<Vec<u64>>),
    Columns(Sensitive<Vec<Vec<u64>>>),
    Cost(Sensitive<u128>),
    Sums(Sensitive<ClusterSums>),
}

impl Step {
    /// Most numbers of a step that comes as bytes, unless its reader allows another number.
    pub const MOST_NUMBERS: usize = 1 << 20;

    /// Checks that the noise is for these numbers. Nothing is allocated for an answer.
    pub fn new(question: Question, take: Take, noise: NoiseSpec) -> Result<Self, StepError> {
        question.check()?;
        noise.check()?;
        let step = Self { question, take, noise, samplers: Arc::default() };
        if take.numbers(&step.question).is_none() {
            return Err(StepError::Take { question: step.question.name(), take });
        }
        if matches!(&step.question, Question::CappedCost { cap, .. } if cap.most == 0) {
            return Err(StepError::Noise { why: "a cap of zero lets no row count, and no noise is made for it" });
        }
        let suits = match &step.noise {
            NoiseSpec::Laplace { .. } => !step.is_of_sums(),
            NoiseSpec::Cube { .. } => step.is_of_sums(),
            NoiseSpec::Gaussian { .. } => {
                !matches!(step.question, Question::Buckets { .. } | Question::CappedCost { .. })
            }
        };
        if suits {
            Ok(step)
        } else {
            Err(StepError::Noise { why: "it is of a kind that is not made for these numbers" })
        }
    }

    /// The usual noise for a budget: Laplace or cube noise for a pure ε, Gaussian noise for a concentrated ρ.
    pub fn for_budget(question: Question, take: Take, budget: &StepBudget) -> Result<Self, StepError> {
        question.check()?;
        let any = NoiseSpec::Laplace { decay: Amount::ONE };
        let probe = Self { question, take, noise: any, samplers: Arc::default() };
        let over = |amount: &Amount, by: u64| amount.split(by.max(1));
        let noise = match budget {
            StepBudget::Pure(epsilon) if probe.is_of_sums() => {
                let scale = scale(epsilon);
                NoiseSpec::Cube { decay: over(epsilon.amount(), scale.into()), scale }
            }
            StepBudget::Pure(epsilon) => NoiseSpec::Laplace { decay: over(epsilon.amount(), probe.moved_in_all()) },
            StepBudget::Concentrated(rho) if rho.amount().is_zero() => {
                return Err(StepError::Noise { why: "nothing is left to pay for it" });
            }
            StepBudget::Concentrated(rho) => {
                let numbers = RBig::from(probe.numbers_of_a_row());
                let variance = numbers / (rho.amount().as_rational() * RBig::from(2));
                // Unwrap safety: a quotient of amounts is not negative.
                NoiseSpec::Gaussian { variance: Amount::from_rational(variance).unwrap() }
            }
        };
        Self::new(probe.question, take, noise)
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Which numbers leave.
    pub fn take(&self) -> Take {
        self.take
    }

    /// The noise on them.
    pub fn noise(&self) -> &NoiseSpec {
        &self.noise
    }

    /// What the release promises: computed from the noise and from what one row can change, whoever wrote the step.
    pub fn claim(&self) -> Claim {
        let loss = match &self.noise {
            NoiseSpec::Laplace { decay } => pure(decay.as_rational() * RBig::from(self.moved_in_all())),
            // Scaled numbers move by as many steps of the norm.
            NoiseSpec::Cube { decay, scale } => pure(decay.as_rational() * RBig::from(*scale)),
            // Σ w²/(2·variance·w²) over the numbers that a row is in.
            NoiseSpec::Gaussian { variance } => {
                concentrated(RBig::from(self.numbers_of_a_row()) / (variance.as_rational() * RBig::from(2)))
            }
        };
        let raw = matches!(self.question, Question::Buckets { .. });
        let bounds = (!raw).then_some(Assumption::BoundsPublic);
        let assumes: BTreeSet<_> = bounds.into_iter().chain([Assumption::OneRowPerPerson]).collect();
        Claim { neighbours: Neighbours::AddRemoveOne, loss, numerics: Numerics::Exact, assumes }
    }

    /// How many numbers are released: from the question alone.
    pub fn numbers(&self) -> usize {
        self.take.numbers(&self.question).unwrap_or(0)
    }

    /// g: what the answer is multiplied by before noise is added.
    pub fn scale(&self) -> u32 {
        self.noise.scale()
    }

    /// The same question and the same scale with noise `factor` times as small: `factor` times a pure loss, `factor²` times
    /// a concentrated one.
    pub fn with_noise_divided_by(&self, factor: &Amount) -> Result<Self, StepError> {
        if factor.is_zero() {
            return Err(StepError::Noise { why: "noise cannot be divided by zero" });
        }
        Self::new(self.question.clone(), self.take, self.noise.divided_by(factor))
    }

    /// The exact numbers for all rows of `scan`, multiplied by [`Step::scale`]: sums centre after centre, then counts; for
    /// moments sums, then squares; for buckets column after column.
    pub fn answer(&self, scan: &dyn Scan) -> Result<Sensitive<Vec<i128>>, ScanError> {
        let scale = i128::from(self.scale());
        let times = move |x: i128| x * scale;
        Ok(match self.ask(scan)? {
            Exact::Counts(counts) => counts.map(|counts| counts.into_iter().map(|n| times(n.into())).collect()),
            Exact::Columns(columns) => {
                columns.map(|columns| columns.into_iter().flatten().map(|n| times(n.into())).collect())
            }
            // No number of rows comes near 2^40, so the sum is below 2^61.
            Exact::Cost(cost) => cost.map(|cost| vec![times(i128::try_from(cost).unwrap_or(i128::MAX))]),
            Exact::Sums(sums) => {
                let with_counts = self.take == Take::SumsAndCounts;
                sums.map(|sums| {
                    let counts = if with_counts { sums.counts } else { Vec::new() };
                    sums.sums.into_iter().chain(counts).map(|x| times(x.into())).collect()
                })
            }
        })
    }

    /// [`Step::answer`] modulo 2^64: what custodians divide into shares.
    pub fn answer_wrapped(&self, scan: &dyn Scan) -> Result<Sensitive<Vec<u64>>, ScanError> {
        Ok(self.answer(scan)?.map(|numbers| numbers.into_iter().map(wrapped).collect()))
    }

    /// Sets up the samplers of the noise, once for all copies of the step.
    pub fn prepare(&self) -> Result<PreparedStep, NoiseError> {
        PreparedStep::new(self.clone())
    }

    /// [`PreparedStep::draw_wrapped`] for one draw.
    pub fn draw_wrapped(&self, noise: &mut dyn NoiseSource) -> Result<Vec<u64>, NoiseError> {
        Ok(self.prepare()?.draw_wrapped(noise))
    }

    /// Whether sums are released, whose half-widths differ.
    fn is_of_sums(&self) -> bool {
        matches!(self.question, Question::ClippedSums { .. } | Question::Moments { .. })
    }

    /// By how much one row can change all numbers together (the L1 norm), where every number counts the same.
    fn moved_in_all(&self) -> u64 {
        match &self.question {
            Question::Buckets { lists } => lists.len() as u64,
            Question::CappedCost { cap, .. } => cap.most,
            _ => 1,
        }
    }

    /// In how many numbers one row is.
    fn numbers_of_a_row(&self) -> u64 {
        match (&self.question, self.take) {
            (Question::ClippedSums { centres, .. }, Take::SumsAndCounts) => centres.dims() as u64 + 1,
            (Question::ClippedSums { centres, .. }, _) => centres.dims() as u64,
            (Question::Moments { .. }, _) => self.numbers() as u64,
            _ => 1,
        }
    }

    pub(crate) fn ask(&self, scan: &dyn Scan) -> Result<Exact, ScanError> {
        Ok(match &self.question {
            Question::CellCounts { grid } => Exact::Counts(scan.cell_counts(grid)?),
            Question::BoxCounts { tree } => Exact::Counts(scan.box_counts(tree)?),
            Question::RowCount => Exact::Counts(scan.row_count()?.map(|rows| vec![rows])),
            Question::SumsAndCounts { centres } => {
                let counts = |sums: ClusterSums| sums.counts.into_iter().map(|count| count as u64).collect();
                Exact::Counts(scan.sums_and_counts(centres)?.map(counts))
            }
            Question::Buckets { lists } => Exact::Columns(scan.bucket_counts(lists)?),
            Question::CappedCost { centres, cap } => Exact::Cost(scan.capped_cost(centres, *cap)?),
            Question::ClippedSums { centres, reach } => Exact::Sums(scan.clipped_sums(centres, reach)?),
            Question::Moments { dims } => {
                if *dims != scan.dims() {
                    return Err(ScanError::Dimensions { asked: *dims, has: scan.dims() });
                }
                let take = self.take;
                Exact::Sums(scan.moments()?.map(|exact| take.of_moments(exact)))
            }
            // No step is built of them.
            _ => return Err(ScanError::Unanswerable { question: self.question.name(), why: "it is no step" }),
        })
    }

    /// The pure ε of the step, where its loss is pure.
    pub fn epsilon(&self) -> Option<Epsilon> {
        match self.claim().loss {
            shoal_privacy::Loss::Pure(epsilon) => Some(epsilon),
            _ => None,
        }
    }
}
