//! Answers of `PerflibV2QueryCounterData`.

use std::fmt;

use recount_bytes::fields::{Hex, Lines};
use recount_bytes::{ByteOrder, Encoding};

use super::metadata::instance_fields;
use crate::{CounterBlock, CounterData, CounterHeader, CounterIds, DataHeader, InstanceRows, QueryData};

/// The code page of UTF-8, which includes ASCII.
const UTF_8: u32 = 65001;

pub(super) fn query_data(buffer: &[u8], lines: &mut Lines<'_>) -> fmt::Result {
    let data = match QueryData::parse(buffer, lines.ofs()) {
        Ok(data) => data,
        Err(error) => return lines.fault(&error),
    };
    let start = lines.ofs();
    let mut header = data.header;
    lines.structure(DataHeader::NAME)?;
    header.fields(usize::MAX, lines)?;
    lines.nested(|lines| {
        let mut blocks = data.blocks();
        let mut number = 0;
        loop {
            let ofs_block = start + (data.header.len_total as usize - blocks.rest().len()) as u64;
            lines.at(ofs_block);
            let Some((framed, content)) = blocks.next_with_bytes() else { return Ok(()) };
            if let Some((header, _)) = framed {
                let mut header = header;
                lines.structure(format_args!("{} {number}", CounterHeader::NAME))?;
                header.fields(usize::MAX, lines)?;
                number += 1;
            }
            match content {
                Ok(content) => lines.nested(|lines| block(&content, lines))?,
                Err(error) => lines.fault(&error)?,
            }
        }
    })?;
    lines.at(start + u64::from(data.header.len_total));
    lines.bytes("trailing", data.trailing)
}

fn block(block: &CounterBlock<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    match block {
        CounterBlock::Error { .. } => Ok(()),
        CounterBlock::Single { value, .. } => data(value, None, lines),
        CounterBlock::MultiCounters { ids, values, .. } => {
            counter_ids(ids, lines)?;
            values.iter().zip(ids.iter()).try_for_each(|(value, id)| data(&value, Some(id), lines))
        }
        CounterBlock::MultiInstances { instances, .. } => rows(instances, None, lines),
        CounterBlock::CounterSet { ids, instances, .. } => {
            counter_ids(ids, lines)?;
            rows(instances, Some(ids), lines)
        }
    }
}

fn counter_ids(ids: &CounterIds<'_>, lines: &mut Lines<'_>) -> fmt::Result {
    lines.structure(CounterIds::NAME)?;
    lines.value("dwSize", 4, ids.size)?;
    lines.value("dwCounters", 4, ids.len())?;
    ids.iter().try_for_each(|id| lines.value("counter id", 4, id))?;
    lines.bytes("padding", ids.padding)
}

fn rows(rows: &InstanceRows<'_>, ids: Option<&CounterIds<'_>>, lines: &mut Lines<'_>) -> fmt::Result {
    lines.structure(InstanceRows::NAME)?;
    lines.value("dwTotalSize", 4, rows.size)?;
    lines.value("dwInstances", 4, rows.len())?;
    lines.nested(|lines| {
        for (number, row) in rows.iter().enumerate() {
            instance_fields(&row.instance, number, lines)?;
            lines.nested(|lines| {
                let mut ids = ids.map(CounterIds::iter);
                let mut id = || ids.as_mut().and_then(Iterator::next);
                row.values.iter().try_for_each(|value| data(&value, id(), lines))
            })?;
        }
        Ok(())
    })?;
    lines.bytes("padding", rows.padding)
}

/// A value, with the id of its counter where the block says it.
fn data(data: &CounterData<'_>, id: Option<u32>, lines: &mut Lines<'_>) -> fmt::Result {
    match id {
        Some(id) => lines.structure(format_args!("{} [{id}]", CounterData::NAME))?,
        None => lines.structure(CounterData::NAME)?,
    }
    lines.value("dwDataSize", 4, data.value.len())?;
    lines.value("dwSize", 4, data.size)?;
    if let Some(number) = data.value() {
        lines.value("value", data.value.len(), number)?;
    } else {
        lines.value("value", data.value.len(), Hex(data.value))?;
        if let Some(text) = text_in(data.value) {
            lines.value("as text", 0, format_args!("{text:?}"))?;
        }
    }
    lines.bytes("padding", data.padding)
}

/// The text that a value seems to be; the message doesn't say its type.
fn text_in(value: &[u8]) -> Option<String> {
    let encoding = if value.trim_ascii_end().is_ascii() && !value.iter().rev().skip(1).any(|byte| *byte == 0)
    {
        Encoding::CodePage(UTF_8)
    } else {
        Encoding::Utf16(ByteOrder::Little)
    };
    let text = encoding.decode(value);
    let is_shown = |c: char| !c.is_control() && c != char::REPLACEMENT_CHARACTER;
    (!text.is_empty() && text.chars().all(is_shown)).then_some(text)
}
