//! Can the crowd's clusters be trusted? Coverage of intervals, stability, and the number of clusters that is chosen.
//!
//! Arguments, all optional: runs per setting (default 10), rows (10000), budgets (2,4,8), families (all; a comma-separated
//! list of names), how records are spread (per-attribute; shared, per-cluster, none), clusters that are tried at most (10; with
//! 0 their number is not chosen, which takes most of the time), the estimate (auto, pooled, mode). Reports are BPM's.
//!
//! Two groups of families: those that thresholds were calibrated on, and those that were held out. For each family and
//! budget one line of CSV: how often the number of clusters was right, above and below, and the numbers chosen by the
//! evidence and by BIC; the share of coordinates of stable clusters whose 95 % interval has the centre in it that the same
//! server finds on the records without noise, and that k-means finds there; the share of clusters called stable, the
//! median half-width of an interval in widths of the box, NICV of the records, and seconds of a fit.

use std::time::Instant;

use rayon::prelude::*;
use shoal_bench::{Failure, design, mean, squared};
use shoal_crowd::server::noise_aware::{Criterion, Estimate, NoiseAware, Width, choose_k};
use shoal_crowd::server::{Certainty, Clusters, ErrorModel, ReportPoints, kmeans_on_reports};
use shoal_device::{Client, NoiseLaw};
use shoal_kernel::{Restarts, assign_min_cost};
use shoal_lattice::{STEPS, UnitPosition};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

/// Clusters that come back less often are not called stable, as in `model.json`.
const STABLE: f64 = 0.9;

/// The shape of a cluster about its centre.
#[derive(Clone, Copy)]
enum Shape {
    /// Gaussian, the same standard deviations for all clusters.
    Gauss(&'static [f64]),
    /// Gaussian and round, one standard deviation for each cluster in turn.
    Unequal(&'static [f64]),
    /// Gaussian, long in a direction that is no axis: standard deviations along (1, 1, …) and across.
    Oblique(f64, f64),
    /// Student t with three degrees of freedom, of this scale.
    HeavyTailed(f64),
    /// Exponential to one side in each attribute, of this scale.
    Skewed(f64),
    /// Uniform on the whole box.
    Uniform,
}

/// Records that are made up.
struct Family {
    name: &'static str,
    /// Thresholds were chosen with it in view.
    calibration: bool,
    dims: usize,
    /// Relative sizes of the clusters.
    sizes: &'static [f64],
    shape: Shape,
    /// The least distance between centres, in widths times √d.
    apart: f64,
}

const FAMILIES: &[Family] = &[
    Family { name: "plain", calibration: true, dims: 4, sizes: &[1.0; 4], shape: Shape::Gauss(&[0.04; 4]), apart: 0.2 },
    Family {
        name: "unbalanced",
        calibration: true,
        dims: 4,
        sizes: &[80.0, 12.0, 5.0, 3.0],
        shape: Shape::Gauss(&[0.04; 4]),
        apart: 0.25,
    },
    Family {
        name: "elongated",
        calibration: true,
        dims: 4,
        sizes: &[1.0; 3],
        shape: Shape::Gauss(&[0.15, 0.02, 0.02, 0.02]),
        apart: 0.2,
    },
    Family {
        name: "one-wide",
        calibration: true,
        dims: 4,
        sizes: &[1.0; 3],
        shape: Shape::Gauss(&[0.25, 0.03, 0.03, 0.03]),
        apart: 0.2,
    },
    Family {
        name: "one-gaussian",
        calibration: true,
        dims: 4,
        sizes: &[1.0],
        shape: Shape::Gauss(&[0.1; 4]),
        apart: 0.0,
    },
    Family { name: "uniform-3", calibration: true, dims: 3, sizes: &[1.0], shape: Shape::Uniform, apart: 0.0 },
    Family {
        name: "six-in-2",
        calibration: false,
        dims: 2,
        sizes: &[1.0; 6],
        shape: Shape::Gauss(&[0.04; 2]),
        apart: 0.25,
    },
    Family {
        name: "five-in-8",
        calibration: false,
        dims: 8,
        sizes: &[3.0, 2.0, 2.0, 1.0, 1.0],
        shape: Shape::Gauss(&[0.08, 0.02, 0.05, 0.03, 0.1, 0.02, 0.05, 0.03]),
        apart: 0.2,
    },
    Family {
        name: "unequal",
        calibration: false,
        dims: 3,
        sizes: &[1.0; 4],
        shape: Shape::Unequal(&[0.02, 0.04, 0.06, 0.09]),
        apart: 0.25,
    },
    Family {
        name: "oblique",
        calibration: false,
        dims: 3,
        sizes: &[1.0; 3],
        shape: Shape::Oblique(0.12, 0.03),
        apart: 0.25,
    },
    Family {
        name: "heavy-tailed",
        calibration: false,
        dims: 4,
        sizes: &[2.0, 1.0, 1.0],
        shape: Shape::HeavyTailed(0.03),
        apart: 0.2,
    },
    Family { name: "skewed", calibration: false, dims: 5, sizes: &[1.0; 3], shape: Shape::Skewed(0.06), apart: 0.2 },
    Family {
        name: "long-gaussian",
        calibration: false,
        dims: 3,
        sizes: &[1.0],
        shape: Shape::Gauss(&[0.2, 0.05, 0.02]),
        apart: 0.0,
    },
    Family { name: "uniform-6", calibration: false, dims: 6, sizes: &[1.0], shape: Shape::Uniform, apart: 0.0 },
];

impl Family {
    /// Records scaled to widths of the box, one after the other.
    fn records(&self, rows: usize, random: &mut SeededNoise) -> Vec<f64> {
        let (k, dims) = (self.sizes.len(), self.dims);
        let centres = self.centres(random);
        let total: f64 = self.sizes.iter().sum();
        let mut records = Vec::with_capacity(rows * dims);
        for _ in 0..rows {
            let mut left = uniform::unit_f64(random) * total;
            let of = self.sizes.iter().position(|size| {
                left -= size;
                left < 0.0
            });
            let of = of.unwrap_or(k - 1);
            let along = uniform::normal_f64(random);
            for i in 0..dims {
                let away = match self.shape {
                    Shape::Gauss(deviations) => deviations[i] * uniform::normal_f64(random),
                    Shape::Unequal(deviations) => deviations[of] * uniform::normal_f64(random),
                    Shape::Oblique(long, across) => {
                        long * along / (dims as f64).sqrt() + across * uniform::normal_f64(random)
                    }
                    Shape::HeavyTailed(scale) => {
                        let chi: f64 = (0..3).map(|_| uniform::normal_f64(random).powi(2)).sum();
                        scale * uniform::normal_f64(random) / (chi / 3.0).sqrt()
                    }
                    Shape::Skewed(scale) => scale * (-(1.0 - uniform::unit_f64(random)).ln() - 1.0),
                    Shape::Uniform => uniform::unit_f64(random) - centres[of][i],
                };
                records.push((centres[of][i] + away).clamp(0.0, 1.0));
            }
        }
        records
    }

    fn centres(&self, random: &mut SeededNoise) -> Vec<Vec<f64>> {
        let mut apart = self.apart * (self.dims as f64).sqrt();
        let mut centres: Vec<Vec<f64>> = Vec::new();
        while centres.len() < self.sizes.len() {
            let centre: Vec<f64> = (0..self.dims).map(|_| 0.15 + 0.7 * uniform::unit_f64(random)).collect();
            if centres.iter().all(|other| squared(other, &centre).sqrt() >= apart) {
                centres.push(centre);
            } else {
                apart *= 0.999;
            }
        }
        centres
    }
}

/// What one run found.
struct Run {
    by_evidence: usize,
    by_bic: usize,
    /// For each coordinate: error in half-widths of its interval, against the server and against k-means on the records.
    server: Vec<f64>,
    kmeans: Vec<f64>,
    stable: usize,
    clusters: usize,
    half_widths: Vec<f64>,
    nicv: f64,
    nicv_kmeans: f64,
    seconds: f64,
    seconds_certainty: f64,
    seconds_auto: f64,
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize, default: &str| args.get(i).map_or(default.to_string(), Clone::clone);
    let (runs, rows): (u64, usize) = (arg(0, "10").parse()?, arg(1, "10000").parse()?);
    let (budgets, names) = (arg(2, "2,4,8"), arg(3, "all"));
    let width = match arg(4, "per-attribute").as_str() {
        "shared" => Width::Shared,
        "per-attribute" => Width::PerAttribute,
        "per-cluster" => Width::PerCluster,
        "none" => Width::None,
        other => return Err(format!("there is no width {other}").into()),
    };
    let most: usize = arg(5, "10").parse()?;
    let estimate = match arg(6, "auto").as_str() {
        "auto" => Estimate::Auto,
        "pooled" => Estimate::Pooled,
        "mode" => Estimate::Mode,
        other => return Err(format!("there is no estimate {other}").into()),
    };
    let how = NoiseAware { width, estimate, ..NoiseAware::new(1) };
    println!(
        "group,family,k,epsilon,right,above,below,by_evidence,by_bic,covered,covered_kmeans,stable,half_width,nicv,nicv_kmeans,seconds,seconds_certainty,seconds_auto"
    );
    for family in FAMILIES.iter().filter(|f| names == "all" || names.split(',').any(|name| name == f.name)) {
        for epsilon in budgets.split(',') {
            let found: Result<Vec<Run>, Failure> =
                (0..runs).into_par_iter().map(|seed| run(family, rows, epsilon, (how, most), seed)).collect();
            print(family, epsilon, &found?);
        }
    }
    Ok(())
}

fn run(
    family: &Family,
    rows: usize,
    epsilon: &str,
    (how, most): (NoiseAware, usize),
    seed: u64,
) -> Result<Run, Failure> {
    let mut random = SeededNoise::new(1_000 * (seed + 1) + family.name.len() as u64);
    let records = family.records(rows, &mut random);
    let (dims, k) = (family.dims, family.sizes.len());
    let client = Client::new(&design("bpm", epsilon, dims)?)?;
    let mut reports = vec![0; records.len()];
    for (record, report) in records.chunks_exact(dims).zip(reports.chunks_exact_mut(dims)) {
        let steps: Vec<i64> = record.iter().map(|x| (x * STEPS as f64).round() as i64).collect();
        client.report(&steps, &mut random, report);
    }
    let reports: Vec<f64> = reports.iter().map(|&x| x as f64 / STEPS as f64).collect();
    let points = ReportPoints::from_rows(dims, &reports);
    let law = client.noise_law().ok_or("these reports have no density")?;
    let how = NoiseAware { k, ..how };
    let start = Instant::now();
    let found = how.cluster(&points, law, &mut SeededNoise::new(seed));
    let seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
    let certainty = Certainty::of(&found, &client, rows, ErrorModel::Known, &mut SeededNoise::new(seed), again);
    let seconds_certainty = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let (by_evidence, lowest) = if most > 0 {
        let chosen = choose_k(&how, most, Criterion::Evidence, &points, law, &mut SeededNoise::new(seed));
        let lowest = chosen.tried.iter().min_by(|a, b| a.bic.total_cmp(&b.bic)).map_or(1, |tried| tried.k);
        (chosen.clusters.centres.len(), lowest)
    } else {
        (0, 0)
    };
    let seconds_auto = start.elapsed().as_secs_f64();
    // The same server on the records: noise so small that there is none.
    let plain = ReportPoints::from_rows(dims, &records);
    let silent = NoiseLaw::Radial { rate: 400.0, radius: 1e6 };
    let server =
        NoiseAware { starts: 12, estimate: Estimate::Mode, ..how }.cluster(&plain, silent, &mut SeededNoise::new(seed));
    let restarts = Restarts { clusters: k, restarts: 10, iterations: 100 };
    let kmeans = kmeans_on_reports(&plain, &restarts, &mut SeededNoise::new(0));
    let half = |j: usize, i: usize| 0.5 * (certainty.centres[j][i][1].0 - certainty.centres[j][i][0].0);
    let stable: Vec<usize> = (0..k).filter(|&j| certainty.stability[j] >= STABLE).collect();
    let against = |truth: &Clusters| -> Vec<f64> {
        let partner = partners(&found, truth);
        stable
            .iter()
            .flat_map(|&j| (0..dims).map(move |i| (j, i)))
            .map(|(j, i)| (found.centres[j][i].0 - truth.centres[partner[j]][i].0) / half(j, i))
            .collect()
    };
    let centres = |clusters: &Clusters| -> Vec<Vec<f64>> {
        clusters.centres.iter().map(|centre| UnitPosition::numbers(centre)).collect()
    };
    let nicv = |clusters: &Clusters| {
        let centres = centres(clusters);
        let nearest = |x: &[f64]| centres.iter().map(|c| squared(c, x)).fold(f64::INFINITY, f64::min);
        records.chunks_exact(dims).map(nearest).sum::<f64>() / rows as f64
    };
    Ok(Run {
        by_evidence,
        by_bic: lowest,
        server: against(&server),
        kmeans: against(&kmeans),
        stable: stable.len(),
        clusters: k,
        half_widths: stable.iter().flat_map(|&j| (0..dims).map(move |i| (j, i))).map(|(j, i)| half(j, i)).collect(),
        nicv: nicv(&found),
        nicv_kmeans: nicv(&kmeans),
        seconds,
        seconds_certainty,
        seconds_auto,
    })
}

/// For each cluster found, that of the truth which is its own.
fn partners(found: &Clusters, truth: &Clusters) -> Vec<usize> {
    let k = found.centres.len();
    let distance =
        |a: &[UnitPosition], b: &[UnitPosition]| a.iter().zip(b).map(|(a, b)| (a.0 - b.0).powi(2)).sum::<f64>();
    let costs: Vec<f64> = found.centres.iter().flat_map(|a| truth.centres.iter().map(|b| distance(a, b))).collect();
    assign_min_cost(k, k, &costs).column_of.iter().enumerate().map(|(j, partner)| partner.unwrap_or(j)).collect()
}

fn print(family: &Family, epsilon: &str, runs: &[Run]) {
    let k = family.sizes.len();
    let share = |of: &dyn Fn(&Run) -> bool| runs.iter().filter(|run| of(run)).count() as f64 / runs.len() as f64;
    let list = |of: &dyn Fn(&Run) -> usize| runs.iter().map(|run| of(run).to_string()).collect::<Vec<_>>().join(" ");
    let covered = |of: &dyn Fn(&Run) -> &Vec<f64>| {
        let all: Vec<f64> = runs.iter().flat_map(|run| of(run).clone()).collect();
        all.iter().filter(|z| z.abs() <= 1.0).count() as f64 / all.len().max(1) as f64
    };
    let mut halves: Vec<f64> = runs.iter().flat_map(|run| run.half_widths.clone()).collect();
    halves.sort_by(f64::total_cmp);
    let of = |value: &dyn Fn(&Run) -> f64| mean(runs.iter().map(value)).0;
    println!(
        "{},{},{k},{epsilon},{:.2},{:.2},{:.2},{},{},{:.3},{:.3},{:.2},{:.4},{:.5},{:.5},{:.2},{:.2},{:.2}",
        if family.calibration { "calibration" } else { "held-out" },
        family.name,
        share(&|run| run.by_evidence == k),
        share(&|run| run.by_evidence > k),
        share(&|run| run.by_evidence < k),
        list(&|run| run.by_evidence),
        list(&|run| run.by_bic),
        covered(&|run| &run.server),
        covered(&|run| &run.kmeans),
        of(&|run| run.stable as f64 / run.clusters as f64),
        halves.get(halves.len() / 2).copied().unwrap_or(f64::NAN),
        of(&|run| run.nicv),
        of(&|run| run.nicv_kmeans),
        of(&|run| run.seconds),
        of(&|run| run.seconds_certainty),
        of(&|run| run.seconds_auto),
    );
}
