//! Decodes successive blocks into the runs of all their objects.

use std::collections::HashMap;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{Decoded, FindingKind, Health, NameTable, SampleTime, Selection};

use crate::block_run::ObjectRuns;
use crate::{DataBlock, Object};

/// Decodes blocks in sequence, from one machine or several.
pub struct BlockDecoder<'s> {
    names: &'s NameTable,
    selection: &'s Selection,
    num_samples: usize,
    /// From host and name index to the index in `runs`; `None` if not selected.
    by_object: HashMap<(usize, u32), Option<usize>>,
    runs: Vec<ObjectRuns>,
    health: Health,
}

impl<'s> BlockDecoder<'s> {
    /// For about `num_samples` blocks. Objects that the selection can't match are left out.
    pub fn new(names: &'s NameTable, selection: &'s Selection, num_samples: usize) -> BlockDecoder<'s> {
        BlockDecoder {
            names,
            selection,
            num_samples,
            by_object: HashMap::new(),
            runs: Vec::new(),
            health: Health::default(),
        }
    }

    /// Adds the next block. `host` is the machine, with its number; `origin` names the block's origin in
    /// findings.
    pub fn push(&mut self, origin: &str, host: (usize, &Arc<str>), block: &DataBlock<'_>, time: SampleTime) {
        self.push_unless(|_| false, origin, host, block, time);
    }

    /// Like [`BlockDecoder::push`], without the objects that are known from elsewhere.
    pub(crate) fn push_unless(
        &mut self,
        is_known: impl Fn(&Object<'_>) -> bool,
        origin: &str,
        host: (usize, &Arc<str>),
        block: &DataBlock<'_>,
        time: SampleTime,
    ) {
        let mut objects = Vec::with_capacity(block.header().num_object_types.min(64) as usize);
        for object in block.objects() {
            match object {
                Ok(object) if is_known(&object) => {}
                Ok(object) => objects.push(object),
                Err(error) => self.note(origin, &error),
            }
        }
        // A stable sort: occurrences of one object become adjacent and stay in the order of the block.
        objects.sort_by_key(|object| object.header().name_index);
        for occurrences in objects.chunk_by(|a, b| a.header().name_index == b.header().name_index) {
            let Some(runs) = self.runs_of(host, occurrences[0].header().name_index) else { continue };
            let pushed = if let [object] = occurrences {
                self.runs[runs].push(block, object, time, self.names)
            } else {
                let parts = self.parts(origin, occurrences);
                self.runs[runs].push_parts(block, &parts, time, self.names)
            };
            if let Err(error) = pushed {
                self.note(origin, &error);
            }
        }
    }

    /// The runs of all objects, and what had to be left out.
    pub fn finish(self) -> Decoded {
        let runs = self.runs.into_iter().flat_map(ObjectRuns::finish).collect();
        Decoded { runs, health: self.health, ..Decoded::default() }
    }

    /// Adds a finding of the caller, in order with the others.
    pub fn note(&mut self, origin: &str, error: &FormatError) {
        self.health.note(error.kind(), error.place().cloned(), format!("{origin}: {}", error.what()));
    }

    /// Whether nothing was lost so far.
    pub fn is_complete(&self) -> bool {
        self.health.is_complete()
    }

    /// Records a loss between the blocks.
    pub fn note_lost(&mut self, what: &str) {
        self.health.note(FindingKind::Damaged, None, what);
    }

    fn runs_of(&mut self, (number, host): (usize, &Arc<str>), name_index: u32) -> Option<usize> {
        let (runs, names, selection) = (&mut self.runs, self.names, self.selection);
        *self.by_object.entry((number, name_index)).or_insert_with(|| {
            if !selection.may_match_object(host, &names.name(name_index)) {
                return None;
            }
            runs.push(ObjectRuns::new(Arc::clone(host), self.num_samples));
            Some(runs.len() - 1)
        })
    }

    /// The occurrences of an object that form one table. The others are noted.
    fn parts<'b>(&mut self, origin: &str, occurrences: &[Object<'b>]) -> Vec<Object<'b>> {
        let (parts, others) = ObjectRuns::parts_of(occurrences);
        for part in others {
            let what = format!(
                "{origin}: object {} stands in the block again, with other definitions or without instances; left out",
                part.header().name_index
            );
            self.health.note(FindingKind::Dropped, part.place(), what);
        }
        parts
    }
}
