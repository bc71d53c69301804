//! Instances that stay, disappear, appear and are replaced between two runs, and counters that change with
//! them.

use crate::support;

use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, cook};
use recount_model::{CellFault, CounterDef, Instance, RawNumber, Run, Second, Status, Timestamp, Width};

use support::{TICK, column, counter};

const RATE: u32 = 0x1041_0400;
const RAW: u32 = 0x0001_0000;

/// A one-sample run at a given second, with a rate from the given raw values.
fn sample(second: usize, instances: Vec<Instance>, raw: &[u64]) -> Run {
    support::run(second, 1, instances, vec![counter("Things/sec", RATE)], vec![column(raw.to_vec(), TICK)])
}

fn cook_after(before: &Run, run: Run) -> Cooked {
    cook(&Arc::new(run), Some(before), &CookOptions::default())
}

/// Value or status of the first counter, per instance of the first sample.
fn row(cooked: &Cooked) -> Vec<Result<f64, Status>> {
    let column = &cooked.columns[0];
    (0..cooked.instances.len()).map(|i| column.value_at(i).ok_or(column.status_at(i))).collect()
}

fn process(name: &str, id: u64, started: i64) -> Instance {
    let start = Some(Timestamp(started * Timestamp::TICKS_PER_SECOND));
    Instance { id: Some(id), start, ..Instance::named(name) }
}

#[test]
fn instances_are_found_wherever_they_stand() {
    let before = sample(0, support::letters(3), &[100, 200, 300]);
    let mut later = support::letters(4);
    later.remove(1);
    later.reverse(); // d, c, a
    let cooked = cook_after(&before, sample(2, later, &[1, 310, 104]));
    assert_eq!(row(&cooked), [Err(Status::NoPreviousInstance), Ok(5.0), Ok(2.0)]);
    assert_eq!(cooked.continued, [false, true, true]);
    assert_eq!(cooked.interval_s, [Some(2.0)]);
    assert_eq!((cooked.interval_of(0, 0), cooked.interval_of(0, 1)), (None, Some(2.0)));
}

#[test]
fn the_same_name_with_another_id_is_another_process() {
    let before = sample(10, vec![process("cc1", 7, 1), process("cc1", 8, 1)], &[100, 200]);
    // 7 has disappeared, 8 is now the first cc1, 9 is new; `8` keeps its value.
    let cooked = cook_after(&before, sample(11, vec![process("cc1", 8, 1), process("cc1", 9, 1)], &[230, 5]));
    assert_eq!(row(&cooked), [Ok(30.0), Err(Status::NoPreviousInstance)]);
}

#[test]
fn the_same_id_started_again_is_another_process() {
    let before = sample(10, vec![process("cc1", 7, 1)], &[100]);
    let cooked = cook_after(&before, sample(12, vec![process("cc1", 7, 11)], &[130]));
    assert_eq!(row(&cooked), [Err(Status::NoPreviousInstance)]);
}

#[test]
fn no_two_instances_continue_the_same_one() {
    let twins = |count| vec![Instance::named("twin"); count];
    let cooked = cook_after(&sample(0, twins(1), &[100]), sample(1, twins(2), &[101, 105]));
    assert_eq!(row(&cooked), [Ok(1.0), Err(Status::NoPreviousInstance)]);
    // Two candidates at other positions: neither is continued.
    let mut moved = twins(2);
    moved.insert(0, Instance::named("other"));
    let cooked = cook_after(&sample(0, moved, &[1, 2, 3]), sample(1, twins(1), &[9]));
    assert_eq!(row(&cooked), [Err(Status::NoPreviousInstance)]);
}

#[test]
fn counters_are_found_by_name_and_type() {
    let counters = |names: &[(&str, u32)]| names.iter().map(|(n, w)| counter(n, *w)).collect::<Vec<_>>();
    let columns = |raw: &[u64]| raw.iter().map(|raw| column(vec![*raw], TICK)).collect::<Vec<_>>();
    let before = support::run(
        0,
        1,
        support::letters(1),
        counters(&[("x", RATE), ("y", RATE), ("z", RAW)]),
        columns(&[100, 200, 300]),
    );
    let run = support::run(
        1,
        1,
        support::letters(1),
        counters(&[("y", RATE), ("z", RATE), ("new", RATE), ("x", RATE)]),
        columns(&[203, 300, 1, 104]),
    );
    let cooked = cook_after(&before, run);
    let all: Vec<_> = cooked.columns.iter().map(|c| c.value_at(0).ok_or(c.status_at(0))).collect();
    let none = Err(Status::NoPreviousInstance);
    assert_eq!(all, [Ok(3.0), none, none, Ok(4.0)]);
}

#[test]
fn a_counter_that_an_instance_had_not_got_before_has_no_value_yet() {
    let mut before = sample(0, support::letters(2), &[100, 0]);
    before.columns[0].covers = Some([true, false].into());
    let cooked = cook_after(&before, sample(1, support::letters(2), &[101, 7]));
    assert_eq!(row(&cooked), [Ok(1.0), Err(Status::NoPreviousInstance)]);
}

#[test]
fn a_fault_in_the_carry_takes_the_next_value_away() {
    let mut before = sample(0, support::letters(2), &[100, 200]);
    before.faults.push(CellFault { sample: 0, counter: 0, instance: 0 });
    let mut swapped = support::letters(2);
    swapped.reverse();
    let cooked = cook_after(&before, sample(1, swapped, &[203, 100]));
    assert_eq!(row(&cooked), [Ok(3.0), Err(Status::InvalidData)]);
}

#[test]
fn a_run_before_without_samples_is_none() {
    let mut empty = sample(0, support::letters(1), &[1]);
    (empty.clocks, empty.columns[0].first) = (recount_model::Clocks::default(), vec![]);
    let cooked = cook_after(&empty, sample(1, support::letters(1), &[2]));
    assert_eq!(row(&cooked), [Err(Status::FirstSample)]);
    assert_eq!((cooked.interval_s, cooked.continued), (vec![None], vec![false]));
}

/// MS-PCQ 2.2.4.9: the size of the data decides, whatever the type word says; different widths can't be
/// compared.
#[test]
fn the_width_of_the_values_goes_before_that_of_the_type() {
    let sample = |second: usize, width: Option<Width>, raw: u64| {
        let def = CounterDef { width, ..counter("Things/sec", RATE) };
        support::run(second, 1, support::letters(1), vec![def], vec![column(vec![raw], TICK)])
    };
    let large = Some(Width::Large);
    let cooked = cook_after(&sample(0, large, 1 << 40), sample(2, large, (1 << 41) + 4));
    assert_eq!(row(&cooked), [Ok(((1_u64 << 39) + 2) as f64)]);
    let cooked = cook_after(&sample(0, large, 1 << 40), sample(2, large, 7));
    assert_eq!(row(&cooked), [Err(Status::CounterReset)]);
    let cooked = cook_after(&sample(0, None, u64::from(u32::MAX)), sample(2, None, 3));
    assert_eq!(row(&cooked), [Ok(2.0)], "comes round");
    let cooked = cook_after(&sample(0, None, 1), sample(2, large, 3));
    assert_eq!(row(&cooked), [Err(Status::NoPreviousInstance)]);
}

/// Two captures may define one counter differently: their raw values aren't compared.
#[test]
fn a_counter_of_another_type_scale_or_unit_continues_nothing() {
    let run = |second: usize, def: &CounterDef, raw: u64| {
        support::run(second, 1, support::letters(1), vec![def.clone()], vec![column(vec![raw], TICK)])
    };
    let known = CounterDef { time_base: Some(1_000), unit: Some("bytes/sec"), ..counter("Things", RATE) };
    let after = |later: &CounterDef| row(&cook_after(&run(0, &known, 100), run(1, later, 110)));
    assert_eq!(after(&CounterDef { help: Some("more".into()), ..known.clone() }), [Ok(10.0)]);
    let others = [
        CounterDef { time_base: Some(1_024_000), ..known.clone() },
        CounterDef { unit: Some("/sec"), ..known.clone() },
        CounterDef { number: RawNumber::Float, ..known.clone() },
        CounterDef { len_value: 8, ..known.clone() },
    ];
    for other in others {
        assert_eq!(after(&other), [Err(Status::NoPreviousInstance)], "{other:?}");
    }
}

/// The base counts, too.
#[test]
fn a_counter_with_another_base_continues_nothing() {
    let run = |second: usize, base: u32, raw: [u64; 2]| {
        let defs = vec![counter("Time", 0x2047_0500), counter("Base", base)];
        let columns = vec![column(vec![raw[0]], Second::Base(1)), column(vec![raw[1]], Second::None)];
        support::run(second, 1, support::letters(1), defs, columns)
    };
    let before = run(0, 0x4003_0500, [10, 100]);
    assert_eq!(row(&cook_after(&before, run(1, 0x4003_0500, [20, 120]))), [Ok(50.0)]);
    let other = cook_after(&before, run(1, 0x4003_0400, [20, 120]));
    assert_eq!(row(&other), [Err(Status::NoPreviousInstance)]);
}
