//! Decisions as sentences.

use std::fmt;

use shoal_lattice::names::listed;
use shoal_privacy::Parameter;

use super::{BudgetPart, ColumnInterval, Decision, Purpose};
use crate::RangeRule;

/// Bytes that a cell of a grid takes: its count, and its weight in k-means.
const BYTES_PER_CELL: usize = 16;

/// Numbers of clusters whose silhouette is shown.
const SHOWN_SCORES: usize = 4;

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Persons { columns, rows, most } => {
                let columns = listed(&columns.iter().map(|name| printable(name)).collect::<Vec<_>>());
                write!(f, "Persons: named by {columns}; ")?;
                match rows.split_once(':') {
                    Some((which @ ("first" | "last"), column)) => {
                        write!(f, "each counts with one row, the {which} by {}.", printable(column))
                    }
                    Some(_) => write!(
                        f,
                        "each counts with at most {}, drawn at random. These share ε: any part of it that is mentioned below is that of one row.",
                        counted(*most as usize, "row")
                    ),
                    None => f.write_str("each counts with one row, the mean of theirs."),
                }
            }
            Self::BoughtBounds { epsilon, bounds } => {
                let named = |ColumnInterval { column, interval }: &_| format!("{} {interval}", printable(column));
                let bounds = listed(&bounds.iter().map(named).collect::<Vec<_>>());
                write!(
                    f,
                    "Bounds: estimated from the data under differential privacy, for ε = {epsilon} of the whole: {bounds}."
                )
            }
            Self::GuessedBounds { columns } => write!(
                f,
                "WARNING: the noise hid where the values of {} lie, so those bounds are guesses and may be far off. Give more ε for bounds, use fewer columns or more rows, or give public limits.",
                listed(&columns.iter().map(|name| printable(name)).collect::<Vec<_>>())
            ),
            Self::MiddlesForGaps => f.write_str(
                "Where a value is missing, the middle of the column's bounds stands for it: every row counts, and nothing shows which values were missing.",
            ),
            Self::BoughtRows { epsilon, rows, sd } => write!(
                f,
                "No public number of rows was given ({}), so ε = {epsilon} bought a noisy one: {rows} ± {:.0}.",
                Parameter::ROWS,
                (2.0 * sd).ceil()
            ),
            Self::RowsMostlyNoise => write!(
                f,
                "That number is mostly noise, so what follows from it may not suit the table: give about how many rows there are ({}), if that is known from elsewhere, or a larger {}.",
                Parameter::ROWS,
                Parameter::COUNT_SHARE
            ),
            Self::Route { route, gaussian } => write!(f, "Route: {}{}.", route.name(), noise(*gaussian)),
            Self::ChoseRoute { route, gaussian, rows, columns, k, predicted_nicv, others } => {
                let others = others.iter().map(|other| format!("{} {:.3}", other.route.name(), other.predicted_nicv));
                write!(
                    f,
                    "auto takes the route {}{}: for about {rows:.0} row{}, {} and k = {k} its predicted NICV is the least, {predicted_nicv:.3} ({}).",
                    route.name(),
                    noise(*gaussian),
                    if rows.round() == 1.0 { "" } else { "s" },
                    counted(*columns, "column"),
                    others.collect::<Vec<_>>().join(", ")
                )
            }
            Self::PlannedBudget { score, parts } => {
                f.write_str("Planned budget: ")?;
                if *score > 0.0 {
                    write!(f, "{} % for an estimate of the result's quality, and of the rest ", percent(*score))?;
                }
                write!(f, "{}.", divided(parts, "rounds on the rows"))
            }
            Self::Budget { parts, rounds } => {
                let rounds = if *rounds == 1 { "one round".into() } else { format!("{rounds} rounds") };
                write!(f, "Budget: {}.", divided(parts, &format!("{rounds} on the rows")))
            }
            Self::Grid { cells_per_axis, asked } => grid(f, cells_per_axis, *asked),
            Self::Tree { boxes, shape, counts, stopped } => {
                write!(
                    f,
                    "Tree: {}; ε = {:.3} decided where to cut, and ε = {:.3} went to the counts.",
                    if *boxes == 1 { "1 box".into() } else { format!("{boxes} boxes") },
                    shape.to_f64_up(),
                    counts.to_f64_up()
                )?;
                if *stopped { write!(f, " It was stopped there: it may not have more.") } else { Ok(()) }
            }
            Self::FixedTree { boxes, depth, counts } => write!(
                f,
                "Tree of fixed depth: {} after {}, all counted at once; ε = {:.3} went to the counts.",
                if *boxes == 1 { "1 box".into() } else { format!("{boxes} boxes") },
                if *depth == 1 { "1 cut".into() } else { format!("{depth} cuts") },
                counts.to_f64_up()
            ),
            Self::Looks { boxes, counts } => {
                let listed: Vec<String> = boxes.iter().map(usize::to_string).collect();
                write!(
                    f,
                    "Tree counted in {} looks, of {} boxes; ε = {:.3} went to their counts.",
                    boxes.len(),
                    listed.join(", then "),
                    counts.to_f64_up()
                )
            }
            Self::FewCells { cells, k } => {
                write!(f, "There are fewer cells ({cells}) than clusters ({k}), so some clusters are empty.")
            }
            Self::ChoseK { k, evidence: Some(evidence), .. } if evidence.gaps_show() => {
                write!(f, "k = {k} was chosen on the released cells, free of charge. {evidence}")
            }
            Self::ChoseK { k, evidence: Some(evidence), .. } => write!(f, "k = {k} was chosen. {evidence}"),
            Self::ChoseK { k, scores, .. } if scores.is_empty() => {
                write!(f, "k = {k}: the released cells do not show how many clusters there are.")
            }
            Self::ChoseK { k, scores, .. } => {
                let best = scores.iter().take(SHOWN_SCORES).map(|of| format!("{}: {:.3}", of.k, of.silhouette));
                write!(
                    f,
                    "k = {k} was chosen on the released cells, free of charge (mean silhouette of the best: {}).",
                    best.collect::<Vec<_>>().join(", ")
                )
            }
            Self::CountedAlong { counts, noise, two_heaps } => {
                let counts: Vec<String> = counts.iter().map(i64::to_string).collect();
                let heaps = if *two_heaps { "two heaps" } else { "one heap" };
                write!(
                    f,
                    "Rows counted along the line between the two halves of the cells: {} (noise ±{noise:.0}), which is {heaps}.",
                    counts.join(", ")
                )
            }
            Self::OneCentre { rows, columns } => write!(
                f,
                "One centre: for about {rows:.0} rows in {} the noise hides the difference between clusters, and one mean is closer to the rows than several noisy ones.",
                counted(*columns, "column")
            ),
            Self::Directions { directions, found, asked } => write!(
                f,
                "Directions: a noisy mean, then one round in {directions} random directions from it; {found} of the {asked} centres asked for can be distinguished."
            ),
            Self::GridAlone { threshold } => write!(
                f,
                "A refining step would pay from ε = {threshold:.3} on (SCL16, eq. 15), which is more than there is: all goes to the grid."
            ),
            Self::GridAndStep { threshold, grid, step } => write!(
                f,
                "A refining step pays from ε = {threshold:.3} on (SCL16, eq. 15): ε = {grid} goes to the grid and ε = {step} to the step."
            ),
            Self::Blocks { blocks, rows_per_block, rule, range, epsilon } => {
                let (count, are) = (counted(*blocks as usize, "block"), if *blocks == 1 { "is" } else { "are" });
                write!(f, "{count} of about {rows_per_block:.0} rows {are} averaged, and their centres are kept ")?;
                let part = format!("on average {:.0} % of a column's bounds", 100.0 * range);
                match rule {
                    RangeRule::Full => {
                        write!(f, "within the bounds; all of ε, {epsilon}, is for the noise on the means.")
                    }
                    RangeRule::Outputs => write!(
                        f,
                        "near the noisy quartiles of what the blocks found, {part}; {epsilon} of ε is for the noise on the means."
                    ),
                    RangeRule::Quartiles => write!(
                        f,
                        "between the noisy quartiles of each column, {part}; {epsilon} of ε is for the noise on the means."
                    ),
                }
            }
            Self::Rounds { rounds, population, picks, pick, last, asked } => {
                match rounds {
                    1 => write!(f, "1 round on {population} candidate sets, which picks the result at ε = {last}.")?,
                    _ => write!(
                        f,
                        "{rounds} rounds on {population} candidate sets: {} with {picks} picks at ε = {pick} each, then a last one that picks the result at ε = {last}.",
                        rounds.saturating_sub(1)
                    )?,
                }
                match asked {
                    Some(asked) => {
                        write!(f, " The paper's rule asks for {asked} rounds; this program runs {rounds} at most.")
                    }
                    None => Ok(()),
                }
            }
            Self::GaussianSteps { delta, step, pays } => {
                write!(f, "δ = {delta} allows Gaussian noise; each step costs {}.", step.symbols())?;
                if *pays {
                    return Ok(());
                }
                f.write_str(" Without a δ there would be less noise: Gaussian noise pays in many columns only.")
            }
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What is remarked about the noise of a route.
fn noise(gaussian: bool) -> &'static str {
    if gaussian { ", with Gaussian noise, which is less here" } else { "" }
}

/// `20 % for the mean, 80 % for one round around it`.
fn divided(parts: &[BudgetPart], rounds: &str) -> String {
    let part = |part: &BudgetPart| {
        let purpose = match part.purpose {
            Purpose::Mean => "the mean",
            Purpose::Round => "one round around it",
            Purpose::Counts => "the counts of the cells",
            Purpose::Moments => "means and variances",
            Purpose::Tree => "the tree",
            Purpose::Heaps => "counts along a line",
            Purpose::Refinement => rounds,
        };
        format!("{} % for {purpose}", percent(part.share))
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The shape of a grid, what it leaves out, and what a limit did to it.
fn grid(f: &mut fmt::Formatter<'_>, along: &[u32], asked: Option<f64>) -> fmt::Result {
    let cells = along.iter().map(|&cells| cells as usize).fold(1, usize::saturating_mul);
    match cells {
        1 => f.write_str("Grid: 1 cell.")?,
        _ if along.len() == 1 => write!(f, "Grid: {cells} cells.")?,
        _ => write!(f, "Grid: {} = {cells} cells.", shape(along))?,
    }
    let uncut = along.iter().filter(|&&cells| cells == 1).count();
    if uncut > 0 && cells > 1 {
        let (last, have, them) = if uncut == 1 { ("last one", "has", "it") } else { ("last ones", "have", "them") };
        write!(
            f,
            " {uncut} of the columns, the {last}, {have} a single cell: nothing is learnt about {them}. Use fewer ({}).",
            Parameter::COLUMNS
        )?;
    }
    match asked {
        Some(asked) => write!(
            f,
            " {} cells were asked for; {} limits them to this many, which take about {} MB.",
            in_words(asked),
            Parameter::MAX_CELLS,
            cells.saturating_mul(BYTES_PER_CELL).div_ceil(1 << 20)
        ),
        None => Ok(()),
    }
}

/// `9^3×8^3`: equal neighbours as powers.
fn shape(along: &[u32]) -> String {
    let mut parts: Vec<(u32, usize)> = Vec::new();
    for &cells in along {
        match parts.last_mut() {
            Some((before, times)) if *before == cells => *times += 1,
            _ => parts.push((cells, 1)),
        }
    }
    let power = |&(cells, times): &(u32, usize)| match times {
        1 => cells.to_string(),
        _ if along.len() <= 3 => vec![cells.to_string(); times].join("×"),
        _ => format!("{cells}^{times}"),
    };
    parts.iter().map(power).collect::<Vec<_>>().join("×")
}

/// A number of cells that may be astronomical.
fn in_words(cells: f64) -> String {
    match cells {
        ..1e6 => format!("{cells:.0}"),
        ..1e9 => format!("{:.1} million", cells / 1e6),
        ..1e15 => format!("{:.1} billion", cells / 1e9),
        _ => format!("{cells:.0e}"),
    }
}

/// A share as per cent, with a decimal where it has one.
fn percent(share: f64) -> String {
    let percent = (1000.0 * share).round() / 10.0;
    if percent.fract() == 0.0 { format!("{percent:.0}") } else { format!("{percent:.1}") }
}

/// A count with its noun.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Names come from files: no control character or mark of direction of theirs may reach a screen.
fn printable(name: &str) -> String {
    name.chars().map(|c| if shoal_privacy::is_unprintable(c) { '\u{fffd}' } else { c }).collect()
}
