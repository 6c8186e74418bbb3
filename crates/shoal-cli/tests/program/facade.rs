//! Every command beside its twin in the library: with the same seed they give the same numbers, and without one they make
//! the same claim. The program adds nothing to a guarantee and leaves nothing out.

use serde_json::{Value, json};
use shoal::consortium::{self, Agree, Decode, Group, Grouping, Merge, Metric, Pool, Price};
use shoal::{
    Cluster, Encode, EstimateBounds, Fit, Ledger, Perturb, Perturbation, Plan, PlanTarget, Predict, Radius, Score,
    ServerMethod,
};
use shoal_consortium::AgreementFile;
use shoal_consortium::codes_file::CodesFile;
use shoal_crowd::report_file::Form;
use shoal_curator::Knobs;
use shoal_device::{Ending, Sampler};
use shoal_files::{Missing, Source};
use shoal_privacy::ThisIsNotPrivate;

use crate::common::{IRIS_BOUNDS, Place, iris};

/// A table with gaps, groups and values outside the bounds.
fn people(place: &Place) -> String {
    let mut csv = String::from("age,hours,group\n");
    for i in 0..600 {
        let (age, hours) = if i % 3 == 0 { (70 + i % 5, 5 + i % 7) } else { (25 + i % 11, 38 + i % 9) };
        let age = if i % 97 == 5 { String::new() } else { age.to_string() };
        csv.push_str(&format!("{age},{hours},{}\n", i % 3 == 0));
    }
    place.write("people.csv", csv).to_string_lossy().into_owned()
}

fn printed(place: &Place, args: &[&str]) -> Value {
    let run = place.run(&[args, &["--format", "json"]].concat());
    serde_json::from_str(&run.out()).unwrap_or_else(|_| panic!("{args:?}: {}", run.err()))
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

type Change = fn(Fit) -> Fit;
type ServerChange = fn(Cluster) -> Cluster;

#[test]
fn fits_are_the_same() {
    let place = Place::new();
    let (table, iris) = (people(&place), iris().to_string_lossy().into_owned());
    let bounds = "age=17:90,hours=1:99";
    let cases: [(&str, &str, &[&str], &str, Change); 12] = [
        ("2", "1", &["--missing", "drop"], bounds, |fit| fit.missing(Missing::Drop)),
        ("2", "1", &["--missing", "drop", "--rows-public"], bounds, |fit| fit.missing(Missing::Drop).rows_public()),
        ("auto", "2", &["--missing", "drop", "--rows", "600"], bounds, |fit| fit.missing(Missing::Drop).rows(600)),
        ("3", "1", &["--columns", "hours"], "1,99", |fit| fit.columns(["hours"])),
        ("3", "1", &[], IRIS_BOUNDS, |fit| fit),
        ("3", "1", &["--rows-public"], IRIS_BOUNDS, Fit::rows_public),
        ("3", "1", &["--delta", "1e-6", "--method", "knorm-lloyd"], IRIS_BOUNDS, |fit| {
            fit.delta("1e-6").unwrap().method("knorm-lloyd").unwrap()
        }),
        ("2", "1", &["--method", "eugkm", "--theta", "5"], IRIS_BOUNDS, |fit| {
            fit.method("eugkm").unwrap().knobs(Knobs { theta: Some(5.0), ..Knobs::default() })
        }),
        ("2", "1", &["--method", "hybrid", "--rows", "150"], IRIS_BOUNDS, |fit| {
            fit.method("hybrid").unwrap().rows(150)
        }),
        ("2", "4", &["--columns", "sepal_length,petal_length"], "auto:10%", |fit| {
            fit.columns(["sepal_length", "petal_length"])
        }),
        ("2", "4", &["--columns", "sepal_length", "--rows-public"], "auto:0.5", |fit| {
            fit.columns(["sepal_length"]).rows_public()
        }),
        ("2", "1", &["--threads", "1", "--memory", "1M"], IRIS_BOUNDS, |fit| fit.threads(1).memory(1 << 20)),
    ];
    for (k, epsilon, options, bounds, change) in cases {
        let data = if bounds.contains("age") || bounds == "1,99" { &table } else { &iris };
        let fit = change(Fit::new(k, epsilon).unwrap().bounds(bounds).unwrap());
        let args = [&["fit", data, "-k", k, "-e", epsilon, "-b", bounds][..], options].concat();
        let seeded = printed(&place, &[&args[..], &["--seed", "7"]].concat());
        assert_eq!(seeded, value(&fit.clone().seed(7).run(data.as_str()).unwrap().to_json()), "{args:?}");
        let (shown, made) = (printed(&place, &args), value(&fit.run(data.as_str()).unwrap().to_json()));
        for part in ["guarantee", "also", "published", "spent"] {
            assert_eq!(shown[part], made[part], "{args:?}: {part}");
        }
        assert!(
            made["guarantee"]["assumes"]
                .as_array()
                .unwrap()
                .iter()
                .any(|a| a == "rows-complete" || a == "rows-readable")
        );
    }
}

#[test]
fn bounds_and_plans_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    let job = EstimateBounds::new("2").unwrap().columns(["sepal_length", "petal_width"]);
    let args = ["bounds", &iris, "-e", "2", "--columns", "sepal_length,petal_width"];
    let seeded = printed(&place, &[&args[..], &["--seed", "3"]].concat());
    let found = job.clone().seed(3).run(iris.as_str()).unwrap();
    for (column, interval) in seeded["columns"].as_array().unwrap().iter().zip(found.bounds.intervals()) {
        assert_eq!(column["bounds"], serde_json::to_value(interval).unwrap());
    }
    let (shown, found) = (printed(&place, &args), job.run(iris.as_str()).unwrap());
    assert_eq!(shown["guarantee"], serde_json::to_value(&found.guarantee).unwrap());
    assert_eq!(shown["spent"], json!({ "epsilon": found.spent.unwrap().epsilon }));

    let shown = printed(&place, &["plan", "--rows", "5000", "--dims", "4", "-k", "3", "-e", "0.5", "--delta", "1e-6"]);
    let plan = Plan::new(5000, 4, 3, "0.5").unwrap().delta("1e-6").unwrap().run().unwrap();
    assert_eq!(shown["predictions"], serde_json::to_value(&plan.predictions).unwrap());
    assert_eq!(shown["auto"]["route"], plan.route.name());
    assert_eq!(shown["expected"]["found"], json!(plan.accuracy.found));
    assert_eq!(shown["expected"]["centre"]["typical"], json!(plan.accuracy.centre));
    assert_eq!(shown["expected"]["size"]["typical"], json!(plan.accuracy.size));
    let text =
        place.run(&["plan", "--rows", "5000", "--dims", "4", "-k", "3", "-e", "0.5", "--delta", "1e-6"]).ok().out();
    let lines: Vec<String> = plan.to_string().lines().take(6).map(str::to_string).collect();
    assert!(lines.iter().all(|line| text.contains(line)), "{text}\n{plan}");

    let target = ["plan", "-k", "3", "--bounds", "age=0:110", "--dims", "4", "--target", "age=2", "--rows", "5000"];
    let shown = printed(&place, &[&target[..], &["--spread", "5%"]].concat());
    let found = PlanTarget::new(4, 3, "age=2").unwrap().bounds("age=0:110").unwrap().rows(5000).unwrap();
    let found = found.spread(0.05).unwrap().run().unwrap();
    assert_eq!(shown["epsilon_needed"]["value"], json!(found.epsilon.as_ref().unwrap().value()));
    assert_eq!(shown["table"].as_array().unwrap().len(), found.around.len());
    assert_eq!(shown["target"], json!(found.wanted));
}

#[test]
fn reports_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    let cases: [(&[&str], Perturbation, Sampler); 5] = [
        (&[], Perturbation::Bpm(Radius::Information), Sampler::Exact),
        (&["--radius", "0.5", "--sampler", "doubles"], Perturbation::Bpm(Radius::Given(0.5)), Sampler::Doubles),
        (&["--mechanism", "laplace"], Perturbation::Laplace, Sampler::Exact),
        (
            &["--mechanism", "nd-laplace", "--ending", "clamped"],
            Perturbation::NdLaplace(Ending::Clamped),
            Sampler::Exact,
        ),
        (&["--mechanism", "laplace-metric"], Perturbation::LaplaceMetric, Sampler::Exact),
    ];
    for (options, mechanism, sampler) in cases {
        let args =
            [&["perturb", &iris, "-e", "6", "-b", IRIS_BOUNDS, "--out", "r.csv", "--seed", "5"][..], options].concat();
        printed(&place, &args);
        let job = Perturb::new("6").unwrap().bounds(IRIS_BOUNDS).unwrap().mechanism(mechanism).sampler(sampler);
        let mut bytes = Vec::new();
        job.clone().seed(5).run_to(iris.as_str(), &mut bytes, Form::Csv).unwrap();
        assert_eq!(place.read("r.csv").into_bytes(), bytes, "{options:?}");
        let args = [&["perturb", &iris, "-e", "6", "-b", IRIS_BOUNDS, "--out", "r.csv"][..], options].concat();
        let (shown, made) = (printed(&place, &args), job.run_to(iris.as_str(), Vec::new(), Form::Parquet).unwrap());
        assert_eq!(shown["guarantee"], serde_json::to_value(&made.promises.guarantee).unwrap(), "{options:?}");
        assert_eq!(shown["also"], serde_json::to_value(&made.promises.also).unwrap(), "{options:?}");
    }
}

#[test]
fn clusters_of_released_files_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    place.run(&["perturb", &iris, "-e", "12", "-b", IRIS_BOUNDS, "--out", "r.parquet"]).out();
    place
        .run(&["fit", &iris, "-k", "2", "-e", "1", "-b", IRIS_BOUNDS, "--method", "eugkm", "--synopsis", "s.parquet"])
        .out();
    let cases: [(&str, &str, &[&str], ServerChange); 5] = [
        ("r.parquet", "3", &[], |job| job),
        ("r.parquet", "auto:4", &[], |job| job),
        ("r.parquet", "3", &["--method", "kmeans"], |job| job.method(ServerMethod::KMeans)),
        ("r.parquet", "2", &["--method", "tk-means", "--inits", "2"], |job| {
            job.method(ServerMethod::TkMeans).restarts(2)
        }),
        ("s.parquet", "4", &["--iterations", "9"], |job| job.iterations(9)),
    ];
    for (file, k, options, change) in cases {
        let shown = printed(&place, &[&["cluster", file, "-k", k, "--seed", "2"][..], options].concat());
        let job = change(Cluster::new(k).unwrap().seed(2));
        let model = job.run([Source::Path(place.path(file))]).unwrap();
        assert_eq!(shown, value(&model.to_json()), "{file} {k} {options:?}");
    }
}

#[test]
fn labels_and_scores_are_the_same() {
    let place = Place::new();
    let table = people(&place);
    place
        .run(&[
            "fit",
            &table,
            "-k",
            "2",
            "-e",
            "3",
            "-b",
            "age=17:90,hours=1:99",
            "--missing",
            "drop",
            "--out",
            "m.json",
        ])
        .out();
    let model = shoal::Model::from_json(&place.read("m.json")).unwrap();
    let shown = printed(&place, &["predict", "m.json", &table, "--missing", "drop"]);
    let labels =
        Predict::new(&model).unwrap().missing(Missing::Drop).run(table.as_str()).unwrap().reveal(ThisIsNotPrivate);
    let labels: Vec<Value> = labels
        .iter()
        .map(|found| json!({ "row": found.row, "label": found.label.map(|x| x + 1), "distance": found.distance }))
        .collect();
    assert_eq!(shown["labels"], Value::from(labels));
    let shown = printed(&place, &["score", &table, "--model", "m.json", "--labels", "group", "--missing", "drop"]);
    let job = Score::new(&model).unwrap().labels("group").missing(Missing::Drop);
    let scores = job.run(table.as_str()).unwrap().reveal(ThisIsNotPrivate);
    assert_eq!(shown, serde_json::to_value(&scores).unwrap());
}

#[test]
fn codes_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    let init = ["consortium", "init", "--bounds", IRIS_BOUNDS, "--bits", "40", "--epsilon", "0.5", "--out", "a.json"];
    printed(&place, &init);
    let file = AgreementFile::read(&place.path("a.json")).unwrap();
    let encode = |more: &[&str]| {
        let args = ["consortium", "encode", &iris, "--agreement", "a.json", "--out", "c.parquet"];
        printed(&place, &[&args[..], more].concat());
        let bytes = std::fs::read(place.path("c.parquet")).unwrap();
        std::fs::remove_file(place.path("c.parquet")).unwrap();
        bytes
    };
    let mut bytes = Vec::new();
    Encode::new(file.clone()).seed(4).run_to(iris.as_str(), &mut bytes).unwrap();
    assert_eq!(encode(&["--seed", "4"]), bytes);

    let mut made = Vec::new();
    let coded = Encode::new(file).limit("200", None).unwrap().run_to(iris.as_str(), &mut made).unwrap();
    let read = |bytes| CodesFile::read(vec![Source::Memory(bytes)], 1 << 30).unwrap();
    let (shown, made) = (read(encode(&["--max-epsilon", "200"])), read(made));
    assert_eq!(shown.parts[0].said, made.parts[0].said);
    assert_eq!(made.parts[0].said, coded.promise.guarantee);
}

/// Agreements, distances, clusters and prices of a consortium.
#[test]
fn jobs_of_a_consortium_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    let init = |more: &[&str]| {
        let args = ["consortium", "init", "--bounds", IRIS_BOUNDS, "--bits", "40", "--epsilon", "1/3", "--out"];
        printed(&place, &[&args[..], more].concat())
    };
    let agree = Agree::new(IRIS_BOUNDS).unwrap().bits(40).epsilon("1/3").unwrap();
    let (shown, agreed) = (init(&["a.json", "--seed", "9"]), agree.clone().seed(9).run().unwrap());
    assert_eq!(place.read("a.json"), agreed.to_json());
    assert_eq!(shown["promise"]["guarantee"], json!(agreed.promise.guarantee));
    assert_eq!(shown["distance_error"], json!(agreed.worth));
    assert_eq!(shown["seeded"], true);
    // Without a seed the secret differs and the claim does not.
    let (shown, agreed) = (init(&["b.json"]), agree.run().unwrap());
    assert_eq!(shown["promise"]["guarantee"], json!(agreed.promise.guarantee));
    assert_ne!(place.read("b.json"), agreed.to_json());

    let file = AgreementFile::read(&place.path("a.json")).unwrap();
    let mut codes = Vec::new();
    Encode::new(file.clone()).limit("200", None).unwrap().id("label_of").run_to(named(&iris), &mut codes).unwrap();
    place.write("c.parquet", &codes);
    place.write("own.csv", named_table(&iris));
    let read = |pool: Pool<'_>| pool.read([Source::Path(place.path("c.parquet"))]).unwrap();
    let own = || Pool::new().own(place.path("own.csv"), "petal_length=1:7", Some("label_of")).unwrap();
    let beside = ["--own", "own.csv", "--own-bounds", "petal_length=1:7", "--id", "label_of"];

    type Decoding = fn(Decode) -> Decode;
    let decodings: [(&[&str], bool, Decoding); 5] = [
        (&[], false, |job| job),
        (&["--method", "hamming-sum"], false, |job| job.metric(Metric::HammingSum)),
        (&["--pairs", "1,2;5,140"], false, |job| job.pairs([(1, 2), (5, 140)])),
        (&["--method", "eq19-unbiased"], false, |job| job.metric(Metric::Eq19Unbiased)),
        (&beside, true, |job| job),
    ];
    for (options, with_own, change) in decodings {
        let args = [&["consortium", "distances", "c.parquet", "--out", "d.csv"], options].concat();
        let shown = printed(&place, &args);
        let pooled = read(if with_own { own() } else { Pool::new() });
        let found = change(Decode::new()).run(&pooled).unwrap();
        let rows: String = found.distances.iter().map(|(i, j, d)| format!("{i},{j},{d}\n")).collect();
        assert_eq!(place.read("d.csv"), format!("i,j,distance\n{rows}"), "{options:?}");
        assert_eq!(shown["method"], found.metric.name());
        assert_eq!(shown["promise"]["guarantee"], json!(pooled.promise().guarantee));
    }

    let groups: [(&[&str], bool, Group); 6] = [
        (&["-k", "3"], false, Group::new(Grouping::KCluster).k(3)),
        (
            &["-k", "4", "--metric", "hamming-sum", "--starts", "2", "--own-record", "as-printed"],
            false,
            Group::new(Grouping::KCluster)
                .k(4)
                .metric(Metric::HammingSum)
                .starts(2)
                .own_record(shoal_kernel::OwnRecord::AsPrinted),
        ),
        (
            &["--method", "dbscan", "--radius", "0.3", "--min-points", "3"],
            false,
            Group::new(Grouping::Dbscan).radius(0.3).min_points(3),
        ),
        (
            &["--method", "dbscan", "--radius", "0.3", "--min-points", "3", "--metric", "eq19-unbiased"],
            false,
            Group::new(Grouping::Dbscan).radius(0.3).min_points(3).metric(Metric::Eq19Unbiased),
        ),
        (&["--method", "hierarchical", "-k", "3"], false, Group::new(Grouping::Hierarchical).k(3)),
        (&[&["-k", "2"][..], &beside].concat(), true, Group::new(Grouping::KCluster).k(2)),
    ];
    for (options, with_own, job) in groups {
        let args = [&["consortium", "cluster", "c.parquet", "--seed", "3"], options].concat();
        let shown = printed(&place, &args);
        let pooled = read(if with_own { own() } else { Pool::new() });
        let found = job.seed(3).run(&pooled).unwrap();
        let labels: Vec<Option<u32>> = found.labels.iter().map(|label| label.map(|label| label + 1)).collect();
        assert_eq!(shown["labels"], json!(labels), "{options:?}");
        assert_eq!(shown["objective"], json!(found.objective), "{options:?}");
        assert_eq!(shown["metric"], found.metric.name());
        let within: Vec<Option<f64>> = found.clusters.iter().map(|cluster| cluster.within).collect();
        let shown_within: Vec<&Value> =
            shown["clusters"].as_array().unwrap().iter().map(|cluster| &cluster["distance_within"]).collect();
        assert_eq!(json!(shown_within), json!(within), "{options:?}");
        assert_eq!(shown["promise"]["guarantee"], json!(pooled.promise().guarantee));
    }
}

/// The sepals of iris with a name for each row.
fn named_table(iris: &str) -> String {
    let table = std::fs::read_to_string(iris).unwrap();
    let rows = table.lines().enumerate().map(|(i, row)| {
        let name = if i == 0 { "label_of".into() } else { format!("p{i}") };
        format!("{row},{name}\n")
    });
    rows.collect()
}

fn named(iris: &str) -> Source {
    Source::Memory(named_table(iris).into_bytes())
}

#[test]
fn merges_and_plans_of_a_consortium_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    for (i, name) in ["north", "south"].into_iter().enumerate() {
        let (out, cells) = (format!("{name}.json"), format!("{name}.parquet"));
        let seed = (20 + i).to_string();
        let fit = ["fit", &iris, "-k", "3", "-e", "4", "-b", IRIS_BOUNDS, "-m", "tree", "--seed", &seed];
        printed(&place, &[&fit[..], &["--out", &out, "--synopsis", &cells]].concat());
    }
    for (files, k) in [(["north.json", "south.json"], "3"), (["north.parquet", "south.parquet"], "auto")] {
        let args = ["consortium", "merge", files[0], files[1], "-k", k, "--seed", "7"];
        let shown = printed(&place, &[&args[..], &["--inits", "9", "--iterations", "20"]].concat());
        let job = Merge::new(k).unwrap().seed(7).restarts(9).iterations(20);
        let made = job.run(files.map(|file| Source::Path(place.path(file)))).unwrap();
        assert_eq!(shown, value(&made.to_json()));
    }
    let args = ["consortium", "plan", "--rows", "9000", "--custodians", "3", "--dims", "4", "-k", "3", "-e", "0.5"];
    let shown = printed(&place, &[&args[..], &["--bounds", "age=0:110", "--overlap", "5%"]].concat());
    let plan = consortium::Plan::new(9000, 3, 4, 3, "0.5").unwrap().bounds("age=0:110").unwrap();
    assert_eq!(shown, json!(plan.overlap(0.05).unwrap().run().unwrap()));
}

#[test]
fn rehearsals_and_their_verification_are_the_same() {
    let place = Place::new();
    let iris = iris().to_string_lossy().into_owned();
    let args = ["consortium", "rehearse", &iris, &iris, "-b", IRIS_BOUNDS, "-k", "3", "-e", "8", "--rows", "300"];
    let files = ["--seed", "5", "--transcript", "run.jsonl", "--charter", "charter.toml", "--out", "model.json"];
    let shown = printed(&place, &[&args[..], &files].concat());
    let job = consortium::SplitRehearsal::new(IRIS_BOUNDS, 2, 2).unwrap().rows(300).seed(5);
    let made = job.run(3, "8", [Source::Path(iris.clone().into()), Source::Path(iris.into())]).unwrap();
    assert_eq!(shown, value(&made.fitted.model.to_json()));
    let verified =
        consortium::SplitFit::verify(&made.charter, &made.fitted.transcript, Some(&made.fitted.model)).unwrap();
    let shown = printed(&place, &["consortium", "verify", "run.jsonl", "charter.toml", "--model", "model.json"]);
    assert_eq!(shown["model"], value(&verified.model.to_json()));
    assert_eq!(shown["epsilon_spent"], json!(verified.verified.spent.to_string()));
}

#[test]
fn prices_are_the_same() {
    let place = Place::new();
    let price = |more: &[&str]| printed(&place, &[&["consortium", "price"], more].concat());
    let same = |shown: Value, priced: Value| {
        for (key, value) in priced.as_object().unwrap() {
            assert_eq!(&shown[key], value, "{key}");
        }
    };
    let bounds = "age=17:90,hours=1:99";
    let job = || Price::of_bounds(bounds).unwrap();
    let few = job().bits(20).epsilon("0.5").unwrap().window(0.3).unwrap();
    let args = ["--bounds", bounds, "--bits", "20", "--epsilon", "0.5", "--window", "0.3"];
    same(price(&args), json!(few.run().unwrap()));
    let pure = few.clone().delta("0").unwrap().pairs_of(50).run().unwrap();
    same(price(&[&args[..], &["--delta", "0", "--partition", "decomposed", "--records", "50"]].concat()), json!(pure));
    same(price(&["--bounds", bounds, "--afford", "20"]), json!(job().afford("20").unwrap()));
    let range = Price::of_range("0:50", 3).unwrap().epsilon("1").unwrap().run().unwrap();
    same(price(&["--range", "0:50", "--attributes", "3", "--epsilon", "1"]), json!(range));
    printed(&place, &["consortium", "init", "-b", bounds, "--bits", "9", "-e", "1", "--seed", "1", "--out", "a.json"]);
    let file = AgreementFile::read(&place.path("a.json")).unwrap();
    same(price(&["--agreement", "a.json"]), json!(Price::of_agreement(&file).run().unwrap()));
}

/// Its job is in `shoal-reproduce`, which the library does not know.
#[cfg(feature = "reproduce")]
#[test]
fn comparisons_are_the_same() {
    use shoal_files::{BoundsSpec, Silent};
    use shoal_reproduce::comparators::Comparison;

    let place = Place::new();
    let iris = iris();
    let data = iris.to_string_lossy().into_owned();
    let args = ["consortium", "compare", &data, "-k", "3", "--labels", "label", "-b", IRIS_BOUNDS, "--seed", "5"];
    let few = ["--epsilon", "2", "--bits", "50", "--sigma", "1", "--kept", "0.5", "--runs", "2", "--starts", "2"];
    let shown = printed(&place, &[&args[..], &few].concat());
    let job = Comparison {
        epsilon: vec!["2".parse().unwrap()],
        bits: 50,
        sigma: vec![1.0],
        kept: vec![0.5],
        runs: 2,
        starts: 2,
        seed: 5,
        ..Comparison::new(3, "label", BoundsSpec::parse(IRIS_BOUNDS).unwrap())
    };
    let found = job.run(Source::Path(iris), &Silent, &|_, _| ()).unwrap().reveal(ThisIsNotPrivate);
    assert_eq!(shown["nmi"], json!(found.lines));
    assert_eq!(shown["rows"], json!(found.rows));
}

#[test]
fn ledgers_are_the_same() {
    let place = Place::new();
    let table = people(&place);
    place.run(&["ledger", "init", "people.csv", "-e", "2"]).out();
    let fit = ["fit", &table, "-k", "2", "-e", "0.5", "-b", "hours=1:99", "--ledger", "shoal.ledger"];
    assert_eq!(place.run(&fit).err(), "", "the fit is paid");
    let path = place.path("shoal.ledger");
    let same = Fit::new(2, "0.5").unwrap().bounds("hours=1:99").unwrap().ledger(&path, "people").unwrap();
    same.run(table.as_str()).unwrap();
    let entries = Ledger::open(&path).unwrap().entries("people").unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!((&entries[0].purpose, &entries[0].epsilon), (&entries[1].purpose, &entries[1].epsilon));
    let shown = printed(&place, &["ledger", "show", "people"]);
    assert_eq!(shown[0]["entries"].as_array().unwrap().len(), 2);
}
