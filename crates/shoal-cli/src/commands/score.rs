//! `shoal score`

use serde::Serialize;
use shoal_kernel::score::{Contingency, Normalizer, adjusted_rand_index, normalized_mutual_information};
use shoal_privacy::{Sensitive, ThisIsNotPrivate};

use super::beside_reports::{Beside, OfReports};
use super::predict::{BATCH, Labeller, read_model, wanted};
use crate::arguments::{Format, ScoreArgs, Shown};
use crate::failure::Failure;
use crate::show::output::{self, Table};
use crate::show::progress::ReadingBar;
use crate::table;

/// How well a model fits raw rows.
#[derive(Serialize)]
struct Scores {
    private: bool,
    rows: u64,
    nicv: f64,
    nicv_unsquared: f64,
    sse: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ari: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nmi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reports: Option<OfReports>,
}

/// Scores a model on raw rows.
pub fn run(args: &ScoreArgs, shown: &Shown) -> Result<(), Failure> {
    let model = read_model(&args.model)?;
    let mut labeller = Labeller::new(&model)?;
    let options = wanted(&model, args.labels.clone(), args.missing, args.no_header);
    let table = table::open(table::source(&args.data, shown), options)?;
    let bar = ReadingBar::new("scoring", shown);
    let mut groups: Contingency<usize, String> = Contingency::default();
    let mut row = vec![0.0; model.columns.len()];
    let mut beside = args.reports.as_deref().map(|file| Beside::read(file, &model, shown)).transpose()?;
    table.for_each_batch(BATCH, &bar, |batch| {
        for r in 0..batch.rows() {
            batch.copy_row(r, &mut row);
            let label = labeller.label(&mut row)?;
            let group = batch.labels().map(|labels| &labels[r]);
            if let Some(group) = group {
                groups.add(&label, group);
            }
            if let Some(beside) = &mut beside {
                beside.add(&row, group);
            }
        }
        Ok::<(), Failure>(())
    })?;
    bar.finish();
    let distances = labeller.into_distances();
    let labelled = args.labels.is_some();
    let scores = Sensitive::new(Scores {
        private: false,
        rows: distances.rows(),
        nicv: distances.squared()?,
        nicv_unsquared: distances.unsquared()?,
        sse: distances.total_squared()?,
        ari: labelled.then(|| adjusted_rand_index(&groups)).transpose()?,
        nmi: labelled.then(|| normalized_mutual_information(&groups, Normalizer::Arithmetic)).transpose()?,
        reports: beside.map(|beside| beside.scores(&model)).transpose()?,
    });
    show(&scores.without_privacy().reveal(ThisIsNotPrivate), shown)
}

fn show(scores: &Scores, shown: &Shown) -> Result<(), Failure> {
    if shown.format == Format::Json {
        return output::json(scores);
    }
    let mut table = Table::new(&["score", "value", "meaning"]);
    let mut line =
        |name: &str, value: f64, meaning: &str| table.row([name.into(), format!("{value:.6}"), meaning.to_string()]);
    line("NICV", scores.nicv, "mean squared distance to the nearest centre, each column scaled to [-1, 1]");
    line("NICV (unsquared)", scores.nicv_unsquared, "the same without the square, as NQC21 prints it");
    line("SSE", scores.sse, "sum of squared distances, same scale");
    if let (Some(ari), Some(nmi)) = (scores.ari, scores.nmi) {
        line("ARI", ari, "agreement with the known groups: 1 is full, 0 is chance");
        line("NMI", nmi, "shared information with the known groups: 1 is full, 0 is none");
    }
    if let Some(of_reports) = &scores.reports {
        of_reports.lines(&mut line);
    }
    output::print(&format!(
        "NOT PRIVATE: computed from the {} raw rows, without noise. For your eyes only.\n\n{table}",
        scores.rows
    ))
}
