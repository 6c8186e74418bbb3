//! Which of two methods is better, over many places: a difference counts when it is more than three standard errors.

use std::fmt;

use crate::figure::Places;
use crate::statistics::{CLEAR, Summary, widened};

/// By which part of the other mean a method must be lower to be much better. The papers' words have no number: this one is
/// ours.
pub const MUCH: f64 = 0.1;

/// Whether a mean is below another, as far as that is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Below, by more than [`CLEAR`] standard errors of the difference.
    Lower,
    /// Neither is certain.
    Alike,
    /// Above.
    Higher,
}

impl Order {
    /// Of the first mean to the second.
    #[must_use]
    pub fn of(first: &Summary, second: &Summary) -> Self {
        let apart = first.mean - second.mean;
        let reach = first.reach(CLEAR, second);
        // Two runs that need no noise differ by rounding alone.
        let reach = reach.max(1e-9 * second.mean.abs());
        match apart {
            apart if apart < -reach => Self::Lower,
            apart if apart > reach => Self::Higher,
            _ => Self::Alike,
        }
    }
}

/// A number with its error, worked out from means over runs: a difference or a ratio, say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    variance: f64,
    /// The variance's own square over its degrees of freedom: few runs make it uncertain (Welch and Satterthwaite).
    doubt: f64,
}

impl Estimate {
    /// The mean of runs.
    #[must_use]
    pub fn of(runs: &Summary) -> Self {
        let variance = runs.error().powi(2);
        let doubt = if runs.runs > 1 { variance.powi(2) / (runs.runs - 1) as f64 } else { 0.0 };
        Self { value: runs.mean, variance, doubt }
    }

    /// Another number with the error of this one, times a slope.
    #[must_use]
    pub fn mapped(self, value: f64, slope: f64) -> Self {
        Self { value, variance: self.variance * slope.powi(2), doubt: self.doubt * slope.powi(4) }
    }

    /// The sum with one of other runs.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            variance: self.variance + other.variance,
            doubt: self.doubt + other.doubt,
        }
    }

    /// This minus one of other runs.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.plus(other.mapped(-other.value, -1.0))
    }

    /// This over one of other runs.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let ratio = self.value / other.value;
        let (above, below) = (self.mapped(ratio, 1.0 / other.value), other.mapped(0.0, ratio / other.value));
        above.plus(below)
    }

    /// The logarithm of a positive number.
    #[must_use]
    pub fn ln(self) -> Self {
        self.mapped(self.value.ln(), 1.0 / self.value)
    }

    /// The standard error.
    #[must_use]
    pub fn error(self) -> f64 {
        self.variance.sqrt()
    }

    /// Whether a statement that it is above one of other runs holds, is a tie, or is contradicted.
    #[must_use]
    pub fn above(self, other: Self) -> Places {
        let (held, against) = (usize::from(self.is_above(other)), usize::from(other.is_above(self)));
        Places { held, against, tied: 1 - held - against }
    }

    /// Whether it is above one of other runs by more than [`CLEAR`] standard errors, and more where runs are few.
    #[must_use]
    pub fn is_above(self, other: Self) -> bool {
        let apart = self.minus(other);
        let reach = apart.error() * widened(CLEAR, apart.variance.powi(2) / apart.doubt);
        apart.value > reach.max(1e-9 * other.value.abs())
    }
}

/// How often one method was lower than another, and where it was not.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    lower: Vec<String>,
    much_lower: usize,
    alike: Vec<String>,
    higher: Vec<String>,
}

impl Tally {
    /// One place more.
    pub fn add(&mut self, place: impl Into<String>, first: &Summary, second: &Summary) {
        self.add_against(place, first, &[*second]);
    }

    /// One place more with several rivals: lower is lower than each of them, higher is higher than one.
    pub fn add_against(&mut self, place: impl Into<String>, first: &Summary, rivals: &[Summary]) {
        let orders: Vec<Order> = rivals.iter().map(|rival| Order::of(first, rival)).collect();
        let list = if orders.contains(&Order::Higher) {
            &mut self.higher
        } else if orders.contains(&Order::Alike) {
            &mut self.alike
        } else {
            self.much_lower += usize::from(rivals.iter().all(|rival| first.mean <= (1.0 - MUCH) * rival.mean));
            &mut self.lower
        };
        list.push(place.into());
    }

    /// This one's places and another's.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.much_lower += other.much_lower;
        self.lower.extend(other.lower);
        self.alike.extend(other.alike);
        self.higher.extend(other.higher);
        self
    }

    /// In how many places the first was lower.
    #[must_use]
    pub fn lower(&self) -> usize {
        self.lower.len()
    }

    /// In how many places it was lower beyond errors and by [`MUCH`] at least.
    #[must_use]
    pub fn much_lower(&self) -> usize {
        self.much_lower
    }

    /// The tally, and in how many places the first was much lower.
    #[must_use]
    pub fn with_much(&self) -> String {
        format!("{self}, lower by {} % or more in {}", 100.0 * MUCH, self.much_lower)
    }

    /// In how many places the two could not be distinguished.
    #[must_use]
    pub fn alike(&self) -> usize {
        self.alike.len()
    }

    /// In how many places the first was higher.
    #[must_use]
    pub fn higher(&self) -> usize {
        self.higher.len()
    }

    /// In how many places they were compared.
    #[must_use]
    pub fn places(&self) -> usize {
        self.lower() + self.alike() + self.higher()
    }

    /// The places where the first was lower.
    #[must_use]
    pub fn where_lower(&self) -> String {
        places(&self.lower)
    }

    /// The places where the first was higher.
    #[must_use]
    pub fn where_higher(&self) -> String {
        places(&self.higher)
    }
}

impl From<&Tally> for Places {
    fn from(tally: &Tally) -> Self {
        Self { held: tally.lower(), tied: tally.alike(), against: tally.higher() }
    }
}

/// Some of the places, and how many more there are.
fn places(all: &[String]) -> String {
    const TOLD: usize = 6;
    match all.len() {
        0 => "nowhere".into(),
        count if count <= TOLD => all.join(", "),
        count => format!("{} and {} more", all[..TOLD].join(", "), count - TOLD),
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, higher, alike, all) = (self.lower(), self.higher(), self.alike(), self.places());
        write!(f, "lower in {lower} of {all}, higher in {higher}, within errors in {alike}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_beyond_three_standard_errors() {
        let near = |mean: f64| Summary::of(&[mean - 0.1, mean, mean + 0.1]);
        // The standard error of a difference is 0.0816, and with four degrees of freedom 6.62 of it count.
        assert_eq!(Order::of(&near(1.0), &near(1.53)), Order::Alike);
        assert_eq!(Order::of(&near(1.0), &near(1.56)), Order::Lower);
        assert_eq!(Order::of(&near(1.56), &near(1.0)), Order::Higher);
        assert_eq!(Order::of(&Summary::of(&[0.3]), &Summary::of(&[0.1 + 0.2])), Order::Alike, "rounding");
    }

    #[test]
    fn estimates_keep_the_errors_of_what_they_are_made_of() {
        let near = |mean: f64| Summary::of(&[mean - 0.1, mean, mean + 0.1]);
        let of = |mean: f64| Estimate::of(&near(mean));
        for (first, second) in [(1.56, 1.0), (1.53, 1.0), (1.0, 1.56)] {
            let told = Order::of(&near(first), &near(second)) == Order::Higher;
            assert_eq!(of(first).is_above(of(second)), told, "{first} and {second}");
        }
        // Relative errors of a ratio add up as squares: 0.0577·√(1/4 + 1/16) of 1/2.
        let ratio = of(2.0).over(of(4.0));
        assert!((ratio.value - 0.5).abs() < 1e-12 && (ratio.error() - 0.016_14).abs() < 1e-5, "{ratio:?}");
        let ln = of(2.0).ln();
        assert!((ln.value - 2f64.ln()).abs() < 1e-12 && (ln.error() - 0.028_87).abs() < 1e-5, "{ln:?}");
        let exact = |x: f64| Estimate::of(&Summary::of(&[x]));
        assert!(exact(2.0).is_above(exact(1.0)) && !exact(0.1 + 0.2).is_above(exact(0.3)));
    }

    #[test]
    fn the_best_is_lower_than_each_rival() {
        let exact = |mean: f64| Summary::of(&[mean, mean]);
        let mut tally = Tally::default();
        tally.add_against("first", &exact(1.0), &[exact(2.0), exact(1.05)]);
        tally.add_against("alike", &exact(1.0), &[exact(2.0), exact(1.0)]);
        tally.add_against("worse", &exact(1.0), &[exact(0.5), exact(1.0)]);
        tally.add_against("much", &exact(1.0), &[exact(2.0), exact(3.0)]);
        assert_eq!((tally.lower(), tally.alike(), tally.higher(), tally.much_lower()), (2, 1, 1, 1));
        assert!(tally.with_much().ends_with("lower by 10 % or more in 1"), "{}", tally.with_much());
    }

    #[test]
    fn a_tally_tells_where() {
        let mut tally = Tally::default();
        let (low, high) = (Summary::of(&[1.0, 1.0]), Summary::of(&[2.0, 2.0]));
        tally.add("here", &low, &high);
        tally.add("there", &high, &low);
        tally.add("elsewhere", &low, &low);
        assert_eq!(tally.to_string(), "lower in 1 of 3, higher in 1, within errors in 1");
        assert_eq!((tally.where_lower(), tally.where_higher()), ("here".into(), "there".into()));
        assert_eq!(Tally::default().where_lower(), "nowhere");
    }
}
