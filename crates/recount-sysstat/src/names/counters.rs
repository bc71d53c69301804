//! How counters are computed.

use recount_model::CounterType;

/// A counter: from what it is computed, and how.
///
/// Expressions are sums of fields: `a+b-c`. A field after `?` counts as 0 if the file lacks it; if the file lacks any
/// other, the object doesn't have the counter. `2*a` and plain numbers are allowed.
pub(crate) struct Counter {
    pub(crate) name: &'static str,
    pub(crate) of: &'static str,
    pub(crate) reading: Reading,
    /// The unit, if the type doesn't imply it.
    pub(crate) unit: &'static str,
    pub(crate) help: &'static str,
}

/// How the raw value is cooked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// Difference per second, divided by this: the clock runs faster by this factor.
    Rate(u64),
    /// Milliseconds per millisecond.
    Queue,
    /// Time as a percentage of the clock, in ticks per 1/100 s.
    Busy(u64),
    /// 100 % minus that.
    Idle(u64),
    /// Difference as a percentage of the base's.
    Share(&'static str),
    /// Difference divided by the base's.
    Average(&'static str),
    /// The value.
    Gauge,
    /// The value as a percentage of the base.
    Percentage(&'static str),
    /// The value divided by this.
    Scaled(u64),
    /// The value divided by this, rounded down.
    Whole(u64),
    /// A floating-point value, cooked by us: the first, less the second, as a percentage of the third less the second.
    Real(&'static str, &'static str),
}

pub(crate) const fn counter(
    name: &'static str,
    of: &'static str,
    reading: Reading,
    unit: &'static str,
    help: &'static str,
) -> Counter {
    Counter { name, of, reading, unit, help }
}

/// A rate per second.
pub(crate) const fn rate(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Reading::Rate(1), "", "")
}

/// A value as it is.
pub(crate) const fn gauge(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Reading::Gauge, "", "")
}

/// A percentage of ticks.
pub(crate) const fn ticks(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Reading::Share("ticks"), "%", "of the CPU's own ticks")
}

/// An average of stalled time, stored in 1/100 %.
pub(crate) const fn pressure(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Reading::Percentage("10000"), "%", "the kernel's average")
}

/// Stalled time in µs.
pub(crate) const fn stalled(name: &'static str, of: &'static str) -> Counter {
    counter(name, of, Reading::Busy(10_000), "%", "of the time")
}

impl Reading {
    /// The type word, by width. For words that aren't predefined, the bit fields determine the computation.
    pub(crate) fn counter_type(self, is_wide: bool) -> Option<CounterType> {
        let word = match self {
            Reading::Rate(_) => 0x1041_0400,
            Reading::Queue => 0x0045_0400,
            Reading::Busy(_) => 0x2041_0400,
            Reading::Idle(_) => 0x2141_0400,
            Reading::Share(_) => 0x2047_0400,
            Reading::Average(_) => 0x4002_0400,
            Reading::Gauge | Reading::Whole(_) => 0x0001_0000,
            Reading::Percentage(_) | Reading::Scaled(_) => 0x2002_0400,
            Reading::Real(..) => return None,
        };
        Some(CounterType(if is_wide { word | 0x100 } else { word }))
    }

    /// The expression by which the value is divided, unless it is a clock.
    pub(crate) fn base(self) -> Option<String> {
        match self {
            Reading::Share(base) | Reading::Average(base) | Reading::Percentage(base) => {
                Some(base.to_owned())
            }
            // The formula multiplies by 100.
            Reading::Scaled(divisor) => Some((100 * divisor).to_string()),
            _ => None,
        }
    }

    /// By what factor the clock by which the value is divided is faster than 1/100 s; `None` if there is no
    /// such clock.
    pub(crate) fn clock_rate(self) -> Option<u64> {
        match self {
            Reading::Rate(divisor) => Some(divisor),
            Reading::Queue => Some(10),
            Reading::Busy(ticks) | Reading::Idle(ticks) => Some(ticks),
            _ => None,
        }
    }
}

/// The type word of a base.
pub(crate) fn base_type(is_wide: bool) -> CounterType {
    CounterType(if is_wide { 0x4003_0500 } else { 0x4003_0403 })
}
