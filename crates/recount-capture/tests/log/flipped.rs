//! Damage anywhere: a record is either what was written, or reported as missing.

use recount_capture::{CaptureError, CaptureSource, Log};
use recount_model::{Facts, Selection, Sink, Source};

use crate::frames::frames;
use crate::reading::{Left, Record, block_records, left, options, tells_loss, written};
use crate::series::{Machine, Random};

/// A small closed log of two chunks and a few unsealed records, with its records.
fn small_log() -> (Vec<u8>, Vec<Record>) {
    let mut machine = Machine::new(6, 2);
    let records = block_records((0..20).map(|_| machine.sample()).collect());
    let len_chunk = 8 * records[0].bytes.len();
    let file = written(&records, options(len_chunk), true);
    (file, records)
}

/// Opens a damaged log and reads all of it. Every loss is reported, by the log or in place of the record.
fn assert_honest(file: Vec<u8>, records: &[Record], context: &str) -> Option<Left> {
    let log = match Log::open(Box::new(file.clone())) {
        Ok(log) => log,
        // Every frame of a log this small may be hit at once; and a header may be made to be one of a later version.
        Err(CaptureError::NotACapture | CaptureError::Version { .. }) => return None,
        Err(error) => panic!("{context}: {error}"),
    };
    let found = left(&log, records, context);
    let num_listed = found.whole.len() + found.damaged.len();
    assert!(num_listed == records.len() || tells_loss(&log), "{context}: {found:?}, in silence");
    // The samples that can be had as values are those of the log.
    let source = CaptureSource::open(Box::new(file)).expect("opens as before");
    let all: Vec<u32> = (0..source.times().len() as u32).collect();
    let decoded = source.decode(&all, &Selection::all());
    assert_eq!(all.len(), num_listed, "{context}");
    assert!(found.damaged.is_empty() || !decoded.health.is_complete(), "{context}: {:?}", decoded.health);
    Some(found)
}

#[test]
fn every_byte_of_a_small_log() {
    let (file, records) = small_log();
    let mut random = Random(1);
    let (mut num_lost, mut num_partly) = (0, 0);
    for place in 0..file.len() {
        let mut flipped = file.clone();
        flipped[place] ^= 1 << random.below(8);
        let context = format!("byte {place} of {}", file.len());
        let found = assert_honest(flipped, &records, &context).expect("one frame can't be all");
        num_lost += usize::from(found.whole.len() < records.len());
        num_partly += usize::from((1..records.len()).contains(&found.whole.len()));
    }
    // Most bytes are those of chunks: losing one of these leaves the other.
    assert!(
        num_lost > file.len() / 2 && num_partly * 10 > num_lost * 9,
        "{num_lost} lost, {num_partly} partly"
    );
}

#[test]
fn every_byte_of_an_unclosed_log() {
    let (_, records) = small_log();
    let file = written(&records[..12], options(8 * records[0].bytes.len()), false);
    let mut random = Random(2);
    for place in 0..file.len() {
        let mut flipped = file.clone();
        flipped[place] ^= 1 << random.below(8);
        let context = format!("byte {place} of {}", file.len());
        let found = assert_honest(flipped, &records[..12], &context).expect("one frame can't be all");
        // A record is its own frame, or one of a chunk's.
        assert!(found.whole.len() >= 3, "{context}: {found:?}");
    }
}

#[test]
fn ranges_overwritten() {
    let (file, records) = small_log();
    let mut random = Random(3);
    for round in 0..3_000 {
        let mut damaged = file.clone();
        for _ in 0..=random.below(3) {
            let start = random.below(file.len());
            let end = (start + 1 + random.below(400)).min(file.len());
            let with = match round % 3 {
                0 => vec![0; end - start],
                1 => random.bytes(end - start),
                // From elsewhere in the file.
                _ => {
                    let from = random.below(file.len() - (end - start));
                    file[from..from + end - start].to_vec()
                }
            };
            damaged[start..end].copy_from_slice(&with);
        }
        assert_honest(damaged, &records, &format!("round {round}"));
    }
}

#[test]
fn parts_missing_or_twice() {
    let (file, records) = small_log();
    let mut random = Random(4);
    for round in 0..1_000 {
        let (start, len) = (random.below(file.len()), 1 + random.below(600));
        let end = (start + len).min(file.len());
        let mut damaged = file[..start].to_vec();
        if round % 2 == 0 {
            damaged.extend_from_slice(&file[start..end]);
            damaged.extend_from_slice(&file[start..end]);
        }
        damaged.extend_from_slice(&file[end..]);
        assert_honest(damaged, &records, &format!("round {round}: {start}..{end}"));
    }
}

/// Whole frames missing, twice, or in another order.
#[test]
fn frames_in_any_order() {
    let mut machine = Machine::new(8, 2);
    let records = block_records((0..40).map(|_| machine.sample()).collect());
    let len_chunk = 5 * records[0].bytes.len();
    let file = written(&records, options(len_chunk), true);
    let tail = written(&records, options(1 << 30), false);
    let mut random = Random(5);
    // The same records sealed and unsealed.
    let parts: Vec<Vec<u8>> = [&file, &tail]
        .iter()
        .flat_map(|file| frames(file).into_iter().map(|frame| file[frame.place].to_vec()))
        .collect();
    for round in 0..400 {
        let num = 1 + random.below(60);
        let mixed: Vec<u8> = (0..num).flat_map(|_| parts[random.below(parts.len())].clone()).collect();
        let Ok(log) = Log::open(Box::new(mixed)) else { panic!("round {round}: frames, but no log") };
        let found = left(&log, &records, &format!("round {round}"));
        assert!(found.damaged.is_empty(), "round {round}");
        let end = found.whole.last().map_or(0, |last| last + 1);
        assert!(found.whole.len() == end || tells_loss(&log), "round {round}: {found:?}");
    }
}

#[test]
fn garbage_before_and_behind() {
    let (file, records) = small_log();
    let mut random = Random(6);
    for len in (0..40).chain([1 << 20, (1 << 20) + 7]) {
        let garbage = random.bytes(len);
        for (before, after) in [(true, false), (false, true), (true, true)] {
            let mut all = Vec::new();
            all.extend_from_slice(if before { &garbage } else { &[] });
            all.extend_from_slice(&file);
            all.extend_from_slice(if after { &garbage } else { &[] });
            let context = format!("{len} bytes, before: {before}, after: {after}");
            let found = assert_honest(all, &records, &context).expect("it is all there");
            assert_eq!(found.whole.len(), records.len(), "{context}");
        }
    }
}

/// Two logs one after the other: the first counts, and the rest is reported.
#[test]
fn another_log_behind() {
    let (file, records) = small_log();
    let mut machine = Machine::new(9, 2);
    let others = block_records((0..5).map(|_| machine.sample()).collect());
    let mut writer = recount_capture::LogWriter::with_identity(
        crate::disk::Disk::default(),
        options(1 << 20),
        [1; 16],
        recount_model::Timestamp(0),
    )
    .expect("new");
    writer.facts(&Facts::from([("host".to_owned(), "other".to_owned())])).expect("written");
    let other = written(&others, options(1 << 20), true);
    let other: Vec<u8> = frames(&other)
        .into_iter()
        .flat_map(|frame| {
            // The same frames, of a capture with another id.
            let mut bytes = other[frame.place].to_vec();
            bytes[4] ^= 0x55;
            crate::frames::fix(&mut bytes);
            bytes
        })
        .collect();
    let both = [file.clone(), other].concat();
    let log = Log::open(Box::new(both.clone())).expect("opens");
    assert_eq!(left(&log, &records, "both").whole.len(), records.len());
    assert!(tells_loss(&log));
    // The same one twice is still that one.
    let log = Log::open_by_frames(Box::new([file.clone(), file].concat())).expect("opens");
    assert_eq!(left(&log, &records, "twice").whole.len(), records.len());
}

/// An index that says where records were, and others in their places: of the same length, and each of them sound.
#[test]
fn frames_that_changed_places() {
    let mut random = Random(7);
    let record = |at| Record {
        time: crate::series::time_of(at),
        kind: recount_capture::RecordKind(9),
        bytes: random.bytes(300),
        pieces: Vec::new(),
    };
    let records: Vec<Record> = (0..6).map(record).collect();
    let file = written(&records, options(1), true);
    let all = frames(&file);
    let places: Vec<_> = all.iter().filter(|frame| frame.kind == crate::frames::RECORD).collect();
    assert_eq!(places.len(), records.len(), "noise stays unsealed");
    let mut swapped = file.clone();
    swapped[places[1].place.clone()].copy_from_slice(&file[places[4].place.clone()]);
    swapped[places[4].place.clone()].copy_from_slice(&file[places[1].place.clone()]);
    let log = Log::open(Box::new(swapped)).expect("opens");
    assert!(log.is_closed());
    let found = left(&log, &records, "swapped");
    assert_eq!((found.whole, found.damaged), (vec![0, 2, 3, 5], vec![1, 4]));
}
