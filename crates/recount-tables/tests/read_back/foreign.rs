//! Unexpected Parquet files and their error messages.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use recount_model::{Decoded, Selection, Source, Status};

use super::files::{open, time};

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut bytes = Vec::new();
    // The encodings that DuckDB and pyarrow choose.
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(snappy)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bytes
}

fn text(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(values.iter().copied().collect::<StringArray>())
}

fn numbers(values: &[Option<f64>]) -> ArrayRef {
    Arc::new(values.iter().copied().collect::<Float64Array>())
}

fn times(seconds: &[usize]) -> ArrayRef {
    let nanos: Vec<i64> = seconds.iter().map(|at| time(*at).utc.unix_nanos().expect("in range")).collect();
    Arc::new(TimestampNanosecondArray::from(nanos).with_timezone("UTC"))
}

/// A tidy table of one counter, with plain text and an extra column.
fn tidy(seconds: &[usize]) -> Vec<(&'static str, ArrayRef)> {
    let num = seconds.len();
    vec![
        ("note", text(&vec![Some("?"); num])),
        ("time", times(seconds)),
        ("interval_s", numbers(&vec![None; num])),
        ("host", text(&vec![Some("WEB1"); num])),
        ("object", text(&vec![Some("Memory"); num])),
        ("instance", text(&vec![None; num])),
        ("counter", text(&vec![Some("Pages/sec"); num])),
        ("value", numbers(&(0..num).map(|at| Some(at as f64)).collect::<Vec<_>>())),
        ("status", text(&vec![Some("ok"); num])),
    ]
}

fn replaced(name: &str, column: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let mut columns = tidy(&[0, 1, 2]);
    columns.iter_mut().find(|(column, _)| *column == name).expect("a column").1 = column;
    columns
}

fn error_of(bytes: Vec<u8>) -> String {
    match open(vec![("x.parquet".into(), bytes)]) {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn plain_text_and_other_columns_do_not_matter() {
    let tables = open(vec![("x.parquet".into(), parquet(tidy(&[0, 1, 2])))]).expect("tables");
    let Decoded { cooked: read, health, .. } = tables.decode(&[0, 1, 2], &Selection::all());
    assert!(health.is_sound());
    assert_eq!((&*read[0].host, &*read[0].object.name), ("WEB1", "Memory"));
    assert_eq!(read[0].columns[0].values, [0.0, 1.0, 2.0]);
    let micros: Vec<i64> = (0..3).map(|at| time(at).utc.unix_nanos().expect("in range") / 1000).collect();
    let micros: ArrayRef = Arc::new(TimestampMicrosecondArray::from(micros).with_timezone("+00:00"));
    let tables = open(vec![("x.parquet".into(), parquet(replaced("time", micros)))]).expect("tables");
    assert_eq!(tables.times(), [time(0), time(1), time(2)]);
}

#[test]
fn errors_name_the_file_the_column_and_what_was_expected() {
    let without = |name: &str| {
        let mut columns = tidy(&[0, 1]);
        columns.retain(|(column, _)| *column != name);
        error_of(parquet(columns))
    };
    assert_eq!(
        without("counter"),
        "x.parquet: expected a column `counter` of type text (BYTE_ARRAY, STRING), found none; its columns are `note`, \
         `time`, `interval_s`, `host`, `object`, `instance`, `value`, `status`"
    );
    assert!(without("time").starts_with("x.parquet: expected a column `time` of type timestamp in UTC"));
    assert!(without("host").contains("or a directory host=NAME above the file"));
    let typed = |name: &str, column: ArrayRef| error_of(parquet(replaced(name, column)));
    assert_eq!(
        typed("value", Arc::new(Int64Array::from(vec![1, 2, 3]))),
        "x.parquet: expected the column `value` to be of type float64 (DOUBLE), found Int64"
    );
    assert!(typed("time", Arc::new(Int64Array::from(vec![1, 2, 3]))).contains("found Int64"));
    let local: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![1, 2, 3]));
    assert!(typed("time", local).contains("expected the column `time` to be of type timestamp in UTC"));
    assert_eq!(
        error_of(parquet(tidy(&[0, 1, 3, 2]))),
        "x.parquet: expected rows sorted by time, found row 3, which is earlier than the previous one"
    );
    let some: ArrayRef =
        Arc::new(TimestampNanosecondArray::from(vec![Some(1), None, Some(2)]).with_timezone("UTC"));
    assert_eq!(
        typed("time", some),
        "x.parquet: expected a value in each row of the column `time`, found null in row 1"
    );
    let far: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from(vec![0, 1, i64::MAX / 10]).with_timezone("UTC"));
    assert!(typed("time", far).contains("years 1677 to 2262, found another in row 2"));
    assert!(error_of(b"PAR1".to_vec()).starts_with("x.parquet: "));
    assert!(open(vec![]).is_err());
}

#[test]
fn values_and_statuses_that_contradict_each_other_are_no_values() {
    let mut columns = replaced("value", numbers(&[Some(1.0), None, Some(3.0)]));
    columns[8].1 = text(&[Some("ok"), Some("ok"), Some("from-the-future")]);
    let tables = open(vec![("x.parquet".into(), parquet(columns))]).expect("tables");
    let Decoded { cooked: read, health, .. } = tables.decode(&[0, 1, 2], &Selection::all());
    let column = &read[0].columns[0];
    let found: Vec<_> = (0..3).map(|at| column.value_at(at).ok_or(column.status_at(at))).collect();
    assert_eq!(found, [Ok(1.0), Err(Status::InvalidData), Err(Status::InvalidData)]);
    let told: Vec<String> = health.findings().iter().map(ToString::to_string).collect();
    assert!(told[0].contains("found `from-the-future`"), "{told:?}");
    assert!(told[1].contains("found 2 rows that differ"), "{told:?}");
}

#[test]
fn rows_without_names_are_left_out() {
    let columns = replaced("counter", text(&[Some("A"), None, Some("A")]));
    let tables = open(vec![("x.parquet".into(), parquet(columns))]).expect("tables");
    let Decoded { cooked: read, health, .. } = tables.decode(&[0, 1, 2], &Selection::all());
    assert_eq!(read[0].times, [time(0), time(2)]);
    assert!(health.findings()[0].to_string().contains("found none in 1"), "{health:?}");
}

/// Tables of earlier versions have no weights, and other programs may write wrong ones.
#[test]
fn weights_may_be_missing_or_wrong() {
    let weights_of = |columns: Vec<(&'static str, ArrayRef)>| {
        let tables = open(vec![("x.parquet".into(), parquet(columns))]).expect("tables");
        let Decoded { cooked, health, .. } = tables.decode(&[0, 1, 2], &Selection::all());
        assert_eq!(cooked.len(), 1);
        let said: Vec<String> = health.findings().iter().map(|finding| finding.what.clone()).collect();
        (cooked[0].gaps.clone(), cooked[0].first_s.clone(), said)
    };
    assert_eq!(weights_of(tidy(&[0, 1, 2])), (vec![], vec![], vec![]));
    let with = |weights: [Option<f64>; 3]| {
        let mut columns = replaced("interval_s", numbers(&[None, Some(1.0), Some(1.0)]));
        columns.push(("weight_s", numbers(&weights)));
        columns
    };
    assert_eq!(weights_of(with([Some(4.0), Some(1.0), Some(0.0)])), (vec![2], vec![4.0, 0.0, 0.0], vec![]));
    let (gaps, first_s, said) = weights_of(with([Some(f64::NAN), Some(7.0), None]));
    assert_eq!((gaps, first_s, said.len()), (vec![1, 2], vec![0.0; 3], 1), "{said:?}");
    assert!(said[0].contains("found 3 rows that differ"), "{said:?}");
    let text = parquet([tidy(&[0]), vec![("weight_s", text(&[Some("1")]))]].concat());
    let error = error_of(text);
    assert!(error.contains("weight_s") && error.contains("float64"), "{error}");
}
