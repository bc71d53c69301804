//! Owned objects, counters and instances.

use recount_bytes::fields::{Writer, narrow};
use recount_bytes::{ByteOrder, FormatError, encode_utf16};
use recount_model::CounterType;

use super::bytes::{pad, put_u32};
use crate::{CounterBlock, CounterDefinition, InstanceDefinition, Object, ObjectHeader};

/// `PERF_OBJECT_TYPE` with everything that belongs to it. Lengths and counts are computed on writing.
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
    /// `CodePage`; 0 for UTF-16.
    pub code_page: u32,
    /// `PerfTime` of the object.
    pub perf_time: i64,
    /// `PerfFreq` of the object; 0 if it has no clock of its own.
    pub perf_freq: i64,
    /// Bytes between the documented fields and the first counter definition.
    pub header_tail: Vec<u8>,
    /// Counter definitions, each base directly after its counter.
    pub counters: Vec<CounterBuf>,
    /// Bytes after the last counter definition.
    pub definition_tail: Vec<u8>,
    /// Instances, or the only counter block of an object without instances.
    pub instances: InstancesBuf,
    /// Bytes after the last instance.
    pub tail: Vec<u8>,
}

/// The data after the definitions of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstancesBuf {
    /// An object without instances: one counter block, as the bytes after its `ByteLength`.
    Single(Vec<u8>),
    /// An object with instances; the list may be empty.
    Many(Vec<InstanceBuf>),
}

/// An owned `PERF_COUNTER_DEFINITION`.
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
    /// Bytes after the documented fields.
    pub tail: Vec<u8>,
}

/// An owned `PERF_INSTANCE_DEFINITION` with its counter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceBuf {
    /// `ParentObjectTitleIndex`; 0 if there is no parent.
    pub parent_object_index: u32,
    /// `ParentObjectInstance`.
    pub parent_instance: u32,
    /// `UniqueID`; -1 if identified by name.
    pub unique_id: i32,
    /// `NameOffset` from the start of the definition.
    pub ofs_name: u32,
    /// `NameLength` in bytes, including NUL.
    pub len_name: u32,
    /// Bytes after the documented fields: the name and padding.
    pub tail: Vec<u8>,
    /// The counter block's bytes after its `ByteLength`.
    pub values: Vec<u8>,
}

impl CounterBuf {
    /// A counter at `ofs_value`, with the size from its type word (8 bytes if the word has none).
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

    fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        let len = CounterDefinition::LEN + self.tail.len();
        let mut definition = CounterDefinition {
            len: narrow(len, CounterDefinition::NAME, "ByteLength")?,
            name_index: self.name_index,
            name_title: self.name_title,
            help_index: self.help_index,
            help_title: self.help_title,
            default_scale: self.default_scale,
            detail_level: self.detail_level,
            counter_type: self.counter_type,
            len_value: self.len_value,
            ofs_value: self.ofs_value,
            bytes: &[],
        };
        let Ok(()) = definition.fields(&mut Writer::new(order, out), 0);
        out.extend_from_slice(&self.tail);
        Ok(())
    }
}

impl InstanceBuf {
    /// An instance identified by name, as UTF-16 text. `values` are the bytes of the counter block after
    /// `ByteLength`; see [`ObjectBuf::zeroed_values`].
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

    fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        const NAME: &str = InstanceDefinition::NAME;
        let len = InstanceDefinition::LEN + self.tail.len();
        let end_name = u64::from(self.ofs_name) + u64::from(self.len_name);
        if end_name > len as u64 {
            return Err(FormatError::Unwritable { structure: NAME, field: "NameLength", value: end_name });
        }
        let mut definition = InstanceDefinition {
            len: narrow(len, NAME, "ByteLength")?,
            parent_object_index: self.parent_object_index,
            parent_instance: self.parent_instance,
            unique_id: self.unique_id,
            ofs_name: self.ofs_name,
            len_name: self.len_name,
            ..InstanceDefinition::default()
        };
        let Ok(()) = definition.fields(&mut Writer::new(order, out), 0);
        out.extend_from_slice(&self.tail);
        write_values(&self.values, order, out)
    }
}

impl ObjectBuf {
    /// An object without counters, instances or clock of its own. `instanced` says whether it can have
    /// instances.
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

    /// Adds a counter after the others, at the next suitably aligned offset of the counter block, and returns
    /// its index. Values created earlier must be created again. A base counter is added directly after its
    /// counter.
    pub fn add_counter(&mut self, name_index: u32, counter_type: CounterType) -> usize {
        let mut counter = CounterBuf::new(name_index, counter_type, 0);
        counter.ofs_value = self.end_of_values().next_multiple_of(counter.len_value.clamp(1, 8));
        self.counters.push(counter);
        self.counters.len() - 1
    }

    /// Values of the right length for the counters, all zero: the bytes of a counter block after `ByteLength`.
    pub fn zeroed_values(&self) -> Vec<u8> {
        vec![0; self.end_of_values().next_multiple_of(8) as usize - CounterBlock::LEN_HEADER]
    }

    /// Stores the raw value of the counter with index `counter` in `values`. `false` if there is no such
    /// counter, if its size is neither 4 nor 8, or if its offset isn't within `values`.
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

    /// Bytes of the counter block up to the end of the last value, including the length field.
    fn end_of_values(&self) -> u32 {
        let ends = self.counters.iter().map(|counter| counter.ofs_value.saturating_add(counter.len_value));
        ends.max().unwrap_or(0).max(CounterBlock::LEN_HEADER as u32)
    }

    pub(super) fn from_object(object: &Object<'_>) -> Result<ObjectBuf, FormatError> {
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

    pub(super) fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        let start = out.len();
        out.resize(start + ObjectHeader::LEN, 0);
        out.extend_from_slice(&self.header_tail);
        self.counters.iter().try_for_each(|counter| counter.write(order, out))?;
        out.extend_from_slice(&self.definition_tail);
        let len_definition = out.len() - start;
        match &self.instances {
            InstancesBuf::Single(values) => write_values(values, order, out)?,
            InstancesBuf::Many(instances) => instances.iter().try_for_each(|i| i.write(order, out))?,
        }
        out.extend_from_slice(&self.tail);
        let header = self.header(len_definition, out.len() - start)?;
        header.write_over(order, &mut out[start..]);
        Ok(())
    }

    /// The header, once the lengths are known.
    fn header(&self, len_definition: usize, len_total: usize) -> Result<ObjectHeader, FormatError> {
        const NAME: &str = ObjectHeader::NAME;
        Ok(ObjectHeader {
            len_total: narrow(len_total, NAME, "TotalByteLength")?,
            len_definition: narrow(len_definition, NAME, "DefinitionLength")?,
            len_header: narrow(ObjectHeader::LEN + self.header_tail.len(), NAME, "HeaderLength")?,
            name_index: self.name_index,
            name_title: self.name_title,
            help_index: self.help_index,
            help_title: self.help_title,
            detail_level: self.detail_level,
            num_counters: narrow(self.counters.len(), NAME, "NumCounters")?,
            default_counter: self.default_counter,
            num_instances: self.num_instances()?,
            code_page: self.code_page,
            perf_time: self.perf_time,
            perf_freq: self.perf_freq,
        })
    }

    fn num_instances(&self) -> Result<i32, FormatError> {
        match &self.instances {
            InstancesBuf::Single(_) => Ok(-1),
            InstancesBuf::Many(instances) => narrow(instances.len(), ObjectHeader::NAME, "NumInstances"),
        }
    }
}

fn values_of(block: CounterBlock<'_>) -> Vec<u8> {
    block.bytes().get(CounterBlock::LEN_HEADER..).unwrap_or_default().to_vec()
}

fn write_values(values: &[u8], order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let len = CounterBlock::LEN_HEADER + values.len();
    put_u32(narrow(len, CounterBlock::NAME, "ByteLength")?, order, out);
    out.extend_from_slice(values);
    Ok(())
}
