//! Reads what a log knows of processes.

use std::ops::ControlFlow;
use std::sync::Arc;

use recount_model::{
    EndedProcess, FindingKind, Health, ProcessDescription, ProcessNote, Timestamp, container_of_cgroup,
    unit_of_cgroup,
};

use super::dictionary::Known;
use super::entries::{DescribedFields, EndedFields, NOT_KNOWN};
use crate::bytes::{Bytes, Short};
use crate::log::Entry;
use crate::tally::Tally;
use crate::{CaptureError, Log, RecordKind};

/// Reads all records about processes up to the end of the span, one after the other, and gives what belongs to it. Ends early if `take`
/// breaks.
pub(crate) fn visit(
    log: &Log,
    (begin, end): (Timestamp, Timestamp),
    take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
) -> Health {
    let mut health = Health::default();
    let mut known = Known::default();
    let mut in_span = |note: ProcessNote| match &note {
        _ if note.time() > end => ControlFlow::Continue(()),
        ProcessNote::Ended(ended) if ended.sample < begin => ControlFlow::Continue(()),
        _ => take(note),
    };
    // A clock that was set back makes later records earlier ones.
    let last = (0..log.records.times.len()).rev().find(|record| is_wanted(log, *record, end));
    let Some(last) = last else { return health };
    for entry in log.entries.iter().take_while(|entry| entry.first_record <= last) {
        match visit_entry(log, entry, last, &mut known, &mut in_span, &mut health) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => break,
            Err(error) => {
                health.note(FindingKind::Damaged, None, format!("descriptions of processes: {error}"));
            }
        }
    }
    health
}

/// Whether a record is about processes, and not later than this.
fn is_wanted(log: &Log, record: usize, end: Timestamp) -> bool {
    log.record_info(record).is_some_and(|(time, kind)| kind.is_about_processes() && time <= end)
}

/// Reads the records of a frame up to the last that is needed: texts of one may be needed by any later one.
fn visit_entry(
    log: &Log,
    entry: &Entry,
    last: usize,
    known: &mut Known,
    take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    health: &mut Health,
) -> Result<ControlFlow<()>, CaptureError> {
    let records = entry.first_record..entry.first_record + entry.num_records;
    let mut wanted = records.filter(|record| *record <= last && is_wanted(log, *record, Timestamp(i64::MAX)));
    let Some(first) = wanted.next() else { return Ok(ControlFlow::Continue(())) };
    let (mut frame, mut unsound) = (log.frame_records(entry)?, Tally::default());
    let mut flow = ControlFlow::Continue(());
    for record in std::iter::once(first).chain(wanted) {
        let Some((time, kind)) = log.record_info(record) else { continue };
        let bytes = frame.read(record)?;
        match read_notes(time, kind, bytes, known, take) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => {
                flow = ControlFlow::Break(());
                break;
            }
            Err(fault) => unsound.note(record, fault),
        }
    }
    for fault in unsound.reasons() {
        let error = CaptureError::at("processes", entry.ofs, fault.why.clone());
        let what = format!("descriptions of processes: {error}{}", fault.and_more());
        health.note(FindingKind::Damaged, None, what);
    }
    Ok(flow)
}

/// Whether a record about processes can be read.
pub(crate) fn check_notes(time: Timestamp, kind: RecordKind, record: &[u8]) -> Result<(), Short> {
    read_notes(time, kind, record, &mut Known::default(), &mut |_| ControlFlow::Continue(())).map(|_| ())
}

/// Reads the notes of a record. One whose name is in a record that is lost has an empty name.
pub(crate) fn read_notes(
    time: Timestamp,
    kind: RecordKind,
    record: &[u8],
    known: &mut Known,
    take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Short> {
    let mut bytes = Bytes::new(record);
    known.read(&mut bytes)?;
    let num = bytes.len("num_entries", bytes.len_left() / 4)?;
    for _ in 0..num {
        let len = bytes.len("len_entry", bytes.len_left().saturating_sub(4))?;
        // What later versions append to an entry is passed over.
        let mut entry = Bytes::new(bytes.take("entry", len)?);
        let note = if kind == RecordKind::PROCESSES {
            ProcessNote::Described(described(time, &mut entry, known)?)
        } else {
            ProcessNote::Ended(ended(time, &mut entry, known)?)
        };
        if take(note).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn described(since: Timestamp, bytes: &mut Bytes<'_>, known: &Known) -> Result<ProcessDescription, Short> {
    let mut fields = DescribedFields::default();
    fields.fields(bytes, &|_| String::new())?;
    let num_words = fields.num_words as usize;
    if num_words > bytes.len_left() / 4 {
        return Err(bytes.bad("num_words", "fewer", u64::from(fields.num_words)));
    }
    let mut command: Vec<Arc<str>> = Vec::with_capacity(num_words);
    for _ in 0..num_words {
        command.push(bytes.text("word")?.into());
    }
    let cgroup = known.text(fields.text_cgroup);
    Ok(ProcessDescription {
        since,
        pid: fields.pid,
        start: fields.start,
        parent: fields.parent,
        name: known.text(fields.text_name).unwrap_or_default(),
        executable: known.text(fields.text_executable),
        command,
        is_command_cut: fields.flags & DescribedFields::IS_CUT != 0,
        user_id: number(fields.user_id),
        user: known.text(fields.text_user),
        unit: cgroup.as_deref().and_then(unit_of_cgroup).map(Arc::from),
        container: cgroup.as_deref().and_then(container_of_cgroup).map(Arc::from),
        container_name: known.text(fields.text_container_name),
        cgroup,
        session: number(fields.session),
        scheduling_class: known.text(fields.text_scheduling_class),
    })
}

fn ended(sample: Timestamp, bytes: &mut Bytes<'_>, known: &Known) -> Result<EndedProcess, Short> {
    let mut fields = EndedFields::default();
    fields.fields(bytes, &|_| String::new())?;
    Ok(EndedProcess {
        sample,
        pid: fields.pid,
        start: fields.start,
        end: fields.end,
        parent: fields.parent,
        name: known.text(fields.text_name).unwrap_or_default(),
        user_id: number(fields.user_id),
        user: known.text(fields.text_user),
        cgroup: known.text(fields.text_cgroup),
        user_time: fields.user_time,
        privileged_time: fields.privileged_time,
        len_read: fields.len_read,
        len_written: fields.len_written,
        len_storage_read: fields.len_storage_read,
        len_storage_written: fields.len_storage_written,
        peak_memory: Some(fields.peak_memory).filter(|len| *len != 0),
        exit_status: number(fields.exit_status),
        count: fields.count.max(1),
    })
}

fn number(number: u32) -> Option<u32> {
    Some(number).filter(|number| *number != NOT_KNOWN)
}
