//! The options of `shoal perturb`. The comments here are the help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use shoal_device::{BpgmForm, Sampler};
use shoal_privacy::{Amount, Epsilon};

use crate::arguments::names::Names;
use crate::arguments::persons::PersonArgs;
use crate::arguments::{TableArgs, parse_epsilon};
use crate::failure::Failure;

pub const EXAMPLES: &str = "\
Each row is taken for one person's record and turned into one report, as that person's own device \
would: to try a collection out, or to share a table when nobody is trusted with it. The file has \
all that a server needs to know: mechanism, ε, columns, bounds and promise.

Bounds are public limits of each column, chosen WITHOUT looking at the data; see `shoal fit --help`.

Examples:
  shoal perturb people.csv --epsilon 4 --bounds age=17:90,hours=1:99 --out reports.parquet
  shoal perturb people.csv -e 4 -b age=17:90 --categories 'gender=F|M|X' --out reports.parquet
  shoal perturb visits.csv -e 4 -b age=17:90,cost=0:5000 --person patient_id --out reports.parquet
  shoal perturb people.csv -m laplace -e 4 -b age=17:90,hours=1:99 --out reports.csv
  shoal perturb people.parquet -m nd-laplace --ending clamped -e 8 -b bounds.json --out reports.parquet
  shoal cluster reports.parquet -k 5 --out model.json";

#[derive(Args)]
pub struct PerturbArgs {
    /// The table: CSV (also in gzip or zstd), Parquet, Arrow, .xlsx or .ods; - reads standard input
    pub data: String,
    /// How a record becomes a report
    #[arg(short, long, value_enum, default_value_t = MechanismArg::Bpm)]
    pub mechanism: MechanismArg,
    /// Privacy budget of each report: per width of distance between two records, or in all for laplace
    #[arg(short, long, value_parser = parse_epsilon, allow_negative_numbers = true)]
    pub epsilon: Epsilon,
    /// Public limits of each column: `LO,HI`, `NAME=LO:HI,…`, or a JSON or TOML file
    #[arg(short, long, allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Columns of words with public levels: `gender=F|M|X`, or `region=regions.txt` for a file with a level on each line; a
    /// single level ends with a bar (`smoker=yes|`). Each person reports one word by randomised response
    #[arg(long, value_name = "NAME=LEVEL|…,…")]
    pub categories: Option<String>,
    /// How much a mismatch in a category counts, as a part of the range of a column: `gender=1`; 0.5 where nothing is given. It
    /// is also the category's part of ε
    #[arg(long, value_name = "NAME=WEIGHT,…")]
    pub weight: Option<String>,
    /// Write the reports here: text if the name ends in .csv, Parquet otherwise
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Repeatable noise, for tests and papers: gives NO PRIVACY
    #[arg(long)]
    pub seed: Option<u64>,
    /// Run a mechanism that does not keep its published promise, nor any other (bpgm): for research only
    #[arg(long)]
    pub accept_unsound: bool,
    #[command(flatten)]
    pub persons: PersonArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub knobs: MechanismKnobs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MechanismArg {
    /// Noise that falls off with distance up to a radius, even beyond it (YTL22)
    Bpm,
    /// Laplace noise on each column, ε/d each (YTL22's baseline)
    Laplace,
    /// Laplace noise on each column, calibrated to distance
    LaplaceMetric,
    /// Noise that falls off with distance, without bound
    NdLaplace,
    /// Bounded perturbation generation (CLZ25). UNSOUND: keeps no promise, needs --accept-unsound
    Bpgm,
}

const BPGM_FORMS: Names<BpgmForm> = Names(&[
    ("adam", BpgmForm::Adam, "By the published loop, with its loss and its stop test repaired"),
    ("closed-form", BpgmForm::ClosedForm, "Straight from a random start: another mechanism"),
    ("as-printed", BpgmForm::AsPrinted, "By Algorithm 2 to the letter, which stops after one step at most: of no use"),
]);

const SAMPLERS: Names<Sampler> = Names(&[
    ("exact", Sampler::Exact, "Whole numbers all the way: the guarantee is about the very reports"),
    ("doubles", Sampler::Doubles, "Faster, through floating point: the guarantee is one for ideal real numbers"),
]);

/// What only some mechanisms have.
#[derive(Args, Default)]
#[command(next_help_heading = "Knobs of the mechanisms")]
pub struct MechanismKnobs {
    /// Where the noise stops falling off, in widths of a column's range; bpm [default: --radius-rule]
    #[arg(long, value_name = "L", value_parser = parse_radius, allow_negative_numbers = true, conflicts_with = "radius_rule")]
    pub radius: Option<f64>,
    /// How the radius is chosen from ε and the number of columns; bpm [default: information]
    #[arg(long, value_enum)]
    pub radius_rule: Option<RadiusRuleArg>,
    /// What is done to the noisy record before it is sent; nd-laplace [default: raw]
    #[arg(long, value_enum)]
    pub ending: Option<EndingArg>,
    /// Cells along each column; nd-laplace with --ending grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub grid_cells: Option<u32>,
    /// The bound ℓ on the noise, in widths of a column's range; bpgm [default: 1]
    #[arg(long, value_name = "BOUND", value_parser = parse_noise_bound, allow_negative_numbers = true)]
    pub noise_bound: Option<Amount>,
    /// How a record at the drawn distance is found; bpgm [default: adam]
    #[arg(long, value_parser = BPGM_FORMS)]
    pub bpgm_form: Option<BpgmForm>,
    /// How noise is drawn; bpm, nd-laplace [default: exact]
    #[arg(long, value_parser = SAMPLERS)]
    pub sampler: Option<Sampler>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RadiusRuleArg {
    /// The smallest that keeps nearly all information of a report
    Information,
    /// The least mean squared error, as published: runs to one end or the other
    #[value(name = "remark-2")]
    Remark2,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndingArg {
    /// Nothing
    Raw,
    /// Moved to the nearest point within the bounds
    Clamped,
    /// Moved to the centre of the nearest cell of a public grid
    Grid,
}

impl MechanismArg {
    const ALL: [Self; 5] = [Self::Bpm, Self::Laplace, Self::LaplaceMetric, Self::NdLaplace, Self::Bpgm];

    fn name(self) -> &'static str {
        match self {
            Self::Bpm => "bpm",
            Self::Laplace => "laplace",
            Self::LaplaceMetric => "laplace-metric",
            Self::NdLaplace => "nd-laplace",
            Self::Bpgm => "bpgm",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Bpm => &["radius", "radius-rule", "sampler"],
            Self::Laplace | Self::LaplaceMetric => &[],
            Self::NdLaplace => &["ending", "grid-cells", "sampler"],
            Self::Bpgm => &["noise-bound", "bpgm-form"],
        }
    }
}

impl PerturbArgs {
    /// Options that the chosen mechanism does not have are refused rather than ignored.
    pub fn check_options(&self) -> Result<(), Failure> {
        for option in self.knobs.given() {
            if !self.mechanism.options().contains(&option) {
                let has = MechanismArg::ALL.into_iter().filter(|other| other.options().contains(&option));
                let names: Vec<_> = has.map(MechanismArg::name).collect();
                return Err(Failure::usage(format!(
                    "--{option} is no option of {}; leave it out, or choose a mechanism that has it ({})",
                    self.mechanism.name(),
                    names.join(", ")
                )));
            }
        }
        match (self.knobs.ending == Some(EndingArg::Grid), self.knobs.grid_cells) {
            (true, None) => Err(Failure::usage("--ending grid needs the number of cells: give --grid-cells N as well")),
            (false, Some(_)) => Err(Failure::usage("--grid-cells goes with --ending grid; give both or neither")),
            _ => Ok(()),
        }
    }
}

impl MechanismKnobs {
    /// The names of those that were given.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("radius", self.radius.is_some()),
            ("radius-rule", self.radius_rule.is_some()),
            ("ending", self.ending.is_some()),
            ("grid-cells", self.grid_cells.is_some()),
            ("noise-bound", self.noise_bound.is_some()),
            ("bpgm-form", self.bpgm_form.is_some()),
            ("sampler", self.sampler.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
    }
}

fn parse_radius(text: &str) -> Result<f64, String> {
    let radius = text.parse::<f64>().ok().filter(|radius| *radius > 0.0 && *radius <= 1e6);
    radius.ok_or_else(|| "give a number of widths above 0 and up to 1000000, for example 4".into())
}

fn parse_noise_bound(text: &str) -> Result<Amount, String> {
    let bound: Option<Amount> = text.parse().ok();
    bound
        .filter(|bound| (1e-3..=1e6).contains(&bound.to_f64_up()))
        .ok_or_else(|| "give a number of widths from 0.001 to 1000000, for example 1".into())
}
