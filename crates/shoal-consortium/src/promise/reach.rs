//! (a) How many bits can differ, for the agreed anchors.
//!
//! *Privacy*: two values whose clean codes differ in h bits have noisy codes that are hε-indistinguishable, and no
//! better: every outcome's odds are e^(±ε) per differing bit. So what the very anchors promise to all values at most Δ
//! apart is ε·H(Δ), H(Δ) the largest Hamming distance between clean codes of two such values.
//!
//! *Method*: bit i changes at two edges only, r_i − t, from which on it is 1, and r_i + t + 1, from which on it is 0. The
//! codes of x < y differ in the bits with exactly one edge in (x, y]. Both edges of a bit lie 2t + 1 apart, so for
//! Δ ≤ 2t + 1 no window holds both, and H is the largest number of edges in Δ consecutive positions. For wider Δ, and up
//! to [`MOST_CELLS`] distinct codes, all pairs of codes are compared, walking from edge to edge. Beyond that the number of
//! edges, at most one per bit, is used instead, which is never too small.
//!
//! *Runtime*: O(s log s), or the square of the number of codes.

use serde::Serialize;

use crate::Anchors;
use shoal_lattice::STEPS;

/// Up to this many distinct codes are compared pair by pair.
pub const MOST_CELLS: usize = 4096;

/// Bits that differ at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Differing {
    /// How many.
    pub bits: u64,
    /// False when it is only known not to be more.
    pub exact: bool,
}

/// The edges of an attribute's anchors.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Each edge between 1 and STEPS and its bit, in order.
    edges: Vec<(i32, u32)>,
    bits: usize,
    t_steps: u32,
}

impl Reach {
    /// Of agreed anchors.
    pub fn new(anchors: &Anchors) -> Self {
        let t = anchors.t_steps() as i32;
        let edges = anchors.positions().iter().enumerate();
        let mut edges: Vec<(i32, u32)> = edges
            .flat_map(|(bit, r)| [(r - t, bit as u32), (r + t + 1, bit as u32)])
            // Between 0 and STEPS a code changes at these only.
            .filter(|(edge, _)| (1..=STEPS as i32).contains(edge))
            .collect();
        edges.sort_unstable();
        Self { edges, bits: anchors.len(), t_steps: anchors.t_steps() }
    }

    /// H(Δ): in how many bits two values at most so many steps apart can differ.
    pub fn most_differing(&self, steps: u64) -> Differing {
        let steps = steps.min(STEPS) as i32;
        if i64::from(steps) <= 2 * i64::from(self.t_steps) + 1 {
            return Differing { bits: self.most_edges(steps), exact: true };
        }
        if self.cells() <= MOST_CELLS {
            return Differing { bits: self.farthest_codes(steps), exact: true };
        }
        let bits = self.most_edges(steps).min(self.bits as u64);
        Differing { bits, exact: false }
    }

    /// Most edges in so many consecutive positions.
    fn most_edges(&self, steps: i32) -> u64 {
        let (mut first, mut most) = (0, 0);
        for (last, (edge, _)) in self.edges.iter().enumerate() {
            while edge - self.edges[first].0 >= steps {
                first += 1;
                if first > last {
                    break;
                }
            }
            most = most.max((last + 1).saturating_sub(first));
        }
        most as u64
    }

    /// Distinct stretches of equal codes.
    fn cells(&self) -> usize {
        1 + self.edges.chunk_by(|a, b| a.0 == b.0).count()
    }

    /// The largest Hamming distance of codes that two values so many steps apart at most can have.
    fn farthest_codes(&self, steps: i32) -> u64 {
        let cells: Vec<&[(i32, u32)]> = self.edges.chunk_by(|a, b| a.0 == b.0).collect();
        let mut differs = vec![false; self.bits];
        let mut most = 0_u64;
        for (start, first) in cells.iter().enumerate() {
            // The last value before an edge is the nearest of its stretch to all that follow.
            let from = first[0].0 - 1;
            differs.fill(false);
            let mut distance = 0_u64;
            for cell in cells[start..].iter().take_while(|cell| cell[0].0 - from <= steps) {
                for (_, bit) in *cell {
                    let bit = &mut differs[*bit as usize];
                    *bit = !*bit;
                    distance = if *bit { distance + 1 } else { distance - 1 };
                }
                most = most.max(distance);
            }
        }
        most
    }
}
