//! Classic objects as countersets: serves `PERF_DATA_BLOCK`s through a server of the second generation.
//!
//! Object and counters keep names, help texts, types and raw values. Counter ids are the classic name
//! indexes. What the classic form expresses by position, the second generation expresses by id: the base
//! after a counter becomes its `BaseCounterId`, and the object's own clock becomes two counters
//! ([`PERF_TIME_ID`], [`PERF_FREQ_ID`]). `formats/linux-objects.md` lists the countersets of the Linux
//! source.

use recount_bytes::FormatError;
use recount_model::NameTable;
use recount_pcq::conversation::{Collected, CounterProvider, CountersetInfo, InstanceValues};
use recount_perf_data::{DataBlock, Object};

use super::counterset::describe;
use super::values::{Layout, instances};
use crate::{LiveSource, SampleForm, TakeError, Taken};

/// The language of the countersets' names: English, by Windows' number.
const ENGLISH: &str = "009";

/// The objects of a classic source as countersets.
pub struct BlockProvider {
    source: Box<dyn LiveSource>,
    infos: Vec<CountersetInfo>,
    sets: Vec<Set>,
    /// Readings that failed in the last sample.
    unreadable: (u64, Option<String>),
}

/// A counterset, and where its object's values are.
struct Set {
    name_index: u32,
    layout: Layout,
}

impl BlockProvider {
    /// The countersets are the objects in a first sample, which is then put back, and in those that are known already.
    ///
    /// The GUIDs are made from `family` (`linux` for the Linux source) and the objects' names.
    pub fn new(mut source: Box<dyn LiveSource>, family: &str) -> Result<BlockProvider, TakeError> {
        debug_assert_eq!(source.form(), SampleForm::Block);
        let texts = source.texts();
        let english = texts.iter().find(|(language, _)| language == ENGLISH).or(texts.first());
        let names = english.map(|(_, names)| names.clone()).unwrap_or_default();
        source.take()?.ok_or(TakeError::Ended)?;
        source.put_back();
        let (mut infos, mut sets) = (Vec::new(), Vec::new());
        add_sets(source.sample(), &names, family, &mut infos, &mut sets)?;
        for block in source.coming() {
            // What is damaged fails when its turn comes.
            let _ = add_sets(block, &names, family, &mut infos, &mut sets);
        }
        Ok(BlockProvider { source, infos, sets, unreadable: (0, None) })
    }

    /// Where the objects come from.
    pub(super) fn source(&mut self) -> &mut dyn LiveSource {
        &mut *self.source
    }

    /// How many readings failed in the last collection, and the first one with its reason. Their values are
    /// left out.
    pub(super) fn unreadable(&self) -> (u64, Option<String>) {
        self.unreadable.clone()
    }
}

/// Adds the objects of a block that aren't known yet.
fn add_sets(
    block: &[u8],
    names: &NameTable,
    family: &str,
    infos: &mut Vec<CountersetInfo>,
    sets: &mut Vec<Set>,
) -> Result<(), FormatError> {
    let block = DataBlock::parse(block, 0)?;
    for object in block.objects() {
        let object = object?;
        let name_index = object.header().name_index;
        // Another occurrence of an object has the same definitions (formats/perf-data-block.md).
        if sets.iter().any(|set| set.name_index == name_index) {
            continue;
        }
        infos.push(describe(&object, names, family)?);
        sets.push(Set { name_index, layout: Layout::of(&object, names)? });
    }
    Ok(())
}

impl CounterProvider for BlockProvider {
    type Error = TakeError;

    fn countersets(&self) -> &[CountersetInfo] {
        &self.infos
    }

    fn collect(&mut self) -> Result<Option<Collected>, TakeError> {
        let Some(Taken { num_unreadable, first_unreadable, .. }) = self.source.take()? else {
            return Ok(None);
        };
        self.unreadable = (num_unreadable, first_unreadable);
        let block = DataBlock::parse(self.source.sample(), 0)?;
        let objects = block.objects().collect::<Result<Vec<_>, _>>()?;
        let header = block.header();
        let sets = self
            .sets
            .iter()
            .map(|set| read_set(set, &objects, header.perf_freq))
            .collect::<Result<_, _>>()?;
        Ok(Some(Collected {
            perf_time: header.perf_time as u64,
            perf_freq: header.perf_freq as u64,
            time_100ns: header.perf_time_100ns as u64,
            system_time: header.system_time.words(),
            sets,
        }))
    }

    fn put_back(&mut self) {
        self.source.put_back();
    }
}

/// The instances of a counterset in a sample; `None` if the sample doesn't have its object, or has it with
/// different definitions.
fn read_set(
    set: &Set,
    objects: &[Object<'_>],
    perf_freq: i64,
) -> Result<Option<Vec<InstanceValues>>, FormatError> {
    let mut read: Option<Vec<InstanceValues>> = None;
    for object in objects.iter().filter(|object| object.header().name_index == set.name_index) {
        if !set.layout.describes(object) {
            return Ok(None);
        }
        instances(&set.layout, object, objects, perf_freq, read.get_or_insert_default())?;
    }
    Ok(read)
}
