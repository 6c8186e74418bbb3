//! Reading a synopsis, which may come from anyone and anywhere.

use std::collections::BTreeSet;

use crate::synopsis_file::tree_rows::{AT, AXIS, DEPTH, TreeRows};
use crate::synopsis_file::{
    CHECKSUM_KEY, COUNT, Description, KEY, SynopsisFile, SynopsisFileError, TREE_VERSION, VERSION, checksum,
};
use crate::{AnySynopsis, Synopsis, TreeSynopsis};
use shoal_files::{ReleasedParquet, Source};
use shoal_lattice::Bounds;
use shoal_privacy::Spent;
use shoal_scan::Grid;

/// The most cells that a file may have; `--max-cells` allows no more either.
const MOST_CELLS: usize = 1 << 28;

/// The most leaves that a tree in a file may have.
const MOST_LEAVES: usize = 1 << 24;

/// The most bytes of a stream, which has to be held in memory.
const STREAM_LIMIT: u64 = 4 << 30;

impl SynopsisFile {
    /// Reads a synopsis and refuses whatever is not exactly what was written.
    pub fn read(source: Source) -> Result<Self, SynopsisFileError> {
        let file = ReleasedParquet::open(source, STREAM_LIMIT)?;
        let name = || file.name().to_string();
        let damaged = |why: &str| SynopsisFileError::Damaged { name: name(), why: why.into() };
        let Some(text) = file.described(KEY) else {
            let why =
                if file.is_parquet() { "it is a Parquet file of something else" } else { "it is no Parquet file" };
            return Err(SynopsisFileError::NotASynopsis { name: name(), why });
        };
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| damaged(&e.to_string()))?;
        match value.get("version").map(|version| version.as_u64()) {
            Some(Some(found)) if ![VERSION, TREE_VERSION].map(u64::from).contains(&found) => {
                return Err(SynopsisFileError::Version { name: name(), found });
            }
            Some(Some(_)) => {}
            _ => return Err(damaged("it has no version number")),
        }
        let about: Description = serde_json::from_value(value).map_err(|e| damaged(&e.to_string()))?;
        let inconsistent = |why: String| SynopsisFileError::Inconsistent { name: name(), why };
        let (grid, bounds) = check(&about).map_err(inconsistent)?;
        let cells = grid.as_ref().map_or(about.leaves.unwrap_or(0), Grid::cells);
        if file.rows() != cells {
            let rows = file.rows();
            return Err(inconsistent(format!("it has {rows} rows and speaks of {cells} cells")));
        }
        let counts = file.integers(COUNT)?.ok_or_else(|| damaged("it has no column of noisy counts"))?;
        let of_tree = |column| file.integers(column)?.ok_or_else(|| damaged("it has no columns that tell its tree"));
        let tree = match &grid {
            Some(_) => None,
            None => Some(TreeRows { depth: of_tree(DEPTH)?, axis: of_tree(AXIS)?, at: of_tree(AT)? }),
        };
        let mut columns = vec![&counts[..]];
        columns.extend(tree.iter().flat_map(|rows| [&rows.depth[..], &rows.axis, &rows.at]));
        if file.described(CHECKSUM_KEY) != Some(&checksum(text, &columns)) {
            return Err(damaged("its checksum does not fit"));
        }
        let Description { method, count_sd, guarantee, published, charged, decisions, shoal, .. } = about;
        let synopsis = match (grid, tree) {
            (Some(grid), _) => AnySynopsis::Grid(Synopsis { grid, counts, count_noise: count_sd, guarantee, charged }),
            (None, rows) => {
                let tree = rows.ok_or("it has no boxes").and_then(|rows| rows.tree(bounds.columns().len()));
                let tree = tree.map_err(|why| inconsistent(why.into()))?;
                let boxes = tree.leaf_boxes();
                AnySynopsis::Tree(TreeSynopsis { tree, boxes, counts, count_noise: count_sd, guarantee, charged })
            }
        };
        Ok(Self { synopsis, bounds, method, published, decisions, shoal })
    }
}

/// The grid, if it is one, and the bounds of a description, or what in it does not go together.
fn check(about: &Description) -> Result<(Option<Grid>, Bounds), String> {
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
    let bounds = Bounds::new(about.columns.clone(), about.bounds.clone()).map_err(|e| e.to_string())?;
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
    if texts.any(|text| text.chars().any(char::is_control)) {
        return Err("its texts hold control characters".into());
    }
    Ok((grid, bounds))
}
