//! What a capture is: for `recount info`.

use recount_model::{Health, Mark, SampleTime, Selection};
use serde::Serialize;

use crate::Capture;
use crate::catalogue::Catalogue;

/// An interval longer than this many medians is a gap.
const GAP_MEDIANS: f64 = 2.5;
/// How many gaps are told in full.
const MAX_GAPS: usize = 20;

/// A capture in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// UTC minus standard time, minutes.
    pub zone_bias_min: Option<i32>,
    /// When the machine was booted, UTC.
    pub boot_time: Option<String>,
    /// First sample, UTC.
    pub first_sample: Option<String>,
    /// Last sample, UTC.
    pub last_sample: Option<String>,
    /// First sample, local time of the capture.
    pub first_sample_local: Option<String>,
    /// Last sample, local time of the capture.
    pub last_sample_local: Option<String>,
    /// Number of samples.
    pub num_samples: usize,
    /// Median interval between samples, seconds.
    pub interval_median_s: Option<f64>,
    /// Number of gaps: intervals longer than 2.5 medians.
    pub num_gaps: usize,
    /// The first 20 gaps.
    pub gaps: Vec<Gap>,
    /// Performance objects.
    pub objects: Vec<ObjectSummary>,
    /// Counter paths, all objects together.
    pub num_paths: usize,
    /// Times that somebody marked, ascending.
    pub marks: Vec<MarkSummary>,
    /// Further facts from the capture's header.
    pub details: Vec<(String, String)>,
    /// Number of findings about the capture's health.
    pub num_findings: u64,
    /// Findings, the first of each kind.
    pub findings: Vec<String>,
}

/// An interval without samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// The sample before it, UTC.
    pub after: String,
    /// Its length.
    pub seconds: f64,
}

/// A time that somebody marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MarkSummary {
    /// When, UTC.
    pub time: String,
    /// As what.
    pub text: String,
}

/// A performance object in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// Reads all of a capture and sums it up. Also gives its health, from opening and from reading.
pub fn summarise(capture: &Capture) -> (CaptureSummary, Health) {
    let (catalogue, found) = Catalogue::read(std::slice::from_ref(capture), &Selection::all());
    let mut health = capture.health();
    health.absorb(found);
    let info = capture.feed.info();
    let times = capture.feed.times();
    let (median, num_gaps, gaps) = intervals(times);
    let civil = |time: &SampleTime| time.civil().map(|civil| civil.to_string());
    let summary = CaptureSummary {
        files: capture.names.clone(),
        format: info.format.clone(),
        hosts: info.hosts.iter().map(ToString::to_string).collect(),
        os: info.os.clone(),
        zone: times.first().and_then(|first| Some(info.zone.as_ref()?.name_at(first.offset_min).to_owned())),
        zone_bias_min: info.zone.as_ref().map(|zone| zone.bias_min),
        boot_time: info.boot_time.map(|time| time.to_string()),
        first_sample: times.first().map(|time| time.utc.to_string()),
        last_sample: times.last().map(|time| time.utc.to_string()),
        first_sample_local: times.first().and_then(civil),
        last_sample_local: times.last().and_then(civil),
        num_samples: times.len(),
        interval_median_s: median,
        num_gaps,
        gaps,
        objects: objects(&catalogue),
        num_paths: catalogue.num_paths(),
        marks: capture.marks().iter().map(mark).collect(),
        details: info.details.clone(),
        num_findings: health.total(),
        findings: health.findings().iter().map(ToString::to_string).collect(),
    };
    (summary, health)
}

fn mark(mark: &Mark) -> MarkSummary {
    MarkSummary { time: mark.time.to_string(), text: mark.text.clone() }
}

fn objects(catalogue: &Catalogue) -> Vec<ObjectSummary> {
    let summary = |found: &crate::catalogue::FoundObject| ObjectSummary {
        host: found.host.to_string(),
        object: found.object.name.to_string(),
        num_counters: found.object.counters.iter().filter(|counter| !counter.is_hidden()).count(),
        num_instances: found.object.instanced.then_some(found.instances.len()),
    };
    catalogue.objects.iter().map(summary).collect()
}

/// Median interval in seconds, number of gaps, and the first of them.
fn intervals(times: &[SampleTime]) -> (Option<f64>, usize, Vec<Gap>) {
    let seconds: Vec<f64> = times.windows(2).map(|pair| pair[1].utc.seconds_since(pair[0].utc)).collect();
    let mut sorted = seconds.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return (None, 0, Vec::new()) };
    let is_gap = |(_, seconds): &(&SampleTime, &f64)| **seconds > GAP_MEDIANS * median;
    let gaps = times.iter().zip(&seconds).filter(is_gap);
    let told = gaps.clone().take(MAX_GAPS);
    let told = told.map(|(time, seconds)| Gap { after: time.utc.to_string(), seconds: *seconds }).collect();
    (Some(median), gaps.count(), told)
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    #[test]
    fn gaps_are_measured_against_the_median() {
        let time = |s: i64| SampleTime { utc: Timestamp(s * 10_000_000), offset_min: 0 };
        let times: Vec<SampleTime> = [0, 1, 2, 3, 13, 14, 16].map(time).into();
        let (median, num_gaps, gaps) = intervals(&times);
        assert_eq!((median, num_gaps), (Some(1.0), 1));
        assert!((gaps[0].seconds - 10.0).abs() < 1e-9);
        assert_eq!(intervals(&times[..1]), (None, 0, vec![]));
    }
}
