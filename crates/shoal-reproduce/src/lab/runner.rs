//! Measures what is not measured yet, on all cores.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Cell, Key, Measured, Results, Run, Store};
use crate::Failure;

/// Called after each run.
pub struct Progress<'a> {
    /// The cost of the run that ended.
    pub cost: f64,
    /// Its cell.
    pub cell: &'a Cell,
}

/// All runs of all cells, those from the store first. `expect` gets the amount of work that is left, and `watch` each run.
///
/// Every run is kept as soon as it ends, so that a killed process loses none but those under way.
pub fn measure(
    cells: Vec<Cell>,
    store: &Store,
    expect: impl FnOnce(f64),
    watch: impl Fn(&Progress<'_>) + Sync,
) -> Result<Results, Failure> {
    let mut found = cells.iter().map(|cell| kept(cell, store)).collect::<Result<Vec<_>, _>>()?;
    let mut missing: Vec<(usize, usize)> = (0..cells.len())
        .flat_map(|at| (0..cells[at].runs).map(move |index| (at, index)))
        .filter(|(at, index)| !found[*at].contains_key(index))
        .collect();
    expect(missing.iter().map(|(at, _)| cells[*at].cost).sum());
    // The longest first, so that no core waits at the end for another.
    missing.sort_by(|(a, i), (b, j)| cells[*b].cost.total_cmp(&cells[*a].cost).then(i.cmp(j)).then(a.cmp(b)));
    let (alone, together): (Vec<_>, Vec<_>) = missing.into_iter().partition(|(at, _)| cells[*at].alone);

    let stop = AtomicBool::new(false);
    let writing = Mutex::new(());
    let one = |(at, index): (usize, usize)| -> Result<(usize, usize, Vec<f64>), Failure> {
        if stop.load(Ordering::Relaxed) {
            return Err("another run failed".into());
        }
        let cell = &cells[at];
        let values = (cell.measure)(&mut Run::new(&cell.key, store.seed(), index))
            .and_then(|values| checked(cell, values))
            .inspect_err(|_| stop.store(true, Ordering::Relaxed))
            .map_err(|error| format!("{}: {error}", cell.key))?;
        {
            let _one_at_a_time = writing.lock().map_err(|_| "another run panicked")?;
            store.keep(&cell.key, index, &values).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        }
        watch(&Progress { cost: cell.cost, cell });
        Ok((at, index, values))
    };
    let mut made: Vec<_> = together.into_par_iter().with_max_len(1).map(one).collect::<Vec<_>>();
    made.extend(alone.into_iter().map(one));
    // The first true error, rather than one of those that stopped because of it.
    let (done, failed): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    let mut errors: Vec<Failure> = failed.into_iter().filter_map(Result::err).collect();
    errors.sort_by_key(|error| error.to_string() == "another run failed");
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    for (at, index, values) in done.into_iter().flatten() {
        found[at].insert(index, values);
    }
    let measured = cells.into_iter().zip(found).map(|(cell, mut runs)| {
        // A reduced run takes the first of the runs that a long one has made.
        runs.retain(|index, _| *index < cell.runs);
        Measured { key: cell.key, measures: cell.measures, runs: runs.into_values().collect() }
    });
    Ok(Results::new(measured.collect()))
}

/// The runs of a cell in the store. Those that cannot be its own, because they report something else, are measured again.
fn kept(cell: &Cell, store: &Store) -> Result<BTreeMap<usize, Vec<f64>>, Failure> {
    let mut runs = store.runs(&cell.key)?;
    runs.retain(|_, values| is_whole(cell, values));
    Ok(runs)
}

/// How much these cells have still to do. Runs in `counted` are not counted again, and those counted are put there.
pub fn work_left<S: BuildHasher>(
    cells: &[Cell],
    store: &Store,
    counted: &mut HashMap<Key, usize, S>,
) -> Result<f64, Failure> {
    let mut left = 0.0;
    for cell in cells {
        let there = kept(cell, store)?.range(..cell.runs).count();
        let before = counted.entry(cell.key.clone()).or_insert(there);
        left += cell.cost * cell.runs.saturating_sub(*before) as f64;
        *before = cell.runs.max(*before);
    }
    Ok(left)
}

/// A run must report whole records of numbers.
fn checked(cell: &Cell, values: Vec<f64>) -> Result<Vec<f64>, Failure> {
    if is_whole(cell, &values) {
        return Ok(values);
    }
    let (got, width) = (values.len(), cell.measures.len());
    Err(format!("a run told {got} values, where records have {width}, all of them finite").into())
}

fn is_whole(cell: &Cell, values: &[f64]) -> bool {
    !values.is_empty() && values.len().is_multiple_of(cell.measures.len()) && values.iter().all(|x| x.is_finite())
}
