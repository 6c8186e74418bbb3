//! A step in plain words, for whoever decides whether to answer it.

use shoal_scan::Question;

use crate::{NoiseSpec, Step, Take};

impl Step {
    /// What is asked, how it is hidden and what it costs, in a sentence.
    pub fn sentence(&self) -> String {
        let numbers = self.numbers();
        let columns = |count: usize| if count == 1 { "1 column".to_owned() } else { format!("{count} columns") };
        let what = match (&self.question, self.take) {
            (Question::RowCount, _) => "the number of rows".to_owned(),
            (Question::CellCounts { .. }, _) => format!("the number of rows in each of {numbers} cells of a grid"),
            (Question::BoxCounts { .. }, _) => format!("the number of rows in each of {numbers} boxes of a tree"),
            (Question::SumsAndCounts { .. }, _) => format!("the number of rows nearest to each of {numbers} points"),
            (Question::Buckets { lists }, _) => {
                format!(
                    "for each of {}, the number of values in each of its ranges, {numbers} in all",
                    columns(lists.len())
                )
            }
            (Question::CappedCost { centres, .. }, _) => {
                format!(
                    "how far rows are from the nearest of {} points, as one sum of cut-off squares",
                    centres.count()
                )
            }
            (Question::ClippedSums { centres, .. }, take) => {
                let counts = if take == Take::SumsAndCounts { ", and their number" } else { "" };
                format!(
                    "for each of {} centres, sums over its rows of cut-off distances in {}{counts}",
                    centres.count(),
                    columns(centres.dims())
                )
            }
            (Question::Moments { dims }, take) => {
                let squares = if take == Take::OneVariance { "one sum of squares" } else { "the sums of squares" };
                format!("the sums of all rows in {}, and {squares}", columns(*dims))
            }
            _ => self.question.name().to_owned(),
        };
        let noise = match &self.noise {
            NoiseSpec::Laplace { .. } => "Laplace",
            NoiseSpec::Cube { .. } => "cube-shaped",
            NoiseSpec::Gaussian { .. } => "Gaussian",
        };
        format!("{what}, with {noise} noise; it costs {}", self.claim().loss.symbols())
    }
}
