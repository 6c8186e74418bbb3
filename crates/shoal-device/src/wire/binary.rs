//! The binary form.

use shoal_lattice::Steps;

use super::{Day, DesignTag, Envelope, ReportId, VERSION, WireError, check_columns};

/// The first byte of a batch.
const MARK: u8 = 0x53;

/// The shortest report: identifier, day, one column.
const SHORTEST: usize = 18;

/// Writes reports: one batch for each run of reports of one design.
///
/// # Panics
/// When a report has no column or more than [`MOST_COLUMNS`](super::MOST_COLUMNS).
pub fn encode(reports: &[Envelope]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64 + 48 * reports.len());
    for batch in reports.chunk_by(|a, b| a.design == b.design && a.steps.len() == b.steps.len()) {
        let columns = batch[0].steps.len();
        assert!(check_columns(columns as u64).is_ok(), "a report of {columns} columns cannot be sent");
        bytes.extend([MARK, VERSION]);
        bytes.extend(batch[0].design.0);
        put(&mut bytes, columns as u64);
        put(&mut bytes, batch.len() as u64);
        for report in batch {
            bytes.extend(report.id.0);
            put(&mut bytes, u64::from(report.day.0));
            report.steps.iter().for_each(|&Steps(x)| put(&mut bytes, zigzag(x)));
        }
    }
    bytes
}

/// Reads a whole body of at most `most` reports.
///
/// # Errors
/// Whatever is not exactly what [`encode`] writes, and more reports than `most`.
pub fn decode(bytes: &[u8], most: usize) -> Result<Vec<Envelope>, WireError> {
    let mut reader = Reader::new(bytes);
    let (mut reports, mut steps) = (Vec::new(), Vec::new());
    while let Some(Head { design, id, day }) = reader.read(&mut steps)? {
        if reports.len() == most {
            return Err(WireError::TooMany { most });
        }
        reports.push(Envelope { design, id, day, steps: Steps::list(&steps) });
    }
    if reports.is_empty() { Err(WireError::Empty) } else { Ok(reports) }
}

/// A report without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The short form of the digest of its design.
    pub design: DesignTag,
    /// Its random name.
    pub id: ReportId,
    /// The day on which it was made.
    pub day: Day,
}

/// Reads one report after the other without memory for each: for servers.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    design: DesignTag,
    columns: usize,
    /// Reports of the batch that are still to come.
    left: u64,
}

impl<'a> Reader<'a> {
    /// A reader of a body.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, design: DesignTag([0; 8]), columns: 0, left: 0 }
    }

    /// The next report, its values in `steps`; nothing at the end of the body.
    ///
    /// # Errors
    /// Whatever is not exactly what [`encode`] writes.
    pub fn read(&mut self, steps: &mut Vec<i64>) -> Result<Option<Head>, WireError> {
        steps.clear();
        if self.left == 0 {
            if self.at == self.bytes.len() {
                return Ok(None);
            }
            self.begin()?;
        }
        let id = ReportId(self.take()?);
        let at = self.at;
        let day = Day(u32::try_from(self.number()?).map_err(|_| WireError::Number { at })?);
        for _ in 0..self.columns {
            steps.push(unzigzag(self.number()?));
        }
        self.left -= 1;
        Ok(Some(Head { design: self.design, id, day }))
    }

    /// The beginning of a batch.
    fn begin(&mut self) -> Result<(), WireError> {
        let at = self.at;
        let [mark] = self.take()?;
        if mark != MARK {
            return Err(WireError::NotABatch { at });
        }
        let [version] = self.take()?;
        if version != VERSION {
            return Err(WireError::Version { found: version.into() });
        }
        self.design = DesignTag(self.take()?);
        self.columns = check_columns(self.number()?)?;
        let at = self.at;
        self.left = match self.number()? {
            0 => return Err(WireError::Number { at }),
            count => count,
        };
        // A count that the rest of the body cannot hold is found here rather than after all the work.
        if self.left > ((self.bytes.len() - self.at) / (SHORTEST - 1 + self.columns)) as u64 {
            return Err(WireError::Truncated { at: self.bytes.len() });
        }
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let taken = self.bytes[self.at..].first_chunk().ok_or(WireError::Truncated { at: self.bytes.len() })?;
        self.at += N;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<u64, WireError> {
        let begin = self.at;
        let mut number = 0;
        for place in 0..10 {
            let [byte] = self.take()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte holds the last bit of 64; a last byte of nothing could have been left out.
            if (place == 9 && bits > 1) || (byte == 0 && place > 0) {
                return Err(WireError::Number { at: begin });
            }
            number |= bits << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(WireError::Number { at: begin })
    }
}

/// Writes values of reports, zig-zag and one after the other, without anything about which report they are of: for stores.
pub fn put_steps(bytes: &mut Vec<u8>, steps: &[i64]) {
    steps.iter().for_each(|&x| put(bytes, zigzag(x)));
}

/// Reads what [`put_steps`] wrote and adds it to `steps`.
///
/// # Errors
/// Bytes that end in the middle of a value, and values that are not in their shortest form.
pub fn take_steps(bytes: &[u8], steps: &mut Vec<i64>) -> Result<(), WireError> {
    let mut reader = Reader::new(bytes);
    while reader.at < bytes.len() {
        steps.push(unzigzag(reader.number()?));
    }
    Ok(())
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn zigzag(x: i64) -> u64 {
    (x << 1 ^ x >> 63) as u64
}

fn unzigzag(x: u64) -> i64 {
    (x >> 1) as i64 ^ -((x & 1) as i64)
}
