//! When processes began (`formats/pcp-archive.md#processes-that-began-in-the-interval`).

use std::collections::{BTreeMap, HashMap};

use recount_model::Timestamp;

use crate::meta::{Meta, Metric};
use crate::row::{InstanceRow, PlacedSet};
use crate::scan::{RecordPlace, Volume};
use crate::structure::{DataRecord, DomainRecord, Frame, Stamp, ValueSet};
use crate::units::Factor;
use crate::value::{MetricReading, ValueType};

/// Metrics that say when the processes of their domain began, as the time since the machine was booted.
const STARTS: [&str; 2] = ["proc.psinfo.start_time", "hotproc.psinfo.start_time"];
/// Since when the machine has been up, and when it was booted.
const UPTIME: &str = "kernel.all.uptime";
const BOOT_TIME: &str = "kernel.all.boottime";
/// What is needed to know when processes began.
pub(crate) const METRICS_OF_STARTS: [&str; 3] = [STARTS[0], UPTIME, BOOT_TIME];
const SECOND: i64 = Timestamp::TICKS_PER_SECOND;
/// What whole seconds leave out.
const UNKNOWN_OF_WHOLE: i64 = SECOND;
/// By how much a fraction may be late: it was read somewhat before the record got its time.
const UNKNOWN_OF_FRACTION: i64 = SECOND / 10;

/// Whether the processes of a domain have a start, so that what they count from zero on is known.
pub(crate) fn has_starts(meta: &Meta, domain: Option<u32>) -> bool {
    domain.is_some() && start_metrics(meta).any(|(_, metric)| metric.domain == domain)
}

/// How many processors the machine has: the most that a record of their domain lists.
pub(crate) fn num_processors(meta: &Meta) -> Option<u32> {
    let is_of_cpu = |metric: &&Metric| metric.names.iter().any(|name| name.starts_with("kernel.percpu.cpu."));
    let domain = meta.domain(meta.metrics.iter().find(is_of_cpu)?.domain?)?;
    let num = |(_, ofs): &(Stamp, usize)| {
        let frame = Frame::at(meta.bytes(), *ofs, DomainRecord::NAME).ok()?;
        let record = DomainRecord::parse(meta.version(), &frame).ok()?;
        Some(record.instances().count())
    };
    let most = domain.records.iter().filter_map(num).max()?;
    u32::try_from(most).ok().filter(|num| *num > 0)
}

fn start_metrics(meta: &Meta) -> impl Iterator<Item = (usize, &Metric)> {
    let is_start = |metric: &Metric| STARTS.iter().any(|name| metric.names.iter().any(|own| own == name));
    meta.metrics.iter().enumerate().filter(move |(_, metric)| is_start(metric))
}

/// The starts of an archive's processes.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    metrics: Vec<StartMetric>,
    /// By epoch: the earliest time at which the machine may have been booted.
    boots: HashMap<u32, Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct StartMetric {
    metric: usize,
    domain: u32,
    value_type: ValueType,
    /// To seconds.
    factor: Factor,
}

impl Starts {
    /// In each epoch the first record counts that says when the machine was booted, so that all records agree on a start.
    pub(crate) fn of(
        meta: &Meta,
        volumes: &[Volume],
        records: &[RecordPlace],
        shapes: &BTreeMap<Vec<u32>, u32>,
    ) -> Starts {
        let metrics: Vec<StartMetric> = start_metrics(meta)
            .filter_map(|(at, metric)| {
                let is_time = metric.units.dimensions() == (0, 1, 0);
                let factor = metric.units.factor().filter(|_| is_time)?;
                Some(StartMetric {
                    metric: at,
                    domain: metric.domain?,
                    value_type: metric.value_type,
                    factor,
                })
            })
            .collect();
        let mut starts = Starts { metrics, boots: HashMap::new() };
        if starts.metrics.is_empty() {
            return starts;
        }
        let named =
            |name: &str| meta.metrics.iter().position(|metric| metric.names.iter().any(|own| own == name));
        let known = [named(UPTIME), named(BOOT_TIME)];
        let says = |shape: &&Vec<u32>| {
            known.iter().flatten().any(|metric| shape.binary_search(&(*metric as u32)).is_ok())
        };
        let saying: Vec<u32> =
            shapes.iter().filter(|(shape, _)| says(shape)).map(|(_, number)| *number).collect();
        for place in records.iter().filter(|place| saying.contains(&place.shape)) {
            if starts.boots.contains_key(&place.epoch) {
                continue;
            }
            if let Some(boot) = boot(meta, volumes, place, known) {
                starts.boots.insert(place.epoch, boot);
            }
        }
        starts
    }

    /// The starts in a value set of a record, if it is of such a metric.
    pub(crate) fn in_set<'a>(&self, metric: usize, set: ValueSet<'a>, epoch: u32) -> Option<StartSet<'a>> {
        let metric = *self.metrics.iter().find(|known| known.metric == metric)?;
        Some(StartSet { set, metric, boot: *self.boots.get(&epoch)? })
    }
}

/// The earliest time at which the machine may have been booted, by a record.
fn boot(
    meta: &Meta,
    volumes: &[Volume],
    place: &RecordPlace,
    known: [Option<usize>; 2],
) -> Option<Timestamp> {
    let bytes = volumes.get(place.volume)?.content.bytes();
    let record =
        DataRecord::parse(meta.version(), Frame::at(bytes, place.ofs, DataRecord::NAME).ok()?).ok()?;
    let value = |metric: Option<usize>| {
        let metric = &meta.metrics[metric?];
        let set = record.sets().map_while(Result::ok).find(|set| set.pmid == metric.pmid)?;
        let (_, word) = set.cells().next()?;
        let number = MetricReading::integer(metric.value_type, &record, set.format, word)?;
        let is_fraction = matches!(metric.value_type, ValueType::Float | ValueType::Double);
        // Of a fraction the number is in hundredths.
        let ticks = i128::from(SECOND) / if is_fraction { 100 } else { 1 };
        Some((i64::try_from(number.checked_mul(ticks)?).ok()?, is_fraction))
    };
    let time = record.time.timestamp();
    let by_uptime = value(known[0]).and_then(|(uptime, is_fraction)| {
        let unknown = if is_fraction { UNKNOWN_OF_FRACTION } else { UNKNOWN_OF_WHOLE };
        time.0.checked_sub(uptime)?.checked_sub(unknown)
    });
    let by_boot_time = value(known[1]).and_then(|(boot, _)| boot.checked_add(Timestamp::UNIX_EPOCH.0));
    by_uptime.max(by_boot_time).filter(|boot| *boot < time.0).map(Timestamp)
}

/// When the processes of a record began.
#[derive(Clone, Copy)]
pub(crate) struct StartSet<'a> {
    set: ValueSet<'a>,
    metric: StartMetric,
    boot: Timestamp,
}

impl StartSet<'_> {
    /// The domain of the processes.
    pub(crate) fn domain(&self) -> u32 {
        self.metric.domain
    }

    /// By instance: the earliest time at which it may have begun.
    pub(crate) fn of(&self, row: &InstanceRow<'_>) -> Vec<Option<Timestamp>> {
        let placed = PlacedSet { set: self.set, is_placed: false };
        let start = |value: Option<i128>| {
            let Factor { num, den } = self.metric.factor;
            let ticks =
                value?.checked_mul(i128::from(num))?.checked_mul(i128::from(SECOND))? / i128::from(den);
            Some(Timestamp(self.boot.0.checked_add(i64::try_from(ticks).ok()?)?))
        };
        row.integers(&placed, self.metric.value_type).into_iter().map(start).collect()
    }
}
