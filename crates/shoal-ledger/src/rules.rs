//! The rules that every ledger follows, wherever it keeps its books.

use shoal_privacy::ledger::{Balance, Debit};
use shoal_privacy::{Amount, Epsilon};

use crate::error::{LedgerError, Overspent};
use crate::names;

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
