//! Values of real files equal those printed by `sadf -j`, to its two digits.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::Status;
use recount_sysstat::SaSource;
use recount_testdata::shared;
use serde_json::Value;
use support::{Cells, cells};

/// The result of a comparison.
#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    /// Cells for which `sadf` prints a number and we give a reason for there being none.
    nulls: BTreeMap<Status, usize>,
    wrong: Vec<String>,
    /// Names in the text for which we have no counter.
    unknown: BTreeMap<String, usize>,
}

/// Where the objects are in the text, and the names of their instances there.
const OBJECTS: &[(&str, &str, &str)] = &[
    ("cpu-load", "sar.cpu", "cpu"),
    ("process-and-context-switch", "sar.pcsw", ""),
    ("swap-pages", "sar.swap", ""),
    ("paging", "sar.page", ""),
    ("io", "sar.io", ""),
    ("memory", "sar.memory", ""),
    ("hugepages", "sar.huge", ""),
    ("kernel", "sar.ktables", ""),
    ("queue", "sar.queue", ""),
    ("serial", "sar.serial", "line"),
    ("disk", "sar.disk", "disk-device"),
    ("net-dev", "sar.net_dev", "iface"),
    ("net-edev", "sar.net_edev", "iface"),
    ("net-nfs", "sar.net_nfs", ""),
    ("net-nfsd", "sar.net_nfsd", ""),
    ("net-sock", "sar.net_sock", ""),
    ("net-ip", "sar.net_ip", ""),
    ("net-eip", "sar.net_eip", ""),
    ("net-icmp", "sar.net_icmp", ""),
    ("net-eicmp", "sar.net_eicmp", ""),
    ("net-tcp", "sar.net_tcp", ""),
    ("net-etcp", "sar.net_etcp", ""),
    ("net-udp", "sar.net_udp", ""),
    ("net-sock6", "sar.net_sock6", ""),
    ("net-ip6", "sar.net_ip6", ""),
    ("net-eip6", "sar.net_eip6", ""),
    ("net-icmp6", "sar.net_icmp6", ""),
    ("net-eicmp6", "sar.net_eicmp6", ""),
    ("net-udp6", "sar.net_udp6", ""),
    ("fchosts", "sar.net_fc", "fchost"),
    ("softnet", "sar.net_soft", "cpu"),
    ("cpu-frequency", "sar.pwr_cpu", "number"),
    ("cpu-weighted-frequency", "sar.pwr_freq", "number"),
    ("fan-speed", "sar.pwr_fan", "number"),
    ("temperature", "sar.pwr_temp", "number"),
    ("voltage-input", "sar.pwr_in", "number"),
    ("usb-devices", "sar.pwr_usb", "bus_number"),
    ("filesystems", "sar.fs", "filesystem"),
    ("psi-cpu", "sar.psi_cpu", ""),
    ("psi-io", "sar.psi_io", ""),
    ("psi-mem", "sar.psi_mem", ""),
];

/// The text has device names of the machine on which it was made.
fn device_number(shown: &str) -> String {
    match (shown, shown.strip_prefix("sda")) {
        ("scd0", _) => "dev11-0".to_owned(),
        ("vda", _) => "dev254-0".to_owned(),
        ("zram0", _) => "dev251-0".to_owned(),
        (_, Some(partition)) => format!("dev8-{}", partition.parse().unwrap_or(0)),
        _ => shown.to_owned(),
    }
}

/// Our counter for a name in the text.
fn counter_of(object: &str, name: &str, cells: &Cells, instance: &str) -> Option<String> {
    let psi = object.strip_prefix("sar.psi_");
    let psi_name = psi.and_then(|of| {
        let (kind, over) = name.split_once("_avg")?;
        let over = if over.is_empty() { String::new() } else { format!("-{over}") };
        Some(format!("%{}{of}{over}", &kind[..1]))
    });
    let bare = name.trim_end_matches("-percent");
    let candidates = [
        name.to_owned(),
        format!("{name}/s"),
        format!("kb{name}"),
        format!("%{bare}"),
        format!("%{}", name.trim_start_matches("percent-")),
        if name == "inactive" { "kbinact".to_owned() } else { String::new() },
        format!("fch_{name}/s"),
        match name {
            "frequency" if object == "sar.pwr_cpu" => "MHz".to_owned(),
            "weighted-frequency" | "frequency" => "wghMHz".to_owned(),
            _ => String::new(),
        },
        psi_name.unwrap_or_default(),
    ];
    candidates
        .into_iter()
        .find(|counter| cells.contains_key(&(object.to_owned(), instance.to_owned(), counter.clone())))
}

impl Tally {
    /// Compares every number of a sample's text.
    fn compare(&mut self, text: &Value, cells: &Cells, place: &str) {
        let Some(fields) = text.as_object() else { return };
        for (key, inside) in fields {
            if key == "timestamp" {
                continue;
            }
            if key == "interrupts" {
                self.interrupts(inside, cells, place);
                continue;
            }
            match OBJECTS.iter().find(|(name, _, _)| name == key) {
                Some((_, object, by)) => self.object(object, by, inside, cells, place),
                // A heading: `network`, `power-management`.
                None if inside.is_object() => self.compare(inside, cells, place),
                None => *self.unknown.entry(key.clone()).or_default() += 1,
            }
        }
    }

    fn object(&mut self, object: &str, by: &str, text: &Value, cells: &Cells, place: &str) {
        if by.is_empty() {
            return self.instance(object, "", text, cells, place);
        }
        let mut ours: Vec<&String> =
            cells.keys().filter(|(of, _, _)| of == object).map(|(_, of, _)| of).collect();
        ours.dedup();
        for item in text.as_array().expect("a list") {
            let shown = item[by].as_str().map_or_else(|| item[by].to_string(), str::to_owned);
            let wanted = match by {
                "disk-device" => device_number(&shown),
                "bus_number" => {
                    let id = |name: &str| item[name].as_str().expect("an id").to_owned();
                    let hexadecimal = |name: &str| u32::from_str_radix(&id(name), 16).expect("hexadecimal");
                    format!("{shown}:{:04x}:{:04x} ", hexadecimal("idvendor"), hexadecimal("idprod"))
                }
                "number" if item["device"].is_string() => format!("{shown} "),
                _ => shown.clone(),
            };
            let instance = ours
                .iter()
                .find(|name| ***name == wanted || (wanted.ends_with(' ') && name.starts_with(&wanted)));
            let instance = instance.map(|name| (*name).clone());
            match instance {
                Some(instance) => self.instance(object, &instance, item, cells, place),
                None => *self.unknown.entry(format!("{object}({shown})")).or_default() += 1,
            }
        }
    }

    fn instance(&mut self, object: &str, instance: &str, text: &Value, cells: &Cells, place: &str) {
        for (name, value) in text.as_object().expect("fields") {
            if value.is_object() {
                self.instance(object, instance, value, cells, place);
                continue;
            }
            let Some(expected) = value.as_f64() else { continue };
            match counter_of(object, name, cells, instance) {
                None => *self.unknown.entry(format!("{object}\\{name}")).or_default() += 1,
                Some(counter) => {
                    let path = (object.to_owned(), instance.to_owned(), counter);
                    self.cell(expected, cells[&path], &format!("{place} {path:?}"));
                }
            }
        }
    }

    fn interrupts(&mut self, text: &Value, cells: &Cells, place: &str) {
        for interrupt in text.as_array().expect("a list") {
            let name = interrupt["intr"].as_str().expect("a name");
            for (cpu, value) in interrupt.as_object().expect("fields") {
                let Some(expected) = value.as_f64() else { continue };
                let instance = if cpu == "all" { name.to_owned() } else { format!("{name}/{cpu}") };
                let path = ("sar.irq".to_owned(), instance, "intr/s".to_owned());
                match cells.get(&path) {
                    Some(found) => self.cell(expected, *found, &format!("{place} {path:?}")),
                    None => *self.unknown.entry(format!("sar.irq({name}/{cpu})")).or_default() += 1,
                }
            }
        }
    }

    fn cell(&mut self, expected: f64, found: Result<f64, Status>, place: &str) {
        match found {
            Ok(value) => {
                let is_equal = (value - expected).abs() <= 0.005 + value.abs() * 1e-12;
                // File systems are printed without decimals.
                let is_whole = place.contains("\"sar.fs\"") && (value - expected).abs() <= 0.5;
                if is_equal || is_whole {
                    self.equal += 1;
                } else {
                    self.wrong.push(format!("{place}: sadf {expected}, found {value}"));
                }
            }
            Err(status) => {
                *self.nulls.entry(status).or_default() += 1;
                if expected != 0.0 && status == Status::NoOperations {
                    self.wrong.push(format!("{place}: sadf {expected}, found {status}"));
                }
            }
        }
    }
}

/// Compares a file with what `sadf` prints of it.
fn compare(file: &[u8], json: &[u8]) -> Tally {
    let source = Arc::new(SaSource::open(Arc::new(file.to_vec())).expect("opens"));
    let (cells, health) = cells(&source, 4 << 20);
    assert_eq!(health.total(), 0, "{:?}", health.findings());
    let json: Value = serde_json::from_slice(json).expect("JSON");
    let samples = json["sysstat"]["hosts"][0]["statistics"].as_array().expect("samples");
    // `sadf` doesn't show the first sample of an epoch.
    let mut before = None;
    let shown: Vec<_> =
        cells.iter().filter(|((epoch, _), _)| before.replace(*epoch) == Some(*epoch)).collect();
    assert_eq!(shown.len(), samples.len(), "samples");
    let mut tally = Tally::default();
    for (text, ((_, time), cells)) in samples.iter().zip(shown) {
        let stamp = &text["timestamp"];
        let expected =
            format!("{}T{}", stamp["date"].as_str().expect("date"), stamp["time"].as_str().expect("time"));
        assert!(time.to_string().starts_with(&expected), "{time} {expected}");
        tally.compare(text, cells, &time.to_string());
    }
    tally
}

/// Values that the text repeats, gives in other units, or that describe the list itself.
const LEFT_OUT: &[&str] = &[
    "sar.disk\\avgqu-sz",
    "sar.disk\\avgrq-sz",
    "sar.disk\\rd_sec",
    "sar.disk\\wr_sec",
    "sar.disk\\dc_sec",
    "sar.net_dev\\ifutil-percent",
    "sar.serial\\line",
    "sar.pwr_fan\\number",
    "sar.pwr_in\\number",
    "sar.pwr_temp\\number",
    "sar.pwr_usb\\bus_number",
];

/// Compares a file; `absent` are the counters that it lacks, for which `sadf` prints zeros.
#[track_caller]
fn check(file: &str, json: &str, at_least: usize, absent: &[&str]) {
    let tally = compare(&shared(file), &shared(json));
    let is_known = |name: &&String| !LEFT_OUT.contains(&&***name) && !absent.contains(&&***name);
    let unknown: Vec<&String> = tally.unknown.keys().filter(is_known).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(
        tally.wrong.is_empty(),
        "{} wrong: {:#?}",
        tally.wrong.len(),
        &tally.wrong[..tally.wrong.len().min(20)]
    );
    assert!(tally.equal >= at_least, "{} compared", tally.equal);
}

const ABSENT_IN_12_0: &[&str] = &[
    "sar.disk\\dkB",
    "sar.huge\\hugrsvd",
    "sar.huge\\hugsurp",
    "sar.io\\bdscd",
    "sar.io\\dtps",
    "sar.net_soft\\blg_len",
];

const ABSENT_IN_10_1: &[&str] = &[
    "sar.disk\\dkB",
    "sar.huge\\hugrsvd",
    "sar.huge\\hugsurp",
    "sar.io\\bdscd",
    "sar.io\\dtps",
    "sar.memory\\anonpg",
    "sar.memory\\avail",
    "sar.memory\\kstack",
    "sar.memory\\pgtbl",
    "sar.memory\\slab",
    "sar.memory\\vmused",
    // Names known only on the machine that made the text.
    "sar.disk(zram0)",
];

#[test]
#[ignore = "reads ../shared/data"]
fn all_activities() {
    check("sa/recorded/rec-all.sa", "sa/recorded/rec-all.sadf.json", 26_500, &[]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_other_byte_order() {
    check("sa/derived/be64.sa", "sa/recorded/rec-all.sadf.json", 26_500, &[]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn longer_structures() {
    check("sa/derived/future.sa", "sa/recorded/rec-all.sadf.json", 26_500, &[]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn cpus_that_come_and_go() {
    check("sa/derived/hotplug.sa", "sa/derived/hotplug.sadf.json", 2_590, &["sar.net_soft\\blg_len"]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn shorter_structures() {
    check("sa/sysstat/data-12.0.0", "sa/sysstat/data-12.0.0.sadf.json", 530, ABSENT_IN_12_0);
}

#[test]
#[ignore = "reads ../shared/data"]
fn extra_structures() {
    check("sa/sysstat/data-extra-12.1.7", "sa/sysstat/data-extra-12.1.7.sadf.json", 32, &[]);
}

#[test]
#[ignore = "reads ../shared/data"]
fn the_format_of_rhel_7() {
    check("sa/pcp/sa-sysstat-10.1.5", "sa/pcp/sa-sysstat-10.1.5.sadf.json", 18_000, ABSENT_IN_10_1);
}
