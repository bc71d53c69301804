//! Registrations of countersets and counters.

use nom::Parser;
use nom::multi::count;
use nom::sequence::terminated;
use recount_bytes::fields::{Fields, Writer};
use recount_bytes::parse::{Parsed, by_fields, settle, structure};
use recount_bytes::{ByteOrder, FormatError};
use recount_model::{CounterAttributes, CounterType};

use super::{Guid, end};

/// `_PERF_COUNTERSET_REG_INFO` (MS-PCQ 2.2.4.1), as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterSetRegInfo {
    /// `CounterSetGuid`.
    pub guid: Guid,
    /// `CounterSetType`: "MUST be set to 0, and MUST be ignored on receipt".
    pub counter_set_type: u32,
    /// `DetailLevel`: 100 novice, 200 advanced.
    pub detail_level: u32,
    /// `NumCounters`: how many counters the counterset has.
    pub num_counters: u32,
    /// `InstanceType`.
    pub instance_type: u32,
}

impl CounterSetRegInfo {
    /// Length in bytes.
    pub const LEN: usize = 32;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_COUNTERSET_REG_INFO";

    fn read(i: &[u8]) -> Parsed<'_, CounterSetRegInfo> {
        // "The number of _PERF_COUNTER_REG_INFO structures MUST be equal to the NumCounters field" (3.1.4.1.2).
        let max_counters = i.len().saturating_sub(Self::LEN) / CounterRegInfo::LEN;
        by_fields(Self::NAME, ByteOrder::Little, |set: &mut CounterSetRegInfo, f| set.fields(max_counters, f))(
            i,
        )
    }

    /// Appends the 32 bytes.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(usize::MAX, &mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub(super) fn fields<F: Fields>(&mut self, max_counters: usize, f: &mut F) -> Result<(), F::Error> {
        f.field("CounterSetGuid", &mut self.guid)?;
        f.field("CounterSetType", &mut self.counter_set_type)?;
        f.field("DetailLevel", &mut self.detail_level)?;
        f.bounded("NumCounters", &mut self.num_counters, 0, max_counters)?;
        f.shown("InstanceType", &mut self.instance_type, |instance_type| format!("{instance_type:#x}"))
    }
}

/// `_PERF_COUNTER_REG_INFO` (MS-PCQ 2.2.4.2), as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterRegInfo {
    /// `CounterId`.
    pub counter_id: u32,
    /// `Type`.
    pub counter_type: CounterType,
    /// `Attrib`.
    pub attributes: CounterAttributes,
    /// `DetailLevel`: 100 novice, 200 advanced.
    pub detail_level: u32,
    /// `DefaultScale`: power of ten for charts.
    pub default_scale: i32,
    /// `BaseCounterId`.
    pub base_counter_id: u32,
    /// `PerfTimeId`.
    pub perf_time_id: u32,
    /// `PerfFreqId`.
    pub perf_freq_id: u32,
    /// `MultiId`.
    pub multi_id: u32,
    /// `AggregateFunc`.
    pub aggregate_func: u32,
    /// `Reserved`: "MUST be set to 0, and MUST be ignored on receipt".
    pub reserved: u32,
}

impl CounterRegInfo {
    /// Length in bytes.
    pub const LEN: usize = 48;
    /// Name of the structure.
    pub const NAME: &'static str = "_PERF_COUNTER_REG_INFO";

    /// A counter for novices that is linked to no other: its four links hold an id that no counter has.
    pub const fn unlinked(counter_id: u32, counter_type: CounterType) -> CounterRegInfo {
        const NO_COUNTER: u32 = u32::MAX;
        CounterRegInfo {
            counter_id,
            counter_type,
            attributes: CounterAttributes(0),
            detail_level: 100,
            default_scale: 0,
            base_counter_id: NO_COUNTER,
            perf_time_id: NO_COUNTER,
            perf_freq_id: NO_COUNTER,
            multi_id: NO_COUNTER,
            aggregate_func: 0,
            reserved: 0,
        }
    }

    /// Reads the buffer of request code 2 (MS-PCQ 3.1.4.1.2). `ofs` is where `bytes` starts in its file.
    ///
    /// Fails unless there are 48 bytes.
    pub fn parse(bytes: &[u8], ofs: u64) -> Result<CounterRegInfo, FormatError> {
        let alone = structure(Self::NAME, |i| {
            let (i, counter) = Self::read(i)?;
            let (i, ()) = end(i)?;
            Ok((i, counter))
        })
        .parse(bytes);
        settle(alone, bytes, ofs)
    }

    fn read(i: &[u8]) -> Parsed<'_, CounterRegInfo> {
        by_fields(Self::NAME, ByteOrder::Little, CounterRegInfo::fields)(i)
    }

    /// Appends the 48 bytes.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub(super) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("CounterId", &mut self.counter_id)?;
        f.shown("Type", &mut self.counter_type, |word| match word.name() {
            Some(name) => format!("{:#010X} {name}", word.0),
            None => format!("{:#010X}", word.0),
        })?;
        f.shown("Attrib", &mut self.attributes.0, |attributes| format!("{attributes:#x}"))?;
        f.field("DetailLevel", &mut self.detail_level)?;
        f.field("DefaultScale", &mut self.default_scale)?;
        f.field("BaseCounterId", &mut self.base_counter_id)?;
        f.field("PerfTimeId", &mut self.perf_time_id)?;
        f.field("PerfFreqId", &mut self.perf_freq_id)?;
        f.field("MultiId", &mut self.multi_id)?;
        f.field("AggregateFunc", &mut self.aggregate_func)?;
        f.field("Reserved", &mut self.reserved)
    }
}

/// The buffer of request code 1: a counterset and its counters (MS-PCQ 3.1.4.1.2, figure 1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration {
    /// The counterset.
    pub set: CounterSetRegInfo,
    /// Its counters; in a valid buffer there are `set.num_counters` of them.
    pub counters: Vec<CounterRegInfo>,
}

impl Registration {
    /// Reads a buffer. `ofs` is where `bytes` starts in its file.
    ///
    /// Fails unless exactly `NumCounters` counters follow, and nothing else: the number "MUST be equal".
    pub fn parse(bytes: &[u8], ofs: u64) -> Result<Registration, FormatError> {
        settle(structure(CounterSetRegInfo::NAME, Self::read).parse(bytes), bytes, ofs)
    }

    fn read(i: &[u8]) -> Parsed<'_, Registration> {
        let (i, set) = CounterSetRegInfo::read(i)?;
        let counters = count(CounterRegInfo::read, set.num_counters as usize);
        terminated(counters, end).map(|counters| Registration { set, counters }).parse_complete(i)
    }

    /// Appends the buffer. `set.num_counters` is written unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(CounterSetRegInfo::LEN + self.counters.len() * CounterRegInfo::LEN);
        self.set.write(out);
        self.counters.iter().for_each(|counter| counter.write(out));
    }
}
