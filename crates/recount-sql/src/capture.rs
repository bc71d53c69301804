//! Captures that a query tells apart by names.

use recount_compute::Input;

use crate::QueryError;
use crate::needs::Needs;

/// A capture, or several that are one time line, and the name that the query has for it.
#[derive(Clone, Copy)]
pub struct NamedInputs<'a> {
    /// Its name, which stands before its tables: `monday.Processor`. Only a capture that is alone may have none.
    pub name: Option<&'a str>,
    /// Its samples.
    pub inputs: &'a [Input],
}

impl NamedInputs<'_> {
    /// The name of one of its tables among those of all captures.
    pub(crate) fn full(&self, table: &str) -> String {
        self.name.map_or_else(|| table.to_owned(), |name| joined(name, table))
    }

    /// What a table of all captures is called in this one; `None`: it is another's.
    pub(crate) fn own<'t>(&self, table: &'t str) -> Option<&'t str> {
        match self.name {
            Some(name) => table.strip_prefix(name)?.strip_prefix('.'),
            None => Some(table),
        }
    }

    /// What a query needs of this capture.
    pub(crate) fn needs(&self, all: &Needs) -> Needs {
        all.of_tables(|table| self.own(table))
    }

    /// An error about a table of this capture, as one about the tables of all.
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
