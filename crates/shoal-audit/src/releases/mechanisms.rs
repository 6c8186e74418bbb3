//! Every mechanism of the curator, on changes that queries really have.

use shoal_curator::internals::{
    BlockSumsMechanism, CappedCostMechanism, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism,
    MomentKind, NoisyColumnCountsMechanism, NoisyCountsMechanism, NoisySumsMechanism, OutputQuartilesMechanism,
    OutputRange, QuantileMechanism, RecordedStep, SelectByCostMechanism, SplitShape, TreeRelease,
};
use shoal_curator::{TreeLimits, TreeReleaseParams};
use shoal_kernel::{Cap, ClusterSums, LatticeCentres, Reach};
use shoal_privacy::{Accountant, Allowance, Amount, ThisIsNotPrivate};
use shoal_scan::{Answer, Grid, Partial, Question, Scan, ScanExt, ValueBuckets};

use super::Tally;
use super::run::record;
use super::tables::{Engine, HIGH, LOW, Rows};
use super::trial::{Inputs, Trial};
use crate::runs::RunFailure;

/// One mechanism and how it is tried.
pub struct Tried {
    /// The name of its type.
    pub mechanism: &'static str,
    /// Its name on the command line.
    pub name: &'static str,
    /// One trial: other columns, clusters, clipping bounds and rows in each.
    pub trial: fn(&mut Trial) -> Result<(), RunFailure>,
}

/// Every mechanism that has an exact check. A mechanism that is missing here fails a test.
pub const MECHANISMS: &[Tried] = &[
    Tried { mechanism: "NoisyCountsMechanism", name: "exact-noisy-counts", trial: noisy_counts },
    Tried { mechanism: "GaussianCountsMechanism", name: "exact-gaussian-counts", trial: gaussian_counts },
    Tried { mechanism: "NoisyColumnCountsMechanism", name: "exact-column-counts", trial: column_counts },
    Tried { mechanism: "NoisySumsMechanism", name: "exact-noisy-sums", trial: noisy_sums },
    Tried { mechanism: "KNormSumsMechanism", name: "exact-knorm-sums", trial: knorm_sums },
    Tried { mechanism: "GaussianSumsMechanism", name: "exact-gaussian-sums", trial: gaussian_sums },
    Tried { mechanism: "CappedCostMechanism", name: "exact-capped-cost", trial: capped_cost },
    Tried { mechanism: "SelectByCostMechanism", name: "exact-select-by-cost", trial: select_by_cost },
    Tried { mechanism: "QuantileMechanism", name: "exact-quantile", trial: quantile },
    Tried { mechanism: "OutputQuartilesMechanism", name: "exact-output-quartiles", trial: output_quartiles },
    Tried { mechanism: "BlockSumsMechanism", name: "exact-block-sums", trial: block_sums },
    Tried { mechanism: "TreeSplitMechanism", name: "exact-tree-split", trial: tree_split },
];

fn flat_counts(counts: Vec<i64>) -> Vec<i128> {
    counts.into_iter().map(i128::from).collect()
}

fn noisy_counts(trial: &mut Trial) -> Result<(), RunFailure> {
    let mechanism = NoisyCountsMechanism::new(&trial.epsilon())?;
    let inputs = cells(trial)?;
    trial.check(&mechanism, &inputs, flat_counts);
    let rows = trial.inputs(0, &[], |scan| Ok(scan.row_count()?.map(|rows| vec![rows])))?;
    trial.check(&mechanism, &rows, flat_counts);
    Ok(())
}

fn gaussian_counts(trial: &mut Trial) -> Result<(), RunFailure> {
    let mechanism = GaussianCountsMechanism::new(&trial.rho())?;
    let inputs = cells(trial)?;
    trial.check(&mechanism, &inputs, flat_counts);
    Ok(())
}

/// Counts of cells of a grid with one to four cells along some columns.
fn cells(trial: &mut Trial) -> Result<Inputs<Vec<u64>>, RunFailure> {
    let along: Vec<u32> =
        (0..trial.dims).map(|axis| if axis < 4 { 1 + trial.random.below(4) as u32 } else { 1 }).collect();
    let grid = Grid::new(along, 1 << 10).map_err(shoal_curator::FitError::from)?;
    trial.inputs(0, &[], |scan| scan.cell_counts(&grid))
}

fn column_counts(trial: &mut Trial) -> Result<(), RunFailure> {
    let mechanism = NoisyColumnCountsMechanism::new(&trial.epsilon(), trial.dims)?;
    let lists: Vec<ValueBuckets> = (0..trial.dims)
        .map(|_| match trial.random.below(2) {
            0 => ValueBuckets::Magnitudes,
            _ => ValueBuckets::equal_parts(-20_000.0, 30_000.0, 64),
        })
        .collect();
    // The same values as raw numbers, without bounds, and some that no lattice has.
    let rows: Vec<Vec<f64>> =
        trial.rows.iter().take(200).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
    let mut random = Rows::new(trial.dims, trial.random.word());
    let odd = [0.0, -0.0, 1e300, -1e-300, f64::MAX, f64::MIN, 5.0, 32_767.5];
    let question = Question::Buckets { lists };
    let count = |rows: &[Vec<f64>]| -> Result<Vec<Vec<u64>>, RunFailure> {
        let columns: Vec<Vec<f64>> = (0..trial.dims).map(|axis| rows.iter().map(|row| row[axis]).collect()).collect();
        let answer = Partial::of_columns(&question, &columns).and_then(|partial| partial.finish(&question));
        match answer.map_err(shoal_curator::FitError::from)?.without_privacy().reveal(ThisIsNotPrivate) {
            Answer::Buckets(counts) => Ok(counts),
            _ => Err(RunFailure::Other("another answer than was asked for".into())),
        }
    };
    let mut inputs = Vec::new();
    for _ in 0..4 {
        let row: Vec<f64> = (0..trial.dims).map(|_| odd[random.below(odd.len())]).collect();
        let with: Vec<Vec<f64>> = rows.iter().cloned().chain([row]).collect();
        inputs.push((count(&rows)?, count(&with)?, true, trial.words()));
    }
    trial.check(&mechanism, &inputs, |counts| counts.into_iter().flatten().map(i128::from).collect());
    Ok(())
}

fn noisy_sums(trial: &mut Trial) -> Result<(), RunFailure> {
    let mechanism = NoisySumsMechanism::per_step(trial.dims, &trial.epsilon())?;
    let k = 1 + trial.random.below(5);
    let centres = trial.centres(k);
    let inputs = trial.inputs(k, &[], |scan| scan.sums_and_counts(&centres))?;
    trial.check(&mechanism, &inputs, |noisy| noisy.sums.into_iter().chain(noisy.counts).map(i128::from).collect());
    Ok(())
}

/// Centres with clipping bounds from one lattice unit to the whole box, and rows just within and beyond them.
fn clipped(trial: &mut Trial, k: usize) -> Result<(Reach, Inputs<ClusterSums>), RunFailure> {
    let centres = trial.centres(k);
    let width = |random: &mut Rows| match random.below(5) {
        0 => 1,
        1 => Reach::MOST,
        2 => HIGH as u32,
        _ => 1 + random.below(40_000) as u32,
    };
    let half_widths: Vec<u32> = (0..k * trial.dims).map(|_| width(&mut trial.random)).collect();
    let reach = Reach::new(centres.clone(), half_widths);
    let j = trial.random.below(k);
    let near = |beyond: i32| -> Vec<i16> {
        let at = centres.centre(j).iter().zip(reach.half_widths(j));
        at.map(|(&c, &w)| (i32::from(c) + w as i32 + beyond).clamp(LOW.into(), HIGH.into()) as i16).collect()
    };
    let inputs = trial.inputs(k, &[near(0), near(1), near(-1)], |scan| scan.clipped_sums(&centres, &reach))?;
    Ok((reach, inputs))
}

fn moments(trial: &mut Trial) -> Result<(Reach, Inputs<ClusterSums>), RunFailure> {
    let kind = [MomentKind::EachVariance, MomentKind::OneVariance][trial.random.below(2)];
    let inputs = trial.inputs(0, &[vec![0; trial.dims]], |scan| Ok(scan.moments()?.map(|sums| kind.sums(sums))))?;
    Ok((Reach::whole_box(1, kind.numbers(trial.dims)), inputs))
}

fn knorm_sums(trial: &mut Trial) -> Result<(), RunFailure> {
    let k = if trial.number.is_multiple_of(4) { 1 + trial.random.below(23) } else { 1 + trial.random.below(3) };
    let with_count = trial.random.below(2) == 0;
    let (reach, inputs) = clipped(trial, k)?;
    let mechanism = KNormSumsMechanism::new(&reach, &trial.epsilon(), with_count)?;
    let flat = |noisy: shoal_curator::internals::ScaledSums| {
        let count = |j: usize| noisy.counts.as_ref().map(|counts| counts[j]);
        let centre =
            |(j, sums): (usize, &[i64])| sums.iter().copied().chain(count(j)).map(i128::from).collect::<Vec<_>>();
        noisy.sums.chunks(noisy.dims).enumerate().flat_map(centre).collect()
    };
    trial.check(&mechanism, &inputs, flat);
    let (reach, inputs) = moments(trial)?;
    let mechanism = KNormSumsMechanism::new(&reach, &trial.epsilon(), false)?;
    trial.check(&mechanism, &inputs, flat);
    Ok(())
}

fn gaussian_sums(trial: &mut Trial) -> Result<(), RunFailure> {
    let k = 1 + trial.random.below(3);
    let (reach, inputs) = clipped(trial, k)?;
    let mechanism = match trial.random.below(2) {
        0 => GaussianSumsMechanism::new(&reach, &trial.rho())?,
        _ => GaussianSumsMechanism::with_count_share(&reach, &trial.rho(), &Amount::ZERO)?,
    };
    let flat = |noisy: shoal_curator::internals::ScaledSums| {
        noisy.sums.into_iter().chain(noisy.counts.into_iter().flatten()).map(i128::from).collect()
    };
    trial.check(&mechanism, &inputs, flat);
    let (reach, inputs) = moments(trial)?;
    let mechanism = GaussianSumsMechanism::with_count_share(&reach, &trial.rho(), &Amount::ZERO)?;
    trial.check(&mechanism, &inputs, flat);
    Ok(())
}

fn capped_cost(trial: &mut Trial) -> Result<(), RunFailure> {
    let k = 1 + trial.random.below(4);
    let centres = trial.centres(k);
    let cap = Cap::near([1, 40_000, 1 << 30, 1 << 40][trial.random.below(4)]);
    let mechanism = CappedCostMechanism::new(cap, &trial.epsilon())?;
    let inputs = trial.inputs(1, &[], |scan| scan.capped_cost(&centres, cap))?;
    trial.check(&mechanism, &inputs, |noisy| vec![noisy.into()]);
    Ok(())
}

fn select_by_cost(trial: &mut Trial) -> Result<(), RunFailure> {
    let sets = 2 + trial.random.below(6);
    let picks = 1 + trial.random.below(sets - 1);
    let candidates: Vec<LatticeCentres> = (0..sets).map(|_| trial.centres(2)).collect();
    let mechanism = SelectByCostMechanism::new(trial.dims, picks, &trial.epsilon())?;
    let inputs = trial.inputs(sets, &[], |scan| scan.costs(&candidates))?;
    trial.check(&mechanism, &inputs, |picked| picked.into_iter().map(|set| set as i128).collect());
    Ok(())
}

fn quantile(trial: &mut Trial) -> Result<(), RunFailure> {
    // Few rows do not reach what many do: the score of a position moves by no more than there are rows.
    if trial.rows.len() < 8 {
        trial.rows = trial.random.table(37);
    }
    trial.rows = trial.random.off_the_ends(std::mem::take(&mut trial.rows));
    let (part, whole) = [(1, 4), (3, 4), (1, 2), (1, 20)][trial.random.below(4)];
    let mechanism = QuantileMechanism::new(part, whole, &trial.epsilon())?;
    let positions = if trial.number.is_multiple_of(6) { 65_535 } else { 513 };
    let mut along = vec![1; trial.dims];
    along[trial.random.below(trial.dims)] = positions;
    let grid = Grid::new(along, 65_535).map_err(shoal_curator::FitError::from)?;
    let inputs = trial.inputs(0, &[], |scan| scan.cell_counts(&grid))?;
    trial.check(&mechanism, &inputs, |position| vec![position as i128]);
    Ok(())
}

fn output_quartiles(trial: &mut Trial) -> Result<(), RunFailure> {
    // Few columns: every coordinate is a choice among thousands of positions. A quartile shows its whole loss only where
    // blocks remain on both sides of it, so there are four or more.
    let (k, dims, blocks) = (1 + trial.random.below(2), 1 + trial.dims % 3, 4 + trial.random.below(9));
    let mechanism = OutputQuartilesMechanism::new(k * dims, &trial.epsilon())?;
    let place = |random: &mut Rows| (random.below(60_001) as i32 - 30_000) as i16;
    let block = |random: &mut Rows| -> Vec<i16> { (0..k * dims).map(|_| place(random)).collect() };
    let others: Vec<Vec<i16>> = (1..blocks).map(|_| block(&mut trial.random)).collect();
    // Any block may be the one that changes.
    let at = trial.random.below(blocks);
    let with = |block: Vec<i16>| [&others[..at], &[block], &others[at..]].concat();
    let (low, high) = (vec![LOW; k * dims], vec![HIGH; k * dims]);
    let words = format!("{blocks} blocks, k = {k}, d = {dims}");
    let mut inputs = vec![(with(low.clone()), with(high), false, words.clone())];
    for _ in 0..3 {
        inputs.push((with(block(&mut trial.random)), with(block(&mut trial.random)), true, words.clone()));
    }
    inputs.push((with(low), with(block(&mut trial.random)), true, words));
    trial.check(&mechanism, &inputs, |positions| positions.into_iter().map(|at| at as i128).collect());
    Ok(())
}

fn block_sums(trial: &mut Trial) -> Result<(), RunFailure> {
    let (k, blocks) = (1 + trial.random.below(3), 1 + trial.random.below(4));
    let place = |random: &mut Rows| (random.below(65_000) as i32 - 32_500) as i16;
    let range = |random: &mut Rows| match random.below(4) {
        0 => OutputRange::FULL,
        _ => {
            let low = place(random);
            OutputRange::between(low, low + 1 + random.below(200) as i16)
        }
    };
    // Another range for each coordinate of each centre.
    let ranges: Vec<OutputRange> = (0..k * trial.dims).map(|_| range(&mut trial.random)).collect();
    let epsilon = trial.epsilon();
    let mechanism = BlockSumsMechanism::new(&epsilon, ranges.clone())?;
    let block = |random: &mut Rows| -> Vec<i16> { (0..k).flat_map(|_| random.row()).collect() };
    let others: Vec<Vec<i16>> = (1..blocks).map(|_| block(&mut trial.random)).collect();
    let with = |block: Vec<i16>| others.iter().cloned().chain([block]).collect::<Vec<_>>();
    let (low, high) = (vec![LOW; k * trial.dims], vec![HIGH; k * trial.dims]);
    let mut inputs = vec![(with(low), with(high), false, trial.words())];
    for _ in 0..4 {
        inputs.push((with(block(&mut trial.random)), with(block(&mut trial.random)), true, trial.words()));
    }
    trial.check(&mechanism, &inputs, flat_counts);
    // A range of one place gets noise although nothing there can change, so less is lost than charged and a halved noise
    // breaks no claim: no mutants.
    let narrow: Vec<OutputRange> = ranges
        .iter()
        .map(|&range| if trial.random.below(3) == 0 { OutputRange::between(77, 77) } else { range })
        .collect();
    let narrow = BlockSumsMechanism::new(&epsilon, narrow)?;
    let mut apart = Tally::default();
    for (first, second, real, words) in &inputs {
        apart.compare(0, &RecordedStep::of(&narrow, first), &RecordedStep::of(&narrow, second), *real, words);
    }
    trial.tally.join(apart.without_mutants());
    Ok(())
}

/// A whole tree: its cuts, then the counts of its leaves.
fn tree_split(trial: &mut Trial) -> Result<(), RunFailure> {
    let dims = trial.dims;
    let shape = [
        SplitShape::default(),
        SplitShape { threshold: 3, bias: 1.0, floor: 1.0 },
        SplitShape { threshold: -2, bias: 0.5, floor: 0.0 },
    ][trial.random.below(3)];
    let usual = TreeReleaseParams::new(dims);
    let limits = TreeLimits { boxes_per_look: 64, depth: 24, ..usual.limits };
    let release = TreeRelease::new(TreeReleaseParams { shape, limits, ..usual }, &trial.epsilon(), dims)?;
    let job = |scan: &dyn Scan, noise: &mut shoal_curator::internals::WitnessedNoise| {
        let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
        let synopsis = release.run(scan, &mut accountant, noise, &mut Vec::new())?;
        Ok((format!("{synopsis:?}"), accountant.promised().loss))
    };
    if trial.rows.len() > 1000 {
        trial.rows.truncate(1000);
    }
    let engine = Engine::ALL[trial.number % 3];
    let seeds = [trial.random.word(), trial.random.word()];
    let first = record(&job, &*engine.scan(dims, &trial.rows)?, seeds, None)?;
    first.check(&mut trial.tally);
    for row in [vec![LOW; dims], vec![HIGH; dims], trial.random.row()] {
        let with = engine.scan(dims, &trial.random.with(&trial.rows, row))?;
        let second = record(&job, &*with, seeds, Some(&first.script))?;
        first.compare(&second, true, &trial.words(), &mut trial.tally);
    }
    Ok(())
}

/// So many trials of one mechanism.
///
/// # Errors
/// When a trial cannot be made.
pub fn tried(tried: &Tried, trials: usize, seed: u64) -> Result<Tally, RunFailure> {
    use rayon::prelude::*;
    let one = |number: usize| {
        let mut trial = Trial::new(number, seed);
        (tried.trial)(&mut trial)?;
        Ok(trial.tally)
    };
    let tallies: Vec<Tally> = (0..trials).into_par_iter().map(one).collect::<Result<_, RunFailure>>()?;
    let mut all = Tally::default();
    tallies.into_iter().for_each(|tally| all.join(tally));
    Ok(all)
}
