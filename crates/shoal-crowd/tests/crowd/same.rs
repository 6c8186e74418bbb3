//! The same reports and seed give the same clusters, on any number of threads; the order of reports hardly matters.

use shoal_crowd::server::noise_aware::{Criterion, NoiseAware, Width, choose_k};
use shoal_crowd::server::tk_means::TkMeans;
use shoal_crowd::server::{Clusters, ReportPoints, kmeans_on_reports};
use shoal_kernel::Restarts;
use shoal_lattice::Widths;
use shoal_noise::SeededNoise;

use crate::crowd_support::server::{Groups, NAMES, matched, noisy_client, places, reported, shuffled};

fn on_threads<T: Send>(threads: usize, run: impl Fn() -> T + Send + Sync) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// All bits of a result: equality of doubles would let −0 pass for 0.
fn bits(found: &Clusters) -> Vec<u64> {
    let bare = [&found.shares, &found.share_errors, &found.objectives].into_iter().flatten().copied();
    let widths = found.widths.iter().flatten().chain(found.centre_errors.iter().flatten()).map(|x| x.0);
    let places = found.centres.iter().flatten().map(|x| x.0);
    bare.chain(widths).chain(places).chain(found.ln_likelihood).map(f64::to_bits).collect()
}

/// Reports of a crowd so large that passes are split between threads.
fn large(which: usize) -> (ReportPoints, shoal_device::NoiseLaw) {
    let mut noise = SeededNoise::new(1);
    let (client, law) = noisy_client(which, 20, 16);
    let groups = Groups::random(16, 4, 0.05, &mut noise);
    (reported(&groups, 30_000, &client, 2).1, law)
}

#[test]
fn threads_change_nothing() {
    for (which, width) in [(2, Width::Shared), (2, Width::PerAttribute), (4, Width::None)] {
        let (points, law) = large(which);
        let run = || {
            let how = NoiseAware { width, starts: 2, passes: 6, ..NoiseAware::new(8) };
            bits(&how.cluster(&points, law, &mut SeededNoise::new(5)))
        };
        let one = on_threads(1, run);
        for threads in [2, 3] {
            assert!(one == on_threads(threads, run), "{}: {threads} threads", NAMES[which]);
        }
    }
}

#[test]
fn threads_change_nothing_for_the_other_methods() {
    let (client, law) = noisy_client(0, 6, 2);
    let groups = Groups::alike(&[&[0.2, 0.3], &[0.8, 0.5]], 0.05);
    let (_, points) = reported(&groups, 40_000, &client, 2);
    let runs: [&(dyn Fn() -> Clusters + Send + Sync); 3] = [
        &|| TkMeans { starts: 2, rounds: 10, ..TkMeans::new(3) }.cluster(&points, &mut SeededNoise::new(4)),
        &|| {
            let how = Restarts { clusters: 3, restarts: 3, iterations: 30 };
            kmeans_on_reports(&points, &how, &mut SeededNoise::new(4))
        },
        &|| {
            let how = NoiseAware { width: Width::None, starts: 3, passes: 10, ..NoiseAware::new(1) };
            choose_k(&how, 3, Criterion::Evidence, &points, law, &mut SeededNoise::new(4)).clusters
        },
    ];
    for run in runs {
        let one = bits(&on_threads(1, run));
        for threads in [2, 3] {
            assert!(one == bits(&on_threads(threads, run)), "{threads} threads");
        }
    }
}

#[test]
fn the_seed_decides() {
    let (client, law) = noisy_client(0, 2, 3);
    let groups = Groups::alike(&[&[0.2, 0.3, 0.4], &[0.8, 0.5, 0.6]], 0.05);
    let (_, points) = reported(&groups, 800, &client, 2);
    let run = |seed| bits(&NoiseAware::new(3).cluster(&points, law, &mut SeededNoise::new(seed)));
    assert!(run(7) == run(7));
    // Other starts, so other last digits: else the comparison above could not fail.
    assert!(run(7) != run(8));
}

#[test]
fn the_order_of_reports_hardly_matters() {
    let groups = Groups::alike(&[&[0.2, 0.25], &[0.8, 0.3], &[0.45, 0.8]], 0.03);
    for which in [0, 2, 4] {
        let (client, law) = noisy_client(which, 8, 2);
        let (_, points) = reported(&groups, 3000, &client, 6);
        let run = |points: &ReportPoints| NoiseAware::new(3).cluster(points, law, &mut SeededNoise::new(3));
        let (straight, mixed) = (run(&points), run(&shuffled(&points, 1)));
        let apart = (straight.ln_likelihood.unwrap() - mixed.ln_likelihood.unwrap()).abs();
        assert!(apart < 0.1, "{}: {apart}", NAMES[which]);
        for (a, b) in straight.widths.iter().flatten().zip(mixed.widths.iter().flatten()) {
            assert!((a.0 - b.0).abs() < 0.002, "{}: {a:?} and {b:?}", NAMES[which]);
        }
        for (j, of) in matched(&places(&straight.centres), &places(&mixed.centres)).into_iter().enumerate() {
            for (i, Widths(error)) in straight.centre_errors[j].iter().enumerate() {
                let moved = (straight.centres[j][i].0 - mixed.centres[of][i].0).abs();
                assert!(moved < 0.2 * error, "{}: moved by {moved}, of an error of {error}", NAMES[which]);
            }
        }
        // What the check must distinguish: other reports on the same records.
        let (_, others) = reported(&groups, 3000, &client, 7);
        let other = run(&others);
        let moved = |j: usize, i: usize| {
            let of = matched(&places(&straight.centres), &places(&other.centres))[j];
            (straight.centres[j][i].0 - other.centres[of][i].0).abs() / straight.centre_errors[j][i].0
        };
        assert!((0..3).flat_map(|j| [moved(j, 0), moved(j, 1)]).fold(0.0, f64::max) > 0.4, "{}", NAMES[which]);
    }
}
