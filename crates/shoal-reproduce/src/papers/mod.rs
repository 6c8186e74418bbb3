//! The figures, a folder for each paper.

pub mod clz25;
pub mod nqc21;
pub mod scl16;
pub mod shoal;
pub mod szy19;
mod words;
pub mod ytl22;

use crate::{Figure, Paper};

/// All figures, paper by paper.
#[must_use]
pub fn all() -> Vec<Box<dyn Figure>> {
    [scl16::figures(), nqc21::figures(), ytl22::figures(), clz25::figures(), szy19::figures(), shoal::figures()]
        .into_iter()
        .flatten()
        .collect()
}

/// The figure of this name. A name may begin with the paper's key as well: `scl16-fig1` is `su16-fig1`.
#[must_use]
pub fn find(name: &str) -> Option<Box<dyn Figure>> {
    let name = name.to_lowercase();
    let spelt =
        |paper: &Paper| name.strip_prefix(&*paper.key().to_lowercase()).map(|rest| format!("{}{rest}", paper.prefix()));
    let name = Paper::ALL.iter().find_map(spelt).unwrap_or(name);
    all().into_iter().find(|figure| figure.info().id == name)
}
