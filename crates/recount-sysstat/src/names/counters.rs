//! How counters are computed.

use recount_model::{CounterReading, FieldSum, percentage_of, share_of};

/// A counter: from what it is computed, and how.
///
/// A field after `?` counts as 0 if the file lacks it; if the file lacks any other, the object doesn't have the counter.
pub(crate) struct Counter {
    pub(crate) name: &'static str,
    pub(crate) of: FieldSum,
    pub(crate) reading: CounterReading,
    /// By what factor the clock by which a rate or a time is divided is faster than the uptime: a divisor of rates.
    pub(crate) clock: u64,
    /// For a floating-point field, cooked by us.
    pub(crate) range: Option<RealRange>,
    /// The unit, if the type doesn't imply it.
    pub(crate) unit: &'static str,
    pub(crate) help: &'static str,
}

/// What is shown of a floating-point field: less the first, as a percentage of the second less the first. Empty names
/// leave that out.
#[derive(Clone, Copy)]
pub(crate) struct RealRange {
    pub(crate) low: &'static str,
    pub(crate) high: &'static str,
}

pub(crate) const fn counter(
    name: &'static str,
    of: &'static str,
    reading: CounterReading,
    unit: &'static str,
    help: &'static str,
) -> Counter {
    let clock = match reading {
        // Milliseconds, of an uptime in 1/100 s.
        CounterReading::Queue => 10,
        _ => 1,
    };
    Counter { name, of: FieldSum::of(of), reading, clock, range: None, unit, help }
}

impl Counter {
    /// The same counter with a faster clock.
    pub(crate) const fn by(self, clock: u64) -> Counter {
        Counter { clock, ..self }
    }
}

/// A floating-point value.
pub(crate) const fn real(
    name: &'static str,
    of: &'static str,
    low: &'static str,
    high: &'static str,
    unit: &'static str,
    help: &'static str,
) -> Counter {
    Counter { range: Some(RealRange { low, high }), ..counter(name, of, CounterReading::Gauge, unit, help) }
}

/// A rate per second.
pub(crate) const fn rate(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, CounterReading::Rate, "", "")
}

/// A value as it is.
pub(crate) const fn gauge(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, CounterReading::Gauge, "", "")
}

/// How much of an interface's line is used, of `rx_bytes`.
pub(crate) const LINE_USE: CounterReading =
    CounterReading::LineUse { sent: FieldSum::of("tx_bytes"), speed: FieldSum::of("256*speed+?duplex") };

/// A percentage of ticks.
pub(crate) const fn ticks(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, share_of("ticks"), "%", "of the CPU's own ticks")
}

/// An average of stalled time, stored in 1/100 %.
pub(crate) const fn pressure(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, percentage_of("10000"), "%", "the kernel's average")
}

/// Stalled time in µs.
pub(crate) const fn stalled(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, CounterReading::Busy, "%", "of the time").by(10_000)
}
