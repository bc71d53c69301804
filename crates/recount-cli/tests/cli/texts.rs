//! Counters of type TEXT: from blocks and sessions into tables and back, into `show` and into `dump`.

use recount_bytes::{ByteOrder, encode_utf16};
use recount_model::{CounterAttributes, CounterType, Timestamp};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid,
    Message, MessageHeader, QueryDataBuf, Registration, ReturnCode, opnum, request,
};
use recount_samples::blocks::{BlockBuf, InstancesBuf, ObjectBuf};

use super::run::{Outputs, recount, recount_with_input};
use super::tables::{names, parquet};

const UNICODE_TEXT: CounterType = CounterType(0x0000_0B00);
const BYTE_TEXT: CounterType = CounterType(0x0001_0B00);
const COUNT: CounterType = CounterType(0x0001_0000);
const HEX: CounterType = CounterType(0x0000_0000);
/// Where the counter block of these objects begins its texts, and how long they may be.
const LEN_TEXT: u32 = 32;
const START: i64 = 130_057_920_000_000_000;

fn in_order(value: u32, order: ByteOrder) -> [u8; 4] {
    match order {
        ByteOrder::Little => value.to_le_bytes(),
        ByteOrder::Big => value.to_be_bytes(),
    }
}

/// An object with a text of these bytes, its length in front of it, and a count.
fn object(index: u32, word: CounterType, text: &[u8], order: ByteOrder) -> ObjectBuf {
    let mut object = ObjectBuf::new(index, false);
    let count = object.add_counter(index + 2, COUNT);
    let at = object.add_counter(index + 4, word);
    object.counters[at].definition.len_value = LEN_TEXT;
    let start = object.counters[at].definition.ofs_value as usize - 4;
    let mut values = object.zeroed_values();
    assert!(object.set_value(&mut values, order, count, 7));
    values[start..start + 4].copy_from_slice(&in_order(text.len() as u32, order));
    values[start + 4..start + 4 + text.len()].copy_from_slice(text);
    object.instances = InstancesBuf::Single(values);
    object
}

/// A dump of two samples: Unicode in object 500, and code page 1252 in object 600.
fn dump_of_blocks(order: ByteOrder) -> Vec<u8> {
    let block = |second: i64, state: &str| {
        let mut block = BlockBuf::new("WEB1", order);
        (block.header.perf_time, block.header.perf_freq) = (second * 1000, 1000);
        block.header.perf_time_100ns = START + second * 10_000_000;
        let mut page = object(600, BYTE_TEXT, b"caf\xE9\0after", order);
        page.header.code_page = 1252;
        block.objects = vec![object(500, UNICODE_TEXT, &encode_utf16(state, order), order), page];
        block.write().expect("fits")
    };
    [block(0, "läuft"), block(1, "läuft"), block(2, "")].concat()
}

/// A session of two samples, with a text of each encoding, and a number that is displayed in hexadecimal.
fn session() -> Vec<u8> {
    let (guid, query) = (Guid([5; 16]), 1);
    let counter = CounterRegInfo::unlinked;
    let hex = CounterRegInfo { attributes: CounterAttributes::DISPLAY_AS_HEX, ..counter(3, COUNT) };
    let counters = vec![counter(1, UNICODE_TEXT), counter(2, BYTE_TEXT), hex];
    let num_counters = counters.len() as u32;
    let set = CounterSetRegInfo { guid, detail_level: 100, num_counters, ..CounterSetRegInfo::default() };
    let mut registration = Vec::new();
    Registration { set, counters }.write(&mut registration);
    let mut all = Vec::new();
    CounterIdentifierBuf::new(guid, ANY_COUNTER, 0, ANY_INSTANCE).write(&mut all);
    let about = MessageHeader {
        opnum: opnum::QUERY_REGISTRATION_INFO,
        request_code: request::COUNTER_SET,
        guid,
        ..MessageHeader::default()
    };
    let info = MessageHeader { opnum: opnum::QUERY_COUNTER_INFO, query, ..MessageHeader::default() };
    let mut messages = vec![(about, registration), (info, all)];
    for (second, state) in [(0, "läuft"), (1, "steht still")] {
        let time = (START + second * 10_000_000) as u64;
        let clocks = DataClocks {
            perf_time: time,
            perf_time_100ns: time,
            perf_freq: 10_000_000,
            ..DataClocks::default()
        };
        let mut answer = QueryDataBuf::new(clocks);
        let text = encode_utf16(state, ByteOrder::Little);
        answer.push_multi_counters(&[(1, text), (2, b"plain text\0".to_vec()), (3, vec![0xEF, 0xBE, 0, 0])]);
        let header = MessageHeader {
            opnum: opnum::QUERY_COUNTER_DATA,
            query,
            return_code: ReturnCode::SUCCESS,
            time: Timestamp(time as i64),
            ..MessageHeader::default()
        };
        messages.push((header, answer.finish()));
    }
    let mut stream = Vec::new();
    for (header, buffer) in &messages {
        Message { header: *header, buffer }.write(&mut stream);
        stream.resize(stream.len().next_multiple_of(8), 0);
    }
    stream
}

type Texts = Vec<(String, Option<String>)>;

/// Counter and text of the rows of a tidy table.
fn texts_in(path: &str) -> Texts {
    let batches = parquet(path);
    let counters = names(&batches, "counter").into_iter().map(Option::unwrap_or_default);
    counters.zip(names(&batches, "text")).collect()
}

/// Into a tidy table, through a stream of one made of that, and through a directory of objects.
fn through_tables(outputs: &Outputs, capture: &str) -> [Texts; 3] {
    let [tidy, streamed, objects, back] =
        ["tidy.parquet", "streamed.parquet", "objects/", "back.parquet"].map(|name| outputs.path(name));
    let convert = |input: &str, output: &str| recount(&["convert", "-q", "-f", input, "-o", output]).fine();
    convert(capture, &tidy);
    let stream = ["convert", "-q", &tidy, "-o", "-", "--format", "parquet"];
    let (code, bytes) = recount_with_input(&stream, Vec::new());
    assert_eq!(code, Some(0));
    outputs.write("streamed.parquet", bytes);
    convert(&tidy, &objects);
    convert(&objects, &back);
    [&tidy, &streamed, &back].map(|path| {
        let mut texts = texts_in(path);
        texts.sort();
        texts
    })
}

fn rows(all: &[(&str, Option<&str>)]) -> Texts {
    let mut rows: Texts =
        all.iter().map(|(counter, text)| ((*counter).to_owned(), text.map(str::to_owned))).collect();
    rows.sort();
    rows
}

#[test]
fn texts_of_blocks_are_in_tables_and_read_back() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let outputs = Outputs::new();
        let capture = outputs.write("texts.bin", dump_of_blocks(order));
        let (running, place) = (("504", Some("läuft")), ("604", Some("café")));
        let (one, other) = (("502", None), ("602", None));
        let expected = rows(&[
            one,
            running,
            other,
            place,
            one,
            running,
            other,
            place,
            one,
            ("504", Some("")),
            other,
            place,
        ]);
        for texts in through_tables(&outputs, &capture) {
            assert_eq!(texts, expected, "{order:?}");
        }
        let columns = super::tables::columns(&parquet(&outputs.path("objects/500.parquet")));
        assert!(columns.ends_with(&["504".to_owned(), "504 (text)".to_owned()]), "{columns:?}");
    }
}

#[test]
fn a_text_is_not_a_raw_number() {
    let outputs = Outputs::new();
    let [tidy, objects] = ["tidy.parquet", "objects/"].map(|name| outputs.path(name));
    for (name, bytes) in [("texts.bin", dump_of_blocks(ByteOrder::Little)), ("texts.pcq", session())] {
        let capture = outputs.write(name, bytes);
        recount(&["convert", "-q", "-f", "--raw", &capture, "-o", &tidy]).fine();
        let batches = parquet(&tidy);
        let texts = names(&batches, "text");
        let numbers = super::tables::raw_values(&batches, "first");
        assert_eq!(texts.len(), numbers.len());
        for (text, number) in texts.iter().zip(&numbers) {
            assert_ne!(text.is_some(), number.is_some(), "{name}: {text:?} {number:?}");
        }
    }
    let capture = outputs.write("texts.bin", dump_of_blocks(ByteOrder::Little));
    recount(&["convert", "-q", "--raw", &capture, "-o", &objects]).fine();
    let raw = super::tables::raw_values(&parquet(&outputs.path("objects/500.parquet")), "504 (first)");
    assert_eq!(raw, [None; 3]);
}

#[test]
fn texts_of_blocks_are_shown_and_dumped() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let outputs = Outputs::new();
        let capture = outputs.write("texts.bin", dump_of_blocks(order));
        let show = recount(&["show", &capture, r"\600\*"]).fine();
        assert!(
            show.lines().any(|line| line.starts_with(r"\\WEB1\600\604") && line.contains("café")),
            "{show}"
        );
        let json = recount(&["show", &capture, "--json", r"\600\604"]).fine();
        assert!(json.contains(r#""newest_text":"café""#), "{json}");
        let dump = recount(&["dump", &capture]).fine();
        assert!(dump.contains(r#""läuft""#) && dump.contains(r#""café""#), "{dump}");
    }
}

#[test]
fn texts_of_sessions_are_in_tables_shown_and_dumped() {
    let outputs = Outputs::new();
    let capture = outputs.write("texts.pcq", session());
    let (plain, number) = (("2", Some("plain text")), ("3", None));
    let expected = rows(&[("1", Some("läuft")), plain, number, ("1", Some("steht still")), plain, number]);
    for texts in through_tables(&outputs, &capture) {
        assert_eq!(texts, expected);
    }
    let show = recount(&["show", &capture]).fine();
    assert!(show.contains("steht still") && show.contains("plain text") && show.contains("0xBEEF"), "{show}");
    let dump = recount(&["dump", &capture]).fine();
    assert!(dump.contains(r#""steht still""#) && dump.contains(r#""plain text""#), "{dump}");
}

#[test]
fn texts_are_followed() {
    let outputs = Outputs::new();
    let capture = outputs.write("texts.pcq", session());
    let log = outputs.path("texts.rcap");
    recount(&["record", "--source", &capture, "-o", &log]).fine();
    let lines = recount(&["show", "-f", &log]).fine();
    for shown in ["\tsteht still\t", "\tplain text\t", "\t0xBEEF\t"] {
        assert!(lines.contains(shown), "{shown:?}\n{lines}");
    }
    let lines = recount(&["show", "-f", &log, "--json"]).fine();
    assert!(lines.contains(r#""status":"not-a-number","text":"steht still""#), "{lines}");
}

#[test]
fn hexadecimal_types_are_shown_in_hexadecimal() {
    let outputs = Outputs::new();
    let mut object = ObjectBuf::new(500, false);
    let at = object.add_counter(502, HEX);
    let mut values = object.zeroed_values();
    assert!(object.set_value(&mut values, ByteOrder::Little, at, 0x00C0_FFEE));
    object.instances = InstancesBuf::Single(values);
    let mut block = BlockBuf::new("WEB1", ByteOrder::Little);
    block.header.perf_time_100ns = START;
    block.objects = vec![object];
    let capture = outputs.write("hex.bin", block.write().expect("fits"));
    assert!(recount(&["show", &capture]).fine().contains("0xC0FFEE"));
}

/// Thousands of definitions that share the bytes of one long text, and lengths beyond everything.
#[test]
fn hostile_texts_cost_neither_memory_nor_time() {
    const LEN: u32 = 1 << 20;
    let order = ByteOrder::Little;
    let mut object = ObjectBuf::new(500, false);
    for index in 0..4000 {
        object.add_counter(1000 + 2 * index, BYTE_TEXT);
    }
    for (at, counter) in object.counters.iter_mut().enumerate() {
        counter.definition.ofs_value = 8;
        counter.definition.len_value = [LEN, u32::MAX, 5][at % 3];
    }
    let mut values = vec![b'x'; LEN as usize + 12];
    values[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    object.instances = InstancesBuf::Single(values);
    let mut block = BlockBuf::new("WEB1", order);
    block.header.perf_time_100ns = START;
    block.objects = vec![object];
    let outputs = Outputs::new();
    let capture = outputs.write("hostile.bin", block.write().expect("fits"));
    let table = outputs.path("hostile.parquet");
    let done = recount(&["convert", "-q", &capture, "-o", &table]);
    assert!(matches!(done.code, Some(0..=2)), "{done:?}");
    if done.code != Some(2) {
        let len: usize = texts_in(&table).iter().filter_map(|(_, text)| text.as_ref()).map(String::len).sum();
        assert!(len <= 4 * LEN as usize, "{len}");
    }
    let dump = recount(&["dump", &capture]);
    assert!(dump.stdout.len() < 16 * LEN as usize, "{}", dump.stdout.len());
}

/// An average over no operations is 0 in PDH text, whether it comes from the capture or from its tidy table.
#[test]
fn averages_without_operations_are_0_also_from_a_tidy_table() {
    let outputs = Outputs::new();
    let [table, again] = ["tidy.parquet", "again.parquet"].map(|name| outputs.path(name));
    let capture = super::run::sample("objects.blg");
    recount(&["convert", "-q", &capture, "-o", &table]).fine();
    recount(&["convert", "-q", &table, "-o", &again]).fine();
    // Times are in UTC there.
    let values = |input: &str| {
        let text = recount(&["convert", "-q", input, "-o", "-", "--format", "csv"]).fine();
        super::tables::csv(&text).into_iter().map(|row| row[1..].to_vec()).collect::<Vec<_>>()
    };
    let expected = values(&capture);
    for table in [table, again] {
        assert!(values(&table) == expected, "{table}");
    }
}

/// What has no room for texts says that they are left out.
#[test]
fn texts_that_get_lost_are_reported() {
    let outputs = Outputs::new();
    let capture = outputs.write("texts.bin", dump_of_blocks(ByteOrder::Little));
    for name in ["a.csv", "a.tsv", "a.blg", "a.om", "a.lp"] {
        let form: &[&str] = match name {
            "a.om" => &["--format", "openmetrics"],
            "a.lp" => &["--format", "line-protocol"],
            _ => &[],
        };
        let path = outputs.path(name);
        let done = recount(&[&["convert", &capture, "-o", &path], form].concat());
        assert_eq!(done.code, Some(0), "{name}: {}", done.stderr);
        let said = r"the texts of 2 counters (\500\504, for one) are left out: only Parquet and Arrow have room for them";
        assert!(done.stderr.contains(said), "{name}: {}", done.stderr);
        let selected =
            recount(&[&["convert", "-f", &capture, "-c", r"\500\502", "-o", &path], form].concat());
        assert!(!selected.stderr.contains("left out"), "{name}: {}", selected.stderr);
    }
    let parquet = recount(&["convert", &capture, "-o", &outputs.path("a.parquet")]);
    assert!(!parquet.stderr.contains("left out"), "{}", parquet.stderr);
}
