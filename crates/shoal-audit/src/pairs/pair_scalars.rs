//! Pairs of records for decomposed vertical partitions: a record is coded together with another one that is known.

use std::sync::Arc;

use shoal_consortium::codes_file::{About, CodesFile, CodesWriter, Kind};
use shoal_consortium::custodian::{PairsOf, encode_pairs};
use shoal_consortium::{Agreement, Partition, Promise};
use shoal_files::{ReadOptions, Silent, Source, Table};
use shoal_noise::{NoiseSource, SeededNoise};

use crate::runs::{RunFailure, Runs, Side};
use crate::{Allowed, Each, Pair};

/// Memory for reading a file of two codes.
const MEMORY: u64 = 1 << 20;

/// The codes of a pair of records of one attribute: one record is at the upper end, the other at the lower or the upper end.
pub fn scalars_of_pairs(agreement: &Agreement, promise: &Promise) -> Result<Pair, RunFailure> {
    let failure = |error: &dyn std::fmt::Display| RunFailure::Other(error.to_string());
    let Some(claim) = promise.guarantee.claim() else {
        return Err(RunFailure::Other("bits that are not flipped hide nothing".into()));
    };
    let range = agreement.terms().attributes()[0].range;
    let about = Arc::new(About {
        kind: Kind::Pairs,
        terms: agreement.terms().clone(),
        fingerprint: agreement.fingerprint(),
        promise: promise.clone().with_seeded_noise(),
        seeded: true,
        bridge: 0,
        id: None,
        paired_records: Some(2),
    });
    let side = |other: f64| -> Result<Box<dyn Side>, RunFailure> {
        let csv = format!("{}\n{}\n{other}\n", agreement.terms().attributes()[0].name, range.hi());
        let table = Table::open(Source::Memory(csv.into_bytes()), &ReadOptions::default()).map_err(|e| failure(&e))?;
        let records = PairsOf::read(&table, agreement.terms(), &Silent).map_err(|e| failure(&e))?;
        let (agreement, about) = (agreement.clone(), about.clone());
        Ok(Box::new(Each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
            let failure = |error: &dyn std::fmt::Display| RunFailure::Other(error.to_string());
            let mut bytes = Vec::new();
            let mut writer = CodesWriter::new(&mut bytes, &about).map_err(|e| failure(&e))?;
            let mut flips = SeededNoise::new(noise.next_u64());
            encode_pairs(&records, &agreement, &mut flips, &mut writer).map_err(|e| failure(&e))?;
            writer.finish().map_err(|e| failure(&e))?;
            let file = CodesFile::read(vec![Source::Memory(bytes)], MEMORY).map_err(|e| failure(&e))?;
            let bits = file.codes.as_words().iter().flat_map(|word| (0..64).map(move |i| word >> i & 1));
            // Each code has a word of its own, and most of it is not used: what never varies is not looked at.
            out.tell_all(bits.enumerate().filter(|(i, _)| i % 64 < 8).map(|(_, bit)| bit as f64));
            Ok(())
        })))
    };
    let words = "a known record at the upper end, paired with one at the upper or at the lower end";
    Ok(Pair::new(words, side(range.hi())?, side(range.lo())?, Allowed::of(&claim.loss, 1.0)))
}

/// What the codes of the pairs of two records claim.
pub fn promise_of_two(agreement: &Agreement) -> Result<Promise, RunFailure> {
    Promise::of_agreement(agreement, Partition::Pairs { records: 2 }, None)
        .map_err(|error| RunFailure::Other(error.to_string()))
}
