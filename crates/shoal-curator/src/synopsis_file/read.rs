//! Reading a synopsis, which may come from anyone and anywhere.

use crate::synopsis_file::tree_rows::{AT, AXIS, DEPTH, TreeRows};
use crate::synopsis_file::{COUNT, Description, Layout, SynopsisFile, seal_columns};
use crate::{Cells, Synopsis, TreeBoxes};
use shoal_files::Source;
use shoal_files::sealed::{Described, SealedError, SealedParquet};
use shoal_scan::Grid;

impl SynopsisFile {
    /// Reads a synopsis.
    ///
    /// # Errors
    /// Whatever is not exactly what was written.
    pub fn read(source: Source) -> Result<Self, SealedError> {
        let file = SealedParquet::<Description>::open(source)?;
        let Described { about, layout, .. } = file.described();
        let cells = layout.grid.as_ref().map_or(about.leaves.unwrap_or(0), Grid::cells);
        if file.rows() != cells {
            let rows = file.rows();
            return Err(file.described().inconsistent(format!("it has {rows} rows and speaks of {cells} cells")));
        }
        let counts = file.integers(COUNT, "it has no column of noisy counts")?;
        let of_tree = |column| file.integers(column, "it has no columns that describe its tree");
        let tree = match &layout.grid {
            Some(_) => None,
            None => Some(TreeRows { depth: of_tree(DEPTH)?, axis: of_tree(AXIS)?, at: of_tree(AT)? }),
        };
        let mut sealing = file.described().sealing();
        seal_columns(&mut sealing, &counts, tree.as_ref());
        let (described, _) = file.checked(sealing)?;
        let cells = match (&described.layout.grid, tree) {
            (Some(grid), _) => Cells::Grid(grid.clone()),
            (None, rows) => {
                let dims = described.layout.bounds.columns().len();
                let tree = rows.ok_or("it has no boxes").and_then(|rows| rows.tree(dims));
                Cells::Boxes(TreeBoxes::new(tree.map_err(|why| described.inconsistent(why))?))
            }
        };
        let Described { about, layout: Layout { bounds, .. }, .. } = described;
        let Description { method, count_sd, guarantee, published, charged, decisions, shoal, .. } = about;
        let synopsis = Synopsis { cells, counts, count_noise: count_sd, guarantee, charged, decisions };
        Ok(Self { synopsis, bounds, method, published, shoal })
    }
}
