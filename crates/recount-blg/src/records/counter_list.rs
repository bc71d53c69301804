//! Message 0x20, the counter list (formats/blg.md#counter-list).

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_i32, le_u32, le_u64};
use recount_blocks::parse::{Expected, Fault, Parsed, field, structure, within};
use recount_model::{CounterPath, CounterType, Occurrence};

use crate::text;

/// Bytes of the head of the list.
pub(crate) const LEN_LIST_HEAD: usize = 8;
/// Bytes of an entry in front of its strings.
pub(crate) const LEN_ENTRY_HEAD: usize = 52;
/// "No string".
pub(crate) const NO_STRING: u32 = 0xFFFF_FFFF;

/// Kind flag of an entry that asks for a whole object. (0: one value; 1: a wildcard over instances.)
pub(crate) const KIND_OBJECT: u32 = 0x10;

/// The head of a counter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListHead {
    /// 0x6FF in every file seen.
    pub(crate) version: u32,
    /// 0x00020008 in every file seen: binary log, write access.
    pub(crate) log_type: u32,
}

/// One entry: what one record of every data block holds.
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
    /// Whether the entry asks for a whole object.
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
}

/// The head of the list.
pub(crate) fn list_head(i: &[u8]) -> Parsed<'_, ListHead> {
    structure("counter list", |i| {
        let (i, version) = field("version", le_u32).parse(i)?;
        let (i, log_type) = field("log type", le_u32).parse(i)?;
        Ok((i, ListHead { version, log_type }))
    })
    .parse(i)
}

/// One entry of the list, strings and padding included.
pub(crate) fn entry(i: &[u8]) -> Parsed<'_, Entry> {
    structure("counter list entry", entry_body).parse(i)
}

fn entry_body(i: &[u8]) -> Parsed<'_, Entry> {
    let (_, len) = field("length", within(LEN_ENTRY_HEAD, i.len(), le_u32)).parse(i)?;
    let (behind, bytes) = take(len as usize).parse(i)?;
    let strings = &bytes[LEN_ENTRY_HEAD..];
    let (i, _) = le_u32.parse(bytes)?;
    let (i, kind) = field("kind", le_u32).parse(i)?;
    let (i, _) = field("reserved", le_u32).parse(i)?;
    let (i, word) = field("counter type", le_u32).parse(i)?;
    let (i, time_base) = field("time base", le_u64).parse(i)?;
    let (i, default_scale) = field("default scale", le_i32).parse(i)?;
    let string = |name, i| field(name, |i| string_at(strings, i)).parse(i);
    let (i, host) = string("machine name", i)?;
    let (i, object) = string("object name", i)?;
    let (i, instance) = string("instance name", i)?;
    let (i, parent) = string("parent name", i)?;
    let (i, index) = field("instance index", le_u32).parse(i)?;
    let (_, counter) = string("counter name", i)?;
    let host = host.unwrap_or_default();
    let entry = Entry {
        kind,
        counter_type: CounterType(word),
        time_base,
        default_scale,
        host: host.trim_start_matches('\\').to_owned(),
        object: object.unwrap_or_default(),
        instance,
        parent,
        index,
        counter: counter.unwrap_or_default(),
    };
    Ok((behind, entry))
}

/// A string by its offset, which counts from the end of the entry's head.
fn string_at<'a>(strings: &'a [u8], i: &'a [u8]) -> Parsed<'a, Option<String>> {
    let (rest, ofs) = le_u32.parse(i)?;
    if ofs == NO_STRING {
        return Ok((rest, None));
    }
    match strings.get(ofs as usize..) {
        Some(bytes) => Ok((rest, Some(text::string(bytes).0.to_text()))),
        None => Err(nom::Err::Error(Fault::number(i, Expected::AtMost(strings.len() as u64), ofs))),
    }
}
