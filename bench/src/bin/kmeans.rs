//! k-means on an array that `kmeans_peers.py` wrote, timed from 32-bit floats in memory to centres.
//!
//! Arguments: a folder with `data.f32`, `start.f64` and `bounds.f64` (all lower bounds, then all upper ones), the
//! number of attributes, of iterations, and of runs per timing. Prints JSON: for each number of threads the best time
//! of the whole and of its parts, and of one bare pass over the two forms of the data; then the centres.

use std::time::Instant;

use rayon::prelude::*;
use shoal_kernel::LatticeCentres;
use shoal_kernel::kmeans;
use shoal_lattice::{Bounds, BoxPosition, Interval, LatticeMap, LatticePoints};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, dims, iterations, runs] = args.as_slice() else {
        return Err("usage: kmeans FOLDER DIMS ITERATIONS RUNS".into());
    };
    let (dims, iterations, runs): (usize, usize, usize) = (dims.parse()?, iterations.parse()?, runs.parse()?);
    let read = |name: &str| std::fs::read(std::path::Path::new(folder).join(name));
    let data: Vec<f32> = read("data.f32")?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let doubles = |bytes: Vec<u8>| -> Vec<f64> { bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect() };
    let (start, bounds) = (doubles(read("start.f64")?), doubles(read("bounds.f64")?));
    let intervals: Result<_, _> =
        bounds[..dims].iter().zip(&bounds[dims..]).map(|(&a, &b)| Interval::new(a, b)).collect();
    let map = LatticeMap::new(&Bounds::new((0..dims).map(|a| format!("x{a}")).collect(), intervals?)?);
    let start: Vec<f64> = start.iter().enumerate().map(|(i, &x)| map.to_box(i % dims, x).0).collect();
    let start = LatticeCentres::from_unit(dims, &start);

    let mut centres = Vec::new();
    let mut timings = Vec::new();
    // Both pools live to the end, because the processor time of a thread is gone when it ends.
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    for (threads, pool) in [1, 2].into_iter().zip(&pools) {
        let pool = pool.as_ref().map_err(|failure| failure.to_string())?;
        let mut best = [f64::INFINITY; 6];
        for _ in 0..=runs {
            let cpu = processor_time();
            let (convert, points) = timed(|| pool.install(|| LatticePoints::from_rows_f32(&map, &data)));
            let points = points.map_err(|at| format!("value {at} is not finite"))?;
            let (iterate, result) = timed(|| pool.install(|| kmeans(&points, &start, iterations)));
            let cpu = processor_time() - cpu;
            let (floats, _) = timed(|| pool.install(|| read_floats(&data)));
            let (lattice, _) = timed(|| pool.install(|| read_lattice(&points)));
            for (best, time) in best.iter_mut().zip([convert + iterate, cpu, convert, iterate, floats, lattice]) {
                *best = best.min(time);
            }
            if !centres.is_empty() && centres != result.centres {
                return Err("the centres depend on the number of threads".into());
            }
            centres = result.centres;
        }
        let [total, cpu, convert, iterate, floats, lattice] = best;
        timings.push(format!(
            r#""{threads}":{{"total":{total},"cpu":{cpu},"convert":{convert},"iterate":{iterate},"read_f32":{floats},"read_i16":{lattice}}}"#
        ));
    }
    let centres: Vec<f64> = centres.iter().enumerate().map(|(i, &x)| map.to_user(i % dims, BoxPosition(x))).collect();
    println!(r#"{{"threads":{{{}}},"centres":{centres:?}}}"#, timings.join(","));
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Seconds all threads of this program have run so far; zero where the system does not report it.
fn processor_time() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let of_thread = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(of_thread).sum::<f64>() / 1e9
}

/// One pass that only reads: the least any iteration over floats could take.
fn read_floats(data: &[f32]) -> u32 {
    data.par_chunks(1 << 16)
        .map(|part| part.iter().fold(0u32, |sum, x| sum.wrapping_add(x.to_bits())))
        .reduce(|| 0, u32::wrapping_add)
}

/// The same over the lattice.
fn read_lattice(points: &LatticePoints) -> i16 {
    let step = 512;
    (0..points.tiles().div_ceil(step))
        .into_par_iter()
        .map(|i| {
            let tiles = points.tile_cells(i * step..((i + 1) * step).min(points.tiles()));
            tiles.iter().fold(0i16, |sum, x| sum.wrapping_add(*x))
        })
        .reduce(|| 0, i16::wrapping_add)
}
