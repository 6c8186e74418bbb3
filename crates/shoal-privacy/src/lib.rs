//! What a private release promises, as a value that is computed, composed, compared, printed and kept.
//!
//! Every mechanism of Shoal computes a [`Claim`] from what its code does: between which inputs
//! ([`Neighbours`]), how much may leak ([`Loss`]), how exactly the program follows the proof ([`Numerics`]) and on what
//! conditions ([`Assumption`]). Beside it stands, separately, what its paper [`Published`].
//!
//! Budgets are exact rationals ([`Amount`]): shares add up to the whole, to the last digit. The few roundings there
//! are (conversions to doubles, zCDP to (ε, δ)) err on the safe side and say so in their names (`…_up`, `…_down`).
//!
//! A value computed from records is [`Sensitive`]. It becomes [`Released`] only through a [`Mechanism`], which an
//! [`Accountant`] runs after charging the [`Allowance`] of the run. What is shown without any noise is
//! [`NonPrivate`].
//!
//! ```
//! use shoal_privacy::{Epsilon, Loss};
//!
//! let epsilon: Epsilon = "0.1".parse()?;
//! let third = Loss::Pure(epsilon.split(3));
//! assert_eq!(third.then(&third)?.then(&third)?, Loss::Pure(epsilon));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accountant;
mod amount;
mod claim;
mod custodians;
mod guarantee;
pub mod ledger;
mod loss;
mod method_info;
mod neighbours;
mod parameter;
mod persons;
pub mod rounding;
mod shuffling;
mod spent;
mod units;
mod unprintable;
mod wrappers;

pub use accountant::{Accountant, Allowance, ChargeError, ManyLooks, Mechanism};
pub use amount::{Amount, AmountError};
pub use claim::{Assumption, Claim, CompositionError, Numerics, Statement, Strength};
pub use custodians::OfCustodians;
pub use guarantee::{Guarantee, NoGuarantee, Published};
pub use loss::{Incomparable, Loss, largest_rho_down, pure_to_zcdp, zcdp_to_epsilon_up};
pub use method_info::MethodInfo;
pub use neighbours::{Metric, Neighbours};
pub use parameter::{Naming, Parameter};
pub use persons::{PrivacyUnit, budget_of_a_row};
pub use shuffling::{shuffled_delta_up, shuffled_epsilon_closed_form_up, shuffled_epsilon_up};
pub use spent::Spent;
pub use units::{Delta, DeltaError, Epsilon, Rho};
pub use unprintable::is_unprintable;
pub use wrappers::{NonPrivate, Released, Sensitive, ThisIsNotPrivate};
