//! kCluster against the algorithm written down naively, and where it must not go wrong.

use proptest::prelude::*;
use shoal_kernel::{Condensed, KCluster, KClusterError, KClustering, OwnRecord, WithOwn};
use shoal_noise::{SeededNoise, uniform};

/// The average distance of a record to a cluster (eq. 15), and whether there is anything to average.
fn average(distances: &Condensed, own: Option<f64>, labels: &[u32], record: usize, cluster: u32) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for (other, &label) in labels.iter().enumerate() {
        if label != cluster {
            continue;
        }
        if other != record {
            sum += distances.get(record, other);
            count += 1;
        } else if let Some(own) = own {
            sum += own;
            count += 1;
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

fn objective(distances: &Condensed, own: Option<f64>, labels: &[u32]) -> f64 {
    (0..labels.len()).map(|i| average(distances, own, labels, i, labels[i]).unwrap_or(0.0)).sum()
}

/// Whether every record is where it wants to be.
fn settled(distances: &Condensed, own: Option<f64>, found: &KClustering) -> bool {
    let k = found.sizes.len() as u32;
    (0..found.labels.len()).all(|i| {
        let to = |cluster| average(distances, own, &found.labels, i, cluster);
        let Some(mine) = to(found.labels[i]) else { return true };
        (0..k).filter_map(to).all(|d| mine <= d + 1e-9)
    })
}

fn blobs(n: usize, k: usize, seed: u64) -> Condensed {
    let mut source = SeededNoise::new(seed);
    let x: Vec<f64> = (0..n).map(|i| (i % k) as f64 * 3.0 + uniform::unit_f64(&mut source)).collect();
    Condensed::from_fn(n, |i, j| (x[i] - x[j]).abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_converged_run_is_a_fixed_point_with_its_objective(
        values in prop::collection::vec(0u32..40, 2..25), k in 1usize..5, seed in 0u64..1000, printed: bool, own in -50.0..20.0f64
    ) {
        let n = values.len();
        let k = k.min(n);
        let distances = Condensed::from_fn(n, |i, j| f64::from(values[i].abs_diff(values[j])));
        let how = KCluster {
            own: if printed { OwnRecord::AsPrinted } else { OwnRecord::LeftOut }, starts: 3, iterations: 30,
            ..KCluster::new(k)
        };
        let found = how.run(&WithOwn { distances: &distances, own }, &mut SeededNoise::new(seed)).unwrap();
        let own = printed.then_some(own);
        prop_assert!(found.sizes.iter().all(|&size| size > 0), "{:?}", found.sizes);
        prop_assert_eq!(found.sizes.iter().sum::<usize>(), n);
        prop_assert!((found.objective - objective(&distances, own, &found.labels)).abs() < 1e-9);
        prop_assert!(found.iterations <= 30 && found.start < 3);
        // As printed a record can want to leave a cluster that it is alone in, and be sent back to fill it.
        if found.converged && !(printed && found.sizes.contains(&1)) {
            prop_assert!(settled(&distances, own, &found));
        }
    }
}

#[test]
fn clear_clusters_are_found() {
    let found = KCluster::new(4).run(&blobs(120, 4, 1), &mut SeededNoise::new(2)).unwrap();
    assert!(found.converged);
    assert_eq!(found.sizes, [30; 4]);
    assert!((0..120).all(|i| found.labels[i] == found.labels[i % 4]));
}

#[test]
fn more_starts_are_never_worse_and_often_better() {
    let distances = blobs(200, 7, 3);
    let run = |starts, seed| {
        let how = KCluster { starts, ..KCluster::new(7) };
        how.run(&distances, &mut SeededNoise::new(seed)).unwrap().objective
    };
    let better = (0..10).filter(|&seed| {
        let (one, many) = (run(1, seed), run(20, seed));
        assert!(many <= one);
        many < one
    });
    assert!(better.count() >= 3);
}

#[test]
fn the_own_distance_counts_only_as_printed() {
    let distances = blobs(60, 3, 4);
    let run = |how: OwnRecord, own| {
        let how = KCluster { own: how, ..KCluster::new(3) };
        how.run(&WithOwn { distances: &distances, own }, &mut SeededNoise::new(6)).unwrap()
    };
    assert_eq!(run(OwnRecord::LeftOut, -1e6), run(OwnRecord::LeftOut, 0.0));
    // A record that is immensely near to itself never leaves the cluster that it is in.
    let stuck = run(OwnRecord::AsPrinted, -1e6);
    assert!(stuck.converged && stuck.iterations == 1 && stuck.objective < -2.9e6, "{stuck:?}");
    // One that is immensely far from itself always leaves.
    let restless = run(OwnRecord::AsPrinted, 1e6);
    assert!(!restless.converged);
}

#[test]
fn a_cycle_ends_with_its_best_labelling() {
    // As printed with a positive own distance two records change places for ever.
    let distances = Condensed::from_vec(2, vec![1.0]).unwrap();
    let how = KCluster { own: OwnRecord::AsPrinted, starts: 1, ..KCluster::new(2) };
    let found = how.run(&WithOwn { distances: &distances, own: 5.0 }, &mut SeededNoise::new(1)).unwrap();
    assert!(!found.converged && found.iterations <= 3, "{found:?}");
    assert_eq!(found.objective, 10.0);
}

#[test]
fn as_many_clusters_as_records_leave_each_alone() {
    let found = KCluster::new(5).run(&blobs(5, 2, 1), &mut SeededNoise::new(1)).unwrap();
    assert!(found.converged && found.sizes == [1; 5] && found.objective == 0.0);
    let equal = KCluster::new(3).run(&Condensed::new(9), &mut SeededNoise::new(1)).unwrap();
    assert!(equal.sizes.iter().all(|&size| size > 0) && equal.objective == 0.0);
}

#[test]
fn threads_do_not_matter() {
    let distances = blobs(301, 5, 8);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| KCluster::new(5).run(&distances, &mut SeededNoise::new(9)).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn what_cannot_be_clustered_is_refused() {
    let mut source = SeededNoise::new(1);
    let three = Condensed::new(3);
    let mut run = |how: KCluster, distances: &Condensed| how.run(distances, &mut source).unwrap_err();
    assert_eq!(run(KCluster::new(0), &three), KClusterError::Clusters { k: 0, records: 3 });
    assert_eq!(run(KCluster::new(4), &three), KClusterError::Clusters { k: 4, records: 3 });
    assert_eq!(run(KCluster::new(1), &Condensed::new(0)), KClusterError::NoRecords);
    assert!(matches!(run(KCluster { starts: 0, ..KCluster::new(1) }, &three), KClusterError::Nothing { .. }));
    let odd = Condensed::from_vec(3, vec![1.0, f64::NAN, 1.0]).unwrap();
    assert_eq!(run(KCluster::new(2), &odd), KClusterError::NotFinite);
}
