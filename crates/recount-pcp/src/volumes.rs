//! One pass over the volumes on opening: finds the records, and the metrics of each.

use std::sync::Arc;

use rayon::prelude::*;
use recount_model::{Content, FindingKind, Place};

use crate::PcpError;
use crate::clock::{Step, steps};
use crate::files::PartName;
use crate::meta::Meta;
use crate::scan::{RecordPlace, Scan};
use crate::scan_part::{Known, Part};
use crate::structure::{DataRecord, Frame, Frames, Label, Pmid, Stamp};

/// A volume: its number, the name of its file and its bytes.
pub(crate) struct Volume {
    pub(crate) number: u32,
    pub(crate) file: String,
    pub(crate) content: Arc<dyn Content>,
}

/// Number of records that are scanned by one thread at a time.
const NUM_RECORDS: usize = 256;

impl Scan {
    pub(crate) fn new(meta: &Meta, volumes: &[Volume]) -> Result<Scan, PcpError> {
        let known = Known::new(meta);
        let mut scan = Scan { has_values: vec![false; meta.metrics.len()], ..Scan::default() };
        let mut before: Option<u32> = None;
        for (at, volume) in volumes.iter().enumerate() {
            let expected = before.map_or(0, |before| before.saturating_add(1));
            if volume.number != expected {
                scan.health.note(FindingKind::Lost, None, missing(&volume.file, expected, volume.number));
                scan.epoch += 1;
            }
            before = Some(volume.number);
            scan.volume(&known, at, volume);
        }
        scan.tell(meta);
        if scan.records.is_empty()
            && let [volume] = volumes
        {
            // The label's error best explains why there are no records.
            Label::read(&volume.file, volume.content.bytes())?;
        }
        scan.part_steps(volumes);
        scan.records.sort_by_key(|record| record.time);
        scan.collectors.sort_by_key(|collector| collector.time);
        Ok(scan)
    }

    fn volume(&mut self, known: &Known<'_>, at: usize, volume: &Volume) {
        let (meta, bytes) = (known.meta, volume.content.bytes());
        let label = match Label::read(&volume.file, bytes) {
            Ok(label) if label.version == meta.version() => label,
            Ok(label) => {
                let what = format!(
                    "{}: a volume of version {} in an archive of version {}: it is left out",
                    volume.file,
                    label.version.number(),
                    meta.version().number()
                );
                self.lost(FindingKind::Damaged, Place::structure(Label::NAME, 0), what);
                return;
            }
            Err(error) => {
                let what = format!("the volume is left out: {error}");
                self.lost(FindingKind::Damaged, Place::structure(Label::NAME, 0), what);
                return;
            }
        };
        if (label.host(), label.pid) != (meta.label.host(), meta.label.pid) {
            let what = format!("{}: its label names another host or process than that of .meta", volume.file);
            self.health.note(FindingKind::Odd, Place::structure(Label::NAME, 0), what);
        }
        let version = meta.version();
        let is_sound = |frame: &Frame<'_>| DataRecord::is_sound(version, *frame);
        let num_before = self.records.len();
        let mut frames = Frames::new(bytes, version.len_label(), DataRecord::NAME, is_sound);
        loop {
            let parts =
                (0..rayon::current_num_threads()).map(|_| frames.by_ref().take(NUM_RECORDS).collect());
            let parts: Vec<Vec<_>> = parts.take_while(|part: &Vec<_>| !part.is_empty()).collect();
            if parts.is_empty() {
                break;
            }
            let scans: Vec<Scan> =
                parts.into_par_iter().map(|frames| Part::scan(known, at, &volume.file, frames)).collect();
            for scan in scans {
                self.join(scan);
            }
        }
        let starts = meta.label.start();
        let is_early = |record: &&RecordPlace| Some(record.time) < starts;
        let num_early = self.records.iter().skip(num_before).filter(is_early).count();
        if num_early > 0 {
            let what = format!("{}: records from before the archive's start: {num_early}", volume.file);
            self.health.note(FindingKind::Odd, None, what);
        }
    }

    fn lost(&mut self, kind: FindingKind, place: Place, what: String) {
        self.health.note(kind, place, what);
        self.epoch += 1;
    }

    /// Parts the records where time goes back, while they are in the order of the files: what follows a clock that was set
    /// back is a new epoch, and a single record whose time is wrong has an epoch of its own.
    fn part_steps(&mut self, volumes: &[Volume]) {
        let times: Vec<Stamp> = self.records.iter().map(|record| record.time).collect();
        let steps = steps(&times);
        let mut starts = steps.iter().filter_map(|step| match step {
            Step::Back { to, .. } => Some(*to),
            Step::Alone { .. } => None,
        });
        let (mut start, mut num_back) = (starts.next(), 0);
        for (at, record) in self.records.iter_mut().enumerate() {
            if start == Some(at) {
                (start, num_back) = (starts.next(), num_back + 1);
            }
            record.epoch += num_back;
        }
        let mut epoch = self.epoch + num_back;
        for step in steps {
            let (at, from, to, means) = match step {
                Step::Back { from, to } => {
                    (to, from, to, "the clock was set back: nothing is compared across it")
                }
                Step::Alone { record, from, to } => {
                    epoch += 1;
                    self.records[record].epoch = epoch;
                    (record, from, to, "the time of this record is wrong: nothing is compared with it")
                }
            };
            let file = &volumes[self.records[at].volume].file;
            let what = format!("{file}: time goes back from {} to {}; {means}", times[from], times[to]);
            let place = Place::structure(DataRecord::NAME, self.records[at].ofs as u64);
            self.health.note(FindingKind::Odd, place, what);
        }
        for collector in &mut self.collectors {
            collector.epoch = self.records[collector.record].epoch;
        }
    }

    /// Reports the gaps that the recorder itself states, and metrics without a description.
    fn tell(&mut self, meta: &Meta) {
        for (code, (count, metric)) in std::mem::take(&mut self.errors) {
            let (kind, why) = explain(code);
            let metric = meta.metrics[metric].name();
            let what = format!("{} a metric ({metric}, for one) had no values: {why}", times(count));
            self.health.note(kind, None, what);
        }
        let undescribed = std::mem::take(&mut self.undescribed);
        if let Some((&pmid, _)) = undescribed.first_key_value() {
            let what = format!(
                "metrics that .meta doesn't describe: {} ({}, for one); their values are left out, {} sets of them",
                undescribed.len(),
                Pmid(pmid),
                undescribed.values().sum::<u64>()
            );
            self.health.note(FindingKind::Dropped, None, what);
        }
    }
}

/// Which volumes are missing before one of them.
fn missing(file: &str, first: u32, next: u32) -> String {
    let base = PartName::of(file).map_or(file, |name| name.base);
    match next.saturating_sub(1) {
        last if last <= first => format!("volume {base}.{first} is missing"),
        last => format!("volumes {base}.{first} to {base}.{last} are missing"),
    }
}

/// How often something happened.
fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// The meaning of a value set's error code, and whether it is normal.
fn explain(code: i32) -> (FindingKind, String) {
    let (kind, why) = match code {
        -12_350 => (FindingKind::Expected, "not supported by the host or its version"),
        -12_351 => (FindingKind::Expected, "the value is missing"),
        -12_353 => (FindingKind::Lost, "the agent didn't answer in time"),
        -12_357 => (FindingKind::Expected, "unknown name"),
        -12_358 => (FindingKind::Expected, "unknown metric"),
        -12_360 => (FindingKind::Expected, "unknown instance"),
        -12_365 => (FindingKind::Expected, "instances have to be named"),
        -12_386 => (FindingKind::Expected, "the agent isn't running"),
        -12_387 => (FindingKind::Expected, "not allowed"),
        -12_389 => (FindingKind::Lost, "not available at the moment"),
        -12_397 => (FindingKind::Expected, "illegal type"),
        -12_411 => (FindingKind::Lost, "the agent is fenced"),
        code if code > -1_000 => {
            return (FindingKind::Expected, format!("error {} of the host's system", -code));
        }
        _ => (FindingKind::Expected, "an error"),
    };
    (kind, format!("{why} (code {code})"))
}
