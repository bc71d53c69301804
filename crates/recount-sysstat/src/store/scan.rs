//! The records of a file, one after the other: where samples are, comments, restarts, and where sound records end.

use recount_bytes::FormatError;
use recount_model::{FindingKind, Health, Mark, Place, SampleTime, Timestamp};

use super::Sample;
use super::clock::{ticks_per_second, time_of};
use crate::names::Activity;
use crate::structure::activity::{FileActivity, max_items};
use crate::structure::header::{Format, Header};
use crate::structure::number::{structure_at, text, unexpected};
use crate::structure::record::{self, COMMENT, LEN_COMMENT, RESTART, RecordHeader, skip_extra};

/// What the records are.
pub(crate) struct Scan {
    pub(crate) samples: Vec<Sample>,
    pub(crate) counts: Vec<Vec<u32>>,
    /// Comments, ascending.
    pub(crate) marks: Vec<Mark>,
    pub(crate) restarts: Vec<SampleTime>,
    /// Ticks per second of the uptime.
    pub(crate) hz: Option<u64>,
}

/// A record and where the next begins.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) header: RecordHeader,
    pub(crate) body: Body,
    pub(crate) next: usize,
}

/// What a record holds.
#[derive(Debug)]
pub(crate) enum Body {
    /// Activities, from this byte on.
    Statistics(usize),
    /// Numbers of items that change, as (activity, items).
    Restart(Vec<(u32, u32)>),
    Comment(String),
    /// Nothing that is known.
    Other,
}

/// Reads the record at an offset. `counts` has the numbers of items, where records don't say them.
pub(crate) fn read_record(
    file: &[u8],
    header: &Header,
    activities: &[FileActivity],
    counts: &[u32],
    ofs: usize,
) -> Result<Record, FormatError> {
    let record = RecordHeader::read(file, header, ofs)?;
    let ofs = ofs + header.len_record_head;
    let (body, next) = match record.kind {
        RESTART => {
            let (changes, end) = restart(file, header, ofs)?;
            (Body::Restart(changes), skip_extra(file, header, end, record.extra_next)?)
        }
        COMMENT => {
            let comment = text(structure_at(file, "comment", ofs, LEN_COMMENT)?);
            (Body::Comment(comment), skip_extra(file, header, ofs + LEN_COMMENT, record.extra_next)?)
        }
        _ => {
            let begin = skip_extra(file, header, ofs, record.extra_next)?;
            if record.is_statistics() {
                let mut end = begin;
                for (activity, &count) in activities.iter().zip(counts) {
                    (_, end) = items(file, header, activity, count, end)?;
                }
                (Body::Statistics(begin), end)
            } else {
                (Body::Other, begin)
            }
        }
    };
    Ok(Record { header: record, body, next })
}

/// The bytes of an activity's items at an offset, and where they end.
pub(crate) fn items<'a>(
    file: &'a [u8],
    header: &Header,
    activity: &FileActivity,
    count: u32,
    ofs: usize,
) -> Result<(&'a [u8], usize), FormatError> {
    let (count, ofs) = if activity.has_count {
        let bytes = structure_at(file, "number of items", ofs, 4)?;
        let found = header.numbers.get::<u32>(bytes, 0).unwrap_or(0);
        let max = max_items(activity.id);
        if found > max {
            let expected = format!("0 to {max} items of {}", Activity::name_of(activity.id));
            return Err(unexpected("number of items", "nr", ofs, expected, found.cast_signed()));
        }
        (found, ofs + 4)
    } else {
        (count, ofs)
    };
    let len = usize::try_from(activity.len_items(count)).unwrap_or(usize::MAX);
    let bytes = structure_at(file, Activity::name_of(activity.id), ofs, len)?;
    Ok((bytes, ofs + len))
}

/// What a restart says of the numbers of items.
fn restart(file: &[u8], header: &Header, ofs: usize) -> Result<(Vec<(u32, u32)>, usize), FormatError> {
    const LEN_ENTRY: usize = 20;
    match header.format {
        Format::First => Ok((Vec::new(), ofs)),
        Format::Second => {
            let bytes = structure_at(file, "restart", ofs, LEN_ENTRY * header.num_volatile as usize)?;
            let entries = bytes.chunks_exact(LEN_ENTRY).enumerate();
            let mut changes = Vec::new();
            for (index, entry) in entries {
                let word = |at| header.numbers.get::<u32>(entry, at).unwrap_or(0);
                let (id, count) = (word(0), word(8));
                if count > max_items(id) {
                    let expected = format!("0 to {} items of {}", max_items(id), Activity::name_of(id));
                    return Err(unexpected("restart", "nr", ofs + LEN_ENTRY * index + 8, expected, count));
                }
                changes.push((id, count));
            }
            changes.retain(|(id, _)| *id != 0);
            Ok((changes, ofs + bytes.len()))
        }
        Format::Current => {
            let bytes = structure_at(file, "restart", ofs, 4)?;
            match header.numbers.get::<i32>(bytes, 0).unwrap_or(0) {
                1.. => Ok((Vec::new(), ofs + 4)),
                count => Err(unexpected("restart", "cpu_nr", ofs, "at least 1", count)),
            }
        }
    }
}

/// A sample whose uptime isn't in 1/100 s yet.
struct Draft {
    sample: Sample,
    seconds: u64,
    /// Whether a restart stands between the sample before and this one.
    is_restarted: bool,
}

impl Scan {
    /// Goes from record to record. There is no mark by which to find the next one after damage: it ends there.
    pub(crate) fn of(
        file: &[u8],
        header: &Header,
        activities: &[FileActivity],
        mut ofs: usize,
        health: &mut Health,
    ) -> Scan {
        let mut counts: Vec<Vec<u32>> = vec![activities.iter().map(|activity| activity.num_items).collect()];
        let mut drafts: Vec<Draft> = Vec::new();
        let (mut marks, mut restarts) = (Vec::new(), Vec::new());
        let mut is_restarted = false;
        while ofs < file.len() {
            let count = counts.last().map_or(&[][..], Vec::as_slice);
            let record = match read_record(file, header, activities, count, ofs) {
                Ok(record) => record,
                Err(error) => {
                    note_end(&error, file, ofs, drafts.len(), health);
                    break;
                }
            };
            let time = time_of(header, record.header);
            match record.body {
                Body::Statistics(begin) => {
                    let sample = Sample {
                        ofs: begin,
                        len: record.next - begin,
                        uptime_cs: record.header.uptime,
                        time,
                        epoch: 0,
                        counts: counts.len() as u32 - 1,
                    };
                    drafts.push(Draft { sample, seconds: record.header.time, is_restarted });
                    is_restarted = false;
                }
                Body::Restart(changes) => {
                    is_restarted = true;
                    restarts.push(time);
                    if let Some(changed) = changed_counts(count, activities, &changes) {
                        counts.push(changed);
                    }
                }
                Body::Comment(text) => marks.push(Mark { time: time.utc, text }),
                Body::Other => {}
            }
            ofs = record.next;
        }
        marks.sort();
        marks.dedup();
        let hz = if header.format == Format::Current { None } else { Some(hz_of(&drafts)) };
        Scan { samples: settle(drafts, hz, health), counts, marks, restarts, hz }
    }
}

/// The numbers of items after a restart, if it changes any.
pub(crate) fn changed_counts(
    before: &[u32],
    activities: &[FileActivity],
    changes: &[(u32, u32)],
) -> Option<Vec<u32>> {
    let mut after = before.to_vec();
    for (count, activity) in after.iter_mut().zip(activities) {
        let change = changes.iter().find(|(id, _)| *id == activity.id);
        *count = change.map_or(*count, |(_, count)| *count);
    }
    (after != before).then_some(after)
}

/// Ticks per second of the uptime, by the clock.
fn hz_of(drafts: &[Draft]) -> u64 {
    let (mut ticks, mut seconds) = (0_u64, 0_u64);
    for pair in drafts.windows(2).filter(|pair| !pair[1].is_restarted) {
        let advance = (
            pair[1].sample.uptime_cs.checked_sub(pair[0].sample.uptime_cs),
            pair[1].seconds.checked_sub(pair[0].seconds),
        );
        if let (Some(more_ticks), Some(more_seconds)) = advance {
            ticks = ticks.saturating_add(more_ticks);
            seconds = seconds.saturating_add(more_seconds);
        }
    }
    ticks_per_second(ticks, seconds)
}

/// Uptimes in 1/100 s, epochs, and times that tell samples of one second apart.
fn settle(drafts: Vec<Draft>, hz: Option<u64>, health: &mut Health) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::with_capacity(drafts.len());
    // Of the first sample in the second of the last one: its second, and its uptime.
    let mut second: Option<(u64, u64)> = None;
    let mut epoch = 0;
    for Draft { mut sample, seconds, is_restarted } in drafts {
        if let Some(hz) = hz {
            sample.uptime_cs = (u128::from(sample.uptime_cs) * 100 / u128::from(hz)) as u64;
        }
        if let (Some(last), Some((last_seconds, _))) = (samples.last(), second) {
            let is_reboot = !is_restarted && sample.uptime_cs < last.uptime_cs;
            let is_set_back = !is_restarted && !is_reboot && seconds < last_seconds;
            if is_reboot || is_set_back {
                let what = if is_reboot {
                    "the uptime fell, and no restart is recorded: nothing is computed across it"
                } else {
                    "the clock was set back: nothing is computed across it"
                };
                health.note(FindingKind::Odd, Place::structure(record::NAME, sample.ofs as u64), what);
            }
            epoch += u32::from(is_restarted || is_reboot || is_set_back);
            if epoch != last.epoch {
                second = None;
            }
        }
        sample.epoch = epoch;
        match second {
            Some((same, uptime)) if same == seconds => {
                sample.time.utc = within(sample.time.utc, sample.uptime_cs.saturating_sub(uptime));
            }
            _ => second = Some((seconds, sample.uptime_cs)),
        }
        samples.push(sample);
    }
    samples
}

/// A time so many 1/100 s after the beginning of a second, and still in it.
fn within(second: Timestamp, after_cs: u64) -> Timestamp {
    Timestamp(second.0.saturating_add(after_cs.min(99) as i64 * (Timestamp::TICKS_PER_SECOND / 100)))
}

fn note_end(error: &FormatError, file: &[u8], ofs: usize, num_samples: usize, health: &mut Health) {
    let rest = file.get(ofs..).unwrap_or_default();
    let kept = match num_samples {
        0 => "no sample is before it".to_owned(),
        1 => "the sample before it is kept".to_owned(),
        count => format!("the {count} samples before it are kept"),
    };
    if rest.iter().all(|&byte| byte == 0) {
        let what =
            format!("expected a record, found nothing but zeros up to the end, {} bytes: {kept}", rest.len());
        return health.note(FindingKind::Damaged, Place::structure(record::NAME, ofs as u64), what);
    }
    let what = format!("{}, in the record at byte {ofs:#x}: {kept}", error.what());
    health.note(error.kind(), error.place().cloned(), what);
}
