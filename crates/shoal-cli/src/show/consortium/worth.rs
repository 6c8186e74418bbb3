//! What codes buy, told beside what they promise.

use std::path::Path;

use serde_json::{Value, json};
use shoal_consortium::price::{blind_error, mean_absolute_error, mean_absolute_error_of_pairs};
use shoal_consortium::{Flips, Partition, Scale, Terms};

use crate::show::consortium::promised;
use shoal_page::text::shell_word as quoted;

/// With more attributes the simulation takes seconds; `shoal consortium price` is there for it.
const MOST_ATTRIBUTES: usize = 100;

/// How far distances decoded from codes are off on average, and how far without any codes.
pub struct Worth {
    error: f64,
    blind: f64,
    scale: Scale,
}

impl Worth {
    /// Nothing for codes without flips, which have no promise to weigh it against, and for many attributes.
    pub fn of(terms: &Terms, partition: Partition) -> Option<Self> {
        if *terms.flips() == Flips::None || terms.dims() > MOST_ATTRIBUTES {
            return None;
        }
        let error = match partition {
            Partition::Records => mean_absolute_error(terms, |i| terms.step(i)),
            Partition::Pairs { .. } => mean_absolute_error_of_pairs(terms).ok()?,
        };
        Some(Self { error, blind: blind_error(terms, |i| terms.step(i)), scale: terms.scale() })
    }

    /// For people.
    pub fn text(&self, agreement: &Path) -> String {
        let unit = match self.scale {
            Scale::Own => "",
            Scale::Range => " widths",
        };
        let perturb =
            if self.error >= self.blind { " `shoal perturb` may serve better at the same total;" } else { "" };
        let see = if perturb.is_empty() { " See" } else { " see" };
        format!(
            "Distances decoded from such codes are off by {}{unit} on average; answering the same for every pair is off by {}.{perturb}{see} `shoal consortium price --agreement {}`.",
            promised::short(self.error),
            promised::short(self.blind),
            quoted(&agreement.to_string_lossy())
        )
    }

    /// For programs.
    pub fn json(worth: Option<&Self>) -> Value {
        worth.map_or(Value::Null, |worth| json!({ "mean_absolute_error": worth.error, "blind_error": worth.blind }))
    }
}
