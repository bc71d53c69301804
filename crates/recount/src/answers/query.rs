//! SQL over captures: for `recount query`.

use std::io;
use std::path::{Path, PathBuf};

use recount_analysis::Answer;
use recount_analysis::query::{QueryError, Resolved, TableDirectory, TableName, resolve, tables_of};
use recount_compute::Progress;
use recount_model::{CounterPath, Health, Pattern, Selection};
use recount_tables::Layout;

use crate::catalogue::Catalogue;
use crate::{Capture, ConvertError, ConvertOptions, Span, Target, convert};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerFailure {
    /// The query.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The tables for it could not be computed.
    #[error("the tables for the query: {0}")]
    Tables(#[from] ConvertError),
    /// There is no place for them.
    #[error("the directory for temporary tables: {0}")]
    Temporary(#[from] io::Error),
}

/// Whether a path is a directory of tables, one per performance object, as [`convert`] writes them.
pub fn is_table_directory(path: &Path) -> bool {
    TableDirectory::recognise(path)
}

/// Answers a query over the tables of a directory that [`convert`] wrote.
pub fn query_tables(directory: &Path, sql: &str) -> Result<Answer, AnswerFailure> {
    Ok(recount_analysis::query::query(&TableDirectory::open(directory)?, sql)?)
}

/// Answers a query over captures, one table per performance object. The objects that it names are computed into a
/// directory of temporary tables, which takes as much room as they would have with [`convert`].
pub fn query(
    captures: &[Capture],
    span: &Span,
    sql: &str,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(Answer, Health), AnswerFailure> {
    let selection = objects_of(captures, sql)?;
    let directory = tempfile::Builder::new().prefix("recount-query-").tempdir()?;
    let tables: PathBuf = directory.path().join("tables");
    let options = ConvertOptions {
        selection,
        span: span.clone(),
        layout: Layout::Objects,
        ..ConvertOptions::default()
    };
    let report = convert(captures, &Target::Path(tables.clone()), &options, progress)?;
    Ok((recount_analysis::query::query(&TableDirectory::open(&tables)?, sql)?, report.health))
}

/// The objects that a query names; everything, if it asks for the catalogue or for what is missing.
fn objects_of(captures: &[Capture], sql: &str) -> Result<Selection, QueryError> {
    let names = tables_of(sql)?;
    let (catalogue, _) = Catalogue::read(captures, &Selection::all());
    let objects =
        catalogue.objects.iter().map(|found| &*found.object.name).collect::<std::collections::BTreeSet<_>>();
    let mut patterns = Vec::new();
    for name in names {
        match resolve(&name, objects.iter().copied()) {
            Resolved::Table(TableName::Object(object)) => patterns.push(Pattern::Path(CounterPath {
                host: None,
                object,
                parent: None,
                instance: None,
                index: None,
                counter: "*".into(),
            })),
            Resolved::Table(TableName::Counters | TableName::Nulls) => return Ok(Selection::all()),
            Resolved::Ambiguous(tables) => return Err(QueryError::Ambiguous { name, tables }),
            // A name that the query gives itself, or one of which the error tells.
            Resolved::Unknown => {}
        }
    }
    Ok(Selection { patterns })
}
