//! What the paper prints, from `papers/printed.toml`.

use super::setting::{Curve, EPSILONS};
use crate::Failure;
use crate::printed::{self, Printed};

/// The one value of a figure that is called so.
pub fn value(figure: &str, what: &str) -> Result<Printed, Failure> {
    let mut all = printed::all()?.into_iter();
    let found = all.find(|printed| printed.figure == figure && printed.what == what);
    found.ok_or_else(|| format!("no printed value of {figure} is called {what}").into())
}

/// The headline: the average gain in a measure.
pub fn gain(figure: &str, name: &str) -> Result<Printed, Failure> {
    value(figure, &format!("Average gain of BPGT in {name}, in per cent"))
}

/// The error of a comparator at ε = 10 in multiples of the paper's own.
pub fn times(name: &str) -> Result<Printed, Failure> {
    value("chen25-fig5", &format!("RE of {name} in multiples of that of BPGT ℓ = 1 on Iris, ε = 10"))
}

/// What the paper prints of a curve in Fig. 5 on Iris, in the order of the budgets.
pub fn errors_on_iris(curve: &Curve) -> Result<Vec<(&'static str, Printed)>, Failure> {
    let all = printed::all()?;
    let of_curve = |epsilon: &'static str| {
        let key = curve.way.key(crate::Key::new("clz25").with("data", "iris"), epsilon);
        let fits = |printed: &&Printed| {
            let cell = &printed.cell;
            let same = |(name, value): (&String, &String)| key.get(name) == Some(&**value);
            printed.figure == "chen25-fig5" && !cell.is_empty() && cell.iter().all(same)
        };
        all.iter().find(fits).map(|printed| (epsilon, printed.clone()))
    };
    Ok(EPSILONS.into_iter().filter_map(of_curve).collect())
}
