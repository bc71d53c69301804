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

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use recount_compute::{CookOptions, OnProgress, PipelineOptions};
use recount_model::{CounterDef, FindingKind, Health};
use recount_output::{Access, Aside, OutputError, check_not_input};
use recount_pdh_text::Dialect;
use recount_tables::FileFormat;

pub use new_only::{NewOnly, Pending};
pub use options::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target};
pub use settings::ConversionSettings;

use crate::Timeline;
use crate::contents::found_objects::has_texts;

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
        check_not_input(path, timeline.captures().iter().flat_map(crate::Capture::files))?;
    }
    converted(timeline, (target, Box::new(io::stdout())), options, progress)
}

/// Like [`convert`], to a stream that someone else has opened. Outputs that are directories can't be written so.
pub fn convert_to(
    timeline: &Timeline,
    out: Box<dyn Write + Send>,
    options: &ConvertOptions,
    progress: OnProgress<'_>,
) -> Result<ConvertReport, ConvertError> {
    converted(timeline, (&Target::Stdout, out), options, progress)
}

/// Converts to a target; `out` is what the stream among them means.
fn converted(
    timeline: &Timeline,
    (target, out): (&Target, Box<dyn Write + Send>),
    options: &ConvertOptions,
    progress: OnProgress<'_>,
) -> Result<ConvertReport, ConvertError> {
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
    let job = Job { timeline, pipeline, target, out: Mutex::new(Some(out)), options, progress };
    let mut report = match options.format {
        OutputFormat::Parquet => tables::write(&job, FileFormat::Parquet),
        OutputFormat::Arrow => tables::write(&job, FileFormat::ArrowIpc),
        OutputFormat::Csv => pdh_text::write(&job, Dialect::Csv),
        OutputFormat::Tsv => pdh_text::write(&job, Dialect::Tsv),
        OutputFormat::Blg => blg::write(&job),
        OutputFormat::OpenMetrics => metrics::write_open_metrics(&job),
        OutputFormat::LineProtocol => metrics::write_line_protocol(&job),
    }?;
    if !matches!(options.format, OutputFormat::Parquet | OutputFormat::Arrow) {
        note_lost_texts(&job, &mut report.health);
    }
    Ok(report)
}

/// Only tables have room for texts.
fn note_lost_texts(job: &Job<'_>, health: &mut Health) {
    let captures = job.timeline.captures();
    let selection = &job.options.selection;
    if !has_texts(captures, selection) {
        return;
    }
    let objects = captures.iter().flat_map(|capture| capture.source.objects());
    let names = objects.flat_map(|(_, object)| {
        let is_lost = |counter: &&CounterDef| {
            counter.is_text()
                && !counter.is_hidden()
                && selection.may_match_counter(&object.name, &counter.name)
        };
        let names = object.counters.iter().filter(is_lost);
        names.map(|counter| format!(r"\{}\{}", object.name, counter.name)).collect::<Vec<_>>()
    });
    let names: BTreeSet<String> = names.collect();
    let such = names
        .first()
        .map_or_else(String::new, |first| format!(" of {} counters ({first}, for one)", names.len()));
    let what = format!("the texts{such} are left out: only Parquet and Arrow have room for them");
    health.note(FindingKind::Odd, None, what);
}

/// A conversion, prepared.
struct Job<'a> {
    timeline: &'a Timeline,
    pipeline: PipelineOptions,
    target: &'a Target,
    out: Mutex<Option<Box<dyn Write + Send>>>,
    options: &'a ConvertOptions,
    progress: OnProgress<'a>,
}

impl Job<'_> {
    /// Begins an output that is one file.
    fn aside(&self, path: &Path) -> Result<Aside, OutputError> {
        Aside::new(path, self.options.force, &self.access())
    }

    /// The stream to write to, once.
    fn stream(&self) -> Box<dyn Write + Send> {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner).take();
        out.unwrap_or_else(|| Box::new(io::sink()))
    }

    /// The output is as private as what is converted.
    fn access(&self) -> Access {
        crate::access_of(self.timeline.captures())
    }
}
