//! A capture whose objects and counters have other names than its own.

use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{
    CaptureInfo, Cooked, CountsSince, Decoded, Health, ObjectDef, SampleTime, Selection, Source,
};

/// Objects and their hosts.
pub(crate) type Objects = Vec<(Arc<str>, Arc<ObjectDef>)>;

/// The other names.
pub(crate) trait Names: Send + Sync {
    /// The objects of the capture under their other names.
    fn objects(&self, own: &dyn Source) -> Objects;

    /// Everything that was decoded, under its other names, and what of it is selected by these.
    fn renamed(&self, decoded: Decoded, selection: &Selection) -> Decoded;
}

/// The selected columns of cooked values.
pub(crate) fn selected(cooked: impl Iterator<Item = Cooked>, selection: &Selection) -> Vec<Cooked> {
    let selected = cooked.map(|cooked| select_cooked(cooked, selection));
    selected.filter(|cooked| !cooked.columns.is_empty()).collect()
}

/// A source under other names. The inner one knows only its own, so it is asked for everything.
pub(crate) struct Renamed<N> {
    pub(crate) inner: Arc<dyn Source>,
    pub(crate) names: N,
}

impl<N: Names> Source for Renamed<N> {
    fn info(&self) -> &CaptureInfo {
        self.inner.info()
    }

    fn health(&self) -> &Health {
        self.inner.health()
    }

    fn times(&self) -> &[SampleTime] {
        self.inner.times()
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.inner.epoch(sample)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.inner.counts_since(sample)
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.inner.len_sample(sample)
    }

    fn objects(&self) -> Objects {
        self.names.objects(&*self.inner)
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.names.renamed(self.inner.survey(samples, &Selection::all()), selection)
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.names.renamed(self.inner.decode(samples, &Selection::all()), selection)
    }
}
