//! Frames and chunks of later versions, and of others.

use recount_capture::{CaptureError, Log};
use recount_model::FindingKind;

use crate::frames::{CHUNK, HEADER, INDEX, RECORD, fix, frame, frames};
use crate::reading::{assert_holds, block_records, left, open, options, written};
use crate::series::Machine;

#[test]
fn unknown_frames_are_passed_over() {
    let mut machine = Machine::new(1, 2);
    let records = block_records((0..20).map(|_| machine.sample()).collect());
    let file = written(&records, options(6 * records[0].bytes.len()), false);
    let parts = frames(&file);
    assert!(parts.iter().any(|part| part.kind == CHUNK) && parts.iter().any(|part| part.kind == RECORD));
    for kind in [0, 7, 0x7FFF, 0x8000, 0x8001, 0xFFFF] {
        for version in [0, 1, 9] {
            let mut mixed = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                mixed.extend_from_slice(&file[part.place.clone()]);
                mixed.extend(frame(&file, kind, version, &vec![at as u8; 100 * at]));
            }
            let log = open(&mixed);
            assert!(log.health().is_sound(), "kind {kind}: {:?}", log.health());
            assert_holds(&log, &records, &format!("kind {kind}, version {version}"));
        }
    }
}

/// The contents of an unknown frame may look like frames: it is skipped as a whole.
#[test]
fn a_private_frame_may_hold_frames() {
    let mut machine = Machine::new(1, 2);
    let records = block_records((0..6).map(|_| machine.sample()).collect());
    let file = written(&records, options(1 << 20), false);
    let all = frames(&file);
    let cut = all[2].place.start;
    // Records 3 and on, before record 1.
    let inner = &file[all[4].place.start..];
    let mixed = [&file[..cut], &frame(&file, 0x9000, 1, inner), &file[cut..]].concat();
    let log = open(&mixed);
    assert!(log.health().is_sound());
    assert_holds(&log, &records, "with a private frame");
}

#[test]
fn a_later_version_of_the_file_is_refused() {
    let file = written(&[], options(1), true);
    let mut later = file.clone();
    later[10] = 2;
    let header = frames(&file)[0].clone();
    assert_eq!(header.kind, HEADER);
    fix(&mut later[header.place]);
    match Log::open(Box::new(later)) {
        Err(CaptureError::Version { found: 2, known: 1 }) => {}
        other => panic!("{:?}", other.map(|log| log.num_records())),
    }
}

#[test]
fn a_later_version_of_a_chunk_is_reported() {
    let mut machine = Machine::new(1, 2);
    let records = block_records((0..30).map(|_| machine.sample()).collect());
    let file = written(&records, options(6 * records[0].bytes.len()), true);
    let parts = frames(&file);
    let chunks: Vec<_> = parts.iter().filter(|part| part.kind == CHUNK).collect();
    assert!(chunks.len() >= 3);
    let mut later = file[..parts.last().expect("index").place.start].to_vec();
    later[chunks[1].place.start + 10] = 3;
    fix(&mut later[chunks[1].place.clone()]);
    let log = open(&later);
    let first = open(&file[..chunks[0].place.end]).num_records();
    let second = open(&file[..chunks[1].place.end]).num_records();
    let expected: Vec<usize> = (0..first).chain(second..records.len()).collect();
    assert_eq!(left(&log, &records, "later chunk").whole, expected);
    assert_eq!(log.health().count(FindingKind::Dropped), 1);
    assert_eq!(log.health().count(FindingKind::Lost), 1);
    let dropped = &log.health().findings()[0];
    assert_eq!(dropped.place.as_ref().map(|place| place.ofs), Some(chunks[1].place.start as u64));
    assert!(dropped.what.contains("version 3"), "{dropped}");
}

/// An index of a later version is unreadable, but the frames aren't.
#[test]
fn a_later_version_of_an_index_is_reported() {
    let mut machine = Machine::new(1, 2);
    let records = block_records((0..10).map(|_| machine.sample()).collect());
    let mut file = written(&records, options(6 * records[0].bytes.len()), true);
    let index = frames(&file).pop().expect("index");
    assert_eq!(index.kind, INDEX);
    file[index.place.start + 10] = 2;
    fix(&mut file[index.place]);
    let log = open(&file);
    assert!(!log.is_closed());
    assert_holds(&log, &records, "later index");
    assert_eq!(log.health().count(FindingKind::Dropped), 1);
}
