//! Objects, counters and instances that own their bytes.

use recount_model::CounterType;

use super::bytes::{Writer, pad};
use crate::BlockError;
use crate::perf_data::text::encode_utf16;
use crate::perf_data::{
    ByteOrder, CounterBlock, CounterDefinition, InstanceDefinition, Object, ObjectHeader,
};

/// `PERF_OBJECT_TYPE` with all that belongs to it. Lengths and counts are worked out on writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectBuf {
    /// `ObjectNameTitleIndex`.
    pub name_index: u32,
    /// `ObjectNameTitle`, unused.
    pub name_title: u32,
    /// `ObjectHelpTitleIndex`.
    pub help_index: u32,
    /// `ObjectHelpTitle`, unused.
    pub help_title: u32,
    /// `DetailLevel`.
    pub detail_level: u32,
    /// `DefaultCounter`.
    pub default_counter: i32,
    /// `CodePage`; 0: UTF-16.
    pub code_page: u32,
    /// `PerfTime` of the object.
    pub perf_time: i64,
    /// `PerfFreq` of the object; 0: no clock of its own.
    pub perf_freq: i64,
    /// Bytes between the documented fields and the first counter definition.
    pub header_tail: Vec<u8>,
    /// Counter definitions, each base right behind the counter that it serves.
    pub counters: Vec<CounterBuf>,
    /// Bytes behind the last counter definition.
    pub definition_tail: Vec<u8>,
    /// Instances, or the one counter block of an object without.
    pub instances: InstancesBuf,
    /// Bytes behind the last instance.
    pub tail: Vec<u8>,
}

/// What stands behind the definitions of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstancesBuf {
    /// An object without instances: one counter block, as the bytes behind its `ByteLength`.
    Single(Vec<u8>),
    /// An object with instances, of which there may be none.
    Many(Vec<InstanceBuf>),
}

/// `PERF_COUNTER_DEFINITION` that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterBuf {
    /// `CounterNameTitleIndex`.
    pub name_index: u32,
    /// `CounterNameTitle`, unused.
    pub name_title: u32,
    /// `CounterHelpTitleIndex`.
    pub help_index: u32,
    /// `CounterHelpTitle`, unused.
    pub help_title: u32,
    /// `DefaultScale`.
    pub default_scale: i32,
    /// `DetailLevel`.
    pub detail_level: u32,
    /// `CounterType`.
    pub counter_type: CounterType,
    /// `CounterSize` in bytes.
    pub len_value: u32,
    /// `CounterOffset` from the start of the counter block.
    pub ofs_value: u32,
    /// Bytes behind the documented fields.
    pub tail: Vec<u8>,
}

/// `PERF_INSTANCE_DEFINITION` and its counter block, owning their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceBuf {
    /// `ParentObjectTitleIndex`; 0: no parent.
    pub parent_object_index: u32,
    /// `ParentObjectInstance`.
    pub parent_instance: u32,
    /// `UniqueID`; -1: known by name.
    pub unique_id: i32,
    /// `NameOffset` from the start of the definition.
    pub ofs_name: u32,
    /// `NameLength` in bytes, NUL included.
    pub len_name: u32,
    /// Bytes behind the documented fields: the name and padding.
    pub tail: Vec<u8>,
    /// The counter block's bytes behind its `ByteLength`.
    pub values: Vec<u8>,
}

impl CounterBuf {
    /// A counter at `ofs_value`, of the size that its type word names (8 bytes where it names none).
    pub fn new(name_index: u32, counter_type: CounterType, ofs_value: u32) -> CounterBuf {
        let len_value = if counter_type.size() == recount_model::Size::Dword { 4 } else { 8 };
        CounterBuf {
            name_index,
            name_title: 0,
            help_index: 0,
            help_title: 0,
            default_scale: 0,
            detail_level: 100,
            counter_type,
            len_value,
            ofs_value,
            tail: Vec::new(),
        }
    }

    fn from_definition(definition: &CounterDefinition<'_>) -> CounterBuf {
        CounterBuf {
            name_index: definition.name_index,
            name_title: definition.name_title,
            help_index: definition.help_index,
            help_title: definition.help_title,
            default_scale: definition.default_scale,
            detail_level: definition.detail_level,
            counter_type: definition.counter_type,
            len_value: definition.len_value,
            ofs_value: definition.ofs_value,
            tail: definition.bytes.get(CounterDefinition::LEN..).unwrap_or_default().to_vec(),
        }
    }

    fn write(&self, out: &mut Writer) -> Result<(), BlockError> {
        out.len_u32(CounterDefinition::LEN + self.tail.len(), CounterDefinition::NAME, "ByteLength")?;
        out.u32(self.name_index);
        out.u32(self.name_title);
        out.u32(self.help_index);
        out.u32(self.help_title);
        out.i32(self.default_scale);
        out.u32(self.detail_level);
        out.u32(self.counter_type.0);
        out.u32(self.len_value);
        out.u32(self.ofs_value);
        out.bytes(&self.tail);
        Ok(())
    }
}

impl InstanceBuf {
    /// An instance known by name, with UTF-16 text, whose values are those bytes (all behind `ByteLength` of the
    /// counter block; see [`ObjectBuf::zeroed_values`]).
    pub fn named(name: &str, order: ByteOrder, values: Vec<u8>) -> InstanceBuf {
        let mut tail = encode_utf16(name, order);
        let len_name = tail.len() as u32;
        pad(&mut tail, InstanceDefinition::LEN);
        InstanceBuf {
            parent_object_index: 0,
            parent_instance: 0,
            unique_id: InstanceDefinition::NO_UNIQUE_ID,
            ofs_name: InstanceDefinition::LEN as u32,
            len_name,
            tail,
            values,
        }
    }

    fn from_definition(instance: &InstanceDefinition<'_>) -> InstanceBuf {
        InstanceBuf {
            parent_object_index: instance.parent_object_index,
            parent_instance: instance.parent_instance,
            unique_id: instance.unique_id,
            ofs_name: instance.ofs_name,
            len_name: instance.len_name,
            tail: instance.bytes.get(InstanceDefinition::LEN..).unwrap_or_default().to_vec(),
            values: values_of(instance.counter_block),
        }
    }

    fn write(&self, out: &mut Writer) -> Result<(), BlockError> {
        const NAME: &str = InstanceDefinition::NAME;
        let len = InstanceDefinition::LEN + self.tail.len();
        let end_name = u64::from(self.ofs_name) + u64::from(self.len_name);
        if end_name > len as u64 {
            return Err(BlockError::Unwritable { structure: NAME, field: "NameLength", value: end_name });
        }
        out.len_u32(len, NAME, "ByteLength")?;
        out.u32(self.parent_object_index);
        out.u32(self.parent_instance);
        out.i32(self.unique_id);
        out.u32(self.ofs_name);
        out.u32(self.len_name);
        out.bytes(&self.tail);
        write_values(&self.values, out)
    }
}

impl ObjectBuf {
    /// An object without counters, instances or clock of its own. `instanced` says which kind it is.
    pub fn new(name_index: u32, instanced: bool) -> ObjectBuf {
        let instances =
            if instanced { InstancesBuf::Many(Vec::new()) } else { InstancesBuf::Single(vec![0; 4]) };
        ObjectBuf {
            name_index,
            name_title: 0,
            help_index: 0,
            help_title: 0,
            detail_level: 100,
            default_counter: -1,
            code_page: 0,
            perf_time: 0,
            perf_freq: 0,
            header_tail: Vec::new(),
            counters: Vec::new(),
            definition_tail: Vec::new(),
            instances,
            tail: Vec::new(),
        }
    }

    /// Adds a counter behind those that are there, at the next offset of the counter block that suits its size,
    /// and gives its index. Values made before have to be made anew. A base counter is added right after the
    /// counter that it serves.
    pub fn add_counter(&mut self, name_index: u32, counter_type: CounterType) -> usize {
        let mut counter = CounterBuf::new(name_index, counter_type, 0);
        counter.ofs_value = self.end_of_values().next_multiple_of(counter.len_value.clamp(1, 8));
        self.counters.push(counter);
        self.counters.len() - 1
    }

    /// Values of the right length for the counters, all zero: the bytes of a counter block behind `ByteLength`.
    pub fn zeroed_values(&self) -> Vec<u8> {
        vec![0; self.end_of_values().next_multiple_of(8) as usize - CounterBlock::LEN_HEADER]
    }

    /// Puts the raw value of the counter with index `counter` where it belongs in `values`. `false` if there is no
    /// such counter, if its size is neither 4 nor 8, or if its place isn't within `values`.
    pub fn set_value(&self, values: &mut [u8], order: ByteOrder, counter: usize, value: u64) -> bool {
        let Some(counter) = self.counters.get(counter) else { return false };
        let Some(start) = (counter.ofs_value as usize).checked_sub(CounterBlock::LEN_HEADER) else {
            return false;
        };
        let Some(place) = values.get_mut(start..start.saturating_add(counter.len_value as usize)) else {
            return false;
        };
        match (counter.len_value, order) {
            (4, ByteOrder::Little) => place.copy_from_slice(&(value as u32).to_le_bytes()),
            (4, ByteOrder::Big) => place.copy_from_slice(&(value as u32).to_be_bytes()),
            (8, ByteOrder::Little) => place.copy_from_slice(&value.to_le_bytes()),
            (8, ByteOrder::Big) => place.copy_from_slice(&value.to_be_bytes()),
            _ => return false,
        }
        true
    }

    /// Bytes of the counter block up to the end of the last value, the length field included.
    fn end_of_values(&self) -> u32 {
        let ends = self.counters.iter().map(|counter| counter.ofs_value.saturating_add(counter.len_value));
        ends.max().unwrap_or(0).max(CounterBlock::LEN_HEADER as u32)
    }

    pub(super) fn from_object(object: &Object<'_>) -> Result<ObjectBuf, BlockError> {
        let header = object.header();
        let mut counters = object.counters();
        let counter_bufs = counters
            .by_ref()
            .map(|counter| Ok(CounterBuf::from_definition(&counter?)))
            .collect::<Result<_, _>>();
        let (instances, tail) = if let Some(block) = object.counter_block() {
            let block = block?;
            let tail = object.data_bytes().get(block.bytes().len()..).unwrap_or_default();
            (InstancesBuf::Single(values_of(block)), tail)
        } else {
            let mut instances = object.instances();
            let copies = instances.by_ref().map(|instance| Ok(InstanceBuf::from_definition(&instance?)));
            (InstancesBuf::Many(copies.collect::<Result<_, _>>()?), instances.rest())
        };
        Ok(ObjectBuf {
            name_index: header.name_index,
            name_title: header.name_title,
            help_index: header.help_index,
            help_title: header.help_title,
            detail_level: header.detail_level,
            default_counter: header.default_counter,
            code_page: header.code_page,
            perf_time: header.perf_time,
            perf_freq: header.perf_freq,
            header_tail: object.header_tail().to_vec(),
            counters: counter_bufs?,
            definition_tail: counters.rest().to_vec(),
            instances,
            tail: tail.to_vec(),
        })
    }

    pub(super) fn write(&self, out: &mut Writer) -> Result<(), BlockError> {
        const NAME: &str = ObjectHeader::NAME;
        let start = out.len();
        let num_instances = self.num_instances()?;
        out.u32(0); // TotalByteLength and DefinitionLength, known at the end
        out.u32(0);
        out.len_u32(ObjectHeader::LEN + self.header_tail.len(), NAME, "HeaderLength")?;
        out.u32(self.name_index);
        out.u32(self.name_title);
        out.u32(self.help_index);
        out.u32(self.help_title);
        out.u32(self.detail_level);
        out.len_u32(self.counters.len(), NAME, "NumCounters")?;
        out.i32(self.default_counter);
        out.i32(num_instances);
        out.u32(self.code_page);
        out.i64(self.perf_time);
        out.i64(self.perf_freq);
        out.bytes(&self.header_tail);
        for counter in &self.counters {
            counter.write(out)?;
        }
        out.bytes(&self.definition_tail);
        out.patch_u32(start + 4, out.len() - start, NAME, "DefinitionLength")?;
        match &self.instances {
            InstancesBuf::Single(values) => write_values(values, out)?,
            InstancesBuf::Many(instances) => instances.iter().try_for_each(|i| i.write(out))?,
        }
        out.bytes(&self.tail);
        out.patch_u32(start, out.len() - start, NAME, "TotalByteLength")
    }

    fn num_instances(&self) -> Result<i32, BlockError> {
        match &self.instances {
            InstancesBuf::Single(_) => Ok(-1),
            InstancesBuf::Many(instances) => {
                i32::try_from(instances.len()).map_err(|_| BlockError::Unwritable {
                    structure: ObjectHeader::NAME,
                    field: "NumInstances",
                    value: instances.len() as u64,
                })
            }
        }
    }
}

fn values_of(block: CounterBlock<'_>) -> Vec<u8> {
    block.bytes().get(CounterBlock::LEN_HEADER..).unwrap_or_default().to_vec()
}

fn write_values(values: &[u8], out: &mut Writer) -> Result<(), BlockError> {
    out.len_u32(CounterBlock::LEN_HEADER + values.len(), CounterBlock::NAME, "ByteLength")?;
    out.bytes(values);
    Ok(())
}
