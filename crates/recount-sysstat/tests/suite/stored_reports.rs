//! Values of real files equal those of the reports kept with them (`sar -A`).

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::Status;
use recount_sysstat::SaSource;
use recount_testdata::shared;
use support::{Cells, cells};

/// Columns that the report's version defines differently (`formats/sa.md`, kbmemused), or takes from elsewhere.
const OTHERWISE: &[&str] = &["kbmemused", "%memused", "kbavail"];

/// The object to which these counters belong, found by the first of them.
fn object_of(cells: &Cells, columns: &[&str]) -> Option<String> {
    let known = |object: &str| {
        let has = |name: &str| cells.keys().any(|(of, _, counter)| of == object && counter == name);
        columns.iter().filter(|name| has(name)).count()
    };
    let mut objects: Vec<&String> = cells.keys().map(|(object, _, _)| object).collect();
    objects.dedup();
    let best = objects.into_iter().max_by_key(|object| known(object))?;
    (2 * known(best) > columns.len()).then(|| best.clone())
}

/// Compares the tables of a report; `Ok` has the number of equal cells, and of ours that are null.
fn compare(report: &str, samples: &[&Cells]) -> (usize, BTreeMap<Status, usize>, Vec<String>) {
    let (mut equal, mut nulls, mut wrong) = (0, BTreeMap::new(), Vec::new());
    let mut columns: Vec<&str> = Vec::new();
    let mut row_of: BTreeMap<String, usize> = BTreeMap::new();
    for line in report.lines() {
        let mut words = line.split_whitespace();
        let Some(time) = words.next().filter(|word| word.len() == 8 && word.as_bytes()[2] == b':') else {
            continue;
        };
        let words: Vec<&str> = words.collect();
        if matches!(words.first(), None | Some(&("COM" | "LINUX"))) {
            continue;
        }
        if words.iter().any(|word| word.contains(['/', '%']) || *word == "plist-sz" || *word == "dentunusd")
            && words.iter().all(|word| word.parse::<f64>().is_err())
        {
            columns = words;
            row_of.clear();
            continue;
        }
        let (by, named) = match columns.first() {
            Some(&"CPU" | &"IFACE" | &"DEV" | &"TTY") => (words[0].to_owned(), 1),
            // Lists whose names come last, or have several words.
            Some(&"FAN" | &"TEMP" | &"IN" | &"BUS" | &"INTR" | &"MBfsfree") => continue,
            _ => (String::new(), 0),
        };
        if words.len() != columns.len() {
            continue;
        }
        // Each further row of an instance belongs to the next sample.
        let sample = row_of.entry(by.clone()).or_insert(0);
        let Some(cells) = samples.get(*sample) else { continue };
        *sample += 1;
        let Some(object) = object_of(cells, &columns[named..]) else { continue };
        let instance = match by.strip_prefix("sda").filter(|_| object == "sar.disk") {
            Some(partition) => format!("dev8-{}", partition.parse().unwrap_or(0)),
            None => by,
        };
        for (column, shown) in columns.iter().zip(&words).skip(named) {
            let path = (object.clone(), instance.clone(), column.replace("retrseg", "retrans"));
            let (Some(found), Ok(expected)) = (cells.get(&path), shown.parse::<f64>()) else { continue };
            match found {
                _ if OTHERWISE.contains(column) => {}
                Ok(value) if (value - expected).abs() <= 0.005 + value.abs() * 1e-12 => equal += 1,
                Ok(value) => wrong.push(format!("{time} {path:?}: sar {expected}, found {value}")),
                Err(status) => *nulls.entry(*status).or_default() += 1,
            }
        }
    }
    (equal, nulls, wrong)
}

#[track_caller]
fn check(file: &str, at_least: usize) {
    let source = SaSource::open(Arc::new(shared(&format!("sa/sysstat/{file}")))).expect("opens");
    let all = cells(&Arc::new(source), 4 << 20).0;
    let mut before = None;
    let shown: Vec<&Cells> = all
        .iter()
        .filter(|((epoch, _), _)| before.replace(*epoch) == Some(*epoch))
        .map(|(_, cells)| cells)
        .collect();
    let report = shared(&format!("sa/sysstat/expected.{file}"));
    let (equal, nulls, wrong) = compare(&String::from_utf8_lossy(&report), &shown);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(nulls.keys().all(|status| *status == Status::NoOperations), "{nulls:?}");
    assert!(equal >= at_least, "{equal} compared {nulls:?}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_format_of_11_6() {
    check("data-11.6.5", 458);
}

#[test]
#[ignore = "reads ../shared/data"]
fn shorter_structures() {
    check("data-12.0.0", 447);
}

#[test]
#[ignore = "reads ../shared/data"]
fn an_activity_of_unknown_layout() {
    check("data-12.5.6-A_QUEUE_modified", 38);
}
