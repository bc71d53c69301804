//! `recount rules counters`: what a recorder has to record so that the rules can judge it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use recount::analysis::rules::wanted_counters;
use recount::{CounterPath, pcp_metrics_of};
use recount_output::Access;

use crate::exit::Outcome;
use crate::output::{self, plural};
use crate::rule_sets::rule_sets;

#[derive(Debug, Args)]
pub(super) struct Counters {
    /// Names of sets, files of rules, or threshold files of PAL [default: all sets that come with recount]
    #[arg(value_name = "SET|FILE")]
    sets: Vec<String>,
    /// The recorder
    #[arg(long = "for", value_name = "RECORDER", value_enum)]
    recorder: Recorder,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace an output that exists
    #[arg(long, short, requires = "output")]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Recorder {
    /// Windows: logman create counter NAME -cf FILE -si 1
    Logman,
    /// Windows: typeperf -cf FILE -si 1
    Typeperf,
    /// Linux: pmlogger -c FILE -t 1 ARCHIVE
    Pmlogger,
}

pub(super) fn counters(arguments: &Counters) -> anyhow::Result<Outcome> {
    let wanted = wanted_counters(&rule_sets(&arguments.sets)?);
    let (text, left_out) = match arguments.recorder {
        Recorder::Logman | Recorder::Typeperf => for_windows(&wanted),
        Recorder::Pmlogger => for_pmlogger(&wanted),
    };
    match &arguments.output {
        Some(path) => output::put(path, arguments.force, &Access::default(), text.as_bytes())?,
        None => output::print(&text)?,
    }
    if arguments.recorder != Recorder::Pmlogger && text.contains(SQL_SERVER) {
        output::message(
            "note: SQLServer: is the default instance of SQL Server; of an instance NAME the objects begin with MSSQL$NAME: instead\n",
        );
    }
    if !left_out.is_empty() {
        const MAX_NAMED: usize = 8;
        let num = plural(left_out.len(), "counter");
        let mut paths = left_out[..left_out.len().min(MAX_NAMED)].join(", ");
        if left_out.len() > MAX_NAMED {
            paths += &format!(" and {} more", left_out.len() - MAX_NAMED);
        }
        output::message(&format!(
            "note: {num} left out that this recorder doesn't have: {}\n",
            output::visible(&paths)
        ));
    }
    Ok(Outcome::Done)
}

/// What the objects of SQL Server's default instance begin with.
const SQL_SERVER: &str = "SQLServer:";

/// A path in each line, and those that aren't Windows'.
fn for_windows(wanted: &[CounterPath]) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut left_out = Vec::new();
    for path in wanted {
        let mut theirs = path.clone();
        // Rules look at all instances of SQL Server.
        if let Some(object) = path.object.strip_prefix("*:") {
            theirs.object = format!("{SQL_SERVER}{object}");
        }
        // Recorders of Windows know wildcards for instances and counters only.
        if is_of_other_systems(&theirs) || theirs.object.contains('*') {
            left_out.push(path.to_string());
        } else {
            let _ = writeln!(text, "{theirs}");
        }
    }
    (text, left_out)
}

/// A configuration of pmlogger, and the counters that no metric has.
fn for_pmlogger(wanted: &[CounterPath]) -> (String, Vec<String>) {
    let mut metrics = BTreeSet::new();
    let mut left_out = Vec::new();
    for path in wanted {
        let found = pcp_metrics_of(&path.object, &path.counter);
        if found.is_empty() {
            left_out.push(path.to_string());
        }
        metrics.extend(found);
    }
    let mut text = String::new();
    if !metrics.is_empty() {
        text += "log mandatory on default {\n";
        for metric in metrics {
            let _ = writeln!(text, "    {metric}");
        }
        text += "}\n";
    }
    (text, left_out)
}

/// Objects of esxtop and of Linux, without equivalent on Windows.
const OTHER_OBJECTS: [&str; 10] = [
    "Cgroup Pressure",
    "Cgroup Throttling",
    "Group Cpu",
    "Group Memory",
    "Physical Cpu",
    "Physical Disk",
    "Physical Disk Adapter",
    "Physical Disk SCSI Device",
    "TCP",
    "Vcpu",
];

/// What names of counters of Linux and of esxtop contain, in objects that Windows has, too.
const OTHER_COUNTERS: [(&str, &[&str]); 9] = [
    ("LogicalDisk", &["Inodes"]),
    (
        "Memory",
        &["Pressure", "Memctl", "Swap", "Out Of Memory", "Shared", "Physical", "Dirty", "Slab", "Writeback"],
    ),
    ("Network Interface", &["Collisions", "Receive Queue Overruns"]),
    ("Paging File", &["Bytes"]),
    ("Process", &["Storage "]),
    ("Processor", &["Nice", "Guest", "IO Wait", "Steal"]),
    ("System", &["Pressure", "Open Files", "Runnable"]),
    ("UDPv4", &["Buffer Errors"]),
    ("UDPv6", &["Buffer Errors"]),
];

fn is_of_other_systems(path: &CounterPath) -> bool {
    let is_object = |object: &&str| path.object.eq_ignore_ascii_case(object);
    let has_word = |words: &[&str]| words.iter().any(|word| path.counter.contains(word));
    OTHER_OBJECTS.iter().any(is_object)
        || OTHER_COUNTERS.iter().any(|(object, words)| is_object(object) && has_word(words))
}
