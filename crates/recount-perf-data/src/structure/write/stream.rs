//! Writes blocks sample by sample, reusing memory.

use recount_bytes::fields::narrow;
use recount_bytes::{ByteOrder, FormatError, SystemTime};
use recount_model::Timestamp;

use super::ObjectTemplate;
use crate::{Header, InstanceDefinition, ObjectHeader};

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
/// use recount_model::CounterType;
/// use recount_perf_data::{
///     BlockClocks, BlockStream, CounterDefinition, DataBlock, InstanceName, ObjectHeader, ObjectTemplate,
/// };
///
/// let mut process = ObjectTemplate::new(ObjectHeader::new(230, true));
/// let working_set = process.add_counter(CounterDefinition::new(180, CounterType(0x0001_0100)));
///
/// let mut stream = BlockStream::new("web1");
/// stream.begin(BlockClocks { perf_time: 5, perf_freq: 1_000_000_000, perf_time_100ns: 130_058_022_178_440_000 });
/// let mut object = stream.object(&process, 0, 0);
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
    /// The current block's, without the lengths and counts that are known at its end.
    header: Header,
    /// The system name and padding.
    header_tail: Vec<u8>,
    /// Where the current object starts, and its header.
    object: Option<(usize, ObjectHeader)>,
}

impl BlockStream {
    /// For little-endian blocks of a machine.
    pub fn new(system_name: &str) -> BlockStream {
        let (header, header_tail) = Header::named(system_name, ByteOrder::Little);
        BlockStream { bytes: Vec::new(), header, header_tail, object: None }
    }

    /// Begins a block and discards the previous one.
    pub fn begin(&mut self, clocks: BlockClocks) {
        self.bytes.clear();
        self.object = None;
        self.header.num_object_types = 0;
        self.header.system_time = SystemTime::from_utc(Timestamp(clocks.perf_time_100ns)).unwrap_or_default();
        self.header.perf_time = clocks.perf_time;
        self.header.perf_freq = clocks.perf_freq;
        self.header.perf_time_100ns = clocks.perf_time_100ns;
        self.header.write(&mut self.bytes);
        self.bytes.extend_from_slice(&self.header_tail);
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
        let header = ObjectHeader { perf_time, perf_freq, ..template.header() };
        self.object = Some((self.bytes.len(), header));
        self.header.num_object_types += 1;
        self.bytes.resize(self.bytes.len() + ObjectHeader::LEN, 0);
        self.bytes.extend_from_slice(template.definitions());
        ObjectStream { stream: self, template }
    }

    /// The finished block. Fails if it is 4 GiB or larger.
    pub fn finish(&mut self) -> Result<&[u8], FormatError> {
        self.end_object();
        self.header.len_total = narrow(self.bytes.len(), Header::NAME, "TotalByteLength")?;
        self.header.write_over(&mut self.bytes);
        Ok(&self.bytes)
    }

    /// The block written so far; after [`BlockStream::finish`] the finished block, until the next one begins.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn end_object(&mut self) {
        if let Some((start, mut header)) = self.object.take() {
            // If it is too long, so is the block, and `finish` fails.
            header.len_total = (self.bytes.len() - start) as u32;
            header.write_over(ByteOrder::Little, &mut self.bytes[start..]);
        }
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
        self.instance_up_to(name, self.template.places().len())
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
        let num_counters = self.template.places().len();
        self.counter_block(num_counters, self.template.len_up_to(num_counters))
    }

    fn definition(&mut self, name: InstanceName<'_>) {
        let bytes = &mut self.stream.bytes;
        let units = name.name.encode_utf16().filter(|unit| *unit != 0).chain([0]);
        let end_name = InstanceDefinition::LEN + 2 * units.clone().count();
        // Blocks start at multiples of 8, so aligning the end of the definition in the block aligns the instance.
        let end = (bytes.len() + end_name).next_multiple_of(8);
        let (parent_object_index, parent_instance) = name.parent.unwrap_or_default();
        let definition = InstanceDefinition {
            len: (end - bytes.len()) as u32,
            parent_object_index,
            parent_instance,
            unique_id: name.unique_id.unwrap_or(InstanceDefinition::NO_UNIQUE_ID),
            ofs_name: InstanceDefinition::LEN as u32,
            len_name: (end_name - InstanceDefinition::LEN) as u32,
            ..InstanceDefinition::default()
        };
        definition.write(ByteOrder::Little, bytes);
        units.for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()));
        bytes.resize(end, 0);
        if let Some((_, header)) = &mut self.stream.object {
            header.num_instances += 1;
        }
    }

    fn counter_block(&mut self, num_counters: usize, len: usize) -> Values<'_> {
        let bytes = &mut self.stream.bytes;
        let start = bytes.len();
        bytes.extend_from_slice(&(len as u32).to_le_bytes());
        bytes.resize(start + len, 0);
        Values { block: &mut bytes[start..], places: &self.template.places()[..num_counters] }
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
