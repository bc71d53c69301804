//! Real files, truncated and with flipped bits: undamaged parts are read as before, in bounded memory.

use std::sync::Arc;

use recount_model::{Instance, Run, Selection, Source, Timestamp};
use recount_sysstat::{SaSource, dump};
use recount_testdata::{assert_memory_is_bounded, cuts, flips, shared};

const FILES: [&str; 8] = [
    "recorded/rec-all.sa",
    "derived/be64.sa",
    "derived/future.sa",
    "derived/hotplug.sa",
    "pcp/sa-sysstat-10.1.5",
    "pcp/sa-sysstat-10.0.5",
    "pcp/sa-sysstat-11.1.5",
    "sysstat/data-11.6.5",
];

/// Places per file: 1,000 cuts and as many flips in total.
const NUM_PLACES: usize = 125;

/// Samples within one second differ by what the uptime says.
const TICKS_NEAR: i64 = 2 * Timestamp::TICKS_PER_SECOND;

/// Where records begin and whether they are samples, as the dump says, and the end.
fn records(bytes: &Vec<u8>) -> Vec<(usize, bool)> {
    let mut text = String::new();
    dump(bytes, usize::MAX, &mut text).expect("a sound file");
    let mut records: Vec<(usize, bool)> = Vec::new();
    for line in text.lines() {
        if let Some((ofs, _)) = line.strip_prefix("0x").and_then(|line| line.split_once(" record_header")) {
            records.push((usize::from_str_radix(ofs.trim(), 16).expect("an offset"), false));
        }
        if let (Some((_, kind)), Some(last)) = (line.split_once("record_type = "), records.last_mut()) {
            last.1 = matches!(kind, "1" | "3");
        }
    }
    records.push((bytes.len(), false));
    records
}

fn open(bytes: &[u8]) -> Option<SaSource> {
    SaSource::open(Arc::new(bytes.to_vec())).ok()
}

/// All raw values of a sample, as text.
fn values(source: &SaSource, sample: usize) -> String {
    let runs = source.decode(&[sample as u32], &Selection::all()).runs;
    let of = |run: &Run| {
        let cells: Vec<_> = run.columns.iter().map(|column| (&column.first, &column.second)).collect();
        format!("{} {:?} {cells:?}\n", run.object.name, names(run))
    };
    runs.iter().map(of).collect()
}

fn names(run: &Run) -> Vec<String> {
    run.instances.iter().map(Instance::shown).collect()
}

/// The raw values of a sample that don't depend on other samples, as text. Ticks of CPUs are corrected by earlier
/// samples, and the load of an interface is a sum over them; the clock of the older formats is found by comparing all
/// samples.
fn own_values(source: &SaSource, sample: usize) -> String {
    let runs = source.decode(&[sample as u32], &Selection::all()).runs;
    let of = |run: &Run| {
        let counters = run.object.counters.iter().map(|counter| &*counter.name);
        let own = counters.zip(&run.columns).filter(|(counter, _)| *counter != "%ifutil");
        let cells: Vec<_> = own.map(|(_, column)| &column.first).collect();
        format!("{} {:?} {cells:?}\n", run.object.name, names(run))
    };
    runs.iter().filter(|run| !["sar.cpu", "sar.net_soft"].contains(&&*run.object.name)).map(of).collect()
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_before_the_end_is_read() {
    let mut num_read = 0;
    for name in FILES {
        let bytes = shared(&format!("sa/{name}"));
        let (whole, records) = (open(&bytes).expect(name), records(&bytes));
        let ends: Vec<usize> = records.windows(2).filter(|pair| pair[0].1).map(|pair| pair[1].0).collect();
        assert_eq!(ends.len(), whole.times().len(), "{name}");
        for end in cuts(bytes.len(), NUM_PLACES) {
            let num = ends.iter().filter(|offset| **offset <= end).count();
            let Some(source) = open(&bytes[..end]) else {
                assert!(end < records[0].0, "{name} {end}");
                continue;
            };
            assert_eq!(source.times(), &whole.times()[..num], "{name} {end}");
            let is_between = records.iter().any(|(ofs, _)| *ofs == end);
            assert_eq!(source.health().is_complete(), is_between, "{name} {end}");
            if num > 0 {
                assert_eq!(values(&source, num - 1), values(&whole, num - 1), "{name} {end}");
                num_read += 1;
            }
        }
    }
    assert!(num_read > 800, "{num_read}");
    assert_memory_is_bounded();
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_beside_a_flipped_bit_is_read() {
    let (mut num_read, mut num_gone, mut num_behind) = (0, 0, 0);
    for name in FILES {
        let bytes = shared(&format!("sa/{name}"));
        let (whole, records) = (open(&bytes).expect(name), records(&bytes));
        let num = whole.times().len();
        let samples: Vec<usize> = records.windows(2).filter(|pair| pair[0].1).map(|pair| pair[0].0).collect();
        let times: Vec<_> = whole.times().iter().map(|time| time.utc).collect();
        for (at, bit) in flips(&samples, 0..40, records[0].0..bytes.len(), NUM_PLACES) {
            let hit = samples.partition_point(|begin| *begin <= at).saturating_sub(1);
            let mut flipped = bytes.clone();
            flipped[at] ^= bit;
            let source = open(&flipped).unwrap_or_else(|| panic!("{name} {at}"));
            // Samples before the damage are equal to the bit. The damaged one may have any time, even one
            // among those.
            let place_of = |time: &Timestamp| source.times().iter().position(|found| found.utc == *time);
            let is_there = |time| place_of(time).is_some();
            assert!(times[..hit].iter().all(is_there), "{name} {at:#x}");
            if let Some(before) = hit.checked_sub(1) {
                let found = place_of(&times[before]).expect("it is there");
                assert_eq!(values(&source, found), values(&whole, before), "{name} {at:#x}");
            }
            // Samples after the damage: all but the damaged one, if the next is found. That may have got another time,
            // if the damaged one now has its second. Only restarts say how many items follow.
            let is_sample = records.iter().rfind(|(begin, _)| *begin <= at).is_some_and(|(_, is)| *is);
            let behind = times.get(hit + 1).filter(|time| is_sample && is_there(time));
            if let Some(time) = behind {
                let is_near = |found: &usize| (source.times()[*found].utc.0 - time.0).abs() < TICKS_NEAR;
                let mut near =
                    (0..source.times().len()).filter(is_near).map(|found| own_values(&source, found));
                let expected = own_values(&whole, hit + 1);
                assert!(near.any(|found| found == expected), "{name} {at:#x}");
                num_behind += 1;
            }
            let gone = times.iter().enumerate().filter(|(at, time)| *at != hit && !is_there(time)).count();
            num_gone += gone;
            num_read += num - gone;
        }
    }
    assert!(num_gone * 100 < num_read, "{num_gone} of {num_read}");
    assert!(num_read > 30_000, "{num_read}");
    assert!(num_behind > 800, "{num_behind}");
    assert_memory_is_bounded();
}

/// Headers say how long everything is: impossible values are refused with their place, and possible ones cause no
/// panic.
#[test]
#[ignore = "reads ../shared/data"]
fn a_flipped_bit_in_the_headers_is_read_or_refused() {
    let (mut num_opened, mut num_refused) = (0, 0);
    for name in FILES {
        let bytes = shared(&format!("sa/{name}"));
        let ofs_records = records(&bytes)[0].0;
        for (at, bit) in flips(&[], 0..0, 0..ofs_records, NUM_PLACES) {
            let mut flipped = bytes.clone();
            flipped[at] ^= bit;
            match SaSource::open(Arc::new(flipped)) {
                Ok(source) => {
                    (0..source.times().len()).step_by(20).for_each(|sample| _ = values(&source, sample));
                    num_opened += 1;
                }
                Err(error) => {
                    assert!(at < 4 || error.to_string().contains("at byte 0x"), "{name} {at:#x}: {error}");
                    num_refused += 1;
                }
            }
        }
    }
    assert!(num_opened > 300 && num_refused > 50, "{num_opened} {num_refused}");
    assert_memory_is_bounded();
}

/// Where the numbers of items are, and what they are, as the dump says: before the first item of each list.
fn numbers_of_items(bytes: &Vec<u8>) -> Vec<(usize, u32)> {
    let mut text = String::new();
    dump(bytes, usize::MAX, &mut text).expect("a sound file");
    let mut all: Vec<(usize, u32)> = Vec::new();
    for line in text.lines() {
        let Some((ofs, name)) = line.trim_start().strip_prefix("0x").and_then(|line| line.split_once(' '))
        else {
            continue;
        };
        let Some((_, number)) = name.trim().split_once('[').filter(|_| name.trim().starts_with("A_")) else {
            continue;
        };
        let number: u32 = number.split(']').next().and_then(|number| number.parse().ok()).expect("a number");
        if number == 0 && !name.contains("][") {
            all.push((usize::from_str_radix(ofs, 16).expect("an offset") - 4, 1));
        } else if let Some(last) = all.last_mut() {
            last.1 = number + 1;
        }
    }
    all
}

#[test]
#[ignore = "reads ../shared/data"]
fn wrong_numbers_of_items_show_nothing_else() {
    let mut num_compared = 0;
    for name in ["recorded/rec-all.sa", "derived/hotplug.sa", "derived/future.sa"] {
        let bytes = shared(&format!("sa/{name}"));
        let whole = open(&bytes).expect(name);
        let times: Vec<_> = whole.times().iter().map(|time| time.utc).collect();
        let sound: Vec<String> = (0..times.len()).map(|sample| own_values(&whole, sample)).collect();
        let places = numbers_of_items(&bytes);
        let stated = |place: &(usize, u32)| bytes[place.0..place.0 + 4] == place.1.to_le_bytes();
        let counted: Vec<(usize, u32)> = places.into_iter().filter(stated).collect();
        assert!(counted.len() > 3 * times.len(), "{name}: {} of {}", counted.len(), times.len());
        for &(place, right) in counted.iter().step_by(1 + counted.len() / 60) {
            for wrong in [0, right - 1, right + 1, right + 4] {
                if wrong == right {
                    continue;
                }
                let mut damaged = bytes.clone();
                damaged[place..place + 4].copy_from_slice(&wrong.to_le_bytes());
                let source = open(&damaged).expect(name);
                for (sample, time) in source.times().iter().enumerate() {
                    let at = times.iter().position(|sound| *sound == time.utc);
                    let at = at.unwrap_or_else(|| panic!("{name} {place:#x} {wrong}: {time:?} is none"));
                    assert_eq!(
                        own_values(&source, sample),
                        sound[at],
                        "{name} {place:#x}: {wrong} for {right}"
                    );
                    num_compared += 1;
                }
            }
        }
    }
    assert!(num_compared > 5_000, "{num_compared}");
}
