//! From a type word to its computation.

use crate::{CounterType, Display, Size, SubType, Timer, TypeClass};

/// A class of formulas. N is the counter's raw value, D the clock, F its frequency, B the base, M the instance
/// count; d is the difference between two consecutive samples (formats/counter-types.md, "The types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// dN / (dD / F)
    Rate,
    /// (dN / (dD / F)) / M
    MultiRate,
    /// 100 dN / dD
    Timer,
    /// 100 (1 − dN / dD)
    TimerInverse,
    /// 100 (dN / dD) / M
    MultiTimer,
    /// 100 (M − dN / dD)
    MultiTimerInverse,
    /// dN / dD
    QueueLength,
    /// 100 dN / dB
    SampleFraction,
    /// 100 (1 − dN / dB)
    SampleFractionInverse,
    /// (dN / F) / dB
    AverageTimer,
    /// dN / dB
    AverageBulk,
    /// 1 − dN / dB
    AverageInverse,
    /// 100 dN / dB, where B is a time stamp taken with N
    PrecisionTimer,
    /// 100 (larger of dN and dB, or dN + dB) / (dD / F) / M, where M says what a line can take, and whether in both directions at once
    LineUse,
    /// dN
    Delta,
    /// 100 N / B
    RawFraction,
    /// 100 (1 − N / B)
    RawFractionInverse,
    /// (D − N) / F
    Elapsed,
    /// N
    RawCount,
    /// N / 1000
    Thousandth,
    /// 0, whatever the data.
    Zero,
    /// Not a number: text, no data, histograms, or arithmetic that the fields don't determine.
    NotANumber,
    /// A counter that only serves another counter.
    Base,
}

/// The inputs of a formula.
#[derive(Clone, Copy)]
struct Needs {
    samples: u8,
    second: Operand,
    frequency: bool,
    multi: bool,
}

/// The second value of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    /// A reading of the clock.
    Clock,
    /// A base, with its width if no definition states one.
    Base(BaseWidth),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BaseWidth {
    Dword,
    Large,
    /// The same as the counter.
    AsCounter,
}

const fn needs(samples: u8, second: Operand, frequency: bool, multi: bool) -> Needs {
    Needs { samples, second, frequency, multi }
}

impl Formula {
    /// The only table of formulas: samples, second value, ticks to seconds, instance count.
    #[expect(clippy::match_same_arms, reason = "a table: one row per formula")]
    #[rustfmt::skip]
    const fn needs(self) -> Needs {
        use BaseWidth::{AsCounter, Dword, Large};
        use Operand::{Base, Clock, None};
        match self {
            Formula::Rate                  => needs(2, Clock,           true,  false),
            Formula::MultiRate             => needs(2, Clock,           true,  true),
            Formula::Timer                 => needs(2, Clock,           false, false),
            Formula::TimerInverse          => needs(2, Clock,           false, false),
            Formula::MultiTimer            => needs(2, Clock,           false, true),
            Formula::MultiTimerInverse     => needs(2, Clock,           false, true),
            Formula::QueueLength           => needs(2, Clock,           false, false),
            Formula::SampleFraction        => needs(2, Base(Dword),     false, false),
            Formula::SampleFractionInverse => needs(2, Base(Dword),     false, false),
            Formula::AverageTimer          => needs(2, Base(Dword),     true,  false),
            Formula::AverageBulk           => needs(2, Base(Dword),     false, false),
            Formula::AverageInverse        => needs(2, Base(Dword),     false, false),
            Formula::PrecisionTimer        => needs(2, Base(Large),     false, false),
            Formula::LineUse               => needs(2, Base(AsCounter), true,  true),
            Formula::Delta                 => needs(2, None,            false, false),
            Formula::RawFraction           => needs(1, Base(AsCounter), false, false),
            Formula::RawFractionInverse    => needs(1, Base(AsCounter), false, false),
            Formula::Elapsed               => needs(1, Clock,           true,  false),
            Formula::RawCount              => needs(1, None,            false, false),
            Formula::Thousandth            => needs(1, None,            false, false),
            Formula::Zero                  => needs(1, None,            false, false),
            Formula::NotANumber            => needs(1, None,            false, false),
            Formula::Base                  => needs(1, None,            false, false),
        }
    }

    /// Whether the value needs the previous sample.
    pub const fn needs_two_samples(self) -> bool {
        self.needs().samples == 2
    }

    /// Whether the second value is a base counter.
    pub const fn needs_base(self) -> bool {
        matches!(self.needs().second, Operand::Base(_))
    }

    /// Whether the second value is a reading of the clock.
    pub const fn needs_clock(self) -> bool {
        matches!(self.needs().second, Operand::Clock)
    }

    /// Whether ticks have to be turned into seconds.
    pub const fn needs_frequency(self) -> bool {
        self.needs().frequency
    }

    /// Whether an instance count is needed.
    pub const fn needs_multi(self) -> bool {
        self.needs().multi
    }

    /// Width of a base that neither a definition nor a table describes, for a counter of width `counter`
    /// (formats/counter-types.md#inputs).
    pub const fn base_width(self, counter: Width) -> Width {
        match self.needs().second {
            Operand::Base(BaseWidth::Large) => Width::Large,
            Operand::Base(BaseWidth::AsCounter) => counter,
            Operand::Base(BaseWidth::Dword) | Operand::Clock | Operand::None => Width::Dword,
        }
    }

    /// Whether it is an average per operation, which PDH text shows as 0 if there were no operations.
    pub const fn is_average(self) -> bool {
        matches!(self, Formula::AverageTimer | Formula::AverageBulk)
    }

    /// Whether a number is read: not for texts and the like, nor where the data doesn't matter.
    pub const fn reads_number(self) -> bool {
        !matches!(self, Formula::NotANumber | Formula::Zero)
    }
}

/// Width of a raw value, which decides how it wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits: a decrease is a wrap-around, taken modulo 2^32.
    Dword,
    /// 64 bits: a decrease is a reset.
    Large,
}

/// What has to be computed for a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The formula class.
    pub formula: Formula,
    /// Width of the counter's raw value.
    pub width: Width,
    /// The clock whose reading or frequency the formula uses.
    pub clock: Option<Timer>,
}

impl CounterType {
    /// What has to be computed. `len_value` is the raw value's length in bytes from the counter's definition,
    /// used if the word's size field leaves it open.
    ///
    /// Predefined words use the table; others their bit fields, if these determine the arithmetic
    /// (formats/counter-types.md, "Unknown words").
    pub fn recipe(self, len_value: u32) -> Recipe {
        match self.predefined() {
            Some(row) => Recipe { formula: row.formula, width: self.width(len_value), clock: row.clock },
            None => by_fields(self, len_value),
        }
    }

    /// Width of the raw value.
    pub fn width(self, len_value: u32) -> Width {
        match self.size() {
            Size::Dword => Width::Dword,
            Size::Zero if len_value == 4 => Width::Dword,
            // Each value has its own length, of which the longest is 8 bytes.
            Size::Large | Size::Zero | Size::VariableLen => Width::Large,
        }
    }
}

/// The recipe that the bit fields alone determine.
pub(crate) fn by_fields(word: CounterType, len_value: u32) -> Recipe {
    let formula = formula_by_fields(word);
    let clock = match formula {
        Formula::AverageTimer => word.timer(),
        formula if formula.needs_clock() => word.timer(),
        _ => None,
    };
    let has_clock = !(formula.needs_clock() || formula.needs_frequency()) || clock.is_some();
    let formula = if has_clock { formula } else { Formula::NotANumber };
    Recipe { formula, width: word.width(len_value), clock }
}

/// formats/counter-types.md#unknown-words
fn formula_by_fields(word: CounterType) -> Formula {
    match word.class() {
        TypeClass::Zero => Formula::Zero,
        TypeClass::Text => Formula::NotANumber,
        TypeClass::Number => number_by_fields(word),
        TypeClass::Counter => counter_by_fields(word),
    }
}

/// A number is shown as it is: modifiers say nothing about it.
fn number_by_fields(word: CounterType) -> Formula {
    let is_modified = word.is_delta_counter() || word.is_delta_base() || word.is_inverse() || word.is_multi();
    match word.subtype() {
        _ if is_modified || matches!(word.display(), Display::Unknown(_)) => Formula::NotANumber,
        SubType::Hex | SubType::Decimal => Formula::RawCount,
        SubType::Dec1000 => Formula::Thousandth,
        _ => Formula::NotANumber,
    }
}

/// The subtypes VALUE, RATE and FRACTION are differences by their definition, with or without the DELTA flags. Modifiers
/// that a subtype gives no meaning to leave the formula open.
fn counter_by_fields(word: CounterType) -> Formula {
    let modifiers = (word.is_inverse(), word.is_multi());
    let is_percentage = word.display() == Display::Percent;
    match (word.subtype(), modifiers) {
        (SubType::Base, _) => Formula::Base,
        (SubType::Value, (false, false)) => Formula::Delta,
        (SubType::Rate, _) if is_percentage => match modifiers {
            (false, false) => Formula::Timer,
            (true, false) => Formula::TimerInverse,
            (false, true) => Formula::MultiTimer,
            (true, true) => Formula::MultiTimerInverse,
        },
        (SubType::Rate, (false, false)) => Formula::Rate,
        (SubType::Rate, (false, true)) => Formula::MultiRate,
        (SubType::Fraction, (is_inverse, false)) => fraction_by_fields(word, is_inverse),
        (SubType::QueueLen, (false, false)) if !is_percentage => Formula::QueueLength,
        (SubType::Elapsed, (false, false)) if !is_percentage && !word.is_delta_counter() => Formula::Elapsed,
        (SubType::Precision, (false, false)) if is_percentage => Formula::PrecisionTimer,
        _ => Formula::NotANumber,
    }
}

/// A fraction that isn't shown as a percentage is an average. Of a percentage, both differences are taken, or neither.
fn fraction_by_fields(word: CounterType, is_inverse: bool) -> Formula {
    match (word.display(), is_inverse) {
        (Display::Percent, _) => match (word.is_delta_counter(), word.is_delta_base(), is_inverse) {
            (true, true, false) => Formula::SampleFraction,
            (true, true, true) => Formula::SampleFractionInverse,
            (false, false, false) => Formula::RawFraction,
            (false, false, true) => Formula::RawFractionInverse,
            (true, false, _) | (false, true, _) => Formula::NotANumber,
        },
        (Display::Seconds, false) => Formula::AverageTimer,
        (Display::Seconds, true) => Formula::NotANumber,
        (_, false) => Formula::AverageBulk,
        (_, true) => Formula::AverageInverse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(word: u32) -> Formula {
        CounterType(word).recipe(8).formula
    }

    #[test]
    fn unknown_words_decode_by_their_fields() {
        // An inverse PERF_OBJ_TIME_TIMER and a 32-bit PERF_COUNTER_TIMER are in no table, but are determined.
        assert_eq!(formula(0x2161_0500), Formula::TimerInverse);
        assert_eq!(CounterType(0x2161_0500).recipe(8).clock, Some(Timer::Object));
        assert_eq!(formula(0x2041_0400), Formula::Timer);
        assert_eq!(CounterType(0x2041_0400).recipe(4).width, Width::Dword);
        // A 64-bit average time, and the resource kit's bytes per operation, which has no flags and no suffix.
        assert_eq!(formula(0x3002_0500), Formula::AverageTimer);
        assert_eq!(formula(0x0002_0500), Formula::AverageBulk);
        assert_eq!(formula(0x1002_0400), Formula::AverageBulk);
        // Differences without the flag, a fraction of 64-bit differences, a rate that sums up instances.
        assert_eq!(formula(0x0000_0400), Formula::Delta);
        assert_eq!(formula(0x1001_0400), Formula::Rate);
        assert_eq!(formula(0x20C2_0500), Formula::SampleFraction);
        assert_eq!(formula(0x1241_0500), Formula::MultiRate);
        // Numbers, and what is always zero.
        assert_eq!(formula(0x0002_0000), Formula::Thousandth);
        assert_eq!(formula(0x2001_0100), Formula::RawCount);
        assert_eq!(formula(0x1040_0D00), Formula::Zero);
    }

    #[test]
    fn what_the_fields_leave_open_is_no_number() {
        // Timer field 3, an inverse rate, a fraction of several instances, a percentage of one difference, a difference of
        // a number, an unknown subtype.
        for word in [0x2071_0500, 0x1141_0500, 0x2202_0500, 0x2042_0500, 0x0041_0000, 0x0005_0000] {
            assert_eq!(formula(word), Formula::NotANumber, "{word:#x}");
        }
    }

    #[test]
    fn a_zero_size_takes_its_width_from_the_definition() {
        assert_eq!(CounterType(0x1041_0600).recipe(4).width, Width::Dword);
        assert_eq!(CounterType(0x1041_0600).recipe(8).width, Width::Large);
    }
}
