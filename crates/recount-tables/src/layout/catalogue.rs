//! The file of the catalogue (`formats/tables.md#counters`).

use std::path::Path;

use crate::batches::catalogue::{Entry, build};
use crate::encode::Encode;
use crate::schema::{COUNTERS, schema};
use crate::table::Table;
use crate::{TableError, WrittenFile};

/// Name of the table.
const NAME: &str = "_counters";

/// Writes the catalogue of counters. Each comes with the file or directory of its table, if that has one.
pub(crate) fn write(
    entries: &[(Entry, Option<String>)],
    root: &Path,
    encode: Encode,
    metadata: &[(String, String)],
) -> Result<Vec<WrittenFile>, TableError> {
    let mut table = Table::new(root, NAME, schema(&COUNTERS), &[], encode);
    table.begin()?;
    table.write(&[build(entries).map_err(TableError::arrow(NAME))?])?;
    table.finish(metadata)
}
