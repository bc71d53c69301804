//! The tidy layout.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding;
use parquet::file::metadata::RowGroupMetaData;
use recount_model::{CellFault, Clocks, Column, Run, Second, Status, Timer};

use super::*;
use crate::{FileFormat, create_stream};

fn slice() -> Vec<Cooked> {
    let disk = object("Disk", true, &[("Reads/sec", RATE), ("Writes/sec", RATE)]);
    let memory = object("Memory", false, &[("Available", 0x0001_0100)]);
    let mut disks = without(cooked("web1", &disk, &["C:", "D:"], &[0, 2]), 1, 1, Status::FirstSample);
    disks.columns[0].covers = Some([true, false].into());
    disks.continued = vec![true, false];
    let mut memory = cooked("", &memory, &[], &[1, 2]);
    memory.interval_s[0] = None;
    vec![disks, memory]
}

const EXPECTED: [&str; 9] = [
    "time|interval_s|weight_s|host|object|instance|counter|value|status",
    "0|1|1|web1|Disk|C:|Reads/sec|0|ok",
    "0|1|1|web1|Disk|C:|Writes/sec|1000|ok",
    "0|-|0|web1|Disk|D:|Writes/sec|-|first-sample",
    "1|-|0|-|Memory|-|Available|10|ok",
    "2|1|1|web1|Disk|C:|Reads/sec|20|ok",
    "2|1|1|web1|Disk|C:|Writes/sec|1020|ok",
    "2|1|1|web1|Disk|D:|Writes/sec|1021|ok",
    "2|1|1|-|Memory|-|Available|20|ok",
];

#[test]
fn rows_are_sorted_by_time_across_objects() {
    let directory = tempfile::tempdir().expect("directory");
    for (format, name) in [(FileFormat::Parquet, "t.parquet"), (FileFormat::ArrowIpc, "t.arrow")] {
        let path = directory.path().join(name);
        let options = TableOptions { format, ..TableOptions::default() };
        let written = write(&path, &options, &[], vec![slice()]);
        assert_eq!(read(&path), EXPECTED);
        assert_eq!(written.num_rows, 8);
        assert_eq!(written.files[0].path, path);
        assert_eq!(written.len_bytes, std::fs::metadata(&path).expect("file").len());
    }
}

#[test]
fn metadata_encodings_and_order_are_in_the_file() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("t.parquet");
    write(&path, &TableOptions::default(), &[], vec![slice()]);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("open")).expect("parquet");
    let file = builder.metadata().file_metadata();
    let pairs = file.key_value_metadata().expect("metadata");
    let value = |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref());
    assert_eq!(value("recount.source"), Some("test.blg"));
    assert_eq!(value("recount.layout"), Some("tidy"));
    assert_eq!(value("recount.checksum").map(str::len), Some(8));
    assert!(file.created_by().expect("created by").starts_with("recount version"));
    let group = builder.metadata().row_group(0);
    let sorting = group.sorting_columns().expect("sorting");
    assert_eq!((sorting[0].column_idx, sorting[0].descending), (0, false));
    assert!(group.column(0).encodings().any(|encoding| encoding == Encoding::DELTA_BINARY_PACKED));
    assert!(group.column(5).dictionary_page_offset().is_some());
    assert!(group.columns().iter().all(|column| column.offset_index_offset().is_some()));
    assert!(matches!(builder.schema().field(5).data_type(), DataType::Dictionary(..)));
    assert!(!builder.schema().field(0).is_nullable());
}

#[test]
fn row_groups_are_closed_at_the_rows_asked_for() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("t.parquet");
    let memory = object("Memory", false, &[("Available", 0x0001_0100)]);
    let seconds: Vec<i64> = (0..1000).collect();
    let slices = seconds.chunks(37).map(|seconds| vec![cooked("h", &memory, &[], seconds)]).collect();
    write(&path, &TableOptions { row_group_rows: 256, ..TableOptions::default() }, &[], slices);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("open")).expect("parquet");
    let rows: Vec<i64> = builder.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).collect();
    assert_eq!(rows, [256, 256, 256, 232]);
    let lines = read(&path);
    assert_eq!(lines.len(), 1001);
    assert_eq!(lines[1000], "999|1|1|h|Memory|-|Available|9990|ok");
}

#[test]
fn raw_values_stand_beside_and_faulty_ones_do_not() {
    let disk = object("Disk", true, &[("Delay", AVERAGE), ("Delay Base", AVERAGE_BASE), ("Rate", RATE)]);
    let mut stretch = cooked("h", &disk, &["a", "b"], &[0, 1]);
    stretch.raw = Some(Arc::new(Run {
        host: "h".into(),
        object: Arc::clone(&disk),
        instances: Arc::clone(&stretch.instances),
        clocks: Clocks { time: stretch.times.clone(), perf_time: vec![70, 80], ..Clocks::default() },
        columns: vec![
            Column { first: vec![1, 2, 3, 4], second: Second::Base(1), ..Column::default() },
            Column { first: vec![5, 6, 7, 8], ..Column::default() },
            Column {
                first: vec![u64::MAX, 10, 11, 12],
                second: Second::Clock(Timer::Tick),
                ..Column::default()
            },
        ],
        faults: vec![
            CellFault { sample: 0, counter: 1, instance: 1 },
            CellFault { sample: 1, counter: 2, instance: 0 },
        ],
    }));
    let directory = tempfile::tempdir().expect("directory");
    let options = TableOptions { raw: true, ..TableOptions::default() };
    let path = directory.path().join("t.parquet");
    write(&path, &options, &[], vec![vec![stretch.clone()]]);
    let raw: Vec<String> =
        read(&path).iter().map(|line| line.rsplitn(3, '|').take(2).collect::<Vec<_>>().join(" ")).collect();
    // Second, then first, of (delay, rate) of a, b at 0, of a, b at 1.
    let max = u64::MAX.to_string();
    let expected =
        ["second first", "5 1", &format!("70 {max}"), "- 2", "70 10", "7 3", "80 -", "8 4", "80 12"];
    assert_eq!(raw, expected);

    let path = directory.path().join("objects");
    let options = TableOptions { layout: crate::Layout::Objects, ..options };
    stretch.columns[1].counter = 1;
    let known = [("h".into(), Arc::clone(&disk))];
    write(&path, &options, &known, vec![vec![stretch]]);
    let lines = read(&path.join("Disk.parquet"));
    let columns = "time|interval_s|weight_s|host|instance|Delay|Delay (first)|Delay (second)|Delay Base (first)|Rate|Rate (first)|Rate (second)";
    assert_eq!(lines[0], columns);
    assert_eq!(lines[1], "0|1|1|h|a|0|1|5|5|-|-|-");
    assert_eq!(lines[2], "0|1|1|h|b|1|2|-|-|-|-|-");
}

/// A stream whose bytes the test sees.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lock").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn goes_to_a_stream() {
    for format in [FileFormat::Parquet, FileFormat::ArrowIpc] {
        let shared = Shared::default();
        let options = TableOptions { format, ..TableOptions::default() };
        let mut sink = create_stream(Box::new(shared.clone()), &options).expect("create");
        sink.write(slice()).expect("write");
        let written = sink.finish(&Footer::default()).expect("finish");
        let bytes = shared.0.lock().expect("lock").clone();
        assert_eq!(written.len_bytes, bytes.len() as u64);
        let lines = if format == FileFormat::Parquet {
            let directory = tempfile::tempdir().expect("directory");
            let path = directory.path().join("t.parquet");
            std::fs::write(&path, bytes).expect("file");
            read(&path)
        } else {
            let reader = arrow_ipc::reader::StreamReader::try_new(&bytes[..], None).expect("stream");
            shown(&reader.collect::<Result<Vec<_>, _>>().expect("batches"))
        };
        assert_eq!(lines, EXPECTED);
    }
    let objects = TableOptions { layout: crate::Layout::Objects, ..TableOptions::default() };
    assert!(create_stream(Box::new(Vec::new()), &objects).is_err());
}
