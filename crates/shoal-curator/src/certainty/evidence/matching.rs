//! Reference tables whose *cells* have the mean and the covariance of the released cells.
//!
//! Cells lose correlation, since boxes are cut along the axes and few of them along all, and they gain variance, since the
//! rows of a large box may be anywhere in it. A table drawn with the moments of the cells would come out of the release
//! rounder and wider than the data, and gaps would show where there is nothing. So its moments are corrected by what the
//! release did to them, a few times: means and correlations by the difference, variances by the ratio.

use nalgebra::DMatrix;
use rayon::prelude::*;
use shoal_noise::SeededNoise;

use super::Release;
use super::even_spread::EvenSpread;
use super::seeds::seed;
use super::spread::Spread;
use crate::FitError;
use crate::certainty::reruns::unlogged;

/// Tables for each correction.
const TABLES: u64 = 2;

/// A correction changes a variance by this factor at most.
const MOST_FACTOR: f64 = 4.0;

/// Correlations are at most this.
const MOST_CORRELATION: f64 = 0.999;

/// The distribution whose tables come out of the release with the spread `wanted`.
pub fn matched(
    wanted: &Spread,
    release: &dyn Release,
    rows: usize,
    steps: u64,
    key: u64,
) -> Result<EvenSpread, FitError> {
    let mut even = EvenSpread::new(wanted);
    for step in 0..steps {
        let found: Vec<Option<Spread>> = (0..TABLES)
            .into_par_iter()
            .map(|table| {
                let mut random = SeededNoise::new(seed(key, &[1, step, table]));
                let table = even.draw(rows, &mut random);
                Ok(Spread::of(&unlogged(|| release.cells(table, &mut random))?))
            })
            .collect::<Result<_, FitError>>()?;
        let found: Vec<Spread> = found.into_iter().flatten().collect();
        let Some(found) = Spread::mean_of(&found) else { break };
        even = EvenSpread::new(&corrected(&even.spread(), wanted, &found));
    }
    Ok(even)
}

/// What to draw from, when drawing from `drawn` has given `found` and not `wanted`.
fn corrected(drawn: &Spread, wanted: &Spread, found: &Spread) -> Spread {
    let mean = (&drawn.mean + &wanted.mean - &found.mean).map(|x| x.clamp(-1.0, 1.0));
    let variance = |axis: usize| {
        let ratio = wanted.variance(axis) / found.variance(axis).max(1e-12);
        drawn.variance(axis) * ratio.clamp(1.0 / MOST_FACTOR, MOST_FACTOR)
    };
    let of = |(i, j): (usize, usize)| {
        let both = (variance(i) * variance(j)).sqrt();
        let correlation = drawn.correlation(i, j) + wanted.correlation(i, j) - found.correlation(i, j);
        if i == j { both } else { both * correlation.clamp(-MOST_CORRELATION, MOST_CORRELATION) }
    };
    let (rows, columns) = drawn.covariance.shape();
    let covariance = if rows == columns {
        DMatrix::from_fn(rows, columns, |i, j| of((i, j)))
    } else {
        DMatrix::from_fn(rows, columns, |i, _| variance(i))
    };
    Spread { mean, covariance }
}
