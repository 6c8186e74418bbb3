//! Finds the clusters in data about people without giving the people away.
//!
//! ```no_run
//! let model = shoal::Fit::new(5, "1")?              // k, ε
//!     .bounds("age=17:90,hours=1:99")?              // or .buy_bounds("10%")
//!     .ledger("shoal.ledger", "people")?            // optional
//!     .run("people.csv")?;                          // checks, reads, pays, looks; the claim carries every condition
//! println!("{model}");
//! # Ok::<(), shoal::Error>(())
//! ```
//!
//! | you | start with |
//! |---|---|
//! | hold a table, and people trust you with it | [`Fit`] |
//! | wonder which columns it has | [`Look`]: names and declared types, no record |
//! | know no limits of its columns | [`Fit::buy_bounds`], [`EstimateBounds`] |
//! | want to know what to expect first, or what an accuracy needs | [`Plan`], [`PlanTarget`], [`PlanCrowd`] |
//! | keep budgets over many releases | [`Ledger`] |
//! | collect reports that devices made | [`Cluster`]; on the devices, the crate `shoal-device` |
//! | simulate a crowd from a table | [`Perturb`] |
//! | pool coded records with other custodians | [`consortium`]: [`Encode`] and the other jobs |
//! | have rows in a query engine | [`Engine`], [`Fit::run_engine`] |
//! | have a model and rows to label or to score | [`Predict`], [`Score`] |
//! | want to show a model, or two side by side | [`Facts`], [`Compare`] |
//!
//! Every job checks its settings, reads the whole table, pays the privacy budget, and only then asks about the rows. The
//! guarantee of its result carries every condition it rests on.

mod bounds;
mod cluster;
mod compare;
pub mod consortium;
mod engine;
mod epsilon;
mod error;
pub mod facts;
mod fit;
mod input;
mod k;
mod ledger;
mod look;
pub mod model;
mod persons;
mod perturb;
mod plan;
mod predict;
mod score;
mod watch;

pub use bounds::{EstimateBounds, FoundBounds};
pub use cluster::{Batches, Cluster, Labelled, PUBLIC_DELTA, ServerMethod};
pub use compare::{Change, Compare, Pair, Verdict};
pub use consortium::{Coded, Encode};
pub use engine::Engine;
pub use epsilon::{IntoDelta, IntoEpsilon};
pub use error::{ClusterError, Error};
pub use facts::Facts;
pub use fit::{DEFAULT_METHOD, Fit, Fitted};
pub use input::Input;
pub use k::{IntoK, K};
pub use ledger::{Ledger, Left};
pub use look::{Look, Looked, LookedColumn, Role};
pub use model::Model;
pub use perturb::{Made, Perturb, Perturbation, Radius};
pub use plan::{
    ColumnError, CrowdCell, CrowdNeeded, CrowdPlan, Needed, Plan, PlanCrowd, PlanTarget, Planned, Targeted,
    TargetedCell, Wanted,
};
pub use predict::{Label, LabelCounts, Predict};
pub use score::{ReportMeasures, Score, Scores};
pub use watch::{Debited, Notice, Phase, Watch};
