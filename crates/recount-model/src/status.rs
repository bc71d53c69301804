//! Why a value is present or missing.

use std::fmt;

/// The state of one cooked value. With [`Status::Ok`], [`Status::SinceStart`] and [`Status::HidesFall`] there is a value, with all
/// others there is none.
///
/// If several apply, the smallest wins, except `Ok`: the order is that of `formats/counter-types.md`, "When there is no
/// value".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Status {
    /// There is a value.
    #[default]
    Ok = 0,
    /// The source marks the sample as failed, or a size, base, link or frequency is missing.
    InvalidData = 1,
    /// Text, no-data and histogram types, or a type word whose arithmetic is unknown.
    NotANumber = 2,
    /// A two-sample type at the first sample of the capture.
    FirstSample = 3,
    /// A two-sample type whose instance is not in the previous sample.
    NoPreviousInstance = 4,
    /// The clock that the formula divides by did not advance.
    ClockNotAdvancing = 5,
    /// A counter or base went down: one of 64 bits, or one of 32 bits of an instance that is a total.
    CounterReset = 6,
    /// The base did not move, or is zero.
    NoOperations = 7,
    /// An elapsed time whose start is after the sample.
    NegativeElapsed = 8,
    /// There is a value, of an instance that isn't in the previous sample because it began later: all that it has
    /// counted, over the whole interval (`formats/counter-types.md`, "Instances that began in the interval").
    SinceStart = 9,
    /// There is a value, of a total that is too small: a member ended in the interval, and what it had counted is missing in the
    /// total (`formats/counter-types.md`, "Totals that hide a fall").
    HidesFall = 10,
}

impl Status {
    /// Every status, in order of precedence after `Ok`.
    pub const ALL: [Status; 11] = [
        Status::Ok,
        Status::InvalidData,
        Status::NotANumber,
        Status::FirstSample,
        Status::NoPreviousInstance,
        Status::ClockNotAdvancing,
        Status::CounterReset,
        Status::NoOperations,
        Status::NegativeElapsed,
        Status::SinceStart,
        Status::HidesFall,
    ];

    /// The reasons why there is no value, in order of precedence: reason `n` has the number `n + 1`.
    pub const REASONS: [Status; 8] = {
        // What lies between those that have a value.
        let [Status::Ok, reasons @ .., Status::SinceStart, Status::HidesFall] = Status::ALL else {
            panic!("has_value differs")
        };
        reasons
    };

    /// Whether there is a value.
    #[inline]
    pub const fn has_value(self) -> bool {
        matches!(self, Status::Ok | Status::SinceStart | Status::HidesFall)
    }

    /// Whether what was counted says that there can be no value, so that none from elsewhere fits.
    pub const fn rules_out_value(self) -> bool {
        matches!(
            self,
            Status::ClockNotAdvancing | Status::CounterReset | Status::NoOperations | Status::NegativeElapsed
        )
    }

    /// The name used in tables and messages, e.g. `counter-reset`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::InvalidData => "invalid-data",
            Status::NotANumber => "not-a-number",
            Status::FirstSample => "first-sample",
            Status::NoPreviousInstance => "no-previous-instance",
            Status::ClockNotAdvancing => "clock-not-advancing",
            Status::CounterReset => "counter-reset",
            Status::NoOperations => "no-operations",
            Status::NegativeElapsed => "negative-elapsed",
            Status::SinceStart => "since-start",
            Status::HidesFall => "hides-fall",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
