//! Captures as one time line: what every answer is about.

pub(crate) mod host_spelling;
pub(crate) mod inputs;
pub(crate) mod no_samples;
pub(crate) mod strands;
pub(crate) mod time_bound;

use std::sync::Arc;

use recount_compute::Input;
use recount_model::{FindingKind, Health, Mark, SampleTime, Timestamp};

use crate::contents::surveys::Surveys;
use crate::repeats::{Repeats, repeats};
use crate::timeline::host_spelling::spell_hosts_alike;
use crate::timeline::inputs::{in_order, moment};
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
    span: Span,
    inputs: Arc<[Input]>,
    /// What the captures have in common.
    notes: Health,
    /// What has been found in the samples.
    pub(crate) surveys: Surveys,
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
        let repeats = repeats(&captures);
        let inputs = in_order(&captures, &span, &repeats).into();
        let notes = notes_of(&captures, &repeats);
        Timeline { captures: captures.into(), span, inputs, notes, surveys: Surveys::default() }
    }

    /// Other samples of the same captures.
    pub fn with_span(&self, span: &Span) -> Result<Timeline, SpanError> {
        Timeline::of(&self.captures, span)
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

    /// The values as Arrow batches: by default all counters, in the tidy layout.
    pub fn batches(&self) -> Batches {
        Batches::of(self)
    }

    /// The names of all captures in one string.
    pub fn name(&self) -> String {
        self.captures.iter().map(Capture::name).collect::<Vec<_>>().join(", ")
    }

    /// Whether the times are local times of an unknown zone.
    pub fn is_zone_unknown(&self) -> bool {
        self.captures.iter().any(|capture| capture.source.info().is_zone_unknown)
    }

    /// What the captures have in common: samples that are counted once, and values that contradict each other.
    pub fn overlaps(&self) -> &Health {
        &self.notes
    }

    /// What the captures have in common, and the damage found when they were opened.
    pub fn health(&self) -> Health {
        let notes = std::iter::once(self.notes.clone());
        notes.chain(self.captures.iter().map(Capture::health)).collect()
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

    /// The marked times of all captures, ascending.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.captures.iter().flat_map(Capture::marks).cloned().collect();
        marks.sort();
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

    /// A moment as it can be stated: UTC, or local time without `Z` if the zone is unknown.
    pub fn stated(&self, time: Timestamp) -> String {
        let text = time.to_string();
        if self.is_zone_unknown() { text.trim_end_matches('Z').to_owned() } else { text }
    }
}

/// Reports samples that are there twice, except for a single one in the files of two days, which is how recorders change
/// files.
fn notes_of(captures: &[Capture], repeats: &[Repeats]) -> Health {
    let mut notes = Health::default();
    for (capture, repeats) in captures.iter().zip(repeats) {
        if let Some((other, num @ 2..)) = repeats.most {
            let other = captures[other].name();
            let what =
                format!("{}: {num} of its samples are also in {other}; each is counted once", capture.name());
            notes.note(FindingKind::Odd, None, what);
        }
        if let Some(found) = &repeats.contradicted {
            let other = captures[found.other].name();
            let num = if found.num == 1 { "1 time".to_owned() } else { format!("{} times", found.num) };
            let (name, time) = (capture.name(), stated(capture, found.time));
            let what = format!(
                "{name}: has other values than {other} at {num}, first at {time}, {}: both are kept",
                found.path
            );
            notes.note(FindingKind::Odd, None, what);
        }
        if let Some(other) = repeats.beside {
            let other = captures[other].name();
            let what = format!(
                "{}: overlaps {other}: same machine, some of the same counters: samples at different times are kept of both",
                capture.name()
            );
            notes.note(FindingKind::Odd, None, what);
        }
    }
    notes
}

/// A sample's time as it can be stated: UTC, or a local time of an unknown zone.
fn stated(capture: &Capture, time: SampleTime) -> String {
    let local = time.civil().filter(|_| capture.source.info().is_zone_unknown);
    local.map_or_else(|| time.utc.to_string(), |local| local.to_string())
}
