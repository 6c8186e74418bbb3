//! Three envelopes that make a leak hard to write by accident.
//!
//! [`Sensitive`] holds what was computed from people's records. It can be turned into something else that is
//! sensitive, and an [`Accountant`](crate::Accountant), after charging the budget, runs a
//! [`Mechanism`](crate::Mechanism) on it that turns it into a [`Released`] value. It cannot be printed, copied or written to a file:
//!
//! ```compile_fail
//! let secret = shoal_privacy::Sensitive::new(7);
//! println!("{secret:?}");
//! ```
//! ```compile_fail
//! let secret = shoal_privacy::Sensitive::new(7);
//! let copy = secret.clone();
//! ```
//! ```compile_fail
//! let secret = shoal_privacy::Sensitive::new(7);
//! serde_json::to_string(&secret);
//! ```
//! ```compile_fail
//! let made_up = shoal_privacy::Released { value: 7 };
//! ```

/// A value computed from records of people.
pub struct Sensitive<T>(pub(crate) T);

impl<T> Sensitive<T> {
    /// Wraps a value so that only a mechanism can let it out.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Computes something that is still sensitive.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Sensitive<U> {
        Sensitive(f(self.0))
    }

    /// Computes something that is still sensitive, without giving the value up.
    pub fn map_ref<U>(&self, f: impl FnOnce(&T) -> U) -> Sensitive<U> {
        Sensitive(f(&self.0))
    }

    /// Like [`Sensitive::map_ref`] for a computation that can fail. The error must not reveal anything about a record.
    pub fn try_map_ref<U, E>(&self, f: impl FnOnce(&T) -> Result<U, E>) -> Result<Sensitive<U>, E> {
        f(&self.0).map(Sensitive)
    }

    /// [`Sensitive::try_map_ref`] for a computation that takes the value.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Sensitive<U>, E> {
        f(self.0).map(Sensitive)
    }

    /// Both values, still sensitive.
    pub fn zip<U>(self, other: Sensitive<U>) -> Sensitive<(T, U)> {
        Sensitive((self.0, other.0))
    }

    /// Marks the value as one that is shown to its holder without any privacy, such as a score on raw data.
    pub fn without_privacy(self) -> NonPrivate<T> {
        NonPrivate(self.0)
    }
}

/// A value that a mechanism let out and the budget has paid for, or that never depended on data. Free to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released<T> {
    value: T,
}

impl<T> Released<T> {
    pub(crate) fn by_mechanism(value: T) -> Self {
        Self { value }
    }

    /// A value that does not depend on any record, such as a random starting centre.
    pub fn independent_of_data(value: T) -> Self {
        Self { value }
    }

    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Whatever is computed from released values is released: post-processing is free.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Released<U> {
        Released { value: f(self.value) }
    }
}

/// A value computed from records without any noise. It needs a word to get out: [`ThisIsNotPrivate`].
pub struct NonPrivate<T>(T);

/// The word that lets a [`NonPrivate`] value out.
pub struct ThisIsNotPrivate;

impl<T> NonPrivate<T> {
    /// Lets the value out. Whoever prints it writes NOT PRIVATE next to it.
    pub fn reveal(self, _word: ThisIsNotPrivate) -> T {
        self.0
    }

    /// Computes something that is no more private.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> NonPrivate<U> {
        NonPrivate(f(self.0))
    }
}
