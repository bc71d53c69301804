//! Which processes and threads of a sample go on in the next, and which ended.

use std::collections::HashMap;

use recount_model::{Run, Timestamp};

/// The last sample of a run, and who of it is in the first sample of the next.
pub(crate) struct Living<'a> {
    previous: &'a Run,
    run: &'a Run,
    /// The places in the next run, by id.
    now: HashMap<u64, usize>,
    /// When the earlier sample was taken, on the clock of start times.
    time: Timestamp,
}

impl<'a> Living<'a> {
    /// `None` if the previous run has no samples.
    pub(crate) fn new(previous: &'a Run, run: &'a Run) -> Option<Living<'a>> {
        let last = previous.num_samples().checked_sub(1)?;
        let places = run.instances.iter().enumerate();
        let now = places.filter_map(|(at, instance)| Some((instance.id?, at))).collect();
        Some(Living { previous, run, now, time: previous.start_clock(last) })
    }

    /// The place in the next run of an instance that goes on.
    pub(crate) fn later(&self, at: usize) -> Option<usize> {
        let instance = &self.previous.instances[at];
        let place = *self.now.get(&instance.id?)?;
        self.run.instances[place].continues(instance, self.time).then_some(place)
    }

    /// The instances of the previous run that ended, in order. Id 0 is no process: it is a total, or idle time.
    pub(crate) fn ended(&self) -> Vec<usize> {
        let is_process = |at: &usize| self.previous.instances[*at].id.is_some_and(|id| id != 0);
        let has_ended = |at: &usize| self.later(*at).is_none() && !self.is_renamed(*at);
        (0..self.previous.instances.len()).filter(is_process).filter(has_ended).collect()
    }

    /// Whether a process goes on under another name, because it executed another program.
    fn is_renamed(&self, at: usize) -> bool {
        let before = &self.previous.instances[at];
        let after = before.id.and_then(|id| self.now.get(&id)).map(|place| &self.run.instances[*place]);
        after.is_some_and(|after| after.start == before.start)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recount_model::{Clocks, Instance, SampleTime};

    use super::*;

    /// Names, ids and starts, in a sample of this second.
    fn run(time: i64, processes: &[(&str, u64, Option<i64>)]) -> Run {
        let second = |second: i64| Timestamp(second * Timestamp::TICKS_PER_SECOND);
        let process = |(name, id, start): &(&str, u64, Option<i64>)| Instance {
            id: Some(*id),
            start: start.map(second),
            ..Instance::named(*name)
        };
        Run {
            host: "".into(),
            object: Arc::default(),
            instances: processes.iter().map(process).collect(),
            clocks: Clocks {
                time: vec![SampleTime { utc: second(time), offset_min: 0 }],
                ..Clocks::default()
            },
            columns: Vec::new(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn who_ended_is_decided_by_id_and_start() {
        let before =
            run(100, &[("sh", 7, Some(10)), ("cc", 8, Some(20)), ("ld", 9, Some(30)), ("_Total", 0, None)]);
        let ended = |after: &Run| Living::new(&before, after).expect("a sample").ended();
        assert_eq!(
            ended(&run(101, &[("sh", 7, Some(10)), ("as", 8, Some(20))])),
            [2],
            "8 has another name, 9 is gone"
        );
        assert_eq!(
            ended(&run(101, &[("sh", 7, Some(100)), ("cc", 8, Some(101)), ("ld", 9, Some(30))])),
            [1],
            "8 is reused"
        );
        assert_eq!(
            ended(&run(101, &[("sh", 7, Some(11)), ("cc", 8, Some(21)), ("ld", 9, Some(31))])),
            [0; 0],
            "computed anew"
        );
        assert_eq!(ended(&run(101, &[])), [0, 1, 2]);
    }
}
