//! The ledger on disk and the ledger in memory give the same answer to every sequence of questions.

use std::path::Path;

use proptest::prelude::*;
use shoal_ledger::{Entry, FileLedger, LedgerError, MemoryLedger};
use shoal_privacy::ledger::{Debit, Ledger};
use shoal_privacy::{Amount, Delta, Epsilon};

const NAMES: [&str; 6] = ["visits", "Visits ", "päivä/\0\"';--", "x", "", "visit"];

#[derive(Clone, Debug)]
enum Step {
    Init(usize, Epsilon, Delta),
    Debit(usize, Epsilon, Delta),
    Balance(usize),
    Finish(u64),
    Reopen,
}

fn epsilons() -> impl Strategy<Value = Epsilon> {
    let small = (0_u64..40, 1_u64..12).prop_map(|(n, d)| Amount::ratio(n, d));
    let any = (any::<u64>(), 1..u64::MAX).prop_map(|(n, d)| Amount::ratio(n, d));
    let unwieldy = Just("1e-400".parse::<Amount>().unwrap()).prop_map(|tiny| tiny.times(&tiny));
    prop_oneof![12 => small, 3 => any, 1 => unwieldy].prop_map(Epsilon::new)
}

fn deltas() -> impl Strategy<Value = Delta> {
    let some = (0_u64..5, 5_u64..50).prop_map(|(n, d)| Delta::new(Amount::ratio(n, d)).unwrap());
    prop_oneof![Just(Delta::ZERO), some]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..NAMES.len(), epsilons(), deltas()).prop_map(|(n, e, d)| Step::Init(n, e, d)),
        9 => (0..NAMES.len(), epsilons(), deltas()).prop_map(|(n, e, d)| Step::Debit(n, e, d)),
        2 => (0..NAMES.len()).prop_map(Step::Balance),
        2 => (1..12_u64).prop_map(Step::Finish),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..40)
}

/// Errors of both sides are compared by their words: none of these speaks of a file.
fn comparable<T>(result: Result<T, LedgerError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn timeless(entries: Vec<Entry>) -> Vec<Entry> {
    entries.into_iter().map(|entry| Entry { time: String::new(), ..entry }).collect()
}

fn run(path: &Path, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut file = FileLedger::create_or_open(path).unwrap();
    let mut memory = MemoryLedger::new();
    for (index, step) in steps.into_iter().enumerate() {
        match step {
            Step::Init(name, epsilon, delta) => prop_assert_eq!(
                comparable(file.init(NAMES[name], &epsilon, &delta)),
                comparable(memory.init(NAMES[name], &epsilon, &delta))
            ),
            Step::Debit(name, epsilon, delta) => {
                let debit = Debit { dataset: NAMES[name].into(), epsilon, delta, purpose: format!("step {index}") };
                prop_assert_eq!(comparable(file.debit(&debit)), comparable(memory.debit(&debit)));
            }
            Step::Balance(name) => {
                prop_assert_eq!(comparable(file.balance(NAMES[name])), comparable(memory.balance(NAMES[name])));
            }
            Step::Finish(entry) => {
                // A number that was never given out is a mistake of the program, and nothing to compare.
                if memory
                    .datasets()
                    .iter()
                    .any(|name| memory.entries(name).unwrap().iter().any(|it| it.number == entry))
                {
                    file.finish(entry).unwrap();
                    memory.finish(entry);
                }
            }
            Step::Reopen => {
                drop(file);
                file = FileLedger::open(path).unwrap();
            }
        }
    }
    prop_assert_eq!(file.datasets().unwrap(), memory.datasets());
    for name in NAMES {
        let on_disk = comparable(file.entries(name)).map(timeless);
        prop_assert_eq!(&on_disk, &comparable(memory.entries(name)).map(timeless));
        if let (Ok(entries), Ok(balance)) = (on_disk, file.balance(name)) {
            let spent: Amount = entries.iter().map(|entry| entry.epsilon.amount().clone()).sum();
            prop_assert_eq!(&spent, balance.epsilon_spent.amount());
            prop_assert!(balance.epsilon_spent <= balance.epsilon_total);
            prop_assert!(balance.delta_spent <= balance.delta_total);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn memory_equals_disk(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        run(&folder.path().join("books"), steps)?;
    }
}

#[test]
fn ten_tenths_are_one_and_the_eleventh_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = FileLedger::create_or_open(folder.path().join("books")).unwrap();
    ledger.init("visits", &"1".parse().unwrap(), &Delta::ZERO).unwrap();
    let debit =
        Debit { dataset: "visits".into(), epsilon: "0.1".parse().unwrap(), delta: Delta::ZERO, purpose: String::new() };
    for number in 1..=10 {
        assert_eq!(ledger.debit(&debit).unwrap().entry(), number);
    }
    assert!(matches!(ledger.debit(&debit), Err(LedgerError::Overspent(_))));
    assert_eq!(ledger.entries("visits").unwrap().len(), 10);
}

#[test]
fn a_data_set_is_entered_once_even_with_the_same_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = FileLedger::create_or_open(folder.path().join("books")).unwrap();
    let (epsilon, delta) = ("2".parse().unwrap(), "1e-6".parse().unwrap());
    ledger.init("visits", &epsilon, &delta).unwrap();
    let error = ledger.init("visits", &epsilon, &delta).unwrap_err().to_string();
    assert!(error.contains("with ε = 2 and δ = 1e-6 in total") && error.contains("shoal ledger show"), "{error}");
}
