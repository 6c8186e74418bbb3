//! A column of words in memory: each word once, and for every row which one it is.

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use shoal_files::{ArrowValues, Numbers};

/// The place of a word that is missing.
const GAP: u32 = u32::MAX;

/// A column that is a category. Sensitive: it holds values of records.
///
/// The library looks at the words ([`Numbers::exact`]), and only the hash by which a ledger knows a table looks at numbers:
/// there a fingerprint stands for each word.
#[derive(Default)]
pub(crate) struct Words {
    words: Vec<String>,
    places: Vec<u32>,
}

impl Words {
    /// Words and the place of each row's word among them, below zero where it is missing. Nothing for places without a word.
    pub(crate) fn new(words: Vec<String>, places: &[i64]) -> Option<Self> {
        let place = |&at: &i64| match u32::try_from(at) {
            Err(_) if at < 0 => Some(GAP),
            Ok(place) if (place as usize) < words.len() => Some(place),
            _ => None,
        };
        let places = places.iter().map(place).collect::<Option<_>>()?;
        Some(Self { words, places })
    }

    /// The words of an Arrow column; nothing for types that have none: dates, times, decimals, and whatever is nested.
    pub(crate) fn of_arrow(kind: &DataType, chunks: &[ArrayRef]) -> Option<Self> {
        let mut column = Gathered::default();
        for chunk in chunks {
            match kind {
                DataType::Utf8 => chunk.as_string::<i32>().iter().for_each(|word| column.push(word)),
                DataType::LargeUtf8 => chunk.as_string::<i64>().iter().for_each(|word| column.push(word)),
                DataType::Utf8View => chunk.as_string_view().iter().for_each(|word| column.push(word)),
                DataType::Boolean => {
                    let word = |yes: bool| if yes { "true" } else { "false" };
                    chunk.as_boolean().iter().for_each(|value| column.push(value.map(word)));
                }
                DataType::Float32 => {
                    let values = chunk.as_primitive::<Float32Type>();
                    values.iter().for_each(|x| column.push_number(x.filter(|x| !x.is_nan()).map(|x| x.to_string())));
                }
                DataType::Float64 => {
                    let values = chunk.as_primitive::<Float64Type>();
                    values.iter().for_each(|x| column.push_number(x.filter(|x| !x.is_nan()).map(|x| x.to_string())));
                }
                kind if kind.is_integer() => {
                    let values = ArrowValues::new(vec![chunk.clone()]);
                    (0..values.len()).for_each(|row| column.push_number(values.exact(row)));
                }
                DataType::Dictionary(_, of) => {
                    let dictionary = chunk.as_any_dictionary();
                    let words = Self::of_arrow(of, &[dictionary.values().clone()])?;
                    // Where a key is missing, the normalised one means nothing.
                    for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
                        column.push(if chunk.is_valid(row) { words.word(key) } else { None });
                    }
                }
                _ => return None,
            }
        }
        Some(column.found)
    }

    fn word(&self, row: usize) -> Option<&str> {
        let place = *self.places.get(row)?;
        self.words.get(place as usize).map(String::as_str)
    }
}

/// Words in the order in which they come.
#[derive(Default)]
struct Gathered {
    found: Words,
    known: HashMap<String, u32>,
}

impl Gathered {
    fn push(&mut self, word: Option<&str>) {
        let place = word.map_or(GAP, |word| match self.known.get(word) {
            Some(place) => *place,
            None => {
                let place = self.found.words.len() as u32;
                self.found.words.push(word.into());
                self.known.insert(word.into(), place);
                place
            }
        });
        self.found.places.push(place);
    }

    fn push_number(&mut self, number: Option<String>) {
        self.push(number.as_deref());
    }
}

/// A number that stands for a word where only its being the same or another one counts: FNV-1a, as far as a double is exact.
fn fingerprint(word: &str) -> f64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (word.bytes().fold(0xcbf2_9ce4_8422_2325, mix) >> 11) as f64
}

impl Numbers for Words {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn append_to(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        out.extend(rows.map(|row| self.word(row).map_or(f64::NAN, fingerprint)));
    }

    fn exact(&self, row: usize) -> Option<String> {
        self.word(row).map(Into::into)
    }
}
