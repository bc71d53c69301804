use recount_model::{Piece, Timestamp};

use super::super::decode::{ChunkReader, segments};
use super::super::{Encoder, SectionEntry};
use super::*;
use crate::record::RecordKind;
use crate::zip;

/// Records of three sections, with columns in all forms, rows that repeat, streams that begin late, and known texts.
fn records() -> Vec<(Vec<u8>, Vec<Piece>)> {
    let record = |index: u32| {
        let (mut bytes, mut pieces) =
            (vec![7; 5], vec![Piece { section: u32::MAX, sort: 0, key: 0, len: 5 }]);
        for key in 0..4 + index % 3 {
            let a = index / 2 * 1_000 * (key % 2);
            let b = index * index * (key + 1);
            let noise = (index.wrapping_mul(0x9E37_79B9) >> 7) * key;
            let words = [key, a, b, a.wrapping_add(b), b, noise, 0];
            bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
            bytes.extend([index as u8, 0, key as u8]);
            pieces.push(Piece { section: 5, sort: 1, key: u64::from(key), len: 31 });
        }
        let known_texts = ["RAS", "Cache", "Memory", "Process", "System", "_Total", "svchost", "Idle"];
        for (text, sort) in known_texts.into_iter().zip(2..).filter(|_| index == 7) {
            let start = bytes.len();
            bytes.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
            pieces.push(Piece { section: 6, sort, key: 0, len: (bytes.len() - start) as u32 });
        }
        (bytes, pieces)
    };
    (0..12).map(record).collect()
}

struct Encoded {
    payload: Vec<u8>,
    head: ChunkHead,
    table: RecordTable,
    raw: Vec<u8>,
}

fn encoded() -> Encoded {
    let mut encoder = Encoder::new(100);
    let mut raw = Vec::new();
    for (at, (bytes, pieces)) in records().into_iter().enumerate() {
        encoder.push(Timestamp(at as i64 * 50), RecordKind(at as u16 % 2), &bytes, &pieces);
        raw.extend(bytes);
    }
    let payload = encoder.encode(3).expect("proven").payload;
    let head = ChunkHead::read(&payload, payload.len()).expect("sound");
    let table = &payload[head.len()..head.len() + head.len_table];
    let table = RecordTable::read(table, &head).expect("sound");
    prove(&payload, 100, &table, &raw).expect("proven");
    Encoded { payload, head, table, raw }
}

/// The parts of a payload, decompressed: the table, and of every section structure and columns.
fn parts(encoded: &Encoded) -> Vec<Vec<u8>> {
    let (head, payload) = (&encoded.head, &encoded.payload);
    let mut ofs = head.len();
    let mut take = |len: usize, len_raw: usize| {
        let start = ofs;
        ofs += len;
        zip::unpack(&payload[start..ofs], len_raw).expect("sound")
    };
    let mut parts = vec![take(head.len_table, head.len_table_raw)];
    for entry in &head.sections {
        parts.push(take(entry.len_structure, entry.len_structure_raw));
        parts.push(take(entry.len_columns, entry.len_columns_raw));
    }
    parts
}

/// A payload of other parts, with the right lengths and checksums.
fn joined(head: &ChunkHead, parts: &[Vec<u8>]) -> Vec<u8> {
    let packed: Vec<Vec<u8>> = parts.iter().map(|part| zip::pack(part)).collect();
    let mut head = head.clone();
    (head.len_table, head.len_table_raw) = (packed[0].len(), parts[0].len());
    head.crc_table = crc32c::crc32c(&packed[0]);
    for (at, entry) in head.sections.iter_mut().enumerate() {
        let (structure, columns) = (1 + 2 * at, 2 + 2 * at);
        *entry = SectionEntry {
            len_structure: packed[structure].len(),
            len_structure_raw: parts[structure].len(),
            len_columns: packed[columns].len(),
            len_columns_raw: parts[columns].len(),
            crc_structure: crc32c::crc32c(&packed[structure]),
            crc_columns: crc32c::crc32c(&packed[columns]),
            ..*entry
        };
    }
    let mut payload = Vec::new();
    head.write(&mut payload);
    payload.extend(packed.concat());
    payload
}

/// All records of a payload, decoded as readers do.
fn decoded(payload: &[u8]) -> Result<Vec<u8>, Short> {
    let head = ChunkHead::read(payload, payload.len())?;
    let mut bytes = Bytes::new(payload);
    bytes.take("head", head.len())?;
    let table = RecordTable::read(bytes.take("table", head.len_table)?, &head)?;
    let mut sections = Vec::new();
    for entry in &head.sections {
        let structure = bytes.take("structure", entry.len_structure)?;
        let columns = bytes.take("columns", entry.len_columns)?;
        sections.push(Some(segments(entry, structure, columns, head.len_raw)?));
    }
    let reader = ChunkReader::new(table, sections);
    reader.check()?;
    let mut raw = Vec::new();
    (0..head.num_records).try_for_each(|record| reader.record(record, &mut raw))?;
    Ok(raw)
}

#[test]
fn readers_go_another_way_to_the_same_bytes() {
    let encoded = encoded();
    assert_eq!(decoded(&encoded.payload).expect("sound"), encoded.raw);
    let again = joined(&encoded.head, &parts(&encoded));
    prove(&again, 100, &encoded.table, &encoded.raw).expect("the same parts");
}

/// Any other payload that an encoder might write fails the proof, unless it means the same.
#[test]
fn no_wrong_encoding_is_proven() {
    let encoded = encoded();
    let parts = parts(&encoded);
    let (mut num_refused, mut num_same) = (0, 0);
    for part in 0..parts.len() {
        for place in 0..parts[part].len() {
            for bit in [0, 1, 3, 7] {
                let mut changed = parts.clone();
                changed[part][place] ^= 1 << bit;
                let payload = joined(&encoded.head, &changed);
                if prove(&payload, 100, &encoded.table, &encoded.raw).is_ok() {
                    assert_eq!(decoded(&payload).as_ref(), Ok(&encoded.raw), "part {part}, byte {place}");
                    num_same += 1;
                } else {
                    num_refused += 1;
                }
            }
        }
    }
    // Bits that mean nothing, such as those after the last of a bitmap, are few.
    assert!(num_refused > 1_500 && num_same * 30 < num_refused, "{num_refused} refused, {num_same} the same");
}

#[test]
fn every_byte_is_compared() {
    let encoded = encoded();
    let Encoded { payload, table, raw, head } = &encoded;
    for place in 0..raw.len() {
        let mut other = raw.clone();
        other[place] ^= 0x40;
        assert!(prove(payload, 100, table, &other).is_err(), "byte {place}");
    }
    assert!(prove(payload, 100, table, &raw[..raw.len() - 1]).is_err());
    assert!(prove(payload, 100, table, &[raw.as_slice(), &[0]].concat()).is_err());
    assert!(prove(payload, 101, table, raw).is_err());
    for change in [
        |table: &mut RecordTable| table.times[3].0 += 1,
        |table: &mut RecordTable| table.kinds[3].0 += 1,
        |table: &mut RecordTable| table.lens.swap(0, 1),
        |table: &mut RecordTable| table.segments.swap(0, 1),
        |table: &mut RecordTable| table.segment_ends[0] += 1,
    ] {
        let mut other = table.clone();
        change(&mut other);
        assert!(prove(payload, 100, &other, raw).is_err());
    }
    let mut wrong_time = head.clone();
    wrong_time.time_max.0 += 1;
    let mut other = Vec::new();
    wrong_time.write(&mut other);
    other.extend_from_slice(&payload[head.len()..]);
    assert!(prove(&other, 100, table, raw).is_err());
}
