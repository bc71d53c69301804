//! Signed raw values, and floats.

use crate::support;

use recount_model::{CellFault, CounterDef, RawNumber, Run, Second, Status, Timer, Width};

use support::{column, counter, row};

const BULK_COUNT: u32 = 0x1041_0500;
const LARGE_RAWCOUNT: u32 = 0x0001_0100;

fn one(word: u32, number: RawNumber, first: &[u64]) -> Run {
    let def = CounterDef { number, width: Some(Width::Large), ..counter("it", word) };
    let second = if word == BULK_COUNT { Second::Clock(Timer::Tick) } else { Second::None };
    support::run(0, first.len() / 2, support::letters(2), vec![def], vec![column(first.to_vec(), second)])
}

#[test]
fn values_have_their_sign_and_their_fraction() {
    let signed = one(LARGE_RAWCOUNT, RawNumber::Signed, &[-5_i64 as u64, 7]);
    assert_eq!(row(&signed, None), [Ok(-5.0), Ok(7.0)]);
    let float = one(LARGE_RAWCOUNT, RawNumber::Float, &[0.25_f64.to_bits(), f64::NAN.to_bits()]);
    assert_eq!(row(&float, None), [Ok(0.25), Err(Status::NotANumber)]);
}

#[test]
fn rates_are_of_signed_and_broken_numbers_too() {
    let bits = |value: f64| value.to_bits();
    let floats = [bits(0.5), bits(1.0), bits(2.0), bits(0.75), bits(f64::INFINITY), bits(0.75)];
    let float = one(BULK_COUNT, RawNumber::Float, &floats);
    let expected = [
        Err(Status::FirstSample),
        Err(Status::FirstSample),
        Ok(1.5),
        Err(Status::CounterReset),
        Err(Status::NotANumber),
        Ok(0.0),
    ];
    assert_eq!(row(&float, None), expected);
    // From below zero to above it, and by more than 63 bits.
    let ends = [-3_i64 as u64, i64::MIN as u64, 4, i64::MAX as u64];
    let mut signed = one(BULK_COUNT, RawNumber::Signed, &ends);
    assert_eq!(row(&signed, None)[2..], [Ok(7.0), Ok(u64::MAX as f64)]);
    signed.faults.push(CellFault { sample: 0, counter: 0, instance: 0 });
    assert_eq!(row(&signed, None)[2..], [Err(Status::InvalidData), Ok(u64::MAX as f64)]);
}

#[test]
fn cutting_changes_nothing() {
    let values: Vec<u64> = [1.0_f64, 2.0, 1.5, 4.0, 9.5, 3.0].map(f64::to_bits).into();
    let whole = one(BULK_COUNT, RawNumber::Float, &values);
    for cut in 0..=3 {
        let (before, after) = (support::slice(&whole, 0..cut), support::slice(&whole, cut..3));
        let before = (cut > 0).then_some(&before);
        assert_eq!(row(&after, before), row(&whole, None)[2 * cut..]);
    }
}
