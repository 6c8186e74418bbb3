//! Which cluster each report belongs to, and with what probability.
//!
//! The nearest centre is not the likeliest cluster: clusters differ in share and in spread, and the noise is known. By Bayes'
//! rule a report x is of cluster j with probability
//!
//!   w_j·f_j(x) / Σ_i w_i·f_i(x),
//!
//! where f_j is the density of a report about a record of cluster j (see `noise_aware/scales.rs`). A probability far below
//! one says that the report's noise hides its cluster, not that its sender lies between two.
//!
//! *Privacy*: a label is computed from one report and from clusters that were found in reports, so it keeps the guarantee of
//! the reports and has no other.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use rayon::prelude::*;
use shoal_device::NoiseLaw;
use shoal_files::{Form, plain_error};
use shoal_lattice::{UnitPosition, Widths};

use crate::server::noise_aware::ReportDensity;
use crate::server::{Clusters, ReportPoints};

/// Reports that a thread takes at a time, and rows of a row group.
const PART: usize = 4_096;
const GROUP: usize = 1 << 18;

/// Where a Parquet file of labels has the guarantee of the reports, and how a CSV file begins.
pub const LABELS_KEY: &str = "shoal.labels";

/// The cluster of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportLabel {
    /// The cluster, from 0.
    pub label: usize,
    /// The probability that the report is of this cluster; nothing where the method does not model the noise.
    pub probability: Option<f64>,
}

/// The likeliest cluster of each report under the known noise.
pub fn labels(points: &ReportPoints, law: NoiseLaw, clusters: &Clusters) -> Vec<ReportLabel> {
    let dims = points.dims();
    let ln_weights: Vec<f64> = clusters.shares.iter().map(|share| libm::log(share.max(1e-300))).collect();
    let none = vec![Widths(0.0); dims];
    let of_cluster = |(j, centre): (usize, &Vec<UnitPosition>)| {
        let spread = clusters.widths.get(j).unwrap_or(&none);
        ReportDensity::new(law, UnitPosition::numbers(centre), spread.iter().map(|width| width.0).collect())
    };
    let densities: Vec<ReportDensity> = clusters.centres.iter().enumerate().map(of_cluster).collect();
    let words = points.words().map(|words| (words, words.logs(&clusters.levels.concat())));
    in_order(points, |row, report| {
        let mut logs: Vec<f64> = densities.iter().zip(&ln_weights).map(|(f, w)| w + f.ln(report)).collect();
        if let Some((words, table)) = &words {
            let mut of_words = vec![0.0; logs.len()];
            words.add_logs(row, table, &mut of_words);
            logs.iter_mut().zip(of_words).for_each(|(log, more)| *log += more);
        }
        let (label, largest) = likeliest(&logs);
        let total: f64 = logs.iter().map(|log| libm::exp(log - largest)).sum();
        ReportLabel { label, probability: Some(1.0 / total) }
    })
}

/// The nearest centre of each report, for methods that do not model the noise.
pub fn nearest_labels(points: &ReportPoints, centres: &[Vec<UnitPosition>]) -> Vec<ReportLabel> {
    in_order(points, |_, report| {
        let minus =
            |centre: &Vec<UnitPosition>| -report.iter().zip(centre).map(|(x, m)| (x - m.0).powi(2)).sum::<f64>();
        let (label, _) = likeliest(&centres.iter().map(minus).collect::<Vec<f64>>());
        ReportLabel { label, probability: None }
    })
}

/// The place of the largest number, the first of several, and the number.
fn likeliest(logs: &[f64]) -> (usize, f64) {
    let mut best = (0, logs[0]);
    for (at, &log) in logs.iter().enumerate().skip(1) {
        if log > best.1 {
            best = (at, log);
        }
    }
    best
}

fn in_order(points: &ReportPoints, label: impl Fn(usize, &[f64]) -> ReportLabel + Sync) -> Vec<ReportLabel> {
    let parts: Vec<Vec<ReportLabel>> = (0..points.rows().div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let mut report = vec![0.0; points.dims()];
            (part * PART..((part + 1) * PART).min(points.rows()))
                .map(|row| {
                    points.copy_row(row, &mut report);
                    label(row, &report)
                })
                .collect()
        })
        .collect();
    parts.concat()
}

/// Writes labels as CSV or Parquet: `report` (from 1, in the order of the files), `label`, and `probability` where there is
/// one. `number` is the number that people see of a cluster, `guarantee` the one of the reports, as JSON on one line.
pub fn write_labels<W: Write + Send>(
    out: W,
    form: Form,
    labels: &[ReportLabel],
    number: impl Fn(usize) -> usize,
    guarantee: &str,
) -> io::Result<()> {
    match form {
        Form::Csv => write_csv(out, labels, number, guarantee),
        Form::Parquet => write_parquet(out, labels, number, guarantee).map_err(plain_error),
    }
}

fn write_csv<W: Write>(
    out: W,
    labels: &[ReportLabel],
    number: impl Fn(usize) -> usize,
    guarantee: &str,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let probability = labels.iter().any(|label| label.probability.is_some());
    // A line that readers take for a comment, as in files of reports.
    writeln!(out, "# {LABELS_KEY} {guarantee}")?;
    writeln!(out, "report,label{}", if probability { ",probability" } else { "" })?;
    for (row, label) in labels.iter().enumerate() {
        write!(out, "{},{}", row + 1, number(label.label))?;
        match label.probability {
            Some(probability) => writeln!(out, ",{probability:.6}")?,
            None => writeln!(out)?,
        }
    }
    out.flush()
}

fn write_parquet<W: Write + Send>(
    out: W,
    labels: &[ReportLabel],
    number: impl Fn(usize) -> usize,
    guarantee: &str,
) -> Result<()> {
    let probability = labels.iter().any(|label| label.probability.is_some());
    let field = |name: &str, physical| {
        Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let mut fields = vec![field("report", PhysicalType::INT64)?, field("label", PhysicalType::INT64)?];
    if probability {
        fields.push(field("probability", PhysicalType::DOUBLE)?);
    }
    let schema = Type::group_type_builder("labels").with_fields(fields).build()?;
    let described = vec![KeyValue::new(LABELS_KEY.to_string(), guarantee.to_string())];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(described))
        .build();
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let missing = || ParquetError::General("the schema has these columns".into());
    for (part, labels) in labels.chunks(GROUP).enumerate() {
        let rows: Vec<i64> = (0..labels.len()).map(|row| (part * GROUP + row + 1) as i64).collect();
        let numbers: Vec<i64> = labels.iter().map(|label| number(label.label) as i64).collect();
        let mut group = writer.next_row_group()?;
        for column in [rows, numbers] {
            let mut writer = group.next_column()?.ok_or_else(missing)?;
            writer.typed::<Int64Type>().write_batch(&column, None, None)?;
            writer.close()?;
        }
        if probability {
            let values: Vec<f64> = labels.iter().map(|label| label.probability.unwrap_or(f64::NAN)).collect();
            let mut writer = group.next_column()?.ok_or_else(missing)?;
            writer.typed::<DoubleType>().write_batch(&values, None, None)?;
            writer.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}
