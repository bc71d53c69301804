//! Creates a sink from options.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use recount_model::ObjectDef;

use crate::layout::objects::ObjectsSink;
use crate::layout::tidy::TidySink;
use crate::{Layout, TableError, TableOptions, TableSink};

/// Begins an output at `path`: a file for the tidy layout without partitions, a directory otherwise.
///
/// `known` are definitions, with their hosts, that the input is known to have. The layout by objects creates
/// columns for **all** of their counters except bases (with raw values, including bases), so the caller
/// should remove counters that aren't selected; counters are matched by name. A counter that isn't in `known`
/// isn't an error: its table gets the column with the first value, at the cost of copying the table once at
/// the end.
///
/// Columns are encoded on the current rayon pool.
pub fn create(
    path: &Path,
    options: &TableOptions,
    known: &[(Arc<str>, Arc<ObjectDef>)],
) -> Result<Box<dyn TableSink>, TableError> {
    check(options)?;
    Ok(match options.layout {
        Layout::Tidy => Box::new(TidySink::create(path, options)?),
        Layout::Objects => Box::new(ObjectsSink::create(path, options, known)?),
    })
}

/// Begins a tidy table written to a stream, such as standard output: Parquet, or the stream format of Arrow
/// IPC (which can't store the footer's metadata).
pub fn create_stream(
    stream: Box<dyn Write + Send>,
    options: &TableOptions,
) -> Result<Box<dyn TableSink>, TableError> {
    check(options)?;
    if options.layout != Layout::Tidy {
        return Err(TableError::Options("a table per object can't go to a stream; name a directory instead"));
    }
    if !options.partition_by.is_empty() {
        return Err(TableError::Options("partitions can't go to a stream; name a directory instead"));
    }
    Ok(Box::new(TidySink::stream(stream, options)?))
}

fn check(options: &TableOptions) -> Result<(), TableError> {
    if !(1..=22).contains(&options.zstd_level) {
        return Err(TableError::Options("the level of zstd must be between 1 and 22"));
    }
    let keys = &options.partition_by;
    if keys.iter().enumerate().any(|(at, key)| keys[..at].contains(key)) {
        return Err(TableError::Options("a partition key is named twice"));
    }
    Ok(())
}
