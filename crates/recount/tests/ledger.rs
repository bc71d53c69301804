//! A table of a fleet has each row of a recording once, whatever files of it arrive, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, RecordBatch};
use proptest::prelude::*;
use recount::ledger::{Added, Ledger, Taking, Unit};
use recount::{Capture, Timestamp};

mod recordings;

use recordings::{Blg, HEADER, NUM, Recording, Sysstat, Text, cuts, line, path_of, range};

/// Host (in lower case), object, time and counter of a row.
type Key = (String, String, i64, String);

/// Whether a row is of a unit.
fn is_of(key: &Key, unit: &Unit) -> bool {
    *unit.host == *key.0
        && *unit.object == *key.1
        && unit.counter.as_ref().is_none_or(|counter| **counter == *key.3)
}

/// A table as ingesting makes it, in memory.
#[derive(Default)]
struct Table {
    /// Rows with their `capture_id`, by key.
    rows: Vec<(String, Key, String)>,
    /// What is kept of each part: its recording, and bytes.
    parts: BTreeMap<String, (String, Vec<u8>)>,
}

fn name_at(batch: &RecordBatch, column: &str, row: usize) -> String {
    let names = batch.column_by_name(column).expect("a column").as_dictionary::<Int32Type>();
    let Some(key) = names.key(row) else { return String::new() };
    names.values().as_string::<i32>().value(key).to_owned()
}

/// The rows of a capture between two times, each with its key.
fn rows_within(capture: &Capture, begin: Option<Timestamp>, end: Option<Timestamp>) -> Vec<(Key, String)> {
    let mut rows = Vec::new();
    for batch in capture.batches().within(begin, end) {
        let batch = batch.expect("a batch");
        let times = batch.column_by_name("time").expect("times").as_primitive::<TimestampNanosecondType>();
        for row in 0..batch.num_rows() {
            let host = name_at(&batch, "host", row).to_lowercase();
            let (object, counter) = (name_at(&batch, "object", row), name_at(&batch, "counter", row));
            let key = (host, object, times.value(row), counter);
            let names = ["host", "instance", "status"].map(|column| name_at(&batch, column, row));
            let number = |column: &str| {
                let numbers = batch.column_by_name(column).expect("a column").as_primitive::<Float64Type>();
                numbers.is_valid(row).then(|| numbers.value(row).to_bits())
            };
            let numbers = (number("interval_s"), number("value"));
            rows.push((key.clone(), format!("{key:?} {names:?} {numbers:x?}")));
        }
    }
    rows
}

impl Table {
    /// Takes captures that arrive together.
    fn ingest(&mut self, captures: &[Capture]) -> Vec<Added> {
        let mut ledger = Ledger::new();
        for (recording, bytes) in self.parts.values() {
            ledger.load(recording, bytes).expect("what was saved");
        }
        let added: Vec<Added> =
            captures.iter().map(|capture| ledger.add(capture, &Taking::default())).collect();
        for removed in ledger.removed() {
            let times: BTreeSet<i64> =
                removed.times.iter().map(|time| time.unix_nanos().expect("a time")).collect();
            let is_gone = |id: &String, key: &Key| {
                *id == removed.id && is_of(key, &removed.unit) && times.contains(&key.2)
            };
            self.rows.retain(|(id, key, _)| !is_gone(id, key));
        }
        for (capture, rows) in captures.iter().zip(ledger.rows()) {
            let Some(rows) = rows else { continue };
            for stretch in &rows.stretches {
                let is_wanted = |key: &Key| {
                    stretch.units.as_ref().is_none_or(|units| units.iter().any(|unit| is_of(key, unit)))
                };
                let found = rows_within(capture, Some(stretch.begin), Some(stretch.end));
                let found = found.into_iter().filter(|(key, _)| is_wanted(key));
                self.rows.extend(found.map(|(key, row)| (rows.id.clone(), key, row)));
            }
        }
        for (id, bytes) in ledger.saved() {
            self.parts.insert(id, (String::new(), bytes));
        }
        for (id, recording, _) in ledger.parts() {
            recording.clone_into(&mut self.parts.get_mut(id).expect("a part").0);
        }
        added
    }

    fn sorted(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.rows.iter().map(|(.., row)| row.clone()).collect();
        rows.sort();
        rows
    }
}

fn all_rows(capture: &Capture) -> Vec<String> {
    let mut rows: Vec<String> = rows_within(capture, None, None).into_iter().map(|(_, row)| row).collect();
    rows.sort();
    rows
}

/// The rows of a table that files of these samples are ingested into, some of them together.
fn table_of<R: Recording>(recording: &R, cuts: &[Vec<usize>], together: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let captures: Vec<Capture> = (0..cuts.len())
        .map(|number| {
            let path = folder.path().join(format!("{number}.{}", R::SUFFIX));
            recording.cut(&cuts[number], &path);
            recount::open(&path).expect("a cut")
        })
        .collect();
    let mut table = Table::default();
    captures.chunks(together).for_each(|captures| drop(table.ingest(captures)));
    table.sorted()
}

fn whole_of<R: Recording>(recording: &R, num: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join(format!("whole.{}", R::SUFFIX));
    recording.cut(&range(0..num), &path);
    all_rows(&recount::open(&path).expect("the whole"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_of_a_text_give_the_whole_in_any_order(cuts in cuts(NUM), together in 1..4_usize) {
        prop_assert_eq!(table_of(&Text, &cuts, together), whole_of(&Text, NUM));
    }

    #[test]
    fn parts_of_raw_samples_give_the_whole_in_any_order(cuts in cuts(NUM), together in 1..4_usize) {
        prop_assert_eq!(table_of(&Sysstat, &cuts, together), whole_of(&Sysstat, NUM));
    }

    #[test]
    fn samples_lost_in_some_copies_are_healed_by_others(
        lost in proptest::collection::vec(proptest::collection::vec(any::<bool>(), NUM), 1..4),
        turn in any::<prop::sample::Index>(),
        together in 1..4_usize,
    ) {
        let mut cuts: Vec<Vec<usize>> =
            lost.iter().map(|lost| (0..NUM).filter(|at| !lost[*at]).collect()).collect();
        cuts.retain(|cut: &Vec<usize>| !cut.is_empty());
        cuts.push(range(0..NUM));
        let turn = turn.index(cuts.len());
        cuts.rotate_left(turn);
        prop_assert_eq!(table_of(&Text, &cuts, together), whole_of(&Text, NUM));
        prop_assert_eq!(table_of(&Sysstat, &cuts, together), whole_of(&Sysstat, NUM));
    }

    #[test]
    fn recordings_that_differ_in_one_value_never_melt(
        at in 0..NUM,
        is_rate in any::<bool>(),
        of_one in cuts(NUM),
        of_other in cuts(NUM),
    ) {
        // As text, and only in files that have the sample: the others are of both.
        let other = |sample: usize| {
            let line = line(sample);
            if sample != at {
                return line;
            }
            let (front, back) = line.rsplit_once(",\"").expect("a number");
            if is_rate && at > 0 {
                let (front, rate) = front.rsplit_once(",\"").expect("a rate");
                format!("{front},\"7{rate},\"{back}")
            } else {
                format!("{front},\"7{back}")
            }
        };
        let folder = tempfile::tempdir().expect("a directory");
        let mut table = Table::default();
        let mut expected = Vec::new();
        let write = |name: &str, cut: &[usize], is_other: bool| {
            let line = |sample: &usize| if is_other { other(*sample) } else { line(*sample) };
            let text: String = HEADER.to_owned() + &cut.iter().map(line).collect::<String>();
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            recount::open(&path).expect("a capture")
        };
        for (is_other, cuts) in [(false, of_one), (true, of_other)] {
            let whole = write(&format!("whole-{is_other}.csv"), &range(0..NUM), is_other);
            expected.extend(all_rows(&whole));
            // The whole first, which says which recording it is; then any parts of it.
            table.ingest(&[whole]);
            for (number, cut) in cuts.iter().enumerate() {
                table.ingest(&[write(&format!("{is_other}-{number}.csv"), cut, is_other)]);
            }
        }
        expected.sort();
        prop_assert_eq!(table.sorted(), expected);
    }
}

#[test]
fn parts_of_a_blg_give_the_whole() {
    let blg = Blg::new();
    let num = blg.num();
    let whole = whole_of(&blg, num);
    let parts = [range(3..num), range(0..4), range(2..5)];
    assert!(table_of(&blg, &parts, 1) == whole);
    assert!(table_of(&blg, &parts, 3) == whole);
    assert!(table_of(&blg, &[range(2..num), range(0..num)], 1) == whole, "the first sample is made better");
}

fn open_text(name: &str, text: String) -> Capture {
    recount::open_bytes(name, text.into_bytes()).expect("a text")
}

/// A circular log of the last samples, as relog writes it: no rate in its first row.
fn ring(samples: std::ops::Range<usize>) -> String {
    let first = samples.start;
    let line_of = |sample: usize| {
        let line = line(sample);
        let rate = format!("\"{}.5\"", sample * sample);
        if sample == first { line.replacen(&rate, "\" \"", 1) } else { line }
    };
    HEADER.to_owned() + &samples.map(line_of).collect::<String>()
}

#[test]
fn a_wrapped_log_adds_what_is_new() {
    let whole = all_rows(&open_text("whole.csv", ring(0..30)));
    let states = [ring(0..20), ring(10..30)];
    for order in [[0, 1], [1, 0]] {
        let mut table = Table::default();
        for state in order {
            table.ingest(&[open_text("ring.csv", states[state].clone())]);
        }
        assert_eq!(table.sorted(), whole, "{order:?}");
    }
    // One sample in common, which has no rate in one of them.
    for order in [[0, 1], [1, 0]] {
        let states = [ring(0..11), ring(10..30)];
        let mut table = Table::default();
        for state in order {
            table.ingest(&[open_text("ring.csv", states[state].clone())]);
        }
        assert_eq!(table.sorted(), whole, "{order:?}");
    }
    let mut table = Table::default();
    table.ingest(&[open_text("ring.csv", states[0].clone())]);
    let added = table.ingest(&[open_text("ring.csv", states[1].clone())]);
    assert_eq!((added[0].num_copies, added[0].num_better), (10, 0));
    assert!(added[0].copy_of.is_some() && added[0].differs.is_none());
}

/// `samples/rcap-1/closed.rcap` with a byte of a chunk changed.
fn damaged_log() -> Capture {
    let mut bytes = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let at = bytes.len() / 2;
    bytes[at] ^= 0x40;
    recount::open_bytes("damaged.rcap", bytes).expect("a damaged log")
}

#[test]
fn a_damaged_log_is_healed_by_the_whole_one_in_any_order() {
    let whole = recount::open(path_of("rcap-1/closed.rcap")).expect("a sample");
    let expected = all_rows(&whole);
    let damaged = damaged_log();
    assert!(all_rows(&damaged) != expected);
    let mut table = Table::default();
    table.ingest(std::slice::from_ref(&damaged));
    let added = table.ingest(std::slice::from_ref(&whole));
    assert!(table.sorted() == expected);
    assert!(added[0].differs.is_none(), "{added:?}");
    let mut table = Table::default();
    table.ingest(std::slice::from_ref(&whole));
    table.ingest(std::slice::from_ref(&damaged));
    assert!(table.sorted() == expected);
    let mut table = Table::default();
    table.ingest(&[damaged, whole]);
    assert!(table.sorted() == expected);
}

#[test]
fn two_machines_of_one_name_stay_two_even_if_they_begin_alike() {
    let text = |idle: &str| {
        format!(
            "\"(PDH-TSV 4.0)\"\t\"\\\\BOX\\System\\Processes\"\t\"\\\\BOX\\Processor(0)\\% Idle Time\"\n\
             \"11/20/2026 09:00:01.000\"\t\"180\"\t\"-1\"\n\"11/20/2026 09:00:02.000\"\t\"181\"\t\"{idle}\"\n"
        )
    };
    let (one, other) = (open_text("a.tsv", text("93.75")), open_text("b.tsv", text("100")));
    assert_eq!(one.id(), other.id());
    let mut table = Table::default();
    table.ingest(std::slice::from_ref(&one));
    let added = table.ingest(std::slice::from_ref(&other));
    let mut expected = [all_rows(&one), all_rows(&other)].concat();
    expected.sort();
    assert_eq!(table.sorted(), expected);
    assert!(added[0].differs.is_some() && added[0].id != one.id(), "{added:?}");
    // Copies of both are known.
    table.ingest(&[other, one]);
    assert_eq!(table.sorted(), expected);
    let ids: BTreeSet<&String> = table.rows.iter().map(|(id, ..)| id).collect();
    assert_eq!(ids.len(), 2);
}

#[test]
fn another_zone_makes_no_other_capture() {
    let text: String = HEADER.replace(" (UTC)(0)", "") + &(0..6).map(line).collect::<String>();
    let in_zone = |zone: Option<&str>| {
        let mut options = recount::OpenOptions::default();
        options.zone = zone.map(|zone| zone.parse().expect("a zone"));
        recount::open_bytes_with("a.csv", text.clone().into_bytes(), &options).expect("a text")
    };
    let mut table = Table::default();
    table.ingest(&[in_zone(None)]);
    let expected = table.sorted();
    for zone in [Some("Europe/Moscow"), Some("+01:00"), Some("America/New_York")] {
        let added = table.ingest(&[in_zone(zone)]);
        assert!(added[0].other_zone.is_some() && added[0].id.is_none(), "{added:?}");
        assert_eq!(table.sorted(), expected);
    }
    table.ingest(&[in_zone(None)]);
    assert_eq!(table.sorted(), expected);
}

#[test]
fn a_table_from_before_the_ledger_is_gone_on_with() {
    let old = open_text("a.csv", ring(0..10));
    let new = open_text("a.csv", ring(0..20));
    let mut ledger = Ledger::new();
    let in_table = old.source.times().last().map(|time| time.utc);
    ledger.add(&new, &Taking { in_table, ..Taking::default() });
    let rows = ledger.rows().remove(0).expect("new rows");
    assert_eq!(Some(rows.id), old.id());
    assert_eq!(rows.stretches.len(), 1);
    assert_eq!(rows.stretches[0].begin, new.source.times()[10].utc);
}

#[test]
fn no_bytes_of_a_ledger_make_it_panic() {
    let mut table = Table::default();
    table.ingest(&[open_text("a.csv", ring(0..20))]);
    let (_, bytes) = table.parts.values().next().expect("a part");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let _ = Ledger::new().load("", &damaged);
        assert!(Ledger::new().load("", &bytes[..at]).is_err(), "{at}");
    }
    let error = Ledger::new().load("", b"recount-ledger 1\xff\xff\xff\xff").expect_err("damaged");
    assert_eq!(error.to_string(), "the ledger is damaged at 0x14, id: expected more bytes");
}

#[test]
fn what_is_kept_of_a_capture_never_changes() {
    // The bytes of the page's example (formats/ledger.md): a change of them would make every table's ledger useless.
    let mut table = Table::default();
    table.ingest(&[open_text("a.csv", ring(0..3))]);
    let (_, bytes) = table.parts.values().next().expect("a part");
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!((bytes.len(), format!("{sum:016x}")), (447, "cdf688615a4650e3".to_owned()));
}
