//! The columns that custodians agree on, as attributes with a range and a window.

use shoal_consortium::{Attribute, Scale};
use shoal_lattice::{Bounds, Interval};

use super::ConsortiumError;
use crate::Error;

/// The widest window, as a share of a range.
const MOST_WINDOW: f64 = 256.0;

/// Refuses a window that is no share of a range.
pub(super) fn check_window(share: f64) -> Result<f64, Error> {
    let fits = share > 0.0 && share <= MOST_WINDOW;
    if fits { Ok(share) } else { Err(ConsortiumError::Window { given: share }.into()) }
}

/// A column whose window is a share of its range.
pub(super) fn attribute(name: &str, range: Interval, share: f64) -> Result<Attribute, Error> {
    Ok(Attribute::new(name, range, share * range.width()).map_err(ConsortiumError::Terms)?)
}

/// All columns, each with a window of its own where one was given, in the column's unit.
pub(super) fn attributes(bounds: &Bounds, share: f64, windows: &[(String, f64)]) -> Result<Vec<Attribute>, Error> {
    let known = || bounds.columns().join(", ");
    if let Some((name, _)) = windows.iter().find(|(name, _)| !bounds.columns().contains(name)) {
        return Err(ConsortiumError::WindowOfUnknownColumn { name: name.clone(), known: known() }.into());
    }
    let one = |(name, range): (&String, &Interval)| match windows.iter().rev().find(|(own, _)| own == name) {
        Some((_, t)) => Ok(Attribute::new(name, *range, *t).map_err(ConsortiumError::Terms)?),
        None => attribute(name, *range, share),
    };
    bounds.columns().iter().zip(bounds.intervals()).map(one).collect()
}

/// The unit of combined distances, unless one is asked for: with several columns, all count alike.
pub(super) fn usual_scale(columns: usize) -> Scale {
    if columns == 1 { Scale::Own } else { Scale::Range }
}
