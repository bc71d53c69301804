//! A session of Performance Library 2.0: three countersets, every type of block, instances that come and go.

use recount_bytes::SystemTime;
use recount_model::{CounterAttributes, CounterType, Timestamp};
use recount_pcq::{
    ANY_COUNTER, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid, InstanceBuf,
    Message, MessageHeader, QueryDataBuf, Registration, StringTableBuf, Text, opnum, request,
};

const NUM_SAMPLES: u64 = 6;
/// 2026-03-01T08:00:00Z, and every 10 s from there.
const FIRST: u64 = 134_168_256_000_000_000;
const INTERVAL: u64 = 100_000_000;
/// Ticks per second of the performance clock.
const PERF_FREQ: u64 = 1_000_000;
const QUERY: u32 = 1;

const QUEUE: Guid = Guid(*b"sample counters1");
const WORKER: Guid = Guid(*b"sample counters2");
const DISK: Guid = Guid(*b"sample counters3");

/// The whole session.
pub(super) fn session() -> Vec<u8> {
    let mut stream = Stream::default();
    let guids: Vec<u8> = [QUEUE, WORKER, DISK].iter().flat_map(|guid| guid.0).collect();
    stream.push(MessageHeader { opnum: opnum::ENUMERATE_COUNTER_SET, ..MessageHeader::default() }, &guids);
    stream.register(QUEUE, "Job Queue", 0, &queue_counters());
    stream.register(WORKER, "Worker", 0xC, &worker_counters());
    stream.register(DISK, "Volume", 2, &disk_counters());
    let mut info = Vec::new();
    let asked = [
        (QUEUE, ANY_COUNTER, ""),
        (WORKER, ANY_COUNTER, "*"),
        (DISK, 1, "*"),
        (DISK, 2, "*"),
        (DISK, 3, "C:"),
        (DISK, 4, "C:"),
    ];
    for (index, (guid, counter, instance)) in (0..).zip(asked) {
        let id = if instance == "*" { u32::MAX } else { 0 };
        CounterIdentifierBuf { index, ..CounterIdentifierBuf::new(guid, counter, id, instance) }
            .write(&mut info);
    }
    stream.push(
        MessageHeader { opnum: opnum::QUERY_COUNTER_INFO, query: QUERY, ..MessageHeader::default() },
        &info,
    );
    for k in 0..NUM_SAMPLES {
        stream.push(
            MessageHeader { opnum: opnum::QUERY_COUNTER_DATA, query: QUERY, ..MessageHeader::default() },
            &answer(k),
        );
    }
    stream.bytes
}

/// Messages in sequence.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
}

impl Stream {
    fn push(&mut self, header: MessageHeader, buffer: &[u8]) {
        let header = MessageHeader { time: Timestamp(FIRST as i64), ..header };
        Message { header, buffer }.write(&mut self.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(Message::ALIGNMENT), 0);
    }

    fn request(&mut self, guid: Guid, request_code: u16, buffer: &[u8]) {
        let opnum = opnum::QUERY_REGISTRATION_INFO;
        self.push(MessageHeader { opnum, request_code, guid, ..MessageHeader::default() }, buffer);
    }

    fn register(&mut self, guid: Guid, name: &str, instance_type: u32, counters: &[(&str, CounterRegInfo)]) {
        let num_counters = counters.len() as u32;
        let set =
            CounterSetRegInfo { guid, counter_set_type: 0, detail_level: 100, num_counters, instance_type };
        let mut buffer = Vec::new();
        Registration { set, counters: counters.iter().map(|(_, counter)| *counter).collect() }
            .write(&mut buffer);
        self.request(guid, request::COUNTER_SET, &buffer);
        self.request(guid, request::ENGLISH_SET_NAME, &Text::encode(name));
        let entries =
            counters.iter().map(|(name, counter)| (counter.counter_id, (*name).to_owned())).collect();
        let mut buffer = Vec::new();
        StringTableBuf { entries }.write(&mut buffer);
        self.request(guid, request::ENGLISH_COUNTER_NAMES, &buffer);
    }
}

fn counter(counter_id: u32, word: u32) -> CounterRegInfo {
    CounterRegInfo::unlinked(counter_id, CounterType(word))
}

fn hidden(counter_id: u32, word: u32) -> CounterRegInfo {
    CounterRegInfo { attributes: CounterAttributes::NO_DISPLAY, ..counter(counter_id, word) }
}

/// A rate, an elapsed time on a clock of its own, and a part of a whole in 64 bits.
fn queue_counters() -> Vec<(&'static str, CounterRegInfo)> {
    vec![
        ("Jobs/sec", counter(1, 0x1041_0500)),
        ("Age", CounterRegInfo { perf_time_id: 3, perf_freq_id: 4, ..counter(2, 0x3024_0500) }),
        ("Clock", hidden(3, 0x0001_0100)),
        ("Clock Frequency", hidden(4, 0x0001_0100)),
        ("% Full", CounterRegInfo { base_counter_id: 6, ..counter(5, 0x2002_0500) }),
        ("Capacity", hidden(6, 0x4003_0500)),
    ]
}

/// One counter for each aggregate.
fn worker_counters() -> Vec<(&'static str, CounterRegInfo)> {
    let aggregated = |id, word, aggregate_func| CounterRegInfo { aggregate_func, ..counter(id, word) };
    vec![
        ("Items/sec", aggregated(1, 0x1041_0400, 1)),
        ("Queue Length", aggregated(2, 0x0001_0000, 2)),
        ("Free Bytes", aggregated(3, 0x0001_0100, 3)),
        ("Peak Bytes", aggregated(4, 0x0001_0100, 4)),
        ("Version", counter(5, 0x0001_0000)),
    ]
}

/// An average and its base asked for apart, a timer over several members and their number.
fn disk_counters() -> Vec<(&'static str, CounterRegInfo)> {
    vec![
        ("Avg. sec/Transfer", CounterRegInfo { base_counter_id: 2, ..counter(1, 0x3002_0400) }),
        ("Transfers", counter(2, 0x4003_0402)),
        ("% Busy", CounterRegInfo { multi_id: 4, ..counter(3, 0x2241_0500) }),
        ("Members", counter(4, 0x0001_0000)),
    ]
}

/// Sample `k`: 10 s after the one before.
fn answer(k: u64) -> Vec<u8> {
    let seconds = 10 * k;
    let time = FIRST + k * INTERVAL;
    let system_time =
        SystemTime { year: 2026, month: 3, day: 1, hour: 8, second: seconds as u16, ..SystemTime::default() };
    let clocks = DataClocks {
        perf_time: 5_000_000 + seconds * PERF_FREQ,
        perf_time_100ns: time,
        perf_freq: PERF_FREQ,
        system_time,
    };
    let mut answer = QueryDataBuf::new(clocks);
    let large = |value: u64| value.to_le_bytes().to_vec();
    let small = |value: u64| (value as u32).to_le_bytes().to_vec();
    answer.push_multi_counters(&[
        (1, large(1_000 * k)),
        (2, large(1_000)),
        (3, large(1_000 + 2_000 * k)),
        (4, large(500)),
        (5, large(k)),
        (6, large(8)),
    ]);
    // Worker 1 from the start, worker 2 in samples 1 to 3, a worker that is called _Total from sample 4 on.
    let workers = [("alpha", 1, 0..NUM_SAMPLES), ("beta", 2, 1..4), ("_Total", 3, 4..NUM_SAMPLES)];
    let rows: Vec<(InstanceBuf, Vec<Vec<u8>>)> = workers
        .iter()
        .filter(|(_, _, lives)| lives.contains(&k))
        .map(|(name, id, _)| {
            let id = *id;
            let n = u64::from(id);
            let values =
                vec![small(100 * n * k), small(10 * n), large(1_000 * n + k), large(1_000 * n + k), small(7)];
            (InstanceBuf::new(id, *name), values)
        })
        .collect();
    answer.push_counter_set(&[1, 2, 3, 4, 5], &rows);
    let volumes = |value: &dyn Fn(u64) -> Vec<u8>| -> Vec<(InstanceBuf, Vec<u8>)> {
        [("C:", 1_u64), ("D:", 2)].map(|(name, n)| (InstanceBuf::new(0, name), value(n))).to_vec()
    };
    // D: does nothing.
    answer.push_multi_instances(&volumes(&|n| small(if n == 1 { 50_000 * k } else { 0 })));
    answer.push_multi_instances(&volumes(&|n| small(if n == 1 { 20 * k } else { 0 })));
    if k == 3 {
        answer.push_error(0x1069);
    } else {
        answer.push_single(large(15 * PERF_FREQ * k));
    }
    answer.push_single(small(3));
    answer.finish()
}
