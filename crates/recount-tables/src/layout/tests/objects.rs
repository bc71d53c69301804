//! The layout by objects.

use recount_model::Status;

use super::*;
use crate::{FileFormat, Layout};

pub(super) fn options() -> TableOptions {
    TableOptions { layout: Layout::Objects, ..TableOptions::default() }
}

#[test]
fn hosts_interleave_and_reasons_are_kept() {
    let disk = object("Disk", true, &[("Reads/sec", RATE), ("Writes/sec", RATE)]);
    let one = without(cooked("web1", &disk, &["C:", "D:"], &[0, 2]), 1, 1, Status::FirstSample);
    let mut two = cooked("web2", &disk, &["C:", "E:", "F:"], &[1, 2]);
    two.columns[0].covers = Some([true, false, false].into());
    two.columns[1].covers = Some([false, true, false].into());
    let two = without(two, 0, 0, Status::CounterReset);
    for (format, extension) in [(FileFormat::Parquet, "parquet"), (FileFormat::ArrowIpc, "arrow")] {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("out");
        let slice = vec![one.clone(), two.clone()];
        let written = write(&path, &TableOptions { format, ..options() }, &[], vec![slice]);
        assert_eq!(written.num_rows, 8);
        let name = |stem: &str| path.join(format!("{stem}.{extension}"));
        let expected = [
            "time|interval_s|weight_s|host|instance|Reads/sec|Writes/sec",
            "0|1|1|web1|C:|0|1000",
            "0|1|1|web1|D:|1|-",
            "1|1|1|web2|C:|-|-",
            "1|1|1|web2|E:|-|1011",
            "2|1|1|web1|C:|20|1020",
            "2|1|1|web1|D:|21|1021",
            "2|1|1|web2|C:|20|-",
            "2|1|1|web2|E:|-|1021",
        ];
        assert_eq!(read(&name("Disk")), expected);
        let reasons = [
            "time|host|object|instance|counter|status",
            "0|web1|Disk|D:|Writes/sec|first-sample",
            "1|web2|Disk|C:|Reads/sec|counter-reset",
        ];
        assert_eq!(read(&name("_nulls")), reasons);
        assert_eq!(files(&path).len(), 3);
    }
}

#[test]
fn the_catalogue_lists_counters_and_their_bases() {
    let disk = object(
        "Disk",
        true,
        &[("Time", AVERAGE), ("Time Base", AVERAGE_BASE), ("TIME", RATE), ("host", RATE)],
    );
    let unseen = object("Unseen", false, &[("X", 0x1234_5678)]);
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    let known = [("".into(), Arc::clone(&disk)), ("".into(), unseen)];
    write(&path, &options(), &known, vec![vec![cooked("", &disk, &["a"], &[0])]]);
    let expected = [
        "object|counter|path|type|type_word|unit|default_scale|base|help|column|file",
        r"Disk|Time|\Disk(*)\Time|PERF_AVERAGE_BULK|0x40020500|-|-1|Time Base|Help of Time.|Time (2)|Disk.parquet",
        r"Disk|Time Base|\Disk(*)\Time Base|PERF_AVERAGE_BASE|0x40030402|-|-1|-|Help of Time Base.|-|Disk.parquet",
        r"Disk|TIME|\Disk(*)\TIME|PERF_COUNTER_COUNTER|0x10410400|/sec|-1|-|Help of TIME.|TIME (3)|Disk.parquet",
        r"Disk|host|\Disk(*)\host|PERF_COUNTER_COUNTER|0x10410400|/sec|-1|-|Help of host.|host (2)|Disk.parquet",
        r"Unseen|X|\Unseen\X|-|0x12345678|/sec|-1|-|Help of X.|-|-",
    ];
    assert_eq!(read(&path.join("_counters.parquet")), expected);
    assert_eq!(read(&path.join("Disk.parquet"))[1], "0|1|1|-|a|0|2000|3000");
    // Nothing was null, and there was no row for the other object.
    assert_eq!(files(&path), ["Disk.parquet", "_counters.parquet"]);
}

#[test]
fn file_names_are_safe_and_apart() {
    let names = [".NET CLR Memory", "A/B", "a", "A", "_nulls", "nul", "table"];
    let slice = names.map(|name| cooked("h", &object(name, false, &[("X", RATE)]), &[], &[0]));
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    write(&path, &options(), &[], vec![slice.into()]);
    let mut expected = ["%2ENET CLR Memory", "%5Fnulls", "%6Eul", "A%2FB", "A~2", "_counters", "a", "table"]
        .map(|name| format!("{name}.parquet"));
    expected.sort();
    assert_eq!(files(&path), expected);
}

#[test]
fn many_tables_stay_in_budget_and_lose_nothing() {
    let objects: Vec<_> =
        (0..5).map(|at| object(&format!("O{at}"), true, &[("X", RATE), ("Y", RATE)])).collect();
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    let slices = (0..6).map(|slice| {
        let seconds: Vec<i64> = (slice * 50..slice * 50 + 50).collect();
        objects.iter().map(|object| cooked("h", object, &["a", "b"], &seconds)).collect()
    });
    let slices = slices.collect();
    write(&path, &TableOptions { len_in_progress: 1, ..options() }, &[], slices);
    for at in 0..5 {
        let lines = read(&path.join(format!("O{at}.parquet")));
        assert_eq!(lines.len(), 601);
        for (row, line) in lines[1..].iter().enumerate() {
            let (second, instance) = (row / 2, row % 2);
            let value = second * 10 + instance;
            assert_eq!(line, &format!("{second}|1|1|h|{}|{value}|{}", ["a", "b"][instance], value + 1000));
        }
    }
}
