//! The file of missing values (`formats/tables.md#nulls`).

use std::path::Path;

use recount_model::Cooked;

use crate::batches::nulls::nulls;
use crate::encode::Encode;
use crate::schema::{NULLS, NULLS_TABLE, schema};
use crate::table::Table;
use crate::{TableError, WrittenFile};

/// The table, which has a file only if a value is missing.
pub(crate) struct Nulls {
    table: Table,
}

impl Nulls {
    pub(crate) fn new(root: &Path, encode: Encode) -> Nulls {
        Nulls { table: Table::new(root, NULLS_TABLE, schema(&NULLS), &[], encode) }
    }

    /// Appends the missing values of a slice.
    pub(crate) fn write(&mut self, slice: &[Cooked], times: &[Vec<i64>]) -> Result<(), TableError> {
        match nulls(slice, times).map_err(TableError::arrow(NULLS_TABLE))? {
            Some(batch) => self.table.write(&[batch]),
            None => Ok(()),
        }
    }

    pub(crate) fn len_in_progress(&self) -> usize {
        self.table.len_in_progress()
    }

    pub(crate) fn flush(&mut self) -> Result<(), TableError> {
        self.table.flush()
    }

    pub(crate) fn finish(self, metadata: &[(String, String)]) -> Result<Vec<WrittenFile>, TableError> {
        self.table.finish(metadata)
    }
}
