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
use crate::structure::counter_list::Entry;
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
    /// Local time in the first record that has one, and the record's position.
    pub(crate) local_record: Option<(usize, Timestamp)>,
    /// UTC clock reading.
    pub(crate) utc: Option<Evidence>,
}

/// Reads the stamps of a block from its first fragment. It contains the first records, which is enough; so a
/// log of many gigabytes can be opened without reading all of it.
pub(crate) fn read(local: Timestamp, ofs: u64, fragment: &[u8], plan: Option<&Plan>) -> Stamps {
    let records = plan.into_iter().flat_map(|plan| records(fragment, plan));
    let first = records.enumerate().find_map(|(at, (_, record))| Some((at, local_of_record(&record)?)));
    Stamps { ofs, local, local_record: first, utc: plan.and_then(|plan| utc_of(fragment, plan)) }
}

/// Resolves disagreements between the stamps of all blocks, in file order.
pub(crate) fn settle(all: &mut [Stamps], local_time: &LocalTime, health: &mut Health) {
    settle_local(all, local_time, health);
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

/// By how much clocks of two machines may drift apart, or answers be delayed, from sample to sample.
const MOST_DRIFT: u64 = Timestamp::TICKS_PER_SECOND as u64;
/// By how much the answer of another machine may be delayed now and then.
const MOST_DELAY: u64 = 15 * MOST_DRIFT;
/// Samples on either side with which a distance is compared.
const NUM_NEAR: usize = 3;

/// Settles the local times of events that the first records contradict.
///
/// A distance that neighbours share is that of another machine's clock, and the event is right. Otherwise one of the two
/// is damaged: the one that doesn't fit between its neighbours.
fn settle_local(all: &mut [Stamps], local_time: &LocalTime, health: &mut Health) {
    let distance = |stamps: &Stamps| {
        let (position, record) = stamps.local_record?;
        Some((position, record.0.checked_sub(stamps.local.0)?))
    };
    let distances: Vec<Option<(usize, i64)>> = all.iter().map(distance).collect();
    for at in 0..all.len() {
        let (Some((position, distance)), Some((_, record))) = (distances[at], all[at].local_record) else {
            continue;
        };
        // Windows stamps both in whole milliseconds, but for those of whole objects.
        if distance.unsigned_abs() < 2 * TICKS_PER_MS {
            continue;
        }
        let near = at.saturating_sub(NUM_NEAR)..(at + NUM_NEAR + 1).min(all.len());
        let near = near.filter(|other| *other != at).filter_map(|other| distances[other]);
        let near: Vec<i64> =
            near.filter(|(other, _)| *other == position).map(|(_, distance)| distance).collect();
        let is_far = distance.unsigned_abs() >= MOST_DRIFT;
        if is_far && near.iter().any(|near| near.abs_diff(distance) < MOST_DRIFT) {
            take_off_distance(&mut all[at], distance, local_time);
            continue;
        }
        // The first machines may not have answered: then there is nothing to compare with.
        let is_alone = near.is_empty() && position > 0;
        let usual = middle(near);
        let by_record = Timestamp(record.0.saturating_sub(usual));
        let event = all[at].local;
        let place = Place::structure("data block", all[at].ofs);
        if misfit(all, at, by_record) < misfit(all, at, event) {
            let what = format!("event stamped {event}, records {record}: the records fit their neighbours");
            health.note(FindingKind::Damaged, place, what);
            all[at].local = by_record;
            continue;
        }
        take_off_distance(&mut all[at], distance, local_time);
        let most = if usual.unsigned_abs() < MOST_DRIFT { MOST_DRIFT } else { MOST_DELAY };
        if distance.abs_diff(usual) >= most && !is_alone {
            let what = format!("event stamped {event}, records {record}: the event's time is used");
            health.note(FindingKind::Time, place, what);
        }
    }
}

/// If the UTC reading of another machine's clock, which is off by this distance, gives an offset that the zone doesn't have,
/// but gives one that it has without the distance, the distance is taken off.
fn take_off_distance(stamps: &mut Stamps, distance: i64, local_time: &LocalTime) {
    let Some(found) = &mut stamps.utc else { return };
    let Some(corrected) = found.utc.0.checked_sub(distance).map(Timestamp) else { return };
    let is_allowed = |utc: Timestamp| {
        offset_between(stamps.local, utc).is_some_and(|offset| local_time.allows(stamps.local, offset))
    };
    if is_allowed(corrected) && !is_allowed(found.utc) {
        found.utc = corrected;
    }
}

/// The middle one of some distances; 0 if there are none.
fn middle(mut distances: Vec<i64>) -> i64 {
    distances.sort_unstable();
    distances.get(distances.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

/// How far a time is from lying between the times of its neighbours. At either end, the missing neighbour is taken to be
/// as far away as the next ones are from each other.
fn misfit(all: &[Stamps], at: usize, time: Timestamp) -> u64 {
    let local = |at: Option<usize>| all.get(at?).map(|stamps| stamps.local.0);
    let mirrored = |near: Option<i64>, far: Option<i64>| near?.checked_mul(2)?.checked_sub(far?);
    let (before, after) = (local(at.checked_sub(1)), local(Some(at + 1)));
    let before_it = before.or_else(|| mirrored(after, local(Some(at + 2))));
    let after_it = after.or_else(|| mirrored(before, local(at.checked_sub(2))));
    let is_before = before_it.map_or(0, |before| before.saturating_sub(time.0).max(0));
    let is_after = after_it.map_or(0, |after| time.0.saturating_sub(after).max(0));
    is_before.max(is_after) as u64
}

fn local_of_record(record: &Record<'_>) -> Option<Timestamp> {
    match record.kind {
        // A machine that doesn't answer has no time.
        record::SINGLE => {
            Single::read(record).filter(|one| !record::is_absent(one.status)).map(|one| one.local)
        }
        record::INSTANCES => {
            InstancesHead::read(record).filter(|head| !record::is_absent(head.status)).map(|head| head.local)
        }
        record::OBJECT => {
            let bytes = record.bytes.get(RecordHead::LEN + OFS_SYSTEM_TIME..)?;
            // Documented as UTC, but local time in a log; comparable with the other local stamps.
            SystemTime::parse::<()>(bytes, ByteOrder::Little).ok()?.1.as_utc()
        }
        _ => None,
    }
}

fn utc_of(fragment: &[u8], plan: &Plan) -> Option<Evidence> {
    records(fragment, plan).find_map(|(entry, record)| match record.kind {
        record::OBJECT => block_clock(record.bytes),
        _ if has_utc_clock(entry.counter_type) => value_clock(&record),
        _ => None,
    })
}

/// The records that begin in the first fragment, with their entries; the last one may continue in the next.
fn records<'a>(fragment: &'a [u8], plan: &'a Plan) -> impl Iterator<Item = (&'a Entry, Record<'a>)> {
    let mut ofs = RecordHead::LEN;
    plan.entries.iter().map_while(move |entry| {
        let bytes = fragment.get(ofs..)?;
        let (_, head) =
            RecordHead::parse(bytes).ok().filter(|(_, head)| head.signature == RecordHead::SIGNATURE)?;
        let len = head.len as usize;
        let record = Record { ofs, kind: head.kind, bytes: bytes.get(..len).unwrap_or(bytes) };
        ofs = ofs.checked_add(len.max(RecordHead::LEN))?;
        Some((entry, record))
    })
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
