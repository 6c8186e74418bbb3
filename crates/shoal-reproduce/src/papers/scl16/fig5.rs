//! Fig. 5: Hybrid against EUGkM and DPLloyd.

use std::sync::Arc;

use shoal_curator::internals::NoisySumsMechanism;
use shoal_curator::{DesignSize, EugkmParams, Hybrid, HybridParams, RowMechanism, Settings, find_method};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{BoxPosition, HALF_WIDTH};
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Amount, Epsilon};

use super::fig1::{DPLLOYD, EUGKM, HIGH, LOW, QUICK, curve_cells, runs};
use super::panels::{Curve, Read, epsilon_panels};
use super::tables::{EPSILONS, Table, Tables};
use crate::chart::Chart;
use crate::measure::lloyd::PlainTable;
use crate::measure::tally::Tally;
use crate::papers::words::{in_most, short, verdicts, without};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Paper, Places, Results, Statement};

/// The figure.
pub struct Fig5;

const HYBRID: Curve = Curve { method: "hybrid", name: "Hybrid" };
const CURVES: [Curve; 3] = [HYBRID, EUGKM, DPLLOYD];

/// "Comes to the baseline" is within this share of it.
const NEAR: f64 = 0.05;

/// Hybrid that refines below its threshold, too: §6.4 says what that would give on Adult.
const REFINED: &str = "hybrid, always refining";
const REFINED_AT: (&str, &str) = ("adult", "0.05");

impl Figure for Fig5 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig5".into(),
            paper: Paper::Scl16,
            label: "Fig. 5".into(),
            title: "Hybrid against EUGkM and DPLloyd".into(),
            protocol: "Hybrid: 10 runs of EUGkM with 10 refining steps each, 100 values; EUGkM and DPLloyd as in Fig. 1. Here all \
                       100 runs of Hybrid make their own synopsis."
                .into(),
            quick: QUICK.into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let tables = Tables::find(lab)?;
        let mut cells = curve_cells(lab, &tables.there, &CURVES);
        let (name, epsilon) = REFINED_AT;
        let runs = |table| runs(lab.effort, table, "hybrid", epsilon);
        cells.extend(tables.get(name).map(|table| refined(table, epsilon, runs(table).max(2))));
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let tables = Tables::find(lab)?;
        let panels = epsilon_panels(&self.info(), &tables, &CURVES, results)?;
        let judge = Judge(Read { tables: &tables, results });
        let statements = judge.statements()?;
        let paragraph = judge.paragraph(&statements)?;
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: tables.caveats() })
    }
}

/// EUGkM with half of ε, then one noisy step of Lloyd with the other half, whatever eq. (15) says.
fn refined(table: &Arc<Table>, epsilon: &'static str, runs: usize) -> Cell {
    let (table, key) = (table.clone(), table.key(REFINED, epsilon));
    let cost = super::cost::milliseconds(&table, "eugkm", epsilon);
    Cell::new(key, &["nicv"], runs, move |run| Ok(vec![refined_once(&table, epsilon, &mut run.noise)?])).costing(cost)
}

fn refined_once(table: &Table, epsilon: &str, noise: &mut SeededNoise) -> Result<f64, Failure> {
    let (rows, dims) = (table.data.table()?, table.data.records.dims());
    let whole: Epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    let half = whole.times(&Amount::ratio(1, 2));
    let eugkm = find_method("eugkm").ok_or("there is no EUGkM")?;
    let size = DesignSize::Public(rows.rows() as u64);
    let system = eugkm.build(&Settings::new(table.k, half.clone(), size), dims)?;
    let found = system.run(rows.scan(), Allowance::without_ledger(system.claim()), noise)?;
    let mut centres = BoxPosition::numbers(&found.centres.concat());
    let exact = PlainTable::new(rows.points()).sums(&LatticeCentres::from_unit(dims, &centres));
    let noisy = NoisySumsMechanism::per_step(dims, &half)?.draw(exact, noise);
    let moved = centres.chunks_exact_mut(dims).zip(noisy.sums.chunks_exact(dims)).zip(&noisy.counts);
    for ((centre, sums), &count) in moved.filter(|(_, count)| **count > 0) {
        for (x, &sum) in centre.iter_mut().zip(sums) {
            *x = (sum as f64 / count as f64 / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0);
        }
    }
    Ok(rows.score(&centres)?.squared)
}

/// The ε from which on Hybrid refines: eq. (15).
fn threshold(table: &Table) -> Result<f64, Failure> {
    let rows = table.data.records.rows();
    let epsilon = "1".parse().map_err(|error| format!("1: {error}"))?;
    let params = HybridParams::new(EugkmParams::new(table.k, epsilon, DesignSize::Public(rows as u64)));
    Ok(Hybrid::new(params, table.data.records.dims())?.threshold(rows as f64))
}

/// What the paper says.
struct Judge<'a>(Read<'a>);

impl Judge<'_> {
    /// Hybrid against another, where it refines or where it falls back.
    fn tally(&self, names: &[&str], other: Curve, refines: bool) -> Tally {
        let wanted = |table: &Table, epsilon: f64| threshold(table).is_ok_and(|from| (epsilon >= from) == refines);
        self.0.tally(names, HYBRID, other, wanted)
    }

    fn statements(&self) -> Result<Vec<Statement>, Failure> {
        let all = [&LOW[..], &HIGH[..]].concat();
        let back = self.tally(&all, EUGKM, false);
        let low = self.tally(&LOW, EUGKM, true);
        let (mut near, mut ends) = (0, Vec::new());
        for table in self.0.tables.named(&LOW) {
            let best = self.0.results.summary(&table.baseline_key(), "nicv")?.mean;
            let last = |curve| self.0.at(table, curve, EPSILONS[EPSILONS.len() - 1]).map(|runs| runs.mean);
            let (Some(hybrid), Some(eugkm)) = (last(HYBRID), last(EUGKM)) else { continue };
            near += usize::from(hybrid.max(eugkm) < (1.0 + NEAR) * best);
            let above = [hybrid, eugkm].map(|nicv| format!("{:+.1} %", 100.0 * (nicv / best - 1.0)));
            ends.push(format!("{} {}", table.data.title(), above.join(" and ")));
        }
        let mut never = Vec::new();
        for table in self.0.tables.named(&LOW) {
            if threshold(table)? > EPSILONS[EPSILONS.len() - 1].parse()? {
                never.push(table.data.title());
            }
        }
        let never = if never.is_empty() { "none".into() } else { never.join(", ") };
        let high = self.tally(&HIGH, DPLLOYD, true);
        let both = self.0.best(&HIGH, HYBRID, &[EUGKM, DPLLOYD], |_, _| true);
        let (few, many) = (self.0.untried(&LOW, &[HYBRID, EUGKM]), self.0.untried(&HIGH, &[HYBRID, EUGKM, DPLLOYD]));
        let back_there = self.tally(&HIGH, DPLLOYD, false);
        let worse = self.0.tally(&HIGH, HYBRID, DPLLOYD, |_, _| true);
        let as_told = Places { held: back_there.places() + high.lower(), tied: high.alike(), against: high.higher() };
        let mut statements = vec![
            // A remark: the two are the same method there, by construction.
            in_most(
                "At small ε Hybrid falls back to EUGkM.",
                0.8,
                Places { held: back.alike(), tied: 0, against: back.lower() + back.higher() },
                format!(
                    "below the thresholds of eq. (15) the two are within errors in {} of {} points",
                    back.alike(),
                    back.places()
                ),
            )
            .ours(),
            without(
                Statement::counted(
                    "With few attributes both come to the baseline as ε grows.",
                    near,
                    ends.len(),
                    format!(
                        "within {} % in {near} of {}; Hybrid and EUGkM at the largest ε against the baseline: {}",
                        100.0 * NEAR,
                        ends.len(),
                        ends.join(", ")
                    ),
                ),
                &few,
            ),
            without(
                Statement::over(
                    "There Hybrid is slightly better than EUGkM once it refines.",
                    (&low).into(),
                    format!("above the thresholds Hybrid is {low}; data sets on which it never refines: {never}"),
                ),
                &few,
            ),
            without(
                in_most(
                    "On Adult-num and Lifesci Hybrid is better than both others in most cases.",
                    0.5,
                    &both,
                    format!(
                        "it is lower than EUGkM and DPLloyd at once in {} of {} points, higher than one of them in {}, and within \
                         errors of the best in {}",
                        both.lower(),
                        both.places(),
                        both.higher(),
                        both.alike()
                    ),
                ),
                &many,
            )
            .headline(),
            without(
                Statement::over(
                    "It is worse than DPLloyd only at a few small ε, where it falls back.",
                    as_told,
                    format!("Hybrid is higher than DPLloyd on these two: {}", worse.where_higher()),
                ),
                &self.0.untried(&HIGH, &[HYBRID, DPLLOYD]),
            ),
        ];
        let (name, epsilon) = REFINED_AT;
        let table = self.0.tables.get(name);
        if let Some((table, own)) = table.and_then(|table| Some((table, self.0.at(table, HYBRID, epsilon)?))) {
            let refined = self.0.results.summary(&table.key(REFINED, epsilon), "nicv")?;
            statements.push(Statement::over(
                "On Adult-num at ε = 0.05 refining would have been better than falling back.",
                refined.below(&own),
                format!(
                    "{} ± {} with the step and {} ± {} without",
                    short(refined.mean),
                    short(refined.error()),
                    short(own.mean),
                    short(own.error())
                ),
            ));
        }
        Ok(statements)
    }

    fn paragraph(&self, statements: &[Statement]) -> Result<String, Failure> {
        let mut told = Vec::new();
        for table in &self.0.tables.there {
            told.push(format!("{} {}", table.data.title(), short(threshold(table)?)));
        }
        let all = [&LOW[..], &HIGH[..]].concat();
        let (eugkm, dplloyd) = (self.tally(&all, EUGKM, true), self.tally(&all, DPLLOYD, true));
        Ok(format!(
            "{} Hybrid refines from these ε on (eq. (15) with ρ = 0.225): {}. Where it does, on all data sets, it is {eugkm} \
             against EUGkM and {dplloyd} against DPLloyd.",
            verdicts(statements),
            told.join(", "),
        ))
    }
}
