//! Scales and weights of columns as the user writes them, before the table's columns are known.

use crate::bounds::{Bounds, BoundsError};
use crate::category::Category;
use crate::scale::Scale;

/// Weights further apart than this leave the lighter columns without any part in a distance.
const MOST_APART: f64 = 1000.0;

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

    /// A scale for one column.
    pub fn scale(mut self, column: &str, scale: Scale) -> Result<Self, BoundsError> {
        push(&mut self.scales, column.into(), scale)?;
        Ok(self)
    }

    /// A weight for one column.
    pub fn weight(mut self, column: &str, weight: f64) -> Result<Self, BoundsError> {
        let weight = checked(column, Some(weight))?;
        push(&mut self.weights, column.into(), weight)?;
        Ok(self)
    }

    /// Reads `age=2,hours=0.5`.
    pub fn weights(mut self, text: &str) -> Result<Self, BoundsError> {
        for part in text.split(',') {
            let (name, weight) = pair(part, "weight", "age=2")?;
            let weight = checked(&name, weight.parse().ok())?;
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

    /// Refuses names that are not among the columns that are used, and weights that are too far apart: all that can be wrong
    /// with weights, before there are bounds.
    pub fn check(&self, columns: &[String]) -> Result<(), BoundsError> {
        self.check_names(columns)?;
        check_weights(columns, &self.of(columns).1)
    }

    fn check_names(&self, columns: &[String]) -> Result<(), BoundsError> {
        let mut names = self.scales.iter().map(|(name, _)| name).chain(self.weights.iter().map(|(name, _)| name));
        match names.find(|name| !columns.contains(name)) {
            Some(name) => Err(BoundsError::UnknownScale { name: name.clone(), columns: columns.to_vec() }),
            None => Ok(()),
        }
    }

    /// The scale and the weight of each column.
    fn of(&self, columns: &[String]) -> (Vec<Scale>, Vec<f64>) {
        let of = |name: &String| self.scales.iter().find(|(column, _)| column == name).map(|(_, scale)| scale.clone());
        let scales = columns.iter().map(|name| of(name).unwrap_or_default()).collect();
        let of = |name: &String| self.weights.iter().find(|(column, _)| column == name).map_or(1.0, |(_, w)| *w);
        (scales, columns.iter().map(of).collect())
    }

    /// The weight of a column, where one is given.
    pub fn weight_of(&self, column: &str) -> Option<f64> {
        self.weights.iter().find(|(name, _)| name == column).map(|(_, weight)| *weight)
    }

    /// The categories with their weights.
    ///
    /// # Errors
    /// A scale for a category: there is nothing to stretch.
    pub fn weigh(&self, categories: Vec<Category>) -> Result<Vec<Category>, BoundsError> {
        let weigh = |category: Category| {
            if self.scales.iter().any(|(name, _)| name == category.column()) {
                let why = "it is a category, and there is nothing to stretch; leave its scale out".into();
                return Err(BoundsError::Scale { column: category.column().into(), why });
            }
            match self.weight_of(category.column()) {
                Some(weight) => category.weighing(weight),
                None => Ok(category),
            }
        };
        categories.into_iter().map(weigh).collect()
    }

    /// The bounds with these scales and weights, and with categories after the numbers.
    ///
    /// # Errors
    /// What [`Self::apply`] and [`Bounds::with_categories`] refuse.
    pub fn apply_with(&self, bounds: Bounds, categories: &[Category]) -> Result<Bounds, BoundsError> {
        let words = || categories.iter().map(|category| category.column().to_string());
        let all: Vec<String> = bounds.columns().iter().cloned().chain(words()).collect();
        self.check_names(&all)?;
        let (scales, weights) = self.of(bounds.columns());
        bounds.scaled(scales, weights)?.with_categories(self.weigh(categories.to_vec())?)
    }

    /// The bounds with these scales and weights.
    pub fn apply(&self, bounds: Bounds) -> Result<Bounds, BoundsError> {
        self.apply_with(bounds, &[])
    }
}

fn pair(text: &str, what: &'static str, example: &'static str) -> Result<(String, String), BoundsError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(BoundsError::ScaleText { what, example }),
    }
}

/// Refuses weights that are no numbers above zero, or too far apart for the lighter columns to play a part.
pub(crate) fn check_weights(columns: &[String], weights: &[f64]) -> Result<(), BoundsError> {
    for (column, &weight) in columns.iter().zip(weights) {
        checked(column, Some(weight))?;
    }
    let most = weights.iter().copied().fold(0.0, f64::max);
    match columns.iter().zip(weights).find(|(_, weight)| most > MOST_APART * **weight) {
        None => Ok(()),
        Some((column, _)) => {
            let why = format!(
                "its weight is less than 1/{MOST_APART} of the largest one, so it would play no part; leave it out, or \
                 give weights that are nearer to each other"
            );
            Err(BoundsError::Scale { column: column.clone(), why })
        }
    }
}

pub(crate) fn checked(column: &str, weight: Option<f64>) -> Result<f64, BoundsError> {
    weight.filter(|weight| weight.is_finite() && *weight > 0.0).ok_or_else(|| {
        let why =
            "a weight is a number above 0, such as 2; a column that should play no part is left out of the columns";
        BoundsError::Scale { column: column.into(), why: why.into() }
    })
}

fn push<T>(pairs: &mut Vec<(String, T)>, name: String, value: T) -> Result<(), BoundsError> {
    if pairs.iter().any(|(other, _)| *other == name) {
        return Err(BoundsError::Scale { column: name, why: "it is named twice; keep one of them".into() });
    }
    pairs.push((name, value));
    Ok(())
}
