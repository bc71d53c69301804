//! A log with the features that the shared one lacks: whole objects, fragments, names, an entry with a
//! parent, a catalog, and a 32-bit session.

use std::collections::BTreeMap;
use std::io::Cursor;

use recount_blg::{BlgWriter, Entry, RecordBuf, TraceHeader, ZoneRecord};
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CounterType, Timestamp};
use recount_perf_data::DataBlock;
use recount_samples::blocks::{BlockBuf, InstancesBuf, ObjectBuf};

const LEN_BUFFER: usize = 0x1_0000;
const CATALOG: u8 = 0x23;
/// Instances of the second sample's process block, which must fit into one event.
pub(crate) const NUM_FEW: usize = 3;
/// Raw values of the single entry.
pub(crate) const SINGLE: (u64, u64) = (0x8000_0000_0000_0001, 0x0020_0000_0000_0001);

/// The log and its contents.
pub(crate) struct ObjectLog {
    pub(crate) bytes: Vec<u8>,
    pub(crate) header: TraceHeader,
    pub(crate) names: BTreeMap<u32, String>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) times: [Timestamp; 2],
    pub(crate) process_blocks: [Vec<u8>; 2],
    pub(crate) memory_block: Vec<u8>,
}

impl ObjectLog {
    /// Two samples: the given block of many processes unchanged, in fragments, and reduced to a few of them.
    pub(crate) fn write(processes: &[u8]) -> ObjectLog {
        let block = DataBlock::parse(processes, 0).expect("the real block");
        let first = Timestamp(block.header().perf_time_100ns);
        // Event stamps have whole milliseconds.
        let first = Timestamp(first.0 - first.0 % 10_000);
        let times = [first, Timestamp(first.0 + Timestamp::TICKS_PER_SECOND)];
        let process_blocks = [block.bytes().to_vec(), few_processes(&block, times[1])];
        let memory_block = memory(times[0]);
        let (header, names, entries) = (header(first), names(), entries());

        let mut writer =
            BlgWriter::new(Cursor::new(Vec::new()), header.clone(), *b"recount's log id").expect("header");
        writer.name_table(Timestamp(first.0 - 20), r"\\WEB1", &names).expect("names");
        writer.counter_list(Timestamp(first.0 - 10), &entries).expect("list");
        for (time, block) in times.into_iter().zip(&process_blocks) {
            let objects = [block, &memory_block].map(|block| RecordBuf::Object(block.clone()));
            let single = RecordBuf::Single { status: 0, first: SINGLE.0, second: SINGLE.1, multi: 1 };
            writer.data_block(time, &[&objects[..], &[single]].concat()).expect("sample");
        }
        let mut bytes = writer.finish(times[1]).expect("end").into_inner();
        append_event(&mut bytes, CATALOG, Timestamp(times[1].0 + 30), &catalog(times));
        ObjectLog { bytes, header, names, entries, times, process_blocks, memory_block }
    }
}

fn header(start: Timestamp) -> TraceHeader {
    TraceHeader {
        len_buffer: LEN_BUFFER as u32,
        os_version: [6, 0, 1, 5],
        os_build: 6_000,
        num_processors: 1,
        mode: 1,
        num_start_buffers: 1,
        len_pointer: 4,
        zone: ZoneRecord {
            standard_name: "GMT Standard Time".into(),
            daylight_date: SystemTime { month: 3, day: 5, hour: 1, ..SystemTime::default() },
            ..ZoneRecord::default()
        },
        boot_time: Timestamp(start.0 - 7),
        perf_freq: 3_507_498,
        start_time: start,
        clock_type: 2,
        logger_name: "a session".into(),
        file_name: r"C:\PerfLogs\objects.blg".into(),
        ..TraceHeader::default()
    }
}

/// Enough names for several messages.
fn names() -> BTreeMap<u32, String> {
    let mut names: BTreeMap<u32, String> =
        (1..1_000).map(|i| (2 * i, format!("name {i} \u{1F40E}"))).collect();
    names.insert(4, "Memory".into());
    names.insert(230, "Process".into());
    names
}

fn entries() -> Vec<Entry> {
    let object = |object: &str, instance: Option<&str>| Entry {
        kind: 0x10,
        counter_type: CounterType(0x10),
        time_base: 0,
        default_scale: 0,
        host: "WEB1".into(),
        object: object.into(),
        instance: instance.map(str::to_owned),
        parent: None,
        index: 0,
        counter: "*".into(),
    };
    let single = Entry {
        kind: 0,
        counter_type: CounterType(0x2051_0500),
        time_base: 10_000_000,
        default_scale: -1,
        parent: Some("svchost".into()),
        index: 2,
        counter: "% Processor Time".into(),
        ..object("Thread", Some("17"))
    };
    vec![object("Process", Some("*")), object("Memory", None), single]
}

fn few_processes(block: &DataBlock<'_>, time: Timestamp) -> Vec<u8> {
    let mut few = BlockBuf::from_block(block).expect("the real block");
    few.header.perf_time_100ns = time.0;
    few.header.system_time = SystemTime::from_utc(time).expect("a date");
    let InstancesBuf::Many(instances) = &mut few.objects[0].instances else { panic!("no processes") };
    instances.truncate(NUM_FEW);
    few.write().expect("a smaller block")
}

/// An object without instances.
fn memory(time: Timestamp) -> Vec<u8> {
    let mut memory = ObjectBuf::new(4, false);
    let available = memory.add_counter(24, CounterType(0x0001_0100));
    let mut values = memory.zeroed_values();
    assert!(memory.set_value(&mut values, ByteOrder::Little, available, 1 << 33));
    memory.instances = InstancesBuf::Single(values);
    let mut block = BlockBuf::new("WEB1", ByteOrder::Little);
    block.header.perf_time_100ns = time.0;
    block.header.default_object = 4;
    block.objects.push(memory);
    block.write().expect("a small block")
}

/// A catalog of one object with two counters and two instances of the same name, built from
/// formats/blg.md#catalog, since our writer writes none.
fn catalog(times: [Timestamp; 2]) -> Vec<u8> {
    let name: Vec<u8> = "svchost\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut object = Vec::new();
    object.extend(2_i32.to_le_bytes());
    object.extend([2_u32, 6, 142, 0x2051_0500, 0x2051_0500].into_iter().flat_map(u32::to_le_bytes));
    object.extend([10_000_000_u64, 3_507_498].into_iter().flat_map(u64::to_le_bytes));
    object.extend([0_i32, -1].into_iter().flat_map(i32::to_le_bytes));
    for (ofs, number) in [(0, 1_i32), (name.len() as i32, 0)] {
        object.extend([ofs, number, -1, -1].into_iter().flat_map(i32::to_le_bytes));
    }
    object.extend([name.clone(), name].concat());
    let len_record = 8 + object.len() as u32;
    let mut catalog: Vec<u8> = times.into_iter().flat_map(|time| time.0.to_le_bytes()).collect();
    catalog.extend([2, 1, 32 + len_record, 0x5FF].into_iter().flat_map(u32::to_le_bytes));
    catalog.extend(b"BL\x03\x05");
    catalog.extend(len_record.to_le_bytes());
    catalog.extend(object);
    catalog
}

/// Adds an event after the last one, with the headers of the first PDH event except for these fields.
fn append_event(file: &mut [u8], message_type: u8, local: Timestamp, payload: &[u8]) {
    let ofs_buffer = file.len() - LEN_BUFFER;
    let ofs_used = ofs_buffer + 48;
    let used = u32::from_le_bytes(file[ofs_used..ofs_used + 4].try_into().expect("four bytes")) as usize;
    let ofs_template = LEN_BUFFER + 72;
    let mut event = file[ofs_template..ofs_template + 72].to_vec();
    event[..2].copy_from_slice(&((72 + payload.len()) as u16).to_le_bytes());
    event[4] = message_type;
    event[16..24].copy_from_slice(&local.0.to_le_bytes());
    event[64..72].copy_from_slice(&[1, 0, 0, 0, 1, 0, 0, 0]);
    event.extend_from_slice(payload);
    let end = used + event.len();
    assert!(end <= LEN_BUFFER, "no room for another event");
    file[ofs_buffer + used..ofs_buffer + end].copy_from_slice(&event);
    file[ofs_used..ofs_used + 4].copy_from_slice(&(end as u32).to_le_bytes());
}
