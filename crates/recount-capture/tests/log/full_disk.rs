//! Disks that are full for a while, and disks that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use recount_capture::{Log, LogWriter, Sync, WriterOptions};
use recount_model::Timestamp;

use crate::disk::{Disk, Operation, Outcome};
use crate::reading::{Record, assert_holds, block_records, options};
use crate::series::{Machine, Random};

fn records(num: usize) -> Vec<Record> {
    let mut machine = Machine::new(11, 3);
    block_records((0..num).map(|_| machine.sample()).collect())
}

fn disk_of(capacity: Arc<AtomicUsize>) -> Disk {
    Disk::new(move |_, operation| match operation {
        Operation::Write { ofs, bytes } => {
            let room = capacity.load(Ordering::Relaxed).saturating_sub(*ofs);
            if bytes.len() <= room { Outcome::Done } else { Outcome::Fails { len: room } }
        }
        _ => Outcome::Done,
    })
}

fn new_writer(disk: &Disk, options: WriterOptions) -> LogWriter<Disk> {
    LogWriter::with_identity(disk.clone(), options, [9; 16], Timestamp(1)).expect("new")
}

/// Appends until it fails; returns the number of records accepted.
fn append_some(writer: &mut LogWriter<Disk>, records: &[Record]) -> usize {
    let append =
        |record: &Record| writer.append(record.time, record.kind, &record.bytes, &record.pieces).is_ok();
    let mut append = append;
    records.iter().take_while(|record| append(record)).count()
}

fn assert_disk_holds(disk: &Disk, records: &[Record], context: &str) {
    let log = Log::open(Box::new(disk.bytes())).expect("opens");
    assert_holds(&log, records, context);
    // Nothing is left of the record for which there was no room.
    assert!(log.health().is_complete(), "{context}: {:?}", log.health());
}

#[test]
fn every_capacity_across_a_sealing() {
    let records = records(24);
    let options = options(12_000);
    // Where the first chunk is appended after its tail, and how long it is.
    let free = Disk::default();
    let mut writer = new_writer(&free, options);
    assert_eq!(append_some(&mut writer, &records), records.len());
    let operations = free.operations();
    let cut =
        operations.iter().position(|operation| matches!(operation, Operation::SetLen(_))).expect("sealed");
    let Operation::Write { ofs, bytes: chunk } = &operations[cut - 4] else { panic!("the chunk") };
    let from = ofs - 3_000;
    let to = ofs + chunk.len() + 2_000;
    for limit in (from..to).step_by(3).chain(ofs - 5..ofs + 5) {
        let capacity = Arc::new(AtomicUsize::new(limit));
        let disk = disk_of(Arc::clone(&capacity));
        let mut writer = new_writer(&disk, options);
        let num = append_some(&mut writer, &records);
        assert_disk_holds(&disk, &records[..num], &format!("full at {limit}"));
        if num == records.len() {
            continue;
        }
        // Still full: nothing changes.
        assert_eq!(append_some(&mut writer, &records[num..=num]), 0);
        assert_disk_holds(&disk, &records[..num], &format!("full at {limit}, again"));
        capacity.store(usize::MAX, Ordering::Relaxed);
        assert_eq!(append_some(&mut writer, &records[num..]), records.len() - num);
        assert_disk_holds(&disk, &records, &format!("was full at {limit}"));
    }
}

/// Room for records, but never for a chunk next to them: they stay unsealed, and recording continues.
#[test]
fn no_room_for_a_chunk() {
    let records = records(120);
    let disk = Disk::new({
        let mut end = 0;
        move |_, operation| match operation {
            Operation::Write { ofs, bytes } if *ofs >= end && bytes[8] == 5 => Outcome::Fails { len: 100 },
            Operation::Write { ofs, bytes } => {
                end = end.max(ofs + bytes.len());
                Outcome::Done
            }
            _ => Outcome::Done,
        }
    });
    let mut writer = new_writer(&disk, options(5_000));
    assert_eq!(append_some(&mut writer, &records), records.len());
    recount_model::Sink::facts(&mut writer, &recount_model::Facts::new()).expect("there is room for facts");
    assert_disk_holds(&disk, &records, "no chunks");
    assert_eq!(Log::open(Box::new(disk)).expect("opens").num_chunks(), 0);
}

/// Each operation fails once, or for a while; a writer that retries gets everything in, exactly once.
#[test]
fn any_operation_may_fail() {
    let records = records(40);
    let ways = [(Sync::Each, true), (Sync::None, true), (Sync::None, false), (Sync::Each, false)];
    for (sync, tail) in ways {
        let options = WriterOptions { sync, tail, ..options(12_000) };
        let free = Disk::default();
        let mut writer = new_writer(&free, options);
        assert_eq!(append_some(&mut writer, &records), records.len());
        let num_first = new_header_operations(options);
        let mut random = Random(7);
        for failing in num_first..free.num_operations() {
            let duration = 1 + random.below(4);
            let part = random.below(2_000);
            let disk = Disk::new(move |number, _| {
                let fails = (failing..failing + duration).contains(&number);
                if fails { Outcome::Fails { len: part } } else { Outcome::Done }
            });
            let context = format!("{sync:?}, tail {tail}: {failing} to {} fail", failing + duration);
            let mut writer = new_writer(&disk, options);
            let mut done = 0;
            let mut num_failures = 0;
            while done < records.len() {
                done += append_some(&mut writer, &records[done..]);
                if done < records.len() {
                    num_failures += 1;
                    assert!(num_failures <= duration, "{context}: fails for ever");
                }
                if tail {
                    let log = Log::open(Box::new(disk.bytes())).expect("opens");
                    // A record that could neither be synced nor removed may be there, unchanged.
                    let num = log.num_records().clamp(done, done + 1);
                    assert_holds(&log, &records[..num], &context);
                }
            }
            let mut facts = || recount_model::Sink::facts(&mut writer, &recount_model::Facts::new());
            // What failed while the last record was sealed is said now, once.
            facts().or_else(|_| facts()).expect("sealed");
            assert_disk_holds(&disk, &records, &context);
        }
    }
}

/// Number of operations before the first record: if they fail, there is no log.
fn new_header_operations(options: WriterOptions) -> usize {
    let disk = Disk::default();
    new_writer(&disk, options);
    disk.num_operations()
}
