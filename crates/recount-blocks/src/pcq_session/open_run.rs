//! The run that answers are being added to.

use std::sync::Arc;

use recount_model::{CellFault, Clocks, Column, Instance, Instances, Run, Timestamp};

use super::plan::Plan;
use super::stream::AnswerClocks;
use super::view::View;

/// After so many samples with one instance table, memory is reserved for as many as the caller expects.
const NUM_SAMPLES_STABLE: usize = 8;
/// For so many at most: what a caller expects is not what was read.
const NUM_SAMPLES_RESERVED: usize = 128;

/// One answer's cells, with what they mean.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) view: &'a View,
    pub(super) plan: &'a Plan,
    pub(super) cells: &'a [Option<u64>],
}

#[derive(Debug)]
pub(super) struct OpenRun {
    pub(super) run: Run,
}

impl Table<'_> {
    fn num_instances(self) -> usize {
        self.plan.instances.len()
    }

    fn cell(self, column: usize, instance: usize) -> Option<u64> {
        self.cells.get(column * self.num_instances() + instance).copied().flatten()
    }

    fn start(self, instance: usize) -> Option<Timestamp> {
        self.view.start?.read(|column| self.cell(column, instance))
    }

    /// The instance table, with starts.
    fn instances(self) -> Instances {
        let with_start =
            |(index, instance): (usize, &Instance)| Instance { start: self.start(index), ..instance.clone() };
        self.plan.instances.iter().enumerate().map(with_start).collect()
    }

    /// Whether the instances of a run of the same plan are those of this table, and not others of the same name and id
    /// that began later. Agrees with [`Instance::is_same`].
    pub(super) fn continues(self, run: &Run) -> bool {
        if self.view.start.is_none() {
            return true;
        }
        let time_earlier = run.start_clock(run.num_samples().saturating_sub(1));
        run.instances.iter().enumerate().all(|(index, earlier)| match self.start(index) {
            Some(start) if earlier.start != Some(start) => start <= time_earlier,
            _ => true,
        })
    }

    /// Time and frequency of the object's own clock: of the first instance that has one.
    fn object_clock(self) -> Option<(u64, u64)> {
        let columns = self.view.start?;
        let mut instances = 0..self.num_instances();
        let clock = instances.find_map(|instance| columns.clock(|column| self.cell(column, instance)));
        Some(clock.unwrap_or_default())
    }
}

impl OpenRun {
    pub(super) fn begin(host: Arc<str>, table: Table<'_>) -> OpenRun {
        let links = table.view.set.links.iter().zip(&table.plan.covers);
        let columns = links.map(|(links, covers)| Column {
            first: Vec::with_capacity(table.num_instances()),
            second: links.second.clone(),
            multi: links.multi.clone(),
            frequency: links.frequency,
            covers: covers.clone(),
        });
        OpenRun {
            run: Run {
                host,
                object: Arc::clone(table.plan.object.as_ref().unwrap_or(&table.view.set.object)),
                instances: table.instances(),
                clocks: Clocks::default(),
                columns: columns.collect(),
                faults: Vec::new(),
            },
        }
    }

    /// Adds a sample whose instances are those of the run.
    pub(super) fn append(&mut self, table: Table<'_>, clocks: &AnswerClocks, num_samples_expected: usize) {
        let (sample, num_instances) = (self.run.num_samples(), table.num_instances());
        let reserve = match sample {
            NUM_SAMPLES_STABLE => num_samples_expected.min(NUM_SAMPLES_RESERVED) * num_instances,
            _ => 0,
        };
        let faults = &mut self.run.faults;
        for (counter, (column, is_number)) in
            self.run.columns.iter_mut().zip(&table.view.is_number).enumerate()
        {
            column.first.reserve(reserve);
            for instance in 0..num_instances {
                let value = table.cell(counter, instance);
                let is_covered = column.covers.as_ref().is_none_or(|covers| covers[instance]);
                if value.is_none() && *is_number && is_covered {
                    faults.push(CellFault {
                        sample: sample as u32,
                        counter: counter as u32,
                        instance: instance as u32,
                    });
                }
                column.first.push(value.unwrap_or(0));
            }
        }
        self.push_clocks(clocks, table.object_clock());
    }

    fn push_clocks(&mut self, answer: &AnswerClocks, object: Option<(u64, u64)>) {
        let clocks = &mut self.run.clocks;
        clocks.time.push(answer.time);
        clocks.perf_time.push(answer.perf_time);
        clocks.perf_freq.push(answer.perf_freq);
        clocks.time_100ns.push(answer.time_100ns);
        // Counters find their clocks by their links; this one serves start times only.
        if let Some((time, frequency)) = object {
            clocks.object_time.push(time);
            clocks.object_freq.push(frequency);
        }
    }

    pub(super) fn finish(mut self) -> Run {
        if self.run.num_samples() >= NUM_SAMPLES_STABLE {
            // What was reserved for samples that went to other runs.
            self.run.columns.iter_mut().for_each(|column| column.first.shrink_to_fit());
        }
        self.run
    }
}
