//! The tidy layout: one row per time, host, object, instance and counter (`formats/tables.md#tidy`).

use std::path::Path;

use recount_model::Cooked;
use recount_model::Timestamp;
use recount_output::AsideDirectory;

use super::{is_table, with_layout};
use crate::batches::tidy_batches;
use crate::encode::{Encode, FileSize};
use crate::known_types::KnownTypes;
use crate::partition::day_of;
use crate::schema::{self, OptionalColumns, key};
use crate::slice::SliceCheck;
use crate::table::Table;
use crate::table_file::TableFile;
use crate::target::Target;
use crate::{Footer, Layout, PartitionKey, TableError, TableOptions, TableSink, Written, WrittenFile};

/// Name of the file, without extension, until it is moved into place.
const FILE: &str = "table";

/// Writes the tidy layout.
pub(crate) struct TidySink {
    optional: OptionalColumns,
    check: SliceCheck,
    types: KnownTypes,
    days_apart: bool,
    len_in_progress: usize,
    out: TidyOutput,
    failed: bool,
}

#[expect(clippy::large_enum_variant, reason = "there is one per output")]
enum TidyOutput {
    /// The directory is the last field, so that it is removed last: dropping a file may write buffered data.
    Table(Table, AsideDirectory),
    Stream(TableFile),
}

impl TidySink {
    /// Writes to a file, or, with partitions, to a directory.
    pub(crate) fn create(path: &Path, options: &TableOptions) -> Result<TidySink, TableError> {
        let aside = if options.partition_by.is_empty() {
            AsideDirectory::for_file(path, options.force, &options.access)?
        } else {
            AsideDirectory::for_directory(path, options.force, &options.access, is_table)?
        };
        let name = if aside.becomes_file() { FILE } else { "" };
        let schema = schema::tidy(optional_columns(options));
        let (root, keys) = (aside.directory(), &options.partition_by);
        let mut table = Table::new(root, name, schema, keys, Encode::of(options));
        if aside.becomes_file() {
            table = table.called(path);
            table.begin()?;
        }
        Ok(TidySink::new(options, TidyOutput::Table(table, aside)))
    }

    /// Writes to a stream.
    pub(crate) fn stream(
        stream: Box<dyn std::io::Write + Send>,
        options: &TableOptions,
    ) -> Result<TidySink, TableError> {
        let schema = schema::tidy(optional_columns(options));
        let file = TableFile::new(Target::Stream(stream), &schema, "output", &Encode::of(options))?;
        Ok(TidySink::new(options, TidyOutput::Stream(file)))
    }

    fn new(options: &TableOptions, out: TidyOutput) -> TidySink {
        TidySink {
            optional: optional_columns(options),
            check: SliceCheck::default(),
            types: KnownTypes::default(),
            days_apart: options.partition_by.contains(&PartitionKey::Date),
            len_in_progress: options.len_in_progress,
            out,
            failed: false,
        }
    }

    fn try_write(&mut self, slice: &[Cooked]) -> Result<(), TableError> {
        self.check.accept(slice)?;
        for cooked in slice {
            self.types.add(cooked);
        }
        let first = slice.iter().flat_map(|cooked| &cooked.times).map(|time| time.utc).min();
        if self.days_apart
            && let Some(first) = first.and_then(Timestamp::unix_nanos)
            && let TidyOutput::Table(table, ..) = &mut self.out
        {
            table.flush_before(day_of(first))?;
        }
        let has_texts =
            || slice.iter().flat_map(|cooked| &cooked.columns).any(|column| column.texts.is_some());
        if !self.optional.texts
            && let TidyOutput::Table(table, ..) = &mut self.out
            && has_texts()
        {
            self.optional.texts = true;
            table.set_schema(schema::tidy(self.optional))?;
        }
        tidy_batches(slice, self.optional, |batches| {
            let len_in_progress = match &mut self.out {
                TidyOutput::Table(table, ..) => {
                    table.write(&batches)?;
                    table.len_in_progress()
                }
                TidyOutput::Stream(file) => {
                    file.write(&batches)?;
                    file.len_in_progress()
                }
            };
            if len_in_progress > self.len_in_progress { self.out.flush() } else { Ok(()) }
        })
    }
}

fn optional_columns(options: &TableOptions) -> OptionalColumns {
    OptionalColumns { local_time: options.local_time, raw: options.raw, texts: options.texts }
}

impl TidyOutput {
    fn flush(&mut self) -> Result<(), TableError> {
        match self {
            TidyOutput::Table(table, ..) => table.flush(),
            TidyOutput::Stream(file) => file.flush(),
        }
    }
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
        let mut metadata = with_layout(footer, Layout::Tidy);
        let types = self.types.text();
        if !types.is_empty() {
            metadata.push((key::TYPES.into(), types));
        }
        let files = match self.out {
            TidyOutput::Table(table, aside) => {
                let is_file = aside.becomes_file();
                let mut files = table.finish(&metadata)?;
                let built = files.first().map(|file| file.path.clone()).unwrap_or_default();
                let target = aside.commit(&built)?;
                for file in &mut files {
                    file.path = if is_file { target.clone() } else { target.join(&file.path) };
                }
                files
            }
            TidyOutput::Stream(file) => {
                let FileSize { num_rows, len_bytes } = file.finish(&metadata)?;
                vec![WrittenFile { path: "".into(), num_rows, len_bytes }]
            }
        };
        let num_rows = files.iter().map(|file| file.num_rows).sum();
        let len_bytes = files.iter().map(|file| file.len_bytes).sum();
        Ok(Written { files, num_rows, len_bytes })
    }
}
