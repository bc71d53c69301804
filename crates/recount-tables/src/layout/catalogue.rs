//! The file of the catalogue (`formats/tables.md#counters`).

use std::path::Path;

use crate::batches::catalogue::{CatalogueEntry, build};
use crate::encode::Encode;
use crate::schema::{COUNTERS, COUNTERS_TABLE, schema};
use crate::table::Table;
use crate::{TableError, WrittenFile};

/// Writes the catalogue of counters. Each comes with the file or directory of its table, if that has one.
pub(crate) fn write(
    entries: &[(CatalogueEntry, Option<String>)],
    root: &Path,
    encode: Encode,
    metadata: &[(String, String)],
) -> Result<Vec<WrittenFile>, TableError> {
    let mut table = Table::new(root, COUNTERS_TABLE, schema(&COUNTERS), &[], encode);
    table.begin()?;
    table.write(&[build(entries).map_err(TableError::arrow(COUNTERS_TABLE))?])?;
    table.finish(metadata)
}
