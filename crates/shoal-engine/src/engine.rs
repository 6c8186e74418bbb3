//! A table as an engine for the library, and its scans.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::Column;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::Expr;
use datafusion::prelude::{SessionConfig, SessionContext};
use shoal_files::{ArrowRows, Missing};
use shoal_lattice::Bounds;
use shoal_privacy::{Assumption, Sensitive};
use shoal_scan::{Answer, Partial, Question, Scan, ScanError};
use tokio::runtime::Runtime;

use crate::aggregate::{AnswerFunction, Counted};
use crate::error::{planning, reading};
use crate::held::Held;
use crate::source::Files;
use crate::task::{Layout, Task};
use crate::{EngineError, rowwise};

/// How an engine works. Results do not depend on any of it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A query that works row by row, instead of all rows of the table.
    pub sql: Option<String>,
    /// Threads, and parts that the table is read in; all cores where none are given.
    pub threads: Option<usize>,
    /// Bytes of memory for lattice points, which are then read once; 4 GiB where nothing is given. A larger table is read
    /// again for every question.
    pub memory: Option<usize>,
}

/// Bytes for lattice points where no number is given.
const MEMORY: usize = 4 << 30;

/// A table that DataFusion reads in this process.
pub struct TableEngine {
    runtime: Runtime,
    context: SessionContext,
    files: Files,
    /// The rows, before columns are chosen.
    rows: DataFrame,
    columns: Vec<String>,
    memory: usize,
    queried: bool,
    asked: Mutex<Vec<Asked>>,
}

/// What a question cost.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What was asked for.
    pub question: &'static str,
    /// Bytes that travel to a worker.
    pub question_bytes: usize,
    /// Bytes of its answer.
    pub answer_bytes: u64,
    /// Seconds until the answer was there.
    pub seconds: f64,
}

impl TableEngine {
    /// Opens one table that is made of all files of some places. See [`Files::find`] for what a place can be.
    pub fn open(places: &[impl AsRef<str> + Sync], options: &Options) -> Result<Self, EngineError> {
        let threads =
            options.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        let runtime = runtime.map_err(|error| EngineError::Threads { threads, why: error.to_string() })?;
        // A listing that is kept would hide that files changed.
        let environment = RuntimeEnvBuilder::new().with_object_list_cache_limit(0).build_arc();
        let environment = environment.map_err(|error| EngineError::Threads { threads, why: planning(&error) })?;
        let config = SessionConfig::new().with_target_partitions(threads);
        let context = SessionContext::new_with_config_rt(config, environment);
        let (files, rows) = runtime.block_on(rows(&context, places, options))?;
        let columns = rows.schema().fields().iter().map(|field| field.name().clone()).collect();
        let memory = options.memory.unwrap_or(MEMORY);
        Ok(Self {
            runtime,
            context,
            files,
            rows,
            columns,
            memory,
            queried: options.sql.is_some(),
            asked: Mutex::new(Vec::new()),
        })
    }

    /// What each question so far cost, in the order in which they were asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn scan_of(&self, layout: Layout) -> Result<Box<dyn Scan + '_>, ScanError> {
        let wanted = layout.wanted();
        for (at, name) in wanted.iter().enumerate() {
            let field = self.rows.schema().field_with_unqualified_name(name);
            let field = field.map_err(|error| ScanError::Unread { why: planning(&error) })?;
            ArrowRows::check(name, field.data_type(), at >= layout.numbers())?;
        }
        Ok(Box::new(EngineScan { engine: self, layout, held: OnceLock::new(), rows: Mutex::new(None) }))
    }
}

/// All rows of a table, or those of a query.
async fn rows(
    context: &SessionContext,
    places: &[impl AsRef<str>],
    options: &Options,
) -> Result<(Files, DataFrame), EngineError> {
    let (files, table) = Files::find(context, places).await?;
    let unusable = |error: DataFusionError| EngineError::Query { why: planning(&error) };
    let Some(sql) = &options.sql else { return Ok((files, context.read_table(Arc::new(table)).map_err(unusable)?)) };
    let name = places.first().map_or("rows".into(), |place| Files::name_of(place.as_ref()));
    context.register_table(name.as_str(), Arc::new(table)).map_err(unusable)?;
    let plan = context.state().create_logical_plan(sql).await.map_err(unusable)?;
    rowwise::check(&plan)?;
    Ok((files, DataFrame::new(context.state(), plan)))
}

impl shoal::Engine for TableEngine {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn scan(&self, bounds: &Bounds, missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError> {
        self.scan_of(Layout::Lattice { bounds: bounds.clone(), missing })
    }

    fn raw_scan(&self, columns: &[String], missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError> {
        self.scan_of(Layout::Raw { columns: columns.to_vec(), missing })
    }

    fn conditions(&self) -> Vec<Assumption> {
        self.queried.then_some(Assumption::QueryPublic).into_iter().collect()
    }
}

/// The rows of a table. Where their lattice points fit in memory, the first question reads them; otherwise each question is
/// one aggregate over a plan.
pub struct EngineScan<'e> {
    engine: &'e TableEngine,
    layout: Layout,
    /// The points, once it is known whether they fit.
    held: OnceLock<Option<Held>>,
    /// How many rows the first question found, those with gaps included. Sensitive: it is compared, and goes nowhere.
    rows: Mutex<Option<u64>>,
}

impl EngineScan<'_> {
    fn answer(&self, question: &Question) -> Result<Partial, ScanError> {
        if let Some(held) = self.held()? {
            return held.answer(question);
        }
        let task = Task::new(question.clone(), self.layout.clone());
        let call = AnswerFunction::new(task).into_udaf().call(self.columns());
        let asked = async { self.engine.rows.clone().aggregate(vec![], vec![call])?.collect().await };
        let batches = self.read(asked)?;
        let wrong = || ScanError::WrongAnswer { question: question.name() };
        let counted = Counted::from_bytes(question, only_value(&batches).ok_or_else(wrong)?)?;
        self.check_rows(counted.rows)?;
        Ok(counted.answer)
    }

    /// The points in memory, where they fit.
    fn held(&self) -> Result<Option<&Held>, ScanError> {
        let Layout::Lattice { .. } = &self.layout else { return Ok(None) };
        if self.engine.memory == 0 {
            return Ok(None);
        }
        if self.held.get().is_none() {
            let load = async {
                Held::load(self.engine.rows.clone().select(self.columns())?, &self.layout, self.engine.memory).await
            };
            let held = self.read(load)?;
            self.held.get_or_init(|| held);
        }
        Ok(self.held.get().and_then(Option::as_ref))
    }

    /// Runs something that reads the table, and refuses a table that changed before or while it did.
    fn read<T>(&self, work: impl Future<Output = Result<T, DataFusionError>>) -> Result<T, ScanError> {
        let state = self.engine.context.state();
        self.engine.runtime.block_on(async {
            let unchanged = async || self.engine.files.check_unchanged(&state).await;
            unchanged().await.map_err(|what| ScanError::Changed { what })?;
            let done = work.await;
            // A file that is being written to fails in many ways; the cause is what the user can act on.
            unchanged().await.map_err(|what| ScanError::Changed { what })?;
            done.map_err(|error| reading(&error))
        })
    }

    fn columns(&self) -> Vec<Expr> {
        self.layout.wanted().into_iter().map(|name| Expr::Column(Column::from_name(name))).collect()
    }

    /// Refuses another number of rows than the first question found.
    fn check_rows(&self, rows: u64) -> Result<(), ScanError> {
        let mut first = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match *first.get_or_insert(rows) {
            before if before == rows => Ok(()),
            _ => Err(ScanError::Changed { what: "it has another number of rows than at first".into() }),
        }
    }
}

impl Scan for EngineScan<'_> {
    fn dims(&self) -> usize {
        self.layout.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        if question.moves_rows() {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        question.check_for(self.dims())?;
        let begun = Instant::now();
        let answer = self.answer(question)?;
        let asked = Asked {
            question: question.name(),
            question_bytes: question.to_bytes().len(),
            answer_bytes: question.answer_bytes(),
            seconds: begun.elapsed().as_secs_f64(),
        };
        self.engine.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(asked);
        answer.finish(question)
    }
}

/// The one value of the one row that an aggregate without groups gives.
fn only_value(batches: &[RecordBatch]) -> Option<&[u8]> {
    let mut full = batches.iter().filter(|batch| batch.num_rows() > 0);
    let (Some(batch), None) = (full.next(), full.next()) else { return None };
    let values = batch.columns().first()?.as_binary_opt::<i64>()?;
    (batch.num_rows() == 1 && batch.num_columns() == 1).then(|| values.value(0))
}
