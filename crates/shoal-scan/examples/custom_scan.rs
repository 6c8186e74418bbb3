//! A scan of one's own: rows on two "machines", which exchange nothing but bytes.
//!
//! ```sh
//! cargo run --example custom_scan
//! ```

use shoal_files::PointStore;
use shoal_kernel::LatticeCentres;
use shoal_lattice::LatticePoints;
use shoal_privacy::{Sensitive, ThisIsNotPrivate};
use shoal_scan::{Answer, Gathering, Grid, LocalScan, Partial, Question, Scan, ScanError, ScanExt};

/// A machine with some of the rows. It knows the place of its first row in the whole table.
struct Machine {
    name: &'static str,
    first_row: u64,
    rows: LatticePoints,
}

impl Machine {
    /// Bytes in, bytes out: what would run on the other side of a network.
    fn answer(&self, question: &[u8]) -> Result<Vec<u8>, ScanError> {
        let question = Question::from_bytes(question)?;
        Ok(Partial::of_shard(&question, &self.rows, self.first_row)?.to_bytes()?)
    }
}

/// The driver's side.
struct TwoMachines([Machine; 2]);

impl Scan for TwoMachines {
    fn dims(&self) -> usize {
        2
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        // Rows stay where they are, so the one query that needs them in one place is refused.
        if question.moves_rows() {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        let mut gathering = Gathering::new(question, self.0.iter().map(|machine| machine.name))?;
        for machine in &self.0 {
            gathering.take_bytes(machine.name, &machine.answer(&question.to_bytes())?)?;
        }
        gathering.finish()
    }
}

fn points(rows: &[[i16; 2]]) -> LatticePoints {
    let mut points = LatticePoints::new(2);
    rows.iter().for_each(|row| points.push_row(row));
    points
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: Vec<[i16; 2]> = (0..1000).map(|i| [(i * 37 % 30_000) as i16, (i * 91 % 20_000) as i16 - 9_000]).collect();
    let machine = |name, from: usize, to| Machine { name, first_row: from as u64, rows: points(&rows[from..to]) };
    let two = TwoMachines([machine("north", 0, 300), machine("south", 300, 1000)]);
    let one = LocalScan::new(PointStore::InMemory(points(&rows)));

    // Any method of shoal-curator takes either of them. Here the exact answers are compared, which is not private.
    let centres = LatticeCentres::new(2, vec![5_000, 0, 20_000, 3_000]);
    let sums =
        |scan: &dyn Scan| scan.sums_and_counts(&centres).map(|sums| sums.without_privacy().reveal(ThisIsNotPrivate));
    assert_eq!(sums(&two)?, sums(&one)?);
    let grid = Grid::new(vec![30, 20], 600)?;
    let cells = |scan: &dyn Scan| scan.cell_counts(&grid).map(|cells| cells.without_privacy().reveal(ThisIsNotPrivate));
    assert_eq!(cells(&two)?, cells(&one)?);
    assert!(matches!(two.check_blocks(), Err(ScanError::RowsStay { .. })));
    Ok(())
}
