//! The server and reported words: it finds clusters that differ in their words, and shares as they are and not as they are
//! reported.

use shoal_crowd::report_file::{Form, ReportWriter, Reports};
use shoal_crowd::server::Criterion;
use shoal_crowd::server::{Certainty, Clusters, ErrorModel, NoiseAware, ReportPoints, WordLaw, choose_k, labels};
use shoal_device::{Client, Design, Mechanism};
use shoal_files::Source;
use shoal_lattice::{Bounds, Category, Interval, STEPS};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

fn design(mechanism: Mechanism, epsilon: &str) -> Design {
    let unit = || Interval::new(0.0, 1.0).unwrap();
    let words = vec![
        Category::new("kind", ["a", "b", "c"]).unwrap().weighing(0.4).unwrap(),
        Category::new("other", ["yes"]).unwrap().weighing(0.4).unwrap(),
    ];
    let bounds = Bounds::new(vec!["x".into(), "y".into()], vec![unit(), unit()]).unwrap();
    Design::new(mechanism, epsilon.parse().unwrap(), bounds.with_categories(words).unwrap()).unwrap()
}

/// A group: its share, place, and the shares of its words.
struct Group(f64, [f64; 2], [f64; 4], [f64; 2]);

fn drawn(shares: &[f64], noise: &mut SeededNoise) -> usize {
    let mut left = uniform::unit_f64(noise);
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    found.unwrap_or(shares.len() - 1)
}

/// Reports, and the group of each.
fn reports(client: &Client, groups: &[Group], rows: usize, seed: u64) -> (Vec<Vec<i64>>, Vec<usize>) {
    let mut noise = SeededNoise::new(seed);
    let shares: Vec<f64> = groups.iter().map(|group| group.0).collect();
    let (mut columns, mut truth) = (vec![Vec::new(); 4], Vec::new());
    for _ in 0..rows {
        let of = drawn(&shares, &mut noise);
        let Group(_, place, kinds, others) = &groups[of];
        let mut record = [0; 4];
        for (to, x) in record.iter_mut().zip(place) {
            let x = (x + 0.04 * uniform::normal_f64(&mut noise)).clamp(0.0, 1.0);
            *to = (x * STEPS as f64).round() as i64;
        }
        record[2] = drawn(kinds, &mut noise) as i64;
        record[3] = drawn(others, &mut noise) as i64;
        let mut report = [0; 4];
        client.report(&record, &mut noise, &mut report);
        columns.iter_mut().zip(report).for_each(|(column, x)| column.push(x));
        truth.push(of);
    }
    (columns, truth)
}

fn two() -> Vec<Group> {
    vec![
        Group(0.6, [0.3, 0.3], [0.7, 0.2, 0.05, 0.05], [0.9, 0.1]),
        Group(0.4, [0.7, 0.6], [0.1, 0.1, 0.6, 0.2], [0.2, 0.8]),
    ]
}

fn clustered(client: &Client, columns: Vec<Vec<i64>>, k: usize) -> (ReportPoints, Clusters) {
    let points = ReportPoints::of_reports(columns, &WordLaw::of_client(client));
    let found = NoiseAware::new(k).cluster(&points, client.noise_law().unwrap(), &mut SeededNoise::new(1));
    (points, found)
}

/// The cluster that is nearest to each group.
fn order(found: &Clusters, groups: &[Group]) -> Vec<usize> {
    let away = |j: usize, group: &Group| (found.centres[j][0].0 - group.1[0]).abs();
    let nearest =
        |group: &Group| (0..found.centres.len()).min_by(|&a, &b| away(a, group).total_cmp(&away(b, group))).unwrap();
    groups.iter().map(nearest).collect()
}

#[test]
fn shares_come_back_within_their_errors() {
    for mechanism in [Mechanism::Bpm { radius_steps: STEPS }, Mechanism::LaplaceMetric, Mechanism::Laplace] {
        let epsilon = if mechanism == Mechanism::Laplace { "12" } else { "5" };
        let client = Client::new(&design(mechanism.clone(), epsilon)).unwrap();
        let (columns, truth) = reports(&client, &two(), 8000, 7);
        // What reports show without any regard to the noise.
        let of_first: Vec<i64> = columns[2].iter().zip(&truth).filter(|(_, of)| **of == 0).map(|(x, _)| *x).collect();
        let naive = of_first.iter().filter(|&&x| x == 0).count() as f64 / of_first.len() as f64;
        assert!(naive < 0.66, "mutant: without the noise's law {naive} would be reported");
        let (points, found) = clustered(&client, columns, 2);
        for (group, j) in two().iter().zip(order(&found, &two())) {
            let truth: Vec<f64> = group.2.iter().chain(&group.3).copied().collect();
            for (o, (share, truth)) in found.levels[j].iter().zip(&truth).enumerate() {
                let error = found.level_errors[j][o];
                assert!(
                    (share - truth).abs() < 5.0 * error + 0.01,
                    "{mechanism:?} {j} {o}: {share} ± {error}, {truth}"
                );
                assert!(error < 0.06, "{error}");
            }
            let total: f64 = found.levels[j][..4].iter().sum();
            assert!((total - 1.0).abs() < 1e-9);
        }
        // EM never makes the objective worse, with words as without.
        assert!(found.objectives.windows(2).all(|pair| pair[1] >= pair[0] - 0.05));
        // Labels use words as well as numbers.
        let law = client.noise_law().unwrap();
        let right = |found: &Clusters| {
            let order = order(found, &two());
            let labels = labels(&points, law, found);
            truth.iter().zip(&labels).filter(|(of, label)| order[**of] == label.label).count() as f64 / 8000.0
        };
        let same_words = Clusters { levels: vec![found.levels[0].clone(); 2], ..found.clone() };
        assert!(right(&found) > right(&same_words) + 0.01, "words add to what numbers show");
    }
}

/// Two groups in one place that differ in their words alone are found, and none where words do not differ.
#[test]
fn clusters_of_words_alone_are_found() {
    let client = Client::new(&design(Mechanism::LaplaceMetric, "6")).unwrap();
    let law = client.noise_law().unwrap();
    let place = [0.5, 0.5];
    let apart = [
        Group(0.5, place, [0.94, 0.02, 0.02, 0.02], [0.96, 0.04]),
        Group(0.5, place, [0.02, 0.02, 0.94, 0.02], [0.04, 0.96]),
    ];
    let alike = [Group(1.0, place, [0.5, 0.2, 0.2, 0.1], [0.5, 0.5])];
    for (groups, expected) in [(&apart[..], 2), (&alike[..], 1)] {
        let (columns, _) = reports(&client, groups, 6000, 21);
        let points = ReportPoints::of_reports(columns, &WordLaw::of_client(&client));
        let chosen = choose_k(&NoiseAware::new(1), 4, Criterion::Evidence, &points, law, &mut SeededNoise::new(2));
        assert_eq!(chosen.clusters.centres.len(), expected, "{:?}", chosen.tried);
    }
}

/// Intervals of a model have a coordinate for each level, and cover what made the reports.
#[test]
fn intervals_are_about_every_level() {
    let client = Client::new(&design(Mechanism::LaplaceMetric, "6")).unwrap();
    let law = client.noise_law().unwrap();
    let (columns, _) = reports(&client, &two(), 4000, 9);
    let (points, found) = clustered(&client, columns, 2);
    let how = NoiseAware::new(2);
    let again = |p: &ReportPoints, r: &mut dyn NoiseSource| how.again(&found, p, law, r);
    let certainty = Certainty::of(&found, &client, points.rows(), ErrorModel::Known, &mut SeededNoise::new(3), again);
    let all = found.with_indicators(&client);
    // x, y, kind=a, kind=b, kind=c, other=yes.
    assert_eq!((all.centres[0].len(), certainty.centres[0].len(), client.parts().len()), (6, 6, 6));
    assert!(certainty.stability.iter().all(|s| *s > 0.8), "{:?}", certainty.stability);
    let mut covered = 0;
    for (group, j) in two().iter().zip(order(&found, &two())) {
        let truth = [group.2[0], group.2[1], group.2[2], group.3[0]];
        for (i, truth) in truth.into_iter().enumerate() {
            let truth = 0.5 + (truth - 0.5) * client.parts()[2 + i];
            let [low, high] = certainty.centres[j][2 + i];
            covered += usize::from((low.0..=high.0).contains(&truth));
        }
    }
    assert!(covered >= 6, "{covered} of 8");
}

#[test]
fn files_hold_words_and_nothing_that_is_none() {
    let (design, other) = (design(Mechanism::Laplace, "4"), design(Mechanism::LaplaceMetric, "4"));
    let client = Client::new(&design).unwrap();
    let (columns, _) = reports(&client, &two(), 300, 4);
    for form in [Form::Csv, Form::Parquet] {
        let file = |columns: &[Vec<i64>], design: &Design| {
            let (mut bytes, promises) = (Vec::new(), design.promises().unwrap());
            let mut writer = ReportWriter::new(&mut bytes, design, &promises, false, form).unwrap();
            writer.append(columns).unwrap();
            writer.finish().unwrap();
            Source::Memory(bytes)
        };
        let read = Reports::read(vec![file(&columns, &design)]).unwrap();
        assert_eq!((&read.design, &read.columns), (&design, &columns));
        let mut wrong = columns.clone();
        wrong[2][17] = 4;
        let refused = Reports::read(vec![file(&wrong, &design)]).unwrap_err();
        assert!(refused.to_string().contains("1 of 300"), "{refused}");
        assert!(Reports::read(vec![file(&columns, &design), file(&columns, &other)]).is_err());
    }
    assert!(Reports::collected(design.clone(), columns[..3].to_vec()).is_err());
    assert_eq!(Reports::collected(design, columns.clone()).unwrap().columns, columns);
}
