//! The figures of NQC21: the same four methods on six data sets, against ε and against k.

mod against_epsilon;
mod against_k;
mod setting;

use crate::Figure;
use against_epsilon::AgainstEpsilon;
use against_k::AgainstK;
use setting::SETTINGS;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    let numbered = |first: usize| SETTINGS.iter().enumerate().map(move |(at, setting)| (first + at, setting));
    let epsilon = numbered(3).map(|(number, setting)| Box::new(AgainstEpsilon { number, setting }) as Box<dyn Figure>);
    let k = numbered(9).map(|(number, setting)| Box::new(AgainstK { number, setting }) as Box<dyn Figure>);
    epsilon.chain(k).collect()
}
