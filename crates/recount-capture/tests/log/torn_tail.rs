//! A log truncated at any byte.

use recount_capture::Log;
use recount_model::FindingKind;

use crate::frames::{CHUNK, INDEX, RECORD, frames};
use crate::reading::{block_records, left, open, options, read, tells_loss, written};
use crate::series::{Machine, Random};

/// The bytes that replace the end.
#[derive(Clone, Copy, Debug)]
enum Instead {
    Nothing,
    Zeros,
    Garbage,
}

/// The file truncated at `len`, and how much of it is unchanged: the removed bytes may have been zeros.
fn cut(file: &[u8], len: usize, instead: Instead) -> (Vec<u8>, usize) {
    let mut cut = file[..len].to_vec();
    match instead {
        Instead::Nothing => {}
        Instead::Zeros => cut.resize(file.len(), 0),
        Instead::Garbage => cut.extend(Random(len as u64).bytes(file.len() - len)),
    }
    let len_same = cut.iter().zip(file).take_while(|(a, b)| a == b).count();
    (cut, len_same)
}

const ALL: [Instead; 3] = [Instead::Nothing, Instead::Zeros, Instead::Garbage];

/// Checks that the only finding is a torn frame at `ofs`, if there is anything after it.
fn assert_told(log: &Log, ofs: usize, len: usize, context: &str) {
    let findings = log.health().findings();
    if len == ofs {
        assert!(findings.is_empty(), "{context}: {findings:?}");
        return;
    }
    let [only] = findings else { panic!("{context}: {findings:?}") };
    assert_eq!(only.kind, FindingKind::Truncated, "{context}");
    assert_eq!(only.place.as_ref().map(|place| place.ofs), Some(ofs as u64), "{context}");
}

#[test]
fn records() {
    let mut machine = Machine::new(2, 2);
    let records = block_records((0..12).map(|_| machine.sample()).collect());
    let file = written(&records, options(1 << 20), false);
    let frames = frames(&file);
    assert_eq!(frames.iter().filter(|frame| frame.kind == RECORD).count(), records.len());
    let [.., before, last] = frames.as_slice() else { panic!("many frames") };
    for len in before.place.start..=file.len() {
        for instead in ALL {
            let context = format!("cut at {len}, then {instead:?}");
            let (file_cut, len) = cut(&file, len, instead);
            let log = open(&file_cut);
            let num_whole =
                records.len() - usize::from(len < before.place.end) - usize::from(len < file.len());
            let found = left(&log, &records, &context);
            assert_eq!(found.whole, (0..num_whole).collect::<Vec<_>>(), "{context}");
            assert!(found.damaged.is_empty(), "{context}");
            let start = if len < before.place.end { before.place.start } else { last.place.start };
            let start = if len == file.len() { len } else { start };
            assert_told(&log, start, file_cut.len(), &context);
        }
    }
}

#[test]
fn chunk_and_index() {
    let mut machine = Machine::new(3, 2);
    let records = block_records((0..20).map(|_| machine.sample()).collect());
    let len_chunk = 10 * records[0].bytes.len();
    let file = written(&records, options(len_chunk), true);
    let frames = frames(&file);
    let [.., chunk, index] = frames.as_slice() else { panic!("many frames") };
    assert_eq!((chunk.kind, index.kind), (CHUNK, INDEX));
    let before = open(&file[..chunk.place.start]);
    let num_before = before.num_records();
    assert!((5..15).contains(&num_before), "{num_before}");
    for len in chunk.place.start..file.len() {
        for instead in ALL {
            let context = format!("cut at {len}, then {instead:?}");
            let (file_cut, len) = cut(&file, len, instead);
            if file_cut == file {
                continue;
            }
            let log = open(&file_cut);
            assert!(!log.is_closed(), "{context}");
            // The last bytes of a chunk repeat its length: it is whole without.
            let is_short = file_cut.len() < chunk.place.end;
            let is_in_chunk = is_short || len < chunk.place.end - 4;
            let num = if is_in_chunk { num_before } else { records.len() };
            assert_eq!(left(&log, &records, &context).whole, (0..num).collect::<Vec<_>>(), "{context}");
            let start = if is_in_chunk { chunk.place.start } else { index.place.start };
            assert_told(&log, start, file_cut.len(), &context);
        }
    }
}

/// After a frame that was cut, another may begin: what was written after an append had failed.
#[test]
fn a_torn_frame_in_the_middle() {
    let mut machine = Machine::new(4, 2);
    let records = block_records((0..5).map(|_| machine.sample()).collect());
    let file = written(&records, options(1 << 20), false);
    let frames = frames(&file);
    let torn = &frames[3];
    let len = torn.place.len();
    for kept in 0..len {
        let mut file = file.clone();
        file.drain(torn.place.start + kept..torn.place.end);
        let log = open(&file);
        let expected: Vec<usize> = (0..5).filter(|at| *at != 2).collect();
        assert_eq!(left(&log, &records, &format!("{kept} kept")).whole, expected);
        assert!(tells_loss(&log));
        assert_eq!(log.health().count(FindingKind::Lost), 1);
        assert_eq!(read(&log).len(), 4);
    }
}
