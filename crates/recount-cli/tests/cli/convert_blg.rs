//! `recount convert -o X.blg`: the output reads back like its input.

use std::ops::Range;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampNanosecondType;
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CounterType, Formula, PREDEFINED, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};
use recount_samples::blg_log::{Event, Log, Message, RecordBody};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

use super::logs::log;
use super::run::{Outputs, recount, recount_with_input, sample};
use super::tables::{names, numbers, parquet};

/// A row of the tidy table: time in ns, the bits of interval and value, and the names.
type Row = (i64, Vec<Option<String>>, Option<u64>, Option<u64>);

/// All values of a capture, sorted.
fn rows(outputs: &Outputs, arguments: &[&str]) -> Vec<Row> {
    let path = outputs.path("rows.parquet");
    let all = [&["convert", "-f", "-o", &path], arguments].concat();
    let done = recount(&all);
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
    let batches = parquet(&path);
    let times = batches.iter().flat_map(|batch| {
        let times = batch.column_by_name("time").expect("time");
        times.as_primitive::<TimestampNanosecondType>().values().to_vec()
    });
    let bits = |column: &str| -> Vec<Option<u64>> {
        numbers(&batches, column).into_iter().map(|value| value.map(f64::to_bits)).collect()
    };
    let texts: Vec<Vec<Option<String>>> =
        ["host", "object", "instance", "counter", "status"].map(|column| names(&batches, column)).into();
    let (intervals, values) = (bits("interval_s"), bits("value"));
    let mut rows: Vec<Row> = times
        .enumerate()
        .map(|(at, time)| {
            let texts = texts.iter().map(|column| column[at].clone()).collect();
            (time, texts, intervals[at], values[at])
        })
        .collect();
    rows.sort();
    rows
}

/// Converts to a `.blg`; gives the rows of the input and of the log.
fn both(outputs: &Outputs, arguments: &[&str]) -> (Vec<Row>, Vec<Row>) {
    let path = outputs.path("out.blg");
    let done = recount(&[&["convert", "-f", "-o", &path], arguments].concat());
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
    (rows(outputs, arguments), rows(outputs, &[&path]))
}

/// Values that are the same to the bit, times, intervals, names and status included.
fn assert_same(outputs: &Outputs, arguments: &[&str]) -> Vec<Row> {
    let (before, after) = both(outputs, arguments);
    assert!(!before.is_empty());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after, "{arguments:?}");
    }
    assert_eq!(before.len(), after.len(), "{arguments:?}");
    before
}

#[test]
fn captures_read_back_as_they_were() {
    let outputs = Outputs::new();
    let names = sample("series/Counter 009.txt");
    let dumps = ["series/1.bin", "series/2.bin", "series/3.bin"].map(sample);
    for name in ["objects.blg", "counters-dst.blg", "circular.blg", "damaged.blg", "big-endian.bin"] {
        assert_same(&outputs, &[&sample(name)]);
    }
    assert_same(&outputs, &[&dumps[0], &dumps[1], &dumps[2], "--names", &names]);
}

/// Parts of one recording that share some of their counters: each value is there once.
#[test]
fn captures_of_the_same_times_are_put_together_value_by_value() {
    let outputs = Outputs::new();
    let log = sample("objects.blg");
    let part = |name: &str, span: &[&str], counters: &[&str]| {
        let path = outputs.path(name);
        let counters = counters.iter().flat_map(|counter| ["-c", counter]);
        let all = ["convert", &log, "-o", &path].into_iter().chain(span.iter().copied()).chain(counters);
        let done = recount(&all.collect::<Vec<_>>());
        assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
        path
    };
    let (processor, disks, memory) = (r"\Processor(*)\*", r"\PhysicalDisk(*)\*", r"\Memory\*");
    let one = part("1.blg", &[], &[processor, disks]);
    let two = part("2.blg", &[], &[disks, memory]);
    let apart = part("3.blg", &[], &[memory]);
    let late = part("4.blg", &["--begin", "+20s"], &[processor, memory]);
    let num = |paths: &[&str]| assert_same(&outputs, paths).len();
    let whole = num(&[&part("5.blg", &[], &[processor, disks, memory])]);
    assert_eq!(num(&[&one, &two]), whole);
    assert_eq!(num(&[&two, &one]), whole);
    assert_eq!(num(&[&one, &apart]), whole, "without a counter in common");
    // Of what begins later, a log with other counters before it says another reason for the missing first value.
    let (before, after) = both(&outputs, &[&one, &late]);
    let values = |rows: Vec<Row>| rows.into_iter().filter(|(.., value)| value.is_some()).collect::<Vec<_>>();
    let (before, after) = (values(before), values(after));
    assert!(before == after && before.iter().any(|(_, names, ..)| names[1].as_deref() == Some("Memory")));
}

#[test]
fn every_sample_of_the_samples_is_covered() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let outputs = Outputs::new();
    let mut num = 0;
    for entry in std::fs::read_dir(directory).expect("samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "blg") {
            assert_same(&outputs, &[&path.display().to_string()]);
            num += 1;
        }
    }
    assert!(num >= 4, "{num}");
}

/// Samples are selected before they are written, and the selected ones read back.
#[test]
fn spans_and_steps() {
    let outputs = Outputs::new();
    let log = sample("circular.blg");
    // The sample before the span isn't in the log that is written: its first values are only in the whole.
    let assert_rest_is_same = |arguments: &[&str]| {
        let (before, after) = both(&outputs, arguments);
        let first = before.first().map(|row| row.0);
        let rest = |rows: &[Row]| rows.iter().filter(|row| Some(row.0) != first).cloned().collect::<Vec<_>>();
        assert_eq!(rest(&before), rest(&after), "{arguments:?}");
        assert_eq!(before.len(), after.len(), "{arguments:?}");
        before.len()
    };
    assert_eq!(assert_rest_is_same(&[&log, "--begin", "+10s", "--end", "+20s"]), 41 * 11);
    assert_same(&outputs, &[&log, "--every", "7"]);
    assert_same(&outputs, &[&sample("objects.blg"), "--interval", "30s"]);
    // Across the hour that occurs twice, cut and thinned so that the order says less.
    let summer = sample("counters-dst.blg");
    for begin in ["+40m", "+80m"] {
        assert_rest_is_same(&[&summer, "--begin", begin]);
    }
    for every in ["2", "4"] {
        assert_same(&outputs, &[&summer, "--every", every]);
    }
}

/// A log whose clock was set back by five seconds in the middle, made by splitting and reassembling one.
fn set_back() -> Vec<u8> {
    let bytes = log("JOBS", "2023-12-31T00:00:00Z", &["x", "y"], 0..12);
    let mut log = Log::parse(&bytes).expect("a log");
    let ticks = 5 * Timestamp::TICKS_PER_SECOND + 1_000_000;
    for event in log.buffers.iter_mut().flat_map(|buffer| &mut buffer.events) {
        // The list is the first message, the samples follow it.
        if let Event::Fragment(event) = event
            && event.message > 6
        {
            event.header.local.0 -= ticks;
        }
    }
    for message in log.messages.iter_mut().skip(7) {
        let Message::DataBlock(block) = message else { panic!("a sample") };
        for record in &mut block.records {
            let RecordBody::Instances(many) = &mut record.body else { panic!("instances") };
            many.head.local.0 -= ticks;
        }
    }
    let mut out = Vec::new();
    log.write(&mut out).expect("written");
    out
}

/// Values are never computed across the moment at which the clock was set.
#[test]
fn a_clock_that_was_set_back() {
    let outputs = Outputs::new();
    let path = outputs.write("back.blg", set_back());
    let rows = assert_same(&outputs, &[&path]);
    assert_eq!(rows.iter().filter(|row| row.3.is_none()).count(), 4, "two first samples of two instances");
    // Without the samples before the clock was set, nothing would show that it was.
    let error = recount(&["convert", &path, "-o", &outputs.path("no.blg"), "--end", "+950ms"]);
    assert!(error.code == Some(2) && error.stderr.contains("a clock that was set back"), "{}", error.stderr);
}

/// Individually selected instances keep their names, including what distinguishes them.
#[test]
fn counters_that_are_selected() {
    let outputs = Outputs::new();
    let (before, after) = both(&outputs, &[&sample("objects.blg"), "-c", r"\Process(*)\Working Set"]);
    let counter = |row: &Row| row.1[3].clone().unwrap_or_default();
    let extra: Vec<String> = after.iter().map(counter).filter(|name| name != "Working Set").collect();
    assert!(extra.iter().all(|name| name == "ID Process" || name == "Elapsed Time"), "{extra:?}");
    assert_eq!(extra.len(), 2 * before.len());
    let selected: Vec<Row> = after.into_iter().filter(|row| counter(row) == "Working Set").collect();
    assert_eq!(before, selected);
    // No process is at svchost#2's previous position, so only counters that need one sample have a value
    // there.
    let (before, after) = both(&outputs, &[&sample("objects.blg"), "-c", r"\Process(svchost#2)\*"]);
    let of = |rows: &[Row]| rows.iter().map(|row| (row.0, row.1[2].clone(), row.3)).collect::<Vec<_>>();
    assert_eq!(of(&before), of(&after));
}

/// Every type of the one table with its base, in an object with instances that come and go, namesakes among them, in one
/// without, and in one whose instances have parents.
fn all_types(second: u64) -> Vec<u8> {
    let order = ByteOrder::Little;
    let object = |index: u32, rows: Option<&[(&str, Option<u32>)]>| {
        let mut object = ObjectBuf::new(index, rows.is_some());
        (object.header.perf_time, object.header.perf_freq) = (1_000_000 + second as i64 * 7_000, 7_000);
        for (row, name_index) in PREDEFINED.iter().zip((100..).step_by(4)) {
            if row.formula == Formula::Base {
                continue;
            }
            object.add_counter(name_index, row.counter_type());
            if let Some(base) = row.base {
                object.add_counter(name_index + 2, recount_model::CounterType(base));
            }
        }
        let values = |salt: u64| {
            let mut bytes = object.zeroed_values();
            for counter in 0..object.counters.len() {
                let is_multi = object.counters[counter].definition.counter_type.0 == 0x4203_0500;
                let value = if is_multi { 3 } else { salt * 1_000 + second * (counter as u64 + 11) };
                object.set_value(&mut bytes, order, counter, value);
            }
            bytes
        };
        object.instances = match rows {
            None => InstancesBuf::Single(values(5)),
            Some(rows) => InstancesBuf::Many(
                rows.iter()
                    .zip(1..)
                    .map(|((name, parent), salt)| {
                        let mut instance = InstanceBuf::named(name, order, values(salt));
                        instance.definition.parent_object_index = parent.map_or(0, |_| 4);
                        instance.definition.parent_instance = parent.unwrap_or(0);
                        instance
                    })
                    .collect(),
            ),
        };
        object
    };
    let rows: &[(&str, Option<u32>)] = match second {
        1 => &[("b", None), ("a", None), ("a", None), ("_Total", None)],
        2 => &[],
        _ => &[("a", None), ("a", None), ("_Total", None)],
    };
    let children: &[(&str, Option<u32>)] =
        if second == 1 { &[("0", Some(0)), ("0", Some(1)), ("1", Some(0))] } else { &[("0", Some(0))] };
    let utc = Timestamp(133_000_000_000_000_123 + second as i64 * Timestamp::TICKS_PER_SECOND);
    let mut block = BlockBuf::new("TYPES", order);
    block.header.system_time = SystemTime::from_utc(utc).expect("a time");
    block.header.perf_time = 5_000_000_000 + second as i64 * 2_500_000;
    block.header.perf_freq = if second < 4 { 2_500_000 } else { 3_000_000 };
    block.header.perf_time_100ns = utc.0;
    block.objects = vec![object(2, None), object(4, Some(rows))];
    // The children's object is missing in one sample.
    if second != 3 && !rows.is_empty() {
        block.objects.push(object(6, Some(children)));
    }
    block.write().expect("a block")
}

#[test]
fn every_counter_type_comes_back() {
    let outputs = Outputs::new();
    let paths: Vec<String> =
        (0..6).map(|second| outputs.write(&format!("{second}.bin"), all_types(second))).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let rows = assert_same(&outputs, &paths);
    let num_types = PREDEFINED.iter().filter(|row| row.formula != Formula::Base).count();
    let counters: std::collections::BTreeSet<_> = rows.iter().map(|row| row.1[3].clone()).collect();
    assert_eq!(counters.len(), num_types);
    let statuses: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.1[4].clone()).collect();
    for status in ["ok", "first-sample", "no-previous-instance", "not-a-number"] {
        assert!(statuses.contains(status), "{status}: {statuses:?}");
    }
    let instances: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.1[2].clone()).collect();
    assert!(
        ["a", "a#1", "b", "_Total", "a/0"].into_iter().all(|name| instances.contains(name)),
        "{instances:?}"
    );
}

/// Samples of processes that come and go, as our recorder writes them: of one in eight the last counters are unknown.
fn storm(num_samples: u64) -> Vec<u8> {
    let mut process = ObjectTemplate::new(ObjectHeader::new(230, true));
    for (index, word) in [(784, 0x0001_0000), (6, 0x2051_0500), (180, 0x0001_0100), (1420, 0x1041_0500)] {
        process.add_counter(CounterDefinition::new(index, CounterType(word)));
    }
    let mut stream = BlockStream::new("web1");
    let mut bytes = Vec::new();
    for second in 0..num_samples {
        stream.begin(BlockClocks {
            perf_time: 1_000 + second as i64 * 500,
            perf_freq: 500,
            perf_time_100ns: 133_000_000_000_000_123 + second as i64 * Timestamp::TICKS_PER_SECOND,
        });
        let mut object = stream.object(&process, 0, 0);
        // Every second, fifty begin and fifty end.
        for id in 50 * second..50 * second + 300 {
            let name = ["sh", "sleep", "cc1"][id as usize % 3];
            let num = if id.is_multiple_of(8) { 3 } else { 4 };
            let mut values = object.instance_up_to(InstanceName::new(name), num);
            let raw = [id, id + second * 70_000, id * 4_096, id + second * id];
            for (counter, value) in raw.into_iter().enumerate().take(num) {
                values.set(counter, value);
            }
        }
        bytes.extend_from_slice(stream.finish().expect("a block"));
    }
    bytes
}

/// A log has what lives in a sample, and no record for what doesn't.
#[test]
fn processes_that_come_and_go_cost_what_their_blocks_do() {
    let outputs = Outputs::new();
    let blocks = storm(40);
    let path = outputs.write("storm.bin", &blocks);
    let names = sample("series/Counter 009.txt");
    let arguments = [&*path, "--names", &*names];
    let rows = assert_same(&outputs, &arguments);
    let statuses: std::collections::BTreeSet<_> = rows.iter().filter_map(|row| row.1[4].clone()).collect();
    assert!(statuses.contains("invalid-data") && statuses.contains("ok"), "{statuses:?}");
    let len = std::fs::metadata(outputs.path("out.blg")).expect("the log").len();
    assert!(len < blocks.len() as u64 * 12 / 10 + 0x2_0000, "{len} bytes for {}", blocks.len());
    let dumped = recount(&["dump", &outputs.path("out.blg")]);
    let entries: Vec<&str> = dumped.stdout.lines().filter(|line| line.contains("entry")).collect();
    assert!(entries.len() == 1 && entries[0].ends_with(r"(*)\*"), "{entries:?}");
    // With a part of the counters, too.
    let some = [&arguments[..], &["-c", r"\230(*)\6"]].concat();
    let (before, after) = both(&outputs, &some);
    let selected: Vec<Row> = after.into_iter().filter(|row| row.1[3] != Some("784".into())).collect();
    assert_eq!(before, selected);
}

/// The same samples give the same bytes, even on standard output.
#[test]
fn standard_output_and_repetition() {
    let outputs = Outputs::new();
    let bytes = std::fs::read(sample("objects.blg")).expect("the log");
    let arguments = ["convert", "-", "-o", "-", "--format", "blg"];
    let (code, first) = recount_with_input(&arguments, bytes.clone());
    let (_, second) = recount_with_input(&arguments, bytes);
    assert_eq!(code, Some(0));
    assert!(first == second && first.len().is_multiple_of(0x1_0000));
    let path = outputs.write("a.blg", &first);
    assert_eq!(rows(&outputs, &[&path]), rows(&outputs, &[&sample("objects.blg")]));
}

/// Logs that continue each other are one recording; those of different boots aren't.
#[test]
fn several_inputs() {
    let outputs = Outputs::new();
    let part = |name: &str, host: &str, boot: &str, seconds: Range<u64>| {
        outputs.write(name, log(host, boot, &["x", "y"], seconds))
    };
    let one = part("1.blg", "JOBS", "2023-12-31T00:00:00Z", 0..10);
    let two = part("2.blg", "JOBS", "2023-12-31T00:00:00Z", 10..20);
    let booted = part("3.blg", "JOBS", "2024-01-01T00:00:15Z", 20..30);
    let other = part("4.blg", "OTHER", "2023-12-31T00:00:00Z", 5..15);
    let rows = assert_same(&outputs, &[&one, &two]);
    assert_eq!(rows.iter().filter(|row| row.3.is_none()).count(), 2, "the first sample only");
    for apart in [&booted, &other] {
        let path = outputs.path("apart.blg");
        let error = recount(&["convert", &one, apart, "-o", &path]).failed();
        assert!(error.starts_with("error: a .blg is one recording"), "{error}");
        assert!(!Path::new(&path).exists());
    }
}

#[test]
fn what_a_log_cannot_hold_is_refused() {
    let outputs = Outputs::new();
    let path = outputs.path("no.blg");
    let text = sample("typeperf.tsv");
    let error = recount(&["convert", &text, "-o", &path]).failed();
    assert!(error.contains("typeperf.tsv: it holds computed values"), "{error}");
    for option in
        [vec!["--raw"], vec!["--scaled"], vec!["--layout", "objects"], vec!["--partition-by", "host"]]
    {
        let error =
            recount(&[vec!["convert", &sample("objects.blg"), "-o", &path], option].concat()).failed();
        assert!(error.contains("a .blg holds raw values"), "{error}");
    }
    let error = recount(&["convert", &sample("objects.blg"), "-o", &path, "-c", "nosuch"]).failed();
    assert!(error.contains("no counter matches"), "{error}");
    let taken = outputs.write("taken.blg", "x");
    let error = recount(&["convert", &sample("objects.blg"), "-o", &taken]).failed();
    assert!(error.contains("already exists"), "{error}");
    assert_eq!(outputs.files(), ["taken.blg"]);
}

/// These read the shared captures.
mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn real_captures_read_back_as_they_were() {
        let outputs = Outputs::new();
        for name in ["blg/tx-basic.blg", "perf-data-block/process-165-instances.bin"] {
            assert_same(&outputs, &[&recount_testdata::shared_path(name).display().to_string()]);
        }
    }
}
