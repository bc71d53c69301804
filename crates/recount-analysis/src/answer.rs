//! A table that answers a question, and the forms it is written in.

use std::io::Write;

use polars::prelude::{AnyValue, DataFrame, DataType, TimeUnit};
use recount_model::Timestamp;
use recount_tables::{PlainColumn, write_plain};

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
    /// A whole number.
    Whole(i128),
    /// Yes or no.
    Bool(bool),
    /// A moment, in nanoseconds since 1970 UTC.
    Time(i64),
    /// Anything else, as text.
    Text(String),
}

impl Cell {
    /// As text; `None` if there is nothing. Numbers have as many digits as they need to be read back.
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
        out: &mut (dyn Write + Send),
        number: &dyn Fn(f64) -> String,
    ) -> Result<(), AnswerError> {
        match format {
            AnswerFormat::Csv => self.csv(out).map_err(|error| AnswerError(error.to_string())),
            AnswerFormat::Json => self.json(out).map_err(|error| AnswerError(error.to_string())),
            AnswerFormat::Parquet => {
                write_plain(out, self.plain()).map_err(|error| AnswerError(error.to_string()))
            }
            AnswerFormat::Markdown => {
                self.markdown(out, number).map_err(|error| AnswerError(error.to_string()))
            }
        }
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
                // JSON knows no infinity.
                Cell::Number(value) => value.into(),
                Cell::Whole(value) => i64::try_from(value).map_or_else(|_| (value as u64).into(), Into::into),
                Cell::Bool(value) => value.into(),
                other => other.text().into(),
            });
            columns.iter().map(|(name, _)| name.clone()).zip(values).collect::<serde_json::Map<_, _>>()
        });
        serde_json::to_writer_pretty(out, &rows.collect::<Vec<_>>())
    }

    /// As columns that can be written.
    fn plain(&self) -> Vec<(String, PlainColumn)> {
        let columns = self.frame.columns().iter();
        columns
            .map(|column| {
                let cells =
                    (0..column.len()).map(|row| column.get(row).map_or(Cell::Null, |value| cell(&value)));
                let plain =
                    match column.dtype() {
                        DataType::Datetime(..) => PlainColumn::Times(
                            cells
                                .map(|cell| if let Cell::Time(nanos) = cell { Some(nanos) } else { None })
                                .collect(),
                        ),
                        DataType::Boolean => PlainColumn::Bools(
                            cells
                                .map(|cell| if let Cell::Bool(value) = cell { Some(value) } else { None })
                                .collect(),
                        ),
                        dtype if dtype.is_float() => PlainColumn::Numbers(
                            cells
                                .map(|cell| if let Cell::Number(value) = cell { Some(value) } else { None })
                                .collect(),
                        ),
                        dtype if dtype.is_integer() && *dtype != DataType::UInt64 => PlainColumn::Whole(
                            cells
                                .map(|cell| {
                                    if let Cell::Whole(value) = cell {
                                        i64::try_from(value).ok()
                                    } else {
                                        None
                                    }
                                })
                                .collect(),
                        ),
                        DataType::UInt64 => PlainColumn::Counts(
                            cells
                                .map(|cell| {
                                    if let Cell::Whole(value) = cell {
                                        u64::try_from(value).ok()
                                    } else {
                                        None
                                    }
                                })
                                .collect(),
                        ),
                        _ => PlainColumn::Texts(cells.map(|cell| cell.text()).collect()),
                    };
                (column.name().to_string(), plain)
            })
            .collect()
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

/// Names are foreign input: nothing in them is markup.
pub(crate) fn markdown_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut before = ' ';
    for c in crate::shown::visible(text).chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => cell.extend(['\\', c]),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            // GitHub makes links of addresses, and mentions people, without any markup.
            ':' => cell.push_str("&#58;"),
            '.' if before.eq_ignore_ascii_case(&'w') => cell.push_str("&#46;"),
            '@' => cell.push_str("@&#8203;"),
            c => cell.push(c),
        }
        before = c;
    }
    cell
}

fn cell(value: &AnyValue<'_>) -> Cell {
    match value {
        AnyValue::Null => Cell::Null,
        AnyValue::Float64(value) => Cell::Number(*value),
        AnyValue::Float32(value) => Cell::Number(f64::from(*value)),
        AnyValue::Boolean(value) => Cell::Bool(*value),
        AnyValue::Datetime(ticks, unit, _) | AnyValue::DatetimeOwned(ticks, unit, _) => {
            nanos(*ticks, *unit).map_or(Cell::Null, Cell::Time)
        }
        other => match other.try_extract::<i128>() {
            Ok(whole) if other.dtype().is_integer() => Cell::Whole(whole),
            _ => Cell::Text(other.str_value().into_owned()),
        },
    }
}

fn nanos(ticks: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Nanoseconds => Some(ticks),
        TimeUnit::Microseconds => ticks.checked_mul(1_000),
        TimeUnit::Milliseconds => ticks.checked_mul(1_000_000),
    }
}
