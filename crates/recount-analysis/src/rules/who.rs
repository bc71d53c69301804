//! Who it was: the processes that used most of what a finding is about, in its worst span.

use std::collections::HashMap;
use std::convert::Infallible;

use recount_compute::{CookOptions, Cooked, Input, PipelineOptions, run};
use recount_model::{Pattern, Selection, Timestamp};

use super::finding::{Culprit, Culprits, Finding};
use super::rule::{Rule, Who};
use super::verdict::Span;
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::shown::quantity;

/// How many findings name processes.
const MAX_FINDINGS: usize = 20;
/// How many processes a finding names.
const MAX_NAMED: usize = 3;
/// How many samples of a span are read. Values between them are means of long intervals where the counters are raw.
const MAX_SAMPLES: usize = 128;
/// Instances that aren't processes.
const NOT_PROCESSES: [&str; 3] = ["_Total", "Idle", "System Idle Process"];

/// Which processes a finding names: as the rule says, or by its object and counter.
pub(super) fn who_of(rule: &Rule, object: &str, counter: &str) -> Option<Who> {
    let by_object = || match object {
        "Processor" | "Processor Information" => Some(Who::Cpu),
        "Memory" if counter.contains("Commit") => Some(Who::Commit),
        "Memory" => Some(Who::Memory),
        "Paging File" => Some(Who::Commit),
        "PhysicalDisk" => Some(Who::Io),
        _ => None,
    };
    // Single processes are named already.
    if object == "Process" { None } else { rule.who.or_else(by_object).filter(|who| *who != Who::None) }
}

/// How processes are chosen, and what is said of them.
struct Measure {
    /// Counters whose sum says it.
    counters: &'static [&'static str],
    words: &'static str,
    unit: &'static str,
    /// Less than this, and nobody is named.
    least: f64,
}

const MIB: f64 = 1_048_576.0;
const WORKING_SET: Measure = memory(&["Working Set"], "largest working sets");
const PRIVATE_WORKING_SET: Measure = memory(&["Working Set - Private"], "largest private working sets");
const PRIVATE_BYTES: Measure = memory(&["Private Bytes"], "most private bytes");

const fn memory(counters: &'static [&'static str], words: &'static str) -> Measure {
    Measure { counters, words, unit: "bytes", least: 10.0 * MIB }
}

const fn traffic(counters: &'static [&'static str], words: &'static str) -> Measure {
    Measure { counters, words, unit: "bytes/sec", least: MIB / 4.0 }
}

impl Who {
    /// The first of which the capture has any counter is used.
    fn measures(self) -> &'static [Measure] {
        const CPU: &str = "most processor time (100 % is one processor)";
        const READ: &str = "most read by";
        const WRITTEN: &str = "most written by";
        const BOTH: &str = "most read and written by";
        match self {
            Who::Cpu => {
                const { &[Measure { counters: &["% Processor Time"], words: CPU, unit: "%", least: 5.0 }] }
            }
            Who::Memory => const { &[WORKING_SET, PRIVATE_WORKING_SET, PRIVATE_BYTES] },
            Who::Commit => const { &[PRIVATE_BYTES, PRIVATE_WORKING_SET, WORKING_SET] },
            Who::Reads => {
                const { &[traffic(&["Storage Read Bytes/sec"], READ), traffic(&["IO Read Bytes/sec"], READ)] }
            }
            Who::Writes => {
                const {
                    &[
                        traffic(&["Storage Write Bytes/sec"], WRITTEN),
                        traffic(&["IO Write Bytes/sec"], WRITTEN),
                    ]
                }
            }
            Who::Io => {
                const {
                    &[
                        traffic(&["Storage Read Bytes/sec", "Storage Write Bytes/sec"], BOTH),
                        traffic(&["IO Data Bytes/sec"], BOTH),
                        traffic(&["IO Read Bytes/sec", "IO Write Bytes/sec"], BOTH),
                    ]
                }
            }
            Who::None => &[],
        }
    }
}

/// What is asked of which host, from when to when.
type Question = (Who, String, Timestamp, Timestamp);

/// Adds the processes to the findings' sentences.
pub(crate) fn name_them(findings: &mut [Finding], roster: &Roster, inputs: &[Input]) {
    let mut known: HashMap<Question, (String, Option<Culprits>)> = HashMap::new();
    let asked = findings.iter_mut().filter(|finding| finding.asks_who.is_some()).take(MAX_FINDINGS);
    for finding in asked {
        let Some(who) = finding.asks_who else { continue };
        let Some(measure) = recorded(roster, &finding.host, who) else { continue };
        let Span { begin, end, .. } = finding.worst;
        let key = (who, finding.host.clone(), begin, end);
        let (text, culprits) = known.entry(key).or_insert_with(|| {
            let of_span: Vec<Input> = inputs.iter().map(|input| within(input, begin, end)).collect();
            let named = named(measure, top(&of_span, &finding.host, measure.counters, finding.worst));
            let Measure { counters, unit, .. } = measure;
            let text = said(measure, &named);
            (text, (!named.is_empty()).then_some(Culprits { counters, unit, processes: named }))
        });
        finding.headline.push_str(text);
        finding.who.clone_from(culprits);
    }
}

/// By which counters of processes a machine says it.
fn recorded(roster: &Roster, host: &str, who: Who) -> Option<&'static Measure> {
    let is_here = |counter: &str| {
        let of_host =
            roster.objects().iter().filter(|object| *object.host == *host && *object.name == *"Process");
        of_host.flat_map(|object| &object.counters).any(|known| *known.name == *counter)
    };
    who.measures().iter().find(|measure| measure.counters.iter().any(|counter| is_here(counter)))
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
fn top(inputs: &[Input], host: &str, counters: &[&str], span: Span) -> Vec<Culprit> {
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
    let mut found: Vec<Culprit> = Vec::new();
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(place, _)| *place);
    for ((object, slot), sum) in sums {
        let entry = roster.objects().get(object).and_then(|entry| entry.instances.get(slot as usize));
        let Some(entry) = entry else { continue };
        let total = seconds.get(&object).copied().unwrap_or(0.0);
        let name = entry.shown.as_deref().unwrap_or_default();
        if total > 0.0 && !NOT_PROCESSES.iter().any(|other| name.eq_ignore_ascii_case(other)) {
            let pid = entry.instance.as_ref().and_then(|instance| instance.id);
            found.push(Culprit { name: name.to_owned(), pid, value: sum / total });
        }
    }
    found.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.shown().cmp(&b.shown())));
    found
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

/// Those that are named.
fn named(measure: &Measure, mut top: Vec<Culprit>) -> Vec<Culprit> {
    /// Those with less than this share of the first aren't named.
    const LEAST_SHARE: f64 = 0.1;
    let most = top.first().map_or(0.0, |first| first.value);
    top.truncate(MAX_NAMED);
    top.retain(|one| one.value >= measure.least && one.value >= most * LEAST_SHARE);
    top
}

/// `; largest working sets: java (pid 12) 3.1 GiB, sh (pid 14) 1 GiB`.
fn said(measure: &Measure, named: &[Culprit]) -> String {
    let texts = named.iter().map(|one| format!("{} {}", one.shown(), quantity(one.value, measure.unit)));
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { String::new() } else { format!("; {}: {}", measure.words, texts.join(", ")) }
}
