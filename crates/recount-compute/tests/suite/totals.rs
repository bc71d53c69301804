//! Totals over changing members decrease without having wrapped (formats/counter-types.md#wrap-around).

use crate::support;

use recount_model::{Column, Instance, Run, Second, Status};

use support::{cook_all, counter};

const RATE: u32 = 0x1041_0400;
const LARGE_RATE: u32 = 0x1041_0500;
const DELTA: u32 = 0x0040_0400;
const SAMPLE_FRACTION: u32 = 0x20C2_0400;

type Row = Vec<Result<f64, Status>>;

/// A second apart: 1000 ticks.
fn run(word: u32, names: &[&str], first: Vec<u64>, second: Second) -> Run {
    let samples = first.len() / names.len();
    let instances = names.iter().map(|name| Instance::named(*name)).collect();
    let column = Column { first, second, ..Column::default() };
    support::run(0, samples, instances, vec![counter("Things", word)], vec![column])
}

/// The last sample's result for each instance: in one run, and carried over from the previous sample.
fn last(run: &Run) -> Row {
    let n = run.instances.len();
    let row = |run: &Run, previous: Option<&Run>| -> Row {
        let cooked = cook_all(run, previous);
        let column = &cooked.columns[0];
        (cooked.num_cells() - n..cooked.num_cells())
            .map(|cell| column.value_at(cell).ok_or(column.status_at(cell)))
            .collect()
    };
    let samples = run.num_samples();
    let (before, later) = (support::slice(run, 0..samples - 1), support::slice(run, samples - 1..samples));
    let whole = row(run, None);
    assert_eq!(row(&later, Some(&before)), whole);
    whole
}

const FELL: Result<f64, Status> = Err(Status::CounterReset);

#[test]
fn a_total_that_falls_has_no_value_and_others_wrap() {
    // 200 lower: modulo 2^32 that is 4,294,967,096 per second.
    let names = ["idle", "_Total", "0,_Total", "_Total_"];
    let falling = |second| run(RATE, &names, [vec![500; 4], vec![300; 4]].concat(), second);
    let wrapped = Ok(4_294_967_096.0);
    let expected = [wrapped, FELL, FELL, wrapped];
    assert_eq!(last(&falling(support::TICK)), expected, "an object");
    let own = Second::Own([vec![7_000; 4], vec![8_000; 4]].concat());
    assert_eq!(last(&falling(own)), expected, "a counter list");
}

#[test]
fn a_total_wraps_where_it_can_have() {
    let total = |earlier, later| last(&run(RATE, &["_Total"], vec![earlier, later], support::TICK));
    assert_eq!(total(4_294_967_290, 94), [Ok(100.0)]);
    assert_eq!(total(5, 5 + 0x7FFF_FFFF), [Ok(2_147_483_647.0)]);
    assert_eq!(total(5, 5 + 0x8000_0000), [FELL]);
    // For 64 bits, decreases are resets as usual.
    assert_eq!(last(&run(LARGE_RATE, &["_Total"], vec![0, 1 << 31], support::TICK)), [Ok(2_147_483_648.0)]);
    assert_eq!(last(&run(LARGE_RATE, &["_Total"], vec![1, 0], support::TICK)), [FELL]);
}

#[test]
fn differences_and_bases_of_totals_fall_too() {
    assert_eq!(
        last(&run(DELTA, &["a", "_Total"], vec![9, 9, 8, 8], Second::None)),
        [Ok(4_294_967_295.0), FELL]
    );
    let base = Second::Own(vec![50, 50, 40, 40]);
    let fraction = last(&run(SAMPLE_FRACTION, &["a", "_Total"], vec![1, 1, 2, 2], base));
    assert_eq!(fraction, [Ok(1.0 / 4_294_967_286.0 * 100.0), FELL]);
}

#[test]
fn in_a_long_run_only_the_sample_that_falls_is_lost() {
    let names: Vec<String> = (0..40).map(|i| i.to_string()).chain(["_Total".to_owned()]).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = (0..100_u64).flat_map(|sample| {
        let members = (0..40).map(move |_| sample * 10);
        members.chain([if sample < 60 { sample * 400 } else { sample * 400 - 1_000 }])
    });
    let cooked = cook_all(&run(RATE, &names, first.collect(), support::TICK), None);
    let column = &cooked.columns[0];
    for cell in 41..cooked.num_cells() {
        let (sample, instance) = (cell / 41, cell % 41);
        let got = column.value_at(cell).ok_or(column.status_at(cell));
        let expected = match (sample, instance) {
            (60, 40) => FELL,
            (_, 40) => Ok(400.0),
            _ => Ok(10.0),
        };
        assert_eq!(got, expected, "sample {sample}, instance {instance}");
    }
}

/// A second apart, in two runs: the instances differ.
fn step(word: u32, before: (&[&str], &[u64]), after: (&[&str], &[u64])) -> Result<(f64, Status), Status> {
    let [earlier, later] = [(0, before), (1, after)].map(|(second, (names, first))| {
        let instances = names.iter().map(|name| Instance::named(*name)).collect();
        let column = Column { first: first.to_vec(), second: support::TICK, ..Column::default() };
        support::run(second, 1, instances, vec![counter("Things", word)], vec![column])
    });
    let cooked = cook_all(&later, Some(&earlier));
    let total = cooked.instances.iter().position(Instance::is_total).expect("a total");
    let column = &cooked.columns[0];
    column.value_at(total).map(|value| (value, column.status_at(total))).ok_or(column.status_at(total))
}

/// `a` used 70 and 130, of which the total has 100: what `b` had counted is missing.
#[test]
fn a_total_that_hides_a_fall_says_so() {
    let before: (&[&str], &[u64]) = (&["a", "b", "_Total"], &[100, 30, 130]);
    let after: (&[&str], &[u64]) = (&["a", "_Total"], &[230, 230]);
    assert_eq!(step(LARGE_RATE, before, after), Ok((100.0, Status::HidesFall)));
    assert_eq!(step(RATE, before, after), Ok((100.0, Status::HidesFall)));
    // All are there, it had counted nothing, it fell, or it isn't the sum.
    let ok = |value| Ok((value, Status::Ok));
    assert_eq!(step(LARGE_RATE, before, (&["a", "b", "_Total"], &[230, 30, 260])), ok(130.0));
    assert_eq!(step(LARGE_RATE, (&["a", "b", "_Total"], &[100, 0, 100]), after), ok(130.0));
    assert_eq!(
        step(LARGE_RATE, before, (&["a", "_Total"], &[110, 110])),
        FELL.map(|value| (value, Status::Ok))
    );
    assert_eq!(step(LARGE_RATE, (&["a", "b", "_Total"], &[100, 30, 90]), after), ok(140.0));
    // Sums of DWORDs wrap.
    let high = u64::from(u32::MAX) - 10;
    let wrapped: (&[&str], &[u64]) = (&["a", "b", "_Total"], &[high, 30, 19]);
    assert_eq!(
        step(RATE, wrapped, (&["a", "_Total"], &[high + 5, high + 5])).map(|(_, status)| status),
        FELL.map(|_| Status::Ok)
    );
}
