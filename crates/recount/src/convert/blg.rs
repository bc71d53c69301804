//! Writes a `.blg`: a counter list, made from the runs of any raw capture.
//!
//! Two passes: the first finds the entries of the list, the second writes the samples. Then the times are read back: a
//! `.blg` holds local time, and a reader has to get the original times from it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use recount_blg::{BlgSource, BlgWriter, ListLayout, ListRecords, ListScan, LogHead, LogStamps};
use recount_compute::{Cancelled, Progress};
use recount_model::{
    CounterDef, Decoded, FindingKind, Health, ObjectDef, Run, SampleTime, Selection, Source, Timestamp,
};
use recount_output::OutputError;

use super::blg_stretches::{SourceStretch, stretches};
use super::{ConvertError, ConvertReport, Job, Target};
use crate::files::content::{STDIO, map_file};

/// Raw bytes that a thread decodes at a time.
const LEN_CHUNK: usize = 4 << 20;
/// Decoding more samples at a time isn't faster.
const MAX_SAMPLES: usize = 4_096;
/// Ticks by which the counter list's stamp precedes its first sample's (formats/blg.md#time).
const LIST_BEFORE: i64 = 10;
/// Ticks by which the stamps of name tables do.
const NAMES_BEFORE: i64 = 20;

pub(super) fn write(job: &Job<'_>) -> Result<ConvertReport, ConvertError> {
    let Job { options, .. } = job;
    if options.need_tables() || options.scaled {
        let what = "a .blg holds raw values in one layout: --raw, --scaled, --local-time, --layout and --partition-by have no \
                    meaning";
        return Err(ConvertError::Options(what));
    }
    let stretches = stretches(job)?;
    let layout = scan(job, &stretches);
    if layout.is_empty() {
        return Err(ConvertError::NoCounters);
    }
    let log = Log { job, stretches, layout };
    let mut report = match job.target {
        Target::Stdout => {
            let path = Path::new(STDIO);
            let failed = |source| OutputError::Io { path: path.to_path_buf(), source };
            let mut file = tempfile::tempfile().map_err(failed)?;
            let mut report = log.write_and_read(&file, path)?;
            file.rewind().map_err(failed)?;
            report.len_written = io::copy(&mut file, &mut job.stream()).map_err(failed)?;
            report
        }
        Target::Path(path) => {
            let aside = job.aside(path)?;
            let mut report = log.write_and_read(&aside.file()?, path)?;
            report.len_written = aside.into_place()?;
            report.files = vec![path.clone()];
            report
        }
    };
    note_left_out(job, &mut report.health);
    report.health.absorb(job.timeline.health());
    Ok(report)
}

/// The log holds unsigned integers only, two for a value.
fn note_left_out(job: &Job<'_>, health: &mut Health) {
    let objects: Vec<_> =
        job.timeline.captures().iter().flat_map(|capture| capture.source.objects()).collect();
    let is_left_out = |object: &ObjectDef, counter: &CounterDef| {
        counter.counter_type.is_some()
            && !counter.is_told_by_type()
            && job.options.selection.may_match_counter(&object.name, &counter.name)
    };
    let left_out: BTreeSet<String> = objects
        .iter()
        .flat_map(|(_, object)| object.counters.iter().map(move |counter| (object, counter)))
        .filter(|(object, counter)| is_left_out(object, counter))
        .map(|(object, counter)| format!(r"\{}\{}", object.name, counter.name))
        .collect();
    if let Some(first) = left_out.first() {
        let what = format!(
            "{} counters ({first}, for one) have signs or fractions, or are made of more numbers than a .blg has room for: they are left out",
            left_out.len()
        );
        health.note(FindingKind::Dropped, None, what);
    }
}

/// Why a log could not be written.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Unwritten {
    Io(#[from] io::Error),
    Cancelled(#[from] Cancelled),
}

/// The log that is to be written.
struct Log<'a> {
    job: &'a Job<'a>,
    stretches: Vec<SourceStretch<'a>>,
    layout: ListLayout,
}

impl Log<'_> {
    /// Writes the log with the captures' local time if that can be read back, else with UTC.
    fn write_and_read(&self, aside: &File, path: &Path) -> Result<ConvertReport, ConvertError> {
        let failed = |source| OutputError::Io { path: path.to_path_buf(), source };
        let mut expected: Vec<SampleTime> = self.stretches.iter().flat_map(SourceStretch::times).collect();
        expected.sort_by_key(|time| time.utc);
        let stamps: Vec<LogStamps> = self.head().local_stamps().into_iter().chain([LogStamps::Utc]).collect();
        // The clocks of whole objects may contradict the samples' times.
        let layouts = || [Some(self.layout.clone()), self.layout.without_objects()].into_iter().flatten();
        for (stamps, layout) in stamps.iter().flat_map(|stamps| layouts().map(move |layout| (stamps, layout)))
        {
            let mut file = aside.try_clone().map_err(failed)?;
            file.set_len(0).map_err(failed)?;
            file.rewind().map_err(failed)?;
            let is_local = matches!(stamps, LogStamps::Local(_));
            let mut report = self.write(file, stamps, &layout, path).map_err(|why| match why {
                Unwritten::Io(source) => failed(source).into(),
                Unwritten::Cancelled(cancelled) => ConvertError::Cancelled(cancelled),
            })?;
            if self.reads_back(aside, &expected, is_local).map_err(failed)? {
                if !is_local {
                    let what = "no zone record of Windows has these local times: the log's times are UTC";
                    report.health.note(FindingKind::Odd, None, what);
                }
                return Ok(report);
            }
        }
        Err(ConvertError::Times)
    }

    fn head(&self) -> LogHead<'_> {
        let stretches = self.stretches.iter().map(|stretch| (stretch.span(), stretch.samples.len()));
        LogHead::new(self.stretches[0].source.info(), stretches.collect())
    }

    fn write(
        &self,
        file: File,
        stamps: &LogStamps,
        layout: &ListLayout,
        path: &Path,
    ) -> Result<ConvertReport, Unwritten> {
        let first_list = layout.list_at(0).unwrap_or_default();
        let head = self.head();
        // The name alone: the directory says nothing here, and an event is no longer than 64 KiB.
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut header = head.header(stamps, &first_list, name);
        header.perf_freq = layout.perf_freq().unwrap_or(header.perf_freq);
        let mut writer = BlgWriter::new(BufWriter::new(file), header, head.guid())?;
        let mut records = ListRecords::new(layout, self.job.options.selection.clone());
        let mut report = ConvertReport::default();
        for stretch in &self.stretches {
            if stretch.begins_epoch {
                records.begin_epoch();
            }
            stretch.decode(self.job, |chunk, Chunk { runs, health }| {
                let times: Vec<_> =
                    stretch.times_of(chunk).into_iter().map(|time| stamps.time(time)).collect();
                records.push(&times, &runs, |at, records| {
                    let local = times[at].local();
                    if report.num_samples == 0 {
                        write_names(&mut writer, layout, Timestamp(local.0 - NAMES_BEFORE))?;
                    }
                    if let Some(list) = layout.list_at(report.num_samples) {
                        writer.counter_list(Timestamp(local.0 - LIST_BEFORE), &list)?;
                    }
                    report.num_samples += 1;
                    writer.data_block(local, records)
                })?;
                report.health.absorb(health);
                let len_raw = stretch.len_of(chunk) as u64;
                let step = Progress { len_raw, num_samples: times.len() as u64 };
                Ok::<(), Unwritten>(Cancelled::check((self.job.progress)(step))?)
            })?;
        }
        if records.num_repeated() > 0 {
            let what = format!(
                "{} values are in a sample twice, as the same counter of the same instance: the first is written",
                records.num_repeated()
            );
            report.health.note(FindingKind::Odd, None, what);
        }
        if records.num_differing() > 0 {
            let what = format!(
                "{} values are left out: the captures have different ones at the same time, and a .blg has room for one",
                records.num_differing()
            );
            report.health.note(FindingKind::Dropped, None, what);
        }
        if records.num_unfit() > 0 {
            let what = format!(
                "a .blg has no room for {} values (an operand is missing or too large): they are written as invalid",
                records.num_unfit()
            );
            report.health.note(FindingKind::Dropped, None, what);
        }
        report.num_rows = report.num_samples;
        writer.finish(head.ended())?.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(report)
    }

    /// Whether the samples in the written log have their original times.
    fn reads_back(&self, file: &File, expected: &[SampleTime], with_offset: bool) -> io::Result<bool> {
        let source = BlgSource::open(map_file(file)?).map_err(io::Error::other)?;
        let times = source.times();
        let is_same = |(read, expected): (&SampleTime, &SampleTime)| {
            read.utc == expected.utc && (!with_offset || read.offset_min == expected.offset_min)
        };
        let num_epochs = self.stretches.iter().filter(|stretch| stretch.begins_epoch).count() as u32;
        let last_epoch = (0..times.len()).map(|sample| source.epoch(sample)).max().unwrap_or(0);
        Ok(times.len() == expected.len()
            && last_epoch == num_epochs
            && times.iter().zip(expected).all(is_same))
    }
}

/// The names of objects and counters, which a log with whole objects needs.
fn write_names<W: Write + Seek>(
    writer: &mut BlgWriter<W>,
    layout: &ListLayout,
    local: Timestamp,
) -> io::Result<()> {
    layout.name_tables().try_for_each(|(host, names)| {
        let names = names.iter().map(|(index, name)| (index, name.to_owned())).collect();
        writer.name_table(local, &format!(r"\\{host}"), &names)
    })
}

/// The first pass.
fn scan(job: &Job<'_>, stretches: &[SourceStretch<'_>]) -> ListLayout {
    let mut scan = ListScan::new(job.options.selection.clone());
    for stretch in stretches {
        if stretch.begins_epoch {
            scan.begin_epoch();
        }
        // The pass that writes reports what can't be read.
        let _ = stretch.decode(job, |chunk, Chunk { runs, .. }| {
            scan.push(&stretch.times_of(chunk), &runs);
            Ok::<(), std::convert::Infallible>(())
        });
    }
    scan.finish()
}

/// Samples of a stretch, and what is beside them.
struct Chunk {
    /// The runs of each capture, with its number: 0 for that of the samples.
    runs: Vec<(usize, Vec<Run>)>,
    health: Health,
}

impl SourceStretch<'_> {
    /// Decodes all samples on all cores, a bounded number at a time, and consumes them in order.
    fn decode<E>(
        &self,
        job: &Job<'_>,
        mut take: impl FnMut(&[u32], Chunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let selection = &job.options.selection;
        let chunks = self.chunks();
        for batch in chunks.chunks(rayon::current_num_threads().max(1)) {
            let decode = |chunk: &Range<usize>| self.decode_chunk(&self.samples[chunk.clone()], selection);
            let decoded: Vec<Chunk> = batch.par_iter().map(decode).collect();
            for (chunk, decoded) in batch.iter().zip(decoded) {
                take(&self.samples[chunk.clone()], decoded)?;
            }
        }
        Ok(())
    }

    fn decode_chunk(&self, samples: &[u32], selection: &Selection) -> Chunk {
        let Decoded { runs, mut health, .. } = self.source.decode(samples, selection);
        let mut runs = vec![(0, runs)];
        let times = self.times_of(samples);
        let (first, last) = (times.first().map(|time| time.utc), times.last().map(|time| time.utc));
        for beside in &self.beside {
            let time = |sample: &u32| beside.source.times().get(*sample as usize).map(|time| time.utc);
            let from = beside.samples.partition_point(|sample| time(sample) < first);
            let to = beside.samples.partition_point(|sample| time(sample) <= last);
            if from < to {
                let decoded = beside.source.decode(&beside.samples[from..to], selection);
                health.absorb(decoded.health);
                runs.push((beside.number + 1, decoded.runs));
            }
        }
        Chunk { runs, health }
    }

    /// Samples that are decoded together. No two of a chunk have the same time, since runs identify samples by it.
    fn chunks(&self) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        let (mut start, mut len) = (0, 0);
        for at in 0..self.samples.len() {
            let is_tied = at > start && self.time(at) == self.time(at - 1);
            if at > start && (is_tied || len >= LEN_CHUNK || at - start >= MAX_SAMPLES) {
                chunks.push(start..at);
                (start, len) = (at, 0);
            }
            len += self.source.len_sample(self.samples[at] as usize);
        }
        chunks.push(start..self.samples.len());
        chunks
    }

    fn time(&self, at: usize) -> Option<Timestamp> {
        self.source.times().get(self.samples[at] as usize).map(|time| time.utc)
    }

    fn times_of(&self, samples: &[u32]) -> Vec<SampleTime> {
        let times = self.source.times();
        samples.iter().map(|&sample| times.get(sample as usize).copied().unwrap_or_default()).collect()
    }

    fn len_of(&self, samples: &[u32]) -> usize {
        samples.iter().map(|&sample| self.source.len_sample(sample as usize)).sum()
    }
}
