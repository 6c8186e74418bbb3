//! Whether the description of a synopsis can be true.

use std::collections::BTreeSet;

use crate::synopsis_file::{Description, Layout, VERSION};
use shoal_lattice::Bounds;
use shoal_privacy::Spent;
use shoal_scan::Grid;

/// The most cells that a file may have; `--max-cells` allows no more either.
const MOST_CELLS: usize = 1 << 28;

/// The most leaves that a tree in a file may have.
const MOST_LEAVES: usize = 1 << 24;

/// The grid, if it is one, and the bounds of a description, or what in it does not make sense.
pub(super) fn layout(about: &Description) -> Result<Layout, String> {
    let dims = about.columns.len();
    if dims == 0 {
        return Err("it has no columns".into());
    }
    if about.columns.iter().collect::<BTreeSet<_>>().len() != dims {
        return Err("two columns have the same name".into());
    }
    match (about.version, &about.cells_per_axis, about.leaves) {
        (VERSION, Some(cells), None) if cells.len() == dims => {}
        (VERSION, _, _) => return Err("each column needs a number of cells".into()),
        (_, None, Some(1..=MOST_LEAVES)) => {}
        (_, _, _) => return Err(format!("a tree has between 1 and {MOST_LEAVES} boxes, and no cells")),
    }
    let mut bounds = Bounds::new(about.columns.clone(), about.bounds.clone()).map_err(|e| e.to_string())?;
    if !about.scales.is_empty() || !about.weights.is_empty() {
        bounds = bounds.scaled(about.scales.clone(), about.weights.clone()).map_err(|e| e.to_string())?;
    }
    if !about.categories.is_empty() {
        bounds = bounds.with_coordinates_of(about.categories.clone()).map_err(|e| e.to_string())?;
    }
    let grid = about.cells_per_axis.clone().map(|cells| Grid::new(cells, MOST_CELLS)).transpose();
    let grid = grid.map_err(|e| e.to_string())?;
    if !(about.count_sd >= 0.0 && about.count_sd.is_finite()) {
        return Err("the noise of the counts is no number from 0 on".into());
    }
    if about.seeded != about.guarantee.is_seeded() {
        return Err("a promise goes with unseeded noise, and none with a seed".into());
    }
    if about.spent != Spent::unless_seeded(&about.guarantee, &about.charged) {
        return Err("what was spent is not what was charged".into());
    }
    // These go to the screen as they are.
    let published = [&about.published.text, &about.published.paper];
    let decisions: Vec<String> = about.decisions.iter().map(ToString::to_string).collect();
    let mut texts = decisions.iter().chain(published).chain([&about.method, &about.shoal]);
    if texts.any(|text| text.chars().any(shoal_privacy::is_unprintable)) {
        return Err("its texts hold control characters".into());
    }
    Ok(Layout { grid, bounds })
}
