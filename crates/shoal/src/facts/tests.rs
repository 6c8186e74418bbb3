use shoal_curator::{Evidence, GapOfK};
use shoal_privacy::{Assumption, Guarantee, Loss};

use super::*;
use crate::model::example;

fn titles(facts: &Facts, level: Level) -> Vec<&str> {
    facts.notes.iter().filter(|note| note.level == level).map(|note| note.title.as_str()).collect()
}

#[test]
fn a_certain_model_has_intervals_and_descriptions() {
    let facts = example().facts();
    assert_eq!(facts.margins, Margins::Intervals { at_least: false });
    assert!(facts.notes.is_empty(), "{:?}", facts.notes);
    assert!(facts.explained.is_some());
    let mut unsure = example();
    unsure.certainty.as_mut().unwrap().intervals_at_least = true;
    assert_eq!(unsure.facts().explained, None, "its interval would promise too much");
    let first = &facts.clusters[0];
    assert_eq!(first.values[0].margin, Margin::Interval([29.0, 31.0]));
    assert_eq!((first.share, first.size.unwrap().half_width()), (Some(0.5), Some(200.0)));
    assert_eq!(first.description, "lower hours, lower age than average");
    assert_eq!(facts.clusters[2].description, "much higher age, higher hours than average");
    assert!(facts.publish.sentence().starts_with("You may publish the model, the report and the synopsis"));
}

#[test]
fn without_intervals_only_the_noise_of_the_last_step_is_known() {
    let model = Model { certainty: None, ..example() };
    let facts = model.facts();
    assert!(facts.margins.meaning().contains("noise of the last step only"));
    assert!(facts.margins.meaning().contains("not the error of a centre") && !facts.margins.meaning().contains('±'));
    for cluster in &facts.clusters {
        assert_eq!((cluster.values[0].interval(), cluster.reliance), (None, Reliance::Unknown));
        assert!(cluster.description.is_empty() && cluster.reliance.is_drawn());
    }
}

#[test]
fn clusters_that_do_not_reappear_have_no_interval_and_no_description() {
    let mut model = example();
    model.certainty.as_mut().unwrap().stability = vec![1.0, 0.7, 0.3];
    let facts = model.facts();
    assert_eq!(facts.clusters[2].values[0].margin, Margin::NotReproducible);
    assert_eq!(facts.clusters[2].size.unwrap().half_width(), None);
    assert_eq!(facts.clusters[2].description, "");
    assert_eq!(facts.left_out().map(|cluster| cluster.number).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(titles(&facts, Level::Caution), ["Not reproducible", "Unstable clusters"]);
    assert!(facts.notes[0].text.starts_with("Cluster 3 is not reproducible"), "{}", facts.notes[0].text);
}

#[test]
fn only_differences_beyond_the_intervals_are_described() {
    let mut model = example();
    for row in &mut model.certainty.as_mut().unwrap().intervals {
        row[0] = [25.0, 65.0];
    }
    assert_eq!(model.facts().clusters[0].description, "lower hours than average");
    for row in &mut model.certainty.as_mut().unwrap().intervals {
        row[1] = [10.0, 30.0];
    }
    assert_eq!(model.facts().clusters[0].description, "no clear difference from the average");
    // The averages are 44 and 23, the standard deviations 16 and 14.
    model.certainty.as_mut().unwrap().intervals[0] = vec![[38.0, 50.0], [18.0, 28.0]];
    assert_eq!(model.facts().clusters[0].description, "close to the average");
}

#[test]
fn weak_guarantees_are_warned_about() {
    let with = |epsilon: &str| {
        let mut model = example();
        if let Guarantee::Holds(claim) = &mut model.guarantee {
            claim.loss = Loss::Pure(epsilon.parse().unwrap());
        }
        let facts = model.facts();
        facts.notes.first().map(|note| (note.level, note.text.clone()))
    };
    assert_eq!(with("4"), None);
    assert_eq!(with("7").unwrap().0, Level::Caution);
    let (level, text) = with("1000").unwrap();
    assert!(level == Level::Warning && text.contains("ε = 1000"), "{text}");
}

#[test]
fn evidence_against_clusters_is_a_warning() {
    let mut model = example();
    let tried: Vec<_> = (1..=6).map(|k| GapOfK { k, gap: 0.0, error: 0.0, explained: 0.0 }).collect();
    let mut with = |supported| {
        model.certainty.as_mut().unwrap().evidence =
            Some(Evidence { tried: tried.clone(), needed: 0.1, supported, undecided: vec![] });
        let facts = model.facts();
        facts.notes.first().map(|note| (note.level, note.title.clone()))
    };
    assert_eq!(with(1), Some((Level::Warning, "No clusters show".into())));
    assert_eq!(with(2), Some((Level::Warning, "Only 2 clusters show".into())));
    assert_eq!(with(3), None);
    assert_eq!(with(5), Some((Level::Note, "5 clusters show".into())));
    let mut between = |supported, undecided| {
        model.certainty.as_mut().unwrap().evidence =
            Some(Evidence { tried: tried.clone(), needed: 0.1, supported, undecided });
        let facts = model.facts();
        facts.notes.first().map(|note| (note.level, note.text.clone()))
    };
    // Three were asked for: whether they are the ones that show or not, nothing is more certain than it is.
    for (supported, undecided) in [(3, vec![2]), (2, vec![3])] {
        let (level, text) = between(supported, undecided).unwrap();
        assert!(level == Level::Caution && text.starts_with("2 or 3 clusters fit about as well"), "{text}");
    }
    assert_eq!(between(2, vec![4]).unwrap().0, Level::Warning, "three are neither");
}

#[test]
fn rows_that_were_left_out_are_a_condition_and_not_a_count() {
    let mut model = example();
    if let Guarantee::Holds(claim) = &mut model.guarantee {
        claim.assumes.insert(Assumption::RowsReadable);
    }
    let facts = model.facts();
    assert_eq!(titles(&facts, Level::Note), ["Rows that lack a value"]);
    assert!(!facts.notes[0].text.contains(|c: char| c.is_ascii_digit()));
}

#[test]
fn a_seed_voids_everything() {
    let facts = Model { seeded: true, ..example() }.facts();
    assert!(facts.guarantee.is_seeded() && facts.strength.is_none() && facts.also.is_empty());
    assert!(facts.publish.may.is_empty() && facts.publish.sentence().starts_with("Publish nothing"));
}

#[test]
fn json_has_the_sentence_and_the_notes() {
    let mut model = example();
    model.certainty.as_mut().unwrap().stability[2] = 0.2;
    let json: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
    assert_eq!(json["sentence"], model.guarantee.sentence());
    assert_eq!(json["notes"][0]["title"], "Not reproducible");
    assert_eq!(json["clusters"][0]["description"], "lower hours, lower age than average");
    assert_eq!(json["clusters"][2]["reliance"], "not reproducible");
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}

#[test]
fn the_error_of_sampling_is_a_matter_of_its_own_and_stated_on_request() {
    let plain = example();
    assert!(plain.facts().notes.iter().all(|note| note.title != "Error of sampling"));
    let facts = plain.clone().with_sampling().facts();
    // Two standard errors of a mean: 2 · 5/√5000 years.
    let note = facts.notes.iter().find(|note| note.title == "Error of sampling").unwrap();
    assert!(note.text.contains("cluster 1: age ± 0.14, hours ± 0.11; cluster 2"), "{}", note.text);
    assert_eq!(facts.clusters, plain.facts().clusters, "intervals are about privacy noise and stay as they are");
}
