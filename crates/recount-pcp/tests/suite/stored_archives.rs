//! Real archives: their contents, counted by the reference decoder, and values that PCP's own tools show.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{FindingKind, Formula, Selection, Source, Status};
use recount_pcp::Archive;
use recount_testdata::shared;

use support::{cells, cook, open};

/// Number of values of counters, and of those among them without a rate.
fn counted(archive: Archive) -> (u64, u64, u64) {
    let source: Arc<dyn Source> = Arc::new(archive);
    let (mut num_counters, mut num_null, mut num_others) = (0, 0, 0);
    for cooked in cook(&source, 1 << 16, &Selection::all()) {
        for column in &cooked.columns {
            let counter = &cooked.object.counters[column.counter];
            for cell in 0..cooked.num_cells() {
                if !column.covers(cell % cooked.instances.len()) {
                    continue;
                }
                match (counter.formula(), column.status_at(cell)) {
                    // An error of the source, while others of the object have values.
                    (Formula::RawCount, Status::Ok | Status::NotANumber) => num_others += 1,
                    (Formula::RawCount, status) => assert_eq!(status, Status::InvalidData),
                    (_, Status::InvalidData) => {}
                    (_, status) => {
                        num_counters += 1;
                        num_null += u64::from(status != Status::Ok);
                    }
                }
            }
        }
    }
    (num_counters, num_null, num_others)
}

/// The rows of the tables in the README of the shared data.
fn rows() -> Vec<(String, Vec<String>)> {
    let text = String::from_utf8(shared("pcp/README.md")).expect("text");
    let (mut directory, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut directory);
        }
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
        if cells.len() > 14 && cells[2].parse::<u32>().is_ok() {
            rows.push((format!("{directory}/{}", cells[1]), cells));
        }
    }
    rows
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_archive_has_the_records_and_values_that_it_has() {
    let (mut num_values, mut failures) = (0, Vec::new());
    let rows = rows();
    assert!(rows.len() >= 54, "{}", rows.len());
    for (name, cells) in &rows {
        let number = |at: usize| cells[at].parse::<u64>().expect("a number");
        let archive = open(name);
        // PCP's tools stop at damage; this reader continues after it.
        let reads_on = name.starts_with("bad/");
        let detail = |what: &str| {
            let details = &archive.info().details;
            let found = details.iter().find(|(name, _)| name == what).map(|(_, value)| value.parse::<u64>());
            found.expect("told").expect("a number")
        };
        let counts = [
            ("records", archive.times().len() as u64 + detail("marks"), number(6)),
            ("marks", detail("marks"), number(7)),
            ("metrics", detail("metrics"), number(8)),
            ("volumes", detail("volumes"), number(3)),
        ];
        let (counters, null, others) = counted(archive);
        num_values += counters + others;
        let values = [("counters", counters, number(13)), ("no rate", null, number(14))];
        for (what, found, expected) in counts.into_iter().chain(values) {
            if found != expected && !(reads_on && found > expected) {
                failures.push(format!("{name}: {what}: {found}, expected {expected}"));
            }
        }
        assert!(reads_on || counters + others <= number(10), "{name}");
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(num_values > 1_100_000, "{num_values}");
}

/// A value of a metric, by time and instance.
fn values(name: &str, metric: &str, instance: &str) -> BTreeMap<i64, Result<f64, Status>> {
    let source: Arc<dyn Source> = Arc::new(open(name));
    let (object, counter) = metric.rsplit_once('.').expect("two parts");
    let all = cells(&cook(&source, 4 << 20, &Selection::all()));
    let of = |(key, value): ((i64, String, String, String), _)| {
        (key.1 == object && key.2 == counter && key.3 == instance).then_some((key.0, value))
    };
    all.into_iter().filter_map(of).collect()
}

fn assert_near(found: Result<f64, Status>, expected: f64) {
    let found = found.expect("a value");
    assert!((found - expected).abs() <= expected.abs() * 1e-12, "{found} {expected}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn values_are_those_that_pcp_shows() {
    // formats/pcp-archive.md#confirmed
    let gap = values("good/gap", "pmcd.pdu_in.result", "");
    // The archive begins with a record of other metrics, in a round of its own.
    assert_eq!(gap[&1_504_214_072_317_317_000], Err(Status::FirstSample));
    assert_near(gap[&1_504_214_073_317_375_000], 1.999_884_006_727_609_8);
    assert_near(gap[&1_504_214_080_317_401_000], 2.000_010_000_05);
    assert_eq!(gap[&1_504_214_085_351_426_000], Err(Status::FirstSample), "after a mark");
    assert_near(gap[&1_504_214_086_351_844_000], 1.999_164_349_301_991_7);
    // Stored in KiB, with times to 100 ns.
    let bytes = values("good/disk-a", "disk.dev.read_bytes", "vda");
    assert_near(bytes[&1_714_528_530_193_650_500], 39_757_575.371_242_44);
    assert_near(bytes[&1_714_528_532_181_939_700], 510_895.487_474_898_5);
    assert_near(bytes[&1_714_528_534_183_206_500], 0.0);
    let reads = values("good/disk-a", "disk.dev.read", "vda");
    assert_near(reads[&1_714_528_530_193_650_500], 159.973_857_866_921_97);
    let wrap = values("good/wrap", "sample.wrap.long", "");
    assert_near(wrap[&880_952_898_285_099_000], 1_072_888_875.344_101_4);
    assert_eq!(wrap[&880_952_901_284_298_000], Err(Status::CounterReset));
    // A time counter: its share of the time.
    let seconds = values("good/changeinst", "sample.seconds", "");
    assert_near(seconds[&870_731_143_422_126_000], 1.000_058_003_364_195);
}

#[test]
#[ignore = "reads ../shared/data"]
fn instances_have_the_names_of_their_time() {
    let archive = open("good/sample-proc_v3");
    let decoded = archive.decode(&(0..archive.times().len() as u32).collect::<Vec<_>>(), &Selection::all());
    let at = |seconds: i64| {
        let mut names = Vec::new();
        for run in decoded.runs.iter().filter(|run| &*run.object.name == "sample.proc") {
            if run
                .clocks
                .time
                .iter()
                .any(|time| time.utc.unix_nanos().is_some_and(|nanos| nanos / 1_000_000_000 == seconds))
            {
                names.extend(run.instances.iter().filter_map(|instance| instance.id));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    };
    let (first, last) = (archive.times()[0].utc, archive.times()[archive.times().len() - 1].utc);
    let seconds = |time: recount_model::Timestamp| time.unix_nanos().expect("a time") / 1_000_000_000;
    assert_ne!(at(seconds(first)), at(seconds(last)), "they come and go");
    let iopct = values("good/iopct", "proc.io.read_bytes", "004879 dd");
    assert!(iopct.len() > 50, "{}", iopct.len());
}

#[test]
#[ignore = "reads ../shared/data"]
fn variants_of_an_archive_are_the_same() {
    let all = |name: &str| {
        let source: Arc<dyn Source> = Arc::new(open(name));
        cells(&cook(&source, 4 << 20, &Selection::all()))
    };
    let plain = all("good/ok-foo_v3");
    assert!(plain.len() > 50, "{}", plain.len());
    assert_eq!(plain, all("own/ok-foo_v3-zst"));
    let later = all("own/future-v3");
    let moved = |(mut key, value): ((i64, String, String, String), _)| {
        key.0 += (1_i64 << 32) * 1_000_000_000;
        (key, value)
    };
    let moved: Vec<_> = plain.into_iter().map(moved).collect();
    assert_eq!(moved, later.into_iter().collect::<Vec<_>>());
}

#[test]
#[ignore = "reads ../shared/data"]
fn cutting_changes_no_value() {
    for name in ["good/pmiostat_mark", "good/omnibus_v3", "good/sample-proc_v3", "own/live-v3", "good/gfs"] {
        let source: Arc<dyn Source> = Arc::new(open(name));
        let whole = cells(&cook(&source, usize::MAX, &Selection::all()));
        assert_eq!(whole, cells(&cook(&source, 1, &Selection::all())), "{name}");
        assert!(whole.len() > 400, "{name}: {}", whole.len());
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn damage_is_reported_with_its_place() {
    let told = [
        ("bad/badlen-1", FindingKind::Damaged, "length after"),
        ("bad/badlog-3", FindingKind::Odd, "time goes back"),
        ("bad/badmeta-1", FindingKind::Dropped, "doesn't describe: 1 (29.0.2"),
        ("bad/ok-truncbin", FindingKind::Truncated, "bytes end inside"),
    ];
    for (name, kind, what) in told {
        let archive = open(name);
        let findings = archive.health().findings();
        let found = findings.iter().any(|finding| finding.kind == kind && finding.to_string().contains(what));
        assert!(found, "{name}: {findings:#?}");
    }
}
