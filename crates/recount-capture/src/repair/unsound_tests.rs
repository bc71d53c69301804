//! Chunks whose checksums are right but whose contents aren't, and invalid events.

use recount_model::{Event, EventKind, Timestamp};

use super::tests::repaired;
use crate::chunk::{ChunkHead, Encoder};
use crate::frame::{self, FrameKind};
use crate::payload::{self, Header, RecordHead};
use crate::verify::tests::{MEMORY, records, section_of, verified, without_index, written};
use crate::{Log, RecordKind};

const TAG: u32 = 0x0707_0707;

fn header() -> Vec<u8> {
    let header = Header { capture_id: [7; 16], created: Timestamp(1), writer: "test".into() };
    let mut log = Vec::new();
    frame::write(TAG, FrameKind::HEADER, &[&header.write()], &mut log);
    log
}

fn event(number: i64) -> Vec<u8> {
    let (time, kind) = (Timestamp(number), EventKind::Late);
    payload::write_event(&Event { time, kind, extent: number, count: 0, text: "busy".into() })
}

/// Ten events, of which two, 3 and 7, are invalid.
fn events() -> Vec<(RecordHead, Vec<u8>)> {
    let record = |number: u64| {
        let mut bytes = event(number as i64);
        if number % 4 == 3 {
            bytes[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
        }
        (RecordHead { number, time: Timestamp(number as i64), kind: RecordKind::EVENT }, bytes)
    };
    (0..10).map(record).collect()
}

fn close(log: &mut Vec<u8>) {
    let opened = Log::open(Box::new(log.clone())).expect("a log");
    frame::write(opened.tag, FrameKind::INDEX, &[&crate::log::write_index(&opened)], log);
}

/// A log that was closed without ever having been sealed, since there was no room for a chunk.
#[test]
fn a_closed_log_is_sealed() {
    let sealed = written(20, true);
    let opened = Log::open(Box::new(sealed.clone())).expect("a log");
    let mut log = sealed[..opened.entries[0].ofs as usize].to_vec();
    for (number, time, kind, bytes) in records(&sealed) {
        let head = RecordHead { number, time, kind };
        frame::write(opened.tag, FrameKind::RECORD, &[&head.write(), &bytes], &mut log);
    }
    close(&mut log);
    let before = verified(&log);
    assert!(before.is_closed && before.health.is_sound(), "{:?}", before.health);
    assert_eq!((before.num_chunks, before.num_unsealed), (0, before.num_records));
    let (repaired, done) = repaired(&log);
    assert_eq!((done.num_sealed, done.dropped.len()), (before.num_records, 0));
    assert_eq!(verified(&repaired).num_unsealed, 0);
    assert_eq!(records(&repaired), records(&sealed));
    assert!(repaired.len() < log.len());
}

#[test]
fn events_that_are_none_are_dropped() {
    let mut tail = header();
    for (head, bytes) in events() {
        frame::write(TAG, FrameKind::RECORD, &[&head.write(), &bytes], &mut tail);
    }
    let mut encoder = Encoder::new(0);
    for (head, bytes) in events() {
        encoder.push(head.time, head.kind, &bytes, &[]);
    }
    let mut chunk = header();
    frame::write(TAG, FrameKind::CHUNK, &[&encoder.encode(1).expect("proven").payload], &mut chunk);
    for (mut log, name) in [(tail, "tail"), (chunk, "chunk")] {
        close(&mut log);
        assert!(!verified(&log).health.is_complete());
        let (repaired, done) = repaired(&log);
        let kept: Vec<(u64, Vec<u8>)> =
            records(&repaired).into_iter().map(|(at, .., bytes)| (at, bytes)).collect();
        let expected: Vec<(u64, Vec<u8>)> =
            [0, 1, 2, 4, 5, 6, 8, 9].into_iter().map(|number| (number, event(number as i64))).collect();
        assert_eq!(kept, expected, "{name}");
        let told = done.dropped.join("\n");
        assert!(told.starts_with("record 3 (") && told.contains("is not a valid event: text"), "{told}");
        assert!(name == "tail" || told.ends_with("(and 1 more of these records)"), "{told}");
        // They don't prevent reading the others from the log as it is, either.
        let source = crate::CaptureSource::open(Box::new(log)).expect("opens");
        let health = format!("{:?}", recount_model::Source::health(&source));
        assert_eq!(health.matches("sample taken").count(), 8, "{health}");
    }
}

/// The times of a head prove nothing: the records have their own, with a checksum.
#[test]
fn a_head_with_wrong_times_is_written_anew() {
    let log = written(14, true);
    let opened = Log::open(Box::new(log.clone())).expect("a log");
    let entry = opened.entries[0];
    let ofs = entry.ofs as usize + frame::LEN_FRAME_HEAD;
    let mut payload =
        log[ofs..ofs + entry.len_frame - frame::LEN_FRAME_HEAD - frame::LEN_FRAME_TAIL].to_vec();
    let head = ChunkHead::read(&payload, payload.len()).expect("sound");
    let mut wrong = Vec::new();
    ChunkHead { time_min: Timestamp(5), ..head.clone() }.write(&mut wrong);
    payload[..wrong.len()].copy_from_slice(&wrong);
    let mut damaged = log[..entry.ofs as usize].to_vec();
    frame::write(opened.tag, FrameKind::CHUNK, &[&payload], &mut damaged);
    damaged.extend_from_slice(&log[damaged.len()..]);
    // Readers list and give the records.
    assert_eq!(records(&damaged), records(&log));
    assert!(verified(&damaged).health.findings()[0].what.contains("aren't those of its head"));
    let (mended, done) = repaired(&damaged);
    assert_eq!((mended, done.dropped.len()), (log.clone(), 0));
    // So it is where, besides, a section is damaged.
    let (ofs, _) = section_of(&damaged, 0, MEMORY);
    damaged[ofs] ^= 1;
    let (mended, done) = repaired(&damaged);
    assert_eq!((done.num_records, done.dropped.len()), (records(&log).len() as u64, 1));
    let mended = Log::open(Box::new(mended)).expect("a log");
    let (mended, _) = mended.chunk_head(&mended.entries[0]).expect("sound");
    assert_eq!((mended.time_min, mended.time_max), (head.time_min, head.time_max));
}

/// Every part of a chunk has a checksum of its own, so nothing is lost with the frame's.
#[test]
fn a_chunk_with_a_wrong_checksum_is_written_anew() {
    let log = written(14, true);
    let opened = Log::open(Box::new(log.clone())).expect("a log");
    let end = opened.entries[0].ofs as usize + opened.entries[0].len_frame;
    for at in end - frame::LEN_FRAME_TAIL..end {
        let mut damaged = log.clone();
        damaged[at] ^= 0x20;
        let (mended, done) = repaired(&damaged);
        assert!(mended == log && done.dropped.is_empty(), "{at:#x}: {:?}", done.dropped);
        assert!(!verified(&damaged).health.is_complete());
    }
    assert!(without_index(&log) > end);
}
