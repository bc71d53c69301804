//! The tidy layout: one row per time, host, object, instance and counter (`formats/tables.md#tidy`).

use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;
use recount_compute::Cooked;

use super::tidy_rows::{Slice, build};
use super::{time_field, with_layout};
use crate::names::name_type;
use crate::output::{Aside, Kind};
use crate::partition::day_of;
use crate::slice::{SliceCheck, nanos, order};
use crate::table::Table;
use crate::table_file::{Encode, FileSize, TableFile};
use crate::target::Target;
use crate::{Footer, PartitionKey, TableError, TableOptions, TableSink, Written, WrittenFile};

/// Name of the file, without extension, while it isn't in its place yet.
const FILE: &str = "table";

/// Rows that are built as one batch.
const NUM_BATCH_ROWS: usize = 1 << 16;

/// Columns of the tidy table.
pub(crate) fn schema(raw: bool) -> SchemaRef {
    let name = |name: &str, nullable| Field::new(name, name_type(), nullable);
    let mut fields = vec![
        time_field(),
        Field::new("interval_s", DataType::Float64, true),
        name("host", true),
        name("object", false),
        name("instance", true),
        name("counter", false),
        Field::new("value", DataType::Float64, true),
        name("status", false),
    ];
    if raw {
        fields.push(Field::new("first", DataType::UInt64, true));
        fields.push(Field::new("second", DataType::UInt64, true));
    }
    Arc::new(Schema::new(fields))
}

/// Writes the tidy layout.
pub(crate) struct TidySink {
    schema: SchemaRef,
    raw: bool,
    check: SliceCheck,
    days_apart: bool,
    len_in_progress: usize,
    out: Out,
    failed: bool,
}

#[expect(clippy::large_enum_variant, reason = "there is one per output")]
enum Out {
    /// The directory comes last, so that it is removed last: dropping a file may write what it still holds.
    Table(Table, Kind, Aside),
    Stream(TableFile),
}

impl TidySink {
    /// Writes to a file, or, with partitions, to a directory.
    pub(crate) fn create(path: &Path, options: &TableOptions) -> Result<TidySink, TableError> {
        let kind = if options.partition_by.is_empty() { Kind::File } else { Kind::Directory };
        let aside = Aside::new(path, kind, options.force)?;
        let name = if kind == Kind::File { FILE } else { "" };
        let schema = schema(options.raw);
        let (root, keys) = (aside.directory(), &options.partition_by);
        let mut table = Table::new(root, name, schema.clone(), keys, Encode::of(options));
        if kind == Kind::File {
            table.begin()?;
        }
        Ok(TidySink::new(schema, options, Out::Table(table, kind, aside)))
    }

    /// Writes to a stream.
    pub(crate) fn stream(
        stream: Box<dyn std::io::Write + Send>,
        options: &TableOptions,
    ) -> Result<TidySink, TableError> {
        let schema = schema(options.raw);
        let file = TableFile::new(Target::Stream(stream), &schema, "output", &Encode::of(options))?;
        Ok(TidySink::new(schema, options, Out::Stream(file)))
    }

    fn new(schema: SchemaRef, options: &TableOptions, out: Out) -> TidySink {
        TidySink {
            schema,
            raw: options.raw,
            check: SliceCheck::default(),
            days_apart: options.partition_by.contains(&PartitionKey::Date),
            len_in_progress: options.len_in_progress,
            out,
            failed: false,
        }
    }

    fn try_write(&mut self, slice: &[Cooked]) -> Result<(), TableError> {
        self.check.accept(slice)?;
        let times: Vec<Vec<i64>> = slice.iter().map(nanos).collect::<Result<_, _>>()?;
        let order = order(&times.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let Some(&(at, sample)) = order.first() else { return Ok(()) };
        let first_day = day_of(times[at][sample]);
        let slice = Slice::new(slice, times, self.raw);
        // A chunk holds whole samples; a few chunks at a time bound the memory of what waits to be encoded.
        let chunks = chunks(&order, |&(at, _)| slice.rows_per_sample(at));
        for some in chunks.chunks(2 * rayon::current_num_threads().max(1)) {
            let batches = some
                .par_iter()
                .map(|chunk| build(&slice, chunk, &self.schema))
                .collect::<Result<Vec<_>, _>>()
                .map_err(TableError::arrow("tidy"))?;
            let len_in_progress = match &mut self.out {
                Out::Table(table, ..) => {
                    if self.days_apart {
                        table.flush_before(first_day)?;
                    }
                    table.write(&batches)?;
                    table.len_in_progress()
                }
                Out::Stream(file) => {
                    file.write(&batches)?;
                    file.len_in_progress()
                }
            };
            if len_in_progress > self.len_in_progress {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TableError> {
        match &mut self.out {
            Out::Table(table, ..) => table.flush(),
            Out::Stream(file) => file.flush(),
        }
    }
}

/// Cuts samples into chunks of about [`NUM_BATCH_ROWS`] rows.
fn chunks<T>(samples: &[T], num_rows: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    let (mut start, mut rows) = (0, 0);
    for (at, sample) in samples.iter().enumerate() {
        rows += num_rows(sample);
        if rows >= NUM_BATCH_ROWS {
            chunks.push(&samples[start..=at]);
            (start, rows) = (at + 1, 0);
        }
    }
    if start < samples.len() {
        chunks.push(&samples[start..]);
    }
    chunks
}

impl TableSink for TidySink {
    fn write(&mut self, slice: Vec<Cooked>) -> Result<(), TableError> {
        if self.failed {
            return Err(TableError::Failed);
        }
        let result = self.try_write(&slice);
        self.failed = result.is_err();
        result
    }

    fn finish(self: Box<Self>, footer: &Footer) -> Result<Written, TableError> {
        if self.failed {
            return Err(TableError::Failed);
        }
        let metadata = with_layout(footer, "tidy");
        let files = match self.out {
            Out::Table(table, kind, aside) => {
                let mut files = table.finish(&metadata)?;
                let built = files.first().map(|file| file.path.clone()).unwrap_or_default();
                let target = aside.commit(&built)?;
                for file in &mut files {
                    file.path = if kind == Kind::File { target.clone() } else { target.join(&file.path) };
                }
                files
            }
            Out::Stream(file) => {
                let FileSize { num_rows, len_bytes } = file.finish(&metadata)?;
                vec![WrittenFile { path: "".into(), num_rows, len_bytes }]
            }
        };
        let num_rows = files.iter().map(|file| file.num_rows).sum();
        let len_bytes = files.iter().map(|file| file.len_bytes).sum();
        Ok(Written { files, num_rows, len_bytes })
    }
}
