//! Options and result of a conversion.

use std::path::PathBuf;

use recount_metrics::MetricsError;
use recount_model::{Health, Selection};
use recount_output::OutputError;
use recount_pdh_text::PdhWriteError;
use recount_tables::{Layout, PartitionKey, TableError};

use crate::{Span, SpanError};

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Arrow IPC.
    Arrow,
    /// PDH-CSV, as relog writes it.
    Csv,
    /// PDH-TSV.
    Tsv,
    /// Windows performance log: a counter list of raw values.
    Blg,
    /// `OpenMetrics` text, for Prometheus and what reads its blocks.
    OpenMetrics,
    /// The line protocol of `InfluxDB`.
    LineProtocol,
}

impl OutputFormat {
    /// The extension that files of it have, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            OutputFormat::Parquet => "parquet",
            OutputFormat::Arrow => "arrow",
            OutputFormat::Csv => "csv",
            OutputFormat::Tsv => "tsv",
            OutputFormat::Blg => "blg",
            OutputFormat::OpenMetrics => "om",
            OutputFormat::LineProtocol => "lp",
        }
    }
}

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A file; for the objects layout or partitions a directory, whatever its extension.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

/// What to convert, and to what. The default: everything, to a tidy Parquet file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Which counters.
    pub selection: Selection,
    /// Which samples.
    pub span: Span,
    /// Raw values next to the cooked ones.
    pub raw: bool,
    /// Values multiplied by the counters' default scales.
    pub scaled: bool,
    /// Form of the output.
    pub format: OutputFormat,
    /// Rows and columns of Parquet and Arrow output.
    pub layout: Layout,
    /// Keys by which tables are partitioned into directories.
    pub partition_by: Vec<PartitionKey>,
    /// Replace an output that exists.
    pub force: bool,
}

/// What a conversion did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Samples used, over all inputs.
    pub num_samples: u64,
    /// Rows written, over all tables of values.
    pub num_rows: u64,
    /// Bytes written.
    pub len_written: u64,
    /// Files written, in order of path.
    pub files: Vec<PathBuf>,
    /// What could not be read.
    pub health: Health,
}

/// Why a conversion failed. Nothing is left under the output's name then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The tables could not be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The text could not be written.
    #[error(transparent)]
    PdhText(#[from] PdhWriteError),
    /// The metrics could not be written.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The output can't be created, replaced, or moved into place.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// No sample lies in the span.
    #[error("no sample is left: {num_all} in all, none between the times asked for")]
    NoSamples {
        /// Samples of all inputs.
        num_all: usize,
    },
    /// The span has no meaning in these captures.
    #[error(transparent)]
    Span(#[from] SpanError),
    /// No counter of the captures is selected.
    #[error("no counter matches the patterns asked for")]
    NoCounters,
    /// A `.blg` holds raw values, and the capture has none.
    #[error(
        "{name}: it holds computed values, and a .blg needs raw ones, which can't be recovered from these"
    )]
    NotRaw {
        /// The capture.
        name: String,
    },
    /// Samples that a `.blg` can't keep apart.
    #[error(
        "a .blg is one recording, and these samples are several: captures of other machines or boots, or a clock that was set back where the samples in between are left out"
    )]
    Apart,
    /// A `.blg` holds local time, from which these times can't be recovered.
    #[error("the times of the samples can't be kept in a .blg: its UTC clocks say otherwise")]
    Times,
    /// A combination of options that has no meaning.
    #[error("{0}")]
    Options(&'static str),
}
