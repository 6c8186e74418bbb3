//! GkM and GkM-3K (SCL16 §4.1.2; GUPT, Mohan et al. 2012): k-means by sample and aggregate.
//!
//! Deal the rows to ℓ blocks, run k-means in each, average the blocks' first centres, their second and so on, and add
//! noise to the averages (eq. (3)). The noise grows with the range of the centres, so a share of ε first estimates that
//! range ([`RangeRule`]).
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. The step that finds the range gets `range_share` of ε, one
//! [`BlockSumsMechanism`] gets the rest, and the losses add (after a bought design size, [`crate::design_size`]). For
//! [`RangeRule::Outputs`] the step is one [`OutputQuartilesMechanism`] on what the blocks hand in, for
//! [`RangeRule::Quartiles`] 2d quantiles of the rows ([`QuantileMechanism`]), and for [`RangeRule::Full`] nothing, so that
//! the sums get all of ε. For what the blocks hand in: each row's block is a keyed hash of its place in the table, so rows
//! are dealt independently and the deals of two neighbouring tables can be paired to agree on the common rows
//! ([`BlockDraw`]); in each pair one block differs by one row. What a block gives depends on its rows, on public numbers
//! and on randomness that all blocks share ([`BlockKMeans`]), so one block's result changes, arbitrarily; clamped into the
//! range, it moves each sum by at most the range's width. ℓ follows from n₀, k and d alone.
//!
//! *Distribution.* Eq. (3): Laplace noise of scale 2·(max_i − min_i)·k·d/(ℓ·ε) on a mean, when half of ε is for the noise;
//! discrete, on the lattice of the sums.
//!
//! *Utility.* With ℓ = n₀^0.4 the noise is larger than the clusters; with ℓ = n₀/(3k) it is not, and the blocks are no worse
//! before the noise (SCL16 §5.2). Centres outside the range are moved to its ends, and the reported error includes what
//! that may cost ([`OutputRange::bias`](crate::internals::OutputRange::bias)).
//!
//! *Runtime.* One scan per attribute, one deal, and k-means in each block.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is used as a design size only.
//!
//! *Deviations.* GUPT's program does not keep the promise, and is not followed where it breaks it:
//!
//! | GUPT's program | here |
//! |---|---|
//! | blocks are runs of rows, their length from N: one more row shifts others elsewhere | each row draws its block |
//! | ℓ from the true N | ℓ from n₀ |
//! | percentiles cost 1.5 times their charge; a histogram for them is not charged | [`crate::mechanisms::private_quantile`] |
//! | noise at a third of ε, where eq. (3) says a half | eq. (3), and each step is charged what its noise loses |
//! | a block may return fewer than k centres, or fail | always k centres |
//!
//! Also: k-means++ starts instead of random ones; attributes are not scaled by the block's own deviations; a limit on the
//! number of blocks, for memory. As in SCL16 the range stays within the data domain. SCL16 does not spell out how the output
//! range is estimated. GUPT's program has two ways: percentiles of the blocks' outputs at a quarter of ε each, widened
//! ([`RangeRule::Outputs`], the only one that can leave the data range as SCL16 reports), and the bounds that its k-means
//! example hands in ([`RangeRule::Full`]).
//!
//! [`BlockDraw`]: shoal_scan::BlockDraw

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Amount, Claim, Epsilon, MethodInfo, Parameter};

use crate::BlockSumsMechanism;
use crate::Decision;
use crate::ExpectedError;
use crate::RowMechanism;
use crate::catalogue::DESIGNED;
use crate::expected_error::HOPELESS;
use crate::plan::Forecast;
use crate::system::{check_basics, rest_of};
use crate::systems::output_range::{self, OutputRange, RangeRule, RangeStep};
use crate::{BlockKMeans, Matching};
use crate::{DesignSize, SizeStep};
use crate::{FitError, Method, Outcome, Settings, System, Watch};
use shoal_lattice::{BoxPosition, HALF_WIDTH, Widths};
use shoal_scan::{BlockDraw, Scan, ScanExt};

/// Most numbers that all blocks together hand in, a block's own keeping counted as 64: half a gigabyte.
const MOST_NUMBERS: u64 = 1 << 28;

/// What both have in common.
const GKM: MethodInfo = MethodInfo {
    status: "a sound form of the published system, whose code does not keep its promise; papers/SCL16.md",
    options: &["iterations", "inits", "blocks", "matching", "range", "range-share", "count-share"],
    plus_minus: "two standard deviations of the privacy noise and of what the range may cut off; how far the blocks themselves are off is not in it",
    ..DESIGNED
};

/// The most that the noise comes to is reported for blocks, so it is read off at a larger ε. Set for [`RangeRule::Outputs`].
const FORECAST: Forecast = Forecast::per_epsilon(0.6, 0.15, 0.9, "k-means in small blocks");

/// With GUPT's number of blocks, and with blocks of 3k rows.
pub(crate) const METHODS: &[Method] = &[
    Method {
        info: MethodInfo {
            name: "gkm",
            summary: "k-means in rows^0.4 random blocks, noisy means of the blocks' centres (sample and aggregate, after GUPT)",
            ..GKM
        },
        build: |settings, dims| build(settings, Blocks::Power, dims),
        forecast: FORECAST,
    },
    Method {
        info: MethodInfo { name: "gkm-3k", summary: "gkm with blocks of 3k rows: more blocks, less noise", ..GKM },
        build: |settings, dims| build(settings, Blocks::PerCluster, dims),
        forecast: FORECAST,
    },
];

fn build(settings: &Settings, blocks: Blocks, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let blocks = knobs.blocks.map_or(blocks, Blocks::Given);
    let params = GkmParams::new(settings.k, settings.epsilon.clone(), settings.size.clone(), blocks);
    let range = knobs.range.unwrap_or(params.range);
    if let (RangeRule::Full, Some(share)) = (range, &knobs.range_share) {
        let wanted = format!("left out: with {} full nothing is spent on a range", Parameter::RANGE);
        return Err(FitError::Parameter { what: Parameter::RANGE_SHARE, given: share.to_string(), wanted });
    }
    let params = GkmParams {
        range,
        range_share: knobs.range_share.clone().unwrap_or(params.range_share),
        matching: knobs.matching.unwrap_or(params.matching),
        inits: knobs.inits.unwrap_or(params.inits),
        rounds: knobs.iterations.map_or(params.rounds, |rounds| rounds as usize),
        ..params
    };
    Ok(Box::new(Gkm::new(params, dims)?))
}

/// The number of blocks, ℓ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// ℓ = n₀^0.4, as GUPT advises: `gkm`.
    Power,
    /// ℓ = n₀/(3k), blocks of 3k rows: `gkm-3k`.
    PerCluster,
    /// A public number.
    Given(u32),
}

impl Blocks {
    /// ℓ for `rows` rows and `k` centres, rounded to the nearest, at least 1.
    pub fn count(self, rows: u64, k: usize) -> u64 {
        let blocks = match self {
            Self::Power => (rows as f64).powf(0.4).round() as u64,
            Self::PerCluster => (rows as f64 / (3.0 * k as f64)).round() as u64,
            Self::Given(blocks) => blocks.into(),
        };
        blocks.max(1)
    }
}

/// The parameters of GkM, not yet checked.
#[derive(Clone, Debug)]
pub struct GkmParams {
    /// Number of centres.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// For how many rows the number of blocks is chosen.
    pub size: DesignSize,
    /// How many blocks.
    pub blocks: Blocks,
    /// How the output range is found.
    pub range: RangeRule,
    /// The share of ε that estimates the output range: one half in the paper. [`RangeRule::Full`] spends none.
    pub range_share: Amount,
    /// How it is decided which centres of different blocks belong together.
    pub matching: Matching,
    /// k-means++ starts in each block.
    pub inits: usize,
    /// Most steps from each start.
    pub rounds: usize,
}

impl GkmParams {
    /// The paper's values.
    pub fn new(k: usize, epsilon: Epsilon, size: DesignSize, blocks: Blocks) -> Self {
        let (range, range_share, matching) = (RangeRule::Outputs, Amount::ratio(1, 2), Matching::Sort);
        Self { k, epsilon, size, blocks, range, range_share, matching, inits: 5, rounds: 30 }
    }

    fn check(&self, dims: usize) -> Result<(), FitError> {
        check_basics(self.k, &self.epsilon, dims)?;
        let refuse =
            |what, given: usize, wanted: String| Err(FitError::Parameter { what, given: given.to_string(), wanted });
        if self.inits == 0 {
            return refuse(Parameter::INITS, 0, "1 or more".into());
        }
        if self.rounds == 0 || self.rounds > BlockKMeans::MOST_ROUNDS {
            return refuse(Parameter::ITERATIONS, self.rounds, format!("1 to {}", BlockKMeans::MOST_ROUNDS));
        }
        if self.matching == Matching::Assign && self.k > BlockKMeans::MOST_ASSIGNED {
            return refuse(
                Parameter::K,
                self.k,
                format!("at most {} with matching by assignment", BlockKMeans::MOST_ASSIGNED),
            );
        }
        match (self.blocks, most_blocks(self.k, dims)) {
            (Blocks::Given(blocks), most) if blocks == 0 || u64::from(blocks) > most => {
                refuse(Parameter::BLOCKS, blocks as usize, format!("1 to {most}"))
            }
            _ => Ok(()),
        }
    }
}

/// Follows from public numbers, as everything that shapes the blocks must.
fn most_blocks(k: usize, dims: usize) -> u64 {
    (MOST_NUMBERS / (k as u64 * dims as u64 + 64)).max(1)
}

/// GkM with parameters that make sense.
///
/// ```
/// use shoal_curator::{Blocks, DesignSize, Gkm, GkmParams, System};
/// use shoal_lattice::LatticePoints;
/// use shoal_files::PointStore;
/// use shoal_scan::LocalScan;
/// use shoal_noise::SeededNoise;
/// use shoal_privacy::Allowance;
///
/// let mut points = LatticePoints::new(1);
/// for i in 0..10_000 {
///     points.push_row(&[if i % 2 == 0 { -20_000 } else { 16_000 }]);
/// }
/// let params = GkmParams::new(2, "1".parse()?, DesignSize::Public(10_000), Blocks::PerCluster);
/// let fit = Gkm::new(params, 1)?;
/// let scan = LocalScan::new(PointStore::InMemory(points));
/// // A seed is for examples and tests; use `OsNoise` to protect people.
/// let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1))?;
/// assert_eq!(outcome.centres.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Gkm {
    params: GkmParams,
    dims: usize,
    size: SizeStep,
    range: RangeStep,
    /// ε for the noise on the sums.
    noise_epsilon: Epsilon,
    /// The noise if every range were the whole interval: no run has more, and every run has its loss.
    widest: BlockSumsMechanism,
}

impl Gkm {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: GkmParams, dims: usize) -> Result<Self, FitError> {
        params.check(dims)?;
        let (size, epsilon) = params.size.split(&params.epsilon)?;
        if let (Blocks::Given(blocks), Some(rows)) = (params.blocks, size.known_rows())
            && u64::from(blocks).saturating_mul(params.k as u64) > rows.max(params.k as u64)
        {
            // Blocks with fewer rows than clusters hand in repeated rows or a public default: little noise, no meaning.
            let wanted =
                format!("at most {}, so that a block has a row for each cluster", (rows / params.k as u64).max(1));
            return Err(FitError::Parameter { what: Parameter::BLOCKS, given: blocks.to_string(), wanted });
        }
        let share = &params.range_share;
        let other = rest_of(share, Parameter::RANGE_SHARE, "the output range")?;
        let range = RangeStep::new(params.range, &epsilon.times(share), params.k, dims)?;
        let noise_epsilon = if params.range == RangeRule::Full { epsilon } else { epsilon.times(&other) };
        // Also refuses noise that the sampler cannot draw before anything is spent on a range.
        let widest = BlockSumsMechanism::per_attribute(params.k, &noise_epsilon, &vec![OutputRange::FULL; dims])?;
        Ok(Self { params, dims, size, range, noise_epsilon, widest })
    }

    fn blocks(&self, design: u64) -> u64 {
        self.params.blocks.count(design, self.params.k).min(most_blocks(self.params.k, self.dims))
    }

    /// What was decided about blocks and ranges.
    fn decision(&self, blocks: u64, design: u64, ranges: &[OutputRange]) -> Decision {
        let width = ranges.iter().map(|range| f64::from(range.width())).sum::<f64>() / ranges.len() as f64;
        Decision::Blocks {
            blocks,
            rows_per_block: design as f64 / blocks as f64,
            rule: self.params.range,
            range: Widths::of_lattice_length(width).0,
            epsilon: self.noise_epsilon.clone(),
        }
    }
}

/// Standard deviation of the noise on a mean over `blocks` blocks, per coordinate.
fn noise_on_means(sums: &BlockSumsMechanism, blocks: u64) -> impl Iterator<Item = Widths> + '_ {
    sums.variances().map(move |variance| Widths::of_lattice_length(variance.sqrt() / blocks as f64))
}

/// Two independent errors together, never more than a blind guess.
fn together(noise: Widths, bias: Widths) -> Widths {
    Widths(noise.0.hypot(bias.0)).at_most(HOPELESS)
}

impl System for Gkm {
    fn claim(&self) -> Claim {
        let steps = self.range.claim_before(self.widest.claim(), self.dims);
        self.size.claim_with(steps)
    }

    /// The noise for the widest range, since how wide it will be is not known before, and the bias of quartiles.
    fn expected_error(&self, rows: f64) -> ExpectedError {
        let blocks = self.blocks(self.size.expected(rows));
        // All coordinates are alike, and there is at least one.
        let widest = noise_on_means(&self.widest, blocks).map(|sd| sd.0).fold(0.0, f64::max);
        ExpectedError::of_width(together(Widths(widest), self.range.expected_bias()))
    }

    /// An engine that cannot answer the last query must refuse before the first one costs anything.
    fn check_scan(&self, scan: &dyn Scan) -> Result<(), FitError> {
        Ok(scan.check_blocks()?)
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        _: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        self.check_scan(scan)?;
        let mut accountant = Accountant::new(allowance);
        let settled = self.size.settle(scan, &mut accountant, noise)?;
        let mut decisions: Vec<Decision> = settled.decision.iter().cloned().collect();
        let blocks = self.blocks(settled.rows);
        let GkmParams { k, inits, rounds, matching, .. } = self.params;
        let mut ranges = vec![OutputRange::FULL; k * self.dims];
        if let RangeStep::Quartiles(quartiles) = &self.range {
            ranges = output_range::of_rows(quartiles, scan, &mut accountant, noise)?.repeat(k);
        }
        let kmeans = BlockKMeans::new((k, self.dims), (inits, rounds), matching, noise);
        let draw = BlockDraw::new(blocks as u32, noise);
        let results = scan.block_results(&draw, &kmeans)?;
        if let RangeStep::Outputs(quartiles) = &self.range {
            ranges = output_range::of_outputs(quartiles, &results, blocks, &mut accountant, noise)?;
        }
        decisions.push(self.decision(blocks, settled.rows, &ranges));
        let sums = BlockSumsMechanism::new(&self.noise_epsilon, ranges.clone())?;
        let noisy = accountant.release(results, sums.with(noise))?.into_inner();

        // Eq. (3), in box units.
        let mean = |&sum: &i64| (sum as f64 / blocks as f64 / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0);
        let means: Vec<f64> = noisy.iter().map(mean).collect();
        let centres = means.chunks_exact(self.dims).map(BoxPosition::list).collect();
        // Blocks for millions of rows that are not there would be empty, and their mean a public default with little noise.
        let empty = blocks.saturating_mul(k as u64) > settled.rows.max(k as u64);
        let noise_per_centre = if empty || settled.is_mostly_noise() {
            vec![vec![HOPELESS; self.dims]; k]
        } else {
            let share = self.range.share_beyond(blocks);
            let bias = ranges.iter().zip(&noisy).map(|(range, &sum)| range.bias(sum as f64 / blocks as f64, share));
            let all: Vec<Widths> =
                noise_on_means(&sums, blocks).zip(bias).map(|(sd, bias)| together(sd, bias)).collect();
            all.chunks_exact(self.dims).map(<[Widths]>::to_vec).collect()
        };
        Ok(Outcome::new(centres, noise_per_centre, &accountant, noise).with_decisions(decisions))
    }
}
