//! [`corrected`](crate::aggregator::consistency::corrected()) for codes without noise, from few rows of distances.
//!
//! Without noise the Hamming distance of two values in view is how many window edges lie between them: the difference of a
//! count that grows along the line. So records have places on the line: from a record at the end of a stretch, walk
//! to the farthest one in view, again and again; whoever comes into view lies beyond, at the walker's place plus the
//! distance. The end itself is found by walking the same way from any record.
//!
//! *Runtime*: about 1.5·range/(share·2t) rows of Hamming distances, and one for each stretch of records that no chain
//! connects with the others.
//!
//! *Assumes*: values farther apart than 2t have a distance above the view, true for a share well below 1 and enough bits.

use crate::aggregator::check;
use crate::aggregator::consistency::{AggregatorError, reach};
use crate::aggregator::estimate::Decoder;
use crate::aggregator::hamming::distance;
use crate::{Codes, Flips, Terms};
use shoal_kernel::{Condensed, Distances};

/// Records of one attribute, placed on stretches of a line.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    codes: &'a Codes,
    attribute: usize,
    decoder: Decoder,
    stretches: Vec<u32>,
    /// In window edges from the end of the stretch.
    places: Vec<u64>,
    rows: usize,
}

/// Places the records by one attribute. The share is as in [`corrected`](crate::aggregator::consistency::corrected()).
pub fn sweep<'a>(terms: &Terms, codes: &'a Codes, attribute: usize, share: f64) -> Result<Line<'a>, AggregatorError> {
    check(terms, codes)?;
    if attribute >= terms.dims() {
        return Err(AggregatorError::Attribute { attribute, dims: terms.dims() });
    }
    if *terms.flips() != Flips::None {
        return Err(AggregatorError::Noisy);
    }
    let decoder = Decoder::of(terms, attribute);
    let r = reach(&decoder, share)?;
    let in_view = |h: u32| decoder.distance(h) <= r;
    let n = codes.rows();
    const UNPLACED: u32 = u32::MAX;
    let mut line =
        Line { codes, attribute, decoder: decoder.clone(), stretches: vec![UNPLACED; n], places: vec![0; n], rows: 0 };
    // Where the search for an end has been, by stretch.
    let mut searched = vec![UNPLACED; n];
    let mut stretch = 0;
    for first in 0..n {
        if line.stretches[first] != UNPLACED {
            continue;
        }
        let end = walk(&mut line, first, in_view, |_, record, _| {
            std::mem::replace(&mut searched[record], stretch) != stretch
        });
        walk(&mut line, end, in_view, |line, record, place| {
            let new = line.stretches[record] == UNPLACED;
            if new {
                (line.stretches[record], line.places[record]) = (stretch, place);
            }
            new
        });
        stretch += 1;
    }
    Ok(line)
}

/// Walks from a record to the end of its stretch, on one side if it lies inside, and shows `new` every record in view with
/// its place. `new` says whether it is the first time, and such records lie beyond the walker. Returns the last record.
fn walk(
    line: &mut Line<'_>,
    start: usize,
    in_view: impl Fn(u32) -> bool,
    mut new: impl FnMut(&mut Line<'_>, usize, u64) -> bool,
) -> usize {
    let (mut here, mut place) = (start, 0);
    loop {
        line.rows += 1;
        let mut farthest: Option<(u32, usize)> = None;
        for record in 0..line.codes.rows() {
            let h = line.hamming(here, record);
            if in_view(h) && new(line, record, place + u64::from(h)) && farthest.is_none_or(|(most, _)| h > most) {
                farthest = Some((h, record));
            }
        }
        match farthest {
            // Those that share the walker's place lead nowhere.
            Some((h, record)) if h > 0 => (here, place) = (record, place + u64::from(h)),
            _ => return here,
        }
    }
}

impl Line<'_> {
    /// The refined distance of two records (eq. 11 of their places), or the raw one if nothing connects them.
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        if self.stretches[i] == self.stretches[j] {
            self.decoder.slope() * self.places[i].abs_diff(self.places[j]) as f64
        } else {
            self.decoder.distance(self.hamming(i, j))
        }
    }

    /// The stretch of each record. Records of different ones are not connected.
    pub fn stretches(&self) -> &[u32] {
        &self.stretches
    }

    /// The place of each record on its stretch, from one of its ends, which one is not known.
    pub fn place(&self, record: usize) -> f64 {
        self.decoder.slope() * self.places[record] as f64
    }

    /// Rows of Hamming distances that it took.
    pub fn rows_used(&self) -> usize {
        self.rows
    }

    /// The refined distances of all pairs, on the threads of the current rayon pool.
    pub fn condensed(&self) -> Condensed {
        Condensed::from_fn(self.codes.rows(), |i, j| self.distance(i, j))
    }

    fn hamming(&self, i: usize, j: usize) -> u32 {
        distance(self.codes.code(i, self.attribute), self.codes.code(j, self.attribute))
    }
}

impl Distances for Line<'_> {
    fn len(&self) -> usize {
        self.codes.rows()
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        assert_eq!(out.len(), self.codes.rows(), "one place for each record");
        out.iter_mut().enumerate().for_each(|(j, to)| *to = self.distance(i, j));
    }
}
