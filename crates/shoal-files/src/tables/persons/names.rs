//! Who the rows of a batch belong to, and when they were made. Sensitive: nothing here is ever shown or kept.

use super::moment::{self, MomentKind};

/// Words for a missing name, in lower case.
const NOTHING: [&str; 9] = ["na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "<na>"];

/// The persons of a batch's rows.
#[derive(Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    /// Where each row's name is; an empty place where it is missing.
    places: Vec<(u32, u32)>,
    /// Where the name begins that is being written.
    start: usize,
    missing: bool,
    /// Moments of the rows, where they have some.
    moments: Option<Vec<Option<i64>>>,
    kind: Option<MomentKind>,
}

/// Why a row belongs to nobody, or has no place among its person's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    Name,
    Moment,
}

/// A cell of an ordering column that is neither a date nor a number, or not what the others are.
pub(crate) struct NoMoment;

impl Names {
    pub(crate) fn new(ordered: bool) -> Self {
        Self { moments: ordered.then(Vec::new), ..Self::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
        (self.start, self.missing) = (0, false);
        self.moments.iter_mut().for_each(Vec::clear);
    }

    /// Adds the cell of one naming column to the name of the next row. Each is preceded by its length, so that no two lists of
    /// cells make the same name.
    pub(crate) fn push_part(&mut self, cell: &[u8]) {
        let mut cell = cell.trim_ascii();
        if let [b'"', inside @ .., b'"'] = cell {
            cell = inside.trim_ascii();
        }
        let nothing = |word: &&str| word.as_bytes().eq_ignore_ascii_case(cell);
        self.missing |= cell.is_empty() || NOTHING.iter().any(nothing);
        self.bytes.extend_from_slice(&(cell.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(cell);
    }

    /// Marks the name of the next row as missing.
    pub(crate) fn push_gap(&mut self) {
        self.missing = true;
    }

    /// Ends the name of a row.
    pub(crate) fn end_row(&mut self) {
        if self.missing {
            self.bytes.truncate(self.start);
        }
        self.places.push((self.start as u32, self.bytes.len() as u32));
        (self.start, self.missing) = (self.bytes.len(), false);
    }

    /// The moment of a row from text; empty text is none.
    pub(crate) fn push_moment_text(&mut self, cell: &[u8]) -> Result<(), NoMoment> {
        let text = std::str::from_utf8(cell).map_err(|_| NoMoment)?.trim().trim_matches('"').trim();
        if text.is_empty() || NOTHING.iter().any(|word| word.eq_ignore_ascii_case(text)) {
            self.push_moment(None);
            return Ok(());
        }
        let (kind, moment) = moment::parse(text).ok_or(NoMoment)?;
        if *self.kind.get_or_insert(kind) != kind {
            return Err(NoMoment);
        }
        self.push_moment(Some(moment));
        Ok(())
    }

    /// The moment of a row.
    pub(crate) fn push_moment(&mut self, moment: Option<i64>) {
        self.moments.iter_mut().for_each(|moments| moments.push(moment));
    }

    /// The person of a row. Sensitive.
    pub(crate) fn name(&self, row: usize) -> &[u8] {
        let (start, end) = self.places[row];
        &self.bytes[start as usize..end as usize]
    }

    /// When a row was made; the same for all rows where nothing orders them.
    pub(crate) fn moment(&self, row: usize) -> i64 {
        self.moments.as_ref().and_then(|moments| moments[row]).unwrap_or(0)
    }

    /// What a row lacks.
    pub(crate) fn gap(&self, row: usize) -> Option<Gap> {
        let (start, end) = self.places[row];
        if start == end {
            return Some(Gap::Name);
        }
        self.moments.as_ref().is_some_and(|moments| moments[row].is_none()).then_some(Gap::Moment)
    }

    /// Whether no row lacks anything.
    pub(crate) fn complete(&self) -> bool {
        (0..self.places.len()).all(|row| self.gap(row).is_none())
    }

    /// Moves row `row` to place `kept`, which is not after it.
    pub(crate) fn keep(&mut self, kept: usize, row: usize) {
        self.places[kept] = self.places[row];
        self.moments.iter_mut().for_each(|moments| moments[kept] = moments[row]);
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.places.truncate(rows);
        self.moments.iter_mut().for_each(|moments| moments.truncate(rows));
    }
}
