//! Categories: indicators of public levels, shares in the centres, and every job that reads a model understands them.

use shoal::{Cluster, Compare, Error, Fit, Model, Perturbation, Plan, Predict, Score, ServerMethod};
use shoal_crowd::report_file::{Form, Reports};
use shoal_crowd::server::Estimate;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_files::{Matrix, Missing, Source, Texts};
use shoal_lattice::Category;
use shoal_privacy::ThisIsNotPrivate;

/// Young people, mostly F, and old people, mostly M; region says nothing.
fn people(count: usize) -> String {
    let row = |i: usize| {
        let young = i.is_multiple_of(2);
        let gender = match i % 20 {
            19 => "X",
            other if (other % 10 < 8) == young => "F",
            _ => "M",
        };
        let region = ["north", "south", "east", "west", "elsewhere"][i / 2 % 5];
        format!("{},{gender},{region}\n", if young { 25 } else { 65 } + i % 7)
    };
    format!("age,gender,region\n{}", (0..count).map(row).collect::<String>())
}

fn source(text: &str) -> Source {
    Source::Memory(text.as_bytes().to_vec())
}

fn fit() -> Fit {
    let fit = Fit::new(2, "8").unwrap().bounds("age=20:75").unwrap().rows(4000).seed(5);
    fit.categories("gender=F|M,region=north|south|east|west").unwrap()
}

/// The true share of F in each half.
fn shares_of_f(text: &str) -> [f64; 2] {
    let share = |young: bool| {
        let rows: Vec<&str> = text.lines().skip(1).filter(|line| (line[..2] < *"50") == young).collect();
        rows.iter().filter(|line| line.contains(",F,")).count() as f64 / rows.len() as f64
    };
    [share(true), share(false)]
}

#[test]
fn centres_show_the_shares_of_levels() {
    let text = people(4000);
    let model = fit().run(source(&text)).unwrap();
    assert_eq!(
        model.columns,
        ["age", "gender=F", "gender=M", "region=north", "region=south", "region=east", "region=west"]
    );
    assert_eq!((model.numbers(), model.table_columns()), (1, ["age", "gender", "region"].map(String::from).to_vec()));
    let mut centres = model.centres.clone();
    centres.sort_by(|a, b| a[0].total_cmp(&b[0]));
    for (centre, share) in centres.iter().zip(shares_of_f(&text)) {
        assert!((centre[1] - share).abs() < 0.05, "{} for {share}", centre[1]);
        assert!(centre[3..].iter().all(|x| (x - 0.2).abs() < 0.06), "{centre:?}");
        assert!(centre[1..].iter().all(|x| (0.0..=1.0).contains(x)));
    }
    let certainty = model.certainty.as_ref().unwrap();
    for (row, centre) in certainty.intervals.iter().zip(&model.centres) {
        for (interval, x) in row.iter().zip(centre).skip(1) {
            assert!(0.0 <= interval[0] && interval[0] <= *x && *x <= interval[1] && interval[1] <= 1.0);
        }
    }
    let json = model.to_json();
    assert!(json.contains("\"levels\"") && json.contains("Categories"), "{json}");
    let read = Model::from_json(&json).unwrap();
    assert_eq!((read.to_json(), &read.centres, &read.categories), (json.clone(), &model.centres, &model.categories));
    // A file that was edited.
    for (from, to) in [("\"F\"", "\"M\""), ("\"gender=F\"", "\"gender=G\""), ("\"weight\": 0.5", "\"weight\": -1")] {
        assert!(json.contains(from), "{from}");
        assert!(Model::from_json(&json.replacen(from, to, 1)).is_err(), "{to}");
    }
    // A mismatch counts like half of a column's range, as the note says.
    assert!(json.contains("50 % of a column's range"), "{json}");
}

#[test]
fn weights_decide_whether_words_or_numbers_make_the_clusters() {
    let text: String =
        (0..4000).map(|i| format!("{},{}\n", if i % 2 == 0 { 20 } else { 80 }, ["a", "b"][i / 2 % 2])).collect();
    let text = format!("age,kind\n{text}");
    for (weight, by_kind) in [("kind=0.2", false), ("kind=4", true)] {
        let fit = Fit::new(2, "8").unwrap().bounds("age=0:100").unwrap().categories("kind=a|b").unwrap();
        let model = fit.weight(weight).unwrap().rows(4000).seed(9).run(source(&text)).unwrap();
        let apart = |i: usize| (model.centres[0][i] - model.centres[1][i]).abs();
        assert_eq!(apart(1) > 0.8, by_kind, "{weight}: {:?}", model.centres);
        assert_eq!(apart(0) > 50.0, !by_kind, "{weight}: {:?}", model.centres);
    }
}

#[test]
fn the_distance_of_a_mismatch_is_what_the_weight_states() {
    let model = fit().run(source(&people(4000))).unwrap();
    let labels = |rows: &str| {
        let text = format!("age,gender,region\n{rows}");
        let mut places = Vec::new();
        Predict::new(&model)
            .unwrap()
            .for_each_place(source(&text), |_, place| {
                places.push(place.to_vec());
                Ok::<(), Error>(())
            })
            .unwrap();
        places
    };
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let rows = labels("30,F,north\n30,M,north\n30,F,south\n30,?other,north\n57.5,F,north\n");
    // The range of a column is 2 in the box; half of the range of ages is 27.5.
    assert!((distance(&rows[0], &rows[1]) - 1.0).abs() < 1e-3);
    assert!((distance(&rows[0], &rows[2]) - 1.0).abs() < 1e-3);
    assert!((distance(&rows[0], &rows[3]) - 0.5f64.sqrt()).abs() < 1e-3, "other is nearer");
    assert!((distance(&rows[0], &rows[4]) - 1.0).abs() < 1e-3);
}

#[test]
fn labels_scores_synopses_and_comparisons_understand_levels() {
    let text = people(4000);
    let fitted = fit().keep_cells().run_fully(source(&text)).unwrap();
    let model = Model::from_json(&fitted.model.to_json()).unwrap();
    let labels = Predict::new(&model).unwrap().run(source(&text)).unwrap().reveal(ThisIsNotPrivate);
    assert!(labels.iter().enumerate().filter(|(i, label)| label.label == labels[i % 2].label).count() > 3900);
    let scores = Score::new(&model).unwrap().run(source(&text)).unwrap().reveal(ThisIsNotPrivate);
    let mean = labels.iter().map(|label| label.distance.unwrap()).sum::<f64>() / 4000.0;
    assert!((scores.nicv_unsquared - mean).abs() < 1e-9);
    // Other names for the same columns, and a column that is not there.
    let renamed = text.replacen("age,gender,region", "Alter,Geschlecht,Gegend", 1);
    let again = Predict::new(&model).unwrap().columns(["Alter", "Geschlecht", "Gegend"]).unwrap();
    assert_eq!(again.run(source(&renamed)).unwrap().reveal(ThisIsNotPrivate), labels);
    let error = Predict::new(&model).unwrap().run(source(&renamed)).err().unwrap().to_string();
    assert!(error.contains("age") && error.contains("gender") && !error.contains("gender=F"), "{error}");
    assert!(Predict::new(&model).unwrap().columns(["Alter"]).is_err());
    // The synopsis has them, too.
    let mut bytes = Vec::new();
    fitted.synopsis.unwrap().write(&mut bytes).unwrap();
    let read = SynopsisFile::read(Source::Memory(bytes.clone())).unwrap();
    assert_eq!(read.bounds.categories().len(), 2);
    let of_cells = Cluster::new(2).unwrap().run(vec![Source::Memory(bytes)]).unwrap();
    assert_eq!(of_cells.categories, model.categories);
    let compared = Compare::of(&model, &of_cells).unwrap();
    assert_eq!(compared.columns.len(), 7);
    let other_levels = Fit::new(2, "8").unwrap().bounds("age=20:75").unwrap().categories("gender=F|M|X").unwrap();
    let other_levels = other_levels.rows(4000).seed(5).run(source(&text)).unwrap();
    assert!(Compare::of(&model, &other_levels).is_err());
}

#[test]
fn gaps_count_as_declared() {
    let mut text = people(2000);
    text.push_str("40,,north\n");
    assert!(matches!(fit().run(source(&text)), Err(Error::Data(shoal_files::DataError::Missing { .. }))));
    // Left out, it is as if it were not there; in the middle, as if it were another word.
    let plain = fit().run(source(&people(2000))).unwrap();
    assert_eq!(fit().missing(Missing::Drop).run(source(&text)).unwrap().centres, plain.centres);
    let other = text.replace("40,,north", "40,other,north");
    let as_other = fit().run(source(&other)).unwrap();
    assert_eq!(fit().missing(Missing::Middle).run(source(&text)).unwrap().centres, as_other.centres);
    let level = fit().missing(Missing::Category).run(source(&text)).unwrap();
    assert!(level.columns.contains(&"gender=missing".to_string()) && level.columns.contains(&"region=missing".into()));
    let labels = Predict::new(&level).unwrap().run(source(&text)).unwrap().reveal(ThisIsNotPrivate);
    assert!(labels.iter().all(|label| label.label.is_some()));
    // The rule of a prediction may be another: the coordinates stay those of the model.
    for missing in [Missing::Drop, Missing::Middle, Missing::Category] {
        for model in [&plain, &level] {
            let found = Predict::new(model).unwrap().missing(missing).run(source(&text));
            assert_eq!(found.unwrap().reveal(ThisIsNotPrivate).len(), 2001);
        }
    }
    let no_category = Fit::new(2, "1").unwrap().bounds("age=0:100").unwrap().missing(Missing::Category);
    assert!(no_category.run(source(&text)).unwrap_err().to_string().contains("there is none"));
}

#[test]
fn every_kind_of_table_gives_the_same_model() {
    let text = people(2000);
    let expected = fit().run(source(&text)).unwrap();
    // Quoted cells, blanks, other orders of columns, and columns that play no part.
    let odd: String = text
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("\"{}\", {} ,note,{}\r\n", cells[2], cells[1], cells[0])
        })
        .collect();
    assert_eq!(fit().run(source(&odd.replace("note", "x"))).unwrap().centres, expected.centres);
    // In memory.
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let ages: Vec<f64> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    let (gender, region): (Vec<&str>, Vec<&str>) = rows.iter().map(|row| (row[1], row[2])).unzip();
    let matrix = Matrix::from_rows(&["age"], &ages).unwrap().with_texts("gender", Texts::Str(&gender)).unwrap();
    let matrix = matrix.with_texts("region", Texts::Str(&region)).unwrap();
    assert_eq!(fit().run(matrix).unwrap().centres, expected.centres);
    // Streamed: too little memory for all rows.
    let streamed = fit().memory(1 << 19).run(source(&text)).unwrap();
    assert_eq!(streamed.centres, expected.centres);
    // Typed levels, and a table without a number.
    let typed = Fit::new(2, "8").unwrap().bounds("age=20:75").unwrap().rows(4000).seed(5);
    let typed = typed.category(Category::new("gender", ["F", "M"]).unwrap()).unwrap();
    let typed = typed.category(Category::new("region", ["north", "south", "east", "west"]).unwrap()).unwrap();
    assert_eq!(typed.run(source(&text)).unwrap().centres, expected.centres);
    let words = Fit::new(2, "8").unwrap().categories("gender=F|M").unwrap().rows(2000).seed(1);
    assert_eq!(words.run(source(&text)).unwrap().columns, ["gender=F", "gender=M"]);
}

#[test]
fn persons_have_shares_of_their_rows() {
    let text: String = (0..3000).map(|i| format!("p{},{},{}\n", i / 3, i % 50, ["a", "b", "b"][i % 3])).collect();
    let fit = Fit::new(1, "8").unwrap().bounds("age=0:100").unwrap().categories("kind=a|b").unwrap();
    let model = fit.person(["who"]).rows(1000).seed(3).run(source(&format!("who,age,kind\n{text}"))).unwrap();
    assert!((model.centres[0][1] - 1.0 / 3.0).abs() < 0.03, "{:?}", model.centres);
    assert!((model.centres[0][2] - 2.0 / 3.0).abs() < 0.03, "{:?}", model.centres);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_happens() {
    let text = people(100);
    let message = |fit: Result<Fit, Error>| match fit.and_then(|fit| fit.run(source(&text))) {
        Ok(_) => "accepted".to_string(),
        Err(error) => error.to_string(),
    };
    let base = || Fit::new(2, "1").unwrap().bounds("age=0:100").unwrap();
    assert!(message(base().categories("sex=F|M")).contains("sex"));
    assert!(base().categories("gender=F|F").is_err_and(|error| error.is_usage()));
    assert!(base().categories("gender=F|M").unwrap().categories("gender=F|M").is_err());
    assert!(
        message(base().categories("gender=F|M").and_then(|fit| fit.scale("gender=log"))).contains("nothing to stretch")
    );
    assert!(message(base().categories("gender=F|M").and_then(|fit| fit.weight("gnder=2"))).contains("Did you mean"));
    let bought = Fit::new(2, "1").unwrap().bounds("auto:10%").unwrap();
    assert!(message(bought.categories("gender=F|M")).contains("bounds that are known"));
    assert!(message(Fit::new(2, "1")).contains("bounds"));
    let named = base().categories("gender=F|M").unwrap().person(["gender"]);
    assert_ne!(message(Ok(named)), "accepted");
    // A message about a row names the column and never the word.
    let broken = text.replacen(",F,", ",secret,", 1).replacen("25,", "word,", 1);
    let error = base().categories("gender=F|M").unwrap().run(source(&broken)).unwrap_err().to_string();
    assert!(error.contains("age") && !error.contains("secret") && !error.contains("`word"), "{error}");
    // More coordinates than the default method takes.
    let many: Vec<String> = (0..500).map(|i| format!("l{i}")).collect();
    let level = |column: &str| Category::new(column, many.clone()).unwrap();
    let wide = base().category(level("gender")).and_then(|fit| fit.category(level("region")));
    assert!(message(wide).contains("at most 1000"));
}

#[test]
fn plans_count_every_level() {
    let plan = |categories: Option<&str>| {
        let plan = Plan::new(30_000, 2, 4, "1").unwrap().bounds("age=0:110,visits=0:50").unwrap();
        let plan = categories.map_or(Ok(plan.clone()), |text| plan.categories(text)).unwrap();
        plan.run().unwrap()
    };
    let (plain, words) = (plan(None), plan(Some("gender=F|M|X")));
    assert_eq!((plain.dims, words.dims, words.levels), (2, 5, 3));
    assert!(words.columns[0].plus_minus > plain.columns[0].plus_minus);
    assert_eq!(words.columns[2].column, "shares of gender");
    assert!(words.to_string().contains("2 columns and 3 levels of categories"), "{words}");
}

/// Reports with words: from a table to a model, which predicts like any other.
#[test]
fn reports_of_a_crowd_have_words() {
    let text = people(6000);
    let job = shoal::Perturb::new("8").unwrap().bounds("age=20:75").unwrap();
    let job = job.categories("gender=F|M").unwrap().weight("gender=1").unwrap().mechanism(Perturbation::LaplaceMetric);
    let mut reports = Vec::new();
    let made = job.run_to(source(&text), &mut reports, Form::Csv).unwrap();
    assert_eq!(made.reports, 6000);
    assert!(made.promises.guarantee.sentence().contains("plus 1 where gender differs"), "{}", made.promises.guarantee);
    let labelled = Cluster::new(2).unwrap().seed(3).run_labelled([Source::Memory(reports.clone())]).unwrap();
    let model = Model::from_json(&labelled.model.to_json()).unwrap();
    assert_eq!(
        (model.numbers(), model.columns.as_slice()),
        (1, ["age", "gender=F", "gender=M"].map(String::from).as_slice())
    );
    let mut centres = model.centres.clone();
    centres.sort_by(|a, b| a[0].total_cmp(&b[0]));
    for (centre, share) in centres.iter().zip(shares_of_f(&text)) {
        assert!((centre[1] - share).abs() < 0.08, "{centre:?} for {share}");
    }
    let intervals = &model.certainty.as_ref().unwrap().intervals;
    assert!(intervals.iter().flatten().skip(1).all(|[low, high]| low < high));
    // A file of labels again, from the model as it was written.
    let read = Reports::read(vec![Source::Memory(reports.clone())]).unwrap();
    assert_eq!(model.label_reports(&read).unwrap().len(), 6000);
    let predicted = Predict::new(&model).unwrap().run(source(&text)).unwrap().reveal(ThisIsNotPrivate);
    assert_eq!(predicted.len(), 6000);
    // What does not know words says so.
    let refused = |job: Cluster| job.run([Source::Memory(reports.clone())]).unwrap_err().code();
    assert_eq!(refused(Cluster::new(2).unwrap().method(ServerMethod::KMeans)), "words-need-noise-aware");
    assert_eq!(refused(Cluster::new(2).unwrap().estimate(Estimate::Pooled)), "words-not-pooled");
    let design = shoal::Perturb::new("8").unwrap().bounds("age=20:75").unwrap().categories("gender=F|M").unwrap();
    assert_eq!(design.design().unwrap().columns().collect::<Vec<_>>(), ["age", "gender"]);
}

/// A person makes one report, however many rows they have, and it follows from their rows alone.
#[test]
fn persons_make_one_report_each() {
    let row = |i: usize| format!("p{},{},{}\n", i % 500, 20 + i % 50, if i / 500 == 1 { "M" } else { "F" });
    let text = format!("who,age,gender\n{}", (0..1500).map(row).collect::<String>());
    let job = || {
        let job = shoal::Perturb::new("400000").unwrap().bounds("age=0:100").unwrap().categories("gender=F|M").unwrap();
        job.mechanism(Perturbation::Laplace).person(["who"])
    };
    let reports = |text: &str| {
        let mut bytes = Vec::new();
        let made = job().run_to(source(text), &mut bytes, Form::Csv).unwrap();
        assert!(made.promises.guarantee.sentence().contains("the person column identifies people"));
        Reports::read(vec![Source::Memory(bytes)]).unwrap()
    };
    let whole = reports(&text);
    assert_eq!(whole.rows(), 500);
    // Two rows of three have F, the most frequent word; ε is so large that words stay what they are.
    assert!(whole.columns[1].iter().all(|&word| word == 0));
    // Without one person, all of whose rows are gone: one report less, and the other records are the same.
    let without: String =
        text.lines().filter(|line| !line.starts_with("p7,")).map(|line| format!("{line}\n")).collect();
    let less = reports(&without);
    assert_eq!(less.rows(), 499);
    let rounded = |reports: &Reports| {
        let mut all: Vec<i64> = reports.columns[0].iter().map(|x| (*x as f64 / 100.0).round() as i64).collect();
        all.sort_unstable();
        all
    };
    let (mut all, some) = (rounded(&whole), rounded(&less));
    for record in &some {
        let at = all.iter().position(|x| (x - record).abs() <= 1).expect("every other person's record is still there");
        all.remove(at);
    }
    assert_eq!(all.len(), 1);
    assert_eq!(job().per_person("up-to:3").unwrap().check().unwrap_err().code(), "several-reports-of-a-person");
}
