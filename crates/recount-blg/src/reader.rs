//! A `.blg` as a source of runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::NameTable;
use recount_model::{
    Content, Decoded, FindingKind, Health, ObjectDef, Opened, Place, SampleTime, Selection, Source,
};
use recount_perf_data::{DataBlock, Object, ObjectRuns};

use crate::error::BlgError;
use crate::index::{BlockRef, Index};
use crate::list_runs::{self, ListRuns, Value};
use crate::message;
use crate::plan::{Plan, Role};
use crate::structure::buffer::BufferHeader;
use crate::structure::catalog::CatalogHead;
use crate::structure::counter_list::Entry;
use crate::structure::name_table::NameTables;
use crate::structure::record::{self, Record, RecordError, Records};

/// The largest unit of a page cache, which a single access to a mapped file may load.
const LEN_FOLIO: usize = 2 << 20;

/// An opened performance log.
pub struct BlgSource {
    content: Arc<dyn Content>,
    index: Index,
    names: NameTables,
    opened: Opened,
    objects: Vec<(Arc<str>, Arc<ObjectDef>)>,
}

impl BlgSource {
    /// Opens a log: finds its messages, reads its counter list and names, and puts its samples in time order.
    ///
    /// Fails only if there is nothing to read; damage is reported by [`Source::health`].
    pub fn open(content: Arc<dyn Content>) -> Result<BlgSource, BlgError> {
        let mut index = Index::scan(&*content)?;
        let names = NameTables::read(&index.name_tables, &*content, &mut index.health);
        check_catalog(&mut index, &*content);
        let info = crate::info::capture_info(&index);
        let times = index.blocks.iter().map(|block| block.time).collect();
        let opened = Opened { info, health: std::mem::take(&mut index.health), times };
        let mut source = BlgSource { content, index, names, opened, objects: Vec::new() };
        source.objects = source.find_objects();
        Ok(source)
    }

    /// Whether the bytes look like an event trace, the container of performance logs.
    pub fn recognise(bytes: &[u8]) -> bool {
        let is_first_event =
            bytes.get(74).is_some_and(|kind| matches!(kind, 1 | 2)) && bytes.get(75) == Some(&0xC0);
        let is_header_buffer = crate::le::u16_at(bytes, 54) == Some(BufferHeader::TYPE_HEADER);
        let has_size = crate::container::buffer::len_buffer(bytes).is_some();
        has_size && (is_first_event || is_header_buffer)
    }

    /// Objects from the counter lists, and whole objects from the first samples that contain them.
    fn find_objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let groups = self.index.plans.iter().flat_map(|plan| &plan.groups);
        let mut found: Vec<_> =
            groups.map(|group| (Arc::clone(&group.host), Arc::clone(&group.object))).collect();
        if self.index.plans.iter().any(|plan| plan.roles.contains(&Role::Object)) {
            for sample in 0..self.times().len().min(2) {
                for run in self.decode(&[sample as u32], &Selection::all()).runs {
                    if !found.iter().any(|(host, object)| *host == run.host && *object == run.object) {
                        found.push((run.host, run.object));
                    }
                }
            }
        }
        found
    }
}

impl Source for BlgSource {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.index.blocks.get(sample).map_or(0, |block| block.epoch)
    }

    fn len_sample(&self, sample: usize) -> usize {
        let extents = self.index.blocks[sample].extents.clone();
        self.index.extents[extents].iter().map(|extent| extent.len as usize).sum()
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.objects.clone()
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoded = Decoded::default();
        let blocks = samples.iter().filter_map(|&sample| self.index.blocks.get(sample as usize));
        let blocks: Vec<&BlockRef> = blocks.collect();
        for of_one_list in blocks.chunk_by(|a, b| a.list == b.list) {
            let Some(plan) = self.index.plans.get(of_one_list[0].list) else {
                let what = format!(
                    "{} samples without a counter list: their contents are unknown",
                    of_one_list.len()
                );
                decoded.health.note(FindingKind::Dropped, None, what);
                continue;
            };
            let mut decoder = Decoder::new(self, plan, selection, of_one_list.len());
            for block in of_one_list {
                decoder.sample(block);
            }
            decoder.finish(&mut decoded);
        }
        // The system maps whole folios of its cache, so the pages before these were loaded again with the first.
        let extents = blocks.iter().flat_map(|block| &self.index.extents[block.extents.clone()]);
        self.content.release_all(extents.map(|extent| {
            (extent.ofs as usize).saturating_sub(LEN_FOLIO)..extent.ofs as usize + extent.len as usize
        }));
        decoded
    }
}

/// Decodes samples of one counter list.
struct Decoder<'s> {
    source: &'s BlgSource,
    plan: &'s Plan,
    /// Per group of the plan; `None` if the selection can't match.
    groups: Vec<Option<ListRuns<'s>>>,
    /// Per position of a whole object, by the object's name index: one position may contain several objects.
    objects: BTreeMap<(usize, u32), ObjectRuns>,
    /// Positions of whole objects that may be selected.
    wanted: Vec<bool>,
    /// Per position of a whole object that isn't in a name table: a table with the name from the list.
    named_by_list: BTreeMap<usize, NameTable>,
    num_samples: usize,
    scratch: Vec<u8>,
    health: Health,
}

impl<'s> Decoder<'s> {
    fn new(source: &'s BlgSource, plan: &'s Plan, selection: &Selection, num_samples: usize) -> Decoder<'s> {
        let group = |(at, group): (usize, &crate::plan::Group)| {
            selection
                .may_match_object(&group.host, &group.object.name)
                .then(|| ListRuns::new(plan, at, num_samples))
        };
        let wanted = |entry: &Entry| selection.may_match_object(&entry.host, &entry.object);
        Decoder {
            source,
            plan,
            groups: plan.groups.iter().enumerate().map(group).collect(),
            objects: BTreeMap::new(),
            wanted: plan.entries.iter().map(wanted).collect(),
            named_by_list: BTreeMap::new(),
            num_samples,
            scratch: Vec::new(),
            health: Health::default(),
        }
    }

    fn sample(&mut self, block: &BlockRef) {
        let extents = &self.source.index.extents[block.extents.clone()];
        let mut scratch = std::mem::take(&mut self.scratch);
        let message = message::payload(extents, &*self.source.content, &mut scratch);
        let ofs_in_file = |ofs: u64| message::ofs_in_file(extents, ofs);
        let place = |structure, ofs: usize| Place::structure(structure, ofs_in_file(ofs as u64));
        let records = self.records(message, &place);
        for (position, record) in records.iter().enumerate() {
            let Some(record) = record else { continue };
            if self.plan.roles[position] != Role::Object || !self.wanted[position] {
                continue;
            }
            if let Err(what) = self.object(position, record, block.time, &ofs_in_file) {
                self.health.note(FindingKind::Dropped, place("whole object record", record.ofs), what);
            }
        }
        self.lists(&records, block.time, message.len(), &place);
        self.scratch = scratch;
    }

    /// The records of a data block by position; `None` for missing ones.
    fn records<'m>(
        &mut self,
        message: &'m [u8],
        place: &dyn Fn(&'static str, usize) -> Place,
    ) -> Vec<Option<Record<'m>>> {
        let mut records = Vec::with_capacity(self.plan.entries.len());
        let mut is_whole = true;
        let mut fail = |error: RecordError| {
            is_whole = false;
            let what = format!("{}: {}", error.field, error.what);
            self.health.note(FindingKind::Damaged, place("record", error.ofs), what);
        };
        match Records::open(message) {
            Ok(found) => {
                for record in found {
                    match record {
                        Ok(record) => records.push(Some(record)),
                        Err(error) => {
                            // No record follows where the last one ends: its length may be wrong.
                            records.pop_if(|last| !last.as_ref().is_some_and(list_runs::states_length));
                            fail(error);
                        }
                    }
                }
            }
            Err(error) => fail(error),
        }
        let (num_found, num_expected) = (records.len(), self.plan.entries.len());
        if num_found != num_expected {
            let what = format!("{num_found} records where the counter list has {num_expected} entries");
            self.health.note(FindingKind::Dropped, place("data block", 0), what);
            // After damage the records at the end are missing. Otherwise any of them may be missing, and it
            // isn't known to which counters the others belong. Whole objects identify themselves.
            if is_whole {
                for record in &mut records {
                    *record = record.filter(|record| record.kind == record::OBJECT);
                }
            }
        }
        records.resize(num_expected, None);
        records
    }

    fn object(
        &mut self,
        position: usize,
        record: &Record<'_>,
        time: SampleTime,
        ofs_in_file: &dyn Fn(u64) -> u64,
    ) -> Result<(), String> {
        let placed = |error: FormatError| error.map_ofs(ofs_in_file).to_string();
        if record.kind != record::OBJECT {
            return Err(format!("record of kind {:#04x} where a whole object was expected", record.kind));
        }
        let block = record.block().map_err(placed)?;
        if block.header().num_object_types == 1 {
            // The usual case, without any allocation.
            return block.objects().try_for_each(|object| {
                let object = object.map_err(placed)?;
                self.push(position, &block, std::slice::from_ref(&object), time, true).map_err(placed)
            });
        }
        let mut objects = block.objects().collect::<Result<Vec<_>, _>>().map_err(placed)?;
        // Several objects: use the requested one; the others are included as its parents.
        let asked_for = i64::from(block.header().default_object);
        let is_asked_for = |object: &Object<'_>| i64::from(object.header().name_index) == asked_for;
        if objects.iter().any(is_asked_for) {
            objects.retain(is_asked_for);
        }
        while let Some(first) = objects.first().copied() {
            // Another occurrence of the object has the instances of another provider.
            let index = first.header().name_index;
            let same =
                objects.extract_if(.., |object| object.header().name_index == index).collect::<Vec<_>>();
            let (parts, others) = ObjectRuns::parts_of(&same);
            self.push(position, &block, &parts, time, is_asked_for(&first)).map_err(placed)?;
            if let Some(other) = others.first() {
                let what = "the same object again in one block, with other definitions: left out";
                let place = Place::structure("PERF_OBJECT_TYPE", ofs_in_file(other.place().ofs));
                self.health.note(FindingKind::Dropped, place, what);
            }
        }
        Ok(())
    }

    /// Adds a sample of one object. `is_named_by_list`: the entry at `position` names it.
    fn push(
        &mut self,
        position: usize,
        block: &DataBlock<'_>,
        parts: &[Object<'_>],
        time: SampleTime,
        is_named_by_list: bool,
    ) -> Result<(), FormatError> {
        let entry = &self.plan.entries[position];
        let index = parts[0].header().name_index;
        let mut names = self.source.names.of(&entry.host);
        if names.get(index).is_none() && is_named_by_list {
            // A log that lost its name tables still has the objects' names in the counter list.
            names = self.named_by_list.entry(position).or_insert_with(|| {
                let mut table = names.clone();
                table.insert(index, &entry.object);
                table
            });
        }
        let runs = self.objects.entry((position, index));
        let runs = runs.or_insert_with(|| ObjectRuns::new(entry.host.as_str().into(), self.num_samples));
        runs.push_parts(block, parts, time, names)
    }

    fn lists(
        &mut self,
        records: &[Option<Record<'_>>],
        time: SampleTime,
        len_message: usize,
        place: &dyn Fn(&'static str, usize) -> Place,
    ) {
        for (group, runs) in self.plan.groups.iter().zip(&mut self.groups) {
            let Some(runs) = runs else { continue };
            let values: Vec<Value<'_>> =
                group.entries.iter().map(|&at| Value::read(records[at].as_ref())).collect();
            let mut lacks_all = true;
            for (value, &at) in values.iter().zip(&group.entries) {
                let Some(record) = &records[at] else { continue };
                lacks_all &= value.lacks_object();
                if value.is_missing() {
                    let what = format!(
                        "kind {:#04x}, {} bytes: no value of a counter",
                        record.kind,
                        record.bytes.len()
                    );
                    self.health.note(FindingKind::Dropped, place("record", record.ofs), what);
                }
            }
            // If a sample lacks all of an object's records, nothing is known about it, not even that it is
            // empty.
            if lacks_all {
                continue;
            }
            if let Err(what) = runs.push(time, &values, len_message) {
                self.health.note(FindingKind::Dropped, place("data block", 0), what);
            }
        }
    }

    fn finish(self, decoded: &mut Decoded) {
        let mut objects = self.objects;
        for (position, role) in self.plan.roles.iter().enumerate() {
            if *role == Role::Object {
                let keys: Vec<_> =
                    objects.range((position, 0)..=(position, u32::MAX)).map(|(key, _)| *key).collect();
                for key in keys {
                    decoded.runs.extend(objects.remove(&key).into_iter().flat_map(ObjectRuns::finish));
                }
            }
        }
        decoded.runs.extend(self.groups.into_iter().flatten().flat_map(ListRuns::finish));
        decoded.health.absorb(self.health);
    }
}

/// A catalog whose number of samples differs from the log's is a sign of loss.
fn check_catalog(index: &mut Index, content: &dyn Content) {
    let mut scratch = Vec::new();
    let Some(message) = &index.catalog else { return };
    let Ok((_, catalog)) = CatalogHead::parse(message.payload(content, &mut scratch)) else { return };
    let num_blocks = index.blocks.len();
    if catalog.num_blocks as usize != num_blocks {
        let what = format!("the catalog counts {} samples, the log holds {num_blocks}", catalog.num_blocks);
        index.health.note(
            FindingKind::Lost,
            message.extents.first().map(|e| Place::structure("catalog", e.ofs)),
            what,
        );
    }
}
