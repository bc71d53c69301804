//! The logs of `samples/`, compared with what was written to them. They never change, and neither does what is read
//! from them: this proves that logs of earlier versions of the format still open.

use std::collections::BTreeMap;
use std::path::Path;

use recount_capture::{CaptureError, Log, RecordKind};
use recount_model::{Facts, FindingKind, Timestamp};
use recount_samples::capture_logs::{self, Item, NUM_ITEMS_KILLED, known_texts, recording, tiny};

/// A record: time, kind, and bytes, if they can be had.
type Record = (Timestamp, RecordKind, Option<Vec<u8>>);

fn kept(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn open(name: &str) -> Log {
    Log::open(Box::new(kept(name))).expect(name)
}

fn records(log: &Log) -> Vec<Record> {
    let mut records = Vec::new();
    let done = log.for_each_record(|record, bytes| {
        let (time, kind) = log.record_info(record).expect("it is listed");
        records.push((time, kind, bytes.ok().map(<[u8]>::to_vec)));
        Ok::<(), CaptureError>(())
    });
    done.expect("nothing to fail");
    records
}

/// The records that come of items. An event's bytes as formats/rcap.md#event has them.
fn written(items: &[Item]) -> Vec<Record> {
    let record = |item: &Item| match item {
        Item::Facts(_) | Item::Texts(..) => None,
        Item::Block(time, block) => Some((*time, RecordKind::BLOCK, Some(block.clone()))),
        Item::Other(time, kind, record) | Item::Pieces(time, kind, record, _) => {
            Some((*time, *kind, Some(record.clone())))
        }
        Item::Event(event) => {
            let mut record = (event.kind as u16).to_le_bytes().to_vec();
            record.extend([0; 6]);
            record.extend(event.extent.to_le_bytes());
            record.extend(event.count.to_le_bytes());
            record.extend((event.text.len() as u32).to_le_bytes());
            record.extend(event.text.as_bytes());
            Some((event.time, RecordKind::EVENT, Some(record)))
        }
    };
    items.iter().filter_map(record).collect()
}

/// The facts that were told last, and all texts.
fn told(items: &[Item]) -> (Facts, BTreeMap<u32, &'static str>) {
    let (mut last, mut all) = (Facts::new(), BTreeMap::new());
    for item in items {
        match item {
            Item::Facts(facts) => last.clone_from(facts),
            Item::Texts(_, texts) => all.extend(texts.iter().copied()),
            _ => {}
        }
    }
    (last, all)
}

fn assert_definitions(log: &Log, items: &[Item]) {
    let (facts, texts) = told(items);
    assert_eq!(*log.facts(), facts);
    let found: BTreeMap<u32, &str> = log.texts()["009"].iter().collect();
    assert_eq!(found, texts);
}

#[test]
fn a_closed_log_has_everything() {
    let items = recording();
    let log = open("rcap-1/closed.rcap");
    assert!(log.is_closed() && log.health().is_sound());
    assert_eq!((log.num_chunks(), log.num_unsealed()), (5, 0));
    assert_eq!(log.writer(), Some("recount 0.1.0"));
    assert_definitions(&log, &items);
    assert_eq!(records(&log), written(&items));
}

#[test]
fn its_frames_say_the_same_as_its_index() {
    let log = Log::open_by_frames(Box::new(kept("rcap-1/closed.rcap"))).expect("a log");
    assert!(!log.is_closed() && log.health().is_sound());
    assert_definitions(&log, &recording());
    assert_eq!(records(&log), written(&recording()));
}

#[test]
fn a_killed_recorder_loses_what_it_was_writing() {
    let items = recording();
    let log = open("rcap-1/killed.rcap");
    assert!(!log.is_closed());
    assert_eq!((log.num_chunks(), log.num_unsealed()), (1, 5));
    assert_eq!((log.health().total(), log.health().count(FindingKind::Truncated)), (1, 1));
    let mut expected = written(&items[..NUM_ITEMS_KILLED]);
    expected.pop();
    assert_eq!(records(&log), expected);
}

#[test]
fn an_interrupted_sealing_loses_nothing() {
    let log = open("rcap-1/sealing.rcap");
    assert_eq!((log.num_chunks(), log.num_unsealed()), (1, 0));
    assert_eq!(records(&log), written(&recording())[..10]);
    assert!(log.health().is_complete(), "{:?}", log.health());
}

#[test]
fn a_damaged_section_costs_the_records_that_it_is_part_of() {
    let log = open("rcap-1/damaged.rcap");
    let mut expected = written(&recording());
    for record in [11, 12, 14, 15, 16, 17] {
        assert_eq!(expected[record].1, RecordKind::BLOCK);
        expected[record].2 = None;
    }
    assert_eq!(records(&log), expected);
}

#[test]
fn frames_of_others_and_of_later_versions_are_left_out() {
    let log = open("rcap-1/foreign.rcap");
    assert_eq!((log.health().total(), log.health().count(FindingKind::Dropped)), (1, 1));
    assert_definitions(&log, &recording());
    assert_eq!(records(&log), written(&recording()));
}

#[test]
fn the_tiny_log_of_the_specification() {
    let log = open("rcap-1/tiny.rcap");
    assert!(log.is_closed() && log.health().is_sound());
    assert_eq!((log.num_chunks(), log.num_unsealed()), (1, 1));
    assert_definitions(&log, &tiny());
    assert_eq!(records(&log), written(&tiny()));
}

#[test]
fn a_chunk_of_version_2_has_known_texts() {
    let log = open("rcap-1/known-texts.rcap");
    assert!(log.is_closed() && log.health().is_sound());
    assert_eq!(records(&log), written(&known_texts()));
    let bytes = kept("rcap-1/known-texts.rcap");
    // Kind and version of the frame after the header.
    let chunk = 28 + u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")) as usize;
    assert_eq!(bytes[chunk + 8..chunk + 12], [5, 0, 2, 0]);
}

/// The kept files are never rewritten, so that they remain proof. But the program that made them still writes files
/// that read the same.
#[test]
fn the_program_still_writes_what_reads_the_same() {
    for (name, bytes) in capture_logs::all().expect("samples") {
        let log = Log::open(Box::new(bytes)).expect(name);
        let kept = open(name);
        assert_eq!(records(&log), records(&kept), "{name}");
        assert_eq!((log.facts(), log.texts()), (kept.facts(), kept.texts()), "{name}");
    }
}
