//! Builds runs from successive samples of one object.

use std::sync::Arc;

use crate::{Clocks, Column, Instances, Multi, ObjectDef, Run, Second, Timestamp};

/// After this many samples with one instance table, memory is reserved for as many as the caller expects.
const NUM_SAMPLES_STABLE: usize = 8;

/// Gathers the samples of one object into runs, in time order.
///
/// A reader compares each sample with the start of the open run. If definitions and instances are the same,
/// it [appends](RunBuilder::append), which allocates only when a column has to grow; otherwise it
/// [begins](RunBuilder::begin) a new run.
#[derive(Debug)]
pub struct RunBuilder {
    num_samples_expected: usize,
    open: Option<Run>,
    finished: Vec<Run>,
}

impl RunBuilder {
    /// For about `num_samples_expected` samples. Memory for that many is reserved once a run proves stable,
    /// so the number must be backed by the input's size.
    pub fn new(num_samples_expected: usize) -> RunBuilder {
        RunBuilder { num_samples_expected, open: None, finished: Vec::new() }
    }

    /// The run that samples are being added to.
    pub fn open(&self) -> Option<&Run> {
        self.open.as_ref()
    }

    /// Whether a run is open and its instances match the next sample by id and start time. `identity` returns
    /// these by instance index. The caller compares the names. An instance that started after the last sample
    /// is a different one, as in [`Instance::is_same`](crate::Instance::is_same).
    pub fn continues(&self, identity: impl Fn(usize) -> (Option<u64>, Option<Timestamp>)) -> bool {
        let Some(run) = &self.open else { return false };
        let time_last = self.time_last();
        run.instances.iter().enumerate().all(|(index, earlier)| {
            let (id, start) = identity(index);
            id == earlier.id && (start == earlier.start || start.is_none_or(|start| start <= time_last))
        })
    }

    /// Time of the last sample of the open run, on the scale of start times; the minimum if no run is open.
    pub fn time_last(&self) -> Timestamp {
        let start_clock = |run: &Run| run.start_clock(run.num_samples().saturating_sub(1));
        self.open.as_ref().map_or(Timestamp::default(), start_clock)
    }

    /// Ends the open run and begins another, without samples. `columns` have their links set, but no cells.
    pub fn begin(
        &mut self,
        host: &Arc<str>,
        object: &Arc<ObjectDef>,
        instances: Instances,
        columns: Vec<Column>,
    ) {
        self.close();
        self.open = Some(Run {
            host: Arc::clone(host),
            object: Arc::clone(object),
            instances,
            clocks: Clocks::default(),
            columns,
            faults: Vec::new(),
        });
    }

    /// Adds a sample to the open run, if there is one: `write` gets the run and the index of the new sample,
    /// and must add its clocks and one cell per instance to each vector of each column.
    pub fn append(&mut self, write: impl FnOnce(&mut Run, usize)) {
        let Some(run) = &mut self.open else { return };
        let sample = run.num_samples();
        if sample == NUM_SAMPLES_STABLE {
            let num_cells = self.num_samples_expected.saturating_mul(run.instances.len());
            run.columns.iter_mut().flat_map(cells).for_each(|cells| cells.reserve(num_cells));
        }
        write(run, sample);
        debug_assert_eq!(run.num_samples(), sample + 1);
        debug_assert!(
            run.columns
                .iter_mut()
                .flat_map(cells)
                .all(|cells| { cells.len() == (sample + 1) * run.instances.len() })
        );
    }

    /// Ends the open run: the next sample needs a new one.
    pub fn close(&mut self) {
        let Some(mut run) = self.open.take() else { return };
        if run.num_samples() > NUM_SAMPLES_STABLE {
            // Memory reserved for samples that went to other runs.
            run.columns.iter_mut().flat_map(cells).for_each(Vec::shrink_to_fit);
        }
        if run.num_samples() > 0 {
            self.finished.push(run);
        }
    }

    /// All runs, in the order of their samples.
    pub fn finish(mut self) -> Vec<Run> {
        self.close();
        self.finished
    }
}

/// The vectors of a column that have one cell per sample and instance.
fn cells(column: &mut Column) -> impl Iterator<Item = &mut Vec<u64>> {
    let second = if let Second::Own(cells) = &mut column.second { Some(cells) } else { None };
    let multi = if let Multi::Own(cells) = &mut column.multi { Some(cells) } else { None };
    std::iter::once(&mut column.first).chain(second).chain(multi)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instance, SampleTime};

    fn process(id: u64, start: i64) -> Instance {
        Instance { id: Some(id), start: Some(Timestamp(start)), ..Instance::named("cc1") }
    }

    fn begin(builder: &mut RunBuilder, instances: Vec<Instance>) {
        let columns = vec![
            Column { second: Second::Own(Vec::new()), ..Column::default() },
            Column { multi: Multi::Own(Vec::new()), ..Column::default() },
        ];
        builder.begin(&"WEB1".into(), &Arc::default(), instances.into(), columns);
    }

    fn push(builder: &mut RunBuilder, time: i64) {
        builder.append(|run, sample| {
            let n = run.instances.len();
            run.clocks.time.push(SampleTime { utc: Timestamp(time), offset_min: 0 });
            for cells in run.columns.iter_mut().flat_map(cells) {
                cells.resize((sample + 1) * n, time as u64);
            }
        });
    }

    #[test]
    fn samples_go_to_the_open_run_and_runs_stay_in_order() {
        let mut builder = RunBuilder::new(1_000);
        push(&mut builder, 1);
        assert!(builder.open().is_none(), "no run, no sample");
        for (first, num_samples, num_instances) in [(10, 9, 2), (20, 1, 1)] {
            begin(&mut builder, vec![process(7, 0); num_instances]);
            (first..first + num_samples).for_each(|time| push(&mut builder, time));
        }
        begin(&mut builder, vec![]);
        let runs = builder.finish();
        let sizes: Vec<_> = runs.iter().map(|run| (run.num_samples(), run.num_cells())).collect();
        assert_eq!(sizes, [(9, 18), (1, 1)], "a run without samples is dropped");
        assert_eq!(runs[0].columns[0].first[15..], [17, 18, 18]);
        assert_eq!(runs[0].columns[0].second, Second::Own(runs[0].columns[0].first.clone()));
        assert!(runs[0].columns[0].first.capacity() < 100, "nothing stays reserved");
    }

    #[test]
    fn a_stable_run_reserves_once() {
        let mut builder = RunBuilder::new(1_000);
        begin(&mut builder, vec![process(7, 0); 3]);
        (0..9).for_each(|time| push(&mut builder, time));
        let place = builder.open().expect("open").columns[1].first.as_ptr();
        (9..1_000).for_each(|time| push(&mut builder, time));
        assert_eq!(builder.open().expect("open").columns[1].first.as_ptr(), place);
    }

    #[test]
    fn identities_decide_whether_a_run_goes_on() {
        let mut builder = RunBuilder::new(1);
        assert!(!builder.continues(|_| (None, None)), "nothing is open");
        begin(&mut builder, vec![process(7, 100), process(8, 100)]);
        push(&mut builder, 500);
        let with = |id: u64, start: Option<i64>| {
            builder.continues(|at| {
                if at == 0 { (Some(7), Some(Timestamp(100))) } else { (Some(id), start.map(Timestamp)) }
            })
        };
        assert!(with(8, Some(100)) && with(8, Some(101)) && with(8, Some(500)) && with(8, None));
        assert!(!with(9, Some(100)), "another id");
        assert!(!with(8, Some(501)), "the id was reused");
    }
}
