//! Which columns of a table are used.

use std::sync::Arc;

use shoal_lattice::Category;

use super::levels::Levels;
use crate::{ColumnRef, DataError};

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Names of the columns to use, in this order; all (but the label) when none are named.
    pub columns: Option<Vec<String>>,
    /// A column read as text beside the numbers, for comparing a clustering with known groups.
    pub label: Option<String>,
    /// Columns that together name the person a row belongs to; they are read as text and used for nothing else. None where
    /// rows are not grouped.
    pub person: Vec<String>,
    /// A column of dates or numbers by which the rows of a person are ordered.
    pub order: Option<String>,
    /// Columns that are handed on word for word beside the numbers; each may be among `columns`, too.
    pub kept: Vec<String>,
    /// Columns of words with public levels. Their indicators come after the columns of numbers; they may be named in `columns`
    /// or not.
    pub categories: Vec<Category>,
    /// What to do with missing values.
    pub missing: super::Missing,
    /// With [`Missing::Drop`](super::Missing::Drop), rows that lack a value are handed on with NaN in its place, for whoever
    /// needs all rows in their order.
    pub hand_on_gaps: bool,
    /// The first row of a CSV is a record and the columns are called c1, c2, and so on.
    pub no_header: bool,
    /// Quoted cells of a CSV may span lines. Otherwise a record that does is refused: usually a quote was not closed, and the
    /// rows after it would be taken for a part of its cell.
    pub multiline: bool,
    /// A table without rows, or without rows that have all values, is read like any other. Otherwise it is refused.
    pub allow_empty: bool,
    /// The most bytes that a source which cannot be read twice may hold in memory; one that is longer goes to a temporary
    /// file.
    pub stream_limit: u64,
    /// How the table is written, where that has to be declared.
    pub format: super::TableFormat,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            columns: None,
            label: None,
            person: Vec::new(),
            order: None,
            kept: Vec::new(),
            categories: Vec::new(),
            missing: super::Missing::Refuse,
            hand_on_gaps: false,
            no_header: false,
            multiline: false,
            allow_empty: false,
            stream_limit: 1 << 30,
            format: super::TableFormat::default(),
        }
    }
}

impl ReadOptions {
    /// How messages refer to the column at `place`, which is called `name` in a table whose names can be trusted or not.
    pub(crate) fn column(&self, place: usize, name: &str, trusted: bool) -> ColumnRef {
        let asked_for = || {
            self.columns
                .iter()
                .flatten()
                .chain(&self.label)
                .chain(&self.person)
                .chain(&self.order)
                .chain(&self.kept)
                .map(String::as_str)
                .chain(self.categories.iter().map(Category::column))
                .any(|asked| asked == name)
        };
        if trusted || asked_for() { ColumnRef::name(name) } else { ColumnRef::Number(place + 1) }
    }
}

/// Positions of the columns in use.
pub(crate) struct Selection {
    pub(crate) picks: Vec<usize>,
    pub(crate) label: Option<usize>,
    pub(crate) person: Vec<usize>,
    pub(crate) order: Option<usize>,
    pub(crate) kept: Vec<usize>,
    /// Columns of words, and their levels.
    pub(crate) words: Vec<usize>,
    pub(crate) levels: Arc<[Levels]>,
}

impl Selection {
    /// Every column that is read.
    pub(crate) fn all(&self) -> impl Iterator<Item = &usize> {
        self.picks.iter().chain(&self.label).chain(&self.person).chain(&self.order).chain(&self.kept).chain(&self.words)
    }

    /// Finds the columns. Names that may be the cells of a record, because the table may have no header, are `trusted` with
    /// nothing: messages do not repeat them.
    pub(crate) fn new(known: &[String], trusted: bool, options: &ReadOptions) -> Result<Self, DataError> {
        let find = |name: &str| find(name, known, trusted);
        let label = options.label.as_deref().map(find).transpose()?;
        let person = options.person.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
        let order = options.order.as_deref().map(find).transpose()?;
        if let Some((_, name)) = options.kept.iter().enumerate().find(|(i, name)| options.kept[..*i].contains(name)) {
            return Err(DataError::SelectedTwice { name: name.clone() });
        }
        let kept = options.kept.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
        let words = options.categories.iter().map(|it| find(it.column())).collect::<Result<Vec<_>, _>>()?;
        if let Some(category) =
            options.categories.iter().find(|it| options.person.iter().any(|name| name == it.column()))
        {
            return Err(DataError::PersonSelected { name: category.column().into() });
        }
        let twice =
            |(i, it): &(usize, &Category)| options.categories[..*i].iter().any(|other| other.column() == it.column());
        if let Some((_, category)) = options.categories.iter().enumerate().find(twice) {
            return Err(DataError::SelectedTwice { name: category.column().into() });
        }
        let levels = options.categories.iter().map(Levels::new).collect();
        let is_category = |name: &String| options.categories.iter().any(|category| category.column() == name);
        let picks = match &options.columns {
            Some(wanted) => {
                if let Some((_, name)) = wanted.iter().enumerate().find(|(i, name)| wanted[..*i].contains(name)) {
                    return Err(DataError::SelectedTwice { name: name.clone() });
                }
                if let Some(name) = wanted.iter().find(|name| options.person.contains(name)) {
                    return Err(DataError::PersonSelected { name: name.clone() });
                }
                let numbers = wanted.iter().filter(|name| !is_category(name));
                numbers.map(|name| find(name)).collect::<Result<Vec<_>, _>>()?
            }
            None => {
                let mut seen = std::collections::HashSet::new();
                let rest: Vec<usize> = (0..known.len())
                    .filter(|&i| Some(i) != label && Some(i) != order && !person.contains(&i) && !words.contains(&i))
                    .collect();
                if let Some(&twice) = rest.iter().find(|&&i| !seen.insert(&known[i])) {
                    return Err(DataError::DuplicateName { column: options.column(twice, &known[twice], trusted) });
                }
                rest
            }
        };
        if picks.is_empty() && words.is_empty() {
            return Err(DataError::NoColumns);
        }
        Ok(Self { picks, label, person, order, kept, words, levels })
    }
}

fn find(wanted: &str, known: &[String], trusted: bool) -> Result<usize, DataError> {
    let mut places = known.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(i, _)| i);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(DataError::DuplicateName { column: ColumnRef::name(wanted) }),
        (None, _) if !trusted => Err(DataError::UnclearHeader { wanted: wanted.to_string() }),
        (None, _) => Err(DataError::UnknownColumn { wanted: wanted.to_string(), columns: known.to_vec() }),
    }
}
