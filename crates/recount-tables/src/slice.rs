//! A slice of time: the cooked stretches that are written together.

use recount_compute::Cooked;
use recount_model::Timestamp;

use crate::TableError;

/// Checks that slices are in order and that their parts are consistent.
#[derive(Debug, Default)]
pub(crate) struct SliceCheck {
    last: Option<Timestamp>,
}

impl SliceCheck {
    /// Fails if the slice violates the requirements of [`crate::TableSink::write`].
    pub(crate) fn accept(&mut self, slice: &[Cooked]) -> Result<(), TableError> {
        slice.iter().try_for_each(check_shape)?;
        let times = || slice.iter().flat_map(|cooked| &cooked.times).map(|time| time.utc);
        let (Some(first), Some(last)) = (times().min(), times().max()) else { return Ok(()) };
        if let Some(before) = self.last
            && first < before
        {
            return Err(TableError::OutOfOrder { time: first, last: before });
        }
        self.last = Some(last);
        Ok(())
    }
}

fn check_shape(cooked: &Cooked) -> Result<(), TableError> {
    let check = |field: &str, expected: usize, found: usize| {
        if expected == found {
            return Ok(());
        }
        Err(TableError::Shape {
            object: cooked.object.name.to_string(),
            field: field.into(),
            expected,
            found,
        })
    };
    let num_instances = cooked.instances.len();
    check("interval_s", cooked.num_samples(), cooked.interval_s.len())?;
    check("continued", num_instances, cooked.continued.len())?;
    for column in &cooked.columns {
        let Some(counter) = cooked.object.counters.get(column.counter) else {
            return check("counters", column.counter + 1, cooked.object.counters.len());
        };
        check(&counter.name, cooked.num_cells(), column.values.len())?;
        if let Some(status) = &column.status {
            check(&format!("status of {}", counter.name), cooked.num_cells(), status.len())?;
        }
        if let Some(texts) = &column.texts {
            check(&format!("texts of {}", counter.name), cooked.num_cells(), texts.len())?;
        }
        if let Some(covers) = &column.covers {
            check(&format!("covers of {}", counter.name), num_instances, covers.len())?;
        }
    }
    if let Some(raw) = &cooked.raw {
        check("raw samples", cooked.num_samples(), raw.num_samples())?;
        // Aggregates, which come last, have no raw values.
        check("raw instances", num_instances.min(raw.instances.len()), raw.instances.len())?;
        check("raw counters", cooked.object.counters.len(), raw.columns.len())?;
    }
    Ok(())
}

/// The times of a stretch in nanoseconds since 1970.
pub(crate) fn nanos(cooked: &Cooked) -> Result<Vec<i64>, TableError> {
    let times = cooked.times.iter().map(|time| {
        let error = || TableError::TimeOutOfRange { time: time.utc, object: cooked.object.name.to_string() };
        time.utc.unix_nanos().ok_or_else(error)
    });
    times.collect()
}

/// The order in which samples become rows: by time, then as given. As (stretch, sample).
pub(crate) fn order(times: &[&[i64]]) -> Vec<(usize, usize)> {
    let stretches = times.iter().enumerate();
    let mut order: Vec<_> =
        stretches.flat_map(|(at, times)| (0..times.len()).map(move |sample| (at, sample))).collect();
    order.sort_by_key(|&(at, sample)| times[at][sample]);
    order
}

/// Whether each stretch ends before the next one begins.
pub(crate) fn are_apart(times: &[&[i64]]) -> bool {
    let ends = || times.iter().filter_map(|times| Some((*times.first()?, *times.last()?)));
    ends().zip(ends().skip(1)).all(|((_, last), (next, _))| last < next)
}
