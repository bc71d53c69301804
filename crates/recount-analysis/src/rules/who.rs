//! Who it was: the processes that used most of what a finding is about, in its worst span.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::{CookOptions, CookedColumn, Covered, Input, PipelineOptions, run};
use recount_model::{ENDED_PROCESSES, Instance, Pattern, Selection, Timestamp};
use recount_tables::processes::{
    Descriptions, NOT_ATTRIBUTED, is_process, place_of, program_of, shown_process,
};

use super::finding::{Culprit, Culprits, Finding};
use super::measures::{Measure, who_by_object};
use super::rule::{Rule, Who};
use super::sums::{Sums, with_margins};
use super::suspects::{Counts, Suspect, by_group, by_program, shown_group};
use super::verdict::Span;
use crate::attribution::{GroupBy, GroupNames, not_attributed};
use crate::roster::{Grouping, InstanceEntry, InstanceGrouping, ObjectEntry, Placed, Roster};
use crate::shown::{quantity, short};

/// How many findings name processes.
const MAX_FINDINGS: usize = 20;
/// How many processes a finding names.
const MAX_NAMED: usize = 3;
/// Processes read and write what is in memory, too, so only a large part that no process has used says something.
const LEAST_OF_DISKS: f64 = 0.5;
/// Which processes a finding names: as the rule says, or by its object and counter.
pub(super) fn who_of(rule: &Rule, object: &str, counter: &str) -> Option<Who> {
    // Single processes are named already.
    if object == "Process" {
        None
    } else {
        rule.who.or_else(|| who_by_object(object, counter)).filter(|who| *who != Who::None)
    }
}

/// What is asked of a machine: who, and in which span.
struct Question<'a> {
    who: Who,
    group_by: Option<GroupBy>,
    host: String,
    span: Span,
    is_growth: bool,
    measure: &'a Measure,
    /// By object and counter: two counters may have been sampled at different times. Those of the processors, too, if the
    /// question is about them.
    sums: BTreeMap<(usize, u32), Sums>,
    /// How many processes that ended an instance stands for, by object and instance, if more than one.
    ended: BTreeMap<(usize, u32), u64>,
}

/// Adds the processes to the findings' sentences.
pub(crate) fn name_them<E: Send>(
    findings: &mut [Finding],
    roster: &Roster,
    groups: &[GroupNames],
    inputs: &[Input],
    step: impl FnMut() -> Result<(), E> + Send,
) -> Result<(), E> {
    let known = Descriptions::of_all(inputs.iter().map(|input| &input.source));
    for finding in findings.iter_mut() {
        describe(finding, roster, &known);
    }
    let askers =
        findings.iter().enumerate().filter_map(|(at, finding)| Some((at, finding, finding.asks_who?)));
    let (places, asked): (Vec<usize>, Vec<Asked>) = askers
        .take(MAX_FINDINGS)
        .map(|(at, finding, who)| {
            let (host, group_by) = (finding.host.clone(), finding.group_by);
            (at, Asked { who, group_by, host, span: finding.worst, is_growth: false })
        })
        .unzip();
    let who = Known { descriptions: &known, groups };
    for (at, (said, who)) in places.into_iter().zip(named_in_spans(&asked, roster, inputs, who, step)?) {
        let finding = &mut findings[at];
        finding.headline.push_str(&said);
        finding.who = who;
    }
    Ok(())
}

/// What is asked: which processes used most of something, on a machine and in a span.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) who: Who,
    /// What those that are named together have in common. `None`: it is chosen.
    pub(crate) group_by: Option<GroupBy>,
    pub(crate) host: String,
    pub(crate) span: Span,
    /// Whether levels, such as memory, count by how much they grew in the span.
    pub(crate) is_growth: bool,
}

/// What is known of processes.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) descriptions: &'a Descriptions,
    /// Their groups, if a question is about groups.
    pub(crate) groups: &'a [GroupNames],
}

/// For each question the text that goes behind a sentence, which may be empty, and the processes. All samples of the spans
/// are read, in one pass, with the counters of processes that are asked for; `step` is called after each of its batches. Memory: a
/// number per process and question.
pub(crate) fn named_in_spans<E: Send>(
    asked: &[Asked],
    roster: &Roster,
    inputs: &[Input],
    known: Known<'_>,
    step: impl FnMut() -> Result<(), E> + Send,
) -> Result<Vec<(String, Option<Culprits>)>, E> {
    let mut questions: Vec<Question<'_>> = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::new();
    for one in asked {
        let new = recorded(roster, &one.host, one.who).map(|measure| Question::new(one, measure));
        let known = new.as_ref().map(|new| questions.iter().position(|question| question.is_same(new)));
        places.push(known.map(|known| known.unwrap_or(questions.len())));
        questions.extend(new.filter(|_| known == Some(None)));
    }
    if questions.is_empty() {
        return Ok(vec![(String::new(), None); asked.len()]);
    }
    let processes = read(inputs, &mut questions, step)?;
    let answer = |place: Option<usize>| {
        let Some(question) = place.map(|at| &questions[at]) else { return (String::new(), None) };
        let top = question.top(&processes, known.descriptions, known.groups);
        let unattributed = question.unattributed(&processes, &top);
        let named = named(question.measure, top, unattributed);
        let is_growth = question.is_growth;
        let said = said(question.measure, is_growth, &named, unattributed);
        let Measure { counters, unit, .. } = question.measure;
        let culprits = (!named.is_empty()).then_some(Culprits {
            counters,
            unit,
            is_growth,
            processes: named,
            unattributed,
        });
        (said, culprits)
    };
    Ok(places.into_iter().map(answer).collect())
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
    let of_processes = counters.chain([&ENDED_PROCESSES]).map(|counter| format!(r"\Process(*)\{counter}"));
    let wholes = questions.iter().filter_map(|question| question.measure.whole);
    let patterns = of_processes.chain(wholes.map(|(object, counter)| format!(r"\{object}(*)\{counter}")));
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
    let of_span = |span: &Span| {
        let (begin, end) = with_margins(span);
        until(begin).saturating_sub(1)..until(end)
    };
    let mut wanted: Vec<_> = questions.iter().map(|question| of_span(&question.span)).collect();
    wanted.sort_by_key(|range| range.start);
    let mut samples = Vec::new();
    let mut taken = 0;
    for range in wanted {
        let rest = range.start.max(taken)..range.end.max(taken);
        taken = rest.end;
        samples.extend_from_slice(&input.samples[rest]);
    }
    // What is before the first sample of all is before none of the others.
    let is_from_first = input.samples.is_empty() || samples.first() == input.samples.first();
    let before = if is_from_first { input.before.clone() } else { Vec::new() };
    Input { before, continues: input.continues, ..Input::new(Arc::clone(&input.source), samples) }
}

impl<'a> Question<'a> {
    fn new(asked: &Asked, measure: &'a Measure) -> Question<'a> {
        let Asked { who, group_by, host, span, is_growth } = asked.clone();
        let is_growth = is_growth && !measure.words_of_growth.is_empty();
        let (sums, ended) = (BTreeMap::new(), BTreeMap::new());
        Question { who, group_by, host, span, is_growth, measure, sums, ended }
    }

    fn is_same(&self, other: &Question<'_>) -> bool {
        let of = |question: &Question<'_>| {
            (question.who, question.group_by, question.is_growth, question.span.begin, question.span.end)
        };
        of(self) == of(other) && self.host == other.host
    }

    /// Adds values times seconds within the span.
    fn add(&mut self, roster: &Roster, placed: &Placed<'_>) {
        let Placed { cooked, object, slots, counters } = placed;
        let Some(entry) = roster.objects().get(*object).filter(|entry| *entry.host == *self.host) else {
            return;
        };
        let whole = self.measure.whole.filter(|_| self.is_whole(entry));
        let asked: &[&str] = match &whole {
            Some((_, counter)) => std::slice::from_ref(counter),
            None if &*entry.name == "Process" => self.measure.counters,
            None => return,
        };
        let is_asked = |counter: &u32| {
            let name = entry.counters.get(*counter as usize).map_or("", |counter| &counter.name);
            asked.iter().any(|asked| asked.eq_ignore_ascii_case(name))
        };
        self.count_ended(placed);
        for (column, counter) in cooked.columns.iter().zip(counters).filter(|(_, counter)| is_asked(counter))
        {
            let sums = self.sums.entry((*object, *counter)).or_default();
            sums.resize(entry.instances.len(), self.is_growth);
            if self.is_growth {
                sums.add_ends(cooked, column, slots, &self.span);
            }
            sums.add(cooked, column, slots, &self.span);
        }
    }

    /// Counts those that were added up.
    fn count_ended(&mut self, placed: &Placed<'_>) {
        let cooked = placed.cooked;
        let is_it = |column: &&CookedColumn| *cooked.object.counters[column.counter].name == *ENDED_PROCESSES;
        for column in cooked.columns.iter().filter(is_it) {
            for (at, slot) in placed.slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
                let in_time = cooked.times.iter().take_while(|time| time.utc <= self.span.end).count();
                let cells = (0..in_time).map(|sample| sample * placed.slots.len() + at);
                let most = cells.filter_map(|cell| column.value_at(cell)).fold(0.0, f64::max) as u64;
                if most > 1 {
                    self.ended.insert((placed.object, *slot), most);
                }
            }
        }
    }

    /// Whether an object has what the processes use together.
    fn is_whole(&self, entry: &ObjectEntry) -> bool {
        self.measure.whole.is_some_and(|(object, _)| entry.name.eq_ignore_ascii_case(object))
    }

    /// Means over the span, or growth in it, of processes or of what they use together, each with its object and instance.
    fn means<'r>(
        &self,
        roster: &'r Roster,
        of_whole: bool,
    ) -> impl Iterator<Item = (usize, usize, &'r InstanceEntry, f64)> {
        self.sums
            .iter()
            .filter_map(move |((object, _), sums)| {
                let entry = roster.objects().get(*object).filter(|entry| self.is_whole(entry) == of_whole)?;
                Some(entry.instances.iter().enumerate().filter_map(move |(slot, instance)| {
                    let value = if self.is_growth { sums.growth(slot)? } else { sums.mean(slot)? };
                    Some((*object, slot, instance, value))
                }))
            })
            .flatten()
    }

    /// Processes, and the mean of their values over the span; the largest first. Those that have something in common are one value: of a
    /// storm each has used little.
    fn top(&self, processes: &Roster, known: &Descriptions, groups: &[GroupNames]) -> Vec<Culprit> {
        let mut values: BTreeMap<(usize, usize), (&InstanceEntry, f64)> = BTreeMap::new();
        for (object, slot, instance, mean) in self.means(processes, false) {
            values.entry((object, slot)).or_insert((instance, 0.0)).1 += mean;
        }
        let groups = groups.iter().find(|groups| Some(groups.by()) == self.group_by);
        let suspect = |(place, (entry, value)): ((usize, usize), (&InstanceEntry, f64))| {
            let instance = entry.instance.as_ref().filter(|instance| is_process(instance))?;
            let description = known.find(&self.host, instance, self.span.end);
            let name = entry.shown.as_deref().unwrap_or_default();
            // Several that ended, and were added up, have one id.
            let (num, pid) = (self.num_of(place), instance.id);
            let shown = if num > 1 {
                shown_group(&instance.name, num, None)
            } else {
                short(&shown_process(name, pid, description))
            };
            Some(Suspect {
                program: description.map_or_else(|| instance.name.to_string(), program_of),
                place: description.and_then(place_of),
                group: groups.and_then(|groups| groups.group(&self.host, instance)),
                one: Culprit { name: name.to_owned(), pid: pid.filter(|_| num == 1), shown, num, value },
            })
        };
        let all: Vec<Suspect> = values.into_iter().filter_map(suspect).collect();
        let Span { begin, end, .. } = self.span;
        let counts = Counts {
            of_group: &|name| Some(groups?.num_processes(&self.host, name, (begin, end))),
            active: (self.who == Who::Cpu).then_some("with CPU"),
        };
        let mut found = match (groups, self.measure.has_sum) {
            (Some(_), _) => by_group(all, &counts),
            (None, true) => by_program(all, &counts),
            (None, false) => all.into_iter().map(|suspect| suspect.one).collect(),
        };
        found.sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.shown.cmp(&b.shown)));
        found
    }

    /// How many processes an instance stands for.
    fn num_of(&self, (object, slot): (usize, usize)) -> u64 {
        self.ended.get(&(object, slot as u32)).copied().unwrap_or(1)
    }

    /// The time of which there are values of processes, or of what they use together.
    fn covered(&self, roster: &Roster, of_whole: bool) -> Covered {
        let mut covered = Covered::default();
        for ((object, _), sums) in &self.sums {
            if roster.objects().get(*object).is_some_and(|entry| self.is_whole(entry) == of_whole) {
                covered.join(&sums.covered);
            }
        }
        covered
    }

    /// What was used over the span that no process of the capture has used: of processors as a share of one of them. `None` if the values
    /// are about different times.
    fn unattributed(&self, roster: &Roster, processes: &[Culprit]) -> Option<f64> {
        if processes.is_empty() || !self.covered(roster, true).is_like(&self.covered(roster, false)) {
            return None;
        }
        let attributed: f64 = processes.iter().map(|one| one.value).sum();
        let (mut total, mut sum, mut largest) = (None, 0.0, 0.0_f64);
        for (_, _, entry, mean) in self.means(roster, true) {
            if entry.instance.as_ref().is_some_and(Instance::is_total) {
                total = Some(mean);
            } else {
                (sum, largest) = (sum + mean, largest.max(mean));
            }
        }
        if self.who == Who::Cpu {
            return not_attributed(sum, attributed);
        }
        // A volume may be on another disk: without a total, the largest of them is what is certain.
        let whole = total.unwrap_or(largest);
        let rest = whole - attributed;
        (rest >= self.measure.least && rest >= LEAST_OF_DISKS * whole).then_some(rest)
    }
}

/// Says who the process of a finding is.
fn describe(finding: &mut Finding, roster: &Roster, known: &Descriptions) {
    let Some((object, slot, _)) = finding.series.filter(|_| finding.object == "Process") else { return };
    let entry = roster.objects().get(object).and_then(|object| object.instances.get(slot as usize));
    let Some(instance) = entry.and_then(|entry| entry.instance.as_ref()) else { return };
    let Some(description) = known.find(&finding.host, instance, finding.worst.end) else { return };
    let before = finding.place();
    let name = finding.instance.as_deref().unwrap_or_default();
    finding.described = Some(short(&shown_process(name, instance.id, Some(description))));
    if let Some(rest) = finding.headline.strip_prefix(&before) {
        finding.headline = format!("{}{rest}", finding.place());
    }
}

/// Those that are named: who has used more than nobody known has, too.
fn named(measure: &Measure, mut top: Vec<Culprit>, unattributed: Option<f64>) -> Vec<Culprit> {
    /// Those with less than this share of the first aren't named.
    const LEAST_SHARE: f64 = 0.1;
    let most = top.first().map_or(0.0, |first| first.value);
    let least = unattributed.map_or(most * LEAST_SHARE, |value| value.min(most * LEAST_SHARE));
    top.truncate(MAX_NAMED);
    top.retain(|one| one.value >= measure.least && one.value >= least);
    top
}

/// `; largest working sets: java (pid 12) 3.1 GiB, sh (pid 14) 1 GiB`, or `; working sets that grew most: java (pid 12) +1.2 GiB`.
fn said(measure: &Measure, is_growth: bool, named: &[Culprit], unattributed: Option<f64>) -> String {
    let (words, sign) = if is_growth { (measure.words_of_growth, "+") } else { (measure.words, "") };
    let shown = |value| format!("{sign}{}", quantity(value, measure.unit));
    let mut all: Vec<(&str, f64)> = named.iter().map(|one| (&*one.shown, one.value)).collect();
    if let Some(value) = unattributed {
        // The largest is first.
        all.insert(all.partition_point(|(_, named)| *named >= value), (NOT_ATTRIBUTED, value));
    }
    let texts: Vec<String> =
        all.into_iter().map(|(name, value)| format!("{name} {}", shown(value))).collect();
    if texts.is_empty() { String::new() } else { format!("; {words}: {}", texts.join(", ")) }
}
