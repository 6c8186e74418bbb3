//! Fig. 8: clusters of the digits from codes, against ε.

use super::digits::{Digits, Method};
use super::info;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::{DELTA, DEMONSTRATION, Level};
use crate::papers::words::short;
use crate::statistics::Summary;
use crate::{Cell, Drawing, Failure, Figure, Info, Lab, Results, Statement, Verdict};

const BITS: u32 = DEMONSTRATION.bits;
const EPSILONS: [&str; 9] = ["0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "3", "5"];
/// Totals that are kept for real.
const KEPT: [&str; 3] = ["1", "5", "2"];

/// A quick look has the first two.
fn totals(lab: &Lab) -> &'static [&'static str] {
    lab.effort.pick(&KEPT[..], &KEPT[..2])
}

pub struct Fig8;

fn published(epsilon: &'static str) -> Method {
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
            "As Table III: 1,797 digits, 1000 bits, 20 runs from one start and from the best of 20; besides, ε = 1, 2 and 5 kept for \
             a whole record, at 1000 bits and at the best number of bits, best of 3",
            "one run, best of 2 starts; of codes that keep ε for real, ε = 1 and 5 from one start",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let digits = Digits::new(lab)?;
        let runs = lab.effort.pick(20, 1);
        let mut cells = vec![digits.cell(Method::KCluster, runs)?];
        for epsilon in EPSILONS {
            cells.push(digits.cell(published(epsilon), runs)?);
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
        let best_name = format!("best of {} starts", digits.starts());
        let mut series = Vec::new();
        for (measure, name) in [("single", "one start"), ("best", &*best_name)] {
            let point = |epsilon: &'static str| -> Result<Point, Failure> {
                Ok(Point::mean(epsilon.parse()?, &of(published(epsilon), measure)?))
            };
            let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
            series.push(Series { name: format!("{name}, ε per bit as published"), style: Style::Marked, points });
        }
        let clear = of(Method::KCluster, "best")?;
        let points = [0.1, 5.0].map(|epsilon| Point::exact(epsilon, clear.mean)).to_vec();
        series.push(Series { name: "kCluster on the records".into(), style: Style::Dashed, points });
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
        let per_bit = short(digits.kept("1", BITS)?);
        let name = format!("claimed ε kept for real: {per_bit} per bit at ε = 1");
        series.push(Series { name, style: Style::Marked, points: long });
        let name = format!("claimed ε kept for real, s = {}", chosen.join(", "));
        series.push(Series { name, style: Style::Marked, points: brief });
        let note = Some(format!("kept for real: (ε, {DELTA}) for a record of 64 values"));
        let lines =
            Lines { x: Axis::linear("claimed ε"), y: Axis::linear("NMI with the digits' classes (%)"), series };
        let chart =
            Chart { panels: vec![Panel { title: "Digits".into(), note, body: Body::Lines(lines) }], columns: 1 };

        let high: Vec<&'static str> = EPSILONS.into_iter().filter(|e| e.parse().is_ok_and(|e: f64| e >= 1.0)).collect();
        let tried = 2 * high.len();
        let (mut held, mut shown) = (0, Vec::new());
        for epsilon in &high {
            let (single, best) = (of(published(epsilon), "single")?, of(published(epsilon), "best")?);
            // Within 5 points of the records' own clustering.
            let near = |found: &Summary, measure: &str| -> Result<bool, Failure> {
                Ok(found.mean >= of(Method::KCluster, measure)?.mean - 5.0)
            };
            held += usize::from(near(&single, "single")?) + usize::from(near(&best, "best")?);
            shown.push(format!("ε = {epsilon}: {} and {}", short(single.mean), short(best.mean)));
        }
        let most = left.iter().map(|summary| summary.mean).fold(0.0, f64::max);
        let low: Vec<String> = ["0.1", "0.25", "0.5"]
            .into_iter()
            .map(|epsilon| Ok(format!("{} at ε = {epsilon}", short(of(published(epsilon), "best")?.mean))))
            .collect::<Result<_, Failure>>()?;
        let statements = vec![
            Statement::counted(
                "Utility is high from ε = 1 on",
                held,
                tried,
                format!(
                    "NMI in % from one start and from the best: {}; on the records {}",
                    shown.join(", "),
                    short(clear.mean)
                ),
            ),
            Statement {
                says: "A high level of privacy is guaranteed there".into(),
                verdict: if most < 10.0 { Verdict::Fails } else { Verdict::Partly },
                found: format!(
                    "kept for real (δ = {DELTA}), ε = 1 to 5 for a record leave an NMI of {} % at most",
                    short(most)
                ),
                ours: false,
            },
        ];
        let paragraph = format!(
            "With ε counted per bit, as the paper does, utility is high from ε = 1 on, and lower down it is {} (best of {} starts). \
             But every one of 64,000 bits of a record has that ε. When the claimed ε is kept for the record, with δ = {DELTA}, \
             1000 bits may have {per_bit} each at ε = 1, and NMI is {} % at most for totals up to 5, at 1000 bits and at the best number of bits: {}.",
            low.join(", "),
            digits.starts(),
            short(most),
            if most < 10.0 { "nothing is left" } else { "little is left" },
        );
        Ok(Drawing { chart, statements, paragraph, caveats: Vec::new() })
    }
}
