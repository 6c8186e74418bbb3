//! How long grouping by person takes beside a plain pass over the same file, within the same memory.
//!
//! Arguments: rows, persons; 10,000,000 2,000,000 without any. The file is CSV with five columns of numbers and one that names
//! persons, in no order. Prints seconds of both, their ratio, and the peak memory of the process; the goal is 3 at most.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use shoal_bench::Failure;
use shoal_files::{
    BoundsSpec, LoadOptions, PerPerson, PersonKey, ReadOptions, Silent, Source, Table, load_persons, load_points,
};
use shoal_lattice::LatticeMap;
use shoal_noise::uniform::below;
use shoal_noise::{NoiseSource, SeededNoise};

/// Bytes for rows: what `--memory 256M` allows.
const MEMORY: usize = 256 << 20;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual: u64| args.get(i).map_or(Ok(usual), |text| text.parse());
    let (rows, persons) = (number(0, 10_000_000)?, number(1, 2_000_000)?);
    let path = std::env::temp_dir().join(format!("shoal-bench-persons-{}.csv", std::process::id()));
    write(&path, rows, persons)?;
    let measured = measure(&path, rows, persons);
    std::fs::remove_file(&path)?;
    measured
}

fn measure(path: &std::path::Path, rows: u64, persons: u64) -> Result<(), Failure> {
    let columns: Vec<String> = (0..5).map(|i| format!("x{i}")).collect();
    let open = |person: Vec<String>| {
        let options = ReadOptions { columns: Some(columns.clone()), person, ..ReadOptions::default() };
        Table::open(Source::Path(path.to_path_buf()), &options)
    };
    let bounds = BoundsSpec::parse("0,1000")?.resolve(&columns, &columns)?;
    let map = || LatticeMap::new(&bounds);
    let options = LoadOptions { memory: MEMORY, ..LoadOptions::default() };
    let started = Instant::now();
    let plain = load_points(open(Vec::new())?, map(), &options, &Silent)?;
    let plain_seconds = started.elapsed().as_secs_f64();
    drop(plain);
    println!("rows,persons,way,plain_seconds,grouped_seconds,ratio,persons_found,peak_mb");
    let mut random = SeededNoise::new(2);
    for way in [PerPerson::Mean, PerPerson::UpTo(3)] {
        let key = PersonKey::new(std::array::from_fn(|_| random.next_u64()));
        let started = Instant::now();
        let grouped = load_persons(&open(vec!["who".into()])?, &map(), &way, key, &options, &Silent)?;
        let seconds = started.elapsed().as_secs_f64();
        let (found, ratio) = (grouped.rows(), seconds / plain_seconds);
        println!("{rows},{persons},{way},{plain_seconds:.2},{seconds:.2},{ratio:.2},{found},{}", peak_megabytes());
    }
    Ok(())
}

fn write(path: &PathBuf, rows: u64, persons: u64) -> Result<(), Failure> {
    let mut random = SeededNoise::new(1);
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "x0,x1,who,x2,x3,x4")?;
    for _ in 0..rows {
        let (who, word) = (below(&mut random, persons), random.next_u64());
        let x = |i: u32| (word >> (12 * i) & 0xfff) as f64 / 4.0;
        writeln!(file, "{},{},P{who:07},{},{},{}", x(0), x(1), x(2), x(3), x(4))?;
    }
    Ok(file.flush()?)
}

/// The most memory that the process has held, where the system says.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
