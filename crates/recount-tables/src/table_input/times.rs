//! When the rows of a file were sampled.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use rayon::prelude::*;
use recount_model::Timestamp;

use super::TableInputError;
use super::guard::guarded;
use super::parquet_input::ParquetInput;
use crate::schema::TIME;

/// Rows decoded at a time.
const NUM_BATCH_ROWS: usize = 1 << 16;

/// Consecutive rows with the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeRun {
    pub(super) time: Timestamp,
    pub(super) num_rows: u64,
}

/// The distinct times of all rows, ascending.
pub(super) fn read_times(file: &ParquetInput) -> Result<Vec<TimeRun>, TableInputError> {
    let column = file.required(TIME)?.column;
    let groups: Vec<(usize, Range<u64>)> = file.groups().iter().cloned().enumerate().collect();
    let parts = groups
        .into_par_iter()
        .map(|(group, rows)| {
            let read = guarded(|| Ok(read_group(file, column, group, &rows)));
            read.map_err(|source| TableInputError::Parquet { file: file.name.clone(), source })?
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut runs: Vec<TimeRun> = Vec::new();
    for (part, rows) in parts.into_iter().zip(file.groups()) {
        for (at, run) in part.into_iter().enumerate() {
            let is_first = at == 0;
            match runs.last_mut() {
                Some(last) if is_first && last.time == run.time => last.num_rows += run.num_rows,
                Some(last) if is_first && last.time > run.time => {
                    return Err(TableInputError::Unsorted { file: file.name.clone(), row: rows.start });
                }
                _ => runs.push(run),
            }
        }
    }
    Ok(runs)
}

fn read_group(
    file: &ParquetInput,
    column: usize,
    group: usize,
    rows: &Range<u64>,
) -> Result<Vec<TimeRun>, TableInputError> {
    let failed = |source| TableInputError::Parquet { file: file.name.clone(), source };
    let num_rows = (rows.end - rows.start) as usize;
    let mut scan = TimeScan { file, runs: Vec::new(), row: rows.start, newest: i64::MIN };
    let all = 0..num_rows;
    let columns = [column];
    let batches = file.batches(group, std::slice::from_ref(&all), &columns, NUM_BATCH_ROWS);
    for batch in batches.map_err(failed)? {
        scan.push(&batch.map_err(failed)?)?;
    }
    file.release(group, &[column]);
    if scan.row == rows.end {
        return Ok(scan.runs);
    }
    let what = format!("expected {num_rows} rows in row group {group}, found {}", scan.row - rows.start);
    Err(failed(parquet::errors::ParquetError::General(what)))
}

struct TimeScan<'a> {
    file: &'a ParquetInput,
    runs: Vec<TimeRun>,
    row: u64,
    newest: i64,
}

impl TimeScan<'_> {
    fn push(&mut self, batch: &RecordBatch) -> Result<(), TableInputError> {
        let times = batch.column(0);
        if let Some(nulls) = times.nulls().filter(|nulls| nulls.null_count() > 0) {
            let row = self.row + nulls.iter().position(|is_there| !is_there).unwrap_or(0) as u64;
            return Err(TableInputError::Null { file: self.file.name.clone(), column: TIME.name, row });
        }
        match times.data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                self.push_times::<TimestampNanosecondType>(times, 1)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.push_times::<TimestampMicrosecondType>(times, 1_000)
            }
            _ => self.push_times::<TimestampMillisecondType>(times, 1_000_000),
        }
    }

    /// Most rows have the same time as the previous row, so runs are found by comparing.
    fn push_times<T: ArrowTimestampType>(
        &mut self,
        times: &dyn Array,
        nanos: i64,
    ) -> Result<(), TableInputError> {
        let Some(times) = times.as_primitive_opt::<T>() else { return Ok(()) };
        for same in times.values().chunk_by(|one, next| one == next) {
            let unit = same[0];
            let out_of_range =
                || TableInputError::TimeOutOfRange { file: self.file.name.clone(), row: self.row };
            let unix_nanos = unit.checked_mul(nanos).ok_or_else(out_of_range)?;
            if unit < self.newest {
                return Err(TableInputError::Unsorted { file: self.file.name.clone(), row: self.row });
            }
            self.newest = unit;
            self.row += same.len() as u64;
            let run = TimeRun { time: Timestamp::from_unix_nanos(unix_nanos), num_rows: same.len() as u64 };
            match self.runs.last_mut() {
                Some(last) if last.time == run.time => last.num_rows += run.num_rows,
                _ => self.runs.push(run),
            }
        }
        Ok(())
    }
}

/// The distinct times of several files, ascending.
pub(super) fn merged<'a>(files: impl Iterator<Item = &'a [TimeRun]>) -> Vec<Timestamp> {
    let mut times: Vec<Timestamp> = files.flatten().map(|run| run.time).collect();
    times.sort_unstable();
    times.dedup();
    times
}
