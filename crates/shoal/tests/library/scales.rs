//! Stretched and weighted columns: the same claims on neighbouring tables, centres in the user's units, and every job that reads
//! a model understands them.

use shoal::{Cluster, Compare, Error, Fit, Model, Predict, Score};
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_files::{BoundsSpec, LatticeRows, Matrix, Missing, Rows, Silent, Source};
use shoal_lattice::{Scale, Scaling};
use shoal_privacy::ThisIsNotPrivate;

/// Incomes around 2,000 and 200,000, with ages that mean nothing.
fn rows(count: usize) -> Vec<f64> {
    let income = |i: usize| if i.is_multiple_of(2) { 2_000.0 } else { 200_000.0 } * (1.0 + (i % 5) as f64 / 20.0);
    (0..count).flat_map(|i| [20.0 + (i * 7 % 50) as f64, income(i)]).collect()
}

fn table(rows: &[f64]) -> Matrix<'_> {
    Matrix::from_rows(&["age", "income"], rows).unwrap()
}

fn fit() -> Fit {
    Fit::new(2, "8").unwrap().bounds("age=17:90,income=1000:1000000").unwrap().rows(2000).seed(11)
}

/// The incomes of the centres, in order.
fn incomes(model: &Model) -> Vec<f64> {
    let mut found: Vec<f64> = model.centres.iter().map(|centre| centre[1]).collect();
    found.sort_by(f64::total_cmp);
    found
}

#[test]
fn centres_of_logarithms_are_geometric_means_in_the_users_units() {
    let rows = rows(2000);
    let model = fit().scale("income=log").unwrap().run(table(&rows)).unwrap();
    let mean = |of: f64| of * (0..5).map(|i| (1.0 + f64::from(i) / 20.0_f64).ln()).sum::<f64>().exp().powf(0.2);
    for (found, of) in incomes(&model).iter().zip([2_000.0, 200_000.0]) {
        assert!((found / mean(of)).ln().abs() < 0.1, "{found} for {}", mean(of));
    }
    // Without the logarithm the small incomes are lost in the range, and age decides.
    let plain = fit().run(table(&rows)).unwrap();
    assert!(plain.scales.is_empty() && plain.weights.is_empty());
    // Errors are in the user's units around each centre: a small income has a small one.
    let sd = |low: bool| {
        let j = usize::from((model.centres[0][1] < model.centres[1][1]) != low);
        model.centre_sd[j][1] / model.centres[j][1]
    };
    assert!(sd(true) > 0.0 && sd(true) < 0.2 && sd(false) < 0.2, "{:?}", model.centre_sd);
    if let Some(certainty) = &model.certainty {
        for (row, centre) in certainty.intervals.iter().zip(&model.centres) {
            assert!((1000.0..=1e6).contains(&row[1][0]) && row[1][0] <= centre[1] && centre[1] <= row[1][1]);
        }
    }
    // Words for people and for programs.
    let json = model.to_json();
    assert!(json.contains("geometric mean") && json.contains("\"log\""), "{json}");
    assert!(model.to_string().contains("geometric mean"), "{model}");
    let read = Model::from_json(&json).unwrap();
    assert_eq!((read.to_json(), &read.centres, &read.scales), (json, &model.centres, &model.scales));
    assert_eq!(read.scale(1), &Scale::Log);
}

#[test]
fn claims_are_those_of_plain_columns_and_neighbours_differ_in_one_row_on_the_lattice() {
    let rows = rows(300);
    let scaling = Scaling::default().scales("income=log").unwrap().weights("age=0.5").unwrap();
    let (plain, scaled) = (fit(), fit().scale("income=log").unwrap().weight("age=0.5").unwrap());
    let claims = [plain, scaled].map(|fit| {
        let model = fit.run(table(&rows)).unwrap();
        (model.guarantee.clone(), model.spent, model.guarantee.claim().cloned())
    });
    assert_eq!(claims[0], claims[1]);
    // A neighbour has one row more, whatever it holds: one more record within the same box, and all others unmoved.
    let columns = ["age".to_string(), "income".to_string()];
    let bounds = BoundsSpec::parse("age=17:90,income=1000:1000000").unwrap().resolve(&columns, &columns).unwrap();
    let bounds = scaling.apply(bounds).unwrap();
    let records = |rows: &[f64]| {
        let (mut lattice, mut all) = (LatticeRows::new(&bounds), Vec::new());
        (&table(rows) as &dyn Rows)
            .for_each_batch(1000, &Silent, |batch| {
                lattice.take(batch);
                all.extend((0..batch.rows()).map(|row| lattice.record(row).map(|x| x.0).collect::<Vec<_>>()));
                Ok::<(), shoal_files::DataError>(())
            })
            .unwrap();
        all
    };
    let before = records(&rows);
    for odd in [[0.0, 0.0], [-1e300, -1e300], [1e300, 1e300], [90.0, 1e6], [17.0, 1000.0], [5e-324, -0.0]] {
        let after = records(&[&rows[..], &odd[..]].concat());
        assert_eq!(after[..300], before[..]);
        assert!(after[300].iter().all(|x| (0..=65_534).contains(x)), "{odd:?}: {:?}", after[300]);
    }
}

#[test]
fn labels_scores_and_comparisons_are_taken_after_stretching() {
    let rows = rows(2000);
    let model = fit().scale("income=log").unwrap().run(table(&rows)).unwrap();
    let model = Model::from_json(&model.to_json()).unwrap();
    let labels = Predict::new(&model).unwrap().run(table(&rows)).unwrap().reveal(ThisIsNotPrivate);
    assert!(labels.iter().enumerate().all(|(i, label)| label.label == labels[i % 2].label));
    assert_ne!(labels[0].label, labels[1].label);
    // 14,000 and 30,000 are nearer to 2,000 than to 200,000; by ratios the second is not.
    let small = labels[0].label;
    let middle = Predict::new(&model).unwrap().run(table(&[40.0, 14_000.0, 40.0, 60_000.0])).unwrap();
    let middle = middle.reveal(ThisIsNotPrivate);
    assert_eq!((middle[0].label == small, middle[1].label == small), (true, false));
    let scores = Score::new(&model).unwrap().run(table(&rows)).unwrap().reveal(ThisIsNotPrivate);
    let mean = labels.iter().map(|label| label.distance.unwrap()).sum::<f64>() / 2000.0;
    assert!((scores.nicv_unsquared - mean).abs() < 1e-9);
    let again = fit().seed(12).scale("income=log").unwrap().match_with(model.clone()).run(table(&rows)).unwrap();
    let compared = Compare::of(&model, &again).unwrap();
    assert!(compared.pairs.iter().all(|pair| pair.first.is_some() && pair.first == pair.second), "{compared:?}");
    let plain = fit().run(table(&rows)).unwrap();
    let notes = Compare::of(&model, &plain).unwrap().notes.join(" ");
    assert!(notes.contains("income") && notes.contains("geometric mean"), "{notes}");
}

#[test]
fn weights_decide_what_clusters_are_about() {
    let rows: Vec<f64> = (0..4000).flat_map(|i| [(i % 2) as f64, (i / 2 % 2) as f64]).collect();
    let table = || Matrix::from_rows(&["x", "y"], &rows).unwrap();
    let fit = || Fit::new(2, "8").unwrap().bounds("x=0:1,y=0:1").unwrap().rows(4000).seed(3);
    for (weight, split) in [("x=4", 0), ("y=4", 1), ("x=0.25", 1)] {
        let model = fit().weight(weight).unwrap().run(table()).unwrap();
        let apart = |i: usize| (model.centres[0][i] - model.centres[1][i]).abs();
        assert!(apart(split) > 0.9 && apart(1 - split) < 0.1, "{weight}: {:?}", model.centres);
        assert!(model.centres.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
        assert!(model.to_json().contains("Weighted columns"));
        let labels = Predict::new(&model).unwrap().run(table()).unwrap().reveal(ThisIsNotPrivate);
        assert_ne!(labels[0].label, labels[if split == 0 { 1 } else { 2 }].label);
        assert_eq!(labels[0].label, labels[if split == 0 { 2 } else { 1 }].label);
    }
    // Weights that are all the same are none, and the model is that of plain columns.
    let same = fit().weight("x=3,y=3").unwrap().run(table()).unwrap();
    assert_eq!(same.centres, fit().run(table()).unwrap().centres);
    // They go with bounds that are bought.
    let bought =
        Fit::new(2, "8").unwrap().bounds("auto:1").unwrap().weight("x=4").unwrap().seed(1).run(table()).unwrap();
    assert_eq!(bought.weights, [4.0, 1.0]);
}

#[test]
fn gaps_and_synopses_keep_the_scale() {
    let text = |gap: &str| {
        let row = |i: usize| format!("{},{}\n", 20 + i % 50, if i.is_multiple_of(2) { "2000" } else { "200000" });
        format!("age,income\n{}30,{gap}\n", (0..2000).map(row).collect::<String>())
    };
    let source = |gap: &str| Source::Memory(text(gap).into_bytes());
    let middle = fit().scale("income=log").unwrap().missing(Missing::Middle);
    // The middle of 1,000 and 1,000,000 by ratios.
    let middle_income = (1000.0f64 * 1e6).sqrt().to_string();
    assert_eq!(
        middle.run(source("")).unwrap().centres,
        fit().scale("income=log").unwrap().run(source(&middle_income)).unwrap().centres
    );
    let fitted = fit().scale("income=log").unwrap().weight("age=0.5").unwrap().keep_cells();
    let fitted = fitted.run_fully(source("2000")).unwrap();
    let mut bytes = Vec::new();
    let synopsis = fitted.synopsis.unwrap();
    synopsis.write(&mut bytes).unwrap();
    let read = SynopsisFile::read(Source::Memory(bytes.clone())).unwrap();
    assert_eq!(read.bounds, synopsis.bounds);
    let model = Cluster::new(2).unwrap().run(vec![Source::Memory(bytes)]).unwrap();
    assert_eq!((model.scale(1), &model.weights[..]), (&Scale::Log, &[0.5, 1.0][..]));
    let found = incomes(&model);
    assert!(found[0] < 6_000.0 && found[1] > 60_000.0, "{found:?}");
}

#[test]
fn what_cannot_be_stretched_is_refused_before_anything_happens() {
    let rows = rows(100);
    let message = |fit: Result<Fit, Error>| match fit.and_then(|fit| fit.run(table(&rows))) {
        Ok(_) => "accepted".to_string(),
        Err(error) => error.to_string(),
    };
    let from_zero = || Fit::new(2, "1").unwrap().bounds("age=17:90,income=0:1000000").unwrap();
    let text = message(from_zero().scale("income=log"));
    assert!(text.contains("`income`") && text.contains("above 0") && text.contains("log1p"), "{text}");
    assert_eq!(message(from_zero().scale("income=log1p")), "accepted");
    assert_eq!(message(from_zero().scale("income=rank:0,10000,30000,80000,1000000")), "accepted");
    assert!(message(from_zero().scale("income=rank:0,10000,30000")).contains("from 0 to 30000"));
    assert!(message(from_zero().scale("incom=sqrt")).contains("Did you mean `income`?"));
    assert!(message(from_zero().weight("salary=2")).contains("salary"));
    for text in ["income", "income=ln", "income=rank:5,1", ""] {
        assert!(from_zero().scale(text).is_err_and(|error| error.is_usage()), "{text}");
    }
    assert!(from_zero().weight("age=-1").is_err_and(|error| error.is_usage()));
    let bought = Fit::new(2, "1").unwrap().bounds("auto:10%").unwrap();
    assert!(message(bought.scale("income=log")).contains("bought"));
    // Reports have columns as they are.
    let columns = vec!["income".to_string()];
    let bounds = BoundsSpec::parse("income=1:100").unwrap().resolve(&columns, &columns).unwrap();
    let scaled = Scaling::default().scales("income=log").unwrap().apply(bounds).unwrap();
    let mechanism = shoal_device::Mechanism::Laplace;
    let refused = shoal_device::Design::new(mechanism, "1".parse().unwrap(), scaled);
    assert!(refused.is_err_and(|error| error.to_string().contains("leave scales")));
    // A file that was edited.
    let json = fit().scale("income=log").unwrap().run(table(&rows)).unwrap().to_json();
    for (from, to) in [("\"log\"", "\"ln\""), ("1000.0", "-5.0")] {
        assert!(Model::from_json(&json.replacen(from, to, 1)).is_err(), "{to}");
    }
}
