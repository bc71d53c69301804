//! Samples as a counter list: a record per counter, for all of its instances where it has any.

use recount_blg::{Entry, InstanceValue, RecordBuf};
use recount_model::{CounterType, Formula, Timer};

use crate::machine::{CounterSpec, Machine, PERF_FREQ, SimulatedObject};

/// Kind of an entry with a wildcard for instances.
const KIND_WILDCARD: u32 = 1;

/// The counter list: every counter but bases, whose values come as the second values of the counters they serve.
pub(crate) fn entries(machine: &Machine, host: &str) -> Vec<Entry> {
    let all =
        machine.objects.iter().flat_map(|object| counters(object).map(move |(_, counter)| (object, counter)));
    all.map(|(object, counter)| entry(object, counter, host)).collect()
}

fn counters(object: &SimulatedObject) -> impl Iterator<Item = (usize, &'static CounterSpec)> {
    let all = object.spec.counters.iter().enumerate();
    all.filter(|(_, counter)| !CounterType(counter.word).is_base())
}

fn entry(object: &SimulatedObject, counter: &CounterSpec, host: &str) -> Entry {
    let instanced = !object.spec.instances.is_empty();
    Entry {
        kind: if instanced { KIND_WILDCARD } else { 0 },
        counter_type: CounterType(counter.word),
        time_base: PERF_FREQ as u64,
        default_scale: 0,
        host: host.into(),
        object: object.spec.name.into(),
        instance: instanced.then(|| "*".to_owned()),
        parent: None,
        index: 0,
        counter: counter.name.into(),
    }
}

/// The records of one sample.
pub(crate) fn records(machine: &Machine) -> Vec<RecordBuf> {
    let of_object = |object| counters(object).map(move |(at, counter)| record(machine, object, at, counter));
    machine.objects.iter().flat_map(of_object).collect()
}

fn record(machine: &Machine, object: &SimulatedObject, at: usize, counter: &CounterSpec) -> RecordBuf {
    let recipe = CounterType(counter.word).recipe(8);
    let is_dword = counter.word & 0x300 == 0;
    let first = |value: u64| if is_dword { u64::from(value as u32) } else { value };
    let second = |values: &[u64]| match recipe.clock {
        _ if recipe.formula.needs_base() => base_value(object, at, values),
        _ if !(recipe.formula.needs_clock() || recipe.formula == Formula::Elapsed) => 0,
        Some(Timer::Tick) => machine.perf_time as u64,
        _ => machine.time_100ns as u64,
    };
    if object.spec.instances.is_empty() {
        let values = &object.instances[0].values;
        return RecordBuf::Single { status: 0, first: first(values[at]), second: second(values), multi: 1 };
    }
    let values = object.instances.iter().map(|instance| InstanceValue {
        name: instance.name.clone(),
        first: first(instance.values[at]),
        second: second(&instance.values),
    });
    RecordBuf::Instances { status: 0, values: values.collect() }
}

fn base_value(object: &SimulatedObject, at: usize, values: &[u64]) -> u64 {
    let is_dword = object.spec.counters.get(at + 1).is_some_and(|base| base.word & 0x300 == 0);
    let value = values.get(at + 1).copied().unwrap_or(0);
    if is_dword { u64::from(value as u32) } else { value }
}
