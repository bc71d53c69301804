//! A source whose samples are those of another, changed in one respect.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::{CountsSince, Decoded, Health, ObjectDef, Opened, ProcessNote, Selection, Source, Timestamp};

/// What a [`Changed`] source changes.
pub trait Change: Send + Sync {
    /// Whether the source understands a selection of the changed samples; otherwise everything is requested from it.
    const KNOWS_SELECTION: bool = true;

    /// What is known of the changed source once it is opened.
    fn opened(&self, source: &dyn Source) -> Opened {
        source.opened().clone()
    }

    /// Changes an object, with its host.
    fn object(&self, object: (Arc<str>, Arc<ObjectDef>)) -> (Arc<str>, Arc<ObjectDef>) {
        object
    }

    /// Changes which epoch a sample is of: see [`Source::epoch`].
    fn epoch(&self, source: &dyn Source, sample: usize) -> u32 {
        source.epoch(sample)
    }

    /// The same, if losses end none: see [`Source::epoch_despite_losses`].
    fn epoch_despite_losses(&self, source: &dyn Source, sample: usize) -> u32 {
        source.epoch_despite_losses(sample)
    }

    /// The source's span of time for a span of the changed one.
    fn span(&self, span: (Timestamp, Timestamp)) -> (Timestamp, Timestamp) {
        span
    }

    /// Changes since when counters have been counting.
    fn counts_since(&self, since: CountsSince) -> CountsSince {
        since
    }

    /// Changes what is said of a process.
    fn note(&self, note: ProcessNote) -> ProcessNote {
        note
    }

    /// Changes decoded samples, and applies the selection if the source doesn't know it.
    fn decoded(&self, decoded: Decoded, selection: &Selection) -> Decoded;
}

/// A source with a change.
pub struct Changed<C> {
    source: Arc<dyn Source>,
    change: Arc<C>,
    opened: Opened,
}

impl<C: Change + 'static> Changed<C> {
    /// Changes a source.
    pub fn of(source: Arc<dyn Source>, change: C) -> Arc<dyn Source> {
        Changed::with(source, Arc::new(change))
    }

    fn with(source: Arc<dyn Source>, change: Arc<C>) -> Arc<dyn Source> {
        let opened = change.opened(&*source);
        Arc::new(Changed { source, change, opened })
    }

    fn changed(
        &self,
        decode: fn(&dyn Source, &[u32], &Selection) -> Decoded,
        samples: &[u32],
        selection: &Selection,
    ) -> Decoded {
        let all = Selection::all();
        let asked = if C::KNOWS_SELECTION { selection } else { &all };
        self.change.decoded(decode(&*self.source, samples, asked), selection)
    }
}

impl<C: Change + 'static> Source for Changed<C> {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.change.epoch(&*self.source, sample)
    }

    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.change.epoch_despite_losses(&*self.source, sample)
    }

    fn round(&self, sample: usize) -> u32 {
        self.source.round(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.change.counts_since(self.source.counts_since(sample))
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.source.len_sample(sample)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.source.objects().into_iter().map(|object| self.change.object(object)).collect()
    }

    fn processes(
        &self,
        span: (Timestamp, Timestamp),
        take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        self.source.processes(self.change.span(span), &mut |note| take(self.change.note(note)))
    }

    fn sampled_together(&self) -> Vec<Vec<Arc<str>>> {
        self.source.sampled_together()
    }

    fn sampled_like(&self, others: &Arc<[Vec<Arc<str>>]>) -> Option<Arc<dyn Source>> {
        Some(Changed::with(self.source.sampled_like(others)?, Arc::clone(&self.change)))
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Changed::with(self.source.canonical()?, Arc::clone(&self.change)))
    }

    fn uncorrected(&self) -> Option<Arc<dyn Source>> {
        Some(Changed::with(self.source.uncorrected()?, Arc::clone(&self.change)))
    }

    fn inner(&self) -> Option<&Arc<dyn Source>> {
        Some(&self.source)
    }

    fn around(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        Changed::with(inner, Arc::clone(&self.change))
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.changed(Source::survey, samples, selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.changed(Source::decode, samples, selection)
    }
}
