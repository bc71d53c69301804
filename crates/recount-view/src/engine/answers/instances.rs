//! The time machine, all instances of an object in one sample: `POST api/instances`.

use std::collections::HashMap;

use recount_analysis::shown::unit_of;
use recount_compute::Cooked;
use recount_model::{Instance, Status, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of};
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::side::Side;
use crate::engine::state::read;
use crate::engine::time::{Span, ms, ticks};

#[derive(Debug, Deserialize)]
pub(crate) struct InstancesRequest {
    #[serde(default)]
    side: usize,
    object: String,
    at: f64,
    #[serde(default)]
    step: i64,
    sort: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct InstancesAnswer {
    time_ms: f64,
    time: String,
    index: usize,
    num_samples: usize,
    counters: Vec<CounterText>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
struct CounterText {
    name: String,
    unit: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    instance: String,
    id: Option<String>,
    host: Option<String>,
    values: Vec<Option<f64>>,
    status: Vec<&'static str>,
    began: bool,
    ended: bool,
}

/// Rows by machine, instance and its id; counters by name.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    by_instance: HashMap<(String, String, Option<u64>), usize>,
    by_counter: HashMap<String, usize>,
}

impl Engine {
    pub(crate) fn instances(
        &self,
        request: &InstancesRequest,
        cancel: &Cancel,
    ) -> Result<InstancesAnswer, Refusal> {
        let side = side_of(self, request.side)?;
        let at = ticks(request.at).ok_or_else(|| Refusal::bad("at is no time"))?.saturating_sub(side.shift);
        let counters = counters_of(&side, &request.object)?;
        let times = &side.facts.times;
        let before = times.partition_point(|time| time.utc.0 <= at).saturating_sub(1) as i64;
        let index =
            before.saturating_add(request.step.clamp(-1, 1)).clamp(0, times.len() as i64 - 1) as usize;
        let time = times[index].utc.0;
        let by_counter =
            counters.iter().enumerate().map(|(at, counter)| (counter.name.clone(), at)).collect();
        let mut table = Table { by_counter, ..Table::default() };
        self.answer(|| self.gather(&side, request, time, &mut table, cancel))?;
        let mut rows = table.rows;
        if let Some(sort) = &request.sort {
            let column = counters.iter().position(|counter| counter.name == *sort);
            let column =
                column.ok_or_else(|| Refusal::bad(format!("{} has no counter {sort:?}", request.object)))?;
            let value = |row: &Row| row.values[column].unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|a, b| value(b).total_cmp(&value(a)));
        }
        Ok(InstancesAnswer {
            time_ms: ms(time.saturating_add(side.shift)),
            time: side.facts.shown(Timestamp(time)),
            index,
            num_samples: times.len(),
            counters,
            rows,
        })
    }

    fn gather(
        &self,
        side: &Side,
        request: &InstancesRequest,
        time: i64,
        table: &mut Table,
        cancel: &Cancel,
    ) -> Result<(), Refusal> {
        // Captures of several machines have samples at times of their own.
        let longest = (side.facts.longest_s().unwrap_or(0.0) * 1e7) as i64;
        for input in 0..side.inputs.len() {
            let until = side.samples_in(input, Span { from: i64::MIN, to: time }).end;
            let Some(last) = until.checked_sub(1) else { continue };
            let own = side.time(input, last);
            if own != time && time.saturating_sub(own) > longest {
                continue;
            }
            let around = self.machine.around((request.side, side), (input, last), &request.object, cancel)?;
            table.add(&around, own, side.facts.hosts.len() > 1);
        }
        Ok(())
    }
}

/// The counters of an object on all machines.
fn counters_of(side: &Side, object: &str) -> Result<Vec<CounterText>, Refusal> {
    let counted = read(side);
    let entries: Vec<_> = counted.roster.objects().iter().filter(|entry| *entry.name == *object).collect();
    if entries.is_empty() {
        return Err(Refusal::new(404, format!("there is no object {object:?}")));
    }
    let mut counters: Vec<CounterText> = Vec::new();
    for counter in entries.iter().flat_map(|entry| &entry.counters) {
        if !counters.iter().any(|known| *known.name == *counter.name) {
            let unit = unit_of(&counter.name, counter.unit);
            counters.push(CounterText { name: counter.name.to_string(), unit });
        }
    }
    Ok(counters)
}

impl Table {
    /// Adds the sample of a time out of a stretch.
    fn add(&mut self, around: &[Cooked], time: i64, with_hosts: bool) {
        for (place, cooked) in around.iter().enumerate() {
            for sample in (0..cooked.num_samples()).filter(|sample| cooked.times[*sample].utc.0 == time) {
                for at in 0..cooked.instances.len() {
                    let row = self.row(cooked, at, with_hosts);
                    self.rows[row].began |= began(around, place, sample, at);
                    self.rows[row].ended |= ended(around, place, sample, at);
                    self.fill(row, cooked, sample, at);
                }
            }
        }
    }

    fn row(&mut self, cooked: &Cooked, at: usize, with_hosts: bool) -> usize {
        let instance = &cooked.instances[at];
        let shown = if cooked.object.instanced { instance.shown() } else { String::new() };
        let key = (cooked.host.to_string(), shown.clone(), instance.id);
        *self.by_instance.entry(key).or_insert_with(|| {
            self.rows.push(Row {
                instance: shown,
                id: instance.id.map(|id| id.to_string()),
                host: with_hosts.then(|| cooked.host.to_string()),
                values: vec![None; self.by_counter.len()],
                status: vec![""; self.by_counter.len()],
                began: false,
                ended: false,
            });
            self.rows.len() - 1
        })
    }

    fn fill(&mut self, row: usize, cooked: &Cooked, sample: usize, at: usize) {
        let cell = sample * cooked.instances.len() + at;
        for column in cooked.columns.iter().filter(|column| column.covers(at)) {
            let defs = &cooked.object.counters;
            let name = &defs[column.counter].name;
            // As the roster numbers them.
            let before = defs[..column.counter].iter().filter(|other| other.name == *name).count();
            let place = match before {
                0 => self.by_counter.get(&**name),
                before => self.by_counter.get(&format!("{name} ({})", before + 1)),
            };
            let Some(&place) = place else { continue };
            self.rows[row].values[place] = column.value_at(cell);
            self.rows[row].status[place] = match column.status_at(cell) {
                Status::Ok => "",
                status => status.as_str(),
            };
        }
    }
}

fn is_same_stream(one: &Cooked, other: &Cooked) -> bool {
    one.host == other.host && one.object.name == other.object.name && one.object.stream == other.object.stream
}

/// Whether an instance isn't in the sample before, if there is one.
fn began(around: &[Cooked], place: usize, sample: usize, at: usize) -> bool {
    let cooked = &around[place];
    if !cooked.object.instanced || sample > 0 || cooked.interval_s[0].is_none() {
        return false;
    }
    let is_known = |earlier: &Cooked| has(earlier, &cooked.instances[at], cooked.times[0].utc);
    let before = around[..place].iter().rev().find(|earlier| is_same_stream(earlier, cooked));
    // At the begin of what was decoded, the pipeline knows what was before.
    !cooked.continued[at] && !before.is_some_and(is_known)
}

/// Whether an instance isn't in the next sample, if there is one.
fn ended(around: &[Cooked], place: usize, sample: usize, at: usize) -> bool {
    let cooked = &around[place];
    if !cooked.object.instanced || sample + 1 < cooked.num_samples() {
        return false;
    }
    let Some(next) = around[place + 1..].iter().find(|later| is_same_stream(later, cooked)) else {
        return false;
    };
    let time = cooked.times[sample].utc;
    !next.instances.iter().any(|later| later.is_same(&cooked.instances[at], time))
}

fn has(earlier: &Cooked, instance: &Instance, time: Timestamp) -> bool {
    earlier.instances.iter().any(|known| known.id == instance.id && instance.is_same(known, time))
}
