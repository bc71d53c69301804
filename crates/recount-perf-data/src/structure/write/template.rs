//! The definitions of an object, before it has values.

use recount_bytes::ByteOrder;

use crate::{CounterBlock, CounterDefinition, ObjectHeader};

/// The definitions of an object, encoded once for many samples.
#[derive(Clone, Debug)]
pub struct ObjectTemplate {
    /// Without the lengths of a sample.
    header: ObjectHeader,
    /// The counter definitions.
    definitions: Vec<u8>,
    /// Offset in the counter block and length of each counter's value.
    places: Vec<(usize, usize)>,
    /// Bytes of the counter block up to the end of the last value.
    end_of_values: u32,
}

impl ObjectTemplate {
    /// An object without counters. The header's lengths and counts are ignored, except that `NumInstances` is -1 for an
    /// object without instances.
    pub fn new(header: ObjectHeader) -> ObjectTemplate {
        ObjectTemplate {
            header: ObjectHeader { len_header: ObjectHeader::LEN as u32, num_counters: 0, ..header },
            definitions: Vec::new(),
            places: Vec::new(),
            end_of_values: CounterBlock::LEN_HEADER as u32,
        }
    }

    /// Adds a counter after the others, at the next suitably aligned offset of the counter block, and returns its index. A
    /// base counter is added directly after its counter. Values with sizes other than 4 and 8 bytes can't be set later.
    pub fn add_counter(&mut self, definition: CounterDefinition<'_>) -> usize {
        let placed = definition.placed_after(self.end_of_values);
        placed.write(ByteOrder::Little, &mut self.definitions);
        self.places.push((placed.ofs_value as usize, placed.len_value as usize));
        self.end_of_values = placed.end_of_value();
        self.header.num_counters += 1;
        self.places.len() - 1
    }

    /// The header of an object without instances so far, whose length isn't known yet.
    pub(super) fn header(&self) -> ObjectHeader {
        let len_definition = (ObjectHeader::LEN + self.definitions.len()) as u32;
        ObjectHeader { len_definition, num_instances: self.header.num_instances.min(0), ..self.header }
    }

    /// The bytes of the counter definitions.
    pub(super) fn definitions(&self) -> &[u8] {
        &self.definitions
    }

    /// Offset in the counter block and length of each counter's value.
    pub(super) fn places(&self) -> &[(usize, usize)] {
        &self.places
    }

    /// Whether a counter block can end after the first `num_counters` counters: no other value begins before the next
    /// multiple of 8.
    pub fn can_end_after(&self, num_counters: usize) -> bool {
        let others = self.places.get(num_counters..).unwrap_or_default();
        let len = self.len_of(num_counters);
        others.iter().all(|(ofs, _)| *ofs >= len)
    }

    /// Length of a counter block that ends after the first `num_counters` counters; panics if it can't end
    /// before the others.
    pub(super) fn len_up_to(&self, num_counters: usize) -> usize {
        if num_counters == self.places.len() {
            return self.end_of_values.next_multiple_of(8) as usize;
        }
        assert!(
            self.can_end_after(num_counters),
            "no counter block ends after counter {num_counters} and before the next: a multiple of 8 bytes"
        );
        self.len_of(num_counters)
    }

    fn len_of(&self, num_counters: usize) -> usize {
        let first = &self.places[..num_counters];
        let ends = first.iter().map(|(ofs, len)| ofs + len);
        ends.max().unwrap_or(CounterBlock::LEN_HEADER).next_multiple_of(8)
    }
}
