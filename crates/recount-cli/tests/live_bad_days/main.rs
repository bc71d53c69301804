//! Bad days of a recorder: it is killed, its disk hangs, its clocks are set, and it runs for a week.
#![cfg(target_os = "linux")]

mod hanging;
mod killed;
mod week;
mod written;

use std::fs::File;
use std::path::Path;

use recount_capture::{CaptureError, Log, RecordKind};
use recount_model::FindingKind;
use recount_perf_data::DataBlock;
use recount_record::{BeginLog, Interrupts, LiveSource, RecordOptions, RecordReport, Recorder, SystemClock};

/// Records in real time.
fn record(source: &mut dyn LiveSource, begin_log: BeginLog<'_>, options: RecordOptions) -> RecordReport {
    let recorder = Recorder {
        source,
        begin_log,
        clock: &mut SystemClock::new(),
        interrupts: &Interrupts::new().expect("interrupts"),
        on_progress: &mut |_| (),
    };
    recorder.record(options).expect("records")
}

/// Opens a log, which has to be sound.
fn open(path: &Path) -> Log {
    let log = Log::open(Box::new(File::open(path).expect("log"))).expect("opens");
    for kind in [FindingKind::Damaged, FindingKind::Lost, FindingKind::Dropped] {
        assert_eq!(log.health().count(kind), 0, "{}: {:?}", path.display(), log.health());
    }
    log
}

/// Hands over the time and the bytes of each sample.
fn for_each_block(log: &Log, mut take: impl FnMut(i64, &[u8])) {
    log.for_each_record::<CaptureError>(|record, bytes| {
        let bytes = bytes.expect("every record can be read");
        let (time, kind) = log.record_info(record).expect("listed");
        if kind == RecordKind::BLOCK {
            assert_eq!(time.0, DataBlock::parse(bytes, 0).expect("block").header().perf_time_100ns);
            take(time.0, bytes);
        }
        Ok(())
    })
    .expect("read");
}

/// Times of all samples.
fn times_of(path: &Path) -> Vec<i64> {
    let mut times = Vec::new();
    for_each_block(&open(path), |time, _| times.push(time));
    times
}
