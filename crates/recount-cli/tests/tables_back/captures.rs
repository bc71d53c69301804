//! Every sample capture, the one real log and a recording: to tables A, and from these to tables B.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use recount::{
    ConvertOptions, ConvertReport, Layout, NameTable, PartitionKey, Selection, Target, Timeline, convert,
    open_all, show,
};

use super::rows::{Tables, read};

pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// Where tables are written in a directory.
pub(crate) fn output(directory: &Path, name: &str, options: &ConvertOptions) -> PathBuf {
    let is_file = options.layout == Layout::Tidy && options.partition_by.is_empty();
    directory.join(if is_file { format!("{name}.parquet") } else { name.to_owned() })
}

/// Converts files, and reads the result.
pub(crate) fn converted(
    inputs: &[PathBuf],
    output: &Path,
    options: &ConvertOptions,
) -> (ConvertReport, Tables) {
    let captures = open_all(inputs, &NameTable::new()).expect("opens");
    let report = convert(
        &Timeline::whole(&captures).expect("one time line"),
        &Target::Path(output.into()),
        options,
        &recount::unwatched,
    )
    .expect("converts");
    (report, read(output))
}

fn layouts() -> Vec<ConvertOptions> {
    use PartitionKey::{Date, Host};
    let with = |layout, partition_by: &[PartitionKey]| {
        let mut options = ConvertOptions::default();
        (options.layout, options.partition_by) = (layout, partition_by.into());
        options
    };
    vec![
        with(Layout::Objects, &[]),
        with(Layout::Tidy, &[]),
        with(Layout::Objects, &[Host, Date]),
        with(Layout::Tidy, &[Date, Host]),
        with(Layout::Tidy, &[Host]),
    ]
}

/// Tables of inputs, tables of these tables, and the output of `show` for all three.
fn there_and_back(inputs: &[PathBuf]) {
    // The layout by objects doesn't record the order of objects at a time.
    compare(
        inputs,
        |path, lines| if path == Path::new("_nulls.parquet") { sorted(lines) } else { lines.into() },
    );
}

/// `ordered` puts lines in an order that has to be the same.
fn compare(inputs: &[PathBuf], ordered: impl Fn(&Path, &[String]) -> Vec<String>) {
    let shown = |inputs: &[PathBuf], layout: Layout| {
        let captures = open_all(inputs, &NameTable::new()).expect("opens");
        let (mut series, _) = show(
            &Timeline::whole(&captures).expect("one time line"),
            &Selection::all(),
            0,
            &recount::unwatched,
        )
        .expect("not cancelled");
        for series in &mut series {
            // Tables have no ids, and a tidy one no units.
            series.is_shared = false;
            if layout == Layout::Tidy {
                series.unit.clear();
            }
        }
        series.sort_by(|one, other| one.path.cmp(&other.path));
        series
    };
    for options in layouts() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = |name: &str| output(directory.path(), name, &options);
        let (from_capture, a) = converted(inputs, &place("a"), &options);
        let (from_tables, b) = converted(&[place("a")], &place("b"), &options);
        let case = format!("{inputs:?} {:?} {:?}", options.layout, options.partition_by);
        assert!(a.values().any(|lines| lines.len() > 1), "{case}: no rows");
        let is_told = |finding: &recount::Finding| finding.kind == recount::FindingKind::Time;
        assert!(from_tables.health.findings().iter().all(is_told), "{case}: {:?}", from_tables.health);
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{case}");
        for (path, lines) in &a {
            let (a, b) = (ordered(path, lines), ordered(path, &b[path]));
            let differ = a.iter().zip(&b).find(|(a, b)| a != b);
            assert!(differ.is_none() && a.len() == b.len(), "{case}: {}: {differ:#?}", path.display());
        }
        assert_eq!(from_capture.num_rows, from_tables.num_rows, "{case}");
        let (mut captured, mut tabled) =
            (shown(inputs, options.layout), shown(&[place("a")], options.layout));
        // Tables have the names of processes, and captures say which is which.
        if captured.iter().any(|one| one.instance_id.is_some()) {
            let is_other = |path: &str| ![r"\Process(", r"\Thread("].iter().any(|task| path.contains(task));
            captured.retain(|one| is_other(&one.path));
            tabled.retain(|one| is_other(&one.path));
        }
        // Sums are added stretch by stretch, and tables have other stretches.
        for (one, other) in captured.iter().zip(&mut tabled) {
            if let (Some(mean), Some(of_table)) = (one.mean, other.mean) {
                assert!(
                    (mean - of_table).abs() <= 1e-11 * mean.abs(),
                    "{case}: {}: {mean}, {of_table}",
                    one.path
                );
                other.mean = one.mean;
            }
        }
        assert_eq!(captured, tabled, "{case}");
    }
}

fn sorted(lines: &[String]) -> Vec<String> {
    let mut sorted = lines.to_vec();
    sorted.sort();
    sorted
}

#[test]
fn performance_logs() {
    for name in ["objects.blg", "counters-dst.blg", "circular.blg", "damaged.blg"] {
        there_and_back(&[samples().join(name)]);
    }
}

#[test]
fn capture_logs_sessions_dumps_and_text() {
    for name in [
        "rcap-1/closed.rcap",
        "rcap-1/killed.rcap",
        "rcap-1/foreign.rcap",
        "session.pcq",
        "big-endian.bin",
        "relog-german.csv",
        "typeperf.tsv",
    ] {
        there_and_back(&[samples().join(name)]);
    }
}

#[test]
fn several_machines_in_one() {
    let inputs = ["objects.blg", "circular.blg", "rcap-1/closed.rcap"].map(|name| samples().join(name));
    compare(&inputs, |_, lines| sorted(lines));
}

#[cfg(all(target_os = "linux", feature = "live-tests"))]
#[test]
fn live_a_recording_of_this_machine() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("live.rcap");
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["-q", "record", "--interval", "100ms", "--for", "1500ms", "-o"])
        .arg(&log)
        .output()
        .expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    there_and_back(&[log]);
}

/// These read the shared captures.
mod stored {
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_log() {
        there_and_back(&[recount_testdata::shared_path("blg/tx-basic.blg")]);
    }

    /// Some of its counters are taken every minute, others every half.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn means_of_a_recording_in_rounds() {
        let directory = tempfile::tempdir().expect("a directory");
        let archive = recount_testdata::shared_path("answers/cockpit-cpu_network.tar.gz");
        for options in layouts() {
            let place = output(directory.path(), "a", &options);
            converted(std::slice::from_ref(&archive), &place, &options);
            let (of_archive, of_tables) = (means(&archive), means(&place));
            assert_eq!(of_archive.len(), of_tables.len());
            for (path, mean) in of_archive {
                let found = of_tables[&path];
                assert!((found - mean).abs() <= 1e-11 * mean.abs(), "{path}: {found} for {mean}");
            }
            std::fs::remove_dir_all(&place).or_else(|_| std::fs::remove_file(&place)).expect("removed");
        }
    }

    fn means(input: &Path) -> BTreeMap<String, f64> {
        let captures = open_all(&[input.to_path_buf()], &NameTable::new()).expect("opens");
        let timeline = Timeline::whole(&captures).expect("one time line");
        let (series, _) = show(&timeline, &Selection::all(), 0, &recount::unwatched).expect("not cancelled");
        series.into_iter().filter_map(|series| Some((series.path, series.mean?))).collect()
    }
}
