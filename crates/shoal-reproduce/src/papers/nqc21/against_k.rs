//! Figs 9 to 14: NICV against k at a fixed ε.

use super::setting::{self, BASELINE, CLUSTERS, FIVE_STEPS, METHODS, Setting, UNSQUARED};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::tally::{Order, Tally};
use crate::papers::words::{data_caveats, short, verdicts};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Paper, Results, Statement, Verdict};

/// One of them.
pub struct AgainstK {
    /// Its number in the paper.
    pub number: usize,
    /// Its data set.
    pub setting: &'static Setting,
}

impl Figure for AgainstK {
    fn info(&self) -> Info {
        let Setting { caption, epsilon, .. } = self.setting;
        Info {
            id: format!("ni21-fig{}", self.number),
            paper: Paper::Nqc21,
            label: format!("Fig. {}", self.number),
            title: format!("{caption}: NICV against k at ε = {epsilon}"),
            protocol: "As Figs 3 to 8: 20 sets of initial centroids with 50 runs each, 12 steps, n = 3, NICV without the square. \
                       The text does not print the k of the axis: 2 to 10 is ours. Every run here draws its own start, 1000 in \
                       all; DPLloyd-Impr with SCL16's five steps and k-means without privacy are ours, too."
                .into(),
            quick: format!("{} runs instead of 1000.", self.setting.quick),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (setting, data) = (self.setting, setting::data(lab, self.setting)?);
        let methods = CLUSTERS.iter().flat_map(|&k| setting::cells(lab.effort, setting, &data, k, setting.epsilon));
        Ok(methods.chain(CLUSTERS.iter().map(|&k| setting::baseline(&data, k))).collect())
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let Setting { epsilon, caption, .. } = *self.setting;
        let data = setting::data(lab, self.setting)?;
        let at = |method: &str, k: usize| {
            let epsilon = if method == BASELINE.0 { "" } else { epsilon };
            results.summary(&setting::key(&data, method, k, epsilon), UNSQUARED)
        };
        let mut series = Vec::new();
        for (method, name) in METHODS.into_iter().chain([FIVE_STEPS, BASELINE]) {
            let point = |&k: &usize| Ok(Point::mean(k as f64, &at(method, k)?));
            let points = CLUSTERS.iter().map(point).collect::<Result<_, Failure>>()?;
            let style = if method == BASELINE.0 { Style::Dashed } else { Style::Marked };
            series.push(Series { name: name.into(), style, points });
        }
        let tally = |first: &str, second: &str| -> Result<Tally, Failure> {
            let mut tally = Tally::default();
            for k in CLUSTERS {
                tally.add(format!("k = {k}"), &at(first, k)?, &at(second, k)?);
            }
            Ok(tally)
        };
        let best = tally("allocation-nk", "average-nk")?;
        let second = tally("average-nk", "average-k")?;
        let third = tally("average-k", "allocation-k")?;
        let proposed = tally("allocation-nk", "average-k")?;
        let five = tally("allocation-nk", FIVE_STEPS.0)?;
        let mut gains = Vec::new();
        for k in CLUSTERS {
            let (theirs, plain) = (at("allocation-nk", k)?, at("average-k", k)?);
            gains.push((1.0 - theirs.mean / plain.mean, k, Order::of(&theirs, &plain) == Order::Lower));
        }
        // Unwrap safety: there are nine numbers of clusters.
        let (gain, k, real) = *gains.iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let peak = format!("DP-KCCM gains most over average_k at k = {k}: {:.1} %", 100.0 * gain);
        let statements = vec![
            Statement::counted(
                "From best to worst: allocation_nk, average_nk, average_k, allocation_k.",
                best.lower() + second.lower() + third.lower(),
                best.places() + second.places() + third.places(),
                format!(
                    "allocation_nk against average_nk: {best}; average_nk against average_k: {second}; average_k against allocation_k: {third}"
                ),
            ),
            Statement {
                says: "One k has the largest improvement, which seems to be the right number of clusters.".into(),
                verdict: if real { Verdict::Holds } else { Verdict::Fails },
                found: if real { peak.clone() } else { format!("{peak}, so there is no improvement at any k") },
                ours: false,
            },
            Statement::counted(
                "DP-KCCM (allocation_nk) is better than the benchmark average_k.",
                proposed.lower(),
                proposed.places(),
                format!("allocation_nk is {proposed}"),
            ),
        ];
        let (few, many) = (CLUSTERS[0], CLUSTERS[CLUSTERS.len() - 1]);
        let paragraph = format!(
            "{} {peak}. From k = {few} to {many} the NICV of DP-KCCM goes from {} to {}, that of average_k from {} to {}, and \
             that of k-means without privacy from {} to {}. Against DPLloyd-Impr with the five steps that SCL16 advises, DP-KCCM \
             is {five}.",
            verdicts(&statements),
            short(at("allocation-nk", few)?.mean),
            short(at("allocation-nk", many)?.mean),
            short(at("average-k", few)?.mean),
            short(at("average-k", many)?.mean),
            short(at(BASELINE.0, few)?.mean),
            short(at(BASELINE.0, many)?.mean),
        );
        let panel = Panel {
            title: format!("{caption}, ε = {epsilon}"),
            note: data.note(),
            body: Body::Lines(Lines {
                x: Axis::linear("number of clusters k"),
                y: Axis::linear("NICV, not squared (box units)"),
                series,
            }),
        };
        Ok(Drawing {
            chart: Chart { panels: vec![panel], columns: 1 },
            statements,
            paragraph,
            caveats: data_caveats([&data.records].into_iter(), &[]),
        })
    }
}
