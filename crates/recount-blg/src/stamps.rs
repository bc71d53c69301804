//! The time stamps of a data block: those of its event and its records, and the UTC clock reading next to
//! them (formats/blg.md#time).
//!
//! Together they give the time of a sample even if one of them is damaged.

use recount_bytes::fields::Scalar;
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{FindingKind, Formula, Health, Place, Timer, Timestamp};
use recount_perf_data::Header;

use crate::le::{i64_at, u64_at};
use crate::local_time::{LocalTime, offset_between};
use crate::plan::Plan;
use crate::structure::instances::InstancesHead;
use crate::structure::record::{self, Record, RecordHead};
use crate::structure::single::Single;

/// A UTC reading, and whether it is the time of the sample itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) utc: Timestamp,
    /// From a `PERF_DATA_BLOCK`, whose `PerfTime100nSec` is the time of its creation. The clock of a raw
    /// value may be another machine's.
    pub(crate) is_sample_time: bool,
    /// `PerfTime` of that block, ticks; 0: none.
    pub(crate) perf_time: u64,
}

/// Offset of `PerfTime` in a `PERF_DATA_BLOCK`.
const OFS_PERF_TIME: usize = 56;
/// Offset of `PerfTime100nSec` in a `PERF_DATA_BLOCK`.
const OFS_TIME_100NS: usize = 72;
/// Offset of `SystemTime` in a `PERF_DATA_BLOCK`.
const OFS_SYSTEM_TIME: usize = 36;
const TICKS_PER_MS: u64 = 10_000;

/// The stamps of one data block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    /// Where the data block starts in the file.
    pub(crate) ofs: u64,
    /// Local time of the event; once settled, the local time to use.
    pub(crate) local: Timestamp,
    /// Local time in the first record.
    pub(crate) local_record: Option<Timestamp>,
    /// UTC clock reading.
    pub(crate) utc: Option<Evidence>,
}

/// Reads the stamps of a block from its first fragment. It contains the first records, which is enough; so a
/// log of many gigabytes can be opened without reading all of it.
pub(crate) fn read(local: Timestamp, ofs: u64, fragment: &[u8], plan: Option<&Plan>) -> Stamps {
    let first = fragment.get(RecordHead::LEN..).and_then(|bytes| {
        let record = Record { ofs: RecordHead::LEN, kind: *bytes.get(3)?, bytes };
        local_of_record(&record)
    });
    Stamps { ofs, local, local_record: first, utc: plan.and_then(|plan| utc_of(fragment, plan)) }
}

/// Resolves disagreements between the stamps of all blocks, in file order.
pub(crate) fn settle(all: &mut [Stamps], local_time: &LocalTime, health: &mut Health) {
    for at in 0..all.len() {
        let before = at.checked_sub(1).map(|before| all[before].local);
        let after = all.get(at + 1).map(|after| after.local);
        let stamps = &mut all[at];
        let Some(record) = stamps.local_record else { continue };
        // Record stamps have whole milliseconds, like those of events; those of whole objects are more
        // precise.
        if record.0.abs_diff(stamps.local.0) < 2 * TICKS_PER_MS {
            continue;
        }
        let distance = |time: Timestamp| {
            let to = |other: Option<Timestamp>| other.map_or(0, |other| u128::from(other.0.abs_diff(time.0)));
            to(before) + to(after)
        };
        let place = Place::structure("data block", stamps.ofs);
        if distance(record) < distance(stamps.local) {
            let what =
                format!("event stamped {}, records {record}: the records fit their neighbours", stamps.local);
            health.note(FindingKind::Damaged, place, what);
            stamps.local = record;
        }
    }
    for at in 0..all.len() {
        let offset = |stamps: &Stamps| stamps.utc.and_then(|found| offset_between(stamps.local, found.utc));
        let Some(own) = offset(&all[at]) else { continue };
        let mut near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let neighbours: Vec<i16> = near.by_ref().filter_map(|near| offset(all.get(near)?)).collect();
        // An offset that neither neighbour shares and that the zone doesn't have at that time means a damaged
        // clock.
        let is_shared = neighbours.is_empty() || neighbours.contains(&own);
        if !is_shared && !local_time.allows(all[at].local, own) {
            let what = format!("a UTC clock {own} min from local time, unlike its neighbours: not used");
            health.note(FindingKind::Damaged, Place::structure("data block", all[at].ofs), what);
            all[at].utc = None;
        }
    }
}

fn local_of_record(record: &Record<'_>) -> Option<Timestamp> {
    match record.kind {
        record::SINGLE => Single::read(record).map(|single| single.local),
        record::INSTANCES => InstancesHead::read(record).map(|head| head.local),
        record::OBJECT => {
            let bytes = record.bytes.get(RecordHead::LEN + OFS_SYSTEM_TIME..)?.get(..SystemTime::LEN)?;
            // Documented as UTC, but local time in a log; comparable with the other local stamps.
            SystemTime::read(bytes, ByteOrder::Little)?.as_utc()
        }
        _ => None,
    }
}

fn utc_of(fragment: &[u8], plan: &Plan) -> Option<Evidence> {
    let mut ofs = RecordHead::LEN;
    for entry in &plan.entries {
        let bytes = fragment.get(ofs..)?;
        let head = RecordHead::read(bytes).filter(|head| head.signature == RecordHead::SIGNATURE)?;
        let len = head.len as usize;
        let record = Record { ofs, kind: head.kind, bytes: bytes.get(..len).unwrap_or(bytes) };
        let found = match record.kind {
            record::OBJECT => block_clock(record.bytes),
            _ if has_utc_clock(entry.counter_type) => value_clock(&record),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        ofs = ofs.checked_add(len.max(RecordHead::LEN))?;
    }
    None
}

fn block_clock(record: &[u8]) -> Option<Evidence> {
    let block = record.get(RecordHead::LEN..)?;
    let utc = Timestamp(i64_at(block, OFS_TIME_100NS)?);
    let perf_time = i64_at(block, OFS_PERF_TIME)? as u64;
    let found = Evidence { utc, is_sample_time: true, perf_time };
    (block.starts_with(&Header::SIGNATURE_LE) && utc.0 > 0).then_some(found)
}

fn has_utc_clock(word: recount_model::CounterType) -> bool {
    let recipe = word.recipe(8);
    recipe.formula.needs_clock()
        && recipe.formula != Formula::Elapsed
        && recipe.clock == Some(Timer::HundredNs)
}

fn value_clock(record: &Record<'_>) -> Option<Evidence> {
    let ticks = match record.kind {
        record::SINGLE => Single::read(record).filter(|one| record::is_good(one.status))?.second,
        // The record may continue in the next fragment, but its first item doesn't.
        record::INSTANCES if InstancesHead::read(record)?.num_instances > 0 => {
            u64_at(record.bytes, InstancesHead::LEN + 16)?
        }
        _ => return None,
    };
    (ticks > 0).then_some(Evidence { utc: Timestamp(ticks as i64), is_sample_time: false, perf_time: 0 })
}
