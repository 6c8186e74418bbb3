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
    /// The number of clusters was chosen by the evidence.
    ChoseKByEvidence {
        /// The choice.
        k: usize,
        /// Logarithms of the evidence for 1, 2, … clusters, compared with one; higher is better.
        ln_evidence: Vec<f64>,
    },
    /// Centres were pooled over many clusterings that are about as likely, because the most likely one is no better than these.
    Pooled {
        /// Clusterings drawn from their posterior distribution.
        draws: usize,
    },
    /// The noise has no known density, so k-means was used.
    NoDensity,
    /// How far records are from their centres.
    Scatter {
        /// Standard deviation of the records of each cluster, as a part of each column's range.
        widths: Vec<Widths>,
    },
    /// How far records are from their centres, column by column.
    ScatterByColumn {
        /// Standard deviation of the records of every cluster, as a part of each column's range.
        widths: Vec<Widths>,
    },
    /// Reports were farther out than those of honest people are, all together, except with a probability of a millionth. They
    /// were moved back.
    MovedImplausible {
        /// How many.
        reports: usize,
        /// To so many ranges beyond the bounds of each column.
        beyond: Widths,
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
            Self::ChoseKByEvidence { k, ln_evidence } => {
                let tried: Vec<String> = ln_evidence.iter().map(|x| format!("{x:.1}")).collect();
                let tried = tried.join(", ");
                match k {
                    1 => write!(f, "No clusters show: the reports are explained as well by one cluster as by more.")?,
                    k => write!(f, "{k} chosen as the number of clusters by the evidence (the probability of the reports for each number).")?,
                }
                write!(f, " Logarithm of the evidence for 1, 2, …, compared with one cluster, higher being better: {tried}.")
            }
            Self::Pooled { draws } => write!(
                f,
                "Centres are pooled from {draws} clusterings that explain the reports about equally well: they cost least on average. The most likely one alone would follow the noise."
            ),
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
            Self::ScatterByColumn { widths } => {
                let percents: Vec<String> = widths.iter().map(|width| format!("{:.0}", 100.0 * width.0)).collect();
                if percents.iter().all(|percent| percent == "0") {
                    return f.write_str("Records are spread about their centres by less than the noise lets anyone see.");
                }
                let percents = percents.join(", ");
                write!(f, "Records are spread about their centres by roughly {percents} % of the range (standard deviation, column by column, the same for all clusters).")
            }
            Self::MovedImplausible { reports, beyond } => {
                let were = if *reports == 1 { "report was" } else { "reports were" };
                let beyond = beyond.0;
                write!(
                    f,
                    "{reports} {were} farther out than noise of this kind ever leads (except with a probability of one in a million): probably forged, and moved back to {beyond:.1} ranges beyond the bounds. Nothing stops forged reports that look like others."
                )
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
            Decision::ChoseKByEvidence { k: 1, ln_evidence: vec![0.0, -1.5] },
            Decision::ChoseKByEvidence { k: 2, ln_evidence: vec![0.0, 20.5] },
            Decision::NoDensity,
            Decision::Pooled { draws: 60 },
            Decision::ScatterByColumn { widths: vec![Widths(0.1), Widths(0.25)] },
            Decision::Scatter { widths: vec![Widths(0.1), Widths(0.125)] },
            Decision::DegreesOfFreedom { degrees: 4.25 },
            Decision::MovedImplausible { reports: 1, beyond: Widths(2.5) },
        ] {
            let json = serde_json::to_value(&decision).unwrap();
            assert_eq!(json["text"], decision.to_string());
            assert!(decision.to_string().ends_with('.'));
            assert_eq!(serde_json::from_value::<Decision>(json).unwrap(), decision);
        }
        let chosen = Decision::ChoseKByBic { k: 2, criteria: vec![10.5, 7.25, 8.0] }.to_string();
        assert!(chosen.contains("(BIC, 0.8 ahead of the next best)"), "{chosen}");
        let none = Decision::ChoseKByEvidence { k: 1, ln_evidence: vec![0.0, -1.5] }.to_string();
        assert!(none.starts_with("No clusters show") && none.contains("0.0, -1.5"), "{none}");
        assert!(serde_json::from_str::<Decision>(r#"{"kind": "few-cells", "text": "Few."}"#).is_err());
    }
}
