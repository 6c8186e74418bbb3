//! What is declared about columns beside their bounds: scales, weights, and levels of categories.

use pyo3::prelude::*;
use shoal::{Error, Fit};
use shoal_files::Missing;
use shoal_lattice::{Bounds, BoundsError, Category, Scaling};

/// Scales as Python gives them.
#[derive(Clone, FromPyObject)]
pub(crate) enum ScaleArg {
    /// As the program takes them.
    #[pyo3(transparent)]
    Text(String),
    /// Column by column.
    #[pyo3(transparent)]
    Named(Vec<(String, String)>),
}

/// Weights as Python gives them.
#[derive(Clone, FromPyObject)]
pub(crate) enum WeightArg {
    #[pyo3(transparent)]
    Text(String),
    #[pyo3(transparent)]
    Named(Vec<(String, f64)>),
}

/// The levels of one category.
#[derive(Clone, FromPyObject)]
pub(crate) enum LevelsArg {
    /// As the program takes them after the name of the column: `F|M|X`, or a file.
    #[pyo3(transparent)]
    Text(String),
    /// One by one.
    #[pyo3(transparent)]
    Listed(Vec<String>),
}

/// Categories as Python gives them.
#[derive(Clone, FromPyObject)]
pub(crate) enum CategoriesArg {
    #[pyo3(transparent)]
    Text(String),
    #[pyo3(transparent)]
    Named(Vec<(String, LevelsArg)>),
}

/// Scales, weights and categories that make sense by themselves.
#[derive(Clone, Default)]
pub(crate) struct Declared {
    scaling: Scaling,
    pub(crate) categories: Vec<Category>,
}

impl Declared {
    /// Reads what was given.
    pub(crate) fn new(
        scale: Option<&ScaleArg>,
        weight: Option<&WeightArg>,
        categories: Option<&CategoriesArg>,
    ) -> Result<Self, Error> {
        let read = || {
            let mut scaling = Scaling::default();
            scaling = match scale {
                None => scaling,
                Some(ScaleArg::Text(text)) => scaling.scales(text)?,
                Some(ScaleArg::Named(scales)) => scales.iter().try_fold(scaling, |scaling, (column, scale)| {
                    let scale = scale.parse().map_err(|why| BoundsError::Scale { column: column.clone(), why })?;
                    scaling.scale(column, scale)
                })?,
            };
            scaling = match weight {
                None => scaling,
                Some(WeightArg::Text(text)) => scaling.weights(text)?,
                Some(WeightArg::Named(weights)) => {
                    weights.iter().try_fold(scaling, |scaling, (column, weight)| scaling.weight(column, *weight))?
                }
            };
            let categories = match categories {
                None => Vec::new(),
                Some(CategoriesArg::Text(text)) => shoal_files::categories(text)?,
                Some(CategoriesArg::Named(named)) => {
                    let mut found = Vec::with_capacity(named.len());
                    for (column, levels) in named {
                        match levels {
                            LevelsArg::Listed(levels) => found.push(Category::new(column, levels.iter().cloned())?),
                            LevelsArg::Text(text) => {
                                found.extend(shoal_files::categories(&format!("{column}={text}"))?)
                            }
                        }
                    }
                    found
                }
            };
            Ok(Self { scaling, categories })
        };
        read().map_err(Error::BoundsText)
    }

    /// The fit with all of it.
    pub(crate) fn apply(self, fit: Fit) -> Result<Fit, Error> {
        let fit = fit.scaling(self.scaling);
        self.categories.into_iter().try_fold(fit, |fit, category| fit.category(category))
    }

    /// The bounds with all of it, for rows that others put on the lattice.
    pub(crate) fn within(&self, bounds: Bounds, missing: Missing) -> Result<Bounds, Error> {
        if missing == Missing::Category && self.categories.is_empty() {
            return Err(Error::GapsWithoutCategories);
        }
        let settled = |category: &Category| match missing {
            Missing::Category => category.clone().counting_gaps(),
            _ => Ok(category.clone()),
        };
        let categories: Result<Vec<_>, _> = self.categories.iter().map(settled).collect();
        categories.and_then(|categories| self.scaling.apply_with(bounds, &categories)).map_err(Error::BoundsText)
    }
}
