//! Who it was: the processes that used most of what a finding is about, in its worst span.

use std::collections::BTreeMap;

use recount_compute::{CookOptions, Cooked, CookedColumn, Input, PipelineOptions, run};
use recount_model::{Pattern, Selection, Timestamp};

use super::finding::{Culprit, Culprits, Finding};
use super::rule::{Rule, Who};
use super::verdict::Span;
use crate::roster::{Grouping, InstanceEntry, InstanceGrouping, ObjectEntry, Placed, Roster};
use crate::shown::quantity;

/// How many findings name processes.
const MAX_FINDINGS: usize = 20;
/// How many processes a finding names.
const MAX_NAMED: usize = 3;
/// The object of processors. Those of large Windows machines, in groups, are in another one.
const PROCESSOR: &str = "Processor";
const PROCESSOR_TIME: &str = "% Processor Time";
/// Less than this share of one processor, or of what all processes used, isn't said: time is counted in ticks.
const LEAST_UNATTRIBUTED: (f64, f64) = (5.0, 0.05);
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
                const { &[Measure { counters: &[PROCESSOR_TIME], words: CPU, unit: "%", least: 5.0 }] }
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

/// What is asked of a machine: who, and in which span.
struct Question<'a> {
    who: Who,
    host: String,
    span: Span,
    measure: &'a Measure,
    /// By object and counter: two counters may have been sampled at different times. Those of the processors, too, if the
    /// question is about them.
    sums: BTreeMap<(usize, u32), Sums>,
}

/// Running sums over the span.
#[derive(Default)]
struct Sums {
    /// That were sampled.
    seconds: f64,
    /// Per instance: values times seconds. `None` without a value.
    of_slots: Vec<Option<f64>>,
}

/// Adds the processes to the findings' sentences. All samples of the worst spans are read, in one pass, with the
/// counters of processes that are asked for; `step` is called after each of its batches. Memory: a number per
/// process and question.
pub(crate) fn name_them<E: Send>(
    findings: &mut [Finding],
    roster: &Roster,
    inputs: &[Input],
    step: impl FnMut() -> Result<(), E> + Send,
) -> Result<(), E> {
    let mut questions: Vec<Question<'_>> = Vec::new();
    let mut asked: Vec<(usize, usize)> = Vec::new();
    let askers =
        findings.iter().enumerate().filter_map(|(at, finding)| Some((at, finding, finding.asks_who?)));
    for (at, finding, who) in askers.take(MAX_FINDINGS) {
        let Some(measure) = recorded(roster, &finding.host, who) else { continue };
        let new = Question::new(who, finding, measure);
        let known = questions.iter().position(|question| question.is_same(&new));
        asked.push((at, known.unwrap_or(questions.len())));
        if known.is_none() {
            questions.push(new);
        }
    }
    if questions.is_empty() {
        return Ok(());
    }
    let processes = read(inputs, &mut questions, step)?;
    for (at, question) in asked {
        let question = &questions[question];
        let top = question.top(&processes);
        let unattributed = question.unattributed(&processes, &top);
        let named = named(question.measure, top);
        let finding = &mut findings[at];
        finding.headline.push_str(&said(question.measure, &named, unattributed));
        let Measure { counters, unit, .. } = question.measure;
        finding.who =
            (!named.is_empty()).then_some(Culprits { counters, unit, processes: named, unattributed });
    }
    Ok(())
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

/// Reads all samples of the spans, and sums up. Returns the processes.
fn read<E: Send>(
    inputs: &[Input],
    questions: &mut [Question<'_>],
    mut step: impl FnMut() -> Result<(), E> + Send,
) -> Result<Roster, E> {
    let counters = questions.iter().flat_map(|question| question.measure.counters);
    let of_processes = counters.map(|counter| format!(r"\Process(*)\{counter}"));
    let is_about_processors = questions.iter().any(|question| question.who == Who::Cpu);
    let of_processors = is_about_processors.then(|| format!(r"\{PROCESSOR}(*)\{PROCESSOR_TIME}"));
    let patterns = of_processes.chain(of_processors);
    let selection: Selection = patterns.filter_map(|pattern| pattern.parse::<Pattern>().ok()).collect();
    let cook = CookOptions { selection, ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let of_spans: Vec<Input> = inputs.iter().map(|input| within(input, questions)).collect();
    let mut roster = Roster::new(Grouping { by_host: true, instances: InstanceGrouping::Identity });
    run(&of_spans, &pipeline, |batch, _| {
        let placed = roster.place(&batch);
        for question in questions.iter_mut() {
            for placed in &placed {
                question.add(&roster, placed);
            }
        }
        step()
    })?;
    Ok(roster)
}

/// The samples of the spans, and before each of them the one with which its first is compared.
fn within(input: &Input, questions: &[Question<'_>]) -> Input {
    let times = input.source.times();
    let time_of = |sample: &u32| times.get(*sample as usize).map_or(Timestamp(i64::MAX), |time| time.utc);
    let until = |time: Timestamp| input.samples.partition_point(|sample| time_of(sample) <= time);
    let of_span = |span: &Span| until(span.begin).saturating_sub(1)..until(span.end);
    let mut wanted: Vec<_> = questions.iter().map(|question| of_span(&question.span)).collect();
    wanted.sort_by_key(|range| range.start);
    let mut samples = Vec::new();
    let mut taken = 0;
    for range in wanted {
        let rest = range.start.max(taken)..range.end.max(taken);
        taken = rest.end;
        samples.extend_from_slice(&input.samples[rest]);
    }
    Input { samples, ..input.clone() }
}

impl<'a> Question<'a> {
    fn new(who: Who, finding: &Finding, measure: &'a Measure) -> Question<'a> {
        let (host, span) = (finding.host.clone(), finding.worst);
        Question { who, host, span, measure, sums: BTreeMap::new() }
    }

    fn is_same(&self, other: &Question<'_>) -> bool {
        let of = |question: &Question<'_>| (question.who, question.span.begin, question.span.end);
        of(self) == of(other) && self.host == other.host
    }

    /// Adds values times seconds within the span.
    fn add(&mut self, roster: &Roster, placed: &Placed<'_>) {
        let Placed { cooked, object, slots, counters } = placed;
        let Some(entry) = roster.objects().get(*object).filter(|entry| *entry.host == *self.host) else {
            return;
        };
        let asked: &[&str] = match (is_processor(entry), self.who) {
            (false, _) => self.measure.counters,
            (true, Who::Cpu) => &[PROCESSOR_TIME],
            (true, _) => return,
        };
        let is_asked = |counter: &u32| {
            let name = entry.counters.get(*counter as usize).map_or("", |counter| &counter.name);
            asked.iter().any(|asked| asked.eq_ignore_ascii_case(name))
        };
        for (column, counter) in cooked.columns.iter().zip(counters).filter(|(_, counter)| is_asked(counter))
        {
            let sums = self.sums.entry((*object, *counter)).or_default();
            sums.of_slots.resize(entry.instances.len(), None);
            sums.add(cooked, column, slots, &self.span);
        }
    }

    /// Means over the span, of the processors or of all else, each with its object and instance.
    fn means<'r>(
        &self,
        roster: &'r Roster,
        of_processors: bool,
    ) -> impl Iterator<Item = (usize, usize, &'r InstanceEntry, f64)> {
        let sums = self.sums.iter().filter(|(_, sums)| sums.seconds > 0.0);
        sums.filter_map(move |((object, _), sums)| {
            let entry = roster.objects().get(*object).filter(|entry| is_processor(entry) == of_processors)?;
            let values = entry.instances.iter().zip(&sums.of_slots).enumerate();
            Some(values.filter_map(move |(slot, (instance, sum))| {
                Some((*object, slot, instance, (*sum)? / sums.seconds))
            }))
        })
        .flatten()
    }

    /// Processes, and the mean of their values over the span; the largest first.
    fn top(&self, processes: &Roster) -> Vec<Culprit> {
        let mut values: BTreeMap<(usize, usize), (&InstanceEntry, f64)> = BTreeMap::new();
        for (object, slot, instance, mean) in self.means(processes, false) {
            values.entry((object, slot)).or_insert((instance, 0.0)).1 += mean;
        }
        let culprit = |(entry, value): (&InstanceEntry, f64)| {
            let name = entry.shown.as_deref().unwrap_or_default();
            let is_process = !NOT_PROCESSES.iter().any(|other| name.eq_ignore_ascii_case(other));
            let pid = entry.instance.as_ref().and_then(|instance| instance.id);
            is_process.then(|| Culprit { name: name.to_owned(), pid, value })
        };
        let mut found: Vec<Culprit> = values.into_values().filter_map(culprit).collect();
        found.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.shown().cmp(&b.shown())));
        found
    }

    /// What the processors did over the span that no process of the capture has used, as a share of one of them.
    fn unattributed(&self, roster: &Roster, processes: &[Culprit]) -> Option<f64> {
        let is_one = |entry: &InstanceEntry| entry.instance.as_ref().is_some_and(|one| !one.is_total());
        let of_each = self.means(roster, true).filter(|(_, _, entry, _)| is_one(entry));
        let busy = of_each.map(|(.., mean)| mean).reduce(|busy, mean| busy + mean);
        let attributed: f64 = processes.iter().map(|one| one.value).sum();
        let rest = busy? - attributed;
        let (of_one, of_all) = LEAST_UNATTRIBUTED;
        (!processes.is_empty() && rest >= of_one && rest >= of_all * attributed).then_some(rest)
    }
}

impl Sums {
    /// Adds values times seconds within the span.
    fn add(&mut self, cooked: &Cooked, column: &CookedColumn, slots: &[u32], span: &Span) {
        let Span { begin, end, .. } = *span;
        let is_moment = begin >= end;
        for (sample, time) in cooked.times.iter().enumerate() {
            if (time.utc <= begin && !is_moment) || time.utc > end {
                continue;
            }
            let whole = cooked.interval_s.get(sample).copied().flatten().unwrap_or(0.0);
            let inside = if is_moment { 1.0 } else { whole.min(time.utc.seconds_since(begin)) };
            self.seconds += inside;
            for (at, slot) in slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                if let Some(value) = column.value_at(sample * slots.len() + at) {
                    *self.of_slots[*slot as usize].get_or_insert(0.0) += value * inside;
                }
            }
        }
    }
}

fn is_processor(entry: &ObjectEntry) -> bool {
    entry.name.eq_ignore_ascii_case(PROCESSOR)
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
fn said(measure: &Measure, named: &[Culprit], unattributed: Option<f64>) -> String {
    let shown = |value| quantity(value, measure.unit);
    let texts = named.iter().map(|one| format!("{} {}", one.shown(), shown(one.value)));
    let rest = unattributed.map(|value| format!("not attributed {}", shown(value)));
    let texts: Vec<String> = texts.chain(rest).collect();
    if texts.is_empty() { String::new() } else { format!("; {}: {}", measure.words, texts.join(", ")) }
}
