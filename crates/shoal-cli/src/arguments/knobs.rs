//! The knobs of the papers as options of `shoal fit`. The comments here are the help texts.

use clap::Args;
use shoal_curator::{Matching, Merge, NegativeCounts, RangeRule};
use shoal_privacy::Amount;

use super::names::Names;

const MATCHING: Names<Matching> = Names(&[
    ("sort", Matching::Sort, "By the second coordinate, as in GUPT"),
    ("assign", Matching::Assign, "Each to one of k public places, so that the distances are least in sum"),
]);

const MERGE: Names<Merge> = Names(&[
    ("nearest", Merge::Nearest, "The two nearest centres, as in the paper"),
    ("ward", Merge::Ward, "Those whose merging adds least to the sum of squares, by noisy counts"),
]);

const NEGATIVE: Names<NegativeCounts> = Names(&[
    ("keep", NegativeCounts::Keep, "They stay negative, so that noise cancels, as in the paper"),
    ("zero", NegativeCounts::Zero, "They are taken for zero, which draws centres to empty cells"),
]);

const RANGE: Names<RangeRule> = Names(&[
    (
        "outputs",
        RangeRule::Outputs,
        "Noisy quartiles of what the blocks hand in, widened as in GUPT, within the bounds",
    ),
    ("full", RangeRule::Full, "The bounds: no ε is spent on a range"),
    (
        "quartiles",
        RangeRule::Quartiles,
        "Noisy quartiles of the rows: little noise, but clusters beyond them are moved",
    ),
]);

/// What is not given has the paper's value.
#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Knobs of the methods (defaults: the papers' values, where they have some)")]
pub struct Knobs {
    /// Steps of dplloyd [default: 5], of knorm-lloyd [default: 2], of kccm and its kin [default: 12]; rounds of pgkm [default: from rows and ε];
    /// rounds at most, on the cells of auto, its routes, eugkm, hybrid and tree [default: 50] and in the blocks of gkm [default: 30]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub iterations: Option<u32>,
    /// θ: more means fewer cells; eugkm, hybrid [default: 10]
    #[arg(long, allow_negative_numbers = true)]
    pub theta: Option<f64>,
    /// Starts that are tried on the cells of auto, its routes, eugkm, hybrid and tree [default: 30], in the blocks of gkm [default: 5]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub inits: Option<u32>,
    /// Cells at most, whatever the paper's rule asks for, 16 bytes each; eugkm, hybrid [default: 4194304]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub max_cells: Option<u32>,
    /// Cells of the grid, about, in place of the paper's rule; eugkm, hybrid
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1 << 28), conflicts_with = "theta")]
    pub cells: Option<u32>,
    /// What k-means does with negative noisy counts; eugkm, hybrid, tree [default: keep]
    #[arg(long, value_parser = NEGATIVE)]
    pub negative: Option<NegativeCounts>,
    /// ρ: mean distance of a centre from the middle, in box widths; hybrid [default: 0.225]
    #[arg(long, allow_negative_numbers = true)]
    pub rho: Option<f64>,
    /// Share of ε for the cells when a refining step follows; hybrid [default: 1/2]
    #[arg(long, value_name = "SHARE", value_parser = parse_amount, allow_negative_numbers = true)]
    pub synopsis_share: Option<Amount>,
    /// Share of ε that decides the shape of the tree; tree [default: 1/2]
    #[arg(long, value_name = "SHARE", value_parser = parse_amount, allow_negative_numbers = true)]
    pub structure_share: Option<Amount>,
    /// Share of ε that buys an estimate of how good the result is, where there are rows enough for one; 0 buys none; auto
    /// and its routes [default: 1/50]
    #[arg(long, value_name = "SHARE", value_parser = parse_amount_or_zero, allow_negative_numbers = true)]
    pub score_share: Option<Amount>,
    /// Blocks; gkm [default: rows^0.4], gkm-3k [default: rows/3k]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub blocks: Option<u32>,
    /// How centres of different blocks are matched; gkm, gkm-3k [default: sort]
    #[arg(long, value_parser = MATCHING)]
    pub matching: Option<Matching>,
    /// Range within which the blocks' centres are averaged; gkm, gkm-3k [default: outputs]
    #[arg(long, value_parser = RANGE)]
    pub range: Option<RangeRule>,
    /// Share of ε that estimates the range of the blocks' centres; gkm, gkm-3k [default: 1/2]
    #[arg(long, value_name = "SHARE", value_parser = parse_amount, allow_negative_numbers = true)]
    pub range_share: Option<Amount>,
    /// Candidate sets in a round; pgkm [default: 200]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub population: Option<u32>,
    /// Sets picked in a round; pgkm [default: 10]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub picks: Option<u32>,
    /// How far a mutation moves a coordinate, as a part of its range; pgkm [default: 0.5]
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    pub mutation: Option<f64>,
    /// n: there are n·k centres before merging; kccm, allocation-nk, average-nk [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub n: Option<u32>,
    /// Which centres are merged; kccm, allocation-nk, average-nk [default: nearest]
    #[arg(long, value_parser = MERGE)]
    pub merge: Option<Merge>,
    /// Proportions in which the steps share ε, one for each; kccm and its kin [default: 1,1,1,1,2,2,2,2,3,3,3,3 or equal]
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', value_parser = parse_amount, allow_negative_numbers = true, conflicts_with = "iterations")]
    pub shares: Option<Vec<Amount>>,
    /// Share of ε that buys a noisy number of rows when neither --rows nor --rows-public gives one [default: 1/100]
    #[arg(long, value_name = "SHARE", value_parser = parse_amount, allow_negative_numbers = true, conflicts_with_all = ["rows", "rows_public"])]
    pub count_share: Option<Amount>,
}

impl Knobs {
    /// The same for the library.
    pub fn to_library(&self) -> shoal_curator::Knobs {
        let whole = |count: Option<u32>| count.map(|count| count as usize);
        shoal_curator::Knobs {
            score_share: self.score_share.clone(),
            iterations: self.iterations,
            theta: self.theta,
            inits: whole(self.inits),
            max_cells: whole(self.max_cells),
            cells: whole(self.cells),
            negative: self.negative,
            rho: self.rho,
            synopsis_share: self.synopsis_share.clone(),
            structure_share: self.structure_share.clone(),
            blocks: self.blocks,
            matching: self.matching,
            range: self.range,
            range_share: self.range_share.clone(),
            population: whole(self.population),
            picks: whole(self.picks),
            mutation: self.mutation,
            n: whole(self.n),
            merge: self.merge,
            reruns: None,
            shares: self.shares.clone(),
        }
    }
}

/// A share, or none at all.
fn parse_amount_or_zero(text: &str) -> Result<Amount, String> {
    match text.parse::<Amount>() {
        Ok(amount) if amount.is_zero() => Ok(amount),
        _ => parse_amount(text).map_err(|error| format!("{error}, or 0 for none")),
    }
}

/// A share or a proportion.
fn parse_amount(text: &str) -> Result<Amount, String> {
    let amount: Option<Amount> = text.parse().ok();
    let smallest = Amount::ratio(1, 1_000_000);
    amount
        .filter(|amount| !amount.is_zero() && *amount >= smallest && amount.to_f64_up() <= 1e6)
        .ok_or_else(|| "give a number above 0, such as 0.5 or 1/2".to_string())
}
