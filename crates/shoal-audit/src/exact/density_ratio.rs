//! The worst ratio of densities over pairs of records and reports: a grid, and a local search from its worst points.
//!
//! A search can miss the worst, so this breaks claims and does not prove them. The densities of the crowd have their
//! worst ratios at corners, on lines through both records and at rims, where grid and search arrive exactly.

use rayon::prelude::*;

use super::Compared;
use crate::Measure;
use crate::allowed::short;

/// Grid points along an axis, for records and for reports, at one, two, three and more attributes.
const RECORDS: [usize; 4] = [21, 5, 3, 2];
const REPORTS: [usize; 4] = [201, 25, 11, 5];

/// Worst points of the grid that a local search starts from.
const STARTS: usize = 12;

/// Pairs that are allowed less than this are left out: rounding errors would pass for losses.
const LEAST_ALLOWED: f64 = 1e-4;

/// ln of a density at a report, given a record; or what is allowed between two records.
pub type OfTwo<'a> = &'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync);

/// A density of reports on records of [0, 1]^d, and what is allowed between two records.
pub struct DensityRatio<'a> {
    /// Number of attributes.
    pub dims: usize,
    /// How far outside the box of the records reports are looked at.
    pub beyond: f64,
    /// ln of the density at a report (first) on a record (second), up to what is the same for all records.
    pub ln_density: OfTwo<'a>,
    /// The ε that is allowed between two records.
    pub allowed: OfTwo<'a>,
}

/// Record, other record, report, one after the other.
type Place = Vec<f64>;

impl DensityRatio<'_> {
    /// Looks for the worst ratio.
    #[must_use]
    pub fn maximise(&self) -> Measure {
        let (mut starts, mut compared) = self.grid();
        // Of those that are as close to what is allowed, the ones with most to lose first.
        let key = |(part, place): &(f64, Place)| ((part * 1e9).round(), self.lost(place));
        starts.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        starts.truncate(STARTS);
        let searched: Vec<(Place, usize)> = starts.into_par_iter().map(|(_, place)| self.climb(place)).collect();
        let mut worst: Option<Compared> = None;
        for (place, steps) in searched {
            compared += steps;
            let found = self.compared(&place);
            if worst.as_ref().is_none_or(|worst| found.is_worse_than(worst)) {
                worst = Some(found);
            }
        }
        let nothing = Compared { allowed: 0.0, lost: 0.0, at: "nothing was compared".into() };
        let Compared { allowed, lost, at } = worst.unwrap_or(nothing);
        Measure::DensityRatio { allowed, worst: lost, at, compared }
    }

    /// The worst pair of records for each report of a grid, and how many ratios there are. Records are reports, too: some
    /// densities are worst there.
    fn grid(&self) -> (Vec<(f64, Place)>, usize) {
        let per_axis = |sizes: [usize; 4]| sizes[(self.dims - 1).min(3)];
        let records = grid(self.dims, 0.0, 1.0, per_axis(RECORDS));
        let mut reports = grid(self.dims, -self.beyond, 1.0 + self.beyond, per_axis(REPORTS));
        // Next to a record as well as on it: some densities have a pole there.
        for record in &records {
            reports.extend([0.0, 1e-3].map(|off| record.iter().map(|v| v + off).collect()));
        }
        let worst = |x: &Vec<f64>| {
            let of: Vec<f64> = records.iter().map(|v| (self.ln_density)(x, v)).collect();
            let mut worst = (0.0, Vec::new());
            for (v, f) in records.iter().zip(&of) {
                for (w, g) in records.iter().zip(&of).filter(|(_, g)| f > g) {
                    let allowed = (self.allowed)(v, w);
                    if allowed >= LEAST_ALLOWED && (f - g) / allowed > worst.0 {
                        worst = ((f - g) / allowed, [&v[..], w, x].concat());
                    }
                }
            }
            (worst.0 > 0.0).then_some(worst)
        };
        let found = reports.par_iter().filter_map(worst).collect();
        (found, reports.len() * records.len() * (records.len() - 1))
    }

    /// A compass search: steps along each axis, halved where none helps. It needs no slopes, which these densities do not
    /// have at their worst points.
    fn climb(&self, mut place: Place) -> (Place, usize) {
        let mut best = self.part(&place);
        let (mut step, mut tried) = (0.1, 0);
        while step > 1e-7 && best < f64::INFINITY {
            let mut moved = false;
            for axis in 0..place.len() {
                for by in [step, -step] {
                    let mut next = place.clone();
                    let (low, high) = if axis < 2 * self.dims { (0.0, 1.0) } else { (-self.beyond, 1.0 + self.beyond) };
                    next[axis] = (next[axis] + by).clamp(low, high);
                    let part = self.part(&next);
                    tried += 1;
                    if part > best * (1.0 + 1e-12) {
                        (place, best, moved) = (next, part, true);
                    }
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        (place, tried)
    }

    fn three<'p>(&self, place: &'p [f64]) -> [&'p [f64]; 3] {
        let (v, rest) = place.split_at(self.dims);
        let (w, x) = rest.split_at(self.dims);
        [v, w, x]
    }

    /// What is lost in parts of what is allowed.
    fn part(&self, place: &[f64]) -> f64 {
        let [v, w, _] = self.three(place);
        let allowed = (self.allowed)(v, w);
        if allowed < LEAST_ALLOWED { f64::NEG_INFINITY } else { self.lost(place) / allowed }
    }

    fn lost(&self, place: &[f64]) -> f64 {
        let [v, w, x] = self.three(place);
        let (f, g) = ((self.ln_density)(x, v), (self.ln_density)(x, w));
        if f == f64::NEG_INFINITY { f } else { f - g }
    }

    fn compared(&self, place: &[f64]) -> Compared {
        let [v, w, x] = self.three(place);
        let at = format!("records {} and {}, report {}", point(v), point(w), point(x));
        Compared { allowed: (self.allowed)(v, w), lost: self.lost(place), at }
    }
}

/// Points of a grid with `per_axis` coordinates from `low` to `high` on each axis.
fn grid(dims: usize, low: f64, high: f64, per_axis: usize) -> Vec<Vec<f64>> {
    let coordinate = |i: usize| low + (high - low) * i as f64 / (per_axis - 1) as f64;
    (0..dims).fold(vec![Vec::new()], |points, _| {
        let longer = |point: &Vec<f64>| {
            (0..per_axis).map(|i| point.iter().copied().chain([coordinate(i)]).collect()).collect::<Vec<Vec<f64>>>()
        };
        points.iter().flat_map(longer).collect()
    })
}

/// A point as people write it.
pub(crate) fn point(coordinates: &[f64]) -> String {
    let shown: Vec<_> = coordinates.iter().map(|x| short(*x)).collect();
    if shown.len() == 1 { shown[0].clone() } else { format!("({})", shown.join(", ")) }
}
