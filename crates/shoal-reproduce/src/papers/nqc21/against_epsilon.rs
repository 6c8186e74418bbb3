//! Figs 3 to 8: NICV against ε at a fixed k.

use super::setting::{self, BASELINE, FIVE_STEPS, METHODS, Setting, UNSQUARED, WARD};
use crate::chart::{Axis, Point, Series, Style};
use crate::measure::tally::Tally;
use crate::papers::words::{by_much, in_most, short, verdicts};
use crate::statistics::{Summary, fall};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Places, Results, Statement};

/// One of them.
pub struct AgainstEpsilon {
    /// Its number in the paper.
    pub number: usize,
    /// Its data set.
    pub setting: &'static Setting,
}

impl Figure for AgainstEpsilon {
    fn info(&self) -> Info {
        let shows = format!("NICV against ε at k = {}", self.setting.k);
        let protocol = "Mean over 20 sets of initial centroids with 50 runs each, 12 steps, n = 3. The NICV is eq. (5), without \
                        the square. The text does not print the ε of the axis: the grid is ours. Every run here draws its own \
                        start, 1000 in all; DPLloyd-Impr with SCL16's five steps and k-means without privacy are ours, too.";
        setting::info(self.setting, self.number, shows, protocol)
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (setting, data) = (self.setting, setting::data(lab, self.setting)?);
        let methods =
            setting.epsilons.iter().flat_map(|epsilon| setting::cells(lab.effort, setting, &data, setting.k, epsilon));
        Ok(methods.chain([setting::baseline(&data, setting.k)]).collect())
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let Setting { k, epsilons, caption, .. } = *self.setting;
        let data = setting::data(lab, self.setting)?;
        let at = |method: &str, epsilon: &str| results.summary(&setting::key(&data, method, k, epsilon), UNSQUARED);
        let mut series = Vec::new();
        for (method, name) in METHODS.into_iter().chain([FIVE_STEPS, WARD]) {
            let point = |epsilon: &&str| Ok(Point::mean(epsilon.parse()?, &at(method, epsilon)?));
            let points = epsilons.iter().map(point).collect::<Result<_, Failure>>()?;
            series.push(Series { name: name.into(), style: Style::Marked, points });
        }
        let best = at(BASELINE.0, "")?.mean;
        let line = |epsilon: &&str| Ok(Point::exact(epsilon.parse()?, best));
        let points = epsilons.iter().map(line).collect::<Result<_, Failure>>()?;
        series.push(Series { name: BASELINE.1.into(), style: Style::Dashed, points });

        let tally = |first: &str, second: &str| -> Result<Tally, Failure> {
            let mut tally = Tally::default();
            for epsilon in epsilons {
                tally.add(format!("ε = {epsilon}"), &at(first, epsilon)?, &at(second, epsilon)?);
            }
            Ok(tally)
        };
        let growing = tally("average-k", "allocation-k")?;
        let merging = tally("average-nk", "average-k")?;
        let both = tally("allocation-nk", "average-nk")?;
        let proposed = tally("allocation-nk", "average-k")?;
        let ward = tally(WARD.0, "average-k")?;
        let five = tally("allocation-nk", FIVE_STEPS.0)?;
        let (first, last) = (epsilons[0], epsilons[epsilons.len() - 1]);
        let mut improved = Vec::new();
        for (method, name) in METHODS {
            let curve = epsilons.iter().map(|epsilon| at(method, epsilon)).collect::<Result<Vec<Summary>, _>>()?;
            improved.push((fall(&curve), name, at(method, first)?.mean / at(method, last)?.mean));
        }
        let falling: Places = improved.iter().map(|(falls, ..)| *falls).sum();
        let gains: Vec<_> = improved.iter().map(|(_, name, gain)| format!("{name} {}", short(*gain))).collect();
        let statements = vec![
            Statement::over(
                "In all cases allocation_k is worse than average_k.",
                (&growing).into(),
                format!("average_k is {growing}"),
            ),
            in_most(
                "In nearly all cases average_nk is better than average_k.",
                0.8,
                &merging,
                format!("average_nk is {merging}"),
            ),
            by_much(
                "In all cases allocation_nk is significantly better than average_nk.",
                &both,
                format!("allocation_nk is {}", both.with_much()),
            ),
            Statement::over(
                "DP-KCCM (allocation_nk) is better than the benchmark average_k.",
                (&proposed).into(),
                format!("allocation_nk is {proposed}"),
            )
            .headline(),
            Statement::over("With Ward merging it is.", (&ward).into(), format!("with Ward merging it is {ward}"))
                .ours(),
            Statement::over(
                "All methods become better as ε grows.",
                falling,
                format!(
                    "a fall without a step up is {falling}; the NICV at ε = {first} over that at {last}: {}",
                    gains.join(", ")
                ),
            ),
        ];
        let (ours, theirs) = (at("allocation-nk", last)?, at("average-k", last)?);
        let paragraph = format!(
            "{} What DP-KCCM's two parts do here: a budget that grows from step to step, with merging, {}; merging, with equal budgets, {}. At ε = {last} DP-KCCM has a NICV of {} and average_k {}, where k-means without privacy has {}. Against \
             DPLloyd-Impr with the five steps that SCL16 advises, DP-KCCM is {five}.",
            verdicts(&statements),
            effect(&both),
            effect(&merging),
            short(ours.mean),
            short(theirs.mean),
            short(best),
        );
        let axes = (format!("{caption}, k = {k}"), Axis::linear("privacy budget ε"));
        Ok(setting::drawing(&data, axes, series, statements, paragraph))
    }
}

/// What a change did, from how often it lowered the NICV.
fn effect(tally: &Tally) -> String {
    let all = tally.places();
    match (tally.lower(), tally.higher()) {
        (0, 0) => "makes no difference that can be told".into(),
        (lower, 0) => format!("is better in {lower} of {all} and never worse"),
        (0, higher) => format!("is worse in {higher} of {all} and never better"),
        (lower, higher) => format!("is better in {lower} of {all} and worse in {higher}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_told_with_its_count() {
        let exact = |mean: f64| Summary::of(&[mean]);
        let effect = |firsts: &[f64]| {
            let mut tally = Tally::default();
            firsts.iter().for_each(|first| tally.add("", &exact(*first), &exact(1.0)));
            super::effect(&tally)
        };
        assert_eq!(effect(&[0.5, 1.0, 1.0]), "is better in 1 of 3 and never worse");
        assert_eq!(effect(&[0.5, 2.0]), "is better in 1 of 2 and worse in 1");
        assert_eq!(effect(&[1.0]), "makes no difference that can be told");
    }
}
