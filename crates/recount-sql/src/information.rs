//! `information_schema`: the schemas, tables and columns, as programs ask for them that know databases in general.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Query, TableFactor, VisitMut, VisitorMut};

use crate::describe::{columns, names};
use crate::{Described, QueryError};

/// The tables, by the names that polars gets: it has no schemas.
const TABLES: &str = "information_schema.tables";
const COLUMNS: &str = "information_schema.columns";
const SCHEMATA: &str = "information_schema.schemata";
/// All of them.
const ALL: [&str; 3] = [TABLES, COLUMNS, SCHEMATA];
/// Schemas of systems. They have no other tables.
const SYSTEM: [&str; 2] = ["information_schema", "pg_catalog"];
/// The schema of tables of a capture without a name.
const MAIN: &str = "main";

/// Whether a table of the query is one of these.
pub(crate) fn is_information(table: &str) -> bool {
    ALL.contains(&table)
}

/// Merges schema and table to one name, and removes the schema `main`. Returns whether the query has such names.
pub(crate) fn merged(query: &mut Query, has_captures: bool) -> bool {
    let mut merge = Merge { has_captures, is_used: false };
    let _ = VisitMut::visit(query, &mut merge);
    merge.is_used
}

struct Merge {
    has_captures: bool,
    is_used: bool,
}

impl VisitorMut for Merge {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, args: None, .. } = factor else { return ControlFlow::Continue(()) };
        let parts: Vec<&Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).collect();
        let [schema, table] = parts.as_slice() else { return ControlFlow::Continue(()) };
        let full = format!("{}.{}", schema.value, table.value).to_lowercase();
        let is_system = SYSTEM.iter().any(|system| schema.value.eq_ignore_ascii_case(system));
        let own = if is_system {
            Ident::with_quote('"', full)
        } else if !self.has_captures && schema.value.eq_ignore_ascii_case(MAIN) {
            (*table).clone()
        } else {
            return ControlFlow::Continue(());
        };
        *name = ObjectName::from(vec![own]);
        self.is_used = true;
        ControlFlow::Continue(())
    }
}

/// The rows of one of these tables.
pub(crate) fn batch(table: &str, captures: &Described<'_, '_>) -> Result<RecordBatch, QueryError> {
    if table == SCHEMATA {
        let names: StringArray = captures.iter().map(|(capture, _)| Some(capture.unwrap_or(MAIN))).collect();
        let catalog: StringArray = captures.iter().map(|_| Some("recount")).collect();
        let all =
            [("catalog_name", Arc::new(catalog) as ArrayRef), ("schema_name", Arc::new(names) as ArrayRef)];
        return RecordBatch::try_from_iter(all).map_err(|error| QueryError::Sql(error.to_string()));
    }
    let mut schemas: Vec<&str> = Vec::new();
    let mut tables: Vec<&str> = Vec::new();
    let mut described: Vec<(String, u32, &'static str)> = Vec::new();
    for (capture, of_capture) in captures {
        for name in names(of_capture) {
            let num_rows = if table == TABLES {
                1
            } else {
                let found = columns(of_capture, name)?;
                let texts = |at: usize| found.column(at).as_string::<i32>();
                for at in 0..found.num_rows() {
                    described.push((
                        texts(0).value(at).to_owned(),
                        at as u32 + 1,
                        sql_type(texts(1).value(at)),
                    ));
                }
                found.num_rows()
            };
            schemas.extend(std::iter::repeat_n(capture.unwrap_or(MAIN), num_rows));
            tables.extend(std::iter::repeat_n(name, num_rows));
        }
    }
    let num_rows = tables.len();
    let text = |values: &mut dyn Iterator<Item = &str>| {
        Arc::new(values.map(Some).collect::<StringArray>()) as ArrayRef
    };
    let same = |value: &'static str| text(&mut std::iter::repeat_n(value, num_rows));
    let mut all = vec![
        ("table_catalog", same("recount")),
        ("table_schema", text(&mut schemas.into_iter())),
        ("table_name", text(&mut tables.into_iter())),
    ];
    if table == TABLES {
        all.push(("table_type", same("BASE TABLE")));
    } else {
        all.push(("column_name", text(&mut described.iter().map(|(name, ..)| name.as_str()))));
        let positions: UInt32Array = described.iter().map(|(_, position, _)| Some(*position)).collect();
        all.push(("ordinal_position", Arc::new(positions)));
        all.push(("is_nullable", same("YES")));
        all.push(("data_type", text(&mut described.iter().map(|(.., data_type)| *data_type))));
    }
    RecordBatch::try_from_iter(all).map_err(|error| QueryError::Sql(error.to_string()))
}

/// The SQL name of a type of `DESCRIBE`.
fn sql_type(described: &str) -> &'static str {
    match described {
        "time" => "TIMESTAMP",
        "float64" => "DOUBLE",
        "uint64" => "UBIGINT",
        "uint32" => "UINTEGER",
        "int32" => "INTEGER",
        _ => "VARCHAR",
    }
}
