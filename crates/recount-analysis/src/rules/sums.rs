//! What instances used of a counter within a span, and how much they grew.

use recount_compute::{Cooked, CookedColumn, Covered};
use recount_model::{Status, Timestamp};

use super::verdict::Span;

/// Running sums over the span.
#[derive(Default)]
pub(super) struct Sums {
    /// The part of the span of which there are values.
    pub(super) covered: Covered,
    /// Per instance: values times seconds. `None` without a value.
    of_slots: Vec<Option<f64>>,
    /// Per instance: seconds in which it was there, but its value couldn't be read.
    unread_s: Vec<f64>,
    /// The last sample with values up to the begin of the span, and the last one in it.
    pub(super) ends: [Option<Timestamp>; 2],
    /// Per instance: its last value up to the begin, and the last one in the span, with their times; NaN if it was there without one.
    pub(super) values: Vec<[Option<(Timestamp, f64)>; 2]>,
}

impl Sums {
    /// Keeps the values at both ends of the span.
    pub(super) fn add_ends(&mut self, cooked: &Cooked, column: &CookedColumn, slots: &[u32], span: &Span) {
        for (sample, time) in cooked.times.iter().enumerate().filter(|(_, time)| time.utc <= span.end) {
            let end = usize::from(time.utc > span.begin);
            for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let value = column.value_at(sample * slots.len() + at);
                self.values[*slot as usize][end] = Some((time.utc, value.unwrap_or(f64::NAN)));
                if value.is_some() {
                    self.ends[end] = self.ends[end].max(Some(time.utc));
                }
            }
        }
    }

    /// How much larger a value is at the end of the span than at its begin, if it is there at the end. What began in the span had
    /// nothing before.
    pub(super) fn growth(&self, slot: usize) -> Option<f64> {
        let [first, last] = self.ends;
        let of_time = |end: usize, time: Option<Timestamp>| {
            self.values.get(slot)?[end].filter(|(at, _)| Some(*at) == time).map(|(_, value)| value)
        };
        first?;
        let grown = of_time(1, last)? - of_time(0, first).unwrap_or(0.0);
        Some(grown).filter(|grown| !grown.is_nan())
    }

    /// Makes room for so many instances.
    pub(super) fn resize(&mut self, num_instances: usize, is_growth: bool) {
        self.of_slots.resize(num_instances, None);
        self.unread_s.resize(num_instances, 0.0);
        if is_growth {
            self.values.resize(num_instances, [None; 2]);
        }
    }

    /// The mean of an instance over the time of which there are values; while it wasn't there, it used nothing.
    pub(super) fn mean(&self, slot: usize) -> Option<f64> {
        let seconds = self.covered.seconds() - self.unread_s.get(slot)?;
        (*self.of_slots.get(slot)?).filter(|_| seconds > 0.0).map(|sum| sum / seconds)
    }

    /// Adds values times seconds within the span. Nobody knows what was in a gap.
    pub(super) fn add(&mut self, cooked: &Cooked, column: &CookedColumn, slots: &[u32], span: &Span) {
        for (sample, time) in cooked.times.iter().enumerate() {
            let interval_s = cooked.interval_s.get(sample).copied().flatten();
            let Some((from, to)) = part_in(span, time.utc, interval_s) else { continue };
            let cell = |sample: usize, at: usize| sample * slots.len() + at;
            let is_gap = cooked.is_gap(sample) && span.begin < span.end;
            if is_gap || !(0..slots.len()).any(|at| column.value_at(cell(sample, at)).is_some()) {
                continue;
            }
            let seconds = to.seconds_since(from);
            for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let slot = *slot as usize;
                if let Some(value) = column.value_at(cell(sample, at)) {
                    *self.of_slots[slot].get_or_insert(0.0) += value * seconds;
                } else if is_unread(cooked, column, sample, at) {
                    self.unread_s[slot] += seconds;
                }
            }
            self.covered.add(from, to);
        }
    }
}

/// Whether an instance was there, but what it used isn't known. A text has a blank for one that wasn't there, too: without an id, it was if it has values
/// right before and after.
fn is_unread(cooked: &Cooked, column: &CookedColumn, sample: usize, at: usize) -> bool {
    let num = cooked.instances.len();
    let status = column.status_at(sample * num + at);
    let is_lost = matches!(
        status,
        Status::InvalidData | Status::NotANumber | Status::ClockNotAdvancing | Status::CounterReset
    );
    let has_value = |sample: usize| column.value_at(sample * num + at).is_some();
    let is_between =
        || sample > 0 && sample + 1 < cooked.num_samples() && has_value(sample - 1) && has_value(sample + 1);
    is_lost && (cooked.instances[at].id.is_some() || is_between())
}

/// The part of an interval that is in a span. Counters that are sampled together have times that differ a little: so an interval that
/// ends behind the span counts if nearly all of it is inside.
fn part_in(span: &Span, time: Timestamp, interval_s: Option<f64>) -> Option<(Timestamp, Timestamp)> {
    let Span { begin, end, .. } = *span;
    if begin >= end {
        return (time <= end).then(|| (Timestamp(time.0.saturating_sub(1)), time));
    }
    let (from, to) = (begin.max(time.minus_seconds(interval_s?)), end.min(time));
    let is_inside = time <= end || to.seconds_since(from) >= (1.0 - OVERHANG) * interval_s?;
    (to > from && is_inside).then_some((from, to))
}

/// The part of an interval that may be outside of a span.
const OVERHANG: f64 = 0.1;

/// A span, and the time before and behind it in which samples are about it.
pub(super) fn with_margins(span: &Span) -> (Timestamp, Timestamp) {
    let length = span.end.0.saturating_sub(span.begin.0).max(0);
    // The longest interval of which this part is outside.
    let margin = (length as f64 * OVERHANG / (1.0 - OVERHANG)).ceil() as i64;
    (Timestamp(span.begin.0.saturating_sub(margin)), Timestamp(span.end.0.saturating_add(margin)))
}
