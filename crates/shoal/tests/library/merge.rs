//! Merging releases of custodians: what it finds, what it promises, and what it refuses.

use shoal::consortium::{ConsortiumError, Merge, MergeRelease};
use shoal::model::{Model, ModelError};
use shoal::{Cluster, Error, Fit, Perturb};
use shoal_files::{Form, Matrix, Source};
use shoal_privacy::{Assumption, Claim, Guarantee, Loss, Neighbours, NoGuarantee, Numerics};

const BOUNDS: &str = "x=0:100,y=0:10";
const PLACES: [[f64; 2]; 3] = [[15.0, 2.0], [50.0, 8.0], [85.0, 3.0]];

/// A custodian's rows: so many of each of three groups, and none alike.
fn rows(of: [usize; 3], first: usize) -> Vec<f64> {
    let mut rows = Vec::new();
    for (place, count) in PLACES.iter().zip(of) {
        for i in first..first + count {
            let (a, b) = ((i * 37 % 101) as f64 / 101.0 - 0.5, (i * 53 % 97) as f64 / 97.0 - 0.5);
            rows.extend([place[0] + 12.0 * a, place[1] + 1.5 * b]);
        }
    }
    rows
}

fn fit(k: usize, epsilon: &str) -> Fit {
    Fit::new(k, epsilon).unwrap().bounds(BOUNDS).unwrap()
}

fn table(rows: &[f64]) -> Matrix<'_> {
    Matrix::from_rows(&["x", "y"], rows).unwrap()
}

fn release(name: &str, model: Model) -> (String, MergeRelease) {
    (name.into(), MergeRelease::Model(Box::new(model)))
}

/// The releases of three custodians with clusters of their own.
fn models(epsilons: [&str; 3]) -> Vec<(String, MergeRelease)> {
    let of = [[800, 800, 800], [1500, 200, 600], [100, 100, 2000]];
    let all = of.into_iter().zip(epsilons).zip(["north", "south", "east"]).enumerate();
    all.map(|(i, ((of, epsilon), name))| release(name, fit(3, epsilon).run(table(&rows(of, 1000 * i))).unwrap()))
        .collect()
}

fn synopses(method: &str) -> Vec<(String, MergeRelease)> {
    let of = [[800, 800, 800], [1500, 200, 600], [100, 100, 2000]];
    let one = |(i, of): (usize, [usize; 3])| {
        let fit = fit(3, "2").method(method).unwrap().keep_cells();
        let file = fit.run_fully(table(&rows(of, 1000 * i))).unwrap().synopsis.unwrap();
        (format!("custodian {i}"), MergeRelease::Synopsis(Box::new(file)))
    };
    of.into_iter().enumerate().map(one).collect()
}

/// Clusters of all rows: 2400 of the first group, 1100 of the second, 3400 of the third.
fn assert_found(merged: &Model) {
    let mut found: Vec<(f64, f64, f64)> =
        (0..3).map(|j| (merged.centres[j][0], merged.centres[j][1], merged.sizes[j])).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    for ((x, y, size), (place, rows)) in found.iter().zip(PLACES.iter().zip([2400.0, 1100.0, 3400.0])) {
        assert!((x - place[0]).abs() < 4.0 && (y - place[1]).abs() < 0.6, "{found:?}");
        assert!((size - rows).abs() < 350.0, "{found:?}");
    }
}

fn code(error: Error) -> &'static str {
    assert!(!error.to_string().is_empty());
    error.code()
}

#[test]
fn models_become_the_clusters_of_all_rows() {
    let merged = Merge::new(3).unwrap().seed(1).run_releases(models(["2", "1", "3"])).unwrap();
    assert_found(&merged);
    assert_eq!(merged.method, "merge/models");
    let certainty = merged.certainty.as_ref().unwrap();
    assert_eq!((certainty.intervals.len(), certainty.size_intervals.len(), certainty.stability.len()), (3, 3, 3));
    assert!(certainty.stability.iter().all(|share| *share > 0.9), "{:?}", certainty.stability);
    // Nothing is spent, and what was paid is there for each custodian.
    assert_eq!(merged.spent.as_ref().unwrap().epsilon.to_string(), "0");
    assert_eq!(merged.paid_before, None);
    let from = merged.merged_from.as_ref().unwrap();
    assert_eq!(from.paid(), "north ε = 2, south ε = 1, east ε = 3");
    // It is a model like any other.
    assert_eq!(Model::from_json(&merged.to_json()).unwrap(), merged);
    assert!(merged.to_string().contains("cluster 1:"));
}

#[test]
fn synopses_become_the_clusters_of_all_rows() {
    for method in ["auto", "tree", "eugkm"] {
        let merged = Merge::new(3).unwrap().seed(1).run_releases(synopses(method)).unwrap();
        assert_found(&merged);
        assert_eq!(merged.method, "merge/synopses");
        let certainty = merged.certainty.as_ref().unwrap();
        assert!(certainty.evidence.is_some() && certainty.stability.iter().all(|share| *share > 0.9), "{method}");
        assert_eq!(Model::from_json(&merged.to_json()).unwrap(), merged);
    }
}

#[test]
fn the_number_of_clusters_is_chosen_on_cells_and_not_on_models() {
    let merged = Merge::new("auto").unwrap().seed(1).run_releases(synopses("tree")).unwrap();
    assert_eq!(merged.k(), 3, "{merged}");
    let refused = Merge::new("auto").unwrap().run_releases(models(["1", "1", "1"])).unwrap_err();
    assert_eq!(code(refused), "k-of-models");
}

#[test]
fn the_same_seed_gives_the_same_model_and_takes_no_guarantee() {
    let releases = models(["1", "1", "1"]);
    let merge = |seed: u64, threads: usize| {
        Merge::new(3).unwrap().seed(seed).threads(threads).run_releases(releases.clone()).unwrap()
    };
    assert_eq!(merge(4, 1), merge(4, 2));
    assert!(merge(4, 1).guarantee.claim().is_some());
}

/// What is wrong with what a merged model promises, given the ε of its releases.
fn fault(guarantee: &Guarantee, also: &[Claim], largest: &str, sum: &str, seeded: bool) -> Option<&'static str> {
    let pure = |text: &str| Loss::Pure(text.parse().unwrap());
    match guarantee {
        Guarantee::Holds(_) if seeded => Some("seeded noise is no noise"),
        Guarantee::Holds(claim) if !pure(largest).implies(&claim.loss) => Some("less than the largest loss is claimed"),
        Guarantee::Holds(claim) if !claim.assumes.contains(&Assumption::OneCustodianPerPerson) => Some("no condition"),
        Guarantee::Holds(_) if also.len() != 1 || !pure(sum).implies(&also[0].loss) => Some("the sum is missing"),
        Guarantee::Void { .. } if !seeded => Some("a guarantee was lost"),
        _ => None,
    }
}

#[test]
fn the_claim_is_the_largest_loss_and_the_sum_for_people_in_all_tables() {
    let merged = Merge::new(3).unwrap().reruns(0).run_releases(models(["2", "1", "3"])).unwrap();
    assert_eq!(fault(&merged.guarantee, &merged.also, "3", "6", false), None);
    let sentence = merged.facts().guarantee.sentence();
    assert!(sentence.contains("ε = 3 when one row is added or removed"), "{sentence}");
    assert!(sentence.contains("nobody is in the tables of two custodians"), "{sentence}");
    let also = &merged.facts().also;
    assert!(also.len() == 1 && also[0].contains("ε = 6 when one person, with all their rows"), "{also:?}");
    // The checks above reject what they are for.
    let Guarantee::Holds(claim) = &merged.guarantee else { panic!("no claim") };
    let smallest = Claim { loss: Loss::Pure("1".parse().unwrap()), ..claim.clone() };
    assert!(fault(&Guarantee::Holds(smallest), &merged.also, "3", "6", false).is_some());
    let mut without = claim.clone();
    without.assumes.remove(&Assumption::OneCustodianPerPerson);
    assert!(fault(&Guarantee::Holds(without), &merged.also, "3", "6", false).is_some());
    assert!(fault(&merged.guarantee, &merged.also, "3", "6", true).is_some());
    assert!(fault(&merged.guarantee, &[], "3", "6", false).is_some());
}

#[test]
fn one_seeded_release_takes_the_guarantee_from_all() {
    for place in 0..3 {
        let mut releases = models(["1", "1", "1"]);
        releases[place] = release("seeded", fit(3, "1").seed(9).run(table(&rows([500, 500, 500], 77))).unwrap());
        let merged = Merge::new(3).unwrap().reruns(0).run_releases(releases).unwrap();
        assert_eq!(fault(&merged.guarantee, &merged.also, "1", "3", true), None);
        assert_eq!(merged.guarantee, Guarantee::Void { none: NoGuarantee::Seeded });
        assert!(merged.seeded && merged.also.is_empty() && merged.spent.is_none());
        assert_eq!(merged.merged_from.unwrap().custodians[place].paid_before, None);
        assert!(merged.guarantee.sentence().starts_with("NO PRIVACY"));
    }
    // A file whose flag says so, whatever it claims.
    let mut releases = models(["1", "1", "1"]);
    let MergeRelease::Model(model) = &mut releases[1].1 else { panic!("a model") };
    model.seeded = true;
    let merged = Merge::new(3).unwrap().reruns(0).run_releases(releases).unwrap();
    assert!(merged.guarantee.is_seeded());
    // The same for cells.
    let mut releases = synopses("tree");
    let file = fit(3, "2").method("tree").unwrap().keep_cells().seed(4).run_fully(table(&rows([300; 3], 5))).unwrap();
    releases[2].1 = MergeRelease::Synopsis(Box::new(file.synopsis.unwrap()));
    assert!(Merge::new(3).unwrap().reruns(0).run_releases(releases).unwrap().guarantee.is_seeded());
}

#[test]
fn releases_that_promise_different_things_are_refused() {
    let with = |neighbours: Neighbours| {
        let mut releases = models(["1", "1", "1"]);
        let MergeRelease::Model(model) = &mut releases[2].1 else { panic!("a model") };
        let assumes = [Assumption::BoundsPublic].into();
        let loss = Loss::Pure("1".parse().unwrap());
        model.guarantee = Guarantee::Holds(Claim { neighbours, loss, numerics: Numerics::Exact, assumes });
        Merge::new(3).unwrap().run_releases(releases)
    };
    for neighbours in [Neighbours::ReplaceOne, Neighbours::AddRemovePerson, Neighbours::AnyTwoInputs] {
        let refused = with(neighbours).unwrap_err();
        assert!(refused.to_string().contains("east"), "{refused}");
        assert_eq!(code(refused), "other-neighbours");
    }
    // All of them with a public number of rows agree.
    let public = |i: usize| fit(3, "1").rows_public().run(table(&rows([500; 3], 1000 * i))).unwrap();
    let merged = Merge::new(3).unwrap().reruns(0);
    let merged = merged.run_releases(vec![release("a", public(0)), release("b", public(1))]).unwrap();
    let claim = merged.guarantee.claim().unwrap();
    assert_eq!((&claim.neighbours, &claim.loss), (&Neighbours::ReplaceOne, &Loss::Pure("2".parse().unwrap())));
    assert_eq!(merged.also[0].loss, Loss::Pure("4".parse().unwrap()));
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let merge = |k: usize| Merge::new(k).unwrap().reruns(0);
    let model = |bounds: &str, columns: [&str; 2]| {
        let rows = rows([300; 3], 0);
        Fit::new(3, "1").unwrap().bounds(bounds).unwrap().run(Matrix::from_rows(&columns, &rows).unwrap()).unwrap()
    };
    let (own, other) = (model(BOUNDS, ["x", "y"]), model(BOUNDS, ["x", "y"]));
    let pair = |second: Model| vec![release("north", own.clone()), release("south", second)];
    assert!(merge(3).run_releases(pair(other.clone())).is_ok());
    assert_eq!(code(merge(3).run_releases(vec![release("north", own.clone())]).unwrap_err()), "too-few-releases");
    assert_eq!(code(merge(7).run_releases(pair(other.clone())).unwrap_err()), "too-few-to-merge");
    assert_eq!(code(merge(3).run_releases(pair(own.clone())).unwrap_err()), "same-release-twice");
    // Not even with its clusters in another order.
    let renumbered = own.clone().matched_with(&other).unwrap();
    assert_eq!(code(merge(3).run_releases(pair(renumbered)).unwrap_err()), "same-release-twice");
    let wider = model("x=0:120,y=0:10", ["x", "y"]);
    let refused = merge(3).run_releases(pair(wider)).unwrap_err();
    assert!(refused.to_string().contains("x are 0:100 in north and 0:120 in south"), "{refused}");
    assert_eq!(code(refused), "bounds-differ");
    let weighted = fit(3, "1").weight("y=0.5").unwrap().run(table(&rows([300, 300, 300], 0))).unwrap();
    assert_eq!(code(merge(3).run_releases(pair(weighted)).unwrap_err()), "scales-differ");
    let renamed = model("x=0:100,z=0:10", ["x", "z"]);
    assert_eq!(code(merge(3).run_releases(pair(renamed)).unwrap_err()), "columns-differ");
    let merged = merge(3).run_releases(pair(other.clone())).unwrap();
    assert_eq!(code(merge(3).run_releases(pair(merged)).unwrap_err()), "merged-already");
    let mixed = vec![release("north", own.clone()), synopses("tree").remove(0)];
    assert_eq!(code(merge(3).run_releases(mixed).unwrap_err()), "models-and-synopses");
    let mut twice = synopses("tree");
    twice[2] = ("copy".into(), twice[0].1.clone());
    assert_eq!(code(merge(3).run_releases(twice).unwrap_err()), "same-release-twice");
    let mut reports = Vec::new();
    let perturb = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap();
    perturb.run_to(table(&rows([100; 3], 0)), &mut reports, Form::Csv).unwrap();
    let crowd = Cluster::new(3).unwrap().run([Source::Memory(reports.clone())]).unwrap();
    assert_eq!(code(merge(3).run_releases(pair(crowd)).unwrap_err()), "model-of-a-crowd");
    let json = own.to_json().into_bytes();
    let beside = |bytes: Vec<u8>| merge(3).run([Source::Memory(json.clone()), Source::Memory(bytes)]).unwrap_err();
    assert_eq!(code(beside(reports)), "nothing-to-merge");
    // Damaged, unfinished, edited, of another version, and no model at all.
    let unfinished = json[..json.len() / 2].to_vec();
    for (bytes, reason) in [
        (unfinished, "not-a-model"),
        (Vec::new(), "not-a-model"),
        (b"age,hours\n17,40\n".to_vec(), "not-a-model"),
        (vec![0xff, 0xfe, 0x00], "nothing-to-merge"),
        (b"PAR1 and then nothing".to_vec(), "not-a-model"),
        (
            String::from_utf8(json.clone()).unwrap().replacen("\"version\": 1", "\"version\": 99", 1).into(),
            "model-version",
        ),
        (String::from_utf8(json.clone()).unwrap().replacen("\"x\"", "\"x\", \"w\"", 1).into(), "model-inconsistent"),
    ] {
        let refused = beside(bytes);
        assert!(refused.to_string().contains("release 2"), "{refused}");
        assert_eq!(code(refused), reason);
    }
    let missing = merge(3).run([Source::Path("no-such-model.json".into()), Source::Memory(json.clone())]).unwrap_err();
    assert!(missing.to_string().contains("no-such-model.json"), "{missing}");
    let error = ConsortiumError::ModelToMerge { name: "a".into(), source: ModelError::Version { found: 3 } };
    assert_eq!(error.code(), "model-version");
}

#[test]
fn models_without_sizes_and_odd_numbers_are_merged() {
    let mut releases = models(["2", "2", "2"]);
    for (_, release) in &mut releases {
        let MergeRelease::Model(model) = release else { panic!("a model") };
        model.sizes.clear();
        model.size_sd.clear();
        model.certainty = None;
    }
    let merged = Merge::new(3).unwrap().seed(1).run_releases(releases).unwrap();
    assert!(merged.sizes.is_empty() && merged.certainty.as_ref().unwrap().intervals_at_least);
    let mut releases = models(["2", "2", "2"]);
    for (i, (_, release)) in releases.iter_mut().enumerate() {
        let MergeRelease::Model(model) = release else { panic!("a model") };
        model.sizes = vec![[-50.0, 0.0, 1e300][i]; 3];
        model.size_sd = vec![[0.0, 1e300, 1.0][i]; 3];
        model.centre_sd = vec![vec![[0.0, 1e9, f64::MAX][i]; 2]; 3];
    }
    let merged = Merge::new(3).unwrap().seed(1).run_releases(releases.clone()).unwrap();
    assert!(merged.centres.iter().flatten().all(|x| x.is_finite()));
    assert!(Model::from_json(&merged.to_json()).is_ok());
    for (_, release) in &mut releases {
        let MergeRelease::Model(model) = release else { panic!("a model") };
        model.sizes = vec![0.0; 3];
    }
    // Tables of which no row shows still have centres.
    let merged = Merge::new(2).unwrap().seed(1).run_releases(releases).unwrap();
    assert!(Model::from_json(&merged.to_json()).is_ok());
}

#[test]
fn one_cluster_and_as_many_as_there_are() {
    let releases = models(["2", "2", "2"]);
    for k in [1, 9] {
        let merged = Merge::new(k).unwrap().seed(1).run_releases(releases.clone()).unwrap();
        assert_eq!(merged.k(), k);
        assert!((merged.sizes.iter().sum::<f64>() - 6900.0).abs() < 700.0, "{:?}", merged.sizes);
    }
}
