use std::io::Write;

use recount_model::{Piece, Selection, Source};

use super::*;
use crate::CaptureSource;
use crate::frame::LEN_FRAME_HEAD;
use crate::verify::tests::{MEMORY, Numbered, PROCESS, records, section_of, verified, written};

/// The repaired log, which verifies and has an index.
pub(super) fn repaired(log: &[u8]) -> (Vec<u8>, Repaired) {
    let mut file = tempfile::tempfile().expect("temporary file");
    let done = repair(Box::new(log.to_vec()), file.try_clone().expect("a handle")).expect("repaired");
    assert_eq!(done.len_file, file.metadata().expect("there").len());
    file.flush().expect("flushed");
    let mut bytes = vec![0; done.len_file as usize];
    let num_read = ReadAt::read_at(&file, 0, &mut bytes).expect("read");
    assert_eq!(num_read, bytes.len());
    let found = verified(&bytes);
    assert!(found.is_closed && found.health.is_complete(), "{:?}", found.health);
    assert_eq!(found.num_records, done.num_records);
    (bytes, done)
}

fn is_part(some: &[Numbered], of: &[Numbered]) -> bool {
    some.iter().all(|record| of.contains(record))
}

/// Every record that could be read before can still be read, and is the one that was written. Lost ones are reported.
#[test]
fn any_flipped_bit_costs_what_it_hits_and_no_more() {
    let log = written(14, true);
    let whole = records(&log);
    let largest = 8;
    for at in 0..log.len() {
        let mut flipped = log.clone();
        flipped[at] ^= 1 << (at % 8);
        let file = tempfile::tempfile().expect("temporary file");
        // A bit of the version makes it a later one's log.
        if matches!(repair(Box::new(flipped.clone()), file), Err(CaptureError::Version { .. })) {
            continue;
        }
        let (repaired, done) = repaired(&flipped);
        let kept = records(&repaired);
        assert!(is_part(&kept, &whole), "byte {at:#x}");
        assert!(kept.len() + largest >= whole.len(), "byte {at:#x}: {:?}", done.dropped);
        assert!(kept.len() == whole.len() || !done.dropped.is_empty(), "byte {at:#x}");
    }
}

#[test]
fn a_tail_is_sealed_wherever_it_is_torn() {
    let log = written(20, false);
    assert!(verified(&log).num_unsealed > 1);
    let whole = records(&log);
    for len in log.len() - 700..=log.len() {
        let before = records(&log[..len]);
        let (repaired, done) = repaired(&log[..len]);
        assert_eq!(records(&repaired), before, "{len}");
        assert_eq!(before, whole[..before.len()]);
        // One that is alone may be shorter as it is.
        assert!(verified(&repaired).num_unsealed <= 1, "{len}");
        assert_eq!(done.num_records, before.len() as u64);
    }
}

#[test]
fn a_missing_or_wrong_index_is_written_anew() {
    let log = written(14, true);
    let len_index = u32::from_le_bytes(*log.last_chunk::<4>().expect("a frame")) as usize;
    let cut = &log[..log.len() - len_index];
    let (repaired, done) = repaired(cut);
    assert_eq!(repaired, log, "the same as it was");
    assert_eq!((done.dropped, done.num_sealed), (Vec::new(), 0));
}

/// The values of the other object are those that were recorded.
#[test]
fn a_chunk_keeps_its_sound_sections() {
    let log = written(14, true);
    let mut damaged = log.clone();
    let (ofs, len) = section_of(&log, 1, MEMORY);
    damaged[ofs + len / 2] ^= 0x10;
    let (repaired, done) = repaired(&damaged);
    assert_eq!(done.num_records, records(&log).len() as u64);
    assert!(done.dropped.len() == 1 && done.dropped[0].ends_with("object Memory"), "{:?}", done.dropped);
    let source = |log: &[u8]| CaptureSource::open(Box::new(log.to_vec())).expect("opens");
    let decoded = |log: &[u8], object: &str| {
        let source = source(log);
        let all: Vec<u32> = (0..source.times().len() as u32).collect();
        let selection = Selection::from_iter([object.parse().expect("a pattern")]);
        let mut runs = source.decode(&all, &selection).runs;
        runs.retain(|run| object.contains(&*run.object.name));
        runs
    };
    let of = |log: &[u8], object| {
        let values = |run: &recount_model::Run| format!("{:?}", run.columns);
        decoded(log, object).iter().map(values).collect::<Vec<String>>()
    };
    assert_eq!(of(&repaired, r"\Process(*)\*"), of(&log, r"\Process(*)\*"));
    let samples =
        |log: &[u8]| decoded(log, r"\Memory\*").iter().map(recount_model::Run::num_samples).sum::<usize>();
    let num_in_chunk = 7;
    assert_eq!(samples(&repaired) + num_in_chunk, samples(&log));
    // Readers are warned.
    let source = source(&repaired);
    let all: Vec<u32> = (0..source.times().len() as u32).collect();
    let told = format!("{:?}", source.decode(&all, &Selection::all()).health);
    assert!(told.contains("left out by a repair"), "{told}");
    assert!(source.log().facts()[REPAIRED].contains("object Memory"), "{:?}", source.log().facts());
    // Repaired once, it is sound: a second repair takes it over as it is.
    let (again, done) = self::repaired(&repaired);
    assert_eq!((again.len(), done.dropped), (repaired.len(), Vec::new()));
}

#[test]
fn a_chunk_without_the_headers_of_its_records_is_dropped() {
    let log = written(14, true);
    let mut damaged = log.clone();
    let (ofs, _) = section_of(&log, 0, Piece::FRAME);
    damaged[ofs] ^= 1;
    let (repaired, done) = repaired(&damaged);
    assert_eq!(records(&repaired), records(&log)[8..]);
    assert!(
        done.dropped[0].starts_with("records 0 to 7 (2013-02-20T02:50:17.844Z .. "),
        "{:?}",
        done.dropped
    );
    let (both, _) = section_of(&log, 1, PROCESS);
    damaged[both] ^= 1;
    assert_eq!(self::repaired(&damaged).1.dropped.len(), 2);
}

/// Unknown frames are preserved: they belong to other programs.
#[test]
fn foreign_frames_stay() {
    let mut log = written(14, false);
    let tag = Log::open(Box::new(log.clone())).expect("a log").tag;
    crate::frame::write(tag, FrameKind(0x8001), &[b"somebody else's"], &mut log);
    let (repaired, _) = repaired(&log);
    let is_kept = repaired.windows(15).any(|window| window == b"somebody else's");
    assert!(is_kept && records(&repaired) == records(&log));
}

/// The state that a writer leaves when it dies in the middle of sealing.
#[test]
fn an_interrupted_sealing_leaves_nothing_behind() {
    let log = written(14, true);
    let opened = Log::open(Box::new(log.clone())).expect("a log");
    let entry = opened.entries[1];
    let (start, end) = (entry.ofs as usize, entry.ofs as usize + entry.len_frame);
    // The chunk twice: written over the tail, and still after it.
    let mut doubled = log[..end].to_vec();
    doubled.extend_from_slice(&[0x55; 100]);
    doubled.extend_from_slice(&log[start..end]);
    let (repaired, done) = repaired(&doubled);
    assert_eq!(records(&repaired), records(&log[..end]));
    assert!(repaired.len() < doubled.len() + 400 && done.num_records > 0, "{}", LEN_FRAME_HEAD);
}
