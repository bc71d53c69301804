//! The records of a part of a volume: their metrics and sizes.

use std::collections::HashMap;

use recount_bytes::FormatError;
use recount_model::{FindingKind, Place};

use crate::meta::{Meta, Metric, note};
use crate::order::Order;
use crate::scan::{Collector, RecordPlace, Scan};
use crate::structure::{DataRecord, Frame, ValueSet, unexpected};
use crate::value::Reading;

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

/// What is known of the metrics before any record is read.
pub(crate) struct Known<'m> {
    pub(crate) meta: &'m Meta,
    /// The metrics `pmcd.pid` and `pmcd.seqnum`.
    collector: [Option<usize>; 2],
    /// Per metric: a number for its instance domain.
    domains: Vec<usize>,
    num_domains: usize,
}

impl Known<'_> {
    pub(crate) fn new(meta: &Meta) -> Known<'_> {
        let named =
            |name: &str| meta.metrics.iter().position(|metric| metric.names.iter().any(|own| own == name));
        let mut numbers: HashMap<Option<u32>, usize> = HashMap::new();
        let number = |metric: &Metric| {
            let next = numbers.len();
            *numbers.entry(metric.domain).or_insert(next)
        };
        let domains = meta.metrics.iter().map(number).collect();
        let collector = ["pmcd.pid", "pmcd.seqnum"].map(named);
        Known { meta, collector, domains, num_domains: numbers.len() }
    }
}

/// Some successive records of a volume, read without those before.
pub(crate) struct Part<'a> {
    known: &'a Known<'a>,
    volume: usize,
    file: &'a str,
    scan: Scan,
    metrics: Order,
    /// The value sets of the last record, by number and index of the metric; its shape, and whether a metric has two sets.
    order: Option<Vec<(u32, usize)>>,
    shape: u32,
    is_twice: bool,
    /// By number of the domain.
    sizes: Vec<Size<'a>>,
}

impl<'a> Part<'a> {
    pub(crate) fn scan(
        known: &'a Known<'a>,
        volume: usize,
        file: &'a str,
        frames: Vec<Result<Frame<'a>, FormatError>>,
    ) -> Scan {
        let has_values = vec![false; known.meta.metrics.len()];
        let mut part = Part {
            known,
            volume,
            file,
            scan: Scan { has_values, ..Scan::default() },
            metrics: Order::default(),
            order: None,
            shape: 0,
            is_twice: false,
            sizes: vec![Size::default(); known.num_domains],
        };
        for frame in frames {
            if let Err(error) = frame.and_then(|frame| part.record(frame)) {
                note(&mut part.scan.health, part.file, &error);
                part.scan.epoch += 1;
            }
        }
        part.scan
    }

    fn record(&mut self, frame: Frame<'a>) -> Result<(), FormatError> {
        let Part { known, scan, .. } = self;
        let record = DataRecord::parse(known.meta.version(), frame)?;
        if record.num_sets == 0 {
            scan.num_marks += 1;
            scan.epoch += 1;
            return Ok(());
        }
        let mut order: Vec<(u32, usize)> = Vec::with_capacity(self.order.as_ref().map_or(0, Vec::len));
        let mut collector: [Option<u32>; 2] = [None; 2];
        let mut len_cells = 0;
        for (number, set) in record.sets().enumerate() {
            let set = set?;
            let Some(metric) = self.metrics.metric(known.meta, number, set.pmid) else {
                *scan.undescribed.entry(set.pmid).or_default() += 1;
                continue;
            };
            if set.count < 0 {
                scan.errors.entry(set.count).or_insert((0, metric)).0 += 1;
            }
            scan.has_values[metric] |= set.count > 0;
            order.push((set.pmid, metric));
            let value_type = known.meta.metrics[metric].value_type;
            if let Some(part) = known.collector.iter().position(|wanted| *wanted == Some(metric)) {
                let number = |(_, word)| Reading::integer(value_type, &record, set.format, word);
                // Both are smaller than 2^32, whatever their type.
                collector[part] =
                    set.cells().next().and_then(number).and_then(|number| number.try_into().ok());
            }
            if value_type.is_number() {
                let size = &mut self.sizes[known.domains[metric]];
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
        let epoch = scan.epoch;
        if let [Some(pid), Some(number)] = collector {
            let run = u64::from(pid) << 32 | u64::from(number);
            scan.collectors.push(Collector { time: record.time, epoch, record: scan.records.len(), run });
        }
        if self.order.as_ref() != Some(&order) {
            let mut shape: Vec<u32> = order.iter().map(|(_, metric)| *metric as u32).collect();
            shape.sort_unstable();
            let num_sets = shape.len();
            shape.dedup();
            self.is_twice = shape.len() < num_sets;
            let next = scan.shapes.len() as u32;
            self.shape = *scan.shapes.entry(shape).or_insert(next);
            self.order = Some(order);
        }
        if self.is_twice {
            let what = format!("{}: a metric has two value sets: the first counts", self.file);
            scan.health.note(FindingKind::Odd, Place::structure(DataRecord::NAME, frame.ofs), what);
        }
        scan.records.push(RecordPlace {
            time: record.time,
            volume: self.volume,
            ofs: frame.ofs as usize,
            len: frame.bytes.len(),
            shape: self.shape,
            len_cells,
            epoch,
        });
        Ok(())
    }
}
