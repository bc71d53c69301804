//! A window of a capture beside the whole.

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampNanosecondType;
use arrow_array::{Array, RecordBatch};
use recount::{Capture, Timestamp};

/// Checks that a window has the rows that the whole has there, with status, value and interval, to the bit, wherever it begins:
/// also those of objects that are sampled more seldom than others, and of instances that begin anew. Of long captures, at most
/// `max` windows are read.
pub(crate) fn check_windows(capture: &Capture, name: &str, max: usize) {
    let read = |batches: recount::Batches| -> Vec<(i64, String)> {
        let reader = batches.reader().expect("a reader");
        reader.flat_map(|batch| plain(&batch.expect("a batch"))).collect()
    };
    let whole = read(capture.batches());
    let samples: Vec<i64> = capture.source.times().iter().filter_map(|time| time.utc.unix_nanos()).collect();
    let step = samples.len().div_ceil(max).max(1);
    for (at, &first) in samples.iter().enumerate().step_by(step) {
        let last = samples[(at + 2).min(samples.len() - 1)];
        let [begin, end] = [first, last].map(Timestamp::from_unix_nanos);
        let mut part = read(capture.batches().within(Some(begin), Some(end)));
        let mut expected: Vec<_> =
            whole.iter().filter(|(time, _)| (first..=last).contains(time)).cloned().collect();
        // The order of objects within a sample depends on which samples were read.
        part.sort();
        expected.sort();
        let differing = expected.iter().zip(&part).find(|(one, other)| one != other);
        assert!(part == expected, "{name}, from sample {at}: {differing:?}");
    }
}

/// Rows as texts: batches have dictionaries of their own.
pub(crate) fn plain(batch: &RecordBatch) -> Vec<(i64, String)> {
    let cell = |column: &arrow_array::ArrayRef, row: usize| match column.as_any_dictionary_opt() {
        Some(names) if column.is_valid(row) => {
            format!("{:?}", names.values().as_string::<i32>().value(names.normalized_keys()[row]))
        }
        Some(_) => "null".to_owned(),
        None => format!("{:?}", column.slice(row, 1)),
    };
    let times = batch.column_by_name("time").map(AsArray::as_primitive::<TimestampNanosecondType>);
    let text =
        |row: usize| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join("|");
    (0..batch.num_rows()).map(|row| (times.map_or(0, |times| times.value(row)), text(row))).collect()
}
