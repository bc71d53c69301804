//! Which metrics the value sets of records are of.

use crate::meta::Meta;

/// The metrics of the last record, by their places: records are mostly like the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order(Vec<(u32, Option<usize>)>);

impl Order {
    /// The index of the metric of the value set at a place; `None`: nobody described it.
    #[inline]
    pub(crate) fn metric(&mut self, meta: &Meta, place: usize, pmid: u32) -> Option<usize> {
        if let Some((known, metric)) = self.0.get(place)
            && *known == pmid
        {
            return *metric;
        }
        let metric = meta.metric_of(pmid);
        // Places are asked for one after the other.
        self.0.truncate(place);
        self.0.push((pmid, metric));
        metric
    }
}
