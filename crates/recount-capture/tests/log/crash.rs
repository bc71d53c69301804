//! Killed processes and power cuts, at every step.

use recount_capture::{CaptureError, Log, LogWriter, Sync, WriterOptions};
use recount_model::{Facts, FindingKind, Sink, Timestamp};

use crate::disk::{Disk, Operation, after, killed_amid, num_durable, power_cut};
use crate::reading::{Record, assert_holds, block_records, left, options, tells_loss};
use crate::series::{Machine, Random};

/// The operations on the disk while records were written, and the number of operations before each record.
struct Recording {
    records: Vec<Record>,
    operations: Vec<Operation>,
    /// For every record, the number of the operation that writes it.
    written_by: Vec<usize>,
}

fn record(num: usize, options: WriterOptions, facts_at: usize) -> Recording {
    let mut machine = Machine::new(num as u64, 3);
    let records = block_records((0..num).map(|_| machine.sample()).collect());
    let disk = Disk::default();
    let mut writer = LogWriter::with_identity(disk.clone(), options, [9; 16], Timestamp(1)).expect("new");
    let mut written_by = Vec::new();
    for (at, record) in records.iter().enumerate() {
        if at == facts_at {
            writer.facts(&Facts::from([("host".to_owned(), "web1".to_owned())])).expect("written");
        }
        written_by.push(disk.num_operations());
        writer.append(record.time, record.kind, &record.bytes, &record.pieces).expect("appended");
    }
    drop(writer);
    let operations = disk.operations();
    let log = Log::open(Box::new(disk)).expect("opens");
    assert_holds(&log, &records, "at the end");
    assert!(log.num_chunks() >= 3, "{} chunks", log.num_chunks());
    Recording { records, operations, written_by }
}

/// Opens what a crash has left. `None` is only right if nothing had to survive.
fn opened(file: Vec<u8>, num_safe: usize, context: &str) -> Option<Log> {
    match Log::open(Box::new(file)) {
        Ok(log) => Some(log),
        Err(CaptureError::NotACapture) if num_safe == 0 => None,
        Err(error) => panic!("{context}: {error}"),
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    let Recording { records, operations, written_by } = record(60, options(12_000), 33);
    let mut random = Random(1);
    for num in 1..=operations.len() {
        for attempt in 0..20 {
            let context = format!("killed amid operation {num}, {attempt}");
            let file = killed_amid(&operations[..num], &mut random);
            let num_safe = written_by.iter().filter(|by| **by + 1 < num).count();
            let Some(log) = opened(file, num_safe, &context) else { continue };
            let found = left(&log, &records, &context);
            assert!(
                found.whole.len() >= num_safe && found.whole.len() <= num_safe + 1,
                "{context}: {found:?}"
            );
            assert_eq!(found.whole, (0..found.whole.len()).collect::<Vec<_>>(), "{context}");
            assert!(found.damaged.is_empty(), "{context}");
            // After an interrupted sealing, the only possible finding is an incomplete frame at the end.
            let health = log.health();
            for kind in [FindingKind::Damaged, FindingKind::Lost, FindingKind::Dropped] {
                // Before the header is complete there is nothing to lose.
                assert!(health.count(kind) == 0 || num == 1, "{context}: {:?}", health.findings());
            }
        }
    }
}

/// Every synced record is there, all others that are there are right, and gaps are reported.
fn assert_survives_power_cuts(recording: &Recording, num_states: usize) {
    let Recording { records, operations, written_by } = recording;
    let mut random = Random(operations.len() as u64);
    let mut num_cut = 0;
    for num in 1..=operations.len() {
        let operations = &operations[..num];
        let durable = num_durable(operations);
        let num_safe = written_by.iter().filter(|by| **by < durable).count();
        for attempt in 0..num_states {
            let context = format!("power cut after {num} operations, state {attempt}");
            let file = power_cut(operations, &mut random);
            let Some(log) = opened(file, num_safe, &context) else { continue };
            let found = left(&log, records, &context);
            let safe = found.whole.iter().take_while(|at| **at < num_safe).count();
            assert_eq!(safe, num_safe, "{context}: {found:?}: {:?}", log.health().findings());
            let num_listed = found.whole.len() + found.damaged.len();
            let end = found.whole.iter().chain(&found.damaged).max().map_or(0, |last| last + 1);
            assert!(
                num_listed == end || tells_loss(&log),
                "{context}: {found:?}: silence about what is lost"
            );
            num_cut += usize::from(found.whole.len() < written_by.iter().filter(|by| **by < num).count());
        }
    }
    assert!(num_cut > 100, "only {num_cut} states had lost anything: this test tests nothing");
}

#[test]
fn power_cuts_when_each_record_is_synced() {
    let options = WriterOptions { sync: Sync::Each, ..options(12_000) };
    assert_survives_power_cuts(&record(45, options, 20), 60);
}

#[test]
fn power_cuts_when_only_sealing_syncs() {
    assert_survives_power_cuts(&record(60, options(12_000), 33), 60);
}

/// The steps of sealing are those in the format's specification, so that other readers know which states can
/// occur.
#[test]
fn sealing_takes_the_steps_specified() {
    let recording = record(60, options(12_000), usize::MAX);
    let operations = &recording.operations;
    let sealings: Vec<usize> =
        (0..operations.len()).filter(|&at| matches!(operations[at], Operation::SetLen(_))).collect();
    assert!(sealings.len() >= 3);
    for cut in sealings {
        let [appended, Operation::Sync, over, Operation::Sync, Operation::SetLen(len)] =
            &operations[cut - 4..=cut]
        else {
            panic!("{:?}", &operations[cut - 4..=cut]);
        };
        let (Operation::Write { ofs: end, bytes: copy }, Operation::Write { ofs: start, bytes: chunk }) =
            (appended, over)
        else {
            panic!("two writes");
        };
        assert_eq!(*end, after(&operations[..cut - 4]).len());
        assert_eq!(copy, chunk);
        assert_eq!(*len, start + chunk.len());
    }
}

/// Whoever goes on after a crash, in a new file, has nothing to do with the old one; but a log that was interrupted is
/// read the same again and again.
#[test]
fn opening_changes_nothing() {
    let recording = record(40, options(12_000), usize::MAX);
    let num = recording.operations.len();
    let mut random = Random(9);
    for cut in num - 30..num {
        let file = power_cut(&recording.operations[..cut], &mut random);
        let first = Log::open(Box::new(file.clone())).expect("opens");
        let mut second = Log::open_by_frames(Box::new(file)).expect("opens");
        for _ in 0..3 {
            assert_eq!(first.health(), second.health());
            assert_eq!(
                left(&first, &recording.records, "first"),
                left(&second, &recording.records, "second")
            );
            second.refresh().expect("refreshed");
        }
    }
}

/// A writer whose sealing fails at its last step continues after the second copy, and so do readers.
#[test]
fn a_sealing_that_cannot_be_finished() {
    use crate::disk::Outcome;
    for failing in [0, 1, 2] {
        let mut num_written = 0;
        let disk = Disk::new(move |_, operation| match operation {
            // The write over the tail, or what comes after it, always fails.
            Operation::SetLen(_) => Outcome::Fails { len: 0 },
            Operation::Write { ofs, bytes } => {
                let is_over = *ofs < num_written;
                num_written = num_written.max(ofs + bytes.len());
                match (is_over, failing) {
                    (true, 0) => Outcome::Fails { len: 0 },
                    (true, 1) => Outcome::Fails { len: bytes.len() / 2 },
                    _ => Outcome::Done,
                }
            }
            Operation::Sync => Outcome::Done,
        });
        let mut machine = Machine::new(failing, 3);
        let records = block_records((0..60).map(|_| machine.sample()).collect());
        let mut writer =
            LogWriter::with_identity(disk.clone(), options(12_000), [9; 16], Timestamp(1)).expect("new");
        let mut reader = Log::open(Box::new(disk.clone())).expect("opens");
        let mut num_errors = 0;
        for (at, record) in records.iter().enumerate() {
            while writer.append(record.time, record.kind, &record.bytes, &record.pieces).is_err() {
                num_errors += 1;
                assert_eq!(num_errors, 1, "failing {failing}");
            }
            reader.refresh().expect("refreshed");
            assert_holds(&reader, &records[..=at], &format!("failing {failing}, following"));
            let fresh = Log::open(Box::new(disk.clone())).expect("opens");
            assert_holds(&fresh, &records[..=at], &format!("failing {failing}, anew"));
            assert!(!tells_loss(&fresh), "failing {failing}: {:?}", fresh.health());
        }
        assert!(writer.num_records() == 60);
        // A full disk can't be written, which may change; but one that can't cut off what it has is broken.
        assert_eq!(num_errors, u32::from(failing == 2));
    }
}
