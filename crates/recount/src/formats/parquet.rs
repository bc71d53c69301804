//! Parquet tables that `recount convert` wrote.

use std::path::Path;
use std::sync::Arc;

use recount_model::Source;
use recount_tables::{InputFile, ParquetTables, TableInputError};

use super::{BoxError, Dump, Format, NamedContent, single};
use crate::OpenOptions;
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "Parquet tables",
    plural: "tables in Parquet that recount wrote",
    recognise: ParquetTables::recognise,
    series: None,
    is_head: None,
    open,
    dump: Dump::Refused {
        because: "`dump` does not support Parquet",
        hint: "any reader of Parquet shows it; recount show summarises it",
    },
    structure: |_| Structure::Plain,
    hint: |error| match error.downcast_ref() {
        Some(TableInputError::Catalogue { .. }) => "any reader of Parquet shows it; it names the captures",
        Some(TableInputError::OneOfSeveral { .. }) => "name the directory that holds _counters.parquet",
        _ => "recount reads the Parquet that recount convert writes: a tidy file, or a directory of tables",
    },
};

fn open(files: Vec<NamedContent>, _: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    let (name, content) = single(files)?;
    let file = Path::new(&name).file_name().map(|file| file.to_string_lossy().into_owned());
    // The path is empty, since the file is the whole input: the directories above it aren't partitions.
    let file = InputFile { path: String::new(), name: file.unwrap_or(name), content };
    open_tables(vec![file]).1
}

/// Opens the files of one input of tables.
pub(crate) fn open_tables(files: Vec<InputFile>) -> (&'static Format, Result<Arc<dyn Source>, BoxError>) {
    let source = ParquetTables::open(files).map(|tables| Arc::new(tables) as Arc<dyn Source>);
    (&FORMAT, source.map_err(Into::into))
}
