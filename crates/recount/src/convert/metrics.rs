//! Texts for time series databases.

use std::io::{BufWriter, Write};

use recount_compute::{Cancelled, run};
use recount_metrics::{LineProtocolWriter, MetricsError, OpenMetricsWriter, Written};
use recount_model::{Cooked, FindingKind, Health};

use super::{ConvertError, ConvertReport, Job, Target};

pub(super) fn write_open_metrics(job: &Job<'_>) -> Result<ConvertReport, ConvertError> {
    check(job)?;
    let mut writer = OpenMetricsWriter::new();
    let mut report = pass(job, |slice| writer.push(slice))?;
    let mut written = Written::default();
    into_target(job, &mut report, |out, _| {
        written = writer.finish(out)?;
        Ok(())
    })?;
    report.num_rows = written.num_values;
    if written.num_repeated > 0 {
        let what = format!(
            "{} values are of a series that has one in the same millisecond: only the first is written",
            written.num_repeated
        );
        report.health.note(FindingKind::Odd, None, what);
    }
    Ok(report)
}

pub(super) fn write_line_protocol(job: &Job<'_>) -> Result<ConvertReport, ConvertError> {
    check(job)?;
    let mut report = ConvertReport::default();
    into_target(job, &mut report, |out, report| {
        let mut writer = LineProtocolWriter::new(out);
        *report = pass(job, |slice| writer.write(slice))?;
        report.num_rows = writer.finish()?.1;
        Ok(())
    })?;
    Ok(report)
}

fn check(job: &Job<'_>) -> Result<(), ConvertError> {
    let options = job.options;
    if options.need_tables() {
        let what = "metrics have one layout: --raw, --local-time, --layout objects and --partition-by need Parquet or Arrow";
        return Err(ConvertError::Options(what));
    }
    Ok(())
}

/// All cooked values, in the order of time.
fn pass(
    job: &Job<'_>,
    mut take: impl FnMut(&[Cooked]) -> Result<(), MetricsError> + Send,
) -> Result<ConvertReport, ConvertError> {
    let mut found_any = false;
    let mut health: Health = run(job.timeline.inputs(), &job.pipeline, |batch, step| {
        found_any |= !batch.is_empty();
        take(&batch)?;
        Ok::<(), ConvertError>(Cancelled::check((job.progress)(step))?)
    })?;
    if !found_any && !job.options.selection.is_all() {
        return Err(ConvertError::NoCounters);
    }
    health.absorb(job.timeline.health());
    Ok(ConvertReport { num_samples: job.timeline.num_samples(), health, ..ConvertReport::default() })
}

/// Writes the output to its target.
fn into_target(
    job: &Job<'_>,
    report: &mut ConvertReport,
    write: impl FnOnce(&mut (dyn Write + Send), &mut ConvertReport) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    match job.target {
        Target::Stdout => write(&mut BufWriter::new(job.stream()), report),
        Target::Path(path) => {
            let aside = job.aside(path)?;
            write(&mut BufWriter::new(aside.file()?), report)?;
            report.len_written = aside.into_place()?;
            report.files = vec![path.clone()];
            Ok(())
        }
    }
}
