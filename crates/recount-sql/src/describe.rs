//! Lists the tables and their columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use recount_tables::batches::{ObjectBatches, fixed_description};
use recount_tables::schema::{COUNTERS, Column, NULLS, PROCESSES};

use crate::names::{self, OTHERS, TableName, known_table};
use crate::tables::{ObjectTable, Tables};
use crate::{Described, QueryError};

/// Every table with its instances and counters.
pub(crate) fn tables(captures: &Described<'_, '_>) -> Result<RecordBatch, QueryError> {
    let fixed = ObjectBatches::new(false).with_instances().names().count();
    let counters = |object: &ObjectTable| Some((object.batches.names().count() - fixed) as u64);
    let counters = captures
        .iter()
        .flat_map(|(_, tables)| tables.objects.iter().map(counters).chain(others(tables).map(|_| None)));
    list(captures, "counters", Arc::new(counters.collect::<UInt64Array>()))
}

/// Every table with the names of its columns, as SQL writes them.
pub(crate) fn tables_and_columns(captures: &Described<'_, '_>) -> Result<RecordBatch, QueryError> {
    let columns = captures.iter().flat_map(|(_, tables)| {
        let of_objects = tables.objects.iter().map(|object| joined(object.batches.names()));
        of_objects.chain(others(tables).map(|(_, columns)| joined(columns.iter().map(|column| column.name))))
    });
    list(captures, "columns", Arc::new(StringArray::from_iter_values(columns)))
}

/// A row per table, with the name of its capture if captures have names.
fn list(captures: &Described<'_, '_>, last: &str, array: ArrayRef) -> Result<RecordBatch, QueryError> {
    let mut names: Vec<Option<&str>> = Vec::new();
    let mut tables: Vec<&str> = Vec::new();
    let mut instances: Vec<Option<u64>> = Vec::new();
    for (name, of_capture) in captures {
        tables.extend(self::names(of_capture));
        instances.extend(of_capture.objects.iter().map(|object| object.instances.count()));
        instances.resize(tables.len(), None);
        names.resize(tables.len(), *name);
    }
    let has_names = names.iter().any(Option::is_some);
    let columns: [(&str, ArrayRef, bool); 4] = [
        ("capture", Arc::new(StringArray::from(names)), false),
        ("table", Arc::new(StringArray::from(tables)), false),
        ("instances", Arc::new(UInt64Array::from(instances)), true),
        (last, array, true),
    ];
    let columns = columns.into_iter().skip(usize::from(!has_names));
    RecordBatch::try_from_iter_with_nullable(columns).map_err(|error| QueryError::Sql(error.to_string()))
}

/// The names of all tables.
pub(crate) fn names<'t>(tables: &'t Tables<'_>) -> impl Iterator<Item = &'t str> {
    tables.names().chain(others(tables).map(|(name, _)| name))
}

/// The tables that don't belong to objects. An object of the same name takes precedence.
fn others(tables: &Tables<'_>) -> impl Iterator<Item = (&'static str, &'static [Column])> {
    let columns: [&[Column]; OTHERS.len()] = [&COUNTERS, &NULLS, &PROCESSES];
    let is_free = |name: &str| !tables.names().any(|object| object.to_lowercase() == name);
    let has_processes = tables.names().any(|object| object.eq_ignore_ascii_case("Process"));
    let all = OTHERS.into_iter().zip(columns);
    all.filter(move |(name, _)| is_free(name) && (*name != names::PROCESSES || has_processes))
}

/// The columns of a table.
pub(crate) fn columns(tables: &Tables<'_>, table: &str) -> Result<RecordBatch, QueryError> {
    Ok(match known_table(table, tables.names())? {
        TableName::Object(name) => {
            let object = tables.objects.iter().find(|object| *object.name == *name);
            object.map_or_else(|| fixed_description(&[]), |object| object.batches.description())?
        }
        TableName::Counters => fixed_description(&COUNTERS)?,
        TableName::Nulls => fixed_description(&NULLS)?,
        TableName::Processes => fixed_description(&PROCESSES)?,
    })
}

/// Joins names; those that aren't plain words are quoted.
fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let is_plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let quoted = |name: &str| {
        if is_plain(name) { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
    };
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_sql_asks_for_it() {
        assert_eq!(
            joined(["time", "interval_s", "% \"x\"", "1st"].into_iter()),
            r#"time, interval_s, "% ""x""", "1st""#
        );
    }
}
