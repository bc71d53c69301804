//! SQL: `POST api/query`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Refusal;
use crate::engine::Engine;
use crate::engine::cancel::Cancel;

#[derive(Debug, Deserialize)]
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "there is nothing to ask"))]
pub(crate) struct QueryRequest {
    sql: String,
    #[serde(default)]
    format: QueryFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum QueryFormat {
    #[default]
    Json,
    Csv,
    Parquet,
}

/// The answer to a query.
#[cfg_attr(not(feature = "sql"), expect(dead_code, reason = "there is nothing to answer"))]
pub(crate) enum QueryAnswer {
    Table(TableAnswer),
    /// A file, with its media type.
    File(&'static str, Vec<u8>),
}

/// A table as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct TableAnswer {
    columns: Vec<ColumnText>,
    rows: Vec<Vec<Value>>,
    num_rows: usize,
}

#[derive(Debug, Serialize)]
struct ColumnText {
    name: String,
    #[serde(rename = "type")]
    type_name: &'static str,
}

#[cfg(not(feature = "sql"))]
impl Engine {
    #[expect(clippy::unused_self, reason = "with SQL it is used")]
    pub(crate) fn query(&self, _request: &QueryRequest, _cancel: &Cancel) -> Result<QueryAnswer, Refusal> {
        Err(Refusal::new(501, "this recount was built without SQL"))
    }
}

#[cfg(feature = "sql")]
mod with_sql {
    use recount::QueryError;
    use recount::analysis::{Answer, AnswerFormat, Cell};

    use super::{
        Cancel, ColumnText, Engine, QueryAnswer, QueryFormat, QueryRequest, Refusal, TableAnswer, Value,
    };

    /// Maximum number of rows sent.
    const MAX_ROWS: usize = 10_000;

    impl Engine {
        pub(crate) fn query(&self, request: &QueryRequest, cancel: &Cancel) -> Result<QueryAnswer, Refusal> {
            let Some(side) = self.side(0) else { return Err(Refusal::bad("there is no capture")) };
            let asked = recount::query(&side.timeline, &request.sql, &|_| cancel.decide());
            let (batch, _) = asked.map_err(|error| match error {
                QueryError::Cancelled(cancelled) => cancelled.into(),
                error => Refusal::bad(error.to_string()),
            })?;
            let failed = |error: recount::analysis::AnswerError| Refusal::bad(error.to_string());
            let mut answer = Answer::try_from(batch).map_err(failed)?;
            if side.facts.is_zone_unknown {
                answer = answer.with_zone_unknown().map_err(failed)?;
            }
            let (format, kind) = match request.format {
                QueryFormat::Json => return Ok(QueryAnswer::Table(table(&answer))),
                QueryFormat::Csv => (AnswerFormat::Csv, "text/csv; charset=utf-8"),
                QueryFormat::Parquet => (AnswerFormat::Parquet, "application/vnd.apache.parquet"),
            };
            let mut bytes = Vec::new();
            answer.write(format, &mut bytes, &|value| value.to_string()).map_err(failed)?;
            Ok(QueryAnswer::File(kind, bytes))
        }
    }

    fn table(answer: &Answer) -> TableAnswer {
        let num_rows = answer.num_rows();
        let rows: Vec<Vec<Cell>> = (0..num_rows.min(MAX_ROWS)).map(|row| answer.row(row)).collect();
        let kind = |column: usize, is_number: bool| {
            let is_time = |row: &Vec<Cell>| matches!(row[column], Cell::Time(_));
            match () {
                () if is_number => "number",
                () if rows.iter().any(is_time) => "time",
                () => "text",
            }
        };
        let columns = answer.columns().into_iter().enumerate();
        let columns =
            columns.map(|(at, (name, number))| ColumnText { name, type_name: kind(at, number) }).collect();
        let value = |cell: Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Number(value) => value.into(),
            Cell::Whole(value) => i64::try_from(value).map_or_else(|_| (value as u64).into(), Into::into),
            Cell::Bool(value) => value.into(),
            other => other.text().into(),
        };
        let rows = rows.iter().map(|row| row.iter().cloned().map(value).collect()).collect();
        TableAnswer { columns, rows, num_rows }
    }
}
