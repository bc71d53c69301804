//! Small files that claim to be large.

use recount_capture::{CaptureError, Log};

use crate::counted::Reads;
use crate::frames::{CHUNK, Chunk, INDEX, RECORD, Section, frame, header, log, numbers};
use crate::memory::peak;

/// How many times the length of a log is read at most, to open it and to read its records.
const MAX_READ: u64 = 8;

/// Opens a log and reads all records. Returns how many could be read, how much memory that took, and the
/// findings.
fn read(file: &[u8]) -> (usize, usize, String) {
    read_at_most(MAX_READ, file)
}

/// The same of a log that is read more often.
fn read_at_most(times: u64, file: &[u8]) -> (usize, usize, String) {
    let reads = Reads::default();
    let input = reads.of(file);
    let (taken, (num_read, told)) = peak(|| {
        let log = match Log::open(input) {
            Ok(log) => log,
            Err(error) => return (0, error.to_string()),
        };
        let mut num_read = 0;
        let mut told = format!("{:?}", log.health());
        log.for_each_record::<CaptureError>(|_, bytes| {
            match bytes {
                Ok(_) => num_read += 1,
                Err(error) => told = error.to_string(),
            }
            Ok(())
        })
        .expect("nothing to fail");
        (num_read, told)
    });
    reads.assert_at_most(times, file, &|| told.chars().take(200).collect());
    (num_read, taken, told)
}

fn u32s(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A structure of one stream whose rows have `len_row` bytes, in segments of one piece.
fn structure(num_pieces: u32, len_row: u64, first_row: &[u8]) -> Vec<u8> {
    let mut out = u32s(&[num_pieces, num_pieces, 1, 1]);
    out.extend(numbers(1, num_pieces as usize));
    // All as predicted, but for the first: after itself comes the same stream again.
    out.extend(numbers(1, num_pieces as usize));
    out.extend(numbers(0, 1));
    out.extend(numbers(len_row, 1));
    out.extend(first_row);
    out
}

/// A table of records that have one segment each, all of section 0.
fn table(num_records: u32, len_record: u64) -> Vec<u8> {
    let num = num_records as usize;
    let mut out = u32s(&[num_records]);
    out.extend(numbers(0, num));
    out.extend(numbers(9, num));
    out.extend(numbers(len_record, num));
    out.extend(numbers(1, num));
    out.extend(numbers(0, num));
    out
}

fn chunk(num_records: u32, len_record: u64, sections: Vec<Section>) -> Chunk {
    Chunk {
        number_first: 0,
        times: [0; 2],
        len_raw: u64::from(num_records) * len_record,
        num_records,
        table: table(num_records, len_record),
        sections,
    }
}

/// The helpers make sound logs: this one can be read.
#[test]
fn a_chunk_by_hand() {
    let section =
        Section { key: 5, flags: 0, structure: structure(10, 4, &[1, 2, 3, 4]), columns: vec![0, 0] };
    let (num_read, _, told) = read(&log(CHUNK, &chunk(10, 4, vec![section]).write()));
    assert_eq!(num_read, 10, "{told}");
}

/// One section that is as long as a chunk may be, many times.
#[test]
fn sections_longer_than_the_records() {
    let num = 2_000;
    let section = Section {
        key: 5,
        flags: 0,
        structure: structure(num, 1_000, &[7; 1_000]),
        columns: vec![0; (num as usize - 1).div_ceil(8)],
    };
    let one = chunk(num, 1_000, vec![section.clone()]);
    let (num_read, _, told) = read(&log(CHUNK, &one.write()));
    assert_eq!(num_read, num as usize, "{told}");
    let mut many = chunk(num, 1_000, vec![section; 500]);
    many.sections[0].key = 9;
    // The records are of the first; the others are more than there is.
    let (num_read, taken, told) = read(&log(CHUNK, &many.write()));
    assert_eq!(num_read, num as usize, "{told}");
    assert!(taken < 20 << 20, "{taken}: {told}");
}

/// Very many pieces that take no bytes in their list.
#[test]
fn pieces_without_rows() {
    for num_pieces in [1 << 22, (1 << 22) + 1, u32::MAX] {
        let mut structure = u32s(&[1, num_pieces, 1, 1]);
        structure.extend([0, 0, 0, 0, 0, 0, 0, 0]);
        structure.resize(200, 0);
        let section = Section { key: 5, flags: 0, structure, columns: Vec::new() };
        let (num_read, taken, told) = read(&log(CHUNK, &chunk(10, 4, vec![section]).write()));
        assert_eq!(num_read, 0);
        assert!(taken < 4 << 20, "{num_pieces} pieces: {taken}");
        assert!(told.contains("num_pieces") && told.contains("expected at most"), "{told}");
    }
}

/// Data that decompresses to much more than it claims, or claims much more than it has.
#[test]
fn lengths_that_lie() {
    let bomb = zstd::bulk::compress(&vec![0; 512 << 20], 1).expect("memory");
    let mut sound = chunk(10, 4, Vec::new());
    sound.sections = vec![Section { key: 5, flags: 0, structure: vec![0; 16], columns: Vec::new() }];
    let payload = sound.write();
    for len_said in [0_u32, 100, 64 << 20, 128 << 20, u32::MAX] {
        let mut payload = payload.clone();
        // The structure of the section is the bomb; its columns go.
        let ofs = 52 + 32 + 4 + u32::from_le_bytes(payload[40..44].try_into().expect("4 bytes")) as usize;
        payload.truncate(ofs);
        payload.extend_from_slice(&bomb);
        let words = [bomb.len() as u32, len_said, 0, 0, crc32c::crc32c(&bomb), 0];
        payload[60..84].copy_from_slice(&u32s(&words));
        let crc = crc32c::crc32c(&payload[..84]);
        payload[84..88].copy_from_slice(&crc.to_le_bytes());
        let (num_read, taken, told) = read(&log(CHUNK, &payload));
        assert_eq!(num_read, 0);
        // The file itself is read as a whole, and searched.
        assert!(taken < (4 << 20) + 8 * bomb.len(), "{len_said} said: {taken}: {told}");
        assert!(told.contains("len_structure_raw") || told.contains("decompress"), "{told}");
    }
}

/// An index that lists very many frames and records.
#[test]
fn an_index_of_everything() {
    for nums in
        [[u64::MAX; 4], [1 << 40; 4], [64 << 20, 64 << 20, 512 << 20, 512 << 20], [1, 1, 512 << 20, 16]]
    {
        let mut payload: Vec<u8> = nums.iter().flat_map(|num| num.to_le_bytes()).collect();
        payload.extend(zstd::bulk::compress(&[0; 16], 1).expect("memory"));
        let (num_read, taken, _) = read(&log(INDEX, &payload));
        assert_eq!(num_read, 0);
        assert!(taken < 4 << 20, "{nums:?}: {taken}");
    }
}

/// Frames of which each claims the rest of the file.
#[test]
fn frames_within_broken_frames() {
    let mut file = header();
    let len = 4 << 20;
    let mut heads = 0;
    while file.len() < len {
        let mut head = frame(RECORD, &[]);
        head.truncate(20);
        let len_payload = (len - file.len()) as u32;
        head[12..16].copy_from_slice(&len_payload.to_le_bytes());
        let crc = crc32c::crc32c(&head[..16]);
        head[16..20].copy_from_slice(&crc.to_le_bytes());
        file.extend(head);
        heads += 1;
    }
    file.resize(file.len() + 100, 0);
    // Some kilobytes after each head, and not the rest of the file: that would be 100,000 times its length.
    let (num_read, taken, told) = read_at_most(1_000, &file);
    assert_eq!(num_read, 0);
    assert!(heads > 200_000 && taken < 64 << 20, "{taken}");
    assert!(told.contains("Truncated"), "{told}");
}

/// Very many broken frames, each with its finding.
#[test]
fn damage_without_number() {
    let mut file = header();
    let mut sound = 0_u64;
    for at in 0..40_000_u64 {
        let mut record = sound.to_le_bytes().to_vec();
        record.extend([0; 16]);
        let mut frame = frame(RECORD, &record);
        if at % 2 == 0 {
            frame[25] ^= 1;
        } else {
            sound += 1;
        }
        file.extend(frame);
    }
    let len = file.len();
    let (num_read, taken, told) = read(&file);
    assert_eq!(num_read, 20_000);
    assert!(taken < 8 * len, "{taken} for {len}");
    // All are counted; not all are shown.
    assert!(told.contains("counts: [0, 20000, 0, 0, 0, 0, 0]"), "{told}");
}

/// Very many sections, each looked up in each list.
#[test]
fn sections_without_number() {
    let sections = vec![Section { key: 5, flags: 0, structure: Vec::new(), columns: Vec::new() }; 65_000];
    let payload = chunk(10, 4, sections).write();
    let (num_read, taken, _) = read(&log(CHUNK, &payload));
    assert_eq!(num_read, 0);
    assert!(taken < 16 * payload.len(), "{taken} for {}", payload.len());
}
