//! Writes blocks sample by sample, reusing memory.

use recount_bytes::fields::narrow;
use recount_bytes::{ByteOrder, FormatError, SystemTime, encode_utf16};

use super::ObjectBuf;
use super::bytes::pad;
use crate::{CounterBlock, Header, InstanceDefinition};

/// The definitions of an object, encoded once for many samples.
#[derive(Clone, Debug)]
pub struct ObjectTemplate {
    /// `PERF_OBJECT_TYPE` and the counter definitions, without instances.
    definition: Vec<u8>,
    instanced: bool,
    /// Offset in the counter block and length of each counter's value.
    places: Vec<(usize, usize)>,
    len_counter_block: usize,
}

impl ObjectTemplate {
    /// From an object without values: only its header and its counters are used. Values with sizes other than
    /// 4 and 8 bytes can't be set later.
    pub fn new(object: &ObjectBuf) -> Result<ObjectTemplate, FormatError> {
        let mut bare = object.clone();
        let instanced = matches!(bare.instances, super::InstancesBuf::Many(_));
        bare.instances = super::InstancesBuf::Many(Vec::new());
        let mut definition = Vec::new();
        bare.write(ByteOrder::Little, &mut definition)?;
        let places = object.counters.iter().map(|c| (c.ofs_value as usize, c.len_value as usize)).collect();
        Ok(ObjectTemplate {
            definition,
            instanced,
            places,
            len_counter_block: CounterBlock::LEN_HEADER + object.zeroed_values().len(),
        })
    }

    /// Length of a counter block that ends after the first `num_counters` counters; panics if it can't end
    /// before the others.
    fn len_up_to(&self, num_counters: usize) -> usize {
        let (first, others) = self.places.split_at(num_counters);
        if others.is_empty() {
            return self.len_counter_block;
        }
        let ends = first.iter().map(|(ofs, len)| ofs + len);
        let len = ends.max().unwrap_or(CounterBlock::LEN_HEADER).next_multiple_of(8);
        assert!(
            others.iter().all(|(ofs, _)| *ofs >= len),
            "no counter block ends after counter {num_counters} and before the next: a multiple of 8 bytes"
        );
        len
    }
}

/// The clocks in a block's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockClocks {
    /// `PerfTime`, ticks.
    pub perf_time: i64,
    /// `PerfFreq`, ticks per second.
    pub perf_freq: i64,
    /// `PerfTime100nSec`: `FILETIME`, UTC. `SystemTime` is the same in civil form.
    pub perf_time_100ns: i64,
}

/// Name and parent of an instance.
#[derive(Clone, Copy, Debug)]
pub struct InstanceName<'a> {
    /// Its name.
    pub name: &'a str,
    /// Name index of the parent object, and index of the parent among that object's instances in the same
    /// block.
    pub parent: Option<(u32, u32)>,
    /// `UniqueID`, if the instance has one.
    pub unique_id: Option<i32>,
}

impl<'a> InstanceName<'a> {
    /// An instance with only a name.
    pub fn new(name: &'a str) -> InstanceName<'a> {
        InstanceName { name, parent: None, unique_id: None }
    }
}

/// Writes one block after the other. Objects and instances are appended in order; memory is reused from block
/// to block.
///
/// ```
/// use recount_perf_data::{BlockClocks, BlockStream, DataBlock, InstanceName, ObjectBuf, ObjectTemplate};
/// use recount_model::CounterType;
///
/// let mut process = ObjectBuf::new(230, true);
/// let working_set = process.add_counter(180, CounterType(0x0001_0100));
/// let template = ObjectTemplate::new(&process)?;
///
/// let mut stream = BlockStream::new("web1");
/// stream.begin(BlockClocks { perf_time: 5, perf_freq: 1_000_000_000, perf_time_100ns: 130_058_022_178_440_000 });
/// let mut object = stream.object(&template, 0, 0);
/// object.instance(InstanceName::new("init")).set(working_set, 4_096);
/// let bytes = stream.finish()?;
///
/// let block = DataBlock::parse(bytes, 0)?;
/// let object = block.objects().next().expect("one object")?;
/// assert_eq!(object.header().num_instances, 1);
/// # Ok::<(), recount_bytes::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BlockStream {
    bytes: Vec<u8>,
    system_name: String,
    /// Where the current object starts.
    ofs_object: Option<usize>,
    num_objects: u32,
    num_instances: i32,
}

impl BlockStream {
    /// For little-endian blocks of a machine.
    pub fn new(system_name: &str) -> BlockStream {
        BlockStream {
            bytes: Vec::new(),
            system_name: system_name.to_owned(),
            ofs_object: None,
            num_objects: 0,
            num_instances: 0,
        }
    }

    /// Begins a block and discards the previous one.
    pub fn begin(&mut self, clocks: BlockClocks) {
        self.bytes.clear();
        (self.ofs_object, self.num_objects, self.num_instances) = (None, 0, 0);
        let name = encode_utf16(&self.system_name, ByteOrder::Little);
        let len_name = name.len() as u32;
        self.bytes.extend_from_slice(&Header::SIGNATURE_LE);
        // LittleEndian, Version, Revision; TotalByteLength, HeaderLength and NumObjectTypes are filled in at
        // the end.
        for word in [1_u32, 1, 1, 0, 0, 0, u32::MAX] {
            self.u32(word);
        }
        let civil =
            SystemTime::from_utc(recount_model::Timestamp(clocks.perf_time_100ns)).unwrap_or_default();
        civil.words().into_iter().for_each(|word| self.bytes.extend_from_slice(&word.to_le_bytes()));
        self.u32(0);
        for ticks in [clocks.perf_time, clocks.perf_freq, clocks.perf_time_100ns] {
            self.bytes.extend_from_slice(&ticks.to_le_bytes());
        }
        self.u32(len_name);
        self.u32(Header::LEN as u32);
        self.bytes.extend_from_slice(&name);
        pad(&mut self.bytes, 0);
        let len_header = self.bytes.len();
        self.patch(24, len_header);
    }

    /// Begins an object. `perf_time` and `perf_freq` are the object's own clock, 0 if it has none. An object
    /// without instances needs [`ObjectStream::values`] exactly once.
    pub fn object<'s>(
        &'s mut self,
        template: &'s ObjectTemplate,
        perf_time: i64,
        perf_freq: i64,
    ) -> ObjectStream<'s> {
        self.end_object();
        let start = self.bytes.len();
        self.ofs_object = Some(start);
        self.num_objects += 1;
        self.num_instances = if template.instanced { 0 } else { -1 };
        self.bytes.extend_from_slice(&template.definition);
        self.bytes[start + 48..start + 56].copy_from_slice(&perf_time.to_le_bytes());
        self.bytes[start + 56..start + 64].copy_from_slice(&perf_freq.to_le_bytes());
        ObjectStream { stream: self, template }
    }

    /// The finished block. Fails if it is 4 GiB or larger.
    pub fn finish(&mut self) -> Result<&[u8], FormatError> {
        self.end_object();
        let len = self.bytes.len();
        narrow::<u32>(len, Header::NAME, "TotalByteLength")?;
        self.patch(20, len);
        self.patch(28, self.num_objects as usize);
        Ok(&self.bytes)
    }

    /// The block written so far; after [`BlockStream::finish`] the finished block, until the next one begins.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn end_object(&mut self) {
        if let Some(start) = self.ofs_object.take() {
            let len = self.bytes.len() - start;
            self.patch(start, len);
            self.bytes[start + 40..start + 44].copy_from_slice(&self.num_instances.to_le_bytes());
        }
    }

    fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn patch(&mut self, ofs: usize, value: usize) {
        self.bytes[ofs..ofs + 4].copy_from_slice(&(value as u32).to_le_bytes());
    }
}

/// The object being written.
pub struct ObjectStream<'s> {
    stream: &'s mut BlockStream,
    template: &'s ObjectTemplate,
}

impl ObjectStream<'_> {
    /// Appends an instance. Its values are initially 0.
    pub fn instance(&mut self, name: InstanceName<'_>) -> Values<'_> {
        self.instance_up_to(name, self.template.places.len())
    }

    /// Appends an instance that has values, initially 0, only for the first `num_counters` counters. Its
    /// counter block ends before the others, which means that their values are absent:
    /// `formats/perf-data-block.md#counter`, `CounterOffset`.
    ///
    /// # Panics
    ///
    /// If the object has fewer counters, or if another counter would begin before the next multiple of 8,
    /// where the counter block ends: it would be read as 0. This can't happen if the next counter has 8
    /// bytes.
    pub fn instance_up_to(&mut self, name: InstanceName<'_>, num_counters: usize) -> Values<'_> {
        let len = self.template.len_up_to(num_counters);
        self.definition(name);
        self.counter_block(num_counters, len)
    }

    /// Appends the only counter block of an object without instances.
    pub fn values(&mut self) -> Values<'_> {
        self.counter_block(self.template.places.len(), self.template.len_counter_block)
    }

    fn definition(&mut self, name: InstanceName<'_>) {
        let bytes = &mut self.stream.bytes;
        let start = bytes.len();
        let (parent_object, parent_instance) = name.parent.unwrap_or_default();
        let unique_id = name.unique_id.unwrap_or(InstanceDefinition::NO_UNIQUE_ID);
        for word in [0, parent_object, parent_instance, unique_id as u32, InstanceDefinition::LEN as u32, 0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let units = name.name.encode_utf16().filter(|unit| *unit != 0).chain([0]);
        units.for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()));
        let len_name = bytes.len() - start - InstanceDefinition::LEN;
        // Blocks start at multiples of 8, so padding the whole block also aligns the instance.
        pad(bytes, 0);
        let len = bytes.len() - start;
        self.stream.patch(start, len);
        self.stream.patch(start + 20, len_name);
        self.stream.num_instances += 1;
    }

    fn counter_block(&mut self, num_counters: usize, len: usize) -> Values<'_> {
        let start = self.stream.bytes.len();
        self.stream.bytes.resize(start + len, 0);
        self.stream.patch(start, len);
        Values { block: &mut self.stream.bytes[start..], places: &self.template.places[..num_counters] }
    }
}

/// The counter block of the instance being written.
pub struct Values<'s> {
    block: &'s mut [u8],
    places: &'s [(usize, usize)],
}

impl Values<'_> {
    /// Sets the raw value of a counter, by its index in the object. A 4-byte counter takes the low half: it counts
    /// modulo 2^32.
    ///
    /// # Panics
    ///
    /// If the counter block has no such counter, or its value is neither 4 nor 8 bytes long.
    pub fn set(&mut self, counter: usize, value: u64) -> &mut Self {
        let (ofs, len) = self.places[counter];
        match len {
            4 => self.block[ofs..ofs + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            8 => self.block[ofs..ofs + 8].copy_from_slice(&value.to_le_bytes()),
            _ => panic!("counter {counter} has a value of {len} bytes"),
        }
        self
    }
}

#[cfg(test)]
mod tests;
