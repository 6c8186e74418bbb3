//! Steps as bytes and as JSON: they come back as they were, and damage is refused.

use proptest::prelude::*;
use shoal_privacy::Amount;
use shoal_release::{NoiseSpec, Step, StepError, Take};
use shoal_scan::{Grid, Question};

use crate::questions::{buckets, step};

fn of_rows(decay: &str) -> Step {
    Step::new(Question::RowCount, Take::Whole, NoiseSpec::Laplace { decay: decay.parse().unwrap() }).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn steps_come_back_as_they_were(step in step()) {
        let bytes = step.to_bytes();
        let back = Step::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&back, &step);
        prop_assert_eq!(back.to_bytes(), bytes);
        prop_assert_eq!(back.claim(), step.claim());
        let json = serde_json::to_string(&step).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Step>(&json).unwrap(), &step);
    }

    #[test]
    fn any_bytes_are_refused_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Step::from_bytes(&bytes).is_err());
    }
}

#[test]
fn damage_is_found() {
    for step in [of_rows("1/3"), Step::new(buckets(), Take::Whole, NoiseSpec::Laplace { decay: Amount::ONE }).unwrap()]
    {
        let bytes = step.to_bytes();
        for at in 0..bytes.len() {
            assert!(Step::from_bytes(&bytes[..at]).is_err());
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Step::from_bytes(&damaged).is_err(), "bit {bit} of byte {at}");
            }
        }
        assert!(Step::from_bytes(&[&bytes[..], b"!"].concat()).is_err());
    }
}

#[test]
fn other_noise_has_other_bytes_and_equal_amounts_have_the_same() {
    assert_ne!(of_rows("1/3").to_bytes(), of_rows("0.3333333333333333").to_bytes());
    assert_eq!(of_rows("2/6").to_bytes(), of_rows("1/3").to_bytes());
    assert_eq!(of_rows("0.5").to_bytes(), of_rows("1/2").to_bytes());
}

#[test]
fn long_answers_are_refused_before_memory_is_taken() {
    let grid = |cells: u32| Grid::new(vec![cells, 1 << 10], u32::MAX as usize).unwrap();
    let step = |cells: u32| {
        let noise = NoiseSpec::Laplace { decay: Amount::ONE };
        Step::new(Question::CellCounts { grid: grid(cells) }, Take::Whole, noise).unwrap()
    };
    assert!(Step::from_bytes(&step(1 << 10).to_bytes()).is_ok());
    assert!(Step::from_bytes(&step((1 << 10) + 1).to_bytes()).is_err());
    assert!(Step::from_bytes(&step(1 << 15).to_bytes()).is_err());
    assert!(Step::from_bytes_within(&of_rows("1").to_bytes(), 1).is_ok());
    assert!(matches!(Step::from_bytes_within(&step(1).to_bytes(), 1023), Err(StepError::TooManyNumbers { .. })));
}

#[test]
fn readable_text_is_checked_as_bytes_are() {
    let json = serde_json::to_string(&of_rows("1/3")).unwrap();
    assert!(json.starts_with(r#"{"format_version":1,"question":"#) && json.contains(r#""decay":"1/3""#), "{json}");
    for (from, to) in [
        (r#"{"format_version":1"#, r#"{"format_version":2"#),
        (r#""1/3""#, r#""0""#),
        (r#""1/3""#, r#""-1""#),
        (r#""whole""#, r#""sums""#),
        (r#""whole""#, r#""whole","more":1"#),
    ] {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json);
        assert!(serde_json::from_str::<Step>(&changed).is_err(), "{changed}");
    }
}

#[test]
fn sentences_say_what_is_asked_and_what_it_costs() {
    assert_eq!(of_rows("1/2").sentence(), "the number of rows, with Laplace noise; it costs ε = 0.5");
}
