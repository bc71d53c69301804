//! Collects the cooked values of one object, sample by sample.

use std::collections::HashSet;
use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{
    Cooked, CookedColumn, Instance, ObjectDef, SampleTime, Selection, Status, number_namesakes,
};

use crate::objects::value::{Context, FieldRow, Resolved};
use crate::objects::{Listing, Object};
use crate::store::Sample;

/// The instance of an object that has none.
pub(super) fn unnamed() -> Instance {
    Instance::unnamed()
}

/// The rows of one sample.
#[derive(Default)]
struct Sheet {
    instances: Vec<Instance>,
    /// Per instance: its block of fields.
    blocks: Vec<usize>,
    /// Per counter: a cell per instance.
    columns: Vec<Column>,
}

/// Values, with their statuses.
type Column = (Vec<f64>, Vec<Status>);

/// A stretch of samples with the same instances.
struct DraftStretch {
    /// Number and epoch of the last sample.
    last: (u32, u32),
    instances: Vec<Instance>,
    blocks: Vec<usize>,
    times: Vec<SampleTime>,
    interval_s: Vec<Option<f64>>,
    is_continued: bool,
    columns: Vec<Column>,
}

/// An object whose values are being collected.
pub(super) struct PendingObject<'o> {
    pub(super) object: &'o Object,
    /// The counters that may be selected, ascending.
    counters: Vec<usize>,
    /// Whether the sample being read has the object: its part was sound.
    pub(super) is_there: bool,
    sheet: Sheet,
    /// Instances of the last sample: the next has about as many.
    num_instances: usize,
    open: Option<DraftStretch>,
    finished: Vec<DraftStretch>,
}

impl<'o> PendingObject<'o> {
    pub(super) fn new(object: &'o Object, selection: &Selection) -> PendingObject<'o> {
        let def = &object.def;
        let is_wanted = |at: &usize| selection.may_match_counter(&def.name, &def.counters[*at].name);
        let counters = (0..def.counters.len()).filter(is_wanted).collect();
        let mut draft = PendingObject {
            object,
            counters,
            is_there: false,
            sheet: Sheet::default(),
            num_instances: 0,
            open: None,
            finished: Vec::new(),
        };
        draft.forget();
        draft
    }

    /// Adds a row to the sample.
    pub(super) fn push(&mut self, instance: Instance, block: usize, row: &FieldRow<'_>, context: &Context) {
        self.sheet.instances.push(instance);
        self.sheet.blocks.push(block);
        let block = &self.object.blocks[block];
        for ((values, status), counter) in self.sheet.columns.iter_mut().zip(&self.counters) {
            let value =
                block[*counter].as_ref().map_or(Err(Status::InvalidData), |counter| counter.of(row, context));
            values.push(value.unwrap_or(0.0));
            status.push(value.err().unwrap_or(Status::Ok));
        }
    }

    /// Whether processes inherit any of its counters from children that end.
    pub(super) fn has_inherited(&self) -> bool {
        let blocks = &self.object.blocks;
        let is_of_processes = matches!(self.object.listing, Listing::Tasks { processes: true });
        is_of_processes
            && self.counters.iter().any(|counter| blocks.iter().any(|block| is_inherited(block, *counter)))
    }

    /// Takes out what these processes have done or inherited: nobody can tell which.
    pub(super) fn leave_out_inherited(&mut self, heirs: &HashSet<i64>) {
        let is_heir = |instance: &Instance| instance.id.is_some_and(|id| heirs.contains(&id.cast_signed()));
        let rows: Vec<usize> =
            (0..self.sheet.instances.len()).filter(|at| is_heir(&self.sheet.instances[*at])).collect();
        for ((values, status), counter) in self.sheet.columns.iter_mut().zip(&self.counters) {
            for &row in &rows {
                let block = &self.object.blocks[self.sheet.blocks[row]];
                if is_inherited(block, *counter) && status[row] == Status::Ok && values[row] > 0.0 {
                    (values[row], status[row]) = (0.0, Status::InvalidData);
                }
            }
        }
    }

    /// Drops the sample's rows collected so far.
    pub(super) fn forget(&mut self) {
        self.is_there = false;
        self.sheet.instances.clear();
        self.sheet.blocks.clear();
        let num = self.num_instances;
        self.sheet
            .columns
            .resize_with(self.counters.len(), || (Vec::with_capacity(num), Vec::with_capacity(num)));
        for (values, status) in &mut self.sheet.columns {
            values.clear();
            status.clear();
        }
    }

    /// Completes the sample.
    pub(super) fn end_sample(&mut self, number: u32, time: SampleTime, sample: &Sample) {
        if !self.is_there || self.sheet.instances.is_empty() {
            return self.forget();
        }
        self.num_instances = self.sheet.instances.len();
        number_namesakes(&mut self.sheet.instances);
        let is_since_boot = sample.record.is_since_boot();
        let goes_on = self.open.as_ref().is_some_and(|open| {
            !is_since_boot
                && (open.last.0 + 1, open.last.1) == (number, sample.epoch)
                && open.instances == self.sheet.instances
                && open.blocks == self.sheet.blocks
        });
        if !goes_on {
            self.finished.extend(self.open.take());
        }
        let sheet = &mut self.sheet;
        let open = if let Some(open) = &mut self.open {
            for ((values, status), (more_values, more_status)) in
                open.columns.iter_mut().zip(&mut sheet.columns)
            {
                values.append(more_values);
                status.append(more_status);
            }
            open
        } else {
            self.open.insert(DraftStretch {
                last: (number, sample.epoch),
                instances: std::mem::take(&mut sheet.instances),
                blocks: std::mem::take(&mut sheet.blocks),
                times: Vec::new(),
                interval_s: Vec::new(),
                is_continued: !is_since_boot,
                columns: std::mem::take(&mut sheet.columns),
            })
        };
        open.last = (number, sample.epoch);
        open.times.push(time);
        open.interval_s.push(sample.interval.ok().map(f64::from));
        self.forget();
    }

    /// The values collected, reduced to the selection.
    pub(super) fn finish(mut self, host: &Arc<str>, selection: &Selection) -> Vec<Cooked> {
        self.finished.extend(self.open.take());
        let cooked =
            self.finished.into_iter().map(|stretch| stretch.cooked(host, self.object, &self.counters));
        cooked
            .map(|cooked| select_cooked(cooked, selection))
            .filter(|cooked| !cooked.columns.is_empty())
            .collect()
    }
}

fn is_inherited(block: &[Option<Resolved>], counter: usize) -> bool {
    block[counter].as_ref().is_some_and(Resolved::is_inherited)
}

impl DraftStretch {
    fn cooked(self, host: &Arc<str>, object: &Object, counters: &[usize]) -> Cooked {
        let column = |(&counter, (values, status)): (&usize, Column)| {
            let is_all_ok = status.iter().all(|status| *status == Status::Ok);
            let has_counter = |block: &usize| object.blocks[*block][counter].is_some();
            let covers: Vec<bool> = self.blocks.iter().map(has_counter).collect();
            CookedColumn {
                counter,
                values,
                status: (!is_all_ok).then_some(status),
                covers: covers.contains(&false).then(|| covers.into()),
                texts: None,
            }
        };
        Cooked {
            host: Arc::clone(host),
            object: Arc::<ObjectDef>::clone(&object.def),
            continued: vec![self.is_continued; self.instances.len()],
            instances: self.instances.into(),
            times: self.times,
            interval_s: self.interval_s,
            gaps: Vec::new(),
            first_s: Vec::new(),
            columns: counters.iter().zip(self.columns).map(column).collect(),
            raw: None,
        }
    }
}
