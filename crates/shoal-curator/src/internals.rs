//! The parts that methods are made of, for audits, tests and measurements.
//!
//! **No stability is promised here**: names and signatures may change with every version. Whoever builds a method or a
//! mechanism of their own needs [`RowMechanism`](crate::RowMechanism) and [`System`](crate::System), which are stable.

pub use crate::auto::{MomentKind, MomentsMechanism};
pub use crate::bounds::{Evidence, MostRows, Thresholds};
pub use crate::design_size::{Settled, SizeStep};
pub use crate::expected_error::centre_noise;
pub use crate::mechanisms::{
    CappedCostMechanism, ClippedStep, Drawn, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism, Noise,
    NoisyColumnCountsMechanism, NoisyCountsMechanism, NoisySums, NoisySumsMechanism, Part, QuantileMechanism,
    RecordedPart, RecordedStep, Running, ScaledSums, Script, WitnessedNoise,
};
pub use crate::synopsis::{ChosenGrid, FixedTreeRelease, SplitShape, TreeRelease, TreeSplitMechanism, WidestSide};
pub use crate::systems::{
    BlockSumsMechanism, Genome, MOST_PUBLISHED_ROUNDS, OutputQuartilesMechanism, OutputRange, SelectByCostMechanism,
    children, random_genome,
};
pub use shoal_kernel::{BlockKMeans, sphere_packing};
