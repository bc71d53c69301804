//! Floating-point values, which need no cooking.

use recount_model::{Cooked, CookedColumn, Run, Selection, Status};

use crate::store::SaSource;

/// The values of a run whose cells are the bits of floating-point numbers, as far as they are selected.
pub(super) fn cooked(source: &SaSource, run: Run, samples: &[u32], selection: &Selection) -> Option<Cooked> {
    let num_instances = run.instances.len();
    let mut columns = Vec::new();
    for (counter, column) in run.columns.into_iter().enumerate() {
        let name = &run.object.counters[counter].name;
        let covers: Vec<bool> = run
            .instances
            .iter()
            .map(|instance| selection.matches(&run.host, &run.object.name, Some(instance), name))
            .collect();
        if !covers.contains(&true) {
            continue;
        }
        let values: Vec<f64> = column.first.iter().map(|bits| f64::from_bits(*bits)).collect();
        let status: Vec<Status> = values
            .iter()
            .map(|value| if value.is_finite() { Status::Ok } else { Status::NoOperations })
            .collect();
        let is_all_ok = status.iter().all(|status| *status == Status::Ok);
        columns.push(CookedColumn {
            counter,
            values: values.into_iter().map(|value| if value.is_finite() { value } else { 0.0 }).collect(),
            status: (!is_all_ok).then_some(status),
            covers: covers.contains(&false).then(|| covers.into()),
            texts: None,
        });
    }
    if columns.is_empty() {
        return None;
    }
    let times = run.clocks.time;
    let before = |index: usize| {
        let at = source.opened.times.partition_point(|time| time.utc < times[index].utc);
        Some(times[index].utc.seconds_since(source.time_before(at)?))
    };
    let interval_s = (0..times.len()).map(before).collect();
    let is_continued = samples.first().is_some_and(|first| source.time_before(*first as usize).is_some());
    Some(Cooked {
        host: run.host,
        object: run.object,
        instances: run.instances,
        interval_s,
        gaps: Vec::new(),
        first_s: Vec::new(),
        continued: vec![is_continued; num_instances],
        times,
        columns,
        raw: None,
    })
}
