//! Reads only the requested parts of a log.

use recount_capture::{CaptureSource, LogWriter};
use recount_model::{Facts, Selection, Sink, Source};

use crate::frames::{CHUNK, INDEX, frames};
use crate::reading::{block_records, options, written};
use crate::series::{HOST, Machine, time_of};

/// A closed log of 400 samples of 100 processes, 15 to a chunk or so.
fn large_log() -> Vec<u8> {
    let mut machine = Machine::new(1, 100);
    let records = block_records((0..400).map(|_| machine.sample()).collect());
    let len_chunk = 15 * records[0].bytes.len();
    written(&records, options(len_chunk), true)
}

fn open(file: &[u8]) -> CaptureSource {
    CaptureSource::open(Box::new(file.to_vec())).expect("opens")
}

fn only(pattern: &str) -> Selection {
    Selection::from_iter([pattern.parse().expect("a pattern")])
}

#[test]
fn opening_reads_header_and_index() {
    let file = large_log();
    let all = frames(&file);
    let index = all.last().expect("index");
    assert_eq!(index.kind, INDEX);
    let source = open(&file);
    assert!(source.log().is_closed());
    assert_eq!(source.times().len(), 400);
    // The start of the file is read in one go, whatever of it is the header.
    let len_start = (1_u64 << 20).min(file.len() as u64);
    let len_read = source.log().len_read();
    let len_ends = 20 + 8;
    assert_eq!(len_read, len_start + index.place.len() as u64 + len_ends);
}

#[test]
fn opening_an_unclosed_log_reads_heads() {
    let file = large_log();
    let all = frames(&file);
    let file = &file[..all.last().expect("index").place.start];
    let source = open(file);
    assert!(!source.log().is_closed());
    assert_eq!(source.times().len(), 400);
    let num_chunks = all.iter().filter(|frame| frame.kind == CHUNK).count() as u64;
    // 4 KiB hold the head and the table of records of any of these chunks.
    let len_read = source.log().len_read() - (1_u64 << 20).min(file.len() as u64);
    assert!(len_read <= num_chunks * (20 + 4_096 + 8) + 1_000, "{len_read} of {num_chunks} chunks");
}

#[test]
fn one_small_object_is_read_alone() {
    let file = large_log();
    let source = open(&file);
    let all: Vec<u32> = (0..400).collect();
    let before = source.log().len_read();
    let decoded = source.decode(&all, &only(r"\4\*"));
    assert_eq!(decoded.runs.iter().map(recount_model::Run::num_samples).sum::<usize>(), 400);
    let len_small = source.log().len_read() - before;
    let before = source.log().len_read();
    source.decode(&all, &Selection::all());
    let len_all = source.log().len_read() - before;
    assert!(len_all >= file.len() as u64 * 9 / 10, "{len_all} of {}", file.len());
    assert!(len_small * 4 < len_all, "{len_small} for one object, {len_all} for all");
}

#[test]
fn a_short_time_is_read_alone() {
    let file = large_log();
    let source = open(&file);
    let before = source.log().len_read();
    let decoded = source.decode(&[200, 201, 202], &Selection::all());
    assert!(decoded.health.is_sound());
    assert_eq!(decoded.runs[0].clocks.time[0].utc, time_of(200));
    let len_read = source.log().len_read() - before;
    assert!(len_read * 8 < file.len() as u64, "{len_read} of {}", file.len());
    // Once more costs nothing: the chunk is open.
    let before = source.log().len_read();
    source.decode(&[203, 204], &Selection::all());
    assert_eq!(source.log().len_read(), before);
}

/// Definitions are read on opening, and the events.
#[test]
fn opening_reads_definitions() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let mut machine = Machine::new(1, 100);
    let first = machine.sample();
    let mut writer = LogWriter::create(&path, options(15 * first.len())).expect("new");
    writer.facts(&Facts::from([("host".to_owned(), HOST.to_owned())])).expect("written");
    writer.texts("009", &mut [(4, "Memory")].into_iter()).expect("written");
    for at in 0..200 {
        writer.block(time_of(at), &machine.sample()).expect("written");
    }
    writer.finish().expect("closed");
    let file = std::fs::read(&path).expect("there");
    let all = frames(&file);
    let len_definitions: usize =
        all.iter().filter(|frame| [2, 3].contains(&frame.kind)).map(|frame| frame.place.len()).sum();
    let source = open(&file);
    assert_eq!(&*source.info().hosts[0], HOST);
    let len_start = (1_u64 << 20).min(file.len() as u64);
    let len_index = all.last().expect("index").place.len();
    assert_eq!(source.log().len_read(), len_start + (len_index + len_definitions + 28) as u64);
    let decoded = source.decode(&[7], &only(r"\Memory\*"));
    assert_eq!(decoded.runs.len(), 1);
}
