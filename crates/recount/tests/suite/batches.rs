//! `Capture::batches`: the library's values as Arrow batches.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampNanosecondType};
use arrow_array::{RecordBatch, RecordBatchReader};
use recount::{Batches, Capture, Layout, Selection, Source};
use recount_model::{Decoded, Opened};

use crate::windows;

use windows::{check_windows, plain};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}

fn objects() -> Capture {
    recount::open(sample("objects.blg")).expect("a sample")
}

fn read(batches: Batches) -> Vec<RecordBatch> {
    batches.reader().expect("a reader").collect::<Result<_, _>>().expect("batches")
}

fn num_rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn a_reader_can_go_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    let reader = objects().batches().reader().expect("a reader");
    is_send(&reader);
    let read = std::thread::spawn(move || reader.count()).join();
    assert!(read.is_ok_and(|count| count > 0));
}

/// The values that `show` gives for a counter are the cells of its column, and the rows of its counter in the tidy table.
#[cfg(feature = "analysis")]
#[test]
fn both_layouts_have_the_values_of_the_capture() {
    let capture = objects();
    let path = r"\Processor(_Total)\% User Time";
    let selection = recount::Selection::from_iter([path.parse().expect("a path")]);
    let (shown, _) =
        recount::show(&capture.timeline(), &selection, 0, &recount::unwatched).expect("not cancelled");
    let expected = shown.first().expect("a series");

    let reader = capture.batches().counters(path).expect("a path").layout(Layout::Objects).reader();
    let reader = reader.expect("a reader");
    let schema = reader.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["time", "interval_s", "weight_s", "host", "instance", "instance_id", "% User Time"]);
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("batches");
    let mut values = Vec::new();
    for batch in &batches {
        assert_eq!(batch.schema(), schema);
        values.extend(batch.column(6).as_primitive::<Float64Type>().iter().flatten());
    }
    assert_eq!(values.len() as u64, expected.num_values);
    assert_eq!(values.iter().copied().reduce(f64::max), expected.max);

    let tidy = read(capture.batches().counters(path).expect("a path"));
    let mut of_tidy = Vec::new();
    for batch in &tidy {
        of_tidy.extend(batch.column(7).as_primitive::<Float64Type>().iter().flatten());
    }
    assert_eq!(of_tidy, values);
}

#[test]
fn a_span_of_time_selects_samples() {
    let capture = objects();
    let all = read(capture.batches().counters(r"\Processor(_Total)\% User Time").expect("a path"));
    let part = capture.batches().counters(r"\Processor(_Total)\% User Time").expect("a path");
    let part = read(part.between("+20s", "+50s").expect("times"));
    let times = |batches: &[RecordBatch]| -> Vec<i64> {
        let times =
            |batch: &RecordBatch| batch.column(0).as_primitive::<TimestampNanosecondType>().values().to_vec();
        batches.iter().flat_map(times).collect()
    };
    let first = times(&all)[0];
    let inside = |time: &&i64| (20_000_000_000..=50_000_000_000).contains(&(**time - first));
    let expected: Vec<i64> = times(&all).iter().filter(inside).copied().collect();
    assert!(!expected.is_empty() && expected.len() < times(&all).len());
    assert_eq!(times(&part), expected);
}

#[test]
fn the_layout_by_objects_wants_one_object() {
    let reader = objects().batches().layout(Layout::Objects).reader();
    let said = reader.expect_err("several objects").to_string();
    assert!(said.contains("Processor"), "{said}");
    let nothing = objects().batches().counters(r"\Nonsense(*)\*").expect("a path").layout(Layout::Objects);
    assert_eq!(
        nothing.reader().expect_err("nothing").to_string(),
        "no counter matches the patterns asked for"
    );
    assert!(objects().batches().between("yesterday", "+5m").is_err());
}

/// Dropping a reader waits for its thread, which ends though nobody took what it had.
#[test]
fn an_early_drop_stops_the_work() {
    let mut reader = objects().batches().reader().expect("a reader");
    assert!(reader.next().expect("a batch").is_ok());
    drop(reader);
}

#[test]
fn bytes_and_readers_open_like_files() {
    let bytes = std::fs::read(sample("objects.blg")).expect("a sample");
    let expected = num_rows(&read(objects().batches()));
    let of_bytes = recount::open_bytes("memory.blg", bytes.clone()).expect("a capture");
    assert_eq!(num_rows(&read(of_bytes.batches())), expected);
    let mut cursor = Cursor::new(bytes);
    cursor.set_position(100);
    let of_reader = recount::open_reader("memory.blg", cursor).expect("a capture");
    assert_eq!(num_rows(&read(of_reader.batches())), expected);
    assert!(recount::open_bytes("letter", b"Dear reader".to_vec()).is_err());
}

#[test]
fn a_window_has_the_values_of_the_whole() {
    for name in [
        "objects.blg",
        "circular.blg",
        "counters-dst.blg",
        "rcap-1/closed.rcap",
        "rcap-1/damaged.rcap",
        "session.pcq",
        "typeperf.tsv",
        "sysstat.sa",
        "atop.raw",
        "pcp/web1.meta",
    ] {
        check_windows(&recount::open(sample(name)).expect(name), name, usize::MAX);
    }
}

/// Fewer counters are read for fewer columns, and the rows stay.
#[test]
fn columns_are_those_of_the_whole_table() {
    // Worker has aggregates, which lack a counter.
    for (name, object) in [
        ("objects.blg", "Processor"),
        ("counters-dst.blg", ""),
        ("session.pcq", ""),
        ("session.pcq", "Worker"),
    ] {
        let capture = recount::open(sample(name)).expect("a sample");
        let object = if object.is_empty() { first_object(&capture) } else { object.to_owned() };
        let whole = read(capture.batches().object(&object));
        let columns: Vec<String> =
            whole[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        for column in &columns {
            let expected: Vec<RecordBatch> = whole
                .iter()
                .map(|batch| {
                    batch.project(&[batch.schema().index_of(column).expect("a column")]).expect("it")
                })
                .collect();
            let part = read(capture.batches().object(&object).columns([column.as_str()]));
            let rows = |batches: &[RecordBatch]| batches.iter().flat_map(plain).collect::<Vec<_>>();
            assert_eq!(rows(&part), rows(&expected), "{name}: {column}");
        }
        let unknown = capture.batches().object(&object).columns(["nonsense"]).reader();
        assert!(unknown.expect_err("no such column").to_string().contains("there is no column \"nonsense\""));
    }
}

fn first_object(capture: &Capture) -> String {
    recount::summarise(capture).0.objects.first().expect("an object").object.clone()
}

/// A capture that counts the samples that it decodes, and can't say which objects it has without that.
struct Counting {
    source: Arc<dyn Source>,
    num_decoded: AtomicUsize,
}

impl Source for Counting {
    fn opened(&self) -> &Opened {
        self.source.opened()
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.num_decoded.fetch_add(samples.len(), Ordering::Relaxed);
        self.source.decode(samples, selection)
    }
}

/// What `scan(object=...)` of the Python package does: the schema, again for the query, and the values.
#[test]
fn objects_are_searched_for_once() {
    let mut capture = objects();
    let num_samples = capture.source.times().len();
    let counting =
        Arc::new(Counting { source: Arc::clone(&capture.source), num_decoded: AtomicUsize::new(0) });
    capture.source = Arc::clone(&counting) as Arc<dyn Source>;
    let num_decoded = || counting.num_decoded.load(Ordering::Relaxed);
    let timeline = capture.timeline();
    let schema = timeline.batches().object("Processor").schema().expect("a schema");
    assert_eq!(num_decoded(), num_samples, "a schema computes no values");
    assert_eq!(timeline.batches().object("Processor").schema().expect("a schema"), schema);
    let columns = ["time", "instance", "% User Time"];
    let reader = timeline.batches().object("Processor").columns(columns).reader().expect("a reader");
    assert_eq!(reader.schema().fields().len(), 3);
    assert!(reader.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>() > 0);
    assert_eq!(num_decoded(), 2 * num_samples);
}

#[test]
fn a_batch_may_be_waited_for() {
    let mut reader = objects().batches().reader().expect("a reader");
    let mut num_rows = 0;
    loop {
        match reader.next_within(Duration::from_millis(1)) {
            Poll::Ready(Some(batch)) => num_rows += batch.expect("a batch").num_rows(),
            Poll::Ready(None) => break,
            Poll::Pending => {}
        }
    }
    assert_eq!(num_rows, self::num_rows(&read(objects().batches())));
    assert!(reader.health().is_sound());
    assert!(reader.next().is_none());
}

/// Of several captures that are one time line, each row says which it is of.
#[test]
fn rows_say_which_capture_they_are_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |host: &str, day: u32, values: [u32; 2]| {
        let rows =
            [0, 1].map(|hour| format!("\"01/0{day}/2026 0{hour}:00:00.000\",\"{}\"\r\n", values[hour]));
        format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\Memory\\Pages\"\r\n{}", rows.concat())
    };
    let paths = [("one.csv", "A", 1, [1, 2]), ("two.csv", "A", 2, [3, 4]), ("other.csv", "B", 2, [5, 6])]
        .map(|(name, host, day, values)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text(host, day, values)).expect("a text");
            path
        });
    let captures = recount::open_all(&paths, &recount::NameTable::new()).expect("captures");
    let timeline = recount::Timeline::whole(&captures).expect("a time line");
    for object in [None, Some("Memory")] {
        let batches = timeline.batches().origins();
        let batches = object.map_or_else(|| batches.clone(), |object| batches.clone().object(object));
        let column = if object.is_some() { "Pages" } else { "value" };
        let mut found: Vec<(String, String, String)> = Vec::new();
        for batch in batches.columns([column, "path", "capture_id"]).reader().expect("a reader") {
            let batch = batch.expect("a batch");
            let values = batch.column(0).as_primitive::<Float64Type>().clone();
            let text = |column: usize, row: usize| {
                let names = batch.column(column).as_dictionary::<arrow_array::types::Int32Type>();
                let key = names.key(row).expect("an origin");
                names.values().as_string::<i32>().value(key).to_owned()
            };
            found.extend(
                (0..batch.num_rows()).map(|row| (values.value(row).to_string(), text(1, row), text(2, row))),
            );
        }
        found.sort();
        let expected = ["1", "2", "3", "4", "5", "6"].into_iter().zip([0, 0, 1, 1, 2, 2]);
        let expected = expected.map(|(value, capture)| {
            let capture = &captures[capture];
            (value.to_owned(), capture.name(), capture.id().expect("an id"))
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{object:?}");
    }
}
