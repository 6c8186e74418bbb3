//! Every system of the curator: its noise, its charge, its results.

mod audit_support;
mod auto_audit;
mod auto_privacy;
mod certainty;
mod clipped_noise;
mod curator_support;
mod design_size;
mod dplloyd;
mod eugkm;
mod every_method;
mod evidence;
mod fixed_tree;
mod forecast;
mod gkm;
mod hybrid;
mod kccm;
mod knorm_lloyd;
mod orderings;
mod pgkm;
mod plan_predictions;
mod private_bounds;
mod published_eugkm_run;
mod releasers;
#[path = "../../../shoal-scan/tests/scan/sharded.rs"]
mod sharded;
mod sharded_methods;
mod tree;
mod tree_law;
mod utility_support;
