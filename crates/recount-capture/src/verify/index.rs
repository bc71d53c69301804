//! Comparing an index with the frames it lists.

use std::collections::HashMap;

use recount_model::{FindingKind, Health, Place};

use crate::Log;
use crate::log::Entry;

/// Compares what an index lists with what the frames are.
pub(super) fn compare(index: &Log, log: &Log, is_complete: bool, health: &mut Health) {
    let by_place: HashMap<u64, &Entry> = log.entries.iter().map(|entry| (entry.ofs, entry)).collect();
    let records = |log: &Log, entry: &Entry| {
        let range = entry.first_record..entry.first_record + entry.num_records;
        let records = &log.records;
        Some((
            records.times.get(range.clone())?.to_vec(),
            records.kinds.get(range.clone())?.to_vec(),
            records.lens.get(range)?.to_vec(),
        ))
    };
    let mut num_found = 0;
    for listed in &index.entries {
        let what = match by_place.get(&listed.ofs) {
            Some(entry) => {
                num_found += 1;
                let is_same = Entry { first_record: 0, ..*listed } == Entry { first_record: 0, ..**entry }
                    && records(index, listed) == records(log, entry);
                if is_same {
                    continue;
                }
                "doesn't list the records of this frame as they are"
            }
            None if is_complete => "lists a frame of records where there is none",
            // Damage has its own finding.
            None => continue,
        };
        health.note(FindingKind::Damaged, Place::structure("frame", listed.ofs), format!("the index {what}"));
    }
    let num_unlisted = log.entries.len().saturating_sub(num_found);
    if num_unlisted > 0 {
        let what = format!("the index doesn't list {num_unlisted} frames of records that are there");
        health.note(FindingKind::Damaged, None, what);
    }
    if is_complete && (index.facts() != log.facts() || index.texts() != log.texts()) {
        health.note(FindingKind::Damaged, None, "the index doesn't list all frames of facts and names");
    }
}
