//! A time line, and what the viewer knows about it.

use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use recount::{Capture, Health, SpanError, Timeline, facts};
use recount_analysis::report::CaptureFacts;
use recount_compute::{Input, Landmarks};

use super::counted::Counted;
use super::machines::Machines;
use super::time::Span;
use super::together::Together;

/// A time line, in the state when its captures were last opened.
pub(crate) struct Side {
    pub(crate) timeline: Timeline,
    pub(crate) facts: CaptureFacts,
    /// Added to its times to draw it on the common axis, 100 ns.
    pub(crate) shift: i64,
    /// Names and figures, which are kept when the captures grow.
    pub(crate) counted: Arc<RwLock<Counted>>,
    pub(crate) machines: Machines,
    /// Whether some of its names aren't those of its captures.
    pub(crate) is_renamed: bool,
    /// Its inputs as they are read for single series.
    pub(super) together: Vec<Together>,
    /// What stretches of it have to know about the whole.
    pub(crate) landmarks: Landmarks,
    /// What could not be read, on opening and during the counting; empty before that is done.
    health: OnceLock<Health>,
}

impl Side {
    pub(crate) fn new(
        captures: &[Capture],
        shift: i64,
        counted: Arc<RwLock<Counted>>,
    ) -> Result<Side, SpanError> {
        let timeline = Timeline::whole(captures)?;
        let facts = facts(&timeline);
        Ok(Side {
            together: Together::all(timeline.inputs()),
            timeline,
            shift,
            counted,
            machines: Machines::default(),
            is_renamed: captures.iter().any(Capture::is_renamed),
            landmarks: Landmarks::in_rhythm(Arc::clone(&facts.rhythm)),
            facts,
            health: OnceLock::new(),
        })
    }

    /// The samples, as inputs of the pipeline.
    pub(crate) fn inputs(&self) -> &[Input] {
        self.timeline.inputs()
    }

    /// What could not be read so far: on opening and, once everything has been counted, during the counting.
    pub(crate) fn health(&self) -> Health {
        self.health.get().cloned().unwrap_or_else(|| self.timeline.health())
    }

    /// Adds what the pass over everything found.
    pub(super) fn add_health(&self, found: Health) -> Health {
        let mut health = self.timeline.health();
        health.absorb(found);
        self.health.get_or_init(|| health).clone()
    }

    /// First and last sample, 100 ns.
    pub(crate) fn span(&self) -> Option<Span> {
        let (begin, end) = self.facts.span()?;
        Some(Span { from: begin.utc.0, to: end.utc.0 })
    }

    /// The indices of an input's samples in a span.
    pub(crate) fn samples_in(&self, input: usize, span: Span) -> Range<usize> {
        let times = self.inputs()[input].source.times();
        let samples = &self.inputs()[input].samples;
        let from = samples.partition_point(|sample| times[*sample as usize].utc.0 < span.from);
        let to = samples.partition_point(|sample| times[*sample as usize].utc.0 <= span.to);
        from..to.max(from)
    }

    /// Per input, its samples in some chunks of inputs that are read together: none of the others.
    pub(super) fn samples_of(&self, together: &Together, chunks: &Range<usize>) -> Vec<Range<usize>> {
        let Some(span) = together.span_of(chunks) else { return vec![0..0; self.inputs().len()] };
        let of = |input: usize| {
            let samples = self.samples_in(input, span);
            if together.inputs.contains(&input) { samples } else { samples.start..samples.start }
        };
        (0..self.inputs().len()).map(of).collect()
    }

    /// Inputs that may have values of a machine.
    pub(crate) fn inputs_of<'a>(&'a self, host: &'a str) -> impl Iterator<Item = usize> + 'a {
        (0..self.inputs().len()).filter(move |input| self.inputs()[*input].source.info().may_be_of(host))
    }

    /// Whether this contains everything in `earlier`, possibly with more at the ends.
    pub(crate) fn continues(&self, earlier: &Side) -> bool {
        let same = |(old, new): (&Input, &Input)| {
            let times = |input: &Input| input.samples.first().map(|at| input.source.times()[*at as usize]);
            old.continues == new.continues
                && new.samples.starts_with(&old.samples)
                && times(old) == times(new)
        };
        earlier.inputs().len() == self.inputs().len() && earlier.inputs().iter().zip(self.inputs()).all(same)
    }
}

/// What is known about the series of a side.
pub(crate) fn read(side: &Side) -> RwLockReadGuard<'_, Counted> {
    side.counted.read().unwrap_or_else(PoisonError::into_inner)
}
