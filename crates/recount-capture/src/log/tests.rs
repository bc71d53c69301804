use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use recount_model::FindingKind;

use super::*;
use crate::frame::{self, FrameKind, LEN_FRAME_HEAD};
use crate::verify::tests::{kinds, records, verified, without_index, written};
use crate::{LogWriter, ReadAt, RecordKind, WriterOptions};

fn open(log: &[u8]) -> Log {
    Log::open(Box::new(log.to_vec())).expect("a log")
}

/// A log with bytes inserted between or inside its frames.
fn with(log: &[u8], ofs: usize, bytes: &[u8]) -> Vec<u8> {
    [&log[..ofs], bytes, &log[ofs..]].concat()
}

/// A file that changes just after the head of a frame was read.
struct Changing {
    before: Vec<u8>,
    after: Vec<u8>,
    ofs: u64,
    is_changed: AtomicBool,
}

impl ReadAt for Changing {
    fn len(&self) -> io::Result<u64> {
        Ok(self.after.len() as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        if self.is_changed.load(Ordering::Relaxed) {
            return self.after.read_at(ofs, out);
        }
        if ofs == self.ofs && out.len() == LEN_FRAME_HEAD {
            self.is_changed.store(true, Ordering::Relaxed);
        }
        self.before.read_at(ofs, out)
    }
}

/// A writer that seals puts a chunk where a record was. It may have the length of that record, begin with its number and its time, and
/// its checksums are right: read as that record, it would have another kind and other bytes.
#[test]
fn a_chunk_in_the_place_of_a_record_is_not_that_record() {
    let before = written(2, false);
    let log = open(&before);
    let first = log.entries.first().expect("a record");
    assert!(!first.is_chunk);
    let (start, end) = (first.ofs as usize, first.ofs as usize + first.len_frame);
    let mut payload = frame::payload(&before[start..end]).to_vec();
    payload[16..].fill(0xC5);
    let mut chunk = Vec::new();
    frame::write(log.tag, FrameKind::CHUNK, &[&payload], &mut chunk);
    assert_eq!(chunk.len(), first.len_frame);
    let after = [&before[..start], &chunk, &before[end..]].concat();
    let is_changed = AtomicBool::new(false);
    let log = Log::open(Box::new(Changing { before, after, ofs: first.ofs, is_changed })).expect("a log");
    let is_known = |kind: &RecordKind| [RecordKind::BLOCK, RecordKind::EVENT].contains(kind);
    assert!(log.records.kinds.iter().all(is_known), "{:?}", log.records.kinds);
    assert!(!log.health().is_complete(), "{:?}", log.health());
}

/// After inserted or removed bytes, frames aren't where the index says. They are read anyway.
#[test]
fn a_log_whose_frames_were_moved_is_scanned() {
    let log = written(40, true);
    let whole = records(&log);
    let chunks: Vec<Entry> = open(&log).entries;
    assert!(chunks.len() > 4);
    for (number, chunk) in chunks.iter().enumerate() {
        let (start, end) = (chunk.ofs as usize, chunk.ofs as usize + chunk.len_frame);
        let others: Vec<_> =
            whole.iter().filter(|(at, ..)| !(chunk.number_first..chunk.number_end()).contains(at)).collect();
        for ofs in [start + 1, start + 40, end - 10] {
            let put_in = with(&log, ofs, &[0]);
            let taken_out = [&log[..ofs], &log[ofs + 1..]].concat();
            for damaged in [put_in, taken_out] {
                assert!(records(&damaged).iter().eq(others.iter().copied()), "chunk {number}, byte {ofs:#x}");
                assert!(!open(&damaged).health().is_complete() && !verified(&damaged).health.is_complete());
            }
        }
        // Between two frames, no record is lost.
        let between = with(&log, start, &[0; 5]);
        assert_eq!(records(&between), whole);
        // The bytes, and the index that lists other places.
        assert_eq!(open(&between).health().count(FindingKind::Damaged), 2);
    }
}

#[test]
fn frames_that_were_put_in_move_the_others() {
    let log = written(14, true);
    let whole = records(&log);
    let opened = open(&log);
    let texts = opened.definitions[1];
    let place = texts.ofs as usize..texts.ofs as usize + texts.len_frame;
    let doubled = with(&log, place.start, &log[place.clone()]);
    assert_eq!(records(&doubled), whole);
    let found = open(&doubled);
    assert!(!found.is_closed() && !found.health().is_complete(), "{:?}", found.health());
    assert!(found.health().findings()[0].what.contains("don't end where it begins"), "{:?}", found.health());
    let told = verified(&doubled);
    assert_eq!(kinds(&told), [FindingKind::Damaged, FindingKind::Odd], "{:?}", told.health);
    // The index before the records.
    let early = with(&log, place.start, &log[without_index(&log)..]);
    assert_eq!(records(&early), whole);
    // Every frame twice, one at a time.
    for entry in &opened.entries {
        let place = entry.ofs as usize..entry.ofs as usize + entry.len_frame;
        assert_eq!(records(&with(&log, place.start, &log[place.clone()])), whole, "{entry:?}");
    }
}

/// An index doesn't list private frames, so these may precede it.
#[test]
fn frames_of_others_leave_the_index_in_use() {
    let log = written(14, true);
    let tag = open(&log).tag;
    let mut foreign = Vec::new();
    frame::write(tag, FrameKind(0x8001), &[b"ours"], &mut foreign);
    frame::write(tag, FrameKind(77), &[], &mut foreign);
    let found = open(&with(&log, without_index(&log), &foreign));
    assert!(found.is_closed() && found.health().is_sound(), "{:?}", found.health());
    let torn = with(&log, without_index(&log), &foreign[..foreign.len() - 1]);
    assert!(!open(&torn).is_closed());
    assert_eq!(records(&torn), records(&log));
}

#[test]
fn two_captures_in_one_file_are_reported() {
    let (first, second) = (written(14, true), written(20, false));
    for first in [&first[..], &first[..without_index(&first)]] {
        let both = [first, &second].concat();
        assert_eq!(records(&both), records(first));
        let expected = format!("another capture begins at byte {:#x}; split the file there", first.len());
        let health = open(&both).health().clone();
        assert_eq!(health.total(), 1, "{health:?}");
        assert!(health.findings()[0].what.starts_with(&expected), "{health:?}");
        let found = verified(&both);
        assert_eq!(kinds(&found), [FindingKind::Damaged], "{:?}", found.health);
        assert!(found.health.findings()[0].what.starts_with(&expected), "{:?}", found.health);
        let file = tempfile::tempfile().expect("temporary file");
        let done = crate::repair(Box::new(both), file).expect("repaired");
        assert!(done.dropped.len() == 1 && done.dropped[0].contains(&expected), "{:?}", done.dropped);
        assert_eq!(done.num_records, records(first).len() as u64);
    }
    // A tail, too.
    let both = [&second[..], &first].concat();
    assert_eq!(records(&both), records(&second));
    assert!(verified(&both).health.findings()[0].what.starts_with("another capture begins"));
}

/// Equal records in equal steps take nearly no space in a chunk. The writer leaves some unsealed, so that readers
/// accept the others.
#[test]
fn a_writer_stays_within_the_bound() {
    const NUM: u64 = 1_200_000;
    for tail in [false, true] {
        let file = tempfile::tempfile().expect("temporary file");
        let options = WriterOptions { tail, len_chunk: 1 << 18, ..WriterOptions::default() };
        let mut writer = LogWriter::new(file.try_clone().expect("a handle"), options).expect("new");
        for number in 0..NUM {
            writer.append(Timestamp(number as i64), RecordKind(9), &[7], &[]).expect("appended");
        }
        let len_file = writer.finish().expect("closed");
        assert!(NUM <= max_num_records(len_file) && len_file < 52 * (NUM / 4), "{len_file}");
        let log = Log::open(Box::new(file.try_clone().expect("a handle"))).expect("a log");
        assert!(log.is_closed() && log.health().is_sound(), "{:?}", log.health());
        assert_eq!(log.num_records() as u64, NUM);
        assert!(log.num_unsealed() > 0 && log.num_chunks() > 3, "{} chunks", log.num_chunks());
        let by_frames = Log::open_by_frames(Box::new(file)).expect("a log");
        assert!(by_frames.health().is_sound() && by_frames.num_records() as u64 == NUM);
    }
}
