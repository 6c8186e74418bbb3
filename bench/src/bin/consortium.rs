//! What custodians and aggregator do with codes, timed.
//!
//! Arguments, all optional: records, attributes and bits for sums to clusters (100,000, 10 and 200 unless given), and a
//! folder to write the codes of the all-pairs part to (`codes.u64`), for `consortium_peers.py`. Prints JSON: bits per second of
//! encoding on one core with coins keyed by the operating system; seconds for all pairs of 1,797 records of 64 attributes and 1,000 bits with every kernel at one thread and two, for kCluster on
//! them, and for kCluster by counts of bits at the given size with its peak memory.

use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::Failure;
use shoal_consortium::aggregator::hamming::Kernel;
use shoal_consortium::aggregator::{HammingSum, Horizontal};
use shoal_consortium::custodian::Dpbv;
use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
use shoal_kernel::{Condensed, KCluster, WithOwn};
use shoal_lattice::Interval;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise, uniform};

/// The size of the digits of Table III, where all pairs are wanted.
const DIGITS: (usize, usize, u32) = (1797, 64, 1000);

/// Timings of which the best counts.
const RUNS: usize = 3;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |text| text.parse());
    let (rows, dims, bits) = (number(0, 100_000)?, number(1, 10)?, number(2, 200)?);
    let k = 10;

    let (terms, codes) = made_up(DIGITS.0, DIGITS.1, DIGITS.2, k)?;
    if let Some(folder) = args.get(3) {
        let bytes: Vec<u8> = codes.as_words().iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(std::path::Path::new(folder).join("codes.u64"), bytes)?;
    }
    let mut lines = vec![
        format!(r#""pairs_bytes":{}"#, Condensed::bytes_needed(DIGITS.0 as u64)),
        format!(r#""encoded_bits_per_second":{:.0}"#, encoding(&terms)?),
    ];
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for kernel in Kernel::ALL {
            let Some(distances) = Horizontal::new(&terms, &codes)?.with_kernel(kernel) else { continue };
            let seconds = pool.install(|| best(|| distances.condensed()));
            lines.push(format!(r#""all_pairs_{kernel:?}_{threads}":{seconds:.4}"#));
        }
        let distances = Horizontal::new(&terms, &codes)?;
        let all = pool.install(|| distances.condensed());
        let records = WithOwn { distances: &all, own: distances.own_distance() };
        let how = KCluster { starts: 20, ..KCluster::new(k) };
        let seconds = pool.install(|| best(|| how.run(&records, &mut SeededNoise::new(1))));
        lines.push(format!(r#""kcluster_eq19_20_starts_{threads}":{seconds:.4}"#));
    }
    drop(codes);

    let (terms, codes) = made_up(rows, dims, bits as u32, k)?;
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let records = HammingSum::new(&terms, &codes)?;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let how = KCluster { starts: 1, iterations: 30, ..KCluster::new(k) };
        let begin = Instant::now();
        let found = pool.install(|| how.run(&records, &mut SeededNoise::new(1)))?;
        let seconds = begin.elapsed().as_secs_f64();
        lines.push(format!(
            r#""kcluster_sum_{threads}":{seconds:.3},"iterations_{threads}":{},"converged_{threads}":{}"#,
            found.iterations, found.converged
        ));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("unknown", str::trim);
    lines.push(format!(r#""codes_kb":{},"peak":"{peak}""#, codes.as_words().len() / 128));
    println!("{{{}}}", lines.join(","));
    Ok(())
}

/// Codes of blobs, at ε = 2 for each bit. Flips are of limited precision: this is no release.
fn made_up(rows: usize, dims: usize, bits: u32, k: usize) -> Result<(Terms, Codes), Failure> {
    let attribute = |a| Attribute::new(format!("x{a}"), Interval::new(0.0, 50.0)?, 25.0).map_err(Failure::from);
    let attributes: Result<Vec<Attribute>, Failure> = (0..dims).map(attribute).collect();
    let terms = Terms::new(attributes?, bits, Flips::PerBit("2".parse()?), Scale::Own)?;
    let anchors = Agreement::new(terms.clone(), AnchorSecret::from_seed(1)).anchors();
    let mut source = SeededNoise::new(2);
    let centres: Vec<i32> = (0..k * dims).map(|_| uniform::below(&mut source, 50_000) as i32).collect();
    let words = terms.words();
    let record = |row: usize| {
        let mut source = SeededNoise::new(1000 + row as u64);
        let mut record = vec![0u64; dims * words];
        for a in 0..dims {
            let x = centres[row % k * dims + a] + uniform::below(&mut source, 15_000) as i32;
            for bit in 0..bits as usize {
                record[a * words + bit / 64] |= u64::from(anchors[a].bit(bit, x)) << (bit % 64);
            }
            for (w, word) in record[a * words..(a + 1) * words].iter_mut().enumerate() {
                // An eighth, near 1/(1+e²).
                let flips = source.next_u64() & source.next_u64() & source.next_u64();
                let filled = bits as usize - 64 * w;
                *word ^= if filled < 64 { flips & ((1 << filled) - 1) } else { flips };
            }
        }
        record
    };
    let mut codes = Codes::new(&terms);
    for first in (0..rows).step_by(10_000) {
        let some: Vec<Vec<u64>> = (first..rows.min(first + 10_000)).into_par_iter().map(record).collect();
        some.iter().for_each(|record| codes.extend(record));
    }
    Ok((terms, codes))
}

/// Bits per second of turning records into codes, on this thread.
fn encoding(terms: &Terms) -> Result<f64, Failure> {
    let encoder = Dpbv::new(&Agreement::new(terms.clone(), AnchorSecret::new()?))?;
    let mut noise = OsNoise::new()?;
    let record: Vec<i32> = (0..terms.dims() as i32).map(|a| 1000 * a).collect();
    let mut words = vec![0; encoder.record_words()];
    let seconds = best(|| {
        for _ in 0..DIGITS.0 {
            encoder.encode(&record, &mut noise, &mut words);
            std::hint::black_box(&words);
        }
    });
    Ok((DIGITS.0 * terms.dims()) as f64 * f64::from(terms.bits()) / seconds)
}

/// The best time of some runs.
fn best<T>(mut what: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let begin = Instant::now();
        std::hint::black_box(what());
        best = best.min(begin.elapsed().as_secs_f64());
    }
    best
}
