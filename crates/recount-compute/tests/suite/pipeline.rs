//! The pipeline with test sources: order, carry, and absent values.

use crate::support;

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use recount_compute::{Cooked, Input, PipelineOptions, run};
use recount_model::{
    Clocks, Column, Decoded, Instance, Multi, ObjectDef, Opened, Run, SampleTime, Second, Selection, Source,
    Status, Timer, Timestamp,
};

use support::counter;

/// One object with one counter that rises by ten per second, in the given samples of a capture.
struct Rising {
    name: &'static str,
    start: i64,
    present: Range<u32>,
    opened: Opened,
}

impl Rising {
    fn new(name: &'static str, start: i64, num_samples: i64, present: Range<u32>) -> Rising {
        let times = (start..start + num_samples).map(at).collect();
        Rising { name, start, present, opened: Opened { times, ..Opened::default() } }
    }

    fn input(self, continues: Option<usize>) -> Input {
        let samples = (0..self.times().len() as u32).collect();
        Input { continues, ..Input::new(Arc::new(self), samples) }
    }
}

fn at(second: i64) -> SampleTime {
    SampleTime { utc: Timestamp(second * Timestamp::TICKS_PER_SECOND), offset_min: 0 }
}

impl Source for Rising {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, _sample: usize) -> usize {
        100
    }

    fn decode(&self, samples: &[u32], _selection: &Selection) -> Decoded {
        let seconds: Vec<i64> = samples
            .iter()
            .filter(|sample| self.present.contains(sample))
            .map(|sample| self.start + i64::from(*sample))
            .collect();
        if seconds.is_empty() {
            return Decoded::default();
        }
        let object = ObjectDef {
            name: self.name.into(),
            index: None,
            help: None,
            instanced: false,
            counters: vec![counter("Rises", 0x1041_0400)],
            ..ObjectDef::default()
        };
        let column = Column {
            first: seconds.iter().map(|second| 10 * *second as u64).collect(),
            second: Second::Clock(Timer::Tick),
            multi: Multi::None,
            ..Column::default()
        };
        let run = Run {
            host: "HOST".into(),
            object: Arc::new(object),
            instances: vec![Instance::unnamed()].into(),
            clocks: Clocks {
                time: seconds.iter().map(|second| at(*second)).collect(),
                perf_time: seconds.iter().map(|second| *second as u64 * 1_000).collect(),
                perf_freq: vec![1_000; seconds.len()],
                ..Clocks::default()
            },
            columns: vec![column],
            faults: Vec::new(),
        };
        Decoded { runs: vec![run], ..Decoded::default() }
    }
}

/// (second, object, status, value) of every cell, in the order of the batches.
fn cells(inputs: &[Input], len_slice: usize) -> Vec<(i64, String, Status, Option<f64>)> {
    let mut cells = Vec::new();
    let mut last = Timestamp(i64::MIN);
    let options = PipelineOptions { len_slice, ..PipelineOptions::default() };
    let done = run(inputs, &options, |batch, _| {
        let times = || batch.iter().flat_map(|cooked: &Cooked| &cooked.times).map(|time| time.utc);
        assert!(times().min().is_none_or(|first| first > last), "batches ascend");
        last = times().max().unwrap_or(last);
        for cooked in &batch {
            for (cell, time) in cooked.times.iter().enumerate() {
                let column = &cooked.columns[0];
                let second = time.utc.0 / Timestamp::TICKS_PER_SECOND;
                cells.push((
                    second,
                    cooked.object.name.to_string(),
                    column.status_at(cell),
                    column.value_at(cell),
                ));
            }
        }
        Ok::<(), Infallible>(())
    });
    assert!(done.is_ok_and(|health| health.is_sound()));
    cells.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    cells
}

#[test]
fn cutting_changes_no_value() {
    let inputs = [Rising::new("System", 1_000, 500, 0..500).input(None)];
    let whole = cells(&inputs, usize::MAX);
    assert_eq!(whole.len(), 500);
    assert_eq!((whole[0].2, whole[0].3), (Status::FirstSample, None));
    assert!(whole[1..].iter().all(|cell| cell.3 == Some(10.0)));
    for len_slice in [1, 100, 350, 5_000] {
        assert_eq!(cells(&inputs, len_slice), whole, "slices of {len_slice} bytes");
    }
}

#[test]
fn an_object_that_comes_later_lacks_a_previous_instance() {
    let inputs = [Rising::new("System", 1_000, 20, 7..20).input(None)];
    for len_slice in [1, usize::MAX] {
        let cells = cells(&inputs, len_slice);
        assert_eq!((cells[0].0, cells[0].2), (1_007, Status::NoPreviousInstance));
        assert_eq!(cells[1].3, Some(10.0));
    }
}

#[test]
fn captures_interleave_in_time_and_continue_each_other_only_if_asked() {
    let inputs = [
        Rising::new("System", 1_000, 10, 0..10).input(None),
        Rising::new("Memory", 1_005, 10, 0..10).input(None),
        Rising::new("System", 1_020, 10, 0..10).input(Some(0)),
    ];
    for len_slice in [1, 450, usize::MAX] {
        let cells = cells(&inputs, len_slice);
        assert_eq!(cells.len(), 30);
        let firsts: Vec<(i64, &str)> = cells
            .iter()
            .filter(|cell| cell.2 == Status::FirstSample)
            .map(|cell| (cell.0, cell.1.as_str()))
            .collect();
        assert_eq!(firsts, [(1_000, "System"), (1_005, "Memory")]);
        // The interval between the two captures is computed like any other.
        assert_eq!(cells.iter().find(|cell| cell.0 == 1_020).map(|cell| cell.3), Some(Some(10.0)));
    }
}
