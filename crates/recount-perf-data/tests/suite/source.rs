//! Files of blocks as a source.

use std::sync::Arc;

use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{Content, CounterType, FindingKind, NameTable, Run, Selection, Source};
use recount_perf_data::{DataBlock, DumpSource};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

fn open(files: Vec<Vec<u8>>) -> DumpSource {
    let files = files
        .into_iter()
        .enumerate()
        .map(|(i, bytes)| (format!("{i}.bin"), Arc::new(bytes) as Arc<dyn Content>));
    DumpSource::open(files.collect(), NameTable::from_text("2\nSystem\n230\nProcess")).expect("blocks")
}

fn object(index: u32, names: &[&str], value: u64) -> ObjectBuf {
    let mut object = ObjectBuf::new(index, true);
    let counter = object.add_counter(10, CounterType(0x0001_0100));
    let mut values = object.zeroed_values();
    assert!(object.set_value(&mut values, ByteOrder::Little, counter, value));
    let instances = names.iter().map(|name| InstanceBuf::named(name, ByteOrder::Little, values.clone()));
    object.instances = InstancesBuf::Many(instances.collect());
    object
}

fn block(host: &str, time: i64, objects: Vec<ObjectBuf>) -> Vec<u8> {
    let mut block = BlockBuf::new(host, ByteOrder::Little);
    block.header.perf_time_100ns = time;
    block.objects = objects;
    block.write().expect("fits")
}

fn all(source: &DumpSource) -> recount_model::Decoded {
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    source.decode(&samples, &Selection::all())
}

fn summary(run: &Run) -> (&str, &str, usize, usize) {
    (&run.host, &run.object.name, run.num_samples(), run.instances.len())
}

#[test]
fn blocks_are_ordered_by_time_across_files_and_hosts() {
    let mut first = block("a", 300, vec![object(2, &["x"], 3), object(4, &["y"], 0)]);
    // After a block whose length isn't a multiple of 8, the next may follow directly or be aligned.
    let mut unaligned = BlockBuf::from_block(&DataBlock::parse(&first, 0).expect("sound")).expect("sound");
    unaligned.tail = vec![9; 3];
    unaligned.header.perf_time_100ns = 400;
    first.extend(unaligned.write().expect("fits"));
    first.extend([0; 5]);
    first.extend(block("a", 500, vec![object(2, &["x"], 5)]));
    first.extend(b"anything");
    let second = block("b", 350, vec![object(2, &["x"], 9)]);
    let third = block("a", 100, vec![object(2, &["x"], 1)]);
    let source = open(vec![first, second, third]);
    assert_eq!(source.times().iter().map(|time| time.utc.0).collect::<Vec<_>>(), [100, 300, 350, 400, 500]);
    let decoded = all(&source);
    let runs: Vec<_> = decoded.runs.iter().map(summary).collect();
    assert_eq!(runs, [("a", "System", 4, 1), ("a", "4", 2, 1), ("b", "System", 1, 1)]);
    assert_eq!(decoded.runs[0].columns[0].first, [1, 3, 3, 5]);

    let selection = Selection::from_iter([r"\\b\System(*)\*".parse().expect("path")]);
    let decoded = source.decode(&[1, 2], &selection);
    assert_eq!(decoded.runs.iter().map(summary).collect::<Vec<_>>(), [("b", "System", 1, 1)]);
}

fn block_at(host: &str, time: i64, ticks: i64) -> Vec<u8> {
    let mut block = BlockBuf::new(host, ByteOrder::Little);
    (block.header.perf_time_100ns, block.header.perf_time) = (time, ticks);
    block.objects = vec![object(2, &["x"], ticks as u64)];
    block.write().expect("fits")
}

fn epochs(source: &DumpSource) -> Vec<u32> {
    (0..source.times().len()).map(|sample| source.epoch(sample)).collect()
}

#[test]
fn a_clock_set_back_begins_an_epoch() {
    // The two passes interleave.
    let passes = [(100, 1), (200, 2), (300, 3), (150, 4), (250, 5)];
    let source = open(vec![passes.iter().flat_map(|(time, ticks)| block_at("a", *time, *ticks)).collect()]);
    assert_eq!(epochs(&source), [0, 1, 0, 1, 0]);
    assert_eq!(source.health().count(FindingKind::Odd), 1, "{:?}", source.health());
}

#[test]
fn a_restart_begins_an_epoch() {
    let samples = [(100, 900), (200, 1_000), (300, 10), (400, 20)];
    let blocks = samples.map(|(time, ticks)| block_at("a", time, ticks));
    let source = open(vec![blocks.concat()]);
    assert_eq!(epochs(&source), [0, 0, 1, 1]);
    assert_eq!(source.health().count(FindingKind::Odd), 1, "{:?}", source.health());
    // A file per block; another machine's clock doesn't matter.
    let mut files = blocks.to_vec();
    files.push(block_at("b", 250, 5));
    assert_eq!(epochs(&open(files)), [0, 0, 0, 1, 1]);
}

/// Two blocks of one moment with other values: neither can be compared with the other.
#[test]
fn a_contradiction_in_a_file_is_kept_apart() {
    let samples = [(100, 1), (200, 2), (200, 2), (300, 3)];
    let mut blocks = samples.map(|(time, ticks)| block_at("a", time, ticks));
    let at = blocks[2].len() - 8;
    blocks[2][at] ^= 1;
    let source = open(vec![blocks.concat()]);
    assert_eq!(epochs(&source), [0, 0, 1, 0]);
    let health = format!("{:?}", source.health());
    assert!(health.contains("has the time of another, and other values: both are kept"), "{health}");
    // Two blocks within a tick of the time are two samples.
    let samples = [(100, 1), (200, 2), (200, 3), (300, 4)];
    let source = open(vec![samples.map(|(time, ticks)| block_at("a", time, ticks)).concat()]);
    assert_eq!((epochs(&source), source.health().count(FindingKind::Odd)), (vec![0; 4], 0));
}

#[test]
fn a_block_and_its_copy_are_one_sample() {
    let blocks = [(100, 1), (200, 2), (300, 3)].map(|(time, ticks)| block_at("a", time, ticks));
    let notes = |source: &DumpSource| -> Vec<String> {
        source.health().findings().iter().map(|finding| finding.what.clone()).collect()
    };
    // A file of all blocks, and a file per block.
    let mut files = vec![blocks.concat()];
    files.extend(blocks.iter().cloned());
    let source = open(files);
    assert_eq!((source.times().len(), epochs(&source)), (3, vec![0; 3]));
    assert_eq!(
        notes(&source),
        ["3 samples are there more than once, the first in 1.bin and in 0.bin; each is counted once"]
    );
    // Within one file: it isn't a clock that was set back.
    let source = open(vec![[&blocks[..2], &blocks[..]].concat().concat()]);
    assert_eq!((source.times().len(), epochs(&source)), (3, vec![0; 3]));
    assert_eq!(
        notes(&source),
        ["2 samples are there more than once, the first in 0.bin; each is counted once"]
    );
    // Another machine, or another value, is another sample.
    let source = open(vec![block_at("a", 100, 1), block_at("b", 100, 1), block("a", 100, vec![])]);
    assert_eq!((source.times().len(), notes(&source).len()), (3, 0));
    // The name of a machine has no case.
    assert_eq!(open(vec![block_at("WEB", 100, 1), block_at("web", 200, 2)]).info().hosts, ["WEB".into()]);
}

#[test]
fn objects_that_blocks_of_one_time_share_count_once() {
    let process = |value| object(230, &["a"], value);
    let one = [100, 200].map(|time| block("a", time, vec![object(2, &["x"], 7), process(time as u64)]));
    let two = [200, 300].map(|time| block("a", time, vec![process(time as u64), object(4, &["z"], 9)]));
    for files in [vec![one.concat(), two.concat()], vec![[one.concat(), two.concat()].concat()]] {
        let source = open(files);
        let decoded = all(&source);
        let mut samples: Vec<(String, usize)> = Vec::new();
        for run in &decoded.runs {
            samples.push((run.object.name.to_string(), run.num_samples()));
        }
        samples.sort();
        assert_eq!(samples, [("4".to_owned(), 2), ("Process".to_owned(), 3), ("System".to_owned(), 2)]);
        let notes: Vec<&str> = source.health().findings().iter().map(|one| one.what.as_str()).collect();
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("1 sample has the time and some of the objects of another"), "{notes:?}");
        // Both kinds of blocks are thinned out by themselves.
        assert_eq!([0, 1, 2, 3].map(|sample| source.round(sample)), [0, 0, 1, 1]);
    }
    // Another value is another sample, and said.
    let other = block("a", 200, vec![object(230, &["a"], 1)]);
    let source = open(vec![one.concat(), other]);
    assert_eq!((all(&source).runs[1].num_samples(), source.health().findings().len()), (3, 1));
}

#[test]
fn a_repeated_object_adds_its_instances() {
    let mut other = object(2, &["z"], 0);
    other.counters[0].definition.default_scale = 1;
    let objects = vec![object(2, &["x", "y"], 1), object(4, &[], 0), object(2, &["x"], 2), other];
    let decoded = all(&open(vec![block("a", 1, objects)]));
    let shown: Vec<_> = decoded.runs[0].instances.iter().map(recount_model::Instance::shown).collect();
    assert_eq!(shown, ["x", "y", "x#1"]);
    assert_eq!(decoded.runs[0].columns[0].first, [1, 1, 2]);
    assert_eq!(
        decoded.runs.iter().map(summary).collect::<Vec<_>>(),
        [("a", "System", 1, 3), ("a", "4", 1, 0)]
    );
    assert_eq!((decoded.health.total(), decoded.health.count(FindingKind::Dropped)), (1, 1));
}

#[test]
fn damage_is_noted_and_the_rest_is_read() {
    let mut bytes = block("a", 1, vec![object(2, &["x"], 1)]);
    let start = bytes.len();
    bytes.extend(block("a", 2, vec![object(2, &["x"], 2), object(4, &["y"], 2)]));
    // TotalByteLength of the second object of the second block.
    let len_object = 64 + 40 + 24 + 8 + 16;
    let ofs = start + 96 + len_object;
    assert_eq!(bytes[ofs..ofs + 4], (len_object as u32).to_le_bytes());
    bytes[ofs] = 1;
    bytes.extend(&block("a", 3, vec![])[..90]);
    let source = open(vec![bytes]);
    assert_eq!(
        source.health().findings()[0].to_string(),
        format!(
            "damaged: PERF_DATA_BLOCK.TotalByteLength at byte {:#x} (structure starts at {:#x}): 0.bin: expected at \
             most 90, found 96",
            start + 96 + 2 * len_object + 20,
            start + 96 + 2 * len_object,
        )
    );
    let decoded = all(&source);
    assert_eq!(decoded.runs.iter().map(summary).collect::<Vec<_>>(), [("a", "System", 2, 1)]);
    assert_eq!(
        decoded.health.findings()[0].to_string(),
        format!(
            "damaged: PERF_OBJECT_TYPE.TotalByteLength at byte {ofs:#x}: 0.bin: expected at least 64, found 1"
        )
    );
}

/// A flipped bit in a signature, or in a length, costs one block.
#[test]
fn what_follows_a_damaged_block_is_read() {
    let blocks: Vec<Vec<u8>> =
        (0..5).map(|time| block("a", 100 * (time + 1), vec![object(2, &["x"], 7)])).collect();
    let start = blocks[0].len() + blocks[1].len();
    // The signature, and the highest byte of TotalByteLength.
    for field in [0, 23] {
        let mut bytes = blocks.concat();
        bytes[start + field] ^= 0x41;
        let source = open(vec![bytes]);
        let times: Vec<i64> = source.times().iter().map(|time| time.utc.0).collect();
        assert_eq!(times, [100, 200, 400, 500]);
        assert_eq!(
            source.health().count(FindingKind::Damaged) + source.health().count(FindingKind::Truncated),
            1
        );
        let finding = &source.health().findings()[0];
        assert!(finding.to_string().contains(&format!("{start:#x}")), "{finding}");
    }
}

#[test]
fn system_time_stands_in_for_a_missing_clock() {
    let mut owned = BlockBuf::new("a", ByteOrder::Little);
    let timeless = owned.write().expect("fits");
    owned.header.system_time = SystemTime { year: 2020, month: 2, day: 29, ..SystemTime::default() };
    let source = open(vec![owned.write().expect("fits"), timeless]);
    assert_eq!(source.times()[1].utc.to_string(), "2020-02-29T00:00:00Z");
    assert_eq!(source.health().count(FindingKind::Odd), 1);
}

#[test]
fn a_file_without_a_block_is_an_error() {
    assert!(!DumpSource::recognise(b"PERF"));
    let files = vec![("empty.bin".to_owned(), Arc::new(vec![0_u8; 9]) as Arc<dyn Content>)];
    let error = DumpSource::open(files, NameTable::new()).err().expect("no block");
    assert_eq!(
        error.to_string(),
        "empty.bin: no performance data block: PERF_DATA_BLOCK.Signature at byte 0x0: expected \"PERF\" in UTF-16, \
         found 00 00 00 00 00 00 00 00"
    );
}

/// These read the shared captures.
mod stored {
    use recount_model::Timestamp;

    use super::*;
    use crate::shared::{PROCESSES, WINE, read};

    #[test]
    #[ignore = "reads ../shared/data"]
    fn real_dumps_open_together() {
        let source = open(vec![read(PROCESSES), read(WINE)]);
        assert_eq!(source.times()[0].utc, Timestamp(131_291_624_803_022_616));
        assert_eq!((source.times().len(), source.len_sample(0), source.len_sample(1)), (2, 44_400, 96));
        assert!(source.health().is_sound(), "{:?}", source.health());
        assert_eq!(
            source.info().hosts.iter().map(|host| &**host).collect::<Vec<_>>(),
            ["ALKAPLAN-DESK", "VM"]
        );
        let objects = source.objects();
        assert_eq!((objects.len(), &*objects[0].1.name, objects[0].1.counters.len()), (1, "Process", 28));
        let decoded = all(&source);
        assert!(decoded.health.is_sound());
        assert_eq!(
            decoded.runs.iter().map(summary).collect::<Vec<_>>(),
            [("ALKAPLAN-DESK", "Process", 1, 165)]
        );
    }
}

/// The name of the machine isn't needed for anything else.
#[test]
fn a_name_that_is_elsewhere_costs_the_name_alone() {
    for (len, ofs) in [(4_u32, 0xffff_u32), (u32::MAX, 88), (4, 8), (4, u32::MAX)] {
        let mut bad = block("a", 200, vec![object(2, &["x"], 7)]);
        bad[80..84].copy_from_slice(&len.to_le_bytes());
        bad[84..88].copy_from_slice(&ofs.to_le_bytes());
        let dump = {
            let mut text = String::new();
            recount_perf_data::dump(&DataBlock::parse(&bad, 0).expect("sound"), &mut text).expect("text");
            text
        };
        assert!(dump.contains("! PERF_DATA_BLOCK.SystemNameOffset at byte 0x54"), "{dump}");
        let source = open(vec![block("a", 100, vec![object(2, &["x"], 3)]), bad]);
        let decoded = all(&source);
        assert_eq!(
            decoded.runs.iter().map(summary).collect::<Vec<_>>(),
            [("a", "System", 1, 1), ("", "System", 1, 1)]
        );
        assert_eq!(decoded.runs[1].columns[0].first, [7]);
        let findings: Vec<_> = source.health().findings().iter().map(ToString::to_string).collect();
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("the name of the machine is lost"), "{findings:?}");
    }
    // Without a name the offset has no meaning.
    let mut nameless = block("", 200, vec![object(2, &["x"], 7)]);
    nameless[80..84].fill(0);
    nameless[84..88].fill(0xff);
    assert!(open(vec![nameless]).health().is_sound());
}
