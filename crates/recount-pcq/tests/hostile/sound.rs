//! Valid buffers of every kind, to be damaged.

use recount_model::{CounterAttributes, CounterType};
use recount_pcq::{
    CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid, InstanceBuf, Message,
    MessageHeader, QueryDataBuf, Registration, StringTableBuf, Text,
};

pub(crate) fn guids() -> Vec<u8> {
    (0..160).collect()
}

pub(crate) fn counter(id: u32) -> Vec<u8> {
    let mut out = Vec::new();
    counter_info(id).write(&mut out);
    out
}

fn counter_info(id: u32) -> CounterRegInfo {
    CounterRegInfo {
        counter_id: id,
        counter_type: CounterType(0x1041_0400),
        attributes: CounterAttributes(1),
        detail_level: 100,
        default_scale: -1,
        base_counter_id: id + 1,
        perf_time_id: id + 2,
        perf_freq_id: id + 3,
        multi_id: id + 4,
        aggregate_func: 1,
        reserved: 0,
    }
}

pub(crate) fn registration() -> Vec<u8> {
    let counters: Vec<_> = (1..12).map(counter_info).collect();
    let set = CounterSetRegInfo {
        guid: Guid([7; 16]),
        detail_level: 200,
        num_counters: counters.len() as u32,
        instance_type: 2,
        ..CounterSetRegInfo::default()
    };
    let mut out = Vec::new();
    Registration { set, counters }.write(&mut out);
    out
}

pub(crate) fn text() -> Vec<u8> {
    Text::encode("Größe des Auslagerungsspeichers 💾, in Bytes")
}

pub(crate) fn string_table() -> Vec<u8> {
    let mut out = Vec::new();
    let texts = ["% Processor Time", "", "Größe", "Reads/sec", "💾", "Disk Read Bytes/sec"];
    StringTableBuf { entries: texts.iter().zip(1..).map(|(text, id)| (id, (*text).to_owned())).collect() }
        .write(&mut out);
    out
}

fn instance_bufs() -> Vec<InstanceBuf> {
    ["_Total", "0", "1", "svchost", "svchost", "C:", ""]
        .into_iter()
        .zip(0..)
        .map(|(n, id)| InstanceBuf::new(id, n))
        .collect()
}

pub(crate) fn instances() -> Vec<u8> {
    let mut out = Vec::new();
    for instance in instance_bufs() {
        instance.write(&mut out);
    }
    out
}

pub(crate) fn identifiers() -> Vec<u8> {
    let mut out = Vec::new();
    for (index, name) in ["*", "_Total", "", "svchost"].into_iter().enumerate() {
        let plain = CounterIdentifierBuf::new(Guid([7; 16]), u32::MAX, 3, name);
        CounterIdentifierBuf { index: index as u32, ..plain }.write(&mut out);
    }
    out
}

pub(crate) fn query_data() -> Vec<u8> {
    let mut buf = QueryDataBuf::new(DataClocks {
        perf_time: 1,
        perf_time_100ns: 2,
        perf_freq: 3,
        ..Default::default()
    });
    let rows: Vec<_> =
        instance_bufs().into_iter().map(|instance| (instance, vec![[1; 8], [2; 8], [3; 8]])).collect();
    let single: Vec<_> = rows.iter().map(|(instance, _)| (instance.clone(), [4; 4])).collect();
    buf.push_counter_set(&[1, 2, 3], &rows);
    buf.push_error(0x1069);
    buf.push_single([5; 8]);
    buf.push_multi_counters(&[(1, [6; 4]), (2, [7; 4])]);
    buf.push_multi_instances(&single);
    buf.push_counter_set::<[u8; 8]>(&[], &[]);
    buf.finish()
}

/// A message of a method.
pub(crate) fn message(opnum: u16, request_code: u16, buffer: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Message { header: MessageHeader { opnum, request_code, ..MessageHeader::default() }, buffer }
        .write(&mut out);
    out
}

/// One message of each method and request code.
pub(crate) fn messages() -> Vec<Vec<u8>> {
    let mut all = vec![
        message(0, 0, &guids()),
        message(1, 1, &registration()),
        message(1, 2, &counter(5)),
        message(1, 8, &[9; 16]),
        message(2, 0, &instances()),
        message(5, 0, &identifiers()),
        message(6, 0, &query_data()),
        message(7, 0, &identifiers()),
    ];
    all.extend([3, 4, 7, 9].map(|request_code| message(1, request_code, &text())));
    all.extend([5, 6, 10].map(|request_code| message(1, request_code, &string_table())));
    all
}

/// Messages in sequence.
pub(crate) fn stream() -> Vec<u8> {
    let parts = [message(5, 0, &[1; 13]), message(1, 3, &text()), message(6, 0, &[0; 48])];
    let mut out = Vec::new();
    for part in &parts {
        out.extend(part);
        out.resize(out.len().next_multiple_of(Message::ALIGNMENT), 0);
    }
    out
}
