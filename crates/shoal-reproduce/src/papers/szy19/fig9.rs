//! Fig. 9: the number of bits that the paper asks for to "achieve" (ε, δ), and what is true of codes of that length.

use shoal_consortium::promise::{Curve, published};

use super::{info, message};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::parsed;
use crate::papers::words::short;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Results, Run, Statement};

const EPSILONS: [&str; 10] = ["0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "2.5", "3", "4"];
const DELTAS: [f64; 5] = [1e-2, 1e-5, 1e-10, 1e-50, 1e-100];
const MEASURES: &[&str] = &["bits", "true_delta", "true_epsilon"];

pub struct Fig9;

fn key(epsilon: &str, delta: f64) -> Key {
    Key::new("szy19-bits").with("epsilon", epsilon).with("delta", format!("{delta:e}"))
}

/// Bits by the paper's rule, the δ that is true at ε, and the ε that is true at δ, when all bits differ.
fn truth(epsilon: &str, delta: f64) -> Result<Vec<f64>, Failure> {
    let claimed: f64 = epsilon.parse()?;
    let bits = published::bits_for(claimed, delta);
    let curve = Curve::of_bits(&parsed(epsilon)?, bits as u64);
    Ok(vec![bits, curve.delta_up(claimed), curve.epsilon_up(delta)])
}

impl Figure for Fig9 {
    fn info(&self) -> Info {
        info(
            "sun19-fig9",
            "Fig. 9",
            "The number of bits for (ε, δ), and what codes of that length give away",
            "s = ⌈ln δ/(ε − ln(e^ε + 1))⌉, a formula; beside it the exact loss of s bits that all differ",
            "nothing: all is exact",
        )
    }

    fn cells(&self, _: &Lab) -> Result<Vec<Cell>, Failure> {
        let all = EPSILONS.into_iter().flat_map(|epsilon| DELTAS.map(|delta| (epsilon, delta)));
        let cell = |(epsilon, delta)| {
            Cell::new(key(epsilon, delta), MEASURES, 1, move |_: &mut Run| truth(epsilon, delta)).costing(5.0)
        };
        Ok(all.map(cell).collect())
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let of = |epsilon: &str, delta: f64, measure: &str| -> Result<f64, Failure> {
            Ok(results.summary(&key(epsilon, delta), measure)?.mean)
        };
        let lines = |measure: &str| -> Result<Vec<Series>, Failure> {
            let mut series = Vec::new();
            for delta in DELTAS {
                let point = |epsilon: &str| -> Result<Point, Failure> {
                    Ok(Point::exact(epsilon.parse()?, of(epsilon, delta, measure)?))
                };
                let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
                series.push(Series { name: format!("δ = {delta:e}"), style: Style::Marked, points });
            }
            Ok(series)
        };
        let x = || Axis::linear("claimed ε");
        let mut losses = lines("true_epsilon")?;
        let claimed = [0.1, 4.0].map(|epsilon| Point::exact(epsilon, epsilon)).to_vec();
        losses.push(Series { name: "as claimed".into(), style: Style::Dashed, points: claimed });
        let panel = |title: &str, y, series| Panel {
            title: title.into(),
            note: None,
            body: Body::Lines(Lines { x: x(), y, series }),
        };
        let panels = vec![
            panel("Bits by the paper's rule", Axis::log("bits s"), lines("bits")?),
            panel("True δ at the claimed ε", Axis::linear("true δ"), lines("true_delta")?),
            panel("True ε at the claimed δ", Axis::log("true ε"), losses),
        ];

        let (mut by_epsilon, mut by_delta, mut pairs, mut steps, mut kept) = (0, 0, 0, 0, 0);
        for delta in DELTAS {
            for two in EPSILONS.windows(2) {
                steps += 1;
                by_epsilon += usize::from(of(two[1], delta, "bits")? >= of(two[0], delta, "bits")?);
            }
        }
        for epsilon in EPSILONS {
            for two in DELTAS.windows(2) {
                pairs += 1;
                by_delta += usize::from(of(epsilon, two[1], "bits")? > of(epsilon, two[0], "bits")?);
            }
            for delta in DELTAS {
                kept += usize::from(of(epsilon, delta, "true_delta")? <= delta);
            }
        }
        let tried = EPSILONS.len() * DELTAS.len();
        let example = |measure| of("1", 1e-10, measure);
        let statements = vec![
            Statement::counted(
                "The number of bits grows with ε",
                by_epsilon,
                steps,
                format!("in {by_epsilon} of {steps} steps"),
            ),
            Statement::counted("It grows as δ falls", by_delta, pairs, format!("in {by_delta} of {pairs} steps")),
            Statement::counted(
                "Codes of that length keep (ε, δ)",
                kept,
                tried,
                format!(
                    "in {kept} of {tried} settings; for (1, 1e-10) the rule asks for {} bits, whose true δ at ε = 1 is {:.5} and \
                     true ε at δ = 1e-10 is {}",
                    example("bits")?,
                    example("true_delta")?,
                    short(example("true_epsilon")?)
                ),
            )
            .privacy(),
        ];
        let paragraph = format!(
            "{} Its reading is the flaw of the paper in one picture: more bits \
             are taken for more privacy, while every bit that differs adds ε to what a code gives away. The claimed (ε, δ) is kept \
             in {kept} of {tried} settings. For (1, 1e-10) the rule asks for {} bits; what holds of them is ε = {} at that δ.",
            message(&statements),
            example("bits")?,
            short(example("true_epsilon")?)
        );
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: Vec::new() })
    }
}
