//! A table that answers a question, and the forms it is written in.

use std::io::Write;

use polars::prelude::{
    AnyValue, Column, CsvWriter, DataFrame, DataType, IntoColumn, JsonFormat, JsonWriter, NewChunkedArray,
    ParquetWriter, PolarsError, SerWriter, StringChunked, TimeUnit,
};
use recount_model::Timestamp;

/// A table with named columns.
#[derive(Clone, Debug)]
pub struct Answer {
    frame: DataFrame,
}

/// The form of a written table.
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

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the answer can't be written: {0}")]
pub struct AnswerError(String);

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number with decimals.
    Number(f64),
    /// Anything else, as text.
    Text(String),
}

impl Answer {
    pub(crate) fn new(frame: DataFrame) -> Answer {
        Answer { frame }
    }

    /// Names of the columns, and whether they hold numbers.
    pub fn columns(&self) -> Vec<(String, bool)> {
        let columns = self.frame.columns().iter();
        columns.map(|column| (column.name().to_string(), column.dtype().is_numeric())).collect()
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.frame.height()
    }

    /// The cells of a row.
    pub fn row(&self, row: usize) -> Vec<Cell> {
        self.frame
            .columns()
            .iter()
            .map(|column| column.get(row).map_or(Cell::Null, |value| cell(&value)))
            .collect()
    }

    /// Writes the table. `number` shows a number with decimals to people: only Markdown is for them.
    pub fn write(
        &self,
        format: AnswerFormat,
        out: &mut dyn Write,
        number: &dyn Fn(f64) -> String,
    ) -> Result<(), AnswerError> {
        let failed = |error: PolarsError| AnswerError(error.to_string());
        match format {
            AnswerFormat::Csv => CsvWriter::new(out).finish(&mut self.plain()).map_err(failed),
            AnswerFormat::Json => JsonWriter::new(out)
                .with_json_format(JsonFormat::Json)
                .finish(&mut self.plain())
                .map_err(failed),
            AnswerFormat::Parquet => {
                ParquetWriter::new(out).finish(&mut self.frame.clone()).map(|_| ()).map_err(failed)
            }
            AnswerFormat::Markdown => {
                self.markdown(out, number).map_err(|error| AnswerError(error.to_string()))
            }
        }
    }

    /// Times and categories as texts.
    fn plain(&self) -> DataFrame {
        let plain = |column: &Column| match column.dtype() {
            DataType::Datetime(..) | DataType::Categorical(..) => {
                let texts = (0..column.len()).map(|row| match column.get(row).map(|value| cell(&value)) {
                    Ok(Cell::Text(text)) => Some(text),
                    _ => None,
                });
                StringChunked::from_iter_options(column.name().clone(), texts).into_column()
            }
            _ => column.clone(),
        };
        let columns = self.frame.columns().iter().map(plain).collect();
        DataFrame::new(self.frame.height(), columns).unwrap_or_default()
    }

    fn markdown(&self, out: &mut dyn Write, number: &dyn Fn(f64) -> String) -> std::io::Result<()> {
        let columns = self.columns();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let names = columns.iter().map(|(name, _)| markdown_cell(name)).collect();
        let rules = columns.iter().map(|(_, is_number)| if *is_number { "---:" } else { "---" }.to_owned());
        let mut text = line(names) + &line(rules.collect());
        for row in 0..self.num_rows() {
            let cells = self.row(row).into_iter().map(|cell| match cell {
                Cell::Null => String::new(),
                Cell::Number(value) => number(value),
                Cell::Text(text) => markdown_cell(&text),
            });
            text.push_str(&line(cells.collect()));
        }
        out.write_all(text.as_bytes())
    }
}

/// Names are foreign input: nothing in them is markup.
pub(crate) fn markdown_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => cell.extend(['\\', c]),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            '@' => cell.push_str("&#64;"),
            c => cell.push(c),
        }
    }
    crate::shown::visible(&cell)
}

fn cell(value: &AnyValue<'_>) -> Cell {
    match value {
        AnyValue::Null => Cell::Null,
        AnyValue::Float64(value) => Cell::Number(*value),
        AnyValue::Float32(value) => Cell::Number(f64::from(*value)),
        AnyValue::Datetime(ticks, unit, _) | AnyValue::DatetimeOwned(ticks, unit, _) => {
            Cell::Text(time(*ticks, *unit))
        }
        other => Cell::Text(other.str_value().into_owned()),
    }
}

fn time(ticks: i64, unit: TimeUnit) -> String {
    let nanos = match unit {
        TimeUnit::Nanoseconds => Some(ticks),
        TimeUnit::Microseconds => ticks.checked_mul(1_000),
        TimeUnit::Milliseconds => ticks.checked_mul(1_000_000),
    };
    nanos.map_or_else(|| ticks.to_string(), |nanos| Timestamp::from_unix_nanos(nanos).to_string())
}
