//! Tries to refute the claims of private mechanisms, and gives lower bounds on what they lose.
//!
//! - [`statistical`]: run a mechanism on two inputs many times and bound the odds of an event (works on anything that
//!   prints numbers).
//! - [`releases`]: every release of every method against its charge, without a single draw.
//! - [`exact`]: known distributions are compared without a single draw.
//! - [`law`]: a sampler's runs are compared with its distribution, where ratios of rare events cannot be observed.
//! - [`lattice`]: two inputs must reach the same numbers, to the last bit.
//! - a report of [`Line`]s, one for each claim that was tested.
//!
//! Nothing of Shoal but its command line and its tests depends on this room.
//!
//! ```
//! use shoal_audit::{Allowed, Pair, Randomness, each, statistical::Experiment};
//! use shoal_noise::DiscreteLaplace;
//!
//! // A count with noise made for ε = 2, sold as ε = 1.
//! let count = |rows: i64| {
//!     let noise_law = DiscreteLaplace::new(2_u8.into()).unwrap();
//!     each(move |noise, out| out.tell((rows + noise_law.sample(noise)) as f64))
//! };
//! let pair = Pair::new("no row and one", count(0), count(1), Allowed::Pure(1.0));
//! let audit = Experiment { runs: 20_000, alpha: 1e-6, randomness: Randomness::Seeded(1) };
//! let finding = audit.audit(&pair, &|_| ()).unwrap();
//! assert!(finding.is_broken());
//! assert!(finding.curve[0].at_least > 1.5 && finding.curve[0].at_least < 2.0);
//! ```

pub mod allowed;
pub mod clopper_pearson;
pub mod command;
pub mod consortium_attack;
pub mod exact;
pub mod known_bad;
pub mod lattice;
pub mod law;
pub mod pair;
pub mod pairs;
pub mod randomness;
pub mod releases;
pub mod report;
pub mod runs;
pub mod statistical;
pub mod target;
pub mod targets;

pub use allowed::Allowed;
pub use pair::{Pair, Score};
pub use randomness::Randomness;
pub use report::{AuditReport, Expected, Line, Measure, Verdict};
pub use runs::{Each, RunFailure, Runs, Side, each};
pub use target::{Effort, Plan, Target, TargetInfo};
