//! Sizes of packed logs, compared with those that `zstd -19 --long=27` (1.5.4) achieves for the same files.

use std::io::Cursor;

use recount_blg::{BlgWriter, Entry, RecordBuf, TraceHeader};
use recount_model::{CounterType, Timestamp};

use super::pack;

/// The aim, in percent.
const MAX_PERCENT: u64 = 60;

/// A log with few samples of many counters, like one recorded to look at everything: mostly names and first values.
fn made_log() -> Vec<u8> {
    const NUM_COUNTERS: usize = 600;
    const NUM_SAMPLES: i64 = 11;
    const TYPES: [u32; 4] = [0x1041_0400, 0x0001_0100, 0x2051_0500, 0x1041_0500];
    let mut random = 1_u64;
    let mut below = |limit: u64| {
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (random >> 33) % limit
    };
    let mut entries = Vec::new();
    let table = recount_names::table_text();
    let names = table.lines().skip(1).map(|line| line.split('\t').next().unwrap_or_default());
    let (mut object, mut num_instances, mut counters) = ("", 1, Vec::new());
    for name in names {
        if let Some(counter) = name.strip_prefix(' ') {
            counters.push(counter);
            continue;
        }
        for instance in 0..num_instances {
            let entry = |counter: &&str| Entry {
                kind: 0,
                counter_type: CounterType(TYPES[counter.len() % 4]),
                time_base: 10_000_000,
                default_scale: 0,
                host: "DESKTOP-7K2QM4".into(),
                object: object.into(),
                instance: (num_instances > 1).then(|| format!("instance {instance}")),
                parent: None,
                index: 0,
                counter: (*counter).into(),
            };
            entries.extend(counters.iter().map(entry));
        }
        (object, num_instances) = (name, below(4) + 1);
        counters.clear();
    }
    entries.truncate(NUM_COUNTERS);
    let mut values: Vec<(u64, u64)> = (0..NUM_COUNTERS)
        .map(|_| match below(4) {
            0 | 1 => (0, 0),
            2 => (below(1 << 30), 0),
            _ => (below(1 << 30), 1 << below(18)),
        })
        .collect();
    let time = |sample: i64| Timestamp(133_500_000_000_000_000 + sample * 10_000_000);
    let header = TraceHeader { len_buffer: 0x1_0000, len_pointer: 8, ..TraceHeader::default() };
    let mut writer = BlgWriter::new(Cursor::new(Vec::new()), header, [7; 16]).expect("a header");
    writer.counter_list(time(0), &entries).expect("a list");
    for sample in 0..NUM_SAMPLES {
        let records: Vec<RecordBuf> = values
            .iter_mut()
            .map(|(first, step)| {
                *first += below(*step + 1);
                RecordBuf::Single { status: 0, first: *first, second: time(sample).0 as u64, multi: 1 }
            })
            .collect();
        writer.data_block(time(sample), &records).expect("a sample");
    }
    writer.finish(time(NUM_SAMPLES)).expect("the end").into_inner()
}

/// Size in percent of zstd's.
fn percent(name: &str, file: &[u8], len_zstd: u64) -> u64 {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    std::fs::write(&path, file).expect("written");
    let packed = pack(&path, None, false, &crate::unwatched).expect("packed");
    100 * packed.len_packed / len_zstd
}

/// Counter lists of several fragments were once larger than zstd's result.
#[test]
fn a_log_of_names_is_small() {
    let file = made_log();
    // The measured size holds for this log only.
    assert_eq!((file.len(), crc32c::crc32c(&file)), (589_824, 0x84A8_84DD));
    let percent = percent("names.blg", &file, 16_343);
    assert!(percent <= MAX_PERCENT, "{percent} %");
}

/// Second tier.
mod stored {
    use recount_testdata::shared;

    use super::*;

    /// Prefixes of a real log, by their length in KiB: whole buffers, and lengths that a truncated file may
    /// have.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn real_logs_are_small() {
        let file = shared("blg/tx-basic.blg");
        let prefixes = [
            (128, 8_465),
            (150, 11_307),
            (192, 16_497),
            (200, 17_476),
            (256, 24_373),
            (300, 29_792),
            (320, 32_146),
            (384, 38_669),
        ];
        for (len, len_zstd) in prefixes {
            let percent = percent("tx-basic.blg", &file[..len << 10], len_zstd);
            assert!(percent <= MAX_PERCENT, "{len} KiB: {percent} %");
        }
    }

    /// A buffer with the head of the trace and a few samples: the parts common to all logs outweigh the samples.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_beginning_of_a_real_log_is_small() {
        let file = shared("blg/tx-basic.blg");
        assert!(percent("tx-basic.blg", &file[..76 << 10], 2_080) < 110);
        assert!(percent("tx-basic.blg", &file[..100 << 10], 5_006) < 66);
    }
}
