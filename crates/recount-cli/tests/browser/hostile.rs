//! Captures whose names try to be markup, scripts, templates, escape sequences, directions, or simply too long.

use recount_model::{CounterType, Timestamp};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid,
    InstanceBuf, Message, MessageHeader, QueryDataBuf, Registration, ReturnCode, StringTableBuf, Text, opnum,
    request,
};

/// Number of samples, a second apart: as many as the rules need.
pub(crate) const NUM_SAMPLES: u64 = 60;
/// Percent of a processor that every process takes.
pub(crate) const PERCENT: u64 = 90;
const SECOND: u64 = 10_000_000;
/// 2026-11-20T10:00:00Z, as a FILETIME.
const BEGIN: u64 = 134_396_424_000_000_000;
/// `PERF_100NSEC_TIMER` and `PERF_COUNTER_LARGE_RAWCOUNT`.
const TIMER: u32 = 0x2051_0500;
const RAW: u32 = 0x0001_0100;
const MULTIPLE: u32 = 2;

/// The names: each is that of an object, of a counter, of an instance and of a process. Any script in them would set
/// `window.hurt`, which a check examines.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "<script>window.hurt=1</script>",
        "</script><script>window.hurt=2</script>",
        "<img src=x onerror=window.hurt=3>",
        "\"><svg onload=window.hurt=4>",
        "' onmouseover='window.hurt=5' autofocus onfocus='window.hurt=6",
        "</title></style></textarea><iframe src=javascript:window.hurt=7>",
        "<!-- a comment",
        "--> ]]> --!>",
        "<![CDATA[ x ]]><?xml version='1.0'?><!DOCTYPE x>",
        "&lt;b&gt; &amp;amp; &#x3c; &nbsp;",
        "javascript:window.hurt=8",
        "{{ 7*7 }} {% raw %} {# x #} ${7*7} #{7*7}",
        "\"double\" 'single' `back` \u{ab}\u{201c}\u{2018}\u{2019}\u{201d}\u{bb} \u{ff02}",
        "| a | b |\\| c \\",
        "**bold** _it_ ~~gone~~ # head",
        "[text](x) ![picture](x.png) [ref]: x <x@y.example>",
        "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{9b}31m",
        "line\r\nfeed\ttab\u{b}\u{c}\u{8}bell\u{7}",
        "\u{202e}desrever\u{202c} \u{2066}x\u{2069} \u{200f}",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} (\u{627}\u{644})",
        "zero\u{200b}wi\u{200d}dth\u{2060}\u{feff}\u{ad}\u{e0041}",
        "e\u{301}\u{301}\u{301} \u{1f600} \u{fffd} \u{ffff}",
        "__proto__",
        "constructor",
        "=1+1",
        "https://evil.example/x www.evil.example @everyone",
    ]
    .map(str::to_owned)
    .to_vec();
    // All control characters but NUL, which ends a name in the captures.
    names.push((1..0x20_u8).chain(0x7f..0xa0).map(char::from).collect());
    names.push(format!("<b>{}", "long ".repeat(32 * 1024 / 5)));
    names
}

fn guid(number: usize) -> Guid {
    Guid([number as u8 + 1; 16])
}

fn counter(counter_id: u32, word: u32) -> CounterRegInfo {
    CounterRegInfo::unlinked(counter_id, CounterType(word))
}

/// An object of the session: its name, its counter, and its instances.
struct Object {
    name: String,
    counter: String,
    word: u32,
    instances: Vec<String>,
}

/// An object per name, with a counter and two instances that have the following names; and `Process`, with all names.
fn objects() -> Vec<Object> {
    let names = names();
    let next = |at: usize| names[at % names.len()].clone();
    let mut objects: Vec<Object> = (0..names.len())
        .map(|at| Object {
            name: next(at),
            counter: next(at + 1),
            word: RAW,
            instances: vec![next(at + 2), next(at + 3)],
        })
        .collect();
    objects.push(Object {
        name: "Process".to_owned(),
        counter: "% Processor Time".to_owned(),
        word: TIMER,
        instances: names.clone(),
    });
    objects
}

/// An MS-PCQ session, which may hold any text but NUL.
pub(crate) fn session() -> Vec<u8> {
    let objects = objects();
    let mut stream = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        register(&mut stream, number, object);
    }
    let identifiers: Vec<CounterIdentifierBuf> = (0..objects.len())
        .map(|number| CounterIdentifierBuf {
            index: number as u32,
            ..CounterIdentifierBuf::new(guid(number), ANY_COUNTER, 0, ANY_INSTANCE)
        })
        .collect();
    let mut buffer = Vec::new();
    for identifier in &identifiers {
        identifier.write(&mut buffer);
    }
    let header = MessageHeader { opnum: opnum::QUERY_COUNTER_INFO, query: 1, ..MessageHeader::default() };
    add(&mut stream, header, &buffer);
    for sample in 0..NUM_SAMPLES {
        let header = MessageHeader {
            opnum: opnum::QUERY_COUNTER_DATA,
            query: 1,
            return_code: ReturnCode::SUCCESS,
            time: Timestamp((BEGIN + sample * SECOND) as i64),
            ..MessageHeader::default()
        };
        add(&mut stream, header, &answer(sample, &objects));
    }
    stream
}

fn register(stream: &mut Vec<u8>, number: usize, object: &Object) {
    let mut about = |request_code: u16, buffer: &[u8]| {
        let opnum = opnum::QUERY_REGISTRATION_INFO;
        let header = MessageHeader { opnum, request_code, guid: guid(number), ..MessageHeader::default() };
        add(stream, header, buffer);
    };
    let set = CounterSetRegInfo {
        guid: guid(number),
        detail_level: 100,
        num_counters: 1,
        instance_type: MULTIPLE,
        ..CounterSetRegInfo::default()
    };
    let mut buffer = Vec::new();
    Registration { set, counters: vec![counter(1, object.word)] }.write(&mut buffer);
    about(request::COUNTER_SET, &buffer);
    about(request::ENGLISH_SET_NAME, &Text::encode(&object.name));
    let mut buffer = Vec::new();
    StringTableBuf { entries: vec![(1, object.counter.clone())] }.write(&mut buffer);
    about(request::ENGLISH_COUNTER_NAMES, &buffer);
    // Help texts of counters are shown, too.
    about(request::COUNTER_DESCRIPTIONS, &buffer);
}

fn answer(sample: u64, objects: &[Object]) -> Vec<u8> {
    let clocks = DataClocks {
        perf_time: sample * SECOND,
        perf_time_100ns: BEGIN + sample * SECOND,
        perf_freq: SECOND,
        ..DataClocks::default()
    };
    let mut answer = QueryDataBuf::new(clocks);
    for object in objects {
        let rows: Vec<(InstanceBuf, Vec<Vec<u8>>)> = object
            .instances
            .iter()
            .zip(1_u32..)
            .map(|(name, id)| {
                let value = if object.word == TIMER {
                    sample * SECOND * PERCENT / 100
                } else {
                    sample % 7 + u64::from(id)
                };
                (InstanceBuf::new(id, name), vec![value.to_le_bytes().to_vec()])
            })
            .collect();
        answer.push_counter_set(&[1], &rows);
    }
    answer.finish()
}

fn add(stream: &mut Vec<u8>, header: MessageHeader, buffer: &[u8]) {
    Message { header, buffer }.write(stream);
    stream.resize(stream.len().next_multiple_of(Message::ALIGNMENT), 0);
}

/// A PDH text: processes with all names, and one with NUL. Characters that have a meaning in its paths or end its lines
/// are left out.
pub(crate) fn pdh_text() -> String {
    let fit = |name: &str| name.replace(['\\', '\r', '\n', '(', ')', '/', '#'], "") + "\0NUL";
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for name in names() {
        let quoted = fit(&name).replace('"', "\"\"");
        text.push_str(&format!(r#","\\host\Process({quoted})\% Processor Time""#));
    }
    for sample in 0..NUM_SAMPLES {
        text.push_str(&format!("\r\n\"11/20/2026 10:00:{sample:02}.000\""));
        for _ in names() {
            text.push_str(&format!(",\"{PERCENT}\""));
        }
    }
    text + "\r\n"
}
