//! How long a whole fit takes beside reading its file: `auto` and `--method grid` from Parquet, start to end.
//!
//! Arguments: rows, attributes, k, budget, runs; 3,000,000 10 10 1 5 without any. Writes a Parquet file of doubles (a mixture of k
//! round Gaussians, Snappy, row groups of a million) and prints CSV for one thread and two: the least seconds of all runs,
//! the least seconds of processor time, both as multiples of reading the same file onto the lattice in the same run, and
//! peak memory. Readings and fits alternate, so that other work on the machine slows all alike. The goal is at most 3
//! for `auto` and for `grid`.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parquet::basic::Compression;
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use shoal::{Fit, Model};
use shoal_bench::Failure;
use shoal_files::{BoundsSpec, LoadOptions, ReadOptions, Silent, Source, Table, load_points};
use shoal_lattice::LatticeMap;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{normal_f64, unit_f64};

/// Rows of a row group.
const GROUP: usize = 1_000_000;

/// The bounds of every column.
const BOUNDS: &str = "-1,1";

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual: usize| args.get(i).map_or(Ok(usual), |text| text.parse());
    let (rows, dims, k) = (number(0, 3_000_000)?, number(1, 10)?, number(2, 10)?);
    let epsilon = args.get(3).map_or("1", String::as_str);
    let runs = number(4, 5)?;
    let path = std::env::temp_dir().join(format!("shoal-fit-speed-{}.parquet", std::process::id()));
    let result = write(&path, rows, dims, k).and_then(|()| measure(&path, k, epsilon, runs, (rows, dims)));
    std::fs::remove_file(&path)?;
    result
}

/// What is measured.
const WORK: [&str; 3] = ["read", "auto", "grid"];

fn measure(path: &Path, k: usize, epsilon: &str, runs: usize, (rows, dims): (usize, usize)) -> Result<(), Failure> {
    println!(
        "rows,dims,k,epsilon,threads,what,seconds,processor_seconds,times_reading,processor_times_reading,peak_mb"
    );
    let mut centres: Vec<Option<Vec<Vec<f64>>>> = vec![None; WORK.len()];
    for threads in [1, 2] {
        let mut best = [Cost::INFINITE; WORK.len()];
        for _ in 0..runs {
            for (i, what) in WORK.into_iter().enumerate() {
                let (cost, found) = Cost::of(|| match what {
                    "read" => read(path, threads).map(|_| None),
                    _ => fit(path, what, k, epsilon, threads).map(Some),
                });
                best[i] = best[i].least(cost);
                let found = found?.map(|model| model.centres);
                // The times of fits that found something else would not be comparable.
                if centres[i].is_some() && centres[i] != found {
                    return Err(format!("{what}: the centres of two runs differ").into());
                }
                centres[i] = found;
            }
        }
        for (what, cost) in WORK.into_iter().zip(best) {
            let (wall, processor) = (cost.seconds / best[0].seconds, cost.processor / best[0].processor);
            println!(
                "{rows},{dims},{k},{epsilon},{threads},{what},{:.3},{:.2},{wall:.2},{processor:.2},{:.1}",
                cost.seconds, cost.processor, cost.peak
            );
        }
    }
    Ok(())
}

/// Reads the file onto the lattice, as a fit does before anything else; gives the number of rows.
fn read(path: &Path, threads: usize) -> Result<usize, Failure> {
    let table = Table::open(Source::Path(path.into()), &ReadOptions::default())?;
    let bounds = BoundsSpec::parse(BOUNDS)?.resolve(table.columns(), table.all_columns())?;
    let options = LoadOptions { two_readers: threads > 1, ..LoadOptions::default() };
    Ok(load_points(table, LatticeMap::new(&bounds), &options, &Silent)?.rows())
}

fn fit(path: &Path, method: &str, k: usize, epsilon: &str, threads: usize) -> Result<Model, Failure> {
    Ok(Fit::new(k, epsilon)?.bounds(BOUNDS)?.method(method)?.threads(threads).seed(7).run(path)?)
}

/// What some work takes: seconds, seconds of processor time, and megabytes at most.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    processor: f64,
    peak: f64,
}

impl Cost {
    const INFINITE: Self = Self { seconds: f64::INFINITY, processor: f64::INFINITY, peak: f64::INFINITY };

    fn of<T>(work: impl FnOnce() -> T) -> (Self, T) {
        // Forgets the peak of earlier work; where that is not possible, the figure includes it.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let (start, before) = (Instant::now(), processor_seconds());
        let done = work();
        let cost = Self {
            seconds: start.elapsed().as_secs_f64(),
            processor: processor_seconds() - before,
            peak: peak_memory() as f64 / 1e6,
        };
        (cost, done)
    }

    fn least(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.min(other.seconds),
            processor: self.processor.min(other.processor),
            peak: self.peak.min(other.peak),
        }
    }
}

/// Processor time of this process, all threads; NaN where the system does not report it. The clock ticks a hundred times a second.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is a name in brackets, which may hold anything.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { f64::NAN }
}

/// The most memory this program has had, in bytes; zero where the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// A mixture of k round Gaussians in a Parquet file, as the usual writers make them.
fn write(path: &Path, rows: usize, dims: usize, k: usize) -> Result<(), Failure> {
    let mut noise = SeededNoise::new(3);
    let centres: Vec<f64> = (0..k * dims).map(|_| 1.4 * unit_f64(&mut noise) - 0.7).collect();
    let fields: String = (0..dims).map(|axis| format!("required double x{axis};")).collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {fields} }}"))?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    for first in (0..rows).step_by(GROUP) {
        let mut group = writer.next_row_group()?;
        for axis in 0..dims {
            let value = |row: usize, noise: &mut SeededNoise| {
                (centres[row % k * dims + axis] + 0.08 * normal_f64(noise)).clamp(-1.0, 1.0)
            };
            let values: Vec<f64> = (first..rows.min(first + GROUP)).map(|row| value(row, &mut noise)).collect();
            if let Some(mut column) = group.next_column()? {
                column.typed::<DoubleType>().write_batch(&values, None, None)?;
                column.close()?;
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}
