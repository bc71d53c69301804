//! Who it was: the processes that used most of what a finding is about, in its worst span.

use std::collections::HashMap;
use std::convert::Infallible;

use recount_compute::{CookOptions, Cooked, Input, PipelineOptions, run};
use recount_model::{Instance, Pattern, Selection, Timestamp};

use super::finding::Finding;
use super::judge::Span;
use super::rule::{Rule, Who};
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::shown::{quantity, short};

/// How many findings name processes.
const MAX_FINDINGS: usize = 20;
/// How many processes a finding names.
const MAX_NAMED: usize = 3;
/// How many samples of a span are read. Values between them are means of long intervals where the counters are raw.
const MAX_SAMPLES: usize = 128;
/// Instances that aren't processes.
const NOT_PROCESSES: [&str; 3] = ["_Total", "Idle", "System Idle Process"];

/// Which processes a finding names: as the rule says, or by its object.
pub(super) fn who_of(rule: &Rule, object: &str) -> Option<Who> {
    let by_object = || match object {
        "Processor" | "Processor Information" => Some(Who::Cpu),
        "Memory" | "Paging File" => Some(Who::Memory),
        "PhysicalDisk" => Some(Who::Io),
        _ => None,
    };
    // Single processes are named already.
    if object == "Process" { None } else { rule.who.or_else(by_object).filter(|who| *who != Who::None) }
}

impl Who {
    /// Counters whose sum says it: the first list of which the capture has any.
    fn counters(self) -> &'static [&'static [&'static str]] {
        match self {
            Who::Cpu => &[&["% Processor Time"]],
            Who::Memory => &[&["Private Bytes"], &["Working Set - Private"], &["Working Set"]],
            Who::Reads => &[&["Storage Read Bytes/sec"], &["IO Read Bytes/sec"]],
            Who::Writes => &[&["Storage Write Bytes/sec"], &["IO Write Bytes/sec"]],
            Who::Io => &[
                &["Storage Read Bytes/sec", "Storage Write Bytes/sec"],
                &["IO Data Bytes/sec"],
                &["IO Read Bytes/sec", "IO Write Bytes/sec"],
            ],
            Who::None => &[],
        }
    }

    /// What is said of them, the unit, and less than which nobody is named.
    fn words(self) -> (&'static str, &'static str, f64) {
        const MIB: f64 = 1_048_576.0;
        match self {
            Who::Cpu => ("most processor time (100 % is one processor)", "%", 5.0),
            Who::Memory => ("most memory", "bytes", 10.0 * MIB),
            Who::Reads => ("most read by", "bytes/sec", MIB / 4.0),
            Who::Writes => ("most written by", "bytes/sec", MIB / 4.0),
            Who::Io | Who::None => ("most read and written by", "bytes/sec", MIB / 4.0),
        }
    }
}

/// Adds the processes to the findings' sentences.
pub(crate) fn name_them(findings: &mut [Finding], roster: &Roster, inputs: &[Input]) {
    let mut known: HashMap<(Who, String, Timestamp, Timestamp), String> = HashMap::new();
    let asked = findings.iter_mut().filter(|finding| finding.who.is_some()).take(MAX_FINDINGS);
    for finding in asked {
        let Some(who) = finding.who else { continue };
        let Some(counters) = recorded(roster, &finding.host, who) else { continue };
        let Span { begin, end, .. } = finding.worst;
        let key = (who, finding.host.clone(), begin, end);
        let text = known.entry(key).or_insert_with(|| {
            let of_span: Vec<Input> = inputs.iter().map(|input| within(input, begin, end)).collect();
            said(who, &top(&of_span, &finding.host, counters, finding.worst))
        });
        finding.headline.push_str(text);
    }
}

/// The counters of processes that a machine has.
fn recorded(roster: &Roster, host: &str, who: Who) -> Option<&'static [&'static str]> {
    let is_here = |counter: &str| {
        let of_host =
            roster.objects().iter().filter(|object| *object.host == *host && *object.name == *"Process");
        of_host.flat_map(|object| &object.counters).any(|known| *known.name == *counter)
    };
    who.counters().iter().copied().find(|counters| counters.iter().any(|counter| is_here(counter)))
}

/// The samples of a span and the one before it, or as many of them as are read.
fn within(input: &Input, begin: Timestamp, end: Timestamp) -> Input {
    let times = input.source.times();
    let time_of = |sample: &u32| times.get(*sample as usize).map_or(Timestamp(i64::MAX), |time| time.utc);
    let first = input.samples.partition_point(|sample| time_of(sample) <= begin).saturating_sub(1);
    let behind = input.samples.partition_point(|sample| time_of(sample) <= end);
    let all = &input.samples[first.min(behind)..behind];
    let samples = if all.len() <= MAX_SAMPLES {
        all.to_vec()
    } else {
        (0..MAX_SAMPLES).map(|at| all[at * (all.len() - 1) / (MAX_SAMPLES - 1)]).collect()
    };
    Input { samples, ..input.clone() }
}

/// Processes, and the mean of their values over the span; the largest first.
fn top(inputs: &[Input], host: &str, counters: &[&str], span: Span) -> Vec<(String, f64)> {
    let patterns =
        counters.iter().filter_map(|counter| format!(r"\Process(*)\{counter}").parse::<Pattern>().ok());
    let selection: Selection = patterns.collect();
    let cook = CookOptions { selection, ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let mut roster = Roster::new(Grouping { by_host: true, instances: InstanceGrouping::Identity });
    let mut sums: HashMap<(usize, u32), f64> = HashMap::new();
    let mut seconds: HashMap<usize, f64> = HashMap::new();
    let done: Result<_, Infallible> = run(inputs, &pipeline, |batch, _| {
        for placed in roster.place(&batch) {
            if *placed.cooked.host != *host {
                continue;
            }
            *seconds.entry(placed.object).or_default() +=
                add(&mut sums, placed.object, &placed.slots, placed.cooked, span);
        }
        Ok(())
    });
    if done.is_err() {
        return Vec::new();
    }
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(place, _)| *place);
    for ((object, slot), sum) in sums {
        let entry = roster.objects().get(object).and_then(|entry| entry.instances.get(slot as usize));
        let Some(entry) = entry else { continue };
        let total = seconds.get(&object).copied().unwrap_or(0.0);
        let name = entry.shown.as_deref().unwrap_or_default();
        if total > 0.0 && !NOT_PROCESSES.iter().any(|other| name.eq_ignore_ascii_case(other)) {
            found.push((named(name, entry.instance.as_ref()), sum / total));
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

fn named(name: &str, instance: Option<&Instance>) -> String {
    match instance.and_then(|instance| instance.id) {
        Some(id) => format!("{} (pid {id})", short(name)),
        None => short(name),
    }
}

/// Adds values times seconds within the span. Returns the seconds that were sampled.
fn add(
    sums: &mut HashMap<(usize, u32), f64>,
    object: usize,
    slots: &[u32],
    cooked: &Cooked,
    span: Span,
) -> f64 {
    let mut sampled = 0.0;
    for (sample, time) in cooked.times.iter().enumerate() {
        let whole = cooked.interval_s.get(sample).copied().flatten().unwrap_or(0.0);
        if time.utc <= span.begin && span.begin < span.end || time.utc > span.end {
            continue;
        }
        let inside = if span.begin < span.end { whole.min(time.utc.seconds_since(span.begin)) } else { 1.0 };
        sampled += inside;
        for column in &cooked.columns {
            for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                if let Some(value) = column.value_at(sample * slots.len() + at) {
                    *sums.entry((object, *slot)).or_default() += value * inside;
                }
            }
        }
    }
    sampled
}

/// `; most memory: java (pid 12) 3.1 GiB, sh (pid 14) 1 GiB`.
fn said(who: Who, top: &[(String, f64)]) -> String {
    /// Those with less than this share of the first aren't named.
    const LEAST_SHARE: f64 = 0.1;
    let (words, unit, least) = who.words();
    let most = top.first().map_or(0.0, |(_, value)| *value);
    let is_named = |value: f64| value >= least && value >= most * LEAST_SHARE;
    let named = top.iter().take(MAX_NAMED).filter(|(_, value)| is_named(*value));
    let named: Vec<String> =
        named.map(|(name, value)| format!("{name} {}", quantity(*value, unit))).collect();
    if named.is_empty() { String::new() } else { format!("; {words}: {}", named.join(", ")) }
}
