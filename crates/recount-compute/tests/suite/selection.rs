//! Selections, masks, raw values, scales; and runs that lack what their formulas need.

use crate::support;

use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, cook};
use recount_model::{CellFault, Column, Run, Second, Selection, Status};

use support::{TICK, column, counter};

const RATE: u32 = 0x1041_0400;
const RAW: u32 = 0x0001_0000;
const AVERAGE_BULK: u32 = 0x4002_0500;
const AVERAGE_BASE: u32 = 0x4003_0402;

/// Two samples of instances a, b, c: a rate, a raw count, an average and its base.
fn run() -> Run {
    support::run(
        0,
        2,
        support::letters(3),
        vec![
            counter("Things/sec", RATE),
            counter("Things", RAW),
            counter("Bytes/Thing", AVERAGE_BULK),
            counter("Bytes/Thing", AVERAGE_BASE),
        ],
        vec![
            column(vec![1, 2, 3, 11, 22, 33], TICK),
            column(vec![5, 6, 7, 8, 9, 10], Second::None),
            column(vec![0, 0, 0, 100, 200, 300], Second::Base(3)),
            column(vec![0, 0, 0, 10, 10, 10], Second::None),
        ],
    )
}

fn select(patterns: &[&str]) -> Selection {
    patterns.iter().map(|p| p.parse().expect(p)).collect()
}

fn cook_selected(run: Run, patterns: &[&str], keep_raw: bool) -> Cooked {
    cook(
        &Arc::new(run),
        None,
        &CookOptions { selection: select(patterns), keep_raw, ..CookOptions::default() },
    )
}

/// Counter, values of the second sample, mask.
fn columns(cooked: &Cooked) -> Vec<(usize, Vec<f64>, Option<Vec<bool>>)> {
    let n = cooked.instances.len();
    let column = |c: &recount_compute::CookedColumn| {
        (c.counter, c.values[n..].to_vec(), c.covers.as_ref().map(|mask| mask.to_vec()))
    };
    cooked.columns.iter().map(column).collect()
}

fn names(cooked: &Cooked) -> Vec<String> {
    cooked.instances.iter().map(recount_model::Instance::shown).collect()
}

#[test]
fn everything_but_the_bases_by_default() {
    let cooked = cook_selected(run(), &[], false);
    let all: Vec<usize> = cooked.columns.iter().map(|c| c.counter).collect();
    assert_eq!(all, [0, 1, 2]);
    assert!(cooked.raw.is_none());
    assert!(cooked.columns[1].status.is_none(), "all values are there");
}

#[test]
fn instances_that_nothing_selects_are_left_out() {
    let mut run = run();
    run.faults.push(CellFault { sample: 1, counter: 3, instance: 2 });
    run.faults.push(CellFault { sample: 1, counter: 1, instance: 1 });
    let cooked = cook_selected(run, &[r"\Thing(c)\Bytes/Thing", r"\Thing(a)\*"], false);
    assert_eq!(names(&cooked), ["a", "c"]);
    assert_eq!(
        columns(&cooked),
        [
            (0, vec![10.0, 30.0], Some(vec![true, false])),
            (1, vec![8.0, 10.0], Some(vec![true, false])),
            (2, vec![10.0, 0.0], None),
        ]
    );
    assert_eq!(cooked.columns[2].status_at(3), Status::InvalidData, "a fault of c's base stays c's");
    assert!(cooked.columns[1].status.is_none(), "b's fault is gone with b");
}

#[test]
fn texts_select_too_and_nothing_may_be_left() {
    let cooked = cook_selected(run(), &["(b)\\things/"], false);
    assert_eq!((names(&cooked), columns(&cooked)), (vec!["b".to_owned()], vec![(0, vec![20.0], None)]));
    let cooked = cook_selected(run(), &[r"\Other\*"], true);
    assert_eq!((cooked.instances.len(), cooked.columns.len(), cooked.num_samples()), (0, 0, 2));
}

#[test]
fn raw_values_are_compacted_alike_and_bases_are_shown() {
    let cooked = cook_selected(run(), &[r"\Thing(b)\bytes*", r"\Thing(c)\bytes*"], true);
    let raw = cooked.raw.as_ref().expect("raw values");
    assert_eq!((raw.instances.len(), &raw.columns[2].first), (2, &vec![0, 0, 200, 300]));
    assert_eq!(raw.columns[0].first, [2, 3, 22, 33], "counters not selected stay, too");
    assert_eq!(columns(&cooked), [(2, vec![20.0, 30.0], None), (3, vec![0.0, 0.0], None)]);
    assert_eq!(cooked.columns[1].status, Some(vec![Status::NotANumber; 4]));
    // Without compaction the run itself is kept.
    let whole = Arc::new(run());
    let cooked = cook(&whole, None, &CookOptions { keep_raw: true, ..CookOptions::default() });
    assert!(Arc::ptr_eq(&whole, cooked.raw.as_ref().expect("raw values")));
}

#[test]
fn compaction_changes_no_value_across_a_boundary() {
    let whole = run();
    let (before, later) = (support::slice(&whole, 0..1), Arc::new(support::slice(&whole, 1..2)));
    let options = CookOptions { selection: select(&[r"\*(c)\*"]), ..CookOptions::default() };
    let cooked = cook(&later, Some(&before), &options);
    let values: Vec<f64> = cooked.columns.iter().map(|c| c.values[0]).collect();
    assert_eq!((names(&cooked), values), (vec!["c".to_owned()], vec![30.0, 10.0, 30.0]));
}

#[test]
fn masks_of_the_run_are_kept() {
    let mut run = run();
    run.columns[1].covers = Some([false, true, true].into());
    let cooked = cook_selected(run.clone(), &[], false);
    assert!(!cooked.columns[1].covers(0) && cooked.columns[1].covers(1));
    // Of a, only Things is selected, which it doesn't have.
    let cooked = cook_selected(run, &[r"\Thing(*)\Things"], false);
    assert_eq!(
        (names(&cooked), columns(&cooked)),
        (vec!["b".into(), "c".into()], vec![(1, vec![9.0, 10.0], None)])
    );
}

#[test]
fn scales_apply_only_when_asked_for() {
    let mut run = run();
    let mut object = (*run.object).clone();
    (object.counters[0].default_scale, object.counters[1].default_scale) = (-1, 2);
    run.object = Arc::new(object);
    let run = Arc::new(run);
    let cooked = cook(&run, None, &CookOptions { scaled: true, ..CookOptions::default() });
    assert_eq!(columns(&cooked)[0].1, [1.0, 2.0, 3.0]);
    assert_eq!(columns(&cooked)[1].1, [800.0, 900.0, 1000.0]);
    assert_eq!(columns(&cook(&run, None, &CookOptions::default()))[0].1, [10.0, 20.0, 30.0]);
}

/// Status of the second sample of every counter after a change to the run; never a panic, whatever is
/// missing.
fn statuses(change: impl Fn(&mut Run)) -> Vec<Status> {
    let mut run = run();
    change(&mut run);
    let cooked = cook(&Arc::new(run), None, &CookOptions::default());
    let n = cooked.instances.len();
    cooked.columns.iter().map(|column| column.status_at(n)).collect()
}

#[test]
fn what_is_missing_makes_invalid_data() {
    let (ok, invalid) = (Status::Ok, Status::InvalidData);
    assert_eq!(statuses(|_| ()), [ok, ok, ok]);
    assert_eq!(statuses(|run| run.columns[0].second = Second::None), [invalid, ok, ok]);
    assert_eq!(statuses(|run| run.clocks.perf_freq.fill(0)), [invalid, ok, ok]);
    assert_eq!(statuses(|run| run.clocks.perf_freq.truncate(1)), [invalid, ok, ok]);
    assert_eq!(statuses(|run| run.clocks.perf_time.clear()), [invalid, ok, ok]);
    assert_eq!(statuses(|run| run.columns[2].second = Second::Base(99)), [ok, ok, invalid]);
    assert_eq!(statuses(|run| run.columns[2].second = TICK), [ok, ok, invalid]);
    assert_eq!(statuses(|run| run.columns[2].second = Second::Own(vec![1])), [ok, ok, invalid]);
    assert_eq!(statuses(|run| run.columns[3].first.clear()), [ok, ok, invalid]);
    assert_eq!(statuses(|run| run.columns[1] = Column::default()), [ok, invalid, ok]);
    assert_eq!(statuses(|run| run.columns.truncate(1)), [ok, invalid, invalid]);
}

#[test]
fn the_frequency_of_a_sample_is_that_samples() {
    let mut run = support::run(
        0,
        4,
        support::letters(1),
        vec![counter("Things/sec", RATE)],
        vec![column(vec![0, 10, 20, 30], TICK)],
    );
    run.clocks.perf_freq = vec![1000, 1000, 2000, 0];
    let cooked = cook(&Arc::new(run.clone()), None, &CookOptions::default());
    assert_eq!(cooked.columns[0].values, [0.0, 10.0, 20.0, 0.0]);
    assert_eq!(cooked.columns[0].status_at(3), Status::InvalidData);
    // If stated per counter, it takes precedence over the sample's.
    let mut object = (*run.object).clone();
    object.counters[0].time_base = Some(500);
    run.object = Arc::new(object);
    let cooked = cook(&Arc::new(run), None, &CookOptions::default());
    assert_eq!(cooked.columns[0].values, [0.0, 5.0, 5.0, 5.0]);
}

#[test]
fn runs_without_instances_or_samples_cook_to_nothing() {
    for (samples, instances) in [(2, 0), (0, 2), (0, 0)] {
        let run = support::run(
            0,
            samples,
            support::letters(instances),
            vec![counter("Things/sec", RATE), counter("Delta", 0x0040_0500)],
            vec![column(vec![], TICK), column(vec![], Second::None)],
        );
        let before = support::slice(&run, 0..samples);
        for previous in [None, Some(&before)] {
            let cooked = cook(&Arc::new(run.clone()), previous, &CookOptions::default());
            assert_eq!((cooked.columns.len(), cooked.num_cells()), (2, 0));
            assert!(cooked.columns.iter().all(|column| column.values.is_empty()));
        }
    }
}

/// A counter list doesn't describe its bases: for types not in the table, the width follows from the class of
/// the formula.
#[test]
fn bases_of_unknown_types_have_the_width_of_their_class() {
    let cooked = |word: u32, base: [u64; 2]| {
        let own = column(vec![0, 1 << 33], Second::Own(base.to_vec()));
        let run = support::run(0, 2, support::letters(1), vec![counter("?", word)], vec![own]);
        cook(&Arc::new(run), None, &CookOptions::default()).columns[0].value_at(1)
    };
    // PRECISION with a base's difference: a 64-bit time stamp.
    assert_eq!(cooked(0x20C7_0500, [1 << 40, (1 << 40) + (1 << 34)]), Some(50.0));
    // An inverse FRACTION of 64 bits: as wide as the counter.
    assert_eq!(cooked(0x2102_0500, [0, 1 << 34]), Some(50.0));
    // A 64-bit sample fraction, and an average: 32 bits, which wrap.
    let fraction = (1_u64 << 33) as f64 / 20.0;
    assert_eq!(cooked(0x20C2_0500, [(1 << 32) - 10, 10]), Some(fraction * 100.0));
    assert_eq!(cooked(0x0002_0500, [(1 << 32) - 10, 10]), Some(fraction));
}
