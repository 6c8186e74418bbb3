//! Reports with words: what is drawn, what it guarantees, and designs that have columns of words.

use shoal_device::{
    Client, Design, Device, DeviceLedger, Ending, Limit, Mechanism, Repeat, WordResponse, choose_radius, wire::Day,
};
use shoal_lattice::{Bounds, Category, Interval, STEPS, Scale};
use shoal_noise::{SeededNoise, TapeNoise};
use shoal_privacy::{Amount, Epsilon, Loss, Metric, Neighbours};

fn numbers(names: &[&str]) -> Bounds {
    let intervals = names.iter().map(|_| Interval::new(0.0, 10.0).unwrap()).collect();
    Bounds::new(names.iter().map(ToString::to_string).collect(), intervals).unwrap()
}

fn gender() -> Category {
    Category::new("gender", ["F", "M", "X"]).unwrap()
}

fn region() -> Category {
    Category::new("region", ["north", "south"]).unwrap().counting_gaps().unwrap().weighing(0.2).unwrap()
}

fn design(mechanism: Mechanism, epsilon: &str) -> Design {
    let bounds = numbers(&["age", "hours"]).with_categories(vec![gender(), region()]).unwrap();
    Design::new(mechanism, epsilon.parse().unwrap(), bounds).unwrap()
}

fn mechanisms() -> [Mechanism; 4] {
    [
        Mechanism::Laplace,
        Mechanism::LaplaceMetric,
        Mechanism::Bpm { radius_steps: STEPS },
        Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(2, 3.0).steps, ending: Ending::Raw },
    ]
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// The largest ratio of probabilities of one outcome under two words, over all of them.
fn worst_ratio(pmf: impl Fn(usize, usize) -> f64, outcomes: usize) -> f64 {
    let of = |outcome: usize| {
        let all = (0..outcomes).map(|truth| pmf(truth, outcome));
        all.clone().fold(0.0, f64::max) / all.fold(f64::INFINITY, f64::min)
    };
    (0..outcomes).map(of).fold(0.0, f64::max)
}

#[test]
fn the_loss_between_any_two_words_is_the_one_that_is_claimed() {
    for (epsilon, levels) in [("0.1", 1), ("1", 2), ("2.5", 3), ("8", 40)] {
        let category = Category::new("x", (0..levels).map(|i| format!("l{i}"))).unwrap();
        let epsilon: Epsilon = epsilon.parse().unwrap();
        let response = WordResponse::new(&epsilon, &category).unwrap();
        let n = response.outcomes();
        assert_eq!(n, levels + 1);
        for truth in 0..n {
            let total: f64 = (0..n).map(|outcome| response.pmf(truth, outcome)).sum();
            assert!((total - 1.0).abs() < 1e-12);
            assert!((0..n).all(|outcome| response.pmf(truth, outcome) <= response.pmf(truth, truth)));
        }
        let claimed = epsilon.to_f64_up();
        let found = worst_ratio(|truth, outcome| response.pmf(truth, outcome), n).ln();
        assert!((found - claimed).abs() < 1e-9, "{found}, claimed {claimed}");
        // Mutant: the true word is kept once more before it is drawn, and the loss shows.
        let kept_twice = |truth: usize, outcome: usize| {
            0.5 * response.pmf(truth, outcome) + if truth == outcome { 0.5 } else { 0.0 }
        };
        assert!(worst_ratio(kept_twice, n).ln() > claimed + 0.1);
    }
}

/// Sampled frequencies lie within 6.5 standard deviations of the distribution (a probability below 1e-9 for all cells), and
/// those of a mutant that draws with another ε do not.
#[test]
fn words_are_drawn_from_that_distribution() {
    let category = Category::new("x", ["a", "b", "c", "d"]).unwrap();
    let response = |epsilon: &str| WordResponse::new(&epsilon.parse().unwrap(), &category).unwrap();
    let (stated, draws) = (response("1"), 60_000);
    let fits = |drawn: &WordResponse| {
        let mut noise = SeededNoise::new(11);
        (0..5).all(|truth| {
            let mut counts = [0_u32; 5];
            (0..draws).for_each(|_| counts[drawn.report(truth as i64, &mut noise) as usize] += 1);
            counts.iter().enumerate().all(|(outcome, &count)| {
                let (p, n) = (stated.pmf(truth, outcome), f64::from(draws));
                (f64::from(count) - n * p).abs() < 6.5 * (n * p * (1.0 - p)).sqrt()
            })
        })
    };
    assert!(fits(&stated));
    assert!(!fits(&response("1.1")));
}

#[test]
fn epsilon_is_shared_as_it_is_stated() {
    // Of a whole report: 2 parts for two numbers, 0.5 and 0.2 for the words.
    let whole = design(Mechanism::Laplace, "2.7");
    let parts = [whole.epsilon_of_words(&gender()), whole.epsilon_of_words(&region())];
    assert_eq!(whole.epsilon_of_numbers().amount(), &amount("2"));
    assert_eq!(parts.map(|epsilon| epsilon.amount().clone()), [amount("0.5"), amount("0.2")]);
    // Per unit of distance: a mismatch is a distance.
    for mechanism in &mechanisms()[1..] {
        let design = design(mechanism.clone(), "4");
        assert_eq!(design.epsilon_of_numbers().amount(), &amount("4"));
        assert_eq!(design.epsilon_of_words(&gender()).amount(), &amount("2"));
        assert_eq!(design.epsilon_of_words(&region()).amount(), &amount("0.8"));
    }
}

/// The claims are those of the numbers with the words added: between any two records, and per unit of a distance in which a
/// mismatch counts as its weight.
#[test]
fn guarantees_cover_numbers_and_words() {
    for mechanism in mechanisms() {
        let design = design(mechanism.clone(), "3");
        let promises = design.promises().unwrap();
        let numbers = Design::new(mechanism.clone(), design.epsilon_of_numbers(), numbers(&["age", "hours"])).unwrap();
        let alone = numbers.promises().unwrap();
        let pure = |promises: &shoal_device::Promises| {
            let found = promises.claims().find_map(|claim| match (&claim.neighbours, &claim.loss) {
                (Neighbours::AnyTwoInputs, Loss::Pure(epsilon)) => Some(epsilon.amount().clone()),
                _ => None,
            });
            found.unwrap()
        };
        let of_words = [gender(), region()].map(|category| design.epsilon_of_words(&category).amount().clone());
        let expected = of_words.iter().fold(pure(&alone), |sum, more| sum.plus(more));
        assert_eq!(pure(&promises), expected, "{}", mechanism.name());
        assert!(pure(&promises) > pure(&alone), "mutant: words that cost nothing");
        let per_distance = promises.claims().find_map(|claim| match (&claim.neighbours, &claim.loss) {
            (Neighbours::PerUnitOf(Metric::EuclideanAndWords { mismatches, .. }), Loss::PerDistance(epsilon)) => {
                Some((mismatches.clone(), epsilon.clone()))
            }
            _ => None,
        });
        let (mismatches, epsilon) = per_distance.unwrap();
        assert_eq!(mismatches, [("gender".to_string(), amount("0.5")), ("region".to_string(), amount("0.2"))]);
        // Whatever mismatch: its ε is covered by ε times the distance that it counts as.
        for (category, (_, distance)) in [gender(), region()].iter().zip(&mismatches) {
            assert!(design.epsilon_of_words(category).amount() <= &epsilon.amount().times(distance));
        }
        let sentences: Vec<String> = promises.claims().map(|claim| claim.sentence()).collect();
        assert!(sentences.iter().any(|s| s.contains("plus 0.5 where gender differs and 0.2 where region differs")));
    }
    // The whole ε of a report is what was given.
    let whole = design(Mechanism::Laplace, "3").promises().unwrap();
    assert_eq!(whole.guarantee.claim().unwrap().loss, Loss::Pure("3".parse().unwrap()));
}

#[test]
fn designs_with_words_are_written_and_read_back() {
    for mechanism in mechanisms() {
        let design = design(mechanism, "2").with_identifier("survey").unwrap();
        let json = design.to_json();
        assert_eq!(Design::from_json(&json).unwrap(), design);
        assert!(design.canonical_form().contains(
            r#""categories":[{"column":"gender","levels":["F","M","X"],"counts_gaps":false,"weight":"5e-1"},{"column":"region","levels":["north","south"],"counts_gaps":true,"weight":"2e-1"}],"steps""#
        ));
        assert_eq!(Design::from_json(&json.replace("\"X\"", "\"Y\"")).unwrap_err().code(), "design-digest");
        assert_eq!(Design::from_json(&json.replace("counts_gaps", "gaps")).unwrap_err().code(), "design-unreadable");
        assert_eq!(design.columns().collect::<Vec<_>>(), ["age", "hours", "gender", "region"]);
        assert_eq!(
            design.coordinates().columns()[2..],
            ["gender=F", "gender=M", "gender=X", "region=north", "region=south", "region=missing"]
        );
    }
    // Without words nothing of it shows, so that older programs read what they always did.
    let plain = Design::new(Mechanism::Laplace, "2".parse().unwrap(), numbers(&["age"])).unwrap();
    assert!(!plain.to_json().contains("categories") && !plain.canonical_form().contains("categories"));
}

#[test]
fn designs_that_make_no_sense_are_refused() {
    let epsilon = || "2".parse().unwrap();
    let with = |bounds: Bounds, category: Category| bounds.with_categories(vec![category]).unwrap();
    let only_words = Design::new(Mechanism::Laplace, epsilon(), with(numbers(&[]), gender()));
    assert_eq!(only_words.unwrap_err().code(), "no-columns");
    let bpgm = Mechanism::Bpgm { bound: Amount::ratio(1, 1), form: shoal_device::BpgmForm::Adam };
    assert!(Design::new(bpgm, epsilon(), with(numbers(&["age"]), gender())).unwrap_err().to_string().contains("bpgm"));
    let weighted = numbers(&["a", "b"]).scaled(vec![Scale::Linear; 2], vec![1.0, 2.0]).unwrap();
    assert_eq!(Design::new(Mechanism::Laplace, epsilon(), with(weighted, gender())).unwrap_err().code(), "parameter");
}

#[test]
fn devices_report_words() {
    let design = design(Mechanism::Laplace, "2000000");
    let mut device = Device::with_noise(&design, SeededNoise::new(5)).unwrap();
    // With so large an ε the words stay what they are.
    for (words, outcomes) in [
        ([Some("F"), Some("south")], [0, 1]),
        ([Some(" X "), Some("")], [2, 2]),
        ([Some("else"), Some("south-west")], [3, 3]),
        ([None, None], [3, 2]),
    ] {
        let report = device.report_with(&[1.0, 2.0], &words).unwrap();
        let found: Vec<i64> = report.steps[2..].iter().map(|steps| steps.0).collect();
        assert_eq!(found, outcomes, "{words:?}");
        assert_eq!(report.to_user(&design).unwrap().len(), 2);
    }
    let mut ledger = DeviceLedger::new();
    let sent = ledger.answer_with(&mut device, &[1.0, 2.0], &[Some("M"), None], Repeat::Once, Day(20_500)).unwrap();
    assert_eq!(sent.steps.len(), 4);
    // Bad words: nothing is drawn, and no word is repeated in the message.
    let mut device = Device::with_noise(&design, TapeNoise::new(Vec::new())).unwrap();
    for words in [&[][..], &[Some("secret")], &[Some("F"), None, None]] {
        let refused = device.report_with(&[1.0, 2.0], words).unwrap_err();
        assert_eq!(refused.code(), "wrong-words");
        assert!(!refused.to_string().contains("secret") && refused.to_string().contains("gender"), "{refused}");
    }
    assert_eq!(device.report(&[1.0, 2.0]).unwrap_err().code(), "wrong-words");
}

#[test]
fn servers_know_which_reports_can_exist() {
    let client = Client::new(&design(Mechanism::Bpm { radius_steps: STEPS }, "2")).unwrap();
    assert_eq!((client.dims(), client.numbers(), client.words().len()), (4, 2, 2));
    assert!(client.could_have_made(&[-5, 70_000, 3, 3]));
    for impossible in [&[0, 0, 4, 0][..], &[0, 0, -1, 0], &[0, 0, 0, 4], &[0, 0, 0], &[-3 * STEPS as i64, 0, 0, 0]] {
        assert!(!client.could_have_made(impossible), "{impossible:?}");
    }
}

/// A person's limit per unit of distance holds for words, too, however far apart the collector declares them to be.
#[test]
fn a_large_weight_does_not_get_past_a_limit() {
    let weighing = |mechanism: &Mechanism, weight: f64| {
        let bounds = numbers(&["age"]).with_categories(vec![gender().weighing(weight).unwrap()]).unwrap();
        Design::new(mechanism.clone(), "2".parse().unwrap(), bounds).unwrap()
    };
    for mechanism in &mechanisms()[1..3] {
        for (weight, limit, kept) in
            [(0.5, "2", true), (1.0, "2", true), (1.5, "2", false), (1000.0, "2", false), (1.5, "3", true)]
        {
            let design = weighing(mechanism, weight);
            let checked = design.check_limit(&Limit::unit_of_distance(limit.parse().unwrap()));
            assert_eq!(checked.is_ok(), kept, "{} {weight} {limit}", mechanism.name());
            if let Err(refused) = checked {
                assert_eq!(refused.code(), "over-limit");
            }
            // The other limit counts every mismatch in full.
            let any = |epsilon: String| Limit::any_two_records(epsilon.parse().unwrap());
            let of_word = design.epsilon_of_words(&design.categories()[0]);
            assert!(design.check_limit(&any(of_word.to_string())).is_err(), "mutant: words that cost nothing");
        }
    }
}

/// Whatever a published design says, a device spends on a word what its claims state, and refuses or works; it never panics.
#[test]
fn forged_weights_change_what_is_claimed_and_spent_alike() {
    let honest = design(Mechanism::LaplaceMetric, "2");
    let written: serde_json::Value = serde_json::from_str(&honest.to_json()).unwrap();
    for weight in ["1e-320", "1e-9", "0.001", "0.0009", "0.3", "7", "999", "1415", "1e9", "1e308", "0", "-1", "null"] {
        let mut forged = written.clone();
        forged["categories"][0]["weight"] = serde_json::from_str(weight).unwrap();
        // With the digest of the honest design it is refused.
        let changed = Design::from_json(&forged.to_string());
        assert!(changed.is_err(), "{weight}");
        forged.as_object_mut().unwrap().remove("digest");
        let Ok(forged) = Design::from_json(&forged.to_string()) else { continue };
        assert_ne!(forged.digest(), honest.digest());
        let client = Client::new(&forged).unwrap();
        for (category, response) in forged.categories().iter().zip(client.words()) {
            let ratio = worst_ratio(|truth, outcome| response.pmf(truth, outcome), response.outcomes()).ln();
            let stated = forged.epsilon_of_words(category);
            assert_eq!(response.epsilon(), &stated);
            assert!(!ratio.is_finite() || (ratio - stated.to_f64_up()).abs() < 1e-9, "{weight}: {ratio}, {stated}");
        }
        let mut noise = SeededNoise::new(3);
        let mut report = [0; 4];
        client.report(&[0, 1, 2, 0], &mut noise, &mut report);
        assert!(client.could_have_made(&report), "{weight}");
    }
    // Weights that fit heavy numbers, but not the plain ones of a design.
    let heavy = numbers(&["age"]).scaled(vec![Scale::Linear], vec![1e6]).unwrap();
    let heavy = heavy.with_categories(vec![gender().weighing(1e6).unwrap()]).unwrap();
    assert_eq!(Design::new(Mechanism::Laplace, "1".parse().unwrap(), heavy).unwrap_err().code(), "bounds");
}

#[test]
fn programs_for_numbers_refuse_words() {
    let refused = design(Mechanism::Laplace, "2").numbers_only("this page").unwrap_err();
    let message = refused.to_string();
    assert_eq!(refused.code(), "design-words");
    assert!(message.contains("gender") && message.contains("region") && message.contains("this page"), "{message}");
    let plain = Design::new(Mechanism::Laplace, "2".parse().unwrap(), numbers(&["age"])).unwrap();
    plain.numbers_only("this page").unwrap();
}
