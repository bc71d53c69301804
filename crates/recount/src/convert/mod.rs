//! Captures to tables, texts and logs.

mod blg;
mod blg_stretches;
mod journal;
mod metrics;
mod new_only;
mod options;
mod pdh_text;
mod settings;
mod tables;

use std::path::{Path, PathBuf};

use recount_compute::{CookOptions, OnProgress, PipelineOptions};
use recount_output::{Aside, OutputError, check_not_input};
use recount_pdh_text::Dialect;
use recount_tables::FileFormat;

pub use new_only::{NewOnly, Pending};
pub use options::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target};
pub use settings::ConversionSettings;

use crate::Timeline;

/// Computes every selected counter over every interval and writes the values to `target`, in order of time.
///
/// `progress` is called for every batch written; if it breaks, no output is left. Memory doesn't depend on the
/// length of the captures: about 5 times the raw bytes of 4 slices per thread (4 MiB each), plus up to 256 MiB of
/// encoded rows that wait for their row group to be full.
pub fn convert(
    timeline: &Timeline,
    target: &Target,
    options: &ConvertOptions,
    progress: OnProgress<'_>,
) -> Result<ConvertReport, ConvertError> {
    // A name may be that of a capture in memory: only a file that exists can be lost.
    if let Target::Path(path) = target
        && path.exists()
    {
        check_not_input(path, timeline.captures().iter().flat_map(|capture| &capture.names))?;
    }
    if let Some(why) = timeline.no_samples() {
        return Err(why.into());
    }
    let cook = CookOptions {
        selection: options.selection.clone(),
        over_named: true,
        keep_raw: options.raw,
        scaled: options.scaled,
    };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let job = Job { timeline, pipeline, target, options, progress };
    match options.format {
        OutputFormat::Parquet => tables::write(&job, FileFormat::Parquet),
        OutputFormat::Arrow => tables::write(&job, FileFormat::ArrowIpc),
        OutputFormat::Csv => pdh_text::write(&job, Dialect::Csv),
        OutputFormat::Tsv => pdh_text::write(&job, Dialect::Tsv),
        OutputFormat::Blg => blg::write(&job),
        OutputFormat::OpenMetrics => metrics::write_open_metrics(&job),
        OutputFormat::LineProtocol => metrics::write_line_protocol(&job),
    }
}

/// A conversion, prepared.
struct Job<'a> {
    timeline: &'a Timeline,
    pipeline: PipelineOptions,
    target: &'a Target,
    options: &'a ConvertOptions,
    progress: OnProgress<'a>,
}

impl Job<'_> {
    /// Begins an output that is one file.
    fn aside(&self, path: &Path) -> Result<Aside, OutputError> {
        let aside = Aside::new(path, self.options.force)?;
        match self.access_of() {
            Some(input) => aside.with_access_of(&input),
            None => Ok(aside),
        }
    }

    /// The one file that is converted, if it is one: the output is as private.
    fn access_of(&self) -> Option<PathBuf> {
        let [capture] = self.timeline.captures() else { return None };
        let [name] = &capture.names[..] else { return None };
        let path = PathBuf::from(name);
        path.is_file().then_some(path)
    }
}
