//! A disk that doesn't answer for a while.

use std::fs::File;
use std::io;
use std::time::Duration;

use recount_capture::{LogWriter, Storage, Sync, WriterOptions};
use recount_model::LogSink;
use recount_record::RecordOptions;
use recount_record::linux::LinuxSource;

use crate::written::Written;
use crate::{record, times_of};

/// A file on a disk that doesn't answer once, for this long.
struct Hanging {
    file: File,
    time: Duration,
    num_until: u32,
}

impl Storage for Hanging {
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        if self.num_until == 0 {
            std::thread::sleep(std::mem::take(&mut self.time));
        }
        self.num_until = self.num_until.saturating_sub(1);
        self.file.write_at(ofs, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        Storage::set_len(&mut self.file, len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

#[test]
fn a_disk_that_hangs_for_20_s() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let mut source = LinuxSource::new(&|object: &str, _| ["Processor", "System"].contains(&object));
    let mut begin = |_| {
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        let disk = Hanging { file, time: Duration::from_secs(20), num_until: 12 };
        let options = WriterOptions { sync: Sync::Each, ..WriterOptions::default() };
        Ok(Box::new(Written(LogWriter::new(disk, options)?)) as Box<dyn LogSink>)
    };
    let options = RecordOptions {
        duration: Some(Duration::from_secs(30)),
        ..RecordOptions::every(Duration::from_millis(500))
    };
    let report = record(&mut source, &mut begin, options);
    // 20 s are 40 intervals; the last sample before may have been late, and a busy machine may miss more.
    assert!(report.progress.num_missed >= 39, "{report:?}");

    let times = times_of(&path);
    assert_eq!(times.len() as u64, report.progress.num_samples);
    assert_eq!(times.len() as u64 + report.progress.num_missed, 61, "{report:?}");
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().expect("intervals");
    assert!(longest >= 195_000_000, "{longest}");
}
