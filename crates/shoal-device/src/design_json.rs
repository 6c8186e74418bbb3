//! Designs as JSON, and their digest.
//!
//! A published design is a JSON object. ε, and the bound of BPGM, are texts with an exact decimal number or fraction
//! (`"0.5"`, `"1/3"`), because a JSON number would be rounded:
//!
//! ```json
//! {
//!   "version": 1,
//!   "identifier": "commute-2026",
//!   "mechanism": { "name": "bpm", "radius_steps": 131068 },
//!   "epsilon": "8",
//!   "sampler": "exact",
//!   "columns": ["age", "hours"],
//!   "bounds": [[17.0, 90.0], [1.0, 99.0]],
//!   "steps": 65534,
//!   "digest": "…"
//! }
//! ```
//!
//! Columns of words come as `"categories"` after `bounds`, each with its name, public levels, whether gaps are a level, and the
//! distance that a mismatch counts as. A design without any has no such field:
//!
//! ```json
//! "categories": [{ "column": "gender", "levels": ["F", "M", "X"], "counts_gaps": false, "weight": 0.5 }]
//! ```
//!
//! `identifier` and `digest` may be left out; a digest that is there must be right. Fields that this version does not
//! know are refused: they might change what a report reveals.
//!
//! The digest is the SHA-256, in lower-case hexadecimal digits, of the design's canonical form: one line of JSON with
//! these fields but the digest, in this order, without spaces. In it a missing identifier is `null`, ε and the bound are
//! reduced fractions (`"8/1"`), the numbers in `bounds` and weights are texts with the shortest decimal digits that give the double
//! back, in scientific notation (`"1.7e1"`, `"-2.5e-3"`, and `"0e0"` for both zeros), and texts escape nothing but `"`
//! and `\`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use shoal_lattice::{Bounds, Category, Interval, STEPS};
use shoal_privacy::{Amount, Epsilon};

use crate::{BpgmForm, Design, DesignError, Ending, Mechanism, Sampler};

/// The version that is written and read.
const VERSION: u64 = 1;

/// The published form, with bounds as numbers, or the canonical one, with bounds as texts.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<N> {
    version: u64,
    #[serde(default)]
    identifier: Option<String>,
    mechanism: WrittenMechanism,
    epsilon: String,
    sampler: Sampler,
    columns: Vec<String>,
    bounds: Vec<[N; 2]>,
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    categories: Vec<WrittenCategory<N>>,
    steps: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCategory<N> {
    column: String,
    levels: Vec<String>,
    counts_gaps: bool,
    weight: N,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
enum WrittenMechanism {
    Bpm { radius_steps: u64 },
    Laplace {},
    LaplaceMetric {},
    NdLaplace { radius_steps: u64, ending: WrittenEnding },
    Bpgm { bound: String, form: BpgmForm },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum WrittenEnding {
    Raw,
    Clamped,
    Grid { cells: u32 },
}

/// Enough to see the version of a text whose other fields may be anything.
#[derive(Deserialize)]
struct AnyVersion {
    version: u64,
}

impl Design {
    /// The design as it is published, with its digest.
    pub fn to_json(&self) -> String {
        let written = Written { digest: Some(self.digest()), ..self.written(|x| x, shortest) };
        // Unwrap safety: texts and finite numbers under fixed names.
        serde_json::to_string_pretty(&written).unwrap()
    }

    /// Reads a published design and checks everything in it.
    ///
    /// # Errors
    /// When the text is not such JSON, is of another version, has fields that this version does not know, does not match
    /// its digest, or describes a design that [`Design::new`] refuses.
    pub fn from_json(text: &str) -> Result<Self, DesignError> {
        let unreadable = |why: String| DesignError::Json { why };
        let AnyVersion { version } = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if version != VERSION {
            return Err(DesignError::Version { found: version, known: VERSION });
        }
        let written: Written<f64> = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if written.steps != STEPS {
            let (given, advice) = (written.steps.to_string(), format!("this program rounds to {STEPS} steps"));
            return Err(DesignError::Parameter { what: "the number of lattice steps", given, advice });
        }
        let amount = |text: &str| text.parse::<Amount>().map_err(|error| unreadable(error.to_string()));
        let mechanism = match written.mechanism {
            WrittenMechanism::Bpm { radius_steps } => Mechanism::Bpm { radius_steps },
            WrittenMechanism::Laplace {} => Mechanism::Laplace,
            WrittenMechanism::LaplaceMetric {} => Mechanism::LaplaceMetric,
            WrittenMechanism::NdLaplace { radius_steps, ending } => {
                let ending = match ending {
                    WrittenEnding::Raw => Ending::Raw,
                    WrittenEnding::Clamped => Ending::Clamped,
                    WrittenEnding::Grid { cells } => Ending::Grid { cells },
                };
                Mechanism::NdLaplace { radius_steps, ending }
            }
            WrittenMechanism::Bpgm { bound, form } => Mechanism::Bpgm { bound: amount(&bound)?, form },
        };
        let intervals = written.bounds.iter().map(|&[lo, hi]| Interval::new(lo, hi)).collect::<Result<_, _>>()?;
        let category = |WrittenCategory { column, levels, counts_gaps, weight }: WrittenCategory<f64>| {
            let category = Category::new(column, levels)?.weighing(weight)?;
            if counts_gaps { category.counting_gaps() } else { Ok(category) }
        };
        let categories = written.categories.into_iter().map(category).collect::<Result<_, _>>()?;
        let bounds = Bounds::new(written.columns, intervals)?.with_categories(categories)?;
        let mut design =
            Self::new(mechanism, Epsilon::new(amount(&written.epsilon)?), bounds)?.with_sampler(written.sampler);
        if design.sampler() != written.sampler {
            let name = design.mechanism().name();
            return Err(unreadable(format!("{name} does not draw its noise with the sampler that it names")));
        }
        if let Some(identifier) = written.identifier {
            design = design.with_identifier(identifier)?;
        }
        match written.digest {
            Some(written) if written != design.digest() => {
                Err(DesignError::Digest { written: written.chars().take(64).collect(), computed: design.digest() })
            }
            _ => Ok(design),
        }
    }

    /// One line of JSON that is the same for equal designs, in every program that follows the description of this
    /// format: what the digest is computed from.
    pub fn canonical_form(&self) -> String {
        // Zero has two signs that make no difference to any report.
        let number = |x: f64| if x == 0.0 { "0e0".into() } else { format!("{x:e}") };
        // Unwrap safety: texts and whole numbers under fixed names.
        serde_json::to_string(&self.written::<String>(number, fraction)).unwrap()
    }

    /// The SHA-256 of the [canonical form](Self::canonical_form), in hexadecimal digits.
    pub fn digest(&self) -> String {
        Sha256::digest(self.canonical_form()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn written<N>(&self, number: impl Fn(f64) -> N, amount: impl Fn(&Amount) -> String) -> Written<N> {
        let bounds =
            self.bounds().intervals().iter().map(|bounds| [number(bounds.lo()), number(bounds.hi())]).collect();
        let category = |category: &Category| WrittenCategory {
            column: category.column().into(),
            levels: category.levels().to_vec(),
            counts_gaps: category.counts_gaps(),
            weight: number(category.weight()),
        };
        let mechanism = match self.mechanism() {
            Mechanism::Bpm { radius_steps } => WrittenMechanism::Bpm { radius_steps: *radius_steps },
            Mechanism::Laplace => WrittenMechanism::Laplace {},
            Mechanism::LaplaceMetric => WrittenMechanism::LaplaceMetric {},
            Mechanism::NdLaplace { radius_steps, ending } => {
                let ending = match ending {
                    Ending::Raw => WrittenEnding::Raw,
                    Ending::Clamped => WrittenEnding::Clamped,
                    Ending::Grid { cells } => WrittenEnding::Grid { cells: *cells },
                };
                WrittenMechanism::NdLaplace { radius_steps: *radius_steps, ending }
            }
            Mechanism::Bpgm { bound, form } => WrittenMechanism::Bpgm { bound: amount(bound), form: *form },
        };
        Written {
            version: VERSION,
            identifier: self.identifier().map(str::to_owned),
            mechanism,
            epsilon: amount(self.epsilon().amount()),
            sampler: self.sampler(),
            columns: self.bounds().columns().to_vec(),
            bounds,
            categories: self.categories().iter().map(category).collect(),
            steps: STEPS,
            digest: None,
        }
    }
}

/// The reduced fraction.
fn fraction(amount: &Amount) -> String {
    let exact = amount.as_rational();
    format!("{}/{}", exact.numerator(), exact.denominator())
}

/// A decimal number where that is exact, otherwise the fraction.
fn shortest(amount: &Amount) -> String {
    let decimal = amount.to_string();
    if decimal.parse().as_ref() == Ok(amount) { decimal } else { fraction(amount) }
}

impl Serialize for Design {
    /// As [`Design::to_json`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { digest: Some(self.digest()), ..self.written(|x| x, shortest) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Design {
    /// As [`Design::from_json`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = serde_json::Value::deserialize(deserializer)?.to_string();
        Self::from_json(&text).map_err(serde::de::Error::custom)
    }
}
