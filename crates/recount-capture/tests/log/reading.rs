//! Writing records to memory, and reading what is left of them.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::Path;

use recount_capture::{CaptureError, Log, LogWriter, RecordKind, Sync, WriterOptions};
use recount_model::{FindingKind, Piece, Split, Timestamp};

use crate::series::time_of;

/// A record to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) time: Timestamp,
    pub(crate) kind: RecordKind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) pieces: Vec<Piece>,
}

/// Options for tests: nothing is synced but by sealing.
pub(crate) fn options(len_chunk: usize) -> WriterOptions {
    WriterOptions { sync: Sync::None, len_chunk, level: 3, ..WriterOptions::default() }
}

/// Blocks as records, each with its own time.
pub(crate) fn block_records(blocks: Vec<Vec<u8>>) -> Vec<Record> {
    let mut split = recount_perf_data::BlockSplit::default();
    let record = |(index, bytes): (usize, Vec<u8>)| {
        let mut pieces = Vec::new();
        split.split(&bytes, &mut pieces);
        Record { time: time_of(index), kind: RecordKind::BLOCK, bytes, pieces }
    };
    blocks.into_iter().enumerate().map(record).collect()
}

/// The file of a log that holds these records, closed or not.
pub(crate) fn written(records: &[Record], options: WriterOptions, finish: bool) -> Vec<u8> {
    let mut file = tempfile::tempfile().expect("temporary file");
    let id = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let copy = file.try_clone().expect("cloned");
    let mut writer = LogWriter::with_identity(copy, options, id, Timestamp(5)).expect("new");
    append_all(&mut writer, records);
    if finish {
        let len = writer.finish().expect("closed");
        assert_eq!(len, file.metadata().expect("there").len());
    } else {
        drop(writer);
    }
    let mut bytes = Vec::new();
    file.rewind().expect("at the start");
    file.read_to_end(&mut bytes).expect("read");
    bytes
}

pub(crate) fn append_all<S: recount_capture::Storage>(writer: &mut LogWriter<S>, records: &[Record]) {
    for record in records {
        writer.append(record.time, record.kind, &record.bytes, &record.pieces).expect("appended");
    }
}

pub(crate) fn open(bytes: &[u8]) -> Log {
    Log::open(Box::new(bytes.to_vec())).expect("opens")
}

pub(crate) fn open_path(path: &Path) -> Result<Log, CaptureError> {
    Log::open(Box::new(std::fs::File::open(path)?))
}

/// Time, kind and bytes of all records; `None`: told to be damaged.
pub(crate) fn read(log: &Log) -> Vec<(Timestamp, RecordKind, Option<Vec<u8>>)> {
    let mut records = Vec::new();
    log.for_each_record::<CaptureError>(|record, bytes| {
        assert_eq!(record, records.len());
        let (time, kind) = log.record_info(record).expect("listed");
        records.push((time, kind, bytes.ok().map(<[u8]>::to_vec)));
        Ok(())
    })
    .expect("nothing to fail");
    assert_eq!(records.len(), log.num_records());
    records
}

/// Asserts that a log holds exactly these records.
pub(crate) fn assert_holds(log: &Log, records: &[Record], context: &str) {
    let found = read(log);
    assert_eq!(found.len(), records.len(), "{context}: {:?}", log.health());
    for (at, ((time, kind, bytes), record)) in found.iter().zip(records).enumerate() {
        assert_eq!((*time, *kind), (record.time, record.kind), "{context}: record {at}");
        assert!(bytes.as_ref() == Some(&record.bytes), "{context}: record {at} differs");
    }
}

/// The records left after damage.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Those that are complete.
    pub(crate) whole: Vec<usize>,
    /// Those that are listed, but reported as damaged.
    pub(crate) damaged: Vec<usize>,
}

/// The records left in a log; they differ in their times. Fails if one was never written, or is out of order.
pub(crate) fn left(log: &Log, records: &[Record], context: &str) -> Left {
    let by_time: BTreeMap<Timestamp, usize> =
        records.iter().enumerate().map(|(at, record)| (record.time, at)).collect();
    assert_eq!(by_time.len(), records.len(), "times tell records apart");
    let mut left = Left::default();
    let mut before = None;
    for (time, kind, bytes) in read(log) {
        let at = *by_time.get(&time).unwrap_or_else(|| panic!("{context}: no record was taken at {time}"));
        assert!(before < Some(at), "{context}: record {at} after {before:?}");
        before = Some(at);
        assert_eq!(kind, records[at].kind, "{context}: record {at}");
        match bytes {
            Some(bytes) => {
                assert!(bytes == records[at].bytes, "{context}: record {at} is wrong");
                left.whole.push(at);
            }
            None => left.damaged.push(at),
        }
    }
    left
}

/// Whether a log reports that something is missing.
pub(crate) fn tells_loss(log: &Log) -> bool {
    let kinds = [FindingKind::Truncated, FindingKind::Damaged, FindingKind::Lost, FindingKind::Dropped];
    kinds.iter().any(|kind| log.health().count(*kind) > 0)
}
