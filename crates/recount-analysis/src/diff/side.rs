//! One of the two captures.

use recount_compute::{Cancelled, CookOptions, Input, OnProgress, PipelineOptions, run_in_rhythm};
use recount_model::{Health, Selection};

use crate::report::CaptureFacts;
use crate::report::points::{Buckets, Points};
use crate::roster::{Grouping, InstanceGrouping, Roster};
use crate::stats::{Tallied, Tally};

/// What is known about one capture.
pub struct Side {
    /// The capture.
    pub facts: CaptureFacts,
    /// Objects, instances (by shown name) and counters.
    pub roster: Roster,
    /// What could not be read.
    pub health: Health,
    pub(super) series: Vec<Tallied>,
    num_series: usize,
    pub(super) points: Points,
}

impl Side {
    /// How many series it has.
    pub fn num_series(&self) -> usize {
        self.num_series
    }
}

/// Points of a series; stretches are made from them, too.
pub(super) const MAX_POINTS: u32 = 600;

/// Reads a capture once. `span` is the length of the time axis of both captures' charts (100 ns).
///
/// Memory: that of the pipeline, plus the distinct values of every series.
pub fn side(
    inputs: &[Input],
    facts: CaptureFacts,
    span: i64,
    selection: &Selection,
    progress: OnProgress<'_>,
) -> Result<Side, Cancelled> {
    // Machines aren't distinguished: the two builds may have run on different ones.
    let mut roster =
        Roster::new(Grouping { by_host: facts.hosts.len() > 1, instances: InstanceGrouping::Shown });
    let mut tally = Tally::new(None);
    let begin = facts.span().map(|(begin, _)| begin.utc).unwrap_or_default();
    let end = recount_model::Timestamp(begin.0.saturating_add(span));
    let mut points = Points::new(Buckets::new(begin, end, MAX_POINTS as usize + 1, MAX_POINTS), MAX_POINTS);
    let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let health = run_in_rhythm(inputs, &facts.rhythm, &pipeline, |batch, step| {
        let placed = roster.place(&batch);
        tally.add(&placed, &|_| true);
        points.add(&placed);
        Cancelled::check(progress(step))
    })?;
    let series = tally.finish();
    Ok(Side { facts, roster, health, num_series: series.len(), series, points })
}
