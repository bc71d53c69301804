//! formats/blg.ksy and formats/perf-data-block.ksy against our readers: the parsers that the Kaitai Struct
//! compiler generates from them must count the same in the same files.

use std::sync::Arc;

use recount_blg::{BlgSource, Entry, dump};
use recount_model::{Run, Second, Selection, Source};
use recount_perf_data::DataBlock;
use recount_testdata::{shared, shared_path};
use serde_json::{Value, json};

#[path = "kaitai/node.rs"]
mod node;
#[path = "kaitai/object_log.rs"]
mod object_log;

use node::Node;
use object_log::{NUM_FEW, ObjectLog, SINGLE};

const PROCESSES: &str = "perf-data-block/process-165-instances.bin";
const WINE: &str = "perf-data-block/wine-no-objects.bin";

/// A single test, so that the installation is made only once.
#[test]
fn kaitai_parsers_count_what_our_readers_count() {
    let node = Node::install();
    blocks(&node);
    real_log(&node);
    let log = ObjectLog::write(&shared(PROCESSES));
    object_log(&node, &log);
    unfinished_log(&node, &log);
}

fn blocks(node: &Node) {
    let processes = node.count(&shared_path(PROCESSES));
    assert_eq!(processes, counts_of_block(&shared(PROCESSES)));
    assert_eq!(processes["len_total"], 44_400);
    assert_eq!(processes["objects"], json!([230]));
    assert_eq!((&processes["num_counters"], &processes["num_instances"]), (&json!(28), &json!(165)));
    assert_eq!(
        processes["first_names"],
        json!(["Idle", "System_4", "Secure System_576", "smss_584", "csrss_772"])
    );
    assert_eq!(processes["perf_freq"], "3507498");

    let wine = node.count(&shared_path(WINE));
    assert_eq!(wine, counts_of_block(&shared(WINE)));
    assert_eq!((&wine["objects"], &wine["num_instances"]), (&json!([]), &json!(0)));
}

/// The same counts as count.mjs, by our reader.
fn counts_of_block(bytes: &[u8]) -> Value {
    let block = DataBlock::parse(bytes, 0).expect("a block");
    let header = block.header();
    let objects: Vec<_> = block.objects().map(|object| object.expect("an object")).collect();
    let mut counter_blocks = Vec::new();
    let mut names = Vec::new();
    for object in &objects {
        counter_blocks.extend(object.counter_block().map(|block| block.expect("a counter block")));
        for instance in object.instances() {
            let instance = instance.expect("an instance");
            counter_blocks.push(instance.counter_block);
            names.push(object.encoding().decode(instance.name));
        }
    }
    json!({
        "len_total": header.len_total,
        "system_name": block.system_name(),
        "perf_time": header.perf_time.to_string(),
        "perf_freq": header.perf_freq.to_string(),
        "perf_time_100ns": header.perf_time_100ns.to_string(),
        "objects": objects.iter().map(|object| object.header().name_index).collect::<Vec<_>>(),
        "num_counters": objects.iter().map(|object| object.counters().count()).sum::<usize>(),
        "num_instances": names.len(),
        "len_counter_blocks": counter_blocks.iter().map(|block| block.bytes().len()).sum::<usize>(),
        "first_names": names.iter().take(5).collect::<Vec<_>>(),
    })
}

fn open(bytes: Vec<u8>) -> BlgSource {
    let source = BlgSource::open(Arc::new(bytes)).expect("a performance log");
    assert!(source.health().is_sound(), "{:?}", source.health());
    source
}

fn decode_all(source: &BlgSource) -> Vec<Run> {
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let decoded = source.decode(&samples, &Selection::all());
    assert!(decoded.health.is_sound(), "{:?}", decoded.health);
    decoded.runs
}

/// Our reader's dump of a log, whose lines are counted.
struct Dump(String);

impl Dump {
    fn of(bytes: &[u8]) -> Dump {
        let mut text = String::new();
        dump(&bytes.to_vec(), usize::MAX, &mut text).expect("a dump");
        Dump(text)
    }

    /// The rest of each line that begins with this text, without offset and indentation.
    fn lines<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.lines().filter_map(move |line| line.split_once(' ')?.1.trim_start().strip_prefix(start))
    }

    fn count(&self, start: &str) -> usize {
        self.lines(start).count()
    }

    /// Checks what both know about the container.
    fn assert_container(&self, counts: &Value) {
        assert_eq!(counts["num_buffers"], self.count("BufferSize = ") - 1, "all but the logfile header's");
        assert_eq!(counts["num_bytes_torn"], 0);
        assert_eq!(counts["num_other_events"], 0);
        let events = counts["events"].as_object().expect("events by type");
        for (message_type, number) in events {
            let message_type: u8 = message_type.parse().expect("message type");
            assert_eq!(*number, self.count(&format!("MessageType = {message_type:#04x}")));
        }
        let num_events: u64 = events.values().filter_map(Value::as_u64).sum();
        assert_eq!(num_events as usize, self.count("MessageType = "));
        let header = &counts["trace_headers"][0];
        for (field, name) in [
            ("PointerSize", "len_pointer"),
            ("BuffersWritten", "num_buffers"),
            ("TimeZone.Bias", "bias"),
            ("PerfFreq", "perf_freq"),
            ("LoggerName", "logger_name"),
            ("LogFileName", "file_name"),
        ] {
            let shown = match &header[name] {
                // The dump has names in quotes, and numbers of 64 bits without.
                Value::String(text) if field.ends_with("Name") => format!("{text:?}"),
                Value::String(digits) => digits.clone(),
                number => number.to_string(),
            };
            // The logfile header is the first to have them; PerfFreq is in blocks, too.
            assert_eq!(self.lines(&format!("{field} = ")).next(), Some(&*shown), "{field}");
        }
    }
}

fn real_log(node: &Node) {
    let bytes = shared("blg/tx-basic.blg");
    let counts = node.count(&shared_path("blg/tx-basic.blg"));
    let dump = Dump::of(&bytes);
    dump.assert_container(&counts);
    assert_eq!((&counts["num_buffers"], &counts["num_blocks"]), (&json!(6), &json!(601)));
    assert_eq!(counts["events"], json!({"32": 1, "34": 601}));
    assert_eq!(counts["records"], json!({"1": 3_005, "2": 601}));
    assert_eq!(counts["num_instances"], 3_005);
    assert_eq!(counts["sum_first"], "14744101389154483");
    assert_eq!(counts["sum_second"], "16576430630231465338");
    assert_eq!(counts["trace_headers"][0]["start_time"], "130058022178447225");
    assert_eq!(dump.count("record of kind 0x01"), 3_005);
    assert_eq!(dump.count("record of kind 0x02"), 601);

    let source = open(bytes);
    assert_eq!(source.times().len(), 601);
    let last = source.times()[600];
    let local = last.utc.plus_minutes(i64::from(last.offset_min));
    assert_eq!(counts["last_time"], local.0.to_string());
    // The list is stamped ten ticks before the first sample.
    let first = source.times()[0];
    let local = first.utc.plus_minutes(i64::from(first.offset_min));
    assert_eq!(counts["first_time"], (local.0 - 10).to_string());
    assert_entries(&counts, &dump, 6);
    assert_values(&counts, &decode_all(&source));
}

/// Compares Kaitai's entries of the counter list with the dump.
fn assert_entries(counts: &Value, dump: &Dump, num_entries: usize) {
    let entries = counts["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), num_entries);
    let entries: Vec<Entry> = entries.iter().map(entry_of).collect();
    let shown = |text: &dyn Fn(&Entry) -> String| entries.iter().map(text).collect::<Vec<String>>();
    assert_eq!(shown(&|entry| entry.path().to_string()), dump.lines("entry ").collect::<Vec<_>>());
    assert_eq!(shown(&|entry| format!("{:#04x}", entry.kind)), dump.lines("kind = ").collect::<Vec<_>>());
    assert_eq!(shown(&|entry| entry.time_base.to_string()), dump.lines("time base = ").collect::<Vec<_>>());
    let scales: Vec<_> = dump.lines("default scale = ").collect();
    assert_eq!(shown(&|entry| entry.default_scale.to_string()), scales);
    let types: Vec<_> = dump.lines("counter type = ").filter_map(|text| text.split(' ').next()).collect();
    assert_eq!(shown(&|entry| format!("{:#010X}", entry.counter_type.0)), types);
}

fn entry_of(value: &Value) -> Entry {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let number = |name: &str| value[name].as_u64().expect(name) as u32;
    Entry {
        kind: number("kind"),
        counter_type: recount_model::CounterType(number("counter_type")),
        time_base: text("time_base").and_then(|digits| digits.parse().ok()).expect("time base"),
        default_scale: value["default_scale"].as_i64().expect("default scale") as i32,
        host: text("machine").expect("machine").strip_prefix(r"\\").expect("backslashes").to_owned(),
        object: text("object").expect("object"),
        instance: text("instance"),
        parent: text("parent"),
        index: number("index"),
        counter: text("counter").expect("counter"),
    }
}

/// Sums of raw values and the instances of the runs.
fn assert_values(counts: &Value, runs: &[Run]) {
    let (mut sum_first, mut sum_second) = (0_u64, 0_u64);
    for column in runs.iter().flat_map(|run| &run.columns) {
        let Second::Own(second) = &column.second else { panic!("no second values") };
        sum_first = column.first.iter().fold(sum_first, |sum, &value| sum.wrapping_add(value));
        sum_second = second.iter().fold(sum_second, |sum, &value| sum.wrapping_add(value));
    }
    assert_eq!(counts["sum_first"], sum_first.to_string());
    assert_eq!(counts["sum_second"], sum_second.to_string());
    let names = counts["instance_names"].as_object().expect("instance names");
    let cpu: Vec<&Run> = runs.iter().filter(|run| &*run.object.name == "Processor").collect();
    for instance in &*cpu[0].instances {
        let num_samples: usize = cpu.iter().map(|run| run.num_samples()).sum();
        assert_eq!(names[&*instance.name], num_samples);
    }
    assert_eq!(names.len(), cpu[0].instances.len());
}

fn object_log(node: &Node, log: &ObjectLog) {
    let counts = node.count_bytes("objects.blg", &log.bytes);
    let dump = Dump::of(&log.bytes);
    dump.assert_container(&counts);
    let source = open(log.bytes.clone());
    assert_eq!(source.times().len(), 2);

    // The first sample is in fragments, which only a reader that joins them understands.
    let len_first = source.len_sample(0);
    assert_eq!(counts["num_fragments"], len_first.div_ceil(8_000));
    assert_eq!(counts["num_fragments"], 6);
    assert_eq!(counts["len_fragments"], len_first);
    assert_eq!(counts["events"], json!({"32": 1, "34": 7, "35": 1, "36": counts["events"]["36"]}));
    assert!(counts["events"]["36"].as_u64().is_some_and(|number| number > 1), "names of one event");
    assert_eq!(dump.count("record of kind 0x05"), 4);

    // The second is in one piece.
    assert_eq!(counts["num_blocks"], 1);
    assert_eq!(counts["records"], json!({"1": 1, "5": 2}));
    let objects = [&log.process_blocks[1], &log.memory_block].map(|block| counts_of_block(block));
    assert_eq!(counts["objects"], json!(objects));
    assert_eq!(counts["objects"][0]["num_instances"], NUM_FEW);
    assert_eq!(counts["sum_first"], SINGLE.0.to_string());
    assert_eq!(counts["sum_second"], SINGLE.1.to_string());

    assert_entries(&counts, &dump, 3);
    let entries: Vec<Entry> = counts["entries"].as_array().expect("entries").iter().map(entry_of).collect();
    assert_eq!(entries, log.entries);
    assert_eq!(counts["num_names"], log.names.len());
    let (index, name) = log.names.last_key_value().expect("names");
    assert_eq!(counts["last_name"], json!([r"\\WEB1", index.to_string(), name]));
    assert_trace_header(&counts["trace_headers"][0], log);
    assert_catalog(&counts, log);
    assert_object_runs(&decode_all(&source), log);
}

fn assert_trace_header(header: &Value, log: &ObjectLog) {
    assert_eq!(header["os"], "6.0.6000");
    assert_eq!((&header["len_pointer"], &header["daylight_month"]), (&json!(4), &json!(3)));
    assert_eq!(header["standard_name"], log.header.zone.standard_name.to_text());
    assert_eq!(header["boot_time"], log.header.boot_time.0.to_string());
    assert_eq!(header["start_time"], log.header.start_time.0.to_string());
    assert_eq!(header["end_time"], log.times[1].0.to_string());
}

fn assert_catalog(counts: &Value, log: &ObjectLog) {
    let expected = json!([{
        "first_time": log.times[0].0.to_string(),
        "last_time": log.times[1].0.to_string(),
        "num_blocks": 2,
        "records": [{
            "name_indexes": [6, 142],
            "counter_types": [0x2051_0500, 0x2051_0500],
            "time_bases": ["10000000", "3507498"],
            "default_scales": [0, -1],
            "instances": [["svchost", 1], ["svchost", 0]],
        }],
    }]);
    assert_eq!(counts["catalogs"], expected);
    assert_eq!(counts["first_time"], (log.times[0].0 - 20).to_string());
    assert_eq!(counts["last_time"], (log.times[1].0 + 30).to_string());
}

fn assert_object_runs(runs: &[Run], log: &ObjectLog) {
    let of = |name: &str| runs.iter().filter(|run| &*run.object.name == name).collect::<Vec<_>>();
    let processes: Vec<usize> = of("Process").iter().map(|run| run.instances.len()).collect();
    assert_eq!(processes, [165, NUM_FEW]);
    let memory = of("Memory");
    assert_eq!(memory[0].columns[0].first, [1 << 33, 1 << 33]);
    let counters = &of("Process")[0].object.counters;
    assert_eq!(counters.len(), 28);
    for counter in counters {
        let name = counter.index.and_then(|index| log.names.get(&index)).expect("a name");
        assert_eq!(*counter.name, **name);
    }
}

/// The end of a log that wasn't closed: a buffer that was never written, and part of another.
fn unfinished_log(node: &Node, log: &ObjectLog) {
    let whole = node.count_bytes("objects.blg", &log.bytes);
    let mut bytes = log.bytes.clone();
    bytes.resize(log.bytes.len() + log.header.len_buffer as usize + 40, 0);
    let counts = node.count_bytes("unfinished.blg", &bytes);
    let num_buffers = whole["num_buffers"].as_u64().expect("buffers");
    assert_eq!(counts["num_buffers"], num_buffers + 1);
    assert_eq!(counts["num_bytes_torn"], 40);
    assert_eq!(counts["events"], whole["events"]);
    let source = BlgSource::open(Arc::new(bytes)).expect("a performance log");
    assert_eq!(source.times().len(), 2);
}
