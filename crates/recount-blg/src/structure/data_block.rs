//! The records of a data block, as text: for `recount dump`.

use std::fmt;

use recount_bytes::fields::Lines;
use recount_perf_data::DataBlock;

use super::instances::InstanceValues;
use super::record::{INSTANCES, OBJECT, Record, RecordError, RecordHead, Records, SINGLE};
use super::single::Single;

pub(crate) fn show(message: &[u8], map: &dyn Fn(u64) -> u64, lines: &mut Lines<'_>) -> fmt::Result {
    lines.at(0).structure(format_args!("data block, {} bytes", message.len()))?;
    let fault = |error: RecordError, lines: &mut Lines<'_>| {
        lines.fault(format_args!("{:#x} record.{}: {}", map(error.ofs as u64), error.field, error.what))
    };
    let records = match Records::open(message) {
        Ok(records) => records,
        Err(error) => return fault(error, lines),
    };
    lines.nested(|lines| {
        for record in records {
            match record {
                Ok(record) => show_record(&record, map, lines)?,
                Err(error) => return fault(error, lines),
            }
        }
        Ok(())
    })
}

fn show_record(record: &Record<'_>, map: &dyn Fn(u64) -> u64, lines: &mut Lines<'_>) -> fmt::Result {
    let (kind, len) = (record.kind, record.bytes.len());
    lines.at(record.ofs as u64).structure(format_args!("record of kind {kind:#04x}, {len} bytes"))?;
    lines.at((record.ofs + RecordHead::LEN) as u64);
    match kind {
        SINGLE => match Single::read(record) {
            Some(mut single) => single.fields(lines),
            None => lines.fault("too short for a value"),
        },
        INSTANCES => match InstanceValues::read(record) {
            Some(many) => many.show(lines),
            None => lines.fault("too short for its instances"),
        },
        // Offsets within a block count from its start, even across fragments.
        OBJECT => {
            let ofs = map((record.ofs + RecordHead::LEN) as u64);
            match DataBlock::parse(&record.bytes[RecordHead::LEN..], ofs) {
                Ok(block) => recount_perf_data::show(&block, &mut lines.anew()),
                Err(error) => lines.fault(error),
            }
        }
        _ => Ok(()),
    }
}
