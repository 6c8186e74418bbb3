//! `shoal score`

use shoal::{ReportMeasures, Score, Scores};
use shoal_privacy::ThisIsNotPrivate;

use super::predict::read_model;
use crate::arguments::{Format, ScoreArgs, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::show::bars::Bars;
use crate::show::output::{self, Table};
use crate::table;

/// Scores a model on raw rows.
pub fn run(args: &ScoreArgs, shown: &Shown) -> Result<(), Failure> {
    let model = read_model(&args.model)?;
    let mut job = Score::new(&model).map_err(failed)?.watch(Bars::new(shown));
    if let Some(columns) = &args.columns {
        job = job.columns(columns).map_err(failed)?;
    }
    if let Some(missing) = args.missing {
        job = job.missing(missing);
    }
    if let Some(column) = &args.labels {
        job = job.labels(column);
    }
    if args.no_header || args.header {
        job = job.header(args.header);
    }
    job = job.format(args.written.to_library());
    if args.multiline {
        job = job.multiline();
    }
    if let Some(file) = &args.reports {
        job = job.reports(table::source(file, shown)).map_err(failed)?;
    }
    let scores = job.run(table::source(&args.data, shown)).map_err(failed)?;
    show(&scores.reveal(ThisIsNotPrivate), shown)
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
        report_lines(of_reports, &mut line);
    }
    output::print(&format!(
        "NOT PRIVATE: computed from the {} raw rows, without noise. For your eyes only.\n\n{table}",
        scores.rows
    ))
}

/// A line of the table for each measure of reports.
fn report_lines(of: &ReportMeasures, line: &mut impl FnMut(&str, f64, &str)) {
    let truth = of.truth;
    line("SSE of reports", of.sse, "records from the mean of their cluster's reports, columns scaled to [0, 1]");
    line(
        "RE, same members",
        of.re_same_members,
        &format!("true cluster means against their members' reports ({truth})"),
    );
    if let (Some(sums), Some(means)) = (of.re_matched, of.re_matched_centers) {
        line("RE, matched", sums, "true clusters against matched clusters of reports, sums as printed");
        line("RE, matched means", means, "the same with means in place of sums");
    }
    line("ARI of reports", of.ari, &format!("labels found on reports against {truth}"));
    line("NMI of reports", of.nmi, &format!("labels found on reports against {truth}"));
}
