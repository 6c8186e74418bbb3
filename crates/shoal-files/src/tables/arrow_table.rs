//! Arrow files (Feather): record batches, one at a time.
//!
//! The decoder is given blocks that lie inside the file and whose buffers unpack to no more than two gigabytes each, so a
//! damaged file ends in an error. Only the selected columns are decoded.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, SchemaRef, TimeUnit};
use std::sync::Arc;

use super::arrow_kept::append_kept;
use super::cell_date::{of_unix_days, of_unix_seconds};
use super::input::Input;
use super::kept::KeptKind;
use super::levels::Levels;
use super::select::Selection;
use crate::{Batch, DataError, Place};

pub(crate) const ARROW: [u8; 6] = *b"ARROW1";

/// The most bytes that a buffer may claim to unpack to.
const LARGEST_BUFFER: i64 = 2 << 30;

/// An Arrow file with its footer read and checked.
pub(crate) struct ArrowTable {
    input: Arc<Input>,
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    pub(crate) names: Vec<String>,
}

impl ArrowTable {
    pub(crate) fn open(input: Arc<Input>) -> Result<Self, DataError> {
        let length = input.len();
        let tail = length.checked_sub(10).and_then(|start| input.bytes(start, 10).ok());
        let Some(tail) = tail.filter(|tail| tail.ends_with(&ARROW)) else {
            return Err(DataError::Truncated { name: input.name().into(), format: "Arrow" });
        };
        let read = || {
            let tail: [u8; 10] = tail[..].try_into().map_err(|_| unsound())?;
            let size = read_footer_length(tail)?;
            let start = (length - 10).checked_sub(size as u64).ok_or_else(unsound)?;
            let bytes = input.bytes(start, size)?;
            let footer = root_as_footer(&bytes).map_err(|_| unsound())?;
            let schema = footer.schema().ok_or_else(unsound)?;
            if !schema.endianness().equals_to_target_endianness() {
                return Err(unsound());
            }
            let schema = Arc::new(fb_to_schema(schema));
            let inside = |block: &Block| {
                let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
                let [start, header, body] = parts.map(|part| u64::try_from(part).ok());
                let end = start?.checked_add(header?)?.checked_add(body?)?;
                (end <= length && header? >= 8).then_some(())
            };
            let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
            let batches: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
            dictionaries.iter().chain(&batches).try_for_each(inside).ok_or_else(unsound)?;
            Ok((schema, footer.version(), dictionaries, batches))
        };
        let (schema, version, dictionaries, batches) = guarded(&input, read)?;
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok(Self { input, schema, version, dictionaries, batches, names })
    }

    /// The type of a column in words, and whether it is one of numbers.
    pub(crate) fn declared(&self, column: usize) -> (String, bool) {
        declared(self.schema.field(column).data_type())
    }

    /// Refuses columns that cannot be read, before any row is.
    pub(crate) fn check(&self, selection: &Selection) -> Result<(), DataError> {
        let numeric = || {
            let pairs = self.names.iter().enumerate().filter(|(i, _)| self.declared(*i).1);
            pairs.map(|(_, name)| name.clone()).collect()
        };
        let refuse = |at: usize| {
            let (found, column) = (self.declared(at).0, self.names[at].clone());
            DataError::ColumnType { column, found, numeric: numeric() }
        };
        if let Some(&pick) = selection.picks.iter().find(|&&pick| !self.declared(pick).1) {
            return Err(refuse(pick));
        }
        let can_label = |kind: &DataType| match kind {
            DataType::Dictionary(_, values) => is_text(values),
            kind => is_text(kind) || is_numeric(kind),
        };
        if let Some(&at) = selection.words.iter().find(|&&at| !can_label(self.schema.field(at).data_type())) {
            let (found, column) = (self.declared(at).0, self.names[at].clone());
            return Err(DataError::CannotCategorise { column, found });
        }
        if let Some(&kept) = selection.kept.iter().find(|&&at| !can_label(self.schema.field(at).data_type())) {
            let (found, column) = (self.declared(kept).0, self.names[kept].clone());
            return Err(DataError::CannotKeep { column, found });
        }
        match selection.label.filter(|&label| !can_label(self.schema.field(label).data_type())) {
            Some(label) => Err(refuse(label)),
            None => Ok(()),
        }
    }

    /// What a column that is handed on holds.
    pub(crate) fn kept_kind(&self, column: usize) -> KeptKind {
        match self.schema.field(column).data_type() {
            DataType::UInt64 => KeptKind::Text,
            kind if kind.is_integer() => KeptKind::Whole,
            kind if kind.is_floating() => KeptKind::Number,
            _ => KeptKind::Text,
        }
    }

    /// Bytes that a pass holds: a batch, packed and unpacked.
    pub(crate) fn pass_memory(&self) -> usize {
        self.batches
            .iter()
            .map(|block| usize::try_from(block.bodyLength()).unwrap_or(0))
            .max()
            .unwrap_or(0)
            .saturating_mul(3)
    }

    /// Starts a pass from the first row.
    pub(crate) fn pass<'a>(&'a self, selection: &'a Selection) -> Result<ArrowPass<'a>, DataError> {
        let mut projection = selection.picks.clone();
        let mut place = |column: usize| {
            projection.iter().position(|&pick| pick == column).unwrap_or_else(|| {
                projection.push(column);
                projection.len() - 1
            })
        };
        let label = selection.label.map(&mut place);
        let kept = selection.kept.iter().map(|&at| place(at)).collect();
        let words = selection.words.iter().map(|&at| place(at)).collect();
        let levels = Arc::clone(&selection.levels);
        let wants_dictionary = |&at: &usize| matches!(self.schema.field(at).data_type(), DataType::Dictionary(..));
        let wanted = projection.iter().any(wants_dictionary);
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version).with_projection(projection);
        for block in self.dictionaries.iter().filter(|_| wanted) {
            let bytes = self.block(block)?;
            guarded(&self.input, || {
                check_buffers(&bytes, block)?;
                decoder.read_dictionary(block, &bytes)
            })?;
        }
        let dims = selection.picks.len();
        Ok(ArrowPass { table: self, decoder, label, kept, words, levels, dims, next: 0, batch: None, at: 0, row: 0 })
    }

    fn block(&self, block: &Block) -> Result<Buffer, DataError> {
        // Checked to be inside the file when it was opened.
        let length = block.metaDataLength() as usize + block.bodyLength() as usize;
        let bytes = self.input.bytes(block.offset() as u64, length).map_err(|error| self.input.failed(error))?;
        // A copy, because values have to be aligned in memory.
        Ok(Buffer::from(&bytes[..]))
    }
}

/// A type in words, and whether it is one of numbers.
pub(crate) fn declared(kind: &DataType) -> (String, bool) {
    let words = match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Dictionary(_, values) if is_text(values) => "categories".into(),
        DataType::Boolean => "boolean".into(),
        DataType::Date32 | DataType::Date64 => "date".into(),
        DataType::Timestamp(..) => "timestamp".into(),
        other => other.to_string().split(['(', '<', ' ']).next().unwrap_or("").to_lowercase(),
    };
    (words, is_numeric(kind))
}

/// Refuses buffers that claim to unpack to more than memory should hold: the decoder takes it at once.
fn check_buffers(bytes: &Buffer, block: &Block) -> Result<(), ArrowError> {
    let header = bytes.get(..block.metaDataLength() as usize).ok_or_else(unsound)?;
    // A mark and a length, or the length alone, come first.
    let start = if header.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = root_as_message(header.get(start..).ok_or_else(unsound)?).map_err(|_| unsound())?;
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()));
    let Some(batch) = batch else { return Ok(()) };
    let body = &bytes[block.metaDataLength() as usize..];
    for buffer in batch.buffers().iter().flatten() {
        let (offset, length) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()));
        let (Ok(offset), Ok(length)) = (offset, length) else { return Err(unsound()) };
        let part = offset.checked_add(length).and_then(|end| body.get(offset..end)).ok_or_else(unsound)?;
        if batch.compression().is_some() && !part.is_empty() {
            let claimed = part.first_chunk().map(|claimed| i64::from_le_bytes(*claimed)).ok_or_else(unsound)?;
            if !(-1..=LARGEST_BUFFER).contains(&claimed) {
                return Err(unsound());
            }
        }
    }
    Ok(())
}

pub(super) fn unsound() -> ArrowError {
    ArrowError::IpcError("the file contradicts itself".into())
}

/// Runs the decoder. Its reasons may hold parts of the table, so they are not passed on; should it panic, the file is damaged.
fn guarded<T>(input: &Input, decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, DataError> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(ArrowError::IoError(_, source))) if source.raw_os_error().is_some() => Err(input.failed(source)),
        Ok(Err(_)) | Err(_) => Err(DataError::Damaged { name: input.name().into(), format: "Arrow" }),
    }
}

/// One pass over the batches.
pub(crate) struct ArrowPass<'a> {
    table: &'a ArrowTable,
    decoder: FileDecoder,
    /// Where the label is among the decoded columns.
    label: Option<usize>,
    /// The same of columns that are handed on.
    kept: Vec<usize>,
    /// The same of categories.
    words: Vec<usize>,
    levels: Arc<[Levels]>,
    dims: usize,
    next: usize,
    batch: Option<RecordBatch>,
    /// Rows of the batch that were handed on.
    at: usize,
    row: u64,
}

impl ArrowPass<'_> {
    /// Appends up to `rows` rows to `out`, missing values as NaN. Returns how many were read; zero is the end.
    pub(crate) fn fill(&mut self, out: &mut Batch, rows: usize) -> Result<usize, DataError> {
        let batch = loop {
            if let Some(batch) = self.batch.take_if(|batch| self.at < batch.num_rows()) {
                break batch;
            }
            let Some(block) = self.table.batches.get(self.next) else { return Ok(0) };
            let bytes = self.table.block(block)?;
            self.batch = guarded(&self.table.input, || {
                check_buffers(&bytes, block)?;
                self.decoder.read_record_batch(block, &bytes)
            })?;
            (self.next, self.at) = (self.next + 1, 0);
        };
        let rows = rows.min(batch.num_rows() - self.at);
        let taken = batch.slice(self.at, rows);
        guarded(&self.table.input, || {
            for (column, out) in taken.columns().iter().zip(&mut out.columns).take(self.dims) {
                append_numbers(column, out)?;
            }
            if let (Some(label), Some(out)) = (self.label, &mut out.labels) {
                append_labels(taken.column(label), out)?;
            }
            for (place, &at) in self.kept.iter().enumerate() {
                append_kept(taken.column(at), &mut |cell| out.kept.push(place, cell))?;
            }
            for ((&at, levels), codes) in self.words.iter().zip(self.levels.iter()).zip(&mut out.codes) {
                append_kept(taken.column(at), &mut |cell| codes.push(levels.code_of(cell.as_deref())))?;
            }
            Ok(())
        })?;
        for _ in 0..rows {
            self.row += 1;
            out.places.push(Place { row: self.row, line: None });
        }
        self.at += rows;
        self.batch = Some(batch);
        Ok(rows)
    }
}

pub(super) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_numeric(kind: &DataType) -> bool {
    let time = matches!(kind, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) | DataType::Duration(_));
    let decimal = matches!(kind, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..));
    let clock = matches!(kind, DataType::Time32(_) | DataType::Time64(_));
    kind.is_integer() || kind.is_floating() || kind == &DataType::Boolean || time || decimal || clock
}

fn per_second(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    }
}

fn append<T: ArrowPrimitiveType>(column: &dyn Array, out: &mut Vec<f64>, number: impl Fn(T::Native) -> f64) {
    let values = column.as_primitive::<T>();
    if values.null_count() == 0 {
        out.extend(values.values().iter().map(|value| number(*value)));
    } else {
        out.extend(values.iter().map(|value| value.map_or(f64::NAN, &number)));
    }
}

pub(crate) fn append_numbers(column: &dyn Array, out: &mut Vec<f64>) -> Result<(), ArrowError> {
    let clock = |unit: &TimeUnit| per_second(*unit) * 3600.0;
    match column.data_type() {
        DataType::Boolean => {
            let number = |value: Option<bool>| value.map_or(f64::NAN, |value| f64::from(u8::from(value)));
            out.extend(column.as_boolean().iter().map(number));
        }
        DataType::Int8 => append::<Int8Type>(column, out, f64::from),
        DataType::Int16 => append::<Int16Type>(column, out, f64::from),
        DataType::Int32 => append::<Int32Type>(column, out, f64::from),
        DataType::Int64 => append::<Int64Type>(column, out, |x| x as f64),
        DataType::UInt8 => append::<UInt8Type>(column, out, f64::from),
        DataType::UInt16 => append::<UInt16Type>(column, out, f64::from),
        DataType::UInt32 => append::<UInt32Type>(column, out, f64::from),
        DataType::UInt64 => append::<UInt64Type>(column, out, |x| x as f64),
        DataType::Float16 => append::<Float16Type>(column, out, f64::from),
        DataType::Float32 => append::<Float32Type>(column, out, f64::from),
        DataType::Float64 => append::<Float64Type>(column, out, |x| x),
        DataType::Decimal32(_, scale) => append::<Decimal32Type>(column, out, |x| f64::from(x) / ten_to(*scale)),
        DataType::Decimal64(_, scale) => append::<Decimal64Type>(column, out, |x| x as f64 / ten_to(*scale)),
        DataType::Decimal128(_, scale) => append::<Decimal128Type>(column, out, |x| x as f64 / ten_to(*scale)),
        DataType::Date32 => append::<Date32Type>(column, out, |days| of_unix_days(f64::from(days), 0.0)),
        DataType::Date64 => append::<Date64Type>(column, out, |millis| of_unix_seconds(millis as f64 / 1e3)),
        DataType::Timestamp(unit, _) => {
            let date = |x: i64| of_unix_seconds(x as f64 / per_second(*unit));
            match unit {
                TimeUnit::Second => append::<TimestampSecondType>(column, out, date),
                TimeUnit::Millisecond => append::<TimestampMillisecondType>(column, out, date),
                TimeUnit::Microsecond => append::<TimestampMicrosecondType>(column, out, date),
                TimeUnit::Nanosecond => append::<TimestampNanosecondType>(column, out, date),
            }
        }
        DataType::Time32(unit @ TimeUnit::Second) => {
            append::<Time32SecondType>(column, out, |x| f64::from(x) / clock(unit))
        }
        DataType::Time32(unit) => append::<Time32MillisecondType>(column, out, |x| f64::from(x) / clock(unit)),
        DataType::Time64(unit @ TimeUnit::Microsecond) => {
            append::<Time64MicrosecondType>(column, out, |x| x as f64 / clock(unit));
        }
        DataType::Time64(unit) => append::<Time64NanosecondType>(column, out, |x| x as f64 / clock(unit)),
        DataType::Duration(unit) => {
            let hours = |x: i64| x as f64 / clock(unit);
            match unit {
                TimeUnit::Second => append::<DurationSecondType>(column, out, hours),
                TimeUnit::Millisecond => append::<DurationMillisecondType>(column, out, hours),
                TimeUnit::Microsecond => append::<DurationMicrosecondType>(column, out, hours),
                TimeUnit::Nanosecond => append::<DurationNanosecondType>(column, out, hours),
            }
        }
        _ => return Err(unsound()),
    }
    Ok(())
}

fn ten_to(scale: i8) -> f64 {
    10f64.powi(scale.into())
}

pub(crate) fn append_labels(column: &dyn Array, out: &mut Vec<String>) -> Result<(), ArrowError> {
    let text = |value: Option<&str>| value.unwrap_or_default().trim().to_string();
    match column.data_type() {
        DataType::Utf8 => out.extend(column.as_string::<i32>().iter().map(text)),
        DataType::LargeUtf8 => out.extend(column.as_string::<i64>().iter().map(text)),
        DataType::Utf8View => out.extend(column.as_string_view().iter().map(text)),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let mut levels = Vec::new();
            append_labels(dictionary.values(), &mut levels)?;
            // Where a key is missing, the normalised one means nothing.
            let keys = dictionary.normalized_keys();
            let level = |(row, key): (usize, &usize)| match column.is_valid(row) {
                true => levels.get(*key).cloned().unwrap_or_default(),
                false => String::new(),
            };
            out.extend(keys.iter().enumerate().map(level));
        }
        _ => {
            let mut numbers = Vec::new();
            append_numbers(column, &mut numbers)?;
            out.extend(numbers.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() }));
        }
    }
    Ok(())
}
