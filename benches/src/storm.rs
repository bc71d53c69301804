//! A capture log in which processes come and go by the thousand.

use std::path::Path;

use anyhow::Result;
use recount_capture::{LogWriter, WriterOptions};
use recount_model::{CounterType, Event, EventKind, Facts, Sink, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};

use crate::generate_capture::GeneratedCapture;
use crate::random::Random;

const RAW_32: u32 = 0x0001_0000;
const RAW_64: u32 = 0x0001_0100;
const TIMER: u32 = 0x2051_0500;
const RATE: u32 = 0x1041_0500;
const ELAPSED: u32 = 0x3024_0500;
/// The counters of processes as our recorder has them (`formats/linux-objects.md`). Those from `FIRST_OF_IO` on are absent
/// where the recorder may not trace the process.
const COUNTERS: [(&str, u32); 25] = [
    ("% Processor Time", TIMER),
    ("% User Time", TIMER),
    ("% Privileged Time", TIMER),
    ("Virtual Bytes", RAW_64),
    ("Page Faults/sec", RATE),
    ("Major Page Faults/sec", RATE),
    ("Working Set", RAW_64),
    ("Working Set - Private", RAW_64),
    ("Private Bytes", RAW_64),
    ("Thread Count", RAW_32),
    ("Priority Base", RAW_32),
    ("Elapsed Time", ELAPSED),
    ("ID Process", RAW_32),
    ("Creating Process ID", RAW_32),
    ("Handle Count", RAW_32),
    ("Ended Processes", RAW_32),
    ("IO Read Bytes/sec", RATE),
    ("IO Write Bytes/sec", RATE),
    ("IO Data Bytes/sec", RATE),
    ("Storage Read Bytes/sec", RATE),
    ("Storage Write Bytes/sec", RATE),
    ("Storage Cancelled Write Bytes/sec", RATE),
    ("IO Read Operations/sec", RATE),
    ("IO Write Operations/sec", RATE),
    ("IO Data Operations/sec", RATE),
];
const FIRST_OF_IO: usize = 16;
const ID_PROCESS: usize = 12;
const START: usize = 11;
const PROCESS: u32 = 20_000;
const NAMES: [&str; 8] = ["sh", "sleep", "cc1", "make", "python3", "systemd", "postgres", "kworker/0:1"];
/// 2026-03-02 08:00 UTC.
const BEGIN: i64 = 134_169_264_000_000_000;
const NUM_USUAL: usize = 150;
const NUM_USUAL_MOST: usize = 250;
/// Samples for which the storm lasts.
const LEN_STORM: u64 = 20;

struct Process {
    id: u64,
    name: &'static str,
    has_io: bool,
    start: i64,
    counted: u64,
}

/// Writes a capture of this many seconds with 150 to 250 processes, and `num_storm` more for 20 s in the middle. One process
/// in eight has no I/O counters, as those of other users.
pub fn generate_storm(path: &Path, num_samples: u64, num_storm: usize) -> Result<GeneratedCapture> {
    let mut writer = LogWriter::create(path, WriterOptions::default())?;
    let facts = [("host", "web1"), ("os", "Linux 6.1.0 (generated)"), ("time-zone-posix", "UTC0")];
    writer.facts(&Facts::from(facts.map(|(name, value)| (name.to_owned(), value.to_owned()))))?;
    let names = COUNTERS.iter().zip((PROCESS + 2..).step_by(2)).map(|((name, _), index)| (index, *name));
    writer.texts("009", &mut [(PROCESS, "Process")].into_iter().chain(names))?;
    let mut template = ObjectTemplate::new(ObjectHeader::new(PROCESS, true));
    for ((_, word), index) in COUNTERS.iter().zip((PROCESS + 2..).step_by(2)) {
        template.add_counter(CounterDefinition::new(index, CounterType(*word)));
    }
    let mut random = Random::new(1);
    let (mut processes, mut next_id, mut len_raw) = (Vec::new(), 1, 0);
    let mut stream = BlockStream::new("web1");
    let storm = num_samples / 2..num_samples / 2 + LEN_STORM;
    let time_of = |second: u64| BEGIN + second as i64 * Timestamp::TICKS_PER_SECOND;
    for second in 0..num_samples {
        let time = time_of(second);
        let num = NUM_USUAL + random.below((NUM_USUAL_MOST - NUM_USUAL) as u64 + 1) as usize;
        let num = num + if storm.contains(&second) { num_storm } else { 0 };
        step(&mut processes, num, &mut next_id, time, &mut random);
        stream.begin(BlockClocks {
            perf_time: 1_000_000_000 * second as i64 + 1_000_000_000,
            perf_freq: 1_000_000_000,
            perf_time_100ns: time,
        });
        let mut object = stream.object(&template, time, Timestamp::TICKS_PER_SECOND);
        for process in &processes {
            let num = if process.has_io { COUNTERS.len() } else { FIRST_OF_IO };
            let mut values = object.instance_up_to(InstanceName::new(process.name), num);
            for counter in 0..num {
                let value = match counter {
                    ID_PROCESS => process.id,
                    START => process.start as u64,
                    _ => process.counted * (counter as u64 + 1),
                };
                values.set(counter, value);
            }
        }
        let block = stream.finish()?;
        len_raw += block.len() as u64;
        writer.block(Timestamp(time), block)?;
    }
    let end = Timestamp(time_of(num_samples.saturating_sub(1)));
    writer.event(&Event {
        time: end,
        kind: EventKind::End,
        extent: 0,
        count: 0,
        text: "generated".into(),
    })?;
    Ok(GeneratedCapture { num_samples, len_raw, len_file: writer.finish()? })
}

/// One second later: there are `num` processes, of which some are new.
fn step(processes: &mut Vec<Process>, num: usize, next_id: &mut u64, time: i64, random: &mut Random) {
    for _ in 0..3.min(processes.len()) {
        processes.remove(random.below(processes.len() as u64) as usize);
    }
    while processes.len() > num {
        processes.pop();
    }
    for process in processes.iter_mut() {
        if random.once_in(16) {
            process.counted += random.below(1_000_000);
        }
    }
    while processes.len() < num {
        let name = NAMES[random.below(NAMES.len() as u64) as usize];
        let has_io = !random.once_in(8);
        processes.push(Process { id: *next_id, name, has_io, start: time - 5_000_000, counted: 0 });
        *next_id += 1;
    }
}
