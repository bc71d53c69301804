//! Opens a file: finds out which records are samples, when they were taken, and what else is in the file. Of the
//! values, it only compares totals of the kernel, which betray a boot.

mod clock;
mod ends;
pub(crate) mod record;
pub(crate) mod resume;
pub(crate) mod scan;
mod totals;

use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{CaptureInfo, Content, FindingKind, Health, Opened, Place, SampleTime, Timestamp, Zone};

use crate::decode::ledgers::Ledgers;
use crate::decode::plan::{Plan, View};
use crate::error::SaError;
use crate::layout::Layout;
use crate::names::{Activity, settle_early};
use crate::structure::activity::{self, FileActivity, read_list};
use crate::structure::header::{self, Format, Header, recognise_binary};
use crate::structure::record::{MAX_TIME, skip_extra};
use crate::structure::seconds::utc;
use scan::Scan;

/// An open file of sysstat (`formats/sa.md`).
///
/// Holds the file's bytes, and 48 bytes per sample: its time and position.
#[derive(Clone)]
pub struct SaSource {
    pub(crate) content: Arc<dyn Content>,
    pub(crate) header: Header,
    pub(crate) activities: Vec<FileActivity>,
    /// How each known activity is read, in the order of the list.
    pub(crate) plans: Arc<[Plan]>,
    /// In the order of the file.
    pub(crate) samples: Vec<Sample>,
    /// Numbers of items by [`Sample::counts`], if records don't state them: one per activity.
    pub(crate) counts: Vec<Vec<u32>>,
    /// Indices of the samples in time order.
    pub(crate) order: Vec<u32>,
    pub(crate) opened: Opened,
    pub(crate) host: Arc<str>,
    pub(crate) restarted_at: [bool; 2],
    /// Epochs that begin after a loss, and for no other reason; ascending.
    pub(crate) lost_before: Arc<[u32]>,
    pub(crate) ledgers: Arc<Ledgers>,
    /// Per sample, in the order of the file: its place in the recording that the ledgers are about, if that isn't the file.
    pub(crate) places: Option<Arc<[u32]>>,
}

/// A record that is a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Where its activities begin, and their length in bytes.
    pub(crate) ofs: usize,
    pub(crate) len: usize,
    /// Uptime in 1/100 s.
    pub(crate) uptime_cs: u64,
    pub(crate) time: SampleTime,
    /// Number of the stretch without a restart or a step back of the clock.
    pub(crate) epoch: u32,
    pub(crate) counts: u32,
}

/// A sample whose uptime isn't in 1/100 s yet.
struct UntimedSample {
    sample: Sample,
    /// Where its record begins.
    ofs_record: usize,
    seconds: u64,
    /// What is between the previous sample and this one.
    gap: Gap,
}

/// What is between two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Nothing.
    #[default]
    None,
    /// Bytes that couldn't be read.
    Loss,
    /// The machine was restarted.
    Restart,
}

/// Everything before the records.
pub(crate) struct Head {
    pub(crate) header: Header,
    pub(crate) activities: Vec<FileActivity>,
    /// Per activity; `None`: it is skipped.
    pub(crate) layouts: Vec<Option<Layout>>,
    /// Where the records begin.
    pub(crate) ofs_records: usize,
    pub(crate) health: Health,
}

impl Head {
    pub(crate) fn read(file: &[u8]) -> Result<Head, SaError> {
        let mut header = Header::read(file)?;
        let (activities, ofs) = read_list(file, &header)?;
        settle_early(&mut header, &activities);
        let ofs_records = skip_extra(file, &header, ofs, header.extra_next)?;
        let mut health = Health::default();
        let mut layouts = Vec::new();
        for (index, found) in activities.iter().enumerate() {
            let is_first = !activities[..index].iter().any(|before| before.id == found.id);
            layouts.push(if is_first {
                layout(&header, found, &mut health)?
            } else {
                let what =
                    format!("{} is listed again: its first entry is used", Activity::name_of(found.id));
                health.note(FindingKind::Odd, place(found, "id"), what);
                None
            });
        }
        Ok(Head { header, activities, layouts, ofs_records, health })
    }
}

fn layout(header: &Header, found: &FileActivity, health: &mut Health) -> Result<Option<Layout>, FormatError> {
    let name = Activity::name_of(found.id);
    let is_early = header.format.is_early();
    let Some((known, shape)) = Activity::find(found, header) else {
        let what = format!(
            "{name}, number {} in the unknown layout {}: skipped, the other activities are read",
            found.id,
            if is_early { format!("of {} bytes", found.len_item) } else { format!("{:#04x}", found.magic) }
        );
        health.note(FindingKind::Odd, place(found, if is_early { "size" } else { "magic" }), what);
        return Ok(None);
    };
    let layout = Layout::of(known, shape, found)?;
    if layout.has_all(known.needs) {
        return Ok(Some(layout));
    }
    let what = format!("expected the fields {} in an item of {name}, some are missing: skipped", known.needs);
    health.note(FindingKind::Dropped, place(found, "types"), what);
    Ok(None)
}

fn place(found: &FileActivity, field: &'static str) -> Place {
    Place::field(activity::NAME, found.ofs as u64, field, found.ofs as u64)
}

impl SaSource {
    /// Whether an input begins like an `sa` file of any version, or is output of `sar`, for which the error of
    /// [`SaSource::open`] says what to do.
    pub fn recognise(bytes: &[u8]) -> bool {
        header::recognise(bytes)
    }

    /// Whether these bytes begin with the header of a file that can be opened.
    pub fn is_head(bytes: &[u8]) -> bool {
        recognise_binary(bytes) && Head::read(bytes).is_ok()
    }

    /// Opens a file: reads its header and finds its records. The health of the source reports damaged records; those
    /// before the damage are kept.
    pub fn open(content: Arc<dyn Content>) -> Result<SaSource, SaError> {
        let Head { header, activities, layouts, ofs_records, mut health } = Head::read(content.bytes())?;
        let head = Head { header, activities, layouts, ofs_records, health: Health::default() };
        let scan = Scan::of(content.bytes(), &head, &mut health);
        let Scan { samples, counts, marks, restarts, restarted_at, lost_before, hz, .. } = scan;
        let Head { header, activities, layouts, .. } = head;
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        order.sort_by_key(|&sample| samples[sample as usize].time.utc);
        let times: Arc<[SampleTime]> = order.iter().map(|&sample| samples[sample as usize].time).collect();
        let host: Arc<str> = header.nodename.as_str().into();
        let info = CaptureInfo {
            format: format!(
                "sysstat daily data (sa), format {:#06x}{}",
                header.format.number(),
                variant(&header)
            ),
            hosts: vec![Arc::clone(&host)],
            os: Some([&*header.sysname, &*header.release, &*header.machine].join(" ")),
            zone: times.first().map(|first| zone(&header, *first)),
            boot_time: boot_time(&samples),
            started: (header.created <= MAX_TIME).then(|| utc(header.created)),
            marks,
            details: details(&header, &restarts, hz),
            ..CaptureInfo::default()
        };
        let plans = activities.iter().zip(layouts).enumerate().filter_map(|(index, (found, layout))| {
            let view = View::of_sar(found, &header)?;
            Some(Plan::of(&header, index, found, layout?, view))
        });
        let plans = plans.collect();
        let ledgers = Arc::new(Ledgers::new(activities.len(), header.created));
        Ok(SaSource {
            content,
            header,
            activities,
            plans,
            samples,
            counts,
            order,
            opened: Opened { info, health, times },
            host,
            restarted_at,
            lost_before: lost_before.into(),
            ledgers,
            places: None,
        })
    }
}

impl SaSource {
    /// The same file with the names that Windows and our own recorder use for equivalent counters; other counters keep
    /// their names.
    pub(crate) fn under_canonical_names(&self) -> SaSource {
        let canonical = self.plans.iter().flat_map(|plan| {
            let file = &self.activities[plan.index];
            View::canonical(file)
                .map(move |view| Plan::of(&self.header, plan.index, file, plan.layout.clone(), view))
        });
        let own = self.plans.iter().filter_map(|plan| {
            let file = &self.activities[plan.index];
            let view = View::of_sar(file, &self.header)?;
            Some(Plan::of(&self.header, plan.index, file, plan.layout.clone(), view))
        });
        let mut plans: Vec<Plan> = canonical.filter(|plan| !plan.columns.is_empty()).chain(own).collect();
        plans.sort_by_key(|plan| plan.index);
        Plan::join(&mut plans);
        let ledgers = Arc::new(Ledgers::new(self.activities.len(), self.header.created));
        SaSource { plans: plans.into(), ledgers, places: None, ..self.clone() }
    }
}

impl SaSource {
    /// The same file with counters as they were recorded, and without times for which interfaces were busy.
    pub(crate) fn without_corrections(&self) -> SaSource {
        let ledgers = Arc::new(Ledgers::empty(self.activities.len()));
        SaSource { ledgers, places: None, ..self.clone() }
    }
}

/// Who laid out the items, if the format's number doesn't say.
fn variant(header: &Header) -> &'static str {
    match header.format {
        Format::Rhel6 => " (RHEL 6)",
        Format::Early if header.is_vendors => ", vendor's variant (RHEL 6)",
        _ => "",
    }
}

/// Restarts that are listed one by one.
const MAX_RESTARTS_SHOWN: usize = 20;

/// The zone in force at the first sample. Its abbreviation is only shown, not used in computations.
fn zone(header: &Header, first: SampleTime) -> Zone {
    let bias_min = -i32::from(first.offset_min);
    let unnamed = || match bias_min {
        0 => "UTC".to_owned(),
        bias => {
            format!("UTC{}{:02}:{:02}", if bias < 0 { '+' } else { '-' }, bias.abs() / 60, bias.abs() % 60)
        }
    };
    let name = if header.zone.is_empty() { unnamed() } else { header.zone.clone() };
    Zone { standard_name: name, daylight_name: String::new(), bias_min, posix: None }
}

impl Sample {
    /// When the machine was booted.
    pub(crate) fn boot_time(&self) -> Option<Timestamp> {
        const TICKS_PER_CS: u64 = Timestamp::TICKS_PER_SECOND as u64 / 100;
        let uptime = i64::try_from(self.uptime_cs.checked_mul(TICKS_PER_CS)?).ok()?;
        self.time.utc.0.checked_sub(uptime).map(Timestamp)
    }
}

/// When the machine was booted, if all samples are from one boot.
fn boot_time(samples: &[Sample]) -> Option<Timestamp> {
    let (first, last) = (samples.first()?, samples.last()?);
    (first.epoch == last.epoch).then(|| first.boot_time())?
}

fn details(header: &Header, restarts: &[SampleTime], hz: Option<u64>) -> Vec<(String, String)> {
    let mut details = vec![("sysstat version".to_owned(), header.version.to_string())];
    if header.upgraded != 0 {
        let [y, z] = [header.upgraded >> 8, (header.upgraded & 0xff).wrapping_sub(1) & 0xff];
        details
            .push(("converted by".to_owned(), format!("sadf -c of sysstat {}.{y}.{z}", header.version.0[0])));
    }
    let order = match header.numbers.order {
        recount_bytes::ByteOrder::Little => "little-endian",
        recount_bytes::ByteOrder::Big => "big-endian",
    };
    details.push(("byte order".to_owned(), format!("{order}, longs of {} bytes", header.numbers.len_long)));
    if let Some(hz) = hz.filter(|_| header.format != Format::Current) {
        details
            .push(("ticks per second".to_owned(), format!("{hz}, found by comparing uptime with the clock")));
    }
    let shown = restarts.iter().take(MAX_RESTARTS_SHOWN);
    details.extend(shown.map(|time| ("restart".to_owned(), time.utc.to_string())));
    if let Some(more @ 1..) = restarts.len().checked_sub(MAX_RESTARTS_SHOWN) {
        details.push(("restart".to_owned(), format!("and {more} more")));
    }
    details
}
