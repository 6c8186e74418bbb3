//! Fig. 5: mean error of distances against the number of bits, with and without Algorithm 1.

use shoal_consortium::Flips;
use shoal_consortium::aggregator::{Decoder, Horizontal, consistency};
use shoal_consortium::price::blind_error;
use shoal_kernel::Condensed;

use super::{info, message};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::consortium::{DELTA, Level, Setting, encoded, per_bit, uniform_records};
use crate::papers::words::short;
use crate::statistics::Summary;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Places, Results, Run, Statement};

/// Values on each side: 100 × 100 pairs.
const SIDE: usize = 100;
const BITS: [u32; 7] = [50, 100, 200, 500, 1000, 2000, 5000];
/// With the noise that a claim needs, few bits are best, so these are looked at as well.
const FEW: [u32; 5] = [1, 2, 5, 10, 20];
const LEVELS: [Level; 4] = [Level::Clean, Level::PerBit("5"), Level::PerBit("2"), Level::PerBit("1")];
const KEPT: Level = Level::Kept("1");
const MEASURES: &[&str] = &["raw", "layered", "as_printed", "corrected", "raw_within_2t", "pairs_within_2t", "per_bit"];
const NAMES: [(&str, &str); 4] = [
    ("raw", "decoded as they are"),
    ("layered", "Algorithm 1 with its flag matrix"),
    ("as_printed", "its eight lines without the flags"),
    ("corrected", "shortest paths (ours)"),
];

fn setting(bits: u32) -> Setting {
    Setting { dims: 1, high: 25.0, t: 3.0, bits }
}

fn key(level: Level, bits: u32) -> Key {
    Key::new("szy19-distance-error").with("epsilon", level.key()).with("bits", bits)
}

/// Eq. 24 over S_x × S_y, the first and the second hundred of the values.
fn errors(level: Level, bits: u32, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let agreement = setting(bits).agreement(level, &mut run.noise)?;
    let terms = agreement.terms();
    let values = uniform_records(2 * SIDE, 1, &mut run.noise);
    let codes = encoded(&agreement, &values, &mut run.noise)?;
    let step = terms.step(0);
    let raw = Horizontal::new(terms, &codes)?.attribute(0)?;
    let printed = consistency::as_printed(&raw);
    let decoder = Decoder::of(terms, 0);
    let layered = consistency::layered(&raw, &decoder, consistency::DEFAULT_SHARE)?;
    let corrected = consistency::corrected(&raw, &decoder, consistency::DEFAULT_SHARE)?;
    let pairs = || (0..SIDE).flat_map(|i| (SIDE..2 * SIDE).map(move |j| (i, j)));
    let truth = |i: usize, j: usize| f64::from(values[i].abs_diff(values[j])) * step;
    let error = |found: &Condensed, most: f64| {
        let kept: Vec<f64> =
            pairs().filter(|&(i, j)| truth(i, j) <= most).map(|(i, j)| (found.get(i, j) - truth(i, j)).abs()).collect();
        kept.iter().sum::<f64>() / kept.len() as f64
    };
    let near = 2.0 * setting(bits).t;
    let share = pairs().filter(|&(i, j)| truth(i, j) <= near).count() as f64 / (SIDE * SIDE) as f64;
    let all = f64::INFINITY;
    let spent = per_bit(terms.flips()).unwrap_or(0.0);
    let errors = [&raw, &layered, &printed, &corrected].map(|found| error(found, all));
    Ok(errors.into_iter().chain([error(&raw, near), share, spent]).collect())
}

pub struct Fig5;

impl Figure for Fig5 {
    fn info(&self) -> Info {
        info(
            "sun19-fig5",
            "Fig. 5",
            "Mean error of distances against the number of bits",
            "Values uniform on [0, 25], t = 3, 10,000 pairs in each of 20 runs. The paper names no ε: here without noise, with \
             ε = 5, 2 and 1 per bit, and with the noise that ε = 1 for a value needs",
            "5 runs",
        )
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(20, 5);
        let usual = LEVELS.into_iter().chain([KEPT]).flat_map(|level| BITS.map(|bits| (level, bits)));
        let cell = |(level, bits): (Level, u32)| {
            let measure = move |run: &mut Run| errors(level, bits, run);
            Cell::new(key(level, bits), MEASURES, runs, measure).costing(20.0 + f64::from(bits) / 100.0)
        };
        Ok(usual.chain(FEW.map(|bits| (KEPT, bits))).map(cell).collect())
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let of = |level: Level, bits: u32, measure: &str| results.summary(&key(level, bits), measure);
        let blind = blind_error(&setting(1000).terms(Flips::None)?, |_| 25.0 / shoal_lattice::STEPS as f64);
        let mut panels = Vec::new();
        for level in LEVELS {
            panels.push(panel(level, &BITS, blind, results)?);
        }
        let few: Vec<u32> = FEW.into_iter().chain(BITS).collect();
        panels.push(panel(KEPT, &few, blind, results)?);

        let (most, least) = (BITS[BITS.len() - 1], BITS[0]);
        let mut falls = Vec::new();
        for level in LEVELS {
            for (measure, name) in [NAMES[0], NAMES[1]] {
                let (first, last) = (of(level, least, measure)?, of(level, most, measure)?);
                let text = format!("{}, {name}: {} → {}", level.name(), short(first.mean), short(last.mean));
                falls.push((last.below(&first), text));
            }
        }
        let statements = vec![
            Statement::over(
                "The error falls with the number of bits",
                falls.iter().map(|(fell, _)| *fell).sum(),
                falls.iter().map(|(_, text)| &**text).collect::<Vec<_>>().join("; "),
            ),
            gain(
                results,
                "layered",
                "At the same number of bits, distance consistence (Algorithm 1) lessens the error",
            )?
            .headline(),
            gain(results, "as_printed", "So do its eight lines without the flag matrix")?.ours(),
            gain(results, "corrected", "So do shortest paths")?.ours(),
        ];
        let far = 1.0 - of(Level::Clean, 1000, "pairs_within_2t")?.mean;
        let kept: Result<Vec<(u32, Summary)>, Failure> = few.iter().map(|&s| Ok((s, of(KEPT, s, "raw")?))).collect();
        let kept = kept?;
        let best = kept.iter().min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).ok_or("nothing was measured")?;
        let at_two = |measure| of(Level::PerBit("2"), 1000, measure);
        let (noisy, paths, layered) = (at_two("raw")?, at_two("corrected")?, at_two("layered")?);
        let harm = if noisy.is_clearly_below(&paths) {
            ", where shortest paths collect the errors that shorten them"
        } else {
            ""
        };
        let (within, all) = (of(Level::Clean, 1000, "raw_within_2t")?, of(Level::Clean, 1000, "raw")?);
        let cause = if within.mean < all.mean / 2.0 {
            "Most of what is left comes from"
        } else {
            "What is left comes not only from"
        };
        let beats = if best.1.mean < blind { "less than" } else { "no less than" };
        let paragraph = format!(
            "{} Without noise the error goes from {} to {} from {least} to {most} bits. {cause} \
             the {:.0} % of the pairs that are farther apart than 2t; pairs within 2t err by {} at 1000 bits. Algorithm 1 \
             with its flag matrix brings the error from {} to {} without noise and from {} to {} at ε = 2 per bit. Without the \
             flags its eight lines leave {} and {}. Shortest paths come to {} without noise, and to {} at ε = 2 per bit{harm}. To keep ε = 1 for a value for real (δ = {DELTA}) \
             a bit of 1000 may have ε = {}; the error is then {}, on a range of 25. The best number of bits tried is {} with an \
             error of {}, {beats} the {} of answering the same distance for every pair.",
            message(&statements),
            short(of(Level::Clean, least, "raw")?.mean),
            short(of(Level::Clean, most, "raw")?.mean),
            100.0 * far,
            short(within.mean),
            short(all.mean),
            short(of(Level::Clean, 1000, "layered")?.mean),
            short(noisy.mean),
            short(layered.mean),
            short(of(Level::Clean, 1000, "as_printed")?.mean),
            short(at_two("as_printed")?.mean),
            short(of(Level::Clean, 1000, "corrected")?.mean),
            short(paths.mean),
            short(of(KEPT, 1000, "per_bit")?.mean),
            short(of(KEPT, 1000, "raw")?.mean),
            best.0,
            short(best.1.mean),
            short(blind),
        );
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: Vec::new() })
    }
}

/// Whether a form of Algorithm 1 errs less than distances as they are decoded.
fn gain(results: &Results, form: &str, says: &str) -> Result<Statement, Failure> {
    let (mut all, mut found) = (Places::default(), Vec::new());
    for level in LEVELS {
        let mut of_level = Places::default();
        for bits in BITS {
            let (raw, better) = (results.summary(&key(level, bits), "raw")?, results.summary(&key(level, bits), form)?);
            of_level += better.below(&raw);
        }
        all += of_level;
        found.push(format!("{}: {of_level}", level.name()));
    }
    Ok(Statement::over(says, all, found.join("; ")))
}

fn panel(level: Level, bits: &[u32], blind: f64, results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for (measure, name) in NAMES {
        let point = |&bits: &u32| -> Result<Point, Failure> {
            Ok(Point::mean(f64::from(bits), &results.summary(&key(level, bits), measure)?))
        };
        let points = bits.iter().map(point).collect::<Result<_, _>>()?;
        // What is as good as equal to the first curve would hide it.
        let style = if measure == "as_printed" { Style::Dashed } else { Style::Marked };
        series.push(Series { name: name.into(), style, points });
    }
    let ends = [bits[0], bits[bits.len() - 1]];
    let points = ends.map(|bits| Point::exact(f64::from(bits), blind)).to_vec();
    series.push(Series { name: "no codes: always the mean distance".into(), style: Style::Dashed, points });
    let title = "mean error of distances (range 25)";
    let y = if level == KEPT { Axis::log(title) } else { Axis::linear(title) };
    let note = if level == KEPT {
        let spent = results.summary(&key(level, 1000), "per_bit")?;
        Some(format!("(1, {DELTA}) for a value: ε = {} per bit at 1000 bits", short(spent.mean)))
    } else {
        None
    };
    let title = level.name();
    let x = Axis::log("bits s").ticks(&[1.0, 10.0, 50.0, 200.0, 1000.0, 5000.0]);
    Ok(Panel { title, note, body: Body::Lines(Lines { x, y, series }) })
}
