//! Summarises a capture: for `recount info`.

use std::sync::Arc;

use recount_compute::{Input, Rhythm};
use recount_model::{Health, Mark, SampleTime, Selection};
use serde::Serialize;

use crate::Capture;
use crate::contents::found_objects::{FoundObject, FoundObjects};

/// Maximum number of gaps listed individually.
const MAX_GAPS: usize = 20;

/// A capture in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CaptureSummary {
    /// File, or files of a series of dumps.
    pub files: Vec<String>,
    /// Format and flavour.
    pub format: String,
    /// Machines.
    pub hosts: Vec<String>,
    /// Operating system.
    pub os: Option<String>,
    /// Zone of local time.
    pub zone: Option<String>,
    /// Whether the times are local times of an unknown zone; there are no times in UTC then.
    pub is_zone_unknown: bool,
    /// UTC minus standard time, minutes. Where the capture has only the offset in force, UTC minus that.
    pub zone_bias_min: Option<i32>,
    /// Local time minus UTC at the first sample, minutes.
    #[serde(skip)]
    pub first_offset_min: Option<i16>,
    /// When the machine was booted, UTC.
    pub boot_time: Option<String>,
    /// First sample, UTC, if the zone is known.
    pub first_sample: Option<String>,
    /// Last sample, UTC, if the zone is known.
    pub last_sample: Option<String>,
    /// First sample, local time of the capture.
    pub first_sample_local: Option<String>,
    /// Last sample, local time of the capture.
    pub last_sample_local: Option<String>,
    /// Number of samples.
    pub num_samples: usize,
    /// Usual interval between samples, seconds: the median, of the rounds that cover most of the time.
    pub interval_median_s: Option<f64>,
    /// Number of gaps: times in which nobody sampled.
    pub num_gaps: usize,
    /// The first 20 gaps.
    pub gaps: Vec<Gap>,
    /// Performance objects.
    pub objects: Vec<ObjectSummary>,
    /// Counter paths, all objects together.
    pub num_paths: usize,
    /// Marked times, ascending.
    pub marks: Vec<MarkSummary>,
    /// Further facts from the capture's header.
    pub details: Vec<(String, String)>,
    /// Whether nothing unusual for such a recording was found.
    pub is_sound: bool,
    /// Number of findings about the capture's health.
    pub num_findings: u64,
    /// Findings, the first of each kind.
    pub findings: Vec<String>,
}

/// An interval without samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gap {
    /// Time of the sample before the gap: UTC, or local time without `Z` if the zone is unknown.
    pub after: String,
    /// Its length.
    pub seconds: f64,
}

/// A marked time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MarkSummary {
    /// Time, UTC.
    pub time: String,
    /// Text of the mark.
    pub text: String,
}

/// A performance object in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObjectSummary {
    /// Machine.
    pub host: String,
    /// Name.
    pub object: String,
    /// Counters, bases not included.
    pub num_counters: usize,
    /// Distinct instances over the whole capture; `None` for an object without instances.
    pub num_instances: Option<usize>,
}

/// An object, with the machines on which it has the same number of counters and instances.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectGroup<'s> {
    /// Name.
    pub object: &'s str,
    /// Counters, bases not included.
    pub num_counters: usize,
    /// Distinct instances on each machine; `None` for an object without instances.
    pub num_instances: Option<usize>,
    /// The machines, in order of appearance.
    pub hosts: Vec<&'s str>,
}

impl CaptureSummary {
    /// The objects by name, in order of appearance. An object is listed once for all machines on which it has the same
    /// number of counters and instances.
    pub fn objects_by_name(&self) -> Vec<ObjectGroup<'_>> {
        let mut groups: Vec<ObjectGroup<'_>> = Vec::new();
        for found in &self.objects {
            let (num_counters, num_instances) = (found.num_counters, found.num_instances);
            let is_alike = |group: &&mut ObjectGroup<'_>| {
                group.object == found.object
                    && (group.num_counters, group.num_instances) == (num_counters, num_instances)
            };
            if let Some(group) = groups.iter_mut().find(is_alike) {
                group.hosts.push(&found.host);
                continue;
            }
            let group =
                ObjectGroup { object: &found.object, num_counters, num_instances, hosts: vec![&found.host] };
            let last = groups.iter().rposition(|group| group.object == found.object);
            groups.insert(last.map_or(groups.len(), |at| at + 1), group);
        }
        groups
    }
}

/// Reads all of a capture and summarises it. Also returns its health, from opening and from reading.
pub fn summarise(capture: &Capture) -> (CaptureSummary, Health) {
    let (found_objects, found) = FoundObjects::read(std::slice::from_ref(capture), &Selection::all());
    let mut health = capture.health();
    health.absorb(found);
    let info = capture.source.info();
    let times = capture.source.times();
    let samples = (0..times.len() as u32).collect();
    let inputs = [Input::new(Arc::clone(&capture.source), samples)];
    let rhythm = Rhythm::of(&inputs);
    let gaps = rhythm.gaps(&inputs, None);
    let utc = |time: &SampleTime| (!info.is_zone_unknown).then(|| time.utc.to_string());
    let civil = |time: &SampleTime| time.civil().map(|civil| civil.to_string());
    let summary = CaptureSummary {
        files: capture.names.clone(),
        format: info.format.clone(),
        hosts: info.hosts.iter().map(ToString::to_string).collect(),
        os: info.os.clone(),
        zone: times.first().and_then(|first| Some(info.zone.as_ref()?.name_at(first.offset_min).to_owned())),
        is_zone_unknown: info.is_zone_unknown,
        zone_bias_min: info.zone.as_ref().map(|zone| zone.bias_min),
        first_offset_min: times.first().map(|first| first.offset_min),
        boot_time: info.boot_time.map(|time| time.to_string()),
        first_sample: times.first().and_then(utc),
        last_sample: times.last().and_then(utc),
        first_sample_local: times.first().and_then(civil),
        last_sample_local: times.last().and_then(civil),
        num_samples: times.len(),
        interval_median_s: rhythm.interval_s(),
        num_gaps: gaps.len(),
        gaps: gaps.into_iter().take(MAX_GAPS).map(|gap| Gap::of(gap, info.is_zone_unknown)).collect(),
        objects: objects(&found_objects),
        num_paths: found_objects.num_paths(),
        marks: capture.marks().iter().map(mark).collect(),
        details: info.details.clone(),
        is_sound: health.is_sound(),
        num_findings: health.total(),
        findings: health.findings().iter().map(ToString::to_string).collect(),
    };
    (summary, health)
}

impl Gap {
    fn of((before, after): (SampleTime, SampleTime), is_zone_unknown: bool) -> Gap {
        let local = before.civil().filter(|_| is_zone_unknown).map(|civil| civil.to_string());
        let seconds = after.utc.seconds_since(before.utc);
        Gap { after: local.unwrap_or_else(|| before.utc.to_string()), seconds }
    }
}

fn mark(mark: &Mark) -> MarkSummary {
    MarkSummary { time: mark.time.to_string(), text: mark.text.clone() }
}

fn objects(found: &FoundObjects) -> Vec<ObjectSummary> {
    let summary = |object: &FoundObject| ObjectSummary {
        host: object.host.to_string(),
        object: object.object.name.to_string(),
        num_counters: object.object.counters.iter().filter(|counter| !counter.is_hidden()).count(),
        num_instances: object.object.instanced.then_some(object.instances.len()),
    };
    found.objects.iter().map(summary).collect()
}
