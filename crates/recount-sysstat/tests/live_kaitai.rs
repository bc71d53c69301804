//! formats/sa.ksy against our reader: the parser that the Kaitai Struct compiler generates from it finds the same
//! records, with the same number of structures of each activity and the same values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use recount_model::Source;
use recount_sysstat::{SaSource, dump};
use recount_testdata::shared;
use serde_json::{Value, json};

#[path = "../../recount-blg/tests/kaitai/node.rs"]
mod node;

use node::Node;

/// Files of the format 0x2175 and their samples.
const FILES: [(&str, usize); 10] = [
    ("recorded/rec-all.sa", 61),
    ("derived/be64.sa", 61),
    ("derived/future.sa", 61),
    ("derived/hotplug.sa", 14),
    ("sysstat/data-12.0.0", 2),
    ("sysstat/data-extra-12.1.7", 2),
    ("sysstat/data-ukwn", 2),
    ("sysstat/data-ukwn1", 3),
    ("sysstat/data-12.5.6-A_QUEUE_modified", 2),
    ("sysstat/data-non-printable", 0),
];

#[test]
fn a_parser_made_of_the_description_reads_what_ours_reads() {
    let node = Node::install();
    for (name, num_samples) in FILES {
        assert_same(&node, name, &shared(&format!("sa/{name}")), num_samples);
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/sysstat.sa");
    assert_same(&node, "sysstat.sa", &std::fs::read(own).expect("a sample"), 8);
}

fn assert_same(node: &Node, name: &str, bytes: &[u8], num_samples: usize) {
    let found = node.count_bytes("file.sa", bytes);
    let source = SaSource::open(Arc::new(bytes.to_vec())).expect("an sa file");
    let mut text = String::new();
    dump(&bytes.to_vec(), usize::MAX, &mut text).expect("a dump");
    let (head, records) = told(&text);
    let info = source.info();
    let comments: Vec<&str> = info.marks.iter().map(|mark| &*mark.text).collect();
    let samples: Vec<&Record> = records.iter().filter(|record| matches!(record.kind, 1 | 3)).collect();
    let of_samples =
        |value: &dyn Fn(&Record) -> Value| samples.iter().map(|record| value(record)).collect::<Value>();
    let expected = json!({
        "host": &*info.hosts[0],
        "version": head.version,
        "activities": head.ids,
        "kinds": records.iter().map(|record| record.kind).collect::<Vec<u8>>(),
        "times": of_samples(&|record| json!(record.time)),
        "switches": of_samples(&|record| json!(record.switches)),
        "comments": comments,
    });
    for (what, expected) in expected.as_object().expect("an object") {
        assert_eq!(&found[what], expected, "{name} {what}");
    }
    assert_eq!((samples.len(), source.times().len()), (num_samples, num_samples), "{name}");
    for (found, record) in found["items"].as_array().expect("items").iter().zip(samples) {
        for (activity, num) in head.names.iter().zip(found.as_array().expect("activities")) {
            let expected = record.items.get(activity).copied().unwrap_or(0);
            assert!(record.skipped.contains(activity) || *num == expected, "{name} {activity}: {num}");
        }
    }
}

/// What a dump says about the file.
#[derive(Default)]
struct Head {
    version: String,
    names: Vec<String>,
    ids: Vec<u32>,
}

/// What it says about a record.
#[derive(Default)]
struct Record {
    kind: u8,
    time: String,
    /// Structures by activity.
    items: BTreeMap<String, u64>,
    /// Activities that we don't know.
    skipped: BTreeSet<String>,
    switches: Option<String>,
}

fn told(dump: &str) -> (Head, Vec<Record>) {
    let (mut head, mut records) = (Head::default(), Vec::<Record>::new());
    for line in dump.lines() {
        let text = line.split_once(' ').map_or("", |(_, text)| text.trim());
        match (text.split_once(" = "), records.last_mut()) {
            (None, _) if text == "record_header" => records.push(Record::default()),
            (None, Some(record)) => {
                if let Some((name, _)) = text.split_once(", magic ") {
                    record.skipped.insert(name.to_owned());
                } else {
                    let name = text.split('[').next().unwrap_or_default();
                    *record.items.entry(name.to_owned()).or_default() += 1;
                }
            }
            (None, None) => head.names.extend(
                text.strip_prefix("file_activity (")
                    .and_then(|name| name.strip_suffix(')'))
                    .map(str::to_owned),
            ),
            (Some(("sysstat_version", version)), None) => version.clone_into(&mut head.version),
            (Some(("id", id)), None) => head.ids.push(id.parse().expect("a number")),
            (Some(("record_type", kind)), Some(record)) => record.kind = kind.parse().expect("a number"),
            (Some(("ust_time", time)), Some(record)) => time.clone_into(&mut record.time),
            (Some(("context_switch", number)), Some(record)) => record.switches = Some(number.to_owned()),
            _ => {}
        }
    }
    (head, records)
}
