//! Scales and weights of columns as the user writes them, before the table's columns are known.

use crate::bounds::{Bounds, BoundsError};
use crate::scale::Scale;

/// Weights further apart than this leave the lighter columns without any part in a distance.
pub(crate) const MOST_APART: f64 = 1000.0;

/// Scales and weights by the names of columns.
///
/// ```
/// use shoal_lattice::{Bounds, Interval, Scaling};
///
/// let scaling = Scaling::default().scales("income=log")?.weights("age=2")?;
/// let bounds = Bounds::new(
///     vec!["age".into(), "income".into()],
///     vec![Interval::new(17.0, 90.0)?, Interval::new(1000.0, 1_000_000.0)?],
/// )?;
/// assert_eq!(scaling.apply(bounds)?.weights(), [2.0, 1.0]);
/// # Ok::<(), shoal_lattice::BoundsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scaling {
    scales: Vec<(String, Scale)>,
    weights: Vec<(String, f64)>,
}

impl Scaling {
    /// Reads `income=log,children=sqrt` or `income=rank:0,10000,30000,250000`.
    pub fn scales(mut self, text: &str) -> Result<Self, BoundsError> {
        // The quantiles of a rank are separated by commas, too.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => last.push_str(&format!(",{part}")),
                _ => parts.push(part.into()),
            }
        }
        for part in parts {
            let (name, scale) = pair(&part, "scale", "income=log")?;
            let scale = scale.parse().map_err(|why| BoundsError::Scale { column: name.clone(), why })?;
            push(&mut self.scales, name, scale)?;
        }
        Ok(self)
    }

    /// Reads `age=2,hours=0.5`.
    pub fn weights(mut self, text: &str) -> Result<Self, BoundsError> {
        for part in text.split(',') {
            let (name, weight) = pair(part, "weight", "age=2")?;
            let parsed = weight.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight > 0.0);
            let why = || "a weight is a number above 0, such as 2; leave a column out with `columns`".to_string();
            let weight = parsed.ok_or_else(|| BoundsError::Scale { column: name.clone(), why: why() })?;
            push(&mut self.weights, name, weight)?;
        }
        Ok(self)
    }

    /// Whether a column is stretched.
    pub fn stretches(&self) -> bool {
        self.scales.iter().any(|(_, scale)| !scale.is_linear())
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty() && self.weights.is_empty()
    }

    /// Refuses names that are not among the columns that are used.
    pub fn check(&self, columns: &[String]) -> Result<(), BoundsError> {
        let names = self.scales.iter().map(|(name, _)| name).chain(self.weights.iter().map(|(name, _)| name));
        match names.into_iter().find(|name| !columns.contains(name)) {
            Some(name) => Err(BoundsError::UnknownScale { name: name.clone(), columns: columns.to_vec() }),
            None => Ok(()),
        }
    }

    /// The bounds with these scales and weights.
    pub fn apply(&self, bounds: Bounds) -> Result<Bounds, BoundsError> {
        self.check(bounds.columns())?;
        let of = |name: &String| self.scales.iter().find(|(column, _)| column == name).map(|(_, scale)| scale.clone());
        let scales = bounds.columns().iter().map(|name| of(name).unwrap_or_default()).collect();
        let of = |name: &String| self.weights.iter().find(|(column, _)| column == name).map_or(1.0, |(_, w)| *w);
        let weights = bounds.columns().iter().map(of).collect();
        bounds.scaled(scales, weights)
    }
}

fn pair(text: &str, what: &'static str, example: &'static str) -> Result<(String, String), BoundsError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(BoundsError::ScaleText { what, example }),
    }
}

fn push<T>(pairs: &mut Vec<(String, T)>, name: String, value: T) -> Result<(), BoundsError> {
    if pairs.iter().any(|(other, _)| *other == name) {
        return Err(BoundsError::Scale { column: name, why: "it is named twice; keep one of them".into() });
    }
    pairs.push((name, value));
    Ok(())
}
