//! A sample's values, object by object.

use std::collections::HashMap;

use recount_bytes::FormatError;
use recount_model::NameTable;
use recount_pcq::conversation::{InstanceValues, RawValue};
use recount_perf_data::{CounterBlock, InstanceDefinition, Object};

use super::counterset::has_clock;

/// Counters that distinguish classic instances of the same name (formats/perf-data-block.md).
const IDS: [&str; 2] = ["ID Thread", "ID Process"];

/// Where an object's values are.
pub(super) struct Layout {
    definition_bytes: Vec<u8>,
    is_instanced: bool,
    slots: Vec<ValueSlot>,
    id: Option<ValueSlot>,
    has_clock: bool,
}

#[derive(Clone, Copy)]
enum ValueSlot {
    Dword(usize),
    Large(usize),
    None,
}

impl ValueSlot {
    fn read(self, values: CounterBlock<'_>) -> RawValue {
        let read = match self {
            ValueSlot::Dword(ofs) => values.u32_at(ofs).map(|value| RawValue::Dword(value as u32)),
            ValueSlot::Large(ofs) => values.u64_at(ofs).map(RawValue::Large),
            ValueSlot::None => None,
        };
        read.unwrap_or(RawValue::Missing)
    }
}

impl Layout {
    pub(super) fn of(object: &Object<'_>, names: &NameTable) -> Result<Layout, FormatError> {
        let definitions = object.counters().collect::<Result<Vec<_>, _>>()?;
        let slots: Vec<ValueSlot> = definitions
            .iter()
            .map(|definition| match definition.len_value {
                4 => ValueSlot::Dword(definition.ofs_value as usize),
                8 => ValueSlot::Large(definition.ofs_value as usize),
                _ => ValueSlot::None,
            })
            .collect();
        let id = IDS.iter().find_map(|id| {
            let is_id = |index| names.get(index).is_some_and(|name| name.eq_ignore_ascii_case(id));
            definitions.iter().position(|definition| is_id(definition.name_index))
        });
        Ok(Layout {
            definition_bytes: object.definition_bytes().to_vec(),
            is_instanced: object.is_instanced(),
            id: id.and_then(|id| slots.get(id).copied()),
            slots,
            has_clock: has_clock(&definitions),
        })
    }

    /// Whether an object still has this layout.
    pub(super) fn describes(&self, object: &Object<'_>) -> bool {
        object.is_instanced() == self.is_instanced && object.definition_bytes() == self.definition_bytes
    }

    fn values(&self, object: &Object<'_>, values: CounterBlock<'_>, perf_freq: i64) -> Vec<RawValue> {
        let mut read: Vec<RawValue> = self.slots.iter().map(|slot| slot.read(values)).collect();
        if self.has_clock {
            let (time, freq) = (object.header().perf_time, object.header().perf_freq);
            // An object without a frequency uses the block's (formats/perf-data-block.md#object).
            let freq = if freq == 0 { perf_freq } else { freq };
            read.extend([RawValue::Large(time as u64), RawValue::Large(freq as u64)]);
        }
        read
    }
}

/// Appends the instances of an object.
pub(super) fn instances(
    layout: &Layout,
    object: &Object<'_>,
    objects: &[Object<'_>],
    perf_freq: i64,
    read: &mut Vec<InstanceValues>,
) -> Result<(), FormatError> {
    if let Some(values) = object.counter_block() {
        let values = layout.values(object, values?, perf_freq);
        read.push(InstanceValues { name: String::new(), id: 0, values });
        return Ok(());
    }
    let mut parents: HashMap<u32, Vec<String>> = HashMap::new();
    let mut namesakes: HashMap<String, u32> = HashMap::new();
    for instance in object.instances() {
        let instance = instance?;
        let name = full_name(&instance, object, objects, &mut parents);
        let id = match (instance.unique_id, layout.id.map(|id| id.read(instance.counter_block))) {
            (InstanceDefinition::NO_UNIQUE_ID, Some(RawValue::Dword(id))) => id,
            (InstanceDefinition::NO_UNIQUE_ID, Some(RawValue::Large(id))) => id as u32,
            // Identified by name and, among instances of the same name, by number.
            (InstanceDefinition::NO_UNIQUE_ID, _) => {
                let count = namesakes.entry(name.clone()).or_insert(0);
                *count += 1;
                *count - 1
            }
            (unique_id, _) => unique_id as u32,
        };
        read.push(InstanceValues {
            name,
            id,
            values: layout.values(object, instance.counter_block, perf_freq),
        });
    }
    Ok(())
}

/// Name of an instance, prefixed with its parent's: the second generation has no parents.
fn full_name(
    instance: &InstanceDefinition<'_>,
    object: &Object<'_>,
    objects: &[Object<'_>],
    parents: &mut HashMap<u32, Vec<String>>,
) -> String {
    let name = object.encoding().decode(instance.name);
    let parent = match instance.parent_object_index {
        0 => None,
        index => parents
            .entry(index)
            .or_insert_with(|| names_of(objects, index))
            .get(instance.parent_instance as usize),
    };
    match parent {
        Some(parent) => format!("{parent}/{name}"),
        None => name,
    }
}

fn names_of(objects: &[Object<'_>], index: u32) -> Vec<String> {
    let Some(object) = objects.iter().find(|object| object.header().name_index == index) else {
        return Vec::new();
    };
    let instances = object.instances().map_while(Result::ok);
    instances.map(|instance| object.encoding().decode(instance.name)).collect()
}
