//! Opens captures, and returns what they say about themselves.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use recount::{
    CodePage, Health, Layout, OpenError, OpenOptions, Selection, Span, Timeline, Timestamp, ZoneName,
    open_bytes_with, open_with,
};
use serde_json::{Value, json};

use crate::batches::{Batches, Checked};
use crate::errors::{failed, warn_of, warn_of_overlaps};
use crate::health::health_json;
use crate::interrupt::work;
use crate::selection::{check_matched, check_names, check_object, check_span};
use crate::wanted::Wanted;

/// One capture, or several that are one time line.
#[pyclass(frozen, module = "recount._recount")]
pub(crate) struct Capture {
    captures: Vec<recount::Capture>,
    /// What was found on opening, and what the captures have in common.
    health: Health,
    /// Paths that can't be read, and why.
    unreadable: Vec<(String, String)>,
    /// Time lines that were asked for, the most recent last: what is found in their samples is kept with them.
    timelines: Mutex<Vec<(Span, Timeline)>>,
}

/// Time lines of a capture that are kept.
const MAX_TIMELINES: usize = 4;

/// Where a capture is.
enum CapturePlace {
    Paths(Vec<PathBuf>),
    Bytes(String, Vec<u8>),
}

/// How values are read.
#[derive(Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Form {
    /// Whether objects, counters and times are checked before.
    is_checked: bool,
    /// Whether patterns have to have matched at the end.
    is_matched: bool,
    /// Whether rows say which capture they are of.
    origins: bool,
    /// The zone of times, if it isn't UTC.
    tz: Option<String>,
}

/// Options for opening captures that don't state these facts themselves.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct CaptureReading {
    zone: Option<String>,
    encoding: Option<String>,
    english: bool,
    since_start: bool,
}

/// Opens captures: `place` is a list of paths, or bytes, or a binary file, which is read from where it is. With `one`,
/// several are an error. Of several paths, those that can't be read are left out.
#[pyfunction]
pub(crate) fn open(
    py: Python<'_>,
    place: &Bound<'_, PyAny>,
    name: String,
    reading: &Bound<'_, PyDict>,
    one: bool,
) -> PyResult<Capture> {
    let reading: CaptureReading = reading.extract()?;
    let english = reading.english;
    let options = reading.options()?;
    let place = place_of(place, name.clone())?;
    let opened = work(py, move |_| -> Result<(Capture, Health), OpenError> {
        let (captures, unreadable) = match place {
            CapturePlace::Paths(paths) => open_readable(paths, &options)?,
            CapturePlace::Bytes(name, bytes) => (vec![open_bytes_with(name, bytes, &options)?], Vec::new()),
        };
        if one && captures.len() != 1 {
            return Err(OpenError::Several { name, count: captures.len() });
        }
        let captures: Vec<recount::Capture> =
            if english { captures.into_iter().map(recount::Capture::in_english).collect() } else { captures };
        // Captures whose times can't be compared are described one by one.
        let (health, overlaps) = match Timeline::whole(&captures) {
            Ok(timeline) => (timeline.health(), timeline.notes().clone()),
            Err(_) => (captures.iter().map(recount::Capture::health).collect(), Health::default()),
        };
        Ok((Capture { captures, health, unreadable, timelines: Mutex::default() }, overlaps))
    })?;
    let (capture, overlaps) = opened.map_err(|error| failed(py, &error))?;
    warn_of(py, &capture.name(), &capture.health)?;
    warn_of_overlaps(py, &overlaps)?;
    Ok(capture)
}

/// Captures, and the paths that can't be read, each with the reason.
type Readable = (Vec<recount::Capture>, Vec<(String, String)>);

/// Opens several paths, without those that can't be read; an error if that holds for all.
fn open_readable(mut paths: Vec<PathBuf>, options: &OpenOptions) -> Result<Readable, OpenError> {
    let failed = match open_with(&paths, options) {
        Ok(captures) => return Ok((captures, Vec::new())),
        Err(error) if paths.len() == 1 || matches!(error, OpenError::Twice { .. }) => return Err(error),
        Err(error) => error,
    };
    let mut unreadable = Vec::new();
    paths.retain(|path| match open_with(std::slice::from_ref(path), options) {
        Ok(_) => true,
        Err(error) => {
            unreadable.push((path.display().to_string(), format!("{error}; {}", error.hint())));
            false
        }
    });
    if paths.is_empty() || unreadable.is_empty() {
        return Err(failed);
    }
    Ok((open_with(&paths, options)?, unreadable))
}

impl CaptureReading {
    fn options(&self) -> PyResult<OpenOptions> {
        let mut options = OpenOptions::default();
        options.since_start = self.since_start;
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

fn place_of(place: &Bound<'_, PyAny>, name: String) -> PyResult<CapturePlace> {
    if let Ok(bytes) = place.cast::<PyBytes>() {
        return Ok(CapturePlace::Bytes(name, bytes.as_bytes().to_vec()));
    }
    if let Ok(paths) = place.extract::<Vec<PathBuf>>() {
        return Ok(CapturePlace::Paths(paths));
    }
    let mut all = Vec::new();
    loop {
        let read = place.call_method1("read", (LEN_READ,))?;
        let bytes = read.cast::<PyBytes>().map_err(|_| {
            PyTypeError::new_err("the file must be opened in binary mode: its read() has to return bytes")
        })?;
        if bytes.as_bytes().is_empty() {
            return Ok(CapturePlace::Bytes(name, all));
        }
        all.extend_from_slice(bytes.as_bytes());
    }
}

impl Capture {
    /// The samples that are wanted.
    pub(crate) fn timeline(&self, py: Python<'_>, wanted: &Wanted) -> PyResult<Timeline> {
        let (captures, span) = (self.captures.clone(), wanted.span()?);
        let known = self.timelines().iter().find(|(of, _)| *of == span).map(|(_, known)| known.clone());
        if let Some(known) = known {
            return Ok(known);
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

    /// The samples that are wanted, if there are the counters.
    pub(crate) fn checked(
        &self,
        py: Python<'_>,
        wanted: &Wanted,
        selection: &Selection,
    ) -> PyResult<Timeline> {
        check_names(py, &self.captures, selection)?;
        self.timeline_with_samples(py, wanted)
    }

    /// The samples that are wanted, with a warning if there is none.
    pub(crate) fn timeline_with_samples(&self, py: Python<'_>, wanted: &Wanted) -> PyResult<Timeline> {
        let timeline = self.timeline(py, wanted)?;
        check_span(py, &timeline)?;
        Ok(timeline)
    }

    fn timelines(&self) -> MutexGuard<'_, Vec<(Span, Timeline)>> {
        self.timelines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn captures(&self) -> &[recount::Capture] {
        &self.captures
    }

    pub(crate) fn name(&self) -> String {
        const MAX_NAMED: usize = 3;
        let names: Vec<String> = self.captures.iter().map(recount::Capture::name).collect();
        match &names[..] {
            [first, .., last] if names.len() > MAX_NAMED => {
                format!("{first} .. {last} ({} captures)", names.len())
            }
            _ => names.join(", "),
        }
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
        let inside = selection.clone();
        let (entries, _) = work(py, move |_| recount::list(&captures, &inside))?;
        check_matched(py, &self.captures, &selection, None, entries.len())?;
        Ok(json!(entries).to_string())
    }

    /// The paths that can't be read, and why.
    #[getter]
    fn unreadable(&self) -> Vec<(String, String)> {
        self.unreadable.clone()
    }

    /// The name of the zone of local time, in standard time, for each capture.
    #[getter]
    fn zones(&self) -> Vec<Option<String>> {
        let name = |capture: &recount::Capture| {
            Some(capture.source.info().zone.as_ref()?.standard_name.clone()).filter(|name| !name.is_empty())
        };
        self.captures.iter().map(name).collect()
    }

    /// The offsets of local time at the samples of each capture: nanoseconds since 1970, and minutes east of UTC; each offset
    /// once.
    #[getter]
    fn offsets(&self) -> Vec<Vec<(i64, i16)>> {
        let of = |capture: &recount::Capture| {
            let mut found: Vec<(i64, i16)> = Vec::new();
            for time in capture.source.times() {
                if !found.iter().any(|(_, offset)| *offset == time.offset_min)
                    && let Some(nanos) = time.utc.unix_nanos()
                {
                    found.push((nanos, time.offset_min));
                }
            }
            found
        };
        self.captures.iter().map(of).collect()
    }

    /// The samples of all captures, those that several have counted once.
    #[getter]
    fn num_samples(&self, py: Python<'_>) -> PyResult<u64> {
        let captures = self.captures.clone();
        let whole = work(py, move |_| Timeline::whole(&captures))?.map_err(|error| failed(py, &error))?;
        Ok(whole.num_samples())
    }

    /// Marked times with their texts.
    #[getter]
    fn marks(&self) -> Vec<(String, String)> {
        let mut marks: Vec<_> = self.captures.iter().flat_map(recount::Capture::marks).collect();
        marks.sort();
        marks.dedup();
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
    /// capture. `form`: see [`Form`].
    #[pyo3(signature = (wanted, object, raw, columns, window, form=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn read(
        &self,
        py: Python<'_>,
        wanted: &Bound<'_, PyDict>,
        object: Option<&str>,
        raw: bool,
        columns: Option<Vec<String>>,
        window: (Option<i64>, Option<i64>),
        form: Option<Form>,
    ) -> PyResult<Batches> {
        let wanted: Wanted = wanted.extract()?;
        let form = form.unwrap_or_default();
        let selection = wanted.selection(py)?;
        let timeline = if form.is_checked {
            if let Some(object) = object {
                check_object(py, &self.captures, object)?;
            }
            self.checked(py, &wanted, &selection)?
        } else {
            self.timeline(py, &wanted)?
        };
        let mut batches = timeline.batches().layout(Layout::Tidy).select(selection.clone());
        if form.origins {
            batches = batches.origins();
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
        // Outside the samples nothing matches, which was said before.
        let is_matched = form.is_matched && timeline.no_samples().is_none();
        let checked = is_matched.then(|| Checked {
            captures: self.captures.clone(),
            selection,
            object: object.map(str::to_owned),
        });
        Ok(Batches::new(self.name(), batches, checked, form.tz))
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
