//! When samples are due, and what happened to time between them.

mod clock;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use clock::{Clock, Moment, SystemClock};
use recount_model::{Event, EventKind};

/// A sample is late if its delay exceeds this and a tenth of the interval.
const LATE_NS: i64 = 50_000_000;
/// The clocks with and without sleep diverge by this much only if the machine slept.
const SUSPENDED_NS: i64 = 100_000_000;
/// A wall clock that is slewed runs at most 500 ppm fast or slow (adjtimex(2)); a larger difference than that
/// plus this means that it was set.
const STEP_NS: i64 = 10_000_000;
const SLEW_PPM: i64 = 500;

/// Sample `k` is due at `start + k * interval` on the monotonic clock, however late earlier samples were.
/// Samples whose interval has passed completely are skipped and not made up for.
#[derive(Clone, Debug)]
pub struct Schedule {
    start_ns: i64,
    interval_ns: i64,
    /// The next sample that is due.
    next: i64,
    last: Moment,
}

impl Schedule {
    /// Begins now: sample 0 is due immediately. An interval of zero counts as one nanosecond.
    pub fn new(interval: Duration, start: Moment) -> Schedule {
        Schedule { start_ns: start.monotonic_ns, interval_ns: nanos(interval).max(1), next: 0, last: start }
    }

    /// When the next sample is due, on the monotonic clock.
    pub fn due_ns(&self) -> i64 {
        self.start_ns.saturating_add(self.next.saturating_mul(self.interval_ns))
    }

    /// Records that a sample is about to be taken, and returns the events since the previous one. A call
    /// before a sample is due is for an extra sample (such as the last one) and doesn't change the schedule.
    pub fn tick(&mut self, now: Moment) -> Vec<Event> {
        let mut events = self.clock_events(now);
        let behind = now.monotonic_ns.saturating_sub(self.due_ns());
        if behind >= 0 {
            let num_missed = behind / self.interval_ns;
            if num_missed > 0 {
                let without = now.monotonic_ns - self.last.monotonic_ns;
                let text = format!("{num_missed} not taken, none for {}", shown(without));
                events.push(event(EventKind::Missed, now, without, num_missed as u64, text));
            }
            let late = behind % self.interval_ns;
            if late > LATE_NS.max(self.interval_ns / 10) {
                let text = format!("{} after its time", shown(late));
                events.push(event(EventKind::Late, now, late, 0, text));
            }
            self.next = self.next.saturating_add(num_missed).saturating_add(1);
        }
        self.last = now;
        events
    }

    /// What happened to the clocks themselves since the last sample.
    fn clock_events(&self, now: Moment) -> Vec<Event> {
        let mut events = Vec::new();
        let asleep = |moment: Moment| moment.boottime_ns.saturating_sub(moment.monotonic_ns);
        let slept = asleep(now).saturating_sub(asleep(self.last));
        if slept > SUSPENDED_NS {
            let text = format!("the machine slept for {}", shown(slept));
            events.push(event(EventKind::Suspended, now, slept, 0, text));
        }
        let ahead = |moment: Moment| moment.realtime_ns.saturating_sub(moment.boottime_ns);
        let step = ahead(now).saturating_sub(ahead(self.last));
        let elapsed = now.boottime_ns.saturating_sub(self.last.boottime_ns).max(0);
        let slewing = elapsed / (1_000_000 / SLEW_PPM);
        if step.saturating_abs() > STEP_NS.saturating_add(slewing) {
            let direction = if step < 0 { "back" } else { "forward" };
            let text = format!("the clock was set {direction} by {}", shown(step.saturating_abs()));
            events.push(event(EventKind::ClockStep, now, step, 0, text));
        }
        events
    }
}

fn event(kind: EventKind, now: Moment, extent_ns: i64, count: u64, text: String) -> Event {
    Event { time: now.time(), kind, extent: extent_ns / 100, count, text }
}

/// Nanoseconds as seconds, for people.
fn shown(ns: i64) -> String {
    format!("{:.3} s", ns as f64 / 1e9)
}

/// A duration in nanoseconds, saturating at the maximum.
pub(crate) fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
