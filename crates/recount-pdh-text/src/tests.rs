//! Tests of the whole reader and writer.

mod clocks;
mod consoles;
mod esxtop;
mod identity;
mod locales;
mod parts;
mod read;
mod robust;
mod write;

use std::fmt::Write as _;
use std::sync::Arc;

use recount_model::{Cooked, Decoded, FindingKind, Selection, Source as _};

use super::{PdhText, PdhTextOptions};

/// Opens a text.
fn open(text: impl Into<Vec<u8>>) -> PdhText {
    PdhText::open(Arc::new(text.into()), &PdhTextOptions::default()).expect("PDH text")
}

/// Reads all rows.
fn decode(text: &PdhText) -> Decoded {
    let all: Vec<u32> = (0..text.times().len() as u32).collect();
    text.decode(&all, &Selection::all())
}

/// One line per cell: `time path = value or status`.
fn cells(cooked: &[Cooked]) -> Vec<String> {
    let mut lines = Vec::new();
    for cooked in cooked {
        for (sample, time) in cooked.times.iter().enumerate() {
            for column in &cooked.columns {
                for (at, instance) in cooked.instances.iter().enumerate().filter(|&(at, _)| column.covers(at))
                {
                    let cell = sample * cooked.instances.len() + at;
                    let counter = &cooked.object.counters[column.counter];
                    let path =
                        super::CounterColumn::of(&cooked.host, &cooked.object, instance, &counter.name);
                    let mut line = format!("{} {path} = ", time.utc);
                    match column.value_at(cell) {
                        Some(value) => write!(line, "{value}").expect("a String"),
                        None => line.push_str(column.status_at(cell).as_str()),
                    }
                    lines.push(line);
                }
            }
        }
    }
    lines
}

/// The times, UTC, and the offsets.
fn times(text: &PdhText) -> Vec<(String, i16)> {
    text.times().iter().map(|time| (time.utc.to_string(), time.offset_min)).collect()
}

/// The kinds and places of all findings.
fn findings(health: &recount_model::Health) -> Vec<(FindingKind, u64)> {
    let places = health.findings().iter();
    places.map(|finding| (finding.kind, finding.place.as_ref().expect("a place").ofs)).collect()
}
