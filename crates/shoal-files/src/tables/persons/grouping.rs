//! Rows in, persons out, within a fixed memory.
//!
//! As many persons as there is room for are kept in a [`Roster`], the first that come; a row of any other person goes to disk,
//! to the part of its hash. When all rows have come, the persons of the roster are complete: no row of theirs went to disk.
//! Each part is then grouped in the same way, with half of the memory, and its own overflow goes to parts of a further file.
//! Whatever a part is like, the persons that fit are done, so this ends; and a person with ten million rows takes the space of
//! one.
//!
//! Persons come out in the order of their hashes, so neither the memory nor the order of the table's persons can be seen in what
//! comes out.

use std::io;

use super::cell::Cell;
use super::keyed_hash::PersonKey;
use super::roster::{Roster, Way};
use super::spill::{Parts, Spill};

/// Groups rows.
pub(crate) struct Grouping<C: Cell> {
    shape: Shape,
    depth: u32,
    memory: usize,
    roster: Roster<C>,
    spill: Option<Spill>,
}

/// What all depths have in common.
#[derive(Clone, Copy)]
struct Shape {
    dims: usize,
    way: Way,
    key: PersonKey,
}

impl Shape {
    fn record<C: Cell>(&self) -> usize {
        16 + if self.way.is_ordered() { 8 } else { 0 } + self.dims * C::BYTES
    }
}

impl<C: Cell> Grouping<C> {
    /// Groups rows of `dims` values with about `memory` bytes.
    pub(crate) fn new(dims: usize, way: Way, key: PersonKey, memory: usize) -> Self {
        Self::at(Shape { dims, way, key }, 0, memory)
    }

    /// The least memory that grouping takes, whatever it is given.
    pub(crate) fn least(dims: usize, way: Way) -> usize {
        2 * Roster::<C>::least(dims, way) + (64 << 10)
    }

    fn at(shape: Shape, depth: u32, memory: usize) -> Self {
        let Shape { dims, way, key } = shape;
        // A half for the roster, a half for what is grouped while the roster waits.
        Self { shape, depth, memory, roster: Roster::new(dims, way, key, memory / 2), spill: None }
    }

    /// Takes a row of the person with this hash.
    pub(crate) fn add(&mut self, hash: u128, row: &[C], moment: i64) -> io::Result<()> {
        if self.roster.add(hash, row, moment) {
            return Ok(());
        }
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::new(self.depth, self.memory / 8, self.shape.record::<C>())?),
        };
        spill.record(hash, |out| {
            out.extend_from_slice(&hash.to_le_bytes());
            if self.shape.way.is_ordered() {
                out.extend_from_slice(&moment.to_le_bytes());
            }
            row.iter().for_each(|x| x.put(out));
        })
    }

    /// Hands each person to `out`, once and with all their rows that count, in the order of the hashes.
    pub(crate) fn finish(self, out: &mut dyn FnMut(u128, &[C]) -> io::Result<()>) -> io::Result<()> {
        let Self { shape, depth, memory, roster, spill } = self;
        let mut resident = roster.sorted();
        if let Some(spill) = spill {
            let mut parts = spill.parts()?;
            for part in (0..Parts::COUNT).filter(|&part| !parts.is_empty(part)).collect::<Vec<_>>() {
                let grouped = Self::of_part(shape, depth + 1, memory / 2, &mut parts, part)?;
                grouped.finish(&mut |hash, rows| {
                    while resident.next_hash().is_some_and(|next| next < hash) {
                        resident.hand_over(out)?;
                    }
                    out(hash, rows)
                })?;
            }
        }
        while resident.next_hash().is_some() {
            resident.hand_over(out)?;
        }
        Ok(())
    }

    fn of_part(shape: Shape, depth: u32, memory: usize, parts: &mut Parts, part: usize) -> io::Result<Self> {
        let mut grouping = Self::at(shape, depth, memory);
        let (record, mut row) = (shape.record::<C>(), vec![C::default(); shape.dims]);
        parts.read(part, |bytes| {
            for record in bytes.chunks_exact(record) {
                let (hash, mut rest) = record.split_at(16);
                let mut own = [0; 16];
                own.copy_from_slice(hash);
                let mut moment = [0; 8];
                if shape.way.is_ordered() {
                    moment.copy_from_slice(&rest[..8]);
                    rest = &rest[8..];
                }
                row.iter_mut().zip(rest.chunks_exact(C::BYTES)).for_each(|(x, bytes)| *x = C::get(bytes));
                grouping.add(u128::from_le_bytes(own), &row, i64::from_le_bytes(moment))?;
            }
            Ok(())
        })?;
        Ok(grouping)
    }
}

#[cfg(test)]
#[path = "grouping_tests.rs"]
mod tests;
