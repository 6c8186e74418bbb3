//! Figs 9 to 14: NICV against k at a fixed ε.

use super::setting::{self, BASELINE, CLUSTERS, FIVE_STEPS, METHODS, Setting, UNSQUARED, WARD};
use crate::chart::{Axis, Point, Series, Style};
use crate::measure::tally::{Estimate, Order, Tally};
use crate::papers::words::{short, verdicts};
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Places, Results, Statement};

/// One of them.
pub struct AgainstK {
    /// Its number in the paper.
    pub number: usize,
    /// Its data set.
    pub setting: &'static Setting,
}

impl Figure for AgainstK {
    fn info(&self) -> Info {
        let shows = format!("NICV against k at ε = {}", self.setting.epsilon);
        let protocol = "As Figs 3 to 8: 20 sets of initial centroids with 50 runs each, 12 steps, n = 3, NICV without the square. \
                        The text does not print the k of the axis: 2 to 10 is ours. Every run here draws its own start, 1000 in \
                        all; DPLloyd-Impr with SCL16's five steps and k-means without privacy are ours, too.";
        setting::info(self.setting, self.number, shows, protocol)
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (setting, data) = (self.setting, setting::data(lab, self.setting)?);
        let methods = CLUSTERS.iter().flat_map(|&k| setting::cells(lab.effort, setting, &data, k, setting.epsilon));
        Ok(methods.chain(CLUSTERS.iter().map(|&k| setting::baseline(&data, k))).collect())
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let Setting { epsilon, caption, k: clusters, .. } = *self.setting;
        let data = setting::data(lab, self.setting)?;
        let at = |method: &str, k: usize| {
            let epsilon = if method == BASELINE.0 { "" } else { epsilon };
            results.summary(&setting::key(&data, method, k, epsilon), UNSQUARED)
        };
        let mut series = Vec::new();
        for (method, name) in METHODS.into_iter().chain([FIVE_STEPS, WARD, BASELINE]) {
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
        let ward = tally(WARD.0, "average-k")?;
        let five = tally("allocation-nk", FIVE_STEPS.0)?;
        let mut gains = Vec::new();
        for k in CLUSTERS {
            let (theirs, plain) = (at("allocation-nk", k)?, at("average-k", k)?);
            let kept = Estimate::of(&theirs).over(Estimate::of(&plain));
            let real = Order::of(&theirs, &plain) == Order::Lower;
            gains.push(Gain { k, of: kept.mapped(1.0 - kept.value, -1.0), real });
        }
        let (peak, peak_told) = peak(gains, clusters);
        let statements = vec![
            Statement::over(
                "From best to worst: allocation_nk, average_nk, average_k, allocation_k.",
                [&best, &second, &third].into_iter().map(Places::from).sum(),
                format!(
                    "allocation_nk against average_nk: {best}; average_nk against average_k: {second}; average_k against allocation_k: {third}"
                ),
            ),
            peak,
            Statement::over(
                "DP-KCCM (allocation_nk) is better than the benchmark average_k.",
                (&proposed).into(),
                format!("allocation_nk is {proposed}"),
            )
            .headline(),
            Statement::over("With Ward merging it is.", (&ward).into(), format!("with Ward merging it is {ward}"))
                .ours(),
        ];
        let (few, many) = (CLUSTERS[0], CLUSTERS[CLUSTERS.len() - 1]);
        let paragraph = format!(
            "{} {peak_told}. From k = {few} to {many} the NICV of DP-KCCM goes from {} to {}, that of average_k from {} to {}, and \
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
        let axes = (format!("{caption}, ε = {epsilon}"), Axis::linear("number of clusters k"));
        Ok(setting::drawing(&data, axes, series, statements, paragraph))
    }
}

/// By which part DP-KCCM lowers the NICV of average_k.
struct Gain {
    k: usize,
    of: Estimate,
    /// Whether it is beyond errors.
    real: bool,
}

/// The k with the largest gain. Some k always has it: it says something if the gain is real and clearly above the second, and
/// if it is the number of clusters that Table 2 gives, here `clusters`.
fn peak(mut gains: Vec<Gain>, clusters: usize) -> (Statement, String) {
    let says = "One k has the largest improvement, which seems to be the right number of clusters.";
    gains.sort_by(|a, b| b.of.value.total_cmp(&a.of.value));
    let of = gains.len();
    let Some(at) = gains.iter().position(|gain| gain.real) else {
        let found = format!("DP-KCCM is not better than average_k beyond errors at any of {of} k");
        return (Statement::counted(says, 0, 2, found.clone()), found);
    };
    let best = gains.remove(at);
    let clear = gains.iter().all(|other| best.of.is_above(other.of));
    let told = format!("DP-KCCM gains most over average_k at k = {}: {:.1} %", best.k, 100.0 * best.of.value);
    let second = gains.first().map_or(String::new(), |second| {
        let than = if clear { "more than the next" } else { "not more than the next" };
        format!(", beyond errors {than} (k = {}: {:.1} %)", second.k, 100.0 * second.of.value)
    });
    let held = usize::from(clear) + usize::from(best.k == clusters);
    (Statement::counted(says, held, 2, format!("{told}{second}; Table 2 has k = {clusters}")), told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::statistics::Summary;

    #[test]
    fn a_peak_stands_out_and_is_where_the_paper_has_it() {
        let gains = |values: [f64; 3]| {
            let gain = |(k, value): (usize, f64)| {
                let of = Estimate::of(&Summary::of(&[value - 0.01, value, value + 0.01]));
                Gain { k, of, real: value > 0.0 }
            };
            (2..).zip(values).map(gain).collect::<Vec<_>>()
        };
        let verdict = |values, clusters| peak(gains(values), clusters).0.verdict;
        assert_eq!(verdict([0.1, 0.5, 0.2], 3), Verdict::Holds);
        assert_eq!(verdict([0.1, 0.5, 0.2], 4), Verdict::Partly, "another k");
        assert_eq!(verdict([0.1, 0.5, 0.49], 3), Verdict::Partly, "hardly above the next");
        assert_eq!(verdict([0.1, 0.5, 0.49], 2), Verdict::Fails);
        assert_eq!(verdict([-0.1, -0.5, -0.3], 2), Verdict::Fails, "no gain");
    }
}
