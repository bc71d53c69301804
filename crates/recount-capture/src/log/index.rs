//! The index at the end of a closed log (`formats/rcap.md#index`).

use recount_model::{FindingKind, Place, Timestamp};

use super::{Definition, Entry, Log};
use crate::CaptureError;
use crate::bytes::{Bytes, Short};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL, MAX_LEN_PAYLOAD};
use crate::record::RecordKind;
use crate::{numbers, zip};

/// The most frames that an index may list.
const MAX_NUM_FRAMES: usize = 64 << 20;

/// The payload of a log's index.
pub(crate) fn write_index(log: &Log) -> Vec<u8> {
    let mut frames: Vec<(u64, usize, FrameKind, usize)> =
        log.definitions.iter().map(|frame| (frame.ofs, frame.len_frame, frame.kind, 0)).collect();
    frames.extend(log.entries.iter().map(|entry| {
        let kind = if entry.is_chunk { FrameKind::CHUNK } else { FrameKind::RECORD };
        (entry.ofs, entry.len_frame, kind, entry.num_records)
    }));
    frames.sort_unstable_by_key(|(ofs, ..)| *ofs);
    let mut table = Vec::new();
    let mut list = |values: Vec<u64>| numbers::write(&values, &mut table);
    list(frames.iter().map(|(_, _, kind, _)| u64::from(kind.0)).collect());
    list(frames.iter().map(|(ofs, ..)| *ofs).collect());
    list(frames.iter().map(|(_, len, ..)| *len as u64).collect());
    list(frames.iter().map(|(.., num)| *num as u64).collect());
    list(log.entries.iter().map(|entry| entry.number_first).collect());
    list(log.records.times.iter().map(|time| time.0 as u64).collect());
    list(log.records.kinds.iter().map(|kind| u64::from(kind.0)).collect());
    list(log.records.lens.clone());
    let mut out = Vec::new();
    let nums = [frames.len(), log.entries.len(), log.records.times.len(), table.len()];
    out.extend(nums.into_iter().flat_map(|num| (num as u64).to_le_bytes()));
    out.extend_from_slice(&zip::pack(&table));
    out
}

impl Log {
    /// Takes everything from the index, if there is a sound one at the end. Otherwise nothing is taken.
    pub(super) fn read_by_index(&mut self) -> Result<bool, CaptureError> {
        if self.header.is_none() {
            // Where the header isn't where it should be, nothing may be.
            return Ok(false);
        }
        let len_file = self.input.len()?;
        let mut bytes = Vec::new();
        self.input.read(len_file.saturating_sub(LEN_FRAME_TAIL as u64), LEN_FRAME_TAIL, &mut bytes)?;
        let Some(len_frame) = bytes.get(4..8).map(|len| u32::from_le_bytes([len[0], len[1], len[2], len[3]]))
        else {
            return Ok(false);
        };
        let Some(ofs) = len_file.checked_sub(u64::from(len_frame)) else { return Ok(false) };
        self.input.read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
        let head = FrameHead::read(&bytes).ok().filter(|head| {
            let is_index = head.kind == FrameKind::INDEX && Some(head.version) == FrameKind::INDEX.version();
            is_index && head.tag == self.tag && head.len_frame() == len_frame as usize
        });
        let Some(head) = head else { return Ok(false) };
        self.input.read(ofs, head.len_frame(), &mut bytes)?;
        if frame::check_tail(&bytes).is_err() {
            return Ok(false);
        }
        let payload = frame::payload(&bytes).to_vec();
        if !self.take_index(&payload, ofs).is_ok_and(|definitions| self.take_listed(definitions)) {
            // Something is damaged: the frames will tell.
            self.start_over();
            self.read_header()?;
            return Ok(false);
        }
        self.note_missing();
        self.is_closed = true;
        self.ofs_sealed = len_file;
        Ok(true)
    }

    /// Takes in the frames of facts and texts that the index lists. `false`: they aren't there.
    fn take_listed(&mut self, definitions: Vec<Definition>) -> bool {
        let mut bytes = Vec::new();
        definitions.into_iter().all(|definition| {
            let read = self.input.read(definition.ofs, definition.len_frame, &mut bytes).is_ok();
            let is_listed = |head: FrameHead| {
                head.kind == definition.kind && head.tag == self.tag && head.len_frame() == bytes.len()
            };
            read && FrameHead::read(&bytes).is_ok_and(is_listed)
                && frame::check_tail(&bytes).is_ok()
                && self.take_definition(definition, &bytes).is_ok()
        })
    }

    /// Tells of records that were missing already when the log was closed.
    fn note_missing(&mut self) {
        let mut expected = 0;
        for entry in &self.entries {
            let num = entry.number_first - expected;
            if num > 0 {
                let what = format!("{num} records before this one were lost before the log was closed");
                self.health.note(FindingKind::Odd, Place::structure("frame", entry.ofs), what);
            }
            expected = entry.number_end();
        }
    }

    /// Takes in the list of frames and records, of an index that starts at `ofs_index`.
    fn take_index(&mut self, payload: &[u8], ofs_index: u64) -> Result<Vec<Definition>, Short> {
        let mut bytes = Bytes::new(payload);
        let mut num = |field, max: usize| {
            let num = bytes.u64(field)?;
            if num > max as u64 { Err(bytes.bad(field, "a plausible number", num)) } else { Ok(num as usize) }
        };
        let num_frames = num("num_frames", MAX_NUM_FRAMES)?;
        let num_entries = num("num_entries", num_frames)?;
        let num_records = num("num_records", MAX_LEN_PAYLOAD)?;
        let len_table = num("len_table", MAX_LEN_PAYLOAD)?;
        let wrong = |what: &str| Short { field: "index", ofs: 32, what: what.to_owned() };
        let table = zip::unpack(bytes.rest(), len_table).ok_or_else(|| wrong("doesn't decompress"))?;
        // Times differ, so each record takes a byte at least.
        if num_records > 1 && num_records > table.len() {
            return Err(wrong("more records than the table can hold"));
        }
        if num_frames > 1 && num_frames > table.len() {
            return Err(wrong("more frames than the table can hold"));
        }
        let mut lists = Bytes::new(&table);
        let kinds = numbers::read(&mut lists, num_frames)?;
        let ofs = numbers::read(&mut lists, num_frames)?;
        let lens = numbers::read(&mut lists, num_frames)?;
        let nums = numbers::read(&mut lists, num_frames)?;
        let mut firsts = numbers::read(&mut lists, num_entries)?.into_iter();
        let times = numbers::read(&mut lists, num_records)?;
        let record_kinds = numbers::read(&mut lists, num_records)?;
        let record_lens = numbers::read(&mut lists, num_records)?;
        if !lists.is_empty() {
            return Err(wrong("bytes are left behind the lists"));
        }
        let mut definitions = Vec::new();
        let (mut first_record, mut end_before) = (0_usize, LEN_FRAME_HEAD as u64);
        for at in 0..num_frames {
            let (kind, ofs, len_frame) = (frame_kind(kinds[at])?, ofs[at], lens[at]);
            let end = ofs.checked_add(len_frame).filter(|end| ofs >= end_before && *end <= ofs_index);
            end_before = end.ok_or_else(|| wrong("frames that overlap or aren't before it"))?;
            let len_frame = len_frame as usize;
            if kind != FrameKind::CHUNK && kind != FrameKind::RECORD {
                definitions.push(Definition { kind, ofs, len_frame });
                continue;
            }
            let next_number = self.next_number();
            let number_first = firsts.next().filter(|first| (next_number..=i64::MAX as u64).contains(first));
            let number_first = number_first.ok_or_else(|| wrong("record numbers that don't ascend"))?;
            let is_chunk = kind == FrameKind::CHUNK;
            let num_records = usize::try_from(nums[at]).unwrap_or(usize::MAX).min(num_records + 1);
            if num_records == 0 || (!is_chunk && num_records != 1) {
                return Err(wrong("a frame without records"));
            }
            self.entries.push(Entry { ofs, len_frame, is_chunk, number_first, num_records, first_record });
            first_record = first_record.saturating_add(num_records);
        }
        if first_record != num_records || self.entries.len() != num_entries {
            return Err(wrong("the frames' records don't add up"));
        }
        self.records.times = times.into_iter().map(|time| Timestamp(time as i64)).collect();
        self.records.kinds = record_kinds.into_iter().map(record_kind).collect::<Result<_, Short>>()?;
        self.records.lens = record_lens;
        Ok(definitions)
    }
}

fn frame_kind(number: u64) -> Result<FrameKind, Short> {
    let kind = u16::try_from(number).ok().map(FrameKind);
    kind.ok_or_else(|| Short { field: "kind", ofs: 32, what: format!("expected 16 bits, found {number}") })
}

fn record_kind(number: u64) -> Result<RecordKind, Short> {
    let kind = u16::try_from(number).ok().map(RecordKind);
    kind.ok_or_else(|| Short {
        field: "record_kind",
        ofs: 32,
        what: format!("expected 16 bits, found {number}"),
    })
}
