//! One pass over the volumes on opening: finds the records, and the metrics of each.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health, Place};

use crate::PcpError;
use crate::clock::{TimeStep, steps};
use crate::files::PartName;
use crate::kernel::{Kernel, Totals};
use crate::meta::{Meta, Metric, note};
use crate::order::Order;
use crate::structure::{DataRecord, Frame, Frames, Label, Pmid, Stamp, ValueSet, unexpected};
use crate::value::MetricReading;

/// A volume: its number, the name of its file and its bytes.
pub(crate) struct Volume {
    pub(crate) number: u32,
    pub(crate) file: String,
    pub(crate) content: Arc<dyn Content>,
}

/// A record with values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordPlace {
    pub(crate) time: Stamp,
    pub(crate) volume: usize,
    pub(crate) ofs: usize,
    pub(crate) len: usize,
    /// The number of its shape in [`Scan::shapes`].
    pub(crate) shape: u32,
    /// Bytes of its cells in runs.
    pub(crate) len_cells: usize,
    /// Epochs are separated by a mark, a loss, or a clock that was set back; a record whose time is wrong has its own.
    /// Nothing is compared across them.
    pub(crate) epoch: u32,
    /// The same, if losses ended none.
    pub(crate) epoch_despite_losses: u32,
}

/// The agent that answered, and its state, according to the records at either end of an archive. While both stay the
/// same, no counter was reset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collector {
    pub(crate) time: Stamp,
    pub(crate) epoch: u32,
    /// The record, by its index in the order of the files.
    record: usize,
    /// `pmcd.pid` and `pmcd.seqnum`.
    pub(crate) run: u64,
}

/// More than any record of a sane recorder has. Metrics of one domain may have few instances in common, and every
/// instance of any of them gets a cell.
const MAX_LEN_CELLS: usize = 256 << 20;

/// The sets of an instance domain in a record.
#[derive(Clone, Default)]
struct Size<'a> {
    /// Offset of the record.
    record: u64,
    first: Option<ValueSet<'a>>,
    num_sets: usize,
    /// Upper limit for the number of instances in all its sets together.
    num_instances: usize,
}

/// In records up to this length, sets with the same number of instances, the same first and the same last one are
/// assumed to have the same instances: even if they don't, such a record is small.
const LEN_SMALL: usize = 64 << 10;

impl<'a> Size<'a> {
    /// Bytes of the cells in runs.
    fn len_cells(&self) -> usize {
        8 * self.num_instances * self.num_sets
    }

    fn add(&mut self, set: ValueSet<'a>, is_small: bool) {
        let numbers = |set: &ValueSet<'a>| set.cells().map(|(number, _)| number);
        let ends = |set: &ValueSet<'a>| (set.cells().len(), numbers(set).next(), numbers(set).next_back());
        let is_same = |first: &ValueSet<'a>| {
            ends(first) == ends(&set) && (is_small || numbers(first).eq(numbers(&set)))
        };
        self.num_sets += 1;
        if !self.first.as_ref().is_some_and(is_same) {
            self.num_instances += set.cells().len();
        }
        if set.count > 0 {
            self.first.get_or_insert(set);
        }
    }
}

/// The instance domains of the metrics, numbered.
#[derive(Default)]
struct Domains {
    /// Per metric.
    numbers: Vec<usize>,
    count: usize,
}

impl Domains {
    fn new(meta: &Meta) -> Domains {
        let mut known: HashMap<Option<u32>, usize> = HashMap::new();
        let number = |metric: &Metric| {
            let next = known.len();
            *known.entry(metric.domain).or_insert(next)
        };
        let numbers = meta.metrics.iter().map(number).collect();
        Domains { numbers, count: known.len() }
    }
}

/// What the volumes hold.
#[derive(Default)]
pub(crate) struct Scan {
    /// In time order; those with the same time in the order of the files.
    pub(crate) records: Vec<RecordPlace>,
    /// The metrics of records, as indices into [`Meta::metrics`], each once; with numbers in order of appearance.
    pub(crate) shapes: BTreeMap<Vec<u32>, u32>,
    /// That of the last record.
    shape: u32,
    pub(crate) num_marks: u32,
    /// Which metrics have values in some record.
    pub(crate) has_values: Vec<bool>,
    /// In the order of time.
    pub(crate) collectors: Vec<Collector>,
    /// The metrics `pmcd.pid` and `pmcd.seqnum`.
    collector: [Option<usize>; 2],
    domains: Domains,
    kernel: Kernel,
    epoch: u32,
    epoch_despite_losses: u32,
    /// The value sets of the last record, by number and index of the metric, and whether a metric has two.
    order: Vec<(u32, usize)>,
    metrics: Order,
    is_twice: bool,
    /// Value sets with an error, by its code: their number, and one such metric.
    errors: BTreeMap<i32, (u64, usize)>,
    undescribed: BTreeMap<u32, u64>,
    pub(crate) health: Health,
}

impl Scan {
    pub(crate) fn new(meta: &Meta, volumes: &[Volume]) -> Result<Scan, PcpError> {
        let named =
            |name: &str| meta.metrics.iter().position(|metric| metric.names.iter().any(|own| own == name));
        let mut scan = Scan {
            has_values: vec![false; meta.metrics.len()],
            collector: ["pmcd.pid", "pmcd.seqnum"].map(named),
            domains: Domains::new(meta),
            kernel: Kernel::new(meta),
            ..Scan::default()
        };
        let mut before: Option<u32> = None;
        for (at, volume) in volumes.iter().enumerate() {
            let expected = before.map_or(0, |before| before.saturating_add(1));
            if volume.number != expected {
                scan.health.note(FindingKind::Lost, None, missing(&volume.file, expected, volume.number));
                scan.epoch += 1;
            }
            before = Some(volume.number);
            scan.volume(meta, at, volume);
        }
        scan.report(meta);
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

    fn volume(&mut self, meta: &Meta, at: usize, volume: &Volume) {
        let bytes = volume.content.bytes();
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
        let mut sizes = vec![Size::default(); self.domains.count];
        for frame in Frames::new(bytes, version.len_label(), DataRecord::NAME, is_sound) {
            let added = frame.and_then(|frame| self.record(meta, &mut sizes, (at, volume), frame));
            if let Err(error) = added {
                note(&mut self.health, &volume.file, &error);
                self.epoch += 1;
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

    /// Ends an epoch for another reason than a loss.
    fn end_epoch(&mut self) {
        self.epoch += 1;
        self.epoch_despite_losses += 1;
    }

    fn lost(&mut self, kind: FindingKind, place: Place, what: String) {
        self.health.note(kind, place, what);
        self.epoch += 1;
    }

    fn record<'a>(
        &mut self,
        meta: &Meta,
        sizes: &mut [Size<'a>],
        (volume, of): (usize, &Volume),
        frame: Frame<'a>,
    ) -> Result<(), recount_bytes::FormatError> {
        let record = DataRecord::parse(meta.version(), frame)?;
        record.check()?;
        if record.num_sets == 0 {
            self.num_marks += 1;
            self.end_epoch();
            return Ok(());
        }
        let mut order: Vec<(u32, usize)> = Vec::with_capacity(self.order.len());
        let mut totals = Totals::default();
        let mut len_cells = 0;
        let mut collector: [Option<u32>; 2] = [None; 2];
        for (number, set) in record.sets().enumerate() {
            let set = set?;
            let Some(metric) = self.metrics.metric(meta, number, set.pmid) else {
                *self.undescribed.entry(set.pmid).or_default() += 1;
                continue;
            };
            if set.count < 0 {
                self.errors.entry(set.count).or_insert((0, metric)).0 += 1;
            }
            self.has_values[metric] |= set.count > 0;
            order.push((set.pmid, metric));
            let described = &meta.metrics[metric];
            self.kernel.read(metric, described.value_type, &record, &set, &mut totals);
            if let Some(part) = self.collector.iter().position(|wanted| *wanted == Some(metric)) {
                let number =
                    |(_, word)| MetricReading::integer(described.value_type, &record, set.format, word);
                // Both are smaller than 2^32, whatever their type.
                collector[part] =
                    set.cells().next().and_then(number).and_then(|number| number.try_into().ok());
            }
            if described.value_type.is_number() {
                let size = &mut sizes[self.domains.numbers[metric]];
                if size.record != frame.ofs {
                    *size = Size { record: frame.ofs, ..Size::default() };
                }
                len_cells -= size.len_cells();
                size.add(set, frame.bytes.len() <= LEN_SMALL);
                len_cells += size.len_cells();
            }
        }
        if len_cells > MAX_LEN_CELLS {
            let expected = format!("at most {MAX_LEN_CELLS} bytes of values");
            return Err(unexpected(DataRecord::NAME, frame.ofs, "value sets", 0, expected, len_cells));
        }
        self.part_reboot(meta, of, &record, totals);
        if let [Some(pid), Some(number)] = collector {
            let run = u64::from(pid) << 32 | u64::from(number);
            self.collectors.push(Collector {
                time: record.time,
                epoch: self.epoch,
                record: self.records.len(),
                run,
            });
        }
        self.take_shape(order);
        if self.is_twice {
            let what = format!("{}: a metric has two value sets: the first counts", of.file);
            self.health.note(FindingKind::Odd, Place::structure(DataRecord::NAME, frame.ofs), what);
        }
        self.push(record.time, volume, frame, len_cells);
        Ok(())
    }

    /// Adds the current record.
    fn push(&mut self, time: Stamp, volume: usize, frame: Frame<'_>, len_cells: usize) {
        let (ofs, len) = (frame.ofs as usize, frame.bytes.len());
        let Scan { shape, epoch, epoch_despite_losses, .. } = *self;
        self.records.push(RecordPlace {
            time,
            volume,
            ofs,
            len,
            shape,
            len_cells,
            epoch,
            epoch_despite_losses,
        });
    }

    /// Which metrics the current record has, in the order of its value sets.
    fn take_shape(&mut self, order: Vec<(u32, usize)>) {
        if order == self.order {
            return;
        }
        let mut shape: Vec<u32> = order.iter().map(|(_, metric)| *metric as u32).collect();
        shape.sort_unstable();
        let num_sets = shape.len();
        shape.dedup();
        self.is_twice = shape.len() < num_sets;
        let next = self.shapes.len() as u32;
        self.shape = *self.shapes.entry(shape).or_insert(next);
        self.order = order;
    }

    /// Begins an epoch if the kernel's totals fall: the machine was rebooted, and the recorder didn't write a mark. The
    /// records since the totals were last seen may be from before or after, so each is an epoch of its own.
    fn part_reboot(&mut self, meta: &Meta, of: &Volume, record: &DataRecord<'_>, totals: Totals) {
        let Some(fall) = self.kernel.fall(self.epoch, self.records.len(), totals) else { return };
        for between in fall.last_record + 1..self.records.len() {
            self.end_epoch();
            self.records[between].epoch = self.epoch;
            self.records[between].epoch_despite_losses = self.epoch_despite_losses;
        }
        self.end_epoch();
        self.kernel.begin(self.epoch);
        let what = format!(
            "{}: {} falls from {} to {}, so the machine was rebooted: nothing is compared across it",
            of.file,
            meta.metrics[fall.metric].name(),
            fall.from,
            fall.to
        );
        self.health.note(FindingKind::Odd, Place::structure(DataRecord::NAME, record.frame.ofs), what);
    }

    /// Parts the records where time goes back, while they are in the order of the files: what follows a clock that was set
    /// back is a new epoch, and a single record whose time is wrong has an epoch of its own.
    fn part_steps(&mut self, volumes: &[Volume]) {
        let times: Vec<Stamp> = self.records.iter().map(|record| record.time).collect();
        let steps = steps(&times);
        let mut starts = steps.iter().filter_map(|step| match step {
            TimeStep::Back { to, .. } => Some(*to),
            TimeStep::Alone { .. } => None,
        });
        let (mut start, mut num_back) = (starts.next(), 0);
        for (at, record) in self.records.iter_mut().enumerate() {
            if start == Some(at) {
                (start, num_back) = (starts.next(), num_back + 1);
            }
            record.epoch += num_back;
            record.epoch_despite_losses += num_back;
        }
        let mut epoch = self.epoch + num_back;
        for step in steps {
            let (at, from, to, means) = match step {
                TimeStep::Back { from, to } => {
                    (to, from, to, "the clock was set back: nothing is compared across it")
                }
                TimeStep::Alone { record, from, to } => {
                    epoch += 1;
                    self.records[record].epoch = epoch;
                    self.records[record].epoch_despite_losses = epoch;
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
    fn report(&mut self, meta: &Meta) {
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
