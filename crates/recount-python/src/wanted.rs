//! The selection of counters and samples that Python passes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use recount::{Pattern, Period, Selection, Span, TimeBound};

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
    /// It notes which of its patterns match.
    pub(crate) fn selection(&self, py: Python<'_>) -> PyResult<Selection> {
        let patterns =
            self.counters.iter().map(|text| text.parse::<Pattern>().map_err(|error| failed(py, &error)));
        Ok(patterns.collect::<PyResult<Selection>>()?.watched())
    }

    pub(crate) fn span(&self) -> PyResult<Span> {
        let bound = |text: &Option<String>| {
            let parsed = text.as_ref().map(|text| {
                text.parse::<TimeBound>().map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
            });
            parsed.transpose()
        };
        let interval = self.interval.as_deref().map(period).transpose()?.map(Period::duration);
        Ok(Span { begin: bound(&self.begin)?, end: bound(&self.end)?, every: self.every, interval })
    }
}

/// A span as typed: `14:00..14:10`.
pub(crate) fn span(text: &str) -> PyResult<Span> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
}

/// The begin and the end of a span as typed.
#[pyfunction]
pub(crate) fn span_bounds(text: &str) -> PyResult<(Option<String>, Option<String>)> {
    let span = span(text)?;
    let bound = |bound: Option<TimeBound>| bound.map(|bound| bound.to_string());
    Ok((bound(span.begin), bound(span.end)))
}

/// A length of time: `5m`.
pub(crate) fn period(text: &str) -> PyResult<Period> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{text:?}: {error}")))
}
