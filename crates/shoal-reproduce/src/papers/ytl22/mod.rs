//! The figures of YTL22.

mod population;
mod relative_error;
mod setting;
mod sse;

use crate::Figure;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    let mut figures: Vec<Box<dyn Figure>> = Vec::new();
    for set in setting::Set::ALL {
        figures.push(Box::new(relative_error::RelativeError { set }));
    }
    figures.push(Box::new(sse::Sse));
    figures.push(Box::new(population::Population));
    figures
}
