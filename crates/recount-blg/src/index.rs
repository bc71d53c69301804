//! Finds the messages in one pass over the file. Only headers are read, so that a large log opens quickly.

use std::collections::HashMap;
use std::ops::Range;

use recount_bytes::parse;
use recount_model::{Content, FindingKind, Health, Place, SampleTime, Timestamp};

use crate::container::buffer::{Buffers, len_buffer_in};
use crate::container::{Buffer, Event, PdhEvent, events_of};
use crate::error::BlgError;
use crate::local_time::LocalTime;
use crate::message::{Extent, Joiner, Message};
use crate::plan::Plan;
use crate::stamps::{self, Stamps};
use crate::structure;
use crate::structure::buffer::BufferHeader;
use crate::structure::trace_header::{SystemEventHeader, TraceHeader};

/// The largest event that the logfile header may be, at its place in the first buffer.
const LEN_HEADER_EVENT: usize = BufferHeader::LEN + u16::MAX as usize;

/// A word behind an event that is too short for the length that its contents state.
const LEN_BEHIND: usize = 8;

/// A data block: one sample.
#[derive(Clone, Debug)]
pub(crate) struct BlockRef {
    /// Local time stamp in the file.
    pub(crate) local: Timestamp,
    /// Its fragments, in `Index::extents`.
    pub(crate) extents: Range<usize>,
    /// The counter list of its records.
    pub(crate) list: usize,
    /// Processor whose buffers contain it: within these, blocks are in order of recording.
    processor: u16,
    /// How often the clock was set back before it.
    pub(crate) epoch: u32,
    /// UTC and offset.
    pub(crate) time: SampleTime,
}

impl BlockRef {
    /// The processor whose buffers contain it.
    pub(crate) fn processor(&self) -> u16 {
        self.processor
    }
}

/// The positions of everything.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) header: Option<TraceHeader>,
    /// Counter lists, each as the plan for its records.
    pub(crate) plans: Vec<Plan>,
    /// The first spelling of each machine, by its name in lower case.
    hosts: HashMap<String, String>,
    pub(crate) name_tables: Vec<Message>,
    pub(crate) catalog: Option<Message>,
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) extents: Vec<Extent>,
    pub(crate) num_buffers: usize,
    /// The stamps of each block, until blocks are placed in time; `None` for those before any list.
    stamps: Vec<Option<Stamps>>,
    pub(crate) health: Health,
}

impl Index {
    /// Scans the whole file.
    pub(crate) fn scan(content: &dyn Content) -> Result<Index, BlgError> {
        let len_buffer = len_buffer_in(content).ok_or_else(|| BlgError::not_a_trace(&content.part(0..72)))?;
        let mut index = Index::default();
        index.read_header(&content.part(0..LEN_HEADER_EVENT));
        let mut joiner = Joiner::default();
        let mut buffers = Buffers::new(content, len_buffer);
        if let Some(header) = index.header.as_ref().filter(|header| header.is_circular()) {
            let num_kept = header.num_start_buffers.max(1) as usize;
            let ordered = in_order_of_age(buffers.by_ref().collect());
            index.health.absorb(std::mem::take(&mut buffers.health));
            index.read_buffers(content, ordered.into_iter(), &mut joiner, num_kept);
        } else {
            index.read_buffers(content, buffers.by_ref(), &mut joiner, 0);
        }
        index.health.absorb(buffers.health);
        joiner.finish(&mut index.health);
        index.check_completeness();
        if index.plans.is_empty() && index.blocks.is_empty() && index.name_tables.is_empty() {
            return Err(BlgError::NoCounters { num_buffers: index.num_buffers });
        }
        index.place_in_time(content);
        Ok(index)
    }

    fn read_header(&mut self, file: &[u8]) {
        let ofs = BufferHeader::LEN + SystemEventHeader::LEN;
        let event = file.get(BufferHeader::LEN..).and_then(|i| SystemEventHeader::parse(i).ok());
        let event = event.map(|(_, event)| event).filter(|event| matches!(event.header_type, 1 | 2));
        let end = event.map_or(0, |event| (BufferHeader::LEN + usize::from(event.len)).min(file.len()));
        if end <= ofs {
            let place = Place::structure("event", BufferHeader::LEN as u64);
            let what = "no logfile header: machine facts and time zone are unknown";
            self.health.note(FindingKind::Damaged, place, what);
            return;
        }
        let body = &file[ofs..end];
        match parse::settle(TraceHeader::parse(body), body, ofs as u64) {
            Ok(header) => self.header = Some(header),
            Err(error) => self.health.note(FindingKind::Damaged, error.place().cloned(), error.what()),
        }
        if let Some(header) = &self.header {
            for (count, what) in [(header.num_events_lost, "events"), (header.num_buffers_lost, "buffers")] {
                if count > 0 {
                    let what = format!("the session lost {count} {what}: samples are missing");
                    self.health.note(FindingKind::Lost, None, what);
                }
            }
        }
    }

    /// Compares the header of a closed log with the file.
    fn check_completeness(&mut self) {
        let Some(header) = &self.header else { return };
        let num_written = header.num_buffers as usize;
        if !header.is_circular() && num_written > self.num_buffers {
            let what = format!(
                "{num_written} buffers were written, {} are here: the end is missing",
                self.num_buffers
            );
            self.health.note(FindingKind::Truncated, None, what);
        }
        if header.end_time.0 == 0 {
            let what =
                "the log was not closed: its header has no end time, so the last samples may be missing";
            self.health.note(FindingKind::Odd, None, what);
        }
    }

    /// Reads the events of buffers in order of recording. `num_kept` is the number of first buffers that a
    /// circular log never overwrites; a gap after them is normal.
    fn read_buffers(
        &mut self,
        content: &dyn Content,
        buffers: impl Iterator<Item = Buffer>,
        joiner: &mut Joiner,
        num_kept: usize,
    ) {
        let mut before: Option<Buffer> = None;
        for buffer in buffers {
            if self.num_buffers >= num_kept.max(1) {
                note_gap(before.as_ref(), &buffer, &mut self.health);
            }
            before = Some(buffer);
            self.num_buffers += 1;
            if buffer.header.is_compressed() {
                continue;
            }
            let mut found: Vec<PdhEvent> = Vec::new();
            let bytes = content.part(buffer.ofs..buffer.ofs_events_end + LEN_BEHIND);
            events_of((&*bytes, buffer.ofs), &buffer, &mut self.health, |event| {
                if let Event::Pdh(event) = event {
                    found.push(event);
                }
            });
            for event in found {
                if let Some(message) = joiner.push(&event, &mut self.health) {
                    self.take_message(content, message, buffer.header.processor());
                }
            }
            if num_kept > 0 {
                // When reading out of file order, nothing else releases the pages.
                content.release(buffer.ofs..buffer.ofs + buffer.header.len as usize);
            }
        }
    }

    fn take_message(&mut self, content: &dyn Content, message: Message, processor: u16) {
        match message.kind {
            structure::DATA_BLOCK => {
                let start = self.extents.len();
                self.extents.extend(message.extents);
                let block = BlockRef {
                    local: message.local,
                    extents: start..self.extents.len(),
                    // A block before any list belongs to the first list after it (in a circular log).
                    list: self.plans.len().saturating_sub(1),
                    processor,
                    epoch: 0,
                    time: SampleTime::default(),
                };
                // Read it now, while its pages are loaded.
                self.stamps.push((!self.plans.is_empty()).then(|| self.stamps_of(content, &block)));
                self.blocks.push(block);
            }
            structure::COUNTER_LIST => {
                let plan = Plan::read(&message, content, &mut self.hosts, &mut self.health);
                // A circular log may repeat its list: equal lists share a plan.
                if self.plans.last().is_none_or(|last| last.entries != plan.entries) {
                    self.plans.push(plan);
                }
            }
            structure::NAME_TABLE => self.name_tables.push(message),
            structure::CATALOG => self.catalog = Some(message),
            other => {
                let place = message.extents.first().map(|extent| Place::structure("PDH event", extent.ofs));
                let what = format!("message of unknown type {other:#04x}: skipped");
                self.health.note(FindingKind::Odd, place, what);
            }
        }
    }

    /// Computes UTC for every block and sorts the blocks by it.
    fn place_in_time(&mut self, content: &dyn Content) {
        let zone = self.header.as_ref().map(|header| &header.zone);
        let started = self.header.as_ref().map(|header| header.start_time).filter(|start| start.0 > 0);
        let read = std::mem::take(&mut self.stamps);
        let stamps = self.blocks.iter().zip(read);
        let mut stamps: Vec<Stamps> =
            stamps.map(|(block, read)| read.unwrap_or_else(|| self.stamps_of(content, block))).collect();
        let mut local_time = LocalTime::new(zone, started);
        stamps::settle(&mut stamps, &local_time, &mut self.health);
        for (block, stamps) in self.blocks.iter_mut().zip(&stamps) {
            block.time = local_time.sample_time(stamps.local, stamps.utc.map(|found| found.utc));
        }
        self.take_block_clocks(&stamps);
        if self.header.is_none() && stamps.iter().any(|stamps| stamps.utc.is_none()) {
            let what = "no time zone in the file: times without a UTC clock reading are taken to be UTC";
            self.health.note(FindingKind::Odd, None, what);
        }
        self.count_epochs(&stamps);
        self.blocks.sort_by_key(|block| block.time.utc);
    }

    /// The clock of a whole object's block is the time of its sample, and more exact than the local stamp,
    /// which is truncated to milliseconds. If it differs by more, it is another machine's.
    fn take_block_clocks(&mut self, stamps: &[Stamps]) {
        for (block, stamps) in self.blocks.iter_mut().zip(stamps) {
            let clock = stamps.utc.filter(|found| found.is_sample_time).map(|found| found.utc);
            let is_own =
                |clock: &Timestamp| clock.0.abs_diff(block.time.utc.0) < Timestamp::TICKS_PER_SECOND as u64;
            if let Some(clock) = clock.filter(is_own) {
                block.time.utc = clock;
            }
        }
    }

    /// Blocks are in order of recording for each processor: where time goes back, the clock was set; where only the
    /// performance clock does, the machine was restarted.
    fn count_epochs(&mut self, stamps: &[Stamps]) {
        let mut last: HashMap<u16, (Timestamp, u64, u32)> = HashMap::new();
        for (block, stamps) in self.blocks.iter_mut().zip(stamps) {
            let now = block.time.utc;
            let ticks = stamps.utc.map_or(0, |found| found.perf_time);
            let (before, ticks_before, epoch) = last.entry(block.processor).or_insert((now, ticks, 0));
            let what = if now < *before {
                Some(format!("the clock was set back, from {before} to {now}"))
            } else if (1..*ticks_before).contains(&ticks) {
                Some(format!(
                    "the machine was restarted between {before} and {now}: its performance clock fell"
                ))
            } else {
                None
            };
            if let Some(what) = what {
                *epoch += 1;
                let place = self.extents.get(block.extents.start);
                let place = place.map(|extent| Place::structure("data block", extent.ofs));
                self.health.note(FindingKind::Odd, place, format!("{what}: no value is computed across"));
            }
            (*before, *ticks_before) = (now, ticks);
            block.epoch = *epoch;
        }
    }

    fn stamps_of(&self, content: &dyn Content, block: &BlockRef) -> Stamps {
        let head = self.extents.get(block.extents.start);
        let fragment = head.map(|extent| content.part(extent.range()));
        let plan = self.plans.get(block.list);
        let ofs = head.map_or(0, |extent| extent.ofs);
        stamps::read(block.local, ofs, &fragment.unwrap_or_default(), plan)
    }
}

/// A circular log overwrites its oldest buffers: sequence numbers, not file order, give their age. The first
/// buffer contains the header and stays first.
fn in_order_of_age(mut buffers: Vec<Buffer>) -> Vec<Buffer> {
    if let Some(others) = buffers.get_mut(1..) {
        others.sort_by_key(|buffer| buffer.header.sequence);
    }
    buffers
}

/// Gaps in the sequence numbers mean lost buffers.
fn note_gap(before: Option<&Buffer>, buffer: &Buffer, health: &mut Health) {
    let gap = before.map_or(1, |before| buffer.header.sequence.wrapping_sub(before.header.sequence));
    if gap > 1 {
        let what =
            format!("{} buffers are missing before this one, according to its sequence number", gap - 1);
        health.note(FindingKind::Lost, Place::structure("buffer", buffer.ofs as u64), what);
    }
}
