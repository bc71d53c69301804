//! Writing answers of `PerflibV2QueryCounterData`.

use super::block::{BlockType, CounterData, CounterHeader, CounterIds};
use super::{DataClocks, DataHeader, InstanceBuf, ReturnCode, len_u32};

/// Builds the buffer of `PerflibV2QueryCounterData` (MS-PCQ 3.1.4.1.6), block by block. All structures are padded with zeros to a
/// multiple of 8 bytes, and all sizes count the padding.
///
/// Values are bytes: four for a 32-bit number, eight for a 64-bit one, none for a missing value.
#[derive(Clone, Debug)]
pub struct QueryDataBuf {
    header: DataHeader,
    out: Vec<u8>,
}

impl QueryDataBuf {
    /// No client can request more (the range of `dwInSize`).
    const MAX_LEN: usize = 1 << 30;

    /// An answer without blocks.
    pub fn new(clocks: DataClocks) -> QueryDataBuf {
        QueryDataBuf {
            header: DataHeader { len_total: 0, num_counters: 0, clocks },
            out: vec![0; DataHeader::LEN],
        }
    }

    /// `PERF_ERROR_RETURN`: no value, and why.
    pub fn push_error(&mut self, status: u32) {
        self.block(BlockType::Error, status, |_| {});
    }

    /// `PERF_SINGLE_COUNTER`.
    pub fn push_single(&mut self, value: impl AsRef<[u8]>) {
        self.push(BlockType::Single, |out| CounterData::write_new(value.as_ref(), out));
    }

    /// `PERF_MULTI_COUNTERS`: values by counter id.
    pub fn push_multi_counters<V: AsRef<[u8]>>(&mut self, values: &[(u32, V)]) {
        self.push(BlockType::MultiCounters, |out| {
            CounterIds::write_new(values.iter().map(|(id, _)| *id), out);
            for (_, value) in values {
                CounterData::write_new(value.as_ref(), out);
            }
        });
    }

    /// `PERF_MULTI_INSTANCES`: one value per instance.
    pub fn push_multi_instances<V: AsRef<[u8]>>(&mut self, instances: &[(InstanceBuf, V)]) {
        self.push(BlockType::MultiInstances, |out| {
            write_rows(instances, out, |value, out| CounterData::write_new(value.as_ref(), out));
        });
    }

    /// `PERF_COUNTERSET`: for each instance the values of the counters with `ids`, in order. If an instance
    /// has fewer, the others are missing; extra values are left out.
    pub fn push_counter_set<V: AsRef<[u8]>>(&mut self, ids: &[u32], instances: &[(InstanceBuf, Vec<V>)]) {
        self.push(BlockType::CounterSet, |out| {
            CounterIds::write_new(ids.iter().copied(), out);
            write_rows(instances, out, |values, out| {
                for at in 0..ids.len() {
                    CounterData::write_new(values.get(at).map_or(&[], AsRef::as_ref), out);
                }
            });
        });
    }

    /// A block that would make the answer longer than a client can request becomes an error.
    fn push(&mut self, block_type: BlockType, content: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        self.block(block_type, ReturnCode::SUCCESS.0, content);
        if self.out.len() > Self::MAX_LEN {
            self.out.truncate(start);
            self.header.num_counters -= 1;
            self.push_error(ReturnCode::NOT_ENOUGH_MEMORY.0);
        }
    }

    fn block(&mut self, block_type: BlockType, status: u32, content: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        CounterHeader { status, block_type: block_type as u32, len: 0, reserved: 0 }.write(&mut self.out);
        content(&mut self.out);
        let len = len_u32(self.out.len() - start).to_le_bytes();
        self.out[start + 8..start + 12].copy_from_slice(&len);
        self.header.num_counters += 1;
    }

    /// The buffer.
    pub fn finish(mut self) -> Vec<u8> {
        self.header.len_total = len_u32(self.out.len());
        let mut header = Vec::with_capacity(DataHeader::LEN);
        self.header.write(&mut header);
        self.out[..DataHeader::LEN].copy_from_slice(&header);
        self.out
    }
}

/// `_PERF_MULTI_INSTANCES` (MS-PCQ 2.2.4.10) and the rows after it.
fn write_rows<V>(instances: &[(InstanceBuf, V)], out: &mut Vec<u8>, values: impl Fn(&V, &mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&len_u32(instances.len()).to_le_bytes());
    for (instance, value) in instances {
        instance.write(out);
        values(value, out);
    }
    let len = len_u32(out.len() - start).to_le_bytes();
    out[start..start + 4].copy_from_slice(&len);
}
