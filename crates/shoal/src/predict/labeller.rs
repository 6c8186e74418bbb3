//! The nearest centre of a row.

use shoal_kernel::score::NicvAccumulator;
use shoal_lattice::{BoxPosition, LatticeMap};

use crate::Error;
use crate::model::Model;

/// Brings rows in the user's units into the box of a model and finds their nearest centre there, so that every column
/// weighs as much as its public range makes it.
pub(crate) struct Labeller {
    map: LatticeMap,
    /// The last row: the insides of [`BoxPosition`]s.
    place: Vec<f64>,
    distances: NicvAccumulator,
}

/// A centre and how far a row is from it.
#[derive(Clone, Copy)]
pub(crate) struct Nearest {
    /// The number of the centre, from zero.
    pub(crate) label: usize,
    /// The distance in the box.
    pub(crate) distance: f64,
}

impl Labeller {
    /// Ready to label rows for a model.
    pub(crate) fn new(model: &Model) -> Result<Self, Error> {
        let map = LatticeMap::new(&model.to_bounds()?);
        let centres = BoxPosition::numbers(&model.centres_in_box()?);
        let dims = model.columns.len();
        Ok(Self { map, place: vec![0.0; dims], distances: NicvAccumulator::new(&centres, dims)? })
    }

    /// The centre nearest to a row in the user's units.
    pub(crate) fn label(&mut self, row: &[f64]) -> Result<Nearest, Error> {
        for (i, (place, &x)) in self.place.iter_mut().zip(row).enumerate() {
            *place = self.map.to_box(i, x).0;
        }
        let (label, squared) = self.distances.add_nearest(&self.place)?;
        Ok(Nearest { label, distance: squared.sqrt() })
    }

    /// Where the last row lies in the box.
    pub(crate) fn place(&self) -> impl Iterator<Item = BoxPosition> + Clone + '_ {
        self.place.iter().map(|&x| BoxPosition(x))
    }

    /// The distances in the box of all rows labelled so far.
    pub(crate) fn into_distances(self) -> NicvAccumulator {
        self.distances
    }
}
