//! experiment
use rayon::prelude::*;
use shoal::crowd::NoiseLaw;
use shoal::crowd::server::ReportPoints;
use shoal::crowd::server::noise_aware::{Fit, Width, fit};
use shoal_noise::{SeededNoise, uniform};

fn normal(s: &mut SeededNoise) -> f64 {
    let u = 1.0 - uniform::unit_f64(s);
    let v = uniform::unit_f64(s);
    (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
}

fn nd_laplace(s: &mut SeededNoise, d: usize, eps: f64) -> Vec<f64> {
    let r: f64 = (0..d).map(|_| -(1.0 - uniform::unit_f64(s)).ln()).sum::<f64>() / eps;
    let z: Vec<f64> = (0..d).map(|_| normal(s)).collect();
    let n = z.iter().map(|x| x * x).sum::<f64>().sqrt();
    z.iter().map(|x| x / n * r).collect()
}

fn nicv(data: &[f64], d: usize, centres: &[Vec<f64>]) -> f64 {
    data.chunks_exact(d)
        .map(|x| {
            centres.iter().map(|c| c.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).fold(f64::INFINITY, f64::min)
        })
        .sum::<f64>()
        / (data.len() / d) as f64
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (d, n, k): (usize, usize, usize) = (a[1].parse().unwrap(), a[2].parse().unwrap(), a[3].parse().unwrap());
    let runs: u64 = a[4].parse().unwrap();
    let starts: usize = a[5].parse().unwrap();
    for eps in a[6].split(',').map(|e| e.parse::<f64>().unwrap()) {
        for (width, extra, spread, cheat) in [(Width::None, 0.0, 0.0, true), (Width::None,0.0,0.0,false),(Width::None,5.0,0.0,false),(Width::None,20.0,0.0,false),(Width::None,100.0,0.0,false),(Width::None,20.0,0.25,false),(Width::None,20.0,0.15,false),(Width::Shared, 20.0, 0.25,false)] {
            let t = std::time::Instant::now();
            let out: Vec<(f64, f64, f64, f64, f64)> = (0..runs)
                .into_par_iter()
                .map(|run| {
                    let mut s = SeededNoise::new(1000 + run);
                    // centres at least 0.5 apart where possible
                    let mut c: Vec<Vec<f64>> = Vec::new();
                    let mut tries = 0;
                    while c.len() < k {
                        let p: Vec<f64> = (0..d).map(|_| 0.15 + 0.7 * uniform::unit_f64(&mut s)).collect();
                        tries += 1;
                        let gap = if tries > 10000 { 0.0 } else { 0.4 };
                        if c.iter().all(|q| q.iter().zip(&p).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt() > gap) {
                            c.push(p);
                        }
                    }
                    let mut data = Vec::new();
                    let mut reports = Vec::new();
                    for i in 0..n {
                        let v: Vec<f64> = c[i % k].iter().map(|m| (m + 0.04 * normal(&mut s)).clamp(0.0, 1.0)).collect();
                        let z = nd_laplace(&mut s, d, eps);
                        reports.extend(v.iter().zip(&z).map(|(a, b)| a + b));
                        data.extend(v);
                    }
                    let points = ReportPoints::from_rows(d, &reports);
                    let law = NoiseLaw::Radial { rate: eps, radius: 1e9 };
                    let found = fit(&points, law, &Fit { k, width, starts: if cheat {1} else {starts}, extra, spread, truth: cheat.then(|| &*c.concat().leak()) }, &mut s);
                    for w in found.trace.windows(2) {
                        if w[1] < w[0] - 1e-7 * w[0].abs() {
                            eprintln!("FELL {} {}", w[0], w[1]);
                        }
                    }
                    let mean: Vec<f64> = (0..d).map(|i| data.iter().skip(i).step_by(d).sum::<f64>() / n as f64).collect();
                    (nicv(&data, d, &found.centres), nicv(&data, d, &[mean]), nicv(&data, d, &c), found.rounds as f64, found.ln_likelihood)
                })
                .collect();
            let m = |f: &dyn Fn(&(f64, f64, f64, f64, f64)) -> f64| out.iter().map(f).sum::<f64>() / runs as f64;
            let mean = m(&|o| o.0);
            let sd = (out.iter().map(|o| (o.0 - mean).powi(2)).sum::<f64>() / (runs as f64 - 1.0) / runs as f64).sqrt();
            println!(
                "d={d} n={n} k={k} eps={eps} {width:?} {extra} {spread} {cheat}: nicv {mean:.5} ± {sd:.5} one {:.4} best {:.4} rounds {:.0} ll {:.3}  {:.2}s/run",
                m(&|o| o.1), m(&|o| o.2), m(&|o| o.3), m(&|o| o.4), t.elapsed().as_secs_f64() / runs as f64 * 2.0
            );
        }
    }
}
