//! Which of two methods is better, over many places: a difference counts when it is more than two standard errors.

use std::fmt;

use crate::statistics::Summary;

/// Standard errors of a difference beyond which it counts.
pub const ERRORS: f64 = 2.0;

/// Whether a mean is below another, as far as that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Below, by more than two standard errors of the difference.
    Lower,
    /// Neither can be told.
    Alike,
    /// Above.
    Higher,
}

impl Order {
    /// Of the first mean to the second.
    #[must_use]
    pub fn of(first: &Summary, second: &Summary) -> Self {
        let apart = first.mean - second.mean;
        let reach = first.reach(ERRORS, second);
        // Two runs that need no noise differ by rounding alone.
        let reach = reach.max(1e-9 * second.mean.abs());
        match apart {
            apart if apart < -reach => Self::Lower,
            apart if apart > reach => Self::Higher,
            _ => Self::Alike,
        }
    }
}

/// How often one method was lower than another, and where it was not.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    lower: Vec<String>,
    alike: Vec<String>,
    higher: Vec<String>,
}

impl Tally {
    /// One place more.
    pub fn add(&mut self, place: impl Into<String>, first: &Summary, second: &Summary) {
        let list = match Order::of(first, second) {
            Order::Lower => &mut self.lower,
            Order::Alike => &mut self.alike,
            Order::Higher => &mut self.higher,
        };
        list.push(place.into());
    }

    /// In how many places the first was lower.
    #[must_use]
    pub fn lower(&self) -> usize {
        self.lower.len()
    }

    /// In how many places the two could not be told apart.
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
    fn a_difference_counts_beyond_two_standard_errors() {
        let near = |mean: f64| Summary::of(&[mean - 0.1, mean, mean + 0.1]);
        // The standard error of a difference is 0.0816, and with four degrees of freedom 2.87 of it count.
        assert_eq!(Order::of(&near(1.0), &near(1.22)), Order::Alike);
        assert_eq!(Order::of(&near(1.0), &near(1.25)), Order::Lower);
        assert_eq!(Order::of(&near(1.25), &near(1.0)), Order::Higher);
        assert_eq!(Order::of(&Summary::of(&[0.3]), &Summary::of(&[0.1 + 0.2])), Order::Alike, "rounding");
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
