//! What a pass over records finds.

use std::collections::BTreeMap;

use recount_model::Health;

use crate::structure::Stamp;

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
}

/// The agent that answered, and its state, according to the records at either end of an archive. While both stay the
/// same, no counter was reset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collector {
    pub(crate) time: Stamp,
    pub(crate) epoch: u32,
    /// The record, by its index in the order of the files.
    pub(crate) record: usize,
    /// `pmcd.pid` and `pmcd.seqnum`.
    pub(crate) run: u64,
}

/// What successive records hold.
#[derive(Default)]
pub(crate) struct Scan {
    /// In time order; those with the same time in the order of the files.
    pub(crate) records: Vec<RecordPlace>,
    /// The metrics of records, as indices into [`Meta::metrics`], each once; with numbers in order of appearance.
    pub(crate) shapes: BTreeMap<Vec<u32>, u32>,
    pub(crate) num_marks: u32,
    /// Which metrics have values in some record.
    pub(crate) has_values: Vec<bool>,
    /// In the order of time.
    pub(crate) collectors: Vec<Collector>,
    pub(crate) epoch: u32,
    /// Value sets with an error, by its code: their number, and one such metric.
    pub(crate) errors: BTreeMap<i32, (u64, usize)>,
    pub(crate) undescribed: BTreeMap<u32, u64>,
    pub(crate) health: Health,
}

impl Scan {
    /// Adds what follows.
    pub(crate) fn join(&mut self, later: Scan) {
        let mut shapes: Vec<(u32, Vec<u32>)> =
            later.shapes.into_iter().map(|(shape, number)| (number, shape)).collect();
        shapes.sort_unstable();
        let numbers: Vec<u32> = shapes
            .into_iter()
            .map(|(_, shape)| {
                let next = self.shapes.len() as u32;
                *self.shapes.entry(shape).or_insert(next)
            })
            .collect();
        let (num_records, epoch) = (self.records.len(), self.epoch);
        self.records.extend(later.records.into_iter().map(|record| RecordPlace {
            shape: numbers[record.shape as usize],
            epoch: epoch + record.epoch,
            ..record
        }));
        self.collectors.extend(later.collectors.into_iter().map(|collector| Collector {
            epoch: epoch + collector.epoch,
            record: num_records + collector.record,
            ..collector
        }));
        self.epoch += later.epoch;
        self.num_marks += later.num_marks;
        self.has_values.iter_mut().zip(later.has_values).for_each(|(has, later)| *has |= later);
        for (code, (count, metric)) in later.errors {
            self.errors.entry(code).or_insert((0, metric)).0 += count;
        }
        for (pmid, count) in later.undescribed {
            *self.undescribed.entry(pmid).or_default() += count;
        }
        self.health.absorb(later.health);
    }
}
