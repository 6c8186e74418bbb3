//! Fig. 6: Hybrid and EUGkM over k and d.

use super::fig2::{EUGKM, place};
use super::growth::{Growth, Rises};
use super::made_up::{CAVEAT, EPSILON, Map, Sets, nicv};
use crate::chart::Chart;
use crate::data::Grade;
use crate::measure::tally::Tally;
use crate::papers::words::{in_most, verdicts};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Paper, Results};

/// The figure.
pub struct Fig6;

const HYBRID: Map = Map { method: "hybrid", theta: None, name: "Hybrid", runs: 100, quick: 2 };
const MAPS: [Map; 2] = [HYBRID, EUGKM];

impl Figure for Fig6 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig6".into(),
            paper: Paper::Scl16,
            label: "Fig. 6".into(),
            title: "Hybrid and EUGkM by k and d, made-up data".into(),
            protocol: format!("The 81 sets of Fig. 2 at ε = {EPSILON}; Hybrid 100 runs, EUGkM 10."),
            quick: "k is 2, 6 and 10 and d is 2, 3 and 5, nine sets; two runs instead of 10 and 100.".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        Ok(Sets::new(lab.effort).cells(&MAPS, lab.effort))
    }

    /// The paper prints neither centres nor widths of its clusters.
    fn generated(&self) -> Grade {
        Grade::MadeUp
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let sets = Sets::new(lab.effort);
        let panels = sets.panels(&MAPS, results)?;
        let Rises { along_k, along_d, by_k, by_d } = Rises::of(results, &sets, &HYBRID, &EUGKM)?;
        let mut tally = Tally::default();
        for set in sets.iter() {
            tally.add(place(set), &nicv(results, set, &HYBRID)?, &nicv(results, set, &EUGKM)?);
        }
        let statements = vec![
            by_k.1.is_more(by_k.0, "Hybrid copes better with more clusters than EUGkM.", grown(&along_k, by_k)),
            by_d.1.is_more(by_d.0, "Hybrid copes better with more attributes than EUGkM.", grown(&along_d, by_d)),
            in_most(
                "The map of Hybrid shows smaller errors than that of EUGkM.",
                0.5,
                &tally,
                format!("Hybrid is {tally}"),
            )
            .headline(),
        ];
        let paragraph = format!(
            "{} Hybrid is lower than EUGkM at: {}; higher at: {}. Error is the NICV above the baseline, the mean over the other axis \
             where a rise is told: more is a larger rise and a larger factor, in part one of them.",
            verdicts(&statements),
            tally.where_lower(),
            tally.where_higher(),
        );
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats: vec![CAVEAT.into()] })
    }
}

/// Rise and factor of both.
fn grown(along: &str, (hybrid, eugkm): (Growth, Growth)) -> String {
    format!("{along} the error of Hybrid rises by {hybrid}, that of EUGkM by {eugkm}")
}
