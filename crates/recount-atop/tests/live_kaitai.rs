//! formats/atop.ksy against our reader: the parser that the Kaitai Struct compiler generates from it finds the same
//! samples, whose parts unpack to the same lengths and contain the same values.

#[expect(dead_code, reason = "its lines are for another test")]
#[path = "suite/printed/mod.rs"]
mod printed;

use std::path::Path;
use std::sync::Arc;

use recount_atop::{AtopLog, dump};
use recount_model::Source;
use recount_testdata::shared;
use serde_json::json;

#[path = "../../recount-blg/tests/kaitai/node.rs"]
mod node;

use node::Node;

#[test]
fn a_parser_made_of_the_description_reads_what_ours_reads() {
    let node = Node::install();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/atop.raw");
    let mut num_tasks = assert_same(&node, "atop.raw", std::fs::read(sample).expect("a sample"));
    for (name, _) in printed::LOGS {
        num_tasks += assert_same(&node, name, printed::unzip(&shared(&format!("atop/{name}"))));
    }
    assert!(num_tasks > 1_500, "{num_tasks}");
}

/// Returns the number of tasks compared.
fn assert_same(node: &Node, name: &str, bytes: Vec<u8>) -> usize {
    let found = node.count_bytes("atop.raw", &bytes);
    let mut text = String::new();
    dump(&bytes, usize::MAX, &mut text).expect("a dump");
    let log = AtopLog::open(Arc::new(bytes)).expect(name);
    let header = log.header();
    assert_eq!(found["host"], header.host, "{name}");
    assert_eq!(found["minor"], header.version.minor, "{name}");
    assert_eq!(found["page_size"], header.page_size, "{name}");
    let samples = told(&text);
    assert_eq!(samples.len(), log.times().len(), "{name}");
    let all = found["samples"].as_array().expect("samples");
    assert_eq!(all.len(), samples.len(), "{name}");
    let [_, _, len_system, len_task, _] = header.lens;
    let mut num_tasks = 0;
    for (at, (found, sample)) in all.iter().zip(&samples).enumerate() {
        let lens = [len_system, len_task * sample.pids.len() as u64, sample.len_cgroups];
        let expected = json!({
            "time": sample.number("time").to_string(),
            "flags": sample.number("flags"),
            "interval": sample.number("interval"),
            "num_tasks": sample.number("num_tasks"),
            "num_cgroups": sample.number("num_cgroups"),
            "lens": lens,
            "switches": sample.number("cpu.context_switches").to_string(),
            "pids": sample.pids,
        });
        assert_eq!(found, &expected, "{name}, sample {at}");
        num_tasks += sample.pids.len();
    }
    num_tasks
}

/// What a dump says about a sample.
#[derive(Default)]
struct Sample<'d> {
    /// Fields of its header and of the system part, with their names.
    fields: Vec<(&'d str, &'d str)>,
    pids: Vec<i64>,
    len_cgroups: u64,
}

impl Sample<'_> {
    /// 0 if the version doesn't have it.
    fn number(&self, name: &str) -> i64 {
        let value = self.fields.iter().find(|(other, _)| *other == name).map_or("0", |(_, value)| value);
        value
            .strip_prefix("0x")
            .map_or_else(|| value.parse(), |hex| i64::from_str_radix(hex, 16))
            .expect("a number")
    }
}

fn told(dump: &str) -> Vec<Sample<'_>> {
    let mut samples: Vec<Sample<'_>> = Vec::new();
    for line in dump.lines() {
        let text = line.split_once(' ').map_or("", |(_, text)| text.trim());
        if text == "sample" {
            samples.push(Sample::default());
        }
        let (Some(sample), Some((name, value))) = (samples.last_mut(), text.split_once(" = ")) else {
            continue;
        };
        // The name follows the offset in its structure.
        match name.split_once(' ').map_or(name, |(_, name)| name) {
            "gen.pid" => sample.pids.push(value.parse().expect("a number")),
            "gen.length" => sample.len_cgroups += value.parse::<u64>().expect("a length"),
            name => sample.fields.push((name, value)),
        }
    }
    samples
}
