//! Fig. 1: NICV against ε, five methods on six data sets.

use std::sync::Arc;

use super::panels::{Curve, epsilon_panels};
use super::tables::{EPSILONS, Table, Tables, baseline, method};
use crate::chart::Chart;
use crate::measure::tally::{Order, Tally};
use crate::papers::words::{in_most, short, verdicts};
use crate::statistics::Summary;
use crate::{Cell, Drawing, Effort, Failure, Figure, Info, Lab, Paper, Results, Statement};

/// The figure.
pub struct Fig1;

/// The paper's DPLloyd: its starts are sphere packings (§5.1, §4.1.1).
pub const DPLLOYD: Curve = Curve { method: "dplloyd-impr", name: "DPLloyd" };
/// EUGkM.
pub const EUGKM: Curve = Curve { method: "eugkm", name: "EUGkM" };
const UNIFORM: Curve = Curve { method: "dplloyd", name: "DPLloyd, uniform starts" };
const GKM: Curve = Curve { method: "gkm", name: "GkM" };
const GKM_3K: Curve = Curve { method: "gkm-3k", name: "GkM-3K" };
const PGKM: Curve = Curve { method: "pgkm", name: "PGkM" };
const CURVES: [Curve; 6] = [DPLLOYD, UNIFORM, GKM, GKM_3K, PGKM, EUGKM];

/// The data sets with few attributes.
pub const LOW: [&str; 4] = ["s1", "gowalla", "tiger", "image"];
/// Those with many.
pub const HIGH: [&str; 2] = ["adult", "lifesci"];

/// How often a method runs: the paper's number, or as often as a first look has time for.
pub fn runs(effort: Effort, table: &Table, method: &str) -> usize {
    let (paper, seconds) = match method {
        "dplloyd" | "dplloyd-impr" => (3000, 0.04),
        "gkm" | "gkm-3k" | "pgkm" => (100, 0.04),
        "hybrid" => (100, 0.08),
        _ => (10, 0.08),
    };
    let _ = (table, seconds);
    effort.pick(paper, 3)
}

/// All cells of these curves.
pub fn curve_cells(lab: &Lab, tables: &[Arc<Table>], curves: &[Curve]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for table in tables {
        for curve in curves {
            let runs = runs(lab.effort, table, curve.method);
            cells.extend(EPSILONS.iter().map(|epsilon| method(table, curve.method, epsilon, runs)));
        }
        cells.push(baseline(table));
    }
    cells
}

/// What a quick look leaves out.
pub const QUICK: &str = "Two to forty runs a point instead of 10 to 3000, more on small data sets.";

impl Figure for Fig1 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig1".into(),
            paper: Paper::Scl16,
            label: "Fig. 1".into(),
            title: "NICV against ε on six data sets".into(),
            protocol: "DPLloyd: 30 sets of initial centroids with 100 runs each, five steps; GkM and PGkM: 100 runs; EUGkM: 10 \
                       synopses, the best of 30 starts on each; baseline: the best of 30 starts. The paper names the ends of \
                       the ε axis, 0.05 and 2; the eight values between are ours. Here every run of DPLloyd draws its own start."
                .into(),
            quick: QUICK.into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        Ok(curve_cells(lab, &Tables::find(lab)?.there, &CURVES))
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let tables = Tables::find(lab)?;
        let panels = epsilon_panels(&self.info(), &tables, &CURVES, results)?;
        let read = Read { tables: &tables, results };
        let statements = read.statements()?;
        let paragraph = read.paragraph(&statements)?;
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: tables.caveats() })
    }
}

/// What was measured, for judging.
struct Read<'a> {
    tables: &'a Tables,
    results: &'a Results,
}

impl Read<'_> {
    fn at(&self, table: &Table, curve: Curve, epsilon: &str) -> Result<Summary, Failure> {
        self.results.summary(&table.key(curve.method, epsilon), "nicv")
    }

    /// One curve against another, on the data sets of these names and at the budgets that are wanted.
    fn tally(
        &self,
        names: &[&str],
        first: Curve,
        second: Curve,
        wanted: impl Fn(f64) -> bool,
    ) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        for table in self.tables.named(names) {
            for epsilon in EPSILONS.iter().filter(|epsilon| epsilon.parse().is_ok_and(&wanted)) {
                let place = format!("{} ε = {epsilon}", table.data.title());
                tally.add(place, &self.at(table, first, epsilon)?, &self.at(table, second, epsilon)?);
            }
        }
        Ok(tally)
    }

    fn statements(&self) -> Result<Vec<Statement>, Failure> {
        let (all, every) = ([&LOW[..], &HIGH[..]].concat(), |_: f64| true);
        let few = self.tally(&LOW, EUGKM, DPLLOYD, |epsilon| epsilon <= 0.1)?;
        let many = self.tally(&HIGH, DPLLOYD, EUGKM, every)?;
        let (mut closing, mut ratios) = (0, Vec::new());
        for table in self.tables.named(&LOW) {
            let ratio = |epsilon| {
                Ok::<_, Failure>(self.at(table, DPLLOYD, epsilon)?.mean / self.at(table, EUGKM, epsilon)?.mean)
            };
            let (small, large) = (ratio(EPSILONS[0])?, ratio(EPSILONS[EPSILONS.len() - 1])?);
            closing += usize::from(large < small);
            ratios.push(format!("{} {} to {}", table.data.title(), short(small), short(large)));
        }
        let rivals = [GKM, GKM_3K, PGKM].map(|rival| self.tally(&all, DPLLOYD, rival, every));
        let rivals = rivals.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (beaten, places) = (rivals.iter().map(Tally::lower).sum(), rivals.iter().map(Tally::places).sum());
        let (mut as_told, mut tried) = (0, 0);
        for table in &self.tables.there {
            for epsilon in EPSILONS {
                let order = Order::of(&self.at(table, PGKM, epsilon)?, &self.at(table, DPLLOYD, epsilon)?);
                let told = table.name() == "s1" && epsilon.parse::<f64>()? < 0.15;
                as_told += usize::from((order == Order::Lower) == told);
                tried += 1;
            }
        }
        let better = self.tally(&all, PGKM, DPLLOYD, every)?;
        let others = [DPLLOYD, GKM_3K, PGKM, EUGKM].map(|other| self.tally(&all, other, GKM, every));
        let others = others.into_iter().collect::<Result<Vec<_>, _>>()?;
        let under: Vec<_> = [DPLLOYD, GKM_3K, PGKM, EUGKM]
            .iter()
            .zip(&others)
            .map(|(other, tally)| format!("{} is below it in {} of {}", other.name, tally.lower(), tally.places()))
            .collect();
        let blocks = self.tally(&["tiger", "lifesci"], GKM_3K, PGKM, every)?;
        let still = self.tally(&all, DPLLOYD, GKM_3K, every)?;
        Ok(vec![
            Statement::counted(
                "On S1, Gowalla, TIGER and Image EUGkM is clearly better than DPLloyd at small ε.",
                few.lower(),
                few.places(),
                format!("at ε ≤ 0.1 EUGkM is {few}"),
            ),
            Statement::counted(
                "There the gap becomes smaller as ε grows.",
                closing,
                ratios.len(),
                format!("DPLloyd's NICV over EUGkM's, from the smallest ε to the largest: {}", ratios.join(", ")),
            ),
            in_most(
                "On Adult-num and Lifesci DPLloyd is better than EUGkM at almost all ε.",
                0.8,
                many.lower(),
                many.places(),
                format!("DPLloyd is {many}"),
            ),
            in_most(
                "Of the interactive methods DPLloyd is the best in most cases.",
                0.5,
                beaten,
                places,
                format!("against GkM, GkM-3K and PGkM it is lower in {beaten} of {places} comparisons"),
            ),
            Statement::counted(
                "DPLloyd is worse than PGkM only on S1 below ε = 0.15.",
                as_told,
                tried,
                format!("PGkM is better than DPLloyd here: {}", better.where_lower()),
            ),
            Statement::counted(
                "GkM is always much worse than the others.",
                others.iter().map(Tally::lower).sum(),
                others.iter().map(Tally::places).sum(),
                under.join(", "),
            ),
            Statement::counted(
                "GkM-3K competes with PGkM, and is clearly better on TIGER and Lifesci.",
                blocks.lower(),
                blocks.places(),
                format!("on these two GkM-3K is {blocks}; higher: {}", blocks.where_higher()),
            ),
            Statement::counted(
                "GkM-3K still does worse than DPLloyd.",
                still.lower(),
                still.places(),
                format!("DPLloyd is {still}"),
            ),
        ])
    }

    fn paragraph(&self, statements: &[Statement]) -> Result<String, Failure> {
        let mut at_small = Vec::new();
        for table in &self.tables.there {
            let told = |curve| self.at(table, curve, "0.1").map(|summary| short(summary.mean));
            at_small.push(format!("{} {}, {}, {}", table.data.title(), told(EUGKM)?, told(DPLLOYD)?, told(GKM_3K)?));
        }
        let packed = self.tally(&[&LOW[..], &HIGH[..]].concat(), DPLLOYD, UNIFORM, |_| true)?;
        Ok(format!(
            "{} At ε = 0.1 EUGkM, DPLloyd and GkM-3K have a NICV of: {}. DPLloyd from sphere packings, as the paper runs it, is \
             {packed} against uniform starts. GkM clamps the centres of its blocks into the noisy quartiles of each attribute, as \
             GUPT does, and sorts them by one coordinate; both keep it from improving at large ε, whatever the noise.",
            verdicts(statements),
            at_small.join("; "),
        ))
    }
}
