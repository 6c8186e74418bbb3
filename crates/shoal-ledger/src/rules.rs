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

/// A decimal number that is never above the amount: what is offered must fit.
pub(crate) fn decimal_down(amount: &Amount) -> String {
    let mut candidate = amount.to_f64_up();
    // The double above two fifths is written 0.4, which is no more than two fifths: so start above, and go down only
    // while what would be printed is too much.
    while Amount::from_shortest_decimal(candidate).is_ok_and(|shown| shown > *amount) {
        candidate = candidate.next_down();
    }
    if candidate != 0.0 && !(1e-4..1e15).contains(&candidate) {
        format!("{candidate:e}")
    } else {
        candidate.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_offered_is_plain_and_fits() {
        for text in ["0.4", "0.1", "2", "1e-6", "0", "0.30000000000000004"] {
            assert_eq!(decimal_down(&text.parse().unwrap()), text);
        }
        assert_eq!(decimal_down(&Amount::ratio(1, 3)), "0.3333333333333333");
    }

    #[test]
    fn an_amount_too_long_to_read_back_is_refused() {
        let tiny: Amount = "1e-400".parse().unwrap();
        assert!(to_text(&tiny).is_ok());
        assert!(matches!(to_text(&tiny.times(&tiny)), Err(LedgerError::UnwieldyAmount { digits: 802 })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn text_is_exact_and_offers_fit(numerator in any::<u64>(), denominator in 1..u64::MAX) {
            let amount = Amount::ratio(numerator, denominator);
            prop_assert_eq!(&to_text(&amount).unwrap().parse::<Amount>().unwrap(), &amount);
            let offered: Amount = decimal_down(&amount).parse().unwrap();
            prop_assert!(offered <= amount);
            prop_assert!(amount.to_f64_up() - offered.to_f64_up() <= 4.0 * f64::EPSILON * amount.to_f64_up());
        }
    }
}
