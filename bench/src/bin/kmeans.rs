//! k-means on an array that `kmeans_peers.py` wrote, timed from 32-bit floats in memory to centres.
//!
//! Arguments: a folder with `data.f32`, `start.f64` and `bounds.f64` (all lower bounds, then all upper ones), the
//! number of attributes, of iterations, and of runs per timing. Prints JSON: for each number of threads the best time
//! of the whole and of its parts, and of one bare pass over the two forms of the data; then the centres.

use std::time::Instant;

use rayon::prelude::*;
use shoal::data::{HALF_WIDTH, LatticePoints, TILE};
use shoal::plain::{LatticeCentres, kmeans};

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
    let affine = Affine::new(&bounds[..dims], &bounds[dims..]);
    let start = LatticeCentres::from_unit(dims, &affine.to_unit(&start));

    let mut centres = Vec::new();
    let mut timings = Vec::new();
    // Both pools live to the end, because the processor time of a thread is gone when it ends.
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    for (threads, pool) in [1, 2].into_iter().zip(&pools) {
        let pool = pool.as_ref().map_err(|failure| failure.to_string())?;
        let mut best = [f64::INFINITY; 6];
        for _ in 0..=runs {
            let cpu = processor_time();
            let (convert, points) = timed(|| pool.install(|| affine.convert(&data)));
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
    println!(r#"{{"threads":{{{}}},"centres":{:?}}}"#, timings.join(","), affine.to_user(&centres));
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Seconds all threads of this program have run so far; zero where the system does not tell.
fn processor_time() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let of_thread = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(of_thread).sum::<f64>() / 1e9
}

/// The affine map of `LatticeMap`, for 32-bit floats row after row.
struct Affine {
    lo: Vec<f64>,
    hi: Vec<f64>,
    scale: Vec<f64>,
}

impl Affine {
    fn new(lo: &[f64], hi: &[f64]) -> Self {
        let scale = lo.iter().zip(hi).map(|(lo, hi)| 2.0 * f64::from(HALF_WIDTH) / (hi - lo)).collect();
        Self { lo: lo.to_vec(), hi: hi.to_vec(), scale }
    }

    fn to_unit(&self, values: &[f64]) -> Vec<f64> {
        values.iter().enumerate().map(|(i, x)| (x - self.middle(i)) / self.half(i)).collect()
    }

    fn to_user(&self, values: &[f64]) -> Vec<f64> {
        values.iter().enumerate().map(|(i, x)| x * self.half(i) + self.middle(i)).collect()
    }

    fn middle(&self, i: usize) -> f64 {
        (self.hi[i % self.lo.len()] + self.lo[i % self.lo.len()]) / 2.0
    }

    fn half(&self, i: usize) -> f64 {
        (self.hi[i % self.lo.len()] - self.lo[i % self.lo.len()]) / 2.0
    }

    fn convert(&self, data: &[f32]) -> LatticePoints {
        let dims = self.lo.len();
        // The parameters of a whole tile in a row, so that one flat loop vectorises whatever the number of attributes.
        let [lo, hi, scale] = [&self.lo, &self.hi, &self.scale].map(|x| x.repeat(TILE));
        LatticePoints::from_tiles(data.len() / dims, dims, |first, tile| {
            let values = &data[first * dims..data.len().min((first + TILE) * dims)];
            let mut rounded = [0i16; 64 * TILE];
            for from in (0..values.len()).step_by(rounded.len() / dims * dims) {
                let to = values.len().min(from + rounded.len() / dims * dims);
                let parameters = lo[from..to].iter().zip(&hi[from..to]).zip(&scale[from..to]);
                for ((out, x), ((lo, hi), scale)) in rounded.iter_mut().zip(&values[from..to]).zip(parameters) {
                    // The addition rounds to the nearest integer and leaves it in the low bits.
                    let steps = (f64::from(*x).max(*lo).min(*hi) - lo) * scale + 4_503_599_627_370_496.0;
                    *out = (steps.to_bits() as i16).wrapping_sub(HALF_WIDTH as i16);
                }
                for (row, values) in (from / dims..).zip(rounded[..to - from].chunks_exact(dims)) {
                    let (words, _) = tile.as_chunks_mut::<{ 2 * TILE }>();
                    let (pairs, last) = values.as_chunks::<2>();
                    for (words, pair) in words.iter_mut().zip(pairs) {
                        words[2 * row] = pair[0];
                        words[2 * row + 1] = pair[1];
                    }
                    if let ([x], Some(words)) = (last, words.last_mut()) {
                        words[2 * row] = *x;
                    }
                }
            }
        })
    }
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
