//! From blocks to runs.

mod definitions;
mod identity;
mod parents;

use std::ops::Range;
use std::sync::Arc;

use definitions::{Definitions, Slot};
use identity::{Identity, InstanceTable};
use parents::Parents;
use recount_bytes::FormatError;
use recount_bytes::parse::ofs_within;
use recount_model::{
    CellFault, Clocks, Column, NameTable, ObjectDef, Run, RunBuilder, SampleTime, Timestamp,
};

use crate::structure::TextSlot;
use crate::{CounterBlock, DataBlock, Header, Object};

/// Gathers successive samples of one object of one machine into runs.
///
/// While definitions and instance table stay the same, a sample costs a comparison of both and a copy of its
/// values, and allocates only when a column has to grow. When either changes, or an instance is a different
/// thing with the same name and id, a new run begins.
pub struct ObjectRuns {
    host: Arc<str>,
    builder: RunBuilder,
    open: Option<Open>,
    // Kept from sample to sample only to reuse their memory.
    parents: Parents,
    spans: Vec<Range<usize>>,
}

/// The start of the open run.
struct Open {
    definitions: Arc<Definitions>,
    table: InstanceTable,
}

impl ObjectRuns {
    /// For samples of one object of `host` (without leading backslashes), about `num_samples` of them.
    pub fn new(host: Arc<str>, num_samples: usize) -> ObjectRuns {
        ObjectRuns {
            host,
            builder: RunBuilder::new(num_samples),
            open: None,
            parents: Parents::default(),
            spans: Vec::new(),
        }
    }

    /// Adds a sample: `object`, which must be one of `block`'s.
    ///
    /// Fails if the object is invalid, or describes more values than its bytes can plausibly contain. The
    /// whole sample is then left out, and the next one can be added.
    pub fn push(
        &mut self,
        block: &DataBlock<'_>,
        object: &Object<'_>,
        time: SampleTime,
        names: &NameTable,
    ) -> Result<(), FormatError> {
        self.push_parts(block, std::slice::from_ref(object), time, names)
    }

    /// The occurrences of an object in a block: those that form one table with the first, and the others.
    pub fn parts_of<'b>(occurrences: &[Object<'b>]) -> (Vec<Object<'b>>, Vec<Object<'b>>) {
        let Some((first, others)) = occurrences.split_first() else { return Default::default() };
        let (mut parts, others): (Vec<_>, Vec<_>) =
            others.iter().partition(|part| ObjectRuns::is_part_of(first, part));
        parts.insert(0, *first);
        (parts, others)
    }

    /// Whether `part`, another occurrence of an object in the same block, forms one table with the first.
    fn is_part_of(first: &Object<'_>, part: &Object<'_>) -> bool {
        let (one, other) = (first.header(), part.header());
        first.is_instanced()
            && part.is_instanced()
            && (one.name_index, one.code_page, one.help_index, one.num_counters)
                == (other.name_index, other.code_page, other.help_index, other.num_counters)
            && first.definition_bytes() == part.definition_bytes()
    }

    /// Like [`ObjectRuns::push`], for an object that occurs several times in the block: adds the instances of
    /// all occurrences, in order. All must have the definitions of the first, whose clocks are used.
    pub fn push_parts(
        &mut self,
        block: &DataBlock<'_>,
        parts: &[Object<'_>],
        time: SampleTime,
        names: &NameTable,
    ) -> Result<(), FormatError> {
        let Some(object) = parts.first() else { return Ok(()) };
        parts.iter().try_for_each(Object::check_amplification)?;
        let definitions = match &self.open {
            Some(open) if open.definitions.describe(object) => Arc::clone(&open.definitions),
            _ => Arc::new(Definitions::read(object, names)?),
        };
        let changed_part = parts.iter().find(|part| !definitions.describe(part));
        if let Some(part) = changed_part {
            return Err(FormatError::Unexpected {
                place: part.place(),
                expected: "the definitions of the object's first occurrence".into(),
                found: "others".into(),
            });
        }
        self.parents.reset();
        if !self.scan(&definitions, block, parts)? {
            let table = self.read_table(&definitions, block, parts);
            self.begin(definitions, table);
        }
        if let Some(Open { definitions, .. }) = &self.open {
            self.builder.append(|run, _| append(run, definitions, block, object, &self.spans, time));
        }
        Ok(())
    }

    /// The runs, in the order of the samples.
    pub fn finish(self) -> Vec<Run> {
        self.builder.finish()
    }

    /// Checks every instance, records where its counter block is, and returns whether the instances are those
    /// of the open run. On failure nothing is changed.
    fn scan(
        &mut self,
        definitions: &Arc<Definitions>,
        block: &DataBlock<'_>,
        parts: &[Object<'_>],
    ) -> Result<bool, FormatError> {
        let open = self.open.as_ref().filter(|open| Arc::ptr_eq(&open.definitions, definitions));
        let time_earlier = open.map_or(Timestamp::default(), |_| self.builder.time_last());
        let mut is_same = open.is_some();
        self.spans.clear();
        for part in parts {
            if let Some(values) = part.counter_block() {
                self.spans.push(span(block, values?));
            }
            for instance in part.instances() {
                let instance = instance?;
                if let (true, Some(open)) = (is_same, open) {
                    let identity = Identity::read(definitions, block, part, &instance, &mut self.parents);
                    is_same = open.table.holds(self.spans.len(), &identity, time_earlier);
                }
                self.spans.push(span(block, instance.counter_block));
            }
        }
        Ok(is_same && open.is_some_and(|open| open.table.len() == self.spans.len()))
    }

    /// The instance table of a sample that `scan` accepted.
    fn read_table(
        &mut self,
        definitions: &Arc<Definitions>,
        block: &DataBlock<'_>,
        parts: &[Object<'_>],
    ) -> InstanceTable {
        let before = self.open.as_ref().filter(|open| Arc::ptr_eq(&open.definitions, definitions));
        let before = before.map(|open| &open.table);
        let mut table = InstanceTable::default();
        let mut cursor = 0;
        for part in parts {
            if !part.is_instanced() {
                table.add(&Identity::default(), part.encoding(), None, &mut cursor);
            }
            for instance in part.instances().map_while(Result::ok) {
                let identity = Identity::read(definitions, block, part, &instance, &mut self.parents);
                table.add(&identity, part.encoding(), before, &mut cursor);
            }
        }
        table
    }

    fn begin(&mut self, definitions: Arc<Definitions>, mut table: InstanceTable) {
        let instances = table.numbered();
        let columns = definitions
            .links
            .iter()
            .map(|(second, multi)| Column {
                first: Vec::with_capacity(instances.len()),
                second: second.clone(),
                multi: multi.clone(),
                ..Column::default()
            })
            .collect();
        self.builder.begin(&self.host, &definitions.object, instances, columns);
        self.open = Some(Open { definitions, table });
    }
}

/// Adds a sample whose instances are those of the run. Can't fail.
fn append(
    run: &mut Run,
    definitions: &Definitions,
    block: &DataBlock<'_>,
    object: &Object<'_>,
    spans: &[Range<usize>],
    time: SampleTime,
) {
    let sample = run.num_samples();
    let order = block.header().order;
    let values =
        |span: &Range<usize>| CounterBlock::new(block.bytes().get(span.clone()).unwrap_or_default(), order);
    let len_least = spans.iter().map(Range::len).min().unwrap_or(0);
    let faults_before = run.faults.len();
    for (counter, (column, &slot)) in run.columns.iter_mut().zip(&definitions.slots).enumerate() {
        if slot.read_all(block.bytes(), order, spans, len_least, &mut column.first) {
            continue;
        }
        let faults = &mut run.faults;
        column.first.extend(spans.iter().enumerate().map(|(instance, span)| {
            slot.read(values(span)).unwrap_or_else(|| {
                faults.push(cell(sample, counter, instance));
                0
            })
        }));
    }
    if !definitions.texts.is_empty() {
        append_texts(run, definitions, spans, &values);
    }
    blame_served(run, definitions, faults_before, |instance, slot: Slot| {
        spans.get(instance).is_some_and(|span| slot.read(values(span)).is_some())
    });
    push_clocks(&mut run.clocks, block.header(), object, time);
}

/// Adds the texts of a sample.
fn append_texts<'b>(
    run: &mut Run,
    definitions: &Definitions,
    spans: &[Range<usize>],
    values: &impl Fn(&Range<usize>) -> CounterBlock<'b>,
) {
    let sample = run.num_samples();
    let mut len_left: Vec<usize> = spans.iter().map(|span| TextSlot::allowed(values(span))).collect();
    for &(counter, slot) in &definitions.texts {
        for (instance, span) in spans.iter().enumerate() {
            let text = slot.read(values(span), &mut len_left[instance]);
            if text.is_none() {
                run.faults.push(cell(sample, counter, instance));
            }
            if let Some(column) = run.columns.get_mut(counter) {
                column.push_text(text.as_deref(), spans.len());
            }
        }
    }
}

/// A counter whose base is missing has no trustworthy value either. Counters already found missing are
/// skipped.
fn blame_served(
    run: &mut Run,
    definitions: &Definitions,
    faults_before: usize,
    is_present: impl Fn(usize, Slot) -> bool,
) {
    for at in faults_before..run.faults.len() {
        let fault = run.faults[at];
        let counter = fault.counter as usize;
        if definitions.serves_the_one_before(counter)
            && is_present(fault.instance as usize, definitions.slots[counter - 1])
        {
            run.faults.push(CellFault { counter: fault.counter - 1, ..fault });
        }
    }
}

fn cell(sample: usize, counter: usize, instance: usize) -> CellFault {
    CellFault { sample: sample as u32, counter: counter as u32, instance: instance as u32 }
}

fn span(block: &DataBlock<'_>, values: CounterBlock<'_>) -> Range<usize> {
    let start = ofs_within(block.bytes(), values.bytes());
    start..start + values.bytes().len()
}

fn push_clocks(clocks: &mut Clocks, block: &Header, object: &Object<'_>, time: SampleTime) {
    let object = object.header();
    // An object without a frequency uses the block's (formats/perf-data-block.md#object).
    let object_freq = if object.perf_freq == 0 { block.perf_freq } else { object.perf_freq };
    clocks.time.push(time);
    clocks.perf_time.push(block.perf_time as u64);
    clocks.perf_freq.push(frequency(block.perf_freq));
    clocks.time_100ns.push(block.perf_time_100ns as u64);
    clocks.object_time.push(object.perf_time as u64);
    clocks.object_freq.push(frequency(object_freq));
}

/// A negative frequency becomes 0, for which nothing is computed.
fn frequency(ticks_per_second: i64) -> u64 {
    u64::try_from(ticks_per_second).unwrap_or(0)
}

/// The definition of an object alone.
pub(crate) fn object_def(object: &Object<'_>, names: &NameTable) -> Result<Arc<ObjectDef>, FormatError> {
    Ok(Definitions::read(object, names)?.object)
}
