//! Fig. 8: clusters of the digits from codes, against ε.

use super::claim::Claim;
use super::digits::{Digits, Method, READINGS};
use super::info;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::comparators::CodeMetric;
use crate::measure::consortium::{DELTA, DEMONSTRATION, Level};
use crate::papers::words::short;
use crate::statistics::Summary;
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Results, Statement, Verdict};

const BITS: u32 = DEMONSTRATION.bits;
const EPSILONS: [&str; 9] = ["0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "3", "5"];
/// Totals that are kept for real.
const KEPT: [&str; 3] = ["1", "5", "2"];

/// A reduced run has the first two.
fn totals(lab: &Lab) -> &'static [&'static str] {
    lab.effort.pick(&KEPT[..], &KEPT[..2])
}

/// Where kCluster is run as printed; a reduced run has few.
fn published_at(lab: &Lab) -> &'static [&'static str] {
    lab.effort.pick(&EPSILONS[..], &["0.5", "1", "5"])
}

/// The paper's estimate for kCluster, and the one for records of several attributes.
const METRICS: [(CodeMetric, &str); 2] = [(CodeMetric::Eq16, "eq. 16"), (CodeMetric::Eq19, "eq. 19")];

/// Points of NMI that are near the records' own clustering.
const NEAR: f64 = 5.0;

pub struct Fig8;

fn per_bit(epsilon: &'static str) -> Method {
    Method::Dpbv(Level::PerBit(epsilon), BITS)
}

fn kept(total: &'static str, bits: u32) -> Method {
    Method::Dpbv(Level::Kept(total), bits)
}

impl Figure for Fig8 {
    fn info(&self) -> Info {
        info(
            "sun19-fig8",
            "Fig. 8",
            "Clusters of the digits from codes, against ε",
            &format!(
                "As Table III: 1,797 digits, 1000 bits, 20 runs: kCluster as printed from one start, and with our correction from \
                 one start and from the best of 20; besides, ε = 1, 2 and 5 kept for a whole record, at 1000 bits and at the \
                 number with the smallest predicted error of distances, best of 3. {READINGS}, as does the curve as published"
            ),
            "one run, best of 2 starts; as printed at three ε alone; of codes that keep ε for real, ε = 1 and 5 from one start",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let digits = Digits::new(lab)?;
        let runs = lab.effort.pick(20, 1);
        let mut cells = vec![digits.cell(Method::KCluster, runs)?];
        for epsilon in EPSILONS {
            cells.push(digits.cell(per_bit(epsilon), runs)?);
            if epsilon.parse::<f64>()? >= 1.0 {
                cells.push(Claim::of_digits(epsilon).cell());
            }
        }
        cells.push(digits.as_printed_cell(None, CodeMetric::Eq16, runs)?);
        for &epsilon in published_at(lab) {
            for (metric, _) in METRICS {
                cells.push(digits.as_printed_cell(Some(epsilon), metric, runs)?);
            }
        }
        for &total in totals(lab) {
            for bits in [BITS, digits.best_bits(total)?] {
                cells.push(digits.cell(kept(total, bits), runs)?);
            }
        }
        Ok(cells)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let digits = Digits::new(lab)?;
        let of = |method: Method, measure: &str| results.summary(&digits.key(method), measure);
        let as_printed = |epsilon, metric| results.summary(&digits.as_printed_key(epsilon, metric), "single");
        let claim = Claim::of_digits("1");
        let star = claim.star(results)?;
        let best_name = format!("best of {} starts", digits.starts());
        let mut series = Vec::new();
        for (metric, name) in METRICS {
            let point = |epsilon: &&'static str| -> Result<Point, Failure> {
                Ok(Point::mean(epsilon.parse()?, &as_printed(Some(*epsilon), metric)?))
            };
            let points = published_at(lab).iter().map(point).collect::<Result<_, _>>()?;
            let name = format!("as published by {name}, ε per bit{star}, one start");
            series.push(Series { name, style: Style::Marked, points });
        }
        for (measure, name) in [("single", "one start"), ("best", &*best_name)] {
            let point = |epsilon: &'static str| -> Result<Point, Failure> {
                Ok(Point::mean(epsilon.parse()?, &of(per_bit(epsilon), measure)?))
            };
            let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
            let name = format!("own record left out (ours), eq. 19, ε per bit{star}, {name}");
            series.push(Series { name, style: Style::Marked, points });
        }
        let clear = of(Method::KCluster, "best")?;
        let points = [0.1, 5.0].map(|epsilon| Point::exact(epsilon, clear.mean)).to_vec();
        series.push(Series { name: format!("kCluster on the records, {best_name}"), style: Style::Dashed, points });
        let (mut long, mut brief, mut left, mut chosen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &total in totals(lab) {
            let bits = digits.best_bits(total)?;
            let at = total.parse()?;
            let (of_long, of_short) = (of(kept(total, BITS), "best")?, of(kept(total, bits), "best")?);
            long.push(Point::mean(at, &of_long));
            brief.push(Point::mean(at, &of_short));
            left.extend([of_long, of_short]);
            if !chosen.contains(&bits.to_string()) {
                chosen.push(bits.to_string());
            }
        }
        long.sort_by(|a, b| a.x.total_cmp(&b.x));
        brief.sort_by(|a, b| a.x.total_cmp(&b.x));
        let allowed = short(digits.kept("1", BITS)?);
        let name = format!("claimed ε kept for real: {allowed} per bit at ε = 1");
        series.push(Series { name, style: Style::Marked, points: long });
        let name = format!("claimed ε kept for real, s = {}", chosen.join(", "));
        series.push(Series { name, style: Style::Marked, points: brief });
        let kept_note = format!(
            "kept for real: (ε, {DELTA}) for a record of 64 values, own record left out, best of {}",
            digits.starts_of_kept()
        );
        let note = Some(claim.note(results)?.into_iter().chain([kept_note]).collect::<Vec<_>>().join("; "));
        let lines =
            Lines { x: Axis::linear("claimed ε"), y: Axis::linear("NMI with the digits' classes (%)"), series };
        let chart =
            Chart { panels: vec![Panel { title: "Digits".into(), note, body: Body::Lines(lines) }], columns: 1 };

        let high = |epsilon: &&'static str| epsilon.parse().is_ok_and(|epsilon: f64| epsilon >= 1.0);
        let (mut held, mut shown) = (0, Vec::new());
        let published: Vec<&'static str> = published_at(lab).iter().copied().filter(high).collect();
        let records = as_printed(None, CodeMetric::Eq16)?;
        let (mut held_19, mut shown_19) = (0, Vec::new());
        for &epsilon in &published {
            let (found, by_19) =
                (as_printed(Some(epsilon), CodeMetric::Eq16)?, as_printed(Some(epsilon), CodeMetric::Eq19)?);
            held += usize::from(found.mean >= records.mean - NEAR);
            held_19 += usize::from(by_19.mean >= records.mean - NEAR);
            shown.push(format!("{} at ε = {epsilon}", short(found.mean)));
            shown_19.push(format!("{} at ε = {epsilon}", short(by_19.mean)));
        }
        let (mut ours_held, mut ours_tried, mut ours_shown) = (0, 0, Vec::new());
        for epsilon in EPSILONS.into_iter().filter(high) {
            let (single, best) = (of(per_bit(epsilon), "single")?, of(per_bit(epsilon), "best")?);
            let near = |found: &Summary, measure: &str| -> Result<bool, Failure> {
                Ok(found.mean >= of(Method::KCluster, measure)?.mean - NEAR)
            };
            ours_held += usize::from(near(&single, "single")?) + usize::from(near(&best, "best")?);
            ours_tried += 2;
            ours_shown.push(format!("{} and {} at ε = {epsilon}", short(single.mean), short(best.mean)));
        }
        let (mut claims_kept, mut claims) = (0, Vec::new());
        for epsilon in EPSILONS.into_iter().filter(high) {
            let claim = Claim::of_digits(epsilon);
            claims_kept += usize::from(claim.holds(results)?);
            claims.push(claim.told(results)?);
        }
        let private = if claims_kept == claims.len() { Verdict::Holds } else { Verdict::Fails };
        let most = left.iter().map(|summary| summary.mean).fold(0.0, f64::max);
        let useful = left.iter().filter(|summary| summary.mean >= clear.mean / 2.0).count();
        let statements = vec![
            Statement::counted(
                "Utility is high from ε = 1 on",
                held,
                published.len(),
                format!(
                    "NMI in % of kCluster as printed by eq. 16, one start: {}; on the records {}",
                    shown.join(", "),
                    short(records.mean)
                ),
            ),
            Statement::judged("A high level of privacy is guaranteed there", private, claims.join("; ")).privacy(),
            Statement::counted(
                "By eq. 19 it is high from ε = 1 on, too",
                held_19,
                published.len(),
                format!("NMI in %: {}; on the records {}", shown_19.join(", "), short(records.mean)),
            )
            .ours(),
            Statement::counted(
                "With the record left out of its own average, utility is high from ε = 1 on",
                ours_held,
                ours_tried,
                format!(
                    "NMI in % from one start and from the best: {}; on the records {}",
                    ours_shown.join(", "),
                    short(clear.mean)
                ),
            )
            .ours(),
            Statement::counted(
                "With the claimed ε kept for real, half or more of the records' NMI is left",
                useful,
                left.len(),
                format!(
                    "kept for real (δ = {DELTA}), ε = 1 to 5 for a record leave an NMI of {} % at most",
                    short(most)
                ),
            )
            .ours(),
        ];
        let low: Vec<String> = ["0.1", "0.25", "0.5"]
            .into_iter()
            .map(|epsilon| Ok(format!("{} at ε = {epsilon}", short(of(per_bit(epsilon), "best")?.mean))))
            .collect::<Result<_, Failure>>()?;
        let word = |verdict: Verdict| match verdict {
            Verdict::Holds => "is high from ε = 1 on",
            Verdict::Partly => "is high at some ε from 1 on",
            _ => "is not high from ε = 1 on",
        };
        let paragraph = format!(
            "With ε counted per bit, as the paper does, utility {} with kCluster as printed by eq. 16, and {} with the record left out of \
             its own average, where NMI lower down is {} (best of {} starts). Every one of 64,000 bits of a record has that ε, \
             and the published (ε, δ) {}: at ε = 1 per bit a record has ε = {} at δ = {DELTA}. When the claimed ε is kept for the \
             record, 1000 bits may have {allowed} each at ε = 1, and NMI is {} % at most for totals up to 5, at 1000 bits and at \
             the number with the smallest predicted error of distances.",
            word(statements[0].verdict),
            word(statements[3].verdict),
            low.join(", "),
            digits.starts(),
            if private == Verdict::Holds { "is kept" } else { "is not kept" },
            claim.of_record(results)?,
            short(most),
        );
        Ok(Drawing { chart, statements, paragraph, caveats: digits.caveats() })
    }
}
