//! The instances of a domain from a time on, or their changes.

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::{Expected, Fault, Reader, by_fields, owned};

use super::{DomainId, Frame, RawStamp, Stamp, Version, be_u32, kind, text, unexpected};

#[derive(Clone, Copy, Debug)]
pub(crate) struct DomainRecord<'a> {
    pub(crate) time: Stamp,
    pub(crate) domain: u32,
    /// Whether it has changes only.
    pub(crate) is_delta: bool,
    numbers: &'a [u8],
    offsets: &'a [u8],
    texts: &'a [u8],
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DomainHead {
    time: RawStamp,
    domain: u32,
    pub(crate) num_instances: u32,
}

impl DomainHead {
    pub(crate) fn fields<F: Fields>(&mut self, version: Version, f: &mut F) -> Result<(), F::Error> {
        f.hidden("length", &mut 0_u32)?;
        f.hidden("type", &mut 0_u32)?;
        self.time.fields(version, f)?;
        f.shown("instance domain", &mut self.domain, DomainId)?;
        f.field("number of instances", &mut self.num_instances)
    }
}

impl<'a> DomainRecord<'a> {
    pub(crate) const NAME: &'static str = "instance domain";

    pub(crate) fn parse(version: Version, frame: &Frame<'a>) -> Result<DomainRecord<'a>, FormatError> {
        let whole = frame.bytes.get(..frame.bytes.len() - 4).unwrap_or_default();
        let list = |head: &mut DomainHead, f: &mut Reader<'a>| head.fields(version, f);
        let failed = |error| owned(error, frame.bytes, frame.ofs);
        let (rest, head) = by_fields(DomainRecord::NAME, ByteOrder::Big, list)(whole).map_err(failed)?;
        let time = head.time.stamp();
        let stored = || Stamp::stored(version, frame.bytes.get(8..).unwrap_or_default());
        let time = time
            .ok_or_else(|| unexpected(DomainRecord::NAME, frame.ofs, "time", 8, Stamp::EXPECTED, stored()))?;
        let max = rest.len() / 8;
        if head.num_instances as usize > max {
            let fault = Fault::number(rest, Expected::AtMost(max as u64), head.num_instances);
            let fault = Fault { field: Some("number of instances"), ..fault };
            return Err(failed(nom::Err::Error(fault)));
        }
        let len = 4 * head.num_instances as usize;
        let (numbers, rest) = rest.split_at(len);
        let (offsets, texts) = rest.split_at(len);
        let is_delta = frame.kind() == kind::DELTA;
        let record = DomainRecord { time, domain: head.domain, is_delta, numbers, offsets, texts };
        record.check(frame)?;
        Ok(record)
    }

    /// Checks that the names fill what follows the offsets. If they don't, the number of instances is wrong, and numbers
    /// are taken for offsets or names.
    fn check(&self, frame: &Frame<'_>) -> Result<(), FormatError> {
        let len = self.texts.len();
        let offsets = self.offsets.chunks_exact(4).filter_map(|offset| be_u32(offset, 0));
        let offsets = offsets.map(|offset| offset as usize).filter(|offset| *offset < len);
        let (first, last) = offsets.fold((len, 0), |(first, last), ofs| (first.min(ofs), last.max(ofs)));
        let len_last = self.texts.get(last..).and_then(|text| text.iter().position(|byte| *byte == 0));
        let is_filled = first == 0 && len_last.is_some_and(|len_last| last + len_last + 1 == len);
        if is_filled || len == 0 {
            return Ok(());
        }
        let at = frame.bytes.len() - 4 - len;
        let expected = format!("names of {} instances in {len} bytes", self.numbers.len() / 4);
        let found = format!("names from {first} to {last}: the number of instances is wrong");
        Err(unexpected(DomainRecord::NAME, frame.ofs, "names", at, expected, found))
    }

    /// The instances: number and name. In a delta, an instance without a name was removed; in a full record, its name
    /// is lost. Names may share bytes, up to a limit.
    pub(crate) fn instances(self) -> impl Iterator<Item = (i32, Result<Option<String>, i32>)> + 'a {
        let mut len_left = 16 * self.texts.len();
        (0..self.numbers.len() / 4).map(move |at| {
            let number = be_u32(self.numbers, 4 * at).unwrap_or_default() as i32;
            let offset = be_u32(self.offsets, 4 * at).unwrap_or_default() as i32;
            let name = match usize::try_from(offset) {
                Err(_) if offset == -1 && self.is_delta => Ok(None),
                Ok(from) if from < self.texts.len() && len_left > 0 => {
                    let name = &self.texts[from..];
                    let name = text(&name[..name.len().min(len_left)]);
                    len_left -= name.len().max(1).min(len_left);
                    Ok(Some(name))
                }
                _ => Err(offset),
            };
            (number, name)
        })
    }
}
