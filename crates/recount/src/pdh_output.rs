//! PDH text as output: the columns are collected over the whole capture first, then the rows are written.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use recount_compute::{Input, Part, PipelineOptions, Progress, run, scan};
use recount_model::Health;
use recount_tables::pdh_text::{Columns, CounterColumn, Dialect, PdhTextWriter, PdhWriteError};

use crate::Capture;
use crate::convert::{ConvertError, ConvertOptions, ConvertReport, OutputFormat, Target, directory_of};

pub(crate) fn write(
    captures: &[Capture],
    inputs: &[Input],
    pipeline: &PipelineOptions,
    target: &Target,
    options: &ConvertOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ConvertReport, ConvertError> {
    let text = Text {
        dialect: if options.format == OutputFormat::Tsv { Dialect::Tsv } else { Dialect::Csv },
        columns: columns(inputs, pipeline),
        zone: zone(inputs),
    };
    let mut report = match target {
        Target::Stdout => {
            let (report, _) = text.write(io::stdout(), inputs, pipeline, progress)?;
            report
        }
        Target::Path(path) => {
            let failed = |source| ConvertError::Output { path: path.clone(), source };
            if path.exists() && !options.force {
                return Err(ConvertError::Exists { path: path.clone() });
            }
            let aside = tempfile::NamedTempFile::new_in(directory_of(path)).map_err(failed)?;
            let (mut report, out) = text.write(aside, inputs, pipeline, progress)?;
            report.len_written = into_place(out, path, options.force).map_err(failed)?;
            report.files = vec![path.clone()];
            report
        }
    };
    for capture in captures {
        report.health.absorb(capture.feed.health().clone());
    }
    Ok(report)
}

struct Text {
    dialect: Dialect,
    columns: Vec<CounterColumn>,
    /// Zone name, and UTC minus local time in minutes.
    zone: (String, i32),
}

impl Text {
    fn write<W: Write + Send>(
        &self,
        out: W,
        inputs: &[Input],
        pipeline: &PipelineOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<(ConvertReport, W), ConvertError> {
        let (zone, bias_min) = &self.zone;
        let mut writer =
            PdhTextWriter::new(BufWriter::new(out), self.dialect, zone, *bias_min, &self.columns)?;
        let mut num_samples = 0;
        let health: Health = run(inputs, pipeline, |batch, step| {
            num_samples += step.num_samples;
            writer.write(&batch)?;
            progress(step);
            Ok::<(), PdhWriteError>(())
        })?;
        let out = writer.finish()?.into_inner().map_err(|error| PdhWriteError::from(error.into_error()))?;
        Ok((ConvertReport { num_samples, num_rows: num_samples, health, ..ConvertReport::default() }, out))
    }
}

/// Renames the finished file to its name, and gives its length.
fn into_place(file: tempfile::NamedTempFile, path: &Path, force: bool) -> io::Result<u64> {
    file.as_file().sync_all()?;
    let len = file.as_file().metadata()?.len();
    readable_by_others(&file)?;
    if force {
        file.persist(path)?
    } else {
        file.persist_noclobber(path)?
    };
    Ok(len)
}

/// Temporary files are private; an output should have the permissions any new file has.
#[cfg(unix)]
fn readable_by_others(file: &tempfile::NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_file: &tempfile::NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// Every counter of every instance that any sample has, bases left out.
fn columns(inputs: &[Input], pipeline: &PipelineOptions) -> Vec<CounterColumn> {
    let selection = &pipeline.cook.selection;
    let mut columns = Columns::new();
    // What can't be read is told by the pass that writes.
    let _ = scan(inputs, pipeline, |part| match part {
        Part::Raw(runs) => {
            for run in runs {
                let shown = run.object.counters.iter().zip(&run.columns).enumerate();
                let shown = shown.filter(|(_, (counter, _))| !counter.is_base());
                let masks: Vec<(usize, Vec<bool>)> = shown
                    .map(|(index, (counter, column))| {
                        let selected = |(at, instance): (usize, &recount_model::Instance)| {
                            let named = run.object.instanced.then_some(instance);
                            column.covers.as_ref().is_none_or(|covers| covers[at])
                                && selection.matches(&run.host, &run.object.name, named, &counter.name)
                        };
                        (index, run.instances.iter().enumerate().map(selected).collect())
                    })
                    .collect();
                let counters = masks.iter().map(|(index, mask)| (*index, Some(mask.as_slice())));
                columns.add_counters(&run.host, &run.object, &run.instances, counters);
            }
        }
        Part::Cooked(cooked) => cooked.iter().for_each(|cooked| columns.add(cooked)),
    });
    columns.into_vec()
}

/// The zone in force at the first sample.
fn zone(inputs: &[Input]) -> (String, i32) {
    let first = inputs.iter().find_map(|input| {
        let time = input.feed.times().get(*input.samples.first()? as usize)?;
        Some((input, *time))
    });
    let Some((input, time)) = first else { return ("UTC".to_owned(), 0) };
    let zone = input.feed.info().zone.as_ref();
    let name = zone.map_or("UTC", |zone| zone.name_at(time.offset_min));
    (name.to_owned(), -i32::from(time.offset_min))
}
