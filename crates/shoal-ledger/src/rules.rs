//! The rules that every ledger follows, wherever it keeps its books.

use shoal_privacy::ledger::{Balance, Debit};
use shoal_privacy::{Amount, Epsilon};

use crate::error::{LedgerError, Overspent};
use crate::names;
use crate::origin::Unit;

/// Refuses a new data set that could not be kept.
pub(crate) fn check_new(dataset: &str, epsilon: &Epsilon) -> Result<(), LedgerError> {
    names::check(dataset)?;
    if epsilon.amount().is_zero() { Err(LedgerError::NoBudget) } else { Ok(()) }
}

/// Refuses a debit that does not fit.
pub(crate) fn check_fits(balance: &Balance, debit: &Debit) -> Result<(), LedgerError> {
    if balance.covers(debit) {
        Ok(())
    } else {
        Err(LedgerError::Overspent(Box::new(Overspent { debit: debit.clone(), balance: balance.clone() })))
    }
}

/// Refuses a table that is known by another name, and another table than those known by this one. True when the table is new.
pub(crate) fn check_table(
    dataset: &str,
    owner: Option<&str>,
    others: usize,
    population: bool,
) -> Result<bool, LedgerError> {
    match owner {
        Some(owner) if owner == dataset => Ok(false),
        Some(owner) => Err(LedgerError::KnownTable { known: owner.into() }),
        None if others > 0 && !population => Err(LedgerError::OtherTable { dataset: dataset.into() }),
        None => Ok(true),
    }
}

/// Refuses a release that protects something else than those before it. Entries that do not say are from before anything but
/// rows was protected.
pub(crate) fn check_unit(
    dataset: &str,
    kept: impl IntoIterator<Item = Option<Unit>>,
    asked: Option<Unit>,
) -> Result<(), LedgerError> {
    let Some(asked) = asked else { return Ok(()) };
    match kept.into_iter().map(|unit| unit.unwrap_or(Unit::Row)).find(|kept| *kept != asked) {
        Some(kept) => Err(LedgerError::OtherUnit { dataset: dataset.into(), kept, asked }),
        None => Ok(()),
    }
}

/// The amount as `numerator/denominator`, which reads back as the very same amount.
///
/// Amounts grow by multiplication without limit and reading has one, so an amount that would not come back is refused
/// here, before anything is written.
pub(crate) fn to_text(amount: &Amount) -> Result<String, LedgerError> {
    let exact = amount.as_rational();
    let text = format!("{}/{}", exact.numerator(), exact.denominator());
    match text.parse::<Amount>() {
        Ok(read_back) if read_back == *amount => Ok(text),
        _ => Err(LedgerError::UnwieldyAmount { digits: text.len() - 1 }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_amount_too_long_to_read_back_is_refused() {
        let tiny: Amount = "1e-400".parse().unwrap();
        assert!(to_text(&tiny).is_ok());
        assert!(matches!(to_text(&tiny.times(&tiny)), Err(LedgerError::UnwieldyAmount { digits: 802 })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn text_is_exact(numerator in any::<u64>(), denominator in 1..u64::MAX) {
            let amount = Amount::ratio(numerator, denominator);
            prop_assert_eq!(&to_text(&amount).unwrap().parse::<Amount>().unwrap(), &amount);
        }
    }
}
