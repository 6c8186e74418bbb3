//! Fig. 3: decoded distances of six values, right up to 2t and wrong beyond.

use shoal_consortium::aggregator::{Decoder, hamming};

use super::{info, message};
use crate::chart::{Axis, Body, Chart, HeatMap, Lines, Panel, Point, Scale, Series, Style};
use crate::measure::consortium::{Level, Setting, encoded};
use crate::papers::words::short;
use crate::printed;
use crate::statistics::Summary;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Privacy, Results, Run, Statement};

const SETTING: Setting = Setting { dims: 1, high: 20.0, t: 1.2, bits: 1000 };
const VALUES: [u32; 6] = [4, 5, 6, 7, 8, 9];
/// All pairs of the values.
const PAIRS: [&str; 15] =
    ["4-5", "4-6", "4-7", "4-8", "4-9", "5-6", "5-7", "5-8", "5-9", "6-7", "6-8", "6-9", "7-8", "7-9", "8-9"];

pub struct Fig3;

fn key() -> Key {
    Key::new("szy19-six-values").with("range", SETTING.high).with("t", SETTING.t).with("bits", SETTING.bits)
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..VALUES.len()).flat_map(|i| (i + 1..VALUES.len()).map(move |j| (i, j)))
}

fn distances(run: &mut Run) -> Result<Vec<f64>, Failure> {
    let agreement = SETTING.agreement(Level::Clean, &mut run.noise)?;
    let values = VALUES.map(|value| SETTING.steps(f64::from(value)));
    let codes = encoded(&agreement, &values, &mut run.noise)?;
    let decoder = Decoder::of(agreement.terms(), 0);
    Ok(pairs().map(|(i, j)| decoder.distance(hamming::distance(codes.code(i, 0), codes.code(j, 0)))).collect())
}

impl Figure for Fig3 {
    fn info(&self) -> Info {
        info(
            "sun19-fig3",
            "Fig. 3",
            "Six values: distances beyond 2t are decoded wrongly",
            "Values 4 to 9 in [0, 20], t = 1.2, 1000 bits; the paper shows one draw of the anchors, here 500 draws",
            "100 draws",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        Ok(vec![Cell::new(key(), &PAIRS, lab.effort.pick(500, 100), distances).costing(0.3)])
    }

    fn privacy(&self) -> Privacy {
        Privacy::NoClaim
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let cell = results.get(&key())?;
        let theirs = printed::all()?;
        let theirs = |pair: &str| {
            let of_pair = theirs.iter().find(|value| {
                value.figure == "sun19-fig3" && value.measure == pair && value.source.starts_with("Fig. 3")
            });
            of_pair.map_or(Ok(f64::NAN), |value| value.number())
        };
        let (mut means, mut printed_points) = (Vec::new(), Vec::new());
        let mut one_draw = vec![vec![0.0; 6]; 6];
        let mut as_printed = one_draw.clone();
        let (mut near, mut far, mut near_held, mut far_held) = (0, 0, 0, 0);
        for ((i, j), name) in pairs().zip(PAIRS) {
            let (found, printed) = (cell.summary(name)?, theirs(name)?);
            let truth = f64::from(VALUES[j] - VALUES[i]);
            means.push(Point::mean(truth, &found));
            printed_points.push(Point::exact(truth, printed));
            let drawn = cell.values(name)?[0];
            (one_draw[i][j], one_draw[j][i]) = (drawn, drawn);
            (as_printed[i][j], as_printed[j][i]) = (printed, printed);
            if truth <= 2.0 * SETTING.t {
                near += 1;
                // Nine pairs are tried, and one in twenty is two standard errors off by accident.
                near_held += usize::from((found.mean - truth).abs() <= found.reach(3.0, &Summary::of(&[truth])));
            } else {
                far += 1;
                far_held += usize::from(found.mean + 2.0 * found.error() < truth);
            }
        }
        let worst = cell.summary("5-9")?;
        let statements = vec![
            Statement::counted(
                "Distances beyond 2t are decoded too short",
                far_held,
                far,
                format!(
                    "{far_held} of {far} pairs farther apart than 2.4; 5 and 9 are 4 apart and decode to {}",
                    short(worst.mean)
                ),
            ),
            Statement::counted(
                "Distances up to 2t are decoded without bias",
                near_held,
                near,
                format!("{near_held} of {near} pairs are within three standard errors of their distance"),
            ),
        ];
        let steps = |x: f64| (x / 0.005 - (x / 0.005).round()).abs() < 1e-6;
        let multiples = PAIRS.iter().map(|name| theirs(name)).collect::<Result<Vec<_>, _>>()?;
        let multiples = multiples.iter().filter(|x| steps(**x)).count();
        let paragraph = format!(
            "{} What is farther apart than 2t = 2.4 decodes to about 2t ({} for 5 and 9, which are 4 apart). \
             The paper's text says \"2.16\" of this entry and its table 2.64; one draw has a standard deviation of {}, {}. {multiples} of the 15 printed entries are multiples of 0.005, where 1000 bits and the extended range \
             [−1.2, 21.2] give multiples of 0.0112.",
            message(&statements),
            short(worst.mean),
            short(worst.deviation),
            if (worst.mean - 2.16).abs().max((worst.mean - 2.64).abs()) < 2.0 * worst.deviation {
                "so both are possible"
            } else {
                "so they do not both fit"
            },
        );
        means.sort_by(|a, b| a.x.total_cmp(&b.x));
        let of = |name: &str, style, points| Series { name: name.into(), style, points };
        let truth = (1..=5).map(|d| Point::exact(f64::from(d), f64::from(d))).collect();
        let series = vec![
            of("decoded, mean of draws", Style::Marked, means),
            of("printed", Style::Printed, printed_points),
            of("as it should be", Style::Dashed, truth),
        ];
        let lines = Lines { x: Axis::linear("true distance"), y: Axis::linear("decoded distance"), series };
        let panels = vec![
            table("One draw here", one_draw),
            table("As printed", as_printed),
            Panel { title: "All pairs".into(), note: None, body: Body::Lines(lines) },
        ];
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: Vec::new() })
    }
}

fn table(title: &str, values: Vec<Vec<f64>>) -> Panel {
    let names = || VALUES.iter().map(u32::to_string).collect();
    let map = HeatMap {
        x: "x".into(),
        y: "y".into(),
        value: "decoded distance".into(),
        columns: names(),
        rows: names(),
        values,
        range: Some((0.0, 3.0)),
        scale: Scale::Linear,
    };
    Panel { title: title.into(), note: None, body: Body::HeatMap(map) }
}
