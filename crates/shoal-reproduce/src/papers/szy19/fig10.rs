//! Fig. 10: the probability of every output for two values, as a curious aggregator sees it.

use shoal_consortium::promise::Curve;
use shoal_consortium::{Agreement, Flips};

use super::{info, message};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::{DELTA, DEMONSTRATION, Level, Setting};
use crate::papers::words::short;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Results, Run, Statement, Verdict};

const VALUES: [f64; 2] = [24.3, 26.2];
const EPSILON: &str = "1";
const KEPT: Level = Level::Kept(EPSILON);
/// The paper shows 10 bits and uses 1000.
const BITS: [u32; 5] = [10, 30, 100, 300, 1000];

pub struct Fig10;

fn setting(bits: u32) -> Setting {
    Setting { bits, ..DEMONSTRATION }
}

fn key(experiment: &'static str, bits: u32) -> Key {
    Key::new(experiment).with("bits", bits).with("epsilon", EPSILON)
}

/// The same, with the claimed ε kept for a value for real.
fn kept_key(bits: u32) -> Key {
    Key::new("szy19-told-apart-kept").with("bits", bits).with("epsilon", KEPT.key())
}

/// The codes of both values without noise, bit by bit.
fn clean(setting: &Setting, agreement: &Agreement) -> Vec<[bool; 2]> {
    let anchors = agreement.anchors();
    let steps = VALUES.map(|value| setting.steps(value));
    (0..anchors[0].len()).map(|i| steps.map(|x| anchors[0].bit(i, x))).collect()
}

/// Every output with its probability under both values.
fn outputs(run: &mut Run) -> Result<Vec<f64>, Failure> {
    let setting = setting(BITS[0]);
    let clean = clean(&setting, &setting.agreement(Level::Clean, &mut run.noise)?);
    let keep = 1.0 / (1.0 + (-EPSILON.parse::<f64>()?).exp());
    let probability = |output: usize, whose: usize| -> f64 {
        let bit =
            |(i, bits): (usize, &[bool; 2])| if (output >> i & 1 == 1) == bits[whose] { keep } else { 1.0 - keep };
        clean.iter().enumerate().map(bit).product()
    };
    let record = |output| [output as f64, probability(output, 0), probability(output, 1)];
    Ok((0..1 << BITS[0]).flat_map(record).collect())
}

/// In how many bits the values differ, and how often the better guess between them is right.
fn told_apart(level: Level, bits: u32, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let setting = setting(bits);
    let agreement = setting.agreement(level, &mut run.noise)?;
    let differing = clean(&setting, &agreement).iter().filter(|bits| bits[0] != bits[1]).count();
    let Flips::PerBit(epsilon) = agreement.terms().flips() else { return Err("these bits have no noise".into()) };
    // δ at ε = 0 is the total variation.
    let variation = Curve::of_bits(epsilon, differing as u64).delta_up(0.0);
    Ok(vec![differing as f64, 50.0 + 50.0 * variation])
}

impl Figure for Fig10 {
    fn info(&self) -> Info {
        info(
            "sun19-fig10",
            "Fig. 10",
            "All outputs of two values as a curious aggregator sees them",
            "x = 24.3 and 26.2, ε = 1 per bit, 10 bits, one draw of the anchors; besides, over 200 draws, how often an attacker with \
             the anchors tells the two values apart at 10 to 1000 bits, also with ε = 1 kept for a value for real",
            "50 draws",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let mut cells = vec![Cell::new(key("szy19-outputs", BITS[0]), &["output", "of_24.3", "of_26.2"], 1, outputs)];
        for bits in BITS {
            let runs = lab.effort.pick(200, 50);
            let measure = move |run: &mut Run| told_apart(KEPT, bits, run);
            cells.push(Cell::new(kept_key(bits), &["differing", "right"], runs, measure).costing(2.0));
            let measure = move |run: &mut Run| told_apart(Level::PerBit(EPSILON), bits, run);
            cells.push(Cell::new(key("szy19-told-apart", bits), &["differing", "right"], runs, measure).costing(0.5));
        }
        Ok(cells)
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let cell = results.get(&key("szy19-outputs", BITS[0]))?;
        let records: Vec<&[f64]> = cell.records(0).collect();
        let series = |at: usize, name: &str| {
            let points = records.iter().map(|record| Point::exact(record[0], record[at])).collect();
            Series { name: name.into(), style: Style::Plain, points }
        };
        let most = records.iter().flat_map(|record| &record[1..]).fold(0.0_f64, |a, &b| a.max(b));
        let variation = records.iter().map(|record| (record[1] - record[2]).abs()).sum::<f64>() / 2.0;
        let (mut right, mut kept) = (Vec::new(), Vec::new());
        for bits in BITS {
            kept.push(Point::mean(f64::from(bits), &results.summary(&kept_key(bits), "right")?));
            right.push(Point::mean(f64::from(bits), &results.summary(&key("szy19-told-apart", bits), "right")?));
        }
        let of = |bits, measure: &str| results.summary(&key("szy19-told-apart", bits), measure);
        let guess = vec![Point::exact(f64::from(BITS[0]), 50.0), Point::exact(f64::from(BITS[4]), 50.0)];
        let chance = Lines {
            x: Axis::log("bits s").ticks(&BITS.map(f64::from)),
            y: Axis::linear("right guesses between the two (%)"),
            series: vec![
                Series {
                    name: "attacker with the anchors, ε = 1 per bit".into(), style: Style::Marked, points: right
                },
                Series { name: "the same, claimed ε = 1 kept for real".into(), style: Style::Marked, points: kept },
                Series { name: "without any code".into(), style: Style::Dashed, points: guess },
            ],
        };
        let all = Lines {
            x: Axis::linear("output, as a number"),
            y: Axis::linear("probability"),
            series: vec![series(1, "x = 24.3"), series(2, "x = 26.2")],
        };
        let panel = |title: &str, note, body| Panel { title: title.into(), note, body: Body::Lines(body) };
        let note = Some(format!("kept for real: ({EPSILON}, {DELTA}) for a value"));
        let panels = vec![
            panel("All 1024 outputs of 10 bits", None, all),
            panel("Guesses against the number of bits", note, chance),
        ];

        let (ten, thousand) = (of(10, "right")?, of(1000, "right")?);
        let alike = |right: f64| right < 75.0;
        let (mut blind, mut most_kept) = (0, 0.0_f64);
        for bits in BITS {
            let right = results.summary(&kept_key(bits), "right")?.mean;
            blind += usize::from(alike(right));
            most_kept = most_kept.max(right);
        }
        let statements = vec![
            Statement::judged(
                "With 10 bits the outputs of 24.3 are about as likely as those of 26.2",
                if alike(ten.mean) { Verdict::Holds } else { Verdict::Fails },
                format!(
                    "total variation {} in this draw; over draws of the anchors {} of 10 bits differ on average, and the better \
                     guess is right in {} % (50 % is blind)",
                    short(variation),
                    short(of(10, "differing")?.mean),
                    short(ten.mean)
                ),
            ),
            Statement::judged(
                "Every single output has a small probability",
                if most < 0.1 { Verdict::Holds } else { Verdict::Fails },
                format!("the likeliest of 1024 has {}", short(most)),
            ),
            Statement::judged(
                "So values are protected, also with the 1000 bits that the paper uses",
                if alike(thousand.mean) { Verdict::Holds } else { Verdict::Fails },
                format!(
                    "{} of 1000 bits differ, and the better guess is right in {} %",
                    short(of(1000, "differing")?.mean),
                    short(thousand.mean)
                ),
            )
            .ours(),
            Statement::counted(
                "With the claimed ε kept for real, values are protected at any number of bits",
                blind,
                BITS.len(),
                format!("the better guess is right in {} % at most", short(most_kept)),
            )
            .ours(),
        ];
        let cause = if alike(ten.mean) && !alike(thousand.mean) {
            ": what protects are few bits, and not small probabilities, which all outputs share"
        } else {
            ""
        };
        let paragraph = format!(
            "{} With 10 bits {} bits of the two values differ on average, and an attacker who has the anchors guesses right in \
             {} %{cause}. At the 1000 bits of the paper's experiments {} bits differ and the guess is right in {} %. With ε = 1 kept \
             for a value for real (δ = {DELTA}) it is right in {} % at most.",
            message(&statements),
            short(of(10, "differing")?.mean),
            short(ten.mean),
            short(of(1000, "differing")?.mean),
            short(thousand.mean),
            short(most_kept),
        );
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats: Vec::new() })
    }
}
