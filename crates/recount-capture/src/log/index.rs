//! The index at the end of a closed log (`formats/rcap.md#index`).

use std::ops::Range;

use recount_bytes::ByteOrder;
use recount_bytes::fields::{Fields, Writer};
use recount_model::{FindingKind, Place, Timestamp};

use super::{Definition, Entry, Log, Records, max_num_records};
use crate::CaptureError;
use crate::bytes::{Bytes, Short};
use crate::frame::{self, FrameHead, FrameKind, LEN_FRAME_HEAD, LEN_FRAME_TAIL, MAX_LEN_PAYLOAD};
use crate::record::RecordKind;
use crate::{numbers, zip};

/// Bytes of a frame without payload.
const LEN_FRAME_LEAST: u64 = (LEN_FRAME_HEAD + LEN_FRAME_TAIL) as u64;
/// The most frames that an index may list.
const MAX_NUM_FRAMES: usize = 64 << 20;

/// An index that is unreliable although its checksum is right, so the frames were read one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnusedIndex {
    pub(crate) ofs: u64,
    /// What is wrong with it.
    pub(crate) why: String,
}

/// What an index lists.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) frames: Vec<ListedFrame>,
    pub(crate) records: Records,
}

/// The frames that an index lists besides those of records.
struct Listed {
    /// Facts and texts.
    definitions: Vec<Definition>,
    /// Where the last of all ends.
    end: u64,
    /// What isn't listed before that.
    between: Vec<Range<u64>>,
}

/// A frame that an index lists.
pub(crate) struct ListedFrame {
    pub(crate) kind: FrameKind,
    pub(crate) ofs: u64,
    pub(crate) len_frame: u64,
    pub(crate) num_records: u64,
    /// Of frames of records and chunks.
    pub(crate) number_first: Option<u64>,
}

/// The numbers of items that an index claims.
#[derive(Default)]
pub(crate) struct Counts {
    num_frames: u64,
    num_entries: u64,
    num_records: u64,
    len_table: u64,
}

impl Counts {
    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("num_frames", &mut self.num_frames)?;
        f.field("num_entries", &mut self.num_entries)?;
        f.field("num_records", &mut self.num_records)?;
        f.field("len_table", &mut self.len_table)
    }

    /// Refuses more items than fit into the part of the file before the index.
    fn check(&self, part: &Range<u64>, max_num_records: u64) -> Result<(), Short> {
        let check = |field, num: u64, max: u64| {
            let what = format!("expected at most {max}, found {num}");
            if num > max { Err(Short { field, ofs: 0, what }) } else { Ok(()) }
        };
        let max_num_frames =
            (part.end.saturating_sub(part.start) / LEN_FRAME_LEAST).min(MAX_NUM_FRAMES as u64);
        check("num_frames", self.num_frames, max_num_frames)?;
        check("num_entries", self.num_entries, self.num_frames)?;
        check("num_records", self.num_records, max_num_records.min(MAX_LEN_PAYLOAD as u64))?;
        // Eight lists, each of two bytes and up to eight for every integer.
        let max_len_table = 8 * 2 + 8 * (4 * self.num_frames + self.num_entries + 3 * self.num_records);
        check("len_table", self.len_table, max_len_table.min(MAX_LEN_PAYLOAD as u64))
    }
}

impl Table {
    /// Reads the payload of an index, of the frames in a part of the file.
    pub(crate) fn read(payload: &[u8], part: &Range<u64>, max_num_records: u64) -> Result<Table, Short> {
        let (mut bytes, mut counts) = (Bytes::new(payload), Counts::default());
        counts.fields(&mut bytes)?;
        counts.check(part, max_num_records)?;
        let table = zip::unpack(bytes.rest(), counts.len_table as usize);
        let table = table.ok_or_else(|| wrong("it doesn't decompress"))?;
        let [num_frames, num_entries, num_records] =
            [counts.num_frames, counts.num_entries, counts.num_records].map(|num| num as usize);
        // Times differ, so each record takes at least one byte.
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
        let kinds_of_records = numbers::read(&mut lists, num_records)?;
        let lens_of_records = numbers::read(&mut lists, num_records)?;
        if !lists.is_empty() {
            return Err(wrong("trailing bytes after the lists"));
        }
        let mut frames = Vec::with_capacity(num_frames);
        for at in 0..num_frames {
            let kind = FrameKind(kind_of(kinds[at], "kind")?);
            let holds_records = kind == FrameKind::CHUNK || kind == FrameKind::RECORD;
            let number_first = if holds_records { firsts.next() } else { None };
            let (ofs, len_frame, num_records) = (ofs[at], lens[at], nums[at]);
            frames.push(ListedFrame { kind, ofs, len_frame, num_records, number_first });
        }
        if firsts.next().is_some() {
            return Err(wrong("the frames' records don't add up"));
        }
        let kinds = kinds_of_records.into_iter().map(|kind| kind_of(kind, "record_kind").map(RecordKind));
        let records = Records {
            times: times.into_iter().map(|time| Timestamp(time as i64)).collect(),
            kinds: kinds.collect::<Result<_, Short>>()?,
            lens: lens_of_records,
        };
        Ok(Table { frames, records })
    }
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
    let mut counts = Counts {
        num_frames: frames.len() as u64,
        num_entries: log.entries.len() as u64,
        num_records: log.records.times.len() as u64,
        len_table: table.len() as u64,
    };
    let mut out = Vec::new();
    let Ok(()) = counts.fields(&mut Writer::new(ByteOrder::Little, &mut out));
    out.extend_from_slice(&zip::pack(&table));
    out
}

impl Log {
    /// Takes everything from the index if there is a sound one at the end that fits the frames, the first of which
    /// starts at `ofs_first`. Otherwise takes nothing.
    pub(super) fn read_by_index(&mut self, ofs_first: u64) -> Result<bool, CaptureError> {
        if self.header.is_none() {
            // If the header isn't where it should be, nothing else may be.
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
        if let Err(fault) = frame::check_tail(&bytes) {
            let what = format!("{}: {}; the frames are read one by one", fault.field, fault.what);
            self.health.note(FindingKind::Damaged, Place::structure("index", ofs), what);
            return Ok(false);
        }
        let payload = frame::payload(&bytes).to_vec();
        match self.take_all(&payload, ofs_first..ofs)? {
            Ok(true) => {}
            Ok(false) => {
                // Something between the frames was damaged before the log was closed. The frames show what.
                let num_listed = self.entries.len() + self.definitions.len();
                self.start_over();
                let ofs_first = self.read_header()?;
                self.is_closed = self.scan(ofs_first)?;
                if self.health.is_complete() && self.entries.len() + self.definitions.len() > num_listed {
                    let why = "it doesn't list all frames".to_owned();
                    self.health.note(FindingKind::Damaged, Place::structure("index", ofs), why.clone());
                    self.unused_index = Some(UnusedIndex { ofs, why });
                }
                return Ok(true);
            }
            Err(fault) => {
                // The frames will show.
                self.start_over();
                self.read_header()?;
                let what = format!("can't be used ({}): the frames are read one by one", fault.what);
                self.health.note(FindingKind::Damaged, Place::structure("index", ofs), what);
                self.unused_index = Some(UnusedIndex { ofs, why: fault.what });
                return Ok(false);
            }
        }
        self.note_missing();
        self.is_closed = true;
        self.ofs_sealed = len_file;
        Ok(true)
    }

    /// Adds everything that the index lists for the frames in a part of the file. Returns whether there is nothing else
    /// between them but sound frames of kinds that aren't listed.
    fn take_all(&mut self, payload: &[u8], frames: Range<u64>) -> Result<Result<bool, Short>, CaptureError> {
        let max_num_records = max_num_records(self.input.len()?);
        let Listed { definitions, end, between } = match self.take_index(payload, &frames, max_num_records) {
            Ok(listed) => listed,
            Err(fault) => return Ok(Err(fault)),
        };
        if !self.fits(end..frames.end)? {
            return Ok(Err(wrong("the frames that it lists don't end where it begins")));
        }
        if !self.take_listed(definitions) {
            return Ok(Err(wrong("facts or texts aren't where it lists them")));
        }
        for unlisted in between {
            if !self.fits(unlisted)? {
                return Ok(Ok(false));
            }
        }
        Ok(Ok(true))
    }

    /// Whether there are only consecutive frames of unlisted kinds between the last listed frame and the index.
    /// Otherwise bytes were inserted or removed since, and none of its offsets is reliable.
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

    /// Reads the frames of facts and texts that the index lists. `false`: they don't exist.
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

    /// Reports records that were already missing when the log was closed.
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

    /// Adds the listed frames, which must be in a part of the file, and the records.
    fn take_index(
        &mut self,
        payload: &[u8],
        part: &Range<u64>,
        max_num_records: u64,
    ) -> Result<Listed, Short> {
        let Table { frames, records } = Table::read(payload, part, max_num_records)?;
        let max_num_records = records.times.len() + 1;
        let (mut definitions, mut between) = (Vec::new(), Vec::new());
        let (mut first_record, mut end_before) = (0_usize, part.start);
        for ListedFrame { kind, ofs, len_frame, num_records, number_first } in frames {
            let end = ofs.checked_add(len_frame).filter(|end| ofs >= end_before && *end <= part.end);
            if ofs > end_before {
                between.push(end_before..ofs);
            }
            end_before = end.ok_or_else(|| wrong("frames that overlap or aren't before it"))?;
            let len_frame = len_frame as usize;
            let is_chunk = kind == FrameKind::CHUNK;
            if !is_chunk && kind != FrameKind::RECORD {
                definitions.push(Definition { kind, ofs, len_frame });
                continue;
            }
            let next_number = self.next_number();
            let number_first = number_first.filter(|first| (next_number..=i64::MAX as u64).contains(first));
            let number_first = number_first.ok_or_else(|| wrong("record numbers that don't ascend"))?;
            let num_records = usize::try_from(num_records).unwrap_or(usize::MAX).min(max_num_records);
            if num_records == 0 || (!is_chunk && num_records != 1) {
                return Err(wrong("a frame without records"));
            }
            self.entries.push(Entry { ofs, len_frame, is_chunk, number_first, num_records, first_record });
            first_record = first_record.saturating_add(num_records);
        }
        if first_record != records.times.len() {
            return Err(wrong("the frames' records don't add up"));
        }
        self.records = records;
        Ok(Listed { definitions, end: end_before, between })
    }
}

fn wrong(what: &str) -> Short {
    Short { field: "index", ofs: 32, what: what.to_owned() }
}

/// Whether an index lists frames of a kind.
fn is_listed(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::FACTS | FrameKind::TEXTS | FrameKind::RECORD | FrameKind::CHUNK)
}

/// The number of a kind.
fn kind_of(number: u64, field: &'static str) -> Result<u16, Short> {
    let found = || Short { field, ofs: 32, what: format!("expected 16 bits, found {number}") };
    u16::try_from(number).map_err(|_| found())
}
