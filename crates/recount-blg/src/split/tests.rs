use std::io::Cursor;

use proptest::prelude::*;
use recount_model::{CounterType, Timestamp};

use super::*;
use crate::{BlgWriter, Entry, TraceHeader};

fn split(record: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    BlgSplit::default().split(record, &mut pieces);
    let len: u64 = pieces.iter().map(|piece| u64::from(piece.len)).sum();
    assert_eq!(len, record.len() as u64);
    assert!(pieces.iter().all(|piece| piece.len > 0));
    pieces
}

fn sample(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where each piece starts.
fn starts(pieces: &[Piece]) -> Vec<usize> {
    let ends = pieces.iter().scan(0, |end, piece| {
        *end += piece.len as usize;
        Some(*end)
    });
    ends.zip(pieces).map(|(end, piece)| end - piece.len as usize).collect()
}

#[test]
fn pieces_of_one_key_and_sort_have_one_meaning() {
    for (name, num_objects) in [("objects.blg", 4), ("circular.blg", 0), ("counters-dst.blg", 0)] {
        let file = sample(name);
        let len = crate::buffer_len(&file).expect("a buffer size");
        let mut num_blocks = 0;
        for buffer in file.chunks(len) {
            let pieces = split(buffer);
            for (piece, start) in pieces.iter().zip(starts(&pieces)) {
                let bytes = &buffer[start..start + piece.len as usize];
                let is_head = piece.sort == sort::RECORD_HEAD;
                assert!(!is_head || bytes.starts_with(b"BL"), "{name}");
                assert!((piece.section == Piece::FRAME) == (piece.sort < sort::MESSAGE), "{name}");
                num_blocks += usize::from(bytes.starts_with(b"P\0E\0R\0F\0"));
            }
        }
        // Two of the eight samples of objects.blg are in fragments.
        assert_eq!(num_blocks, 8 * num_objects, "{name}");
    }
}

/// Fragments that continue in the next buffer have the pieces of the whole message, as within a buffer.
#[test]
fn a_message_over_two_buffers_is_split_whole() {
    let file = sample("damaged.blg");
    let len = crate::buffer_len(&file).expect("a buffer size");
    let (mut splitter, mut pieces) = (BlgSplit::default(), Vec::new());
    let mut alone = Vec::new();
    for start in (0..file.len()).step_by(len) {
        let end = (start + len).min(file.len());
        splitter.split_at(&file, start..end, &mut pieces);
        assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), end);
        alone.extend(split(&file[start..end]));
    }
    assert!(pieces.len() >= alone.len(), "{} {}", pieces.len(), alone.len());
}

/// Section, sort, key and length identify the rows of a stream: texts that differ must not be taken for one.
#[test]
fn a_list_in_fragments_is_cut_along_its_entries() {
    const NUM: usize = 400;
    let entry = |number: usize| Entry {
        kind: 0,
        counter_type: CounterType(0x1041_0400),
        time_base: 10_000_000,
        default_scale: 0,
        host: "WEB1".into(),
        object: "Process".into(),
        instance: Some(format!("svchost{}", number / 20)),
        parent: None,
        index: 0,
        counter: format!("counter {}", number % 20),
    };
    let entries: Vec<Entry> = (0..NUM).map(entry).collect();
    let header = TraceHeader { len_buffer: 0x1_0000, len_pointer: 8, ..TraceHeader::default() };
    let mut writer = BlgWriter::new(Cursor::new(Vec::new()), header, [1; 16]).expect("a header");
    let names = (1..500).map(|index| (2 * index, format!("name {index}"))).collect();
    writer.name_table(Timestamp(5), r"\\WEB1", &names).expect("names");
    writer.counter_list(Timestamp(5), &entries).expect("a list");
    let file = writer.finish(Timestamp(6)).expect("the end").into_inner();
    let len = crate::buffer_len(&file).expect("a buffer size");
    let (mut splitter, mut texts, mut counts) = (BlgSplit::default(), HashMap::new(), HashMap::new());
    for start in (0..file.len()).step_by(len) {
        let mut pieces = Vec::new();
        splitter.split_at(&file, start..start + len, &mut pieces);
        for (piece, ofs) in pieces.iter().zip(starts(&pieces)) {
            let bytes = &file[start + ofs..start + ofs + piece.len as usize];
            *counts.entry((piece.section, piece.sort.min(sort::TEXT))).or_insert(0) += 1;
            if piece.sort >= sort::TEXT {
                assert_eq!(*texts.entry(*piece).or_insert(bytes), bytes, "{piece:?}");
            }
        }
    }
    let count = |section, sort| counts.get(&(section, sort)).copied().unwrap_or(0);
    // Some are cut once more where a fragment ends.
    assert!((NUM..NUM + 20).contains(&count(PAYLOAD, sort::ENTRY)), "{counts:?}");
    assert!((NUM + 499..NUM + 520).contains(&count(texts::NAMES, sort::TEXT)), "{counts:?}");
    assert_eq!(count(texts::BETWEEN, sort::NAME_INDEX), 499);
    assert!(texts.len() < 499 + NUM / 2, "{}", texts.len());
}

#[test]
fn what_is_no_buffer_stays_in_one_piece() {
    assert_eq!(split(&[]), []);
    assert_eq!(split(&[1; 71]).len(), 1);
    assert_eq!(split(&[0; 4_096]).len(), 1);
}

proptest! {
    #[test]
    fn any_bytes_are_covered(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        split(&bytes);
    }

    #[test]
    fn altered_buffers_are_covered(
        file in 0_usize..3,
        number in 0_usize..64,
        flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..40),
        len in any::<usize>(),
        cuts in any::<bool>(),
    ) {
        let bytes = match file {
            0 => sample("objects.blg"),
            1 => sample("circular.blg"),
            _ => sample("damaged.blg"),
        };
        let len_buffer = crate::buffer_len(&bytes).expect("a buffer size");
        let num = bytes.len().div_ceil(len_buffer);
        let mut buffer = bytes.chunks(len_buffer).nth(number % num).expect("a buffer").to_vec();
        for (at, value) in flips {
            let at = at % buffer.len();
            buffer[at] = value;
        }
        if cuts {
            buffer.truncate(len % buffer.len());
        }
        split(&buffer);
    }
}

/// Second tier.
mod stored {
    use recount_testdata::shared;

    use super::*;

    /// The third buffer of the real log contains 125 samples of five single values and one record of five
    /// instances.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_real_buffer_splits_along_its_records() {
        let file = shared("blg/tx-basic.blg");
        let len = crate::buffer_len(&file).expect("a buffer size");
        assert_eq!(len, 0x1_0000);
        let buffer = &file[2 * len..3 * len];
        let pieces = split(buffer);
        let count = |sort| pieces.iter().filter(|piece| piece.sort == sort).count();
        assert_eq!((count(sort::BUFFER_HEADER), count(sort::FILL), count(sort::UNKNOWN)), (1, 1, 0));
        let num_samples = count(sort::EVENT_HEADER);
        assert_eq!(num_samples, (0xFE30 - 72) / 520);
        assert_eq!(count(sort::RECORD + 1), 5 * num_samples);
        assert_eq!((count(sort::ITEM), count(sort::NAMES)), (5 * num_samples, num_samples));
        // All pieces with one key contain the same counter, in all samples: here its values never decrease.
        let mut by_key: HashMap<u64, Vec<u64>> = HashMap::new();
        for (piece, start) in pieces.iter().zip(starts(&pieces)).filter(|(piece, _)| piece.sort == sort::ITEM)
        {
            let first = &buffer[start + 8..start + 16];
            by_key
                .entry(piece.key)
                .or_default()
                .push(u64::from_le_bytes(first.try_into().expect("eight bytes")));
        }
        assert_eq!(by_key.len(), 5);
        assert!(by_key.values().all(|values| values.len() == num_samples && values.is_sorted()));
    }
}
