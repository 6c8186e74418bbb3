//! Fig. 2: what the BV encoding does to values near the ends of the range, and to distances.

use shoal_consortium::aggregator::{Decoder, hamming};
use shoal_consortium::{Anchors, Flips};
use shoal_lattice::STEPS;
use shoal_noise::uniform;

use super::{info, message};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::{Level, Setting, encoded};
use crate::papers::words::short;
use crate::statistics::Summary;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Privacy, Results, Run, Statement};

/// The two examples: range and t of the caption. The number of bits is that of the rest of the paper.
const EXAMPLES: [Setting; 2] =
    [Setting { dims: 1, high: 10.0, t: 1.2, bits: 1000 }, Setting { dims: 1, high: 100.0, t: 15.0, bits: 1000 }];
/// Places along an axis.
const PLACES: usize = 20;
/// Whether anchors reach beyond the range by t.
const ENDS: [&str; 2] = ["range as it is", "range extended by t"];

pub struct Fig2;

fn setting_key(experiment: &'static str, setting: &Setting) -> Key {
    Key::new(experiment).with("range", setting.high).with("t", setting.t).with("bits", setting.bits)
}

fn distance_key(setting: &Setting, distance: f64) -> Key {
    setting_key("szy19-bv-distance", setting).with("distance", distance)
}

fn ones_key(setting: &Setting, ends: &str, value: f64) -> Key {
    setting_key("szy19-bv-ones", setting).with("anchors", ends).with("value", value)
}

fn places(high: f64) -> impl Iterator<Item = f64> {
    (0..=PLACES).map(move |i| high * i as f64 / PLACES as f64)
}

/// What two values so far apart, anywhere in the range, are decoded to.
fn decoded(setting: &Setting, distance: f64, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let agreement = setting.agreement(Level::Clean, &mut run.noise)?;
    let low = (setting.high - distance) * uniform::unit_f64(&mut run.noise);
    let values = [setting.steps(low), setting.steps(low + distance)];
    let codes = encoded(&agreement, &values, &mut run.noise)?;
    let apart = hamming::distance(codes.code(0, 0), codes.code(1, 0));
    Ok(vec![Decoder::of(agreement.terms(), 0).distance(apart)])
}

/// Bits that are one.
fn ones(setting: &Setting, extended: bool, value: f64, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let attribute = &setting.attributes()?[0];
    let anchors = if extended {
        Anchors::draw(attribute, setting.bits, &mut run.noise)
    } else {
        let inside = (0..setting.bits).map(|_| uniform::below(&mut run.noise, STEPS + 1) as i32);
        Anchors::from_positions(inside.collect(), attribute.t_steps)
    };
    let x = setting.steps(value);
    Ok(vec![(0..anchors.len()).filter(|&i| anchors.bit(i, x)).count() as f64])
}

impl Figure for Fig2 {
    fn info(&self) -> Info {
        info(
            "sun19-fig2",
            "Fig. 2",
            "Where the BV encoding fails: ends of the range, distances beyond 2t",
            "Range [0, 10] with t = 1.2, range [0, 100] with 2t = 30. The paper names no number of bits and of draws; here 1000 \
             bits and 200 draws of the anchors",
            "20 draws of the anchors",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(200, 20);
        let mut cells = Vec::new();
        for setting in EXAMPLES {
            for distance in places(setting.high) {
                let measure = move |run: &mut Run| decoded(&setting, distance, run);
                cells.push(Cell::new(distance_key(&setting, distance), &["decoded"], runs, measure).costing(0.2));
            }
        }
        let setting = EXAMPLES[0];
        for ends in ENDS {
            for value in places(setting.high) {
                let measure = move |run: &mut Run| ones(&setting, ends == ENDS[1], value, run);
                cells.push(Cell::new(ones_key(&setting, ends, value), &["ones"], runs, measure).costing(0.05));
            }
        }
        Ok(cells)
    }

    fn privacy(&self) -> Privacy {
        Privacy::NoClaim
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let narrow = EXAMPLES[0];
        let ones = |ends: &str, value: f64| results.summary(&ones_key(&narrow, ends, value), "ones");
        let mut panels = vec![ones_panel(&narrow, results)?];
        for setting in &EXAMPLES {
            panels.push(distance_panel(setting, results)?);
        }

        let middle = ones(ENDS[0], narrow.high / 2.0)?;
        let low = [ones(ENDS[0], 0.0)?, ones(ENDS[0], narrow.high)?];
        let mut statements = vec![Statement::counted(
            "Without anchors beyond the range, values near its ends have fewer ones than others",
            low.iter().filter(|end| end.is_clearly_below(&middle)).count(),
            2,
            format!(
                "{} and {} ones at the two ends, {} in the middle",
                short(low[0].mean),
                short(low[1].mean),
                short(middle.mean)
            ),
        )];
        let middle = ones(ENDS[1], narrow.high / 2.0)?;
        let ends = [ones(ENDS[1], 0.0)?, ones(ENDS[1], narrow.high)?];
        statements.push(Statement::counted(
            "With anchors up to t beyond both ends, all values have as many ones",
            // An equality: two standard errors off happens by accident once in twenty times.
            ends.iter().filter(|end| (end.mean - middle.mean).abs() <= end.reach(3.0, &middle)).count(),
            2,
            format!(
                "{} and {} at the ends, {} in the middle",
                short(ends[0].mean),
                short(ends[1].mean),
                short(middle.mean)
            ),
        ));
        let (mut held, mut tried, mut farthest) = (0, 0, Vec::new());
        let (mut near_held, mut near) = (0, 0);
        for setting in &EXAMPLES {
            for distance in places(setting.high).filter(|d| *d > 2.2 * setting.t) {
                let found = results.summary(&distance_key(setting, distance), "decoded")?;
                tried += 1;
                held += usize::from(found.mean + 2.0 * found.error() < distance);
            }
            for distance in places(setting.high).filter(|d| *d <= 2.0 * setting.t) {
                let found = results.summary(&distance_key(setting, distance), "decoded")?;
                near += 1;
                // A dozen distances are tried, and one in twenty is two standard errors off by accident. Both ends of a
                // distance are rounded to the lattice.
                let off = (found.mean - distance).abs() - setting.high / STEPS as f64;
                near_held += usize::from(off <= found.reach(3.0, &Summary::of(&[distance])));
            }
            let far = results.summary(&distance_key(setting, setting.high), "decoded")?;
            farthest.push(format!("{} is decoded to {} (2t = {})", setting.high, short(far.mean), 2.0 * setting.t));
        }
        let farthest = farthest.join(", ");
        statements.push(Statement::counted(
            "Distances are kept up to 2t only; farther values look as if they were 2t apart",
            held + near_held,
            tried + near,
            format!(
                "{near_held} of {near} distances up to 2t come out without bias, and {held} of {tried} beyond 2t too short: {farthest}"
            ),
        ));
        let paragraph = format!(
            "{} Fewer anchors are near the ends of a range, so that codes there have \
             fewer ones ({} against {} in the middle of [0, 10]), and the difference goes to {} when anchors are drawn up to t beyond both \
             ends, as the paper proposes. Distances saturate: {farthest}. The caption does not say which of the two the left \
             picture shows, so both are drawn.",
            message(&statements),
            short(low[0].mean),
            short(ones(ENDS[0], narrow.high / 2.0)?.mean),
            short(middle.mean - ends[0].mean),
        );
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: Vec::new() })
    }
}

fn ones_panel(setting: &Setting, results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for ends in ENDS {
        let points: Result<Vec<Point>, Failure> = places(setting.high)
            .map(|value| Ok(Point::mean(value, &results.summary(&ones_key(setting, ends, value), "ones")?)))
            .collect();
        series.push(Series { name: format!("ones, {ends}"), style: Style::Marked, points: points? });
    }
    let (x, y) = (Axis::linear("value x"), Axis::linear(format!("ones among {} bits", setting.bits)));
    let title = format!("Ones near the ends, t = {}", setting.t);
    Ok(Panel { title, note: None, body: Body::Lines(Lines { x, y, series }) })
}

fn distance_panel(setting: &Setting, results: &Results) -> Result<Panel, Failure> {
    let (mut means, mut drawn, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let decoder = Decoder::of(&setting.terms(Flips::None)?, 0);
    for distance in places(setting.high) {
        let cell = results.get(&distance_key(setting, distance))?;
        means.push(Point::mean(distance, &cell.summary("decoded")?));
        drawn.push(Point::exact(distance, cell.values("decoded")?[0]));
        expected.push(Point::exact(distance, distance.min(decoder.saturation())));
    }
    let truth = vec![Point::exact(0.0, 0.0), Point::exact(setting.high, setting.high)];
    let of = |name: &str, style, points| Series { name: name.into(), style, points };
    let series = vec![
        of("decoded, mean", Style::Marked, means),
        of("decoded, one draw", Style::Printed, drawn),
        of("expected: the distance, at most 2t", Style::Plain, expected),
        of("as it should be", Style::Dashed, truth),
    ];
    let (x, y) = (Axis::linear("true distance"), Axis::linear("decoded distance"));
    let title = format!("Distances, range [0, {}], 2t = {}", setting.high, 2.0 * setting.t);
    Ok(Panel { title, note: None, body: Body::Lines(Lines { x, y, series }) })
}
