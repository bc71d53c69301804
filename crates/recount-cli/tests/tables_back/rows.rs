//! Tables as rows of text.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Every file below an output, by its path there, as lines: first the columns, then the rows.
pub(crate) type Tables = BTreeMap<PathBuf, Vec<String>>;

/// Reads an output whole.
pub(crate) fn read(path: &Path) -> Tables {
    let mut tables = Tables::new();
    collect(path, path, &mut tables);
    tables
}

fn collect(root: &Path, path: &Path, tables: &mut Tables) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a directory") {
            collect(root, &entry.expect("an entry").path(), tables);
        }
        return;
    }
    tables.insert(path.strip_prefix(root).expect("below").into(), lines(path));
}

fn lines(path: &Path) -> Vec<String> {
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    let fields: Vec<String> = builder
        .schema()
        .fields()
        .iter()
        .map(|field| format!("{}: {}", field.name(), field.data_type()))
        .collect();
    let mut lines = vec![fields.join("|")];
    for batch in builder.build().expect("a reader") {
        let batch = batch.expect("a batch");
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = batch.columns().iter().map(|column| cell(column, row)).collect();
            lines.push(cells.join("|"));
        }
    }
    lines
}

/// Numbers as their bits.
fn cell(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return "-".into();
    }
    if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        return format!("{:016x}", numbers.value(row).to_bits());
    }
    if let Some(times) = column.as_primitive_opt::<TimestampNanosecondType>() {
        return times.value(row).to_string();
    }
    if let Some(ids) = column.as_primitive_opt::<UInt64Type>() {
        return ids.value(row).to_string();
    }
    if let Some(words) = column.as_primitive_opt::<UInt32Type>() {
        return words.value(row).to_string();
    }
    if let Some(scales) = column.as_primitive_opt::<Int32Type>() {
        return scales.value(row).to_string();
    }
    if let Some(names) = column.as_dictionary_opt::<Int32Type>() {
        let names = names.downcast_dict::<StringArray>().expect("text");
        return arrow_array::ArrayAccessor::value(&names, row).into();
    }
    column.as_string::<i32>().value(row).into()
}
