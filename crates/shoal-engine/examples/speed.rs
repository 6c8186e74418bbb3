//! How long questions take beside plain sums: `cargo run --release --example speed -- FOLDER [ROWS]`.
//!
//! Writes ROWS × 10 doubles (10 million by default, in eight Parquet files) into FOLDER where there are none, then runs, in turn,
//! `select sum(x0), …` by DataFusion, one question of ten centres on the same files, and the same question from memory.
//! The best of three is printed for each, with ratios to the sums.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints figures")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, Float64Array, RecordBatch};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use shoal::{Engine, Fit};
use shoal_engine::{Options, TableEngine};
use shoal_files::{BoundsSpec, Missing};
use shoal_kernel::LatticeCentres;
use shoal_scan::Question;

const COLUMNS: usize = 10;
const FILES: usize = 8;
const ROWS_AT_ONCE: usize = 250_000;
const TIMES: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder")?;
    let rows: usize = arguments.next().map_or(Ok(10_000_000), |rows| rows.parse())?;
    write(Path::new(&folder), rows)?;
    let threads = std::thread::available_parallelism()?.get();

    let sums = best(|| sums(&folder, threads))?;
    let asked = |memory| {
        let options = Options { threads: Some(threads), memory: Some(memory), ..Options::default() };
        let table = TableEngine::open(&[folder.as_str()], &options)?;
        let (names, question) = (columns(), question());
        let bounds = BoundsSpec::parse("0,1")?.resolve(&names, &names)?;
        let scan = table.scan(&bounds, Missing::Refuse)?;
        // With memory, the first question reads the files.
        drop(scan.ask(&Question::RowCount)?);
        best(|| Ok(drop(scan.ask(&question)?)))
    };
    let (files, memory) = (asked(0)?, asked(8 << 30)?);
    let fit = |memory| {
        let options = Options { threads: Some(threads), memory: Some(memory), ..Options::default() };
        let table = TableEngine::open(&[folder.as_str()], &options)?;
        let begun = Instant::now();
        Fit::new(5, "1")?.bounds("0,1")?.seed(1).run_engine(&table)?;
        Ok::<f64, Box<dyn Error>>(begun.elapsed().as_secs_f64())
    };
    let (fit_from_memory, fit_from_files) = (fit(8 << 30)?, fit(0)?);
    println!("{rows} rows, {COLUMNS} columns, {threads} threads");
    for (what, seconds) in [
        ("sum(x0), …, sum(x9) by DataFusion", sums),
        ("one question, from files", files),
        ("one question, from memory", memory),
        ("a fit by auto, from memory", fit_from_memory),
        ("a fit by auto, from files", fit_from_files),
    ] {
        println!("{seconds:8.3} s  {:6.2} ×  {what}", seconds / sums);
    }
    Ok(())
}

fn best(mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..TIMES {
        let begun = Instant::now();
        work()?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn columns() -> Vec<String> {
    (0..COLUMNS).map(|column| format!("x{column}")).collect()
}

/// Sums and counts for ten centres.
fn question() -> Question {
    let coordinates = (0..10 * COLUMNS).map(|at| (at as i64 * 7919 % 65_535 - 32_767) as i16).collect();
    Question::SumsAndCounts { centres: LatticeCentres::new(COLUMNS, coordinates) }
}

fn sums(folder: &str, threads: usize) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(async {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(threads));
        context.register_parquet("t", folder, ParquetReadOptions::default()).await?;
        let all: Vec<String> = columns().iter().map(|column| format!("sum({column})")).collect();
        drop(context.sql(&format!("select {} from t", all.join(", "))).await?.collect().await?);
        Ok(())
    })
}

/// Numbers from 0 to 1 in three loose clusters, repeatable.
fn write(folder: &Path, rows: usize) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let mut state = 1_u64;
    for file in 0..FILES {
        let path = folder.join(format!("{rows}-{file}.parquet"));
        if path.exists() {
            continue;
        }
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).set_dictionary_enabled(false);
        let mut writer: Option<ArrowWriter<std::fs::File>> = None;
        let (start, end) = (file * rows / FILES, (file + 1) * rows / FILES);
        for first in (start..end).step_by(ROWS_AT_ONCE) {
            let count = ROWS_AT_ONCE.min(end - first);
            let mut column = |_: usize| -> ArrayRef {
                let mut number = |row: usize| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let part = (state >> 11) as f64 / (1u64 << 53) as f64;
                    0.25 * (row % 3) as f64 + 0.4 * part
                };
                Arc::new(Float64Array::from_iter_values((0..count).map(&mut number)))
            };
            let arrays: Vec<_> = (0..COLUMNS).map(&mut column).collect();
            let batch = RecordBatch::try_from_iter(columns().into_iter().zip(arrays))?;
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(ArrowWriter::try_new(
                    std::fs::File::create(&path)?,
                    batch.schema(),
                    Some(properties.clone().build()),
                )?),
            };
            writer.write(&batch)?;
            writer.flush()?;
        }
        if let Some(writer) = writer {
            writer.close()?;
        }
    }
    Ok(())
}
