//! The answer of `PerflibV2QueryCounterData` (MS-PCQ 3.1.4.1.6): one block per counter of the query, in
//! order.

use recount_bytes::SystemTime;

use super::population::Population;
use super::query::{Asked, WantedInstances};
use crate::conversation::{CountersetInfo, InstanceValues, READ_FAULT, RawValue};
use crate::{DataClocks, InstanceBuf, QueryDataBuf, ReturnCode};

/// The answer to a query.
pub(super) fn answer<'a>(
    population: &Population,
    infos: &[CountersetInfo],
    asked: impl Iterator<Item = &'a Asked>,
) -> Vec<u8> {
    let collected = &population.collected;
    let [year, month, day_of_week, day, hour, minute, second, milliseconds] = collected.system_time;
    let mut data = QueryDataBuf::new(DataClocks {
        perf_time: collected.perf_time,
        perf_time_100ns: collected.time_100ns,
        perf_freq: collected.perf_freq,
        system_time: SystemTime { year, month, day_of_week, day, hour, minute, second, milliseconds },
    });
    for one in asked {
        if let Err(code) = push_block(&mut data, population, infos, one) {
            data.push_error(code.0);
        }
    }
    data.finish()
}

/// The type of a block follows from the request, not from the number of values, so the client knows what to
/// expect.
fn push_block(
    data: &mut QueryDataBuf,
    population: &Population,
    infos: &[CountersetInfo],
    asked: &Asked,
) -> Result<(), ReturnCode> {
    // A provider may have withdrawn a counter that was added earlier.
    let mut known = infos.iter().enumerate();
    let found = known.find(|(_, info)| info.registration.set.guid == asked.named.guid);
    let (at, info) = found.ok_or(ReturnCode::WMI_GUID_NOT_FOUND)?;
    let columns = columns(info, asked)?;
    let instances = population.instances(at, info)?;
    if asked.wanted == WantedInstances::Any {
        push_instances(data, &columns, asked, instances);
        return Ok(());
    }
    let instance = asked.find(instances).ok_or(match asked.wanted {
        WantedInstances::One => ReturnCode::PATH_NOT_FOUND,
        WantedInstances::Any | WantedInstances::Single => ReturnCode::WMI_INSTANCE_NOT_FOUND,
    })?;
    match (columns.as_slice(), asked.named.any_counter()) {
        ([(_, column)], false) => match value(instance, *column) {
            ValueBytes { len: 0, .. } => Err(READ_FAULT),
            value => {
                data.push_single(value);
                Ok(())
            }
        },
        (columns, _) => {
            let values: Vec<(u32, ValueBytes)> =
                columns.iter().map(|(id, column)| (*id, value(instance, *column))).collect();
            data.push_multi_counters(&values);
            Ok(())
        }
    }
}

/// Ids and indexes of the requested counters.
fn columns(info: &CountersetInfo, asked: &Asked) -> Result<Vec<(u32, usize)>, ReturnCode> {
    let counters = info.registration.counters.iter().map(|counter| counter.counter_id).zip(0..);
    if asked.named.any_counter() {
        return Ok(counters.collect());
    }
    let column = counters.into_iter().find(|(id, _)| *id == asked.named.counter_id);
    Ok(vec![column.ok_or(ReturnCode::WMI_ITEMID_NOT_FOUND)?])
}

fn push_instances(
    data: &mut QueryDataBuf,
    columns: &[(u32, usize)],
    asked: &Asked,
    instances: &[InstanceValues],
) {
    let header = |instance: &InstanceValues| InstanceBuf::new(instance.id, instance.name.as_str());
    match (columns, asked.named.any_counter()) {
        ([(_, column)], false) => {
            let row = |instance| (header(instance), value(instance, *column));
            data.push_multi_instances(&instances.iter().map(row).collect::<Vec<_>>());
        }
        (columns, _) => {
            let ids: Vec<u32> = columns.iter().map(|(id, _)| *id).collect();
            let row = |instance| -> (InstanceBuf, Vec<ValueBytes>) {
                (header(instance), columns.iter().map(|(_, column)| value(instance, *column)).collect())
            };
            data.push_counter_set(&ids, &instances.iter().map(row).collect::<Vec<_>>());
        }
    }
}

fn value(instance: &InstanceValues, column: usize) -> ValueBytes {
    match instance.values.get(column) {
        Some(RawValue::Dword(value)) => {
            let [a, b, c, d] = value.to_le_bytes();
            ValueBytes { bytes: [a, b, c, d, 0, 0, 0, 0], len: 4 }
        }
        Some(RawValue::Large(value)) => ValueBytes { bytes: value.to_le_bytes(), len: 8 },
        // A missing value among others has no bytes, since the document has no status for it.
        Some(RawValue::Missing) | None => ValueBytes { bytes: [0; 8], len: 0 },
    }
}

/// A value as stored in a buffer.
#[derive(Clone, Copy)]
struct ValueBytes {
    bytes: [u8; 8],
    len: usize,
}

impl AsRef<[u8]> for ValueBytes {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}
