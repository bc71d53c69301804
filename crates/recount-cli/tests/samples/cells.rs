//! Every cooked value of captures, by time and path.

use std::collections::BTreeMap;
use std::convert::Infallible;

use recount::{Capture, Status, Timeline};
use recount_compute::{Cooked, PipelineOptions, run};

/// A value, or why there is none.
pub(crate) type Cell = Result<f64, Status>;

/// Cells by time in UTC and path without host: `Process(svchost#1)\% Processor Time`.
pub(crate) type Cells = BTreeMap<(String, String), Cell>;

/// Computes all cells.
pub(crate) fn cells(captures: &[Capture]) -> Cells {
    let mut cells = Cells::new();
    let timeline = Timeline::whole(captures).expect("one time line");
    let done = run(timeline.inputs(), &PipelineOptions::default(), |batch, _| {
        for cooked in &batch {
            add(cooked, &mut cells);
        }
        Ok::<(), Infallible>(())
    });
    done.unwrap_or_else(|never| match never {});
    cells
}

fn add(cooked: &Cooked, cells: &mut Cells) {
    let num_instances = cooked.instances.len();
    for column in &cooked.columns {
        let counter = &cooked.object.counters[column.counter].name;
        for (at, instance) in cooked.instances.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
            let path = if cooked.object.instanced {
                format!(r"{}({instance})\{counter}", cooked.object.name)
            } else {
                format!(r"{}\{counter}", cooked.object.name)
            };
            for (sample, time) in cooked.times.iter().enumerate() {
                let cell = sample * num_instances + at;
                let value = column.value_at(cell).ok_or(column.status_at(cell));
                cells.insert((time.utc.to_string(), path.clone()), value);
            }
        }
    }
}

/// The cells of one path in time order; `None` for times without it.
pub(crate) fn series(cells: &Cells, path: &str) -> Vec<Option<Cell>> {
    let mut times: Vec<&String> = cells.keys().map(|(time, _)| time).collect();
    times.dedup();
    let all: Vec<_> =
        times.into_iter().map(|time| cells.get(&(time.clone(), path.to_owned())).copied()).collect();
    assert!(all.iter().any(Option::is_some), "no cell of {path}");
    all
}

/// Compares the cells of a path with what they should be, to 12 digits.
pub(crate) fn assert_series(cells: &Cells, path: &str, expected: impl Fn(i32) -> Option<Cell>) {
    for (k, found) in (0..).zip(series(cells, path)) {
        let expected = expected(k);
        let same = match (found, expected) {
            (Some(Ok(found)), Some(Ok(expected))) => (found - expected).abs() <= expected.abs() * 1e-12,
            (found, expected) => found == expected,
        };
        assert!(same, "{path}, sample {k}: found {found:?}, expected {expected:?}");
    }
}

/// The results of a formula over two samples: none for the first, then a value.
#[expect(clippy::unnecessary_wraps, reason = "what assert_series asks for")]
pub(crate) fn from_second(k: i32, value: f64) -> Option<Cell> {
    Some(if k == 0 { Err(Status::FirstSample) } else { Ok(value) })
}
