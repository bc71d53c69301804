//! One answer about one counterset, as a sample of a run.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{
    CellFault, Clocks, Column, Instance, Instances, Run, RunBuilder, SampleTime, Size, Timestamp,
};

use super::plan::Plan;
use super::view::View;

/// The clocks of an answer (2.2.4.7), and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerClocks {
    pub(super) time: SampleTime,
    pub(super) perf_time: u64,
    pub(super) perf_freq: u64,
    pub(super) time_100ns: u64,
}

/// One answer's cells, with their meaning.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) view: &'a View,
    pub(super) plan: &'a Plan,
    pub(super) cells: &'a [Option<u64>],
    /// By cell.
    pub(super) texts: &'a HashMap<u32, String>,
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

    /// Adds a sample to the open run, or to a new one if there is none or if instances of the same name were
    /// restarted. The open run has the same plan.
    pub(super) fn push(self, host: &Arc<str>, clocks: &AnswerClocks, runs: &mut RunBuilder) {
        let identity = |index: usize| (self.plan.instances[index].id, self.start(index));
        if !runs.continues(identity) {
            let object = self.plan.object.as_ref().unwrap_or(&self.view.set.object);
            runs.begin(host, object, self.instances(), self.columns());
        }
        runs.append(|run, sample| {
            self.push_cells(run, sample);
            self.push_clocks(&mut run.clocks, clocks);
        });
    }

    fn columns(self) -> Vec<Column> {
        let links = self.view.set.links.iter().zip(&self.plan.covers);
        let columns = links.map(|(links, covers)| Column {
            first: Vec::with_capacity(self.num_instances()),
            second: links.second.clone(),
            multi: links.multi.clone(),
            frequency: links.frequency,
            covers: covers.clone(),
            texts: None,
        });
        columns.collect()
    }

    fn push_cells(self, run: &mut Run, sample: usize) {
        let columns = run.columns.iter_mut().zip(&self.view.is_number);
        for (counter, (column, is_number)) in columns.enumerate() {
            let def = self.view.set.object.counters.get(counter);
            let is_sized =
                def.and_then(|def| def.counter_type).is_some_and(|word| word.size() == Size::VariableLen);
            for instance in 0..self.num_instances() {
                // MS-PCQ has no number whose size is in the data.
                let value = self.cell(counter, instance).filter(|_| !is_sized);
                let is_covered = column.covers.as_ref().is_none_or(|covers| covers[instance]);
                if value.is_none() && *is_number && is_covered {
                    let (sample, counter, instance) = (sample as u32, counter as u32, instance as u32);
                    run.faults.push(CellFault { sample, counter, instance });
                }
                column.first.push(value.unwrap_or(0));
                if self.view.texts.get(counter).is_some_and(Option::is_some) {
                    let text = self.texts.get(&((counter * self.num_instances() + instance) as u32));
                    column.push_text(text.map(String::as_str), self.num_instances());
                }
            }
        }
    }

    fn push_clocks(self, clocks: &mut Clocks, answer: &AnswerClocks) {
        clocks.time.push(answer.time);
        clocks.perf_time.push(answer.perf_time);
        clocks.perf_freq.push(answer.perf_freq);
        clocks.time_100ns.push(answer.time_100ns);
        // Counters find their clocks through links; this one is only for start times.
        if let Some((time, frequency)) = self.object_clock() {
            clocks.object_time.push(time);
            clocks.object_freq.push(frequency);
        }
    }

    /// Time and frequency of the object's own clock, from the first instance that has one.
    fn object_clock(self) -> Option<(u64, u64)> {
        let columns = self.view.start?;
        let mut instances = 0..self.num_instances();
        let clock = instances.find_map(|instance| columns.clock(|column| self.cell(column, instance)));
        Some(clock.unwrap_or_default())
    }
}
