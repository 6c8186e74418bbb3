//! Which columns of a table are used.

use crate::DataError;

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Names of the columns to use, in this order; all (but the label) when none are named.
    pub columns: Option<Vec<String>>,
    /// A column read as text beside the numbers, for comparing a clustering with known groups.
    pub label: Option<String>,
    /// What to do with missing values.
    pub missing: super::Missing,
    /// The first row of a CSV is a record and the columns are called c1, c2, and so on.
    pub no_header: bool,
    /// The most bytes a source that cannot be read twice may hold in memory.
    pub stream_limit: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { columns: None, label: None, missing: super::Missing::Refuse, no_header: false, stream_limit: 1 << 30 }
    }
}

/// Positions of the columns in use.
pub(crate) struct Selection {
    pub(crate) picks: Vec<usize>,
    pub(crate) label: Option<usize>,
}

impl Selection {
    pub(crate) fn new(known: &[String], options: &ReadOptions) -> Result<Self, DataError> {
        let label = options.label.as_deref().map(|name| find(name, known)).transpose()?;
        let picks = match &options.columns {
            Some(wanted) => {
                if let Some((_, name)) = wanted.iter().enumerate().find(|(i, name)| wanted[..*i].contains(name)) {
                    return Err(DataError::SelectedTwice { name: name.clone() });
                }
                wanted.iter().map(|name| find(name, known)).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let mut seen = std::collections::HashSet::new();
                let rest: Vec<usize> = (0..known.len()).filter(|&i| Some(i) != label).collect();
                if let Some(&twice) = rest.iter().find(|&&i| !seen.insert(&known[i])) {
                    return Err(DataError::DuplicateName { name: known[twice].clone() });
                }
                rest
            }
        };
        if picks.is_empty() { Err(DataError::NoColumns) } else { Ok(Self { picks, label }) }
    }
}

fn find(wanted: &str, known: &[String]) -> Result<usize, DataError> {
    let mut places = known.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(i, _)| i);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(DataError::DuplicateName { name: wanted.to_string() }),
        (None, _) => Err(DataError::UnknownColumn { wanted: wanted.to_string(), columns: known.to_vec() }),
    }
}
