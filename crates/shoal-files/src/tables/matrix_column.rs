//! Columns of numbers and of text in the caller's memory.

use std::ops::Range;

use super::kept::KeptKind;

/// Numbers of one column that are not in one slice: chunks of an Arrow column, a view that runs backwards, another type.
pub trait Numbers: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends those of some rows; NaN where there is none.
    fn append_to(&self, rows: Range<usize>, out: &mut Vec<f64>);

    /// The number of a row as text that no other number has; nothing where there is none.
    fn exact(&self, row: usize) -> Option<String>;
}

/// Numbers of one column. Sensitive: they are values of records.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Values<'a> {
    /// Numbers that whoever holds them reads. Strides and bitmaps are for the others.
    Read(&'a dyn Numbers),
    /// 64-bit floats. NaN and infinities are missing values.
    F64(&'a [f64]),
    /// 32-bit floats. NaN and infinities are missing values.
    F32(&'a [f32]),
    /// 64-bit integers; beyond 2^53 they are rounded to the nearest float, as everywhere.
    I64(&'a [i64]),
    /// 32-bit integers.
    I32(&'a [i32]),
    /// 16-bit integers.
    I16(&'a [i16]),
    /// 8-bit integers.
    I8(&'a [i8]),
    /// 64-bit integers without a sign.
    U64(&'a [u64]),
    /// 32-bit integers without a sign.
    U32(&'a [u32]),
    /// 16-bit integers without a sign.
    U16(&'a [u16]),
    /// 8-bit integers without a sign.
    U8(&'a [u8]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Read(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::I8(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }

    fn get(&self, at: usize) -> f64 {
        match self {
            Self::Read(values) => {
                let mut one = Vec::with_capacity(1);
                values.append_to(at..at + 1, &mut one);
                one.first().copied().unwrap_or(f64::NAN)
            }
            Self::F64(values) => values[at],
            Self::F32(values) => f64::from(values[at]),
            Self::I64(values) => values[at] as f64,
            Self::I32(values) => f64::from(values[at]),
            Self::I16(values) => f64::from(values[at]),
            Self::I8(values) => f64::from(values[at]),
            Self::U64(values) => values[at] as f64,
            Self::U32(values) => f64::from(values[at]),
            Self::U16(values) => f64::from(values[at]),
            Self::U8(values) => f64::from(values[at]),
        }
    }
}

/// One column: every `stride`-th number of a slice from `start` on, some of them possibly marked as missing.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    values: Values<'a>,
    start: usize,
    stride: usize,
    pub(super) validity: Option<(&'a [u8], usize)>,
}

impl<'a> Column<'a> {
    /// All numbers of a slice.
    pub fn new(values: Values<'a>) -> Self {
        Self { values, start: 0, stride: 1, validity: None }
    }

    /// Every `stride`-th number from `start` on, as a column of a row-major matrix or a view has them.
    #[must_use]
    pub fn strided(self, start: usize, stride: usize) -> Self {
        Self { start, stride: stride.max(1), ..self }
    }

    /// Marks missing values: bit `offset + row`, counted from the lowest bit of the first byte as in Arrow, is 1 where
    /// there is a value.
    #[must_use]
    pub fn with_validity(self, bitmap: &'a [u8], offset: usize) -> Self {
        Self { validity: Some((bitmap, offset)), ..self }
    }

    pub(super) fn rows(&self) -> usize {
        self.values.len().saturating_sub(self.start).div_ceil(self.stride)
    }

    /// Appends the values of some rows; NaN where there is none.
    pub(super) fn append_to(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        match self.values {
            Values::Read(values) => values.append_to(rows, out),
            _ => out.extend(rows.map(|row| self.value(row))),
        }
    }

    /// The value of a row as text that no other value has; nothing where there is no value.
    pub(super) fn exact(&self, row: usize) -> Option<String> {
        if let Values::Read(values) = self.values {
            return values.exact(row);
        }
        let value = self.value(row);
        if value.is_nan() {
            return None;
        }
        // Beyond 2^53 a float has lost digits that tell persons apart.
        Some(match self.values {
            Values::I64(values) => values[self.start + row * self.stride].to_string(),
            Values::U64(values) => values[self.start + row * self.stride].to_string(),
            _ => value.to_string(),
        })
    }

    /// The value of a row; NaN where there is none.
    pub(super) fn value(&self, row: usize) -> f64 {
        if let Some((bitmap, offset)) = self.validity {
            let bit = offset + row;
            if bitmap[bit / 8] >> (bit % 8) & 1 == 0 {
                return f64::NAN;
            }
        }
        self.values.get(self.start + row * self.stride)
    }
}

/// Text of one column, for naming persons or for categories. Sensitive: they are values of records.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Texts<'a> {
    /// Borrowed texts. An empty one is missing.
    Str(&'a [&'a str]),
    /// Owned texts. An empty one is missing.
    String(&'a [String]),
}

impl Texts<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Str(texts) => texts.len(),
            Self::String(texts) => texts.len(),
        }
    }

    pub(super) fn get(&self, row: usize) -> &str {
        match self {
            Self::Str(texts) => texts[row],
            Self::String(texts) => &texts[row],
        }
    }
}

/// A column that names persons, orders their rows, has labels, is a category, or is handed on.
#[derive(Clone, Copy)]
pub(super) enum Naming<'a> {
    Texts(Texts<'a>),
    Numbers(Column<'a>),
}

impl Naming<'_> {
    /// The cell of a row word for word; nothing where there is none.
    pub(super) fn text(&self, row: usize) -> Option<String> {
        match self {
            Self::Texts(texts) => Some(texts.get(row)).filter(|text| !text.is_empty()).map(Into::into),
            Self::Numbers(column) => column.exact(row),
        }
    }

    pub(super) fn kind(&self) -> KeptKind {
        match self {
            Self::Texts(_) => KeptKind::Text,
            Self::Numbers(Column { values: Values::F64(_) | Values::F32(_), .. }) => KeptKind::Number,
            Self::Numbers(Column { values: Values::U64(_), .. }) => KeptKind::Text,
            Self::Numbers(_) => KeptKind::Whole,
        }
    }
}
