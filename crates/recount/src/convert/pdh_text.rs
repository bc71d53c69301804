//! Writes PDH text: a first pass over the capture collects the columns, a second writes the rows.

use std::io::{BufWriter, Write};

use recount_compute::{AggregateCatalogue, Cancelled, Input, run, scan};
use recount_model::{FindingKind, Instance, Run, SampleTime, Selection};
use recount_pdh_text::{Columns, CounterColumn, Dialect, PdhTextWriter, PdhWriteError, WrittenTimes};

use super::{ConvertError, ConvertReport, Job, Target};

pub(super) fn write(job: &Job<'_>, dialect: Dialect) -> Result<ConvertReport, ConvertError> {
    let Job { options, .. } = job;
    if options.need_tables() {
        let what = "PDH text has one layout: --raw, --local-time, --layout objects and --partition-by need Parquet or Arrow";
        return Err(ConvertError::Options(what));
    }
    // Readers only know the header's bias.
    let zone = zone(job.timeline.inputs());
    let zone = zone.as_ref().map(|(name, offset_min)| (name.as_str(), *offset_min));
    let times = WrittenTimes::of(zone, &times(job.timeline.inputs()));
    let num_rows = job.timeline.times().len() as u64;
    let text = Text { job, dialect, columns: columns(job), times, num_rows };
    if text.columns.is_empty() {
        return Err(ConvertError::NoCounters);
    }
    let mut report = match job.target {
        Target::Stdout => text.write(job.stream())?.0,
        Target::Path(path) => {
            let aside = job.aside(path)?;
            let (mut report, _) = text.write(aside.file()?)?;
            report.len_written = aside.into_place()?;
            report.files = vec![path.clone()];
            report
        }
    };
    report.health.absorb(job.timeline.health());
    if let Some(note) = text.times.note {
        report.health.note(FindingKind::Time, None, note);
    }
    Ok(report)
}

struct Text<'a> {
    job: &'a Job<'a>,
    dialect: Dialect,
    columns: Vec<CounterColumn>,
    times: WrittenTimes,
    num_rows: u64,
}

impl Text<'_> {
    fn write<W: Write + Send>(&self, out: W) -> Result<(ConvertReport, W), ConvertError> {
        let zone = self.times.zone.as_ref().map(|(name, bias_min)| (name.as_str(), *bias_min));
        let writer = PdhTextWriter::new(BufWriter::new(out), self.dialect, zone, &self.columns)?;
        let mut writer = writer.with_year_first(self.times.is_year_first);
        let health = run(self.job.timeline.inputs(), &self.job.pipeline, |mut batch, step| {
            if let Some(offset_min) = self.times.offset_min {
                let times = batch.iter_mut().flat_map(|cooked| &mut cooked.times);
                times.for_each(|time| time.offset_min = offset_min);
            }
            writer.write(&batch)?;
            Ok::<(), ConvertError>(Cancelled::check((self.job.progress)(step))?)
        })?;
        let out = writer.finish()?.into_inner().map_err(|error| PdhWriteError::from(error.into_error()))?;
        let num_samples = self.job.timeline.num_samples();
        Ok((ConvertReport { num_samples, num_rows: self.num_rows, health, ..ConvertReport::default() }, out))
    }
}

/// Every counter of every instance in any sample, without bases.
fn columns(job: &Job<'_>) -> Vec<CounterColumn> {
    let selection = &job.options.selection;
    let mut columns = Columns::new();
    let mut aggregates = AggregateCatalogue::new(job.timeline.inputs());
    // The pass that writes reports what can't be read.
    let _ = scan(job.timeline.inputs(), &job.pipeline, |decoded| {
        for run in &decoded.runs {
            add_run(run, selection, &mut aggregates, &mut columns);
        }
        decoded.cooked.iter().for_each(|cooked| columns.add(cooked));
    });
    columns.into_vec()
}

fn add_run(run: &Run, selection: &Selection, aggregates: &mut AggregateCatalogue, columns: &mut Columns) {
    let shown = run.object.counters.iter().zip(&run.columns).enumerate();
    let shown = shown.filter(|(_, (counter, _))| !counter.is_hidden());
    let masks: Vec<(usize, Vec<bool>)> = shown
        .map(|(index, (counter, column))| {
            let selected = |(at, instance): (usize, &Instance)| {
                let named = run.object.instanced.then_some(instance);
                column.covers.as_ref().is_none_or(|covers| covers[at])
                    && selection.matches(&run.host, &run.object.name, named, &counter.name)
            };
            (index, run.instances.iter().enumerate().map(selected).collect())
        })
        .collect();
    let counters = masks.iter().map(|(index, mask)| (*index, Some(mask.as_slice())));
    columns.add_counters(&run.host, &run.object, &run.instances, counters);
    for aggregate in aggregates.of(run, false) {
        let selected = |index: &usize| {
            let counter = &run.object.counters[*index].name;
            selection.matches(&run.host, &run.object.name, Some(&aggregate.instance), counter)
        };
        let counters: Vec<usize> = aggregate.counters.iter().copied().filter(selected).collect();
        let counters = counters.into_iter().map(|index| (index, None));
        columns.add_counters(&run.host, &run.object, std::slice::from_ref(&aggregate.instance), counters);
    }
}

/// The times of the rows, of all inputs, ascending.
fn times(inputs: &[Input]) -> Vec<SampleTime> {
    let of = |input: &Input| -> Vec<SampleTime> {
        let times = input.source.times();
        input.samples.iter().filter_map(|sample| times.get(*sample as usize).copied()).collect()
    };
    let mut times: Vec<SampleTime> = inputs.iter().flat_map(of).collect();
    times.sort_unstable();
    times.dedup();
    times
}

/// The zone in force at the first sample, and its local time minus UTC, in minutes; `None` if the zone of the capture's times is unknown.
fn zone(inputs: &[Input]) -> Option<(String, i16)> {
    let first = inputs.iter().find_map(|input| {
        let time = input.source.times().get(*input.samples.first()? as usize)?;
        Some((input, *time))
    });
    let Some((input, time)) = first else { return Some(("UTC".to_owned(), 0)) };
    let info = input.source.info();
    if info.is_zone_unknown {
        return None;
    }
    let (hours, minutes) = (time.offset_min / 60, time.offset_min.unsigned_abs() % 60);
    let name = match &info.zone {
        Some(zone) => zone.name_at(time.offset_min).to_owned(),
        None if time.offset_min == 0 => "UTC".to_owned(),
        // Only the rows of the capture say their offset.
        None => format!("UTC{hours:+03}:{minutes:02}"),
    };
    Some((name, time.offset_min))
}
