//! Distance errors as SZY19 measures them (eq. 24), and its rule for the length of codes.
//!
//! Argument: `fig5`, `fig6` or `fig9`, and the number of runs. Prints CSV. Table III and Fig. 8 come from
//! `shoal consortium compare`.
//!
//! - `fig5`: values uniform on [0, 25], t = 3, 100 × 100 pairs. Mean |d − d̂| against the bits s, raw, with Algorithm 1 as
//!   printed and corrected, noise-free and at ε = 1, 2, 5. Beside it the mean |d − 0| and the share of pairs within 2t.
//! - `fig6`: records uniform on [0, 50]^d, half of the attributes with each custodian, t = 25, s = 1000, 40 records, 780
//!   pairs. Mean |d − d̂| against d, attribute by attribute (eq. 20 with the square; with and without the variance taken
//!   off) and decomposed (eq. 23).
//! - `fig9`: s = ⌈ln δ/(ε − ln(e^ε+1))⌉, and the δ that is true at that s and ε when all bits differ.

use rayon::prelude::*;
use shoal::consortium::aggregator::{Decoder, Horizontal, consistency, vertical};
use shoal::consortium::custodian::Dpbv;
use shoal::consortium::promise::{Curve, published};
use shoal::consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal::crowd::STEPS;
use shoal::data::Interval;
use shoal::plain::Condensed;
use shoal_bench::{Failure, mean};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [figure, runs] = args.as_slice() else { return Err("usage: szy19 fig5|fig6|fig9 RUNS".into()) };
    let runs: u64 = runs.parse()?;
    match figure.as_str() {
        "fig5" => fig5(runs),
        "fig6" => fig6(runs),
        "fig9" => fig9(),
        other => Err(format!("there is no figure {other}; give fig5, fig6 or fig9").into()),
    }
}

fn agreement(dims: usize, high: f64, t: f64, bits: u32, epsilon: &str, seed: u64) -> Result<Agreement, Failure> {
    let range = Interval::new(0.0, high)?;
    let attributes: Result<Vec<_>, _> = (0..dims).map(|i| Attribute::new(format!("c{i}"), range, t)).collect();
    let flips = if epsilon == "none" { Flips::None } else { Flips::PerBit(epsilon.parse()?) };
    Ok(Agreement::new(Terms::new(attributes?, bits, flips, Scale::Own)?, AnchorSecret::from_seed(seed)))
}

/// Records uniform on the lattice, one after the other.
fn records(rows: usize, dims: usize, random: &mut SeededNoise) -> Vec<i32> {
    (0..rows * dims).map(|_| uniform::below(random, STEPS + 1) as i32).collect()
}

fn encoded(encoder: &Dpbv, terms: &Terms, values: &[i32], random: &mut SeededNoise) -> Codes {
    let mut codes = Codes::new(terms);
    let mut words = vec![0; codes.record_words()];
    for record in values.chunks_exact(terms.dims()) {
        encoder.encode(record, random, &mut words);
        codes.extend(&words);
    }
    codes
}

fn fig5(runs: u64) -> Result<(), Failure> {
    const SIDE: usize = 100;
    println!(
        "epsilon,bits,runs,raw,raw_se,as_printed,as_printed_se,corrected,corrected_se,raw_within_2t,pairs_within_2t"
    );
    for epsilon in ["none", "5", "2", "1"] {
        for bits in [50, 100, 200, 500, 1000, 2000, 5000] {
            let one = |seed: u64| -> Result<[f64; 5], Failure> {
                let mut random = SeededNoise::new(seed);
                let agreement = agreement(1, 25.0, 3.0, bits, epsilon, random.next_u64())?;
                let (terms, encoder) = (agreement.terms(), Dpbv::new(&agreement)?);
                let values = records(2 * SIDE, 1, &mut random);
                let codes = encoded(&encoder, terms, &values, &mut random);
                let step = terms.step(0);
                let raw = Horizontal::new(terms, &codes)?.attribute(0)?;
                let printed = consistency::as_printed(&raw);
                let corrected = consistency::corrected(&raw, &Decoder::of(terms, 0), consistency::DEFAULT_SHARE)?;
                // Eq. 24 over S_x × S_y, the first and the second hundred.
                let pairs = || (0..SIDE).flat_map(|i| (SIDE..2 * SIDE).map(move |j| (i, j)));
                let truth = |i: usize, j: usize| f64::from(values[i].abs_diff(values[j])) * step;
                let error = |found: &Condensed, keep: &dyn Fn(f64) -> bool| {
                    let kept = pairs().filter(|&(i, j)| keep(truth(i, j)));
                    mean(kept.map(|(i, j)| (found.get(i, j) - truth(i, j)).abs()).collect::<Vec<_>>().into_iter()).0
                };
                let near = |d: f64| d <= 6.0;
                let share = pairs().filter(|&(i, j)| near(truth(i, j))).count() as f64 / (SIDE * SIDE) as f64;
                let all = |_: f64| true;
                Ok([error(&raw, &all), error(&printed, &all), error(&corrected, &all), error(&raw, &near), share])
            };
            let found: Vec<[f64; 5]> = (0..runs).into_par_iter().map(one).collect::<Result<_, _>>()?;
            let column = |i: usize| mean(found.iter().map(move |run| run[i]));
            let [(raw, raw_se), (printed, printed_se), (corrected, corrected_se)] = [0, 1, 2].map(column);
            let (near, share) = (column(3).0, column(4).0);
            println!(
                "{epsilon},{bits},{runs},{raw:.4},{raw_se:.4},{printed:.4},{printed_se:.4},{corrected:.4},{corrected_se:.4},{near:.4},{share:.3}"
            );
        }
    }
    Ok(())
}

fn fig6(runs: u64) -> Result<(), Failure> {
    const RECORDS: usize = 40;
    println!("epsilon,attributes,runs,attribute_wise,se,variance_kept,se,decomposed,se,mean_distance");
    for epsilon in ["none", "5", "2", "1"] {
        for dims in [2, 4, 6, 8, 10, 14, 20] {
            let one = |seed: u64| -> Result<[f64; 4], Failure> {
                let mut random = SeededNoise::new(seed);
                let bobs = dims / 2;
                let agreement = agreement(bobs, 50.0, 25.0, 1000, epsilon, random.next_u64())?;
                let terms = agreement.terms();
                let (own, theirs) = (records(RECORDS, bobs, &mut random), records(RECORDS, bobs, &mut random));
                let row = |values: &[i32], i: usize| -> Vec<f64> {
                    values[i * bobs..(i + 1) * bobs].iter().map(|x| f64::from(*x) * terms.step(0)).collect()
                };
                let left = |i: usize, j: usize| vertical::exact_squared(&row(&own, i), &row(&own, j), terms);
                let right = |i: usize, j: usize| vertical::exact_squared(&row(&theirs, i), &row(&theirs, j), terms);
                let truth = Condensed::from_fn(RECORDS, |i, j| (left(i, j) + right(i, j)).sqrt());
                let codes = encoded(&Dpbv::new(&agreement)?, terms, &theirs, &mut random);
                let wise = vertical::combine(left, vertical::attribute_wise(terms, &codes, true)?);
                let kept = vertical::combine(left, vertical::attribute_wise(terms, &codes, false)?);
                let pair_terms = terms.decomposed()?;
                let encoder = Dpbv::of(&[agreement.pair_anchors(&pair_terms)], pair_terms.flips())?;
                let most = pair_terms.attributes()[0].range.hi();
                let scalars: Vec<i32> = (0..RECORDS)
                    .flat_map(|i| (i + 1..RECORDS).map(move |j| (i, j)))
                    .flat_map(|(i, j)| {
                        let (sum, product) = vertical::pair_scalars(&row(&theirs, i), &row(&theirs, j), terms);
                        [sum, product].map(|x| (x / most * STEPS as f64).round() as i32)
                    })
                    .collect();
                let pairs = encoded(&encoder, &pair_terms, &scalars, &mut random);
                let squares = vertical::decomposed(&pair_terms, RECORDS, pairs.rows() / 2, |pair| {
                    (pairs.code(2 * pair, 0), pairs.code(2 * pair + 1, 0))
                })?;
                let decomposed = vertical::combine(left, squares);
                let error = |found: &Condensed| {
                    mean(found.as_slice().iter().zip(truth.as_slice()).map(|(a, b)| (a - b).abs())).0
                };
                Ok([error(&wise), error(&kept), error(&decomposed), mean(truth.as_slice().iter().copied()).0])
            };
            let found: Vec<[f64; 4]> = (0..runs).into_par_iter().map(one).collect::<Result<_, _>>()?;
            let column = |i: usize| mean(found.iter().map(move |run| run[i]));
            let [(wise, wise_se), (kept, kept_se), (decomposed, se), (distance, _)] = [0, 1, 2, 3].map(column);
            println!(
                "{epsilon},{dims},{runs},{wise:.3},{wise_se:.3},{kept:.3},{kept_se:.3},{decomposed:.3},{se:.3},{distance:.2}"
            );
        }
    }
    Ok(())
}

fn fig9() -> Result<(), Failure> {
    println!("epsilon,delta,bits_by_the_paper,true_delta_at_that_epsilon,true_epsilon_at_that_delta");
    for epsilon in ["0.5", "1", "2", "3"] {
        for delta in [1e-2, 1e-5, 1e-10, 1e-50, 1e-100] {
            let budget = epsilon.parse()?;
            let bits = published::bits_for(epsilon.parse()?, delta) as u64;
            let curve = Curve::of_bits(&budget, bits);
            let (true_delta, true_epsilon) = (curve.delta_up(epsilon.parse()?), curve.epsilon_up(delta));
            println!("{epsilon},{delta:e},{bits},{true_delta:.6},{true_epsilon:.1}");
        }
    }
    Ok(())
}
