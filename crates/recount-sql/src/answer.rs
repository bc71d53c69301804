//! Converts the result of polars to an Arrow batch.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampNanosecondArray,
    UInt64Array,
};
use polars::prelude::{AnyValue, Column, DataFrame, DataType, PolarsError, PolarsResult, TimeUnit};

/// A batch of a few types: 64-bit numbers, booleans, times in nanoseconds, and text for everything else.
pub(crate) fn batch(frame: &DataFrame) -> PolarsResult<RecordBatch> {
    let columns = frame.columns().iter();
    let columns: PolarsResult<Vec<(&str, ArrayRef, bool)>> =
        columns.map(|column| Ok((column.name().as_str(), array(column)?, true))).collect();
    RecordBatch::try_from_iter_with_nullable(columns?)
        .map_err(|error| PolarsError::ComputeError(error.to_string().into()))
}

fn array(column: &Column) -> PolarsResult<ArrayRef> {
    let values = || (0..column.len()).map(|row| column.get(row).unwrap_or(AnyValue::Null));
    Ok(match column.dtype() {
        DataType::Boolean => Arc::new(column.bool()?.iter().collect::<BooleanArray>()),
        DataType::UInt64 => Arc::new(column.u64()?.iter().collect::<UInt64Array>()),
        DataType::Datetime(..) => Arc::new(
            values().map(|value| nanos(&value)).collect::<TimestampNanosecondArray>().with_timezone("UTC"),
        ),
        dtype if dtype.is_float() => {
            Arc::new(column.cast(&DataType::Float64)?.f64()?.iter().collect::<Float64Array>())
        }
        dtype if dtype.is_integer() => {
            Arc::new(column.cast(&DataType::Int64)?.i64()?.iter().collect::<Int64Array>())
        }
        _ => Arc::new(values().map(|value| text(&value)).collect::<StringArray>()),
    })
}

fn nanos(value: &AnyValue<'_>) -> Option<i64> {
    let (AnyValue::Datetime(ticks, unit, _) | AnyValue::DatetimeOwned(ticks, unit, _)) = value else {
        return None;
    };
    match unit {
        TimeUnit::Nanoseconds => Some(*ticks),
        TimeUnit::Microseconds => ticks.checked_mul(1_000),
        TimeUnit::Milliseconds => ticks.checked_mul(1_000_000),
    }
}

fn text(value: &AnyValue<'_>) -> Option<String> {
    (!value.is_null()).then(|| value.str_value().into_owned())
}
