//! What a table of a fleet has of its captures: see `formats/ledger.md`.

use pyo3::prelude::*;
use recount::Timestamp;
use recount::ledger::{Added, DifferenceKind, Ledger, LedgerStretch, Taking, Unit};
use serde_json::{Value, json};

use crate::capture::Capture;
use crate::errors::failed;
use crate::interrupt::work;

/// Times in nanoseconds since 1970; `None`: no limit, or none.
type Limits = (Option<i64>, Option<i64>, Option<i64>);

/// A part with its recording, or with its id.
type Saved = (String, Vec<u8>);

/// Takes captures into a ledger: parts that are known, each with its recording, and captures, each with its last sample that is
/// taken, the time reached before, and the time up to which a table without a ledger has it. Returns what becomes of each, as
/// JSON, and the parts to keep.
#[pyfunction]
pub(crate) fn take_in(
    py: Python<'_>,
    known: Vec<Saved>,
    captures: Vec<(PyRef<'_, Capture>, Limits)>,
) -> PyResult<(String, Vec<Saved>)> {
    let mut ledger = Ledger::new();
    for (recording, bytes) in &known {
        ledger.load(recording, bytes).map_err(|error| failed(py, &error))?;
    }
    let taken: Vec<(Vec<recount::Capture>, Taking)> =
        captures.iter().map(|(capture, limits)| (capture.captures().to_vec(), taking(*limits))).collect();
    let (found, saved) = work(py, move |_| {
        let mut added = Vec::with_capacity(taken.len());
        for (captures, taking) in &taken {
            added.push(captures.first().map_or_else(Added::default, |capture| ledger.add(capture, taking)));
        }
        (described(&ledger, &added).to_string(), ledger.saved())
    })?;
    Ok((found, saved))
}

fn taking((until, reached, in_table): Limits) -> Taking {
    Taking {
        until: until.map(Timestamp::from_unix_nanos),
        reached: reached.map(Timestamp::from_unix_nanos),
        in_table: in_table.map(Timestamp::from_unix_nanos),
    }
}

fn described(ledger: &Ledger, added: &[Added]) -> Value {
    let rows = ledger.rows();
    let files = added.iter().zip(&rows).map(|(added, rows)| {
        json!({
            "id": rows.as_ref().map(|rows| &rows.id),
            "stretches": rows.as_ref().map_or_else(Vec::new, |rows| rows.stretches.iter().map(stretch).collect()),
            "num_copies": added.num_copies,
            "copy_of": added.copy_of,
            "num_better": added.num_better,
            "differs": added.differs.as_ref().map(|(id, found)| (id, found.time.utc.to_string(), &*found.unit.object, what_differs(found.kind))),
            "other_zone": added.other_zone,
            "no_zone": added.no_zone,
        })
    });
    let removed = ledger.removed().into_iter().map(|removed| {
        let times: Vec<Option<i64>> = removed.times.iter().map(|time| time.unix_nanos()).collect();
        json!({"id": removed.id, "host": &*removed.unit.host, "object": &*removed.unit.object, "counter": removed.unit.counter.as_deref(), "times": times})
    });
    let parts = ledger.parts().map(|(id, recording, span)| {
        let (begin, end) = span.map(|(first, last)| (first.utc.unix_nanos(), last.utc.unix_nanos())).unzip();
        json!({"id": id, "recording": recording, "begin": begin.flatten(), "end": end.flatten()})
    });
    json!({
        "files": files.collect::<Vec<Value>>(),
        "removed": removed.collect::<Vec<Value>>(),
        "parts": parts.collect::<Vec<Value>>(),
    })
}

/// What a capture has, before the object's name.
fn what_differs(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Interval => "values over another interval",
        DifferenceKind::Lacking => "other instances or counters",
        _ => "other values",
    }
}

fn stretch(stretch: &LedgerStretch) -> Value {
    let name = |unit: &Unit| json!([&*unit.host, &*unit.object, unit.counter.as_deref()]);
    let units = stretch.units.as_ref().map(|units| units.iter().map(name).collect::<Vec<Value>>());
    json!([stretch.begin.unix_nanos(), stretch.end.unix_nanos(), units])
}
