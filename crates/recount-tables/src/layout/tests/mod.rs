//! Writes tables and reads them back with Arrow's own readers.

mod aggregates;
mod appear;
mod description;
mod grow;
mod local_time;
mod objects;
mod partitions;
mod tidy;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use recount_compute::{Cooked, CookedColumn};
use recount_model::{CounterDef, CounterType, Instance, ObjectDef, SampleTime, Status, Timestamp};

use crate::{Footer, TableOptions, Written, create};

pub(super) const RATE: u32 = 0x1041_0400;
pub(super) const AVERAGE: u32 = 0x4002_0500;
pub(super) const AVERAGE_BASE: u32 = 0x4003_0402;

/// 2013-02-19T23:59:00Z
pub(super) const START: i64 = 130_057_919_400_000_000;

pub(super) fn object(name: &str, instanced: bool, counters: &[(&str, u32)]) -> Arc<ObjectDef> {
    let counters = counters.iter().map(|&(name, word)| CounterDef {
        name: name.into(),
        index: None,
        help: Some(format!("Help of {name}.").into()),
        counter_type: Some(CounterType(word)),
        default_scale: -1,
        detail_level: None,
        len_value: 8,
        time_base: None,
        ..CounterDef::default()
    });
    Arc::new(ObjectDef {
        name: name.into(),
        index: None,
        help: None,
        instanced,
        counters: counters.collect(),
        ..ObjectDef::default()
    })
}

pub(super) fn time(seconds: i64) -> SampleTime {
    SampleTime { utc: Timestamp(START + seconds * 10_000_000), offset_min: -480 }
}

/// A stretch whose values encode their position: counter × 1000 + second × 10 + instance.
pub(super) fn cooked(host: &str, object: &Arc<ObjectDef>, instances: &[&str], seconds: &[i64]) -> Cooked {
    let instances: Vec<Instance> = match instances {
        [] => vec![Instance::unnamed()],
        names => names.iter().map(|&name| Instance::named(name)).collect(),
    };
    let counters = object.counters.iter().enumerate().filter(|(_, counter)| !counter.is_base());
    let columns = counters.map(|(counter, _)| {
        let cells = seconds.iter().flat_map(|&second| (0..instances.len()).map(move |at| (second, at)));
        let values = cells.map(|(second, at)| (counter as i64 * 1000 + second * 10 + at as i64) as f64);
        CookedColumn { counter, values: values.collect(), status: None, covers: None, texts: None }
    });
    Cooked {
        host: host.into(),
        object: Arc::clone(object),
        columns: columns.collect(),
        times: seconds.iter().map(|&second| time(second)).collect(),
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: vec![Some(1.0); seconds.len()],
        continued: vec![true; instances.len()],
        instances: instances.into(),
        raw: None,
    }
}

/// Marks a cell as having no value.
pub(super) fn without(mut cooked: Cooked, column: usize, cell: usize, status: Status) -> Cooked {
    let num_cells = cooked.num_cells();
    cooked.columns[column].status.get_or_insert_with(|| vec![Status::Ok; num_cells])[cell] = status;
    cooked.columns[column].values[cell] = 0.0;
    cooked
}

pub(super) fn write(
    path: &Path,
    options: &TableOptions,
    known: &[(Arc<str>, Arc<ObjectDef>)],
    slices: Vec<Vec<Cooked>>,
) -> Written {
    let mut sink = create(path, options, known).expect("create");
    for slice in slices {
        sink.write(slice).expect("write");
    }
    let footer = Footer { metadata: vec![("recount.source".into(), "test.blg".into())] };
    sink.finish(&footer).expect("finish")
}

/// A table as text: column names, then rows, with fields separated by `|`, nulls as `-`, times as seconds
/// since [`START`], local ones since the same hour and minute of the local day.
pub(super) fn read(path: &Path) -> Vec<String> {
    let batches = if path.extension().is_some_and(|extension| extension == "arrow") {
        let file = File::open(path).expect("open");
        arrow_ipc::reader::FileReader::try_new(file, None).expect("ipc").collect::<Result<Vec<_>, _>>()
    } else {
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("open")).expect("parquet");
        let names = builder.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        let batches: Result<Vec<RecordBatch>, _> = builder.build().expect("reader").collect();
        if batches.as_ref().is_ok_and(Vec::is_empty) {
            return vec![names.join("|")];
        }
        batches
    };
    shown(&batches.expect("batches"))
}

pub(super) fn shown(batches: &[RecordBatch]) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in batches {
        if lines.is_empty() {
            let schema = batch.schema();
            lines.push(
                schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join("|"),
            );
        }
        for row in 0..batch.num_rows() {
            let schema = batch.schema();
            let named = schema.fields().iter().zip(batch.columns());
            let fields: Vec<String> = named.map(|(named, column)| field(named.name(), column, row)).collect();
            lines.push(fields.join("|"));
        }
    }
    lines
}

fn field(name: &str, column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return "-".into();
    }
    match column.data_type() {
        DataType::Timestamp(_, zone) => {
            assert_eq!(zone.as_deref(), Some("UTC").filter(|_| name != "local_time"));
            let nanos = column.as_primitive::<TimestampNanosecondType>().value(row);
            ((nanos - Timestamp(START).unix_nanos().expect("in range")) / 1_000_000_000).to_string()
        }
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::UInt32 => format!("{:#x}", column.as_primitive::<UInt32Type>().value(row)),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::Dictionary(..) => {
            let names = column.as_dictionary::<Int32Type>();
            names.values().as_string::<i32>().value(names.keys().value(row) as usize).into()
        }
        other => panic!("a column of type {other}"),
    }
}

/// Every file below a directory, by relative path.
pub(super) fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("list") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let below = path.strip_prefix(directory).expect("below");
                found.push(below.display().to_string().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}
