//! What is refused before a file is opened.

use super::{BoundsAsked, Fit, names};
use crate::Error;

impl Fit {
    /// Refuses what makes no sense before a file is opened: options that the method does not have are an error, and not
    /// ignored. [`Fit::run`] begins with it.
    pub fn check(&self) -> Result<(), Error> {
        self.check_options()?;
        match &self.bounds {
            Some(BoundsAsked::Bought(_)) if self.reading.scaling.stretches() => Err(Error::ScaleOfBoughtBounds),
            Some(BoundsAsked::Bought(_)) if !self.reading.categories.is_empty() => {
                Err(Error::CategoriesWithBoughtBounds)
            }
            None if !self.reading.categories.is_empty() => Ok(()),
            Some(bounds) => bounds.check(&self.epsilon),
            None => Err(Error::BoundsNeeded),
        }
    }

    pub(super) fn check_options(&self) -> Result<(), Error> {
        let method = self.method;
        method.check_delta(&self.delta)?;
        self.reading.persons.check(self.rows_public)?;
        self.reading.persons.budget_of_a_row(&self.epsilon, &self.delta)?;
        if self.seed.is_some() && self.account.is_some() {
            return Err(Error::SeededWithLedger);
        }
        if self.keep_cells && !method.info.synopsis {
            return Err(Error::NoCells { method: method.info.name, others: names(|other| other.info.synopsis) });
        }
        if self.k.is_auto() && !method.info.chooses_k {
            let others = names(|other| other.info.chooses_k);
            return Err(Error::CannotChooseK { method: method.info.name, k: self.k, others });
        }
        let count_share = self.count_share.as_ref().map(|_| "count-share");
        for knob in self.knobs.given().into_iter().chain(count_share) {
            if !method.info.options.contains(&knob) {
                let others = names(|other| other.info.options.contains(&knob));
                return Err(Error::UnknownKnob { knob, method: method.info.name, others });
            }
        }
        Ok(())
    }
}
