//! Parts of one recording in several formats, or with other things beside them: every value counts once, and none is lost.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{ArrayRef, StringArray};
use recount::{Capture, ConvertOptions, NameTable, OutputFormat, Span, Target, TimeBound, Timeline, convert};
use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, NO_DOMAIN, Set};

fn path_of(sample: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample)
}

/// All rows of the tidy table, without ids, which a table and the log that it was made from may have in different places.
fn rows(paths: &[&Path]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
    let timeline = Timeline::whole(&captures).expect("one time line");
    let mut rows = Vec::new();
    for batch in timeline.batches() {
        let batch = batch.expect("a batch");
        let schema = batch.schema();
        let is_compared =
            |name: &str| ["time", "object", "instance", "counter", "value", "status"].contains(&name);
        let columns =
            batch.columns().iter().zip(schema.fields()).filter(|(_, field)| is_compared(field.name()));
        let columns: Vec<_> = columns.map(|(column, _)| column.clone()).collect();
        assert_eq!(columns.len(), 6);
        let shown: Vec<Vec<String>> = columns.iter().map(shown).collect();
        rows.extend(
            (0..batch.num_rows())
                .map(|row| shown.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join("|")),
        );
    }
    rows.sort();
    rows
}

/// The values of a column, whichever its dictionary is.
fn shown(column: &ArrayRef) -> Vec<String> {
    if let Some(texts) = column.as_dictionary_opt::<Int32Type>() {
        let texts = texts.downcast_dict::<StringArray>().expect("texts");
        return texts.into_iter().map(|text| text.unwrap_or_default().to_owned()).collect();
    }
    if let Some(times) = column.as_primitive_opt::<TimestampNanosecondType>() {
        return times.iter().map(|time| format!("{time:?}")).collect();
    }
    column.as_primitive::<Float64Type>().iter().map(|value| format!("{value:?}")).collect()
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
    // Samples 4, 8, 12 and 16 of the table; 16 to 29 of the recording, whose first sample has no value.
    assert_eq!((num(&[&thinned]), num(&[&late]), num(&[&late, &thinned])), (7, 14, 4 + 14));
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
) -> PathBuf {
    let mut archive = ArchiveBytes::starting_at(START + 60 * u64::from(*minutes.start()), 2, "web1", "UTC");
    for (number, name) in order {
        archive.metric(number, name, 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    }
    for minute in minutes {
        let seconds = START + 60 * u64::from(minute);
        archive.record(seconds, 0, &[Set::Place(READ, &[(-1, 60 * minute * minute)])]);
        archive.record(seconds, 500_000_000, &[Set::Place(WRITE, &[(-1, 120 * minute)])]);
    }
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
    let all = archive(folder.path(), "all", order, 0..=9);
    let parts = [archive(folder.path(), "a", order, 0..=5), archive(folder.path(), "b", other, 5..=9)];
    let alone = rows(&[&all]);
    assert_eq!(alone.iter().filter(|row| row.ends_with("|ok")).count(), 2 * 9, "{alone:#?}");
    assert_rows(&rows(&[&parts[0], &parts[1]]), &alone, "a b");
    assert_rows(&rows(&[&parts[1], &parts[0]]), &alone, "b a");
}
