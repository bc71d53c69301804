//! The fields of a counter, and its value in a row.

use recount_model::{CounterType, Status};

use crate::structure::flag;
use crate::structure::layout::{Slot, Type};

/// How a counter is computed from fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// Differences, summed, per second.
    Rate(&'static [&'static str]),
    /// A difference that may be negative, per second.
    Growth(&'static str),
    /// A sum of differences divided by another.
    Share(&'static [&'static str], &'static [&'static str]),
    /// A gauge; no value if it is negative, with which the recorder marks unknown values.
    Now(&'static str),
    /// A gauge that has no value if it is 0, either.
    NowIfSet(&'static str),
    /// A gauge that may be negative.
    Signed(&'static str),
    /// Two gauges, added.
    Both(&'static str, &'static str),
    /// The first gauge minus the second.
    Less(&'static str, &'static str),
    /// The first gauge minus the second, as a share of the first.
    Used(&'static str, &'static str),
    /// A gauge as a share of another.
    Of(&'static str, &'static str),
    /// The product of two gauges.
    Times(&'static str, &'static str),
    /// Mean frequency of a processor in MHz: the sum divided by ticks, or the sum if there are no ticks.
    Frequency(&'static str, &'static str),
    /// The same as a share of the highest.
    FrequencyShare(&'static str, &'static str, &'static str),
    /// Exit code of a process, or 256 and the signal that ended it.
    ExitCode(&'static str),
    /// Seconds from a time to the time of the sample.
    Since(&'static str),
}

/// The conversion from a field's unit to the counter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    One,
    /// Pages to bytes.
    Page,
    /// Pages to units of 1,048,576 bytes.
    PageMib,
    /// Sectors to bytes.
    Sector,
    Kib,
    /// Words of 4 bytes.
    Word,
    /// Mbit/s to bit/s.
    Mega,
    /// Clock ticks per second to percent.
    Tick,
    /// Milli-, micro- and nanoseconds per second to percent.
    Milli,
    Micro,
    Nano,
    /// Milliseconds per second to the average number at a time.
    AtOnce,
    /// A share to percent.
    Percent,
    /// In percent already.
    Points,
}

impl Unit {
    fn factor(self, hertz: u16, page_size: u32) -> (f64, f64) {
        match self {
            Unit::One | Unit::Points => (1.0, 1.0),
            Unit::Page => (f64::from(page_size), 1.0),
            Unit::PageMib => (f64::from(page_size), f64::from(1 << 20)),
            Unit::Sector => (512.0, 1.0),
            Unit::Kib => (1024.0, 1.0),
            Unit::Word => (4.0, 1.0),
            Unit::Mega => (1e6, 1.0),
            Unit::Tick => (100.0, f64::from(hertz)),
            Unit::Milli => (1.0, 10.0),
            Unit::Micro => (1.0, 1e4),
            Unit::Nano => (1.0, 1e7),
            Unit::AtOnce => (1.0, 1e3),
            Unit::Percent => (100.0, 1.0),
        }
    }

    const fn is_time(self) -> bool {
        matches!(self, Unit::Tick | Unit::Milli | Unit::Micro | Unit::Nano)
    }
}

/// When a counter has a value at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// For a task that exists at the time of the sample.
    Alive,
    /// For a task that has memory: an ending process releases it before it disappears.
    Memory,
    /// For a task that has ended.
    Ended,
    /// Disk values of tasks.
    Disk,
    /// Network values of tasks.
    Net,
    /// GPU values of tasks.
    Gpu,
    /// Limits of the cgroup of a task.
    Cgroup,
    /// Counters of instructions.
    Cycles,
}

/// A counter of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    unit: Unit,
    needs: Needs,
    pub(crate) help: &'static str,
}

impl Counter {
    pub(crate) const fn new(name: &'static str, value: Value, unit: Unit, help: &'static str) -> Counter {
        Counter { name, value, unit, needs: Needs::Nothing, help }
    }

    pub(crate) const fn needs(self, needs: Needs) -> Counter {
        Counter { needs, ..self }
    }

    /// The type of Windows that describes the value; `None` if there is none.
    pub(crate) fn counter_type(&self) -> Option<CounterType> {
        const BULK_COUNT: u32 = 0x1041_0500;
        const TIMER_100NS: u32 = 0x2051_0500;
        const LARGE_RAWCOUNT: u32 = 0x0001_0100;
        const RAW_FRACTION: u32 = 0x2002_0400;
        const AVERAGE_BULK: u32 = 0x4002_0500;
        const ELAPSED_TIME: u32 = 0x3024_0500;
        let word = match (self.value, self.unit) {
            (Value::Rate(_), unit) if unit.is_time() => TIMER_100NS,
            (Value::Share(..), Unit::Percent) => TIMER_100NS,
            (Value::Rate(_), Unit::AtOnce) => return None,
            (Value::Rate(_) | Value::Growth(_), _) => BULK_COUNT,
            (Value::Share(..), unit) if unit != Unit::Points => AVERAGE_BULK,
            (Value::Used(..) | Value::Of(..) | Value::FrequencyShare(..), _)
            | (_, Unit::Percent | Unit::Points) => RAW_FRACTION,
            (Value::Since(_), _) => ELAPSED_TIME,
            (Value::Signed(_) | Value::Frequency(..), _) => return None,
            (_, _) => LARGE_RAWCOUNT,
        };
        Some(CounterType(word))
    }

    /// The counter in a block of fields; `None` if the version lacks one of them.
    pub(crate) fn resolve(
        &self,
        slot: impl Fn(&str) -> Option<Slot>,
        hertz: u16,
        page_size: u32,
    ) -> Option<Resolved> {
        let list = |names: &[&str]| names.iter().map(|name| slot(name)).collect::<Option<Vec<Slot>>>();
        let (first, second) = match self.value {
            Value::Rate(names) => (list(names)?, Vec::new()),
            Value::Share(parts, whole) => (list(parts)?, list(whole)?),
            Value::Growth(name)
            | Value::Now(name)
            | Value::NowIfSet(name)
            | Value::Signed(name)
            | Value::ExitCode(name)
            | Value::Since(name) => (list(&[name])?, Vec::new()),
            Value::Both(one, other)
            | Value::Less(one, other)
            | Value::Used(one, other)
            | Value::Of(one, other)
            | Value::Times(one, other)
            | Value::Frequency(one, other) => (list(&[one])?, list(&[other])?),
            Value::FrequencyShare(sum, ticks, max) => (list(&[sum])?, list(&[ticks, max])?),
        };
        let factor = self.unit.factor(hertz, page_size);
        Some(Resolved { value: self.value, needs: self.needs, factor, first, second })
    }
}

/// A counter whose fields are found.
#[derive(Debug)]
pub(crate) struct Resolved {
    value: Value,
    needs: Needs,
    /// Numerator and denominator.
    factor: (f64, f64),
    first: Vec<Slot>,
    second: Vec<Slot>,
}

/// Facts about the whole sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub(crate) time: i64,
    /// Seconds by which differences are divided, or why there are none.
    pub(crate) interval: Result<f64, Status>,
    /// No interval is longer than this many seconds.
    pub(crate) longest: f64,
    pub(crate) is_since_boot: bool,
    pub(crate) flags: u16,
    /// Whether instructions are counted.
    pub(crate) has_cycles: bool,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It has its memory, or never has any. Also used for rows that aren't tasks.
    Alive,
    /// It has released its memory.
    Ending,
    Ended,
}

/// A row of fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRow<'a> {
    pub(crate) bytes: &'a [u8],
    /// Entry of the array.
    pub(crate) entry: usize,
    /// One of its counters went back in the interval, so its differences are meaningless.
    pub(crate) is_reset: bool,
    pub(crate) life: Life,
    /// A process whose GPU values are valid.
    pub(crate) uses_gpu: bool,
}

impl<'a> FieldRow<'a> {
    pub(crate) fn of(bytes: &'a [u8], entry: usize) -> FieldRow<'a> {
        FieldRow { bytes, entry, is_reset: false, life: Life::Alive, uses_gpu: false }
    }

    fn int(&self, slot: Slot) -> i64 {
        slot.int(self.bytes, self.entry)
    }

    /// The sum of differences.
    fn sum(&self, slots: &[Slot], context: &Context) -> Result<f64, Status> {
        if context.is_since_boot {
            return Err(Status::FirstSample);
        }
        if self.is_reset {
            return Err(Status::CounterReset);
        }
        let mut sum = 0_i128;
        for slot in slots {
            match self.int(*slot) {
                -1 => return Err(Status::InvalidData),
                negative if negative < 0 => return Err(Status::CounterReset),
                difference => sum += i128::from(difference),
            }
        }
        Ok(sum as f64)
    }

    /// A gauge that isn't negative.
    fn gauge(&self, slot: Slot) -> Result<f64, Status> {
        let value = match slot.of {
            Type::F32 => slot.float(self.bytes, self.entry),
            _ => self.int(slot) as f64,
        };
        if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(Status::InvalidData) }
    }
}

impl Resolved {
    /// Whether it counts what Linux adds to a process that waits for a child that has ended.
    pub(crate) fn is_inherited(&self) -> bool {
        self.needs == Needs::Disk
    }

    /// The counter's value.
    pub(crate) fn of(&self, row: &FieldRow<'_>, context: &Context) -> Result<f64, Status> {
        if !self.is_given(row, context) {
            return Err(Status::InvalidData);
        }
        let value = self.plain(row, context)?;
        let value = value * self.factor.0 / self.factor.1;
        if value.is_finite() { Ok(value) } else { Err(Status::InvalidData) }
    }

    fn is_given(&self, row: &FieldRow<'_>, context: &Context) -> bool {
        let has = |flag: u16| context.flags & flag != 0;
        let has_ended = row.life == Life::Ended;
        match self.needs {
            Needs::Nothing => true,
            Needs::Alive => !has_ended,
            Needs::Memory => row.life == Life::Alive,
            Needs::Ended => has_ended,
            Needs::Disk => has(flag::DISK) && !has_ended,
            Needs::Net => has(flag::NETATOP) && (!has_ended || has(flag::NETATOP_DAEMON)),
            Needs::Gpu => has(flag::GPU) && row.uses_gpu,
            Needs::Cgroup => has(flag::CGROUPS) && !has_ended,
            Needs::Cycles => context.has_cycles,
        }
    }

    fn plain(&self, row: &FieldRow<'_>, context: &Context) -> Result<f64, Status> {
        let (Some(first), second) = (self.first.first().copied(), self.second.first().copied()) else {
            return Err(Status::InvalidData);
        };
        let other = || second.ok_or(Status::InvalidData).and_then(|slot| row.gauge(slot));
        let share =
            |part: f64, whole: f64| if whole > 0.0 { Ok(part / whole) } else { Err(Status::NoOperations) };
        match self.value {
            Value::Rate(_) => {
                let sum = row.sum(&self.first, context)?;
                context.interval.map(|interval| sum / interval)
            }
            Value::Growth(_) if context.is_since_boot => Err(Status::FirstSample),
            Value::Growth(_) => {
                let grown = row.int(first) as f64;
                context.interval.map(|interval| grown / interval)
            }
            Value::Share(..) => share(row.sum(&self.first, context)?, row.sum(&self.second, context)?),
            Value::Now(_) => row.gauge(first),
            Value::NowIfSet(_) => row.gauge(first).and_then(set),
            Value::Signed(_) => Ok(row.int(first) as f64),
            Value::Both(..) => Ok(row.gauge(first)? + other()?),
            Value::Less(..) => positive(row.gauge(first)? - other()?),
            Value::Used(..) => {
                let whole = row.gauge(first)?;
                share(positive(whole - other()?)?, whole)
            }
            Value::Of(..) => share(row.gauge(first)?, other()?),
            Value::Times(..) => Ok(row.gauge(first)? * other()?),
            Value::Frequency(..) => self.frequency(row, context),
            Value::FrequencyShare(..) => {
                let max = self.second.get(1).ok_or(Status::InvalidData).and_then(|slot| row.gauge(*slot))?;
                Ok(self.frequency(row, context)? / set(max)?)
            }
            Value::ExitCode(_) => {
                let status = row.int(first) & 0x7FFF_FFFF;
                let signal = status & 0x7F;
                Ok(if signal == 0 { status >> 8 & 0xFF } else { signal + 256 } as f64)
            }
            Value::Since(_) => positive(context.time as f64 - row.gauge(first).and_then(set)?),
        }
    }

    /// Without ticks of the governor's statistics, the sum is the current frequency.
    fn frequency(&self, row: &FieldRow<'_>, context: &Context) -> Result<f64, Status> {
        let (Some(sum), Some(ticks)) = (self.first.first(), self.second.first()) else {
            return Err(Status::InvalidData);
        };
        if row.gauge(*ticks)? == 0.0 {
            return row.gauge(*sum).and_then(set);
        }
        Ok(row.sum(&self.first, context)? / row.gauge(*ticks)?)
    }
}

fn set(value: f64) -> Result<f64, Status> {
    if value > 0.0 { Ok(value) } else { Err(Status::InvalidData) }
}

fn positive(value: f64) -> Result<f64, Status> {
    if value >= 0.0 { Ok(value) } else { Err(Status::InvalidData) }
}
