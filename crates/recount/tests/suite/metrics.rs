//! OpenMetrics and line protocol: every value of a capture is in them, and nothing else.

use std::collections::BTreeMap;

use recount::{Capture, ConvertOptions, Layout, NameTable, OutputFormat, Target, convert, open, open_all};

use crate::exposition;

use exposition::{Key, Labels, expected, read, sample, text};

const SAMPLES: [&str; 6] =
    ["objects.blg", "circular.blg", "counters-dst.blg", "session.pcq", "relog-german.csv", "big-endian.bin"];

fn captures(name: &str) -> Vec<Capture> {
    vec![open(sample(name)).expect(name)]
}

#[test]
fn open_metrics_have_every_value_under_its_own_name() {
    let mut num_values = 0;
    for name in SAMPLES {
        let captures = captures(name);
        let (text, report) = text(&captures, OutputFormat::OpenMetrics);
        let found = read(&text);
        let own = |(metric, labels, millis): &Key| (found.counters[metric].clone(), labels.clone(), *millis);
        let values: BTreeMap<Key, f64> = found.values.iter().map(|(key, value)| (own(key), *value)).collect();
        assert_eq!(values, expected(&captures), "{name}");
        assert_eq!(values.len() as u64, report.num_rows, "{name}");
        num_values += values.len();
    }
    assert!(num_values > 1_500, "{num_values}");
}

#[test]
fn names_have_units_and_labels() {
    let (text, _) = text(&captures("objects.blg"), OutputFormat::OpenMetrics);
    for line in [
        "# TYPE recount_processor_processor_time_percent gauge",
        "# UNIT recount_processor_processor_time_percent percent",
        r"# HELP recount_processor_processor_time_percent Processor\\% Processor Time",
        "# TYPE recount_memory_available_bytes gauge",
        "# TYPE recount_memory_page_faults_per_second gauge",
    ] {
        assert!(text.lines().any(|found| found == line || found.starts_with(&format!("{line}: "))), "{line}");
    }
    let of = |start: &str| text.lines().find(|line| line.starts_with(start)).map(ToOwned::to_owned);
    let disk = r#"recount_physicaldisk_avg_disk_sec_read_seconds{host="PACIFIC",instance="0 C:"} "#;
    assert!(of(disk).is_some_and(|line| line.ends_with(" 1361354415.000")), "{text}");
    assert!(of(r#"recount_memory_available_bytes{host="PACIFIC"} "#).is_some(), "no instance");
}

/// A line of InfluxDB's protocol: measurement, tags, fields, nanoseconds.
fn line(line: &str) -> (String, Labels, Vec<(String, f64)>, i64) {
    let (mut parts, mut part, mut is_escaped) = (vec![String::new()], 0, false);
    // Blanks and commas that aren't escaped become line feeds, which no line holds.
    for c in line.chars() {
        match c {
            ' ' if !is_escaped => {
                parts.push(String::new());
                part += 1;
            }
            ',' if !is_escaped => parts[part].push('\n'),
            '\\' if !is_escaped => {}
            c => {
                if is_escaped && !",= ".contains(c) {
                    parts[part].push('\\');
                }
                parts[part].push(c);
            }
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    let [head, fields, time] = &parts[..] else { panic!("{line}") };
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').expect("a pair");
        (name.to_owned(), value.to_owned())
    };
    let mut head = head.split('\n');
    let measurement = head.next().expect("a measurement").to_owned();
    let fields = fields.split('\n').map(pair).map(|(name, value)| (name, value.parse().expect("a number")));
    (measurement, head.map(pair).collect(), fields.collect(), time.parse().expect("a time"))
}

#[test]
fn line_protocol_has_the_values_of_open_metrics() {
    for name in SAMPLES {
        let captures = captures(name);
        let (metrics, _) = text(&captures, OutputFormat::OpenMetrics);
        let (lines, report) = text(&captures, OutputFormat::LineProtocol);
        let mut found: BTreeMap<Key, f64> = BTreeMap::new();
        for (measurement, labels, fields, nanos) in lines.lines().map(line) {
            for (field, value) in fields {
                let key = (format!("{measurement}_{field}"), labels.clone(), nanos.div_euclid(1_000_000));
                assert!(found.insert(key, value).is_none(), "{name}: {field} twice");
            }
        }
        assert_eq!(found, read(&metrics).values, "{name}");
        assert_eq!(lines.lines().count() as u64, report.num_rows, "{name}");
    }
}

#[test]
fn several_captures_are_one_text() {
    let series = open_all(&[sample("series"), sample("objects.blg")], &NameTable::new()).expect("opens");
    let (text, _) = text(&series, OutputFormat::OpenMetrics);
    assert_eq!(read(&text).values.len(), expected(&series).len());
}

#[test]
fn what_has_no_meaning_is_reported() {
    let mut options = ConvertOptions::default();
    options.format = OutputFormat::LineProtocol;
    options.layout = Layout::Objects;
    let error =
        convert(&captures("objects.blg")[0].timeline(), &Target::Stdout, &options, &recount::unwatched)
            .expect_err("no layout");
    assert!(error.to_string().starts_with("metrics have one layout"), "{error}");
}
