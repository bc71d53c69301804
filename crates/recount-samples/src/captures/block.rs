//! Blocks from tables of raw values.

use std::io;

use crate::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CounterType, Timestamp};

use super::unwritable;

/// A counter: name index, type word, power of ten for charts.
pub(crate) type Counter = (u32, u32, i32);

/// The raw values of an object, in the order of its counters.
pub(crate) enum Rows {
    /// An object without instances.
    Single(Vec<u64>),
    /// A row per instance.
    Many(Vec<(String, Vec<u64>)>),
}

/// An object; `clock` is its own time and frequency.
pub(crate) fn object(
    order: ByteOrder,
    name_index: u32,
    counters: &[Counter],
    rows: Rows,
    clock: (i64, i64),
) -> ObjectBuf {
    let mut object = ObjectBuf::new(name_index, matches!(rows, Rows::Many(_)));
    (object.header.perf_time, object.header.perf_freq) = clock;
    object.header.help_index = name_index + 1;
    for (name_index, word, default_scale) in counters {
        let at = object.add_counter(*name_index, CounterType(*word));
        object.counters[at].definition.default_scale = *default_scale;
        object.counters[at].definition.help_index = name_index + 1;
    }
    let values = |row: &[u64]| {
        let mut bytes = object.zeroed_values();
        for (counter, value) in row.iter().enumerate() {
            object.set_value(&mut bytes, order, counter, *value);
        }
        bytes
    };
    object.instances = match rows {
        Rows::Single(row) => InstancesBuf::Single(values(&row)),
        Rows::Many(rows) => InstancesBuf::Many(
            rows.iter().map(|(name, row)| InstanceBuf::named(name, order, values(row))).collect(),
        ),
    };
    object
}

/// The clocks of a block.
#[derive(Clone, Copy)]
pub(crate) struct Clocks {
    /// UTC.
    pub(crate) utc: Timestamp,
    /// What `SystemTime` shows: local time in logs, UTC in raw dumps.
    pub(crate) shown: Timestamp,
    /// `PerfTime`.
    pub(crate) perf_time: i64,
    /// `PerfFreq`.
    pub(crate) perf_freq: i64,
}

/// A block of objects, written.
pub(crate) fn block(
    order: ByteOrder,
    host: &str,
    clocks: Clocks,
    objects: Vec<ObjectBuf>,
) -> io::Result<Vec<u8>> {
    let mut block = BlockBuf::new(host, order);
    block.header.system_time = SystemTime::from_utc(clocks.shown).unwrap_or_default();
    block.header.perf_time = clocks.perf_time;
    block.header.perf_freq = clocks.perf_freq;
    block.header.perf_time_100ns = clocks.utc.0;
    block.objects = objects;
    block.write().map_err(unwritable)
}
