//! Registrations of countersets and counters.

use nom::Parser;
use nom::number::complete::{le_i32, le_u32, le_u64};
use recount_bytes::FormatError;
use recount_bytes::parse::{Parsed, field, settle, structure, within};
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

    fn read<'a>(i: &'a [u8]) -> Parsed<'a, CounterSetRegInfo> {
        structure(Self::NAME, |start: &'a [u8]| {
            // "The number of _PERF_COUNTER_REG_INFO structures MUST be equal to the NumCounters field" (3.1.4.1.2).
            let max_counters = start.len().saturating_sub(Self::LEN) / CounterRegInfo::LEN;
            let (i, guid) = field("CounterSetGuid", Guid::read)(start)?;
            let (i, counter_set_type) = field("CounterSetType", le_u32)(i)?;
            let (i, detail_level) = field("DetailLevel", le_u32)(i)?;
            let (i, num_counters) = field("NumCounters", within(0, max_counters, le_u32))(i)?;
            let (i, instance_type) = field("InstanceType", le_u32)(i)?;
            Ok((i, CounterSetRegInfo { guid, counter_set_type, detail_level, num_counters, instance_type }))
        })
        .parse(i)
    }

    /// Appends the 32 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.guid.write(out);
        for word in [self.counter_set_type, self.detail_level, self.num_counters, self.instance_type] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
}

/// `_PERF_COUNTER_REG_INFO` (MS-PCQ 2.2.4.2), as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        structure(Self::NAME, |i| {
            let (i, counter_id) = field("CounterId", le_u32)(i)?;
            let (i, counter_type) = field("Type", le_u32)(i)?;
            let (i, attributes) = field("Attrib", le_u64)(i)?;
            let (i, detail_level) = field("DetailLevel", le_u32)(i)?;
            let (i, default_scale) = field("DefaultScale", le_i32)(i)?;
            let (i, base_counter_id) = field("BaseCounterId", le_u32)(i)?;
            let (i, perf_time_id) = field("PerfTimeId", le_u32)(i)?;
            let (i, perf_freq_id) = field("PerfFreqId", le_u32)(i)?;
            let (i, multi_id) = field("MultiId", le_u32)(i)?;
            let (i, aggregate_func) = field("AggregateFunc", le_u32)(i)?;
            let (i, reserved) = field("Reserved", le_u32)(i)?;
            let counter = CounterRegInfo {
                counter_id,
                counter_type: CounterType(counter_type),
                attributes: CounterAttributes(attributes),
                detail_level,
                default_scale,
                base_counter_id,
                perf_time_id,
                perf_freq_id,
                multi_id,
                aggregate_func,
                reserved,
            };
            Ok((i, counter))
        })
        .parse(i)
    }

    /// Appends the 48 bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.counter_id.to_le_bytes());
        out.extend_from_slice(&self.counter_type.0.to_le_bytes());
        out.extend_from_slice(&self.attributes.0.to_le_bytes());
        out.extend_from_slice(&self.detail_level.to_le_bytes());
        out.extend_from_slice(&self.default_scale.to_le_bytes());
        let links = [self.base_counter_id, self.perf_time_id, self.perf_freq_id, self.multi_id];
        for word in links.into_iter().chain([self.aggregate_func, self.reserved]) {
            out.extend_from_slice(&word.to_le_bytes());
        }
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
        let (mut i, set) = CounterSetRegInfo::read(i)?;
        let mut counters = Vec::with_capacity(set.num_counters as usize);
        for _ in 0..set.num_counters {
            let (rest, counter) = CounterRegInfo::read(i)?;
            counters.push(counter);
            i = rest;
        }
        let (i, ()) = end(i)?;
        Ok((i, Registration { set, counters }))
    }

    /// Appends the buffer. `set.num_counters` is written unchanged.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(CounterSetRegInfo::LEN + self.counters.len() * CounterRegInfo::LEN);
        self.set.write(out);
        self.counters.iter().for_each(|counter| counter.write(out));
    }
}
