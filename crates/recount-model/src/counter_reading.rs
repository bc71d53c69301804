//! How the counters in tables of other recorders' logs are computed.

use crate::{CounterType, FieldSum, Formula};

/// How a sum of fields becomes a counter, in a table for the logs of another recorder. The table says which fields and
/// in which units; this, what is done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterReading {
    /// Difference per second.
    Rate,
    /// Difference of a time, divided by elapsed time.
    Queue,
    /// That, as a percentage.
    Busy,
    /// 100 % minus that.
    Idle,
    /// Difference as a percentage of the base's.
    Share(FieldSum),
    /// Difference divided by the base's.
    Average(FieldSum),
    /// Difference of a time, divided by the base's difference.
    AverageTime(FieldSum),
    /// How much of a line is used, of the bytes received.
    LineUse {
        /// The bytes sent.
        sent: FieldSum,
        /// A [`LineSpeed`](crate::LineSpeed).
        speed: FieldSum,
    },
    /// A current value.
    Gauge,
    /// A count since booting, as it is.
    Count,
    /// A current value below this limit; larger ones count as missing.
    Below(u64),
    /// A current fraction, in whole hundredths.
    Hundredths,
    /// A current value divided by this, rounded down.
    Whole(u64),
    /// A current value divided by this.
    Scaled(u64),
    /// A current value as a percentage of the base.
    Percentage(FieldSum),
}

use CounterReading::{
    Average, AverageTime, Below, Busy, Count, Gauge, Hundredths, Idle, LineUse, Percentage, Queue, Rate,
    Scaled, Share, Whole,
};

/// [`CounterReading::Share`], of a sum that a table says.
#[must_use]
pub const fn share_of(base: &'static str) -> CounterReading {
    Share(FieldSum::of(base))
}

/// [`CounterReading::Average`], over a sum that a table says.
#[must_use]
pub const fn average_over(base: &'static str) -> CounterReading {
    Average(FieldSum::of(base))
}

/// [`CounterReading::AverageTime`], over a sum that a table says.
#[must_use]
pub const fn average_time_over(base: &'static str) -> CounterReading {
    AverageTime(FieldSum::of(base))
}

/// [`CounterReading::Percentage`], of a sum that a table says.
#[must_use]
pub const fn percentage_of(base: &'static str) -> CounterReading {
    Percentage(FieldSum::of(base))
}

impl CounterReading {
    /// The type word, for raw values of 8 or 4 bytes. Words that aren't predefined are computed by their bit fields.
    #[must_use]
    pub const fn counter_type(self, is_wide: bool) -> CounterType {
        let word = match self {
            Rate => 0x1041_0400,
            Queue => 0x0045_0400,
            Busy | LineUse { .. } => 0x2041_0400,
            Idle => 0x2141_0400,
            Share(_) => 0x2047_0400,
            Average(_) => 0x4002_0400,
            AverageTime(_) => 0x3002_0400,
            Gauge | Count | Below(_) | Hundredths | Whole(_) => 0x0001_0000,
            Scaled(_) | Percentage(_) => 0x2002_0400,
        };
        CounterType(if is_wide { word | 0x100 } else { word })
    }

    /// The type word of a base.
    #[must_use]
    pub const fn base_type(is_wide: bool) -> CounterType {
        CounterType(if is_wide { 0x4003_0500 } else { 0x4003_0403 })
    }

    /// The unit of the cooked value, if the fields are in plain units.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Rate => "/sec",
            Busy | Idle | LineUse { .. } | Share(_) | Percentage(_) => "%",
            AverageTime(_) => "sec",
            Queue | Average(_) | Gauge | Count | Below(_) | Hundredths | Whole(_) | Scaled(_) => "",
        }
    }

    /// The sum by which it is divided, or with which it is compared; `None` if that is a clock or a number, or if there is none.
    #[must_use]
    pub const fn base(self) -> Option<FieldSum> {
        match self {
            Share(base)
            | Average(base)
            | AverageTime(base)
            | Percentage(base)
            | LineUse { sent: base, .. } => Some(base),
            _ => None,
        }
    }

    /// The formula, if no type has it.
    #[must_use]
    pub const fn own_formula(self) -> Option<Formula> {
        if matches!(self, LineUse { .. }) { Some(Formula::LineUse) } else { None }
    }

    /// Whether it is computed from one sample, from a current value.
    #[must_use]
    pub const fn is_current(self) -> bool {
        matches!(self, Gauge | Below(_) | Hundredths | Whole(_) | Scaled(_) | Percentage(_))
    }

    /// Whether it is divided by elapsed time.
    #[must_use]
    pub const fn is_over_time(self) -> bool {
        matches!(self, Rate | Queue | Busy | Idle)
    }

    /// Whether its fields must be times.
    #[must_use]
    pub const fn is_of_time(self) -> bool {
        matches!(self, Queue | Busy | Idle | AverageTime(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formula;

    /// What the words mean is decided by their bit fields, as for every other capture.
    #[test]
    fn type_words_have_the_formula_that_is_meant() {
        let base = FieldSum::of("a");
        let expected = [
            (Rate, Formula::Rate),
            (Queue, Formula::QueueLength),
            (Busy, Formula::Timer),
            (Idle, Formula::TimerInverse),
            (Share(base), Formula::PrecisionTimer),
            (Average(base), Formula::AverageBulk),
            (AverageTime(base), Formula::AverageTimer),
            (Gauge, Formula::RawCount),
            (Scaled(100), Formula::RawFraction),
        ];
        for (reading, formula) in expected {
            for (is_wide, len) in [(true, 8), (false, 4)] {
                assert_eq!(reading.counter_type(is_wide).recipe(len).formula, formula, "{reading:?}");
            }
        }
        assert_eq!(CounterReading::base_type(true).recipe(8).formula, Formula::Base);
        assert_eq!(CounterReading::base_type(false).recipe(4).formula, Formula::Base);
    }
}
