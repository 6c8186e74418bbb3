//! Fig. 11: what an attacker with all parameters learns from a received code.

use shoal_audit::consortium_attack::KnowsParameters;
use shoal_lattice::STEPS;

use super::{info, message};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::{DELTA, DEMONSTRATION, Level, encoded, per_bit};
use crate::papers::words::short;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Results, Run, Statement, Verdict};

/// The middle of the interval that the paper guesses.
const VALUE: f64 = 28.0;
const GUESS: (f64, f64) = (26.0, 30.0);
const EPSILON: &str = "1";
const PUBLISHED: Level = Level::PerBit(EPSILON);
const KEPT: Level = Level::Kept(EPSILON);
/// Values at which the picture is drawn.
const PLACES: usize = 400;

pub struct Fig11;

fn key(experiment: &'static str) -> Key {
    Key::new(experiment).with("bits", DEMONSTRATION.bits).with("epsilon", EPSILON).with("value", VALUE)
}

/// The same, with the claimed ε kept for a value for real.
fn kept_key(experiment: &'static str) -> Key {
    Key::new(experiment).with("bits", DEMONSTRATION.bits).with("epsilon", KEPT.key()).with("value", VALUE)
}

struct Received {
    anchors: shoal_consortium::Anchors,
    level: shoal_consortium::Flips,
    code: Vec<u64>,
}

fn received(level: Level, run: &mut Run) -> Result<Received, Failure> {
    let agreement = DEMONSTRATION.agreement(level, &mut run.noise)?;
    let codes = encoded(&agreement, &[DEMONSTRATION.steps(VALUE)], &mut run.noise)?;
    let anchors = agreement.anchors().swap_remove(0);
    Ok(Received { anchors, level: agreement.terms().flips().clone(), code: codes.code(0, 0).to_vec() })
}

const STEP: f64 = DEMONSTRATION.high / STEPS as f64;

/// log10 Pr[M(x) = o] and the density of the posterior over the range.
fn picture(level: Level, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let received = received(level, run)?;
    let epsilon = per_bit(&received.level).ok_or("these bits have no noise")?;
    let bits = received.anchors.len();
    let sent = |i: usize| received.code[i / 64] >> (i % 64) & 1 == 1;
    let normaliser = bits as f64 * (epsilon.exp() + 1.0).log10();
    let cells = KnowsParameters::new(&received.anchors, &received.level).posterior(&received.code);
    let record = |place: usize| {
        let x = DEMONSTRATION.high * place as f64 / PLACES as f64;
        let steps = DEMONSTRATION.steps(x);
        let agreeing = (0..bits).filter(|&i| received.anchors.bit(i, steps) == sent(i)).count();
        let own = cells.iter().find(|cell| (cell.from..=cell.to).contains(&steps));
        let density = own.map_or(0.0, |cell| cell.weight / (f64::from(cell.to - cell.from + 1) * STEP));
        [x, epsilon * agreeing as f64 * std::f64::consts::LOG10_E - normaliser, density]
    };
    Ok((0..=PLACES).flat_map(record).collect())
}

/// The interval that holds the value with 95 %, its width, the error of the best guess and whether the interval holds.
fn located(level: Level, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let received = received(level, run)?;
    let found = KnowsParameters::new(&received.anchors, &received.level).locate(&received.code);
    let (low, high) = (found.low * STEP, found.high * STEP);
    let holds = f64::from(u8::from((low - STEP..=high + STEP).contains(&VALUE)));
    Ok(vec![low, high, high - low, (found.mean * STEP - VALUE).abs(), holds])
}

impl Figure for Fig11 {
    fn info(&self) -> Info {
        info(
            "sun19-fig11",
            "Fig. 11",
            "What an attacker with all parameters learns from one code",
            "1000 bits, ε = 1 per bit, range [0, 50], t = 25. The paper does not tell the true value; its attacker guesses [26, 30], \
             so here it is 28. One code is drawn, and 500 are attacked; the same with ε = 1 kept for a value for real",
            "50 codes are attacked",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(500, 50);
        let drawn = |key, level| {
            let measure = move |run: &mut Run| picture(level, run);
            Cell::new(key, &["value", "log10_probability", "density"], 1, measure).costing(5.0)
        };
        let attacked = |key, level| {
            let measure = move |run: &mut Run| located(level, run);
            Cell::new(key, &["low", "high", "width", "error", "holds"], runs, measure)
        };
        Ok(vec![
            drawn(key("szy19-likelihood"), PUBLISHED),
            attacked(key("szy19-located"), PUBLISHED),
            drawn(kept_key("szy19-likelihood-kept"), KEPT),
            attacked(kept_key("szy19-located-kept"), KEPT),
        ])
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let cell = results.get(&key("szy19-likelihood"))?;
        let records: Vec<&[f64]> = cell.records(0).collect();
        let points = |at: usize| records.iter().map(|record| Point::exact(record[0], record[at])).collect::<Vec<_>>();
        let (likelihood, density) = (points(1), points(2));
        let kept = results.get(&kept_key("szy19-likelihood-kept"))?;
        let kept_density = kept.records(0).map(|record| Point::exact(record[0], record[2])).collect();
        let least = likelihood.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let most = likelihood.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let peak = density.iter().map(|p| p.y).fold(0.0, f64::max);
        let guess = [(0.0, GUESS.0), (1.0, GUESS.0), (1.0, GUESS.1), (0.0, GUESS.1)];
        let guess = guess.map(|(up, x)| Point::exact(x, up / (GUESS.1 - GUESS.0))).to_vec();
        let panel = |title: &str, note, y: &str, series| Panel {
            title: title.into(),
            note,
            body: Body::Lines(Lines { x: Axis::linear("value x"), y: Axis::linear(y), series }),
        };
        let line = |name: &str, style, points| Series { name: name.into(), style, points };
        let truth = |high: f64, low: f64| {
            line("true value", Style::Dashed, [low, high].map(|y| Point::exact(VALUE, y)).to_vec())
        };
        let panels = vec![
            panel(
                "All probabilities are tiny …",
                None,
                "log10 Pr[M(x) = o]",
                vec![line("of the code that was received", Style::Plain, likelihood), truth(most, least)],
            ),
            panel(
                "… and their ratios tell the value",
                Some(format!("kept for real: ({EPSILON}, {DELTA}) for a value")),
                "density of what the attacker believes",
                vec![
                    line("attacker with all parameters, ε = 1 per bit", Style::Plain, density),
                    line("the same, claimed ε = 1 kept for real", Style::Plain, kept_density),
                    line("the paper's guess, [26, 30]", Style::Plain, guess),
                    truth(peak, 0.0),
                ],
            ),
        ];

        let of = |measure: &str| results.summary(&key("szy19-located"), measure);
        let (width, error, holds) = (of("width")?, of("error")?, of("holds")?);
        let kept_width = results.summary(&kept_key("szy19-located-kept"), "width")?;
        let theirs = GUESS.1 - GUESS.0;
        let wider = if kept_width.mean - 2.0 * kept_width.error() > theirs { Verdict::Holds } else { Verdict::Fails };
        let sharper = width.mean + 2.0 * width.error() < theirs;
        let statements = vec![
            Statement::judged(
                "The probability of the received code is next to nothing, whatever the value",
                if most < -100.0 { Verdict::Holds } else { Verdict::Fails },
                format!("1e{most:.0} at most, 1e{least:.0} at least"),
            ),
            Statement::judged(
                "This makes values indistinguishable",
                if most - least < 1.0 { Verdict::Holds } else { Verdict::Fails },
                format!(
                    "probabilities differ by {:.0} powers of ten over the range, and 95 % of the belief is in an interval {} wide",
                    most - least,
                    short(width.mean)
                ),
            )
            .privacy(),
            Statement::judged(
                "All that an attacker can guess is an interval as wide as [26, 30]",
                if sharper { Verdict::Fails } else { Verdict::Holds },
                format!(
                    "95 % intervals are {} wide on average and hold the value in {} % of {} codes; the best guess errs by {}",
                    short(width.mean),
                    short(100.0 * holds.mean),
                    holds.runs,
                    short(error.mean)
                ),
            )
            .privacy(),
            Statement::judged(
                "With the claimed ε kept for real, an attacker's interval is wider than [26, 30]",
                wider,
                format!("95 % intervals are {} wide on average on a range of 50", short(kept_width.mean)),
            )
            .ours(),
        ];
        let paragraph = format!(
            "{} Probabilities of a received code are small together, and what an attacker learns is in their ratios, which \
             span {:.0} powers of ten. From one code an attacker with the anchors places \
             the value in an interval {} wide (95 %) on a range of 50 and errs by {} on average; the paper's guess is {theirs} wide. With \
             ε = 1 kept for a value for real (δ = {DELTA}) the interval is {} wide.",
            message(&statements),
            most - least,
            short(width.mean),
            short(error.mean),
            short(kept_width.mean),
        );
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats: Vec::new() })
    }
}
