//! Mechanisms that are known to break their claim, each of which must be caught.
//!
//! A test that cannot fail proves nothing, and neither does an auditor that has never caught anyone. Each file is a small,
//! honest-looking mechanism with a real fault of a paper or a program, the claim it is sold with, and the same without the
//! fault. [`mutants`] are Shoal's own mechanisms with a slight error put in.

pub mod entry;
pub mod mutants;

mod clipping_not_used;
mod data_derived_bounds;
mod directions_not_uniform;
mod empty_cluster_skipped;
mod laplace_in_doubles;
mod last_bit_in_clear;
mod no_composition;
mod one_scalar_of_noise;
mod published_bpgm;
mod published_dpbv;
mod released_labels;
mod restart_by_true_cost;
mod seeded_by_round;
mod shifting_blocks;
mod sum_sensitivity;
mod swapped_budget;

pub use clipping_not_used::ClippingNotUsed;
pub use data_derived_bounds::DataDerivedBounds;
pub use directions_not_uniform::DirectionsNotUniform;
pub use empty_cluster_skipped::EmptyClusterSkipped;
pub use laplace_in_doubles::LaplaceInDoubles;
pub use last_bit_in_clear::LastBitInClear;
pub use no_composition::NoComposition;
pub use one_scalar_of_noise::OneScalarOfNoise;
pub use published_bpgm::PublishedBpgm;
pub use published_dpbv::PublishedDpbv;
pub use released_labels::ReleasedLabels;
pub use restart_by_true_cost::RestartByTrueCost;
pub use seeded_by_round::SeededByRound;
pub use shifting_blocks::ShiftingBlocks;
pub use sum_sensitivity::SumSensitivity;
pub use swapped_budget::SwappedBudget;

use crate::Target;
use entry::{Entry, KnownBad, Version};

/// All of them, with their faults.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    all(Version::Faulty)
}

/// All of them with their faults repaired: none may be called broken.
#[must_use]
pub fn repaired() -> Vec<Box<dyn Target>> {
    all(Version::Repaired)
}

fn all(version: Version) -> Vec<Box<dyn Target>> {
    fn of<K: KnownBad + 'static>(mechanism: K, version: Version) -> Box<dyn Target> {
        Box::new(Entry::new(mechanism, version))
    }
    vec![
        of(PublishedBpgm, version),
        of(PublishedDpbv, version),
        of(LaplaceInDoubles, version),
        of(NoComposition, version),
        of(SwappedBudget, version),
        of(SumSensitivity, version),
        of(ClippingNotUsed, version),
        of(LastBitInClear, version),
        of(DataDerivedBounds, version),
        of(ReleasedLabels, version),
        of(SeededByRound, version),
        of(OneScalarOfNoise, version),
        of(EmptyClusterSkipped, version),
        of(DirectionsNotUniform, version),
        of(RestartByTrueCost, version),
        of(ShiftingBlocks, version),
        of(mutants::EpsilonOfCounts, version),
        of(mutants::EpsilonOfReports, version),
        of(mutants::EpsilonOfBits, version),
        of(mutants::ShortSensitivity, version),
        of(mutants::UnchargedIteration, version),
        of(mutants::CoordinateInClear, version),
    ]
}
