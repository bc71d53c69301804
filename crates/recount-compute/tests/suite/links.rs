//! Countersets of MS-PCQ 2.2.4.2: clocks, frequencies, bases and instance counts that are themselves
//! counters.

use crate::support;

use std::sync::Arc;

use proptest::prelude::*;
use recount_compute::{CookOptions, cook};
use recount_model::{CellFault, Column, Multi, Run, Second, Selection, Status, Timer};

use support::linked::{LARGE_RAWCOUNT, RAWCOUNT, linked};
use support::random_runs::runs;
use support::{bits, column, cook_all, counter, row};

const ELAPSED: u32 = 0x3024_0500;
/// A rate per second of the object's clock: not in any table, but determined by its fields.
const OBJECT_RATE: u32 = 0x1061_0500;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_runs_in_both_forms_give_the_same_values(classic in runs(), cut in 0..7_usize) {
        let linked = linked(&classic);
        prop_assert_eq!(bits(&cook_all(&linked, None)), bits(&cook_all(&classic, None)));
        let cut = cut.min(classic.num_samples());
        let later = |run: &Run| {
            let all = run.num_samples();
            bits(&cook_all(&support::slice(run, cut..all), Some(&support::slice(run, 0..cut))))
        };
        prop_assert_eq!(later(&linked), later(&classic));
    }

    #[test]
    fn links_survive_a_selection(classic in runs(), cut in 0..7_usize) {
        let linked = linked(&classic);
        let cut = cut.min(classic.num_samples());
        let selection = Selection::from_iter([r"\Thing(a)\*".parse().expect("a path")]);
        let options = CookOptions { selection, ..CookOptions::default() };
        let selected = |run: &Run| {
            let later = Arc::new(support::slice(run, cut..run.num_samples()));
            bits(&cook(&later, Some(&support::slice(run, 0..cut)), &options))
        };
        prop_assert_eq!(selected(&linked), selected(&classic));
    }
}

/// Two samples, a second apart, of instances a and b, with their own clock and frequency: counter 1 is the
/// clock, 2 the frequency.
fn own_clocks(word: u32, first: [u64; 4], clock: [u64; 4], frequency: [u64; 4]) -> Run {
    let it = Column { frequency: Some(2), ..column(first.to_vec(), Second::Base(1)) };
    let defs = vec![counter("it", word), counter("time", LARGE_RAWCOUNT), counter("freq", LARGE_RAWCOUNT)];
    let rest = [clock, frequency].map(|cells| column(cells.to_vec(), Second::None));
    support::run(0, 2, support::letters(2), defs, [vec![it], rest.to_vec()].concat())
}

/// Values or statuses of the first counter.
#[test]
fn every_instance_has_its_own_frequency() {
    let run = own_clocks(ELAPSED, [10, 20, 10, 20], [110, 220, 310, 20], [100, 400, 0, 7]);
    assert_eq!(row(&run, None), [Ok(1.0), Ok(0.5), Err(Status::InvalidData), Ok(0.0)]);
    // A rate uses the frequency of the later sample; that of the first isn't used.
    let run = own_clocks(OBJECT_RATE, [0, 0, 10, 10], [0, 0, 100, 200], [0, 1, 1000, 400]);
    let later = [Ok(100.0), Ok(20.0)];
    assert_eq!(row(&run, None)[2..], later);
    assert_eq!(row(&run, None)[..2], [Err(Status::InvalidData), Err(Status::FirstSample)]);
    assert_eq!(row(&support::slice(&run, 1..2), Some(&support::slice(&run, 0..1))), later);
}

/// Many instances with one clock use a separate loop.
#[test]
fn frequencies_differ_under_a_shared_clock() {
    for count in [1, 2, 31, 32, 70] {
        let cells = |sample: u64| (0..count as u64).map(move |i| sample * (i + 1));
        let rates = Column {
            frequency: Some(1),
            ..column(cells(0).chain(cells(1)).chain(cells(3)).collect(), Second::Clock(Timer::Object))
        };
        // 500 for the first two, then 1000, then a zero.
        let frequency = |i: usize| if i < 2 { 500 } else { 1000 };
        let mut hertz: Vec<u64> = (0..3 * count).map(|cell| frequency(cell % count)).collect();
        hertz[3 * count - 1] = 0;
        let defs = vec![counter("it", OBJECT_RATE), counter("freq", LARGE_RAWCOUNT)];
        let all = vec![rates, column(hertz, Second::None)];
        let run = support::run(0, 3, support::letters(count), defs, all);
        // A sample per second of 1000 ticks.
        let expected = |sample: usize, i: usize| match sample {
            _ if (sample, i) == (2, count - 1) => Err(Status::InvalidData),
            0 => Err(Status::FirstSample),
            _ => Ok((sample * (i + 1) * frequency(i) as usize) as f64 / 1000.0),
        };
        let all: Vec<_> =
            (0..3).flat_map(|s| (0..count).map(move |i| (s, i))).map(|(s, i)| expected(s, i)).collect();
        assert_eq!(row(&run, None), all, "{count} instances");
        let carried = row(&support::slice(&run, 1..3), Some(&support::slice(&run, 0..1)));
        assert_eq!(carried, all[count..], "{count} instances, carried");
    }
}

#[test]
fn a_clock_is_64_bits_wide_and_never_wraps() {
    let top = u64::MAX - 9;
    let run = own_clocks(0x2061_0500, [0, 0, 5, 5], [1 << 32, top, (1 << 32) + 10, 10], [1; 4]);
    assert_eq!(row(&run, None)[2..], [Ok(50.0), Err(Status::ClockNotAdvancing)]);
    let run = own_clocks(0x0065_0500, [0, 0, 5, 5], [7, 0xFFFF_FFFF, 7, 4], [1; 4]);
    let stands = [Err(Status::ClockNotAdvancing); 2];
    assert_eq!(row(&run, None)[2..], stands);
    assert_eq!(row(&support::slice(&run, 1..2), Some(&support::slice(&run, 0..1))), stands);
}

/// A base or clock counter is read in the previous and the current sample, a frequency only in the current
/// one.
#[test]
fn faults_reach_as_far_as_what_is_read() {
    let first = [0, 0, 10, 10];
    let run = own_clocks(OBJECT_RATE, first, [0, 0, 100, 100], [1000; 4]);
    let fault = |sample, counter, instance| {
        let mut run = run.clone();
        run.faults.push(CellFault { sample, counter, instance });
        let later = row(&support::slice(&run, 1..2), Some(&support::slice(&run, 0..1)));
        assert_eq!(row(&run, None)[2..], later);
        later
    };
    let (sound, invalid) = (Ok(100.0), Err(Status::InvalidData));
    assert_eq!(fault(1, 2, 0), [invalid, sound], "frequency now");
    assert_eq!(fault(0, 2, 1), [sound, sound], "frequency before");
    assert_eq!(fault(1, 1, 1), [sound, invalid], "clock now");
    assert_eq!(fault(0, 1, 0), [invalid, sound], "clock before");
}

#[test]
fn instance_counts_are_read_as_wide_as_their_counter() {
    let timer = Column { multi: Multi::Base(1), ..column(vec![0, 0, 500, 500], support::TICK) };
    // Bits beyond the type's 32 bits don't belong to the count.
    let counts = column(vec![1, 1, 1 << 32 | 4, 1 << 40], Second::None);
    let defs = vec![counter("it", 0x2241_0500), counter("count", RAWCOUNT)];
    let run = support::run(0, 2, support::letters(2), defs, vec![timer, counts]);
    assert_eq!(row(&run, None)[2..], [Ok(12.5), Err(Status::NoOperations)]);
}

#[test]
fn missing_links_make_invalid_data() {
    let run = own_clocks(ELAPSED, [0; 4], [1000; 4], [1000; 4]);
    assert_eq!(row(&run, None), [Ok(1.0); 4]);
    let invalid = [Err(Status::InvalidData); 4];
    let changed = |change: fn(&mut Run)| {
        let mut run = run.clone();
        change(&mut run);
        row(&run, None)
    };
    assert_eq!(changed(|run| run.columns[0].frequency = Some(9)), invalid);
    assert_eq!(changed(|run| run.columns[2].first.clear()), invalid);
    assert_eq!(changed(|run| run.columns[0].second = Second::Base(9)), invalid);
    assert_eq!(changed(|run| run.columns[0].second = Second::None), invalid);
    // A clock that only b has, because a's wasn't requested.
    let only_b = changed(|run| run.columns[1].covers = Some([false, true].into()));
    assert_eq!(only_b, [Err(Status::InvalidData), Ok(1.0), Err(Status::InvalidData), Ok(1.0)]);
}

#[test]
fn a_base_that_an_instance_had_not_got_before_takes_one_value_away() {
    let run = own_clocks(OBJECT_RATE, [0, 0, 10, 10], [0, 0, 100, 100], [1000; 4]);
    let (mut before, later) = (support::slice(&run, 0..1), support::slice(&run, 1..2));
    before.columns[1].covers = Some([true, false].into());
    assert_eq!(row(&later, Some(&before)), [Ok(100.0), Err(Status::InvalidData)]);
    before.columns[0].covers = Some([true, false].into());
    assert_eq!(row(&later, Some(&before)), [Ok(100.0), Err(Status::NoPreviousInstance)]);
}

#[test]
fn counters_that_are_not_to_be_shown_have_a_column_only_beside_raw_values() {
    let run = Arc::new(linked(&own_clocks(ELAPSED, [0; 4], [1000; 4], [1000; 4])));
    let mut object = (*run.object).clone();
    object.counters[1].attributes = recount_model::CounterAttributes::NO_DISPLAY;
    let run = Arc::new(Run { object: Arc::new(object), ..(*run).clone() });
    let columns = |keep_raw| {
        let cooked = cook(&run, None, &CookOptions { keep_raw, ..CookOptions::default() });
        cooked.columns.iter().map(|column| column.counter).collect::<Vec<_>>()
    };
    assert_eq!((columns(false), columns(true)), (vec![0, 2], vec![0, 1, 2]));
}
