//! The names of parameters in messages.
//!
//! A library does not know how its caller names a parameter: `--max-cells` on a command line, `max_cells` in Python. So
//! messages mention a [`Parameter`], which is written as `max-cells` in backquotes unless the front end that shows the
//! message asks for other names.

use std::cell::Cell;
use std::fmt;

/// How a front end writes the name of a parameter.
pub type Naming = fn(Parameter) -> String;

thread_local! {
    static NAMING: Cell<Option<Naming>> = const { Cell::new(None) };
}

/// A parameter that a message mentions.
///
/// ```
/// use shoal_privacy::Parameter;
///
/// let message = || format!("give {} above 0", Parameter::EPSILON);
/// assert_eq!(message(), "give `epsilon` above 0");
/// assert_eq!(Parameter::named_by(|it| format!("--{}", it.name()), message), "give --epsilon above 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter(&'static str);

impl Parameter {
    /// A parameter by its name: lower case, words joined by hyphens.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Runs `work`, in which this thread writes parameters as `naming` does: for a front end that shows an error.
    pub fn named_by<T>(naming: Naming, work: impl FnOnce() -> T) -> T {
        /// Puts back what was there before, also when `work` panics.
        struct Before(Option<Naming>);
        impl Drop for Before {
            fn drop(&mut self) {
                NAMING.set(self.0);
            }
        }
        let _before = Before(NAMING.replace(Some(naming)));
        work()
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMING.get() {
            Some(naming) => f.write_str(&naming(*self)),
            None => write!(f, "`{}`", self.0),
        }
    }
}

macro_rules! parameters {
    ($($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        impl Parameter {
            $($(#[$doc])* pub const $constant: Self = Self($name);)*
        }
    };
}

parameters! {
    /// The number of clusters.
    K = "k";
    /// The budget ε.
    EPSILON = "epsilon";
    /// The probability δ with which the guarantee may fail.
    DELTA = "delta";
    /// The method.
    METHOD = "method";
    /// About how many rows there are.
    ROWS = "rows";
    /// Which columns are used.
    COLUMNS = "columns";
    /// The columns that name the person a row belongs to.
    PERSON = "person";
    /// What becomes of the rows of a person.
    PER_PERSON = "per-person";
    /// What becomes of rows that lack a value.
    MISSING = "missing";
    /// Whether the table has no row of names.
    NO_HEADER = "no-header";
    /// Whether quoted cells may span lines.
    MULTILINE = "multiline";
    /// Public limits of the columns.
    BOUNDS = "bounds";
    /// How much memory may be used.
    MEMORY = "memory";
    /// A seed for repeatable noise.
    SEED = "seed";
    /// Where the result goes.
    OUT = "out";
    /// Where released cells go.
    SYNOPSIS = "synopsis";
    /// Iterations, steps or rounds.
    ITERATIONS = "iterations";
    /// Initialisations of k-means.
    INITS = "inits";
    /// θ of SCL16.
    THETA = "theta";
    /// ρ of SCL16.
    RHO = "rho";
    /// n of NQC21.
    N = "n";
    /// The number of cells of a grid.
    CELLS = "cells";
    /// The most cells of a grid.
    MAX_CELLS = "max-cells";
    /// The most boxes of a tree.
    MAX_BOXES = "max-boxes";
    /// How much more rows a box must hold at each depth of a tree.
    TREE_BIAS = "tree-bias";
    /// The least number that a biased count of a tree is lowered to.
    TREE_FLOOR = "tree-floor";
    /// How many rows a box of a tree must hold to be cut.
    TREE_THRESHOLD = "tree-threshold";
    /// The decay of a tree's noise.
    TREE_DECAY = "tree-decay";
    /// The number of blocks.
    BLOCKS = "blocks";
    /// Candidate sets of a genetic search.
    POPULATION = "population";
    /// Sets picked in a round of it.
    PICKS = "picks";
    /// How far its mutations go.
    MUTATION = "mutation";
    /// Proportions in which iterations share ε.
    SHARES = "shares";
    /// The share of ε for a noisy row count.
    COUNT_SHARE = "count-share";
    /// The share of ε for released cells.
    SYNOPSIS_SHARE = "synopsis-share";
    /// The share of ε for the shape of a tree.
    STRUCTURE_SHARE = "structure-share";
    /// How the range of the blocks' centres is found.
    RANGE = "range";
    /// The share of ε for the range of the blocks' centres.
    RANGE_SHARE = "range-share";
    /// The share of ε for an estimate of the quality.
    SCORE_SHARE = "score-share";
    /// Whether pairs of records are encoded.
    PAIRS = "pairs";
    /// A mechanism without a guarantee is to run all the same.
    ACCEPT_UNSOUND = "accept-unsound";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(parameter: Parameter) -> String {
        format!("<{}>", parameter.name())
    }

    #[test]
    fn names_are_those_of_whoever_shows_them() {
        assert_eq!(Parameter::MAX_CELLS.to_string(), "`max-cells`");
        assert_eq!(Parameter::named_by(other, || Parameter::MAX_CELLS.to_string()), "<max-cells>");
        // Naming ends with the work, also with work inside of it, and also when it panics.
        let inner = || Parameter::named_by(|it| it.name().to_uppercase(), || Parameter::K.to_string());
        assert_eq!(Parameter::named_by(other, || inner() + &Parameter::K.to_string()), "K<k>");
        let panicked = std::panic::catch_unwind(|| Parameter::named_by(other, || panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(Parameter::K.to_string(), "`k`");
    }
}
