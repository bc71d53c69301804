//! A table that answers a question, and its output formats.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int32Type, Int64Type, TimestampNanosecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use recount_model::Timestamp;
use recount_tables::write_parquet;

use crate::shown::markdown_cell;

/// A table with named columns.
#[derive(Clone, Debug)]
pub struct Answer {
    batch: RecordBatch,
}

/// The format of a written table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// Comma-separated values with a header.
    Csv,
    /// An array of objects.
    Json,
    /// Apache Parquet.
    Parquet,
    /// A table of GitHub's Markdown.
    Markdown,
}

/// Why there is no table, or why it could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The columns don't make a table.
    #[error("the answer is not a table: {0}")]
    Columns(#[from] ArrowError),
    /// Writing failed.
    #[error("the answer can't be written: {0}")]
    Write(String),
    /// A column isn't there.
    #[error("there is no column {name:?}: there are {known}")]
    NoColumn {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl AnswerError {
    /// A column isn't there; of the known ones, each is named once.
    pub fn no_column(name: &str, known: &[&String]) -> AnswerError {
        let mut names: Vec<&str> = Vec::new();
        for known in known {
            if !names.contains(&known.as_str()) {
                names.push(known);
            }
        }
        AnswerError::NoColumn { name: name.to_owned(), known: names.join(", ") }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number with decimals.
    Number(f64),
    /// A whole number.
    Whole(i128),
    /// Yes or no.
    Bool(bool),
    /// A time, in nanoseconds since 1970 UTC.
    Time(i64),
    /// Anything else, as text.
    Text(String),
}

impl Cell {
    /// As text; `None` for an empty cell. Numbers have as many digits as needed to read them back exactly.
    pub fn text(&self) -> Option<String> {
        match self {
            Cell::Null => None,
            Cell::Number(value) => Some(value.to_string()),
            Cell::Whole(value) => Some(value.to_string()),
            Cell::Bool(value) => Some(value.to_string()),
            Cell::Time(nanos) => Some(Timestamp::from_unix_nanos(*nanos).to_string()),
            Cell::Text(text) => Some(text.clone()),
        }
    }
}

impl TryFrom<RecordBatch> for Answer {
    type Error = AnswerError;

    /// Accepts 64-bit integers and floats, 32-bit integers, texts, booleans, and times in nanoseconds.
    fn try_from(batch: RecordBatch) -> Result<Answer, AnswerError> {
        match batch.schema().fields().iter().find(|field| !is_known(field.data_type())) {
            None => Ok(Answer { batch }),
            Some(field) => Err(ArrowError::SchemaError(format!(
                "column {:?} has the type {}, which answers don't support",
                field.name(),
                field.data_type()
            ))
            .into()),
        }
    }
}

impl Answer {
    /// The table with its times as local times of an unknown zone: texts have no `Z` then.
    pub fn with_zone_unknown(self) -> Result<Answer, AnswerError> {
        let schema = self.batch.schema();
        let columns = schema.fields().iter().zip(self.batch.columns()).map(|(field, column)| {
            let local = column.as_primitive_opt::<TimestampNanosecondType>().map(|times| {
                let times = times.clone().with_timezone_opt(None::<&str>);
                Arc::new(times) as ArrayRef
            });
            (field.name(), local.unwrap_or_else(|| Arc::clone(column)), field.is_nullable())
        });
        Ok(Answer { batch: RecordBatch::try_from_iter_with_nullable(columns)? })
    }

    /// Names of the columns, and whether they hold numbers.
    pub fn columns(&self) -> Vec<(String, bool)> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|field| (field.name().clone(), is_number(field.data_type()))).collect()
    }

    /// Some of its columns, in this order; all of them if none are named.
    pub fn with_columns(self, names: &[String]) -> Result<Answer, AnswerError> {
        if names.is_empty() {
            return Ok(self);
        }
        let schema = self.batch.schema();
        let known: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        let places = names.iter().map(|name| {
            let place = known.iter().position(|known| *known == name);
            place.ok_or_else(|| AnswerError::no_column(name, &known))
        });
        let places = places.collect::<Result<Vec<usize>, AnswerError>>()?;
        Ok(Answer { batch: self.batch.project(&places)? })
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The cells of a row.
    pub fn row(&self, row: usize) -> Vec<Cell> {
        self.batch.columns().iter().map(|column| cell(column, row)).collect()
    }

    /// The table itself.
    pub fn batch(&self) -> &RecordBatch {
        &self.batch
    }

    /// Writes the table. `number` formats a number with decimals for people; only Markdown uses it.
    pub fn write(
        &self,
        format: AnswerFormat,
        out: &mut (dyn Write + Send),
        number: &dyn Fn(f64) -> String,
    ) -> Result<(), AnswerError> {
        let written = match format {
            AnswerFormat::Csv => self.csv(out).map_err(|error| error.to_string()),
            AnswerFormat::Json => self.json(out).map_err(|error| error.to_string()),
            AnswerFormat::Parquet => write_parquet(out, &self.batch).map_err(|error| error.to_string()),
            AnswerFormat::Markdown => self.markdown(out, number).map_err(|error| error.to_string()),
        };
        written.map_err(AnswerError::Write)
    }

    fn csv(&self, out: &mut (dyn Write + Send)) -> Result<(), csv::Error> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(self.columns().iter().map(|(name, _)| name))?;
        for row in 0..self.num_rows() {
            writer.write_record(self.row(row).iter().map(|cell| cell.text().unwrap_or_default()))?;
        }
        Ok(writer.flush()?)
    }

    fn json(&self, out: &mut (dyn Write + Send)) -> serde_json::Result<()> {
        let columns = self.columns();
        let rows = (0..self.num_rows()).map(|row| {
            let values = self.row(row).into_iter().map(|cell| match cell {
                Cell::Null => serde_json::Value::Null,
                // JSON has no infinity.
                Cell::Number(value) => value.into(),
                Cell::Whole(value) => i64::try_from(value).map_or_else(|_| (value as u64).into(), Into::into),
                Cell::Bool(value) => value.into(),
                other => other.text().into(),
            });
            columns.iter().map(|(name, _)| name.clone()).zip(values).collect::<serde_json::Map<_, _>>()
        });
        serde_json::to_writer(out, &rows.collect::<Vec<_>>())
    }

    fn markdown(&self, out: &mut (dyn Write + Send), number: &dyn Fn(f64) -> String) -> std::io::Result<()> {
        let columns = self.columns();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let names = columns.iter().map(|(name, _)| markdown_cell(name)).collect();
        let rules = columns.iter().map(|(_, is_number)| if *is_number { "---:" } else { "---" }.to_owned());
        let mut text = line(names) + &line(rules.collect());
        for row in 0..self.num_rows() {
            let cells = self.row(row).into_iter().map(|cell| match cell {
                Cell::Number(value) => number(value),
                other => markdown_cell(&other.text().unwrap_or_default()),
            });
            text.push_str(&line(cells.collect()));
        }
        out.write_all(text.as_bytes())
    }
}

/// A cell of a column whose type [`is_known`].
fn cell(column: &ArrayRef, row: usize) -> Cell {
    if column.is_null(row) {
        return Cell::Null;
    }
    match column.data_type() {
        DataType::Float64 => Cell::Number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int32 => Cell::Whole(column.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Cell::Whole(column.as_primitive::<Int64Type>().value(row).into()),
        DataType::UInt32 => Cell::Whole(column.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Cell::Whole(column.as_primitive::<UInt64Type>().value(row).into()),
        DataType::Boolean => Cell::Bool(column.as_boolean().value(row)),
        DataType::Timestamp(_, zone) => {
            let time = Cell::Time(column.as_primitive::<TimestampNanosecondType>().value(row));
            match (zone, time.text()) {
                (None, Some(text)) => Cell::Text(text.trim_end_matches('Z').to_owned()),
                _ => time,
            }
        }
        _ => Cell::Text(column.as_string::<i32>().value(row).to_owned()),
    }
}

fn is_known(data_type: &DataType) -> bool {
    is_number(data_type)
        || matches!(
            data_type,
            DataType::Boolean | DataType::Utf8 | DataType::Timestamp(TimeUnit::Nanosecond, _)
        )
}

fn is_number(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Float64 | DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64
    )
}
