//! A log of a machine on which processes come and go, written as a recorder writes it.

use std::path::Path;

use recount_bytes::ByteOrder;
use recount_capture::{LogWriter, Sync, WriterOptions};
use recount_model::{CounterType, Facts, Sink, Timestamp};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

const ORDER: ByteOrder = ByteOrder::Little;
const TICKS_PER_S: i64 = 10_000_000;
/// 2026-03-02T00:00:00.0003456Z.
pub(crate) const BEGIN: i64 = 134_168_832_000_003_456;

const MEMORY: u32 = 4;
const AVAILABLE: u32 = 24;
const FAULTS: u32 = 28;
const PROCESS: u32 = 230;
const PROCESSOR_TIME: u32 = 6;
const WORKING_SET: u32 = 180;
const ID: u32 = 784;
const RARE: u32 = 10_002;
const TURNS: u32 = 10_004;

const NAMES: [(u32, &str); 9] = [
    (MEMORY, "Memory"),
    (AVAILABLE, "Available Bytes"),
    (FAULTS, "Page Faults/sec"),
    (PROCESS, "Process"),
    (PROCESSOR_TIME, "% Processor Time"),
    (WORKING_SET, "Working Set"),
    (ID, "ID Process"),
    (RARE, "Rare"),
    (TURNS, "Turns/sec"),
];

const LARGE_RAWCOUNT: CounterType = CounterType(0x0001_0100);
const RAWCOUNT: CounterType = CounterType(0x0001_0000);
const COUNTER: CounterType = CounterType(0x1041_0400);
const TIMER_100NS: CounterType = CounterType(0x2051_0500);

/// A pseudo-random number from two others.
fn mixed(one: u64, other: u64) -> u64 {
    let mut x = one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 29;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 32)
}

/// When a sample is taken: about every second, with a gap of an hour after 2,000.
pub(crate) fn time(sample: u64) -> i64 {
    let late = (mixed(sample, 1) % 40) as i64 * 10_000;
    let gap = if sample >= 2_000 { 3_600 * TICKS_PER_S } else { 0 };
    BEGIN + sample as i64 * TICKS_PER_S + late + gap
}

/// Begins a log.
pub(crate) fn begin(path: &Path) -> LogWriter {
    let options = WriterOptions { sync: Sync::None, len_chunk: 256 << 10, ..WriterOptions::default() };
    let mut writer = LogWriter::create(path, options).expect("a log");
    let facts = [("host", "WEB1"), ("boot-time", "2026-03-01T20:00:00Z")];
    let facts = Facts::from(facts.map(|(name, value)| (name.to_owned(), value.to_owned())));
    writer.facts(&facts).expect("facts");
    writer.texts("009", &mut NAMES.into_iter()).expect("names");
    writer
}

/// Appends samples.
pub(crate) fn append(writer: &mut LogWriter, samples: std::ops::Range<u64>) {
    for sample in samples {
        writer.block(Timestamp(time(sample)), &block(sample)).expect("a sample");
    }
}

/// Writes a closed log with a given number of samples.
pub(crate) fn write(path: &Path, num_samples: u64) {
    let mut writer = begin(path);
    append(&mut writer, 0..num_samples);
    writer.finish().expect("a log");
}

fn block(sample: u64) -> Vec<u8> {
    let mut block = BlockBuf::new("WEB1", ORDER);
    block.header.perf_time = time(sample);
    block.header.perf_freq = TICKS_PER_S;
    block.header.perf_time_100ns = time(sample);
    block.objects = vec![memory(sample), processes(sample)];
    // An object that is sampled rarely: its previous sample is far back.
    if sample % 150 == 7 {
        block.objects.push(rare(sample));
    }
    block.write().expect("a block")
}

fn values(object: &ObjectBuf, all: &[u64]) -> Vec<u8> {
    let mut values = object.zeroed_values();
    for (counter, value) in all.iter().enumerate() {
        assert!(object.set_value(&mut values, ORDER, counter, *value));
    }
    values
}

fn memory(sample: u64) -> ObjectBuf {
    let mut object = ObjectBuf::new(MEMORY, false);
    object.add_counter(AVAILABLE, LARGE_RAWCOUNT);
    object.add_counter(FAULTS, COUNTER);
    // Wraps now and then.
    let faults = sample * 1_000_000 + mixed(sample, 2) % 900_000;
    object.instances =
        InstancesBuf::Single(values(&object, &[(1 << 40) - mixed(sample, 3) % (1 << 38), faults]));
    object
}

fn rare(sample: u64) -> ObjectBuf {
    let mut object = ObjectBuf::new(RARE, false);
    object.add_counter(TURNS, COUNTER);
    object.instances = InstancesBuf::Single(values(&object, &[sample * 13 + mixed(sample, 4) % 13]));
    object
}

/// Eight processes that keep running, and others with one name that run for some minutes.
fn processes(sample: u64) -> ObjectBuf {
    let mut object = ObjectBuf::new(PROCESS, true);
    object.add_counter(PROCESSOR_TIME, TIMER_100NS);
    object.add_counter(WORKING_SET, LARGE_RAWCOUNT);
    object.add_counter(ID, RAWCOUNT);
    let mut instances = Vec::new();
    let mut add = |name: &str, id: u64, since: u64| {
        let age = sample - since;
        let busy: u64 =
            if id.is_multiple_of(3) { 0 } else { age * 10_000 * (id % 90) + mixed(sample, id) % 10_000 };
        let set = if id.is_multiple_of(2) { 1 << 20 } else { (1 << 20) + mixed(sample, id) % 4_096 };
        instances.push(InstanceBuf::named(name, ORDER, values(&object, &[busy, set, id])));
    };
    for id in 100..108 {
        add(if id < 104 { "svchost" } else { "nginx" }, id, 0);
    }
    for born in (0..=sample).rev().take(400).filter(|born| mixed(*born, 5).is_multiple_of(37)) {
        let lives = 20 + mixed(born, 6) % 380;
        if sample < born + lives {
            add("python", 1_000 + born, born);
        }
    }
    object.instances = InstancesBuf::Many(instances);
    object
}
