//! Makes the row of a capture.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use recount_model::{FindingKind, Health, Selection, Source, Timestamp};
use recount_tables::{CaptureRow, Names};

use crate::files::walk::Found;
use crate::{Capture, OpenError, open};

/// Ticks (100 ns) in a microsecond.
const TICKS_PER_MICRO: i64 = 10;

/// Opens a capture and reads what it holds. A capture that can't be read gets a row, too.
pub(super) fn read_row(found: &Found) -> CaptureRow {
    let empty = CaptureRow {
        path: found.path.display().to_string(),
        size: found.stamp.size,
        modified: Some(found.stamp.modified),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..CaptureRow::default()
    };
    match open(&found.path) {
        Ok(capture) => row_of(&capture, empty),
        Err(error) => broken(&error, empty),
    }
}

/// A row for a file that could not be opened.
pub(super) fn failed_row(path: String, error: &std::io::Error) -> CaptureRow {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    CaptureRow { path, health: Some(error.to_string()), version, ..CaptureRow::default() }
}

fn broken(error: &OpenError, row: CaptureRow) -> CaptureRow {
    let text = error.to_string();
    let text = text.strip_prefix(&format!("{}: ", row.path)).unwrap_or(&text);
    CaptureRow {
        // If the system refused access, another attempt may succeed though the file doesn't change.
        modified: row.modified.filter(|_| !matches!(error, OpenError::Io { .. })),
        format: match error {
            OpenError::Format { format, .. } => Some(format.name().to_owned()),
            _ => None,
        },
        findings: 1,
        health: Some(text.to_owned()),
        ..row
    }
}

fn row_of(capture: &Capture, row: CaptureRow) -> CaptureRow {
    let (source, info) = (&*capture.source, capture.source.info());
    let mut health = capture.health();
    let mut hosts: BTreeSet<String> = info.hosts.iter().map(ToString::to_string).collect();
    let mut objects = BTreeSet::new();
    for samples in stretches(source) {
        let samples: Vec<u32> = samples.collect();
        let decoded = source.survey(&samples, &Selection::all());
        let runs = decoded.runs.iter().map(|run| (&run.host, &run.object));
        for (host, object) in runs.chain(decoded.cooked.iter().map(|cooked| (&cooked.host, &cooked.object))) {
            add(&mut hosts, host);
            add(&mut objects, &object.name);
        }
        health.absorb(decoded.health);
    }
    let health = health.without(FindingKind::Expected);
    let times = source.times();
    CaptureRow {
        format: Some(capture.format.name().to_owned()),
        capture_id: capture.id(),
        hosts: names(hosts),
        begin: times.first().map(|first| micros(first.utc, i64::div_euclid)),
        end: times.last().map(|last| micros(last.utc, |ticks, unit| -(-ticks).div_euclid(unit))),
        is_zone_unknown: info.is_zone_unknown,
        samples: Some(i64::try_from(times.len()).unwrap_or(i64::MAX)),
        objects: names(objects),
        is_complete: health.is_complete(),
        findings: i64::try_from(health.total()).unwrap_or(i64::MAX),
        health: worst(&health),
        ..row
    }
}

fn add(names: &mut BTreeSet<String>, name: &str) {
    if !name.is_empty() && !names.contains(name) {
        names.insert(name.to_owned());
    }
}

fn names(names: BTreeSet<String>) -> Names {
    Arc::from(names.into_iter().collect::<Vec<_>>())
}

fn micros(time: Timestamp, divide: impl Fn(i64, i64) -> i64) -> i64 {
    divide(time.0.saturating_sub(Timestamp::UNIX_EPOCH.0), TICKS_PER_MICRO)
}

/// The worst finding, and the number of the others.
fn worst(health: &Health) -> Option<String> {
    let worst = health.findings().iter().min_by_key(|finding| finding.kind)?;
    Some(match health.total() - 1 {
        0 => worst.to_string(),
        more => format!("{worst} (and {more} more)"),
    })
}

/// Consecutive samples, few enough to be decoded together. Captures are read in parallel, so each is read by one
/// thread.
fn stretches(source: &dyn Source) -> impl Iterator<Item = Range<u32>> + '_ {
    /// Raw bytes; for logs, only those that needn't be decoded.
    const LEN_RAW: usize = 4 << 20;
    const LEN_SURVEYED: usize = 32 << 20;
    let max_len = if source.info().is_cooked { LEN_RAW } else { LEN_SURVEYED };
    let num = u32::try_from(source.times().len()).unwrap_or(u32::MAX);
    let mut begin = 0;
    std::iter::from_fn(move || {
        let (mut end, mut len) = (begin, 0_usize);
        while end < num && (end == begin || len < max_len) {
            len = len.saturating_add(source.len_sample(end as usize));
            end += 1;
        }
        let stretch = begin..end;
        begin = end;
        (!stretch.is_empty()).then_some(stretch)
    })
}
