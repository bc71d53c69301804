//! The values of one instance over some samples: for sparklines.

use recount_compute::{Cancelled, OnProgress};
use recount_model::{Cooked, Instance, SampleTime, Timestamp};

use super::table::name_of;
use super::{InstanceRow, TimeMachine};

/// Maximum number of bytes of samples read for a sparkline.
const MAX_LEN_READ: usize = 64 << 20;
/// Maximum difference between the start times of one process in two samples (100 ns).
const START_TOLERANCE: u64 = 2 * Timestamp::TICKS_PER_SECOND as u64;

/// Values of a counter of one instance, with the times of their samples, ascending. Samples without the instance are left
/// out.
pub type Past = Vec<(SampleTime, Option<f64>)>;

impl TimeMachine {
    /// The values of a counter of an instance in the sample of `row`, the `num_before` samples before it and the
    /// `num_after` samples after it; in fewer if they are large.
    pub fn past(
        &self,
        row: &InstanceRow,
        counter: &str,
        (num_before, num_after): (usize, usize),
        progress: OnProgress<'_>,
    ) -> Result<Past, Cancelled> {
        let Some(line) = self.lines.get(row.line) else { return Ok(Past::new()) };
        let Some(position) = line.at_or_before(row.time.utc) else { return Ok(Past::new()) };
        let (mut begin, mut end) = (position, position + 1);
        let mut left = MAX_LEN_READ;
        let mut is_room = |at: usize| {
            left = left.saturating_sub(line.len_sample(at));
            left > 0
        };
        while begin > 0 && position - begin < num_before && is_room(begin - 1) {
            begin -= 1;
        }
        while end < line.times.len() && end - position <= num_after && is_room(end) {
            end += 1;
        }
        let mut past = Past::new();
        line.stretch(begin..end).run(&self.options, |batch, step| {
            for cooked in &batch {
                if self.objects.first() == Some(&cooked.object.name) && cooked.host == row.host {
                    extend(&mut past, cooked, row, counter);
                }
            }
            Cancelled::check(progress(step))
        })?;
        past.sort_by_key(|(time, _)| time.utc);
        Ok(past)
    }
}

fn extend(past: &mut Past, cooked: &Cooked, row: &InstanceRow, counter: &str) {
    let is_it = |one: &Instance| row.instance.as_ref().is_none_or(|wanted| is_one(one, wanted));
    let Some(at) = cooked.instances.iter().position(is_it) else { return };
    let is_counter = |counter_at: usize| *name_of(&cooked.object.counters, counter_at) == *counter;
    let column = cooked.columns.iter().find(|column| is_counter(column.counter) && column.covers(at));
    let Some(column) = column else { return };
    for (sample, time) in cooked.times.iter().enumerate() {
        past.push((*time, column.value_at(sample * cooked.instances.len() + at)));
    }
}

/// Whether two instances in different samples are the same thing.
fn is_one(one: &Instance, other: &Instance) -> bool {
    let began_together = match (one.start, other.start) {
        (Some(one), Some(other)) => one.0.abs_diff(other.0) <= START_TOLERANCE,
        _ => true,
    };
    one.key() == other.key() && began_together
}
