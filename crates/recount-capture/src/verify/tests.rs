use std::fs::File;

use recount_model::{CounterType, Event, EventKind, Facts, FindingKind, Selection, Sink, Source, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};

use super::*;
use crate::frame::{self, LEN_FRAME_TAIL};
use crate::{CaptureSource, LogWriter, RecordKind, WriterOptions};

const START: i64 = 130_058_022_178_440_000;
pub(crate) const PROCESS: u32 = 230;
pub(crate) const MEMORY: u32 = 4;

/// A record by its number.
pub(crate) type Numbered = (u64, Timestamp, RecordKind, Vec<u8>);

/// A log of samples of two objects and some events, in several chunks and maybe a tail.
pub(crate) fn written(num_samples: i64, is_closed: bool) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let options = WriterOptions { len_chunk: 4_000, ..WriterOptions::default() };
    let mut writer = LogWriter::create(&path, options).expect("new");
    writer.facts(&Facts::from([("host".to_owned(), "web1".to_owned())])).expect("written");
    let names = [(MEMORY, "Memory"), (6, "Time"), (24, "Bytes"), (PROCESS, "Process")];
    writer.texts("009", &mut names.into_iter()).expect("written");
    let mut process = ObjectTemplate::new(ObjectHeader::new(PROCESS, true));
    process.add_counter(CounterDefinition::new(6, CounterType(0x2051_0500)));
    let mut memory = ObjectTemplate::new(ObjectHeader::new(MEMORY, false));
    memory.add_counter(CounterDefinition::new(24, CounterType(0x0001_0100)));
    let mut stream = BlockStream::new("web1");
    for sample in 0..num_samples {
        let time = START + sample * 10_000_000;
        stream.begin(BlockClocks { perf_time: sample, perf_freq: 1, perf_time_100ns: time });
        let mut object = stream.object(&process, time, 10_000_000);
        for pid in 0..5 {
            object
                .instance(InstanceName::new(&format!("worker{pid}")))
                .set(0, (pid * sample * sample) as u64);
        }
        stream.object(&memory, 0, 0).values().set(0, (sample * 12_345) as u64);
        writer.block(Timestamp(time), stream.finish().expect("fits")).expect("written");
        if sample % 7 == 3 {
            let (kind, time) = (EventKind::Late, Timestamp(time + 1));
            let event = Event { time, kind, extent: 5, count: 0, text: "busy".into() };
            writer.event(&event).expect("written");
        }
    }
    if is_closed {
        writer.finish().expect("closed");
    }
    std::fs::read(&path).expect("the log")
}

/// All records that can be had.
pub(crate) fn records(log: &[u8]) -> Vec<Numbered> {
    let Ok(log) = Log::open(Box::new(log.to_vec())) else { return Vec::new() };
    let mut records = Vec::new();
    let done = log.for_each_record(|record, bytes| {
        let (time, kind) = log.record_info(record).expect("it is listed");
        let (at, within) = log.entry_of(record).expect("it is listed");
        if let Ok(bytes) = bytes {
            records.push((log.entries[at].number_first + within as u64, time, kind, bytes.to_vec()));
        }
        Ok::<(), CaptureError>(())
    });
    done.expect("nothing to fail");
    records
}

pub(crate) fn verified(log: &[u8]) -> Verification {
    verify(Box::new(log.to_vec())).expect("a log")
}

pub(crate) fn kinds(found: &Verification) -> Vec<FindingKind> {
    let kinds = found.health.findings().iter().map(|finding| finding.kind);
    // The late samples of the log are details, no faults.
    kinds.filter(|kind| *kind != FindingKind::Expected).collect()
}

#[test]
fn a_sound_log_has_no_findings() {
    let log = written(40, true);
    let found = verified(&log);
    assert!(found.health.is_sound(), "{:?}", found.health);
    assert!(found.is_closed && found.num_chunks > 3, "{found:?}");
    assert_eq!((found.num_records, found.num_unsealed, found.len_file), (46, 0, log.len() as u64));
    // Header, facts, names and index beside them.
    assert_eq!(found.num_frames, found.num_chunks + 4);
    assert_eq!((found.version, found.writer.as_deref()), (1, Some("recount 0.1.0")));
}

/// A flipped bit in every byte: every byte of the file is covered by a checksum.
#[test]
fn any_flipped_bit_is_found() {
    let log = written(14, true);
    for at in 0..log.len() {
        let mut flipped = log.clone();
        flipped[at] ^= 1 << (at % 8);
        let Ok(found) = verify(Box::new(flipped)) else { continue };
        assert!(!found.health.is_complete(), "byte {at:#x}: {:?}", found.health);
    }
}

/// What `info` does: open the log, and look at all objects and instances.
fn surveyed(log: &[u8]) -> Option<Health> {
    let source = CaptureSource::open(Box::new(log.to_vec())).ok()?;
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let mut health = source.health().clone();
    health.absorb(source.survey(&samples, &Selection::all()).health);
    Some(health)
}

#[test]
fn whoever_only_looks_at_a_log_finds_any_flipped_bit() {
    let log = written(14, true);
    assert!(surveyed(&log).is_some_and(|health| health.is_complete()));
    for at in 0..log.len() {
        let mut flipped = log.clone();
        flipped[at] ^= 1 << (at % 8);
        let Some(health) = surveyed(&flipped) else { continue };
        assert!(!health.is_complete(), "byte {at:#x}: {health:?}");
    }
}

/// Another program writes into the file while it is recorded; then it is closed.
#[test]
fn what_was_overwritten_before_the_log_was_closed_is_found() {
    let whole = written(14, false);
    let opened = Log::open(Box::new(whole.clone())).expect("a log");
    assert_eq!(opened.definitions.len(), 2, "facts and names");
    for definition in &opened.definitions {
        let mut log = whole.clone();
        log[definition.ofs as usize + 20..][..8].fill(0x55);
        let damaged = Log::open(Box::new(log.clone())).expect("a log");
        frame::write(opened.tag, FrameKind::INDEX, &[&crate::log::write_index(&damaged)], &mut log);
        let found = verified(&log);
        assert!(found.is_closed && !found.health.is_complete(), "{found:?}");
        assert!(surveyed(&log).is_some_and(|health| !health.is_complete()));
    }
}

#[test]
fn a_torn_tail_is_found() {
    let log = written(20, false);
    let num_records = verified(&log).num_records;
    assert_eq!(kinds(&verified(&log)), [FindingKind::Odd], "no index, and nothing else");
    for len in log.len() - 500..log.len() {
        let found = verified(&log[..len]);
        let lacks_records = found.num_records < num_records;
        assert!(lacks_records, "{len}");
        let is_between_frames = kinds(&found) == [FindingKind::Odd];
        assert!(
            is_between_frames || kinds(&found) == [FindingKind::Truncated, FindingKind::Odd],
            "{found:?}"
        );
    }
}

/// Where the index of a closed log begins.
pub(crate) fn without_index(log: &[u8]) -> usize {
    let len = log.last_chunk::<4>().expect("a frame");
    log.len() - u32::from_le_bytes(*len) as usize
}

#[test]
fn a_missing_index_is_reported() {
    let mut log = written(14, true);
    log.truncate(without_index(&log));
    let found = verified(&log);
    assert!(!found.is_closed);
    assert_eq!(kinds(&found), [FindingKind::Odd]);
    assert!(found.health.findings()[0].what.starts_with("no valid index"), "{:?}", found.health);
}

#[test]
fn a_damaged_index_is_found() {
    let mut log = written(14, true);
    let at = without_index(&log) + 40;
    log[at] ^= 4;
    let found = verified(&log);
    assert!(!found.is_closed);
    assert_eq!(kinds(&found), [FindingKind::Damaged, FindingKind::Odd]);
    let place = found.health.findings()[0].place.as_ref().expect("a place");
    assert_eq!((place.structure, place.ofs), (Some("index"), without_index(&log) as u64));
}

/// Indexes whose checksums are right and whose contents aren't.
#[test]
fn a_wrong_index_is_found() {
    let log = written(14, true);
    let mut wrong = Vec::new();
    let edits: [&dyn Fn(&mut Log); 5] = [
        &|log| log.records.times[3].0 += 1,
        &|log| log.records.kinds[0] = RecordKind::EVENT,
        &|log| log.records.lens[1] -= 8,
        &|log| log.definitions.truncate(1),
        &|log| {
            let entry = log.entries.pop().expect("a chunk");
            log.records.times.truncate(entry.first_record);
            log.records.kinds.truncate(entry.first_record);
            log.records.lens.truncate(entry.first_record);
        },
    ];
    for edit in edits {
        let mut opened = Log::open(Box::new(log.clone())).expect("a log");
        edit(&mut opened);
        let mut edited = log[..without_index(&log)].to_vec();
        frame::write(opened.tag, FrameKind::INDEX, &[&crate::log::write_index(&opened)], &mut edited);
        wrong.push(edited);
    }
    for (number, log) in wrong.iter().enumerate() {
        let found = verified(log);
        assert_eq!(found.health.findings()[0].kind, FindingKind::Damaged, "{number}: {:?}", found.health);
        let what = &found.health.findings()[0].what;
        if number == 4 {
            // Without its last frame it is seen not to fit.
            assert!(what.contains("don't end where it begins") && !found.is_closed, "{what}");
        } else if number == 3 {
            assert!(what.contains("doesn't list all frames") && found.is_closed, "{what}");
        } else {
            assert!(what.starts_with("the index ") && kinds(&found).len() == 1, "{:?}", found.health);
        }
    }
    // And one that can't be at all.
    let mut garbage = log[..without_index(&log)].to_vec();
    let tag = Log::open(Box::new(log.clone())).expect("a log").tag;
    frame::write(tag, FrameKind::INDEX, &[&[0xFF; 40]], &mut garbage);
    assert_eq!(kinds(&verified(&garbage)), [FindingKind::Damaged, FindingKind::Odd]);
}

/// The objects of a chunk are reported by name, its records by number and time.
#[test]
fn a_damaged_object_is_reported_by_name() {
    let mut log = written(14, true);
    let (ofs, _) = section_of(&log, 1, MEMORY);
    log[ofs] ^= 1;
    let found = verified(&log);
    assert_eq!(kinds(&found), [FindingKind::Damaged], "{:?}", found.health);
    let told = found.health.findings()[0].to_string();
    assert!(
        told.contains("records 8 to 15 (2013-02-20T02:50:24.844Z .. ") && told.contains("object Memory"),
        "{told}"
    );
}

/// Offset and length in the file of a section of the n-th chunk.
pub(crate) fn section_of(log: &[u8], chunk: usize, section: u32) -> (usize, usize) {
    let opened = Log::open(Box::new(log.to_vec())).expect("a log");
    let entry = opened.entries.iter().filter(|entry| entry.is_chunk).nth(chunk).expect("a chunk");
    let (head, _) = opened.chunk_head(entry).expect("sound");
    let at = head.sections.iter().position(|entry| entry.section == section).expect("the section");
    let len = head.sections[at].len_structure + head.sections[at].len_columns;
    (entry.ofs as usize + frame::LEN_FRAME_HEAD + head.ofs_section(at), len)
}

/// Frames of private kinds and of later versions aren't damage, but faults in them are.
#[test]
fn foreign_frames_are_checked() {
    let mut log = written(14, true);
    let tag = Log::open(Box::new(log.clone())).expect("a log").tag;
    let index = log.split_off(without_index(&log));
    frame::write(tag, FrameKind(0x8001), &[b"ours"], &mut log);
    let ofs_end = log.len();
    log.extend_from_slice(&index);
    let found = verified(&log);
    assert!(found.health.is_sound() && found.is_closed, "{:?}", found.health);
    log[ofs_end - LEN_FRAME_TAIL - 1] ^= 1;
    let found = verified(&log);
    assert_eq!(kinds(&found), [FindingKind::Damaged], "{:?}", found.health);
}

#[test]
fn a_file_without_a_frame_is_none() {
    assert!(matches!(verify(Box::new(b"Dear reader".to_vec())), Err(CaptureError::NotACapture)));
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("empty");
    std::fs::write(&path, "").expect("written");
    let empty = File::open(&path).expect("there");
    assert!(matches!(verify(Box::new(empty)), Err(CaptureError::NotACapture)));
}
