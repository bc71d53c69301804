//! The definitions of an object: their meaning for a run, and whether they have changed.

use std::ops::Range;
use std::sync::Arc;

use recount_bytes::{ByteOrder, FormatError};
use recount_model::{
    CounterDef, CounterType, Formula, Multi, NameTable, ObjectDef, Second, Size, is_process_id, is_thread_id,
};

use crate::structure::TextSlot;
use crate::{CounterBlock, CounterDefinition, Object};

/// Name index of the counter with the id of a process.
const ID_PROCESS: u32 = 784;
/// Name index of the counter with the id of a thread.
const ID_THREAD: u32 = 804;

/// Computed once for all samples with the same definitions.
pub(super) struct Definitions {
    pub(super) object: Arc<ObjectDef>,
    key: Key,
    /// Where each counter's raw value is.
    pub(super) slots: Vec<Slot>,
    /// Each counter's second value and instance count.
    pub(super) links: Vec<(Second, Multi)>,
    /// The counters that have texts, and where these are.
    pub(super) texts: Vec<(usize, TextSlot)>,
    pub(super) id_process: Option<Slot>,
    pub(super) id_thread: Option<Slot>,
    /// The first counter that is a start time.
    pub(super) start: Option<Slot>,
}

/// Definitions are the same if all of this is equal.
struct Key {
    name_index: u32,
    help_index: u32,
    num_counters: u32,
    is_instanced: bool,
    code_page: u32,
    order: ByteOrder,
    bytes: Vec<u8>,
}

/// Where a raw value is in a counter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Four bytes at an offset.
    Dword(usize),
    /// Eight bytes at an offset.
    Large(usize),
    /// At an offset four bytes with the length of the value, and the value.
    Sized(usize),
    /// A number whose size is unknown, so that it can't be read.
    Missing,
    /// Text or similar, or a number that doesn't depend on the data.
    NoNumber,
}

impl Definitions {
    pub(super) fn read(object: &Object<'_>, names: &NameTable) -> Result<Definitions, FormatError> {
        let counters = object.counters().collect::<Result<Vec<_>, _>>()?;
        let header = object.header();
        let slots: Vec<Slot> = counters.iter().map(Slot::of).collect();
        let slot_of = |index: u32, is_id: fn(&str) -> bool| {
            let found = counters.iter().position(|counter| {
                counter.name_index == index || names.get(counter.name_index).is_some_and(is_id)
            });
            slots.get(found?).copied()
        };
        let start = counters.iter().position(|counter| formula(counter) == Formula::Elapsed);
        Ok(Definitions {
            object: Arc::new(ObjectDef {
                name: names.name(header.name_index),
                index: Some(header.name_index),
                help: help(names, header.help_index),
                instanced: object.is_instanced(),
                counters: counters.iter().map(|counter| counter_def(counter, names)).collect(),
                ..ObjectDef::default()
            }),
            key: Key {
                name_index: header.name_index,
                help_index: header.help_index,
                num_counters: header.num_counters,
                is_instanced: object.is_instanced(),
                code_page: header.code_page,
                order: object.order(),
                bytes: object.definition_bytes().to_vec(),
            },
            id_process: slot_of(ID_PROCESS, is_process_id),
            id_thread: slot_of(ID_THREAD, is_thread_id),
            start: start.and_then(|start| slots.get(start).copied()),
            links: links(&counters),
            texts: counters
                .iter()
                .enumerate()
                .filter_map(|(at, counter)| Some((at, TextSlot::of(counter, object)?)))
                .collect(),
            slots,
        })
    }

    /// Whether the object has exactly these definitions.
    pub(super) fn describe(&self, object: &Object<'_>) -> bool {
        let (key, header) = (&self.key, object.header());
        key.name_index == header.name_index
            && key.help_index == header.help_index
            && key.num_counters == header.num_counters
            && key.is_instanced == object.is_instanced()
            && key.code_page == header.code_page
            && key.order == object.order()
            && key.bytes == object.definition_bytes()
    }

    /// Whether the counter before `counter` takes its second value or instance count from it.
    pub(super) fn serves_the_one_before(&self, counter: usize) -> bool {
        let before = counter.checked_sub(1).and_then(|before| self.links.get(before));
        before
            .is_some_and(|(second, multi)| *second == Second::Base(counter) || *multi == Multi::Base(counter))
    }
}

impl Slot {
    fn of(counter: &CounterDefinition<'_>) -> Slot {
        let ofs = counter.ofs_value as usize;
        let reads_number = formula(counter).reads_number();
        match (counter.len_value, counter.counter_type.size()) {
            (_, Size::VariableLen) if reads_number => Slot::Sized(ofs),
            _ if formula(counter) == Formula::Zero => Slot::NoNumber,
            (4, _) => Slot::Dword(ofs),
            (8, _) => Slot::Large(ofs),
            _ if !reads_number => Slot::NoNumber,
            (_, Size::Dword) => Slot::Dword(ofs),
            (_, Size::Large) => Slot::Large(ofs),
            (_, Size::Zero | Size::VariableLen) => Slot::Missing,
        }
    }

    /// Appends the raw values of all counter blocks, which are in `block` at `spans`. `false`, with nothing
    /// appended, if one of the blocks may have no bytes for it; the smallest block has `len_least` bytes.
    ///
    /// The kind of value, and whether it is present, is decided once for all instances.
    pub(super) fn read_all(
        self,
        block: &[u8],
        order: ByteOrder,
        spans: &[Range<usize>],
        len_least: usize,
        values: &mut Vec<u64>,
    ) -> bool {
        let (ofs, len) = match self {
            Slot::Dword(ofs) => (ofs, 4),
            Slot::Large(ofs) => (ofs, 8),
            Slot::Sized(_) | Slot::Missing | Slot::NoNumber => return false,
        };
        if order != ByteOrder::Little || ofs.saturating_add(len) > len_least {
            return false;
        }
        let starts = spans.iter().map(|span| span.start + ofs);
        if len == 4 {
            values.extend(starts.map(|start| u64::from(u32::from_le_bytes(bytes_at(block, start)))));
        } else {
            values.extend(starts.map(|start| u64::from_le_bytes(bytes_at(block, start))));
        }
        true
    }

    /// The raw value, zero-extended; `None` if the block has no bytes for it.
    #[inline]
    pub(super) fn read(self, block: CounterBlock<'_>) -> Option<u64> {
        match self {
            Slot::Dword(ofs) => block.u32_at(ofs),
            Slot::Large(ofs) => block.u64_at(ofs),
            Slot::Sized(ofs) => match block.u32_at(ofs)? {
                4 => block.u32_at(ofs.checked_add(4)?),
                8 => block.u64_at(ofs.checked_add(4)?),
                _ => None,
            },
            Slot::Missing => None,
            Slot::NoNumber => Some(0),
        }
    }
}

/// Bytes that are known to exist.
#[inline]
fn bytes_at<const N: usize>(block: &[u8], start: usize) -> [u8; N] {
    block.get(start..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; N])
}

fn formula(counter: &CounterDefinition<'_>) -> Formula {
    counter.counter_type.recipe(counter.len_value).formula
}

fn help(names: &NameTable, index: u32) -> Option<Arc<str>> {
    if index == 0 { None } else { names.get_shared(index) }
}

fn counter_def(counter: &CounterDefinition<'_>, names: &NameTable) -> CounterDef {
    CounterDef {
        name: names.name(counter.name_index),
        index: Some(counter.name_index),
        help: help(names, counter.help_index),
        counter_type: Some(counter.counter_type),
        default_scale: counter.default_scale,
        detail_level: Some(counter.detail_level),
        len_value: counter.len_value,
        time_base: None,
        ..CounterDef::default()
    }
}

/// A base serves the counter directly before it (formats/perf-data-block.md#counter).
fn links(counters: &[CounterDefinition<'_>]) -> Vec<(Second, Multi)> {
    let words: Vec<CounterType> = counters.iter().map(|counter| counter.counter_type).collect();
    counters
        .iter()
        .enumerate()
        .map(|(i, counter)| {
            let recipe = counter.counter_type.recipe(counter.len_value);
            let base = words.get(i + 1).filter(|next| next.is_base()).map(|_| i + 1);
            let second = match (recipe.clock, base) {
                _ if recipe.formula.needs_base() => base.map_or(Second::None, Second::Base),
                (Some(timer), _) if recipe.formula.needs_clock() => Second::Clock(timer),
                _ => Second::None,
            };
            let multi = match base {
                Some(base) if recipe.formula.needs_multi() => Multi::Base(base),
                _ => Multi::None,
            };
            (second, multi)
        })
        .collect()
}
