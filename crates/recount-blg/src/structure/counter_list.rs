//! Message 0x20, the counter list: the contents of data block records (formats/blg.md#counter-list).

use std::fmt;

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::{Fields, Lines, Writer};
use recount_bytes::parse::{Expected, Failed, Fault, Parsed, Sequence, by_fields, ofs_within, sized};
use recount_model::{CounterPath, CounterType, Occurrence};

use crate::text;

/// "No string".
const NO_STRING: u32 = 0xFFFF_FFFF;
/// Kind flag of an entry for a whole object. (0: one value; 1: a wildcard over instances.)
const KIND_OBJECT: u32 = 0x10;
/// Prefix of machine names.
const BACKSLASHES: &str = r"\\";

/// The head of a counter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListHead {
    /// 0x6FF in every file seen.
    pub version: u32,
    /// 0x00020008 in every file seen: binary log, write access.
    pub log_type: u32,
}

impl Default for ListHead {
    /// The values in every file seen.
    fn default() -> ListHead {
        ListHead { version: 0x0000_06FF, log_type: 0x0002_0008 }
    }
}

impl ListHead {
    /// Length in bytes.
    pub const LEN: usize = 8;

    /// Parses the head of a list.
    pub fn parse(message: &[u8]) -> Parsed<'_, ListHead> {
        by_fields("counter list", ByteOrder::Little, ListHead::fields)(message)
    }

    /// Appends the head.
    pub fn write(mut self, out: &mut Vec<u8>) {
        let Ok(()) = self.fields(&mut Writer::new(ByteOrder::Little, out));
    }

    /// The fields in the order of the structure.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.shown("version", &mut self.version, |word| format!("{word:#010x}"))?;
        f.shown("log type", &mut self.log_type, |word| format!("{word:#010x}"))
    }
}

/// The fixed part of an entry. Offsets of strings count from its end; 0xFFFFFFFF if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryHead {
    len: u32,
    kind: u32,
    reserved: u32,
    counter_type: CounterType,
    time_base: u64,
    default_scale: i32,
    /// Machine, object, instance, parent.
    strings: [u32; 4],
    index: u32,
    counter: u32,
}

impl EntryHead {
    pub(crate) const LEN: usize = 52;
    const NAME: &'static str = "counter list entry";
    /// The names of the string fields.
    const STRINGS: [&'static str; 4] = ["machine name", "object name", "instance name", "parent name"];
    const OFS_STRINGS: usize = 28;
    pub(crate) const OFS_COUNTER: usize = 48;

    fn fields<F: Fields>(&mut self, f: &mut F, have: usize) -> Result<(), F::Error> {
        f.bounded("length", &mut self.len, Self::LEN, have)?;
        f.shown("kind", &mut self.kind, |kind| format!("{kind:#04x}"))?;
        f.hidden("reserved", &mut self.reserved)?;
        let named = |word: CounterType| format!("{:#010X} {}", word.0, word.name().unwrap_or(""));
        f.shown("counter type", &mut self.counter_type, named)?;
        f.field("time base", &mut self.time_base)?;
        f.field("default scale", &mut self.default_scale)?;
        for (name, ofs) in Self::STRINGS.into_iter().zip(&mut self.strings) {
            f.hidden(name, ofs)?;
        }
        f.field("instance index", &mut self.index)?;
        f.hidden("counter name", &mut self.counter)
    }

    fn parse(i: &[u8]) -> Parsed<'_, EntryHead> {
        by_fields(Self::NAME, ByteOrder::Little, |head: &mut EntryHead, f| head.fields(f, i.len()))(i)
    }
}

/// One entry, which describes one record of every data block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Kind flags.
    pub kind: u32,
    /// Type word; 0x10 for a whole object.
    pub counter_type: CounterType,
    /// Ticks per second of the counter's clock; 0 for a whole object.
    pub time_base: u64,
    /// Power of ten.
    pub default_scale: i32,
    /// Machine, without leading backslashes.
    pub host: String,
    /// Performance object.
    pub object: String,
    /// Instance, if the entry names one; `*` for all.
    pub instance: Option<String>,
    /// Parent instance, if the entry names one.
    pub parent: Option<String>,
    /// Occurrence number of the instance.
    pub index: u32,
    /// Counter; `*` for a whole object.
    pub counter: String,
}

impl Entry {
    /// Whether the entry is for a whole object.
    pub fn is_object(&self) -> bool {
        self.kind & KIND_OBJECT != 0
    }

    /// As PDH writes it.
    pub fn path(&self) -> CounterPath {
        CounterPath {
            host: (!self.host.is_empty()).then(|| self.host.clone()),
            object: self.object.clone(),
            parent: self.parent.clone(),
            instance: self.instance.clone(),
            index: (self.index > 0).then_some(Occurrence::Number(self.index)),
            counter: self.counter.clone(),
        }
    }

    /// Parses an entry, with its strings and padding.
    pub fn parse(i: &[u8]) -> Parsed<'_, Entry> {
        let (rest, (head, bytes)) = sized(EntryHead::parse, |head| head.len as usize)(i)?;
        let strings = bytes.get(EntryHead::LEN..).unwrap_or_default();
        let mut found = [const { None }; 4];
        for (at, (found, ofs)) in found.iter_mut().zip(head.strings).enumerate() {
            let at_field = (EntryHead::STRINGS[at], EntryHead::OFS_STRINGS + 4 * at);
            *found = string_at(strings, ofs, bytes, at_field)?;
        }
        let counter = string_at(strings, head.counter, bytes, ("counter name", EntryHead::OFS_COUNTER))?;
        let [host, object, instance, parent]: [Option<String>; 4] = found;
        let entry = Entry {
            kind: head.kind,
            counter_type: head.counter_type,
            time_base: head.time_base,
            default_scale: head.default_scale,
            host: host.unwrap_or_default().trim_start_matches('\\').to_owned(),
            object: object.unwrap_or_default(),
            instance,
            parent,
            index: head.index,
            counter: counter.unwrap_or_default(),
        };
        Ok((rest, entry))
    }

    /// Appends the entry. `reserved` is the word at 8, `padding` the bytes after the strings up to a multiple
    /// of 8.
    pub fn write(&self, reserved: u32, padding: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        let mut bytes = Vec::new();
        let mut head = EntryHead {
            kind: self.kind,
            reserved,
            counter_type: self.counter_type,
            time_base: self.time_base,
            default_scale: self.default_scale,
            index: self.index,
            ..self.strings(&mut bytes)
        };
        head.len = (EntryHead::LEN + bytes.len()).next_multiple_of(8) as u32;
        let Ok(()) = head.fields(&mut Writer::new(ByteOrder::Little, out), 0);
        out.extend(bytes);
        super::pad(out, start, padding);
    }

    /// Bytes of the entry without padding.
    pub fn len_unpadded(&self) -> usize {
        let mut bytes = Vec::new();
        self.strings(&mut bytes);
        EntryHead::LEN + bytes.len()
    }

    /// Appends the strings; returns their offsets.
    fn strings(&self, bytes: &mut Vec<u8>) -> EntryHead {
        // Entries of whole objects with an instance begin their strings with four zero bytes.
        if self.is_object() && self.instance.is_some() {
            bytes.extend([0; 4]);
        }
        let mut add = |text: &str| {
            let ofs = bytes.len() as u32;
            bytes.extend(text::encode(text));
            ofs
        };
        let machine = add(&format!("{BACKSLASHES}{}", self.host));
        let object = add(&self.object);
        let parent = self.parent.as_deref().map_or(NO_STRING, &mut add);
        let instance = self.instance.as_deref().map_or(NO_STRING, &mut add);
        let counter = add(&self.counter);
        EntryHead { strings: [machine, object, instance, parent], counter, ..EntryHead::default() }
    }
}

/// The string at an offset; `None` if there is none. The offset is in a field of the entry.
fn string_at<'a>(
    strings: &'a [u8],
    ofs: u32,
    entry: &'a [u8],
    (name, ofs_field): (&'static str, usize),
) -> Result<Option<String>, Failed<'a>> {
    match strings.get(ofs as usize..) {
        _ if ofs == NO_STRING => Ok(None),
        Some(found) => Ok(Some(text::string(found).0.to_text())),
        None => {
            let at = entry.get(ofs_field..).unwrap_or_default();
            let fault = Fault::number(at, Expected::AtMost(strings.len() as u64), ofs);
            Err(nom::Err::Error(fault.of(name, EntryHead::NAME, entry)))
        }
    }
}

/// The entries of a list, each with its offset in the message. An error ends the iterator, since positions
/// after it would be guesses; the error's place is in the message.
pub fn entries(message: &[u8]) -> impl Iterator<Item = Result<(usize, Entry), FormatError>> + use<'_> {
    let entries = message.get(ListHead::LEN..).unwrap_or_default();
    let with_ofs = |i| Entry::parse(i).map(|(rest, entry)| (rest, (ofs_within(message, i), entry)));
    Sequence::to_end(with_ofs, entries, ListHead::LEN as u64)
}

pub(crate) fn show(message: &[u8], map: &dyn Fn(u64) -> u64, lines: &mut Lines<'_>) -> fmt::Result {
    lines.at(0).structure("counter list")?;
    if let Ok((_, mut head)) = ListHead::parse(message) {
        head.fields(lines)?;
    }
    for entry in entries(message) {
        match entry {
            Ok((ofs, entry)) => lines.nested(|lines| {
                lines.at(ofs as u64).structure(format_args!("entry {}", entry.path()))?;
                EntryHead::parse(&message[ofs..]).map_or(Ok(()), |(_, mut head)| head.fields(lines, 0))
            })?,
            Err(error) => return lines.fault(error.map_ofs(map)),
        }
    }
    Ok(())
}
