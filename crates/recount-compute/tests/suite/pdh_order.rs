//! Values to the bit: the order in which PDH divides and multiplies (formats/counter-types.md#to-the-bit).
//!
//! The inputs are chosen so that any other order gives a different double. The constants were computed
//! independently of this program.

use crate::support;

use recount_model::{Column, Multi, Run, Second, Timer};

use support::{bits, cook_all, counter};

const FREQUENCY: u64 = 2_435_956;

/// Two samples of one counter whose value depends on dN, on the difference of a clock or base, and on M.
fn run(word: u32, dn: u64, second: Second, m: u64) -> Run {
    let column =
        Column { first: vec![1_000, 1_000 + dn], second, multi: Multi::Own(vec![m; 2]), ..Column::default() };
    let mut run = support::run(0, 2, support::letters(1), vec![counter("Things", word)], vec![column]);
    run.clocks.perf_freq = vec![FREQUENCY; 2];
    run
}

/// As an object, whose samples have clocks, and as a counter list, whose counters do.
fn check(word: u32, dn: u64, dd: u64, m: u64, expected: f64) {
    let own = Second::Own(vec![77, 77 + dd]);
    let mut shared = run(word, dn, Second::Clock(Timer::Tick), m);
    shared.clocks.perf_time = vec![77, 77 + dd];
    let mut wide = shared.clone();
    wide.instances = support::letters(40).into();
    wide.columns[0].first = [vec![1_000; 40], vec![1_000 + dn; 40]].concat();
    wide.columns[0].multi = Multi::Own(vec![m; 80]);
    let mut all = vec![run(word, dn, own, m)];
    // A base isn't a clock.
    if word & 0x000F_0000 == 0x0001_0000 {
        all.extend([shared, wide]);
    }
    for run in all {
        let cooked = cook_all(&run, None);
        let cells = &bits(&cooked)[0].1;
        let last = f64::from_bits(cells[cells.len() - 1].0);
        assert_eq!(last.to_bits(), expected.to_bits(), "{word:#x}: {last} instead of {expected}");
    }
}

#[test]
fn a_rate_divides_by_the_seconds() {
    // dN F / dD is 485.802630537815, dN / dD F is 485.80263053781505.
    for word in [0x1041_0400, 0x1041_0500, 0x0041_0400] {
        check(word, 494, 2_477_060, 1, 485.802_630_537_814_93);
    }
}

#[test]
fn a_percentage_multiplies_last() {
    // 100 dN / dD is 59.21484592054634.
    for word in [0x2041_0500, 0x20C2_0400, 0x2047_0500, 0x2057_0500, 0x2067_0500] {
        check(word, 5_926_175, 10_007_921, 1, 59.214_845_920_546_33);
    }
    check(0x2041_0500, 10_007_921, 10_007_921, 1, 100.0);
}

#[test]
fn an_inverse_timer_takes_the_share_from_one() {
    // 100 (dD - dN) / dD is 2.8186616286042407, 100 - 100 dN / dD is 2.8186616286042323.
    check(0x2141_0500, 9_725_472, 10_007_551, 1, 2.818_661_628_604_235_4);
    // More was counted than time has elapsed: nothing is clamped.
    check(0x2141_0500, 5, 4, 1, -25.0);
}

#[test]
fn an_average_time_divides_twice() {
    // dN / (F dB) is 0.4779826072392112, dN / dB / F is 0.47798260723921127.
    check(0x3002_0400, 5_821_723, 5, 1, 0.477_982_607_239_211_15);
}

#[test]
fn a_quotient_is_one_division() {
    check(0x0045_0500, 22, 7, 1, 22.0 / 7.0);
    check(0x4002_0500, 22, 7, 1, 22.0 / 7.0);
}

/// Of the published interpretations, ours is (dN / dD) 100 / M, and (M - dN / dD) 100 for the inverse.
#[test]
fn multi_timers_have_one_reading() {
    // 100 dN / (dD M) is 3.82153226172824, 100 (dN / dD / M) is 3.8215322617282403.
    check(0x2241_0500, 1_909_497, 9_993_358, 5, 3.821_532_261_728_239_5);
    // (M dD - dN) 100 / dD is 209.14090713845715, 100 M - 100 dN / dD is 209.14090713845712.
    check(0x2341_0500, 9_082_960, 9_996_754, 3, 209.140_907_138_457_18);
    // Three of four busy: 75 % of all, not 300; one idle: 100 %, not 25.
    check(0x2241_0500, 30_000_000, 10_000_000, 4, 75.0);
    check(0x2341_0500, 30_000_000, 10_000_000, 4, 100.0);
}

#[test]
fn a_fraction_multiplies_last() {
    // 100 N / B is 14.106583072100314.
    for word in [0x2002_0400, 0x2002_0500] {
        let column = Column { first: vec![45], second: Second::Own(vec![319]), ..Column::default() };
        let run = support::run(0, 1, support::letters(1), vec![counter("Things", word)], vec![column]);
        let cooked = cook_all(&run, None);
        assert_eq!(bits(&cooked)[0].1[0].0, 14.106_583_072_100_312_f64.to_bits(), "{word:#x}");
    }
}
