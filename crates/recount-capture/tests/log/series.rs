//! Realistic series of blocks: instances that come and go, instances of the same name, several objects, counters of
//! 4 and 8 bytes.

use recount_bytes::ByteOrder;
use recount_model::{CounterType, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

/// 2013-02-20T02:50:17.844Z.
pub(crate) const START: Timestamp = Timestamp(130_058_022_178_440_000);
pub(crate) const SECOND: i64 = 10_000_000;

/// The machine of the blocks.
pub(crate) const HOST: &str = "web1";

pub(crate) const PROCESS: u32 = 230;
pub(crate) const THREAD: u32 = 232;
pub(crate) const MEMORY: u32 = 4;
pub(crate) const DISK: u32 = 236;

/// When the record at an index was taken. All times differ, so they identify records.
pub(crate) fn time_of(index: usize) -> Timestamp {
    Timestamp(START.0 + index as i64 * SECOND + index as i64 % 7)
}

/// Pseudo-random numbers, the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Bytes without any pattern.
    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

/// A machine with processes, threads, disks and memory.
pub(crate) struct Machine {
    random: Random,
    stream: BlockStream,
    process: ObjectTemplate,
    thread: ObjectTemplate,
    disk: ObjectTemplate,
    memory: ObjectTemplate,
    alive: Vec<Process>,
    next_id: u64,
    num_samples: usize,
}

struct Process {
    id: u64,
    name: String,
    times: [u64; 3],
    bytes: [u64; 2],
    num_threads: usize,
}

fn template(name_index: u32, instanced: bool, counters: &[u32]) -> ObjectTemplate {
    let mut object = ObjectTemplate::new(ObjectHeader::new(name_index, instanced));
    for (at, &counter_type) in counters.iter().enumerate() {
        let name_index = name_index + 2 * (at as u32 + 1);
        object.add_counter(CounterDefinition::new(name_index, CounterType(counter_type)));
    }
    object
}

/// `PERF_COUNTER_RAWCOUNT`, 4 bytes; `PERF_COUNTER_LARGE_RAWCOUNT`; `PERF_100NSEC_TIMER`; `PERF_COUNTER_COUNTER`, 4 bytes;
/// `PERF_COUNTER_BULK_COUNT`, 8 bytes.
const RAW: u32 = 0x0001_0000;
const LARGE: u32 = 0x0001_0100;
const TIMER: u32 = 0x2051_0500;
const COUNTER: u32 = 0x1041_0400;
const BULK: u32 = 0x1041_0500;

impl Machine {
    pub(crate) fn new(seed: u64, num_processes: usize) -> Machine {
        let mut machine = Machine {
            random: Random(seed),
            stream: BlockStream::new(HOST),
            process: template(
                PROCESS,
                true,
                &[RAW, TIMER, TIMER, TIMER, LARGE, BULK, BULK, BULK, COUNTER, RAW],
            ),
            thread: template(THREAD, true, &[TIMER, COUNTER]),
            disk: template(DISK, true, &[BULK, BULK, BULK, COUNTER, TIMER]),
            memory: template(MEMORY, false, &[LARGE, COUNTER, COUNTER]),
            alive: Vec::new(),
            next_id: 1,
            num_samples: 0,
        };
        (0..num_processes).for_each(|_| machine.start());
        machine
    }

    fn start(&mut self) {
        let id = self.next_id;
        self.next_id += 1 + self.random.next() % 9;
        let names = ["svchost", "httpd", "bash", "kworker", "java", "idle"];
        let name = names[self.random.below(names.len())].to_owned();
        let num_threads = 1 + self.random.below(3);
        self.alive.push(Process { id, name, times: [0; 3], bytes: [0; 2], num_threads });
    }

    /// The next block.
    pub(crate) fn sample(&mut self) -> Vec<u8> {
        if self.random.below(4) == 0 {
            let gone = self.random.below(self.alive.len());
            self.alive.remove(gone);
            self.start();
        }
        let time = time_of(self.num_samples).0;
        self.num_samples += 1;
        self.stream.begin(BlockClocks { perf_time: time / 3, perf_freq: 3_333_333, perf_time_100ns: time });
        let (random, stream) = (&mut self.random, &mut self.stream);
        let mut object = stream.object(&self.process, 0, 0);
        for process in &mut self.alive {
            if random.below(3) == 0 {
                let ticks = [random.below(5), random.below(5)].map(|ticks| 100_000 * ticks as u64);
                process.times[0] += ticks[0];
                process.times[1] += ticks[1];
                process.times[2] += ticks[0] + ticks[1];
                process.bytes[0] += random.next() % 5_000;
                process.bytes[1] += random.next() % 3_000_000_000;
            }
            let [read, written] = process.bytes;
            let mut values = object.instance(InstanceName::new(&process.name));
            values.set(0, process.id);
            process.times.iter().enumerate().for_each(|(at, time)| {
                values.set(1 + at, *time);
            });
            values
                .set(4, 4_096 * (process.id + read % 77))
                .set(5, read)
                .set(6, written)
                .set(7, read + written);
            values.set(8, read >> 7).set(9, process.num_threads as u64);
        }
        let mut object = stream.object(&self.thread, 0, 0);
        for (at, process) in self.alive.iter().enumerate() {
            for thread in 0..process.num_threads {
                let name = thread.to_string();
                let parent = Some((PROCESS, at as u32));
                let mut values = object.instance(InstanceName { name: &name, parent, unique_id: None });
                values.set(0, process.times[0] / (thread as u64 + 1)).set(1, process.times[1]);
            }
        }
        let mut object = stream.object(&self.disk, time, SECOND);
        for name in ["sda", "sdb", "_Total"] {
            let bytes = random.next() >> 40;
            let mut values = object.instance(InstanceName::new(name));
            values.set(0, bytes).set(1, bytes / 2).set(2, bytes + bytes / 2).set(3, bytes >> 12);
        }
        let mut values = stream.object(&self.memory, 0, 0);
        values.values().set(0, random.next() >> 20).set(1, random.next()).set(2, 7);
        self.stream.finish().expect("fits").to_vec()
    }
}

/// A number of blocks of a machine with 40 processes.
pub(crate) fn series(num: usize) -> Vec<Vec<u8>> {
    let mut machine = Machine::new(1, 40);
    (0..num).map(|_| machine.sample()).collect()
}

/// The real block, with some of its values changed from sample to sample.
pub(crate) fn real_series(num: usize) -> Vec<Vec<u8>> {
    use recount_perf_data::DataBlock;

    let file = recount_testdata::shared("perf-data-block/process-165-instances.bin");
    let mut block = DataBlock::parse(&file, 0).expect("sound").bytes().to_vec();
    let mut places = Vec::new();
    let base = block.as_ptr() as usize;
    for object in DataBlock::parse(&block, 0).expect("sound").objects() {
        for instance in object.expect("sound").instances() {
            let values = instance.expect("sound").counter_block.bytes();
            let start = values.as_ptr() as usize - base;
            places.extend((start + 8..start + values.len() - 8).step_by(8));
        }
    }
    let mut random = Random(3);
    let mut series = Vec::new();
    for _ in 0..num {
        for _ in 0..200 {
            let place = places[random.below(places.len())];
            let mut value = [0; 8];
            value.copy_from_slice(&block[place..place + 8]);
            let value = u64::from_le_bytes(value).wrapping_add(random.next() % 100_000);
            block[place..place + 8].copy_from_slice(&value.to_le_bytes());
        }
        series.push(block.clone());
    }
    series
}

/// A block whose numbers are big endian, with the same object twice.
pub(crate) fn big_endian_block(value: u64) -> Vec<u8> {
    let mut block = BlockBuf::new("risc", ByteOrder::Big);
    block.header.perf_time_100ns = START.0 + value as i64;
    let mut object = ObjectBuf::new(PROCESS, true);
    object.add_counter(6, CounterType(LARGE));
    for instance in ["a", "b", "a"] {
        let mut values = object.zeroed_values();
        object.set_value(&mut values, ByteOrder::Big, 0, value);
        let InstancesBuf::Many(instances) = &mut object.instances else { unreachable!("has instances") };
        instances.push(InstanceBuf::named(instance, ByteOrder::Big, values));
    }
    block.objects = vec![object.clone(), object];
    block.write().expect("fits")
}
