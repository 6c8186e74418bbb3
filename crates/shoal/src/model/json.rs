//! A model as JSON: reading refuses what does not go together, writing adds the words that people read.

use serde::Serialize;
use shoal_lattice::BoundsError;

use super::{Kind, MergedFrom, Model, VERSION};

/// Why a file is not a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not JSON of this shape.
    #[error("this is not a Shoal model ({0}); give a file that `shoal fit` or `shoal cluster` wrote")]
    Shape(String),
    /// Another version of the format.
    #[error(
        "this model has format version {found}, and this program reads version {VERSION}; fit again or use a program of that version"
    )]
    Version {
        /// The version in the file.
        found: u64,
    },
    /// Numbers of columns, bounds or coordinates that do not go together.
    #[error("this model contradicts itself ({0}); it was damaged or edited, so fit again")]
    Inconsistent(String),
    /// An interval that is none.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
}

impl ModelError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Shape(..) => "not-a-model",
            Self::Version { .. } => "model-version",
            Self::Inconsistent(..) => "model-inconsistent",
            Self::Bounds(error) => error.code(),
        }
    }
}

impl Model {
    /// Reads a model, refusing what does not go together.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| ModelError::Shape(e.to_string()))?;
        match value.get("version").map(|v| v.as_u64()) {
            Some(Some(found)) if found != u64::from(VERSION) => return Err(ModelError::Version { found }),
            Some(Some(_)) => {}
            _ => return Err(ModelError::Shape("it has no version number".into())),
        }
        let model: Self = serde_json::from_value(value).map_err(|e| ModelError::Shape(e.to_string()))?;
        let dims = model.columns.len();
        let fault = if dims == 0 {
            Some("it has no columns")
        } else if model.centres.is_empty() {
            Some("it has no centres")
        } else if model.bounds.len() != dims {
            Some("as many bounds as columns are needed")
        } else if ![0, dims].contains(&model.scales.len()) || ![0, dims].contains(&model.weights.len()) {
            Some("a scale and a weight are needed for each column, or none at all")
        } else if model.centres.iter().chain(&model.centre_sd).any(|row| row.len() != dims) {
            Some("a centre needs a coordinate per column")
        } else if model.centre_sd.len() != model.centres.len() {
            Some("a noise level is needed for each centre")
        } else if ![0, model.centres.len()].contains(&model.sizes.len()) || model.size_sd.len() != model.sizes.len() {
            Some("a size and its noise level are needed for each centre, or none at all")
        } else if model.centres.iter().flatten().any(|x| !x.is_finite()) {
            Some("a coordinate is not finite")
        } else if (model.kind == Kind::Crowd) != model.from_reports.is_some() {
            Some("only a model of a crowd comes from reports")
        } else if model.nicv_estimate.is_some_and(|found| !(found.low <= found.nicv && found.nicv <= found.high)) {
            Some("its quality is outside of its own interval")
        } else if model.k_asked.is_some_and(|asked| asked <= model.centres.len()) {
            Some("it has as many centres as were asked for, and says that it has fewer")
        } else {
            let certainty = model.certainty.as_ref();
            let numbering = || model.numbering.as_ref().and_then(|it| it.fault(model.centres.len()));
            let of_certainty = certainty.and_then(|it| it.fault(model.centres.len(), dims, model.sizes.len()));
            let merged = || model.merged_from.as_ref().and_then(MergedFrom::fault);
            of_certainty.or_else(numbering).or_else(|| model.reading.fault()).or_else(merged)
        };
        match fault {
            Some(fault) => Err(ModelError::Inconsistent(fault.into())),
            None => {
                model.to_bounds()?;
                Ok(model)
            }
        }
    }

    /// The model as JSON text, one line a field. After its own fields come the words that people read: the guarantee as a
    /// sentence, notes, and what is known of each cluster.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct InWords<'a> {
            number: usize,
            description: &'a str,
            reliance: &'static str,
        }
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(flatten)]
            model: &'a Model,
            sentence: String,
            clusters: Vec<InWords<'a>>,
            notes: &'a [crate::facts::Note],
            publish: &'a crate::facts::Publish,
        }
        let facts = self.facts();
        let clusters = facts.clusters.iter().map(|it| InWords {
            number: it.number,
            description: &it.description,
            reliance: it.reliance.words(),
        });
        let written = Written {
            model: self,
            sentence: facts.guarantee.sentence(),
            clusters: clusters.collect(),
            notes: &facts.notes,
            publish: &facts.publish,
        };
        // Unwrap safety: every field has a JSON form, and none is a map with other keys than text.
        serde_json::to_string_pretty(&written).unwrap() + "\n"
    }
}
