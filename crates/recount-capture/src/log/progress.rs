//! The state of a scan: damage that may yet prove harmless, and up to where nothing will move.

use std::ops::Range;

use recount_model::{Finding, FindingKind, Health, Place};

use super::Entry;
use super::search::Search;
use crate::bytes::Short;
use crate::frame::FrameKind;

/// What a visit of a frame found out.
pub(super) enum Visit {
    /// The frame is sound as far as it was examined. Says whether it holds records, and whether these follow the
    /// previous ones without a gap.
    Sound { is_records: bool, is_next: bool },
    /// A chunk that replaces what was found of its records before.
    Replaces,
    /// A chunk of records that all exist unsealed: a sealing is under way, or was interrupted.
    Redundant,
    /// Its records are already known from a chunk: an interrupted sealing left them.
    Superseded,
    /// It is incomplete, or isn't what it says.
    Broken(Short),
}

impl Visit {
    pub(super) const OTHER: Visit = Visit::Sound { is_records: false, is_next: false };
}

/// How many traces are kept that may yet prove harmless.
const MAX_NUM_TRACES: usize = 1_000;

/// What one scan has found. Traces of an interrupted sealing are removed once the sealed chunk is found.
#[derive(Default)]
pub(super) struct Scan {
    pub(super) traces: Vec<Trace>,
    /// Further findings.
    pub(super) more: Health,
    pub(super) settled: Settled,
    pub(super) gap: Option<Gap>,
    /// End of the frame visited last, and whether that was a chunk.
    pub(super) end: u64,
    is_after_chunk: bool,
    /// Whether this is among records that are already known.
    is_in_leftover: bool,
    /// Bytes read of frames that turned out to be broken.
    pub(super) len_broken: u64,
    pub(super) search: Search,
    /// Whether a sound index is the last thing in the file.
    pub(super) ends_with_index: bool,
    /// Where the records begin that exceed the maximum for the file.
    ofs_beyond: Option<u64>,
    /// Where another capture begins.
    pub(super) ofs_other: Option<u64>,
}

/// Something that is wrong.
#[derive(Clone, PartialEq)]
pub(super) struct Trace {
    finding: Finding,
    /// Entries found before it.
    num_entries: usize,
    /// Whether sealing may have left it.
    may_be_sealing: bool,
}

impl Trace {
    pub(super) fn report(&self, health: &mut Health) {
        let Finding { kind, place, what, .. } = self.finding.clone();
        health.note(kind, place, what);
    }
}

/// Up to where no frame will move; the tail follows.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Settled {
    pub(super) ofs: u64,
    num_entries: usize,
    pub(super) num_traces: usize,
}

/// Bytes that belong to no sound frame.
pub(super) struct Gap {
    ofs: u64,
    what: String,
    /// Entries found before it.
    num_entries: usize,
    /// Whether it starts where a chunk ends.
    is_after_chunk: bool,
    /// The kind in the head at its start, sound or not.
    kind: Option<FrameKind>,
    /// Whether another capture begins here.
    is_other: bool,
    /// Whether facts were found before.
    is_after_facts: bool,
}

impl Gap {
    /// What begins with a fault; where it begins among the entries and chunks, [`Scan::begin_gap`] says.
    pub(super) fn new(
        ofs: u64,
        fault: &Short,
        kind: Option<FrameKind>,
        is_other: bool,
        is_after_facts: bool,
    ) -> Gap {
        let what = format!("{}: {}", fault.field, fault.what);
        Gap { ofs, what, num_entries: 0, is_after_chunk: false, kind, is_other, is_after_facts }
    }

    /// Whether sealing may have left it. Facts and texts stay where they are, and the facts come first: what can't be read before
    /// any were found may be these, unless it began as records do.
    fn may_be_sealing(&self) -> bool {
        !self.is_other
            && match self.kind {
                Some(FrameKind::FACTS | FrameKind::TEXTS) => false,
                Some(FrameKind::CHUNK | FrameKind::RECORD) => true,
                _ => self.is_after_facts,
            }
    }
}

impl Scan {
    pub(super) fn new(ofs: u64, entries: &[Entry]) -> Scan {
        let settled = Settled { ofs, num_entries: entries.len(), num_traces: 0 };
        let ends_at = |entry: &Entry| entry.ofs + entry.len_frame as u64 == ofs;
        let is_after_chunk = entries.last().is_some_and(|last| last.is_chunk && ends_at(last));
        Scan { settled, end: ofs, is_after_chunk, ..Scan::default() }
    }

    /// Notes that something is wrong before the next entry.
    pub(super) fn note(&mut self, kind: FindingKind, ofs: u64, what: String, num_entries: usize) {
        self.trace(kind, ofs, what, num_entries, true);
    }

    fn trace(&mut self, kind: FindingKind, ofs: u64, what: String, num_entries: usize, may_be_sealing: bool) {
        let place = Some(Place::structure("frame", ofs));
        if self.traces.len() == MAX_NUM_TRACES {
            self.more.note(kind, place, what);
            return;
        }
        let finding = Finding { kind, capture: None, place, what };
        self.traces.push(Trace { finding, num_entries, may_be_sealing });
    }

    /// Notes records that are left out because the file is too short for so many, once.
    pub(super) fn note_beyond(&mut self, ofs: u64, max_num_records: u64, num_entries: usize) {
        if self.ofs_beyond.replace(ofs).is_none() {
            let what =
                format!("more records than the file's length allows ({max_num_records}); these are left out");
            self.trace(FindingKind::Damaged, ofs, what, num_entries, false);
        }
    }

    /// Up to where nothing will move.
    pub(super) fn ofs_settled(&self) -> u64 {
        self.settled.ofs
    }

    /// Broken frames are read and then searched for others, so many frames that claim to be large could cost hours.
    pub(super) fn is_worth_it(&self, len_file: u64) -> bool {
        /// An amount that is read quickly.
        const LEN_FREE: u64 = 1 << 30;
        self.len_broken / 16 <= len_file + LEN_FREE / 16
    }

    pub(super) fn begin_gap(&mut self, gap: Gap, num_entries: usize) {
        if self.gap.is_none() {
            let is_after_chunk = self.is_after_chunk && gap.ofs == self.end;
            self.gap = Some(Gap { num_entries, is_after_chunk, ..gap });
        }
    }

    /// Reports bytes that belong to no frame, or to a broken one.
    pub(super) fn end_gap(&mut self, end: u64, is_last: bool) {
        let Some(gap) = self.gap.take() else { return };
        let len = end - gap.ofs;
        let (kind, what) = if gap.is_other {
            self.ofs_other.get_or_insert(gap.ofs);
            let what = format!("another capture begins at byte {:#x}; split the file there", gap.ofs);
            (FindingKind::Damaged, format!("{what} ({len} bytes are not read)"))
        } else if is_last {
            let what = "what was being written when the recording was cut off";
            (
                FindingKind::Truncated,
                format!("the last {len} bytes are an incomplete frame ({}): {what}", gap.what),
            )
        } else {
            (FindingKind::Damaged, format!("{len} bytes skipped to the next frame ({})", gap.what))
        };
        self.trace(kind, gap.ofs, what, gap.num_entries, gap.may_be_sealing());
    }

    /// Records that are already known: an interrupted sealing leaves them.
    pub(super) fn leftover(&mut self, ofs: u64, num_entries: usize) {
        // Between these and the chunk, and between one another, there are parts of the frames that the chunk
        // overwrote.
        let is_left = |gap: &Gap| !gap.is_other && (gap.is_after_chunk || self.is_in_leftover);
        if self.gap.as_ref().is_some_and(is_left) {
            self.gap = None;
        }
        self.end_gap(ofs, false);
        if !std::mem::replace(&mut self.is_in_leftover, true) {
            self.note_interrupted(ofs, num_entries);
        }
    }

    /// A chunk replaces all entries from `num_entries` on, and explains the faults there.
    pub(super) fn replaced(&mut self, ofs: u64, num_entries: usize) {
        let num_before = self.traces.len();
        let (mut at, num_settled) = (0, self.settled.num_traces);
        self.traces.retain(|trace| {
            let is_kept = trace.num_entries < num_entries || !trace.may_be_sealing;
            self.settled.num_traces -= usize::from(!is_kept && at < num_settled);
            at += 1;
            is_kept
        });
        let gap = self.gap.take_if(|gap| gap.may_be_sealing());
        if self.traces.len() < num_before || gap.is_some() {
            self.note_interrupted(ofs, num_entries);
        }
    }

    fn note_interrupted(&mut self, ofs: u64, num_entries: usize) {
        let what = "records that were sealed already: a sealing was interrupted here; nothing is lost";
        self.trace(FindingKind::Odd, ofs, what.to_owned(), num_entries, false);
    }

    /// After visiting a frame, notes up to where nothing will move.
    pub(super) fn visited(
        &mut self,
        visit: &Visit,
        kind: Option<FrameKind>,
        place: Range<u64>,
        num_entries: usize,
    ) {
        let goes_on = matches!(visit, Visit::Sound { is_next: true, .. });
        if goes_on && self.is_after_chunk && self.end == place.start && self.settled.ofs < self.end {
            // The writer has continued after the chunk, so that stays.
            self.settle(self.end, num_entries - 1);
        }
        self.end = place.end;
        self.is_after_chunk = kind == Some(FrameKind::CHUNK) && !matches!(visit, Visit::Superseded);
        self.is_in_leftover = matches!(visit, Visit::Superseded);
        let Visit::Sound { is_records, .. } = visit else { return };
        // Sealed in its place: neither unsealed records nor damage are before it.
        let is_in_place = self.is_after_chunk
            && num_entries == self.settled.num_entries + 1
            && self.traces.len() == self.settled.num_traces;
        if !is_records || is_in_place {
            self.settle(place.end, num_entries);
        }
    }

    fn settle(&mut self, ofs: u64, num_entries: usize) {
        self.settled = Settled { ofs, num_entries, num_traces: self.traces.len() };
    }
}
