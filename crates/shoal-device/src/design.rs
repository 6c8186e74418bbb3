//! What everyone agreed on before the first report: enough for a device to report and for a server to read reports.

use std::collections::BTreeSet;

use shoal_lattice::Bounds;
use shoal_privacy::Epsilon;

use crate::{Client, DesignError, Mechanism, Promises, Sampler};

/// The longest identifier, in bytes.
const LONGEST_IDENTIFIER: usize = 200;

/// Digits that the numerator or the denominator of ε may have.
const MOST_DIGITS: usize = 800;

/// The public agreement between a collector and the people who report: mechanism, ε, columns and their bounds.
///
/// A design that exists has parameters in range. It is written and read as JSON ([`Self::to_json`],
/// [`Self::from_json`]) and has a [`digest`](Self::digest), by which people can agree that they mean the same design.
///
/// ```
/// use shoal_device::{Design, Mechanism};
/// use shoal_lattice::{Bounds, Interval};
///
/// let bounds = Bounds::new(vec!["age".into()], vec![Interval::new(17.0, 90.0)?])?;
/// let design = Design::new(Mechanism::Laplace, "0.5".parse()?, bounds)?.with_identifier("ages-2026")?;
/// assert_eq!(Design::from_json(&design.to_json())?, design);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    mechanism: Mechanism,
    epsilon: Epsilon,
    sampler: Sampler,
    bounds: Bounds,
    identifier: Option<String>,
}

impl Design {
    /// A design with exact noise, where the mechanism has any.
    ///
    /// # Errors
    /// When ε is zero or has more than 800 digits, a parameter is out of range, there is no column, two columns have one
    /// name, or a name has control characters.
    pub fn new(mechanism: Mechanism, epsilon: Epsilon, bounds: Bounds) -> Result<Self, DesignError> {
        let columns = bounds.columns();
        if columns.is_empty() {
            return Err(DesignError::NoColumns);
        }
        if !bounds.is_plain() || !bounds.categories().is_empty() {
            let advice = "reports have columns as they are; leave scales, weights and categories out of the bounds of a design, or give \
                          people's values stretched already, with bounds to match";
            let given = "stretched or weighted columns, or categories".into();
            return Err(DesignError::Parameter { what: "the design", given, advice: advice.into() });
        }
        let mut seen = BTreeSet::new();
        for name in columns {
            plain_text("the name of a column", name)?;
            if !seen.insert(name) {
                return Err(DesignError::DuplicateColumn { name: name.clone() });
            }
        }
        let exact = epsilon.amount().as_rational();
        if exact.is_zero() {
            let advice = "give an ε above 0, for example 1".into();
            return Err(DesignError::Parameter { what: "epsilon", given: "0".into(), advice });
        }
        if exact.numerator().to_string().len().max(exact.denominator().to_string().len()) > MOST_DIGITS {
            let advice = format!("give a fraction of at most {MOST_DIGITS} digits above and below the line");
            return Err(DesignError::Parameter { what: "epsilon", given: epsilon.to_string(), advice });
        }
        mechanism.check(&epsilon, bounds.dims())?;
        let sampler = mechanism.drawn_by(Sampler::Exact);
        Ok(Self { mechanism, epsilon, sampler, bounds, identifier: None })
    }

    /// The same design with noise drawn in this way. Mechanisms that draw in one way only keep it: Laplace noise is
    /// always exact, and BPGM always works in doubles.
    #[must_use]
    pub fn with_sampler(mut self, sampler: Sampler) -> Self {
        self.sampler = self.mechanism.drawn_by(sampler);
        self
    }

    /// The same design under a name that the collector chooses.
    ///
    /// # Errors
    /// When the name is empty, longer than 200 bytes, or has control characters.
    pub fn with_identifier(mut self, identifier: impl Into<String>) -> Result<Self, DesignError> {
        let identifier = identifier.into();
        plain_text("the identifier", &identifier)?;
        if identifier.is_empty() || identifier.len() > LONGEST_IDENTIFIER {
            return Err(DesignError::Parameter {
                what: "the length of the identifier",
                given: format!("{} bytes", identifier.len()),
                advice: format!("give 1 to {LONGEST_IDENTIFIER}"),
            });
        }
        self.identifier = Some(identifier);
        Ok(self)
    }

    /// How a record becomes a report.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// The budget ε, in the unit that the mechanism guarantees.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// How the noise is drawn.
    pub fn sampler(&self) -> Sampler {
        self.sampler
    }

    /// Names and public bounds of the columns.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The collector's name for the design.
    pub fn identifier(&self) -> Option<&str> {
        self.identifier.as_deref()
    }

    /// What a report guarantees when its noise comes from the operating system. Sets up the sampler, because the
    /// guarantee is computed from it: milliseconds.
    pub fn promises(&self) -> Result<Promises, DesignError> {
        Ok(Client::accepting_unsound(self)?.promises())
    }
}

/// Refuses control characters and marks of direction: names are printed on terminals.
fn plain_text(what: &'static str, text: &str) -> Result<(), DesignError> {
    if text.chars().any(shoal_privacy::is_unprintable) {
        return Err(DesignError::ControlCharacters { what, text: text.chars().take(80).collect() });
    }
    Ok(())
}
