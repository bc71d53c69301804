//! Data records: the values of one sampling instant.

use recount_bytes::FormatError;

use super::{Frame, Stamp, Version, be_u32, unexpected};

/// A record whose time and number of value sets were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataRecord<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) time: Stamp,
    /// 0: a mark.
    pub(crate) num_sets: u32,
    version: Version,
}

/// The values of one metric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueSet<'a> {
    /// Offset in the record.
    pub(crate) ofs: usize,
    pub(crate) pmid: u32,
    /// Number of values, or an error code.
    pub(crate) count: i32,
    /// 0: values are in place; otherwise in blocks.
    pub(crate) format: u32,
    cells: &'a [u8],
}

impl<'a> DataRecord<'a> {
    pub(crate) const NAME: &'static str = "data record";

    pub(crate) fn parse(version: Version, frame: Frame<'a>) -> Result<DataRecord<'a>, FormatError> {
        let wrong = |field, at, expected, found: String| {
            unexpected(DataRecord::NAME, frame.ofs, field, at, expected, found)
        };
        let stored = || Stamp::stored(version, frame.payload());
        let time = Stamp::read(version, frame.payload());
        let time = time.ok_or_else(|| wrong("time", 4, Stamp::EXPECTED, stored()))?;
        let at = version.ofs_sets() - 4;
        let num_sets = be_u32(frame.bytes, at).filter(|_| at + 8 <= frame.bytes.len());
        let end = || "the end of the record".to_owned();
        let num_sets = num_sets.ok_or_else(|| wrong("number of value sets", at, "a number", end()))?;
        Ok(DataRecord { frame, time, num_sets, version })
    }

    /// Whether a frame, including its value sets, is a record as recorders write them.
    pub(crate) fn is_sound(version: Version, frame: Frame<'a>) -> bool {
        let Ok(record) = DataRecord::parse(version, frame) else { return false };
        // A mark has no other contents.
        let is_mark = record.num_sets == 0 && frame.bytes.len() == version.ofs_sets() + 4;
        is_mark || record.num_sets > 0 && record.check().is_ok()
    }

    /// Checks that the value sets and the blocks to which they point fill the record. If they don't, a count or a length
    /// is wrong, and it isn't known which values are whose.
    pub(crate) fn check(self) -> Result<(), FormatError> {
        let mut ofs = self.version.ofs_sets();
        let end = self.frame.bytes.len() - 4;
        let (mut first, mut last, mut len_blocks) = (end, 0, 0);
        for set in self.sets() {
            let set = set?;
            ofs = set.end();
            if set.format == 0 {
                continue;
            }
            for block in set.cells().filter_map(|(_, word)| self.block(word)) {
                let len = (4 + block.value.len()).next_multiple_of(4);
                (first, last) = (first.min(block.at), last.max(block.at + len));
                len_blocks += len;
            }
        }
        if first == ofs && ofs + len_blocks == end && (len_blocks == 0 || last == end) {
            return Ok(());
        }
        let expected = format!("{} bytes of values after the value sets", end.saturating_sub(ofs));
        let found =
            format!("{len_blocks} from byte {first:#x} of the record on: a count or a length is wrong");
        Err(unexpected(DataRecord::NAME, self.frame.ofs, "value sets", ofs, expected, found))
    }

    /// The value sets, followed by an error if one isn't complete.
    pub(crate) fn sets(self) -> impl Iterator<Item = Result<ValueSet<'a>, FormatError>> {
        let (mut ofs, mut left) = (self.version.ofs_sets(), self.num_sets);
        let bytes = self.frame.bytes.get(..self.frame.bytes.len() - 4).unwrap_or_default();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let set = ValueSet::at(bytes, ofs);
            match &set {
                Some(set) => ofs = set.end(),
                None => left = 0,
            }
            Some(set.ok_or_else(|| {
                let expected = "a value set inside the record";
                let found = format!("{} bytes", bytes.len().saturating_sub(ofs));
                unexpected(DataRecord::NAME, self.frame.ofs, "value set", ofs, expected, found)
            }))
        })
    }

    /// The block to which a value points. The count of words includes two that aren't in the file.
    pub(crate) fn block(self, word: u32) -> Option<Block<'a>> {
        let at =
            (word as usize).checked_mul(4)?.checked_sub(8).filter(|at| *at >= self.version.ofs_sets())?;
        let bytes = self.frame.bytes.get(..self.frame.bytes.len() - 4)?;
        let head = be_u32(bytes, at)?;
        let len = (head & 0x00FF_FFFF) as usize;
        let value = bytes.get(at.checked_add(4)?..at.checked_add(len)?)?;
        Some(Block { at, value_type: (head >> 24) as u8, value })
    }
}

/// A value stored outside its set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    /// Offset in the record.
    pub(crate) at: usize,
    pub(crate) value_type: u8,
    pub(crate) value: &'a [u8],
}

impl<'a> ValueSet<'a> {
    fn at(bytes: &'a [u8], ofs: usize) -> Option<ValueSet<'a>> {
        let pmid = be_u32(bytes, ofs)?;
        let count = be_u32(bytes, ofs + 4)? as i32;
        let Some(num) = usize::try_from(count).ok().filter(|num| *num > 0) else {
            return Some(ValueSet { ofs, pmid, count, format: 0, cells: &[] });
        };
        let format = be_u32(bytes, ofs + 8)?;
        let cells = bytes.get(ofs + 12..)?.get(..num.checked_mul(8)?)?;
        Some(ValueSet { ofs, pmid, count, format, cells })
    }

    fn end(&self) -> usize {
        self.ofs + 8 + if self.cells.is_empty() { 0 } else { 4 + self.cells.len() }
    }

    /// Instance numbers, and values or where they are.
    pub(crate) fn cells(
        self,
    ) -> impl ExactSizeIterator<Item = (i32, u32)> + DoubleEndedIterator + Clone + 'a {
        self.cells.chunks_exact(8).map(|cell| {
            let word = |at| be_u32(cell, at).unwrap_or_default();
            (word(0) as i32, word(4))
        })
    }
}
