//! Parts of one recording in several formats, or with other things beside them: every value counts once, and none is lost.

use std::path::{Path, PathBuf};

use recount::{
    Capture, ConvertOptions, Layout, NameTable, OutputFormat, Span, Target, TimeBound, Timeline, convert,
};
use recount_bytes::ByteOrder;
use recount_model::FindingKind;
use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};
use recount_samples::other_logs::sa::{Entry, Writer};

use crate::recordings;

use recordings::{NUM, Recording, Sysstat, path_of, range, rows_without};

/// All rows of the tidy table, without ids, which a table and the log that it was made from may have in different places.
fn rows(paths: &[&Path]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
    rows_without(&captures, &["capture", "host", "instance_id"])
}

/// Writes the samples between two of a capture's, by number, in another format.
fn write(capture: &Capture, samples: [usize; 2], format: OutputFormat, at: &Path) {
    let bound = |sample: usize| Some(TimeBound::Utc(capture.source.times()[sample].utc));
    let span = Span { begin: bound(samples[0]), end: bound(samples[1]), ..Span::default() };
    let timeline = Timeline::of(std::slice::from_ref(capture), &span).expect("a time line");
    let mut options = ConvertOptions::default();
    options.format = format;
    convert(&timeline, &Target::Path(at.to_path_buf()), &options, &recount::unwatched).expect("converted");
}

#[test]
fn a_table_beside_its_log_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    for sample in ["objects.blg", "atop.raw", "sysstat.sa", "pcp/web1.meta"] {
        let log = path_of(sample);
        let capture = recount::open(&log).expect("a sample");
        let last = capture.source.times().len() - 1;
        let alone = rows(&[&log]);
        for (number, samples) in [[0, last], [0, last / 2], [last / 2, last]].into_iter().enumerate() {
            let table = folder.path().join(format!("{number}.parquet"));
            write(&capture, samples, OutputFormat::Parquet, &table);
            assert_rows(&rows(&[&log, &table]), &alone, &format!("{sample} {samples:?}"));
            assert_rows(&rows(&[&table, &log]), &alone, &format!("{sample} {samples:?}, the table first"));
            std::fs::remove_file(&table).expect("removed");
        }
    }
}

/// What isn't shown of a stream isn't in a log made of it, and a machine without a name is the same in both.
#[test]
fn a_log_made_of_a_stream_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let stream = path_of("session.pcq");
    let capture = recount::open(&stream).expect("a sample");
    let last = capture.source.times().len() - 1;
    let alone = rows(&[&stream]);
    for (number, samples) in [[0, last], [2, 3], [3, 3], [2, last]].into_iter().enumerate() {
        let log = folder.path().join(format!("{number}.blg"));
        write(&capture, samples, OutputFormat::Blg, &log);
        assert_rows(&rows(&[&stream, &log]), &alone, &format!("{samples:?}"));
        assert_rows(&rows(&[&log, &stream]), &alone, &format!("{samples:?}, the log first"));
    }
}

/// Raw values come with rows of bases, some of which have the name of their counter.
#[test]
fn a_table_of_raw_values_is_read_back_without_bases() {
    let folder = tempfile::tempdir().expect("a directory");
    // The layout by objects has no room for the status of a value.
    let tidy = ["objects.blg", "circular.blg", "session.pcq", "rcap-1/closed.rcap"];
    for (layout, samples) in [(Layout::Tidy, &tidy[..]), (Layout::Objects, &["circular.blg", "session.pcq"])]
    {
        for sample in samples {
            let log = path_of(sample);
            let capture = recount::open(&log).expect("a sample");
            let alone = rows(&[&log]);
            let table = folder.path().join("table");
            let mut options = ConvertOptions::default();
            (options.raw, options.layout) = (true, layout);
            let target = Target::Path(table.clone());
            convert(&capture.timeline(), &target, &options, &recount::unwatched).expect("converted");
            assert_rows(&rows(&[&table]), &alone, sample);
            assert_rows(&rows(&[&log, &table]), &alone, sample);
            assert_rows(&rows(&[&table, &log]), &alone, sample);
            drop(std::fs::remove_file(&table));
            drop(std::fs::remove_dir_all(&table));
        }
    }
}

/// Writes a capture thinned out, as `convert --every` and `--interval` do.
fn write_thinned(capture: &Capture, span: &Span, at: &Path) {
    let timeline = Timeline::of(std::slice::from_ref(capture), span).expect("a time line");
    let target = Target::Path(at.to_path_buf());
    convert(&timeline, &target, &ConvertOptions::default(), &recount::unwatched).expect("converted");
}

/// The values of a thinned table are those of several samples together.
#[test]
fn a_thinned_table_beside_its_recording_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole = folder.path().join("whole.parquet");
    let every = |every| Span { every, ..Span::default() };
    let interval = Span { interval: Some(jiff::SignedDuration::from_secs(3)), ..Span::default() };
    for sample in ["circular.blg", "objects.blg", "atop.raw", "sysstat.sa", "pcp/web1.meta"] {
        let log = path_of(sample);
        let capture = recount::open(&log).expect("a sample");
        write(&capture, [0, capture.source.times().len() - 1], OutputFormat::Parquet, &whole);
        let alone = rows(&[&log]);
        for (number, span) in [every(2), every(3), interval.clone()].iter().enumerate() {
            let thinned = folder.path().join(format!("{number}.parquet"));
            write_thinned(&capture, span, &thinned);
            assert_rows(&rows(&[&log, &thinned]), &alone, &format!("{sample} {span:?}"));
            assert_rows(&rows(&[&thinned, &log]), &alone, &format!("{sample} {span:?}, the table first"));
            assert_rows(&rows(&[&thinned, &whole]), &alone, &format!("{sample} {span:?}, beside a table"));
            let captures = recount::open_all(&[thinned.clone(), whole.clone()], &NameTable::new());
            let timeline = Timeline::whole(&captures.expect("captures")).expect("one time line");
            let health = timeline.health();
            let has = |text: &str| health.findings().iter().any(|finding| finding.what.contains(text));
            assert!(!has("other values"), "{sample} {span:?}: {health:?}");
            std::fs::remove_file(&thinned).expect("removed");
        }
        std::fs::remove_file(&whole).expect("removed");
    }
}

/// The times of a text have milliseconds, those of its recording more.
#[test]
fn a_text_beside_its_recording_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    for sample in ["rcap-1/closed.rcap", "objects.blg", "series/1.bin", "atop.raw"] {
        let log = path_of(sample);
        let capture = recount::open(&log).expect("a sample");
        let alone = rows(&[&log]);
        let last = capture.source.times().len() - 1;
        for (name, format) in [("text.csv", OutputFormat::Csv), ("text.tsv", OutputFormat::Tsv)] {
            let (text, table) = (folder.path().join(name), folder.path().join("of_text.parquet"));
            for samples in [[0, last], [last / 3, last], [0, last / 2]] {
                write(&capture, samples, format, &text);
                assert_rows(&rows(&[&log, &text]), &alone, &format!("{sample} {samples:?}"));
                assert_rows(&rows(&[&text, &log]), &alone, &format!("{sample} {samples:?}, the text first"));
                let read_back = recount::open(&text).expect("a text");
                write(&read_back, [0, read_back.source.times().len() - 1], OutputFormat::Parquet, &table);
                // It doesn't say why there is no value.
                let with_values = |rows: &[String]| {
                    rows.iter().filter(|row| row.ends_with("|ok")).cloned().collect::<Vec<_>>()
                };
                let found = with_values(&rows(&[&log, &table]));
                assert_rows(
                    &found,
                    &with_values(&alone),
                    &format!("{sample} {samples:?}, a table of the text"),
                );
                std::fs::remove_file(&text).expect("removed");
                std::fs::remove_file(&table).expect("removed");
            }
        }
    }
}

/// What only the thinned table has stays: values from before the recording, and the one across its begin.
#[test]
fn what_a_recording_lacks_stays_in_the_thinned_table() {
    let folder = tempfile::tempdir().expect("a directory");
    let (late, thinned) = (folder.path().join("late.parquet"), folder.path().join("thinned.parquet"));
    let capture = recount::open(path_of("circular.blg")).expect("a sample");
    write(&capture, [15, 29], OutputFormat::Parquet, &late);
    write_thinned(&capture, &Span { every: 4, ..Span::default() }, &thinned);
    let num = |paths: &[&Path]| {
        let rows = rows(paths);
        rows.iter().filter(|row| row.contains("|Context Switches/sec|") && row.ends_with("|ok")).count()
    };
    // Samples 4, 8, 12 and 16 of the table; 15 to 29 of the recording.
    assert_eq!((num(&[&thinned]), num(&[&late]), num(&[&late, &thinned])), (7, 15, 4 + 15));
}

#[track_caller]
fn assert_rows(found: &[String], expected: &[String], what: &str) {
    let lacking: Vec<&String> = expected.iter().filter(|row| !found.contains(row)).take(3).collect();
    let added: Vec<&String> = found.iter().filter(|row| !expected.contains(row)).take(3).collect();
    assert_eq!((found.len(), lacking, added), (expected.len(), vec![], vec![]), "{what}");
}

/// CPUs come and go later in the file, which makes the sum another instance there.
#[test]
fn the_begin_of_a_log_beside_it_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let log = path_of("sysstat.sa");
    let alone = rows(&[&log]);
    let bytes = std::fs::read(&log).expect("a sample");
    for len in [bytes.len() / 3, bytes.len() / 2, bytes.len() * 3 / 4] {
        let early = folder.path().join("early.sa");
        std::fs::write(&early, &bytes[..len]).expect("written");
        assert_rows(&rows(&[&log, &early]), &alone, &format!("{len} bytes, after the log"));
        assert_rows(&rows(&[&early, &log]), &alone, &format!("{len} bytes, before the log"));
    }
}

const START: u64 = 1_700_000_000;
const READ: u32 = 60 << 22 | 4;
const WRITE: u32 = 60 << 22 | 5;

/// Two counters of one object that are logged at different times, described in this order.
fn archive(
    folder: &Path,
    name: &str,
    order: [(u32, &str); 2],
    minutes: std::ops::RangeInclusive<u32>,
    mark_before: Option<u32>,
) -> PathBuf {
    let mut archive = ArchiveBytes::starting_at(START + 60 * u64::from(*minutes.start()), 2, "web1", "UTC");
    for (number, name) in order {
        archive.metric(number, name, 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    }
    for minute in minutes {
        let seconds = START + 60 * u64::from(minute);
        if mark_before == Some(minute) {
            archive.record(seconds - 1, 0, &[]);
        }
        archive.record(seconds, 0, &[Set::Place(READ, &[(-1, 60 * minute * minute)])]);
        archive.record(seconds, 500_000_000, &[Set::Place(WRITE, &[(-1, 120 * minute)])]);
    }
    write_archive(folder, name, &archive)
}

fn write_archive(folder: &Path, name: &str, archive: &ArchiveBytes) -> PathBuf {
    for (number, volume) in archive.volumes.iter().enumerate() {
        std::fs::write(folder.join(format!("{name}.{number}")), volume).expect("written");
    }
    let meta = folder.join(format!("{name}.meta"));
    std::fs::write(&meta, &archive.meta).expect("written");
    meta
}

#[test]
fn parts_of_an_archive_whose_lists_are_in_another_order_give_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let order = [(READ, "disk.all.read"), (WRITE, "disk.all.write")];
    let other = [order[1], order[0]];
    let all = archive(folder.path(), "all", order, 0..=9, None);
    let parts =
        [archive(folder.path(), "a", order, 0..=5, None), archive(folder.path(), "b", other, 5..=9, None)];
    let alone = rows(&[&all]);
    assert_eq!(alone.iter().filter(|row| row.ends_with("|ok")).count(), 2 * 9, "{alone:#?}");
    assert_rows(&rows(&[&parts[0], &parts[1]]), &alone, "a b");
    assert_rows(&rows(&[&parts[1], &parts[0]]), &alone, "b a");
}

/// Whether a value is the first of its round is known of all parts together.
#[test]
fn a_round_that_begins_late_begins_once() {
    let folder = tempfile::tempdir().expect("a directory");
    let archive = |name: &str, order: [(u32, &str); 2], minutes: std::ops::RangeInclusive<u32>| {
        let start = START + 60 * u64::from(*minutes.start());
        let mut archive = ArchiveBytes::starting_at(start, 2, "web1", "UTC");
        for (number, name) in order {
            archive.metric(number, name, 1, NO_DOMAIN, COUNTER, 0x0010_0000);
        }
        for minute in minutes {
            let seconds = START + 60 * u64::from(minute);
            archive.record(seconds, 0, &[Set::Place(READ, &[(-1, 60 * minute * minute)])]);
            if minute >= 5 {
                archive.record(seconds + 20, 0, &[Set::Place(WRITE, &[(-1, 120 * minute)])]);
            }
        }
        write_archive(folder.path(), name, &archive)
    };
    let order = [(READ, "disk.all.read"), (WRITE, "disk.all.write")];
    let other = [order[1], order[0]];
    let all = archive("all", order, 0..=9);
    let alone = rows(&[&all]);
    let num_first = alone.iter().filter(|row| row.ends_with("|first-sample")).count();
    assert_eq!((num_first, alone.len()), (2, 15), "{alone:#?}");
    for cut in 1..=8 {
        for (name, order) in [("alike", order), ("other", other)] {
            let parts = [archive("a", order, 0..=cut), archive("b", other, cut..=9)];
            assert_rows(&rows(&[&parts[0], &parts[1]]), &alone, &format!("cut at {cut}, {name}"));
            assert_rows(&rows(&[&parts[1], &parts[0]]), &alone, &format!("cut at {cut}, {name}, turned"));
        }
    }
}

/// Counters that are in the same records are in one list, also in a part in which one of them has no value.
#[test]
fn a_metric_without_a_value_in_one_part_parts_no_list() {
    const RAW: u32 = 60 << 22 | 6;
    const COLLECTOR: u32 = 0x0080_0017;
    let folder = tempfile::tempdir().expect("a directory");
    let archive = |name: &str, minutes: std::ops::RangeInclusive<u32>| {
        let start = START + 60 * u64::from(*minutes.start());
        let mut archive = ArchiveBytes::starting_at(start, 2, "web1", "UTC");
        let metrics = [
            (READ, "disk.all.read"),
            (WRITE, "disk.all.write"),
            (RAW, "disk.all.total"),
            (COLLECTOR, "pmcd.seqnum"),
        ];
        for (number, name) in metrics {
            archive.metric(number, name, 1, NO_DOMAIN, COUNTER, 0x0010_0000);
        }
        for minute in minutes {
            let seconds = START + 60 * u64::from(minute);
            let total = [(-1, 7 * minute)];
            let (read, write) = ([(-1, 60 * minute * minute)], [(-1, 120 * minute)]);
            let of_disk = [
                Set::Place(READ, &read),
                Set::Place(WRITE, &write),
                if minute < 2 { Set::Error(RAW, -12_366) } else { Set::Place(RAW, &total) },
            ];
            let of_collector = [Set::Place(COLLECTOR, &[(-1, 1)])];
            archive.record(seconds, 0, if minute == 0 { &of_collector } else { &of_disk });
        }
        write_archive(folder.path(), name, &archive)
    };
    let all = archive("all", 0..=6);
    let expected = rows(&[&all]);
    assert_eq!(expected.iter().filter(|row| row.ends_with("|ok")).count(), 2 * 5 + 4, "{expected:#?}");
    for cut in 1..=5 {
        let parts = [archive("a", 0..=cut), archive("b", cut..=6)];
        assert_rows(&rows(&[&parts[0], &parts[1]]), &expected, &format!("cut at {cut}"));
        assert_rows(&rows(&[&parts[1], &parts[0]]), &expected, &format!("cut at {cut}, turned"));
    }
}

/// Each part counts the start of a process from what its first record says of the boot, to the second.
#[test]
fn a_process_is_the_same_by_any_estimate_of_the_boot() {
    const PROCESSES: u32 = 3 << 22 | 9;
    const UPTIME: u32 = 1;
    const STARTED: u32 = 4;
    const READS: u32 = 5;
    const SECONDS: u32 = 0x0100_3000;
    let folder = tempfile::tempdir().expect("a directory");
    let archive = |name: &str, records: std::ops::RangeInclusive<u32>| {
        let mut archive = ArchiveBytes::starting_at(START, 2, "web1", "UTC");
        archive.metric(UPTIME, "kernel.all.uptime", 1, NO_DOMAIN, INSTANT, SECONDS);
        archive.metric(STARTED, "proc.psinfo.start_time", 1, PROCESSES, INSTANT, SECONDS);
        archive.metric(READS, "proc.io.syscr", 1, PROCESSES, COUNTER, 0x0010_0000);
        archive.domain(START, PROCESSES, &[(7, "000007 make"), (9, "000009 cc1")]);
        for record in records {
            // A part of a second each time that the uptime doesn't count.
            let passed_ms = 10_400 * record;
            let values = [
                Set::Place(UPTIME, &[(-1, 5_000 + passed_ms / 1_000)]),
                Set::Place(STARTED, &[(7, 100), (9, 4_000)]),
                Set::Place(READS, &[(7, 10 * record * record), (9, 20 * record)]),
            ];
            let seconds = START + u64::from(passed_ms / 1_000);
            archive.record(seconds, passed_ms % 1_000 * 1_000_000, &values);
        }
        write_archive(folder.path(), name, &archive)
    };
    let all = archive("all", 0..=9);
    let expected = rows(&[&all]);
    assert!(expected.iter().filter(|row| row.ends_with("|ok")).count() >= 2 * 9, "{expected:#?}");
    for cut in 1..=8 {
        let parts = [archive("a", 0..=cut), archive("b", cut..=9)];
        assert_rows(&rows(&[&parts[0], &parts[1]]), &expected, &format!("cut at {cut}"));
        assert_rows(&rows(&[&parts[1], &parts[0]]), &expected, &format!("cut at {cut}, turned"));
    }
}

/// What one part knows of a restart holds for the others, too: only the first values after it are missing.
#[test]
fn a_mark_in_one_of_two_parts_ends_the_epoch_in_both() {
    let folder = tempfile::tempdir().expect("a directory");
    let order = [(READ, "disk.all.read"), (WRITE, "disk.all.write")];
    let marked = archive(folder.path(), "marked", order, 0..=9, Some(4));
    let expected = rows(&[&marked]);
    assert_eq!(expected.iter().filter(|row| row.ends_with("|ok")).count(), 2 * 8, "{expected:#?}");
    for minutes in [0..=9, 2..=7, 3..=9, 0..=4] {
        let plain = archive(folder.path(), "plain", order, minutes.clone(), None);
        assert_rows(&rows(&[&plain, &marked]), &expected, &format!("{minutes:?}, the plain one first"));
        assert_rows(&rows(&[&marked, &plain]), &expected, &format!("{minutes:?}"));
    }
}

/// The times of a CPU are corrected by those before, but not by those before the restart.
#[test]
fn a_restart_that_one_of_two_files_tells_holds_for_both() {
    const CPU: Entry = (1, 0x8b, 2, true, 80, [10, 0, 0]);
    let folder = tempfile::tempdir().expect("a directory");
    let log = |name: &str, samples: std::ops::Range<u64>, restart: Option<u64>| {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[recordings::PCSW, CPU]);
        for sample in samples {
            if restart == Some(sample) {
                writer.restart(1_000 * sample - 500);
            }
            let bytes = writer.record(1, 1_000 * sample);
            bytes.quads(&[500 * sample * sample]).longs(&[20 + sample]);
            bytes.put(2_u32).quads(&[0; 10]);
            // The CPU counts less for two samples.
            let used = if (5..=6).contains(&sample) { 50 } else { 100 * sample };
            bytes.quads(&[used, 0, used / 2, 900 * sample, 0, 0, 0, 0, 0, 0]);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, &writer.bytes.all).expect("written");
        path
    };
    for restart in [3, 6, 7] {
        let told = log("told.sa", 0..12, Some(restart));
        let expected = rows(&[&told]);
        for samples in [0..12, 3..12, 0..9, 5..8] {
            let other = log("other.sa", samples.clone(), None);
            assert_rows(
                &rows(&[&other, &told]),
                &expected,
                &format!("{restart} {samples:?}, the other one first"),
            );
            assert_rows(&rows(&[&told, &other]), &expected, &format!("{restart} {samples:?}"));
        }
        // A part tells it of the whole; other spans of the same captures know it, too.
        let part = log("part.sa", restart - 1..restart + 2, Some(restart));
        let whole = log("whole.sa", 0..12, None);
        for paths in [[&part, &whole], [&whole, &part]] {
            assert_rows(&rows(&paths.map(|path| &**path)), &expected, &format!("{restart} {paths:?}"));
            let captures =
                recount::open_all(&paths.map(PathBuf::clone), &NameTable::new()).expect("captures");
            let again = Timeline::whole(&captures).expect("a time line").with_span(&Span::default());
            let again = recordings::rows_of(&again.expect("a span"), &["capture", "host", "instance_id"]);
            assert_rows(&again, &expected, &format!("{restart} {paths:?}, again"));
        }
    }
}

/// Of an epoch between two restarts, the other file has no sample of the file that tells them.
#[test]
fn of_two_restarts_between_common_samples_both_hold() {
    let folder = tempfile::tempdir().expect("a directory");
    let log = |name: &str, samples: &[u64], restarts: &[u64]| {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[recordings::PCSW]);
        for sample in samples {
            if restarts.contains(sample) {
                writer.restart(1_000 * sample - 500);
            }
            writer.record(1, 1_000 * sample).quads(&[500 * sample * sample]).longs(&[20 + sample]);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, &writer.bytes.all).expect("written");
        path
    };
    let told = log("told.sa", &[0, 2, 4, 6, 8, 10], &[4, 8]);
    let other = log("other.sa", &[0, 1, 3, 5, 7, 9, 10], &[]);
    for paths in [[&*told, &*other], [&other, &told]] {
        let found = rows(&paths);
        let rates = found.iter().filter(|row| row.contains("|cswch/s|") && row.ends_with("|ok"));
        assert_eq!(rates.count(), 8, "{paths:?}: {found:#?}");
    }
}

/// What is found in captures that are read together.
fn findings(paths: &[&Path]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
    let health = Timeline::whole(&captures).expect("one time line").health();
    assert_eq!(health.total(), health.count(FindingKind::Odd), "{health:?}");
    health.findings().iter().map(|finding| finding.what.clone()).collect()
}

/// The first value of a log after lost samples is over the gap, and a table has the parts of it.
#[test]
fn a_log_that_lost_samples_beside_what_was_made_of_the_whole_is_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |name: &str| folder.path().join(name);
    let (whole, lossy) = (path("whole.sa"), path("lossy.sa"));
    Sysstat.cut(&range(0..NUM), &whole);
    let capture = recount::open(&whole).expect("the whole");
    let expected = rows(&[&whole]);
    let made = [(OutputFormat::Parquet, path("made.parquet")), (OutputFormat::Csv, path("made.csv"))];
    for (format, made) in &made {
        write(&capture, [0, NUM - 1], *format, made);
    }
    for kept in [vec![0, 1, 2, 6, 7, 8, 9, 10, 11], vec![0, 4, 5, 9, 10], vec![3, 4, 9], vec![2]] {
        Sysstat.cut(&kept, &lossy);
        let [(_, table), (_, text)] = &made;
        for paths in [&[&*lossy, table][..], &[table, &lossy], &[text, &lossy, table]] {
            assert_rows(&rows(paths), &expected, &format!("{kept:?} {paths:?}"));
        }
        // A text doesn't say why the first rates are missing.
        let plain = |rows: Vec<String>| {
            let plain = rows.into_iter().map(|row| row.replace("invalid-data", "first-sample"));
            plain.collect::<Vec<_>>()
        };
        for paths in [[&*lossy, text], [text, &lossy]] {
            assert_rows(&plain(rows(&paths)), &expected, &format!("{kept:?} {paths:?}"));
        }
    }
    Sysstat.cut(&[0, 1, 2, 6, 7, 8, 9, 10, 11], &lossy);
    let found = findings(&[&lossy, &made[0].1]);
    let other = |name: &Path| name.display().to_string();
    let (lossy_name, table) = (other(&lossy), other(&made[0].1));
    assert!(
        found.contains(&format!("7 of its samples are also in {lossy_name}; each is counted once")),
        "{found:#?}"
    );
    let longer = "1 of its samples has values over longer intervals than ";
    assert!(found.iter().any(|text| text.starts_with(&format!("{longer}{table}"))), "{found:#?}");
    assert_eq!(found.len(), 2, "{found:#?}");
}

/// A part alone has rates over longer intervals, which the parts together don't have.
#[test]
fn a_table_beside_parts_that_alternate_is_compared_with_the_parts_together() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |name: &str| folder.path().join(name);
    let (whole, even, odd) = (path("whole.sa"), path("even.sa"), path("odd.sa"));
    Sysstat.cut(&range(0..NUM), &whole);
    let expected = rows(&[&whole]);
    let capture = recount::open(&whole).expect("the whole");
    Sysstat.cut(&(0..NUM).filter(|sample| sample % 2 == 0).collect::<Vec<usize>>(), &even);
    Sysstat.cut(&(0..NUM).filter(|sample| sample % 2 == 1 || *sample == 0).collect::<Vec<usize>>(), &odd);
    for (format, made) in
        [(OutputFormat::Parquet, path("made.parquet")), (OutputFormat::Csv, path("made.csv"))]
    {
        write(&capture, [0, NUM - 1], format, &made);
        for paths in [[&*even, &*odd, &*made], [&made, &odd, &even]] {
            assert_rows(&rows(&paths), &expected, &format!("{paths:?}"));
            let found = findings(&paths);
            assert!(
                found.iter().all(|text| text.contains(" of its samples are also in ")),
                "{paths:?}: {found:#?}"
            );
        }
    }
}

/// Intervals of a thinned table that reach from one part into the next have all their samples in the two.
#[test]
fn a_thinned_table_beside_two_parts_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |name: &str| folder.path().join(name);
    let (whole, one, other) = (path("whole.sa"), path("one.sa"), path("other.sa"));
    Sysstat.cut(&range(0..NUM), &whole);
    let expected = rows(&[&whole]);
    let capture = recount::open(&whole).expect("the whole");
    for every in [2, 3] {
        let table = path(&format!("every-{every}.parquet"));
        write_thinned(&capture, &Span { every, ..Span::default() }, &table);
        for cut in 2..NUM - 2 {
            Sysstat.cut(&range(0..cut + 1), &one);
            Sysstat.cut(&range(cut..NUM), &other);
            for paths in [[&*one, &*other, &*table], [&table, &other, &one]] {
                assert_rows(&rows(&paths), &expected, &format!("{every} {cut} {paths:?}"));
                let found = findings(&paths);
                let is_false = |text: &String| text.contains("other values");
                assert!(!found.iter().any(is_false), "{every} {cut} {paths:?}: {found:#?}");
            }
        }
    }
}

/// With `--every`, raw values are over several intervals, as they should be.
#[test]
fn a_log_that_is_thinned_out_keeps_its_values_beside_a_table() {
    let folder = tempfile::tempdir().expect("a directory");
    let (log, table) = (folder.path().join("log.sa"), folder.path().join("table.parquet"));
    Sysstat.cut(&range(0..NUM), &log);
    write(&recount::open(&log).expect("the log"), [0, NUM - 1], OutputFormat::Parquet, &table);
    let thinned = |paths: &[&Path]| {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
        let span = Span { every: 3, ..Span::default() };
        let timeline = Timeline::of(&captures, &span).expect("a time line");
        let batches = timeline.batches().reader().expect("a reader").map(|batch| batch.expect("a batch"));
        batches.map(|batch| batch.num_rows()).sum::<usize>()
    };
    let alone = thinned(&[&log]);
    assert_eq!(thinned(&[&log, &table]), alone);
    assert_eq!(thinned(&[&table, &log]), alone);
}

/// The log says that its counters were reset, or that there were no operations; its text has nothing there, or 0.
#[test]
fn reasons_of_a_log_stay_beside_its_text() {
    let folder = tempfile::tempdir().expect("a directory");
    let text = folder.path().join("text.csv");
    for sample in
        ["sysstat.sa", "sysstat-rhel6.sa", "objects.blg", "counters-dst.blg", "atop.raw", "pcp/web1.meta"]
    {
        let log = path_of(sample);
        let capture = recount::open(&log).expect("a sample");
        let alone = rows(&[&log]);
        write(&capture, [0, capture.source.times().len() - 1], OutputFormat::Csv, &text);
        // Where a mean has no operations, PDH writes 0.
        let zeroed = std::fs::read_to_string(&text).expect("a text").replace("\" \"", "\"0\"");
        for (what, content) in [("as written", None), ("with zeros", Some(zeroed))] {
            if let Some(content) = &content {
                std::fs::write(&text, content).expect("written");
            }
            for paths in [[&*log, &*text], [&*text, &*log]] {
                let found = rows(&paths);
                let is_reason =
                    |row: &&String| ["counter-reset", "no-operations"].iter().any(|why| row.contains(why));
                let reasons = |rows: &[String]| rows.iter().filter(is_reason).cloned().collect::<Vec<_>>();
                assert_eq!(reasons(&found), reasons(&alone), "{sample} {what}");
                if content.is_none() {
                    assert_rows(&found, &alone, sample);
                }
            }
        }
        std::fs::remove_file(&text).expect("removed");
    }
}

#[test]
fn captures_with_other_values_at_the_same_times_are_said_to_have_them() {
    let folder = tempfile::tempdir().expect("a directory");
    let (log, other, table) =
        (folder.path().join("log.sa"), folder.path().join("other.sa"), folder.path().join("other.parquet"));
    Sysstat.cut(&range(0..NUM), &log);
    let mut bytes = std::fs::read(&log).expect("the log");
    // The last record's number of new processes, before its interface and their number.
    let last = bytes.len() - 84 - 8;
    bytes[last] ^= 1;
    std::fs::write(&other, bytes).expect("written");
    write(&recount::open(&other).expect("a log"), [0, NUM - 1], OutputFormat::Parquet, &table);
    let found = findings(&[&log, &table]);
    assert!(
        found.iter().any(|text| text.contains("has other values than ") && text.contains(" at 1 time, ")),
        "{found:#?}"
    );
    assert!(!found.iter().any(|text| text.contains("at different times")), "{found:#?}");
}
