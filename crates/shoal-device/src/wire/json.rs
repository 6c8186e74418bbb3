//! The form in JSON.

use serde::{Deserialize, Serialize};
use shoal_lattice::Steps;

use super::{Day, DesignTag, Envelope, ReportId, VERSION, WireError, check_columns};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u64,
    design: String,
    reports: Vec<WrittenReport>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReport {
    id: String,
    day: u32,
    steps: Vec<Steps>,
}

/// Enough to see the version of a text whose other fields may be anything.
#[derive(Deserialize)]
struct AnyVersion {
    version: u64,
}

/// Writes reports of one design as one line of JSON.
///
/// # Errors
/// When there are no reports, or they are of several designs.
pub fn encode_json(reports: &[Envelope]) -> Result<String, WireError> {
    let first = reports.first().ok_or(WireError::Empty)?;
    if reports.iter().any(|report| report.design != first.design) {
        return Err(WireError::SeveralDesigns);
    }
    let written =
        |report: &Envelope| WrittenReport { id: report.id.to_string(), day: report.day.0, steps: report.steps.clone() };
    let (version, design) = (VERSION.into(), first.design.to_string());
    let written = Written { version, design, reports: reports.iter().map(written).collect() };
    // Unwrap safety: texts and whole numbers under fixed names.
    Ok(serde_json::to_string(&written).unwrap())
}

/// Reads at most `most` reports.
///
/// # Errors
/// When the text is not such JSON, is of another version, or has more reports than `most`.
pub fn decode_json(text: &[u8], most: usize) -> Result<Vec<Envelope>, WireError> {
    let shape = |error: serde_json::Error| WireError::Json { line: error.line(), column: error.column() };
    let AnyVersion { version } = serde_json::from_slice(text).map_err(shape)?;
    if version != u64::from(VERSION) {
        return Err(WireError::Version { found: version });
    }
    let Written { design, reports, .. } = serde_json::from_slice(text).map_err(shape)?;
    let design = if design.len() == 64 { DesignTag::of_digest(&design)? } else { design.parse()? };
    if reports.len() > most {
        return Err(WireError::TooMany { most });
    }
    let read = |report: WrittenReport| {
        check_columns(report.steps.len() as u64)?;
        let id: ReportId = report.id.parse()?;
        Ok(Envelope { design, id, day: Day(report.day), steps: report.steps })
    };
    let reports = reports.into_iter().map(read).collect::<Result<Vec<_>, WireError>>()?;
    if reports.is_empty() { Err(WireError::Empty) } else { Ok(reports) }
}
