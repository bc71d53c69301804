//! Names or descriptions of the counters of a counterset.

use nom::Parser;
use nom::number::complete::le_u32;
use recount_bytes::FormatError;
use recount_bytes::parse::{Expected, Failed, Fault, Parsed, field, owned, settle, structure, within};

use super::{Text, len_u32, pad};

/// Length of `_STRING_BUFFER_HEADER` in bytes.
const LEN_HEADER: usize = 8;
/// Length of `_STRING_COUNTER_HEADER` in bytes.
const LEN_ENTRY: usize = 8;

/// `dwOffset` of a counter that has no string.
const NO_STRING: u32 = u32::MAX;

/// The origin of a [`StringTable`]'s offsets.
///
/// A counter without a string has the offset 0xFFFFFFFF, in either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringOrigin {
    /// The end of the headers, as in MS-PCQ 3.1.4.1.2.
    Strings,
    /// The start of the table, as in the buffers that Windows' own functions return (`PERF_STRING_BUFFER_HEADER` in
    /// `perflib.h`).
    Table,
}

/// The buffer of request codes 5, 6 and 10 (MS-PCQ 2.2.4.3, 2.2.4.4 and 3.1.4.1.2, figure 2): texts by counter id.
///
/// Strings may share bytes and may be in any order. A table whose offsets all lead past the headers counts
/// them from its start ([`StringOrigin::Table`]); with any other origin, there would be nothing where the
/// strings begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringTable<'a> {
    /// `dwSize`: bytes of the whole table.
    pub len: u32,
    entries: &'a [[u8; LEN_ENTRY]],
    /// The bytes after the headers.
    strings: &'a [u8],
    /// The origin of the offsets.
    pub origin: StringOrigin,
    /// The bytes after the table in its buffer.
    pub trailing: &'a [u8],
}

impl<'a> StringTable<'a> {
    /// Name of the structure that begins the buffer.
    pub const NAME: &'static str = "_STRING_BUFFER_HEADER";
    /// Name of the structures that follow it.
    pub const NAME_ENTRY: &'static str = "_STRING_COUNTER_HEADER";

    /// Reads a buffer. `ofs` is where `bytes` starts in its file.
    ///
    /// Fails if the table is longer than the buffer, if there is no room for that many counters, or if there
    /// is no null-terminated string at an offset.
    pub fn parse(bytes: &'a [u8], ofs: u64) -> Result<StringTable<'a>, FormatError> {
        let read = Self::read(bytes).and_then(|(rest, table)| {
            let last_nulls = table.last_nulls();
            table.entries.iter().try_for_each(|entry| table.check(entry, last_nulls))?;
            Ok((rest, table))
        });
        settle(read, bytes, ofs)
    }

    /// Reads a buffer of which some offsets may be wrong: [`StringTable::faults`] says which.
    pub fn parse_partly(bytes: &'a [u8], ofs: u64) -> Result<StringTable<'a>, FormatError> {
        let mut table = settle(Self::read(bytes), bytes, ofs)?;
        let num_faults = |table: &StringTable<'_>| table.faults(bytes, ofs).flatten().count();
        let other = match table.origin {
            StringOrigin::Strings => StringOrigin::Table,
            StringOrigin::Table => StringOrigin::Strings,
        };
        // A wrong offset mustn't decide where the sound ones count from.
        let other = StringTable { origin: other, ..table };
        if num_faults(&other) < num_faults(&table) {
            table = other;
        }
        Ok(table)
    }

    /// What is wrong with the offset of each entry, in the order of the table. `bytes` and `ofs` are those from which the
    /// table was read.
    pub fn faults(&self, bytes: &[u8], ofs: u64) -> impl Iterator<Item = Option<FormatError>> {
        let last_nulls = self.last_nulls();
        self.entries.iter().map(move |entry| {
            let fault = self.check(entry, last_nulls).err();
            fault.map(|fault| owned(fault, bytes, ofs))
        })
    }

    fn read(i: &'a [u8]) -> Parsed<'a, StringTable<'a>> {
        structure(Self::NAME, |start: &'a [u8]| {
            let max_len = start.len().max(LEN_HEADER);
            let (i, len) = field("dwSize", within(LEN_HEADER, max_len, le_u32))(start)?;
            let max_counters = (len as usize - LEN_HEADER) / LEN_ENTRY;
            let (i, num_counters) = field("dwCounters", within(0, max_counters, le_u32))(i)?;
            let (i, trailing) = i.split_at(len as usize - LEN_HEADER);
            let (entries, strings) = i.split_at(num_counters as usize * LEN_ENTRY);
            let origin = StringOrigin::Strings;
            let mut table = StringTable { len, entries: entries.as_chunks().0, strings, origin, trailing };
            table.origin = table.find_origin();
            Ok((&[] as &[u8], table))
        })
        .parse(i)
    }

    fn find_origin(&self) -> StringOrigin {
        let least = self.offsets().map(|(_, ofs_string)| ofs_string).filter(|ofs| *ofs != NO_STRING).min();
        match least {
            Some(least) if least as usize >= self.ofs_strings() => StringOrigin::Table,
            _ => StringOrigin::Strings,
        }
    }

    /// The offset in the strings that corresponds to `dwOffset` 0.
    fn ofs_origin(&self) -> usize {
        match self.origin {
            StringOrigin::Strings => 0,
            StringOrigin::Table => self.ofs_strings(),
        }
    }

    /// Where the last nulls at an even and at an odd offset are. Every string needs a null, at a distance of
    /// whole units. It is enough to compare its offset with these, so that strings that share bytes aren't read
    /// repeatedly.
    fn last_nulls(&self) -> [Option<usize>; 2] {
        let last_null = |start: usize| {
            let (units, _) = self.strings.get(start..).unwrap_or_default().as_chunks::<2>();
            units.iter().rposition(|unit| *unit == [0, 0]).map(|unit| start + 2 * unit)
        };
        [last_null(0), last_null(1)]
    }

    fn check(&self, entry: &'a [u8; LEN_ENTRY], last_nulls: [Option<usize>; 2]) -> Result<(), Failed<'a>> {
        let ofs_origin = self.ofs_origin();
        let checked = structure(Self::NAME_ENTRY, |i| {
            let (i, _) = field("dwCounterId", le_u32)(i)?;
            field("dwOffset", |at| {
                let (i, ofs_string) = le_u32(at)?;
                let is_before = (ofs_string as usize) < ofs_origin;
                let expected = match last_nulls[ofs_string as usize % 2].map(|last| last + ofs_origin) {
                    _ if ofs_string == NO_STRING => return Ok((i, ())),
                    Some(_) if is_before => Expected::AtLeast(ofs_origin as u64),
                    Some(last) if ofs_string as usize <= last => return Ok((i, ())),
                    Some(last) => Expected::AtMost(last as u64),
                    None => Expected::Described("the offset of a null-terminated string"),
                };
                Err(nom::Err::Error(Fault::number(at, expected, ofs_string)))
            })(i)
        })
        .parse(entry.as_slice());
        checked.map(|_| ())
    }

    /// `dwCounters`.
    pub fn num_counters(&self) -> usize {
        self.entries.len()
    }

    /// Counter id and `dwOffset` of each entry, in the order of the table.
    pub fn offsets(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + use<'a> {
        self.entries.iter().map(|&[a, b, c, d, e, f, g, h]| {
            (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
        })
    }

    /// Counter id and text of each entry that has one. Strings may share bytes, so together they may be much
    /// longer than the table.
    pub fn entries(&self) -> impl Iterator<Item = (u32, Text<'a>)> + use<'a> {
        let table = *self;
        self.offsets().filter_map(move |(id, ofs_string)| Some((id, table.text_at(ofs_string)?)))
    }

    /// The text at a `dwOffset`, up to its null; `None` if that says that there is none.
    pub fn text_at(&self, ofs_string: u32) -> Option<Text<'a>> {
        let at = self.ofs_of(ofs_string)?.checked_sub(self.ofs_strings())?;
        let text = Text::until_null(self.strings.get(at..).unwrap_or_default());
        // The following bytes are other strings, not padding.
        Some(Text { padding: &[], ..text })
    }

    /// Counter ids and texts; see [`StringTable::entries`].
    pub fn iter(&self) -> impl Iterator<Item = (u32, String)> + use<'a> {
        self.entries().map(|(id, text)| (id, text.to_string_lossy()))
    }

    /// Where in the buffer the strings start.
    fn ofs_strings(&self) -> usize {
        LEN_HEADER + self.entries.as_flattened().len()
    }

    /// Where in the buffer the string of a `dwOffset` starts; `None` if that says that there is none.
    pub(super) fn ofs_of(&self, ofs_string: u32) -> Option<usize> {
        let ofs = self.ofs_strings() - self.ofs_origin() + ofs_string as usize;
        (ofs_string != NO_STRING).then_some(ofs)
    }

    /// Length of the string area in bytes.
    pub(super) fn len_strings(&self) -> usize {
        self.strings.len()
    }

    /// Appends the buffer as it was read.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.len.to_le_bytes());
        out.extend_from_slice(&len_u32(self.entries.len()).to_le_bytes());
        out.extend_from_slice(self.entries.as_flattened());
        out.extend_from_slice(self.strings);
        out.extend_from_slice(self.trailing);
    }
}

/// A table to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringTableBuf {
    /// Counter ids and texts, which a null in them ends.
    pub entries: Vec<(u32, String)>,
}

impl StringTableBuf {
    /// Appends the table: the strings, then zeros up to a multiple of 8 bytes, which `dwSize` includes.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&len_u32(self.entries.len()).to_le_bytes());
        let mut strings = Vec::new();
        for (id, text) in &self.entries {
            out.extend_from_slice(&id.to_le_bytes());
            out.extend_from_slice(&len_u32(strings.len()).to_le_bytes());
            strings.extend(Text::encode(text));
        }
        out.append(&mut strings);
        pad(out, start);
        let len = len_u32(out.len() - start).to_le_bytes();
        out[start..start + 4].copy_from_slice(&len);
    }
}
