//! Disks that are full unless the tail is sealed, and disks that fail.

use std::io;
use std::sync::{Arc, Mutex};

use recount_capture::{Log, LogWriter, Storage, Sync, WriterOptions, verify};
use recount_model::Timestamp;

use crate::disk::{Disk, Operation, Outcome};
use crate::reading::{Record, assert_holds, block_records, options};
use crate::series::Machine;

fn records(num: usize) -> Vec<Record> {
    let mut machine = Machine::new(5, 3);
    block_records((0..num).map(|_| machine.sample()).collect())
}

/// A disk of some bytes, which can reserve.
#[derive(Clone)]
struct Small {
    capacity: u64,
    /// The content, and up to where space is reserved.
    file: Arc<Mutex<(Vec<u8>, u64)>>,
}

impl Storage for Small {
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().expect("lock");
        let end = ofs + bytes.len() as u64;
        if end > self.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let len = file.0.len().max(end as usize);
        file.0.resize(len, 0);
        file.0[ofs as usize..end as usize].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut file = self.file.lock().expect("lock");
        file.0.resize(len as usize, 0);
        file.1 = len;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn reserve(&mut self, ofs: u64, len: u64) -> io::Result<()> {
        if ofs + len > self.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.lock().expect("lock").1 = ofs + len;
        Ok(())
    }
}

fn append(writer: &mut LogWriter<impl Storage>, record: &Record) -> io::Result<()> {
    Ok(writer.append(record.time, record.kind, &record.bytes, &record.pieces)?)
}

/// The records together are far larger than the disk, but not once they are sealed.
#[test]
fn a_full_disk_is_sealed_and_recording_goes_on() {
    let records = records(400);
    let len_raw: usize = records.iter().map(|record| record.bytes.len()).sum();
    for divisor in [3, 4, 5] {
        let small = Small { capacity: (len_raw / divisor) as u64, file: Arc::default() };
        let mut writer =
            LogWriter::with_identity(small.clone(), options(64 << 20), [9; 16], Timestamp(1)).expect("new");
        for (number, record) in records.iter().enumerate() {
            append(&mut writer, record).unwrap_or_else(|error| panic!("1/{divisor}, {number}: {error}"));
        }
        let bytes = small.file.lock().expect("lock").0.clone();
        let log = Log::open(Box::new(bytes)).expect("opens");
        assert!(log.num_chunks() > 0, "1/{divisor}");
        assert_holds(&log, &records, &format!("1/{divisor}"));
    }
}

/// Linux' numbers of a broken disk, a full one, and a quota that is used up. Of a sync each says that what was written before
/// is gone.
const CODES: [i32; 3] = [5, 28, 122];

/// Without syncs of its own, the log still learns from sealing that the disk fails, and says so once, whatever the error is.
/// Every record that was accepted is there.
#[test]
fn errors_of_the_disk_are_reported_whatever_is_synced() {
    let records = records(60);
    for (what, is_broken) in [
        ("fdatasync", (|operation| *operation == Operation::Sync) as fn(&Operation) -> bool),
        ("ftruncate", |operation| matches!(operation, Operation::SetLen(_))),
    ] {
        let settings = [Sync::None, Sync::Every(std::time::Duration::from_hours(1))];
        for (code, sync) in CODES.into_iter().flat_map(|code| settings.map(|sync| (code, sync))) {
            let disk = Disk::new(
                move |_, operation| {
                    if is_broken(operation) { Outcome::Broken { code } } else { Outcome::Done }
                },
            );
            let options = WriterOptions { sync, ..options(12_000) };
            let mut writer =
                LogWriter::with_identity(disk.clone(), options, [9; 16], Timestamp(1)).expect("new");
            let (mut num, mut errors) = (0, Vec::new());
            while num < records.len() {
                match append(&mut writer, &records[num]) {
                    Ok(()) => num += 1,
                    Err(error) => errors.push(error),
                }
            }
            let codes: Vec<Option<i32>> = errors.iter().map(io::Error::raw_os_error).collect();
            assert_eq!(codes, [Some(code)], "{what}, {sync:?}");
            let log = Log::open(Box::new(disk.bytes())).expect("opens");
            assert_holds(&log, &records, what);
        }
    }
}

/// A log that is said to be closed is found closed.
#[test]
fn what_is_said_about_the_end_is_what_readers_find() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.rcap");
    let mut writer = LogWriter::create(&path, options(12_000)).expect("new");
    for record in &records(60) {
        append(&mut writer, record).expect("appended");
    }
    let len = writer.finish().expect("closed");
    assert_eq!(path.metadata().expect("there").len(), len);
    let file = std::fs::File::open(&path).expect("there");
    let found = verify(Box::new(file)).expect("read");
    assert!(found.is_closed && found.health.is_sound(), "{:?}", found.health);
}
