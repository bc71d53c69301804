//! Scans the records of a file: finds samples, comments and restarts, and where sound records end.

use recount_bytes::FormatError;
use recount_model::{FindingKind, Health, Mark, Place, SampleTime, Timestamp};

use super::clock::{ticks_per_second, time_of};
use super::ends::Ends;
use super::record::{Body, Record, read_record};
use super::resume::{may_be_then, only_time_is_wrong, resume};
use super::totals::{SampleTotals, Totals};
use super::{Gap, Head, Sample, UntimedSample};
use crate::structure::activity::FileActivity;
use crate::structure::header::Format;
use crate::structure::record;

/// The result of scanning the records.
pub(crate) struct Scan {
    pub(crate) samples: Vec<Sample>,
    pub(crate) counts: Vec<Vec<u32>>,
    /// Comments, ascending.
    pub(crate) marks: Vec<Mark>,
    pub(crate) restarts: Vec<SampleTime>,
    /// Whether a restart or a loss precedes the first sample, and whether one follows the last.
    pub(crate) restarted_at: [bool; 2],
    /// Epochs that begin after a loss, and for no other reason; ascending.
    pub(crate) lost_before: Vec<u32>,
    /// Ticks per second of the uptime.
    pub(crate) hz: Option<u64>,
    /// Where the records of samples begin that are left out, because nothing follows where they end.
    pub(crate) doubtful: Vec<usize>,
}

impl Scan {
    /// Goes from record to record, and continues after damage.
    pub(crate) fn of(file: &[u8], head: &Head, health: &mut Health) -> Scan {
        let Head { header, activities, layouts, ofs_records, .. } = head;
        let mut ofs = *ofs_records;
        let mut counts: Vec<Vec<u32>> = vec![activities.iter().map(|activity| activity.num_items).collect()];
        let mut drafts: Vec<UntimedSample> = Vec::new();
        let (mut marks, mut restarts) = (Vec::new(), Vec::new());
        let (mut gap, mut last_head, mut end) = (Gap::None, None, None);
        while ofs < file.len() {
            let count = counts.last().map_or(&[][..], Vec::as_slice);
            let record = match read_record(file, header, activities, count, ofs) {
                Ok(record) if may_be_then(file, header, &record, last_head) => record,
                Ok(record) if only_time_is_wrong(file, header, &record, last_head) => {
                    let error = record.header.impossible_time(header, ofs);
                    let what = format!("{}: {} is left out", error.what(), record.body.name());
                    health.note(error.kind(), error.place().cloned(), what);
                    gap = gap.max(Gap::Loss);
                    if let Body::Restart(changes) = record.body {
                        counts.extend(changed_counts(count, activities, &changes));
                        gap = Gap::Restart;
                    }
                    ofs = record.next;
                    continue;
                }
                damaged => {
                    let impossible = |record: Record| record.header.impossible_time(header, ofs);
                    let error = damaged.map_or_else(|error| error, impossible);
                    // If there is no record where the next one should be, the last one may be longer or
                    // shorter than it says.
                    let from = drafts.last().map_or(ofs, |draft| draft.sample.ofs);
                    let found = resume(file, header, activities, count, from, last_head)
                        .or_else(|| resume(file, header, activities, count, ofs + 1, None));
                    let Some(next) = found else {
                        end = Some(error);
                        break;
                    };
                    if next < ofs {
                        gap = gap.max(drafts.pop().map_or(Gap::None, |draft| draft.gap));
                    }
                    note_resumed(&error, ofs, next, if next < ofs { from.min(next) } else { ofs }, health);
                    gap = gap.max(Gap::Loss);
                    ofs = next;
                    continue;
                }
            };
            let time = time_of(header, record.header);
            last_head = Some(record.header);
            match record.body {
                Body::Statistics(begin) => {
                    let sample = sample_of(&record, begin, time, counts.len() as u32 - 1);
                    let seconds = record.header.time;
                    let gap = std::mem::take(&mut gap);
                    drafts.push(UntimedSample { sample, ofs_record: ofs, seconds, gap });
                }
                Body::Restart(changes) => {
                    gap = Gap::Restart;
                    restarts.push(time);
                    counts.extend(changed_counts(count, activities, &changes));
                }
                Body::Comment(text) => marks.push(Mark { time: time.utc, text }),
                Body::Other => {}
            }
            ofs = record.next;
        }
        marks.sort();
        marks.dedup();
        let last = drafts.last().map(|last| last.ofs_record);
        let doubtful = Ends { file, header, activities, counts: &counts }.remove_doubtful(&mut drafts);
        let is_cut = last.is_some() && doubtful.last() == last.as_ref();
        if let Some(error) = end {
            note_end(&error, file, ofs, drafts.len(), health);
        }
        note_doubtful(&doubtful, doubt(activities), health);
        let has_gap = |draft: &UntimedSample| draft.gap != Gap::None;
        let restarted_at = [drafts.first().is_some_and(has_gap), is_cut || gap != Gap::None];
        let totals = Totals::of(file, header, activities, layouts);
        let have_fallen = have_fallen(&drafts, |sample| totals.read(sample, &counts[sample.counts as usize]));
        let hz = if header.format == Format::Current { None } else { Some(hz_of(&drafts, &have_fallen)) };
        let (samples, lost_before) = settle(drafts, hz, &have_fallen, health);
        Scan { samples, counts, marks, restarts, restarted_at, lost_before, hz, doubtful }
    }
}

/// The sample of a record whose statistics begin at `begin`. Its epoch is known once all samples are.
fn sample_of(record: &Record, begin: usize, time: SampleTime, counts: u32) -> Sample {
    let len = record.next - begin;
    Sample { ofs: begin, len, uptime_cs: record.header.uptime, time, epoch: 0, counts }
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

/// Whether totals of the kernel are lower than in the sample before: the machine was booted in between.
fn have_fallen(drafts: &[UntimedSample], totals: impl Fn(&Sample) -> SampleTotals) -> Vec<bool> {
    let mut before: Option<SampleTotals> = None;
    let has_fallen = |draft: &UntimedSample| {
        let now = totals(&draft.sample);
        let has_fallen = before.as_ref().is_some_and(|before| before.are_of_an_earlier_boot(&now));
        before = Some(now);
        has_fallen
    };
    drafts.iter().map(has_fallen).collect()
}

/// Ticks per second of the uptime, by the clock. Outlying intervals are ignored, or a damaged time would affect all
/// values; so are those across a boot.
fn hz_of(drafts: &[UntimedSample], have_fallen: &[bool]) -> u64 {
    let mut advances: Vec<(u64, u64)> = Vec::new();
    let is_one_boot = |pair: &[UntimedSample], has_fallen: bool| pair[1].gap == Gap::None && !has_fallen;
    let pairs = drafts.windows(2).zip(have_fallen.iter().skip(1));
    for (pair, _) in pairs.filter(|(pair, has_fallen)| is_one_boot(pair, **has_fallen)) {
        let advance = (
            pair[1].sample.uptime_cs.checked_sub(pair[0].sample.uptime_cs),
            pair[1].seconds.checked_sub(pair[0].seconds),
        );
        if let (Some(more_ticks), Some(more_seconds)) = advance {
            advances.push((more_ticks, more_seconds));
        }
    }
    let rate = |(ticks, seconds): &(u64, u64)| *ticks as f64 / (*seconds).max(1) as f64;
    advances.sort_by(|one, other| rate(one).total_cmp(&rate(other)));
    let median = advances.get(advances.len() / 2).map_or(0.0, rate);
    let is_usual = |advance: &&(u64, u64)| (median / 2.0..=median * 2.0).contains(&rate(advance));
    let add = |(ticks, seconds): (u64, u64), more: &(u64, u64)| {
        (ticks.saturating_add(more.0), seconds.saturating_add(more.1))
    };
    let (ticks, seconds) = advances.iter().filter(is_usual).fold((0, 0), add);
    ticks_per_second(ticks, seconds)
}

/// What is wrong with samples that are left out.
pub(crate) fn doubt(activities: &[FileActivity]) -> &'static str {
    if activities.iter().any(|activity| activity.has_count) {
        "no record begins where the sample ends, and its numbers of items aren't those of the samples next to it: it is left out"
    } else {
        "no record begins where the sample ends: it is left out"
    }
}

/// Computes uptimes in 1/100 s, epochs, and times that distinguish samples of one second. Also returns the epochs that begin after
/// a loss only.
fn settle(
    drafts: Vec<UntimedSample>,
    hz: Option<u64>,
    have_fallen: &[bool],
    health: &mut Health,
) -> (Vec<Sample>, Vec<u32>) {
    let mut samples: Vec<Sample> = Vec::with_capacity(drafts.len());
    let mut lost_before: Vec<u32> = Vec::new();
    // Second and uptime of the first sample in the same second as the last one.
    let mut second: Option<(u64, u64)> = None;
    let mut epoch = 0;
    for (UntimedSample { mut sample, seconds, gap, .. }, &has_fallen) in drafts.into_iter().zip(have_fallen) {
        if let Some(hz) = hz {
            sample.uptime_cs = (u128::from(sample.uptime_cs) * 100 / u128::from(hz)) as u64;
        }
        if let (Some(last), Some((last_seconds, _))) = (samples.last(), second) {
            let has_less_uptime = sample.uptime_cs < last.uptime_cs;
            let is_reboot = gap != Gap::Restart && (has_less_uptime || has_fallen);
            let is_set_back = gap != Gap::Restart && !is_reboot && seconds < last_seconds;
            if gap == Gap::None && (is_reboot || is_set_back) {
                let what = if is_reboot && has_less_uptime {
                    "the uptime fell, and no restart is recorded: nothing is computed across it"
                } else if is_reboot {
                    "several totals of the kernel fell, and no restart is recorded: nothing is computed across it"
                } else {
                    "the clock was set back: nothing is computed across it"
                };
                health.note(FindingKind::Odd, Place::structure(record::NAME, sample.ofs as u64), what);
            }
            epoch += u32::from(gap != Gap::None || is_reboot || is_set_back);
            if gap == Gap::Loss && !is_reboot && !is_set_back {
                lost_before.push(epoch);
            }
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
    (samples, lost_before)
}

/// A time this many 1/100 s after the beginning of a second, but still within it.
fn within(second: Timestamp, after_cs: u64) -> Timestamp {
    Timestamp(second.0.saturating_add(after_cs.min(99) as i64 * (Timestamp::TICKS_PER_SECOND / 100)))
}

fn note_doubtful(doubtful: &[usize], doubt: &str, health: &mut Health) {
    for &ofs in doubtful {
        health.note(FindingKind::Damaged, Place::structure(record::NAME, ofs as u64), doubt);
    }
}

/// Reading goes on elsewhere than where a record should begin; from `begin` on, bytes are left out.
fn note_resumed(error: &FormatError, ofs: usize, next: usize, begin: usize, health: &mut Health) {
    let what = format!(
        "{}, in the record at byte {ofs:#x}: reading goes on at byte {next:#x}, {} bytes are left out",
        error.what(),
        next - begin
    );
    health.note(error.kind(), error.place().cloned(), what);
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
