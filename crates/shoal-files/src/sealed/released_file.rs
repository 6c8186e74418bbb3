//! Files of released numbers, which are Parquet or text: their content shows which.

use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use crate::DataError;
use crate::Source;
use crate::sealed::released_parquet::ReleasedParquet;
use crate::tables::input::Input;
use crate::tables::parquet_table::ParquetTable;
use crate::tables::table::PARQUET;
use crate::tables::unpack::GZIP;

const BUFFER: usize = 1 << 16;

/// The longest line of a text file: more than a name for each of a hundred thousand columns needs.
const LONGEST_LINE: u64 = 16 << 20;

/// An opened file.
pub(crate) enum ReleasedFile {
    /// Parquet.
    Parquet(ReleasedParquet),
    /// Text, packed or not.
    Text(ReleasedText),
}

impl ReleasedFile {
    /// Opens a source; `stream_limit` is the most memory a stream may take.
    pub fn open(source: Source, stream_limit: u64) -> Result<Self, DataError> {
        let input = Arc::new(Input::open(source, stream_limit)?);
        let name = input.name().to_string();
        if input.len() == 0 {
            return Err(DataError::Empty { name });
        }
        let start = input.bytes(0, input.len().min(4) as usize).map_err(|error| input.failed(error))?;
        if *start == PARQUET {
            return Ok(Self::Parquet(ReleasedParquet::new(name, ParquetTable::open(input)?)));
        }
        let gzip = start.starts_with(&GZIP);
        let text: Box<dyn BufRead> = if gzip {
            let packed = BufReader::with_capacity(BUFFER, input.reader(0));
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(packed)))
        } else {
            Box::new(BufReader::with_capacity(BUFFER, input.reader(0)))
        };
        Ok(Self::Text(ReleasedText { name, gzip, text, line: 0 }))
    }
}

/// Text, line by line.
pub(crate) struct ReleasedText {
    name: String,
    gzip: bool,
    text: Box<dyn BufRead>,
    line: u64,
}

impl ReleasedText {
    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line read last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Replaces `line` by the next line without its end. False at the end of the text.
    pub fn next(&mut self, line: &mut Vec<u8>) -> Result<bool, DataError> {
        line.clear();
        self.line += 1;
        let read = (&mut self.text).take(LONGEST_LINE).read_until(b'\n', line).map_err(|error| self.failed(error))?;
        if read as u64 == LONGEST_LINE {
            return Err(self.damaged());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(read > 0)
    }

    fn damaged(&self) -> DataError {
        DataError::Damaged { name: self.name.clone(), format: if self.gzip { "gzip" } else { "CSV" } }
    }

    fn failed(&self, source: io::Error) -> DataError {
        match source.kind() {
            io::ErrorKind::UnexpectedEof if self.gzip => {
                DataError::Truncated { name: self.name.clone(), format: "gzip" }
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if self.gzip => self.damaged(),
            _ => DataError::Io { name: self.name.clone(), source },
        }
    }
}
