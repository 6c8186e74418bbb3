//! A column of a numpy array, read where it is: any type of number, any stride.

use std::ops::Range;

use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use shoal_files::Numbers;

/// The type of a column's numbers.
#[derive(Clone, Copy)]
enum Kind {
    F64,
    F32,
    I64,
    I32,
    I16,
    I8,
    U64,
    U32,
    U16,
    U8,
    Bool,
}

/// A one-dimensional array that stays where it is.
pub(crate) struct ArrayColumn {
    first: *const u8,
    /// Bytes from one number to the next; below zero in a view that runs backwards.
    stride: isize,
    rows: usize,
    kind: Kind,
    /// Keeps the numbers alive.
    _array: Py<PyUntypedArray>,
}

// SAFETY: the pointer is only read, and what it points to is kept alive by the array, whose reference count pyo3 changes
// under the interpreter's lock alone. Whoever writes to an array while it is being fitted gets numbers from before or after,
// as with any function that releases the lock.
unsafe impl Send for ArrayColumn {}
// SAFETY: as above.
unsafe impl Sync for ArrayColumn {}

impl ArrayColumn {
    /// A column of native numbers; nothing for other arrays.
    pub(crate) fn new(array: &Bound<'_, PyUntypedArray>) -> Option<Self> {
        let dtype = array.dtype();
        let kind = match (dtype.kind(), dtype.itemsize()) {
            _ if array.ndim() != 1 || dtype.is_native_byteorder() == Some(false) => return None,
            (b'f', 8) => Kind::F64,
            (b'f', 4) => Kind::F32,
            (b'i', 8) => Kind::I64,
            (b'i', 4) => Kind::I32,
            (b'i', 2) => Kind::I16,
            (b'i', 1) => Kind::I8,
            (b'u', 8) => Kind::U64,
            (b'u', 4) => Kind::U32,
            (b'u', 2) => Kind::U16,
            (b'u', 1) => Kind::U8,
            (b'b', 1) => Kind::Bool,
            _ => return None,
        };
        // SAFETY: the array object is alive, and its data pointer is valid as long as it is.
        let first = unsafe { (*array.as_array_ptr()).fields.data.cast::<u8>().cast_const() };
        let (stride, rows) = (array.strides()[0], array.shape()[0]);
        Some(Self { first, stride, rows, kind, _array: array.clone().unbind() })
    }

    fn at<T: Copy>(&self, row: usize) -> T {
        assert!(row < self.rows, "rows are counted by the array itself");
        // SAFETY: numpy says that `rows` numbers of this type are `stride` bytes apart from `first` on; they need not be
        // aligned.
        unsafe { self.first.offset(row as isize * self.stride).cast::<T>().read_unaligned() }
    }
}

impl Numbers for ArrayColumn {
    fn len(&self) -> usize {
        self.rows
    }

    fn append_to(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        match self.kind {
            Kind::F64 => out.extend(rows.map(|row| self.at::<f64>(row))),
            Kind::F32 => out.extend(rows.map(|row| f64::from(self.at::<f32>(row)))),
            Kind::I64 => out.extend(rows.map(|row| self.at::<i64>(row) as f64)),
            Kind::I32 => out.extend(rows.map(|row| f64::from(self.at::<i32>(row)))),
            Kind::I16 => out.extend(rows.map(|row| f64::from(self.at::<i16>(row)))),
            Kind::I8 => out.extend(rows.map(|row| f64::from(self.at::<i8>(row)))),
            Kind::U64 => out.extend(rows.map(|row| self.at::<u64>(row) as f64)),
            Kind::U32 => out.extend(rows.map(|row| f64::from(self.at::<u32>(row)))),
            Kind::U16 => out.extend(rows.map(|row| f64::from(self.at::<u16>(row)))),
            Kind::U8 => out.extend(rows.map(|row| f64::from(self.at::<u8>(row)))),
            Kind::Bool => out.extend(rows.map(|row| f64::from(u8::from(self.at::<u8>(row) != 0)))),
        }
    }

    fn exact(&self, row: usize) -> Option<String> {
        match self.kind {
            // Beyond 2^53 a float has lost digits that tell persons apart.
            Kind::I64 => Some(self.at::<i64>(row).to_string()),
            Kind::U64 => Some(self.at::<u64>(row).to_string()),
            _ => {
                let mut one = Vec::with_capacity(1);
                self.append_to(row..row + 1, &mut one);
                one.first().filter(|number| !number.is_nan()).map(f64::to_string)
            }
        }
    }
}
