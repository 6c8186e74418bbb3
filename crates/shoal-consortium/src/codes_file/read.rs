//! Reading codes, which may come from anyone and anywhere.

use crate::Codes;
use crate::Promise;
use crate::codes_file::check;
use crate::codes_file::description::Description;
use crate::codes_file::error::CodesFileError;
use crate::codes_file::mixed::difference;
use crate::codes_file::seal::Sealing;
use crate::codes_file::{CodesFile, FilePart, KEY, Kind, SEAL_KEY};
use shoal_files::Seal;
use shoal_files::{DataError, ReleasedFile, ReleasedParquet, Source, VersionedFault};

/// The most bytes of a stream, which has to be held in memory.
const STREAM_LIMIT: u64 = 4 << 30;

impl CodesFile {
    /// Reads files of one agreement and puts their codes together, in the order of the files, in at most so many bytes of
    /// memory. Refuses whatever is not exactly what was written, and files that were not made in the same way.
    pub fn read(sources: Vec<Source>, memory: u64) -> Result<Self, CodesFileError> {
        let mut gathering: Option<Gathering> = None;
        for source in sources {
            let file = match ReleasedFile::open(source, STREAM_LIMIT)? {
                ReleasedFile::Parquet(file) => file,
                ReleasedFile::Text(text) => {
                    let why = "it is text or of some other format, and codes come as Parquet";
                    return Err(CodesFileError::NotCodes { name: text.name().into(), why });
                }
            };
            gathering = Some(add(gathering, &file, memory)?);
        }
        let Gathering { about, promise, parts, codes, .. } = gathering.ok_or(CodesFileError::NoFiles)?;
        let Description { kind, terms, fingerprint, seeded, .. } = about;
        Ok(Self { kind, terms, fingerprint, promise, seeded, parts, codes })
    }
}

/// The files read so far, of which the first says what all are.
struct Gathering {
    about: Description,
    promise: Promise,
    parts: Vec<FilePart>,
    seals: Vec<Seal>,
    codes: Codes,
}

fn add(before: Option<Gathering>, file: &ReleasedParquet, memory: u64) -> Result<Gathering, CodesFileError> {
    let name = || file.name().to_string();
    let damaged = |why: &str| CodesFileError::Damaged { name: name(), why: why.into() };
    let inconsistent = |why: String| CodesFileError::Inconsistent { name: name(), why };
    let Some(text) = file.described(KEY) else { return Err(foreign(file)) };
    let about = Description::parse(text).map_err(|fault| match fault {
        VersionedFault::Version(found) => CodesFileError::Version { name: name(), found },
        VersionedFault::Damaged(why) => CodesFileError::Damaged { name: name(), why },
    })?;
    let columns = check::shape(&about).map_err(inconsistent)?;
    let seal = file.described(SEAL_KEY).ok_or_else(|| damaged("it has no seal"))?;
    let seal: Seal = serde_json::from_str(seal).map_err(|_| damaged("its seal cannot be read"))?;
    if seal.rows != file.rows() as u64 {
        return Err(damaged("it has not as many rows as were written"));
    }
    if seal.rows == 0 {
        return Err(CodesFileError::Empty { name: name() });
    }
    let bytes = columns.bits().div_ceil(8) as usize;
    let record_words = columns.words() * columns.dims();
    let held = before.as_ref().map_or(0, |before| before.codes.as_words().len()) as u64;
    let needed = seal.rows.saturating_mul(record_words as u64).saturating_add(held).saturating_mul(8);
    if needed > memory {
        let megabytes = needed.div_ceil(1 << 20);
        return Err(CodesFileError::TooLarge { name: name(), needed, allowed: memory, megabytes });
    }

    let mut codes = Codes::new(&columns);
    let words = codes.add_rows(file.rows()).map_err(|bytes| DataError::OutOfMemory { bytes })?;
    // A code ends within a byte or with one; what follows its last bit there was written as zero.
    let stray = !(u64::MAX >> ((64 - columns.bits() % 64) % 64));
    for (i, attribute) in columns.attributes().iter().enumerate() {
        let mut clean = true;
        let found = file.fixed_bytes(&attribute.name, bytes, |row, value| {
            let at = row * record_words + i * columns.words();
            let code = &mut words[at..at + columns.words()];
            for (word, eight) in code.iter_mut().zip(value.chunks(8)) {
                let mut buffer = [0; 8];
                buffer[..eight.len()].copy_from_slice(eight);
                *word = u64::from_le_bytes(buffer);
            }
            clean &= code.last().is_none_or(|last| last & stray == 0);
        })?;
        if !found {
            return Err(damaged("a column of codes is missing"));
        }
        if !clean {
            return Err(damaged("a code has bits beyond its last one"));
        }
    }
    let ids = match &about.id {
        Some(id) => Some(file.texts(id)?.ok_or_else(|| damaged("its column of names is missing"))?),
        None => None,
    };
    let mut sealing = Sealing::new(text, columns.words(), bytes);
    for row in 0..codes.rows() {
        sealing.add(ids.as_ref().map(|ids| ids[row].as_str()), codes.record(row));
    }
    if sealing.finish() != seal {
        return Err(damaged("its checksum does not fit"));
    }
    check::rows(&about, seal.rows).map_err(inconsistent)?;
    let promise = check::promise(&about).map_err(inconsistent)?;
    let part = FilePart {
        name: name(),
        rows: codes.rows(),
        bridge: about.bridge as usize,
        said: about.guarantee.clone(),
        ids,
        paired_records: about.records,
    };
    match before {
        None => Ok(Gathering { about, promise, parts: vec![part], seals: vec![seal], codes }),
        Some(before) => before.join(about, promise, (part, seal), &codes),
    }
}

impl Gathering {
    fn join(
        mut self,
        about: Description,
        promise: Promise,
        (part, seal): (FilePart, Seal),
        codes: &Codes,
    ) -> Result<Self, CodesFileError> {
        let first = || self.parts[0].name.clone();
        if let Some((one, other, advice)) = difference(&self.about, &about) {
            return Err(CodesFileError::Mixed { first: first(), second: part.name, one, other, advice });
        }
        // Flips are drawn anew for every file, so equal seals are those of one file under two names.
        if let Some(copied) = self.seals.iter().position(|other| *other == seal) {
            return Err(CodesFileError::Copy { first: self.parts[copied].name.clone(), second: part.name });
        }
        if about.kind == Kind::Pairs {
            return Err(CodesFileError::SeveralPairs { first: first(), second: part.name });
        }
        // On other conditions, perhaps: those of all files then count.
        let more = promise.guarantee.claim().map(|claim| claim.assumes.clone()).unwrap_or_default();
        self.promise = self.promise.assuming(more);
        self.codes.extend(codes.as_words());
        self.parts.push(part);
        self.seals.push(seal);
        Ok(self)
    }
}

/// What else a Parquet file may be.
fn foreign(file: &ReleasedParquet) -> CodesFileError {
    let why = if file.described(shoal_files::REPORTS_KEY).is_some() {
        "it holds reports of a crowd, for `shoal cluster`"
    } else if file.described(shoal_files::SYNOPSIS_KEY).is_some() {
        "it holds noisy cells, for `shoal cluster`"
    } else {
        "it is a Parquet file of something else"
    };
    CodesFileError::NotCodes { name: file.name().into(), why }
}
