//! A callback that breaks ends every long work with one error, and leaves no output.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use recount::analysis::report::ReportOptions;
use recount::analysis::stats::StatsOptions;
use recount::{
    Cancelled, CatalogueError, ConvertError, ConvertOptions, Layout, OnProgress, OutputFormat, PackError,
    PartitionKey, Progress, Selection, Target, TimeMachine, Timeline, Timestamp,
};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}

fn timeline() -> Timeline {
    recount::open(sample("objects.blg")).expect("a sample").timeline()
}

fn at_once<P>(_: P) -> ControlFlow<()> {
    ControlFlow::Break(())
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn answers_end_with_one_error() {
    let timeline = timeline();
    assert_eq!(recount::stats(&timeline, &StatsOptions::default(), &at_once).err(), Some(Cancelled));
    assert_eq!(recount::show(&timeline, &Selection::all(), 0, &at_once).err(), Some(Cancelled));
    assert_eq!(recount::report(&timeline, &[], &ReportOptions::default(), &at_once).err(), Some(Cancelled));
    assert_eq!(recount::diff(&timeline, &timeline, &Selection::all(), &at_once).err(), Some(Cancelled));
}

#[test]
fn a_past_is_whole_or_there_is_none() {
    let timeline = timeline();
    let machine = TimeMachine::new(&timeline, &["Processor"]);
    let moment = machine.at(Timestamp(i64::MAX), 0).expect("a moment");
    let table = &moment.objects[0];
    let past = |progress: OnProgress<'_>| {
        machine.past(&table.rows[0], &table.counters[0].name, (100, 100), progress)
    };
    assert_eq!(past(&at_once), Err(Cancelled));
    assert_eq!(past(&recount::unwatched).map(|past| past.len()), Ok(machine.times().len()));
}

#[test]
fn a_conversion_leaves_no_output() {
    let timeline = timeline();
    let forms: [(OutputFormat, Layout, &[PartitionKey]); 10] = [
        (OutputFormat::Parquet, Layout::Tidy, &[]),
        (OutputFormat::Parquet, Layout::Objects, &[]),
        (OutputFormat::Parquet, Layout::Tidy, &[PartitionKey::Host, PartitionKey::Date]),
        (OutputFormat::Arrow, Layout::Tidy, &[]),
        (OutputFormat::Arrow, Layout::Objects, &[]),
        (OutputFormat::Csv, Layout::Tidy, &[]),
        (OutputFormat::Tsv, Layout::Tidy, &[]),
        (OutputFormat::Blg, Layout::Tidy, &[]),
        (OutputFormat::OpenMetrics, Layout::Tidy, &[]),
        (OutputFormat::LineProtocol, Layout::Tidy, &[]),
    ];
    for (format, layout, partition_by) in forms {
        let mut options = ConvertOptions::default();
        (options.format, options.layout, options.partition_by) = (format, layout, partition_by.to_vec());
        let directory = tempfile::tempdir().expect("a directory");
        let target = Target::Path(directory.path().join("out"));
        let error = recount::convert(&timeline, &target, &options, &at_once).expect_err("cancelled");
        assert!(matches!(error, ConvertError::Cancelled(Cancelled)), "{format:?} {layout:?}: {error}");
        assert_eq!(names(directory.path()), [""; 0], "{format:?} {layout:?}");
    }
}

#[test]
fn a_conversion_that_replaces_keeps_what_was_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("out.parquet");
    fs::write(&path, "what was there").expect("written");
    let mut options = ConvertOptions::default();
    options.force = true;
    let error = recount::convert(&timeline(), &Target::Path(path.clone()), &options, &at_once);
    assert!(matches!(error, Err(ConvertError::Cancelled(Cancelled))));
    assert_eq!(fs::read_to_string(&path).expect("still there"), "what was there");
}

#[test]
fn a_packed_log_and_a_catalogue_are_not_left_half() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("packed.rcap");
    let error = recount::pack(&sample("objects.blg"), Some(&log), false, &at_once).expect_err("cancelled");
    assert!(matches!(error, PackError::Cancelled(Cancelled)), "{error}");
    assert_eq!(names(directory.path()), [""; 0]);

    let captures = [sample("objects.blg"), sample("circular.blg"), sample("typeperf.tsv")];
    let output = directory.path().join("catalogue.parquet");
    let error = recount::catalogue(&captures, &output, false, &at_once).expect_err("cancelled");
    assert!(matches!(error, CatalogueError::Cancelled(Cancelled)), "{error}");
    assert_eq!(names(directory.path()), [""; 0]);
    recount::catalogue(&captures[..1], &output, false, &recount::unwatched).expect("a catalogue");
    let before = fs::read(&output).expect("a catalogue");
    recount::catalogue(&captures, &output, false, &at_once).expect_err("cancelled");
    assert_eq!(fs::read(&output).expect("a catalogue"), before, "the old one stays");
}

#[test]
fn nothing_is_read_after_the_step_that_cancelled() {
    let num_steps = AtomicUsize::new(0);
    let second_breaks = |_: Progress| match num_steps.fetch_add(1, Ordering::Relaxed) {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    // Two passes: the first may end, the second breaks at its first step.
    let timeline = timeline();
    let done = recount::diff(&timeline, &timeline, &Selection::all(), &second_breaks);
    assert_eq!(done.err(), Some(Cancelled));
    assert_eq!(num_steps.load(Ordering::Relaxed), 2);
}
