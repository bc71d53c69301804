//! A reader that opens a log between two steps of sealing, and continues reading.

use std::io;
use std::sync::{Arc, Mutex};

use recount_capture::{CaptureError, Log, LogWriter, ReadAt, RecordKind, Storage, Sync, WriterOptions};
use recount_model::Timestamp;

/// A file that lets a reader open it whenever the writer syncs it, which is between the steps.
#[derive(Clone, Default)]
struct Watched {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Arc<Mutex<Option<Log>>>,
    /// Logs that were opened in such a moment.
    opened: Arc<Mutex<Vec<Log>>>,
}

impl ReadAt for Watched {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().expect("lock").len() as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        self.bytes.lock().expect("lock").read_at(ofs, out)
    }
}

impl Storage for Watched {
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        let mut all = self.bytes.lock().expect("lock");
        let end = all.len().max(ofs as usize + bytes.len());
        all.resize(end, 0);
        all[ofs as usize..ofs as usize + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.bytes.lock().expect("lock").resize(len as usize, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if let Some(log) = &mut *self.reader.lock().expect("lock") {
            log.refresh()?;
        }
        self.opened.lock().expect("lock").extend(Log::open(Box::new(self.clone())).ok());
        Ok(())
    }
}

/// Every record of a log has to be the one that was written.
fn check(log: &Log) -> usize {
    log.for_each_record::<CaptureError>(|record, bytes| {
        assert_eq!(bytes.expect("can be read"), [record as u8; 100]);
        Ok(())
    })
    .expect("read");
    log.num_records()
}

#[test]
fn every_record_can_be_read_later() {
    let file = Watched::default();
    let options = WriterOptions { sync: Sync::None, len_chunk: 3_000, ..WriterOptions::default() };
    let mut writer = LogWriter::new(file.clone(), options).expect("log");
    *file.reader.lock().expect("lock") = Some(Log::open(Box::new(file.clone())).expect("log"));
    for number in 0..45 {
        let record = [number as u8; 100];
        writer.append(Timestamp(number), RecordKind(9), &record, &[]).expect("append");
    }
    let mut reader = file.reader.lock().expect("lock");
    let reader = reader.as_mut().expect("log");
    reader.refresh().expect("refresh");
    assert_eq!(check(reader), 45);
    assert!(reader.health().is_sound(), "{:?}", reader.health());
    // Logs opened in between and never refreshed can still read the records that they found.
    let opened = file.opened.lock().expect("lock");
    assert_eq!(opened.iter().map(check).collect::<Vec<_>>(), [30, 30]);
}
