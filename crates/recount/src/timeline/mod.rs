//! Captures as one time line: what every answer is about.

mod corrected;
mod definitions;
mod full_times;
pub(crate) mod host_spelling;
pub(crate) mod inputs;
mod labelled;
mod local_time;
mod lost_facts;
pub(crate) mod lost_names;
pub(crate) mod no_samples;
mod parted;
mod recording;
mod seams;
pub(crate) mod strands;
mod thinned;
pub(crate) mod time_bound;
mod united;
mod united_cooked;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use recount_compute::{Cancelled, Input, OnProgress};
use recount_model::{FindingKind, Health, Mark, SampleTime, Source, Timestamp};
use recount_tables::processes::{Descriptions, Processes, read_processes};

use crate::contents::surveys::Surveys;
use crate::repeats::{Doubt, Repeats};
use crate::timeline::corrected::correct_together;
use crate::timeline::definitions::give_definitions;
use crate::timeline::full_times::give_full_times;
use crate::timeline::host_spelling::spell_hosts_alike;
use crate::timeline::inputs::{doubt_about, doubts, in_order, local_at, moment};
use crate::timeline::labelled::labelled;
use crate::timeline::lost_facts::give_lost_facts;
use crate::timeline::lost_names::give_lost_names;
use crate::timeline::parted::repeats_of_parted;
use crate::timeline::recording::Recording;
use crate::{Batches, Capture, NoSamples, Span, SpanError, TimeBound};

/// Captures that are one time line, and the samples of them that are used. Every answer takes one; making it checks, once,
/// that their times can be compared and that the span has a meaning in them. Cloning it is cheap.
///
/// ```
/// use recount::{Span, SpanError, Timeline};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
/// let capture = recount::open(path)?;
/// let span = Span { begin: Some("mark:deploy".parse()?), ..Span::default() };
/// assert!(matches!(Timeline::of(&[capture], &span), Err(SpanError::Mark(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Timeline {
    captures: Arc<[Capture]>,
    /// The same as they were compared, which is remembered for them.
    compared: Arc<[Capture]>,
    /// Their sources, as the inputs have them.
    sources: Arc<[Arc<dyn Source>]>,
    span: Span,
    inputs: Arc<[Input]>,
    /// What is put together of several captures: sources of inputs.
    recordings: Arc<[Arc<Recording>]>,
    /// What the captures have in common.
    notes: Health,
    /// What has been found in the samples.
    pub(crate) surveys: Surveys,
    /// Who the processes are, once that is asked for.
    descriptions: Arc<OnceLock<Descriptions>>,
}

/// Puts counters into the same runs in all captures: which counters a PCP archive samples together may change from one
/// to the next.
fn sample_alike(captures: &mut [Capture]) {
    if captures.len() < 2 {
        return;
    }
    let kinds: BTreeSet<Vec<Arc<str>>> =
        captures.iter().flat_map(|capture| capture.source.sampled_together()).collect();
    let kinds: Arc<[Vec<Arc<str>>]> = kinds.into_iter().collect();
    for capture in captures {
        if let Some(source) = capture.source.sampled_like(&kinds) {
            capture.source = source;
        }
    }
}

impl Capture {
    /// All samples of the capture as a time line.
    pub fn timeline(&self) -> Timeline {
        Timeline::made(vec![self.clone()], Span::default())
    }
}

impl Timeline {
    /// The samples of captures within a span. Samples that several of the captures have count once, and machines whose names
    /// differ in case are one.
    ///
    /// It is an error if captures whose zone is unknown are mixed with others, if the span has a moment and the zone is
    /// unknown, or if no capture has one of its marks. If no sample is in the span, [`Timeline::no_samples`] says why.
    pub fn of(captures: &[Capture], span: &Span) -> Result<Timeline, SpanError> {
        Ok(Timeline::made(captures.to_vec(), span.resolve(captures)?))
    }

    /// All samples of captures; an error if their times can't be compared.
    pub fn whole(captures: &[Capture]) -> Result<Timeline, SpanError> {
        Timeline::of(captures, &Span::default())
    }

    /// All samples of captures whose times may not be comparable: for uses where times don't matter.
    pub(crate) fn without_times(captures: &[Capture]) -> Timeline {
        Timeline::made(captures.to_vec(), Span::default())
    }

    /// The span has no marks.
    fn made(mut captures: Vec<Capture>, span: Span) -> Timeline {
        spell_hosts_alike(&mut captures);
        give_lost_names(&mut captures);
        give_lost_facts(&mut captures);
        give_full_times(&mut captures);
        sample_alike(&mut captures);
        let repeats = repeats_of_parted(&mut captures);
        let compared = captures.clone().into();
        give_definitions(&mut captures);
        let mut sources = labelled(&captures);
        correct_together(&captures, &repeats, &mut sources);
        let (inputs, recordings) = in_order((&captures, &sources), &span, &repeats);
        let mut notes = notes_of(&captures, &repeats);
        for what in doubts(&captures, &span) {
            notes.note(FindingKind::Time, None, what);
        }
        Timeline {
            captures: captures.into(),
            compared,
            sources: sources.into(),
            span,
            inputs: inputs.into(),
            recordings: recordings.into(),
            notes,
            surveys: Surveys::default(),
            descriptions: Arc::default(),
        }
    }

    /// Other samples of the same captures.
    pub fn with_span(&self, span: &Span) -> Result<Timeline, SpanError> {
        Timeline::of(&self.compared, span)
    }

    /// The captures.
    pub fn captures(&self) -> &[Capture] {
        &self.captures
    }

    /// Which samples are used, with moments in place of marks.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// The samples as inputs of the pipeline of `recount-compute`, in the order of their first samples: for callers that need
    /// cooked columns rather than [`Timeline::batches`].
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The captures that each sample of an input is of, by their indices.
    pub(crate) fn captures_of(&self, input: &Input) -> impl Fn(u32) -> Vec<usize> {
        let source = Arc::as_ptr(&input.source).cast::<()>();
        let whole = self.recordings.iter().find(|whole| Arc::as_ptr(whole).cast::<()>() == source).cloned();
        let capture = self.sources.iter().position(|one| Arc::ptr_eq(one, &input.source));
        move |sample| match &whole {
            Some(whole) => whole.captures(sample as usize).collect(),
            None => capture.into_iter().collect(),
        }
    }

    /// The values as Arrow batches: by default all counters, in the tidy layout.
    pub fn batches(&self) -> Batches {
        Batches::of(self)
    }

    /// The names of all captures in one string.
    pub fn name(&self) -> String {
        self.captures.iter().map(Capture::name).collect::<Vec<_>>().join(", ")
    }

    /// Who the processes are, as far as the captures say. Read once, when it is first asked for.
    pub fn descriptions(&self) -> &Descriptions {
        let read = || Descriptions::of_all(self.inputs.iter().map(|input| &input.source));
        self.descriptions.get_or_init(read)
    }

    /// The processes, a row for each, and what the processors did. One pass over their counters; memory is a row per process.
    pub fn processes(&self, progress: OnProgress<'_>) -> Result<Processes, Cancelled> {
        read_processes(&self.inputs, progress)
    }

    /// Whether the times are local times of an unknown zone.
    pub fn is_zone_unknown(&self) -> bool {
        self.captures.iter().any(|capture| capture.source.info().is_zone_unknown)
    }

    /// What the captures have in common: samples that are counted once, and values that contradict each other; and that an end of the span may not be the
    /// moment that was meant.
    pub fn notes(&self) -> &Health {
        &self.notes
    }

    /// What the captures have in common, and the damage found when they were opened.
    pub fn health(&self) -> Health {
        let notes = std::iter::once(self.notes.clone());
        let is_alone = self.captures.len() == 1;
        let of_capture = |capture: &Capture| {
            let health = capture.health();
            if is_alone { health } else { health.of_capture(&capture.name().into()) }
        };
        notes.chain(self.captures.iter().map(of_capture)).collect()
    }

    /// Puts this before what was found while the samples were read.
    #[cfg(feature = "analysis")]
    pub(crate) fn add_health(&self, of_reading: &mut Health) {
        let mut health = self.health();
        health.absorb(std::mem::take(of_reading));
        *of_reading = health;
    }

    /// The machines that the captures name, each once, in order of appearance.
    pub fn hosts(&self) -> Vec<Arc<str>> {
        let mut hosts: Vec<Arc<str>> = Vec::new();
        for host in self.captures.iter().flat_map(|capture| &capture.source.info().hosts) {
            if !hosts.contains(host) {
                hosts.push(Arc::clone(host));
            }
        }
        hosts
    }

    /// The span from a time of these captures to another. Of an unknown zone, they are local times with the offset zero.
    pub fn span_between(&self, begin: Timestamp, end: Timestamp) -> Span {
        let bound =
            |time| Some(if self.is_zone_unknown() { TimeBound::Local(time) } else { TimeBound::Utc(time) });
        Span { begin: bound(begin), end: bound(end), ..Span::default() }
    }

    /// The marked times of all captures, ascending; those that copies have are there once.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.captures.iter().flat_map(Capture::marks).cloned().collect();
        marks.sort();
        marks.dedup();
        marks
    }

    /// The times of the samples used, ascending, each once.
    pub fn times(&self) -> Vec<SampleTime> {
        let of_input = |input: &Input| {
            let times = input.source.times();
            input.samples.iter().filter_map(|sample| times.get(*sample as usize).copied()).collect::<Vec<_>>()
        };
        let mut times: Vec<SampleTime> = self.inputs.iter().flat_map(of_input).collect();
        times.sort_unstable();
        times.dedup_by_key(|time| time.utc);
        times
    }

    /// The number of samples used: one for each time of a machine, however many of the captures have it.
    pub fn num_samples(&self) -> u64 {
        if let [_] = &*self.captures {
            return self.inputs.iter().map(|input| input.samples.len() as u64).sum();
        }
        let host_of = |input: &Input| input.source.info().hosts.first().cloned().unwrap_or_default();
        // The machines of one capture are a group: each leads to another one of its group, and at last to the first.
        let mut groups: HashMap<Arc<str>, Arc<str>> = HashMap::new();
        for input in &*self.inputs {
            let group = Arc::clone(first_of(&groups, &host_of(input)));
            for host in &input.source.info().hosts {
                let other = Arc::clone(first_of(&groups, host));
                groups.insert(other, Arc::clone(&group));
            }
        }
        let mut times: Vec<(Arc<str>, Timestamp)> = Vec::new();
        for input in &*self.inputs {
            let (host, all) = (host_of(input), input.source.times());
            let group = first_of(&groups, &host);
            let of_input = input.samples.iter().filter_map(|sample| all.get(*sample as usize));
            times.extend(of_input.map(|time| (Arc::clone(group), time.utc)));
        }
        times.sort_unstable();
        times.dedup();
        times.len() as u64
    }

    /// Whether there is no sample in the span, and why.
    pub fn no_samples(&self) -> Option<NoSamples> {
        let is_empty = self.inputs.iter().all(|input| input.samples.is_empty());
        is_empty.then(|| NoSamples::of(self))
    }

    /// A time in these captures as a moment. `None` if it is relative to a sample and there is none.
    pub fn moment(&self, bound: &TimeBound) -> Result<Option<Timestamp>, SpanError> {
        let span = Span { begin: Some(bound.clone()), ..Span::default() }.resolve(&self.captures)?;
        Ok(span.begin.and_then(|bound| moment(&self.captures, &bound)))
    }

    /// A moment as it can be stated: local time with its offset from UTC, or without one if the zone is unknown.
    pub fn stated(&self, time: Timestamp) -> String {
        let near = self.captures.iter().filter_map(|capture| local_at(time, capture.source.times()));
        let nearest = near.min_by_key(|(_, sampled)| sampled.0.abs_diff(time.0));
        let local = nearest.map_or(SampleTime { utc: time, offset_min: 0 }, |(local, _)| local);
        if self.is_zone_unknown() {
            return local.local().without_zone();
        }
        local.stated()
    }

    /// Why a time may not be the moment that was meant: the clock showed it twice, or never.
    pub fn doubt_about(&self, bound: &TimeBound) -> Option<String> {
        doubt_about(&self.captures, bound)
    }
}

/// The first of the machines that belong together.
fn first_of<'g>(groups: &'g HashMap<Arc<str>, Arc<str>>, host: &'g Arc<str>) -> &'g Arc<str> {
    let mut host = host;
    while let Some(above) = groups.get(host).filter(|above| *above != host) {
        host = above;
    }
    host
}

/// Reports samples that are there twice, except for a single one in the files of two days, which is how recorders change
/// files.
fn notes_of(captures: &[Capture], repeats: &[Repeats]) -> Health {
    let of_capture = |(capture, repeats): (&Capture, &Repeats)| {
        let mut notes = Health::default();
        for what in texts_of(captures, capture, repeats) {
            notes.note(FindingKind::Odd, None, what);
        }
        notes.of_capture(&capture.name().into())
    };
    captures.iter().zip(repeats).map(of_capture).collect()
}

/// What is said of a capture.
fn texts_of(captures: &[Capture], capture: &Capture, repeats: &Repeats) -> Vec<String> {
    let name = |other: usize| captures[other].name();
    let mut texts = Vec::new();
    if let Some((other, num @ 2..)) = repeats.most {
        texts.push(format!("{num} of its samples are also in {}; each is counted once", name(other)));
    }
    if let Some((other, num)) = repeats.longer {
        let num =
            if num == 1 { "1 of its samples has".to_owned() } else { format!("{num} of its samples have") };
        let other = name(other);
        texts.push(format!(
            "{num} values over longer intervals than {other}, which has the parts: the longer ones are left out"
        ));
    }
    if let Some(Doubt { other, num, is_damage }) = repeats.doubtful {
        let samples = if num == 1 { "1 sample".to_owned() } else { format!("{num} samples") };
        let other = name(other);
        let has = format!("in {samples} it has values or instances that {other} doesn't have");
        if is_damage {
            texts.push(format!("damaged: {has}; those of {other}, which is sound, are used"));
        } else if repeats.contradicted.is_none() && repeats.renamed.is_none() {
            texts.push(format!("{has}, though most else is the same: both are kept"));
        }
    }
    if let Some(other) = repeats.other_host {
        let hosts = [capture, &captures[other]].map(|capture| capture.source.info().hosts.concat());
        let (other, [own, others]) = (name(other), hosts);
        texts.push(format!(
            "{own} has the values that {other} has of {others}: a machine's name is damaged, or a capture was copied; both are kept"
        ));
    }
    if let Some((other, own, others)) = &repeats.renamed {
        let other = name(*other);
        texts.push(format!(
            "{own} has the values that {other} has as {others}, and each lacks the other's: a name is damaged, or there are two; both are kept"
        ));
    }
    if let Some(found) = &repeats.displaced {
        let (other, own, others) =
            (name(found.other), stated(capture, found.time), stated(capture, found.time_of_other));
        let more =
            if found.num > 1 { format!(", and {} more like it", found.num - 1) } else { String::new() };
        let what = match (found.is_left_out, found.is_either) {
            (true, false) => format!("its time is damaged, and that of {other} is used"),
            (true, true) => format!("one of the times is damaged, and that of {other} is used"),
            (false, _) => "a time is damaged, if they are one: both are kept".to_owned(),
        };
        texts.push(format!("its sample of {own} has the values that {other} has at {others}{more}: {what}"));
    }
    if let Some(found) = &repeats.contradicted {
        let num = if found.num == 1 { "1 time".to_owned() } else { format!("{} times", found.num) };
        let (other, time) = (name(found.other), stated(capture, found.time));
        texts.push(format!(
            "has other values than {other} at {num}, first at {time}, {}: both are kept",
            found.path
        ));
    }
    if let Some((other, is_at_same_times)) = repeats.beside {
        let times = if is_at_same_times { "at all" } else { "at different" };
        texts.push(format!(
            "overlaps {}: same machine, some of the same counters: samples {times} times are kept of both",
            name(other)
        ));
    }
    texts
}

/// A sample's time as it can be stated: UTC, or a local time of an unknown zone.
fn stated(capture: &Capture, time: SampleTime) -> String {
    let local = time.civil().filter(|_| capture.source.info().is_zone_unknown);
    local.map_or_else(|| time.utc.to_string(), |local| local.to_string())
}
