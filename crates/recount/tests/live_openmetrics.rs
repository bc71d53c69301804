//! What Prometheus makes of our OpenMetrics: `promtool` reads it into blocks, and gives the values back.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use recount::{Capture, OutputFormat, open};
use recount_testdata::shared_path;

#[path = "suite/exposition/mod.rs"]
mod exposition;

use exposition::{Key, read, sample, series, text};

/// Runs `promtool`, which Debian's package `prometheus` has.
fn promtool(arguments: &[&str], directory: &Path) -> String {
    let output = Command::new("promtool").args(arguments).current_dir(directory).output();
    let output = output.expect("promtool: install Debian's package `prometheus`");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The values that are in Prometheus's blocks after reading a text.
fn through_prometheus(text: &str) -> BTreeMap<Key, f64> {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("in.om"), text).expect("written");
    promtool(&["tsdb", "create-blocks-from", "openmetrics", "in.om", "blocks"], directory.path());
    // It reads no directory without a log of what is still in memory.
    std::fs::create_dir(directory.path().join("blocks/wal")).expect("a directory");
    let dump = promtool(&["tsdb", "dump", "blocks"], directory.path());
    let value = |line: &str| {
        // `{__name__="recount_…", host="web1"} 1.5 1714528530193`
        let line = format!("recount_{line}");
        let (_, mut labels, rest) = series(&line);
        let name = labels.remove("__name__").expect("a name");
        let (value, millis) = rest.split_once(' ').expect("a value and a time");
        let millis = millis.parse().expect("milliseconds");
        ((name, labels, millis), value.parse::<f64>().expect("a number"))
    };
    dump.lines().map(value).collect()
}

fn check(name: &str, captures: &[Capture]) -> usize {
    let (text, _) = text(captures, OutputFormat::OpenMetrics);
    let expected = read(&text).values;
    let found = through_prometheus(&text);
    assert_eq!(found.len(), expected.len(), "{name}");
    for (key, value) in &expected {
        assert_eq!(found.get(key).map(|found| found.to_bits()), Some(value.to_bits()), "{name}: {key:?}");
    }
    expected.len()
}

#[test]
fn prometheus_has_every_value() {
    let mut num_values = 0;
    for name in ["objects.blg", "circular.blg", "counters-dst.blg", "session.pcq", "relog-german.csv"] {
        num_values += check(name, &[open(sample(name)).expect(name)]);
    }
    for name in ["pcp/good/pcp-mpstat3", "pcp/good/disk-a", "pcp/own/live-v3", "blg/tx-basic.blg"] {
        let path = shared_path("").join(name);
        num_values += check(name, &[open(path).expect(name)]);
    }
    assert!(num_values > 20_000, "{num_values}");
}
