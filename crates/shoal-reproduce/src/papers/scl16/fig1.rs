//! Fig. 1: NICV against ε, five methods on six data sets.

use std::sync::Arc;

use super::cost::milliseconds;
use super::panels::{Curve, Read, epsilon_panels};
use super::tables::{EPSILONS, Table, Tables, baseline, method};
use crate::chart::Chart;
use crate::measure::tally::{Estimate, Tally};
use crate::papers::words::{by_much, in_most, short, verdicts, without};
use crate::{Cell, Drawing, Effort, Failure, Figure, Info, Lab, Paper, Places, Results, Statement};

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

/// Milliseconds that a first look spends on a point, where that is two runs or more.
const AFFORDED: f64 = 50.0;
/// A point of which one run takes longer than this is left out of it.
const TOO_LONG: f64 = 1100.0;

/// Where a run takes longer than this, a first look takes fewer ε.
const SLOW: f64 = 60.0;
const FEW_EPSILONS: [&str; 6] = ["0.05", "0.1", "0.2", "0.5", "1", "2"];

/// How often a method runs at a point: the paper's number, or as often as a first look has time for, which may be never.
pub fn runs(effort: Effort, table: &Table, method: &str, epsilon: &str) -> usize {
    let cost = milliseconds(table, method, epsilon);
    // The results of DPLloyd spread most, with its starts.
    let (paper, least) = match method {
        "dplloyd-impr" => (3000, 8.0),
        "dplloyd" => (3000, 2.0),
        "eugkm" => (10, 2.0),
        // The paper prints a value there, which two runs could not be held against.
        "hybrid" if epsilon == "0.05" => (100, 12.0),
        _ => (100, 2.0),
    };
    let left_out = cost > TOO_LONG || cost > SLOW && !FEW_EPSILONS.contains(&epsilon);
    let quick = if left_out { 0 } else { (AFFORDED / cost).clamp(least, 40.0) as usize };
    effort.pick(paper, quick.min(paper))
}

/// All cells of these curves.
pub fn curve_cells(lab: &Lab, tables: &[Arc<Table>], curves: &[Curve]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for table in tables {
        for curve in curves {
            let with_runs = EPSILONS.iter().map(|epsilon| (epsilon, runs(lab.effort, table, curve.method, epsilon)));
            let wanted = with_runs.filter(|(_, runs)| *runs > 0);
            cells.extend(wanted.map(|(epsilon, runs)| method(table, curve.method, epsilon, runs)));
        }
        cells.push(baseline(table));
    }
    cells
}

/// What a reduced run leaves out.
pub const QUICK: &str = "2 to 40 runs a point instead of 10 to 3000; six of the ten ε where a run takes long; and no point where one takes \
                          more than a second: EUGkM and Hybrid on Adult-num and Lifesci at larger ε, PGkM on Gowalla at larger ε.";

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
        let judge = Judge(Read { tables: &tables, results });
        let statements = judge.statements();
        let paragraph = judge.paragraph(&statements);
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: tables.caveats() })
    }
}

/// What the paper says.
struct Judge<'a>(Read<'a>);

impl Judge<'_> {
    fn statements(&self) -> Vec<Statement> {
        let Self(read) = self;
        let (all, every) = ([&LOW[..], &HIGH[..]].concat(), |_: &Table, _: f64| true);
        let few = read.tally(&LOW, EUGKM, DPLLOYD, |_, epsilon| epsilon <= 0.1);
        let many = read.tally(&HIGH, DPLLOYD, EUGKM, every);
        let (mut closing, mut ratios) = (Places::default(), Vec::new());
        for table in read.tables.named(&LOW) {
            let of = |curve, epsilon| read.at(table, curve, epsilon).map(|runs| Estimate::of(&runs));
            let ratio = |epsilon| Some(of(DPLLOYD, epsilon)?.over(of(EUGKM, epsilon)?));
            if let (Some(small), Some(large)) = (ratio(EPSILONS[0]), ratio(EPSILONS[EPSILONS.len() - 1])) {
                closing += small.above(large);
                ratios.push(format!("{} {} to {}", table.data.title(), short(small.value), short(large.value)));
            }
        }
        let rivals = [GKM, GKM_3K, PGKM];
        let interactive = read.best(&all, DPLLOYD, &rivals, every);
        let better = read.tally(&all, PGKM, DPLLOYD, every);
        let small = read.tally(&["s1"], PGKM, DPLLOYD, |_, epsilon| epsilon < 0.15);
        // On S1 at small ε it is to be lower, and nowhere else.
        let elsewhere = better.lower() - small.lower();
        let as_told = Places {
            held: small.lower() + better.higher() - small.higher(),
            tied: better.alike(),
            against: small.higher() + elsewhere,
        };
        let others = [DPLLOYD, GKM_3K, PGKM, EUGKM].map(|other| read.tally(&all, other, GKM, every));
        let under: Vec<_> = [DPLLOYD, GKM_3K, PGKM, EUGKM]
            .iter()
            .zip(&others)
            .map(|(other, tally)| format!("{} is below it in {} of {}", other.name, tally.lower(), tally.places()))
            .collect();
        let worst = others.into_iter().fold(Tally::default(), Tally::and);
        let blocks = read.tally(&["tiger", "lifesci"], GKM_3K, PGKM, every);
        let still = read.tally(&all, DPLLOYD, GKM_3K, every);
        vec![
            without(
                by_much(
                    "On S1, Gowalla, TIGER and Image EUGkM is clearly better than DPLloyd at small ε.",
                    &few,
                    format!("at ε ≤ 0.1 EUGkM is {}", few.with_much()),
                ),
                &read.untried(&LOW, &[EUGKM, DPLLOYD]),
            ),
            without(
                Statement::over(
                    "There the gap becomes smaller as ε grows.",
                    closing,
                    format!(
                        "DPLloyd's NICV over EUGkM's, from the smallest ε to the largest: {}; {closing}",
                        ratios.join(", "),
                    ),
                ),
                &read.untried(&LOW, &[EUGKM, DPLLOYD]),
            ),
            without(
                in_most(
                    "On Adult-num and Lifesci DPLloyd is better than EUGkM at almost all ε.",
                    0.8,
                    &many,
                    format!("DPLloyd is {many}"),
                ),
                &read.untried(&HIGH, &[EUGKM, DPLLOYD]),
            ),
            without(
                in_most(
                    "Of the interactive methods DPLloyd is the best in most cases.",
                    0.5,
                    &interactive,
                    format!(
                        "it is lower than GkM, GkM-3K and PGkM at once in {} of {} points, higher than one of them in {}, and \
                         within errors of the best in {}",
                        interactive.lower(),
                        interactive.places(),
                        interactive.higher(),
                        interactive.alike()
                    ),
                ),
                &read.untried(&all, &[DPLLOYD, GKM, GKM_3K, PGKM]),
            ),
            without(
                Statement::over(
                    "DPLloyd is worse than PGkM only on S1 below ε = 0.15.",
                    as_told,
                    format!("PGkM is better than DPLloyd here: {}", better.where_lower()),
                ),
                &read.untried(&all, &[DPLLOYD, PGKM]),
            ),
            without(
                by_much(
                    "GkM is always much worse than the others.",
                    &worst,
                    format!("{}; all of them are {} against it", under.join(", "), worst.with_much()),
                ),
                &read.untried(&all, &[GKM, DPLLOYD, GKM_3K, PGKM, EUGKM]),
            ),
            without(
                by_much(
                    "GkM-3K competes with PGkM, and is clearly better on TIGER and Lifesci.",
                    &blocks,
                    format!("on these two GkM-3K is {}; higher: {}", blocks.with_much(), blocks.where_higher()),
                ),
                &read.untried(&["tiger", "lifesci"], &[GKM_3K, PGKM]),
            ),
            without(
                Statement::over(
                    "GkM-3K still does worse than DPLloyd.",
                    (&still).into(),
                    format!("DPLloyd is {still}"),
                ),
                &read.untried(&all, &[DPLLOYD, GKM_3K]),
            ),
        ]
    }

    fn paragraph(&self, statements: &[Statement]) -> String {
        let Self(read) = self;
        let mut at_small = Vec::new();
        for table in &read.tables.there {
            let told = |curve| read.at(table, curve, "0.1").map_or("none".into(), |summary| short(summary.mean));
            at_small.push(format!("{} {}, {}, {}", table.data.title(), told(EUGKM), told(DPLLOYD), told(GKM_3K)));
        }
        let packed = read.tally(&[&LOW[..], &HIGH[..]].concat(), DPLLOYD, UNIFORM, |_, _| true);
        format!(
            "{} At ε = 0.1 EUGkM, DPLloyd and GkM-3K have a NICV of: {}. DPLloyd from sphere packings, as the paper runs it, is \
             {packed} against uniform starts. GkM finds the range of its blocks' centres from noisy quartiles of \
             what the blocks hand in, widened as GUPT does, and matches them by one coordinate: an error that no budget removes, \
             taken apart in Fig. 3.",
            verdicts(statements),
            at_small.join("; "),
        )
    }
}
