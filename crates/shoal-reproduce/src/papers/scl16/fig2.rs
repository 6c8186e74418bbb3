//! Fig. 2: how far above the baseline, over k and d.

use super::growth::Rises;
use super::made_up::{CAVEAT, EPSILON, MadeUp, Map, Sets, nicv};
use crate::chart::Chart;
use crate::data::Grade;
use crate::measure::tally::{Order, Tally};
use crate::papers::words::{by_much, in_most, verdicts};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Paper, Places, Results, Statement};

/// The figure.
pub struct Fig2;

const DPLLOYD: Map = Map { method: "dplloyd-impr", theta: None, name: "DPLloyd", runs: 3000, quick: 10 };
/// EUGkM with the paper's θ.
pub const EUGKM: Map = Map { method: "eugkm", theta: None, name: "EUGkM, θ = 10", runs: 10, quick: 2 };
const FINE: Map = Map { theta: Some(5.0), name: "EUGkM, θ = 5", ..EUGKM };
const COARSE: Map = Map { theta: Some(20.0), name: "EUGkM, θ = 20", ..EUGKM };
const PGKM: Map = Map { method: "pgkm", theta: None, name: "PGkM", runs: 100, quick: 2 };
const GKM: Map = Map { method: "gkm", theta: None, name: "GkM", runs: 100, quick: 2 };
const GKM_3K: Map = Map { method: "gkm-3k", name: "GkM-3K", ..GKM };
const MAPS: [Map; 7] = [DPLLOYD, EUGKM, FINE, COARSE, PGKM, GKM, GKM_3K];

impl Figure for Fig2 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig2".into(),
            paper: Paper::Scl16,
            label: "Fig. 2".into(),
            title: "Error over the baseline by k and d, made-up data".into(),
            protocol: format!(
                "81 sets of 10,000 rows, k and d from 2 to 10, ε = {EPSILON}: NICV minus that of the baseline. Runs as in Fig. 1. \
                 The text does not print which θ were tried beside 10: 5 and 20 are ours."
            ),
            quick: "k is 2, 6 and 10 and d is 2, 3 and 5, nine sets; 2 to 10 runs instead of 10 to 3000.".into(),
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
        let Rises { along_k, along_d, by_k, by_d } = Rises::of(results, &sets, &DPLLOYD, &EUGKM)?;
        let tally = |first: &Map, second: &Map| -> Result<Tally, Failure> {
            let mut tally = Tally::default();
            for set in sets.iter() {
                tally.add(place(set), &nicv(results, set, first)?, &nicv(results, set, second)?);
            }
            Ok(tally)
        };
        let worst = [DPLLOYD, EUGKM, PGKM, GKM_3K].map(|other| tally(&other, &GKM));
        let worst = worst.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().fold(Tally::default(), Tally::and);
        let (mut good, mut tried) = (0, 0);
        for set in sets.iter() {
            let ten = nicv(results, set, &EUGKM)?;
            let beaten = [FINE, COARSE].iter().map(|other| Ok(Order::of(&ten, &nicv(results, set, other)?)));
            let beaten = beaten.collect::<Result<Vec<_>, Failure>>()?;
            good += usize::from(!beaten.contains(&Order::Higher));
            tried += 1;
        }
        let (fine, coarse) = (tally(&EUGKM, &FINE)?, tally(&EUGKM, &COARSE)?);
        let (blocks, still) = (tally(&GKM_3K, &PGKM)?, tally(&DPLLOYD, &GKM_3K)?);
        let versus = tally(&EUGKM, &DPLLOYD)?;
        let statements = vec![
            by_d.1.is_more(
                by_d.0,
                "EUGkM suffers more than DPLloyd from more attributes.",
                format!("{along_d} the error of EUGkM rises by {}, that of DPLloyd by {}", by_d.1, by_d.0),
            ),
            by_k.0.is_more(
                by_k.1,
                "DPLloyd suffers more than EUGkM from more clusters.",
                format!("{along_k} the error of DPLloyd rises by {}, that of EUGkM by {}", by_k.0, by_k.1),
            ),
            by_k.0.is_more(
                by_d.0,
                "DPLloyd suffers more from more clusters than from more attributes.",
                format!("its error rises by {} with k and by {} with d", by_k.0, by_d.0),
            ),
            by_much(
                "GkM is always much worse than the others.",
                &worst,
                format!("against GkM the others are {}", worst.with_much()),
            ),
            in_most(
                "θ = 10 works well in most cases.",
                0.5,
                Places { held: good, tied: 0, against: tried - good },
                format!(
                    "neither 5 nor 20 is better beyond errors in {good} of {tried} sets; θ = 10 is {fine} against 5, and {coarse} against 20"
                ),
            ),
            in_most(
                "GkM-3K competes with PGkM.",
                0.5,
                Places { held: blocks.lower() + blocks.alike(), tied: 0, against: blocks.higher() },
                format!("GkM-3K is {blocks}"),
            ),
            Statement::over("GkM-3K still does worse than DPLloyd.", (&still).into(), format!("DPLloyd is {still}")),
        ];
        let paragraph = format!(
            "{} EUGkM is {versus} against DPLloyd; lower: {}; higher: {}. Error is the NICV above the baseline, the mean over the \
             other axis where a rise is told: more is a larger rise and a larger factor, in part one of them.",
            verdicts(&statements),
            versus.where_lower(),
            versus.where_higher(),
        );
        Ok(Drawing { chart: Chart { panels, columns: 4 }, statements, paragraph, caveats: vec![CAVEAT.into()] })
    }
}

/// A set, in words.
pub fn place(set: &MadeUp) -> String {
    format!("k = {} d = {}", set.k, set.d)
}
