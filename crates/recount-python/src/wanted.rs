//! The selection of counters and samples that Python passes.

use jiff::SignedDuration;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use recount::{Pattern, Selection, Span, TimeBound};

use crate::errors::failed;

/// A dictionary with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    /// Patterns; none: all counters.
    pub(crate) counters: Vec<String>,
    begin: Option<String>,
    end: Option<String>,
    every: u32,
    interval: Option<String>,
}

impl Wanted {
    pub(crate) fn selection(&self, py: Python<'_>) -> PyResult<Selection> {
        let patterns =
            self.counters.iter().map(|text| text.parse::<Pattern>().map_err(|error| failed(py, &error)));
        patterns.collect()
    }

    pub(crate) fn span(&self) -> PyResult<Span> {
        let bound = |text: &Option<String>| {
            let parsed = text.as_ref().map(|text| {
                text.parse::<TimeBound>().map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
            });
            parsed.transpose()
        };
        let interval = self.interval.as_deref().map(duration).transpose()?;
        Ok(Span { begin: bound(&self.begin)?, end: bound(&self.end)?, every: self.every, interval })
    }
}

/// A length of time longer than zero: `5m`.
pub(crate) fn duration(text: &str) -> PyResult<SignedDuration> {
    match text.parse::<SignedDuration>() {
        Ok(duration) if duration > SignedDuration::ZERO => Ok(duration),
        Ok(_) => Err(PyValueError::new_err(format!("{text:?}: a length of time must be longer than zero"))),
        Err(_) => {
            Err(PyValueError::new_err(format!("{text:?}: expected a duration such as 15s, 5m or 1h30m")))
        }
    }
}
