//! Answers that are tables: for people, and in the forms that programs read.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use recount::analysis::{Answer, AnswerFormat, Cell};
use recount_output::Access;

use super::output;
use super::paragraph::{room, wrapped};
use super::table::Table;
use crate::mistake::mistake;

/// Where an answer goes, and in which form.
#[derive(Debug, Args)]
pub(super) struct AnswerArguments {
    /// Output format [default: by the extension of --output, else a table]
    #[arg(long, value_enum)]
    pub format: Option<AnswerForm>,
    /// As JSON (formats/json/README.md), and errors as JSON on standard error
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Output file
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace an output that exists
    #[arg(long, short, requires = "output")]
    pub force: bool,
}

/// Form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AnswerForm {
    /// For people, on a terminal
    Table,
    /// A table of GitHub's Markdown
    Markdown,
    /// Comma-separated values
    Csv,
    /// An array of objects
    Json,
    /// Apache Parquet
    Parquet,
}

impl AnswerForm {
    /// The forms of an answer in sentences.
    pub(super) fn of_sentences() -> impl TypedValueParser<Value = AnswerForm> {
        let forms = [AnswerForm::Table, AnswerForm::Markdown, AnswerForm::Json];
        let names = forms.iter().filter_map(ValueEnum::to_possible_value);
        PossibleValuesParser::new(names).map(move |name| {
            forms
                .into_iter()
                .find(|form| form.to_possible_value().is_some_and(|value| value.matches(&name, true)))
                .unwrap_or(AnswerForm::Table)
        })
    }
}

impl AnswerArguments {
    /// Checks that the answer can be written, before all the work is done.
    pub(super) fn check(&self, inputs: &[PathBuf]) -> anyhow::Result<AnswerForm> {
        let form = self.form()?;
        output::check_put(&self.output, inputs, self.force)?;
        Ok(form)
    }

    /// The form asked for.
    fn form(&self) -> anyhow::Result<AnswerForm> {
        if let Some(form) = self.format {
            return Ok(form);
        }
        if self.json {
            return Ok(AnswerForm::Json);
        }
        let Some(output) = &self.output else { return Ok(AnswerForm::Table) };
        let extension = output.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        Ok(match extension.as_deref() {
            Some("md" | "markdown") => AnswerForm::Markdown,
            Some("csv") => AnswerForm::Csv,
            Some("json") => AnswerForm::Json,
            Some("parquet" | "pq") => AnswerForm::Parquet,
            Some("txt") => AnswerForm::Table,
            _ => mistake!(
                "{}: the extension names no format: use .md, .csv, .json, .parquet, .txt, or --format",
                output.display()
            ),
        })
    }

    /// Sentences, a line each; on a terminal in lines that fit.
    pub(super) fn sentences(&self, sentences: &[String]) -> String {
        let room = if self.output.is_some() { None } else { room() };
        sentences.iter().map(|sentence| wrapped(&output::visible(sentence), ["", "  "], room)).collect()
    }

    /// Writes bytes to the output, or else to standard output.
    pub(super) fn put(&self, access: &Access, bytes: &[u8]) -> anyhow::Result<()> {
        match &self.output {
            Some(path) => output::put(path, self.force, access, bytes),
            None => Ok(output::print_bytes(bytes)?),
        }
    }

    /// Writes a table for people.
    pub(super) fn put_table(&self, access: &Access, table: Table) -> anyhow::Result<()> {
        let text = if self.output.is_some() { table.drawn() } else { table.text() };
        self.put(access, text.as_bytes())
    }

    /// Writes an answer.
    pub(super) fn write(&self, access: &Access, answer: &Answer) -> anyhow::Result<()> {
        let format = match self.form()? {
            AnswerForm::Table => return self.put_table(access, table(answer)),
            AnswerForm::Markdown => AnswerFormat::Markdown,
            AnswerForm::Csv => AnswerFormat::Csv,
            AnswerForm::Json => AnswerFormat::Json,
            AnswerForm::Parquet => AnswerFormat::Parquet,
        };
        let mut bytes = Vec::new();
        answer.write(format, &mut bytes, &output::number)?;
        if format == AnswerFormat::Json {
            bytes.push(b'\n');
        }
        self.put(access, &bytes)
    }
}

/// A table for people.
fn table(answer: &Answer) -> Table {
    let columns = answer.columns();
    let names: Vec<String> = columns.iter().map(|(name, _)| output::visible(name)).collect();
    let right: Vec<usize> =
        columns.iter().enumerate().filter(|(_, (_, is_number))| *is_number).map(|(at, _)| at).collect();
    let mut table = Table::new(names, &right);
    for row in 0..answer.num_rows() {
        table.add_row(answer.row(row).into_iter().map(|cell| match cell {
            Cell::Null => "-".to_owned(),
            Cell::Number(value) => output::number(value),
            other => output::visible(&other.text().unwrap_or_default()),
        }));
    }
    table
}
