//! Very many records that take no bytes.

use recount_capture::{CaptureSource, Log, repair, verify};
use recount_model::{Selection, Source};

use crate::frames::{CHUNK, Chunk, INDEX, Section, frame, header, numbers};
use crate::memory::peak;

const NUM: u32 = 1 << 20;

fn table(kind: u64, len_record: u64) -> Vec<u8> {
    let num = NUM as usize;
    let num_segments = if len_record == 0 { 0 } else { NUM };
    let mut out = num_segments.to_le_bytes().to_vec();
    out.extend(numbers(0, num));
    out.extend(numbers(kind, num));
    out.extend(numbers(len_record, num));
    out.extend(numbers(u64::from(len_record > 0), num));
    out.extend(numbers(0, num_segments as usize));
    out
}

/// As many records as a chunk may have, none of which has a byte.
fn empty_records(number_first: u64) -> Vec<u8> {
    let chunk = Chunk {
        number_first,
        times: [0; 2],
        len_raw: 0,
        num_records: NUM,
        table: table(9, 0),
        sections: Vec::new(),
    };
    frame(CHUNK, &chunk.write())
}

/// As many as it may have of a kind, each of some bytes, all zeros.
fn zeros(kind: u64, len_record: u32) -> Vec<u8> {
    let mut structure: Vec<u8> = [NUM, NUM, 1, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    structure.extend(numbers(1, NUM as usize));
    structure.extend(numbers(1, NUM as usize));
    structure.extend(numbers(0, 1));
    structure.extend(numbers(u64::from(len_record), 1));
    structure.resize(structure.len() + len_record as usize, 0);
    let columns = vec![0; (NUM as usize - 1).div_ceil(8)];
    let chunk = Chunk {
        number_first: 0,
        times: [0; 2],
        len_raw: u64::from(len_record) * u64::from(NUM),
        num_records: NUM,
        table: table(kind, u64::from(len_record)),
        sections: vec![Section { key: u32::MAX, flags: 0, structure, columns }],
    };
    [header(), frame(CHUNK, &chunk.write())].concat()
}

#[test]
fn chunks_of_empty_records() {
    let mut file = header();
    for at in 0..1_000 {
        file.extend(empty_records(at * u64::from(NUM)));
    }
    let max = u64::from(NUM) + 16 * file.len() as u64;
    let (taken, (log, found)) = peak(|| {
        let log = Log::open(Box::new(file.clone())).expect("a log");
        (log, verify(Box::new(file.clone())).expect("a log"))
    });
    assert!(log.num_records() as u64 <= max && log.num_records() > 1 << 20, "{}", log.num_records());
    // Two logs at a time, each twenty bytes a record, in lists that double; and one table.
    assert!((taken as u64) < 200 * max, "{taken} for {}", file.len());
    let told = format!("{:?}", log.health());
    assert!(told.matches("more records than the file's length allows").count() == 1, "{told}");
    assert_eq!((log.health().total(), found.health.total()), (1, 2), "{:?}", found.health);
    let out = tempfile::tempfile().expect("temporary file");
    let done = repair(Box::new(file), out.try_clone().expect("a handle")).expect("repaired");
    assert!(done.dropped[0].contains("more records than the file's length allows"), "{:?}", done.dropped);
    assert_eq!(done.num_records, found.num_records);
    assert!(verify(Box::new(out)).expect("a log").health.is_complete());
}

/// An index that lists as many, or whose table is mostly air.
#[test]
fn an_index_of_empty_records() {
    for (num_records, len_table) in [(64_u64 << 20, 512_usize << 20), (1, 512 << 20), (64 << 20, 64 << 20)] {
        let mut payload: Vec<u8> =
            [1, 1, num_records, len_table as u64].into_iter().flat_map(u64::to_le_bytes).collect();
        payload.extend(zstd::bulk::compress(&vec![0; len_table], 1).expect("memory"));
        let file = [header(), empty_records(0), frame(INDEX, &payload)].concat();
        let max = u64::from(NUM) + 16 * file.len() as u64;
        let (taken, log) = peak(|| Log::open(Box::new(file)).expect("a log"));
        assert!(!log.is_closed() && log.num_records() == 1 << 20);
        assert!((taken as u64) < 100 * max, "{taken} for {num_records} of {len_table}");
    }
}

/// What is wrong with all of a chunk's records is reported once.
#[test]
fn findings_of_one_reason_are_one() {
    let blocks = zeros(1, 28);
    let source = CaptureSource::open(Box::new(blocks.clone())).expect("opens");
    let all: Vec<u32> = (0..NUM).collect();
    let health = source.decode(&all, &Selection::all()).health;
    assert_eq!(health.total(), 1, "{health:?}");
    assert!(health.findings()[0].what.starts_with("1048576 blocks in the frame at byte "), "{health:?}");
    let found = verify(Box::new(blocks)).expect("a log").health;
    assert_eq!(found.total(), 2, "{found:?}");
    assert!(found.findings()[0].what.ends_with("(and 1048575 more of these records)"), "{found:?}");
    // Events of a kind that nobody knows are sound; shorter ones are none.
    let sound = CaptureSource::open(Box::new(zeros(2, 28))).expect("opens");
    assert!(sound.health().is_sound(), "{:?}", sound.health());
    let cut = zeros(2, 27);
    let source = CaptureSource::open(Box::new(cut.clone())).expect("opens");
    let told = format!("{:?}", source.health());
    assert!(source.health().total() == 1 && told.contains("(and 1048575 more of these records)"), "{told}");
    let out = tempfile::tempfile().expect("temporary file");
    let done = repair(Box::new(cut), out.try_clone().expect("a handle")).expect("repaired");
    assert!(done.dropped.len() == 1 && done.num_records == 0, "{:?}", done.dropped);
    assert!(verify(Box::new(out)).expect("a log").health.is_complete());
}
