//! Whose rows a job reads: what a person is, and which of their rows count.

use shoal_files::{PerPerson, PersonKey};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Allowance, Claim, Delta, Epsilon, PrivacyUnit, budget_of_a_row};

use crate::Error;

/// The fork of a seeded source that a key of persons comes from.
const PERSONS: u64 = 0x0070_6572_736f_6e73;

/// The persons of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Persons {
    /// Columns that name them; none where rows are not grouped.
    pub(crate) columns: Vec<String>,
    /// What becomes of their rows, where that was asked for.
    pub(crate) per_person: Option<PerPerson>,
}

impl Persons {
    /// What becomes of a person's rows; nothing where rows are not grouped.
    pub(crate) fn way(&self) -> Option<PerPerson> {
        (!self.columns.is_empty()).then(|| self.per_person.clone().unwrap_or_default())
    }

    /// Refuses a way to treat a person's rows without a person, and one that makes no sense.
    pub(crate) fn check(&self, count_public: bool) -> Result<(), Error> {
        match &self.per_person {
            Some(_) if self.columns.is_empty() => Err(Error::PerPersonWithoutPerson),
            Some(way) if count_public && way.most_rows() > 1 => Err(Error::CountOfSeveralRows),
            Some(way) => Ok(way.check()?),
            None => Ok(()),
        }
    }

    /// Whom the noise of a run protects. A number of rows that is disclosed as well is no matter of noise: the printed
    /// guarantee is then about replacing, and ledgers go on counting what adding or removing costs.
    pub(crate) fn unit(&self) -> PrivacyUnit {
        PrivacyUnit { rows_of_a_person: self.way().map(|way| way.most_rows()), count_public: false }
    }

    /// What methods, which know only rows, may spend of ε and δ.
    pub(crate) fn budget_of_a_row(&self, epsilon: &Epsilon, delta: &Delta) -> Result<(Epsilon, Delta), Error> {
        let most = self.way().map_or(1, |way| way.most_rows());
        budget_of_a_row(epsilon, delta, most).ok_or(Error::DeltaOfSeveralRows { most })
    }

    /// The key under which the persons of a run are known. Drawn anew for each run, so that nothing about one run follows from
    /// another; from the seed where there is one, in a stream apart from the noise.
    pub(crate) fn key(seed: Option<u64>) -> Result<PersonKey, Error> {
        fn words(source: &mut dyn NoiseSource) -> [u64; 4] {
            std::array::from_fn(|_| source.next_u64())
        }
        Ok(PersonKey::new(match seed {
            Some(seed) => words(&mut SeededNoise::new(seed).fork(PERSONS)),
            None => words(&mut OsNoise::new()?),
        }))
    }
}

/// What a run that promises `of_row` about rows promises about its unit.
pub(crate) fn promised(unit: &PrivacyUnit, of_row: &Claim) -> Result<Claim, Error> {
    let most = unit.rows_of_a_person.unwrap_or(1);
    unit.promise(of_row).ok_or(Error::DeltaOfSeveralRows { most })
}

/// The allowance of a method that promises `of_row`, out of one about the unit of the run.
pub(crate) fn for_rows(allowance: Allowance, of_row: Claim, unit: &PrivacyUnit) -> Result<Allowance, Error> {
    Ok(allowance.for_rows(of_row, unit)?)
}
