//! Evidence in a synopsis of which no more is known than its cells, its counts and their noise.
//!
//! A grid is the same for every table, so reference tables are counted in its cells and the counts get the noise that they
//! had. A tree depends on its table, so each reference table grows one of its own: cut where the reference's moments say,
//! as `refined-tree` does, with the noise on the decisions that goes with the noise on the counts. A tree whose boxes are all of
//! one depth and which is not halved is one of `fixed-tree`: the reference's is cut as deep.
//!
//! *Deviations.* The noise on the moments, a small part of the budget, is not in a synopsis and left out.

use std::sync::Arc;

use shoal_files::PointStore;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::unit_f64;
use shoal_privacy::{Accountant, Allowance, Amount, Epsilon};
use shoal_scan::{BoxTree, Grid, LocalScan, Node, ScanExt};

use super::seeds::{key_of, seed};
use super::{Effort, Release, made_up_rows, weigh};
use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::{CountNoise, posterior_counts};
use crate::auto::route_tree::{few_attributes, structure_share};
use crate::{Cells, CutRule, Evidence, FitError, FixedTreeRelease, NoisyCountsMechanism, RowMechanism, Synopsis};
use crate::{TreeRelease, TreeReleaseParams, WidestSide};

/// The evidence for clusters in a synopsis.
pub(crate) fn evidence_of_synopsis(synopsis: &Synopsis, effort: Effort) -> Option<Evidence> {
    let cells = placed(&synopsis.cells, &synopsis.counts, decay_of(synopsis.count_noise));
    let (shown, rows) = made_up_rows(&cells);
    let release = SynopsisRelease::of(synopsis, shown / rows as f64)?;
    let corrections = release.corrections(effort);
    let found = weigh(&cells, &release, (rows, key_of(&synopsis.counts)), Effort { corrections, ..effort });
    found.ok().flatten().map(|found| found.evidence)
}

/// The evidence in several synopses, each of another table of the same columns, seen together. Rows of a reference table
/// are dealt to the tables in proportion to the rows that the synopses show, whatever the rows say.
pub(crate) fn evidence_of_synopses(synopses: &[&Synopsis], effort: Effort) -> Option<Evidence> {
    let each = || synopses.iter().map(|it| placed(&it.cells, &it.counts, decay_of(it.count_noise)));
    let shares: Vec<f64> = each().map(|cells| cells.weights.iter().sum()).collect();
    let cells = PlacedCells::joined(each())?;
    let (shown, rows) = made_up_rows(&cells);
    let scale = shown / rows as f64;
    let releases: Option<Vec<_>> = synopses.iter().map(|it| SynopsisRelease::of(it, scale)).collect();
    let release = ReleasesOfAll { releases: releases?, shares };
    let corrections = release.releases.iter().map(|release| release.corrections(effort)).max()?;
    let key = synopses.iter().fold(0, |key, it| seed(key, &[key_of(&it.counts)]));
    let found = weigh(&cells, &release, (rows, key), Effort { corrections, ..effort });
    found.ok().flatten().map(|found| found.evidence)
}

/// How the cells of a synopsis come about.
enum Kind<'a> {
    /// A grid.
    Grid(&'a Grid),
    /// A tree whose boxes are halved along their widest side.
    Halved,
    /// A tree whose boxes are cut where the rows vary most.
    Informed,
    /// The same, all boxes of one depth.
    FixedDepth(u32),
}

/// The release of a synopsis as far as it can be known from the synopsis.
struct SynopsisRelease<'a> {
    kind: Kind<'a>,
    /// ε of the counts.
    counts: Epsilon,
    /// The same as a number.
    decay: f64,
}

impl<'a> SynopsisRelease<'a> {
    /// How `synopsis` came about, for tables with one row for every `scale` rows of its own.
    fn of(synopsis: &'a Synopsis, scale: f64) -> Option<Self> {
        let decay = decay_of(synopsis.count_noise) * scale;
        let counts = Epsilon::new(Amount::from_shortest_decimal(decay).ok()?);
        let kind = match &synopsis.cells {
            Cells::Grid(grid) => Kind::Grid(grid),
            Cells::Boxes(boxes) => match one_depth(boxes.tree()) {
                _ if is_cut_by(boxes.tree(), &WidestSide::new(boxes.tree().dims())) => Kind::Halved,
                Some(depth) => Kind::FixedDepth(depth),
                None => Kind::Informed,
            },
        };
        Some(Self { kind, counts, decay })
    }

    /// The covariance needs corrections only where the table decides the cells.
    fn corrections(&self, effort: Effort) -> u64 {
        if matches!(self.kind, Kind::Grid(_)) { 0 } else { effort.corrections }
    }
}

/// The releases of several tables.
struct ReleasesOfAll<'a> {
    releases: Vec<SynopsisRelease<'a>>,
    /// About how many rows each table has, in any unit.
    shares: Vec<f64>,
}

impl Release for ReleasesOfAll<'_> {
    fn cells(&self, table: LatticePoints, noise: &mut SeededNoise) -> Result<PlacedCells, FitError> {
        let total: f64 = self.shares.iter().sum();
        let mut parts: Vec<LatticePoints> = self.shares.iter().map(|_| LatticePoints::new(table.dims())).collect();
        let mut row = vec![0; table.dims()];
        for i in 0..table.rows() {
            let mut left = unit_f64(noise) * total;
            let found = self.shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            table.copy_row(i, &mut row);
            parts[found.unwrap_or(self.shares.len() - 1)].push_row(&row);
        }
        let with_rows = self.releases.iter().zip(parts).filter(|(_, part)| part.rows() > 0);
        let cells: Result<Vec<_>, _> = with_rows.map(|(release, part)| release.cells(part, noise)).collect();
        PlacedCells::joined(cells?).ok_or(FitError::NoBudget)
    }
}

impl Release for SynopsisRelease<'_> {
    fn cells(&self, table: LatticePoints, noise: &mut SeededNoise) -> Result<PlacedCells, FitError> {
        let dims = table.dims();
        let table_moments = moments(&table);
        let scan = LocalScan::new(PointStore::InMemory(table));
        let usual = TreeReleaseParams::new(dims);
        let params = match self.kind {
            Kind::Grid(grid) => {
                let mechanism = NoisyCountsMechanism::new(&self.counts)?;
                let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
                let counts = accountant.release(scan.cell_counts(grid)?, mechanism.with(noise))?.into_inner();
                return Ok(placed(&Cells::Grid(grid.clone()), &counts, self.decay));
            }
            Kind::Halved => usual,
            Kind::Informed => {
                TreeReleaseParams { structure_share: structure_share(), rule: Arc::new(cuts(&table_moments)), ..usual }
            }
            Kind::FixedDepth(depth) => {
                let release = FixedTreeRelease::new(dims, depth, &cuts(&table_moments), &self.counts)?;
                let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
                let synopsis = release.run(&scan, &mut accountant, noise, &mut Vec::new())?;
                return Ok(placed(&synopsis.cells, &synopsis.counts, release.count_decay()));
            }
        };
        // Unwrap safety: shares are below one.
        let rest = Amount::ratio(1, 1).checked_sub(&params.structure_share).unwrap();
        let whole = self.counts.amount().as_rational() / rest.as_rational();
        let whole = Epsilon::new(Amount::from_rational(whole).map_err(|_| FitError::NoBudget)?);
        let release = TreeRelease::new(params, &whole, dims)?;
        let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
        let synopsis = release.run(&scan, &mut accountant, noise, &mut Vec::new())?;
        Ok(placed(&synopsis.cells, &synopsis.counts, release.count_decay()))
    }
}

/// Cuts where rows with these moments vary most.
fn cuts(moments: &[(f64, f64)]) -> InformedCuts {
    let uniform = if few_attributes(moments.len()) { 0.5 } else { 0.0 };
    InformedCuts::new(moments.iter().map(|&(mean, variance)| AxisLaw::with_moments(mean, variance, uniform)).collect())
}

/// The depth of all leaves, where they have the same.
fn one_depth(tree: &BoxTree) -> Option<u32> {
    let leaves = tree.leaves();
    let depth = leaves.ilog2();
    let mut open = vec![(0, 0)];
    while let Some((node, above)) = open.pop() {
        match tree.nodes()[node as usize] {
            Node::Leaf if above != depth => return None,
            Node::Leaf => {}
            Node::Split { below, above: upper, .. } => open.extend([(below, above + 1), (upper, above + 1)]),
        }
    }
    Some(depth).filter(|&depth| depth > 0)
}

/// Cells with the expected rows in each, spread evenly within.
pub(crate) fn placed(cells: &Cells, counts: &[i64], decay: f64) -> PlacedCells {
    let boxes = cells.boxes();
    let dims = if boxes.count() > 0 { boxes.low(0).len() } else { 1 };
    let uniform = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
    PlacedCells::of_boxes(&boxes, &uniform, posterior_counts(counts, CountNoise::laplace(decay, 1)))
}

/// Whether the first cut of a tree is that of the rule; a tree without a cut may have come from any.
fn is_cut_by(tree: &BoxTree, rule: &dyn CutRule) -> bool {
    let ends = |end: i32| vec![end as i16; tree.dims()];
    match tree.nodes().first() {
        Some(&Node::Split { axis, at, .. }) => {
            rule.cut(&ends(-HALF_WIDTH), &ends(HALF_WIDTH), 0) == Some((axis as usize, at))
        }
        _ => false,
    }
}

/// Mean and variance of each attribute of a made-up table, in box units.
fn moments(table: &LatticePoints) -> Vec<(f64, f64)> {
    let rows = table.rows().max(1) as f64;
    let of = |axis: usize| {
        let values = || (0..table.rows()).map(move |row| f64::from(table.get(row, axis)) / f64::from(HALF_WIDTH));
        let mean = values().sum::<f64>() / rows;
        (mean, values().map(|x| (x - mean).powi(2)).sum::<f64>() / rows)
    };
    (0..table.dims()).map(of).collect()
}

/// The decay a of discrete Laplace noise with this standard deviation, whose variance is 1/(2·sinh²(a/2)).
pub(crate) fn decay_of(sd: f64) -> f64 {
    2.0 * (1.0 / (sd.max(1e-6) * std::f64::consts::SQRT_2)).asinh()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::DiscreteLaplace;

    #[test]
    fn the_decay_is_found_from_the_noise() {
        for decay in ["0.01", "0.1", "1", "3"] {
            let exact: Epsilon = decay.parse().unwrap();
            let sd = DiscreteLaplace::new(exact.amount().as_rational().clone()).unwrap().variance().sqrt();
            assert!((decay_of(sd) / exact.to_f64_up() - 1.0).abs() < 1e-6, "{decay}");
        }
    }
}
