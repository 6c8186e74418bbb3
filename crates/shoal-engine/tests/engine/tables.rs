//! Tables of a test, whole for `Fit::run` and in pieces for the engine.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::parquet::arrow::ArrowWriter;
use shoal_engine::{Options, TableEngine};

/// A repeatable sequence of whole numbers.
pub struct Sequence(pub u64);

impl Sequence {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number from 0 to 1.
    pub fn part(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }
}

/// Writes a Parquet file, with small row groups.
pub fn write(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    for start in (0..batch.num_rows()).step_by(500) {
        writer.write(&batch.slice(start, 500.min(batch.num_rows() - start))).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

/// The table as one file, and as nine in a folder.
pub fn both(folder: &Path, columns: Vec<(&str, ArrayRef)>) -> (PathBuf, String) {
    let nullable = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let (whole, pieces) = (folder.join("whole.parquet"), folder.join("people"));
    std::fs::create_dir(&pieces).unwrap();
    write(&whole, &batch);
    let rows = batch.num_rows();
    for piece in 0..9 {
        let (start, end) = (piece * rows / 9, (piece + 1) * rows / 9);
        write(&pieces.join(format!("part-{piece}.parquet")), &batch.slice(start, end - start));
    }
    (whole, pieces.to_str().unwrap().to_string())
}

/// Three clusters in three columns.
pub fn people(rows: usize) -> Vec<(&'static str, ArrayRef)> {
    use datafusion::arrow::array::{Float64Array, Int32Array};
    let mut random = Sequence(7);
    let (mut age, mut hours, mut income) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let (a, h, i) = [(25.0, 20, 2e3), (45.0, 40, 6e3), (70.0, 5, 3e3)][row % 3];
        age.push(a + 8.0 * random.part());
        hours.push(h + (random.next() % 9) as i32);
        income.push(i * (0.5 + random.part()));
    }
    vec![
        ("age", Arc::new(Float64Array::from(age))),
        ("hours", Arc::new(Int32Array::from(hours))),
        ("income", Arc::new(Float64Array::from(income))),
    ]
}

/// An engine that reads in so many parts, again for each question.
pub fn engine(place: &str, threads: usize) -> TableEngine {
    with_memory(place, threads, 0)
}

/// The same with memory for lattice points.
pub fn with_memory(place: &str, threads: usize, memory: usize) -> TableEngine {
    let options = Options { threads: Some(threads), memory: Some(memory), ..Options::default() };
    TableEngine::open(&[place], &options).unwrap()
}

/// The error of something that must fail.
pub fn error<T, E: std::fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => panic!("it should be refused"),
        Err(error) => error.to_string(),
    }
}
