//! Captures to tables.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_compute::{CookOptions, PipelineOptions, Progress, run};
use recount_model::{CounterDef, Health, ObjectDef, Selection};
use recount_tables::pdh_text::PdhWriteError;
use recount_tables::{FileFormat, Footer, Layout, PartitionKey, TableError, TableOptions, TableSink};

use crate::pdh_output;
use crate::{Capture, Span, inputs};

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, or a directory for the objects layout or partitions.
    Path(PathBuf),
    /// Standard output.
    Stdout,
}

/// What to convert, and to what.
#[derive(Clone, Debug, Default)]
pub struct ConvertOptions {
    /// Counters.
    pub selection: Selection,
    /// Samples.
    pub span: Span,
    /// Raw values beside the cooked ones.
    pub raw: bool,
    /// Values multiplied by the counters' default scales.
    pub scaled: bool,
    /// Form of the output.
    pub format: OutputFormat,
    /// Rows and columns of Parquet and Arrow output.
    pub layout: Layout,
    /// Directories that tables are kept apart in.
    pub partition_by: Vec<PartitionKey>,
    /// Replace an output that exists.
    pub force: bool,
}

/// What a conversion did.
#[derive(Clone, Debug, Default)]
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
    /// The output can't be created or moved into place.
    #[error("{}: {source}", path.display())]
    Output {
        /// The output.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something is there already.
    #[error("{} exists already", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// No sample lies in the span.
    #[error("no sample is left: {num_all} in all, none between the times asked for")]
    NoSamples {
        /// Samples of all inputs.
        num_all: usize,
    },
    /// A combination of options that has no meaning.
    #[error("{0}")]
    Options(&'static str),
}

/// Computes every selected counter over every interval and writes the values to `target`, in order of time.
///
/// Several captures become one time line. `progress` is called for every batch written. Memory doesn't depend on the
/// length of the captures: about 5 times the raw bytes of 4 slices per thread (4 MiB each), plus up to 256 MiB of
/// encoded rows that wait for their row group to be full.
pub fn convert(
    captures: &[Capture],
    target: &Target,
    options: &ConvertOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ConvertReport, ConvertError> {
    let inputs = inputs(captures, &options.span);
    if inputs.iter().all(|input| input.samples.is_empty()) {
        let num_all = captures.iter().map(|capture| capture.feed.times().len()).sum();
        return Err(ConvertError::NoSamples { num_all });
    }
    let pipeline = PipelineOptions {
        cook: CookOptions {
            selection: options.selection.clone(),
            keep_raw: options.raw,
            scaled: options.scaled,
        },
        ..PipelineOptions::default()
    };
    match options.format {
        OutputFormat::Parquet => {
            tables(FileFormat::Parquet, captures, &inputs, &pipeline, target, options, progress)
        }
        OutputFormat::Arrow => {
            tables(FileFormat::ArrowIpc, captures, &inputs, &pipeline, target, options, progress)
        }
        OutputFormat::Csv | OutputFormat::Tsv => {
            if options.raw || options.layout != Layout::Tidy || !options.partition_by.is_empty() {
                let what = "PDH text has one layout: --raw, --layout objects and --partition-by need Parquet or Arrow";
                return Err(ConvertError::Options(what));
            }
            pdh_output::write(captures, &inputs, &pipeline, target, options, progress)
        }
    }
}

fn tables(
    format: FileFormat,
    captures: &[Capture],
    inputs: &[recount_compute::Input],
    pipeline: &PipelineOptions,
    target: &Target,
    options: &ConvertOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ConvertReport, ConvertError> {
    let table_options = TableOptions {
        layout: options.layout,
        format,
        raw: options.raw,
        partition_by: options.partition_by.clone(),
        force: options.force,
        ..TableOptions::default()
    };
    let known = known_objects(captures, options);
    let mut sink: Box<dyn TableSink> = match target {
        Target::Path(path) => recount_tables::create(path, &table_options, &known)?,
        Target::Stdout => recount_tables::create_stream(Box::new(io::stdout()), &table_options)?,
    };
    let mut num_samples = 0;
    let mut health = run(inputs, pipeline, |batch, step| {
        num_samples += step.num_samples;
        sink.write(batch)?;
        progress(step);
        Ok::<(), TableError>(())
    })?;
    for capture in captures {
        health.absorb(capture.feed.health().clone());
    }
    let written = sink.finish(&footer(captures, options, &health))?;
    Ok(ConvertReport {
        num_samples,
        num_rows: written.num_rows,
        len_written: written.len_bytes,
        files: written.files.into_iter().map(|file| file.path).collect(),
        health,
    })
}

/// Objects whose columns are known before the first sample, less what isn't selected.
fn known_objects(captures: &[Capture], options: &ConvertOptions) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
    let mut known = Vec::new();
    for capture in captures {
        let recount_compute::Feed::Raw(source) = &capture.feed else { continue };
        for (host, object) in source.objects() {
            // An instance may decide, and isn't known yet: such objects come with their first samples.
            let wanted = |counter: &CounterDef| {
                options.selection.matches(&host, &object.name, None, &counter.name)
                    && (options.raw || !counter.is_base())
            };
            if options.selection.is_all() {
                known.push((host, object));
            } else if object.counters.iter().any(wanted) {
                let counters = object.counters.iter().filter(|counter| wanted(counter)).cloned().collect();
                known.push((Arc::clone(&host), Arc::new(ObjectDef { counters, ..(*object).clone() })));
            }
        }
    }
    known
}

fn footer(captures: &[Capture], options: &ConvertOptions, health: &Health) -> Footer {
    let joined = |items: Vec<String>| {
        let mut unique: Vec<String> = Vec::new();
        for item in items {
            if !unique.contains(&item) {
                unique.push(item);
            }
        }
        unique.join("; ")
    };
    let infos = || captures.iter().map(|capture| capture.feed.info());
    let zone = |info: &recount_model::CaptureInfo| {
        info.zone.as_ref().map(|zone| format!("{} ({} min)", zone.standard_name, zone.bias_min))
    };
    let layout = match options.layout {
        Layout::Tidy => "tidy",
        Layout::Objects => "objects",
    };
    let entries = [
        ("recount.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("recount.source", joined(captures.iter().flat_map(|capture| capture.names.clone()).collect())),
        ("recount.format", joined(infos().map(|info| info.format.clone()).collect())),
        (
            "recount.host",
            joined(infos().flat_map(|info| info.hosts.iter().map(ToString::to_string)).collect()),
        ),
        ("recount.os", joined(infos().filter_map(|info| info.os.clone()).collect())),
        ("recount.zone", joined(infos().filter_map(zone).collect())),
        ("recount.layout", layout.to_owned()),
        ("recount.scaled", options.scaled.to_string()),
        ("recount.findings", health.total().to_string()),
    ];
    Footer { metadata: entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
}

/// The directory that a file is written aside in, to be renamed into place.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
