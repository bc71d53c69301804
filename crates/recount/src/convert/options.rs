//! Options and result of a conversion.

use std::path::PathBuf;

use recount_compute::Cancelled;
use recount_metrics::MetricsError;
use recount_model::{Health, Selection};
use recount_output::OutputError;
use recount_pdh_text::PdhWriteError;
use recount_tables::{Layout, PartitionKey, TableError};

use crate::{Hint, NoSamples};

/// The format of the output.
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
    /// `OpenMetrics` text, for Prometheus and programs that read its blocks.
    OpenMetrics,
    /// The line protocol of `InfluxDB`.
    LineProtocol,
}

impl OutputFormat {
    /// The usual file extension, without the dot.
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
    /// A file; with the layout by objects or with partitions, a directory, whatever its extension.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

/// What to convert, and into what. The default: everything, into a tidy Parquet file.
#[expect(clippy::struct_excessive_bools, reason = "the flags of the command")]
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Which counters to convert.
    pub selection: Selection,
    /// Local times next to those in UTC.
    pub local_time: bool,
    /// Raw values next to the cooked ones.
    pub raw: bool,
    /// Values multiplied by the counters' default scales.
    pub scaled: bool,
    /// Format of the output.
    pub format: OutputFormat,
    /// Rows and columns of Parquet and Arrow output.
    pub layout: Layout,
    /// Keys by which tables are partitioned into directories.
    pub partition_by: Vec<PartitionKey>,
    /// Replace an existing output.
    pub force: bool,
}

impl ConvertOptions {
    /// Whether anything is asked for that only tables have.
    pub(super) fn need_tables(&self) -> bool {
        self.raw || self.local_time || self.layout != Layout::Tidy || !self.partition_by.is_empty()
    }
}

/// What a conversion did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Samples used, from all inputs.
    pub num_samples: u64,
    /// Rows written, to all tables of values.
    pub num_rows: u64,
    /// Bytes written.
    pub len_written: u64,
    /// Files written, sorted by path.
    pub files: Vec<PathBuf>,
    /// What could not be read.
    pub health: Health,
}

/// Why a conversion failed. In that case, nothing is left under the output's name.
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
    /// Two captures would have one output.
    #[error(
        "{} and {} would both be converted into {}",
        captures[0].display(),
        captures[1].display(),
        output.display()
    )]
    SameOutput {
        /// The captures.
        captures: [PathBuf; 2],
        /// The output of both.
        output: PathBuf,
    },
    /// No sample is in the span.
    #[error(transparent)]
    NoSamples(#[from] NoSamples),
    /// The captures have no counter, or none that is selected.
    #[error("the captures have no counter that is asked for")]
    NoCounters,
    /// The output is a `.blg`, which holds raw values, and the capture has none.
    #[error(
        "{name}: it holds computed values, and a .blg needs raw ones, which can't be recovered from these"
    )]
    NotRaw {
        /// The capture.
        name: String,
    },
    /// Several samples would be indistinguishable in a `.blg`.
    #[error(
        "a .blg is one recording, and these samples are several: captures of other machines or boots, two recordings at once, or a clock that was set back where the samples in between are left out"
    )]
    Apart,
    /// The times couldn't be recovered from the local times that a `.blg` holds.
    #[error("these sample times can't be stored in a .blg without changing them")]
    Times,
    /// A combination of options that has no meaning.
    #[error("{0}")]
    Options(&'static str),
    /// The conversion was cancelled by its callback.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Hint for ConvertError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            ConvertError::Output(error) => error.hint(),
            ConvertError::Table(error) => error.hint(),
            ConvertError::NoSamples(error) => error.hint(),
            ConvertError::SameOutput { .. } => Some(
                "name the directory above both, so that their directories are part of the outputs' names; or convert them \
                 into two directories",
            ),
            _ => None,
        }
    }
}
