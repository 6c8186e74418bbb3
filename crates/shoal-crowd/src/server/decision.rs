//! What was decided while reports were clustered, as data: programs read the fields, people the sentence.
//!
//! In JSON a decision is an object with its `kind`, its numbers, and the sentence as `text`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shoal_lattice::Widths;

/// Something that was decided. Its `Display` is a sentence or two.
///
/// ```
/// use shoal_crowd::server::Decision;
///
/// let json = serde_json::to_value(Decision::DegreesOfFreedom { degrees: 4.25 })?;
/// assert_eq!((&json["kind"], &json["degrees"]), (&"degrees-of-freedom".into(), &4.25.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The number of clusters was chosen by the Bayesian information criterion.
    ChoseKByBic {
        /// The choice.
        k: usize,
        /// The criterion for 1, 2, … clusters, lower being better.
        criteria: Vec<f64>,
    },
    /// The noise has no known density, so k-means was used.
    NoDensity,
    /// How far records are from their centres.
    Scatter {
        /// Standard deviation of the records of each cluster, as a part of each column's range.
        widths: Vec<Widths>,
    },
    /// The shape of the fitted t distributions.
    DegreesOfFreedom {
        /// Their degrees of freedom.
        degrees: f64,
    },
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChoseKByBic { k, criteria } => {
                let mut sorted = criteria.clone();
                sorted.sort_by(f64::total_cmp);
                let lead = match sorted.as_slice() {
                    [best, next, ..] => format!(", {:.1} ahead of the next best", next - best),
                    _ => String::new(),
                };
                let tried: Vec<String> = criteria.iter().map(|bic| format!("{bic:.1}")).collect();
                write!(
                    f,
                    "{k} chosen as the number of clusters by the Bayesian information criterion (BIC{lead}). BIC for 1, 2, …, lower being better: {}.",
                    tried.join(", ")
                )
            }
            Self::NoDensity => f.write_str(
                "These reports have no known density (clamped, on a grid, or by bpgm), so they were clustered by k-means as if they were records. Raw reports by bpm or nd-laplace carry more information.",
            ),
            Self::Scatter { widths } => {
                // They come from a list in which each is a quarter more than the one before.
                let mut percents: Vec<String> = widths.iter().map(|width| format!("{:.0}", 100.0 * width.0)).collect();
                percents.dedup();
                match percents.as_slice() {
                    [one] if one == "0" => {
                        f.write_str("Records scatter about their centres by less than the noise lets anyone see.")
                    }
                    percents => {
                        let each = if percents.len() > 1 { " (cluster by cluster)" } else { "" };
                        let percents = percents.join(", ");
                        write!(f, "Records scatter about their centres by roughly {percents} % of each column's range{each}.")
                    }
                }
            }
            Self::DegreesOfFreedom { degrees } => write!(f, "Degrees of freedom of the t distributions: {degrees:.1}."),
        }
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Fields<'a>(&'a Decision);
        impl Serialize for Fields<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Decision::serialize(self.0, serializer)
            }
        }
        #[derive(Serialize)]
        struct WithText<'a> {
            #[serde(flatten)]
            fields: Fields<'a>,
            text: String,
        }
        WithText { fields: Fields(self), text: self.to_string() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_come_back_from_json_with_their_sentence() {
        for decision in [
            Decision::ChoseKByBic { k: 2, criteria: vec![10.5, 7.25, 8.0] },
            Decision::NoDensity,
            Decision::Scatter { widths: vec![Widths(0.1), Widths(0.125)] },
            Decision::DegreesOfFreedom { degrees: 4.25 },
        ] {
            let json = serde_json::to_value(&decision).unwrap();
            assert_eq!(json["text"], decision.to_string());
            assert!(decision.to_string().ends_with('.'));
            assert_eq!(serde_json::from_value::<Decision>(json).unwrap(), decision);
        }
        let chosen = Decision::ChoseKByBic { k: 2, criteria: vec![10.5, 7.25, 8.0] }.to_string();
        assert!(chosen.contains("(BIC, 0.8 ahead of the next best)"), "{chosen}");
        assert!(serde_json::from_str::<Decision>(r#"{"kind": "few-cells", "text": "Few."}"#).is_err());
    }
}
