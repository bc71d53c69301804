//! An archive, opened.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{CaptureInfo, Content, FindingKind, Opened, SampleTime, Zone};

use crate::PcpError;
use crate::files::{ArchivePart, PartName};
use crate::meta::Meta;
use crate::objects::Streams;
use crate::rounds::Rounds;
use crate::scan::{Collector, RecordPlace, Scan, Volume};
use crate::starts::Starts;
use crate::structure::{DataRecord, Frame, Stamp};

/// A PCP archive: one capture in several files.
#[derive(Clone)]
pub struct Archive {
    pub(crate) meta: Arc<Meta>,
    pub(crate) volumes: Arc<[Volume]>,
    pub(crate) records: Arc<[RecordPlace]>,
    pub(crate) collectors: Arc<[Collector]>,
    pub(crate) starts: Arc<Starts>,
    pub(crate) streams: Streams,
    /// The kinds of records, by which counters are parted into streams.
    pub(crate) rounds: Arc<Rounds>,
    /// Which metrics have a value somewhere.
    pub(crate) has_values: Arc<[bool]>,
    pub(crate) is_canonical: bool,
    pub(crate) host: Arc<str>,
    pub(crate) opened: Opened,
}

impl Archive {
    /// Opens the files of an archive, each with its name. They must be decompressed, whatever the names say. `.index`
    /// isn't needed.
    pub fn open(files: Vec<(String, Arc<dyn Content>)>) -> Result<Archive, PcpError> {
        let base = files.first().map_or_else(String::new, |(name, _)| base_of(name));
        let mut meta: Option<(String, Arc<dyn Content>)> = None;
        let mut volumes: BTreeMap<u32, Volume> = BTreeMap::new();
        for (file, content) in files {
            match PartName::of(&file).map(|name| name.part) {
                Some(ArchivePart::Meta) => meta = Some((file, content)),
                Some(ArchivePart::Volume(number)) => {
                    drop(volumes.insert(number, Volume { number, file, content }));
                }
                Some(ArchivePart::Index) | None => {}
            }
        }
        let (file, content) = meta.ok_or_else(|| PcpError::NoMeta { base: base.clone() })?;
        let meta = Meta::read(&file, &content)?;
        let volumes: Vec<Volume> = volumes.into_values().collect();
        if volumes.is_empty() {
            return Err(PcpError::NoVolume { base });
        }
        let scan = Scan::new(&meta, &volumes)?;
        let starts = Starts::of(&meta, &volumes, &scan.records, &scan.shapes);
        let rounds = Rounds::of(&meta, &scan.shapes);
        let streams = Streams::new(&meta, &scan.has_values, &rounds);
        let zone = zone(&meta);
        let times = scan.records.iter().map(|record| sample_time(record.time, zone.as_ref())).collect();
        let mut health = meta.health.clone();
        health.absorb(scan.health.clone());
        let mut archive = Archive {
            host: meta.label.host().into(),
            opened: Opened { info: CaptureInfo::default(), health, times },
            streams,
            collectors: scan.collectors.into(),
            starts: Arc::new(starts),
            rounds: Arc::new(rounds),
            has_values: scan.has_values.into(),
            is_canonical: false,
            records: scan.records.into(),
            volumes: volumes.into(),
            meta: Arc::new(meta),
        };
        archive.report_left_out();
        archive.opened.info = archive.describe(zone.as_ref(), scan.num_marks);
        Ok(archive)
    }

    /// Notes the metrics that aren't numbers.
    fn report_left_out(&mut self) {
        let mut kinds: BTreeMap<&'static str, (usize, &str)> = BTreeMap::new();
        for (metric, _) in self.meta.metrics.iter().zip(&*self.has_values).filter(|(_, has)| **has) {
            if !metric.value_type.is_number() {
                kinds.entry(metric.value_type.name()).or_insert((0, metric.name())).0 += 1;
            }
        }
        for (kind, (count, metric)) in kinds {
            let what = match count {
                1 => format!("{metric}, of type {kind}, isn't a number and has no column"),
                _ => format!(
                    "{count} metrics of type {kind} ({metric}, for one) aren't numbers and have no columns"
                ),
            };
            self.opened.health.note(FindingKind::Expected, None, what);
        }
    }

    fn describe(&self, zone: Option<&TimeZone>, num_marks: u32) -> CaptureInfo {
        let label = &self.meta.label;
        let start = label.start().map(Stamp::timestamp);
        let first = self.opened.times.first().map(|time| time.utc).or(start).unwrap_or_default();
        let posix = Some(label.zone()).filter(|zone| !zone.is_empty());
        let mut details = vec![
            ("volumes".to_owned(), self.volumes.len().to_string()),
            ("metrics".to_owned(), self.meta.metrics.len().to_string()),
            ("marks".to_owned(), num_marks.to_string()),
            ("process id of the writer".to_owned(), label.pid.to_string()),
        ];
        details.extend(self.meta.context.clone().map(|json| ("labels".to_owned(), json)));
        CaptureInfo {
            format: format!("Performance Co-Pilot archive, version {}", label.version.number()),
            hosts: vec![Arc::clone(&self.host)],
            os: self.system(),
            zone: zone.map(|zone| Zone { posix, ..Zone::of(zone, first) }),
            started: start,
            ended: self.opened.times.last().map(|time| time.utc),
            details,
            ..CaptureInfo::default()
        }
    }

    /// The operating system, from the first texts that name it.
    fn system(&self) -> Option<String> {
        const PARTS: [&str; 3] = ["sysname", "release", "machine"];
        /// Records searched: the texts are among the first ones, if anywhere.
        const NUM_LOOKED_AT: usize = 100;
        let metric = |part: &str| {
            let name = format!("kernel.uname.{part}");
            self.meta.metrics.iter().find(|metric| metric.names.contains(&name)).map(|metric| metric.pmid)
        };
        let wanted = PARTS.map(metric);
        if wanted.iter().all(Option::is_none) {
            return None;
        }
        let mut found: [Option<String>; 3] = Default::default();
        for place in self.records.iter().take(NUM_LOOKED_AT) {
            let bytes = self.volumes.get(place.volume)?.content.bytes();
            let frame = Frame::at(bytes, place.ofs, DataRecord::NAME).ok()?;
            let record = DataRecord::parse(self.meta.version(), frame).ok()?;
            for set in record.sets().map_while(Result::ok) {
                let Some(at) = wanted.iter().position(|pmid| *pmid == Some(set.pmid)) else { continue };
                let Some((_, word)) = set.cells().next() else { continue };
                let text = record.block(word).map(|block| crate::structure::text(block.value));
                found[at] = found[at].take().or(text);
            }
            if found.iter().all(Option::is_some) {
                break;
            }
        }
        let texts: Vec<String> = found.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }
}

/// The name without the suffix of the part.
fn base_of(name: &str) -> String {
    PartName::of(name).map_or_else(|| name.to_owned(), |part| part.base.to_owned())
}

/// The zone of local time, by its name or else by its rule, which may be a name as well: recorders write `UTC` without an offset.
fn zone(meta: &Meta) -> Option<TimeZone> {
    let named = |name: &str| (!name.is_empty()).then(|| TimeZone::get(name).ok()).flatten();
    let rule = meta.label.zone();
    named(&meta.label.zone_name())
        .or_else(|| TimeZone::posix(&rule).ok())
        .or_else(|| TimeZone::posix(standard_part(&rule)).ok())
        .or_else(|| named(&rule))
}

/// `CET-1` of `CET-1CEST`: without a rule, it is unknown when daylight saving time begins.
fn standard_part(rule: &str) -> &str {
    let name = rule.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rule.len());
    let offset = rule[name..].find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rule.len() - name);
    &rule[..name + offset]
}

fn sample_time(time: Stamp, zone: Option<&TimeZone>) -> SampleTime {
    let utc = time.timestamp();
    let offset = zone.and_then(|zone| Some(zone.to_offset(utc.to_jiff()?).seconds() / 60));
    SampleTime { utc, offset_min: offset.unwrap_or(0) as i16 }
}
