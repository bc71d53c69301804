//! The index at the end of a closed log (`formats/rcap.md#index`).

use std::ops::Range;

use recount_model::{FindingKind, Place, Timestamp};

use super::{Definition, Entry, Log, max_num_records};
use crate::CaptureError;
use crate::bytes::{Bytes, Short};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL, MAX_LEN_PAYLOAD};
use crate::record::RecordKind;
use crate::{numbers, zip};

/// Bytes of a frame without payload.
const LEN_FRAME_LEAST: u64 = (LEN_FRAME_HEAD + LEN_FRAME_TAIL) as u64;
/// The most frames that an index may list.
const MAX_NUM_FRAMES: usize = 64 << 20;

/// An index whose checksum is right and that can't be relied on, so that the frames were read one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusedIndex {
    pub(crate) ofs: u64,
    /// What is wrong with it.
    pub(crate) why: String,
}

/// How much an index says it lists.
struct Counts {
    num_frames: usize,
    num_entries: usize,
    num_records: usize,
    len_table: usize,
}

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
    /// Takes everything from the index, if there is a sound one at the end that fits the frames, the first of which starts
    /// at `ofs_first`. Otherwise nothing is taken.
    pub(super) fn read_by_index(&mut self, ofs_first: u64) -> Result<bool, CaptureError> {
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
        if let Err(fault) = self.take_all(&payload, ofs_first..ofs)? {
            // The frames will tell.
            self.start_over();
            self.read_header()?;
            let what = format!("can't be used ({}): the frames are read one by one", fault.what);
            self.health.note(FindingKind::Odd, Place::structure("index", ofs), what);
            self.unused_index = Some(UnusedIndex { ofs, why: fault.what });
            return Ok(false);
        }
        self.note_missing();
        self.is_closed = true;
        self.ofs_sealed = len_file;
        Ok(true)
    }

    /// Takes in what the index lists, of the frames in a part of the file.
    fn take_all(&mut self, payload: &[u8], frames: Range<u64>) -> Result<Result<(), Short>, CaptureError> {
        let max_num_records = max_num_records(self.input.len()?);
        let (definitions, end) = match self.take_index(payload, &frames, max_num_records) {
            Ok(listed) => listed,
            Err(fault) => return Ok(Err(fault)),
        };
        if !self.fits(end..frames.end)? {
            return Ok(Err(wrong("the frames that it lists don't end where it begins")));
        }
        let is_taken = self.take_listed(definitions);
        Ok(if is_taken { Ok(()) } else { Err(wrong("facts or texts aren't where it lists them")) })
    }

    /// Whether between the last frame listed and the index there are only frames that an index doesn't list, one behind the
    /// other. Otherwise bytes were put in or taken out since, and no place that it lists can be relied on.
    fn fits(&self, unlisted: Range<u64>) -> Result<bool, CaptureError> {
        let mut bytes = Vec::new();
        let mut ofs = unlisted.start;
        while ofs < unlisted.end {
            self.input.read(ofs, LEN_FRAME_HEAD, &mut bytes)?;
            let is_unlisted = |head: &FrameHead| {
                let is_listed = is_listed(head.kind) && Some(head.version) <= head.kind.version();
                head.tag == self.tag && !is_listed && head.len_frame() as u64 <= unlisted.end - ofs
            };
            let Some(head) = FrameHead::read(&bytes).ok().filter(is_unlisted) else { return Ok(false) };
            if self.check_end(ofs, &head)?.is_err() {
                return Ok(false);
            }
            ofs += head.len_frame() as u64;
        }
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

    /// Takes in the list of frames, which have to be in a part of the file, and of records. Gives the frames of facts and
    /// texts, and where the last frame ends.
    fn take_index(
        &mut self,
        payload: &[u8],
        part: &Range<u64>,
        max_num_records: u64,
    ) -> Result<(Vec<Definition>, u64), Short> {
        let mut bytes = Bytes::new(payload);
        let Counts { num_frames, num_entries, num_records, len_table } =
            read_counts(&mut bytes, part, max_num_records)?;
        let table = zip::unpack(bytes.rest(), len_table).ok_or_else(|| wrong("it doesn't decompress"))?;
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
        let (mut first_record, mut end_before) = (0_usize, part.start);
        for at in 0..num_frames {
            let (kind, ofs, len_frame) = (frame_kind(kinds[at])?, ofs[at], lens[at]);
            let end = ofs.checked_add(len_frame).filter(|end| ofs >= end_before && *end <= part.end);
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
        Ok((definitions, end_before))
    }
}

fn wrong(what: &str) -> Short {
    Short { field: "index", ofs: 32, what: what.to_owned() }
}

/// Whether an index lists frames of a kind.
fn is_listed(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::FACTS | FrameKind::TEXTS | FrameKind::RECORD | FrameKind::CHUNK)
}

/// Reads how much an index lists, and refuses what the file has no room for.
fn read_counts(bytes: &mut Bytes<'_>, part: &Range<u64>, max_num_records: u64) -> Result<Counts, Short> {
    let mut num = |field, max: u64| {
        let num = bytes.u64(field)?;
        if num > max { Err(bytes.bad(field, &format!("at most {max}"), num)) } else { Ok(num) }
    };
    let max_num_frames = (part.end.saturating_sub(part.start) / LEN_FRAME_LEAST).min(MAX_NUM_FRAMES as u64);
    let num_frames = num("num_frames", max_num_frames)?;
    let num_entries = num("num_entries", num_frames)?;
    let num_records = num("num_records", max_num_records.min(MAX_LEN_PAYLOAD as u64))?;
    // Eight lists, each of two bytes and up to eight for every integer.
    let max_len_table = 8 * 2 + 8 * (4 * num_frames + num_entries + 3 * num_records);
    let len_table = num("len_table", max_len_table.min(MAX_LEN_PAYLOAD as u64))?;
    Ok(Counts {
        num_frames: num_frames as usize,
        num_entries: num_entries as usize,
        num_records: num_records as usize,
        len_table: len_table as usize,
    })
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
