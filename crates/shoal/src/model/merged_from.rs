//! What a model was merged from: a release of each of several custodians.

use serde::{Deserialize, Serialize};
use shoal_privacy::Spent;

/// What a model was merged from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergedFrom {
    /// What each custodian released.
    pub released: MergedKind,
    /// The custodians, in the order in which their releases were given.
    pub custodians: Vec<Custodian>,
}

/// What custodians released, all of them the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MergedKind {
    /// Centres and sizes.
    Models,
    /// Noisy cells.
    Synopses,
}

/// One custodian's part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Custodian {
    /// The name of the release, without its folder and ending.
    pub name: String,
    /// The method that released it.
    pub method: String,
    /// How many centres or cells it has.
    pub parts: usize,
    /// About how many rows it shows, where it shows that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<f64>,
    /// What the custodian paid for it; nothing where its noise was seeded.
    pub paid_before: Option<Spent>,
}

impl MergedFrom {
    /// What all custodians paid, in words: `north ε = 1, south ε = 0.5`.
    pub fn paid(&self) -> String {
        let one = |custodian: &Custodian| match &custodian.paid_before {
            Some(Spent { epsilon, delta: None }) => format!("{} ε = {epsilon}", custodian.name),
            Some(Spent { epsilon, delta: Some(delta) }) => format!("{} ε = {epsilon} and δ = {delta}", custodian.name),
            None => format!("{} nothing, since its noise was seeded", custodian.name),
        };
        self.custodians.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// What was merged, in a line.
    pub(super) fn summary(&self) -> String {
        let of = self.custodians.len();
        match self.released {
            MergedKind::Models => {
                format!("k-means on the centres that {of} custodians released, each by its certainty")
            }
            MergedKind::Synopses => format!("k-means on the noisy cells that {of} custodians released"),
        }
    }

    /// What does not make sense, in a file that was edited.
    pub(super) fn fault(&self) -> Option<&'static str> {
        (self.custodians.len() < 2).then_some("a merged model comes from two custodians or more")
    }
}
