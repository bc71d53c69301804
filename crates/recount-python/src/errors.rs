//! Errors of the library as exceptions of Python. Their classes are in `python/recount/_errors.py`.

use std::error::Error;
use std::io;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use recount::{BatchError, Health, OpenError};

use crate::options::as_arguments;

/// The module of the exceptions.
const MODULE: &str = "recount._errors";

/// An exception of the package, of class `kind`.
fn raised<'py>(py: Python<'py>, kind: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let class = py.import(MODULE).and_then(|module| module.getattr(kind));
    match class.and_then(|class| class.call1(arguments)) {
        Ok(value) => PyErr::from_value(value),
        Err(error) => error,
    }
}

/// A `RecountError` with a given message.
pub(crate) fn recount_error(py: Python<'_>, text: &str) -> PyErr {
    raised(py, "RecountError", (text,))
}

/// An error of the library: `OSError` if the system refused, `FormatError` if a file can't be read, otherwise
/// `RecountError`.
pub(crate) fn failed(py: Python<'_>, error: &(dyn Error + 'static)) -> PyErr {
    if let Some(error) = error.downcast_ref::<OpenError>() {
        return open_failed(py, error);
    }
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<OpenError>() {
            return open_failed(py, error);
        }
        if let Some(source) = error.downcast_ref::<io::Error>() {
            return os_error(py, source, None);
        }
        cause = error.source();
    }
    if let Some(BatchError::NoCounters) = error.downcast_ref::<BatchError>() {
        return selection_error(py, &error.to_string());
    }
    let text = with_causes(error);
    match recount::hint_of(error) {
        Some(hint) => recount_error(py, &format!("{text}; {}", as_arguments(hint))),
        None => recount_error(py, &text),
    }
}

fn open_failed(py: Python<'_>, error: &OpenError) -> PyErr {
    let text = format!("{error}; {}", as_arguments(error.hint()));
    match error {
        OpenError::Io { name, source } => os_error(py, source, Some(name)),
        OpenError::Unknown { name, .. } => raised(py, "FormatError", (text, name, Some(0), None::<&str>)),
        OpenError::NoCapture { name, .. } | OpenError::Format { name, .. } => {
            let place = error.place();
            let (ofs, structure) = (place.map(|place| place.ofs), place.and_then(|place| place.structure));
            raised(py, "FormatError", (text, name, ofs, structure))
        }
        _ => recount_error(py, &text),
    }
}

/// Python derives `FileNotFoundError` and so on from the number.
pub(crate) fn os_error(py: Python<'_>, error: &io::Error, name: Option<&str>) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        let text = name.map_or_else(|| error.to_string(), |name| format!("{name}: {error}"));
        return PyOSError::new_err(text);
    };
    let text = py.import("os").and_then(|os| os.call_method1("strerror", (number,))?.extract::<String>());
    PyOSError::new_err((number, text.unwrap_or_else(|_| error.to_string()), name.map(str::to_owned)))
}

/// The error and its causes, without those already contained in the preceding text.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// A selection that selects nothing.
pub(crate) fn selection_error(py: Python<'_>, text: &str) -> PyErr {
    raised(py, "SelectionError", (text,))
}

/// Warns of a part of a selection that selects nothing.
pub(crate) fn warn_of_selection(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import(MODULE)?.call_method1("warn_of_selection", (text,))?;
    Ok(())
}

/// Warns of what could not be read, once per reading, with the first finding in full.
pub(crate) fn warn_of(py: Python<'_>, name: &str, health: &Health) -> PyResult<()> {
    if health.is_complete() {
        return Ok(());
    }
    py.import(MODULE)?.call_method1("warn_of", (name, crate::health::health_json(health).to_string()))?;
    Ok(())
}

/// Warns of what several captures have in common.
pub(crate) fn warn_of_overlaps(py: Python<'_>, overlaps: &Health) -> PyResult<()> {
    if overlaps.total() > 0 {
        let found = crate::health::health_json(overlaps).to_string();
        py.import(MODULE)?.call_method1("warn_of_overlaps", (found,))?;
    }
    Ok(())
}
