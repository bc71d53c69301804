//! Opens captures, and returns what they say about themselves.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use recount::{
    CodePage, Health, Layout, OpenError, OpenOptions, Span, Timeline, Timestamp, ZoneName, open_bytes_with,
    open_with,
};
use serde_json::{Value, json};

use crate::batches::Batches;
use crate::errors::{failed, warn_of, warn_of_overlaps};
use crate::health::health_json;
use crate::interrupt::work;
use crate::wanted::Wanted;

/// One capture, or several that are one time line.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Capture {
    captures: Vec<recount::Capture>,
    /// What was found on opening, and what the captures have in common.
    health: Health,
    /// Time lines that were asked for, the most recent last: what is found in their samples is kept with them.
    timelines: Mutex<Vec<(Span, Timeline)>>,
}

/// Time lines of a capture that are kept.
const MAX_TIMELINES: usize = 4;

/// Where a capture is.
enum Place {
    Paths(Vec<PathBuf>),
    Bytes(String, Vec<u8>),
}

/// Options for opening captures that don't state these facts themselves.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Reading {
    zone: Option<String>,
    encoding: Option<String>,
    english: bool,
}

/// Opens captures: `place` is a list of paths, or bytes, or a binary file, which is read from where it is. With `one`,
/// several are an error.
#[pyfunction]
pub(crate) fn open(
    py: Python<'_>,
    place: &Bound<'_, PyAny>,
    name: String,
    reading: &Bound<'_, PyDict>,
    one: bool,
) -> PyResult<Capture> {
    let reading: Reading = reading.extract()?;
    let english = reading.english;
    let options = reading.options()?;
    let place = place_of(place, name.clone())?;
    let opened = work(py, move |_| -> Result<(Capture, Health), OpenError> {
        let captures = match place {
            Place::Paths(paths) => open_with(&paths, &options),
            Place::Bytes(name, bytes) => open_bytes_with(name, bytes, &options).map(|capture| vec![capture]),
        }?;
        if one && captures.len() != 1 {
            return Err(OpenError::Several { name, count: captures.len() });
        }
        let captures: Vec<recount::Capture> =
            if english { captures.into_iter().map(recount::Capture::in_english).collect() } else { captures };
        // Captures whose times can't be compared are described one by one.
        let (health, overlaps) = match Timeline::whole(&captures) {
            Ok(timeline) => (timeline.health(), timeline.overlaps().clone()),
            Err(_) => (captures.iter().map(recount::Capture::health).collect(), Health::default()),
        };
        Ok((Capture { captures, health, timelines: Mutex::default() }, overlaps))
    })?;
    let (capture, overlaps) = opened.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &capture.health)?;
    warn_of_overlaps(py, &overlaps)?;
    Ok(capture)
}

impl Reading {
    fn options(&self) -> PyResult<OpenOptions> {
        let mut options = OpenOptions::default();
        if let Some(zone) = &self.zone {
            let known = zone.parse::<ZoneName>();
            options.zone = Some(known.map_err(|error| PyValueError::new_err(format!("{zone:?}: {error}")))?);
        }
        if let Some(encoding) = &self.encoding {
            let known = encoding.parse::<CodePage>();
            options.code_page = Some(known.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        Ok(options)
    }
}

/// Bytes read from a file object at a time.
const LEN_READ: usize = 8 << 20;

fn place_of(place: &Bound<'_, PyAny>, name: String) -> PyResult<Place> {
    if let Ok(bytes) = place.cast::<PyBytes>() {
        return Ok(Place::Bytes(name, bytes.as_bytes().to_vec()));
    }
    if let Ok(paths) = place.extract::<Vec<PathBuf>>() {
        return Ok(Place::Paths(paths));
    }
    let mut all = Vec::new();
    loop {
        let read = place.call_method1("read", (LEN_READ,))?;
        let bytes = read.cast::<PyBytes>().map_err(|_| {
            PyTypeError::new_err("the file must be opened in binary mode: its read() has to return bytes")
        })?;
        if bytes.as_bytes().is_empty() {
            return Ok(Place::Bytes(name, all));
        }
        all.extend_from_slice(bytes.as_bytes());
    }
}

impl Capture {
    /// The samples that are wanted.
    pub(crate) fn timeline(&self, py: Python<'_>, wanted: &Wanted) -> PyResult<Timeline> {
        let (captures, span) = (self.captures.clone(), wanted.span()?);
        if let Some((_, known)) = self.timelines().iter().find(|(of, _)| *of == span) {
            return Ok(known.clone());
        }
        let of = span.clone();
        let made = work(py, move |_| Timeline::of(&captures, &of))?.map_err(|error| failed(py, &error))?;
        let mut timelines = self.timelines();
        if timelines.len() == MAX_TIMELINES {
            timelines.remove(0);
        }
        timelines.push((span, made.clone()));
        Ok(made)
    }

    fn timelines(&self) -> MutexGuard<'_, Vec<(Span, Timeline)>> {
        self.timelines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn captures(&self) -> &[recount::Capture] {
        &self.captures
    }

    pub(crate) fn name(&self) -> String {
        self.captures.iter().map(recount::Capture::name).collect::<Vec<_>>().join(", ")
    }
}

#[pymethods]
impl Capture {
    #[getter]
    fn names(&self) -> Vec<String> {
        self.captures.iter().flat_map(|capture| capture.names.clone()).collect()
    }

    /// What `recount info` shows, as JSON: an object for each capture.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        let captures = self.captures.clone();
        let all = work(py, move |_| {
            captures.iter().map(|capture| json!(recount::summarise(capture).0)).collect::<Vec<Value>>()
        })?;
        Ok(Value::from(all).to_string())
    }

    /// The findings of opening, as JSON.
    fn health(&self) -> String {
        health_json(&self.health).to_string()
    }

    /// The counters of a selection, as JSON.
    fn counters(&self, py: Python<'_>, wanted: &Bound<'_, PyDict>) -> PyResult<String> {
        let selection = wanted.extract::<Wanted>()?.selection(py)?;
        let captures = self.captures.clone();
        let (entries, _) = work(py, move |_| recount::list(&captures, &selection))?;
        Ok(json!(entries).to_string())
    }

    /// Marked times with their texts.
    #[getter]
    fn marks(&self) -> Vec<(String, String)> {
        let mut marks: Vec<_> = self.captures.iter().flat_map(recount::Capture::marks).collect();
        marks.sort();
        marks.into_iter().map(|mark| (mark.time.to_string(), mark.text.clone())).collect()
    }

    /// The capture's id (`recount::Capture::id`); for several files, that of the first.
    #[getter]
    fn id(&self) -> Option<String> {
        self.captures.first().and_then(recount::Capture::id)
    }

    /// The machines that the capture names.
    #[getter]
    fn hosts(&self) -> Vec<String> {
        self.captures
            .iter()
            .flat_map(|capture| capture.source.info().hosts.iter().map(ToString::to_string))
            .collect()
    }

    /// The times of all samples, ascending within each capture: nanoseconds since 1970. This decodes nothing.
    #[getter]
    fn times(&self) -> Vec<i64> {
        let times = self.captures.iter().flat_map(|capture| capture.source.times());
        times.filter_map(|time| time.utc.unix_nanos()).collect()
    }

    /// Whether times are local times of an unknown zone.
    #[getter]
    fn is_zone_unknown(&self) -> bool {
        self.captures.iter().any(|capture| capture.source.info().is_zone_unknown)
    }

    /// Whether times are local times, or made from them by the zone that was asked for.
    #[getter]
    fn is_zone_asked(&self) -> bool {
        self.captures.iter().any(|capture| {
            let info = capture.source.info();
            info.is_zone_unknown || info.is_zone_asked
        })
    }

    /// A recipe for values. `window`: nanoseconds since 1970 between which rows are kept, with the values of the whole
    /// capture.
    #[pyo3(signature = (wanted, object, raw, columns, window))]
    fn read(
        &self,
        py: Python<'_>,
        wanted: &Bound<'_, PyDict>,
        object: Option<&str>,
        raw: bool,
        columns: Option<Vec<String>>,
        window: (Option<i64>, Option<i64>),
    ) -> PyResult<Batches> {
        let wanted: Wanted = wanted.extract()?;
        let mut batches = self.timeline(py, &wanted)?.batches().layout(Layout::Tidy);
        for pattern in &wanted.counters {
            batches = batches.counters(pattern).map_err(|error| failed(py, &error))?;
        }
        if let Some(object) = object {
            batches = batches.object(object);
        }
        if raw {
            batches = batches.raw();
        }
        if let Some(columns) = columns {
            batches = batches.columns(columns);
        }
        let (begin, end) = window;
        batches = batches.within(begin.map(tick_at_or_after), end.map(tick_at_or_before));
        Ok(Batches::new(self.name(), batches))
    }
}

/// Times of captures are multiples of 100 ns.
const NANOS_PER_TICK: i64 = 100;

fn tick_at_or_before(nanos: i64) -> Timestamp {
    Timestamp::from_unix_nanos(nanos.div_euclid(NANOS_PER_TICK) * NANOS_PER_TICK)
}

fn tick_at_or_after(nanos: i64) -> Timestamp {
    let before = tick_at_or_before(nanos);
    if nanos.rem_euclid(NANOS_PER_TICK) == 0 { before } else { Timestamp(before.0 + 1) }
}
