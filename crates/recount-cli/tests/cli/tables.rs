//! Reads the command's output.

use std::fs::File;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// All batches of a Parquet file.
pub(crate) fn parquet(path: &str) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect(path)).expect("Parquet");
    reader.build().expect("a reader").map(|batch| batch.expect("a batch")).collect()
}

/// All batches of an Arrow file.
pub(crate) fn arrow(path: &str) -> Vec<RecordBatch> {
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(path).expect(path), None).expect("Arrow");
    reader.map(|batch| batch.expect("a batch")).collect()
}

/// Rows of all batches.
pub(crate) fn num_rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// Names of the columns.
pub(crate) fn columns(batches: &[RecordBatch]) -> Vec<String> {
    batches[0].schema().fields().iter().map(|field| field.name().clone()).collect()
}

/// A column of floating point numbers.
pub(crate) fn numbers(batches: &[RecordBatch], column: &str) -> Vec<Option<f64>> {
    let of = |batch: &RecordBatch| {
        let values = batch.column_by_name(column).expect(column).as_primitive::<Float64Type>().clone();
        values.iter().collect::<Vec<_>>()
    };
    batches.iter().flat_map(of).collect()
}

/// A column of raw values.
pub(crate) fn raw_values(batches: &[RecordBatch], column: &str) -> Vec<Option<u64>> {
    let of = |batch: &RecordBatch| {
        let values = batch.column_by_name(column).expect(column).as_primitive::<UInt64Type>().clone();
        values.iter().collect::<Vec<_>>()
    };
    batches.iter().flat_map(of).collect()
}

/// A column of names, as dictionary or plain.
pub(crate) fn names(batches: &[RecordBatch], column: &str) -> Vec<Option<String>> {
    let of = |batch: &RecordBatch| {
        let array = batch.column_by_name(column).expect(column);
        let owned = |name: Option<&str>| name.map(str::to_owned);
        match array.as_dictionary_opt::<Int32Type>() {
            Some(dictionary) => {
                let names = dictionary.downcast_dict::<arrow_array::StringArray>().expect("names");
                names.into_iter().map(owned).collect::<Vec<_>>()
            }
            None => array.as_string::<i32>().iter().map(owned).collect(),
        }
    };
    batches.iter().flat_map(of).collect()
}

/// PDH-CSV as rows of fields. The names of these captures hold no quotes.
pub(crate) fn csv(text: &str) -> Vec<Vec<String>> {
    let row = |line: &str| {
        let inner = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).expect("quotes");
        inner.split("\",\"").map(str::to_owned).collect()
    };
    text.split_terminator("\r\n").map(row).collect()
}

/// The values of the one column whose path contains `path`; `None` where there is none.
pub(crate) fn csv_values(text: &str, path: &str) -> Vec<Option<f64>> {
    let rows = csv(text);
    let found: Vec<usize> = (1..rows[0].len()).filter(|at| rows[0][*at].contains(path)).collect();
    assert_eq!(found.len(), 1, "{path} in {:?}", rows[0]);
    rows[1..].iter().map(|row| row[found[0]].trim().parse().ok()).collect()
}
