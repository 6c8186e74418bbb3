//! Shared parts of the benchmarks.

mod bar;
pub mod families;
mod made_up;
mod mixtures;
mod plan_families;
mod plan_moves;
mod results;
mod route_families;

pub use bar::Bar;
pub use made_up::{design, gauss, squared};
pub use mixtures::{Shape, table_seed};
pub use plan_families::PlanFamily;
pub use plan_moves::{Moved, Reference, run_auto};
pub use results::{Measured, Peer, measured, peers};
pub use route_families::{CALIBRATION_SIZES, HELD_BACK_SIZES, MadeUp, RouteFamily};
pub use shoal_reproduce::Failure;
pub use shoal_reproduce::measure::curator::{CuratorTable, Score};

use shoal_files::{LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_lattice::{Bounds, Interval, LatticeMap, LatticePoints};
use shoal_reproduce::statistics::Summary;

/// All columns but `label`, on the lattice between their own limits.
pub fn read(path: &str) -> Result<LatticePoints, Failure> {
    let open = |columns: Option<Vec<String>>| {
        Table::open(Source::Path(path.into()), &ReadOptions { columns, ..ReadOptions::default() })
    };
    let columns: Vec<String> = open(None)?.all_columns().iter().filter(|c| *c != "label").cloned().collect();
    let mut limits = vec![(f64::INFINITY, f64::NEG_INFINITY); columns.len()];
    open(Some(columns.clone()))?.for_each_batch(4096, &Silent, |batch| {
        for (a, limit) in limits.iter_mut().enumerate() {
            *limit = batch.column(a).iter().fold(*limit, |(lo, hi), &x| (lo.min(x), hi.max(x)));
        }
        Ok::<(), shoal_files::DataError>(())
    })?;
    // A constant column says nothing; it sits in the middle of an interval.
    let wide = |&(lo, hi): &(f64, f64)| if lo < hi { Interval::new(lo, hi) } else { Interval::new(lo - 1.0, hi + 1.0) };
    let intervals: Result<Vec<Interval>, _> = limits.iter().map(wide).collect();
    let map = LatticeMap::new(&Bounds::new(columns.clone(), intervals?)?);
    match load_points(open(Some(columns))?, map, &LoadOptions::default(), &Silent)? {
        PointStore::InMemory(points) => Ok(points),
        _ => Err("the table is too large for this measurement".into()),
    }
}

/// Mean and standard error.
pub fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let summary = Summary::of(&values.collect::<Vec<_>>());
    (summary.mean, summary.error())
}
