//! Notes beside the groups: what limits the answer, and the resources that people ask about although they are in no group.

use recount_tables::processes::PROCESSORS;

use super::answer::MovedCounts;
use super::bins::{Track, Tracks};
use super::bounds::{Axis, Bounds, Interval};
use super::chance::median;
use super::groups::Group;
use crate::report::CaptureFacts;
use crate::roster::Roster;
use crate::shown::{bytes_in, duration, plural, quantity, series_label, unit_of};
use crate::stats::SeriesId;
use recount_model::SampleTime;

/// With fewer samples before or in the span, chance is hard to rule out.
const FEW: (usize, usize) = (30, 5);

/// Whether there are too few samples to rule out chance.
pub(super) fn is_short(counts: &MovedCounts) -> bool {
    counts.samples_before < FEW.0 || counts.samples < FEW.1
}

/// How much of a resource was used in both times.
pub(super) struct Resource {
    pub(super) path: String,
    label: String,
    unit: &'static str,
    /// Medians.
    before: f64,
    inside: f64,
}

impl Resource {
    /// What is said of it if it is in no group.
    pub(super) fn note(&self, is_short: bool) -> Option<String> {
        let Resource { label, unit, before, inside, .. } = self;
        let both = || {
            let [inside, before] = [inside, before].map(|value| quantity(*value, unit));
            format!("{inside} in the span, {before} in the time it is compared with (medians)")
        };
        if self.is_busy_in_both() {
            return Some(format!("{label} was busy in both times: {}", both()));
        }
        (is_short && self.is_other()).then(|| format!("too few samples to judge {label}: {}", both()))
    }

    /// What doesn't change isn't in any group, but people who ask about the span want to know it.
    fn is_busy_in_both(&self) -> bool {
        /// What is used by so many percent is near its limit.
        const BUSY: f64 = 70.0;
        /// In points.
        const ALIKE: f64 = 10.0;
        let is_alike = (self.before - self.inside).abs() <= ALIKE;
        self.unit == "%" && self.before >= BUSY && self.inside >= BUSY && is_alike
    }

    fn is_other(&self) -> bool {
        /// In points.
        const LEAST: f64 = 10.0;
        const LEAST_TIMES: f64 = 2.0;
        const LEAST_BYTES: f64 = 1_048_576.0;
        let by = (self.inside - self.before).abs();
        if self.unit == "%" {
            return by >= LEAST;
        }
        let (small, large) = (self.before.min(self.inside), self.before.max(self.inside));
        large >= LEAST_TIMES * small && bytes_in(self.unit).is_some_and(|bytes| by * bytes >= LEAST_BYTES)
    }
}

/// The processors, disks and networks that have values in both times.
pub(super) fn resources(tracks: &Tracks, roster: &Roster, axis: &Axis) -> Vec<Resource> {
    let resource = |(id, track): (SeriesId, &Track)| {
        let entry = roster.objects().get(id.object as usize)?;
        let counter = entry.counters.get(id.counter as usize)?;
        let shown = entry.instances.get(id.instance as usize)?.shown.as_deref();
        if !is_resource(&entry.name, &counter.name, shown) {
            return None;
        }
        let values = track.filled(axis.len())?;
        let [before, inside] = [&values[..axis.num_before], &values[axis.num_before..]]
            .map(|part| median(part.iter().copied().filter(|value| !value.is_nan()).collect()));
        let resource = Resource {
            path: entry.path(id.instance as usize, id.counter as usize).to_string(),
            label: series_label(&entry.name, shown, None, &counter.name),
            unit: unit_of(&counter.name, counter.unit),
            before,
            inside,
        };
        (!before.is_nan() && !inside.is_nan()).then_some(resource)
    };
    tracks.series().filter_map(resource).collect()
}

/// Whether a counter says which share of a resource is used, of all processors or of a disk, or how much a network carries.
fn is_resource(object: &str, counter: &str, instance: Option<&str>) -> bool {
    let is_total = instance.is_none_or(|name| name.ends_with("_Total"));
    match object {
        _ if PROCESSORS.contains(&object) => is_total && counter == "% Processor Time",
        "PhysicalDisk" => counter == "% Busy Time" || counter == "% Disk Time" && !is_total,
        "Network Interface" => counter == "Bytes Total/sec" && instance.is_none_or(|name| name != "lo"),
        _ => false,
    }
}

/// The longest time without samples in what was compared.
pub(super) fn gap(facts: &CaptureFacts, bounds: &Bounds) -> Option<String> {
    let is_in = |of: Interval, (from, to): &(SampleTime, SampleTime)| of.begin < to.utc && from.utc < of.end;
    let is_compared = |gap: &&_| is_in(bounds.span, gap) || is_in(bounds.against, gap);
    facts.gap_in_words(&facts.gaps.iter().filter(is_compared).copied().collect::<Vec<_>>())
}

/// What limits the answer.
pub(super) fn notes(groups: &[Group], counts: &MovedCounts, axis: &Axis) -> Vec<String> {
    let mut notes = Vec::new();
    let samples = |count: usize| plural(count as u64, "sample");
    let are = |count: usize| if count == 1 { "is" } else { "are" };
    if groups.iter().any(|group| !group.is_sure) {
        notes.push(format!(
            "chance can't be ruled out: there {} only {} in the span, and {} to compare with; these are the largest changes",
            are(counts.samples),
            samples(counts.samples),
            samples(counts.samples_before)
        ));
    } else if groups.is_empty() && is_short(counts) {
        notes.push(format!(
            "there {} only {} in the span, and {} to compare with: that is too few to tell a change from chance",
            are(counts.samples),
            samples(counts.samples),
            samples(counts.samples_before)
        ));
    }
    if counts.few > 0 {
        notes.push(format!("{} had too few values to compare", plural(counts.few as u64, "counter")));
    }
    if counts.often > 0 && counts.moved == 0 {
        notes.push(format!(
            "{} changed in the span as often in the time it is compared with, so this isn't said: recount stats --changes \
             lists such changes",
            plural(counts.often as u64, "counter")
        ));
    }
    if axis.bin_samples() > 1 {
        notes.push(format!(
            "values are means of {} samples, about {}: what is shorter may be missed, and times are as exact as this",
            axis.bin_samples(),
            duration(axis.bin_s())
        ));
    }
    notes
}
