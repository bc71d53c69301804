//! Owned blocks, which can be edited or built from scratch, in either byte order, and written.
//!
//! All bytes of a block are kept, including meaningless ones: reading a block into a [`BlockBuf`] and writing it gives the same
//! bytes. Lengths and counts aren't kept but computed on writing.

use recount_bytes::fields::{Fields, Writer, narrow};
use recount_bytes::{ByteOrder, FormatError, encode_utf16};
use recount_model::CounterType;
use recount_perf_data::{
    CounterBlock, CounterDefinition, DataBlock, Header, InstanceDefinition, Object, ObjectHeader,
};

/// A whole block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockBuf {
    pub header: Header,
    /// Bytes between the documented fields and the first object: the system name and padding.
    pub header_tail: Vec<u8>,
    pub objects: Vec<ObjectBuf>,
    /// Bytes after the last object.
    pub tail: Vec<u8>,
}

/// An object with everything that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectBuf {
    pub header: ObjectHeader,
    /// Bytes between the documented fields and the first counter definition.
    pub header_tail: Vec<u8>,
    /// Counter definitions, each base directly after its counter.
    pub counters: Vec<CounterBuf>,
    /// Bytes after the last counter definition.
    pub definition_tail: Vec<u8>,
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterBuf {
    pub definition: CounterDefinition<'static>,
    /// Bytes after the documented fields.
    pub tail: Vec<u8>,
}

/// An instance with its counter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceBuf {
    pub definition: InstanceDefinition<'static>,
    /// Bytes after the documented fields: the name and padding.
    pub tail: Vec<u8>,
    /// The counter block's bytes after its `ByteLength`.
    pub values: Vec<u8>,
}

impl BlockBuf {
    /// A block without objects and with all clocks zero.
    pub fn new(system_name: &str, order: ByteOrder) -> BlockBuf {
        let (header, header_tail) = Header::named(system_name, order);
        BlockBuf { header, header_tail, objects: Vec::new(), tail: Vec::new() }.without_lengths()
    }

    /// Copies a block. Fails if one of its structures is invalid.
    pub fn from_block(block: &DataBlock<'_>) -> Result<BlockBuf, FormatError> {
        let header = *block.header();
        let mut objects = block.objects();
        let copies =
            objects.by_ref().map(|object| ObjectBuf::from_object(&object?)).collect::<Result<_, _>>()?;
        let header_tail = between(block.bytes(), Header::LEN, header.len_header as usize);
        Ok(BlockBuf { header, header_tail, objects: copies, tail: objects.rest().to_vec() }.without_lengths())
    }

    fn without_lengths(mut self) -> BlockBuf {
        (self.header.len_total, self.header.len_header, self.header.num_object_types) = (0, 0, 0);
        self
    }

    /// The block's bytes. Fails if a part is too large for its length field, or if a name is outside its structure.
    pub fn write(&self) -> Result<Vec<u8>, FormatError> {
        const NAME: &str = Header::NAME;
        let mut out = vec![0; Header::LEN];
        out.extend_from_slice(&self.header_tail);
        for object in &self.objects {
            object.write(self.header.order, &mut out)?;
        }
        out.extend_from_slice(&self.tail);
        let header = Header {
            len_total: narrow(out.len(), NAME, "TotalByteLength")?,
            len_header: narrow(Header::LEN + self.header_tail.len(), NAME, "HeaderLength")?,
            num_object_types: narrow(self.objects.len(), NAME, "NumObjectTypes")?,
            ..self.header
        };
        if header.len_system_name > 0 {
            let place = (header.ofs_system_name, header.len_system_name);
            check_name(place, out.len(), NAME, "SystemNameLength")?;
        }
        header.write_over(&mut out);
        Ok(out)
    }
}

impl ObjectBuf {
    /// An object without counters, instances or clock of its own. `instanced` says whether it can have instances.
    pub fn new(name_index: u32, instanced: bool) -> ObjectBuf {
        let instances =
            if instanced { InstancesBuf::Many(Vec::new()) } else { InstancesBuf::Single(vec![0; 4]) };
        ObjectBuf {
            header: ObjectHeader::new(name_index, instanced),
            header_tail: Vec::new(),
            counters: Vec::new(),
            definition_tail: Vec::new(),
            instances,
            tail: Vec::new(),
        }
    }

    /// Adds a counter after the others, at the next suitably aligned offset of the counter block, and returns its index.
    /// Values created earlier must be created again. A base counter is added directly after its counter.
    pub fn add_counter(&mut self, name_index: u32, counter_type: CounterType) -> usize {
        let definition = CounterDefinition::new(name_index, counter_type).placed_after(self.end_of_values());
        self.counters.push(CounterBuf { definition, tail: Vec::new() });
        self.counters.len() - 1
    }

    /// Values of the right length for the counters, all zero: the bytes of a counter block after `ByteLength`.
    pub fn zeroed_values(&self) -> Vec<u8> {
        vec![0; self.end_of_values().next_multiple_of(8) as usize - CounterBlock::LEN_HEADER]
    }

    /// Stores the raw value of the counter with index `counter` in `values`. `false` if there is no such counter, if its size
    /// is neither 4 nor 8, or if its offset isn't within `values`.
    pub fn set_value(&self, values: &mut [u8], order: ByteOrder, counter: usize, value: u64) -> bool {
        let Some(CounterBuf { definition, .. }) = self.counters.get(counter) else { return false };
        let Some(start) = (definition.ofs_value as usize).checked_sub(CounterBlock::LEN_HEADER) else {
            return false;
        };
        let Some(place) = values.get_mut(start..start.saturating_add(definition.len_value as usize)) else {
            return false;
        };
        match (definition.len_value, order) {
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
        let ends = self.counters.iter().map(|counter| counter.definition.end_of_value());
        ends.max().unwrap_or(0).max(CounterBlock::LEN_HEADER as u32)
    }

    fn from_object(object: &Object<'_>) -> Result<ObjectBuf, FormatError> {
        let header = *object.header();
        let mut counters = object.counters();
        let counter_bufs =
            counters.by_ref().map(|counter| Ok(CounterBuf::from(counter?))).collect::<Result<_, _>>();
        let (instances, tail) = if let Some(block) = object.counter_block() {
            let block = block?;
            let start = header.len_definition as usize + block.bytes().len();
            (InstancesBuf::Single(values_of(block)), between(object.bytes(), start, object.bytes().len()))
        } else {
            let mut instances = object.instances();
            let copies = instances.by_ref().map(|instance| Ok(InstanceBuf::from(instance?)));
            (InstancesBuf::Many(copies.collect::<Result<_, _>>()?), instances.rest().to_vec())
        };
        Ok(ObjectBuf {
            header: ObjectHeader {
                len_total: 0,
                len_definition: 0,
                len_header: 0,
                num_counters: 0,
                num_instances: header.num_instances.min(0),
                ..header
            },
            header_tail: between(object.bytes(), ObjectHeader::LEN, header.len_header as usize),
            counters: counter_bufs?,
            definition_tail: counters.rest().to_vec(),
            instances,
            tail,
        })
    }

    fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        const NAME: &str = ObjectHeader::NAME;
        let start = out.len();
        out.resize(start + ObjectHeader::LEN, 0);
        out.extend_from_slice(&self.header_tail);
        self.counters.iter().try_for_each(|counter| counter.write(order, out))?;
        out.extend_from_slice(&self.definition_tail);
        let len_definition = out.len() - start;
        let num_instances = match &self.instances {
            InstancesBuf::Single(values) => {
                write_values(values, order, out)?;
                -1
            }
            InstancesBuf::Many(instances) => {
                instances.iter().try_for_each(|instance| instance.write(order, out))?;
                narrow(instances.len(), NAME, "NumInstances")?
            }
        };
        out.extend_from_slice(&self.tail);
        let header = ObjectHeader {
            len_total: narrow(out.len() - start, NAME, "TotalByteLength")?,
            len_definition: narrow(len_definition, NAME, "DefinitionLength")?,
            len_header: narrow(ObjectHeader::LEN + self.header_tail.len(), NAME, "HeaderLength")?,
            num_counters: narrow(self.counters.len(), NAME, "NumCounters")?,
            num_instances,
            ..self.header
        };
        header.write_over(order, &mut out[start..]);
        Ok(())
    }
}

impl From<CounterDefinition<'_>> for CounterBuf {
    fn from(definition: CounterDefinition<'_>) -> CounterBuf {
        let tail = between(definition.bytes, CounterDefinition::LEN, definition.bytes.len());
        CounterBuf { definition: CounterDefinition { len: 0, bytes: &[], ..definition }, tail }
    }
}

impl CounterBuf {
    fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        let len = CounterDefinition::LEN + self.tail.len();
        let len = narrow(len, CounterDefinition::NAME, "ByteLength")?;
        CounterDefinition { len, ..self.definition }.write(order, out);
        out.extend_from_slice(&self.tail);
        Ok(())
    }
}

impl From<InstanceDefinition<'_>> for InstanceBuf {
    fn from(instance: InstanceDefinition<'_>) -> InstanceBuf {
        let definition = InstanceDefinition {
            len: 0,
            name: &[],
            bytes: &[],
            counter_block: CounterBlock::default(),
            ..instance
        };
        let tail = between(instance.bytes, InstanceDefinition::LEN, instance.bytes.len());
        InstanceBuf { definition, tail, values: values_of(instance.counter_block) }
    }
}

impl InstanceBuf {
    /// An instance identified by name, as UTF-16 text. `values` are the bytes of the counter block after `ByteLength`; see
    /// [`ObjectBuf::zeroed_values`].
    pub fn named(name: &str, order: ByteOrder, values: Vec<u8>) -> InstanceBuf {
        let mut tail = encode_utf16(name, order);
        let definition = InstanceDefinition {
            unique_id: InstanceDefinition::NO_UNIQUE_ID,
            ofs_name: InstanceDefinition::LEN as u32,
            len_name: tail.len() as u32,
            ..InstanceDefinition::default()
        };
        // The definition itself has a multiple of 8 bytes.
        tail.resize(tail.len().next_multiple_of(8), 0);
        InstanceBuf { definition, tail, values }
    }

    fn write(&self, order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
        const NAME: &str = InstanceDefinition::NAME;
        let len = InstanceDefinition::LEN + self.tail.len();
        check_name((self.definition.ofs_name, self.definition.len_name), len, NAME, "NameLength")?;
        InstanceDefinition { len: narrow(len, NAME, "ByteLength")?, ..self.definition }.write(order, out);
        out.extend_from_slice(&self.tail);
        write_values(&self.values, order, out)
    }
}

/// A name, by offset and length, must end within the `len` bytes of its structure.
fn check_name(
    (ofs, len_name): (u32, u32),
    len: usize,
    structure: &'static str,
    field: &'static str,
) -> Result<(), FormatError> {
    let value = u64::from(ofs) + u64::from(len_name);
    if value > len as u64 { Err(FormatError::Unwritable { structure, field, value }) } else { Ok(()) }
}

fn between(bytes: &[u8], start: usize, end: usize) -> Vec<u8> {
    bytes.get(start..end).unwrap_or_default().to_vec()
}

fn values_of(block: CounterBlock<'_>) -> Vec<u8> {
    between(block.bytes(), CounterBlock::LEN_HEADER, block.bytes().len())
}

fn write_values(values: &[u8], order: ByteOrder, out: &mut Vec<u8>) -> Result<(), FormatError> {
    let len = CounterBlock::LEN_HEADER + values.len();
    let mut len: u32 = narrow(len, CounterBlock::NAME, "ByteLength")?;
    let Ok(()) = Writer::new(order, out).hidden("ByteLength", &mut len);
    out.extend_from_slice(values);
    Ok(())
}
