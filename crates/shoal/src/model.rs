//! `model.json`: what a fit leaves behind, readable by people and by other programs.
//!
//! The format is stable and versioned. Everything in it is released or public; it can be handed to anyone whom the
//! guarantee is meant for.

mod certainty;
mod decision;
#[cfg(test)]
mod example;
mod how_read;
mod json;
pub(crate) mod matching;
mod merged_from;
mod of_reports;
mod order;
mod split_run;

pub use certainty::{Certainty, Standing};
pub use decision::Decision;
#[cfg(test)]
pub(crate) use example::example;
pub use how_read::HowRead;
pub use json::ModelError;
pub use matching::OtherColumns;
pub use merged_from::{Custodian, MergedFrom, MergedKind};
pub use of_reports::FromReports;
pub use order::Numbering;
pub use split_run::SplitRun;

use std::fmt;

use serde::{Deserialize, Serialize};
use shoal_privacy::{Claim, Guarantee, Loss, Published, Spent};

use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{ExpectedError, NicvEstimate, Outcome, SynopsisClusters, find_method, swamped_clusters};
use shoal_lattice::{Bounds, BoxPosition, Category, Interval, LatticeMap, Scale, Widths};

/// The version this program writes and reads.
pub const VERSION: u32 = 1;

/// Follows the name of the method whose synopsis was clustered.
const FROM_SYNOPSIS: &str = "/synopsis";

/// A released clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Version of the format.
    pub version: u32,
    /// Who was trusted.
    pub kind: Kind,
    /// The method's name.
    pub method: String,
    /// Names of the attributes.
    pub columns: Vec<String>,
    /// Public interval of each attribute.
    pub bounds: Vec<Interval>,
    /// The scale of each attribute; empty where none is stretched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scales: Vec<Scale>,
    /// The weight of each attribute; empty where all weigh the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// The categories whose levels the last attributes are, in this order: each such attribute is called `gender=F` and its
    /// centres are shares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Category>,
    /// The centres, in the user's units.
    #[serde(rename = "centers")]
    pub centres: Vec<Vec<f64>>,
    /// Noisy number of rows of each cluster; empty when the method releases none.
    pub sizes: Vec<f64>,
    /// Standard deviation of the noise on each size; empty when there are no sizes.
    pub size_sd: Vec<f64>,
    /// Standard deviation of the noise on each coordinate, in the user's units.
    #[serde(rename = "center_sd")]
    pub centre_sd: Vec<Vec<f64>>,
    /// What the code gives.
    pub guarantee: Guarantee,
    /// The same guarantee in another unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Claim>,
    /// What the paper says.
    pub published: Published,
    /// What it cost: zero when it was clustered from a synopsis or merged from releases, nothing at all when the noise was seeded, since no budget
    /// can pay for that, or when it was found in reports, which their senders paid for.
    pub spent: Option<Spent>,
    /// What the synopsis cost that this was clustered from, where it was. What custodians paid for releases that were
    /// merged is in [`Model::merged_from`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid_before: Option<Spent>,
    /// How far noise is expected to have moved a centre.
    pub expected_error: ExpectedError,
    /// How far rows are from their centres, where a part of the budget bought an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nicv_estimate: Option<NicvEstimate>,
    /// How certain all this is, where the method can say. Its fields are beside the others in JSON.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// How many clusters were asked for, where the budget could not separate as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k_asked: Option<usize>,
    /// The numbers of the clusters, where they follow an earlier model; otherwise they are 1, 2, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbering: Option<Numbering>,
    /// What public or released numbers decided on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What it was found in, when that was reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_reports: Option<FromReports>,
    /// What it was merged from, when that was releases of several custodians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_from: Option<MergedFrom>,
    /// The run that it was computed from, when custodians and helpers made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<SplitRun>,
    /// How the table was read, so that other tables are read in the same way.
    #[serde(default, skip_serializing_if = "HowRead::is_usual")]
    pub reading: HowRead,
    /// The noise came from a seed.
    pub seeded: bool,
    /// Version of the program.
    pub shoal: String,
}

/// The centres in the user's units, how sure they are, and the guarantee in a sentence.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.facts();
        for cluster in &facts.clusters {
            write!(f, "cluster {}:", cluster.number)?;
            for (name, measured) in self.columns.iter().zip(&cluster.values) {
                let half = measured.half_width().unwrap_or(0.0);
                write!(f, " {name} {}", rounded(measured.value, half))?;
                if measured.interval().is_some() {
                    write!(f, " ± {}", rounded(half, half))?;
                }
            }
            if let Some(size) = &cluster.size {
                write!(f, "; about {:.0} {}", size.value, self.units())?;
            }
            match cluster.reliance.words() {
                "" | "stable" => writeln!(f)?,
                words => writeln!(f, "; {words}")?,
            }
        }
        for note in &facts.notes {
            writeln!(f, "{}: {}", note.title, note.text)?;
        }
        write!(f, "{}", facts.guarantee)
    }
}

/// A number to the digits that noise of this size leaves meaningful.
pub(crate) fn rounded(value: f64, noise: f64) -> String {
    let digits = if noise > 0.0 && noise.is_finite() { 1.0 - noise.log10().floor() } else { 3.0 };
    format!("{value:.*}", digits.clamp(0.0, 12.0) as usize)
}

/// Who was trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One trusted holder of a table.
    Curator,
    /// Nobody: each person perturbed their own record.
    Crowd,
}

impl Model {
    /// The model of an outcome over public bounds.
    pub fn of(outcome: &Outcome, bounds: &Bounds, method: &str, published: Published) -> Self {
        let map = LatticeMap::new(bounds);
        let to_user = |centre: &Vec<BoxPosition>| centre.iter().enumerate().map(|(i, &x)| map.to_user(i, x)).collect();
        let in_user = |(sd, centre): (&Vec<Widths>, &Vec<BoxPosition>)| {
            let lengths = sd.iter().zip(centre).enumerate();
            lengths.map(|(i, (sd, around))| map.length_in_user(i, *around, sd.in_box())).collect()
        };
        Self {
            version: VERSION,
            kind: Kind::Curator,
            method: method.into(),
            columns: bounds.columns().to_vec(),
            bounds: bounds.intervals().to_vec(),
            scales: if bounds.scales().iter().all(Scale::is_linear) { Vec::new() } else { bounds.scales().to_vec() },
            weights: if bounds.weights().iter().all(|w| *w == 1.0) { Vec::new() } else { bounds.weights().to_vec() },
            categories: bounds.categories().to_vec(),
            centres: outcome.centres.iter().map(to_user).collect(),
            sizes: outcome.sizes.clone(),
            size_sd: outcome.size_noise.clone(),
            centre_sd: outcome.noise_per_centre.iter().zip(&outcome.centres).map(in_user).collect(),
            guarantee: outcome.guarantee.clone(),
            also: outcome.also.clone(),
            published,
            spent: Spent::unless_seeded(&outcome.guarantee, &outcome.charged),
            paid_before: None,
            expected_error: ExpectedError::of(&outcome.noise_per_centre, &outcome.sizes),
            nicv_estimate: outcome.nicv,
            certainty: outcome.certainty.as_ref().map(|found| Certainty::of(found, bounds, &outcome.centres)),
            k_asked: None,
            numbering: None,
            decisions: outcome.decisions.iter().cloned().map(Into::into).collect(),
            from_reports: None,
            merged_from: None,
            split: None,
            reading: HowRead::default(),
            seeded: outcome.guarantee.is_seeded(),
            shoal: env!("CARGO_PKG_VERSION").into(),
        }
        .in_order()
    }

    /// The same model with the error of sampling ([`Certainty::with_sampling`]), where the spread of the clusters and
    /// their sizes are known.
    pub fn with_sampling(mut self) -> Self {
        self.certainty = self.certainty.map(|known| known.with_sampling(&self.sizes));
        self
    }

    /// The same model when `k` clusters were asked for, which it records where there are fewer.
    pub fn with_asked_k(self, k: usize) -> Self {
        Self { k_asked: (self.k() < k).then_some(k), ..self }
    }

    /// The model of clusters that were found in a released synopsis. That is post-processing: the promise is the
    /// synopsis' own, and nothing is spent on it.
    pub fn of_synopsis(file: &SynopsisFile, found: &SynopsisClusters) -> Self {
        // What else was decided for the fit, such as its number of clusters or its rounds, had no part in this.
        let mut decisions = file.synopsis.decisions.clone();
        decisions.retain(shoal_curator::Decision::is_about_cells);
        let (cells, k) = (file.synopsis.counts.len(), found.centres.len());
        if cells < k {
            decisions.push(shoal_curator::Decision::FewCells { cells, k });
        }
        let outcome = Outcome {
            centres: found.centres.clone(),
            sizes: found.sizes.clone(),
            size_noise: found.size_noise.clone(),
            noise_per_centre: found.noise_per_centre.clone(),
            guarantee: file.synopsis.guarantee.clone(),
            also: Vec::new(),
            nicv: None,
            certainty: found.certainty.clone(),
            charged: Loss::NONE,
            decisions,
            synopsis: None,
        };
        let method = format!("{}{FROM_SYNOPSIS}", file.method);
        let model = Self::of(&outcome, &file.bounds, &method, file.published.clone());
        Self { paid_before: Spent::unless_seeded(&file.synopsis.guarantee, &file.synopsis.charged), ..model }
    }

    /// What clusters are made of.
    pub fn units(&self) -> &'static str {
        let one_row_each = |decision: &Decision| {
            matches!(decision, Decision::Curator(shoal_curator::Decision::Persons { most: 1, .. }))
        };
        match self.kind {
            Kind::Curator if self.decisions.iter().any(one_row_each) => "people",
            Kind::Curator => "rows",
            Kind::Crowd => "reports",
        }
    }

    /// The error of the centres is as large as the distances between them: there is nothing to see in them.
    pub fn drowned(&self) -> bool {
        self.from_reports.as_ref().is_some_and(|from| from.drowned)
    }

    /// What the number after ± is.
    pub fn plus_minus(&self) -> &'static str {
        match self.kind {
            Kind::Curator if self.merged_from.is_some() => "two standard deviations of the noise in the releases",
            Kind::Curator => shoal_curator::plus_minus(&self.method),
            Kind::Crowd => shoal_crowd::find_method(self.own_method()).map_or("", |method| method.plus_minus),
        }
    }

    /// What the method does, in a line.
    pub fn summary(&self) -> String {
        if let Some(merged) = &self.merged_from {
            return merged.summary();
        }
        if let Some(split) = &self.split {
            return split.summary();
        }
        match (self.kind, self.synopsis_of()) {
            (Kind::Curator, Some(method)) => format!("k-means on the noisy cells that {method} released"),
            (Kind::Curator, None) => find_method(&self.method).map_or("", |method| method.info.summary).into(),
            (Kind::Crowd, _) => shoal_crowd::find_method(self.own_method()).map_or("", |method| method.summary).into(),
        }
    }

    /// The method's name without what it was applied to.
    fn own_method(&self) -> &str {
        self.method.split('/').next().unwrap_or(&self.method)
    }

    /// The method whose synopsis this was clustered from, if it was.
    pub fn synopsis_of(&self) -> Option<&str> {
        self.method.strip_suffix(FROM_SYNOPSIS)
    }

    /// The bounds with the names of the columns.
    pub fn to_bounds(&self) -> Result<Bounds, ModelError> {
        let bounds = Bounds::new(self.columns.clone(), self.bounds.clone())?;
        if self.scales.is_empty() && self.weights.is_empty() && self.categories.is_empty() {
            return Ok(bounds);
        }
        let scales = if self.scales.is_empty() { bounds.scales().to_vec() } else { self.scales.clone() };
        let weights = if self.weights.is_empty() { bounds.weights().to_vec() } else { self.weights.clone() };
        Ok(bounds.scaled(scales, weights)?.with_coordinates_of(self.categories.clone())?)
    }

    /// How many attributes are numbers; the others are levels of categories.
    pub fn numbers(&self) -> usize {
        self.columns.len().saturating_sub(self.categories.iter().map(Category::size).sum())
    }

    /// The columns that a table needs: those of numbers, then the categories.
    pub fn table_columns(&self) -> Vec<String> {
        let words = self.categories.iter().map(|category| category.column().to_string());
        self.columns[..self.numbers()].iter().cloned().chain(words).collect()
    }

    /// Each category with the places of its levels among the attributes.
    pub fn places_of_categories(&self) -> impl Iterator<Item = (&Category, std::ops::Range<usize>)> {
        let mut next = self.numbers();
        self.categories.iter().map(move |category| {
            let first = next;
            next += category.size();
            (category, first..next)
        })
    }

    /// The map to the box, where a column is stretched or weighs more than another; nothing in a model of plain columns.
    pub fn stretched_map(&self) -> Option<LatticeMap> {
        if self.scales.is_empty() && self.weights.is_empty() {
            return None;
        }
        self.to_bounds().ok().filter(|bounds| !bounds.is_plain()).map(|bounds| LatticeMap::new(&bounds))
    }

    /// The scale of a column.
    pub fn scale(&self, column: usize) -> &Scale {
        self.scales.get(column).unwrap_or(&Scale::Linear)
    }

    /// Lengths in the user's units around a centre, in widths of the box.
    pub(crate) fn in_widths(&self, centre: &[f64], lengths: &[f64]) -> Vec<Widths> {
        let map = self.stretched_map();
        let plain = |i: usize, length: f64| Widths::of_user(length, &self.bounds[i]);
        let one = |(i, &length): (usize, &f64)| match &map {
            Some(map) => map.length_in_box(i, map.to_box(i, centre[i]), length).in_widths(),
            None => plain(i, length),
        };
        lengths.iter().enumerate().map(one).collect()
    }

    /// The clusters, numbered from zero, whose place is mostly noise.
    pub fn swamped_clusters(&self) -> Vec<usize> {
        let in_widths = |(centre, sd): (&Vec<f64>, &Vec<f64>)| self.in_widths(centre, sd);
        swamped_clusters(&self.centres.iter().zip(&self.centre_sd).map(in_widths).collect::<Vec<_>>())
    }

    /// Number of clusters.
    pub fn k(&self) -> usize {
        self.centres.len()
    }

    /// The centres in the box, one after the other.
    pub fn centres_in_box(&self) -> Result<Vec<BoxPosition>, ModelError> {
        let map = LatticeMap::new(&self.to_bounds()?);
        Ok(self
            .centres
            .iter()
            .flat_map(|c| c.iter().enumerate().map(|(i, &x)| map.to_box(i, x)).collect::<Vec<_>>())
            .collect())
    }
}
