//! Checking records: every section of every chunk decoded, every length compared.

use recount_model::{FindingKind, Health, Piece, Place, Timestamp};
use recount_pcq::Message;
use recount_perf_data::DataBlock;

use crate::log::{Entry, OpenChunk};
use crate::processes::check_notes;
use crate::tally::{Reason, Tally};
use crate::{CaptureError, Log, RecordKind, payload};

/// Checks all records of a frame.
pub(super) fn check(log: &Log, entry: &Entry, health: &mut Health) -> Result<(), CaptureError> {
    if !entry.is_chunk {
        let mut bytes = Vec::new();
        return match log.read_unsealed(entry, &mut bytes) {
            Ok(()) => {
                let mut faults = Faults::default();
                check_bytes(log, entry.first_record, &bytes, &mut faults);
                report(log, entry, &faults, health);
                Ok(())
            }
            Err(error) => note(&entry_name(log, entry), error, health),
        };
    }
    match log.open_chunk(entry, &|_| true) {
        Ok(chunk) => check_chunk(log, entry, &chunk, health),
        Err(error) => note(&entry_name(log, entry), error, health),
    }
}

fn check_chunk(log: &Log, entry: &Entry, chunk: &OpenChunk, health: &mut Health) -> Result<(), CaptureError> {
    let table = &chunk.reader.table;
    let times = (table.times.iter().min().copied(), table.times.iter().max().copied());
    if entry.num_records > 0 && times != (Some(chunk.head.time_min), Some(chunk.head.time_max)) {
        let what = format!("{}: the times of its records aren't those of its head", entry_name(log, entry));
        health.note(FindingKind::Damaged, Place::structure("chunk", entry.ofs), what);
    }
    for (at, error) in &chunk.faults {
        let section = &chunk.head.sections[*at];
        let name = format!("{}: {}", entry_name(log, entry), section_name(log, section.section));
        if section.is_lost() {
            let what = format!("{name}: was damaged once, and left out by a repair");
            health.note(FindingKind::Odd, Place::structure("chunk", entry.ofs), what);
        } else {
            note(&name, error.again(), health)?;
        }
    }
    let (mut bytes, mut faults) = (Vec::new(), Faults::default());
    for within in 0..entry.num_records {
        let record = entry.first_record + within;
        bytes.clear();
        match chunk.reader.record(within, &mut bytes) {
            Ok(()) => check_bytes(log, record, &bytes, &mut faults),
            // Reported by section.
            Err(_) if !chunk.faults.is_empty() => {}
            Err(fault) => {
                faults.damaged.note(record, format!("{}: {}", fault.field, fault.what));
            }
        }
    }
    report(log, entry, &faults, health);
    Ok(())
}

/// What is wrong with the records of a frame.
#[derive(Default)]
struct Faults {
    damaged: Tally<String>,
    odd: Tally<String>,
}

/// Reports the records of a frame that aren't sound, grouped by reason.
fn report(log: &Log, entry: &Entry, faults: &Faults, health: &mut Health) {
    for (kind, faults) in [(FindingKind::Damaged, &faults.damaged), (FindingKind::Odd, &faults.odd)] {
        let line = |fault: &Reason<String>| {
            format!("{}: {}{}", record_name(log, fault.first), fault.why, fault.and_more())
        };
        for what in faults.reasons().iter().map(line).chain(faults.others()) {
            health.note(kind, Place::structure("frame", entry.ofs), what);
        }
    }
}

/// Checks that a record's bytes are what its kind says.
fn check_bytes(log: &Log, record: usize, bytes: &[u8], faults: &mut Faults) {
    let Some((time, kind)) = log.record_info(record) else { return };
    let odd = match kind {
        RecordKind::EVENT | RecordKind::PROCESSES | RecordKind::ENDED_PROCESSES => {
            if let Some(what) = own_fault(time, kind, bytes) {
                faults.damaged.note(record, what);
            }
            return;
        }
        // These are the source's bytes, unchanged, so the log is sound.
        RecordKind::BLOCK => {
            let fault = DataBlock::parse(bytes, 0).map_or_else(Some, |block| block.fault());
            fault.map(|error| ("block", error))
        }
        RecordKind::MESSAGE | RecordKind::MESSAGE_SAMPLE | RecordKind::MESSAGE_COPY => {
            Message::parse(bytes, 0).err().map(|error| ("message", error))
        }
        _ => None,
    };
    if let Some((name, error)) = odd {
        faults
            .odd
            .note(record, format!("was already damaged when it was recorded: not a valid {name}: {error}"));
    }
}

/// Why these bytes are not a valid record of a kind that the log itself defines, or `None` if they are. What a source gave may be
/// anything.
pub(crate) fn own_fault(time: Timestamp, kind: RecordKind, bytes: &[u8]) -> Option<String> {
    let (name, fault) = match kind {
        RecordKind::EVENT => ("event", payload::read_event(time, bytes).err()?),
        _ if kind.is_about_processes() => ("list of processes", check_notes(time, kind, bytes).err()?),
        _ => return None,
    };
    Some(format!("is not a valid {name}: {}: {}", fault.field, fault.what))
}

/// Notes damage; errors of the system end the verification.
fn note(name: &str, error: CaptureError, health: &mut Health) -> Result<(), CaptureError> {
    match error {
        CaptureError::Damaged { place, what } => {
            health.note(FindingKind::Damaged, place, format!("{name}: {what}"));
            Ok(())
        }
        other => Err(other),
    }
}

/// The records of a frame, for people.
pub(crate) fn entry_name(log: &Log, entry: &Entry) -> String {
    let last = (entry.first_record + entry.num_records).saturating_sub(1);
    let number_last = (entry.number_first + entry.num_records as u64).saturating_sub(1);
    match (entry.num_records, log.record_info(entry.first_record), log.record_info(last)) {
        (2.., Some(first_info), Some(last_info)) => format!(
            "records {} to {number_last} ({} .. {})",
            entry.number_first,
            when(first_info),
            when(last_info)
        ),
        (_, Some(first_info), _) => format!("record {} ({})", entry.number_first, when(first_info)),
        _ => format!("record {}", entry.number_first),
    }
}

/// A record, for people.
pub(crate) fn record_name(log: &Log, record: usize) -> String {
    let number = log.entry_of(record).map_or(0, |(at, within)| log.entries[at].number_first + within as u64);
    log.record_info(record)
        .map_or_else(|| format!("record {number}"), |info| format!("record {number} ({})", when(info)))
}

/// The time of a record, or the place of a part of a packed file.
fn when((time, kind): (Timestamp, RecordKind)) -> String {
    if kind == RecordKind::FILE_PART { format!("part at byte {:#x}", time.0) } else { time.to_string() }
}

/// A section by the name of its object, if the log has it.
pub(crate) fn section_name(log: &Log, section: u32) -> String {
    if section == Piece::FRAME {
        return "headers".to_owned();
    }
    let texts = log.texts();
    let names = texts.get("009").or_else(|| texts.values().next());
    let name = names.and_then(|names| names.get(section));
    name.map_or_else(|| format!("section {section}"), |name| format!("object {name}"))
}
