//! How many reports honest people can plausibly send to one place, by public numbers: the design and the number of reports.
//!
//! Noise spreads reports: even if all people had the same record, only so many of their reports would lie in a small cell.
//! A collector that expects forged reports may remove what is beyond that, wherever it is, so that forged reports
//! cannot have a sharp peak anywhere: they must look like reports of some group of people.
//!
//! *Privacy*: a function of the set of reports and of public numbers, so nothing is lost.
//!
//! *Distribution*: the probability of a cell is at most its volume times the density at the record itself, p, whoever reports.
//! By Chernoff's bound more than c of n reports are in one cell with a probability of at most e^(−n·KL(c/n ‖ p)); c is the smallest
//! number for which that, times the number of cells, is at most [`NEVER`]. So honest reports are all kept, except with that
//! probability.

use std::collections::HashMap;

use shoal_device::{BpmLaw, Client, NoiseLaw};
use shoal_lattice::STEPS;

use super::{NEVER, Plausible};

/// Reports that a cell would have if all people were at its middle. Fewer bound places better, and more bound numbers better.
const EXPECTED: f64 = 30.0;

/// The shortest side of a cell in lattice steps, so that rounding hardly changes its probability.
const SHORTEST: f64 = 64.0;

/// What rounding to the lattice may add to the probability of a cell.
const ROUNDING: f64 = 1.1;

/// Cells that are larger say nothing.
const LARGEST_SHARE: f64 = 0.5;

/// The most reports that a cell of a grid can plausibly have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowding {
    /// The side of a cell, in lattice steps.
    pub cell: i64,
    /// Reports that are kept in a cell.
    pub most: usize,
    /// Where reports farther out count as being, in lattice steps beyond the bounds.
    beyond: i64,
}

impl Crowding {
    /// For so many reports by this mechanism. `None` where the density of the noise is not known, and where there are too few
    /// reports for a bound that says anything.
    pub fn of(client: &Client, reports: usize) -> Option<Self> {
        let (n, d) = (reports.max(1) as f64, client.dims() as f64);
        let ln_peak = match client.noise_law()? {
            NoiseLaw::PerAttribute { scale } => -d * (2.0 * scale).ln(),
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: client.dims(), rate, radius }.ln_lambda(),
        };
        let side = (((EXPECTED / n).ln() - ln_peak) / d).exp().max(SHORTEST / STEPS as f64);
        let cell = (side * STEPS as f64).floor();
        let side = cell / STEPS as f64;
        let p = ROUNDING * (ln_peak + d * side.ln()).exp();
        if p.is_nan() || p > LARGEST_SHARE {
            return None;
        }
        let beyond = Plausible::of(client, reports)?.beyond;
        let ln_cells = d * ((1.0 + 2.0 * beyond) / side + 2.0).ln();
        let most = cap(n, p, NEVER.ln() - ln_cells)?;
        Some(Self { cell: cell as i64, most, beyond: (beyond * STEPS as f64).ceil() as i64 })
    }

    /// The reports without those that are too many in one place, and how many these are. Which of them stay depends on their
    /// values only: they are spread over the cell's reports in the order of these.
    pub fn thin(self, columns: Vec<Vec<i64>>) -> (Vec<Vec<i64>>, usize) {
        let rows = columns.first().map_or(0, Vec::len);
        let mut cells: HashMap<Vec<i64>, Vec<usize>> = HashMap::new();
        for row in 0..rows {
            cells.entry(self.cell_of(&columns, row)).or_default().push(row);
        }
        let mut stays = vec![true; rows];
        let mut removed = 0;
        for mut inside in cells.into_values().filter(|inside| inside.len() > self.most) {
            let value = |row: &usize| columns.iter().map(|column| column[*row]).collect::<Vec<i64>>();
            inside.sort_by_cached_key(value);
            inside.iter().for_each(|&row| stays[row] = false);
            (0..self.most).for_each(|i| stays[inside[i * inside.len() / self.most]] = true);
            removed += inside.len() - self.most;
        }
        if removed == 0 {
            return (columns, 0);
        }
        let keep =
            |column: Vec<i64>| column.into_iter().zip(&stays).filter(|(_, stays)| **stays).map(|(x, _)| x).collect();
        (columns.into_iter().map(keep).collect(), removed)
    }

    fn cell_of(self, columns: &[Vec<i64>], row: usize) -> Vec<i64> {
        let held = |column: &Vec<i64>| column[row].clamp(-self.beyond, STEPS as i64 + self.beyond);
        columns.iter().map(|column| held(column).div_euclid(self.cell)).collect()
    }
}

/// The smallest number that more than so many of n reports exceed with a probability of at most e^`ln_never`, if each is in the
/// cell with a probability of at most p. `None` if that may be all of them.
fn cap(n: f64, p: f64, ln_never: f64) -> Option<usize> {
    let ln_tail = |count: f64| {
        let share = count / n;
        let rest = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - p)).ln() } else { 0.0 };
        -n * (share * (share / p).ln() + rest)
    };
    let (mut low, mut high) = ((n * p).ceil(), n);
    if ln_tail(high) > ln_never {
        return None;
    }
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0).floor();
        if ln_tail(middle) > ln_never {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high as usize)
}

#[cfg(test)]
mod tests {
    use shoal_device::{Design, Device, Ending, Mechanism, choose_radius};
    use shoal_lattice::{Bounds, Interval};
    use shoal_noise::SeededNoise;
    use statrs::distribution::{Binomial, DiscreteCDF};

    use super::*;

    const PEOPLE: usize = 20_000;

    fn designs() -> Vec<Design> {
        let bounds = || Bounds::new(vec!["x".into(), "y".into()], vec![Interval::new(0.0, 1.0).unwrap(); 2]).unwrap();
        let radius_steps = choose_radius::nd_laplace(2, 8.0).steps;
        let mechanisms = [
            Mechanism::Bpm { radius_steps: choose_radius::information(2, 8.0).steps },
            Mechanism::NdLaplace { radius_steps, ending: Ending::Raw },
            Mechanism::Laplace,
        ];
        mechanisms
            .into_iter()
            .map(|mechanism| Design::new(mechanism, "8".parse().unwrap(), bounds()).unwrap())
            .collect()
    }

    /// Reports of people who all have the same record: the worst that honest people can do.
    fn crowd(design: &Design, record: [f64; 2], people: usize) -> Vec<Vec<i64>> {
        let mut device = Device::with_noise(design, SeededNoise::new(5)).unwrap();
        let mut columns = vec![Vec::new(); 2];
        for _ in 0..people {
            let report = device.report(&record).unwrap();
            columns.iter_mut().zip(&report.steps).for_each(|(column, x)| column.push(x.0));
        }
        columns
    }

    #[test]
    fn honest_reports_stay_even_if_all_people_are_alike() {
        for design in designs() {
            let client = Client::new(&design).unwrap();
            let crowding = Crowding::of(&client, PEOPLE).unwrap();
            // The record is in the middle of a cell.
            let middle = (crowding.cell / 2 + 7 * crowding.cell) as f64 / STEPS as f64;
            let columns = crowd(&design, [middle, middle], PEOPLE);
            assert_eq!(crowding.thin(columns.clone()), (columns.clone(), 0), "{design:?}");
            // The bound is a near one: a third of it would take honest reports away.
            let mutant = Crowding { most: crowding.most / 4, ..crowding };
            assert!(mutant.thin(columns).1 > 0, "{} of {}", crowding.most, crowding.cell);
        }
    }

    #[test]
    fn a_peak_of_forged_reports_is_cut_whatever_their_order() {
        for design in designs() {
            let crowding = Crowding::of(&Client::new(&design).unwrap(), PEOPLE).unwrap();
            let honest = crowd(&design, [0.3, 0.6], PEOPLE - 4000);
            let space = Client::new(&design).unwrap().space();
            // One place inside, and one at the end of all numbers.
            for place in [STEPS as i64, space.high] {
                let mut columns = honest.clone();
                columns.iter_mut().for_each(|column| column.extend([place; 4000]));
                let (thinned, removed) = crowding.thin(columns.clone());
                assert!(removed >= 4000 - crowding.most && removed < 4000, "{removed}");
                assert!(crowding.most < PEOPLE / 50, "{}", crowding.most);
                columns.iter_mut().for_each(|column| column.reverse());
                let sorted = |columns: &[Vec<i64>]| {
                    let mut rows: Vec<_> = columns[0].iter().copied().zip(columns[1].iter().copied()).collect();
                    rows.sort_unstable();
                    rows
                };
                assert_eq!(sorted(&crowding.thin(columns).0), sorted(&thinned));
            }
        }
    }

    #[test]
    fn the_cap_is_a_bound_and_a_near_one() {
        for (n, p) in [(1_000_u64, 0.03), (20_000, 0.0015), (1_000_000, 0.00003), (50, 0.4)] {
            let ln_never = 1e-12_f64.ln();
            let Some(most) = cap(n as f64, p, ln_never) else {
                assert_eq!(n, 50);
                continue;
            };
            let exceeds = |count: u64| Binomial::new(p, n).unwrap().sf(count);
            assert!(exceeds(most as u64) <= 1e-12, "{n}, {p}: {most}");
            assert!(exceeds((0.85 * most as f64) as u64) > 1e-12, "{n}, {p}: {most} is far too many");
        }
    }

    #[test]
    fn too_few_reports_have_no_bound() {
        let client = Client::new(&designs()[0]).unwrap();
        assert_eq!(Crowding::of(&client, 20), None);
    }
}
