//! The one table of predefined counter types: every type of the NT resource kit's table 12.4, of MS-PCQ
//! 2.2.4.2 (`_PERF_COUNTER_REG_INFO`) and of winperf.h.

use crate::recipe::Formula;
use crate::{CounterType, Timer};

/// A predefined counter type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predefined {
    /// Name in winperf.h.
    pub name: &'static str,
    /// The type word.
    pub word: u32,
    /// The formula class.
    pub formula: Formula,
    /// The clock that the formula uses, as divisor or as time base.
    pub clock: Option<Timer>,
    /// The word of the matching base type.
    pub base: Option<u32>,
    /// Unit of the cooked value, as shown after it.
    pub unit: &'static str,
}

impl Predefined {
    /// The type word.
    pub const fn counter_type(&self) -> CounterType {
        CounterType(self.word)
    }
}

const SAMPLE_BASE: Option<u32> = Some(0x4003_0401);
const AVERAGE_BASE: Option<u32> = Some(0x4003_0402);
const RAW_BASE: Option<u32> = Some(0x4003_0403);
const LARGE_RAW_BASE: Option<u32> = Some(0x4003_0500);
const MULTI_BASE: Option<u32> = Some(0x4203_0500);

const TICK: Option<Timer> = Some(Timer::Tick);
const HUNDRED_NS: Option<Timer> = Some(Timer::HundredNs);
const OBJECT: Option<Timer> = Some(Timer::Object);

const fn row(
    name: &'static str,
    word: u32,
    formula: Formula,
    clock: Option<Timer>,
    base: Option<u32>,
    unit: &'static str,
) -> Predefined {
    Predefined { name, word, formula, clock, base, unit }
}

/// All predefined types, in the order of `formats/counter-types.md`, "The types".
#[rustfmt::skip]
pub static PREDEFINED: &[Predefined] = &[
    row("PERF_COUNTER_COUNTER",                0x1041_0400, Formula::Rate,              TICK,       None,           "/sec"),
    row("PERF_COUNTER_BULK_COUNT",             0x1041_0500, Formula::Rate,              TICK,       None,           "/sec"),
    row("PERF_SAMPLE_COUNTER",                 0x0041_0400, Formula::Rate,              TICK,       None,           ""),
    row("PERF_COUNTER_TIMER",                  0x2041_0500, Formula::Timer,             TICK,       None,           "%"),
    row("PERF_COUNTER_TIMER_INV",              0x2141_0500, Formula::TimerInverse,      TICK,       None,           "%"),
    row("PERF_100NSEC_TIMER",                  0x2051_0500, Formula::Timer,             HUNDRED_NS, None,           "%"),
    row("PERF_100NSEC_TIMER_INV",              0x2151_0500, Formula::TimerInverse,      HUNDRED_NS, None,           "%"),
    row("PERF_OBJ_TIME_TIMER",                 0x2061_0500, Formula::Timer,             OBJECT,     None,           "%"),
    row("PERF_COUNTER_MULTI_TIMER",            0x2241_0500, Formula::MultiTimer,        TICK,       MULTI_BASE,     "%"),
    row("PERF_COUNTER_MULTI_TIMER_INV",        0x2341_0500, Formula::MultiTimerInverse, TICK,       MULTI_BASE,     "%"),
    row("PERF_100NSEC_MULTI_TIMER",            0x2251_0500, Formula::MultiTimer,        HUNDRED_NS, MULTI_BASE,     "%"),
    row("PERF_100NSEC_MULTI_TIMER_INV",        0x2351_0500, Formula::MultiTimerInverse, HUNDRED_NS, MULTI_BASE,     "%"),
    row("PERF_COUNTER_QUEUELEN_TYPE",          0x0045_0400, Formula::QueueLength,       TICK,       None,           ""),
    row("PERF_COUNTER_LARGE_QUEUELEN_TYPE",    0x0045_0500, Formula::QueueLength,       TICK,       None,           ""),
    row("PERF_COUNTER_100NS_QUEUELEN_TYPE",    0x0055_0500, Formula::QueueLength,       HUNDRED_NS, None,           ""),
    row("PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE", 0x0065_0500, Formula::QueueLength,       OBJECT,     None,           ""),
    row("PERF_SAMPLE_FRACTION",                0x20C2_0400, Formula::SampleFraction,    None,       SAMPLE_BASE,    "%"),
    row("PERF_AVERAGE_TIMER",                  0x3002_0400, Formula::AverageTimer,      TICK,       AVERAGE_BASE,   "sec"),
    row("PERF_AVERAGE_BULK",                   0x4002_0500, Formula::AverageBulk,       None,       AVERAGE_BASE,   ""),
    row("PERF_PRECISION_SYSTEM_TIMER",         0x2047_0500, Formula::PrecisionTimer,    None,       LARGE_RAW_BASE, "%"),
    row("PERF_PRECISION_100NS_TIMER",          0x2057_0500, Formula::PrecisionTimer,    None,       LARGE_RAW_BASE, "%"),
    row("PERF_PRECISION_OBJECT_TIMER",         0x2067_0500, Formula::PrecisionTimer,    None,       LARGE_RAW_BASE, "%"),
    row("PERF_COUNTER_DELTA",                  0x0040_0400, Formula::Delta,             None,       None,           ""),
    row("PERF_COUNTER_LARGE_DELTA",            0x0040_0500, Formula::Delta,             None,       None,           ""),
    row("PERF_RAW_FRACTION",                   0x2002_0400, Formula::RawFraction,       None,       RAW_BASE,       "%"),
    row("PERF_LARGE_RAW_FRACTION",             0x2002_0500, Formula::RawFraction,       None,       LARGE_RAW_BASE, "%"),
    row("PERF_ELAPSED_TIME",                   0x3024_0500, Formula::Elapsed,           OBJECT,     None,           "sec"),
    row("PERF_COUNTER_RAWCOUNT",               0x0001_0000, Formula::RawCount,          None,       None,           ""),
    row("PERF_COUNTER_LARGE_RAWCOUNT",         0x0001_0100, Formula::RawCount,          None,       None,           ""),
    row("PERF_COUNTER_RAWCOUNT_HEX",           0x0000_0000, Formula::RawCount,          None,       None,           ""),
    row("PERF_COUNTER_LARGE_RAWCOUNT_HEX",     0x0000_0100, Formula::RawCount,          None,       None,           ""),
    row("PERF_COUNTER_TEXT",                   0x0000_0B00, Formula::NotANumber,        None,       None,           ""),
    row("PERF_COUNTER_NODATA",                 0x4000_0200, Formula::NotANumber,        None,       None,           ""),
    row("PERF_COUNTER_HISTOGRAM_TYPE",         0x8000_0000, Formula::NotANumber,        None,       None,           ""),
    row("PERF_SAMPLE_BASE",                    0x4003_0401, Formula::Base,              None,       None,           ""),
    row("PERF_AVERAGE_BASE",                   0x4003_0402, Formula::Base,              None,       None,           ""),
    row("PERF_RAW_BASE",                       0x4003_0403, Formula::Base,              None,       None,           ""),
    row("PERF_LARGE_RAW_BASE",                 0x4003_0500, Formula::Base,              None,       None,           ""),
    row("PERF_COUNTER_MULTI_BASE",             0x4203_0500, Formula::Base,              None,       None,           ""),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn words_and_names_are_unique_and_bases_exist() {
        let words: BTreeSet<u32> = PREDEFINED.iter().map(|row| row.word).collect();
        let names: BTreeSet<&str> = PREDEFINED.iter().map(|row| row.name).collect();
        assert_eq!((words.len(), names.len()), (PREDEFINED.len(), PREDEFINED.len()));
        for row in PREDEFINED {
            assert!(row.base.is_none_or(|base| words.contains(&base)), "{}", row.name);
        }
    }

    /// The table and the bit fields state the same thing, so they have to agree.
    #[test]
    fn bit_fields_lead_to_the_same_recipe() {
        for row in PREDEFINED {
            let word = row.counter_type();
            // That there is no data is known by name only.
            if row.name != "PERF_COUNTER_NODATA" {
                let decoded = crate::recipe::by_fields(word, 8);
                assert_eq!(decoded.formula, row.formula, "{}", row.name);
                assert_eq!(decoded.clock, row.clock, "{}", row.name);
            }
        }
    }
}
