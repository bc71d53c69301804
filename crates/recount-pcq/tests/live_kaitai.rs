//! formats/ms-pcq.ksy against our writers: the parser generated from it by the Kaitai Struct compiler reads
//! every kind of written buffer, field by field.

use recount_bytes::SystemTime;
use recount_model::{CounterAttributes, CounterType, Timestamp};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid,
    InstanceBuf, Message, MessageHeader, QueryDataBuf, Registration, ReturnCode, StringTableBuf, Text, opnum,
    request,
};
use serde_json::{Value, json};

#[path = "../../recount-blg/tests/kaitai/node.rs"]
mod node;

use node::Node;

const GUID: Guid =
    Guid([0xc5, 0x86, 0x5a, 0xda, 0xc2, 0x12, 0x43, 0x49, 0xab, 0x30, 0x7f, 0x74, 0xa8, 0x13, 0xd8, 0x53]);
const GUID_TEXT: &str = "da5a86c5-12c2-4943-ab30-7f74a813d853";

/// A stream, and its expected contents.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    expected: Vec<Value>,
}

impl Stream {
    /// Adds a message, and the field of its buffer's content.
    fn add(&mut self, header: MessageHeader, buffer: &[u8], name: &str, content: &Value) {
        let header = MessageHeader { guid: GUID, query: 7, time: Timestamp(i64::MAX - 1), ..header };
        Message { header, buffer }.write(&mut self.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(Message::ALIGNMENT), 0);
        self.expected.push(json!({
            "opnum": header.opnum, "request_code": header.request_code, "argument": header.argument,
            "guid": GUID_TEXT, "return_code": header.return_code.0, "query": 7,
            "time": (i64::MAX - 1).to_string(), name: content,
        }));
    }

    fn request(&mut self, code: u16, buffer: &[u8], name: &str, content: &Value) {
        let header = MessageHeader {
            opnum: opnum::QUERY_REGISTRATION_INFO,
            request_code: code,
            argument: 0x407,
            ..MessageHeader::default()
        };
        self.add(header, buffer, name, content);
    }

    fn method(&mut self, opnum: u16, buffer: &[u8], name: &str, content: &Value) {
        self.add(MessageHeader { opnum, ..MessageHeader::default() }, buffer, name, content);
    }
}

#[test]
fn a_parser_made_of_the_description_reads_every_buffer() {
    let mut stream = Stream::default();
    registration(&mut stream);
    texts(&mut stream);
    instances_and_identifiers(&mut stream);
    data(&mut stream);
    let header = MessageHeader {
        opnum: opnum::QUERY_COUNTER_DATA,
        return_code: ReturnCode::NOT_ENOUGH_MEMORY,
        ..MessageHeader::default()
    };
    stream.add(header, &[1, 2, 3], "bytes", &json!("010203"));
    let found = Node::install().count_bytes("session.pcq", &stream.bytes);
    let found = found.as_array().expect("messages");
    assert_eq!(found.len(), stream.expected.len());
    for (found, expected) in found.iter().zip(&stream.expected) {
        assert_eq!(found, expected);
    }
}

fn registration(stream: &mut Stream) {
    let mut guids = Vec::new();
    GUID.write(&mut guids);
    Guid::default().write(&mut guids);
    let none = "00000000-0000-0000-0000-000000000000";
    stream.method(opnum::ENUMERATE_COUNTER_SET, &guids, "guids", &json!([GUID_TEXT, none]));
    stream.request(request::PROVIDER_GUID, &guids[..16], "guids", &json!([GUID_TEXT]));
    let counter = |id: u32| CounterRegInfo {
        counter_id: id,
        counter_type: CounterType(0x2057_0500),
        attributes: CounterAttributes(0x8000_0000_0000_0011),
        detail_level: 200,
        default_scale: -10,
        base_counter_id: 2,
        perf_time_id: 3,
        perf_freq_id: 4,
        multi_id: 5,
        aggregate_func: 4,
        reserved: 0xDEAD_BEEF,
    };
    let told = |id: u32| {
        json!([
            id,
            0x2057_0500,
            0x8000_0000_0000_0011_u64.to_string(),
            200,
            -10,
            2,
            3,
            4,
            5,
            4,
            0xDEAD_BEEF_u32
        ])
    };
    let set = CounterSetRegInfo {
        guid: GUID,
        counter_set_type: 9,
        detail_level: 100,
        num_counters: 2,
        instance_type: 12,
    };
    let mut buffer = Vec::new();
    Registration { set, counters: vec![counter(1), counter(u32::MAX)] }.write(&mut buffer);
    stream.request(request::COUNTER_SET, &buffer, "counterset", &json!([GUID_TEXT, 9, 100, 2, 12]));
    stream.expected.last_mut().expect("one")["counters"] = json!([told(1), told(u32::MAX)]);
    let mut buffer = Vec::new();
    counter(6).write(&mut buffer);
    stream.request(request::COUNTER, &buffer, "counters", &json!([told(6)]));
}

fn texts(stream: &mut Stream) {
    for code in
        [request::SET_NAME, request::SET_DESCRIPTION, request::PROVIDER_NAME, request::ENGLISH_SET_NAME]
    {
        for text in ["", "Prozessor \u{1F9EE} ä"] {
            stream.request(code, &Text::encode(text), "text", &json!(text));
        }
    }
    for code in [request::COUNTER_NAMES, request::COUNTER_DESCRIPTIONS, request::ENGLISH_COUNTER_NAMES] {
        let strings = [(1, "ab"), (4_000_000_000, "abc"), (2, ""), (3, "a longer one")];
        let mut buffer = Vec::new();
        StringTableBuf { entries: strings.map(|(id, text)| (id, text.to_owned())).to_vec() }
            .write(&mut buffer);
        stream.request(code, &buffer, "texts", &json!(strings));
    }
    // As perflib.h has it: offsets from the start of the table, and none for a counter without a string.
    let words = [48, 3, 7, 0x20, 8, u32::MAX, 9, 0x26].map(u32::to_le_bytes);
    let buffer = [words.as_flattened(), &Text::encode("ab"), &Text::encode("cde"), &[0, 0]].concat();
    stream.request(
        request::COUNTER_NAMES,
        &buffer,
        "texts",
        &json!([(7, json!("ab")), (8, json!(null)), (9, json!("cde"))]),
    );
}

fn instances_and_identifiers(stream: &mut Stream) {
    let mut buffer = Vec::new();
    let instances = [(0, ""), (1, "ab"), (u32::MAX, "abc"), (7, "a#1 (x)")];
    for (id, name) in instances {
        InstanceBuf::new(id, name).write(&mut buffer);
    }
    stream.method(opnum::ENUMERATE_INSTANCES, &buffer, "instances", &json!(instances));

    let mut buffer = Vec::new();
    let mut told = Vec::new();
    for (at, (counter, id, name)) in
        [(ANY_COUNTER, u32::MAX, ANY_INSTANCE), (3, 5, "ab"), (4, 0, "")].into_iter().enumerate()
    {
        let at = at as u32;
        let identifier = CounterIdentifierBuf {
            status: at + 1,
            index: at,
            ..CounterIdentifierBuf::new(GUID, counter, id, name)
        };
        identifier.write(&mut buffer);
        told.push(json!([GUID_TEXT, at + 1, counter, id, at, 0, name]));
    }
    for method in [opnum::QUERY_COUNTER_INFO, opnum::VALIDATE_COUNTERS] {
        stream.method(method, &buffer, "identifiers", &json!(told));
    }
}

fn data(stream: &mut Stream) {
    let system_time = SystemTime {
        year: 2026,
        month: 11,
        day_of_week: 6,
        day: 21,
        hour: 13,
        minute: 59,
        second: 7,
        milliseconds: 999,
    };
    let clocks =
        DataClocks { perf_time: u64::MAX, perf_time_100ns: 1 << 60, perf_freq: 10_000_000, system_time };
    let mut answer = QueryDataBuf::new(clocks);
    let small = 0x0102_0304_u32.to_le_bytes().to_vec();
    let large = 0x1122_3344_5566_7788_u64.to_le_bytes().to_vec();
    let text = Text::encode("abc");
    let (small_told, large_told, text_told) = ("04030201", "8877665544332211", "6100620063000000");
    answer.push_error(0x1068);
    answer.push_single(&small);
    answer.push_multi_counters(&[(9, small.clone()), (8, large.clone()), (7, text.clone()), (6, Vec::new())]);
    answer.push_multi_counters::<Vec<u8>>(&[]);
    answer.push_multi_instances(&[
        (InstanceBuf::new(1, "ab"), large.clone()),
        (InstanceBuf::new(2, ""), small.clone()),
    ]);
    let row = |id, name: &str| (InstanceBuf::new(id, name), vec![small.clone(), large.clone(), text.clone()]);
    answer.push_counter_set(&[1, 2, 3], &[row(5, "abc"), row(6, "abcd")]);
    answer.push_counter_set::<Vec<u8>>(&[1], &[]);
    let values = [small_told, large_told, text_told];
    let told = json!({
        "clocks": [u64::MAX.to_string(), (1_u64 << 60).to_string(), "10000000"],
        "system_time": [2026, 11, 6, 21, 13, 59, 7, 999],
        "blocks": [
            {"status": 0x1068, "type": 0, "ids": null, "rows": []},
            {"status": 0, "type": 1, "ids": null, "rows": [[null, [small_told]]]},
            {"status": 0, "type": 2, "ids": [9, 8, 7, 6], "rows": [[null, [small_told, large_told, text_told, ""]]]},
            {"status": 0, "type": 2, "ids": [], "rows": [[null, []]]},
            {"status": 0, "type": 4, "ids": null, "rows": [[[1, "ab"], [large_told]], [[2, ""], [small_told]]]},
            {"status": 0, "type": 6, "ids": [1, 2, 3], "rows": [[[5, "abc"], values], [[6, "abcd"], values]]},
            {"status": 0, "type": 6, "ids": [1], "rows": []},
        ],
    });
    stream.method(opnum::QUERY_COUNTER_DATA, &answer.finish(), "data", &told);
}
