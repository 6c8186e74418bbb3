//! An interval for each column of a table of which no limits are known, estimated under differential privacy.
//!
//! Two histograms are released, each with half of ε, split evenly over the d columns:
//! 1. magnitudes in factors of four ([`ValueBuckets::Magnitudes`]), the same for every table. The largest magnitude with
//!    evidence for rows on each side of zero gives a range that has zero in it;
//! 2. [`PARTS`] equal parts of that range, from which both ends are moved inwards as far as the evidence goes.
//!
//! What counts as evidence is in [`outer_evidence`](crate::bounds::outer_evidence).
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: [`NoisyColumnCountsMechanism`] twice, the second time on buckets that
//! follow from what the first released (adaptive composition). Everything else is post-processing.
//!
//! *Law.* Discrete Laplace noise of decay ε/(2d) on every count, exact.
//!
//! *Utility.* With a probability of at least 1 − β for all columns together ([`EstimatedBounds::CONFIDENCE`]) every end of a
//! column that is not flagged as a guess is at most [`EstimatedBounds::FARTHEST`] times as far from zero as the column's
//! farthest value, or 4^−16; the probability of failure is shared evenly over all windows of both steps. In the second
//! step a window without rows costs no more than tightness, so evidence is taken more lightly there, which leaves fewer
//! rows outside. How many these are is bounded from the released counts of the buckets outside, for all columns together
//! with [`EstimatedBounds::OUTSIDE_CONFIDENCE`]: at most [`ColumnBounds::rows_outside`].
//!
//! *Runtime.* Two passes over the rows, 97 + 64 draws a column.
//!
//! *Assumes.* One row per person.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Claim, Epsilon, Sensitive};

use crate::FitError;
use crate::MostRows;
use crate::NoisyColumnCountsMechanism;
use crate::RowMechanism;
use crate::Thresholds;
use shoal_lattice::{Bounds, BoundsError, Interval};
use shoal_scan::{Scan, ScanError, ScanExt, ValueBuckets};

/// Parts of the range in the second step.
const PARTS: usize = 64;

/// Probability that an end is farther out than promised.
const FAILS: f64 = 1e-3;

/// Probability that the second step leaves an end of a column farther out than it must.
const LOOSE: f64 = 0.02;

/// Probability that more rows lie outside some interval than is stated.
const MORE_OUTSIDE: f64 = 0.05;

/// A column shows its rows when all of them together are so many times what one bucket needs to stand out.
const ENOUGH: i128 = 4;

/// Estimates bounds for ε.
///
/// ```
/// use shoal_curator::PrivateBounds;
/// use shoal_files::{ReadOptions, Silent, Source, Table};
/// use shoal_scan::TableScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::{Accountant, Allowance};
///
/// let csv = format!("age\n{}", "41\n".repeat(10_000));
/// let table = Table::open(Source::Memory(csv.into_bytes()), &ReadOptions::default())?;
/// let scan = TableScan::new(&table, &Silent);
/// let bounds = PrivateBounds::new(&"0.1".parse()?, table.dims())?;
/// let mut accountant = Accountant::new(Allowance::without_ledger(bounds.claim()));
/// let counted = bounds.count(&scan)?;
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let found = bounds.run(counted, &scan, &mut accountant, &mut SeededNoise::new(1))?;
/// assert!(found.columns[0].interval.lo() <= 41.0 && 41.0 <= found.columns[0].interval.hi());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PrivateBounds {
    dims: usize,
    counts: NoisyColumnCountsMechanism,
    /// For the buckets of one side of zero.
    magnitudes: Thresholds,
    parts: Thresholds,
    /// Rows in the buckets outside, for both histograms.
    most_rows: MostRows,
}

/// The bounds of one column. Released.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnBounds {
    /// The interval.
    pub interval: Interval,
    /// Most rows below and above it, with [`EstimatedBounds::OUTSIDE_CONFIDENCE`]; `None` for a guess.
    pub rows_outside: Option<[u64; 2]>,
    /// About how many rows the column has, from the same released counts.
    pub rows: u64,
}

impl ColumnBounds {
    /// True when the noise hid the column's rows and the interval is no more than a guess.
    pub fn is_guess(&self) -> bool {
        self.rows_outside.is_none()
    }
}

/// Bounds of all columns. Released.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatedBounds {
    /// In the order of the columns.
    pub columns: Vec<ColumnBounds>,
}

impl PrivateBounds {
    /// Checks the parameters for a table of `dims` columns.
    pub fn new(epsilon: &Epsilon, dims: usize) -> Result<Self, FitError> {
        if dims == 0 {
            return Err(FitError::NoAttributes);
        }
        if epsilon.amount().is_zero() {
            return Err(FitError::NoBudget);
        }
        let counts = NoisyColumnCountsMechanism::new(&epsilon.split(2), dims)?;
        let (sides, parts) = (2 * Thresholds::windows(ValueBuckets::STEPS) + 1, 2 * Thresholds::windows(PARTS));
        // The sums of the first step can be off in two directions that matter, those of the second in one.
        let q = FAILS / (dims * (2 * sides + parts)) as f64;
        let loose = LOOSE / Thresholds::windows(PARTS) as f64;
        let magnitudes = Thresholds::new(counts.law(), ValueBuckets::STEPS, q, q);
        // Two sides of every column, and every number of buckets that may turn out to lie outside, in both steps.
        let outside = MORE_OUTSIDE / (2 * dims * (ValueBuckets::STEPS + PARTS)) as f64;
        let most_rows = MostRows::new(counts.law(), PARTS.max(ValueBuckets::STEPS), outside);
        Ok(Self { dims, magnitudes, parts: Thresholds::new(counts.law(), PARTS, loose, q), most_rows, counts })
    }

    /// What the estimate promises: two histograms.
    pub fn claim(&self) -> Claim {
        let step = self.counts.claim();
        // Unwrap safety: the same pure claim twice, about the same neighbours.
        step.then(&step).unwrap()
    }

    /// Counts the magnitudes of all values: the first of two queries. Pay before you ask it.
    pub fn count(&self, scan: &dyn Scan) -> Result<Sensitive<Vec<Vec<u64>>>, ScanError> {
        scan.bucket_counts(&vec![ValueBuckets::Magnitudes; self.dims])
    }

    /// Most rows that may lie beyond either end of a column's interval, in the worst case: known before anything is read.
    pub fn most_rows_outside(&self) -> u64 {
        self.magnitudes.most_missed(ValueBuckets::STEPS) + self.parts.most_missed(PARTS)
    }

    /// Estimates the bounds from what [`PrivateBounds::count`] gave and another pass over the same rows.
    pub fn run(
        &self,
        counted: Sensitive<Vec<Vec<u64>>>,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
    ) -> Result<EstimatedBounds, FitError> {
        let noisy = accountant.release(counted, self.counts.with(noise))?.into_inner();
        let ranges: Vec<ColumnBounds> = noisy.iter().map(|noisy| self.range(noisy)).collect();
        let cut = |range: &ColumnBounds| ValueBuckets::equal_parts(range.interval.lo(), range.interval.hi(), PARTS);
        let lists: Vec<ValueBuckets> = ranges.iter().map(cut).collect();
        let parts = scan.bucket_counts(&lists)?;
        let noisy = accountant.release(parts, self.counts.with(noise))?.into_inner();
        let narrowed = ranges.iter().zip(&lists).zip(&noisy);
        Ok(EstimatedBounds {
            columns: narrowed.map(|((range, list), noisy)| self.narrow(range, list, noisy)).collect(),
        })
    }

    /// The range that the magnitudes show.
    fn range(&self, noisy: &[i64]) -> ColumnBounds {
        let list = ValueBuckets::Magnitudes;
        let below = &noisy[..ValueBuckets::ZERO];
        let above: Vec<i64> = noisy[ValueBuckets::ZERO + 1..].iter().rev().copied().collect();
        let sides = [self.side(below), self.side(&above)];
        let zero = noisy[ValueBuckets::ZERO] >= self.magnitudes.clear_from();
        let farthest_clear = sides.iter().flatten().filter(|side| side.clear).map(|side| side.end).min();
        let total: i128 = noisy.iter().map(|count| i128::from(*count)).sum();
        let rows = u64::try_from(total.max(0)).unwrap_or(u64::MAX);
        let seen = farthest_clear.is_some() || zero;
        if !seen || total < ENOUGH * i128::from(self.magnitudes.clear_from()) {
            // Too few rows stand out for a limit to mean much: wide on both sides, and marked as a guess.
            let likeliest = (0..noisy.len()).max_by_key(|bucket| noisy[*bucket]).unwrap_or(ValueBuckets::ZERO);
            let likeliest = list.ends(likeliest).into_iter().map(f64::abs).fold(0.0, f64::max);
            let farthest = farthest_clear.map_or(likeliest, |end| likeliest.max(-list.ends(end)[0]));
            return ColumnBounds { interval: around_zero(farthest, farthest), rows_outside: None, rows };
        }
        // Where a side has rows but hides how far they go, they may go as far as those on the other side.
        let end =
            |side: &Side| if side.clear { side.end } else { farthest_clear.map_or(side.end, |it| it.min(side.end)) };
        let ends = sides.map(|side| side.as_ref().map_or(ValueBuckets::STEPS, end));
        let missed = [self.most_rows.of(&below[..ends[0]]), self.most_rows.of(&above[..ends[1]])];
        // Buckets lie symmetrically, so a place counted from the outside has the same magnitude on both sides.
        let magnitude = |end: usize| if end == ValueBuckets::STEPS { 0.0 } else { -list.ends(end)[0] };
        let interval = around_zero(magnitude(ends[0]), magnitude(ends[1]));
        ColumnBounds { interval, rows_outside: Some(missed), rows }
    }

    /// How far out rows go on one side of zero; `noisy` has the outermost bucket first.
    fn side(&self, noisy: &[i64]) -> Option<Side> {
        let evidence = self.magnitudes.first(noisy)?;
        // Of a window of two buckets the rows may be in either. A longer one is more of a rumour.
        let end = evidence.outer.max(evidence.inner.saturating_sub(1));
        Some(Side { end, clear: evidence.inner - evidence.outer <= 1 })
    }

    /// Moves both ends inwards as far as the parts show.
    fn narrow(&self, range: &ColumnBounds, list: &ValueBuckets, noisy: &[i64]) -> ColumnBounds {
        // A guess is not made better by looking closer at what it cut off.
        let Some([below, above]) = range.rows_outside else { return *range };
        let reversed: Vec<i64> = noisy.iter().rev().copied().collect();
        let (Some(first), Some(last)) = (self.parts.first(noisy), self.parts.first(&reversed)) else { return *range };
        if first.outer + last.outer >= PARTS {
            return *range;
        }
        let ends = [list.ends(first.outer)[0], list.ends(PARTS - 1 - last.outer)[1]];
        let Ok(interval) = Interval::new(ends[0], ends[1]) else { return *range };
        let missed = [self.most_rows.of(&noisy[..first.outer]), self.most_rows.of(&reversed[..last.outer])];
        ColumnBounds { interval, rows_outside: Some([below + missed[0], above + missed[1]]), rows: range.rows }
    }
}

/// What one side of zero shows.
struct Side {
    /// The bucket where the range ends, counted from the outside.
    end: usize,
    /// One or two neighbouring buckets by themselves stand out.
    clear: bool,
}

/// From `below` below zero to `above` above it; around zero when both are.
fn around_zero(below: f64, above: f64) -> Interval {
    let [lo, hi] = ValueBuckets::Magnitudes.ends(ValueBuckets::ZERO);
    // Unwrap safety: magnitudes are finite, and those around zero are apart.
    Interval::new(0.0 - below, above).unwrap_or_else(|_| Interval::new(lo, hi).unwrap())
}

impl EstimatedBounds {
    /// Probability that no end of any column is farther out than [`EstimatedBounds::FARTHEST`] allows.
    pub const CONFIDENCE: f64 = 1.0 - FAILS;

    /// Probability that no column has more rows outside than [`ColumnBounds::rows_outside`].
    pub const OUTSIDE_CONFIDENCE: f64 = 1.0 - MORE_OUTSIDE;

    /// An end is at most so many times as far from zero as the column's farthest value.
    pub const FARTHEST: f64 = 16.0;

    /// The intervals with the columns' names.
    pub fn bounds(&self, columns: &[String]) -> Result<Bounds, BoundsError> {
        Bounds::new(columns.to_vec(), self.columns.iter().map(|column| column.interval).collect())
    }

    /// Names of the columns whose interval is a guess.
    pub fn guesses<'a>(&self, names: &'a [String]) -> Vec<&'a str> {
        let guesses = self.columns.iter().zip(names).filter(|(column, _)| column.is_guess());
        guesses.map(|(_, name)| name.as_str()).collect()
    }
}
