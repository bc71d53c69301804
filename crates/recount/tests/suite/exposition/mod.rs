//! A reader of OpenMetrics that is as strict as the specification, and the values of captures to compare with.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use recount::{Capture, ConvertOptions, ConvertReport, OutputFormat, Target, Timeline, convert};
use recount_compute::{PipelineOptions, run};

/// Labels by name.
pub type Labels = BTreeMap<String, String>;
/// A metric, its labels, and milliseconds since 1970.
pub type Key = (String, Labels, i64);

/// A file of `samples/`.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

/// Converts captures, and gives the text.
pub fn text(captures: &[Capture], format: OutputFormat) -> (String, ConvertReport) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("out");
    let mut options = ConvertOptions::default();
    options.format = format;
    let timeline = Timeline::whole(captures).expect("one time line");
    let report =
        convert(&timeline, &Target::Path(path.clone()), &options, &recount::unwatched).expect("converts");
    (std::fs::read_to_string(path).expect("UTF-8"), report)
}

/// What the pipeline computes: by `object\counter`, labels and milliseconds; of several, the first.
pub fn expected(captures: &[Capture]) -> BTreeMap<Key, f64> {
    let mut all = BTreeMap::new();
    let timeline = Timeline::whole(captures).expect("one time line");
    run(timeline.inputs(), &PipelineOptions::default(), |batch, _| {
        for cooked in &batch {
            for column in &cooked.columns {
                let counter = &cooked.object.counters[column.counter].name;
                for (cell, value) in (0..cooked.num_cells()).map(|cell| (cell, column.value_at(cell))) {
                    let (sample, instance) = (cell / cooked.instances.len(), cell % cooked.instances.len());
                    let Some(value) = value.filter(|_| column.covers(instance)) else { continue };
                    let instance = &cooked.instances[instance];
                    let id = instance.id.map(|id| id.to_string()).unwrap_or_default();
                    let labels = [
                        ("host", cooked.host.to_string()),
                        ("instance", instance.shown()),
                        ("instance_id", id),
                    ];
                    let labels = labels.into_iter().filter(|(_, value)| !value.is_empty());
                    let labels = labels.map(|(name, value)| (name.to_owned(), value)).collect();
                    let nanos = cooked.times[sample].utc.unix_nanos().expect("a time");
                    let key =
                        (format!("{}\\{counter}", cooked.object.name), labels, nanos.div_euclid(1_000_000));
                    all.entry(key).or_insert(value);
                }
            }
        }
        Ok::<(), std::convert::Infallible>(())
    })
    .expect("infallible");
    all
}

/// A text of OpenMetrics.
#[derive(Debug, Default)]
pub struct Exposition {
    /// By name of the metric: `object\counter`, from its help.
    pub counters: BTreeMap<String, String>,
    pub values: BTreeMap<Key, f64>,
}

/// Reads a text. Whatever the specification forbids fails.
pub fn read(text: &str) -> Exposition {
    let mut all = Exposition::default();
    let mut seen: HashSet<(String, Labels)> = HashSet::new();
    let mut at_hand: Option<(String, Labels, i64)> = None;
    let mut family = String::new();
    let text = text.strip_suffix("# EOF\n").expect("the end");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let parts: Vec<&str> = rest.splitn(3, ' ').collect();
            let [kind, name, told] = parts[..] else { panic!("{line}") };
            if kind == "TYPE" {
                assert!(is_name(name) && told == "gauge", "{line}");
                assert!(!all.counters.contains_key(name), "{line}: families stand together");
                all.counters.insert(name.to_owned(), String::new());
                name.clone_into(&mut family);
            }
            assert_eq!(name, family, "{line}");
            match kind {
                "TYPE" => {}
                "UNIT" => assert!(name.ends_with(&format!("_{told}")), "{line}"),
                "HELP" => {
                    let help = unescaped(told);
                    let path = help.split(": ").next().unwrap_or_default();
                    all.counters.insert(family.clone(), path.to_owned());
                }
                _ => panic!("{line}"),
            }
            continue;
        }
        let (name, labels, rest) = series(line);
        assert_eq!(name, family, "{line}");
        let (value, time) = rest.split_once(' ').expect("a value and a time");
        let value: f64 = value.parse().expect("a number");
        assert!(value.is_finite(), "{line}");
        let (seconds, millis) = time.split_once('.').expect("decimals");
        let seconds: i64 = seconds.parse().expect("seconds");
        assert_eq!(millis.len(), 3, "{line}");
        let time = seconds * 1_000 + millis.parse::<i64>().expect("milliseconds");
        let before = at_hand.replace((name.clone(), labels.clone(), time));
        if before.as_ref().is_some_and(|before| (&before.0, &before.1) == (&name, &labels)) {
            assert!(before.is_some_and(|before| before.2 < time), "{line}: times ascend");
        } else {
            assert!(seen.insert((name.clone(), labels.clone())), "{line}: a series stands together");
        }
        all.values.insert((name, labels, time), value);
    }
    all
}

/// Name, labels and what is behind them.
pub fn series(line: &str) -> (String, Labels, &str) {
    let end = line.find(['{', ' ']).expect("a name");
    let (name, mut rest) = line.split_at(end);
    assert!(is_name(name), "{line}");
    let mut labels = Labels::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            let (label, value) = rest.split_once("=\"").expect("a label");
            let mut is_escaped = false;
            let end = value.find(|c| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            let end = end.expect("a quote");
            let label = label.trim_start_matches([',', ' ']).to_owned();
            let value_here = unescaped(&value[..end]);
            assert!(!value_here.is_empty() && labels.insert(label, value_here).is_none(), "{line}");
            rest = &value[end + 1..];
        }
        rest = &rest[1..];
    }
    (name.to_owned(), labels, rest.strip_prefix(' ').expect("a blank"))
}

fn is_name(name: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with("recount_") && name.chars().all(is_fine)
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => '\n',
            ('\\', Some(other)) => other,
            (c, _) => c,
        });
    }
    out
}
