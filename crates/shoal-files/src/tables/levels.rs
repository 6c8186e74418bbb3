//! Which level a cell holds: the layer between readers, which deliver words, and the lattice, which knows numbers.
//!
//! A cell is looked up by itself, in a public list, so a row changes nothing but its own indicators. Blanks around a cell do
//! not count; upper and lower case do. A level of the list comes first, then the words for a missing value, and whatever is
//! left is *other*.

use std::collections::HashMap;

use shoal_lattice::Category;

use super::batch::Missing;
use super::cell::{is_missing_word, text_of};

/// A cell that is no level of the list.
pub(crate) const OTHER: f64 = -1.0;

/// The levels of a category, ready to be looked up.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    category: Category,
    codes: HashMap<Box<[u8]>, u32>,
}

impl Levels {
    pub(crate) fn new(category: &Category) -> Self {
        let code = |(code, level): (usize, &String)| (level.as_bytes().into(), code as u32);
        Self { category: category.clone(), codes: category.levels().iter().enumerate().map(code).collect() }
    }

    pub(crate) fn category(&self) -> &Category {
        &self.category
    }

    /// The place of a cell's level in the list, [`OTHER`], or NaN where the value is missing.
    #[inline]
    pub(crate) fn code(&self, cell: &[u8]) -> f64 {
        match self.codes.get(cell) {
            Some(&code) => f64::from(code),
            None => self.code_of_text(cell),
        }
    }

    /// The same for a cell as text; nothing is a missing value.
    pub(crate) fn code_of(&self, cell: Option<&str>) -> f64 {
        cell.map_or(f64::NAN, |cell| self.code(cell.as_bytes()))
    }

    #[cold]
    fn code_of_text(&self, cell: &[u8]) -> f64 {
        let text = text_of(cell);
        let mut text = text.trim();
        if let Some(inside) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            text = inside.trim();
        }
        match self.codes.get(text.as_bytes()) {
            Some(&code) => f64::from(code),
            None if is_missing_word(text) => f64::NAN,
            None => OTHER,
        }
    }

    /// Appends the indicators of some cells to as many columns: 1 in that of the cell's level, 0 in the others. What a missing
    /// value is follows from the rule: a level of its own, an *other* value where gaps take the middle, or NaN, to be settled
    /// with all other gaps.
    pub(crate) fn expand(&self, codes: &[f64], missing: Missing, columns: &mut [Vec<f64>]) {
        let gap = match missing {
            Missing::Category if self.category.counts_gaps() => self.category.levels().len() as f64,
            Missing::Category | Missing::Middle => OTHER,
            Missing::Refuse | Missing::Drop => f64::NAN,
        };
        for (level, column) in columns.iter_mut().enumerate() {
            let indicator = |&code: &f64| {
                let code = if code.is_nan() { gap } else { code };
                if code.is_nan() { f64::NAN } else { f64::from(u8::from(code == level as f64)) }
            };
            column.extend(codes.iter().map(indicator));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(of: &[&str]) -> Levels {
        Levels::new(&Category::new("x", of.iter().copied()).unwrap())
    }

    #[test]
    fn cells_find_their_level() {
        let levels = levels(&["F", "M", "NA", "Größe", "1"]);
        for (cell, code) in [
            (&b"F"[..], 0.0),
            (b" M ", 1.0),
            (b" \"M\" ", 1.0),
            (b"NA", 2.0),
            ("Größe".as_bytes(), 3.0),
            (b"Gr\xf6\xdfe", 3.0),
            (b"1", 4.0),
            (b"f", OTHER),
            (b"F M", OTHER),
            (b"1.0", OTHER),
        ] {
            assert_eq!(levels.code(cell), code, "{cell:?}");
        }
        for cell in [&b""[..], b"  ", b"?", b"null", b"n/a", b"-"] {
            assert!(levels.code(cell).is_nan(), "{cell:?}");
        }
        assert!(levels.code_of(None).is_nan());
    }

    #[test]
    fn at_most_one_indicator_is_set_whatever_a_cell_holds() {
        let plain = levels(&["a", "b"]);
        let with_gaps = Levels::new(&plain.category().clone().counting_gaps().unwrap());
        let codes = [0.0, 1.0, OTHER, f64::NAN];
        let rows = |levels: &Levels, missing: Missing| {
            let mut columns = vec![Vec::new(); levels.category().size()];
            levels.expand(&codes, missing, &mut columns);
            (0..codes.len()).map(|r| columns.iter().map(|c| c[r]).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let settled = rows(&plain, Missing::Middle);
        assert_eq!(settled, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]);
        assert_eq!(rows(&with_gaps, Missing::Category)[3], [0.0, 0.0, 1.0]);
        assert!(rows(&plain, Missing::Refuse)[3].iter().all(|x| x.is_nan()));
        for row in rows(&with_gaps, Missing::Category) {
            assert!(row.iter().sum::<f64>() <= 1.0);
        }
    }
}
