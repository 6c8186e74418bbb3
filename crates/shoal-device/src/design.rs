//! What everyone agreed on before the first report: enough for a device to report and for a server to read reports.

use std::collections::BTreeSet;

use shoal_lattice::{Bounds, Category};
use shoal_privacy::{Amount, Epsilon};

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
    categories: Vec<Category>,
    identifier: Option<String>,
}

impl Design {
    /// A design with exact noise, where the mechanism has any. Bounds may have [categories](Bounds::with_categories): people then
    /// also report a word of a public list for each, by [randomised response](crate::WordResponse).
    ///
    /// # Errors
    /// When ε is zero or has more than 800 digits, a parameter is out of range, there is no number column, two columns have one
    /// name, a name has control characters, numbers are stretched or weighted, or a mechanism that guarantees nothing is to
    /// protect words.
    pub fn new(mechanism: Mechanism, epsilon: Epsilon, bounds: Bounds) -> Result<Self, DesignError> {
        let numbers = bounds.numbers();
        let categories = bounds.categories().to_vec();
        let plain = |i: usize| bounds.scales()[i].is_linear() && bounds.weights()[i] == bounds.weights()[0];
        if !(0..numbers).all(plain) {
            let advice = "reports have numbers as they are; leave scales and weights of numbers out of the bounds of a design, or \
                          give people's values stretched already, with bounds to match";
            let given = "stretched or weighted columns".into();
            return Err(DesignError::Parameter { what: "the design", given, advice: advice.into() });
        }
        let bounds = Bounds::new(bounds.columns()[..numbers].to_vec(), bounds.intervals()[..numbers].to_vec())?;
        // Weights that fitted weighted numbers may be too far from those of plain ones.
        bounds.clone().with_categories(categories.clone())?;
        if numbers == 0 {
            return Err(DesignError::NoColumns);
        }
        if !categories.is_empty() && matches!(mechanism, Mechanism::Bpgm { .. }) {
            let advice =
                "it protects nobody, and words are reported under a guarantee only; take bpm or laplace".into();
            return Err(DesignError::Parameter {
                what: "the mechanism beside categories",
                given: "bpgm".into(),
                advice,
            });
        }
        let columns = bounds.columns().iter().map(String::as_str).chain(categories.iter().map(Category::column));
        let mut seen = BTreeSet::new();
        for name in columns {
            plain_text("the name of a column", name)?;
            if !seen.insert(name) {
                return Err(DesignError::DuplicateColumn { name: name.into() });
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
        let sampler = mechanism.drawn_by(Sampler::Exact);
        let design = Self { mechanism, epsilon, sampler, bounds, categories, identifier: None };
        design.mechanism.check(&design.epsilon_of_numbers(), design.bounds.dims())?;
        Ok(design)
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

    /// Names and public bounds of the columns of numbers.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The columns of words, whose outcomes come after the numbers in a report.
    pub fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// Refuses a design with columns of words, for a program (`reader`, as in "this page") that handles numbers only: it would
    /// take outcomes of words for noisy numbers.
    ///
    /// # Errors
    /// When the design has categories.
    pub fn numbers_only(&self, reader: &'static str) -> Result<(), DesignError> {
        if self.categories.is_empty() {
            return Ok(());
        }
        let columns = self.categories.iter().map(|category| category.column().to_owned()).collect();
        Err(DesignError::WordsNotHandled { columns, reader })
    }

    /// What a report has a value for: the columns of numbers, then those of words.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.bounds.columns().iter().map(String::as_str).chain(self.categories.iter().map(Category::column))
    }

    /// Numbers and indicators of all levels, as [`Bounds::with_categories`] has them: the columns of a centre.
    pub fn coordinates(&self) -> Bounds {
        // Unwrap safety: the categories came out of bounds that had these columns.
        self.bounds.clone().with_categories(self.categories.clone()).unwrap()
    }

    /// The distance that a mismatch in this category counts as: its weight, exactly as it is written.
    pub(crate) fn distance_of_mismatch(category: &Category) -> Amount {
        // Unwrap safety: a weight is a finite number above zero.
        Amount::from_shortest_decimal(category.weight()).unwrap()
    }

    /// What ε is shared by, where it is about any two records: a part of 1 for each number, and the weight for each category.
    fn parts(&self) -> Amount {
        let words = self.categories.iter().map(Self::distance_of_mismatch);
        words.fold(Amount::ratio(self.bounds.dims() as u64, 1), |sum, part| sum.plus(&part))
    }

    /// `epsilon · part / parts()`.
    fn share(&self, part: &Amount) -> Epsilon {
        let exact = self.epsilon.amount().times(part).as_rational() / self.parts().as_rational();
        // Unwrap safety: a quotient of positive numbers.
        Epsilon::new(Amount::from_rational(exact).unwrap())
    }

    /// The ε of the mechanism of the numbers. Mechanisms whose ε is per unit of distance keep it, since a mismatch is a distance,
    /// too; where ε is that of a whole report, categories have their share of it.
    pub fn epsilon_of_numbers(&self) -> Epsilon {
        match self.mechanism {
            Mechanism::Laplace if !self.categories.is_empty() => {
                self.share(&Amount::ratio(self.bounds.dims() as u64, 1))
            }
            _ => self.epsilon.clone(),
        }
    }

    /// The ε between any two words of a category: ε times its weight, or its share of ε where that is of a whole report.
    pub fn epsilon_of_words(&self, category: &Category) -> Epsilon {
        let weight = Self::distance_of_mismatch(category);
        match self.mechanism {
            Mechanism::Laplace => self.share(&weight),
            _ => self.epsilon.times(&weight),
        }
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
