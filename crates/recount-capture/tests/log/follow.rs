//! Reads a log while it is being written.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use recount_capture::{CaptureError, CaptureSource, Log, LogWriter};
use recount_model::{Facts, Selection, Sink, Source};

use crate::frames::{HEADER, INDEX, frames, frames_backwards};
use crate::reading::{Record, assert_holds, block_records, left, open_path, options, read, written};
use crate::series::{Machine, Random};

fn records(num: usize) -> Vec<Record> {
    let mut machine = Machine::new(21, 5);
    block_records((0..num).map(|_| machine.sample()).collect())
}

/// Follows a log to its end, reading every record as it arrives.
fn follow(
    path: &std::path::Path,
    records: &[Record],
    is_done: &AtomicBool,
    num_looks: &AtomicUsize,
) -> usize {
    let mut log = open_path(path).expect("opens");
    let mut num_done = 0;
    while !log.is_closed() {
        let was_done = is_done.load(Ordering::Acquire);
        log.refresh().expect("refreshed");
        num_looks.fetch_add(1, Ordering::Release);
        assert!(log.num_records() >= num_done, "records vanish: {} after {num_done}", log.num_records());
        let mut gone = false;
        log.read_records::<CaptureError>(num_done..log.num_records(), |at, bytes| {
            let Ok(bytes) = bytes else {
                // It was moved since the refresh; it will be found in its new place.
                gone = true;
                return Ok(());
            };
            if !gone {
                assert_eq!(at, num_done, "in order, each once");
                assert_eq!(log.record_info(at), Some((records[at].time, records[at].kind)));
                assert!(bytes == records[at].bytes, "record {at} differs");
                num_done += 1;
            }
            Ok(())
        })
        .expect("read");
        assert!(!was_done || log.is_closed(), "it was closed before the refresh: {:?}", log.health());
    }
    assert!(log.health().is_sound(), "{:?}", log.health());
    num_done
}

/// Reopens a log at random moments: its records are right, and never fewer than before.
fn look_again_and_again(
    path: &std::path::Path,
    records: &[Record],
    is_done: &AtomicBool,
    num_looks: &AtomicUsize,
) {
    let mut random = Random(8);
    let mut num_before = 0;
    while !is_done.load(Ordering::Acquire) {
        let log = open_path(path).expect("opens");
        let found = left(&log, records, "a look");
        let num_whole = found.whole.iter().take_while(|at| found.whole.get(**at) == Some(at)).count();
        // A record that was moved between opening and reading is reported as moved, not as gone.
        let num_listed = found.whole.len() + found.damaged.len();
        assert!(num_listed >= num_before, "{num_listed} after {num_before}: {:?}", log.health());
        num_before = num_whole;
        num_looks.fetch_add(1, Ordering::Release);
        std::thread::sleep(Duration::from_micros(random.below(3_000) as u64));
    }
}

#[test]
fn every_record_once_and_in_order() {
    let records = records(1_500);
    let directory = tempfile::tempdir().expect("temporary directory");
    for len_chunk in [3_000, 40_000, 1 << 30] {
        let path = directory.path().join(format!("{len_chunk}.rcap"));
        let mut writer = LogWriter::create(&path, options(len_chunk)).expect("new");
        let (is_done, [refreshed, opened]) = (AtomicBool::new(false), [const { AtomicUsize::new(0) }; 2]);
        std::thread::scope(|scope| {
            let followed = scope.spawn(|| follow(&path, &records, &is_done, &refreshed));
            let looked = scope.spawn(|| look_again_and_again(&path, &records, &is_done, &opened));
            let mut random = Random(5);
            for (at, record) in records.iter().enumerate() {
                writer.append(record.time, record.kind, &record.bytes, &record.pieces).expect("appended");
                if at % 400 == 399 {
                    let facts = Facts::from([("host".to_owned(), format!("web{at}"))]);
                    writer.facts(&facts).expect("written");
                }
                // However slowly they get to run, both look at the log in many of its states.
                let num_least = at / 60;
                let has_looked = |num: &AtomicUsize| num.load(Ordering::Acquire) >= num_least;
                let is_over = || followed.is_finished() || looked.is_finished();
                while !is_over() && ![&refreshed, &opened].into_iter().all(has_looked) {
                    std::thread::sleep(Duration::from_micros(100));
                }
                if random.below(4) == 0 {
                    std::thread::sleep(Duration::from_micros(random.below(1_000) as u64));
                }
            }
            writer.finish().expect("closed");
            is_done.store(true, Ordering::Release);
            let num_done = followed.join().expect("follower");
            assert_eq!(num_done, records.len(), "chunks of {len_chunk}");
            looked.join().expect("onlooker");
        });
        assert_holds(&open_path(&path).expect("opens"), &records, "closed");
    }
}

/// A reader that checks after every single record sees each sealing in all its states.
#[test]
fn a_look_after_each_record() {
    let records = records(150);
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let mut writer = LogWriter::create(&path, options(20_000)).expect("new");
    let mut log = open_path(&path).expect("opens");
    for (at, record) in records.iter().enumerate() {
        writer.append(record.time, record.kind, &record.bytes, &record.pieces).expect("appended");
        log.refresh().expect("refreshed");
        assert!(log.health().is_sound(), "{:?}", log.health());
        assert_eq!(log.num_records(), at + 1);
        if at % 10 == 0 {
            assert_holds(&log, &records[..=at], "while it grows");
        }
    }
    assert!(log.num_chunks() > 3 && !log.is_closed());
    writer.finish().expect("closed");
    log.refresh().expect("refreshed");
    assert!(log.is_closed());
    assert_holds(&log, &records, "closed");
}

/// A log that is replaced by a shorter one while it is being read is reread.
#[test]
fn another_log_in_its_place() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let records = records(60);
    std::fs::write(&path, written(&records, options(9_000), false)).expect("written");
    let mut log = open_path(&path).expect("opens");
    log.refresh().expect("refreshed");
    assert_holds(&log, &records, "the first");
    std::fs::write(&path, written(&records[..3], options(9_000), false)).expect("written");
    log.refresh().expect("refreshed");
    assert_holds(&log, &records[..3], "the second");
}

#[test]
fn backwards_by_the_lengths_behind_frames() {
    let records = records(40);
    for finish in [false, true] {
        let file = written(&records, options(20_000), finish);
        let mut backwards = frames_backwards(&file);
        backwards.reverse();
        assert_eq!(backwards, frames(&file));
        assert_eq!(backwards[0].kind, HEADER);
        assert_eq!(backwards.last().expect("frames").kind == INDEX, finish);
    }
}

/// Samples of a source that was opened while the log was written stay readable when it is sealed.
#[test]
fn a_source_outlives_a_sealing() {
    let records = records(30);
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let mut writer = LogWriter::create(&path, options(1 << 30)).expect("new");
    crate::reading::append_all(&mut writer, &records);
    let file = std::fs::File::open(&path).expect("there");
    let source = CaptureSource::open(Box::new(file)).expect("opens");
    let all: Vec<u32> = (0..records.len() as u32).collect();
    let before = source.decode(&all, &Selection::all());
    writer.finish().expect("closed");
    let after = source.decode(&all, &Selection::all());
    assert!(after.health.is_sound(), "{:?}", after.health);
    assert_eq!(format!("{:?}", before.runs), format!("{:?}", after.runs));
    let log: &Log = source.log();
    assert_eq!(read(log).len(), records.len());
}
