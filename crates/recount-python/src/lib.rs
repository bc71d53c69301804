//! The extension module of the Python package `recount` (`python/`): what Python can't do itself.
//!
//! Signatures, documentation and errors are in the package; this module is its private part, `recount._recount`.
//! Results cross the border as Arrow (values) or as JSON (descriptions), so that no library is needed on the other
//! side.

#![expect(clippy::needless_pass_by_value, reason = "Python hands over values of its own")]

mod answers;
mod arrow;
mod baseline;
mod batches;
mod capture;
mod catalogue;
mod cells;
mod command;
mod convert;
mod errors;
mod findings;
mod health;
mod interrupt;
mod ledger;
mod options;
mod processes;
mod record;
mod selection;
mod table;
mod wanted;
mod wide;

use pyo3::prelude::*;

/// The module.
#[pymodule(gil_used = true)]
mod _recount {
    #[pymodule_export]
    use super::answers::{Difference, changes, diff, moved, query, stats};
    #[pymodule_export]
    use super::baseline::learn;
    #[pymodule_export]
    use super::batches::{Batch, Batches, Reader};
    #[pymodule_export]
    use super::capture::{Capture, open};
    #[pymodule_export]
    use super::catalogue::{Catalogue, catalogue};
    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::convert::{convert, remove_partial};
    #[pymodule_export]
    use super::findings::{Report, report};
    #[pymodule_export]
    use super::ledger::take_in;
    #[pymodule_export]
    use super::processes::processes;
    #[pymodule_export]
    use super::record::{mark, record};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::wanted::span_bounds;
    #[pymodule_export]
    use super::wide::wide;
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("has_sql", cfg!(feature = "sql"))
    }
}
