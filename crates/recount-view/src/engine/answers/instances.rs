//! The time machine, all instances of an object in one sample: `POST api/instances`.

use recount::{InstanceRow, Moment};
use recount_analysis::shown::unit_of;
use recount_model::{Status, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Refusal, side_of};
use crate::engine::Engine;
use crate::engine::cancel::Cancel;
use crate::engine::side::{Side, read};
use crate::engine::time::{ms, ticks};

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
    rows: Vec<ShownInstance>,
}

#[derive(Clone, Debug, Serialize)]
struct CounterText {
    name: String,
    unit: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct ShownInstance {
    instance: String,
    id: Option<String>,
    host: Option<String>,
    values: Vec<Option<f64>>,
    status: Vec<&'static str>,
    began: bool,
    ended: bool,
}

impl Engine {
    pub(crate) fn instances(
        &self,
        request: &InstancesRequest,
        cancel: &Cancel,
    ) -> Result<InstancesAnswer, Refusal> {
        let side = side_of(self, request.side)?;
        let at = ticks(request.at)
            .ok_or_else(|| Refusal::bad("`at` must be a time in milliseconds"))?
            .saturating_sub(side.shift);
        let counters = counters_of(&side, &request.object)?;
        cancel.check()?;
        let step = request.step.clamp(-1, 1) as isize;
        let moment =
            self.answer(|| side.machines.of(&side.timeline, &request.object).at(Timestamp(at), step));
        let Some(moment) = moment else {
            return Err(Refusal::new(404, format!("no sample has {:?}", request.object)));
        };
        let mut rows = rows(&moment, &counters, side.facts.hosts.len() > 1);
        if let Some(sort) = &request.sort {
            let column = counters.iter().position(|counter| counter.name == *sort);
            let column =
                column.ok_or_else(|| Refusal::bad(format!("{} has no counter {sort:?}", request.object)))?;
            let value = |row: &ShownInstance| row.values[column].unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|a, b| value(b).total_cmp(&value(a)));
        }
        let time = moment.time.utc;
        Ok(InstancesAnswer {
            time_ms: ms(time.0.saturating_add(side.shift)),
            time: side.facts.shown(time),
            index: moment.index,
            num_samples: moment.num_samples,
            counters,
            rows,
        })
    }
}

/// The counters of an object on all machines and in all samples, so that a table keeps its columns from step
/// to step.
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

fn rows(moment: &Moment, counters: &[CounterText], with_hosts: bool) -> Vec<ShownInstance> {
    let Some(table) = moment.objects.first() else { return Vec::new() };
    let place = |counter: &CounterText| table.counters.iter().position(|known| *known.name == counter.name);
    let places: Vec<Option<usize>> = counters.iter().map(place).collect();
    let status = |row: &InstanceRow, place: usize| match row.statuses[place] {
        None | Some(Status::Ok) => "",
        Some(status) => status.as_str(),
    };
    let row = |row: &InstanceRow| ShownInstance {
        instance: row.shown(),
        id: row.id().map(|id| id.to_string()),
        host: with_hosts.then(|| row.host.to_string()),
        values: places.iter().map(|place| place.and_then(|place| row.values[place])).collect(),
        status: places.iter().map(|place| place.map_or("", |place| status(row, place))).collect(),
        // An object without instances doesn't come and go.
        began: row.began && row.instance.is_some(),
        ended: row.ended && row.instance.is_some(),
    };
    table.rows.iter().map(row).collect()
}
