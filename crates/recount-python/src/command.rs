//! Runs the command within Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command and returns its exit code. `arguments` begin with the program's name.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| recount_cli::main(arguments))
}
