//! Converts Arrow batches to a frame of polars.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int32Type, TimestampNanosecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, DictionaryArray, RecordBatch, StringArray, new_empty_array};
use arrow_schema::{DataType, Schema};
use polars::prelude::{
    self as pl, ChunkedArray, DataFrame, IntoColumn, IntoSeries, NewChunkedArray, PolarsError,
    PolarsNumericType, PolarsResult, Series, StringChunked, TimeUnit,
};

/// Batches of one table. Later ones may have additional columns at the end.
#[derive(Default)]
pub(crate) struct Frame {
    columns: Vec<Series>,
    num_rows: usize,
}

impl Frame {
    /// Appends the rows of a batch.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> PolarsResult<()> {
        self.widen(&batch.schema())?;
        for (column, array) in self.columns.iter_mut().zip(batch.columns()) {
            let name = column.name().clone();
            column.append(&series(&name, array)?)?;
        }
        self.num_rows += batch.num_rows();
        Ok(())
    }

    /// Appends missing columns, without values.
    pub(crate) fn widen(&mut self, schema: &Schema) -> PolarsResult<()> {
        for field in schema.fields().iter().skip(self.columns.len()) {
            let none = series(field.name(), &new_empty_array(field.data_type()))?;
            self.columns.push(Series::full_null(field.name().into(), self.num_rows, none.dtype()));
        }
        Ok(())
    }

    pub(crate) fn to_polars(&self) -> PolarsResult<DataFrame> {
        DataFrame::new(self.num_rows, self.columns.iter().cloned().map(IntoColumn::into_column).collect())
    }
}

/// Converts a column of one of the types that tables have (`formats/tables.md#types`).
fn series(name: &str, array: &dyn Array) -> PolarsResult<Series> {
    let texts = |texts: &mut dyn Iterator<Item = Option<&str>>| {
        StringChunked::from_iter_options(name.into(), texts).into_series()
    };
    Ok(match array.data_type() {
        DataType::Timestamp(..) => numbers::<TimestampNanosecondType, pl::Int64Type>(name, array)
            .i64()?
            .clone()
            // UTC, as all times of a query: polars compares no times with a zone and times without.
            .into_datetime(TimeUnit::Nanoseconds, None)
            .into_series(),
        DataType::Float64 => numbers::<Float64Type, pl::Float64Type>(name, array),
        DataType::UInt64 => numbers::<UInt64Type, pl::UInt64Type>(name, array),
        DataType::UInt32 => numbers::<UInt32Type, pl::UInt32Type>(name, array),
        DataType::Int32 => numbers::<Int32Type, pl::Int32Type>(name, array),
        DataType::Utf8 => texts(&mut array.as_string::<i32>().iter()),
        DataType::Dictionary(..) => {
            let names = array
                .as_dictionary_opt::<Int32Type>()
                .and_then(DictionaryArray::<Int32Type>::downcast_dict::<StringArray>);
            texts(&mut names.ok_or_else(|| unknown(name, array))?.into_iter())
        }
        _ => return Err(unknown(name, array)),
    })
}

fn numbers<A, P>(name: &str, array: &dyn Array) -> Series
where
    A: ArrowPrimitiveType,
    P: PolarsNumericType<Native = A::Native>,
    ChunkedArray<P>: IntoSeries,
{
    ChunkedArray::<P>::from_iter_options(name.into(), array.as_primitive::<A>().iter()).into_series()
}

fn unknown(name: &str, array: &dyn Array) -> PolarsError {
    let what = format!("column {name:?} has the type {}, which queries don't support", array.data_type());
    PolarsError::ComputeError(what.into())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float64Array, TimestampNanosecondArray, UInt64Array};

    use super::*;

    #[test]
    fn later_columns_are_null_before() {
        let time =
            |nanos: i64| Arc::new(TimestampNanosecondArray::from(vec![nanos]).with_timezone("UTC")) as _;
        let host: DictionaryArray<Int32Type> = vec![Some("web1")].into_iter().collect();
        let first = RecordBatch::try_from_iter([
            ("time", time(1_361_318_340_000_000_000)),
            ("host", Arc::new(host.clone()) as _),
            ("instance_id", Arc::new(UInt64Array::from(vec![Some(u64::MAX)])) as _),
        ]);
        let second = RecordBatch::try_from_iter([
            ("time", time(1_361_318_341_000_000_000)),
            ("host", Arc::new(host.slice(0, 1)) as _),
            ("instance_id", Arc::new(UInt64Array::from(vec![None])) as _),
            ("x", Arc::new(Float64Array::from(vec![Some(0.1)])) as _),
        ]);
        let mut frame = Frame::default();
        for batch in [first, second] {
            frame.push(&batch.expect("a batch")).expect("a frame");
        }
        let answer = crate::answer::batch(&frame.to_polars().expect("a frame")).expect("an answer");
        let expected = RecordBatch::try_from_iter_with_nullable([
            (
                "time",
                Arc::new(
                    TimestampNanosecondArray::from(vec![
                        1_361_318_340_000_000_000,
                        1_361_318_341_000_000_000,
                    ])
                    .with_timezone("UTC"),
                ) as _,
                true,
            ),
            ("host", Arc::new(StringArray::from(vec!["web1", "web1"])) as _, true),
            ("instance_id", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])) as _, true),
            ("x", Arc::new(Float64Array::from(vec![None, Some(0.1)])) as _, true),
        ]);
        assert_eq!(answer, expected.expect("a batch"));
    }
}
