//! A table of a fleet has each row of a recording once, whatever files of it arrive, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, RecordBatch};
use proptest::prelude::*;
use recount::ledger::{Added, DifferenceKind, Ledger, Taking, Unit};
use recount::{Capture, ConvertOptions, OutputFormat, Selection, Span, Target, Timeline, Timestamp, convert};

use crate::recordings;

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
    for batch in capture.batches().within(begin, end).reader().expect("a reader") {
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

/// A file of another form with what a capture has.
fn converted(capture: &Capture, name: &str, format: OutputFormat, patterns: &[&str]) -> Capture {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join(name);
    let mut options = ConvertOptions::default();
    options.format = format;
    options.layout = recount::Layout::Tidy;
    options.selection = if patterns.is_empty() {
        Selection::all()
    } else {
        patterns.iter().map(|pattern| pattern.parse().expect("a pattern")).collect::<Selection>()
    };
    let timeline = Timeline::whole(std::slice::from_ref(capture)).expect("a time line");
    convert(&timeline, &Target::Path(path.clone()), &options, &recount::unwatched).expect("converted");
    recount::open_bytes(name, std::fs::read(&path).expect("read")).expect("a capture")
}

/// Whatever is made of a recording is the recording: in any order, the table has the rows of what was measured.
#[test]
fn what_was_computed_from_a_recording_is_a_copy_of_it() {
    let blg = recount::open(path_of("objects.blg")).expect("a sample");
    let sa = recount::open(path_of("sysstat.sa")).expect("a sample");
    for raw in [blg, sa] {
        let csv = converted(&raw, "a.csv", OutputFormat::Csv, &[]);
        let parquet = converted(&raw, "a.parquet", OutputFormat::Parquet, &[]);
        let expected = all_rows(&raw);
        let captures = [raw, csv, parquet];
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
            for together in [1, 3] {
                let mut table = Table::default();
                let ordered = order.map(|at| captures[at].clone());
                let mut added = Vec::new();
                ordered.chunks(together).for_each(|captures| added.extend(table.ingest(captures)));
                assert!(added.iter().all(|added| added.differs.is_none()), "{order:?} {added:?}");
                let (found, name) = (table.sorted(), &captures[0].name());
                assert_eq!(found.len(), expected.len(), "{name} {order:?} {together}");
                assert!(found == expected, "{name} {order:?} {together}");
            }
        }
        // Without the raw values, the text and the table are one.
        for order in [[1, 2], [2, 1]] {
            let mut table = Table::default();
            for at in order {
                table.ingest(&captures[at..=at]);
            }
            assert_eq!(table.sorted().len(), all_rows(&captures[order[0]]).len(), "{order:?}");
        }
    }
}

/// A log that lost samples, and what was made of the whole: each interval is in the table once, in any order.
#[test]
fn what_a_log_has_lost_comes_from_what_was_made_of_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let cut = |name: &str, samples: &[usize]| {
        let path = folder.path().join(name);
        Sysstat.cut(samples, &path);
        recount::open(&path).expect("a cut")
    };
    let whole = cut("whole.sa", &range(0..NUM));
    let expected = all_rows(&whole);
    // A text doesn't say why the first rates are missing.
    let plain = |rows: Vec<String>| -> Vec<String> {
        rows.into_iter().map(|row| row.replace("invalid-data", "first-sample")).collect()
    };
    let csv = converted(&whole, "a.csv", OutputFormat::Csv, &[]);
    let parquet = converted(&whole, "a.parquet", OutputFormat::Parquet, &[]);
    for kept in [vec![0, 1, 2, 6, 7, 8, 9, 10, 11], vec![0, 1, 5, 6, 10, 11], vec![3, 4, 5, 6, 9, 10]] {
        let lossy = cut("lossy.sa", &kept);
        for made in [&csv, &parquet] {
            for together in [1, 2, 3] {
                for captures in
                    [[&lossy, made, made], [made, &lossy, made], [made, made, &lossy], [&lossy, made, &lossy]]
                {
                    let mut table = Table::default();
                    let captures = captures.map(Clone::clone);
                    let mut added = Vec::new();
                    captures.chunks(together).for_each(|captures| added.extend(table.ingest(captures)));
                    assert!(added.iter().all(|added| added.differs.is_none()), "{kept:?} {added:#?}");
                    assert_eq!(plain(table.sorted()), expected, "{kept:?} {} {together}", made.name());
                }
                // The whole log heals it.
                let captures = [lossy.clone(), made.clone(), whole.clone()];
                for turn in 0..3 {
                    let mut captures = captures.clone();
                    captures.rotate_left(turn);
                    let mut table = Table::default();
                    captures.chunks(together).for_each(|captures| drop(table.ingest(captures)));
                    assert_eq!(plain(table.sorted()), expected, "{kept:?} {} {together} {turn}", made.name());
                }
            }
        }
    }
}

/// After a restart, a log has no rates, and its first values no interval: what was made of it knows nothing else.
#[test]
fn a_restart_is_one_beside_a_text() {
    let raw = recount::open(path_of("sysstat.sa")).expect("a sample");
    let expected = all_rows(&raw);
    let text = converted(&raw, "a.csv", OutputFormat::Csv, &[]);
    for captures in [[raw.clone(), text.clone()], [text, raw]] {
        let mut table = Table::default();
        for capture in &captures {
            table.ingest(std::slice::from_ref(capture));
        }
        assert_eq!(table.sorted(), expected);
    }
}

#[test]
fn a_text_with_rounded_values_is_what_it_was_made_from() {
    let raw = recount::open(path_of("objects.blg")).expect("a sample");
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("a.csv");
    let mut options = ConvertOptions::default();
    options.format = OutputFormat::Csv;
    let timeline = Timeline::whole(std::slice::from_ref(&raw)).expect("a time line");
    convert(&timeline, &Target::Path(path.clone()), &options, &recount::unwatched).expect("converted");
    let text = std::fs::read_to_string(&path).expect("read");
    // As typeperf does.
    let round = |digits: usize, bump: f64| {
        let mut lines = text.lines();
        let head = format!("{}\r\n", lines.next().expect("a header"));
        let cell = |cell: &str| match cell.trim_matches('"').parse::<f64>() {
            Ok(value) => format!("\"{:.digits$}\"", value + bump),
            Err(_) => cell.to_owned(),
        };
        let line = |line: &str| line.split(',').map(cell).collect::<Vec<_>>().join(",") + "\r\n";
        open_text("a.csv", head + &lines.map(line).collect::<String>())
    };
    let expected = all_rows(&raw);
    for digits in [3, 6] {
        for raw_is_first in [true, false] {
            let mut captures = vec![round(digits, 0.0), raw.clone()];
            if raw_is_first {
                captures.reverse();
            }
            let mut table = Table::default();
            for capture in captures {
                table.ingest(&[capture]);
            }
            assert!(table.sorted() == expected, "{digits} {raw_is_first}");
        }
        // Another machine's.
        let mut table = Table::default();
        table.ingest(std::slice::from_ref(&raw));
        let added = table.ingest(&[round(digits, 1.0)]);
        let (_, found) = added[0].differs.as_ref().expect("other values");
        assert!(found.kind == DifferenceKind::Values && table.sorted().len() > expected.len(), "{added:?}");
    }
}

#[test]
fn some_of_the_counters_are_some_of_the_recording() {
    let raw = recount::open(path_of("objects.blg")).expect("a sample");
    let expected = all_rows(&raw);
    let counters = [r"\Processor(*)\% Processor Time", r"\Memory\*"];
    let some = [
        converted(&raw, "a.csv", OutputFormat::Csv, &counters),
        converted(&raw, "a.parquet", OutputFormat::Parquet, &counters),
        converted(&raw, "a.blg", OutputFormat::Blg, &counters),
    ];
    for some in some {
        for captures in [[some.clone(), raw.clone()], [raw.clone(), some.clone()]] {
            let mut table = Table::default();
            for capture in &captures {
                table.ingest(std::slice::from_ref(capture));
            }
            assert!(table.sorted() == expected, "{}", some.name());
        }
    }
    // Some of the instances only: nothing is lost, and it is said what is so.
    let some = converted(&raw, "a.csv", OutputFormat::Csv, &[r"\Process(svchost*)\*"]);
    let mut table = Table::default();
    table.ingest(&[raw]);
    let added = table.ingest(&[some]);
    let (_, found) = added[0].differs.as_ref().expect("a difference");
    assert!(found.kind == DifferenceKind::Lacking && &*found.unit.object == "Process", "{found:?}");
}

#[test]
fn values_over_other_intervals_are_called_so() {
    let raw = recount::open(path_of("objects.blg")).expect("a sample");
    let whole = converted(&raw, "a.parquet", OutputFormat::Parquet, &[]);
    let span = Span { every: 2, ..Span::default() };
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("b.parquet");
    let timeline = Timeline::of(std::slice::from_ref(&raw), &span).expect("a time line");
    let options = ConvertOptions::default();
    convert(&timeline, &Target::Path(path.clone()), &options, &recount::unwatched).expect("converted");
    let thinned = recount::open(&path).expect("a table");
    for whole in [whole, raw] {
        let mut table = Table::default();
        table.ingest(std::slice::from_ref(&whole));
        let added = table.ingest(std::slice::from_ref(&thinned));
        let (_, found) = added[0].differs.as_ref().expect("a difference");
        assert_eq!(found.kind, DifferenceKind::Interval, "{}", whole.name());
        let mut expected = [all_rows(&whole), all_rows(&thinned)].concat();
        expected.sort();
        assert!(table.sorted() == expected, "{}", whole.name());
    }
}

/// `samples/rcap-1/closed.rcap` without its frame of names: objects and counters are called by their numbers.
fn without_names() -> Capture {
    let whole = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let is_nameless = |at: &usize| {
        let mut bytes = whole.clone();
        bytes[*at] ^= 0x40;
        let capture = recount::open_bytes("nameless.rcap", bytes).ok()?;
        let object = capture.source.objects().first()?.1.name.to_string();
        object.bytes().all(|byte| byte.is_ascii_digit()).then_some(capture)
    };
    (64..whole.len()).step_by(16).find_map(|at| is_nameless(&at)).expect("names somewhere")
}

#[test]
fn a_log_that_lost_its_names_is_the_same_recording() {
    let whole = recount::open(path_of("rcap-1/closed.rcap")).expect("a sample");
    let nameless = without_names();
    let expected = all_rows(&whole);
    assert!(!all_rows(&nameless).is_empty());
    for captures in [[nameless.clone(), whole.clone()], [whole, nameless]] {
        for together in [1, 2] {
            let mut table = Table::default();
            captures.chunks(together).for_each(|captures| drop(table.ingest(captures)));
            assert!(table.sorted() == expected, "{together}");
        }
    }
}

/// A log of one frame of facts, with a byte of that changed: it names no machine.
fn without_facts() -> Capture {
    let whole = std::fs::read(path_of("rcap-1/sealing.rcap")).expect("a sample");
    let is_hostless = |at: &usize| {
        let mut bytes = whole.clone();
        bytes[*at] ^= 0x40;
        let capture = recount::open_bytes("hostless.rcap", bytes).ok()?;
        let is_damaged = !capture.health().is_complete();
        (is_damaged && capture.source.info().hosts.is_empty()).then_some(capture)
    };
    (64..whole.len()).step_by(16).find_map(|at| is_hostless(&at)).expect("facts somewhere")
}

#[test]
fn a_log_that_lost_its_facts_is_the_same_recording() {
    let whole = recount::open(path_of("rcap-1/sealing.rcap")).expect("a sample");
    let hostless = without_facts();
    let expected = all_rows(&whole);
    for captures in [[hostless.clone(), whole.clone()], [whole, hostless]] {
        for together in [1, 2] {
            let mut table = Table::default();
            captures.chunks(together).for_each(|captures| drop(table.ingest(captures)));
            let found = table.sorted();
            let only = |one: &[String], other: &[String]| -> Vec<String> {
                one.iter().filter(|row| !other.contains(row)).take(2).cloned().collect()
            };
            let differing = [only(&found, &expected), only(&expected, &found)];
            assert!(found == expected, "{together} {} {} {differing:?}", captures[0].names[0], found.len());
        }
    }
}

/// The header, the facts and the names are in the bytes that are missing.
#[test]
fn a_log_without_its_beginning_is_the_same_recording() {
    let bytes = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let whole = recount::open_bytes("whole.rcap", bytes.clone()).expect("a log");
    let expected = all_rows(&whole);
    for len in [64, 450, 600, 1_000] {
        let rest = recount::open_bytes("rest.rcap", bytes[len..].to_vec()).expect("a log");
        for captures in [[rest.clone(), whole.clone()], [whole.clone(), rest]] {
            for together in [1, 2] {
                let mut table = Table::default();
                captures.chunks(together).for_each(|captures| drop(table.ingest(captures)));
                assert!(table.sorted() == expected, "{len} {together} {}", captures[0].names[0]);
            }
        }
    }
}

#[test]
fn local_times_of_an_unknown_zone_are_not_taken_for_utc() {
    let text = |zone: &str, hour: u32| {
        let text: String = HEADER.replace(" (UTC)(0)", zone) + &(0..6).map(line).collect::<String>();
        open_text("a.csv", text.replace(" 10:", &format!(" {hour}:")))
    };
    for captures in [[text("", 10), text(" (UTC)(0)", 11)], [text(" (UTC)(0)", 11), text("", 10)]] {
        let mut table = Table::default();
        table.ingest(&captures[..1]);
        let expected = table.sorted();
        let added = table.ingest(&captures[1..]);
        assert!(added[0].no_zone.is_some() && added[0].id.is_none(), "{added:?}");
        assert_eq!(table.sorted(), expected);
    }
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
    let of_version_2 = [b"recount-ledger 2", &bytes[16..]].concat();
    Ledger::new().load("", &of_version_2).expect("an earlier version");
    assert_eq!((bytes.len(), format!("{sum:016x}")), (731, "5eedf400500fdc26".to_owned()));
}
