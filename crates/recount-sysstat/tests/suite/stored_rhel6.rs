//! Values of real files of RHEL 6 equal what the `sar` of the recording machines printed.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recount_model::{SampleTime, Source, Status};
use recount_sysstat::SaSource;
use recount_testdata::shared;
use support::{Cells, cells};

/// What `sar` prints otherwise: kbmemused includes buffers and cache.
const OTHERWISE: [&str; 2] = ["kbmemused", "%memused"];

/// What recount doesn't compute: milliseconds per transfer that mean nothing, changes of gauges.
const LEFT_OUT: [&str; 4] = ["svctm", "frmpg/s", "bufpg/s", "campg/s"];

#[derive(Default)]
struct Tally {
    equal: usize,
    nulls: BTreeMap<Status, usize>,
    /// Samples with nulls that aren't about a division by nothing.
    null_times: BTreeSet<String>,
    wrong: Vec<String>,
    unknown: BTreeSet<String>,
}

/// The samples by local time of day.
fn by_time(source: &Arc<SaSource>) -> BTreeMap<String, Cells> {
    let local = |time: &SampleTime| time.civil().expect("a time").strftime("%H:%M:%S").to_string();
    let times: BTreeMap<_, String> = source.times().iter().map(|time| (time.utc, local(time))).collect();
    cells(source, 4 << 20).0.into_iter().map(|((_, utc), cells)| (times[&utc].clone(), cells)).collect()
}

impl Tally {
    fn cell(&mut self, time: &str, cells: &Cells, instance: &str, column: &str, shown: &str) {
        let (counter, factor) = match column {
            "rd_sec/s" => ("rkB/s", 2.0),
            "wr_sec/s" => ("wkB/s", 2.0),
            "avgrq-sz" => ("areq-sz", 2.0),
            "avgqu-sz" => ("aqu-sz", 1.0),
            column => (column, 1.0),
        };
        if OTHERWISE.contains(&column) || LEFT_OUT.contains(&column) {
            return;
        }
        let expected: f64 = shown.parse().expect("a number");
        let is_disk = instance.starts_with("dev");
        let mut found = cells.iter().filter(|((object, of, name), _)| {
            of == instance && name == counter && (counter != "tps" || is_disk == (object == "sar.disk"))
        });
        match found.next() {
            None => _ = self.unknown.insert(format!("{instance} {counter}")),
            Some((_, Ok(value))) if (value * factor - expected).abs() <= 0.005 + value.abs() * 1e-12 => {
                self.equal += 1;
            }
            Some((path, Ok(value))) => {
                self.wrong.push(format!("{time} {path:?}: sar {expected}, found {value}"));
            }
            Some((path, Err(Status::NoOperations))) if expected != 0.0 => {
                self.wrong.push(format!("{time} {path:?}: sar {expected}, found nothing"));
            }
            Some((_, Err(status))) => {
                *self.nulls.entry(*status).or_default() += 1;
                if *status != Status::NoOperations {
                    self.null_times.insert(time.to_owned());
                }
            }
        }
    }
}

/// `05:30:01 PM` as a time of 24 hours, and the words behind it.
fn timed(line: &str) -> Option<(String, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let time = words.next().filter(|word| word.len() == 8 && word.as_bytes()[2] == b':')?;
    let half = words.next()?;
    let hour: u32 = time[..2].parse().ok()?;
    let hour = hour % 12 + if half == "PM" { 12 } else { 0 };
    Some((format!("{hour:02}{}", &time[2..]), words.collect()))
}

fn compare_text(file: &str, report: &str) -> Tally {
    let source = Arc::new(SaSource::open(Arc::new(shared(&format!("sa/rhel6/{file}")))).expect("opens"));
    let (samples, mut tally) = (by_time(&source), Tally::default());
    let mut columns: Vec<String> = Vec::new();
    for line in String::from_utf8_lossy(&shared(&format!("sa/rhel6/{report}"))).lines() {
        let Some((time, words)) = timed(line) else { continue };
        if words.first() == Some(&"LINUX") {
            continue;
        }
        let is_number = |word: &&str| word.parse::<f64>().is_ok();
        if !words.iter().skip(1).any(is_number) {
            columns = words.into_iter().map(ToOwned::to_owned).collect();
            continue;
        }
        let num_named =
            usize::from(matches!(columns.first().map(|name| &**name), Some("CPU" | "IFACE" | "DEV" | "TTY")));
        let instance = if num_named == 1 { words[0] } else { "" };
        let Some(cells) = samples.get(&time) else { panic!("no sample at {time}") };
        for (column, shown) in columns.iter().zip(&words).skip(num_named) {
            tally.cell(&time, cells, instance, column, shown);
        }
    }
    tally
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_the_hosts_printed() {
    let mut equal = 0;
    // Samples of unmarked reboots, and of devices that are new: sar counts from 0.
    for (file, report, null_times) in [
        ("garany-sa01", "garany-sar01.txt", &[][..]),
        ("garany-sa03", "garany-sar03.txt", &[]),
        ("knewhow-sa26", "knewhow-sar26.txt", &["04:40:01", "22:40:01"]),
    ] {
        let tally = compare_text(file, report);
        assert!(
            tally.wrong.is_empty(),
            "{file}: {} wrong: {:#?}",
            tally.wrong.len(),
            &tally.wrong[..5.min(tally.wrong.len())]
        );
        assert!(tally.unknown.is_empty(), "{file}: {:?}", tally.unknown);
        let found: Vec<&str> = tally.null_times.iter().map(|time| &**time).collect();
        assert_eq!(found, null_times, "{file} {:?}", tally.nulls);
        equal += tally.equal;
    }
    assert!(equal > 30_000, "{equal}");
}

/// Attributes of an element: `usr="0.05"`.
fn attributes(element: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = element.split('"');
    std::iter::from_fn(move || {
        let name = rest.next()?.trim().trim_end_matches('=');
        Some((name.rsplit(' ').next().unwrap_or(name), rest.next()?))
    })
}

/// The column of `sar` for a name in its XML.
fn column_of(element: &str, name: &str) -> String {
    let per_second = format!("{name}/s");
    match (element, name.strip_suffix("-percent")) {
        ("cpu", _) => format!("%{name}"),
        (_, Some("memused")) => "%memused".to_owned(),
        (_, Some(name)) => format!("%{name}"),
        ("memory", None) if ["frmpg", "bufpg", "campg"].contains(&name) => per_second,
        ("memory", None) => format!("kb{name}"),
        ("queue" | "kernel" | "net-sock", _) => name.to_owned(),
        _ if ["tps", "rtps", "wtps", "avgrq-sz", "avgqu-sz", "await", "svctm"].contains(&name) => {
            name.to_owned()
        }
        _ => per_second,
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_sadf_of_that_time_printed() {
    let source = Arc::new(SaSource::open(Arc::new(shared("sa/rhel6/csb6-rhel6.bin"))).expect("opens"));
    let all: BTreeMap<String, Cells> = cells(&source, 4 << 20)
        .0
        .into_iter()
        .map(|((_, utc), cells)| (utc.to_string()[11..19].to_owned(), cells))
        .collect();
    let xml = shared("sa/rhel6/csb6-rhel6.xml");
    let (mut tally, mut time, mut group) = (Tally::default(), String::new(), String::new());
    for line in String::from_utf8_lossy(&xml).lines().map(str::trim) {
        let Some(tag) = line.strip_prefix('<') else { continue };
        let element = tag.split(['>', ' ', '/']).next().unwrap_or_default();
        if element == "timestamp" {
            time = attributes(tag).find(|(name, _)| *name == "time").expect("a time").1.to_owned();
        }
        let Some(cells) = all.get(&time) else { continue };
        if ["memory", "kernel", "io"].contains(&element) {
            group = element.to_owned();
        }
        let mut instance = String::new();
        for (name, value) in attributes(tag) {
            match name {
                "number" | "line" | "dev" | "iface" => instance = value.to_owned(),
                "per" | "unit" | "date" | "time" | "interval" => {}
                name => tally.cell(&time, cells, &instance, &column_of(element, name), value),
            }
        }
        if let Some((value, _)) = tag.split_once('>').and_then(|(_, rest)| rest.split_once("</")) {
            tally.cell(&time, cells, "", &column_of(&group, element), value);
        }
    }
    assert!(
        tally.wrong.is_empty(),
        "{} wrong: {:#?}",
        tally.wrong.len(),
        &tally.wrong[..5.min(tally.wrong.len())]
    );
    assert!(tally.unknown.is_empty(), "{:?}", tally.unknown);
    assert!(tally.null_times.is_empty(), "{:?}", tally.null_times);
    assert!(tally.equal > 20_000, "{}", tally.equal);
}
