//! How much a person lets a report reveal, whatever a collector asks for.

use shoal_privacy::{Claim, Epsilon, Loss, Numerics};

use crate::error::Over;
use crate::{Design, DeviceError, Promises};

/// A person's own limit on designs. Everything that is set must hold.
///
/// ```
/// use shoal_device::{Design, DeviceError, Limit, Mechanism};
/// use shoal_lattice::{Bounds, Interval};
///
/// let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
/// let design = Design::new(Mechanism::Laplace, "2".parse()?, bounds)?;
/// design.check_limit(&Limit::any_two_records("2".parse()?))?;
/// let refused = design.check_limit(&Limit::any_two_records("1.9".parse()?));
/// assert!(matches!(refused, Err(DeviceError::OverLimit { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    any_two_records: Option<Epsilon>,
    unit_of_distance: Option<Epsilon>,
    digest: Option<String>,
    exact: bool,
}

impl Limit {
    /// ε of at most this between any two records, however far apart: for noise that grows with the distance of records,
    /// ε times the largest distance there is.
    pub fn any_two_records(epsilon: Epsilon) -> Self {
        Self { any_two_records: Some(epsilon), ..Self::default() }
    }

    /// ε of at most this per unit of distance, where the range of every column counts as one. Two words are at most that far
    /// apart, whatever weight the design gives them: a collector could otherwise learn any word by giving it a large weight.
    pub fn unit_of_distance(epsilon: Epsilon) -> Self {
        Self { unit_of_distance: Some(epsilon), ..Self::default() }
    }

    /// This design and no other.
    pub fn design_with(digest: impl Into<String>) -> Self {
        Self::default().and_digest(digest)
    }

    /// Furthermore ε of at most this between any two records.
    #[must_use]
    pub fn and_any_two_records(self, epsilon: Epsilon) -> Self {
        Self { any_two_records: Some(epsilon), ..self }
    }

    /// Furthermore ε of at most this per unit of distance.
    #[must_use]
    pub fn and_unit_of_distance(self, epsilon: Epsilon) -> Self {
        Self { unit_of_distance: Some(epsilon), ..self }
    }

    /// Furthermore the design has this digest.
    #[must_use]
    pub fn and_digest(self, digest: impl Into<String>) -> Self {
        Self { digest: Some(digest.into().trim().to_ascii_lowercase()), ..self }
    }

    /// Furthermore the noise is drawn exactly, not in floating point.
    #[must_use]
    pub fn and_exact_noise(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Whether reports of this design, with these guarantees, stay within the limit.
    pub(crate) fn check(&self, design: &Design, promises: &Promises) -> Result<(), DeviceError> {
        if let Some(expected) = &self.digest {
            let found = design.digest();
            if *expected != found {
                return Err(DeviceError::OtherDesign { expected: expected.clone(), found });
            }
        }
        if promises.claims().next().is_none() {
            return Err(DeviceError::NoGuarantee { mechanism: design.mechanism().name() });
        }
        if self.exact && promises.claims().any(|claim| claim.numerics != Numerics::Exact) {
            return Err(DeviceError::NotExact);
        }
        for (over, limit) in
            [(Over::AnyTwoRecords, &self.any_two_records), (Over::UnitOfDistance, &self.unit_of_distance)]
        {
            let Some(limit) = limit else { continue };
            // Every mechanism with a guarantee states both.
            let mut found = promises.claims().find_map(|claim| epsilon_over(over, claim)).cloned();
            if over == Over::UnitOfDistance {
                let words = design.categories().iter().map(|category| design.epsilon_of_words(category));
                found = found.map(|numbers| words.fold(numbers, |most, word| if word > most { word } else { most }));
            }
            match &found {
                Some(epsilon) if epsilon <= limit => {}
                Some(epsilon) => {
                    let (design, limit) = (epsilon.clone().into(), limit.clone().into());
                    return Err(DeviceError::OverLimit { over, design, limit });
                }
                None => return Err(DeviceError::NoGuarantee { mechanism: design.mechanism().name() }),
            }
        }
        Ok(())
    }
}

fn epsilon_over(over: Over, claim: &Claim) -> Option<&Epsilon> {
    match (over, &claim.loss) {
        (Over::AnyTwoRecords, Loss::Pure(epsilon)) | (Over::UnitOfDistance, Loss::PerDistance(epsilon)) => {
            Some(epsilon)
        }
        _ => None,
    }
}

impl Design {
    /// Whether a report under this design stays within a person's limit. Sets up the sampler, because the guarantee is
    /// computed from it: milliseconds.
    ///
    /// # Errors
    /// When the design exceeds the limit, guarantees nothing, or is another one than the limit names.
    pub fn check_limit(&self, limit: &Limit) -> Result<(), DeviceError> {
        limit.check(self, &self.promises()?)
    }
}
