//! `shoal._shoal`: the library as Python sees it.
//!
//! Nothing about privacy is decided here. Settings go to the builders of `shoal` as they are, and what these refuse
//! becomes an exception. `python/shoal/` has the classes that people use.

mod audit;
mod bounds;
mod columns;
mod consortium;
mod declared;
mod devices;
mod engine;
mod errors;
mod fit;
mod frame;
mod job;
mod ledger;
mod model;
mod plan;
mod words;

use pyo3::prelude::*;

#[pymodule]
fn _shoal(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Synopsis>()?;
    module.add_class::<ledger::Ledger>()?;
    module.add_class::<engine::Question>()?;
    module.add_class::<devices::Design>()?;
    module.add_class::<devices::Device>()?;
    module.add_class::<consortium::Agreement>()?;
    module.add_function(wrap_pyfunction!(consortium::consortium_encode, module)?)?;
    module.add_function(wrap_pyfunction!(consortium::consortium_cluster, module)?)?;
    module.add_function(wrap_pyfunction!(consortium::consortium_distances, module)?)?;
    module.add_function(wrap_pyfunction!(consortium::merge::consortium_merge, module)?)?;
    module.add_function(wrap_pyfunction!(consortium::plan::consortium_plan, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::methods, module)?)?;
    module.add_function(wrap_pyfunction!(engine::fit_on, module)?)?;
    module.add_function(wrap_pyfunction!(engine::merge, module)?)?;
    module.add_function(wrap_pyfunction!(bounds::private_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan_target, module)?)?;
    module.add_function(wrap_pyfunction!(devices::cluster_reports, module)?)?;
    module.add_function(wrap_pyfunction!(devices::perturb, module)?)?;
    module.add_function(wrap_pyfunction!(model::compare, module)?)?;
    module.add_function(wrap_pyfunction!(audit::judge, module)?)
}
