//! The aggregate function that answers a question: columns in, the bytes of a partial answer out.
//!
//! Beside the partial answer, each state counts the rows that were read. The driver compares that number between questions:
//! when a part of the rows is missing or counted twice, it differs, and the fit ends instead of using the answer.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use datafusion::scalar::ScalarValue;
use shoal_files::ArrowRows;
use shoal_lattice::LatticePoints;
use shoal_scan::{Partial, Question, ScanError};

use crate::error::Unread;
use crate::task::{Layout, Task};

/// The function's name in plans.
pub const NAME: &str = "shoal_answer";

/// Lattice points that are gathered before the kernels run on them: enough to forget the cost of preparing a question.
const CHUNK: usize = 1 << 17;

/// The aggregate function for one task.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AnswerFunction {
    task: Arc<Task>,
    signature: Signature,
}

impl fmt::Debug for AnswerFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}({})", self.task.question.name())
    }
}

impl AnswerFunction {
    /// The function that answers this task.
    pub fn new(task: Task) -> Self {
        let signature = Signature::any(task.layout.wanted().len(), Volatility::Immutable);
        Self { task: Arc::new(task), signature }
    }

    /// The same as DataFusion takes it.
    pub fn into_udaf(self) -> AggregateUDF {
        AggregateUDF::new_from_impl(self)
    }

    /// The task of a function of this kind.
    pub fn task_of(function: &AggregateUDF) -> Option<&Task> {
        let function = (function.inner().as_ref() as &dyn Any).downcast_ref::<Self>()?;
        Some(&function.task)
    }
}

impl AggregateUDFImpl for AnswerFunction {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::LargeBinary)
    }

    fn is_nullable(&self) -> bool {
        false
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Answering::new(Arc::clone(&self.task)).map_err(unread)?))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// A partial answer and the number of rows that it comes from, before those with gaps were left out.
pub(crate) struct Counted {
    pub(crate) rows: u64,
    pub(crate) answer: Partial,
}

impl Counted {
    pub(crate) fn nothing(question: &Question) -> Result<Self, ScanError> {
        Ok(Self { rows: 0, answer: Partial::nothing(question)? })
    }

    fn add(&mut self, other: Self, question: &Question) -> Result<(), ScanError> {
        self.rows = self.rows.saturating_add(other.rows);
        let before = std::mem::replace(&mut self.answer, Partial::nothing(question)?);
        self.answer = before.merge(other.answer)?;
        Ok(())
    }

    fn to_bytes(&self) -> Result<Vec<u8>, ScanError> {
        let mut bytes = self.rows.to_le_bytes().to_vec();
        bytes.extend(self.answer.to_bytes()?);
        Ok(bytes)
    }

    pub(crate) fn from_bytes(question: &Question, bytes: &[u8]) -> Result<Self, ScanError> {
        let (rows, body) =
            bytes.split_first_chunk::<8>().ok_or(ScanError::WrongAnswer { question: question.name() })?;
        Ok(Self { rows: u64::from_le_bytes(*rows), answer: Partial::from_bytes(question, body)? })
    }
}

/// Gathers rows and adds up what they contribute.
struct Answering {
    task: Arc<Task>,
    rows: ArrowRows,
    /// Points that the kernels have not seen yet.
    points: LatticePoints,
    total: Counted,
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answering({}, contents hidden)", self.task.question.name())
    }
}

impl Answering {
    fn new(task: Arc<Task>) -> Result<Self, ScanError> {
        if task.question.moves_rows() {
            return Err(ScanError::RowsStay { question: task.question.name() });
        }
        let (rows, points) = (task.layout.rows(), LatticePoints::new(task.layout.dims()));
        let total = Counted::nothing(&task.question)?;
        Ok(Self { task, rows, points, total })
    }

    fn take(&mut self, columns: &[ArrayRef]) -> Result<(), ScanError> {
        let rows = columns.first().map_or(0, |column| column.len()) as u64;
        match &self.task.layout {
            Layout::Lattice { .. } => {
                self.rows.append_points(columns, &mut self.points)?;
                self.total.rows += rows;
                if self.points.rows() >= CHUNK { self.settle() } else { Ok(()) }
            }
            Layout::Raw { .. } => {
                let answer = Partial::of_columns(&self.task.question, self.rows.columns(columns)?)?;
                self.total.add(Counted { rows, answer }, &self.task.question)
            }
        }
    }

    /// Runs the kernels on the points gathered so far.
    fn settle(&mut self) -> Result<(), ScanError> {
        if self.points.rows() > 0 {
            let answer = kernels(|| Partial::of(&self.task.question, &self.points))?;
            self.points.clear();
            self.total.add(Counted { rows: 0, answer }, &self.task.question)?;
        }
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef]) -> Result<(), ScanError> {
        let question = &self.task.question;
        let wrong = || ScanError::WrongAnswer { question: question.name() };
        let states = states.first().and_then(|states| states.as_binary_opt::<i64>()).ok_or_else(wrong)?;
        for state in states.iter() {
            self.total.add(Counted::from_bytes(question, state.ok_or_else(wrong)?)?, question)?;
        }
        Ok(())
    }

    fn bytes(&mut self) -> Result<ScalarValue, ScanError> {
        self.settle()?;
        Ok(ScalarValue::LargeBinary(Some(self.total.to_bytes()?)))
    }
}

impl Accumulator for Answering {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.take(values).map_err(unread)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.merge(states).map_err(unread)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.bytes().map_err(unread)?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.bytes().map_err(unread)
    }

    fn size(&self) -> usize {
        self.points.bytes() + self.task.question.answer_bytes() as usize
    }
}

/// Runs the kernels on threads of their own. The thread that asked a question may belong to another pool, and waits for the
/// answer: the kernels must not wait for it.
pub(crate) fn kernels<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    static THREADS: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    match THREADS.get_or_init(|| rayon::ThreadPoolBuilder::new().build().ok()) {
        Some(threads) => threads.install(work),
        None => work(),
    }
}

/// What went wrong, to be found again inside the engine's error.
pub(crate) fn unread(error: ScanError) -> DataFusionError {
    DataFusionError::External(Box::new(Unread(error.to_string())))
}
