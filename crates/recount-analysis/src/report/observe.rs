//! The single pass over a capture from which a report is made.

use std::collections::HashSet;

use recount_compute::{
    Cancelled, CookOptions, Cooked, Input, OnProgress, PipelineOptions, Progress, run_in_rhythm,
};
use recount_model::{Health, Selection, Timestamp};
use recount_tables::processes::Descriptions;

use super::coverage::{Unchecked, unchecked};
use super::days::{Days, DaysTally};
use super::facts::CaptureFacts;
use super::noted::{AgainstBaseline, Noted};
use super::points::{Buckets, Points};
use crate::attribution::{GroupBy, GroupShares, UsedTime};
use crate::moved::{Axis, MAX_BINS, Tracks};
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::rules::{Evaluation, Finding, RuleSet, Severity, Span, Unanswered, groups_of_rules, name_them};
use crate::stats::{Figures, SeriesId, Tally};

/// What to put into a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// Counters.
    pub selection: Selection,
    /// Maximum bytes of values kept for percentiles.
    pub len_kept: usize,
    /// Maximum points per series.
    pub max_points: u32,
}

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions { selection: Selection::all(), len_kept: 1 << 30, max_points: 600 }
    }
}

/// Everything known about a capture.
pub struct Observed {
    /// The capture.
    pub facts: CaptureFacts,
    /// Objects, instances (by identity) and counters.
    pub roster: Roster,
    /// The rules' findings, the worst first.
    pub findings: Vec<Finding>,
    /// What groups of processes used of the processors, programs first; empty if the capture doesn't say it.
    pub programs: Vec<GroupShares>,
    /// Rules that were not evaluated.
    pub unanswered: Vec<Unanswered>,
    /// What no rule could check.
    pub unchecked: Vec<Unchecked>,
    /// Names of the rule sets, each with the ids of its rules.
    pub sets: Vec<(String, Vec<String>)>,
    /// What changed for good, the largest change first: a sentence for each time. The caller of `observe` fills it in
    /// ([`changes_of_report`](crate::changes::changes_of_report)).
    pub changed: Vec<Noted>,
    /// The days, if the capture has several.
    pub days: Option<Days>,
    /// What is unusual, if there is a baseline. The caller fills it in
    /// ([`Comparison`](crate::baseline::Comparison)).
    pub baseline: Option<AgainstBaseline>,
    /// What could not be read.
    pub health: Health,
    /// Figures of every series, by object, instance and counter.
    pub(crate) figures: Vec<(SeriesId, Figures)>,
    /// Series whose percentiles are left out: their values would have taken too much memory.
    pub(crate) num_unranked: usize,
    pub(crate) points: Points,
    /// Means of equal numbers of samples, in which changes are looked for.
    pub(crate) tracks: Tracks,
    pub(crate) axis: Axis,
}

impl Observed {
    /// How many series the capture has.
    pub fn num_series(&self) -> usize {
        self.figures.len()
    }

    /// The sentence of a finding, with the machine if there are several.
    pub fn headline(&self, finding: &Finding) -> String {
        self.facts.of_host(&finding.host, finding.headline.clone())
    }

    /// When a rule fired, in local time: the span that the sentence is about, those that are as bad in order, and how many more there are,
    /// from when to when.
    pub fn times_of(&self, finding: &Finding) -> String {
        const MOST: usize = 6;
        let weight = |span: &Span| (span.mean - finding.limit).abs() * span.seconds;
        let is_worst = |span: &Span| (span.begin, span.end) == (finding.worst.begin, finding.worst.end);
        let mut others: Vec<&Span> = finding.spans.iter().filter(|span| !is_worst(span)).collect();
        others.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        others.truncate(MOST - 1);
        others.sort_by_key(|span| span.begin);
        let worst = std::iter::once(&finding.worst);
        let listed: Vec<(Timestamp, Timestamp)> =
            worst.chain(others).map(|span| (span.begin, span.end)).collect();
        let text = self.facts.stated_spans(&listed).replacen(", ", "; also ", 1);
        let begins: Vec<Timestamp> = listed.iter().map(|(begin, _)| *begin).collect();
        let num_more = finding.num_spans.saturating_sub(listed.len() as u64);
        match finding.bounds_without(&begins).filter(|_| num_more > 0) {
            None => text,
            Some(between) => {
                format!("{text}, and {num_more} more from {}", self.facts.stated_spans(&[between]))
            }
        }
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Reads a capture once, and then the processes in the worst spans of findings that may name some. If rules are about groups of processes,
/// who belongs to which is read before.
///
/// Memory: that of the pipeline, `len_kept`, and per series about 400 bytes plus up to 32 per point, and up to 4,800 if it changes.
pub fn observe(
    inputs: &[Input],
    facts: CaptureFacts,
    sets: &[RuleSet],
    options: &ReportOptions,
    progress: OnProgress<'_>,
) -> Result<Observed, Cancelled> {
    observe_with(inputs, facts, sets, options, |_, step| Cancelled::check(progress(step)))
}

/// Reads a capture once, for a report and for another consumer of its values: `also` receives every batch, in time
/// order. If it fails, the reading ends; therefore it is also called, without values, while processes are looked for.
pub fn observe_with<E: Send>(
    inputs: &[Input],
    facts: CaptureFacts,
    sets: &[RuleSet],
    options: &ReportOptions,
    mut also: impl FnMut(&[Cooked], Progress) -> Result<(), E> + Send,
) -> Result<Observed, E> {
    let (begin, end) = facts.span().map(|(begin, end)| (begin.utc, end.utc)).unwrap_or_default();
    let mut roster = Roster::new(Grouping { by_host: true, instances: InstanceGrouping::Identity });
    let mut tally = Tally::new(None);
    let buckets = Buckets::new(begin, end, facts.times.len(), options.max_points);
    let mut points = Points::new(buckets, options.max_points);
    let axis = Axis::whole(&facts.times, MAX_BINS);
    let mut tracks = Tracks::default();
    let groups = groups_of_rules(sets, inputs, || also(&[], Progress::default()))?;
    let mut evaluation = Evaluation::new(sets, &groups);
    let mut programs = UsedTime::new(begin, end);
    let mut days = DaysTally::new(&facts);
    let mut unranked: HashSet<SeriesId> = HashSet::new();
    let cook = CookOptions { selection: options.selection.clone(), ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let health = run_in_rhythm(inputs, &facts.rhythm, &pipeline, |batch, step| {
        let placed = roster.place(&batch);
        tally.add(&placed, &|id| !unranked.contains(&id));
        points.add(&placed);
        tracks.add(&placed, &axis);
        programs.add(&batch);
        days.add(&batch);
        evaluation.add(&roster, &placed);
        if tally.len_bytes() > options.len_kept {
            unranked.extend(tally.defer(options.len_kept / 4 * 3));
        }
        also(&batch, step)
    })?;
    tracks.finish();
    let len_s = |host: &str| facts.rhythm.extent(host).map_or(0.0, |(first, last)| last.seconds_since(first));
    let (mut findings, unanswered) = evaluation.finish(&roster, &len_s);
    // Nobody waits for these values, but may give up waiting.
    name_them(&mut findings, &roster, &groups, inputs, || also(&[], Progress::default()))?;
    // Of several machines, nobody asks for the sum.
    let programs = if facts.hosts.len() <= 1 { shares(inputs, programs, (begin, end)) } else { Vec::new() };
    let mut observed = Observed {
        days: days.finish(),
        facts,
        programs,
        findings,
        unchecked: unchecked(sets, &unanswered),
        unanswered,
        sets: sets
            .iter()
            .map(|set| (set.name.clone(), set.rules.iter().map(|rule| rule.id.clone()).collect()))
            .collect(),
        changed: Vec::new(),
        baseline: None,
        health,
        figures: tally.figures(),
        num_unranked: unranked.len(),
        points,
        tracks,
        axis,
        roster,
    };
    observed.add_boots();
    Ok(observed)
}

/// The pictures of who used the processors: programs first, and then all else that processes can be grouped by.
fn shares(inputs: &[Input], used: UsedTime, span: (Timestamp, Timestamp)) -> Vec<GroupShares> {
    let known = Descriptions::of(inputs.iter().map(|input| &input.source), span);
    let Some(used) = used.finish(&known) else { return Vec::new() };
    let others = used.groupings().into_iter().filter(|by| ![GroupBy::Command, GroupBy::Tree].contains(by));
    std::iter::once(GroupBy::Command).chain(others).map(|by| used.by(by)).collect()
}
