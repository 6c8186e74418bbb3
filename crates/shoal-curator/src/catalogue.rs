//! Every method by name. A method's row stands in the file of its system; this is the list that puts them in order.

use shoal_privacy::{Amount, Delta, MethodInfo, Parameter};

use crate::plan::Forecast;
use crate::systems::{dplloyd, eugkm, gkm, hybrid, kccm, knorm_lloyd, pgkm, tree};
use crate::{FitError, Settings, System, auto};

/// A larger δ is no small probability: a mechanism that releases one row in a hundred as it is has this δ.
const LARGEST_DELTA: (u64, u64) = (1, 100);

/// The methods of each system, in the order in which they are listed.
const SYSTEMS: [&[Method]; 9] = [
    auto::METHODS,
    dplloyd::METHODS,
    gkm::METHODS,
    pgkm::METHODS,
    eugkm::METHODS,
    hybrid::METHODS,
    kccm::METHODS,
    tree::METHODS,
    knorm_lloyd::METHODS,
];

/// From settings and a number of attributes to a system.
type Build = fn(&Settings, usize) -> Result<Box<dyn System>, FitError>;

/// A method: what it is, and how it is built.
#[derive(Debug)]
pub struct Method {
    /// Name, paper, guarantee, options and abilities.
    pub info: MethodInfo,
    /// From settings and a number of attributes to a system with checked parameters.
    pub(crate) build: Build,
    /// How its error is predicted.
    pub(crate) forecast: Forecast,
}

impl Method {
    /// The system with this name for a table of `dims` attributes.
    ///
    /// ```
    /// use shoal_curator::{DesignSize, Settings, find_method};
    ///
    /// let settings = Settings::new(5, "1".parse()?, DesignSize::Public(50_000));
    /// let hybrid = find_method("hybrid").unwrap().build(&settings, 6)?;
    /// assert_eq!(hybrid.claim().loss.symbols(), "ε = 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&self, settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
        self.check_delta(&settings.delta)?;
        (self.build)(settings, dims)
    }

    /// Refuses a δ that guarantees next to nothing, and one that the method has no use for.
    pub fn check_delta(&self, delta: &Delta) -> Result<(), FitError> {
        let refused = |wanted: String| FitError::Parameter { what: Parameter::DELTA, given: delta.to_string(), wanted };
        if delta.amount().is_zero() {
            Ok(())
        } else if *delta.amount() > Amount::ratio(LARGEST_DELTA.0, LARGEST_DELTA.1) {
            Err(refused(
                "a δ well below 1 / number of rows, such as 1e-6: δ = 0.01 may release one row in a hundred as it is"
                    .into(),
            ))
        } else if !self.info.delta {
            let names: Vec<_> = methods().filter(|method| method.info.delta).map(|method| method.info.name).collect();
            Err(refused(format!(
                "0 with {}, which keeps a pure ε, or choose a method that uses one ({})",
                self.info.name,
                names.join(", ")
            )))
        } else {
            Ok(())
        }
    }
}

/// All methods, in the order in which they are listed.
///
/// ```
/// let first: Vec<_> = shoal_curator::methods().map(|method| method.info.name).take(3).collect();
/// assert_eq!(first, ["auto", "refined-tree", "looks"]);
/// ```
pub fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    SYSTEMS.iter().copied().flatten()
}

/// The method with this name.
pub fn find_method(name: &str) -> Option<&'static Method> {
    methods().find(|method| method.info.name == name)
}

/// What the number after ± is for a model's method, also for one that clustered a synopsis (`eugkm/synopsis`).
pub fn plus_minus(method: &str) -> &'static str {
    let name = method.split('/').next().unwrap_or(method);
    find_method(name).map_or(SCL16.plus_minus, |method| method.info.plus_minus)
}

/// The row of a method of SCL16 that does not use the number of rows.
pub(crate) const SCL16: MethodInfo = MethodInfo {
    name: "",
    trust: "curator",
    paper: "SCL16",
    published: "ε-DP",
    guarantee: "pure ε, add or remove one row, exact; needs public bounds",
    status: "as published; papers/SCL16.md",
    summary: "",
    options: &[],
    synopsis: false,
    chooses_k: false,
    delta: false,
    plus_minus: "two standard deviations of the privacy noise",
};

/// The row of a method of SCL16 that is designed for a number of rows.
pub(crate) const DESIGNED: MethodInfo = MethodInfo {
    guarantee: "pure ε, add or remove one row, exact; needs public bounds; the row count is known from elsewhere or bought within ε",
    status: "as published, for a public row count in place of the true one; papers/SCL16.md",
    ..SCL16
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shoal_privacy::{Epsilon, Loss};

    use super::*;
    use crate::DesignSize;

    #[test]
    fn a_delta_is_used_or_refused() {
        let settings = |delta: &str| Settings {
            delta: delta.parse().unwrap(),
            ..Settings::new(3, "1".parse().unwrap(), DesignSize::Public(5000))
        };
        for method in methods() {
            let small = method.build(&settings("1e-6"), 2);
            if method.info.delta {
                let expected = Loss::Approximate { epsilon: "1".parse().unwrap(), delta: "1e-6".parse().unwrap() };
                assert_eq!(small.map(|system| system.claim().loss).unwrap(), expected, "{}", method.info.name);
            } else {
                assert!(small.err().unwrap().to_string().contains("knorm-lloyd"), "{}", method.info.name);
            }
            assert!(matches!(
                method.build(&settings("0.02"), 2),
                Err(FitError::Parameter { what: Parameter::DELTA, .. })
            ));
        }
    }

    #[test]
    fn every_listed_method_can_be_built_and_costs_exactly_its_budget() {
        for method in methods() {
            for size in [DesignSize::Public(5000), DesignSize::bought()] {
                for epsilon in ["1", "0.1", "0.7", "1/3"] {
                    for dims in [1, 2, 6] {
                        let epsilon: Epsilon = epsilon.parse().unwrap();
                        let settings = Settings::new(3, epsilon.clone(), size.clone());
                        let claim = method.build(&settings, dims).unwrap().claim();
                        assert_eq!(claim.loss, Loss::Pure(epsilon), "{}, d = {dims}", method.info.name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_method_has_a_name_of_its_own_and_says_what_it_does() {
        let names: HashSet<_> = methods().map(|method| method.info.name).collect();
        assert_eq!(names.len(), methods().count());
        assert!(methods().all(|method| !method.info.name.is_empty() && !method.info.summary.is_empty()));
        assert_eq!(plus_minus("eugkm/synopsis"), find_method("eugkm").unwrap().info.plus_minus);
    }
}
