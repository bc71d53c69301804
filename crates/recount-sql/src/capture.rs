//! Captures that a query distinguishes by names.

use recount_compute::Input;

use crate::QueryError;
use crate::needs::Needs;

/// A capture, or several that form one time line, with its name in the query.
#[derive(Clone, Copy)]
pub struct NamedInputs<'a> {
    /// Its name, the prefix of its tables: `monday.Processor`. May be `None` only for a single capture.
    pub name: Option<&'a str>,
    /// Its samples.
    pub inputs: &'a [Input],
}

impl NamedInputs<'_> {
    /// The name of one of its tables among those of all captures.
    pub(crate) fn full(&self, table: &str) -> String {
        self.name.map_or_else(|| table.to_owned(), |name| joined(name, table))
    }

    /// The name within this capture of a table among those of all captures; `None`: it belongs to another
    /// capture.
    pub(crate) fn own<'t>(&self, table: &'t str) -> Option<&'t str> {
        match self.name {
            Some(name) => table.strip_prefix(name)?.strip_prefix('.'),
            None => Some(table),
        }
    }

    /// The part of a query's needs that concerns this capture.
    pub(crate) fn needs(&self, all: &Needs) -> Needs {
        all.of_tables(|table| self.own(table))
    }

    /// Rewrites an error about a table of this capture to use its full name.
    pub(crate) fn named(&self, error: QueryError) -> QueryError {
        let all = |names: Vec<String>| names.iter().map(|name| self.full(name)).collect();
        match error {
            QueryError::UnknownTable { name, near } => {
                QueryError::UnknownTable { name: self.full(&name), near: all(near) }
            }
            QueryError::Ambiguous { name, tables } => {
                QueryError::Ambiguous { name: self.full(&name), tables: all(tables) }
            }
            other => other,
        }
    }
}

/// The name of a table among those of all captures.
pub(crate) fn joined(capture: &str, table: &str) -> String {
    format!("{capture}.{table}")
}
