//! Real logs, and those of `samples/`, parsed and written again.

use std::path::Path;
use std::sync::Arc;

use recount_blg::BlgSource;
use recount_model::{FindingKind, Run, Selection, Source};
use recount_samples::blg_log::{Event, Log, LogError, Message, RecordBody};

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every undamaged log of the samples.
fn samples() -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .expect("samples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "blg"))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .filter(|name| name != "damaged.blg")
        .collect();
    names.sort();
    assert!(names.len() >= 3, "{names:?}");
    names.into_iter().map(|name| (name.clone(), sample(&name))).collect()
}

fn parse(bytes: &[u8]) -> Log {
    Log::parse(&bytes.to_vec()).unwrap_or_else(|error| panic!("{error}"))
}

fn write(log: &Log) -> Vec<u8> {
    let mut out = Vec::new();
    log.write(&mut out).expect("written");
    out
}

fn runs(bytes: Vec<u8>) -> Vec<Run> {
    let source = BlgSource::open(Arc::new(bytes)).expect("a log");
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let decoded = source.decode(&samples, &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded.runs
}

#[test]
fn logs_come_out_byte_for_byte() {
    for (name, bytes) in samples() {
        assert!(write(&parse(&bytes)) == bytes, "{name}");
    }
}

/// No part of the logs is kept as uninterpreted bytes.
#[test]
fn every_record_and_event_is_known() {
    let mut num_objects = 0;
    for (name, bytes) in samples() {
        num_objects += num_known_objects(&name, &parse(&bytes));
    }
    assert_eq!(num_objects, 8 * 4, "the whole objects of objects.blg");
}

/// The whole objects of a log, all of whose records and events are known.
fn num_known_objects(name: &str, log: &Log) -> usize {
    let mut num_objects = 0;
    for message in &log.messages {
        assert!(!matches!(message, Message::Unknown { .. }), "{name}");
        let Message::DataBlock(block) = message else { continue };
        for record in &block.records {
            assert!(!matches!(record.body, RecordBody::Unknown { .. }), "{name}");
            num_objects += usize::from(matches!(record.body, RecordBody::Object { .. }));
        }
    }
    for event in log.buffers.iter().flat_map(|buffer| &buffer.events) {
        assert!(!matches!(event, Event::Foreign(_)), "{name}");
    }
    num_objects
}

/// A whole object is also written from its parts, through fragments.
#[test]
fn a_renamed_instance_of_a_whole_object() {
    use recount_samples::blocks::InstancesBuf;
    let bytes = sample("objects.blg");
    let mut log = parse(&bytes);
    let mut num_changed = 0;
    for message in &mut log.messages {
        let Message::DataBlock(block) = message else { continue };
        for record in &mut block.records {
            let RecordBody::Object { block, .. } = &mut record.body else { continue };
            let InstancesBuf::Many(instances) = &mut block.objects[0].instances else { continue };
            for instance in instances.iter_mut().filter(|instance| instance.tail.starts_with(b"I\0d\0l\0e\0"))
            {
                instance.tail[..2].copy_from_slice(b"i\0");
                num_changed += 1;
            }
        }
    }
    assert_eq!(num_changed, 8);
    let changed = write(&log);
    assert_eq!((0..bytes.len()).filter(|&at| changed[at] != bytes[at]).count(), 8);
    let process = runs(changed).into_iter().find(|run| &*run.object.name == "Process").expect("Process");
    assert_eq!(&*process.instances[0].name, "idle");
}

#[test]
fn damage_is_reported_with_its_place() {
    let error = Log::parse(&sample("damaged.blg")).expect_err("damaged");
    assert!(matches!(error, LogError::Damaged { .. }), "{error}");
    let mut bytes = sample("counters-dst.blg");
    // SavedOffset is kept as a value, FilledBytes isn't.
    bytes[0x4000 + 48] ^= 8;
    let error = Log::parse(&bytes).expect_err("FilledBytes is wrong").to_string();
    assert!(error.contains("0x4"), "{error}");
    let source = BlgSource::open(Arc::new(bytes)).expect("a log");
    assert_eq!(source.health().count(FindingKind::Truncated), 0);
}

/// Everything that can be parsed is written unchanged; nothing makes it panic.
#[test]
fn altered_logs_are_refused_or_come_out_as_they_are() {
    let num_taken = num_taken(&[sample("objects.blg"), sample("counters-dst.blg")]);
    assert!(num_taken > 100, "{num_taken}");
}

/// How many of 200 alterations of each log are accepted; each is written unchanged.
fn num_taken(whole: &[Vec<u8>]) -> usize {
    let mut num_taken = 0;
    for (file, bytes) in whole.iter().enumerate() {
        for round in 0..200_usize {
            let mut bytes = bytes.clone();
            let at = (round * 7_919 + round * bytes.len() / 200 + file) % bytes.len();
            bytes[at] ^= 1 << (round % 8);
            if round % 10 == 9 {
                bytes.truncate(at);
            }
            if let Ok(log) = Log::parse(&bytes) {
                num_taken += 1;
                assert!(write(&log) == bytes, "file {file}, byte {at:#x}");
            }
        }
    }
    num_taken
}

/// These read the shared captures.
mod stored {
    use recount_testdata::shared;

    use super::*;

    /// `FirstValue` of the first record of the first sample is at 0x104B0: formats/blg.md, "Worked example".
    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_changed_value_changes_its_eight_bytes() {
        let bytes = shared("blg/tx-basic.blg");
        let mut log = parse(&bytes);
        let block = log.messages.iter_mut().find_map(|message| match message {
            Message::DataBlock(block) => Some(block),
            _ => None,
        });
        let RecordBody::Single(single) = &mut block.expect("a sample").records[0].body else {
            panic!("a single value");
        };
        assert_eq!(single.first, 16_964_053_504);
        single.first = 0x0123_4567_89AB_CDEF;
        let changed = write(&log);
        let differ: Vec<usize> = (0..bytes.len()).filter(|&at| changed[at] != bytes[at]).collect();
        assert!(differ.iter().all(|at| (0x104B0..0x104B8).contains(at)), "{differ:x?}");
        let runs = runs(changed);
        assert_eq!(runs[0].columns[0].first[..2], [0x0123_4567_89AB_CDEF, 16_964_053_504]);
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_longer_name_moves_what_follows() {
        let bytes = shared("blg/tx-basic.blg");
        let mut log = parse(&bytes);
        let Some(Message::CounterList(list)) =
            log.messages.iter_mut().find(|message| matches!(message, Message::CounterList(_)))
        else {
            panic!("a counter list");
        };
        list.entries[0].entry.counter = "Avg. Disk Bytes/Read, renamed".to_owned();
        let changed = write(&log);
        assert_eq!(changed.len(), bytes.len());
        // Nine additional UTF-16 units: 18 bytes in an entry that had no padding.
        let filled =
            |bytes: &[u8]| u32::from_le_bytes(bytes[0x10030..0x10034].try_into().expect("four bytes"));
        assert_eq!(filled(&changed), filled(&bytes) + 24);
        assert_eq!(changed[..0x10030], bytes[..0x10030]);
        assert_eq!(changed[0x20000..], bytes[0x20000..]);
        let (before, after) = (runs(bytes), runs(changed));
        assert_eq!(&*after[0].object.counters[0].name, "Avg. Disk Bytes/Read, renamed");
        for (before, after) in before.iter().zip(&after) {
            for (before, after) in before.columns.iter().zip(&after.columns) {
                assert_eq!((&before.first, &before.second), (&after.first, &after.second));
            }
        }
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn what_has_no_room_or_no_event_is_an_error() {
        let mut log = parse(&shared("blg/tx-basic.blg"));
        let Message::CounterList(list) = &mut log.messages[0] else { panic!("a counter list") };
        list.entries[0].entry.counter = "x".repeat(300);
        let error = log.write(&mut Vec::new()).expect_err("too long for its buffer");
        assert!(matches!(error, LogError::Overfull { buffer: 1, .. }), "{error}");
        let Message::CounterList(list) = &mut log.messages[0] else { panic!("a counter list") };
        list.entries[0].entry.counter = "x".repeat(9_000);
        let error = log.write(&mut Vec::new()).expect_err("too long for its event");
        assert_eq!(error.to_string(), "message 0: 1 events carry it where it has 3 fragments");
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_real_log_comes_out_byte_for_byte() {
        let bytes = shared("blg/tx-basic.blg");
        let log = parse(&bytes);
        assert!(write(&log) == bytes);
        assert_eq!(num_known_objects("tx-basic.blg", &log), 0);
        let num_taken = num_taken(&[bytes]);
        assert!(num_taken > 50, "{num_taken}");
    }
}
