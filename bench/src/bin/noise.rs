//! Draws per second on one core: every sampler, fast against reference.
//!
//! Run with `cargo run --release -p shoal-bench --bin noise`. Each figure is the best of
//! many short runs, since other work on the machine can only slow a run down.

use std::hint::black_box;
use std::time::Instant;

use shoal_noise::{
    DiscreteGaussian, DiscreteLaplace, EuclideanLaplace, EuclideanLaplaceDoubles, ExponentialMechanism, Geometric,
    LInfinityKNorm, MaxNoise, NoiseError, NoiseSource, NoisyMax, OsNoise, RBig, ScoreKind, TabledGaussian, reference,
};

const RUNS: u32 = 60;

/// Best rate of `work`, which makes `draws` draws.
fn rate(draws: usize, mut work: impl FnMut(usize)) -> f64 {
    let best = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work(draws);
            start.elapsed()
        })
        .min()
        .unwrap_or_default();
    draws as f64 / best.as_secs_f64()
}

fn row(name: &str, fast: f64, slow: f64) {
    println!("{name:<44} {:>9.2} {:>11.4} {:>8.0}", fast / 1e6, slow / 1e6, fast / slow);
}

fn ratio(top: u64, bottom: u64) -> RBig {
    RBig::from_parts(top.into(), bottom.into())
}

fn main() -> Result<(), NoiseError> {
    let mut source = OsNoise::new()?;
    let mut buffer = vec![0_i64; 50_000];
    println!("{:<44} {:>9} {:>11} {:>8}", "million draws per second, one core", "fast", "reference", "ratio");
    let words = rate(buffer.len(), |n| {
        for _ in 0..n {
            black_box(source.next_u64());
        }
    });
    println!("{:<44} {:>9.2}", "uniform 64-bit words", words / 1e6);

    for (name, decay) in [
        ("scale 1/3", ratio(3, 1)),
        ("scale 1", ratio(1, 1)),
        ("scale 10", ratio(1, 10)),
        ("scale 1000", ratio(1, 1000)),
        ("scale 2^20", ratio(1, 1 << 20)),
        ("scale 2^50", ratio(1, 1 << 50)),
    ] {
        let noise = DiscreteLaplace::new(decay.clone())?;
        let fast = rate(buffer.len(), |_| noise.fill(&mut source, black_box(&mut buffer)));
        let slow = rate(200, |n| {
            for _ in 0..n {
                black_box(reference::discrete_laplace(&mut source, &decay));
            }
        });
        row(&format!("discrete Laplace, {name}"), fast, slow);
    }
    for (name, decay) in [("scale 1", ratio(1, 1)), ("scale 2^20", ratio(1, 1 << 20))] {
        let noise = Geometric::new(decay.clone())?;
        let fast = rate(buffer.len(), |_| noise.fill(&mut source, black_box(&mut buffer)));
        let slow = rate(200, |n| {
            for _ in 0..n {
                black_box(reference::geometric(&mut source, &decay));
            }
        });
        row(&format!("geometric, {name}"), fast, slow);
    }
    for (name, variance) in
        [("sigma 1", ratio(1, 1)), ("sigma 100", ratio(10_000, 1)), ("sigma 2^20", ratio(1 << 40, 1))]
    {
        let noise = DiscreteGaussian::new(variance.clone())?;
        let fast = rate(buffer.len(), |_| noise.fill(&mut source, black_box(&mut buffer)));
        let slow = rate(200, |n| {
            for _ in 0..n {
                black_box(reference::discrete_gaussian(&mut source, &variance));
            }
        });
        row(&format!("discrete Gaussian, {name}"), fast, slow);
        let tabled = TabledGaussian::new(&variance)?;
        let fast = rate(buffer.len(), |_| tabled.fill(&mut source, black_box(&mut buffer)));
        row(&format!("discrete Gaussian from a table, {name}"), fast, slow);
    }
    for dimensions in [3, 11, 64] {
        let decay = ratio(1, 1024);
        let noise = LInfinityKNorm::new(decay.clone(), dimensions)?;
        let mut vector = vec![0_i64; dimensions];
        let fast = rate(500, |n| {
            for _ in 0..n {
                noise.sample(&mut source, black_box(&mut vector));
            }
        });
        let widths = vec![1_u64; dimensions];
        let slow = rate(10, |n| {
            for _ in 0..n {
                black_box(reference::l_infinity_k_norm(&mut source, &decay, &widths));
            }
        });
        row(&format!("cube noise, scale 1024, D = {dimensions} (vectors)"), fast, slow);
    }
    euclidean(&mut source)?;
    let scores: Vec<i64> = (0..200).map(|i| -(i * i) % 97).collect();
    let exponential = ExponentialMechanism::new(&ratio(1, 10), &RBig::ONE, ScoreKind::Monotone)?;
    let choice = exponential.prepare(&scores)?;
    let fast = rate(500, |n| {
        for _ in 0..n {
            black_box(choice.sample(&mut source));
        }
    });
    let slow = rate(50, |n| {
        for _ in 0..n {
            black_box(reference::exponential(&mut source, exponential.decay(), &scores));
        }
    });
    row("exponential mechanism, 200 candidates", fast, slow);
    let fast = rate(500, |n| {
        for _ in 0..n {
            black_box(exponential.prepare(&scores).ok());
        }
    });
    println!("{:<44} {:>9.2}", "  preparing it", fast / 1e6);
    let max = NoisyMax::new(MaxNoise::Geometric, &ratio(1, 10), &RBig::ONE, ScoreKind::Monotone)?;
    let fast = rate(500, |n| {
        for _ in 0..n {
            black_box(max.choose(&mut source, &scores).ok());
        }
    });
    println!("{:<44} {:>9.2}", "noisy max, 200 candidates", fast / 1e6);
    Ok(())
}

/// Reports at ε = 4 over 65534 steps, with radii in sides that leave about one report in a thousand or fewer uniform.
fn euclidean(source: &mut OsNoise) -> Result<(), NoiseError> {
    let side = 65_534_u64;
    let decay = ratio(4, side);
    for (dims, sides) in [(2, 4.08), (10, 8.56), (100, 125.0)] {
        let radius = (side as f64 * sides) as u64;
        let record = vec![side as i64 / 2; dims];
        let mut report = vec![0; dims];
        let start = Instant::now();
        let exact = EuclideanLaplace::new(decay.clone(), dims, side, radius)?;
        let built = start.elapsed();
        let fast = rate(20_000 / dims, |n| {
            for _ in 0..n {
                exact.sample(source, black_box(&record), black_box(&mut report));
            }
        });
        println!(
            "{:<44} {:>9.3}   {:.2} of proposals kept, {} bands, built in {:.1} ms",
            format!("Euclidean Laplace, exact, d = {dims} (reports)"),
            fast / 1e6,
            exact.acceptance(),
            exact.bands(),
            built.as_secs_f64() * 1e3
        );
        let doubles = EuclideanLaplaceDoubles::new(decay.clone(), dims, side, radius)?;
        let fast = rate(20_000 / dims, |n| {
            for _ in 0..n {
                doubles.sample(source, black_box(&record), black_box(&mut report));
            }
        });
        println!("{:<44} {:>9.3}", format!("Euclidean Laplace, doubles, d = {dims} (reports)"), fast / 1e6);
    }
    Ok(())
}
