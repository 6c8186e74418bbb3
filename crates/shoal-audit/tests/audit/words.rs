//! Reports of words, compared without a draw: what a design claims of its words, alone and together, is reached and not passed,
//! and mutants are caught.

use dashu_ratio::RBig;
use shoal_audit::exact::{FiniteLaws, Law, Part, product};
use shoal_audit::{Allowed, Measure, Verdict};
use shoal_device::{Client, Design, Mechanism, NoiseLaw};
use shoal_lattice::{Bounds, Category, Interval, STEPS};
use shoal_noise::DiscreteLaplace;
use shoal_privacy::{Claim, Loss, Neighbours};

/// One number, a word of three levels, and one of two levels or a gap.
fn design(mechanism: Mechanism, epsilon: &str, weight: f64) -> Design {
    let words = vec![
        Category::new("gender", ["F", "M", "X"]).unwrap().weighing(weight).unwrap(),
        Category::new("region", ["north", "south"]).unwrap().counting_gaps().unwrap().weighing(0.2).unwrap(),
    ];
    let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(0.0, 1.0).unwrap()]).unwrap();
    Design::new(mechanism, epsilon.parse().unwrap(), bounds.with_categories(words).unwrap()).unwrap()
}

/// The distributions of a word's report on every word. `kept` of the reports are the true word without a draw: 0, and more in
/// mutants.
fn laws(client: &Client, column: usize, kept: f64) -> FiniteLaws {
    let response = client.words()[column].clone();
    let n = response.outcomes();
    let law = |truth: usize| {
        let p =
            |outcome: usize| (1.0 - kept) * response.pmf(truth, outcome) + kept * f64::from(u8::from(outcome == truth));
        Law::of_probabilities(format!("word {truth}"), &(0..n).map(p).collect::<Vec<_>>())
    };
    FiniteLaws::new((0..n).map(law).collect(), |i| i.to_string()).unwrap()
}

fn epsilon(client: &Client, of: impl Fn(&Claim) -> bool) -> f64 {
    let promises = client.promises();
    let claim = promises.claims().find(|claim| of(claim)).unwrap();
    match &claim.loss {
        Loss::Pure(epsilon) | Loss::PerDistance(epsilon) => epsilon.to_f64_up(),
        other => panic!("{other:?}"),
    }
}

fn worst(measure: &Measure) -> f64 {
    match measure {
        Measure::Enumeration { worst, .. } => *worst,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_word_loses_what_its_design_states_and_a_forged_weight_shows() {
    for mechanism in [Mechanism::Laplace, Mechanism::LaplaceMetric] {
        let design = design(mechanism.clone(), "3", 0.5);
        let client = Client::new(&design).unwrap();
        for (column, category) in design.categories().iter().enumerate() {
            let stated = design.epsilon_of_words(category).to_f64_up();
            let measure = laws(&client, column, 0.0).audit(|_, _| Some(Allowed::Pure(stated)));
            assert!(measure.verdict() == Verdict::NotBroken && worst(&measure) > 0.999_999 * stated, "{measure:?}");
            let mutant = laws(&client, column, 1e-3).audit(|_, _| Some(Allowed::Pure(stated)));
            assert_eq!(mutant.verdict(), Verdict::Broken, "{mutant:?}");
        }
        // A device that draws by a larger weight than the one whose ε is claimed.
        let forged = Client::new(&self::design(mechanism, "3", 0.501)).unwrap();
        let stated = design.epsilon_of_words(&design.categories()[0]).to_f64_up();
        let mutant = laws(&forged, 0, 0.0).audit(|_, _| Some(Allowed::Pure(stated)));
        assert_eq!(mutant.verdict(), Verdict::Broken, "{mutant:?}");
    }
}

/// Number and words together, between records that differ in all of them: ε of the whole report is reached exactly, and the
/// numbers' own claim, or that of fewer words, is passed.
#[test]
fn words_and_numbers_together_lose_what_the_report_claims() {
    let whole = design(Mechanism::Laplace, "3", 0.5);
    let client = Client::new(&whole).unwrap();
    let claimed = epsilon(&client, |claim| claim.neighbours == Neighbours::AnyTwoInputs);
    assert!((claimed - 3.0).abs() < 1e-12, "{claimed}");
    // The noise that is on the number, at both ends of its range.
    let steps = i64::try_from(STEPS).unwrap();
    let number = |decay: RBig| {
        let law = DiscreteLaplace::new(decay).unwrap();
        FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, steps], 10).unwrap()
    };
    let stated = whole.epsilon_of_numbers().amount().as_rational() / RBig::from(STEPS);
    let Some(NoiseLaw::PerAttribute { scale }) = client.noise_law() else { panic!("no Laplace noise") };
    assert!((stated.to_f64().value() * scale * STEPS as f64 - 1.0).abs() < 1e-12);
    let numbers = whole.epsilon_of_numbers().to_f64_up();
    let parts = |decay: RBig, kept: f64| -> Vec<Part> {
        let words = (0..2).map(|column| Part::new(format!("word {column}"), &laws(&client, column, kept), 0, 1));
        [Part::new("number", &number(decay), 0, 1)].into_iter().chain(words).collect()
    };
    let all = "records that differ in everything";
    let kept = product::audit(all, &parts(stated.clone(), 0.0), claimed);
    assert!(kept.verdict() == Verdict::NotBroken && worst(&kept) > 0.999_999 * claimed, "{kept:?}");
    let one = numbers + whole.epsilon_of_words(&whole.categories()[0]).to_f64_up();
    let of_all = whole.epsilon().amount().as_rational() / RBig::from(STEPS);
    for (mutant, measure) in [
        ("a word that is not counted", product::audit(all, &parts(stated.clone(), 0.0), one)),
        ("words that were kept once more", product::audit(all, &parts(stated, 1e-3), claimed)),
        ("numbers that spend the whole ε", product::audit(all, &parts(of_all, 0.0), claimed)),
    ] {
        assert_eq!(measure.verdict(), Verdict::Broken, "{mutant}: {measure:?}");
    }
}
