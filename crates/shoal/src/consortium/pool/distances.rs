//! Distances between records.

use shoal_consortium::aggregator::consistency::{self, DEFAULT_SHARE};
use shoal_consortium::aggregator::{Decoder, HammingSum, Horizontal, vertical};
use shoal_consortium::codes_file::Kind;
use shoal_consortium::{Flips, Terms};
use shoal_kernel::Condensed;
use shoal_lattice::STEPS;

use super::{Consistency, Pooled};
use crate::Error;
use crate::consortium::{ConsortiumError, Instead, Metric};

impl Pooled {
    /// The distances of all pairs of records, if they fit into memory; `instead` is what else would help.
    pub(in super::super) fn distances(&self, metric: Metric, instead: Instead) -> Result<Condensed, Error> {
        let held = 8 * self.file.codes.as_words().len() as u64;
        let needed = self.bytes_of_all().saturating_add(held);
        if needed > self.memory {
            let (records, allowed) = (self.records(), self.memory);
            return Err(ConsortiumError::TooManyPairs { records, needed, allowed, instead }.into());
        }
        if self.consistency != Consistency::None {
            // What noise adds to a distance through other records is not known.
            if metric == Metric::Eq19Unbiased {
                return Err(ConsortiumError::UnbiasedThroughOthers.into());
            }
            return self.consistent(metric);
        }
        if self.file.kind == Kind::Pairs || self.own.is_some() {
            return self.vertical(metric);
        }
        Ok(if metric.adds_up() {
            HammingSum::new(self.terms(), self.codes())?.condensed()
        } else {
            self.horizontal(metric)?.condensed()
        })
    }

    /// Eq. 19, as printed or without what noise adds.
    pub(in super::super) fn horizontal(&self, metric: Metric) -> Result<Horizontal<'_>, Error> {
        let printed = Horizontal::new(self.terms(), self.codes())?;
        Ok(if metric == Metric::Eq19Unbiased { printed.unbiased() } else { printed })
    }

    /// Through records in between. Made-up records are what far ones are reached by, so they count here and are left out
    /// afterwards.
    fn consistent(&self, metric: Metric) -> Result<Condensed, Error> {
        let mut all = self.consistent_attribute(0)?;
        let dims = self.terms().dims();
        if dims > 1 {
            // Eq. 19, or attributes simply added up.
            let term = |d: f64| if metric.adds_up() { d } else { d * d };
            all.as_mut_slice().iter_mut().for_each(|d| *d = term(*d));
            for attribute in 1..dims {
                let one = self.consistent_attribute(attribute)?;
                all.as_mut_slice().iter_mut().zip(one.as_slice()).for_each(|(sum, &d)| *sum += term(d));
            }
            if !metric.adds_up() {
                all.as_mut_slice().iter_mut().for_each(|d| *d = d.sqrt());
            }
        }
        Ok(Condensed::from_fn(self.records(), |i, j| all.get(self.rows[i], self.rows[j])))
    }

    fn consistent_attribute(&self, attribute: usize) -> Result<Condensed, Error> {
        let (terms, codes) = (self.terms(), &self.file.codes);
        let local = || Horizontal::new(terms, codes)?.attribute(attribute);
        let decoder = Decoder::of(terms, attribute);
        Ok(match self.consistency {
            // The same without noise, in a few rows of distances instead of chains between all pairs.
            Consistency::Layered | Consistency::Corrected if *terms.flips() == Flips::None => {
                consistency::sweep(terms, codes, attribute, DEFAULT_SHARE)?.condensed()
            }
            Consistency::Layered => consistency::layered(&local()?, &decoder, DEFAULT_SHARE)?,
            Consistency::Corrected => consistency::corrected(&local()?, &decoder, DEFAULT_SHARE)?,
            _ => consistency::as_printed(&local()?),
        })
    }

    /// Own columns and coded ones (eqs 20 to 23).
    fn vertical(&self, metric: Metric) -> Result<Condensed, Error> {
        if metric.adds_up() {
            return Err(ConsortiumError::SumsNeedAllCodes.into());
        }
        let theirs = match self.file.kind {
            Kind::Records => vertical::attribute_wise(self.terms(), self.codes(), true)?,
            Kind::Pairs => {
                let codes = &self.file.codes;
                let pair = |i: usize| (codes.code(i, 0), codes.code(i, 1));
                vertical::decomposed(&self.terms().decomposed()?, self.records(), codes.rows(), pair)?
            }
        };
        Ok(vertical::combine(|i, j| self.own.as_ref().map_or(0.0, |own| own.squared(i, j)), theirs))
    }

    /// The share of pairs that no chain of records connects, so that their distances stay as decoded, in the attribute
    /// where it is largest; only for [`Consistency::Layered`] and [`Consistency::Corrected`].
    pub fn unreached(&self) -> Result<Option<f64>, Error> {
        if !matches!(self.consistency, Consistency::Layered | Consistency::Corrected) || self.records() < 2 {
            return Ok(None);
        }
        let codes = Horizontal::new(self.terms(), &self.file.codes)?;
        let mut most = 0.0_f64;
        for attribute in 0..self.terms().dims() {
            let (local, decoder) = (codes.attribute(attribute)?, Decoder::of(self.terms(), attribute));
            most = most.max(consistency::unconnected_share(&local, &decoder, DEFAULT_SHARE, &self.rows)?);
        }
        Ok(Some(most))
    }

    /// The least standard deviation of an attribute's decoded distances, in the largest distances that there can be: the
    /// range, or 2t where codes show no more. From 1 on, a single distance is mostly noise.
    pub fn noise_share(&self) -> f64 {
        noise_share(self.terms())
    }
}

fn noise_share(terms: &Terms) -> f64 {
    let share = |i: usize| {
        let decoder = Decoder::of(terms, i);
        decoder.sd(0.0) / decoder.saturation().min(terms.step(i) * STEPS as f64)
    };
    (0..terms.dims()).map(share).min_by(f64::total_cmp).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_consortium::{Attribute, Scale};
    use shoal_lattice::Interval;

    /// A noise below the range and above a narrow window is too much.
    #[test]
    fn noise_is_compared_with_what_codes_can_show() {
        let terms = |t: f64| {
            let attribute = Attribute::new("x", Interval::new(0.0, 100.0).unwrap(), t).unwrap();
            Terms::new(vec![attribute], 50, Flips::PerBit("1".parse().unwrap()), Scale::Own).unwrap()
        };
        let sd = Decoder::of(&terms(5.0), 0).sd(0.0);
        assert!(sd > 10.0 && sd < 100.0, "{sd}");
        assert!(noise_share(&terms(5.0)) >= 1.0 && noise_share(&terms(50.0)) < 1.0);
    }
}
