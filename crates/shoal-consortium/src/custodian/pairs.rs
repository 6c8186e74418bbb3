//! Decomposed vertical partitions (eqs 21–23): a custodian who has some attributes of the same people codes each *pair* of
//! records as two scalars, Σ(p²+q²) and Σ2pq, whose distance is the squared distance of the pair in these attributes.
//!
//! *Privacy*: every record is in n − 1 pairs, two codes each, and all of them add up; [`Partition::Pairs`] has the price.
//! *Runtime*: n(n−1)/2 rows of 2·d·s bits.
//! *Deviations*: attributes are counted from the lower end of their range, in the unit of the agreement, so that both
//! scalars lie in [0, M] of [`Terms::decomposed`]; the difference of records is the same.
//!
//! [`Partition::Pairs`]: crate::Partition::Pairs

use shoal_noise::NoiseSource;
use shoal_privacy::{MethodInfo, Parameter, Sensitive};
use std::io::Write;

use crate::Agreement;
use crate::catalogue::ENCODING;
use crate::codes_file::write::CodesWriter;
use crate::codes_file::{Kind, columns_of};
use crate::custodian::dpbv::Dpbv;
use crate::custodian::encode::{Coder, EncodeError, Encoded, bounds};
use crate::pair_scalars::pair_scalars;
use crate::{Terms, TermsError};
use shoal_files::{LatticeRows, Progress, Rows};
use shoal_lattice::{STEPS, Steps};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "dpbv-pairs",
    guarantee: "ε for each bit that can differ in the codes of all pairs that a record is in, exact; the published promise does not hold",
    summary: "two scalars for each pair of records, coded as by dpbv, for vertical partitions",
    options: &["pairs"],
    ..ENCODING
};

/// The most records of which pairs are made: about 200 million pairs.
pub const MOST_PAIRED_RECORDS: u64 = 20_000;

/// Rows read from a table at a time.
const READ_ROWS: usize = 4096;

/// All records of a table, to be taken in pairs. Sensitive.
pub struct PairsOf {
    /// Attributes, counted from the lower ends of their ranges in the unit of combined distances, record by record.
    values: Vec<f64>,
    dims: usize,
    clamped: u64,
    dropped: u64,
}

impl PairsOf {
    /// Reads a table whose columns are the attributes of the terms.
    ///
    /// # Errors
    /// A table that cannot be read, or has fewer than two rows or more than [`MOST_PAIRED_RECORDS`].
    pub fn read(table: &dyn Rows, terms: &Terms, progress: &dyn Progress) -> Result<Self, EncodeError> {
        let mut steps = LatticeRows::new(&bounds(terms)?);
        let (dims, mut values, mut rows, mut last) = (terms.dims(), Vec::new(), 0, 0);
        table.for_each_batch(READ_ROWS, progress, |batch| {
            rows += batch.rows() as u64;
            if rows > MOST_PAIRED_RECORDS {
                let wanted = format!(
                    "pairs are made of at most {MOST_PAIRED_RECORDS}; encode attribute by attribute instead, without {}",
                    Parameter::PAIRS
                );
                let given = format!("more than {MOST_PAIRED_RECORDS}");
                return Err(EncodeError::Pairs { given, pairs: pairs(MOST_PAIRED_RECORDS), wanted });
            }
            last = batch.rows().checked_sub(1).map_or(last, |end| batch.row_number(end));
            steps.take(batch);
            for row in 0..batch.rows() {
                values.extend(steps.record(row).enumerate().map(|(i, Steps(x))| x as f64 * terms.step(i)));
            }
            Ok::<(), EncodeError>(())
        })?;
        if rows < 2 {
            let wanted = "at least one is needed; give a table with two rows or more".into();
            return Err(EncodeError::Pairs { given: rows.to_string(), pairs: 0, wanted });
        }
        Ok(Self { values, dims, clamped: steps.clamped(), dropped: last.saturating_sub(rows) })
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        (self.values.len() / self.dims) as u64
    }

    /// Bytes of the codes of all pairs.
    pub fn bytes(&self, terms: &Terms) -> Result<u64, TermsError> {
        Ok(pairs(self.records()) * 2 * u64::from(columns_of(Kind::Pairs, terms)?.bits().div_ceil(8)))
    }

    fn record(&self, row: usize) -> &[f64] {
        &self.values[row * self.dims..(row + 1) * self.dims]
    }
}

/// Pairs of so many records.
fn pairs(records: u64) -> u64 {
    records * records.saturating_sub(1) / 2
}

/// Writes the codes of all pairs (0, 1), (0, 2), …, (n−2, n−1). The flips of a pair depend on the source and its place alone.
pub fn encode_pairs<N: NoiseSource + Send, W: Write + Send>(
    records: &PairsOf,
    agreement: &Agreement,
    noise: &mut N,
    out: &mut CodesWriter<W>,
) -> Result<Encoded, EncodeError> {
    let pair = agreement.terms().decomposed()?;
    // Both scalars have the same anchors, or their distance could not be read off.
    let anchors = agreement.pair_anchors(&pair);
    let encoder = Dpbv::of(&[anchors.clone(), anchors], pair.flips())?;
    let most = pair.attributes()[0].range.hi();
    let mut coder = Coder::new(&encoder, &pair, out);
    let n = records.records() as usize;
    for i in 0..n {
        for j in i + 1..n {
            let place = |x: f64| (x / most * STEPS as f64).round().clamp(0.0, STEPS as f64) as i32;
            let attributes = records.record(i).iter().copied().zip(records.record(j).iter().copied());
            let (squares, products) = pair_scalars(attributes);
            coder.push([squares, products].map(place).into_iter(), None, noise)?;
        }
    }
    coder.finish()?;
    let (clamped, dropped) = (Sensitive::new(records.clamped), Sensitive::new(records.dropped));
    Ok(Encoded { rows: pairs(n as u64), clamped, dropped })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_records_make_a_pair() {
        assert_eq!((pairs(0), pairs(1), pairs(2), pairs(20_000)), (0, 0, 1, 199_990_000));
    }
}
