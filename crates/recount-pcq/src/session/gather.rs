//! An answer's data for one counterset: its shape, which rarely changes, and its values, which always do.

use recount_model::Width;

use crate::{CounterBlock, CounterData, InstanceRows, ReturnCode};

/// Everything except the values: which blocks exist, and to what their values belong. Equal shapes have their
/// values in the same order. Kept from answer to answer to reuse its memory and for comparison, which needs
/// no allocation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    blocks: Vec<Block>,
    ids: Vec<u32>,
    instances: Vec<Header>,
    /// Names of the instances, concatenated in the order of the answer.
    names: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    position: u32,
    kind: Kind,
    status: u32,
    num_ids: u32,
    num_instances: u32,
}

/// `dwType` of 2.2.4.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Single,
    MultiCounters,
    MultiInstances,
    CounterSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    id: u32,
    len_name: u32,
}

/// A block's shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockShape<'a> {
    pub(super) position: u32,
    pub(super) kind: Kind,
    pub(super) status: ReturnCode,
    /// Ids of its counters, the same for each instance.
    pub(super) ids: &'a [u32],
    instances: &'a [Header],
    names: &'a [u8],
}

/// The data of one answer for one counterset.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) shape: Shape,
    /// In the order of the bytes; `None` if the value is not 4 or 8 bytes long, or if its block reports an error.
    pub(super) values: Vec<Option<u64>>,
    /// Their widths.
    pub(super) widths: Vec<Option<Width>>,
    /// Their bytes, if a counter has texts: what is a text isn't known here.
    pub(super) bytes: Option<Vec<Box<[u8]>>>,
    /// Whether a block of it couldn't be read.
    pub(super) is_torn: bool,
}

impl Gathered {
    /// Forgets the previous answer.
    pub(super) fn clear(&mut self) {
        let Shape { blocks, ids, instances, names } = &mut self.shape;
        blocks.clear();
        ids.clear();
        instances.clear();
        names.clear();
        self.values.clear();
        self.widths.clear();
        self.bytes.iter_mut().for_each(Vec::clear);
        self.is_torn = false;
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.shape.blocks.is_empty()
    }

    /// Adds the block at a position.
    pub(super) fn add(&mut self, position: u32, block: &CounterBlock<'_>) {
        let status = ReturnCode(block.header().status);
        let is_success = status.is_success();
        let (num_ids, num_instances) = (self.shape.ids.len(), self.shape.instances.len());
        let kind = match block {
            CounterBlock::Error { .. } => Kind::Error,
            CounterBlock::Single { value, .. } => {
                self.value(value, is_success);
                Kind::Single
            }
            CounterBlock::MultiCounters { ids, values, .. } => {
                self.shape.ids.extend(ids.iter());
                values.iter().for_each(|value| self.value(&value, is_success));
                Kind::MultiCounters
            }
            CounterBlock::MultiInstances { instances, .. } => {
                self.rows(instances, is_success);
                Kind::MultiInstances
            }
            CounterBlock::CounterSet { ids, instances, .. } => {
                self.shape.ids.extend(ids.iter());
                self.rows(instances, is_success);
                Kind::CounterSet
            }
        };
        self.shape.blocks.push(Block {
            position,
            kind,
            status: status.0,
            num_ids: (self.shape.ids.len() - num_ids) as u32,
            num_instances: (self.shape.instances.len() - num_instances) as u32,
        });
    }

    fn rows(&mut self, rows: &InstanceRows<'_>, is_success: bool) {
        for row in rows.iter() {
            let name = row.instance.name.units;
            self.shape.names.extend_from_slice(name);
            self.shape.instances.push(Header { id: row.instance.id, len_name: name.len() as u32 });
            row.values.iter().for_each(|value| self.value(&value, is_success));
        }
    }

    fn value(&mut self, value: &CounterData<'_>, is_success: bool) {
        self.values.push(if is_success { value.value() } else { None });
        if let Some(bytes) = &mut self.bytes {
            bytes.push(if is_success { value.value.into() } else { Box::default() });
        }
        self.widths.push(match value.value.len() {
            4 if is_success => Some(Width::Dword),
            8 if is_success => Some(Width::Large),
            _ => None,
        });
    }
}

impl Shape {
    /// The blocks, in the order of their values.
    pub(super) fn blocks(&self) -> impl Iterator<Item = BlockShape<'_>> {
        let (mut ids, mut instances, mut names) = (&*self.ids, &*self.instances, &*self.names);
        self.blocks.iter().map(move |block| {
            let shape = BlockShape {
                position: block.position,
                kind: block.kind,
                status: ReturnCode(block.status),
                ids: take(&mut ids, block.num_ids as usize),
                instances: take(&mut instances, block.num_instances as usize),
                names: &[],
            };
            let len_names: usize = shape.instances.iter().map(|header| header.len_name as usize).sum();
            BlockShape { names: take(&mut names, len_names), ..shape }
        })
    }
}

impl<'a> BlockShape<'a> {
    /// Ids and names of the instances.
    pub(super) fn instances(self) -> impl ExactSizeIterator<Item = (u32, &'a [u8])> {
        let mut names = self.names;
        self.instances.iter().map(move |header| (header.id, take(&mut names, header.len_name as usize)))
    }

    /// Number of its values.
    pub(super) fn num_values(self) -> usize {
        match self.kind {
            Kind::Error => 0,
            Kind::Single => 1,
            Kind::MultiCounters => self.ids.len(),
            Kind::MultiInstances => self.instances.len(),
            Kind::CounterSet => self.ids.len() * self.instances.len(),
        }
    }

    /// Whether the status says that the instance, or any instance, doesn't exist, which isn't a failure.
    pub(super) fn is_not_there(self) -> bool {
        is_not_there(self.status)
    }
}

/// 3.1.4.1.3, 3.1.4.1.7.
pub(super) fn is_not_there(status: ReturnCode) -> bool {
    matches!(status, ReturnCode::PATH_NOT_FOUND | ReturnCode::WMI_INSTANCE_NOT_FOUND)
}

fn take<'a, T>(from: &mut &'a [T], num: usize) -> &'a [T] {
    let (taken, rest) = from.split_at_checked(num).unwrap_or((*from, &[]));
    *from = rest;
    taken
}
