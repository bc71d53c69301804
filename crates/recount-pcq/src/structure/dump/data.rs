//! Answers of `PerflibV2QueryCounterData`.

use std::fmt::{self, Write};

use super::lines::{Hex, Lines};
use super::metadata::instance_fields;
use crate::structure::block::BlockType;
use crate::{
    CounterBlock, CounterData, CounterHeader, CounterIds, DataHeader, InstanceRows, QueryData, ReturnCode,
};

pub(super) fn query_data<W: Write>(buffer: &[u8], lines: &mut Lines<'_, W>) -> fmt::Result {
    let data = match QueryData::parse(buffer, lines.ofs) {
        Ok(data) => data,
        Err(error) => return lines.error(&error),
    };
    let start = lines.ofs;
    header(&data.header, lines)?;
    lines.nested(|lines| {
        let mut blocks = data.blocks();
        let mut number = 0;
        loop {
            let ofs_block = start + (data.header.len_total as usize - blocks.rest().len()) as u64;
            lines.ofs = ofs_block;
            let Some((framed, content)) = blocks.next_with_bytes() else { return Ok(()) };
            if let Some((header, _)) = framed {
                block_header(&header, number, lines)?;
                number += 1;
            }
            match content {
                Ok(content) => lines.nested(|lines| block(&content, lines))?,
                Err(error) => lines.error(&error)?,
            }
        }
    })?;
    lines.ofs = start + u64::from(data.header.len_total);
    lines.bytes("trailing", data.trailing)
}

fn header<W: Write>(header: &DataHeader, lines: &mut Lines<'_, W>) -> fmt::Result {
    let clocks = &header.clocks;
    lines.structure(DataHeader::NAME, "")?;
    lines.word("dwTotalSize", header.len_total)?;
    lines.word("dwNumCounter", header.num_counters)?;
    lines.long("PerfTimeStamp", clocks.perf_time)?;
    match i64::try_from(clocks.perf_time_100ns) {
        Ok(ticks) => {
            lines.long("PerfTime100NSec", format_args!("{ticks} ({})", recount_model::Timestamp(ticks)))?;
        }
        Err(_) => lines.long("PerfTime100NSec", clocks.perf_time_100ns)?,
    }
    lines.long("PerfFreq", clocks.perf_freq)?;
    let t = clocks.system_time;
    let system_time = format_args!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}, day of week {}",
        t.year, t.month, t.day, t.hour, t.minute, t.second, t.milliseconds, t.day_of_week
    )
    .to_string();
    lines.field("SystemTime", 16, system_time)
}

fn block_header<W: Write>(header: &CounterHeader, number: usize, lines: &mut Lines<'_, W>) -> fmt::Result {
    lines.structure(CounterHeader::NAME, format_args!(" {number}"))?;
    lines.word("dwStatus", ReturnCode(header.status))?;
    match BlockType::from_number(header.block_type) {
        Some(block_type) => lines.word("dwType", block_type.name())?,
        None => lines.word("dwType", format_args!("{:#x}", header.block_type))?,
    }
    lines.word("dwSize", header.len)?;
    lines.word("Reserved", header.reserved)
}

fn block<W: Write>(block: &CounterBlock<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
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

fn counter_ids<W: Write>(ids: &CounterIds<'_>, lines: &mut Lines<'_, W>) -> fmt::Result {
    lines.structure(CounterIds::NAME, "")?;
    lines.word("dwSize", ids.size)?;
    lines.word("dwCounters", ids.len())?;
    ids.iter().try_for_each(|id| lines.word("counter id", id))?;
    lines.bytes("padding", ids.padding)
}

fn rows<W: Write>(
    rows: &InstanceRows<'_>,
    ids: Option<&CounterIds<'_>>,
    lines: &mut Lines<'_, W>,
) -> fmt::Result {
    lines.structure(InstanceRows::NAME, "")?;
    lines.word("dwTotalSize", rows.size)?;
    lines.word("dwInstances", rows.len())?;
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
fn data<W: Write>(data: &CounterData<'_>, id: Option<u32>, lines: &mut Lines<'_, W>) -> fmt::Result {
    match id {
        Some(id) => lines.structure(CounterData::NAME, format_args!(" [{id}]"))?,
        None => lines.structure(CounterData::NAME, "")?,
    }
    lines.word("dwDataSize", data.value.len())?;
    lines.word("dwSize", data.size)?;
    match data.value() {
        Some(number) => lines.field("value", data.value.len(), number)?,
        None => lines.field("value", data.value.len(), Hex(data.value))?,
    }
    lines.bytes("padding", data.padding)
}
