//! PDH text as output: the columns are collected over the whole capture first, then the rows are written.

use std::io::{self, BufWriter, Write};

use recount_compute::{AggregateCatalogue, Input, Part, run, scan};
use recount_tables::Layout;
use recount_tables::pdh_text::{Columns, CounterColumn, Dialect, PdhTextWriter, PdhWriteError};

use super::{ConvertError, ConvertReport, Job, Target};
use crate::aside::{self, directory_of};
use crate::open::health_of;

pub(super) fn write(job: &Job<'_>, dialect: Dialect) -> Result<ConvertReport, ConvertError> {
    let Job { options, .. } = job;
    if options.raw || options.layout != Layout::Tidy || !options.partition_by.is_empty() {
        let what =
            "PDH text has one layout: --raw, --layout objects and --partition-by need Parquet or Arrow";
        return Err(ConvertError::Options(what));
    }
    let text = Text { job, dialect, columns: columns(job), zone: zone(&job.inputs) };
    if text.columns.is_empty() && !options.selection.is_all() {
        return Err(ConvertError::NoCounters);
    }
    let mut report = match job.target {
        Target::Stdout => text.write(io::stdout())?.0,
        Target::Path(path) => {
            let failed = |source| ConvertError::Output { path: path.clone(), source };
            if path.exists() && !options.force {
                return Err(ConvertError::Exists { path: path.clone() });
            }
            let file = aside::file_in(directory_of(path)).map_err(failed)?;
            let (mut report, out) = text.write(file)?;
            report.len_written = aside::into_place(out, path, options.force).map_err(failed)?;
            report.files = vec![path.clone()];
            report
        }
    };
    report.health.absorb(health_of(job.captures));
    Ok(report)
}

struct Text<'a> {
    job: &'a Job<'a>,
    dialect: Dialect,
    columns: Vec<CounterColumn>,
    /// Zone name, and UTC minus local time in minutes.
    zone: (String, i32),
}

impl Text<'_> {
    fn write<W: Write + Send>(&self, out: W) -> Result<(ConvertReport, W), ConvertError> {
        let (zone, bias_min) = &self.zone;
        let mut writer =
            PdhTextWriter::new(BufWriter::new(out), self.dialect, zone, *bias_min, &self.columns)?;
        let mut num_samples = 0;
        let health = run(&self.job.inputs, &self.job.pipeline, |batch, step| {
            num_samples += step.num_samples;
            writer.write(&batch)?;
            (self.job.progress)(step);
            Ok::<(), PdhWriteError>(())
        })?;
        let out = writer.finish()?.into_inner().map_err(|error| PdhWriteError::from(error.into_error()))?;
        Ok((ConvertReport { num_samples, num_rows: num_samples, health, ..ConvertReport::default() }, out))
    }
}

/// Every counter of every instance that any sample has, bases left out.
fn columns(job: &Job<'_>) -> Vec<CounterColumn> {
    let selection = &job.options.selection;
    let mut columns = Columns::new();
    let mut aggregates = AggregateCatalogue::new(&job.inputs);
    // What can't be read is told by the pass that writes.
    let _ = scan(&job.inputs, &job.pipeline, |part| match part {
        Part::Raw(runs) => {
            for run in runs {
                let shown = run.object.counters.iter().zip(&run.columns).enumerate();
                let shown = shown.filter(|(_, (counter, _))| !counter.is_hidden());
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
                for aggregate in aggregates.of(&run, false) {
                    let selected = |index: &usize| {
                        let counter = &run.object.counters[*index].name;
                        selection.matches(&run.host, &run.object.name, Some(&aggregate.instance), counter)
                    };
                    let counters: Vec<usize> = aggregate.counters.iter().copied().filter(selected).collect();
                    let counters = counters.into_iter().map(|index| (index, None));
                    let instance = std::slice::from_ref(&aggregate.instance);
                    columns.add_counters(&run.host, &run.object, instance, counters);
                }
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
