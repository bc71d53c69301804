//! Real logs, truncated and with flipped bits: undamaged parts are read as before, in bounded memory.

use crate::printed;

use std::sync::Arc;

use recount_atop::AtopLog;
use recount_model::{Cooked, Selection, Source};
use recount_testdata::{assert_memory_is_bounded, cuts, flips, shared};

/// Places per file: 1,100 cuts and as many flips in total.
const NUM_PLACES: usize = 100;

/// Where the samples begin, by the lengths in their headers, and the end.
fn offsets(bytes: &[u8]) -> Vec<usize> {
    let mut offsets = vec![480];
    while let Some(header) = bytes.get(offsets[offsets.len() - 1]..).filter(|rest| rest.len() >= 96) {
        let word =
            |ofs: usize| u32::from_le_bytes(header[ofs..ofs + 4].try_into().expect("4 bytes")) as usize;
        offsets.push(offsets[offsets.len() - 1] + 96 + word(16) + word(20) + word(72) + word(84));
    }
    offsets
}

/// All values of a sample, as text.
fn values(log: &AtopLog, sample: usize) -> String {
    let of = |cooked: &Cooked| {
        let instances: Vec<String> = cooked.instances.iter().map(ToString::to_string).collect();
        let columns: Vec<_> = cooked.columns.iter().map(|column| (&column.values, &column.status)).collect();
        format!("{} {instances:?} {columns:?}\n", cooked.object.name)
    };
    log.decode(&[sample as u32], &Selection::all()).cooked.iter().map(of).collect()
}

fn open(bytes: &[u8]) -> Option<AtopLog> {
    AtopLog::open(Arc::new(bytes.to_vec())).ok()
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_before_the_end_is_read() {
    let mut num_read = 0;
    for (name, _) in printed::LOGS {
        let bytes = printed::unzip(&shared(&format!("atop/{name}")));
        let (whole, offsets) = (open(&bytes).expect(name), offsets(&bytes));
        assert_eq!(offsets.len(), whole.times().len() + 1, "{name}");
        for end in cuts(bytes.len(), NUM_PLACES) {
            let num = offsets[1..].iter().filter(|offset| **offset <= end).count();
            let Some(log) = open(&bytes[..end]) else {
                assert_eq!(num, 0, "{name} {end}");
                continue;
            };
            assert_eq!(log.times(), &whole.times()[..num], "{name} {end}");
            assert_eq!(log.health().is_complete(), offsets.contains(&end), "{name} {end}");
            assert_eq!(values(&log, num - 1), values(&whole, num - 1), "{name} {end}");
            num_read += 1;
        }
    }
    assert!(num_read > 700, "{num_read}");
    assert_memory_is_bounded();
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_beside_a_flipped_bit_is_read() {
    let mut num_read = 0;
    for (name, _) in printed::LOGS {
        let bytes = printed::unzip(&shared(&format!("atop/{name}")));
        let (whole, offsets) = (open(&bytes).expect(name), offsets(&bytes));
        let num = whole.times().len();
        let expected: Vec<String> = (0..num).map(|sample| values(&whole, sample)).collect();
        // Except for a sample's time, with which the next one is compared.
        for (at, bit) in flips(&offsets[..num], 8..96, 480..bytes.len(), NUM_PLACES) {
            let hit = offsets[1..].iter().filter(|offset| **offset <= at).count();
            let mut flipped = bytes.clone();
            flipped[at] ^= bit;
            let log = open(&flipped).unwrap_or_else(|| panic!("{name} {at}"));
            // The damaged one may be gone, or have another time.
            let others: Vec<String> = (0..log.times().len()).map(|sample| values(&log, sample)).collect();
            for sample in (0..num).filter(|sample| *sample != hit) {
                assert!(others.contains(&expected[sample]), "{name} {at:#x}: sample {sample} of {num}");
                num_read += 1;
            }
            assert!(others.len() >= num - 1, "{name} {at}");
        }
    }
    assert!(num_read > 8_000, "{num_read}");
    assert_memory_is_bounded();
}

/// The header states the version and all lengths: impossible values are refused, and possible ones cause no panic.
#[test]
#[ignore = "reads ../shared/data"]
fn a_flipped_bit_in_the_header_is_read_or_refused() {
    let (mut num_opened, mut num_refused) = (0, 0);
    for (name, _) in printed::LOGS {
        let bytes = printed::unzip(&shared(&format!("atop/{name}")));
        for (at, bit) in flips(&[], 0..0, 0..480, NUM_PLACES) {
            let mut flipped = bytes.clone();
            flipped[at] ^= bit;
            match AtopLog::open(Arc::new(flipped)) {
                Ok(log) => {
                    assert!(!values(&log, 0).is_empty(), "{name} {at:#x}");
                    num_opened += 1;
                }
                Err(error) => {
                    assert!(error.to_string().contains("at byte 0x"), "{name} {at:#x}: {error}");
                    num_refused += 1;
                }
            }
        }
    }
    assert!(num_opened > 700 && num_refused > 20, "{num_opened} {num_refused}");
    assert_memory_is_bounded();
}
