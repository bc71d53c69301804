//! formats/rcap.ksy and formats/rcap.md against our reader: the parser that the Kaitai Struct compiler makes of the one,
//! with the scripts of formats/kaitai/ that follow the other, has to give the same records, byte for byte, and the same
//! raw values.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use recount_capture::{CaptureError, Log, RecordKind, append_marks};
use recount_model::{Mark, Timestamp};
use recount_perf_data::{CounterBlock, DataBlock, Object};
use serde_json::{Value, json};

#[path = "kaitai/example.rs"]
mod example;
#[path = "../../recount-blg/tests/kaitai/node.rs"]
mod node;
#[path = "kaitai/random_log.rs"]
mod random_log;

use node::Node;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/rcap-1").join(name)
}

/// One test, so that the installation is made once.
#[test]
fn a_reader_made_of_the_specification_reads_what_ours_reads() {
    let node = Node::install();
    let mut num_values = 0;
    for name in ["closed.rcap", "killed.rcap", "sealing.rcap", "damaged.rcap", "foreign.rcap", "tiny.rcap"] {
        let found = node.count(&sample(name));
        let log = Log::open(Box::new(std::fs::read(sample(name)).expect(name))).expect(name);
        num_values += assert_same(name, &found, &log);
        if name == "closed.rcap" {
            assert_index(&found["index"], &log, &std::fs::read(sample(name)).expect(name));
        }
    }
    assert_eq!(num_values, 5_718);
    known_texts(&node);
    marked(&node);
    any_pieces(&node);
    example::assert_current(&node, &sample("tiny.rcap"));
}

/// Chunks of version 2.
fn known_texts(node: &Node) {
    let found = node.count(&sample("known-texts.rcap"));
    let log = Log::open(Box::new(std::fs::read(sample("known-texts.rcap")).expect("a log"))).expect("a log");
    let compared = log.for_each_record(|at, bytes| {
        assert_eq!(found["records"][at]["bytes"], json!(bytes.ok().map(hex)), "record {at}");
        Ok::<(), CaptureError>(())
    });
    compared.expect("nothing to fail");
    assert_eq!(log.num_records(), 2);
}

/// A log with a mark after its index, and a new index after that.
fn marked(node: &Node) {
    let bytes = std::fs::read(sample("closed.rcap")).expect("a log");
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("written");
    let mark = Mark { time: Timestamp(130_058_022_178_440_000), text: "deploy v42".into() };
    let copy = file.try_clone().expect("cloned");
    append_marks(Box::new(copy), &mut file, std::slice::from_ref(&mark)).expect("appended");
    let mut bytes = Vec::new();
    file.rewind().expect("at the start");
    file.read_to_end(&mut bytes).expect("read");
    let found = node.count_bytes("marked.rcap", &bytes);
    let log = Log::open(Box::new(bytes)).expect("a log");
    assert_same("marked.rcap", &found, &log);
    assert_eq!(found["num_bytes_skipped"], 0);
    let last = &found["records"][log.num_records() - 1];
    assert_eq!((&last["time"], &last["event"]["text"]), (&json!(mark.time.0.to_string()), &json!(mark.text)));
    assert_eq!(found["index"]["time"].as_array().map(Vec::len), Some(log.num_records()));
}

/// Compares what the scripts found with what our reader finds; gives how many raw values were the same.
fn assert_same(name: &str, found: &Value, log: &Log) -> usize {
    assert_eq!(found["facts"], json!(log.facts()), "{name}");
    assert_eq!(found["header"]["writer"], json!(log.writer()), "{name}");
    let texts: BTreeMap<String, &str> =
        log.texts()["009"].iter().map(|(index, text)| (index.to_string(), text)).collect();
    assert_eq!(found["texts"]["009"], json!(texts), "{name}");
    let records = found["records"].as_array().expect("records");
    assert_eq!(records.len(), log.num_records(), "{name}");
    let mut num_values = 0;
    let compared = log.for_each_record(|at, bytes| {
        let (time, kind) = log.record_info(at).expect("it is listed");
        let found = &records[at];
        assert_eq!(found["time"], time.0.to_string(), "{name}, record {at}");
        assert_eq!(found["kind"], kind.0, "{name}, record {at}");
        assert_eq!(found["bytes"], json!(bytes.ok().map(hex)), "{name}, record {at}");
        if let (Ok(block), RecordKind::BLOCK) = (bytes, kind) {
            let values = raw_values(block);
            assert_eq!(found["values"], json!(values), "{name}, record {at}");
            num_values += values.len();
        }
        Ok::<(), CaptureError>(())
    });
    compared.expect("nothing to fail");
    num_values
}

/// Object, instance, counter and value, by our reader of blocks.
fn raw_values(block: &[u8]) -> Vec<(u32, Option<String>, u32, Option<String>)> {
    let block = DataBlock::parse(block, 0).expect("a block");
    let mut values = Vec::new();
    for object in block.objects() {
        let object = object.expect("an object");
        let mut add = |instance: Option<String>, bytes: CounterBlock<'_>| {
            values.extend(values_in(&object, bytes).map(|(counter, value)| {
                (object.header().name_index, instance.clone(), counter, value.map(|value| value.to_string()))
            }));
        };
        if let Some(bytes) = object.counter_block() {
            add(None, bytes.expect("a counter block"));
        }
        for instance in object.instances() {
            let instance = instance.expect("an instance");
            add(Some(object.encoding().decode(instance.name)), instance.counter_block);
        }
    }
    values
}

fn values_in<'a>(
    object: &Object<'a>,
    bytes: CounterBlock<'a>,
) -> impl Iterator<Item = (u32, Option<u64>)> + use<'a> {
    object.counters().map(move |counter| {
        let counter = counter.expect("a counter");
        let ofs = counter.ofs_value as usize;
        let value = if counter.len_value == 4 { bytes.u32_at(ofs) } else { bytes.u64_at(ofs) };
        (counter.name_index, value)
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// The index lists every frame of records or definitions, where it is, and every record.
fn assert_index(index: &Value, log: &Log, bytes: &[u8]) {
    let list = |name: &str| -> Vec<u64> {
        index[name].as_array().expect(name).iter().map(|value| value.as_u64().expect(name)).collect()
    };
    let (kinds, starts, lens) = (list("kind"), list("ofs_frame"), list("len_frame"));
    assert_eq!(kinds, [2, 3, 5, 5, 3, 2, 5, 5, 5]);
    for (at, &start) in starts.iter().enumerate() {
        let frame = &bytes[start as usize..(start + lens[at]) as usize];
        assert_eq!(frame[..4], [0x8D, b'R', b'C', b'F']);
        assert_eq!(u64::from(frame[8]), kinds[at]);
        assert_eq!(frame[frame.len() - 4..], (lens[at] as u32).to_le_bytes());
    }
    let (firsts, nums) = (list("number_first"), list("num_records_of_frame"));
    assert_eq!(firsts, [0, 10, 18, 24, 31]);
    assert_eq!(nums.iter().sum::<u64>(), log.num_records() as u64);
    for at in 0..log.num_records() {
        let (time, kind) = log.record_info(at).expect("it is listed");
        assert_eq!(index["time"][at], time.0.to_string());
        assert_eq!(
            (&index["record_kind"][at], &index["len_record"][at]),
            (&json!(kind.0), &json!(log.len_record(at)))
        );
    }
}

/// Records in pieces of every kind, so that every form of columns is met.
fn any_pieces(node: &Node) {
    for seed in 1..=3 {
        let bytes = random_log::write(seed);
        let found = node.count_bytes("random.rcap", &bytes);
        let log = Log::open(Box::new(bytes)).expect("a log");
        let records = found["records"].as_array().expect("records");
        let expected = random_log::records(seed);
        assert_eq!((records.len(), log.num_records()), (expected.len(), expected.len()));
        for (at, (time, bytes, _)) in expected.iter().enumerate() {
            assert_eq!(records[at]["number"], at);
            assert_eq!(records[at]["time"], time.0.to_string(), "seed {seed}, record {at}");
            assert_eq!(records[at]["bytes"], hex(bytes), "seed {seed}, record {at}");
        }
        let forms: BTreeSet<&str> =
            found["forms"].as_object().expect("forms").keys().map(String::as_str).collect();
        assert_eq!(forms, random_log::FORMS.into(), "seed {seed}");
    }
}
