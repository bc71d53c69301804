//! The values of the session: links between counters, aggregates, blocks of every type.

use recount::Status;

use crate::cells::{assert_series, cells, from_second};
use crate::places::open_sample;

#[test]
fn counters_are_measured_by_other_counters() {
    let cells = cells(&open_sample("session.pcq"));
    assert_series(&cells, r"Job Queue\Jobs/sec", |k| from_second(k, 1_000.0 / 10.0));
    // 1,000 ticks after its start the clock of the queue has 500 ticks a second and 2,000 more with every sample.
    assert_series(&cells, r"Job Queue\Age", |k| Some(Ok(f64::from(2_000 * k) / 500.0)));
    assert_series(&cells, r"Job Queue\% Full", |k| Some(Ok(100.0 * f64::from(k) / 8.0)));
    let is_shown = |name: &str| cells.keys().any(|(_, path)| path.ends_with(name));
    for hidden in [r"\Clock", r"\Clock Frequency", r"\Capacity", r"\Transfers"] {
        assert!(!is_shown(hidden), "{hidden}");
    }
}

#[test]
fn instances_are_aggregated_with_history() {
    let cells = cells(&open_sample("session.pcq"));
    let worker = |instance: &str, counter: &str| format!(r"Worker({instance})\{counter}");
    let new = Some(Err(Status::NoPreviousInstance));
    let first = Some(Err(Status::FirstSample));
    let at = |values: [Option<Result<f64, Status>>; 6]| move |k: i32| values[k as usize];
    let ok = |value: f64| Some(Ok(value));

    let items = |instance: &str| worker(instance, "Items/sec");
    assert_series(&cells, &items("alpha"), |k| from_second(k, 10.0));
    assert_series(&cells, &items("beta"), at([None, new, ok(20.0), ok(20.0), None, None]));
    // From sample 4 on an instance has the name, so the aggregate is the next of that name, always.
    assert_series(&cells, &items("_Total"), at([None, None, None, None, new, ok(30.0)]));
    assert_series(&cells, &items("_Total#1"), at([first, ok(10.0), ok(30.0), ok(30.0), ok(30.0), ok(60.0)]));

    let length = at([ok(10.0), ok(15.0), ok(15.0), ok(15.0), ok(20.0), ok(20.0)]);
    assert_series(&cells, &worker("_Average", "Queue Length"), length);
    assert_series(&cells, &worker("_Minimum", "Free Bytes"), |k| ok(f64::from(1_000 + k)));
    let peak = at([ok(1_000.0), ok(2_001.0), ok(2_002.0), ok(2_003.0), ok(3_004.0), ok(3_005.0)]);
    assert_series(&cells, &worker("_Maximum", "Peak Bytes"), peak);
    assert!(!cells.keys().any(|(_, path)| path == &worker("_Average", "Version")));
}

#[test]
fn blocks_that_were_asked_for_apart_belong_together() {
    let cells = cells(&open_sample("session.pcq"));
    let seconds = 50_000.0 / 1_000_000.0 / 20.0;
    assert_series(&cells, r"Volume(C:)\Avg. sec/Transfer", |k| from_second(k, seconds));
    let idle = |k| Some(Err(if k == 0 { Status::FirstSample } else { Status::NoOperations }));
    assert_series(&cells, r"Volume(D:)\Avg. sec/Transfer", idle);
    // 15 s of work in 10 s, of 3 members; sample 3 is an error, and so is what needs it.
    let busy = |k| match k {
        3 | 4 => Some(Err(Status::InvalidData)),
        k => from_second(k, 100.0 * 1.5 / 3.0),
    };
    assert_series(&cells, r"Volume(C:)\% Busy", busy);
    assert_series(&cells, r"Volume(C:)\Members", |_| Some(Ok(3.0)));
    assert!(!cells.keys().any(|(_, path)| path.starts_with(r"Volume(D:)\% Busy")));
}
