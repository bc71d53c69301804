//! The counter type word and its bit fields (winperf.h; NT resource kit, table 12.3).

use std::fmt;

use crate::counter_type_table::{PREDEFINED, Predefined};

/// A counter type word. Unknown words are preserved: they print as hexadecimal and round-trip.
///
/// ```text
/// 31..28  27..26  25     24       23          22             21..20  19..16   11..10  9..8
/// display   -     MULTI  INVERSE  DELTA_BASE  DELTA_COUNTER  timer   subtype  type    size
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterType(pub u32);

/// Size field: bytes of the raw value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 4 bytes.
    Dword,
    /// 8 bytes.
    Large,
    /// The counter definition's `CounterSize` says.
    Zero,
    /// The first DWORD of the data says.
    VariableLen,
}

/// Type field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeClass {
    /// A number that isn't a counter.
    Number,
    /// An increasing value.
    Counter,
    /// Text.
    Text,
    /// Always shown as zero.
    Zero,
}

/// Subtype field, whose meaning depends on the type field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubType {
    /// NUMBER shown in hexadecimal.
    Hex,
    /// NUMBER shown in decimal.
    Decimal,
    /// NUMBER shown divided by 1000.
    Dec1000,
    /// COUNTER shown as the difference.
    Value,
    /// COUNTER divided by elapsed time.
    Rate,
    /// COUNTER divided by a base.
    Fraction,
    /// COUNTER that only serves another counter.
    Base,
    /// COUNTER that is a start time.
    Elapsed,
    /// COUNTER that is the space-time product of a queue length.
    QueueLen,
    /// COUNTER that begins or ends a histogram.
    Histogram,
    /// COUNTER divided by a time stamp taken with it.
    Precision,
    /// TEXT in UTF-16.
    Unicode,
    /// TEXT in the object's code page.
    Ascii,
    /// A value that isn't documented.
    Unknown(u8),
}

/// Timer field: the clock that the counter uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// `PerfTime` and `PerfFreq` of the block.
    Tick,
    /// `PerfTime100nSec` of the block, 10,000,000 per second.
    HundredNs,
    /// `PerfTime` and `PerfFreq` of the object.
    Object,
}

/// Display field: the suffix of the shown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// None.
    NoSuffix,
    /// `/sec`
    PerSec,
    /// `%`
    Percent,
    /// `sec`
    Seconds,
    /// Not to be shown.
    NoShow,
    /// A value that isn't documented.
    Unknown(u8),
}

const DELTA_COUNTER: u32 = 0x0040_0000;
const DELTA_BASE: u32 = 0x0080_0000;
const INVERSE_COUNTER: u32 = 0x0100_0000;
const MULTI_COUNTER: u32 = 0x0200_0000;

impl CounterType {
    /// Size field, bits 8 and 9.
    pub const fn size(self) -> Size {
        match (self.0 >> 8) & 0x3 {
            0 => Size::Dword,
            1 => Size::Large,
            2 => Size::Zero,
            _ => Size::VariableLen,
        }
    }

    /// Type field, bits 10 and 11.
    pub const fn class(self) -> TypeClass {
        match (self.0 >> 10) & 0x3 {
            0 => TypeClass::Number,
            1 => TypeClass::Counter,
            2 => TypeClass::Text,
            _ => TypeClass::Zero,
        }
    }

    /// Subtype field, bits 16 to 19.
    pub const fn subtype(self) -> SubType {
        let value = ((self.0 >> 16) & 0xF) as u8;
        match (self.class(), value) {
            (TypeClass::Number, 0) => SubType::Hex,
            (TypeClass::Number, 1) => SubType::Decimal,
            (TypeClass::Number, 2) => SubType::Dec1000,
            (TypeClass::Counter, 0) => SubType::Value,
            (TypeClass::Counter, 1) => SubType::Rate,
            (TypeClass::Counter, 2) => SubType::Fraction,
            (TypeClass::Counter, 3) => SubType::Base,
            (TypeClass::Counter, 4) => SubType::Elapsed,
            (TypeClass::Counter, 5) => SubType::QueueLen,
            (TypeClass::Counter, 6) => SubType::Histogram,
            (TypeClass::Counter, 7) => SubType::Precision,
            (TypeClass::Text, 0) => SubType::Unicode,
            (TypeClass::Text, 1) => SubType::Ascii,
            _ => SubType::Unknown(value),
        }
    }

    /// Timer field, bits 20 and 21; `None` for the undocumented value.
    pub const fn timer(self) -> Option<Timer> {
        match (self.0 >> 20) & 0x3 {
            0 => Some(Timer::Tick),
            1 => Some(Timer::HundredNs),
            2 => Some(Timer::Object),
            _ => None,
        }
    }

    /// Display field, bits 28 to 31.
    pub const fn display(self) -> Display {
        match (self.0 >> 28) as u8 {
            0 => Display::NoSuffix,
            1 => Display::PerSec,
            2 => Display::Percent,
            3 => Display::Seconds,
            4 => Display::NoShow,
            other => Display::Unknown(other),
        }
    }

    /// Modifier: take the difference of the counter first.
    pub const fn is_delta_counter(self) -> bool {
        self.0 & DELTA_COUNTER != 0
    }

    /// Modifier: take the difference of the base first.
    pub const fn is_delta_base(self) -> bool {
        self.0 & DELTA_BASE != 0
    }

    /// Modifier: show the complement (100 % minus the value).
    pub const fn is_inverse(self) -> bool {
        self.0 & INVERSE_COUNTER != 0
    }

    /// Modifier: the sum over several instances, whose number is in the multi base.
    pub const fn is_multi(self) -> bool {
        self.0 & MULTI_COUNTER != 0
    }

    /// Whether the counter only serves another one (`PERF_COUNTER_BASE`), `PERF_COUNTER_MULTI_BASE` included.
    pub const fn is_base(self) -> bool {
        matches!(self.subtype(), SubType::Base)
    }

    /// The row of the table of predefined types, if the word is one.
    pub fn predefined(self) -> Option<&'static Predefined> {
        PREDEFINED.iter().find(|row| row.word == self.0)
    }

    /// Name of the predefined type, e.g. `PERF_100NSEC_TIMER`.
    pub fn name(self) -> Option<&'static str> {
        self.predefined().map(|row| row.name)
    }

    /// Unit of the cooked value: `/sec`, `%`, `sec`, or an empty string.
    pub fn unit(self) -> &'static str {
        match self.predefined() {
            Some(row) => row.unit,
            None => match self.display() {
                Display::PerSec => "/sec",
                Display::Percent => "%",
                Display::Seconds => "sec",
                Display::NoSuffix | Display::NoShow | Display::Unknown(_) => "",
            },
        }
    }
}

impl fmt::Display for CounterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => f.pad(&format!("{:#010X}", self.0)),
        }
    }
}

impl fmt::Debug for CounterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CounterType({:#010X})", self.0)
    }
}
