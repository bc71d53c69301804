//! Opens a log: reads its header and finds its samples, without unpacking them.

mod walk;

use std::sync::{Arc, OnceLock};

use recount_model::{
    CaptureInfo, Content, CountsSince, FindingKind, Health, Opened, Place, ProcessDescription, SampleTime,
    Status, Timestamp,
};

use crate::canonical::Names;
use crate::error::AtopError;
use crate::objects::Objects;
use crate::parts::{LEN_PID, unpack_each};
use crate::structure::layout::Layout;
use crate::structure::{
    FILE_HEADER, FileHeader, LEN_FILE_HEADER, Layouts, MAX_TASKS, RECORD_HEADER, Record, Version,
};
pub(crate) use walk::walk;

/// A sample: its header, and what follows from its neighbours in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) record: Record,
    /// How often the clock was set back before it.
    pub(crate) epoch: u32,
    /// When the machine was booted, if the file has the first sample of its run.
    pub(crate) boot_time: Option<Timestamp>,
    /// Seconds by which differences are divided, or why there are none: the sample is since boot, the interval is rounded
    /// to zero, or it contradicts the times.
    pub(crate) interval: Result<u32, Status>,
    /// No interval is longer than this many seconds.
    pub(crate) longest: u32,
}

/// An open atop raw log (`formats/atop.md`).
///
/// Holds the header of each sample and the bytes of the file, whose samples are unpacked one at a time.
#[derive(Clone)]
pub struct AtopLog {
    pub(crate) content: Arc<dyn Content>,
    pub(crate) header: FileHeader,
    pub(crate) layouts: Arc<Layouts>,
    pub(crate) samples: Arc<[Sample]>,
    pub(crate) objects: Arc<Objects>,
    /// The names of Windows, if values use them.
    pub(crate) names: Option<Arc<Names>>,
    pub(crate) host: Arc<str>,
    pub(crate) opened: Opened,
    /// Who the processes are, once it was asked for.
    pub(crate) descriptions: Arc<OnceLock<Vec<ProcessDescription>>>,
}

impl AtopLog {
    /// Whether a file that begins with these bytes is an atop raw log of any version. 16 bytes are enough.
    pub fn recognise(bytes: &[u8]) -> bool {
        let Some((magic, rest)) = bytes.split_first_chunk::<4>() else { return false };
        let swapped: [u8; 4] = [magic[3], magic[2], magic[1], magic[0]];
        *magic == FileHeader::MAGIC || swapped == FileHeader::MAGIC && rest.len() >= 12
    }

    /// Whether these bytes begin with the header of a log that can be opened.
    pub fn is_head(bytes: &[u8]) -> bool {
        read_header(bytes).is_ok_and(|header| header.layout_version().is_some())
    }

    /// Opens a log: finds its samples by their headers. [`Source::health`](recount_model::Source::health) reports
    /// damage.
    pub fn open(content: Arc<dyn Content>) -> Result<AtopLog, AtopError> {
        let file = content.bytes();
        let mut header = read_header(file)?;
        let mut health = Health::default();
        let version = layout_version(&header, &mut health)?;
        let layouts = Layouts::of(version);
        settle(&mut header, &mut health);
        let mut records = walk(file, &layouts.record, &mut health);
        records.retain(|record| !record.is_suspect || is_proven(file, record, &layouts, &mut health));
        let Some(first) = records.first() else {
            let why = health
                .findings()
                .first()
                .map_or(": the file ends after its header".into(), |finding| format!(": {}", finding.what));
            return Err(AtopError::NoSamples {
                place: Place::structure("sample", LEN_FILE_HEADER as u64),
                why,
            });
        };
        let boot_time = boot_time(first);
        let num_boots = num_boots(&records);
        let samples = in_order(&records, &mut health);
        let host: Arc<str> = header.host.as_str().into();
        let at = |sample: &Sample| SampleTime { utc: unix(sample.record.time), offset_min: 0 };
        let times = samples.iter().map(at).collect();
        let info = CaptureInfo {
            boot_time: boot_time.filter(|_| num_boots == 1),
            ..capture_info(&header, version, &host, &records, num_boots)
        };
        Ok(AtopLog {
            opened: Opened { info, health, times },
            objects: Arc::new(Objects::of(&header, version, &layouts)),
            header,
            layouts: Arc::new(layouts),
            samples: samples.into(),
            names: None,
            descriptions: Arc::default(),
            host,
            content,
        })
    }

    /// What the file's header says.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }
}

/// Seconds since 1970 as a time. The walk only lets times in range pass.
fn unix(seconds: i64) -> Timestamp {
    Timestamp(seconds.saturating_mul(Timestamp::TICKS_PER_SECOND).saturating_add(Timestamp::UNIX_EPOCH.0))
}

fn header_place(field: &'static str) -> Place {
    let ofs = Layout::new(FILE_HEADER, 0).slot(field).map_or(0, |slot| slot.ofs as u64);
    Place::field("file header", 0, field, ofs)
}

/// The header of a log whose version is known.
pub(crate) fn read_header(file: &[u8]) -> Result<FileHeader, AtopError> {
    let magic: [u8; 4] = file.first_chunk().copied().unwrap_or_default();
    if magic != FileHeader::MAGIC {
        let place = header_place("magic");
        let found = u32::from_le_bytes(magic);
        let is_swapped = magic == 0xFEED_BEEF_u32.to_be_bytes();
        return Err(if is_swapped {
            AtopError::BigEndian { place }
        } else {
            AtopError::NotAtop { place, found }
        });
    }
    if file.len() < LEN_FILE_HEADER {
        return Err(AtopError::ShortHeader { place: Place::structure("file header", 0), found: file.len() });
    }
    let header = FileHeader::read(file);
    let (version, place) = (header.version, header_place("version"));
    if version.is_too_old() {
        return Err(AtopError::TooOld { place, version });
    }
    if !version.is_known() {
        let records = walk(file, &Layouts::of(version).record, &mut Health::default());
        let span = |first: &Record, last: &Record| format!(", {} to {}", unix(first.time), unix(last.time));
        let span =
            records.first().zip(records.last()).map_or_else(String::new, |(first, last)| span(first, last));
        let about =
            format!("host {}, kernel {}, {} samples{span}", header.host, header.release, records.len());
        return Err(AtopError::TooNew { place, version, about });
    }
    Ok(header)
}

/// The version whose layouts the log has; it is said if that isn't the recorder's own.
fn layout_version(header: &FileHeader, health: &mut Health) -> Result<Version, AtopError> {
    let version = header.version;
    let expected = FileHeader::lens_expected(&Layouts::of(version), version);
    let mut lens = FileHeader::LEN_FIELDS.iter().zip(expected).zip(header.lens);
    let Some(((field, expected), found)) = lens.find(|((_, expected), found)| expected != found) else {
        return Ok(version);
    };
    let place = header_place(field);
    let Some(other) = header.layout_version() else {
        let alike = header.versions_of_lens();
        return Err(AtopError::OtherLength { place, version, expected, found, alike });
    };
    let what = format!(
        "expected {expected} in a log of atop {version}, found {found}: the lengths are those of atop {other}, so a \
         recorder that was built between the releases wrote it, and it is read as {other}"
    );
    health.note(FindingKind::Odd, place, what);
    Ok(other)
}

/// Whether all parts of a suspect sample unpack to what its header states: then their checksums prove its lengths and counts.
fn is_proven(file: &[u8], record: &Record, layouts: &Layouts, health: &mut Health) -> bool {
    let lens = [
        (layouts.system.len, 1),
        (layouts.task.len, record.num_tasks.min(MAX_TASKS) as usize),
        (1, record.len_cgroups as usize),
        (LEN_PID, record.num_pids as usize),
    ];
    let has_part = |(part, (len, num)): (usize, (usize, usize))| match record.part(file, part) {
        Some((_, packed)) => unpack_each(packed, len, num, |_| {}).is_ok(),
        None => part > 0 && num == 0,
    };
    let is_proven = lens.into_iter().enumerate().all(has_part);
    if !is_proven {
        let what = "no sample follows where its lengths lead, and its parts don't unpack to what its header states: left out";
        health.note(FindingKind::Dropped, Place::structure("sample", record.ofs as u64), what);
    }
    is_proven
}

/// Fills in the usual values where the header has none.
fn settle(header: &mut FileHeader, health: &mut Health) {
    if header.hertz == 0 {
        header.hertz = 100;
        health.note(
            FindingKind::Odd,
            header_place("hertz"),
            "expected ticks per second, found 0: taken for 100",
        );
    }
    if header.page_size == 0 {
        header.page_size = 4096;
        health.note(
            FindingKind::Odd,
            header_place("page_size"),
            "expected a size in bytes, found 0: taken for 4096",
        );
    }
}

/// Times and intervals are rounded to seconds.
const ROUNDING: u32 = 1;

/// Sorts samples by time; where the clock was set back, an epoch begins.
fn in_order(records: &[Record], health: &mut Health) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::with_capacity(records.len());
    let mut epoch = 0;
    let mut booted = None;
    for record in records {
        booted = boot_time(record).or(booted);
        let last = samples.last().map(|sample| &sample.record);
        let before = last.map(|last| last.time);
        let longest = last.and_then(|last| longest_interval(last, record));
        if let Some(before) = before.filter(|before| record.time < *before) {
            epoch += 1;
            let what = format!(
                "time goes back from {} to {}: what follows is apart",
                unix(before),
                unix(record.time)
            );
            health.note(
                FindingKind::Odd,
                Place::field("sample", record.ofs as u64, "time", record.ofs as u64),
                what,
            );
        }
        let is_next = last.is_some_and(|last| last.ofs + last.len_sample() as usize == record.ofs);
        if let Some(longest) =
            longest.filter(|longest| is_next && record.interval.saturating_add(2 * ROUNDING) < *longest)
        {
            health.note(
                FindingKind::Odd,
                interval_place(record),
                too_short(record.interval, longest - ROUNDING),
            );
        }
        let interval = match longest {
            _ if record.is_since_boot() => Err(Status::FirstSample),
            Some(longest) if record.interval > longest => {
                health.note(FindingKind::Damaged, interval_place(record), too_long(record.interval, longest));
                Err(Status::InvalidData)
            }
            // Times are rounded down to seconds, and an interval of zero is stored as one second.
            _ if record.interval == 0 || before == Some(record.time) => Err(Status::ClockNotAdvancing),
            _ => Ok(record.interval),
        };
        let longest = longest.unwrap_or(u32::MAX).min(record.interval);
        samples.push(Sample { record: *record, epoch, boot_time: booted, interval, longest });
    }
    samples.sort_by_key(|sample| sample.record.time);
    samples
}

/// When the machine was booted, by the first sample of a run.
fn boot_time(record: &Record) -> Option<Timestamp> {
    record.is_since_boot().then(|| unix(record.time - i64::from(record.interval)))
}

/// How many boots the runs of a file are from.
fn num_boots(records: &[Record]) -> usize {
    let mut boots: Vec<CountsSince> = Vec::new();
    for boot_time in records.iter().filter_map(boot_time) {
        let boot = CountsSince { boot_time: Some(boot_time), program: None };
        if !boots.last().is_some_and(|last| last.is_same(boot)) {
            boots.push(boot);
        }
    }
    boots.len()
}

/// How long the interval of a sample can be by the time of the sample before it, in seconds; `None` if that isn't of the
/// same run of the recorder, or the clock was set back. Samples may be missing between them.
fn longest_interval(before: &Record, record: &Record) -> Option<u32> {
    if record.is_since_boot() || record.time < before.time {
        return None;
    }
    u32::try_from(record.time.abs_diff(before.time) + u64::from(ROUNDING)).ok()
}

fn interval_place(record: &Record) -> Place {
    let layout = Layout::new(RECORD_HEADER, 0);
    let ofs = layout.slot("interval").map_or(0, |slot| slot.ofs);
    Place::field("sample", record.ofs as u64, "interval", (record.ofs + ofs) as u64)
}

fn too_short(interval: u32, since: u32) -> String {
    format!(
        "{since} seconds after the sample before, its interval is {interval}: samples are missing between them, or the \
         interval is wrong"
    )
}

fn too_long(interval: u32, longest: u32) -> String {
    format!(
        "expected at most {longest} seconds by the time of the sample before, found {interval}: values per second are left \
         out of this sample"
    )
}

fn capture_info(
    header: &FileHeader,
    layout: Version,
    host: &Arc<str>,
    records: &[Record],
    num_boots: usize,
) -> CaptureInfo {
    let as_if = if layout == header.version { String::new() } else { format!(", read as {layout}") };
    let num_runs = records.iter().filter(|record| record.is_since_boot()).count();
    let boots = (num_boots > 1).then(|| ("boots", num_boots.to_string()));
    let details = [
        ("recorder", format!("atop {}", header.version)),
        ("kernel", header.release.clone()),
        ("architecture", header.machine.clone()),
        ("page-size", header.page_size.to_string()),
        ("clock-ticks-per-second", header.hertz.to_string()),
        ("recorder-runs", num_runs.to_string()),
    ];
    CaptureInfo {
        format: format!("atop raw log, version {}{as_if}", header.version),
        hosts: vec![Arc::clone(host)],
        os: Some(format!("{} {}", header.system, header.release)),
        is_cooked: true,
        details: details.into_iter().chain(boots).map(|(name, value)| (name.to_owned(), value)).collect(),
        ..CaptureInfo::default()
    }
}
