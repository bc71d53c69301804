//! Aggregates over instances, case by case.

use crate::support;

use std::sync::Arc;

use recount_compute::{CookOptions, Input};
use recount_model::{
    AggregateFunction, Aggregation, CounterAttributes, Instance, ObjectDef, Second, Selection, Status,
};

use support::aggregated::{census, cook_census, cook_inputs, entry, rows_of};
use support::census::Entry;

const TOTAL: AggregateFunction = AggregateFunction::Total;
const NONE: AggregateFunction = AggregateFunction::Undefined;

/// Only Things.
fn things(name: &str, count: u64) -> Entry {
    entry(name, None, [count, 0, 0, 1])
}

#[test]
fn an_instance_that_has_gone_keeps_its_last_value_until_it_returns() {
    let samples = vec![
        Some(vec![things("a", 1), things("b", 10)]),
        Some(vec![things("a", 2), things("b", 20)]),
        Some(vec![things("a", 3)]),
        None,
        Some(vec![]),
        Some(vec![things("b", 5)]),
    ];
    let totals = |aggregation| {
        let census = census(aggregation, [TOTAL, NONE, NONE], samples.clone());
        let all = cook_census(&census, 100, &CookOptions::default());
        rows_of(&all, "_Total")
            .into_iter()
            .map(|(s, _, outcome)| (s, outcome.expect("a value")))
            .collect::<Vec<_>>()
    };
    assert_eq!(totals(Aggregation::GlobalHistory), [(0, 11.0), (1, 22.0), (2, 23.0), (4, 23.0), (5, 8.0)]);
    assert_eq!(totals(Aggregation::Global), [(0, 11.0), (1, 22.0), (2, 3.0), (5, 5.0)]);
    assert_eq!(totals(Aggregation::Multiple), totals(Aggregation::Global));
    assert_eq!(totals(Aggregation::None), []);
}

#[test]
fn only_counters_of_a_function_have_its_aggregate() {
    let functions = [AggregateFunction::Maximum, TOTAL, NONE];
    let census = census(Aggregation::Global, functions, vec![Some(vec![things("a", 4)]); 2]);
    let all = cook_census(&census, usize::MAX, &CookOptions::default());
    let names: Vec<String> = all[0].instances.iter().map(Instance::shown).collect();
    assert_eq!(names, ["a", "_Total", "_Maximum"]);
    assert_eq!(rows_of(&all, "_Maximum"), [(0, 0, Ok(4.0)), (1, 0, Ok(4.0))]);
    assert_eq!(rows_of(&all, "_Total"), [(0, 1, Err(Status::FirstSample)), (1, 1, Ok(0.0))]);
    assert_eq!(all[0].interval_of(1, 1), Some(1.0));
    // An object without instances has nothing to aggregate.
    let all = cook_census(
        &census.with_object(|object| object.instanced = false),
        usize::MAX,
        &CookOptions::default(),
    );
    assert_eq!(all[0].instances.len(), 1);
}

#[test]
fn masks_leave_instances_out() {
    let samples = vec![Some(vec![things("a", 4), things("b", 7)])];
    let mut census = census(Aggregation::Global, [TOTAL, NONE, AggregateFunction::Average], samples);
    census.columns[0].covers = Some([false, true].into());
    census.columns[2].covers = Some([false, false].into());
    let all = cook_census(&census, usize::MAX, &CookOptions::default());
    assert_eq!(rows_of(&all, "_Total"), [(0, 0, Ok(7.0))]);
    assert_eq!(rows_of(&all, "_Average"), [], "no instance has that counter");
}

#[test]
fn raw_values_are_kept_for_the_instances_alone() {
    let samples = vec![Some(vec![things("a", 4), things("b", 7)]); 3];
    let census = census(Aggregation::Global, [TOTAL, NONE, NONE], samples);
    let hide = |object: &mut ObjectDef| object.counters[0].attributes = CounterAttributes::NO_DISPLAY;
    let census = census.with_object(hide);
    let raw = CookOptions { keep_raw: true, ..CookOptions::default() };
    let all = cook_census(&census, usize::MAX, &raw);
    assert_eq!(rows_of(&all, "_Total")[0], (0, 0, Ok(11.0)), "hidden, but asked for");
    assert_eq!(all[0].raw.as_ref().map(|run| run.columns[0].first.clone()), Some([4, 7].repeat(3)));
    assert_eq!(rows_of(&cook_census(&census, 1, &CookOptions::default()), "_Total"), [], "hidden");
    let selection = Selection::from_iter([r"\*(b)\*", r"\*(_*)\*"].map(|p| p.parse().expect(p)));
    let all = cook_census(&census, usize::MAX, &CookOptions { selection, ..raw });
    assert_eq!(all[0].instances.iter().map(Instance::shown).collect::<Vec<_>>(), ["b", "_Total"]);
    assert_eq!(all[0].raw.as_ref().map(|run| run.columns[0].first.clone()), Some(vec![7; 3]));
    assert_eq!(rows_of(&all, "_Total").len(), 3);
}

#[test]
fn aggregates_are_of_scaled_values() {
    let census =
        census(Aggregation::Global, [TOTAL, NONE, NONE], vec![Some(vec![things("a", 4), things("b", 7)])]);
    let census = census.with_object(|object| object.counters[0].default_scale = 1);
    let all = cook_census(&census, 1, &CookOptions { scaled: true, ..CookOptions::default() });
    assert_eq!(rows_of(&all, "_Total"), [(0, 0, Ok(110.0))]);
}

/// A counterset is registered again with its counters in another order.
#[test]
fn what_instances_left_follows_their_counters() {
    let functions = [TOTAL, NONE, AggregateFunction::Maximum];
    let (a, b) = (entry("a", None, [4, 0, 1, 2]), entry("b", None, [1, 0, 9, 10]));
    let samples = vec![Some(vec![a.clone(), b.clone()]), Some(vec![a, entry("c", None, [8, 0, 1, 8])]), None];
    let first = census(Aggregation::GlobalHistory, functions, samples);
    let samples = vec![None, None, Some(vec![entry("a", None, [6, 0, 1, 4])])];
    let later = census(Aggregation::GlobalHistory, functions, samples);
    let mut later = later.with_object(|object| object.counters.rotate_left(2));
    later.columns.rotate_left(2);
    later.columns[0].second = Second::Base(1);
    for entry in later.samples.iter_mut().flatten().flatten() {
        entry.raw.rotate_left(2);
    }
    let inputs: Vec<Input> = [first, later]
        .into_iter()
        .enumerate()
        .map(|(at, census)| Input {
            continues: at.checked_sub(1),
            ..Input::new(Arc::new(census), if at == 0 { vec![0, 1] } else { vec![2] })
        })
        .collect();
    let all = cook_inputs(&inputs, 1, &CookOptions::default());
    // In the new order, % Things comes first. b went before, c with the change.
    assert_eq!(rows_of(&all, "_Maximum"), [(0, 2, Ok(90.0)), (1, 2, Ok(90.0)), (2, 0, Ok(90.0))]);
    assert_eq!(rows_of(&all, "_Total"), [(0, 0, Ok(5.0)), (1, 0, Ok(13.0)), (2, 2, Ok(15.0))]);
}

#[test]
fn a_multiple_instance_aggregate_is_over_the_instances_that_are_named() {
    let all = vec![things("a", 1), things("b", 10), things("c", 100)];
    let samples = vec![Some(all.clone()), Some(vec![things("b", 20)]), Some(all)];
    let totals = |aggregation, over_named, patterns: &[&str]| {
        let census = census(aggregation, [TOTAL, NONE, NONE], samples.clone());
        let selection = patterns.iter().map(|text| text.parse().expect(text)).collect();
        let options = CookOptions { selection, over_named, ..CookOptions::default() };
        let rows = rows_of(&cook_census(&census, 1, &options), "_Total");
        rows.into_iter().map(|(second, _, outcome)| (second, outcome.expect("a value"))).collect::<Vec<_>>()
    };
    let (of_all, of_two) = ([(0, 111.0), (1, 20.0), (2, 111.0)], [(0, 101.0), (2, 101.0)]);
    let total = r"\Thing(_Total)\*";
    let set = [r"\Thing(a)\*", r"\Thing(C*)\Things/sec", total];
    assert_eq!(totals(Aggregation::Multiple, true, &set), of_two);
    assert_eq!(totals(Aggregation::Multiple, false, &set), of_all, "a selection that only saves work");
    assert_eq!(totals(Aggregation::Global, true, &set), of_all);
    for nothing_named in [
        &[total][..],
        &[total, "things"],
        &[total, r"\Other(a)\*"],
        &[total, r"\Thing(a)\*", r"\Thing\Things"],
        &[total, r"\Thing(*)\Things"],
        &[],
    ] {
        assert_eq!(totals(Aggregation::Multiple, true, nothing_named), of_all, "{nothing_named:?}");
    }
}
