//! Mutated buffers through every parser: no panic, little memory, and a place for each rejection.
//!
//! `RECOUNT_MUTATIONS` says how many of them each parser gets; the documented run is of 1,000,000.

#[path = "../../../recount-capture/tests/hostile/memory.rs"]
mod memory;
mod mutate;
mod sound;

use std::fmt;

use memory::{Measured, peak};
use mutate::{Random, mutate};
use recount_bytes::FormatError;
use recount_model::Split;
use recount_pcq::{
    CounterBlock, CounterIdentifiers, CounterRegInfo, Guid, InstanceRow, Instances, Message, MessageSplit,
    QueryData, Registration, StringTable, Text, dump, messages, parse_guids,
};

#[global_allocator]
static ALLOCATOR: Measured = Measured;

/// Where buffers start in their file, for the places of errors.
const OFS: u64 = 0x1_0000;
/// Beyond 16 times the input: for the texts of errors.
const LEN_CONSTANT: usize = 1024;

fn num_mutations() -> u64 {
    match std::env::var("RECOUNT_MUTATIONS") {
        Ok(number) => number.parse().expect("a number"),
        Err(_) => 20_000,
    }
}

/// Feeds a parser. `read` walks everything and passes each rejection to its second argument.
fn feed(seed: u64, sound: &[Vec<u8>], read: impl Fn(&[u8], &mut dyn FnMut(FormatError))) {
    let (mut num_accepted, mut num_rejected) = (0_u64, 0_u64);
    for bytes in sound {
        read(bytes, &mut |error| panic!("{error}"));
    }
    for number in 0..num_mutations() {
        let mut random = Random::new(seed << 40 | number);
        let mut bytes = sound[random.below(sound.len())].clone();
        mutate(&mut bytes, sound, &mut random);
        let mut is_rejected = false;
        let (taken, ()) = peak(|| {
            read(&bytes, &mut |error| {
                is_rejected = true;
                check_place(&error, bytes.len());
            });
        });
        assert!(taken <= 16 * bytes.len() + LEN_CONSTANT, "{taken} bytes for {}: {bytes:02x?}", bytes.len());
        *(if is_rejected { &mut num_rejected } else { &mut num_accepted }) += 1;
    }
    // Damage that is never found, or everything refused: then it isn't the parser that was tested.
    assert!(num_rejected > num_mutations() / 50, "{num_rejected} rejected");
    assert!(num_accepted > num_mutations() / 100, "{num_accepted} accepted");
}

fn check_place(error: &FormatError, len: usize) {
    let place = error.place().unwrap_or_else(|| panic!("no place: {error}"));
    assert!(place.structure.is_some() && place.field.is_some(), "{error}");
    let all = OFS..=OFS + len as u64;
    assert!(all.contains(&place.ofs) && place.ofs_structure.is_some_and(|ofs| all.contains(&ofs)), "{error}");
}

/// Takes text, and nothing of it stays.
struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

#[test]
fn guids() {
    feed(1, &[sound::guids(), vec![1; 16]], |bytes, reject| {
        parse_guids(bytes, OFS).map_or_else(&mut *reject, |guids| assert_eq!(guids.len() * 16, bytes.len()));
    });
    feed(2, &[vec![1; 16]], |bytes, reject| {
        Guid::parse(bytes, OFS).map_or_else(&mut *reject, |guid| assert_eq!(guid.0, bytes));
    });
}

#[test]
fn registrations() {
    feed(3, &[sound::registration()], |bytes, reject| match Registration::parse(bytes, OFS) {
        Ok(registration) => assert_eq!(registration.counters.len() * 48 + 32, bytes.len()),
        Err(error) => reject(error),
    });
    feed(4, &[sound::counter(5)], |bytes, reject| {
        CounterRegInfo::parse(bytes, OFS).map_or_else(&mut *reject, |_| assert_eq!(bytes.len(), 48));
    });
}

#[test]
fn texts() {
    feed(5, &[sound::text(), vec![0; 8]], |bytes, reject| match Text::parse(bytes, OFS) {
        Ok(text) => assert!(text.to_string_lossy().len() <= 2 * bytes.len()),
        Err(error) => reject(error),
    });
    feed(6, &[sound::string_table()], |bytes, reject| match StringTable::parse(bytes, OFS) {
        Ok(table) => {
            let num_none = table.offsets().filter(|(_, ofs_string)| *ofs_string == u32::MAX).count();
            assert_eq!(table.iter().count() + num_none, table.num_counters());
        }
        Err(error) => reject(error),
    });
}

#[test]
fn instances() {
    feed(7, &[sound::instances()], |bytes, reject| {
        for instance in Instances::parse(bytes, OFS) {
            instance.map_or_else(&mut *reject, |instance| drop(instance.name.to_string_lossy()));
        }
    });
}

#[test]
fn identifiers() {
    feed(8, &[sound::identifiers()], |bytes, reject| {
        for identifier in CounterIdentifiers::parse(bytes, OFS) {
            identifier.map_or_else(&mut *reject, |identifier| drop(identifier.to_buf()));
        }
    });
}

fn walk(block: &CounterBlock<'_>) {
    let row = |row: InstanceRow<'_>| {
        drop(row.instance.name.to_string_lossy());
        assert_eq!(row.values.iter().count(), row.values.len());
    };
    match block {
        CounterBlock::Error { .. } => {}
        CounterBlock::Single { value, .. } => assert!(value.value().is_none() || value.value.len() <= 8),
        CounterBlock::MultiCounters { ids, values, .. } => {
            assert_eq!(ids.iter().count(), values.iter().count());
        }
        CounterBlock::MultiInstances { instances, .. } | CounterBlock::CounterSet { instances, .. } => {
            assert_eq!(instances.iter().map(row).count(), instances.len());
        }
    }
}

#[test]
fn answers() {
    feed(9, &[sound::query_data()], |bytes, reject| match QueryData::parse(bytes, OFS) {
        Ok(data) => data.blocks().for_each(|block| block.map_or_else(&mut *reject, |block| walk(&block))),
        Err(error) => reject(error),
    });
}

#[test]
fn single_messages() {
    feed(10, &sound::messages(), |bytes, reject| match Message::parse(bytes, OFS) {
        Ok(message) => {
            assert!(message.len() <= bytes.len());
            let _ = message.time_of_sample();
        }
        Err(error) => reject(error),
    });
}

#[test]
fn streams() {
    feed(11, &[sound::stream()], |bytes, reject| {
        let mut end = 0;
        for item in messages(bytes, 0) {
            assert!(item.ofs == end && item.end > item.ofs && item.end <= bytes.len());
            end = item.end;
            // Streams start at 0, so their errors' places do.
            item.message.map_or_else(|error| reject(error.map_ofs(|ofs| ofs + OFS)), drop);
        }
        assert_eq!(end, bytes.len());
    });
}

#[test]
fn dumps() {
    feed(12, &sound::messages(), |bytes, reject| match Message::parse(bytes, OFS) {
        Ok(message) => dump(&message, OFS, &mut Nowhere).expect("it never fails"),
        Err(error) => reject(error),
    });
}

#[test]
fn splits() {
    let samples = [sound::message(6, 0, &sound::query_data()), sound::message(5, 0, &sound::identifiers())];
    feed(13, &samples, |bytes, reject| {
        let mut pieces = Vec::new();
        MessageSplit::default().split(bytes, &mut pieces);
        assert_eq!(pieces.iter().map(|piece| piece.len as usize).sum::<usize>(), bytes.len());
        Message::parse(bytes, OFS).map_or_else(reject, drop);
    });
}

/// Checks the assumptions of the bounds above.
#[test]
fn memory_is_counted() {
    let (taken, held) = peak(|| (drop(vec![1_u8; 5000]), vec![1_u8; 1000]).1);
    assert_eq!((taken, held.len()), (5000, 1000));
}

/// A table whose entries all refer to the same long text takes no more time or memory than another.
#[test]
fn a_table_that_says_the_same_again_and_again() {
    let num = 100_000_u32;
    let mut bytes = (8 + 8 * num + 400_002).to_le_bytes().to_vec();
    bytes.extend(num.to_le_bytes());
    bytes.extend(std::iter::repeat_n([0; 8], num as usize).flatten());
    bytes.extend(std::iter::repeat_n([97, 0], 200_000).flatten());
    bytes.extend([0, 0]);
    let message = sound::message(1, 5, &bytes);
    let message = Message::parse(&message, 0).expect("sound");
    let (taken, ()) = peak(|| dump(&message, 0, &mut Nowhere).expect("it never fails"));
    assert!(taken < 4 * bytes.len(), "{taken}");
}

/// An answer of one `PERF_COUNTERSET` block: unnamed instances with values of no bytes.
fn answer_of_empty_rows(num_ids: u32, num: u32) -> Vec<u8> {
    let len_ids = 8 + 4 * num_ids;
    let len_rows = 8 + num * (8 + 8 * num_ids);
    let len_block = 16 + len_ids + len_rows;
    let mut words = vec![48 + len_block, 1];
    words.extend([0; 10]);
    words.extend([0, 6, len_block, 0, len_ids, num_ids]);
    words.extend(0..num_ids);
    words.extend([len_rows, num]);
    for id in 0..num {
        words.extend([8, id]);
        words.extend([0, 8].repeat(num_ids as usize));
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The smallest rows there are, each of another instance: nothing takes more memory per byte of a message.
#[test]
fn an_answer_of_empty_rows_takes_no_memory_to_speak_of() {
    for (num_ids, num) in [(0, 10_000), (0, 9_000), (2, 7_200), (2, 7_000), (4, 14_400)] {
        let bytes = answer_of_empty_rows(num_ids, num);
        let data = QueryData::parse(&bytes, 0).expect("sound");
        let mut num_read = 0;
        for block in data.blocks() {
            let CounterBlock::CounterSet { instances, .. } = block.expect("sound") else {
                panic!("another block")
            };
            num_read += instances.iter().count();
        }
        assert_eq!(num_read, num as usize);
        let record = sound::message(6, 0, &bytes);
        let (taken, num_pieces) = peak(|| {
            let mut pieces = Vec::new();
            MessageSplit::default().split(&record, &mut pieces);
            pieces.len()
        });
        assert!(taken < 16 * record.len(), "{taken} for {} bytes", record.len());
        assert_eq!(num_pieces > num as usize, num_ids > 0);
    }
}
