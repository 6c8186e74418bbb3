//! A table as Python holds it: a path, or columns in memory that stay where they are.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatchReader};
use numpy::{PyReadonlyArray1, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use shoal::{Error, Input};
use shoal_files::{ArrowValues, Column, DataError, Matrix, Numbers, Source, Texts, Values};

use crate::columns::ArrayColumn;
use crate::errors::exception;
use crate::words::Words;

/// A table that jobs read. Sensitive: it gives access to the records.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Frame {
    pub(crate) held: Arc<Held>,
}

/// Where the rows are.
pub(crate) enum Held {
    Path(PathBuf),
    Columns(Columns),
}

/// Columns in memory.
#[derive(Default)]
pub(crate) struct Columns {
    numbers: Vec<(String, Box<dyn Numbers + Send + Sync>)>,
    /// Columns of text that name persons or order their rows.
    texts: Vec<(String, Vec<String>)>,
    /// Columns that are categories.
    words: Vec<(String, Words)>,
    /// Columns that cannot be read as numbers, with their types in words.
    others: Vec<(String, String)>,
}

impl Held {
    /// The table for a job.
    pub(crate) fn input(&self) -> Result<Input<'_>, Error> {
        match self {
            Self::Path(path) => Ok(Input::from(path)),
            Self::Columns(columns) => {
                let numbers = columns.numbers.iter();
                let read = numbers.map(|(name, values)| (name.clone(), Column::new(Values::Read(&**values))));
                let words = columns.words.iter();
                let words = words.map(|(name, words)| (name.clone(), Column::new(Values::Read(words))));
                let mut matrix = Matrix::from_columns(read.chain(words))?;
                for (name, texts) in &columns.texts {
                    matrix = matrix.with_texts(name, Texts::String(texts))?;
                }
                Ok(matrix.into())
            }
        }
    }

    /// Refuses names of columns that are there and hold no numbers.
    pub(crate) fn check_numbers<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Result<(), Error> {
        let Self::Columns(columns) = self else { return Ok(()) };
        let other = names.into_iter().find_map(|name| columns.others.iter().find(|(other, _)| other == name));
        match other {
            Some((column, found)) => {
                let numeric = columns.numbers.iter().map(|(name, _)| name.clone()).collect();
                Err(DataError::ColumnType { column: column.clone(), found: found.clone(), numeric }.into())
            }
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Frame {
    /// A file: CSV, Parquet, Arrow, a workbook.
    #[staticmethod]
    fn path(path: PathBuf) -> Self {
        Self { held: Arc::new(Held::Path(path)) }
    }

    /// Columns of arrays: names with one-dimensional numpy arrays of native numbers; names with texts; names with words and
    /// the place of each row's word; names with types of what cannot be read.
    #[staticmethod]
    fn arrays(
        numbers: Vec<(String, Bound<'_, PyUntypedArray>)>,
        texts: Vec<(String, Vec<String>)>,
        words: Vec<(String, Vec<String>, PyReadonlyArray1<'_, i64>)>,
        others: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let mut columns = Columns { texts, others, ..Columns::default() };
        for (name, words, places) in words {
            let Some(column) = Words::new(words, places.as_slice()?) else {
                return Err(PyTypeError::new_err(format!("column {name}: some rows have no word")));
            };
            columns.words.push((name, column));
        }
        for (name, array) in numbers {
            let Some(column) = ArrayColumn::new(&array) else {
                return Err(PyTypeError::new_err(format!("column {name}: not a one-dimensional array of numbers")));
            };
            columns.numbers.push((name, Box::new(column)));
        }
        Ok(Self { held: Arc::new(Held::Columns(columns)) })
    }

    /// The columns of an Arrow stream, by the PyCapsule interface. `naming` are columns whose texts name persons or order
    /// their rows, `categories` those that are categories.
    #[staticmethod]
    fn arrow(
        py: Python<'_>,
        stream: &Bound<'_, PyCapsule>,
        naming: Vec<String>,
        categories: Vec<String>,
    ) -> PyResult<Self> {
        let broken = |why: &str| exception(py, "DataError", why, "arrow-stream");
        let pointer = stream.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of this name holds such a stream, which is taken out of it, so that its destructor finds it
        // released.
        let taken = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
        let reader = ArrowArrayStreamReader::try_new(taken)
            .map_err(|_| broken("the Arrow stream has no schema that can be read"))?;
        let schema = reader.schema();
        let mut chunks: Vec<Vec<ArrayRef>> = vec![Vec::new(); schema.fields().len()];
        for batch in reader {
            // The reason may quote a record.
            let batch = batch.map_err(|_| broken("the Arrow stream broke off; read it again from its source"))?;
            for (chunks, column) in chunks.iter_mut().zip(batch.columns()) {
                chunks.push(column.clone());
            }
            py.check_signals()?;
        }
        let mut columns = Columns::default();
        for (field, chunks) in schema.fields().iter().zip(chunks) {
            let (words, numeric) = ArrowValues::declared(field.data_type());
            if categories.contains(field.name()) {
                match Words::of_arrow(field.data_type(), &chunks) {
                    Some(column) => columns.words.push((field.name().clone(), column)),
                    None => columns.others.push((field.name().clone(), words)),
                }
                continue;
            }
            let (name, values) = (field.name().clone(), ArrowValues::new(chunks));
            if numeric {
                columns.numbers.push((name, Box::new(values)));
            } else if let Some(texts) = naming.contains(&name).then(|| values.texts()).flatten() {
                columns.texts.push((name, texts));
            } else {
                columns.others.push((name, words));
            }
        }
        Ok(Self { held: Arc::new(Held::Columns(columns)) })
    }

    /// The names of the columns of numbers; nothing for a file, which has not been opened.
    #[getter]
    fn numbers(&self) -> Option<Vec<String>> {
        match &*self.held {
            Held::Path(_) => None,
            Held::Columns(columns) => Some(columns.numbers.iter().map(|(name, _)| name.clone()).collect()),
        }
    }

    /// The names of the columns that are categories.
    #[getter]
    fn words(&self) -> Vec<String> {
        match &*self.held {
            Held::Path(_) => Vec::new(),
            Held::Columns(columns) => columns.words.iter().map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The names of the other columns and their types in words.
    #[getter]
    fn others(&self) -> Vec<(String, String)> {
        match &*self.held {
            Held::Path(_) => Vec::new(),
            Held::Columns(columns) => columns.others.clone(),
        }
    }

    /// The number of rows in memory. As sensitive as they are.
    #[getter]
    fn rows(&self) -> Option<usize> {
        self.row_count()
    }
}

impl Frame {
    /// The number of rows in memory.
    pub(crate) fn row_count(&self) -> Option<usize> {
        match &*self.held {
            Held::Path(_) => None,
            Held::Columns(columns) => {
                let texts = || columns.texts.first().map(|(_, texts)| texts.len());
                let words = || columns.words.first().map(|(_, words)| words.len());
                columns.numbers.first().map(|(_, numbers)| numbers.len()).or_else(words).or_else(texts)
            }
        }
    }

    /// Bytes of a released file.
    pub(crate) fn source(data: SourceArg) -> Source {
        match data {
            SourceArg::Bytes(bytes) => Source::Memory(bytes),
            SourceArg::Path(path) => Source::Path(path),
        }
    }
}

/// A released file, or its bytes.
#[derive(FromPyObject)]
pub(crate) enum SourceArg {
    #[pyo3(transparent)]
    Bytes(Vec<u8>),
    #[pyo3(transparent)]
    Path(PathBuf),
}
