//! The best of all other software in a cell: what `auto` is measured against.

use shoal_curator::find_method;

use crate::{Measured, Peer};

/// What is to be beaten.
#[derive(Clone, Copy)]
pub struct Bar<'a> {
    /// Mean NICV.
    pub nicv: f64,
    /// Its standard error.
    pub nicv_se: f64,
    /// Whose it is.
    pub by: &'a str,
}

impl<'a> Bar<'a> {
    /// The least of the best peer, one centre in the middle of the box (which needs no data), and the papers' systems as
    /// measured here.
    pub fn of(peer: &'a Peer, of_papers: &'a [Measured]) -> Self {
        let published = |method: &str| {
            find_method(method).is_some_and(|found| found.info.paper != "Shoal" && found.info.paper != "HT10")
        };
        let papers = of_papers
            .iter()
            .filter(|line| line.data == peer.data && line.epsilon == peer.epsilon && published(&line.method))
            .map(|line| Self { nicv: line.nicv, nicv_se: line.nicv_se, by: &line.method });
        let best = Self { nicv: peer.nicv, nicv_se: peer.nicv_se, by: &peer.name };
        let blind = Self { nicv: peer.no_data, nicv_se: 0.0, by: "no data" };
        let least = |a: Self, b: Self| if b.nicv < a.nicv { b } else { a };
        papers.fold(least(best, blind), least)
    }

    /// *Below* when the mean is, *within 2 se* when it is above by no more than twice the standard error of the difference,
    /// else *behind*.
    pub fn verdict(&self, nicv: f64, nicv_se: f64) -> &'static str {
        let above = nicv - self.nicv;
        if above <= 0.0 {
            "below"
        } else if above <= 2.0 * nicv_se.hypot(self.nicv_se) {
            "within 2 se"
        } else {
            "behind"
        }
    }
}
