//! How often a recording is sampled as a rule, by which an interval is found to be a gap: nobody sampled meanwhile. It is known from
//! the times of all samples before the first value is computed, so a part of a capture has the gaps of the whole.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use recount_model::{Cooked, SampleTime, Timestamp, usual_step};

use crate::input::captures;
use crate::{Covered, Input};

/// An interval longer than this many usual ones is a pause.
const LONGEST: f64 = 2.5;

/// Other rounds are looked for in the samples before the first one that is used, and in those of the same time as another: in so many at most.
const MAX_BACK: usize = 256;

/// How often each round of some inputs is sampled as a rule, and when it wasn't.
#[derive(Debug, Default)]
pub struct Rhythm {
    /// Per input: the first one of the same machine.
    machines: Vec<usize>,
    /// Per input: the first one of the same [source](sources).
    sources: Vec<usize>,
    lines: HashMap<LineKey, Line>,
    of_machines: BTreeMap<usize, OfMachine>,
    /// What is between machines.
    outside: Line,
    /// The machines that several captures are about at a time.
    shared: BTreeSet<usize>,
    interval_s: Option<f64>,
    /// Per machine in lower case, "" if a capture names none: its first and last sample that is used.
    extents: HashMap<String, Span>,
}

/// Samples that belong together: by machine, source and round.
type LineKey = (usize, usize, u32);

/// What the lines of one machine have in common.
#[derive(Debug)]
struct OfMachine {
    /// The usual interval of all samples together, in seconds.
    usual_s: Option<f64>,
    between: Line,
}

/// The samples of one round, in the order of time.
#[derive(Debug, Default)]
struct Line {
    /// First and last sample.
    ends: Span,
    /// The usual interval, in seconds; unknown for fewer than three samples.
    usual_s: Option<f64>,
    /// Intervals that aren't too long, joined.
    sampled: Covered,
    /// Intervals that are longer than the usual one allows.
    pauses: Vec<Span>,
}

/// From one sample to another.
type Span = (Timestamp, Timestamp);

/// The time that lines are about.
#[derive(Clone, Copy, Debug)]
struct Extent {
    span: Span,
    /// The usual interval of the line that ends last, in seconds.
    usual_s: Option<f64>,
}

/// What an interval is that is longer than the usual one allows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Longer {
    Pause,
    /// The usual interval is that of other samples, so nobody knows.
    Unknown,
}

impl Rhythm {
    /// From the samples used of each input.
    pub fn of(inputs: &[Input]) -> Rhythm {
        let mut known: HashMap<&[Arc<str>], usize> = HashMap::new();
        let mut machines: Vec<usize> = Vec::with_capacity(inputs.len());
        let sources = sources(inputs);
        let mut times: BTreeMap<LineKey, Vec<Timestamp>> = BTreeMap::new();
        for (at, input) in inputs.iter().enumerate() {
            let machine = *known.entry(&input.source.info().hosts).or_insert(at);
            machines.push(machine);
            let known = input.source.times();
            let samples = input.samples.iter().map(|sample| *sample as usize);
            for sample in before_first(input).into_iter().chain(samples) {
                if let Some(time) = known.get(sample) {
                    let key = (machine, sources[at], input.source.round(sample));
                    times.entry(key).or_default().push(time.utc);
                }
            }
        }
        // A file may end before the first sample that is used of the next one.
        for (at, input) in inputs.iter().enumerate().filter(|(_, input)| !input.samples.is_empty()) {
            let Some(number) = input.continues.filter(|earlier| *earlier < inputs.len()) else { continue };
            let earlier = &inputs[number];
            if let Some(last) = earlier.before.last().filter(|_| earlier.samples.is_empty()) {
                let key = (machines[at], sources[number], earlier.source.round(*last as usize));
                let time = earlier.source.times().get(*last as usize).map(|time| time.utc);
                times.entry(key).or_default().extend(time);
            }
        }
        let mut of_machines: BTreeMap<usize, Vec<Timestamp>> = BTreeMap::new();
        for ((machine, ..), times) in &mut times {
            times.sort_unstable();
            times.dedup();
            of_machines.entry(*machine).or_default().extend(&*times);
        }
        let of_machines: BTreeMap<usize, Option<f64>> = of_machines
            .into_iter()
            .map(|(machine, mut times)| {
                times.sort_unstable();
                (machine, usual_s(&times))
            })
            .collect();
        let shared = shared(&times);
        let mut lines = HashMap::new();
        let mut rounds: Vec<(usize, f64)> = Vec::new();
        let mut extents: BTreeMap<usize, Vec<Extent>> = BTreeMap::new();
        for (key, times) in times {
            let of_machine = of_machines.get(&key.0).copied().flatten();
            // Two samples say nothing: of a PCP archive, the first and the last are of a round of their own.
            let usual = usual_s(&times).filter(|_| times.len() > 2);
            rounds.extend(usual.map(|usual| (times.len(), usual)));
            let extent = Extent { span: (times[0], times[times.len() - 1]), usual_s: usual.or(of_machine) };
            extents.entry(key.0).or_default().push(extent);
            let longer = if usual.is_some() { Longer::Pause } else { Longer::Unknown };
            let mut line = Line { ends: extent.span, usual_s: usual, ..Line::default() };
            for pair in times.windows(2) {
                line.add((pair[0], pair[1]), extent.usual_s, longer);
            }
            lines.insert(key, line);
        }
        let interval_s = leading(&rounds).or_else(|| of_machines.values().find_map(|usual| *usual));
        let mut whole = Vec::new();
        let mut joined = BTreeMap::new();
        for (machine, extents) in extents {
            let Joined { extent, between } = Joined::of(extents);
            whole.extend(extent);
            let usual_s = of_machines.get(&machine).copied().flatten();
            joined.insert(machine, OfMachine { usual_s, between });
        }
        let outside = Joined::of(whole).between;
        Rhythm {
            machines,
            sources,
            lines,
            of_machines: joined,
            outside,
            shared,
            interval_s,
            extents: extents_of_hosts(inputs),
        }
    }

    /// The usual interval, in seconds: of the rounds that cover most of the time, that of the one with most samples.
    pub fn interval_s(&self) -> Option<f64> {
        self.interval_s
    }

    /// Tells a stretch of values, made of samples of an input, which of its intervals are gaps, and for how long values count that have none,
    /// unless the capture says both, and no captures of its machine overlap.
    pub(crate) fn mark(&self, inputs: &[Input], at: usize, cooked: &mut Cooked) {
        let (Some(machine), Some(source), Some(input)) =
            (self.machines.get(at), self.sources.get(at), inputs.get(at))
        else {
            return;
        };
        if !cooked.first_s.is_empty() && !self.shared.contains(machine) {
            return;
        }
        let Some(OfMachine { usual_s, between }) = self.of_machines.get(machine) else { return };
        let known = input.source.times();
        let mut of_round: Option<(u32, Option<&Line>)> = None;
        let mut line_of = |round: u32| match of_round {
            Some((last, line)) if last == round => line,
            _ => of_round.insert((round, self.lines.get(&(*machine, *source, round)))).1,
        };
        let (mut gaps, mut first_s) = (Vec::new(), Vec::with_capacity(cooked.num_samples()));
        for (sample, time) in cooked.times.iter().enumerate() {
            let begin = known.partition_point(|known| known.utc < time.utc);
            let same = known[begin..].iter().take(MAX_BACK).take_while(|known| known.utc == time.utc).count();
            // Of several rounds at the same time, any may be meant: the one that is sampled most seldom.
            let lines = (begin..begin + same).filter_map(|sample| line_of(input.source.round(sample)));
            let seldom = lines
                .max_by(|one, other| one.usual_s.unwrap_or(0.0).total_cmp(&other.usual_s.unwrap_or(0.0)));
            let paused = |interval: f64| {
                let span = (time.utc.minus_seconds(interval), time.utc);
                seldom.map_or(0.0, |line| line.paused_s(span)) + between.paused_s(span)
            };
            let usual = seldom.and_then(|line| line.usual_s).or(*usual_s);
            // The object may have been absent for longer than nobody sampled. While a round paused, it may have been sampled with another.
            let is_gap = |interval: f64| {
                let is_long = usual.is_none_or(|usual| interval > LONGEST * usual);
                is_long && paused(interval) > interval / 2.0
            };
            if cooked.interval_s[sample].is_some_and(is_gap) {
                gaps.push(sample as u32);
            }
            // Nobody knows for how long a value held beside a time in which nobody sampled, or whether it is the mean of that time.
            let is_beside =
                [seldom, Some(between)].into_iter().flatten().any(|line| line.pauses_beside(time.utc));
            first_s.push(if is_beside { 0.0 } else { usual.unwrap_or(0.0) });
        }
        (cooked.gaps, cooked.first_s) = (gaps, first_s);
    }

    /// The times in which nobody sampled a machine, or any of them, each within the samples of one: the samples before and after each. Captures that don't
    /// say of which machine they are count for any.
    pub fn gaps(&self, inputs: &[Input], host: Option<&str>) -> Vec<(SampleTime, SampleTime)> {
        let is_of = |input: &Input| host.is_none_or(|host| input.source.info().may_be_of(host));
        let members = || inputs.iter().enumerate().filter(|(_, input)| is_of(input));
        let machines: BTreeSet<usize> =
            members().filter_map(|(at, _)| self.machines.get(at).copied()).collect();
        let mut times: Vec<SampleTime> = members().flat_map(|(_, input)| used(input)).collect();
        times.sort_unstable_by_key(|time| time.utc);
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return Vec::new() };
        let ends = [first, last].map(|time| (time.utc, time.utc));
        let is_within_machine = |pair: &(SampleTime, SampleTime)| {
            self.extents.values().any(|(first, last)| *first <= pair.0.utc && pair.1.utc <= *last)
        };
        let outside = self.outside.sampled.stretches().iter().copied().filter(|_| host.is_none());
        let sampled: Covered = self.sampled(|machine| machines.contains(&machine)).chain(outside).collect();
        let sampled = [&ends[..1], sampled.stretches(), &ends[1..]].concat();
        // Beside a round that pauses, samples of others may be as near as any.
        let of_machine = || machines.iter().filter_map(|machine| self.of_machines.get(machine)?.usual_s);
        let usual_s = if host.is_some() { of_machine().reduce(f64::max) } else { self.interval_s };
        let longest_s = LONGEST * usual_s.unwrap_or(0.0);
        let apart = sampled.windows(2).flat_map(|pair| {
            let from = times.partition_point(|time| time.utc <= pair[0].1).saturating_sub(1);
            let past = times.partition_point(|time| time.utc <= pair[1].0);
            // What is sampled may begin before the first sample that is used.
            times
                .get(from..past)
                .unwrap_or_default()
                .windows(2)
                .filter(|pair| pair[1].utc.seconds_since(pair[0].utc) > longest_s)
        });
        apart.map(|pair| (pair[0], pair[1])).filter(is_within_machine).collect()
    }

    /// The first and the last sample of a machine that is used. Captures that don't say of which machine they are count for any, and all count for what
    /// is of no known machine. `None` if no sample is used.
    pub fn extent(&self, host: &str) -> Option<(Timestamp, Timestamp)> {
        let of_host = self.extents.get(&host.to_ascii_lowercase());
        of_host.copied().or_else(|| self.extents.values().copied().reduce(joined))
    }

    /// How much time the values of a machine are about, of the samples between two times, both inclusive: the intervals that end
    /// there, without gaps, in seconds. Captures that don't say of which machine they are count for any.
    pub fn observed_s(&self, inputs: &[Input], host: &str, (begin, end): Span) -> f64 {
        let members =
            self.machines.iter().zip(inputs).filter(|(_, input)| input.source.info().may_be_of(host));
        let (mut machines, mut before, mut last) = (BTreeSet::new(), None, None);
        for (machine, input) in members {
            machines.insert(*machine);
            before = before.max(last_used(input, |time| time < begin));
            last = last.max(last_used(input, |time| time <= end));
        }
        // The first interval begins before the span, and the last one ends with its last sample.
        let (begin, end) = (before.unwrap_or(begin), last.unwrap_or(begin));
        let sampled: Covered = self.sampled(|machine| machines.contains(&machine)).collect();
        sampled.seconds_in(begin, end)
    }

    /// The time in which some machines were sampled as usual. What is sampled seldom says nothing while other things are sampled often.
    fn sampled<'a>(
        &'a self,
        is_wanted: impl Fn(usize) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = Span> + 'a {
        let mut of_machines: BTreeMap<usize, Vec<&Line>> = BTreeMap::new();
        for ((machine, ..), line) in self.lines.iter().filter(|((machine, ..), _)| is_wanted(*machine)) {
            of_machines.entry(*machine).or_default().push(line);
        }
        let lines = of_machines.into_values().flat_map(sampled_by_often);
        let of_machines = self.of_machines.iter().filter(move |(machine, _)| is_wanted(**machine));
        lines.chain(of_machines.flat_map(|(_, machine)| machine.between.sampled.stretches().iter().copied()))
    }
}

/// The time in which lines of one machine were sampled as usual, without that of a line while another one was sampled much more often.
fn sampled_by_often(mut lines: Vec<&Line>) -> Vec<Span> {
    let usual = |line: &Line| line.usual_s.unwrap_or(f64::INFINITY);
    lines.sort_by(|one, other| usual(one).total_cmp(&usual(other)));
    let mut sampled = Vec::new();
    let mut num_often = 0;
    let mut often = Covered::default();
    for line in &lines {
        while usual(lines[num_often]) * LONGEST < usual(line) {
            let (first, last) = lines[num_often].ends;
            often.add(first, last);
            num_often += 1;
        }
        for (from, to) in line.sampled.stretches() {
            sampled.extend(often.rest_of(*from, *to));
        }
    }
    sampled
}

impl Line {
    /// Adds the next interval. `usual_s`: how long one is as a rule.
    fn add(&mut self, span: Span, usual_s: Option<f64>, longer: Longer) {
        let is_long = usual_s.is_some_and(|usual_s| seconds(span) > LONGEST * usual_s);
        if !is_long {
            self.sampled.add(span.0, span.1);
        } else if longer == Longer::Pause {
            self.pauses.push(span);
        }
    }

    /// The pauses that end after a time.
    fn pauses_after(&self, time: Timestamp) -> &[Span] {
        &self.pauses[self.pauses.partition_point(|(_, end)| *end <= time)..]
    }

    /// How much of the interval of a value is pauses, in seconds.
    fn paused_s(&self, (begin, end): Span) -> f64 {
        let pauses = self.pauses_after(begin).iter().take_while(|(from, _)| *from < end);
        pauses.map(|(from, to)| seconds((begin.max(*from), end.min(*to)))).sum()
    }

    /// Whether a pause begins or ends at a time.
    fn pauses_beside(&self, time: Timestamp) -> bool {
        let first = self.pauses.partition_point(|(_, end)| *end < time);
        self.pauses[first..].iter().take(2).any(|(begin, end)| *begin == time || *end == time)
    }
}

/// Lines, joined where they overlap.
struct Joined {
    /// Of all; `None` if there is no line.
    extent: Option<Extent>,
    between: Line,
}

impl Joined {
    fn of(mut lines: Vec<Extent>) -> Joined {
        lines.sort_unstable_by_key(|line| line.span);
        let mut between = Line::default();
        let mut whole: Option<Extent> = None;
        for line in lines {
            let Some(whole) = &mut whole else {
                whole = Some(line);
                continue;
            };
            let (end, begin) = (whole.span.1, line.span.0);
            if begin > end {
                let usual_s = whole.usual_s.into_iter().chain(line.usual_s).reduce(f64::max);
                between.add((end, begin), usual_s, Longer::Pause);
            }
            if line.span.1 > end {
                *whole = Extent { span: (whole.span.0, line.span.1), usual_s: line.usual_s };
            }
        }
        Joined { extent: whole, between }
    }
}

fn seconds((begin, end): Span) -> f64 {
    end.seconds_since(begin)
}

/// The usual interval of the rounds that cover most of the time; of several, that of the one with most samples. `rounds`: the number of
/// samples of each, and its usual interval in seconds.
fn leading(rounds: &[(usize, f64)]) -> Option<f64> {
    let covered_s = |(num, usual): &(usize, f64)| *num as f64 * usual;
    let most_s = rounds.iter().map(covered_s).fold(0.0, f64::max);
    let leading = rounds.iter().filter(|round| covered_s(round) >= most_s / 2.0);
    leading.max_by(|one, other| one.0.cmp(&other.0).then(other.1.total_cmp(&one.1))).map(|(_, usual)| *usual)
}

/// The sample of each round before the first one that is used: in a text, the first interval reaches back to it.
fn before_first(input: &Input) -> Vec<usize> {
    let Some(first) = input.samples.first().map(|sample| *sample as usize) else { return Vec::new() };
    let mut missing: BTreeSet<u32> =
        input.samples.iter().take(MAX_BACK).map(|sample| input.source.round(*sample as usize)).collect();
    let mut found = Vec::new();
    for sample in (0..first).rev().take(MAX_BACK) {
        if missing.is_empty() || input.source.epoch(sample) != input.source.epoch(first) {
            break;
        }
        if missing.remove(&input.source.round(sample)) {
            found.push(sample);
        }
    }
    found
}

/// The time of the last sample that meets a condition, of those that are used and those before. If a sample meets it, so do all before.
fn last_used(input: &Input, meets: impl Fn(Timestamp) -> bool) -> Option<Timestamp> {
    let times = input.source.times();
    let time = |sample: &u32| times.get(*sample as usize).map(|time| time.utc);
    let past = input.samples.partition_point(|sample| time(sample).is_some_and(&meets));
    let used = past.checked_sub(1).and_then(|last| input.samples.get(last));
    used.or(input.before.last()).and_then(time).filter(|time| meets(*time))
}

/// The times of the samples that are used.
fn used(input: &Input) -> impl Iterator<Item = SampleTime> + '_ {
    let times = input.source.times();
    input.samples.iter().filter_map(|sample| times.get(*sample as usize).copied())
}

/// Per machine: the first and the last sample that is used.
fn extents_of_hosts(inputs: &[Input]) -> HashMap<String, Span> {
    let named = |input: &Input| {
        let hosts = input.source.info().hosts.iter().map(|host| host.to_ascii_lowercase());
        hosts.chain(input.source.info().hosts.is_empty().then(String::new)).collect::<Vec<_>>()
    };
    let hosts: BTreeSet<String> = inputs.iter().flat_map(named).collect();
    let ends: Vec<Option<Span>> = inputs
        .iter()
        .map(|input| {
            let times = used(input).map(|time| (time.utc, time.utc));
            times.reduce(joined)
        })
        .collect();
    let of_host = |host: String| {
        let may_be = |(input, _): &(&Input, &Option<Span>)| input.source.info().may_be_of(&host);
        let ends = inputs.iter().zip(&ends).filter(may_be).filter_map(|(_, ends)| *ends);
        ends.reduce(joined).map(|extent| (host, extent))
    };
    hosts.into_iter().filter_map(of_host).collect()
}

/// From the earlier begin to the later end.
fn joined(one: Span, other: Span) -> Span {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Per input: the first one of the same source. Files with alternate samples of one recording are one source, as they are in one file. Rounds are
/// numbered by file, so a file with several is a source of its own.
fn sources(inputs: &[Input]) -> Vec<usize> {
    let mut first = captures(inputs);
    // By first input: the first sample and the last, unless there are several rounds.
    let mut spans: HashMap<usize, Option<Span>> = HashMap::new();
    for (at, input) in inputs.iter().enumerate() {
        let source = first[at];
        let is_one_round = input.samples.iter().all(|sample| input.source.round(*sample as usize) == 0);
        for time in used(input).map(|time| time.utc) {
            let span = spans.entry(source).or_insert(Some((time, time)));
            *span = span.filter(|_| is_one_round).map(|(begin, end)| (begin.min(time), end.max(time)));
        }
    }
    let first_of = |first: &[usize], mut at: usize| {
        while first[at] != at {
            at = first[at];
        }
        at
    };
    for (at, input) in inputs.iter().enumerate() {
        let Some(earlier) = input.continues.filter(|earlier| *earlier < inputs.len()) else { continue };
        let [one, other] = [at, earlier].map(|at| first_of(&first, at));
        let span = |source: usize| spans.get(&source).copied().flatten();
        let (Some(of_one), Some(of_other)) = (span(one), span(other)) else { continue };
        if one != other && of_one.0 < of_other.1 && of_other.0 < of_one.1 {
            let (least, most) = (one.min(other), one.max(other));
            first[most] = least;
            spans.insert(least, Some((of_one.0.min(of_other.0), of_one.1.max(of_other.1))));
        }
    }
    (0..inputs.len()).map(|at| first_of(&first, at)).collect()
}

/// The machines that several captures are about at a time. `times`: ascending.
fn shared(times: &BTreeMap<LineKey, Vec<Timestamp>>) -> BTreeSet<usize> {
    let mut spans: BTreeMap<(usize, usize), Span> = BTreeMap::new();
    for ((machine, capture, _), times) in times {
        let (first, last) = (times[0], times[times.len() - 1]);
        let (begin, end) = spans.entry((*machine, *capture)).or_insert((first, last));
        (*begin, *end) = ((*begin).min(first), (*end).max(last));
    }
    let mut of_machines: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for ((machine, _), span) in spans {
        of_machines.entry(machine).or_default().push(span);
    }
    let overlap = |spans: &mut Vec<Span>| {
        spans.sort_unstable();
        spans.windows(2).any(|pair| pair[1].0 < pair[0].1)
    };
    of_machines
        .into_iter()
        .filter_map(|(machine, mut spans)| overlap(&mut spans).then_some(machine))
        .collect()
}

/// The usual interval between times, in seconds; they ascend.
fn usual_s(times: &[Timestamp]) -> Option<f64> {
    usual_step(times.iter().copied()).map(|step| step as f64 / Timestamp::TICKS_PER_SECOND as f64)
}
