//! Parquet and Arrow output.

use std::sync::Arc;

use recount_compute::{Cancelled, run};
use recount_model::{CaptureInfo, CounterDef, FindingKind, Health, ObjectDef, Zone};
use recount_tables::schema::{UNKNOWN_ZONE, key};
use recount_tables::{FileFormat, Footer, TableOptions, TableSink};

use super::{ConvertError, ConvertOptions, ConvertReport, Job, Target};
use crate::Capture;
use crate::contents::found_objects::has_texts;

pub(super) fn write(job: &Job<'_>, format: FileFormat) -> Result<ConvertReport, ConvertError> {
    let (captures, options) = (job.timeline.captures(), job.options);
    let table_options = TableOptions {
        layout: options.layout,
        format,
        local_time: options.local_time,
        raw: options.raw,
        texts: has_texts(captures, &options.selection),
        partition_by: options.partition_by.clone(),
        force: options.force,
        access: job.access(),
        ..TableOptions::default()
    };
    let known = known_objects(captures, options);
    let mut sink: Box<dyn TableSink> = match job.target {
        Target::Path(path) => recount_tables::create(path, &table_options, &known)?,
        Target::Stdout => recount_tables::create_stream(job.stream(), &table_options)?,
    };
    let mut found_any = false;
    let mut health = run(job.timeline.inputs(), &job.pipeline, |batch, step| {
        found_any |= !batch.is_empty();
        sink.write(batch)?;
        Ok::<(), ConvertError>(Cancelled::check((job.progress)(step))?)
    })?;
    if !found_any && !options.selection.is_all() {
        return Err(ConvertError::NoCounters);
    }
    health.absorb(job.timeline.health());
    if options.local_time && captures.iter().any(|capture| is_without_zone(capture.source.info())) {
        let what = "a capture has no time zone: its local times are UTC. Set it with --zone";
        health.note(FindingKind::Time, None, what);
    }
    let written = sink.finish(&footer(captures, options, &health))?;
    Ok(ConvertReport {
        num_samples: job.timeline.num_samples(),
        num_rows: written.num_rows,
        len_written: written.len_bytes,
        files: written.files.into_iter().map(|file| file.path).collect(),
        health,
    })
}

/// A table has times in UTC, and not the offsets of the machine.
fn is_without_zone(info: &CaptureInfo) -> bool {
    info.zone.is_none() && !info.is_zone_unknown
}

/// Objects whose columns are known before the first sample, reduced to what is selected.
fn known_objects(captures: &[Capture], options: &ConvertOptions) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
    let mut known = Vec::new();
    for capture in captures {
        for (host, object) in capture.source.objects() {
            // The selection may depend on instances, which aren't known yet: such objects are added with
            // their first samples.
            let wanted = |counter: &CounterDef| {
                options.selection.matches(&host, &object.name, None, &counter.name)
                    && (options.raw || !counter.is_hidden())
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
    let infos = || captures.iter().map(|capture| capture.source.info());
    let hosts = infos().flat_map(|info| &info.hosts).filter(|host| options.selection.may_match_host(host));
    let zone = |info: &CaptureInfo| {
        if info.is_zone_unknown {
            return Some(UNKNOWN_ZONE.to_owned());
        }
        let name = |zone: &Zone| {
            let names = [&zone.standard_name, &zone.daylight_name];
            names.into_iter().find(|name| !name.is_empty()).map_or_else(String::new, ToString::to_string)
        };
        info.zone.as_ref().map(|zone| format!("{} ({} min)", name(zone), zone.bias_min))
    };
    let entries = [
        (key::VERSION, env!("CARGO_PKG_VERSION").to_owned()),
        (key::SOURCE, joined(captures.iter().flat_map(|capture| capture.names.clone()).collect())),
        (key::FORMAT, joined(infos().map(|info| info.format.clone()).collect())),
        (key::HOST, joined(hosts.map(ToString::to_string).collect())),
        (key::OS, joined(infos().filter_map(|info| info.os.clone()).collect())),
        (key::ZONE, joined(infos().filter_map(zone).collect())),
        (key::LAYOUT, options.layout.name().to_owned()),
        (
            key::SCALED,
            (options.scaled || captures.iter().any(|capture| capture.source.info().is_scaled)).to_string(),
        ),
        (key::FINDINGS, health.total().to_string()),
    ];
    Footer { metadata: entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
}
