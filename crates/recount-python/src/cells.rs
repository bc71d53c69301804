//! Values of a batch as JSON, for the few rows that a notebook shows.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType, UInt64Type};
use arrow_array::{Array, RecordBatch};
use serde_json::Value;

/// The first rows, an array of arrays; times are nanoseconds since 1970.
pub(crate) fn rows_json(batch: &RecordBatch, at_most: usize) -> Value {
    let row = |row| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>();
    (0..batch.num_rows().min(at_most)).map(row).collect::<Vec<_>>().into()
}

fn cell(column: &dyn Array, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    if let Some(names) = column.as_dictionary_opt::<Int32Type>() {
        let texts = names.values().as_string_opt::<i32>();
        return texts.zip(names.key(row)).map(|(texts, key)| texts.value(key)).into();
    }
    let number = column.as_primitive_opt::<Float64Type>().map(|values| values.value(row).into());
    let whole = || Some(column.as_primitive_opt::<UInt64Type>()?.value(row).into());
    let time = || Some(column.as_primitive_opt::<TimestampNanosecondType>()?.value(row).into());
    let text = || Some(column.as_string_opt::<i32>()?.value(row).into());
    number.or_else(whole).or_else(time).or_else(text).unwrap_or(Value::Null)
}
