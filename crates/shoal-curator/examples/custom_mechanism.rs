//! A mechanism of your own: noisy counts of the rows in the lower and upper half of each column's range.
//!
//! ```sh
//! cargo run --release -p shoal-curator --example custom_mechanism
//! ```
//!
//! What you write is what one row can change and how the noise is drawn. The claim follows from these, the accountant
//! charges it before it lets the mechanism run, and nothing sensitive leaves by another way.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use shoal_curator::RowMechanism;
use shoal_files::PointStore;
use shoal_lattice::LatticePoints;
use shoal_noise::{DiscreteLaplace, NoiseSource, OsNoise};
use shoal_privacy::{Accountant, Allowance, Amount, Epsilon, Guarantee, Loss};
use shoal_scan::{Grid, LocalScan, Scan, ScanExt};

/// Discrete Laplace noise on a count for each half of each column.
struct Halves {
    noise: DiscreteLaplace,
    columns: u64,
}

impl Halves {
    /// ε is shared by the columns: a row is in one half of each.
    fn new(epsilon: &Epsilon, columns: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let share = epsilon.split(columns as u64);
        Ok(Self { noise: DiscreteLaplace::new(share.amount().as_rational().clone())?, columns: columns as u64 })
    }
}

impl RowMechanism for Halves {
    type Input = Vec<u64>;
    type Output = Vec<i64>;

    /// One row changes one count of each column by 1, so the loss is the decay of the noise, once for each column.
    fn loss(&self) -> Loss {
        let decay = Amount::from_rational(self.noise.decay().clone()).unwrap_or(Amount::ONE);
        Loss::Pure(Epsilon::new(decay).times(&Amount::ratio(self.columns, 1)))
    }

    fn draw(&self, exact: Vec<u64>, source: &mut dyn NoiseSource) -> Vec<i64> {
        exact.into_iter().map(|count| count as i64 + self.noise.sample(source)).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut points = LatticePoints::new(1);
    (0..1_000).for_each(|i| points.push_row(&[if i % 4 == 0 { -20_000 } else { 9_000 }]));
    let scan = LocalScan::new(PointStore::InMemory(points));

    let mechanism = Halves::new(&"0.5".parse()?, scan.dims())?;
    let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
    let exact = scan.cell_counts(&Grid::new(vec![2], 2)?)?;
    let released = accountant.release(exact, mechanism.with(&mut OsNoise::new()?))?;
    println!("about {:?} of 1,000 rows in each half", released.get());
    println!("{}", Guarantee::of(accountant.spent().clone(), false));
    Ok(())
}
