//! Reading codes, which may come from anyone and anywhere.

use crate::codes_file::description::Description;
use crate::codes_file::error::CodesFileError;
use crate::codes_file::{CodesFile, FilePart, Kind, check, seal_row};
use crate::{Codes, Promise};
use shoal_files::sealed::{CODES, Described, Joined, Seal, SealedError, SealedParquet};
use shoal_files::{DataError, Source};

impl CodesFile {
    /// Reads files of one agreement and puts their codes together, in the order of the files, in at most this many bytes of
    /// memory.
    ///
    /// # Errors
    /// Whatever is not exactly what was written, files that were not made in the same way, copies, and too many codes.
    pub fn read(sources: Vec<Source>, memory: u64) -> Result<Self, CodesFileError> {
        let mut gathering = Gathering::default();
        for source in sources {
            let file = SealedParquet::open(source)?;
            gathering.check_memory(&file, memory)?;
            gathering.add(Part::read(file)?)?;
        }
        let Gathering { joined, parts, all, .. } = gathering;
        let (promise, codes) = all.ok_or(SealedError::NoFiles { kind: &CODES })?;
        let Description { kind, terms, fingerprint, seeded, .. } = joined.into_first()?;
        Ok(Self { kind, terms, fingerprint, promise, seeded, parts, codes })
    }
}

/// The codes of one file.
struct Part {
    described: Described<Description>,
    seal: Seal,
    promise: Promise,
    codes: Codes,
    ids: Option<Vec<String>>,
}

impl Part {
    fn read(file: SealedParquet<Description>) -> Result<Self, SealedError> {
        let Described { about, layout: columns, .. } = file.described();
        let (words, bytes) = (columns.words(), columns.bits().div_ceil(8) as usize);
        let mut codes = Codes::new(columns);
        let record_words = words * columns.dims();
        let all = codes.add_rows(file.rows()).map_err(|bytes| DataError::OutOfMemory { bytes })?;
        // A code ends within a byte or with one; what follows its last bit there was written as zero.
        let stray = !(u64::MAX >> ((64 - columns.bits() % 64) % 64));
        for (i, attribute) in columns.attributes().iter().enumerate() {
            let mut clean = true;
            file.fixed_bytes(&attribute.name, bytes, "a column of codes is missing", |row, value| {
                let at = row * record_words + i * words;
                let code = &mut all[at..at + words];
                for (word, eight) in code.iter_mut().zip(value.chunks(8)) {
                    let mut buffer = [0; 8];
                    buffer[..eight.len()].copy_from_slice(eight);
                    *word = u64::from_le_bytes(buffer);
                }
                clean &= code.last().is_none_or(|last| last & stray == 0);
            })?;
            if !clean {
                return Err(file.described().damaged("a code has bits beyond its last one"));
            }
        }
        let names = |id: &String| file.texts(id, "its column of names is missing");
        let ids = about.id.as_ref().map(names).transpose()?;
        let mut sealing = file.described().sealing();
        for row in 0..codes.rows() {
            let id = ids.as_ref().map(|ids| ids[row].as_str());
            seal_row(&mut sealing, id, codes.record(row), (words, bytes));
        }
        let (described, seal) = file.checked(sealing)?;
        check::rows(&described.about, seal.rows).map_err(|why| described.inconsistent(why))?;
        let promise = check::promise(&described.about).map_err(|why| described.inconsistent(why))?;
        Ok(Self { described, seal, promise, codes, ids })
    }
}

/// The files read so far, which are all made like the first.
#[derive(Default)]
struct Gathering {
    joined: Joined<Description>,
    parts: Vec<FilePart>,
    seals: Vec<Seal>,
    /// What all codes guarantee, and the codes.
    all: Option<(Promise, Codes)>,
}

impl Gathering {
    /// Refuses a file that would take too much memory together with those before it.
    fn check_memory(&self, file: &SealedParquet<Description>, memory: u64) -> Result<(), CodesFileError> {
        let columns = &file.described().layout;
        let held = self.all.as_ref().map_or(0, |(_, codes)| codes.as_words().len()) as u64;
        let words = (file.rows() as u64).saturating_mul((columns.words() * columns.dims()) as u64);
        let needed = words.saturating_add(held).saturating_mul(8);
        if needed <= memory {
            return Ok(());
        }
        let (name, megabytes) = (file.described().name.clone(), needed.div_ceil(1 << 20));
        Err(CodesFileError::TooLarge { name, needed, allowed: memory, megabytes })
    }

    fn add(&mut self, next: Part) -> Result<(), CodesFileError> {
        let Part { described, seal, promise, codes, ids } = next;
        let about = &described.about;
        let pairs = about.kind == Kind::Pairs;
        let part = FilePart {
            name: described.name.clone(),
            rows: codes.rows(),
            bridge: about.bridge as usize,
            said: about.guarantee.clone(),
            ids,
            paired_records: about.records,
        };
        self.joined.add(described)?;
        // Flips are drawn anew for every file, so equal seals are those of one file under two names.
        if let Some(copied) = self.seals.iter().position(|other| *other == seal) {
            return Err(CodesFileError::Copy { first: self.parts[copied].name.clone(), second: part.name });
        }
        self.all = Some(match self.all.take() {
            None => (promise, codes),
            Some(_) if pairs => {
                return Err(CodesFileError::SeveralPairs { first: self.parts[0].name.clone(), second: part.name });
            }
            Some((first, mut all)) => {
                // The conditions of all files count.
                let more = promise.guarantee.claim().map(|claim| claim.assumes.clone()).unwrap_or_default();
                all.extend(codes.as_words());
                (first.assuming(more), all)
            }
        });
        self.parts.push(part);
        self.seals.push(seal);
        Ok(())
    }
}
